//! The checks of circuits, by number.

use crate::finding::{Rule, Severity};

const fn rule(
    id: &'static str,
    name: &'static str,
    severity: Severity,
    explanation: &'static str,
) -> Rule {
    Rule {
        id,
        name,
        severity,
        explanation,
    }
}

use Severity::{Error, Info, Warning};

/// Every check, in order.
pub static RULES: [Rule; 22] = [
    rule(
        "CCC001",
        "undefined transmit LSP",
        Error,
        "A connection sends into an LSP that must start on its own router: `transmit-lsp` names one defined there.",
    ),
    rule(
        "CCC002",
        "dangling receive LSP",
        Error,
        "A connection takes from an LSP that must end on its router: `receive-lsp` names one defined on the router at the other end.",
    ),
    rule(
        "CCC003",
        "tail mismatch",
        Error,
        "An LSP of the right name exists, and its `to` leads to another router: nothing ever arrives.",
    ),
    rule(
        "CCC004",
        "open end",
        Error,
        "The LSP ends on a router where no connection takes from it: frames of the circuit are lost there.",
    ),
    rule(
        "CCC005",
        "ambiguous",
        Error,
        "An LSP or interface belongs to one connection only, and an LSP's name to one head for each tail; the router takes one and leaves the other down.",
    ),
    rule(
        "CCC006",
        "stitch loop",
        Error,
        "The stitching leads back into an LSP of the same circuit: frames go round until their label's TTL runs out.",
    ),
    rule(
        "CCC007",
        "wrong far interface",
        Error,
        "A circuit must lead back from its far end to where it started: forward and reverse chains are stitched apart.",
    ),
    rule(
        "CCC008",
        "missing reverse switch",
        Error,
        "`lsp-switch` works one way. Each router that stitches the forward chain needs a second `lsp-switch` for the reverse chain.",
    ),
    rule(
        "CCC009",
        "asymmetric chain",
        Warning,
        "Forward and reverse chain differ in length or in links. It works; the two directions have different delays and shares of the links.",
    ),
    rule(
        "CCC010",
        "static LSP stitched",
        Error,
        "Only signalled LSPs can be stitched: `lsp-switch` with a static LSP stays down.",
    ),
    rule(
        "CCC011",
        "encapsulation mismatch",
        Error,
        "The two ends of a circuit must be interfaces of one kind with one CCC encapsulation, and the unit's must fit the port's; what enters at one end leaves at the other as it is.",
    ),
    rule(
        "CCC012",
        "no MPLS or RSVP",
        Error,
        "Every interface an LSP crosses needs `family mpls`, and a place under `protocols mpls` and `protocols rsvp`; otherwise the LSP never comes up.",
    ),
    rule(
        "CCC013",
        "MTU",
        Error,
        "A circuit carries the customer's whole layer-2 frame behind a label of 4 bytes. What does not fit is dropped without a word: there is nobody to answer with ICMP.",
    ),
    rule(
        "CCC014",
        "MTUs differ",
        Warning,
        "The two ends of a circuit, or of a link, take frames of different sizes: one direction drops what the other carries.",
    ),
    rule(
        "CCC015",
        "admission",
        Warning,
        "RSVP admits LSPs by the bandwidth they ask for. A link crossed several times by LSPs that ask for nothing, or for too much, is overbooked.",
    ),
    rule(
        "CCC016",
        "shared capacity",
        Info,
        "A link the circuit crosses several times is shared by all its crossings.",
    ),
    rule(
        "CCC017",
        "half duplex",
        Error,
        "Half duplex, or a port fixed to 10 or 100 Mbit/s, on the way of a circuit: collisions and a rate nobody expects.",
    ),
    rule(
        "CCC018",
        "unused",
        Warning,
        "The LSP or connection is on no complete circuit.",
    ),
    rule(
        "CCC019",
        "interface in two roles",
        Error,
        "An interface of a circuit carries whole frames and can do nothing else: no addresses, no bundle.",
    ),
    rule(
        "CCC020",
        "inactive part",
        Warning,
        "A part of the circuit is switched off: the circuit is down until it is switched on.",
    ),
    rule(
        "CCC021",
        "explicit null",
        Info,
        "With explicit null a label stays on the frame to the last router: 4 bytes on each crossing. A circuit's frames keep theirs in any case.",
    ),
    rule(
        "CCC022",
        "protection",
        Info,
        "While a bypass or detour carries an LSP, delay and load are not those of the plan, and one label more is pushed.",
    ),
];

/// A check by its number, from 1.
pub(super) fn ccc(number: usize) -> &'static Rule {
    &RULES[number - 1]
}
