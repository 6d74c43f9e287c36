//! `cargo xtask corpus --fit`: the weights of the pattern of losses, from the training half.
//!
//! The scores of hand-set evidence stay. To them come, for each cause with a column, weights of knots, and all is multiplied by one
//! scale. Both are found by descending the mean of minus the logarithm of the confidence in the truth, with a small penalty on
//! large weights: a multinomial logistic regression with an offset. Same cases, same weights.
//!
//! How often a confidence is met is shown by thirds of the cases, each by weights that were fitted to the other two.

use std::fmt::Write;

use farpath_diagnose::{Cause, Unfitted};

use super::level::Level;

/// A text, as evidence, and what was injected.
#[derive(Debug)]
pub(super) struct Sample {
    pub(super) case: u64,
    pub(super) level: Level,
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

/// What was simulated for the fit, for whoever wants to fit again.
const SAMPLES: &str = "target/corpus-samples.tsv";

/// Parts of the cases: each is judged by the weights of the others.
const FOLDS: u64 = 3;

#[derive(Clone)]
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

    /// The confidence in the likeliest cause, and whether it is the truth.
    fn said(&self, sample: &Sample) -> (f64, bool) {
        let (p, _) = self.probabilities(&sample.from);
        let each = p.iter().zip(&sample.from.scores);
        let top = each.max_by(|a, b| a.0.total_cmp(b.0));
        top.map_or((0.0, false), |(p, (cause, _))| (*p, *cause == sample.truth))
    }
}

/// Fits and writes the weights; a few lines on what came out.
pub(super) fn fit(samples: &[Sample]) -> Result<String, String> {
    let all: Vec<&Sample> = samples.iter().collect();
    let mut said = Vec::new();
    for fold in 0..FOLDS {
        let of = |s: &&&Sample| s.case % FOLDS == fold;
        let (out, within): (Vec<&Sample>, Vec<&Sample>) = all.iter().partition(of);
        let model = fitted(&within)?;
        said.extend(out.iter().map(|s| model.said(s)));
    }
    let model = fitted(&all)?;
    std::fs::write(FILE, text(&model)).map_err(|e| format!("{FILE}: {e}"))?;
    let start = Model {
        weights: vec![vec![0.0; model.weights[0].len()]; model.weights.len()],
        scale: 1.0,
    };
    let mut report = format!(
        "{} texts: minus the logarithm of the confidence in the truth, mean: {:.3} before, {:.3} after; scale {:.3}; {FILE} written\n",
        all.len(),
        loss(&start, &all),
        loss(&model, &all),
        model.scale
    );
    report.push_str("said  texts  right %\n");
    for tenth in 4..20 {
        let low = f64::from(tenth) / 20.0;
        let within = said.iter().filter(|(p, _)| *p >= low && *p < low + 0.05);
        let (n, right) = within.fold((0_u32, 0_u32), |(n, r), (_, ok)| {
            (n + 1, r + u32::from(*ok))
        });
        let _written = writeln!(
            report,
            "{:.3} {n:>6} {:>8.1}",
            low + 0.025,
            100.0 * f64::from(right) / f64::from(n.max(1))
        );
    }
    Ok(report)
}

/// Writes what was simulated.
pub(super) fn keep(samples: &[Sample]) -> Result<(), String> {
    let mut text = String::new();
    for s in samples {
        let scores = s.from.scores.iter().map(|(c, v)| format!("{c}={v}"));
        let active = s.from.activations.iter().map(f64::to_string);
        let words = |all: Vec<String>| all.join(" ");
        let _written = writeln!(
            text,
            "{}\t{:?}\t{}\t{}\t{}\t{}",
            s.case,
            s.level,
            s.truth,
            s.from.columns.join(" "),
            words(scores.collect()),
            words(active.collect())
        );
    }
    std::fs::write(SAMPLES, text).map_err(|e| format!("{SAMPLES}: {e}"))
}

/// What was simulated for the last fit.
pub(super) fn kept() -> Result<Vec<Sample>, String> {
    let text = std::fs::read_to_string(SAMPLES).map_err(|e| format!("{SAMPLES}: {e}"))?;
    let wrong = |n: usize| format!("{SAMPLES}:{}: not a sample", n + 1);
    let rows = text.lines().enumerate();
    rows.map(|(n, row)| sample(row).ok_or_else(|| wrong(n)))
        .collect()
}

fn sample(row: &str) -> Option<Sample> {
    let cells: Vec<&str> = row.split('\t').collect();
    let [case, level, truth, columns, scores, active] = cells[..] else {
        return None;
    };
    let cause = |name: &str| Cause::named(name).map(Cause::name);
    let score = |word: &str| -> Option<(&'static str, f64)> {
        let (name, value) = word.split_once('=')?;
        Some((cause(name)?, value.parse().ok()?))
    };
    let known = |(l, _): &(Level, &str)| format!("{l:?}") == level;
    Some(Sample {
        case: case.parse().ok()?,
        level: Level::ALL.into_iter().find(known)?.0,
        truth: cause(truth)?,
        from: Unfitted {
            scores: scores.split(' ').map(score).collect::<Option<_>>()?,
            activations: active
                .split(' ')
                .map(|a| a.parse().ok())
                .collect::<Option<_>>()?,
            columns: columns.split(' ').map(cause).collect::<Option<_>>()?,
        },
    })
}

/// Weights and scale of so many samples.
fn fitted(samples: &[&Sample]) -> Result<Model, String> {
    let first = samples.first().ok_or("no case to fit")?;
    let (knots, columns) = (first.from.activations.len(), first.from.columns.len());
    let mut model = Model {
        weights: vec![vec![0.0; columns]; knots],
        scale: 1.0,
    };
    // Adam: each weight at its own step.
    let mut moments = vec![(0.0_f64, 0.0_f64); knots * columns + 1];
    for round in 1..=ROUNDS {
        let gradient = gradient(&model, samples);
        for (n, by) in steps(&gradient, &mut moments, round)
            .into_iter()
            .enumerate()
        {
            match n.checked_sub(1) {
                None => model.scale = (model.scale - 0.002 * by).clamp(0.3, 3.0),
                Some(n) => model.weights[n / columns][n % columns] -= 0.1 * by,
            }
        }
    }
    Ok(model)
}

/// How far each number goes against its slope, by what was seen of it.
fn steps(gradient: &[f64], moments: &mut [(f64, f64)], round: usize) -> Vec<f64> {
    let each = gradient.iter().zip(moments);
    each.map(|(g, (m, v))| {
        *m = 0.9 * *m + 0.1 * g;
        *v = 0.999 * *v + 0.001 * g * g;
        let (mean, square) = (
            *m / (1.0 - 0.9_f64.powi(round as i32)),
            *v / (1.0 - 0.999_f64.powi(round as i32)),
        );
        mean / (square.sqrt() + 1e-10)
    })
    .collect()
}

fn loss(model: &Model, samples: &[&Sample]) -> f64 {
    let each = samples.iter().filter_map(|s| {
        let (p, _) = model.probabilities(&s.from);
        let n = s.from.scores.iter().position(|(c, _)| *c == s.truth)?;
        Some(-p[n].max(1e-12).ln())
    });
    each.sum::<f64>() / samples.len() as f64
}

/// Of the scale first, then of each knot and column.
fn gradient(model: &Model, samples: &[&Sample]) -> Vec<f64> {
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
