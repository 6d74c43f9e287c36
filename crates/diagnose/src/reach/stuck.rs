//! Sockets that repeat what they sent, again and again, while nothing is acknowledged.

use crate::asking::captured;
use crate::cause::Cause;
use crate::document::{Change, MissingFact};
use crate::evidence::{Evidence, NS};
use crate::fact::{Fact, Figure, Of};
use crate::flows::flow::{Flow, alike, number};
use crate::items::{Item, LOSSES, of, step};
use crate::losses::after_full::FULL_LEAST;
use crate::losses::segments::HEADERS;
use crate::read::Facts;
use crate::read::ping::WHOLE;

/// A sender's socket whose timer ran out again and again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stuck {
    /// How often its timer was doubled since anything was acknowledged.
    backoff: f64,
    /// Segments that it takes for lost.
    lost: f64,
    /// Whether more than a segment of its life was acknowledged.
    moved: bool,
    /// Whether many full segments of its life were acknowledged.
    full: bool,
    /// Whether pings to its peer pass.
    pings: bool,
    /// How long nothing was acknowledged, seconds, where its kernel says it.
    silent_s: Option<f64>,
    /// Payload of a segment that it sends again, bytes, at most.
    each: Option<f64>,
    /// The largest pings to its peer that were answered and that no router might cut, bytes with their headers; 0 without any.
    passes: f64,
}

/// Packets of this many bytes pass wherever a connection could be opened: no MTU is so small. A choice, below what every link of IPv6
/// carries (RFC 8200 §5).
const SMALL: f64 = 1200.0;

/// What a device that drops data is worth where no socket shows it, decibans: it is not a cause then.
pub(crate) const UNSEEN: f64 = -100.0;

/// Segments that carry this part of the most on average are full for the most part. A choice.
const FULL: f64 = 0.9;

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
        // What waits behind them in the socket is not sent again.
        let under_way = get(most, "send_queue_bytes") - get(most, "unsent_bytes");
        let again = get(most, "retransmits_counted");
        let mean = get(most, "bytes_retransmitted") / again.max(1.0);
        let segments = get(most, "data_segments_sent");
        let full = segments > 0.0 && get(most, "bytes_sent") >= FULL * mss * segments;
        let each = [under_way, mean].into_iter().filter(|b| *b > 0.0);
        Some(Stuck {
            backoff: get(most, "backoff"),
            lost: get(most, "lost_segments"),
            moved: get(most, "bytes_acked") > mss,
            full: full && get(most, "bytes_acked") >= FULL_LEAST * mss,
            pings: received > 0.0 && received >= 0.9 * sent,
            silent_s: Some(get(most, "silent_ns") * NS).filter(|s| *s > 0.0),
            each: each.reduce(libm::fmin),
            passes: passes(facts, flow),
        })
    }

    /// Payload of the segments that it sends again, bytes, where no MTU takes packets of that size.
    fn small(&self) -> Option<f64> {
        let passes = libm::fmax(SMALL, self.passes);
        self.each.filter(|each| each + HEADERS <= passes)
    }

    /// Whether pings as large as packets of these segments pass, bytes of payload.
    fn passes_full(&self, mss: f64) -> bool {
        self.passes >= mss + HEADERS
    }

    /// How long nothing was acknowledged, in words; empty where nobody says it.
    fn silence(&self) -> String {
        match self.silent_s {
            Some(s) if s >= 10.0 => format!(" for {s:.0} s"),
            Some(s) => format!(" for {s:.1} s"),
            None => String::new(),
        }
    }

    /// Whether many full segments passed before it hung.
    pub(crate) fn carried_full(&self) -> bool {
        self.full
    }

    /// Whether nothing tells a hole for large packets from a path that is down.
    pub(crate) fn may_be_down(&self) -> bool {
        !self.pings
    }
}

impl Stuck {
    /// What it means where segments may be too large.
    fn may_be_large(&self) -> &'static str {
        match (self.pings, self.moved) {
            (true, _) => "small pings pass: what is large does not",
            (false, true) => "the path is down, or carries nothing large any more",
            (false, false) => "the path is down, or carries nothing large",
        }
    }

    /// What it means where they are not.
    fn drops(&self) -> String {
        let tiny = self.each.filter(|each| each + HEADERS <= SMALL);
        let down = if self.pings { ", and pings pass" } else { "" };
        let or = if self.pings {
            ""
        } else {
            "the path is down, or "
        };
        match tiny {
            Some(each) => format!(
                "they carry {each:.0} bytes at most, which no MTU stops{down}: {or}{DEVICE}"
            ),
            None => format!(
                "pings of {:.0} bytes pass that may not be cut, as large as its segments: {DEVICE}",
                self.passes
            ),
        }
    }
}

/// What takes data whatever its size.
const DEVICE: &str =
    "a firewall, or another device that keeps the states of connections, drops what carries data";

/// The largest pings to a flow's receiver that were answered and that no router might cut: what its sender's host sent so passes, and not
/// what came back.
pub(crate) fn passes(facts: &Facts, flow: &Flow) -> f64 {
    let to = flow.end_names(1);
    let is_to = |of: Of| match of {
        Of::Ping(n) => {
            let mut names = facts.pings.get(n as usize).into_iter().flatten();
            names.any(|name| to.iter().any(|t| alike(t, name)))
        }
        _ => false,
    };
    let all = facts
        .facts
        .iter()
        .filter(|f| f.name == WHOLE && is_to(f.of));
    let sizes = all.filter_map(Fact::number).map(|f| f.value);
    sizes.fold(0.0, libm::fmax)
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
    let dropped = stuck.small().is_some() || stuck.passes_full(e.mss);
    let past = stuck.full && !e.is_proven_hole();
    let weights = match (dropped, stuck.pings) {
        (true, true) => vec![(Cause::Middlebox, 130.0), (Cause::MtuBlackHole, -60.0)],
        (true, false) => vec![(Cause::Middlebox, 116.0), (Cause::MtuBlackHole, -60.0)],
        // What carried segments as large does not hang for their size.
        (false, _) if past => Vec::new(),
        (false, true) => vec![(Cause::MtuBlackHole, 40.0)],
        (false, false) => vec![(Cause::MtuBlackHole, 26.0)],
    };
    let sure = if stuck.moved && !dropped { 0.7 } else { 1.0 };
    let or = match (dropped, past) {
        (true, _) => stuck.drops(),
        (false, true) => "full segments passed before".to_owned(),
        (false, false) => stuck.may_be_large().to_owned(),
    };
    items.push(Item {
        holds: step(stuck.backoff, 0.0, 3.0) * sure,
        weights: [of(&LOSSES, -14.0), of(&OTHERS, -20.0), weights].concat(),
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

/// Most that is said of a device that drops data: the other host's own rules look the same.
const DROPS: f64 = 0.9;

/// What finds a device on the way that drops data.
pub(crate) fn find_device(flow: &Flow) -> Change {
    let ends = flow.name();
    Change {
        host: "the firewalls and other devices between that keep states".to_owned(),
        commands: vec![
            format!("their logs of drops and their tables of connections, for {ends}: a rule or an inspection that takes data of a connection it let open, or a state that it has lost"),
            "both directions through the same device: one that sees half of a connection drops its data".to_owned(),
            "nft list ruleset on both hosts: a host's own rules look the same from outside".to_owned(),
        ],
        risk: "nothing is changed by looking; a rule that is opened lets through what it was made to stop".to_owned(),
        ..Change::default()
    }
}

impl Evidence {
    /// How long nothing of this flow was acknowledged, or nothing new was sent, seconds: its socket is stalled, and every rate that it names
    /// is an old one.
    pub(crate) fn stalled_s(&self) -> Option<f64> {
        let stuck = self.stuck.as_ref().and_then(|stuck| stuck.silent_s);
        let shut = self.shut.as_ref().and_then(|shut| shut.silent_s);
        stuck.or(shut)
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
        libm::fmax(self.mss, self.hanging_segment()) + HEADERS >= lost.low
    }

    /// The most that is said of a hole for large packets.
    pub(crate) fn hole_at_most(&self) -> f64 {
        let shown = self.large_lost.is_some() || self.swallowed.is_some();
        let shown = shown || self.exceeded_mtu().is_some() || self.container_bridge.is_some();
        let open = self.stuck.as_ref().is_some_and(Stuck::may_be_down) || self.unanswered;
        match (open && !shown, self.drops_data()) {
            (true, _) => OR_DOWN,
            (false, true) => DROPS,
            (false, false) if shown => 1.0,
            (false, false) => self.firewall_at_most(),
        }
    }

    /// Whether a sender hangs with segments of which no MTU is to blame.
    pub(crate) fn drops_data(&self) -> bool {
        let dropped = |s: &Stuck| s.small().is_some() || s.passes_full(self.mss);
        self.stuck.as_ref().is_some_and(dropped)
    }

    /// What tells a device on the way from the other end where data is dropped: what comes out of the path.
    pub(crate) fn asks_device(&self, pings: String) -> Vec<MissingFact> {
        let Some(stuck) = self.stuck.as_ref().filter(|_| self.drops_data()) else {
            return self.asks_firewall().into_iter().collect();
        };
        let ping = (!stuck.pings).then(|| MissingFact {
            fact: "reachable",
            would_decide: "whether the path is down: pings are lost then, too".to_owned(),
            command: pings,
        });
        let arrives = MissingFact {
            fact: "segment_arrives",
            would_decide: "whether the segments that are sent again come to the other end: they are dropped between, or are not answered there".to_owned(),
            command: format!(
                "while it hangs, {}",
                captured(
                    self.systems,
                    "tcpdump -ni any tcp and host ADDRESS, with that of the other host"
                )
            ),
        };
        ping.into_iter().chain([arrives]).collect()
    }

    /// Whether something hangs, and no ping of large packets says why.
    pub(crate) fn hangs_unexplained(&self) -> bool {
        let explained = self.large_lost.is_some() || self.exceeded_mtu().is_some();
        (self.stuck.is_some() || self.unanswered) && !explained
    }
}
