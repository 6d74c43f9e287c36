//! The bytes of frames as they are at the end of their way, or anywhere on it.

use std::ops::Range;

use farpath_element::RouteAction;
use farpath_scenario::NodeId;
use farpath_scenario::plan::{Plan, address};
use farpath_units::{Duration, Time};
use farpath_wire::{Frame, Kind};

use super::flows::kind;
use super::heading::{self, Macs};
use super::packet::{DATAGRAM, Packet};
use super::reply;
use super::router::{About, Told};

/// Whether a router made it of `packet`, whose bytes its handle names: what a host sent stays what it is.
pub(super) fn is_answer(frame: &Frame, packet: &Packet) -> bool {
    frame.kind != kind(packet)
}

/// Puts in `out` the headers of `count` segments of a packet from `first` on, or the whole of what is not as its host sent it:
/// an answer that a router `told`, a damaged frame. Returns where in the packet's bytes the rest lies.
pub(super) fn compose(
    out: &mut Vec<u8>,
    (packet, bytes): (&Packet, &[u8]),
    (first, count): (usize, usize),
    frame: &Frame,
    told: Option<&Told>,
    (plan, macs): (&Plan, Macs),
) -> Range<usize> {
    if let Some(told) = told {
        let about = quote((packet, bytes), first, told);
        let from = address(NodeId(told.node as usize), packet.version);
        reply::write(
            out,
            (frame, told),
            &about,
            (from, next_mtu(plan, told)),
            macs,
        );
        return 0..0;
    }
    let payload = heading::write(out, (packet, bytes), (first, count), frame, macs);
    if frame.is_damaged() {
        out.extend_from_slice(&bytes[payload]);
        heading::damage(out, packet);
        return 0..0;
    }
    payload
}

/// The datagram that was segment `n` of a packet, as it died.
fn quote((packet, bytes): (&Packet, &[u8]), n: usize, told: &Told) -> Vec<u8> {
    let macs = Macs {
        destination: [0; 6],
        source: [0; 6],
    };
    let mut died = Frame::new(Kind::Udp, farpath_wire::FlowDir(0), 0, 0);
    died.ttl = told.ttl;
    died.class = packet.class;
    let mut out = Vec::new();
    let payload = heading::write(&mut out, (packet, bytes), (n, 1), &died, macs);
    out.extend_from_slice(&bytes[payload]);
    out.split_off(DATAGRAM)
}

/// The largest datagram that the way on from a node carries: what is left behind a label it pushes.
fn next_mtu(plan: &Plan, told: &Told) -> u32 {
    let About::TooBig { input, flow } = told.about else {
        return 0;
    };
    let node = NodeId(told.node as usize);
    let port = plan.ports.iter().filter(|p| p.to == node).nth(input);
    let action = port.and_then(|p| p.forwarding.routes.get(flow.index()));
    match action {
        Some(
            RouteAction::Forward { mtu, .. }
            | RouteAction::Push { mtu, .. }
            | RouteAction::Spread { mtu, .. },
        ) => (*mtu).into(),
        _ => 0,
    }
}

/// How many of the first frames can be delivered in one piece, and when the last of them is due.
pub(super) fn run_at_head(frames: &[Frame], span: Duration) -> Option<(usize, Time)> {
    let head = frames.first()?;
    let mut due = head.at;
    let mut count = 1;
    if head.is_damaged() || !matches!(head.kind, Kind::Data | Kind::Udp) {
        return Some((count, due));
    }
    let latest = head.at + span;
    for frame in &frames[1..] {
        let next = head.side + count as u32;
        let alike = frame.side == next
            && frame.ttl == head.ttl
            && frame.class == head.class
            && !frame.is_damaged();
        if !alike || frame.at > latest {
            break;
        }
        due = frame.at;
        count += 1;
    }
    Some((count, due))
}
