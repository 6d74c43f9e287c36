//! The commands of Windows: `netsh` since Vista, and values of the registry before it.

use super::scaling::OFFERED;
use super::{Buffers, End, Remedy};

/// Where TCP's values are in the registry.
const KEY: &str = "HKLM\\SYSTEM\\CurrentControlSet\\Services\\Tcpip\\Parameters";

/// The largest window that Windows takes from the registry, bytes: 2^30 − 1 with scaling.
const WINDOW: &str = "16776960";

/// Sets how far a window may grow.
const SET: &str = "netsh interface tcp set global autotuninglevel=";

/// A window that grows with the path, or a buffer of the sender that does; before Vista a window that is scaled and larger.
pub(super) fn buffer(end: End, now: &Buffers) -> Remedy {
    match (now.old, end) {
        (true, _) => registry(),
        (false, End::Sender) => sending(),
        (false, End::Receiver) => tuned(
            now,
            "old firewalls may not pass window scaling; a program that sets its own buffer is not helped",
        ),
    }
}

/// Window scaling.
pub(super) fn scaling(now: &Buffers) -> Remedy {
    if now.old {
        registry()
    } else {
        tuned(now, OFFERED)
    }
}

/// Since Vista Windows scales and tunes windows by itself.
fn tuned(now: &Buffers, risk: &str) -> Remedy {
    if let Some(level @ ("normal" | "experimental")) = now.level {
        let left = format!(
            "the level is {level} already, which lets a window grow: what is left is a buffer that the program asks for (SO_RCVBUF, -w of iperf3), and netsh interface tcp show heuristics"
        );
        return Remedy {
            commands: vec![left],
            risk: risk.to_owned(),
            ..Remedy::default()
        };
    }
    let mut commands = vec![format!("{SET}normal")];
    if now.level.is_none() {
        let first = "netsh interface tcp show global: where the level is normal already there is nothing to change here";
        commands.insert(0, first.to_owned());
    }
    Remedy {
        room: None,
        commands,
        undo: vec![match now.level {
            Some(level) => format!("{SET}{level}"),
            None => format!(
                "{SET}LEVEL, with the level that `netsh interface tcp show global` printed before"
            ),
        }],
        persist: vec!["it is kept: netsh writes it to the registry".to_owned()],
        risk: risk.to_owned(),
    }
}

/// The send buffer grows by itself unless that was turned off, or the program asks for one.
fn sending() -> Remedy {
    Remedy {
        room: None,
        commands: vec![
            "netsh winsock set autotuning on".to_owned(),
            "or have the program ask for a larger send buffer (SO_SNDBUF, -w of iperf3)".to_owned(),
        ],
        undo: vec![
            "netsh winsock set autotuning with what `netsh winsock show autotuning` printed before"
                .to_owned(),
        ],
        persist: vec!["it is kept: netsh writes it to the registry".to_owned()],
        risk: "a program that sets its own buffer is not helped".to_owned(),
    }
}

/// Until Server 2003 (5.2) the window is a value of the registry, and is scaled where `Tcp1323Opts` says so: 1 for scaling, 3 with timestamps.
fn registry() -> Remedy {
    let set =
        |name: &str, value: &str| format!("reg add \"{KEY}\" /v {name} /t REG_DWORD /d {value} /f");
    let delete = |name: &str| {
        format!(
            "reg delete \"{KEY}\" /v {name} /f, or reg add with the value that `reg query` printed before"
        )
    };
    Remedy {
        room: None,
        commands: vec![
            format!("reg query \"{KEY}\": what they are now"),
            set("Tcp1323Opts", "3"),
            set("TcpWindowSize", WINDOW),
            "restart the host: the values are read at its start".to_owned(),
        ],
        undo: vec![delete("Tcp1323Opts"), delete("TcpWindowSize")],
        persist: vec!["they are kept: the registry is".to_owned()],
        risk: "every connection of the host has this window, and nothing tunes it; old firewalls may not pass window scaling".to_owned(),
    }
}
