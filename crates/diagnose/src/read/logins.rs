//! Logins by ssh that were timed, `time ssh HOST true`, and whether the server asks for the name of each client.

use super::label::behind_prompt;
use super::{Facts, Line, Tool};
use crate::fact::Place;
use crate::words::decimal;

/// What texts say of logins.
#[derive(Clone, Debug, Default)]
pub(crate) struct Logins {
    /// How long the longest took, seconds.
    pub(crate) took: Option<(f64, Place)>,
    /// The server asks for the name of each client's address.
    pub(crate) asks_names: Option<Place>,
}

/// The state of reading: whether the last command that was typed is such a login.
#[derive(Default)]
pub(super) struct Login {
    timed: bool,
}

/// Commands that are over at once: what they take is the login.
const SHORT: [&str; 8] = [
    "true",
    "/bin/true",
    "exit",
    ":",
    "date",
    "hostname",
    "uname",
    "id",
];

impl Tool for Login {
    fn name(&self) -> &'static str {
        "ssh"
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if let Some(typed) = behind_prompt(text) {
            self.timed = is_timed(typed);
            return false;
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        match words[..] {
            ["real", time] if self.timed => {
                let seconds = lasted(time);
                let longest = |seconds: &f64| {
                    let took = facts.logins.took;
                    took.is_none_or(|(known, _)| known < *seconds)
                };
                if let Some(seconds) = seconds.filter(longest) {
                    facts.logins.took = Some((seconds, line.at));
                }
                seconds.is_some()
            }
            ["user" | "sys", time] => going && self.timed && lasted(time).is_some(),
            [option, "yes"] if option.eq_ignore_ascii_case("UseDNS") => {
                facts.logins.asks_names.get_or_insert(line.at);
                true
            }
            _ => false,
        }
    }
}

/// Whether a command times a login: `time ssh jump1 true`.
fn is_timed(command: &str) -> bool {
    let words: Vec<&str> = command.split_whitespace().collect();
    match words[..] {
        ["time", "ssh", .., last] => SHORT.contains(&last),
        _ => false,
    }
}

/// Seconds of `0m10.412s`, as bash prints them, or of `10.41`, as `time -p` does.
pub(super) fn lasted(text: &str) -> Option<f64> {
    match text.split_once('m') {
        Some((minutes, rest)) => {
            let seconds = decimal(rest.strip_suffix('s')?)?;
            Some(60.0 * decimal(minutes)? + seconds)
        }
        None => decimal(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_bash_and_posix_print_is_a_time() {
        assert_eq!(lasted("1m10.5s"), Some(70.5));
        assert_eq!(lasted("10.41"), Some(10.41));
        assert_eq!(lasted("now"), None);
        assert!(is_timed("time ssh jump1 true"));
        // A session takes as long as somebody types, and what is fetched as long as it is large.
        assert!(!is_timed("time ssh jump1"));
        assert!(!is_timed("time curl -o /dev/null http://192.0.2.9/"));
    }
}
