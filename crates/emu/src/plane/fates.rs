//! What becomes of frames: copies, answers of routers, and what is lost.
//!
//! A copy shares the handle of its segment, and so do the answers to both. What becomes of a segment is what becomes of the last of its
//! copies, unless one arrives whole.

use std::collections::BTreeMap;

use farpath_element::Drop;
use farpath_wire::Frame;

use super::compose::is_answer;
use super::pool::{SEGMENTS, SlotId, handle, unpack};
use super::router::Told;
use super::traffic::note_lost;
use super::{Interface, Piece, Plane};

/// A segment that was copied.
#[derive(Clone, Copy, Debug)]
struct Copied {
    /// How many of it are under way.
    live: u32,
    /// One has arrived whole.
    has_arrived: bool,
}

/// Segments that were copied, by handle, while any of them is under way.
#[derive(Debug, Default)]
pub(super) struct Copies(BTreeMap<u32, Copied>);

impl Copies {
    /// A segment is under way once more.
    fn made(&mut self, handle: u32) {
        let alone = Copied {
            live: 1,
            has_arrived: false,
        };
        self.0.entry(handle).or_insert(alone).live += 1;
    }

    /// A segment, or one of its copies, has arrived, or will not arrive whole. Returns whether that is what becomes of the segment: it is
    /// the first to arrive, or the last where none has.
    pub(super) fn ended(&mut self, handle: u32, is_whole: bool) -> bool {
        let Some(copied) = self.0.get_mut(&handle) else {
            return true;
        };
        copied.live -= 1;
        let decides = !copied.has_arrived && (is_whole || copied.live == 0);
        copied.has_arrived |= is_whole;
        if copied.live == 0 {
            self.0.remove(&handle);
        }
        decides
    }

    /// How many of a packet's segments under way count for none: another of the same segment does, or has arrived.
    pub(super) fn spare(&self, slot: SlotId) -> u32 {
        let all = self.0.range(handle(slot, 0)..=handle(slot, SEGMENTS - 1));
        all.map(|(_, copied)| copied.live - u32::from(!copied.has_arrived))
            .sum()
    }
}

/// Answers of routers that are under way, by the handle of what they are about, and how many of each are.
#[derive(Debug, Default)]
pub(super) struct Answers(BTreeMap<u32, (Told, u32)>);

impl Answers {
    /// What the answer of this handle says.
    pub(super) fn get(&self, handle: u32) -> Option<&Told> {
        self.0.get(&handle).map(|(told, _)| told)
    }

    /// A router has answered; to copies it says the same.
    fn made(&mut self, told: Told) {
        self.0.entry(told.handle).or_insert((told, 0)).1 += 1;
    }

    /// An answer is under way once more.
    fn copied(&mut self, handle: u32) {
        if let Some((_, live)) = self.0.get_mut(&handle) {
            *live += 1;
        }
    }

    /// An answer has arrived, or is lost. Returns what it says.
    pub(super) fn gone(&mut self, handle: u32) -> Option<Told> {
        let (told, live) = self.0.get_mut(&handle)?;
        let told = *told;
        *live -= 1;
        if *live == 0 {
            self.0.remove(&handle);
        }
        Some(told)
    }
}

impl<I: Interface> Plane<I> {
    /// Remembers what was doubled, and what routers answered. What they reported, as too large or at the end of its TTL, is lost; its
    /// bytes are needed until the report has arrived.
    pub(super) fn note_answers(&mut self) {
        let copied = self.note_copies();
        for id in &self.nodes {
            let Piece::Router(router) = self.network.element_mut(*id) else {
                continue;
            };
            for told in router.told.drain(..) {
                let (slot, _) = unpack(told.handle);
                self.datagrams.answered(self.pool.packet(slot));
                self.answers.made(told);
                if told.is_of_arrival() {
                    self.copies.ended(told.handle, true);
                }
            }
            for (frame, reason) in router.reported.drain(..) {
                if !self.copies.ended(frame.side, false) {
                    continue;
                }
                let (slot, _) = unpack(frame.side);
                let counts = (&mut self.datagrams, self.segments.as_mut());
                let talks = (self.talks.as_mut(), self.queries.as_mut());
                let why = (reason, frame.at);
                note_lost(self.pool.packet(slot), why, counts, talks);
            }
        }
        for handle in copied {
            let (slot, _) = unpack(handle);
            self.datagrams.answered(self.pool.packet(slot));
            self.answers.copied(handle);
        }
    }

    /// Remembers what was doubled. Returns the handles of the answers among it.
    fn note_copies(&mut self) -> Vec<u32> {
        let mut answers = Vec::new();
        for id in &self.ports {
            let Piece::Port(port) = self.network.element_mut(*id) else {
                continue;
            };
            let Some(fates) = port.fates() else { continue };
            for copy in fates.copied.drain(..) {
                self.pool.copied(copy.side);
                self.traffic.copied += 1;
                let (slot, _) = unpack(copy.side);
                match is_answer(&copy, self.pool.packet(slot)) {
                    true => answers.push(copy.side),
                    false => self.copies.made(copy.side),
                }
            }
        }
        answers
    }

    /// Forgets the bytes of what is lost.
    pub(super) fn note_fates(&mut self) {
        let mut lost = Vec::new();
        for id in &self.ports {
            let Piece::Port(port) = self.network.element_mut(*id) else {
                continue;
            };
            if let Some(fates) = port.fates() {
                lost.append(&mut fates.lost);
            }
        }
        for id in &self.nodes {
            if let Piece::Router(router) = self.network.element_mut(*id) {
                lost.append(&mut router.lost);
            }
        }
        for (frame, reason) in lost {
            self.forget(&frame, reason);
        }
    }

    /// A frame is lost for a reason: its bytes are not needed any more.
    fn forget(&mut self, frame: &Frame, reason: Drop) {
        let (slot, _) = unpack(frame.side);
        let packet = self.pool.packet(slot);
        if is_answer(frame, packet) {
            self.datagrams.answer_gone(packet);
            self.answers.gone(frame.side);
        } else if self.copies.ended(frame.side, false) {
            let counts = (&mut self.datagrams, self.segments.as_mut());
            let talks = (self.talks.as_mut(), self.queries.as_mut());
            note_lost(packet, (reason, frame.at), counts, talks);
        }
        self.pool.release(slot, 1);
        self.traffic.lost += 1;
    }
}
