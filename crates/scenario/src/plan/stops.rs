//! The nodes that count a packet down: what a traceroute finds.

use farpath_element::ICMP_ERROR_BYTES;
use farpath_wire::{FlowDir, Frame, Kind};

use crate::model::{NodeId, Scenario};
use crate::plan::{Hop, Plan};

/// A node that a packet is handed to when its TTL has run out, or at the end of its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop {
    /// The node.
    pub node: NodeId,
    /// The label that the packet came with.
    pub label: Option<u32>,
}

/// Where the TTL of a packet runs out before its destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expiry {
    /// The node.
    pub node: NodeId,
    /// The way of the packet to it.
    pub there: Vec<Hop>,
    /// The way of its answer to who sent the packet; none where it does not answer, or none of its routes leads there.
    pub back: Option<Vec<Hop>>,
}

impl Plan {
    /// Where a packet of `dir` with this TTL and so many bytes ends, if its TTL runs out on the way.
    pub fn expiry(
        &self,
        scenario: &Scenario,
        dir: FlowDir,
        (ttl, bytes): (u8, u32),
    ) -> Option<Expiry> {
        let (from, to) = self.flows[usize::from(dir.flow())].ends(dir);
        let walk = |len: u16| {
            let mut packet = Frame::new(Kind::Data, dir, 0, len);
            packet.ttl = ttl;
            self.crossed(scenario, from, packet)
        };
        // Such a small one is too large for no link.
        let (there, node) = walk(28);
        let node = node.filter(|node| *node != to)?;
        let (whole, end) = walk(u16::try_from(bytes).unwrap_or(u16::MAX));
        if whole != there || end != Some(node) {
            return None;
        }
        let error = Frame::new(Kind::TimeExceeded, dir.turned(), 0, ICMP_ERROR_BYTES);
        let (back, home) = self.crossed(scenario, node, error);
        let back = Some(back).filter(|_| scenario.answers(node) && home == Some(from));
        Some(Expiry { node, there, back })
    }

    /// Where packets of `dir` with a TTL of 1, 2 … `longest` end, in that order, up to the destination; none where one is
    /// dropped unseen. Whether the node would answer is another matter.
    pub fn stops(&self, dir: FlowDir, longest: u8) -> Vec<Option<Stop>> {
        let (from, to) = self.flows[usize::from(dir.flow())].ends(dir);
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

    /// Two links to `s`, which answers over as many; a TTL of four gets to the end.
    #[test]
    fn a_ttl_runs_out_at_a_router_that_answers() {
        let mut scenario = labelled();
        let plan = Plan::new(&scenario).expect("a plan");
        let there = FlowDir::forward(0);
        let end = plan.expiry(&scenario, there, (2, 84)).expect("it ends");
        assert_eq!(scenario.node_name(end.node), "s");
        assert_eq!(end.there.len(), 2);
        assert_eq!(end.back.map(|hops| hops.len()), Some(2));
        assert_eq!(plan.expiry(&scenario, there, (4, 84)), None);
        // Too large for the first link: that is another reason.
        assert_eq!(plan.expiry(&scenario, there, (2, 9000)), None);
        scenario.routers[1].answers = false;
        let silent = plan.expiry(&scenario, there, (2, 84)).expect("it ends");
        assert_eq!(silent.back, None);
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
