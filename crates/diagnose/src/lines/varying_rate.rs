//! A full link whose own rate changes, as a radio link's does: the window always filled the path, and the rate went up and down all the same.

use crate::cause::Cause;
use crate::document::MissingFact;
use crate::evidence::Evidence;
use crate::seen::{Row, Side};

/// Fewer intervals after the start than this show no rate that goes up and down.
const LEAST: usize = 6;

/// From one interval to the next the rate went up, or down, where it is so many times the other; and that so often each. Choices.
const STEP: f64 = 1.3;
const OFTEN: usize = 2;

/// The fastest interval is so many times the slowest, and by this much more than the largest window is the smallest.
const VARIES: f64 = 2.0;
const BEYOND: f64 = 1.8;

/// The smallest window holds so many times what the fastest interval has in flight over a round trip at rest: a queue stood all the time.
const FILLS: f64 = 1.2;

/// A larger share that is sent again may be what makes the rate. A choice.
const FEW: f64 = 0.005;

/// The most that is said of a kind of loss then: it is not a verdict.
const OPEN: f64 = 0.39;

/// The slowest and the fastest interval, bit/s.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Varies([f64; 2]);

/// The least and the most of some figures.
fn ends(each: &[f64]) -> [f64; 2] {
    let least = each.iter().copied().fold(f64::INFINITY, f64::min);
    [least, each.iter().copied().fold(0.0, f64::max)]
}

impl Evidence {
    /// The rates of a sender's intervals after its start that went up and down though its window filled the path all the time; none where a
    /// text shows another reason.
    fn varies(&self) -> Option<Varies> {
        let lossy = self.again.as_ref().is_some_and(|again| again.value > FEW);
        let other = self.udp || self.streams > 1.0 || self.is_bbr() || self.stop.is_some();
        if lossy || other || self.around.stepped.is_some() || !self.never_pauses() {
            return None;
        }
        let of_sender = self.counted.iter().filter(|r| r.side == Side::Sender);
        let rows: Vec<&Row> = of_sender.skip(self.counted.len().div_ceil(5)).collect();
        let windows: Vec<f64> = rows.iter().map(|r| r.cwnd).collect::<Option<_>>()?;
        let rates: Vec<f64> = rows.iter().map(|r| r.bps).collect();
        if rates.len() < LEAST {
            return None;
        }
        let ([slow, fast], [small, large]) = (ends(&rates), ends(&windows));
        let steps = |up: bool| {
            let is_one = |two: &&[f64]| match up {
                true => two[1] > STEP * two[0],
                false => two[0] > STEP * two[1],
            };
            rates.windows(2).filter(is_one).count()
        };
        let [_, rest_s] = self.rtt_at_rest()?;
        let moves = slow > 0.0 && small > 0.0 && steps(true) >= OFTEN && steps(false) >= OFTEN;
        let apart = fast > VARIES * slow && fast * small > BEYOND * slow * large;
        let fills = small * 8.0 > FILLS * fast * rest_s;
        (moves && apart && fills).then_some(Varies([slow, fast]))
    }

    /// The most that is said of a cause where losses did not make the rate.
    pub(crate) fn at_most_of_varying(&self, cause: Cause) -> f64 {
        match cause.is_loss() && self.varies().is_some() {
            true => OPEN,
            false => 1.0,
        }
    }

    /// What it means, for people.
    pub(crate) fn varying_in_words(&self) -> Option<String> {
        let Varies([slow, fast]) = self.varies()?;
        Some(format!(
            "the rate went up and down between {} and {}, while the congestion window held more than the path does at rest: a queue stood all the time, before a link whose own rate changes, as that of a radio link does (LTE, 5G, Wi-Fi, a satellite), or of which others take now more and now less. Losses do not make that rate, nor does pacing at the sender mend it",
            crate::ceiling::bps(slow),
            crate::ceiling::bps(fast)
        ))
    }

    /// Whether it is a radio link.
    pub(crate) fn asks_varying(&self) -> Option<MissingFact> {
        self.varies()?;
        Some(MissingFact {
            fact: "radio_signal",
            would_decide: "whether the link is one of radio whose rate changes with its signal and its cell, or others share it".to_owned(),
            command: "during a test, beside its rate: the signal that the modem or access point shows (RSRP and SINR of LTE and 5G: mmcli -m 0 --signal-get; of Wi-Fi: iw dev INTERFACE link); then the same test at a quiet hour, and from another place".to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::{Figure, Place};

    /// Seconds at these rates, Mbit/s, with these windows, kB; 60 ms at rest.
    fn evidence(rows: &[(f64, f64)]) -> Evidence {
        let row = |(mbit, kilo): &(f64, f64)| (mbit * 1e6, 0.0, Some(kilo * 1e3));
        Evidence {
            rate: Some(Figure::exact(20e6, Place::You)),
            rtt_floor: Some(Figure::exact(0.06, Place::You)),
            counted: Row::intervals(1.0, rows.iter().map(row)),
            tester: true,
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        }
    }

    const RADIO: [(f64, f64); 12] = [
        (31.2, 420.0),
        (24.5, 610.0),
        (12.8, 640.0),
        (8.1, 650.0),
        (15.9, 660.0),
        (28.3, 700.0),
        (33.0, 760.0),
        (19.7, 520.0),
        (9.2, 530.0),
        (14.1, 540.0),
        (22.8, 560.0),
        (27.4, 590.0),
    ];

    #[test]
    fn a_rate_that_goes_up_and_down_before_a_standing_queue_is_a_links() {
        let radio = evidence(&RADIO);
        assert_eq!(radio.varies(), Some(Varies([8.1e6, 33e6])));
        assert!((radio.at_most_of_varying(Cause::CongestionLoss) - OPEN).abs() < 1e-9);
        // A window that goes with the rate makes it, one that does not fill the path does as well, and a rate that steps once has another reason.
        let made = RADIO.map(|(mbit, _)| (mbit, 30.0 * mbit));
        assert_eq!(evidence(&made).varies(), None);
        let small = RADIO.map(|(mbit, kilo)| (mbit, 0.2 * kilo));
        assert_eq!(evidence(&small).varies(), None);
        let once: Vec<(f64, f64)> = (0..12)
            .map(|n| (if n < 6 { 33.0 } else { 8.1 }, 640.0))
            .collect();
        assert_eq!(evidence(&once).varies(), None);
    }
}
