//! All connections of a capture, within bounds.

use std::collections::{BTreeMap, VecDeque};

use crate::connection::Connection;
use crate::index::{Index, Key};
use crate::peel::Rest;
use crate::room::Room;
use crate::segment::{End, Segment, control};
use crate::work;

/// Connections kept. A SYN that nobody answered makes room for a new one; beyond that packets are only counted.
pub(crate) const CONNECTIONS_MAX: usize = 150_000;
/// After this long without a packet, data after the end of a connection belongs to another one.
const LINGER_NS: i64 = 60_000_000_000;

/// All connections.
pub(crate) struct Table {
    index: Index,
    pub(crate) connections: Vec<Connection>,
    /// Those that were a SYN only when they came, oldest first: place and number.
    half_open: VecDeque<(u32, u64)>,
    numbers: u64,
    /// The last one, which the next packet mostly belongs to.
    last: Option<(Key, u32)>,
    pub(crate) room: Room,
    /// SYNs that were forgotten for others.
    pub(crate) forgotten_syns: u64,
    /// Packets of connections that found no room.
    pub(crate) untracked: u64,
    /// What else was seen, by name.
    pub(crate) others: BTreeMap<&'static str, u64>,
}

impl Table {
    pub(crate) fn new() -> Table {
        Table {
            index: Index::new(),
            connections: Vec::new(),
            half_open: VecDeque::new(),
            numbers: 0,
            last: None,
            room: Room::default(),
            forgotten_syns: 0,
            untracked: 0,
            others: BTreeMap::new(),
        }
    }

    /// Where the connection between two ends is.
    pub(crate) fn place(&self, [a, b]: [End; 2]) -> Option<usize> {
        self.index.find(&Key::new(a, b)).map(|place| place as usize)
    }

    /// A router says to the first end that its packets are larger than an MTU.
    #[cold]
    pub(crate) fn report(&mut self, ends: [End; 2], mtu: u32) {
        let Some(place) = self.place(ends) else {
            return;
        };
        let connection = &mut self.connections[place];
        let from = usize::from(connection.ends[0] != ends[0]);
        let stream = &mut connection.streams[from];
        if let Some(passages) = &stream.passages {
            stream.sizes.report(mtu.saturating_sub(passages.header));
        }
    }

    /// Where connections are is not asked any more: its memory is given back.
    pub(crate) fn forget_places(&mut self) {
        (self.index, self.last) = (Index::new(), None);
    }

    /// Counts a packet that belongs to no connection.
    pub(crate) fn other(&mut self, name: &'static str) {
        *self.others.entry(name).or_default() += 1;
    }

    /// Takes in a segment.
    #[inline]
    pub(crate) fn take(&mut self, s: &Segment, inside: Rest<'_>) {
        work::count(1);
        let key = Key::new(s.from, s.to);
        let found = match self.last {
            Some((last, place)) if last == key => Some(place),
            _ => self.index.find(&key),
        };
        let mut at_another = None;
        let found = found.and_then(|place| {
            if self.connections[place as usize].is_at(s) {
                return Some(place);
            }
            let chosen = self.at_point(place, s);
            at_another = chosen.is_none().then_some(place);
            chosen
        });
        if let Some(place) = found
            && let Some(connection) = self.connections.get_mut(place as usize)
        {
            let over = connection
                .closed_at
                .is_some_and(|at| s.length > 0 && s.at - at > LINGER_NS);
            let another = s.is(control::SYN) && connection.is_another(s);
            if !over && !another {
                self.last = Some((key, place));
                connection.take(s, inside, &mut self.room);
                return;
            }
        }
        self.begin(key, s, inside, at_another);
    }

    #[cold]
    fn begin(&mut self, key: Key, s: &Segment, inside: Rest<'_>, sibling: Option<u32>) {
        let place = if self.connections.len() < CONNECTIONS_MAX {
            self.connections.push(Connection::default());
            self.connections.len() - 1
        } else if let Some(place) = self.forget_syn() {
            place
        } else {
            self.untracked += 1;
            return;
        };
        if sibling.is_none()
            && let Some(earlier) = self.index.find(&key)
        {
            let connection = &mut self.connections[earlier as usize];
            let room = &mut self.room;
            connection
                .streams
                .iter_mut()
                .for_each(|stream| stream.release(room));
        }
        if !self.index.insert(key, place as u32) {
            self.connections.truncate(place);
            self.untracked += 1;
            return;
        }
        self.numbers += 1;
        if s.is(control::SYN) && !s.is(control::ACK) {
            self.half_open.push_back((place as u32, self.numbers));
        }
        self.connections[place] = Connection::new(self.numbers, s);
        self.connections[place].sibling = sibling;
        self.last = Some((key, place as u32));
        self.connections[place].take(s, inside, &mut self.room);
    }

    /// Forgets the oldest SYN that nobody answered.
    fn forget_syn(&mut self) -> Option<usize> {
        while let Some((place, number)) = self.half_open.pop_front() {
            work::count(1);
            let connection = &self.connections[place as usize];
            if connection.number == number && connection.is_half_open() {
                let key = Key::new(connection.ends[0], connection.ends[1]);
                // Another connection of the same ends may have taken its place in the index.
                if self.index.find(&key) == Some(place) {
                    self.index.remove(&key);
                }
                self.forgotten_syns += 1;
                return Some(place as usize);
            }
        }
        None
    }
}
