//! What runs on a host: a job is read from one pipe, done by a thread a task, and reported over another pipe.
//!
//! The first line read is the [`HostJob`]. When all its sockets are open, [`Message::Ready`] is sent. Every line that
//! follows is an [`Order`]: report what the clock shows, at any time; start; end a flow whose other end has failed.
//! When the pipe closes, everything ends. The results so far are reported in either case.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::sync::{Mutex, MutexGuard};
use std::thread;

use nix::sys::prctl::set_timerslack;
use nix::sys::resource::{Resource, getrlimit, setrlimit};

use crate::clock::{Clock, ClockName};
use crate::job::HostJob;
use crate::protocol::{self, Message, Order};
use crate::sys;
use crate::watch::{Stop, Stopper, Watch};
use crate::work::TaskError;

/// Why a host could not do anything.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The pipe from or to whoever gave the job.
    #[error("read the job or report on it: {0}")]
    Pipe(#[from] io::Error),
    /// The first line is not a job, or it is one that cannot be done.
    #[error("the job cannot be done: {0}")]
    Job(String),
    /// A line after the job is not an order.
    #[error("an order cannot be understood: {0}")]
    Order(String),
    /// Everything ended before there was an order to start.
    #[error("nobody said when to start")]
    NoStart,
}

/// Stack of a thread: their buffers are elsewhere.
const STACK_BYTES: usize = 256 * 1024;

/// Does the job read from `input`, and reports to `output`; ends when `input` does, whether the tasks are done or not.
/// With `stop` the tasks end early.
///
/// # Errors
/// When there is no job, or nobody reads the reports. A task that fails is reported as [`Message::Fault`].
pub fn serve(
    mut input: impl BufRead + Send,
    output: impl Write + Send,
    (stopper, stop): (Stopper, Stop),
) -> Result<(), ServeError> {
    // The kernel wakes threads up to 50 µs late else.
    set_timerslack(1).map_err(io::Error::from)?;
    raise_descriptor_limit().map_err(io::Error::from)?;
    let output = Mutex::new(output);
    let job = protocol::hear(&mut input)?.unwrap_or_default();
    let job: HostJob = protocol::understand(&job).map_err(ServeError::Job)?;
    let (mut ready, mut stoppers) = (Vec::new(), BTreeMap::new());
    for task in job.tasks() {
        match task.work.prepare() {
            Ok(prepared) => {
                let (own, said) = Stop::new()?;
                stoppers.insert(task.flow, own);
                ready.push((task.flow, prepared, said));
            }
            Err(error) => fault(&output, task.flow, &error)?,
        }
    }
    let (clock, system) = (Some(ClockName::own()), sys::system());
    tell(&output, &Message::Ready { clock, system })?;
    let mut orders = Orders {
        input,
        output: &output,
        stoppers,
    };
    let clock = loop {
        match orders.next()? {
            Some(Order::Start { zero_ns }) => break Clock::from_zero(zero_ns),
            Some(_) => {}
            None => return Err(ServeError::NoStart),
        }
    };
    let output = &output;
    thread::scope(|scope| -> io::Result<()> {
        let hearing = thread::Builder::new().stack_size(STACK_BYTES);
        hearing.spawn_scoped(scope, move || {
            while let Ok(Some(_)) = orders.next() {}
            stopper.stop();
        })?;
        let mut running = Vec::new();
        for (flow, run, own) in ready {
            let watch = Watch {
                clock,
                stop: [stop.clone(), own],
            };
            let run = move || match run(&watch) {
                Ok(report) => tell(output, &Message::Report { flow, report }),
                // The end that failed has said why.
                Err(_) if watch.stop[1].is_said() => Ok(()),
                Err(error) => fault(output, flow, &error),
            };
            let named = thread::Builder::new().stack_size(STACK_BYTES);
            // A thread that cannot report says nothing: whoever reads the output sees it end.
            running.push(named.spawn_scoped(scope, move || drop(run()))?);
        }
        // A thread that panicked reports nothing, and its flow has the report of its other end only.
        running.into_iter().for_each(|thread| drop(thread.join()));
        tell(output, &Message::Done)
    })?;
    Ok(())
}

/// The orders that follow the job.
struct Orders<'a, I, O> {
    input: I,
    output: &'a Mutex<O>,
    stoppers: BTreeMap<usize, Stopper>,
}

impl<I: BufRead, O: Write> Orders<'_, I, O> {
    /// Carries out the next order, as far as it is not one to start; none at the end of the input.
    fn next(&mut self) -> Result<Option<Order>, ServeError> {
        let Some(line) = protocol::hear(&mut self.input)? else {
            return Ok(None);
        };
        let heard_ns = sys::monotonic_ns();
        let order = protocol::understand(&line).map_err(ServeError::Order)?;
        match order {
            Order::Stamp(number) => {
                let mut output = locked(self.output);
                let stamp = Message::Stamp {
                    number,
                    heard_ns,
                    answered_ns: sys::monotonic_ns(),
                };
                protocol::say(&mut *output, &stamp)?;
            }
            Order::End { flow } => {
                if let Some(own) = self.stoppers.get(&flow) {
                    own.stop();
                }
            }
            Order::Start { .. } => {}
        }
        Ok(Some(order))
    }
}

/// Lets this process have as many descriptors as it may: a test of many streams needs thousands.
fn raise_descriptor_limit() -> nix::Result<()> {
    let (_, most) = getrlimit(Resource::RLIMIT_NOFILE)?;
    setrlimit(Resource::RLIMIT_NOFILE, most, most)
}

fn locked<O>(output: &Mutex<O>) -> MutexGuard<'_, O> {
    match output.lock() {
        Ok(output) => output,
        Err(poisoned) => poisoned.into_inner(),
    }
}

fn tell(output: &Mutex<impl Write>, message: &Message) -> io::Result<()> {
    protocol::say(&mut *locked(output), message)
}

fn fault(output: &Mutex<impl Write>, flow: usize, error: &TaskError) -> io::Result<()> {
    let fault = error.to_string();
    let flow = Some(flow);
    tell(output, &Message::Fault { flow, fault })
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
            "{\"schema\": \"farpath.probe/4\"}",
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
        let job = "{\"schema\": \"farpath.probe/4\", \"host\": \"a\", \"tasks\": []}\n\
                   {\"stamp\": 3}\n{\"start\": {\"zero_ns\": 17}}\n{\"end\": {\"flow\": 5}}\n";
        let (result, output) = told(job);
        assert!(result.is_ok(), "{result:?}");
        let said: Vec<Message> = output
            .lines()
            .map(|line| protocol::understand(line).expect("a message"))
            .collect();
        let (clock, system) = (Some(ClockName::own()), sys::system());
        assert_eq!(said[0], Message::Ready { clock, system });
        let is_stamp = |m: &Message| matches!(m, Message::Stamp { number: 3, heard_ns, answered_ns } if heard_ns <= answered_ns);
        assert!(is_stamp(&said[1]), "{said:?}");
        assert_eq!(said[2..], [Message::Done]);
    }

    #[test]
    fn a_job_that_is_never_started_is_an_error() {
        let job = "{\"schema\": \"farpath.probe/4\", \"host\": \"a\", \"tasks\": []}\n";
        assert!(matches!(told(job).0, Err(ServeError::NoStart)));
    }
}
