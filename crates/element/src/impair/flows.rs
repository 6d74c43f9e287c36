//! What an impairment keeps of each flow: its luck, and where it is in it.

use std::sync::Arc;

use farpath_units::{Key, Stream};
use farpath_wire::{FlowDir, Frame};

/// Luck and state of each flow, direction and crossing on one direction of a link.
///
/// A draw is a pure function of (seed, link, direction, purpose, flow, pass, ordinal): another flow on
/// the link changes nothing, and a folded path that crosses the link several times draws for each
/// crossing.
#[derive(Debug)]
pub(super) struct Flows<T> {
    key: Key,
    names: Arc<[String]>,
    /// By `FlowDir::index`: the passes of the flow over this link, in order of first appearance.
    flows: Vec<Vec<Entry<T>>>,
}

#[derive(Clone, Debug)]
struct Entry<T> {
    /// See [`pass_of`].
    pass: u8,
    luck: Stream,
    state: T,
}

impl<T: Clone + Default> Flows<T> {
    /// Drawing from `key`, which names the link, its direction and what is drawn.
    pub(super) fn new(key: Key) -> Flows<T> {
        Flows {
            key,
            names: Arc::default(),
            flows: Vec::new(),
        }
    }

    /// Keys the luck of each flow by its name, by flow number, instead of the number: a flow that
    /// is added in front of others, and so renumbers them, leaves them their luck. A flow without
    /// a name keeps its number.
    pub(super) fn name(&mut self, names: Arc<[String]>) {
        self.names = names;
    }

    /// The luck and the state of the flow `frame` belongs to.
    #[inline]
    pub(super) fn of(&mut self, frame: &Frame) -> (Stream, &mut T) {
        let (index, pass) = (frame.flow.index(), pass_of(frame));
        let known = self.flows.get(index).map_or(&[][..], |passes| passes);
        let place = match known.iter().position(|entry| entry.pass == pass) {
            Some(place) => place,
            None => self.enter(frame.flow, pass),
        };
        let entry = &mut self.flows[index][place];
        (entry.luck, &mut entry.state)
    }

    #[cold]
    fn enter(&mut self, flow: FlowDir, pass: u8) -> usize {
        let index = flow.index();
        if index >= self.flows.len() {
            self.flows.resize(index + 1, Vec::new());
        }
        self.flows[index].push(Entry {
            pass,
            luck: luck_of(self.key, &self.names, flow, pass),
            state: T::default(),
        });
        self.flows[index].len() - 1
    }
}

/// Which crossing of the link this is: 0 for a datagram; else the TTL of the label, which tells the
/// passes of a folded LSP apart. They interleave by timing, so they must not share their luck.
#[inline]
fn pass_of(frame: &Frame) -> u8 {
    frame.label.ttl()
}

#[cold]
fn luck_of(key: Key, names: &[String], flow: FlowDir, pass: u8) -> Stream {
    let key = match names.get(usize::from(flow.flow())) {
        Some(name) => key.with(name).with_number(flow.is_reverse().into()),
        None => key.with_number(flow.index() as u64),
    };
    match pass {
        0 => key.stream(),
        _ => key.with("pass").with_number(pass.into()).stream(),
    }
}
