//! What to change where the memory of all TCP sockets of a host is used up.

use super::systems::Remedy;

/// Finds who holds the memory, and then lets TCP have more of it.
pub(super) fn remedy() -> Remedy {
    let key = "net.ipv4.tcp_mem";
    let commands = [
        "sysctl net.ipv4.tcp_mem, and keep what it prints; cat /proc/net/sockstat during a test: `mem` of TCP, in pages, at the second or third of these values is memory that is used up",
        "ss -tm: the sockets that hold it. A program that does not read what arrived is mended first",
        "sysctl -w net.ipv4.tcp_mem=\"LEAST PRESSURE MOST\", each four times what the first command printed",
    ];
    Remedy {
        commands: commands.map(str::to_owned).to_vec(),
        undo: vec![format!(
            "sysctl -w {key}=\"LEAST PRESSURE MOST\", with the values that `sysctl {key}` printed before"
        )],
        risk: "TCP may then take as many pages (of 4096 bytes on most machines) from the rest of the host".to_owned(),
        ..Remedy::default()
    }
}
