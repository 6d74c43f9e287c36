//! Which queue a frame waits in.

use farpath_wire::{Frame, Kind};

/// Most queues a port may have: what router line cards have.
pub const MOST_QUEUES: usize = 8;

/// Where frames of one kind wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The queue, from 0.
    pub queue: u8,
    /// The queue's drop rule for them, from 0.
    pub level: u8,
}

/// The transport of a datagram, as far as classes know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Transport {
    /// TCP.
    Tcp = 0,
    /// UDP.
    Udp = 1,
    /// ICMP.
    Icmp = 2,
}

impl Transport {
    /// That of a frame.
    pub const fn of(frame: &Frame) -> Transport {
        match frame.kind {
            Kind::Data | Kind::Ack | Kind::Syn | Kind::SynAck => Transport::Tcp,
            Kind::Udp => Transport::Udp,
            _ => Transport::Icmp,
        }
    }
}

/// A table of places.
///
/// A labelled frame is known by its traffic class alone (RFC 5462 §3); a datagram by its flow, else
/// by its transport, else by its TOS byte.
#[derive(Clone, Debug)]
pub struct Classifier {
    by_tos: Box<[Place; 256]>,
    by_exp: [Place; 8],
    by_transport: [Option<Place>; 3],
    /// By `FlowDir::index`; flows beyond its end have no place of their own.
    by_flow: Vec<Option<Place>>,
}

impl Classifier {
    /// Everything in one place.
    pub fn new(place: Place) -> Classifier {
        Classifier {
            by_tos: Box::new([place; 256]),
            by_exp: [place; 8],
            by_transport: [None; 3],
            by_flow: Vec::new(),
        }
    }

    /// Places datagrams by DSCP (0 to 63), whatever their ECN field.
    pub fn set_dscp(&mut self, dscp: u8, place: Place) {
        let first = usize::from(dscp & 63) << 2;
        self.by_tos[first..first + 4].fill(place);
    }

    /// Places labelled frames by traffic class (0 to 7).
    pub fn set_exp(&mut self, exp: u8, place: Place) {
        self.by_exp[usize::from(exp & 7)] = place;
    }

    /// Places datagrams by transport.
    pub fn set_transport(&mut self, transport: Transport, place: Place) {
        self.by_transport[transport as usize] = Some(place);
    }

    /// Places the datagrams of a flow and direction, by `FlowDir::index`.
    pub fn set_flow(&mut self, index: usize, place: Place) {
        if self.by_flow.len() <= index {
            self.by_flow.resize(index + 1, None);
        }
        self.by_flow[index] = Some(place);
    }

    /// The place of `frame`.
    pub fn place(&self, frame: &Frame) -> Place {
        if frame.label.is_some() {
            return self.by_exp[usize::from(frame.label.traffic_class())];
        }
        let own = self.by_flow.get(frame.flow.index()).copied().flatten();
        own.or(self.by_transport[Transport::of(frame) as usize])
            .unwrap_or(self.by_tos[usize::from(frame.class)])
    }
}
