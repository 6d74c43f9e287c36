//! Packets of several interfaces of one file, in order of time.
//!
//! Whoever captures at several interfaces writes what each has in pieces, so that times go to and fro. Packets wait here until
//! later ones are so much later that no earlier one is to be expected.

use std::collections::{BTreeMap, VecDeque};

use super::{Head, Packet};
use crate::link::LinkType;

/// A packet waits until one is this much later, nanoseconds: longer than the pieces that captures are written in.
const WINDOW_NS: i64 = 1_000_000_000;
/// Packets that wait, and bytes of them; then the earliest goes on.
const WAITING_MAX: usize = 1 << 14;
const BYTES_MAX: usize = 64 << 20;

/// Memory that is used again is at most this large a packet, bytes.
const SPARE_MAX: usize = 1 << 12;

/// A packet that waits.
#[derive(Default)]
struct Kept {
    at: i64,
    /// Its place in the file, among those of one time.
    number: u64,
    interface: u16,
    link: LinkType,
    original: u32,
    bytes: Vec<u8>,
}

/// The packets that wait.
#[derive(Default)]
pub(super) struct Sorted {
    /// In order, as they came.
    waiting: VecDeque<Kept>,
    /// Those that came after later ones.
    late: BTreeMap<(i64, u64), Kept>,
    numbers: u64,
    /// The one that was given last.
    given: Kept,
    /// Memory of those before.
    spare: Vec<Vec<u8>>,
    bytes: usize,
    newest: i64,
}

impl Sorted {
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.late.is_empty()
    }

    /// Keeps a packet for its time.
    pub(super) fn keep(&mut self, head: &Head, bytes: &[u8]) {
        let mut memory = self.spare.pop().unwrap_or_default();
        memory.clear();
        memory.extend_from_slice(bytes);
        self.bytes += bytes.len();
        self.newest = match self.is_empty() {
            true => head.at,
            false => self.newest.max(head.at),
        };
        self.numbers += 1;
        let kept = Kept {
            at: head.at,
            number: self.numbers,
            interface: head.interface,
            link: head.link,
            original: head.original,
            bytes: memory,
        };
        match self.waiting.back() {
            Some(last) if last.at > kept.at => {
                self.late.insert((kept.at, kept.number), kept);
            }
            _ => self.waiting.push_back(kept),
        }
    }

    /// Whether the earliest has waited long enough.
    pub(super) fn is_due(&self) -> bool {
        let first = self.waiting.front().map(|kept| kept.at);
        let late = self.late.first_key_value().map(|kept| kept.0.0);
        let is_over = |at: i64| self.newest - at > WINDOW_NS;
        first.is_some_and(is_over)
            || late.is_some_and(is_over)
            || self.waiting.len() + self.late.len() > WAITING_MAX
            || self.bytes > BYTES_MAX
    }

    /// The earliest.
    pub(super) fn take(&mut self) -> Option<Packet<'_>> {
        let order = |kept: &Kept| (kept.at, kept.number);
        let next = match (self.waiting.front().map(order), self.late.first_entry()) {
            (first, Some(late)) if first.is_none_or(|first| *late.key() < first) => late.remove(),
            _ => self.waiting.pop_front()?,
        };
        self.bytes -= next.bytes.len();
        let before = std::mem::replace(&mut self.given, next);
        if before.bytes.capacity() <= SPARE_MAX {
            self.spare.push(before.bytes);
        }
        let given = &self.given;
        Some(Packet {
            at: given.at,
            interface: given.interface,
            link: given.link,
            original: given.original,
            bytes: &given.bytes,
        })
    }
}
