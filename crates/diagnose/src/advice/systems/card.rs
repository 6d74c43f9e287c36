//! An interface: the room that it has for what arrives, and its queues.

use super::Remedy;
use crate::known::System;

/// What pause frames may do.
const PAUSES: &str = "pause frames may hold back others behind the same port";

/// What may go wrong where connections are spread over queues anew.
pub(crate) const SPREADING: &str =
    "connections move to other queues, and segments under way may overtake each other once";

/// How connections are spread over the queues of an interface as before.
pub(crate) fn spread_back(port: &str) -> String {
    format!(
        "ethtool -X {port} default, or the weights that `ethtool -x {port}` printed before, where it was not the default"
    )
}

/// Against an interface that has no room for what arrives; with the place of its counter, its name, and the frames that its ring has
/// room for now and at most.
pub(crate) fn interface(counted: &str, port: &str, ring: Option<[u64; 2]>) -> Remedy {
    let (larger, before) = match ring {
        Some([now, most]) if now < most => (
            format!("ethtool -G {port} rx {most}"),
            format!("ethtool -G {port} rx {now}"),
        ),
        Some([now, _]) => (
            format!("nothing at the ring of {port}: it has its most, {now} frames, already"),
            String::new(),
        ),
        None => (
            format!(
                "ethtool -g {port}; ethtool -G {port} rx N, with the maximum that the first prints: bursts need room"
            ),
            format!("ethtool -G {port} rx with the value that `ethtool -g {port}` printed before"),
        ),
    };
    let pauses =
        format!("ethtool -A {port} rx and tx with what `ethtool -a {port}` printed before");
    let undo = [before, pauses, spread_back(port)];
    let undo = undo.into_iter().filter(|undo| !undo.is_empty());
    Remedy {
        commands: vec![
            format!(
                "ethtool -S {port} | grep -E 'drop|discard|missed|buffer' before and after a test: that the counter still grows{counted}"
            ),
            larger,
            format!(
                "ethtool -a {port}; ethtool -A {port} rx on tx on, and the same for the port of the switch: pause frames hold the switch back"
            ),
            format!(
                "mpstat -P ALL 5: where one processor takes all interrupts (%soft), ethtool -x {port}, and keep what it prints; ethtool -X {port} equal N spreads them over N queues"
            ),
        ],
        undo: undo.collect(),
        persist: Vec::new(),
        room: None,
        risk: format!(
            "a change of the rings resets the interface of many drivers for a second; {PAUSES}"
        ),
    }
}

/// The same, of a system that is not Linux.
pub(crate) fn interface_of(system: System, counted: &str, port: &str) -> Remedy {
    if system == System::FreeBsd {
        return of_freebsd(counted, port);
    }
    Remedy {
        commands: vec![
            format!("the counter of {port} before and after a test: that it still grows{counted}"),
            format!(
                "a longer ring for what arrives at {port}, by the manual page of its driver: bursts need room"
            ),
            "flow control at the port of the switch: pause frames hold it back".to_owned(),
        ],
        undo: vec!["the ring and the port of the switch as they were".to_owned()],
        risk: PAUSES.to_owned(),
        ..Remedy::default()
    }
}

/// Of FreeBSD: a driver's settings are below its own name (iflib, 4; ix, 4).
fn of_freebsd(counted: &str, port: &str) -> Remedy {
    let device = device(port);
    Remedy {
        commands: vec![
            format!(
                "netstat -i -n -I {port} before and after a test: that the counter still grows{counted}; sysctl dev.{device} | grep -iE 'drop|miss|no_desc|discard' says which of its counters does"
            ),
            format!(
                "sysctl dev.{device}.fc, where the driver has it; sysctl dev.{device}.fc=3, and flow control at the port of the switch: pause frames hold it back"
            ),
            format!(
                "dev.{device}.iflib.override_nrxds=N in /boot/loader.conf, with a power of two up to the most in the manual page of the driver, and a start of the host: bursts need room. Drivers without iflib name it otherwise"
            ),
            format!(
                "top -SHP meanwhile: where one processor takes all interrupts, dev.{device}.iflib.override_nrxqs=N there gives {port} N queues"
            ),
        ],
        undo: vec![
            format!(
                "sysctl dev.{device}.fc with the value that `sysctl dev.{device}.fc` printed before"
            ),
            "the lines out of /boot/loader.conf, and a start of the host".to_owned(),
        ],
        risk: format!("the host is down while it starts; {PAUSES}"),
        ..Remedy::default()
    }
}

/// What FreeBSD's settings call the device of an interface: `ix.0` of `ix0`, also of a VLAN `ix0.100`.
fn device(port: &str) -> String {
    let parent = port.split('.').next().unwrap_or(port);
    let driver = parent.trim_end_matches(|c: char| c.is_ascii_digit());
    let unit = &parent[driver.len()..];
    match driver.is_empty() || unit.is_empty() {
        true => "DRIVER.UNIT".to_owned(),
        false => format!("{driver}.{unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::device;

    #[test]
    fn devices_are_a_driver_and_a_unit() {
        let names = ["ix0", "ixl12", "em1.100", "INTERFACE"].map(device);
        assert_eq!(names, ["ix.0", "ixl.12", "em.1", "DRIVER.UNIT"]);
    }
}
