//! `show ip interface` of IOS: whether a router answers to packets that are too large.

use super::{Facts, Line, Tool};
use crate::fact::Of;
use crate::words::{behind_show, shortens};

/// The word of an interface of a router that sends no ICMP unreachables: the router and the interface.
pub(crate) const UNREACHABLES_OFF: &str = "unreachables_off";

/// What it prints of them.
const NEVER: &str = "ICMP unreachables are never sent";
const ALWAYS: &str = "ICMP unreachables are always sent";

/// The state of reading: the router and the interface that the last such command names; empty where it names none.
#[derive(Default)]
pub(super) struct IpInterface {
    named: [String; 2],
}

impl Tool for IpInterface {
    fn name(&self) -> &'static str {
        "show ip interface"
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if let Some(named) = command(text) {
            self.named = named.map(crate::redact);
            return true;
        }
        if text.starts_with(NEVER) {
            let [router, interface] = &self.named;
            let said = match (router.is_empty(), interface.is_empty()) {
                (false, false) => format!("{router}, at {interface}"),
                (false, true) => router.clone(),
                (true, false) => format!("the router with {interface}"),
                (true, true) => "the router before the small link".to_owned(),
            };
            facts.word(Of::Path, UNREACHABLES_OFF, &said, line.at);
            return true;
        }
        let mtu = text.starts_with("MTU is ") && text.ends_with(" bytes");
        text.starts_with(ALWAYS) || going && mtu
    }
}

/// The router and the interface of `br-rtr1#show ip interface Tunnel10 | include MTU`.
fn command(text: &str) -> Option<[&str; 2]> {
    let (router, mut words) = behind_show(text)?;
    let is_it = words.next()? == "ip" && shortens(words.next()?, "interface", 3);
    let interface = words.next().filter(|word| *word != "|").unwrap_or("");
    let is_name = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let named = text.len() < 200 && router.chars().all(is_name);
    (is_it && named).then_some([router, interface])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flows::flow::word;
    use crate::read::taken::taken;

    #[test]
    fn a_router_that_sends_none_is_named() {
        let text = "\
br-rtr1#show ip interface Tunnel10 | i unreach|MTU
  MTU is 1476 bytes
  ICMP unreachables are never sent
";
        let of = |text: &str| {
            let facts = taken(IpInterface::default(), text);
            word(&facts, Of::Path, UNREACHABLES_OFF).map(|(said, _)| said.to_owned())
        };
        assert_eq!(of(text).as_deref(), Some("br-rtr1, at Tunnel10"));
        assert_eq!(of(&text.replace("never", "always")), None);
    }

    #[test]
    fn commands_are_known_by_their_prompts() {
        for (text, named) in [
            ("r1#sh ip int Tunnel10", Some(["r1", "Tunnel10"])),
            ("r1>show ip interface", Some(["r1", ""])),
            ("r1#show ip route 192.0.2.1", None),
            ("r1#show interfaces Tunnel10", None),
            ("we show ip interface Tunnel10", None),
        ] {
            assert_eq!(command(text), named, "{text}");
        }
    }
}
