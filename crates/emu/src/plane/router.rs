//! A router's own endpoint: what it answers by itself, to real hosts.

use farpath_element::{Answer, Drop, Element, Io, ROUTER_ANSWER, answer};
use farpath_units::{Duration, Time};
use farpath_wan::Drops;
use farpath_wire::{FlowDir, Frame, Kind, LabelEntry};

/// What an answer says beyond its frame; its bytes are made when it arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Told {
    /// The frame's handle: the segment it is about.
    pub(super) handle: u32,
    /// The node that answers.
    pub(super) node: u32,
    /// What about.
    pub(super) about: About,
    /// The label that segment carried when it died.
    pub(super) label: LabelEntry,
    /// TTL with which that segment arrived.
    pub(super) ttl: u8,
}

impl Told {
    /// Whether what it is about was for the node that answers, and has arrived.
    pub(super) fn is_of_arrival(&self) -> bool {
        matches!(self.about, About::Echo | About::Unreachable)
    }
}

/// What an answer is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
    /// An echo request.
    Echo,
    /// The TTL ran out.
    Expired,
    /// Too big for the way on.
    TooBig {
        /// Over which of the node's inputs it came.
        input: usize,
        /// Its flow.
        flow: FlowDir,
    },
    /// No program has the port.
    Unreachable,
}

/// A router as an element.
#[derive(Debug)]
pub(super) struct Router {
    node: u32,
    answers: bool,
    /// Output by `FlowDir::index`.
    routes: Vec<Option<u16>>,
    /// Answers sent since this was last emptied.
    pub(super) told: Vec<Told>,
    /// Frames that ended here without an answer since this was last emptied, and why.
    pub(super) lost: Vec<(Frame, Drop)>,
    /// Frames that could not go on, too large or at the end of their TTL, and were reported to their senders, since this was last
    /// emptied, and why.
    pub(super) reported: Vec<(Frame, Drop)>,
    /// Frames dropped here, by input.
    dropped: Vec<Drops>,
    /// Of those that were too large, how many were reported to their senders, by input.
    too_big: Vec<u64>,
}

impl Router {
    /// Router number `node`.
    pub(super) fn new(node: u32, answers: bool, routes: Vec<Option<u16>>) -> Router {
        Router {
            node,
            answers,
            routes,
            told: Vec::new(),
            lost: Vec::new(),
            reported: Vec::new(),
            dropped: Vec::new(),
            too_big: Vec::new(),
        }
    }

    /// Frames that came over input `input`, were too large to go on, and were reported to their senders.
    pub(super) fn too_big(&self, input: usize) -> u64 {
        self.too_big.get(input).copied().unwrap_or(0)
    }

    /// Frames that came over input `input` and could not go on from here, reported or not, by reason.
    pub(super) fn dropped(&self, input: usize) -> Drops {
        self.dropped.get(input).copied().unwrap_or_default()
    }

    /// What the router promises beyond the instant it has been advanced to.
    pub(super) fn lookahead(&self) -> Duration {
        ROUTER_ANSWER
    }

    fn output(&self, flow: FlowDir) -> Option<u16> {
        self.routes.get(flow.index()).copied().flatten()
    }

    fn receive(&mut self, input: usize, frame: &Frame, io: &mut Io<'_>) {
        let onward = self.output(frame.flow);
        let answer = answer(frame, self.node, onward.is_none(), self.answers);
        let reported = answer.reported();
        let mut reply = match answer {
            Answer::Reply(reply) => reply,
            Answer::Accept if frame.kind == Kind::Udp && self.answers => {
                let mut reply = Frame::new(Kind::TimeExceeded, frame.flow.turned(), 0, 56);
                reply.class = frame.class;
                reply
            }
            Answer::Accept => return self.drop(input, frame, Drop::Host),
            Answer::Drop(reason) => return self.drop(input, frame, reason),
        };
        let Some(output) = self.output(reply.flow) else {
            return self.drop(input, frame, Drop::NoRoute);
        };
        let about = match (reply.kind, onward) {
            (Kind::EchoReply, _) => About::Echo,
            (Kind::FragmentationNeeded, _) => About::TooBig {
                input,
                flow: frame.flow,
            },
            (_, None) => About::Unreachable,
            _ => About::Expired,
        };
        if let Some(reason) = reported {
            self.report(input, frame, reason);
        }
        self.told.push(Told {
            handle: frame.side,
            node: self.node,
            about,
            label: frame.label,
            ttl: frame.ttl,
        });
        reply.side = frame.side;
        reply.label = LabelEntry::NONE;
        reply.at = frame.at + ROUTER_ANSWER;
        io.output(usize::from(output)).push(reply);
    }

    /// A frame that could not go on is reported to its sender.
    fn report(&mut self, input: usize, frame: &Frame, reason: Drop) {
        self.count(input, reason);
        self.reported.push((*frame, reason));
        if reason == Drop::Mtu {
            if self.too_big.len() <= input {
                self.too_big.resize(input + 1, 0);
            }
            self.too_big[input] += 1;
        }
    }

    fn drop(&mut self, input: usize, frame: &Frame, reason: Drop) {
        self.count(input, reason);
        self.lost.push((*frame, reason));
    }

    fn count(&mut self, input: usize, reason: Drop) {
        if self.dropped.len() <= input {
            self.dropped.resize(input + 1, Drops::default());
        }
        self.dropped[input][reason as usize] += 1;
    }
}

impl Element for Router {
    fn advance(&mut self, until: Time, io: &mut Io<'_>) {
        while let Some((n, _)) = io.first_input(until) {
            if let Some(frame) = io.input(n).pop_before(until) {
                self.receive(n, &frame, io);
            }
        }
    }
}
