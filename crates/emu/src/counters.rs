//! What a host's kernel dropped or ran short of: where any of these moves, a run says less about TCP
//! than about the machine.

use std::collections::BTreeMap;
use std::io;

/// Counters of a host since it was started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// By interface, loopback left out.
    pub interfaces: BTreeMap<String, InterfaceDrops>,
    /// Frames a packet socket had no room for; 0 with TAPs.
    pub packet_socket_drops: u64,
    /// `TCPMemoryPressures`: times TCP entered memory pressure (`tcp_mem`).
    pub memory_pressures: u64,
    /// `RcvPruned`: segments dropped from a receive queue.
    pub receive_pruned: u64,
    /// `OfoPruned`: segments dropped from an out-of-order queue after they were acknowledged by SACK.
    pub out_of_order_pruned: u64,
    /// `TCPSACKReneging`: times a receiver took a SACK back.
    pub sack_reneging: u64,
    /// `TCPBacklogDrop`: segments dropped because a socket's backlog was full.
    pub backlog_drops: u64,
    /// `ListenOverflows`: times that a SYN, or the last part of a handshake, found the accept queue of a listening socket full.
    pub listen_overflows: u64,
    /// `Ip` and `Ip6` `OutNoRoutes`: packets, and connections that were asked for, to an address that no route leads to.
    pub no_routes: u64,
    /// `Udp` and `Udp6` `OutDatagrams`: datagrams handed to an interface, to loopback as well; those of one call with
    /// `UDP_SEGMENT` count as one.
    pub udp_sent: u64,
    /// `Udp` and `Udp6` `RcvbufErrors`: datagrams no socket buffer had room for.
    pub udp_receive_buffer_errors: u64,
    /// `Udp` and `Udp6` `SndbufErrors`: datagrams that a queue of the host's own did not take, whether the program has an
    /// error of it or not, and those for which a socket that must not wait had no room.
    pub udp_send_buffer_errors: u64,
}

/// Frames an interface dropped, seen from the host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InterfaceDrops {
    /// Written by the data plane and not received.
    pub received: u64,
    /// Sent by the host and never read: the ring in front of the data plane was full.
    pub sent: u64,
}

impl Counters {
    /// Those of the network namespace of process `pid`.
    pub(crate) fn read(pid: i32) -> io::Result<Counters> {
        let file = |name: &str| std::fs::read_to_string(format!("/proc/{pid}/net/{name}"));
        let mut counters = Counters::of(&file("dev")?, &file("netstat")?, &file("snmp")?);
        // A kernel without IPv6 has no such file.
        let udp6 = file("snmp6").unwrap_or_default();
        counters.no_routes += single(&udp6, "Ip6OutNoRoutes");
        counters.udp_sent += single(&udp6, "Udp6OutDatagrams");
        counters.udp_receive_buffer_errors += single(&udp6, "Udp6RcvbufErrors");
        counters.udp_send_buffer_errors += single(&udp6, "Udp6SndbufErrors");
        Ok(counters)
    }

    fn of(dev: &str, netstat: &str, snmp: &str) -> Counters {
        let tcp = pairs(netstat, "TcpExt:");
        let tcp = |name: &str| tcp.get(name).copied().unwrap_or(0);
        let udp = pairs(snmp, "Udp:");
        let udp = |name: &str| udp.get(name).copied().unwrap_or(0);
        Counters {
            interfaces: interfaces(dev),
            packet_socket_drops: 0,
            memory_pressures: tcp("TCPMemoryPressures"),
            receive_pruned: tcp("RcvPruned"),
            out_of_order_pruned: tcp("OfoPruned"),
            sack_reneging: tcp("TCPSACKReneging"),
            backlog_drops: tcp("TCPBacklogDrop"),
            listen_overflows: tcp("ListenOverflows"),
            no_routes: pairs(snmp, "Ip:").get("OutNoRoutes").copied().unwrap_or(0),
            udp_sent: udp("OutDatagrams"),
            udp_receive_buffer_errors: udp("RcvbufErrors"),
            udp_send_buffer_errors: udp("SndbufErrors"),
        }
    }
}

/// Packets that the loopback interface of the network namespace of process `pid` has carried.
pub(crate) fn loopback(pid: i32) -> io::Result<u64> {
    let dev = std::fs::read_to_string(format!("/proc/{pid}/net/dev"))?;
    Ok(looped(&dev))
}

/// `/proc/net/dev`: the second figure of `lo`.
fn looped(dev: &str) -> u64 {
    let lo = dev.lines().find_map(|l| l.trim_start().strip_prefix("lo:"));
    let packets = lo.and_then(|figures| figures.split_whitespace().nth(1));
    packets.and_then(|n| n.parse().ok()).unwrap_or(0)
}

/// `/proc/net/snmp6`: a name and a value on each line.
fn single(text: &str, name: &str) -> u64 {
    let mut lines = text.lines().map(str::split_whitespace);
    let value = lines.find_map(|mut words| (words.next() == Some(name)).then(|| words.next())?);
    value.and_then(|v| v.parse().ok()).unwrap_or(0)
}

/// `/proc/net/netstat`: a line of names, then a line of values, both after `prefix`.
fn pairs<'a>(text: &'a str, prefix: &str) -> BTreeMap<&'a str, u64> {
    let mut lines = text.lines().filter_map(|l| l.strip_prefix(prefix));
    let (names, values) = (lines.next().unwrap_or(""), lines.next().unwrap_or(""));
    let values = values.split_whitespace().map(|v| v.parse().unwrap_or(0));
    names.split_whitespace().zip(values).collect()
}

/// `/proc/net/dev`: the fourth figure of either direction.
fn interfaces(text: &str) -> BTreeMap<String, InterfaceDrops> {
    let one = |line: &str| {
        let (name, figures) = line.split_once(':')?;
        let figures: Vec<u64> = figures
            .split_whitespace()
            .map_while(|f| f.parse().ok())
            .collect();
        let drops = InterfaceDrops {
            received: *figures.get(3)?,
            sent: *figures.get(11)?,
        };
        Some((name.trim().to_owned(), drops))
    };
    let all = text.lines().filter_map(one);
    all.filter(|(name, _)| name != "lo").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_proc_net() {
        let dev = "Inter-|   Receive                                                |  Transmit\n face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed\n    lo:     100       1    0    9    0     0          0         0      100       1    0    0    0     0       0          0\n  eth0: 1296   16    1    2    0     0          0         0      796      10    0    3    0     0       0          0\n";
        let netstat = "TcpExt: SyncookiesSent PruneCalled RcvPruned OfoPruned TCPSACKReneging TCPBacklogDrop TCPMemoryPressures ListenOverflows\nTcpExt: 0 1 2 3 4 5 6 8\nIpExt: InNoRoutes\nIpExt: 7\n";
        let snmp = "Ip: OutDiscards OutNoRoutes\nIp: 1 7\nUdp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors\nUdp: 9 8 7 6 5 4\nUdpLite: RcvbufErrors\nUdpLite: 4\n";
        let counters = Counters::of(dev, netstat, snmp);
        let eth0 = InterfaceDrops {
            received: 2,
            sent: 3,
        };
        let expected = Counters {
            interfaces: BTreeMap::from([("eth0".to_owned(), eth0)]),
            packet_socket_drops: 0,
            memory_pressures: 6,
            receive_pruned: 2,
            out_of_order_pruned: 3,
            sack_reneging: 4,
            backlog_drops: 5,
            listen_overflows: 8,
            no_routes: 7,
            udp_sent: 6,
            udp_receive_buffer_errors: 5,
            udp_send_buffer_errors: 4,
        };
        assert_eq!(counters, expected);
        assert_eq!(Counters::of("", "", ""), Counters::default());
        assert_eq!((looped(dev), looped("")), (1, 0));
        let snmp6 = "Udp6RcvbufErrors                \t2\nUdp6SndbufErrors                \t3\n";
        assert_eq!(single(snmp6, "Udp6SndbufErrors"), 3);
        assert_eq!(single(snmp6, "Udp6Sndbuf"), 0);
    }
}
