//! What to change about a processor that is full of something else than the program's own work.

use super::programs;
use super::systems::{End, Remedy, SPREADING, spread_back};
use crate::evidence::Evidence;
use crate::fact::Of;
use crate::flows::flow::number;
use crate::hosts::core::{is_tunnel, receives};
use crate::read::offload::OFFLOADS;
use crate::read::{Facts, QUEUES, QUEUES_MOST};

/// Against a processor that the hypervisor, soft interrupts, a tunnel or another program that is known fill; none where nothing says so.
pub(super) fn remedy(e: &Evidence, to: &str) -> Option<Remedy> {
    let program = e
        .cpu_of
        .as_ref()
        .map_or("", |(_, program)| program.as_str());
    if program.contains("wg-crypt") {
        return Some(Remedy::without_risk(WIREGUARD));
    }
    if is_tunnel(program, to) {
        return Some(Remedy::without_risk([
            format!("top -H -p $(pgrep -o {program}) meanwhile: whether one of its threads fills a processor").as_str(),
            "a tunnel in the kernel or with a thread for each processor: WireGuard, or OpenVPN with data channel offload (ovpn-dco)",
            "a cipher that the processor has instructions for: AES-GCM with AES-NI (grep -m1 aes /proc/cpuinfo), ChaCha20-Poly1305 without",
            "several tunnels side by side, each with its own process: one connection still has one of them",
        ]));
    }
    if receives(program) {
        return Some(soft());
    }
    if let Some(core) = &e.core {
        if core.is_stolen() {
            return Some(Remedy::without_risk(STOLEN));
        }
        if core.is_soft() {
            return Some(soft());
        }
    }
    programs::remedy(program)
}

/// Against WireGuard's threads, which the kernel has on all processors.
const WIREGUARD: [&str; 4] = [
    "top -H meanwhile: whether all threads wg-crypt are busy, or one of them. WireGuard encrypts on all processors: where all are full, a host with more or faster ones is what carries more",
    "one that is full alone: ethtool -x INTERFACE of the interface below the tunnel, as its queues choose the processor on which a packet is received",
    "where grep -m1 aes /proc/cpuinfo prints something at both ends: IPsec with AES-GCM costs such a processor less; WireGuard has ChaCha20-Poly1305 alone",
    "larger packets, as far as the path carries them: ip link show says the tunnel's MTU, and each packet costs about as much whatever its size",
];

/// Against a hypervisor that gives the time to others.
const STOLEN: [&str; 3] = [
    "a larger or a dedicated processor for this machine: of a cloud an instance that is not burstable, and one with more credits otherwise",
    "or fewer machines on that host: whoever runs it moves one of them",
    "nothing in this machine gives the time back; vmstat 1 shows in its column st whether it is still taken",
];

/// What asks for an interface's queues and gives it more, and what gives that where texts have their number; `NOW` and `MOST` stand for those.
const ASKED: &str = "with one, ethtool -l INTERFACE, and keep what it prints; ethtool -L INTERFACE combined N gives it N queues, up to the maximum that -l prints";
const KNOWN: &str = "it has NOW of up to MOST: ethtool -L INTERFACE combined N, with the number of the host's processors as N, MOST at most";

/// How it has as many as before.
const BACK: &str =
    "ethtool -L INTERFACE combined N, with the N that `ethtool -l INTERFACE` printed before";
const BACK_TO: &str = "ethtool -L INTERFACE combined NOW";

/// The same with the number of queues that the texts of its host have, where it may have more.
fn with_queues(mut remedy: Remedy, facts: &Facts, hosts: &[Of]) -> Remedy {
    let both = |h: &Of| {
        let count = |name: &'static str| number(facts, *h, name).map(|n| n.value);
        count(QUEUES).zip(count(QUEUES_MOST))
    };
    let mut all = hosts.iter();
    let Some((now, most)) = all.find_map(both).filter(|(now, most)| now < most) else {
        return remedy;
    };
    let filled = |text: &str| {
        let text = text.replace("NOW", &format!("{now:.0}"));
        text.replace("MOST", &format!("{most:.0}"))
    };
    for (lines, from, to) in [
        (&mut remedy.commands, ASKED, KNOWN),
        (&mut remedy.undo, BACK, BACK_TO),
    ] {
        for line in lines.iter_mut() {
            *line = line.replace(from, &filled(to));
        }
    }
    remedy
}

/// Against soft interrupts of one processor.
const SOFT: [&str; 4] = [
    "grep INTERFACE /proc/interrupts: which processors its receive queues interrupt; with one, ethtool -l INTERFACE, and keep what it prints; ethtool -L INTERFACE combined N gives it N queues, up to the maximum that -l prints",
    "receive side scaling (RSS): ethtool -x INTERFACE, and keep what it prints; ethtool -X INTERFACE equal N spreads connections over N queues",
    "without queues: receive packet steering (RPS), cat /sys/class/net/INTERFACE/queues/rx-0/rps_cpus, and keep what it prints; echo MASK > /sys/class/net/INTERFACE/queues/rx-0/rps_cpus, MASK (hexadecimal) without the processor that is interrupted",
    "one connection stays on one processor with either: larger frames and GRO (ethtool -k INTERFACE) let it carry more, and the program belongs on another (taskset)",
];

fn soft() -> Remedy {
    let mut remedy = Remedy::without_risk(SOFT);
    remedy.undo = vec![
        "ethtool -L INTERFACE combined N, with the N that `ethtool -l INTERFACE` printed before"
            .to_owned(),
        spread_back("INTERFACE"),
        "echo MASK > /sys/class/net/INTERFACE/queues/rx-0/rps_cpus, with the MASK that `cat /sys/class/net/INTERFACE/queues/rx-0/rps_cpus` printed before"
            .to_owned(),
    ];
    remedy.risks("ethtool -L resets the interface of many drivers for a second");
    remedy.risks(SPREADING);
    remedy
}

/// The same with the offloads first that the texts of its host show to be off: without them a processor handles each segment by itself.
pub(super) fn with_offloads(remedy: Remedy, facts: &Facts, hosts: &[Of], end: End) -> Remedy {
    let mut remedy = with_queues(remedy, facts, hosts);
    let is_off = |fact: &'static str| {
        let mut said = hosts.iter().filter_map(|h| number(facts, *h, fact));
        said.any(|on| on.value == 0.0)
    };
    let sends = |name: &str| name != "gro";
    let off: Vec<&str> = OFFLOADS
        .iter()
        .filter(|(_, fact, name)| sends(name) == (end == End::Sender) && is_off(fact))
        .map(|(.., name)| *name)
        .collect();
    if !off.is_empty() {
        let set = |state: &str| {
            let each: Vec<String> = off.iter().map(|name| format!("{name} {state}")).collect();
            format!("ethtool -K INTERFACE {}", each.join(" "))
        };
        // Segmentation needs both, where they are off as well.
        let with = match end {
            End::Sender => {
                ": it is off, and each segment costs the processor as much as 40 do with it; with tx and sg on, which it needs"
            }
            End::Receiver => {
                ": it is off, and each segment costs the processor as much as many do with it"
            }
        };
        remedy.commands.insert(0, format!("{}{with}", set("on")));
        remedy.undo.push(set("off"));
        remedy.risks("an offload may be off for a reason: a bridge or router on this host, a capture, or a fault of the driver");
    }
    remedy
}

#[cfg(test)]
mod tests {
    use super::{ASKED, BACK, soft};

    #[test]
    fn what_is_replaced_stands_in_the_remedy() {
        let remedy = soft();
        assert!(remedy.commands[0].contains(ASKED), "{:?}", remedy.commands);
        assert!(remedy.undo.iter().any(|line| line == BACK));
    }
}
