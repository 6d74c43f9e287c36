//! The files of a run's captures: drafts while it runs, in place when it is done.

use std::path::Path;

use farpath_experiment::Fault;
use farpath_scenario::Scenario;

use crate::exit::{Failure, note};
use crate::output::{Pending, prepare_file};
use farpath_experiment::tap::{self, Sink, Taps};

/// Captures of this many bytes are announced.
const LARGE: u64 = 2_000_000_000;

/// The drafts, each with its link's name; nothing is left behind if they are never finished.
#[derive(Default)]
pub(crate) struct Captures(Vec<(String, Pending)>);

impl Captures {
    /// Drafts of a capture for every link with `tap = true`, in `folder`, and what writes them. A sweep has
    /// none: its points would overwrite each other's.
    pub(crate) fn prepare(
        folder: &Path,
        scenario: &Scenario,
    ) -> Result<(Captures, Option<Taps>), Failure> {
        let tapped = tap::tapped(scenario);
        if tapped.is_empty() {
            return Ok(Default::default());
        }
        if !scenario.sweep.is_empty() {
            note(
                "a sweep writes no captures; run one of its points with --set and without [sweep]",
            );
            return Ok(Default::default());
        }
        let expected = tap::expected_size(scenario)?;
        if expected >= LARGE {
            let gigabytes = expected as f64 / 1e9;
            note(&format!(
                "the captures in {} may take {gigabytes:.0} GB",
                folder.display()
            ));
        }
        let (mut files, mut sinks) = (Vec::new(), Vec::new());
        for link in tapped {
            let name = scenario.links[link.0].name.clone();
            let file = prepare_file(&folder.join(format!("{name}.pcapng")))?;
            let sink: Sink = Box::new(file.open()?);
            sinks.push((link, sink));
            files.push((name, file));
        }
        let captures = Captures(files);
        match Taps::new(scenario, sinks) {
            Ok(taps) => Ok((captures, Some(taps))),
            Err(fault) => Err(captures.failure(fault)),
        }
    }

    /// A fault of the run; that of a capture names its file.
    pub(crate) fn failure(&self, fault: Fault) -> Failure {
        if let Fault::Capture { link, error } = &fault
            && let Some((_, file)) = self.0.iter().find(|(name, _)| name == link)
        {
            return file.cannot_write(error);
        }
        fault.into()
    }

    /// Puts every file in place.
    pub(crate) fn finish(self, taps: Option<Taps>) -> Result<(), Failure> {
        let done = taps.map_or(Ok(()), Taps::finish);
        done.map_err(|fault| self.failure(fault))?;
        self.0.into_iter().try_for_each(|(_, file)| file.place())
    }
}
