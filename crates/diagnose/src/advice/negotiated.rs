//! An interface that runs slower than it was meant to: which side of its cable is to be changed, and how.

use crate::cause::Cause;
use crate::ceiling::{Limit, bps, payload_share};
use crate::document::Change;
use crate::evidence::Evidence;
use crate::fact::Figure;
use crate::interfaces::negotiated::{SlowPort, Why};

use super::next;
use super::promised::promise;

/// A port that agreed on this speed, bit/s, or less works with two pairs of its cable (IEEE 802.3 clause 40 needs four for more).
const TWO_PAIRS: f64 = 100e6;

/// What to change about each interface of an end that is slower than what was stated; the last one's change gives the rate.
pub(super) fn changes(e: &Evidence) -> Vec<Change> {
    let Some(wanted) = e.beyond_port() else {
        return Vec::new();
    };
    let mut all: Vec<Change> = e
        .slow_ports()
        .iter()
        .map(|port| change(port, &wanted))
        .collect();
    if let (Some(last), Some(rate)) = (all.last_mut(), gives(e, &wanted)) {
        (last.predicted_bps, last.low_bps, last.high_bps) =
            (Some(rate.value), Some(rate.low * 0.9), Some(rate.high));
    }
    all
}

/// What the interfaces leave for payload then: what is wanted, and no more than they can do.
fn gives(e: &Evidence, wanted: &Figure) -> Option<Figure> {
    let can = |p: &SlowPort| match p.why() {
        // Another interface has another most.
        Why::Own | Why::Unsaid => f64::INFINITY,
        _ if p.port.supported > 0.0 => p.port.supported,
        _ => f64::INFINITY,
    };
    let most = e.slow_ports().iter().map(can).reduce(f64::min)?;
    let mut rate = wanted.clone();
    crate::ceiling::cap(&mut rate, most);
    Some(rate.times(payload_share(e.mss)))
}

/// A faster port gives no more than what else limits then.
pub(super) fn within_others(mut change: Change, e: &Evidence, ceilings: &[Limit]) -> Change {
    let given = change.predicted_bps;
    let others = next(&[Cause::Link], None, e, ceilings);
    if let Some(next) = others.filter(|(_, rate)| given.is_some_and(|bps| rate.value < bps)) {
        promise(&mut change, &next, e);
    }
    change
}

/// What to change about one.
fn change(slow: &SlowPort, wanted: &Figure) -> Change {
    let (port, speed) = (slow.interface(), slow.speed.value);
    let host = slow.host.as_str();
    let after = format!("ethtool {port} on {host}: the speed, and what both sides offer");
    let undo = format!("set both back to what ethtool {port} and the switch said before");
    let (host, commands, undo) = match slow.why() {
        Why::Partner => (
            format!("the switch or host that {} is plugged into", slow.named()),
            vec![
                format!(
                    "a port of more than {}: the one that {port} is plugged into offers no more, by its kind, its transceiver, or its setting (speed auto)",
                    bps(slow.port.partner)
                ),
                after,
            ],
            "the port that it had before".to_owned(),
        ),
        Why::Own => (
            host.to_owned(),
            vec![format!(
                "another interface or card, and a port of the switch to match: {port} can do no more than {}, and {} are wanted",
                bps(speed),
                bps(wanted.value)
            )],
            "the interface that it had before".to_owned(),
        ),
        Why::Unoffered => (
            host.to_owned(),
            vec![
                match slow.port.automatic {
                    Some(true) => format!(
                        "ethtool -s {port} advertise MODE on, with each mode of `Supported link modes` that is wanted: it negotiates already, and offers fewer"
                    ),
                    _ => format!("ethtool -s {port} autoneg on"),
                },
                "the port of the switch: speed auto".to_owned(),
                after,
            ],
            undo,
        ),
        Why::Cable => (
            format!("the cable of {}", slow.named()),
            vec![
                cable(speed),
                format!(
                    "ethtool {port} on {host}: whether both sides still offer more than they take"
                ),
            ],
            "the cable that it had before".to_owned(),
        ),
        Why::Unsaid => {
            let on = slow.port.automatic == Some(true);
            (
                format!("{host}, and its switch"),
                unsaid(port, speed, on),
                undo,
            )
        }
    };
    Change {
        host,
        commands,
        undo: vec![undo],
        risk: "the link goes down for some seconds".to_owned(),
        ..Change::default()
    }
}

/// What of a cable keeps a link at this speed, bit/s.
fn cable(speed: f64) -> String {
    match speed <= TWO_PAIRS {
        true => "change the cable: 1 Gbit/s and more need all four pairs".to_owned(),
        false => format!(
            "change the cable for one of a higher category: all four pairs work at {}",
            bps(speed)
        ),
    }
}

/// Where nothing says which side it is; whether the port is known to negotiate.
pub(super) fn unsaid(port: &str, speed: f64, negotiates: bool) -> Vec<String> {
    vec![
        format!("ethtool {port}: what it advertises, and what its partner does"),
        match speed <= TWO_PAIRS {
            true => cable(speed),
            false => format!(
                "where the partner offers no more than {}: another port, or its speed; where both offer more: another cable",
                bps(speed)
            ),
        },
        match negotiates {
            true => format!("auto for the port of the switch: {port} negotiates already"),
            false => format!("ethtool -s {port} autoneg on, and auto for the port of the switch"),
        },
    ]
}
