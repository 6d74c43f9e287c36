//! globus-url-copy of GridFTP with `-vb`: how fast each file goes, from where to where.

use super::authority;
use super::copies::{copy, shown};
use super::{Facts, Line, NOTES_MAX, Tool};
use crate::fact::Figure;
use crate::seen::{ASKED, Side, Test};
use crate::words::{number, size, whole};

/// The tool's name.
const TOOL: &str = "globus-url-copy";

/// Its rates are in units of so many bytes, called MB.
const MB: f64 = 1_048_576.0;

/// Options behind which a number stands: connections side by side for a file, and files at a time.
const SIDE_BY_SIDE: [[&str; 2]; 2] = [["-p", "-parallel"], ["-cc", "-concurrency"]];

/// The option with the socket buffers that it asks for at both ends, bytes.
const BUFFER: [&str; 2] = ["-tcp-bs", "-tcp-buffer-size"];

/// The state of reading.
#[derive(Default)]
pub(super) struct GlobusUrlCopy {
    /// What the command that was typed asks for.
    asked: Asked,
    /// Hosts that the files come from and go to; none where that is this one.
    from: Option<String>,
    to: Option<String>,
    /// The file that is under way, as its last line has it.
    file: Option<Test>,
}

/// What a command asks for.
#[derive(Default)]
struct Asked {
    /// Connections side by side, and files at a time, multiplied; none where no command was seen.
    streams: Option<u64>,
    /// Socket buffers, bytes.
    buffer: Option<f64>,
}

impl Tool for GlobusUrlCopy {
    fn name(&self) -> &'static str {
        TOOL
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = shown(line.bare);
        if let Some(url) = text.strip_prefix("Source: ").and_then(host) {
            self.finish(facts);
            (self.from, self.to) = (url, None);
            return true;
        }
        if let Some(url) = text.strip_prefix("Dest: ").and_then(host) {
            self.to = url;
            return true;
        }
        if let Some(asked) = typed(text) {
            self.finish(facts);
            self.asked = asked;
            (self.from, self.to) = (None, None);
            return false;
        }
        if going && text.contains("  ->  ") {
            self.finish(facts);
            return true;
        }
        self.reports(text, line, facts)
    }

    fn held(&self) -> usize {
        self.file.as_ref().map_or(0, Test::facts)
    }

    fn finish(&mut self, facts: &mut Facts) {
        facts.tests.extend(self.file.take());
    }
}

impl GlobusUrlCopy {
    /// `5486149632 bytes        43.60 MB/sec avg        43.90 MB/sec inst`: the mean since the file began.
    fn reports(&mut self, text: &str, line: Line<'_>, facts: &mut Facts) -> bool {
        let words: Vec<&str> = text.split_whitespace().collect();
        let [all, "bytes", mean, "MB/sec", "avg", _, "MB/sec", "inst"] = words[..] else {
            return false;
        };
        let (Some(all), Some(mean)) = (whole(all), number(mean, line.at)) else {
            return false;
        };
        let rate = mean.times(MB);
        if rate.value <= 0.0 {
            return true;
        }
        let bytes = Figure::exact(all as f64, line.at);
        let seconds = bytes.value / rate.value;
        // Between two servers the one that has the file sends it.
        let fetched = self.from.is_some() && self.to.is_none();
        let side = if fetched {
            Side::Receiver
        } else {
            Side::Sender
        };
        let mut test = copy(TOOL, side, &rate, (Some(bytes), seconds), line.at);
        test.from.host = self.from.clone().unwrap_or_default();
        test.to.host = self.to.clone().unwrap_or_default();
        let streams = self.asked.streams.unwrap_or(1).clamp(1, 1024);
        test.streams = u32::try_from(streams).unwrap_or(1);
        if let Some(buffer) = self.asked.buffer {
            for name in ASKED {
                test.set(name, Figure::exact(buffer, line.at));
            }
        }
        if self.asked.streams.is_none() && self.file.is_none() && facts.notes.len() < NOTES_MAX {
            let note = format!(
                "{}: the command of globus-url-copy is not in the text, and says how many connections it has (-p, -cc): 1 is assumed",
                facts.place(line.at)
            );
            facts.notes.push(note);
        }
        self.file = Some(test);
        true
    }
}

/// The host of `gsiftp://dtn.example.org:2811/dev/`; within, none of `file:///dev/`, which is here. Nothing of other texts.
fn host(text: &str) -> Option<Option<String>> {
    let (scheme, rest) = text.trim().split_once("://")?;
    let remote = ["gsiftp", "ftp", "sshftp", "http", "https"].contains(&scheme);
    if !remote {
        return (scheme == "file").then_some(None);
    }
    let name = authority::host(rest)?;
    (!name.is_empty()).then(|| Some(crate::redact(name)))
}

/// What a command asks for, if a line is one: `$ globus-url-copy -vb -p 4 -tcp-bs 16M file:///a gsiftp://far.example/b`.
fn typed(text: &str) -> Option<Asked> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_it = |w: &&str| w.rsplit(['/', '$', '#', '>', '%']).next() == Some(TOOL);
    let start = words.iter().position(is_it)?;
    let options = &words[start + 1..];
    if !options.iter().any(|w| w.contains("://")) {
        return None;
    }
    let behind = |names: [&str; 2]| {
        let at = options.iter().position(|w| names.contains(w))?;
        options.get(at + 1).copied()
    };
    let counts = SIDE_BY_SIDE.map(|names| behind(names).and_then(whole));
    let streams = counts.into_iter().flatten();
    Some(Asked {
        streams: Some(streams.fold(1, u64::saturating_mul)),
        buffer: behind(BUFFER).and_then(size),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::taken::whole as read_whole;

    /// What is read of a command with these options, and of one file between these.
    fn one(options: &str, source: &str, dest: &str) -> Test {
        let text = format!(
            "$ globus-url-copy -vb {options}{source}a {dest}b\nSource: {source}\nDest:   {dest}\n  a  ->  b\n\n   104857600 bytes        40.00 MB/sec avg        40.00 MB/sec inst\n   209715200 bytes        50.00 MB/sec avg        60.00 MB/sec inst\n"
        );
        let (facts, _) = read_whole(&text);
        let [test] = &facts.tests[..] else {
            panic!("{text}: {:?}", facts.tests)
        };
        test.clone()
    }

    #[test]
    fn the_last_line_of_a_file_is_its_mean() {
        let test = one("", "file:///data/", "gsiftp://dtn.example.org:2811/data/");
        let (rate, side) = test.goodput().expect("it is printed");
        assert_eq!(side, Side::Sender);
        assert!((rate.value - 50.0 * MB * 8.0).abs() < 1.0, "{rate:?}");
        let sent = test.sent.as_ref().expect("this end sent it");
        assert!((sent.seconds - 4.0).abs() < 1e-9, "{sent:?}");
        assert_eq!(
            (test.to.host.as_str(), test.streams),
            ("dtn.example.org", 1)
        );
    }

    #[test]
    fn options_say_how_many_connections_there_are() {
        let fetched = one(
            "-p 4 -cc 2 -tcp-bs 16M ",
            "gsiftp://me@[2001:db8::9]:2811/data/",
            "file:///data/",
        );
        assert_eq!(fetched.streams, 8);
        assert_eq!(fetched.from.host, "2001:db8::9");
        assert_eq!(fetched.client, Side::Receiver);
        let asked = fetched.numbers.get(ASKED[1]).map(|f| f.value);
        assert_eq!(asked, Some(16.0 * MB));
    }

    #[test]
    fn other_lines_are_left() {
        assert_eq!(host("somewhere else"), None);
        assert!(typed("we use globus-url-copy for it").is_none());
        let (facts, _) = read_whole("104857600 bytes (105 MB) copied, 2.1 s, 50 MB/s\n");
        assert!(facts.tests.is_empty());
    }
}
