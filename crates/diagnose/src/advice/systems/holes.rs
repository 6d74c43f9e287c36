//! What helps where large packets vanish.

use farpath_predict::IpVersion;

use super::{Remedy, before, kept};
use crate::known::System;

/// The setting of Linux by which a sender finds out itself how large packets may be.
const PROBING: &str = "net.ipv4.tcp_mtu_probing";

/// How a router lowers the segments that TCP offers through it, but for their size.
const LOWER: &str = "FORWARD -p tcp --tcp-flags SYN,RST SYN -j TCPMSS --set-mss";

/// What is known of the host that sends what vanishes, and of the way.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Between {
    /// The system of that host.
    pub(crate) system: Option<System>,
    /// Switches alone lie between the ends.
    pub(crate) bridged: bool,
    /// The port with the smaller MTU is known.
    pub(crate) located: bool,
    /// The largest segment that a firewall lets TCP announce, bytes.
    pub(crate) clamp: Option<u64>,
}

/// How the MTU of an interface is shown, set and set back.
fn of_interface(system: Option<System>, mtu: u64) -> [String; 3] {
    match system {
        Some(System::Windows) => {
            let set = "netsh interface ipv4 set subinterface \"INTERFACE\" mtu=";
            [
                "netsh interface ipv4 show subinterfaces".to_owned(),
                format!("{set}{mtu} store=persistent"),
                format!(
                    "{set}MTU store=persistent, with the MTU that `netsh interface ipv4 show subinterfaces` printed before"
                ),
            ]
        }
        _ => [
            "ip link show dev INTERFACE".to_owned(),
            format!("ip link set dev INTERFACE mtu {mtu}"),
            "ip link set dev INTERFACE mtu MTU, with the MTU that `ip link show dev INTERFACE` printed before"
                .to_owned(),
        ],
    }
}

/// Packets larger than a link carries vanish, and the sender of them does not hear of it. With a size that passes, and how it is known.
pub(crate) fn probing((passes, known): &(u64, &str), between: Between) -> Remedy {
    let windows = between.system == Some(System::Windows);
    let mss = passes.saturating_sub(IpVersion::V4.fixed_headers().into());
    let [shows, sets, back] = of_interface(between.system, *passes);
    let (mut commands, mut undo) = (Vec::new(), Vec::new());
    if between.bridged && !between.located {
        commands.push("on each switch between the two hosts: show interface | include MTU; no router lies between them, as their TTL shows, and a switch reports nothing: its MTU is to be that of the hosts".to_owned());
    }
    if let Some(clamp) = between.clamp.filter(|clamp| *clamp > mss) {
        commands.push(format!("on the firewall whose text has `sysopt connection tcpmss {clamp}`, which lets TCP announce more than passes: sysopt connection tcpmss {mss}"));
        undo.push(format!("sysopt connection tcpmss {clamp}"));
    }
    if !windows {
        commands.push(format!("sysctl -w {PROBING}=1"));
        undo.push(before(PROBING, None, "sysctl -w "));
    }
    let or = if commands.is_empty() { "" } else { "or, " };
    commands.push(format!(
        "{or}until it is repaired: {shows}, and keep what it prints; {sets}"
    ));
    undo.push(back);
    let cure = match between.bridged {
        true if between.located => "to raise the MTU of that port",
        true => "to find which switch has the smaller MTU",
        false => {
            commands.extend([
                format!("or at the other end, for TCP: an MTU of {passes} at the interface by which it reaches this host, that of its VPN where it has one. It offers segments that fit then; keep what `ip link show` prints there"),
                format!("or on the router before the small link: iptables -t mangle -A {LOWER} {mss}"),
                format!("the same in nftables, in a chain that forwards: nft add rule inet filter forward tcp flags syn tcp option maxseg size set {mss}"),
                format!("the same in IOS, at the interface: ip tcp adjust-mss {mss}; of Cisco ASA: sysopt connection tcpmss {mss}"),
            ]);
            undo.push("the MTU that the interface of the other end had".to_owned());
            undo.push(format!(
                "iptables -t mangle -D {LOWER} {mss}; nft -a list chain inet filter forward, and nft delete rule inet filter forward handle N, with its handle; no ip tcp adjust-mss, or the one that the interface had"
            ));
            "to find who drops ICMP \"fragmentation needed\" (ICMPv6 \"packet too big\"), or which link has the smaller MTU"
        }
    };
    Remedy {
        room: None,
        commands,
        undo,
        persist: match windows {
            true => vec!["it is kept: netsh writes it to the registry".to_owned()],
            false => kept(&[(PROBING, "1")]),
        },
        risk: format!(
            "the MTU is {passes} bytes, {known}; all that leaves an interface with that MTU is in smaller packets; the cure is {cure}"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_other_end_may_offer_segments_that_fit() {
        let remedy = probing(&(1328, "a guess"), Between::default());
        let says = "at the other end, for TCP: an MTU of 1328";
        assert!(remedy.commands.join("\n").contains(says), "{remedy:?}");
        // A clamp that lets through more than passes comes first, and one below that is none to change.
        let clamped = |clamp: u64| {
            let between = Between {
                clamp: Some(clamp),
                ..Between::default()
            };
            probing(&(1408, "a guess"), between).commands.remove(0)
        };
        assert!(clamped(1460).ends_with("sysopt connection tcpmss 1368"));
        assert!(!clamped(1360).contains("sysopt"));
        let bridged = Between {
            bridged: true,
            ..Between::default()
        };
        let remedy = probing(&(1328, "a guess"), bridged);
        assert!(!remedy.commands.join("\n").contains(says), "{remedy:?}");
    }
}
