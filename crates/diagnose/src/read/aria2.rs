//! aria2: its lines of progress, with how many connections a download has, and the table at the end with the mean of each.

use super::authority;
use super::copies::{bytes, copy, shown};
use super::label::behind_prompt;
use super::shell::behind_program;
use super::{Facts, Line, Tool};
use crate::fact::{Figure, Place};
use crate::seen::{Side, Test};
use crate::words::{keyed, whole};

/// The tool's name.
pub(super) const TOOL: &str = "aria2";

/// The option with the most connections to a server, 1 where it is not set.
const CONNECTIONS: [&str; 2] = ["-x", "--max-connection-per-server"];

/// Lines that carry nothing here, by their beginnings.
const OTHERS: [&str; 9] = [
    "*** Download Progress Summary",
    "FILE: ",
    "Download Results:",
    "gid ",
    "===",
    "---",
    "Status Legend:",
    "(OK):",
    "(ERR):",
];

/// The state of reading: the command, and the download that is under way.
#[derive(Default)]
pub(super) struct Aria2 {
    typed: Typed,
    progress: Option<Progress>,
}

/// What a command asks for.
#[derive(Default)]
struct Typed {
    /// The server, where there is one.
    host: String,
    /// Connections to it.
    connections: Option<u32>,
}

/// What lines of progress say of a download.
struct Progress {
    gid: String,
    /// Bytes that are across, and bytes a second.
    done: Figure,
    all: Figure,
    rate: Figure,
    /// The most connections that it had.
    connections: u32,
    at: Place,
}

impl Tool for Aria2 {
    fn name(&self) -> &'static str {
        TOOL
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = shown(line.bare);
        if let Some(typed) = typed(text) {
            self.close(facts);
            self.typed = typed;
            return true;
        }
        if let Some(progress) = progress(text, line.at) {
            self.takes(progress, facts);
            return true;
        }
        if let Some(((gid, whole), rate)) = result(text, line.at) {
            self.ends((gid, whole), &rate, line.at, facts);
            return true;
        }
        let starts = OTHERS.iter().any(|head| text.starts_with(head));
        let head = text == OTHERS[2] || text.starts_with("gid   |stat|");
        head || going && (starts || text.contains(" [NOTICE] ") || text.starts_with("[DL:"))
    }

    fn held(&self) -> usize {
        usize::from(self.progress.is_some())
    }

    fn finish(&mut self, facts: &mut Facts) {
        self.close(facts);
    }
}

impl Aria2 {
    /// Takes a line of progress; one of another download ends that before.
    fn takes(&mut self, mut progress: Progress, facts: &mut Facts) {
        match &self.progress {
            Some(last) if last.gid == progress.gid => {
                progress.connections = progress.connections.max(last.connections);
                if progress.rate.value <= 0.0 {
                    progress.rate = last.rate.clone();
                }
            }
            _ => self.close(facts),
        }
        self.progress = Some(progress);
    }

    /// A download that came at this rate, in bytes a second.
    fn came(&self, rate: &Figure, done: Option<Figure>, streams: u32, at: Place) -> Option<Test> {
        if rate.value <= 0.0 {
            return None;
        }
        let seconds = done.as_ref().map_or(0.0, |d| d.value / rate.value);
        let mut test = copy(TOOL, Side::Receiver, rate, (done, seconds), at);
        test.streams = streams.max(1);
        test.from.host.clone_from(&self.typed.host);
        Some(test)
    }

    /// Hands over the download whose mean is in the table, and whether all of it came.
    fn ends(&mut self, of: (&str, bool), mean: &Figure, at: Place, facts: &mut Facts) {
        let (gid, whole) = of;
        let own = self.progress.take_if(|p| p.gid == gid);
        let seen = own.as_ref().map(|p| p.connections);
        let streams = seen.filter(|n| *n > 0).or(self.typed.connections);
        let done = own.map(|p| if whole { p.all } else { p.done });
        let test = self.came(mean, done, streams.unwrap_or(1), at);
        facts.tests.extend(test);
    }

    /// Hands over what no table has, at the rate of its last line.
    fn close(&mut self, facts: &mut Facts) {
        if let Some(last) = self.progress.take() {
            let test = self.came(&last.rate, Some(last.done), last.connections, last.at);
            facts.tests.extend(test);
        }
    }
}

/// `4.0GiB`, `118MiB`, `512B`.
fn size(text: &str, at: Place) -> Option<Figure> {
    let prefix = text.strip_suffix("iB").or_else(|| text.strip_suffix('B'))?;
    bytes(prefix, at)
}

/// `[#8a1f2c 118MiB/4.0GiB(2%) CN:1 DL:2.0MiB ETA:33m12s]`.
fn progress(text: &str, at: Place) -> Option<Progress> {
    let inner = text.strip_prefix("[#")?.split_once(']')?.0;
    let (gid, rest) = inner.split_once(' ')?;
    let (done, rest) = rest.split_once('/')?;
    let (all, rest) = rest.split_once('(')?;
    let connections = whole(keyed(rest, "CN:")?)?;
    Some(Progress {
        gid: gid.to_owned(),
        done: size(done, at)?,
        all: size(all, at)?,
        rate: size(keyed(rest, "DL:")?, at)?,
        connections: u32::try_from(connections).ok()?,
        at,
    })
}

/// `8a1f2c|OK  |   2.0MiB/s|/data/ds.tar`: which download, whether all of it came, and its mean rate in bytes a second.
fn result(text: &str, at: Place) -> Option<((&str, bool), Figure)> {
    let mut cells = text.splitn(4, '|').map(str::trim);
    let gid = cells.next()?;
    let state = cells.next()?;
    let rate = cells.next()?.strip_suffix("/s")?;
    let hex = !gid.is_empty() && gid.bytes().all(|b| b.is_ascii_hexdigit());
    let known = ["OK", "INPR", "ERR", "RM"].contains(&state);
    Some(((gid, state == "OK"), size(rate, at)?)).filter(|_| hex && known)
}

/// The host of an address, `https://dl.example.net/ds.tar`.
fn host(word: &str) -> Option<String> {
    let (_, rest) = word.split_once("://")?;
    authority::host(rest).map(crate::redact)
}

/// What a command asks for, if a line is one: `$ aria2c -x16 -s16 https://dl.example.net/ds.tar`.
fn typed(text: &str) -> Option<Typed> {
    if !text.contains(TOOL) {
        return None;
    }
    let options = behind_program(behind_prompt(text).unwrap_or(text), "aria2c")?;
    let joined = |word: &str| {
        let rest = CONNECTIONS.iter().find_map(|o| word.strip_prefix(o))?;
        whole(rest.trim_start_matches('='))
    };
    let is_option = |word: &String| CONNECTIONS.contains(&word.as_str());
    let apart = || {
        let at = options.iter().position(is_option)?;
        whole(options.get(at + 1)?)
    };
    let connections = options.iter().find_map(|w| joined(w)).or_else(apart);
    let mut hosts: Vec<String> = options.iter().filter_map(|w| host(w)).collect();
    hosts.dedup();
    Some(Typed {
        host: match &mut hosts[..] {
            [one] => core::mem::take(one),
            _ => String::new(),
        },
        connections: connections.and_then(|n| u32::try_from(n).ok()),
    })
}

#[cfg(test)]
mod tests {
    use crate::read::taken::whole as read_whole;
    use crate::seen::Side;

    const MIB: f64 = 1_048_576.0;

    const ONE: &str = "$ aria2c -x1 -s1 https://dl.example.net/ds.tar
[#8a1f2c 118MiB/4.0GiB(2%) CN:1 DL:2.0MiB ETA:33m12s]
[#8a1f2c 4.0GiB/4.0GiB(99%) CN:1 DL:1.9MiB]

Download Results:
gid   |stat|avg speed  |path/URI
======+====+===========+=======================================================
8a1f2c|OK  |   2.0MiB/s|/data/ds.tar

Status Legend:
(OK):download completed.
";
    const SIXTEEN: &str = "$ aria2c -x16 -s16 https://dl.example.net/ds.tar
[#91bf02 1.1GiB/4.0GiB(27%) CN:16 DL:31MiB ETA:1m34s]
[#91bf02 4.0GiB/4.0GiB(99%) CN:3 DL:12MiB]

Download Results:
gid   |stat|avg speed  |path/URI
======+====+===========+=======================================================
91bf02|OK  |    32MiB/s|/data/ds.1.tar
";

    #[test]
    fn the_table_has_the_mean_and_the_lines_the_connections() {
        let (facts, all) = read_whole(&format!("{ONE}\n{SIXTEEN}"));
        assert!(all, "{:?}", facts.ignored);
        let of = |test: &crate::seen::Test| {
            let (rate, side) = test.goodput().expect("it has a rate");
            (test.tool, rate.value / (8.0 * MIB), side, test.streams)
        };
        let seen: Vec<_> = facts.tests.iter().map(of).collect();
        let expected = [
            ("aria2", 2.0, Side::Receiver, 1),
            ("aria2", 32.0, Side::Receiver, 16),
        ];
        assert_eq!(seen, expected);
        assert!(facts.tests.iter().all(|t| t.from.host == "dl.example.net"));
    }

    #[test]
    fn without_a_table_the_last_line_is_the_rate() {
        let (facts, all) = read_whole(&SIXTEEN[..SIXTEEN.find("\n[#91bf02 4.0").expect("a line")]);
        assert!(all, "{:?}", facts.ignored);
        let test = &facts.tests[0];
        let rate = test.goodput().map(|(rate, _)| rate.value);
        assert_eq!((rate, test.streams), (Some(31.0 * MIB * 8.0), 16));
    }

    #[test]
    fn what_has_no_rate_is_no_download() {
        for text in [
            "[#8a1f2c 0B/0B CN:1 DL:0B]\n",
            "8a1f2c|ERR |       n/a|https://dl.example.net/ds.tar\n",
            "rate|OK  |  12MiB/s|it was good\n",
        ] {
            let (facts, _) = read_whole(text);
            assert!(facts.tests.is_empty(), "{text}");
        }
    }
}
