//! Ways from a router's port to another's: a wire whose ends have one tag, or wires through switches that carry the VLAN.

use std::collections::{BTreeMap, BTreeSet};

use farpath_config::qos::Switchport;
use farpath_config::vlan::{Tag, on_port, within};

use super::cables::Cables;
use super::ports::{End, Node, Port, links};

/// A wire, and the tag of the frames on it.
#[derive(Clone, Debug)]
pub(super) struct Wire {
    pub ends: (End, End),
    pub tag: Tag,
}

/// All wires of the files.
#[derive(Debug, Default)]
pub(super) struct Wires {
    pub all: Vec<Wire>,
    /// Routers' ports that lead to another router.
    pub joined: BTreeSet<End>,
    /// Why ports in one subnet are not joined.
    pub apart: Vec<String>,
    /// The VLAN in which a switch is crossed.
    vlans: BTreeMap<usize, u16>,
}

/// The wires between two routers' ports, and the VLAN in each switch between.
type Way = (Vec<Wire>, Vec<(usize, u16)>);

impl Wires {
    /// The wires between the ports that subnets join.
    ///
    /// # Errors
    /// Says where a switch would be crossed in several VLANs.
    pub(super) fn of(nodes: &[Node], cables: &Cables) -> Result<Wires, String> {
        let mut wires = Wires::default();
        let mut taken = BTreeSet::new();
        for (a, b) in links(nodes) {
            let switched = |end| {
                let far = cables.at(nodes, end);
                far.is_some_and(|(n, cable)| nodes[*n].switch_port(cable).is_some())
            };
            let (near, far) = match switched(a) {
                true => (a, b),
                false => (b, a),
            };
            let way = match switched(near) {
                true => walk(nodes, cables, near, far),
                false => direct(nodes, a, b),
            };
            let (way, vlans) = match way {
                Ok(way) => way,
                Err(why) => {
                    wires.apart.push(why);
                    continue;
                }
            };
            wires.joined.extend([a, b]);
            // Several VLANs over the same switches are one path.
            let plug = |end: End| (end.0, port(nodes, end).cable.as_str());
            let plugs = way.iter().map(|w| (plug(w.ends.0), plug(w.ends.1)));
            let same: Vec<_> = plugs.collect();
            if !vlans.is_empty() && !taken.insert(same) {
                continue;
            }
            wires.cross(nodes, &vlans)?;
            for wire in way {
                if wires.all.iter().all(|w| w.ends != wire.ends) {
                    wires.all.push(wire);
                }
            }
        }
        Ok(wires)
    }

    fn cross(&mut self, nodes: &[Node], vlans: &[(usize, u16)]) -> Result<(), String> {
        for (node, vlan) in vlans {
            if !is_switch(nodes, *node) {
                return Err(format!(
                    "{} routes at some ports and switches at others that the path crosses: describe the path in a scenario",
                    nodes[*node].name
                ));
            }
            let before = *self.vlans.entry(*node).or_insert(*vlan);
            if before != *vlan {
                return Err(format!(
                    "the path crosses {} in VLANs {before} and {vlan}, and a switch of a joined path is crossed in one: describe the path in a scenario",
                    nodes[*node].name
                ));
            }
        }
        Ok(())
    }

    /// Where a host stands that is behind this router's port, and the tag of its frames: at the port, or at the one port of
    /// the switch the cable leads to that may be a host's.
    pub(super) fn host(
        &mut self,
        nodes: &[Node],
        cables: &Cables,
        end: End,
    ) -> Result<(End, Tag), String> {
        let port = &nodes[end.0].ports[end.1];
        let entry = |(n, cable): &&(usize, String)| nodes[*n].switch_port(cable).is_some();
        let Some((node, cable)) = cables.at(nodes, end).filter(entry) else {
            return Ok((end, port.tag));
        };
        let switch = &nodes[*node];
        let entry = switch.switch_port(cable);
        let vlan = entry.and_then(|p| within(switch.ports[p].switch.as_ref()?, port.tag));
        let (Some(entry), Some(vlan)) = (entry, vlan) else {
            let why = match port.any_tag {
                true => "all of whose frames have tags; no path is built of a circuit that carries a whole port with tags: describe it in a scenario, or give the circuit one VLAN (`vlan-ccc`)".to_owned(),
                false => format!(
                    "which takes no frames with {}: write one VLAN on both",
                    port.tag
                ),
            };
            return Err(format!(
                "{} is at {cable} of {}, {why}",
                named(nodes, end),
                switch.name
            ));
        };
        let free = |p: &usize| *p != entry && !cables.is_known(nodes, (*node, *p));
        let out = |p: usize| Some((p, on_port(switch.ports[p].switch.as_ref()?, vlan)?));
        let free = (0..switch.ports.len()).filter(free).filter_map(out);
        let free: Vec<(usize, Tag)> = free.collect();
        let [(exit, tag)] = free[..] else {
            return Err(format!(
                "{} is at {cable} of {}, of whose ports {} without a known neighbour carry VLAN {vlan}, so that the host's is not known: shut down those without a cable, or leave the switch's file out",
                named(nodes, end),
                switch.name,
                free.len()
            ));
        };
        self.cross(nodes, &[(*node, vlan)])?;
        let ends = (end, (*node, entry));
        if self.all.iter().all(|w| w.ends != ends) {
            let tag = port.tag;
            self.all.push(Wire { ends, tag });
        }
        Ok(((*node, exit), tag))
    }

    /// A switch that no wire leads to, as a sentence that says what to give; where `any` cable of it suffices, one of which
    /// no cable is known.
    pub(super) fn left_out(&self, nodes: &[Node], cables: &Cables, any: bool) -> Option<String> {
        let on_path = |n: usize| self.all.iter().any(|w| w.ends.0.0 == n || w.ends.1.0 == n);
        let known = |n: usize| (0..nodes[n].ports.len()).any(|p| cables.is_known(nodes, (n, p)));
        let is_lost = |n: &usize| !(on_path(*n) || any && known(*n));
        let lost = (0..nodes.len()).find(|n| is_switch(nodes, *n) && is_lost(n))?;
        Some(format!(
            "no file says which ports of {} lead to the routers{}{}: give what `show cdp neighbors detail` or `show lldp neighbors detail` says on it, as one more file, or write the router and its port into the description of each port",
            nodes[lost].name,
            cables.vague(),
            self.reasons()
        ))
    }

    /// Why ports in one subnet are not joined, to go on a sentence with.
    pub(super) fn reasons(&self) -> String {
        self.apart.iter().map(|why| format!("; {why}")).collect()
    }
}

/// Whether a node has nothing but ports of a switch.
fn is_switch(nodes: &[Node], node: usize) -> bool {
    let ports = &nodes[node].ports;
    !ports.is_empty() && ports.iter().all(|p| p.switch.is_some())
}

fn direct(nodes: &[Node], a: End, b: End) -> Result<Way, String> {
    let (one, other) = (port(nodes, a).tag, port(nodes, b).tag);
    if one != other {
        return Err(format!(
            "{} has {one} and {} {other}, so that they are not the ends of one wire",
            named(nodes, a),
            named(nodes, b)
        ));
    }
    let wire = Wire {
        ends: (a, b),
        tag: one,
    };
    Ok((vec![wire], Vec::new()))
}

/// A way on which something was sent: the port it leaves by, its tag, the wires before and the VLANs of the switches.
type Sent = (End, Tag, Vec<Wire>, Vec<(usize, u16)>);

fn walk(nodes: &[Node], cables: &Cables, from: End, to: End) -> Result<Way, String> {
    let mut open: Vec<Sent> = vec![(from, port(nodes, from).tag, Vec::new(), Vec::new())];
    let mut seen = BTreeSet::new();
    let mut why = None;
    while let Some((end, tag, way, vlans)) = open.pop() {
        let Some((node, cable)) = cables.at(nodes, end) else {
            continue;
        };
        let wire = |far: End| {
            let ends = (end, far);
            way.iter().cloned().chain([Wire { ends, tag }]).collect()
        };
        let goal = port(nodes, to);
        if (*node, cable) == (to.0, &goal.cable) {
            if tag == goal.tag {
                return Ok((wire(to), vlans));
            }
            why = Some(format!(
                "{} sends frames with {tag}, and {} takes those with {}",
                named(nodes, end),
                named(nodes, to),
                goal.tag
            ));
            continue;
        }
        let Some(entry) = nodes[*node].switch_port(cable) else {
            continue;
        };
        let into = (*node, entry);
        match entered(nodes, end, into, tag) {
            Err(refused) => why = Some(refused),
            Ok(_) if !seen.insert(*node) => {}
            Ok(vlan) => {
                let vlans: Vec<_> = vlans.into_iter().chain([(*node, vlan)]).collect();
                for exit in (0..nodes[*node].ports.len()).filter(|p| *p != entry) {
                    let out = (*node, exit);
                    let switch = nodes[*node].ports[exit].switch.as_ref();
                    let leads = cables.at(nodes, out).is_some();
                    match switch.and_then(|s| on_port(s, vlan)) {
                        Some(tag) if leads => {
                            open.push((out, tag, wire(into), vlans.clone()));
                        }
                        None if leads => {
                            let no = format!("{} does not carry VLAN {vlan}", named(nodes, out));
                            why.get_or_insert(no);
                        }
                        _ => {}
                    }
                }
            }
        }
    }
    let vague = cables.vague();
    Err(why.unwrap_or_else(|| {
        format!(
            "no file says which wires lead from {} to {}{vague}",
            named(nodes, from),
            named(nodes, to)
        )
    }))
}

/// The VLAN in which a switch takes frames that were sent with this tag.
fn entered(nodes: &[Node], end: End, into: End, tag: Tag) -> Result<u16, String> {
    let (sends, takes) = (&port(nodes, end).switch, &port(nodes, into).switch);
    let mode = |p: &farpath_config::qos::Interface| p.switchport.as_ref().map(|s| s.value);
    if let (Some(a), Some(b)) = (sends, takes) {
        let (a, b) = (mode(a), mode(b));
        let open = |m| m != Some(Switchport::Access) && m != Some(Switchport::Trunk);
        let access = Some(Switchport::Access);
        if (open(a) && b != access) || (open(b) && a != access) {
            return Err(format!(
                "what {} and {} negotiate is in no file: state that both are trunks, or both access ports",
                named(nodes, end),
                named(nodes, into)
            ));
        }
    }
    let vlan = takes.as_ref().filter(|_| tag != Tag::Other);
    let vlan = vlan.and_then(|p| within(p, tag));
    vlan.ok_or_else(|| format!("{} takes no frames with {tag}", named(nodes, into)))
}

fn port(nodes: &[Node], end: End) -> &Port {
    &nodes[end.0].ports[end.1]
}

/// `3/1 of sw`.
fn named(nodes: &[Node], end: End) -> String {
    format!("{} of {}", port(nodes, end).name, nodes[end.0].name)
}
