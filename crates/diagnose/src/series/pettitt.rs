//! Pettitt's test of values one after the other (Applied Statistics 28, 1979, 126–135): the instant from which they are others, and the
//! odds that chance did it.

use farpath_units::Key;

/// All orders of so many values are counted; of more, some are drawn.
const COUNTED: usize = 16;

/// Of more values than these the paper's formula is within a fifth of what drawn orders say.
const DRAWN: usize = 200;

/// Orders that are drawn: odds of 5 % are known to 0.2 %.
const ORDERS: u32 = 10_000;

/// Where values change most.
#[derive(Debug)]
pub(crate) struct Shift {
    /// The first of the others.
    pub(crate) first: usize,
    /// Pairs across that instant that rise less those that fall.
    most: i64,
    /// Of each value, how many of all are greater less how many are less: up to an instant these add up to such pairs across it.
    scores: Vec<i64>,
}

impl Shift {
    /// Where the values, in their order, change most; none where at no instant more rise than fall, or fall than rise.
    pub(crate) fn of(values: &[f64]) -> Option<Shift> {
        let score = |v: &f64| {
            let each = values.iter().map(|w| i64::from(w > v) - i64::from(w < v));
            each.sum::<i64>()
        };
        let scores: Vec<i64> = values.iter().map(score).collect();
        let (first, most) = (1..).zip(sums(&scores)).max_by_key(|(_, sum)| sum.abs())?;
        (most != 0).then_some(Shift {
            first,
            most,
            scores,
        })
    }

    /// The share of all orders of these values that change as much at any instant, 0 to 1.
    pub(crate) fn odds(&self) -> f64 {
        let most = self.most.abs();
        match self.scores.len() {
            few if few <= COUNTED => counted(&self.scores, most),
            some if some <= DRAWN => drawn(&self.scores, most),
            many => formula(many as f64, most as f64),
        }
    }
}

/// Sums of the first, the first two and so on.
fn sums(scores: &[i64]) -> impl Iterator<Item = i64> + '_ {
    scores.iter().scan(0_i64, |sum, score| {
        *sum += score;
        Some(*sum)
    })
}

/// The odds by every order. A sum depends on which values it has, not on their order: the share of a set's orders whose sums stay below
/// `most` is the mean of that of the sets with one value fewer.
fn counted(scores: &[i64], most: i64) -> f64 {
    let sets = 1_usize << scores.len();
    let mut sum = vec![0_i64; sets];
    let mut below = vec![1.0_f64; sets];
    for set in 1..sets {
        let rest = set & (set - 1);
        sum[set] = sum[rest] + scores[set.trailing_zeros() as usize];
        let members = (0..scores.len()).filter(|n| (set >> n) & 1 == 1);
        let all: f64 = members.map(|n| below[set ^ (1 << n)]).sum();
        below[set] = match sum[set].abs() < most {
            true => all / f64::from(set.count_ones()),
            false => 0.0,
        };
    }
    1.0 - below[sets - 1]
}

/// The odds by orders that are drawn, the same for the same values; the order that was seen counts as one.
fn drawn(scores: &[i64], most: i64) -> f64 {
    let draws = Key::new(0).with("pettitt").stream();
    let mut scores = scores.to_vec();
    let (mut ordinal, mut reached) = (0_u64, 1_u32);
    for _ in 0..ORDERS {
        // Fisher and Yates.
        for last in (1..scores.len()).rev() {
            let with = draws.bits(ordinal) % (last as u64 + 1);
            scores.swap(last, with as usize);
            ordinal += 1;
        }
        reached += u32::from(sums(&scores).any(|sum| sum.abs() >= most));
    }
    f64::from(reached) / f64::from(ORDERS + 1)
}

/// The paper's approximation.
fn formula(n: f64, most: f64) -> f64 {
    2.0 * libm::exp(-6.0 * most * most / (n * n * n + n * n))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many values, and then so many that are all less; both close in on their middle from both sides, and have no change of their own.
    fn falls(before: i32, after: i32) -> Vec<f64> {
        let around = |middle: i32, many: i32| {
            let step = move |n: i32| (many - n) * if n % 2 == 0 { 1 } else { -1 };
            (0..many).map(move |n| f64::from(middle + step(n)))
        };
        around(1000, before).chain(around(0, after)).collect()
    }

    fn odds(values: &[f64]) -> f64 {
        Shift::of(values).expect("a shift").odds()
    }

    /// Of 2n values apart in the middle, two orders of (2n over n) change as much; of three and two, one order of three.
    #[test]
    fn odds_of_few_values_are_counted() {
        for (before, after, expected) in [
            (3, 2, 1.0 / 3.0),
            (3, 3, 2.0 / 20.0),
            (4, 4, 2.0 / 70.0),
            (5, 5, 2.0 / 252.0),
            (8, 8, 2.0 / 12_870.0),
        ] {
            let values = falls(before, after);
            let shift = Shift::of(&values).expect("a shift");
            assert_eq!(shift.first, before as usize);
            assert_eq!(shift.most, -i64::from(before * after));
            let found = shift.odds();
            assert!((found - expected).abs() < 1e-9, "{before} {after}: {found}");
        }
    }

    /// Every order by itself, of values of which some are equal.
    #[test]
    fn counted_odds_are_those_of_all_orders() {
        fn orders(left: &[i64], sum: i64, most: i64) -> (u32, u32) {
            if sum.abs() >= most {
                let all = (1..=left.len() as u32).product();
                return (all, all);
            }
            if left.is_empty() {
                return (0, 1);
            }
            let each = (0..left.len()).map(|n| {
                let mut rest = left.to_vec();
                let score = rest.remove(n);
                orders(&rest, sum + score, most)
            });
            each.fold((0, 0), |(a, b), (c, d)| (a + c, b + d))
        }
        for values in [
            [5.0, 5.0, 7.0, 3.0, 3.0, 1.0, 2.0],
            [1.0, 2.0, 1.0, 2.0, 1.0, 3.0, 3.0],
            [4.0, 1.0, 4.0, 4.0, 4.0, 4.0, 4.0],
        ] {
            let shift = Shift::of(&values).expect("a shift");
            let (reached, all) = orders(&shift.scores, 0, shift.most.abs());
            assert_eq!(all, 5040);
            let expected = f64::from(reached) / f64::from(all);
            assert!((shift.odds() - expected).abs() < 1e-9, "{values:?}");
        }
    }

    /// Drawn orders say what counted ones do, and of many values what the formula does.
    #[test]
    fn drawn_odds_are_near_the_others() {
        let shift = Shift::of(&falls(8, 4)).expect("a shift");
        let exact = counted(&shift.scores, 32);
        let found = drawn(&shift.scores, 32);
        assert!((exact - 0.0207).abs() < 1e-4, "{exact}");
        assert!((found - exact).abs() < 0.005, "{found} {exact}");
        // Twenty and three: the formula says 36 %.
        let few = odds(&falls(20, 3));
        assert!((0.22..0.28).contains(&few), "{few}");
        assert_eq!(few, odds(&falls(20, 3)));
        assert!(odds(&falls(150, 100)) < 1e-9);
    }

    #[test]
    fn equal_values_shift_nowhere() {
        assert!(Shift::of(&[2.0; 6]).is_none());
        assert!(Shift::of(&[]).is_none());
    }
}
