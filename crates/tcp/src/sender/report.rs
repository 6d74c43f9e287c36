//! What a sender tells about itself.

use farpath_units::{Duration, Rate, Time};

use super::{Sender, State};
use crate::Stamp;
use crate::limit::{Limit, Shares};

/// Where congestion control stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Slow start.
    SlowStart,
    /// HyStart++'s conservative slow start (RFC 9406).
    Css,
    /// Congestion avoidance.
    Avoidance,
    /// Fast recovery.
    Recovery,
    /// Repair after a retransmission timeout.
    Loss,
}

/// A congestion event: the moment cwnd was cut. Further cuts during its repair, in the slow start that follows, or for what was sent
/// before it, belong to it. So does one of what was in flight when it was taken back, unless that is taken back as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LossEvent {
    /// When.
    pub at: Time,
    /// The window in use before the cut in bytes: cwnd, or what was in flight if that was less and the application had more to
    /// send.
    pub cwnd_before: u64,
    /// Whether a timeout, not duplicate or selective ACKs, showed the loss, or one that belongs to it.
    pub timeout: bool,
    /// How often cwnd was cut.
    pub cuts: u32,
    /// When cwnd was back at `cwnd_before`; `None` if it is not yet.
    pub regained: Option<Time>,
}

impl LossEvent {
    /// A further cut belongs to it.
    pub(super) fn add_cut(&mut self, timeout: bool) {
        self.timeout |= timeout;
        self.cuts += 1;
        self.regained = None;
    }
}

/// What a sender counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderStats {
    /// Data segments sent, retransmissions included.
    pub segments: u64,
    /// Payload bytes sent, retransmissions included.
    pub bytes: u64,
    /// Data segments retransmitted.
    pub retransmits: u64,
    /// Payload bytes retransmitted.
    pub retransmitted_bytes: u64,
    /// Retransmission timeouts of data.
    pub rtos: u64,
    /// Times fast recovery began.
    pub fast_recoveries: u64,
    /// Tail loss probes sent (RFC 8985 §7).
    pub tail_probes: u64,
    /// Losses that a tail loss probe repaired by itself.
    pub probe_repairs: u64,
    /// D-SACKs received (RFC 2883).
    pub duplicates_reported: u64,
    /// Reductions taken back because they were a mistake.
    pub undone: u64,
    /// Reductions for an ECN echo.
    pub ecn_reductions: u64,
    /// Times that segments became smaller because the path carries no larger ones.
    pub path_mtu_cuts: u64,
    /// "Too big" from routers that was ignored: about nothing in flight, or before the connection was open.
    pub ignored_errors: u64,
    /// SYNs retransmitted.
    pub syn_retransmits: u64,
    /// Acknowledgements ignored: of what was never sent, or before the connection was open.
    pub ignored_acks: u64,
    /// Steps taken in the scoreboard: its cost.
    pub scoreboard_steps: u64,
}

impl Sender {
    /// Congestion window in bytes; during fast recovery what proportional rate reduction allows.
    #[inline]
    pub fn cwnd_bytes(&self) -> u64 {
        self.cwnd as u64
    }

    /// Slow-start threshold in bytes; `u64::MAX` before the first loss.
    pub fn ssthresh_bytes(&self) -> u64 {
        self.ssthresh as u64
    }

    /// Bytes thought to be in the network: RFC 6675's pipe.
    pub fn in_flight(&self) -> u64 {
        // While `plain` the scoreboard does not see ACKs, so its edges are out of date.
        if self.plain {
            self.nxt - self.una
        } else {
            self.board.pipe(self.una, self.nxt)
        }
    }

    /// Bytes SACKed and not acknowledged yet.
    pub fn sacked_bytes(&self) -> u64 {
        self.board.sacked_bytes()
    }

    /// Bytes thought lost and not acknowledged or SACKed yet, sent again or not.
    pub fn lost_bytes(&self) -> u64 {
        self.board.lost_bytes(self.una)
    }

    /// Bytes sent again in this episode and not acknowledged or SACKed yet.
    pub fn resent_bytes(&self) -> u64 {
        self.board.resent_bytes(self.una)
    }

    /// Whether the window is being reduced for an ECN echo without a loss (RFC 3168 §6.1.2): until something is acknowledged that was
    /// sent behind the reduction, as in Linux's `TCP_CA_CWR`. Never of an algorithm that sets the window itself, such as BBR.
    pub fn answers_echo(&self) -> bool {
        let lasts = match self.state {
            State::Recovery => true,
            State::Open => self.una == self.recovery_point,
            _ => false,
        };
        lasts && self.repair.ecn.answers
    }

    /// The first unacknowledged byte.
    #[inline]
    pub fn una(&self) -> u64 {
        self.una
    }

    /// The first byte not sent yet.
    #[inline]
    pub fn nxt(&self) -> u64 {
        self.nxt
    }

    /// Payload bytes of a full segment.
    pub fn segment_bytes(&self) -> u64 {
        self.segment
    }

    /// Smoothed round-trip time; `None` before the first sample, as the three below.
    pub fn srtt(&self) -> Option<Duration> {
        self.rtt.srtt()
    }

    /// Round-trip time variation, RTTVAR.
    pub fn rttvar(&self) -> Duration {
        self.rtt.variation()
    }

    /// The smallest round-trip time measured.
    pub fn rtt_min(&self) -> Option<Duration> {
        self.rtt.min()
    }

    /// The round-trip time measured last.
    pub fn rtt_latest(&self) -> Option<Duration> {
        self.rtt.latest()
    }

    /// The retransmission timeout in force, back-off included.
    pub fn rto(&self) -> Duration {
        self.rtt.timeout()
    }

    /// How often the timer in force has doubled since the last sample of a round trip, or since a window opened, 16 at most.
    pub fn backoff(&self) -> u32 {
        self.rtt.doubled()
    }

    /// The rate at which bursts leave; `None` for a sender that does not pace, and before the first
    /// round trip is known.
    pub fn pacing_rate(&self) -> Option<Rate> {
        let pacer = &self.paced.as_ref()?.pacer;
        let rate = pacer.rate(self.cwnd, self.ssthresh, self.rtt.srtt_secs());
        Rate::from_bps((8.0 * rate) as u64).filter(|_| rate.is_finite())
    }

    /// How often a SYN's timer, the retransmission timer or a tail loss probe's ran out.
    #[inline]
    pub fn timers_ran_out(&self) -> u64 {
        self.stats.rtos + self.stats.tail_probes + self.stats.syn_retransmits
    }

    /// How often the retransmission timer ran out.
    #[inline]
    pub fn timeouts(&self) -> u64 {
        self.stats.rtos
    }

    /// How many tail loss probes were sent (RFC 8985 §7).
    #[inline]
    pub fn probes_sent(&self) -> u64 {
        self.stats.tail_probes
    }

    /// The counters.
    pub fn stats(&self) -> SenderStats {
        SenderStats {
            segments: self.segments_sent,
            bytes: self.nxt + self.stats.retransmitted_bytes,
            scoreboard_steps: self.board.steps(),
            ..self.stats
        }
    }

    /// Ranges SACKed now.
    pub fn sacked_ranges(&self) -> usize {
        self.board.ranges()
    }

    /// The last time the congestion window was cut, but for cuts that belong to one before.
    pub fn last_loss(&self) -> Option<LossEvent> {
        self.last_loss
    }

    /// The first time that it was.
    pub fn first_loss(&self) -> Option<Time> {
        self.first_loss
    }

    /// What limits the sender now, as of the last `poll` that returned `None`.
    pub fn limited_by(&self) -> Limit {
        self.account.current()
    }

    /// Time spent under each limit from `open` to `now`. Call `poll` until `None` first.
    pub fn limited(&self, now: Time) -> Shares {
        self.account.clone().settle(now)
    }

    /// What the timestamp of a retransmission says that leaves at `now`.
    pub fn stamp(&self, now: Time) -> Stamp {
        let ms = now.as_ns() / 1_000_000;
        let before = Time::ZERO + Duration::from_ms(ms.saturating_sub(1));
        Stamp {
            ms,
            older_below: self.log.first_since(before).unwrap_or(self.nxt),
        }
    }

    /// How often data sent once arrived below what had arrived before, and how many bytes below at most; only with
    /// RACK-TLP.
    pub fn overtakings(&self) -> (u32, u64) {
        self.repair.rack.overtakings()
    }
}
