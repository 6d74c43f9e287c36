//! A part of a whole, for people.

/// Percent from this part on; a smaller one has an exponent.
const PERCENT: f64 = 1e-3;

/// `1.23 %`, `36.0 %`, `5.80e-5`.
pub(crate) fn part(of_one: f64) -> String {
    match of_one * 100.0 {
        percent if percent >= 9.995 => format!("{percent:.1} %"),
        percent if of_one >= PERCENT => format!("{percent:.2} %"),
        _ => format!("{of_one:.2e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::part;

    #[test]
    fn a_part_is_percent_unless_it_is_small() {
        assert_eq!(part(0.36), "36.0 %");
        assert_eq!(part(0.0123), "1.23 %");
        assert_eq!(part(5.8e-5), "5.80e-5");
    }
}
