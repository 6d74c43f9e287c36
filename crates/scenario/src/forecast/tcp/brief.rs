//! Tests of a few round trips, whose mean is that of their start, and what a first flight carries whole.

use super::ramp::Ramp;
use crate::forecast::flow::Flow;
use crate::model::Test;

/// Round trips below which the start is a good part of a test: with an initial window of 10 segments it takes ten to a window of
/// 15 MB.
const FEW: f64 = 20.0;

impl Flow {
    /// Whether the first flight carries all of it, where one connection has `amount` bytes behind one another: its window does not grow,
    /// and laws of long transfers say nothing of it.
    pub(in crate::forecast) fn is_one_flight(&self, amount: Option<u64>) -> bool {
        amount.is_some_and(|bytes| bytes as f64 <= self.initial() * self.mss())
    }

    /// That a mean is the start's, where a test has few round trips and is measured from before its window is full.
    pub(super) fn doubt_of_short_test(&self, test: &Test, ramp: &Ramp) -> Option<String> {
        let (span, omit) = (test.duration?.as_secs_f64(), test.omit.as_secs_f64());
        let (rtt_s, ramp_s) = (self.rtt_s(), ramp.seconds());
        let rounds = span / rtt_s;
        (rounds < FEW && omit < ramp_s).then(|| {
            format!(
                "the mean of the start: {span} s are {rounds:.1} round trips of {:.1} ms, and slow start takes {ramp_s:.2} s; measure longer, or leave the start out with `omit`",
                rtt_s * 1e3
            )
        })
    }
}
