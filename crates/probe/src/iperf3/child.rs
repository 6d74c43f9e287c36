//! iperf3's own processes: a server that takes one test, and the client that runs it.

use std::io::{self, Read};
use std::os::fd::AsFd;
use std::process::{Child, ChildStdout, Command, Stdio};

use super::{ReadError, read};
use crate::job::{Iperf3Kind, Iperf3Work};
use crate::report::Iperf3Report;
use crate::watch::{READ, Watch, Woken};

/// Why iperf3 did not run a test.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum Iperf3Error {
    /// It is not installed, or cannot be started.
    #[error("start iperf3: {0}; install it, or remove `tool` from the test")]
    Start(io::Error),
    /// It cannot be heard.
    #[error("hear iperf3: {0}")]
    Pipe(#[from] io::Error),
    /// The server ended before it listened.
    #[error("the iperf3 server does not listen: {0}")]
    Server(String),
    /// The client printed no result.
    #[error(transparent)]
    Result(#[from] ReadError),
    /// Everything ended before it did.
    #[error("stopped before iperf3 was done")]
    Stopped,
}

/// Most bytes of iperf3's output that are read.
const MOST_OUTPUT: usize = 64 << 20;

/// A server that listens; it is killed when it is dropped.
pub(crate) struct Server {
    child: Child,
    output: ChildStdout,
}

impl Server {
    /// Starts a server and waits until it listens: until it says so.
    pub(crate) fn new(work: &Iperf3Work) -> Result<Server, Iperf3Error> {
        let mut command = Command::new("iperf3");
        let local = work.ends.local;
        command.args(["-s", "-1", "--forceflush"]);
        command.args(["-B", &local.ip().to_string()]);
        command.args(["-p", &local.port().to_string()]);
        let (child, output) = start(&mut command)?;
        let mut server = Server { child, output };
        let mut said = Vec::new();
        let mut byte = [0];
        while !said.ends_with(b"listening on ") {
            if server.output.read(&mut byte)? == 0 || said.len() > MOST_OUTPUT {
                return Err(Iperf3Error::Server(text_of(&said)));
            }
            said.push(byte[0]);
        }
        Ok(server)
    }

    /// Waits until its test is over.
    pub(crate) fn serve(mut self, watch: &Watch) -> Result<(), Iperf3Error> {
        output(&mut self.output, watch).map(drop)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// At the start of the test, runs the client; reads what it prints.
pub(crate) fn client(work: &Iperf3Work, watch: &Watch) -> Result<Iperf3Report, Iperf3Error> {
    if watch.until(work.span.start).map_err(io::Error::from)? == Woken::Stopped {
        return Err(Iperf3Error::Stopped);
    }
    let started_ns = watch.clock.now();
    let mut command = Command::new("iperf3");
    command.args(arguments(work));
    let (child, stdout) = start(&mut command)?;
    // Killed on every way out of here.
    let mut client = Server {
        child,
        output: stdout,
    };
    let text = output(&mut client.output, watch)?;
    let mut report = read(&text_of(&text))?;
    report.started_ns = started_ns;
    Ok(report)
}

/// The client's command line.
pub(super) fn arguments(work: &Iperf3Work) -> Vec<String> {
    let (local, remote) = (work.ends.local, work.ends.remote);
    let mut all: Vec<String> = Vec::new();
    let mut add = |words: &[&str]| all.extend(words.iter().map(|w| (*w).to_owned()));
    add(&["-c", &remote.ip().to_string()]);
    add(&["-p", &remote.port().to_string()]);
    add(&["-B", &local.ip().to_string()]);
    add(&["--cport", &local.port().to_string()]);
    add(&[
        "-J",
        "-i",
        &format!("{:.3}", work.interval_ns as f64 * 1e-9),
    ]);
    if work.ends.class > 0 {
        add(&["-S", &work.ends.class.to_string()]);
    }
    let seconds = |ns: u64| ns.div_ceil(1_000_000_000).to_string();
    if let Some(until) = work.span.until {
        add(&["-t", &seconds(until.saturating_sub(work.span.from))]);
    }
    if work.span.from > work.span.start {
        add(&["-O", &seconds(work.span.from - work.span.start)]);
    }
    match &work.kind {
        Iperf3Kind::Tcp {
            algorithm,
            bytes,
            buffer,
            pacing,
            reverse,
        } => {
            add(&["-C", algorithm]);
            if let Some(bytes) = bytes {
                add(&["-n", &bytes.to_string()]);
            }
            if let Some(buffer) = buffer {
                add(&["-w", &buffer.to_string()]);
            }
            if let Some(pacing) = pacing {
                add(&["--fq-rate", &pacing.saturating_mul(8).to_string()]);
            }
            if *reverse {
                add(&["-R"]);
            }
        }
        Iperf3Kind::Udp { rate, size } => {
            add(&["-u", "-b", &rate.to_string(), "-l", &size.to_string()]);
        }
    }
    all
}

fn start(command: &mut Command) -> Result<(Child, ChildStdout), Iperf3Error> {
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    command.stderr(Stdio::null());
    let mut child = command.spawn().map_err(Iperf3Error::Start)?;
    match child.stdout.take() {
        Some(output) => Ok((child, output)),
        None => Err(Iperf3Error::Start(io::Error::other("it has no output"))),
    }
}

/// Everything a process prints, until it closes its output.
fn output(stdout: &mut ChildStdout, watch: &Watch) -> Result<Vec<u8>, Iperf3Error> {
    let mut all = Vec::new();
    let mut piece = vec![0; 1 << 16];
    loop {
        let woken = watch.socket(stdout.as_fd(), READ, u64::MAX);
        if woken.map_err(io::Error::from)? == Woken::Stopped {
            return Err(Iperf3Error::Stopped);
        }
        match stdout.read(&mut piece)? {
            0 => return Ok(all),
            read if all.len() < MOST_OUTPUT => all.extend_from_slice(&piece[..read]),
            _ => {}
        }
    }
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{Ends, Span};

    fn work(kind: Iperf3Kind, until: Option<u64>) -> Iperf3Work {
        Iperf3Work {
            ends: Ends {
                local: "198.18.0.1:49152".parse().expect("an address"),
                remote: "198.18.0.2:5001".parse().expect("an address"),
                class: 8,
                mark: 0,
            },
            span: Span {
                start: 1_000_000_000,
                from: 3_000_000_000,
                until,
                settle: 0,
                every: 1,
                counted: 0,
            },
            interval_ns: 250_000_000,
            kind,
        }
    }

    #[test]
    fn a_test_becomes_a_command_line() {
        let tcp = Iperf3Kind::Tcp {
            algorithm: "cubic".to_owned(),
            bytes: None,
            buffer: Some(65_536),
            pacing: Some(2_500_000),
            reverse: true,
        };
        let line = arguments(&work(tcp, Some(13_000_000_000))).join(" ");
        assert_eq!(
            line,
            "-c 198.18.0.2 -p 5001 -B 198.18.0.1 --cport 49152 -J -i 0.250 -S 8 -t 10 -O 2 \
             -C cubic -w 65536 --fq-rate 20000000 -R"
        );
        let udp = Iperf3Kind::Udp {
            rate: 1_000_000,
            size: 1472,
        };
        let line = arguments(&work(udp, Some(4_000_000_000))).join(" ");
        assert!(line.ends_with("-t 1 -O 2 -u -b 1000000 -l 1472"), "{line}");
    }
}
