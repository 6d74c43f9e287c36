//! The pattern of losses in time: features that tell kinds of loss apart, and what each is worth.
//!
//! A feature is a number between two ends. Between fixed knots its worth runs straight; the worth at each knot, by cause and
//! in decibans, is fitted by `cargo xtask corpus --fit` and stands in `weights.rs`. A feature that is not there is worth nothing.

use crate::cause::Cause;
use crate::ceiling::Limit;
use crate::evidence::Evidence;
use crate::infer::Ranking;
use crate::seen::after_start;
use crate::weights::{SCALE, WEIGHTS};

/// Causes whose scores the pattern changes, in the order of the columns of the weights.
pub(crate) const FITTED: [Cause; 6] = [
    Cause::RandomLoss,
    Cause::ShallowBuffer,
    Cause::Policer,
    Cause::Ramp,
    Cause::Application,
    Cause::Link,
];

/// Knots of a feature.
pub(crate) const KNOTS: usize = 5;

/// The features: a name, the least and the most.
pub(crate) const FEATURES: [(&str, f64, f64); 13] = [
    // Of all segments sent again, the part in the first sixth of the test.
    ("early", 0.0, 1.0),
    // Of the later intervals, the part with losses.
    ("lossy", 0.0, 1.0),
    // Decades of the variance of later losses over their mean: 0 where they come one by one.
    ("clumps", -0.5, 2.5),
    // Decades of the share of segments sent again later on.
    ("later_share", -6.0, -1.0),
    // Decades of the share of segments sent again in the first sixth.
    ("early_share", -6.0, -0.3),
    // Decades of the rate over what the law leaves at the later losses.
    ("over_law", -1.5, 2.0),
    // Decades of the largest window over what fills the line.
    ("window_of_line", -2.5, 0.7),
    // Decades of the rate over the line's.
    ("rate_of_line", -2.5, 0.0),
    // The later intervals' deviation over their mean.
    ("spread", 0.0, 0.8),
    // Decades of the last third's rate over that of the third before.
    ("growth", -0.4, 0.6),
    // Round trip under load over the least, less 1.
    ("rtt_rise", 0.0, 0.5),
    // Decades of the largest window over the mean one.
    ("window_peak", 0.0, 0.8),
    // Decades of the middle window over what rate and round trip put in flight: a window that is not used holds nothing back.
    ("window_of_rate", -0.3, 1.5),
];

/// What each of them is, for people.
const SAID: [&str; 13] = [
    "how many of them the start lost",
    "in how many intervals some were lost",
    "how evenly they are spread over the intervals",
    "how many were lost after the start",
    "how many were lost at the start",
    "the rate beside what so many single losses leave",
    "the largest window beside what fills the line",
    "the rate beside the line's",
    "how evenly the rate ran after the start",
    "how the rate grew in the last third",
    "how far the round trip rose under load",
    "how far the largest window is above the mean one",
    "the window beside what the rate puts in flight",
];

/// How much of each knot is in force, nothing where losses are the start's alone, came once, or of some of several connections: `KNOTS` numbers a feature, in the order of [`FEATURES`].
pub(crate) fn activations(e: &Evidence, ceilings: &[Limit]) -> Vec<f64> {
    let values = values(e, ceilings);
    let mut all = vec![0.0; FEATURES.len() * KNOTS];
    let once = f64::from(u8::from(e.cut_once().is_some()));
    let lasting = (1.0 - e.start_only()) * (1.0 - e.uncommon()) * (1.0 - once);
    for (n, (value, (_, low, high))) in values.iter().zip(FEATURES).enumerate() {
        let Some(value) = value.filter(|v| v.is_finite()) else {
            continue;
        };
        let place = ((value - low) / (high - low)).clamp(0.0, 1.0) * (KNOTS - 1) as f64;
        let knot = (place as usize).min(KNOTS - 2);
        let part = place - knot as f64;
        all[n * KNOTS + knot] = (1.0 - part) * lasting;
        all[n * KNOTS + knot + 1] = part * lasting;
    }
    all
}

/// What the pattern is worth for a cause, decibans.
pub(crate) fn worth(cause: Cause, activations: &[f64]) -> f64 {
    let Some(column) = FITTED.iter().position(|c| *c == cause) else {
        return 0.0;
    };
    let each = activations.iter().zip(&WEIGHTS);
    each.map(|(a, row)| a * row[column]).sum()
}

/// A kind of loss, another for which the pattern speaks less, chance unless it is the first, and the feature that is most of that; none of
/// other causes, and none that is worth little.
fn most_telling(kind: Cause, activations: &[f64]) -> Option<[&'static str; 3]> {
    let first = Some(kind).filter(|kind| kind.is_loss())?;
    let likelier = |a: &Cause, b: &Cause| worth(*a, activations).total_cmp(&worth(*b, activations));
    let others = FITTED.into_iter().filter(|c| c.is_loss() && *c != first);
    let other = match first {
        Cause::RandomLoss => others.max_by(likelier)?,
        _ => Cause::RandomLoss,
    };
    let column = |cause: Cause| FITTED.iter().position(|c| *c == cause);
    let (own, beside) = (column(first)?, column(other)?);
    let each = activations.iter().zip(&WEIGHTS);
    let each: Vec<f64> = each.map(|(a, row)| a * (row[own] - row[beside])).collect();
    let features = each.chunks(KNOTS).map(|knots| knots.iter().sum::<f64>());
    let telling = features.zip(SAID).max_by(|a, b| a.0.total_cmp(&b.0));
    let (_, said) = telling.filter(|(worth, _)| *worth > SPEAKS)?;
    Some([first.words(), other.words(), said])
}

/// Where in the test segments were sent again, for people, and the kinds of loss that this speaks for, without a weight; none without a
/// pattern. Of the kind that is named, what tells it from others.
pub(crate) fn sentence(
    e: &Evidence,
    activations: &[f64],
    ranking: &[Ranking],
) -> Option<(f64, Vec<Cause>, String)> {
    if activations.iter().all(|a| *a == 0.0) {
        return None;
    }
    let speaks = |c: &Cause| c.is_loss() && worth(*c, activations) > SPEAKS;
    let causes: Vec<Cause> = FITTED.into_iter().filter(speaks).collect();
    let again = |r: &crate::seen::Row| r.retransmits.unwrap_or(0.0);
    let (first, later) = after_start(&e.counted);
    let lossy = later.iter().filter(|r| again(r) > 0.0).count();
    let early = first.iter().map(again).sum::<f64>() / e.counted.iter().map(again).sum::<f64>();
    let named = ranking.first().map(|r| r.cause);
    let most = named.and_then(|kind| most_telling(kind, activations));
    let most = most.map_or_else(String::new, |[first, other, said]| {
        format!("; what speaks most for {first} rather than {other} is {said}")
    });
    let text = format!(
        "how losses lie in time: in {lossy} of {} intervals after the start, and {:.0} % of them at the start{most}",
        later.len(),
        early * 100.0
    );
    (!causes.is_empty()).then_some((0.0, causes, text))
}

/// From so many decibans on the pattern is a reason that is named.
const SPEAKS: f64 = 3.0;

/// The factor that makes odds of scores, fitted too. The corpus knows its lines: without one the scores stay as they are.
pub(crate) fn scale(e: &Evidence) -> f64 {
    if e.line.is_some() { SCALE } else { 1.0 }
}

fn decades(x: f64) -> f64 {
    libm::log10(x.max(1e-12))
}

fn values(e: &Evidence, ceilings: &[Limit]) -> [Option<f64>; 13] {
    let mut all = [None; 13];
    let rows = &e.counted;
    let again =
        |rows: &[crate::seen::Row]| -> f64 { rows.iter().filter_map(|r| r.retransmits).sum() };
    let segments = |rows: &[crate::seen::Row]| -> f64 {
        let bits: f64 = rows.iter().map(|r| r.bps * (r.until - r.from)).sum();
        (bits / 8.0 / e.mss).max(1.0)
    };
    // The weights are of controls that losses slow down.
    if e.is_bbr() || rows.len() < 5 || again(rows) < 1.0 {
        return all;
    }
    let (first, later) = after_start(rows);
    let losses: Vec<f64> = later.iter().filter_map(|r| r.retransmits).collect();
    let n = losses.len().max(1) as f64;
    let mean = losses.iter().sum::<f64>() / n;
    let square = losses.iter().map(|l| (l - mean) * (l - mean)).sum::<f64>() / n;
    all[0] = Some(again(first) / again(rows));
    all[1] = Some(losses.iter().filter(|l| **l > 0.0).count() as f64 / n);
    all[2] = (mean > 0.0).then(|| decades(square / mean));
    let share = again(later) / segments(later);
    all[3] = Some(decades(share));
    all[4] = Some(decades(again(first) / segments(first)));
    let rate = later.iter().map(|r| r.bps).sum::<f64>() / n;
    let law = ceilings
        .iter()
        .find(|c| c.cause == Cause::RandomLoss)
        .zip(e.again.as_ref());
    if let Some((law, again)) = law.filter(|_| share > 0.0) {
        // The law of the whole test's losses, moved to the later ones: its power is a half to three quarters.
        let moved = law.rate.value * libm::pow(again.value.max(1e-12) / share, 0.6);
        all[5] = Some(decades(rate / moved));
    }
    let windows: Vec<f64> = later.iter().filter_map(|r| r.cwnd).collect();
    let most = windows.iter().copied().fold(0.0, f64::max);
    let floor = e.rtt_floor.as_ref().or(e.rtt.as_ref());
    if let Some((line, _)) = &e.line {
        if let Some(rtt) = floor.filter(|_| most > 0.0) {
            all[6] = Some(decades(most * 8.0 / rtt.value / line.value));
        }
        all[7] = Some(decades(rate / line.value));
    }
    let deviation = later
        .iter()
        .map(|r| (r.bps - rate) * (r.bps - rate))
        .sum::<f64>()
        / n;
    all[8] = Some(deviation.sqrt() / rate.max(1.0));
    let (before, last) = later.split_at(later.len() / 2);
    let bits = |rows: &[crate::seen::Row]| -> f64 {
        rows.iter().map(|r| r.bps).sum::<f64>() / rows.len().max(1) as f64
    };
    all[9] = Some(decades(bits(last) / bits(before).max(1.0)));
    if let (Some([_, most]), Some(loaded)) = (e.rtt_at_rest(), &e.rtt_loaded) {
        all[10] = Some(loaded.value / most - 1.0);
    }
    (all[11], all[12]) = of_windows(e, windows, rate);
    all
}

/// Decades of the largest window over the mean one, and of the middle one over what the rate needs.
fn of_windows(e: &Evidence, mut windows: Vec<f64>, rate: f64) -> (Option<f64>, Option<f64>) {
    windows.sort_by(f64::total_cmp);
    let (Some(most), n) = (windows.last(), windows.len()) else {
        return (None, None);
    };
    let mean = windows.iter().sum::<f64>() / n as f64;
    let floor = e.rtt_floor.as_ref().or(e.rtt.as_ref());
    let used = e
        .rtt_loaded
        .as_ref()
        .or(floor)
        .map(|rtt| rate * rtt.value / 8.0);
    (
        Some(decades(most / mean.max(1.0))),
        used.map(|used| decades(windows[n / 2] / used.max(1.0))),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rates of intervals that hardly differ speak against chance, and are what is said.
    #[test]
    fn what_tells_a_kind_of_loss_from_chance_is_said() {
        let spread = FEATURES.iter().position(|(name, ..)| *name == "spread");
        let mut even = vec![0.0; FEATURES.len() * KNOTS];
        even[spread.expect("it is one") * KNOTS] = 1.0;
        let [first, other, said] = most_telling(Cause::ShallowBuffer, &even).expect("it tells");
        assert_eq!([first, other], ["a queue that is too short", "random loss"]);
        assert_eq!(said, "how evenly the rate ran after the start");
        assert_eq!(most_telling(Cause::Link, &even), None);
        assert_eq!(most_telling(Cause::RandomLoss, &even), None);
    }
}
