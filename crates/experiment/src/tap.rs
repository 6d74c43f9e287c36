//! Captures: what tapped links carried, as pcapng files.

mod headers;
pub(crate) mod lab;
mod size;

use std::io::{self, BufWriter, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use farpath_element::Tapped;
use farpath_predict::Framing;
use farpath_scenario::plan::{Plan, address};
use farpath_scenario::{LinkId, NodeId, Scenario, Way};
use farpath_sim::Built;
use farpath_units::Duration;
use farpath_wire::encode::{Extras, encode};
use farpath_wire::packet::LinkType;
use farpath_wire::pcapng::{Interface, Writer};
use farpath_wire::{Kind, Timestamps};

use crate::Fault;
use headers::Headers;

/// Where the bytes of a capture go.
pub type Sink = Box<dyn Write + Send>;

/// Every capture of a run. One run at a time may write to it.
pub struct Taps(Mutex<Inner>);

struct Inner {
    captures: Vec<Capture>,
    /// Known from the first frame on.
    headers: Option<Headers>,
    /// By flow: of all links, so that a segment keeps the values of the first one.
    timestamps: Vec<Timestamps>,
    fault: Option<Fault>,
    bytes: Vec<u8>,
    /// What an emulation writes into.
    lab: Vec<(LinkId, Sink)>,
}

/// The capture of one link.
struct Capture {
    link: LinkId,
    name: String,
    writer: Writer<BufWriter<Sink>>,
    /// Forward and reverse.
    interfaces: [Interface; 2],
}

impl Taps {
    /// The begun captures of links, each into its own.
    pub fn new(scenario: &Scenario, sinks: Vec<(LinkId, Sink)>) -> Result<Taps, Fault> {
        let captures = sinks
            .into_iter()
            .map(|(link, sink)| Capture::new(scenario, link, sink));
        Ok(Taps(Mutex::new(Inner {
            captures: captures.collect::<Result<_, _>>()?,
            headers: None,
            timestamps: Vec::new(),
            fault: None,
            bytes: Vec::new(),
            lab: Vec::new(),
        })))
    }

    /// With captures that an emulation writes, of its own.
    pub fn with_lab(self, sinks: Vec<(LinkId, Sink)>) -> Taps {
        self.inner().lab = sinks;
        self
    }

    /// What an emulation writes into, once.
    pub(crate) fn lab(&self) -> Vec<(LinkId, Sink)> {
        std::mem::take(&mut self.inner().lab)
    }

    /// Whether a simulation is captured.
    pub(crate) fn is_simulated(&self) -> bool {
        !self.inner().captures.is_empty()
    }

    /// Writes frames, which are in order of time; `false` once a capture cannot be written.
    pub fn write(&self, scenario: &Scenario, built: &Built, frames: &[(usize, Tapped)]) -> bool {
        let inner = &mut *self.inner();
        let headers = inner
            .headers
            .get_or_insert_with(|| Headers::new(scenario, &built.wan.plan));
        for (port, tapped) in frames {
            let link = built.wan.plan.ports[*port].link;
            // Also of links without a capture: where a segment leaves its sender it has the sender's clock.
            let turn = headers.flows[usize::from(tapped.frame.flow.flow())].turn(*port);
            let stamps = stamp(&mut inner.timestamps, (*port, turn), tapped);
            let Some(capture) = inner.captures.iter_mut().find(|c| c.link == link) else {
                continue;
            };
            let frame = (*port, tapped, stamps);
            if let Err(e) = capture.write(headers, built, frame, &mut inner.bytes) {
                inner.fault = Some(cannot_write(&capture.name)(e));
                return false;
            }
        }
        true
    }

    /// Why a capture could not be written.
    pub(crate) fn failed(&self) -> Result<(), Fault> {
        self.inner().fault.take().map_or(Ok(()), Err)
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes what is still held.
    pub fn finish(self) -> Result<(), Fault> {
        let inner = self.0.into_inner();
        for capture in inner.unwrap_or_else(PoisonError::into_inner).captures {
            let done = capture.writer.finish().and_then(|mut out| out.flush());
            done.map_err(cannot_write(&capture.name))?;
        }
        Ok(())
    }
}

/// The name under which a fault tells of an emulated link's capture; that of a simulated one has the link's.
pub fn emulated_name(link: &str) -> String {
    format!("{link}.emulated")
}

/// The links with `tap = true`.
pub fn tapped(scenario: &Scenario) -> Vec<LinkId> {
    let links = (0..scenario.links.len()).map(LinkId);
    links.filter(|l| scenario.links[l.0].tap).collect()
}

/// Bytes that the captures of a run may take, if every connection is as fast as its path.
pub fn expected_size(scenario: &Scenario) -> Result<u64, Fault> {
    Ok(size::expected(scenario, &Plan::new(scenario)?))
}

/// TSval and TSecr of a frame on a port.
fn stamp(
    all: &mut Vec<Timestamps>,
    (port, turn): (usize, Option<Duration>),
    tapped: &Tapped,
) -> (u32, u32) {
    let number = usize::from(tapped.frame.flow.flow());
    if all.len() <= number {
        all.resize_with(number + 1, Timestamps::default);
    }
    all[number].stamp(&tapped.frame, port, turn)
}

fn cannot_write(link: &str) -> impl FnOnce(io::Error) -> Fault {
    let link = link.to_owned();
    |error| Fault::Capture { link, error }
}

impl Capture {
    fn new(scenario: &Scenario, link: LinkId, sink: Sink) -> Result<Capture, Fault> {
        let name = scenario.links[link.0].name.clone();
        let out = BufWriter::with_capacity(1 << 20, sink);
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
        let (writer, interfaces) = begin().map_err(cannot_write(&name))?;
        Ok(Capture {
            link,
            name,
            writer,
            interfaces,
        })
    }

    /// Writes one frame, with its timestamps; `bytes` is room for its headers.
    fn write(
        &mut self,
        headers: &mut Headers,
        built: &Built,
        (port, tapped, (tsval, tsecr)): (usize, &Tapped, (u32, u32)),
        bytes: &mut Vec<u8>,
    ) -> io::Result<()> {
        let frame = &tapped.frame;
        let way = port % 2;
        let side = tapped.extras.as_deref();
        let number = usize::from(frame.flow.flow());
        let window = headers.flows[number].window(frame, side.map(|s| s.window));
        let flow = &headers.flows[number];
        let mut extras = Extras {
            window,
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
