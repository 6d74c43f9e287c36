//! Tests that ask and are answered, beyond what every connection shows.

use farpath_record::Record;
use farpath_units::{Duration, Time};

use crate::observation::Span;

/// What one asking end measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Asker {
    /// Whole answers within the measurement.
    pub measured: u64,
    /// Least, most and sum of the times from request to whole answer, of those.
    pub response: [Duration; 3],
    /// The instant of the last whole answer.
    pub last: Time,
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
}

fn ns(time: Duration) -> f64 {
    (time.as_ps() as f64 / 1000.0).round()
}
