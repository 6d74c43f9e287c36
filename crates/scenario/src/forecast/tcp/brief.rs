//! Tests of a few round trips, whose mean is that of their start or hangs on their flights, and what a first flight carries whole.

use farpath_predict::Cc;

use super::ramp::Ramp;
use crate::forecast::flow::Flow;
use crate::model::Test;

/// Round trips below which the start is a good part of a test: with an initial window of 10 segments it takes ten to a window of
/// 15 MB.
const FEW: f64 = 20.0;
/// Part of a mean by which one flight more is worth a word.
const FLIGHT_WORTH: f64 = 0.01;

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

    /// By how much a measurement of not a whole number of round trips may be above or below the mean of a window that leaves the path empty
    /// for a part of each. Of what is left of the last one a whole flight may be in it, or none.
    pub(super) fn note_of_flights(
        &self,
        test: &Test,
        loss_bps: f64,
        ramp: &Ramp,
    ) -> Option<String> {
        let (span, omit) = (test.duration?.as_secs_f64(), test.omit.as_secs_f64());
        let window_bps = self.window_bps();
        let busy = window_bps * self.streams / self.narrowest.bps;
        let spread = self.config.pacing.is_some() || self.cc.is_some_and(Cc::is_bbr);
        let held = window_bps < loss_bps && busy < 1.0 && self.config.amount.is_none();
        if !held || spread || omit < ramp.seconds() {
            return None;
        }
        let rounds = span / ramp.apart.as_secs_f64();
        let rest = rounds - rounds.floor();
        let more = ((rest / busy).min(1.0) - rest) / rounds;
        let less = (rest - ((rest + busy - 1.0) / busy).max(0.0)) / rounds;
        (more.max(less) > FLIGHT_WORTH).then(|| {
            format!(
                "the measured time is {rounds:.1} round trips, and a window arrives in flights: goodput is up to {:.1} % above this mean where \
                 {:.0} of them arrive in it, and up to {:.1} % below where {:.0} do",
                more * 100.0,
                rounds.ceil(),
                less * 100.0,
                rounds.floor()
            )
        })
    }
}
