//! What helps where large packets vanish in a tunnel: the MTU of its interface, and smaller segments.

use super::or_at_the_sender;
use crate::advice::systems::Remedy;
use crate::read::tunnels::Tunnel;

/// How a router has TCP offer segments that fit the way on and the way back.
const CLAMP: &str = "FORWARD -p tcp --tcp-flags SYN,RST SYN -j TCPMSS --clamp-mss-to-pmtu";

/// What to change at a tunnel that carries packets of so many bytes at most, before what else helps.
pub(super) fn through(tunnel: &Tunnel, passes: u64, other: Remedy) -> Remedy {
    let name = &tunnel.name;
    let lower = tunnel.mtu > passes;
    let (mut commands, mut undo) = (Vec::new(), Vec::new());
    if lower {
        let [set, back] = [passes, tunnel.mtu].map(|mtu| match tunnel.is_utun() {
            true => format!("ifconfig {name} mtu {mtu}"),
            false => format!("ip link set dev {name} mtu {mtu}"),
        });
        commands.push(format!(
            "at both ends of the tunnel, once the MTU of each is noted: {set}; {}",
            law(tunnel)
        ));
        undo.push(format!("{back}, and at the other end the MTU that it had"));
    }
    commands.push(format!(
        "where packets are forwarded into {name}: iptables -t mangle -A {CLAMP}"
    ));
    undo.push(format!("iptables -t mangle -D {CLAMP}"));
    or_at_the_sender(&mut commands, other.commands);
    undo.extend(other.undo);
    let mut persist = kept(tunnel, lower.then_some(passes));
    persist.extend(other.persist);
    Remedy {
        commands,
        undo,
        persist,
        risk: format!(
            "{name} has an MTU of {} bytes, and carries the flow as far as the texts show; {}",
            tunnel.mtu, other.risk
        ),
        room: other.room,
    }
}

/// What the MTU of a tunnel's interface comes from.
fn law(tunnel: &Tunnel) -> String {
    match tunnel.headers() {
        Some([v4, v6]) => format!(
            "it is that of the path between the tunnel's ends less {v4} bytes over IPv4, or {v6} over IPv6"
        ),
        None => {
            "it is that of the path between the tunnel's ends less the tunnel's headers".to_owned()
        }
    }
}

/// What keeps both after the next start; of the MTU only where it is lowered.
fn kept(tunnel: &Tunnel, lower: Option<u64>) -> Vec<String> {
    let name = &tunnel.name;
    if !tunnel.is_wireguard() {
        let mtu = lower.map(|mtu| format!("MTU {mtu} where {name} is configured, at both ends"));
        let rule = "the rule where the firewall keeps its own".to_owned();
        return mtu.into_iter().chain([rule]).collect();
    }
    let mtu = lower.map_or_else(String::new, |mtu| format!("MTU = {mtu}, "));
    vec![format!(
        "in /etc/wireguard/{name}.conf, under [Interface]: {mtu}PostUp = iptables -t mangle -A {CLAMP}, PostDown = iptables -t mangle -D {CLAMP} (to undo, delete them there)"
    )]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remedy(name: &str, mtu: u64, passes: u64) -> Remedy {
        let tunnel = Tunnel {
            name: name.to_owned(),
            mtu,
        };
        let other = Remedy {
            commands: vec!["sysctl -w net.ipv4.tcp_mtu_probing=1".to_owned()],
            undo: vec!["sysctl -w net.ipv4.tcp_mtu_probing=0".to_owned()],
            persist: Vec::new(),
            risk: "none".to_owned(),
            room: None,
        };
        through(&tunnel, passes, other)
    }

    #[test]
    fn an_interface_that_takes_more_than_passes_is_lowered_first() {
        let wg = remedy("wg0", 1420, 1360);
        assert!(
            wg.commands[0].contains("ip link set dev wg0 mtu 1360"),
            "{wg:?}"
        );
        assert!(wg.commands[0].contains("less 60 bytes over IPv4, or 80"));
        assert!(wg.commands[1].contains("--clamp-mss-to-pmtu"), "{wg:?}");
        assert!(
            wg.commands[2].starts_with("or, at the sender: sysctl"),
            "{wg:?}"
        );
        assert!(
            wg.undo[0].starts_with("ip link set dev wg0 mtu 1420"),
            "{wg:?}"
        );
        assert!(wg.undo[1].starts_with("iptables -t mangle -D"), "{wg:?}");
        assert!(wg.persist[0].contains("wg0.conf"), "{wg:?}");
        let mac = remedy("utun4", 1380, 1280);
        assert!(
            mac.commands[0].contains("ifconfig utun4 mtu 1280"),
            "{mac:?}"
        );
    }

    #[test]
    fn an_interface_that_fits_stays_as_it_is() {
        let tun = remedy("tun0", 1400, 1400);
        let all = tun.commands.join("\n");
        assert!(
            !all.contains("ip link set") && all.contains("clamp-mss"),
            "{all}"
        );
        assert!(!tun.persist.join("\n").contains("MTU 1400"), "{tun:?}");
    }
}
