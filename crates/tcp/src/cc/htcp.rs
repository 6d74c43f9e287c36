//! H-TCP (Leith and Shorten, "H-TCP: TCP for high-speed and long-distance networks", PFLDnet 2004;
//! draft-leith-tcp-htcp-06): steps that grow with the time since the last congestion, cuts by how
//! full the queue was.

use farpath_units::{Duration, Time};

use super::{Ack, Control, Loss, Seen, Setup, Steer, Watch};
use crate::flavour::Flavour;

/// Δ_L in seconds: so long after congestion the step is Reno's.
const RENO_FOR: f64 = 1.0;
/// β stays within these bounds.
const LEAST_BETA: f64 = 0.5;
const LARGEST_BETA: f64 = 0.8;
/// Linux keeps α and β in so many parts of one, and 0.8 as 102 of them.
const PARTS: f64 = 128.0;
const LARGEST_PARTS: f64 = 102.0;
/// A change of the throughput by more than this part makes the next cut a half.
const CHANGE: f64 = 0.2;
/// Linux scales steps by the round trip over this, so that flows of unequal round trips share alike;
/// the factor stays within the bounds after it.
const SCALE_RTT: Duration = Duration::from_ms(100);
const LEAST_SCALE: f64 = 0.1;
const LARGEST_SCALE: f64 = 2.0;
/// Linux holds the largest round trip against one sample that is this much longer.
const RTT_STEP: Duration = Duration::from_ms(20);
/// Linux sets β by round trips longer than this only.
const LEAST_RTT: Duration = Duration::from_ms(10);
/// Linux lets the largest round trip fade by this part at each congestion.
const FADE: f64 = 0.95;

/// f(Δ): segments a round trip, so many seconds after the last congestion, were β a half.
fn pace(since: f64) -> f64 {
    let x = since - RENO_FOR;
    if x <= 0.0 {
        1.0
    } else {
        1.0 + 10.0 * x + (x / 2.0) * (x / 2.0)
    }
}

/// H-TCP's state.
#[derive(Clone, Debug)]
pub(crate) struct Htcp {
    flavour: Flavour,
    beta: f64,
    /// The last congestion.
    congestion: Time,
    rtt_min: Duration,
    rtt_max: Duration,
    /// Bytes delivered since `measured`, towards the next sample of the throughput.
    delivered: u64,
    measured: Time,
    /// Throughput in bytes a second: smoothed, its largest value since the last congestion, and the
    /// largest value before that.
    rate: f64,
    rate_max: f64,
    rate_before: f64,
    /// Whether β may follow the queue at the next congestion (Linux's modeswitch).
    adaptive: bool,
    repairing: bool,
    /// `congestion`, `rtt_max` and `rate_before` before the last reduction.
    before: (Time, Duration, f64),
    /// By the kernel's rules: segments acknowledged towards the next one (`snd_cwnd_cnt`), and the α they are
    /// multiplied by, of the last growth or cut.
    count: f64,
    alpha: f64,
}

impl Htcp {
    /// Segments to add in a round trip: α = 2(1−β)f(Δ).
    fn step(&self, now: Time) -> f64 {
        let since = now.since(self.congestion).as_secs_f64();
        match self.flavour {
            Flavour::Rfc => 2.0 * (1.0 - self.beta) * pace(since),
            Flavour::Linux => {
                // The kernel keeps f whole and α in 128ths.
                let mut f = pace(since).floor();
                if self.rtt_min != Duration::ZERO {
                    let scale = self.rtt_min.as_ps() as f64 / SCALE_RTT.as_ps() as f64;
                    f = (f * scale.clamp(LEAST_SCALE, LARGEST_SCALE))
                        .floor()
                        .max(1.0);
                }
                let alpha = (2.0 * f * (PARTS - (self.beta * PARTS).floor())).floor();
                (alpha / PARTS).max(1.0 / PARTS)
            }
        }
    }

    fn note_rtt(&mut self, rtt: Duration, open: bool) {
        if self.rtt_min == Duration::ZERO || rtt < self.rtt_min {
            self.rtt_min = rtt;
        }
        if self.rtt_max < self.rtt_min {
            self.rtt_max = self.rtt_min;
        }
        let believed = match self.flavour {
            Flavour::Rfc => true,
            Flavour::Linux => open && rtt <= self.rtt_max + RTT_STEP,
        };
        if believed && rtt > self.rtt_max {
            self.rtt_max = rtt;
        }
    }

    /// A sample of the throughput for every window of data that took a round trip at least.
    fn note_throughput(&mut self, seen: &Seen) {
        self.delivered += seen.delivered;
        let span = seen.now.since(self.measured);
        if self.rtt_min == Duration::ZERO
            || (self.delivered as f64) < seen.cwnd - seen.segment
            || span < self.rtt_min
        {
            return;
        }
        let sample = self.delivered as f64 / span.as_secs_f64();
        if seen.now.since(self.congestion) <= self.rtt_min.times(3) {
            // Just after congestion: begin anew.
            self.rate = sample;
            self.rate_max = sample;
        } else {
            self.rate = (3.0 * self.rate + sample) / 4.0;
            self.rate_max = self.rate_max.max(self.rate);
        }
        self.delivered = 0;
        self.measured = seen.now;
    }

    /// β for the congestion at hand.
    fn choose_beta(&mut self) {
        // The relative change in floating point: whole numbers hide every change under 100 %.
        let changed = (self.rate_max - self.rate_before).abs() > CHANGE * self.rate_before;
        self.rate_before = self.rate_max;
        let ratio = self.rtt_min.as_secs_f64() / self.rtt_max.as_secs_f64().max(1e-12);
        let by_queue = match self.flavour {
            Flavour::Rfc => !changed && self.rtt_max > Duration::ZERO,
            Flavour::Linux => {
                let armed = self.adaptive && self.rtt_min > LEAST_RTT;
                self.adaptive = !changed;
                !changed && armed
            }
        };
        self.beta = match (by_queue, self.flavour) {
            (false, _) => LEAST_BETA,
            (true, Flavour::Rfc) => ratio.clamp(LEAST_BETA, LARGEST_BETA),
            (true, Flavour::Linux) => {
                let parts = (ratio * PARTS).floor();
                parts.clamp(LEAST_BETA * PARTS, LARGEST_PARTS) / PARTS
            }
        };
    }

    /// One segment at most for an acknowledgement. The one that adds it is not counted, and what was counted beyond it is
    /// forgotten (`htcp_cong_avoid`).
    fn count_ack(&mut self, ack: &Ack) -> f64 {
        let w = (ack.cwnd / ack.segment).floor();
        if (self.count * self.alpha).floor() < w {
            self.count += (ack.acked * ack.per_byte).round().max(1.0);
            return 0.0;
        }
        self.count = 0.0;
        self.alpha = self.step(ack.now);
        ack.segment
    }
}

impl Control for Htcp {
    fn new(setup: &Setup) -> Htcp {
        Htcp {
            flavour: setup.flavour,
            beta: LEAST_BETA,
            congestion: Time::ZERO,
            rtt_min: Duration::ZERO,
            rtt_max: Duration::ZERO,
            delivered: 0,
            measured: Time::ZERO,
            rate: 0.0,
            rate_max: 0.0,
            rate_before: 0.0,
            adaptive: false,
            repairing: false,
            before: (Time::ZERO, Duration::ZERO, 0.0),
            count: 0.0,
            alpha: 1.0,
        }
    }

    fn increase(&mut self, ack: &Ack) -> f64 {
        match self.flavour {
            Flavour::Rfc => self.step(ack.now) * ack.acked / ack.cwnd * ack.segment,
            Flavour::Linux => self.count_ack(ack),
        }
    }

    fn reduce(&mut self, loss: &Loss) -> f64 {
        self.before = (self.congestion, self.rtt_max, self.rate_before);
        self.choose_beta();
        self.count = 0.0;
        // The kernel works it out before the epoch ends, and again with the first segment added.
        self.alpha = self.step(loss.now);
        self.congestion = loss.now;
        self.repairing = true;
        match self.flavour {
            // RTT_max is of the epoch that ended.
            Flavour::Rfc => self.rtt_max = self.rtt_min,
            Flavour::Linux => {
                let above = self.rtt_max.saturating_sub(self.rtt_min).as_secs_f64();
                self.rtt_max = self.rtt_min + Duration::from_secs_f64(FADE * above);
            }
        }
        match self.flavour {
            Flavour::Rfc => loss.window * self.beta,
            Flavour::Linux => {
                let w = (loss.window / loss.segment).floor();
                (w * self.beta).floor() * loss.segment
            }
        }
    }

    /// The epoch goes on as if nothing had been.
    fn undo(&mut self) {
        (self.congestion, self.rtt_max, self.rate_before) = self.before;
        self.repairing = false;
    }

    fn watches(&self) -> Watch {
        Watch::Acks
    }

    fn watch(&mut self, seen: &Seen) -> Steer {
        if let Some(rtt) = seen.rtt {
            self.note_rtt(rtt, seen.open);
        }
        if !seen.open {
            self.delivered = 0;
            self.measured = seen.now;
        } else {
            if self.repairing {
                self.repairing = false;
                if self.flavour == Flavour::Linux {
                    self.congestion = seen.now;
                }
            }
            self.note_throughput(seen);
        }
        Steer::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::tests::{ack_at, loss_at, seen, setup};

    fn at(s: f64) -> Time {
        Time::ZERO + Duration::from_secs_f64(s)
    }

    fn htcp(flavour: Flavour, rtt_min_ms: u64, rtt_max_ms: u64) -> Htcp {
        let mut htcp = Htcp::new(&setup(flavour));
        htcp.rtt_min = Duration::from_ms(rtt_min_ms);
        htcp.rtt_max = Duration::from_ms(rtt_max_ms);
        htcp
    }

    /// draft-leith-tcp-htcp-06: f = 1 + 10(Δ−1) + ((Δ−1)/2)², not 0.5(Δ−1)².
    #[test]
    fn the_step_grows_with_the_time_since_congestion() {
        let htcp = htcp(Flavour::Rfc, 100, 100);
        for (since, step) in [
            (0.5, 1.0),
            (1.0, 1.0),
            (2.0, 11.25),
            (3.0, 22.0),
            (11.0, 126.0),
        ] {
            assert!((htcp.step(at(since)) - step).abs() < 1e-9, "{since} s");
        }
    }

    /// Linux multiplies f by RTT/100 ms within 0.1 and 2.
    #[test]
    fn linux_scales_the_step_by_the_round_trip() {
        for (rtt, step) in [(100, 22.0), (120, 26.0), (200, 44.0), (400, 44.0), (5, 2.0)] {
            let htcp = htcp(Flavour::Linux, rtt, rtt);
            assert_eq!(htcp.step(at(3.0)), step, "{rtt} ms");
        }
    }

    #[test]
    fn beta_follows_the_queue_only_while_the_throughput_is_steady() {
        for (before, now, rtt_max, beta) in [
            (100.0, 110.0, 150, 2.0 / 3.0),
            (100.0, 110.0, 101, 0.8),
            (100.0, 110.0, 400, 0.5),
            // More by half is a change: whole numbers would have called it none, or all one.
            (100.0, 150.0, 150, 0.5),
            (100.0, 79.0, 150, 0.5),
            (0.0, 100.0, 150, 0.5),
        ] {
            let mut htcp = htcp(Flavour::Rfc, 100, rtt_max);
            (htcp.rate_before, htcp.rate_max) = (before, now);
            let left = htcp.reduce(&loss_at(at(5.0), 1000.0));
            assert!(
                (left - 1000.0 * beta).abs() < 1e-9,
                "{before} {now}: {left}"
            );
        }
    }

    #[test]
    fn linux_needs_two_steady_congestions_before_beta_follows_the_queue() {
        let mut htcp = htcp(Flavour::Linux, 100, 150);
        htcp.rate_max = 100.0;
        assert_eq!(htcp.reduce(&loss_at(at(1.0), 100.0)), 50.0); // the first: a change from nothing
        htcp.rtt_max = Duration::from_ms(150);
        assert_eq!(htcp.reduce(&loss_at(at(2.0), 100.0)), 50.0); // steady, which arms it
        htcp.rtt_max = Duration::from_ms(150);
        let left = htcp.reduce(&loss_at(at(3.0), 100.0));
        // 85/128 of it, of which the kernel takes the floor.
        assert_eq!(left, 66.0);
        // The memory of the longest round trip fades by 5 %.
        assert_eq!(htcp.rtt_max, Duration::from_us(147_500));
        htcp.rate_max = 200.0;
        assert_eq!(htcp.reduce(&loss_at(at(4.0), 100.0)), 50.0);
    }

    /// The window 12 s after the start from 1000 segments on 100 ms, with one acknowledgement for every `each` of them.
    fn after_12_s(each: f64) -> f64 {
        let mut htcp = htcp(Flavour::Linux, 100, 100);
        let (mut w, mut rest, mut now) = (1000.0, 0.0, 0.15);
        while now < 12.1 {
            let due: f64 = w + rest;
            let acks = (due / each).floor();
            rest = due - acks * each;
            for n in 0..acks as u64 {
                let when = at(now + 0.1 * n as f64 / acks);
                w += htcp.increase(&ack_at(when, w, each));
            }
            now += 0.1;
        }
        w
    }

    /// `htcp_cong_avoid` followed by itself. Counted by segments, all were about 8090.
    #[test]
    fn linux_adds_one_segment_at_most_for_an_acknowledgement() {
        for (each, window) in [(1.0, 8137.0), (2.0, 7910.0), (39.0, 3500.0)] {
            let w = after_12_s(each);
            assert!((w / window - 1.0).abs() < 0.01, "{each}: {w}");
        }
        // Where α is less than the acknowledgements of half a round trip it is what grows.
        let mut htcp = htcp(Flavour::Linux, 100, 100);
        let added: f64 = (0..1010)
            .map(|_| htcp.increase(&ack_at(at(0.5), 1000.0, 1.0)))
            .sum();
        assert_eq!(added, 1.0);
    }

    #[test]
    fn the_longest_round_trip_rises_by_20_ms_a_sample_in_linux() {
        for (flavour, longest) in [(Flavour::Rfc, 300), (Flavour::Linux, 100)] {
            let mut htcp = Htcp::new(&setup(flavour));
            htcp.watch(&seen(at(0.0), Duration::from_ms(100), 0, 10.0, 1.0));
            htcp.watch(&seen(at(0.1), Duration::from_ms(300), 1, 10.0, 1.0));
            assert_eq!(htcp.rtt_max, Duration::from_ms(longest));
        }
    }

    /// One loss at W: seconds until W is back, by the fluid sum (1/R)∫f with β a half; own
    /// calculation, rates in Gbit/s, round trips in ms and segments of the pipe.
    #[test]
    fn recovery_of_long_paths() {
        for (w, rtt_s, seconds) in [
            (10_274.0, 0.12, 11.28),
            (1674.0, 0.12, 5.28),
            (15_411.0, 0.18, 16.02),
        ] {
            let mut htcp = Htcp::new(&setup(Flavour::Rfc));
            let mut cwnd = htcp.reduce(&loss_at(Time::ZERO, w));
            assert_eq!(cwnd, w / 2.0);
            let mut now = 0.0;
            while cwnd < w {
                cwnd += htcp.increase(&ack_at(at(now), cwnd, cwnd));
                now += rtt_s;
            }
            assert!(
                (now - seconds).abs() <= 2.0 * rtt_s,
                "{w}: {now} for {seconds}"
            );
        }
    }
}
