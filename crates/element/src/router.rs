//! What a node answers by itself: echo replies, time exceeded, fragmentation needed.

use farpath_units::Duration;
use farpath_wire::{Flags, Frame, Kind, LabelEntry};

use crate::drops::Drop;

/// How long a router takes to answer an echo request or to report a frame it cannot forward. Not a
/// figure of any router: the control plane is not modelled, but an answer takes some time.
pub const ROUTER_ANSWER: Duration = Duration::from_us(10);

/// What a node does with a frame that reached the node itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It is for a program on this node.
    Accept,
    /// It ends here and this frame goes back to its source.
    Reply(Frame),
    /// It ends here without an answer.
    Drop(Drop),
}

impl Answer {
    /// Why the frame could not go on, where that is reported to its source: it counts as dropped all the same.
    pub fn reported(&self) -> Option<Drop> {
        match self {
            Answer::Reply(frame) if frame.kind == Kind::FragmentationNeeded => Some(Drop::Mtu),
            Answer::Reply(frame) if frame.kind == Kind::TimeExceeded => Some(Drop::Ttl),
            _ => None,
        }
    }
}

/// Length of an ICMP error, bytes from IP's header on: that, the ICMP header, the original's header and 8 bytes (RFC 792).
pub const ICMP_ERROR_BYTES: u16 = 56;

/// What node number `node` does with `frame`. `is_destination`: the frame's flow ends here, else
/// it could not be forwarded. `answers`: the node sends replies and errors at all.
pub fn answer(frame: &Frame, node: u32, is_destination: bool, answers: bool) -> Answer {
    if is_destination {
        return match frame.kind {
            Kind::EchoRequest if answers => {
                let mut reply = *frame;
                reply.kind = Kind::EchoReply;
                reply.flow = frame.flow.turned();
                reply.ttl = 64;
                reply.label = LabelEntry::NONE;
                Answer::Reply(reply)
            }
            Kind::EchoRequest => Answer::Drop(Drop::Host),
            _ => Answer::Accept,
        };
    }
    let expired = frame.ttl <= 1;
    let may_fragment = !expired && !frame.flags().contains(Flags::DONT_FRAGMENT);
    // RFC 1122 §3.2.2: never an error about an error.
    if !answers || frame.kind.is_report() || may_fragment {
        return Answer::Drop(if expired { Drop::Ttl } else { Drop::Mtu });
    }
    let kind = if expired {
        Kind::TimeExceeded
    } else {
        Kind::FragmentationNeeded
    };
    let mut error = Frame::new(kind, frame.flow.turned(), frame.seq, ICMP_ERROR_BYTES);
    error.side = node;
    error.class = frame.class;
    Answer::Reply(error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use farpath_wire::FlowDir;

    #[test]
    fn an_echo_request_is_turned_round() {
        let mut request = Frame::new(Kind::EchoRequest, FlowDir::forward(4), 3, 100);
        request.label = LabelEntry::bottom(17, 0, 1);
        let told = answer(&request, 9, true, true);
        assert_eq!(told.reported(), None, "it has arrived");
        let Answer::Reply(reply) = told else {
            panic!("no reply")
        };
        assert_eq!(
            (reply.kind, reply.seq, reply.len),
            (Kind::EchoReply, 3, 100)
        );
        assert!(reply.flow.is_reverse() && !reply.label.is_some());
        assert_eq!(answer(&request, 9, true, false), Answer::Drop(Drop::Host));
    }

    #[test]
    fn an_expired_frame_is_reported_to_its_source_once() {
        let mut probe = Frame::new(Kind::Udp, FlowDir::forward(4), 7, 60);
        probe.ttl = 1;
        let told = answer(&probe, 9, false, true);
        assert_eq!(told.reported(), Some(Drop::Ttl));
        let Answer::Reply(error) = told else {
            panic!("no reply")
        };
        assert_eq!(
            (error.kind, error.seq, error.side),
            (Kind::TimeExceeded, 7, 9)
        );
        let mut error = error;
        error.ttl = 1;
        assert_eq!(answer(&error, 9, false, true), Answer::Drop(Drop::Ttl));
    }

    #[test]
    fn only_unfragmentable_frames_are_reported_as_too_big() {
        let mut large = Frame::new(Kind::Data, FlowDir::forward(0), 0, 9000);
        assert_eq!(answer(&large, 1, false, true), Answer::Drop(Drop::Mtu));
        large.set_flags(Flags::DONT_FRAGMENT);
        let told = answer(&large, 1, false, true);
        assert_eq!(told.reported(), Some(Drop::Mtu));
        let Answer::Reply(error) = told else {
            panic!("no reply")
        };
        assert_eq!(error.kind, Kind::FragmentationNeeded);
    }
}
