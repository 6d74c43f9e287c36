//! Going on with a run that was stopped: what had ended of it is not run again.

use farpath_record::{EndedRun, Origin as Name, RESUME_SCHEMA, RunOf, Unfinished};

use crate::experiment::Wanted;
use crate::jobs::Job;
use crate::origin::Findings;
use crate::{Experiment, Progress};

impl Experiment {
    /// What a run that goes on with this one needs: which run it is, and what of it has `ended`. `commit` is what farpath was
    /// built from.
    pub fn unfinished(&self, commit: Option<String>, ended: Vec<EndedRun>) -> Unfinished {
        Unfinished {
            schema: RESUME_SCHEMA.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            commit,
            seed: self.seed(),
            scenario_sha256: self.loaded.sha256(),
            options: self.request.options(),
            runs: ended,
        }
    }

    /// Takes what had ended of an earlier run of the same: it is not run again. Gives how many simulated and emulated runs that
    /// are. First repeats of points whose links are captured are run again, since their packets are not kept.
    ///
    /// # Errors
    /// What the earlier run was of, where that is something else.
    pub fn resume(&mut self, earlier: Unfinished, commit: Option<String>) -> Result<usize, String> {
        let own = self.unfinished(commit, Vec::new());
        if let Some(differs) = earlier.differs_from(&own) {
            return Err(differs);
        }
        if let Some(words) = earlier.runs.iter().find_map(|run| self.unasked_of(&run.of)) {
            return Err(words);
        }
        let captured = |at: &farpath_scenario::Scenario| at.links.iter().any(|l| l.tap);
        let captures = self.planned().any(|(scenario, _)| captured(scenario));
        let kept = |run: &EndedRun| !captures || run.of.repeat > 0 || run.of.search.is_some();
        let runs = earlier.runs.into_iter().filter(kept);
        let found = |run: EndedRun| {
            let findings = Findings {
                records: run.records,
                links: run.links,
                sequences: run.sequences,
            };
            (run.of, findings)
        };
        self.before = runs.map(found).collect();
        let took_time = |of: &&RunOf| of.origin != Name::Predicted;
        Ok(self.before.keys().filter(took_time).count())
    }

    /// What an earlier run had that this one is not asked for, and would throw away; `None` where it is asked for.
    fn unasked_of(&self, of: &RunOf) -> Option<String> {
        if !self.request.origins.contains(&of.origin) {
            return Some(format!("a run with {} results", of.origin.name()));
        }
        let repeats = self.request.repeats.max(1);
        (of.repeat >= repeats).then(|| format!("more repeats than {repeats}"))
    }

    /// A run that is wanted, with nothing to do where it had ended before.
    pub(crate) fn wanted<'a>(&'a self, of: RunOf, mut job: Job<'a, Findings>) -> Wanted<'a> {
        if let Some(found) = self.before.get(&of) {
            // Closed forms take no part of the time.
            let done = match of.origin {
                Name::Predicted => 0,
                _ => 1000,
            };
            job.work = Box::new(move |progress: &mut dyn Progress| {
                progress.advance(done);
                Ok(found.clone())
            });
        }
        (of, job)
    }

    /// What came of a run, or had come of it before: nothing is begun behind a fault.
    pub(crate) fn or_before(
        &self,
        (of, found): (RunOf, Option<Findings>),
    ) -> (RunOf, Option<Findings>) {
        let found = found.or_else(|| self.before.get(&of).cloned());
        (of, found)
    }

    /// What has ended, of an earlier run too.
    pub(crate) fn ended<'r>(
        &self,
        now: impl Iterator<Item = &'r (RunOf, Option<Findings>)>,
    ) -> Vec<EndedRun> {
        let mut all = self.before.clone();
        all.extend(now.filter_map(|(of, found)| Some((of.clone(), found.clone()?))));
        let ended = |(of, found): (RunOf, Findings)| EndedRun {
            of,
            records: found.records,
            links: found.links,
            sequences: found.sequences,
        };
        all.into_iter().map(ended).collect()
    }
}
