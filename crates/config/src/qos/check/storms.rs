//! QOS029: storm control that cuts what a test sends.

use farpath_units::Rate;

use super::super::{Interface, Stated, Storm, StormControl, StormLevel};
use super::rates::rate_of;
use crate::finding::{Finding, Severity};
use crate::rules::QOS029;

/// QOS029.
pub(super) fn check(interface: &Interface) -> Vec<Finding> {
    let line = rate_of(interface);
    let found = interface
        .storms
        .iter()
        .filter_map(|s| finding(interface, s, line));
    found.collect()
}

fn finding(
    interface: &Interface,
    said: &Stated<StormControl>,
    line: Option<Rate>,
) -> Option<Finding> {
    let (of, level) = (said.value.of, said.value.level);
    if level.is_nothing() {
        return Some(blocked(interface, said));
    }
    let rate = said.value.rate(line);
    let all = match level {
        StormLevel::Percent(percent) => percent >= 100.0,
        StormLevel::Bps(_) => rate.zip(line).is_some_and(|(rate, line)| rate >= line),
        StormLevel::Pps(_) => false,
    };
    if all {
        return None;
    }
    let above = match (level, rate) {
        (StormLevel::Percent(percent), Some(rate)) => format!("{percent} % of the port, {rate}"),
        (StormLevel::Percent(percent), None) => format!("{percent} % of the port"),
        (StormLevel::Bps(bps), _) => format!("{bps} bit/s"),
        (StormLevel::Pps(pps), _) => format!("{pps} packets a second"),
    };
    let message = format!(
        "{} drops {} frames above {above}, until a second has less",
        interface.name,
        of.word()
    );
    let (remedy, severity) = match of {
        Storm::Unicast => (
            "take `storm-control unicast` out where a test arrives: it cuts every transfer faster than that",
            Severity::Warning,
        ),
        _ => (
            "nothing, unless a test sends such frames, as flooding and multicast tests do",
            Severity::Info,
        ),
    };
    let place = said.place.clone();
    let mut finding = Finding::new(&QOS029, message, place, vec![remedy.to_owned()]);
    finding.severity = severity;
    Some(finding)
}

/// QOS029, of a level of 0, which drops every frame of its kind (Cisco, command reference, `storm-control`).
fn blocked(interface: &Interface, said: &Stated<StormControl>) -> Finding {
    let of = said.value.of;
    let (then, severity) = match of {
        Storm::Broadcast => (
            "no ARP request arrives, so that hosts behind it find nobody",
            Severity::Error,
        ),
        Storm::Multicast => (
            "routing protocols and IPv6's neighbour discovery do not arrive",
            Severity::Warning,
        ),
        Storm::Unicast => ("no transfer arrives", Severity::Error),
    };
    let message = format!(
        "{} drops all {} frames, at a level of 0: {then}",
        interface.name,
        of.word()
    );
    let remedy = "write the level that is meant; 100 drops none".to_owned();
    let mut finding = Finding::new(&QOS029, message, said.place.clone(), vec![remedy]);
    finding.severity = severity;
    finding
}
