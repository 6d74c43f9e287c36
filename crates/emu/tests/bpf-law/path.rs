//! A path of three namespaces: a sender, a router with a slow line behind a long queue, a receiver. Segments
//! that the caller names are lost in the router. The window makes the round trip: all of it queues.

use std::fs::{self, File};
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::process::Command;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::Instant;

use nix::sched::{CloneFlags, setns, unshare};
use nix::sys::socket::{getsockopt, setsockopt, sockopt::TcpCongestion};

/// The port of the receiver.
const PORT: u16 = 5001;

/// What `ss` says of the sender, and when.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) at_s: f64,
    pub(crate) cwnd: u32,
    /// Nothing before the first cut.
    pub(crate) ssthresh: Option<u32>,
    pub(crate) delivered: u64,
    /// Segments sent again so far.
    pub(crate) retransmits: u64,
}

/// The namespaces, as the thread that made them sees them. They vanish with it.
pub(crate) struct Path {
    sender: File,
    receiver: File,
    /// Held, or it would end.
    _router: File,
}

fn run(command: &str) -> String {
    let words: Vec<&str> = command.split_whitespace().collect();
    let output = Command::new(words[0]).args(&words[1..]).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

fn namespace() -> File {
    unshare(CloneFlags::CLONE_NEWNET).unwrap();
    run("ip link set lo up");
    File::open("/proc/thread-self/ns/net").unwrap()
}

fn enter(namespace: &File) {
    setns(namespace, CloneFlags::CLONE_NEWNET).unwrap();
}

/// A path by which `ip` finds a namespace without a name.
fn place(namespace: &File) -> String {
    format!("/proc/{}/fd/{}", std::process::id(), namespace.as_raw_fd())
}

impl Path {
    /// 1500-byte packets on 40 Mbit/s; the data packets of these numbers, each from 1 and of those that reach
    /// its rule, are lost.
    pub(crate) fn new(lost: &[u32]) -> Path {
        let (sender, router, receiver) = (namespace(), namespace(), namespace());
        enter(&sender);
        run(&format!(
            "ip link add out type veth peer name in netns {}",
            place(&router)
        ));
        run("ip link set out gso_max_segs 1");
        run("ip address add 10.1.0.1/24 dev out");
        run("ip link set out up");
        enter(&receiver);
        run(&format!(
            "ip link add in type veth peer name out netns {}",
            place(&router)
        ));
        run("ip address add 10.2.0.1/24 dev in");
        run("ip link set in up");
        enter(&router);
        run("ip address add 10.1.0.2/24 dev in");
        run("ip address add 10.2.0.2/24 dev out");
        run("ip link set in up");
        run("ip link set out up");
        fs::write("/proc/sys/net/ipv4/ip_forward", "1").unwrap();
        run("tc qdisc add dev out root tbf rate 40mbit burst 16kb limit 8mb");
        run("nft add table ip t");
        run("nft add chain ip t c { type filter hook forward priority 0 ; }");
        for number in lost {
            run(&format!(
                "nft add rule ip t c tcp dport {PORT} meta length > 500 numgen inc mod 2000000000 == {number} drop"
            ));
        }
        for (namespace, other, gateway) in [
            (&sender, "10.2.0.0/24", "10.1.0.2"),
            (&receiver, "10.1.0.0/24", "10.2.0.2"),
        ] {
            enter(namespace);
            // A stall of a busy machine must not count as a loss.
            run(&format!("ip route add {other} via {gateway} rto_min 5s"));
            fs::write("/proc/sys/net/ipv4/tcp_early_retrans", "0").unwrap();
            fs::write("/proc/sys/net/ipv4/tcp_no_metrics_save", "1").unwrap();
        }
        Path {
            sender,
            receiver,
            _router: router,
        }
    }

    /// Sends so many bytes by an algorithm that is the namespace's default, with a sample every `step` bytes.
    pub(crate) fn send(&self, control: &str, bytes: usize, step: usize) -> Vec<Sample> {
        enter(&self.receiver);
        let listener = TcpListener::bind(("10.2.0.1", PORT)).unwrap();
        let reader = receive(listener);
        enter(&self.sender);
        fs::write("/proc/sys/net/ipv4/tcp_congestion_control", control).unwrap();
        let mut stream = TcpStream::connect(("10.2.0.1", PORT)).unwrap();
        assert_eq!(getsockopt(&stream, TcpCongestion).unwrap(), control);
        // Chosen by name too, as a program would.
        setsockopt(&stream, TcpCongestion, &control.into()).unwrap();
        let (start, chunk) = (Instant::now(), vec![0; step]);
        let (tell, told) = mpsc::channel();
        let mut samples = Vec::new();
        // Looking takes milliseconds, in which the window must stay full: another thread writes.
        thread::scope(|scope| {
            let stream = &mut stream;
            scope.spawn(move || {
                for _ in 0..bytes / step {
                    stream.write_all(&chunk).unwrap();
                    tell.send(()).unwrap();
                }
            });
            while told.recv().is_ok() {
                while told.try_recv().is_ok() {}
                samples.push(sample(start));
            }
        });
        drop(stream);
        assert_eq!(reader.join().unwrap(), bytes / step * step);
        samples
    }
}

fn receive(listener: TcpListener) -> JoinHandle<usize> {
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut buffer = vec![0; 1 << 18];
        let mut sum = 0;
        loop {
            match stream.read(&mut buffer) {
                Ok(0) => return sum,
                Ok(bytes) => sum += bytes,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => panic!("{error}"),
            }
        }
    })
}

fn sample(start: Instant) -> Sample {
    let text = run("ss -tinH dport = 5001");
    let number = |key: &str| -> Option<u64> {
        text.split_whitespace()
            .find_map(|word| word.strip_prefix(key)?.parse().ok())
    };
    Sample {
        at_s: start.elapsed().as_secs_f64(),
        cwnd: number("cwnd:").unwrap_or_else(|| panic!("no cwnd in `{text}`")) as u32,
        ssthresh: number("ssthresh:").map(|threshold| threshold as u32),
        delivered: number("delivered:").unwrap_or(0),
        // "retrans:NOW/SUM", once there is one.
        retransmits: text
            .split_whitespace()
            .find_map(|word| {
                word.strip_prefix("retrans:")?
                    .split_once('/')?
                    .1
                    .parse()
                    .ok()
            })
            .unwrap_or(0),
    }
}
