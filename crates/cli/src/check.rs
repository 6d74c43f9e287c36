//! `farpath check`: read a scenario, build it, and show the way its tests take.

use std::collections::BTreeMap;

use farpath_config::render;
use farpath_element::qdisc::Limit;
use farpath_experiment::{Faults, Loaded, open, spread};
use farpath_record::{Expect, Keys, Point, count_of, points_words, unstated_at};
use farpath_scenario::plan::{self, Plan};
use farpath_scenario::{
    NodeId, Periodic, QueueLimit, Scenario, Set, Test, TestKind, Way, managers, round_shares,
    tiny_queues,
};
use farpath_units::{Duration, Size};
use farpath_wire::FlowDir;

use crate::args::CheckArgs;
use crate::exit::{Exit, Failure, has_colours, note, print};
use crate::run::sets;

/// Hosts of a scenario without tests between which the ways are shown.
const HOSTS_MOST: usize = 5;

/// Most points of a sweep that are tried.
const POINTS_MOST: usize = 1000;

/// What is in a scenario, counted.
fn contents(scenario: &Scenario) -> String {
    let counts = [
        (scenario.hosts.len(), "host", "hosts"),
        (scenario.routers.len(), "router", "routers"),
        (scenario.links.len(), "link", "links"),
        (scenario.lsps.len(), "LSP", "LSPs"),
        (scenario.cccs.len(), "cross-connect", "cross-connects"),
        (scenario.tests.len(), "test", "tests"),
        (scenario.expects.len(), "expectation", "expectations"),
    ];
    let counts = counts.map(|(count, one, many)| count_of(count as u64, one, many));
    counts.join(", ")
}

pub(crate) fn check(args: &CheckArgs) -> Result<Exit, Failure> {
    let sets = sets(&args.sets)?;
    let mut loaded = open(&args.scenario, &sets)?;
    for file in &args.expects {
        loaded.expect(file)?.iter().for_each(|doubt| note(doubt));
    }
    let scenario = &loaded.scenario;
    let plan = planned(&loaded)?;
    let all_stated = can_be_judged(scenario)?;
    let mut points = points(&args.scenario, &sets, scenario)?;
    let swept = scenario.points().into_iter().map(|p| p.at);
    let names: Vec<Point> = swept.take(points.len().max(1)).collect();
    if points.is_empty() {
        points.push((scenario.clone(), plan.clone()));
    }
    let idle = scenario.tests.is_empty() && scenario.searches.is_empty();
    let verdict = match (idle, all_stated) {
        (true, _) => "ok for `farpath lab up`; it has no test for `farpath run`",
        (false, true) => "ok",
        (false, false) => "it can be run, and does not state all that --expect asks for",
    };
    let mut shown = format!(
        "{}: {verdict}\n  {}\n",
        loaded.source.name,
        contents(scenario)
    );
    for (number, test) in scenario.tests.iter().enumerate() {
        let name = format!("{} ({}): ", test.name, test.kind.subject().name());
        for taken in ways(&points, number) {
            shown.push_str(&taken.show(&name, &names));
        }
    }
    if scenario.tests.is_empty() {
        shown.push_str(&between_hosts(scenario));
    }
    for bundle in &scenario.bundles {
        shown.push_str(&on_members(scenario, &plan, bundle));
    }
    shown.push_str(&queues(&points));
    shown.push_str(&tiny(&points, &names));
    shown.push_str(&managed(&points));
    shown.push_str(&rounds(&points));
    let colour = has_colours(&std::io::stdout());
    let doubts = loaded.document.doubts();
    if doubts.total > 0 {
        shown.push_str("\nwhat may be meant otherwise\n\n");
        shown.push_str(&doubts.render_warnings(colour));
    }
    let without = loaded.document.without_effect(scenario);
    if without.total > 0 {
        shown.push_str("\nwhat makes no difference to a run, or lets nothing through\n\n");
        shown.push_str(&without.render_warnings(colour));
    }
    if let Some(configuration) = &scenario.configuration {
        let report = configuration.judged(scenario, &plan);
        shown.push_str("\nthe routers' configurations\n\n");
        shown.push_str(&render::text(&report, &configuration.sources, colour));
    }
    print(&shown)?;
    Ok(match all_stated {
        true => Exit::Ok,
        false => Exit::Usage,
    })
}

/// What queues hold that are written in `bdp`, over the points of a sweep; nothing of those that no test crosses.
fn queues(points: &[(Scenario, Plan)]) -> String {
    let mut found: BTreeMap<(usize, String), Vec<Size>> = BTreeMap::new();
    for (scenario, plan) in points {
        for (number, port) in plan.ports.iter().enumerate() {
            let link = &scenario.links[port.link.0];
            let queue = link.direction(port.way).queue;
            let QueueLimit::Bdp(times) = queue else {
                continue;
            };
            let limit = Scenario::queue_limit(queue, port.rate, plan.longest_rtt(number));
            if let Limit::Bytes(bytes @ 1..) = limit {
                let way = scenario.direction_name(port.link, port.way);
                let name = format!("{}, {way}: {times}bdp", link.name);
                let all = found.entry((number, name)).or_default();
                all.push(Size::from_bytes(bytes));
            }
        }
    }
    let line = |((_, name), sizes): ((usize, String), Vec<Size>)| {
        format!("  {name} = {}\n", spread(sizes))
    };
    let lines: String = found.into_iter().map(line).collect();
    match lines.is_empty() {
        true => lines,
        false => format!("\nwhat queues hold\n\n{lines}"),
    }
}

/// Queues in front of a TCP test's line that hold less than two full frames, in the words of its forecast: those of the first point that
/// has one, where they differ.
fn tiny(points: &[(Scenario, Plan)], names: &[Point]) -> String {
    let mut found: BTreeMap<usize, Vec<(usize, String)>> = BTreeMap::new();
    for (number, (scenario, plan)) in points.iter().enumerate() {
        for (test, said) in tiny_queues(scenario, plan) {
            found.entry(test).or_default().push((number, said));
        }
    }
    let all: Vec<&Point> = names.iter().collect();
    let line = |(test, said): (usize, Vec<(usize, String)>)| {
        let (number, first) = said.first()?;
        let name = &points[*number].0.tests.get(test)?.name;
        let at: Vec<&Point> = said.iter().filter_map(|(n, _)| names.get(*n)).collect();
        let at = match points_words(&at, &all, &Keys::default()) {
            words if words.is_empty() => words,
            words => format!(", at {words}"),
        };
        let of = match said.iter().all(|(_, words)| words == first) {
            true => "",
            false => "; at the first point",
        };
        Some(format!("  {name}{at}{of}: {first}\n"))
    };
    let lines: String = found.into_iter().filter_map(line).collect();
    match lines.is_empty() {
        true => lines,
        false => format!("\nwhat forecasts say of queues of less than two full frames\n\n{lines}"),
    }
}

/// What manages queues, with every value that holds.
fn managed(points: &[(Scenario, Plan)]) -> String {
    let all = points.iter().flat_map(|(scenario, _)| managers(scenario));
    each_once("what manages queues", all)
}

/// Where round robin gives classes other shares than their weights.
fn rounds(points: &[(Scenario, Plan)]) -> String {
    let all = points.iter().flat_map(|(s, plan)| round_shares(s, plan));
    each_once("what round robin gives classes", all)
}

/// Lines under a heading, each once of all points of a sweep; nothing without a line.
fn each_once(heading: &str, lines: impl Iterator<Item = String>) -> String {
    let mut all: Vec<String> = Vec::new();
    for line in lines {
        if !all.contains(&line) {
            all.push(line);
        }
    }
    let lines: String = all.iter().map(|line| format!("  {line}\n")).collect();
    match all.is_empty() {
        true => lines,
        false => format!("\n{heading}\n\n{lines}"),
    }
}

/// Says what answers files of expectations demand that a scenario does not give, and refuses one that lacks what they judge.
/// Whether all is stated.
fn can_be_judged(scenario: &Scenario) -> Result<bool, Failure> {
    let points: Vec<Point> = scenario.points().into_iter().map(|p| p.at).collect();
    let unstated = unstated_at(&scenario.expects, &points);
    for why in &unstated {
        note(&format!("not stated: {why}"));
    }
    let lacks = |e: &Expect| {
        let (place, why) = (e.place.as_ref()?, e.lacking.as_ref()?);
        Some(format!("{place} judges {}: {why}", e.written()))
    };
    let lacking: Vec<String> = scenario.expects.iter().filter_map(lacks).collect();
    match lacking.is_empty() {
        true => Ok(unstated.is_empty()),
        false => Err(Failure::usage(lacking.join("\n"))),
    }
}

/// A way there and back, with what differs where several points of a sweep take it.
struct Taken {
    ends: String,
    links: String,
    propagation: Vec<Duration>,
    /// What does not fit, each with the numbers of the points at which it does not.
    mtu: Vec<(String, Vec<usize>)>,
    /// The numbers of the points that take it.
    points: Vec<usize>,
}

impl Taken {
    /// The way of a flow at the point of this number.
    fn of(
        (scenario, plan): (&Scenario, &Plan),
        flow: usize,
        mtu: Vec<String>,
        point: usize,
    ) -> Taken {
        let dir = FlowDir::forward(flow as u16);
        let (there, back) = (plan.walk(scenario, dir), plan.walk(scenario, dir.turned()));
        let [source, sink] = [plan.flows[flow].source, plan.flows[flow].sink];
        let words = [dir, dir.turned()].map(|dir| describe(scenario, plan, dir));
        Taken {
            ends: format!(
                "{} to {}",
                scenario.node_name(source),
                scenario.node_name(sink)
            ),
            links: format!("    there  {}\n    back   {}\n", words[0], words[1]),
            propagation: vec![
                plan.propagation(scenario, &there) + plan.propagation(scenario, &back),
            ],
            mtu: mtu.into_iter().map(|step| (step, vec![point])).collect(),
            points: vec![point],
        }
    }

    /// The same way, at another point as well.
    fn and(&mut self, other: Taken) {
        self.propagation.extend(other.propagation);
        self.points.extend(other.points);
        for (step, points) in other.mtu {
            match self.mtu.iter_mut().find(|(known, _)| *known == step) {
                Some((_, all)) if all.ends_with(&points) => {}
                Some((_, all)) => all.extend(points),
                None => self.mtu.push((step, points)),
            }
        }
    }

    /// `names` are those of all points; what holds at some of those that take this way names them.
    fn show(&self, name: &str, names: &[Point]) -> String {
        let (ends, rtt) = (&self.ends, spread(&self.propagation));
        let of = |numbers: &[usize]| -> Vec<&Point> {
            let named = numbers.iter().filter_map(|n| names.get(*n));
            named.collect()
        };
        let mtu = self.mtu.iter().map(|(step, at)| {
            let at = points_words(&of(at), &of(&self.points), &Keys::default());
            match at.is_empty() {
                true => format!("    MTU {step}\n"),
                false => format!("    MTU {step}, at {at}\n"),
            }
        });
        format!(
            "\n  {name}{ends}, {rtt} of propagation there and back\n{}{}",
            self.links,
            mtu.collect::<String>()
        )
    }
}

/// The ways of a test, each once.
fn ways(points: &[(Scenario, Plan)], test: usize) -> Vec<Taken> {
    let mut found: Vec<Taken> = Vec::new();
    for (number, (scenario, plan)) in points.iter().enumerate() {
        let Some(flow) = plan.flows.iter().position(|f| f.test == test) else {
            continue;
        };
        let (len, mut steps) = plan.steps_of(scenario, flow);
        // What a ping asks with comes back as large.
        let asks = matches!(scenario.tests[test].kind, TestKind::Ping(_));
        if asks && steps.is_empty() {
            let back = FlowDir::forward(flow as u16).turned();
            steps = plan.mtu_steps(scenario, back, len);
        }
        let steps = steps
            .iter()
            .map(|step| match scenario.tests[test].kind.tcp().is_some() {
                true => format!("   {}", step.describe(scenario, len)),
                false => format!("   {}", step.describe_lost(scenario, len)),
            });
        let one = Taken::of((scenario, plan), flow, steps.collect(), number);
        match found
            .iter_mut()
            .find(|t| (&t.ends, &t.links) == (&one.ends, &one.links))
        {
            Some(same) => same.and(one),
            None => found.push(one),
        }
    }
    found
}

/// What a lab may carry where no test says what a run does: the ways between hosts, and what connections meet on them.
fn between_hosts(scenario: &Scenario) -> String {
    let hosts = scenario.hosts.len().min(HOSTS_MOST);
    let pairs = (0..hosts).flat_map(|a| (a + 1..hosts).map(move |b| [NodeId(a), NodeId(b)]));
    let shown = |ends| {
        let mut with = scenario.clone();
        let ping = Periodic {
            count: 1,
            interval: Duration::ZERO,
            size: 84,
            ttl: 64,
            timeout: Duration::ZERO,
        };
        with.tests = vec![Test::ping("between~", ends, ping)];
        // Two hosts with nothing between them.
        let plan = Plan::new(&with).ok()?;
        let len = plan.mss(&with, 0) + u32::from(plan.flows[0].header_bytes);
        let dir = FlowDir::forward(0);
        let mut mtu = Vec::new();
        for (arrow, dir) in [("→", dir), ("←", dir.turned())] {
            let steps = plan.mtu_steps(&with, dir, len);
            mtu.extend(
                steps
                    .iter()
                    .map(|step| format!("{arrow}  {}", step.describe(&with, len))),
            );
        }
        Some(Taken::of((&with, &plan), 0, mtu, 0).show("", &[]))
    };
    pairs.filter_map(shown).collect()
}

fn planned(loaded: &Loaded) -> Result<Plan, Failure> {
    let name = &loaded.source.name;
    Plan::new(&loaded.scenario).map_err(|e| Failure::usage(format!("{name}: {e}")))
}

/// The scenario at each point of its sweep, as a run would read it; none where nothing is swept.
fn points(name: &str, sets: &[Set], scenario: &Scenario) -> Result<Vec<(Scenario, Plan)>, Failure> {
    let points = scenario.points();
    let (mut read, mut faults) = (Vec::new(), Faults::default());
    let swept = points.iter().map(|p| &p.sets).filter(|s| !s.is_empty());
    for point in swept.take(POINTS_MOST) {
        let all: Vec<Set> = sets.iter().chain(point).cloned().collect();
        if let Some(loaded) = faults.of(open(name, &all)) {
            let plan = planned(&loaded)?;
            read.push((loaded.scenario, plan));
        }
        if faults.enough() {
            break;
        }
    }
    faults.none()?;
    if points.len() > POINTS_MOST {
        let all = points.len();
        crate::exit::note(&format!(
            "of the sweep's {all} points the first {POINTS_MOST} were tried"
        ));
    }
    Ok(read)
}

/// Flows on each member of a bundle, for `farpath check`: there and back along the member's ends.
fn on_members(scenario: &Scenario, plan: &Plan, bundle: &farpath_scenario::Bundle) -> String {
    if bundle.unit == farpath_element::Unit::Packet {
        let names = bundle.links.iter().map(|l| &scenario.links[l.0].name[..]);
        let names = names.collect::<Vec<_>>().join(", ");
        return format!("\n  bundle {}, frames in turn on {names}\n", bundle.name);
    }
    let mut on = BTreeMap::<usize, u32>::new();
    for flow in 0..plan.flows.len() {
        let dir = FlowDir::forward(flow as u16);
        for hop in [dir, dir.turned()]
            .iter()
            .flat_map(|d| plan.walk(scenario, *d))
        {
            *on.entry(hop.port).or_default() += 1;
        }
    }
    let many = |link, way| on.get(&plan::port_of(link, way)).copied().unwrap_or(0);
    let members = bundle.links.iter().map(|&link| {
        let name = &scenario.links[link.0].name;
        let (there, back) = (many(link, Way::Forward), many(link, Way::Reverse));
        format!("    {name}  {there} →  {back} ←\n")
    });
    let members: String = members.collect();
    format!(
        "\n  bundle {}, flows on each member\n{members}",
        bundle.name
    )
}

/// The nodes and links of one way, in order: `near –lan→ edge –ocean→ far`.
fn describe(scenario: &Scenario, plan: &Plan, dir: FlowDir) -> String {
    let walk = plan.walk(scenario, dir);
    let ports = || walk.iter().map(|hop| (&plan.ports[hop.port], hop.lsp));
    let first = ports().next().map(|(port, _)| port.from);
    let mut text = first.map_or_else(String::new, |node| scenario.node_name(node).to_owned());
    for (port, lsp) in ports() {
        let link = &scenario.links[port.link.0].name;
        let lsp = lsp.map_or_else(String::new, |lsp| format!(" ({})", scenario.lsps[lsp].name));
        text += &format!(" –{link}{lsp}→ {}", scenario.node_name(port.to));
    }
    text
}
