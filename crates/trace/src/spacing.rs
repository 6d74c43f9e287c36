//! Whether data leaves at even distances, and not as acknowledgements come: the sender keeps a pace, or its program does.
//!
//! A program that waits for room in its send buffer writes as an acknowledgement makes some. So what it sends follows acknowledgements, and a
//! buffer that is smaller than the path leaves a pause in each round trip. A pace (SO_MAX_PACING_RATE, fq, BBR) knows neither.

use farpath_observe::Flight;
use farpath_units::Duration;

/// How what was sent is spaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spacing {
    /// Not evenly, or too close to each other for these intervals to say it.
    Uneven,
    /// Evenly, and acknowledgements come with it: a pace, or the rate at which they come.
    Either,
    /// Evenly, and not as acknowledgements come.
    Own,
    /// Evenly, and more has left at once and came through at once: neither the interface nor the path keeps that pace.
    Slower,
}

/// What was sent so many times at least.
const LEAST: usize = 64;

/// Intervals of a millisecond show distances from this on, in so many of which a round trip passes at least.
const RESOLVED: Duration = Duration::from_ms(3);
const IN_A_ROUND: u64 = 4;

/// Distances up to so many halves of the middle one take this share of the time; a tenth at most are less than half of it.
const HALVES: u64 = 3;
const EVEN: f64 = 0.8;

/// An acknowledgement so long before what is sent came with it. Less than this share of the bytes has one where the pace is the sender's own.
const WITH: Duration = Duration::from_ms(2);
const FOLLOWS: f64 = 0.8;

/// A burst has so many times the middle of what is sent at a time. It came through at once where it was acknowledged, a round trip later, in half
/// of the time that it takes at the pace. So many bursts are read.
const BURST: u64 = 4;
const BURSTS: usize = 16;

/// How what was sent in these intervals is spaced, across a path of this round trip.
pub(crate) fn spacing(flights: &[Flight], round_trip: Duration) -> Spacing {
    let sent: Vec<&Flight> = flights.iter().filter(|f| f.sent > 0).collect();
    let even = pace(&sent, round_trip).filter(|_| sent.len() >= LEAST);
    let Some(distance) = even else {
        return Spacing::Uneven;
    };
    let mut sizes: Vec<u64> = sent.iter().map(|flight| flight.sent).collect();
    sizes.sort_unstable();
    let usual = sizes.get(sizes.len() / 2).copied().unwrap_or(1).max(1);
    let each = flights.iter().enumerate();
    let mut bursts = each.filter(|(_, f)| f.sent >= BURST * usual).take(BURSTS);
    let is_fast = bursts.any(|(n, burst)| {
        let halves = burst.sent / usual;
        let within = round_trip + Duration::from_ps(distance.times(halves).as_ps() / 2);
        comes_through(flights.get(n..).unwrap_or_default(), burst, within)
    });
    if is_fast {
        return Spacing::Slower;
    }
    let all: u64 = sizes.iter().sum();
    let each = flights.iter().enumerate();
    let with: u64 = each
        .filter(|(n, _)| follows(flights, *n))
        .map(|(_, flight)| flight.sent)
        .sum();
    match with as f64 >= FOLLOWS * all as f64 {
        true => Spacing::Either,
        false => Spacing::Own,
    }
}

/// Whether all that was in flight with a burst, of which these intervals are the first, was acknowledged within so long.
fn comes_through(flights: &[Flight], burst: &Flight, within: Duration) -> bool {
    let soon = flights
        .iter()
        .take_while(|f| f.from.since(burst.from) <= within);
    soon.map(|flight| flight.delivered).sum::<u64>() >= burst.peak
}

/// Whether an acknowledgement came in the interval of this number, or right before it.
fn follows(flights: &[Flight], n: usize) -> bool {
    let before = n.checked_sub(1).and_then(|n| flights.get(n));
    let is_near = |b: &Flight| b.delivered > 0 && b.until.since(b.from) <= WITH;
    flights.get(n).is_some_and(|f| f.delivered > 0) || before.is_some_and(is_near)
}

/// The distance from each of these to the next where it is one for most of the time, and several pass in a round trip; none where it is not.
fn pace(sent: &[&Flight], round_trip: Duration) -> Option<Duration> {
    let later = sent.iter().skip(1);
    let pairs = sent.iter().zip(later);
    let mut distances: Vec<Duration> = pairs.map(|(a, b)| b.from.since(a.from)).collect();
    distances.sort_unstable();
    let at = |part: usize| distances.get(distances.len() / part).copied();
    let (middle, early) = (at(2)?, at(10)?);
    let seconds = |of: &[Duration]| of.iter().map(|d| d.as_secs_f64()).sum::<f64>();
    let near = distances.partition_point(|d| d.times(2) <= middle.times(HALVES));
    let share = seconds(&distances[..near]) / seconds(&distances).max(f64::MIN_POSITIVE);
    let is_seen = middle >= RESOLVED && middle.times(IN_A_ROUND) <= round_trip;
    (is_seen && early.times(2) >= middle && share >= EVEN).then_some(middle)
}

#[cfg(test)]
mod tests {
    use farpath_units::Time;

    use super::*;

    /// Intervals that begin at these tenths of a millisecond, with what was sent and delivered in each.
    fn flights(all: &[(u64, u64, u64)]) -> Vec<Flight> {
        let at = |tenths: u64| Time::ZERO + Duration::from_us(100 * tenths);
        let ends = all.iter().skip(1).map(|(from, ..)| *from);
        let ends = ends.chain([all.last().map_or(0, |last| last.0 + 10)]);
        all.iter()
            .zip(ends)
            .map(|((from, sent, delivered), until)| Flight {
                from: at(*from),
                until: at(until),
                sent: *sent,
                delivered: *delivered,
                peak: 31_000.max(*sent),
                ..Flight::default()
            })
            .collect()
    }

    const ROUND_TRIP: Duration = Duration::from_ms(100);

    /// Two segments each 9.3 ms (2.5 Mbit/s), of which acknowledgements come 4 ms before the next, or with it.
    #[test]
    fn a_pace_is_known_from_data_that_follows_acknowledgements() {
        let paced = |ack: u64| {
            let each = (0..200).flat_map(|n| match ack {
                0 => vec![(93 * n, 2896, 2896)],
                ack => vec![(93 * n, 2896, 0), (93 * n + ack, 0, 2896)],
            });
            spacing(&flights(&each.collect::<Vec<_>>()), ROUND_TRIP)
        };
        assert_eq!(paced(53), Spacing::Own);
        assert_eq!(paced(83), Spacing::Either, "they come a millisecond before");
        assert_eq!(paced(0), Spacing::Either);
    }

    /// The same with the acknowledgements, behind a first window of twelve segments that is acknowledged 106 ms later, or at the pace.
    #[test]
    fn a_burst_that_came_through_shows_that_the_path_is_faster() {
        let behind = |acknowledged: u64| {
            let mut all = vec![(0, 34_752, 0), (acknowledged, 0, 34_752)];
            all.extend((0..200).map(|n| (2200 + 93 * n, 2896, 2896)));
            spacing(&flights(&all), ROUND_TRIP)
        };
        assert_eq!(behind(1060), Spacing::Slower);
        assert_eq!(behind(2100), Spacing::Either);
    }

    /// A buffer of ten segments across 100 ms and 4 Mbit/s: five pairs 5.8 ms apart, and a pause until the first is acknowledged.
    #[test]
    fn a_buffer_leaves_a_pause_in_each_round() {
        let each = (0..40).flat_map(|n| (0..5).map(move |k| (1000 * n + 58 * k, 2896, 2896)));
        let all: Vec<(u64, u64, u64)> = each.collect();
        assert_eq!(spacing(&flights(&all), ROUND_TRIP), Spacing::Uneven);
        // Nor is one flight in each round trip a pace, or what is closer than intervals show.
        let once: Vec<(u64, u64, u64)> = (0..200).map(|n| (1000 * n, 14_480, 0)).collect();
        assert_eq!(spacing(&flights(&once), ROUND_TRIP), Spacing::Uneven);
        let close: Vec<(u64, u64, u64)> = (0..200).map(|n| (12 * n, 2896, 0)).collect();
        assert_eq!(spacing(&flights(&close), ROUND_TRIP), Spacing::Uneven);
        assert_eq!(spacing(&[], ROUND_TRIP), Spacing::Uneven);
    }
}
