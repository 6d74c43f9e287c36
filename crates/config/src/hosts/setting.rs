//! Lines that set a key of `sysctl`, however they are written.

use std::collections::BTreeMap;

use super::command::name;

/// The key of `sysctl -w KEY`, or of a line of a settings file, with dots where slashes part it.
pub(super) fn dotted(key: &str) -> String {
    let key = bare(key);
    // The first separator is that of all (sysctl.d, 5): `net/ipv4/conf/eth0.5/mtu`.
    match key.find(['.', '/']).map(|at| key.as_bytes()[at]) {
        Some(b'/') => key.replace('/', "."),
        _ => key.to_owned(),
    }
}

fn bare(key: &str) -> &str {
    let mut key = key.trim();
    if let Some((first, rest)) = key.split_once(char::is_whitespace)
        && name(first) == "sysctl"
    {
        key = rest.trim_start();
        while let Some((_, rest)) = key
            .split_once(char::is_whitespace)
            .filter(|(o, _)| o.starts_with('-'))
        {
            key = rest.trim_start();
        }
    }
    key.trim().trim_matches(['"', '\''])
}

/// The key and the value of a line; none of other lines.
pub(super) fn setting(content: &str) -> Option<(String, &str)> {
    let (key, value) = match content.split_once("/proc/sys/") {
        Some((before, rest)) => of_file(before.trim(), rest)?,
        None => {
            let (key, value) = content.split_once('=').or_else(|| {
                // FreeBSD prints a colon.
                let (key, value) = content.split_once(": ")?;
                key.starts_with("net.").then_some((key, value))
            })?;
            (dotted(key), value)
        }
    };
    (!key.contains(char::is_whitespace)).then_some((key, value))
}

/// Of a file below `/proc/sys/`: `echo VALUE > FILE`, or what `grep . FILE ...` prints, `FILE:VALUE`.
fn of_file<'a>(before: &'a str, rest: &'a str) -> Option<(String, &'a str)> {
    let (file, value) = match before.strip_prefix("echo") {
        Some(value) => (rest, value.trim().trim_end_matches('>').trim()),
        None if before.is_empty() => rest.split_once([':', '='])?,
        None => return None,
    };
    Some((file.trim().replace('/', "."), value))
}

/// Lines that set what a later line sets to another value, with the last one that does; both counted from 0.
pub(super) fn overridden(text: &str) -> BTreeMap<usize, usize> {
    let mut last: BTreeMap<String, (usize, &str)> = BTreeMap::new();
    let mut found = BTreeMap::new();
    let lines: Vec<_> = text.split_inclusive('\n').enumerate().collect();
    for (number, raw) in lines.into_iter().rev() {
        let content = super::bare(raw);
        let of_net = |(key, _): &(String, &str)| key.starts_with("net.");
        let Some((key, value)) = setting(content).filter(of_net) else {
            continue;
        };
        if content.starts_with(['#', ';']) {
            continue;
        }
        match last.get(&key) {
            Some((later, other)) if other.trim() != value.trim() => {
                found.insert(number, *later);
            }
            Some(_) => {}
            None => {
                last.insert(key, (number, value));
            }
        }
    }
    found
}

/// Keys and values of a file, without quotes, the last first.
pub(super) fn settings_backwards(text: &str) -> impl Iterator<Item = (String, &str)> {
    let lines = text.lines().rev().map(super::bare);
    lines
        .filter(|l| !l.starts_with(['#', ';']))
        .filter_map(setting)
        .map(|(key, value)| (key, value.trim().trim_matches(['"', '\''])))
}
