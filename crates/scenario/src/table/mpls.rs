//! `[[lsp]]` and `[[ccc]]`.

use crate::key::Kind::{Bool, Choice, Int, Name, Ref, Refs};
use crate::key::{Section, key};

pub(crate) const LSP: Section = Section {
    name: "lsp",
    doc: "A unidirectional Label Switched Path.",
    keys: &[
        key("name", Name, "Name, unique among LSPs.").required(),
        key(
            "path",
            Refs {
                of: "router",
                min: 2,
                max: 256,
            },
            "Ingress, transit and egress routers, each a neighbour of the next.",
        )
        .required(),
        key(
            "links",
            Refs {
                of: "link",
                min: 1,
                max: 255,
            },
            "The links between them, where two routers share several.",
        )
        .default("the only link between each pair"),
        key(
            "explicit_null",
            Bool,
            "The egress asks for label 0 instead of penultimate-hop popping (RFC 3032 §2.1).",
        )
        .default("false"),
    ],
};

const REMOTE: &[&str] = &["remote-interface-switch"];

pub(crate) const CCC: Section = Section {
    name: "ccc",
    doc: "A Circuit Cross-Connect.",
    keys: &[
        key("name", Name, "Name, unique on its router.").required(),
        key(
            "kind",
            Choice(&["remote-interface-switch", "lsp-switch"]),
            "An interface joined to two LSPs, or one LSP stitched to the next.",
        )
        .required(),
        key("router", Ref("router"), "The router.").required(),
        key("interface", Ref("link"), "The customer's link.")
            .required()
            .only(REMOTE),
        key(
            "encapsulation",
            Choice(&["vlan-ccc", "ethernet-ccc"]),
            "What is carried: tagged frames of one VLAN, or every frame untagged.",
        )
        .default("vlan-ccc with `vlan`, else ethernet-ccc")
        .only(REMOTE),
        key(
            "vlan",
            Int { min: 1, max: 4094 },
            "The VLAN whose frames are carried, tag included.",
        )
        .only(REMOTE),
        key(
            "transmit_lsp",
            Ref("lsp"),
            "The LSP frames leave on; it starts at the router.",
        )
        .required(),
        key(
            "receive_lsp",
            Ref("lsp"),
            "The LSP frames arrive on; it ends at the router.",
        )
        .required(),
    ],
};
