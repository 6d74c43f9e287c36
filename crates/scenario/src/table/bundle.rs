//! `[[bundle]]`.

use crate::key::Kind::{Int, Name, Refs};
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
    ],
};
