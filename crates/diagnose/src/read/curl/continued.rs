//! A command of curl that goes on in the lines below it: behind a backslash, or within the quotes of its format.

use crate::fact::Place;

/// Most lines and bytes of such a command.
const LINES_MAX: u32 = 40;
const BYTES_MAX: usize = 8192;

/// A command whose end is still to come.
pub(super) struct Continued {
    /// What was typed so far, with a blank for a backslash at the end of a line.
    text: String,
    last: Place,
    lines: u32,
}

/// What a line below such a command makes of it.
pub(super) enum Next {
    /// It goes on.
    Open(Continued),
    /// It is whole.
    Whole(String),
    /// The line is none of it.
    Other,
}

impl Continued {
    /// Of the first line of a command; none where it ends there. Quotes are followed where it has a format alone.
    pub(super) fn begins(text: &str, at: Place, has_format: bool) -> Option<Continued> {
        // Folders of Windows end with a backslash, too.
        let goes_on = text.ends_with('\\') && !text.contains(":\\") || has_format;
        if !goes_on || !text.contains("curl ") {
            return None;
        }
        Some(Continued {
            text: open(text)?,
            last: at,
            lines: 1,
        })
    }

    /// Takes the next line, also behind the `> ` of a shell that waits for it.
    pub(super) fn takes(mut self, line: &str, at: Place) -> Next {
        let is_next = at.lines_below(self.last) == Some(1);
        let room = self.lines < LINES_MAX && self.text.len() + line.len() < BYTES_MAX;
        if !is_next || !room {
            return Next::Other;
        }
        self.text.push_str(line.strip_prefix("> ").unwrap_or(line));
        match open(&self.text) {
            Some(text) => Next::Open(Continued {
                text,
                last: at,
                lines: self.lines + 1,
            }),
            None => Next::Whole(self.text),
        }
    }
}

/// What is typed so far, where a command goes on in the next line.
fn open(text: &str) -> Option<String> {
    let mut quote = None;
    for c in text.chars() {
        match quote {
            Some(begun) if c == begun => quote = None,
            None if c == '\'' || c == '"' => quote = Some(c),
            _ => {}
        }
    }
    match (text.strip_suffix('\\'), quote) {
        (Some(before), None | Some('"')) => Some(format!("{before} ")),
        (_, Some(_)) => Some(format!("{text}\n")),
        (None, None) => None,
    }
}
