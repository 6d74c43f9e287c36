//! What each mode of IOS knows, as far as nesting needs it.

use crate::commands::{Words, fit};

/// The mode a line opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// No section: the configuration itself.
    Global,
    /// `interface …`.
    Interface,
    /// `class-map …`.
    ClassMap,
    /// `policy-map …`.
    PolicyMap,
    /// `class …` of a policy map.
    Class,
    /// `pvc …` of an ATM interface.
    Pvc,
    /// Any other line.
    Plain,
}

/// What stands on an interface and nowhere else, as patterns.
const INTERFACE: [&str; 5] = [
    "access-group|atm|bandwidth|carrier-delay|channel-group|channel-protocol|clock|crc|delay|description|duplex|encapsulation|flowcontrol|full-duplex|half-duplex|hold-queue|keepalive|lacp|load-interval",
    "media-type|mtu|negotiation|pos|priority-queue|pvc|queue-set|rate-limit|rcv-queue|rx-queue|service-policy|shutdown|speed|srr-queue|storm-control|switchport|tunnel|tx-queue|wrr-queue",
    "mls qos bridged|channel-consistency|cos|dscp-mutation|exp-mutation|loopback|mpls|trust|vlan-based",
    "ip access-group|address|directed-broadcast|helper-address|mtu|ospf|pim|proxy-arp|redirects|router|unreachables|verify",
    "spanning-tree bpdufilter|bpduguard|cost|guard|port-priority|portfast",
];

/// A command that begins like one of these and belongs to the configuration itself.
const NOT_INTERFACE: &str = "spanning-tree * default";

const CLASS: &str = "bandwidth|fair-queue|police|priority|queue-buffers|queue-limit|random-detect|service-policy|set|shape|trust|wred";

const PVC: &str = "abr|broadcast|cbr|class-vc|encapsulation|inarp|oam|oam-pvc|protocol|service-policy|tx-ring-limit|ubr|ubr+|vbr-nrt|vbr-rt";

/// Commands of the configuration itself that farpath reads.
const READ: &str = "interface|class-map|policy-map|mls";

/// Others, with no bearing on queues, classes and circuits. Like those they end a section which has
/// lost its indentation.
pub(super) const OTHERS: &str = "aaa|access-list|alias|archive|arp|banner|boot|cdp|clock|control-plane|crypto|diagnostic|dot1x|enable|errdisable|event|hostname|ip|ipv6|key|line|logging|mac|mac-address-table|macro|module|monitor|license|mpls|ntp|platform|port-channel|power|process-max-time|redundancy|rmon|route-map|router|scheduler|service|snmp-server|spanning-tree|boot-start-marker|boot-end-marker|authentication|auto|multilink|subscriber|switch|sdm|login|track|transceiver|object-group|call-home|netconf-yang|restconf|sampler|time-range|lldp|vstack|system|tacacs-server|tftp-server|udld|upgrade|username|version|vlan|vrf|vtp|radius-server|table-map";

/// Days of the week as a router begins the time with them.
const DAYS: [&str; 7] = ["Mon ", "Tue ", "Wed ", "Thu ", "Fri ", "Sat ", "Sun "];

/// What a terminal shows around a configuration: the command, and what IOS says before it answers.
pub(super) fn is_listing(content: &str) -> bool {
    let shown = "Building configuration...|Current configuration|Using * out of";
    let said = |begin: &str| match begin.split_once(" * ") {
        Some((first, then)) => content.starts_with(first) && content.contains(then),
        None => content.starts_with(begin),
    };
    if shown.split('|').any(said) {
        return true;
    }
    // The time of day above what IOS XR shows.
    let day = content.get(..4).is_some_and(|d| DAYS.contains(&d));
    if day && content.contains(':') {
        return true;
    }
    let Some((host, command)) = content.split_once(['#', '>']) else {
        return false;
    };
    let is_name = |c: char| c.is_ascii_alphanumeric() || "-_.()/:".contains(c);
    let command = command.trim();
    !host.is_empty()
        && host.chars().all(is_name)
        && (command.is_empty() || command.starts_with("sh"))
}

/// The mode `content` opens when it stands in `inside`.
pub(crate) fn opened(inside: Mode, content: &str) -> Mode {
    match (inside, content.split_whitespace().next()) {
        (Mode::PolicyMap, Some("class")) => Mode::Class,
        (Mode::Interface, Some("pvc")) => Mode::Pvc,
        (_, Some("interface" | "int")) => Mode::Interface,
        (_, Some("class-map")) => Mode::ClassMap,
        (_, Some("policy-map")) => Mode::PolicyMap,
        _ => Mode::Plain,
    }
}

/// Whether `mode` has the command and the configuration itself has not.
pub(crate) fn knows(mode: Mode, content: &str) -> bool {
    let words = command(content);
    let is = |pattern: &str| fit(pattern, words).is_some();
    match mode {
        Mode::Global | Mode::Plain => false,
        Mode::Interface => INTERFACE.into_iter().any(is) && !is(NOT_INTERFACE),
        Mode::ClassMap => is("match|description"),
        Mode::PolicyMap => is("class|description"),
        Mode::Class => is(CLASS),
        Mode::Pvc => is(PVC),
    }
}

/// Whether the first word, after `no` or `default`, is a command of the configuration itself.
pub(crate) fn is_global(content: &str) -> bool {
    let words = command(content);
    is_listing(content) || [READ, OTHERS].iter().any(|p| fit(p, words).is_some())
}

/// The words after every `no` and `default`.
fn command(content: &str) -> Words<'_> {
    let mut words = Words::new(content, 0);
    while words
        .peek()
        .is_some_and(|w| matches!(w.text, "no" | "default"))
    {
        words.next();
    }
    words
}

/// What ends a section of IOS, and of IOS XR.
const ENDS: [&str; 5] = [
    "exit-",
    "end-policy",
    "end-class-map",
    "end-set",
    "end-group",
];

/// Whether the line leaves a section.
pub(crate) fn leaves(content: &str) -> bool {
    matches!(content, "exit" | "end" | "quit" | "root")
        || ENDS.iter().any(|end| content.starts_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mls_qos_is_told_apart() {
        assert!(knows(Mode::Interface, "mls qos trust cos"));
        assert!(knows(Mode::Interface, "no mls qos trust"));
        assert!(!knows(Mode::Interface, "mls qos"));
        assert!(!knows(
            Mode::Interface,
            "mls qos map cos-dscp 0 8 16 24 32 40 48 56"
        ));
    }
}
