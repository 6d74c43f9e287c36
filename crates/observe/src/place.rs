//! Where and when a test is measured, and what its packets have in common with others'.

use farpath_units::Duration;

use crate::shared_time::{Window, apart};
use crate::span::Span;

/// Where and when a test is measured.
#[derive(Clone, Debug, Default)]
pub struct Place<'a> {
    /// The group whose tests are compared.
    pub group: Option<&'a str>,
    /// When.
    pub span: Span,
    /// The narrowest links that the data of its connections cross, by direction; empty of other kinds.
    pub narrowest: Vec<String>,
    /// What its frames there wait in, where a scheduler serves several queues: tests with different ones have the shares that it gives.
    pub queue: String,
    /// Each of its connections has a queue of its own there, as FQ-CoDel gives.
    pub by_flow: bool,
    /// Its frames meet jitter somewhere on their way.
    pub jittered: bool,
    /// Its windows follow a model of the path, and losses do not cut them.
    pub by_model: bool,
    /// The scenario names what its way loses, frame by frame or by an event: they are not chance.
    pub named_losses: bool,
    /// Payload that its path carries, bit/s, where that is the same all the time.
    pub line_bps: Option<f64>,
    /// Queues took more than half of what was dropped on its way, by the counters of the links.
    pub queues_took: bool,
    /// Of each link on its way, in order, as [`crate::Path::queue_lost`] has it; empty where only real hosts were.
    pub queue_lost: Vec<(String, f64)>,
    /// What its packets have in common with others that come at the same phase of a queue; none where that is managed, or something is random.
    pub in_step: Option<InStep>,
}

/// What puts the packets of senders in step: nothing on their way is random.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InStep {
    /// What it sends by.
    pub sends: Sends,
    /// Propagation there and back.
    pub round: Duration,
    /// Each queue on the way there that drops from its tail, in order.
    pub queues: Vec<TailQueue>,
    /// Each of those is one plain queue for all frames, at one rate in the whole run, and the test sends all the time: it drops of
    /// all such senders alike.
    pub takes_alike: bool,
}

/// What a test's packets are sent by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sends {
    /// Windows of connections: the first test of the scenario that has the same congestion control, by its number.
    Windows(usize),
    /// Its own clock: payload of each datagram in bytes.
    Datagrams(u32),
}

/// A queue that drops from its tail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TailQueue {
    /// The link and direction that it is before, as [`crate::Hop::name`] has it.
    pub name: String,
    /// The link over which the test's packets come to it; none at a host's own.
    pub before: Option<String>,
    /// How long a full packet of the test takes on that link.
    pub packet: Duration,
}

/// Connections that share a link have settled on their shares after as many loss events: each cuts all windows, and so what
/// lies between two (Chiu and Jain 1989). CUBIC leaves 0.7 of it each time, 3 % after ten; Reno half, 0.1 %.
pub(crate) const SETTLED: f64 = 10.0;

/// Whether tests are measured at the same time, if in part.
pub(crate) fn overlap(spans: [&Span; 2]) -> bool {
    let [a, b] = spans.map(|s| s.duration.map(|d| (s.from(), s.from() + d)));
    a.zip(b).is_some_and(|(a, b)| a.0 < b.1 && b.0 < a.1)
}

/// How far the measurements of tests lie apart, in seconds, at their starts or their ends, where it is more than a little.
pub(crate) fn windows_apart<'a>(spans: impl Iterator<Item = &'a Span>) -> Option<f64> {
    let windows: Vec<Window> = spans
        .filter_map(|s| Some((s.from(), s.from() + s.duration?)))
        .collect();
    apart(&windows)
}
