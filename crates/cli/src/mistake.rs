//! Arguments that do not fit, where their meaning can be guessed better than from their order.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory as _, Error};
use farpath_scenario::shipped;

use crate::args::Cli;
use crate::exit::{Exit, Failure};
use crate::lab::{self, FAULT};

/// Says what is wrong with `words`, the whole command line, and gives the exit code.
pub(crate) fn report(mut error: Error, words: &[OsString]) -> ExitCode {
    without_dashes(&mut error);
    let words: Vec<String> = words
        .iter()
        .map(|w| w.to_string_lossy().into_owned())
        .collect();
    if is_lab_run(&words) {
        as_netem_has_it(&mut error);
    }
    if !error.use_stderr() {
        // Help and version were asked for; nobody may be reading.
        drop(error.print());
        return Exit::Ok.into();
    }
    let guessed = own_path(&error, &words).or_else(|| guess(error.kind(), &words));
    match &guessed {
        Some(failure) => drop(failure.report()),
        None => drop(error.print()),
    }
    if !is_lab_run(&words) {
        return Exit::Usage.into();
    }
    let why = guessed.unwrap_or_else(|| Failure::usage(first(&error.to_string())));
    if let Err(failure) = lab::report_refusal(&words, &why) {
        failure.report();
    }
    // The command's own exit code may be 2.
    ExitCode::from(FAULT)
}

/// Takes out clap's tip to write `--` before an option that it does not know: no value of ours begins with a dash.
fn without_dashes(error: &mut Error) {
    let Some(ContextValue::StyledStrs(mut tips)) = error.remove(ContextKind::Suggested) else {
        return;
    };
    tips.retain(|tip| !tip.to_string().contains("as a value, use"));
    if !tips.is_empty() {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
    }
}

/// What other tools call an option of a path, netem first.
const NETEM: [(&str, &str); 7] = [
    ("--lose", "--loss"),
    ("--drop", "--loss"),
    ("--delay", "--rtt"),
    ("--latency", "--rtt"),
    ("--bandwidth", "--rate"),
    ("--limit", "--queue"),
    ("--reordering", "--reorder"),
];

/// The option of `lab run` that alone begins with a word, such as `--los`; none where several do, or none.
fn begun_by(word: &str) -> Option<String> {
    let command = Cli::command();
    let run = command.find_subcommand("lab")?.find_subcommand("run")?;
    let options = run.get_arguments().filter_map(clap::Arg::get_long);
    let options = options.map(|long| format!("--{long}"));
    let mut begun = options.filter(|option| word.len() > "--".len() && option.starts_with(word));
    let first = begun.next()?;
    begun.next().is_none().then_some(first)
}

/// Puts the option that such a word means, or begins, in place of one that is merely spelt like it.
fn as_netem_has_it(error: &mut Error) {
    let word = error.get(ContextKind::InvalidArg).map(texts);
    let word = word.and_then(|texts| texts.first().copied());
    let ours = NETEM.iter().find(|(theirs, _)| word == Some(*theirs));
    let ours = ours.map(|(_, ours)| (*ours).to_owned());
    let ours = ours.or_else(|| begun_by(word?));
    if let Some(ours) = ours.filter(|_| error.kind() == ErrorKind::UnknownArgument) {
        let value = ContextValue::String(ours.clone());
        error.remove(ContextKind::SuggestedArg);
        // It shows the other option.
        error.remove(ContextKind::Usage);
        error.insert(ContextKind::SuggestedArg, value);
        if ours == "--rtt" {
            let tip =
                "a round trip takes a delay of each way: `delay 50ms` on both ends is --rtt 100ms";
            let tips = ContextValue::StyledStrs(vec![tip.into()]);
            error.insert(ContextKind::Suggested, tips);
        }
    }
}

/// The first paragraph of what clap says, in one line, without its heading.
fn first(said: &str) -> String {
    let lines = said.lines().take_while(|line| !line.trim().is_empty());
    let lines: Vec<&str> = lines.map(str::trim).collect();
    let line = lines.join(" ");
    line.strip_prefix("error: ").unwrap_or(&line).to_owned()
}

/// Whether the words are those of `farpath lab run`, which passes on the exit code of its command.
fn is_lab_run(words: &[String]) -> bool {
    let mut words = words.iter().map(String::as_str).skip(1);
    if words.next() != Some("lab") {
        return false;
    }
    loop {
        match words.next() {
            Some("--lab") => drop(words.next()),
            Some(word) if word.starts_with("--lab=") => {}
            other => return other == Some("run"),
        }
    }
}

/// Options of a path, and the key of a link that is the same in a scenario.
const KEYS: [(&str, &str); 9] = [
    ("--rtt", "delay"),
    ("--rate", "rate"),
    ("--loss", "loss"),
    ("--jitter", "jitter.max"),
    ("--duplicate", "duplication.share"),
    ("--queue", "queue"),
    ("--mtu", "mtu"),
    ("--there", "forward.KEY"),
    ("--back", "reverse.KEY"),
];

/// That a scenario brings a path of its own, where an option of the path stands beside one, and how to change that.
fn own_path(error: &Error, words: &[String]) -> Option<Failure> {
    let named = [ContextKind::InvalidArg, ContextKind::PriorArg].map(|kind| error.get(kind));
    let named: Vec<&str> = named.into_iter().flatten().flat_map(texts).collect();
    let conflict = error.kind() == ErrorKind::ArgumentConflict && named.contains(&"[SCENARIO]");
    let option = named.iter().find(|text| text.starts_with("--"));
    let option = option.filter(|_| conflict && is_lab_run(words))?;
    let option = option.split(' ').next()?;
    let key = KEYS.iter().find(|(name, _)| *name == option);
    let word = scenario_of(words)?;
    if let Some(failure) = no_scenario(&word, words) {
        return Some(failure);
    }
    let (key, way) = match key {
        Some((_, "delay")) => ("delay", ": one way, half of a round trip"),
        Some((_, key)) => (*key, ""),
        None => (
            "KEY",
            ": the reference of scenarios has its keys, and events for what changes in time",
        ),
    };
    let title = format!("{option} beside the scenario `{word}`: that has its own path");
    Some(Failure::usage(title).hint(format!(
        "change a link of it for this run with --set link.NAME.{key}=…{way}"
    )))
}

/// Options whose values have units.
const WITH_UNITS: [&str; 7] = [
    "--rtt",
    "--rate",
    "--loss",
    "--jitter",
    "--duplicate",
    "--queue",
    "--timeout",
];

/// The word that `lab run` reads as its scenario.
fn scenario_of(words: &[String]) -> Option<String> {
    let command = Cli::command();
    let run = command.find_subcommand("lab")?.find_subcommand("run")?;
    let takes = |word: &str| {
        let found = match word.strip_prefix("--") {
            Some(name) => run.get_arguments().find(|a| a.get_long() == Some(name)),
            None => {
                let letter = word.chars().nth(1).filter(|_| word.len() == 2);
                let mut all = run.get_arguments();
                all.find(|a| letter.is_some() && a.get_short() == letter)
            }
        };
        found.is_some_and(|a| a.get_action().takes_values())
    };
    let mut words = words.iter().skip_while(|w| *w != "run").skip(1);
    loop {
        match words.next()?.as_str() {
            "--" => return None,
            option if option.starts_with('-') => {
                if takes(option) {
                    words.next();
                }
            }
            word => return Some(word.to_owned()),
        }
    }
}

/// That a `word` was read as a scenario and is none: the unit of the value before it, or a command without `--`.
fn no_scenario(word: &str, words: &[String]) -> Option<Failure> {
    let at = words.iter().skip(1).position(|w| w == word)? + 1;
    let (option, number) = match words[at - 1].split_once('=') {
        Some((option, number)) => (option.to_owned(), number),
        None => (
            words.get(at.checked_sub(2)?)?.clone(),
            words[at - 1].as_str(),
        ),
    };
    let is_unit = word.chars().all(|c| c.is_alphabetic() || "/%".contains(c));
    if WITH_UNITS.contains(&option.as_str()) && number.parse::<f64>().is_ok() && is_unit {
        let title = format!(
            "{option} {number} {word}: a number and its unit are one word, and `{word}` was read as a SCENARIO"
        );
        return Some(Failure::usage(title).hint(format!(
            "write {option} {number}{word}, or {option} '{number} {word}'"
        )));
    }
    let is_scenario = word.ends_with(".toml") || shipped().any(|s| s.name == word);
    if is_scenario || words.iter().any(|w| w == "--") {
        return None;
    }
    let [before, command] = [&words[1..at], &words[at..]].map(crate::shell::line);
    let title = format!(
        "`lab run` takes the command behind `--`, and there is none: `{word}` was read as a SCENARIO"
    );
    let hint = format!("write: farpath {before} -- {command}\n      `--help` shows an example");
    Some(Failure::usage(title).hint(hint))
}

/// The texts of a value in what clap says.
fn texts(value: &ContextValue) -> Vec<&str> {
    match value {
        ContextValue::String(text) => vec![text],
        ContextValue::Strings(all) => all.iter().map(String::as_str).collect(),
        _ => Vec::new(),
    }
}

/// What was probably meant.
fn guess(kind: ErrorKind, words: &[String]) -> Option<Failure> {
    let unexpected = matches!(
        kind,
        ErrorKind::UnknownArgument | ErrorKind::ArgumentConflict | ErrorKind::InvalidSubcommand
    );
    let end = words.iter().position(|w| w == "--");
    let own = &words[..end.unwrap_or(words.len())];
    if unexpected && let Some([option, value]) = own.windows(2).find(|pair| is_negative(pair)) {
        let title = format!("{option} {value}: it must not be negative");
        let hint = "For more information, try '--help'.";
        return Some(Failure::usage(title).hint(hint));
    }
    let takes_command = ["exec", "run"].into_iter().find(|name| {
        let at = words.iter().position(|w| w == "lab");
        at.is_some_and(|at| words[at..].iter().any(|w| w == name))
    })?;
    if end.is_some() || !(unexpected || kind == ErrorKind::MissingRequiredArgument) {
        return None;
    }
    // A host comes before the command of `exec`; where that of `run` begins, only the user knows.
    let command = match takes_command {
        "exec" => words.iter().skip_while(|w| *w != "exec").nth(2),
        _ => None,
    };
    let rest = command.map_or("COMMAND".to_owned(), |first| {
        let words = words.iter().skip_while(|w| *w != first);
        words.cloned().collect::<Vec<_>>().join(" ")
    });
    let before = words.iter().skip(1).take_while(|w| Some(*w) != command);
    let before: Vec<&str> = before.map(String::as_str).collect();
    let shown = match command {
        Some(_) => format!("farpath {} -- {rest}", before.join(" ")),
        None => format!("farpath lab {takes_command} … -- {rest}"),
    };
    let title = format!("`lab {takes_command}` takes the command behind `--`, and there is none");
    Some(Failure::usage(title).hint(format!("write: {shown}\n      `--help` shows an example")))
}

/// An option and a value below zero.
fn is_negative(pair: &[String]) -> bool {
    let [option, value] = pair else { return false };
    let digits = value.strip_prefix('-');
    option.starts_with("--")
        && !option.contains('=')
        && digits.is_some_and(|d| d.starts_with(|c: char| c.is_ascii_digit() || c == '.'))
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    fn said(line: &str) -> Option<String> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let error = Cli::try_parse_from(&words).expect_err(line);
        guess(error.kind(), &words).map(|failure| failure.to_string())
    }

    #[test]
    fn a_negative_value_is_named_with_its_option() {
        for (line, named) in [
            (
                "farpath lab run --rtt -5ms --rate 1Gbit/s -- true",
                "--rtt -5ms: it must not be negative",
            ),
            (
                "farpath run x --repeat -3",
                "--repeat -3: it must not be negative",
            ),
        ] {
            let said = said(line).expect(line);
            assert!(said.starts_with(named), "{said}");
        }
    }

    #[test]
    fn a_command_without_dashes_is_shown_with_them() {
        for (line, shown) in [
            (
                "farpath lab exec client true",
                "write: farpath lab exec client -- true",
            ),
            (
                "farpath lab --lab x exec client ping -c 1 server",
                "write: farpath lab --lab x exec client -- ping -c 1 server",
            ),
            (
                "farpath lab run --rtt 1ms --rate 1Gbit/s ping server",
                "write: farpath lab run … -- COMMAND",
            ),
            (
                "farpath lab run --rtt 1ms --rate 1Gbit/s",
                "write: farpath lab run … -- COMMAND",
            ),
        ] {
            let said = said(line).expect(line);
            assert!(said.contains(shown), "{line}: {said}");
        }
    }

    #[test]
    fn an_option_of_a_path_beside_a_scenario_is_answered_with_a_key() {
        let said = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let error = Cli::try_parse_from(&words).expect_err(line);
            own_path(&error, &words).map(|failure| failure.to_string())
        };
        for (options, key) in [
            ("--rtt 100ms", "--set link.NAME.delay=…: one way"),
            ("--rate 1Mbit/s", "--set link.NAME.rate=…"),
            ("--rtt 1ms --rate 1Mbit/s", "--set link.NAME."),
            ("--there loss=1%", "--set link.NAME.forward.KEY=…"),
            ("--down 5s-", "--set link.NAME.KEY=…: "),
        ] {
            let said = said(&format!("farpath lab run slower.toml {options} -- true"));
            assert!(said.as_ref().is_some_and(|s| s.contains(key)), "{said:?}");
        }
        assert_eq!(said("farpath lab run x -4 -6 -- true"), None);
        assert_eq!(said("farpath run x --json --markdown"), None);
    }

    /// A unit apart from its number, and a command without `--`, are read as a scenario, and are none.
    #[test]
    fn a_word_that_was_taken_for_a_scenario_is_named() {
        let said = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let error = Cli::try_parse_from(&words).expect_err(line);
            let failure = own_path(&error, &words).expect(line);
            failure.to_string()
        };
        for (line, title, hint) in [
            (
                "farpath lab run --rtt 10ms --rate 20 Mbit/s -- true",
                "--rate 20 Mbit/s: ",
                "write --rate 20Mbit/s",
            ),
            (
                "farpath lab run --rtt=10 ms -4 --rate 20Mbit/s -- true",
                "--rtt 10 ms: a number and its unit are one word, and `ms` was read as a SCENARIO",
                "write --rtt 10ms",
            ),
            (
                "farpath lab run --rtt 10ms --rate 20Mbit/s true",
                "and there is none: `true` was read as a SCENARIO",
                "write: farpath lab run --rtt 10ms --rate 20Mbit/s -- true",
            ),
            (
                "farpath lab run --rtt 10ms slower.toml --rate 20Mbit/s -- true",
                "beside the scenario `slower.toml`: that has its own path",
                "--set link.NAME.",
            ),
            (
                "farpath lab run --rtt 10ms slower.toml",
                "--rtt beside the scenario `slower.toml`",
                "--set link.NAME.delay=…",
            ),
        ] {
            let said = said(line);
            assert!(said.contains(title), "{line}: {said}");
            assert!(said.contains(hint), "{line}: {said}");
        }
    }

    #[test]
    fn an_unknown_option_is_not_said_to_be_a_value() {
        for (line, tip) in [
            ("farpath run x --foo", ""),
            ("farpath config lbe --nonsense", ""),
            ("farpath lab exec client --nonsense -- true", ""),
            (
                "farpath run x --sed 1",
                "  tip: a similar argument exists: '--seed'\n",
            ),
            ("farpath --repeat 3 run x", "  tip: 'run --repeat' exists\n"),
        ] {
            let words: Vec<&str> = line.split(' ').collect();
            let mut error = Cli::try_parse_from(&words).expect_err(line);
            without_dashes(&mut error);
            let said = error.to_string();
            let tips: Vec<&str> = said
                .split_inclusive('\n')
                .filter(|l| l.contains("tip:"))
                .collect();
            assert_eq!(tips.concat(), tip, "{said}");
        }
    }

    /// `--logs` is spelt more like `--lose` than `--loss` is.
    #[test]
    fn words_of_netem_are_answered_with_the_option_they_mean() {
        for (theirs, ours) in NETEM {
            let line = format!("farpath lab run --rtt 1ms --rate 1Gbit/s {theirs} 1% -- true");
            let words: Vec<&str> = line.split(' ').collect();
            let mut error = Cli::try_parse_from(&words).expect_err(&line);
            without_dashes(&mut error);
            as_netem_has_it(&mut error);
            let said = error.to_string();
            let tip = format!("tip: a similar argument exists: '{ours}'");
            assert!(said.contains(&tip) && !said.contains("--logs"), "{said}");
            assert_eq!(said.contains("is --rtt 100ms"), ours == "--rtt", "{said}");
        }
    }

    /// `--logs` is a letter away from it as well.
    #[test]
    fn the_beginning_of_an_option_is_answered_with_its_end() {
        let said = |word: &str| {
            let line = format!("farpath lab run --rtt 1ms --rate 1Gbit/s {word} 1% -- true");
            let words: Vec<&str> = line.split(' ').collect();
            let mut error = Cli::try_parse_from(&words).expect_err(&line);
            as_netem_has_it(&mut error);
            error.to_string()
        };
        let loss = said("--los");
        let tip = "tip: a similar argument exists: '--loss'";
        assert!(loss.contains(tip) && !loss.contains("--logs"), "{loss}");
        assert_eq!(begun_by("--lo"), None, "both begin so");
    }

    #[test]
    fn lab_run_has_exit_codes_of_its_own() {
        for (line, own) in [
            ("farpath lab run --mtu 10 -- true", true),
            ("farpath lab --lab x run", true),
            ("farpath lab --lab=x run", true),
            ("farpath lab --lab run up", false),
            ("farpath lab exec run -- true", false),
            ("farpath run lab", false),
            ("farpath", false),
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            assert_eq!(is_lab_run(&words), own, "{line}");
        }
    }

    #[test]
    fn other_mistakes_are_left_to_who_knows_them() {
        for line in [
            "farpath rnu",
            "farpath run x --sed 1",
            "farpath lab exec client --nonsense -- true",
        ] {
            assert_eq!(said(line), None, "{line}");
        }
    }
}
