//! What the HTML report shows besides the records: the drawing and the text.

use std::collections::BTreeMap;

use crate::{Experiment, spread};
use farpath_record::page::{
    Hop, Link, Node, NodeKind, ReportData, SCHEMA, ScenarioText, TestPath, Topology,
};
use farpath_record::{Keys, RunDocument, Sequence};
use farpath_scenario::plan::Plan;
use farpath_scenario::{NodeId, Scenario};
use farpath_wire::FlowDir;

impl Experiment {
    /// The page of a run; `command` repeats it.
    pub fn page(
        &self,
        document: &RunDocument,
        mut sequence: Vec<Sequence>,
        command: String,
    ) -> ReportData {
        let loaded = &self.loaded;
        let scenario = &loaded.scenario;
        let (topology, paths) = drawing(self);
        let notes = crate::sequence::thin(&mut sequence);
        ReportData {
            schema: SCHEMA.to_owned(),
            document: document.clone(),
            scenario: ScenarioText {
                name: scenario.name.clone(),
                source: scenario.source.clone(),
                summary: scenario.summary.clone(),
                text: Some(loaded.document.resolved_text().to_owned()),
            },
            command: Some(command),
            topology: Some(topology),
            paths,
            sequence,
            captures: Vec::new(),
            keys: Keys::of(document).names().to_vec(),
            said: farpath_record::record_notes(document, farpath_observe::metric::label),
            notes,
            laws: crate::laws::laws(self),
            comparison: None,
            runs: Vec::new(),
        }
    }
}

/// The network as it is at the points of the sweep, and every way that a test takes at one of them.
fn drawing(experiment: &Experiment) -> (Topology, Vec<TestPath>) {
    let (mut scenarios, mut ways): (Vec<&Scenario>, Vec<TestPath>) = Default::default();
    for (scenario, plan) in experiment.planned() {
        scenarios.push(scenario);
        for way in paths(scenario, plan) {
            if !ways.contains(&way) {
                ways.push(way);
            }
        }
    }
    if scenarios.is_empty() {
        // Searches alone have no points.
        let scenario = &experiment.loaded.scenario;
        let plan = Plan::new(scenario);
        ways = plan.map(|p| paths(scenario, &p)).unwrap_or_default();
        scenarios.push(scenario);
    }
    (topology(&scenarios), ways)
}

/// The network of the first scenario, each link with what it is in all of them.
fn topology(scenarios: &[&Scenario]) -> Topology {
    let first = scenarios[0];
    let nodes = (0..first.node_count()).map(|n| Node {
        name: first.node_name(NodeId(n)).to_owned(),
        kind: if first.is_router(NodeId(n)) {
            NodeKind::Router
        } else {
            NodeKind::Host
        },
    });
    let links = first.links.iter().enumerate().map(|(n, l)| Link {
        name: l.name.clone(),
        ends: l.ends.map(|n| first.node_name(n).to_owned()),
        label: link_label(scenarios.iter().map(|s| &s.links[n])),
    });
    Topology {
        nodes: nodes.collect(),
        links: links.collect(),
    }
}

/// What a link is in all of the scenarios: `STM-64 · 9.585 Gbit/s · 10 ms to 200 ms`.
fn link_label<'a>(links: impl Iterator<Item = &'a farpath_scenario::Link> + Clone) -> String {
    let both = |a: String, b: String| if a == b { a } else { format!("{a} / {b}") };
    let way = |n: usize| links.clone().map(move |l| &l.directions[n]);
    let rate = |n| spread(way(n).map(|d| d.rate));
    let delay = |n| spread(way(n).map(|d| d.delay));
    let mut signals: Vec<String> = Vec::new();
    for signal in links.clone().filter_map(|l| l.signal.as_deref()) {
        let name = signal_name(signal);
        if !signals.contains(&name) {
            signals.push(name);
        }
    }
    let signals = (!signals.is_empty()).then(|| signals.join(", "));
    let line = [both(rate(0), rate(1)), both(delay(0), delay(1))];
    let parts: Vec<String> = signals.into_iter().chain(line).collect();
    parts.join(" · ")
}

/// A signal as it is written: `STM-64`, `OC-12c`, `10GbE`, `10GBASE-R`.
fn signal_name(signal: &str) -> String {
    for (prefix, written) in [("stm", "STM-"), ("sts", "STS-"), ("oc", "OC-")] {
        if let Some(level) = signal.strip_prefix(prefix) {
            return format!("{written}{level}");
        }
    }
    match signal.strip_suffix("gbe") {
        Some("") => "GbE".to_owned(),
        Some(rate) => format!("{rate}GbE"),
        None => signal.to_uppercase(),
    }
}

/// The way of each test, there and back: that of its first stream, which bundles may part from others'.
fn paths(scenario: &Scenario, plan: &Plan) -> Vec<TestPath> {
    let mut paths = Vec::new();
    for (number, test) in scenario.tests.iter().enumerate() {
        let Some(flow) = plan.flows.iter().position(|f| f.test == number) else {
            continue;
        };
        let dir = FlowDir::forward(flow as u16);
        // A test with data flowing back is drawn the way it is written: from the starter.
        let reversed = plan.flows[flow].source != test.from;
        let (there, back) = if reversed {
            (dir.turned(), dir)
        } else {
            (dir, dir.turned())
        };
        paths.push(TestPath {
            test: test.name.clone(),
            from: scenario.node_name(test.from).to_owned(),
            to: scenario.node_name(test.to).to_owned(),
            forward: hops(scenario, plan, there),
            reverse: hops(scenario, plan, back),
        });
    }
    paths
}

fn hops(scenario: &Scenario, plan: &Plan, dir: FlowDir) -> Vec<Hop> {
    let mut passes: BTreeMap<usize, u32> = BTreeMap::new();
    let mut before: Option<usize> = None;
    let mut found = Vec::new();
    for hop in plan.walk(scenario, dir) {
        let port = &plan.ports[hop.port];
        let pass = passes.entry(port.link.0).or_default();
        *pass += 1;
        found.push(Hop {
            link: scenario.links[port.link.0].name.clone(),
            from: scenario.node_name(port.from).to_owned(),
            to: scenario.node_name(port.to).to_owned(),
            lsp: hop.lsp.map(|l| scenario.lsps[l].name.clone()),
            via: cross_connect(scenario, before, hop.lsp),
            pass: *pass,
        });
        before = hop.lsp;
    }
    found
}

/// The cross-connect that joins what a frame arrived in to what it leaves in.
fn cross_connect(
    scenario: &Scenario,
    arrived: Option<usize>,
    leaves: Option<usize>,
) -> Option<String> {
    if arrived == leaves {
        return None;
    }
    let joins = |c: &&farpath_scenario::Ccc| match (arrived, leaves) {
        (Some(a), Some(l)) => c.receive() == a && c.transmit() == l,
        (None, Some(l)) => c.transmit() == l,
        (Some(a), None) => c.receive() == a,
        (None, None) => false,
    };
    scenario
        .cccs
        .iter()
        .find(joins)
        .map(|c| c.name().to_owned())
}
