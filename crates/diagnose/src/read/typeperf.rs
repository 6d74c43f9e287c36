//! `typeperf` of Windows: how busy disks and processors were, a row for each second, as CSV of its performance counters.

use super::{Facts, HEADED, Line, Tool};
use crate::fact::{Of, Place};
use crate::words::{decimal, whole};

/// The state of reading.
#[derive(Default)]
pub(super) struct Typeperf {
    host: Option<Of>,
    /// The columns behind that of the time.
    columns: Vec<Column>,
}

/// A column: the counter, of which disk or processor, and its values so far.
struct Column {
    counter: Counter,
    instance: String,
    sum: f64,
    count: u32,
}

/// What a column counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counter {
    /// Share of the time in which a disk was busy, percent.
    Disk,
    /// Bytes read from a disk in a second.
    Read,
    /// Bytes written to a disk in a second.
    Written,
    /// Share of the time in which a processor was busy, percent.
    Processor,
    /// Anything else.
    Other,
}

/// How its head begins.
const HEAD: &str = "\"(PDH-CSV 4.0)";

/// What it says behind its rows.
const BEHIND: [&str; 2] = ["The command completed successfully", "Exiting, please wait"];

/// The counters that are read, by object and name, in lower case.
const COUNTERS: [(&str, &str, Counter); 5] = [
    ("physicaldisk", "% disk time", Counter::Disk),
    ("physicaldisk", "disk read bytes/sec", Counter::Read),
    ("physicaldisk", "disk write bytes/sec", Counter::Written),
    ("processor", "% processor time", Counter::Processor),
    (
        "processor information",
        "% processor time",
        Counter::Processor,
    ),
];

/// All disks, or all processors, together.
const TOTAL: &str = "_Total";

/// Processors that are so busy on average are all full; one that is less busy than the second is idle.
const FULL: f64 = 0.95;
const IDLE: f64 = 0.1;

/// Most columns that are kept.
const COLUMNS_MAX: usize = 4096;

impl Tool for Typeperf {
    fn name(&self) -> &'static str {
        "typeperf"
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if text.starts_with(HEAD) {
            self.begin(text, line.at, facts);
            return true;
        }
        if !going {
            return false;
        }
        if BEHIND.iter().any(|begin| text.starts_with(begin)) {
            return true;
        }
        self.row(text, line.at, facts)
    }
}

impl Typeperf {
    /// The head of a table: its columns, and the host that they are of.
    fn begin(&mut self, text: &str, at: Place, facts: &mut Facts) {
        self.host = None;
        let paths: Vec<&str> = fields(text).into_iter().flatten().skip(1).collect();
        let kept = paths.iter().take(COLUMNS_MAX);
        self.columns = kept.map(|path| Column::of(path)).collect();
        if self.columns.iter().all(|c| c.counter == Counter::Other) {
            return;
        }
        let host = facts.host();
        facts.word(host, "system", "windows", at);
        let name = paths.iter().find_map(|path| {
            let (name, _) = path.strip_prefix("\\\\")?.split_once('\\')?;
            Some(name)
        });
        if let Some(name) = name.filter(|name| !name.is_empty()) {
            facts.word(host, HEADED, &crate::redact(name), at);
            facts.names(host, name);
        }
        self.host = Some(host);
    }

    /// A row: the time, and a value for each column, which may be missing.
    fn row(&mut self, text: &str, at: Place, facts: &mut Facts) -> bool {
        let Some(all) = fields(text) else {
            return false;
        };
        let is_time = all.first().is_some_and(|time| time.contains(':'));
        if !is_time || all.len() != self.columns.len() + 1 {
            return false;
        }
        for (column, value) in self.columns.iter_mut().zip(&all[1..]) {
            // Some languages write a comma in numbers.
            if let Some(value) = decimal(&value.replace(',', ".")) {
                column.sum += value;
                column.count += 1;
            }
        }
        if let Some(host) = self.host {
            self.of_disks(host, at, facts);
            self.of_processors(host, at, facts);
        }
        true
    }

    /// The means so far of a counter of one disk or processor each.
    fn means(&self, counter: Counter) -> impl Iterator<Item = (&str, f64)> {
        let is_one = move |c: &&Column| c.counter == counter && !c.instance.ends_with(TOTAL);
        let all = self.columns.iter().filter(is_one);
        all.filter_map(|c| Some((c.instance.as_str(), c.mean()?)))
    }

    /// What the busiest disk shows: one that waits hides no other.
    fn of_disks(&self, host: Of, at: Place, facts: &mut Facts) {
        let all = self.means(Counter::Disk);
        let Some((disk, percent)) = all.max_by(|a, b| a.1.total_cmp(&b.1)) else {
            return;
        };
        // Several requests at a time count several times.
        let busy = (percent / 100.0).min(1.0);
        facts.exact(host, "disk_busy_ratio", busy, at);
        let ways = [
            ("disk_read_bps", Counter::Read),
            ("disk_written_bps", Counter::Written),
        ];
        for (name, counter) in ways {
            let moved = self.means(counter).find(|(of, _)| *of == disk);
            let bytes = moved.map_or(0.0, |(_, bytes)| bytes);
            facts.exact(host, name, bytes * 8.0, at);
        }
    }

    /// What the busiest processor shows; the mean of all is one where each is full.
    fn of_processors(&self, host: Of, at: Place, facts: &mut Facts) {
        let each = || self.means(Counter::Processor);
        if let Some((name, percent)) = each().max_by(|a, b| a.1.total_cmp(&b.1)) {
            facts.exact(host, "cpu_ratio", (percent / 100.0).min(1.0), at);
            facts.word(host, "cpu_program", "", at);
            // Of several groups, `0,3` is the fourth of the first.
            if let Some(number) = whole(name) {
                facts.exact(host, "cpu_number", number as f64, at);
                let idle = each().filter(|(_, percent)| percent / 100.0 < IDLE);
                facts.exact(host, "cpu_idle_count", idle.count() as f64, at);
            }
            return;
        }
        let mut all = self.columns.iter();
        let all = all.find(|c| c.counter == Counter::Processor && c.instance == TOTAL);
        if let Some(percent) = all.and_then(Column::mean).filter(|p| p / 100.0 > FULL) {
            facts.exact(host, "cpu_ratio", (percent / 100.0).min(1.0), at);
            facts.word(host, "cpu_program", "", at);
        }
    }
}

impl Column {
    /// Of `\\HOST\PhysicalDisk(0 C:)\% Disk Time`.
    fn of(path: &str) -> Column {
        let (counter, instance) = counted(path).unwrap_or((Counter::Other, ""));
        Column {
            counter,
            instance: instance.to_owned(),
            sum: 0.0,
            count: 0,
        }
    }

    fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / f64::from(self.count))
    }
}

/// The counter of a path, and its disk or processor; none of one that is not read.
fn counted(path: &str) -> Option<(Counter, &str)> {
    let (_, rest) = path.strip_prefix("\\\\")?.split_once('\\')?;
    let (object, rest) = rest.split_once('(')?;
    let (instance, name) = rest.split_once(")\\")?;
    let is = |known: &&(&str, &str, Counter)| {
        object.eq_ignore_ascii_case(known.0) && name.eq_ignore_ascii_case(known.1)
    };
    let (.., counter) = COUNTERS.iter().find(is)?;
    Some((*counter, instance))
}

/// The fields of a line, each between quotes; none of another line.
fn fields(text: &str) -> Option<Vec<&str>> {
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    Some(inner.split("\",\"").collect())
}

#[cfg(test)]
mod tests {
    use crate::fact::Of;
    use crate::flows::flow::{number, word};
    use crate::read::taken::whole as facts;
    use crate::read::{Facts, HEADED};

    fn value(facts: &Facts, name: &'static str) -> Option<f64> {
        number(facts, Of::Host(0), name).map(|n| n.value)
    }

    /// E: was busy all the time, and wrote 97 MB/s; all disks together are none.
    #[test]
    fn the_busiest_disk_is_read() {
        let text = "C:\\>typeperf \"\\PhysicalDisk(*)\\% Disk Time\" \"\\PhysicalDisk(*)\\Disk Write Bytes/sec\" -sc 2\n\n\"(PDH-CSV 4.0)\",\"\\\\FS2\\PhysicalDisk(0 C:)\\% Disk Time\",\"\\\\FS2\\PhysicalDisk(1 E:)\\% Disk Time\",\"\\\\FS2\\PhysicalDisk(_Total)\\% Disk Time\",\"\\\\FS2\\PhysicalDisk(0 C:)\\Disk Write Bytes/sec\",\"\\\\FS2\\PhysicalDisk(1 E:)\\Disk Write Bytes/sec\"\n\"11/30/2026 02:11:01.001\",\"0.200000\",\"98.000000\",\"149.000000\",\"8121.000000\",\"96000000.000000\"\n\"11/30/2026 02:11:02.001\",\"0.400000\",\"100.000000\",\"150.000000\",\" \",\"98000000.000000\"\nThe command completed successfully.\n";
        let (facts, whole) = facts(text);
        assert!(whole, "{:?}", facts.ignored);
        assert_eq!(value(&facts, "disk_busy_ratio"), Some(0.99));
        assert_eq!(value(&facts, "disk_written_bps"), Some(776e6));
        assert_eq!(value(&facts, "disk_read_bps"), Some(0.0));
        let name = word(&facts, Of::Host(0), HEADED);
        assert_eq!(name.map(|(name, _)| name), Some("FS2"));
    }

    #[test]
    fn the_busiest_processor_is_read() {
        let text = "\"(PDH-CSV 4.0)\",\"\\\\W1\\Processor(0)\\% Processor Time\",\"\\\\W1\\Processor(1)\\% Processor Time\",\"\\\\W1\\Processor(_Total)\\% Processor Time\"\n\"11/30/2026 02:11:01.001\",\"2.0\",\"99.0\",\"50.5\"\nExiting, please wait...\n";
        let (facts, whole) = facts(text);
        assert!(whole, "{:?}", facts.ignored);
        assert_eq!(value(&facts, "cpu_ratio"), Some(0.99));
        assert_eq!(value(&facts, "cpu_number"), Some(1.0));
        assert_eq!(value(&facts, "cpu_idle_count"), Some(1.0));
    }

    /// Other counters, rows of another length and other CSV are left.
    #[test]
    fn other_tables_say_nothing() {
        let head = "\"(PDH-CSV 4.0)\",\"\\\\W1\\PhysicalDisk(0 C:)\\% Disk Time\"\n";
        for (text, read_whole) in [
            (
                "\"(PDH-CSV 4.0)\",\"\\\\W1\\System\\Threads\"\n\"11/30/2026 02:11:01.001\",\"812.0\"\n".to_owned(),
                true,
            ),
            (format!("{head}\"11/30/2026 02:11:01.001\",\"1.0\",\"2.0\"\n"), false),
            (format!("{head}\"disk\",\"1.0\"\n"), false),
        ] {
            let (facts, whole) = facts(&text);
            assert_eq!(whole, read_whole, "{text}");
            assert_eq!(value(&facts, "disk_busy_ratio"), None, "{text}");
        }
    }
}
