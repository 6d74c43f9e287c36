//! Who does a host's part of a run, and how the conductor talks to them.
//!
//! [`Ours`] is a program of ours at the other end of a pipe or another transport, [`Process`] one that is started
//! here. Others do their part by themselves: [`Echo`] and [`Iperf3Server`] take no orders and report
//! nothing. A new kind of peer is one file beside theirs.

mod echo;
mod iperf3;
mod ours;

use std::io;
use std::sync::mpsc::Sender;

use crate::job::{HostJob, Work};
use crate::protocol::{Message, Order};
use crate::report::Report;
use crate::sys;

pub use echo::Echo;
pub use iperf3::Iperf3Server;
pub use ours::{Ours, Process};

/// Who does what a host does in a run. Dropping it ends whatever it does still.
pub trait Peer: Send {
    /// Hands over the job. Everything the peer says from now on goes to `told`: first [`Message::Ready`], last
    /// [`Message::Done`].
    ///
    /// # Errors
    /// When the peer cannot be reached, or cannot do the job.
    fn begin(&mut self, job: &HostJob, told: Told) -> Result<(), PeerError>;

    /// Hands over an order. Peers that take none ignore it.
    ///
    /// # Errors
    /// When the peer cannot be reached.
    fn order(&mut self, _order: &Order) -> io::Result<()> {
        Ok(())
    }

    /// Nothing more is ordered: it ends, and reports the results so far.
    fn close(&mut self) {}
}

/// Why a peer does not do its job.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PeerError {
    /// It cannot be reached.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is not a program of ours, and does this one thing only.
    #[error("it {does} and does nothing else: flow {flow} needs a program of ours there")]
    Unable {
        /// What it does.
        does: &'static str,
        /// The flow of which it is to be an end.
        flow: usize,
    },
}

/// Where a peer's words go; cheap to clone.
#[derive(Clone, Debug)]
pub struct Told {
    host: String,
    to: Sender<Heard>,
}

/// What a host said.
#[derive(Debug)]
pub(crate) struct Heard {
    pub(crate) host: String,
    /// CLOCK_MONOTONIC of this process when it was heard.
    pub(crate) at_ns: u64,
    pub(crate) word: Word,
}

/// A word of a host.
#[derive(Debug)]
pub(crate) enum Word {
    Message(Box<Message>),
    /// What is none, and why.
    Strange(String),
    /// It says no more.
    End,
}

impl Told {
    pub(crate) fn new(host: &str, to: Sender<Heard>) -> Told {
        Told {
            host: host.to_owned(),
            to,
        }
    }

    /// The peer says this. `false` when nobody listens any more.
    pub fn message(&self, message: Message) -> bool {
        self.word(sys::monotonic_ns(), Word::Message(Box::new(message)))
    }

    pub(crate) fn word(&self, at_ns: u64, word: Word) -> bool {
        let host = self.host.clone();
        self.to.send(Heard { host, at_ns, word }).is_ok()
    }
}

/// The job of a peer that does its part by itself: what it `does` is known of each task, or it is not done.
fn by_itself(
    job: &HostJob,
    told: &Told,
    does: &'static str,
    report: fn(&Work) -> Option<Report>,
) -> Result<(), PeerError> {
    let mut reports = Vec::new();
    for task in job.tasks() {
        let flow = task.flow;
        let report = report(&task.work).ok_or(PeerError::Unable { does, flow })?;
        reports.push(Message::Report { flow, report });
    }
    told.message(Message::Ready {
        clock: None,
        system: None,
    });
    reports.into_iter().for_each(|r| _ = told.message(r));
    told.message(Message::Done);
    Ok(())
}
