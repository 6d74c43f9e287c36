//! Pages of words on the left and text beside them.

use farpath_diagnose::{Cause, Change};
use farpath_report::{quantity, wrap};

/// Columns of what is printed.
pub(crate) const WIDTH: usize = 80;

/// Columns of the words on the left.
const LEFT: usize = 12;

/// What to change, what that gives, how to undo it.
pub(crate) fn change(change: &Change, out: &mut String) {
    let os = if change.os.is_empty() {
        String::new()
    } else {
        format!(" ({})", change.os)
    };
    entry("to change", &format!("on {}{os}:", change.host), out);
    for command in &change.commands {
        entry("", &format!("  {command}"), out);
    }
    if let (Some(after), Some(low), Some(high)) =
        (change.predicted_bps, change.low_bps, change.high_bps)
    {
        let next = change.then.as_ref().and_then(|t| Cause::named(t.cause));
        let next = next.map_or(String::new(), |c| format!("; then {} limits", c.words()));
        let start = change.start_ns.map_or(String::new(), |ns| {
            format!("; slow start takes about {:.0} s until then", ns / 1e9)
        });
        let (after, span) = (quantity("goodput_bps", after), span(low, high));
        let span = match span.is_empty() || span == after {
            true => String::new(),
            false => format!(" ({span})"),
        };
        entry("gives", &format!("up to {after}{span}{next}{start}"), out);
    }
    let mut word = "to undo";
    for command in &change.undo {
        entry(word, &format!("  {command}"), out);
        word = "";
    }
    let mut word = "to keep";
    for command in &change.persist {
        entry(word, &format!("  {command}"), out);
        word = "";
    }
    entry("risk", &change.risk, out);
}

/// From one rate to another, bit/s: one of them where both are printed alike, and nothing of two that are 0.
pub(crate) fn span(low: f64, high: f64) -> String {
    let [from, to] = [low, high].map(|bps| quantity("goodput_bps", bps));
    match from == to {
        true if high <= 0.0 => String::new(),
        true => from,
        false => format!("{from} to {to}"),
    }
}

/// A word on the left and text beside it.
pub(crate) fn entry(word: &str, text: &str, out: &mut String) {
    let indent = text.len() - text.trim_start().len();
    let room = WIDTH - LEFT - indent;
    for (n, part) in wrap(text, room, room).iter().enumerate() {
        let word = if n == 0 { word } else { "" };
        let line = format!("{word:<LEFT$}{}{part}", " ".repeat(indent));
        out.push_str(line.trim_end());
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_of_equal_ends_is_one_figure() {
        assert_eq!(span(26e6, 26e6), "26 Mbit/s");
        assert_eq!(span(25e6, 26e6), "25 Mbit/s to 26 Mbit/s");
        assert_eq!(span(0.0, 0.0), "");
    }
}
