//! What hosts say of their disks: the closing lines of `dd`, and the tables of `iostat`.

use super::{Facts, Line, Tool};
use crate::fact::{Figure, Of};
use crate::words::{decimal, whole};

/// The state of reading.
#[derive(Default)]
pub(super) struct Disk {
    iostat: bool,
    host: Option<Of>,
    /// Where the busy share stands in the rows of the table that is read.
    column: Option<usize>,
    /// A row of processors comes next.
    processors: bool,
}

impl Tool for Disk {
    fn name(&self) -> &'static str {
        if self.iostat { "iostat" } else { "dd" }
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if records(text) || copied(text).is_some() {
            if !going || self.iostat {
                self.host = None;
            }
            self.iostat = false;
            if let Some((bytes, seconds)) = copied(text) {
                let host = *self.host.get_or_insert_with(|| facts.host());
                facts.exact(host, "disk_bps", bytes * 8.0 / seconds, line.at);
            }
            return true;
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        let heads = words.first().map_or("", |w| w.trim_end_matches(':'));
        let disks = heads == "Device" && words.last() == Some(&"%util");
        if disks || heads == "avg-cpu" && words.last() == Some(&"%idle") {
            if !going || !self.iostat {
                self.host = None;
            }
            self.iostat = true;
            self.processors = !disks;
            self.column = disks.then(|| words.len() - 1);
            return true;
        }
        if !going || !self.iostat {
            return false;
        }
        if self.processors {
            self.processors = false;
            return !words.is_empty() && words.iter().all(|w| decimal(w).is_some());
        }
        let Some(column) = self.column.filter(|c| words.len() == c + 1) else {
            return false;
        };
        let numbers: Option<Vec<f64>> = words[1..].iter().map(|w| decimal(w)).collect();
        let Some(busy) = numbers.as_ref().and_then(|n| n.get(column - 1)) else {
            return false;
        };
        let host = *self.host.get_or_insert_with(|| facts.host());
        facts.number(
            host,
            "disk_busy_ratio",
            Figure::exact((busy / 100.0).clamp(0.0, 1.0), line.at),
        );
        true
    }
}

/// `8192+0 records in`.
fn records(text: &str) -> bool {
    let head = text
        .strip_suffix(" records in")
        .or_else(|| text.strip_suffix(" records out"));
    let counts = head.and_then(|h| h.split_once('+'));
    counts.is_some_and(|(a, b)| whole(a).is_some() && whole(b).is_some())
}

/// Bytes and seconds of `8589934592 bytes (8.6 GB, 8.0 GiB) copied, 229.4 s, 37.4 MB/s`, and of the BSDs' `8589934592 bytes
/// transferred in 229.4 secs (37445225 bytes/sec)`.
fn copied(text: &str) -> Option<(f64, f64)> {
    let (bytes, rest) = text.split_once(" bytes ")?;
    let took = match rest.split_once(" copied, ") {
        Some((_, took)) => took.split_once(" s, ").or(took.split_once(" s,"))?.0,
        None => rest.strip_prefix("transferred in ")?.split_once(" secs")?.0,
    };
    let (bytes, seconds) = (whole(bytes)?, decimal(took)?);
    (bytes > 0 && seconds > 0.0).then_some((bytes as f64, seconds))
}
