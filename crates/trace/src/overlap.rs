//! Files of one capture point that hold the same packets: ring files that overlap, or one file given twice.
//!
//! Where the first packets of a file are all in a file before it, at the same instants, both were captured at one point. What
//! the later file has again is passed over. At two points no eight packets pass at the same nanosecond, or microsecond.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use farpath_record::count_of;
use farpath_record::trace::TraceFile;

use crate::capture::{Capture, Packet};
use crate::index::folded;
use crate::link::LinkType;
use crate::work;

/// Files that are opened before their turn, so that their first packets are known: as far apart may files be that overlap.
pub(crate) const FILES_AHEAD: usize = 16;
/// First packets of a file that must all be in a file before it.
const TELLING: usize = 8;
/// Packets that are remembered until later files are read.
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

/// What is known of a later file while this one is read: its first packets, and how many of them were met here.
struct Later {
    file: usize,
    telling: Vec<Mark>,
    met: usize,
}

impl Later {
    /// The next of its first packets that is to be met.
    fn next(&self) -> Option<Mark> {
        self.telling.get(self.met).copied()
    }

    fn is_overlap(&self) -> bool {
        self.met > 0 && self.next().is_none()
    }
}

/// Packets of a file that is over, which a later one has again.
#[derive(Clone)]
struct Before {
    name: String,
    packets: Rc<BTreeSet<u64>>,
    /// How many the later file has again.
    again: u64,
}

/// What the file that is being read has in common with those before it, and with those after it.
#[derive(Default)]
pub(crate) struct Overlap {
    before: Vec<Before>,
    later: Vec<Later>,
    /// The earliest time of what is to be met here next.
    due: Option<i64>,
    remembered: BTreeSet<u64>,
    /// Whether they are remembered from here on, and how many are of files that are over.
    remembers: bool,
    held: usize,
    /// What later files have of files that are over.
    waiting: BTreeMap<usize, Vec<Before>>,
}

impl Overlap {
    /// A file begins, of this number; `later` are those that follow it.
    pub(crate) fn begin(&mut self, number: usize, later: &VecDeque<Opened<'_>>) {
        self.before = self.waiting.remove(&number).unwrap_or_default();
        let each = later.iter().enumerate().map(|(n, next)| {
            let file = number + 1 + n;
            let telling: Vec<Mark> = next.early.iter().map(|e| mark(&e.packet())).collect();
            // What begins in a file may go on in those after it.
            let met = match self.waiting.contains_key(&file) {
                true => telling.len(),
                false => 0,
            };
            Later { file, telling, met }
        });
        self.later = each.collect();
        let all = self.waiting.values().flatten().chain(&self.before);
        let all: BTreeMap<_, usize> = all
            .map(|b| (Rc::as_ptr(&b.packets), b.packets.len()))
            .collect();
        self.held = all.values().sum();
        self.look_out();
    }

    /// Whether a file before this one has this packet.
    #[inline]
    pub(crate) fn had(&mut self, packet: &Packet<'_>) -> bool {
        let is_due = self.due.is_some_and(|at| at <= packet.at);
        if self.before.is_empty() && !self.remembers && !is_due {
            return false;
        }
        self.look(packet)
    }

    #[cold]
    fn look(&mut self, packet: &Packet<'_>) -> bool {
        work::count(1 + self.later.len() + self.before.len());
        let mark = mark(packet);
        for later in &mut self.later {
            match later.next() {
                Some(next) if next == mark => later.met += 1,
                // One of them is not here: another point.
                Some(next) if next.0 < packet.at => (later.telling, later.met) = (Vec::new(), 0),
                _ => {}
            }
        }
        self.look_out();
        if !self.remembers {
            self.remembered = BTreeSet::new();
        } else if self.held + self.remembered.len() < REMEMBERED_MAX {
            self.remembered.insert(mark.1);
        }
        let mut before = self.before.iter_mut();
        let had = before.find(|b| b.packets.contains(&mark.1));
        had.map(|b| b.again += 1).is_some()
    }

    /// Sets when the next of the first packets of later files is to be met, and whether some were.
    fn look_out(&mut self) {
        self.remembers = self.later.iter().any(|later| later.met > 0);
        let next = self.later.iter().filter_map(Later::next);
        self.due = next.map(|mark| mark.0).min();
    }

    /// The file is over: says what it has again, and keeps what later ones have of it.
    pub(crate) fn end(&mut self, file: &mut TraceFile) {
        for before in self.before.iter().filter(|b| b.again > 0) {
            let again = count_of(before.again, "packet is", "packets are");
            let mut text = format!(
                "{again} in {} too, at the same times: one capture point, each counts once",
                before.name
            );
            if self.held >= REMEMBERED_MAX {
                text += &format!("; of more than {REMEMBERED_MAX} it is not known");
            }
            file.notes.push(text);
        }
        let packets = Rc::new(std::mem::take(&mut self.remembered));
        for later in self.later.iter().filter(|later| later.is_overlap()) {
            self.waiting.entry(later.file).or_default().push(Before {
                name: file.name.clone(),
                packets: Rc::clone(&packets),
                again: 0,
            });
        }
    }
}
