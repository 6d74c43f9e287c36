//! Router files alone as a scenario: the wires are those that the files' subnets show, hosts stand behind the interfaces
//! that are left over, and the round trip is stated.

use std::collections::{BTreeMap, BTreeSet};

use farpath_config::Report;
use farpath_config::Source;
use farpath_config::ccc::Network;
use farpath_config::junos::model::{Interface, Joins, Router};
use farpath_units::{Duration, Rate};

use crate::diagnostic::Diagnostics;
use crate::document::Document;
use crate::model::Scenario;
use crate::plan::Plan;

/// The name of the test from end to end.
const TEST: &str = "end-to-end";
/// The window of the test: nearly the largest that TCP knows, so that it does not limit (RFC 7323 §2.3).
const WINDOW: &str = "1 GB";

/// What the files do not say.
#[derive(Clone, Copy, Debug)]
pub struct Stated {
    /// The round trip from end to end, propagation alone.
    pub rtt: Duration,
    /// The rate of interfaces that state none.
    pub rate: Option<Rate>,
}

/// A path that was made of router files.
#[derive(Debug)]
pub struct Wired {
    /// Its text, read.
    pub document: Document,
    /// What that describes.
    pub scenario: Scenario,
    /// The way of its test.
    pub plan: Plan,
}

/// An interface of a router, by its number and its name.
type Port = (usize, String);

/// The one path that the routers of `report` make, which was made of `sources`, in their order and all in `folder`.
///
/// # Errors
/// Why they make none, in a sentence and what to do; or what is wrong with the scenario they make.
pub fn wired(
    report: &Report,
    sources: &[Source],
    folder: &str,
    stated: Stated,
) -> Result<Wired, String> {
    let routers = &report.routers;
    if routers.is_empty() {
        return Err("no file is a Junos router's: of others the links between them are not read; describe the path in a scenario, with `config` for each [[router]]".to_owned());
    }
    let one_each: BTreeSet<usize> = routers.iter().map(|r| r.place.file).collect();
    if one_each.len() < routers.len() {
        return Err(
            "a file has several logical systems: write each into a file of its own".to_owned(),
        );
    }
    let network = Network::new(routers);
    let links = links(&network);
    let ends = ends(routers, &links)?;
    let draft = Draft {
        routers,
        sources,
        links,
        ends,
        stated,
    };
    // How often a circuit crosses a link is known when it is built: first with 1 us a crossing.
    let (_, scenario, plan) = open(&draft.text(Duration::from_us(1))?, folder)?;
    let there = plan.walk(&scenario, farpath_wire::FlowDir::forward(0));
    let crossings = u64::try_from(there.len()).unwrap_or(1).max(1);
    let delay = Duration::from_ps(stated.rtt.as_ps() / 2 / crossings);
    let (document, scenario, plan) = open(&draft.text(delay)?, folder)?;
    Ok(Wired {
        document,
        scenario,
        plan,
    })
}

fn open(text: &str, folder: &str) -> Result<(Document, Scenario, Plan), String> {
    let source = crate::source::Source {
        name: format!("{folder}/path.toml"),
        text: text.to_owned(),
    };
    let said = |d: Diagnostics| {
        let first = d.faults.first();
        let remedies = first.map(|f| f.remedies.join("; ")).unwrap_or_default();
        let title = first.map_or_else(String::new, |f| f.title.clone());
        format!("{title}: {remedies}")
    };
    let document = Document::open(&source, &[]).map_err(said)?;
    let scenario = document.scenario().map_err(said)?;
    let plan = Plan::new(&scenario).map_err(|e| e.to_string())?;
    Ok((document, scenario, plan))
}

/// Every pair of interfaces in one subnet, once.
fn links(network: &Network<'_>) -> Vec<(Port, Port)> {
    let port = |p: &farpath_config::ccc::Port| -> Port { (p.router, plain(&p.interface)) };
    let both = network.hops.iter().map(|h| (port(&h.from), port(&h.to)));
    let once: BTreeSet<(Port, Port)> = both.filter(|(a, b)| a < b).collect();
    once.into_iter().collect()
}

/// The two interfaces behind which the path's ends are: those of circuits, else those that no file joins to another.
fn ends(routers: &[Router], links: &[(Port, Port)]) -> Result<[Port; 2], String> {
    let of_circuit = |(n, r): (usize, &Router)| -> Vec<Port> {
        let on = r.connections.iter().filter(|c| c.off.is_none());
        let port = |c: &farpath_config::junos::model::Connection| match &c.joins {
            Joins::Remote { interface, .. } => interface.as_ref().map(|i| (n, plain(&i.value))),
            _ => None,
        };
        on.filter_map(port).collect()
    };
    let mut found: Vec<Port> = routers.iter().enumerate().flat_map(of_circuit).collect();
    let circuits = !found.is_empty();
    if !circuits {
        let joined: BTreeSet<&Port> = links.iter().flat_map(|(a, b)| [a, b]).collect();
        let open = |(n, r): (usize, &Router)| -> Vec<Port> {
            let free = r.interfaces.iter().filter(|i| {
                let addressed = i.units.iter().any(|u| !u.addresses.is_empty());
                addressed && i.off.is_none() && !is_inside(&i.name)
            });
            free.map(|i| (n, i.name.clone()))
                .filter(|p| !joined.contains(p))
                .collect()
        };
        found = routers.iter().enumerate().flat_map(open).collect();
    }
    <[Port; 2]>::try_from(found).map_err(|found| {
        let named = |(n, i): &Port| format!("{i} of {}", routers[*n].name);
        let all: Vec<String> = found.iter().map(named).collect();
        let kind = if circuits { "circuits end at" } else { "interfaces that no other file's subnet joins are" };
        let what = match all.is_empty() {
            true => "none".to_owned(),
            false => all.join(", "),
        };
        format!("{kind} {what}, and a path has two ends: give the files of one path, or describe it in a scenario with `config` for each [[router]]")
    })
}

/// An interface without its unit.
fn plain(interface: &str) -> String {
    interface
        .split_once('.')
        .map_or(interface, |(port, _)| port)
        .to_owned()
}

/// Loopback and management, which no path leads through (Junos interface naming).
fn is_inside(name: &str) -> bool {
    ["lo", "fxp", "em", "me", "vme", "irb", "vlan"]
        .iter()
        .any(|kind| {
            let rest = name.strip_prefix(kind);
            rest.is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit()))
        })
}

/// A scenario to be written.
struct Draft<'a> {
    routers: &'a [Router],
    sources: &'a [Source],
    links: Vec<(Port, Port)>,
    ends: [Port; 2],
    stated: Stated,
}

impl Draft<'_> {
    fn text(&self, delay: Duration) -> Result<String, String> {
        let mut text = "[scenario]\nname = \"path\"\n".to_owned();
        for host in ["client", "server"] {
            text += &format!("[[host]]\nname = \"{host}\"\n");
        }
        let names = self.names();
        for (router, name) in self.routers.iter().zip(&names) {
            let source = &self.sources[router.place.file].name;
            let file = source.rsplit('/').next().unwrap_or(source);
            text += &format!("[[router]]\nname = \"{name}\"\nconfig = {file:?}\n");
        }
        for (n, (a, b)) in self.links.iter().enumerate() {
            let ends = format!("\"{}\", \"{}\"", names[a.0], names[b.0]);
            let ports = format!("{:?}, {:?}", a.1, b.1);
            text += &self.link(&format!("link-{n}"), &ends, &ports, [a, b], delay)?;
        }
        for (host, port) in ["client", "server"].into_iter().zip(&self.ends) {
            let ends = format!("\"{host}\", \"{}\"", names[port.0]);
            let ports = format!("\"eth0\", {:?}", port.1);
            text += &self.link(host, &ends, &ports, [port, port], delay)?;
        }
        text += &format!(
            "[[test]]\nname = \"{TEST}\"\nkind = \"tcp\"\nfrom = \"client\"\nto = \"server\"\nwindow = \"{WINDOW}\"\nduration = \"60 s\"\n"
        );
        Ok(text)
    }

    fn link(
        &self,
        name: &str,
        ends: &str,
        ports: &str,
        at: [&Port; 2],
        delay: Duration,
    ) -> Result<String, String> {
        let rates = at.map(|p| self.interface(p).and_then(Interface::rate));
        let known = rates.into_iter().flatten().min();
        let Some(rate) = known.or(self.stated.rate) else {
            let (router, port) = at[0];
            return Err(format!(
                "the files do not say how fast {port} of {} is: add `speed` to it, or --rate",
                self.routers[*router].name
            ));
        };
        let sonet = at[0].1.starts_with("so-");
        let framing = if sonet { "pos" } else { "ethernet" };
        Ok(format!(
            "[[link]]\nname = \"{name}\"\nends = [{ends}]\ninterfaces = [{ports}]\nframing = \"{framing}\"\nrate = \"{} bit/s\"\ndelay = \"{} ps\"\n",
            rate.as_bps(),
            delay.as_ps().max(1)
        ))
    }

    fn interface(&self, port: &Port) -> Option<&Interface> {
        self.routers[port.0]
            .interfaces
            .iter()
            .find(|i| i.name == port.1)
    }

    /// Names that a scenario may have, each once.
    fn names(&self) -> Vec<String> {
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        let name = |r: &Router| {
            let kept = |c: char| {
                if c.is_ascii_alphanumeric() || c == '-' {
                    c
                } else {
                    '_'
                }
            };
            let name: String = r.name.chars().map(kept).collect();
            let again = seen.entry(name.clone()).or_default();
            *again += 1;
            let taken = *again > 1 || ["client", "server", ""].contains(&name.as_str());
            if taken {
                format!("{name}_{again}")
            } else {
                name
            }
        };
        self.routers.iter().map(name).collect()
    }
}
