//! Waiting at a transmitter that serves equal datagrams.

/// Mean wait of Poisson arrivals in units of one service: ρ/(2(1 − ρ)) (M/D/1; Pollaczek and
/// Khinchine), the service itself not counted. `None` at a load of 1 or above, where no mean exists.
pub fn md1_wait(load: f64) -> Option<f64> {
    (load < 1.0).then(|| load / (2.0 * (1.0 - load)))
}

/// Share of equally spaced arrivals that a full queue must drop: 1 − 1/ρ, and none up to a load of
/// 1 (D/D/1 with a finite queue, in steady state).
pub fn dd1_drop_ratio(load: f64) -> f64 {
    libm::fmax(0.0, 1.0 - 1.0 / load)
}
