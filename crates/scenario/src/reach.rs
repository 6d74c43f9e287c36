//! Whether traffic can get where it is sent: stitched paths that end, tests that are connected,
//! MTUs that are large enough.

use std::collections::BTreeMap;

use farpath_units::{Duration, Time};

use crate::bundle;
use crate::decode::Fields;
use crate::diagnostic::Diagnostic;
use crate::model::{Ccc, LinkId, Loss, NodeId, Protocol, Scenario, Test};
use crate::mpls::parts;
use crate::plan::Plan;
use crate::sections::{Tables, name_of};

/// Bytes of one label stack entry (RFC 3032 §2.1).
const LABEL: u32 = 4;
/// Least MTU of an IPv6 link (RFC 8200 §5).
const IPV6_LEAST_MTU: u32 = 1280;

/// Latest end of a test: later than that something could still be under way when the clock ends.
const LATEST_END: Time = Time::from_ps(100 * 86_400 * 1_000_000_000_000);

/// Checks what only the whole scenario can show.
pub(crate) fn check(scenario: &Scenario, tables: &Tables, faults: &mut Vec<Diagnostic>) {
    used_once(scenario, tables, faults);
    bundle::check(scenario, tables, faults);
    if !faults.is_empty() {
        return;
    }
    let exits = circuits(scenario, tables, faults);
    if !faults.is_empty() {
        return;
    }
    circuit_mtus(scenario, tables, faults);
    let graph = Graph::new(scenario, &exits);
    for (test, f) in scenario.tests.iter().zip(&tables.tests) {
        connected(scenario, &graph, test, f, faults);
        packet_fits(scenario, test, f, faults);
        window_fits(scenario, test, f, faults);
        ends(scenario, test, f, faults);
    }
    lost_segments(scenario, tables, faults);
}

/// A loss by order names a stream the test has, and a segment its transfer has.
fn lost_segments(scenario: &Scenario, tables: &Tables, faults: &mut Vec<Diagnostic>) {
    let Ok(plan) = Plan::new(scenario) else {
        return; // reported when it is built
    };
    for (link, f) in scenario.links.iter().zip(&tables.links) {
        for loss in link.directions.iter().flat_map(|d| &d.losses) {
            let Loss::Scripted {
                test,
                stream,
                segment,
            } = loss
            else {
                continue;
            };
            let Some(number) = scenario.tests.iter().position(|t| t.name == *test) else {
                continue;
            };
            let kind = &scenario.tests[number].kind;
            let streams = kind.tcp().map_or(1, |tcp| tcp.parallel);
            if *stream >= streams {
                let title = format!("test `{test}` has no stream {stream} to lose a segment of");
                let help = format!("its streams are 0 to {}", streams - 1);
                faults.push(Diagnostic::new(f.place("lose"), title).help(help));
                continue;
            }
            let flow = plan.flows.iter().position(|p| p.test == number);
            let bytes = kind.bulk().and_then(|tcp| tcp.bytes);
            let (Some(bytes), Some(flow)) = (bytes, flow) else {
                continue;
            };
            let segments = bytes.as_bytes().div_ceil(plan.mss(scenario, flow).into());
            if *segment > segments {
                let title =
                    format!("segment {segment} of test `{test}` is lost, which sends {segments}");
                let help = "name a segment of the transfer, or raise its `bytes`";
                faults.push(Diagnostic::new(f.place("lose"), title).help(help));
            }
        }
    }
}

/// Whether a test ends while the clock of the run still counts; a transfer at the rate of the
/// fastest link, since it cannot be faster.
fn ends(scenario: &Scenario, test: &Test, f: &Fields, faults: &mut Vec<Diagnostic>) {
    let directions = scenario.links.iter().flat_map(|l| &l.directions);
    let fastest = directions.map(|d| d.rate).max();
    // Flows are all drawn, whoever comes after the end as well.
    let draws = test.kind.flows().is_some();
    let work = test.kind.work(0);
    let (key, long) = match work.filter(|_| draws || test.duration.is_none()) {
        Some(work) => {
            let sending = fastest.map_or(Duration::ZERO, |r| r.time_for(work.bytes));
            (work.key, sending + work.pauses)
        }
        None => (
            "duration",
            test.omit + test.duration.unwrap_or(Duration::ZERO),
        ),
    };
    let whole = test.duration.map(|d| test.omit + d);
    if test.starts() > 1 && whole.is_some_and(|whole| test.start_spread >= whole) {
        let title = format!(
            "connections of test `{}` would start after its end",
            test.name
        );
        let help = "make it shorter than `omit` and `duration` together";
        faults.push(Diagnostic::new(f.place("start_spread"), title).help(help));
    }
    if test.start + test.start_spread + long > LATEST_END {
        let title = format!("test `{}` takes more than 100 days", test.name);
        let help = "the clock of a run ends after 213 days: fewer or shorter will do";
        faults.push(Diagnostic::new(f.place(key), title).help(help));
    }
}

/// An LSP is entered at one place and left at one; an interface is joined once.
fn used_once(scenario: &Scenario, tables: &Tables, faults: &mut Vec<Diagnostic>) {
    let mut taken: BTreeMap<(&str, usize), &Fields> = BTreeMap::new();
    for (ccc, f) in scenario.cccs.iter().zip(&tables.cccs) {
        let (_, transmit, receive) = parts(ccc);
        let mut uses = vec![("transmit_lsp", transmit), ("receive_lsp", receive)];
        if let Ccc::RemoteInterface { interface, .. } = ccc {
            uses.push(("interface", interface.0));
        }
        for (key, number) in uses {
            if let Some(other) = taken.insert((key, number), f) {
                let wanted: String = f.get(key).unwrap_or_default();
                let title = format!(
                    "`{wanted}` is the {} of two cross-connects",
                    key.replace('_', " ")
                );
                faults.push(
                    Diagnostic::new(f.place(key), title)
                        .label(format!("ccc `{}`", name_of(f)))
                        .see(other.place(key), format!("ccc `{}`", name_of(other)))
                        .help(
                            "each end of an LSP, and each interface, belongs to one cross-connect",
                        ),
                );
            }
        }
    }
}

/// For each cross-connect with an interface: the one where its frames come out.
fn circuits(
    scenario: &Scenario,
    tables: &Tables,
    faults: &mut Vec<Diagnostic>,
) -> Vec<Option<usize>> {
    let by_receive: BTreeMap<usize, usize> = scenario
        .cccs
        .iter()
        .enumerate()
        .map(|(i, c)| (parts(c).2, i))
        .collect();
    let mut reached = vec![false; scenario.cccs.len()];
    let mut exits = vec![None; scenario.cccs.len()];
    for (i, ccc) in scenario.cccs.iter().enumerate() {
        if matches!(ccc, Ccc::LspSwitch { .. }) {
            continue;
        }
        let mut at = i;
        // A chain that begins at an interface cannot bite its own tail: LSPs are received once.
        exits[i] = loop {
            let (_, transmit, _) = parts(&scenario.cccs[at]);
            let Some(next) = by_receive.get(&transmit).copied() else {
                nowhere(scenario, tables, at, transmit, faults);
                break None;
            };
            reached[next] = true;
            if matches!(scenario.cccs[next], Ccc::RemoteInterface { .. }) {
                break Some(next);
            }
            at = next;
        };
    }
    for i in 0..scenario.cccs.len() {
        if reached[i] || matches!(scenario.cccs[i], Ccc::RemoteInterface { .. }) {
            continue;
        }
        let mut chain = vec![i];
        let mut at = i;
        while let Some(next) = by_receive.get(&parts(&scenario.cccs[at]).1).copied() {
            if next == i || chain.contains(&next) {
                route_loop(scenario, tables, &chain, faults);
                break;
            }
            chain.push(next);
            at = next;
        }
        chain.iter().for_each(|c| reached[*c] = true);
    }
    exits
}

/// Where a cross-connect says what it transmits on; those of a configuration file come after the
/// scenario's own and have no place in its text.
fn transmit_place(tables: &Tables, ccc: usize) -> core::ops::Range<usize> {
    let written = tables.cccs.get(ccc);
    written.map_or(0..0, |f| f.place("transmit_lsp"))
}

fn nowhere(
    scenario: &Scenario,
    tables: &Tables,
    ccc: usize,
    lsp: usize,
    faults: &mut Vec<Diagnostic>,
) {
    let Some(l) = scenario.lsps.get(lsp) else {
        return;
    };
    let end = l.path.last().map_or("", |n| scenario.node_name(*n));
    faults.push(
        Diagnostic::new(
            transmit_place(tables, ccc),
            format!("LSP `{}` leads nowhere", l.name),
        )
        .label(format!("frames leave on it and are dropped at `{end}`"))
        .help(format!(
            "add a [[ccc]] on router `{end}` with receive_lsp = \"{}\"",
            l.name
        )),
    );
}

fn route_loop(scenario: &Scenario, tables: &Tables, chain: &[usize], faults: &mut Vec<Diagnostic>) {
    let lsp = |c: &usize| {
        scenario
            .lsps
            .get(parts(&scenario.cccs[*c]).1)
            .map_or("", |l| l.name.as_str())
    };
    let mut names: Vec<&str> = chain.iter().take(8).map(lsp).collect();
    if chain.len() > 8 {
        names.push("...");
    }
    let first = chain.first().map_or("", lsp);
    faults.push(
        Diagnostic::new(transmit_place(tables, chain[0]), "route loop: stitched LSPs run in a circle")
            .label(format!("{} > {first}", names.join(" > ")))
            .help("let the chain begin and end at a cross-connect with kind = \"remote-interface-switch\""),
    );
}

/// Largest datagram that `node` puts on `link`.
fn datagram(scenario: &Scenario, node: NodeId, link: LinkId) -> u32 {
    let mtu = scenario.links[link.0].direction_from(node).mtu;
    scenario
        .hosts
        .get(node.0)
        .and_then(|h| h.mtu)
        .map_or(mtu, |own| own.min(mtu))
}

/// What the customer may send must fit every link of the circuit, with its header and a label.
fn circuit_mtus(scenario: &Scenario, tables: &Tables, faults: &mut Vec<Diagnostic>) {
    for (ccc, f) in scenario.cccs.iter().zip(&tables.cccs) {
        let Ccc::RemoteInterface {
            router,
            interface,
            vlan,
            transmit,
            ..
        } = ccc
        else {
            continue;
        };
        let customer = scenario.links[interface.0].other(*router);
        let header = if vlan.is_some() { 18 } else { 14 };
        let needs = datagram(scenario, customer, *interface) + header + LABEL;
        let mut lsp = *transmit;
        for _ in 0..=scenario.cccs.len() {
            for (link, way) in &scenario.lsps[lsp].hops {
                let l = &scenario.links[link.0];
                let mtu = l.direction(*way).mtu;
                if mtu >= needs {
                    continue;
                }
                faults.push(
                    Diagnostic::new(
                        tables.links[link.0].place("mtu"),
                        format!(
                            "MTU too small: link `{}` carries {} bytes, ccc `{}` needs {needs}",
                            l.name,
                            mtu,
                            name_of(f)
                        ),
                    )
                    .see(
                        f.place("interface"),
                        format!(
                            "{} bytes of datagram, {header} of Ethernet header, {LABEL} of label",
                            needs - header - LABEL
                        ),
                    )
                    .help(format!("write mtu = {needs} or more on link `{}`", l.name)),
                );
                return;
            }
            let next = scenario.cccs.iter().find(|c| parts(c).2 == lsp);
            match next {
                Some(Ccc::LspSwitch { transmit, .. }) => lsp = *transmit,
                _ => break,
            }
        }
    }
}

/// Who hears whom, interfaces of cross-connects being wires to the far end.
struct Graph {
    edges: Vec<Vec<usize>>,
}

impl Graph {
    fn new(scenario: &Scenario, exits: &[Option<usize>]) -> Graph {
        let mut edges = vec![Vec::new(); scenario.hosts.len() + scenario.routers.len()];
        let mut crossed = vec![false; scenario.links.len()];
        for (i, ccc) in scenario.cccs.iter().enumerate() {
            let Ccc::RemoteInterface {
                router, interface, ..
            } = ccc
            else {
                continue;
            };
            crossed[interface.0] = true;
            if let Some(Some(Ccc::RemoteInterface {
                router: far,
                interface: out,
                ..
            })) = exits.get(i).map(|e| e.and_then(|e| scenario.cccs.get(e)))
            {
                let from = scenario.links[interface.0].other(*router);
                edges[from.0].push(scenario.links[out.0].other(*far).0);
            }
        }
        for (link, _) in scenario
            .links
            .iter()
            .zip(&crossed)
            .filter(|(_, crossed)| !**crossed)
        {
            let [a, b] = link.ends;
            edges[a.0].push(b.0);
            edges[b.0].push(a.0);
        }
        Graph { edges }
    }

    /// Whether a host passes traffic on makes no difference: only routers do.
    fn reaches(&self, from: NodeId, to: NodeId, hosts: usize) -> bool {
        let mut seen = vec![false; self.edges.len()];
        let mut open = vec![from.0];
        while let Some(node) = open.pop() {
            if node == to.0 {
                return true;
            }
            if std::mem::replace(&mut seen[node], true) || (node < hosts && node != from.0) {
                continue;
            }
            open.extend(self.edges[node].iter().filter(|n| !seen[**n]));
        }
        false
    }
}

fn connected(
    scenario: &Scenario,
    graph: &Graph,
    test: &Test,
    f: &Fields,
    faults: &mut Vec<Diagnostic>,
) {
    let (from, to) = (scenario.node_name(test.from), scenario.node_name(test.to));
    let hosts = scenario.hosts.len();
    let (there, back) = (
        graph.reaches(test.from, test.to, hosts),
        graph.reaches(test.to, test.from, hosts),
    );
    let (a, b) = match (there, back) {
        (true, true) => return,
        (false, _) => (from, to),
        (true, false) => (to, from),
    };
    let crossed = scenario.cccs.iter().any(|c| match c {
        Ccc::RemoteInterface { interface, .. } => {
            let ends = scenario.links[interface.0].ends;
            ends.contains(&test.from) || ends.contains(&test.to)
        }
        Ccc::LspSwitch { .. } => false,
    });
    let remedy = if crossed {
        "a host behind a cross-connect reaches only the host at its far end"
    } else {
        "join them with [[link]] tables; only routers pass traffic on"
    };
    let place = if there { "from" } else { "to" };
    faults.push(
        Diagnostic::new(
            f.place(place),
            format!("test `{}` has no path from `{a}` to `{b}`", test.name),
        )
        .help(remedy),
    );
}

/// Single packets must fit what their sender may put on its link, since nothing is fragmented.
fn packet_fits(scenario: &Scenario, test: &Test, f: &Fields, faults: &mut Vec<Diagnostic>) {
    let sender_links = scenario
        .links
        .iter()
        .enumerate()
        .filter(|(_, l)| l.ends.contains(&test.from));
    let chosen = sender_links.filter(|(i, _)| test.via.is_none_or(|v| v.0 == *i));
    let Some(largest) = chosen
        .map(|(i, _)| datagram(scenario, test.from, LinkId(i)))
        .max()
    else {
        return;
    };
    if test.ip == 6 && largest < IPV6_LEAST_MTU {
        let title = format!(
            "MTU too small: IPv6 needs {IPV6_LEAST_MTU} bytes (RFC 8200 §5), `{}` has {largest}",
            scenario.node_name(test.from)
        );
        faults.push(Diagnostic::new(f.place("ip"), title).help("raise the MTU, or write ip = 4"));
    }
    let least = u32::from(test.header_bytes());
    let Some(size) = test.kind.datagram_bytes(least) else {
        return;
    };
    let name = &test.name;
    if size < least {
        let title =
            format!("`size` of test `{name}` has no room for the headers: {size} of {least} bytes");
        faults.push(
            Diagnostic::new(f.place("size"), title).help(format!("write size = {least} or more")),
        );
    }
    if size > largest {
        let whole = match test.kind.protocol() {
            Protocol::Icmp => "requests",
            _ => "datagrams",
        };
        let title = format!(
            "MTU too small: test `{name}` sends {whole} of {size} bytes, `{}` at most {largest}",
            scenario.node_name(test.from)
        );
        let headers = size - test.kind.datagram_bytes(0).unwrap_or(size);
        let most = largest - headers;
        faults.push(
            Diagnostic::new(f.place("size"), title)
                .help(format!("write size = {most} or less, or raise the MTU")),
        );
    }
}

/// A window holds a segment at least: what both ends' largest datagrams leave for payload.
fn window_fits(scenario: &Scenario, test: &Test, f: &Fields, faults: &mut Vec<Diagnostic>) {
    let Some(window) = test.kind.bulk().and_then(|tcp| tcp.window) else {
        return;
    };
    let largest = |node: NodeId| {
        let links = scenario.links.iter().enumerate();
        links
            .filter(|(i, l)| {
                l.ends.contains(&node) && test.via.is_none_or(|v| v.0 == *i || node != test.from)
            })
            .map(|(i, _)| datagram(scenario, node, LinkId(i)))
            .min()
    };
    let (Some(one), Some(other)) = (largest(test.from), largest(test.to)) else {
        return;
    };
    let segment = u64::from(one.min(other).saturating_sub(test.header_bytes().into()));
    if window.as_bytes() < segment {
        let title = format!(
            "`window` of test `{}` is smaller than a segment: {} of {segment} bytes",
            test.name,
            window.as_bytes()
        );
        let help = format!(
            "write window = \"{segment} B\" or more: less is never full, and most stacks would not send"
        );
        faults.push(Diagnostic::new(f.place("window"), title).help(help));
    }
}
