//! What one connection gets through a token bucket that drops, round trip by round trip.
//!
//! A bucket has no queue, so nothing spreads a window's segments out: they come in clumps, and stay in
//! them, since acknowledgements come as segments did. Every rule here is one of the hosts or of the
//! bucket; no figure is fitted:
//!
//! - a clump of n segments that takes T passes while n ≤ b + rT; what the bucket lacks is lost;
//! - slow start doubles one clump until it is lost; its last flight is twice what passed, at the line's pace;
//! - a repair cuts the window as acknowledgements of what is out of order allow, which the receiver holds back
//!   ([`repair`]); where it holds none back, all clumps are cut alike, and the first takes longer by the time of a gathering;
//! - a segment acknowledged alone waits for the delayed-ACK timer, and is a clump of its own from then on;
//! - the window grows by whole segments, each behind the acknowledgement that completed it. What the
//!   algorithm asks for is asked anew for each clump, so small clumps behind a large one grow faster.

use crate::bic::{self, AckRatio};
use crate::cc::{Cc, Rules};
use crate::climb::Climb;
use crate::policer::{Dropping, Policer};
use crate::recovery;

mod clump;
mod repair;

use clump::Clump;
use repair::Repair;

/// Connections whose round trips differ, of which the mean is taken: which segment comes to be alone is a matter of luck, and round
/// trips that divide the delayed-ACK timer without a rest have fewer clumps here than in a simulation (docs/models/predict.md, policers).
const PATHS: u32 = 8;
/// Share of a round trip by which two of them differ.
const APART: f64 = 0.01;
/// Clumps closer than this are one, seconds.
const TOGETHER_S: f64 = 0.004;
/// Gatherings followed of one connection; what comes later is taken to go on as before.
const GATHERINGS_MOST: u64 = 400_000;
/// Longest super-frame of a receiver, bytes.
const GATHERED_MOST: f64 = 65_536.0;

/// How long a receiver gathers segments before it acknowledges them (a network card's GRO), seconds.
pub const GATHER_S: f64 = 50e-6;
/// Time after which a receiver acknowledges a single segment (Linux, at the start of a connection), seconds.
pub const DELAYED_ACK_S: f64 = 0.04;
/// Acknowledgements of what is out of order that one stands for at most (Linux, `tcp_comp_sack_nr`).
pub const COMPRESSED_SACKS: u32 = 44;
/// A mean is of so long after the first loss, seconds: single segments part from the others in minutes, and each gains.
pub const MEAN_OVER_S: f64 = 60.0;

/// Within how many times what is likely some 95 of 100 simulated paths lie: 359 of 381 (docs/models/predict.md, policers) at 100 Mbit/s
/// and 1 Gbit/s over 20 to 300 ms, CUBIC, Reno and H-TCP.
const SIMULATED: [f64; 2] = [0.6, 2.5];
/// The same where the bucket holds half of what is in flight at its rate: such clumps are cut seldom.
const SIMULATED_DEEP: [f64; 2] = [0.9, 1.4];
/// And the least where the bucket holds few segments, of which the reordering timer sets many apart.
const SIMULATED_FEW: f64 = 0.3;
/// So few are they, segments.
const FEW: f64 = 35.0;

/// One connection, a bucket, and the receiver's way of acknowledging.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clumped {
    /// The bucket; it counts `counted_bytes` for each segment.
    pub policer: Policer,
    /// Bytes that the bucket counts for a segment; above 0.
    pub counted_bytes: f64,
    /// Algorithm, with the rules of Linux where it has its own.
    pub cc: Cc,
    /// Round-trip time, seconds; above 0.
    pub rtt_s: f64,
    /// Initial window, segments; at least 1.
    pub initial: f64,
    /// How long the receiver gathers segments before it acknowledges them, seconds; 0: it acknowledges every second one.
    pub gather_s: f64,
    /// Time after which a single segment is acknowledged, seconds.
    pub delayed_ack_s: f64,
    /// Acknowledgements of what is out of order that one may stand for (`tcp_comp_sack_nr`); 0: each is sent.
    pub compressed_sacks: u32,
    /// What H-TCP keeps of its window.
    pub htcp: crate::htcp::Growth,
    /// What the bucket's losses do to it.
    pub dropping: Dropping,
}

/// The tokens of a bucket over time, in segments.
struct Bucket {
    dropping: Dropping,
    /// Segments a second.
    rate: f64,
    burst: f64,
    /// What it holds, and until when it has been filled.
    tokens: f64,
    filled_s: f64,
}

impl Bucket {
    fn full(dropping: Dropping, rate: f64, burst: f64, filled_s: f64) -> Bucket {
        Bucket {
            dropping,
            rate,
            burst,
            tokens: burst,
            filled_s,
        }
    }

    /// How many pass of a clump that comes from `at` on within `takes` seconds. What came in while an earlier clump was
    /// still coming is that clump's, and comes in once: a clump within another takes of what that one left.
    fn pass(&mut self, segments: f64, at: f64, takes: f64) -> f64 {
        let begins = libm::fmax(at, self.filled_s);
        let held = self.tokens + self.rate * (begins - self.filled_s);
        self.filled_s = libm::fmax(at + takes, begins);
        let meanwhile = self.filled_s - begins;
        let held = libm::fmin(held, self.burst);
        let (passing, left) = self.dropping.pass(segments, held, self.rate, meanwhile);
        self.tokens = libm::fmin(left, self.burst);
        passing
    }
}

/// The window of an algorithm, in whole segments, and since when it grows.
struct Window {
    cc: Cc,
    segments: u64,
    /// The largest before the last cut.
    top: f64,
    /// Where CUBIC levels off.
    origin: f64,
    /// Seconds from the cut to there.
    k_s: f64,
    since_s: f64,
    /// Acknowledged towards the next segment.
    counted: u64,
    rtt_s: f64,
    htcp: crate::htcp::Growth,
    /// BIC's.
    ratio: AckRatio,
}

impl Window {
    /// In slow start, with `segments` on the way.
    fn new(of: &Clumped, segments: f64, now_s: f64) -> Window {
        Window {
            cc: of.cc,
            segments: segments as u64,
            top: 0.0,
            origin: segments,
            k_s: 0.0,
            since_s: now_s,
            counted: 0,
            rtt_s: of.rtt_s,
            htcp: of.htcp,
            ratio: AckRatio::FIRST,
        }
    }

    fn climb(&self, top: f64) -> Climb {
        Climb {
            cc: self.cc,
            top,
            rtt_s: self.rtt_s,
            segments_per_ack: 1.0,
            htcp: self.htcp,
            rules: Rules::Document,
        }
    }

    /// Acknowledgements for the next segment, at `now`.
    fn for_one_more(&self, now: f64) -> u64 {
        let window = self.segments as f64;
        let since = now - self.since_s;
        let more = if self.cc == Cc::Cubic {
            // A round trip ahead, in whole segments; hardly anything where it has arrived.
            let off = since + self.rtt_s - self.k_s;
            let aim = libm::floor(self.origin + recovery::CUBIC_C * off * off * off);
            libm::fmax(aim - window, 0.01)
        } else {
            let round = libm::floor(since / self.rtt_s).clamp(0.0, 1e9) as u32;
            libm::fmax(self.climb(self.top).next(window, round) - window, 1e-6)
        };
        libm::floor(window / more).clamp(2.0, 1e15) as u64
    }

    /// Segments more that acknowledging `segments` of them allows.
    fn grown(&mut self, segments: u64, now: f64) -> u64 {
        let before = self.segments;
        let mut each = self.for_one_more(now);
        if self.cc == Cc::Bic {
            self.ratio.measure(segments);
            if self.segments as f64 > bic::LOW {
                each = self.ratio.divide(each);
            }
        }
        if self.counted >= each {
            self.counted = 0;
            self.segments += 1;
        }
        self.counted += segments;
        let more = self.counted / each;
        self.counted -= more * each;
        self.segments += more;
        self.segments - before
    }

    /// Lets a clump that is acknowledged at `at` grow, `most` segments at a time.
    fn grow(&mut self, clump: &mut Clump, most: u64, at: f64) {
        for n in &mut clump.gathered {
            let mut left = *n;
            while left > 0 {
                let acked = left.min(most);
                left -= acked;
                *n += self.grown(acked, at);
            }
        }
        clump.fold(most);
    }

    /// Cuts the window; the share that is left. `None` where no rule says.
    fn cut(&mut self, grows_from_s: f64) -> Option<f64> {
        let before = self.segments as f64;
        let left = libm::fmax(libm::floor(self.climb(before).start()?), 2.0);
        let share = recovery::CUBIC_BETA;
        // Fast convergence (RFC 9438 §4.7).
        self.origin = match before < self.top {
            true => before * (1.0 + share) / 2.0,
            false => before,
        };
        self.top = before;
        self.segments = left as u64;
        self.k_s = libm::cbrt(libm::fmax(self.origin - left, 0.0) / recovery::CUBIC_C);
        self.since_s = grows_from_s;
        Some(left / before)
    }
}

impl Clumped {
    /// CUBIC between Linux hosts of today with their defaults, over a round trip of `rtt_s` seconds.
    pub fn usual(policer: Policer, counted_bytes: f64, rtt_s: f64) -> Clumped {
        Clumped {
            policer,
            counted_bytes,
            cc: Cc::Cubic,
            rtt_s,
            initial: 10.0,
            gather_s: GATHER_S,
            delayed_ack_s: DELAYED_ACK_S,
            compressed_sacks: COMPRESSED_SACKS,
            htcp: crate::htcp::Growth::PAPER,
            dropping: Dropping::Frames,
        }
    }

    /// Segments a second that pass from the first loss, or `from_s` if that is later, to `until_s` after the start. The
    /// geometric mean over eight round trips within 3.5 per cent. `None` where no rule says how the algorithm climbs back.
    pub fn passing(&self, from_s: f64, until_s: f64) -> Option<f64> {
        let mut sum = 0.0;
        for path in 0..PATHS {
            let off = f64::from(path) - f64::from(PATHS - 1) / 2.0;
            let rtt_s = self.rtt_s * (1.0 + off * APART);
            let one = Clumped { rtt_s, ..*self }.of_one(from_s, until_s)?;
            sum += libm::log(libm::fmax(one, f64::MIN_POSITIVE));
        }
        Some(libm::exp(sum / f64::from(PATHS)))
    }

    /// Between how many times [`Clumped::passing`] and how many a path lies with 95 % confidence: how the segments of a window are
    /// spread over a round trip is a matter of luck.
    pub fn spread(&self) -> [f64; 2] {
        let pipe = self.policer.rate_bps * self.rtt_s / 8.0;
        if self.policer.burst_bytes >= 0.5 * pipe {
            return SIMULATED_DEEP;
        }
        let few = self.policer.burst_bytes < FEW * self.counted_bytes;
        let [low, high] = SIMULATED;
        [if few { SIMULATED_FEW } else { low }, high]
    }

    /// Segments that come before the first acknowledgement of a gathering.
    fn gathering(&self, slot_s: f64, segment_bytes: f64) -> u64 {
        if self.gather_s <= 0.0 {
            return 2;
        }
        let by_time = libm::floor(self.gather_s / slot_s) + 1.0;
        let by_size = libm::floor(GATHERED_MOST / segment_bytes);
        libm::fmax(libm::fmin(by_time, by_size), 2.0) as u64
    }

    fn of_one(&self, from_s: f64, until_s: f64) -> Option<f64> {
        let mut one = Followed::from_slow_start(self)?;
        let begin_s = libm::fmax(from_s, one.now_s - self.rtt_s);
        let mut through = 0.0;
        while one.now_s < until_s && one.visits < GATHERINGS_MOST {
            through += one.round(begin_s)?;
        }
        let until_s = libm::fmin(one.now_s, until_s);
        Some(through / libm::fmax(until_s - begin_s, self.rtt_s))
    }
}

/// A connection between two round trips.
struct Followed<'a> {
    of: &'a Clumped,
    window: Window,
    clumps: Vec<Clump>,
    bucket: Bucket,
    repair: Repair,
    /// Segments of one gathering.
    most: u64,
    slot_s: f64,
    /// What slow start's last flight takes of a round trip, seconds.
    first_s: f64,
    /// Begin of the next round trip, and until when a loss is still being repaired, seconds.
    now_s: f64,
    repaired_s: f64,
    /// Gatherings followed.
    visits: u64,
}

impl Followed<'_> {
    /// Behind the first loss: a handshake, half a round trip to the bucket, flights that double.
    fn from_slow_start(of: &Clumped) -> Option<Followed<'_>> {
        let rate = of.policer.rate_bps / 8.0 / of.counted_bytes;
        let burst = libm::fmax(of.policer.burst_bytes / of.counted_bytes, 1.0);
        let slot_s = of.counted_bytes * 8.0 / of.policer.arrival_bps;
        let most = of.gathering(slot_s, of.counted_bytes);
        let passes = |n: f64| of.dropping.pass(n, burst, rate, n * slot_s).0;
        let (mut now_s, mut flight) = (1.5 * of.rtt_s, of.initial);
        let pipe = libm::fmax(rate * of.rtt_s, 1.0);
        while passes(flight) >= flight && flight < pipe {
            now_s += of.rtt_s;
            flight *= 2.0;
        }
        let passed = libm::fmin(passes(flight), pipe);
        let first_s = 2.0 * passed * slot_s;
        let held_back = of.compressed_sacks > 0 && passed < flight;
        // The window still grows by what passes of the flight that loses.
        let top = if held_back { flight + passed } else { passed };
        let mut window = Window::new(of, top, now_s);
        let flying = Clump::new(0.0, window.segments, first_s, most);
        window.cut(now_s)?;
        let repair = Repair::new(of, most, slot_s);
        let clumps = if held_back {
            // The next flight, of twice what passed, is on its way: as much is acknowledged.
            let lost = flying.segments().saturating_sub((2.0 * passed) as u64);
            repair.of(vec![flying], 0, &[lost], window.segments)
        } else {
            vec![Clump::new(0.0, window.segments, first_s, most)]
        };
        Some(Followed {
            of,
            window,
            clumps,
            bucket: Bucket::full(of.dropping, rate, burst, now_s),
            repair,
            most,
            slot_s,
            first_s,
            now_s: now_s + of.rtt_s,
            repaired_s: now_s + of.rtt_s,
            visits: 0,
        })
    }

    /// One round trip; the segments that pass from `begin_s` on.
    fn round(&mut self, begin_s: f64) -> Option<f64> {
        let (mut through, mut hole) = (0.0, None);
        let mut lost = Vec::with_capacity(self.clumps.len());
        for i in 0..self.clumps.len() {
            let clump = &mut self.clumps[i];
            let at = self.now_s + clump.after_s;
            self.visits += clump.gathered.len() as u64 + 1;
            if at > self.repaired_s {
                self.window.grow(clump, self.most, at);
            }
            let n = clump.segments() as f64;
            // No segment waits longer than all before it can be gathered.
            let longest = libm::fmax(self.first_s, n * (self.slot_s + self.of.gather_s));
            let spread = libm::fmin(clump.spread_s, longest);
            let takes = libm::fmin(libm::fmax(spread, n * self.slot_s), self.of.rtt_s);
            let passing = self.bucket.pass(n, at, takes);
            if at >= begin_s {
                through += passing;
            }
            lost.push(libm::floor(n - passing) as u64);
            if n <= passing || at <= self.repaired_s {
                continue;
            }
            // Seen a round trip later, repaired after another.
            self.repaired_s = at + 2.0 * self.of.rtt_s;
            let share = self.window.cut(self.repaired_s)?;
            if self.of.compressed_sacks > 0 {
                lost.fill(0);
                lost[i] = libm::fmax(n - passing, 1.0) as u64;
                hole = Some(i);
            } else {
                self.clumps.iter_mut().for_each(|c| c.cut(share));
                self.clumps[0].spread_s += self.of.gather_s;
            }
        }
        if let Some(hole) = hole {
            let clumps = std::mem::take(&mut self.clumps);
            self.clumps = self.repair.of(clumps, hole, &lost, self.window.segments);
        }
        self.of.part(&mut self.clumps, self.most);
        self.now_s += self.of.rtt_s;
        Some(through)
    }
}

impl Clumped {
    /// Single segments leave their clumps for where their acknowledgements will come.
    fn part(&self, clumps: &mut Vec<Clump>, most: u64) {
        let alone = clumps.iter_mut().filter_map(|c| {
            let after_s = c.after_s;
            c.alone(self.gather_s <= 0.0)
                .then(|| libm::fmod(after_s + self.delayed_ack_s, self.rtt_s))
        });
        for after_s in alone.collect::<Vec<_>>() {
            let apart = |c: &Clump| {
                let apart = libm::fabs(c.after_s - after_s);
                libm::fmin(apart, self.rtt_s - apart)
            };
            let nearest = clumps
                .iter_mut()
                .min_by(|a, b| apart(a).total_cmp(&apart(b)));
            match nearest.filter(|c| apart(c) < TOGETHER_S) {
                Some(clump) => clump.add(most),
                None => clumps.push(Clump::new(after_s, 1, 0.0, most)),
            }
        }
        clumps.retain(|c| !c.gathered.is_empty());
        clumps.sort_by(|a, b| a.after_s.total_cmp(&b.after_s));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1 Gbit/s with 62.5 kB, segments of 1448 bytes at 10 Gbit/s, 120 ms.
    fn gigabit(burst_bytes: f64, gather_s: f64) -> Clumped {
        Clumped {
            policer: Policer {
                rate_bps: 1e9,
                burst_bytes,
                arrival_bps: 10e9 * 1514.0 / 1538.0,
            },
            counted_bytes: 1514.0,
            cc: Cc::Cubic,
            rtt_s: 0.12,
            initial: 10.0,
            gather_s,
            delayed_ack_s: 0.04,
            compressed_sacks: 44,
            htcp: crate::htcp::Growth::PAPER,
            dropping: Dropping::Frames,
        }
    }

    fn mbps(of: Clumped) -> f64 {
        of.passing(0.0, 60.0).expect("a law") * 1448.0 * 8.0 / 1e6
    }

    /// Means of 20 simulated paths whose round trips differ by up to 1 ms (`docs/models/predict.md`).
    #[test]
    fn the_mean_of_twenty_simulated_paths_is_met_within_fifteen_per_cent() {
        for (burst, gather, compressed_sacks, simulated) in [
            (62_500.0, 50e-6, 44, 7.1),
            (250_000.0, 50e-6, 44, 28.7),
            (1_250_000.0, 50e-6, 44, 92.9),
            (12_500_000.0, 50e-6, 44, 821.0),
            (62_500.0, 0.0, 0, 9.49),
            (250_000.0, 0.0, 0, 26.92),
            (1_250_000.0, 0.0, 0, 96.39),
        ] {
            let got = mbps(Clumped {
                compressed_sacks,
                ..gigabit(burst, gather)
            });
            let off = got / simulated;
            assert!((0.85..1.15).contains(&off), "{burst} {gather}: {got}");
        }
    }

    /// At 20, 40 and 80 ms the delayed-ACK timer is a whole number of round trips, or half of one. A path there had half of what one
    /// that is 2 ms longer has.
    #[test]
    fn a_round_trip_of_one_per_cent_more_does_not_jump() {
        let at = |rate_bps: f64, rtt_ms: f64| {
            let usual = gigabit(125_000.0 * rate_bps / 5e8, 50e-6);
            mbps(Clumped {
                policer: Policer {
                    rate_bps,
                    arrival_bps: rate_bps * 10.0,
                    ..usual.policer
                },
                rtt_s: rtt_ms / 1e3,
                ..usual
            })
        };
        for rate_bps in [1e8, 5e8, 1e9] {
            for around in [20.0, 40.0, 80.0, 120.0] {
                let mut before = at(rate_bps, around * 0.92);
                for percent in 93..=108 {
                    let now = at(rate_bps, around * f64::from(percent) / 100.0);
                    let step = now / before;
                    assert!(
                        (0.75..1.34).contains(&step),
                        "{rate_bps} {around} {percent}: {before} to {now}"
                    );
                    before = now;
                }
            }
        }
    }

    #[test]
    fn no_more_passes_than_the_bucket_is_filled_with() {
        for burst in [2000.0, 62_500.0, 1e6, 15e6, 1e9] {
            for rtt_s in [0.001, 0.02, 0.12, 0.6] {
                for cc in [Cc::Cubic, Cc::Reno, Cc::Htcp, Cc::Scalable, Cc::Westwood] {
                    let of = Clumped {
                        rtt_s,
                        cc,
                        ..gigabit(burst, 50e-6)
                    };
                    let segments = of.passing(5.0, 30.0).expect("a law");
                    // The burst, once, and what comes in.
                    let most = 1e9 / 8.0 / 1514.0 + burst / 1514.0 / 20.0;
                    assert!(
                        segments > 0.0 && segments <= most * 1.01,
                        "{of:?} {segments}"
                    );
                }
            }
        }
    }

    /// A clump of ten that loses all but what came in, one that comes before it is over, and one after both: what came in
    /// within 2 s passes, and no more.
    #[test]
    fn a_clump_within_another_neither_fills_the_bucket_again_nor_empties_it() {
        let mut bucket = Bucket::full(Dropping::Frames, 1.0, 5.0, 0.0);
        assert_eq!(bucket.pass(10.0, 0.0, 2.0), 7.0);
        assert_eq!(bucket.pass(1.0, 0.5, 0.1), 0.0);
        assert_eq!((bucket.tokens, bucket.filled_s), (0.0, 2.0));
        assert_eq!(bucket.pass(10.0, 3.0, 0.0), 1.0);
        // What a larger one left is left to the small one.
        assert_eq!(bucket.pass(0.5, 8.0, 2.0), 0.5);
        assert_eq!(bucket.pass(1.0, 8.5, 0.1), 1.0);
        assert_eq!((bucket.tokens, bucket.filled_s), (4.0, 10.0));
    }

    proptest::proptest! {
        /// Whatever clumps come, time alone takes no token, and none is filled twice.
        #[test]
        fn time_takes_no_token_and_fills_none_twice(
            clumps in proptest::collection::vec((0.0_f64..40.0, 0.0_f64..3.0, 0.0_f64..2.0), 1..60),
            burst in 1.0_f64..30.0, rate in 0.1_f64..20.0,
        ) {
            let mut bucket = Bucket::full(Dropping::Frames, rate, burst, 0.0);
            let (mut at, mut through) = (0.0, 0.0);
            for (n, later, takes) in clumps {
                at += later;
                let before = bucket.tokens;
                let passing = bucket.pass(n, at, takes);
                through += passing;
                let filled = burst + rate * bucket.filled_s;
                proptest::prop_assert!((0.0..=n).contains(&passing));
                proptest::prop_assert!((0.0..=burst).contains(&bucket.tokens));
                proptest::prop_assert!(bucket.tokens + passing >= before - 1e-9);
                proptest::prop_assert!(through + bucket.tokens <= filled * (1.0 + 1e-12) + 1e-9);
            }
        }
    }

    #[test]
    fn what_follows_no_window_has_no_law() {
        for cc in [Cc::Bbr, Cc::Bbr3, Cc::Fast] {
            let of = Clumped {
                cc,
                ..gigabit(62_500.0, 50e-6)
            };
            assert_eq!(of.passing(0.0, 60.0), None);
        }
    }
}
