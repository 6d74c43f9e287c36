//! `globus task show` of Globus: the bytes of a transfer between two endpoints, and its mean rate.

use super::{Facts, Line, NOTES_MAX, Tool};
use crate::fact::Figure;
use crate::programs::small_files::{AT_ONCE, COPIED};
use crate::seen::{Report, Test};
use crate::words::whole;

/// The tool's name.
const TOOL: &str = "globus";

/// Connections side by side: the service opens several for each file, and moves several files at a time; it prints neither.
const STREAMS: u32 = 8;

/// Files that are taken to move at a time, with four of these connections each.
const FILES_AT_ONCE: u32 = 2;

/// The line with which it is known to begin.
const FIRST: &str = "Task ID";

/// What its other lines state.
const KEYS: [&str; 27] = [
    "Label",
    "Is Paused",
    "Type",
    "Directories",
    "Files",
    "Status",
    "Request Time",
    "Completion Time",
    "Faults",
    "Total Subtasks",
    "Subtasks Succeeded",
    "Subtasks Pending",
    "Subtasks Retrying",
    "Subtasks Failed",
    "Subtasks Canceled",
    "Subtasks Expired",
    "Subtasks with Skipped Errors",
    "Deadline",
    "Details",
    "Source Endpoint",
    "Source Endpoint ID",
    "Destination Endpoint",
    "Destination Endpoint ID",
    "Source Local User",
    "Destination Local User",
    BYTES,
    RATE,
];
const BYTES: &str = "Bytes Transferred";
const RATE: &str = "Bytes Per Second";

/// The state of reading: what was said of the task that is read.
#[derive(Default)]
pub(super) struct GlobusTask {
    open: bool,
    ends: [String; 2],
    bytes: Option<u64>,
    /// All of its files, and the parts of it that are done: files, and folders with them.
    files: Option<u64>,
    done: Option<u64>,
}

impl Tool for GlobusTask {
    fn name(&self) -> &'static str {
        TOOL
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let Some((key, value)) = line.bare.split_once(':') else {
            return false;
        };
        let value = value.trim();
        if key == FIRST {
            *self = GlobusTask {
                open: is_id(value),
                ..GlobusTask::default()
            };
            return self.open;
        }
        if !self.open || !going || !KEYS.contains(&key) {
            return false;
        }
        match key {
            "Source Endpoint" => self.ends[0] = crate::redact(value),
            "Destination Endpoint" => self.ends[1] = crate::redact(value),
            "Files" => self.files = whole(value),
            "Subtasks Succeeded" => self.done = whole(value),
            BYTES => self.bytes = whole(value).filter(|bytes| *bytes > 0),
            RATE => self.close(value, line, facts),
            _ => {}
        }
        true
    }
}

impl GlobusTask {
    /// Files that have moved.
    fn across(&self) -> Option<u64> {
        let files = self.files?;
        Some(self.done.map_or(files, |done| done.min(files)))
    }

    /// Hands over the transfer, whose mean rate this is.
    fn close(&mut self, rate: &str, line: Line<'_>, facts: &mut Facts) {
        let rate = whole(rate).filter(|rate| *rate > 0);
        let (Some(bytes), Some(rate)) = (self.bytes.take(), rate) else {
            return;
        };
        let mut test = Test::new(TOOL, line.at);
        let [from, to] = &self.ends;
        if !from.is_empty() && !to.is_empty() {
            test.name = format!("{from} to {to}");
        }
        test.streams = STREAMS;
        test.received = Some(Report {
            goodput: Figure::exact(8.0 * rate as f64, line.at),
            bytes: Some(Figure::exact(bytes as f64, line.at)),
            seconds: bytes as f64 / rate as f64,
        });
        if let Some(files) = self.across() {
            test.set(COPIED, Figure::exact(files as f64, line.at));
            test.set(AT_ONCE, Figure::exact(f64::from(FILES_AT_ONCE), line.at));
        }
        facts.tests.push(test);
        if facts.notes.len() < NOTES_MAX {
            let note = format!(
                "{}: Globus has several connections side by side, and does not print how many: {STREAMS} are assumed, for {FILES_AT_ONCE} files at a time; its rate is the mean of all of the task's time, with waits and checksums",
                facts.place(line.at)
            );
            facts.notes.push(note);
        }
    }
}

/// Whether a value is the number of a task, `5f1c8a3e-ae01-11ef-8a11-0a1b2c3d4e5f`.
fn is_id(value: &str) -> bool {
    let lengths = value.split('-').map(str::len);
    let is_of = |c: char| c.is_ascii_hexdigit() || c == '-';
    lengths.eq([8, 4, 4, 4, 12]) && value.chars().all(is_of)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::taken::taken;

    /// A task of this rate, bytes a second.
    fn task(rate: &str) -> String {
        format!(
            "Task ID:                      5f1c8a3e-ae01-11ef-8a11-0a1b2c3d4e5f\nIs Paused:                    False\nType:                         TRANSFER\nStatus:                       ACTIVE\nRequest Time:                 2026-11-29T22:10:11+00:00\nFaults:                       0\nDetails:                      OK\nSource Endpoint:              EX DTN cluster\nSource Endpoint ID:           ddb59aef-6d04-11e5-ba46-22000b92c6ec\nDestination Endpoint:         HPSS\nBytes Transferred:            921000000000\nBytes Per Second:             {rate}\n"
        )
    }

    #[test]
    fn a_task_is_a_transfer_of_several_connections() {
        let facts = taken(GlobusTask::default(), &task("51166666"));
        let [test] = &facts.tests[..] else {
            panic!("{:?}", facts.tests)
        };
        let rate = test.goodput().map(|(rate, _)| rate.value);
        assert_eq!(rate, Some(409_333_328.0));
        assert_eq!(test.name, "EX DTN cluster to HPSS");
        assert_eq!(test.streams, STREAMS);
        assert!(
            facts.notes[0].contains("8 are assumed"),
            "{:?}",
            facts.notes
        );
    }

    #[test]
    fn files_that_have_moved_are_counted() {
        let counted = task("51166666").replace(
            "Faults: ",
            "Files: 1281167\nSubtasks Succeeded: 402122\nFaults: ",
        );
        let facts = taken(GlobusTask::default(), &counted);
        let of = |name| facts.tests[0].numbers.get(name).map(|f| f.value);
        assert_eq!((of(COPIED), of(AT_ONCE)), (Some(402_122.0), Some(2.0)));
    }

    #[test]
    fn what_has_not_begun_has_no_rate() {
        let facts = taken(GlobusTask::default(), &task("0"));
        assert!(facts.tests.is_empty());
        for other in ["1717", "5f1c8a3e", "zzzzzzzz-ae01-11ef-8a11-0a1b2c3d4e5f"] {
            assert!(!is_id(other), "{other}");
        }
    }
}
