//! Tables as Markdown: for a ticket, a merge request or a wiki.

use crate::grid::{Column, lay_out};
use crate::layout::{Form, Layout};

/// The lines of a table in the form that is wanted.
pub(crate) fn lines(
    columns: &[Column],
    headings: &[(usize, String)],
    layout: Layout,
) -> Vec<String> {
    match layout.form {
        Form::Terminal => lay_out(columns, headings, layout.width),
        Form::Markdown => table(columns, headings),
    }
}

/// A heading with its blank lines: `\nNotes\n`, or the same in bold.
pub(crate) fn heading(text: &str, form: Form) -> String {
    match (form, text.trim()) {
        (Form::Markdown, words) if !words.is_empty() => format!("\n**{words}**\n\n"),
        _ => text.to_owned(),
    }
}

/// A table whose headings are rows in bold, above those they are of.
fn table(columns: &[Column], headings: &[(usize, String)]) -> Vec<String> {
    let row = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let rule = |c: &Column| if c.number { "---:" } else { "---" }.to_owned();
    let mut lines = vec![
        row(columns.iter().map(|c| cell(&c.head)).collect()),
        row(columns.iter().map(rule).collect()),
    ];
    for at in 0..columns.first().map_or(0, |c| c.cells.len()) {
        for (_, words) in headings.iter().filter(|(first, _)| *first == at) {
            let mut cells = vec![String::new(); columns.len()];
            cells[0] = format!("**{}**", cell(words));
            lines.push(row(cells));
        }
        lines.push(row(columns.iter().map(|c| cell(&c.cells[at])).collect()));
    }
    lines
}

/// A cell of a Markdown table: text that Markdown takes for nothing else.
pub fn cell(text: &str) -> String {
    let mut out = String::new();
    for c in text.trim().chars() {
        match c {
            '|' | '*' | '_' | '`' | '<' | '\\' => out.extend(['\\', c]),
            '\n' => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_rows_and_numbers_stand_to_the_right() {
        let cells = |c: &[&str]| c.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
        let columns = [
            Column::text("test, metric", cells(&["  goodput", "  rtt_avg"])),
            Column {
                head: "simulated".to_owned(),
                cells: cells(&["1 | 2", "5 ms"]),
                number: true,
            },
        ];
        let headings = [(0, "bulk".to_owned()), (1, "ping*".to_owned())];
        let layout = Layout {
            form: Form::Markdown,
            ..Layout::default()
        };
        let expected = [
            "| test, metric | simulated |",
            "| --- | ---: |",
            "| **bulk** |  |",
            "| goodput | 1 \\| 2 |",
            "| **ping\\*** |  |",
            "| rtt\\_avg | 5 ms |",
        ];
        assert_eq!(lines(&columns, &headings, layout), expected);
        assert_eq!(heading("\nNotes\n", Form::Markdown), "\n**Notes**\n\n");
        assert_eq!(heading("\nNotes\n", Form::Terminal), "\nNotes\n");
    }
}
