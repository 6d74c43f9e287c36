//! F-RTO (RFC 5682) in a sender: when a timeout is tested, what its ACKs say, and what is sent meanwhile.

use farpath_units::Time;

use super::{Out, Sender, State};
use crate::Flavour;
use crate::frto::{Frto, Verdict};
use crate::limit::Limit;
use crate::scoreboard::News;

impl Sender {
    /// The retransmission timer ran out. RFC 5682 §3: the test is for a timeout that comes out of the blue.
    ///
    /// Deviation from RFC 5682 §3: as in Linux 6.18 (`tcp_enter_loss`) for one more of the same segment too.
    pub(super) fn begin_frto(&mut self) {
        let again = self.state == State::Loss && self.timed_out_at == self.una;
        let tested = self.state == State::Open || (again && self.flavour == Flavour::Linux);
        self.repair.frto = if self.repair.rules.frto && tested {
            Frto::Resent
        } else {
            Frto::Idle
        };
    }

    /// An ACK moves una to `ack`, which is not taken in yet: whether it covers what a test waits for.
    pub(super) fn note_covered(&mut self, una: u64, ack: u64) {
        let tests = self.repair.frto != Frto::Idle && self.flavour == Flavour::Linux;
        self.repair.covers_original = tests && self.covers_original(una, ack);
    }

    /// Whether it covers data that was sent before the timeout and never again. Without SACK an ACK that covers repairs too
    /// does not say which of them arrived.
    fn covers_original(&mut self, una: u64, ack: u64) -> bool {
        if !self.sack && self.board.rounds_sent(una) > 0 {
            return false;
        }
        let from = una.max(self.board.resent_edge(0));
        let to = ack.min(self.recovery_point);
        let probed = self.repair.probed;
        let below = self.board.first_unsacked(from, to.min(probed.start));
        below.is_some()
            || self
                .board
                .first_unsacked(from.max(probed.end), to)
                .is_some()
    }

    /// Whether what is newly SACKed was sent before the timeout and never again.
    fn sacks_original(&self, news: &News) -> bool {
        let point = self.recovery_point;
        let probed = self.repair.probed;
        let resent = self.board.resent_edge(0);
        let original = |byte: u64| {
            (resent..point).contains(&byte) && !(probed.start..probed.end).contains(&byte)
        };
        news.above.is_some_and(|(first, _)| first < point) || news.below.is_some_and(original)
    }

    /// F-RTO's test of a timeout goes on.
    ///
    /// Deviation from RFC 5682 §3 steps 2 and 3: as in Linux 6.18 (`tcp_process_loss`) any ACK ends the test that covers or SACKs
    /// what was sent before the timeout and never again. The first one may, and nothing else shows that the timeout was a mistake.
    pub(super) fn note_frto(&mut self, now: Time, advanced: bool, news: &News) {
        let covers = core::mem::take(&mut self.repair.covers_original);
        if self.state != State::Loss || self.repair.frto == Frto::Idle {
            return;
        }
        let linux = self.flavour == Flavour::Linux;
        if linux && self.repair.undo.is_open() && (covers || self.sacks_original(news)) {
            self.take_back(now);
            return;
        }
        let point = self.recovery_point;
        let old = news.above.is_some_and(|(first, _)| first < point);
        let new = news.above.is_some_and(|(_, last)| last >= point);
        let duplicate = !advanced && (news.bytes > 0 || !self.sack);
        let covered = self.una >= point;
        let repaired = linux && advanced && matches!(self.repair.frto, Frto::Probing(_));
        let test = &mut self.repair.frto;
        let verdict = if repaired {
            *test = Frto::Idle;
            Verdict::Real
        } else {
            test.on_ack(advanced, covered, old, new, duplicate)
        };
        match verdict {
            Verdict::Open => {}
            Verdict::Spurious => self.take_back(now),
            Verdict::Real => {
                // RFC 5682 §3 step 3a: at most three segments to begin the repair with.
                let pipe = self.board.pipe(self.una, self.nxt);
                self.cwnd = self.cwnd.min((pipe + 3 * self.segment) as f64);
            }
        }
    }

    /// F-RTO's step 2: `room` bytes of new data may go out, in place of retransmissions. The outer
    /// `None` leaves the decision to others.
    pub(super) fn poll_frto(&mut self, now: Time, room: u64) -> Option<Option<Out>> {
        let Frto::Probing(left) = self.repair.frto else {
            return None;
        };
        if left > 0 && room > 0 {
            self.repair.frto = Frto::Probing(left - 1);
            return Some(Some(self.send_new(now, room)));
        }
        if left == 2 {
            // Nothing to test with: the timeout is believed.
            self.repair.frto = Frto::Idle;
            return None;
        }
        self.note_limit(now, Limit::Loss);
        Some(None)
    }
}
