//! `uname -a`: the system of a host, and its name.

use super::{Facts, Line, Tool};
use crate::fact::{Figure, Of};
use crate::redact;
use crate::words::decimal;

/// The state of reading.
pub(super) struct Uname;

/// What the line begins with, and the system.
const SYSTEMS: [(&str, &str); 6] = [
    ("Linux ", "linux"),
    ("FreeBSD ", "freebsd"),
    ("OpenBSD ", "openbsd"),
    ("NetBSD ", "netbsd"),
    ("Darwin ", "macos"),
    ("SunOS ", "solaris"),
];

impl Tool for Uname {
    fn name(&self) -> &'static str {
        "uname"
    }

    fn line(&mut self, line: Line<'_>, _going: bool, facts: &mut Facts) -> bool {
        let Some((begin, system)) = SYSTEMS.iter().find(|(b, _)| line.bare.starts_with(b)) else {
            return false;
        };
        let mut words = line.bare[begin.len()..].split_whitespace();
        let (Some(name), Some(version)) = (words.next(), words.next()) else {
            return false;
        };
        let is_name = name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'.');
        // A kernel's version, and something behind it: a sentence may begin with the word too.
        if !is_name || !version.starts_with(|c: char| c.is_ascii_digit()) || words.next().is_none()
        {
            return false;
        }
        let host = facts.system_of();
        if let Of::Host(n) = host {
            facts.hosts[n as usize].push(redact(name));
        }
        facts.word(host, "system", system, line.at);
        if *system == "linux" {
            facts.word(host, "kernel", version, line.at);
        }
        if let Some(release) = release(version) {
            facts.number(host, "kernel_release", Figure::exact(release, line.at));
        }
        true
    }
}

/// `6.1.0-13-amd64` as 6001: major release by a thousand, and minor.
fn release(version: &str) -> Option<f64> {
    let mut parts = version.split(|c: char| !c.is_ascii_digit());
    let (major, minor) = (decimal(parts.next()?)?, decimal(parts.next()?)?);
    (major < 1000.0 && minor < 1000.0).then_some(major * 1000.0 + minor)
}
