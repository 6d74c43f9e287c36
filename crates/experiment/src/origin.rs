//! Where answers come from: one implementation for each origin, and the list of them.

use farpath_record::{LinkRecord, Origin as Name, Point, Record, Sequence};
use farpath_scenario::Scenario;
use farpath_scenario::plan::Plan;

use crate::tap::Taps;
use crate::{Fault, Progress, Request, algorithms, emulate, predict, simulate};

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

/// Every origin that can be asked, in the order of their records. Adding one is a file and a line here.
const ORIGINS: [(Name, Make); 3] = [
    (Name::Predicted, |_| Box::new(predict::Predict)),
    (Name::Simulated, |r| Box::new(simulate::Simulate::new(r))),
    (Name::Emulated, |r| Box::new(emulate::Emulate::new(r))),
];

type Make = fn(&Request) -> Box<dyn Origin>;

/// The origins that a request asks.
pub(crate) fn asked(request: &Request) -> Vec<Box<dyn Origin>> {
    let asked = ORIGINS
        .iter()
        .filter(|(name, _)| request.origins.contains(name));
    asked.map(|(_, make)| make(request)).collect()
}

/// Answers a setting, and leaves out what a model cannot say of it.
pub(crate) fn answer(
    origin: &dyn Origin,
    setting: &Setting<'_>,
    progress: &mut dyn Progress,
) -> Result<Findings, Fault> {
    let mut found = origin.run(setting, progress)?;
    algorithms::leave_out(setting.scenario, origin, &mut found);
    Ok(found)
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
