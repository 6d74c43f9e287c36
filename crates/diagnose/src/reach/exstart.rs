//! Neighbours of OSPF that stay in EXSTART: their interfaces have unlike MTUs (RFC 2328 §10.6), and the cure is to make both alike.

use crate::document::Change;
use crate::fact::{Of, Place};
use crate::flows::flow::word;
use crate::interfaces::port::{Kind, PortReading};
use crate::read::Facts;

/// A neighbour that stays there, as facts have it.
const STARTS: &str = "ospf_exstart";

impl Facts {
    /// Notes `10.255.0.7  1  EXSTART/DR  00:00:33  10.0.77.2  Gi0/1`, and what a router logs of it; their readers take the lines.
    pub(crate) fn starts_exchange(&mut self, text: &str, at: Place) {
        let table = text.contains(" EXSTART/") || text.contains(" ExStart ");
        let logged = text.contains("OSPF") && text.contains("from EXSTART to ");
        if (table || logged) && text.len() < 400 {
            self.word_once(STARTS, "EXSTART", at);
        }
    }
}

/// What to change where two interfaces with unlike MTUs were read beside such a neighbour.
pub(crate) fn change(facts: &Facts) -> Option<Change> {
    let (_, at) = word(facts, Of::Path, STARTS)?;
    let all = facts.ports.iter().filter(|r| r.kind == Kind::Mtu);
    let first = all.clone().next()?;
    let apart = |r: &&PortReading| r.port != first.port && (r.value - first.value).abs() >= 1.0;
    let other = all.clone().find(apart)?;
    let named = |r: &PortReading| format!("{} ({:.0})", r.port.named("an interface"), r.value);
    Some(Change {
        host: "both routers of that link".to_owned(),
        commands: vec![
            format!(
                "make the MTUs of {} and {} alike: mtu or ip mtu at the interface. OSPF stays in EXSTART ({}) while they differ (RFC 2328 §10.6)",
                named(first),
                named(other),
                facts.place(at)
            ),
            "until then, at both interfaces: ip ospf mtu-ignore. The neighbours come up, and packets larger than the smaller MTU are lost all the same".to_owned(),
        ],
        undo: vec!["the MTU that each interface had; no ip ospf mtu-ignore".to_owned()],
        risk: "a change of the MTU may take the link down for a moment; a larger one has to pass at all that lies between".to_owned(),
        ..Change::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{Source, read};

    fn of(text: &str) -> Option<Change> {
        change(&read(&[Source {
            name: "t.txt".to_owned(),
            bytes: text.as_bytes().to_vec(),
        }]))
    }

    /// The sender was to send smaller packets.
    #[test]
    fn neighbours_in_exstart_get_alike_mtus() {
        let neighbour = "10.255.0.7        1   EXSTART/DR      00:00:33    10.0.77.2       GigabitEthernet0/1\n";
        let port = |router: &str, name: &str, mtu: u32| {
            format!(
                "{router}#show interfaces {name} | i MTU\n  MTU {mtu} bytes, BW 1000000 Kbit/sec, DLY 10 usec,\n"
            )
        };
        let ports = |mtu: u32| {
            let one = port("rtr-a", "GigabitEthernet0/1", 9000);
            format!("{one}{}", port("rtr-b", "GigabitEthernet0/2", mtu))
        };
        let unlike = format!("{neighbour}{}", ports(1500));
        let change = of(&unlike).expect("both are to be alike");
        assert!(change.commands[0].contains("(1500)"), "{change:#?}");
        assert!(of(&ports(1500)).is_none());
        let alike = format!("{neighbour}{}", ports(9000));
        assert!(of(&alike).is_none());
    }
}
