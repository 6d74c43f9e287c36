//! A program of ours: [`crate::serve`] at the other end of a transport.

use std::fmt;
use std::io::{self, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;

use super::{Peer, PeerError, Told, Word};
use crate::job::HostJob;
use crate::protocol::{self, Message, Order};
use crate::sys;

/// A program of ours that reads what is written to `W` and writes what is read from `R`. Dropping `W` must end its
/// input: that is how it hears that everything ends.
pub struct Ours<R, W> {
    from: Option<R>,
    to: Option<W>,
}

impl<R, W> fmt::Debug for Ours<R, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ours").finish_non_exhaustive()
    }
}

impl<R, W> Ours<R, W> {
    /// The program at the other ends of these.
    pub fn new(from: R, to: W) -> Ours<R, W> {
        Ours {
            from: Some(from),
            to: Some(to),
        }
    }
}

impl<R: Read + Send + 'static, W: Write + Send> Peer for Ours<R, W> {
    fn begin(&mut self, job: &HostJob, told: Told) -> Result<(), PeerError> {
        if let Some(from) = self.from.take() {
            // It ends with the program it listens to.
            drop(thread::Builder::new().spawn(move || listen(from, &told))?);
        }
        let Some(to) = &mut self.to else {
            return Err(ended().into());
        };
        Ok(protocol::say(to, job)?)
    }

    fn order(&mut self, order: &Order) -> io::Result<()> {
        protocol::say(self.to.as_mut().ok_or_else(ended)?, order)
    }

    fn close(&mut self) {
        self.to = None;
    }
}

fn ended() -> io::Error {
    io::ErrorKind::BrokenPipe.into()
}

/// Passes on what a program says until it says no more.
fn listen(from: impl Read, told: &Told) {
    let mut from = BufReader::new(from);
    loop {
        let line = protocol::hear(&mut from);
        let at_ns = sys::monotonic_ns();
        let message = match line {
            Ok(None) => break,
            Ok(Some(line)) => protocol::understand::<Message>(&line),
            Err(error) => Err(error.to_string()),
        };
        let strange = message.is_err();
        let word = message.map_or_else(Word::Strange, |m| Word::Message(Box::new(m)));
        // Who no longer listens has ended the run.
        if !told.word(at_ns, word) || strange {
            break;
        }
    }
    told.word(sys::monotonic_ns(), Word::End);
}

/// A program of ours in a process started here, on its standard input and output. It is killed when this is dropped.
#[derive(Debug)]
pub struct Process {
    child: Child,
    ours: Ours<ChildStdout, ChildStdin>,
}

impl Process {
    /// Starts `command`, which runs [`crate::serve`] on its standard input and output: on this machine, or by way of
    /// `ssh` on another.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(mut command: Command) -> io::Result<Process> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let ours = Ours {
            from: child.stdout.take(),
            to: child.stdin.take(),
        };
        Ok(Process { child, ours })
    }
}

impl Peer for Process {
    fn begin(&mut self, job: &HostJob, told: Told) -> Result<(), PeerError> {
        self.ours.begin(job, told)
    }

    fn order(&mut self, order: &Order) -> io::Result<()> {
        self.ours.order(order)
    }

    fn close(&mut self) {
        self.ours.close();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.close();
        // Who has ended already cannot be killed any more.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
