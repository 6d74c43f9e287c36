//! From a scenario to what each of its hosts is told to do.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};

use farpath_scenario::plan::Plan;
use farpath_scenario::{
    Arrivals, Flows, NodeId, Pace, Ping, Scenario, Tcp, Test, TestKind, Tool, Udp, arrivals,
};
use farpath_units::{Duration, Key, Size, Time};
use farpath_wire::FlowDir;

use crate::job::{
    Connection, Due, Ends, ExchangeWork, HostJob, Iperf3Kind, Iperf3Work, JOB_SCHEMA, PingWork,
    Side, Span, Task, TcpWork, UdpReceiveWork, UdpSendWork, Work,
};
use crate::{icmp, udp};

/// What a scenario's tests come to on real hosts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Planned {
    /// Jobs by host; a host without tasks has none.
    pub hosts: BTreeMap<String, HostJob>,
    /// Tests that real hosts do not run, by number, and why.
    pub skipped: BTreeMap<usize, String>,
    /// What a test does otherwise than the simulated one, by number.
    pub notes: BTreeMap<usize, Vec<String>>,
    /// Whose addresses these are.
    pub names: BTreeMap<IpAddr, String>,
}

impl Planned {
    /// Flow `number` asks the kernel for the congestion control of this name, whatever the scenario calls it.
    pub fn set_algorithm(&mut self, number: usize, name: &str) {
        let tasks = self.hosts.values_mut().flat_map(|job| &mut job.tasks);
        for task in tasks.filter(|t| t.flow == number) {
            let own = match &mut task.work {
                Work::TcpSend(work) | Work::TcpReceive(work) => &mut work.connection.algorithm,
                Work::Ask(work) | Work::Answer(work) => {
                    work.asking.algorithm = name.to_owned();
                    &mut work.answering.algorithm
                }
                Work::Iperf3Client(Iperf3Work {
                    kind: Iperf3Kind::Tcp { algorithm, .. },
                    ..
                }) => algorithm,
                _ => continue,
            };
            *own = name.to_owned();
        }
    }
}

impl Planned {
    /// What flow `number` sends from the host of that name carries this mark, by which the host's routes tell
    /// it from other flows. Returns whether a socket there is ours to be marked: iperf3's are not, nor is
    /// what a kernel answers by itself.
    pub fn set_mark(&mut self, host: &str, number: usize, mark: u32) -> bool {
        let mut marked = false;
        let tasks = self.hosts.get_mut(host).map(|job| &mut job.tasks);
        for task in tasks.into_iter().flatten() {
            // The requests of an exchange are the flow after its answers.
            let asking = task.flow + 1 == number;
            let own = match &mut task.work {
                Work::Ask(work) | Work::Answer(work) if asking => &mut work.asking.ends.mark,
                _ if task.flow != number => continue,
                Work::Ask(work) | Work::Answer(work) => &mut work.answering.ends.mark,
                Work::TcpSend(work) | Work::TcpReceive(work) => &mut work.connection.ends.mark,
                Work::UdpSend(work) => &mut work.ends.mark,
                Work::UdpReceive(work) => &mut work.ends.mark,
                Work::Ping(work) => &mut work.mark,
                Work::Iperf3Client(_) | Work::Iperf3Server(_) => continue,
            };
            *own = mark;
            marked = true;
        }
        marked
    }
}

/// Connections of one test at most: each has a thread at both ends.
const MOST_STREAMS: usize = 1000;

/// Pairs of iperf3's processes of one test at most.
const MOST_IPERF3: usize = 64;

/// iperf3's shortest interval.
const LEAST_IPERF3_NS: u64 = 100_000_000;

/// Datagrams of which each has a time of its own, at most.
const MOST_GAPS: usize = 2_000_000;

/// How many intervals a test's series have about if the scenario wants fewer, and how short these are at least.
const INTERVALS: u64 = 1000;
const SHORT: Duration = Duration::from_ms(10);

/// The shortest interval of the series, however many the scenario wants.
const SHORTEST: Duration = Duration::from_ms(1);

/// What silence after the end is longer than, beside round trips.
const SETTLE: Duration = Duration::from_secs(1);

/// Says what each host does. `address` gives the address of a node for IP version 4 or 6:
/// [`farpath_scenario::plan::address`] where the hosts were made for the scenario. `seed` is the
/// run's.
pub fn plan_jobs(
    scenario: &Scenario,
    plan: &Plan,
    seed: u64,
    address: &dyn Fn(NodeId, u8) -> IpAddr,
) -> Planned {
    let mut planner = Planner {
        scenario,
        plan,
        seed,
        address,
        planned: Planned::default(),
    };
    for node in (0..scenario.node_count()).map(NodeId) {
        let name = scenario.node_name(node);
        let named = |version| (address(node, version), name.to_owned());
        planner.planned.names.extend([named(4), named(6)]);
    }
    for (number, test) in scenario.tests.iter().enumerate() {
        match planner.test(number, test) {
            Ok(tasks) => planner.add(tasks),
            Err(why) => {
                planner.planned.skipped.insert(number, why);
            }
        }
    }
    planner.planned
}

struct Planner<'a> {
    scenario: &'a Scenario,
    plan: &'a Plan,
    seed: u64,
    address: &'a dyn Fn(NodeId, u8) -> IpAddr,
    planned: Planned,
}

/// Tasks and the nodes they run on.
type Tasks = Vec<(NodeId, Task)>;

impl Planner<'_> {
    fn add(&mut self, tasks: Tasks) {
        for (node, task) in tasks {
            let name = self.scenario.node_name(node);
            let job = || HostJob {
                schema: JOB_SCHEMA.to_owned(),
                host: name.to_owned(),
                tasks: Vec::new(),
            };
            let host = self.planned.hosts.entry(name.to_owned());
            host.or_insert_with(job).tasks.push(task);
        }
    }

    fn note(&mut self, test: usize, note: &str) {
        let notes = self.planned.notes.entry(test).or_default();
        notes.push(note.to_owned());
    }

    fn test(&mut self, number: usize, test: &Test) -> Result<Tasks, String> {
        if self.scenario.is_router(test.from) {
            let name = self.scenario.node_name(test.from);
            return Err(format!("`{name}` is a router, and no program runs there"));
        }
        let flows = self.plan.flows.iter().enumerate();
        let flows: Vec<usize> = flows
            .filter(|(_, f)| f.test == number && !f.asks)
            .map(|(n, _)| n)
            .collect();
        if flows.len() > MOST_STREAMS {
            return Err(format!(
                "{} connections; real hosts run {MOST_STREAMS} at most",
                flows.len()
            ));
        }
        if test.tool == Tool::Iperf3 {
            return self.iperf3(number, test, &flows);
        }
        if test
            .kind
            .tcp()
            .is_some_and(|tcp| tcp.initial_ssthresh.is_some())
        {
            self.note(
                number,
                "`initial_ssthresh` is the model's: the kernel's slow start ends by its own rules",
            );
        }
        match &test.kind {
            TestKind::Ping(ping) => self.ping(test, ping, flows[0]),
            TestKind::Udp(udp) => self.udp(test, udp, flows[0]),
            TestKind::Flows(kind) => Ok(self.flows(test, kind, &flows)),
            TestKind::Tcp(tcp) => {
                let bulk = |flow: &usize| self.bulk(test, tcp, *flow, None);
                Ok(flows.iter().flat_map(bulk).collect())
            }
            TestKind::Transfer(_) | TestKind::Request(_) => {
                if matches!(test.kind, TestKind::Transfer(_)) {
                    self.note(
                        number,
                        "files come from memory and go nowhere: the scenario's disks are those of the model",
                    );
                }
                let exchange = |flow: &usize| self.exchange(test, *flow);
                Ok(flows.iter().flat_map(exchange).collect())
            }
        }
    }

    fn span(&self, test: &Test, start: Time, flow: usize) -> Span {
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
        Span {
            start: start.as_ns(),
            from: from.as_ns(),
            until: until.map(Time::as_ns),
            settle: settle.as_ns(),
            every: every.as_ns(),
        }
    }

    /// The ends of a flow as its source sees them, and as its sink does.
    fn ends(&self, test: &Test, flow: usize) -> [Ends; 2] {
        let plan = &self.plan.flows[flow];
        let [from, to] = Plan::flow_ports(flow);
        let at = |node, port| SocketAddr::new((self.address)(node, test.ip), port);
        let (source, sink) = (at(plan.source, from), at(plan.sink, to));
        let ends = |local, remote| Ends {
            local,
            remote,
            class: test.class,
            mark: 0,
        };
        [ends(source, sink), ends(sink, source)]
    }

    fn ping(&self, test: &Test, ping: &Ping, flow: usize) -> Result<Tasks, String> {
        let least = icmp::HEADER as u32 + if test.ip == 6 { 40 } else { 20 };
        if ping.size < least {
            return Err(format!(
                "an echo request over IPv{} has {least} bytes at least",
                test.ip
            ));
        }
        let work = PingWork {
            local: (self.address)(test.from, test.ip),
            remote: (self.address)(test.to, test.ip),
            identifier: Plan::echo_identifier(flow),
            class: test.class,
            mark: 0,
            ttl: ping.ttl,
            size: ping.size,
            start: test.start.as_ns(),
            interval: ping.interval.as_ns(),
            count: ping.count.into(),
            timeout: ping.timeout.as_ns(),
        };
        Ok(vec![(test.from, task(flow, Work::Ping(work)))])
    }

    fn udp(&self, test: &Test, udp: &Udp, flow: usize) -> Result<Tasks, String> {
        if udp.cells.is_some() {
            return Err("a kernel sends datagrams and no cells".to_owned());
        }
        if (udp.size as usize) < udp::HEADER || udp.size > udp::MOST_BYTES as u32 {
            return Err(format!(
                "datagrams carry a number and a time: {} to {} bytes of payload, not {}",
                udp::HEADER,
                udp::MOST_BYTES,
                udp.size
            ));
        }
        let span = self.span(test, test.start, flow);
        let until = test.duration.map(|d| test.start + test.omit + d);
        let (due, expected) = due(udp, test, until.unwrap_or(Time::MAX), self.seed)?;
        let [source, sink] = self.ends(test, flow);
        let size = udp.size;
        let send = UdpSendWork {
            ends: source,
            span,
            size,
            due,
        };
        let receive = UdpReceiveWork {
            ends: sink,
            span,
            size,
            expected,
        };
        let plan = &self.plan.flows[flow];
        Ok(vec![
            (plan.source, task(flow, Work::UdpSend(send))),
            (plan.sink, task(flow, Work::UdpReceive(receive))),
        ])
    }

    /// A connection as its source and as its sink see it.
    fn connections(&self, test: &Test, tcp: &Tcp, flow: usize) -> [Connection; 2] {
        let plan = &self.plan.flows[flow];
        let [source, sink] = self.ends(test, flow);
        let host = |node: NodeId| self.scenario.hosts.get(node.0);
        let limited = |wanted: Size, limit: Option<Size>| {
            wanted
                .as_bytes()
                .min(limit.map_or(u64::MAX, Size::as_bytes))
        };
        // Twice the window, doubled by the kernel, holds it however badly its segments fill memory.
        let roomy = tcp.window.map(|w| w.as_bytes().saturating_mul(2));
        let of_sink = tcp
            .socket_buffer
            .map(|b| limited(b, host(plan.sink).map(|h| h.rmem_max)));
        let of_source = tcp
            .socket_buffer
            .map(|b| limited(b, host(plan.source).map(|h| h.wmem_max)));
        let side = |node| match node == test.from {
            true => Side::Connect,
            false => Side::Listen,
        };
        let connection = |ends, node| Connection {
            ends,
            side: side(node),
            algorithm: tcp.cc.algorithm.name().to_owned(),
            window_clamp: None,
            receive_buffer: None,
            send_buffer: None,
        };
        [
            Connection {
                send_buffer: of_source.or(roomy),
                ..connection(source, plan.source)
            },
            Connection {
                window_clamp: tcp.window.map(Size::as_bytes),
                receive_buffer: of_sink.or(roomy),
                ..connection(sink, plan.sink)
            },
        ]
    }

    fn bulk(
        &self,
        test: &Test,
        tcp: &Tcp,
        flow: usize,
        arrival: Option<(Time, u64)>,
    ) -> [(NodeId, Task); 2] {
        let plan = &self.plan.flows[flow];
        let [source, sink] = self.connections(test, tcp, flow);
        let start = arrival.map_or(test.start, |a| a.0);
        let bytes = arrival.map(|a| a.1).or(tcp.bytes.map(Size::as_bytes));
        let work = |connection| TcpWork {
            connection,
            span: self.span(test, start, flow),
            bytes,
            quiet: arrival.is_some(),
        };
        [
            (plan.source, task(flow, Work::TcpSend(work(source)))),
            (plan.sink, task(flow, Work::TcpReceive(work(sink)))),
        ]
    }

    /// A pair of iperf3's processes for each stream, so that each has ports of its own.
    fn iperf3(&mut self, number: usize, test: &Test, flows: &[usize]) -> Result<Tasks, String> {
        if flows.len() > MOST_IPERF3 {
            return Err(format!(
                "{} pairs of iperf3 processes; {MOST_IPERF3} at most are started",
                flows.len()
            ));
        }
        let (kind, reverse) = match &test.kind {
            TestKind::Tcp(tcp) => (iperf3_tcp(tcp), tcp.reverse),
            TestKind::Udp(udp) if is_even(udp) && udp.size as usize >= udp::HEADER => {
                let (rate, size) = (udp.rate.as_bps(), udp.size);
                (Iperf3Kind::Udp { rate, size }, false)
            }
            TestKind::Udp(_) => {
                return Err("iperf3 sends datagrams of 16 bytes or more, at equal gaps".to_owned());
            }
            _ => return Err("iperf3 runs tcp and udp tests only".to_owned()),
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
        let mut tasks = Vec::new();
        for flow in flows {
            let plan = &self.plan.flows[*flow];
            let [source, sink] = self.ends(test, *flow);
            let (client, server) = if reverse {
                (sink, source)
            } else {
                (source, sink)
            };
            let span = self.span(test, test.start, *flow);
            let work = |ends| Iperf3Work {
                ends,
                span,
                interval_ns: span.every.max(LEAST_IPERF3_NS),
                kind: kind.clone(),
            };
            let other = if reverse { plan.source } else { plan.sink };
            tasks.push((test.from, task(*flow, Work::Iperf3Client(work(client)))));
            tasks.push((other, task(*flow, Work::Iperf3Server(work(server)))));
        }
        Ok(tasks)
    }

    fn flows(&self, test: &Test, kind: &Flows, flows: &[usize]) -> Tasks {
        let until = test.duration.map(|d| test.start + test.omit + d);
        let all = arrivals(test, kind, self.seed);
        let come = flows.iter().zip(all);
        // Who would come after the end of the test does not come.
        come.filter(|(_, (start, _))| until.is_none_or(|until| *start < until))
            .flat_map(|(flow, arrival)| self.bulk(test, &kind.tcp, *flow, Some(arrival)))
            .collect()
    }

    /// Stream `flow`, whose requests are the flow after it.
    fn exchange(&self, test: &Test, flow: usize) -> Tasks {
        let plan = &self.plan.flows[flow];
        let (Some(tcp), Some(exchange)) = (test.kind.tcp(), test.kind.exchange(plan.stream)) else {
            return Vec::new();
        };
        let [gives, takes] = self.connections(test, tcp, flow);
        let [asks, hears] = self.connections(test, tcp, flow + 1);
        let work = |asking, answering| ExchangeWork {
            asking,
            answering,
            span: self.span(test, test.start, flow),
            request: exchange.request,
            answer: exchange.answer,
            outstanding: exchange.outstanding,
            think: exchange.think.as_ns(),
            requests: exchange.requests,
        };
        vec![
            (plan.source, task(flow, Work::Answer(work(hears, gives)))),
            (plan.sink, task(flow, Work::Ask(work(asks, takes)))),
        ]
    }
}

fn iperf3_tcp(tcp: &Tcp) -> Iperf3Kind {
    Iperf3Kind::Tcp {
        algorithm: tcp.cc.algorithm.name().to_owned(),
        bytes: tcp.bytes.map(Size::as_bytes),
        buffer: tcp.socket_buffer.or(tcp.window).map(Size::as_bytes),
        reverse: tcp.reverse,
    }
}

/// Datagrams at equal gaps.
fn is_even(udp: &Udp) -> bool {
    let shaped = udp.on_off.is_some() || udp.envelope.is_some() || udp.replay.is_some();
    udp.arrivals == Arrivals::Constant && !shaped && udp.cells.is_none()
}

fn task(flow: usize, work: Work) -> Task {
    Task { flow, work }
}

/// When datagrams are due, and how many before `until`.
fn due(udp: &Udp, test: &Test, until: Time, seed: u64) -> Result<(Due, u64), String> {
    if is_even(udp) {
        let span = u128::from(until.since(test.start).as_ns());
        let bits = u128::from(udp.size) * 8_000_000_000;
        let count = (span * u128::from(udp.rate.as_bps())).div_ceil(bits);
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        return Ok((Due::Rate(udp.rate.as_bps()), count));
    }
    let mut pace = Pace::new(udp, test.start, Key::new(seed).with(&test.name));
    let (mut gaps, mut last) = (Vec::new(), test.start.as_ns());
    for ordinal in 0.. {
        let due = pace.due(ordinal);
        if due >= until {
            break;
        }
        if gaps.len() == MOST_GAPS {
            return Err(format!(
                "more than {MOST_GAPS} datagrams at times of their own: shorten the test, or send at equal gaps"
            ));
        }
        gaps.push(due.as_ns() - last);
        last = due.as_ns();
    }
    let count = gaps.len() as u64;
    Ok((Due::Gaps(gaps), count))
}
