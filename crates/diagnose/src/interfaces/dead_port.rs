//! Ports of switches and routers without a link: what explains that nothing answers before a firewall does.

use std::collections::BTreeSet;

use crate::document::MissingFact;
use crate::evidence::Evidence;
use crate::fact::Of;
use crate::flows::flow::word;
use crate::interfaces::port::{Kind, Port, PortReading};
use crate::reach::network_log::Seen;
use crate::read::Facts;
use crate::read::kernel_log::links::{DOWN, UP};

/// The word of a port that was asked for and has no link, with its state.
pub(crate) const UNLINKED: &str = "port_unlinked";

/// How what is said first of such a port begins.
pub(crate) const DEAD: &str = "nothing answers, and a port is down: ";

/// From here on down a port has no light, dBm: optics of long reach receive down to -28 or so with errors, and a port without light shows -30 or -40.
const NO_LIGHT: f64 = -29.0;

/// A port that carries nothing.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DeadPort {
    /// What says so, for people.
    said: String,
    /// What shows why.
    asks: MissingFact,
}

impl DeadPort {
    /// The port that texts show to carry nothing: one that its switch shut, or else one without light or without a link.
    pub(crate) fn of(facts: &Facts, log: &[Seen]) -> Option<DeadPort> {
        if let Some(shut) = log.iter().find(|seen| seen.is_shut()) {
            return Some(DeadPort {
                said: shut.means(),
                asks: shut.asks_why_shut(),
            });
        }
        let unlinked = word(facts, Of::Path, UNLINKED);
        let first = unlinked.and_then(|(said, _)| said.split(' ').next());
        let own =
            |r: &&PortReading| first.is_none_or(|name| numbers(name) == numbers(&r.port.name));
        let dark = dark(facts).filter(own);
        let (said, at) = match (unlinked, dark) {
            (Some((said, at)), _) => (said.to_owned(), at),
            (None, Some(dark)) if went_down(facts) => (dark.port.named("a router's port"), dark.at),
            _ => return None,
        };
        let place = facts.place(at);
        let Some(dark) = dark else {
            return Some(DeadPort {
                said: format!("{place}: {said}"),
                asks: of_link(&said),
            });
        };
        let said = format!(
            "{said}; it receives {:.1} dBm, too little for any link ({})",
            dark.value,
            facts.place(dark.at)
        );
        let asks = of_light(&said);
        Some(DeadPort {
            said: format!("{place}: {said}"),
            asks,
        })
    }

    /// What is said first of it, where nothing answers.
    pub(crate) fn said(&self) -> String {
        format!("{DEAD}{}", self.said)
    }

    /// What shows why it is down.
    pub(crate) fn asks(&self) -> MissingFact {
        self.asks.clone()
    }
}

impl Evidence {
    /// Whether pings were sent, and none was answered.
    pub(crate) fn answers_no_ping(&self) -> bool {
        self.idle_loss.as_ref().is_some_and(|l| l.value >= 1.0)
    }

    /// A port without a link, where no ping was answered and nothing was measured.
    pub(crate) fn dead_port(&self) -> Option<&DeadPort> {
        let port = self.around.dead_port.as_ref();
        port.filter(|_| self.answers_no_ping() && self.rate.is_none())
    }
}

/// The last reading of light of the only port that has some, where that receives none. Of several nothing says which is on the way.
fn dark(facts: &Facts) -> Option<&PortReading> {
    let mut all = facts.ports.iter().filter(|r| r.kind == Kind::Received);
    let ports: BTreeSet<&Port> = all.clone().map(|r| &r.port).collect();
    let last = all.next_back().filter(|_| ports.len() == 1)?;
    (last.value <= NO_LIGHT).then_some(last)
}

/// What stands behind the kind in the name of a port: `49/1` of `Et49/1` and of `Ethernet49/1`.
fn numbers(name: &str) -> &str {
    name.trim_start_matches(|c: char| c.is_ascii_alphabetic())
}

/// Whether the last line of a log about a link says that it went down.
fn went_down(facts: &Facts) -> bool {
    let last = |name: &str| facts.all_words(name).map(|(fact, _)| fact.at).max();
    last(DOWN).is_some_and(|down| last(UP).is_none_or(|up| up < down))
}

fn of_light(said: &str) -> MissingFact {
    MissingFact {
        fact: "port_down",
        would_decide: format!(
            "why nothing answers, where the way to that host leads through this port: {said}. The fibre is cut or unplugged, a patch is at the wrong port, or the optics at the other end send nothing"
        ),
        command: "at both ends of that link: show interfaces transceiver (Junos: show interfaces diagnostics optics): where the other end sends light, the fibre or a patch between is at fault, and an OTDR or a light meter at each patch panel finds the place; where it does not, its port (shutdown) or its optics".to_owned(),
    }
}

fn of_link(said: &str) -> MissingFact {
    MissingFact {
        fact: "port_down",
        would_decide: format!(
            "why nothing answers, where the way to that host leads through this port: {said}"
        ),
        command: "at both ends of that link: show interfaces status, show interfaces transceiver details, show logging: the cable or fibre and its plugs, the optics, a port at the other end that is shut, or a device there without power".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reach::network_log::seen;
    use crate::read::{Source, read};

    const STATUS: &str = "\
leaf3#show interfaces et49/1 status
Port       Name            Status       Vlan     Duplex Speed  Type            Flags Encapsulation
Et49/1     GVA-ZRH-0042    notconnect   routed   full   100G   100GBASE-LR4
";
    const LIGHT: &str = "\
leaf3#show interfaces et49/1 transceiver
                             Bias      Optical   Optical
          Temp      Voltage  Current   Tx Power  Rx Power
Port      (Celsius) (Volts)  (mA)      (dBm)     (dBm)     Last Update
-----     --------- -------- --------  --------  --------  -------------------
Et49/1     34.10     3.29     38.20     1.10     -30.00    0:00:02 ago
";
    const LOGGED: &str = "\
leaf3#show logging | i 49/1
Nov 25 01:02:11 leaf3 Ebra: %LINEPROTO-5-UPDOWN: Line protocol on Interface Ethernet49/1, changed state to down
";

    fn of(text: &str) -> Option<DeadPort> {
        let facts = read(&[Source {
            name: "t.txt".to_owned(),
            bytes: text.as_bytes().to_vec(),
        }]);
        DeadPort::of(&facts, &seen(&facts))
    }

    /// A firewall that drops pings was all that was said.
    #[test]
    fn a_port_without_light_is_the_fibre_first() {
        for text in [
            format!("{STATUS}{LIGHT}{LOGGED}"),
            format!("{LIGHT}{LOGGED}"),
        ] {
            let dead = of(&text).expect("it is down");
            assert!(dead.said().contains("-30.0 dBm"), "{}", dead.said());
            assert!(dead.asks().would_decide.contains("fibre"));
        }
        let dead = of(STATUS).expect("it has no link");
        assert!(dead.said().contains("Et49/1 of leaf3"), "{}", dead.said());
        assert!(!dead.asks().would_decide.contains("fibre"));
    }

    /// A port with light and a link, unused ones in a table of all, and a link that came up again, are down nowhere.
    #[test]
    fn ports_that_are_up_or_not_asked_for_are_not_dead() {
        let up = STATUS.replace("notconnect", "connected ");
        let all = STATUS.replace(" et49/1 status", " status");
        let lit = LIGHT.replace("-30.00", "-4.10");
        let again = LOGGED.replace("to down", "to up");
        for text in [
            up,
            all,
            LIGHT.to_owned(),
            format!("{lit}{LOGGED}"),
            format!("{LIGHT}{LOGGED}{again}"),
        ] {
            assert_eq!(of(&text), None, "{text}");
        }
    }

    #[test]
    fn a_port_that_its_switch_shut_is_named_with_its_reason() {
        let row = "\
acc-c3#show interfaces status | i Gi1/0/9
Gi1/0/9   prn-srv            err-disabled 80         auto   auto 10/100/1000BaseTX
";
        let dead = of(row).expect("it is shut");
        assert!(dead.said().contains("Gi1/0/9 of acc-c3"), "{}", dead.said());
        assert!(dead.asks().command.contains("bpduguard"));
    }
}
