//! What limited a connection, beside the words of records.

use std::collections::BTreeMap;

use farpath_observe::Limit;

use super::sender::SENDERS;

/// What limited a connection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Cause {
    Limit(Limit),
    /// It was the server's own turn: it had a request, and had not answered yet. A part of the application's time, and its name.
    Asked,
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
            Cause::Asked => Limit::Application.name(),
            Cause::Other => "other_side",
            Cause::Way | Cause::Ways(_) => "on_the_way",
            Cause::SetUp => "set_up",
            Cause::Timers => Limit::Loss.name(),
            Cause::Queries(_) => "udp_queries",
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
