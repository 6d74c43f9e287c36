//! Options by which programs hold their own rate, as they were typed: `--limit-rate` of curl and wget, `--bwlimit` of rsync and rclone, `-l`
//! of scp and sftp, and `max_bandwidth` of AWS.

use super::label::behind_prompt;
use super::rate_file::{LimitOf, RateFiles};
use super::rate_program::{MOST, PROGRAMS, Program, bits};
use super::shell::{before, words};
use super::standing::commands;
use super::{Facts, Line};
use crate::fact::{Figure, Of, Place};
use crate::seen::Test;

/// What such an option is called among the words of a test, or of the sender where no text has a test.
pub(crate) const RATE_OPTION: &str = "rate_option";

/// A command of a program that has such an option.
#[derive(Clone, Debug)]
pub(crate) struct Limited {
    at: Place,
    /// The shell that it was typed in: the source, and the name at its prompt.
    shell: (u32, String),
    /// What its copies are called in results.
    tool: &'static str,
    /// The rate, bit/s, and the option for people; none of a command without it.
    limit: Option<(f64, String)>,
    /// Whether the program's file of options says nothing of it: it has the option itself, or leaves the file out.
    own: bool,
    /// Whether it stands without a prompt, as in a crontab or a script: it may run at any time.
    standing: bool,
}

/// Options that leave out the files of curl and of wget.
const WITHOUT_FILE: [&str; 3] = ["-q", "--disable", "--no-config"];

/// Letters of scp, sftp and pv that may stand before `l` or `L` in one word.
const FLAGS: &str = "346ABCOpqRrTvafNtbe";

/// Most commands that are kept.
const LIMITED_MAX: usize = 200;

impl Facts {
    /// Keeps a line that was typed, or that stands in a crontab or a script, where it is a command of such a program.
    pub(super) fn typed_limit(&mut self, line: Line<'_>) {
        let text = line.bare;
        let named = PROGRAMS.iter().any(|p| text.contains(p.name));
        if !named || self.limited.len() >= LIMITED_MAX {
            return;
        }
        let behind = behind_prompt(text).and_then(|command| limited(command, line.at));
        let typed = behind.or_else(|| standing(text, line.at));
        let shell = self.prompt();
        let typed = typed.map(|typed| Limited { shell, ..typed });
        self.limited.extend(typed);
    }

    /// Whether a line is a command that holds its own rate.
    pub(super) fn holds_rate_at(&self, at: Place) -> bool {
        let last = self.limited.last();
        last.is_some_and(|of| of.at == at && of.limit.is_some())
    }

    /// Gives each copy the limit of the command above it, or else of the only one that stands in a crontab or a script. Where no text has a test, sockets have that of the last command.
    pub(super) fn settle_limits(&mut self) {
        let Facts {
            tests,
            limited,
            rate_files,
            ..
        } = self;
        let places: Vec<(&str, Place)> = tests.iter().map(|t| (t.tool, t.at)).collect();
        for test in tests.iter_mut() {
            let found = above((&limited[..], &*rate_files), test);
            let found = found.or_else(|| anywhere(&limited[..], test.tool, &places));
            if let Some((at, (bps, option))) = found {
                test.set("application_rate_bps", Figure::exact(bps, at));
                test.words.insert(RATE_OPTION, option);
            }
        }
        let alone = self.tests.is_empty() && !self.sockets.is_empty();
        let last = self.limited.last().filter(|_| alone).cloned();
        if let Some((at, (bps, option))) = last.and_then(|of| Some((of.at, of.limit?))) {
            self.number(Of::Sender, "application_rate_bps", Figure::exact(bps, at));
            self.word(Of::Sender, RATE_OPTION, &option, at);
        }
    }
}

/// A command of a line without a prompt: it is the line, or one of those in it that has a limit.
fn standing(text: &str, at: Place) -> Option<Limited> {
    let is_program = |name: &str| PROGRAMS.iter().any(|p| p.name == name);
    let within = || {
        let mut all = commands(text, is_program).into_iter();
        all.find_map(|command| limited(command, at).filter(|l| l.limit.is_some()))
    };
    let found = limited(text, at).or_else(within)?;
    Some(Limited {
        standing: true,
        ..found
    })
}

/// The limit of the only command of a program that stands in a crontab or a script, where no copy of that program is printed below it, and none
/// was typed: it runs at any time.
fn anywhere(limited: &[Limited], tool: &str, places: &[(&str, Place)]) -> Option<LimitOf> {
    let mut own = limited.iter().filter(|of| of.tool == tool);
    let (only, None) = (own.next()?, own.next()) else {
        return None;
    };
    let is_below = |(other, at): &(&str, Place)| {
        *other == tool && at.lines_below(only.at).is_some_and(|n| n > 0)
    };
    let free = only.standing && !places.iter().any(is_below);
    Some((only.at, only.limit.clone().filter(|_| free)?))
}

/// The limit of the last command of the same program above a test in its text, by its option or by its file, and where that stands.
fn above((limited, files): (&[Limited], &RateFiles), test: &Test) -> Option<LimitOf> {
    let Place::Line(source, _) = test.at else {
        return None;
    };
    let is_above = |of: &&Limited| {
        let here = matches!(of.at, Place::Line(own, _) if own == source);
        here && of.tool == test.tool && of.at <= test.at
    };
    let last = limited.iter().rfind(is_above)?;
    match &last.limit {
        Some(limit) => Some((last.at, limit.clone())),
        None if last.own => None,
        None => files.limit(last.tool, &last.shell),
    }
}

/// A command of such a program, if a text is one.
fn limited(command: &str, at: Place) -> Option<Limited> {
    let all = words(command);
    let begin = before(&all);
    let name = all.get(begin)?.rsplit(['/', '\\']).next()?;
    let name = name.trim_end_matches(".exe");
    let program = PROGRAMS.iter().find(|p| p.name == name)?;
    let options = &all[begin + 1..];
    let value = match program.option {
        "-l" | "-L" => {
            let joined = joined(options, "--rate-limit");
            joined.or_else(|| short(options, &program.option[1..]))
        }
        MOST => behind(options, |word| word.ends_with(MOST)),
        long => joined(options, long).or_else(|| behind(options, |word| word == long)),
    };
    if program.option == MOST && value.is_none() {
        // It is a setting of all later commands, and no option of one.
        return None;
    }
    let limit = value.and_then(|value| {
        let bps = bits(program, value)?;
        let Program {
            option, name, unit, ..
        } = program;
        let said = format!("{option} {value} of {name}, which counts in {unit}");
        Some((bps, said))
    });
    let alone = options.iter().any(|o| WITHOUT_FILE.contains(&o.as_str()));
    Some(Limited {
        at,
        shell: (0, String::new()),
        tool: program.tool,
        limit,
        own: value.is_some() || alone,
        standing: false,
    })
}

/// The word behind the last one of this kind.
fn behind(options: &[String], is_it: impl Fn(&str) -> bool) -> Option<&str> {
    let at = options.iter().rposition(|word| is_it(word))?;
    options.get(at + 1).map(String::as_str)
}

/// The value in the last word that joins it to its option: `--bwlimit=5000`.
fn joined<'o>(options: &'o [String], long: &str) -> Option<&'o str> {
    let value = |word: &'o String| word.strip_prefix(long)?.strip_prefix('=');
    options.iter().rev().find_map(value)
}

/// What stands behind a letter such as `l`: `-l 8000`, `-l8000`, `-Cl 8000`.
fn short<'o>(options: &'o [String], letter: &str) -> Option<&'o str> {
    let is_it = |word: &String| {
        let parts = word.strip_prefix('-').and_then(|w| w.split_once(letter));
        parts.is_some_and(|(before, _)| before.chars().all(|c| FLAGS.contains(c)))
    };
    let n = options.iter().position(is_it)?;
    match options[n].split_once(letter)?.1 {
        "" => options.get(n + 1).map(String::as_str),
        own => Some(own),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rate that a command asks for, bit/s; none where it has no limit that is known.
    fn of(command: &str) -> Option<f64> {
        let limited = limited(command, Place::You).expect("it is of such a program");
        limited.limit.map(|(bps, _)| bps)
    }

    const KI: f64 = 8.0 * 1024.0;

    #[test]
    fn each_program_has_units_of_its_own() {
        for (command, bps) in [
            (
                "curl --limit-rate 10M -o f https://h.example/f",
                10.0 * 1024.0 * KI,
            ),
            ("curl --limit-rate 125000 https://h.example/f", 1e6),
            ("wget --limit-rate=500k https://h.example/f", 500.0 * KI),
            ("rsync -a --bwlimit=5000 a b:/c", 5000.0 * KI),
            ("rsync -a --bwlimit 1.5m a b:/c", 1.5 * 1024.0 * KI),
            ("sudo rsync -a --bwlimit=10MB a b:/c", 80e6),
            ("scp -l 8000 a b:/c", 8_192_000.0),
            ("scp -Cl8000 a b:/c", 8_192_000.0),
            ("sftp -l 8000 b", 8_192_000.0),
            ("pv -qL 20m", 20.0 * 1024.0 * KI),
            ("pv --rate-limit=20m", 20.0 * 1024.0 * KI),
            ("rclone copy --bwlimit 10M a r:b", 10.0 * 1024.0 * KI),
            (
                "aws configure set default.s3.max_bandwidth 50MB/s",
                50.0 * 1024.0 * KI,
            ),
        ] {
            let asked = of(command).expect(command);
            assert!((asked / bps - 1.0).abs() < 1e-9, "{command}: {asked}");
        }
    }

    #[test]
    fn what_is_not_known_is_not_read() {
        for command in [
            "curl -o f https://h.example/f",
            "rsync -a --bwlimit=0 a b:/c",
            "rclone copy --bwlimit 08:00,512k a r:b",
            "rclone copy --bwlimit 10M:1M a r:b",
            "scp -o Ciphers=aes128-ctr a b:/c",
            "aws configure set default.s3.max_bandwidth 50Mb/s",
        ] {
            assert_eq!(of(command), None, "{command}");
        }
        assert!(limited("curly is slow", Place::You).is_none());
    }
}
