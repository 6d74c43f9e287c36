//! What becomes of frames: copies, answers of routers, and what is lost.

use farpath_element::Drop;
use farpath_wire::Frame;

use super::compose::is_answer;
use super::plug::Piece;
use super::pool::unpack;
use super::traffic::note_lost;
use super::{Interface, Plane};

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
