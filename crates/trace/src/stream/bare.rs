//! SYNs and FINs that are sent again. They are events without payload: no count of segments or bytes has them.

use super::Stream;
use crate::event::Place;
use crate::ranges::unwrapped;
use crate::room::Room;
use crate::segment::Segment;

impl Stream {
    /// A SYN that was seen before.
    #[cold]
    pub(super) fn syn_again(&mut self, s: &Segment, room: &mut Room) {
        let answered = self.acks > 0;
        self.bare_again(s, self.base, answered, room, true);
    }

    /// A FIN that was seen before, without data.
    #[cold]
    pub(super) fn fin_again(&mut self, s: &Segment, at: u64, room: &mut Room) {
        self.bare_again(s, at, self.una > at, room, false);
    }

    fn bare_again(&mut self, s: &Segment, number: u64, known: bool, room: &mut Room, syn: bool) {
        let times = 1 + u8::from(self.bare_repeated);
        let evidence = (
            s.at - self.bare_at,
            self.bare_stamp,
            self.bare_identification,
            times,
        );
        let before = self.events.len();
        self.note_event(s, (number, number), Place::Seen, evidence, room);
        if let Some(event) = self.events.get_mut(before) {
            (event.known, event.is_syn) = (known, syn);
            event.head = !known && (syn || self.una >= number);
            if syn {
                // Only its timer repeats a SYN, and no round trip is known to measure the timer by.
                (event.tail, event.smoothed, event.variation) = (false, 1, 0);
            }
        }
        self.bare_seen(s);
        self.bare_repeated = true;
    }

    /// Whether a segment without data is numbered behind bytes that have neither come nor been acknowledged.
    pub(crate) fn is_ahead(&self, s: &Segment) -> bool {
        let known = self.max.max(self.una);
        self.begun && unwrapped(known, s.seq) > known
    }

    /// Notes when a SYN or FIN was sent.
    pub(super) fn bare_seen(&mut self, s: &Segment) {
        self.bare_at = s.at;
        self.bare_stamp = s.stamps.map_or(0, |t| t.0);
        self.bare_identification = s.ip_id;
        self.note_id(s.ip_id);
        self.bare_repeated = false;
    }
}
