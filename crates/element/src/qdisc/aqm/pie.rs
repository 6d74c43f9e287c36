//! Proportional integral controller enhanced (RFC 8033): drops at random on arrival, as often as keeps
//! the delay of what waits at a target.
//!
//! The probability is worked out at regular instants of the run, but only when a frame comes or goes:
//! in between nothing changes that it depends on.

use farpath_units::{Duration, Time};
use farpath_wire::Frame;

use super::{Aqm, Draws, Found, Head, QueueSite, Served, Verdict, Waiting};

/// Which delay is kept, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PieConfig {
    /// The delay that is kept (RFC 8033 §4.2, QDELAY_REF).
    pub target: Duration,
    /// How far apart updates of the probability are; the first comes so long after the start of the
    /// run (RFC 8033 §4.2, T_UPDATE). Not zero.
    pub update: Duration,
    /// What an update adds for each second of delay beyond the target, in hertz (RFC 8033 §4.2).
    pub alpha: f64,
    /// What it adds for each second by which the delay has grown, in hertz (RFC 8033 §4.2).
    pub beta: f64,
    /// How long a burst may last before frames are dropped (RFC 8033 §4.4, MAX_BURST).
    pub burst: Duration,
    /// Datagrams of ECN-capable transports are marked instead of dropped while the probability is
    /// below this (RFC 8033 §5.1, mark_ecnth); 0: never.
    pub mark_below: f64,
}

/// What an update changes by the probability it finds: below each, the change is divided by so much
/// (RFC 8033 §4.2).
const TUNING: [(f64, f64); 6] = [
    (0.000_001, 2048.0),
    (0.000_01, 512.0),
    (0.000_1, 128.0),
    (0.001, 32.0),
    (0.01, 8.0),
    (0.1, 2.0),
];
/// What is left of the probability after an update without any delay (RFC 8033 §4.2).
const DECAY: f64 = 0.98;
/// From this probability on, an update adds at most [`MOST_ADDED`] (RFC 8033 §5.5).
const CAPPED_FROM: f64 = 0.1;
const MOST_ADDED: f64 = 0.02;
/// Below this probability frames pass while the delay is below half its target (RFC 8033 §4.1).
const SPARED_BELOW: f64 = 0.2;
/// Sums of the probabilities of frames since the last drop: below the first none is dropped, from the
/// second on the next one is (RFC 8033 §5.4).
const APART: (f64, f64) = (0.85, 8.5);

/// What updates work on.
#[derive(Clone, Copy, Debug, PartialEq)]
struct State {
    probability: f64,
    /// The delay of the frame that was taken last, and the delay of the update before.
    delay: Duration,
    before: Duration,
    /// What is left of the time in which a burst is let through.
    allowance: Duration,
}

impl State {
    /// One update (RFC 8033 §4.2, §4.4, §5.5).
    fn update(&mut self, config: &PieConfig) {
        let seconds = |a: Duration, b: Duration| (a.as_ps() as f64 - b.as_ps() as f64) / 1e12;
        let error = seconds(self.delay, config.target);
        let growth = seconds(self.delay, self.before);
        let full = config.alpha * error + config.beta * growth;
        let row = TUNING.iter().find(|(below, _)| self.probability < *below);
        let mut change = full / row.map_or(1.0, |(_, divisor)| *divisor);
        if self.probability >= CAPPED_FROM {
            change = change.min(MOST_ADDED);
        }
        self.probability += change;
        if self.delay == Duration::ZERO && self.before == Duration::ZERO {
            self.probability *= DECAY;
        }
        self.probability = self.probability.clamp(0.0, 1.0);
        self.before = self.delay;
        self.allowance = self.allowance.saturating_sub(config.update);
    }

    /// Whether congestion has gone away (RFC 8033 §4.4).
    fn is_calm(&self, target: Duration) -> bool {
        let short = |delay: Duration| delay.times(2) < target;
        self.probability == 0.0 && short(self.delay) && short(self.before)
    }
}

/// The controller of one queue.
#[derive(Debug)]
pub(super) struct Pie {
    config: PieConfig,
    /// Bytes of a full frame: a queue of no more than two is left alone.
    frame: u32,
    state: State,
    /// When the next update is due.
    next: Time,
    /// The sum of the probabilities of frames since the last drop.
    since_drop: f64,
    draws: Draws,
}

impl Pie {
    pub(super) fn new(config: PieConfig, site: &QueueSite) -> Pie {
        Pie {
            config,
            frame: site.frame,
            state: State {
                probability: 0.0,
                delay: Duration::ZERO,
                before: Duration::ZERO,
                allowance: config.burst,
            },
            next: Time::ZERO + config.update,
            since_drop: 0.0,
            draws: Draws::new(site),
        }
    }

    /// Does the updates that were due before `until`; since the last call, frames have waited or not.
    #[inline]
    fn catch_up(&mut self, until: Time, waited: bool) {
        while self.next < until {
            let found = self.state;
            // Deviation from RFC 8033 appendix A: the sample is none when nothing waits, because the last
            // frame's timestamp would stand for an empty queue until the next one is sent.
            if !waited {
                self.state.delay = Duration::ZERO;
            }
            self.state.update(&self.config);
            self.next += self.config.update;
            if self.state == found {
                // So would all the others.
                let (left, every) = (until.since(self.next), self.config.update);
                self.next += every.times(left.as_ps().div_ceil(every.as_ps()));
            }
        }
    }

    /// A frame that came at `came` is sent at `now`.
    fn sent(&mut self, came: Time, now: Time) {
        self.catch_up(now, true);
        self.state.delay = now.since(came);
    }

    /// What becomes of a frame that comes at `frame.at` (RFC 8033 §4.1, §4.4, §5.1, §5.4).
    fn judge(&mut self, frame: &Frame, bytes: u64, fits: bool) -> Verdict {
        self.catch_up(frame.at.next(), bytes > 0);
        let Pie { config, state, .. } = self;
        if state.is_calm(config.target) {
            state.allowance = config.burst;
        }
        if !fits {
            self.since_drop = 0.0;
            return Verdict::Pass; // it is dropped all the same
        }
        let probability = state.probability;
        let spared = probability < SPARED_BELOW && state.before.times(2) < config.target;
        let few = bytes <= 2 * u64::from(self.frame);
        if state.allowance > Duration::ZERO || spared || few {
            return Verdict::Pass;
        }
        if probability == 0.0 {
            self.since_drop = 0.0;
        }
        self.since_drop += probability;
        let (least, most) = APART;
        let by_luck = |pie: &mut Pie| pie.draws.uniform(frame) < probability;
        if self.since_drop < least || self.since_drop < most && !by_luck(self) {
            return Verdict::Pass;
        }
        self.since_drop = 0.0;
        match probability < self.config.mark_below {
            true => Verdict::Mark,
            false => Verdict::Drop,
        }
    }
}

impl Aqm for Pie {
    fn arrive(&mut self, frame: &Frame, found: &Found<'_>) -> Verdict {
        self.judge(frame, found.bytes, found.fits)
    }

    fn take(&mut self, now: Time, head: &mut Served<'_>) -> Option<Waiting> {
        let (item, came, _) = head.pop()?;
        self.sent(came, now);
        Some(item)
    }

    fn emptied(&mut self, now: Time) {
        self.catch_up(now, true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use farpath_units::Key;
    use farpath_wire::{FlowDir, Kind};
    use std::collections::VecDeque;

    const T: Duration = Duration::from_ms(15);
    const FULL: u32 = 1514;

    /// The RFC's own numbers.
    fn rfc() -> PieConfig {
        PieConfig {
            target: T,
            update: T,
            alpha: 0.125,
            beta: 1.25,
            burst: Duration::from_ms(150),
            mark_below: 0.0,
        }
    }

    fn site() -> QueueSite {
        QueueSite {
            frame: FULL,
            frame_time: Duration::from_us(1200),
            key: Key::new(7),
            names: Default::default(),
        }
    }

    fn state(probability: f64, delay_us: u64, before_us: u64) -> State {
        State {
            probability,
            delay: Duration::from_us(delay_us),
            before: Duration::from_us(before_us),
            allowance: Duration::ZERO,
        }
    }

    fn updated(mut state: State) -> f64 {
        state.update(&rfc());
        assert_eq!(state.before, state.delay);
        state.probability
    }

    fn frame(at: Duration) -> Frame {
        Frame::new(Kind::Udp, FlowDir(0), 0, 1500).arriving(Time::ZERO + at)
    }

    /// A controller in a state, whose next update is far away.
    fn pie(config: PieConfig, state: State) -> Pie {
        let (next, mut pie) = (Time::MAX, Pie::new(config, &site()));
        (pie.state, pie.next) = (state, next);
        pie
    }

    /// RFC 8033 §4.2: 10 ms too much and 5 ms more than before add 0.125 · 0.010 + 1.25 · 0.005 in
    /// full, and less the less there is; a row of the table begins with its own number.
    #[test]
    fn rfc8033_4_2_the_change_is_tuned_by_the_probability() {
        let full = 0.007_5;
        for (probability, divisor) in [
            (0.0, 2048.0),
            (0.000_000_999, 2048.0),
            (0.000_001, 512.0),
            (0.000_009_99, 512.0),
            (0.000_01, 128.0),
            (0.000_099_9, 128.0),
            (0.000_1, 32.0),
            (0.000_999, 32.0),
            (0.001, 8.0),
            (0.009_99, 8.0),
            (0.01, 2.0),
            (0.099_9, 2.0),
            (0.1, 1.0),
            (0.9, 1.0),
        ] {
            let added = updated(state(probability, 25_000, 20_000)) - probability;
            assert!(
                (added / (full / divisor) - 1.0).abs() < 1e-9,
                "{probability}: {added}"
            );
        }
    }

    /// RFC 8033 §4.2: 2 % fewer when neither sample saw any delay, after the change and before the
    /// bounds; §5.5: at most 0.02 more, from 0.1 on.
    #[test]
    fn rfc8033_4_2_the_probability_decays_and_has_bounds() {
        let less = 0.125 * 0.015;
        assert!((updated(state(0.5, 0, 0)) - (0.5 - less) * 0.98).abs() < 1e-15);
        assert!((updated(state(0.5, 0, 15_000)) - (0.5 - less - 1.25 * 0.015)).abs() < 1e-15);
        assert_eq!(updated(state(1e-8, 0, 0)), 0.0);
        assert_eq!(updated(state(0.5, 15_000, 15_000)), 0.5);
        // 100 ms more are 0.125 · 0.085 + 1.25 · 0.1 = 0.135625, at 0.0999 the half of it.
        assert_eq!(updated(state(0.1, 100_000, 0)), 0.1 + 0.02);
        assert!((updated(state(0.0999, 100_000, 0)) - 0.167_712_5).abs() < 1e-12);
        assert_eq!(updated(state(0.99, 100_000, 0)), 1.0);
    }

    /// RFC 8033 §4.4: ten updates of 15 ms use up 150 ms; the frame that comes with the tenth is the
    /// first that may be dropped. Calm gives them back.
    #[test]
    fn rfc8033_4_4_a_burst_of_150_ms_passes() {
        let mut pie = Pie::new(rfc(), &site());
        pie.state = State {
            allowance: pie.config.burst,
            ..state(1.0, 40_000, 40_000)
        };
        for ms in 1..150 {
            let verdict = pie.judge(&frame(Duration::from_ms(ms)), 60_000, true);
            assert_eq!(verdict, Verdict::Pass, "at {ms} ms");
        }
        assert_eq!(pie.state.allowance, T);
        let verdict = pie.judge(&frame(Duration::from_ms(150)), 60_000, true);
        assert_eq!(verdict, Verdict::Drop);

        for (state, calm) in [
            (state(0.0, 7_499, 7_499), true),
            (state(0.0, 7_500, 7_499), false),
            (state(0.0, 7_499, 7_500), false),
            (state(1e-9, 7_499, 7_499), false),
        ] {
            assert_eq!(state.is_calm(T), calm, "{state:?}");
        }
    }

    /// RFC 8033 §4.1: spared are a delay below half the target with a probability below 0.2, and a
    /// queue of two frames; at the numbers themselves frames are dropped, or are not.
    #[test]
    fn rfc8033_4_1_the_safeguards_keep_the_link_busy() {
        let two = u64::from(2 * FULL);
        for (probability, before_us, bytes, verdict) in [
            (0.199, 7_499, 60_000, Verdict::Pass),
            (0.2, 7_499, 60_000, Verdict::Drop),
            (0.199, 7_500, 60_000, Verdict::Drop),
            (0.2, 7_500, two, Verdict::Pass),
            (0.2, 7_500, two + 1, Verdict::Drop),
        ] {
            let mut pie = pie(rfc(), state(probability, before_us, before_us));
            pie.since_drop = 8.5;
            let found = pie.judge(&frame(T), bytes, true);
            assert_eq!(found, verdict, "{probability} {before_us} {bytes}");
        }
    }

    /// RFC 8033 §5.1: below mark_ecnth and not at it.
    #[test]
    fn rfc8033_5_1_marks_give_way_to_drops_at_the_threshold() {
        let config = || PieConfig {
            mark_below: 0.1,
            ..rfc()
        };
        for (probability, verdict) in [(0.099_9, Verdict::Mark), (0.1, Verdict::Drop)] {
            let mut pie = pie(config(), state(probability, 20_000, 20_000));
            pie.since_drop = 8.5;
            assert_eq!(pie.judge(&frame(T), 60_000, true), verdict);
            assert_eq!(pie.since_drop, 0.0);
        }
    }

    /// The share of frames that is dropped at a steady probability: none for ⌈0.85/p⌉ − 1 frames, then
    /// by luck, so that a drop comes after ⌈0.85/p⌉ − 1 + 1/p frames in the mean (RFC 8033 §5.4; what
    /// the 8.5 cut off, e^−7.65 of them, is neglected).
    fn share(p: f64) -> f64 {
        1.0 / ((0.85 / p).ceil() - 1.0 + 1.0 / p)
    }

    #[test]
    fn rfc8033_5_4_drops_are_neither_near_nor_far() {
        for p in [0.01, 0.03, 0.1, 0.3] {
            let mut pie = pie(rfc(), state(p, 20_000, 20_000));
            let (mut gaps, mut gap) = (Vec::new(), 0.0);
            for _ in 0..400_000 {
                gap += 1.0;
                if pie.judge(&frame(T), 60_000, true) == Verdict::Drop {
                    gaps.push(gap);
                    gap = 0.0;
                }
            }
            let least = gaps.iter().copied().fold(f64::MAX, f64::min);
            let most = gaps.iter().copied().fold(0.0, f64::max);
            assert!(
                least * p >= 0.85 - 1e-9 && most * p <= 8.5 + p,
                "{least} {most}"
            );
            let dropped = gaps.len() as f64 / 400_000.0;
            assert!((dropped / share(p) - 1.0).abs() < 0.03, "{p}: {dropped}");
        }
    }

    /// A frame that does not fit is the queue's to drop: no luck is drawn, and the count begins anew.
    #[test]
    fn what_does_not_fit_is_not_judged() {
        let mut pie = pie(rfc(), state(1.0, 20_000, 20_000));
        pie.since_drop = 3.0;
        assert_eq!(pie.judge(&frame(T), 60_000, false), Verdict::Pass);
        assert_eq!(pie.since_drop, 0.0);
        let (mut drawn, mut fresh) = (pie.draws, Draws::new(&site()));
        assert_eq!(drawn.uniform(&frame(T)), fresh.uniform(&frame(T)));
    }

    /// The controller as the appendices of RFC 8033 print it, with a timer.
    struct Printed {
        burst_allowance: Duration,
        drop_prob: f64,
        accu_prob: f64,
        qdelay_old: Duration,
        current_qdelay: Duration,
        draws: Draws,
    }

    impl Printed {
        fn enque(&mut self, config: &PieConfig, frame: &Frame, byte_length: u64) -> Verdict {
            let half = Duration::from_ps(config.target.as_ps() / 2);
            if self.drop_prob == 0.0 && self.current_qdelay < half && self.qdelay_old < half {
                self.burst_allowance = config.burst;
            }
            if self.burst_allowance == Duration::ZERO && self.drop_early(config, frame, byte_length)
            {
                self.accu_prob = 0.0;
                return Verdict::Drop;
            }
            Verdict::Pass
        }

        fn drop_early(&mut self, config: &PieConfig, frame: &Frame, byte_length: u64) -> bool {
            let half = Duration::from_ps(config.target.as_ps() / 2);
            if (self.qdelay_old < half && self.drop_prob < 0.2)
                || byte_length <= 2 * u64::from(FULL)
            {
                return false;
            }
            if self.drop_prob == 0.0 {
                self.accu_prob = 0.0;
            }
            self.accu_prob += self.drop_prob;
            if self.accu_prob < 0.85 {
                return false;
            }
            if self.accu_prob >= 8.5 {
                return true;
            }
            self.draws.uniform(frame) < self.drop_prob
        }

        fn calculate_drop_prob(&mut self, config: &PieConfig, byte_length: u64) {
            if byte_length == 0 {
                self.current_qdelay = Duration::ZERO;
            }
            let s = |d: Duration| d.as_ps() as f64;
            let mut p = config.alpha * ((s(self.current_qdelay) - s(config.target)) / 1e12)
                + config.beta * ((s(self.current_qdelay) - s(self.qdelay_old)) / 1e12);
            if self.drop_prob < 0.000001 {
                p /= 2048.0;
            } else if self.drop_prob < 0.00001 {
                p /= 512.0;
            } else if self.drop_prob < 0.0001 {
                p /= 128.0;
            } else if self.drop_prob < 0.001 {
                p /= 32.0;
            } else if self.drop_prob < 0.01 {
                p /= 8.0;
            } else if self.drop_prob < 0.1 {
                p /= 2.0;
            }
            if self.drop_prob >= 0.1 && p > 0.02 {
                p = 0.02;
            }
            self.drop_prob += p;
            if self.current_qdelay == Duration::ZERO && self.qdelay_old == Duration::ZERO {
                self.drop_prob *= 0.98;
            }
            self.drop_prob = self.drop_prob.clamp(0.0, 1.0);
            self.qdelay_old = self.current_qdelay;
            self.burst_allowance = self.burst_allowance.saturating_sub(config.update);
        }
    }

    /// A queue of full frames, each of which the link takes `service`, under both controllers.
    struct Both {
        lazy: Pie,
        printed: Printed,
        waiting: VecDeque<Time>,
        free: Time,
        tick: Time,
        service: Duration,
        dropped: u64,
        /// Delays of frames taken, in seconds.
        delays: Vec<f64>,
    }

    impl Both {
        fn new(config: PieConfig, service: Duration) -> Both {
            Both {
                lazy: Pie::new(config, &site()),
                printed: Printed {
                    burst_allowance: config.burst,
                    drop_prob: 0.0,
                    accu_prob: 0.0,
                    qdelay_old: Duration::ZERO,
                    current_qdelay: Duration::ZERO,
                    draws: Draws::new(&site()),
                },
                waiting: VecDeque::new(),
                free: Time::ZERO,
                tick: Time::ZERO + config.update,
                service,
                dropped: 0,
                delays: Vec::new(),
            }
        }

        fn bytes(&self) -> u64 {
            self.waiting.len() as u64 * u64::from(FULL)
        }

        fn take(&mut self, now: Time) {
            let Some(came) = self.waiting.pop_front() else {
                return;
            };
            self.lazy.sent(came, now);
            self.printed.current_qdelay = now.since(came);
            self.delays.push(now.since(came).as_secs_f64());
            self.free = now + self.service;
        }

        /// Everything before the arrivals at `now`: ends of transmission, then the timer.
        fn run(&mut self, now: Time) {
            loop {
                let due = match self.waiting.is_empty() {
                    true => Time::MAX,
                    false => self.free,
                };
                if due.min(self.tick) > now {
                    return;
                }
                if due <= self.tick {
                    self.take(due);
                    continue;
                }
                let bytes = self.bytes();
                self.printed.calculate_drop_prob(&self.lazy.config, bytes);
                self.tick += self.lazy.config.update;
            }
        }

        fn offer(&mut self, now: Time) {
            self.run(now);
            let arriving = frame(now.since(Time::ZERO));
            let verdict = self.lazy.judge(&arriving, self.bytes(), true);
            let printed = self
                .printed
                .enque(&self.lazy.config, &arriving, self.bytes());
            assert_eq!(verdict, printed, "at {now}");
            let (state, p) = (self.lazy.state, &self.printed);
            assert_eq!(
                state.probability.to_bits(),
                p.drop_prob.to_bits(),
                "at {now}"
            );
            assert_eq!(
                (
                    state.delay,
                    state.before,
                    state.allowance,
                    self.lazy.since_drop
                ),
                (
                    p.current_qdelay,
                    p.qdelay_old,
                    p.burst_allowance,
                    p.accu_prob
                ),
                "at {now}"
            );
            if verdict == Verdict::Drop {
                self.dropped += 1;
                return;
            }
            self.waiting.push_back(now);
            if self.free <= now {
                self.take(now);
            }
        }

        /// The link goes down: nothing that waits is sent.
        fn fall(&mut self, now: Time) {
            self.run(now - Duration::from_ps(1));
            if !self.waiting.is_empty() {
                self.lazy.emptied(now);
            }
            self.waiting.clear();
        }
    }

    /// Updates that are done when a frame comes or goes are those of a timer, to the bit: with arrivals
    /// and ends of transmission at the instants of updates, long idle times, and outages.
    #[test]
    fn updates_made_late_are_those_of_the_timer() {
        let mut dropped = 0;
        for seed in 0..40 {
            let luck = Key::new(seed).with("arrivals").stream();
            let scale = [1.0, 100.0, 10_000.0][seed as usize % 3];
            let config = PieConfig {
                alpha: 0.125 * scale,
                beta: 1.25 * scale,
                ..rfc()
            };
            let mut both = Both::new(config, T.times(1 + seed % 2 * 2));
            let mut now = Time::ZERO;
            for n in 0..3000 {
                let busy = n / 300 % 2 == 0;
                now += match luck.bits(2 * n) % 8 {
                    0 => Duration::ZERO,
                    1 | 2 => Duration::from_ps(T.as_ps() / 2),
                    3 => T,
                    4 if !busy => T.times(luck.bits(2 * n + 1) % 3000),
                    _ if !busy => T.times(4),
                    5 => Duration::from_ps(luck.bits(2 * n + 1) % T.as_ps()),
                    _ => Duration::from_ps(T.as_ps() / 3),
                };
                match luck.bits(2 * n + 1) % 200 {
                    0 => both.fall(now),
                    _ => both.offer(now),
                }
            }
            dropped += both.dropped;
        }
        assert!(dropped > 5000, "{dropped}");
    }

    /// 1/(1 − x) times what a link carries is offered: an integral comes to rest only when the delay is
    /// its target, and then x is dropped.
    #[test]
    fn an_overload_is_dropped_and_the_delay_is_the_target() {
        let service = Duration::from_us(1200); // 1500 bytes at 10 Mbit/s
        for excess in [0.02, 0.1, 0.3] {
            let mut both = Both::new(rfc(), service);
            let gap = Duration::from_ps((service.as_ps() as f64 * (1.0 - excess)) as u64);
            let mut settled = (0, 0);
            for n in 0..200_000_u64 {
                if n == 100_000 {
                    settled = (both.dropped, both.delays.len());
                }
                both.offer(Time::ZERO + gap.times(n));
            }
            let dropped = (both.dropped - settled.0) as f64 / 100_000.0;
            assert!((dropped / excess - 1.0).abs() < 0.02, "{excess}: {dropped}");
            let delays = &both.delays[settled.1..];
            let mean = delays.iter().sum::<f64>() / delays.len() as f64;
            assert!((mean / 0.015 - 1.0).abs() < 0.02, "{excess}: {mean}");
        }
    }
}
