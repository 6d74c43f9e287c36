//! The files of a run's captures: drafts while it runs, in place when it is done, and a page of each.

use std::path::{Path, PathBuf};

use farpath_experiment::tap::{self, Sink, Taps};
use farpath_experiment::{Experiment, Fault};
use farpath_record::Origin;
use farpath_record::page::LinkCapture;
use farpath_scenario::LinkId;

use crate::exit::{Failure, note};
use crate::output::{Pending, prepare_file};
use crate::trace::page_of;

/// Captures of this many bytes are announced.
const LARGE: u64 = 2_000_000_000;

/// One draft.
struct Draft {
    link: String,
    origin: Origin,
    /// As a fault names it, and the file's name without its extension.
    name: String,
    file: Pending,
}

/// The drafts; nothing is left behind if they are never finished.
#[derive(Default)]
pub(crate) struct Captures {
    folder: PathBuf,
    all: Vec<Draft>,
}

impl Captures {
    /// Drafts of a capture for every link with `tap = true` and every origin that has packets, in `folder`, and what writes
    /// them. A sweep has none: its points would overwrite each other's.
    pub(crate) fn prepare(
        folder: &Path,
        experiment: &Experiment,
    ) -> Result<(Captures, Option<Taps>), Failure> {
        let mut points = experiment.planned().map(|(scenario, _)| scenario);
        let scenario = points.next().unwrap_or(&experiment.loaded.scenario);
        let tapped = tap::tapped(scenario);
        if tapped.is_empty() {
            return Ok(Default::default());
        }
        if points.next().is_some() {
            note("a sweep writes no captures; run one of its points: --set each swept key");
            return Ok(Default::default());
        }
        let mut captures = Captures {
            folder: folder.to_owned(),
            all: Vec::new(),
        };
        let mut sinks = |origin| -> Result<Vec<(LinkId, Sink)>, Failure> {
            let has = experiment.has(origin);
            let links = tapped.iter().filter(|_| has);
            let sink = |link: &LinkId| {
                let sink = captures.add(&scenario.links[link.0].name, origin)?;
                Ok((*link, sink))
            };
            links.map(sink).collect()
        };
        let (simulated, emulated) = (sinks(Origin::Simulated)?, sinks(Origin::Emulated)?);
        let expected = tap::expected_size(scenario)?;
        let expected =
            expected * (u64::from(!simulated.is_empty()) + u64::from(!emulated.is_empty()));
        if expected >= LARGE {
            let gigabytes = expected as f64 / 1e9;
            note(&format!(
                "the captures in {} may take {gigabytes:.0} GB",
                folder.display()
            ));
        }
        match Taps::new(scenario, simulated) {
            Ok(taps) => Ok((captures, Some(taps.with_lab(emulated)))),
            Err(fault) => Err(captures.failure(fault)),
        }
    }

    /// Another draft, and what is written into it.
    fn add(&mut self, link: &str, origin: Origin) -> Result<Sink, Failure> {
        let name = match origin {
            Origin::Emulated => tap::emulated_name(link),
            _ => link.to_owned(),
        };
        let file = prepare_file(&self.folder.join(format!("{name}.pcapng")))?;
        let sink = Box::new(file.open()?);
        self.all.push(Draft {
            link: link.to_owned(),
            origin,
            name,
            file,
        });
        Ok(sink)
    }

    /// A fault of the run; that of a capture names its file.
    pub(crate) fn failure(&self, fault: Fault) -> Failure {
        if let Fault::Capture { link, error } = &fault
            && let Some(draft) = self.all.iter().find(|draft| draft.name == *link)
        {
            return draft.file.cannot_write(error);
        }
        fault.into()
    }

    /// Puts every file in place, and a page of it beside it.
    pub(crate) fn finish(self, taps: Option<Taps>) -> Result<Vec<LinkCapture>, Failure> {
        let done = taps.map_or(Ok(()), Taps::finish);
        done.map_err(|fault| self.failure(fault))?;
        let Captures { folder, all } = self;
        let finish = |draft: Draft| {
            draft.file.place()?;
            let file = format!("{}.pcapng", draft.name);
            let page = format!("{}.trace.html", draft.name);
            let html = page_of(&folder.join(&file), &file)?;
            if let Some(html) = &html {
                prepare_file(&folder.join(&page))?.write(html.as_bytes())?;
            }
            Ok(LinkCapture {
                link: draft.link,
                origin: draft.origin,
                file,
                page: html.map(|_| page),
            })
        };
        all.into_iter().map(finish).collect()
    }
}
