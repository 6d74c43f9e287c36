//! The mean and the middle of the rates of intervals.

/// The mean of some numbers, 0 of none.
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The middle one of some numbers, the greater of two; none of none.
pub(crate) fn middle(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut all: Vec<f64> = values.into_iter().collect();
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_an_even_number_the_greater_of_two_is_the_middle() {
        assert_eq!(middle([4.0, 1.0, 3.0]), Some(3.0));
        assert_eq!(middle([4.0, 1.0, 3.0, 2.0]), Some(3.0));
        assert_eq!((middle([]), mean(&[])), (None, 0.0));
        assert_eq!(mean(&[1.0, 2.0]), 1.5);
    }
}
