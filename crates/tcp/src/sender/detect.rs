//! How a sender finds losses by time (RACK, RFC 8985 §6), and what a timeout takes for lost.

use farpath_units::{Duration, Time};

use super::repair::Timer;
use super::{Sender, State};
use crate::Flavour;
use crate::rack::Sent;
use crate::scoreboard::{MOST_ROUNDS, News};
use crate::send_log::Acknowledged;

impl Sender {
    /// Whether an ACK with this news, and what `last_covered` said of it, shows a loss: by time with
    /// RACK, by count otherwise.
    #[inline]
    pub(super) fn detect(&mut self, now: Time, news: &News, covered: Option<Sent>) -> bool {
        if self.repair.rules.rack {
            self.note_sacked(now, news);
            if self.flavour == Flavour::Linux {
                let last = news.above.map(|(_, last)| last).or(news.below);
                if let Some(sent) = covered.or_else(|| last.map(|last| self.last_sent_of(last))) {
                    let min = self.rtt.min();
                    self.repair.rack.answered(now, sent, min);
                }
            }
        }
        if self.repair.held {
            // Nothing is waited for by time either: the retransmission timer runs instead.
            self.repair.reorder_at = Time::MAX;
            return false;
        }
        match self.repair.rules.rack {
            true => self.detect_by_time(now),
            false => self.board.detect_loss(self.segment),
        }
    }

    /// The last transmission of the last byte, in sequence, that an ACK which moves una to `ack` newly
    /// delivers; by the kernel's rules, and before the ACK is taken in.
    pub(super) fn last_covered(&self, una: u64, ack: u64) -> Option<Sent> {
        if self.flavour == Flavour::Rfc || !self.repair.rules.rack {
            return None;
        }
        let last = self.board.last_unsacked_of(una, ack)?;
        Some(self.last_sent_of(last))
    }

    /// When the unacknowledged byte was sent last, and whether that was a retransmission.
    fn last_sent_of(&self, byte: u64) -> Sent {
        let probe = self.repair.probe.filter(|p| p.again && byte >= p.start);
        let rounds = self.board.rounds_sent(byte);
        let (at, again) = match (probe, rounds.checked_sub(1)) {
            (Some(probe), _) => (probe.at, true),
            (None, None) => (self.log.sent_at(byte), false),
            (None, Some(n)) => (self.repair.again[n].log.sent_at(byte), true),
        };
        Sent { at, again }
    }

    /// The first byte that an ACK which moves una to `ack` newly delivers, of what was never sent
    /// again; before the ACK is taken in.
    pub(super) fn first_original(&mut self, una: u64, ack: u64) -> Option<u64> {
        if self.repair.rules.rack {
            self.board.first_unsacked(una.max(self.resent_to), ack)
        } else {
            None
        }
    }

    /// RFC 8985 §6.2 steps 1 to 3: what an ACK that moved una says about deliveries: of originals from
    /// `original` on, and of retransmissions. With `echo` a timestamp answers a retransmission, else an original.
    ///
    /// Deviation from RFC 8985 §6.2 step 2: as in Linux 6.18, whose rules do not ask what timestamp is echoed.
    pub(super) fn note_acknowledged(
        &mut self,
        now: Time,
        sent: Acknowledged,
        original: Option<u64>,
        again: Option<(Time, u64)>,
        echo: bool,
    ) {
        let (min, ack) = (self.rtt.min(), self.una);
        let original_came = self.timestamps && !echo && self.flavour == Flavour::Rfc;
        let again = again.filter(|_| !original_came);
        let rack = &mut self.repair.rack;
        if let Some((at, end)) = again {
            rack.delivered(now, at, end, true, min);
        }
        if ack > self.resent_to {
            rack.delivered(now, sent.newest, ack, false, min);
        }
        if let Some(first) = original {
            rack.originals(first, ack - 1);
        }
    }

    /// The same for what it SACKed.
    pub(super) fn note_sacked(&mut self, now: Time, news: &News) {
        let min = self.rtt.min();
        let repair = &mut self.repair;
        if let Some((first, last)) = news.above {
            if last >= repair.rack.fack() {
                let at = self.log.time_of(last, &mut repair.walk.delivered);
                repair.rack.delivered(now, at, last + 1, false, min);
            }
            repair.rack.originals(first, last);
        }
        let Some(last) = news.below else {
            return;
        };
        if let Some(probe) = repair.probe.filter(|p| p.again && last >= p.start) {
            repair.rack.delivered(now, probe.at, last + 1, true, min);
            return;
        }
        let rounds = self.board.rounds_sent(last);
        if rounds > 0 {
            let again = &mut repair.again[rounds - 1];
            let at = again.log.time_of(last, &mut again.walk.delivered);
            repair.rack.delivered(now, at, last + 1, true, min);
        }
    }

    /// RFC 8985 §6.2 step 5, RACK_detect_loss: what was sent so long before the newest delivery that
    /// it must be lost. Returns whether that is anything new; sets when the next will be.
    ///
    /// Deviation from RFC 8985 §6.2: the reordering timer runs out for the first segment that waits,
    /// not for the last, so that each is lost when its time is up.
    pub(super) fn detect_by_time(&mut self, now: Time) -> bool {
        self.repair.reorder_at = Time::MAX;
        let Some((sent, end, rtt)) = self.repair.rack.newest() else {
            return false;
        };
        let late = rtt + self.reordering_window();
        let limit = Time::from_ps(now.as_ps().saturating_sub(late.as_ps()));
        let mut more = false;
        for round in 0..=self.board.depth().min(MOST_ROUNDS - 1) {
            let top = self.sent_edge(round);
            if self.board.lost_edge(round, self.una) >= top {
                continue;
            }
            let Some((log, walk)) = self.log_of(round) else {
                continue;
            };
            // Everything below was sent before the newest delivery.
            let mut upper = log.first_after(just_before(sent), &mut walk.older);
            if let Some(tie) = upper {
                let mut ahead = walk.older;
                let after = log.first_after(sent, &mut ahead).unwrap_or(top);
                upper = Some(tie.max(end.min(after)));
            }
            let upper = upper.unwrap_or(top).min(top);
            let edge = if limit >= sent {
                upper
            } else {
                let late = log.first_after(limit, &mut walk.lost).unwrap_or(top);
                late.min(upper)
            };
            if edge > self.board.lost_edge(round, self.una) {
                more |= self.board.lose_below(round, edge, self.una);
            }
            self.await_reordered(round, upper, late);
        }
        more
    }

    /// When the first of `round` below `upper` that is neither SACKed nor lost will be lost.
    fn await_reordered(&mut self, round: usize, upper: u64, late: Duration) {
        let lost = self.board.lost_edge(round, self.una);
        let Some(first) = self.board.first_unsacked(lost, upper) else {
            return;
        };
        let Some((log, walk)) = self.log_of(round) else {
            return;
        };
        let due = log.time_of(first, &mut walk.lost) + late;
        // What lies between is SACKed: to pass it now spares the next walk.
        if first > lost {
            self.board.lose_below(round, first, self.una);
        }
        self.repair.reorder_at = self.repair.reorder_at.min(due);
    }

    fn reordering_window(&self) -> Duration {
        let eager = self.state != State::Open || self.board.delivered() >= 3 * self.segment;
        let min = self.rtt.min().unwrap_or(Duration::ZERO);
        let srtt = self.rtt.srtt().unwrap_or(Duration::ZERO);
        self.repair.rack.window(eager, min, srtt)
    }

    /// The end of what was sent in `round`.
    fn sent_edge(&self, round: usize) -> u64 {
        match round {
            0 => self.nxt,
            _ => self.board.resent_edge(round - 1),
        }
    }

    fn log_of(
        &mut self,
        round: usize,
    ) -> Option<(&crate::send_log::SendLog, &mut super::repair::Walk)> {
        match round {
            0 => Some((&self.log, &mut self.repair.walk)),
            _ => {
                let again = self.repair.again.get_mut(round - 1)?;
                Some((&again.log, &mut again.walk))
            }
        }
    }

    /// What a timeout takes for lost: everything (RFC 6675 §5.1), or with RACK the first segment and
    /// all that is overdue (RFC 8985 §6.3, RACK_mark_losses_on_RTO).
    pub(super) fn lose_by_timeout(&mut self, now: Time) {
        self.repair.walk_again();
        let newest = self.repair.rack.newest().filter(|_| self.repair.rules.rack);
        let Some((_, _, rtt)) = newest.filter(|_| !self.board.has_reneged(self.una)) else {
            self.board.lose_all(self.una, self.nxt);
            return;
        };
        let late = rtt + self.reordering_window();
        let limit = Time::from_ps(now.as_ps().saturating_sub(late.as_ps()));
        for round in 0..=self.board.depth().min(MOST_ROUNDS - 1) {
            let top = self.sent_edge(round);
            let Some((log, walk)) = self.log_of(round) else {
                continue;
            };
            let edge = log.first_after(limit, &mut walk.lost).unwrap_or(top);
            if edge.min(top) > self.board.lost_edge(round, self.una) {
                self.board.lose_below(round, edge.min(top), self.una);
            }
        }
        self.board.lose_head(self.una, self.nxt, self.segment);
    }

    /// Sets the deadline between the retransmission timer and the reordering timer.
    pub(super) fn await_reordering(&mut self) {
        if self.repair.reorder_at < self.rto_at && self.deadline != Time::MAX {
            self.timer = Timer::Reorder;
            self.deadline = self.repair.reorder_at;
        } else if self.timer == Timer::Reorder {
            self.timer = Timer::Rto;
            self.deadline = self.rto_at;
        }
    }
}

fn just_before(at: Time) -> Time {
    Time::from_ps(at.as_ps().saturating_sub(1))
}
