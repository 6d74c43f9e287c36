//! `[[link]]` and its directions.

use super::impair;
use super::queueing::{CLASS, MARK, MEMORY, POLICE, SCHEDULER, SHAPE, WRR};
use crate::aqm::{self, FQ_CODEL};
use crate::atm;
use crate::key::Kind::{
    BitErrorRate, Bool, Int, Name, Queue, Ratio, Ref, Refs, Table, Tables, Texts,
};
use crate::key::{COUNT, Key, Kind, MTU, POSITIVE_TIME, Section, joined, key};
const RATE: Key =
    key("rate", Kind::Rate, "Rate available to framed packets.").default("what the signal leaves");
const DELAY: Key = key(
    "delay",
    POSITIVE_TIME,
    "One-way propagation, and nothing else.",
)
.default("500 ns");
const LINK_MTU: Key = key(
    "mtu",
    MTU,
    "Largest payload of the framing in bytes: labels, a carried layer-2 header, the datagram.",
)
.default("the largest MTU of the hosts at its ends, and at least 1500 (Ethernet), 4470 (POS) or 9180 (ATM)");
const REORDER: Key = key(
    "reorder",
    Bool,
    "Whether jitter, or a later, shorter delay, lets frames overtake earlier ones.",
)
.default("false");
const QUEUE: Key = key(
    "queue",
    Queue,
    "What may wait in front of the transmitter: bytes, packets, a time, or `1bdp`: the link's rate times the longest \
     round trip, without queues, of the tests that cross it. Of a rate that follows a trace that is the mean of a round, or the rate \
     that it ends with. The frame in service, preamble, FCS and gap do not count.",
)
.default("txqueuelen where a host has it and sends, else 1000 packets");
pub(super) const LOSS: Key =
    key("loss", Ratio, "Probability with which each frame is lost.").default("0");
pub(super) const LOSE: Key = key(
    "lose",
    Tables(&LOST),
    "Frames that are lost by order: one table or several.",
);
pub(super) const LOSE_EVERY: Key = key(
    "lose_every",
    COUNT,
    "Every n-th frame of each flow is lost.",
);
pub(super) const GILBERT: Key = key(
    "gilbert_elliott",
    Table(&GILBERT_ELLIOTT),
    "Losses that come in bursts.",
);
pub(super) const BIT_ERRORS: Key = key(
    "bit_error_rate",
    BitErrorRate,
    "Probability with which each bit is wrong; one wrong bit loses the frame. Ethernet's preamble and FCS count, its gap between \
     frames does not.",
);

const LOST: Section = Section {
    name: "lose",
    doc: "One lost segment.",
    keys: &[
        key("flow", Ref("test"), "The test whose segment is lost.").required(),
        key(
            "segment",
            Int {
                min: 1,
                max: i64::MAX,
            },
            "First transmission of this segment or datagram, from 1.",
        )
        .required(),
        key(
            "stream",
            Int {
                min: 0,
                max: 32_767,
            },
            "Which of a parallel test's streams, from 0.",
        )
        .default("0"),
    ],
};

const GILBERT_ELLIOTT: Section = Section {
    name: "gilbert_elliott",
    doc: "A loss process of two states; all probabilities are per frame. Each flow has states of its own, counted in its own frames: two flows do not meet a burst together.",
    keys: &[
        key("p", Ratio, "From good to bad.").required(),
        key("r", Ratio, "From bad to good.").required(),
        key("loss_good", Ratio, "Loss in the good state.").default("0"),
        key("loss_bad", Ratio, "Loss in the bad state.").default("1"),
    ],
};

/// What a direction may say, and a link of both of its directions.
const EITHER: &[Key] = &joined::<{ SENT.len() + 1 + aqm::KEYS.len() + CARRIED.len() }>(&[
    SENT,
    &[aqm::AQM],
    &aqm::KEYS,
    CARRIED,
]);

const SENT: &[Key] = &[
    RATE, DELAY, LINK_MTU, REORDER, QUEUE, LOSS, LOSE, LOSE_EVERY, GILBERT, BIT_ERRORS, SCHEDULER,
    MEMORY, WRR, CLASS, FQ_CODEL,
];

const CARRIED: &[Key] = &[
    SHAPE,
    MARK,
    POLICE,
    impair::JITTER_KEY,
    impair::REORDERING_KEY,
    impair::DUPLICATION_KEY,
    impair::CORRUPTION_KEY,
    impair::FLAP_KEY,
    impair::RATE_TRACE_KEY,
    atm::CELL_LOSS,
    atm::CELL_GLUE,
    atm::POLICE_CELLS,
    atm::SHAPE_CELLS,
    atm::CELL_QUEUE,
];

pub(crate) const DIRECTION: Section = Section {
    name: "direction",
    doc: "What differs in one direction of a link; a key here wins over the link's own.",
    keys: EITHER,
};

pub(crate) const LINK: Section = Section {
    name: "link",
    doc: "A full-duplex link between two nodes: two independent directions.",
    keys: &joined::<{ BEFORE.len() + EITHER.len() + AFTER.len() }>(&[BEFORE, EITHER, AFTER]),
};

/// What only a link says, before and after what its directions may say, too.
const BEFORE: &[Key] = &[
    key("name", Name, "Name, unique among links.").required(),
    key(
        "ends",
        Refs {
            of: "node",
            min: 2,
            max: 2,
        },
        "The two nodes; forward is from the first to the second.",
    )
    .required(),
    key(
        "interfaces",
        Texts,
        "The interface at each end, in the order of `ends`, as the routers' configurations name \
         them.",
    ),
    key(
        "framing",
        Kind::Framing,
        "How frames are delimited, or the signal that says so and brings its rate.",
    )
    .default("ethernet"),
    key(
        "vlan",
        Int { min: 1, max: 4094 },
        "The 802.1Q tag every frame carries on this link.",
    ),
    key(
        "adjust_mss",
        Int {
            min: 88,
            max: 65_495,
        },
        "Largest MSS that SYNs over IPv4 may offer as they cross the link, either way, in bytes: as `ip tcp adjust-mss` of IOS, \
         `tcp-mss` of Junos and TCPMSS of Linux lower it. 40 less than the MTU that is to fit.",
    ),
    key(
        "adjust_mss_ipv6",
        Int {
            min: 88,
            max: 65_495,
        },
        "The same of SYNs over IPv6, which `adjust_mss` leaves alone: `ipv6 tcp adjust-mss` of IOS, `family inet6 tcp-mss` of Junos. \
         60 less than the MTU that is to fit.",
    ),
    key("tap", Bool, "Capture both directions into `NAME.pcapng`.").default("false"),
    atm::ENCAPSULATION,
];

const AFTER: &[Key] = &[
    key(
        "forward",
        Table(&DIRECTION),
        "What differs from the first end to the second.",
    ),
    key(
        "reverse",
        Table(&DIRECTION),
        "What differs from the second end to the first.",
    ),
];
