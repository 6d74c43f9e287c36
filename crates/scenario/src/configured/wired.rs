//! Router files alone as a scenario: the wires are those that the files' subnets show, hosts stand behind the interfaces
//! that are left over, and the round trip is stated.

mod cables;
mod ports;
mod switched;

use std::collections::{BTreeMap, BTreeSet};

use farpath_config::Report;
use farpath_config::Source;
use farpath_config::vlan::Tag;
use farpath_units::{Duration, Rate, Size};

use crate::diagnostic::Diagnostics;
use crate::document::Document;
use crate::model::Scenario;
use crate::plan::Plan;
use cables::Cables;
use ports::{End, Node, Port};
use switched::{Wire, Wires};

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
    /// The transmit buffer of each port whose queues share it.
    pub memory: Option<Size>,
}

/// A path that was made of router files.
#[derive(Debug)]
pub struct Wired {
    /// The scenario as text: what `farpath run` would be given beside the files.
    pub text: String,
    /// The same, read.
    pub document: Document,
    /// What that describes.
    pub scenario: Scenario,
    /// The way of its test.
    pub plan: Plan,
}

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
    let nodes = ports::nodes(report);
    if nodes.is_empty() {
        return Err(
            "no file is a router's: give the routers' files, or describe the path in a scenario"
                .to_owned(),
        );
    }
    let one_each: BTreeSet<usize> = nodes.iter().map(|n| n.file).collect();
    if one_each.len() < nodes.len() {
        return Err(
            "a file has several logical systems: write each into a file of its own".to_owned(),
        );
    }
    let files: Vec<&str> = sources.iter().map(|s| s.name.as_str()).collect();
    if let Some(why) = ports::without_port(&nodes, &files) {
        return Err(format!(
            "{why}; describe the path in a scenario, with `config` and each link's `interfaces`"
        ));
    }
    let cables = Cables::of(report, &nodes, &files)?;
    let mut wires = Wires::of(&nodes, &cables)?;
    if let Some(why) = wires.left_out(&nodes, &cables, true) {
        return Err(why);
    }
    let [one, other] = ports::ends(&nodes, &wires.joined, &wires.reasons(), &files)?;
    let ends = [
        wires.host(&nodes, &cables, one)?,
        wires.host(&nodes, &cables, other)?,
    ];
    if let Some(why) = wires.left_out(&nodes, &cables, false) {
        return Err(why);
    }
    let draft = Draft {
        nodes: &nodes,
        sources,
        links: wires.all,
        ends,
        stated,
    };
    // How often a circuit crosses a link is known when it is built: first with 1 us a crossing.
    let (_, scenario, plan) = open(&draft.text(Duration::from_us(1))?, folder)?;
    let there = plan.walk(&scenario, farpath_wire::FlowDir::forward(0));
    let crossings = u64::try_from(there.len()).unwrap_or(1).max(1);
    let delay = Duration::from_ps(stated.rtt.as_ps() / 2 / crossings);
    let text = draft.text(delay)?;
    let (document, scenario, plan) = open(&text, folder)?;
    Ok(Wired {
        text,
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

/// A scenario to be written.
struct Draft<'a> {
    nodes: &'a [Node],
    sources: &'a [Source],
    links: Vec<Wire>,
    ends: [(End, Tag); 2],
    stated: Stated,
}

impl Draft<'_> {
    fn text(&self, delay: Duration) -> Result<String, String> {
        let mut text = "[scenario]\nname = \"path\"\n".to_owned();
        for host in ["client", "server"] {
            text += &format!("\n[[host]]\nname = \"{host}\"\n");
        }
        let names = self.names();
        for (node, name) in self.nodes.iter().zip(&names) {
            let source = &self.sources[node.file].name;
            let file = source.rsplit('/').next().unwrap_or(source);
            let dialect = node.dialect.name();
            // A switch drops what is too large for a port, and sends no message about it.
            let answers = match node.ports.iter().all(|p| p.switch.is_some()) {
                true => "answers = false\n",
                false => "",
            };
            text += &format!(
                "\n[[router]]\nname = \"{name}\"\nconfig = {file:?}\ndialect = \"{dialect}\"\n{answers}"
            );
        }
        for (n, wire) in self.links.iter().enumerate() {
            let (a, b) = &wire.ends;
            let ends = format!("\"{}\", \"{}\"", names[a.0], names[b.0]);
            let ports = format!("{:?}, {:?}", self.port(a).name, self.port(b).name);
            text += &self.link(
                &format!("link-{n}"),
                &ends,
                &ports,
                ([Some(a), Some(b)], wire.tag),
                delay,
            )?;
        }
        for (host, (port, tag)) in ["client", "server"].into_iter().zip(&self.ends) {
            let ends = format!("\"{host}\", \"{}\"", names[port.0]);
            let ports = format!("\"eth0\", {:?}", self.port(port).name);
            text += &self.link(host, &ends, &ports, ([None, Some(port)], *tag), delay)?;
        }
        text += &format!(
            "\n[[test]]\nname = \"{TEST}\"\nkind = \"tcp\"\nfrom = \"client\"\nto = \"server\"\nwindow = \"{WINDOW}\"\nduration = \"60 s\"\n"
        );
        Ok(text)
    }

    /// A link; `at` are its router ports, in the order of its ends, and the tag of what it carries.
    fn link(
        &self,
        name: &str,
        ends: &str,
        ports: &str,
        (at, tag): ([Option<&End>; 2], Tag),
        delay: Duration,
    ) -> Result<String, String> {
        let known = at.iter().flatten().filter_map(|p| self.port(p).rate).min();
        let first = at.iter().flatten().next().expect("a link has a router");
        let Some(rate) = known.or(self.stated.rate) else {
            return Err(format!(
                "the files do not say how fast {} is: add `speed` to it, or --rate",
                self.named(first)
            ));
        };
        let framing = self.port(first).framing;
        let mut text = format!(
            "\n[[link]]\nname = \"{name}\"\nends = [{ends}]\ninterfaces = [{ports}]\nframing = \"{framing}\"\nrate = \"{} bit/s\"\ndelay = \"{} ps\"\n",
            rate.as_bps(),
            delay.as_ps().max(1)
        );
        if let Tag::Id(id) = tag {
            text += &format!("vlan = {id}\n");
        }
        for (way, end) in ["forward", "reverse"].into_iter().zip(at) {
            let Some(end) = end.filter(|e| self.port(e).divides) else {
                continue;
            };
            let Some(memory) = self.stated.memory else {
                return Err(format!(
                    "{} divides its transmit buffer among queues, and no configuration says how much it is: add --memory, such as --memory 512kB",
                    self.named(end)
                ));
            };
            let bytes = memory.as_bytes();
            text += &format!("[link.{way}]\nmemory = \"{bytes} B\"\n");
        }
        Ok(text)
    }

    fn port(&self, end: &End) -> &Port {
        &self.nodes[end.0].ports[end.1]
    }

    fn named(&self, end: &End) -> String {
        format!("{} of {}", self.port(end).name, self.nodes[end.0].name)
    }

    /// Names that a scenario may have, each once.
    fn names(&self) -> Vec<String> {
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        let name = |node: &Node| {
            let kept = |c: char| {
                if c.is_ascii_alphanumeric() || c == '-' {
                    c
                } else {
                    '_'
                }
            };
            let name: String = node.name.chars().map(kept).collect();
            let again = seen.entry(name.clone()).or_default();
            *again += 1;
            let taken = *again > 1 || ["client", "server", ""].contains(&name.as_str());
            if taken {
                format!("{name}_{again}")
            } else {
                name
            }
        };
        self.nodes.iter().map(name).collect()
    }
}
