//! The name servers of a host: `ipconfig /all` of Windows, in English and German, and `resolvectl` of systemd.

use core::net::IpAddr;

use super::{Facts, Line, Tool, own_address};

/// What lists the name servers of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum List {
    /// `/etc/resolv.conf`.
    ResolvConf,
    /// systemd-resolved, which keeps to one of them.
    Resolved,
    /// Windows.
    Windows,
}

/// The state of reading: the list that the last line was of.
#[derive(Default)]
pub(super) struct Resolvers {
    list: Option<List>,
}

/// What ipconfig calls the list.
const KEYS: [&str; 2] = ["DNS Servers", "DNS-Server"];

/// How ipconfig begins.
const HEADS: [&str; 2] = ["Windows IP Configuration", "Windows-IP-Konfiguration"];

impl Tool for Resolvers {
    fn name(&self) -> &'static str {
        "name servers"
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if let Some((key, value)) = dotted(text) {
            self.list = KEYS.contains(&key).then_some(List::Windows);
            if let Some(server) = address(value).filter(|_| self.list.is_some()) {
                facts.names.begins_list(server);
                facts.names.lists(List::Windows, server, line.at);
            }
            return true;
        }
        let adapter =
            going && text.ends_with(':') && text.to_ascii_lowercase().contains("adapter ");
        if adapter || HEADS.contains(&text) {
            self.list = None;
            return true;
        }
        if let Some(server) = text.strip_prefix("Current DNS Server: ").and_then(address) {
            facts.names.uses(server);
            self.list = None;
            return true;
        }
        let begins = of_systemd(text);
        let list = match begins {
            Some(_) => Some(List::Resolved),
            None => self.list.filter(|_| going),
        };
        let servers = list.and_then(|_| addresses(begins.unwrap_or(text)));
        let (Some(list), Some(servers)) = (list, servers) else {
            return false;
        };
        for server in servers {
            facts.names.lists(list, server, line.at);
        }
        self.list = Some(list);
        true
    }
}

/// `DNS Servers . . . . . . . . . . . : 192.0.2.53`: what it is, and its value, which may be empty.
fn dotted(text: &str) -> Option<(&str, &str)> {
    let (left, value) = text.split_once(" :")?;
    let key = left.strip_suffix(" .")?;
    Some((key.trim_end_matches([' ', '.']), value.trim()))
}

/// What stands behind `DNS Servers:` of `resolvectl status`, and behind `Global:` and `Link 2 (eth0):` of `resolvectl dns`.
fn of_systemd(text: &str) -> Option<&str> {
    let (key, list) = text.split_once(": ")?;
    let link = key.starts_with("Link ") && key.ends_with(')');
    (link || ["DNS Servers", "Global"].contains(&key)).then_some(list)
}

/// Every word as an address; none where one is something else.
fn addresses(text: &str) -> Option<Vec<IpAddr>> {
    text.split_whitespace().map(address).collect()
}

/// `192.0.2.53`, `fe80::1%2`, and with the name of its certificate: `192.0.2.53#dns.example.org`.
fn address(word: &str) -> Option<IpAddr> {
    own_address::address(word.trim().split('#').next()?)
}
