//! A host's first name server that keeps silent: what to change, and what to ask of a host of Windows.

use core::net::IpAddr;

use crate::advice::Remedy;
use crate::document::Change;
use crate::read::Facts;
use crate::read::resolvers::List;

/// The first server of a list, which does not answer, and another one that does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Silent {
    pub(crate) list: List,
    pub(crate) server: IpAddr,
    pub(crate) other: Option<IpAddr>,
}

/// What shows the name servers of a host of Windows, and which of them answers.
pub(crate) const SERVERS_OF_WINDOWS: &str =
    "on that host: ipconfig /all; then of each server in it, several times: nslookup NAME SERVER";

/// What shows how long a request of a host of Windows waits for its name.
pub(crate) const TIMES_OF_WINDOWS: &str = "on that host, in cmd: curl -s -o NUL -w \"namelookup: %{time_namelookup}\\nconnect: %{time_connect}\\nstarttransfer: %{time_starttransfer}\\ntotal: %{time_total}\\n\" URL";

/// Whether whoever asks for names is a host of Windows: by its list, its pings, or the prompt of its test.
pub(crate) fn by_windows(facts: &Facts, list: Option<List>) -> bool {
    let is = |word: &String| word == "windows";
    list == Some(List::Windows)
        || list.is_none() && !facts.prompts.windows.is_empty()
        || facts.tests.iter().any(|test| test.words.values().any(is))
}

impl List {
    /// What its first server is called.
    pub(crate) fn calls_first(self) -> &'static str {
        match self {
            List::ResolvConf => "the first name server of /etc/resolv.conf",
            List::Resolved => "the name server that systemd-resolved uses",
            List::Windows => "the first name server of this host of Windows",
        }
    }
}

impl Silent {
    /// What to change: the list without it, and itself.
    pub(crate) fn change(self) -> Change {
        let Silent { list, server, .. } = self;
        let (mut commands, undo) = match list {
            List::ResolvConf => self.resolv_conf(),
            List::Resolved => self.resolved(),
            List::Windows => self.windows(),
        };
        commands.push(format!(
            "on {server}: whether its service runs, and whether a firewall drops what goes to port 53"
        ));
        let remedy = Remedy {
            commands,
            undo: vec![undo],
            risk: format!("names that {server} alone knows are not found any more"),
            ..Remedy::default()
        };
        remedy.change("the host that asks for names", None, None)
    }

    /// The commands, and the one that undoes them.
    fn resolv_conf(self) -> (Vec<String>, String) {
        let silent = self.server;
        let behind = self.other;
        let behind = behind.map_or_else(String::new, |other| format!(", or put it behind {other}"));
        let commands = vec![
            "cp /etc/resolv.conf /etc/resolv.conf.before".to_owned(),
            format!(
                "take `nameserver {silent}` out of /etc/resolv.conf{behind}. Where another program writes that file (NetworkManager, systemd-resolved, a DHCP client), there"
            ),
            "or options timeout:1 in /etc/resolv.conf: what does not answer costs 1 s, and not 5 s"
                .to_owned(),
            "or a cache on this host, which asks the server that answers (systemd-resolved, dnsmasq, unbound)"
                .to_owned(),
        ];
        let undo = "cp /etc/resolv.conf.before /etc/resolv.conf".to_owned();
        (commands, undo)
    }

    fn resolved(self) -> (Vec<String>, String) {
        let server = self.named();
        let commands = vec![
            "resolvectl dns: which servers each interface has".to_owned(),
            format!(
                "resolvectl dns INTERFACE {server}: it holds until the interface is set up anew. To stay, the same where its servers come from: NetworkManager, netplan, systemd-networkd, a DHCP server, or DNS= in /etc/systemd/resolved.conf"
            ),
        ];
        (commands, "resolvectl revert INTERFACE".to_owned())
    }

    fn windows(self) -> (Vec<String>, String) {
        let server = self.named();
        let commands = vec![
            "Get-DnsClientServerAddress -AddressFamily IPv4: which servers each interface has"
                .to_owned(),
            format!(
                "Set-DnsClientServerAddress -InterfaceAlias NAME -ServerAddresses {server}, with the interface from there as NAME. Where a DHCP server gives them, there"
            ),
            "ipconfig /flushdns".to_owned(),
        ];
        let undo = "Set-DnsClientServerAddress -InterfaceAlias NAME -ResetServerAddresses where DHCP gave them, else -ServerAddresses with those from before";
        (commands, undo.to_owned())
    }

    /// The server that answers, or how to find one.
    fn named(self) -> String {
        match self.other {
            Some(other) => other.to_string(),
            None => "SERVER, with one that answers as SERVER (nslookup NAME SERVER)".to_owned(),
        }
    }
}
