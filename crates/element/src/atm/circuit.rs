//! What becomes of a frame's cells on one direction of a link: shaped before, policed and lost after.
//!
//! Every flow is a circuit of its own, so its luck and its broken frames stay its own. The policer and
//! the shaper stand on the line and see all its circuits, as one contract.

use std::sync::Arc;

use farpath_predict::atm::{CELL, CELL_PAYLOAD, header_loss};
use farpath_units::{Key, Rate, Stream, Time};
use farpath_wire::{FlowDir, Frame};

use super::gcra::{Contract, Gcra};
use super::queue::CellQueueConfig;
use crate::counters::Drop;

/// Causes of loss that act on cells.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CellLoss {
    /// Each cell with this probability.
    pub ratio: f64,
    /// Each bit with this probability: in the payload it costs the frame, in the header the cell
    /// unless the header check corrects it.
    pub bit_error: f64,
}

/// What a policer does with a cell that does not conform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Discards it.
    Drop,
    /// Lets it pass with its loss priority bit set.
    Tag,
}

/// What happens to cells on a direction of a link.
#[derive(Clone, Debug)]
pub struct CircuitsConfig {
    /// Rate of the line in bit/s of whole cells.
    pub line: Rate,
    /// Cells lost by chance.
    pub loss: CellLoss,
    /// A frame whose last cell is lost takes the next frame of its circuit with it.
    pub glue: bool,
    /// The policer at the far end.
    pub police: Option<(Contract, Action)>,
    /// The shaper in front of the transmitter.
    pub shape: Option<Contract>,
    /// The queue of cells in place of the queue of frames; then there is no contract.
    pub queue: Option<CellQueueConfig>,
    /// What luck is drawn from: the link and its direction.
    pub key: Key,
    /// Names of the flows, by number, which key their luck.
    pub names: Arc<[String]>,
}

/// What a frame suffered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hurt {
    /// Why it does not arrive, if it does not.
    pub fate: Option<Drop>,
    /// Cells of it that did not arrive.
    pub lost: u32,
    /// Cells of it that were tagged.
    pub tagged: u32,
}

/// The circuits of one direction at work.
#[derive(Debug)]
pub struct Circuits {
    config: CircuitsConfig,
    police: Option<Gcra>,
    shape: Option<Gcra>,
    /// By `FlowDir::index`.
    circuits: Vec<Option<Circuit>>,
}

#[derive(Clone, Copy, Debug)]
struct Circuit {
    cells: Hazard,
    bits: Hazard,
    /// The end of the last frame was lost: the next one will be taken for its rest.
    open: bool,
}

/// Units until the next loss, drawn when the one before has struck.
#[derive(Clone, Copy, Debug)]
struct Hazard {
    luck: Stream,
    ratio: f64,
    drawn: u64,
    /// Units that pass unharmed.
    safe: u64,
}

impl Hazard {
    fn new(key: Key, ratio: f64) -> Hazard {
        let mut hazard = Hazard {
            luck: key.stream(),
            ratio,
            drawn: 0,
            safe: u64::MAX,
        };
        if ratio > 0.0 {
            hazard.safe = hazard.draw();
        }
        hazard
    }

    fn draw(&mut self) -> u64 {
        self.drawn += 1;
        self.luck.geometric(self.drawn - 1, self.ratio)
    }

    /// `units` pass; calls `struck` with the ordinal of each that is lost.
    fn pass(&mut self, units: u64, mut struck: impl FnMut(u64)) {
        let mut at = self.safe;
        while at < units {
            struck(at);
            at = at.saturating_add(1).saturating_add(self.draw());
        }
        if at != u64::MAX {
            self.safe = at - units;
        }
    }
}

impl Circuits {
    /// Circuits before their first cell.
    pub fn new(config: CircuitsConfig) -> Circuits {
        let mut circuits = Circuits {
            police: None,
            shape: None,
            circuits: Vec::new(),
            config,
        };
        circuits.set_line(circuits.config.line);
        circuits
    }

    /// The rate of the line has changed. Contracts begin anew.
    pub fn set_line(&mut self, line: Rate) {
        let config = &mut self.config;
        config.line = line;
        self.police = config.police.map(|(c, _)| Gcra::new(&c, line));
        self.shape = config.shape.map(|c| Gcra::new(&c, line));
    }

    /// When a frame of `wire_bytes` that is ready at `ready` is sent: first bit and last. `None` when
    /// no shaper stands in its way.
    pub fn shape(&mut self, ready: Time, wire_bytes: u32) -> Option<(Time, Time)> {
        let shaper = self.shape.as_mut()?;
        Some(shaper.shape(ready, wire_bytes / CELL))
    }

    /// What a frame of `wire_bytes` suffers whose first cell began at `start`.
    pub fn pass(&mut self, start: Time, wire_bytes: u32, frame: &Frame) -> Hurt {
        let cells = wire_bytes / CELL;
        let mut hurt = Hurt::default();
        let mut ends = true;
        if let (Some(gcra), Some((_, action))) = (&mut self.police, self.config.police) {
            let found = gcra.police(start, cells);
            match action {
                Action::Drop if found.failed > 0 => {
                    hurt.lost = found.failed;
                    hurt.fate = Some(Drop::Policed);
                    ends = !found.last;
                }
                Action::Drop => {}
                Action::Tag => hurt.tagged = found.failed,
            }
        }
        let glue = self.config.glue;
        let circuit = self.circuit(frame.flow);
        let before = hurt.lost;
        circuit.cells.pass(cells.into(), |ordinal| {
            hurt.lost += 1;
            ends &= ordinal + 1 < u64::from(cells);
        });
        let payload = u64::from(cells * CELL_PAYLOAD) * 8;
        let mut damaged = false;
        circuit.bits.pass(payload, |_| damaged = true);
        if hurt.lost > before || circuit.open {
            hurt.fate = hurt.fate.or(Some(Drop::Cell));
        } else if damaged {
            hurt.fate = hurt.fate.or(Some(Drop::Error));
        }
        hurt.lost = hurt.lost.min(cells);
        circuit.open = glue && !ends;
        hurt
    }

    fn circuit(&mut self, flow: FlowDir) -> &mut Circuit {
        let index = flow.index();
        if index >= self.circuits.len() {
            self.circuits.resize(index + 1, None);
        }
        let config = &self.config;
        self.circuits[index].get_or_insert_with(|| enter(config, flow))
    }
}

#[cold]
fn enter(config: &CircuitsConfig, flow: FlowDir) -> Circuit {
    let key = match config.names.get(usize::from(flow.flow())) {
        Some(name) => config.key.with(name).with_number(flow.is_reverse().into()),
        None => config.key.with_number(flow.index() as u64),
    };
    let CellLoss { ratio, bit_error } = config.loss;
    let header = header_loss(bit_error);
    // Lost by either cause.
    let ratio = ratio + header - ratio * header;
    Circuit {
        cells: Hazard::new(key.with("cells"), ratio),
        bits: Hazard::new(key.with("cell payload"), bit_error),
        open: false,
    }
}

#[cfg(test)]
mod tests;
