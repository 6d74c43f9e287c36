//! The least of data planes: what one host sends, the other receives.

use std::io::{IoSlice, PipeWriter};
use std::net::IpAddr;
use std::os::fd::AsFd;
use std::thread::JoinHandle;

use farpath_emu::tap::{HEADER, LARGEST};
use farpath_emu::{DeviceChoice, Host, HostSpec, InterfaceSpec, Route, Shaping, Tap};
use farpath_units::{Rate, Size};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

/// Addresses of the two hosts, IPv4 and IPv6.
pub(crate) const A: [&str; 2] = ["198.18.0.1", "2001:db8::1"];
pub(crate) const B: [&str; 2] = ["198.18.0.2", "2001:db8::2"];

/// Host `a` or `b` of a pair.
pub(crate) fn spec(name: &str, device: DeviceChoice) -> HostSpec {
    let parse = |texts: [&str; 2]| texts.map(|t| t.parse::<IpAddr>().unwrap());
    let (own, other) = if name == "a" { (A, B) } else { (B, A) };
    let (own, other) = (parse(own), parse(other));
    let names = |texts, name: &str| parse(texts).map(|a| (a, name.to_owned()));
    HostSpec {
        name: name.to_owned(),
        interfaces: vec![InterfaceSpec {
            name: "eth0".to_owned(),
            mac: [2, 0, 0, 0, 0, if name == "a" { 1 } else { 2 }],
            mtu: 9000,
            addresses: own.to_vec(),
            routes: own
                .into_iter()
                .zip(other)
                .map(|(from, to)| Route {
                    to,
                    from,
                    bound_only: false,
                    initial_window: None,
                    largest_window: None,
                    largest_segment: None,
                })
                .collect(),
            ring_packets: 20_000,
            segments_at_once: None,
            shaping: None,
        }],
        settings: Vec::new(),
        control: None,
        names: [names(A, "a"), names(B, "b")].concat(),
        device,
    }
}

/// Every setting a scenario can lead to, each to a value that is not the kernel's own.
pub(crate) const SETTINGS: [(&str, &str); 13] = [
    ("net.ipv4.tcp_rmem", "4096 131072 67108864"),
    ("net.ipv4.tcp_wmem", "4096 16384 67108864"),
    ("net.ipv4.tcp_sack", "0"),
    ("net.ipv4.tcp_timestamps", "0"),
    ("net.ipv4.tcp_dsack", "0"),
    ("net.ipv4.tcp_recovery", "0"),
    ("net.ipv4.tcp_early_retrans", "0"),
    ("net.ipv4.tcp_frto", "0"),
    ("net.ipv4.tcp_ecn", "1"),
    ("net.ipv4.tcp_slow_start_after_idle", "0"),
    ("net.ipv4.tcp_rto_min_us", "1000000"),
    ("net.ipv4.tcp_comp_sack_nr", "0"),
    ("net.ipv4.tcp_congestion_control", "reno"),
];

/// A host with every setting there is.
pub(crate) fn told(name: &str) -> HostSpec {
    let mut spec = spec("a", DeviceChoice::Available);
    spec.name = name.to_owned();
    let settings = SETTINGS.iter();
    spec.settings = settings
        .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
        .collect();
    spec.interfaces[0].shaping = Some(Shaping {
        rate: Rate::from_bps(100_000_000).unwrap(),
        burst: Size::from_bytes(18_028),
        limit: Size::from_bytes(9_014_000),
    });
    spec
}

/// Two hosts, joined by a thread until this is dropped.
pub(crate) struct Pair {
    pub(crate) a: Host,
    pub(crate) b: Host,
    stop: Option<PipeWriter>,
    pump: Option<JoinHandle<u64>>,
}

impl Pair {
    pub(crate) fn new(device: DeviceChoice) -> Pair {
        Pair::of(&spec("a", device), &spec("b", device))
    }

    pub(crate) fn of(a: &HostSpec, b: &HostSpec) -> Pair {
        let mut a = Host::start(a).unwrap();
        let mut b = Host::start(b).unwrap();
        let taps = [a.taps.remove(0), b.taps.remove(0)];
        let (stopped, stop) = std::io::pipe().unwrap();
        let pump = std::thread::spawn(move || pump(&taps, stopped));
        Pair {
            a,
            b,
            stop: Some(stop),
            pump: Some(pump),
        }
    }

    /// Stops; how many super-frames were carried.
    pub(crate) fn stop(mut self) -> u64 {
        drop(self.stop.take());
        self.pump.take().unwrap().join().unwrap()
    }
}

fn pump(taps: &[Tap; 2], stopped: impl AsFd) -> u64 {
    let mut buffer = vec![0; LARGEST];
    let mut super_frames = 0;
    loop {
        let mut waited = [
            PollFd::new(taps[0].as_fd(), PollFlags::POLLIN),
            PollFd::new(taps[1].as_fd(), PollFlags::POLLIN),
            PollFd::new(stopped.as_fd(), PollFlags::POLLIN),
        ];
        poll(&mut waited, PollTimeout::NONE).unwrap();
        if waited[2].any().unwrap() {
            return super_frames;
        }
        for (from, to) in [(&taps[0], &taps[1]), (&taps[1], &taps[0])] {
            loop {
                let length = match from.read(&mut buffer) {
                    Ok(length) => length,
                    Err(Errno::EAGAIN) => break,
                    Err(e) => panic!("read {}: {e}", from.name),
                };
                super_frames += u64::from(length > HEADER + 14 + 9000);
                buffer[HEADER..HEADER + 6].copy_from_slice(&to.mac);
                write(to, &buffer[..length]);
            }
        }
    }
}

fn write(to: &Tap, frame: &[u8]) {
    loop {
        match to.write(&[
            IoSlice::new(&frame[..HEADER]),
            IoSlice::new(&frame[HEADER..]),
        ]) {
            Ok(length) => return assert_eq!(length, frame.len()),
            Err(Errno::EAGAIN | Errno::ENOBUFS) => {
                let mut room = [PollFd::new(to.as_fd(), PollFlags::POLLOUT)];
                poll(&mut room, PollTimeout::NONE).unwrap();
            }
            Err(e) => panic!("write {} bytes to {}: {e}", frame.len(), to.name),
        }
    }
}
