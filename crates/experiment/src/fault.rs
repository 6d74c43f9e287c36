//! Why a run did not come to its end: cause, remedy, and whose it is to mend.

use std::io;

use farpath_emu::bpf::BpfError;
use farpath_emu::lab::LabError;
use farpath_emu::rootless::Obstacle;
use farpath_emu::state::StateError;
use farpath_emu::tune::TuneError;
use farpath_probe::ConductorError;
use farpath_scenario::plan::PlanError;
use farpath_scenario::{Diagnostics, Find, SourceError};
use farpath_sim::RunError;

/// Whose a fault is; the command line makes an exit code of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// The scenario's text, or what was asked, is wrong.
    Usage,
    /// The machine does not allow it: privileges, kernel, memory, files.
    Environment,
    /// Somebody ended the run.
    Interrupted,
}

/// Why a run could not be made or did not end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// There is no such scenario, or it cannot be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The scenario's text is wrong; [`Diagnostics::render`] has colours.
    #[error(transparent)]
    Scenario(#[from] Diagnostics),
    /// The scenario cannot be built.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// Nothing to run.
    #[error("`{scenario}` has no test")]
    NoTest {
        /// The scenario's name.
        scenario: String,
    },
    /// A test was named that the scenario has not.
    #[error("--only {name}: no such test")]
    NoSuchTest {
        /// What was named.
        name: String,
        /// The tests there are.
        known: Vec<String>,
    },
    /// A congestion control was asked for where nothing has one.
    #[error("--cc {cc}: no test of `{scenario}` has a TCP connection")]
    NoConnection {
        /// What was asked for.
        cc: String,
        /// The scenario's name.
        scenario: String,
    },
    /// An object file was asked for and not named.
    #[error("--cc {cc}: no file is named")]
    NoObject {
        /// What was asked for.
        cc: String,
    },
    /// An object file's path has no meaning here.
    #[error("--cc {cc}: {error}")]
    ObjectPath {
        /// What was asked for.
        cc: String,
        /// Why.
        error: io::Error,
    },
    /// A test wants what no model has, and no origin with a kernel was asked.
    #[error(
        "test `{test}`: `{asked}` is known to kernels only, and is neither predicted nor simulated"
    )]
    KernelOnly {
        /// The test's name.
        test: String,
        /// What it asks for.
        asked: String,
    },
    /// Neither the kernel nor farpath has a congestion control of that name.
    #[error("this kernel has no congestion control `{name}`, and there is no BPF program for it")]
    NoControl {
        /// What was asked for.
        name: String,
        /// What the kernel has.
        available: Vec<String>,
    },
    /// The kernel does not say what congestion controls it has.
    #[error(transparent)]
    Controls(BpfError),
    /// A BPF program could not be registered.
    #[error("`{asked}`: {error}")]
    Program {
        /// What was asked for.
        asked: String,
        /// Why.
        error: BpfError,
    },
    /// What would be under way does not fit into memory.
    #[error(
        "what this scenario has under way may take {} MB of memory; {} MB are available",
        needed / 1_000_000,
        available / 1_000_000
    )]
    Memory {
        /// Bytes it may take.
        needed: u64,
        /// Bytes there are.
        available: u64,
    },
    /// A search has nothing to find.
    #[error("search `{name}`: already the {} end, {end}, is out of bounds{}", find.holds_at(), by_seed(*seed))]
    NoneHolds {
        /// The search's name.
        name: String,
        /// What it is for.
        find: Find,
        /// Where it begins.
        end: String,
        /// The seed of a repeat behind the first.
        seed: Option<u64>,
    },
    /// A capture could not be written.
    #[error("write the capture of link `{link}`: {error}")]
    Capture {
        /// The link's name.
        link: String,
        /// Why.
        error: io::Error,
    },
    /// `FARPATH_LAB` has a value without meaning.
    #[error("{0}")]
    Demand(String),
    /// This machine cannot run a lab.
    #[error("no lab: {0}")]
    NoLab(Obstacle),
    /// The machine's settings cannot be read.
    #[error("{0}")]
    Settings(String),
    /// The machine's settings cannot be changed or put back.
    #[error(transparent)]
    Tune(#[from] TuneError),
    /// Where labs are noted cannot be read or written.
    #[error(transparent)]
    State(#[from] StateError),
    /// A lab did not come up, or broke.
    #[error(transparent)]
    Lab(#[from] LabError),
    /// The measuring processes did not start.
    #[error(transparent)]
    Conductor(#[from] ConductorError),
    /// A simulation was ended, or cannot be built.
    #[error(transparent)]
    Run(#[from] RunError),
    /// An emulation was ended.
    #[error("interrupted; every host of the lab is gone")]
    LabInterrupted,
    /// A fault, and where it was met.
    #[error("{place}: {fault}")]
    At {
        /// The place.
        place: String,
        /// The fault.
        fault: Box<Fault>,
    },
}

/// What is wrong with the points of a sweep: everything with their texts, or the first fault of another kind.
#[derive(Debug, Default)]
pub struct Faults(Option<Fault>);

impl Faults {
    /// Takes what a point gave, and gives it back where there was no fault.
    pub fn of<T>(&mut self, point: Result<T, Fault>) -> Option<T> {
        match (point, &mut self.0) {
            (Ok(found), _) => return Some(found),
            (Err(Fault::Scenario(more)), Some(Fault::Scenario(known))) => known.add(more),
            (Err(first), none @ None) => *none = Some(first),
            // The text is to be mended first.
            (Err(_), Some(_)) => {}
        }
        None
    }

    /// Whether no more is worth finding.
    pub fn enough(&self) -> bool {
        match &self.0 {
            Some(Fault::Scenario(known)) => known.total >= Diagnostics::MOST,
            Some(_) => true,
            None => false,
        }
    }

    /// `Err` with the fault there was.
    pub fn none(self) -> Result<(), Fault> {
        self.0.map_or(Ok(()), Err)
    }
}

impl Fault {
    /// Whose it is to mend.
    pub fn class(&self) -> Class {
        match self {
            Fault::Source(_)
            | Fault::Scenario(_)
            | Fault::Plan(_)
            | Fault::NoTest { .. }
            | Fault::NoSuchTest { .. }
            | Fault::NoConnection { .. }
            | Fault::NoObject { .. }
            | Fault::ObjectPath { .. }
            | Fault::KernelOnly { .. }
            | Fault::NoneHolds { .. }
            | Fault::Demand(_)
            | Fault::State(StateError::Name(_))
            | Fault::Lab(LabError::Plan(_)) => Class::Usage,
            Fault::NoControl { .. }
            | Fault::Controls(_)
            | Fault::Program { .. }
            | Fault::Memory { .. }
            | Fault::Capture { .. }
            | Fault::NoLab(_)
            | Fault::Settings(_)
            | Fault::Tune(_)
            | Fault::State(_)
            | Fault::Lab(_)
            | Fault::Conductor(_) => Class::Environment,
            Fault::Run(RunError::Interrupted { .. }) | Fault::LabInterrupted => Class::Interrupted,
            Fault::Run(_) => Class::Usage,
            Fault::At { fault, .. } => fault.class(),
        }
    }

    /// What to do about it, where its words do not say so themselves.
    pub fn remedy(&self) -> Option<String> {
        let remedy = match self {
            Fault::NoTest { .. } => {
                "add a [[test]]: `farpath new` shows some; `farpath lab up` takes a scenario without"
            }
            Fault::NoSuchTest { known, .. } => {
                return Some(format!("the scenario has: {}", known.join(", ")));
            }
            Fault::NoControl { available, .. } => {
                return Some(format!(
                    "it has {}; highspeed, scalable and htcp come as BPF programs; bpf:FILE.o is one of your own",
                    available.join(", ")
                ));
            }
            Fault::At { fault, .. } => return fault.remedy(),
            Fault::NoObject { .. } => "write --cc bpf:my.o",
            Fault::KernelOnly { .. } => "add --emulate",
            Fault::Memory { .. } => {
                "use smaller windows, larger segments, fewer connections, a lower rate or fewer pings"
            }
            Fault::NoneHolds { find, .. } => match find {
                Find::Highest => {
                    "lower `low`, or check the metric and its bound; where large values hold, write find = \"lowest\""
                }
                Find::Lowest => {
                    "raise `high`, or check the metric and its bound; where small values hold, take find = \"lowest\" out"
                }
            },
            Fault::Lab(LabError::Memory { .. } | LabError::Allocate { .. }) => {
                "use a lower rate, a shorter path or smaller queues, or close other programs"
            }
            _ => return None,
        };
        Some(remedy.to_owned())
    }

    /// Says where it was met.
    #[must_use]
    pub fn at(self, place: impl Into<String>) -> Fault {
        Fault::At {
            place: place.into(),
            fault: Box::new(self),
        }
    }
}

/// Which repeat it was; nothing of the first, which has the run's own seed.
fn by_seed(seed: Option<u64>) -> String {
    seed.map_or(String::new(), |seed| format!(" with seed {seed}"))
}
