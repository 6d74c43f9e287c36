//! What cuts the window, and what ends or takes back a recovery: tail loss probes answered, D-SACK, Eifel; and ECN.

use farpath_units::Time;

use super::{LEAST_SSTHRESH, LossEvent, Sender, State};
use crate::cc::Loss;
use crate::frto::Frto;
use crate::recovery::Prr;
use crate::{Flavour, SackBlock};

impl Sender {
    /// A congestion event: the algorithm sets ssthresh.
    pub(super) fn reduce(&mut self, now: Time, timeout: bool) {
        self.reduce_from((now, timeout), self.nxt - self.una, false);
    }

    /// The same, with `flight` bytes sent and not acknowledged when it showed; by marks, or by a loss.
    fn reduce_from(&mut self, (now, timeout): (Time, bool), flight: u64, marked: bool) {
        let reopened = self.reopened();
        let goes_on = self.is_making_good() || reopened.is_some();
        self.repair.undo.begin(self.una, self.cwnd, self.ssthresh);
        self.repair.ecn.reduced(self.nxt);
        let used = (flight as f64).min(self.cwnd);
        // Deviation from RFC 5681 equation (4): Linux cuts cwnd, whether it was the limit or not.
        let window = match self.flavour {
            Flavour::Rfc => used,
            Flavour::Linux => self.cwnd,
        };
        let segment = self.segment as f64;
        let ssthresh = self.control.reduce(&Loss {
            now,
            window,
            segment,
            timeout,
            marked,
        });
        if !self.sampled {
            self.ssthresh = ssthresh.max(LEAST_SSTHRESH * segment);
        }
        self.exit.take_if(|exit| !exit.outlasts_loss());
        // Behind the application's last byte what is in flight drains, and says no more which window was in use.
        let in_use = match self.nxt < self.end {
            true => used.max(self.in_use.most() as f64).min(self.cwnd),
            false => self.cwnd,
        };
        self.first_loss.get_or_insert(now);
        let cut = LossEvent {
            at: now,
            cwnd_before: in_use as u64,
            timeout,
            cuts: 1,
            regained: None,
        };
        match &mut self.last_loss {
            Some(loss) if goes_on => {
                loss.add_cut(timeout);
                if let Some(window) = reopened {
                    self.repair.reopening = Some(cut);
                    self.regain_at(window);
                } else if let Some(reopening) = &mut self.repair.reopening {
                    reopening.add_cut(timeout);
                }
            }
            last => {
                *last = Some(cut);
                self.repair.reopening = None;
                self.regain_at(in_use);
            }
        }
    }

    /// Whether the last cut is not made good and is still being repaired, or followed by slow start up to the threshold that it
    /// left, or something is missing that was sent before it (RFC 6582 §3.2, `recover`): what is cut now belongs to it.
    fn is_making_good(&self) -> bool {
        let repairs = matches!(self.state, State::Recovery | State::Loss);
        let same_window = self.una < self.recovery_point;
        self.regain.is_finite() && (repairs || same_window || self.cwnd < self.ssthresh)
    }

    /// The window at which the last loss is made good, where its cut was taken back and something that was in flight then is lost
    /// after all: what is cut now belongs to it too.
    fn reopened(&mut self) -> Option<f64> {
        let (point, window) = self.repair.taken_back.take()?;
        (self.una < point && self.regain.is_infinite()).then_some(window)
    }

    /// A reduction is complete: cwnd is ssthresh now, unless the algorithm sets cwnd itself.
    pub(super) fn fall_to_ssthresh(&mut self) {
        if self.sampled {
            return;
        }
        let segment = self.segment as f64;
        if let Some(ssthresh) = self.control.complete(segment) {
            self.ssthresh = ssthresh.min(self.cwnd_most).max(LEAST_SSTHRESH * segment);
        }
        self.cwnd = self.ssthresh;
    }

    /// An ACK carries ECN-Echo (RFC 3168 §6.1.2): call it before `on_ack`. Ignored unless ECN is on.
    pub fn on_ecn_echo(&mut self) {
        if self.repair.ecn.on {
            self.repair.ecn.echoed = true;
            // The short path does not look.
            self.plain = false;
            self.limit = 0;
        }
    }

    /// Whether the new segment that `poll` just returned carries CWR (RFC 3168 §6.1.2); once.
    pub fn take_cwr(&mut self) -> bool {
        self.repair.ecn.take_cwr()
    }

    /// RFC 3168 §6.1.2: one reduction per window of data, without a loss to repair. Returns whether the window comes
    /// down now, for an ACK that delivered `acked` and `sacked` bytes: it grows nothing then. A loss comes first.
    pub(super) fn answer_echo(&mut self, now: Time, acked: u64, sacked: u64) -> bool {
        let due = self.repair.ecn.must_reduce(self.una);
        if !due || self.state != State::Open || self.must_recover() {
            return false;
        }
        self.stats.ecn_reductions += 1;
        self.reduce_from((now, false), self.nxt - self.una + acked, true);
        self.repair.undo.give_up();
        if self.sampled {
            return false;
        }
        self.recovery_point = self.nxt;
        self.rescued = false;
        self.state = State::Recovery;
        self.repair.ecn.answers = true;
        self.begin_prr(acked, sacked);
        let pipe = self.board.pipe(self.una, self.nxt);
        if let Some(cwnd) = self.prr.on_ack(acked + sacked, pipe, acked > 0) {
            self.cwnd = cwnd as f64;
        } else if self.una == self.nxt {
            self.cwnd = self.ssthresh;
        }
        true
    }

    /// RFC 9937 §6: a reduction begins with an ACK that delivered `acked` and `sacked` bytes. `RecoverFS` is what was in
    /// flight before it, without what was SACKed earlier.
    pub(super) fn begin_prr(&mut self, acked: u64, sacked: u64) {
        let sacked_before = self.board.delivered().saturating_sub(sacked);
        let flight = (self.nxt - self.una) - sacked_before + acked;
        let how = self.repair.rules.reduction;
        self.prr = Prr::new(how, flight, self.ssthresh as u64, self.segment);
    }

    /// Bytes in the network, as far as sending is concerned: without limited transmit what was
    /// SACKed makes no room before recovery (RFC 5681 §3.2 step 1).
    pub(super) fn pipe_now(&self) -> u64 {
        if self.state == State::Open && !self.repair.rules.limited_transmit {
            self.nxt - self.una
        } else {
            self.board.pipe(self.una, self.nxt)
        }
    }

    /// RFC 2883 §4: whether the first block reports a duplicate, and if so which bytes.
    fn duplicate_block(&self, ack: u64, sack: &[SackBlock]) -> Option<SackBlock> {
        let first = *sack
            .first()
            .filter(|b| b.start < b.end && b.end <= self.nxt)?;
        let within = |b: &SackBlock| b.start <= first.start && first.end <= b.end;
        (first.end <= ack || sack.get(1).is_some_and(within)).then_some(first)
    }

    /// A D-SACK, if there is one: RACK tolerates more, a probe was not needed, and a reduction whose
    /// every retransmission was a duplicate is taken back (RFC 3708 §2). `una` is as before this ACK.
    ///
    /// Deviation from RFC 3708 §2: as in Linux 6.18 only what was in flight until now must have been sent again, and where the
    /// network makes copies, so that more arrived twice than was ever sent again, D-SACKs say nothing.
    pub(super) fn note_duplicate(
        &mut self,
        now: Time,
        (una, ack): (u64, u64),
        sack: &[SackBlock],
    ) -> bool {
        if !self.repair.rules.dsack {
            return false;
        }
        let Some(block) = self.duplicate_block(ack, sack) else {
            return false;
        };
        self.stats.duplicates_reported += 1;
        self.repair.copies += (block.end - block.start).div_ceil(self.segment);
        if self.repair.copies > self.stats.retransmits {
            return true;
        }
        self.repair.rack.note_dsack(self.una, self.nxt);
        let resent = block.end <= una || block.start < self.resent_to;
        if resent && self.repair.undo.on_duplicate(block) {
            self.take_back(now);
        }
        true
    }

    /// RFC 8985 §7.4: the answer to a tail loss probe.
    pub(super) fn note_probe(&mut self, now: Time, una: u64, duplicate: bool, sacked: bool) {
        self.note_path_probe(now);
        let Some(probe) = self.repair.probe.filter(|p| self.una >= p.end) else {
            return;
        };
        let silent = una == self.una && !sacked;
        if !probe.again || duplicate || silent {
            self.forget_probe();
        } else if self.una > probe.end {
            // It repaired a loss that nobody else noticed.
            self.forget_probe();
            if self.state == State::Open {
                self.stats.probe_repairs += 1;
                self.reduce(now, false);
                self.repair.undo.give_up();
                self.fall_to_ssthresh();
            }
        }
    }

    /// RFC 3522 §3.2: the first ACK to pass what was sent again echoes the original's timestamp. Where ACKs are lost the first one that
    /// comes may be of a segment that left later: what it echoes is later, too, though that was not sent again.
    ///
    /// Deviation from RFC 3522 §3.2: as in Linux 6.18 (`tcp_try_undo_partial`) not while other repairs of a recovery are in flight.
    /// This ACK then marks nothing lost and lets nothing be sent again, and the next one that moves una decides.
    pub(super) fn note_echo(&mut self, now: Time, una: u64, head_resent: bool, echo: bool) {
        let echo = echo || self.una > self.recovery_point;
        let first = matches!(self.state, State::Recovery | State::Loss)
            && self.repair.rules.eifel
            && una == self.episode_at;
        if !first || !head_resent || echo || self.una <= una {
            return;
        }
        if self.has_other_repairs() {
            self.episode_at = self.una;
            self.repair.held = true;
            self.repair.rack.overtaken();
        } else {
            self.take_back(now);
        }
    }

    /// Whether a recovery that could be taken back has more repairs in flight, and Linux's rules wait for them.
    fn has_other_repairs(&self) -> bool {
        self.flavour == Flavour::Linux
            && self.state == State::Recovery
            && self.una < self.recovery_point
            && self.repair.undo.is_open()
            && self.board.repairs(self.una) > 0
    }

    /// The reduction was a mistake (RFC 4015 §3.2): cwnd and ssthresh are what they were, and what
    /// counted as lost is on its way.
    pub(super) fn take_back(&mut self, now: Time) {
        let Some((cwnd, ssthresh)) = self.repair.undo.take() else {
            return;
        };
        self.stats.undone += 1;
        if !self.sampled {
            self.cwnd = self.cwnd.max(cwnd);
        }
        self.ssthresh = self.ssthresh.max(ssthresh);
        self.control.undo();
        if self.cwnd >= self.regain {
            let point = match self.state {
                State::Recovery | State::Loss => self.recovery_point,
                _ => self.una,
            };
            self.repair.taken_back = Some((point, self.regain));
            // What seemed to show that the loss before was real was a mistake too: an event by itself.
            if let Some(cut) = self.repair.reopening.take() {
                self.last_loss = Some(cut);
            }
            self.regained(now);
        }
        if self.state == State::Recovery {
            self.repair.rack.overtaken();
        }
        if matches!(self.state, State::Recovery | State::Loss) {
            self.state = State::Open;
            self.repair.ecn.answers = false;
            self.path.settle();
            self.board.lose_nothing(self.una);
            self.repair.walk_again();
            self.repair.frto = Frto::Idle;
            self.duplicate_acks = 0;
        }
    }
}
