//! Captures: what tapped links carried, as pcapng files.

mod headers;
mod size;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use farpath_element::Tapped;
use farpath_predict::Framing;
use farpath_scenario::plan::{Plan, address};
use farpath_scenario::{LinkId, NodeId, Scenario, Way};
use farpath_sim::Built;
use farpath_wire::encode::{Extras, encode};
use farpath_wire::packet::LinkType;
use farpath_wire::pcapng::{Interface, Writer};
use farpath_wire::{Kind, Timestamps};

use crate::exit::{Failure, note};
use crate::output::{Pending, prepare_file};
use headers::Headers;

/// Captures of this many bytes are announced.
const LARGE: u64 = 2_000_000_000;

/// Every capture of a run.
pub(crate) struct Taps {
    captures: Vec<Capture>,
    /// Known from the first frame on.
    headers: Option<Headers>,
    failure: Option<Failure>,
    bytes: Vec<u8>,
}

/// The capture of one link; nothing is left behind if it is never finished.
struct Capture {
    link: LinkId,
    file: Pending,
    writer: Writer<BufWriter<File>>,
    /// Forward and reverse.
    interfaces: [Interface; 2],
    /// By flow.
    timestamps: Vec<Timestamps>,
}

impl Taps {
    /// Drafts of a capture for every link with `tap = true`, in `folder`. A sweep has none: its
    /// points would overwrite each other's.
    pub(crate) fn new(folder: &Path, scenario: &Scenario) -> Result<Option<Taps>, Failure> {
        let tapped = (0..scenario.links.len())
            .map(LinkId)
            .filter(|l| scenario.links[l.0].tap);
        let tapped: Vec<LinkId> = tapped.collect();
        if !tapped.is_empty() && !scenario.sweep.is_empty() {
            note(
                "a sweep writes no captures; run one of its points with --set and without [sweep]",
            );
            return Ok(None);
        }
        if !tapped.is_empty()
            && let Ok(plan) = Plan::new(scenario)
        {
            let expected = size::expected(scenario, &plan);
            if expected >= LARGE {
                let gigabytes = expected as f64 / 1e9;
                note(&format!(
                    "the captures in {} may take {gigabytes:.0} GB",
                    folder.display()
                ));
            }
        }
        let captures = tapped
            .into_iter()
            .map(|link| Capture::new(folder, scenario, link));
        let captures = captures.collect::<Result<Vec<_>, _>>()?;
        let taps = Taps {
            captures,
            headers: None,
            failure: None,
            bytes: Vec::new(),
        };
        Ok((!taps.captures.is_empty()).then_some(taps))
    }

    /// Writes frames, which are in order of time; `false` once a capture cannot be written.
    pub(crate) fn write(
        &mut self,
        scenario: &Scenario,
        built: &Built,
        frames: &[(usize, Tapped)],
    ) -> bool {
        let headers = self
            .headers
            .get_or_insert_with(|| Headers::new(scenario, &built.wan.plan));
        for (port, tapped) in frames {
            let link = built.wan.plan.ports[*port].link;
            let Some(capture) = self.captures.iter_mut().find(|c| c.link == link) else {
                continue;
            };
            if let Err(e) = capture.write(headers, built, *port, tapped, &mut self.bytes) {
                self.failure = Some(capture.file.cannot_write(&e));
                return false;
            }
        }
        true
    }

    /// Why a capture could not be written.
    pub(crate) fn failed(&mut self) -> Result<(), Failure> {
        self.failure.take().map_or(Ok(()), Err)
    }

    /// Puts every file in place.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        for capture in self.captures {
            let file = capture.file;
            let done = capture.writer.finish().and_then(|mut out| out.flush());
            done.map_err(|e| file.cannot_write(&e))?;
            file.place()?;
        }
        Ok(())
    }
}

impl Capture {
    fn new(folder: &Path, scenario: &Scenario, link: LinkId) -> Result<Capture, Failure> {
        let file = prepare_file(&folder.join(format!("{}.pcapng", scenario.links[link.0].name)))?;
        let out = BufWriter::with_capacity(1 << 20, file.open()?);
        let begin = || -> io::Result<_> {
            let mut writer = Writer::new(out)?;
            let kind = match scenario.links[link.0].framing {
                Framing::Pos => LinkType::Ppp,
                _ => LinkType::Ethernet,
            };
            let mut interface = |way| writer.interface(&scenario.direction_name(link, way), kind);
            let interfaces = [interface(Way::Forward)?, interface(Way::Reverse)?];
            for version in [4, 6] {
                let node = |n| (address(NodeId(n), version), scenario.node_name(NodeId(n)));
                writer.names((0..scenario.node_count()).map(node))?;
            }
            Ok((writer, interfaces))
        };
        let (writer, interfaces) = begin().map_err(|e| file.cannot_write(&e))?;
        Ok(Capture {
            link,
            file,
            writer,
            interfaces,
            timestamps: Vec::new(),
        })
    }

    /// Writes one frame; `bytes` is room for its headers.
    fn write(
        &mut self,
        headers: &Headers,
        built: &Built,
        port: usize,
        tapped: &Tapped,
        bytes: &mut Vec<u8>,
    ) -> io::Result<()> {
        let frame = &tapped.frame;
        let way = port % 2;
        let number = usize::from(frame.flow.flow());
        let flow = &headers.flows[number];
        if self.timestamps.len() <= number {
            self.timestamps.resize_with(number + 1, Timestamps::default);
        }
        let (tsval, tsecr) = self.timestamps[number].stamp(frame, way);
        let side = tapped.extras.as_deref();
        let usual = flow.windows[usize::from(frame.flow.is_reverse())];
        let mut extras = Extras {
            window: side.map_or(usual, |s| s.window),
            tsval,
            tsecr,
            sack: side.map_or(&[], |s| &s.blocks[..usize::from(s.count)]),
            ..Extras::default()
        };
        let died;
        if matches!(frame.kind, Kind::TimeExceeded | Kind::FragmentationNeeded) {
            let node = NodeId(frame.side as usize);
            died = flow.died(frame);
            extras.quoted = Some(&died);
            extras.answerer = Some(address(node, flow.version));
            extras.mtu = headers.next_mtu(&built.wan.plan, node, frame.flow.turned());
        }
        bytes.clear();
        let original = encode(frame, &flow.info, &headers.links[port], &extras, bytes);
        self.writer
            .packet(self.interfaces[way], frame.at, bytes, original)
    }
}
