//! What became of the UDP datagrams of a program: by the lab's own count, packet by packet.

use farpath_element::Drop;
use farpath_emu::lab::Lab;
use farpath_record::count_of;
use farpath_scenario::NodeId;
use serde::Serialize;

use super::connections::SENDERS;
use super::path::Path;

/// What one of the two hosts sent.
#[derive(Debug, Serialize)]
pub(super) struct Sent {
    /// Who.
    sender: &'static str,
    /// Datagrams, and their payload in bytes.
    datagrams: u64,
    pub(super) bytes: u64,
    /// Those that the path dropped, anywhere.
    dropped: u64,
    /// Frames of all kinds that found a queue on their way full.
    queue_full: u64,
}

/// What the hosts sent, the command's first; without who sent none.
pub(super) fn sent(path: &Path, lab: &Lab) -> Vec<Sent> {
    let plane = &lab.plane;
    let plan = &plane.wan().plan;
    let ways = path.ways(plan);
    let of = |n: usize| {
        let counted = plane.datagrams(NodeId(path.hosts[n]));
        let hops = plan.walk(plane.scenario(), ways[n]).into_iter();
        let full = |port: usize| plane.port(port).counters().dropped(Drop::Tail);
        Sent {
            sender: SENDERS[n],
            datagrams: counted.sent,
            bytes: counted.bytes,
            dropped: counted.lost,
            queue_full: hops.map(|hop| full(hop.port)).sum(),
        }
    };
    [0, 1]
        .map(of)
        .into_iter()
        .filter(|s| s.datagrams > 0)
        .collect()
}

impl Sent {
    /// In words.
    pub(super) fn line(&self) -> String {
        let all = count_of(self.datagrams, "datagram", "datagrams");
        if self.dropped == 0 {
            return format!("the path dropped none of {all} that {} sent", self.sender);
        }
        let share = 100.0 * self.dropped as f64 / self.datagrams as f64;
        let full = match self.queue_full {
            0 => String::new(),
            n => format!(": {} found a queue full", count_of(n, "frame", "frames")),
        };
        format!(
            "of {all} that {} sent the path dropped {} ({share:.1} %){full}",
            self.sender, self.dropped
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_path_dropped_is_said_with_its_share() {
        let sent = |dropped, queue_full| Sent {
            sender: SENDERS[0],
            datagrams: 1500,
            bytes: 1_500_000,
            dropped,
            queue_full,
        };
        assert_eq!(
            sent(0, 0).line(),
            "the path dropped none of 1500 datagrams that your command sent"
        );
        assert_eq!(
            sent(525, 500).line(),
            "of 1500 datagrams that your command sent the path dropped 525 (35.0 %): 500 frames found a queue full"
        );
    }
}
