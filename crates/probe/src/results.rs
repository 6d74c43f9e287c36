//! What all hosts of a run reported, and how far the clock of one is from that of another.

use std::collections::BTreeMap;

use crate::clock::{ClockName, Offset, Utc};
use crate::report::Report;
use crate::system::System;

/// The reports of both ends of a flow, and what went wrong.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Results {
    /// By flow.
    pub reports: BTreeMap<usize, Vec<Report>>,
    /// By flow; those of no flow are the run's.
    pub faults: Vec<(Option<usize>, String)>,
    /// By host, of those that reported times.
    pub clocks: BTreeMap<String, HostClock>,
    /// By host, of those that say what they run on.
    pub systems: BTreeMap<String, System>,
    /// The run's time zero; none where it was never said, or the clock of the day is before 1970.
    pub zero: Option<Utc>,
}

impl Results {
    /// The largest error, in nanoseconds, of an instant that one host reported beside one that another reported, at any
    /// time of the run: 0 where they read one clock, none when one of them reported no times.
    pub fn clock_error_ns(&self, one: &str, other: &str) -> Option<u64> {
        let (one, other) = (self.clocks.get(one)?, self.clocks.get(other)?);
        if one.name.is(&other.name) {
            return Some(0);
        }
        Some(one.error_ns().saturating_add(other.error_ns()))
    }

    /// The same of any two hosts, the most: none when none reported times.
    pub fn largest_clock_error_ns(&self) -> Option<u64> {
        let hosts = || self.clocks.keys();
        let pairs = hosts().flat_map(|one| hosts().map(move |other| (one, other)));
        pairs
            .filter_map(|(one, other)| self.clock_error_ns(one, other))
            .max()
    }

    /// Settles what offsets mean: hosts that name one clock, and whose offsets do not contradict that, share the best
    /// known one; those that name `own`, the conductor's, have none.
    pub(crate) fn settle(&mut self, own: &ClockName) {
        let mut known: Vec<(ClockName, Offset)> = vec![(own.clone(), Offset::default())];
        let mut by_error: Vec<&mut HostClock> = self.clocks.values_mut().collect();
        by_error.sort_by_key(|clock| clock.start.error_ns);
        for clock in by_error {
            match known.iter().find(|(name, _)| name.is(&clock.name)) {
                Some((_, best)) if best.agrees_with(&clock.start) => clock.start = *best,
                // A copy of a running machine has its name, and a clock of its own.
                Some(_) => clock.name = ClockName::default(),
                None => known.push((clock.name.clone(), clock.start)),
            }
        }
    }

    /// Notes, on reports that compare times of two hosts, how far these may be off. `hosts` is by flow.
    pub(crate) fn note_clocks(&mut self, hosts: &BTreeMap<usize, Vec<String>>) {
        for (flow, hosts) in hosts {
            let [one, other] = &hosts[..] else { continue };
            let note = match self.clock_error_ns(one, other) {
                None | Some(0) => continue,
                Some(error_ns) => format!(
                    "times from one end to the other may be off by {:.3} ms: `{one}` and `{other}` have clocks of their own",
                    error_ns as f64 * 1e-6
                ),
            };
            let reports = self.reports.get_mut(flow).into_iter().flatten();
            for notes in reports.filter_map(Report::notes_between_ends) {
                notes.push(note.clone());
            }
        }
    }
}

/// A host's clock beside the conductor's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostClock {
    /// Which clock it is, where that is known and was not contradicted.
    pub(crate) name: ClockName,
    /// How far it was ahead of the conductor's before the start: the host's times are corrected by this.
    pub start: Offset,
    /// The same when the host was done; none when they were not compared again.
    pub end: Option<Offset>,
}

impl HostClock {
    /// How far the host's times of the run may be off beside the conductor's, in nanoseconds: what was not known
    /// at the start, and what has changed since, if that is known.
    pub fn error_ns(&self) -> u64 {
        let since = |end: Offset| end.distance_ns(&self.start).saturating_add(end.error_ns);
        self.start.error_ns.max(self.end.map_or(0, since))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(name: &str, offset_ns: i64, error_ns: u64) -> HostClock {
        HostClock {
            name: ClockName::named(name),
            start: Offset {
                offset_ns,
                error_ns,
            },
            end: None,
        }
    }

    fn results(clocks: &[HostClock]) -> Results {
        let names = ["a", "b", "c", "d"].map(str::to_owned);
        let mut results = Results {
            clocks: names.into_iter().zip(clocks.iter().cloned()).collect(),
            ..Results::default()
        };
        results.settle(&ClockName::named("own"));
        results
    }

    #[test]
    fn who_reads_one_clock_agrees_to_the_nanosecond() {
        let ours = clock("own", -12, 20);
        let (near, far) = (clock("away", 1000, 30), clock("away", 960, 300));
        let all = results(&[ours, far, near, clock("", 0, 7)]);
        assert_eq!(all.clocks["a"].start, Offset::default());
        assert_eq!(all.clocks["b"].start, all.clocks["c"].start);
        assert_eq!(all.clocks["b"].start.offset_ns, 1000, "the best known one");
        assert_eq!(all.clock_error_ns("b", "c"), Some(0));
        assert_eq!(all.clock_error_ns("a", "c"), Some(30));
        assert_eq!(all.clock_error_ns("c", "d"), Some(37));
        assert_eq!(all.clock_error_ns("a", "a"), Some(0));
        assert_eq!(all.clock_error_ns("a", "nobody"), None);
    }

    #[test]
    fn a_name_that_is_contradicted_is_none() {
        let all = results(&[
            clock("own", 21, 20),
            clock("away", 0, 10),
            clock("away", 50, 20),
        ]);
        assert_eq!(all.clocks["a"].start.offset_ns, 21);
        assert_eq!(all.clock_error_ns("a", "b"), Some(30));
        assert_eq!(all.clock_error_ns("b", "c"), Some(30));
    }

    #[test]
    fn what_changes_during_the_run_is_an_error() {
        let mut all = results(&[clock("", 100, 10)]);
        let host = all.clocks.get_mut("a").expect("a host");
        let (offset_ns, error_ns) = (60, 5);
        host.end = Some(Offset {
            offset_ns,
            error_ns,
        });
        assert_eq!(host.error_ns(), 45);
    }
}
