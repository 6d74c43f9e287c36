//! From evidence to probabilities.
//!
//! Each cause has a score in decibans: what it is worth before anything was seen, how likely the measured rate is
//! where its ceiling lies, and what each item of the evidence speaks for or against it. Confidence is the share of
//! its odds among all.

use crate::cause::Cause;
use crate::ceiling::Limit;
use crate::evidence::Evidence;
use crate::fact::Figure;
use crate::known::DEFAULT_WINDOWS;
use crate::pattern;

/// A cause and its probability.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ranking {
    /// The cause.
    pub(crate) cause: Cause,
    /// 0 to 1.
    pub(crate) confidence: f64,
}

/// What was weighed and came out.
#[derive(Clone, Debug)]
pub(crate) struct Weighed {
    /// Every cause, the likeliest first.
    pub(crate) ranking: Vec<Ranking>,
    /// Sentences on what was weighed, the weightiest first.
    pub(crate) because: Vec<(Vec<Cause>, String)>,
}

/// Decades over which a rate may lie of which nothing is known: 100 kbit/s to 100 Gbit/s.
const DECADES: f64 = 6.0;

/// A rate lies this far under its ceiling, by warm-up and headers, or over it, by rounding.
const UNDER: f64 = 0.85;
const OVER: f64 = 1.06;

/// The share of odds that a ceiling's rate is elsewhere: what it was computed of was not in force.
const LEAK: f64 = 0.08;

/// What each cause is worth before anything was seen, decibans.
pub(crate) const PRIORS: [(Cause, f64); 20] = [
    (Cause::ReceiveWindow, 0.0),
    (Cause::SendBuffer, -1.0),
    (Cause::NoWindowScaling, -9.0),
    (Cause::RandomLoss, -2.0),
    (Cause::CongestionLoss, -4.0),
    (Cause::ShallowBuffer, -6.0),
    (Cause::Link, -4.0),
    (Cause::CrossTraffic, -9.0),
    (Cause::Application, -4.0),
    (Cause::Policer, -5.0),
    (Cause::Shaper, -9.0),
    (Cause::Ramp, -7.0),
    (Cause::Pacing, -11.0),
    (Cause::HostCpu, -10.0),
    (Cause::Nic, -12.0),
    (Cause::Disk, -14.0),
    (Cause::Reordering, -12.0),
    (Cause::MtuBlackHole, -16.0),
    (Cause::Duplex, -16.0),
    (Cause::None, -10.0),
];

/// An item of evidence: how true it is, what it speaks for and against in decibans, and a sentence.
struct Item {
    holds: f64,
    weights: Vec<(Cause, f64)>,
    sentence: String,
}

/// Weighs the evidence.
pub(crate) fn weigh(e: &Evidence, ceilings: &[Limit]) -> Weighed {
    let items = items(e, ceilings);
    let pattern = pattern::activations(e, ceilings);
    let mut scored = scores(e, ceilings, &items);
    for (cause, score) in &mut scored {
        *score = pattern::scale(e) * (*score + pattern::worth(*cause, &pattern));
    }
    scored.sort_by(|a, b| b.1.total_cmp(&a.1));
    let best = scored.first().map_or(0.0, |s| s.1);
    let odds = |score: f64| libm::exp((score - best) * core::f64::consts::LN_10 / 10.0);
    let all: f64 = scored.iter().map(|s| odds(s.1)).sum();
    let ranking = scored
        .iter()
        .map(|(cause, score)| Ranking {
            cause: *cause,
            confidence: odds(*score) / all,
        })
        .collect();
    let mut because: Vec<(f64, Vec<Cause>, String)> = items
        .into_iter()
        .filter(|i| i.holds > 0.3 && !i.sentence.is_empty())
        .map(|i| {
            let weight = i.weights.iter().map(|(_, w)| w.abs()).fold(0.0, f64::max);
            let speaks = i.weights.iter().filter(|(_, w)| *w > 0.0).map(|(c, _)| *c);
            (weight * i.holds, speaks.collect(), i.sentence)
        })
        .collect();
    because.sort_by(|a, b| b.0.total_cmp(&a.0));
    Weighed {
        ranking,
        because: because
            .into_iter()
            .map(|(_, causes, text)| (causes, text))
            .collect(),
    }
}

/// The score of each cause before the pattern of losses is weighed, decibans.
fn scores(e: &Evidence, ceilings: &[Limit], items: &[Item]) -> Vec<(Cause, f64)> {
    let score = |(cause, prior): &(Cause, f64)| {
        let seen: f64 = items
            .iter()
            .flat_map(|i| i.weights.iter().map(move |w| (i.holds, w)))
            .filter(|(_, (c, _))| c == cause)
            .map(|(holds, (_, weight))| holds * weight)
            .sum();
        (*cause, prior + seen + match_of(*cause, e, ceilings))
    };
    PRIORS.iter().map(score).collect()
}

/// What the fit starts from: scores before the pattern is weighed, and the pattern.
pub(crate) fn unfitted(e: &Evidence, ceilings: &[Limit]) -> (Vec<(Cause, f64)>, Vec<f64>) {
    let items = items(e, ceilings);
    (
        scores(e, ceilings, &items),
        pattern::activations(e, ceilings),
    )
}

/// Decibans for how likely the measured rate is if this cause limits.
fn match_of(cause: Cause, e: &Evidence, ceilings: &[Limit]) -> f64 {
    let flat = 1.0 / DECADES;
    let Some(rate) = &e.rate else {
        return 10.0 * libm::log10(flat);
    };
    let own: Vec<&Limit> = ceilings.iter().filter(|c| covers(c.cause, cause)).collect();
    let density = if own.is_empty() {
        unstated(cause, e, flat)
    } else {
        let each = own.iter().map(|c| density_of(cause, rate, c));
        let mean = each.sum::<f64>() / own.len() as f64;
        (1.0 - LEAK) * mean + LEAK * flat
    };
    10.0 * libm::log10(density.max(1e-6))
}

/// Whether a ceiling is this cause's: every kind of loss has the law's, a target's is nobody's.
fn covers(of: Cause, cause: Cause) -> bool {
    of == cause || of == Cause::RandomLoss && cause.is_loss()
}

/// The density of a rate under a ceiling. The law's ceiling is that of losses that come one by one; those of queues and
/// policers come in bursts, and leave more than the law says of their number.
fn density_of(cause: Cause, rate: &Figure, ceiling: &Limit) -> f64 {
    let own = density_in(rate, &ceiling.rate);
    let Some(most) = ceiling.bursts else {
        return own;
    };
    let mut wide = ceiling.rate.clone();
    wide.high = most.max(wide.high);
    let wide = density_in(rate, &wide);
    match cause {
        Cause::RandomLoss => 0.7 * own + 0.3 * wide,
        _ => 0.15 * own + 0.85 * wide,
    }
}

/// Probability a decade of a measured rate under a ceiling between two bounds.
fn density_in(rate: &Figure, ceiling: &Figure) -> f64 {
    let (low, high) = (ceiling.low * UNDER, ceiling.high * OVER);
    if low <= 0.0 || rate.high < low || rate.low > high {
        return 0.0;
    }
    1.0 / libm::log10(high / low).max(0.05)
}

/// The density of a rate under a cause of which no ceiling is known.
fn unstated(cause: Cause, e: &Evidence, flat: f64) -> f64 {
    match cause {
        Cause::ReceiveWindow => {
            let Some(flight) = e.implied_flight() else {
                return flat;
            };
            let hit = |bytes: &f64| {
                let window = Figure::exact(*bytes, crate::fact::Place::You);
                density_in(&flight, &window) > 0.0
            };
            let hits = DEFAULT_WINDOWS.iter().filter(|b| hit(b)).count() as f64;
            let width = libm::log10(flight.high / flight.low * OVER / UNDER).max(0.05);
            0.5 * flat + 0.5 * hits / DEFAULT_WINDOWS.len() as f64 / width
        }
        Cause::Link => {
            let Some(rate) = &e.rate else { return flat };
            let share = e.mss / (e.mss + 90.0);
            let hit = |line: &&f64| {
                let full = **line * share;
                rate.value > full * 0.965 && rate.value < full * 1.012
            };
            let hits = LINES.iter().filter(hit).count() as f64;
            0.5 * flat + 0.5 * hits / LINES.len() as f64 / 0.021
        }
        _ => flat,
    }
}

/// Rates that lines have.
const LINES: [f64; 13] = [
    1.544e6, 2.048e6, 10e6, 44.736e6, 100e6, 155.52e6, 622.08e6, 1e9, 2.5e9, 10e9, 25e9, 40e9,
    100e9,
];

/// 0 below, 1 above, and a straight way between the two.
fn step(value: f64, from: f64, to: f64) -> f64 {
    ((value - from) / (to - from)).clamp(0.0, 1.0)
}

fn items(e: &Evidence, ceilings: &[Limit]) -> Vec<Item> {
    let mut items = Vec::new();
    by_kernel(e, &mut items);
    by_losses(e, &mut items);
    by_delay(e, &mut items);
    by_rates(e, ceilings, &mut items);
    by_hosts(e, &mut items);
    items.retain(|i| i.holds > 0.0);
    items
}

const LOSSES: [Cause; 4] = [
    Cause::RandomLoss,
    Cause::CongestionLoss,
    Cause::ShallowBuffer,
    Cause::Policer,
];

fn of(causes: &[Cause], weight: f64) -> Vec<(Cause, f64)> {
    causes.iter().map(|c| (*c, weight)).collect()
}

/// What the sender's kernel says of its own time.
fn by_kernel(e: &Evidence, items: &mut Vec<Item>) {
    let percent = |f: &Figure| format!("{:.0} %", f.value * 100.0);
    if let Some(share) = &e.rwnd_share {
        items.push(Item {
            holds: step(share.value, 0.2, 0.5),
            weights: vec![
                (Cause::ReceiveWindow, 22.0),
                (Cause::NoWindowScaling, 14.0),
                (Cause::Disk, 6.0),
            ],
            sentence: format!(
                "the sender's kernel spent {} of its time waiting for the receiver's window",
                percent(share)
            ),
        });
        items.push(Item {
            holds: 1.0 - step(share.value, 0.02, 0.2),
            weights: of(&[Cause::ReceiveWindow, Cause::NoWindowScaling], -18.0),
            sentence: String::new(),
        });
    }
    if let Some(share) = &e.sndbuf_share {
        items.push(Item {
            holds: step(share.value, 0.2, 0.5),
            weights: vec![(Cause::SendBuffer, 24.0)],
            sentence: format!(
                "the send buffer was full for {} of the time",
                percent(share)
            ),
        });
        items.push(Item {
            holds: 1.0 - step(share.value, 0.02, 0.2),
            weights: vec![(Cause::SendBuffer, -18.0)],
            sentence: String::new(),
        });
    }
    if let Some(share) = &e.busy_share {
        items.push(Item {
            holds: 1.0 - step(share.value, 0.5, 0.8),
            weights: vec![(Cause::Application, 22.0)],
            sentence: format!(
                "the sender had something to send for {} of the time only",
                percent(share)
            ),
        });
        items.push(Item {
            holds: step(share.value, 0.8, 0.95),
            weights: vec![(Cause::Application, -16.0)],
            sentence: String::new(),
        });
    }
    if e.app_limited.is_some() {
        items.push(Item {
            holds: 1.0,
            weights: vec![(Cause::Application, 6.0), (Cause::SendBuffer, 3.0)],
            sentence: "the kernel marks its rates as limited by the application".to_owned(),
        });
    }
}

fn by_losses(e: &Evidence, items: &mut Vec<Item>) {
    if let Some(again) = &e.retransmits {
        let segments = e.bytes.as_ref().map_or(1e4, |b| b.value / e.mss);
        // None of a window's worth says nothing, none of many thousands says that loss is not it.
        let enough = step(segments, 30.0, 1000.0);
        let none = if again.value <= 1.0 { enough } else { 0.0 };
        items.push(Item {
            holds: none,
            weights: of(&LOSSES, -20.0)
                .into_iter()
                .chain(of(&[Cause::Reordering, Cause::Duplex], -10.0))
                .collect(),
            sentence: "hardly a segment was sent again".to_owned(),
        });
    }
    if let Some(share) = &e.again {
        let many = match e.is_bbr() {
            true => step(share.value, 0.02, 0.15),
            false => step(libm::log10(share.value.max(1e-9)), -6.0, -3.5),
        };
        items.push(Item {
            holds: many,
            weights: of(&LOSSES, 5.0)
                .into_iter()
                .chain(of(
                    &[Cause::ReceiveWindow, Cause::SendBuffer, Cause::Application],
                    -4.0,
                ))
                .collect(),
            sentence: format!("{:.2e} of the segments were sent again", share.value),
        });
        items.push(Item {
            holds: step(share.value, 0.003, 0.012),
            weights: vec![(Cause::Policer, 7.0)],
            sentence: String::new(),
        });
    }
    if let Some(idle) = &e.idle_loss {
        let (seen, sure) = (idle.low > 0.0, idle.high < 0.02);
        items.push(Item {
            holds: if seen { 1.0 } else { 0.0 },
            weights: vec![(Cause::RandomLoss, 10.0), (Cause::CrossTraffic, 2.0)],
            sentence: format!(
                "the path loses {:.2e} of packets whatever is sent",
                idle.value
            ),
        });
        items.push(Item {
            holds: if !seen && sure { 0.5 } else { 0.0 },
            weights: vec![(Cause::RandomLoss, -4.0)],
            sentence: String::new(),
        });
    }
    if let Some(reordered) = &e.reordered {
        items.push(Item {
            holds: step(reordered.value, 5.0, 100.0),
            weights: vec![(Cause::Reordering, 14.0)],
            sentence: format!("{:.0} segments arrived out of order", reordered.value),
        });
    }
}

/// What the round-trip time does under load.
fn by_delay(e: &Evidence, items: &mut Vec<Item>) {
    let (Some(floor), Some(loaded)) = (&e.rtt_floor, &e.rtt_loaded) else {
        return;
    };
    let grown = (loaded.value - floor.value) / floor.value;
    let added = loaded.value - floor.value;
    let holds = step(grown, 0.1, 0.4).min(step(added, 0.0003, 0.002));
    items.push(Item {
        holds,
        weights: vec![
            (Cause::Link, 10.0),
            (Cause::CongestionLoss, 10.0),
            (Cause::Shaper, 10.0),
            (Cause::CrossTraffic, 6.0),
            (Cause::ReceiveWindow, -4.0),
            (Cause::SendBuffer, -4.0),
            (Cause::RandomLoss, -6.0),
            (Cause::Policer, -8.0),
            (Cause::ShallowBuffer, -8.0),
        ],
        sentence: format!(
            "under load the round trip grew by {:.1} ms, {:.0} %: a queue filled",
            added * 1e3,
            grown * 100.0
        ),
    });
    items.push(Item {
        holds: 1.0 - step(grown, 0.02, 0.1),
        weights: vec![
            (Cause::Link, -8.0),
            (Cause::CongestionLoss, -10.0),
            (Cause::Shaper, -8.0),
            (Cause::ShallowBuffer, 2.0),
            (Cause::RandomLoss, 3.0),
        ],
        sentence: "the round trip hardly grew under load: no queue filled".to_owned(),
    });
}

/// What the rate and its intervals say.
fn by_rates(e: &Evidence, ceilings: &[Limit], items: &mut Vec<Item>) {
    if let Some((rate, bytes)) = &e.filled {
        let arrived = e.rate.as_ref().map_or(0.0, |r| r.value);
        items.push(Item {
            holds: 1.0,
            weights: of(&[Cause::Application, Cause::SendBuffer, Cause::Disk, Cause::HostCpu], -14.0),
            sentence: format!(
                "the sender's first {} are its own socket buffer filling: {:.1} MB went into it at once, and left at {}",
                crate::ceiling::bps(rate.value),
                bytes / 1e6,
                crate::ceiling::bps(arrived)
            ),
        });
    }
    if let (Some(rate), Some(line)) = (&e.rate, ceilings.iter().find(|c| c.cause == Cause::Link)) {
        let share = rate.value / line.rate.value;
        // BBR drains the queue and probes for its floor: it leaves more of a line that is its own.
        let full = if e.is_bbr() { 0.65 } else { 0.85 };
        items.push(Item {
            holds: step(share, full, full + 0.08),
            weights: vec![(Cause::Link, 16.0)],
            sentence: format!(
                "the rate is {:.0} % of what the line leaves for payload",
                share * 100.0
            ),
        });
        items.push(Item {
            holds: 1.0 - step(share, 0.5, 0.8),
            weights: vec![(Cause::Link, -22.0)],
            sentence: String::new(),
        });
    }
    if let (Some(rate), Some(target)) = (&e.rate, &e.target) {
        items.push(Item {
            holds: step(rate.value / target.value, 0.93, 0.97),
            weights: vec![(Cause::None, 60.0)],
            sentence: "the rate is what was asked for".to_owned(),
        });
        items.push(Item {
            holds: 1.0 - step(rate.value / target.value, 0.8, 0.93),
            weights: vec![(Cause::None, -40.0)],
            sentence: String::new(),
        });
    } else {
        items.push(Item {
            holds: 1.0,
            weights: vec![(Cause::None, -40.0)],
            sentence: String::new(),
        });
    }
    if let Some(flight) = e.implied_flight() {
        items.push(Item {
            holds: 1.0 - step(flight.value, 60_000.0, 80_000.0),
            weights: vec![(Cause::ReceiveWindow, 3.0)],
            sentence: String::new(),
        });
    }
    steadiness(e, items);
    peaks(e, ceilings, items);
    opening(e, ceilings, items);
}

/// Whether the transfer was over before its window had opened.
fn opening(e: &Evidence, ceilings: &[Limit], items: &mut Vec<Item>) {
    let ramp = ceilings.iter().find(|c| c.cause == Cause::Ramp);
    let (Some(seconds), Some(ramp), Some(bytes), Some(rtt)) = (e.seconds, ramp, &e.bytes, &e.rtt)
    else {
        return;
    };
    let least = bytes.value * 8.0 / ramp.rate.value;
    items.push(Item {
        holds: 1.0 - step(seconds / least, 1.8, 3.0),
        weights: vec![(Cause::Ramp, 16.0)],
        sentence: format!(
            "the transfer was over in {:.0} round trips: slow start took most of them",
            seconds / rtt.value
        ),
    });
}

/// Whether some interval was as fast as the line, while most were not.
fn peaks(e: &Evidence, ceilings: &[Limit], items: &mut Vec<Item>) {
    let line = ceilings.iter().find(|c| c.cause == Cause::Link);
    let (Some(line), Some(rate)) = (line, &e.rate) else {
        return;
    };
    let full = if e.is_bbr() { 0.65 } else { 0.9 };
    if e.peak <= 0.0 || rate.value > full * line.rate.value {
        return;
    }
    let share = e.peak / line.rate.value;
    items.push(Item {
        holds: step(share, 0.35, 0.6),
        weights: vec![
            (Cause::ShallowBuffer, 9.0),
            (Cause::CongestionLoss, 6.0),
            (Cause::CrossTraffic, 4.0),
            (Cause::Policer, -8.0),
            (Cause::ReceiveWindow, -8.0),
            (Cause::SendBuffer, -8.0),
            (Cause::Pacing, -8.0),
            (Cause::Shaper, -8.0),
        ],
        sentence: format!(
            "an interval was as fast as {:.0} % of the line, and others were not",
            100.0 * share
        ),
    });
    items.push(Item {
        holds: 1.0 - step(share, 0.15, 0.35),
        weights: vec![(Cause::ShallowBuffer, -6.0), (Cause::CongestionLoss, -6.0)],
        sentence: String::new(),
    });
}

/// How even the intervals are.
fn steadiness(e: &Evidence, items: &mut Vec<Item>) {
    if e.steady.len() < 4 {
        return;
    }
    let n = e.steady.len() as f64;
    let mean = e.steady.iter().sum::<f64>() / n;
    if mean <= 0.0 {
        return;
    }
    let square = e
        .steady
        .iter()
        .map(|r| (r - mean) * (r - mean))
        .sum::<f64>()
        / n;
    let spread = square.sqrt() / mean;
    items.push(Item {
        holds: 1.0 - step(spread, 0.02, 0.08),
        weights: vec![
            (Cause::ReceiveWindow, 4.0),
            (Cause::SendBuffer, 4.0),
            (Cause::Link, 3.0),
            (Cause::Pacing, 4.0),
            (Cause::Shaper, 4.0),
            (Cause::RandomLoss, -6.0),
            (Cause::CrossTraffic, -5.0),
            (Cause::Policer, -2.0),
        ],
        sentence: format!(
            "the intervals are even, within {:.0} %",
            (spread * 100.0).ceil()
        ),
    });
    items.push(Item {
        holds: step(spread, 0.1, 0.25),
        weights: vec![
            (Cause::RandomLoss, 4.0),
            (Cause::CongestionLoss, 2.0),
            (Cause::CrossTraffic, 3.0),
            (Cause::ReceiveWindow, -6.0),
            (Cause::SendBuffer, -6.0),
            (Cause::Pacing, -6.0),
        ],
        sentence: format!("the intervals differ by {:.0} %", spread * 100.0),
    });
}

fn by_hosts(e: &Evidence, items: &mut Vec<Item>) {
    if let Some(cpu) = &e.cpu {
        items.push(Item {
            holds: step(cpu.value, 0.88, 0.95),
            weights: vec![(Cause::HostCpu, 26.0)],
            sentence: format!("a processor was {:.0} % busy", cpu.value * 100.0),
        });
        items.push(Item {
            holds: 1.0 - step(cpu.value, 0.5, 0.85),
            weights: vec![(Cause::HostCpu, -18.0)],
            sentence: String::new(),
        });
    }
    if let Some(drops) = &e.nic_drops {
        items.push(Item {
            holds: step(drops.value, 1.0, 50.0),
            weights: vec![(Cause::Nic, 14.0)],
            sentence: format!("an interface of a host dropped {:.0} packets", drops.value),
        });
    }
    if e.half_duplex.is_some() {
        items.push(Item {
            holds: 1.0,
            weights: vec![(Cause::Duplex, 30.0)],
            sentence: "an interface is at half duplex".to_owned(),
        });
    }
}
