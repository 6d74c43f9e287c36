//! A sender's timers (RFC 6298 §5, RFC 8985 §7, RFC 9293 §3.8.6.1), of which one runs at a time.

use farpath_units::{Duration, Time};

use super::repair::{Probe, Timer};
use super::{Out, Sender, State};
use crate::Flavour;
use crate::ranges::Range;
use crate::slow_start::Exit;

/// What a receiver that took SACKs back is given at least before all is sent again (Linux).
const RENEGED: Duration = Duration::from_ms(10);

impl Sender {
    /// When the timer runs out, or pacing lets more go; [`Time::MAX`] when none is running. A tail loss probe's may run out
    /// early and be set again.
    #[inline]
    pub fn deadline(&self) -> Time {
        self.deadline.min(self.release)
    }

    /// RFC 6298 §5.1, §5.3: the retransmission timer runs from now; with RACK-TLP a probe comes
    /// before it (RFC 8985 §7.2), as long as nothing is out of order.
    #[inline]
    pub(super) fn arm(&mut self, now: Time) {
        self.arm_behind(now, self.log.oldest());
    }

    /// The same where the first segment in flight was sent `first`.
    #[inline]
    pub(super) fn arm_behind(&mut self, now: Time, first: Time) {
        self.rto_at = self.rtt.due(now);
        if self.probes && self.plain {
            let alone = self.nxt - self.una <= self.segment;
            self.timer = if alone {
                Timer::ProbeAlone
            } else {
                Timer::Probe
            };
            self.armed_to = self.nxt;
            self.probe_at = self.rto_at.min(now + self.rtt.probe_after(alone));
            // It may run out early: what is sent from now on can bring the probe forward.
            self.deadline = self.probe_at.min(self.probe_by(first, now));
        } else {
            self.timer = Timer::Rto;
            self.deadline = self.rto_at;
        }
    }

    /// No probe of what is `sent` comes later: then the timer runs out (RFC 8985 §7.2). In Linux that timer counts from when
    /// the `first` segment in flight was sent; where it would be over, it bounds nothing (`tcp_rto_delta_us`).
    #[inline]
    fn probe_by(&self, first: Time, sent: Time) -> Time {
        if self.flavour == Flavour::Rfc {
            return self.rto_at;
        }
        let due = self.rtt.due(first);
        if due > sent { due } else { Time::MAX }
    }

    /// Nothing more can be sent now; `len` bytes more would be. A probe that was set while one
    /// segment was in flight comes earlier when there are more, and a closed window is asked about.
    #[cold]
    pub(super) fn settle_timer(&mut self, now: Time, len: u64) {
        if self.una < self.nxt {
            if self.nxt - self.una > self.segment {
                self.timer = Timer::Probe;
                let latest = self.probe_by(self.log.oldest(), now);
                self.deadline = latest.min(now + self.rtt.probe_after(false));
            }
        } else if self.deadline == Time::MAX && self.nxt + len > self.window_edge {
            self.timer = Timer::Persist;
            self.deadline = self.rtt.due(now);
            self.repair.patience.heard();
        }
    }

    /// What Linux's timers do besides after an ACK of what is below `ack`, where all below `una` was acknowledged before.
    ///
    /// A window that stays closed is asked about again so long after the answer, not after the question (`tcp_ack_probe`, 6.18); RFC
    /// 9293 §3.8.6.1 leaves that open. An ACK that ends where SACKed bytes begin shows that the receiver took SACKs back: half of a
    /// round trip later all is sent again (`tcp_check_sack_reneging`). RFC 2018 §8 leaves that to the timeout.
    pub(super) fn wait_as_linux(&mut self, now: Time, ack: u64, una: u64) {
        if self.flavour == Flavour::Rfc || self.deadline == Time::MAX {
            return;
        }
        let asks = self.timer == Timer::Persist && self.una == self.nxt;
        if asks && ack == una {
            self.deadline = self.rtt.due(now);
        } else if ack > una && self.una < self.nxt && self.board.has_reneged(self.una) {
            let half_round_ps = self.rtt.srtt().map_or(0, |srtt| srtt.as_ps() / 2);
            self.repair.reorder_at = Time::MAX;
            self.timer = Timer::Rto;
            self.rto_at = now + Duration::from_ps(half_round_ps).max(RENEGED);
            self.deadline = self.rto_at;
        }
    }

    /// The timer has run out, if it has by `now`; then `poll`.
    pub fn on_deadline(&mut self, now: Time) {
        if self.release <= now {
            self.release = Time::MAX;
        }
        if now < self.deadline {
            return;
        }
        self.repair.held = false;
        match (self.state, self.timer) {
            (State::Closed | State::SynDue | State::GivenUp, _) => self.deadline = Time::MAX,
            (State::SynSent, _) => self.syn_unanswered(now),
            (_, Timer::Rto) => self.time_out(now),
            (_, Timer::Probe | Timer::ProbeAlone) => self.tail_is_silent(now),
            (_, Timer::Reorder) => self.waited_for_reordering(now),
            (_, Timer::Persist) if self.end == self.una => self.deadline = Time::MAX,
            (_, Timer::Persist) if self.probes_unanswered(now) => {}
            (_, Timer::Persist) => {
                debug_assert!(self.una == self.nxt, "data without a retransmission timer");
                self.repair.window_probe_due = true;
                self.rtt.back_off();
                self.deadline = self.rtt.due(now);
                self.limit = 0;
                self.plain = false;
            }
        }
    }

    /// RFC 6298 §5.4 to §5.6, RFC 5681 §3.1 and RFC 6675 §5.1.
    fn time_out(&mut self, now: Time) {
        self.deadline = Time::MAX;
        if self.una == self.nxt || self.unanswered_for_long(now) {
            return;
        }
        self.board.catch_up(self.una);
        self.stats.rtos += 1;
        // One reduction per window of data: a timeout during recovery is the same congestion, and
        // so is a second one of the same segment (RFC 5681 §3.1, below equation 4).
        let known = match self.state {
            State::Recovery => true,
            State::Loss => self.timed_out_at == self.una,
            _ => false,
        };
        self.begin_frto();
        if !known {
            self.reduce(now, true);
        }
        self.suspect_black_hole(now);
        self.timed_out_at = self.una;
        self.control.restart();
        if !self.sampled {
            let paced = self.paced.is_some();
            self.exit = Exit::after_timeout(self.slow_start, paced, now, self.nxt);
        }
        self.forget_probe();
        self.lose_by_timeout(now);
        let pipe = self.board.pipe(self.una, self.nxt);
        // One segment, over what is not taken for lost.
        self.cwnd = (pipe + self.segment) as f64;
        self.state = State::Loss;
        self.recovery_point = self.nxt;
        self.episode_at = self.una;
        self.duplicate_acks = 0;
        self.rtt.back_off();
        self.refresh();
        self.arm(now);
    }

    /// When the probe is due: by what was sent since the timer was set, or by what set it.
    fn probe_due(&self) -> Time {
        if self.nxt <= self.armed_to {
            return self.probe_at;
        }
        let alone = self.nxt - self.una <= self.segment;
        let sent = self.log.newest();
        let latest = self.probe_by(self.log.oldest(), sent);
        latest.min(sent + self.rtt.probe_after(alone))
    }

    /// RFC 8985 §7.3: nothing was heard for two round trips.
    fn tail_is_silent(&mut self, now: Time) {
        let due = self.probe_due();
        if due > now {
            self.deadline = due;
            self.repair.early_at = now;
            return;
        }
        self.probes = false;
        self.repair.probe_due = true;
        self.limit = 0;
        self.arm(now);
    }

    /// RFC 8985 §6.3: what reordering was to explain did not come.
    fn waited_for_reordering(&mut self, now: Time) {
        self.timer = Timer::Rto;
        self.deadline = self.rto_at;
        if self.detect_by_time(now) && self.state == State::Open {
            self.enter_recovery(now, 0, 0);
        }
        self.await_reordering();
        self.refresh();
    }

    /// What a timer made due: a tail loss probe or a window probe.
    pub(super) fn poll_probes(&mut self, now: Time) -> Option<Out> {
        if core::mem::take(&mut self.repair.window_probe_due) {
            self.refresh();
            let room = self.window_edge.min(self.end).saturating_sub(self.nxt);
            if room == 0 {
                return Some(Out::WindowProbe);
            }
            // RFC 9293 §3.8.6.2.1: the override; a window smaller than a segment is used at last.
            let out = self.send_new(now, room.min(self.segment));
            self.arm(now);
            return Some(out);
        }
        if !core::mem::take(&mut self.repair.probe_due) {
            return None;
        }
        self.refresh();
        if self.una == self.nxt {
            self.probes = true;
            return None;
        }
        self.stats.tail_probes += 1;
        let room = self.window_edge.min(self.end).saturating_sub(self.nxt);
        let again = room < self.segment.min(self.end - self.nxt) || self.end == self.nxt;
        let (start, out) = if again {
            let last = self.last_segment();
            self.repair.probed = last;
            (last.start, self.send_again(now, last))
        } else {
            let len = self.segment.min(room);
            (self.nxt, self.send_new(now, len))
        };
        self.repair.probe = Some(Probe {
            start,
            end: self.nxt,
            at: now,
            again,
        });
        // Until it is answered every ACK takes the long way.
        self.resent_to = self.resent_to.max(self.nxt + 1);
        Some(out)
    }

    /// The last segment that was sent for the first time, as it was sent, without what of it is acknowledged.
    fn last_segment(&self) -> Range {
        let odd = self.repair.odd;
        let start = match odd.end == self.nxt {
            true => odd.start,
            false => self.nxt.saturating_sub(self.segment).max(odd.end),
        };
        Range::new(start.max(self.una), self.nxt)
    }

    /// The probe's answer is of no interest any more.
    pub(super) fn forget_probe(&mut self) {
        self.repair.probe = None;
        self.repair.probe_due = false;
        self.probes = self.repair.rules.rack;
    }
}
