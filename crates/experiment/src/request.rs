//! What is asked of a run.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;

use farpath_record::Origin;
use farpath_scenario::{Scenario, Set, Source};

use crate::loaded::read;
use crate::{Fault, Loaded, open};

/// What is asked of a run; [`Request::new`] is the least, and every field may be changed.
#[derive(Clone, Debug)]
pub struct Request {
    /// A scenario file, or the name of a shipped one.
    pub scenario: String,
    /// The scenario's text where it is in no file; the name is then only what it is called.
    pub source: Option<Source>,
    /// Keys of the scenario and their values, before anything else is made of it.
    pub sets: Vec<Set>,
    /// Files of expectations that are judged beside the scenario's own.
    pub expects: Vec<String>,
    /// What the scenario expects itself is not judged: it is the answer that those files ask for.
    pub marks_only: bool,
    /// The tests to run; none named are all.
    pub only: Vec<String>,
    /// The congestion control of every connection, as `cc` of a test has it; else each test's own.
    pub cc: Option<String>,
    /// The origins whose answers are wanted.
    pub origins: BTreeSet<Origin>,
    /// Those of them that are not available here and may be left out.
    pub not_run: BTreeSet<Origin>,
    /// The seed of all luck; else the scenario's own.
    pub seed: Option<u64>,
    /// How often each point is run, each time with a seed of its own; 0 counts as 1.
    pub repeats: u32,
    /// How many intervals series have, about; else the scenario's.
    pub intervals: Option<u32>,
    /// The simulation goes one instant at a time: slower, and the same to the bit.
    pub event_by_event: bool,
    /// In real time, the data plane never sleeps.
    pub busy: bool,
    /// In real time, settings of the whole machine may be changed for the run.
    pub tune_host: bool,
    /// Traces of connections are kept, for a page.
    pub sequences: bool,
    /// How many points, repeats and searches may go on at once; else as many as there are processors. What is
    /// in real time runs alone, and where memory is short fewer go on at once.
    pub jobs: Option<NonZeroUsize>,
}

impl Request {
    /// What a scenario's text is to say of this run beside `sets`, where it does not: then it is the text of what was run.
    pub(crate) fn beside(&self, scenario: &Scenario) -> Vec<Set> {
        let seed = self.seed.filter(|n| *n != scenario.seed);
        let intervals = self.intervals.filter(|n| *n != scenario.intervals);
        let seed = seed.map(|n| ("seed", n.to_string()));
        let intervals = intervals.map(|n| ("intervals", n.to_string()));
        let set = |(key, value): (&str, String)| {
            Set::new(format!("scenario.{key}"), &value).of_option(&format!("--{key}"), &value)
        };
        [seed, intervals].into_iter().flatten().map(set).collect()
    }

    /// Options beside the scenario's text that change what its tests give, in order.
    pub(crate) fn options(&self) -> Vec<String> {
        let only = self.only.iter().map(|test| format!("--only {test}"));
        let flags = [("--busy", self.busy), ("--tune-host", self.tune_host)];
        let flags = flags.into_iter().filter(|(_, given)| *given);
        let flags = flags.map(|(name, _)| name.to_owned());
        Vec::from_iter(only.chain(flags).collect::<BTreeSet<String>>())
    }

    /// Reads the scenario with these keys set.
    pub(crate) fn open(&self, sets: &[Set]) -> Result<Loaded, Fault> {
        match &self.source {
            Some(source) => read(source.clone(), sets),
            None => open(&self.scenario, sets),
        }
    }

    /// A scenario's predictions and simulation, once, as the scenario has it.
    pub fn new(scenario: impl Into<String>) -> Request {
        Request {
            scenario: scenario.into(),
            source: None,
            sets: Vec::new(),
            expects: Vec::new(),
            marks_only: false,
            only: Vec::new(),
            cc: None,
            origins: BTreeSet::from([Origin::Predicted, Origin::Simulated]),
            not_run: BTreeSet::new(),
            seed: None,
            repeats: 1,
            intervals: None,
            event_by_event: false,
            busy: false,
            tune_host: false,
            sequences: false,
            jobs: None,
        }
    }
}
