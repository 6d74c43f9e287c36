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
    /// Those that the path dropped, anywhere; one in fragments with the first of them.
    dropped: u64,
    /// Those that arrived with a wrong checksum: the receiver's kernel throws them away.
    damaged: u64,
    /// Frames of all kinds that found a queue on their way full.
    queue_full: u64,
    /// Frames of all kinds that found a link on their way down.
    path_down: u64,
}

/// What the hosts sent, the command's first; without who sent none.
pub(super) fn sent(path: &Path, lab: &Lab) -> Vec<Sent> {
    let plane = &lab.plane;
    let plan = &plane.wan().plan;
    let ways = path.ways(plan);
    let of = |n: usize| {
        let counted = plane.datagrams(NodeId(path.hosts[n]));
        let hops = plan.walk(plane.scenario(), ways[n]);
        let frames = |reason: Drop| {
            let ports = hops.iter().map(|hop| plane.port(hop.port));
            ports.map(|port| port.counters().dropped(reason)).sum()
        };
        Sent {
            sender: SENDERS[n],
            datagrams: counted.sent,
            bytes: counted.bytes,
            dropped: counted.lost,
            damaged: counted.damaged,
            queue_full: frames(Drop::Tail),
            path_down: frames(Drop::Down),
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
        let share = |count: u64| 100.0 * count as f64 / self.datagrams as f64;
        let mut line = match self.dropped {
            0 => format!("the path dropped none of {all} that {} sent", self.sender),
            n => format!(
                "of {all} that {} sent the path dropped {n} ({:.1} %)",
                self.sender,
                share(n)
            ),
        };
        let found = [
            (self.queue_full, "a queue full"),
            (self.path_down, "it down"),
        ];
        let found = found
            .into_iter()
            .filter(|(n, _)| *n > 0 && self.dropped > 0);
        let found =
            found.map(|(n, what)| format!("{} found {what}", count_of(n, "frame", "frames")));
        let found: Vec<String> = found.collect();
        if !found.is_empty() {
            line += &format!(": {}", found.join(", "));
        }
        if self.damaged > 0 {
            let share = share(self.damaged);
            line += &format!(
                "; {} arrived damaged (wrong checksum, {share:.1} %)",
                self.damaged
            );
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_path_dropped_is_said_with_its_share() {
        let sent = |dropped, damaged, queue_full, path_down| Sent {
            sender: SENDERS[0],
            datagrams: 1500,
            bytes: 1_500_000,
            dropped,
            damaged,
            queue_full,
            path_down,
        };
        assert_eq!(
            sent(0, 0, 0, 0).line(),
            "the path dropped none of 1500 datagrams that your command sent"
        );
        assert_eq!(
            sent(0, 75, 0, 0).line(),
            "the path dropped none of 1500 datagrams that your command sent; 75 arrived damaged (wrong checksum, 5.0 %)"
        );
        assert_eq!(
            sent(525, 0, 500, 0).line(),
            "of 1500 datagrams that your command sent the path dropped 525 (35.0 %): 500 frames found a queue full"
        );
        assert_eq!(
            sent(525, 0, 500, 25).line(),
            "of 1500 datagrams that your command sent the path dropped 525 (35.0 %): 500 frames found a queue full, 25 \
             frames found it down"
        );
    }
}
