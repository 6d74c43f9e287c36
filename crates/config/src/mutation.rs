//! How much of a configuration the checks hold: every line deleted, every word altered, one at a
//! time, and whether anything is found.

use crate::check::check;
use crate::dialect::Dialect;
use crate::finding::Severity;
use crate::source::Source;

/// What was done to a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// It was taken out.
    Deleted,
    /// One of its words was replaced by this one.
    Altered {
        /// The word.
        word: String,
        /// What stands there now.
        now: String,
    },
}

/// A configuration with one change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// Number of the file.
    pub file: usize,
    /// The line as it was.
    pub line: String,
    /// What was done to it.
    pub change: Change,
}

/// What became of the mutants of some files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// Changes that were found.
    pub found: usize,
    /// Changes that mean the same, each with the reason.
    pub equivalent: Vec<(Mutant, &'static str)>,
    /// Changes nobody noticed.
    pub missed: Vec<Mutant>,
}

impl Score {
    /// Changes found, of those that mean something: 0 to 1.
    pub fn share(&self) -> f64 {
        let all = self.found + self.missed.len();
        if all == 0 {
            return 1.0;
        }
        self.found as f64 / all as f64
    }
}

/// Changes every line of every file in turn and checks all files. A change is found when a warning,
/// an error or text that cannot be read comes of it. `equivalent` says why a change that was not
/// found means the same, if it does.
pub fn score(
    sources: &[Source],
    dialect: Dialect,
    equivalent: impl Fn(&Mutant) -> Option<&'static str>,
) -> Score {
    let mut score = Score::default();
    let mut files = sources.to_vec();
    for (file, source) in sources.iter().enumerate() {
        for (mutant, text) in mutants(file, &source.text) {
            files[file].text = text;
            if is_noticed(&files, dialect) {
                score.found += 1;
            } else if let Some(reason) = equivalent(&mutant) {
                score.equivalent.push((mutant, reason));
            } else {
                score.missed.push(mutant);
            }
        }
        files[file].text.clone_from(&source.text);
    }
    score
}

fn is_noticed(files: &[Source], dialect: Dialect) -> bool {
    let report = check(files, &vec![Some(dialect); files.len()]);
    report.failed()
        || report
            .findings
            .iter()
            .any(|f| f.severity >= Severity::Warning)
}

fn mutants(file: usize, text: &str) -> Vec<(Mutant, String)> {
    let mut all = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        let mut add = |change: Change, now: &str| {
            let mutant = Mutant {
                file,
                line: line.trim().to_owned(),
                change,
            };
            let text = format!("{}{now}{}", &text[..start], &text[end..]);
            all.push((mutant, text));
        };
        if !line.trim().is_empty() {
            add(Change::Deleted, "");
        }
        for (at, word) in words(line) {
            for now in altered(word) {
                let changed = format!("{}{now}{}", &line[..at], &line[at + word.len()..]);
                let change = Change::Altered {
                    word: word.to_owned(),
                    now,
                };
                add(change, &changed);
            }
        }
        start = end;
    }
    all
}

fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let parts = line.split([' ', '\t', '\n', ';', '{', '}']);
    let at = |part: &str| part.as_ptr() as usize - line.as_ptr() as usize;
    parts.filter(|p| !p.is_empty()).map(move |p| (at(p), p))
}

/// A word with a letter more, and with its last digit counted up if it has one.
fn altered(word: &str) -> Vec<String> {
    let mut all = vec![format!("{word}x")];
    if let Some(at) = word.rfind(|c: char| c.is_ascii_digit()) {
        let digit = word.as_bytes()[at];
        let next = if digit == b'9' {
            '0'
        } else {
            char::from(digit + 1)
        };
        all.push(format!("{}{next}{}", &word[..at], &word[at + 1..]));
    }
    all
}
