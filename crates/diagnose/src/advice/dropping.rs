//! What to change about a port of a router or switch whose queue dropped what a flow sent again.

use crate::cause::Cause;
use crate::ceiling::bytes;
use crate::document::Change;
use crate::evidence::Evidence;
use crate::ports::queue::queue_holds;

/// From so surely on what a port dropped is what the flow sent again, 0 to 1.
const ITS_OWN: f64 = 0.5;

/// A longer queue at the port, where the queue is too short and surely dropped this flow's segments: after bursts that never come, if the
/// sender can pace.
pub(super) fn change(cause: Cause, e: &Evidence) -> Option<Change> {
    let ports = &e.around.ports;
    let dropped = ports.dropped.as_ref()?;
    if cause != Cause::ShallowBuffer || queue_holds(e, dropped) <= ITS_OWN {
        return None;
    }
    let port = dropped.port.named("the port that drops");
    let fills = ports.dropping.zip(e.rtt_floor.as_ref());
    let room = fills.map_or_else(String::new, |(bps, rtt)| {
        format!(
            ", {} at most: its rate times the round trip",
            bytes(bps * rtt.value / 8.0)
        )
    });
    Some(Change {
        host: match dropped.port.router.as_str() {
            "" => "the router or switch with that port".to_owned(),
            router => router.to_owned(),
        },
        commands: vec![
            format!(
                "first the queue of {port}, and keep what is printed: show queueing interface or show policy-map interface (IOS, NX-OS), show platform hardware fed switch active qos queue stats interface (Catalyst 3850 and 9000), show interfaces queue and show class-of-service interface (Junos)"
            ),
            format!(
                "a longer queue there, as far as the machine has room{room}: qos queue-softmax-multiplier 1200 (Catalyst 3850 and 9000: one port may use more of the shared buffer), queue-limit in the class of its policy map (IOS XE, NX-OS), hold-queue PACKETS out at an interface whose strategy is fifo (IOS), buffer-size of the class's scheduler (Junos)"
            ),
            "the same once more, before and after a test: that drops no longer grow".to_owned(),
        ],
        undo: vec![
            "the limit that was printed before: no qos queue-softmax-multiplier, the old queue-limit, the old hold-queue (no hold-queue PACKETS out where none was set), or rollback 1 and commit of Junos".to_owned(),
        ],
        risk: "in a longer queue packets of others wait longer, and what one port takes of a shared buffer other ports lack; pacing at the sender has neither".to_owned(),
        ..Change::default()
    })
}
