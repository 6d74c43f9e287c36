//! Files of options by which programs hold their own rate, as they were printed: `limit_rate` of `.wgetrc`, `limit-rate` of `.curlrc`.

use super::label::{behind_prompt, is_typed};
use super::rate_program::rate_of;
use super::{Facts, Line};
use crate::fact::Place;

/// Where a limit stands, its rate, bit/s, and the option for people.
pub(super) type LimitOf = (Place, (f64, String));

/// How names of such files end, their programs, and the option (GNU Wget's manual, "Wgetrc Commands"; curl (1), `--config`).
const FILES: [(&str, &str, &str); 2] = [
    ("wgetrc", "wget", "limit_rate"),
    ("curlrc", "curl", "limit-rate"),
];

/// Commands that print a file.
const PRINT: [&str; 3] = ["cat", "grep", "type"];

/// Most values that are kept, and the longest.
const KEPT_MAX: usize = 16;
const VALUE_MAX: usize = 20;

/// What files of options say of rates.
#[derive(Clone, Debug, Default)]
pub(crate) struct RateFiles {
    /// The file whose lines follow, by its place among those that are known, and the shell that prints it.
    open: Option<(usize, (u32, String))>,
    /// Values, the file of each, the shell that printed it, and where.
    values: Vec<(String, usize, (u32, String), Place)>,
}

impl Facts {
    /// Takes a command that prints such a file, or a line of one that sets a rate.
    pub(super) fn typed_rate_file(&mut self, line: Line<'_>) {
        if is_typed(line.bare) {
            let file = behind_prompt(line.bare).and_then(printed);
            self.rate_files.open = file.map(|file| (file, self.prompt()));
            return;
        }
        let Some((file, shell)) = self.rate_files.open.clone() else {
            return;
        };
        let here = matches!(line.at, Place::Line(source, _) if source == shell.0);
        let value = value(line.bare, FILES[file].2).filter(|_| here);
        let room = self.rate_files.values.len() < KEPT_MAX;
        let value = value.filter(|value| room && value.len() <= VALUE_MAX);
        let value = value.map(|value| (crate::redact(value), file, shell, line.at));
        self.rate_files.values.extend(value);
    }
}

impl RateFiles {
    /// What the file of a program says at this shell.
    pub(super) fn limit(&self, program: &str, shell: &(u32, String)) -> Option<LimitOf> {
        let is_its = |(_, file, at, _): &&(String, usize, (u32, String), Place)| {
            FILES[*file].1 == program && at == shell
        };
        let (value, file, _, at) = self.values.iter().rfind(is_its)?;
        let (ends, name, option) = FILES[*file];
        let (bps, unit) = rate_of(name, value)?;
        let said = format!("{option} = {value} in {name}'s file {ends}, which counts in {unit}");
        Some((*at, (bps, said)))
    }
}

/// Which file a command prints, by its place among those that are known.
fn printed(command: &str) -> Option<usize> {
    let mut words = command.split_whitespace();
    let first = words.next()?;
    let named = |word: &str| FILES.iter().position(|(ends, ..)| word.ends_with(ends));
    PRINT.contains(&first).then(|| words.find_map(named))?
}

/// The value that a line gives an option: `limit_rate = 1150k`, `--limit-rate 1M`. Wget takes both signs in names.
fn value<'t>(text: &'t str, option: &str) -> Option<&'t str> {
    let between = |c: char| c.is_whitespace() || c == '=' || c == ':';
    let text = text.trim_start_matches('-');
    let (name, rest) = text.split_at(text.find(between)?);
    let value = rest.trim_matches(between).trim_matches('"');
    let is_it = name.replace('_', "-") == option.replace('_', "-");
    (is_it && !value.is_empty()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_file_set_a_rate() {
        for (text, said) in [
            ("limit_rate = 1150k", Some("1150k")),
            ("limit-rate=1M", Some("1M")),
            ("--limit-rate \"1M\"", Some("1M")),
            ("#limit_rate = 1150k", None),
            ("limit_rate", None),
            ("rate = 1M", None),
        ] {
            assert_eq!(value(text, "limit_rate"), said, "{text}");
        }
        assert_eq!(printed("cat /etc/wgetrc"), Some(0));
        assert_eq!(printed("grep rate ~/.curlrc"), Some(1));
        assert_eq!(printed("vi ~/.wgetrc"), None);
    }
}
