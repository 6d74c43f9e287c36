//! The commands of Windows: `netsh` since Vista, and values of the registry before it.

use super::{OFFERED, Remedy};

/// Where TCP's values are in the registry.
const KEY: &str = "HKLM\\SYSTEM\\CurrentControlSet\\Services\\Tcpip\\Parameters";

/// The largest window that Windows takes from the registry, bytes: 2^30 − 1 with scaling.
const WINDOW: &str = "16776960";

/// A window that grows with the path; before Vista one that is scaled and larger.
pub(super) fn buffer(old: bool) -> Remedy {
    match old {
        true => registry(),
        false => tuned(
            "old firewalls may not pass window scaling; a program that sets its own buffer is not helped",
        ),
    }
}

/// Window scaling.
pub(super) fn scaling(old: bool) -> Remedy {
    if old { registry() } else { tuned(OFFERED) }
}

/// Since Vista Windows scales and tunes windows by itself.
fn tuned(risk: &str) -> Remedy {
    Remedy {
        commands: vec!["netsh interface tcp set global autotuninglevel=normal".to_owned()],
        undo: vec!["netsh interface tcp set global autotuninglevel=disabled, or the level that `netsh interface tcp show global` printed before".to_owned()],
        persist: vec!["it is kept: netsh writes it to the registry".to_owned()],
        risk: risk.to_owned(),
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
