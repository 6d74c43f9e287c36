//! What clocks leave open: times from an instant that one end stated to one that the other stated.

use farpath_record::{Record, Uncertainty};
use farpath_units::Duration;

use crate::metric::Unit;

/// Metrics that are such times, where the end that begins is not the one that reads.
const BETWEEN: [&str; 6] = [
    "completion_ns",
    "flow_time_avg_ns",
    "flow_time_p50_ns",
    "flow_time_p99_ns",
    "ramp_s",
    "silent_s",
];

/// Says between which values a record's times from one end to the other lie, whose clocks may be `error` apart; nothing where
/// they agree.
pub fn between_clocks(record: &mut Record, error: Duration) {
    if error == Duration::ZERO {
        return;
    }
    for name in BETWEEN {
        let Some(value) = record.metrics.get(name).copied() else {
            continue;
        };
        let error = match Unit::of(name) {
            Unit::S => error.as_secs_f64(),
            _ => error.as_ns() as f64,
        };
        let bounds = Uncertainty {
            low: Some((value - error).max(0.0)),
            high: Some(value + error),
            level: None,
        };
        record.uncertainty.insert(name.to_owned(), bounds);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use farpath_record::Origin;

    #[test]
    fn times_from_one_clock_to_another_are_as_uncertain_as_the_clocks() {
        let mut record = Record::new(Origin::Measured, "t", "tcp", "a", "b");
        for (name, value) in [
            ("completion_ns", 1e6),
            ("ramp_s", 0.5),
            ("rtt_avg_ns", 7e6),
            ("goodput_bps", 1e9),
        ] {
            record.set(name, value);
        }
        between_clocks(&mut record, Duration::ZERO);
        assert!(record.uncertainty.is_empty(), "one clock");
        between_clocks(&mut record, Duration::from_ms(2));
        let bounds: Vec<_> = record.uncertainty.iter().collect();
        let of = |low, high| Uncertainty {
            low: Some(low),
            high: Some(high),
            level: None,
        };
        assert_eq!(bounds.len(), 2, "{bounds:?}");
        assert_eq!(record.uncertainty["completion_ns"], of(0.0, 3e6));
        assert_eq!(record.uncertainty["ramp_s"], of(0.498, 0.502));
    }
}
