//! An interface: the room that it has for what arrives, and its queues.

use super::Remedy;

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
            format!("ethtool -S {port} | grep -E 'drop|discard|missed|buffer' before and after a test: that the counter still grows{counted}"),
            larger,
            format!("ethtool -a {port}; ethtool -A {port} rx on tx on, and the same for the port of the switch: pause frames hold the switch back"),
            format!("mpstat -P ALL 5: where one processor takes all interrupts (%soft), ethtool -x {port}, and keep what it prints; ethtool -X {port} equal N spreads them over N queues"),
        ],
        undo: undo.collect(),
        persist: Vec::new(),
        room: None,
        risk: "a change of the rings resets the interface of many drivers for a second; pause frames may hold back others behind the same port".to_owned(),
    }
}
