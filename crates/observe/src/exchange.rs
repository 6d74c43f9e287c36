//! Tests that ask and are answered, beyond what every connection shows.

use farpath_record::Record;
use farpath_units::{Duration, Time};

use crate::percentile::percentile;
use crate::span::Span;

/// What one asking end measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Asker {
    /// Whole answers within the measurement.
    pub measured: u64,
    /// Least, most and sum of the times from request to whole answer, of those.
    pub response: [Duration; 3],
    /// Each of those times, in any order; fewer than `measured` where there were more than [`Asker::TIMES`].
    pub times: Vec<Duration>,
    /// The instant of the last whole answer.
    pub last: Time,
}

impl Asker {
    /// Most times kept for each asking end, 1 MiB of them; where there were more, p50 and p99 are unknown.
    pub const TIMES: usize = 1 << 17;
}

/// Requests answered within the measurement, how many that is a second, and how long they took.
pub(crate) fn fill(askers: &[Asker], span: &Span, record: &mut Record) {
    let answered: u64 = askers.iter().map(|a| a.measured).sum();
    record.set("requests", answered as f64);
    let last = askers.iter().map(|a| a.last).max().unwrap_or_default();
    let seconds = match span.duration {
        Some(duration) => duration.as_secs_f64(),
        None => last.since(span.from()).as_secs_f64(),
    };
    if seconds > 0.0 {
        record.set("request_rate", answered as f64 / seconds);
    }
    let some = || askers.iter().filter(|a| a.measured > 0);
    let least = some().map(|a| a.response[0]).min();
    let most = some().map(|a| a.response[1]).max();
    if let (Some(least), Some(most)) = (least, most) {
        let sum: f64 = some().map(|a| a.response[2].as_secs_f64()).sum();
        record.set("response_min_ns", ns(least));
        record.set("response_max_ns", ns(most));
        record.set("response_avg_ns", (sum / answered as f64 * 1e9).round());
    }
    let mut times: Vec<f64> = askers
        .iter()
        .flat_map(|a| &a.times)
        .map(|t| ns(*t))
        .collect();
    if !times.is_empty() && times.len() as u64 == answered {
        times.sort_by(f64::total_cmp);
        record.set("response_p50_ns", percentile(&times, 0.50));
        record.set("response_p99_ns", percentile(&times, 0.99));
        record.set_times("response_ns", &times);
    }
}

fn ns(time: Duration) -> f64 {
    (time.as_ps() as f64 / 1000.0).round()
}

#[cfg(test)]
mod tests {
    use super::*;
    use farpath_record::Origin;

    /// The nearest rank of all times, whichever connection they are of; none where not all are known.
    #[test]
    fn percentiles_are_of_every_response() {
        let asker = |ms: std::ops::RangeInclusive<u64>| Asker {
            measured: ms.clone().count() as u64,
            response: [Duration::from_ms(1); 3],
            times: ms.map(Duration::from_ms).collect(),
            last: Time::ZERO,
        };
        let of = |askers: &[Asker]| {
            let mut record = Record::new(Origin::Simulated, "t", "request", "a", "b");
            fill(askers, &Span::default(), &mut record);
            ["response_p50_ns", "response_p99_ns"].map(|m| record.metrics.get(m).copied())
        };
        let both = [asker(51..=100), asker(1..=50)];
        assert_eq!(of(&both), [Some(50e6), Some(99e6)]);
        let mut record = Record::new(Origin::Simulated, "t", "request", "a", "b");
        fill(&both, &Span::default(), &mut record);
        let times = &record.times["response_ns"];
        assert_eq!((times.count, times.v.len(), times.v[99]), (100, 100, 100e6));
        let mut cut = both.clone();
        cut[0].times.pop();
        assert_eq!(of(&cut), [None, None]);
        assert_eq!(of(&[]), [None, None]);
    }
}
