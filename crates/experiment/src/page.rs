//! What the HTML report shows besides the records: the drawing and the text.

use std::collections::BTreeMap;

use crate::Loaded;
use farpath_record::page::{
    Hop, Link, Node, NodeKind, ReportData, SCHEMA, ScenarioText, TestPath, Topology,
};
use farpath_record::{Keys, RunDocument, Sequence};
use farpath_scenario::plan::Plan;
use farpath_scenario::{NodeId, Scenario};
use farpath_wire::FlowDir;

/// The page of a run; `command` repeats it.
pub fn data(
    loaded: &Loaded,
    document: &RunDocument,
    mut sequence: Vec<Sequence>,
    command: String,
) -> ReportData {
    let scenario = &loaded.scenario;
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
        topology: Some(topology(scenario)),
        // The scenario was built before it was run; only a scenario of searches alone was not.
        paths: Plan::new(scenario)
            .map(|p| paths(scenario, &p))
            .unwrap_or_default(),
        sequence,
        captures: Vec::new(),
        keys: Keys::of(document).names().to_vec(),
        said: farpath_record::record_notes(document),
        notes,
        comparison: None,
        runs: Vec::new(),
    }
}

fn topology(scenario: &Scenario) -> Topology {
    let nodes = (0..scenario.node_count()).map(|n| Node {
        name: scenario.node_name(NodeId(n)).to_owned(),
        kind: if scenario.is_router(NodeId(n)) {
            NodeKind::Router
        } else {
            NodeKind::Host
        },
    });
    let links = scenario.links.iter().map(|l| Link {
        name: l.name.clone(),
        ends: l.ends.map(|n| scenario.node_name(n).to_owned()),
        label: link_label(l),
    });
    Topology {
        nodes: nodes.collect(),
        links: links.collect(),
    }
}

fn link_label(link: &farpath_scenario::Link) -> String {
    let [there, back] = &link.directions;
    let both = |a: String, b: String| if a == b { a } else { format!("{a} / {b}") };
    let rate = both(there.rate.to_string(), back.rate.to_string());
    let delay = both(there.delay.to_string(), back.delay.to_string());
    let signal = link.signal.as_deref().map(signal_name);
    signal
        .into_iter()
        .chain([rate, delay])
        .collect::<Vec<_>>()
        .join(" · ")
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
pub fn paths(scenario: &Scenario, plan: &Plan) -> Vec<TestPath> {
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
