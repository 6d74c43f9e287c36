//! One run of the kernel's TCP: two hosts, the forwarder between them, and samples on the way.

use std::io::{Read, Write};
use std::net::{SocketAddr, SocketAddrV4, TcpListener};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{JoinHandle, sleep, spawn};
use std::time::Duration as Real;

use farpath_units::Time;
use nix::unistd::gettid;
use tun_rs::SyncDevice;

use crate::case::Case;
use crate::curve::Curve;
use crate::diag::{Diag, TcpInfo};
use crate::fault::Fault;
use crate::forward::{Clock, Devices, Forwarder, Report};
use crate::host::{Host, PORT, connection, hidden_drops, listener};
use crate::line::{Line, Script};

/// A sample of the sender.
pub(crate) struct Sample {
    /// When, on the run's clock.
    at: Time,
    info: TcpInfo,
    /// Bytes the receiving application had read.
    delivered: u64,
}

/// What one run of the kernel gave.
pub(crate) struct KernelRun {
    pub(crate) samples: Vec<Sample>,
    pub(crate) path: Report,
    /// Packets lost at a device, where the model has no queue.
    pub(crate) hidden_drops: u64,
    /// Whether the forwarder had real-time priority.
    pub(crate) prompt: bool,
}

/// Between two samples of the sender.
const EVERY: Real = Real::from_millis(10);
/// A blocked call checks this often whether it is to stop.
const PATIENCE: Real = Real::from_millis(500);
/// Priorities of the forwarder and of the sampling thread, which runs for microseconds at a time.
const PRIORITIES: [u8; 2] = [10, 20];

/// What the threads of a run share.
#[derive(Clone)]
struct Shared {
    clock: Clock,
    stop: Arc<AtomicBool>,
    delivered: Arc<AtomicU64>,
}

impl Shared {
    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

type Job<T> = JoinHandle<Result<T, Fault>>;
/// What the sending host saw: its connection, and packets lost at its device.
type Sent = (Vec<Sample>, u64);

/// Whether this machine lets a host be made; the error says what is missing.
pub(crate) fn preflight() -> Result<(), Fault> {
    join(spawn(|| Host::SENDER.enter().map(drop)))
}

/// Runs `case` once on the kernel. `interrupted` ends it early.
pub(crate) fn run(case: &Case, interrupted: &AtomicBool) -> Result<KernelRun, Fault> {
    let shared = Shared {
        clock: Clock::start(),
        stop: Arc::default(),
        delivered: Arc::default(),
    };
    let (go, wait) = channel();
    let (receiver, receiver_device) = start_receiver(&shared)?;
    let (sender, sender_device) = start_sender(case, &shared, wait)?;
    let line = || Line::new(case.rate(), case.delay(), case.queue as usize);
    let forwarder = Forwarder::new(
        shared.clock,
        (sender_device, line()),
        (receiver_device, line()),
        Script::new(case.lose),
    )?;
    let stop = Arc::clone(&shared.stop);
    let path: Job<(Report, Devices, bool)> = spawn(move || {
        let prompt = hurry(PRIORITIES[0]);
        let report = forwarder.run(&stop);
        // Nobody else ends when this thread does.
        stop.store(true, Ordering::Relaxed);
        let (report, devices) = report?;
        Ok((report, devices, prompt))
    });
    if go.send(()).is_err() {
        // The sender is gone; its result says why.
        shared.stop.store(true, Ordering::Relaxed);
    }
    // A second more than asked for: the curves are compared up to their common end.
    let end = Time::ZERO + farpath_units::Duration::from_secs(case.seconds + 1);
    while shared.clock.now() < end && !shared.stopped() && !interrupted.load(Ordering::Relaxed) {
        sleep(Real::from_millis(20));
    }
    shared.stop.store(true, Ordering::Relaxed);
    // The hosts read their devices' counters; the devices stay until they have.
    let (sender, receiver) = (join(sender), join(receiver));
    let (path, devices, prompt) = join(path)?;
    drop(devices);
    let ((samples, drops), drops_there) = (sender?, receiver?);
    if interrupted.load(Ordering::Relaxed) {
        return Err(Fault::Interrupted);
    }
    Ok(KernelRun {
        samples,
        path,
        hidden_drops: drops + drops_there,
        prompt,
    })
}

fn join<T>(job: Job<T>) -> Result<T, Fault> {
    job.join()
        .unwrap_or_else(|_| Err(Fault::Failed("a thread panicked".to_owned())))
}

/// A thread that becomes `host`, hands its device over and goes on with `work`.
fn start<T: Send + 'static>(
    host: Host,
    work: impl FnOnce() -> Result<T, Fault> + Send + 'static,
    prepare: impl FnOnce() -> Result<(), Fault> + Send + 'static,
) -> Result<(Job<T>, SyncDevice), Fault> {
    let (give, take): (Sender<SyncDevice>, Receiver<SyncDevice>) = channel();
    let job = spawn(move || {
        let device = host.enter()?;
        prepare()?;
        // Whoever started this thread waits for it.
        drop(give.send(device));
        work()
    });
    match take.recv() {
        Ok(device) => Ok((job, device)),
        Err(_) => Err(join(job).err().unwrap_or(Fault::Interrupted)),
    }
}

fn start_receiver(shared: &Shared) -> Result<(Job<u64>, SyncDevice), Fault> {
    let shared = shared.clone();
    let (put, get) = channel::<TcpListener>();
    start(
        Host::RECEIVER,
        move || {
            let listener = get
                .recv()
                .map_err(|_| Fault::Failed("no listener".to_owned()))?;
            receive(&listener, &shared)?;
            hidden_drops()
        },
        move || {
            let failed = |_| Fault::Failed("hand the listener on".to_owned());
            put.send(listener()?).map_err(failed)
        },
    )
}

fn start_sender(
    case: &Case,
    shared: &Shared,
    wait: Receiver<()>,
) -> Result<(Job<Sent>, SyncDevice), Fault> {
    let shared = shared.clone();
    let control = case.control;
    start(
        Host::SENDER,
        move || {
            // Without the forwarder a SYN would be late by a second.
            if wait.recv().is_err() {
                return Err(Fault::Interrupted);
            }
            let samples = send(control, &shared)?;
            Ok((samples, hidden_drops()?))
        },
        || Ok(()),
    )
}

/// Accepts one connection and reads until the run is over.
fn receive(listener: &TcpListener, shared: &Shared) -> Result<(), Fault> {
    let failed = |what: &str, e: std::io::Error| Fault::Failed(format!("{what}: {e}"));
    listener
        .set_nonblocking(true)
        .map_err(|e| failed("listen", e))?;
    let mut stream = loop {
        match listener.accept() {
            Ok((stream, _)) => break stream,
            Err(e) if e.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(e) => return Err(failed("accept", e)),
        }
        if shared.stopped() {
            return Ok(());
        }
        sleep(Real::from_millis(1));
    };
    stream
        .set_nonblocking(false)
        .and_then(|()| stream.set_read_timeout(Some(PATIENCE)))
        .map_err(|e| failed("set the read timeout", e))?;
    let mut buffer = vec![0; 256 << 10];
    while !shared.stopped() {
        match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(n) => {
                shared.delivered.fetch_add(n as u64, Ordering::Relaxed);
            }
            Err(e) if is_timeout(&e) => {}
            Err(e) => return Err(failed("read", e)),
        }
    }
    Ok(())
}

/// Connects, writes until the run is over, and has another thread sample the connection meanwhile.
fn send(control: &str, shared: &Shared) -> Result<Vec<Sample>, Fault> {
    let failed = |what: &str, e: std::io::Error| Fault::Failed(format!("{what}: {e}"));
    let mut stream = connection(control, PATIENCE)?;
    let SocketAddr::V4(local) = stream
        .local_addr()
        .map_err(|e| failed("local address", e))?
    else {
        return Err(Fault::Failed("the connection is not IPv4".to_owned()));
    };
    let watcher = {
        let shared = shared.clone();
        spawn(move || watch(local, &shared))
    };
    let data = vec![0; 64 << 10];
    while !shared.stopped() {
        match stream.write(&data) {
            Ok(_) => {}
            Err(e) if is_timeout(&e) => {}
            Err(e) => {
                shared.stop.store(true, Ordering::Relaxed);
                drop(join(watcher));
                return Err(failed("write", e));
            }
        }
    }
    join(watcher)
}

fn is_timeout(e: &std::io::Error) -> bool {
    use std::io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
    matches!(e.kind(), WouldBlock | TimedOut | Interrupted)
}

/// Samples the connection from `local` until the run is over.
fn watch(local: SocketAddrV4, shared: &Shared) -> Result<Vec<Sample>, Fault> {
    let failed = |e| Fault::Failed(format!("ask for TCP_INFO: {e}"));
    hurry(PRIORITIES[1]);
    let remote = SocketAddrV4::new(Host::RECEIVER.address, PORT);
    let diag = Diag::open(local, remote).map_err(failed)?;
    let mut samples = Vec::new();
    let mut due = shared.clock.now();
    while !shared.stopped() {
        let before = shared.clock.now();
        let info = diag.ask().map_err(failed)?;
        let after = shared.clock.now();
        // The kernel answers within the call.
        let at = before + farpath_units::Duration::from_ps(after.since(before).as_ps() / 2);
        if let Some(info) = info {
            let delivered = shared.delivered.load(Ordering::Relaxed);
            samples.push(Sample {
                at,
                info,
                delivered,
            });
        }
        due = (due + farpath_units::Duration::from_ns(EVERY.as_nanos() as u64)).max(after);
        sleep(Real::from_nanos(due.since(after).as_ns()));
    }
    Ok(samples)
}

/// Asks for real-time priority and exact timers for the calling thread, which sleeps most of the
/// time; whether it got them.
fn hurry(priority: u8) -> bool {
    let exact = nix::sys::prctl::set_timerslack(1).is_ok();
    let (priority, thread) = (priority.to_string(), gettid().to_string());
    let real_time = Command::new("chrt")
        .args(["-f", "-p", &priority, &thread])
        .output()
        .is_ok_and(|o| o.status.success());
    exact && real_time
}

impl KernelRun {
    /// When the SYN left; the curves' zero.
    pub(crate) fn zero(&self) -> Time {
        self.path.syn_at.unwrap_or(Time::ZERO)
    }

    fn seconds(&self, at: Time) -> f64 {
        at.as_secs_f64() - self.zero().as_secs_f64()
    }

    /// The congestion window over time.
    pub(crate) fn cwnd(&self) -> Curve {
        let mut curve = Curve::default();
        for sample in &self.samples {
            curve.push(self.seconds(sample.at), f64::from(sample.info.cwnd));
        }
        curve
    }

    /// Bytes delivered to the application over time.
    pub(crate) fn delivered(&self) -> Curve {
        let mut curve = Curve::default();
        curve.push(0.0, 0.0);
        for sample in &self.samples {
            curve.push(self.seconds(sample.at), sample.delivered as f64);
        }
        curve
    }

    /// The smoothed round-trip time in ms over time.
    pub(crate) fn srtt_ms(&self) -> Curve {
        let mut curve = Curve::default();
        for sample in &self.samples {
            curve.push(
                self.seconds(sample.at),
                f64::from(sample.info.rtt_us) / 1000.0,
            );
        }
        curve
    }

    /// When the scripted loss was repaired, and with that the window cut.
    pub(crate) fn cut(&self) -> Option<f64> {
        self.path.script.resent_at.map(|at| self.seconds(at))
    }

    /// The last sample.
    pub(crate) fn last(&self) -> Option<&TcpInfo> {
        self.samples.last().map(|s| &s.info)
    }
}
