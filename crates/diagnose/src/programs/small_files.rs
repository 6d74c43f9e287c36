//! Many small files that one command copies: whether each waits for round trips of its own, by the time that each took.

use crate::advice::Remedy;
use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::flows::flow::Flow;
use crate::items::{Item, step};
use crate::known::System;
use crate::programs::each_file::EachFile;
use crate::read::SHARES;
use crate::seen::{Side, Test};

/// How many files a copy of one file after another consists of.
pub(crate) const COPIED: &str = "copied_files";

/// How many of them go at a time, where it is not one after another.
pub(crate) const AT_ONCE: &str = "copied_at_once";

/// Fewer files say nothing of each.
const FILES_LEAST: f64 = 100.0;

/// Files of so many bytes and fewer, on average, are gone within a round trip or two once their connection is open. A choice.
const SMALL: f64 = 262_144.0;

/// From so many round trips for each file they are what it takes, surely from the second on.
const WAITS: [f64; 2] = [0.7, 1.0];

/// Up to so many they are the path's, and from the second on something else takes most of the time. A choice: Windows opens, sizes, dates and
/// closes each file.
const SERVES: [f64; 2] = [20.0, 40.0];

/// Small files that were copied.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SmallFiles {
    files: EachFile,
    /// How many of them go at a time.
    at_once: f64,
    by: By,
    /// The end on which the program runs that copies them.
    pub(crate) program: Side,
}

/// What copies them.
#[derive(Clone, Copy, Debug, PartialEq)]
enum By {
    /// `robocopy`, to or from a share of SMB.
    Smb,
    Rclone,
    Globus,
    /// What has one file after another: rsync.
    Other,
}

impl By {
    fn of(test: &Test) -> By {
        match test.tool {
            "robocopy" => By::Smb,
            "rclone" => By::Rclone,
            "globus" => By::Globus,
            _ => By::Other,
        }
    }
}

/// The end on which a copy was typed: one that reads a share of another host, and writes none, receives.
fn program(test: &Test) -> Side {
    let [reads, writes] = SHARES.map(|share| test.words.contains_key(share));
    match reads && !writes {
        true => Side::Receiver,
        false => test.client,
    }
}

#[cfg(test)]
impl SmallFiles {
    /// 48 213 files of 6.8 kB, one after another, in 31 min.
    pub(crate) fn example() -> SmallFiles {
        SmallFiles {
            files: EachFile {
                count: 48_213.0,
                bytes: 6_800.0,
                each_s: 0.0386,
            },
            at_once: 1.0,
            by: By::Other,
            program: Side::Sender,
        }
    }
}

impl SmallFiles {
    /// Of a copy that says how many files it copied and how long that took.
    fn of(test: &Test) -> Option<SmallFiles> {
        let count = test.numbers.get(COPIED)?.value;
        let report = test.sent.as_ref().or(test.received.as_ref())?;
        let at_once = test.numbers.get(AT_ONCE).map_or(1.0, |n| n.value.max(1.0));
        let files = EachFile {
            count,
            bytes: report.goodput.value * report.seconds / 8.0 / count.max(1.0),
            each_s: at_once * report.seconds / count.max(1.0),
        };
        let of = SmallFiles {
            files,
            at_once,
            by: By::of(test),
            program: program(test),
        };
        (count >= FILES_LEAST && files.each_s > 0.0 && files.bytes <= SMALL).then_some(of)
    }

    /// What has several of them under way at a time, or makes one of them all.
    pub(crate) fn remedy(self) -> Remedy {
        let commands = match self.by {
            By::Smb => [
                "robocopy with /MT:32: 32 files at a time, each with round trips of its own",
                "or one archive in place of the files: tar -cf ARCHIVE FOLDER (Windows 10 and later have it), copied as one file and unpacked there",
            ],
            By::Rclone => [
                "rclone with --transfers 32 --checkers 32: 32 files at a time, each with round trips of its own",
                "or one archive in place of the files: tar -cf - FOLDER | rclone rcat REMOTE:ARCHIVE",
            ],
            By::Globus => [
                "one archive in place of the files: tar -cf ARCHIVE FOLDER at the source, moved as one file and unpacked where it goes",
                "or more files at a time: several tasks side by side, each of a part of the folders, and at managed endpoints a higher network use (globus-connect-server endpoint update --network-use aggressive)",
            ],
            By::Other => [
                "a first copy as one stream: tar -C FOLDER -cf - . | ssh HOST tar -C FOLDER -xf -",
                "or several of rsync side by side, each with a folder of its own: ls FOLDER | xargs -P 8 -I{} rsync -a FOLDER/{} HOST:FOLDER/",
            ],
        };
        Remedy {
            commands: commands.map(str::to_owned).to_vec(),
            risk: "disks with moving heads take more time for many files at once".to_owned(),
            ..Remedy::default()
        }
    }

    /// What they wait for, by the round trips that each takes: how surely it is those, and in words.
    fn waits(self, rtt_s: Option<f64>) -> (f64, String) {
        let (rounds, text) = self.files.rounds(rtt_s.filter(|rtt| *rtt > 0.0));
        let text = match self.at_once > 1.0 {
            true => format!("{:.0} at a time, {text}", self.at_once),
            false => text,
        };
        let Some(rounds) = rounds else {
            return (0.0, text);
        };
        let holds = step(rounds, WAITS[0], WAITS[1]) * (1.0 - step(rounds, SERVES[0], SERVES[1]));
        let means = match (holds > SAID, self.by) {
            (true, By::Smb) => {
                "one file after another, each of which is opened, written and closed in round trips of its own"
            }
            (true, By::Rclone | By::Globus) => "each file waits for answers or a disk of its own",
            (true, By::Other) => {
                "one file after another, each of which waits for an answer or a disk"
            }
            (false, _) if rounds < 1.0 => {
                "less than one each, so that files do not wait for the path: the disks of both ends come first"
            }
            (false, _) => "the server, its disks or a scanner of files take most of the time",
        };
        (holds, format!("{text}: {means}"))
    }
}

/// What holds more than this is said to be so.
const SAID: f64 = 0.3;

impl Evidence {
    /// Takes what a copy says of its files, and the system that its program runs on.
    pub(crate) fn of_small_files(&mut self, flow: &Flow) {
        let test = flow.test.as_ref();
        self.around.small_files = test.and_then(SmallFiles::of);
        let sends = |test: &Test| test.tool == "robocopy" && test.client == Side::Sender;
        self.around.by_windows = test.is_some_and(sends);
    }

    /// The system of the program that sends: `robocopy` is one of Windows.
    pub(crate) fn sends_on(&self) -> Option<System> {
        let windows = self.around.by_windows.then_some(System::Windows);
        self.systems[0].or(windows)
    }
}

/// Weighs what small files wait for.
pub(crate) fn by_small_files(e: &Evidence, items: &mut Vec<Item>) {
    let Some(of) = e.around.small_files else {
        return;
    };
    let (holds, sentence) = of.waits(e.rtt_by_itself().map(|rtt| rtt.value));
    // Who has a share opened needs several answers for each file; rsync asks ahead, and may wait for a disk.
    let worth = if of.by == By::Smb { 40.0 } else { 25.0 };
    items.push(Item {
        holds,
        weights: vec![
            (Cause::Application, worth),
            (Cause::ReceiveWindow, -10.0),
            (Cause::SendBuffer, -10.0),
            (Cause::NoWindowScaling, -10.0),
        ],
        sentence: sentence.clone(),
    });
    if holds <= SAID {
        items.push(Item {
            holds: 1.0,
            weights: Vec::new(),
            sentence,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 40 211 files of 32.8 kB in 2 h 31 min.
    fn files(by: By) -> SmallFiles {
        SmallFiles {
            files: EachFile {
                count: 40_211.0,
                bytes: 32_800.0,
                each_s: 0.225,
            },
            at_once: 1.0,
            by,
            program: Side::Sender,
        }
    }

    #[test]
    fn the_round_trips_of_each_file_say_what_it_waits_for() {
        let (holds, says) = files(By::Smb).waits(Some(0.028));
        assert!(holds == 1.0 && says.contains("8.0 round trips"), "{says}");
        // Over a path of 1 ms it is not the path.
        let (holds, says) = files(By::Smb).waits(Some(0.001));
        assert!(holds == 0.0 && says.contains("a scanner"), "{says}");
        let (holds, says) = files(By::Other).waits(Some(0.5));
        assert!(holds == 0.0 && says.contains("less than one"), "{says}");
        assert_eq!(files(By::Other).waits(None).0, 0.0);
    }
}
