//! What to change about a radio link that is too weak, or disturbed: its place, its channel, or the cable in its stead.

use super::systems::{Remedy, bearing};
use super::{End, at_end, printed, sending};
use crate::cause::Cause;
use crate::document::Change;
use crate::evidence::Evidence;
use crate::flows::flow::Flow;
use crate::known::System;
use crate::paths::around::RADIO;
use crate::read::Facts;

/// What helps a radio link, the cheapest first.
const BETTER: [&str; 5] = [
    "nearer to the access point, or without walls and metal between: `iw dev WLAN link` shows the signal, with WLAN as `iw dev` names it (of Windows netsh wlan show interfaces); fast modes need about -65 dBm, 70 %, or more",
    "another band or channel: 5 or 6 GHz where it reaches; in 2.4 GHz that of 1, 6 and 11 with the fewest and weakest neighbours (`iw dev WLAN scan`)",
    "where others disturb it: channels of 20 MHz at the access point, which take up less noise than those of 40 or 80",
    "another access point where this one is too far away, or a cable",
    "iw dev WLAN station dump before and after a test: that `tx failed`, and `tx retries` beside `tx packets`, grow less",
];

/// The change against a cause, where a radio link of an end is too weak, and nothing slower is its line. An algorithm that losses hardly
/// slow down comes last, of a sender that may be Linux.
pub(super) fn change(cause: Cause, e: &Evidence, (facts, flow): (&Facts, &Flow)) -> Option<Change> {
    let is_line = e.line.as_ref().is_some_and(|(_, of)| *of == RADIO);
    let radio = e.weak_radio().filter(|_| cause != Cause::Link || is_line)?;
    let host = match radio.side {
        Some(side) => flow.called(side),
        None => "the host with the radio link".to_owned(),
    };
    let mut remedy = Remedy {
        commands: BETTER.map(str::to_owned).to_vec(),
        undo: vec!["the place, the band and the channel that it had before".to_owned()],
        risk: "another channel of an access point is that of all its hosts, which lose their links for some seconds".to_owned(),
        ..Remedy::default()
    };
    let (hosts, system) = at_end(e, (facts, flow), End::Sender);
    if cause == Cause::RandomLoss && system.is_none_or(|s| s == System::Linux) {
        let last = bearing(&sending(e, (facts, flow), &hosts));
        let bears = printed::behind(last.commands, &last.undo);
        if !bears.is_empty() {
            remedy.risks("BBR takes more than its share from others on a shared path");
        }
        let bears = bears
            .iter()
            .map(|line| format!("last, on the sender, where the air stays lossy: {line}"));
        remedy.commands.extend(bears);
        remedy.undo.extend(last.undo);
        remedy.persist = last.persist;
    }
    Some(remedy.change(&host, None, None))
}
