//! What became of the UDP datagrams of hosts, those in fragments among them.

use std::collections::BTreeSet;
use std::net::IpAddr;

use farpath_element::Drop;
use farpath_scenario::NodeId;
use farpath_scenario::plan::node_at;

use super::packet::Packet;

/// What became of the UDP datagrams of a host; one in fragments counts once, in the first way that is true of a fragment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Datagrams {
    /// Datagrams it sent.
    pub sent: u64,
    /// Bytes of payload in them.
    pub bytes: u64,
    /// Those that a queue, a line or a router of the network dropped, reported to their sender or not.
    pub lost: u64,
    /// Those that arrived with a checksum that is wrong.
    pub damaged: u64,
    /// Those of the lost ones that were larger than a link carries.
    pub too_large: u64,
    /// Bytes of the largest IP packet among these, of a fragment where they came in fragments; 0 where none was too large.
    pub too_large_bytes: u64,
    /// Those of the lost ones whose TTL ended at a router.
    pub expired: u64,
    /// Those of the lost ones that a policer found out of contract.
    pub policed: u64,
    /// Those of the lost ones that were lost on a line, by chance or on purpose.
    pub by_chance: u64,
}

/// So many datagrams in fragments that did not arrive whole are known at once: their other fragments are not far behind.
const KNOWN: usize = 1 << 16;

/// What all fragments of a datagram have in common.
type Whole = ([IpAddr; 2], u32);

/// The counts of all hosts.
#[derive(Debug)]
pub(super) struct Counts {
    hosts: Vec<Datagrams>,
    /// Datagrams in fragments of which one was lost or damaged, and counted.
    counted: BTreeSet<Whole>,
    /// By host, its datagrams not in fragments that ended at a router whose answer is under way: their bytes are, too, and they are not.
    answered: Vec<u64>,
}

/// What may happen to a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// The network dropped it, for a reason.
    Lost(Drop),
    /// Its checksum is wrong.
    Damaged,
}

impl Counts {
    /// Those of so many hosts.
    pub(super) fn new(hosts: usize) -> Counts {
        Counts {
            hosts: vec![Datagrams::default(); hosts],
            counted: BTreeSet::new(),
            answered: vec![0; hosts],
        }
    }

    /// Those of a host so far.
    pub(super) fn of(&self, host: NodeId) -> Datagrams {
        self.hosts.get(host.0).copied().unwrap_or_default()
    }

    /// Those of a host in `packets` that are under way, each with so many segments, without copies; one in fragments counts once, and
    /// not where one of them is lost.
    pub(super) fn under_way<'a>(
        &self,
        host: NodeId,
        packets: impl Iterator<Item = (&'a Packet, u32)>,
    ) -> u64 {
        let mut seen = BTreeSet::new();
        let is_own =
            |packet: &Packet| packet.is_udp() && node_at(packet.addresses[0]) == Some(host);
        let own = packets.filter(|(packet, _)| is_own(packet));
        let count = own.map(|(packet, live)| match whole(packet) {
            Some(whole) => {
                u64::from(live > 0 && !self.counted.contains(&whole) && seen.insert(whole))
            }
            None => u64::from(live),
        });
        let answered = self.answered.get(host.0).copied().unwrap_or_default();
        count.sum::<u64>().saturating_sub(answered)
    }

    /// How many datagrams like `packet` have ended at a router whose answer is under way. `None` for other packets and for fragments.
    fn answers(&mut self, packet: &Packet) -> Option<&mut u64> {
        let is_whole = packet.is_udp() && packet.fragment_of.is_none();
        let host = node_at(packet.addresses[0]).filter(|_| is_whole)?;
        self.answered.get_mut(host.0)
    }

    /// A router answers a segment of `packet`, if it is of UDP.
    pub(super) fn answered(&mut self, packet: &Packet) {
        if let Some(answers) = self.answers(packet) {
            *answers += 1;
        }
    }

    /// Such an answer has arrived, or is lost.
    pub(super) fn answer_gone(&mut self, packet: &Packet) {
        if let Some(answers) = self.answers(packet) {
            *answers = answers.saturating_sub(1);
        }
    }

    /// A host has sent `packet`, if it is of UDP.
    pub(super) fn sent(&mut self, host: NodeId, packet: &Packet) {
        if !packet.is_udp() {
            return;
        }
        let datagrams = &mut self.hosts[host.0];
        datagrams.bytes += u64::from(packet.payload());
        // A host whose own queue has no room for a fragment sends none behind it, and counts the datagram itself.
        if packet.is_last {
            datagrams.sent += packet.segments() as u64;
        }
        if packet.begins_udp() {
            // Numbers come round.
            if let Some(whole) = whole(packet) {
                self.counted.remove(&whole);
            }
        }
    }

    /// This has become of a segment of `packet`, if it is of UDP.
    pub(super) fn note(&mut self, packet: &Packet, fate: Fate) {
        let host = node_at(packet.addresses[0]).filter(|_| packet.is_udp());
        let Some(datagrams) = host.and_then(|host| self.hosts.get_mut(host.0)) else {
            return;
        };
        if let Some(whole) = whole(packet) {
            if self.counted.len() >= KNOWN {
                self.counted.clear();
            }
            if !self.counted.insert(whole) {
                return;
            }
        }
        match fate {
            Fate::Lost(Drop::Mtu) => {
                datagrams.lost += 1;
                datagrams.too_large += 1;
                // The first segment is as long as any.
                let bytes = u64::from(packet.datagram(0));
                datagrams.too_large_bytes = datagrams.too_large_bytes.max(bytes);
            }
            Fate::Lost(reason) => {
                datagrams.lost += 1;
                match reason {
                    Drop::Ttl => datagrams.expired += 1,
                    Drop::Policed => datagrams.policed += 1,
                    Drop::Error | Drop::EveryNth | Drop::Scripted => datagrams.by_chance += 1,
                    _ => {}
                }
            }
            Fate::Damaged => datagrams.damaged += 1,
        }
    }
}

/// The datagram of which `packet` is a fragment.
fn whole(packet: &Packet) -> Option<Whole> {
    packet.fragment_of.map(|id| (packet.addresses, id))
}
