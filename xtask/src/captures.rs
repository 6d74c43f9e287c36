//! `cargo xtask captures FOLDER`: captures of others, known by their SHA-256, beside what others said of them.
//!
//! The tables are `crates/trace/tests/data`: the labels of the TCPRS analyser for single retransmissions, its counts, and what
//! tcptrace printed of captures of its own. The captures themselves are not carried here; their sources stand in the tables' first lines.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use farpath_record::trace::TraceDirection;
use farpath_trace::{Analysis, Source, analyse};
use sha2::{Digest, Sha256};

const LABELS: &str = include_str!("../../crates/trace/tests/data/tcprs_retransmissions.csv");
const COUNTS: &str = include_str!("../../crates/trace/tests/data/tcprs_summary.csv");
const TCPTRACE: &str = include_str!("../../crates/trace/tests/data/tcptrace.csv");

/// The share of labels and of figures that must be the same.
const LEAST: f64 = 0.98;

/// A row by the names of its columns.
type Row<'a> = BTreeMap<&'a str, &'a str>;

/// How much was compared, and what differs.
#[derive(Default)]
struct Tally {
    compared: usize,
    same: usize,
    differing: Vec<String>,
}

impl Tally {
    fn add(&mut self, same: bool, text: impl FnOnce() -> String) {
        self.compared += 1;
        self.same += usize::from(same);
        if !same {
            self.differing.push(text());
        }
    }

    fn is_good(&self) -> bool {
        self.same as f64 >= LEAST * self.compared as f64
    }
}

/// Reads every capture below `folder` that a table knows, and compares; false where less than 98 % is the same.
pub(crate) fn run(folder: &Path) -> Result<bool, String> {
    let files = known(folder)?;
    let mut parts = [Tally::default(), Tally::default(), Tally::default()];
    let [labels, counts, figures] = &mut parts;
    let mut found = 0;
    // A capture has several rows, one after the other.
    let mut last: Option<(&Path, Analysis)> = None;
    for row in rows(COUNTS) {
        let Some(file) = files.get(row["sha256"]) else {
            continue;
        };
        found += 1;
        let analysis = read(file)?;
        compare_labels(row["trace"], &analysis, labels);
        compare_count(&row, &analysis, counts);
    }
    for row in rows(TCPTRACE) {
        let readable = row["linktype"] != "not pcap";
        if let Some(file) = files.get(row["sha256"]).filter(|_| readable) {
            found += usize::from(row["direction"] == "a2b");
            let analysis = match last.take() {
                Some((path, analysis)) if path == file.as_path() => analysis,
                _ => read(file)?,
            };
            compare_figures(&row, &analysis, figures);
            last = Some((file.as_path(), analysis));
        }
    }
    if found == 0 {
        return Err(format!(
            "{}: none of the files is a capture that the tables know by its SHA-256",
            folder.display()
        ));
    }
    print!("{}", text(found, &parts));
    Ok(parts.iter().all(Tally::is_good))
}

fn text(found: usize, parts: &[Tally; 3]) -> String {
    let mut text = format!("{found} captures\n");
    let names = [
        "retransmissions as labelled",
        "captures with as many repeated segments",
        "figures as tcptrace has them",
    ];
    for (name, part) in names.iter().zip(parts) {
        let share = 100.0 * part.same as f64 / part.compared.max(1) as f64;
        let _written = writeln!(
            text,
            "{name}: {} of {} ({share:.1} %)",
            part.same, part.compared
        );
        for line in &part.differing {
            let _written = writeln!(text, "  {line}");
        }
    }
    text
}

/// The rows of a table: the first line names its source, the second its columns.
fn rows(table: &'static str) -> impl Iterator<Item = Row<'static>> {
    let mut lines = table.lines().filter(|l| !l.starts_with('#'));
    let columns: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    lines.map(move |line| columns.iter().copied().zip(line.split(',')).collect())
}

/// Files below a folder, by their SHA-256.
fn known(folder: &Path) -> Result<BTreeMap<String, PathBuf>, String> {
    let mut all = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let broken = |e: std::io::Error| format!("{}: {e}", folder.display());
        for entry in std::fs::read_dir(&folder).map_err(broken)? {
            let path = entry.map_err(broken)?.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let bytes = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            let sum = Sha256::digest(&bytes);
            let hex: String = sum.iter().map(|b| format!("{b:02x}")).collect();
            all.insert(hex, path);
        }
    }
    Ok(all)
}

fn read(path: &Path) -> Result<Analysis, String> {
    let name = path.display().to_string();
    let bytes = std::fs::File::open(path).map_err(|e| format!("{name}: {e}"))?;
    let source = Source {
        name: name.clone(),
        bytes: Box::new(bytes),
    };
    analyse([source], &mut ()).map_err(|e| format!("{name}: {e}"))
}

/// The class that a label of TCPRS stands for; none where any will do.
fn class(label: &str) -> Option<&'static str> {
    match label {
        "RTO" | "RTO_NO_DUP_ACK" | "BRUTE_FORCE_RTO" => Some("rto"),
        l if l.starts_with("FAST") || l.starts_with("SACK") || l.starts_with("FACK") => {
            Some("fast")
        }
        _ => None,
    }
}

/// Each labelled segment is one that was sent again, for the reason of its label, whether the receiver had it or not.
fn compare_labels(trace: &str, analysis: &Analysis, tally: &mut Tally) {
    let mut segments = BTreeMap::new();
    for segment in analysis.found.iter().flatten().flat_map(|d| &d.segments) {
        segments.entry(segment.at_ns / 1000).or_insert(*segment);
    }
    let ours = rows(LABELS).filter(|r| r["trace"] == trace && r["ts"].contains('.'));
    for row in ours {
        let (seconds, micros) = row["ts"].split_once('.').unwrap_or_default();
        let at: i64 = format!("{seconds}{micros}").parse().unwrap_or_default();
        let seen = segments.get(&at);
        let same = seen.is_some_and(|s| {
            class(row["type"]).is_none_or(|wanted| s.class == wanted || s.why == wanted)
        });
        tally.add(same, || {
            let said = seen.map_or("nothing".to_owned(), |s| format!("{} ({})", s.class, s.why));
            format!("{trace} {} {}: {said}", row["ts"], row["type"])
        });
    }
}

/// As many segments as TCPRS counted, or as a count of bytes that came twice gives: these two differ where segments overlap.
fn compare_count(row: &Row<'_>, analysis: &Analysis, tally: &mut Tally) {
    let connections = &analysis.document.connections;
    let of = connections.iter().flat_map(|c| [&c.a2b, &c.b2a]);
    let count: u64 = of.map(|d| d.retransmitted_segments).sum();
    let stated = ["retransmissions", "this_study_byte_overlap_count"].map(|k| row[k]);
    tally.add(stated.contains(&count.to_string().as_str()), || {
        format!(
            "{}: {count}, not {} or {}",
            row["trace"], stated[0], stated[1]
        )
    });
}

/// Packets, bytes and repetitions are equal. tcptrace counts a SYN and a FIN as a byte, and flight where the capture is; ours is
/// the sender's, and is compared where the capture is there.
fn compare_figures(row: &Row<'_>, analysis: &Analysis, tally: &mut Tally) {
    let Some(connection) = analysis.document.connections.first() else {
        return tally.add(false, || format!("{}: no connection", row["file"]));
    };
    let (direction, there): (&TraceDirection, _) = match row["direction"] {
        "a2b" => (&connection.a2b, "sender_of_a"),
        _ => (&connection.b2a, "sender_of_b"),
    };
    for (column, found) in [
        ("pkts", direction.packets),
        ("data_bytes", direction.bytes),
        ("unique_bytes", direction.unique_bytes),
        ("rexmt_pkts", direction.retransmitted_segments),
        ("rexmt_bytes", direction.retransmitted_bytes),
        ("max_owin", direction.flight_max_bytes),
    ] {
        if column == "max_owin" && connection.vantage != there {
            continue;
        }
        let stated: u64 = row[column].parse().unwrap_or_default();
        let with_fin = matches!(column, "max_owin" | "rexmt_bytes") && found + 1 == stated;
        let same = found == stated || with_fin;
        tally.add(same, || {
            format!(
                "{} {} {column}: {found}, not {stated}",
                row["file"], row["direction"]
            )
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_have_the_columns_that_are_compared() {
        assert_eq!(rows(COUNTS).filter(|r| r["sha256"].len() == 64).count(), 69);
        assert_eq!(
            rows(TCPTRACE)
                .filter(|r| r["unique_bytes"].parse::<u64>().is_ok())
                .count(),
            28
        );
        let labels: Vec<_> = rows(LABELS).map(|r| class(r["type"])).collect();
        let of = |wanted| labels.iter().filter(|l| **l == wanted).count();
        assert_eq!((of(Some("rto")), of(Some("fast"))), (132, 122));
    }
}
