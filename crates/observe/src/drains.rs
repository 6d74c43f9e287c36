//! Drains: all that was written is under way, and comes out of a queue at an even rate, as the last megabyte of a download or an
//! answer that was sent at once. The sender has nothing more, and still it is the line that takes the time.
//!
//! A line delivers evenly. An acknowledgement that was held back, or a machine that was busy, brings everything together.

use farpath_units::Duration;

use crate::flight::{Flight, is_queue};

/// Flights of a drain that something was delivered in, at least; and bytes in them: sixteen full segments of Ethernet.
const FLIGHTS: usize = 8;
const BYTES: u64 = 16 * 1460;
/// Each quarter of the time delivers from half to one and a half times a quarter of the bytes.
const QUARTERS: usize = 4;
const EVEN: [f64; 2] = [0.5, 1.5];

/// Which flights are part of a drain; `floor` is the shortest round trip.
pub(crate) fn drained(flights: &[Flight], floor: Duration) -> Vec<bool> {
    let mut all = vec![false; flights.len()];
    let mut from = 0;
    while from < flights.len() {
        let rest = &flights[from..];
        let before = rest
            .iter()
            .take_while(|f| !may_drain(f) || f.delivered == 0);
        from += before.count();
        let rest = &flights[from..];
        let length = rest.iter().take_while(|f| may_drain(f)).count();
        // The last acknowledgement may be held back (RFC 1122 §4.2.3.2).
        let until = from + length.saturating_sub(1);
        if is_even(&flights[from..until]) && is_late(&flights[from..until], floor) {
            all[from..until].fill(true);
        }
        from += length;
    }
    all
}

/// Nothing is sent while all that was written is under way; it was seen to leave its sender, and is not being repaired.
fn may_drain(f: &Flight) -> bool {
    let is_repaired = f.recovery > Duration::ZERO || f.timeout > Duration::ZERO;
    f.sent == 0 && f.under_way > Duration::ZERO && !is_repaired && !f.far
}

/// Whether as much is delivered in each quarter of the time.
fn is_even(flights: &[Flight]) -> bool {
    let seconds = |f: &Flight| f.under_way.as_secs_f64();
    let whole: f64 = flights.iter().map(seconds).sum();
    let comings = flights.iter().filter(|f| f.delivered > 0).count();
    let bytes: u64 = flights.iter().map(|f| f.delivered).sum();
    if comings < FLIGHTS || bytes < BYTES {
        return false;
    }
    let (mut quarters, mut since) = ([0_u64; QUARTERS], 0.0);
    for f in flights {
        let middle = (since + seconds(f) / 2.0) / whole;
        let quarter = (middle * QUARTERS as f64) as usize;
        quarters[quarter.min(QUARTERS - 1)] += f.delivered;
        since += seconds(f);
    }
    let mean = bytes as f64 / QUARTERS as f64;
    let [least, most] = EVEN;
    let is_mean = |part: &u64| (least * mean..=most * mean).contains(&(*part as f64));
    quarters.iter().all(is_mean)
}

/// Whether what comes in the second half waited in a queue, all of it.
fn is_late(flights: &[Flight], floor: Duration) -> bool {
    let late = &flights[flights.len() / 2..];
    let mut known = late.iter().filter_map(|f| f.rtt).peekable();
    floor > Duration::ZERO && known.peek().is_some() && known.all(|rtt| is_queue(rtt, floor))
}

#[cfg(test)]
mod tests {
    use farpath_units::Time;

    use super::*;

    const FLOOR: Duration = Duration::from_ms(20);

    /// A burst, of which so many bytes come in each of the next flights of 5 ms, the first after 25 ms.
    fn answer(comes: &[u64]) -> Vec<Flight> {
        let at = |n: usize| Time::ZERO + Duration::from_ms(5 * n as u64);
        let flight = |n: usize| Flight {
            from: at(n),
            until: at(n + 1),
            idle: Duration::from_ms(5),
            under_way: Duration::from_ms(5),
            ..Flight::default()
        };
        let mut all = vec![Flight {
            sent: comes.iter().sum(),
            ..flight(0)
        }];
        for (n, bytes) in comes.iter().enumerate() {
            all.push(Flight {
                delivered: *bytes,
                rtt: (*bytes > 0).then_some(Duration::from_ms(25 + 5 * n as u64)),
                ..flight(n + 1)
            });
        }
        all
    }

    fn count(flights: &[Flight]) -> usize {
        drained(flights, FLOOR).iter().filter(|f| **f).count()
    }

    #[test]
    fn what_comes_evenly_behind_a_burst_drains_through_a_line() {
        let even = answer(&[2920; 16]);
        assert_eq!(drained(&even, FLOOR)[..2], [false, true]);
        assert_eq!(count(&even), 15, "all but the last");
        // The same rate in two steps, as a receiver joins segments.
        let joined = answer(&[5840, 0].repeat(10));
        assert_eq!(count(&joined), 19);
        assert_eq!(count(&answer(&[1460; 12])), 0, "a few packets");
        assert_eq!(count(&answer(&[8760; 6])), 0, "a few acknowledgements");
        assert_eq!(drained(&[], FLOOR), [false; 0]);
    }

    #[test]
    fn what_comes_together_or_without_a_queue_does_not() {
        let mut held = [0; 20];
        held[10..].fill(2920);
        held[18] = 60_000;
        assert_eq!(count(&answer(&held)), 0, "late, and then at once");
        let mut prompt = answer(&[2920; 16]);
        prompt.iter_mut().for_each(|f| f.rtt = Some(FLOOR));
        assert_eq!(count(&prompt), 0);
        let mut unknown = answer(&[2920; 16]);
        unknown.iter_mut().for_each(|f| f.rtt = None);
        assert_eq!(count(&unknown), 0);
        let mut repaired = answer(&[2920; 16]);
        repaired[8].recovery = Duration::from_ms(5);
        assert_eq!(count(&repaired), 0);
        let mut far = answer(&[2920; 16]);
        far.iter_mut().for_each(|f| f.far = true);
        assert_eq!(count(&far), 0);
    }
}
