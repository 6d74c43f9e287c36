//! Ratios between 0 and 1: loss, utilisation, share.

/// A ratio in `[0, 1]`, such as a loss probability.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Ratio(f64);

impl Ratio {
    /// A ratio; `None` outside `[0, 1]` or not a number.
    pub fn new(value: f64) -> Option<Ratio> {
        (0.0..=1.0).contains(&value).then_some(Ratio(value))
    }

    /// The value in `[0, 1]`.
    #[inline]
    pub const fn get(self) -> f64 {
        self.0
    }
}
