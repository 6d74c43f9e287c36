//! Captures: what tapped links carried, as pcapng files.

#![allow(
    clippy::disallowed_methods,
    reason = "captures are streamed to the output folder from here"
)]

use std::fs::File;
use std::io::{BufWriter, Write};
use std::net::{Ipv4Addr, Ipv6Addr};
use std::path::{Path, PathBuf};

use farpath_predict::Framing;
use farpath_scenario::{LinkId, Scenario, TestKind};
use farpath_sim::Built;
use farpath_wire::encode::{Addresses, Extras, FlowInfo, Link, encode};
use farpath_wire::ethernet::{Mac, Vlan};
use farpath_wire::packet::LinkType;
use farpath_wire::pcapng::{Interface, Writer};
use farpath_wire::{Frame, Kind};

use crate::exit::Failure;

/// Every capture of a run.
pub(crate) struct Taps {
    folder: PathBuf,
    files: Vec<(LinkId, Capture)>,
    flows: Vec<FlowInfo>,
    error: Option<String>,
    bytes: Vec<u8>,
}

struct Capture {
    path: PathBuf,
    writer: Writer<BufWriter<File>>,
    /// Forward and reverse.
    interfaces: [Interface; 2],
}

/// A capture that was not finished is taken away: half a file is worse than none.
impl Drop for Taps {
    fn drop(&mut self) {
        for (_, capture) in &self.files {
            drop(std::fs::remove_file(&capture.path));
        }
    }
}

impl Taps {
    /// Captures into `folder`; files appear when a tapped link carries its first frame.
    pub(crate) fn new(folder: &Path) -> Taps {
        Taps {
            folder: folder.to_owned(),
            files: Vec::new(),
            flows: Vec::new(),
            error: None,
            bytes: Vec::new(),
        }
    }

    /// Writes frames, which are in order of time.
    pub(crate) fn write(&mut self, scenario: &Scenario, built: &Built, frames: &[(usize, Frame)]) {
        if self.flows.is_empty() {
            self.flows = (0..built.plan.flows.len())
                .map(|n| flow_info(scenario, built, n))
                .collect();
        }
        for (port, frame) in frames {
            if self.error.is_some() {
                return;
            }
            if let Err(e) = self.packet(scenario, built, *port, frame) {
                self.error = Some(e.to_string());
            }
        }
    }

    fn packet(
        &mut self,
        scenario: &Scenario,
        built: &Built,
        port: usize,
        frame: &Frame,
    ) -> std::io::Result<()> {
        let plan = &built.plan.ports[port];
        let place = match self.files.iter().position(|(l, _)| *l == plan.link) {
            Some(place) => place,
            None => {
                let capture = self.open(scenario, plan.link)?;
                self.files.push((plan.link, capture));
                self.files.len() - 1
            }
        };
        let info = &self.flows[usize::from(frame.flow.flow())];
        let link = link_header(scenario, plan.link, plan.from.0, plan.to.0);
        self.bytes.clear();
        let extras = Extras {
            window: u64::from(u16::MAX),
            ..Extras::default()
        };
        let original = encode(frame, info, &link, &extras, &mut self.bytes);
        let capture = &mut self.files[place].1;
        capture.writer.packet(
            capture.interfaces[port % 2],
            frame.at,
            &self.bytes,
            original,
        )
    }

    fn open(&self, scenario: &Scenario, link: LinkId) -> std::io::Result<Capture> {
        let path = self
            .folder
            .join(format!("{}.pcapng", scenario.links[link.0].name));
        let mut writer = Writer::new(BufWriter::new(File::create(&path)?))?;
        let kind = match scenario.links[link.0].framing {
            Framing::Pos => LinkType::Ppp,
            _ => LinkType::Ethernet,
        };
        let mut interface = |way| writer.interface(&scenario.direction_name(link, way), kind);
        let interfaces = [
            interface(farpath_scenario::Way::Forward)?,
            interface(farpath_scenario::Way::Reverse)?,
        ];
        Ok(Capture {
            path,
            writer,
            interfaces,
        })
    }

    /// Closes every file.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        if let Some(error) = &self.error {
            return Err(Failure::environment(format!(
                "write a capture in {}: {error}",
                self.folder.display()
            )));
        }
        for (_, capture) in std::mem::take(&mut self.files) {
            let named = |e: std::io::Error| {
                Failure::environment(format!("write {}: {e}", capture.path.display()))
            };
            let mut out = capture.writer.finish().map_err(named)?;
            out.flush().map_err(|e| {
                Failure::environment(format!("write {}: {e}", capture.path.display()))
            })?;
        }
        Ok(())
    }
}

fn link_header(scenario: &Scenario, link: LinkId, from: usize, to: usize) -> Link {
    let model = &scenario.links[link.0];
    match model.framing {
        Framing::Pos => Link::Ppp,
        _ => Link::Ethernet {
            source: Mac::documentation(from as u8),
            destination: Mac::documentation(to as u8),
            vlan: model.vlan.map(Vlan::new),
        },
    }
}

/// Addresses from the documentation ranges, by node number: 198.18.0.0/15 (RFC 2544), 2001:db8::/32.
fn flow_info(scenario: &Scenario, built: &Built, number: usize) -> FlowInfo {
    let flow = &built.plan.flows[number];
    let test = &scenario.tests[flow.test];
    let ends = [flow.source.0 as u16, flow.sink.0 as u16];
    let addresses = if test.ip == 6 {
        Addresses::V6(ends.map(|n| Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, n + 1)))
    } else {
        Addresses::V4(ends.map(|n| Ipv4Addr::new(198, 18, (n >> 8) as u8, n as u8 + 1)))
    };
    let (kind, timestamps, sack) = match &test.kind {
        TestKind::Tcp(tcp) => (Kind::Data, tcp.timestamps, tcp.sack),
        TestKind::Udp(_) => (Kind::Udp, false, false),
        TestKind::Ping(_) => (Kind::EchoRequest, false, false),
    };
    FlowInfo {
        addresses,
        ports: [49_152 + number as u16 % 16_000, 5001],
        identifier: number as u16 + 1,
        kind,
        mss: (built.plan.mss(scenario, number) + if timestamps { 12 } else { 0 }) as u16,
        timestamps,
        sack,
        window_scale: [14, 14],
        isn: [number as u32 * 64_000, number as u32 * 64_000 + 32_000],
        customer: ends.map(|n| Mac::documentation(n as u8)),
        customer_vlan: vlan_of(scenario),
    }
}

/// The VLAN that circuits carry.
fn vlan_of(scenario: &Scenario) -> Vlan {
    let tag = scenario.cccs.iter().find_map(|c| match c {
        farpath_scenario::Ccc::RemoteInterface { vlan, .. } => *vlan,
        farpath_scenario::Ccc::LspSwitch { .. } => None,
    });
    Vlan::new(tag.unwrap_or(1))
}
