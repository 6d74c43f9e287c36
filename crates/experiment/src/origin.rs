//! Where answers come from: one implementation for each origin.

use farpath_record::{LinkRecord, Origin as Name, Point, Record, Sequence};
use farpath_scenario::Scenario;
use farpath_scenario::plan::Plan;

use crate::tap::Taps;
use crate::{Fault, Progress};

/// Something that answers a scenario.
pub trait Origin: Send + Sync {
    /// What its records say they are.
    fn name(&self) -> Name;

    /// Whether it has luck: if not, one answer stands for all repeats.
    fn lucky(&self) -> bool {
        true
    }

    /// Whether it runs in real time: alone on the machine, one point after the other.
    fn real_time(&self) -> bool {
        false
    }

    /// Whether kernels do the work: they have congestion controls that no model knows.
    fn kernels(&self) -> bool {
        false
    }

    /// Answers one point with one seed.
    fn run(&self, setting: &Setting<'_>, progress: &mut dyn Progress) -> Result<Findings, Fault>;
}

/// What one run is given.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    /// The scenario at the point.
    pub scenario: &'a Scenario,
    /// Its plan.
    pub plan: &'a Plan,
    /// The point of the sweep, which records carry.
    pub point: &'a Point,
    /// The seed of all luck.
    pub seed: u64,
    /// Bursts of each kind that a connection's trace keeps; with 0 there is none.
    pub sequence: usize,
    /// Who writes what tapped links carry, if anybody does.
    pub taps: Option<&'a Taps>,
}

/// What one run gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    /// One for each test, in the scenario's order.
    pub records: Vec<Record>,
    /// Both directions of every link.
    pub links: Vec<LinkRecord>,
    /// Traces of connections.
    pub sequences: Vec<Sequence>,
}

impl Findings {
    /// Adds what another run gave.
    pub(crate) fn append(&mut self, mut other: Findings) {
        self.records.append(&mut other.records);
        self.links.append(&mut other.links);
        self.sequences.append(&mut other.sequences);
    }
}
