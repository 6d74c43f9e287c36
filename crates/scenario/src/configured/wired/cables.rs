//! Which port is at the other end of which cable, as far as the files say: by listings of neighbours, else by the
//! descriptions of ports.

use std::collections::{BTreeMap, BTreeSet};

use farpath_config::Report;
use farpath_config::neighbors::{self, Neighbor, is_device, port_name};

use super::super::interface::plain;
use super::ports::{End, Node};

/// A place for a cable: its node and the port's name without unit, in the form of [`port_name`].
pub(super) type Plug = (usize, String);

/// The cables that are known.
#[derive(Debug, Default)]
pub(super) struct Cables {
    far: BTreeMap<Plug, Plug>,
    /// Ports at whose other end a listing has a device that no file is of.
    away: BTreeSet<Plug>,
    /// Descriptions that name a device, and not which port of it.
    vague: Vec<String>,
}

/// What one end says of the other.
struct Claim {
    plug: Plug,
    to: usize,
    port: Option<String>,
}

impl Cables {
    /// The cables between `nodes`.
    ///
    /// # Errors
    /// Says which statements contradict each other, or of which device a listing is not known to be.
    pub(super) fn of(report: &Report, nodes: &[Node], files: &[&str]) -> Result<Cables, String> {
        let mut cables = Cables::default();
        let mut listed = Vec::new();
        for neighbor in &report.neighbors {
            cables.listed(neighbor, nodes, files, &mut listed)?;
        }
        cables.join(&listed, nodes)?;
        let said = described(nodes);
        let open = |c: &Claim| !cables.far.contains_key(&c.plug) && !cables.away.contains(&c.plug);
        let said: Vec<Claim> = said.into_iter().filter(open).collect();
        cables.join(&said, nodes)?;
        Ok(cables)
    }

    /// What is at the other end of this port's cable.
    pub(super) fn at(&self, nodes: &[Node], end: End) -> Option<&Plug> {
        self.far.get(&plug(nodes, end))
    }

    /// Whether any file says where this port's cable leads.
    pub(super) fn is_known(&self, nodes: &[Node], end: End) -> bool {
        let plug = plug(nodes, end);
        self.far.contains_key(&plug) || self.away.contains(&plug)
    }

    /// Descriptions that did not suffice, for a message.
    pub(super) fn vague(&self) -> String {
        self.vague.iter().map(|v| format!("; {v}")).collect()
    }

    fn listed(
        &mut self,
        neighbor: &Neighbor,
        nodes: &[Node],
        files: &[&str],
        claims: &mut Vec<Claim>,
    ) -> Result<(), String> {
        let file = files[neighbor.place.file];
        let is_asked = |n: &Node| neighbor.is_of(&n.name, file);
        let Some(asked) = nodes.iter().position(is_asked) else {
            return match &neighbor.asked {
                Some(_) => Ok(()),
                None => Err(format!(
                    "{file} does not say which device was asked: keep the line with its prompt, such as `sw1#show cdp neighbors detail`"
                )),
            };
        };
        let plug = (asked, port_name(&neighbor.port));
        match nodes
            .iter()
            .position(|n| is_device(&neighbor.device, &n.name))
        {
            None => {
                self.away.insert(plug);
            }
            Some(to) => {
                let port = port_name(&neighbor.far_port);
                let port = nodes[to]
                    .ports
                    .iter()
                    .any(|p| p.cable == port)
                    .then_some(port);
                claims.push(Claim { plug, to, port });
            }
        }
        Ok(())
    }

    /// Joins what the claims name: those of ports first, then those of devices alone, where each end has one port for the other.
    fn join(&mut self, claims: &[Claim], nodes: &[Node]) -> Result<(), String> {
        for claim in claims {
            if let Some(port) = &claim.port {
                self.plug_in(&claim.plug, &(claim.to, port.clone()), nodes)?;
            }
        }
        let open = |c: &&Claim, far: &BTreeMap<Plug, Plug>| !far.contains_key(&c.plug);
        for claim in claims.iter().filter(|c| c.port.is_none()) {
            if self.far.contains_key(&claim.plug) {
                continue;
            }
            let between = |from: usize, to: usize| -> BTreeSet<&Plug> {
                let all = claims.iter().filter(|c| c.plug.0 == from && c.to == to);
                all.filter(|c| open(c, &self.far))
                    .map(|c| &c.plug)
                    .collect()
            };
            let (there, back) = (
                between(claim.plug.0, claim.to),
                between(claim.to, claim.plug.0),
            );
            let ports = nodes[claim.to]
                .ports
                .iter()
                .map(|p| (claim.to, p.cable.clone()));
            let only: BTreeSet<Plug> = ports.filter(|p| !self.far.contains_key(p)).collect();
            let far = match (there.len(), back.len(), only.len()) {
                (1, 1, _) => back.first().map(|p| (*p).clone()),
                (1, 0, 1) => only.first().cloned(),
                _ => None,
            };
            match far {
                Some(far) => self.plug_in(&claim.plug, &far, nodes)?,
                None => self.vague.push(format!(
                    "what is said of {} names {}, and not which port of it",
                    shown(&claim.plug, nodes),
                    nodes[claim.to].name
                )),
            }
        }
        Ok(())
    }

    fn plug_in(&mut self, one: &Plug, other: &Plug, nodes: &[Node]) -> Result<(), String> {
        for (near, far) in [(one, other), (other, one)] {
            match self.far.insert(near.clone(), far.clone()) {
                Some(before) if before != *far => {
                    return Err(format!(
                        "{} is said to lead to {} and to {}: mend the description, or give newer listings of neighbours",
                        shown(near, nodes),
                        shown(&before, nodes),
                        shown(far, nodes)
                    ));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// What the descriptions of ports name: another node, and a port of it if they say which.
fn described(nodes: &[Node]) -> Vec<Claim> {
    let mut claims: Vec<Claim> = Vec::new();
    let names: Vec<&str> = nodes.iter().map(|n| n.name.as_str()).collect();
    let ports_of = |n: usize| nodes[n].ports.iter().map(|p| p.cable.as_str()).collect();
    for (n, node) in nodes.iter().enumerate() {
        for port in &node.ports {
            let text = port.description.as_deref();
            let said = text.and_then(|text| neighbors::described(text, n, &names, ports_of));
            claims.extend(said.map(|(to, at)| Claim {
                plug: (n, port.cable.clone()),
                to,
                port: at,
            }));
        }
    }
    claims
}

fn plug(nodes: &[Node], (node, port): End) -> Plug {
    (node, nodes[node].ports[port].cable.clone())
}

/// `3/1 of sw`.
fn shown(plug: &Plug, nodes: &[Node]) -> String {
    let node = &nodes[plug.0];
    let port = node.ports.iter().find(|p| p.cable == plug.1);
    let port = port.map_or(plug.1.as_str(), |p| plain(&p.name));
    format!("{port} of {}", node.name)
}
