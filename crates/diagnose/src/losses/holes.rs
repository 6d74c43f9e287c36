//! What a path swallows: nothing that is sent again arrives, for a time or at all.

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::fact::Figure;
use crate::flows::flow::Flow;
use crate::items::{Item, LOSSES, of, step};
use crate::losses::segments::HEADERS;
use crate::read::Facts;
use crate::read::ping::WHOLE;

/// Who found a path MTU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MtuBy {
    /// A trace that came to its end.
    Trace,
    /// The host that sent pings knows it.
    Host,
    /// A router reported it to the host that sent pings: no more passes there.
    Router,
}

/// The smallest pings of which none was answered, bytes with their headers, while others were.
pub(crate) fn smallest_lost(facts: &Facts, flow: &Flow) -> Option<Figure> {
    let mut answers = facts.along(flow, "ping_received");
    let cut = facts.along(flow, "ping_answered_bytes").next().is_some();
    let answered = cut || answers.any(|n| n.value > 0.0);
    let lost = facts.along(flow, "ping_large_lost_bytes");
    let lost = lost.min_by(|a, b| a.value.total_cmp(&b.value)).cloned();
    lost.filter(|_| answered)
}

/// The smallest size of a flow's pings that their own host, or a router, refused with a word.
pub(crate) fn smallest_refused(facts: &Facts, flow: &Flow) -> Option<Figure> {
    let refused = facts.along(flow, "ping_refused_bytes");
    let least = refused.min_by(|a, b| a.value.total_cmp(&b.value));
    least.cloned()
}

/// The largest of a flow's pings that were answered and that no router might cut, bytes with their headers; 0 without any.
pub(crate) fn largest_whole(facts: &Facts, flow: &Flow) -> f64 {
    let sizes = facts.along(flow, WHOLE).map(|size| size.value);
    sizes.fold(0.0, libm::fmax)
}

/// What hosts begin a TTL with.
pub(crate) const FULL_TTLS: [u32; 3] = [64, 128, 255];

/// Whether answers to pings along a flow's path have a TTL that no router lowered: switches alone lie between its ends.
pub(crate) fn is_bridged(facts: &Facts, flow: &Flow) -> bool {
    let all = facts.reply_ttls.iter();
    let own = all.filter(|(.., of)| flow.pings.is_own(*of));
    let mut ttls = own.map(|(_, ttl, _)| ttl).peekable();
    ttls.peek().is_some() && ttls.all(|ttl| FULL_TTLS.contains(ttl))
}

/// Weighs what never arrived.
pub(crate) fn by_holes(e: &Evidence, items: &mut Vec<Item>) {
    swallowed(e, items);
    stalls(e, items);
    too_large(e, items);
    unanswered(e, items);
    crate::hosts::container_bridge::by_bridge(e, items);
    above_reported(e, items);
    crate::reach::stuck::by_stuck(e, items);
    crate::reach::firewall::by_firewall(e, items);
    crate::losses::after_full::by_after_full(e, items);
    discovered(e, items);
}

/// A path MTU that was found: what reports packets that are too large reaches this sender. Said where nothing was measured.
fn discovered(e: &Evidence, items: &mut Vec<Item>) {
    if let Some(mtu) = e.heeds_no_report() {
        unheeded(e, mtu, items);
        return;
    }
    let Some((mtu, by)) = e.found_mtu.as_ref().filter(|_| e.rate.is_none()) else {
        refused(e, items);
        return;
    };
    let how = match by {
        MtuBy::Trace => "a trace found it, so that path MTU discovery works in this direction",
        MtuBy::Router => {
            "a router on the way reports it to the host that sent the pings, so that path MTU discovery works in this direction"
        }
        MtuBy::Host => {
            "the host that sent the pings knows it, from its own interface or from a router, so that its packets are no larger"
        }
    };
    items.push(Item {
        holds: 1.0,
        weights: Vec::new(),
        sentence: format!(
            "the path MTU is {:.0} bytes{}: {how}; what is larger may still be lost without a word in the other one, if something hangs",
            mtu.value,
            match by {
                MtuBy::Router => " at most",
                MtuBy::Trace | MtuBy::Host => "",
            }
        ),
    });
}

/// So often a segment is sent again before that shows that its sender does not heed a report: one may be under way. A choice.
const UNHEEDED_LEAST: f64 = 2.0;

impl Evidence {
    /// The MTU that a router reports, bytes, where the sender goes on with packets that are larger.
    pub(crate) fn heeds_no_report(&self) -> Option<f64> {
        let (mtu, by) = self.found_mtu.as_ref()?;
        let unheeded = *by == MtuBy::Router && self.mtu_unheeded >= UNHEEDED_LEAST;
        unheeded.then_some(mtu.value)
    }
}

/// A router reports how much passes, and the same segment is sent again and again.
fn unheeded(e: &Evidence, mtu: f64, items: &mut Vec<Item>) {
    items.push(Item {
        holds: 1.0,
        weights: [of(&LOSSES, -20.0), vec![(Cause::MtuBlackHole, 50.0)]].concat(),
        sentence: format!(
            "a router on the way reports that packets of more than {mtu:.0} bytes do not pass (ICMP, fragmentation needed), and the same larger segment was sent again {:.0} times: its sender does not heed the report. A firewall of that host that drops ICMP keeps it from its kernel (RFC 1191)",
            e.mtu_unheeded
        ),
    });
}

/// What keeps a black hole from being it where pings were refused with a word, decibans. A choice.
const REFUSED: f64 = -10.0;

/// Pings that were too large, and were refused with a word: their host knows how large packets may be. Not where others were lost without one.
fn refused(e: &Evidence, items: &mut Vec<Item>) {
    if e.large_lost.is_some() || e.unanswered || e.stuck.is_some() {
        return;
    }
    let known = e.found_mtu.as_ref().filter(|(_, by)| *by != MtuBy::Trace);
    let sentence = match (known, &e.refused) {
        (Some((mtu, MtuBy::Router)), _) => format!(
            "the path MTU is {:.0} bytes at most, as a router on the way reports to the host of the pings: what is too large is reported in this direction, so that an MTU black hole would have to lie at a link that carries even less",
            mtu.value
        ),
        (Some((mtu, _)), _) => format!(
            "the path MTU is {:.0} bytes, and the host of the pings knows it, from its own interface or from a router: its packets are no larger, so that an MTU black hole would have to lie at a link that carries even less",
            mtu.value
        ),
        (None, Some(size)) => format!(
            "pings of {:.0} bytes were refused with a word, by their own host or by a router, and were not lost: what is too large is reported in this direction, so that an MTU black hole is not shown{}",
            size.value,
            e.mtu_bounds_in_words()
                .map_or_else(String::new, |said| format!("; {said}"))
        ),
        (None, None) => return,
    };
    items.push(Item {
        holds: 1.0,
        weights: vec![(Cause::MtuBlackHole, REFUSED)],
        sentence,
    });
}

/// A program was connected, asked, and got nothing: small packets pass, and what is full is lost; or the other program does not answer.
fn unanswered(e: &Evidence, items: &mut Vec<Item>) {
    let others = [
        Cause::Ramp,
        Cause::ReceiveWindow,
        Cause::NoWindowScaling,
        Cause::SendBuffer,
        Cause::Link,
    ];
    items.push(Item {
        holds: if e.unanswered { 1.0 } else { 0.0 },
        weights: [of(&LOSSES, -14.0), of(&others, -20.0), vec![(Cause::MtuBlackHole, 17.0), (Cause::Application, 6.0)]].concat(),
        sentence: "the connection was opened, and nothing of the answer came: it is lost, as it is larger than the question, or was never sent".to_owned(),
    });
}

/// Everything is sent again and again, and nothing of it arrives: what fills the path is larger than a link carries.
fn swallowed(e: &Evidence, items: &mut Vec<Item>) {
    let nothing = e.rate.as_ref().is_some_and(|r| r.value <= 0.0) && !e.udp;
    let again = e.retransmits.as_ref().map_or(0.0, |r| r.value);
    items.push(Item {
        holds: if nothing { step(again, 0.0, 2.0) } else { 0.0 },
        weights: [of(&LOSSES, -10.0), vec![(Cause::MtuBlackHole, 36.0)]].concat(),
        sentence: "the connection was opened, and nothing of what was sent again and again arrived"
            .to_owned(),
    });
}

/// What it is worth that a port is known which carries no packets so large, decibans: as much as unlike MTUs of both ends. A choice.
const LOCATED: f64 = 6.0;

/// What it is worth that a port whose MTU is below them counts frames as too large for it, decibans. A choice.
const GIANTS: f64 = 12.0;

/// Pings as large as the connection's segments are all lost, and smaller ones are answered.
fn too_large(e: &Evidence, items: &mut Vec<Item>) {
    let Some(lost) = e.large_lost.as_ref().filter(|_| !e.udp) else {
        return;
    };
    // Where nothing was measured it is said all the same.
    let rate = e.rate.as_ref().map_or(0.0, |r| r.value);
    let as_large = e.is_as_large(lost) || rate <= 0.0;
    let proven = e.is_proven_hole();
    let holds = if proven || e.hanging_segment() > 0.0 {
        1.0
    } else {
        1.0 - step(rate, 1e5, 2e6)
    };
    let port = e.around.ports.smaller_mtu(lost.value);
    let giants = e.around.ports.too_large(lost.value);
    let counted = giants.as_ref().map_or(0.0, |_| GIANTS);
    let besides = [port, giants, e.mtu_bounds_in_words()]
        .into_iter()
        .flatten();
    let besides: String = besides.map(|said| format!("; {said}")).collect();
    let located = match e.around.narrow_ports.is_empty() {
        true => 0.0,
        false => LOCATED,
    };
    items.push(Item {
        holds: if as_large { holds } else { 0.0 },
        weights: match proven {
            false => vec![(Cause::MtuBlackHole, 24.0 + located + counted)],
            true => [of(&LOSSES, -20.0), vec![(Cause::MtuBlackHole, 44.0)]].concat(),
        },
        sentence: format!(
            "pings of {} bytes are all lost, and smaller ones are answered: a link on the way carries no packets so large{besides}",
            match lost.low < lost.high {
                true => format!("{:.0} to {:.0}", lost.low, lost.high),
                false => format!("{:.0}", lost.value),
            }
        ),
    });
}

impl Evidence {
    /// The path MTU that a router reports, bytes, where the packets of a sender that hears nothing are larger.
    pub(crate) fn exceeded_mtu(&self) -> Option<f64> {
        let (mtu, by) = self.found_mtu.as_ref()?;
        let reported = *by != MtuBy::Host && self.mss_said && !self.udp;
        let nothing = self.rate.as_ref().is_some_and(|rate| rate.value <= 0.0);
        let again = self.retransmits.as_ref().is_some_and(|n| n.value > 0.0);
        let hangs = self.stuck.is_some() || nothing && again;
        let large = self.mss + HEADERS > mtu.value;
        (reported && hangs && large).then_some(mtu.value)
    }
}

/// What a reported path MTU is worth that the packets of a sender which hangs exceed, decibans: as much as large pings that are lost.
const EXCEEDS: f64 = 24.0;

/// A sender hangs with packets that are larger than what a router reports to pass.
fn above_reported(e: &Evidence, items: &mut Vec<Item>) {
    let Some(mtu) = e.exceeded_mtu() else { return };
    items.push(Item {
        holds: 1.0,
        weights: [of(&LOSSES, -20.0), vec![(Cause::MtuBlackHole, EXCEEDS)]].concat(),
        sentence: format!(
            "a router on the way carries no packets of more than {mtu:.0} bytes and says so, and those of this connection have {:.0}: what is full does not pass, and its sender does not hear of it or does not heed it",
            e.mss + HEADERS
        ),
    });
}

/// So many intervals with data before a stall show that full segments passed: what fills a socket takes one.
const PASSED_LEAST: usize = 2;

/// Whether data passed for several intervals before the first in which nothing did, and did again after it.
fn goes_on(rows: &[crate::seen::Row]) -> bool {
    let is_still = |r: &crate::seen::Row| r.bps <= 0.0;
    let first = rows.iter().position(is_still);
    first.is_some_and(|n| n >= PASSED_LEAST && !rows[n..].iter().all(is_still))
}

/// Whole intervals in which nothing was sent but once more, again and again: chance does not lose each repetition of a segment.
fn stalls(e: &Evidence, items: &mut Vec<Item>) {
    if goes_on(&e.counted) || e.hangs_after_full() {
        // Full segments passed before and did again: a time without any, which is named besides, says nothing of their size.
        return;
    }
    let nothing = |two: &&[crate::seen::Row]| {
        two.iter().all(|r| r.bps <= 0.0)
            && two.iter().any(|r| r.retransmits.is_some_and(|n| n > 0.0))
    };
    let stalled = e.counted.windows(2).filter(nothing).count();
    let moved = e.rate.as_ref().is_some_and(|r| r.value > 0.0);
    items.push(Item {
        holds: if moved && !e.udp {
            step(stalled as f64, 0.0, 2.0)
        } else {
            0.0
        },
        weights: [of(&LOSSES, -24.0), vec![(Cause::MtuBlackHole, 18.0)]].concat(),
        sentence:
            "for whole intervals nothing passed, though segments were sent again: either all \
                   was lost for a time, or all that is large"
                .to_owned(),
    });
}
