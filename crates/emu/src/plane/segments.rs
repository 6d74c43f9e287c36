//! Segments of TCP, with data and without, and those of them that the network dropped: whoever sees each frame knows it.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use farpath_element::Drop;
use farpath_units::Time;
use farpath_wan::Drops;

use super::packet::{Packet, Way};

const FIN_SYN_RST: u8 = 0x07;
const SYN: u8 = 0x02;
const ACK: u8 = 0x10;

/// So many ways are followed: what comes later is not known.
const WAYS: usize = 1 << 12;

/// Acknowledgements without data that one end sent to the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Acks {
    /// All of them.
    pub sent: u64,
    /// Those that a queue, a line or a router of the network dropped, or that arrived with a checksum that is wrong.
    pub lost: u64,
}

/// Segments with data that one end sent to the other, those sent again among them: each frame counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Segments {
    /// All of them.
    pub sent: u64,
    /// Those that the network dropped, reported to their sender or not, or that arrived with a checksum that is wrong, by [`Drop`].
    pub lost: Drops,
    /// When the first of these came to where it was dropped; none where none was.
    pub first_lost: Option<Time>,
}

/// One way of a connection.
#[derive(Clone, Copy, Debug, Default)]
struct OneWay {
    acks: Acks,
    data: Segments,
}

/// All connections, each way by itself.
#[derive(Clone, Debug, Default)]
pub(super) struct Counted(BTreeMap<Way, OneWay>);

impl Counted {
    /// A host has handed over `packet`.
    pub(super) fn sent(&mut self, packet: &Packet) {
        let Some((way, _, control)) = packet.tcp() else {
            return;
        };
        if control & SYN != 0 {
            // Another connection between the same ends.
            self.0.remove(&way);
        }
        let has_data = packet.payload() > 0;
        if !(has_data || is_bare(packet, control)) {
            return;
        }
        let is_room = self.0.len() < WAYS;
        let counts = match self.0.entry(way) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) if is_room => new.insert(OneWay::default()),
            Entry::Vacant(_) => return,
        };
        match has_data {
            true => counts.data.sent += packet.segments() as u64,
            false => counts.acks.sent += 1,
        }
    }

    /// The network has dropped `packet`, or a segment of it, for a reason: it came there at an instant.
    pub(super) fn lost(&mut self, packet: &Packet, reason: Drop, at: Time) {
        let Some((way, _, control)) = packet.tcp() else {
            return;
        };
        let Some(counts) = self.0.get_mut(&way) else {
            return;
        };
        if packet.payload() > 0 {
            let first = counts.data.first_lost.get_or_insert(at);
            *first = at.min(*first);
            counts.data.lost[reason as usize] += 1;
        } else if is_bare(packet, control) {
            counts.acks.lost += 1;
        }
    }

    /// Acknowledgements without data on each way that had any.
    pub(super) fn acks(&self) -> impl Iterator<Item = (Way, Acks)> + '_ {
        let any = self.0.iter().filter(|(_, counts)| counts.acks.sent > 0);
        any.map(|(way, counts)| (*way, counts.acks))
    }

    /// Segments with data on each way that had any.
    pub(super) fn data(&self) -> impl Iterator<Item = (Way, Segments)> + '_ {
        let any = self.0.iter().filter(|(_, counts)| counts.data.sent > 0);
        any.map(|(way, counts)| (*way, counts.data))
    }
}

/// Whether it says nothing but what has arrived.
fn is_bare(packet: &Packet, control: u8) -> bool {
    packet.payload() == 0 && control & ACK != 0 && control & FIN_SYN_RST == 0
}
