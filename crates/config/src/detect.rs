//! Which language a text is written in, by the lines it begins with.

use crate::dialect::Dialect;
use crate::{hosts, neighbors};

/// How many lines are read to detect the language: a configuration shows it early.
const LINES: usize = 400;

/// What a line of a listing of neighbours counts: the lines around it look like many things.
const SIGN: usize = 20;

/// First words after `set` that only CatOS has.
const CATOS: [&str; 17] = [
    "qos",
    "port",
    "vlan",
    "vtp",
    "spantree",
    "trunk",
    "udld",
    "cdp",
    "prompt",
    "module",
    "ip",
    "logging",
    "banner",
    "mls",
    "boot",
    "password",
    "enablepass",
];

/// First words of lines that only IOS has.
const IOS: [&str; 19] = [
    "hostname",
    "interface",
    "mls",
    "class-map",
    "policy-map",
    "version",
    "ip",
    "access-list",
    "router",
    "vlan",
    "no",
    "line",
    "service-policy",
    "switchport",
    "wrr-queue",
    "speed",
    "duplex",
    "service",
    "priority-queue",
];

impl Dialect {
    /// The dialect `text` looks most like. Text with no sign of any is taken for Junos with braces,
    /// whose reader then says what is wrong.
    pub fn detect(text: &str) -> Dialect {
        let score = scores(text);
        let best = score.iter().copied().max().unwrap_or(0);
        let first = score.iter().position(|s| *s == best).unwrap_or(0);
        Dialect::ALL[first]
    }

    /// Whether a text says something and is of no language that is read: its first lines have no sign of any, and it has none of the
    /// brackets and semicolons without which no statement of Junos ends.
    pub(crate) fn is_unknown(text: &str) -> bool {
        let says = |line: &str| !line.is_empty() && !line.starts_with('#');
        text.lines().map(str::trim).any(says)
            && !text.contains(['{', '}', ';'])
            && scores(text).iter().all(|score| *score == 0)
    }
}

/// What the first lines of a text speak for, in the order of [`Dialect::ALL`].
fn scores(text: &str) -> [usize; 6] {
    let mut score = [0_usize; 6];
    let mut blob = false;
    for line in text.lines().take(LINES) {
        let bare = line.trim();
        if bare.starts_with("/*") {
            blob = true;
        }
        if !blob {
            score_line(bare, &mut score);
        }
        if bare.ends_with("*/") {
            blob = false;
        }
    }
    score
}

/// Adds what one line speaks for.
fn score_line(line: &str, score: &mut [usize; 6]) {
    let mut words = line.split_whitespace();
    let first = words.next().unwrap_or("");
    let second = words.next().unwrap_or("");
    let [junos, set, ios, catos, hosts, neighbors] = score;
    if neighbors::is_sign(line) {
        *neighbors += SIGN;
    } else if hosts::is_host_line(line) {
        *hosts += 1;
    } else if line.ends_with('{') || line.ends_with(';') || line == "}" {
        *junos += 1;
    } else if matches!(first, "set" | "clear") && CATOS.contains(&second) {
        *catos += 1;
    } else if matches!(
        first,
        "set" | "delete" | "activate" | "deactivate" | "protect"
    ) {
        *set += 1;
    } else if first == "#module" || line.starts_with("commit qos") {
        *catos += 1;
    } else if line.starts_with('!') || IOS.contains(&first) {
        *ios += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_lines_show_the_language() {
        for (text, dialect) in [
            ("system {\n    host-name a;\n}\n", Dialect::Junos),
            ("/* set port */\nsystem { host-name a; }\n", Dialect::Junos),
            (
                "set system host-name a\nset protocols mpls interface all\n",
                Dialect::JunosSet,
            ),
            (
                "!\nhostname sw\ninterface GigabitEthernet3/1\n wrr-queue bandwidth 1 9\n",
                Dialect::Ios,
            ),
            (
                "#qos\nset qos enable\nset port qos 3/1 trust trust-dscp\n",
                Dialect::CatOs,
            ),
            ("", Dialect::Junos),
        ] {
            assert_eq!(Dialect::detect(text), dialect, "{text}");
        }
    }
}
