//! What a direction of a link keeps of each flow: its state, its luck, and where it is in it.

use std::sync::Arc;

use farpath_units::{Key, Stream};
use farpath_wire::{FlowDir, Frame};

/// Something of each flow, direction and crossing on one direction of a link.
#[derive(Debug)]
pub(crate) struct Crossings<T> {
    /// By `FlowDir::index`: the passes of the flow over this link, in order of first appearance.
    flows: Vec<Vec<(u8, T)>>,
}

impl<T> Crossings<T> {
    /// Of no flow yet.
    pub(crate) fn new() -> Crossings<T> {
        Crossings { flows: Vec::new() }
    }

    /// That of the flow `frame` belongs to; `enter` makes it, of the crossing's number, when the flow is
    /// first seen.
    #[inline]
    pub(crate) fn of(&mut self, frame: &Frame, enter: impl FnOnce(u8) -> T) -> &mut T {
        let (index, pass) = (frame.flow.index(), pass_of(frame));
        let known = self.flows.get(index).map_or(&[][..], |passes| passes);
        let place = match known.iter().position(|(of, _)| *of == pass) {
            Some(place) => place,
            None => self.enter(index, pass, enter(pass)),
        };
        &mut self.flows[index][place].1
    }

    #[cold]
    fn enter(&mut self, index: usize, pass: u8, new: T) -> usize {
        if index >= self.flows.len() {
            self.flows.resize_with(index + 1, Vec::new);
        }
        self.flows[index].push((pass, new));
        self.flows[index].len() - 1
    }
}

/// Luck and state of each flow, direction and crossing on one direction of a link.
///
/// A draw is a pure function of (seed, link, direction, purpose, flow, pass, ordinal): another flow on
/// the link changes nothing, and a folded path that crosses the link several times draws for each
/// crossing.
#[derive(Debug)]
pub(crate) struct Flows<T> {
    key: Key,
    names: Arc<[String]>,
    crossings: Crossings<(Stream, T)>,
}

impl<T: Default> Flows<T> {
    /// Drawing from `key`, which names the link, its direction and what is drawn.
    pub(crate) fn new(key: Key) -> Flows<T> {
        Flows {
            key,
            names: Arc::default(),
            crossings: Crossings::new(),
        }
    }

    /// Keys the luck of each flow by its name, by flow number, instead of the number: a flow that
    /// is added in front of others, and so renumbers them, leaves them their luck. A flow without
    /// a name keeps its number.
    pub(crate) fn name(&mut self, names: Arc<[String]>) {
        self.names = names;
    }

    /// The luck and the state of the flow `frame` belongs to.
    #[inline]
    pub(crate) fn of(&mut self, frame: &Frame) -> (Stream, &mut T) {
        let (key, names) = (self.key, &self.names);
        let enter = |pass| (luck_of(key, names, frame.flow, pass), T::default());
        let (luck, state) = self.crossings.of(frame, enter);
        (*luck, state)
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
