//! The sending end: connection state, what to send next, timers. What an ACK does is in `sender/ack.rs`.

mod ack;
mod detect;
mod frto;
mod give_up;
mod handshake;
mod host;
mod idle;
mod in_use;
mod paced;
mod path_mtu;
mod recover;
mod repair;
mod report;
mod super_frame;
mod timer;
mod watch;

use farpath_units::Time;

use crate::cc::{Chosen, Setup, Watch};
use crate::limit::{Account, Limit};
use crate::path_mtu::PathMtu;
use crate::profile::UNSCALED_WINDOW;
use crate::ranges::Range;
use crate::recovery::Prr;
use crate::rtt::Rtt;
use crate::scoreboard::Scoreboard;
use crate::send_log::SendLog;
use crate::slow_start::Exit;
use crate::{ByteCounting, Config, Flavour, SlowStart};
use handshake::Handshake;
use in_use::InUse;
use paced::Paced;
use repair::{Repair, Timer};
use super_frame::SuperFrames;
pub use super_frame::{fills_window, waits_for};

pub use report::{LossEvent, Phase, SenderStats};

/// The smallest ssthresh, in segments (RFC 5681 equation 4).
const LEAST_SSTHRESH: f64 = 2.0;

/// A data segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Offset of its first payload byte in the stream.
    pub seq: u64,
    /// Payload bytes; at least 1.
    pub len: u32,
    /// Whether any of it was sent before.
    pub retransmit: bool,
}

/// What a sender puts on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Out {
    /// A SYN.
    Syn,
    /// The ACK that answers a SYN-ACK; a segment of its own, as Linux sends it.
    HandshakeAck,
    /// Data.
    Data(Segment),
    /// A segment without payload below what is expected, which the receiver answers with its window
    /// (RFC 9293 §3.8.6.1, as Linux sends it: one byte before the first unacknowledged one).
    WindowProbe,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Closed,
    SynDue,
    SynSent,
    /// Slow start or congestion avoidance.
    Open,
    /// Fast recovery.
    Recovery,
    /// After a retransmission timeout.
    Loss,
    /// Nobody answered: nothing is sent or heard any more.
    GivenUp,
}

/// The sending end of one connection.
// In declared order, so that what belongs to the short path shares cache lines.
#[derive(Debug)]
#[repr(C)]
pub struct Sender {
    // What every ACK and every segment touches comes first.
    /// The first unacknowledged byte.
    una: u64,
    /// The first byte not sent yet.
    nxt: u64,
    /// Full segments ending here or earlier may be sent without further thought; 0 when not `plain`.
    limit: u64,
    /// The first byte that the receiver's window or the send buffer does not allow.
    window_edge: u64,
    /// The first byte that cwnd does not allow, when `plain`.
    cwnd_edge: u64,
    /// The first byte that pacing, or waiting for a whole burst, does not allow now; `u64::MAX` without either.
    pace_edge: u64,
    /// Payload bytes of a full segment.
    segment: u64,
    /// Bytes the application has written; `u64::MAX` when it never stops.
    end: u64,
    /// Everything from here up was sent once at most.
    resent_to: u64,
    /// What the other end offers; at first at most [`UNSCALED_WINDOW`], as a SYN-ACK's is not scaled (RFC 7323 §2.2).
    peer_window: u64,
    send_buffer: u64,
    /// Congestion window in bytes.
    cwnd: f64,
    ssthresh: f64,
    /// 1 / `segment`.
    per_byte: f64,
    log: SendLog,
    rtt: Rtt,
    deadline: Time,
    /// When pacing lets the next burst go, if one waits.
    release: Time,
    /// When the retransmission timer runs out, whichever timer comes first.
    rto_at: Time,
    /// When the tail loss probe is due if nothing is sent behind `armed_to`, as of when the timer was set.
    probe_at: Time,
    /// `nxt` then.
    armed_to: u64,
    timer: Timer,
    /// A tail loss probe may be set: RACK-TLP is on and none is unanswered.
    probes: bool,
    /// Open, with nothing SACKed, lost or retransmitted in flight.
    plain: bool,
    state: State,
    cwnd_limited: bool,
    byte_counting: ByteCounting,
    /// `cwnd_limited` and `flight_peak` are about the time until this byte is acknowledged.
    usage_mark: u64,
    flight_peak: u64,
    in_use: InUse,
    control: Chosen,
    /// Whether `control` must see every ACK.
    watched: bool,
    /// Whether delivery rates are measured.
    sampled: bool,
    slow_start: SlowStart,
    /// What ends slow start; `None` once it has.
    exit: Option<Exit>,
    account: Account,
    /// The lesser of `regain` and `cwnd_most`: which growth is compared with.
    mark: f64,
    segments_sent: u64,
    // What only loss, the handshake and the end touch.
    /// cwnd at which the last loss is made good; infinite when it is.
    regain: f64,
    /// cwnd is never larger; infinite without a bound.
    cwnd_most: f64,
    paced: Option<Box<Paced>>,
    super_frames: SuperFrames,
    board: Scoreboard,
    repair: Repair,
    prr: Prr,
    /// RFC 6675's RecoveryPoint: `nxt` when the episode began.
    recovery_point: u64,
    /// `una` when the episode began.
    episode_at: u64,
    /// `una` at the last timeout.
    timed_out_at: u64,
    duplicate_acks: u32,
    rescued: bool,
    sack: bool,
    timestamps: bool,
    handshake: Handshake,
    path: PathMtu,
    initial_window: f64,
    /// Not with an algorithm that has a model of the path: it restarts by that.
    idle_restart: bool,
    flavour: Flavour,
    stats: SenderStats,
    last_loss: Option<LossEvent>,
    first_loss: Option<Time>,
    /// `nxt` when the host last signalled congestion of its own queue.
    signalled_to: u64,
    /// `nxt` when the host became the limit; cwnd has not been it since.
    host_limited_to: u64,
}

impl Sender {
    /// The sending end of a connection that is not open yet.
    pub fn new(config: &Config) -> Sender {
        let (flavour, (path, segment)) = (config.flavour, PathMtu::new(config));
        let control = Chosen::new(config.algorithm, &Setup { flavour });
        let (watch, most) = (control.watches(), config.most());
        let paced = Paced::of(config, watch, segment);
        Sender {
            una: 0,
            nxt: 0,
            limit: 0,
            window_edge: 0,
            cwnd_edge: 0,
            pace_edge: SuperFrames::first_edge(config, paced.is_some()),
            segment,
            end: config.amount.unwrap_or(u64::MAX),
            resent_to: 0,
            peer_window: config.first_offer().min(UNSCALED_WINDOW.max(segment)),
            send_buffer: config.send_buffer,
            cwnd: (f64::from(config.first_window()) * segment as f64).min(most),
            ssthresh: config.first_ssthresh() * segment as f64,
            per_byte: 1.0 / segment as f64,
            log: SendLog::default(),
            rtt: Rtt::new(config.rto, config.rto_min, flavour),
            deadline: Time::MAX,
            release: Time::MAX,
            rto_at: Time::MAX,
            probe_at: Time::MAX,
            armed_to: 0,
            timer: Timer::Rto,
            probes: config.recovery.rack && config.sack,
            plain: false,
            state: State::Closed,
            cwnd_limited: false,
            byte_counting: config.byte_counting,
            usage_mark: 0,
            flight_peak: 0,
            in_use: InUse::default(),
            watched: watch != Watch::Nothing,
            sampled: watch == Watch::Deliveries,
            control,
            slow_start: config.slow_start,
            exit: Exit::first(config.slow_start, paced.is_some(), watch),
            super_frames: SuperFrames::of(config, paced.is_some()),
            paced,
            account: Account::new(),
            mark: most,
            regain: f64::INFINITY,
            cwnd_most: most,
            segments_sent: 0,
            board: Scoreboard::default(),
            repair: Repair::new(config),
            prr: Prr::default(),
            recovery_point: 0,
            episode_at: u64::MAX,
            timed_out_at: u64::MAX,
            duplicate_acks: 0,
            rescued: false,
            sack: config.sack,
            timestamps: config.timestamps,
            handshake: Handshake::default(),
            path,
            idle_restart: config.idle_restart && watch != Watch::Deliveries,
            flavour,
            initial_window: f64::from(config.initial_window.max(1)) * segment as f64,
            stats: SenderStats::default(),
            last_loss: None,
            first_loss: None,
            signalled_to: 0,
            host_limited_to: u64::MAX,
        }
    }

    /// The application writes `bytes` more; meant for senders with an `amount`.
    ///
    /// When nothing was sent for longer than the RTO, and if so configured, cwnd falls before: to the initial window at
    /// most, or by the kernel's rules by half for each RTO.
    pub fn write(&mut self, now: Time, bytes: u64) {
        if self.idle_restart && self.una == self.nxt && self.state == State::Open {
            self.restart_after_idle(now);
        }
        self.end = self.end.saturating_add(bytes);
        self.refresh();
    }

    /// The application writes no more. It wrote just in time, so everything written has been sent
    /// once; what is unacknowledged is still delivered.
    pub fn stop(&mut self, now: Time) {
        self.end = self.end.min(self.nxt);
        self.refresh();
        if self.una >= self.end && self.state != State::Closed {
            self.account
                .note(now, Limit::Application, self.nxt - self.una);
        }
    }

    /// Whether everything written is acknowledged.
    #[inline]
    pub fn done(&self) -> bool {
        self.una >= self.end
    }

    /// The next thing to send at `now`; call until `None`.
    #[inline]
    pub fn poll(&mut self, now: Time) -> Option<Out> {
        if self.nxt + self.segment <= self.limit {
            return Some(self.send_new(now, self.segment));
        }
        self.poll_rest(now)
    }

    /// The offset of the next thing to send at `now`, if that is a full segment, sent for the first
    /// time, and there is nothing else to think of. Call until `None`, then [`Sender::poll`].
    // Always inline: this is the whole cost of a segment, and the compiler takes it for large.
    #[inline(always)]
    pub fn poll_full(&mut self, now: Time) -> Option<u64> {
        let seq = self.nxt;
        if seq + self.segment > self.limit {
            return None;
        }
        self.send_new(now, self.segment);
        Some(seq)
    }

    #[inline(never)]
    fn poll_rest(&mut self, now: Time) -> Option<Out> {
        if self.plain && !self.path.aside && !self.repair.probe_due {
            self.poll_tail(now)
        } else {
            self.poll_otherwise(now)
        }
    }

    #[inline(always)]
    fn send_new(&mut self, now: Time, len: u64) -> Out {
        let seq = self.nxt;
        if len != self.segment {
            self.repair.odd = Range::new(seq, seq + len);
        }
        self.nxt = seq + len;
        if self.deadline == Time::MAX {
            self.begin_flight(now);
        }
        if self.log.append(seq, now) && self.sampled {
            self.note_sent(seq, now);
        }
        self.segments_sent += 1;
        Out::Data(Segment {
            seq,
            len: len as u32,
            retransmit: false,
        })
    }

    #[inline(never)]
    fn poll_otherwise(&mut self, now: Time) -> Option<Out> {
        match self.state {
            State::Closed | State::SynSent | State::GivenUp => return None,
            State::SynDue => return Some(self.send_syn(now)),
            State::Open | State::Recovery | State::Loss => {}
        }
        if self.handshake.ack_due {
            self.handshake.ack_due = false;
            self.refresh();
            return Some(Out::HandshakeAck);
        }
        if let Some(out) = self.poll_probes(now) {
            return Some(out);
        }
        if self.path.aside
            && let Some(answer) = self.poll_path_probe(now)
        {
            return answer;
        }
        if self.plain {
            self.poll_tail(now)
        } else {
            self.poll_disordered(now)
        }
    }

    /// Nothing is wrong, but no full segment fits: the last, shorter one, or nothing.
    #[inline]
    fn poll_tail(&mut self, now: Time) -> Option<Out> {
        let len = (self.end - self.nxt).min(self.segment);
        let need = self.nxt + len;
        if len > 0 && need <= self.window_edge && need <= self.cwnd_edge {
            let may = self.may_release(now, len) && self.may_burst(now, len);
            return may.then(|| self.send_new(now, len));
        }
        if let Some(rest) = self.rest_of_window(now) {
            return Some(self.send_new(now, rest));
        }
        if self.timer == Timer::ProbeAlone || self.una == self.nxt {
            self.settle_timer(now, len);
        }
        let limit = if len == 0 {
            Limit::Application
        } else if need > self.window_edge && self.window_edge <= self.cwnd_edge {
            self.window_limit()
        } else if self.slow_starts() {
            Limit::CwndSlowStart
        } else {
            Limit::CwndRecovery
        };
        self.note_limit(now, limit);
        None
    }

    fn window_limit(&self) -> Limit {
        if self.send_buffer < self.peer_window {
            Limit::SendBuffer
        } else {
            Limit::ReceiveWindow
        }
    }

    /// Something is SACKed, lost or retransmitted: RFC 6675 §4 `NextSeg` and §5 (C).
    fn poll_disordered(&mut self, now: Time) -> Option<Out> {
        let pipe = self.pipe_now();
        let cwnd = self.cwnd as u64;
        let len = (self.end - self.nxt).min(self.segment);
        let fits = self.nxt + len <= self.window_edge;
        if let Some(answer) = self.poll_frto(now, if fits { len } else { 0 }) {
            return answer;
        }
        if !self.repair.held
            && let Some((round, range)) = self.board.next_lost()
        {
            let range = Range::new(range.start, range.end.min(range.start + self.segment));
            if pipe + range.len() <= cwnd {
                return self
                    .may_release(now, range.len())
                    .then(|| self.resend(now, round, range));
            }
            self.note_limit(now, self.cwnd_limit());
            return None;
        }
        if len > 0 && fits && pipe + len <= cwnd {
            let may = self.may_release(now, len) && self.may_burst_within(now, len, cwnd - pipe);
            if !may {
                return None;
            }
            let out = self.send_new(now, len);
            self.prr.on_sent(len);
            return Some(out);
        }
        if len == 0 || !fits {
            if self.state == State::Recovery
                && !self.repair.rules.rack
                && !self.repair.held
                && let Some(out) = self.resend_unsure(now, pipe, cwnd)
            {
                return Some(out);
            }
            if self.una == self.nxt {
                // An answer to ECN with nothing in flight: a window that is closed is asked about.
                self.settle_timer(now, len);
            }
            let limit = if self.state == State::Loss {
                Limit::Loss
            } else if len == 0 {
                Limit::Application
            } else {
                self.window_limit()
            };
            self.note_limit(now, limit);
            return None;
        }
        self.note_limit(now, self.cwnd_limit());
        None
    }

    fn cwnd_limit(&self) -> Limit {
        match self.state {
            State::Loss => Limit::Loss,
            State::Open if self.slow_starts() => Limit::CwndSlowStart,
            _ => Limit::CwndRecovery,
        }
    }

    /// RFC 6675 §4 `NextSeg` rules 3 and 4: no new data may go out, so repeat what may be lost.
    fn resend_unsure(&mut self, now: Time, pipe: u64, cwnd: u64) -> Option<Out> {
        if pipe + self.segment > cwnd {
            return None;
        }
        if let Some(range) = self.board.next_doubtful() {
            return Some(self.resend(
                now,
                0,
                Range::new(range.start, range.end.min(range.start + self.segment)),
            ));
        }
        // Deviation from RFC 6675 §4 rule 4: the rescue waits until the last segment's ACK is
        // overdue; in the RFC it also repeats a segment that is merely on its way.
        if self.rescued || now.since(self.log.newest()) <= self.rtt.expected() {
            return None;
        }
        let last = self.board.last_unsacked(self.nxt, self.segment)?;
        self.rescued = true;
        Some(self.send_again(now, last))
    }

    fn resend(&mut self, now: Time, round: usize, range: Range) -> Out {
        let fresh = self.board.resent_edge(round) <= self.una;
        self.repair
            .log_again(round, fresh, self.una, range.start, now);
        self.board.resend(round, range);
        if range.start == self.una {
            // The timer gives the retransmission a full RTO, as in Linux.
            self.arm(now);
        }
        self.send_again(now, range)
    }

    fn send_again(&mut self, now: Time, range: Range) -> Out {
        self.prr.on_sent(range.len());
        self.repair.undo.on_resent(range.len());
        self.path.note_resent(now);
        self.repair.sent_at = now;
        self.resent_to = self.resent_to.max(range.end);
        self.note_resent(range.start, range.end, now);
        self.segments_sent += 1;
        self.stats.retransmits += 1;
        self.stats.retransmitted_bytes += range.len();
        if self.deadline == Time::MAX {
            self.arm(now);
        }
        Out::Data(Segment {
            seq: range.start,
            len: range.len() as u32,
            retransmit: true,
        })
    }

    /// Nothing more can be sent at `now` because of `limit`.
    ///
    /// This is also where cwnd is validated, in Linux's reading of RFC 7661: `cwnd_limited` and
    /// `flight_peak` say whether it was the limit and what was in flight in the last window of data.
    #[inline]
    fn note_limit(&mut self, now: Time, limit: Limit) {
        let by_cwnd = matches!(
            limit,
            Limit::CwndSlowStart | Limit::CwndRecovery | Limit::Loss
        );
        let flight = self.nxt - self.una;
        self.in_use.note(self.una, self.nxt);
        if by_cwnd {
            self.host_limited_to = u64::MAX;
        }
        let used = by_cwnd || self.fills_cwnd();
        if used || self.una >= self.usage_mark || (!self.cwnd_limited && flight > self.flight_peak)
        {
            self.cwnd_limited = used;
            self.flight_peak = flight;
            self.usage_mark = self.nxt;
        }
        if self.sampled {
            self.note_starved(limit);
        }
        self.account.note(now, limit, flight);
    }

    /// Recomputes what follows from una, the windows, the scoreboard and the state.
    #[inline]
    fn refresh(&mut self) {
        let clean = self.state == State::Open && self.board.is_clean(self.una);
        self.plain = clean && !self.path.is_probing();
        self.path.aside = self.handshake.ack_due || self.path.searches();
        self.refresh_limit();
    }

    #[inline]
    fn refresh_limit(&mut self) {
        self.window_edge = self
            .una
            .saturating_add(self.peer_window.min(self.send_buffer));
        self.cwnd_edge = self.una.saturating_add(self.cwnd as u64);
        let edge = self.window_edge.min(self.cwnd_edge).min(self.pace_edge);
        let limit = edge.min(self.end);
        self.limit = if self.plain && !self.path.aside {
            limit
        } else {
            0
        };
    }
}
