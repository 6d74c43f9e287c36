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
/// by its transport, else by its TOS byte. The place that its TOS byte has in the same queue says its level. Of rules
/// [in order](Classifier::in_order) the first counts, whatever it knows a frame by.
#[derive(Clone, Debug)]
pub struct Classifier {
    by_tos: Box<[Place; 256]>,
    by_exp: [Place; 8],
    by_transport: [Option<Place>; 3],
    /// By `FlowDir::index`; flows beyond its end have no place of their own.
    by_flow: Vec<Option<Place>>,
    /// Queues are numbers of rules, of which the least counts.
    in_order: bool,
}

impl Classifier {
    /// Everything in one place.
    pub fn new(place: Place) -> Classifier {
        Classifier {
            by_tos: Box::new([place; 256]),
            by_exp: [place; 8],
            by_transport: [None; 3],
            by_flow: Vec::new(),
            in_order: false,
        }
    }

    /// Rules in order: queues are their numbers, and a frame's place is the least of those that know it. `rest` is the
    /// rule that takes every frame, or a number beyond the last one.
    pub fn in_order(rest: Place) -> Classifier {
        Classifier {
            in_order: true,
            ..Classifier::new(rest)
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
        let by_transport = self.by_transport[Transport::of(frame) as usize];
        let by_tos = self.by_tos[usize::from(frame.class)];
        if self.in_order {
            let named = [own, by_transport].into_iter().flatten();
            return named.fold(by_tos, |first, next| match next.queue < first.queue {
                true => next,
                false => first,
            });
        }
        let place = own.or(by_transport).unwrap_or(by_tos);
        // A drop rule of its queue for its DSCP, however the queue knows it.
        match place.queue == by_tos.queue {
            true => by_tos,
            false => place,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use farpath_wire::FlowDir;

    fn at(queue: u8, level: u8) -> Place {
        Place { queue, level }
    }

    /// The places of a datagram of flow 0 and of one of flow 1, both of this DSCP.
    fn places(classifier: &Classifier, dscp: u8) -> [Place; 2] {
        [0, 1].map(|flow| {
            let mut frame = Frame::new(Kind::Udp, FlowDir::forward(flow), 0, 100);
            frame.class = dscp << 2;
            classifier.place(&frame)
        })
    }

    /// Rule 0 knows AF11, rule 1 flow 0: classes go by what is closer, rules by their order.
    #[test]
    fn of_rules_in_order_the_first_counts() {
        let flow = FlowDir::forward(0).index();
        let placed = |mut classifier: Classifier, [dscp, own]: [u8; 2]| {
            classifier.set_dscp(10, at(dscp, 0));
            classifier.set_flow(flow, at(own, 0));
            places(&classifier, 10).map(|place| place.queue)
        };
        let rest = at(9, 0);
        assert_eq!(placed(Classifier::in_order(rest), [0, 1]), [0, 0]);
        assert_eq!(placed(Classifier::in_order(rest), [1, 0]), [0, 1]);
        assert_eq!(placed(Classifier::new(rest), [0, 1]), [1, 0]);
        // Another DSCP is known by its flow alone.
        let mut classifier = Classifier::in_order(rest);
        classifier.set_flow(flow, at(1, 0));
        assert_eq!(places(&classifier, 12), [at(1, 0), rest]);
    }

    /// A queue that knows UDP has a drop rule for AF13; that of another queue takes no part of it.
    #[test]
    fn a_drop_rule_of_its_queue_counts_however_that_knows_a_frame() {
        let level = |queue: u8| {
            let mut classifier = Classifier::new(at(0, 0));
            classifier.set_transport(Transport::Udp, at(1, 0));
            classifier.set_dscp(14, at(queue, 2));
            (places(&classifier, 14)[0], places(&classifier, 10)[0])
        };
        assert_eq!(level(1), (at(1, 2), at(1, 0)));
        assert_eq!(level(0), (at(1, 0), at(1, 0)));
    }
}
