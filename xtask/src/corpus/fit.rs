//! `cargo xtask corpus --fit`: the weights of the pattern of losses, from the training half.
//!
//! The scores of hand-set evidence stay. To them come, for each cause with a column, weights of knots, and all is multiplied by one
//! scale. Both are found by descending the mean of minus the logarithm of the confidence in the truth, with a small penalty on
//! large weights: a multinomial logistic regression with an offset. Same cases, same weights.

use std::fmt::Write;

use farpath_diagnose::Unfitted;

/// A text, as evidence, and what was injected.
#[derive(Debug)]
pub(super) struct Sample {
    pub(super) truth: &'static str,
    pub(super) from: Unfitted,
}

/// Decibans to natural logarithms.
const NATURAL: f64 = core::f64::consts::LN_10 / 10.0;

const ROUNDS: usize = 400;

/// The penalty on a weight's square, by sample and deciban.
const PENALTY: f64 = 2e-5;

/// The file that is written.
const FILE: &str = "crates/diagnose/src/weights.rs";

struct Model {
    weights: Vec<Vec<f64>>,
    scale: f64,
}

impl Model {
    /// Probabilities of a sample's causes, and the scores they were made of.
    fn probabilities(&self, sample: &Unfitted) -> (Vec<f64>, Vec<f64>) {
        let scores: Vec<f64> = sample
            .scores
            .iter()
            .map(|(cause, score)| {
                let column = sample.columns.iter().position(|c| c == cause);
                let worth = column.map_or(0.0, |column| {
                    let each = sample.activations.iter().zip(&self.weights);
                    each.map(|(a, w)| a * w[column]).sum()
                });
                score + worth
            })
            .collect();
        let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let odds: Vec<f64> = scores
            .iter()
            .map(|s| ((s - best) * self.scale * NATURAL).exp())
            .collect();
        let all: f64 = odds.iter().sum();
        (odds.iter().map(|o| o / all).collect(), scores)
    }
}

/// Fits and writes the weights; a sentence on what came out.
pub(super) fn fit(samples: &[Sample]) -> Result<String, String> {
    let first = samples.first().ok_or("no case to fit")?;
    let (knots, columns) = (first.from.activations.len(), first.from.columns.len());
    let mut model = Model {
        weights: vec![vec![0.0; columns]; knots],
        scale: 1.0,
    };
    let start = loss(&model, samples);
    // Adam: each weight at its own step.
    let mut moments = vec![(0.0_f64, 0.0_f64); knots * columns + 1];
    for round in 1..=ROUNDS {
        let gradient = gradient(&model, samples);
        for (n, g) in gradient.iter().enumerate() {
            let (m, v) = &mut moments[n];
            *m = 0.9 * *m + 0.1 * g;
            *v = 0.999 * *v + 0.001 * g * g;
            let (mean, square) = (
                *m / (1.0 - 0.9_f64.powi(round as i32)),
                *v / (1.0 - 0.999_f64.powi(round as i32)),
            );
            let by = mean / (square.sqrt() + 1e-10);
            match n.checked_sub(1) {
                None => model.scale = (model.scale - 0.002 * by).clamp(0.3, 3.0),
                Some(n) => model.weights[n / columns][n % columns] -= 0.1 * by,
            }
        }
    }
    std::fs::write(FILE, text(&model)).map_err(|e| format!("{FILE}: {e}"))?;
    Ok(format!(
        "{} texts: minus the logarithm of the confidence in the truth, mean: {start:.3} before, {:.3} after; scale {:.3}; {FILE} written\n",
        samples.len(),
        loss(&model, samples),
        model.scale
    ))
}

fn loss(model: &Model, samples: &[Sample]) -> f64 {
    let each = samples.iter().filter_map(|s| {
        let (p, _) = model.probabilities(&s.from);
        let n = s.from.scores.iter().position(|(c, _)| *c == s.truth)?;
        Some(-p[n].max(1e-12).ln())
    });
    each.sum::<f64>() / samples.len() as f64
}

/// Of the scale first, then of each knot and column.
fn gradient(model: &Model, samples: &[Sample]) -> Vec<f64> {
    let columns = model.weights[0].len();
    let mut all = vec![0.0; model.weights.len() * columns + 1];
    for sample in samples {
        let (p, scores) = model.probabilities(&sample.from);
        for (n, (cause, _)) in sample.from.scores.iter().enumerate() {
            let off = p[n] - f64::from(u8::from(*cause == sample.truth));
            all[0] += off * scores[n] * NATURAL;
            if let Some(column) = sample.from.columns.iter().position(|c| c == cause) {
                for (k, a) in sample.from.activations.iter().enumerate() {
                    if *a != 0.0 {
                        all[1 + k * columns + column] += off * a * NATURAL * model.scale;
                    }
                }
            }
        }
    }
    for g in &mut all {
        *g /= samples.len() as f64;
    }
    for (k, row) in model.weights.iter().enumerate() {
        for (c, w) in row.iter().enumerate() {
            all[1 + k * columns + c] += 2.0 * PENALTY * w;
        }
    }
    all
}

fn text(model: &Model) -> String {
    let mut text = format!(
        "//! Weights, written by `cargo xtask corpus --fit`: do not edit.\n\n#![allow(clippy::approx_constant, reason = \"they are fitted, whatever they resemble\")]\n\n/// By this the scores of all causes are multiplied.\npub(crate) const SCALE: f64 = {:.3};\n\n/// The worth of each knot for the causes of `FITTED`, decibans.\npub(crate) const WEIGHTS: [[f64; {}]; {}] = [\n",
        model.scale,
        model.weights[0].len(),
        model.weights.len()
    );
    for row in &model.weights {
        let row: Vec<String> = row.iter().map(|w| format!("{w:.2}")).collect();
        let _written = writeln!(text, "    [{}],", row.join(", "));
    }
    text.push_str("];\n");
    text
}
