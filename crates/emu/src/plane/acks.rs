//! Acknowledgements that carry no data, and those of them that the network dropped: whoever sees each frame knows it.

use std::collections::BTreeMap;

use super::packet::{Packet, Transport};
use super::{Interface, Plane, Way};

const FIN_SYN_RST: u8 = 0x07;
const SYN: u8 = 0x02;
const ACK: u8 = 0x10;

/// So many ways are followed: what comes later is not known.
const WAYS: usize = 1 << 12;

/// Acknowledgements without data that one end sent to the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Acks {
    /// All of them.
    pub sent: u64,
    /// Those that a queue, a line or a router of the network dropped.
    pub lost: u64,
}

/// All connections, each way by itself.
#[derive(Clone, Debug, Default)]
pub(super) struct Counted(BTreeMap<Way, Acks>);

impl Counted {
    /// A host has handed over `packet`.
    pub(super) fn sent(&mut self, packet: &Packet) {
        let Some((way, control)) = way(packet) else {
            return;
        };
        if control & SYN != 0 {
            // Another connection between the same ends.
            self.0.remove(&way);
        }
        if !is_bare(packet, control) {
            return;
        }
        let is_room = self.0.len() < WAYS;
        match self.0.get_mut(&way) {
            Some(acks) => acks.sent += 1,
            None if is_room => {
                self.0.insert(way, Acks { sent: 1, lost: 0 });
            }
            None => {}
        }
    }

    /// The network has dropped `packet`, or a segment of it.
    pub(super) fn lost(&mut self, packet: &Packet) {
        let bare = way(packet).filter(|(_, control)| is_bare(packet, *control));
        if let Some(acks) = bare.and_then(|(way, _)| self.0.get_mut(&way)) {
            acks.lost += 1;
        }
    }
}

/// Who sends a segment of TCP to whom, and its control bits.
fn way(packet: &Packet) -> Option<(Way, u8)> {
    let Transport::Tcp { ports, control, .. } = packet.transport else {
        return None;
    };
    Some((packet.way(ports), control))
}

/// Whether it says nothing but what has arrived.
fn is_bare(packet: &Packet, control: u8) -> bool {
    packet.payload() == 0 && control & ACK != 0 && control & FIN_SYN_RST == 0
}

impl<I: Interface> Plane<I> {
    /// From now on acknowledgements without data are counted: [`Self::acks`].
    pub fn note_acks(&mut self) {
        self.acks.get_or_insert_default();
    }

    /// Acknowledgements without data on each way of each connection that had any. Empty where nobody asked for it.
    pub fn acks(&self) -> impl Iterator<Item = (Way, Acks)> + '_ {
        let all = self.acks.iter().flat_map(|acks| &acks.0);
        all.map(|(way, acks)| (*way, *acks))
    }
}
