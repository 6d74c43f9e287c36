//! `cargo xtask corpus`: runs with a known cause, simulated, written as tools would have printed them, and diagnosed.
//!
//! A case is a path and one injected cause, two, or none: a line that is full. Rates are drawn log-uniform from 1 Mbit/s to
//! 100 Gbit/s and round trips from 0.2 to 600 ms; the same number draws the same case. Each is written at six levels of
//! evidence: the log of iperf3; with a ping; with the settings of both hosts; with the sender's `ss`; and a ping with a
//! capture at the receiver, or at the sender, alone.

mod case;
mod fit;
mod judged;
mod lab;
mod level;
mod plot;
mod score;
mod tell;
mod twins;

use std::sync::atomic::{AtomicU64, Ordering};

use case::{BLIND, CAUSES, Case, HEALTHY_CASE, LAB, ODD, TEST, TWO};
use fit::Sample;
use judged::judged;
use level::Level;
use score::{Outcome, Score};

/// How many cases a whole corpus has.
pub(crate) const ALL: u64 = 1000;

/// How many cases the weights are fitted to.
pub(crate) const FIT: u64 = 1200;

/// Which cases, and what is done with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// The weights are fitted to the training half.
    Fit,
    /// The same with what was simulated for the last fit.
    Refit,
    /// The test half is diagnosed.
    Test,
    /// Twins of the test half are run beside it.
    Twins,
    /// Cases nobody saw, from this number of theirs on.
    Blind(u64),
    /// Cases with two causes.
    Two,
    /// Cases nobody saw in which nothing is wrong, from this number of theirs on.
    Healthy(u64),
    /// Cases whose round trips vary at rest, black holes, and scaling that was taken out.
    Odd,
    /// Cases between real kernels, from this number of theirs on.
    Lab(u64),
}

pub(crate) use plot::plot;

/// Reads the arguments of `cargo xtask corpus`.
pub(crate) fn asked(args: &[&str]) -> Result<(u64, What), String> {
    let number = |text: &str| text.parse().map_err(|e| format!("corpus {text}: {e}"));
    Ok(match args {
        [] => (ALL, What::Test),
        ["--fit"] => (FIT, What::Fit),
        ["--fit", n] => (number(n)?, What::Fit),
        ["--refit"] => (0, What::Refit),
        ["--twins"] => (TWINS, What::Twins),
        ["--blind"] => (ALL, What::Blind(0)),
        ["--blind", first] => (ALL, What::Blind(number(first)?)),
        ["--blind", first, n] => (number(n)?, What::Blind(number(first)?)),
        ["--healthy"] => (HEALTHY, What::Healthy(0)),
        ["--healthy", first, n] => (number(n)?, What::Healthy(number(first)?)),
        ["--lab"] => (LABS, What::Lab(0)),
        ["--lab", first, n] => (number(n)?, What::Lab(number(first)?)),
        ["--odd"] => (ALL, What::Odd),
        ["--odd", n] => (number(n)?, What::Odd),
        ["--two"] => (ALL, What::Two),
        ["--two", n] => (number(n)?, What::Two),
        [n] => (number(n)?, What::Test),
        _ => return Err(format!("corpus {}: not known", args.join(" "))),
    })
}

/// What was said of each text goes here, for whoever wants to count otherwise.
const ROWS: &str = "target/corpus.tsv";

/// How many healthy paths a whole corpus has.
const HEALTHY: u64 = 500;

/// How many cases of a whole corpus run between real kernels.
const LABS: u64 = 200;

/// How often a lab may fail its promises before its case is given up.
const TRIES: usize = 3;

/// How many cases have a twin run.
const TWINS: u64 = 160;

/// Simulates `number` cases; prints how often each level of evidence led to the cause, or fits the weights.
pub(crate) fn run(number: u64, what: What) -> Result<bool, String> {
    if what == What::Refit {
        print!("{}", fit::fit(&fit::kept()?)?);
        return Ok(true);
    }
    if what == What::Twins {
        return twins(number);
    }
    if let What::Lab(first) = what {
        return labs(first, number);
    }
    let next = AtomicU64::new(0);
    let first = match what {
        What::Fit | What::Refit => 0,
        What::Test | What::Twins => TEST,
        What::Blind(from) => BLIND + from,
        What::Healthy(from) => BLIND + from * CAUSES.len() as u64 + HEALTHY_CASE,
        What::Two => TWO,
        What::Odd => ODD,
        What::Lab(from) => LAB + from,
    };
    let apart = match what {
        What::Healthy(_) => CAUSES.len() as u64,
        _ => 1,
    };
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
                all.extend(outcomes(&Case::draw(first + n * apart), what != What::Fit)?);
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
        fit::keep(&samples)?;
        print!("{}", fit::fit(&samples)?);
        return Ok(true);
    }
    for outcome in outcomes {
        score.add(outcome);
    }
    print!("{}", score.text());
    std::fs::write(ROWS, score.rows()).map_err(|e| format!("{ROWS}: {e}"))?;
    Ok(true)
}

/// Runs cases in labs, one after the other, until so many kept their promises, and prints what was said of these.
///
/// A lab whose certificate is invalid is made again, at most [`TRIES`] times.
fn labs(first: u64, number: u64) -> Result<bool, String> {
    let mut score = Score::default();
    let (mut invalid, mut broken) = (Vec::new(), Vec::new());
    for n in first..first + number {
        let case = Case::draw(LAB + n);
        let seen = (0..TRIES).find_map(|_| match lab::seen(&case) {
            Ok(seen) => match seen.invalid {
                None => Some(seen.outcomes),
                Some(why) => {
                    invalid.push(format!("case {n}: {why}"));
                    None
                }
            },
            Err(e) => {
                broken.push(e);
                None
            }
        });
        seen.into_iter().flatten().for_each(|o| score.add(o));
    }
    print!("{}", score.text());
    std::fs::write(ROWS, score.rows()).map_err(|e| format!("{ROWS}: {e}"))?;
    println!("certificates that are invalid: {}", invalid.len());
    println!("labs that broke: {}", broken.len());
    for what in invalid.iter().chain(&broken) {
        println!("{what}");
    }
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

/// What diagnose said of a case at each level; with `after`, also what was said once it had what it asked for, and how near
/// the predicted rate came.
fn outcomes(case: &Case, after: bool) -> Result<Vec<Outcome>, String> {
    let Some(told) = tell::tell(case)? else {
        return Ok(Vec::new());
    };
    let changed = match case.changed().filter(|_| after) {
        Some(changed) => tell::steady(&changed)?,
        None => None,
    };
    let mut all = Vec::new();
    for (level, _) in Level::ALL {
        // The simulator's hosts know of scaling: neither `ss` nor captures show what took it out.
        if case.cause == "no_window_scaling" && level > Level::Settings {
            continue;
        }
        let facts = told.facts(level);
        let flow = judged(&facts)?;
        let verdict = &flow.verdict;
        let more = match after {
            true => told.with(case, level, &flow.missing)?,
            false => None,
        };
        let then = match more {
            Some(more) => Some(judged(&more)?.verdict.cause),
            None => None,
        };
        let change = flow.changes.first().filter(|_| verdict.cause == case.cause);
        let predicted = change.and_then(|c| c.predicted_bps);
        let bounds = change.and_then(|c| c.low_bps.zip(c.high_bps));
        let truth = told.truth();
        all.push(Outcome {
            number: case.number,
            level,
            truth,
            other: case.second,
            injected: case.cause,
            said: verdict.cause,
            confidence: verdict.confidence,
            second: verdict.second.as_ref().map(|s| s.cause),
            then,
            asked: flow.missing.iter().map(|m| m.fact).collect(),
            next: change.and_then(|c| c.then.as_ref()).map(|t| t.cause),
            predicted: predicted.zip(changed).map(|(said, came)| said / came),
            bounded: bounds
                .zip(changed)
                .is_some_and(|((low, high), came)| (low * 0.95..=high * 1.05).contains(&came)),
            note: format!(
                "{case:?}, measured {:?} of {:.0}, because {:?}",
                flow.observed.goodput_bps, told.goodput, verdict.because
            ),
            sample: Sample {
                case: case.number,
                level,
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
    /// verdict of windows, buffers and lines is hardly ever doubted: of one flow of Reno's `ss` was read where its queue was short. How many of all: `docs/models/diagnosis.md`.
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
        assert!(wrong.len() <= 1, "{wrong:#?}");
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
        let all = (0..32).flat_map(|n| outcomes(&Case::draw(n), false).expect("a run"));
        let wrong: Vec<Outcome> = all
            .filter(|o| {
                let counted =
                    ["receive_window", "send_buffer", "application", "link"].contains(&o.truth);
                let blamed = o.truth == "link" && !matches!(o.said, "link" | "unknown");
                blamed || o.level == Level::Ss && counted && o.said != o.truth
            })
            .collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
