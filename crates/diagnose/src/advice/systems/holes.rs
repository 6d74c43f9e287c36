//! What helps where large packets vanish.

use farpath_predict::IpVersion;

use super::{Remedy, before, kept};

/// Packets larger than a link carries vanish, and the sender of them does not hear of it. With a size that passes, and how it is known.
pub(crate) fn probing((passes, known): &(u64, &str)) -> Remedy {
    let key = "net.ipv4.tcp_mtu_probing";
    let rule = "FORWARD -p tcp --tcp-flags SYN,RST SYN -j TCPMSS --set-mss";
    let mss = passes.saturating_sub(IpVersion::V4.fixed_headers().into());
    Remedy {
        room: None,
        commands: vec![
            format!("sysctl -w {key}=1"),
            format!(
                "or, until it is repaired: ip link show dev INTERFACE, and keep what it prints; ip link set dev INTERFACE mtu {passes}"
            ),
            format!("or on the router before the small link: iptables -t mangle -A {rule} {mss}"),
            format!(
                "the same in nftables, in a chain that forwards: nft add rule inet filter forward tcp flags syn tcp option maxseg size set {mss}"
            ),
            format!("the same in IOS, at the interface: ip tcp adjust-mss {mss}"),
        ],
        undo: vec![
            before(key, None, "sysctl -w "),
            "ip link set dev INTERFACE mtu MTU, with the MTU that `ip link show dev INTERFACE` printed before"
                .to_owned(),
            format!(
                "iptables -t mangle -D {rule} {mss}; nft -a list chain inet filter forward, and nft delete rule inet filter forward handle N, with its handle; no ip tcp adjust-mss, or the one that the interface had"
            ),
        ],
        persist: kept(&[(key, "1")]),
        risk: format!(
            "the MTU is {passes} bytes, {known}; all that leaves an interface with that MTU is in smaller packets; the cure is to find who drops ICMP \"fragmentation needed\" (ICMPv6 \"packet too big\"), or which link has the smaller MTU"
        ),
    }
}
