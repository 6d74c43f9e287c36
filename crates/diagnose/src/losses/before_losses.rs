//! What came before the first loss: a loss slows nothing down that was over when it came.

use crate::ceiling::slow_start_s;
use crate::evidence::Evidence;
use crate::items::{Item, LOSSES, of, step};
use crate::seen::Row;

/// Intervals of up to so many times the mean rate were as slow.
const AS_SLOW: f64 = 1.1;

/// From these shares of the time on losses do not explain the rate. A choice.
const LONG: [f64; 2] = [0.25, 0.5];

/// Fewer intervals than this say nothing of an order in time.
const ROWS_LEAST: usize = 8;

/// Slow start takes up to so many times what doubling does.
const STARTS: f64 = 2.0;

/// How long the time was before the first loss, seconds, and the share of all in which it was as slow as on average, slow start apart.
fn before(e: &Evidence) -> Option<(f64, f64)> {
    let rows = &e.counted;
    let first = rows
        .iter()
        .position(|r| r.retransmits.is_some_and(|n| n > 0.0))?;
    let rate = e.rate.as_ref().filter(|_| rows.len() >= ROWS_LEAST)?.value;
    let start = STARTS * slow_start_s(e, rate)?;
    let lasts = |r: &Row| r.until - r.from;
    let all: f64 = rows.iter().map(lasts).sum();
    let as_slow = |r: &&Row| r.from >= start && r.bps > 0.0 && r.bps <= AS_SLOW * rate;
    let slow: f64 = rows[..first].iter().filter(as_slow).map(lasts).sum();
    Some((rows[first].from, slow / all.max(f64::MIN_POSITIVE)))
}

/// The most that is said of a kind of loss where all of that time is not explained by it: it is not a verdict.
const UNEXPLAINED: f64 = 0.35;

impl Evidence {
    /// The most that is said of a kind of loss beside the time before the first of them that was as slow.
    pub(crate) fn at_most_of_late(&self) -> f64 {
        let share = before(self).map_or(0.0, |(_, share)| share);
        1.0 - (1.0 - UNEXPLAINED) * step(share, LONG[0], LONG[1])
    }
}

/// Takes from losses what was as slow before them.
pub(crate) fn by_order(e: &Evidence, items: &mut Vec<Item>) {
    let Some((until, share)) = before(e) else {
        return;
    };
    items.push(Item {
        holds: step(share, LONG[0], LONG[1]),
        weights: of(&LOSSES, -16.0),
        sentence: String::new(),
    });
    items.push(Item {
        holds: f64::from(u8::from(share > LONG[0])),
        weights: Vec::new(),
        sentence: format!(
            "nothing was sent again in the first {until:.0} s, and for {:.0} % of the time it was as slow before: losses do not explain that",
            100.0 * share
        ),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::{Figure, Place};
    use crate::seen::Side;

    /// Twelve intervals of a second at these Mbit/s, the first loss in the one of this number.
    fn share(mbit: [f64; 12], lossy: usize) -> f64 {
        let again = |n: usize| if n >= lossy { 40.0 } else { 0.0 };
        let rows: Vec<(f64, f64)> = (0..).zip(mbit).map(|(n, mbit)| (mbit, again(n))).collect();
        let received = |row| Row {
            side: Side::Receiver,
            ..row
        };
        let mean = mbit.iter().sum::<f64>() / 12.0;
        let rate = Some(Figure::exact(mean * 1e6, Place::You));
        let rtt = Some(Figure::exact(0.06, Place::You));
        let counted = Row::seconds(&rows).into_iter().map(received).collect();
        let e = Evidence {
            rate,
            rtt,
            counted,
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        };
        before(&e).map_or(0.0, |(_, share)| share)
    }

    #[test]
    fn what_was_slow_before_the_first_loss_is_not_laid_on_losses() {
        assert!(share([45.0; 12], 10) > LONG[1]);
        // A full line, and then losses that cut it; losses from the first seconds on.
        let mut cut = [90.0; 12];
        cut[8..].fill(30.0);
        assert!(share(cut, 8) < LONG[0]);
        assert!(share([45.0; 12], 3) < LONG[0]);
    }
}
