//! CCC013 and CCC014: what fits through a circuit; of links see [`crate::links`].

use farpath_units::Size;

use super::ends::Side;
use super::{Check, Circuit, Port};
use crate::finding::Severity;
use crate::junos::model::{Interface, Unit};
use crate::rules::{CCC013, CCC014};

/// Bytes of a label.
const LABEL: u64 = 4;

/// Labels Junos leaves room for when no MPLS MTU is configured ("MPLS MTU = physical interface MTU
/// - encapsulation overhead - 12").
const RESERVED: u64 = 12;

/// Ethernet's header, and with one tag.
const HEADER: u64 = 14;
const TAG: u64 = 4;

/// IP packets a long fat path wants to carry.
const JUMBO: u64 = 9000;

/// Bytes of a customer's frame that fit behind `labels` labels.
fn room(port: &Interface, unit: &Unit, labels: u64) -> u64 {
    let under_header = port.media_mtu().as_bytes().saturating_sub(port.header());
    match &unit.mpls_mtu {
        Some(mtu) => mtu
            .value
            .as_bytes()
            .min(under_header)
            .saturating_sub(LABEL * labels),
        None => under_header.saturating_sub(RESERVED.max(LABEL * labels)),
    }
}

/// The largest payload with one label that a port puts behind its own header.
pub fn labelled(port: &Interface, unit: &Unit) -> Size {
    Size::from_bytes(room(port, unit, 1) + LABEL)
}

impl<'r> Check<'_, 'r> {
    pub(super) fn mtus(&mut self) {
        for circuit in self.circuits {
            if let Some((near, far)) = self.sides(circuit) {
                self.circuit_mtu(circuit, near, far);
                self.end_mtus(near, far);
            }
        }
        for port in self.core_ports() {
            self.family_within_port(&port);
        }
    }

    fn port(&self, port: &Port) -> Option<(&'r Interface, &'r Unit)> {
        self.network.unit(port.router, &port.interface)
    }

    /// Labels a frame may wear on a circuit.
    fn labels(&self, circuit: &Circuit) -> u64 {
        let lsps = Self::chains_of(circuit).flat_map(|c| &c.crossings);
        let mut lsps = lsps.filter_map(|c| self.network.lsp(c.from, &c.lsp));
        1 + u64::from(lsps.any(|l| l.protection.is_some()))
    }

    /// CCC013: each core link against the larger access frame, and what fits in the end.
    fn circuit_mtu(&mut self, circuit: &Circuit, near: Side<'_>, far: Side<'_>) {
        let labels = self.labels(circuit);
        let frame = near.port.media_mtu().max(far.port.media_mtu()).as_bytes();
        let mut least = near.port.media_mtu().min(far.port.media_mtu()).as_bytes();
        let mut between = None;
        let mut narrow: Vec<Port> = Vec::new();
        for load in &circuit.loads {
            for port in [&load.hop.from, &load.hop.to] {
                let Some((interface, unit)) = self.port(port) else {
                    continue;
                };
                let room = room(interface, unit, labels);
                least = least.min(room);
                between = Some(between.map_or(room, |b: u64| b.min(room)));
                if room < frame && !narrow.contains(port) {
                    narrow.push(port.clone());
                }
            }
        }
        for port in narrow {
            self.too_narrow(&port, frame, labels);
        }
        self.largest(circuit, (near, far), (least, between), labels);
    }

    fn too_narrow(&mut self, port: &Port, frame: u64, labels: u64) {
        let Some((interface, unit)) = self.port(port) else {
            return;
        };
        let has = room(interface, unit, labels);
        let physical = interface.mtu.as_ref().map(|m| &m.place);
        let of_mpls = unit.mpls_mtu.as_ref().map(|m| &m.place);
        let place = of_mpls.or(physical).unwrap_or(&unit.place);
        let message = format!(
            "`{}` of `{}` carries frames of {has} bytes behind {labels} label{}, and the circuit's interface takes {frame}",
            port.interface,
            self.router(port.router).name,
            if labels == 1 { "" } else { "s" }
        );
        let family = frame + LABEL * labels;
        let remedy = format!(
            "write `mtu {}` on `{}` and `mtu {family}` under `family mpls`, or a smaller `mtu` on the circuit's interfaces",
            family + interface.header(),
            interface.name
        );
        let rests: &[&[&str]] = &[&["interfaces", &interface.name]];
        self.say(&CCC013, (port.router, place), message, &remedy, rests);
    }

    /// What the circuit carries, and what it would take for 9000 bytes.
    fn largest(
        &mut self,
        circuit: &Circuit,
        ends: (Side<'_>, Side<'_>),
        fits: (u64, Option<u64>),
        labels: u64,
    ) {
        let (least, between) = fits;
        let headers = HEADER + if ends.0.is_tagged() { TAG } else { 0 };
        let packet = least.saturating_sub(headers);
        let message = format!(
            "circuit `{}` carries frames of {least} bytes, which is IP packets of {packet}{}",
            circuit.name,
            between.map_or(String::new(), |b| format!(
                "; its links could carry frames of {b}"
            ))
        );
        let frame = JUMBO + headers;
        let mut remedy = format!("nothing: IP packets of {JUMBO} bytes fit");
        if packet < JUMBO {
            let header = circuit.loads.first().and_then(|l| self.port(&l.hop.from));
            let header = header.map_or(HEADER, |(i, _)| i.header());
            let family = frame + LABEL * labels;
            remedy = format!(
                "for IP packets of {JUMBO} bytes write `mtu {frame}` on the circuit's interfaces, and between the routers `mtu {}` or more, with `family mpls mtu {family}` or more",
                family + header
            );
        }
        let mut place = &ends.0.port.place;
        if let Some(mtu) = &ends.0.port.mtu {
            place = &mtu.place;
        }
        let rests: &[&[&str]] = &[&["interfaces"]];
        let finding = self.say(&CCC013, (ends.0.router, place), message, &remedy, rests);
        finding.severity = Severity::Info;
    }

    /// CCC014 at the circuit's ends.
    fn end_mtus(&mut self, near: Side<'_>, far: Side<'_>) {
        let (a, b) = (near.port.media_mtu(), far.port.media_mtu());
        if a == b {
            return;
        }
        let message = format!(
            "the circuit's ends take frames of {} and of {} bytes",
            a.as_bytes(),
            b.as_bytes()
        );
        let place = near
            .port
            .mtu
            .as_ref()
            .map_or(&near.port.place, |m| &m.place);
        let other = far.port.mtu.as_ref().map_or(&far.port.place, |m| &m.place);
        let rests: &[&[&str]] = &[&["interfaces", &near.port.name]];
        let more = self.unknown_in(far.router, &[&["interfaces", &far.port.name]]);
        let finding = self.say(
            &CCC014,
            (near.router, place),
            message,
            "write the same `mtu` on both",
            rests,
        );
        finding.relate(other.clone(), "the other end");
        finding.doubt(more);
    }

    /// A protocol's MTU and the header must fit the port's.
    fn family_within_port(&mut self, port: &Port) {
        let Some((interface, unit)) = self.port(port) else {
            return;
        };
        let Some(family) = &unit.mpls_mtu else {
            return;
        };
        let needs = family.value.as_bytes() + interface.header();
        let has = interface.media_mtu().as_bytes();
        if needs <= has {
            return;
        }
        let how = if interface.mtu.is_some() {
            ""
        } else {
            " by default"
        };
        let message = format!(
            "`family mpls mtu {}` needs a port of {needs} bytes, and `{}` has {has}{how}",
            family.value.as_bytes(),
            interface.name
        );
        let remedy = format!("write `mtu {needs};` on `{}`", interface.name);
        let place = family.place.clone();
        let rests: &[&[&str]] = &[&["interfaces", &interface.name]];
        let finding = self.say(&CCC013, (port.router, &place), message, &remedy, rests);
        finding.severity = Severity::Warning;
    }
}
