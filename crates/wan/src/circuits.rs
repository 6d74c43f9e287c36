//! What happens to cells on a direction of a link, from the scenario's keys.

use std::collections::BTreeMap;
use std::sync::Arc;

use farpath_element::Counters;
use farpath_element::atm::{
    Action, CellLoss, CellQueueConfig, CircuitsConfig, Contract, Discard, Gcra, Sustained,
};
use farpath_predict::Framing;
use farpath_predict::atm::CELL;
use farpath_scenario::plan::PortPlan;
use farpath_scenario::{CellContract, CellDiscard, Loss, Scenario};
use farpath_units::Key;

/// The circuits of a port, if its framing has cells.
pub(crate) fn config(
    scenario: &Scenario,
    port: &PortPlan,
    key: Key,
    (names, single): (Arc<[String]>, Arc<[bool]>),
) -> Option<CircuitsConfig> {
    let link = &scenario.links[port.link.0];
    let direction = link.direction(port.way);
    let cells = direction.cells.as_ref()?;
    let bit_error = direction.losses.iter().find_map(|loss| match loss {
        Loss::BitError(ratio) => Some(*ratio),
        _ => None,
    });
    let action = |tags| if tags { Action::Tag } else { Action::Drop };
    Some(CircuitsConfig {
        line: port.rate,
        loss: CellLoss {
            ratio: cells.loss.get(),
            bit_error: bit_error.unwrap_or_default(),
        },
        glue: cells.glue,
        single,
        police: cells
            .police
            .map(|p| (contract(&p.contract), action(p.tags))),
        shape: cells.shape.as_ref().map(contract),
        queue: cells.queue.map(|q| CellQueueConfig {
            limit: q.limit,
            discard: match q.discard {
                CellDiscard::Plain => Discard::Plain,
                CellDiscard::Partial => Discard::Partial,
                CellDiscard::Early(threshold) => Discard::Early { threshold },
            },
        }),
        key: key
            .with(&link.name)
            .with(&scenario.direction_name(port.link, port.way))
            .with("circuits"),
        names,
    })
}

fn contract(model: &CellContract) -> Contract {
    Contract {
        peak: model.pcr,
        tolerance: model.cdvt,
        sustained: model
            .obeyed()
            .map(|(rate, burst)| Sustained { rate, burst }),
    }
}

/// A contract that single cells are held against as they arrive.
pub fn meter(model: &CellContract) -> Gcra {
    Gcra::new(&contract(model), model.pcr)
}

/// A direction's cells, for its record; nothing where there are none.
pub(crate) fn counted(framing: Framing, counters: &Counters) -> BTreeMap<String, u64> {
    if !framing.is_atm() {
        return BTreeMap::new();
    }
    let counts = [
        ("sent", counters.bytes / u64::from(CELL)),
        ("lost", counters.cells_lost),
        ("tagged", counters.cells_tagged),
    ];
    counts.map(|(name, n)| (name.to_owned(), n)).into()
}
