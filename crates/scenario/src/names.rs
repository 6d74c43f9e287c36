//! Who is called what: every name of a scenario, and the number it stands for.

use core::ops::Range;
use std::collections::BTreeMap;

use crate::decode::{At, Fields};
use crate::diagnostic::Diagnostic;
use crate::model::{LinkId, NodeId};
use crate::named::{class_names, policer_names};
use crate::sections::Tables;
use crate::sought::results;

/// The names of a scenario. Nodes are numbered hosts first.
pub(crate) struct Names {
    hosts: usize,
    nodes: Register,
    links: Register,
    lsps: Register,
    tests: Register,
    searches: Register,
    /// What each search finds, in file order: the names of its metrics, where they are known.
    search_results: Vec<Option<[String; 2]>>,
    /// The kind of each test, in file order.
    pub(crate) test_kinds: Vec<String>,
    /// The ends of each link, in file order.
    pub(crate) link_ends: Vec<[String; 2]>,
    /// The classes of each link, forward and back, in file order.
    pub(crate) link_classes: Vec<[Vec<String>; 2]>,
    /// The policers of each link, likewise.
    pub(crate) link_policers: Vec<[Vec<String>; 2]>,
}

#[derive(Default)]
struct Register {
    /// One and several, for messages.
    what: (&'static str, &'static str),
    order: Vec<String>,
    numbers: BTreeMap<String, usize>,
}

impl Register {
    fn collect(
        what: (&'static str, &'static str),
        tables: &[&[Fields]],
        faults: &mut Vec<Diagnostic>,
    ) -> Register {
        let mut register = Register {
            what,
            ..Register::default()
        };
        let mut places: BTreeMap<String, Range<usize>> = BTreeMap::new();
        for fields in tables.iter().flat_map(|t| t.iter()) {
            let Some(name) = fields.at::<String>("name") else {
                continue;
            };
            let (span, name) = (name.span(), name.into_inner());
            if let Some(first) = places.get(&name) {
                faults.push(
                    Diagnostic::new(span.clone(), format!("two {} of the name `{name}`", what.1))
                        .label("again")
                        .see(first.clone(), "the first one")
                        .help("give one of them another name"),
                );
            }
            register
                .numbers
                .entry(name.clone())
                .or_insert(register.order.len());
            places.entry(name.clone()).or_insert(span);
            register.order.push(name);
        }
        register
    }

    fn find(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).copied()
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.order.iter().map(String::as_str)
    }

    fn want(&self, name: &At<String>, faults: &mut Vec<Diagnostic>) -> Option<usize> {
        let found = self.find(name.get_ref());
        if found.is_none() {
            let title = format!("there is no {} `{}`", self.what.0, name.get_ref());
            faults.push(Diagnostic::new(name.span(), title).suggest(name.get_ref(), self.names()));
        }
        found
    }
}

impl Names {
    /// Collects all names; two of one name are a fault.
    pub(crate) fn collect(tables: &Tables, faults: &mut Vec<Diagnostic>) -> Names {
        let ends = |f: &Fields| {
            let ends: Vec<At<String>> = f.get("ends").unwrap_or_default();
            let mut ends = ends.into_iter().map(At::into_inner);
            [
                ends.next().unwrap_or_default(),
                ends.next().unwrap_or_default(),
            ]
        };
        let by_direction = |f: &Fields, names: fn(&Fields) -> Option<Vec<String>>| {
            let own = |side: &str| f.get::<Fields>(side).and_then(|s| names(&s));
            let [a, b] = ends(f);
            let of = |side: &str, sender: &str| {
                let host = |h: &Fields| h.get::<String>("name").as_deref() == Some(sender);
                if tables.hosts.iter().any(host) {
                    return Vec::new(); // what a host sends is in no class
                }
                own(side).or_else(|| names(f)).unwrap_or_default()
            };
            [of("forward", &a), of("reverse", &b)]
        };
        // Nothing refers to a bundle, but two of one name would choose alike; `--set` means one event.
        Register::collect(("bundle", "bundles"), &[&tables.bundles], faults);
        Register::collect(("event", "events"), &[&tables.events], faults);
        Names {
            hosts: tables.hosts.len(),
            nodes: Register::collect(
                ("host or router", "hosts or routers"),
                &[&tables.hosts, &tables.routers],
                faults,
            ),
            links: Register::collect(("link", "links"), &[&tables.links], faults),
            lsps: Register::collect(("LSP", "LSPs"), &[&tables.lsps], faults),
            tests: Register::collect(("test", "tests"), &[&tables.tests], faults),
            searches: Register::collect(("search", "searches"), &[&tables.searches], faults),
            search_results: tables.searches.iter().map(results).collect(),
            test_kinds: tables
                .tests
                .iter()
                .map(|f| f.get("kind").unwrap_or_default())
                .collect(),
            link_ends: tables.links.iter().map(ends).collect(),
            link_classes: tables
                .links
                .iter()
                .map(|f| by_direction(f, class_names))
                .collect(),
            link_policers: tables
                .links
                .iter()
                .map(|f| by_direction(f, policer_names))
                .collect(),
        }
    }

    /// The host or router of that name; a fault when there is none.
    pub(crate) fn node(&self, name: &At<String>, faults: &mut Vec<Diagnostic>) -> Option<NodeId> {
        self.nodes.want(name, faults).map(NodeId)
    }

    /// The router of that name; a fault when there is none, or it is a host.
    pub(crate) fn router(&self, name: &At<String>, faults: &mut Vec<Diagnostic>) -> Option<NodeId> {
        let node = self.nodes.want(name, faults)?;
        if node >= self.hosts {
            return Some(NodeId(node));
        }
        faults.push(
            Diagnostic::new(
                name.span(),
                format!("`{}` is a host and switches no labels", name.get_ref()),
            )
            .suggest(name.get_ref(), self.nodes.names().skip(self.hosts)),
        );
        None
    }

    /// The link of that name; a fault when there is none.
    pub(crate) fn link(&self, name: &At<String>, faults: &mut Vec<Diagnostic>) -> Option<LinkId> {
        self.links.want(name, faults).map(LinkId)
    }

    /// The number of the LSP of that name; a fault when there is none.
    pub(crate) fn lsp(&self, name: &At<String>, faults: &mut Vec<Diagnostic>) -> Option<usize> {
        self.lsps.want(name, faults)
    }

    /// The number of the test of that name; a fault when there is none.
    pub(crate) fn test(&self, name: &At<String>, faults: &mut Vec<Diagnostic>) -> Option<usize> {
        self.tests.want(name, faults)
    }

    /// The number of the test of that name.
    pub(crate) fn find_test(&self, name: &str) -> Option<usize> {
        self.tests.find(name)
    }

    /// The number of the link of that name.
    pub(crate) fn find_link(&self, name: &str) -> Option<usize> {
        self.links.find(name)
    }

    /// The metrics of the search of that name, where they are known; none where there is no such search.
    pub(crate) fn find_search(&self, name: &str) -> Option<Option<&[String; 2]>> {
        let number = self.searches.find(name)?;
        Some(self.search_results.get(number).and_then(Option::as_ref))
    }

    /// The names of all tests.
    pub(crate) fn tests(&self) -> impl Iterator<Item = &str> {
        self.tests.names()
    }

    /// The names of all links.
    pub(crate) fn links(&self) -> impl Iterator<Item = &str> {
        self.links.names()
    }

    /// The names of all searches.
    pub(crate) fn searches(&self) -> impl Iterator<Item = &str> {
        self.searches.names()
    }

    /// Whether that is the name of a host.
    pub(crate) fn is_host(&self, name: &str) -> bool {
        self.nodes.find(name).is_some_and(|n| n < self.hosts)
    }

    /// The name of a node.
    pub(crate) fn node_name(&self, node: NodeId) -> &str {
        self.nodes.order.get(node.0).map_or("", String::as_str)
    }
}
