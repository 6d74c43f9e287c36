//! Sockets that repeat what they sent, again and again, while nothing is acknowledged.

use crate::cause::Cause;
use crate::evidence::{Evidence, NS};
use crate::fact::{Figure, Of};
use crate::flow::{Flow, number};
use crate::items::{Item, LOSSES, of, step};
use crate::read::Facts;
use crate::segments::HEADERS;

/// A sender's socket whose timer ran out again and again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stuck {
    /// How often its timer was doubled since anything was acknowledged.
    backoff: f64,
    /// Segments that it takes for lost.
    lost: f64,
    /// Whether more than a segment of its life was acknowledged.
    moved: bool,
    /// Whether pings to its peer pass.
    pings: bool,
    /// How long nothing was acknowledged, seconds, where its kernel says it.
    silent_s: Option<f64>,
}

/// A timer that was doubled so often met more than one loss by chance.
const DOUBLED: f64 = 2.0;

/// Whether a socket repeats segments and hears nothing.
pub(crate) fn is_stuck(facts: &Facts, socket: u32) -> bool {
    let get = |name| number(facts, Of::Socket(socket), name).map_or(0.0, |f| f.value);
    let lost = get("lost_segments");
    get("backoff") >= DOUBLED && lost > 0.0 && lost >= 0.5 * get("unacked_segments")
}

impl Stuck {
    /// The stuck socket of a flow's sender whose timer was doubled most; none where its sockets move.
    pub(crate) fn of(facts: &Facts, flow: &Flow, mss: f64) -> Option<Stuck> {
        let get = |s: u32, name| number(facts, Of::Socket(s), name).map_or(0.0, |f| f.value);
        let all = flow.sockets.iter().copied();
        let stuck = all.filter(|s| is_stuck(facts, *s));
        let most = stuck.max_by(|a, b| get(*a, "backoff").total_cmp(&get(*b, "backoff")))?;
        let sum = |name| facts.along(flow, name).map(|f| f.value).sum::<f64>();
        let [sent, received] = ["ping_sent", "ping_received"].map(sum);
        Some(Stuck {
            backoff: get(most, "backoff"),
            lost: get(most, "lost_segments"),
            moved: get(most, "bytes_acked") > mss,
            pings: received > 0.0 && received >= 0.9 * sent,
            silent_s: Some(get(most, "silent_ns") * NS).filter(|s| *s > 0.0),
        })
    }

    /// How long nothing was acknowledged, in words; empty where nobody says it.
    fn silence(&self) -> String {
        match self.silent_s {
            Some(s) if s >= 10.0 => format!(" for {s:.0} s"),
            Some(s) => format!(" for {s:.1} s"),
            None => String::new(),
        }
    }

    /// Whether nothing tells a hole for large packets from a path that is down.
    pub(crate) fn may_be_down(&self) -> bool {
        !self.pings
    }
}

/// What else holds connections that move.
const OTHERS: [Cause; 8] = [
    Cause::Application,
    Cause::Ramp,
    Cause::ReceiveWindow,
    Cause::NoWindowScaling,
    Cause::SendBuffer,
    Cause::Client,
    Cause::Pacing,
    Cause::Link,
];

/// Repetitions that are never acknowledged: all that is large is lost, or all.
pub(crate) fn by_stuck(e: &Evidence, items: &mut Vec<Item>) {
    let Some(stuck) = &e.stuck else { return };
    let weight = if stuck.pings { 40.0 } else { 26.0 };
    let or = match (stuck.pings, stuck.moved) {
        (true, _) => "small pings pass: what is large does not",
        (false, true) => "the path is down, or carries nothing large any more",
        (false, false) => "the path is down, or carries nothing large",
    };
    let hole = vec![(Cause::MtuBlackHole, weight)];
    items.push(Item {
        holds: step(stuck.backoff, 0.0, 3.0) * if stuck.moved { 0.7 } else { 1.0 },
        weights: [of(&LOSSES, -14.0), of(&OTHERS, -20.0), hole].concat(),
        sentence: format!(
            "the sender's timer was doubled {:.0} times, {:.0} segments are lost and {} is acknowledged{}: {or}",
            stuck.backoff,
            stuck.lost,
            if stuck.moved { "nothing more" } else { "nothing" },
            stuck.silence()
        ),
    });
}

/// Most that is said of a hole where a path that is down would look the same.
const OR_DOWN: f64 = 0.6;

impl Evidence {
    /// How long nothing of this flow was acknowledged, seconds: its socket is stalled, and every rate that it names is an old one.
    pub(crate) fn stalled_s(&self) -> Option<f64> {
        self.stuck.as_ref()?.silent_s
    }

    /// Whether pings prove a hole for packets that are as large as those of a sender that hangs.
    pub(crate) fn is_proven_hole(&self) -> bool {
        self.stuck.is_some()
            && self
                .large_lost
                .as_ref()
                .is_some_and(|l| self.is_as_large(l))
    }

    /// Whether the connection's packets are as large as such of which all are lost.
    pub(crate) fn is_as_large(&self, lost: &Figure) -> bool {
        self.mss + HEADERS >= lost.low
    }

    /// The most that is said of a hole for large packets.
    pub(crate) fn hole_at_most(&self) -> f64 {
        let shown = self.large_lost.is_some() || self.swallowed.is_some();
        let open = self.stuck.as_ref().is_some_and(Stuck::may_be_down) || self.unanswered;
        if open && !shown { OR_DOWN } else { 1.0 }
    }

    /// Whether something hangs, and no ping of large packets says why.
    pub(crate) fn hangs_unexplained(&self) -> bool {
        (self.stuck.is_some() || self.unanswered) && self.large_lost.is_none()
    }
}
