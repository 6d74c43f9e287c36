//! A test that was far slower than another of the same kind between the same hosts: what holds it is not always there.

use crate::cause::Cause;
use crate::ceiling::bps;
use crate::evidence::Evidence;
use crate::fact::Figure;
use crate::flows::alternating::by_turns;
use crate::items::{Item, step};

/// The fastest of the other tests with no more connections.
#[derive(Clone, Debug)]
pub(crate) struct OtherTest {
    tool: &'static str,
    rate: Figure,
    /// How many times as fast as this one it was.
    times: f64,
}

/// From so many times the rate on it says something, and fully.
const FASTER: [f64; 2] = [1.2, 1.6];

impl OtherTest {
    /// The faster of two, where it was faster than the flow.
    pub(crate) fn faster(
        known: Option<OtherTest>,
        tool: &'static str,
        (rate, times): (&Figure, f64),
    ) -> Option<OtherTest> {
        match known {
            Some(known) if known.times >= times => Some(known),
            _ => (times > FASTER[0]).then(|| OtherTest {
                tool,
                rate: rate.clone(),
                times,
            }),
        }
    }
}

/// A line that carried more at another time is not full of this flow.
pub(crate) fn by_other_test(e: &Evidence, items: &mut Vec<Item>) {
    by_turns(e, items);
    let Some(OtherTest { tool, rate, times }) = &e.counted_else.once else {
        return;
    };
    // Of a group of links each connection gets one, and one of them may be full.
    let alone = e.around.group.is_none();
    let lost = e.again.as_ref().is_some_and(|a| a.value > 0.0);
    // A test with BBR differs by that, and not by its time.
    let unlike = e.counted_else.unlike.is_some();
    let mut weights = Vec::new();
    if !unlike {
        weights.push((Cause::CrossTraffic, 4.0));
    }
    if alone {
        weights.extend([(Cause::Link, -26.0), (Cause::Shaper, -10.0)]);
    }
    if lost && !unlike {
        weights.push((Cause::CongestionLoss, 6.0));
    } else if e.retransmits.is_none() && !unlike {
        // Nobody counted losses, which come and go.
        weights.extend([(Cause::CongestionLoss, 2.0), (Cause::RandomLoss, 1.0)]);
    }
    // What hosts come with is as large at any time.
    let rooms = e.open_rooms().into_iter().filter(|_| !unlike);
    weights.extend(rooms.map(|room| (room, -10.0)));
    items.push(Item {
        holds: step(*times, FASTER[0], FASTER[1]),
        weights,
        sentence: match unlike {
            true => String::new(),
            false => format!(
                "{tool} between the same hosts got {} in another test, {times:.1} times as much: the path carries that, and what held this one is not always there, or differs between the two tests",
                bps(rate.value)
            ),
        },
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::Place;

    /// 11.8 Mbit/s in the evening, and 94 at night: the hosts' windows are the same.
    #[test]
    fn windows_of_hosts_are_as_large_at_any_time() {
        let exact = |value: f64| Figure::exact(value, Place::You);
        let mut e = Evidence {
            rate: Some(exact(11.8e6)),
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        };
        e.counted_else.once = OtherTest::faster(None, "iperf3", (&exact(94e6), 8.0));
        let mut items = Vec::new();
        by_other_test(&e, &mut items);
        let worth = |cause: Cause| {
            let own = items[0].weights.iter().find(|(c, _)| *c == cause);
            own.map_or(0.0, |(_, weight)| *weight)
        };
        assert!(worth(Cause::ReceiveWindow) < 0.0 && worth(Cause::SendBuffer) < 0.0);
        assert!(worth(Cause::Link) < 0.0 && worth(Cause::CrossTraffic) > 0.0);
        // What nobody counted may have been lost.
        assert!(worth(Cause::RandomLoss) > 0.0);
    }
}
