//! What weighted round robin gives each queue, and how long a queue waits.
//!
//! A queue may send while its credit is positive; the packet that uses it up goes out whole. Either
//! the overshoot is charged to the next visit (*carried*: shares are those of the credits), or
//! forgotten (*cleared*: a queue sends more than its credit, and the more so the larger its packets).

use farpath_predict::clumps::{Clumped, MEAN_OVER_S};
use farpath_predict::policer::Policer;
use farpath_predict::{PathInput, path};
use farpath_units::{Duration, Rate, Size};

use super::{FULL_FRAME_BYTES, Port};

/// What becomes of the bytes a queue sent beyond its credit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overshoot {
    /// Charged to its next visit.
    Carried,
    /// Forgotten.
    Cleared,
}

/// Packet sizes of a queue, each with its part of the packets.
#[derive(Clone, Debug, PartialEq)]
pub struct Mix(Vec<(u64, f64)>);

/// Credits up to this many bytes are computed exactly where sizes are mixed.
const EXACT: u64 = 1 << 17;

impl Mix {
    /// Packets of one size.
    pub fn of(size: Size) -> Mix {
        Mix(vec![(size.as_bytes().max(1), 1.0)])
    }

    /// Packets of several sizes; parts are made to add up to 1. `None` without a positive part.
    pub fn new(parts: &[(Size, f64)]) -> Option<Mix> {
        let good: Vec<(u64, f64)> = parts
            .iter()
            .filter(|(s, p)| *p > 0.0 && p.is_finite() && s.as_bytes() > 0)
            .map(|(s, p)| (s.as_bytes(), *p))
            .collect();
        let sum: f64 = good.iter().map(|(_, p)| p).sum();
        (sum > 0.0 && sum.is_finite())
            .then(|| Mix(good.into_iter().map(|(s, p)| (s, p / sum)).collect()))
    }

    fn mean(&self) -> f64 {
        self.0.iter().map(|(s, p)| *s as f64 * p).sum()
    }

    fn mean_square(&self) -> f64 {
        self.0
            .iter()
            .map(|(s, p)| (*s as f64) * (*s as f64) * p)
            .sum()
    }

    /// Mean bytes sent in a visit with this credit.
    ///
    /// With overshoot cleared: whole packets until the credit is gone. One size: ⌈c/L⌉·L. Mixed
    /// sizes: E\[N\]·E\[L\] with E\[N\] from the renewal equation, exact to 128 KiB of credit; beyond,
    /// c + E\[L²\]/2E\[L\], which it tends to.
    pub fn sent(&self, credit: Size, overshoot: Overshoot) -> f64 {
        let c = credit.as_bytes();
        match (overshoot, self.0.as_slice()) {
            (Overshoot::Carried, _) => c as f64,
            (Overshoot::Cleared, [(size, _)]) => (c.div_ceil(*size) * size) as f64,
            (Overshoot::Cleared, _) if c > EXACT => {
                c as f64 + self.mean_square() / (2.0 * self.mean())
            }
            (Overshoot::Cleared, parts) => {
                // packets[x]: packets sent while x bytes of credit are left, counted from the end.
                let mut packets = vec![0.0; c as usize + 1];
                for x in 1..=c {
                    let after: f64 = parts
                        .iter()
                        .filter(|(s, _)| *s < x)
                        .map(|(s, p)| p * packets[(x - s) as usize])
                        .sum();
                    packets[x as usize] = 1.0 + after;
                }
                packets[c as usize] * self.mean()
            }
        }
    }
}

/// The share of each queue, of bytes, when all have something to send. Queues beyond the shorter of
/// the two lists are left out.
pub fn shares(credits: &[Size], mixes: &[Mix], overshoot: Overshoot) -> Vec<f64> {
    let sent: Vec<f64> = credits
        .iter()
        .zip(mixes)
        .map(|(c, m)| m.sent(*c, overshoot))
        .collect();
    let sum: f64 = sent.iter().sum();
    sent.iter()
        .map(|s| if sum > 0.0 { s / sum } else { 0.0 })
        .collect()
}

/// Least and greatest share of queue `queue` over both treatments of overshoot, and largest and
/// smallest packets on either side.
pub fn share_bounds(credits: &[Size], queue: usize, largest: Size) -> (f64, f64) {
    let small = Size::from_bytes(64);
    let mut bounds = (1.0_f64, 0.0_f64);
    for (own, other) in [(small, largest), (largest, small), (largest, largest)] {
        let mixes: Vec<Mix> = (0..credits.len())
            .map(|q| Mix::of(if q == queue { own } else { other }))
            .collect();
        for overshoot in [Overshoot::Carried, Overshoot::Cleared] {
            let share = shares(credits, &mixes, overshoot)
                .get(queue)
                .copied()
                .unwrap_or(0.0);
            bounds = (bounds.0.min(share), bounds.1.max(share));
        }
    }
    bounds
}

/// The longest a packet at the head of queue `queue` waits for its turn when all others are full:
/// every other weighted queue sends its credit and a packet of overshoot. The strict queue is left
/// out: it may send for ever.
pub fn longest_wait(port: &Port, queue: u8, rate: Rate) -> Duration {
    let frame = u64::from(port.mtu) + super::port::FRAME;
    let others = port
        .weighted()
        .filter(|q| q.number != queue)
        .map(|q| q.credit.as_bytes() + frame - 1)
        .sum();
    rate.time_for(Size::from_bytes(others))
}

const FULL_FRAME: f64 = FULL_FRAME_BYTES as f64;
/// Part of an Ethernet line's time that those bytes take: preamble, FCS and gap are 24 more (IEEE 802.3 §3, §4).
const COUNTED: f64 = FULL_FRAME / (FULL_FRAME + 24.0);

/// Payload of such a frame behind IPv4 and TCP with timestamps, bytes.
const PAYLOAD: f64 = 1448.0;

/// The payload of full frames that a policer of this rate lets through, as it counts them.
pub(crate) fn payload_of(rate: Rate) -> Rate {
    let bps = rate.as_bps() as f64 * PAYLOAD / FULL_FRAME;
    Rate::from_bps(bps as u64).unwrap_or(rate)
}

/// The payload one TCP connection gets through a policer, as forecasts of paths have it: CUBIC between current Linux hosts,
/// the mean from its first loss to the end of the first minute. Where the line is not known, the frames of a burst come at once. `None`
/// where no full frame passes.
pub fn policed_tcp(rate: Rate, burst: Size, line: Option<Rate>, rtt: Duration) -> Option<Rate> {
    if (burst.as_bytes() as f64) < FULL_FRAME {
        return None;
    }
    let one = clumped(rate, burst, line, rtt);
    if one.policer.passes_all(FULL_FRAME) {
        return Some(payload_of(rate));
    }
    let segments = one.passing(0.0, MEAN_OVER_S)?;
    let bps = (segments * FULL_FRAME * 8.0).min(one.policer.rate_bps);
    Rate::from_bps(bps as u64).map(payload_of)
}

/// Between what 95 of 100 simulated paths lie of which [`policed_tcp`] has `got`, as `predict path` has it; `None` where the policer
/// drops nothing.
pub(crate) fn policed_range(
    got: Rate,
    (rate, burst, line): (Rate, Size, Option<Rate>),
    rtt: Duration,
) -> Option<(Rate, Rate)> {
    let one = clumped(rate, burst, line, rtt);
    if one.policer.passes_all(FULL_FRAME) {
        return None;
    }
    let all = payload_of(rate).as_bps() as f64;
    let times = |factor: f64| Rate::from_bps((got.as_bps() as f64 * factor).min(all) as u64);
    let [low, high] = one.spread();
    Some((times(low)?, times(high)?))
}

/// One connection of full frames before a policer.
fn clumped(rate: Rate, burst: Size, line: Option<Rate>, rtt: Duration) -> Clumped {
    let policer = Policer {
        rate_bps: rate.as_bps() as f64,
        burst_bytes: burst.as_bytes() as f64,
        arrival_bps: line.map_or(f64::INFINITY, |line| line.as_bps() as f64 * COUNTED),
    };
    Clumped::usual(policer, FULL_FRAME, rtt.as_secs_f64().max(1e-6))
}

/// What a queue leaves one TCP connection of CUBIC that loses whenever it is full.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Queued {
    /// Payload, long after its start.
    pub(crate) gets: Rate,
    /// The window at which slow start overflows the queue, bytes of payload; `None` where it fills the path before.
    pub(crate) overflows: Option<Size>,
    /// The queue that keeps the line busy after a loss, bytes of frames.
    pub(crate) fills: Size,
}

impl Queued {
    /// What the connection gets at most, for people.
    pub(crate) fn words(&self) -> String {
        let start = self.overflows.map_or_else(String::new, |window| {
            format!(
                ", and begins far below: slow start overflows the queue at a window of {window:.1}"
            )
        });
        format!(
            "one TCP connection gets at most about {:.1} of payload{start}",
            self.gets
        )
    }
}

/// What one TCP connection gets of `rate` behind a queue of `queue` bytes of frames, as `predict path --queue` has it. `None`
/// where the queue holds no full frame, or the round trip is zero.
pub(crate) fn queued_tcp(rate: Rate, queue: Size, rtt: Duration) -> Option<Queued> {
    let input = PathInput {
        queue: Some(queue),
        ..PathInput::new(rate, rtt, Size::from_bytes(1500))
    };
    let answers = path(&input).ok()?;
    let number = |name: &str| {
        let answer = answers.iter().find(|a| a.name == name)?;
        answer.value.number()
    };
    let size = |name: &str| number(name).map(|bytes| Size::from_bytes(bytes as u64));
    let bps = number("utilisation")? * payload_of(rate).as_bps() as f64;
    Some(Queued {
        gets: Rate::from_bps(bps as u64)?,
        overflows: size("slow_start_overflow_bytes"),
        fills: size("buffer_to_fill_bytes")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use farpath_units::Key;

    fn size(bytes: u64) -> Size {
        Size::from_bytes(bytes)
    }

    /// Round robin itself, all queues full, sizes drawn.
    fn played(credits: &[u64], mixes: &[Mix], overshoot: Overshoot, rounds: u64) -> Vec<f64> {
        let luck = Key::new(7).with("share").stream();
        let mut draw = 0;
        let mut sent = vec![0_u64; credits.len()];
        let mut left = vec![0_i64; credits.len()];
        for _ in 0..rounds {
            for (q, credit) in credits.iter().enumerate() {
                left[q] = credit.to_owned() as i64
                    + if overshoot == Overshoot::Carried {
                        left[q]
                    } else {
                        0
                    };
                while left[q] > 0 {
                    let mut u = luck.uniform(draw);
                    draw += 1;
                    let part = mixes[q].0.iter().find(|(_, p)| {
                        u -= p;
                        u < 0.0
                    });
                    let packet = part.unwrap_or(&mixes[q].0[0]).0;
                    sent[q] += packet;
                    left[q] -= packet as i64;
                }
            }
        }
        let sum: u64 = sent.iter().sum();
        sent.iter().map(|s| *s as f64 / sum as f64).collect()
    }

    #[test]
    fn predicted_shares_are_those_of_round_robin_itself() {
        let imix =
            Mix::new(&[(size(64), 7.0), (size(570), 4.0), (size(1518), 1.0)]).expect("parts");
        let cases = [
            (
                vec![152_064, 1536],
                vec![Mix::of(size(1518)), Mix::of(size(1518))],
            ),
            (vec![152_064, 1536], vec![imix.clone(), Mix::of(size(1518))]),
            (vec![25_344, 256], vec![Mix::of(size(1518)), imix.clone()]),
            (
                vec![4096, 8192, 12_288],
                vec![imix.clone(), Mix::of(size(1518)), Mix::of(size(9018))],
            ),
        ];
        for (credits, mixes) in cases {
            let sizes: Vec<Size> = credits.iter().map(|c| size(*c)).collect();
            for overshoot in [Overshoot::Carried, Overshoot::Cleared] {
                let said = shares(&sizes, &mixes, overshoot);
                let is = played(&credits, &mixes, overshoot, 20_000);
                for (a, b) in said.iter().zip(&is) {
                    assert!(
                        (a - b).abs() < 0.002,
                        "{credits:?} {overshoot:?} {said:?} {is:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_limit_of_large_credits_is_the_mean_residual() {
        let mix = Mix::new(&[(size(64), 0.5), (size(1518), 0.5)]).expect("parts");
        let exact = mix.sent(size(EXACT), Overshoot::Cleared);
        let beyond = mix.sent(size(EXACT + 1), Overshoot::Cleared);
        // Two sizes alone keep a beat: 12 B of it is left at 128 KiB.
        assert!((exact - beyond).abs() < 16.0, "{exact} {beyond}");
    }

    /// The law is `predict`'s, so `predict path --policer` says the same; what is not known of the line costs something.
    #[test]
    fn a_policer_gives_what_the_predictor_says() {
        let rate = |t: &str| t.parse::<Rate>().expect(t);
        let (of, burst, rtt) = (rate("10 Mbit/s"), size(12_500), Duration::from_ms(100));
        let line = Some(rate("1 Gbit/s"));
        let policer = Policer {
            rate_bps: 10e6,
            burst_bytes: 12_500.0,
            arrival_bps: 1e9 * COUNTED,
        };
        let said = Clumped::usual(policer, FULL_FRAME, 0.1);
        let said = said.passing(0.0, MEAN_OVER_S).expect("a law") * PAYLOAD * 8.0;
        let got = policed_tcp(of, burst, line, rtt).expect("something");
        assert!((got.as_bps() as f64 - said).abs() < 2.0, "{got}");
        // A bucket of 8 frames a round trip: never the whole rate.
        assert!(got < rate("5 Mbit/s"), "{got}");
        let unknown = policed_tcp(of, burst, None, rtt).expect("something");
        assert!(unknown < rate("5 Mbit/s"), "{unknown}");
        // `predict path` itself, and the range in its words.
        let input = PathInput {
            policer: Some((of, burst)),
            ..PathInput::new(rate("1 Gbit/s"), rtt, size(1500))
        };
        let answers = path(&input).expect("a path");
        let limit = answers.iter().find(|a| a.name == "policer_limit_bps");
        let limit = limit.expect("a figure");
        let bps = limit.value.number().expect("a number");
        assert!((got.as_bps() as f64 - bps).abs() < 2.0, "{got} {bps}");
        let (low, high) = policed_range(got, (of, burst, line), rtt).expect("a range");
        let words = limit.note.split_whitespace();
        let numbers: Vec<f64> = words.filter_map(|w| w.parse().ok()).collect();
        for end in [low, high] {
            let mbps = end.as_bps() as f64 / 1e6;
            assert!(
                numbers.iter().any(|n| (n - mbps).abs() < 2e-4),
                "{end}: {}",
                limit.note
            );
        }
        let whole = policed_range(rate("985 Mbit/s"), (rate("985 Mbit/s"), burst, line), rtt);
        assert_eq!(whole, None);
        let all = policed_tcp(rate("1 Gbit/s"), size(1514), line, rtt);
        assert_eq!(all, Some(payload_of(rate("1 Gbit/s"))));
        let nearly = policed_tcp(rate("985 Mbit/s"), size(1514), line, rtt);
        assert_eq!(nearly, Some(payload_of(rate("985 Mbit/s"))));
        assert_eq!(policed_tcp(rate("1 Gbit/s"), size(1513), line, rtt), None);
        assert_eq!(policed_tcp(of, size(1000), line, rtt), None);
    }
}
