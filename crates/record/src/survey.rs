//! A survey of a host: its settings, interfaces and counters as they were read, before anybody judges them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What was read of a host. What could not be read is absent, and `unread` says why.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Survey {
    /// Its name.
    pub name: Option<String>,
    /// Release of its kernel: `6.18.44`.
    pub kernel: Option<String>,
    /// Processors that are online.
    pub cpus: Option<u32>,
    /// What sets the processors' frequency: `performance`, `powersave`.
    pub governor: Option<String>,
    /// Memory, bytes.
    pub memory_bytes: Option<u64>,
    /// A page of memory, bytes: the unit of `net.ipv4.tcp_mem`.
    pub page_bytes: u64,
    /// Where the host runs, and what its user may do there.
    pub place: Place,
    /// Settings by their names in `sysctl`.
    pub settings: BTreeMap<String, Setting>,
    /// Interfaces that are up, but for the loopback unless it was asked for.
    pub interfaces: Vec<Interface>,
    /// The interface of the default route; empty without one.
    pub default_interface: String,
    /// Counters since the kernel started, by their names in `nstat`: `TcpRetransSegs`, `TcpExtPruneCalled`.
    pub counters: BTreeMap<String, u64>,
    /// What processors counted of received packets before TCP saw them.
    pub softnet: Option<Softnet>,
    /// Files that are there and could not be read, and why.
    pub unread: Vec<String>,
}

/// A setting of the kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setting {
    /// Its value, one blank between numbers.
    pub value: String,
    /// The file it was read from.
    pub file: String,
}

/// Where a host runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// What a virtual machine says it is; none on bare metal, or where nothing says so.
    pub virtual_machine: Option<String>,
    /// What kind of container it is; none outside of one.
    pub container: Option<String>,
    /// It has a network namespace of its own, in which the settings of the whole machine do not show.
    pub network_namespace: bool,
    /// Settings are mounted read-only.
    pub read_only: bool,
    /// The user may change settings (`CAP_NET_ADMIN`).
    pub privileged: bool,
}

/// A network interface.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Interface {
    /// Its name.
    pub name: String,
    /// Its rate, bit/s; virtual ones have none.
    pub speed_bps: Option<u64>,
    /// `full` or `half`.
    pub duplex: Option<String>,
    /// Largest IP datagram, bytes.
    pub mtu_bytes: Option<u64>,
    /// Its driver.
    pub driver: Option<String>,
    /// Packets that its queue holds (`txqueuelen`).
    pub queue_packets: Option<u64>,
    /// Its queueing discipline; of several queues that of each, as `mq fq_codel`.
    pub qdisc: Option<String>,
    /// Offloads that are on or off: `tso`, `gso`, `gro`, `sg`.
    pub offloads: BTreeMap<String, bool>,
    /// Received frames that the card's ring holds, and the most it could.
    pub receive_ring: Option<[u64; 2]>,
    /// Frames to be sent that the card's ring holds, and the most it could.
    pub send_ring: Option<[u64; 2]>,
    /// Counters since it came up, by their names in `/sys/class/net/NAME/statistics`.
    pub statistics: BTreeMap<String, u64>,
}

/// `/proc/net/softnet_stat`, all processors together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Softnet {
    /// Packets handled.
    pub processed: u64,
    /// Packets dropped because a processor's queue was full (`net.core.netdev_max_backlog`).
    pub dropped: u64,
    /// Times that a processor stopped with work left (`net.core.netdev_budget`).
    pub squeezed: u64,
}

impl Survey {
    /// The value of a setting.
    pub fn setting(&self, key: &str) -> Option<&str> {
        self.settings.get(key).map(|s| s.value.as_str())
    }

    /// The numbers of a setting; none if it has a word.
    pub fn numbers(&self, key: &str) -> Option<Vec<u64>> {
        let words = self.setting(key)?.split_whitespace();
        words.map(|w| w.parse().ok()).collect()
    }

    /// A counter; 0 where the kernel has none of this name.
    pub fn counter(&self, name: &str) -> u64 {
        self.counters.get(name).copied().unwrap_or(0)
    }

    /// Major and minor number of the kernel's release.
    pub fn kernel_version(&self) -> Option<(u32, u32)> {
        let mut parts = self.kernel.as_deref()?.split(|c: char| !c.is_ascii_digit());
        Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
    }

    /// The interface that packets to far hosts take: that of the default route, or else the only one.
    pub fn way_out(&self) -> Option<&Interface> {
        let default = self
            .interfaces
            .iter()
            .find(|i| i.name == self.default_interface);
        default.or(match &self.interfaces[..] {
            [only] => Some(only),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_what_stands_before_other_signs() {
        let of = |kernel: &str| {
            let survey = Survey {
                kernel: Some(kernel.to_owned()),
                ..Survey::default()
            };
            survey.kernel_version()
        };
        assert_eq!(of("6.18.44-fc-v769"), Some((6, 18)));
        assert_eq!(of("4.19-rc1"), Some((4, 19)));
        assert_eq!(of("6"), None);
        assert_eq!(of("generic"), None);
    }

    #[test]
    fn the_way_out_is_the_default_route_or_the_only_interface() {
        let named = |name: &str| Interface {
            name: name.to_owned(),
            ..Interface::default()
        };
        let mut survey = Survey {
            interfaces: vec![named("eth0")],
            ..Survey::default()
        };
        assert_eq!(survey.way_out().map(|i| i.name.as_str()), Some("eth0"));
        survey.interfaces.push(named("eth1"));
        assert_eq!(survey.way_out(), None);
        survey.default_interface = "eth1".to_owned();
        assert_eq!(survey.way_out().map(|i| i.name.as_str()), Some("eth1"));
    }
}
