//! What the data plane is asked to note of connections and datagrams, and what it has noted.

use farpath_scenario::{Event, NodeId};
use farpath_units::Time;

use super::openings::{Opening, Openings};
use super::packet::Way;
use super::pauses::Pauses;
use super::queries::Queries;
use super::segments::{Acks, Counted, Segments};
use super::turns::{Talks, Turns};
use super::{Interface, Plane};

impl<I: Interface> Plane<I> {
    /// Events of the scenario that have happened, in order.
    pub fn happened(&self) -> &[Event] {
        self.scenario
            .events
            .get(..self.next_event)
            .unwrap_or_default()
    }

    /// From now on it is known when nothing arrives of a connection: [`Self::pauses`].
    pub fn note_pauses(&mut self) {
        self.pauses.get_or_insert_default();
    }

    /// When nothing arrived of a connection for some time, for each of its ways; the last pause has no end. Empty where nobody
    /// asked for it.
    pub fn pauses(&self) -> impl Iterator<Item = (Way, Vec<(Time, Time)>)> + '_ {
        self.pauses.iter().flat_map(Pauses::all)
    }

    /// From now on it is known whose turn it was in each connection: [`Self::turns`].
    pub fn note_turns(&mut self) {
        self.talks.get_or_insert_default();
        self.lines.get_or_insert_default();
    }

    /// Whose turn it was, for each connection. Empty where nobody asked for it.
    pub fn turns(&self) -> impl Iterator<Item = Turns> + '_ {
        self.talks.iter().flat_map(Talks::all)
    }

    /// From now on segments are counted: [`Self::acks`], [`Self::segments`].
    pub fn note_segments(&mut self) {
        self.segments.get_or_insert_default();
    }

    /// Acknowledgements without data on each way of each connection that had any. Empty where nobody asked for it.
    pub fn acks(&self) -> impl Iterator<Item = (Way, Acks)> + '_ {
        self.segments.iter().flat_map(Counted::acks)
    }

    /// Segments with data on each way of each connection that had any. Empty where nobody asked for it.
    pub fn segments(&self) -> impl Iterator<Item = (Way, Segments)> + '_ {
        self.segments.iter().flat_map(Counted::data)
    }

    /// From now on queries over UDP are followed: [`Self::queries`].
    pub fn note_queries(&mut self) {
        self.queries.get_or_insert_default();
    }

    /// Queries over UDP that a host answered. None where nobody asked for it.
    pub fn queries(&self, host: NodeId) -> Queries {
        let all = self.queries.as_ref();
        all.map_or(Queries::default(), |all| all.of(host))
    }

    /// Whether the first of these ends sent the other one a datagram of UDP before any came back. Never where nobody asked for it.
    pub fn has_asked(&self, way: Way) -> bool {
        self.queries.as_ref().is_some_and(|all| all.has_asked(way))
    }

    /// From now on it is known how each connection began, and which datagrams were refused: [`Self::openings`], [`Self::unheard`].
    pub fn note_openings(&mut self) {
        self.openings.get_or_insert_default();
    }

    /// How each connection began. Empty where nobody asked for it.
    pub fn openings(&self) -> impl Iterator<Item = Opening> + '_ {
        self.openings.iter().flat_map(Openings::all)
    }

    /// Who sent datagrams of UDP where to, when the host there first reported that nothing listens (RFC 1122 §3.2.2.1), and how often: kernels
    /// report some of many. Empty where nobody asked for it.
    pub fn unheard(&self) -> impl Iterator<Item = (Way, Time, u64)> + '_ {
        self.openings.iter().flat_map(Openings::unheard)
    }

    /// UDP datagrams of a host that it has sent and that are in the network yet: on a link, in a queue, or not handed out.
    pub fn datagrams_under_way(&self, host: NodeId) -> u64 {
        let all = self.pool.under_way();
        let own = all.map(|(slot, packet, live)| (packet, live - self.copies.spare(slot)));
        self.datagrams.under_way(host, own)
    }
}
