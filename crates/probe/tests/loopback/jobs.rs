//! Jobs without a scenario, and programs without a process: threads of this one, over a pipe and over a socket.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::thread;

use farpath_probe::job::{Bulk, End, Iperf3, Iperf3Kind, Jobs, Stream, Timing};
use farpath_probe::peer::{Echo, Iperf3Server, Ours, Peer};
use farpath_probe::{Conductor, Report, Stop, serve};
use farpath_units::{Duration, Size, Time};

use crate::run::{PATIENCE, conduct};

/// The writing half of a connection: dropped, it ends the other's input.
struct Half(UnixStream);

impl Write for Half {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Drop for Half {
    fn drop(&mut self) {
        // Who has closed it already needs no end.
        drop(self.0.shutdown(Shutdown::Write));
    }
}

fn host(input: impl Read + Send + 'static, output: impl Write + Send + 'static) {
    let stop = Stop::new().expect("a pipe");
    thread::spawn(move || serve(BufReader::new(input), output, stop).expect("a job is done"));
}

fn piped() -> io::Result<Box<dyn Peer>> {
    let ((orders, to), (from, words)) = (io::pipe()?, io::pipe()?);
    host(orders, words);
    Ok(Box::new(Ours::new(from, to)))
}

fn connected() -> io::Result<Box<dyn Peer>> {
    let (ours, theirs) = UnixStream::pair()?;
    host(theirs.try_clone()?, theirs);
    Ok(Box::new(Ours::new(ours.try_clone()?, Half(ours))))
}

fn end(host: &str, address: &str) -> End {
    End::new(host, address.parse().expect("an address"))
}

fn megabyte() -> Jobs {
    let (here, there) = (
        end("here", "127.31.30.1:0"),
        end("there", "127.31.30.2:5001"),
    );
    let mut bulk = Bulk::new(Stream::new(here, there), Timing::new(Time::ZERO, None));
    bulk.bytes = Some(Size::from_bytes(1_000_000));
    let mut jobs = Jobs::new();
    jobs.bulk(0, &bulk).expect("a flow");
    jobs
}

#[test]
fn a_job_needs_neither_a_scenario_nor_a_process() {
    let peer = |name: &str| match name {
        "here" => piped(),
        _ => connected(),
    };
    let results = conduct(&megabyte(), peer, |_| {});
    assert_eq!(results.faults, []);
    let received = results.reports[&0].iter().find_map(|report| match report {
        Report::TcpReceive(report) => Some(report.bytes),
        _ => None,
    });
    assert_eq!(received, Some(1_000_000));
    assert_eq!(results.clock_error_ns("here", "there"), Some(0));
}

#[test]
fn a_host_that_only_answers_pings_is_no_end_of_a_connection() {
    let peer = |name: &str| match name {
        "here" => piped(),
        _ => Ok(Box::new(Echo) as Box<dyn Peer>),
    };
    let refused = Conductor::prepare(&megabyte(), peer, PATIENCE);
    let error = refused.err().expect("a refusal").to_string();
    let words = "start the measuring process on `there`: it answers echo requests and does nothing else: \
                 flow 0 needs a program of ours there";
    assert_eq!(error, words);
}

#[test]
fn an_iperf3_server_that_is_there_already_is_an_end() {
    let iperf3 = Iperf3 {
        client: end("here", "127.31.31.1:49152"),
        server: end("there", "127.31.31.2:5201"),
        class: 0,
        timing: Timing::new(Time::ZERO, Some(Duration::from_secs(1))),
        kind: Iperf3Kind::Tcp {
            algorithm: "cubic".to_owned(),
            bytes: None,
            buffer: None,
            pacing: None,
            reverse: false,
        },
    };
    let mut jobs = Jobs::new();
    jobs.iperf3(3, &iperf3).expect("a flow");
    let mut server = std::process::Command::new("iperf3")
        .args([
            "-s",
            "-1",
            "-B",
            "127.31.31.2",
            "-p",
            "5201",
            "--forceflush",
        ])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("iperf3");
    let mut words = BufReader::new(server.stdout.take().expect("an output")).lines();
    let listens = |line: io::Result<String>| line.expect("a line").contains("listening on");
    assert!(words.any(listens), "it ended before it listened");
    let peer = |name: &str| match name {
        "here" => piped(),
        _ => Ok(Box::new(Iperf3Server) as Box<dyn Peer>),
    };
    let results = conduct(&jobs, peer, |_| {});
    server.wait().expect("it ends with its test");
    assert_eq!(results.faults, []);
    let is_client = |report: &Report| matches!(report, Report::Iperf3(r) if r.bytes > 0);
    assert!(
        results.reports[&3].iter().any(is_client),
        "{:?}",
        results.reports
    );
    assert_eq!(
        results.clock_error_ns("here", "there"),
        None,
        "it tells no times"
    );
}
