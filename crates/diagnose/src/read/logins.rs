//! Logins by ssh that were timed, `time ssh HOST true`, or whose steps have a time before them, `ssh -v HOST true 2>&1 | ts`; whether the server
//! asks for the name of each client, and how long that takes it.

use super::label::behind_prompt;
use super::shell::words;
use super::{Facts, Line, Tool};
use crate::fact::Place;
use crate::words::decimal;

/// What texts say of logins.
#[derive(Clone, Debug, Default)]
pub(crate) struct Logins {
    /// How long the longest took, seconds.
    pub(crate) took: Option<(f64, Place)>,
    /// The longest pause between two of its steps, seconds, and the step before it.
    pub(crate) pause: Option<(f64, String)>,
    /// The server asks for the name of each client's address.
    pub(crate) asks_names: Option<Place>,
    /// How long a look-up of an address took that was timed, seconds.
    pub(crate) lookup: Option<(f64, Place)>,
}

/// What the last command that was typed times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Timed {
    Login,
    /// A look-up of an address.
    Lookup,
}

/// The state of reading.
#[derive(Default)]
pub(super) struct Login {
    timed: Option<Timed>,
    /// When the first step of a login was printed, and the last one with its words, seconds of the day.
    first: Option<f64>,
    last: Option<(f64, String)>,
    /// The login is over: what is printed then is of its session.
    over: bool,
}

/// Steps behind which somebody types a password.
const TYPED: [&str; 2] = [
    "Next authentication method: password",
    "Next authentication method: keyboard-interactive",
];

/// The steps with which a login is over.
const OVER: [&str; 2] = ["Authentication succeeded", "Authenticated to "];

/// Longest words of a step that are kept, bytes.
const STEP_MAX: usize = 60;

/// What `ssh -v` prints before each step.
const STEPS: [&str; 4] = ["debug1: ", "debug2: ", "debug3: ", "OpenSSH_"];

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
            self.timed = timed(typed);
            (self.first, self.last, self.over) = (None, None, false);
            return false;
        }
        if let Some((stamp, step)) = step(text) {
            self.steps(stamp, step, line.at, facts);
            return true;
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        match words[..] {
            ["real", time] if self.timed.is_some() => {
                let seconds = lasted(time);
                let of = match self.timed {
                    Some(Timed::Lookup) => &mut facts.logins.lookup,
                    _ => &mut facts.logins.took,
                };
                longest(of, seconds, line.at);
                seconds.is_some()
            }
            ["user" | "sys", time] => going && self.timed.is_some() && lasted(time).is_some(),
            [option, "yes"] if option.eq_ignore_ascii_case("UseDNS") => {
                facts.logins.asks_names.get_or_insert(line.at);
                true
            }
            _ => false,
        }
    }
}

impl Login {
    /// Takes a step of a login, with the time before it where there is one: how long it all took so far, and its longest pause.
    fn steps(&mut self, stamp: Option<f64>, step: &str, at: Place, facts: &mut Facts) {
        let Some(now) = stamp.filter(|_| !self.over) else {
            return;
        };
        self.over = OVER.iter().any(|begin| step.starts_with(begin));
        let words = &step[..step.floor_char_boundary(STEP_MAX)];
        if let Some((before, step)) = self.last.replace((now, crate::redact(words))) {
            let pause = now - before;
            // What somebody types takes as long as it does, and another day begins at 0.
            if pause < 0.0 || TYPED.iter().any(|method| step.ends_with(method)) {
                self.first = self.first.map(|first| first + pause);
                return;
            }
            let known = facts.logins.pause.as_ref().map_or(0.0, |(known, _)| *known);
            if pause > known {
                facts.logins.pause = Some((pause, step));
            }
        }
        let first = *self.first.get_or_insert(now);
        longest(&mut facts.logins.took, Some(now - first), at);
    }
}

/// Keeps the longest of them.
fn longest(known: &mut Option<(f64, Place)>, seconds: Option<f64>, at: Place) {
    let longer = |seconds: &f64| known.is_none_or(|(known, _)| known < *seconds);
    if let Some(seconds) = seconds.filter(longer) {
        *known = Some((seconds, at));
    }
}

/// A step that `ssh -v` prints, and the time that `ts` puts before it, seconds: `Nov 24 13:00:10 debug1: Authentication succeeded (publickey).`.
fn step(text: &str) -> Option<(Option<f64>, &str)> {
    let at = STEPS.iter().filter_map(|mark| text.find(*mark)).min()?;
    let (before, rest) = text.split_at(at);
    let of_day = |word: &str| {
        let parts: Option<Vec<f64>> = word.split(':').map(decimal).collect();
        match parts?[..] {
            [hours, minutes, seconds] => Some((hours * 60.0 + minutes) * 60.0 + seconds),
            _ => None,
        }
    };
    let stamp = before.split_whitespace().next_back();
    let stamp = stamp.and_then(of_day);
    let words = rest.trim_start_matches(STEPS[0]);
    (before.is_empty() || stamp.is_some()).then_some((stamp, words))
}

/// What a command times: a login, `time ssh jump1 true`, or a look-up, `time getent hosts 192.0.2.9`.
fn timed(command: &str) -> Option<Timed> {
    let looks = ["time getent hosts ", "time dig -x ", "time host "];
    if looks.iter().any(|look| command.contains(look)) {
        return Some(Timed::Lookup);
    }
    let all = words(command);
    let own = all.iter().map(String::as_str);
    // `2>&1` before a pipe.
    let own: Vec<&str> = own.filter(|word| !word.contains('>')).collect();
    match own[..] {
        ["time", "ssh", .., last] => SHORT.contains(&last).then_some(Timed::Login),
        _ => None,
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
    use crate::read::taken::taken;

    #[test]
    fn what_bash_and_posix_print_is_a_time() {
        assert_eq!(lasted("1m10.5s"), Some(70.5));
        assert_eq!(lasted("10.41"), Some(10.41));
        assert_eq!(lasted("now"), None);
        for command in ["time ssh jump1 true", "time ssh -v jump1 true 2>&1 | ts"] {
            assert_eq!(timed(command), Some(Timed::Login), "{command}");
        }
        let lookup = "ssh srv 'grep -i usedns /etc/ssh/sshd_config; time getent hosts 192.0.2.9'";
        assert_eq!(timed(lookup), Some(Timed::Lookup));
        // A session takes as long as somebody types, and what is fetched as long as it is large.
        assert_eq!(timed("time ssh jump1"), None);
        assert_eq!(timed("time curl -o /dev/null http://192.0.2.9/"), None);
    }

    #[test]
    fn steps_with_times_before_them_show_the_pause() {
        let text = "Nov 24 13:00:00 debug1: Connecting to srv7 [192.0.2.7] port 22.\nNov 24 13:00:00 debug1: SSH2_MSG_SERVICE_ACCEPT received\nNov 24 13:00:10 debug1: Authentications that can continue: publickey,password\n";
        let facts = taken(Login::default(), text);
        assert_eq!(facts.logins.took.map(|(took, _)| took), Some(10.0));
        let step = "SSH2_MSG_SERVICE_ACCEPT received".to_owned();
        assert_eq!(facts.logins.pause, Some((10.0, step)));
    }
}
