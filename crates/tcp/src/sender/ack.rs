//! What an acknowledgement does to the sender: the short path for the next bytes in order, and the
//! rest (RFC 5681, RFC 6675 §5, RFC 9937).

use farpath_units::{Duration, Time};

use super::repair::Timer;
use super::watch::Delivered;
use super::{Phase, Sender, State};
use crate::arrival::{Arrival, Step};
use crate::cc::Ack;
use crate::frto::Frto;
use crate::hystart::CSS_GROWTH_DIVISOR;
use crate::pacing::window_rate;
use crate::scoreboard::News;
use crate::send_log::Acknowledged;
use crate::slow_start::{Exit, limited};
use crate::{ByteCounting, Flavour, SackBlock, SlowStart};

/// RFC 6675 §2.
const DUP_THRESH: u32 = 3;

impl Sender {
    /// An acknowledgement arrived: everything below `ack` is received, `window` bytes beyond it may
    /// be in flight, `sack` arrived out of order. An acknowledgement of what was never sent is
    /// counted and ignored. Then `poll`.
    #[inline]
    pub fn on_ack(
        &mut self,
        now: Time,
        ack: u64,
        window: u64,
        echo_retransmit: bool,
        sack: &[SackBlock],
    ) {
        let una = self.una;
        if !self.plain || !sack.is_empty() || ack <= una || ack > self.nxt || una < self.resent_to {
            return self.on_ack_otherwise(now, ack, window, echo_retransmit, sack);
        }
        let sent = self.log.acknowledge(ack);
        self.una = ack;
        self.peer_window = window;
        self.rtt.sample(now.since(sent.oldest), ack, self.nxt);
        self.duplicate_acks = 0;
        let rtt = Some(now.since(sent.newest));
        self.grow(now, ack - una, rtt);
        if self.watched {
            let what = Delivered {
                bytes: ack - una,
                some: [Some(ack - 1), None],
                rtt,
                before: self.nxt - una,
                lost: self.board.lost(),
                orderly: true,
                marked: false,
            };
            self.watch(now, what);
        }
        self.restart_timer(now);
        self.refresh_limit();
    }

    /// RFC 6298 §5.2, §5.3.
    #[inline]
    fn restart_timer(&mut self, now: Time) {
        if self.una == self.nxt {
            self.deadline = Time::MAX;
        } else {
            self.arm(now);
        }
    }

    #[cold]
    #[inline(never)]
    fn on_ack_otherwise(
        &mut self,
        now: Time,
        ack: u64,
        window: u64,
        echo_retransmit: bool,
        sack: &[SackBlock],
    ) {
        if !matches!(self.state, State::Open | State::Recovery | State::Loss) || ack > self.nxt {
            self.stats.ignored_acks += 1;
            return;
        }
        self.board.catch_up(self.una);
        (self.repair.held, self.repair.early_at) = (false, Time::MAX);
        let (una, orderly, marked) = (self.una, self.plain, self.repair.ecn.echoed);
        let before = if self.watched { self.in_flight() } else { 0 };
        let lost = self.board.lost();
        let same_window = window == self.peer_window;
        if ack >= una {
            self.peer_window = window;
        }
        let (mut acked, mut head_resent, mut rtt, mut answered) = (0, false, None, None);
        if ack > una {
            answered = self.last_covered(una, ack);
            let original = self.first_original(una, ack);
            head_resent = self.board.rounds_sent(una) > 0;
            self.note_covered(una, ack);
            let sent = self.log.acknowledge(ack);
            let (head, newest) = self.repair.acknowledge(&self.board, una, ack);
            acked = ack - una - self.board.acknowledge(ack);
            self.una = ack;
            self.duplicate_acks = 0;
            rtt = self.measure(now, una, sent, head, echo_retransmit);
            if self.repair.rules.rack {
                self.note_acknowledged(now, sent, original, newest, echo_retransmit);
            }
        }
        let sack = if self.sack { sack } else { &[] };
        let news = self.board.sack(sack, self.una, self.nxt, self.resent_to);
        let sacked = news.bytes;
        self.note_echo(now, una, head_resent, echo_retransmit);
        if rtt.is_none() && self.flavour == Flavour::Linux {
            rtt = self.measure_sacked(now, &news);
        }
        if ack == una && una < self.nxt && (sacked > 0 || (!self.sack && same_window)) {
            self.duplicate_acks += 1;
        }
        let duplicate = !sack.is_empty() && self.note_duplicate(now, (una, ack), sack);
        self.note_probe(now, una, duplicate, sacked > 0);
        self.note_frto(now, ack > una, &news);
        let (acked, sacked) = if self.sack {
            (acked, sacked)
        } else {
            self.without_sack(ack > una, acked)
        };
        let ended = self.leave_recovery(acked);
        let more_lost = self.detect(now, &news, answered);
        self.steer(now, acked, sacked, more_lost, ended, rtt);
        if self.watched && acked + sacked > 0 {
            let some = some_of((una, ack), acked, &news);
            self.refresh();
            self.watch(
                now,
                Delivered::new(acked + sacked, some, rtt, (before, lost, orderly), marked),
            );
        }
        self.refresh();
        self.settle_after_ack(now, ack > una);
        self.wait_as_linux(now, ack, una);
    }

    /// The timers after an ACK: restarted by progress, otherwise kept, but that no probe comes while
    /// something is out of order and no window is asked about that is open.
    fn settle_after_ack(&mut self, now: Time, advanced: bool) {
        self.repair.patience.heard();
        if advanced {
            self.restart_timer(now);
        } else if self.timer == Timer::Persist {
            let is_usable = self.peer_window >= self.segment.min(self.end - self.nxt);
            if is_usable || (self.peer_window > 0 && self.flavour == Flavour::Rfc) {
                self.rtt.forget_back_off();
            }
            if self.una < self.nxt {
                self.arm(now);
            } else if is_usable {
                // What waits will leave, a last segment that is short too, and set its own timer.
                self.deadline = Time::MAX;
            }
        } else if matches!(self.timer, Timer::Probe | Timer::ProbeAlone) && !self.plain {
            self.timer = Timer::Rto;
            self.deadline = self.deadline.max(self.rto_at);
        }
        if self.flavour == Flavour::Linux && self.plain && self.may_send_new() {
            // Deviation from RFC 8985 §6.2: in Linux 6.18 new data that leaves while nothing is out of
            // order sets the probe's timer in place of the reordering timer.
            self.repair.reorder_at = Time::MAX;
        }
        self.await_reordering();
    }

    /// Whether the windows allow the next new segment.
    fn may_send_new(&self) -> bool {
        let len = (self.end - self.nxt).min(self.segment);
        len > 0 && self.nxt + len <= self.window_edge.min(self.cwnd_edge)
    }

    /// RFC 6298 §3 (Karn) and RFC 7323 §4: a round-trip time, if this ACK yields one.
    fn measure(
        &mut self,
        now: Time,
        una: u64,
        sent: Acknowledged,
        head: Option<Acknowledged>,
        echo_retransmit: bool,
    ) -> Option<Duration> {
        let (oldest, newest) = if una >= self.resent_to {
            (sent.oldest, sent.newest)
        } else if !self.timestamps {
            return None;
        } else if echo_retransmit {
            // The echo says that the segment at the old edge arrived as a retransmission.
            // It does not say as which: an answer sooner than any round trip is not the last one's
            // (RFC 8985 §6.2 step 2), and before the first there is no telling (Karn).
            let last = head?.oldest;
            if self.rtt.min().is_none_or(|min| now.since(last) < min) {
                return None;
            }
            (last, last)
        } else {
            (sent.oldest, sent.oldest)
        };
        self.rtt.sample(now.since(oldest), self.una, self.nxt);
        Some(now.since(newest))
    }

    /// A round-trip time of what was sent once and is newly SACKed.
    ///
    /// Deviation from RFC 7323 §4.1: as in Linux 6.18; not only ACKs that move una are sampled.
    fn measure_sacked(&mut self, now: Time, news: &News) -> Option<Duration> {
        let (first, last) = news.above?;
        let oldest = self.log.sent_at(first);
        self.rtt.sample(now.since(oldest), self.una, self.nxt);
        Some(now.since(self.log.sent_at(last)))
    }

    /// Without SACK, duplicate ACKs stand for segments delivered (RFC 9937 §6), and a partial ACK
    /// shows the next hole (RFC 6582 §3.2). Returns the bytes newly acknowledged and "SACKed".
    fn without_sack(&mut self, advanced: bool, acked: u64) -> (u64, u64) {
        if !advanced {
            let duplicate = self.duplicate_acks > 0 && self.state != State::Loss;
            return (
                0,
                if duplicate {
                    self.board.assume(self.segment, self.una, self.nxt)
                } else {
                    0
                },
            );
        }
        let settled = self.board.settle_assumed(acked, self.segment);
        if self.state == State::Recovery
            && self.una < self.recovery_point
            && self.repair.rules.newreno
            && !self.repair.ecn.answers
        {
            self.board.lose_head(self.una, self.nxt, self.segment);
        } else if self.state != State::Recovery {
            self.board.forget_assumed();
        }
        (acked - settled, 0)
    }

    /// RFC 6675 §5 (A): from Recovery or Loss to Open when all of the episode is acknowledged, before
    /// the scoreboard is searched for losses. Returns whether a recovery ended.
    fn leave_recovery(&mut self, acked: u64) -> bool {
        let recovers = self.state == State::Recovery;
        let reno = !self.sack && !self.repair.rules.newreno;
        let ends_early = reno && recovers && acked > 0;
        if !(recovers || self.state == State::Loss)
            || (self.una < self.recovery_point && !ends_early)
        {
            return false;
        }
        if recovers {
            // RFC 9937 §6: recovery ends at ssthresh.
            self.fall_to_ssthresh();
        }
        self.state = State::Open;
        // Until more is acknowledged scripts still see the cut.
        self.repair.ecn.answers &= recovers && self.una >= self.recovery_point;
        self.path.settle();
        self.board.forget_assumed();
        self.repair.frto = Frto::Idle;
        self.repair.rack.note_recovery();
        recovers
    }

    /// Enters Recovery if it must, and sets cwnd. `ended`: with this ACK a recovery ended; in Linux it
    /// is one of congestion avoidance already.
    fn steer(
        &mut self,
        now: Time,
        acked: u64,
        sacked: u64,
        more_lost: bool,
        ended: bool,
        rtt: Option<Duration>,
    ) {
        let delivered = acked + sacked;
        // RFC 5681 §3.1, after a timeout too: what is SACKed alone opens no window. While a repair is missing, as one that was lost
        // itself until the next timeout, the window stands still.
        let news = acked > 0 || (delivered > 0 && self.reorders());
        let may_grow = news && (!ended || self.flavour == Flavour::Linux);
        if self.answer_echo(now, acked, sacked) {
            return;
        }
        match self.state {
            State::Recovery if self.sampled => {}
            State::Recovery => {
                if self.repair.ecn.answers && !self.sack && self.duplicate_acks >= DUP_THRESH {
                    // A loss beside the mark: the reduction under way is for both.
                    self.repair.ecn.answers = false;
                    self.board.lose_head(self.una, self.nxt, self.segment);
                }
                if self.sack && more_lost {
                    self.repair.ecn.answers = false;
                }
                let pipe = self.board.pipe(self.una, self.nxt);
                if let Some(cwnd) = self.prr.on_ack(delivered, pipe, acked > 0 && !more_lost) {
                    self.cwnd = cwnd as f64;
                }
                if !self.sack && acked > 0 && !self.repair.ecn.answers {
                    // RFC 6582 §3.2 step 3: a partial ACK always releases the next hole.
                    self.cwnd = self.cwnd.max((pipe + self.segment) as f64);
                }
            }
            State::Open if self.must_recover() => self.enter_recovery(now, acked, sacked),
            _ if may_grow => self.grow(now, delivered, rtt),
            _ => {}
        }
    }

    /// Whether segments have come more than three places late: the window then grows by what is SACKed too.
    ///
    /// Deviation from RFC 5681 §3.1, where only what is acknowledged counts: as in Linux 6.18.
    fn reorders(&self) -> bool {
        let (_, farthest) = self.repair.rack.overtakings();
        self.flavour == Flavour::Linux && farthest > u64::from(DUP_THRESH) * self.segment
    }

    /// RFC 6675 §5 (1) and (2); without SACK, RFC 6582 §3.2 step 2.
    pub(super) fn must_recover(&self) -> bool {
        if self.repair.rules.rack {
            self.board.has_lost(self.una)
        } else if self.sack {
            self.board.has_lost(self.una) || self.duplicate_acks >= DUP_THRESH
        } else {
            let again = self.una > self.recovery_point || self.recovery_point == 0;
            self.duplicate_acks >= DUP_THRESH && (again || !self.repair.rules.newreno)
        }
    }

    /// RFC 6675 §5 (4) and RFC 9937 §6.
    pub(super) fn enter_recovery(&mut self, now: Time, acked: u64, sacked: u64) {
        if self.lost_a_path_probe() {
            return;
        }
        self.stats.fast_recoveries += 1;
        self.reduce(now, false);
        self.forget_probe();
        if !self.board.has_lost(self.una) {
            self.board.lose_head(self.una, self.nxt, self.segment);
        }
        self.recovery_point = self.nxt;
        self.episode_at = self.una;
        self.rescued = false;
        self.state = State::Recovery;
        self.repair.ecn.answers = false;
        if self.sampled {
            return;
        }
        self.begin_prr(acked, sacked);
        let pipe = self.board.pipe(self.una, self.nxt);
        // The ACK that begins recovery always delivered something, or DupThresh ACKs did.
        if let Some(cwnd) = self.prr.on_ack((acked + sacked).max(1), pipe, false) {
            self.cwnd = cwnd as f64;
        }
    }

    /// cwnd grows by an ACK that delivered `delivered` bytes, outside fast recovery.
    #[inline]
    fn grow(&mut self, now: Time, delivered: u64, rtt: Option<Duration>) {
        let mut credit = delivered as f64;
        if self.cwnd < self.ssthresh {
            credit = self.grow_slow_start(now, delivered, rtt);
            if credit <= 0.0 {
                return;
            }
        } else if self.byte_counting == ByteCounting::Off {
            credit = self.segment as f64;
        }
        if self.cwnd_limited {
            let ack = Ack {
                now,
                acked: credit,
                cwnd: self.cwnd,
                segment: self.segment as f64,
                per_byte: self.per_byte,
                srtt_s: self.rtt.srtt_secs(),
                rtt_min: self.rtt.least(),
            };
            self.cwnd += self.control.increase(&ack);
        } else {
            self.control.hold(now);
        }
        if self.cwnd >= self.mark {
            self.reach(now);
        }
    }

    /// Slow start (RFC 5681 §3.1, RFC 3465); returns the bytes left for congestion avoidance.
    #[inline]
    fn grow_slow_start(&mut self, now: Time, delivered: u64, rtt: Option<Duration>) -> f64 {
        let mut credit = match self.byte_counting {
            ByteCounting::Full => delivered,
            ByteCounting::Limit(segments) => delivered.min(u64::from(segments) * self.segment),
            ByteCounting::Off => self.segment,
        };
        let mut share = match self.slow_start {
            SlowStart::Limited { max_ssthresh } => {
                limited(self.cwnd * self.per_byte, f64::from(max_ssthresh))
            }
            _ => 1.0,
        };
        if let Some(exit) = &mut self.exit {
            credit = credit.min(exit.most() * self.segment);
            match exit.on_ack(&Arrival {
                now,
                rtt,
                rtt_min: self.rtt.least(),
                una: self.una,
                nxt: self.nxt,
                cwnd: self.cwnd * self.per_byte,
                rate: window_rate(self.cwnd, self.ssthresh, self.rtt.srtt_secs()),
            }) {
                Step::SlowStart => {}
                Step::Conservative => share = CSS_GROWTH_DIVISOR,
                Step::Leave => {
                    // RFC 9406 §4.3: HyStart++ is for the first slow start only.
                    self.exit = None;
                    self.ssthresh = self.cwnd;
                    return 0.0;
                }
            }
        }
        if !self.control.may_double() || self.is_half_used() {
            return 0.0;
        }
        let gain = self.control.start_gain(self.rtt.least());
        let cwnd = self.cwnd + gain * credit as f64 / share;
        let grown = cwnd.min(self.ssthresh);
        self.cwnd = grown.min(self.cwnd_most);
        cwnd - grown
    }

    /// cwnd is at its bound, or where the last loss is made good.
    #[cold]
    pub(super) fn reach(&mut self, now: Time) {
        self.cwnd = self.cwnd.min(self.cwnd_most);
        if self.cwnd >= self.regain {
            self.regained(now);
        }
    }

    #[cold]
    pub(super) fn regained(&mut self, now: Time) {
        self.regain_at(f64::INFINITY);
        if let Some(loss) = &mut self.last_loss {
            loss.regained = Some(now);
        }
    }

    /// The last loss is made good when cwnd is so large.
    pub(super) fn regain_at(&mut self, cwnd: f64) {
        self.regain = cwnd;
        self.mark = cwnd.min(self.cwnd_most);
    }

    /// Where congestion control stands.
    pub fn phase(&self) -> Phase {
        match self.state {
            State::Recovery => Phase::Recovery,
            State::Loss => Phase::Loss,
            _ if self.cwnd >= self.ssthresh => Phase::Avoidance,
            _ if self.exit.as_ref().is_some_and(Exit::is_conservative) => Phase::Css,
            _ => Phase::SlowStart,
        }
    }
}

/// Offsets among the `acked` bytes between `una` and `ack` and among those that were SACKed, the one sent last included. Below
/// `ack` all is new, or else the head is: what else was SACKed there is known.
fn some_of((una, ack): (u64, u64), acked: u64, news: &News) -> [Option<u64>; 2] {
    let below = || if acked == ack - una { ack - 1 } else { una };
    let last = news.above.map(|(_, last)| last).or(news.below);
    [(acked > 0).then(below), last]
}
