//! A queue of one bandwidth-delay product that is shorter than a few packets: losses limit what TCP sends across it.

use farpath_element::qdisc::Limit;
use farpath_emu::lab::Lab;
use farpath_scenario::QueueLimit;

use super::path::Path;

/// A queue with room for fewer full packets is short.
const FEW: u64 = 5;

/// A queue counts a frame with its header (IEEE 802.3 clause 3), bytes.
const HEADER: u64 = 14;

/// What is suggested instead, packets.
const ROOM: u64 = 20;

/// That a queue of the options' path, which follows from its rate and round trip, has room for few packets.
pub(super) fn short_queue(path: &Path, lab: &Lab) -> Option<String> {
    let (wan, scenario) = (lab.plane.wan(), lab.plane.scenario());
    let ways = path.ways(&wan.plan);
    let hops = ways.iter().flat_map(|dir| wan.plan.walk(scenario, *dir));
    let of = |number: usize| {
        let port = &wan.plan.ports[number];
        let link = &scenario.links[port.link.0];
        let direction = link.direction(port.way);
        let follows = matches!(direction.queue, QueueLimit::Bdp(_)) && direction.queueing.is_none();
        match wan.queue_limit(scenario, number) {
            Limit::Bytes(bytes) if follows && scenario.is_router(port.from) => {
                few(bytes, u64::from(direction.mtu) + HEADER)
            }
            _ => None,
        }
    };
    hops.into_iter().find_map(|hop| of(hop.port))
}

/// That a queue of so many bytes has room for few frames of this size.
fn few(bytes: u64, frame: u64) -> Option<String> {
    let room = room(bytes, frame)?;
    Some(format!(
        "the queue in front of the path, 1bdp without --queue, {room}; --queue '{ROOM} packets' is a longer one"
    ))
}

/// That the queue of a link has room for few packets of this MTU, where it was given so many bytes in a running lab.
pub(super) fn few_of_link(link: &str, bytes: u64, mtu: u32) -> Option<String> {
    let room = room(bytes, u64::from(mtu) + HEADER)?;
    Some(format!(
        "the queue {room}; `link.{link}.queue={ROOM} packets` is a longer one"
    ))
}

/// What a queue of so many bytes has room for, where that is few frames of this size.
fn room(bytes: u64, frame: u64) -> Option<String> {
    (bytes < FEW * frame).then(|| {
        format!(
            "has room for {bytes} B, {:.1} full packets: bursts find it full, and losses limit TCP",
            bytes as f64 / frame as f64
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_of_few_packets_is_said() {
        // 300 kbit/s and 80 ms.
        let said = few(3000, 1514).expect("it is short");
        assert!(said.contains("room for 3000 B, 2.0 full packets"), "{said}");
        assert_eq!(few(200_000, 1514), None);
        // 1 Mbit/s and 10 ms.
        let said = few_of_link("path", 1250, 1500).expect("it is short");
        assert!(said.contains("room for 1250 B, 0.8 full packets"), "{said}");
        assert!(said.contains("`link.path.queue=20 packets`"), "{said}");
    }
}
