//! Programs that hold their own rate: how each takes the option for it, and what a bare number is of.

use crate::words::{decimal, whole};

/// A program, and how it takes its option.
pub(super) struct Program {
    pub(super) name: &'static str,
    /// What its copies are called in results; empty where none is read.
    pub(super) tool: &'static str,
    pub(super) option: &'static str,
    /// A bare number is of so many bits a second, and what that is called.
    pub(super) bare: f64,
    pub(super) unit: &'static str,
}

const fn program(
    name: &'static str,
    tool: &'static str,
    option: &'static str,
    (bare, unit): (f64, &'static str),
) -> Program {
    Program {
        name,
        tool,
        option,
        bare,
        unit,
    }
}

/// What a bare number is of: curl (1), wget (1), rsync (1), rclone's documentation. OpenSSH counts 1024 bits for each of the kbit/s of scp (1).
const BYTES: (f64, &str) = (8.0, "bytes a second, with K and M by powers of 1024");
const KIB: (f64, &str) = (8192.0, "KiB a second");
const KBIT: (f64, &str) = (1024.0, "kbit/s");

/// Programs that have such an option.
pub(super) static PROGRAMS: [Program; 8] = [
    program("curl", "curl", "--limit-rate", BYTES),
    program("wget", "wget", "--limit-rate", BYTES),
    program("rsync", "rsync", "--bwlimit", KIB),
    program("rclone", super::rclone::TOOL, "--bwlimit", KIB),
    program("scp", "scp", "-l", KBIT),
    program("sftp", "scp", "-l", KBIT),
    program("pv", "", "-L", BYTES),
    program("aws", super::aws_s3::TOOL, MOST, BYTES),
];

/// The setting of `aws configure set default.s3.max_bandwidth 50MB/s`.
pub(super) const MOST: &str = "max_bandwidth";

/// The rate that a value is which a program's file gives the option, bit/s, and what a bare number is of.
pub(super) fn rate_of(name: &str, value: &str) -> Option<(f64, &'static str)> {
    let program = PROGRAMS.iter().find(|p| p.name == name)?;
    Some((bits(program, value)?, program.unit))
}

/// The rate that a value of an option is, bit/s; none of one that is off, of a timetable, or of a unit that the program does not have.
pub(super) fn bits(program: &Program, value: &str) -> Option<f64> {
    if program.option == "-l" {
        let kbit = whole(value).filter(|n| *n > 0)?;
        return Some(kbit as f64 * program.bare);
    }
    // AWS writes `50MB/s`, by powers of 1024; `Mb/s` is of bits, and not read.
    let value = match program.name {
        "aws" => value.strip_suffix("B/s").unwrap_or(value),
        _ => value,
    };
    let end = value.find(|c: char| !c.is_ascii_digit() && c != '.');
    let (digits, suffix) = value.split_at(end.unwrap_or(value.len()));
    let number = decimal(digits).filter(|n| *n > 0.0)?;
    let mut letters = suffix.chars();
    let prefix = letters.next().map(|c| c.to_ascii_lowercase());
    let base = match (letters.as_str(), program.name) {
        ("", _) | ("iB", "rsync" | "rclone") => 1024.0,
        ("B" | "b", "rsync") => 1000.0,
        _ => return None,
    };
    let bytes = match prefix {
        None => return Some(number * program.bare),
        Some('b') => 1.0,
        Some('k') => base,
        Some('m') => base * base,
        Some('g') => base * base * base,
        Some(_) => return None,
    };
    Some(8.0 * number * bytes)
}
