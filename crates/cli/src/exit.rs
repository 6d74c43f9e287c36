//! Exit codes, and how a failure is reported.

use std::io::{BufWriter, IsTerminal, Write};
use std::process::ExitCode;

use farpath_experiment::{Class, Fault};
use farpath_report::table;
use serde::Serialize;

/// How a command ended; the numbers are part of the command line's contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Everything went well.
    Ok = 0,
    /// An expectation failed, or there is a finding.
    Finding = 1,
    /// The text or the arguments are wrong.
    Usage = 2,
    /// The environment does not allow it.
    Environment = 3,
    /// The certificate of an emulated run failed, and nothing else.
    Certificate = 4,
    /// The user interrupted.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// A command that could not do its work: what to say, and the exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    exit: Exit,
    message: String,
    /// The message in colours, for a terminal that has them.
    drawn: Option<String>,
    hint: Option<String>,
    of_server: bool,
}

impl Failure {
    fn new(exit: Exit, message: String) -> Failure {
        Failure {
            exit,
            message,
            drawn: None,
            hint: None,
            of_server: false,
        }
    }

    /// The text or the arguments are wrong.
    pub(crate) fn usage(message: impl Into<String>) -> Failure {
        Failure::new(Exit::Usage, message.into())
    }

    /// The environment does not allow it.
    pub(crate) fn environment(message: impl std::fmt::Display) -> Failure {
        Failure::new(Exit::Environment, message.to_string())
    }

    /// The user interrupted.
    pub(crate) fn interrupted(message: impl Into<String>) -> Failure {
        Failure::new(Exit::Interrupted, message.into())
    }

    /// What to do about it.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Failure {
        self.hint = Some(hint.into());
        self
    }

    /// A line more of the message.
    pub(crate) fn line(mut self, line: &str) -> Failure {
        self.message = format!("{}\n{line}", self.message.trim_end());
        self.drawn = None;
        self
    }

    /// This one, and another beside it.
    pub(crate) fn also(mut self, other: Failure) -> Failure {
        self = self.line(&other.headed());
        let more = other.hint.filter(|hint| self.hint.as_ref() != Some(hint));
        self.hint = match (self.hint, more) {
            (Some(own), Some(more)) => Some(format!("{own}; {more}")),
            (own, more) => own.or(more),
        };
        self
    }

    /// The server of a lab is to blame.
    pub(crate) fn by_server(mut self) -> Failure {
        self.of_server = true;
        self
    }

    /// Whether the server of a lab is to blame.
    pub(crate) fn is_of_server(&self) -> bool {
        self.of_server
    }

    /// Whether the user wanted it so.
    pub(crate) fn is_interruption(&self) -> bool {
        self.exit == Exit::Interrupted
    }

    /// Whether what was given is wrong: nothing was to be run.
    pub(crate) fn is_usage(&self) -> bool {
        self.exit == Exit::Usage
    }

    /// Says it on standard error and gives the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        let mut text = to_read(&self.headed()) + "\n";
        if let Some(hint) = &self.hint {
            text.push_str(&format!("\n{}\n", to_read(&format!("hint: {hint}"))));
        }
        // Nobody may be reading; the exit code still says it.
        drop(std::io::stderr().write_all(text.as_bytes()));
        self.exit.into()
    }

    /// The message with its heading; a rendered diagnostic brings its own.
    fn headed(&self) -> String {
        let heading = match self.message.starts_with("error") {
            true => "",
            false => "error: ",
        };
        let message = self.drawn.as_ref().unwrap_or(&self.message);
        format!("{heading}{}", message.trim_end())
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Failure {
        let (message, drawn) = match &fault {
            Fault::Scenario(errors) => {
                let drawn = has_colours(&std::io::stderr()).then(|| errors.render(true));
                (errors.render(false), drawn)
            }
            other => (other.to_string(), None),
        };
        let exit = match fault.class() {
            Class::Usage => Exit::Usage,
            Class::Environment => Exit::Environment,
            Class::Interrupted => Exit::Interrupted,
        };
        Failure {
            drawn,
            hint: fault.remedy(),
            ..Failure::new(exit, message)
        }
    }
}

impl std::fmt::Display for Failure {
    /// What to say, in one line.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let message = self.message.lines().collect::<Vec<_>>().join(" ");
        match &self.hint {
            Some(hint) => write!(f, "{message}; {hint}"),
            None => f.write_str(&message),
        }
    }
}

/// Whether what goes to `stream` has colours: on a terminal that knows them, unless the user wants none (no-color.org).
pub(crate) fn has_colours(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && are_wanted(|name| std::env::var_os(name))
}

fn are_wanted(variable: impl Fn(&str) -> Option<std::ffi::OsString>) -> bool {
    let is_plain = variable("NO_COLOR").is_some_and(|v| !v.is_empty());
    let is_dumb = variable("TERM").is_some_and(|t| t == "dumb");
    !is_plain && !is_dumb
}

/// What a note begins with.
pub(crate) const NOTE: &str = "note: ";

/// Says on standard error what is worth knowing and no failure.
pub(crate) fn note(message: &str) {
    // Nobody may be reading.
    let text = to_read(&format!("{NOTE}{message}"));
    drop(writeln!(std::io::stderr(), "{text}"));
}

/// Says in a note what has several parts, with `; ` between them: each on a line of its own, whole where a program reads it.
pub(crate) fn note_in_parts(message: &str) {
    let width = match std::io::stderr().is_terminal() {
        true => columns(),
        false => usize::MAX,
    };
    // Nobody may be reading.
    drop(writeln!(std::io::stderr(), "{}", in_parts(message, width)));
}

/// The lines of such a note, at most this wide.
fn in_parts(message: &str, width: usize) -> String {
    let indent = " ".repeat(NOTE.len());
    let rest = width.saturating_sub(indent.len() + 2);
    let lines = message.split("; ").map(|part| {
        let lines = farpath_report::wrap(part, width.saturating_sub(indent.len()), rest);
        lines.join(&format!("\n{indent}  "))
    });
    let lines: Vec<String> = lines.collect();
    format!("{NOTE}{}", lines.join(&format!("\n{indent}")))
}

/// Columns that a terminal has at least, unless `COLUMNS` says otherwise.
pub(crate) fn columns() -> usize {
    let width = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok());
    width.unwrap_or(80)
}

/// As wide as the terminal, 80 columns where there is none; or as `markdown`.
pub(crate) fn layout(markdown: bool) -> table::Layout {
    table::Layout {
        width: columns().clamp(60, 160),
        colour: !markdown && has_colours(&std::io::stdout()),
        form: match markdown {
            true => table::Form::Markdown,
            false => table::Form::Terminal,
        },
    }
}

/// A line for standard error: broken at blanks where a terminal shows it, whole where a program reads it.
fn to_read(line: &str) -> String {
    match std::io::stderr().is_terminal() && !line.contains('\n') {
        true => broken(line, columns()),
        false => line.to_owned(),
    }
}

/// A line in lines of at most `width`, all but the first indented.
fn broken(line: &str, width: usize) -> String {
    let indent = "  ";
    farpath_report::wrap(line, width, width.saturating_sub(indent.len()))
        .join(&format!("\n{indent}"))
}

/// Bytes of JSON that are held before they are written.
const JSON_HELD: usize = 1 << 16;

/// Writes a document to standard output, as indented JSON. It is never held whole.
pub(crate) fn print_json(document: &impl Serialize) -> Result<(), Failure> {
    printed(write_json(std::io::stdout().lock(), document))
}

fn write_json(out: impl Write, document: &impl Serialize) -> std::io::Result<()> {
    let mut out = BufWriter::with_capacity(JSON_HELD, out);
    // Plain values always serialise: what fails is the writing.
    serde_json::to_writer_pretty(&mut out, document)?;
    out.write_all(b"\n")?;
    out.flush()
}

/// Writes data to standard output. A reader that went away is not an error.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    printed(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// What came of writing to standard output.
fn printed(written: std::io::Result<()>) -> Result<(), Failure> {
    match written {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => Err(Failure::environment(format!(
            "write to standard output: {e}"
        ))),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, ErrorKind, Write};

    use super::{Failure, JSON_HELD, are_wanted, broken, in_parts, printed, write_json};

    /// Counts what is written and the largest piece of it, and goes away after so many bytes.
    struct Reader {
        bytes: usize,
        largest: usize,
        until: usize,
    }

    impl Write for Reader {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.bytes >= self.until {
                return Err(ErrorKind::BrokenPipe.into());
            }
            self.bytes += bytes.len();
            self.largest = self.largest.max(bytes.len());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_large_document_is_written_in_pieces_until_nobody_reads() {
        let document: Vec<String> = (0..100_000).map(|n| format!("element {n}")).collect();
        let whole = serde_json::to_string_pretty(&document).expect("plain values");
        for until in [usize::MAX, 1] {
            let mut reader = Reader {
                bytes: 0,
                largest: 0,
                until,
            };
            printed(write_json(&mut reader, &document)).expect("no failure");
            assert!(reader.largest <= JSON_HELD, "{}", reader.largest);
            let goes_away = until == 1;
            assert_eq!(
                reader.bytes < whole.len() + 1,
                goes_away,
                "{}",
                reader.bytes
            );
        }
    }

    #[test]
    fn a_message_in_colours_has_one_heading_and_reports_have_it_plain() {
        let failure = Failure {
            drawn: Some("\u{1b}[1m\u{1b}[91merror\u{1b}[0m: no unit\n".to_owned()),
            ..Failure::usage("error: no unit\n")
        };
        let shown = failure.headed();
        assert_eq!(shown.matches("error").count(), 1, "{shown}");
        assert!(shown.starts_with('\u{1b}'), "{shown}");
        assert_eq!(failure.to_string(), "error: no unit");
        assert_eq!(Failure::usage("no unit").headed(), "error: no unit");
    }

    #[test]
    fn colours_are_for_terminals_that_know_them_and_users_who_want_them() {
        let with = |name: &'static str, value: &'static str| {
            are_wanted(move |asked| (asked == name).then(|| value.into()))
        };
        assert!(with("TERM", "xterm-256color") && with("NO_COLOR", ""));
        assert!(!with("NO_COLOR", "1") && !with("TERM", "dumb"));
    }

    #[test]
    fn the_parts_of_a_note_are_lines_of_a_terminal() {
        let note = "the window limited it 60 % of the time; at most 898 kB in flight; RTT 20 ms";
        assert_eq!(
            in_parts(note, 30),
            "note: the window limited it\n        60 % of the time\n      at most 898 kB in flight\n      RTT 20 ms"
        );
        assert_eq!(
            in_parts(note, usize::MAX),
            "note: the window limited it 60 % of the time\n      at most 898 kB in flight\n      RTT 20 ms"
        );
    }

    #[test]
    fn a_long_note_is_broken_at_blanks() {
        let note = "note: two words and a few more";
        assert_eq!(broken(note, 16), "note: two words\n  and a few more");
        assert_eq!(broken(note, 80), note);
    }
}
