//! What runs of a twin say of the verdict.

use farpath_observe::limit::Limit;

use super::Twin;
use crate::cause::Cause;
use crate::ceiling::bps;
use crate::document::Verify;

/// A twin agrees when its rate is within this share of the measured one.
const WITHIN: f64 = 0.15;

/// What one run of a twin gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Goodput, bit/s.
    pub goodput_bps: f64,
    /// What limited it, by the words of `limited_by`; none where the run does not say.
    pub limited_by: Option<String>,
}

/// The words of `limited_by` that a run has under this cause; none for a cause that no twin has.
pub(super) fn limits_of(cause: Cause) -> Option<&'static [&'static str]> {
    Some(match cause {
        Cause::Application => &["application"],
        Cause::SendBuffer => &["send_buffer"],
        Cause::ReceiveWindow | Cause::NoWindowScaling => &["receive_window"],
        Cause::Ramp => &["cwnd_slow_start"],
        Cause::RandomLoss => &["loss", "cwnd_recovery"],
        Cause::CongestionLoss | Cause::ShallowBuffer => &["link", "loss", "cwnd_recovery"],
        Cause::Policer => &["policer", "loss", "cwnd_recovery"],
        Cause::Shaper => &["link"],
        // A line may be nearly full while windows grow back after what its queue lost.
        Cause::Link | Cause::None => &["link", "cwnd_recovery"],
        Cause::Pacing => &["pacing", "nic", "link"],
        _ => return None,
    })
}

/// The median run, and the least and largest rate.
fn median(runs: &[Run]) -> Option<(&Run, f64, f64)> {
    let mut sorted: Vec<&Run> = runs.iter().collect();
    sorted.sort_by(|a, b| a.goodput_bps.total_cmp(&b.goodput_bps));
    let (first, last) = (sorted.first()?, sorted.last()?);
    let middle = sorted[(sorted.len() - 1) / 2];
    Some((middle, first.goodput_bps, last.goodput_bps))
}

impl Twin {
    /// What the runs before and after the change say. `before` and `after` are of one origin.
    pub fn judge(&self, before: &[Run], after: &[Run]) -> Verify {
        let mut notes = self.notes.clone();
        let after = median(after);
        let mut verify = Verify {
            scenario: Some(self.scenario.clone()),
            measured_bps: self.measured_bps,
            after_bps: after.map(|(run, ..)| run.goodput_bps.round()),
            after_limited_by: after.and_then(|(run, ..)| run.limited_by.clone()),
            predicted_bps: self.predicted_bps.map(f64::round),
            runs: before.len(),
            ..Verify::default()
        };
        if let Some((run, low, high)) = median(before) {
            verify.before_bps = Some(run.goodput_bps.round());
            verify.before_low_bps = Some(low.round());
            verify.before_high_bps = Some(high.round());
            verify.before_limited_by = run.limited_by.clone();
            let faults = self.faults(run, low, high);
            let known = self.measured_bps.is_some() && limits_of(self.cause).is_some();
            let decided = known && !self.fitted || !faults.is_empty();
            verify.agrees = decided.then_some(faults.is_empty());
            notes.extend(faults);
        }
        verify.notes = notes;
        verify
    }

    /// Where the twin and the measurement part.
    fn faults(&self, run: &Run, low: f64, high: f64) -> Vec<String> {
        let mut all = Vec::new();
        let within = |m: &f64| low <= m * (1.0 + WITHIN) && high >= m * (1.0 - WITHIN);
        let measured = self.measured_bps.filter(|_| !self.fitted);
        if let Some(measured) = measured.filter(|m| !within(m)) {
            all.push(format!(
                "the twin gives {} where {} were measured, more than {:.0} % off: the verdict is in doubt",
                bps(run.goodput_bps),
                bps(measured),
                WITHIN * 100.0
            ));
        }
        let said = run.limited_by.as_deref().unwrap_or("unknown");
        if let Some(limits) = limits_of(self.cause).filter(|l| !l.contains(&said)) {
            let words = |name: &&str| Limit::named(name).map_or("unknown", Limit::words);
            let expected: Vec<&str> = limits.iter().map(words).collect();
            all.push(format!(
                "{} limits the twin. The verdict is {}, under which it is {}: the verdict is in doubt",
                words(&said),
                self.cause.words(),
                expected.join(" or ")
            ));
        }
        all
    }
}
