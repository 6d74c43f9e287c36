//! The format that was typed for `curl -w`: whose each figure is that stands below the command, with a name or without one.

use super::times::VARIABLES;
use crate::fact::{Figure, Place};
use crate::read::shell::words;
use crate::words::number;

/// A format, line by line.
pub(super) struct Format {
    lines: Vec<Vec<Part>>,
    /// The line that is printed next.
    next: usize,
    /// The command, or the last line below it that was curl's.
    last: Place,
}

/// A part of a line of a format.
enum Part {
    /// What is printed as it stands.
    Text(String),
    /// A variable of curl; none of one that is not read.
    Variable(Option<&'static str>),
}

/// Most lines of a format that are kept.
const LINES_MAX: usize = 40;

/// What curl writes stands no farther below than so many lines.
const BELOW: u32 = 2;

/// Letters of options whose value is the rest of the word, or the next one, but for `w`.
const VALUED: &str = "AbcCdDeEFhHKmoPQrtTuUxXyYz";

/// Variables that print nothing.
const SILENT: [&str; 3] = ["stderr", "stdout", "onerror"];

impl Format {
    /// The format of a command of curl; none where it has none, or one that is in a file.
    pub(super) fn typed(text: &str, at: Place) -> Option<Format> {
        let mut names = text.match_indices("curl").map(|(begin, _)| begin);
        let begin = names.find(|begin| is_word(text, *begin))?;
        let all = words(&text[begin..]);
        let format = value(&all)?;
        // Bash has `$'…'` for texts with such characters.
        let format = format.strip_prefix('$').unwrap_or(format);
        let plain = format.replace("\\n", "\n").replace("\\t", " ");
        let plain = plain.replace("\\r", "");
        let lines = plain.split('\n').filter_map(parts);
        let lines: Vec<Vec<Part>> = lines.take(LINES_MAX).collect();
        (!lines.is_empty()).then_some(Format {
            lines,
            next: 0,
            last: at,
        })
    }

    /// A line below the command was curl's.
    pub(super) fn goes_on(&mut self, at: Place) {
        self.last = at;
    }

    /// The figures in a line that has this format; none of every other line.
    pub(super) fn figures(&mut self, text: &str, at: Place) -> Option<Vec<(&'static str, Figure)>> {
        if at.lines_below(self.last).is_none_or(|lines| lines > BELOW) {
            return None;
        }
        let line = collapsed(text);
        for n in [self.next, 0] {
            let parts = self.lines.get(n)?;
            if let Some(all) = matched(parts, &line, at) {
                self.next = (n + 1) % self.lines.len();
                return Some(all);
            }
        }
        None
    }
}

/// Whether what begins here is the program's name, and not a part of another word.
fn is_word(text: &str, begin: usize) -> bool {
    let before = text[..begin].chars().next_back();
    let behind = text[begin + "curl".len()..].chars().next();
    before.is_none_or(|c| c.is_whitespace() || c == '/') && behind.is_some_and(char::is_whitespace)
}

/// What stands behind `-w` or `--write-out`, in the words of a command.
fn value(all: &[String]) -> Option<&str> {
    let mut rest = all.iter().skip(1).map(String::as_str);
    while let Some(word) = rest.next() {
        if let Some(joined) = word.strip_prefix("--write-out") {
            return joined.strip_prefix('=').or_else(|| rest.next());
        }
        let short = word.strip_prefix('-').filter(|w| !w.starts_with('-'));
        let Some((before, joined)) = short.and_then(|w| w.split_once('w')) else {
            continue;
        };
        if !before.contains(|c: char| VALUED.contains(c)) {
            return match joined {
                "" => rest.next(),
                joined => Some(joined),
            };
        }
    }
    None
}

/// A text with one blank in place of several, and none around it.
fn collapsed(text: &str) -> String {
    let all: Vec<&str> = text.split_whitespace().collect();
    all.join(" ")
}

/// The parts of a line of a format; none of one without a variable that is read, or with two that nothing stands between.
fn parts(line: &str) -> Option<Vec<Part>> {
    let line = collapsed(line);
    let mut all: Vec<Part> = Vec::new();
    let mut rest = line.as_str();
    while let Some((before, behind)) = rest.split_once("%{") {
        let (name, left) = behind.split_once('}')?;
        let apart = !before.is_empty();
        if apart {
            all.push(Part::Text(before.replace("%%", "%")));
        }
        rest = left;
        if SILENT.contains(&name) {
            continue;
        }
        if !apart && matches!(all.last(), Some(Part::Variable(_))) {
            return None;
        }
        let known = VARIABLES.into_iter().find(|known| *known == name);
        all.push(Part::Variable(known));
    }
    if !rest.is_empty() {
        all.push(Part::Text(rest.replace("%%", "%")));
    }
    let reads = |part: &Part| matches!(part, Part::Variable(Some(_)));
    all.iter().any(reads).then_some(all)
}

/// The figures of a line that has these parts and nothing else.
fn matched(parts: &[Part], line: &str, at: Place) -> Option<Vec<(&'static str, Figure)>> {
    let mut rest = line;
    let mut all = Vec::new();
    let mut parts = parts.iter().peekable();
    while let Some(part) = parts.next() {
        match part {
            Part::Text(text) => rest = rest.strip_prefix(text.as_str())?,
            Part::Variable(name) => {
                let end = match parts.peek() {
                    Some(Part::Text(text)) => rest.find(text.as_str())?,
                    _ => rest.len(),
                };
                let (figure, behind) = rest.split_at(end);
                if let Some(name) = name {
                    all.push((*name, number(figure, at)?));
                }
                rest = behind;
            }
        }
    }
    rest.is_empty().then_some(all)
}

#[cfg(test)]
mod tests {
    use crate::read::{Source, read};
    use crate::seen::Test;

    /// The tests of a text, and how many of its lines nobody knew.
    fn tests(text: &str) -> (Vec<Test>, usize) {
        let source = Source {
            name: "w.txt".to_owned(),
            bytes: text.as_bytes().to_vec(),
        };
        let facts = read(&[source]);
        let unknown = facts.ignored_count[0];
        (facts.tests, unknown)
    }

    /// 1 GB in 28.5 s, by the order of the variables; separators are any.
    #[test]
    fn figures_without_names_are_those_of_the_format() {
        for (format, line) in [
            (
                "'%{time_connect} %{time_total} %{speed_download}\\n'",
                "0.120 28.500 35700000",
            ),
            (
                "\"%{http_code};%{time_total};%{speed_download}\\n\"",
                "200;28.500;35700000.000",
            ),
            (
                "'%{time_total}\\t%{size_download}\\t%{speed_download}\\n'",
                "28.500\t1017450000\t35700000",
            ),
            (
                "$'%{time_total}\\n%{speed_download}\\n'",
                "28.500\n35700000",
            ),
        ] {
            for command in ["$ curl -so /dev/null -w", "curl -s -o a --write-out"] {
                let text = format!("{command} {format} https://h.example/f\n{line}\n");
                let (all, unknown) = tests(&text);
                assert_eq!(all.len(), 1, "{text}");
                assert!(unknown == 0 || !command.starts_with('$'), "{text}");
                let (rate, _) = all[0].goodput().expect("a rate");
                assert_eq!(rate.value, 285.6e6, "{text}");
                let report = all[0].received.as_ref().expect("it was received");
                assert_eq!(report.seconds, 28.5, "{text}");
                let bytes = report.bytes.as_ref().map_or(0.0, |b| b.value);
                assert!((bytes / 1_017_450_000.0 - 1.0).abs() < 1e-9, "{text}");
            }
        }
    }

    /// Behind backslashes, within quotes, and at the prompt of a shell that waits for more.
    #[test]
    fn a_format_below_the_first_line_of_its_command_is_read() {
        for command in [
            "$ curl -so /dev/null \\\n  -w '%{time_total} %{speed_download}\\n' \\\n  https://h.example/f\n",
            "$ curl -so /dev/null -w '\n%{time_total} %{speed_download}\\n' https://h.example/f\n",
            "$ curl -so /dev/null \\\n> -w '%{time_total} %{speed_download}\\n' https://h.example/f\n",
        ] {
            let text = format!("{command}28.500 35700000\n");
            let (all, unknown) = tests(&text);
            assert_eq!((all.len(), unknown), (1, 0), "{text}");
            let (rate, _) = all[0].goodput().expect("a rate");
            assert_eq!(rate.value, 285.6e6, "{text}");
        }
    }

    #[test]
    fn each_line_of_a_loop_is_a_request() {
        let text = "$ for n in 1 2; do curl -so /dev/null -w '%{time_total} %{speed_download}\\n' https://h.example/f; done\n28.500 35700000\n28.600 35600000\n";
        assert_eq!(tests(text).0.len(), 2);
    }

    /// A number alone is of the format where it stands below its command, and nowhere else.
    #[test]
    fn numbers_of_something_else_are_left() {
        let command =
            "$ curl -so /dev/null -w '%{time_total} %{speed_download}\\n' https://h.example/f\n";
        for behind in [
            "28.500 35700000 12\n",
            "28,500 35700000\n",
            "a line\nanother line\nand a third\n28.500 35700000\n",
        ] {
            let (all, _) = tests(&format!("{command}{behind}"));
            assert!(all.is_empty(), "{behind}");
        }
        let other = "$ curl -so /dev/null https://h.example/f\n28.500 35700000\n";
        assert!(tests(other).0.is_empty());
    }
}
