//! The typed scenario: what the text means once every name is resolved and every quantity read.

mod conditioning;
mod configuration;
mod kind;
mod load;
mod queueing;
mod search;

use std::collections::BTreeMap;
use std::sync::Arc;

use farpath_element::impair::Impairments;
use farpath_predict::{Framing, IpVersion, Timestamps};
use farpath_record::Expect;
use farpath_tcp::{
    Algorithm, DelayedAck, Flavour, MtuProbing, Pacing, Profile, Recovery, RtoRule, SlowStart,
};
use farpath_units::{Duration, Rate, Ratio, Size, Time};

pub use crate::quantity::QueueLimit;
pub use conditioning::{Bound, Conditioning, MarkRule, PoliceAction, PoliceRule, Rule};
pub use configuration::Configuration;
pub(crate) use configuration::Plug;
pub use kind::{Periodic, TestKind, Work};
pub use load::{Arrivals, CellSource, Envelope, Flows, OnOff, Replay, Sizes, Steps, Tool, Udp};
pub use queueing::{
    Class, ClassLimit, DropRule, FqCodel, Match, Protocol, Queueing, RedCurve, Scheduler, Shape,
    Sharing,
};
pub use search::{Amount, Dimension, Find, Search};

/// One experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// `[scenario] name`.
    pub name: String,
    /// Where the experiment comes from, in words.
    pub source: Option<String>,
    /// One or two sentences for a reader.
    pub summary: Option<String>,
    /// The seed of the run, unless `--seed` says otherwise; 1 by default.
    pub seed: u64,
    /// Most intervals of the series, about, unless `--intervals` says otherwise; 600 by default.
    pub intervals: u32,
    /// `[[host]]`, in file order. Node numbers: hosts first, then routers.
    pub hosts: Vec<Host>,
    /// `[[router]]`, in file order.
    pub routers: Vec<Router>,
    /// `[[link]]`, in file order.
    pub links: Vec<Link>,
    /// `[[bundle]]`, in file order.
    pub bundles: Vec<Bundle>,
    /// `[[lsp]]`, in file order.
    pub lsps: Vec<Lsp>,
    /// `[[ccc]]`, in file order.
    pub cccs: Vec<Ccc>,
    /// `[[test]]`, in file order.
    pub tests: Vec<Test>,
    /// `[[event]]`, ordered by time, then file order.
    pub events: Vec<Event>,
    /// `[[expect]]`, in file order.
    pub expects: Vec<Expect>,
    /// `[sweep]`: `--set` path to the values tried; points are the Cartesian product, last key fastest.
    pub sweep: Vec<(String, Vec<String>)>,
    /// `[[sweep.together]]`: keys of `sweep`, each group with as many values, that advance together: the n-th value of one goes
    /// with the n-th of the others.
    pub together: Vec<Vec<String>>,
    /// Keys of `sweep` that set nothing: the labels of a group's steps.
    pub labels: Vec<String>,
    /// `[[search]]`: bisections, each run on its own.
    pub searches: Vec<Search>,
    /// The routers' own configuration files, if they bring any.
    pub configuration: Option<Configuration>,
    /// The text of every other file that was read, by its name in the scenario.
    pub files: BTreeMap<String, Arc<str>>,
}

/// A node, by number: hosts first, then routers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub usize);

/// A link, by number in file order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkId(pub usize);

/// One way along a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Way {
    /// From `ends[0]` to `ends[1]`.
    Forward,
    /// From `ends[1]` to `ends[0]`.
    Reverse,
}

/// `[[host]]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Host {
    /// Its name.
    pub name: String,
    /// The stack's rules.
    pub profile: Profile,
    /// Rate at which the host can put frames on any of its links; the link's own rate if absent.
    pub nic: Option<Rate>,
    /// Largest IP datagram the host sends; the link's MTU if absent.
    pub mtu: Option<u32>,
    /// Packets that may wait in front of each interface, where it is written; [`Direction::queue`] is
    /// what holds on a link.
    pub txqueuelen: Option<u64>,
    /// What serves that queue.
    pub qdisc: Qdisc,
    /// How long received segments are gathered before the stack has them as one, where it is written; zero: not at all.
    /// [`Tcp::gro`] is what holds.
    pub gro: Option<Duration>,
    /// Whether bursts are handed to a card as one segment, where it is written. [`Tcp::tso`] is what holds.
    pub tso: Option<bool>,
    /// `net.ipv4.tcp_comp_sack_nr`, where it is written; [`Tcp::compressed_sacks`] is what holds.
    pub comp_sack_nr: Option<u32>,
    /// `net.ipv4.tcp_window_scaling`.
    pub window_scaling: bool,
    /// `net.core.rmem_max`.
    pub rmem_max: Size,
    /// `net.core.wmem_max`.
    pub wmem_max: Size,
    /// `net.ipv4.tcp_rmem`: min, default, max.
    pub tcp_rmem: [Size; 3],
    /// `net.ipv4.tcp_wmem`: min, default, max.
    pub tcp_wmem: [Size; 3],
    /// `net.ipv4.tcp_mtu_probing`.
    pub mtu_probing: MtuProbing,
    /// What the machine behind the stack can do.
    pub limits: HostLimits,
}

/// What serves the queue in front of a host's interface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Qdisc {
    /// First come, first served.
    #[default]
    PfifoFast,
    /// The same, and each TCP connection leaves at its own pace (Linux 3.12).
    Fq,
}

/// What a host's processor, bus and disks can do; the default is a machine without limits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HostLimits {
    /// Processor time for each frame sent.
    pub send_per_packet: Duration,
    /// Processor time for each byte of IP datagram sent.
    pub send_per_byte: Duration,
    /// Processor time for each frame received.
    pub receive_per_packet: Duration,
    /// Processor time for each byte of IP datagram received.
    pub receive_per_byte: Duration,
    /// Rate of the bus that every IP datagram crosses once, either way.
    pub memory_bus: Option<Rate>,
    /// Received frames that may wait for the processor.
    pub receive_ring: u64,
    /// Rate at which files are read.
    pub disk_read: Option<Rate>,
    /// Rate at which files are written.
    pub disk_write: Option<Rate>,
}

impl HostLimits {
    /// Whether frames take time in the host itself.
    pub fn slows_frames(&self) -> bool {
        let times = [
            self.send_per_packet,
            self.send_per_byte,
            self.receive_per_packet,
            self.receive_per_byte,
        ];
        self.memory_bus.is_some() || times.iter().any(|t| *t > Duration::ZERO)
    }
}

/// What a stack does when much is queued in front of an interface of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueRule {
    /// Connections wait until it has drained (TCP Small Queues, Linux 3.6 and later).
    Hold,
    /// A full queue is a sign of congestion (Linux before).
    Signal,
}

impl Host {
    /// The rule of the host's stack.
    pub fn queue_rule(&self) -> QueueRule {
        match self.profile {
            Profile::Linux2004 | Profile::Bsd1999 => QueueRule::Signal,
            Profile::Linux5 | Profile::Linux6 => QueueRule::Hold,
        }
    }
}

/// `[[router]]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Router {
    /// Its name.
    pub name: String,
    /// Whether it answers echo requests and sends time-exceeded and fragmentation-needed.
    pub answers: bool,
}

/// `[[link]]`: full duplex, two independent directions.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Its name.
    pub name: String,
    /// The two nodes.
    pub ends: [NodeId; 2],
    /// How frames are delimited.
    pub framing: Framing,
    /// The signal's name, if one was given (`stm64`).
    pub signal: Option<String>,
    /// The 802.1Q tag on this link, if any.
    pub vlan: Option<u16>,
    /// Capture what both directions carry into `NAME.pcapng`.
    pub tap: bool,
    /// Largest TCP segments over IPv4 and over IPv6 that routers at its ends let SYNs offer, where they lower them, bytes.
    pub segments: [Option<u32>; 2],
    /// `ends[0]` to `ends[1]`, then the other way.
    pub directions: [Direction; 2],
}

/// One direction of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Direction {
    /// Rate available to framed packets (the signal's payload rate).
    pub rate: Rate,
    /// Largest payload of the framing in bytes that is sent: labels, inner header, datagram.
    pub mtu: u32,
    /// One-way propagation.
    pub delay: Duration,
    /// A change of delay may let later frames overtake.
    pub reorder: bool,
    /// What may wait in front of the transmitter.
    pub queue: QueueLimit,
    /// What is lost on the way, in order.
    pub losses: Vec<Loss>,
    /// Classes and schedulers in place of the one queue; never where a host sends.
    pub queueing: Option<Queueing>,
    /// What the sending router does to frames before they wait.
    pub conditioning: Conditioning,
    /// What the node at the far end does to frames as they arrive.
    pub arrivals: Vec<Rule>,
    /// What else happens to frames on the way.
    pub impairments: Impairments,
    /// What happens to cells, where the framing has any.
    pub cells: Option<crate::atm::Cells>,
}

/// One cause of loss.
#[derive(Clone, Debug, PartialEq)]
pub enum Loss {
    /// `lose = { flow = "bulk", segment = 120000 }`: the first transmission of that segment
    /// (TCP, numbered from 1) or datagram (from 1) of that test; `stream` picks one of a parallel test.
    Scripted {
        /// The test's name.
        test: String,
        /// The stream, from 0.
        stream: u32,
        /// Number of the segment, from 1.
        segment: u64,
    },
    /// Every n-th frame of each flow.
    EveryNth(u64),
    /// Each frame with this probability.
    Bernoulli(Ratio),
    /// Two states; probabilities per frame.
    GilbertElliott {
        /// Good to bad.
        p: Ratio,
        /// Bad to good.
        r: Ratio,
        /// Loss in the good state.
        loss_good: Ratio,
        /// Loss in the bad state.
        loss_bad: Ratio,
    },
    /// Each bit on the wire with this probability; one wrong bit loses the frame.
    BitError(f64),
}

/// `[[bundle]]`: parallel links between two nodes, each flow on one of them, or its frames on all in turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Bundle {
    /// Its name.
    pub name: String,
    /// The members, 2 to 16.
    pub links: Vec<LinkId>,
    /// Seed of the hash; 0 by default.
    pub seed: u64,
    /// What stays on one member; a flow by default.
    pub unit: farpath_element::Unit,
    /// From a change of a member to when its routers notice; 0 by default.
    pub detection: Duration,
}

/// `[[lsp]]`: a unidirectional Label Switched Path.
#[derive(Clone, Debug, PartialEq)]
pub struct Lsp {
    /// Its name.
    pub name: String,
    /// Ingress, transit and egress nodes.
    pub path: Vec<NodeId>,
    /// The links between them and the way along each; one fewer than `path`.
    pub hops: Vec<(LinkId, Way)>,
    /// The egress asks for label 0 instead of penultimate-hop popping (RFC 3032 §2.1).
    pub explicit_null: bool,
}

/// `[[ccc]]`: a Circuit Cross-Connect.
#[derive(Clone, Debug, PartialEq)]
pub enum Ccc {
    /// `remote-interface-switch`: an interface joined to a pair of LSPs.
    RemoteInterface {
        /// Its name.
        name: String,
        /// The router.
        router: NodeId,
        /// The customer's link.
        interface: LinkId,
        /// `vlan-ccc`: the VLAN whose frames, tag included, are carried; else `ethernet-ccc`.
        vlan: Option<u16>,
        /// Index of the LSP frames leave on.
        transmit: usize,
        /// Index of the LSP frames arrive on.
        receive: usize,
    },
    /// `lsp-switch`: one LSP stitched to the next.
    LspSwitch {
        /// Its name.
        name: String,
        /// The router.
        router: NodeId,
        /// Index of the LSP frames leave on.
        transmit: usize,
        /// Index of the LSP frames arrive on.
        receive: usize,
    },
}

/// `[[test]]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Test {
    /// Its name.
    pub name: String,
    /// The node that starts.
    pub from: NodeId,
    /// The node that answers.
    pub to: NodeId,
    /// The sender's link, when it has several.
    pub via: Option<LinkId>,
    /// When it starts; at the earliest, where `start_spread` is not zero.
    pub start: Time,
    /// Up to how much later it starts: [`Scenario::draw_starts`].
    pub start_spread: Duration,
    /// How much later than it each connection of `parallel` starts, in order; none where all start with it.
    pub later: Vec<Duration>,
    /// How long it is measured, after `omit`; a transfer of fixed size may have none.
    pub duration: Option<Duration>,
    /// How long after the start the measurement begins.
    pub omit: Duration,
    /// The IP TOS byte.
    pub class: u8,
    /// 4 or 6.
    pub ip: u8,
    /// The group whose tests are compared with one another.
    pub group: Option<String>,
    /// The program that runs it between real hosts.
    pub tool: Tool,
    /// What it does.
    pub kind: TestKind,
}

impl Test {
    /// A ping between two nodes, from the start of the run, with the default of every other key.
    pub fn ping(name: &str, [from, to]: [NodeId; 2], ping: Periodic) -> Test {
        Test {
            name: name.to_owned(),
            from,
            to,
            via: None,
            start: Time::ZERO,
            start_spread: Duration::ZERO,
            later: Vec::new(),
            duration: None,
            omit: Duration::ZERO,
            class: 0,
            ip: 4,
            group: None,
            tool: Tool::default(),
            kind: TestKind::Ping(ping),
        }
    }

    /// Whether it is not a test of the scenario, but stands for the other traffic between two nodes: no
    /// name of a scenario has a tilde in it.
    pub fn stands_for_a_pair(&self) -> bool {
        self.name.contains('~')
    }

    /// The version of IP of its packets.
    pub(crate) fn version(&self) -> IpVersion {
        match self.ip {
            6 => IpVersion::V6,
            _ => IpVersion::V4,
        }
    }

    /// Bytes of the headers of its data packets, from IP's on; ICMP's is as long as UDP's, 8 (RFC 768, RFC 792).
    pub(crate) fn header_bytes(&self) -> u16 {
        let ip = self.version();
        let bytes = match self.kind.tcp() {
            None => ip.header() + 8,
            Some(tcp) if tcp.timestamps => ip.fixed_headers() + Timestamps::On.option(),
            Some(_) => ip.fixed_headers(),
        };
        bytes as u16
    }
}

/// `kind = "transfer"`.
#[derive(Clone, Debug, PartialEq)]
pub struct Transfer {
    /// The connections that carry the files; `parallel` share them out.
    pub tcp: Tcp,
    /// How many files.
    pub files: u64,
    /// Bytes of each.
    pub file_size: Size,
    /// Files asked for ahead on each connection, the one under way included.
    pub pipelining: u64,
}

/// `kind = "request"`.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The connections.
    pub tcp: Tcp,
    /// Bytes of an answer.
    pub block: Size,
    /// Bytes of a request.
    pub request_size: Size,
    /// Requests on each connection that wait for their answer at most.
    pub outstanding: u64,
    /// From an answer to the request that follows it.
    pub think_time: Duration,
    /// Requests on each connection; as many as there is time for if absent.
    pub requests: Option<u64>,
}

/// What asks and answers on one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// Bytes of a request.
    pub request: u64,
    /// Bytes of an answer.
    pub answer: u64,
    /// Requests that wait for their answer at most.
    pub outstanding: u64,
    /// From an answer to the request that follows it.
    pub think: Duration,
    /// Requests in all, if there is an end.
    pub requests: Option<u64>,
    /// Answers come from a disk and go to one.
    pub disks: bool,
}

/// `kind = "tcp"`.
#[derive(Clone, Debug, PartialEq)]
pub struct Tcp {
    /// Most payload bytes in flight; exact, no kernel rules.
    pub window: Option<Size>,
    /// What is passed to setsockopt; the profile and sysctls make a window of it.
    pub socket_buffer: Option<Size>,
    /// Congestion control.
    pub cc: Congestion,
    /// Connections.
    pub parallel: u32,
    /// Payload to transfer, each connection; unlimited (for `duration`) if absent.
    pub bytes: Option<Size>,
    /// SACK.
    pub sack: bool,
    /// Timestamps.
    pub timestamps: bool,
    /// Initial window in segments.
    pub initial_window: u32,
    /// Initial slow-start threshold in segments.
    pub initial_ssthresh: Option<u32>,
    /// The receiver's acknowledgement policy.
    pub delayed_ack: DelayedAck,
    /// How long its segments are gathered at the receiver, to be acknowledged together; zero: not at all.
    pub gro: Duration,
    /// Whether its sender's card is given bursts as one segment.
    pub tso: bool,
    /// Most acknowledgements of what is out of order that its receiver holds back.
    pub compressed_sacks: u32,
    /// Loss recovery.
    pub recovery: Recovery,
    /// RTO floor.
    pub rto_min: Duration,
    /// The retransmission timer besides its floor.
    pub rto: RtoRule,
    /// Most quick ACKs.
    pub quick_acks: u8,
    /// Data flows from `to` to `from`.
    pub reverse: bool,
}

/// How a connection's window moves.
#[derive(Clone, Debug, PartialEq)]
pub struct Congestion {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The BPF object file that real hosts run in its place, which no model knows: as the scenario has it,
    /// relative to its folder.
    pub object: Option<String>,
    /// Whose rules it follows.
    pub flavour: Flavour,
    /// Growth before the first loss.
    pub slow_start: SlowStart,
    /// Window in segments remembered of an earlier connection.
    pub remembered_window: Option<u32>,
    /// Whether an idle time longer than the RTO brings the window back to its initial size.
    pub idle_restart: bool,
    /// Whether and how the sender spreads its window.
    pub pacing: Option<Pacing>,
}

impl Congestion {
    /// Whether window and pace follow a model of the path, as far as that is known.
    pub fn paces_by_model(&self) -> bool {
        self.object.is_none() && self.algorithm.paces_by_model()
    }
}

/// `[[event]]`: one change at one instant; the end of one that does not last is another.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// When.
    pub at: Time,
    /// On which link.
    pub link: LinkId,
    /// Which directions.
    pub ways: Vec<Way>,
    /// What changes.
    pub change: Change,
}

/// What an event changes.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// The rate available to framed packets.
    Rate(Rate),
    /// The one-way propagation.
    Delay(Duration),
    /// The losses, all of them.
    Losses(Vec<Loss>),
    /// The queue's limit.
    Queue(QueueLimit),
    /// Frames offered are dropped (`down`) until it is up again.
    Up(bool),
}

impl Link {
    /// One of its directions.
    pub fn direction(&self, way: Way) -> &Direction {
        &self.directions[usize::from(way == Way::Reverse)]
    }

    /// The direction in which `node` sends; the reverse one for a node at neither end.
    pub fn direction_from(&self, node: NodeId) -> &Direction {
        &self.directions[usize::from(self.ends[0] != node)]
    }

    /// The node at the other end; `ends[0]` for a node at neither.
    pub fn other(&self, node: NodeId) -> NodeId {
        if self.ends[0] == node {
            self.ends[1]
        } else {
            self.ends[0]
        }
    }
}
