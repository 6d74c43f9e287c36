//! `aws s3 cp`, `mv` and `sync`: lines of progress, whose rate is the mean since the start.

use super::copies::{bytes, copy, shown};
use super::{Facts, Line, NOTES_MAX, Tool};
use crate::fact::{Figure, Place};
use crate::seen::{Side, Test};

/// The tool's name.
pub(super) const TOOL: &str = "aws s3";

/// Connections side by side that parts of a large file have (`max_concurrent_requests`), and from which size on there are parts, bytes
/// (`multipart_threshold`): the defaults of the AWS CLI's configuration of S3.
const STREAMS: u32 = 10;
const PARTS: f64 = 8.0 * 1024.0 * 1024.0;

/// The state of reading: the last line of progress, and the end that sends.
#[derive(Default)]
pub(super) struct AwsS3 {
    side: Option<Side>,
    progress: Option<Progress>,
}

/// What a line of progress says.
struct Progress {
    /// Bytes that are across, of how many, and bytes a second.
    done: Figure,
    all: Figure,
    rate: Figure,
    at: Place,
}

impl Tool for AwsS3 {
    fn name(&self) -> &'static str {
        TOOL
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = shown(line.bare);
        if let Some(side) = typed(text) {
            self.close(facts);
            self.side = Some(side);
            return true;
        }
        if let Some(progress) = progress(text, line.at) {
            self.progress = Some(progress).filter(|p| p.rate.value > 0.0);
            return true;
        }
        let side = closed(text).filter(|_| going);
        self.side = self.side.or(side);
        side.is_some()
    }

    fn held(&self) -> usize {
        usize::from(self.progress.is_some())
    }

    fn finish(&mut self, facts: &mut Facts) {
        self.close(facts);
    }
}

impl AwsS3 {
    /// Hands over what is across, at its mean rate.
    fn close(&mut self, facts: &mut Facts) {
        let last = core::mem::take(self);
        let Some(progress) = last.progress else {
            return;
        };
        let seconds = progress.done.value / progress.rate.value;
        let side = last.side.unwrap_or(Side::Sender);
        let what = (Some(progress.done), seconds);
        let mut test = copy(TOOL, side, &progress.rate, what, progress.at);
        let parts = progress.all.value > PARTS;
        if parts {
            test.streams = STREAMS;
        }
        let said = [
            parts.then(|| format!("{STREAMS} connections side by side are assumed, as many as aws s3 has where max_concurrent_requests is not set")),
            last.side.is_none().then(|| "which way it went no line says: it is taken for sent".to_owned()),
        ];
        note(&said, &test, facts);
        facts.tests.push(test);
    }
}

/// Notes what is assumed of a copy.
fn note(said: &[Option<String>], test: &Test, facts: &mut Facts) {
    let said: Vec<&str> = said.iter().flatten().map(String::as_str).collect();
    if !said.is_empty() && facts.notes.len() < NOTES_MAX {
        let note = format!("{}: {}", facts.place(test.at), said.join("; "));
        facts.notes.push(note);
    }
}

/// `256.0 MiB`, `~1.0 GiB`, `512 Bytes`.
fn size(text: &str, at: Place) -> Option<Figure> {
    let (value, unit) = text.trim_start_matches('~').split_once(' ')?;
    let prefix = match unit {
        "Bytes" | "Byte" => "",
        unit => unit.strip_suffix("iB")?,
    };
    bytes(&format!("{value}{prefix}"), at)
}

/// `Completed 256.0 MiB/1.0 GiB (38.1 MiB/s) with 1 file(s) remaining`.
fn progress(text: &str, at: Place) -> Option<Progress> {
    let rest = text.strip_prefix("Completed ")?;
    let (both, rest) = rest.split_once(" (")?;
    let (rate, rest) = rest.split_once(')')?;
    let (done, all) = both.split_once('/')?;
    rest.contains("file(s) remaining").then_some(())?;
    Some(Progress {
        done: size(done, at)?,
        all: size(all, at)?,
        rate: size(rate.strip_suffix("/s")?, at)?,
        at,
    })
}

/// The end that sends what was copied between a file and the service; none of a copy within it.
fn sends(from: &str, to: &str) -> Option<Side> {
    match [from, to].map(|end| end.starts_with("s3://")) {
        [false, true] => Some(Side::Sender),
        [true, false] => Some(Side::Receiver),
        _ => None,
    }
}

/// What a command does: `$ aws s3 cp big.bin s3://bucket/big.bin`.
fn typed(text: &str) -> Option<Side> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_it = |w: &&str| w.rsplit(['/', '$', '#', '>', '%']).next() == Some("aws");
    let start = words.iter().position(is_it)?;
    let ["s3", "cp" | "mv" | "sync", rest @ ..] = words.get(start + 1..)? else {
        return None;
    };
    let mut ends = rest.iter().filter(|word| !word.starts_with('-'));
    sends(ends.next()?, ends.next()?)
}

/// What a line of a file that is across says: `upload: ./big.bin to s3://bucket/big.bin`.
fn closed(text: &str) -> Option<Side> {
    let heads = ["upload: ", "download: ", "move: "];
    let rest = heads.iter().find_map(|head| text.strip_prefix(head))?;
    let (from, to) = rest.split_once(" to ")?;
    sends(from, to)
}

#[cfg(test)]
mod tests {
    use crate::read::taken::whole as read_whole;
    use crate::seen::Side;

    const PROGRESS: &str =
        "Completed 256.0 MiB/~1.0 GiB (38.1 MiB/s) with ~1 file(s) remaining (calculating...)
Completed 1.0 GiB/1.0 GiB (40.0 MiB/s) with 1 file(s) remaining
";

    #[test]
    fn the_last_line_of_progress_is_the_rate() {
        for (text, side) in [
            (
                format!("$ aws s3 cp big.bin s3://bucket/big.bin\n{PROGRESS}"),
                Side::Sender,
            ),
            (
                format!("{PROGRESS}download: s3://bucket/big.bin to ./big.bin\n"),
                Side::Receiver,
            ),
            (PROGRESS.to_owned(), Side::Sender),
        ] {
            let (facts, all) = read_whole(&text);
            assert!(all, "{:?}", facts.ignored);
            let [test] = &facts.tests[..] else {
                panic!("{text}: {:?}", facts.tests)
            };
            let (rate, of) = test.goodput().expect("it has a rate");
            assert_eq!((rate.value, of), (40.0 * 1_048_576.0 * 8.0, side), "{text}");
            assert_eq!(test.streams, 10);
            let notes = facts.notes.join("\n");
            assert!(notes.contains("are assumed"), "{notes}");
            let open = !text.contains("s3://");
            assert_eq!(notes.contains("which way it went"), open, "{notes}");
        }
    }

    #[test]
    fn a_setting_above_it_holds_its_rate() {
        let set = "$ aws configure set default.s3.max_bandwidth 40MB/s\n";
        let text = format!("{set}$ aws s3 cp big.bin s3://bucket/big.bin\n{PROGRESS}");
        let (facts, all) = read_whole(&text);
        assert!(all, "{:?}", facts.ignored);
        let asked = facts.tests[0].numbers.get("application_rate_bps");
        assert_eq!(asked.map(|f| f.value), Some(40.0 * 1_048_576.0 * 8.0));
    }

    #[test]
    fn lines_without_a_rate_are_no_copy() {
        for text in [
            "Completed 3 part(s) with 1 file(s) remaining\n",
            "Completed 1 of 2 (38.1 MiB/s) with care\n",
        ] {
            let (facts, _) = read_whole(text);
            assert!(facts.tests.is_empty(), "{text}");
        }
    }
}
