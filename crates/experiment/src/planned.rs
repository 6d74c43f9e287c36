//! From a scenario to the job of each of its hosts.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};

use farpath_scenario::plan::Plan;
use farpath_scenario::{
    Arrivals, Flows, NodeId, Pace, Periodic, Scenario, Tcp, Test, Tool, Udp, arrivals,
};
use farpath_units::{Duration, Key, Size, Time};
use farpath_wire::FlowDir;

use farpath_probe::job::{
    Begun, Bulk, Datagrams, Due, End, Exchange, Iperf3, Iperf3Kind, JobError, Jobs, MOST_GAPS,
    Pacing, Ping, Stream, Timing,
};
use farpath_tcp::Algorithm;

use crate::unset;

/// What a scenario's tests come to on real hosts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Planned {
    /// What each host does; a host without tasks has no job.
    pub jobs: Jobs,
    /// Tests that real hosts do not run, by number, and why.
    pub skipped: BTreeMap<usize, String>,
    /// What a test does otherwise than the simulated one, by number.
    pub notes: BTreeMap<usize, Vec<String>>,
    /// The addresses of each node by number, of IP version 4 and 6.
    pub addresses: Vec<[IpAddr; 2]>,
}

impl Planned {
    /// Leaves test `number` alone of all that are planned; the others are skipped.
    pub fn keep(&mut self, plan: &Plan, number: usize) {
        for (flow, of) in plan.flows.iter().enumerate() {
            if of.test != number {
                self.jobs.remove(flow);
                let why = "not asked for".to_owned();
                self.skipped.entry(of.test).or_insert(why);
            }
        }
    }

    /// The address of a node of the scenario.
    pub(crate) fn address(&self, node: NodeId, version: u8) -> IpAddr {
        self.addresses[node.0][usize::from(version == 6)]
    }
}

/// What of a sender's pacing its kernel is asked for: an algorithm that sets its rate paces unasked.
fn asked_pacing(tcp: &Tcp) -> Option<Pacing> {
    let pacing = tcp.cc.pacing?;
    let unasked = tcp.cc.algorithm == Algorithm::Bbr && pacing.most.is_none();
    (!unasked).then_some(Pacing { most: pacing.most })
}

/// Connections of one test at most: each has a thread at both ends.
const MOST_STREAMS: usize = 1000;

/// Pairs of iperf3's processes of one test at most.
const MOST_IPERF3: usize = 64;

/// How many intervals a test's series have about if the scenario wants fewer, and how short these are at least.
const INTERVALS: u64 = 1000;
const SHORT: Duration = Duration::from_ms(10);

/// The shortest interval of the series, however many the scenario wants.
const SHORTEST: Duration = Duration::from_ms(1);

/// What silence after the end is longer than, beside round trips.
const SETTLE: Duration = Duration::from_secs(1);

/// What a plan does not say of the hosts that carry it out.
#[derive(Clone, Copy)]
pub struct Hosts<'a> {
    /// The address of a node for IP version 4 or 6: [`farpath_scenario::plan::address`] where the hosts were
    /// made for the scenario.
    pub address: &'a dyn Fn(NodeId, u8) -> IpAddr,
    /// The kernel's name of the congestion control of the test of this number, where it is not the scenario's.
    pub algorithm: &'a dyn Fn(usize) -> Option<String>,
    /// The mark of what flow `number` sends from the host of that name, by which the host's routes tell it
    /// from other flows; 0 for none. Not asked for sockets that cannot be marked: iperf3's.
    pub mark: &'a dyn Fn(&str, usize) -> u32,
}

impl<'a> Hosts<'a> {
    /// Hosts whose kernels have the scenario's congestion controls by their names, and that mark nothing.
    pub fn at(address: &'a dyn Fn(NodeId, u8) -> IpAddr) -> Hosts<'a> {
        Hosts {
            address,
            algorithm: &|_| None,
            mark: &|_, _| 0,
        }
    }
}

/// Says what each host does. `seed` is the run's.
pub fn plan_jobs(scenario: &Scenario, plan: &Plan, seed: u64, hosts: &Hosts<'_>) -> Planned {
    let mut planner = Planner {
        scenario,
        plan,
        seed,
        hosts,
        planned: Planned::default(),
    };
    let both = |node| [4, 6].map(|version| (hosts.address)(NodeId(node), version));
    planner.planned.addresses = (0..scenario.node_count()).map(both).collect();
    for (number, test) in scenario.tests.iter().enumerate() {
        let flows = plan.flows.iter().enumerate();
        let flows = flows.filter(|(_, f)| f.test == number && !f.asks);
        let flows: Vec<usize> = flows.map(|(n, _)| n).collect();
        if let Err(why) = planner.test(number, test, &flows) {
            flows.iter().for_each(|f| planner.planned.jobs.remove(*f));
            planner.planned.skipped.insert(number, why);
        }
    }
    planner.planned
}

pub(crate) struct Planner<'a> {
    scenario: &'a Scenario,
    plan: &'a Plan,
    seed: u64,
    hosts: &'a Hosts<'a>,
    pub(crate) planned: Planned,
}

pub(crate) fn said(error: JobError) -> String {
    error.to_string()
}

impl Planner<'_> {
    pub(crate) fn note(&mut self, test: usize, note: &str) {
        let notes = self.planned.notes.entry(test).or_default();
        notes.push(note.to_owned());
    }

    fn test(&mut self, number: usize, test: &Test, flows: &[usize]) -> Result<(), String> {
        if self.scenario.is_router(test.from) {
            let name = self.scenario.node_name(test.from);
            return Err(format!("`{name}` is a router, and no program runs there"));
        }
        if flows.len() > MOST_STREAMS {
            return Err(format!(
                "{} connections; real hosts run {MOST_STREAMS} at most",
                flows.len()
            ));
        }
        if let Some(tcp) = test.kind.tcp() {
            self.note_unset(number, test, tcp);
        }
        if test.tool == Tool::Iperf3 {
            return self.iperf3(number, test, flows);
        }
        self.plan(number, test, flows)
    }

    /// Notes what of a test's connections no kernel is set to.
    fn note_unset(&mut self, number: usize, test: &Test, tcp: &Tcp) {
        if tcp.initial_ssthresh.is_some() {
            self.note(
                number,
                "`initial_ssthresh` is the model's: the kernel's slow start ends by its own rules",
            );
        }
        let is_own = self.algorithm(number, tcp) == tcp.cc.algorithm.name();
        if let Some(note) = unset::words(self.scenario, test, is_own) {
            self.note(number, &note);
        }
    }

    pub(crate) fn timing(&self, test: &Test, start: Time, flow: usize) -> Timing {
        let from = test.start + test.omit;
        let until = test.duration.map(|d| from + d);
        let every = until.map_or(SHORT, |until| {
            let whole = until.since(test.start).as_ps();
            let wanted = whole / u64::from(self.scenario.intervals).max(1);
            let every = wanted.min((whole / INTERVALS).max(SHORT.as_ps()));
            Duration::from_ps(every).max(SHORTEST)
        });
        let there = FlowDir::forward(flow as u16);
        let way = |dir| {
            let hops = self.plan.walk(self.scenario, dir);
            self.plan.propagation(self.scenario, &hops)
        };
        let settle = SETTLE + (way(there) + way(there.turned())).times(3);
        Timing {
            start,
            from,
            until,
            settle,
            every,
            counted: test.start,
        }
    }

    fn start_of(&self, test: &Test, flow: usize) -> Time {
        test.start_of(self.plan.flows[flow].stream)
    }

    /// The ends of a flow: its source and its sink.
    pub(crate) fn ends(&self, test: &Test, flow: usize) -> [End; 2] {
        let plan = &self.plan.flows[flow];
        let [from, to] = Plan::flow_ports(flow);
        let end = |node, port| {
            let address = SocketAddr::new((self.hosts.address)(node, test.ip), port);
            End::new(self.scenario.node_name(node), address)
        };
        [end(plan.source, from), end(plan.sink, to)]
    }

    pub(crate) fn marked(&self, mut ends: [End; 2], flow: usize) -> [End; 2] {
        for end in &mut ends {
            end.mark = (self.hosts.mark)(&end.host, flow);
        }
        ends
    }

    pub(crate) fn ping(&mut self, test: &Test, ping: &Periodic, flow: usize) -> Result<(), String> {
        let host = self.scenario.node_name(test.from);
        let ping = Ping {
            host: host.to_owned(),
            local: (self.hosts.address)(test.from, test.ip),
            mark: (self.hosts.mark)(host, flow),
            remote: (self.hosts.address)(test.to, test.ip),
            identifier: Plan::echo_identifier(flow),
            class: test.class,
            ttl: ping.ttl,
            size: ping.size,
            start: test.start,
            interval: ping.interval,
            count: ping.count.into(),
            timeout: ping.timeout,
        };
        self.planned.jobs.ping(flow, &ping).map_err(said)
    }

    pub(crate) fn udp(&mut self, test: &Test, udp: &Udp, flow: usize) -> Result<(), String> {
        if udp.cells.is_some() {
            return Err("a kernel sends datagrams and no cells".to_owned());
        }
        let [source, sink] = self.marked(self.ends(test, flow), flow);
        let timing = self.timing(test, test.start, flow);
        let datagrams = Datagrams {
            source,
            sink,
            class: test.class,
            size: udp.size,
            due: due(udp, test, timing.until.unwrap_or(Time::MAX), self.seed)?,
            timing,
        };
        self.planned.jobs.datagrams(flow, &datagrams).map_err(said)
    }

    fn stream(&self, test: &Test, tcp: &Tcp, flow: usize) -> Stream {
        let plan = &self.plan.flows[flow];
        let [source, sink] = self.marked(self.ends(test, flow), flow);
        // What a host grants at most is the limit the scenario sets it.
        let limited = |limit: Option<Size>| {
            let wanted = tcp.socket_buffer?;
            Some(limit.map_or(wanted, |limit| wanted.min(limit)))
        };
        let host = |node: NodeId| self.scenario.hosts.get(node.0);
        Stream {
            begun: match plan.source == test.from {
                true => Begun::BySource,
                false => Begun::BySink,
            },
            algorithm: self.algorithm(plan.test, tcp),
            class: test.class,
            window: tcp.window,
            send_buffer: limited(host(plan.source).map(|h| h.wmem_max)),
            receive_buffer: limited(host(plan.sink).map(|h| h.rmem_max)),
            pacing: asked_pacing(tcp),
            ..Stream::new(source, sink)
        }
    }

    fn algorithm(&self, test: usize, tcp: &Tcp) -> String {
        let name = || tcp.cc.algorithm.name().to_owned();
        (self.hosts.algorithm)(test).unwrap_or_else(name)
    }

    pub(crate) fn bulk(
        &mut self,
        test: &Test,
        tcp: &Tcp,
        flow: usize,
        arrival: Option<(Time, u64)>,
    ) -> Result<(), String> {
        let start = arrival.map_or(self.start_of(test, flow), |a| a.0);
        let bulk = Bulk {
            stream: self.stream(test, tcp, flow),
            timing: self.timing(test, start, flow),
            bytes: arrival.map(|a| Size::from_bytes(a.1)).or(tcp.bytes),
            quiet: arrival.is_some(),
        };
        self.planned.jobs.bulk(flow, &bulk).map_err(said)
    }

    /// A pair of iperf3's processes for each stream, so that each has ports of its own.
    fn iperf3(&mut self, number: usize, test: &Test, flows: &[usize]) -> Result<(), String> {
        if flows.len() > MOST_IPERF3 {
            return Err(format!(
                "{} pairs of iperf3 processes; {MOST_IPERF3} at most are started",
                flows.len()
            ));
        }
        let (kind, reverse) = if let Some(tcp) = test.kind.bulk() {
            (self.iperf3_tcp(number, tcp), tcp.reverse)
        } else if let Some(udp) = test.kind.udp() {
            if !is_even(udp) || (udp.size as usize) < farpath_probe::UDP_HEADER {
                return Err("iperf3 sends datagrams of 16 bytes or more, at equal gaps".to_owned());
            }
            let (rate, size) = (udp.rate.as_bps(), udp.size);
            (Iperf3Kind::Udp { rate, size }, false)
        } else {
            return Err("iperf3 runs tcp and udp tests only".to_owned());
        };
        if test.kind.tcp().is_some_and(|tcp| tcp.window.is_some()) {
            self.note(
                number,
                "iperf3 knows no exact window: `window` is its socket buffer",
            );
        }
        let whole = |time: Duration| time.as_ps().is_multiple_of(Duration::from_secs(1).as_ps());
        if !whole(test.omit) || !test.duration.is_none_or(whole) {
            self.note(
                number,
                "iperf3 counts whole seconds: `duration` and `omit` are rounded up",
            );
        }
        if test.later.iter().any(|later| *later > Duration::ZERO) {
            self.note(
                number,
                "all connections start with the first: `start_spread` spreads those of farpath's own programs",
            );
        }
        for flow in flows {
            let [source, sink] = self.ends(test, *flow);
            let (client, server) = if reverse {
                (sink, source)
            } else {
                (source, sink)
            };
            let iperf3 = Iperf3 {
                client,
                server,
                class: test.class,
                timing: self.timing(test, test.start, *flow),
                kind: kind.clone(),
            };
            self.planned.jobs.iperf3(*flow, &iperf3).map_err(said)?;
        }
        Ok(())
    }

    fn iperf3_tcp(&self, test: usize, tcp: &Tcp) -> Iperf3Kind {
        Iperf3Kind::Tcp {
            algorithm: self.algorithm(test, tcp),
            bytes: tcp.bytes.map(Size::as_bytes),
            buffer: tcp.socket_buffer.or(tcp.window).map(Size::as_bytes),
            pacing: asked_pacing(tcp)
                .and_then(|pacing| pacing.most)
                .map(|most| most.as_bps() / 8),
            reverse: tcp.reverse,
        }
    }

    pub(crate) fn flows(
        &mut self,
        test: &Test,
        kind: &Flows,
        flows: &[usize],
    ) -> Result<(), String> {
        let until = test.duration.map(|d| test.start + test.omit + d);
        for (flow, arrival) in flows.iter().zip(arrivals(test, kind, self.seed)) {
            // Who would come after the end of the test does not come.
            if until.is_none_or(|until| arrival.0 < until) {
                self.bulk(test, &kind.tcp, *flow, Some(arrival))?;
            }
        }
        Ok(())
    }

    /// Stream `flow`, whose requests are the flow after it.
    pub(crate) fn exchange(&mut self, test: &Test, flow: usize) -> Result<(), String> {
        let stream = self.plan.flows[flow].stream;
        let (Some(tcp), Some(exchange)) = (test.kind.tcp(), test.kind.exchange(stream)) else {
            return Ok(());
        };
        let exchange = Exchange {
            answers: self.stream(test, tcp, flow),
            requests: self.stream(test, tcp, flow + 1),
            timing: self.timing(test, self.start_of(test, flow), flow),
            request: Size::from_bytes(exchange.request),
            answer: Size::from_bytes(exchange.answer),
            outstanding: exchange.outstanding,
            think: exchange.think,
            count: exchange.requests,
        };
        self.planned.jobs.exchange(flow, &exchange).map_err(said)
    }
}

/// Datagrams at equal gaps.
fn is_even(udp: &Udp) -> bool {
    let shaped = udp.on_off.is_some() || udp.envelope.is_some() || udp.replay.is_some();
    udp.arrivals == Arrivals::Constant && !shaped && udp.cells.is_none()
}

/// When datagrams are due before `until`.
fn due(udp: &Udp, test: &Test, until: Time, seed: u64) -> Result<Due, String> {
    if is_even(udp) {
        return Ok(Due::Rate(udp.rate.as_bps()));
    }
    let mut pace = Pace::new(udp, test.start, Key::new(seed).with(&test.name));
    let (mut gaps, mut last) = (Vec::new(), test.start.as_ns());
    for ordinal in 0.. {
        let due = pace.due(ordinal);
        if due >= until {
            break;
        }
        if gaps.len() == MOST_GAPS {
            return Err(said(JobError::Gaps));
        }
        gaps.push(due.as_ns() - last);
        last = due.as_ns();
    }
    Ok(Due::Gaps(gaps))
}
