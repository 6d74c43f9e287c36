//! A log alone: losses in all of its intervals, and neither a round trip nor a line. A policer that takes whatever comes, and chance, leave
//! the same log then: what chance leaves of a rate goes by the round trip.

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::items::spread;
use crate::seen::after_start;

/// The most that is said of a policer then: it is not a verdict.
const OPEN: f64 = 0.35;

/// Fewer losses in one interval are as good as none. A choice.
const LOSSES_LEAST: f64 = 4.0;

/// Intervals that differ by so many times what losses by chance make of them may be of chance. A choice.
const BY_CHANCE: [f64; 2] = [0.4, 2.0];

impl Evidence {
    /// Whether nothing stands beside a log by which a policer and chance would differ.
    fn is_bare(&self) -> bool {
        let rtts = [&self.rtt, &self.rtt_idle, &self.rtt_floor];
        let timed = rtts.into_iter().any(Option::is_some);
        let stated = self.line.is_some() || self.policer.is_some() || self.shaper.is_some();
        let seen = self.found_policer.is_some() || self.account.is_some();
        let counted = !self.counted_else.lacks_datagrams() || self.around.ports.police();
        let other = self.udp || self.is_bbr() || self.streams > 1.0;
        !timed && !stated && !seen && !counted && !other
    }

    /// Whether a log alone fits a policer and losses by chance alike: each interval after the start has some, and they differ as chance makes
    /// them, by half over the root of the losses in one.
    fn is_open_log(&self) -> bool {
        if !self.is_bare() || self.burst().is_some() {
            return false;
        }
        let (_, later) = after_start(&self.counted);
        let losses: Vec<f64> = later.iter().filter_map(|r| r.retransmits).collect();
        let strewn = losses.len() == later.len() && losses.iter().all(|n| *n >= LOSSES_LEAST);
        let rates: Vec<f64> = later.iter().map(|r| r.bps).collect();
        let Some(seen) = spread(&rates).filter(|_| strewn) else {
            return false;
        };
        let mean = losses.iter().sum::<f64>() / losses.len() as f64;
        let chance = 0.5 / mean.sqrt();
        (BY_CHANCE[0]..=BY_CHANCE[1]).contains(&(seen / chance))
    }

    /// The most that is said of a cause where a log alone does not decide.
    pub(crate) fn at_most_of_bare_log(&self, cause: Cause) -> f64 {
        match cause == Cause::Policer && self.is_open_log() {
            true => OPEN,
            false => 1.0,
        }
    }

    /// What would decide it, for people.
    pub(crate) fn bare_log_in_words(&self) -> Option<String> {
        let text = "segments are lost in every interval, and the rate varies as losses by chance make it vary: a log alone leaves open whether they are a policer's. The round trip (ping) says what rate so many losses by chance leave, and datagrams at a steady rate (iperf3 -u) whether less is lost below a ceiling";
        self.is_open_log().then(|| text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::{Figure, Place};
    use crate::seen::Row;

    /// Seconds at these rates, Mbit/s, and what was sent again in each.
    fn log(rows: &[(f64, f64)]) -> Evidence {
        Evidence {
            counted: Row::seconds(rows),
            streams: 1.0,
            ..Evidence::default()
        }
    }

    /// 21 losses a second leave 11 % by chance; the seconds differ by 7 %.
    const STREWN: [(f64, f64); 10] = [
        (212.0, 31.0),
        (231.0, 12.0),
        (198.0, 40.0),
        (244.0, 9.0),
        (205.0, 28.0),
        (222.0, 17.0),
        (239.0, 11.0),
        (201.0, 33.0),
        (218.0, 20.0),
        (230.0, 14.0),
    ];

    #[test]
    fn losses_strewn_over_a_log_alone_do_not_name_a_policer() {
        let most = |e: &Evidence| e.at_most_of_bare_log(Cause::Policer);
        let bare = log(&STREWN);
        assert_eq!(most(&bare), OPEN);
        assert_eq!(bare.at_most_of_bare_log(Cause::RandomLoss), 1.0);
        assert!(bare.bare_log_in_words().is_some());
        // With a round trip the law decides.
        let timed = Evidence {
            rtt: Some(Figure::exact(0.02, Place::You)),
            ..log(&STREWN)
        };
        assert_eq!(most(&timed), 1.0);
        // A rate that stays through losses is held.
        let flat = STREWN.map(|(_, again)| (94.4, again));
        assert_eq!(most(&log(&flat)), 1.0);
        // Seconds without any loss are of something else.
        let mut some = STREWN;
        some[5].1 = 0.0;
        assert_eq!(most(&log(&some)), 1.0);
    }
}
