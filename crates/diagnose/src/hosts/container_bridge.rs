//! A bridge of containers or virtual machines whose MTU is above what the path of its host carries: the answers to a program behind it come in
//! packets that are too large.

use crate::cause::Cause;
use crate::document::{Change, MissingFact};
use crate::evidence::Evidence;
use crate::fact::Figure;
use crate::items::Item;
use crate::losses::holes::MtuBy;
use crate::losses::segments::FIXED_HEADERS;
use crate::read::Facts;

/// A bridge, and the path MTU that its host knows.
#[derive(Clone, Debug)]
pub(crate) struct ContainerBridge {
    bridge: String,
    host: String,
    /// Its MTU, and that of the path, bytes.
    mtu: f64,
    path: f64,
}

/// What programs call their bridges.
const BRIDGES: [&str; 6] = ["docker0", "podman0", "cni0", "lxcbr0", "lxdbr0", "virbr0"];

/// How Docker begins names of bridges of networks that were added.
const ADDED: &str = "br-";

/// What it is worth that such a bridge stands behind a path which carries less, decibans. A choice, below that of large pings that are lost.
const WORTH: f64 = 18.0;

impl ContainerBridge {
    /// The bridge of the host whose pings were refused for their size, which has an interface of just that MTU.
    pub(crate) fn of(facts: &Facts, found: Option<&(Figure, MtuBy)>) -> Option<ContainerBridge> {
        let (path, _) = found.filter(|(_, by)| *by == MtuBy::Host)?;
        let all = &facts.interfaces;
        let is_bridge = |name: &str| BRIDGES.contains(&name) || name.starts_with(ADDED);
        let wide = all.iter().find(|i| {
            let mut own = all.iter().filter(|other| other.host == i.host);
            is_bridge(&i.name) && i.mtu > path.value && own.any(|other| other.mtu == path.value)
        })?;
        let host = facts.hosts.get(wide.host as usize);
        let host = host.and_then(|names| names.first());
        Some(ContainerBridge {
            bridge: wide.name.clone(),
            host: host
                .map_or("the host of the bridge", String::as_str)
                .to_owned(),
            mtu: wide.mtu,
            path: path.value,
        })
    }
}

/// Weighs it where a program was connected and got no answer.
pub(crate) fn by_bridge(e: &Evidence, items: &mut Vec<Item>) {
    let own = e.container_bridge.as_ref().filter(|_| e.unanswered);
    items.extend(own.map(|own| Item {
        holds: 1.0,
        weights: vec![(Cause::MtuBlackHole, WORTH)],
        sentence: format!(
            "{} of {} has an MTU of {:.0} bytes, and that host knows that the path carries {:.0}: a program behind the bridge lets the other end send {:.0} bytes in a packet, which are lost where nobody reports that to the other end",
            own.bridge, own.host, own.mtu, own.path, own.mtu
        ),
    }));
}

/// The MTU of what is behind the bridge.
pub(crate) fn change(e: &Evidence) -> Option<Change> {
    let own = e.container_bridge.as_ref().filter(|_| e.unanswered)?;
    let clamp = "FORWARD -p tcp --tcp-flags SYN,RST SYN -j TCPMSS --clamp-mss-to-pmtu";
    Some(Change {
        host: own.host.clone(),
        commands: vec![
            format!(
                "iptables -t mangle -A {clamp}: what goes out from behind {} then announces {:.0} bytes of payload at most",
                own.bridge,
                own.path - FIXED_HEADERS
            ),
            format!(
                "or, to stay: \"mtu\": {:.0} in /etc/docker/daemon.json and Docker started again, and for networks that were added docker network create --opt com.docker.network.driver.mtu={:.0} NAME; of others the MTU in their network's own configuration",
                own.path, own.path
            ),
        ],
        undo: vec![format!("iptables -t mangle -D {clamp}")],
        risk: "a new start of Docker stops its containers, unless live-restore is set".to_owned(),
        ..Change::default()
    })
}

/// What decides whether a program with no answer is behind the bridge at all.
pub(crate) fn asks(own: &ContainerBridge) -> MissingFact {
    MissingFact {
        fact: "mtu_container_bytes",
        would_decide: format!(
            "whether the program is behind {}, and how large packets it lets the other end send: more than {:.0} bytes do not pass",
            own.bridge, own.path
        ),
        command: "cat /sys/class/net/eth0/mtu where the program runs: docker exec NAME, or docker run --rm with its image".to_owned(),
    }
}
