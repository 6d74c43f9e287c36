//! Copies that print no rate and were timed, `time scp -rq photos b:`, `time sftp -b batch b`: how large what they copied is stands near, as
//! `du`, `ls -l` or a count of files or of a batch's lines printed it.

use super::copies::{bytes, copy, rsync_typed};
use super::elsewhere::parts;
use super::label::{behind_prompt, is_typed};
use super::logins::lasted;
use super::shell::{before, words};
use super::{Facts, Line, NOTES_MAX, Tool, copy_typed};
use crate::fact::{Figure, Place};
use crate::programs::small_files::COPIED;
use crate::seen::{Side, Test};
use crate::windows::channel::SHELL;
use crate::words::whole;

/// What copies the files of a batch, each by a line of its own.
pub(super) const SFTP: &str = "sftp";

/// Most sizes, counts and copies that are kept of a text.
const KEPT_MAX: usize = 200;

/// Options of `du` and how many bytes its numbers are of; without one they are KiB (coreutils, du invocation).
const UNITS: [(char, f64); 3] = [('b', 1.0), ('k', 1024.0), ('m', 1_048_576.0)];

/// What the command above prints.
#[derive(Default)]
struct Asked {
    /// Bytes of a unit of `du`; 0 where each number has its own.
    sizes: Option<f64>,
    /// `ls -l`.
    list: bool,
    /// The folder whose files are counted.
    count: Option<String>,
    /// `wc -l` of files.
    lines: bool,
}

/// A copy that was typed behind `time`.
struct Timed {
    tool: &'static str,
    side: Side,
    ssh: bool,
    /// The last parts of the paths that it copies, and whether each stands behind an option, whose value it may be.
    names: Vec<(String, bool)>,
    typed: Place,
    /// How long it took, seconds, and where that stands.
    took: Option<(f64, Place)>,
}

/// The state of reading.
#[derive(Default)]
pub(super) struct TimedCopy {
    asked: Asked,
    /// Names and what they hold, bytes.
    sizes: Vec<(String, Figure)>,
    /// Names and how many files they hold.
    counts: Vec<(String, Figure)>,
    copies: Vec<Timed>,
}

impl Tool for TimedCopy {
    fn name(&self) -> &'static str {
        "time"
    }

    fn line(&mut self, line: Line<'_>, going: bool, _facts: &mut Facts) -> bool {
        let all: Vec<&str> = line.bare.split_whitespace().collect();
        if let [.., "cpu", time, "total"] = all[..] {
            return self.ends(clock(time), line.at);
        }
        if let Some(request) = line.bare.strip_prefix("sftp> ") {
            return self.requests(request);
        }
        if let Some(command) = behind_prompt(line.bare) {
            if is_typed(line.bare) || command.starts_with("time ") {
                // What is timed below is another command's.
                self.copies.retain(|copied| copied.took.is_some());
            }
            let begins = self.typed(command, line.at);
            if begins || command.starts_with(|c: char| c.is_ascii_alphabetic()) {
                return begins;
            }
        }
        let room = self.sizes.len().max(self.counts.len()) < KEPT_MAX;
        match all[..] {
            ["real", time] => self.ends(lasted(time), line.at),
            ["user" | "sys", time] => going && lasted(time).is_some(),
            [size, name] if self.asked.sizes.is_some() && room => self.size(size, name, line.at),
            [count, name] if self.asked.lines && room => {
                let count = whole(count).map(|n| (base(name), Figure::exact(n as f64, line.at)));
                let known = count.is_some();
                self.counts.extend(count);
                known
            }
            [mode, _, _, _, size, .., name] if self.asked.list && room => {
                let size = bytes(size, line.at).filter(|_| mode.starts_with('-') && all.len() > 8);
                let known = size.is_some();
                self.sizes.extend(size.map(|size| (base(name), size)));
                known
            }
            [count] if room => {
                let count = whole(count).map(|n| Figure::exact(n as f64, line.at));
                let counted = self.asked.count.take_if(|_| count.is_some()).zip(count);
                let known = counted.is_some();
                self.counts.extend(counted);
                known
            }
            _ => false,
        }
    }

    fn held(&self) -> usize {
        self.copies.iter().filter(|c| c.took.is_some()).count()
    }

    fn finish(&mut self, facts: &mut Facts) {
        let all = core::mem::take(&mut self.copies);
        for copied in &all {
            self.make(copied, &all, facts);
        }
    }
}

impl TimedCopy {
    /// Takes a line that was typed; whether it asks for sizes or counts.
    fn typed(&mut self, command: &str, at: Place) -> bool {
        self.asked = Asked::default();
        let mut any = false;
        for part in parts(command) {
            let all = words(part);
            let first = before(&all);
            let Some(program) = all.get(first).and_then(|word| word.rsplit('/').next()) else {
                continue;
            };
            let options = all[first + 1..].iter().filter(|word| word.starts_with('-'));
            let (long, short): (Vec<&str>, Vec<&str>) = options
                .map(String::as_str)
                .partition(|word| word.starts_with("--"));
            let letters = short.concat();
            let mut places = all[first + 1..]
                .iter()
                .filter(|word| !word.starts_with('-'));
            let counts = part
                .split('|')
                .nth(1)
                .is_some_and(|rest| rest.trim() == "wc -l");
            match program {
                "find" | "ls" if counts => {
                    let folder = places.next().map_or(".", String::as_str);
                    self.asked.count = Some(base(folder));
                }
                "ls" if letters.contains('l') => self.asked.list = true,
                "wc" if letters == "-l" => self.asked.lines = true,
                "du" if long.iter().all(|word| *word == "--apparent-size") => {
                    self.asked.sizes = Some(unit(&letters));
                }
                "scp" | "rsync" | SFTP if all[..first].iter().any(|word| word == "time") => {
                    self.copies.extend(timed(part, &all[first + 1..], at));
                    self.copies.truncate(KEPT_MAX);
                    continue;
                }
                _ => continue,
            }
            any = true;
        }
        any
    }

    /// What sftp prints of its batch, `put mail/cur/7`: it copies files of that folder. Whether such a copy is under way.
    fn requests(&mut self, request: &str) -> bool {
        let open = |c: &&mut Timed| c.took.is_none() && c.tool == SFTP;
        let Some(copied) = self.copies.last_mut().filter(open) else {
            return false;
        };
        let mut words = request.split_whitespace();
        let (what, path) = (words.next(), words.find(|word| !word.starts_with('-')));
        copied.side = match what {
            Some("get") => Side::Receiver,
            Some("put") => Side::Sender,
            _ => return true,
        };
        let folder = path.and_then(|path| path.rsplit_once('/'));
        let name = folder.map(|(folder, _)| (base(folder), false));
        if let Some(name) = name.filter(|name| !copied.names.contains(name))
            && copied.names.len() < KEPT_MAX
        {
            copied.names.push(name);
        }
        true
    }

    /// A row of `du`.
    fn size(&mut self, size: &str, name: &str, at: Place) -> bool {
        let size = match self.asked.sizes {
            Some(unit) if unit > 0.0 => {
                let number = whole(size).map(|n| n as f64);
                // It rounds up.
                number.map(|n| Figure::between(n * unit, (n - 1.0) * unit, n * unit, at))
            }
            _ => bytes(size, at),
        };
        let known = size.is_some();
        self.sizes.extend(size.map(|size| (base(name), size)));
        known
    }

    /// The last copy is over.
    fn ends(&mut self, seconds: Option<f64>, at: Place) -> bool {
        let last = self.copies.last_mut().filter(|c| c.took.is_none());
        let both = last.zip(seconds.filter(|s| *s > 0.0));
        let known = both.is_some();
        if let Some((copied, seconds)) = both {
            copied.took = Some((seconds, at));
        }
        known
    }

    /// What a copy moved, where all of its names have a size; one that may be an option's value needs none.
    fn bytes_of(&self, copied: &Timed) -> Option<Figure> {
        let mut all: Option<Figure> = None;
        for (name, behind_option) in &copied.names {
            let size = self.sizes.iter().rfind(|(known, _)| known == name);
            match (size, all.take()) {
                (Some((_, size)), Some(before)) => all = Some(before.plus(size)),
                (Some((_, size)), None) => all = Some(size.clone()),
                (None, before) if *behind_option => all = before,
                (None, _) => return None,
            }
        }
        all.filter(|size| size.value > 0.0)
    }

    /// Makes a test of a copy that printed no rate itself; `all` are the copies of the text.
    fn make(&self, copied: &Timed, all: &[Timed], facts: &mut Facts) {
        let Some((seconds, at)) = copied.took else {
            return;
        };
        let own = |test: &Test| test.at > copied.typed && test.at < at;
        if facts.tests.iter().any(own) {
            return;
        }
        let said = self.bytes_of(copied).map(|size| (size, None));
        let Some((size, files)) = said.or_else(|| by_another(copied, all, facts)) else {
            return;
        };
        let rate = size.times(1.0 / seconds);
        let mut test = copy(copied.tool, copied.side, &rate, (Some(size), seconds), at);
        let is_of = |(known, _): &&(String, Figure)| copied.names.iter().any(|(n, _)| n == known);
        let counted = self.counts.iter().rfind(is_of);
        if let Some(count) = counted.map(|(_, count)| count.clone()).or(files) {
            test.set(COPIED, count);
        }
        if copied.ssh {
            test.words.insert(SHELL, "ssh".to_owned());
        }
        if copied.tool == "rsync" && facts.notes.len() < NOTES_MAX {
            let place = facts.place(at);
            facts.notes.push(format!("{place}: the rate is of all that was to be copied: where the other end had a part of it, rsync sent less, and more slowly"));
        }
        // It stands where it ended: what was printed below it is of later.
        let below = facts.tests.iter().position(|t| t.at > at);
        let order = below.unwrap_or(facts.tests.len());
        facts.tests.insert(order, test);
    }
}

/// What another copy of the same names printed of itself, as `rsync --stats` does: its bytes, and how many files they were.
fn by_another(copied: &Timed, all: &[Timed], facts: &Facts) -> Option<(Figure, Option<Figure>)> {
    let names = |of: &Timed| -> Vec<String> { of.names.iter().map(|(n, _)| n.clone()).collect() };
    let own = names(copied);
    let others = all
        .iter()
        .filter(|c| c.typed != copied.typed && names(c) == own);
    let printed = |other: &Timed| {
        let (_, end) = other.took?;
        let is_its = |test: &&Test| test.at > other.typed && test.at < end;
        let test = facts.tests.iter().find(is_its)?;
        let files = test.numbers.get(COPIED).cloned()?;
        let report = test.received.as_ref().or(test.sent.as_ref())?;
        Some((report.bytes.clone()?, Some(files)))
    };
    let mut found = others.filter_map(printed);
    found.next().filter(|_| !own.is_empty())
}

/// A copy by its command, and the words behind its program.
fn timed(command: &str, rest: &[String], at: Place) -> Option<Timed> {
    let run = words(command);
    let own = run[before(&run)..].join(" ");
    let (tool, side) = match own.split(' ').next()?.rsplit('/').next()? {
        SFTP => (SFTP, Side::Sender),
        _ => {
            let (tool, way) = copy_typed::of_command(&own)?;
            (tool, way?.0)
        }
    };
    let names = (0..rest.len()).filter(|n| !rest[*n].starts_with('-'));
    let behind = |n: usize| n > 0 && rest[n - 1].starts_with('-');
    let mut names: Vec<(String, bool)> = names.map(|n| (base(&rest[n]), behind(n))).collect();
    names.pop();
    Some(Timed {
        tool,
        side,
        ssh: tool == SFTP || tool == "rsync" && rsync_typed(&own) == Some(true),
        names,
        typed: at,
        took: None,
    })
}

/// Bytes of a unit of `du` by the letters of its options; 0 where each number has its own unit.
fn unit(letters: &str) -> f64 {
    let own = UNITS.iter().find(|(letter, _)| letters.contains(*letter));
    match (letters.contains('h'), own) {
        (true, _) => 0.0,
        (false, Some((_, unit))) => *unit,
        (false, None) => 1024.0,
    }
}

/// The last part of a path: `photos` of `/srv/photos/`, `./photos` and `b:photos`.
fn base(path: &str) -> String {
    let path = path.trim_end_matches('*').trim_end_matches('/');
    let last = path.rsplit(['/', ':']).next().unwrap_or(path);
    crate::redact(last)
}

/// Seconds of `5:03.11`, `1:02:03.4` or `303.11`, as zsh prints them.
fn clock(text: &str) -> Option<f64> {
    let parts: Option<Vec<f64>> = text.split(':').map(crate::words::decimal).collect();
    let parts = parts.filter(|p| (1..=3).contains(&p.len()))?;
    Some(parts.iter().fold(0.0, |all, part| all * 60.0 + part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::taken::whole as read_whole;

    /// What is made of a copy of these lines: its tool, its rate in Mbit/s, and how many files it had.
    fn made(text: &str) -> Option<(&'static str, f64, Option<f64>)> {
        let (facts, _) = read_whole(text);
        let test = facts.tests.first()?;
        let (rate, _) = test.goodput()?;
        let count = test.numbers.get(COPIED).map(|n| n.value);
        Some((test.tool, (rate.value / 1e4).round() / 100.0, count))
    }

    #[test]
    fn a_silent_copy_has_the_rate_of_its_size_and_time() {
        let time = "\nreal\t5m0.000s\nuser\t0m1.310s\nsys\t0m0.922s\n";
        let copied = "$ du -sb photos; find photos -type f | wc -l\n37500000\tphotos\n1850\n$ time scp -rq photos backup:\n";
        assert_eq!(
            made(&format!("{copied}{time}")),
            Some(("scp", 1.0, Some(1850.0)))
        );
        // What stands below, of one file, by `ls`, and as zsh prints the time.
        let file = "% time rsync -q -e 'ssh -p 22' /srv/d.tar me@b:/data/\nrsync -q d.tar  1.31s user 0.92s system 0% cpu 5:00.00 total\n% ls -l /srv/d.tar\n-rw-r--r-- 1 me me 375000000 Dec  1 02:10 /srv/d.tar\n";
        assert_eq!(made(file), Some(("rsync", 10.0, None)));
        // What another copy of the folder says of itself.
        let stats = "$ time rsync -a --stats photos/ a:photos\n\nNumber of files: 1,851 (reg: 1,850, dir: 1)\nNumber of regular files transferred: 1,850\nTotal file size: 37,500,000 bytes\nTotal transferred file size: 37,500,000 bytes\n\nsent 37,500,000 bytes  received 81,233 bytes  3,750,000.00 bytes/sec\ntotal size is 37,500,000  speedup is 1.00\n\nreal\t0m10.012s\n";
        let silent = format!("{stats}$ time scp -rq photos b:\n{time}");
        let (facts, _) = read_whole(&silent);
        assert_eq!(facts.tests.len(), 2, "{:#?}", facts.tests);
        assert_eq!(facts.tests[1].tool, "scp");
        let files = facts.tests[1].numbers.get(COPIED).map(|n| n.value);
        assert_eq!(files, Some(1850.0));
        // Another folder's size says nothing of it, and neither does one without a time.
        let other = copied.replace("scp -rq photos", "scp -rq films");
        assert_eq!(made(&format!("{other}{time}")), None);
        assert_eq!(made(copied), None);
        // Another command's time is not the copy's.
        let login = format!("{copied}$ time ssh backup true\n{time}");
        assert_eq!(made(&login), None);
    }

    #[test]
    fn a_batch_of_sftp_has_the_size_of_its_folder_and_the_count_of_its_lines() {
        let text = "$ time sftp -b put.batch b | tail -2\nsftp> put mail/cur/999\nsftp> put mail/cur/1000\n\nreal\t1m40.000s\nuser\t0m0.711s\nsys\t0m0.322s\n$ wc -l put.batch\n1000 put.batch\n";
        let size = "$ du -sb --apparent-size mail/cur\n4000000\tmail/cur\n";
        let all = format!("{text}{size}");
        assert_eq!(made(&all), Some((SFTP, 0.32, Some(1000.0))));
        let (facts, _) = read_whole(&all.replace("> put", "> get"));
        assert_eq!(facts.tests[0].client, Side::Receiver);
        assert_eq!(made(text), None);
    }

    #[test]
    fn numbers_of_du_have_the_unit_of_its_options() {
        assert_eq!(unit("-sb"), 1.0);
        assert_eq!(unit("-s"), 1024.0);
        assert_eq!(unit("-sh"), 0.0);
        assert_eq!(base("/srv/photos/"), "photos");
        assert_eq!(base("b:photos/*"), "photos");
        assert_eq!(clock("5:03.5"), Some(303.5));
    }
}
