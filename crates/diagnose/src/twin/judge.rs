//! What runs of a twin say of the verdict.

use farpath_observe::limit::Limit;

use super::Twin;
use crate::cause::Cause;
use crate::ceiling::bps;
use crate::document::Verify;
use crate::lines::bloat::ms;

/// A twin agrees when its rate is within this share of the measured one.
const WITHIN: f64 = 0.15;

/// What one run of a twin gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Goodput, bit/s.
    pub goodput_bps: f64,
    /// What limited it, by the words of `limited_by`; none where the run does not say.
    pub limited_by: Option<String>,
    /// Its mean round trip, seconds.
    pub rtt_s: Option<f64>,
}

/// A twin whose round trip under load is so many times what was measured, or that part of it, has another queue.
const OTHER_QUEUE: f64 = 2.0;

/// Round trips that differ by less than this, seconds, have no queue that matters.
const RTT_LEAST_S: f64 = 0.002;

/// Whether what was measured is near the range of runs.
fn near(low: f64, high: f64, measured: f64) -> bool {
    low <= measured * (1.0 + WITHIN) && high >= measured * (1.0 - WITHIN)
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
        Cause::MtuBlackHole => &["mtu"],
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
            let ns = |s: f64| (s * 1e9).round();
            let both = self.rtt_s.zip(run.rtt_s);
            (verify.measured_rtt_ns, verify.before_rtt_ns) =
                both.map_or((None, None), |(own, twin)| (Some(ns(own)), Some(ns(twin))));
            let faults = self.faults(run, low, high);
            // A cause that the twin has nothing of is neither confirmed nor put in doubt by what it gives.
            if limits_of(self.cause).is_some() {
                let decided = self.measured_bps.is_some() && !self.fitted || !faults.is_empty();
                verify.agrees = decided.then_some(faults.is_empty());
            }
            notes.extend(faults);
        }
        notes.extend(verify.promised(self.line_assumed));
        if verify.is_worse() {
            // What makes it slower does not mend what limits it.
            verify.agrees = verify.agrees.map(|_| false);
        }
        verify.notes = notes;
        verify
    }

    /// Where the twin and the measurement part.
    fn faults(&self, run: &Run, low: f64, high: f64) -> Vec<String> {
        let mut all = Vec::new();
        // How much payload a buffer holds is known to a factor: where the measured rate and the twin's are both what it allows, they agree. The
        // mean of a test has its start in it, and what a window allows has not.
        let allowed = |m: &f64| {
            self.bounds_bps.is_some_and(|[least, most]| {
                let bounds = least * (1.0 - WITHIN)..=most * (1.0 + WITHIN);
                bounds.contains(m) && bounds.contains(&run.goodput_bps)
            })
        };
        let within = |m: &f64| near(low, high, *m) || allowed(m);
        let measured = self.measured_bps.filter(|_| !self.fitted);
        let parts = limits_of(self.cause).is_some();
        if let Some(measured) = measured.filter(|m| !within(m)) {
            let gives = format!(
                "the twin gives {} where {} were measured",
                bps(run.goodput_bps),
                bps(measured)
            );
            all.push(match parts {
                true => format!(
                    "{gives}, more than {:.0} % off: the verdict is in doubt",
                    WITHIN * 100.0
                ),
                false => format!(
                    "{gives}: it has nothing of {}, so that this does not decide",
                    self.cause.words()
                ),
            });
        }
        all.extend(self.other_queue(run));
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

impl Twin {
    /// That the twin's round trip under load is far from the measured one, though its rate may be near.
    fn other_queue(&self, run: &Run) -> Option<String> {
        let (measured, twin) = self.rtt_s.zip(run.rtt_s)?;
        let far = twin > OTHER_QUEUE * measured || twin < measured / OTHER_QUEUE;
        let apart = (twin - measured).abs() > RTT_LEAST_S;
        let ends = match limits_of(self.cause) {
            Some(_) => "its queue is another, and the verdict is in doubt",
            None => "its queue is another",
        };
        (far && apart).then(|| {
            format!(
                "the twin's mean round trip is {}, where {} were measured under load: {ends}",
                ms(twin),
                ms(measured)
            )
        })
    }
}

/// A rate after the change that is this many times what was predicted, or that part of it, is another story.
const FAR: f64 = 2.0;

impl Verify {
    /// Whether the twin is slower after the change than before it.
    fn is_worse(&self) -> bool {
        let both = self.after_bps.zip(self.before_bps);
        both.is_some_and(|(after, before)| after < before * (1.0 - WITHIN))
    }

    /// Whether what the twin gives after the change is far from what was predicted.
    fn is_far(&self) -> bool {
        let both = self.after_bps.zip(self.predicted_bps);
        both.is_some_and(|(after, predicted)| after > FAR * predicted || after < predicted / FAR)
    }

    /// What the twin gives after the change beside what was predicted, and beside what it gave before, where they part.
    fn promised(&self, line_assumed: bool) -> Option<String> {
        let after = self.after_bps?;
        if let Some(before) = self.before_bps.filter(|_| self.is_worse()) {
            return Some(format!(
                "after the change the twin is slower, {} where it gave {}: the change is in doubt, or the twin's hosts are not those of the texts",
                bps(after),
                bps(before)
            ));
        }
        let predicted = self.predicted_bps?;
        if after > predicted * FAR {
            return Some(format!(
                "the twin gives {} after the change, {:.0} times the prediction of {}: it has nothing of what is said to limit next",
                bps(after),
                after / predicted,
                bps(predicted)
            ));
        }
        // An assumed line is all that the twin can give.
        (predicted > after * (1.0 + WITHIN) && !line_assumed).then(|| {
            format!(
                "the prediction of {} is what limits next, a ceiling; the twin gives {} after the change, {:.0} % less: expect no more than that",
                bps(predicted),
                bps(after),
                100.0 * (1.0 - after / predicted)
            )
        })
    }

    /// Whether the twin agrees, within what and of which runs, for people.
    pub fn in_words(&self) -> String {
        match self.agrees {
            Some(true) => {}
            Some(false) if self.is_worse() => {
                return "THE CHANGE IS IN DOUBT: the twin is slower after it".to_owned();
            }
            Some(false) => return "THE VERDICT IS IN DOUBT: the twin does not agree".to_owned(),
            None => return "the twin does not decide".to_owned(),
        }
        let limits = match self.measured_rtt_ns.zip(self.before_rtt_ns) {
            Some((measured, twin)) => format!(
                "its mean round trip of {} is near the {} measured under load, and what limits it is the verdict",
                ms(twin * 1e-9),
                ms(measured * 1e-9)
            ),
            None => "what limits it is the verdict".to_owned(),
        };
        let off = self.before_bps.zip(self.measured_bps);
        let off = off.map_or(0.0, |(twin, measured)| (twin / measured - 1.0).abs());
        let within = 100.0 * WITHIN;
        let change = match self.is_far() {
            true => ". After the change it is far from what was predicted",
            false => "",
        };
        match (self.before_low_bps, self.before_high_bps) {
            (Some(low), Some(high)) if self.measured_bps.is_some_and(|m| !near(low, high, m)) => {
                format!(
                    "the twin agrees as far as texts say it: they leave open how much payload the buffer holds, and {} measured and {} of the twin are both within that; {limits}{change}",
                    bps(self.measured_bps.unwrap_or(0.0)),
                    bps(self.before_bps.unwrap_or(0.0)),
                )
            }
            (Some(low), Some(high)) if off > WITHIN => format!(
                "the twin agrees: what was measured is within {within:.0} % of the range of its {} runs, {} to {}, though {:.0} % off their median, and {limits}{change}",
                self.runs,
                bps(low),
                bps(high),
                100.0 * off
            ),
            _ => format!(
                "the twin agrees: its rate is within {within:.0} % of the measured one, and {limits}{change}"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn twin(cause: Cause, predicted_bps: Option<f64>) -> Twin {
        Twin {
            scenario: String::new(),
            after: None,
            repeats: 5,
            measured_bps: Some(306e6),
            predicted_bps,
            rtt_s: None,
            notes: Vec::new(),
            cause,
            fitted: false,
            line_assumed: false,
            bounds_bps: None,
        }
    }

    fn runs(limit: &str, all: &[f64]) -> Vec<Run> {
        let run = |bps: &f64| Run {
            goodput_bps: *bps,
            limited_by: Some(limit.to_owned()),
            rtt_s: Some(0.16),
        };
        all.iter().map(run).collect()
    }

    #[test]
    fn of_several_runs_the_range_agrees_and_the_median_is_said_to_be_off() {
        let twin = twin(Cause::RandomLoss, None);
        let far = twin.judge(&runs("loss", &[191e6, 240e6, 248e6, 260e6, 333e6]), &[]);
        assert_eq!(far.agrees, Some(true));
        let words = far.in_words();
        assert!(
            words.contains(
                "range of its 5 runs, 191 Mbit/s to 333 Mbit/s, though 19 % off their median"
            ),
            "{words}"
        );
        let near = twin.judge(&runs("loss", &[290e6]), &[]).in_words();
        assert!(
            near.contains("its rate is within 15 % of the measured one"),
            "{near}"
        );
        let none = twin.judge(&runs("loss", &[100e6]), &[]);
        assert_eq!(none.agrees, Some(false));
    }

    #[test]
    fn a_rate_alone_does_not_agree_where_the_round_trip_under_load_is_another() {
        let mut twin = twin(Cause::Shaper, None);
        let alike = twin.judge(&runs("link", &[300e6]), &[]);
        assert_eq!((alike.agrees, alike.before_rtt_ns), (Some(true), None));
        twin.rtt_s = Some(0.15);
        let near = twin.judge(&runs("link", &[300e6]), &[]);
        assert_eq!(near.agrees, Some(true));
        let words = near.in_words();
        assert!(
            words.contains("mean round trip of 160 ms is near the 150 ms measured"),
            "{words}"
        );
        twin.rtt_s = Some(0.05);
        let far = twin.judge(&runs("link", &[300e6]), &[]);
        assert_eq!(far.agrees, Some(false));
        assert!(
            far.notes[0].contains("160 ms, where 50.0 ms"),
            "{:?}",
            far.notes
        );
    }

    #[test]
    fn a_rate_within_what_a_buffer_allows_is_not_put_in_doubt() {
        let mut twin = twin(Cause::SendBuffer, Some(900e6));
        let of = |twin: &Twin| twin.judge(&runs("send_buffer", &[380e6]), &runs("link", &[600e6]));
        assert_eq!(of(&twin).agrees, Some(false));
        twin.bounds_bps = Some([170e6, 385e6]);
        assert_eq!(of(&twin).agrees, Some(true));
        assert!(
            of(&twin)
                .in_words()
                .contains("306 Mbit/s measured and 380 Mbit/s of the twin")
        );
        let said = |twin: &Twin| of(twin).notes.iter().any(|n| n.contains("expect no more"));
        assert!(said(&twin));
        // A mean that its start brings just below what the buffer allows is none the worse for that, and one far below is.
        for (least, agrees) in [(310e6, true), (400e6, false)] {
            twin.bounds_bps = Some([least, 480e6]);
            assert_eq!(of(&twin).agrees, Some(agrees), "{least}");
        }
        twin.bounds_bps = Some([170e6, 385e6]);
        twin.line_assumed = true;
        assert!(!said(&twin), "the line is the twin's own");
    }

    #[test]
    fn a_cause_the_twin_has_nothing_of_is_not_put_in_doubt() {
        let verify = twin(Cause::Disk, None).judge(&runs("link", &[9.4e9]), &[]);
        assert_eq!(verify.agrees, None);
        assert_eq!(verify.in_words(), "the twin does not decide");
        assert!(
            verify.notes[0].ends_with("so that this does not decide"),
            "{:?}",
            verify.notes
        );
        assert!(!verify.notes.iter().any(|n| n.contains("in doubt")));
    }

    #[test]
    fn what_makes_the_twin_slower_or_is_far_from_the_prediction_is_said() {
        let twin = twin(Cause::ReceiveWindow, Some(940e6));
        let before = runs("receive_window", &[306e6]);
        let worse = twin.judge(&before, &runs("loss", &[2.4e5]));
        assert_eq!(worse.agrees, Some(false));
        let words = worse.in_words();
        assert!(words.starts_with("THE CHANGE IS IN DOUBT"), "{words}");
        let note = &worse.notes[0];
        assert!(
            note.contains("slower, 240 kbit/s where it gave 306 Mbit/s"),
            "{note}"
        );
        for after in [400e6, 3.9e9] {
            let far = twin.judge(&before, &runs("link", &[after]));
            assert_eq!(far.agrees, Some(true));
            let words = far.in_words();
            assert!(words.ends_with("far from what was predicted"), "{words}");
            assert_eq!(far.notes.len(), 1, "{:?}", far.notes);
        }
        let near = twin.judge(&before, &runs("link", &[900e6]));
        assert!(near.in_words().ends_with("is the verdict"));
    }

    #[test]
    fn a_prediction_above_the_twin_after_the_change_is_said_to_be_one() {
        let twin = twin(Cause::RandomLoss, Some(6.94e9));
        let before = runs("loss", &[306e6]);
        let less = twin.judge(&before, &runs("pacing", &[4.71e9]));
        assert!(
            less.notes[0].contains("32 % less: expect no more"),
            "{:?}",
            less.notes
        );
        let same = twin.judge(&before, &runs("pacing", &[6.8e9]));
        assert!(same.notes.is_empty(), "{:?}", same.notes);
    }
}
