//! Intervals in which slow start still climbed, before a rate that stands level: on a long path they are more than a test's first fifth.

use crate::items::spread;

/// Intervals that differ by less than this part of their mean stand level.
const LEVEL: f64 = 0.03;

/// Those of a climb are slower than this part of it.
const BELOW: f64 = 0.8;

/// How many of the first of these intervals without losses, bit/s, are of a climb: each is faster than the one before it, and half of
/// all intervals or more stand level behind it. 0 where none are.
pub(crate) fn climb(rows: &[f64]) -> usize {
    let level = |n: &usize| spread(&rows[*n..]).is_some_and(|s| s < LEVEL);
    let Some(n) = (0..=rows.len() / 2).find(level) else {
        return 0;
    };
    let (before, behind) = rows.split_at(n);
    let mean = behind.iter().sum::<f64>() / behind.len().max(1) as f64;
    let rises = before.windows(2).all(|two| two[0] < two[1]);
    let below = before.iter().all(|rate| *rate < BELOW * mean);
    if rises && below { n } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::climb;

    #[test]
    fn a_climb_ends_where_the_rate_stands_level() {
        assert_eq!(climb(&[4.1, 8.2, 8.4, 8.3, 8.4, 8.3, 8.4, 8.4]), 1);
        assert_eq!(climb(&[1.0, 2.0, 4.0, 8.2, 8.4, 8.3, 8.4, 8.3]), 3);
        // Level from the first on, growing to the end, level for too short, and down before.
        assert_eq!(climb(&[8.4; 8]), 0);
        assert_eq!(climb(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]), 0);
        assert_eq!(climb(&[1.0, 2.0, 3.0, 4.0, 5.0, 8.4, 8.4, 8.4]), 0);
        assert_eq!(climb(&[6.0, 4.0, 8.4, 8.4, 8.4, 8.4, 8.4, 8.4]), 0);
        assert_eq!(climb(&[]), 0);
    }
}
