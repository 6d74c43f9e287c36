//! A queue that is too short and a policer drop the same packets: a queue of some bytes before a line drops exactly what a bucket of as many
//! tokens, filled at the line's rate, refuses. Packets wait in the queue alone, for a time that a round trip hardly shows where the line is fast.

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::infer::Ranking;
use crate::items::{Item, spread, step};
use crate::seen::{Row, after_start};

/// What refuses a burst.
pub(crate) const BOTH: [Cause; 2] = [Cause::Policer, Cause::ShallowBuffer];

/// An item that speaks by so many decibans more for one of them than for the other tells them apart.
const TELLS: f64 = 8.0;

/// The share of both that the likelier of the two has where nothing tells them apart.
pub(crate) const FIRST: f64 = 0.51;

/// What would tell them apart.
const ASK: &str = "datagrams below the line's rate tell them apart (iperf3 -u): a policer takes what comes faster than its own rate, a short queue none";

/// What else does where no line is known.
const COUNTS: &str = "pings beside the test take longer where a queue fills, and of a port's queue and a policer the one that dropped has a counter that grew";

/// Who else could.
const KNOWS: &str = "who runs the router knows its queue and its policers";

/// From this part of their mean on intervals differ as a window does between its cuts, fully from the second on: a rate that tokens refill
/// stays.
const UNEVEN: [f64; 2] = [0.06, 0.08];

/// The part of what was sent again that was sent so at the start, and how surely losses hardly came later, 0 to 1; none without losses.
fn at_start(e: &Evidence) -> Option<(f64, f64)> {
    let again = |rows: &[Row]| -> f64 { rows.iter().filter_map(|r| r.retransmits).sum() };
    let all = again(&e.counted);
    let (first, later) = after_start(&e.counted);
    if all <= 0.0 || later.is_empty() {
        return None;
    }
    let lossy = |r: &&Row| r.retransmits.is_some_and(|n| n > 0.0);
    let lossy = later.iter().filter(lossy).count() as f64 / later.len() as f64;
    Some((again(first) / all, 1.0 - step(lossy, 0.3, 0.5)))
}

/// How surely what was sent again was lost at the start for the most part, and hardly anything later, 0 to 1.
fn of_start(e: &Evidence) -> f64 {
    at_start(e).map_or(0.0, |(early, calm)| step(early, 0.5, 0.75) * calm)
}

/// Whether most of what was sent again was lost at the start, and hardly anything later.
pub(crate) fn is_of_start(e: &Evidence) -> bool {
    of_start(e) > 0.5
}

/// How much more an item speaks for a policer than for a short queue, decibans.
fn apart(item: &Item) -> f64 {
    let of = |cause: Cause| -> f64 {
        let own = item.weights.iter().filter(|(c, _)| *c == cause);
        own.map(|(_, weight)| weight).sum()
    };
    item.holds * (of(BOTH[0]) - of(BOTH[1]))
}

/// How surely the rate after the start goes up and down, as it does where bursts alone are refused, 0 to 1: by a queue, or by a bucket that
/// the flow does not keep empty.
fn uneven(e: &Evidence) -> f64 {
    if e.held().is_some() {
        return 0.0;
    }
    // Whole writes make a rate uneven that is not.
    let beyond = |s: f64| libm::sqrt((s * s - e.grain * e.grain).max(0.0));
    spread(&e.steady).map_or(1.0, |s| step(beyond(s), UNEVEN[0], UNEVEN[1]))
}

/// How surely nothing tells them apart, 0 to 1. A line that is known does not: of a path with much in flight a queue that refuses bursts
/// leaves as little of it as a policer.
fn is_open(e: &Evidence, items: &[Item]) -> f64 {
    if e.is_bbr() || e.policer.is_some() || items.iter().any(|i| apart(i) >= TELLS) {
        return 0.0;
    }
    match &e.line {
        Some(_) => of_start(e).max(uneven(e)),
        None => 1.0,
    }
}

/// Fewer intervals after the start than this show no rate that stays, and not how losses lie in time.
const INTERVALS_LEAST: usize = 2;

/// The most that is said of any cause where how much was sent again is all that speaks for a policer, which leads: it is not a verdict.
const BY_SHARE: f64 = 0.39;

/// Whether how much was sent again is all that speaks for a kind of loss: no intervals, no account of a sender's time, no datagrams, and
/// nothing that tells a policer from a short queue.
fn is_by_share(e: &Evidence, open: f64) -> bool {
    let few = e.steady.len() < INTERVALS_LEAST && e.account.is_none();
    open > 0.5 && few && e.again.is_some() && !e.udp && e.counted_else.lacks_datagrams()
}

/// Takes from a policer's lead what only the pattern of losses gives it, where nothing tells it from a queue that is too short. Says so where
/// it does.
pub(crate) fn even_out(e: &Evidence, items: &[Item], ranking: &mut [Ranking]) -> Option<String> {
    let open = is_open(e, items);
    let leads = ranking.first().is_some_and(|r| r.cause == BOTH[0]);
    if leads && is_by_share(e, open) {
        for ranked in ranking {
            ranked.confidence = ranked.confidence.min(BY_SHARE);
        }
        return Some(format!(
            "how much was sent again is all that speaks for a policer here, and a full queue or chance may cost as much: a longer test with an interval for each second shows more, and {ASK}"
        ));
    }
    share_refused(ranking, open).then(|| {
        let both = 2.0 * even_part(ranking, &BOTH);
        format!(
            "a policer and a queue that is too short have {:.0} % together: {}",
            100.0 * both,
            sentence(e)
        )
    })
}

/// What leads stays a verdict of at least so much, if it was one: it says then what would tell the two apart.
const STAYS: f64 = 0.41;

/// Shares the confidence of a policer that leads with a short queue, as surely as `open` says that nothing tells them apart, 0 to 1. It stays
/// ahead of every other cause. Whether they are shared then, of a policer that was a verdict.
fn share_refused(ranking: &mut [Ranking], open: f64) -> bool {
    let leads = ranking.first().is_some_and(|r| r.cause == BOTH[0]);
    let other = ranking.iter().position(|r| r.cause == BOTH[1]);
    let Some(other) = other.filter(|_| leads) else {
        return false;
    };
    let lead = ranking[0].confidence;
    let others = most_of_others(ranking, &BOTH);
    let both = lead + ranking[other].confidence;
    let least = (FIRST * both).max(others).max(STAYS);
    ranking[0].confidence = lead + open * (least - lead).min(0.0);
    ranking[other].confidence = both - ranking[0].confidence;
    ranking[1..].sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    open > 0.5 && lead >= STAYS
}

/// Shares the confidence of two causes, of which the first leads, as surely as `open` says that nothing tells them apart, 0 to 1. Whether
/// they are even then, rather than not.
pub(crate) fn share_lead(ranking: &mut [Ranking], both: [Cause; 2], open: f64) -> bool {
    let leads = ranking.first().is_some_and(|r| r.cause == both[0]);
    let other = ranking.iter().position(|r| r.cause == both[1]);
    let Some(other) = other.filter(|_| leads) else {
        return false;
    };
    let both = ranking[0].confidence + ranking[other].confidence;
    // Where others are likely, too, they would be ahead of either half.
    let alike = open * step(both, 0.75, 0.85);
    share(ranking, other, alike);
    alike > 0.5
}

/// Gives what the first has above its half of both to the other, the cause at this place, as far as they are alike, 0 to 1.
pub(crate) fn share(ranking: &mut [Ranking], other: usize, alike: f64) {
    let lead = ranking[0].confidence;
    let both = lead + ranking[other].confidence;
    ranking[0].confidence = lead + alike * (FIRST * both - lead).min(0.0);
    ranking[other].confidence = both - ranking[0].confidence;
    ranking[1..].sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
}

/// What each of these causes has where they share evenly, of what they have together.
pub(crate) fn even_part(ranking: &[Ranking], alike: &[Cause]) -> f64 {
    let own = ranking.iter().filter(|r| alike.contains(&r.cause));
    let all: f64 = own.map(|r| r.confidence).sum();
    all / alike.len() as f64
}

/// The most that a cause has which is none of these.
pub(crate) fn most_of_others(ranking: &[Ranking], alike: &[Cause]) -> f64 {
    let others = ranking.iter().filter(|r| !alike.contains(&r.cause));
    others.map(|r| r.confidence).fold(0.0, f64::max)
}

/// Gives each of these causes so much.
pub(crate) fn give_each(ranking: &mut [Ranking], alike: &[Cause], each: f64) {
    for ranked in ranking.iter_mut().filter(|r| alike.contains(&r.cause)) {
        ranked.confidence = each;
    }
    ranking.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
}

/// Why they are alike here, and what would tell them apart.
fn sentence(e: &Evidence) -> String {
    let ask = match &e.line {
        Some(_) => format!("{ASK}; {KNOWS}"),
        None => format!("{ASK}; {COUNTS}. The line's rate helps (--line), and {KNOWS}"),
    };
    match at_start(e).filter(|_| is_of_start(e)) {
        Some((early, _)) => format!(
            "{:.0} % of what was sent again was lost at the start, and hardly anything later: slow start overruns a queue that is too short just as it empties a policer's bucket of tokens; {ask}",
            early * 100.0
        ),
        None => format!(
            "a queue that is too short drops what a policer with as large a bucket drops; {ask}"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranking(of: &[(Cause, f64)]) -> Vec<Ranking> {
        let each = of.iter().map(|(cause, confidence)| Ranking {
            cause: *cause,
            confidence: *confidence,
        });
        each.collect()
    }

    /// A policer of 66 % and a short queue of 8 % were left as they are, as both are less than 75 %.
    #[test]
    fn a_policer_shares_with_a_short_queue_where_others_are_likely_too() {
        let of = |policer: f64, queue: f64, chance: f64, open: f64| {
            let mut all = ranking(&[
                (Cause::Policer, policer),
                (Cause::RandomLoss, chance),
                (Cause::ShallowBuffer, queue),
            ]);
            let even = share_refused(&mut all, open);
            let sum: f64 = all.iter().map(|r| r.confidence).sum();
            assert!((sum - policer - queue - chance).abs() < 1e-9, "{all:?}");
            assert_eq!(all[0].cause, Cause::Policer);
            (even, all[0].confidence, all[1])
        };
        let (even, first, next) = of(0.66, 0.08, 0.26, 1.0);
        assert!(even && (first - STAYS).abs() < 1e-9, "{first}");
        assert_eq!(next.cause, Cause::ShallowBuffer);
        let (even, first, next) = of(0.82, 0.1, 0.08, 1.0);
        assert!(even && first < 0.48, "{first}");
        assert!(next.confidence > 0.44, "{next:?}");
        // No half is taken from what stands ahead of chance by little, and none where something tells the two apart.
        let (_, first, next) = of(0.5, 0.02, 0.48, 1.0);
        assert!(first >= next.confidence, "{first} {next:?}");
        let (even, first, _) = of(0.66, 0.08, 0.26, 0.0);
        assert_eq!((even, first), (false, 0.66));
    }
}
