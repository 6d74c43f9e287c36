//! What helps where a port of a switch carries smaller packets than the hosts send: its MTU.

use super::or_at_the_sender;
use crate::advice::systems::Remedy;
use crate::interfaces::narrow_port::NarrowPort;

/// What to change at these ports, before what else helps.
pub(super) fn widened(ports: &[NarrowPort], other: Remedy) -> Remedy {
    if ports.is_empty() {
        return other;
    }
    let (mut commands, mut undo) = (Vec::new(), Vec::new());
    for [set, back] in ports.iter().map(NarrowPort::change) {
        commands.push(set);
        undo.push(back);
    }
    or_at_the_sender(&mut commands, other.commands);
    undo.extend(other.undo);
    let kept = "on the switch: copy running-config startup-config".to_owned();
    let named: Vec<String> = ports.iter().map(NarrowPort::named).collect();
    Remedy {
        commands,
        undo,
        persist: [kept].into_iter().chain(other.persist).collect(),
        risk: format!(
            "{} may lose its link for a moment as its MTU changes; the sender, if it is changed: {}",
            named.join(", "),
            other.risk
        ),
        room: other.room,
    }
}
