//! ProbeRTT: where ten seconds brought no shorter round trip, BBR holds four segments in flight for 200 ms and a round trip at least,
//! so that queues drain and the path shows its own delay (draft-cardwell-iccrg-bbr-congestion-control, `ProbeRTT`).

use farpath_record::trace::Glitch;

use crate::flights::Interval;
use crate::observed::Direction;
use crate::work;

/// Segments in flight (`BBRMinPipeCwnd`).
const SEGMENTS: u64 = 4;
/// The shortest time that they are held, nanoseconds (`ProbeRTTDuration`), and the round trips that may come on top.
const HELD: i64 = 200_000_000;
const ROUNDS: i64 = 3;
/// From the shortest round trip before to the next probe, nanoseconds (`MinRTTFilterLen`).
const EVERY: i64 = 10_000_000_000;
/// Times that are seen may be shorter by one part in so many: an interval is cut where a packet comes.
const CUT: i64 = 10;

/// Names ProbeRTT as the cause of collapses that have its shape: `full` is the payload of a full segment, `started` the connection's
/// first packet.
pub(crate) fn name(glitches: &mut [Glitch], seen: &Direction, started: i64, full: u32) {
    let most = SEGMENTS * u64::from(full);
    let longest = HELD + ROUNDS * seen.round_trip;
    let mut last = started;
    let unknown = |g: &&mut Glitch| g.kind == "rate_collapse" && g.cause == "unknown";
    for glitch in glitches.iter_mut().filter(unknown) {
        let from = started + glitch.start_ns as i64;
        let until = from + glitch.duration_ns as i64;
        // What is not sent is missed among acknowledgements a round trip later.
        let held = held(&seen.intervals, from - 2 * seen.round_trip, until, most);
        let lasts = (HELD - HELD / CUT..=longest).contains(&held);
        if lasts && from - last >= EVERY - EVERY / CUT {
            Glitch::PROBE_RTT.clone_into(&mut glitch.cause);
            last = from;
        }
    }
}

/// The longest time, of those that begin between two instants, in which something was in flight, and no more than `most` bytes;
/// nanoseconds.
fn held(intervals: &[Interval], from: i64, until: i64, most: u64) -> i64 {
    let first = intervals.partition_point(|i| i.until <= from);
    let (mut longest, mut lasts) = (0, 0);
    for interval in &intervals[first..] {
        work::count(1);
        lasts = match (1..=most).contains(&interval.peak) {
            true => lasts + interval.until - interval.from,
            false => 0,
        };
        if interval.from >= until && lasts == 0 {
            break;
        }
        longest = longest.max(lasts);
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;
    use farpath_observe::Connection;

    const MS: i64 = 1_000_000;
    const FULL: u32 = 1448;

    /// Intervals of 10 ms for 25 s at a round trip of 50 ms: 80 segments in flight, but for so many in the spans given, ms.
    fn direction(spans: &[(i64, i64, u64)]) -> Direction {
        let interval = |n: i64| {
            let at = 10 * n;
            let mut all = spans.iter();
            let span = all.find(|(from, until, _)| (*from..*until).contains(&at));
            Interval {
                from: at * MS,
                until: (at + 10) * MS,
                peak: span.map_or(80, |span| span.2) * u64::from(FULL),
                ..Interval::default()
            }
        };
        Direction {
            intervals: (0..2500).map(interval).collect(),
            repairs: Vec::new(),
            cuts: Vec::new(),
            round_trip: 50 * MS,
            beyond: 0,
            at_sender: true,
            observed: Connection::default(),
        }
    }

    /// The causes of collapses that begin at these times, ms, and last for 250 ms.
    fn causes(direction: &Direction, at: &[u64]) -> Vec<String> {
        let collapse = |ms: &u64| Glitch {
            kind: "rate_collapse".to_owned(),
            start_ns: ms * 1_000_000,
            duration_ns: 250_000_000,
            cost_bytes: 500_000,
            cause: "unknown".to_owned(),
            ..Glitch::default()
        };
        let mut all: Vec<Glitch> = at.iter().map(collapse).collect();
        name(&mut all, direction, 0, FULL);
        all.into_iter().map(|g| g.cause).collect()
    }

    #[test]
    fn four_segments_for_a_fifth_of_a_second_each_ten_seconds_are_probe_rtt() {
        let probed = direction(&[(10_100, 10_300, 4), (20_350, 20_550, 4)]);
        assert_eq!(causes(&probed, &[10_150, 20_400]), [Glitch::PROBE_RTT; 2]);
        // Five segments, a tenth of a second, half of one, and too soon after the last.
        let five = direction(&[(10_100, 10_300, 5)]);
        assert_eq!(causes(&five, &[10_150]), ["unknown"]);
        let short = direction(&[(10_100, 10_200, 4)]);
        assert_eq!(causes(&short, &[10_150]), ["unknown"]);
        let long = direction(&[(10_100, 10_600, 4)]);
        assert_eq!(causes(&long, &[10_150]), ["unknown"]);
        let soon = direction(&[(10_100, 10_300, 4), (13_100, 13_300, 4)]);
        assert_eq!(
            causes(&soon, &[10_150, 13_150]),
            [Glitch::PROBE_RTT, "unknown"]
        );
        let early = direction(&[(3_100, 3_300, 4)]);
        assert_eq!(causes(&early, &[3_150]), ["unknown"]);
    }
}
