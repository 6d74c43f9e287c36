//! The data plane: what lies between real hosts, frame by frame, in whatever time its driver gives it.
//!
//! A packet is read once, into the memory it stays in. For each frame it would be on a wire one descriptor
//! goes through the same network of ports that a simulation runs, and is costed, queued, marked or lost
//! there by itself. Consecutive survivors of one packet are written in one piece again.

mod answers;
mod backlog;
mod compose;
mod copies;
mod datagrams;
mod fates;
mod flows;
mod heading;
mod lines;
mod message;
mod noted;
mod openings;
mod overlap;
mod packet;
mod pauses;
mod plug;
mod pool;
mod queries;
mod repairs;
mod reply;
mod router;
mod segments;
mod small_writes;
mod stream;
mod tapped;
#[cfg(test)]
mod tests;
mod tickets;
mod traffic;
mod turns;

use std::io::{self, IoSlice};

use farpath_element::{Drop, ElementId, Mode, Network, Port};
use farpath_scenario::plan::port_of;
use farpath_scenario::{NodeId, Scenario};
use farpath_units::{Duration, Time};
use farpath_wan::{Drops, Wan};

pub use datagrams::Datagrams;
pub use flows::with_pairs;
pub use heading::Macs;
pub use lines::OnLine;
pub use message::{Handing, Streamed};
pub use openings::Opening;
pub use overlap::{Overlap, Windows};
pub use packet::Way;
pub use plug::{Attachment, Interface};
pub use pool::{CHUNK, LARGEST};
pub use queries::Queries;
pub use repairs::Repairs;
pub use segments::{Acks, Segments};
pub use traffic::Traffic;
pub use turns::{Beat, Deferred, Errand, Left, Pings, Turns};

use crate::capture::Watch;
use crate::fidelity::Fidelity;
use answers::Answers;
use compose::{compose, is_answer, run_at_head};
use copies::Copies;
use datagrams::{Counts, Fate};
use flows::Flows;
use lines::Lines;
use openings::Openings;
use packet::Packet;
use pauses::Pauses;
use plug::{Piece, Socket, endpoint, socket};
use pool::{Pool, handle, unpack};
use queries::Asked;
use segments::Counted;
use tapped::Taps;
use traffic::damaged;
use turns::Talks;

/// Packets read from one interface before the others have a turn.
const TURN: usize = 32;

/// Bytes read before what is due is written: what was just read is still in the processor's cache then, and
/// writing it costs half.
const HOT: usize = 256 << 10;

/// The time a single delivery may span on the wire, unless said otherwise.
pub const COALESCING: Duration = Duration::from_us(50);

/// Packets that may wait for a host's own link: its kernel's queue is in front of it and lets no more through
/// than that link carries, but in bursts.
const HOST_QUEUE: u64 = 1 << 16;

/// How far ahead of the slowest element others may run.
const WINDOW: Duration = Duration::from_ms(5);

/// Memory that hosts can fill in this time is made ready at the start. On a path that holds far more it is filled so slowly that the rest
/// may be made ready meanwhile.
const SOON: Duration = Duration::from_secs(10);

/// A host sends nothing while the network runs: what it has sent was read before. So nobody has to wait for it, and frames on
/// the way to it hold nobody up.
const SILENCE: Duration = Duration::from_secs(3600);

/// The network between hosts, at work.
pub struct Plane<I> {
    network: Network<Piece>,
    wan: Wan,
    scenario: Scenario,
    ports: Vec<ElementId>,
    nodes: Vec<ElementId>,
    /// Elements in which something happens: all but the hosts.
    active: Vec<ElementId>,
    sockets: Vec<Socket<I>>,
    pool: Pool,
    flows: Flows,
    answers: Answers,
    copies: Copies,
    coalescing: Duration,
    next_event: usize,
    traffic: Traffic,
    datagrams: Counts,
    /// None where nobody asks for it.
    pauses: Option<Pauses>,
    talks: Option<Talks>,
    lines: Option<Lines>,
    segments: Option<Counted>,
    queries: Option<Asked>,
    openings: Option<Openings>,
    heading: Vec<u8>,
    taps: Taps,
    /// Deliveries: interface, when due, handle, frames.
    #[cfg(test)]
    log: Vec<(usize, Time, u32, usize)>,
}

impl<I: Interface> Plane<I> {
    /// The network of `wan`, made of `scenario` [`with_pairs`] of `pairs`, with real hosts at `attachments`, and
    /// `memory` bytes for frames under way.
    ///
    /// # Errors
    /// The system does not have the memory.
    pub fn new(
        scenario: Scenario,
        wan: Wan,
        pairs: &[(NodeId, NodeId)],
        attachments: Vec<Attachment<I>>,
        memory: u64,
    ) -> io::Result<Plane<I>> {
        let wan = wan.with_host_queue(HOST_QUEUE);
        let flows = Flows::new(&scenario, &wan.plan, pairs);
        let mut network = Network::new();
        let mut nodes = Vec::new();
        for node in 0..scenario.node_count() {
            let (piece, lookahead) = endpoint(&scenario, &wan.plan, node);
            nodes.push((network.add(piece), lookahead));
        }
        let mut ports = Vec::new();
        for number in 0..wan.plan.ports.len() {
            let mut port = wan.port(&scenario, number);
            port.watch();
            let lookahead = port.lookahead();
            ports.push((network.add(Piece::Port(Box::new(port))), lookahead));
        }
        wan.connect(&mut network, &nodes, &ports);
        let first = |both: &[(ElementId, Duration)]| both.iter().map(|b| b.0).collect();
        let (nodes, ports): (Vec<ElementId>, Vec<ElementId>) = (first(&nodes), first(&ports));
        let routers = &nodes[scenario.hosts.len()..];
        let datagrams = Counts::new(scenario.hosts.len());
        let rates = attachments.iter().map(|a| wan.plan.ports[a.port].rate);
        let soon: u64 = rates.map(|rate| rate.bytes_in(SOON).as_bytes()).sum();
        let active = routers.iter().chain(&ports).copied().collect();
        let sockets = attachments
            .into_iter()
            .filter_map(|a| socket(&network, &wan.plan, (&nodes, &ports), a))
            .collect();
        Ok(Plane {
            network,
            wan,
            scenario,
            ports,
            nodes,
            active,
            sockets,
            pool: Pool::new(memory, soon)?,
            flows,
            answers: Answers::default(),
            copies: Copies::default(),
            coalescing: COALESCING,
            next_event: 0,
            traffic: Traffic::default(),
            datagrams,
            pauses: None,
            talks: None,
            lines: None,
            segments: None,
            queries: None,
            openings: None,
            heading: Vec::with_capacity(2048),
            taps: Taps::default(),
            #[cfg(test)]
            log: Vec::new(),
        })
    }

    /// The wire time a delivery may span from now on; zero delivers every frame alone.
    pub fn set_coalescing(&mut self, span: Duration) {
        self.coalescing = span;
    }

    /// Every interface.
    pub fn interfaces(&self) -> impl Iterator<Item = &I> {
        self.sockets.iter().map(|s| &s.interface)
    }

    /// Every interface of a host.
    pub fn interfaces_of(&mut self, node: NodeId) -> impl Iterator<Item = &mut I> {
        let own = self.sockets.iter_mut().filter(move |s| s.node == node);
        own.map(|s| &mut s.interface)
    }

    /// From now on `watch` is given the head of every frame that a port puts on its link, in order of time.
    pub(crate) fn tap(&mut self, number: usize, watch: Watch) {
        self.port_mut(number).tap();
        self.taps.add(&self.wan.plan, number, watch);
    }

    /// Reads what hosts have sent, a turn from each interface. Each packet comes at the instant of `clock` at which it has been
    /// read: never before its host sent it, however long the machine held the reader up. Returns how many packets.
    ///
    /// # Errors
    /// Those of a device: it is gone.
    pub fn take_in(&mut self, clock: &mut impl FnMut() -> Time) -> io::Result<usize> {
        let mut taken = 0;
        for n in 0..self.sockets.len() {
            let mut bytes = 0;
            for _ in 0..TURN {
                let Some(len) = self.take_one(n, clock)? else {
                    break;
                };
                taken += 1;
                bytes += len;
                if bytes >= HOT {
                    break;
                }
            }
        }
        Ok(taken)
    }

    /// Reads one packet, and says how long it was; nothing when there is none.
    fn take_one(
        &mut self,
        n: usize,
        clock: &mut impl FnMut() -> Time,
    ) -> io::Result<Option<usize>> {
        let socket = &mut self.sockets[n];
        let Some(room) = self.pool.room() else {
            self.traffic.pool_full += 1;
            return Ok(None);
        };
        let len = match socket.interface.take(room) {
            Ok(len) => len,
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => return Ok(None),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => return Ok(Some(0)),
            Err(e) => return Err(e),
        };
        let now = clock();
        let parsed = Packet::parse(&room[..len]);
        let Some((packet, flow)) = parsed.and_then(|p| Some((p, self.flows.find(&p)?))) else {
            self.traffic.strays += 1;
            return Ok(Some(len));
        };
        if let Some(openings) = &mut self.openings {
            openings.sent(&packet, &room[..len], now);
        }
        if let Some(queries) = &mut self.queries {
            queries.sent(&packet, &room[..len], now);
        }
        if let Some(talks) = &mut self.talks {
            let since = talks.sent(&packet, &room[..len], now);
            if let (Some(since), Some(queries)) = (since, &self.queries) {
                talks.asked_elsewhere(&packet, queries.waited(socket.node, since, now));
            }
        }
        let slot = self.pool.keep(len, packet);
        let channel = self.network.channel_mut(socket.out);
        self.traffic.packets_in += 1;
        let frames = packet.segments() as u64;
        self.traffic.frames_in += frames;
        self.traffic.others_in += if self.flows.is_of_test(flow) {
            0
        } else {
            frames
        };
        self.datagrams.sent(socket.node, &packet);
        if let Some(segments) = &mut self.segments {
            segments.sent(&packet);
        }
        self.flows.frames(&packet, flow, |segment, mut frame| {
            frame.at = now;
            frame.side = handle(slot, segment);
            channel.push(frame);
        });
        Ok(Some(len))
    }

    /// Lets everything happen that is due before `now`, changes of the scenario among it, each when it
    /// is due.
    pub fn advance(&mut self, now: Time) {
        while let Some(event) = self.scenario.events.get(self.next_event)
            && event.at <= now
        {
            let event = event.clone();
            self.run(event.at);
            for way in &event.ways {
                let number = port_of(event.link, *way);
                let change = self.wan.change(&self.scenario, &event, number);
                self.apply(number, change);
            }
            self.next_event += 1;
        }
        self.run(now);
    }

    fn run(&mut self, until: Time) {
        let now = self.network.now();
        if until <= now {
            return;
        }
        // Step by step through hours in which frames are only on their way, those that are due then would be late.
        if until.since(now) > WINDOW {
            let due = self.network_due();
            self.network.pass(due.clamp(now, until));
        }
        self.hosts_promise(SILENCE);
        self.network.run(until, Mode::Windowed(WINDOW));
        self.hosts_promise(Duration::ZERO);
        self.note_answers();
        self.note_tapped();
        self.note_fates();
    }

    fn hosts_promise(&mut self, silence: Duration) {
        for host in &self.nodes[..self.scenario.hosts.len()] {
            self.network.set_lookahead(*host, silence);
        }
    }

    /// Takes the bytes of what tapped links carry, while they are there.
    fn note_tapped(&mut self) {
        for (n, number) in self.taps.ports() {
            let Piece::Port(port) = self.network.element_mut(self.ports[number]) else {
                continue;
            };
            for tapped in port.take_tapped() {
                let (slot, first) = unpack(tapped.frame.side);
                let packet = (self.pool.packet(slot), self.pool.bytes(slot));
                let answers = is_answer(&tapped.frame, packet.0);
                let told = answers.then(|| self.answers.get(tapped.frame.side));
                let macs = self.taps.macs(n);
                let out = &mut self.heading;
                let run = (first, 1);
                let rest = compose(
                    out,
                    packet,
                    run,
                    &tapped.frame,
                    told.flatten(),
                    (&self.wan.plan, macs),
                );
                self.taps.keep(n, tapped.frame.at, out, &packet.1[rest]);
            }
        }
        self.taps.hand_on(self.network.now());
    }

    /// Writes to hosts what is due before `until`, to which the network has been advanced; `fidelity` counts how late
    /// each frame is by `clock`. Returns how many packets.
    ///
    /// # Errors
    /// Those of a device: it is gone.
    pub fn hand_out(
        &mut self,
        until: Time,
        clock: &mut impl FnMut() -> Time,
        fidelity: &mut Fidelity,
    ) -> io::Result<usize> {
        let mut written = 0;
        for n in 0..self.sockets.len() {
            for _ in 0..TURN {
                let channel = self.network.channel(self.sockets[n].arrivals);
                let Some((count, due)) = run_at_head(channel.frames(), self.coalescing) else {
                    break;
                };
                if due >= until {
                    break;
                }
                #[cfg(test)]
                self.log.push((n, due, channel.frames()[0].side, count));
                let late = clock().since(due);
                self.give(n, count)?;
                written += 1;
                fidelity.delivered(late, count as u64);
            }
        }
        Ok(written)
    }

    /// Writes the first `count` frames that have arrived at interface `n`, segments of one packet.
    fn give(&mut self, n: usize, count: usize) -> io::Result<()> {
        let socket = &mut self.sockets[n];
        let channel = self.network.channel_mut(socket.arrivals);
        let frame = channel.frames()[0];
        // All of them are there when the last is.
        let due = channel.frames()[count - 1].at;
        channel.drop_heads(count);
        let (slot, first) = unpack(frame.side);
        let (packet, bytes) = (*self.pool.packet(slot), self.pool.bytes(slot));
        let told = match is_answer(&frame, &packet) {
            true => self.answers.gone(frame.side),
            false => None,
        };
        let is_whole = told.is_none() && !frame.is_damaged();
        let mut decided = 0;
        if told.is_some() {
            self.datagrams.answer_gone(&packet);
        } else {
            for segment in first..first + count {
                decided += usize::from(self.copies.ended(handle(slot, segment), is_whole));
            }
        }
        if decided > 0 && !is_whole {
            self.datagrams.note(&packet, Fate::Damaged);
            let watching = (self.segments.as_mut(), self.talks.as_mut());
            damaged(&packet, frame.at, watching, self.queries.as_mut());
        }
        let out = &mut self.heading;
        let way = (&self.wan.plan, socket.macs);
        let rest = compose(
            out,
            (&packet, bytes),
            (first, count),
            &frame,
            told.as_ref(),
            way,
        );
        let parts = [IoSlice::new(out), IoSlice::new(&bytes[rest.clone()])];
        let parts = if rest.is_empty() { &parts[..1] } else { &parts };
        let given = socket.interface.give(parts);
        self.pool.release(slot, count as u32);
        match given {
            Ok(()) => {
                self.traffic.packets_out += 1;
                self.traffic.frames_out += count as u64;
                if let Some(pauses) = self.pauses.as_mut().filter(|_| told.is_none()) {
                    pauses.delivered(&packet, packet.slice(first, count), frame.at);
                }
                let came = (frame.flow, [frame.at, due]);
                let passed = match told {
                    None => self.note_passed(&packet, (first, count), came),
                    Some(_) => None,
                };
                if let Some(talks) = self.talks.as_mut().filter(|_| is_whole) {
                    talks.delivered(&packet, packet.slice(first, count), due, passed);
                }
                if let Some(queries) = self.queries.as_mut().filter(|_| is_whole) {
                    queries.delivered(&packet, decided, due);
                }
            }
            Err(e) if is_refusal(&e) => self.traffic.refused += 1,
            Err(e) => return Err(e),
        }
        Ok(())
    }

    /// When the network or the scenario has something to do next, unless a host sends before.
    pub fn work_due(&self) -> Time {
        let event = self.scenario.events.get(self.next_event);
        let event = event.map_or(Time::MAX, |e| e.at);
        event.min(self.network_due())
    }

    /// When anything in the network itself has something to do.
    fn network_due(&self) -> Time {
        let active = self.active.iter().map(|id| self.network.due(*id));
        active.fold(Time::MAX, Time::min)
    }

    /// When there is something to do next, deliveries among it, unless a host sends before.
    pub fn due(&self) -> Time {
        let delivery = |s: &Socket<I>| {
            let frames = self.network.channel(s.arrivals).frames();
            run_at_head(frames, self.coalescing).map_or(Time::MAX, |(_, due)| due)
        };
        self.sockets
            .iter()
            .map(delivery)
            .fold(self.work_due(), Time::min)
    }

    /// Settles every counter at `end`.
    pub fn finish(&mut self, end: Time) {
        self.advance(end);
        self.taps.hand_on(end);
        for number in 0..self.ports.len() {
            self.port_mut(number).finish(end);
        }
    }

    /// What passed so far.
    pub fn traffic(&self) -> Traffic {
        self.traffic
    }

    /// What became of the datagrams of a host so far.
    pub fn datagrams(&self, host: NodeId) -> Datagrams {
        self.datagrams.of(host)
    }

    /// Frames on links, in queues or not handed out yet.
    pub fn packets_under_way(&self) -> usize {
        self.pool.packets()
    }

    /// The memory for packets: its size and the most of it that was used, in bytes.
    pub fn memory(&self) -> (u64, u64) {
        (self.pool.size(), self.pool.most_used())
    }

    /// What the links were built from.
    pub fn wan(&self) -> &Wan {
        &self.wan
    }

    /// The scenario, with the pairs of nodes as tests behind its own.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// How many ports there are.
    pub fn port_count(&self) -> usize {
        self.ports.len()
    }

    /// A port, by number in the plan.
    pub fn port(&self, number: usize) -> &Port {
        match self.network.element(self.ports[number]) {
            Piece::Port(port) => port,
            Piece::Host | Piece::Router(_) => unreachable!("ports were added as ports"),
        }
    }

    fn port_mut(&mut self, number: usize) -> &mut Port {
        match self.network.element_mut(self.ports[number]) {
            Piece::Port(port) => port,
            Piece::Host | Piece::Router(_) => unreachable!("ports were added as ports"),
        }
    }

    /// Brings the counters up to the instant the network has been advanced to, so that they can be read.
    pub fn catch_up(&mut self) {
        let now = self.network.now();
        for number in 0..self.ports.len() {
            self.port_mut(number).catch_up(now);
        }
    }

    /// Frames that crossed a port's link and were dropped by the router behind it.
    pub fn dropped_behind(&self, number: usize) -> Drops {
        let node = self.wan.plan.ports[number].to;
        match self.network.element(self.nodes[node.0]) {
            Piece::Router(router) => router.dropped(self.wan.input_of(number)),
            _ => Drops::default(),
        }
    }

    /// Those of them that were too large to go on, and were not reported to their senders.
    pub fn swallowed_behind(&self, number: usize) -> u64 {
        let node = self.wan.plan.ports[number].to;
        let all = self.dropped_behind(number)[Drop::Mtu as usize];
        match self.network.element(self.nodes[node.0]) {
            Piece::Router(router) => all - router.too_big(self.wan.input_of(number)),
            _ => all,
        }
    }

    /// Applies a change to a port at the instant the network has been advanced to.
    pub fn apply(&mut self, number: usize, change: farpath_element::Change) {
        if let (farpath_element::Change::Rate(rate), Some(lines)) = (&change, &mut self.lines) {
            lines.change(number, *rate);
        }
        let port = self.port_mut(number);
        port.apply(change);
        let lookahead = port.lookahead();
        self.network.set_lookahead(self.ports[number], lookahead);
    }
}

/// The host is busy, not gone.
fn is_refusal(e: &io::Error) -> bool {
    matches!(
        e.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::OutOfMemory | io::ErrorKind::Interrupted
    ) || e.raw_os_error() == Some(nix::libc::ENOBUFS)
}
