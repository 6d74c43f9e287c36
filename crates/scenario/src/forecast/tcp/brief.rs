//! Tests of a few round trips, whose mean is that of their start.

use super::{Flow, Ramp};
use crate::model::Test;

/// Round trips below which the start is a good part of a test: with an initial window of 10 segments it takes ten to a window of
/// 15 MB.
const FEW: f64 = 20.0;

impl Flow {
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
