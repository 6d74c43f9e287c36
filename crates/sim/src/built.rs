//! A scenario's network of stations and ports.

use farpath_element::{Element, ElementId, Io, Network, Port};
use farpath_units::Time;
use farpath_wan::{Drops, Wan};

use crate::station::Station;

/// One element of a simulated network.
pub enum Piece {
    /// A node's endpoint.
    Station(Box<Station>),
    /// One direction of a link.
    Port(Box<Port>),
}

impl Element for Piece {
    #[inline]
    fn advance(&mut self, until: Time, io: &mut Io<'_>) {
        match self {
            Piece::Station(s) => s.advance(until, io),
            Piece::Port(p) => p.advance(until, io),
        }
    }

    #[inline]
    fn deadline(&self) -> Time {
        match self {
            Piece::Station(s) => s.deadline(),
            Piece::Port(p) => p.deadline(),
        }
    }
}

/// A scenario's network before its first instant.
pub struct Built {
    /// The elements.
    pub network: Network<Piece>,
    /// What its links are built from.
    pub wan: Wan,
    pub(crate) stations: Vec<ElementId>,
    pub(crate) ports: Vec<ElementId>,
}

/// What a run keeps besides counters.
#[derive(Clone, Copy, Debug, Default)]
pub struct Keep {
    /// Bursts of each kind for every connection's time–sequence plot.
    pub sequence: usize,
    /// Sum hashes of every departure, drop and arrival.
    pub audit: bool,
    /// Copy frames on links with `tap = true`.
    pub taps: bool,
    /// Copy frames on the links by which connections with timestamps leave their ends, too: a capture has the clocks there.
    pub clocks: bool,
}

impl Keep {
    /// Whether frames of any link are copied.
    pub(crate) fn copies(self) -> bool {
        self.taps || self.clocks
    }
}

impl Built {
    /// How many ports there are.
    pub fn port_count(&self) -> usize {
        self.ports.len()
    }

    /// A port, as numbered in the plan.
    pub fn port(&self, number: usize) -> &Port {
        match self.network.element(self.ports[number]) {
            Piece::Port(port) => port,
            Piece::Station(_) => unreachable!("ports were added as ports"),
        }
    }

    /// A port, to change or drain.
    pub fn port_mut(&mut self, number: usize) -> &mut Port {
        match self.network.element_mut(self.ports[number]) {
            Piece::Port(port) => port,
            Piece::Station(_) => unreachable!("ports were added as ports"),
        }
    }

    /// A node's station.
    pub fn station(&self, node: usize) -> &Station {
        match self.network.element(self.stations[node]) {
            Piece::Station(station) => station,
            Piece::Port(_) => unreachable!("stations were added as stations"),
        }
    }

    /// Frames on links and in queues of ports, as of [`Port::catch_up`] or [`Port::finish`].
    pub(crate) fn under_way(&self) -> u64 {
        let ports = (0..self.port_count()).map(|number| self.port(number));
        let waiting: u64 = ports.map(|port| port.waiting() + port.held()).sum();
        self.network.in_flight() + waiting
    }

    /// Frames that crossed a port's link and were dropped by the node behind it.
    pub fn dropped_behind(&self, number: usize) -> Drops {
        let node = self.wan.plan.ports[number].to;
        self.station(node.0).dropped(self.wan.input_of(number))
    }

    /// A node's station, to install programs or take results.
    pub fn station_mut(&mut self, node: usize) -> &mut Station {
        match self.network.element_mut(self.stations[node]) {
            Piece::Station(station) => station,
            Piece::Port(_) => unreachable!("stations were added as stations"),
        }
    }

    /// The port's promise has changed with its delay.
    pub(crate) fn renew_lookahead(&mut self, port: usize) {
        let lookahead = self.port(port).lookahead();
        self.network.set_lookahead(self.ports[port], lookahead);
    }
}
