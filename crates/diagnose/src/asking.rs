//! Commands that get a fact, in the words of the host that is to type them, and with names that it can reach.

use crate::fact::Place;
use crate::flow::Flow;
use crate::known::System;
use crate::read::Facts;
use crate::seen::Side;

/// Who asks, and whom.
pub(crate) struct Asking {
    /// The other end of whoever opened the connection: the one that answers pings and runs a server.
    pub(crate) host: String,
    /// The system of whoever opened it.
    system: Option<System>,
    /// The data went to whoever opened it.
    fetched: bool,
    /// What sockets of the sender are picked by.
    sockets: String,
}

impl Asking {
    /// Who asks about a flow.
    pub(crate) fn of(facts: &Facts, flow: &Flow) -> Asking {
        let test = flow.test.as_ref().filter(|t| t.at != Place::You);
        let fetched = test.is_some_and(|t| t.client == Side::Receiver);
        let peer = if fetched { &flow.from } else { &flow.to };
        let host = match (peer.host.as_str(), flow.pings.target(facts)) {
            ("", Some(pinged)) => pinged,
            ("", None) => "HOST",
            (host, _) => host,
        };
        // A server may see its client by another address than the client itself.
        let sockets = match (fetched, flow.from.port) {
            (true, Some(port)) => format!("sport = :{port}"),
            _ if flow.to.host.is_empty() => format!("dst {host}"),
            _ => format!("dst {}", flow.to.host),
        };
        Asking {
            host: host.to_owned(),
            system: flow.systems[usize::from(fetched)],
            fetched,
            sockets,
        }
    }

    /// Pings of the usual size.
    pub(crate) fn ping(&self, count: u32) -> String {
        match self.system {
            Some(System::Windows) => format!("ping -n {count} {}", self.host),
            _ => format!("ping -c {count} {}", self.host),
        }
    }

    /// Thousands of pings as large as packets are.
    pub(crate) fn many(&self) -> String {
        match self.system {
            Some(System::Windows) => format!("ping -n 5000 -l 1400 {}", self.host),
            _ => format!("ping -c 5000 -i 0.01 -s 1400 {}", self.host),
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

    /// The sender's sockets.
    pub(crate) fn sockets(&self) -> String {
        format!("ss -tinm {}", self.sockets)
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

/// What shows the bytes that a program has not read; none where no tool of the system does.
pub(crate) fn queues(system: Option<System>) -> Option<&'static str> {
    match system {
        Some(System::Windows) => None,
        None | Some(System::Linux) => Some("ss -tmn"),
        Some(_) => Some("netstat -an"),
    }
}
