//! `uname -a`: the system of a host, and its name.

use super::{Facts, Line, Tool};
use crate::fact::Of;
use crate::redact;

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
        let host = facts.host();
        if let Of::Host(n) = host {
            facts.hosts[n as usize].push(redact(name));
        }
        facts.word(host, "system", system, line.at);
        if *system == "linux" {
            facts.word(host, "kernel", version, line.at);
        }
        true
    }
}
