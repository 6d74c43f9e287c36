//! Classes, schedulers and queue management of one direction of a link.

use farpath_element::qdisc::{AqmConfig, CodelConfig, Transport};
use farpath_units::{Rate, Ratio, Size};

use super::QueueLimit;

/// Queues that share a transmitter.
#[derive(Clone, Debug, PartialEq)]
pub struct Queueing {
    /// How they take turns.
    pub scheduler: Scheduler,
    /// Bytes that may wait in all of them together.
    pub memory: Option<Size>,
    /// At least one; a single one called `all` where the link has no classes.
    pub classes: Vec<Class>,
    /// A queue for each flow in place of one for each class.
    pub fq_codel: Option<FqCodel>,
    /// What holds frames back.
    pub shape: Option<Shape>,
}

/// How queues take turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheduler {
    /// Weighted round robin by bytes.
    Wrr {
        /// Bytes a round gives for a weight of 1.
        unit: u32,
        /// Whether a queue owes what its last frame took too much.
        carry: bool,
    },
    /// Deficit round robin.
    Drr,
    /// The first class that has frames.
    Strict,
}

/// A class of frames and its queue.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// Its name.
    pub name: String,
    /// The frames in it; none: those of no other class.
    pub matches: Vec<Match>,
    /// Its part of the link.
    pub sharing: Sharing,
    /// What may wait in it.
    pub limit: ClassLimit,
    /// What manages its queue.
    pub aqm: Option<AqmConfig>,
    /// Where that is RED, for frames of no rule.
    pub curve: Option<RedCurve>,
    /// Rules for some of its frames.
    pub drops: Vec<DropRule>,
}

/// A shaper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Rate at which its bucket fills.
    pub rate: Rate,
    /// Bytes the bucket holds; a full frame if absent.
    pub burst: Option<Size>,
}

/// What a class knows its frames by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Match {
    /// Datagrams of a DSCP.
    Dscp(u8),
    /// Labelled frames of a traffic class.
    Exp(u8),
    /// Datagrams of a transport protocol.
    Protocol(Protocol),
    /// Datagrams of a test.
    Test(String),
}

impl Match {
    /// Of `rules` the first that know a datagram of a test, a transport and a DSCP, each with what by: by these in their order, of a
    /// labelled one by its traffic class alone. So the elements know frames.
    pub(crate) fn known_by<R: AsRef<[Match]>>(
        rules: &[R],
        (test, protocol, dscp): (&str, Protocol, u8),
        labelled: bool,
    ) -> Vec<(usize, Match)> {
        let first = |what: Match| {
            let rule = rules.iter().position(|r| r.as_ref().contains(&what))?;
            Some((rule, what))
        };
        if labelled {
            // A label's traffic class is a copy of the precedence, unless a rule names it.
            let copied = || first(Match::Dscp(dscp & !7));
            let known = first(Match::Exp(dscp >> 3)).or_else(copied);
            return known.into_iter().collect();
        }
        let by = [
            Match::Test(test.to_owned()),
            Match::Protocol(protocol),
            Match::Dscp(dscp),
        ];
        by.into_iter().filter_map(first).collect()
    }
}

/// A transport protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Protocol {
    /// TCP.
    Tcp,
    /// UDP.
    Udp,
    /// ICMP.
    Icmp,
}

impl Protocol {
    /// As the elements know it.
    pub fn transport(self) -> Transport {
        match self {
            Protocol::Tcp => Transport::Tcp,
            Protocol::Udp => Transport::Udp,
            Protocol::Icmp => Transport::Icmp,
        }
    }
}

/// A class's part of the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// Before all that have a weight, in order.
    Priority,
    /// In proportion to the weights of the others that have frames.
    Weight(u32),
}

/// What may wait in a class's queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ClassLimit {
    /// So much.
    Own(QueueLimit),
    /// Whatever the memory holds.
    Memory,
    /// A part of the memory.
    MemoryShare(Ratio),
}

/// Flow queueing with controlled delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FqCodel {
    /// Queues that flows are hashed to.
    pub flows: u16,
    /// Bytes of a turn; a full frame if absent.
    pub quantum: Option<u32>,
    /// Frames that may wait.
    pub packets: u64,
    /// Bytes that may wait.
    pub memory: Size,
    /// The controller of each queue.
    pub codel: CodelConfig,
}

/// Which frames RED drops that no rule is for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RedCurve {
    /// Mean queue below which nothing is dropped.
    pub min: QueueLimit,
    /// Mean queue at which `max_p` is reached.
    pub max: QueueLimit,
    /// Probability of a drop just below `max`.
    pub max_p: Ratio,
}

/// A drop rule of some of a class's frames; parts of the queue's limit.
#[derive(Clone, Debug, PartialEq)]
pub struct DropRule {
    /// The frames.
    pub matches: Vec<Match>,
    /// They do not fill the queue further than this.
    pub above: Option<Ratio>,
    /// Their own `min`, `max` and `max_p` of the class's RED.
    pub curve: Option<(Ratio, Ratio, Ratio)>,
}
