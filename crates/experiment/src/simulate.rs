//! The simulation: virtual time, packet by packet.

use std::cell::Cell;

use farpath_element::Mode;
use farpath_record::Origin as Name;
use farpath_sim as sim;

use crate::origin::{Findings, Origin, Setting};
use crate::tap::Taps;
use crate::{Fault, Progress, Request, sequence};

/// Runs the model.
pub(crate) struct Simulate {
    mode: Mode,
}

impl Simulate {
    /// One instant at a time if that is asked.
    pub(crate) fn new(request: &Request) -> Simulate {
        Simulate {
            mode: if request.event_by_event {
                Mode::EventByEvent
            } else {
                Mode::Windowed(sim::WINDOW)
            },
        }
    }

    fn outcome(
        &self,
        setting: &Setting<'_>,
        progress: &mut dyn Progress,
    ) -> Result<sim::Outcome, Fault> {
        let mut told = 0;
        let cannot_write = Cell::new(false);
        let mut report = |p: sim::Progress| {
            let done = (p.now.as_secs_f64() / p.end.as_secs_f64() * 1000.0) as u64;
            let done = done.clamp(told, 1000);
            progress.advance(done - told);
            told = done;
            !progress.interrupted() && !cannot_write.get()
        };
        let is_captured = setting.taps.is_some_and(Taps::is_simulated);
        let keep = sim::Keep {
            sequence: setting.sequence,
            audit: false,
            taps: is_captured,
            clocks: is_captured,
        };
        let outcome = sim::run(
            setting.scenario,
            sim::Options {
                mode: self.mode,
                seed: setting.seed,
                intervals: setting.scenario.intervals.into(),
                keep,
                progress: &mut report,
                tap: &mut |scenario, built, frames| {
                    if let Some(taps) = setting.taps {
                        cannot_write.set(!taps.write(scenario, built, frames));
                    }
                },
            },
        );
        progress.advance(1000 - told);
        setting.taps.map_or(Ok(()), Taps::failed)?;
        Ok(outcome?)
    }
}

impl Origin for Simulate {
    fn name(&self) -> Name {
        Name::Simulated
    }

    fn run(&self, setting: &Setting<'_>, progress: &mut dyn Progress) -> Result<Findings, Fault> {
        let outcome = self.outcome(setting, progress)?;
        let (scenario, point) = (setting.scenario, setting.point);
        let mut findings = Findings {
            records: sim::records(scenario, &outcome, point),
            links: sim::links(scenario, &outcome, point),
            sequences: Vec::new(),
        };
        if setting.sequence > 0 {
            findings.sequences = sequence::of(scenario, outcome, point);
        }
        Ok(findings)
    }
}
