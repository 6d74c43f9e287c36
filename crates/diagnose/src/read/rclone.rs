//! rclone: the statistics that it prints while it copies (`-P`, `-v`, `--stats-one-line`) and at the end.

use super::copies::{copy, shown};
use super::label::behind_prompt;
use super::shell::behind_program;
use super::{Facts, Line, NOTES_MAX, Tool};
use crate::fact::{Figure, Place};
use crate::programs::small_files::{AT_ONCE, COPIED};
use crate::seen::Side;
use crate::words::{decimal, quantity, whole};

/// The tool's name.
pub(super) const TOOL: &str = "rclone";

/// Files at a time (`--transfers`), parts of one that come at a time (`--multi-thread-streams`), and from which size on it comes in parts, bytes
/// (`--multi-thread-cutoff`): the defaults of its documentation.
const TRANSFERS: u32 = 4;
const PARTS: u32 = 4;
const CUTOFF: f64 = 256.0 * 1024.0 * 1024.0;

/// Its commands that copy.
const COMMANDS: [&str; 6] = ["copy", "copyto", "sync", "bisync", "move", "moveto"];

/// Lines of its statistics that carry nothing here.
const OTHERS: [&str; 8] = [
    "Errors:",
    "Checks:",
    "Checking:",
    "Transferring:",
    "Deleted:",
    "Renamed:",
    "Listed:",
    "Server Side ",
];

/// The state of reading: the command, and the last statistics.
#[derive(Default)]
pub(super) struct Rclone {
    typed: Typed,
    progress: Option<Progress>,
    /// Files that are across, and all of them.
    files: Option<[u64; 2]>,
    /// How long it has been going, seconds.
    elapsed: Option<f64>,
    /// Files that were listed as under way, now and at most.
    under_way: [u32; 2],
}

/// What a command asks for.
#[derive(Default)]
struct Typed {
    side: Option<Side>,
    transfers: Option<u32>,
    parts: Option<u32>,
}

/// What a line of bytes says.
struct Progress {
    /// Bytes that are across; of how many, where that is known; bytes a second.
    done: Figure,
    all: Option<Figure>,
    rate: Figure,
    at: Place,
}

impl Tool for Rclone {
    fn name(&self) -> &'static str {
        TOOL
    }

    /// `Transferred:  41.212 GiB / 212.110 GiB, 19%, 168.212 MiB/s, ETA 17m20s`, and below it the files and the time.
    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let shown = shown(line.bare);
        if let Some(typed) = typed(shown) {
            self.close(facts);
            self.typed = typed;
            return true;
        }
        let text = said(shown);
        let counted = text.strip_prefix("Transferred:").map(str::trim);
        if let Some(files) = counted.and_then(of_files) {
            self.files = Some(files);
            return true;
        }
        let one_line = text.contains(", ETA ").then_some(text);
        if let Some(progress) = counted.or(one_line).and_then(|t| progress(t, line.at)) {
            self.takes(progress, facts);
            return true;
        }
        // Of its log nothing but the time and the level.
        if text.is_empty() || !going {
            return text.is_empty();
        }
        if let Some(elapsed) = text.strip_prefix("Elapsed time:") {
            self.elapsed = lasted(elapsed.trim());
            return true;
        }
        if text.starts_with("* ") {
            self.under_way[0] += u32::from(text.contains("% /"));
            self.under_way[1] = self.under_way[1].max(self.under_way[0]);
            return true;
        }
        OTHERS.iter().any(|head| text.starts_with(head))
    }

    fn held(&self) -> usize {
        usize::from(self.progress.is_some())
    }

    fn finish(&mut self, facts: &mut Facts) {
        self.close(facts);
    }
}

impl Rclone {
    /// Takes a line of bytes; one with fewer of them than the last is of another run.
    fn takes(&mut self, progress: Progress, facts: &mut Facts) {
        let fewer = |last: &Progress| progress.done.value < last.done.value;
        if self.progress.as_ref().is_some_and(fewer) {
            self.close(facts);
        }
        self.under_way[0] = 0;
        self.progress = Some(progress);
    }

    /// Files at a time, and whether anything says so.
    fn files_at_once(&self) -> (u32, bool) {
        let seen = Some(self.under_way[1]).filter(|n| *n > 0);
        let said = self.typed.transfers.or(seen);
        let all = self.files.and_then(|[_, all]| u32::try_from(all).ok());
        let most = all.filter(|n| *n > 0).unwrap_or(u32::MAX);
        let at_once = said.unwrap_or(TRANSFERS).min(most);
        (at_once, said.is_some() || most == 1)
    }

    /// Parts of a file at a time, and whether the command says so.
    fn parts_at_once(&self, progress: &Progress) -> (u32, bool) {
        let each = progress.all.as_ref().zip(self.files);
        let each = each.map(|(all, [_, count])| all.value / count.max(1) as f64);
        let large = each.is_some_and(|bytes| bytes >= CUTOFF);
        let comes = self.typed.side == Some(Side::Receiver);
        match self.typed.parts {
            Some(parts) if large => (parts.max(1), true),
            None if large && comes => (PARTS, false),
            _ => (1, true),
        }
    }

    /// Hands over what is across, at the rate that was printed last.
    fn close(&mut self, facts: &mut Facts) {
        let last = core::mem::take(self);
        let Some(progress) = last.progress.as_ref().filter(|p| p.rate.value > 0.0) else {
            return;
        };
        let seconds = last.elapsed.filter(|s| *s > 0.0);
        let seconds = seconds.unwrap_or(progress.done.value / progress.rate.value);
        let side = last.typed.side.unwrap_or(Side::Sender);
        let what = (Some(progress.done.clone()), seconds);
        let mut test = copy(TOOL, side, &progress.rate, what, progress.at);
        let ((files, files_said), (parts, parts_said)) =
            (last.files_at_once(), last.parts_at_once(progress));
        test.streams = files.saturating_mul(parts).max(1);
        if let Some([across, _]) = last.files {
            test.set(COPIED, Figure::exact(across as f64, progress.at));
            test.set(AT_ONCE, Figure::exact(f64::from(files), progress.at));
        }
        let unset = match (files_said, parts_said) {
            (true, true) => None,
            (false, true) => Some("--transfers is"),
            (true, false) => Some("--multi-thread-streams is"),
            (false, false) => Some("--transfers and --multi-thread-streams are"),
        };
        let said = [
            unset.map(|unset| format!("{} connections side by side are assumed, as many as rclone has where {unset} not set", test.streams)),
            last.typed.side.is_none().then(|| "which way it went no line says: it is taken for sent".to_owned()),
        ];
        let said: Vec<&str> = said.iter().flatten().map(String::as_str).collect();
        if !said.is_empty() && facts.notes.len() < NOTES_MAX {
            let note = format!("{}: {}", facts.place(test.at), said.join("; "));
            facts.notes.push(note);
        }
        facts.tests.push(test);
    }
}

/// A line of its log without the time and the level: `2026/11/30 03:11:12 INFO  : …`.
fn said(text: &str) -> &str {
    let is_time = |head: &str| {
        head.bytes()
            .all(|b| b.is_ascii_digit() || b"/:. ".contains(&b))
    };
    let levels = ["INFO  :", "NOTICE:"];
    let behind = levels.iter().find_map(|level| text.split_once(level));
    match behind.filter(|(head, _)| is_time(head)) {
        Some((_, rest)) => rest.trim(),
        None => text,
    }
}

/// `82 / 424, 19%`: files that are across, and all of them.
fn of_files(text: &str) -> Option<[u64; 2]> {
    let (both, _) = text.split_once(',').unwrap_or((text, ""));
    let (done, all) = both.split_once(" / ")?;
    Some([whole(done.trim())?, whole(all.trim())?])
}

/// `41.212 GiB / 212.110 GiB, 19%, 168.212 MiB/s, ETA 17m20s`; the share is `-` before anything is known.
fn progress(text: &str, at: Place) -> Option<Progress> {
    let mut parts = text.split(", ");
    let (done, all) = parts.next()?.split_once(" / ")?;
    let share = parts.next()?;
    let known = share == "-" || share.strip_suffix('%').and_then(whole).is_some();
    let rate = parts.next().filter(|_| known)?;
    Some(Progress {
        done: size(done, at)?,
        all: size(all, at),
        rate: rate_of(rate, at)?,
        at,
    })
}

/// `41.212 GiB`, `1.000G`, `1.000 GBytes`, `512 B`: bytes, by powers of 1024.
fn size(text: &str, at: Place) -> Option<Figure> {
    let end = text.find(|c: char| c.is_ascii_alphabetic());
    let (digits, unit) = text.split_at(end.unwrap_or(text.len()));
    let units = ["iBytes", "iByte", "Bytes", "Byte", "iB", "B", "i", ""];
    let prefix = units.iter().find_map(|u| unit.strip_suffix(u))?;
    quantity(digits.trim(), &format!("{prefix}Byte"), at)
}

/// `168.212 MiB/s`, `24.110 MBytes/s`, and `1.345 Gibit/s` with `--stats-unit bits`: bytes a second.
fn rate_of(text: &str, at: Place) -> Option<Figure> {
    let per_second = text.trim().strip_suffix("/s")?;
    let bits = ["ibit", "bits", "Bits", "bit"];
    match bits.iter().find_map(|unit| per_second.strip_suffix(unit)) {
        Some(rest) => Some(size(rest, at)?.times(0.125)),
        None => size(per_second, at),
    }
}

/// `4m11.1s`, `1h2m3s`: seconds.
fn lasted(text: &str) -> Option<f64> {
    const UNITS: [(char, f64); 4] = [('d', 86_400.0), ('h', 3600.0), ('m', 60.0), ('s', 1.0)];
    let mut rest = text;
    let mut seconds = 0.0;
    while let Some(end) = rest.find(|c: char| c.is_ascii_alphabetic()) {
        let (digits, behind) = rest.split_at(end);
        let (_, worth) = UNITS.iter().find(|(unit, _)| behind.starts_with(*unit))?;
        seconds += decimal(digits)? * worth;
        rest = &behind[1..];
    }
    rest.is_empty().then_some(seconds)
}

/// Whether a word names a place at a service or another host, `s3:bucket`; a drive of Windows is one of this host.
fn is_remote(word: &str) -> bool {
    word.split_once(':')
        .is_some_and(|(name, _)| name.len() != 1)
}

/// What a command asks for, if a line is one: `$ rclone copy /data s3:bucket --transfers 8 -P`.
fn typed(text: &str) -> Option<Typed> {
    if !text.contains(TOOL) {
        return None;
    }
    let rest = behind_program(behind_prompt(text).unwrap_or(text), TOOL)?;
    let is_command = |word: &String| COMMANDS.contains(&word.as_str());
    let command = rest.iter().position(is_command)?;
    let is_place =
        |word: &&String| !word.starts_with('-') && !word.starts_with(|c: char| c.is_ascii_digit());
    let places: Vec<bool> = rest[command + 1..]
        .iter()
        .filter(is_place)
        .map(|word| is_remote(word))
        .collect();
    let side = match places[..] {
        [true, true, ..] => None,
        [true, ..] => Some(Side::Receiver),
        [_, ..] if places.contains(&true) => Some(Side::Sender),
        _ => return None,
    };
    let count = |option: &str| {
        let joined = rest
            .iter()
            .find_map(|w| w.strip_prefix(option)?.strip_prefix('='));
        let apart = || rest.iter().skip_while(|w| *w != option).nth(1);
        let value = joined.or_else(|| apart().map(String::as_str))?;
        value.parse::<u32>().ok().filter(|n| *n > 0)
    };
    Some(Typed {
        side,
        transfers: count("--transfers"),
        parts: count("--multi-thread-streams"),
    })
}

#[cfg(test)]
mod tests {
    use super::lasted;
    use crate::programs::small_files::{AT_ONCE, COPIED};
    use crate::read::taken::whole as read_whole;
    use crate::seen::Side;

    const MIB: f64 = 1_048_576.0;

    /// The statistics of `-P`, of `-v` in a log, and of old releases.
    const UNDER_WAY: &str =
        "Transferred:   \t   41.212 GiB / 212.110 GiB, 19%, 168.212 MiB/s, ETA 17m20s
Errors:                 0
Checks:                 0 / 0, -
Transferred:           82 / 424, 19%
Elapsed time:      4m11.1s
";
    const LOGGED: &str = "2026/11/30 03:11:12 INFO  : 
Transferred:   \t   41.212 GiB / 212.110 GiB, 19%, 168.212 MiB/s, ETA 17m20s
Transferred:           82 / 424, 19%
Elapsed time:      4m11.1s
Transferring:
 *                                   run/f1.h5: 12% /512Mi, 21.102Mi/s, 21s
 *                                   run/f2.h5: 44% /512Mi, 20.912Mi/s, 13s
";
    const OLD: &str = "Transferred:   \t   1.000G / 1.000 GBytes, 100%, 24.110 MBytes/s, ETA 0s
Errors:                 0
Transferred:            1 / 1, 100%
Elapsed time:       42.5s
";

    #[test]
    fn the_last_statistics_are_the_rate() {
        let typed = format!("$ rclone copy /data s3:bucket --transfers 8 -P\n{UNDER_WAY}");
        let fetched = format!("$ rclone sync -P s3:bucket /data\n{OLD}");
        for (text, side, mib, streams) in [
            (typed.as_str(), Side::Sender, 168.212, 8),
            (LOGGED, Side::Sender, 168.212, 2),
            (OLD, Side::Sender, 24.110, 1),
            (&fetched, Side::Receiver, 24.110, 4),
            (
                "2026/11/30 03:11:12 INFO  :    41.212 GiB / 212.110 GiB, 19%, 1.3141 Gibit/s, ETA 17m20s (xfr#82/424)\n",
                Side::Sender,
                168.2048,
                4,
            ),
        ] {
            let (facts, all) = read_whole(text);
            assert!(all, "{text}: {:?}", facts.ignored);
            let [test] = &facts.tests[..] else {
                panic!("{text}: {:?}", facts.tests)
            };
            let (rate, of) = test.goodput().expect("it has a rate");
            let off = libm::fabs(rate.value / (mib * MIB * 8.0) - 1.0);
            assert!(off < 1e-4, "{text}: {rate:?}");
            assert_eq!(
                (test.tool, of, test.streams),
                ("rclone", side, streams),
                "{text}"
            );
        }
    }

    #[test]
    fn files_and_how_many_go_at_a_time_are_counted() {
        let (facts, _) = read_whole(UNDER_WAY);
        let of = |name| facts.tests[0].numbers.get(name).map(|f| f.value);
        assert_eq!((of(COPIED), of(AT_ONCE)), (Some(82.0), Some(4.0)));
        let report = facts.tests[0].sent.as_ref().expect("it was sent");
        assert_eq!(report.seconds, 251.1);
        let notes = facts.notes.join("\n");
        assert!(
            notes.contains("4 connections side by side are assumed"),
            "{notes}"
        );
        assert!(notes.contains("which way it went"), "{notes}");
    }

    /// The note named `--transfers`, which the command has.
    #[test]
    fn what_the_command_sets_is_not_assumed() {
        let typed = format!("$ rclone copy s3:bucket /data --transfers 1 -P\n{OLD}");
        let (facts, _) = read_whole(&typed);
        let notes = facts.notes.join("\n");
        assert!(
            notes.contains("where --multi-thread-streams is not set"),
            "{notes}"
        );
    }

    #[test]
    fn a_second_run_is_another_copy() {
        let again = "$ rclone copy /data s3:bucket --transfers=1 --bwlimit 30M\n";
        let (facts, _) = read_whole(&format!("{UNDER_WAY}{again}{OLD}"));
        let streams: Vec<u32> = facts.tests.iter().map(|t| t.streams).collect();
        assert_eq!(streams, [4, 1]);
        let limit = facts.tests[1].numbers.get("application_rate_bps");
        assert_eq!(limit.map(|f| f.value), Some(30.0 * MIB * 8.0));
    }

    #[test]
    fn durations_and_what_is_no_copy() {
        assert_eq!(lasted("1h2m3.5s"), Some(3723.5));
        assert_eq!(lasted("soon"), None);
        for text in [
            "Transferred: 3 / 4, 75%\n",
            "Transferred: a lot of it, 75%, fast\n",
            "Transferred:            0 B / 0 B, -, 0 B/s, ETA -\n",
        ] {
            let (facts, _) = read_whole(text);
            assert!(facts.tests.is_empty(), "{text}");
        }
    }
}
