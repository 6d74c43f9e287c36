//! A size of packets that passes where larger ones vanish.

mod switched;
mod tunnelled;

use super::systems::{Between, Remedy, probing};
use crate::evidence::Evidence;
use crate::fact::Of;
use crate::flows::flow::{Flow, word};
use crate::known::System;
use crate::losses::holes::is_bridged;
use crate::losses::segments::HEADERS;
use crate::paths::tunnel;
use crate::read::Facts;
use crate::read::ip_interface::UNREACHABLES_OFF;
use crate::read::sysopt::CLAMP;
use switched::widened;
use tunnelled::through;

/// What to change against a hole, at a sender of this system.
pub(super) fn against_hole(
    system: Option<System>,
    e: &Evidence,
    (facts, flow): (&Facts, &Flow),
) -> Remedy {
    let size = fitting((facts, flow), e);
    let lost = e
        .large_lost
        .as_ref()
        .map_or(e.mss + HEADERS, |lost| lost.value);
    let tunnel = tunnel::of_flow(facts, flow, [size.0 as f64, lost]);
    // No router between the ends of a tunnel lowers what is within it.
    let bridged = tunnel.is_none() && is_bridged(facts, flow);
    let ports = match tunnel.is_none() {
        true => e.around.narrow_ports.as_slice(),
        false => &[],
    };
    let between = Between {
        system,
        bridged,
        located: !ports.is_empty(),
        clamp: facts.of_path(CLAMP).next_back().map(|mss| mss.value as u64),
    };
    let remedy = answering(facts, probing(&size, between));
    match tunnel {
        Some(tunnel) => through(tunnel, size.0, remedy),
        None => widened(ports, remedy),
    }
}

/// A size of packets that passes, and how that is known: what a router reported, or else the largest ping that was answered,
/// or else the least that IPv6 asks of a link (RFC 8200 §5), or IPv4 of a host (RFC 791 §3.1).
pub(crate) fn fitting((facts, flow): (&Facts, &Flow), e: &Evidence) -> (u64, &'static str) {
    let all = |name| facts.along(flow, name).map(|figure| figure.value);
    let lost = e.large_lost.as_ref().map_or(e.mss + HEADERS, |l| l.value);
    let lost = all("ping_large_lost_bytes").fold(lost, libm::fmin);
    let told = e.swallowed.as_ref().and_then(|s| s.mtu.as_ref());
    let told = told.map(|m| m.value).into_iter();
    let told = told
        .chain(all("mtu_reported_bytes"))
        .chain(all("mtu_bytes"));
    if let Some(told) = told.filter(|m| *m < lost).reduce(libm::fmin) {
        return (
            told as u64,
            "which is what a router reports: that much is known to pass",
        );
    }
    let answered = all("ping_answered_bytes").filter(|b| *b < lost && *b >= SMALL);
    let answered = answered.reduce(libm::fmax);
    // A tunnel that takes less than what was answered is not on the way.
    let passes = answered.unwrap_or(0.0);
    if let Some(set) = all("mtu_tunnel_bytes")
        .filter(|m| *m < lost && *m >= passes)
        .reduce(libm::fmin)
    {
        return (
            set as u64,
            "which a tunnel's interface in the texts is set to",
        );
    }
    match answered {
        Some(bytes) => (
            bytes as u64,
            "the largest ping that was answered: that much is known to pass",
        ),
        None if lost > LINKS => (
            LINKS as u64,
            "a guess: every link of IPv6 must carry that, and nothing in the texts shows that it passes",
        ),
        None => (
            SMALL as u64,
            "a guess: every host of IPv4 must take that, and nothing in the texts shows that it passes",
        ),
    }
}

/// Puts first, of a router that is known to send no answer to a packet that is too large, that it is to send one.
fn answering(facts: &Facts, mut remedy: Remedy) -> Remedy {
    if let Some((router, at)) = word(facts, Of::Path, UNREACHABLES_OFF) {
        let first = format!(
            "on {router}: ip unreachables, there and where such packets come in. By its text ({}) it sends no ICMP unreachables, so that no sender hears that a packet is too large (RFC 1191)",
            facts.place(at)
        );
        remedy.commands.insert(0, first);
        remedy.undo.push(format!("no ip unreachables on {router}"));
    }
    remedy
}

/// Adds what else helps, which is done at the sender.
fn or_at_the_sender(commands: &mut Vec<String>, others: Vec<String>) {
    let mut others = others.into_iter();
    let first = others.next();
    commands.extend(first.map(|first| format!("or, at the sender: {first}")));
    commands.extend(others);
}

/// What every link of IPv6 carries, bytes (RFC 8200 §5).
const LINKS: f64 = 1280.0;

/// What every host of IPv4 takes, bytes (RFC 791 §3.1).
const SMALL: f64 = 576.0;
