//! IOS009: access lists, route maps, prefix lists and VLANs that a device names and nothing defines.

use std::collections::BTreeSet;

use crate::commands::{Kind, Reader, Tree, Word, Words, fit};
use crate::finding::quoted;
use crate::near::define;
use crate::platform::Platform;
use crate::rules::IOS009;
use crate::vlan::{DEFAULT, Vlans};

/// What is called by name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Named {
    AccessList,
    RouteMap,
    PrefixList,
}

impl Named {
    const fn words(self) -> &'static str {
        match self {
            Named::AccessList => "access list",
            Named::RouteMap => "route map",
            Named::PrefixList => "prefix list",
        }
    }
}

/// Statements that define a name, at `*`.
const DEFINED: [(&str, Named); 5] = [
    ("access-list *", Named::AccessList),
    ("ip|ipv4|ipv6|mac|arp access-list *", Named::AccessList),
    (
        "ip|ipv6|mac access-list extended|standard|role-based|fqdn *",
        Named::AccessList,
    ),
    ("route-map *", Named::RouteMap),
    ("ip|ipv6 prefix-list *", Named::PrefixList),
];

/// Statements that call a name, at `*`, and what then is the case (Cisco, command reference, `ip access-group`: "if the
/// specified access list does not exist, all packets are passed").
const CALLED: [(&str, Named, &str); 8] = [
    (
        "~ip|ipv4|ipv6|mac ~access-group *",
        Named::AccessList,
        "every packet passes",
    ),
    (
        "~ipv6 ~traffic-filter *",
        Named::AccessList,
        "every packet passes",
    ),
    (
        "~ip|ipv6|mac ~port ~access-group|traffic-filter *",
        Named::AccessList,
        "every packet passes",
    ),
    ("access-class *", Named::AccessList, "every address passes"),
    (
        "ip|ipv6 access-class *",
        Named::AccessList,
        "every address passes",
    ),
    (
        "match access-group *",
        Named::AccessList,
        "nothing says which packets it matches",
    ),
    (
        "match access-group name *",
        Named::AccessList,
        "nothing says which packets it matches",
    ),
    (
        "match ip|ipv6 address *",
        Named::AccessList,
        "nothing says which packets or routes it matches",
    ),
];

/// Words before a name, wherever they stand in a statement.
const BEFORE: [(&str, Named, &str); 2] = [
    (
        "route-map",
        Named::RouteMap,
        "nothing says what becomes of the routes or packets",
    ),
    ("prefix-list", Named::PrefixList, "every prefix passes"),
];

/// Words where a name may stand, and that are none.
const NO_NAMES: [&str; 11] = [
    "extended",
    "standard",
    "role-based",
    "fqdn",
    "name",
    "ipv4",
    "ipv6",
    "common",
    "prefix-list",
    "rate-limit",
    "route-source",
];

/// How the names of lists begin that a machine has of its own accord.
const GIVEN: [&str; 5] = ["copp-", "implicit_", "preauth", "sl_def_acl", "__"];

/// Statements whose words are the user's own.
const TEXTS: [&str; 7] = [
    "description",
    "remark",
    "action",
    "alias",
    "banner",
    "event",
    "no",
];

/// What calls a route map, and begins as if it defined one.
const DIRECTED: &str = "route-map * in|out";

/// A name that is called.
struct Call<'a> {
    kind: Named,
    name: Word<'a>,
    then: &'static str,
}

/// IOS009, of a whole text.
pub(super) fn check(tree: &Tree<'_>, reader: &mut Reader) {
    let mut defined: BTreeSet<(Named, &str)> = BTreeSet::new();
    let mut calls: Vec<Call<'_>> = Vec::new();
    for (number, line) in tree.lines().iter().enumerate() {
        if line.kind != Kind::Statement {
            continue;
        }
        let words = Words::new(tree.content(number), line.span.start);
        let mut defines = false;
        for (pattern, kind) in DEFINED {
            if let Some((_, name, _)) = fit(pattern, words) {
                defines = true;
                if !NO_NAMES.contains(&name) && fit(DIRECTED, words).is_none() {
                    defined.insert((kind, name));
                }
            }
        }
        // Below a neighbour of NX-OS, `route-map NAME in`.
        if !defines || fit(DIRECTED, words).is_some() {
            calls.extend(called(words));
        }
    }
    let mut said: BTreeSet<(Named, &str)> = BTreeSet::new();
    for call in calls {
        let key = (call.kind, call.name.text);
        let given = GIVEN.iter().any(|g| key.1.starts_with(g));
        if given || defined.contains(&key) || !said.insert(key) {
            continue;
        }
        let known = defined.iter().filter(|(kind, _)| *kind == call.kind);
        let remedy = define(known.map(|(_, name)| *name), key.1);
        let remedy = remedy.unwrap_or_else(|| "define it, or take the statement out".to_owned());
        let message = format!(
            "{} `{}` is not defined: {}",
            call.kind.words(),
            quoted(key.1),
            call.then
        );
        reader.fault(&IOS009, call.name.span(), message, &remedy);
    }
    vlans(tree, reader);
}

/// The names that a statement calls.
fn called<'a>(words: Words<'a>) -> Vec<Call<'a>> {
    let mut calls = Vec::new();
    let all: Vec<Word<'a>> = words.collect();
    let own = |w: &Word<'_>| TEXTS.contains(&w.text);
    if all.first().is_some_and(own) || all.iter().any(|w| w.text == "description") {
        return calls;
    }
    for (pattern, kind, then) in CALLED {
        let length = pattern.split(' ').count();
        if fit(pattern, words).is_some() {
            calls.extend(all.get(length - 1).map(|name| Call {
                kind,
                name: *name,
                then,
            }));
        }
    }
    for (before, kind, then) in BEFORE {
        let pairs = all.windows(2).filter(|pair| pair[0].text == before);
        calls.extend(pairs.map(|pair| Call {
            kind,
            name: pair[1],
            then,
        }));
    }
    calls.retain(|c| !NO_NAMES.contains(&c.name.text) && !c.name.text.contains('"'));
    calls
}

/// IOS009, of VLANs of access ports: those that a Nexus shows are all it has, and a port in another one stays down.
fn vlans(tree: &Tree<'_>, reader: &mut Reader) {
    if reader.device.platform != Platform::NxOs {
        return;
    }
    let mut known = Vlans::none();
    let mut shown = false;
    for line in tree.inside(None) {
        let list = tree.content(line).strip_prefix("vlan ");
        shown |= list.and_then(|l| known.list(l, true)).is_some();
    }
    known.set(DEFAULT, DEFAULT, true);
    let ports = reader.device.interfaces.iter();
    let ports = ports.filter_map(|i| Some((i.name.clone(), i.access_vlan.clone()?)));
    let lacking: Vec<_> = ports.filter(|(_, v)| !known.has(v.value)).collect();
    for (name, vlan) in lacking.into_iter().filter(|_| shown) {
        let message = format!(
            "VLAN {} of {name} is not defined: the port stays down",
            vlan.value
        );
        let remedy = format!("`vlan {}`", vlan.value);
        reader.fault(&IOS009, vlan.place.span, message, &remedy);
    }
}
