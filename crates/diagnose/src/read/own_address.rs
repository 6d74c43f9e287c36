//! Addresses that a host prints as its own, and nothing else: `hostname -I`, `hostname -i`, `ipconfig getifaddr en0` of macOS.

use core::net::IpAddr;

use super::label::behind_prompt;
use super::{Facts, Line, Tool};
use crate::fact::Place;

/// The state of reading.
#[derive(Default)]
pub(super) struct OwnAddress {
    /// Where a command was typed whose answer is the next line.
    asked: Option<Place>,
}

/// Options of `hostname` that print addresses.
const OPTIONS: [&str; 4] = ["-I", "-i", "--all-ip-addresses", "--ip-address"];

impl Tool for OwnAddress {
    fn name(&self) -> &'static str {
        "own addresses"
    }

    fn line(&mut self, line: Line<'_>, _going: bool, facts: &mut Facts) -> bool {
        let asked = self.asked.take();
        if behind_prompt(line.bare).is_some_and(asks) {
            self.asked = Some(line.at);
            return true;
        }
        let below = asked.is_some_and(|above| line.at.lines_below(above) == Some(1));
        let Some(all) = addresses(line.bare).filter(|_| below) else {
            return false;
        };
        for own in all.iter().filter(|own| !own.is_loopback()) {
            facts.owns(&own.to_string());
        }
        true
    }
}

/// Whether a command prints the host's own addresses in one line, and nothing else.
fn asks(command: &str) -> bool {
    let words: Vec<&str> = command.split_whitespace().collect();
    match words[..] {
        ["hostname", option] => OPTIONS.contains(&option),
        ["ipconfig", "getifaddr", _] => true,
        _ => false,
    }
}

/// The addresses of a line of nothing else: `10.81.2.3 fe80::1%eth0`.
fn addresses(text: &str) -> Option<Vec<IpAddr>> {
    text.split_whitespace().map(address).collect()
}

/// An address without its zone: `10.81.2.3`, `fe80::1%eth0`.
pub(super) fn address(word: &str) -> Option<IpAddr> {
    word.split('%').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::taken::taken;

    #[test]
    fn a_line_of_addresses_is_read_below_its_command_alone() {
        for text in [
            "root@tok:~# hostname -I\n10.81.2.3 fe80::1%eth0",
            "[tok ~]$ hostname -i\n127.0.1.1",
            "mac:~ me$ ipconfig getifaddr en0\n192.0.2.7",
        ] {
            taken(OwnAddress::default(), text);
        }
        let mut tool = OwnAddress::default();
        let mut facts = Facts::default();
        let mut reads = |bare: &str, n: u32| {
            let at = Place::Line(0, n);
            tool.line(Line { bare, at }, false, &mut facts)
        };
        assert!(!reads("10.81.2.3", 1));
        assert!(!reads("root@tok:~# hostname", 2));
        assert!(!reads("10.81.2.3", 3));
        assert!(reads("root@tok:~# hostname -I", 4));
        assert!(!reads("10.81.2.3 is mine", 5));
        assert!(!reads("10.81.2.3", 6));
        assert!(reads("root@tok:~# hostname -I", 7));
        assert!(!reads("10.81.2.3", 9));
    }
}
