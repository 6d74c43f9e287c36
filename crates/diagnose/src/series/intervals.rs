//! The intervals of a test's log: what of them shows the path, and what the sender's own socket buffer.

use crate::evidence::Evidence;
use crate::fact::Figure;
use crate::seen::{Row, Side, Test, shortest};
use crate::series::silences;
use crate::series::stops::Stop;
use crate::windows::climbed;

/// What iperf writes at once, bytes.
const WRITE: f64 = 131_072.0;

/// A sender's log counts whole writes: what is no longer than so many of them at its mean rate is not a stop. A choice.
const WRITES: f64 = 3.0;

/// How long one write of a connection alone takes at the mean rate of these intervals, seconds.
fn write_s(rows: &[&Row]) -> f64 {
    let lasts = |r: &&Row| r.until - r.from;
    let bits: f64 = rows.iter().map(|r| r.bps * lasts(r)).sum();
    let all: f64 = rows.iter().map(lasts).sum();
    WRITE * 8.0 * all / bits.max(1.0)
}

/// A buffer that filled at the start still holds this part of it when the sender's intervals end. A choice.
const STILL_FULL: f64 = 0.3;

/// Whether what a sender handed over in its first interval was still with it at the end of its intervals: as much more was handed over in
/// all than arrived in that time, at this rate, bit/s.
fn stays(rows: &[&Row], arrived: f64) -> bool {
    let beyond = |rows: &[&Row]| -> f64 {
        let each = rows.iter().map(|r| (r.bps - arrived) * (r.until - r.from));
        each.sum()
    };
    let first = rows.len().min(1);
    beyond(rows) > STILL_FULL * beyond(&rows[..first])
}

impl Evidence {
    /// The sender's first interval fills its own socket buffer, where much less arrived; without the receiver's report
    /// the intervals after it are the rate.
    pub(crate) fn fill(&mut self, test: &Test) {
        let of_sender = || test.rows.iter().filter(|r| r.side == Side::Sender);
        let later: Vec<f64> = of_sender()
            .filter(|r| r.from > 0.0)
            .map(|r| r.bps)
            .collect();
        let Some(first) = of_sender().find(|r| r.from == 0.0) else {
            return;
        };
        let rest = later.iter().sum::<f64>() / later.len().max(1) as f64;
        // Losses bring a rate down, too.
        let came = test.received.as_ref().is_none_or(|r| r.goodput.value > 0.0);
        let lost = came && self.retransmits.as_ref().is_some_and(|r| r.value > 3.0);
        if self.udp || lost || rest >= first.bps / 3.0 {
            return;
        }
        let bytes = first.bps * (first.until - first.from) / 8.0;
        let filled = Some((Figure::exact(first.bps, first.at), bytes));
        if let Some(received) = &test.received {
            let rows: Vec<&Row> = of_sender().collect();
            if first.bps > 3.0 * received.goodput.value && stays(&rows, received.goodput.value) {
                self.filled = filled;
            }
            return;
        }
        let most = later.iter().copied().fold(0.0, f64::max);
        let least = later.iter().copied().fold(f64::INFINITY, f64::min);
        let more = bytes - rest * (first.until - first.from) / 8.0;
        let buffer = test.numbers.get("send_buffer_bytes");
        // Linux charges a segment's memory, so that less data than its size fills a buffer.
        let fits = buffer.is_none_or(|b| more > 0.2 * b.value && more < 1.1 * b.value);
        if later.len() < 2 || rest <= 0.0 || most > first.bps / 3.0 || !fits {
            return;
        }
        self.filled = filled;
        let spread = least.min(rest * 0.97)..most.max(rest * 1.03);
        let mut rate = Figure::between(rest, spread.start, spread.end, first.at);
        rate.from = of_sender()
            .filter(|r| r.from > 0.0)
            .map(|r| r.at)
            .take(2)
            .collect();
        self.rate = Some(rate);
        self.side = Some(Side::Sender);
        self.bytes = self
            .seconds
            .map(|s| Figure::exact(rest * s / 8.0, first.at));
    }

    pub(crate) fn intervals(&mut self, test: &Test) {
        let has = |side| test.rows.iter().any(|r| r.side == side);
        let side = if has(Side::Receiver) {
            Side::Receiver
        } else {
            Side::Sender
        };
        if side == Side::Sender && self.filled.is_some() {
            // What is handed over in large writes is uneven where the receiver's report is the rate.
            if test.received.is_none() {
                let later = test.rows.iter().filter(|r| r.from > 0.0);
                self.steady = later.map(|r| r.bps).collect();
            }
            return;
        }
        let rows: Vec<_> = test.rows.iter().filter(|r| r.side == side).collect();
        if side == Side::Sender && test.overstates(&rows) {
            return;
        }
        let mut dark: Vec<Stop> = self.stop.into_iter().collect();
        if test.tool != "capture" && !self.udp {
            let least = match side {
                Side::Receiver => 0.0,
                Side::Sender => WRITES * self.streams * write_s(&rows),
            };
            let counted = (self.streams, self.mss);
            dark = silences::of_log(&rows, &test.rows, least, counted);
            self.stop = silences::together(&dark, &rows);
        }
        dark.retain(|stop| stop.dark.is_some());
        let skip = rows.len().div_ceil(5).min(rows.len());
        let most = |rows: &[&Row]| rows.iter().map(|r| r.bps).fold(0.0, f64::max);
        (self.peak, self.later_peak) = (most(&rows), most(rows.get(1..).unwrap_or(&[])));
        // What passed while the path was down is not what it leaves.
        let up = |r: &&&Row| r.bps > 0.0 || !dark.iter().any(|s| s.covers(r));
        let later = rows.iter().skip(skip);
        self.steady = later.filter(up).map(|r| r.bps).collect();
        let lossless = self.retransmits.as_ref().is_some_and(|r| r.value <= 0.0);
        if lossless && !self.udp {
            let climb = climbed::climb(&self.steady);
            self.steady.drain(..climb);
        }
        let first = rows.get(skip).map(|r| r.until - r.from);
        self.interval_s = first.unwrap_or(0.0);
        if side == Side::Sender && !self.udp {
            let least_s = shortest(rows.iter().copied());
            self.peak_grain = WRITE * 8.0 / libm::fmax(least_s, 1e-3);
            let later = rows.get(skip..).unwrap_or(&[]);
            let bits: f64 = later.iter().map(|r| r.bps * (r.until - r.from)).sum();
            // It is handed over in whole writes: so much do intervals differ by that alone.
            let mean = bits / 8.0 / later.len().max(1) as f64;
            self.grain = WRITE / 6.0_f64.sqrt() / mean.max(1.0);
        }
        let counted = test.rows.iter().filter(|r| r.retransmits.is_some());
        self.counted = counted.cloned().collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::Place;

    /// Whether it stays, of seconds of a sender's log, Mbit/s, and of the rate that arrived.
    fn held(mbit: &[f64], arrived: f64) -> bool {
        let row = |(n, mbit): (usize, &f64)| Row {
            from: n as f64,
            until: (n + 1) as f64,
            bps: mbit * 1e6,
            retransmits: None,
            cwnd: None,
            side: Side::Sender,
            at: Place::You,
        };
        let rows: Vec<Row> = mbit.iter().enumerate().map(row).collect();
        stays(&rows.iter().collect::<Vec<_>>(), arrived * 1e6)
    }

    #[test]
    fn what_filled_a_buffer_has_not_arrived_by_the_end() {
        assert!(held(&[100.0, 0.5, 0.5, 0.5], 0.5));
        assert!(held(&[20.1, 0.0, 0.0, 0.0], 0.47));
        // All that was handed over arrived.
        let fell = [
            9100.0, 940.0, 310.0, 322.0, 318.0, 325.0, 311.0, 320.0, 316.0, 322.0,
        ];
        assert!(!held(&fell, 1250.0));
        assert!(!held(&[], 1.0));
    }
}
