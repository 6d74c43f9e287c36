//! Files of one capture point that hold the same packets: ring files that overlap, or one file given twice.
//!
//! Where the first packets of a file are all in the file before it, at the same instants, both were captured at one point. What
//! the later file has again is passed over. At two points no eight packets pass at the same nanosecond, or microsecond.

use std::collections::BTreeSet;

use farpath_record::trace::TraceFile;

use crate::capture::{Capture, Packet};
use crate::index::folded;
use crate::link::LinkType;

/// First packets of a file that must all be in the file before it.
const TELLING: usize = 8;
/// Packets of one file that are remembered until the next one is read.
const REMEMBERED_MAX: usize = 4 << 20;
/// Bytes of a packet that tell it from others: the headers.
const TELLING_BYTES: usize = 96;

/// What a packet is known by: its time, its length and its first bytes.
type Mark = (i64, u64);

fn mark(packet: &Packet<'_>) -> Mark {
    let mut hash = u64::from(packet.original) ^ packet.at as u64;
    let telling = &packet.bytes[..packet.bytes.len().min(TELLING_BYTES)];
    for part in telling.chunks(8) {
        let mut word = [0; 8];
        word[..part.len()].copy_from_slice(part);
        hash = folded(hash, u64::from_le_bytes(word));
    }
    (packet.at, hash)
}

/// A packet that was read before its turn.
struct Early {
    at: i64,
    interface: u16,
    link: LinkType,
    original: u32,
    bytes: Vec<u8>,
}

impl Early {
    fn packet(&self) -> Packet<'_> {
        Packet {
            at: self.at,
            interface: self.interface,
            link: self.link,
            original: self.original,
            bytes: &self.bytes,
        }
    }
}

/// A capture whose first packets are known.
pub(crate) struct Opened<'a> {
    pub(crate) capture: Capture<'a>,
    early: Vec<Early>,
}

impl<'a> Opened<'a> {
    pub(crate) fn new(mut capture: Capture<'a>) -> Opened<'a> {
        let mut early = Vec::new();
        while early.len() < TELLING
            && let Some(packet) = capture.next()
        {
            early.push(Early {
                at: packet.at,
                interface: packet.interface,
                link: packet.link,
                original: packet.original,
                bytes: packet.bytes.to_vec(),
            });
        }
        Opened { capture, early }
    }

    /// Takes the packets that were read before their turn.
    pub(crate) fn early(&mut self, mut take: impl FnMut(&Packet<'_>)) {
        for early in std::mem::take(&mut self.early) {
            take(&early.packet());
        }
    }
}

/// What one file has in common with the one before it, and with the one after it.
#[derive(Default)]
pub(crate) struct Overlap {
    /// The one before: its name, and packets since the first ones of this file.
    before: Option<(String, BTreeSet<u64>)>,
    /// Packets that this file has again.
    again: u64,
    /// The first packets of the file after this one, and how many of them were met here.
    telling: Vec<Mark>,
    met: usize,
    remembered: BTreeSet<u64>,
}

impl Overlap {
    /// That of the next file, which `next` is if there is one; `name` is this one's.
    pub(crate) fn follow(self, name: &str, next: Option<&Opened<'_>>) -> Overlap {
        let is_overlap = self.met > 0 && self.met == self.telling.len();
        let early = next.map_or(&[][..], |next| &next.early);
        Overlap {
            before: is_overlap.then(|| (name.to_owned(), self.remembered)),
            telling: early.iter().map(|e| mark(&e.packet())).collect(),
            ..Overlap::default()
        }
    }

    /// Whether the file before this one has this packet.
    #[inline]
    pub(crate) fn had(&mut self, packet: &Packet<'_>) -> bool {
        let due = self.telling.get(self.met).is_some_and(|t| t.0 <= packet.at);
        if self.before.is_none() && self.met == 0 && !due {
            return false;
        }
        self.look(packet)
    }

    #[cold]
    fn look(&mut self, packet: &Packet<'_>) -> bool {
        let mark = mark(packet);
        if let Some(telling) = self.telling.get(self.met) {
            if *telling == mark {
                self.met += 1;
            } else if telling.0 < packet.at {
                // One of them is not here: another point.
                self.telling.clear();
                self.met = 0;
                self.remembered = BTreeSet::new();
            }
        }
        if self.met > 0 && self.remembered.len() < REMEMBERED_MAX {
            self.remembered.insert(mark.1);
        }
        let had = self
            .before
            .as_ref()
            .is_some_and(|(_, packets)| packets.contains(&mark.1));
        self.again += u64::from(had);
        had
    }

    /// Says of a file what it has again.
    pub(crate) fn note(&self, file: &mut TraceFile) {
        let Some((name, packets)) = self.before.as_ref().filter(|_| self.again > 0) else {
            return;
        };
        let mut text = format!(
            "{} packets are in {name} too, at the same times: one capture point, each counts once",
            self.again
        );
        if packets.len() >= REMEMBERED_MAX {
            text += &format!("; of more than {REMEMBERED_MAX} it is not known");
        }
        file.notes.push(text);
    }
}
