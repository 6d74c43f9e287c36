//! The keys of every section: the format itself, as data.

use crate::congestion;
use crate::key::Kind::{
    BitErrorRate, Bool, Bound, Choice, Choices, Class, Int, Name, Octets, Point, Queue, Ratio, Ref,
    Refs, Span, Sysctl, SysctlTriple, Table, Tables, Text, Texts,
};
use crate::key::{Key, Kind, Section, key};
use crate::recovery;

/// Largest TCP window: 65 535 shifted by 14 (RFC 7323 §2.3).
pub(crate) const LARGEST_WINDOW: u64 = 65_535 << 14;

/// Sections of which a file may have several, `[[…]]`.
pub(crate) const ARRAYS: [&Section; 9] = [
    &HOST, &ROUTER, &LINK, &LSP, &CCC, &TEST, &EVENT, &EXPECT, &SEARCH,
];

/// The section a name means.
pub(crate) fn section(name: &str) -> Option<&'static Section> {
    match name {
        "scenario" => Some(&SCENARIO),
        _ => ARRAYS.into_iter().find(|s| s.name == name),
    }
}

const MTU: Kind = Octets {
    min: 68,
    max: 65_535,
};
const TIME: Kind = Span { zero: true };
const POSITIVE_TIME: Kind = Span { zero: false };
const ANY_SIZE: Kind = Kind::Size { max: u64::MAX };
const WINDOW: Kind = Kind::Size {
    max: LARGEST_WINDOW,
};
const COUNT: Kind = Int {
    min: 1,
    max: 1_000_000_000,
};

pub(crate) const SCENARIO: Section = Section {
    name: "scenario",
    doc: "The experiment as a whole.",
    keys: &[
        key(
            "name",
            Name,
            "Name of the experiment, printed in every result.",
        )
        .required(),
        key("source", Text, "Where the experiment comes from."),
        key(
            "summary",
            Text,
            "One or two sentences for a reader; `farpath scenarios` prints them.",
        ),
        key(
            "seed",
            Int {
                min: 0,
                max: i64::MAX,
            },
            "Seed of all luck; `--seed` overrides it.",
        )
        .default("1"),
    ],
};

pub(crate) const HOST: Section = Section {
    name: "host",
    doc: "An end system with a TCP stack.",
    keys: &[
        key("name", Name, "Name, unique among hosts and routers.").required(),
        key(
            "profile",
            Choice(&["bsd-1999", "linux-2004", "linux-6"]),
            "Whose rules the stack follows.",
        )
        .default("linux-6"),
        key(
            "nic",
            Kind::Rate,
            "Rate at which the host puts frames on a link.",
        )
        .default("the link's rate"),
        key("mtu", MTU, "Largest IP datagram the host sends, in bytes.").default("the link's MTU"),
        key(
            "txqueuelen",
            COUNT,
            "Packets that may wait in front of an interface.",
        )
        .default("1000"),
        key("rmem_max", Sysctl, "`net.core.rmem_max`.")
            .default("262144 (bsd-1999), 131071 (linux-2004), 212992 (linux-6)"),
        key("wmem_max", Sysctl, "`net.core.wmem_max`.")
            .default("262144 (bsd-1999), 131071 (linux-2004), 212992 (linux-6)"),
        key(
            "tcp_rmem",
            SysctlTriple,
            "`net.ipv4.tcp_rmem`, as /proc prints it: minimum, default, maximum.",
        )
        .default("4096 16384 16384 (bsd-1999), 4096 87380 174760 (linux-2004), 4096 131072 6291456 (linux-6)"),
        key(
            "tcp_wmem",
            SysctlTriple,
            "`net.ipv4.tcp_wmem`, as /proc prints it: minimum, default, maximum.",
        )
        .default("4096 16384 16384 (bsd-1999), 4096 16384 131072 (linux-2004), 4096 16384 4194304 (linux-6)"),
        key("send_per_packet", TIME, "Processor time for each frame sent.").default("0 s"),
        key("send_per_byte", TIME, "Processor time for each byte of IP datagram sent, such as `400 ps`.").default("0 s"),
        key("receive_per_packet", TIME, "Processor time for each frame received.").default("0 s"),
        key("receive_per_byte", TIME, "Processor time for each byte of IP datagram received.").default("0 s"),
        key("memory_bus", Kind::Rate, "Rate of the bus between memory and interfaces, which every datagram crosses once, either way.")
            .default("unlimited"),
        key("receive_ring", COUNT, "Received frames that may wait for the processor; more are dropped.").default("1000"),
        key("disk_read", Kind::Rate, "Rate at which files are read for transfers.").default("unlimited"),
        key("disk_write", Kind::Rate, "Rate at which transferred files are written.").default("unlimited"),
    ],
};

pub(crate) const ROUTER: Section = Section {
    name: "router",
    doc: "A node that forwards: by IP, by label, or as one side of a circuit cross-connect.",
    keys: &[
        key("name", Name, "Name, unique among hosts and routers.").required(),
        key(
            "answers",
            Bool,
            "Whether it answers echo requests and sends time-exceeded and fragmentation-needed.",
        )
        .default("true"),
    ],
};

const RATE: Key =
    key("rate", Kind::Rate, "Rate available to framed packets.").default("what the signal leaves");
const DELAY: Key = key(
    "delay",
    POSITIVE_TIME,
    "One-way propagation, and nothing else.",
)
.default("500 ns");
const REORDER: Key = key(
    "reorder",
    Bool,
    "Whether a later, shorter delay lets frames overtake earlier ones.",
)
.default("false");
const QUEUE: Key = key(
    "queue",
    Queue,
    "What may wait in front of the transmitter: bytes, packets, a time or `1bdp`; \
     the frame in service, preamble, FCS and gap do not count.",
)
.default("txqueuelen where a host sends, else 1000 packets");
const LOSS: Key = key("loss", Ratio, "Probability with which each frame is lost.").default("0");
const LOSE: Key = key(
    "lose",
    Tables(&LOST),
    "Frames that are lost by order: one table or several.",
);
const LOSE_EVERY: Key = key(
    "lose_every",
    COUNT,
    "Every n-th frame of each flow is lost.",
);
const GILBERT: Key = key(
    "gilbert_elliott",
    Table(&GILBERT_ELLIOTT),
    "Losses that come in bursts.",
);
const BIT_ERRORS: Key = key(
    "bit_error_rate",
    BitErrorRate,
    "Probability with which each bit is wrong; one wrong bit loses the frame.",
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
    doc: "A loss process of two states; all probabilities are per frame.",
    keys: &[
        key("p", Ratio, "From good to bad.").required(),
        key("r", Ratio, "From bad to good.").required(),
        key("loss_good", Ratio, "Loss in the good state.").default("0"),
        key("loss_bad", Ratio, "Loss in the bad state.").default("1"),
    ],
};

const DIRECTION: Section = Section {
    name: "direction",
    doc: "What differs in one direction of a link; a key here wins over the link's own.",
    keys: &[
        RATE, DELAY, REORDER, QUEUE, LOSS, LOSE, LOSE_EVERY, GILBERT, BIT_ERRORS,
    ],
};

pub(crate) const LINK: Section = Section {
    name: "link",
    doc: "A full-duplex link between two nodes: two independent directions.",
    keys: &[
        key("name", Name, "Name, unique among links.").required(),
        key("ends", Refs { of: "node", min: 2, max: 2 }, "The two nodes; forward is from the first to the second.")
            .required(),
        key("framing", Kind::Framing, "How frames are delimited, or the signal that says so and brings its rate.")
            .default("ethernet"),
        RATE,
        DELAY,
        key("mtu", MTU, "Largest payload of the framing in bytes: labels, a carried layer-2 header, the datagram.")
            .default("the largest MTU of the hosts at its ends, and at least 1500 (Ethernet) or 4470 (POS)"),
        key("vlan", Int { min: 1, max: 4094 }, "The 802.1Q tag every frame carries on this link."),
        key("tap", Bool, "Capture both directions into `NAME.pcapng`.").default("false"),
        REORDER,
        QUEUE,
        LOSS,
        LOSE,
        LOSE_EVERY,
        GILBERT,
        BIT_ERRORS,
        key("forward", Table(&DIRECTION), "What differs from the first end to the second."),
        key("reverse", Table(&DIRECTION), "What differs from the second end to the first."),
    ],
};

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

const PING: &[&str] = &["ping"];
const TCP: &[&str] = &["tcp"];
const UDP: &[&str] = &["udp"];

pub(crate) const TEST: Section = Section {
    name: "test",
    doc: "Traffic, and what is measured of it.",
    keys: &[
        key("name", Name, "Name, unique among tests.").required(),
        key("kind", Choice(&["ping", "tcp", "udp"]), "What it does.").required(),
        key("from", Ref("node"), "The node that starts.").required(),
        key("to", Ref("node"), "The node that answers.").required(),
        key(
            "via",
            Ref("link"),
            "The sender's link, when it has several.",
        ),
        key("start", TIME, "When it starts.").default("0 s"),
        key(
            "duration",
            POSITIVE_TIME,
            "How long it is measured, after `omit`.",
        )
        .default("10 s; none when `bytes` is given")
        .only(&["tcp", "udp"]),
        key(
            "omit",
            TIME,
            "How long after the start the measurement begins.",
        )
        .default("0 s")
        .only(&["tcp", "udp"]),
        key(
            "class",
            Class,
            "DSCP name (`ef`, `af11`, `cs1`, `le`) or the whole TOS byte.",
        )
        .default("0"),
        key("ip", Int { min: 4, max: 6 }, "4 or 6.").default("4"),
        key("count", COUNT, "Requests sent.")
            .default("5")
            .only(PING),
        key("interval", POSITIVE_TIME, "From one request to the next.")
            .default("1 s")
            .only(PING),
        key(
            "timeout",
            POSITIVE_TIME,
            "How long an answer is waited for.",
        )
        .default("5 s")
        .only(PING),
        key("ttl", Int { min: 1, max: 255 }, "TTL of the requests.")
            .default("64")
            .only(PING),
        key(
            "size",
            Octets {
                min: 1,
                max: 65_535,
            },
            "Bytes of the IP datagram (ping) or of its UDP payload (udp).",
        )
        .default("84 (ping), 1472 (udp)")
        .only(&["ping", "udp"]),
        key(
            "window",
            WINDOW,
            "Most payload bytes in flight: exact, no kernel rules.",
        )
        .only(TCP)
        .instead_of("socket_buffer"),
        key(
            "socket_buffer",
            WINDOW,
            "What is passed to setsockopt; the profile and its sysctls make a window of it.",
        )
        .only(TCP)
        .instead_of("window"),
        congestion::CC,
        congestion::FLAVOUR,
        congestion::SLOW_START,
        congestion::HYSTART,
        congestion::MAX_SSTHRESH,
        congestion::REMEMBERED_WINDOW,
        congestion::IDLE_RESTART,
        congestion::PACING,
        congestion::GSO,
        key(
            "parallel",
            Int {
                min: 1,
                max: 10_000,
            },
            "Connections at once.",
        )
        .default("1")
        .only(TCP),
        key("bytes", ANY_SIZE, "Payload each connection transfers.")
            .default("as much as `duration` allows")
            .only(TCP),
        recovery::SACK,
        recovery::RACK,
        recovery::REDUCTION,
        recovery::FRTO,
        recovery::LIMITED_TRANSMIT,
        recovery::DSACK,
        recovery::EIFEL,
        recovery::ECN,
        key(
            "timestamps",
            Bool,
            "Timestamps (RFC 7323): 12 bytes a segment.",
        )
        .default("true")
        .only(TCP),
        key(
            "initial_window",
            Int {
                min: 1,
                max: 1_000_000,
            },
            "Initial window in segments.",
        )
        .default("1 (sender is bsd-1999), 2 (linux-2004), 10 (linux-6)")
        .only(TCP)
        .instead_of("remembered_window"),
        key(
            "initial_ssthresh",
            Int {
                min: 2,
                max: 1_000_000_000,
            },
            "Initial slow-start threshold in segments.",
        )
        .default("unlimited")
        .only(TCP),
        key(
            "delayed_ack",
            Int { min: 1, max: 255 },
            "One ACK per this many full segments.",
        )
        .default("2")
        .only(TCP),
        recovery::DELAYED_ACK_TIMEOUT,
        recovery::QUICK_ACKS,
        recovery::RTO_MIN,
        recovery::RTO_FLOOR,
        recovery::RTO_GRANULARITY,
        recovery::RTO_INITIAL,
        recovery::RTO_MAX,
        key("reverse", Bool, "Data flows from `to` to `from`.")
            .default("false")
            .only(TCP),
        key("rate", Kind::Rate, "Rate of UDP payload.")
            .required()
            .only(UDP),
        key(
            "arrivals",
            Choice(&["constant", "poisson"]),
            "Equal or exponential gaps between datagrams.",
        )
        .default("constant")
        .only(UDP),
    ],
};

pub(crate) const EVENT: Section = Section {
    name: "event",
    doc: "A change of a link at one instant; every key but the first three is a change.",
    keys: &[
        key("at", TIME, "When.").required(),
        key("link", Ref("link"), "On which link.").required(),
        key(
            "direction",
            Choice(&["forward", "reverse", "both"]),
            "Which way.",
        )
        .default("both"),
        key("rate", Kind::Rate, "The new rate."),
        key("delay", POSITIVE_TIME, "The new one-way propagation."),
        key("queue", Queue, "The new limit of what may wait."),
        key("up", Bool, "`false` drops what is offered, until `true`."),
        LOSS,
        LOSE,
        LOSE_EVERY,
        GILBERT,
        BIT_ERRORS,
    ],
};

const ORIGINS: &[&str] = &["predicted", "simulated", "emulated", "measured", "captured"];

pub(crate) const EXPECT: Section = Section {
    name: "expect",
    doc: "A band in which a metric must lie.",
    keys: &[
        key("metric", Text, "`TEST.METRIC`, `link.NAME.A>B.METRIC` or `search.NAME.highest_bps`.").required(),
        key("over", Text, "Divide by this metric."),
        key("minus", Text, "Subtract this metric."),
        key("min", Bound, "Lower bound, in the metric's unit or with one."),
        key("max", Bound, "Upper bound."),
        key("value", Bound, "Both bounds at once, with `tolerance` around them."),
        key("tolerance", Bound, "Half the width of the band around `value`: a share such as `0.5 %`, or in the metric's unit.")
            .default("0"),
        key("at", Point, "Points of the sweep it applies to.").default("all"),
        key("origins", Choices(ORIGINS), "Results it applies to.").default("those that ran"),
        key("stated", Text, "The source's own words; printed, never compared."),
        key("source", Text, "The source."),
        key("note", Text, "Why the stated figure lies outside the band, where it does."),
    ],
};

pub(crate) const SEARCH: Section = Section {
    name: "search",
    doc: "The highest rate at which a metric stays within a bound, by bisection.",
    keys: &[
        key(
            "name",
            Name,
            "Name; its result is the metric `search.NAME.highest_bps`.",
        )
        .required(),
        key("keys", Texts, "`--set` paths that all take the rate tried.").required(),
        key("low", Kind::Rate, "A rate that is known to hold.").required(),
        key("high", Kind::Rate, "A rate that is known to fail.").required(),
        key(
            "resolution",
            Ratio,
            "Stop when the bracket is this small relative to its upper end.",
        )
        .default("0.1 %"),
        key(
            "only",
            Refs {
                of: "test",
                min: 1,
                max: 1000,
            },
            "Tests that run; the others are left out.",
        )
        .default("all"),
        key(
            "metrics",
            Texts,
            "Metrics that must stay at or below `at_most`.",
        )
        .required(),
        key(
            "at_most",
            Bound,
            "The bound, in the metrics' unit or with one.",
        )
        .default("0"),
    ],
};
