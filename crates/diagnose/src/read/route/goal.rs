//! Where a trace was to go, by its command, and whether it arrived there.

use std::net::IpAddr;

use super::{Hop, Routes, name_of};
use crate::fact::Place;
use crate::paths::detour;
use crate::read::label::{behind_prompt, name_at_prompt};
use crate::read::ping::is_host;

/// Options behind which a host or a word stands that is not the target.
const VALUED: [&str; 14] = [
    "-a",
    "--address",
    "-s",
    "-S",
    "--source",
    "-g",
    "--gateway",
    "-I",
    "-i",
    "--interface",
    "-o",
    "--order",
    "-F",
    "-M",
];

/// The first line of a trace stands so many lines below its command at most. A choice.
const NEAR: u32 = 5;

/// A command that traces.
pub(super) struct Command {
    /// The host that it names.
    pub(super) host: Option<String>,
    /// The name at its prompt, which may be empty; none without a prompt.
    pub(super) prompt: Option<String>,
    at: Place,
}

impl Command {
    /// The command of a line that begins with the name of a tool; none where it is prose.
    pub(super) fn of(text: &str, words: &[&str], at: Place) -> Option<Command> {
        let option = words.get(1).is_some_and(|word| word.starts_with('-'));
        let name = || name_at_prompt(text).map_or_else(String::new, crate::redact);
        let prompt = behind_prompt(text).map(|_| name());
        (option || prompt.is_some()).then(|| Command {
            host: host(words),
            prompt,
            at,
        })
    }

    /// Whether a line may be the first that it prints.
    pub(super) fn heads(&self, line: Place) -> bool {
        line.lines_below(self.at).is_some_and(|n| n <= NEAR)
    }
}

/// The host that a command names: its address, or else its last word that may be a name. None where it has several addresses.
fn host(words: &[&str]) -> Option<String> {
    let ends = |word: &&str| word.contains(['#', ';', '&', '|', '>', '<']);
    let end = words.iter().position(ends).unwrap_or(words.len());
    let behind = words[..end].windows(2);
    let behind = behind.filter(|two| !VALUED.contains(&two[0]));
    let hosts: Vec<&str> = behind
        .map(|two| two[1])
        .filter(|word| is_host(word))
        .collect();
    let is_address = |word: &&&str| word.parse::<IpAddr>().is_ok();
    let mut addresses = hosts.iter().filter(is_address);
    let found = match (addresses.next(), addresses.next()) {
        (None, _) => hosts.last(),
        (one, None) => one,
        _ => None,
    };
    found.map(|host| (*host).to_owned())
}

impl Routes {
    /// Whether a hop may be the one that the command names: where both are addresses, they are one.
    pub(super) fn may_end_at(&self, hop: &str) -> bool {
        let address = |word: &str| name_of(word).parse::<IpAddr>().ok();
        let Some(goal) = self.goal.as_deref().and_then(address) else {
            return true;
        };
        let own = hop.split_whitespace().filter_map(address);
        let own = own.filter(|a| a.is_ipv4() == goal.is_ipv4());
        let own: Vec<IpAddr> = own.collect();
        own.is_empty() || own.contains(&goal)
    }

    /// Names of the target: as it was typed and printed, and what answered there; `hop` and `way` are where the trace ended.
    pub(super) fn ends_at(&self, hop: &Hop, way: &[detour::Hop]) -> Vec<String> {
        let traced = way.last().map_or("", |hop| hop.name.as_str());
        let last = match hop.name.as_str() {
            "" => traced,
            name => name,
        };
        let last = last.split_whitespace().filter(|word| !is_system(word));
        let said = self.goal.iter().chain(&self.target).map(String::as_str);
        let all = said.chain(last.map(name_of));
        let all = all.filter(|name| !name.is_empty());
        all.map(crate::redact).collect()
    }
}

/// Whether a word is the number of a system of networks, as mtr prints it before a hop: `AS64496`, `AS???`.
fn is_system(word: &str) -> bool {
    let number = word.strip_prefix("AS");
    number.is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit() || b == b'?'))
}

#[cfg(test)]
mod tests {
    use super::{Command, Routes, host};
    use crate::fact::Place;

    #[test]
    fn a_command_names_its_host_anywhere() {
        for (command, named) in [
            ("mtr -rwn -c 100 192.0.2.66", Some("192.0.2.66")),
            ("mtr 192.0.2.66 -rwn -c 100", Some("192.0.2.66")),
            ("mtr -a 192.0.2.10 -rw far.example", Some("far.example")),
            ("tracepath -n 2001:db8::9 | tail -3", Some("2001:db8::9")),
            ("tracepath far", Some("far")),
            ("mtr -rw -I eth0 far.example > far.txt", Some("far.example")),
            ("mtr --help", None),
            ("mtr from 192.0.2.10 to 192.0.2.66", None),
        ] {
            let words: Vec<&str> = command.split_whitespace().collect();
            assert_eq!(host(&words).as_deref(), named, "{command}");
        }
    }

    #[test]
    fn a_command_has_the_name_of_its_prompt() {
        for (text, prompt) in [
            ("laptop$ mtr -rw far", Some(Some("laptop"))),
            ("root@box:~# mtr -rw far", Some(Some("box"))),
            ("$ mtr -rw far", Some(Some(""))),
            ("mtr -rw far", Some(None)),
            ("mtr from here to there", None),
        ] {
            let words: Vec<&str> = text.split_whitespace().collect();
            let words = &words[words.iter().position(|w| *w == "mtr").unwrap_or(0)..];
            let command = Command::of(text, words, Place::Line(0, 7));
            let own = command.as_ref().map(|c| c.prompt.as_deref());
            assert_eq!(own, prompt, "{text}");
            let heads = |line| {
                command
                    .as_ref()
                    .is_some_and(|c| c.heads(Place::Line(0, line)))
            };
            assert_eq!(
                [heads(6), heads(9), heads(40)],
                [false, own.is_some(), false]
            );
        }
    }

    #[test]
    fn a_trace_to_an_address_ends_at_no_other() {
        let ends = |goal: &str, hop: &str| {
            let routes = Routes {
                goal: Some(goal.to_owned()),
                ..Routes::default()
            };
            routes.may_end_at(hop)
        };
        assert!(ends("192.0.2.66", "  3.|-- 192.0.2.66  0.0%  20"));
        assert!(ends("192.0.2.66", "  3.|-- far.example  0.0%  20"));
        assert!(ends("192.0.2.66", "far.example (192.0.2.66)"));
        assert!(ends("far.example", "198.51.100.1"));
        assert!(!ends("192.0.2.66", "  3.|-- 198.51.100.1  0.0%  20"));
        assert!(!ends("192.0.2.66", "core.example (198.51.100.1)"));
    }
}
