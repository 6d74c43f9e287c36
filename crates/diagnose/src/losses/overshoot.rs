//! Losses of the start alone: slow start overshot a queue, or path MTU discovery sent its first window again (RFC 1191 §3). What holds
//! the connection afterwards is something else, unless its congestion window still grows back.

use crate::evidence::Evidence;
use crate::items::{Item, JUMBO, LOSSES, of, spread, step};
use crate::seen::{Row, Side};

/// What came after the losses of the start.
#[derive(Clone, Debug)]
pub(crate) struct Overshoot {
    /// Segments sent again at the start.
    again: f64,
    /// When the last of them was, seconds.
    until: f64,
    /// For how long none followed, seconds.
    quiet: f64,
    /// How surely the congestion window is not what held the rate then, 0 to 1.
    pub(crate) over: f64,
    /// Part of the whole test's rate that it was faster by then.
    faster: f64,
    /// The path MTU, bytes, where its discovery sends as much again.
    discovered: Option<f64>,
    /// Whether what was lost then holds nothing, however uneven the rate is: it was cut anew for its size, or the sender is BBR.
    settled: bool,
}

/// So many intervals without losses tell whether something grows.
const QUIET_LEAST: usize = 4;

/// Segments of a first window (RFC 6928 §2).
const FIRST: f64 = 10.0;

/// The start is over after this part of the test at the latest.
const START: f64 = 1.0 / 3.0;

/// Round-trip time where none is known, seconds: of long paths. The window that it makes of a rate grows slowest.
const LONG_RTT_S: f64 = 0.3;

/// CUBIC (RFC 9438 §4): the factor of the cube in segments per second cubed, and what a cut leaves of the window.
pub(crate) const CUBE: f64 = 0.4;
pub(crate) const KEPT: f64 = 0.7;

impl Evidence {
    /// How surely losses are the start's alone, 0 to 1.
    pub(crate) fn start_only(&self) -> f64 {
        self.overshoot.as_ref().map_or(0.0, |o| o.over)
    }

    /// What came after losses of the start alone; none where there were none, or where some came later.
    pub(crate) fn of_start(&self) -> Option<Overshoot> {
        let rows: Vec<&Row> = self
            .counted
            .iter()
            .filter(|r| r.side == Side::Sender)
            .collect();
        let lossy = |r: &&Row| r.retransmits.is_some_and(|n| n > 0.0);
        let last = rows.iter().rposition(lossy)?;
        let end = rows.last()?.until;
        // What was lost at the end of an interval is repaired in the next.
        let quiet = rows.get(last + 2..).filter(|q| q.len() >= QUIET_LEAST)?;
        let until = rows[last].until;
        if self.udp || end <= 0.0 || until > START * end || self.cut_once().is_some() {
            return None;
        }
        let rates: Vec<f64> = quiet.iter().map(|r| r.bps).collect();
        let windows: Option<Vec<f64>> = quiet.iter().map(|r| r.cwnd).collect();
        let expected = self.growth_expected(&rates, quiet[0].from - until, end - quiet[0].from);
        let still = |values: &[f64]| {
            let (grown, error) = growth(values);
            // What goes up and down was cut again, whatever was counted.
            let even = 1.0 - step(spread(values).unwrap_or(1.0), 0.04, 0.1);
            even * (1.0 - step((grown + error) / expected, 0.25, 0.5))
        };
        let by_window = windows.map_or(0.0, |w| still(&w));
        let mean = rates.iter().sum::<f64>() / rates.len() as f64;
        let whole = self.rate.as_ref().map_or(mean, |r| r.value);
        let again = rows.iter().filter_map(|r| r.retransmits).sum();
        // All of a first window was too large, and is sent again in segments that fit.
        let refused = FIRST * self.streams * (JUMBO / self.mss).ceil();
        let smaller = self.smaller_mtu.as_ref().filter(|_| again <= refused);
        // Each of them makes two. BBR's rate goes by what is delivered, and not by a loss of long ago.
        let anew = smaller.is_some() && again <= 2.0 * FIRST * self.streams;
        let settled = anew || self.is_bbr();
        let over = if settled {
            1.0
        } else {
            still(&rates).max(by_window)
        };
        Some(Overshoot {
            again,
            discovered: smaller.map(|mtu| mtu.value),
            until,
            quiet: end - until,
            over,
            settled,
            faster: (mean / whole.max(1.0) - 1.0).max(0.0),
        })
    }

    /// By which part the later half of a time without losses would be faster than the earlier one if the congestion window were the
    /// limit: it began so many seconds after a cut, and lasts so many.
    fn growth_expected(&self, rates: &[f64], after: f64, lasts: f64) -> f64 {
        let rtt = self.rtt.as_ref().map_or(LONG_RTT_S, |r| r.value);
        let mean = rates.iter().sum::<f64>() / rates.len().max(1) as f64;
        let segments = (mean * rtt / 8.0 / self.mss / self.streams).max(1.0);
        // One segment a round trip, as of Reno and at least of CUBIC.
        let linear = lasts / 2.0 / rtt / segments;
        if self.cc.as_deref().is_some_and(|cc| cc.contains("reno")) {
            return linear;
        }
        // The window before the cut, so that the window after it is the one seen in the middle.
        let middle = after + lasts / 2.0;
        let of = |most: f64, t: f64| {
            let k = libm::cbrt(most * (1.0 - KEPT) / CUBE);
            CUBE * (t - k) * (t - k) * (t - k) + most
        };
        let (mut low, mut high) = (0.0, segments / KEPT);
        for _ in 0..40 {
            let most = f64::midpoint(low, high);
            match of(most, middle) < segments {
                true => low = most,
                false => high = most,
            }
        }
        let half = |from: f64| of(low, from + lasts / 4.0);
        let cubic = half(middle) / half(after).max(1.0) - 1.0;
        cubic.max(linear)
    }
}

/// By which part the mean of the later half is above that of the earlier one, and the error of that.
fn growth(values: &[f64]) -> (f64, f64) {
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len().max(1) as f64;
    let square = |part: &[f64]| {
        let m = mean(part);
        part.iter().map(|v| (v - m) * (v - m)).sum::<f64>()
            / (part.len().max(2) - 1) as f64
            / part.len().max(1) as f64
    };
    let (early, late) = values.split_at(values.len() / 2);
    let base = mean(early).max(1e-9);
    let error = (square(early) + square(late)).sqrt() / base;
    (libm::fabs(mean(late) / base - 1.0), error)
}

/// What losses of the start alone say.
pub(crate) fn by_overshoot(e: &Evidence, items: &mut Vec<Item>) {
    let Some(seen) = &e.overshoot else { return };
    let cost = match seen.faster {
        f if f < 0.01 => String::new(),
        f => format!("; the rate was {:.0} % above the mean then", f * 100.0),
    };
    let (what, and) = match seen.discovered {
        None => ("slow start overshot a queue".to_owned(), ""),
        Some(mtu) => (
            format!("path MTU discovery found {mtu:.0} bytes, less than the sender's own MTU"),
            ", no more than a first window that is too large,",
        ),
    };
    items.push(Item {
        holds: seen.over,
        // They speak against the kinds of loss alone: what else holds the rate, they do not say.
        weights: of(&LOSSES, -24.0),
        sentence: format!(
            "{what}: {:.0} segments were sent again in the first {:.1} s{and} and none in the {:.0} s after it{}. Losses are not what holds it{cost}",
            seen.again,
            seen.until,
            seen.quiet,
            match seen.settled {
                true => "",
                false => ", in which nothing grew back as it does after a cut",
            }
        ),
    });
}
