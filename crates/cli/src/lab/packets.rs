//! What the hosts of a `lab run` send and are given, into files if wanted.

use std::path::Path;

use farpath_emu::capture::Capture;
use farpath_emu::lab::Lab;
use farpath_scenario::{NodeId, Scenario};

use crate::exit::{Failure, note};
use crate::output::{Pending, prepare_file};

/// The captures of one run: a file for each host, in a folder or nowhere.
pub(super) struct Packets<'a> {
    folder: Option<&'a Path>,
    /// The files, made before anything runs, one for each host in the scenario's order: their drafts are gone again if nothing
    /// comes of it.
    files: Vec<(String, Pending)>,
    captures: Vec<Capture>,
}

impl<'a> Packets<'a> {
    /// Those of the hosts of `scenario` in `folder`, which is made if need be.
    pub(super) fn new(
        folder: Option<&'a Path>,
        scenario: &Scenario,
    ) -> Result<Packets<'a>, Failure> {
        let mut packets = Packets {
            folder,
            files: Vec::new(),
            captures: Vec::new(),
        };
        let Some(folder) = folder else {
            return Ok(packets);
        };
        std::fs::create_dir_all(folder).map_err(|e| {
            let title = format!("--capture {}: create the folder: {e}", folder.display());
            Failure::environment(title).hint("name a folder in a place you may write to")
        })?;
        for host in &scenario.hosts {
            let file = prepare_file(&folder.join(format!("{}.pcapng", host.name)))?;
            packets.files.push((host.name.clone(), file));
        }
        Ok(packets)
    }

    /// From now on everything is captured.
    pub(super) fn begin(&mut self, lab: &mut Lab) -> Result<(), Failure> {
        for (number, (_, file)) in self.files.iter().enumerate() {
            let sink = Box::new(file.open()?);
            let begun = lab.capture(NodeId(number), sink);
            self.captures
                .push(begun.map_err(|e| file.cannot_write(&e))?);
        }
        Ok(())
    }

    /// Waits until all is written; the lab is gone by then. What is missing is a note: the run is what it was.
    pub(super) fn finish(self) -> Result<(), Failure> {
        let Some(folder) = self.folder.filter(|_| !self.captures.is_empty()) else {
            return Ok(());
        };
        for (capture, (host, file)) in self.captures.into_iter().zip(self.files) {
            match capture.finish() {
                Ok(0) => {}
                Ok(dropped) => note(&format!(
                    "{host}.pcapng lacks {dropped} packets: the disk was too slow"
                )),
                Err(e) => note(&format!("{host}.pcapng is not complete: {e}")),
            }
            file.place()?;
        }
        note(&format!(
            "captures of each host are in {}: farpath trace reads them",
            folder.display()
        ));
        Ok(())
    }
}
