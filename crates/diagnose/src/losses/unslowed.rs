//! Losses beneath a sender of BBR, which few of them slow down.
//!
//! A policer takes of it what it sends above the policer's rate, 1 − rate / pacing. BBR sends a quarter more in one of some eight round trips,
//! and its later versions bear a loss of 2 % (draft-cardwell-iccrg-bbr-congestion-control, `ProbeBW` and `BBRLossThresh`). So a share of
//! about 1 % names no policer by itself: chance takes as much, and leaves BBR its rate.

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::fact::Figure;
use crate::items::{Item, step};
use crate::part::part;

/// From this share of segments on a policer may have taken them, of a sender that losses slow down: so much at least is cut again and again.
const POLICED: [f64; 2] = [0.003, 0.012];

/// The same of a sender of BBR.
const POLICED_OF_BBR: [f64; 2] = [0.02, 0.08];

/// A tenth of its packets may be lost before BBR slows down.
const BORNE: [f64; 2] = [0.1, 0.2];

/// How surely so large a share of segments sent again is one that a policer takes, 0 to 1. Of BBR a rate that stays where more passed before
/// shows as much as a larger share.
pub(crate) fn policed(e: &Evidence, share: f64) -> f64 {
    let [least, enough] = match e.is_bbr() && e.burst().is_none() {
        true => POLICED_OF_BBR,
        false => POLICED,
    };
    step(share, least, enough)
}

/// Weighs the share that a sender of BBR sends again.
pub(crate) fn by_unslowed(e: &Evidence, share: &Figure, items: &mut Vec<Item>) {
    if !e.is_bbr() {
        return;
    }
    items.push(Item {
        holds: 1.0 - step(share.value, BORNE[0], BORNE[1]),
        // A queue that is full drops some, and leaves it the line all the same.
        weights: vec![(Cause::RandomLoss, -8.0), (Cause::CongestionLoss, -6.0)],
        sentence: String::new(),
    });
    // Fewer are not worth a word, and more are said where they are weighed.
    let little = (POLICED[0]..POLICED_OF_BBR[0]).contains(&share.value);
    items.push(Item {
        holds: f64::from(u8::from(little && e.burst().is_none())),
        weights: Vec::new(),
        sentence: format!(
            "{} of the segments were sent again, which hardly slows BBR down: by itself that names neither chance nor a policer as the limit",
            part(share.value)
        ),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::Account;
    use crate::fact::Place;
    use crate::infer::{Ranking, weigh};

    /// BBR at 80 Mbit/s with 1 % sent again, and what a capture at its receiver shows: a full line for this share of the time.
    fn evidence(link: f64) -> Evidence {
        let shares = [("link", link), ("cwnd_recovery", 1.0 - link)];
        Evidence {
            rate: Some(Figure::exact(80e6, Place::You)),
            bytes: Some(Figure::exact(100e6, Place::You)),
            again: Some(Figure::exact(0.01, Place::You)),
            retransmits: Some(Figure::exact(690.0, Place::You)),
            cc: Some("bbr".to_owned()),
            account: Some(Account::captured(shares, 0.25)),
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        }
    }

    fn of(ranking: &[Ranking], cause: Cause) -> f64 {
        let found = ranking.iter().find(|r| r.cause == cause);
        found.map_or(0.0, |r| r.confidence)
    }

    /// Where packets wait no policer takes them, wherever the capture was taken.
    #[test]
    fn a_full_line_beneath_bbr_is_no_policer() {
        let weighed = weigh(&evidence(0.85), &[]);
        let ranking = &weighed.ranking;
        assert_eq!(ranking[0].cause, Cause::Link, "{ranking:?}");
        assert!(of(ranking, Cause::Policer) < 0.02, "{ranking:?}");
        let says = |text: &str| weighed.because.iter().any(|(_, t)| t.contains(text));
        assert!(says(
            "for 85 % of the time what was sent more waited in a queue"
        ));
        assert!(says(
            "1.00 % of the segments were sent again, which hardly slows BBR down"
        ));
    }

    /// A hundredth is less than a policer takes of BBR, unless more passed before; of CUBIC it is much.
    #[test]
    fn a_hundredth_that_bbr_sends_again_names_no_policer() {
        let bbr = evidence(0.85);
        assert_eq!(policed(&bbr, 0.01), 0.0);
        assert!(policed(&bbr, 0.1) >= 1.0);
        let cubic = Evidence {
            cc: Some("cubic".to_owned()),
            ..evidence(0.85)
        };
        assert!(policed(&cubic, 0.01) > 0.7);
        let ranking = weigh(&evidence(0.1), &[]).ranking;
        assert!(of(&ranking, Cause::Policer) < 0.4, "{ranking:?}");
    }
}
