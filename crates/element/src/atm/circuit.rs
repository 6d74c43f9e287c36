//! What becomes of a frame's cells on one direction of a link: shaped before, policed and lost after.
//!
//! Every crossing of a flow is a circuit of its own, so its luck and its broken frames stay its own. The policer and
//! the shaper stand on the line and see all its circuits, as one contract.

use std::sync::Arc;

use farpath_predict::atm::{CELL, CELL_PAYLOAD, header_loss};
use farpath_units::{Key, Rate, Stream, Time};
use farpath_wire::Frame;

use super::gcra::{Contract, Gcra};
use super::queue::CellQueueConfig;
use crate::drops::Drop;
use crate::flows::Flows;

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
    /// By flow number, whether its frames are single cells of a tester: no frame goes on in the next
    /// one. A flow beyond the end has frames.
    pub single: Arc<[bool]>,
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
    flows: Flows<Circuit>,
    /// Share of cells lost by either cause.
    cell_loss: f64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Circuit {
    cells: Hazard,
    bits: Hazard,
    /// The end of the last frame was lost: the next one will be taken for its rest.
    open: bool,
}

/// Units until the next loss, drawn when the one before has struck.
#[derive(Clone, Copy, Debug, Default)]
struct Hazard {
    /// Draws made so far.
    drawn: u64,
    /// Units that pass unharmed.
    safe: u64,
}

/// Where the draws for wrong bits begin among those of a circuit; the draws for cells begin at 0.
const BITS: u64 = 1 << 63;

impl Hazard {
    /// `units` pass, each lost with probability `ratio` by the draws of `luck` from `first` on; calls
    /// `struck` with the ordinal of each that is.
    fn pass(
        &mut self,
        units: u64,
        (luck, first, ratio): (Stream, u64, f64),
        mut struck: impl FnMut(u64),
    ) {
        if ratio == 0.0 {
            return;
        }
        let draw = |k: u64| luck.geometric(first | k, ratio);
        if self.drawn == 0 {
            self.safe = draw(0);
            self.drawn = 1;
        }
        let mut at = self.safe;
        while at < units {
            struck(at);
            at = at.saturating_add(1).saturating_add(draw(self.drawn));
            self.drawn += 1;
        }
        if at != u64::MAX {
            self.safe = at - units;
        }
    }
}

impl Circuits {
    /// Circuits before their first cell.
    pub fn new(config: CircuitsConfig) -> Circuits {
        let CellLoss { ratio, bit_error } = config.loss;
        let header = header_loss(bit_error);
        let mut flows = Flows::new(config.key);
        flows.name(Arc::clone(&config.names));
        let mut circuits = Circuits {
            police: None,
            shape: None,
            flows,
            cell_loss: ratio + header - ratio * header,
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
        let single = self.config.single.get(usize::from(frame.flow.flow()));
        let glue = self.config.glue && single != Some(&true);
        let (luck, circuit) = self.flows.of(frame);
        let before = hurt.lost;
        let draws = (luck, 0, self.cell_loss);
        circuit.cells.pass(cells.into(), draws, |ordinal| {
            hurt.lost += 1;
            ends &= ordinal + 1 < u64::from(cells);
        });
        let payload = u64::from(cells * CELL_PAYLOAD) * 8;
        let mut damaged = false;
        let draws = (luck, BITS, self.config.loss.bit_error);
        circuit.bits.pass(payload, draws, |_| damaged = true);
        if hurt.lost > before || circuit.open {
            hurt.fate = hurt.fate.or(Some(Drop::Cell));
        } else if damaged {
            hurt.fate = hurt.fate.or(Some(Drop::Error));
        }
        hurt.lost = hurt.lost.min(cells);
        circuit.open = glue && !ends;
        hurt
    }
}

#[cfg(test)]
mod tests;
