//! What limited a connection, beside the words of records.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use farpath_observe::Limit;

use super::seen::name_of;
use super::sender::SENDERS;

/// What limited a connection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Cause {
    Limit(Limit),
    /// It was the server's own turn: it had a request, and had not answered yet. A part of the application's time, and its name.
    Asked,
    /// Neither side had asked for anything, and pings alone were sent. A part of the application's time as well.
    Quiet,
    /// It was the other side's turn to send.
    Other,
    /// A request or an answer was on the way.
    Way,
    /// So many segments of requests and answers were on the way at a time, more than one.
    Ways(u32),
    /// The connection was being set up.
    SetUp,
    /// An end waited for its timer to send again what was lost of a request or an answer.
    Timers,
    /// The host that has this number waited for answers to queries over UDP, and not for this connection.
    Queries(usize),
    /// The host that has this number waited for other connections, which it had opened: to one end, or to several.
    Errand {
        host: usize,
        to: Option<SocketAddr>,
    },
    /// What the other side sends, and this one waited for, filled a link.
    Asking,
    /// A small write of the host that has this number waited for an acknowledgement.
    Held(usize),
    /// The way back was full, and acknowledgements waited for it.
    Back,
    /// Nothing came through because the path had been down: also while the sender waited for its timer.
    Down,
}

impl Cause {
    /// Whether it is the congestion window.
    pub(super) fn is_window(self) -> bool {
        matches!(
            self,
            Cause::Limit(Limit::CwndSlowStart | Limit::CwndRecovery)
        )
    }

    /// Whether it waited for the path, or for its timers to send again what the path had dropped.
    pub(super) fn is_way(self) -> bool {
        matches!(
            self,
            Cause::Way | Cause::Ways(_) | Cause::SetUp | Cause::Timers
        )
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Cause::Limit(limit) => limit.name(),
            Cause::Asked | Cause::Quiet => Limit::Application.name(),
            Cause::Other => "other_side",
            Cause::Way | Cause::Ways(_) => "on_the_way",
            Cause::SetUp => "set_up",
            Cause::Timers => Limit::Loss.name(),
            Cause::Queries(_) => "udp_queries",
            Cause::Errand { .. } => "other_connections",
            Cause::Held(_) => "small_writes",
            Cause::Back | Cause::Asking => "way_back",
            Cause::Down => "path_down",
        }
    }
}

/// That the host of this number waited for answers over UDP, for a share of the time in words.
pub(super) fn elsewhere(host: usize, percent: &str) -> String {
    let who = SENDERS[host];
    format!("{who} waited for answers to queries over UDP {percent}")
}

/// That the host of this number waited for other connections, which it had opened to one end or to several, for a share of the time in words.
pub(super) fn errand(host: usize, to: Option<SocketAddr>, percent: &str) -> String {
    let who = SENDERS[host];
    match to {
        Some(to) => format!(
            "{who} waited {percent} for another connection of its own, to {}",
            name_of(to)
        ),
        None => format!("{who} waited {percent} for other connections of its own"),
    }
}

/// That neither side asked for anything but pings, for a share of the time in words.
pub(super) fn quiet(percent: &str) -> String {
    format!("neither side asked for anything {percent}: pings alone were sent")
}

/// Adds to the share of a cause; the largest is first again.
pub(super) fn add(causes: &mut Vec<(Cause, f64)>, cause: Cause, share: f64) {
    match causes.iter_mut().find(|c| c.0 == cause) {
        Some((_, known)) => *known += share,
        None => causes.push((cause, share)),
    }
    causes.retain(|(_, share)| *share > 0.0);
    causes.sort_by(|a, b| b.1.total_cmp(&a.1));
}

/// The shares by the names of their causes.
pub(super) fn named(causes: impl Iterator<Item = (Cause, f64)>) -> BTreeMap<&'static str, f64> {
    let mut all = BTreeMap::new();
    for (cause, share) in causes.filter(|(_, share)| *share > 0.0) {
        *all.entry(cause.name()).or_default() += share;
    }
    all
}

/// To a reader losses and a window that they have cut are one cause; the largest is first again.
pub(super) fn join_losses(causes: &mut Vec<(Cause, f64)>) {
    let [loss, cut] = [Limit::Loss, Limit::CwndRecovery].map(Cause::Limit);
    let share = |cause| causes.iter().find(|c| c.0 == cause).map(|c| c.1);
    if let (Some(loss_share), Some(_)) = (share(loss), share(cut)) {
        causes.retain(|c| c.0 != loss);
        let cut = causes.iter_mut().find(|c| c.0 == cut);
        cut.into_iter().for_each(|c| c.1 += loss_share);
        causes.sort_by(|a, b| b.1.total_cmp(&a.1));
    }
}

/// Takes up to this share out of some causes, of each in proportion; how much that is.
pub(super) fn take(causes: &mut [(Cause, f64)], some: impl Fn(Cause) -> bool, wanted: f64) -> f64 {
    let there: f64 = causes.iter().filter(|c| some(c.0)).map(|c| c.1).sum();
    let taken = wanted.min(there).max(0.0);
    let part = taken / there.max(f64::MIN_POSITIVE);
    let some = causes.iter_mut().filter(|c| some(c.0));
    some.for_each(|c| c.1 -= part * c.1);
    taken
}

/// Takes two shares out of that in which there was nothing to send, in proportion where it is less than both.
pub(super) fn take_idle(causes: &mut [(Cause, f64)], [a, b]: [f64; 2]) -> [f64; 2] {
    let idle = |c: &&mut (Cause, f64)| c.0 == Cause::Limit(Limit::Application);
    match causes.iter_mut().find(idle) {
        Some((_, idle)) if a + b > 0.0 => {
            let part = (*idle / (a + b)).min(1.0);
            *idle = (*idle - part * (a + b)).max(0.0);
            [part * a, part * b]
        }
        _ => [0.0; 2],
    }
}
