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
    /// Datagrams, whether they left the host or not.
    datagrams: u64,
    /// Payload of those that left it, in bytes.
    pub(super) bytes: u64,
    /// Those that the host's own queue, in front of its interface, dropped; one in fragments with the first of them.
    host_dropped: u64,
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
        // A host that is gone is a fault of the certificate.
        let host = lab.hosts.get(path.hosts[n]);
        let host_dropped = host.and_then(|host| host.datagrams_dropped().ok());
        let host_dropped = host_dropped.unwrap_or_default();
        let hops = plan.walk(plane.scenario(), ways[n]);
        let frames = |reason: Drop| {
            let ports = hops.iter().map(|hop| plane.port(hop.port));
            ports.map(|port| port.counters().dropped(reason)).sum()
        };
        Sent {
            sender: SENDERS[n],
            datagrams: counted.sent + host_dropped,
            bytes: counted.bytes,
            host_dropped,
            // A fragment in front of one that the host dropped may be lost, too.
            dropped: counted.lost.min(counted.sent),
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
    /// What frames found on their way where datagrams were dropped: all frames, of TCP, pings and fragments as well.
    fn found(&self) -> String {
        let found = [
            (self.queue_full, "a queue full"),
            (self.path_down, "the path down"),
        ];
        let found = found
            .into_iter()
            .filter(|(n, _)| *n > 0 && self.dropped > 0)
            .map(|(n, what)| format!("{n} found {what}"));
        match found.collect::<Vec<_>>() {
            none if none.is_empty() => String::new(),
            some => format!(
                "; of frames of all kinds that went this way {}",
                some.join(", and ")
            ),
        }
    }

    /// In words.
    pub(super) fn line(&self) -> String {
        let all = count_of(self.datagrams, "datagram", "datagrams");
        let share = |count: u64| 100.0 * count as f64 / self.datagrams as f64;
        let counted = |count: u64| format!("{count} ({:.1} %)", share(count));
        let sender = self.sender;
        let mut line = match (self.host_dropped, self.dropped) {
            (0, 0) => format!("the path dropped none of {all} that {sender} sent"),
            (0, n) => format!(
                "of {all} that {sender} sent the path dropped {}",
                counted(n)
            ),
            (own, n) => {
                let verb = if own == 1 { "was" } else { "were" };
                let of_path = if n == 0 {
                    "none".to_owned()
                } else {
                    counted(n)
                };
                format!(
                    "of {all} that {sender} sent {} {verb} dropped in the host's own interface queue, and the path dropped \
                     {of_path}",
                    counted(own)
                )
            }
        };
        line += &self.found();
        if self.damaged > 0 {
            // Of those that arrived, as `--corrupt` asks for it.
            let gone = self.host_dropped + self.dropped;
            let arrived = self.datagrams.saturating_sub(gone).max(self.damaged);
            let share = 100.0 * self.damaged as f64 / arrived as f64;
            line += &format!(
                "; {} arrived damaged (wrong checksum, {share:.1} % of those that arrived)",
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
            host_dropped: 0,
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
            "the path dropped none of 1500 datagrams that your command sent; 75 arrived damaged (wrong checksum, 5.0 % of those \
             that arrived)"
        );
        let lost = sent(750, 75, 0, 0).line();
        let share = "; 75 arrived damaged (wrong checksum, 10.0 % of those that arrived)";
        assert!(lost.ends_with(share), "{lost}");
        assert_eq!(
            sent(525, 0, 500, 0).line(),
            "of 1500 datagrams that your command sent the path dropped 525 (35.0 %); of frames of all kinds that went this way \
             500 found a queue full"
        );
        assert_eq!(
            sent(525, 0, 500, 25).line(),
            "of 1500 datagrams that your command sent the path dropped 525 (35.0 %); of frames of all kinds that went this way \
             500 found a queue full, and 25 found the path down"
        );
        let own = |host_dropped, dropped| Sent {
            host_dropped,
            ..sent(dropped, 0, dropped, 0)
        };
        assert_eq!(
            own(900, 150).line(),
            "of 1500 datagrams that your command sent 900 (60.0 %) were dropped in the host's own interface queue, and the \
             path dropped 150 (10.0 %); of frames of all kinds that went this way 150 found a queue full"
        );
        assert_eq!(
            own(1, 0).line(),
            "of 1500 datagrams that your command sent 1 (0.1 %) was dropped in the host's own interface queue, and the path \
             dropped none"
        );
    }
}
