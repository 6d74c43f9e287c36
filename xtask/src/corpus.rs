//! `cargo xtask corpus`: runs with a known cause, simulated, written as tools would have printed them, and diagnosed.
//!
//! A case is a path and one injected cause, or none: a line that is full. Rates are drawn log-uniform from 1 Mbit/s to
//! 10 Gbit/s and round trips from 0.2 to 600 ms; the same number draws the same case. Each is written at four levels of
//! evidence: the log of iperf3; with a ping; with the settings of both hosts; with the sender's `ss`.

mod case;
mod fit;
mod score;
mod tell;
mod twins;

use std::sync::atomic::{AtomicU64, Ordering};

use case::{Case, TEST};
use fit::Sample;
use score::{Outcome, Score};

/// How many cases a whole corpus has.
pub(crate) const ALL: u64 = 1000;

/// How many cases the weights are fitted to.
pub(crate) const FIT: u64 = 1600;

/// What is done with the cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// The weights are fitted to the training half.
    Fit,
    /// The test half is diagnosed.
    Test,
    /// Twins of the test half are run beside it.
    Twins,
}

/// How many cases have a twin run.
pub(crate) const TWINS: u64 = 160;

/// Simulates `number` cases; prints how often each level of evidence led to the cause, or fits the weights.
pub(crate) fn run(number: u64, what: What) -> Result<bool, String> {
    if what == What::Twins {
        return twins(number);
    }
    let next = AtomicU64::new(0);
    let first = if what == What::Test { TEST } else { 0 };
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    let mut score = Score::default();
    let parts: Vec<Result<Vec<Outcome>, String>> = std::thread::scope(|scope| {
        let work = || {
            let mut all = Vec::new();
            loop {
                let n = next.fetch_add(1, Ordering::Relaxed);
                if n >= number {
                    return Ok(all);
                }
                all.extend(outcomes(&Case::draw(first + n))?);
            }
        };
        let handles: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        handles
            .into_iter()
            .map(|h| h.join().map_err(|_| "a case panicked".to_owned())?)
            .collect()
    });
    let mut outcomes: Vec<Outcome> = Vec::new();
    for part in parts {
        outcomes.extend(part?);
    }
    // Whichever thread was faster, the sums are the same.
    outcomes.sort_by_key(|o| (o.number, o.level));
    if what == What::Fit {
        let samples: Vec<Sample> = outcomes.into_iter().map(|o| o.sample).collect();
        print!("{}", fit::fit(&samples)?);
        return Ok(true);
    }
    for outcome in outcomes {
        score.add(outcome);
    }
    print!("{}", score.text());
    Ok(true)
}

/// Runs the twins of so many cases, and prints how often they agreed.
fn twins(number: u64) -> Result<bool, String> {
    let mut all = Vec::new();
    for n in 0..number {
        all.extend(twins::compared(&Case::draw(TEST + n), true)?);
    }
    print!("{}", twins::text(&all));
    Ok(true)
}

/// What diagnose said of a case at each level.
fn outcomes(case: &Case) -> Result<Vec<Outcome>, String> {
    let Some(told) = tell::tell(case)? else {
        return Ok(Vec::new());
    };
    let mut all = Vec::new();
    for level in 0..told.levels() {
        let mut facts = farpath_diagnose::read(&told.sources(level));
        told.known().tell(&mut facts);
        let diagnosis = farpath_diagnose::diagnose(&facts, "0");
        let flow = diagnosis
            .flows
            .first()
            .ok_or("a diagnosis without a flow")?;
        let verdict = &flow.verdict;
        let truth = told.truth();
        all.push(Outcome {
            number: case.number,
            level,
            truth,
            injected: case.cause,
            said: verdict.cause,
            confidence: verdict.confidence,
            second: verdict.second.as_ref().map(|s| s.cause),
            note: format!(
                "{case:?}, measured {:?}, because {:?}",
                flow.observed.goodput_bps, verdict.because
            ),
            sample: Sample {
                truth,
                from: farpath_diagnose::unfitted(&facts).ok_or("a text without a flow")?,
            },
        });
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twenty-four cases of the test half: where the verdict is right, the twin has the measured rate and its limit; a
    /// verdict of windows, buffers and lines is never doubted. How many of all: `docs/models/diagnosis.md`.
    #[test]
    fn twins_agree_with_what_was_measured() {
        let all: Vec<_> = (0..24)
            .filter_map(|n| twins::compared(&Case::draw(TEST + n), false).expect("a run"))
            .collect();
        let right: Vec<_> = all.iter().filter(|c| c.said == c.truth).collect();
        assert!(right.len() >= 20, "{}", twins::text(&all));
        let doubted = || right.iter().filter(|c| c.verify.agrees == Some(false));
        let counted = [
            "receive_window",
            "send_buffer",
            "link",
            "application",
            "ramp",
        ];
        let wrong: Vec<_> = doubted().filter(|c| counted.contains(&c.truth)).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert!(
            doubted().count() <= right.len() / 5,
            "{}",
            twins::text(&all)
        );
    }

    /// A part of the corpus, the same every time: with the sender's `ss`, what its kernel counts is named and a healthy path
    /// is blamed on nothing. Which kind of loss it is, is another matter: `docs/models/diagnosis.md`.
    #[test]
    fn a_part_of_the_corpus_is_named() {
        let all = (0..32).flat_map(|n| outcomes(&Case::draw(n)).expect("a run"));
        let wrong: Vec<Outcome> = all
            .filter(|o| {
                let counted =
                    ["receive_window", "send_buffer", "application", "link"].contains(&o.truth);
                let blamed = o.truth == "link" && !matches!(o.said, "link" | "unknown");
                blamed || o.level == 3 && counted && o.said != o.truth
            })
            .collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
