//! `uname -a`: the system of a host, and its name; `uname -r`, the release alone.

use super::{Facts, Line, Tool};
use crate::fact::{Figure, Of, Place};
use crate::redact;
use crate::words::decimal;

/// The state of reading.
#[derive(Default)]
pub(super) struct Uname {
    /// The line before asked for the release alone.
    asked: bool,
}

/// What the line begins with, and the system.
const SYSTEMS: [(&str, &str); 6] = [
    ("Linux ", "linux"),
    ("FreeBSD ", "freebsd"),
    ("OpenBSD ", "openbsd"),
    ("NetBSD ", "netbsd"),
    ("Darwin ", "macos"),
    ("SunOS ", "solaris"),
];

/// What `sw_vers` calls the system.
const MACOS: [&str; 3] = ["macOS", "Mac OS X", "macOS Server"];

impl Tool for Uname {
    fn name(&self) -> &'static str {
        "uname"
    }

    fn line(&mut self, line: Line<'_>, _going: bool, facts: &mut Facts) -> bool {
        let asked = core::mem::replace(&mut self.asked, asks(line.bare));
        if let Some(name) = line.bare.strip_prefix("ProductName:")
            && MACOS.contains(&name.trim())
        {
            // `sw_vers`.
            let host = facts.system_of();
            facts.word(host, "system", "macos", line.at);
            return true;
        }
        if let Some(system) = bare(line.bare, asked) {
            let host = facts.system_of();
            tell(host, system, line.bare, line.at, facts);
            return true;
        }
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
        tell(host, system, version, line.at, facts);
        true
    }
}

/// Whether a line is the command that prints the release alone.
fn asks(text: &str) -> bool {
    text.rsplit_once("uname")
        .is_some_and(|(_, options)| options.trim() == "-r")
}

/// The system whose release a line is and nothing else, as `uname -r` prints it. Numbers alone are one only behind that command.
fn bare(text: &str, asked: bool) -> Option<&'static str> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '+' | '~');
    let numbers = text.split_once('-').map_or(text, |(numbers, _)| numbers);
    let parts = numbers.split('.').count();
    let is_release = text.len() < RELEASE_MAX
        && text.chars().all(is_word)
        && (2..=4).contains(&parts)
        && numbers
            .split('.')
            .all(|part| decimal(part).is_some() && part.len() < 4);
    let known = release(text).filter(|_| is_release)?;
    let bsd = ["-RELEASE", "-STABLE", "-CURRENT"];
    match text.contains('-') {
        true if bsd.iter().any(|b| text.contains(b)) => Some("freebsd"),
        true if parts >= 3 && LINUX.contains(&known) || asked => Some("linux"),
        false if asked && parts == 3 => Some("linux"),
        _ => None,
    }
}

/// Releases of Linux that are in use, major ones by a thousand.
const LINUX: core::ops::Range<f64> = 2000.0..10_000.0;

/// Longest release of a kernel.
const RELEASE_MAX: usize = 64;

/// Whether a kernel is one that is made for EC2: `6.1.109-118.189.amzn2023.x86_64`, `5.15.0-1031-aws`.
pub(crate) fn is_of_amazon(release: &str) -> bool {
    release.contains(".amzn") || release.ends_with("-aws")
}

/// What a system and its release say of a host.
fn tell(host: Of, system: &str, version: &str, at: Place, facts: &mut Facts) {
    facts.word(host, "system", system, at);
    if system == "linux" {
        facts.word(host, "kernel", version, at);
    }
    if let Some(release) = release(version) {
        facts.number(host, "kernel_release", Figure::exact(release, at));
    }
}

/// `6.1.0-13-amd64` as 6001: major release by a thousand, and minor.
fn release(version: &str) -> Option<f64> {
    let mut parts = version.split(|c: char| !c.is_ascii_digit());
    let (major, minor) = (decimal(parts.next()?)?, decimal(parts.next()?)?);
    (major < 1000.0 && minor < 1000.0).then_some(major * 1000.0 + minor)
}
