//! What hosts say of their processors: the tables of `top`, `mpstat`, `pidstat`, `vmstat` and `sar -P ALL`.

use std::collections::BTreeMap;

use super::{Facts, Line, Tool};
use crate::fact::{Of, Place};
use crate::hosts::core::{ALL, is_tunnel};
use crate::words::{decimal, whole};

/// The facts of what was read back from swap and written to it, bit/s.
pub(crate) const SWAPPED: [&str; 2] = ["swap_in_bps", "swap_out_bps"];

/// The state of reading.
#[derive(Default)]
pub(super) struct Processor {
    kind: &'static str,
    host: Option<Of>,
    /// Nothing but the line that names the host was read of its table.
    headed: bool,
    /// The heads of the columns of the table that is read.
    columns: Vec<String>,
    /// The host has one processor, by the head.
    single: bool,
    /// The next row of `vmstat` is its first.
    first: bool,
    /// How busy all processors were, by the line above the rows of `top`, where all were full.
    all: Option<(f64, Place)>,
    /// The last row of each program or processor.
    rows: BTreeMap<String, Row>,
    /// Rows of the last table that have most of a processor.
    large: usize,
}

/// What a row says of a program or a processor.
#[derive(Clone, Copy)]
struct Row {
    /// Share of the time of a processor.
    share: f64,
    /// Of a processor: soft interrupts, what the hypervisor took, and the kernel's own work.
    parts: [f64; 3],
    at: Place,
}

/// Names of the facts of a processor's parts, as columns have them and as facts are called.
const PARTS: [(&str, &str); 3] = [
    ("%soft", "cpu_soft_ratio"),
    ("%steal", "cpu_steal_ratio"),
    ("%sys", "cpu_system_ratio"),
];

/// The kernel's own work as `sar` heads it, which has interrupts in it (sar (1)).
const SYSTEM_OF_SAR: &str = "%system";

/// Processors that are so busy on average are all full.
const FULL: f64 = 0.95;

/// A program that has more than this has most of a processor.
const MOST: f64 = 0.5;

/// A processor that is less busy than this is idle.
const IDLE: f64 = 0.1;

/// Most programs and processors of a host.
const ROWS_MAX: usize = 4096;

/// Bits of a KiB.
const KIB: f64 = 8192.0;

/// More of one processor than this is that of several threads: how much the busiest has is not said.
const ONE: f64 = 1.1;

impl Tool for Processor {
    fn name(&self) -> &'static str {
        if self.kind.is_empty() {
            "top"
        } else {
            self.kind
        }
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let words: Vec<&str> = line.bare.split_whitespace().collect();
        if let Some(kind) = heads(&words) {
            self.begin(kind, going);
            self.columns = words.iter().map(|w| (*w).to_owned()).collect();
            self.large = 0;
            return true;
        }
        if let Some(kind) = above(line.bare) {
            self.begin(kind, going);
            // An empty line may stand before the table, and what a prompt says ends there.
            let host = *self.host.get_or_insert_with(|| facts.host());
            self.single = line.bare.ends_with("(1 CPU)");
            if let Some(percent) = line.bare.strip_prefix("%Cpu(s):") {
                let busy = of_top(host, percent, line.at, facts);
                self.all = busy.map(|busy| (busy, line.at));
            }
            self.headed = line.bare.starts_with("Linux ");
            if self.headed {
                facts.head = Some((line.at, host));
            }
            if let Some(name) = host_of(line.bare) {
                facts.word(host, HEADED, &crate::redact(name), line.at);
                facts.names(host, name);
            }
            return true;
        }
        if self.kind == "vmstat" {
            return going && self.of_vmstat(&words, line.at, facts);
        }
        let named = self.row(&words).filter(|_| going);
        let Some((name, share)) = named else {
            return false;
        };
        // The mean of all processors is one where each is full, or where there is one.
        let whole_host = name == "all" && (share > FULL || self.single);
        if name == "all" && !whole_host || share > ONE {
            return true;
        }
        let name = if whole_host { "0".to_owned() } else { name };
        let host = *self.host.get_or_insert_with(|| facts.host());
        self.large += usize::from(share > MOST);
        if self.rows.len() < ROWS_MAX || self.rows.contains_key(&name) {
            let row = Row {
                share: share.min(1.0),
                parts: self.parts(&words),
                at: line.at,
            };
            self.rows.insert(name, row);
        }
        self.busiest(host, facts);
        true
    }
}

impl Processor {
    /// What the busiest program or processor of a host shows. Where all processors are full and no program has as much of one, what they do
    /// counts; the busiest of them is named where it carries a tunnel, which works on all of them, and where it alone fills one.
    fn busiest(&self, host: Of, facts: &mut Facts) {
        let busiest = self
            .rows
            .iter()
            .max_by(|a, b| a.1.share.total_cmp(&b.1.share));
        let Some((name, Row { share, parts, at })) = busiest else {
            return;
        };
        if let Some((all, at)) = self.all.filter(|(all, _)| all > share) {
            let alone = self.large == 1 && *share > FULL;
            let program = if alone || is_tunnel(name, "") {
                name.as_str()
            } else {
                ""
            };
            facts.exact(host, "cpu_ratio", all, at);
            facts.word(host, "cpu_program", program, at);
            return;
        }
        facts.exact(host, "cpu_ratio", *share, *at);
        if self.single && self.kind != "mpstat" && *share > FULL {
            facts.exact(host, ALL, *share, *at);
        }
        if let Some(number) = whole(name).filter(|_| self.kind == "mpstat") {
            facts.exact(host, "cpu_number", number as f64, *at);
            for ((_, fact), part) in PARTS.iter().zip(parts) {
                facts.exact(host, fact, *part, *at);
            }
            let idle = self.rows.values().filter(|r| r.share < IDLE).count();
            facts.exact(host, "cpu_idle_count", idle as f64, *at);
        }
        let program = if self.kind == "mpstat" {
            ""
        } else {
            name.as_str()
        };
        facts.word(host, "cpu_program", program, *at);
    }

    fn begin(&mut self, kind: &'static str, going: bool) {
        // One line heads the tables of several tools.
        let same = self.kind == kind || self.headed && self.rows.is_empty();
        self.headed = false;
        if !going || !same {
            self.host = None;
            self.rows.clear();
            self.columns.clear();
            self.all = None;
            self.first = true;
        }
        self.kind = kind;
    }

    /// A row of `vmstat`, which is of all processors. The first one is of all the time since the machine was started, and says nothing of
    /// a test.
    fn of_vmstat(&mut self, words: &[&str], at: Place, facts: &mut Facts) -> bool {
        let counts = words.first().is_some_and(|word| whole(word).is_some());
        if self.columns.is_empty() || words.len() < self.columns.len() || !counts {
            return false;
        }
        if core::mem::take(&mut self.first) {
            return true;
        }
        let value = |name: &str| {
            let column = self.columns.iter().position(|c| c == name)?;
            decimal(words.get(column)?)
        };
        let of = |name: &str| value(name).map(|percent| percent / 100.0);
        // KiB a second (vmstat (8)).
        let swapped = ["si", "so"].map(value);
        let all = Shares {
            idle: of("id"),
            waits: of("wa"),
            soft: None,
            steal: of("st"),
        };
        let host = *self.host.get_or_insert_with(|| facts.host());
        if let [Some(back), Some(out)] = swapped
            && back + out > 0.0
        {
            facts.exact(host, SWAPPED[0], back * KIB, at);
            facts.exact(host, SWAPPED[1], out * KIB, at);
        }
        of_all(host, all, at, facts);
        true
    }

    /// A column that is counted from the end: times and "Average:" in front are of one word or two.
    fn behind<'w>(&self, words: &[&'w str], name: &str) -> Option<&'w str> {
        let at = self.columns.iter().position(|c| c == name)?;
        let left = self.columns.len() - at;
        words.len().checked_sub(left).map(|n| words[n])
    }

    /// What interrupts, the hypervisor and the kernel took of a processor, as shares of its time.
    fn parts(&self, words: &[&str]) -> [f64; 3] {
        PARTS.map(|(column, _)| {
            let of_sar = (column == "%sys").then_some(SYSTEM_OF_SAR);
            let mut columns = [column].into_iter().chain(of_sar);
            let share = columns.find_map(|name| self.behind(words, name).and_then(decimal));
            share.unwrap_or(0.0) / 100.0
        })
    }

    /// The program or processor of a row, and the share of a processor that it used.
    fn row(&self, words: &[&str]) -> Option<(String, f64)> {
        let column = |name: &str| self.columns.iter().position(|c| c == name);
        // Those of `top` are counted from the front: its last is a command of any length.
        let behind = |name: &str| self.behind(words, name);
        match self.kind {
            "top" => {
                // FreeBSD's is `98.05%`.
                let share = words.get(column("%CPU").or_else(|| column("WCPU"))?)?;
                let share = decimal(share.trim_end_matches('%'))?;
                whole(words.first()?)?;
                Some((
                    (*words.get(self.columns.len() - 1)?).to_owned(),
                    share / 100.0,
                ))
            }
            "pidstat" => {
                whole(behind("PID").or_else(|| behind("TGID"))?)?;
                let share = decimal(behind("%CPU")?)?;
                Some((
                    words.last()?.trim_start_matches("|__").to_owned(),
                    share / 100.0,
                ))
            }
            "mpstat" => {
                let idle = decimal(behind("%idle")?)?;
                let waits = behind("%iowait").and_then(decimal).unwrap_or(0.0);
                let name = behind("CPU")?;
                let is_row = name == "all" || whole(name).is_some();
                is_row.then(|| (name.to_owned(), (1.0 - (idle + waits) / 100.0).max(0.0)))
            }
            _ => None,
        }
    }
}

/// Shares of the time of all processors, 0 to 1; none where a text does not say them.
#[derive(Clone, Copy)]
struct Shares {
    idle: Option<f64>,
    /// Waiting for disks.
    waits: Option<f64>,
    /// In soft interrupts.
    soft: Option<f64>,
    /// The hypervisor took it.
    steal: Option<f64>,
}

/// The line of `top` that sums up all processors: `%Cpu(s):  3.0 us, 22.0 sy, 0.0 ni, 0.0 id, 0.0 wa, 0.0 hi, 11.0 si, 64.0 st`.
fn of_top(host: Of, percent: &str, at: Place, facts: &mut Facts) -> Option<f64> {
    let of = |name: &str| {
        let mut parts = percent.split(',').map(str::trim);
        let part = parts.find_map(|p| p.strip_suffix(name))?;
        Some(decimal(part.trim())? / 100.0)
    };
    let all = Shares {
        idle: of(" id"),
        waits: of(" wa"),
        soft: of(" si"),
        steal: of(" st"),
    };
    of_all(host, all, at, facts)
}

/// What all processors did together says of each of them where all are full: how busy they were, 0 to 1.
fn of_all(host: Of, all: Shares, at: Place, facts: &mut Facts) -> Option<f64> {
    if let Some(taken) = all.steal {
        facts.exact(host, "cpu_steal_all_ratio", taken, at);
    }
    let busy = 1.0 - all.idle? - all.waits?;
    let full = busy > FULL;
    if full {
        facts.exact(host, "cpu_ratio", busy, at);
        facts.exact(host, ALL, busy, at);
        facts.exact(host, "cpu_number", 0.0, at);
        facts.exact(host, PARTS[0].1, all.soft.unwrap_or(0.0), at);
        facts.exact(host, PARTS[1].1, all.steal.unwrap_or(0.0), at);
        facts.exact(host, "cpu_idle_count", 0.0, at);
        facts.word(host, "cpu_program", "", at);
    }
    full.then_some(busy)
}

/// The tool whose table has these heads.
fn heads(words: &[&str]) -> Option<&'static str> {
    let has = |word| words.contains(&word);
    match words {
        ["PID", ..] if words.last() == Some(&"COMMAND") && (has("%CPU") || has("WCPU")) => {
            Some("top")
        }
        _ if has("PID") && has("%CPU") && words.last() == Some(&"Command") => Some("pidstat"),
        ["r", "b", ..] if has("us") && has("id") && has("wa") && has("st") => Some("vmstat"),
        _ if has("CPU") && (has("%usr") || has("%user")) && has("%idle") => Some("mpstat"),
        _ => None,
    }
}

/// The fact of the host's name in a head.
pub(crate) const HEADED: &str = "host_name";

/// The host of a head: `Linux 6.1.0-18-amd64 (rx)  11/27/2026 _x86_64_ (8 CPU)`.
fn host_of(text: &str) -> Option<&str> {
    let name = crate::words::between(text.strip_prefix("Linux ")?, " (", ")")?;
    (!name.is_empty() && !name.contains(' ')).then_some(name)
}

/// The tool that prints this above its table.
fn above(text: &str) -> Option<&'static str> {
    let top = text.starts_with("top - ") && text.contains(" load average:")
        || [
            "Tasks: ",
            "Threads: ",
            "%Cpu",
            "MiB Mem ",
            "MiB Swap",
            "KiB Mem ",
            "KiB Swap",
        ]
        .iter()
        .any(|begin| text.starts_with(begin) && text.contains(','));
    if top {
        return Some("top");
    }
    if text.starts_with("procs -") && text.contains("-cpu-") {
        return Some("vmstat");
    }
    (text.starts_with("Linux ") && text.ends_with(" CPU)")).then_some("mpstat")
}

#[cfg(test)]
mod tests {
    use crate::fact::Of;
    use crate::flows::flow::{number, word};
    use crate::read::{Source, read};

    /// A host with one processor: the program that fills it is named, and where several have most of one none is.
    #[test]
    fn the_program_that_alone_fills_a_full_host_is_named() {
        let head = "nas# top -b -n1 | head -12\n%Cpu(s): 92.1 us,  6.9 sy,  0.0 ni,  0.6 id,  0.0 wa,  0.0 hi,  0.4 si,  0.0 st\n\n  PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND\n 2211 backup    20   0   12112    5112   3120 R  96.7   1.0   2:11.20 sshd\n";
        let second =
            " 2212 backup    20   0   12112    5112   3120 R  96.1   1.0   2:11.20 stress\n";
        for (text, program) in [(head.to_owned(), "sshd"), (format!("{head}{second}"), "")] {
            let facts = read(&[Source {
                name: "t.txt".to_owned(),
                bytes: text.as_bytes().to_vec(),
            }]);
            let name = word(&facts, Of::Host(0), "cpu_program");
            assert_eq!(name.map(|(name, _)| name), Some(program), "{text}");
        }
    }

    /// FreeBSD has the share under `WCPU`, with its sign; macOS prints the columns that were asked for.
    #[test]
    fn top_of_freebsd_and_of_macos_is_read() {
        for (text, program) in [
            (
                "fs# top -H\n  PID USERNAME    PRI NICE   SIZE    RES STATE    C   TIME    WCPU COMMAND\n  812 root         52    0    17M  7120K CPU1     1   0:12  98.50% nginx\n",
                "nginx",
            ),
            (
                "mac$ top -l 2 -o cpu -stats pid,cpu,command\nPID  %CPU COMMAND\n812  98.5 iperf3\n",
                "iperf3",
            ),
        ] {
            let facts = read(&[Source {
                name: "t.txt".to_owned(),
                bytes: text.as_bytes().to_vec(),
            }]);
            assert_eq!(facts.ignored_count, [0], "{:?}", facts.ignored);
            let share = number(&facts, Of::Host(0), "cpu_ratio").map(|n| n.value);
            let share = share.expect("the program has a share");
            assert!((share - 0.985).abs() < 1e-9, "{text}{share}");
            let name = word(&facts, Of::Host(0), "cpu_program");
            assert_eq!(name.map(|(name, _)| name), Some(program), "{text}");
        }
    }

    /// `sar` heads the columns of its processors in other words, and repeats them for the means.
    #[test]
    fn the_processors_of_sar_are_read() {
        let rows = |from: &str| {
            format!(
                "{from}     all      0.30      0.00     26.20      0.00      0.00     73.50\n{from}       0      0.10      0.00      0.40      0.00      0.00     99.50\n{from}       1      0.40      0.00     99.60      0.00      0.00      0.00\n"
            )
        };
        let head = "CPU     %user     %nice   %system   %iowait    %steal     %idle\n";
        let text = format!(
            "rx$ sar -P ALL 10 1\nLinux 6.1.0-18-amd64 (rx) \t05/14/2025 \t_x86_64_\t(2 CPU)\n\n02:10:01 PM     {head}{}\nAverage:        {head}{}",
            rows("02:10:11 PM"),
            rows("Average:   ")
        );
        let facts = read(&[Source {
            name: "t.txt".to_owned(),
            bytes: text.as_bytes().to_vec(),
        }]);
        assert_eq!(facts.ignored_count, [0], "{:?}", facts.ignored);
        let value = |name| number(&facts, Of::Host(0), name).map(|n| n.value);
        assert_eq!(value("cpu_ratio"), Some(1.0));
        assert_eq!(value("cpu_number"), Some(1.0));
        assert_eq!(value("cpu_idle_count"), Some(1.0));
        let system = value("cpu_system_ratio").expect("the kernel's part");
        assert!((system - 0.996).abs() < 1e-9, "{system}");
    }
}
