//! Programs that copy files: the closing lines of scp and sftp, rsync and wget.

use super::{Facts, Line, Tool};
use crate::fact::{Figure, Place};
use crate::programs::fetched::FILES;
use crate::programs::small_files::COPIED;
use crate::seen::{ASKED, End, Report, Side, Test};
use crate::windows::channel::SHELL;
use crate::words::{number, quantity, whole};

/// Programs that copy files.
pub(crate) const COPIES: [&str; 12] = [
    "scp",
    super::timed_copy::SFTP,
    "rsync",
    "curl",
    "wget",
    "robocopy",
    "globus-url-copy",
    "globus",
    super::aws_s3::TOOL,
    super::rclone::TOOL,
    super::aria2::TOOL,
    super::xrdcp::TOOL,
];

/// What a terminal showed last of a line that was written over.
pub(super) fn shown(text: &str) -> &str {
    text.rsplit('\r').next().unwrap_or(text).trim()
}

/// A number and the letters behind it.
fn in_parts(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| c.is_ascii_alphabetic());
    text.split_at(end.unwrap_or(text.len()))
}

/// `37.0MB/s`, `120GB`, `35.7M`, `512`: bytes, by powers of 1024.
pub(super) fn bytes(text: &str, at: Place) -> Option<Figure> {
    let bare = text.strip_suffix("/s").unwrap_or(text);
    let bare = bare.strip_suffix('B').unwrap_or(bare);
    let (digits, prefix) = in_parts(bare);
    quantity(digits, &format!("{prefix}Byte"), at)
}

/// `55:22`, `1:02:03`: seconds.
pub(super) fn clock(text: &str) -> Option<f64> {
    let parts: Option<Vec<u64>> = text.split(':').map(whole).collect();
    let parts = parts.filter(|p| (2..=3).contains(&p.len()))?;
    Some(
        parts
            .iter()
            .fold(0.0, |all, part| all * 60.0 + *part as f64),
    )
}

/// `42%`: a number.
fn percent(text: &str) -> Option<u64> {
    whole(text.strip_suffix('%')?).filter(|p| *p <= 100)
}

/// A copy that this end sent or received, at a rate in bytes a second.
pub(super) fn copy(
    tool: &'static str,
    side: Side,
    rate: &Figure,
    (all, seconds): (Option<Figure>, f64),
    at: Place,
) -> Test {
    let mut test = Test::new(tool, at);
    let report = Some(Report {
        goodput: rate.times(8.0),
        bytes: all,
        seconds,
    });
    match side {
        Side::Sender => test.sent = report,
        Side::Receiver => {
            test.received = report;
            test.client = Side::Receiver;
        }
    }
    test
}

/// The state of reading: a file, and its last line.
#[derive(Default)]
pub(super) struct Scp {
    file: Option<(String, Test)>,
}

impl Tool for Scp {
    fn name(&self) -> &'static str {
        "scp"
    }

    /// `a.tar   100%  120GB  37.0MB/s   55:22`: at its end the mean rate and the time; before, `ETA` stands behind what is left.
    fn line(&mut self, line: Line<'_>, _going: bool, facts: &mut Facts) -> bool {
        let words: Vec<&str> = shown(line.bare).split_whitespace().collect();
        let (words, under_way) = match words.split_last() {
            Some((&"ETA", before)) => (before, true),
            _ => (&words[..], false),
        };
        let [file @ .., share, size, rate, time] = words else {
            return false;
        };
        let figures = (percent(share), bytes(size, line.at), bytes(rate, line.at));
        let (Some(_), Some(size), Some(rate), Some(time)) =
            (figures.0, figures.1, figures.2, clock(time))
        else {
            return false;
        };
        if !words[words.len() - 2].ends_with("B/s") || file.is_empty() {
            return false;
        }
        let (size, seconds) = match under_way {
            true => (None, 0.0),
            false => (Some(size), time),
        };
        let test = copy("scp", Side::Sender, &rate, (size, seconds), line.at);
        let file = file.join(" ");
        // A copy that has its time is over: another row of the same name is of another copy.
        let over = |test: &Test| test.sent.as_ref().is_some_and(|sent| sent.seconds > 0.0);
        let is_another = |(before, test): &(String, Test)| *before != file || over(test);
        if self.file.as_ref().is_some_and(is_another) {
            self.finish(facts);
        }
        self.file = (rate.value > 0.0).then_some((file, test));
        true
    }

    fn held(&self) -> usize {
        self.file.as_ref().map_or(0, |(_, test)| test.facts())
    }

    fn finish(&mut self, facts: &mut Facts) {
        facts.tests.extend(self.file.take().map(|(_, test)| test));
    }
}

/// The state of reading: the last line of progress, where no summary has come yet.
#[derive(Default)]
pub(super) struct Rsync {
    progress: Option<Test>,
    /// How many files it sent, of `--stats`.
    files: Option<Figure>,
    /// Whether the command that was typed goes through ssh.
    ssh: bool,
    /// The socket buffers that it asks for at its own end, to send and to receive, bytes.
    buffers: [Option<f64>; 2],
}

impl Rsync {
    /// A copy, and what it goes through.
    fn copied(&self, mut test: Test) -> Test {
        if self.ssh {
            test.words.insert(SHELL, "ssh".to_owned());
        }
        test
    }

    /// Takes a line of `--stats`.
    fn counts(&mut self, text: &str, going: bool, at: Place) -> bool {
        let Some((key, value)) = statistic(text).filter(|(key, _)| going || *key == FIRST) else {
            return false;
        };
        if SENT_FILES.contains(&key) {
            self.files = counted(value, at);
        }
        true
    }

    /// The copy that a closing line is of; its rate is of both ways together.
    fn closed(&mut self, ways: [&Figure; 2], rate: &Figure, at: Place) -> Option<Test> {
        let [sent, received] = ways;
        let files = self.files.take();
        let (side, own) = match sent.value > received.value {
            true => (Side::Sender, sent),
            false => (Side::Receiver, received),
        };
        let both = sent.value + received.value;
        (rate.value > 0.0 && both > 0.0).then(|| {
            let what = (Some(own.clone()), both / rate.value);
            let own_rate = rate.times(own.value / both);
            let mut test = copy("rsync", side, &own_rate, what, at);
            if let Some(files) = files {
                test.set(COPIED, files);
            }
            let end = usize::from(side == Side::Receiver);
            if let Some(bytes) = self.buffers[end] {
                test.set(ASKED[end], Figure::exact(bytes, at));
            }
            self.copied(test)
        })
    }
}

/// `-e`, also behind other letters, and `--rsh`: the word behind it is the shell that rsync goes through.
fn is_shell_option(word: &str) -> bool {
    let short = word.starts_with('-') && !word.starts_with("--") && word.ends_with('e');
    short || word == "--rsh"
}

/// Whether a line is a command of rsync, and that goes through ssh: a host with one colon is reached so, unless another shell is asked for;
/// two colons are a daemon's, as is `rsync://`.
pub(super) fn rsync_typed(text: &str) -> Option<bool> {
    let words: Vec<&str> = text.split_whitespace().collect();
    // zsh's `time` prints the command again, before how long it took.
    if let [.., "cpu", _, "total"] = words[..] {
        return None;
    }
    let is_it = |w: &&str| w.rsplit(['/', '$', '#', '>', '%']).next() == Some("rsync");
    let start = words.iter().position(is_it)?;
    let options = &words[start + 1..];
    // Words of a sentence are not a command.
    let behind = start.checked_sub(1).map(|n| words[n]);
    let typed = behind.is_none_or(|prompt| prompt.ends_with(['$', '#', '>', '%']));
    let signs = |w: &&str| w.starts_with('-') || w.contains(['/', ':']);
    let copies = typed && options.first().is_some_and(signs) && options.len() >= 2;
    let of_shell = |n: usize| match options[n].strip_prefix("--rsh=") {
        Some(shell) => Some(shell),
        None if is_shell_option(options[n]) => options.get(n + 1).copied(),
        None => None,
    };
    let shell = (0..options.len()).find_map(of_shell);
    let is_remote = |w: &&str| {
        let (host, path) = w.split_once(':').unwrap_or(("", ""));
        let daemon = path.starts_with(':') || path.starts_with("//");
        !host.is_empty() && !host.contains('/') && !daemon
    };
    let ssh = match shell {
        Some(shell) => shell.trim_start_matches(['\'', '"']).starts_with("ssh"),
        None => options
            .iter()
            .filter(|w| !w.starts_with('-'))
            .any(is_remote),
    };
    copies.then_some(ssh)
}

impl Tool for Rsync {
    fn name(&self) -> &'static str {
        "rsync"
    }

    /// `sent 2,147,484,160 bytes  received 35 bytes  37,445,225.00 bytes/sec`, and before it `2,147,483,648 100%   35.70MB/s
    /// 0:00:57 (xfr#1, to-chk=0/1)`, whose rate is by powers of 1024.
    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = shown(line.bare);
        if let Some(ssh) = rsync_typed(text) {
            self.finish(facts);
            self.ssh = ssh;
            self.buffers = match ssh {
                true => [None; 2],
                false => SOCKET_OPTIONS.map(|name| socket_option(text, name)),
            };
            return true;
        }
        if self.counts(text, going, line.at) {
            return true;
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        match &words[..] {
            [
                "sent",
                sent,
                "bytes",
                "received",
                received,
                "bytes",
                rate,
                "bytes/sec",
            ] => {
                let all = [sent, received, rate].map(|word| counted(word, line.at));
                let [Some(sent), Some(received), Some(rate)] = all else {
                    return false;
                };
                self.progress = None;
                facts
                    .tests
                    .extend(self.closed([&sent, &received], &rate, line.at));
                true
            }
            [size, share, rate, time, ..] if rate.ends_with("B/s") => {
                let (Some(size), Some(share), Some(rate), Some(time)) = (
                    counted(size, line.at),
                    percent(share),
                    bytes(rate, line.at),
                    clock(time),
                ) else {
                    return false;
                };
                // Before its end the time is what is left.
                let seconds = if share == 100 { time } else { 0.0 };
                let what = ((share == 100).then_some(size), seconds);
                let test = copy("rsync", Side::Sender, &rate, what, line.at);
                self.progress = (rate.value > 0.0).then(|| self.copied(test));
                true
            }
            ["total", "size", "is", ..] => going,
            _ => false,
        }
    }

    fn held(&self) -> usize {
        self.progress.as_ref().map_or(0, Test::facts)
    }

    fn finish(&mut self, facts: &mut Facts) {
        self.files = None;
        facts.tests.extend(self.progress.take());
    }
}

/// What a socket is asked for to send and to receive.
const SOCKET_OPTIONS: [&str; 2] = ["SO_SNDBUF", "SO_RCVBUF"];

/// A number of `--sockopts=SO_SNDBUF=65536,SO_RCVBUF=65536`, which goes to a daemon's socket alone (rsync, 1).
fn socket_option(text: &str, name: &str) -> Option<f64> {
    let (_, rest) = text.split_once("--sockopts")?;
    let list = rest.strip_prefix(['=', ' '])?.split_whitespace().next()?;
    let mut each = list.trim_matches(['\'', '"']).split(',');
    let value = each.find_map(|option| option.strip_prefix(name)?.strip_prefix('='))?;
    whole(value).filter(|n| *n > 0).map(|n| n as f64)
}

/// What the lines of `--stats` begin with; the first of them stands by itself.
const FIRST: &str = "Number of files";
const STATISTICS: [&str; 14] = [
    FIRST,
    "Number of created files",
    "Number of deleted files",
    SENT_FILES[0],
    SENT_FILES[1],
    "Total file size",
    "Total transferred file size",
    "Literal data",
    "Matched data",
    "File list size",
    "File list generation time",
    "File list transfer time",
    "Total bytes sent",
    "Total bytes received",
];

/// How many files were sent, in the words of rsync 3.1 and later, and of those before.
const SENT_FILES: [&str; 2] = [
    "Number of regular files transferred",
    "Number of files transferred",
];

/// A line of `--stats`, `Number of regular files transferred: 401,002`: what it counts, and the first word behind it, a number.
fn statistic(text: &str) -> Option<(&str, &str)> {
    let (key, value) = text.split_once(": ")?;
    let value = value.split_whitespace().next()?;
    let is_number = value.starts_with(|c: char| c.is_ascii_digit());
    (is_number && STATISTICS.contains(&key)).then_some((key, value))
}

/// `2,147,484,160`, or `2.15G` by powers of 1000, which is rsync's `-h`.
fn counted(text: &str, at: Place) -> Option<Figure> {
    let plain = text.replace(',', "");
    let (digits, prefix) = in_parts(&plain);
    let mut chars = prefix.chars();
    let factor = crate::words::decimal_prefix(chars.next())?;
    chars.next().is_none().then_some(())?;
    Some(number(digits, at)?.times(factor))
}

/// The state of reading: files that were saved, and how long all of them took.
#[derive(Default)]
pub(super) struct Wget {
    /// The number of the test of the first of them.
    first: Option<usize>,
    /// Seconds.
    wall: Option<f64>,
    /// Whom it was connected to last, by name and by address and port, and whether that is a proxy.
    connected: Option<(String, End)>,
    proxy: bool,
}

impl Wget {
    /// Takes whom it is connected to; whether the line says that this is a proxy.
    fn connects(&mut self, text: &str) -> bool {
        if let Some(connected) = connected(text) {
            (self.connected, self.proxy) = (Some(connected), false);
            return false;
        }
        let proxy = text.starts_with("Proxy request sent");
        self.proxy |= proxy && self.connected.is_some();
        proxy
    }

    /// All files together, by the clock on the wall, in place of those that were printed one by one.
    fn all(&mut self, (count, size): (f64, Figure), seconds: f64, at: Place, facts: &mut Facts) {
        let own = |tests: &[Test]| tests.iter().all(|t| t.tool == "wget");
        if let Some(first) = self.first.take()
            && facts.tests.get(first..).is_some_and(own)
        {
            facts.tests.truncate(first);
        }
        let rate = size.times(1.0 / seconds);
        let mut test = copy("wget", Side::Receiver, &rate, (Some(size), seconds), at);
        test.set(FILES, Figure::exact(count, at));
        facts.tests.push(test);
    }
}

impl Tool for Wget {
    fn name(&self) -> &'static str {
        "wget"
    }

    /// `2026-11-25 10:11:12 (35.7 MB/s) - ‘a.tar’ saved [1073741824/1073741824]`, the time taken off or not; with
    /// `--report-speed=bits` the rate is in `Mb/s`. What stands in a bar of progress is said there again.
    fn line(&mut self, line: Line<'_>, _going: bool, facts: &mut Facts) -> bool {
        let text = shown(line.bare);
        if text.contains("%[") && text.contains("B/s") || text.starts_with("FINISHED --") {
            return true;
        }
        if let Some(took) = text.strip_prefix("Total wall clock time: ") {
            self.wall = wall(took);
            return self.wall.is_some();
        }
        if let Some(all) = downloaded(text, line.at) {
            if let Some(seconds) = self.wall.take() {
                self.all(all, seconds, line.at, facts);
            }
            return true;
        }
        if self.connects(text) {
            return true;
        }
        let Some((rate, size)) = saved(text, line.at) else {
            return false;
        };
        self.first = self.first.or(Some(facts.tests.len()));
        let seconds = size.value / rate.value.max(1.0);
        let what = (Some(size), seconds);
        let mut test = copy("wget", Side::Receiver, &rate, what, line.at);
        test.set(FILES, Figure::exact(1.0, line.at));
        if let Some((name, proxy)) = self.connected.clone().filter(|_| self.proxy) {
            facts.goes_through(("wget", "as it says"), &proxy, line.at);
            "through this proxy".clone_into(&mut test.name);
            test.aliases[0].push(name);
            test.from = proxy;
        }
        facts.tests.push(test);
        true
    }
}

/// Whom wget is connected to: `Connecting to proxy.corp (proxy.corp)|192.0.2.8|:3128... connected.`
fn connected(text: &str) -> Option<(String, End)> {
    let rest = text.strip_prefix("Connecting to ")?;
    let (names, rest) = rest.split_once('|')?;
    let (address, rest) = rest.split_once("|:")?;
    let port = rest.split("...").next()?.parse().ok()?;
    let name = names.split_whitespace().next()?;
    let end = End {
        host: crate::redact(address),
        port: Some(port),
    };
    Some((crate::redact(name), end))
}

/// `1h 0m 20s`, `0.4s`: seconds.
fn wall(text: &str) -> Option<f64> {
    const UNITS: [(char, f64); 4] = [('d', 86_400.0), ('h', 3600.0), ('m', 60.0), ('s', 1.0)];
    let each = text.split_whitespace().map(|word| {
        let (unit, worth) = UNITS.into_iter().find(|(unit, _)| word.ends_with(*unit))?;
        Some(number(word.strip_suffix(unit)?, Place::You)?.value * worth)
    });
    let all: Option<f64> = each.sum();
    all.filter(|seconds| *seconds > 0.0)
}

/// How many files, and their bytes: `Downloaded: 20000 files, 78M in 6.9s (11.3 MB/s)`. The time is that of their bytes alone.
fn downloaded(text: &str, at: Place) -> Option<(f64, Figure)> {
    let rest = text.strip_prefix("Downloaded: ")?;
    let (files, rest) = rest.split_once(" files, ")?;
    let (size, _) = rest.split_once(" in ")?;
    let count = whole(files).filter(|n| *n > 1)? as f64;
    Some((count, bytes(size, at)?))
}

/// Bytes a second and bytes of wget's closing line.
fn saved(text: &str, at: Place) -> Option<(Figure, Figure)> {
    let (before, after) = text.split_once("/s) - ")?;
    let (_, rate) = before.rsplit_once('(')?;
    let (digits, unit) = rate.split_once(' ')?;
    let (_, count) = after.rsplit_once(" saved [")?;
    let count = count.strip_suffix(']')?;
    let size = number(count.split('/').next()?, at)?;
    let rate = match unit.strip_suffix('b') {
        Some(prefix) => quantity(digits, &format!("{prefix}bit"), at)?.times(0.125),
        None => bytes(&format!("{digits}{unit}"), at)?,
    };
    (rate.value > 0.0).then_some((rate, size))
}

#[cfg(test)]
mod tests {
    use crate::read::{Source, read};
    use crate::seen::{Side, Test};

    fn tests(text: &str) -> Vec<Test> {
        let source = Source {
            name: "copy.txt".to_owned(),
            bytes: text.as_bytes().to_vec(),
        };
        let facts = read(&[source]);
        assert_eq!(facts.ignored_count, [0], "{text}");
        facts.tests
    }

    /// Tool, side, bit/s, bytes and seconds of the one test of a text.
    fn one(text: &str) -> (&'static str, Side, f64, f64, f64) {
        let all = tests(text);
        assert_eq!(all.len(), 1, "{text}");
        let (rate, side) = all[0].goodput().expect("a rate");
        let report = all[0].received.as_ref().or(all[0].sent.as_ref());
        let report = report.expect("a report");
        let bytes = report.bytes.as_ref().map_or(0.0, |b| b.value);
        (all[0].tool, side, rate.value, bytes, report.seconds)
    }

    const MIB: f64 = 1_048_576.0;

    #[test]
    fn scp_says_its_mean_rate_at_the_end() {
        let text = "big file.tar    42%   51GB  35.0MB/s   31:10 ETA\rbig file.tar   100%  120GB  37.0MB/s   55:22\n";
        let all = (120.0 * 1024.0 * MIB, 55.0 * 60.0 + 22.0);
        assert_eq!(
            one(text),
            ("scp", Side::Sender, 37.0 * MIB * 8.0, all.0, all.1)
        );
        let two = "a   100%  1024MB  37.0MB/s   00:28\nb   100%  1024MB  37.0MB/s   00:28\n";
        assert_eq!(tests(two).len(), 2);
    }

    #[test]
    fn each_copy_of_the_same_file_is_a_test_of_its_own() {
        let slow =
            "a.tar    42%  210MB   4.0MB/s   01:10 ETA\ra.tar   100%  500MB   4.1MB/s   02:01\n";
        let fast = "a.tar   100%  500MB  98.0MB/s   00:05\n";
        let all = tests(&format!("$ scp a.tar b:\n{slow}$ scp a.tar b:\n{fast}"));
        let rates: Vec<f64> = all
            .iter()
            .filter_map(|t| Some(t.goodput()?.0.value))
            .collect();
        assert_eq!(rates, [4.1 * MIB * 8.0, 98.0 * MIB * 8.0]);
    }

    #[test]
    fn rsync_counts_both_ways_in_its_rate() {
        let text = "  1,000,000,000 100%   35.70MB/s    0:00:26 (xfr#1, to-chk=0/1)\n\nsent 1,000,000,000 bytes  received 0 bytes  40,000,000.00 bytes/sec\ntotal size is 1,000,000,000  speedup is 1.00\n";
        assert_eq!(one(text), ("rsync", Side::Sender, 3.2e8, 1e9, 25.0));
        let fetched = "sent 50 bytes  received 2.00G bytes  40.00M bytes/sec\n";
        let (tool, side, rate, ..) = one(fetched);
        assert_eq!(
            (tool, side, rate.round()),
            ("rsync", Side::Receiver, 319_999_992.0)
        );
    }

    #[test]
    fn rsync_counts_the_files_that_it_sent() {
        let stats = "Number of files: 402,114 (reg: 401,002, dir: 1,112)\nNumber of created files: 401,002\nNumber of regular files transferred: 401,002\nTotal file size: 2,312,331,223 bytes\nTotal transferred file size: 2,312,331,223 bytes\nLiteral data: 2,312,331,223 bytes\nMatched data: 0 bytes\nFile list size: 9,112,233\nTotal bytes sent: 2,361,223,122\nTotal bytes received: 8,112,233\n\nsent 2,361,223,122 bytes  received 8,112,233 bytes  401,564.98 bytes/sec\ntotal size is 2,312,331,223  speedup is 0.98\n";
        let all = tests(stats);
        let files = all[0].numbers.get(super::COPIED).map(|f| f.value);
        assert_eq!((all.len(), files), (1, Some(401_002.0)));
    }

    #[test]
    fn rsync_asks_a_daemons_socket_for_buffers() {
        let closing = "sent 2.00G bytes  received 50 bytes  9.00M bytes/sec\ntotal size is 2,000,000,000  speedup is 1.00\n";
        for (command, asked) in [
            (
                "$ rsync -a --sockopts=SO_SNDBUF=65536,SO_RCVBUF=131072 a far::b/",
                Some(65_536.0),
            ),
            ("$ rsync -a --sockopts=SO_SNDBUF=65536 a far:b/", None),
            ("$ rsync -a a far::b/", None),
        ] {
            let all = tests(&format!("{command}\n{closing}"));
            let own = all[0].numbers.get(super::ASKED[0]).map(|f| f.value);
            assert_eq!(own, asked, "{command}");
            assert!(!all[0].numbers.contains_key(super::ASKED[1]), "{command}");
        }
    }

    #[test]
    fn curl_says_the_mean_of_the_way_it_went() {
        let head = "  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current\n                                 Dload  Upload   Total   Spent    Left  Speed\n";
        let down = "  3 1024M    3 31.0M    0     0  30.7M      0  0:00:33  0:00:01  0:00:32 30.7M\r100 1024M  100 1024M    0     0  35.7M      0  0:00:28  0:00:28 --:--:-- 36.1M\n";
        let all = 1024.0 * MIB;
        assert_eq!(
            one(&format!("{head}{down}")),
            ("curl", Side::Receiver, 35.7 * MIB * 8.0, all, 28.0)
        );
        let up = "100 1024M    0     0  100 1024M      0  35.7M  0:00:28  0:00:28 --:--:-- 36.1M\n";
        assert_eq!(one(&format!("{head}{up}")).1, Side::Sender);
    }

    #[test]
    fn wget_says_its_rate_behind_the_time() {
        let bar = "a.tar   100%[===================>]   1.00G  35.7MB/s    in 29s\n\n";
        let done = "2026-11-25 10:11:12 (35.7 MB/s) - ‘a.tar’ saved [1073741824/1073741824]\n";
        let (tool, side, rate, bytes, _) = one(&format!("{bar}{done}"));
        assert_eq!((tool, side, bytes), ("wget", Side::Receiver, 1024.0 * MIB));
        assert_eq!(rate, 35.7 * MIB * 8.0);
        let bits = "2026-11-25 10:11:12 (300 Mb/s) - ‘a.tar’ saved [1073741824/1073741824]\n";
        assert_eq!(one(bits).2, 3e8);
    }
}
