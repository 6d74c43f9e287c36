//! Luck of a queue, keyed by flow: what another flow draws changes nobody's.

use std::sync::Arc;

use farpath_units::{Key, Stream};
use farpath_wire::FlowDir;

/// Uniform draws, a sequence of its own for each flow and direction.
#[derive(Clone, Debug)]
pub struct Luck {
    key: Key,
    names: Arc<[String]>,
    /// By `FlowDir::index`: the sequence, and how many were drawn.
    flows: Vec<Option<(Stream, u64)>>,
}

impl Luck {
    /// Draws from `key`, which names the port and the queue; a flow is known by its name, by flow
    /// number, or by its number if it has none.
    pub fn new(key: Key, names: Arc<[String]>) -> Luck {
        Luck {
            key,
            names,
            flows: Vec::new(),
        }
    }

    /// The flow's next draw, in [0, 1).
    pub(crate) fn uniform(&mut self, dir: FlowDir) -> f64 {
        let index = dir.index();
        if self.flows.len() <= index {
            self.flows.resize(index + 1, None);
        }
        let key = || match self.names.get(usize::from(dir.flow())) {
            Some(name) => self.key.with(name),
            None => self.key.with_number(dir.flow().into()),
        };
        let new = || (key().with_number(dir.is_reverse().into()).stream(), 0);
        let (stream, drawn) = self.flows[index].get_or_insert_with(new);
        let ordinal = *drawn;
        *drawn += 1;
        stream.uniform(ordinal)
    }
}
