//! What switches and routers log of the network beside its links: hosts that flap between ports, spanning trees that change, and neighbours
//! of OSPF and BGP that were lost.

use super::links::second_of_day;
use crate::fact::Of;
use crate::read::{Facts, Line};

/// The words of a path of which a log shows a loop, and of one whose neighbour was lost: what was said, for people.
pub(crate) const LOOP: &str = "loop_event";
pub(crate) const NEIGHBOUR: &str = "neighbour_event";

/// When a line said one of them, seconds of the day by the clock of its log.
pub(crate) const SECOND: &str = "event_second";

/// Most lines that are kept.
const KEPT_MAX: usize = 1000;

/// The state of reading: how many lines were kept.
#[derive(Default)]
pub(super) struct Events {
    kept: usize,
}

impl Events {
    /// Takes a line that says one of them.
    pub(super) fn line(&mut self, line: Line<'_>, facts: &mut Facts) -> bool {
        let found = of_others(line.bare).or_else(|| event(line.bare));
        let Some((name, said)) = found else {
            return false;
        };
        if let Some(said) = said
            && self.kept < KEPT_MAX
        {
            self.kept += 1;
            facts.word(Of::Path, name, &said, line.at);
            if let Some(second) = second_of_day(line.bare) {
                facts.exact(Of::Path, SECOND, second, line.at);
            }
        }
        true
    }
}

/// What a line says, if it is of such an event; nothing besides of one that is over.
fn event(text: &str) -> Option<(&'static str, Option<String>)> {
    let (_, message) = text.split_once('%')?;
    let (mnemonic, said) = message.split_once(": ")?;
    if mnemonic.ends_with("MACFLAP_NOTIF") || mnemonic.ends_with("MAC_MOVE") {
        return Some((LOOP, flapping(said)));
    }
    if mnemonic.starts_with("SPANTREE-") {
        let changes = said.contains(" to blocking") || said.starts_with("Topology Change");
        return Some((LOOP, changes.then(|| "spanning tree changed".to_owned())));
    }
    if mnemonic.contains("OSPF") && mnemonic.ends_with("-ADJCHG") {
        return Some((NEIGHBOUR, lost("OSPF", said, "Nbr ", " to DOWN")));
    }
    if mnemonic.contains("BGP") && mnemonic.ends_with("-ADJCHANGE") {
        return Some((NEIGHBOUR, lost("BGP", said, "neighbor ", " Down")));
    }
    None
}

/// What marks a line of a neighbour of other protocols and systems, the protocol, the words before the neighbour, and those of one that was
/// lost: of Junos, IOS (IS-IS, EIGRP), NX-OS and EOS.
const OTHERS: [(&str, [&str; 3]); 8] = [
    ("RPD_OSPF_NBR", ["OSPF", "neighbor ", " to Down"]),
    (
        "RPD_BGP_NEIGHBOR_STATE_CHANGED",
        ["BGP", "peer ", " from Established to "],
    ),
    ("RPD_ISIS_ADJ", ["IS-IS", "djacency to ", "IS-IS lost "]),
    ("%CLNS-5-ADJCHANGE", ["IS-IS", "djacency to ", " Down"]),
    ("-ISIS-4-ADJCHANGE", ["IS-IS", "djacency to ", " Down"]),
    ("-NBRCHANGE: ", ["EIGRP", "Neighbor ", " is down"]),
    ("%OSPF-5-ADJCHANGE", ["OSPF", "Nbr ", " DOWN"]),
    (
        "-ADJCHANGE: peer ",
        ["BGP", "peer ", "old state Established"],
    ),
];

/// The same of other systems: `RPD_BGP_NEIGHBOR_STATE_CHANGED: BGP peer 192.0.2.254 (External AS 65010) changed state from Established to Idle`,
/// `%DUAL-5-NBRCHANGE: EIGRP-IPv4 100: Neighbor 192.0.2.2 (Gi0/0) is down: holding time expired`, `%ETH-4-HOST_FLAPPING: Host …`.
fn of_others(text: &str) -> Option<(&'static str, Option<String>)> {
    let moved = ["-HOST_FLAPPING: ", "L2ALD_MAC_MOVE_NOTIF"];
    if moved.iter().any(|mark| text.contains(*mark)) {
        return Some((LOOP, Some("a host flaps between two ports".to_owned())));
    }
    let mut all = OTHERS.iter();
    let (_, [protocol, before, down]) = all.find(|(mark, _)| text.contains(*mark))?;
    let name = || {
        let (_, rest) = text.split_once(*before)?;
        let name = rest.split_whitespace().next()?;
        Some(crate::address(name.trim_end_matches([',', ':'])))
    };
    let lost = name().filter(|_| text.contains(*down));
    let said = lost.map(|name| format!("{protocol} lost its neighbour {name}"));
    Some((NEIGHBOUR, said))
}

/// `Host 0000.5e00.5301 in vlan 80 is flapping between port Gi1/0/7 and port Te1/1/1`, `Mac 0000.5e00.5301 in vlan 80 has moved from Po1 to Eth1/2`:
/// whichever of the two comes first.
fn flapping(said: &str) -> Option<String> {
    let (_, rest) = said.split_once(" in vlan ")?;
    let vlan = rest.split_whitespace().next()?;
    let (_, ports) = rest
        .split_once(" between ")
        .or_else(|| rest.split_once(" moved from "))?;
    let (one, other) = ports
        .split_once(" and ")
        .or_else(|| ports.split_once(" to "))?;
    let name = |text: &str| {
        let text = text.trim().trim_start_matches("port ");
        let first = text.split_whitespace().next().unwrap_or("");
        first.trim_end_matches([',', '.']).to_owned()
    };
    let mut ports = [name(one), name(other)];
    ports.sort();
    let [one, other] = ports;
    Some(format!(
        "a host in vlan {vlan} flaps between the ports {one} and {other}"
    ))
}

/// A neighbour of a protocol that went down: `Process 1, Nbr 192.0.2.254 on Te0/0/0/1 from FULL to DOWN, Neighbor Down: Dead timer expired`,
/// `neighbor 192.0.2.254 Down BGP Notification sent`.
fn lost(protocol: &str, said: &str, before: &str, down: &str) -> Option<String> {
    let (_, rest) = said.split_once(before)?;
    let (neighbour, why) = rest.split_once(down)?;
    let mut words = neighbour.split_whitespace();
    let name = crate::address(words.next()?);
    let port = match (words.next(), words.next()) {
        (Some("on"), Some(port)) => format!(" on {port}"),
        _ => String::new(),
    };
    let why = why.rsplit(": ").next().unwrap_or("").trim();
    let why = match why {
        "" => String::new(),
        why => format!(" ({why})"),
    };
    Some(format!("{protocol} lost its neighbour {name}{port}{why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// They were lines that no known tool prints.
    #[test]
    fn other_systems_and_protocols_lose_neighbours_too() {
        for (text, lost) in [
            (
                "Nov 25 02:41:04 r1 rpd[1742]: RPD_OSPF_NBRDOWN: OSPF neighbor 192.0.2.254 (realm ospf-v2 ge-0/0/0.0 area 0.0.0.0) state changed from Full to Down due to InActiveTimer",
                Some("OSPF lost its neighbour 192.0.2.254"),
            ),
            (
                "Nov 25 02:41:04 r1 rpd[1742]: RPD_BGP_NEIGHBOR_STATE_CHANGED: BGP peer 192.0.2.254 (External AS 65010) changed state from Established to Idle (event HoldTime)",
                Some("BGP lost its neighbour 192.0.2.254"),
            ),
            (
                "Nov 25 02:41:04: %CLNS-5-ADJCHANGE: ISIS: Adjacency to r2 (Gi0/0) Down, hold time expired",
                Some("IS-IS lost its neighbour r2"),
            ),
            (
                "Nov 25 02:41:04: %DUAL-5-NBRCHANGE: EIGRP-IPv4 100: Neighbor 192.0.2.2 (Gi0/0) is down: holding time expired",
                Some("EIGRP lost its neighbour 192.0.2.2"),
            ),
            (
                "Nov 25 02:41:04: %BGP-5-ADJCHANGE: peer 192.0.2.254 (VRF default AS 65001) old state Established event HoldTime new state Idle",
                Some("BGP lost its neighbour 192.0.2.254"),
            ),
            (
                "Nov 25 02:41:14 r1 rpd[1742]: RPD_BGP_NEIGHBOR_STATE_CHANGED: BGP peer 192.0.2.254 (External AS 65010) changed state from OpenConfirm to Established (event RecvKeepAlive)",
                None,
            ),
            (
                "Nov 25 02:41:14: %DUAL-5-NBRCHANGE: EIGRP-IPv4 100: Neighbor 192.0.2.2 (Gi0/0) is up: new adjacency",
                None,
            ),
        ] {
            let said = of_others(text).expect(text);
            assert_eq!(said, (NEIGHBOUR, lost.map(str::to_owned)), "{text}");
        }
        assert_eq!(of_others("we lost our BGP peer"), None);
    }

    #[test]
    fn switches_and_routers_name_what_went() {
        let said = |text: &str| event(text).and_then(|(kind, said)| Some((kind, said?)));
        let flap = |ports: &str| {
            format!(
                "Nov 25 02:51:02.611: %SW_MATM-4-MACFLAP_NOTIF: Host 0000.5e00.5301 in vlan 80 is flapping between {ports}"
            )
        };
        let between = "a host in vlan 80 flaps between the ports Gi1/0/7 and Te1/1/1";
        for ports in [
            "port Gi1/0/7 and port Te1/1/1",
            "port Te1/1/1 and port Gi1/0/7",
        ] {
            assert_eq!(said(&flap(ports)), Some((LOOP, between.to_owned())));
        }
        let ospf = |state: &str| {
            format!(
                "Nov 25 02:41:04.301: %OSPF-5-ADJCHG: Process 1, Nbr 192.0.2.254 on TenGigE0/0/0/1 from {state}"
            )
        };
        let lost = "OSPF lost its neighbour 192.0.2.254 on TenGigE0/0/0/1 (Dead timer expired)";
        let down = ospf("FULL to DOWN, Neighbor Down: Dead timer expired");
        assert_eq!(said(&down), Some((NEIGHBOUR, lost.to_owned())));
        // What came back is known, and no event.
        let back = event(&ospf("LOADING to FULL, Loading Done"));
        assert_eq!(back, Some((NEIGHBOUR, None)));
        let bgp =
            "Nov 25 02:41:04: %BGP-5-ADJCHANGE: neighbor 192.0.2.254 Down Peer closed the session";
        let lost = "BGP lost its neighbour 192.0.2.254 (Peer closed the session)";
        assert_eq!(said(bgp), Some((NEIGHBOUR, lost.to_owned())));
        for other in [
            "%LINK-3-UPDOWN: Interface GigabitEthernet0/8, changed state to down",
            "99 %: all of it",
            "a host flaps",
        ] {
            assert_eq!(event(other), None, "{other}");
        }
    }
}
