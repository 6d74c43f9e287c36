//! From a scenario to hosts that can be started: interfaces, addresses, routes, names.

use std::collections::BTreeMap;
use std::net::IpAddr;

use farpath_element::qdisc::Limit;
use farpath_scenario::plan::{Plan, PlanError, address};
use farpath_scenario::{Change, NodeId, QueueLimit, Scenario, full_segment};
use farpath_units::{Duration, Rate, Size, Time};
use farpath_wire::FlowDir;

use crate::plane::with_pairs;
use crate::settings::{Machine, Need, settings};
use crate::spec::{DeviceChoice, HostSpec, InterfaceSpec, LARGEST_MTU, Route, Shaping};

/// One host of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// The host, by number.
    pub node: NodeId,
    /// What to start.
    pub spec: HostSpec,
    /// For each interface the port its frames leave on, by number in the plan with all pairs.
    pub ports: Vec<usize>,
    /// Streams of tests that go another way than the host's routes.
    pub bound: Vec<Bound>,
    /// What is not as the scenario has it.
    pub notes: Vec<String>,
    /// Settings of the machine that would have to change.
    pub needs: Vec<Need>,
}

/// A stream that leaves a host another way than its routes have it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bound {
    /// Its flow, by number in the scenario's own plan.
    pub flow: usize,
    /// The interface it is to leave by.
    pub interface: String,
    /// What its sockets send must carry this mark (`SO_MARK`), or it goes with the rest.
    pub mark: u32,
}

/// Packets that may wait for the data plane: with 1000, a TAP's default, packets are dropped under load without a
/// message.
const RING_PACKETS: u32 = 20_000;

/// What a host may send at once after a pause, in time at its rate. It then waits in the model, for the same rate:
/// a machine that stands still for less than this costs the link nothing.
const BURST: Duration = Duration::from_ms(5);

/// Above this a TAP is slower than the rate, and a token bucket would only cost time.
const FASTEST_FELT: u64 = 40_000_000_000;

/// Every host of `scenario`, in order.
///
/// # Errors
/// When the scenario cannot be planned.
pub fn layout(scenario: &Scenario, machine: &Machine) -> Result<Vec<Layout>, PlanError> {
    let (whole, _) = with_pairs(scenario);
    let plan = Plan::new(&whole)?;
    let nodes = (0..scenario.hosts.len()).map(NodeId);
    Ok(nodes
        .map(|node| host(&whole, &plan, scenario, machine, node))
        .collect())
}

/// The token bucket in front of one interface, or that there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// The host, by number.
    pub host: usize,
    /// The interface.
    pub interface: String,
    /// What lets the host feel the rate of its link.
    pub shaping: Option<Shaping>,
}

/// Those of all hosts before anything changes, in order.
///
/// # Errors
/// When the scenario cannot be planned.
pub fn buckets(scenario: &Scenario) -> Result<Vec<Bucket>, PlanError> {
    let (whole, _) = with_pairs(scenario);
    let plan = Plan::new(&whole)?;
    let mut buckets = Vec::new();
    for (host, interface, port) in interfaces(scenario, &plan) {
        let mtu = largest(scenario, &plan, (host, port));
        let line = Line::first(&whole, &plan, port);
        buckets.push(Bucket {
            host,
            interface,
            shaping: shaping(&whole, &plan, (port, line), mtu),
        });
    }
    Ok(buckets)
}

/// What the scenario's events make of them, and when, in order of time. A queue that follows from the rate follows from
/// that at the start, as it does in a simulation.
///
/// # Errors
/// When the scenario cannot be planned.
pub fn changed_buckets(scenario: &Scenario) -> Result<Vec<(Time, Bucket)>, PlanError> {
    let (whole, _) = with_pairs(scenario);
    let plan = Plan::new(&whole)?;
    let mut changed = Vec::new();
    for (host, interface, number) in interfaces(scenario, &plan) {
        let port = &plan.ports[number];
        let mtu = largest(scenario, &plan, (host, number));
        let felt = |line| shaping(&whole, &plan, (number, line), mtu);
        let mut line = Line::first(&whole, &plan, number);
        let mut at_work = felt(line);
        for event in &scenario.events {
            if event.link != port.link || !event.ways.contains(&port.way) {
                continue;
            }
            let before = felt(line);
            match event.change {
                Change::Rate(rate) => line.rate = slowed(&whole, port.from, rate),
                Change::Queue(queue) => line.queue = queue,
                Change::Delay(_) | Change::Losses(_) | Change::Up(_) => {}
            }
            let shaping = felt(line);
            if shaping != before {
                at_work = shaping.map(|s| s.after(at_work));
                let interface = interface.clone();
                let bucket = Bucket {
                    host,
                    interface,
                    shaping: at_work,
                };
                changed.push((event.at, bucket));
            }
        }
    }
    changed.sort_by_key(|(at, _)| *at);
    Ok(changed)
}

/// Every interface: the number of its host, its name, and the port its frames leave on.
fn interfaces<'a>(
    scenario: &Scenario,
    plan: &'a Plan,
) -> impl Iterator<Item = (usize, String, usize)> + 'a {
    (0..scenario.hosts.len()).flat_map(move |host| {
        let ports = plan.nodes[host].ports.iter().enumerate();
        ports.map(move |(number, port)| (host, interface_name(number), *port))
    })
}

/// The MTU of an interface.
fn largest(scenario: &Scenario, plan: &Plan, (host, port): (usize, usize)) -> u32 {
    let limit = scenario.datagram_limit(NodeId(host), plan.ports[port].link);
    limit.min(LARGEST_MTU)
}

fn host(
    whole: &Scenario,
    plan: &Plan,
    scenario: &Scenario,
    machine: &Machine,
    node: NodeId,
) -> Layout {
    let told = settings(scenario, node, machine);
    let ways = ways(whole, plan, node);
    let ports = plan.nodes[node.0].ports.clone();
    let mut layout = Layout {
        node,
        spec: HostSpec {
            name: scenario.node_name(node).to_owned(),
            interfaces: Vec::new(),
            settings: told.sysctls,
            control: told.control,
            names: names(scenario),
            device: DeviceChoice::Available,
        },
        ports,
        bound: Vec::new(),
        notes: told.notes,
        needs: told.needs,
    };
    for (number, port) in layout.ports.iter().enumerate() {
        let limit = scenario.datagram_limit(node, plan.ports[*port].link);
        let name = interface_name(number);
        if limit > LARGEST_MTU {
            layout.notes.push(format!(
                "the MTU of {name} is {LARGEST_MTU}, the most a TAP has, not {limit}"
            ));
        }
        let mtu = limit.min(LARGEST_MTU);
        let own = [4, 6].map(|version| address(node, version));
        let line = Line::first(whole, plan, *port);
        let shaping = shaping(whole, plan, (*port, line), mtu);
        let few = few_packets(&name, line.queue, shaping);
        layout.notes.extend(few);
        layout.spec.interfaces.push(InterfaceSpec {
            mac: mac(*port),
            mtu,
            // A node has one address of each version, however many interfaces: the first has it.
            addresses: if number == 0 {
                own.to_vec()
            } else {
                Vec::new()
            },
            routes: routes(&ways, number, own),
            ring_packets: RING_PACKETS,
            // TCP builds super-frames whatever the card takes (since Linux 4.17): `ethtool -K` would cut them after the fact.
            segments_at_once: (scenario.hosts[node.0].tso == Some(false)).then_some(1),
            shaping,
            name,
        });
    }
    for way in ways.values() {
        let bound = way
            .others
            .iter()
            .filter(|(flow, _)| *flow < whole_flows(plan, scenario));
        layout.bound.extend(bound.map(|(flow, output)| Bound {
            flow: *flow,
            interface: interface_name(*output),
            mark: mark(*output),
        }));
    }
    layout.bound.sort();
    layout
}

/// How many of the flows of `plan` are those of `scenario`'s own tests: they come first.
fn whole_flows(plan: &Plan, scenario: &Scenario) -> usize {
    let own = scenario.tests.len();
    plan.flows.iter().take_while(|f| f.test < own).count()
}

/// The mark of what is to leave by interface `number`.
pub(crate) fn mark(number: usize) -> u32 {
    number as u32 + 1
}

/// `eth0` and so on: a host's interfaces, by number.
pub fn interface_name(number: usize) -> String {
    format!("eth{number}")
}

/// A locally administered address that no other port has. The last byte's upper bit is left to the
/// far end.
fn mac(port: usize) -> [u8; 6] {
    let [.., a, b] = u16::try_from(port).unwrap_or(u16::MAX).to_be_bytes();
    [0x02, 0xfa, a >> 7, (a << 1) | (b >> 7), 0, b & 0x7f]
}

/// How a host reaches one other node.
#[derive(Debug, Default, PartialEq)]
struct Reach {
    /// By which of its interfaces, unless a socket is bound.
    usual: usize,
    /// Flows that go by another one.
    others: Vec<(usize, usize)>,
    /// The initial window its tests agree on, if it is not the kernel's.
    initial_window: Option<u32>,
    /// The window in segments that its tests agree on.
    largest_window: Option<u32>,
    /// The largest segments that routers on the way let SYNs over IPv4 and over IPv6 offer, bytes.
    largest_segments: [Option<u32>; 2],
}

/// By destination. What any two nodes have between them comes last among the flows, and goes the
/// usual way; a test may be sent another by `via` or by a bundle's hash.
fn ways(scenario: &Scenario, plan: &Plan, node: NodeId) -> BTreeMap<NodeId, Reach> {
    let mut ways: BTreeMap<NodeId, Reach> = BTreeMap::new();
    let outputs = &plan.nodes[node.0].routes;
    let mut taken: BTreeMap<NodeId, Vec<(usize, usize)>> = BTreeMap::new();
    for (number, flow) in plan.flows.iter().enumerate() {
        let there = FlowDir::forward(number as u16);
        let (dir, to) = if flow.source == node {
            (there, flow.sink)
        } else if flow.sink == node {
            (there.turned(), flow.source)
        } else {
            continue;
        };
        let output = outputs.get(dir.index()).copied().flatten();
        if let Some(output) = output.filter(|_| to != node) {
            taken.entry(to).or_default().push((number, output.into()));
        }
    }
    for (to, flows) in taken {
        let usual = flows.last().map_or(0, |(_, output)| *output);
        let reach = Reach {
            usual,
            others: flows.iter().copied().filter(|(_, o)| *o != usual).collect(),
            initial_window: initial_window(scenario, node, to),
            largest_window: largest_window(scenario, plan, (node, to)),
            largest_segments: [4, 6].map(|ip| most_offered(scenario, plan, [node, to], ip)),
        };
        ways.insert(to, reach);
    }
    ways
}

/// Segments a kernel's connection begins with (RFC 6928).
const USUAL_WINDOW: u32 = 10;

fn initial_window(scenario: &Scenario, node: NodeId, to: NodeId) -> Option<u32> {
    let between = scenario
        .tests
        .iter()
        .filter(|t| t.data_ends() == (node, to));
    let mut windows = between.filter_map(|t| Some(t.kind.tcp()?.initial_window));
    let first = windows.next()?;
    let agreed = windows.all(|w| w == first) && first != USUAL_WINDOW;
    agreed.then_some(first)
}

/// `window` in whole segments, if all that send from one node to the other are streams of the same. The
/// end that reads bounds what is in flight; a kernel's window grows to twice that in slow start, and
/// a loss would take half of what was never used.
fn largest_window(scenario: &Scenario, plan: &Plan, ends: (NodeId, NodeId)) -> Option<u32> {
    let flows = plan.flows.iter().enumerate();
    let between = flows.filter(|(_, flow)| (flow.source, flow.sink) == ends);
    let mut windows = between.filter_map(|(number, flow)| {
        let test = scenario.tests.get(flow.test)?;
        let Some(tcp) = test.kind.bulk() else {
            return test.kind.tcp().map(|_| None);
        };
        // A kernel's bound is one of segments, also of those that path MTU discovery makes smaller.
        let mss = u64::from(full_segment(scenario, plan, number, tcp).max(1));
        let segments = tcp.window.map(|w| w.as_bytes() / mss);
        let segments = segments.and_then(|n| u32::try_from(n).ok());
        Some(segments.filter(|n| *n > 1))
    });
    let first = windows.next()??;
    windows.all(|w| w == Some(first)).then_some(first)
}

/// What routers between two nodes let SYNs offer: a plane of a lab rewrites no SYN, and hosts offer no more themselves.
fn most_offered(scenario: &Scenario, plan: &Plan, ends: [NodeId; 2], ip: u8) -> Option<u32> {
    let flows = plan.flows.iter().enumerate();
    let between = flows.filter(|(_, f)| ends.contains(&f.source) && ends.contains(&f.sink));
    between
        .filter_map(|(number, _)| plan.most_offered(scenario, number, ip))
        .min()
}

/// The routes of interface `number`.
fn routes(ways: &BTreeMap<NodeId, Reach>, number: usize, own: [IpAddr; 2]) -> Vec<Route> {
    let mut routes = Vec::new();
    for (to, reach) in ways {
        let bound_only = reach.usual != number;
        if bound_only && reach.others.iter().all(|(_, output)| *output != number) {
            continue;
        }
        routes.extend(own.map(|from| Route {
            to: address(*to, if from.is_ipv4() { 4 } else { 6 }),
            from,
            bound_only,
            initial_window: reach.initial_window,
            largest_window: reach.largest_window,
            largest_segment: reach.largest_segments[usize::from(from.is_ipv6())],
        }));
    }
    routes
}

/// Every node, by both its addresses.
fn names(scenario: &Scenario) -> Vec<(IpAddr, String)> {
    let nodes = (0..scenario.node_count()).map(NodeId);
    let both =
        |node| [4, 6].map(|version| (address(node, version), scenario.node_name(node).to_owned()));
    nodes.flat_map(both).collect()
}

/// What events may change of what a host feels of its port.
#[derive(Clone, Copy)]
struct Line {
    rate: Rate,
    queue: QueueLimit,
}

impl Line {
    /// As it is at the start.
    fn first(scenario: &Scenario, plan: &Plan, port: usize) -> Line {
        let port = &plan.ports[port];
        Line {
            rate: port.rate,
            queue: scenario.links[port.link.0].direction_from(port.from).queue,
        }
    }
}

/// A rate of a host's link, as far as its own interface lets it have that.
fn slowed(scenario: &Scenario, host: NodeId, rate: Rate) -> Rate {
    let nic = scenario.hosts.get(host.0).and_then(|h| h.nic);
    nic.map_or(rate, |nic| nic.min(rate))
}

/// What lets a host feel the rate of its port: full frames come as fast as the port sends them.
/// Smaller ones come a little faster, as a token bucket knows no preamble, FCS and gap, and wait in the
/// model.
fn shaping(
    scenario: &Scenario,
    plan: &Plan,
    (port, line): (usize, Line),
    mtu: u32,
) -> Option<Shaping> {
    let longest_rtt = plan.longest_rtt(port);
    let port = &plan.ports[port];
    if line.rate.as_bps() > FASTEST_FELT {
        return None;
    }
    let frame = u64::from(mtu) + ETHERNET;
    let wire = u64::from(scenario.links[port.link.0].framing.wire_bytes(mtu)).max(1);
    let bps = u128::from(line.rate.as_bps()) * u128::from(frame) / u128::from(wire);
    let rate = Rate::from_bps(u64::try_from(bps).ok()?)?;
    let burst = rate.bytes_in(BURST).max(Size::from_bytes(2 * frame));
    let waiting = match Scenario::queue_limit(line.queue, port.rate, longest_rtt) {
        Limit::Packets(n) => n.saturating_mul(frame),
        Limit::Bytes(bytes) => bytes,
    };
    let limit = Size::from_bytes(waiting.clamp(frame, LARGEST_LIMIT));
    Some(Shaping { rate, burst, limit })
}

/// What a queue of few packets is in a kernel: room for as many full frames, and so for more small ones.
fn few_packets(name: &str, queue: QueueLimit, shaping: Option<Shaping>) -> Option<String> {
    let QueueLimit::Packets(packets) = queue else {
        return None;
    };
    let room = shaping.filter(|_| packets < FEW_PACKETS)?.limit;
    Some(format!(
        "the queue of {packets} packets on {name} is one of {} B here, what so many full frames have: of smaller ones, as acknowledgements are, \
         more wait than in a simulation, and a super-frame waits as a whole; write `queue` in bytes to have the same in both",
        room.as_bytes()
    ))
}

/// A queue of so many packets is as long as a flight: what it holds is not what is said of it by full frames alone.
const FEW_PACKETS: u64 = 100;

/// Bytes of an Ethernet header.
const ETHERNET: u64 = 14;

/// A token bucket's limit is a 32-bit number.
const LARGEST_LIMIT: u64 = u32::MAX as u64;

#[cfg(test)]
mod tests {
    use super::*;
    use farpath_scenario::{Source, parse};

    fn machine() -> Machine {
        crate::settings::tests::machine()
    }

    fn parsed(text: &str) -> Scenario {
        let source = Source {
            name: "test.toml".to_owned(),
            text: format!("[scenario]\nname = \"t\"\n{text}"),
        };
        parse(&source, &[]).unwrap_or_else(|e| panic!("{e}"))
    }

    fn layouts(text: &str) -> Vec<Layout> {
        layout(&parsed(text), &machine()).unwrap()
    }

    /// Host `a` has a short way to `b` by `r` and a long one by `s`; `c` hangs on `s` alone.
    const TWO_WAYS: &str = r#"
        [[host]]
        name = "a"
        txqueuelen = 100
        [[host]]
        name = "b"
        [[host]]
        name = "c"
        [[router]]
        name = "r"
        [[router]]
        name = "s"
        [[link]]
        name = "a-r"
        ends = ["a", "r"]
        framing = "gbe"
        [[link]]
        name = "r-b"
        ends = ["r", "b"]
        framing = "gbe"
        delay = "1 ms"
        [[link]]
        name = "a-s"
        ends = ["a", "s"]
        framing = "gbe"
        mtu = 9000
        [[link]]
        name = "s-b"
        ends = ["s", "b"]
        framing = "gbe"
        delay = "10 ms"
        [[link]]
        name = "s-c"
        ends = ["s", "c"]
        framing = "gbe"
        [[test]]
        name = "short"
        kind = "tcp"
        from = "a"
        to = "b"
        duration = "1 s"
        initial_window = 3
        window = "1 MB"
        [[test]]
        name = "long"
        kind = "ping"
        from = "a"
        to = "b"
        via = "a-s"
        count = 1
    "#;

    fn way(route: &Route) -> (String, bool) {
        (route.to.to_string(), route.bound_only)
    }

    #[test]
    fn a_host_builds_super_frames_unless_it_is_written_that_it_does_not() {
        let of = |key: &str| {
            let text = TWO_WAYS.replacen("txqueuelen = 100", key, 1);
            layouts(&text)[0].spec.interfaces.clone()
        };
        let told = |key: &str| {
            of(key)
                .iter()
                .map(|i| i.segments_at_once)
                .collect::<Vec<_>>()
        };
        assert_eq!(told("tso = false"), [Some(1), Some(1)]);
        assert_eq!(told("tso = true"), [None, None]);
        assert_eq!(told("profile = \"linux-2004\""), [None, None]);
    }

    #[test]
    fn every_node_is_reached_by_the_way_the_plan_takes() {
        let hosts = layouts(TWO_WAYS);
        let [short, long] = hosts[0].spec.interfaces.as_slice() else {
            panic!("{:?}", hosts[0].spec.interfaces);
        };
        assert_eq!([short.name.as_str(), long.name.as_str()], ["eth0", "eth1"]);
        assert_eq!([short.mtu, long.mtu], [1500, 9000]);
        assert_eq!(short.addresses.len(), 2);
        assert!(long.addresses.is_empty());
        let v4 = |interface: &InterfaceSpec| -> Vec<(String, bool)> {
            let routes = interface.routes.iter().filter(|r| r.to.is_ipv4());
            routes.map(way).collect()
        };
        let to = |node: u32, bound| (format!("198.18.0.{}", node + 1), bound);
        // b and r the short way, c and s the long one, and b the long one for who asks for it.
        assert_eq!(v4(short), [to(1, false), to(3, false)]);
        assert_eq!(v4(long), [to(1, true), to(2, false), to(4, false)]);
        assert_eq!(
            hosts[0].bound,
            [Bound {
                flow: 1,
                interface: "eth1".to_owned(),
                mark: 2
            }]
        );
        assert_eq!(hosts[0].ports.len(), 2);
        assert!(hosts[1].bound.is_empty());
        let v6 = short.routes.iter().filter(|r| r.to.is_ipv6()).count();
        assert_eq!(v6, 2);
        // A test from here to b begins with three segments, one from b does not.
        assert_eq!(short.routes[0].initial_window, Some(3));
        let back = &hosts[1].spec.interfaces[0].routes;
        assert!(back.iter().all(|r| r.initial_window.is_none()));
        // A megabyte in segments of 1448 bytes.
        assert_eq!(short.routes[0].largest_window, Some(690));
        assert!(back.iter().all(|r| r.largest_window.is_none()));
    }

    /// A bound of segments that path MTU discovery makes smaller was one of half of the window.
    #[test]
    fn a_window_is_counted_in_the_segments_that_path_mtu_discovery_leaves() {
        let text = |mtu: u32| {
            format!(
                "[[host]]\nname = \"a\"\nmtu = 9000\n[[host]]\nname = \"b\"\nmtu = 9000\n[[router]]\nname = \"r\"\n[[router]]\nname = \"s\"\n\
                 [[link]]\nname = \"ar\"\nends = [\"a\", \"r\"]\nrate = \"1 Gbit/s\"\n\
                 [[link]]\nname = \"rs\"\nends = [\"r\", \"s\"]\nrate = \"1 Gbit/s\"\ndelay = \"60 ms\"\nmtu = {mtu}\n\
                 [[link]]\nname = \"sb\"\nends = [\"s\", \"b\"]\nrate = \"1 Gbit/s\"\n\
                 [[test]]\nname = \"t\"\nkind = \"tcp\"\nfrom = \"a\"\nto = \"b\"\nwindow = \"6400 kB\"\nduration = \"5 s\"\n"
            )
        };
        let window = |mtu: u32| layouts(&text(mtu))[0].spec.interfaces[0].routes[0].largest_window;
        assert_eq!(window(9000), Some(6_400_000 / 8948));
        assert_eq!(window(4470), Some(6_400_000 / 4418));
    }

    #[test]
    fn addresses_of_interfaces_differ_and_names_are_everyones() {
        let hosts = layouts(TWO_WAYS);
        let mut macs: Vec<_> = hosts
            .iter()
            .flat_map(|h| &h.spec.interfaces)
            .map(|i| i.mac)
            .collect();
        let count = macs.len();
        macs.sort_unstable();
        macs.dedup();
        assert_eq!(macs.len(), count);
        assert!((0..=u16::MAX.into()).all(|p| mac(p)[5] & 0x80 == 0));
        let all: std::collections::BTreeSet<_> = (0..=u16::MAX.into()).map(mac).collect();
        assert_eq!(all.len(), 1 << 16);
        for host in &hosts {
            let names = host.spec.names.iter().map(|(a, n)| format!("{a} {n}"));
            let names: Vec<String> = names.collect();
            assert_eq!(names.len(), 10);
            assert!(names.contains(&"198.18.0.5 s".to_owned()), "{names:?}");
            assert!(names.contains(&"2001:db8::2 b".to_owned()), "{names:?}");
        }
    }

    #[test]
    fn a_host_feels_the_rate_of_its_port_in_full_frames() {
        let hosts = layouts(TWO_WAYS);
        let shaping = hosts[0].spec.interfaces[0].shaping.unwrap();
        // 1514 of the 1538 bytes a frame of 1500 costs on Ethernet.
        assert_eq!(shaping.rate.as_bps(), 984_395_318);
        assert_eq!(shaping.limit.as_bytes(), 100 * 1514);
        assert_eq!(shaping.burst.as_bytes(), 984_395_318 / 1600);
        let written = TWO_WAYS.replacen("txqueuelen = 100", "", 1).replacen(
            "framing = \"gbe\"",
            "framing = \"gbe\"\nqueue = \"64 KiB\"",
            1,
        );
        let shaping = layouts(&written)[0].spec.interfaces[0].shaping.unwrap();
        assert_eq!(shaping.limit.as_bytes(), 65_536);
        let slow = TWO_WAYS.replacen("framing = \"gbe\"", "rate = \"1 Mbit/s\"", 1);
        let shaping = layouts(&slow)[0].spec.interfaces[0].shaping.unwrap();
        assert_eq!(shaping.burst.as_bytes(), 2 * 1514);
        let fast = TWO_WAYS.replacen("framing = \"gbe\"", "rate = \"100 Gbit/s\"", 1);
        assert_eq!(layouts(&fast)[0].spec.interfaces[0].shaping, None);
        let risen =
            format!("{TWO_WAYS}\n[[event]]\nat = \"1 s\"\nlink = \"a-r\"\nrate = \"2 Gbit/s\"\n");
        let shaping = layouts(&risen)[0].spec.interfaces[0].shaping.unwrap();
        assert_eq!(shaping.rate.as_bps(), 984_395_318, "until then");
    }

    #[test]
    fn a_host_feels_what_events_make_of_its_port() {
        let event = |at: u64, change: &str| {
            format!("\n[[event]]\nat = \"{at} s\"\nlink = \"a-r\"\n{change}\n")
        };
        let text = [
            TWO_WAYS,
            &event(2, "queue = \"64 KiB\""),
            &event(1, "rate = \"2 Gbit/s\""),
            &event(3, "delay = \"9 ms\""),
            &event(4, "rate = \"100 Gbit/s\""),
        ];
        let scenario = parsed(&text.concat());
        let changed = changed_buckets(&scenario).unwrap();
        let own: Vec<_> = changed.iter().filter(|(_, b)| b.host == 0).collect();
        let seconds: Vec<f64> = own.iter().map(|(at, _)| at.as_secs_f64()).collect();
        assert_eq!(seconds, [1.0, 2.0, 4.0]);
        let [faster, shorter, fastest] = [0, 1, 2].map(|n| own[n].1.shaping);
        assert_eq!(faster.unwrap().rate.as_bps(), 2 * 984_395_318 + 1);
        assert_eq!(faster.unwrap().limit.as_bytes(), 100 * 1514);
        assert_eq!(shorter.unwrap().rate, faster.unwrap().rate);
        assert_eq!(shorter.unwrap().limit.as_bytes(), 65_536);
        assert_eq!(fastest, None, "faster than a bucket is of use");
        assert_eq!(changed_buckets(&parsed(TWO_WAYS)).unwrap(), []);
    }

    /// 64 KiB that wait when the rate falls, and 5 ms of it when it falls again.
    #[test]
    fn what_waits_when_a_rate_falls_fits_its_bucket() {
        let falls = |at: u64, rate: &str| {
            format!("\n[[event]]\nat = \"{at} s\"\nlink = \"a-r\"\nrate = \"{rate}\"\n")
        };
        let text = [
            TWO_WAYS,
            &falls(1, "20 Mbit/s"),
            &falls(2, "2 Mbit/s"),
            &falls(3, "1 Gbit/s"),
            &falls(4, "2 Mbit/s"),
        ];
        let changed = changed_buckets(&parsed(&text.concat())).unwrap();
        let own = changed.iter().filter(|(_, b)| b.host == 0);
        let bursts: Vec<u64> = own
            .map(|(_, b)| b.shaping.unwrap().burst.as_bytes())
            .collect();
        assert_eq!(bursts, [65_549, 65_549, 984_395_318 / 1600, 65_549]);
    }

    #[test]
    fn a_queue_of_few_packets_is_one_of_bytes_and_said() {
        let notes = |queue: &str| {
            let written = format!("framing = \"gbe\"\nqueue = \"{queue}\"");
            let text = TWO_WAYS.replacen("txqueuelen = 100", "", 1).replacen(
                "framing = \"gbe\"",
                &written,
                1,
            );
            let all = layouts(&text)[0].notes.clone();
            all.into_iter()
                .filter(|n| n.contains("full frames"))
                .count()
        };
        assert_eq!(
            [notes("10 packets"), notes("64 KiB"), notes("100 packets")],
            [1, 0, 0]
        );
        let host = &layouts(&TWO_WAYS.replacen("txqueuelen = 100", "txqueuelen = 10", 1))[0];
        let said =
            |n: &&String| n.contains("the queue of 10 packets on eth0 is one of 15140 B here");
        assert_eq!(host.notes.iter().filter(said).count(), 1);
    }

    #[test]
    fn an_mtu_beyond_a_tap_is_cut_and_said() {
        let text = TWO_WAYS.replace("mtu = 9000", "mtu = 65535");
        let host = &layouts(&text)[0];
        assert_eq!(host.spec.interfaces[1].mtu, 65_521);
        assert!(
            host.notes
                .iter()
                .any(|n| n.contains("the MTU of eth1 is 65521"))
        );
    }

    #[test]
    fn every_shipped_scenario_has_hosts() {
        for shipped in farpath_scenario::shipped() {
            let source = farpath_scenario::load(&shipped.name).unwrap();
            let Ok(scenario) = parse(&source, &[]) else {
                continue;
            };
            for host in layout(&scenario, &machine()).unwrap() {
                assert!(
                    !host.spec.interfaces.is_empty(),
                    "{}: {}",
                    shipped.name,
                    host.spec.name
                );
                assert_eq!(host.spec.interfaces.len(), host.ports.len());
            }
        }
    }
}
