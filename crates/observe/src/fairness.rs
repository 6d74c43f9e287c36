//! How equal shares are.

/// (Σx)² / (n · Σx²) (Jain, Chiu, Hawe, DEC-TR-301, 1984); none when nothing was delivered.
pub(crate) fn jain_index(goodputs: &[f64]) -> Option<f64> {
    let squares: f64 = goodputs.iter().map(|g| g * g).sum();
    let sum: f64 = goodputs.iter().sum();
    (squares > 0.0).then(|| sum * sum / (goodputs.len() as f64 * squares))
}

/// The least goodput over the greatest; none when nothing was delivered.
pub(crate) fn least_share(goodputs: &[f64]) -> Option<f64> {
    let least = goodputs.iter().copied().reduce(f64::min)?;
    let greatest = goodputs.iter().copied().reduce(f64::max)?;
    (greatest > 0.0).then(|| least / greatest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jains_index_is_one_for_equals_and_a_share_for_one_of_many() {
        assert_eq!(jain_index(&[3.0, 3.0]), Some(1.0));
        assert_eq!(jain_index(&[4.0, 0.0, 0.0, 0.0]), Some(0.25));
        assert_eq!(jain_index(&[0.0]), None);
    }
}
