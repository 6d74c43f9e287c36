//! A congestion window that stands through losses: one that losses cut could not. Its sender is BBR, or one like it, whoever says so.

use crate::evidence::Evidence;
use crate::items::Item;
use crate::seen::{Row, Side, after_start};

/// So many intervals after the start tell whether a window stands.
const LEAST: usize = 5;

/// From this part of the intervals on, losses are of every interval.
const EVERY: f64 = 0.8;

/// The later half of the windows has at least this part of the earlier half's.
const STANDS: f64 = 0.7;

/// A window that is so many times the one which losses would leave is cut by none of them.
const FAR: f64 = 8.0;

/// Largest window, in segments, that grows back in `every` seconds what one cut takes: CUBIC's cube (RFC 9438 §4.2, `W·0.3 / 0.4 = t³`),
/// and Reno's segment a round trip (RFC 5681 §3.1, `W/2` of them).
fn regained(every: f64, rtt: f64) -> f64 {
    let cubic = 0.4 / 0.3 * every * every * every;
    cubic + 2.0 * every / rtt
}

impl Evidence {
    /// Mean congestion window of the intervals after the start, bytes, where it stands through losses in nearly every one of them.
    pub(crate) fn unmoved(&self) -> Option<f64> {
        let rows: Vec<&Row> = self
            .counted
            .iter()
            .filter(|r| r.side == Side::Sender)
            .collect();
        let (_, later) = after_start(&rows);
        if self.udp || later.len() < LEAST {
            return None;
        }
        let windows: Vec<f64> = later.iter().filter_map(|r| r.cwnd).collect();
        // So many of all connections that each has its own.
        let lost = |r: &&&Row| {
            r.retransmits
                .is_some_and(|n| n >= self.streams * self.streams)
        };
        let lossy = later.iter().filter(lost).count() as f64;
        if windows.len() < later.len() || lossy < EVERY * later.len() as f64 {
            return None;
        }
        let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
        let (early, late) = windows.split_at(windows.len() / 2);
        let window = mean(&windows);
        let bps = mean(&later.iter().map(|r| r.bps).collect::<Vec<f64>>());
        let longest = later.iter().map(|r| r.until - r.from).fold(0.0, f64::max);
        if bps <= 0.0 || longest <= 0.0 || mean(late) < STANDS * mean(early) {
            return None;
        }
        let left = regained(longest, 8.0 * window / bps);
        let segments = window / self.mss / self.streams;
        (segments >= FAR * left).then_some(window)
    }
}

/// What such a window says.
pub(crate) fn by_unmoved(e: &Evidence, items: &mut Vec<Item>) {
    let Some(window) = e.unmoved_window.filter(|_| e.cc.is_none()) else {
        return;
    };
    items.push(Item {
        holds: 1.0,
        weights: Vec::new(),
        sentence: format!(
            "the congestion window stands at {:.2} MB through losses in nearly every interval: the sender is one that losses hardly slow down, such as BBR",
            window / 1e6
        ),
    });
}
