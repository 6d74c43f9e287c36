//! Window scaling, on a host and between hosts.

use super::{Buffers, Remedy, before, kept, kept_by_bsd, windows};
use crate::known::System;

/// What may go wrong with window scaling.
pub(super) const OFFERED: &str = "if both hosts offer it already, a firewall on the way takes the option out: that is to be changed instead";

/// What may go wrong where nothing takes the option out of this connection.
pub(crate) const OFFERED_TO_ALL: &str = "connections to other hosts offer it then, too: an old firewall on their way may drop their SYNs";

/// Window scaling, on. Undone it is off only where a text said that it was: it is on by default everywhere.
pub(crate) fn scaling(system: Option<System>, now: &Buffers) -> Remedy {
    let (write, key) = match system {
        Some(System::Windows) => return windows::scaling(now),
        Some(System::Solaris) => return solaris(),
        Some(System::Linux) | None => ("sysctl -w ", "net.ipv4.tcp_window_scaling"),
        Some(System::MacOs) => ("sudo sysctl -w ", "net.inet.tcp.rfc1323"),
        Some(_) => ("sysctl ", "net.inet.tcp.rfc1323"),
    };
    let persist = match system {
        Some(System::Linux) | None => kept(&[(key, "1")]),
        Some(System::MacOs) => vec![
            "a LaunchDaemon that runs the command: current releases read no sysctl.conf".to_owned(),
        ],
        _ => vec![kept_by_bsd(key, 1)],
    };
    let mut commands = vec![format!("{write}{key}=1")];
    if !now.unscaled {
        let first = format!("sysctl {key}: where it prints 1 there is nothing to change here");
        commands.insert(0, first);
    }
    Remedy {
        room: None,
        commands,
        undo: vec![before(key, now.unscaled.then_some(0), write)],
        persist,
        risk: OFFERED.to_owned(),
    }
}

fn solaris() -> Remedy {
    let key = "ndd -set /dev/tcp tcp_wscale_always";
    Remedy {
        room: None,
        commands: vec![format!("{key} 1")],
        undo: vec![format!(
            "{key} with the value that `ndd /dev/tcp tcp_wscale_always` printed before"
        )],
        persist: vec!["a start script that runs the command".to_owned()],
        risk: OFFERED.to_owned(),
    }
}

/// A host offers an option, and the connection goes without: what lies between takes it out, and why that is known.
pub(crate) fn option_between(option: &str, why: &str) -> Remedy {
    Remedy {
        room: None,
        commands: vec![
            format!("find what takes the {option} option out of the SYN: {why}"),
            "on both hosts: tcpdump -vni INTERFACE 'tcp[tcpflags] & tcp-syn != 0'".to_owned(),
            "on the firewall between: let TCP options pass, without rewriting or normalising SYNs"
                .to_owned(),
        ],
        undo: vec!["put back what was changed on the firewall".to_owned()],
        persist: vec!["the configuration of the firewall, saved".to_owned()],
        risk: "no setting of the hosts helps; other connections through that firewall are held in the same way".to_owned(),
    }
}
