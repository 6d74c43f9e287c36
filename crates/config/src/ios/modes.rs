//! What each mode of IOS knows, as far as nesting needs it.

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

const INTERFACE: [&str; 34] = [
    "access-group",
    "atm",
    "bandwidth",
    "carrier-delay",
    "channel-group",
    "channel-protocol",
    "clock",
    "crc",
    "delay",
    "description",
    "duplex",
    "encapsulation",
    "flowcontrol",
    "hold-queue",
    "keepalive",
    "lacp",
    "load-interval",
    "media-type",
    "mtu",
    "negotiation",
    "platform",
    "pos",
    "priority-queue",
    "pvc",
    "rcv-queue",
    "rx-queue",
    "service-policy",
    "shutdown",
    "speed",
    "srr-queue",
    "storm-control",
    "switchport",
    "tx-queue",
    "wrr-queue",
];

/// After `mls qos`, on an interface and nowhere else.
const INTERFACE_MLS: [&str; 9] = [
    "bridged",
    "channel-consistency",
    "cos",
    "dscp-mutation",
    "exp-mutation",
    "loopback",
    "mpls",
    "trust",
    "vlan-based",
];

/// After `ip`, on an interface and nowhere else.
const INTERFACE_IP: [&str; 12] = [
    "access-group",
    "address",
    "directed-broadcast",
    "helper-address",
    "mtu",
    "ospf",
    "pim",
    "proxy-arp",
    "redirects",
    "router",
    "unreachables",
    "verify",
];

/// After `spanning-tree`, on an interface, unless `default` follows.
const SPANNING_TREE: [&str; 6] = [
    "bpdufilter",
    "bpduguard",
    "cost",
    "guard",
    "port-priority",
    "portfast",
];

const CLASS: [&str; 11] = [
    "bandwidth",
    "fair-queue",
    "police",
    "priority",
    "queue-limit",
    "random-detect",
    "service-policy",
    "set",
    "shape",
    "trust",
    "wred",
];

const PVC: [&str; 15] = [
    "abr",
    "broadcast",
    "cbr",
    "class-vc",
    "encapsulation",
    "inarp",
    "oam",
    "oam-pvc",
    "protocol",
    "service-policy",
    "tx-ring-limit",
    "ubr",
    "ubr+",
    "vbr-nrt",
    "vbr-rt",
];

/// Commands of the configuration itself that end a section which has lost its indentation.
const GLOBAL: [&str; 56] = [
    "aaa",
    "access-list",
    "alias",
    "archive",
    "arp",
    "banner",
    "boot",
    "cdp",
    "class-map",
    "clock",
    "control-plane",
    "crypto",
    "diagnostic",
    "dot1x",
    "enable",
    "errdisable",
    "event",
    "hostname",
    "interface",
    "ip",
    "ipv6",
    "key",
    "line",
    "logging",
    "mac",
    "mac-address-table",
    "macro",
    "mls",
    "module",
    "monitor",
    "mpls",
    "ntp",
    "port-channel",
    "policy-map",
    "power",
    "process-max-time",
    "redundancy",
    "rmon",
    "route-map",
    "router",
    "scheduler",
    "service",
    "snmp-server",
    "spanning-tree",
    "system",
    "tacacs-server",
    "tftp-server",
    "udld",
    "upgrade",
    "username",
    "version",
    "vlan",
    "vrf",
    "vtp",
    "radius-server",
    "table-map",
];

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
    let mut words = content.split_whitespace();
    let mut word = words.next();
    while matches!(word, Some("no" | "default")) {
        word = words.next();
    }
    let Some(word) = word else { return false };
    match mode {
        Mode::Global | Mode::Plain => false,
        Mode::Interface => match word {
            "mls" => {
                words.next() == Some("qos")
                    && words.next().is_some_and(|w| INTERFACE_MLS.contains(&w))
            }
            "ip" => words.next().is_some_and(|w| INTERFACE_IP.contains(&w)),
            "spanning-tree" => {
                words.next().is_some_and(|w| SPANNING_TREE.contains(&w))
                    && words.next() != Some("default")
            }
            _ => INTERFACE.binary_search(&word).is_ok(),
        },
        Mode::ClassMap => matches!(word, "match" | "description"),
        Mode::PolicyMap => matches!(word, "class" | "description"),
        Mode::Class => CLASS.contains(&word),
        Mode::Pvc => PVC.contains(&word),
    }
}

/// Whether the first word, after `no` or `default`, is a command of the configuration itself.
pub(crate) fn is_global(content: &str) -> bool {
    let mut words = content.split_whitespace();
    let first = words.find(|w| !matches!(*w, "no" | "default"));
    first.is_some_and(|w| GLOBAL.contains(&w))
}

/// Whether a command of the configuration itself has no bearing on queues, classes and circuits.
pub(crate) fn is_passed_over(word: &str) -> bool {
    GLOBAL.contains(&word) && !matches!(word, "interface" | "class-map" | "policy-map" | "mls")
}

/// Whether the line leaves a section.
pub(crate) fn leaves(content: &str) -> bool {
    matches!(content, "exit" | "end" | "quit") || content.starts_with("exit-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interface_commands_are_in_order() {
        assert!(INTERFACE.is_sorted());
    }

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
