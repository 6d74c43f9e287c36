//! Weights, written by `cargo xtask corpus --fit`: do not edit.

/// Decibans times this are the logarithm of odds, times ten.
pub(crate) const SCALE: f64 = 1.0;

/// The worth of each knot for random loss, a short queue, a policer and slow start, decibans.
pub(crate) const WEIGHTS: [[f64; 4]; 60] = [[0.0; 4]; 60];
