//! What the hosts of a `lab run` send and are given, into files if wanted.

use std::path::Path;

use farpath_emu::capture::Capture;
use farpath_emu::lab::Lab;
use farpath_record::{Certificate, count_of};
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
    pub(super) fn finish(self, certificate: &Certificate) -> Result<(), Failure> {
        let Some(folder) = self.folder.filter(|_| !self.captures.is_empty()) else {
            return Ok(());
        };
        for (capture, (host, file)) in self.captures.into_iter().zip(self.files) {
            match capture.finish() {
                Ok(0) => {}
                Ok(dropped) => note(&format!(
                    "{host}.pcapng lacks {}: the disk was too slow",
                    count_of(dropped, "packet", "packets")
                )),
                Err(e) => note(&format!("{host}.pcapng is not complete: {e}")),
            }
            file.place()?;
        }
        note(&format!(
            "captures of each host are in {}: farpath trace reads them; a ping twice a second in them is the lab's own, for the \
             RTT{}",
            folder.display(),
            lateness(certificate).unwrap_or_default()
        ));
        Ok(())
    }
}

/// What is to be said of the times in a capture: a packet has the time at which the lab gets round to it.
fn lateness(certificate: &Certificate) -> Option<String> {
    let late = certificate.lateness_max_ns.max(certificate.longest_gap_ns);
    (!certificate.valid && late > certificate.tolerance_ns).then(|| {
        let late_ms = late as f64 / 1e6;
        format!("; the machine was too busy, and times in them may be wrong by {late_ms:.1} ms")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_in_captures_are_doubted_where_the_certificate_is() {
        let of = |valid, late_ns, gap_ns| {
            lateness(&Certificate {
                valid,
                lateness_max_ns: late_ns,
                longest_gap_ns: gap_ns,
                tolerance_ns: 1_000_000,
                ..Certificate::default()
            })
        };
        let late = of(false, 8_600_000, 2_000_000).expect("it is late");
        assert!(late.ends_with("may be wrong by 8.6 ms"), "{late}");
        assert!(of(false, 0, 120_000_000).is_some_and(|l| l.ends_with("120.0 ms")));
        assert_eq!(of(true, 8_600_000, 0), None);
        assert_eq!(
            of(false, 300_000, 300_000),
            None,
            "it is invalid for another reason"
        );
    }
}
