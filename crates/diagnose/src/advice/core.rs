//! What to change about a processor that is full of something else than the program's own work.

use super::systems::Remedy;
use crate::core::is_tunnel;
use crate::evidence::Evidence;

/// Against a processor that the hypervisor, soft interrupts or a tunnel fill; none where nothing says so.
pub(super) fn remedy(e: &Evidence, to: &str) -> Option<Remedy> {
    let program = e
        .cpu_of
        .as_ref()
        .map_or("", |(_, program)| program.as_str());
    if is_tunnel(program, to) {
        return Some(Remedy::without_risk([
            format!("top -H -p $(pgrep -o {program}) meanwhile: whether one of its threads fills a processor").as_str(),
            "a tunnel in the kernel or with a thread for each processor: WireGuard, or OpenVPN with data channel offload (ovpn-dco)",
            "a cipher that the processor has instructions for: AES-GCM with AES-NI (grep -m1 aes /proc/cpuinfo), ChaCha20-Poly1305 without",
            "several tunnels side by side, each with its own process: one connection still has one of them",
        ]));
    }
    let core = e.core.as_ref()?;
    if core.is_stolen() {
        return Some(Remedy::without_risk(STOLEN));
    }
    core.is_soft().then(|| Remedy::without_risk(SOFT))
}

/// Against a hypervisor that gives the time to others.
const STOLEN: [&str; 3] = [
    "a larger or a dedicated processor for this machine: of a cloud an instance that is not burstable, and one with more credits otherwise",
    "or fewer machines on that host: whoever runs it moves one of them",
    "nothing in this machine gives the time back; vmstat 1 shows in its column st whether it is still taken",
];

/// Against soft interrupts of one processor.
const SOFT: [&str; 4] = [
    "grep INTERFACE /proc/interrupts: which processors its receive queues interrupt; with one, ethtool -L INTERFACE combined N gives it several",
    "receive side scaling (RSS): ethtool -X INTERFACE equal N spreads connections over N queues",
    "without queues: receive packet steering (RPS), echo MASK > /sys/class/net/INTERFACE/queues/rx-0/rps_cpus, MASK without the processor that is interrupted",
    "one connection stays on one processor with either: larger frames and GRO (ethtool -k INTERFACE) let it carry more, and the program belongs on another (taskset)",
];
