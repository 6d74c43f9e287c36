//! A shaper, and a link of the path that is slower than the line is said to be: both leave the same rate and fill the same queue.

use crate::asking::Asking;
use crate::cause::Cause;
use crate::ceiling::bps;
use crate::document::MissingFact;
use crate::evidence::Evidence;
use crate::fact::Place;
use crate::infer::Ranking;
use crate::losses::lookalike::share_lead;

/// The two, the one that is named first.
pub(crate) const BOTH: [Cause; 2] = [Cause::Shaper, Cause::Link];

/// From so many times the rate of one connection on several carry more: what held the one is not a link.
const MORE: f64 = 1.2;

/// Most that is said of either.
const EITHER: f64 = 0.6;

impl Evidence {
    /// Whether another test between the same hosts shows that the path carries more.
    fn carries_more(&self) -> bool {
        let counted = &self.counted_else;
        let wider = counted.wider.is_some_and(|(_, times)| times > MORE);
        wider || counted.faster.is_some() || counted.once.is_some()
    }

    /// Whether all that speaks for a shaper rather than a slower link is the gap between the rate and what the line is said to have.
    fn may_be_slower_line(&self) -> bool {
        let named = self.around.own_queue.is_some() && self.shaper.is_none();
        let shaped = self.is_shaped() || named || self.around.cloud.shapes(self);
        // A bucket of tokens lets the start alone be faster than the rest, a slower link never.
        self.line.is_some() && !shaped && !self.carries_more() && !self.starts_beyond()
    }

    /// The most that is said of a shaper that a slower link would look like.
    pub(crate) fn at_most_of_slower_line(&self, cause: Cause) -> f64 {
        match cause == BOTH[0] && self.may_be_slower_line() {
            true => EITHER,
            false => 1.0,
        }
    }

    /// How fast the links of the path are, where a shaper stands first, and one of them may as well be slower than was said.
    pub(crate) fn asks_slower_line(
        &self,
        asking: &Asking,
        likely: &[Cause],
    ) -> Option<MissingFact> {
        let leads = likely.first() == Some(&BOTH[0]);
        (leads && self.may_be_slower_line()).then(|| MissingFact {
            fact: "line_bps",
            would_decide: "whether a link of the path is slower than the line is said to be, or a shaper holds the flow: beside a link that carries just what was measured no shaper is needed".to_owned(),
            command: format!(
                "the speed that the modem and each router's interface towards {} state (ethtool INTERFACE, show interfaces), and what the contract allows; then farpath diagnose --line RATE ... with the slowest of them",
                asking.host
            ),
        })
    }
}

/// Shares a shaper's lead with the line, where nothing but what was said of the line tells them apart. Says so where it does.
pub(crate) fn even_out(e: &Evidence, ranking: &mut [Ranking]) -> Option<String> {
    let leads = ranking.first().is_some_and(|r| r.cause == BOTH[0]);
    let (line, what) = e
        .line
        .as_ref()
        .filter(|_| leads && e.may_be_slower_line())?;
    share_lead(ranking, BOTH, 1.0);
    let than = match line.from.contains(&Place::You) {
        true => format!(
            "the {} that you gave, which was said and not measured",
            bps(line.value)
        ),
        false => format!("{}, which has {}", e.line_called(what), bps(line.value)),
    };
    let [service, tell] = match e.may_cross_service() {
        true => [
            "a service that is sold at this rate, or ",
            "the contract and the speed of each link on the way tell",
        ],
        false => ["", "the speed of each link on the way tells"],
    };
    Some(format!(
        "{service}a link of the path that is slower than {than}, leaves the same rate and fills the same queue as a shaper: only the gap to that figure speaks for one, and {tell} them apart"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::Figure;

    /// 282 Mbit/s on a line that is said to carry 1 Gbit/s.
    fn evidence() -> Evidence {
        Evidence {
            rate: Some(Figure::exact(282e6, Place::You)),
            line: Some((Figure::exact(1e9, Place::You), "the line")),
            steady: vec![282e6; 8],
            peak: 283e6,
            interval_s: 1.0,
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        }
    }

    #[test]
    fn a_bucket_of_tokens_tells_a_shaper_from_a_slower_link() {
        assert!(evidence().may_be_slower_line());
        // 700 Mbit/s more for a second are 87 MB: no socket holds so much.
        for peak_grain in [0.0, 1e6] {
            let burst = Evidence {
                peak: 982e6,
                peak_grain,
                ..evidence()
            };
            assert!(!burst.may_be_slower_line());
        }
        // 100 Mbit/s more are 12.5 MB, which may have filled the sender's socket; what arrived did not.
        let filled = |peak_grain: f64| Evidence {
            peak: 382e6,
            peak_grain,
            ..evidence()
        };
        assert!(filled(1e6).may_be_slower_line());
        assert!(!filled(0.0).may_be_slower_line());
        // A window of 50 MB, and as much again in the sender's socket, hold 87 MB; one of 5 MB does not.
        let with = |cwnd: f64| Evidence {
            peak: 982e6,
            peak_grain: 1e6,
            cwnd: Some(Figure::exact(cwnd, Place::You)),
            ..evidence()
        };
        assert!(with(50e6).may_be_slower_line());
        assert!(!with(5e6).may_be_slower_line());
    }

    #[test]
    fn a_shaper_that_is_stated_or_a_faster_test_tells_them_apart() {
        let stated = Evidence {
            shaper: Some(Figure::exact(300e6, Place::You)),
            ..evidence()
        };
        assert!(!stated.may_be_slower_line());
        let mut wider = evidence();
        wider.counted_else.wider = Some((8.0, 2.5));
        assert!(!wider.may_be_slower_line());
        let unsaid = Evidence {
            line: None,
            ..evidence()
        };
        assert!(!unsaid.may_be_slower_line());
    }
}
