//! Checks of ATM circuits.

use farpath_predict::Signal;
use farpath_units::Rate;

use super::super::{Category, Contract, Device, Encapsulation, Interface, Pvc, Stated};
use super::On;
use crate::finding::Severity;
use crate::rules::{ATM001, ATM002, ATM003, ATM004};
use crate::source::Place;

impl On<'_, '_> {
    /// ATM001 to ATM004.
    pub(super) fn circuits(&mut self) {
        let circuits = &self.interface.pvcs;
        let Some(first) = circuits.first() else {
            return;
        };
        let stated = self.interface.line.as_ref().map(|l| l.value);
        // The fastest ATM port of these routers is an OC-12.
        let line = stated.or_else(|| Signal::named("stm4").map(|s| s.payload));
        for circuit in circuits {
            if let Some(contract) = &circuit.contract {
                let place = &contract.place;
                self.contract(circuit, contract.value, place, line, stated.is_some());
            }
        }
        let promised = |p: &Pvc| {
            let contract = p.contract.as_ref()?.value;
            let peak = contract.peak.filter(|_| contract.category != Category::Ubr);
            contract.sustained.or(peak).map(Rate::as_bps)
        };
        let promised = circuits.iter().filter_map(promised);
        let sum = promised.fold(0, u64::saturating_add);
        if let Some(line) = line.filter(|l| sum > l.as_bps()) {
            let message = format!(
                "the circuits of {} are promised {:.3} Mbit/s of cells together; the line carries {:.3} Mbit/s",
                self.interface.name,
                sum as f64 / 1e6,
                mbps(line)
            );
            let remedy = "lower their sustainable rates";
            self.checker.find(&ATM004, &first.place, message, remedy);
        }
    }

    fn contract(
        &mut self,
        circuit: &Pvc,
        contract: Contract,
        place: &Place,
        line: Option<Rate>,
        stated: bool,
    ) {
        let name = format!(
            "circuit {}/{} of {}",
            circuit.vpi, circuit.vci, self.interface.name
        );
        let doubts = || circuit.unknown.iter().cloned();
        let (peak, sustained) = (contract.peak, contract.sustained);
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
            let finding = self.checker.find(&ATM001, place, message, remedy);
            finding.doubt(doubts());
        }
        if let (Some(line), Some(peak)) = (line, peak)
            && peak > line
        {
            let known = match stated {
                true => "",
                false => " (an OC-12c; `! farpath line stm1` in the interface states another)",
            };
            let message = format!(
                "{name} has a peak of {:.3} Mbit/s of cells, and the line carries {:.3} Mbit/s{known}",
                mbps(peak),
                mbps(line)
            );
            let remedy = format!("write {} kbit/s or less", line.as_bps() / 1000);
            let finding = self.checker.find(&ATM002, place, message, remedy);
            finding.doubt(doubts());
        }
        let variable = matches!(contract.category, Category::VbrNrt | Category::VbrRt);
        if variable && sustained < peak {
            self.burst(circuit, contract, place, &name);
        }
    }

    /// ATM003.
    fn burst(&mut self, circuit: &Pvc, contract: Contract, place: &Place, name: &str) {
        let own = self.interface.mtu.as_ref().map(|m| m.value);
        let mtu = own.unwrap_or_else(|| parent_mtu(self.device, self.interface));
        let mux = |e: &Stated<Encapsulation>| e.value == Encapsulation::Mux;
        let llc = match circuit.encapsulation.as_ref().is_some_and(mux) {
            true => 0,
            false => 8,
        };
        let cells = (mtu + 8 + llc).div_ceil(48);
        let (message, severity) = match contract.burst {
            Some(burst) if burst >= cells => return,
            Some(burst) => (
                format!(
                    "{name} may burst {burst} cells at its peak, and a frame of {mtu} B is {cells}"
                ),
                Severity::Warning,
            ),
            None => (
                format!(
                    "{name} states no burst, and the default differs between cards; a frame of {mtu} B is {cells} cells"
                ),
                Severity::Info,
            ),
        };
        let remedy = format!("state a burst of {cells} cells or more");
        let finding = self.checker.find(&ATM003, place, message, remedy);
        finding.severity = severity;
        finding.doubt(circuit.unknown.iter().cloned());
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
