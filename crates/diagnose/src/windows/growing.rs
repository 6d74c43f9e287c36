//! A congestion window that still grows at the end of a test, with the rate at its heels, and nothing lost since its start: congestion
//! avoidance holds the rate, and no line.

use crate::cause::Cause;
use crate::ceiling::{bps, bytes};
use crate::evidence::Evidence;
use crate::fact::Figure;
use crate::items::{Item, LOSSES, of};
use crate::seen::{Row, Side, shortest};
use crate::series::middle::mean;

/// So many intervals without losses show whether window and rate go together.
const QUIET_LEAST: usize = 6;

/// Losses are of the start in the first of so many parts of the test.
const START: usize = 3;

/// Few are so many segments at most, or this part of the window that they cut.
const FEW: f64 = 10.0;
const FEW_OF_WINDOW: f64 = 0.02;

/// Window and rate grew to so many times what they were, and the window to so many times in the later half alone.
const WINDOW_GREW: f64 = 1.3;
const RATE_GREW: f64 = 1.2;
const LATER_GREW: f64 = 1.05;

/// A window that is less than this part of the one before was cut, and one that is so many times as large grows as slow start does.
const GROWS: f64 = 0.98;
const DOUBLES: f64 = 1.6;

/// Rates over windows differ by no more than this part of their mean where the window is what holds the rate.
const TOGETHER: f64 = 0.2;

/// An interval may hold one whole window more or less than the next. For that its round trip counts as this part of it at most.
const WHOLE_MOST: f64 = 0.6;

/// The rate is the window's where the bytes of a round trip are between these parts of it.
const FULL: [f64; 2] = [0.6, 1.3];

/// What it speaks by, decibans: for a window that grows back, as far as its being unseen counts against it, and for one that grows.
const SEEN: f64 = 160.0;
const OPENS: f64 = 60.0;

/// A window that grows, and the rate with it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Growing {
    /// Segments sent again before.
    again: f64,
    /// From when to when nothing was, seconds.
    span: [f64; 2],
    /// The congestion window then, first and last, bytes.
    window: [f64; 2],
    /// By how many segments it grew in a round trip, where that is known.
    each: Option<f64>,
    /// The threshold at which slow start was left, segments, and whether a kernel kept it of earlier connections.
    left_at: Option<(f64, bool)>,
    /// The rate then, first and last, bit/s.
    rate: [f64; 2],
}

/// By how much rates over windows differ, as a part of their mean. A window is that at the end of its interval.
fn apart(rates: &[f64], windows: &[f64]) -> f64 {
    let ends = windows.windows(2).zip(&rates[1..]);
    let ratios: Vec<f64> = ends
        .map(|(two, rate)| rate / f64::midpoint(two[0], two[1]).max(1.0))
        .collect();
    let most = ratios.iter().copied().fold(0.0, f64::max);
    let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    (most - least) / mean(&ratios).max(f64::MIN_POSITIVE)
}

impl Evidence {
    /// The window that grows to the end of the test, where it is what holds the rate.
    pub(crate) fn growing(&self) -> Option<Growing> {
        let of_sender = self.counted.iter().filter(|r| r.side == Side::Sender);
        let rows: Vec<&Row> = of_sender.collect();
        // Who accounts for all of a sender's time knows it better, and a kernel that waited for something else does.
        let seen = self.stop.is_some() || self.account.is_some() || self.app_limited.is_some();
        let waits = [&self.rwnd_share, &self.sndbuf_share];
        let waits = waits.into_iter().flatten().any(|s| s.value > 0.2);
        let other = self.udp || self.is_bbr() || self.streams > 1.0 || self.application.is_some();
        if seen || waits || other || self.cut_once().is_some() {
            return None;
        }
        let lossy = |r: &&Row| r.retransmits.is_none_or(|n| n > 0.0);
        let windows: Vec<f64> = rows.iter().map(|r| r.cwnd).collect::<Option<_>>()?;
        // Without a loss it begins behind slow start.
        let doubles = |w: &[f64]| w[1] >= DOUBLES * w[0];
        let lost = rows.iter().rposition(lossy);
        let last = lost.or_else(|| windows.windows(2).rposition(doubles));
        let quiet = rows.get(last.map_or(0, |n| n + 1)..)?;
        let early = last.is_none_or(|n| START * n < rows.len());
        if !early || quiet.len() < QUIET_LEAST {
            return None;
        }
        let again: f64 = rows.iter().filter_map(|r| r.retransmits).sum();
        let (before, since) = windows.split_at(rows.len() - quiet.len());
        let cut = before.iter().copied().fold(since[0], f64::max) / self.mss;
        let few = again <= FEW.max(FEW_OF_WINDOW * cut);
        let (first, end) = (quiet[0], quiet[quiet.len() - 1]);
        let window = [since[0], since[since.len() - 1]];
        let rtt = self.rtt.as_ref().map(|rtt| rtt.value);
        let each =
            rtt.map(|rtt| (window[1] - window[0]) / self.mss * rtt / (end.until - first.until));
        (few && self.grows_with(quiet, since)).then(|| Growing {
            again,
            span: [first.from, end.until],
            window,
            each,
            left_at: self.left_at(window[0] / self.mss),
            rate: [first.bps, end.bps],
        })
    }

    /// The threshold at which slow start was left, by the first window behind it, segments, and whether a kernel kept it.
    fn left_at(&self, window: f64) -> Option<(f64, bool)> {
        let kept = self.thresholds.ended_at(window).map(|kept| (kept, true));
        kept.or_else(|| Some((self.thresholds.socket?, false)))
    }

    /// Whether a window that grows to the end lost nothing: slow start was left early.
    pub(crate) fn left_start_early(&self) -> bool {
        self.growing().is_some_and(|growing| growing.again <= 0.0)
    }

    /// The threshold that the sender's kernel keeps of earlier connections, where slow start was left at it, segments.
    pub(crate) fn kept_threshold(&self) -> Option<f64> {
        let (threshold, kept) = self.growing()?.left_at?;
        kept.then_some(threshold)
    }

    /// Whether a window grows steadily through these intervals, and the rate by as much.
    fn grows_with(&self, rows: &[&Row], windows: &[f64]) -> bool {
        let rates: Vec<f64> = rows.iter().map(|r| r.bps).collect();
        let (n, third) = (rates.len(), rates.len() / 3);
        let [first, end] = [windows[0], windows[n - 1]];
        let steady = windows
            .windows(2)
            .all(|w| w[1] >= GROWS * w[0] && w[1] < DOUBLES * w[0]);
        let grew = end >= WINDOW_GREW * first && end >= LATER_GREW * windows[n / 2];
        let faster = mean(&rates[n - third..]) >= RATE_GREW * mean(&rates[..third]);
        // Over a long path one interval has a window more than the next.
        let [rate, window] = [&rates[..], windows].map(|all| mean(&all[n - third..]));
        let used = self.rtt.as_ref().map(|rtt| rate * rtt.value / 8.0 / window);
        let full = used.is_none_or(|used| used > FULL[0] && used < FULL[1]);
        let together = apart(&rates, windows) <= TOGETHER + self.whole_of(rows);
        steady && grew && faster && full && together
    }

    /// The part of an interval's windows that one of them is, where the round trip is known.
    fn whole_of(&self, rows: &[&Row]) -> f64 {
        let each_s = shortest(rows.iter().copied());
        let whole = |rtt: &Figure| libm::fmin(rtt.value / each_s, WHOLE_MOST);
        self.rtt.as_ref().map_or(0.0, whole)
    }
}

impl Growing {
    /// What ended slow start, for people.
    fn left_early(self) -> String {
        let at = match self.left_at {
            Some((threshold, true)) => {
                return format!(
                    "Slow start ended at {threshold:.0} segments, a threshold that the sender's kernel keeps of earlier connections to this host (ip tcp_metrics), and congestion avoidance takes longer"
                );
            }
            Some((threshold, false)) => format!(", at {threshold:.0} segments"),
            None => String::new(),
        };
        format!(
            "Slow start was left early{at}, without a loss: by HyStart, or a threshold that the kernel keeps of earlier connections (ip tcp_metrics show)"
        )
    }

    fn sentence(self) -> String {
        let [from, until] = self.span;
        let why = match self.again {
            n if n > 0.0 => format!(
                "{n:.0} segments were sent again before, and the window they cut was not back by the end"
            ),
            _ => self.left_early(),
        };
        let each = self.each.map_or_else(String::new, |each| {
            format!(" by {each:.1} segments a round trip")
        });
        format!(
            "from {from:.0} to {until:.0} s the congestion window grew{each} from {} to {}, the rate with it from {} to {}, and nothing was sent again: the window holds it, no line. {why}",
            bytes(self.window[0]),
            bytes(self.window[1]),
            bps(self.rate[0]),
            bps(self.rate[1])
        )
    }
}

/// A window that grows is what holds the rate, and no line, policer or queue, which would stop it.
pub(crate) fn by_growth(e: &Evidence, items: &mut Vec<Item>) {
    let Some(growing) = e.growing() else { return };
    let own = match growing.again > 0.0 {
        true => (Cause::Recovery, SEEN),
        false => (Cause::Ramp, OPENS),
    };
    let others = [
        Cause::Link,
        Cause::CrossTraffic,
        Cause::Shaper,
        Cause::Pacing,
        Cause::ReceiveWindow,
        Cause::SendBuffer,
    ];
    items.push(Item {
        holds: 1.0,
        weights: [of(&LOSSES, -24.0), of(&others, -20.0), vec![own]].concat(),
        sentence: growing.sentence(),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::Place;
    use crate::windows::remembered::Thresholds;

    /// Seconds over 80 ms: the window in bytes and what was sent again; the rate is the window's.
    fn of_rows(rows: &[(f64, f64)]) -> Evidence {
        let row = |(window, again): &(f64, f64)| (window * 8.0 / 0.08, *again, Some(*window));
        Evidence {
            rtt: Some(Figure::exact(0.08, Place::You)),
            counted: Row::intervals(1.0, rows.iter().map(row)),
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        }
    }

    fn grown(losses: f64) -> Vec<(f64, f64)> {
        let later = (0..11).map(|n| (1e6 + 1e5 * f64::from(n), 0.0));
        let first = if losses > 0.0 { 1.2e6 } else { 9.5e5 };
        [(first, losses)].into_iter().chain(later).collect()
    }

    #[test]
    fn a_window_that_grows_to_the_end_is_seen() {
        for losses in [0.0, 4.0] {
            let growing = of_rows(&grown(losses)).growing().expect("it grows");
            assert_eq!(growing.again, losses);
            let first = if losses > 0.0 { 1e6 } else { 9.5e5 };
            assert_eq!(growing.window, [first, 2e6]);
        }
    }

    /// The first second was of slow start, which nothing but the kernel ended.
    #[test]
    fn a_window_that_grows_behind_slow_start_is_seen() {
        let mut rows = grown(0.0);
        rows[0] = (1.5e5, 0.0);
        let growing = of_rows(&rows).growing().expect("it grows");
        assert_eq!(growing.window, [1e6, 2e6]);
        assert_eq!(growing.again, 0.0);
    }

    /// Seconds over 281 ms, which hold three windows or four in turn: the rate goes up and down, and the window grows by a segment a round trip.
    fn over_a_long_path(round_trips: [f64; 2]) -> Evidence {
        let rows = (0..20_u8).map(|n| {
            let window = 1448.0 * (17.0 + 3.56 * f64::from(n));
            let carried = round_trips[usize::from(n % 2)];
            (carried * window * 8.0, 0.0, Some(window))
        });
        Evidence {
            rtt: Some(Figure::exact(0.281, Place::You)),
            counted: Row::intervals(1.0, rows),
            ..of_rows(&[])
        }
    }

    /// Its sender's kernel keeps a threshold of 14 segments; without it nobody knows what ended slow start.
    #[test]
    fn whole_windows_of_a_long_path_do_not_hide_that_the_window_grows() {
        let mut e = over_a_long_path([3.0, 4.0]);
        let said = e.growing().expect("it grows").sentence();
        assert!(said.contains("by 1.0 segments a round trip"), "{said}");
        assert!(said.contains("by HyStart, or"), "{said}");
        assert!(e.left_start_early() && e.kept_threshold().is_none());
        e.thresholds = Thresholds {
            socket: Some(14.0),
            kept: Some(14.0),
        };
        let said = e.growing().expect("it grows").sentence();
        assert!(said.contains("ended at 14 segments"), "{said}");
        assert_eq!(e.kept_threshold(), Some(14.0));
        // Twice as much in every other second is not the window's.
        assert_eq!(over_a_long_path([2.4, 4.8]).growing(), None);
    }

    #[test]
    fn what_stands_or_was_cut_again_or_by_many_is_not() {
        let mut stands = grown(4.0);
        stands[4..].fill((1.3e6, 0.0));
        assert_eq!(of_rows(&stands).growing(), None);
        let mut again = grown(4.0);
        again[8].1 = 2.0;
        assert_eq!(of_rows(&again).growing(), None);
        assert_eq!(of_rows(&grown(300.0)).growing(), None);
        // A rate that stays as the window grows is held by something else.
        let mut flat = of_rows(&grown(4.0));
        flat.counted.iter_mut().for_each(|r| r.bps = 1e8);
        assert_eq!(flat.growing(), None);
    }
}
