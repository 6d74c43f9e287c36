//! What a `[[link]]` says about queues: classes, how they take turns, and what they share.

use super::ANY_SIZE;
use crate::key::Kind::{Bool, Choice, Codes, Int, Name, Octets, Queue, Ratio, Refs, Table, Tables};
use crate::key::{Key, Section, key};

pub(crate) const SCHEDULER: Key = key(
    "scheduler",
    Choice(&["fifo", "wrr", "drr", "strict"]),
    "How frames that wait take turns; all but `fifo` share the link among `class` tables. \
     It is a router's: what a host sends waits in its `txqueuelen`.",
)
.default("fifo");

pub(crate) const MEMORY: Key = key(
    "memory",
    ANY_SIZE,
    "Bytes that may wait in all classes together.",
)
.default("what the classes' own limits add up to");

pub(crate) const WRR: Key = key("wrr", Table(&ROUNDS), "Details of `scheduler = \"wrr\"`.");

const ROUNDS: Section = Section {
    name: "wrr",
    doc: "Weighted round robin as switching hardware does it, by bytes.",
    keys: &[
        key(
            "unit",
            Octets {
                min: 1,
                max: 1_000_000,
            },
            "Bytes a round gives for a weight of 1; grown until the least share holds a full frame.",
        )
        .default("256"),
        key(
            "carry",
            Bool,
            "Whether a queue whose last frame overdrew its share owes it in the next round.",
        )
        .default("false"),
    ],
};

pub(crate) const CLASS: Key = key(
    "class",
    Tables(&CLASS_TABLE),
    "Classes of frames, each with a queue: at most 8, in `[[link.class]]` tables.",
);

const CLASS_TABLE: Section = Section {
    name: "class",
    doc: "A class of frames and its queue; the one without a match takes what no other matches.",
    keys: &[
        key("name", Name, "Name, unique on the link.").required(),
        key(
            "dscp",
            Codes {
                max: 63,
                names: true,
            },
            "Datagrams of these DSCPs: names (`ef`, `af11`, `cs1`, `le`) or 0 to 63.",
        ),
        key(
            "precedence",
            Codes {
                max: 7,
                names: false,
            },
            "Datagrams of these IP precedences, the upper three bits of the DSCP.",
        ),
        key(
            "cos",
            Codes {
                max: 7,
                names: false,
            },
            "Frames of these 802.1p priorities: a router derives them from the precedence, or from \
             the label's traffic class.",
        ),
        key(
            "exp",
            Codes {
                max: 7,
                names: false,
            },
            "Labelled frames of these traffic classes (EXP).",
        ),
        key(
            "protocol",
            Choice(&["tcp", "udp", "icmp"]),
            "Datagrams of this protocol, whatever their DSCP.",
        ),
        key(
            "test",
            Refs {
                of: "test",
                min: 1,
                max: 1000,
            },
            "Datagrams of these tests, both ways, whatever their DSCP and protocol.",
        ),
        key(
            "weight",
            Int { min: 0, max: 65_535 },
            "Its share of the link in proportion to the other classes' weights; from 1.",
        )
        .default("1"),
        key(
            "priority",
            Bool,
            "Whether it is served before every class without priority; of several, the first first.",
        )
        .default("false; true with scheduler = \"strict\""),
        key("queue", Queue, "What may wait in it.").default("the link's `queue`, or `memory` if that is given"),
        key(
            "memory_share",
            Ratio,
            "The part of `memory` that may wait in it.",
        )
        .instead_of("queue"),
    ],
};
