//! What is asked of packets that are too large for a path.

use crate::asking::Asking;
use crate::cause::Cause;
use crate::document::MissingFact;
use crate::evidence::Evidence;
use crate::fact::Figure;
use crate::flows::flow::Flow;
use crate::hosts::container_bridge;
use crate::read::Facts;

/// Adds what decides whether a black hole is the cause, and how large packets may be; whether nothing else need be asked.
pub(super) fn asked(
    e: &Evidence,
    (facts, flow): (&Facts, &Flow),
    asking: &Asking,
    likely: &[Cause],
    all: &mut Vec<MissingFact>,
) -> bool {
    if e.hangs_after_full() {
        all.extend(e.asks_after_full(asking));
        return true;
    }
    if likely.first() == Some(&Cause::Middlebox) {
        all.extend(e.asks_device(asking.ping(5)));
        return true;
    }
    if e.hangs_unexplained() && likely.contains(&Cause::MtuBlackHole) {
        let bridge = e.container_bridge.as_ref().filter(|_| e.unanswered);
        all.push(bridge.map_or_else(|| of_hole(asking), container_bridge::asks));
        if e.rate.as_ref().is_none_or(|r| r.value <= 0.0) {
            return true;
        }
    }
    let hole = likely.first() == Some(&Cause::MtuBlackHole);
    if hole && e.heeds_no_report().is_some() && e.rate.is_none() {
        all.push(of_dropped_reports(asking));
        return true;
    }
    let Some(lost) = e.large_lost.as_ref().filter(|_| hole) else {
        return false;
    };
    all.extend(of_size(lost, (facts, flow), asking));
    let is_all = e.rate.is_none() || e.is_proven_hole();
    if is_all && all.is_empty() {
        all.extend(of_place(facts, asking));
    }
    is_all
}

/// Whether the sender's own firewall drops what routers report.
fn of_dropped_reports(asking: &Asking) -> MissingFact {
    MissingFact {
        fact: "icmp_dropped",
        would_decide: format!(
            "why the host that sends to {} does not heed what the router reports: a rule of its own firewall that drops ICMP",
            asking.host
        ),
        command: "on that host: iptables -nvL INPUT; nft list ruleset; let in ICMP \"fragmentation needed\" before the rule that drops: iptables -I INPUT -p icmp --icmp-type fragmentation-needed -j ACCEPT".to_owned(),
    }
}

/// Whether what hangs is large: pings of both sizes.
fn of_hole(asking: &Asking) -> MissingFact {
    MissingFact {
        fact: "ping_large_lost_bytes",
        would_decide: "whether what is large is lost where small packets pass: an MTU black hole, or else a path that is down, or a program that does not answer".to_owned(),
        command: format!("{}; {}", asking.ping(5), asking.whole(5, 1472.0)),
    }
}

/// The largest size that passes, between pings that were answered and those that were lost: by halves.
fn of_size(lost: &Figure, (facts, flow): (&Facts, &Flow), asking: &Asking) -> Option<MissingFact> {
    let answered = facts.along(flow, "ping_answered_bytes").map(|f| f.value);
    let passes = answered.filter(|b| *b < lost.value).fold(0.0, f64::max);
    // A tunnel's interface says how large its packets may be.
    let mut tunnels = facts.along(flow, "mtu_tunnel_bytes");
    if tunnels.any(|set| set.value < lost.value && set.value >= passes) {
        return None;
    }
    let trace = asking
        .trace()
        .map_or(String::new(), |t| format!("; or {t}"));
    // Sizes are multiples of four on most links.
    (lost.value - passes > 4.0).then(|| MissingFact {
        fact: "mtu_bytes",
        would_decide: match passes {
            0.0 => format!("the largest packet that passes: less than {:.0} bytes", lost.value),
            passes => format!(
                "the largest packet that passes: at least {passes:.0} bytes, which were answered, and less than {:.0}, which were not",
                lost.value
            ),
        },
        command: format!(
            "{}, and so on by halves between what is answered and what is not{trace}",
            asking.whole(3, ((passes.max(68.0) + lost.value) / 2.0 - 28.0).floor())
        ),
    })
}

/// Where packets that are too large are lost, if no trace was read.
fn of_place(facts: &Facts, asking: &Asking) -> Option<MissingFact> {
    let traced = facts.pieces.iter().any(|p| p.tool == "tracepath");
    let command = asking.trace().filter(|_| !traced)?;
    Some(MissingFact {
        fact: "mtu_hop",
        would_decide:
            "behind which router packets that are too large are lost, and whether it reports them"
                .to_owned(),
        command,
    })
}

/// Whether packets that are too large are reported in the other direction, where they are in this one and nothing was measured.
pub(super) fn of_way_back(e: &Evidence, asking: &Asking) -> Option<MissingFact> {
    let open = e.rate.is_none() && e.heeds_no_report().is_none();
    let (mtu, _) = e.found_mtu.as_ref().filter(|_| open)?;
    Some(MissingFact {
        fact: "mtu_back_bytes",
        would_decide: format!(
            "whether packets of more than {:.0} bytes are reported in the other direction too, or lost there without a word: a hole",
            mtu.value
        ),
        command: format!(
            "on {}: tracepath ADDRESS, with that of the host of these texts",
            asking.host
        ),
    })
}
