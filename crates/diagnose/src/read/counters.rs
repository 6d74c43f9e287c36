//! A host's counters: `nstat`, `netstat -s` of Linux and the BSDs, `/proc/net/snmp` and `netstat`, `softnet_stat`.

use std::collections::BTreeMap;

use super::{Facts, Line, Tool, label, net_tools};
use crate::fact::{Of, Place};
use crate::hosts::reassembly;
use crate::hosts::reverse_path;
use crate::programs::long_requests::DELAYED;
use crate::words::whole;

/// How often a connection found an accept queue full, as a kernel counts it.
pub(crate) const OVERFLOWS: &str = "host_listen_overflows";

/// Datagrams that a host handed to its programs, as facts have them.
pub(crate) const RECEIVED: &str = "host_datagrams";

/// The state of reading.
#[derive(Default)]
pub(super) struct Counters {
    kind: &'static str,
    host: Option<Of>,
    /// The processor whose row of `softnet_stat` was read last.
    processors: u32,
    /// The names of `/proc/net/snmp` that the next line gives numbers to.
    names: Option<(String, Vec<String>)>,
    calls: Calls,
}

/// Calls of `nstat` that were typed. Without `-a` it prints what was counted since the last one on its host (nstat, 8).
#[derive(Default)]
struct Calls {
    /// Where hosts called it last, by the names at their prompts.
    at: BTreeMap<String, Place>,
    /// The host of the last line with calls.
    host: String,
    /// Of those calls of that line that are still to print: the call before, where what they print is since then.
    to_print: Vec<Option<Place>>,
    /// The same of the call that is read.
    since: Option<Place>,
    /// What counters of hosts stood at last, by the names of both.
    stood: BTreeMap<(String, String), u64>,
}

/// Counters by their names in kernels, and the fact.
const NAMED: [(&str, &str); 24] = [
    ("IpInReceives", reverse_path::ARRIVED),
    ("IpReasmFails", reassembly::FAILED),
    ("IpReasmTimeout", reassembly::TIMED_OUT),
    ("TcpExtIPReversePathFilter", reverse_path::DROPPED),
    ("TcpRetransSegs", "host_retransmits"),
    ("TcpOutSegs", "host_segments"),
    ("TcpExtTCPTimeouts", "host_timeouts"),
    ("TcpExtTCPSynRetrans", "host_syn_retransmits"),
    ("TcpExtTCPSACKReorder", "host_reordered"),
    ("TcpExtTCPDSACKRecv", "host_duplicates"),
    ("TcpExtTCPRcvCollapsed", "host_collapsed"),
    ("TcpExtPruneCalled", "host_pruned"),
    ("TcpExtTCPMemoryPressures", "host_memory_pressures"),
    ("TcpExtTCPToZeroWindowAdv", "host_zero_windows"),
    ("TcpInErrs", "host_checksum_errors"),
    ("TcpExtTCPBacklogDrop", "host_backlog_drops"),
    ("TcpExtListenOverflows", OVERFLOWS),
    ("TcpExtTCPRcvQDrop", "host_receive_drops"),
    ("TcpExtTCPOFODrop", "host_reordered_drops"),
    ("TcpExtTCPZeroWindowDrop", "host_closed_window_drops"),
    ("TcpExtDelayedACKs", DELAYED),
    ("UdpInDatagrams", RECEIVED),
    ("UdpRcvbufErrors", "host_datagrams_dropped"),
    ("UdpInErrors", "host_datagram_errors"),
];

/// The words of `netstat -s` behind a number, and the fact.
const PHRASES: [(&str, &str); 17] = [
    ("total packets received", reverse_path::ARRIVED),
    ("packet reassembles failed", reassembly::FAILED),
    ("packet reassemblies failed", reassembly::FAILED),
    ("fragments dropped after timeout", reassembly::TIMED_OUT),
    ("segments retransmitted", "host_retransmits"),
    ("segments retransmited", "host_retransmits"),
    ("segments sent out", "host_segments"),
    ("segments send out", "host_segments"),
    ("bad segments received", "host_checksum_errors"),
    (
        "packets pruned from receive queue because of socket buffer overrun",
        "host_pruned",
    ),
    ("retransmit timeouts", "host_timeouts"),
    (
        "packets collapsed in receive queue due to low socket buffer",
        "host_collapsed",
    ),
    ("times the listen queue of a socket overflowed", OVERFLOWS),
    ("packets sent", "host_segments_bsd"),
    ("receive buffer errors", "host_datagrams_dropped"),
    ("packet receive errors", "host_datagram_errors"),
    (
        "dropped due to full socket buffers",
        "host_datagrams_dropped",
    ),
];

impl Tool for Counters {
    fn name(&self) -> &'static str {
        if self.kind.is_empty() {
            "netstat"
        } else {
            self.kind
        }
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if self.calls.typed(text, line.at, facts) {
            return false;
        }
        let begun = match text {
            "#kernel" => Some("nstat"),
            "Tcp:" | "tcp:" | "TcpExt:" | "Ip:" | "ip:" | "Udp:" | "udp:" => Some("netstat"),
            _ => None,
        };
        if let Some(kind) = begun {
            if !going {
                self.host = Some(facts.host());
            }
            self.kind = kind;
            if kind == "nstat" {
                self.calls.prints();
            }
            return true;
        }
        if self.proc(text, line.at, going, facts) || self.softnet(text, line.at, going, facts) {
            return true;
        }
        if net_tools::begins(text).is_some() {
            return false;
        }
        let Some(host) = self.host.filter(|_| going) else {
            return self.alone(text, line.at, facts);
        };
        match self.kind {
            "nstat" => self.nstat(host, text, line.at, facts),
            "netstat" => netstat(host, text, line.at, facts),
            _ => false,
        }
    }

    fn guesses(&self, text: &str) -> bool {
        self.kind == "netstat" && !is_counter(text)
    }
}

/// Whether a line has the form of a counter of `netstat -s`, or of the title of some: `946 segments retransmitted`, `TCPLossProbes: 445`,
/// `echo requests: 3`, `Tcp:`. Lines with a number in their middle have none.
fn is_counter(text: &str) -> bool {
    let is_name = |b: u8| b.is_ascii_alphanumeric() || b == b' ';
    if let Some((name, value)) = text.split_once(':') {
        let value = value.trim_start();
        let of_list = value.is_empty() && !name.contains(' ') || whole(value).is_some();
        return of_list && name.bytes().all(is_name);
    }
    let pair = text.split_once(' ');
    pair.is_some_and(|(value, words)| {
        whole(value).is_some() && words.starts_with(|c: char| c.is_ascii_alphabetic())
    })
}

/// Makes a fact of a counter that bears on a path, by its name in `nstat`.
pub(super) fn put(host: Of, name: &str, value: u64, at: Place, facts: &mut Facts) {
    if let Some((_, fact)) = NAMED.iter().find(|(n, _)| *n == name) {
        facts.exact(host, fact, value as f64, at);
    }
}

/// How often TCP of a host ran short of memory, as `netstat -s` has it: `TCP ran low on memory 12 times`.
fn ran_low(text: &str) -> Option<u64> {
    let rest = text.strip_prefix("TCP ran low on memory ")?;
    whole(rest.strip_suffix(" times")?)
}

/// `    946 segments retransmitted`, `TCPLossProbes: 445`, `InOctets: 12`.
fn netstat(host: Of, text: &str, at: Place, facts: &mut Facts) -> bool {
    if let Some((name, value)) = text.split_once(": ")
        && let Some(value) = whole(value)
    {
        put(host, &format!("TcpExt{name}"), value, at, facts);
        return true;
    }
    if let Some((value, words)) = text.split_once(' ')
        && let Some(value) = whole(value)
    {
        if let Some((_, fact)) = PHRASES.iter().find(|(p, _)| words == *p) {
            facts.exact(host, fact, value as f64, at);
        }
        return true;
    }
    if let Some(times) = ran_low(text) {
        put(host, "TcpExtTCPMemoryPressures", times, at, facts);
        return true;
    }
    // What is typed at a prompt is of another command, and a setting of another tool.
    if label::behind_prompt(text).is_some() || text.contains(" = ") {
        return false;
    }
    // Titles, and lines with a number in the middle.
    text.ends_with(':') && text.len() < 40
        || text.bytes().any(|b| b.is_ascii_digit()) && text.len() < 90
}

impl Calls {
    /// Takes a line that was typed, if it calls `nstat`: `a$ nstat -n; sleep 11; nstat`.
    fn typed(&mut self, text: &str, at: Place, facts: &Facts) -> bool {
        let typed = label::behind_prompt(text).filter(|t| t.contains("nstat"));
        let mut calls = false;
        for part in typed.unwrap_or("").split([';', '&', '|']) {
            let mut words = part
                .split_whitespace()
                .skip_while(|w| ["sudo", "doas"].contains(w));
            if words.next() != Some("nstat") {
                continue;
            }
            if !calls {
                facts.label.name.clone_into(&mut self.host);
                self.to_print.clear();
            }
            calls = true;
            let options: Vec<&str> = words.filter(|w| w.starts_with('-')).collect();
            let has = |letter: char, long: &str| {
                let is = |o: &&str| *o == long || !o.starts_with("--") && o.contains(letter);
                options.iter().any(is)
            };
            let absolute = has('a', "--ignore") || has('r', "--reset");
            if !has('n', "--nooutput") {
                let before = self.at.get(&self.host).copied();
                self.to_print.push(before.filter(|_| !absolute));
            }
            if !has('s', "--noupdate") {
                self.at.insert(self.host.clone(), at);
            }
        }
        calls
    }

    /// What a call prints follows.
    fn prints(&mut self) {
        self.since = match self.to_print.is_empty() {
            true => None,
            false => self.to_print.remove(0),
        };
    }

    /// What a counter stands at: what is printed, and of a count since the call before what it stood at then. Where no text says that, it
    /// is counted from that call on.
    fn stands(&mut self, (host, name): (Of, &str), printed: u64, facts: &mut Facts) -> u64 {
        if !NAMED.iter().any(|(n, _)| *n == name) {
            return printed;
        }
        let key = (self.host.clone(), name.to_owned());
        let before = match (self.since, self.stood.get(&key)) {
            (None, _) => 0,
            (Some(_), Some(stood)) => *stood,
            (Some(since), None) => {
                put(host, name, 0, since, facts);
                0
            }
        };
        let stands = printed.saturating_add(before);
        self.stood.insert(key, stands);
        stands
    }
}

impl Counters {
    /// `TcpRetransSegs                  946                0.0`.
    fn nstat(&mut self, host: Of, text: &str, at: Place, facts: &mut Facts) -> bool {
        let words: Vec<&str> = text.split_whitespace().collect();
        let [name, value, _] = words[..] else {
            return false;
        };
        let Some(value) = whole(value) else {
            return false;
        };
        let value = self.calls.stands((host, name), value, facts);
        put(host, name, value, at, facts);
        name.bytes().all(|b| b.is_ascii_alphanumeric())
    }

    /// A counter that `grep` took out of its list: as `nstat` names it, or in the words of `netstat -s`.
    fn alone(&mut self, text: &str, at: Place, facts: &mut Facts) -> bool {
        let name = text.split_whitespace().next().unwrap_or("");
        if NAMED.iter().any(|(n, _)| *n == name) {
            let host = facts.host();
            (self.host, self.kind) = (Some(host), "nstat");
            self.calls.prints();
            return self.nstat(host, text, at, facts);
        }
        let extended = text.split_once(": ").filter(|(_, n)| whole(n).is_some());
        let is_named = |(of, _): &(&str, &str)| {
            let of = format!("TcpExt{of}");
            NAMED.iter().any(|(n, _)| *n == of)
        };
        if extended.is_some_and(|pair| is_named(&pair)) {
            let host = facts.host();
            (self.host, self.kind) = (Some(host), "netstat");
            return netstat(host, text, at, facts);
        }
        if ran_low(text).is_some() {
            let host = facts.host();
            (self.host, self.kind) = (Some(host), "netstat");
            return netstat(host, text, at, facts);
        }
        let Some((value, words)) = text.split_once(' ') else {
            return false;
        };
        if whole(value).is_none() || !PHRASES.iter().any(|(phrase, _)| words == *phrase) {
            return false;
        }
        let host = facts.host();
        (self.host, self.kind) = (Some(host), "netstat");
        netstat(host, text, at, facts)
    }

    /// `Tcp: RtoAlgorithm RtoMin …`, and the numbers below.
    fn proc(&mut self, text: &str, at: Place, going: bool, facts: &mut Facts) -> bool {
        let Some((group, rest)) = text.split_once(": ") else {
            return false;
        };
        if !matches!(
            group,
            "Ip" | "Icmp" | "IcmpMsg" | "Tcp" | "Udp" | "UdpLite" | "TcpExt" | "IpExt" | "MPTcpExt"
        ) {
            return false;
        }
        let words: Vec<&str> = rest.split_whitespace().collect();
        let is_names = words.len() > 1
            && words
                .iter()
                .all(|w| w.starts_with(|c: char| c.is_ascii_alphabetic()));
        if is_names {
            if !going || self.kind != "/proc/net/snmp" {
                self.host = Some(facts.host());
            }
            self.kind = "/proc/net/snmp";
            self.names = Some((
                group.to_owned(),
                words.iter().map(|w| (*w).to_owned()).collect(),
            ));
            return true;
        }
        let Some((of, names)) = self.names.take().filter(|(of, _)| of == group) else {
            return false;
        };
        for (name, value) in names.iter().zip(&words) {
            if let (Some(value), Some(host)) = (whole(value), self.host) {
                put(host, &format!("{of}{name}"), value, at, facts);
            }
        }
        true
    }

    /// A line of eight-digit hexadecimal columns, one a processor: processed, dropped, squeezed.
    fn softnet(&mut self, text: &str, at: Place, going: bool, facts: &mut Facts) -> bool {
        let words: Vec<&str> = text.split_whitespace().collect();
        let hex = |w: &&str| w.len() == 8 && w.bytes().all(|b| b.is_ascii_hexdigit());
        if words.len() < 9 || !words.iter().all(hex) {
            return false;
        }
        if !going || self.kind != "/proc/net/softnet_stat" {
            self.host = Some(facts.host());
        }
        self.kind = "/proc/net/softnet_stat";
        let dropped = u32::from_str_radix(words[1], 16).unwrap_or(0);
        if let Some(host) = self.host {
            let processor = if going { self.processors + 1 } else { 0 };
            self.processors = processor;
            let name = ("nic_drops", "softnet");
            facts.counted(
                host,
                &format!("processor {processor}"),
                name,
                dropped.into(),
                at,
            );
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::is_counter;
    use crate::read::{Source, read};

    /// Behind a list with and without prompts; the whole list has lines with a number in their middle, too.
    #[test]
    fn what_stands_behind_a_list_is_of_its_own_tool() {
        let list = "Ip:\n    Forwarding: 2\n    8122 total packets received\nIcmp:\n    ICMP input histogram:\n        echo requests: 3\nTcp:\n    812 segments retransmitted\nTcpExt:\n    Quick ack mode was activated 12 times\n    TCPTimeouts: 4\n";
        let part = "    812 segments retransmitted\n    TCPTimeouts: 4\n";
        let setting = "net.ipv4.tcp_rmem = 4096\t131072\t6291456\n";
        let speed = "\tSpeed: 10000Mb/s\n";
        for (text, says) in [
            (
                format!("recv$ netstat -s\n{list}recv$ sysctl net.ipv4.tcp_rmem\n{setting}"),
                "rmem_max_bytes",
            ),
            (
                format!(
                    "recv$ netstat -s | grep -i -e retrans -e timeouts\n{part}recv$ sysctl net.ipv4.tcp_rmem\n{setting}"
                ),
                "rmem_max_bytes",
            ),
            (format!("{part}{setting}"), "rmem_max_bytes"),
            (format!("{list}{setting}"), "rmem_max_bytes"),
            (
                format!("recv$ netstat -s\n{list}recv$ ethtool eth0 | grep Speed\n{speed}"),
                "nic_bps",
            ),
            (format!("{part}{speed}"), "nic_bps"),
            (format!("{list}Settings for eth0:\n{speed}"), "nic_bps"),
        ] {
            let source = Source {
                name: "a.txt".to_owned(),
                bytes: text.as_bytes().to_vec(),
            };
            let facts = read(&[source]);
            for (name, value) in [("host_retransmits", 812.0), ("host_timeouts", 4.0)] {
                let mut said = facts.facts.iter().filter(|f| f.name == name);
                let said = said.find_map(|f| f.number());
                assert_eq!(said.map(|n| n.value), Some(value), "{text}");
            }
            assert!(facts.facts.iter().any(|f| f.name == says), "{text}");
            assert_eq!(facts.ignored_count, [0], "{text}");
        }
    }

    /// Without `-a` it is what was counted since the last call of the host: what stood there before is added, or the count begins there.
    #[test]
    fn a_call_without_absolute_values_counts_from_the_one_before() {
        let row = |value: u32| format!("#kernel\nTcpRetransSegs  {value}  0.0\n");
        let (few, more) = (row(8), row(95));
        for (text, stands) in [
            (format!("a$ nstat\n{more}"), vec![95.0]),
            (
                format!("a$ nstat -n; sleep 11; nstat\n{more}"),
                vec![0.0, 95.0],
            ),
            (format!("a$ nstat -n\na$ nstat\n{more}"), vec![0.0, 95.0]),
            (format!("a$ nstat -n\nb$ nstat\n{more}"), vec![95.0]),
            (format!("a$ nstat\n{few}a$ nstat\n{more}"), vec![8.0, 103.0]),
            (
                format!("a$ nstat; sleep 5; nstat\n{few}{more}"),
                vec![8.0, 103.0],
            ),
            (
                format!("a$ nstat -az\n{few}a$ nstat -az\n{more}"),
                vec![8.0, 95.0],
            ),
        ] {
            let source = Source {
                name: "a.txt".to_owned(),
                bytes: text.as_bytes().to_vec(),
            };
            let facts = read(&[source]);
            let all = facts.facts.iter().filter(|f| f.name == "host_retransmits");
            let all: Vec<f64> = all.filter_map(|f| Some(f.number()?.value)).collect();
            assert_eq!(all, stands, "{text}");
        }
    }

    /// In a whole list, and alone behind `grep`.
    #[test]
    fn how_often_tcp_ran_low_on_memory_is_read() {
        for text in [
            "recv$ netstat -s\nTcpExt:\n    812 resets received for embryonic SYN_RECV sockets\n    TCP ran low on memory 12 times\n",
            "recv$ netstat -s | grep memory\n    TCP ran low on memory 12 times\n",
        ] {
            let facts = read(&[Source {
                name: "t.txt".to_owned(),
                bytes: text.as_bytes().to_vec(),
            }]);
            let mut all = facts.facts.iter();
            let found = all.find(|f| f.name == "host_memory_pressures");
            let value = found.and_then(|f| f.number()).map(|n| n.value);
            assert_eq!(value, Some(12.0), "{text}");
        }
    }

    #[test]
    fn forms_of_counters_are_known() {
        for text in [
            "946 segments retransmitted",
            "TCPLossProbes: 445",
            "echo requests: 3",
            "Tcp:",
        ] {
            assert!(is_counter(text), "{text}");
        }
        for text in [
            "Speed: 10000Mb/s",
            "Settings for eth0:",
            "64 bytes from 192.0.2.1: icmp_seq=1 ttl=60 time=100 ms",
            "rx_crc_errors: 12",
            "2: eth0: <UP> mtu 1500",
        ] {
            assert!(!is_counter(text), "{text}");
        }
    }
}
