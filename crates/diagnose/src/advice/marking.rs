//! What to change about a queue of the path that marks packets (ECN), and so holds a sender's window.

use crate::ceiling::{bps, bytes};
use crate::document::Change;
use crate::evidence::Evidence;
use crate::flows::flow::Flow;
use crate::known::System;

/// The part of rate times round trip that a queue has to hold before it marks, so that a window that was made smaller still fills the line:
/// of CUBIC, which keeps seven tenths (RFC 9438 §4.6), of Reno, which keeps a half, and of DCTCP, whose cuts are small (a seventh, by its
/// paper).
const CUBIC: f64 = 0.43;
const RENO: f64 = 1.0;
const DCTCP: f64 = 0.15;

/// From which queue on a port would have to mark, for people.
fn threshold(e: &Evidence) -> String {
    let part = match e.cc.as_deref() {
        Some("reno") => RENO,
        Some("dctcp" | "prague") => DCTCP,
        _ => CUBIC,
    };
    let line = e.line.as_ref().map(|(line, _)| line.value);
    let of = line.zip(e.rtt_floor.as_ref());
    let here = of.map_or_else(String::new, |(line, rtt)| {
        format!(
            ", which is {} for {}",
            bytes(part * line * rtt.value / 8.0),
            bps(line)
        )
    });
    format!(
        "a queue that marks from {part:.2} times the port's rate times the round trip on still fills the line behind a window that was made smaller{here}"
    )
}

/// A higher threshold or more room where packets are marked, and what tells whether that queue is the limit.
pub(super) fn change(e: &Evidence, flow: &Flow) -> Change {
    let linux = e.systems[0].is_none_or(|system| system == System::Linux);
    let mut commands = vec![
        "first find the queue that marks, and keep what is printed of its threshold: min of red, target and ce_threshold of fq_codel and codel, step_thresh of dualpi2; the WRED profile with ECN of a router's or switch's class".to_owned(),
        format!("a higher threshold there: {}", threshold(e)),
        "where that port is full meanwhile it marks because of what all senders have in it: more capacity, or less of the others, and no threshold".to_owned(),
        format!(
            "more connections side by side, such as iperf3 -c {} -P 8: each makes its own window smaller, and the others go on",
            super::to(flow)
        ),
        "a congestion control that answers marks by small cuts (DCTCP, Prague) only in networks whose queues are set for it, such as a data centre's or with dualpi2: elsewhere it takes what others have".to_owned(),
    ];
    let mut undo = vec!["the threshold that was printed before".to_owned()];
    if linux {
        commands.push("one test without marks, to compare, on the sender: sysctl net.ipv4.tcp_ecn, and keep what it prints; sysctl -w net.ipv4.tcp_ecn=0, and a new connection: the queue drops then where it marked. Far faster without losses, the threshold is the limit; as slow with segments sent again, the port is".to_owned());
        undo.push("sysctl -w net.ipv4.tcp_ecn=VALUE, with the value that `sysctl net.ipv4.tcp_ecn` printed before".to_owned());
    }
    Change {
        host: "the router, switch or host whose queue marks".to_owned(),
        commands,
        undo,
        risk: "behind a higher threshold packets of others wait longer in that queue; without ECN it drops what it marked".to_owned(),
        ..Change::default()
    }
}
