//! What runs on a host: a job, told over one pipe, done by a thread a task, told of over another.
//!
//! The first line read is the [`HostJob`]. When all its sockets are there, [`Message::Ready`] is
//! told, and a second line is waited for: what CLOCK_MONOTONIC shows at the run's time zero, in
//! nanoseconds. Lines after it are numbers of flows whose other end has failed: these end. When the
//! pipe closes, everything ends. What there is so far is told in either case.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::sync::Mutex;
use std::thread;

use nix::sys::prctl::set_timerslack;
use nix::sys::resource::{Resource, getrlimit, setrlimit};

use crate::clock::Clock;
use crate::exchange::{self, Both};
use crate::iperf3::{self, Iperf3Error, Server};
use crate::job::{HostJob, Task, Work};
use crate::ping;
use crate::report::{Message, Report};
use crate::socket::{Prepared, SocketError};
use crate::tcp;
use crate::udp;
use crate::watch::{Stop, Stopper, Watch};

/// Why a host could not do anything.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The pipe from or to whoever gave the job.
    #[error("read the job or tell of it: {0}")]
    Pipe(#[from] io::Error),
    /// It is no job.
    #[error("the job cannot be done: {0}")]
    Job(String),
}

/// Longest line read: a job with millions of datagrams' times.
const LONGEST_LINE: u64 = 1 << 28;

/// Stack of a thread: their buffers are elsewhere.
const STACK_BYTES: usize = 256 * 1024;

/// A task whose socket is there.
enum Socketed {
    Ping(ping::Prepared),
    Udp(udp::Prepared),
    Tcp(Prepared),
    Both(Both),
    Server(Server),
    Client,
}

/// Why a task failed.
#[derive(Debug, thiserror::Error)]
enum TaskError {
    #[error(transparent)]
    Socket(#[from] SocketError),
    #[error(transparent)]
    Iperf3(#[from] Iperf3Error),
}

/// Does the job that `input` gives, and tells `output`; ends early when `input` does, or by `stop`.
///
/// # Errors
/// When there is no job, or nobody to tell. A task that fails is told of as [`Message::Fault`].
pub fn serve(
    mut input: impl BufRead + Send + 'static,
    output: impl Write + Send,
    (stopper, stop): (Stopper, Stop),
) -> Result<(), ServeError> {
    // The kernel wakes threads up to 50 µs late else.
    set_timerslack(1).map_err(io::Error::from)?;
    raise_descriptor_limit().map_err(io::Error::from)?;
    let output = Mutex::new(output);
    let job: HostJob = line(&mut input)?;
    let (mut ready, mut stoppers) = (Vec::new(), BTreeMap::new());
    for task in job.tasks() {
        match prepare(&task.work) {
            Ok(socketed) => {
                let (own, said) = Stop::new()?;
                stoppers.insert(task.flow, own);
                ready.push((task, socketed, said));
            }
            Err(error) => fault(&output, task.flow, &error)?,
        }
    }
    tell(&output, &Message::Ready)?;
    let zero_ns: u64 = line(&mut input)?;
    // Nobody waits for this thread: it may read for ever.
    let hearing = thread::Builder::new().stack_size(STACK_BYTES);
    drop(hearing.spawn(move || hear(input, &stoppers, &stopper))?);
    let clock = Clock::from_zero(zero_ns);
    thread::scope(|scope| -> io::Result<()> {
        for (task, socketed, own) in ready {
            let watch = Watch {
                clock,
                stop: [stop.clone(), own],
            };
            let output = &output;
            let run = move || match perform(socketed, task, &watch) {
                Ok(report) => {
                    let flow = task.flow;
                    tell(output, &Message::Report { flow, report })
                }
                // The end that failed has said why.
                Err(_) if watch.stop[1].is_said() => Ok(()),
                Err(error) => fault(output, task.flow, &error),
            };
            let named = thread::Builder::new().stack_size(STACK_BYTES);
            // What a thread could not tell, the end of the output tells.
            named.spawn_scoped(scope, move || drop(run()))?;
        }
        Ok(())
    })?;
    tell(&output, &Message::Done)?;
    Ok(())
}

/// Lets this process have as many descriptors as it may: a test of many streams needs thousands.
fn raise_descriptor_limit() -> nix::Result<()> {
    let (_, most) = getrlimit(Resource::RLIMIT_NOFILE)?;
    setrlimit(Resource::RLIMIT_NOFILE, most, most)
}

/// One line of JSON.
fn line<T: serde::de::DeserializeOwned>(input: &mut impl BufRead) -> Result<T, ServeError> {
    let mut text = String::new();
    io::Read::take(&mut *input, LONGEST_LINE).read_line(&mut text)?;
    serde_json::from_str(&text).map_err(|e| ServeError::Job(e.to_string()))
}

/// Hears of flows that end, and of the end of everything: that of the input.
fn hear(mut input: impl BufRead, stoppers: &BTreeMap<usize, Stopper>, all: &Stopper) {
    while let Ok(flow) = line::<usize>(&mut input) {
        if let Some(own) = stoppers.get(&flow) {
            own.stop();
        }
    }
    all.stop();
}

fn tell(output: &Mutex<impl Write>, message: &Message) -> io::Result<()> {
    let mut text = serde_json::to_string(message)?;
    text.push('\n');
    let mut output = match output.lock() {
        Ok(output) => output,
        Err(poisoned) => poisoned.into_inner(),
    };
    output.write_all(text.as_bytes())?;
    output.flush()
}

fn fault(output: &Mutex<impl Write>, flow: usize, error: &TaskError) -> io::Result<()> {
    let fault = error.to_string();
    let flow = Some(flow);
    tell(output, &Message::Fault { flow, fault })
}

fn prepare(work: &Work) -> Result<Socketed, TaskError> {
    Ok(match work {
        Work::Ping(work) => Socketed::Ping(ping::Prepared::new(work)?),
        Work::UdpSend(work) => Socketed::Udp(udp::Prepared::new(&work.ends)?),
        Work::UdpReceive(work) => Socketed::Udp(udp::Prepared::new(&work.ends)?),
        Work::TcpSend(work) | Work::TcpReceive(work) => {
            Socketed::Tcp(Prepared::new(&work.connection)?)
        }
        Work::Ask(work) | Work::Answer(work) => Socketed::Both(Both::new(work)?),
        Work::Iperf3Server(work) => Socketed::Server(Server::new(work)?),
        Work::Iperf3Client(_) => Socketed::Client,
    })
}

fn perform(socketed: Socketed, task: &Task, watch: &Watch) -> Result<Report, TaskError> {
    Ok(match (socketed, &task.work) {
        (Socketed::Ping(p), Work::Ping(work)) => Report::Ping(ping::ping(&p, work, watch)?),
        (Socketed::Udp(p), Work::UdpSend(work)) => Report::UdpSend(udp::send(p, work, watch)?),
        (Socketed::Udp(p), Work::UdpReceive(work)) => {
            Report::UdpReceive(udp::receive(p, work, watch)?)
        }
        (Socketed::Tcp(p), Work::TcpSend(work)) => Report::TcpSend(tcp::send(p, work, watch)?),
        (Socketed::Tcp(p), Work::TcpReceive(work)) => {
            Report::TcpReceive(tcp::receive(p, work, watch)?)
        }
        (Socketed::Both(both), Work::Ask(work)) => Report::Ask(exchange::ask(both, work, watch)?),
        (Socketed::Both(both), Work::Answer(work)) => {
            Report::Answer(exchange::answer(both, work, watch)?)
        }
        (Socketed::Server(server), _) => {
            server.serve(watch)?;
            Report::Iperf3Server
        }
        (Socketed::Client, Work::Iperf3Client(work)) => {
            Report::Iperf3(iperf3::client(work, watch)?)
        }
        _ => unreachable!("each work has its own kind of socket"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn told(input: &'static str) -> (Result<(), ServeError>, String) {
        let mut output = Vec::new();
        let words = Stop::new().expect("a pipe");
        let result = serve(Cursor::new(input), &mut output, words);
        (result, String::from_utf8(output).expect("a text"))
    }

    #[test]
    fn what_is_no_job_is_refused() {
        for input in [
            "",
            "\n",
            "{}",
            "[1, 2]",
            "{\"schema\": \"farpath.probe/2\"}",
        ] {
            let (result, output) = told(input);
            assert!(
                matches!(result, Err(ServeError::Job(_))),
                "{input}: {result:?}"
            );
            assert_eq!(output, "");
        }
        let other = "{\"schema\": \"farpath.probe/3\", \"host\": \"a\", \"tasks\": []}";
        let (result, _) = told(other);
        let error = result.expect_err("another schema").to_string();
        assert!(error.contains("farpath.probe/3"), "{error}");
    }

    #[test]
    fn a_job_without_tasks_is_soon_done() {
        let job = "{\"schema\": \"farpath.probe/2\", \"host\": \"a\", \"tasks\": []}\n17\n";
        let (result, output) = told(job);
        assert!(result.is_ok());
        assert_eq!(output, "\"ready\"\n\"done\"\n");
    }
}
