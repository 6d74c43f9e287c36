//! What passed between hosts and network, counted.

use farpath_scenario::plan::node_at;
use farpath_wire::Frame;

use super::compose::is_answer;
use super::pool::{Pool, unpack};

/// What passed between hosts and network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Packets read.
    pub packets_in: u64,
    /// Frames they were.
    pub frames_in: u64,
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

/// What became of the UDP datagrams of a host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Datagrams {
    /// Datagrams it sent; one in fragments counts once.
    pub sent: u64,
    /// Bytes of payload in them.
    pub bytes: u64,
    /// Those that a queue, a line or a router of the network dropped.
    pub lost: u64,
}

/// A frame is lost: its bytes are not needed any more.
pub(super) fn forget(
    frame: &Frame,
    pool: &mut Pool,
    traffic: &mut Traffic,
    datagrams: &mut [Datagrams],
) {
    let (slot, _) = unpack(frame.side);
    let packet = pool.packet(slot);
    if packet.is_udp()
        && !is_answer(frame)
        && let Some(host) = node_at(packet.addresses[0])
        && let Some(datagrams) = datagrams.get_mut(host.0)
    {
        datagrams.lost += 1;
    }
    pool.release(slot, 1);
    traffic.lost += 1;
}
