//! Samples of connections: how far apart they are taken, how many are enough, and by how much shares of few may be off.

use farpath_units::Duration;

/// The shortest and longest time between two samples of connections.
pub(super) const SAMPLES: [Duration; 2] = [Duration::from_ms(10), Duration::from_ms(500)];

/// How far apart samples are, so long after the last connection was opened, in a run so old: a young connection may be a short
/// one, and a long run that opens one after the other is not to be filled with samples.
pub(super) fn pace(open: Duration, run: Duration) -> Duration {
    let young = Duration::from_ps(open.as_ps() / 16);
    let long = Duration::from_ps(run.as_ps() / 1000);
    young.max(long).clamp(SAMPLES[0], SAMPLES[1])
}

/// With fewer samples than these shares of them say nothing of an end.
pub(super) const SAMPLES_LEAST: usize = 5;

/// With fewer than these nothing is said of what limited one; with fewer than [`MANY`], by how much that may be off.
pub(super) const SHARED_LEAST: usize = 10;
pub(super) const MANY: usize = 20;

/// Two standard errors of a share of one half that so many samples give.
pub(super) fn within(samples: f64) -> f64 {
    1.0 / samples.max(1.0).sqrt()
}
