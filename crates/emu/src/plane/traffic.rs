//! What passed between hosts and network, counted.

use farpath_element::Drop;
use farpath_units::Time;

use super::datagrams::{Counts, Fate};
use super::packet::Packet;
use super::queries::Asked;
use super::segments::Counted;
use super::turns::Talks;

/// What passed between hosts and network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Packets read.
    pub packets_in: u64,
    /// Frames they were.
    pub frames_in: u64,
    /// Those of them that belong to no test of the scenario.
    pub others_in: u64,
    /// Packets written.
    pub packets_out: u64,
    /// Frames they were.
    pub frames_out: u64,
    /// Frames lost or refused by the model.
    pub lost: u64,
    /// Copies the model made.
    pub copied: u64,
    /// Packets that no node of the network is meant by, dropped on the way in.
    pub strays: u64,
    /// Packets that a host's kernel did not take.
    pub refused: u64,
    /// Times the memory was full when packets were to be read.
    pub pool_full: u64,
}

/// A segment of `packet` has arrived whose checksum is wrong: its host throws it away.
pub(super) fn damaged(
    packet: &Packet,
    at: Time,
    (segments, talks): (Option<&mut Counted>, Option<&mut Talks>),
    queries: Option<&mut Asked>,
) {
    if let Some(segments) = segments {
        segments.lost(packet, Drop::Checksum, at);
    }
    if let Some(talks) = talks {
        talks.lost(packet);
    }
    if let Some(queries) = queries {
        queries.lost(packet);
    }
}

/// A segment of `packet` is lost for a reason: it came there at an instant.
pub(super) fn note_lost(
    packet: &Packet,
    (reason, at): (Drop, Time),
    (datagrams, segments): (&mut Counts, Option<&mut Counted>),
    (talks, queries): (Option<&mut Talks>, Option<&mut Asked>),
) {
    datagrams.note(packet, Fate::Lost(reason));
    if let Some(segments) = segments {
        segments.lost(packet, reason, at);
    }
    if let Some(talks) = talks {
        talks.lost(packet);
    }
    if let Some(queries) = queries {
        queries.lost(packet);
    }
}
