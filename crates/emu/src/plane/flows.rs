//! Which flow a packet belongs to, and what each of its segments is in it.
//!
//! The tests of a scenario have flows of their own, found by addresses and ports; their segments are
//! numbered like those of a simulated connection, so that the same seed, or the same script, hits the same
//! segments. Whatever else hosts send goes with a flow that any two nodes have between them.

use std::collections::BTreeMap;
use std::net::IpAddr;

use farpath_scenario::plan::{Plan, PlanError, node_at};
use farpath_scenario::{Loss, NodeId, Periodic, Protocol, Scenario, Test};
use farpath_units::Duration;
use farpath_wire::{Flags, FlowDir, Frame, Kind};

use super::packet::{Packet, Transport};

const SYN: u8 = 0x02;
const ACK: u8 = 0x10;
const ECHO_AND_REDUCED: u8 = 0xc0;

/// The scenario with a flow between every two nodes that have a route to each other, behind its own
/// flows; these keep their numbers and with them their luck.
pub fn with_pairs(scenario: &Scenario) -> (Scenario, Vec<(NodeId, NodeId)>) {
    let nodes = scenario.node_count();
    let all = (0..nodes).flat_map(|a| (a + 1..nodes).map(move |b| (NodeId(a), NodeId(b))));
    let mut pairs: Vec<_> = all
        .filter(|(a, b)| !scenario.is_router(*a) || !scenario.is_router(*b))
        .collect();
    loop {
        let mut whole = scenario.clone();
        whole
            .tests
            .extend(pairs.iter().map(|p| pair_test(scenario, *p)));
        match Plan::new(&whole) {
            Err(PlanError::NoRoute { test, .. }) => {
                let before = pairs.len();
                pairs.retain(|p| pair_test(scenario, *p).name != test);
                if pairs.len() == before {
                    return (whole, pairs);
                }
            }
            _ => return (whole, pairs),
        }
    }
}

/// What stands for all traffic between two nodes that belongs to no test:
/// [`Test::stands_for_a_pair`].
fn pair_test(scenario: &Scenario, (a, b): (NodeId, NodeId)) -> Test {
    let name = format!("{}~{}", scenario.node_name(a), scenario.node_name(b));
    let nothing = Periodic {
        count: 0,
        size: 84,
        interval: Duration::from_secs(1),
        ttl: 64,
        timeout: Duration::from_secs(1),
    };
    Test::ping(&name, [a, b], nothing)
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Tuple {
    from: u16,
    to: u16,
    /// 6 or 17; 1 for echoes, whose identifier is the first port.
    protocol: u8,
    ports: [u16; 2],
}

/// One direction of a flow as far as it has been seen.
#[derive(Clone, Copy, Default)]
struct Course {
    /// The sequence number of the first payload byte.
    first: Option<u32>,
    /// Payload offset up to which data has been sent; or datagrams and echoes sent.
    reached: u64,
}

/// Where packets belong.
pub(super) struct Flows {
    nodes: usize,
    tuples: BTreeMap<Tuple, FlowDir>,
    /// By both nodes: `from * nodes + to`.
    pairs: Vec<Option<FlowDir>>,
    courses: Vec<Course>,
    /// Flows of tests: those behind are pairs.
    tests: usize,
    /// Offsets that scripts lose, by flow.
    scripted: Vec<(FlowDir, u64)>,
}

impl Flows {
    /// The flows of `plan`, made from `scenario` [`with_pairs`] of `pairs`.
    pub(super) fn new(scenario: &Scenario, plan: &Plan, pairs: &[(NodeId, NodeId)]) -> Flows {
        let mut flows = Flows {
            nodes: scenario.node_count(),
            tuples: BTreeMap::new(),
            pairs: vec![None; scenario.node_count().pow(2)],
            courses: vec![Course::default(); plan.flows.len() * 2],
            tests: plan.flows.len() - pairs.len(),
            scripted: scripted(scenario, plan),
        };
        for (number, flow) in plan.flows.iter().enumerate() {
            let there = FlowDir::forward(number as u16);
            let (from, to) = (flow.source.0 as u16, flow.sink.0 as u16);
            if number >= flows.tests {
                let (a, b) = (flow.source.0, flow.sink.0);
                flows.pairs[a * flows.nodes + b] = Some(there);
                flows.pairs[b * flows.nodes + a] = Some(there.turned());
                continue;
            }
            let protocol = scenario.tests[flow.test].kind.protocol();
            let [here, far] = Plan::flow_ports(number);
            let echo = [Plan::echo_identifier(number), 0];
            let (protocol, ports, back) = match protocol {
                Protocol::Icmp => (1, echo, echo),
                Protocol::Tcp => (6, [here, far], [far, here]),
                Protocol::Udp => (17, [here, far], [far, here]),
            };
            let mut insert = |from, to, ports, dir| {
                let tuple = Tuple {
                    from,
                    to,
                    protocol,
                    ports,
                };
                flows.tuples.insert(tuple, dir);
            };
            insert(from, to, ports, there);
            insert(to, from, back, there.turned());
        }
        flows
    }

    fn node(&self, address: IpAddr) -> Option<u16> {
        let node = node_at(address)?.0;
        (node < self.nodes).then_some(node as u16)
    }

    /// The flow of `packet`; none if it has no way to where it is to go.
    pub(super) fn find(&self, packet: &Packet) -> Option<FlowDir> {
        let (from, to) = (
            self.node(packet.addresses[0])?,
            self.node(packet.addresses[1])?,
        );
        let (protocol, ports) = match packet.transport {
            Transport::Tcp { ports, .. } => (6, ports),
            Transport::Udp { ports } => (17, ports),
            Transport::Echo { identifier, .. } => (1, [identifier, 0]),
            Transport::IcmpError | Transport::Other => (0, [0, 0]),
        };
        let tuple = Tuple {
            from,
            to,
            protocol,
            ports,
        };
        let own = self.tuples.get(&tuple).copied();
        own.or_else(|| self.pairs[usize::from(from) * self.nodes + usize::from(to)])
    }

    /// Whether a flow is one of a test, and not of whatever else two nodes send each other.
    pub(super) fn is_of_test(&self, flow: FlowDir) -> bool {
        usize::from(flow.flow()) < self.tests
    }

    /// Calls `send` for every segment of `packet`, which is of `flow`, in order.
    pub(super) fn frames(
        &mut self,
        packet: &Packet,
        flow: FlowDir,
        mut send: impl FnMut(usize, Frame),
    ) {
        let kind = kind(packet);
        let own = self.is_of_test(flow);
        let course = &mut self.courses[flow.index()];
        let start = match (packet.transport, own) {
            (Transport::Tcp { seq, control, .. }, true) => course.offset(seq, control),
            _ => course.reached,
        };
        for segment in 0..packet.segments() {
            let (from, length) = packet.slice(segment, 1);
            let mut flags = Flags::NONE;
            if packet.dont_fragment {
                flags = flags.with(Flags::DONT_FRAGMENT);
            }
            let seq = match kind {
                Kind::Data if own => {
                    let at = start + u64::from(from);
                    let end = at + u64::from(length);
                    if end <= course.reached {
                        flags = flags.with(Flags::RETRANSMIT);
                    }
                    course.reached = course.reached.max(end);
                    let hit = |(dir, target): &&(FlowDir, u64)| {
                        *dir == flow && (at..end).contains(target)
                    };
                    self.scripted
                        .iter()
                        .find(hit)
                        .map_or(at, |(_, target)| *target)
                }
                Kind::Data | Kind::Ack | Kind::Syn | Kind::SynAck => start,
                _ => {
                    course.reached += 1;
                    course.reached - 1
                }
            };
            if let Transport::Tcp { control, .. } = packet.transport
                && control & ECHO_AND_REDUCED != 0
            {
                flags = flags.with(Flags::ECN);
            }
            let mut frame = Frame::new(kind, flow, seq, packet.datagram(segment));
            frame.set_flags(flags);
            frame.ttl = packet.ttl;
            frame.class = packet.class;
            send(segment, frame);
        }
    }
}

impl Course {
    /// The offset in the stream of the byte that has sequence number `seq`.
    fn offset(&mut self, seq: u32, control: u8) -> u64 {
        if control & SYN != 0 {
            *self = Course {
                first: Some(seq.wrapping_add(1)),
                reached: 0,
            };
            return 0;
        }
        let first = *self.first.get_or_insert(seq);
        // The offset next to how far the stream has got that fits the number.
        let ahead = seq.wrapping_sub(first.wrapping_add(self.reached as u32)) as i32;
        self.reached.saturating_add_signed(i64::from(ahead))
    }
}

/// What the frames of a packet are.
pub(super) fn kind(packet: &Packet) -> Kind {
    match packet.transport {
        Transport::Tcp { control, .. } if control & SYN != 0 => match control & ACK {
            0 => Kind::Syn,
            _ => Kind::SynAck,
        },
        Transport::Tcp { .. } if packet.payload() == 0 => Kind::Ack,
        Transport::Tcp { .. } => Kind::Data,
        Transport::Echo { request: true, .. } => Kind::EchoRequest,
        Transport::Echo { request: false, .. } => Kind::EchoReply,
        // An error of a host's: nobody answers it with another.
        Transport::IcmpError => Kind::TimeExceeded,
        Transport::Udp { .. } | Transport::Other => Kind::Udp,
    }
}

/// What scripted losses hit: a real segment need not begin where a simulated one does, so the one that
/// holds the byte is meant.
fn scripted(scenario: &Scenario, plan: &Plan) -> Vec<(FlowDir, u64)> {
    let directions = scenario.links.iter().flat_map(|l| &l.directions);
    let events = scenario.events.iter().filter_map(|e| match &e.change {
        farpath_scenario::Change::Losses(losses) => Some(losses),
        _ => None,
    });
    let losses = directions.map(|d| &d.losses).chain(events).flatten();
    let hit = |loss: &Loss| {
        let Loss::Scripted {
            test,
            stream,
            segment,
        } = loss
        else {
            return None;
        };
        let named = |f: &farpath_scenario::plan::Flow| {
            scenario.tests[f.test].name == *test && f.stream == *stream
        };
        let number = plan.flows.iter().position(named)?;
        scenario.tests[plan.flows[number].test].kind.tcp()?;
        let mss = u64::from(plan.mss(scenario, number));
        Some((
            FlowDir::forward(number as u16),
            segment.saturating_sub(1).saturating_mul(mss),
        ))
    };
    losses.filter_map(hit).collect()
}
