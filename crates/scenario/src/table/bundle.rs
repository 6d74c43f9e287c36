//! `[[bundle]]`.

use crate::key::Kind::{Choice, Int, Name, Refs, Span};
use crate::key::{Section, key};

pub(crate) const BUNDLE: Section = Section {
    name: "bundle",
    doc: "Parallel links used together: each flow, and each LSP, takes one of them (IEEE 802.1AX, \
          RFC 2992).",
    keys: &[
        key("name", Name, "Name, unique among bundles.").required(),
        key(
            "links",
            Refs {
                of: "link",
                min: 2,
                max: 16,
            },
            "The members: links that join the same two nodes.",
        )
        .required(),
        key(
            "seed",
            Int {
                min: 0,
                max: i64::MAX,
            },
            "Of the hash that chooses: another one places the flows anew. The run's own seed does not.",
        )
        .default("0"),
        key(
            "spread",
            Choice(&["flow", "packet"]),
            "`flow` keeps each flow on one member; `packet` sends each flow's frames over the members in turn, and what their delays make of the order is so.",
        )
        .default("flow"),
        key(
            "detection",
            Span { zero: true },
            "From when a member goes down, or up, to when its routers notice, and send round it, or over it again.",
        )
        .default("0 s"),
    ],
};
