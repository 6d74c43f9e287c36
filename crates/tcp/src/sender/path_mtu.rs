//! What a sender does when its segments turn out to be too large for the path, or a probe shows that larger ones
//! fit. cwnd and ssthresh count segments here, as in Linux: with the segment they shrink and grow in bytes.

use farpath_units::Time;

use super::{Out, Sender, State};
use crate::frto::Frto;
use crate::ranges::Range;

/// A probe needs a window of more segments than this (`tcp_mtu_probe` in tcp_output.c).
const LEAST_WINDOW: f64 = 11.0;
/// Segments that follow a probe, so that its loss shows: the reordering tolerated and one more.
const BEHIND: u64 = 4;
/// A segment's share of cwnd that ssthresh keeps at least when losses are not congestion (`tcp_current_ssthresh`).
const KEPT: f64 = 0.75;

/// Whether a probe of the path's MTU leaves now.
enum Probing {
    Leaves(Out),
    /// It waits for room in the windows, and all else behind it.
    Waits,
    /// Not now: what there is to send is sent.
    Rests,
}

impl Sender {
    /// A connection before it opened learns that the path carries segments of `size` payload bytes: its host
    /// remembers that of an earlier one.
    pub fn remember_path(&mut self, size: u64) {
        if self.path.tell(size) {
            self.resize();
        }
    }

    /// A router says that the segment at `seq` was too large and that `size` payload bytes fit: "fragmentation
    /// needed" (RFC 1191 §4) or "packet too big" (RFC 8201 §4). Then `poll`.
    ///
    /// It is believed if `seq` is in flight (RFC 5927 §4.1) and the size is smaller than any reported before. Everything in
    /// flight is sent again at once, in smaller segments. cwnd stays the number of segments it was, and
    /// ssthresh is not cut: nothing was lost to congestion. As `tcp_v4_mtu_reduced` in Linux 6.18.
    ///
    /// Deviation from Linux: segments in flight that would have fitted are sent again too.
    pub fn on_too_big(&mut self, seq: u64, size: u64) {
        let open = matches!(self.state, State::Open | State::Recovery | State::Loss);
        if !open || seq < self.una || seq > self.nxt {
            self.stats.ignored_errors += 1;
            return;
        }
        if !self.path.tell(size) {
            return;
        }
        self.stats.path_mtu_cuts += 1;
        self.resize();
        self.board.catch_up(self.una);
        if self.una < self.nxt {
            self.repair.walk_again();
            self.board.lose_all(self.una, self.nxt);
            self.repair_without_cut();
        }
        self.refresh();
    }

    /// What is lost was not lost to congestion (`tcp_non_congestion_loss_retransmit` in tcp_input.c).
    fn repair_without_cut(&mut self) {
        self.forget_probe();
        self.repair.undo.give_up();
        self.repair.frto = Frto::Idle;
        self.duplicate_acks = 0;
        if self.state == State::Loss {
            return;
        }
        if self.state == State::Open {
            self.ssthresh = self.ssthresh.max(KEPT * self.cwnd);
        }
        self.state = State::Loss;
        self.recovery_point = self.nxt;
        self.episode_at = self.una;
        // The kernel's algorithms begin anew when they see this state.
        self.control.restart();
    }

    /// The segment becomes what is known of the path; windows keep their number of segments.
    pub(super) fn resize(&mut self) {
        let segment = self.path.segment();
        if segment == self.segment {
            return;
        }
        let ratio = segment as f64 / self.segment as f64;
        for window in [
            &mut self.cwnd,
            &mut self.ssthresh,
            &mut self.regain,
            &mut self.initial_window,
        ] {
            *window = (*window * ratio).round();
        }
        self.segment = segment;
        self.per_byte = 1.0 / segment as f64;
        if let Some(paced) = &mut self.paced {
            paced.pacer.resize(segment);
        }
    }

    /// An ACK moved una, maybe past a probe, which then fits (`tcp_mtup_probe_success` in tcp_input.c): the
    /// window becomes as many larger segments as there were bytes, rounded down.
    pub(super) fn note_path_probe(&mut self, now: Time) {
        self.path.renew(now);
        let before = self.segment;
        let window = (self.cwnd * self.per_byte).floor();
        let Some(size) = self.path.arrived(self.una) else {
            return;
        };
        self.resize();
        let fits = window * before as f64 / size as f64;
        self.cwnd = fits.floor().max(1.0) * size as f64;
        self.ssthresh = self.ssthresh.max(KEPT * self.cwnd);
    }

    /// A loss was found. Whether it is only a probe that did not fit: then no window is cut.
    pub(super) fn lost_a_path_probe(&mut self) -> bool {
        if self.state != State::Open {
            return false;
        }
        let Some(size) = self.path.lost(self.una) else {
            return false;
        };
        if !self.board.has_lost(self.una) {
            self.board.lose_head(self.una, self.nxt, size);
        }
        // Its place in the window, given up when it was sent.
        self.cwnd += self.segment as f64;
        self.repair_without_cut();
        true
    }

    /// A timeout without progress since the one before: the path may swallow what is too large.
    pub(super) fn suspect_black_hole(&mut self, now: Time) {
        if self.timed_out_at == self.una && self.path.suspect(now) {
            self.stats.path_mtu_cuts += 1;
            self.resize();
        }
    }

    /// New data may go: perhaps as a probe (RFC 4821 §7; the conditions are those of `tcp_mtu_probe`). The outer
    /// `None` leaves the decision to others.
    pub(super) fn poll_path_probe(&mut self, now: Time) -> Option<Option<Out>> {
        match self.probing(now) {
            Probing::Leaves(out) => Some(Some(out)),
            Probing::Waits => {
                self.note_limit(now, self.cwnd_limit());
                Some(None)
            }
            Probing::Rests => None,
        }
    }

    fn probing(&mut self, now: Time) -> Probing {
        let segments = (self.cwnd * self.per_byte).floor();
        if !self.plain || !self.path.searches() || segments < LEAST_WINDOW {
            return Probing::Rests;
        }
        let size = self.path.next_probe();
        let needed = size + BEHIND * self.segment;
        let written = self.una.saturating_add(self.send_buffer).min(self.end);
        if written - self.nxt < needed || self.peer_window < needed {
            return Probing::Rests;
        }
        let in_flight = self.nxt - self.una;
        let room = segments as u64 >= in_flight.div_ceil(self.segment) + 2;
        if !room && in_flight == 0 {
            return Probing::Rests;
        }
        let fits = in_flight + needed <= self.peer_window;
        if !room || !fits || !self.may_release(now, size) {
            return Probing::Waits;
        }
        let start = self.nxt;
        let out = self.send_new(now, size);
        self.path.note_probe(Range::new(start, start + size));
        // It takes the place of two segments.
        self.cwnd -= self.segment as f64;
        self.board.catch_up(self.una);
        self.refresh();
        Probing::Leaves(out)
    }
}
