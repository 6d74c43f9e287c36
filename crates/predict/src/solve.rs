//! Where a quantity that grows has a value.

/// What between two powers of ten gives a `quantity`, which grows with it, the value `wanted`: halved 200 times, to the last bit of
/// a double.
pub(crate) fn solve(wanted: f64, [low, high]: [f64; 2], quantity: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (low, high);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if quantity(libm::exp10(middle)) < wanted {
            low = middle;
        } else {
            high = middle;
        }
    }
    libm::exp10(0.5 * (low + high))
}
