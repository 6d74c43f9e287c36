//! Commands that get a fact, in the words of the host that is to type them, and with names that it can reach.

use crate::fact::Place;
use crate::flows::flow::Flow;
use crate::known::System;
use crate::read::Facts;
use crate::seen::{Side, Test};

/// Who asks, and whom.
pub(crate) struct Asking {
    /// The other end of whoever opened the connection: the one that answers pings and runs a server.
    pub(crate) host: String,
    /// The system of whoever opened it.
    pub(crate) system: Option<System>,
    /// The option for the version of IP that the command of a copy names, and a space behind it; else nothing.
    by: &'static str,
    /// The data went to whoever opened it.
    fetched: bool,
    /// Nobody says which way it went.
    open: bool,
    /// What sockets of the sender are picked by.
    sockets: String,
}

/// The option for the version of IP that the command above a test names.
fn by_version(facts: &Facts, test: &Test) -> &'static str {
    let fetch = facts.fetched_by(test);
    let has = |option: &str| fetch.is_some_and(|f| f.options.iter().any(|o| o == option));
    match [has("-4"), has("-6")] {
        [true, false] => "-4 ",
        [false, true] => "-6 ",
        _ => "",
    }
}

impl Asking {
    /// Who asks about a flow.
    pub(crate) fn of(facts: &Facts, flow: &Flow) -> Asking {
        let test = flow.test.as_ref().filter(|t| t.at != Place::You);
        // Without a name of either end nobody says which way the data went.
        let unnamed = test.is_none() && flow.from.host.is_empty() && flow.to.host.is_empty();
        let fetched = match test {
            Some(test) => test.client == Side::Receiver,
            None => unnamed && is_fetched(facts, flow),
        };
        let peer = if fetched { &flow.from } else { &flow.to };
        let host = match (peer.host.as_str(), flow.pings.target(facts)) {
            ("", Some(pinged)) => pinged,
            ("", None) => UNNAMED,
            (host, _) => host,
        };
        // A server may see its client by another address than the client itself.
        let service = facts.along(flow, "service_port").next_back();
        let port = flow.from.port.or(service.map(|port| port.value as u16));
        let open = unnamed && !fetched && host != UNNAMED;
        let sockets = match (fetched, port) {
            (true, Some(port)) => format!("sport = :{port}"),
            (true, None) if flow.to.host.is_empty() => format!("src {host}"),
            (false, Some(port)) if open => format!("'( sport = :{port} or dport = :{port} )'"),
            (false, None) if open => format!("'( dst {host} or src {host} )'"),
            _ if flow.to.host.is_empty() => format!("dst {host}"),
            _ => format!("dst {}", flow.to.host),
        };
        Asking {
            host: host.to_owned(),
            system: flow.systems[usize::from(fetched)],
            by: test.map_or("", |test| by_version(facts, test)),
            fetched,
            open,
            sockets,
        }
    }

    /// Pings of the usual size.
    pub(crate) fn ping(&self, count: u32) -> String {
        match self.system {
            Some(System::Windows) => format!("ping {}-n {count} {}", self.by, self.host),
            _ => format!("ping {}-c {count} {}", self.by, self.host),
        }
    }

    /// Pings to the gateway and to the end at the same time.
    pub(crate) fn beside_gateway(&self, count: u32) -> String {
        let ping = match self.system {
            Some(System::Windows) => format!("ping -n {count}"),
            _ => format!("ping -c {count}"),
        };
        format!(
            "at the same time, in two windows: {ping} GATEWAY; {ping} {}",
            self.host
        )
    }

    /// What each hop on the way loses.
    pub(crate) fn hops(&self) -> String {
        match self.system {
            Some(System::Windows) => format!("pathping {}-n {}", self.by, self.host),
            _ => format!("mtr {}-bwc 100 {}", self.by, self.host),
        }
    }

    /// Thousands of pings as large as packets are.
    pub(crate) fn many(&self) -> String {
        match self.system {
            Some(System::Windows) => format!("ping {}-n 5000 -l 1400 {}", self.by, self.host),
            _ => format!("ping {}-c 5000 -i 0.01 -s 1400 {}", self.by, self.host),
        }
    }

    /// Pings of so many bytes beside their headers that no router may cut into pieces.
    pub(crate) fn whole(&self, count: u32, bytes: f64) -> String {
        let host = &self.host;
        match self.system {
            Some(System::Windows) => format!("ping -f -n {count} -l {bytes:.0} {host}"),
            Some(System::MacOs | System::FreeBsd) => {
                format!("ping -D -c {count} -s {bytes:.0} {host}")
            }
            _ => format!("ping -M do -c {count} -s {bytes:.0} {host}"),
        }
    }

    /// What shows where the way to the other end breaks off.
    pub(crate) fn reaches(&self) -> String {
        let host = &self.host;
        let look = "the last hop that answers is where to look";
        match self.system {
            Some(System::Windows) => format!(
                "tracert -d {host}: {look}; on this host: ipconfig /all, route print and arp -a"
            ),
            _ => format!(
                "ip route get {host}; traceroute -n {host}: {look}; there, and on the host: ip addr, ip neigh"
            ),
        }
    }

    /// A trace that shows how large packets may be; none where the system has no tool for it.
    pub(crate) fn trace(&self) -> Option<String> {
        let linux = self.system.is_none_or(|s| s == System::Linux);
        linux.then(|| format!("tracepath {}", self.host))
    }

    /// A test the way that the data went.
    pub(crate) fn test(&self, options: &str) -> String {
        let back = if self.fetched { " -R" } else { "" };
        format!("iperf3 -c {}{back} {options}", self.host)
    }

    /// What a test needs besides where nobody says which way the data went.
    pub(crate) fn way(&self) -> String {
        match self.open {
            true => format!(" (with -R if the data came from {})", self.host),
            false => String::new(),
        }
    }

    /// The sender's sockets.
    pub(crate) fn sockets(&self) -> String {
        format!("ss -tinm {}", self.sockets)
    }
}

/// A host that no text names.
const UNNAMED: &str = "HOST";

/// Whether the host that sent the pings is the receiver for certain, by the settings that its text has.
fn is_fetched(facts: &Facts, flow: &Flow) -> bool {
    let Some(Place::Line(source, _)) = flow.pings.place(facts) else {
        return false;
    };
    let here = |n: &u32| facts.host_sources.get(*n as usize) == Some(&source);
    let is_receiver = |n: &u32| here(n) && !flow.senders.contains(n);
    flow.receivers.iter().any(is_receiver) && !flow.senders.iter().any(here)
}

/// What both ends are asked, each in the words of its system: sender and receiver.
pub(crate) fn on_both(
    systems: [Option<System>; 2],
    of: fn(Option<System>) -> &'static str,
) -> String {
    let [sender, receiver] = systems.map(of);
    match sender == receiver {
        true => format!("{sender} on both hosts"),
        false => format!("{sender} on the sender, {receiver} on the receiver"),
    }
}

/// What shows segments at both ends: `tcpdump` as it stands, and a capture where a host is one of Windows.
pub(crate) fn captured(systems: [Option<System>; 2], tcpdump: &str) -> String {
    let pktmon = "pktmon start --capture --pkt-size 128, then pktmon stop and pktmon etl2pcap PktMon.etl; PktMon.pcapng is read beside these texts";
    match systems.map(|system| system == Some(System::Windows)) {
        [false, false] => format!("on both hosts: {tcpdump}"),
        [true, true] => format!("on both hosts: {pktmon}"),
        [true, false] => format!("on the sender: {pktmon}; on the receiver: {tcpdump}"),
        [false, true] => format!("on the sender: {tcpdump}; on the receiver: {pktmon}"),
    }
}

/// What shows the speed of a host's interface.
pub(crate) fn speed(system: Option<System>) -> &'static str {
    match system {
        Some(System::Windows) => "Get-NetAdapter",
        None | Some(System::Linux) => "ethtool INTERFACE",
        Some(_) => "ifconfig INTERFACE",
    }
}

/// What shows what the interfaces of a host count, and their light.
pub(crate) fn counters(system: Option<System>) -> &'static str {
    match system {
        Some(System::Windows) => "Get-NetAdapterStatistics | Format-List *, and netstat -s",
        None | Some(System::Linux) => {
            "ip -s link, and of each interface DEV ethtool -S DEV and ethtool -m DEV"
        }
        Some(_) => "netstat -i and netstat -s",
    }
}

/// What shows how many segments a host sent again.
pub(crate) fn segments(system: Option<System>) -> &'static str {
    match system {
        None | Some(System::Linux) => "nstat",
        // Its lists of IPv4 and IPv6 count apart.
        Some(System::Windows) => "netstat -s",
        Some(_) => "netstat -s -p tcp",
    }
}

/// What shows how full the processors of a host are.
pub(crate) fn processors(system: Option<System>) -> &'static str {
    match system {
        Some(System::Windows) => "typeperf \"\\Processor(*)\\% Processor Time\" -sc 10",
        None | Some(System::Linux) => "top -H -b -n 1 | head -20",
        Some(System::MacOs) => "top -l 2 -o cpu -stats pid,cpu,command",
        Some(_) => "top -H",
    }
}

/// What shows the datagrams that a host lost itself.
pub(crate) fn datagrams(system: Option<System>) -> &'static str {
    match system {
        Some(System::Windows) => "netstat -s; Get-NetAdapterStatistics | Format-List *",
        None | Some(System::Linux) => "netstat -su; ethtool -S INTERFACE | grep -i drop",
        Some(_) => "netstat -s -p udp; netstat -i",
    }
}

/// What shows how busy the disks of a host are.
pub(crate) fn disks(system: Option<System>) -> &'static str {
    match system {
        Some(System::Windows) => "typeperf \"\\PhysicalDisk(*)\\% Disk Time\" -sc 10",
        Some(System::MacOs) => "iostat -w 5 -c 2",
        Some(System::FreeBsd | System::OpenBsd | System::NetBsd | System::Bsd) => {
            "iostat -x -w 5 -c 2"
        }
        _ => "iostat -x 5 2",
    }
}

/// Whether what shows the disks of a host says how busy they are: some say only what they move.
pub(crate) fn shows_busy_disks(system: Option<System>) -> bool {
    let silent = [System::MacOs, System::OpenBsd, System::NetBsd];
    system.is_none_or(|system| !silent.contains(&system))
}

/// What shows the bytes that a program has not read; none where no tool of the system does.
pub(crate) fn queues(system: Option<System>) -> Option<&'static str> {
    match system {
        Some(System::Windows) => None,
        None | Some(System::Linux) => Some("ss -tmn"),
        Some(_) => Some("netstat -an"),
    }
}

#[cfg(test)]
mod tests {
    use super::{captured, shows_busy_disks};
    use crate::known::System;

    #[test]
    fn a_host_of_windows_is_not_asked_for_tcpdump() {
        let windows = Some(System::Windows);
        assert_eq!(captured([None; 2], "tcpdump"), "on both hosts: tcpdump");
        assert!(!captured([windows; 2], "tcpdump").contains("tcpdump"));
        let apart = captured([windows, None], "tcpdump");
        assert!(apart.starts_with("on the sender: pktmon"), "{apart}");
        assert!(apart.ends_with("on the receiver: tcpdump"), "{apart}");
    }

    #[test]
    fn busy_disks_are_asked_where_a_tool_says_it() {
        assert!(shows_busy_disks(None) && shows_busy_disks(Some(System::FreeBsd)));
        assert!(!shows_busy_disks(Some(System::MacOs)));
    }
}
