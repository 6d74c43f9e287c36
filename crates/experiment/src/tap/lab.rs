//! Captures of tapped links in a lab.

use farpath_emu::capture::Capture;
use farpath_emu::lab::Lab;
use farpath_scenario::Scenario;

use super::{Taps, cannot_write, emulated_name};
use crate::{Fault, Progress};

/// The captures of a lab, each with its link's name.
pub(crate) struct LabCaptures(Vec<(String, Capture)>);

impl LabCaptures {
    /// From now on the lab's tapped links are captured, if anybody wants that.
    pub(crate) fn begin(
        lab: &mut Lab,
        scenario: &Scenario,
        taps: Option<&Taps>,
    ) -> Result<LabCaptures, Fault> {
        let sinks = taps.map_or_else(Vec::new, Taps::lab).into_iter();
        let begun = sinks.map(|(link, sink)| {
            let name = emulated_name(&scenario.links[link.0].name);
            let capture = lab.tap(link, sink).map_err(cannot_write(&name))?;
            Ok((name, capture))
        });
        Ok(LabCaptures(begun.collect::<Result<_, Fault>>()?))
    }

    /// Waits until all is written; the lab is gone by then.
    pub(crate) fn finish(self, progress: &mut dyn Progress) -> Result<(), Fault> {
        for (name, capture) in self.0 {
            match capture.finish().map_err(cannot_write(&name))? {
                0 => {}
                dropped => progress.note(&format!(
                    "the capture {name}.pcapng lacks {dropped} packets: the disk was too slow"
                )),
            }
        }
        Ok(())
    }
}
