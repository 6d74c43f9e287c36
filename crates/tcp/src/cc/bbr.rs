//! BBR, version 1 (Cardwell, Cheng, Gunn, Yeganeh and Jacobson, "BBR: congestion-based congestion
//! control", ACM Queue 14(5), 2016; draft-cardwell-iccrg-bbr-congestion-control-00): a model of the
//! path, its bandwidth and its round trip, paces the sender; losses do not.
//!
//! The draft describes what Linux does. The kernel has besides a detector of policers, whole and even
//! windows, and a rule for delayed acknowledgements.

use farpath_units::{Duration, Time};

use super::policer::{Change, Policer};
use super::{Ack, Control, Loss, Seen, Setup, Steer, Watch};
use crate::flavour::Flavour;

/// 2/ln 2: what lets the sending rate double each round trip.
const HIGH_GAIN: f64 = 2885.0 / 1000.0;
const DRAIN_GAIN: f64 = 1000.0 / 2885.0;
/// cwnd over the pipe while probing for bandwidth.
const CWND_GAIN: f64 = 2.0;
/// Pacing gains of the eight phases of that.
const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
/// The pacing rate stays this much below the model's bandwidth.
const MARGIN: f64 = 0.99;
/// Round trips over which the bandwidth is a maximum.
const BANDWIDTH_ROUNDS: usize = 10;
/// The pipe is full when three rounds brought less than a quarter more.
const FULL_GROWTH: f64 = 1.25;
const FULL_ROUNDS: u32 = 3;
/// A smallest round trip is believed for so long; then it is probed with a window of four.
const RTT_BELIEVED: Duration = Duration::from_secs(10);
const PROBE_RTT: Duration = Duration::from_ms(200);
const LEAST_WINDOW: f64 = 4.0;
/// Until so many segments have arrived the first samples of bandwidth do not hold back the window.
const FIRST_SEGMENTS: u64 = 10;
/// A burst is what the rate gives in 1/1024 of a second, two segments at least, or one below so many
/// bytes a second (1.2 Mbit/s), and 64 KiB at most.
const BURSTS_A_SECOND: f64 = 1024.0;
const SLOW: f64 = 150_000.0;
const LARGEST_BURST: f64 = 65_536.0;
/// Headroom for bursts, in bursts.
const HEADROOM: f64 = 3.0;
/// Rounds each half of the filter of extra acknowledgements lasts, and its cap in time.
const EXTRA_ROUNDS: u64 = 5;
const EXTRA_CAP_S: f64 = 0.1;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Startup,
    Drain,
    ProbeBandwidth,
    ProbeRtt,
}

/// The model and the state of the probing.
#[derive(Clone, Debug)]
struct State {
    mode: Mode,
    /// In the kernel's flavour.
    policer: Option<Policer>,
    /// Nothing was in flight when it began to send again: the round trip need not be probed.
    idle: bool,
    /// Largest bandwidth of each of the latest rounds, bytes a second, by round modulo their number.
    bandwidths: [f64; BANDWIDTH_ROUNDS],
    /// The largest of them.
    bandwidth: f64,
    /// The round of the latest sample that counted: only such a sample lets older ones expire.
    sampled: usize,
    /// Rounds so far; the current one ends when what was sent after so much delivered arrives.
    rounds: usize,
    round_end: u64,
    round_start: bool,
    /// [`Duration::MAX`] before the first sample.
    rtt_min: Duration,
    rtt_at: Time,
    probe_rtt_until: Option<Time>,
    probe_rtt_round: bool,
    full: f64,
    full_rounds: u32,
    filled: bool,
    phase: usize,
    phase_at: Time,
    /// Its own congestion window, whatever the sender makes of it in between; `None` before the first
    /// ACK and after a timeout, when the sender's holds.
    cwnd: Option<f64>,
    /// cwnd before a recovery or a probe of the round trip.
    prior: f64,
    open: bool,
    /// In the first round of a recovery only what arrives is replaced.
    conserve: bool,
    pacing: f64,
    extra: [f64; 2],
    extra_at: usize,
    extra_round: u64,
    epoch: Time,
    epoch_bytes: f64,
}

/// BBR's state, apart because it is large.
#[derive(Clone, Debug)]
pub(crate) struct Bbr(Box<State>);

impl State {
    /// The rate that a policer lets pass, if there is one.
    fn policed(&self) -> Option<f64> {
        self.policer.as_ref().and_then(Policer::rate)
    }

    /// The bandwidth to send at.
    fn used(&self) -> f64 {
        self.policed().unwrap_or(self.bandwidth)
    }

    fn pipe(&self, bandwidth: f64, gain: f64) -> f64 {
        gain * bandwidth * self.rtt_min.as_secs_f64()
    }

    fn pacing_gain(&self) -> f64 {
        match self.mode {
            Mode::Startup => HIGH_GAIN,
            Mode::Drain => DRAIN_GAIN,
            Mode::ProbeBandwidth if self.policed().is_some() => 1.0,
            Mode::ProbeBandwidth => CYCLE[self.phase],
            Mode::ProbeRtt => 1.0,
        }
    }

    fn cwnd_gain(&self) -> f64 {
        match self.mode {
            Mode::Startup | Mode::Drain => HIGH_GAIN,
            Mode::ProbeBandwidth => CWND_GAIN,
            Mode::ProbeRtt => 1.0,
        }
    }

    /// cwnd for so much of a pipe of that bandwidth: `extra` bytes, and what keeps bursts and delayed
    /// ACKs from stopping the flow, on top.
    fn target(&self, bandwidth: f64, gain: f64, extra: f64, segment: f64) -> f64 {
        if self.rtt_min == Duration::MAX || bandwidth == 0.0 {
            return f64::INFINITY;
        }
        let least = if self.pacing < SLOW { 1.0 } else { 2.0 };
        let burst = (self.pacing / BURSTS_A_SECOND).min(LARGEST_BURST) / segment;
        let whole = (self.pipe(bandwidth, gain) / segment).ceil();
        let segments = if self.policer.is_some() {
            // The kernel counts whole segments, and an even number of them.
            let whole = whole + (extra / segment).floor();
            2.0 * (0.5 * (whole + HEADROOM * burst.floor().max(least))).ceil()
        } else {
            whole + HEADROOM * burst.max(least) + extra / segment
        };
        let mut target = segments * segment;
        if self.mode == Mode::ProbeBandwidth && self.phase == 0 {
            target += 2.0 * segment;
        }
        target
    }

    fn note_bandwidth(&mut self, seen: &Seen) {
        self.round_start = false;
        let Some(delivery) = seen.delivery else {
            return;
        };
        if delivery.prior >= self.round_end {
            self.round_end = seen.delivered_total;
            self.rounds += 1;
            self.round_start = true;
            self.conserve = false;
        }
        let probing = self.mode == Mode::ProbeBandwidth;
        if let Some(policer) = &mut self.policer
            && policer.on_ack(seen, self.round_start, probing) == Change::Search
        {
            self.probe_bandwidth(seen.now);
        }
        let Some(rate) = delivery.rate else {
            return;
        };
        if !delivery.app_limited || rate >= self.bandwidth {
            self.sample(rate);
        }
    }

    /// A sample that counts. Rounds without one make nothing older: a probe of the round trip, which takes more than the
    /// filter's rounds on a short path, and a sender with little to send leave the bandwidth as it was found.
    fn sample(&mut self, rate: f64) {
        let passed = (self.rounds - self.sampled).min(BANDWIDTH_ROUNDS);
        for back in 0..passed {
            self.bandwidths[(self.rounds - back) % BANDWIDTH_ROUNDS] = 0.0;
        }
        self.sampled = self.rounds;
        let slot = &mut self.bandwidths[self.rounds % BANDWIDTH_ROUNDS];
        *slot = slot.max(rate);
        if passed > 0 || rate > self.bandwidth {
            self.bandwidth = self.bandwidths.iter().copied().fold(0.0, f64::max);
        }
    }

    /// How much more than the bandwidth explains was acknowledged in a row.
    fn note_extra(&mut self, seen: &Seen) {
        if self.round_start {
            self.extra_round += 1;
            if self.extra_round >= EXTRA_ROUNDS {
                self.extra_round = 0;
                self.extra_at ^= 1;
                self.extra[self.extra_at] = 0.0;
            }
        }
        let mut expected = self.used() * seen.now.since(self.epoch).as_secs_f64();
        if self.epoch_bytes <= expected {
            self.epoch_bytes = 0.0;
            self.epoch = seen.now;
            expected = 0.0;
        }
        self.epoch_bytes += seen.delivered as f64;
        if self.policer.is_some() {
            // The kernel counts whole segments.
            expected = (expected / seen.segment).floor() * seen.segment;
        }
        let extra = (self.epoch_bytes - expected).min(seen.cwnd);
        let slot = &mut self.extra[self.extra_at];
        *slot = slot.max(extra);
    }

    fn check_full(&mut self, seen: &Seen) {
        let told = seen.delivery.is_some_and(|d| !d.app_limited);
        if self.filled || !self.round_start || !told {
            return;
        }
        if self.bandwidth >= self.full * FULL_GROWTH {
            self.full = self.bandwidth;
            self.full_rounds = 0;
            return;
        }
        self.full_rounds += 1;
        self.filled = self.full_rounds >= FULL_ROUNDS;
    }

    fn cycle(&mut self, seen: &Seen) {
        if self.mode != Mode::ProbeBandwidth {
            return;
        }
        let long = seen.now.since(self.phase_at) > self.rtt_min;
        let flight = seen.before as f64;
        let gain = self.pacing_gain();
        let target = |gain| self.target(self.bandwidth, gain, 0.0, seen.segment);
        let over = if gain > 1.0 {
            long && (seen.lost > 0 || flight >= target(gain))
        } else if gain < 1.0 {
            long || flight <= target(1.0)
        } else {
            long
        };
        if over {
            self.phase = (self.phase + 1) % CYCLE.len();
            self.phase_at = seen.now;
        }
    }

    fn probe_bandwidth(&mut self, now: Time) {
        self.mode = Mode::ProbeBandwidth;
        // Any phase but the one that drains; which one, the instant decides, so that flows differ and
        // runs do not.
        let mixed = (now.as_ps() >> 10).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        self.phase = [0, 2, 3, 4, 5, 6, 7][(mixed % 7) as usize];
        self.phase_at = now;
    }

    /// Startup, drain, and what follows; the new ssthresh when startup ends.
    fn advance(&mut self, seen: &Seen) -> Option<f64> {
        let mut ssthresh = None;
        if self.mode == Mode::Startup && self.filled {
            self.mode = Mode::Drain;
            ssthresh = Some(self.pipe(self.bandwidth, 1.0));
        }
        let drained = self.target(self.bandwidth, 1.0, 0.0, seen.segment);
        if self.mode == Mode::Drain && seen.in_flight as f64 <= drained {
            self.probe_bandwidth(seen.now);
        }
        ssthresh
    }

    /// The smallest round trip, and the probe for it; whether a probe is under way, to the ACK that ends it.
    fn note_rtt(&mut self, seen: &Seen) -> bool {
        let stale = seen.now.since(self.rtt_at) > RTT_BELIEVED;
        let delayed = self.policer.is_some() && seen.may_be_delayed();
        if let Some(rtt) = seen.rtt
            && (rtt < self.rtt_min || (stale && !delayed))
        {
            self.rtt_min = rtt;
            self.rtt_at = seen.now;
        }
        let idle = core::mem::take(&mut self.idle);
        if stale && !idle && self.mode != Mode::ProbeRtt {
            self.save();
            self.mode = Mode::ProbeRtt;
            self.probe_rtt_until = None;
        }
        if self.mode != Mode::ProbeRtt {
            return false;
        }
        match self.probe_rtt_until {
            None if seen.in_flight as f64 <= LEAST_WINDOW * seen.segment => {
                self.probe_rtt_until = Some(seen.now + PROBE_RTT);
                self.probe_rtt_round = false;
                self.round_end = seen.delivered_total;
            }
            None => {}
            Some(until) => {
                self.probe_rtt_round |= self.round_start;
                if self.probe_rtt_round && seen.now >= until {
                    self.end_probe_rtt(seen.now);
                }
            }
        }
        true
    }

    fn end_probe_rtt(&mut self, now: Time) {
        self.rtt_at = now;
        if self.filled {
            self.probe_bandwidth(now);
        } else {
            self.mode = Mode::Startup;
        }
    }

    /// Keeps the window to come back to.
    fn save(&mut self) {
        let cwnd = self.cwnd.unwrap_or(0.0);
        self.prior = if self.open && self.mode != Mode::ProbeRtt {
            cwnd
        } else {
            self.prior.max(cwnd)
        };
    }

    fn set_pacing(&mut self, seen: &Seen) {
        // Until the path has shown more: the first window a round trip. The first samples of bandwidth
        // hold a segment or two, and a pace by them would stop the second flight.
        if self.pacing == 0.0 && self.rtt_min < Duration::MAX {
            self.pacing = HIGH_GAIN * seen.cwnd / self.rtt_min.as_secs_f64().max(1e-6);
        }
        if self.bandwidth == 0.0 {
            return;
        }
        let rate = self.pacing_gain() * self.used() * MARGIN;
        if self.filled || rate > self.pacing {
            self.pacing = rate;
        }
    }

    fn set_cwnd(&mut self, seen: &Seen, probed: bool) -> f64 {
        let segment = seen.segment;
        let acked = seen.delivered as f64;
        let mut cwnd = self.cwnd.unwrap_or(seen.cwnd);
        cwnd = (cwnd - seen.lost as f64).max(segment);
        if self.open && !seen.open {
            // Only what arrives is replaced for a round.
            self.save();
            self.conserve = true;
            self.round_end = seen.delivered_total;
            cwnd = seen.in_flight as f64 + acked;
        } else if (!self.open && seen.open) || (probed && self.mode != Mode::ProbeRtt) {
            self.conserve = false;
            cwnd = cwnd.max(self.prior);
        }
        self.open = seen.open;
        if self.conserve {
            cwnd = cwnd.max(seen.in_flight as f64 + acked);
        } else {
            let extra = match self.filled {
                true => self.extra[0]
                    .max(self.extra[1])
                    .min(EXTRA_CAP_S * self.used()),
                false => 0.0,
            };
            let target = self.target(self.used(), self.cwnd_gain(), extra, segment);
            if self.filled {
                cwnd = (cwnd + acked).min(target);
            } else if cwnd < target || seen.delivered_total < FIRST_SEGMENTS * segment as u64 {
                cwnd += acked;
            }
            cwnd = cwnd.max(LEAST_WINDOW * segment);
        }
        if self.mode == Mode::ProbeRtt {
            cwnd = cwnd.min(LEAST_WINDOW * segment);
        }
        self.cwnd = Some(cwnd);
        cwnd
    }
}

impl Control for Bbr {
    fn new(setup: &Setup) -> Bbr {
        Bbr(Box::new(State {
            mode: Mode::Startup,
            policer: (setup.flavour == Flavour::Linux).then(Policer::default),
            idle: false,
            bandwidths: [0.0; BANDWIDTH_ROUNDS],
            bandwidth: 0.0,
            sampled: 0,
            rounds: 0,
            round_end: 0,
            round_start: false,
            rtt_min: Duration::MAX,
            rtt_at: Time::ZERO,
            probe_rtt_until: None,
            probe_rtt_round: false,
            full: 0.0,
            full_rounds: 0,
            filled: false,
            phase: 2,
            phase_at: Time::ZERO,
            cwnd: None,
            prior: 0.0,
            open: true,
            conserve: false,
            pacing: 0.0,
            extra: [0.0; 2],
            extra_at: 0,
            extra_round: 0,
            epoch: Time::ZERO,
            epoch_bytes: 0.0,
        }))
    }

    /// Nothing: see `watch`.
    fn increase(&mut self, _ack: &Ack) -> f64 {
        0.0
    }

    /// A loss is not a reason to slow down, and ssthresh says when startup is over.
    fn reduce(&mut self, loss: &Loss) -> f64 {
        loss.window
    }

    /// A timeout: the window begins again from one segment and comes back by what arrives; the search
    /// for the full pipe begins anew.
    fn restart(&mut self) {
        let s = &mut self.0;
        s.save();
        (s.cwnd, s.open, s.conserve, s.full) = (None, false, false, 0.0);
    }

    /// By the kernel the search for the full pipe, and for a policer, begins anew.
    fn undo(&mut self) {
        if let Some(policer) = &mut self.0.policer {
            policer.forget();
            (self.0.full, self.0.full_rounds) = (0.0, 0);
        }
    }

    /// Nothing being in flight is not a smaller path: data leaves at the bandwidth found.
    fn resume(&mut self, now: Time, _sent: Time) -> Option<f64> {
        let s = &mut self.0;
        (s.idle, s.epoch, s.epoch_bytes) = (true, now, 0.0);
        let probed = s.probe_rtt_until.is_some_and(|until| now > until);
        if s.mode == Mode::ProbeRtt && probed {
            s.cwnd = s.cwnd.map(|cwnd| cwnd.max(s.prior));
            s.end_probe_rtt(now);
        } else if s.mode == Mode::ProbeBandwidth {
            s.pacing = s.used() * MARGIN;
            return Some(s.pacing);
        }
        None
    }

    fn watches(&self) -> Watch {
        Watch::Deliveries
    }

    fn watch(&mut self, seen: &Seen) -> Steer {
        let s = &mut self.0;
        let probed = s.mode == Mode::ProbeRtt;
        s.note_bandwidth(seen);
        s.note_extra(seen);
        s.cycle(seen);
        s.check_full(seen);
        let ssthresh = s.advance(seen);
        let starved = s.note_rtt(seen);
        s.set_pacing(seen);
        let cwnd = s.set_cwnd(seen, probed);
        Steer {
            cwnd: Some(cwnd),
            ssthresh,
            pacing: (s.pacing > 0.0).then_some(s.pacing),
            starved,
        }
    }

    fn may_double(&self) -> bool {
        false
    }

    fn is_starting(&self) -> bool {
        !self.0.filled
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::tests::{seen, setup};
    use crate::delivery::Delivery;
    use crate::flavour::Flavour;

    /// A path of 100 ms that holds `pipe` segments; what is in flight beyond them waits. One ACK for
    /// each round trip.
    struct Path {
        bbr: Bbr,
        now: Time,
        delivered: u64,
        cwnd: f64,
        pacing: f64,
        pipe: f64,
        flight: f64,
    }

    impl Path {
        fn new(pipe: f64) -> Path {
            Path {
                bbr: Bbr::new(&setup(Flavour::Rfc)),
                now: Time::ZERO,
                delivered: 0,
                cwnd: 10.0,
                pacing: 100.0,
                pipe,
                flight: 10.0,
            }
        }

        fn round(&mut self) -> Steer {
            let rtt = Duration::from_ms(100);
            self.now += rtt;
            let sent = self.flight.min(self.pipe);
            self.flight -= sent;
            self.flight += (self.pacing * 0.1).min((self.cwnd - self.flight).max(0.0));
            let prior = self.delivered;
            self.delivered += sent as u64;
            let mut seen = seen(self.now, rtt, self.delivered, self.cwnd, f64::INFINITY);
            seen.delivered = sent as u64;
            seen.delivered_total = self.delivered;
            seen.in_flight = self.flight as u64;
            seen.delivery = Some(Delivery {
                rate: Some(sent * 10.0),
                prior,
                app_limited: false,
            });
            let steer = self.bbr.watch(&seen);
            self.cwnd = steer.cwnd.unwrap_or(self.cwnd);
            self.pacing = steer.pacing.unwrap_or(self.pacing);
            steer
        }
    }

    /// The gains of the paper: 2/ln 2 up, its inverse down, then eight phases around 1.
    #[test]
    fn startup_doubles_until_the_pipe_is_full_then_drains_and_cruises() {
        let mut path = Path::new(1000.0);
        // 10 to 1000 segments is 6.6 doublings, one of them a round late, and three rounds to tell.
        let mut rounds = 0;
        while path.bbr.0.mode == Mode::Startup {
            path.round();
            rounds += 1;
            assert!(path.pacing <= HIGH_GAIN * 10_000.0);
        }
        assert!((10..=16).contains(&rounds), "{rounds}");
        assert_eq!(path.bbr.0.pacing_gain(), DRAIN_GAIN);
        assert!((path.pacing - DRAIN_GAIN * 10_000.0 * MARGIN).abs() < 1.0);
        assert!((HIGH_GAIN * DRAIN_GAIN - 1.0).abs() < 1e-12);
        // At most 1.9 pipes wait, of which each round takes 1 − 1/2.885.
        for _ in 0..5 {
            path.round();
        }
        assert_eq!(path.bbr.0.mode, Mode::ProbeBandwidth);
        let mut gains = Vec::new();
        for _ in 0..40 {
            let steer = path.round();
            assert_eq!(steer.ssthresh, None);
            gains.push(path.bbr.0.pacing_gain());
            let most = CWND_GAIN * 1000.0 + 3.0 * 65_536.0;
            assert!(path.cwnd <= most, "{}", path.cwnd);
        }
        for gain in [1.25, 0.75, 1.0] {
            assert!(gains.contains(&gain), "{gain} in {gains:?}");
        }
        assert_eq!(path.bbr.0.bandwidth, 10_000.0);
    }

    /// The first ACK of ten shows one segment in a round trip; a kernel goes on at the pace of all ten.
    #[test]
    fn the_first_sample_of_bandwidth_does_not_stop_the_second_flight() {
        let mut bbr = Bbr::new(&setup(Flavour::Rfc));
        let rtt = Duration::from_ms(100);
        let mut seen = seen(Time::ZERO + rtt, rtt, 1, 10.0, f64::INFINITY);
        seen.delivered_total = 1;
        seen.delivery = Some(Delivery {
            rate: Some(10.0),
            prior: 0,
            app_limited: false,
        });
        let steer = bbr.watch(&seen);
        let pacing = steer.pacing.expect("bbr paces");
        assert!((pacing - HIGH_GAIN * 100.0).abs() < 1e-9, "{pacing}");
        assert_eq!(steer.cwnd, Some(11.0));
    }

    #[test]
    fn a_round_trip_older_than_ten_seconds_is_probed_for_200_ms_with_four_segments() {
        let mut path = Path::new(1000.0);
        // A shorter round trip was seen at the start.
        path.round();
        path.bbr.0.rtt_min = Duration::from_ms(99);
        let mut probing = Vec::new();
        for round in 0..130 {
            let steer = path.round();
            if path.bbr.0.mode == Mode::ProbeRtt {
                assert!(steer.starved);
                assert_eq!(steer.cwnd, Some(4.0));
                probing.push(round);
            }
        }
        let first = probing.first().copied().expect("a probe");
        assert!((98..=102).contains(&first), "{probing:?}");
        assert!((2..=6).contains(&probing.len()), "{probing:?}");
        assert_eq!(path.bbr.0.rtt_min, Duration::from_ms(100));
        assert!(path.cwnd > 1000.0, "the window came back: {}", path.cwnd);
    }

    /// On 20 ms a probe lasts ten round trips, all that the filter remembers. Four segments a round trip, marked as too
    /// few, do not count as bandwidth, and rounds of them make what was found no older.
    #[test]
    fn a_probe_of_more_rounds_than_the_filter_keeps_does_not_lower_the_bandwidth() {
        let mut path = Path::new(1000.0);
        for _ in 0..30 {
            path.round();
        }
        let mut bbr = path.bbr;
        let sample = |bbr: &mut Bbr, round: u64, rate: f64, app_limited| {
            let rtt = Duration::from_ms(20);
            let total = path.delivered + 4 * round;
            let mut seen = seen(path.now + rtt.times(round), rtt, total, 4.0, 4.0);
            (seen.delivered, seen.delivered_total) = (4, total);
            seen.delivery = Some(Delivery {
                rate: Some(rate),
                prior: total - 4,
                app_limited,
            });
            bbr.0.note_bandwidth(&seen);
            assert!(round <= 1 || bbr.0.round_start);
        };
        for round in 1..=25 {
            sample(&mut bbr, round, 200.0, true);
            assert_eq!(bbr.0.bandwidth, 10_000.0, "round {round}");
        }
        // The first sample that counts is all that is not too old.
        sample(&mut bbr, 26, 9_000.0, false);
        assert_eq!(bbr.0.bandwidth, 9_000.0);
    }

    #[test]
    fn a_loss_takes_nothing_but_the_first_round_of_repair() {
        let mut bbr = Bbr::new(&setup(Flavour::Rfc));
        let loss = crate::cc::tests::loss(100.0);
        assert_eq!(bbr.reduce(&loss), 100.0);
        let rtt = Duration::from_ms(100);
        let mut s = seen(Time::ZERO, rtt, 0, 100.0, 100.0);
        bbr.0.cwnd = Some(100.0);
        s.open = false;
        (s.in_flight, s.delivered) = (60, 3);
        assert_eq!(bbr.watch(&s).cwnd, Some(63.0));
        s.open = true;
        assert_eq!(bbr.watch(&s).cwnd, Some(103.0));
    }
}
