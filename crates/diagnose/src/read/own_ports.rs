//! Ports that a host gives to its connections by itself: connections that found none, and `ss -s`, which counts those in TIME-WAIT.

use std::net::Ipv6Addr;

use super::{Facts, Line, Tool};
use crate::fact::Of;
use crate::hosts::host_fault::{NO_PORT, TIME_WAITS};
use crate::words::{after, whole};

/// What programs print where a connection found no port, or an address is not the host's own (EADDRNOTAVAIL of Linux, and of macOS).
const NONE: [&str; 2] = [
    "annot assign requested address",
    "an't assign requested address",
];

/// Longest line that says it.
const LINE_MAX: usize = 400;

/// The state of reading.
#[derive(Default)]
pub(super) struct OwnPorts {
    host: Option<Of>,
}

impl Tool for OwnPorts {
    fn name(&self) -> &'static str {
        "ports"
    }

    fn line(&mut self, line: Line<'_>, _going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if found_none(text) {
            let host = facts.host_again(&mut self.host);
            facts.word(host, NO_PORT, "yes", line.at);
            return true;
        }
        let Some(count) = time_waits(text) else {
            return false;
        };
        let host = facts.host_again(&mut self.host);
        facts.exact(host, TIME_WAITS, count as f64, line.at);
        true
    }
}

/// Whether a line says that a connection found no port. What else its program makes of that says nothing more.
pub(super) fn found_none(line: &str) -> bool {
    line.len() < LINE_MAX && NONE.iter().any(|words| line.contains(words))
}

/// The same of a line that names no address of IPv6: a host without that version has no address for it, and its ports may all be free.
pub(super) fn found_no_port(line: &str) -> bool {
    let is_ipv6 = |word: &str| {
        let word = word.trim_start_matches('[');
        let all = [word, word.trim_end_matches([']', ':', ',', '.'])];
        all.iter().any(|word| word.parse::<Ipv6Addr>().is_ok())
    };
    found_none(line) && !line.split_whitespace().any(is_ipv6)
}

/// The last number of `TCP:   28441 (estab 6, closed 28230, orphaned 0, timewait 28230)`, which older releases print as `28230/0`.
fn time_waits(text: &str) -> Option<u64> {
    let rest = text.strip_prefix("TCP: ")?;
    rest.trim_start().split_once(" (estab ")?;
    let count = after(rest, "timewait ")?.trim_end_matches(')');
    whole(count.split('/').next()?)
}

#[cfg(test)]
mod tests {
    use super::{OwnPorts, found_no_port, time_waits};
    use crate::fact::Of;
    use crate::flows::flow::{number, word};
    use crate::hosts::host_fault::{NO_PORT, TIME_WAITS};
    use crate::read::taken::taken;

    #[test]
    fn connections_without_a_port_are_read_beside_those_that_wait() {
        let text = "curl: (7) Couldn't connect to server: Cannot assign requested address\nTCP:   28441 (estab 6, closed 28230, orphaned 0, timewait 28230)\n";
        let facts = taken(OwnPorts::default(), text);
        let host = Of::Host(0);
        assert!(word(&facts, host, NO_PORT).is_some());
        let waits = number(&facts, host, TIME_WAITS).map(|n| n.value);
        assert_eq!(waits, Some(28_230.0));
    }

    /// A host without an address of IPv6 says the same of that version.
    #[test]
    fn what_has_no_address_of_ipv6_may_have_ports() {
        for (line, found) in [
            (
                "* connect to 192.0.2.9 port 8080 failed: Cannot assign requested address",
                true,
            ),
            (
                "* Immediate connect fail for 192.0.2.9: Cannot assign requested address",
                true,
            ),
            (
                "* Immediate connect fail for 2001:db8::9: Cannot assign requested address",
                false,
            ),
            (
                "* connect to 192.0.2.9 port 8080 failed: Connection refused",
                false,
            ),
        ] {
            assert_eq!(found_no_port(line), found, "{line}");
        }
    }

    #[test]
    fn other_lines_are_left() {
        let older = "TCP:   12 (estab 3, closed 2, orphaned 0, synrecv 0, timewait 2/0), ports 9";
        assert_eq!(time_waits(older), Some(2));
        for other in ["TCP: inuse 27 orphan 0 tw 2 alloc 41 mem 3812", "TCP:", ""] {
            assert_eq!(time_waits(other), None, "{other}");
        }
    }
}
