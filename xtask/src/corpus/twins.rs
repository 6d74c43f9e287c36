//! Twins of cases: what diagnose makes a scenario of, run beside what was measured.

use std::fmt::Write;

use farpath_arranged::witness::witness;
use farpath_diagnose::{Run, Verify, twin};

use super::case::Case;
use super::level::Level;
use super::tell::tell;

/// A case, its verdict and its twin.
#[derive(Debug)]
pub(super) struct Compared {
    /// Number of the case.
    pub(super) number: u64,
    /// What limited it.
    pub(super) truth: &'static str,
    /// What was said of it.
    pub(super) said: &'static str,
    /// What the twin says.
    pub(super) verify: Verify,
}

/// A case with all of the evidence, and its twin; none where nothing came of the case. `after` runs the twin after the
/// change too.
pub(super) fn compared(case: &Case, after: bool) -> Result<Option<Compared>, String> {
    let Some(told) = tell(case)? else {
        return Ok(None);
    };
    let facts = told.facts(Level::Ss);
    let diagnosis = farpath_diagnose::diagnose(&facts, "0");
    let said = diagnosis
        .flows
        .first()
        .map_or("unknown", |f| f.verdict.cause);
    let twin = twin(&facts, 0).map_err(|e| format!("case {}: {e}", case.number))?;
    let all = |text: &str| -> Result<Vec<Run>, String> {
        (1..=u64::from(twin.repeats))
            .map(|seed| one(text, seed))
            .collect()
    };
    let before = all(&twin.scenario)?;
    let changed = match &twin.after {
        Some(text) if after => all(text)?,
        _ => Vec::new(),
    };
    Ok(Some(Compared {
        number: case.number,
        truth: told.truth(),
        said,
        verify: twin.judge(&before, &changed),
    }))
}

/// One run of a twin.
fn one(text: &str, seed: u64) -> Result<Run, String> {
    let seen = witness(text, seed, &[])?.ok_or("a twin without a connection")?;
    Ok(Run {
        goodput_bps: seen
            .record
            .metrics
            .get("goodput_bps")
            .copied()
            .unwrap_or(0.0),
        rtt_s: seen.record.metrics.get("rtt_avg_ns").map(|ns| ns * 1e-9),
        limited_by: seen.record.limited_by,
    })
}

/// How often twins agreed, where the verdict was right and where it was not, and how far predictions were off.
pub(super) fn text(all: &[Compared]) -> String {
    let mut text =
        String::from("verdict          right: agree  doubt  open   wrong: agree  doubt  open\n");
    let mut causes: Vec<&str> = all.iter().map(|c| c.truth).collect();
    causes.sort_unstable();
    causes.dedup();
    for truth in causes {
        let count = |right: bool, agrees: Option<bool>| {
            let of = |c: &&Compared| {
                c.truth == truth && (c.said == truth) == right && c.verify.agrees == agrees
            };
            all.iter().filter(of).count()
        };
        let _written = writeln!(
            text,
            "{truth:<16}{:>13}{:>7}{:>6}{:>15}{:>7}{:>6}",
            count(true, Some(true)),
            count(true, Some(false)),
            count(true, None),
            count(false, Some(true)),
            count(false, Some(false)),
            count(false, None)
        );
    }
    let met = |c: &&Compared| {
        let (after, predicted) = (c.verify.after_bps, c.verify.predicted_bps);
        let ratio = after.zip(predicted).map(|(a, p)| a / p);
        ratio.is_some_and(|r| (0.85..1.15).contains(&r))
    };
    let predicted = all
        .iter()
        .filter(|c| c.verify.after_bps.and(c.verify.predicted_bps).is_some());
    let _written = writeln!(
        text,
        "after the change within 15 % of what was predicted: {} of {}",
        predicted.clone().filter(met).count(),
        predicted.count()
    );
    for c in all
        .iter()
        .filter(|c| c.verify.agrees == Some(false) && c.said == c.truth)
    {
        let _written = writeln!(text, "case {} ({}): {:?}", c.number, c.said, c.verify.notes);
    }
    text
}
