//! What a `[[link]]` says about queues: classes, how they take turns, and what they share.

use crate::aqm;
use crate::key::Kind::{
    Bool, Choice, Codes, Int, Name, Octets, Queue, Rate, Ratio, Refs, Table, Tables, Text,
};
use crate::key::{ANY_SIZE, Key, Section, joined, key};

pub(crate) const SCHEDULER: Key = key(
    "scheduler",
    Choice(&["fifo", "wrr", "drr", "strict", "fq-codel"]),
    "How frames that wait take turns; `wrr`, `drr` and `strict` share the link among `class` tables. \
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

const DSCP: Key = key(
    "dscp",
    Codes {
        max: 63,
        names: true,
    },
    "Datagrams of these DSCPs: names (`ef`, `af11`, `cs1`, `le`) or 0 to 63.",
);
const PRECEDENCE: Key = key(
    "precedence",
    Codes {
        max: 7,
        names: false,
    },
    "Datagrams of these IP precedences, the upper three bits of the DSCP.",
);
const COS: Key = key(
    "cos",
    Codes {
        max: 7,
        names: false,
    },
    "Frames of these 802.1p priorities: a router derives them from the precedence, or from \
     the label's traffic class.",
);
const EXP: Key = key(
    "exp",
    Codes {
        max: 7,
        names: false,
    },
    "Labelled frames of these traffic classes (EXP).",
);
const PROTOCOL: Key = key(
    "protocol",
    Choice(&["tcp", "udp", "icmp"]),
    "Datagrams of this protocol, whatever their DSCP.",
);
const TEST: Key = key(
    "test",
    Refs {
        of: "test",
        min: 1,
        max: 1000,
    },
    "Datagrams of these tests, both ways, whatever their DSCP and protocol.",
);

const CLASS_TABLE: Section = Section {
    name: "class",
    doc: "A class of frames and its queue; the one without a match takes what no other matches. One that names a datagram's test comes before one that names its protocol, and that before one that names its DSCP.",
    keys: &joined::<{ OF_CLASS.len() + aqm::KEYS.len() + 1 }>(&[OF_CLASS, &aqm::KEYS, &[DROPS]]),
};

const OF_CLASS: &[Key] = &[
    key("name", Name, "Name, unique on the link.").required(),
    DSCP,
    PRECEDENCE,
    COS,
    EXP,
    PROTOCOL,
    TEST,
    key(
        "weight",
        Int {
            min: 0,
            max: 65_535,
        },
        "Its share of the link in proportion to the other classes' weights; from 1.",
    )
    .default("1"),
    key(
        "priority",
        Bool,
        "Whether it is served before every class without priority; of several, the first first.",
    )
    .default("false; true with scheduler = \"strict\""),
    key("queue", Queue, "What may wait in it.")
        .default("the link's `queue`, or `memory` if that is given"),
    key(
        "memory_share",
        Ratio,
        "The part of `memory` that may wait in it.",
    )
    .instead_of("queue"),
];

const DROPS: Key = key(
    "drop",
    Tables(&DROP),
    "Frames of the class that are dropped before its queue is full: thresholds, weighted RED.",
);

const DROP: Section = Section {
    name: "drop",
    doc: "A rule for some of a class's frames. What it matches is in the class and meets it, whether the class itself names that or not.",
    keys: &[
        DSCP,
        PRECEDENCE,
        COS,
        EXP,
        key(
            "above",
            Ratio,
            "Part of the queue's limit; what would fill it further is dropped.",
        ),
        key(
            "min",
            Ratio,
            "Part of the queue's limit: `min` of the class's `red` for these frames.",
        ),
        key(
            "max",
            Ratio,
            "Part of the queue's limit: `max` of the class's `red` for these frames.",
        ),
        key(
            "max_p",
            Ratio,
            "`max_p` of the class's `red` for these frames.",
        )
        .default("that of `red`"),
    ],
};

pub(crate) const SHAPE: Key = key(
    "shape",
    Table(&SHAPE_TABLE),
    "A token bucket that holds frames back: the direction sends at most at its rate.",
);

const SHAPE_TABLE: Section = Section {
    name: "shape",
    doc: "A shaper; frames count as they do in a queue, without preamble, FCS and gap.",
    keys: &[
        key("rate", Rate, "Rate at which the bucket fills.").required(),
        key("burst", ANY_SIZE, "Bytes the bucket holds.").default("a full frame"),
    ],
};

pub(crate) const MARK: Key = key(
    "mark",
    Tables(&MARK_TABLE),
    "Frames whose DSCP the sending router sets: one table or several; the first that matches.",
);

const MARK_TABLE: Section = Section {
    name: "mark",
    doc: "Sets the DSCP of datagrams, or the traffic class of labelled frames; all of them without a match.",
    keys: &[
        DSCP,
        PRECEDENCE,
        COS,
        EXP,
        PROTOCOL,
        TEST,
        key(
            "set",
            Codes {
                max: 63,
                names: true,
            },
            "The new DSCP; a labelled frame gets its upper three bits.",
        )
        .required(),
    ],
};

pub(crate) const POLICE: Key = key(
    "police",
    Tables(&POLICE_TABLE),
    "Policers the sending router puts frames through after `mark`: one table or several; the first that matches.",
);

const POLICE_TABLE: Section = Section {
    name: "police",
    doc: "A meter and what is done with frames beyond its contract; all of them without a match.",
    keys: &[
        key("name", Name, "Name, unique on the link.").default("police"),
        DSCP,
        PRECEDENCE,
        COS,
        EXP,
        PROTOCOL,
        TEST,
        key("rate", Rate, "Committed rate.").required(),
        key("burst", ANY_SIZE, "Committed burst.").required(),
        key(
            "excess_burst",
            ANY_SIZE,
            "Burst beyond the committed one at the same rate: three colours by RFC 2697.",
        )
        .instead_of("peak_rate"),
        key("peak_rate", Rate, "Peak rate: three colours by RFC 2698.")
            .instead_of("excess_burst"),
        key("peak_burst", ANY_SIZE, "Burst at the peak rate.").default("`burst`"),
        key(
            "colour_aware",
            Bool,
            "Whether a frame's AF drop precedence is its colour to begin with.",
        )
        .default("false"),
        key("conform", Text, "Green frames: `pass`, `drop`, or the DSCP they get.").default("pass"),
        key("exceed", Text, "Frames beyond the committed burst: the same.")
            .default("drop with two colours, pass with three"),
        key("violate", Text, "Frames beyond the excess burst or the peak: the same.").default("drop"),
        key(
            "overhead",
            Int {
                min: -1000,
                max: 1000,
            },
            "Bytes each frame counts for beyond those it takes in a queue: 24 makes Ethernet's line rate, \
             -14 its datagrams.",
        )
        .default("0"),
    ],
};
