//! The table of `--verify`: measured, simulated, after the change.

use farpath_diagnose::{Cause, Verify};
use farpath_observe::limit::Limit;
use farpath_report::{quantity, wrap};

use crate::left::{WIDTH, entry};

/// Columns for what limits, behind what it is of and the rate.
const ROOM: usize = WIDTH - 44;

/// What the twin says of a flow.
pub(super) fn verified(verify: &Verify, cause: &str, out: &mut String) {
    if verify.scenario.is_none() {
        verify.notes.iter().for_each(|n| entry("verify", n, out));
        return;
    }
    out.push_str(&format!(
        "\n{:<28}{:>14}  {}\n{:<28}{:>14}  {}\n",
        "verify",
        "rate",
        "limited by",
        "-".repeat(27),
        "-".repeat(13),
        "-".repeat(24)
    ));
    let mut row = |what: &str, rate: Option<f64>, limit: Option<&str>| {
        let Some(rate) = rate else { return };
        let rate = quantity("goodput_bps", rate);
        for (n, part) in wrap(limit.unwrap_or(""), ROOM, ROOM).iter().enumerate() {
            let line = match n {
                0 => format!("{what:<28}{rate:>14}  {part}"),
                _ => format!("{:44}{part}", ""),
            };
            out.push_str(line.trim_end());
            out.push('\n');
        }
    };
    let cause = Cause::named(cause).map_or("unknown", Cause::words);
    let words = |name: &str| Limit::named(name).map_or("unknown", Limit::words);
    row("measured", verify.measured_bps, Some(cause));
    let both = [
        ("simulated", Some(verify)),
        ("emulated", verify.emulated.as_deref()),
    ];
    for (origin, found) in both {
        let Some(v) = found else { continue };
        let limit = v.before_limited_by.as_deref().map(words);
        row(&format!("twin, {origin}"), v.before_bps, limit);
        let limit = v.after_limited_by.as_deref().map(words);
        row(&format!("after the change, {origin}"), v.after_bps, limit);
    }
    row("after, predicted", verify.predicted_bps, None);
    out.push('\n');
    if let (Some(low), Some(high), true) = (
        verify.before_low_bps,
        verify.before_high_bps,
        verify.runs > 1,
    ) {
        let spread = format!(
            "{} runs, {} to {}: the median is shown",
            verify.runs,
            quantity("goodput_bps", low),
            quantity("goodput_bps", high)
        );
        entry("twin", &spread, out);
    }
    entry("verified", &verify.in_words(), out);
    for note in &verify.notes {
        entry("", note, out);
    }
    for note in verify.emulated.iter().flat_map(|e| &e.notes) {
        // What an emulation that kept no promise shows puts nothing in doubt.
        let doubts = note.contains("in doubt") && emulation_failed(verify);
        if !doubts && !verify.notes.contains(note) {
            entry("", &format!("emulated: {note}"), out);
        }
    }
}

/// Whether the emulation's certificate failed.
fn emulation_failed(verify: &Verify) -> bool {
    let notes = verify.emulated.iter().flat_map(|e| &e.notes);
    notes.clone().any(|n| n.contains("certificate failed"))
}
