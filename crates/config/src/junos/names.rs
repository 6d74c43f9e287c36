//! What a configuration defines, what it refers to, and what has no counterpart.

use std::collections::BTreeSet;

use super::class::CLASSES;
use super::tree::{Id, ROOT, Tree};
use crate::report::Structure;
use crate::source::Place;

/// A kind of name: where it is defined, and the statements whose values refer to it. `<>` stands
/// for any word.
struct Kind {
    name: &'static str,
    defined: &'static [&'static str],
    referred: &'static [&'static str],
    /// It serves by being there.
    by_itself: bool,
}

const KINDS: [Kind; 17] = [
    Kind {
        name: "group",
        defined: &["groups"],
        referred: &[],
        by_itself: true,
    },
    Kind {
        name: "label-switched-path",
        defined: &[
            "protocols mpls label-switched-path",
            "protocols mpls static-label-switched-path",
        ],
        referred: &[
            "protocols connections remote-interface-switch <> transmit-lsp",
            "protocols connections lsp-switch <> transmit-lsp",
        ],
        by_itself: false,
    },
    Kind {
        name: "path",
        defined: &["protocols mpls path"],
        referred: &[
            "protocols mpls label-switched-path <> primary",
            "protocols mpls label-switched-path <> secondary",
        ],
        by_itself: false,
    },
    Kind {
        name: "scheduler",
        defined: &["class-of-service schedulers"],
        referred: &["class-of-service scheduler-maps <> forwarding-class <> scheduler"],
        by_itself: false,
    },
    Kind {
        name: "scheduler-map",
        defined: &["class-of-service scheduler-maps"],
        referred: &[
            "class-of-service interfaces <> scheduler-map",
            "class-of-service interfaces <> unit <> scheduler-map",
            "class-of-service traffic-control-profiles <> scheduler-map",
        ],
        by_itself: false,
    },
    Kind {
        name: "policer",
        defined: &["firewall policer"],
        referred: &[
            "firewall filter <> term <> then policer",
            "firewall family <> filter <> term <> then policer",
            "interfaces <> unit <> family <> policer input",
            "interfaces <> unit <> family <> policer output",
        ],
        by_itself: false,
    },
    Kind {
        name: "filter",
        defined: &["firewall filter", "firewall family <> filter"],
        referred: &[
            "interfaces <> unit <> family <> filter input",
            "interfaces <> unit <> family <> filter output",
        ],
        by_itself: false,
    },
    Kind {
        name: "classifier",
        defined: &[
            "class-of-service classifiers dscp",
            "class-of-service classifiers inet-precedence",
            "class-of-service classifiers exp",
            "class-of-service classifiers ieee-802.1",
        ],
        referred: &[
            "class-of-service interfaces <> unit <> classifiers dscp",
            "class-of-service interfaces <> unit <> classifiers inet-precedence",
            "class-of-service interfaces <> unit <> classifiers exp",
            "class-of-service interfaces <> unit <> classifiers ieee-802.1",
            "class-of-service classifiers <> <> import",
        ],
        by_itself: false,
    },
    Kind {
        name: "rewrite-rule",
        defined: &[
            "class-of-service rewrite-rules dscp",
            "class-of-service rewrite-rules inet-precedence",
            "class-of-service rewrite-rules exp",
            "class-of-service rewrite-rules ieee-802.1",
        ],
        referred: &[
            "class-of-service interfaces <> unit <> rewrite-rules dscp",
            "class-of-service interfaces <> unit <> rewrite-rules inet-precedence",
            "class-of-service interfaces <> unit <> rewrite-rules exp",
            "class-of-service interfaces <> unit <> rewrite-rules ieee-802.1",
            "class-of-service rewrite-rules <> <> import",
        ],
        by_itself: false,
    },
    Kind {
        name: "drop-profile",
        defined: &["class-of-service drop-profiles"],
        referred: &[
            "class-of-service schedulers <> drop-profile-map loss-priority <> protocol <> drop-profile",
            "class-of-service schedulers <> drop-profile-map loss-priority <> drop-profile",
        ],
        by_itself: false,
    },
    Kind {
        name: "traffic-control-profile",
        defined: &["class-of-service traffic-control-profiles"],
        referred: &[
            "class-of-service interfaces <> input-traffic-control-profile",
            "class-of-service interfaces <> output-traffic-control-profile",
            "class-of-service interfaces <> output-traffic-control-profile-remaining",
            "class-of-service interfaces <> unit <> input-traffic-control-profile",
            "class-of-service interfaces <> unit <> output-traffic-control-profile",
        ],
        by_itself: false,
    },
    Kind {
        name: "three-color-policer",
        defined: &["firewall three-color-policer"],
        referred: &[
            "firewall filter <> term <> then three-color-policer single-rate",
            "firewall filter <> term <> then three-color-policer two-rate",
            "firewall family <> filter <> term <> then three-color-policer single-rate",
            "firewall family <> filter <> term <> then three-color-policer two-rate",
        ],
        by_itself: false,
    },
    Kind {
        name: "prefix-list",
        defined: &["policy-options prefix-list"],
        referred: &[
            "firewall filter <> term <> from prefix-list",
            "firewall filter <> term <> from source-prefix-list",
            "firewall filter <> term <> from destination-prefix-list",
            "firewall family <> filter <> term <> from prefix-list",
            "firewall family <> filter <> term <> from source-prefix-list",
            "firewall family <> filter <> term <> from destination-prefix-list",
            "policy-options policy-statement <> from prefix-list",
            "policy-options policy-statement <> from prefix-list-filter",
            "policy-options policy-statement <> term <> from prefix-list",
            "policy-options policy-statement <> term <> from prefix-list-filter",
        ],
        by_itself: true,
    },
    Kind {
        name: "policy-statement",
        defined: &["policy-options policy-statement"],
        referred: &[
            "protocols bgp import",
            "protocols bgp export",
            "protocols bgp group <> import",
            "protocols bgp group <> export",
            "protocols bgp group <> neighbor <> import",
            "protocols bgp group <> neighbor <> export",
            "protocols ospf import",
            "protocols ospf export",
            "protocols ospf3 import",
            "protocols ospf3 export",
            "protocols isis import",
            "protocols isis export",
            "protocols ldp import",
            "protocols ldp export",
            "routing-options forwarding-table export",
            "routing-instances <> vrf-import",
            "routing-instances <> vrf-export",
            "policy-options policy-statement <> from policy",
            "policy-options policy-statement <> term <> from policy",
        ],
        by_itself: true,
    },
    Kind {
        name: "community",
        defined: &["policy-options community"],
        referred: &[
            "policy-options policy-statement <> from community",
            "policy-options policy-statement <> term <> from community",
            "policy-options policy-statement <> term <> then community add",
            "policy-options policy-statement <> term <> then community delete",
            "policy-options policy-statement <> term <> then community set",
        ],
        by_itself: true,
    },
    Kind {
        name: "forwarding-class",
        defined: &[
            "class-of-service forwarding-classes class",
            "class-of-service forwarding-classes queue <>",
        ],
        referred: &[
            "class-of-service classifiers <> <> forwarding-class",
            "class-of-service rewrite-rules <> <> forwarding-class",
            "class-of-service scheduler-maps <> forwarding-class",
            "class-of-service interfaces <> unit <> forwarding-class",
            "firewall policer <> then forwarding-class",
            "firewall filter <> term <> then forwarding-class",
            "firewall family <> filter <> term <> then forwarding-class",
        ],
        by_itself: true,
    },
    Kind {
        name: "connection",
        defined: &[
            "protocols connections interface-switch",
            "protocols connections remote-interface-switch",
            "protocols connections lsp-switch",
        ],
        referred: &[],
        by_itself: true,
    },
];

/// Classifiers that are there without a definition.
const PREDEFINED: [&str; 6] = [
    "default",
    "dscp-default",
    "exp-default",
    "ieee8021p-default",
    "ipprec-compatibility",
    "ipprec-default",
];

/// Forwarding classes that a QFX or EX has beside those of [`CLASSES`] (Junos, "Default forwarding classes").
const OF_SWITCHES: [&str; 3] = ["fcoe", "no-loss", "mcast"];

/// Whether a name of this kind is there without a definition.
fn is_given(kind: &str, name: &str) -> bool {
    match kind {
        "forwarding-class" => CLASSES.contains(&name) || OF_SWITCHES.contains(&name),
        _ => PREDEFINED.contains(&name),
    }
}

/// What [`survey`] found.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) defined: Vec<Structure>,
    pub(super) undefined: Vec<Structure>,
    pub(super) unused: Vec<Structure>,
    /// The nodes of those that serve a run only where something refers to them.
    pub(super) idle: BTreeSet<Id>,
}

/// Looks for names of every kind.
pub(super) fn survey(tree: &Tree<'_>, place: &impl Fn(Id) -> Place) -> Names {
    let mut names = Names::default();
    for kind in &KINDS {
        let all = |paths: &[&str]| -> Vec<Id> {
            let below = paths.iter().flat_map(|p| values(tree, p));
            below
                .filter(|c| !tree.node(*c).word.starts_with("apply-groups"))
                .collect()
        };
        let structure = |id: &Id| Structure {
            kind: kind.name,
            name: tree.node(*id).word.to_owned(),
            place: place(*id),
        };
        let (defined, referred) = (all(kind.defined), all(kind.referred));
        let word = |id: &Id| tree.node(*id).word;
        let known: BTreeSet<&str> = defined.iter().map(word).collect();
        let used: BTreeSet<&str> = referred.iter().map(word).collect();
        names.defined.extend(defined.iter().map(structure));
        // Where no policy is shown, the text is a part of a configuration.
        let shown = kind.name != "policy-statement" || !defined.is_empty();
        let missing = referred
            .iter()
            .filter(|_| shown)
            .filter(|r| !known.contains(word(r)) && !is_given(kind.name, word(r)))
            // Policies may be joined by operators, `( A && B )`.
            .filter(|r| word(r).starts_with(|c: char| c.is_alphanumeric() || c == '_'));
        names.undefined.extend(missing.map(structure));
        let idle = defined
            .iter()
            .filter(|d| !kind.by_itself && !used.contains(word(d)));
        names.unused.extend(idle.clone().map(structure));
        // An LSP that no circuit takes is built all the same.
        if kind.name != "label-switched-path" {
            names.idle.extend(idle);
        }
    }
    names
}

/// The nodes below every statement of this path.
pub(super) fn values(tree: &Tree<'_>, path: &str) -> Vec<Id> {
    let mut here = vec![ROOT];
    for word in path.split(' ') {
        here = if word == "<>" {
            here.iter().flat_map(|at| tree.children(*at)).collect()
        } else {
            here.iter().filter_map(|at| tree.child(*at, word)).collect()
        };
    }
    here.iter().flat_map(|at| tree.children(*at)).collect()
}
