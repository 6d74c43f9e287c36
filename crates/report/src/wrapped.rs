//! Lines of a report as wide as its layout, with what is right and wrong in colour.

use crate::grid::wrap;
use crate::layout::{Form, Layout};

/// Colours a mark at either end of a line.
pub(crate) fn coloured(line: &str, layout: Layout) -> String {
    const RED: &str = "\u{1b}[1;31mFAIL\u{1b}[0m";
    const GREEN: &str = "\u{1b}[32mok\u{1b}[0m";
    if !layout.colour {
        return line.to_owned();
    }
    if let Some(rest) = line.strip_prefix("FAIL ") {
        return format!("{RED} {rest}");
    }
    for (mark, paint) in [(" FAIL", RED), (" ok", GREEN)] {
        if let Some(rest) = line.strip_suffix(mark) {
            return format!("{rest} {paint}");
        }
    }
    line.to_owned()
}

/// Adds a paragraph, whose lines after the first begin with `indent`.
pub(crate) fn push_wrapped(out: &mut String, text: &str, indent: &str, layout: Layout) {
    if layout.form == Form::Markdown {
        *out += &format!("{text}\n");
        return;
    }
    let rest = layout.width.saturating_sub(indent.len());
    for (i, line) in wrap(text, layout.width, rest).iter().enumerate() {
        *out += if i == 0 { "" } else { indent };
        *out += &(coloured(line, layout) + "\n");
    }
}
