//! The kernel's window under our algorithms beside their formulae (`docs/models/congestion.md`): what a
//! loss leaves, and what each delivered segment adds.

use std::thread;

use farpath_emu::bpf::{Place, Source, register};
use farpath_tcp::{Algorithm, Flavour};

use super::path::Path;

/// The first loss ends slow start, the second falls into avoidance.
const LOST: [u32; 2] = [600, 9000];
const BYTES: usize = 24_000_000;
const STEP: usize = 1 << 17;

/// The documents' or the kernel module's formulae, in floating point.
struct Law {
    algorithm: Algorithm,
    flavour: Flavour,
    /// What a loss leaves of a window, in segments.
    left: fn(f64) -> f64,
    /// Segments added in a round trip, for a window and so many seconds after the last congestion.
    step: fn(f64, f64) -> f64,
}

/// RFC 3649 §5.
fn highspeed_cut(w: f64) -> f64 {
    0.5 - 0.4 * libm::log(w / 38.0) / libm::log(83_000.0 / 38.0)
}

fn highspeed_step(w: f64, _: f64) -> f64 {
    let b = highspeed_cut(w);
    0.078 * libm::pow(w, 0.8) * 2.0 * b / (2.0 - b)
}

/// RFC 3649's table 12 around the windows that the path gives: largest window, step, 256ths of a cut.
fn row(w: f64) -> (f64, f64) {
    let rows = [
        (118.0, 2.0, 112.0),
        (221.0, 3.0, 104.0),
        (347.0, 4.0, 98.0),
        (495.0, 5.0, 93.0),
        (663.0, 6.0, 89.0),
        (851.0, 7.0, 86.0),
        (1058.0, 8.0, 83.0),
        (1284.0, 9.0, 81.0),
    ];
    let (_, step, part) = rows.into_iter().find(|row| w <= row.0).unwrap();
    (step, part / 256.0)
}

/// f(Δ) of draft-leith-tcp-htcp-06.
fn pace(since: f64) -> f64 {
    let x = (since - 1.0).max(0.0);
    1.0 + 10.0 * x + (x / 2.0) * (x / 2.0)
}

/// β is a half: the path's round trips are its queue, the shortest far below half the longest. For Linux's
/// scaling they are below 10 ms: a tenth, and a segment at least.
const LAWS: [Law; 6] = [
    Law {
        algorithm: Algorithm::HighSpeed,
        flavour: Flavour::Rfc,
        left: |w| w * (1.0 - highspeed_cut(w)),
        step: highspeed_step,
    },
    Law {
        algorithm: Algorithm::HighSpeed,
        flavour: Flavour::Linux,
        left: |w| w * (1.0 - row(w).1),
        // A step for each acknowledgement, of which the receiver sends one for two segments.
        step: |w, _| row(w).0 / 2.0,
    },
    Law {
        algorithm: Algorithm::Scalable,
        flavour: Flavour::Rfc,
        left: |w| w * 0.875,
        step: |w, _| w / 100.0,
    },
    Law {
        algorithm: Algorithm::Scalable,
        flavour: Flavour::Linux,
        left: |w| w * 0.875,
        step: |w, _| w / 100.0,
    },
    Law {
        algorithm: Algorithm::Htcp,
        flavour: Flavour::Rfc,
        left: |w| w / 2.0,
        step: |_, since| pace(since),
    },
    Law {
        algorithm: Algorithm::Htcp,
        flavour: Flavour::Linux,
        left: |w| w / 2.0,
        step: |_, since| (pace(since).floor() / 10.0).floor().max(1.0),
    },
];

/// Segments: what is rounded.
const SLACK: f64 = 2.0;

fn obeys(law: &Law) {
    let source = Source::Ours(law.algorithm, law.flavour);
    let registered = register(&Place::default(), source).unwrap();
    let name = registered.name();
    let samples = Path::new(&LOST).send(name, BYTES, STEP);
    // A segment sent again is a loss repaired.
    let cuts: Vec<usize> = (1..samples.len())
        .filter(|i| samples[*i].retransmits != samples[i - 1].retransmits)
        .collect();
    let &[first, second] = cuts.as_slice() else {
        panic!("{name}: losses at {cuts:?}, not two: {samples:?}");
    };
    let between = |from: usize| (samples[from].at_s + samples[from + 1].at_s) / 2.0;
    let congested = between(first - 1);
    let growth = |from: usize| {
        let (a, b) = (&samples[from], &samples[from + 1]);
        let w = f64::from(a.cwnd);
        (law.step)(w, between(from) - congested) * (b.delivered - a.delivered) as f64 / w
    };

    // The window grew a little between the last sample and the loss.
    let before = f64::from(samples[second - 1].cwnd);
    let left = f64::from(samples[second].ssthresh.unwrap());
    let least = (law.left)(before) - SLACK;
    let most = (law.left)(before + growth(second - 1)) + SLACK;
    println!("{name}: of {before} segments {left} left, for {least:.1} to {most:.1}");
    assert!((least..=most).contains(&left), "{name}: {before} to {left}");

    // Avoidance, from when the window was last no larger than the threshold: where recovery ended below, a
    // few acknowledgements of slow start bring it there.
    let threshold = samples[second - 1].ssthresh.unwrap();
    let begin = (first..second)
        .rfind(|i| samples[*i].cwnd <= threshold)
        .expect("the window comes down to the threshold");
    let from = f64::from(threshold);
    let grown: f64 = (begin..second - 1).map(growth).sum();
    println!(
        "{name}: from {from} to {before} segments, for {:.1}",
        from + grown
    );
    assert!(grown > 5.0 * SLACK, "{name} grows by {grown}");
    let off = before - from - grown;
    assert!(
        off.abs() <= SLACK + 0.05 * grown,
        "{name}: from {from} to {before}, not {}",
        from + grown
    );
}

/// All at once: each has namespaces of its own.
#[test]
fn the_kernels_window_follows_the_formulae() {
    let runs = LAWS.map(|law| thread::spawn(move || obeys(&law)));
    let failed: Vec<_> = runs
        .into_iter()
        .filter_map(|run| run.join().err())
        .collect();
    assert!(
        failed.is_empty(),
        "{} of {} failed",
        failed.len(),
        LAWS.len()
    );
}
