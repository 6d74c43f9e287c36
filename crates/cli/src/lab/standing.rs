//! A queue that stood in front of a link for as long as the link carried anything: each round trip waits in it.

use std::time::Duration as Wall;

use farpath_observe::{Hop, Interval, Path as Links};
use farpath_units::{Rate, Time};

use super::at_rest::AtRest;
use super::bytes::quantity;
use super::sender::SENDERS;

/// A link that carried something in fewer intervals may have had a burst to carry.
const LEAST: usize = 5;

/// A shorter wait is not named, however short the round trip is, seconds.
const NAMED: f64 = 0.01;

/// What frames waited in front of a link, in the intervals in which it carried any.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Standing {
    /// Half of the intervals had a longer wait, seconds.
    median: f64,
    most: f64,
    most_bytes: u64,
}

/// That a queue of either way made round trips twice as long as the path's, or longer, for half of the time in which its link carried anything;
/// none where that is not so. The command ran for so long.
pub(super) fn standing((path, lab, evidence): AtRest<'_>, took: Wall) -> Option<String> {
    let plan = &lab.plane.wan().plan;
    let ways = path.ways(plan);
    let of = |host: usize| {
        let way = evidence.way(ways[host]);
        let waits = way.hops.iter().filter_map(|hop| waits(&way, hop, took));
        let longest = waits.max_by(|a, b| a.median.total_cmp(&b.median))?;
        Some((host, longest))
    };
    let both = [0, 1].into_iter().filter_map(of);
    let (host, longest) = both.max_by(|a, b| a.1.median.total_cmp(&b.1.median))?;
    words(host, longest, path.round_trip(plan).as_secs_f64())
}

/// What frames waited in front of this link; none where that is not seen, or it carried little.
fn waits(way: &Links<'_>, hop: &Hop<'_>, took: Wall) -> Option<Standing> {
    let every = way.every.as_secs_f64();
    if hop.waits_unseen || every <= 0.0 {
        return None;
    }
    let within = (took.as_secs_f64() / every).ceil() as usize;
    let bytes_per_s = |at: f64| {
        let is_begun = |(from, _): &&(Time, Rate)| from.since(Time::ZERO).as_secs_f64() <= at;
        let (_, rate) = hop.rates.iter().rfind(is_begun)?;
        Some(rate.as_bps() as f64 / 8.0)
    };
    let wait = |(n, interval): (usize, &Interval)| {
        // The queue is that at its end.
        let rate = bytes_per_s(every * (n + 1) as f64)?;
        Some(interval.queue_bytes as f64 / rate)
    };
    let carried = hop.intervals.iter().take(within).enumerate();
    let carried = carried.filter(|(_, interval)| interval.bytes > 0);
    let mut all: Vec<f64> = carried.filter_map(wait).collect();
    all.sort_by(f64::total_cmp);
    let most_bytes = hop.intervals.iter().take(within).map(|i| i.queue_bytes);
    (all.len() >= LEAST).then(|| Standing {
        median: all[all.len() / 2],
        most: all[all.len() - 1],
        most_bytes: most_bytes.max().unwrap_or(0),
    })
}

/// In words, of what the host that has this number sends, on a path with this round trip, seconds; none where it waited for less than that.
fn words(host: usize, standing: Standing, round_trip: f64) -> Option<String> {
    let Standing {
        median,
        most,
        most_bytes,
    } = standing;
    (median >= round_trip.max(NAMED)).then(|| {
        format!(
            "a queue stood in front of a link from {} to {}: frames waited {:.0} ms (p50) and {:.0} ms at most in up to {}, beside a round trip of \
             {:.0} ms; a shorter queue, or one with active queue management, keeps that short",
            SENDERS[host],
            SENDERS[1 - host],
            1e3 * median,
            1e3 * most,
            quantity(most_bytes),
            1e3 * round_trip
        )
    })
}

#[cfg(test)]
mod tests {
    use farpath_observe::Dropped;
    use farpath_units::Duration;

    use super::*;

    /// Forty intervals of 100 ms at 20 Mbit/s, with so many bytes waiting at the end of each but the first ten.
    fn said(queue_bytes: u64) -> Option<String> {
        let interval = |n: usize| Interval {
            bytes: 250_000,
            queue_bytes: if n < 10 { 0 } else { queue_bytes },
        };
        let intervals: Vec<Interval> = (0..40).map(interval).collect();
        let hop = Hop {
            name: "path east>west",
            own: false,
            waits_unseen: false,
            rates: vec![(Time::ZERO, Rate::from_bps(20_000_000).expect("a rate"))],
            intervals: &intervals,
            dropped: Dropped::default(),
            frame_bytes: 1514,
        };
        let way = Links {
            every: Duration::from_ms(100),
            hops: Vec::new(),
            back: Vec::new(),
            down: Vec::new(),
            notes: Vec::new(),
        };
        words(1, waits(&way, &hop, Wall::from_secs(4))?, 0.06)
    }

    /// A queue of 2 MB in front of 20 Mbit/s and 60 ms, and one of a bandwidth-delay product.
    #[test]
    fn a_queue_that_stands_for_longer_than_a_round_trip_is_named() {
        let long = said(800_000).expect("it stood");
        let words = "from the server to your command: frames waited 320 ms (p50) and 320 ms at most in up to 800 kB, beside a round trip of 60 ms";
        assert!(long.contains(words), "{long}");
        assert_eq!(said(140_000), None);
    }
}
