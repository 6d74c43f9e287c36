//! Where packets of a connection were captured: whether a file or an interface goes on with it, or holds it once more.

use std::collections::BTreeMap;

use crate::connection::Connection;
use crate::pairs::{Paired, Point};
use crate::segment::{Segment, control};
use crate::table::Table;
use crate::work;

/// Points at which one connection is followed; packets of further ones belong to the first.
const POINTS_MAX: usize = 16;
/// Files and interfaces that one connection goes on in.
const PLACES_MAX: usize = 256;

impl Connection {
    /// Whether the capture of this end's packets goes on where this one was made.
    #[inline]
    pub(crate) fn is_at(&self, s: &Segment) -> bool {
        self.place[self.side_of(s)] == Some(s.place)
    }

    /// From now on packets of this end are captured there.
    pub(crate) fn goes_on_at(&mut self, s: &Segment) {
        let side = self.side_of(s);
        self.place[side] = Some(s.place);
        work::count(self.places.len());
        if !self.places.contains(&s.place) && self.places.len() < PLACES_MAX {
            self.places.push(s.place);
        }
    }

    /// Whether this packet passed here before: it was captured at another point, too.
    fn had(&self, s: &Segment) -> bool {
        let side = self.side_of(s);
        let is_other_file = self.places.last().is_none_or(|p| p >> 16 != s.place >> 16);
        if is_other_file && s.at < self.last() {
            return true;
        }
        let stream = &self.streams[side];
        if s.is(control::SYN) {
            let Some(syn) = stream.syn.as_ref().filter(|syn| syn.seq == s.seq) else {
                return false;
            };
            let telling = s.stamps.is_some() || s.ip_id != 0;
            let is_equal = telling && (syn.stamps, syn.ip_id) == (s.stamps, s.ip_id);
            return is_equal || self.handshake.is_some();
        }
        let was_acknowledged = is_other_file && self.streams[1 - side].has_acknowledged(s);
        stream.has(s, is_other_file) || was_acknowledged
    }
}

impl Table {
    /// The connection that a packet belongs to which was not captured where the one found was; none where it begins one
    /// at another point.
    #[cold]
    pub(crate) fn at_point(&mut self, first: u32, s: &Segment) -> Option<u32> {
        let mut chain = Vec::new();
        let mut next = Some(first);
        while let Some(place) = next.filter(|_| chain.len() < POINTS_MAX) {
            let connection = &self.connections[place as usize];
            if connection.is_at(s) {
                return Some(place);
            }
            work::count(1 + connection.places.len());
            chain.push(place);
            next = connection.sibling;
        }
        // The other direction of a link may have an interface of its own.
        let free = |near: &dyn Fn(u32) -> bool| {
            chain.iter().copied().find(|place| {
                let c = &self.connections[*place as usize];
                let side = c.side_of(s);
                c.place[side].is_none() && c.place[1 - side].is_some_and(near)
            })
        };
        let found = free(&|p| p == s.place).or_else(|| free(&|p| p >> 16 == s.place >> 16));
        let is_bare = s.length == 0
            && s.control & (control::SYN | control::FIN | control::RST) == 0
            && chain.iter().any(|place| {
                let c = &self.connections[*place as usize];
                c.places.iter().any(|p| p >> 16 == s.place >> 16)
            });
        let going_on = || {
            let goes = |place: &u32| !self.connections[*place as usize].had(s);
            chain.iter().copied().find(goes)
        };
        // An acknowledgement without data does not say at which interface it was.
        if found.is_none() && is_bare {
            return Some(first);
        }
        let place = found.or_else(going_on)?;
        self.connections[place as usize].goes_on_at(s);
        Some(place)
    }

    /// Connections that are one, captured at several points; `ids` are their numbers in the document.
    pub(crate) fn paired(&self, ids: &[u64]) -> Vec<Paired> {
        // Both first numbers are alike by chance once in 2⁶⁴.
        let mut by_numbers: BTreeMap<[u32; 2], usize> = BTreeMap::new();
        let mut first: BTreeMap<usize, usize> = BTreeMap::new();
        let mut order: Vec<usize> = (0..self.connections.len()).collect();
        order.sort_by_key(|place| ids[*place]);
        for place in order {
            let c = &self.connections[place];
            if let [Some(a), Some(b)] = [0, 1].map(|n| c.streams[n].syn.as_ref()) {
                let other = *by_numbers.entry([a.seq, b.seq]).or_insert(place);
                if other != place && self.connections[other].places != c.places {
                    first.insert(place, other);
                }
            } else if let Some(other) = c.sibling {
                let other = other as usize;
                first.insert(place, *first.get(&other).unwrap_or(&other));
            }
        }
        let point = |place: usize| Point::new(&self.connections[place], ids[place]);
        let mut all: Vec<Paired> = first
            .iter()
            .map(|(place, other)| Paired::new(point(*other), point(*place)))
            .collect();
        all.sort_by_key(|p| p.ids());
        all
    }
}
