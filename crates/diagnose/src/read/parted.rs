//! Single answers of one run of pings whose round trip stepped, and stayed so: the path before it and after it are two.

use crate::fact::{Figure, Place};
use crate::paths::apart::lie_apart;

/// A single answer: its round trip, ms, and its TTL where it was printed.
pub(super) type Answer = (Figure, Option<u32>);

/// Each part has so many answers at least.
const PART_LEAST: usize = 3;

/// Of this part of the answers of a part the slowest do not count: each path has some that were late.
const LATE: usize = 10;

/// The TTL that every answer of a part has.
fn ttl(part: &[Answer]) -> Option<u32> {
    let first = part.first()?.1?;
    part.iter().all(|a| a.1 == Some(first)).then_some(first)
}

/// The round trips of a part without its latest, shortest first.
fn usual(part: &[Answer]) -> Vec<f64> {
    let mut all: Vec<f64> = part.iter().map(|a| a.0.value).collect();
    all.sort_by(f64::total_cmp);
    all.truncate(all.len() - all.len() / LATE);
    all
}

/// Least, mean and most of the two parts of a run; none of one that does not step once, or not for good. An answer between the two
/// may be of neither.
pub(super) fn parted(answers: &[Answer]) -> Option<[[Figure; 3]; 2]> {
    let enough = |at: &usize| answers.len() - at >= PART_LEAST;
    let steps = (PART_LEAST..answers.len()).filter(enough);
    let apart = |at: usize| (answers[at].0.value - answers[at - 1].0.value).abs();
    let mut steps: Vec<usize> = steps.collect();
    steps.sort_by(|a, b| apart(*b).total_cmp(&apart(*a)));
    // The largest two: where an answer lies between the parts there are two steps.
    steps.into_iter().take(2).find_map(|at| {
        let whole = of_parts(&answers[..at], &answers[at..]);
        let rest = (answers.len() - at > PART_LEAST).then(|| &answers[at + 1..]);
        whole.or_else(|| of_parts(&answers[..at], rest?))
    })
}

fn of_parts(before: &[Answer], after: &[Answer]) -> Option<[[Figure; 3]; 2]> {
    let parts = [before, after];
    let times = parts.map(|part| {
        let all = usual(part);
        let (least, most) = (all[0], all[all.len() - 1]);
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        // A sum of many is rounded.
        [least, mean.clamp(least, most), most]
    });
    let mut runs = times.map(|three| three.map(|ms| ms * 1e6));
    runs.sort_by(|a, b| a[1].total_cmp(&b[1]));
    let turned = ttl(before).zip(ttl(after)).is_some_and(|(x, y)| x != y);
    if !lie_apart(runs[0], runs[1], turned) {
        return None;
    }
    let figures = |(part, three): (&[Answer], [f64; 3])| {
        let at = part.last().and_then(|a| a.0.from.first().copied());
        three.map(|value| Figure::exact(value, at.unwrap_or(Place::You)))
    };
    Some([(before, times[0]), (after, times[1])].map(figures))
}

/// The TTL of answers before and after it changed for good, where it did so once.
pub(super) fn turned(answers: &[Answer]) -> Option<[u32; 2]> {
    let at = answers.windows(2).position(|two| two[0].1 != two[1].1)? + 1;
    let (before, after) = answers.split_at(at);
    let enough = before.len().min(after.len()) >= PART_LEAST;
    let both = ttl(before).zip(ttl(after)).filter(|_| enough)?;
    Some([both.0, both.1])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(all: &[(f64, u32)]) -> Vec<Answer> {
        let answer = |(ms, ttl): &(f64, u32)| (Figure::exact(*ms, Place::You), Some(*ttl));
        all.iter().map(answer).collect()
    }

    #[test]
    fn a_step_that_stays_parts_a_run() {
        let mut all = vec![(20.1, 55); 4];
        all.extend([(84.6, 51); 6]);
        let [before, after] = parted(&run(&all)).expect("it steps");
        assert!((before[1].value - 20.1).abs() < 1e-9 && (after[1].value - 84.6).abs() < 1e-9);
        // One answer on the way from one to the other is of neither.
        all.insert(4, (47.0, 55));
        assert!(parted(&run(&all)).is_some());
        assert_eq!(turned(&run(&all)), Some([55, 51]));
    }

    #[test]
    fn what_varies_or_comes_back_is_one_run() {
        let mut back = vec![(20.1, 55); 5];
        back.extend([(84.6, 51); 4]);
        back.extend([(20.1, 55); 5]);
        assert!(parted(&run(&back)).is_none() && turned(&run(&back)).is_none());
        // A queue that fills, and one late answer.
        let fills: Vec<(f64, u32)> = (0..12).map(|n| (20.0 + 6.0 * f64::from(n), 55)).collect();
        assert!(parted(&run(&fills)).is_none());
        let mut late = vec![(20.1, 55); 9];
        late[4].0 = 180.0;
        assert!(parted(&run(&late)).is_none());
        // Paths of equal cost take turns.
        let equal: Vec<(f64, u32)> = (0..12).map(|n| (20.0, 54 + n % 2)).collect();
        assert!(turned(&run(&equal)).is_none());
    }
}
