//! Starts a process on every host, lets them begin together, and brings together what they tell.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use crate::planned::Planned;
use crate::report::{Message, Results};

/// Why a run on real hosts came to nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConductorError {
    /// The process of a host could not be started or told its job.
    #[error("start the measuring process on `{host}`: {source}")]
    Start {
        /// The host.
        host: String,
        /// Why.
        source: std::io::Error,
    },
    /// It ended, or said nothing, before its sockets were there.
    #[error("the measuring process on `{host}` {what}")]
    NotReady {
        /// The host.
        host: String,
        /// What it did.
        what: String,
    },
}

/// What a host said, or that it says no more.
type Said = (String, Option<Result<Message, String>>);

struct Host {
    child: Child,
    input: Option<ChildStdin>,
}

/// The processes of a run.
pub struct Conductor {
    hosts: BTreeMap<String, Host>,
    said: Receiver<Said>,
    results: Results,
    /// Hosts that have not said that they are done.
    open: usize,
    /// Flows that failed, where they did, and of which the other end does not know.
    failed: Vec<(String, usize)>,
    started: bool,
}

impl Conductor {
    /// Starts a process on every host that has a job and waits, `patience` long, until all their
    /// sockets are there. `command` makes the command that runs [`crate::serve`] on a host; its
    /// standard input and output are set here.
    ///
    /// # Errors
    /// When a process cannot be started, or ends before it is ready.
    pub fn prepare(
        planned: &Planned,
        mut command: impl FnMut(&str) -> Command,
        patience: Duration,
    ) -> Result<Conductor, ConductorError> {
        let (tell, said) = channel();
        let mut conductor = Conductor {
            hosts: BTreeMap::new(),
            said,
            results: Results::default(),
            open: planned.jobs.hosts().len(),
            failed: Vec::new(),
            started: false,
        };
        for (name, job) in planned.jobs.hosts() {
            let start = |source| ConductorError::Start {
                host: name.clone(),
                source,
            };
            let mut command = command(name);
            command.stdin(Stdio::piped()).stdout(Stdio::piped());
            let mut child = command.spawn().map_err(start)?;
            let (input, output) = (child.stdin.take(), child.stdout.take());
            conductor.hosts.insert(name.clone(), Host { child, input });
            listen(name, output, tell.clone()).map_err(start)?;
            let text = serde_json::to_string(job).map_err(|e| start(e.into()))?;
            conductor.tell(name, &text).map_err(start)?;
        }
        drop(tell);
        conductor.wait_ready(patience)?;
        Ok(conductor)
    }

    fn tell(&mut self, host: &str, text: &str) -> std::io::Result<()> {
        let input = self.hosts.get_mut(host).and_then(|h| h.input.as_mut());
        input.map_or(Ok(()), |input| writeln!(input, "{text}"))
    }

    fn wait_ready(&mut self, patience: Duration) -> Result<(), ConductorError> {
        let mut waiting: Vec<String> = self.hosts.keys().cloned().collect();
        while let Some(first) = waiting.first() {
            let not_ready = |host: &str, what: &str| ConductorError::NotReady {
                host: host.to_owned(),
                what: what.to_owned(),
            };
            let (host, said) = match self.said.recv_timeout(patience) {
                Ok(said) => said,
                Err(RecvTimeoutError::Timeout) => {
                    return Err(not_ready(first, "did not become ready in time"));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(not_ready(first, "ended before it was ready"));
                }
            };
            match said {
                Some(Ok(Message::Ready)) => waiting.retain(|name| *name != host),
                Some(Ok(said)) => self.hear(&host, Some(Ok(said))),
                Some(Err(strange)) => return Err(not_ready(&host, &format!("said: {strange}"))),
                None => return Err(not_ready(&host, "ended before it was ready")),
            }
        }
        Ok(())
    }

    /// Says when the run's time zero is: what CLOCK_MONOTONIC shows then, in nanoseconds.
    ///
    /// # Errors
    /// When a process is no longer there.
    pub fn start(&mut self, zero_ns: u64) -> Result<(), ConductorError> {
        let names: Vec<String> = self.hosts.keys().cloned().collect();
        for host in names {
            let result = self.tell(&host, &zero_ns.to_string());
            result.map_err(|source| ConductorError::Start { host, source })?;
        }
        self.started = true;
        self.end_failed();
        Ok(())
    }

    /// Tells the other hosts of failed flows: nobody waits for who does not come.
    fn end_failed(&mut self) {
        if !self.started {
            return;
        }
        for (failed, flow) in std::mem::take(&mut self.failed) {
            let others: Vec<String> = self
                .hosts
                .keys()
                .filter(|h| **h != failed)
                .cloned()
                .collect();
            for host in others {
                // Who cannot hear it has ended.
                drop(self.tell(&host, &flow.to_string()));
            }
        }
    }

    /// Takes in what the hosts say, for `patience` at most; whether they have said everything.
    pub fn listen(&mut self, patience: Duration) -> bool {
        while self.open > 0 {
            match self.said.recv_timeout(patience) {
                Ok((host, said)) => self.hear(&host, said),
                Err(RecvTimeoutError::Timeout) => return false,
                Err(RecvTimeoutError::Disconnected) => self.open = 0,
            }
        }
        true
    }

    fn hear(&mut self, host: &str, said: Option<Result<Message, String>>) {
        match said {
            Some(Ok(Message::Report { flow, report })) => {
                self.results.reports.entry(flow).or_default().push(report);
            }
            Some(Ok(Message::Fault { flow, fault })) => {
                let fault = format!("`{host}`: {fault}");
                self.results.faults.push((flow, fault));
                if let Some(flow) = flow {
                    self.failed.push((host.to_owned(), flow));
                    self.end_failed();
                }
            }
            Some(Ok(Message::Ready)) => {}
            Some(Ok(Message::Done)) => {
                self.open -= 1;
                if let Some(host) = self.hosts.get_mut(host) {
                    host.input = None;
                }
            }
            Some(Err(strange)) => {
                let fault = format!("`{host}` said: {strange}");
                self.results.faults.push((None, fault));
            }
            None => {
                let done = self.hosts.get(host).is_some_and(|h| h.input.is_none());
                if !done {
                    self.open -= 1;
                    let fault = format!("the measuring process on `{host}` ended early");
                    self.results.faults.push((None, fault));
                }
            }
        }
    }

    /// Tells the hosts to end now; they still say what there is so far, which is no longer valid.
    pub fn stop(&mut self) {
        if self.open > 0 {
            let fault = "the run was stopped before its end".to_owned();
            self.results.faults.push((None, fault));
        }
        for host in self.hosts.values_mut() {
            host.input = None;
        }
    }

    /// The results, once every process has ended; those that do not are killed.
    pub fn finish(mut self) -> Results {
        std::mem::take(&mut self.results)
    }
}

impl Drop for Conductor {
    fn drop(&mut self) {
        for host in self.hosts.values_mut() {
            host.input = None;
            // Whoever has ended already cannot be killed any more.
            drop(host.child.kill());
            drop(host.child.wait());
        }
    }
}

/// Hears what a host says, in a thread that ends with it.
fn listen(
    host: &str,
    output: Option<std::process::ChildStdout>,
    tell: Sender<Said>,
) -> std::io::Result<()> {
    let (host, Some(output)) = (host.to_owned(), output) else {
        return Ok(());
    };
    let run = move || {
        for line in BufReader::new(output).lines() {
            let said = line.map_err(|e| e.to_string()).and_then(|line| {
                serde_json::from_str(&line).map_err(|e| format!("{e}: {}", shorten(&line)))
            });
            let failed = said.is_err();
            // Who no longer listens has ended the run.
            if tell.send((host.clone(), Some(said))).is_err() || failed {
                break;
            }
        }
        drop(tell.send((host, None)));
    };
    thread::Builder::new().spawn(run).map(drop)
}

/// The beginning of a line that is no message.
fn shorten(line: &str) -> String {
    line.chars().take(200).collect()
}
