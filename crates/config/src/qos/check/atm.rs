//! Checks of ATM circuits.

use farpath_predict::Signal;
use farpath_units::Rate;

use super::super::{Category, Device, Encapsulation, Interface, Pvc, rules::*};
use super::{Checker, but};
use crate::finding::Severity;

impl Checker<'_> {
    /// ATM001 to ATM004.
    pub(super) fn circuits(&mut self, device: &Device, interface: &Interface) {
        if interface.pvcs.is_empty() {
            return;
        }
        let stated = interface.line.as_ref().map(|l| l.value);
        // The fastest ATM port of these routers is an OC-12.
        let line = stated.or_else(|| Signal::named("stm4").map(|s| s.payload));
        for circuit in &interface.pvcs {
            self.circuit(device, interface, circuit, line, stated.is_some());
        }
        let sustained = |p: &Pvc| {
            p.contract.as_ref().and_then(|c| {
                c.value
                    .sustained
                    .or(c.value.peak.filter(|_| c.value.category != Category::Ubr))
            })
        };
        let sum: u64 = interface
            .pvcs
            .iter()
            .filter_map(sustained)
            .map(Rate::as_bps)
            .fold(0, u64::saturating_add);
        if let (Some(line), Some(place)) = (
            line.filter(|l| sum > l.as_bps()),
            interface.pvcs.first().map(|p| &p.place),
        ) {
            let message = format!(
                "the circuits of {} are promised {:.3} Mbit/s of cells together; the line carries {:.3} Mbit/s",
                interface.name,
                sum as f64 / 1e6,
                mbps(line)
            );
            self.find(
                &ATM004,
                place,
                message,
                "lower their sustainable rates".to_owned(),
            );
        }
    }

    fn circuit(
        &mut self,
        device: &Device,
        interface: &Interface,
        circuit: &Pvc,
        line: Option<Rate>,
        stated: bool,
    ) {
        let Some(contract) = &circuit.contract else {
            return;
        };
        let name = format!(
            "circuit {}/{} of {}",
            circuit.vpi, circuit.vci, interface.name
        );
        let uncertain = circuit.unknown.clone();
        let (peak, sustained) = (contract.value.peak, contract.value.sustained);
        if let (Some(peak), Some(sustained)) = (peak, sustained)
            && sustained > peak
        {
            let message = format!(
                "{name} has a sustainable rate of {:.3} Mbit/s and a peak of {:.3} Mbit/s",
                mbps(sustained),
                mbps(peak)
            );
            let remedy = format!(
                "`vbr-nrt PEAK SUSTAINABLE BURST`: write the peak first, such as `vbr-nrt {} {} 100`",
                sustained.as_bps() / 1000,
                peak.as_bps() / 1000
            );
            self.find(&ATM001, &contract.place, message, remedy)
                .uncertain = uncertain.clone();
        }
        if let (Some(line), Some(peak)) = (line, peak.filter(|p| line.is_some_and(|l| *p > l))) {
            let known = if stated {
                ""
            } else {
                " (an OC-12c; `! farpath line stm1` in the interface states another)"
            };
            let message = format!(
                "{name} has a peak of {:.3} Mbit/s of cells, and the line carries {:.3} Mbit/s{known}",
                mbps(peak),
                mbps(line)
            );
            let remedy = format!("write {} kbit/s or less", line.as_bps() / 1000);
            self.find(&ATM002, &contract.place, message, remedy)
                .uncertain = uncertain.clone();
        }
        self.burst(device, interface, circuit, &name);
    }

    /// ATM003.
    fn burst(&mut self, device: &Device, interface: &Interface, circuit: &Pvc, name: &str) {
        let Some(contract) = &circuit.contract else {
            return;
        };
        let uncertain = circuit.unknown.clone();
        let (peak, sustained) = (contract.value.peak, contract.value.sustained);
        let variable = matches!(contract.value.category, Category::VbrNrt | Category::VbrRt);
        if !variable || sustained >= peak {
            return;
        }
        let mtu = interface
            .mtu
            .as_ref()
            .map_or_else(|| parent_mtu(device, interface), |m| m.value);
        let snap = circuit
            .encapsulation
            .as_ref()
            .is_none_or(|e| e.value == Encapsulation::Snap);
        let cells = (mtu + 8 + if snap { 8 } else { 0 }).div_ceil(48);
        let burst = contract.value.burst;
        if burst.is_some_and(|b| b >= cells) {
            return;
        }
        let message = match burst {
            Some(b) => {
                format!("{name} may burst {b} cells at its peak, and a frame of {mtu} B is {cells}")
            }
            None => format!(
                "{name} states no burst, and the default differs between cards; a frame of {mtu} B is {cells} cells"
            ),
        };
        let finding = self.find(
            &ATM003,
            &contract.place,
            message,
            format!("state a burst of {cells} cells or more"),
        );
        let severity = if burst.is_some() {
            Severity::Warning
        } else {
            Severity::Info
        };
        but(finding, severity, uncertain);
    }
}

/// MTU of the interface a subinterface belongs to; 4470, ATM's on these routers, unless stated.
fn parent_mtu(device: &Device, interface: &Interface) -> u32 {
    let parent = interface
        .name
        .split_once('.')
        .map_or(interface.name.as_str(), |(p, _)| p);
    let stated = device
        .interfaces
        .iter()
        .find(|i| i.name == parent)
        .and_then(|i| i.mtu.as_ref());
    stated.map_or(4470, |m| m.value)
}

fn mbps(rate: Rate) -> f64 {
    rate.as_bps() as f64 / 1e6
}
