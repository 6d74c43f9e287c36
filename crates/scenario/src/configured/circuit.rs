//! What an IOS router's ATM circuits make of the link they are on: encapsulation, and cells shaped to
//! their contract.

use farpath_config::qos::{Category, Contract, Device, Encapsulation, Pvc};
use farpath_predict::Framing;
use farpath_predict::atm::Aal5;
use farpath_units::{Duration, Rate};

use super::interface::interfaces;
use crate::atm::CellContract;
use crate::decode::Fields;
use crate::diagnostic::Diagnostic;
use crate::model::{Configuration, Scenario};
use crate::sections::{Tables, name_of};

/// Adds contracts and encapsulations of the circuits of every router among the files, where the
/// scenario writes none.
pub(super) fn apply(
    configuration: &Configuration,
    tables: &Tables,
    scenario: &mut Scenario,
    faults: &mut Vec<Diagnostic>,
) {
    for device in &configuration.report.devices {
        let node = configuration.nodes[device.file];
        for (link, f) in scenario.links.iter_mut().zip(&tables.links) {
            let Some(side) = link.ends.iter().position(|e| *e == node) else {
                continue;
            };
            let Some(names) = interfaces(f) else { continue };
            let name = names[side].get_ref();
            let mut refuse = |title: String, help: &str| {
                let title = format!("link `{}`: `{name}` {title}", name_of(f));
                faults.push(Diagnostic::new(f.span.clone(), title).help(help));
            };
            let pvcs: Vec<&Pvc> = circuits(device, name).collect();
            let (pvc, contract) = match pvcs[..] {
                [] => continue,
                [pvc] => (pvc, pvc.contract.as_ref().map(|c| c.value)),
                _ => {
                    let count = pvcs.len();
                    let title = format!("has {count} circuits, and a link is one");
                    refuse(
                        title,
                        "name the subinterface of one of them in `interfaces`",
                    );
                    continue;
                }
            };
            let Framing::Atm(_) = link.framing else {
                let title = "has a circuit, and the link has no cells".to_owned();
                refuse(
                    title,
                    "write framing = \"oc12c-atm\" or the like on the link",
                );
                continue;
            };
            if pvc
                .encapsulation
                .as_ref()
                .is_some_and(|e| e.value == Encapsulation::Mux)
                && !f.has("encapsulation")
            {
                link.framing = Framing::Atm(Aal5::Vc);
            }
            let own = f.get::<Fields>(["forward", "reverse"][side]);
            let layers = || own.iter().chain([f]);
            if layers().any(|l| l.has("shape_cells") || l.has("cell_queue")) {
                continue;
            }
            let direction = &mut link.directions[side];
            let shape = contract.map(|c| shaped(c, direction.rate)).transpose();
            match (shape, &mut direction.cells) {
                (Ok(shape), Some(cells)) => cells.shape = shape.flatten(),
                (Ok(_), None) => {}
                (Err((title, help)), _) => refuse(title, help),
            }
        }
    }
}

/// The circuits of an interface and of its subinterfaces.
fn circuits<'d>(device: &'d Device, name: &'d str) -> impl Iterator<Item = &'d Pvc> {
    let of = move |i: &&farpath_config::qos::Interface| {
        let below = i.name.strip_prefix(name);
        below.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    device.interfaces.iter().filter(of).flat_map(|i| &i.pvcs)
}

/// What the cells of a circuit keep to on a line of `line`; nothing where only the line limits them.
fn shaped(contract: Contract, line: Rate) -> Result<Option<CellContract>, (String, &'static str)> {
    let Some(pcr) = contract.peak else {
        return Ok(None);
    };
    if pcr > line {
        let title = format!("has a peak cell rate of {pcr} on a line of {line}");
        return Err((title, "write a contract that the line can keep"));
    }
    let varies = matches!(contract.category, Category::VbrNrt | Category::VbrRt);
    let sustained = match (contract.sustained.filter(|_| varies), contract.burst) {
        (Some(scr), Some(mbs)) => Some((scr, u64::from(mbs))),
        (Some(scr), None) if scr < pcr => {
            let title =
                "has a sustained cell rate and no burst, whose default differs between cards";
            return Err((title.to_owned(), "write all three: vbr-nrt PCR SCR MBS"));
        }
        _ => None,
    };
    Ok(Some(CellContract {
        pcr,
        sustained,
        cdvt: Duration::ZERO,
        scr_ignored: false,
    }))
}
