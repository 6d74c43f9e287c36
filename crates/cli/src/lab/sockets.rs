//! The sockets of a host, as its kernel counts and lists them under `/proc/net`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use farpath_emu::Process;

/// What lines of `/proc/net/sockstat` and its like begin with.
pub(super) const TCP: [&str; 2] = ["TCP:", "TCP6:"];
pub(super) const UDP: [&str; 2] = ["UDP:", "UDP6:"];

/// The state of a socket of TCP that listens (`TCP_LISTEN`).
pub(super) const LISTENS: &str = "0A";

/// A file of `/proc/net`, as the host has it.
pub(super) fn of_host(host: Process, name: &str) -> String {
    std::fs::read_to_string(format!("/proc/{}/net/{name}", host.pid)).unwrap_or_default()
}

/// How many TCP sockets a host has, listening and connected. The kernel keeps count; for the table itself it walks through
/// the sockets of all namespaces, which takes milliseconds.
pub(super) fn sockets_in_use(host: Process) -> u64 {
    sockets(host, TCP)
}

/// How many sockets a host has that are counted under these names.
pub(super) fn sockets(host: Process, names: [&str; 2]) -> u64 {
    let files = ["sockstat", "sockstat6"].map(|file| of_host(host, file));
    files.iter().map(|file| in_use(file, names)).sum()
}

/// How many TCP connections a host has opened or accepted so far.
pub(super) fn opened(host: Process) -> u64 {
    opens(&of_host(host, "snmp"))
}

/// `ActiveOpens` and `PassiveOpens` of the `Tcp:` lines of `/proc/net/snmp`: names, then numbers.
fn opens(snmp: &str) -> u64 {
    let mut lines = snmp.lines().filter(|l| l.starts_with("Tcp:"));
    let (Some(names), Some(numbers)) = (lines.next(), lines.next()) else {
        return 0;
    };
    let both = names.split_whitespace().zip(numbers.split_whitespace());
    let opens = both.filter(|(name, _)| ["ActiveOpens", "PassiveOpens"].contains(name));
    opens.filter_map(|(_, n)| n.parse::<u64>().ok()).sum()
}

/// `TCP: inuse 3 orphan 0` of `/proc/net/sockstat`, `TCP6: inuse 3` of its like.
fn in_use(sockstat: &str, names: [&str; 2]) -> u64 {
    sockstat.lines().fold(0, |sum, line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [name, "inuse", count, ..] if names.contains(&name) => sum + count.parse().unwrap_or(0),
            _ => sum,
        }
    })
}

/// The addresses on which a table of sockets has one in `state` that has `port`.
pub(super) fn listens(table: &str, (port, state): (u16, &str)) -> Vec<IpAddr> {
    let all = sockets_in(table, state).into_iter();
    let own = all.filter(|(_, number)| *number == port);
    own.map(|(address, _)| address).collect()
}

/// The ends on which a host listens for connections of TCP, loopback not among them.
pub(super) fn listening(host: Process) -> Vec<SocketAddr> {
    let of = |file| sockets_in(&of_host(host, file), LISTENS);
    let all = ["tcp", "tcp6"].map(of).concat().into_iter();
    let all = all.filter(|(address, _)| !address.is_loopback());
    all.map(SocketAddr::from).collect()
}

/// The local addresses and ports of a table's sockets in `state`: they are second.
pub(super) fn sockets_in(table: &str, state: &str) -> Vec<(IpAddr, u16)> {
    let of = |line: &str| {
        let mut words = line.split_whitespace().skip(1);
        let (address, port) = words.next()?.rsplit_once(':')?;
        let port = u16::from_str_radix(port, 16).ok()?;
        let is_in = words.nth(1) == Some(state);
        Some((address_of(address).filter(|_| is_in)?, port))
    };
    table.lines().skip(1).filter_map(of).collect()
}

/// An address as the kernel prints it: words of 32 bits, each as its own processor reads it from memory.
fn address_of(text: &str) -> Option<IpAddr> {
    let words = text.as_bytes().chunks(8).map(|digits| {
        let word = u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16);
        Some(word.ok()?.to_ne_bytes())
    });
    let words: Vec<[u8; 4]> = words.collect::<Option<_>>()?;
    match words[..] {
        [four] => Some(Ipv4Addr::from(four).into()),
        [_, _, _, _] => {
            let six: [u8; 16] = words.concat().try_into().ok()?;
            Some(Ipv6Addr::from(six).to_canonical())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listening_port_is_found() {
        let table = "  sl  local_address rem_address   st tx_queue\n   \
            0: 00000000:1451 00000000:0000 0A 00000000:00000000\n   \
            1: 0100007F:1452 0100007F:9999 01 00000000:00000000\n";
        let any = IpAddr::from([0, 0, 0, 0]);
        assert_eq!(listens(table, (0x1451, "0A")), [any]);
        assert!(listens(table, (0x1452, "0A")).is_empty());
        assert!(listens("", (80, "0A")).is_empty());
        let bound = table.replace(" 0A ", " 07 ");
        assert_eq!(listens(&bound, (0x1451, "07")), [any]);
    }

    #[test]
    fn opened_connections_are_counted() {
        let snmp = "Ip: Forwarding\nIp: 1\nTcp: RtoAlgorithm MaxConn ActiveOpens PassiveOpens CurrEstab\nTcp: 1 -1 7 2 5\n";
        assert_eq!(opens(snmp), 9);
        assert_eq!(opens(""), 0);
    }

    #[test]
    fn sockets_are_counted_without_their_table() {
        let text =
            "sockets: used 9\nTCP: inuse 3 orphan 1 tw 0 alloc 7 mem 103\nUDP: inuse 4 mem 2\n";
        assert_eq!([in_use(text, TCP), in_use(text, UDP)], [3, 4]);
        assert_eq!(in_use("TCP6: inuse 2\nUDP6: inuse 1\n", TCP), 2);
        assert_eq!(in_use("", TCP), 0);
    }
}
