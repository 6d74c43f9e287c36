//! The nodes that count a packet down: what a traceroute finds.

use farpath_wire::{FlowDir, Frame, Kind};

use crate::model::NodeId;
use crate::plan::Plan;

/// A node that a packet is handed to when its TTL has run out, or at the end of its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop {
    /// The node.
    pub node: NodeId,
    /// The label that the packet came with.
    pub label: Option<u32>,
}

impl Plan {
    /// Where packets of `dir` with a TTL of 1, 2 … `longest` end, in that order, up to the destination; none where one is
    /// dropped unseen. Whether the node would answer is another matter.
    pub fn stops(&self, dir: FlowDir, longest: u8) -> Vec<Option<Stop>> {
        let flow = &self.flows[usize::from(dir.flow())];
        let (from, to) = match dir.is_reverse() {
            false => (flow.source, flow.sink),
            true => (flow.sink, flow.source),
        };
        let mut stops = Vec::new();
        for ttl in 1..=longest {
            let mut packet = Frame::new(Kind::Data, dir, 0, 28);
            packet.ttl = ttl;
            let mut label = None;
            let node = self.follow(from, packet, |_, packet| {
                label = packet.label.is_some().then(|| packet.label.label());
            });
            stops.push(node.map(|node| Stop { node, label }));
            if node == Some(to) {
                return stops;
            }
        }
        let last = stops.iter().rposition(Option::is_some);
        stops.truncate(last.map_or(0, |last| last + 1));
        stops
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scenario, Source, load, parse};

    /// Hosts `a` and `b`, routers `r`, `s` and `t` in a row between them.
    fn labelled() -> Scenario {
        let mut text = "[scenario]\nname = \"labelled\"\n".to_owned();
        for (kind, name) in [
            ("host", "a"),
            ("host", "b"),
            ("router", "r"),
            ("router", "s"),
            ("router", "t"),
        ] {
            text += &format!("[[{kind}]]\nname = \"{name}\"\n");
        }
        for (a, b) in [("a", "r"), ("r", "s"), ("s", "t"), ("t", "b")] {
            text += &format!(
                "[[link]]\nname = \"{a}{b}\"\nends = [\"{a}\", \"{b}\"]\nrate = \"1 Gbit/s\"\n"
            );
        }
        text += "[[lsp]]\nname = \"l\"\npath = [\"r\", \"s\", \"t\"]\n\
                 [[test]]\nname = \"rtt\"\nkind = \"ping\"\nfrom = \"a\"\nto = \"b\"\n";
        let name = "labelled.toml".to_owned();
        parse(&Source { name, text }, &[]).expect("a scenario")
    }

    /// The stops of a scenario's test there and back, by name and label.
    fn stops(scenario: &Scenario, test: &str, longest: u8) -> [Vec<String>; 2] {
        let plan = Plan::new(scenario).expect("a plan");
        let of = |test: usize| scenario.tests[test].name.clone();
        let flow = plan.flows.iter().position(|f| of(f.test) == test);
        let there = FlowDir::forward(flow.expect("its flow") as u16);
        let word = |stop: &Option<Stop>| match stop {
            None => "*".to_owned(),
            Some(stop) => {
                let label = stop.label.map(|label| format!(" {label}"));
                scenario.node_name(stop.node).to_owned() + &label.unwrap_or_default()
            }
        };
        [there, there.turned()].map(|dir| plan.stops(dir, longest).iter().map(word).collect())
    }

    #[test]
    fn a_label_switched_path_shows_its_labels_on_the_way() {
        let scenario = labelled();
        let [there, back] = stops(&scenario, "rtt", 64);
        assert_eq!(
            there,
            ["r", "s 16", "t", "b"],
            "t is handed the bare datagram"
        );
        assert_eq!(back, ["t", "s", "r", "a"], "no path leads back");
        assert_eq!(stops(&scenario, "rtt", 2)[0], ["r", "s 16"]);
        assert!(stops(&scenario, "rtt", 0)[0].is_empty());
    }

    #[test]
    fn a_circuit_counts_no_ttl_down() {
        let source = load("cern-snaky/five-passes").expect("it is shipped");
        let scenario = parse(&source, &[]).expect("a scenario");
        // Seven links, five of them the trunk.
        let [there, back] = stops(&scenario, "ping-folded", 64);
        assert_eq!(
            (there, back),
            (vec!["w05chi".to_owned()], vec!["w05gva".to_owned()])
        );
    }
}
