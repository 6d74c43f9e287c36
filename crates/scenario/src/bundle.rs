//! Bundles of parallel links: who may be in one, and which member a flow or an LSP takes.

use core::ops::Range;

use farpath_element::Unit;
use farpath_units::{Key, Stream};

use crate::decode::{At, Fields};
use crate::diagnostic::Diagnostic;
use crate::model::{Bundle, Ccc, Change, Direction, Event, LinkId, Scenario};
use crate::names::Names;
use crate::sections::Tables;

impl Bundle {
    /// The member that `traffic` takes, a key of what never changes about it. Other bundles choose
    /// independently, other traffic has no influence, and every member is as likely.
    pub fn member(&self, traffic: Key) -> LinkId {
        // 2⁶⁴ is not a multiple of 3: the first members are likelier by 10⁻¹⁸.
        let index = self.draws(traffic).bits(0) % self.links.len() as u64;
        self.links[index as usize]
    }

    /// What `traffic` draws its members from, in the order of preference.
    pub(crate) fn draws(&self, traffic: Key) -> Stream {
        traffic.with(&self.name).with_number(self.seed).stream()
    }

    /// Whether its routers choose while the network runs: frame by frame, or because a member may go
    /// down. Else a flow's member is known when the network is built.
    pub(crate) fn chooses(&self, scenario: &Scenario) -> bool {
        let falls = |link: &LinkId| {
            let by_event = |e: &Event| e.link == *link && matches!(e.change, Change::Up(_));
            let flaps = |d: &Direction| d.impairments.flap.is_some_and(|f| !f.holds);
            let link = &scenario.links[link.0];
            link.directions.iter().any(flaps) || scenario.events.iter().any(by_event)
        };
        self.unit == Unit::Packet || self.links.iter().any(falls)
    }
}

impl Scenario {
    /// The bundle a link is a member of.
    pub fn bundle_of(&self, link: LinkId) -> Option<&Bundle> {
        self.bundles.iter().find(|b| b.links.contains(&link))
    }
}

/// What an LSP is known by to the hash: its labels, as a router sees them, stand for its name.
pub(crate) fn key_of_lsp(name: &str) -> Key {
    Key::new(0).with("lsp").with(name)
}

/// A bundle; its members join the same two nodes, carry the same datagrams, and are in no other.
pub(crate) fn bundle(
    f: &Fields,
    names: &Names,
    scenario: &Scenario,
    faults: &mut Vec<Diagnostic>,
) -> Option<Bundle> {
    let name: String = f.get("name")?;
    let written: Vec<At<String>> = f.get("links")?;
    let links: Vec<Option<LinkId>> = written.iter().map(|n| names.link(n, faults)).collect();
    let links: Vec<LinkId> = links.into_iter().collect::<Option<_>>()?;
    let before = faults.len();
    for (n, member) in written.iter().enumerate().skip(1) {
        let first = written[0].get_ref();
        let d = match links[..n].iter().position(|l| *l == links[n]) {
            Some(twice) => again(&name, member, written[twice].span()),
            None => match unlike(scenario, links[0], links[n]) {
                None => continue,
                Some((why, help)) => {
                    let title = format!("links `{first}` and `{}` {why}", member.get_ref());
                    Diagnostic::new(member.span(), title).help(help)
                }
            },
        };
        faults.push(d.label(format!("in bundle `{name}`")));
    }
    let packet = f.get::<String>("spread").as_deref() == Some("packet");
    let ends = scenario.links[links[0].0].ends;
    if let Some(host) = ends.iter().find(|n| packet && !scenario.is_router(**n)) {
        let name = scenario.node_name(*host);
        let title = format!("`{name}` is a host, which keeps each flow on one link");
        let help = "remove `spread`, or put a router in front of the members";
        faults.push(Diagnostic::new(f.place("spread"), title).help(help));
    }
    (faults.len() == before).then(|| Bundle {
        unit: if packet { Unit::Packet } else { Unit::Flow },
        detection: f.get("detection").unwrap_or_default(),
        name,
        links,
        seed: f.get::<i64>("seed").map_or(0, i64::unsigned_abs),
    })
}

fn again(bundle: &str, member: &At<String>, first: Range<usize>) -> Diagnostic {
    let title = format!("bundle `{bundle}` names link `{}` twice", member.get_ref());
    Diagnostic::new(member.span(), title)
        .see(first, "the first time")
        .help("name each member once")
}

/// Why two links cannot be members of one bundle, and what to do.
fn unlike(scenario: &Scenario, a: LinkId, b: LinkId) -> Option<(String, String)> {
    let (one, other) = (&scenario.links[a.0], &scenario.links[b.0]);
    let [from, to] = one.ends;
    if !(other.ends.contains(&from) && other.ends.contains(&to)) {
        let pair = |ends: [crate::model::NodeId; 2]| {
            let [a, b] = ends.map(|n| scenario.node_name(n));
            format!("`{a}` and `{b}`")
        };
        let why = format!(
            "do not join the same two nodes: {} here, {} there",
            pair(one.ends),
            pair(other.ends)
        );
        let help = "a bundle has parallel links only; the router chooses among others by delay";
        return Some((why, help.to_owned()));
    }
    let mtus = [from, to].map(|n| (one.direction_from(n).mtu, other.direction_from(n).mtu));
    let (here, there) = *mtus.iter().find(|(here, there)| here != there)?;
    let why = format!("have different MTUs: {here} and {there}");
    let help = format!(
        "give both `mtu = {}`: otherwise the hash would decide which packets fit",
        here.min(there)
    );
    Some((why, help))
}

/// Checks what only all bundles and cross-connects together can show.
pub(crate) fn check(scenario: &Scenario, tables: &Tables, faults: &mut Vec<Diagnostic>) {
    let places = tables.bundles.iter().map(|f| f.place("links"));
    let bundles: Vec<(&Bundle, Range<usize>)> = scenario.bundles.iter().zip(places).collect();
    for (n, (bundle, place)) in bundles.iter().enumerate() {
        for link in &bundle.links {
            let link_name = &scenario.links[link.0].name;
            let first = bundles[..n].iter().find(|(b, _)| b.links.contains(link));
            if let Some((other, first)) = first {
                let title = format!(
                    "link `{link_name}` is in bundles `{}` and `{}`",
                    other.name, bundle.name
                );
                let d = Diagnostic::new(place.clone(), title).see(first.clone(), "the first one");
                faults.push(d.help("a link is a member of one bundle"));
            }
            let owner = scenario
                .cccs
                .iter()
                .find(|c| matches!(c, Ccc::RemoteInterface { interface, .. } if interface == link));
            if let Some(ccc) = owner {
                let title = format!(
                    "link `{link_name}` of bundle `{}` belongs to ccc `{}`",
                    bundle.name,
                    ccc.name()
                );
                let help = "a circuit has one interface: take the link out of the bundle";
                faults.push(Diagnostic::new(place.clone(), title).help(help));
            }
        }
    }
}
