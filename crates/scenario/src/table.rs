//! The keys of every section: the format itself, as data.

mod bundle;
mod host;
mod impair;
mod link;
mod mpls;
mod queueing;
mod traffic;

use crate::atm;
use crate::congestion;
use crate::key::Kind::{
    Bool, Bound, Choice, Choices, Class, Int, Name, Octets, Point, Queue, Ratio, Ref, Refs, Span,
    Table, Text, Texts,
};
use crate::key::{Kind, Section, key};
use crate::recovery;
pub(crate) use bundle::BUNDLE;
pub(crate) use host::HOST;
pub(crate) use link::LINK;
use link::{BIT_ERRORS, GILBERT, LOSE, LOSE_EVERY, LOSS};
pub(crate) use mpls::{CCC, LSP};
use traffic::{ENVELOPE, ON_OFF, SIZES};

/// Largest TCP window: 65 535 shifted by 14 (RFC 7323 §2.3).
pub(crate) const LARGEST_WINDOW: u64 = 65_535 << 14;

/// Sections of which a file may have several, `[[…]]`.
pub(crate) const ARRAYS: [&Section; 10] = [
    &HOST, &ROUTER, &LINK, &BUNDLE, &LSP, &CCC, &TEST, &EVENT, &EXPECT, &SEARCH,
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
            "Seed of all randomness; `--seed` overrides it.",
        )
        .default("1"),
        key(
            "intervals",
            Int {
                min: 1,
                max: 100_000,
            },
            "How many intervals the series have, about: more make a finer and larger record; `--intervals` \
             overrides it.",
        )
        .default("600"),
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
        key(
            "config",
            Text,
            "Its configuration file, beside the scenario: LSPs, cross-connects, MTUs and queues come \
             from it, and `farpath check` prints what is to be said about it.",
        ),
        key(
            "dialect",
            Choice(&["junos", "junos-set", "ios", "catos"]),
            "The language of `config`.",
        )
        .default("what the text shows"),
    ],
};

const PING: &[&str] = &["ping"];
const BULK: &[&str] = &["tcp"];
pub(crate) const TCP: &[&str] = &["tcp", "transfer", "request", "flows"];
const STREAMS: &[&str] = &["tcp", "transfer", "request"];
const FLOWS: &[&str] = &["flows"];
const UDP: &[&str] = &["udp"];
const TRANSFER: &[&str] = &["transfer"];
const REQUEST: &[&str] = &["request"];
const TIMED: &[&str] = &["tcp", "udp", "transfer", "request", "flows", "cells"];
const PACED: &[&str] = &["udp", "cells"];
const CELLS: &[&str] = &["cells"];

pub(crate) const TEST: Section = Section {
    name: "test",
    doc: "Traffic, and what is measured of it.",
    keys: &[
        key("name", Name, "Name, unique among tests.").required(),
        key("kind", Choice(&["ping", "tcp", "udp", "transfer", "request", "flows", "cells"]), "What it does.").required(),
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
        .default("10 s; none for a transfer or flows, or when `bytes` or `requests` is given")
        .only(TIMED),
        key(
            "omit",
            TIME,
            "How long after the start the measurement begins.",
        )
        .default("0 s")
        .only(TIMED),
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
        .only(STREAMS),
        key("bytes", ANY_SIZE, "Payload each connection transfers.")
            .default("as much as `duration` allows")
            .only(BULK),
        recovery::SACK,
        recovery::RACK,
        recovery::REDUCTION,
        recovery::FRTO,
        recovery::NEWRENO,
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
            .only(&["tcp", "transfer", "flows"]),
        key("files", COUNT, "Files, shared out over the connections.")
            .default("1")
            .only(TRANSFER),
        key("file_size", ANY_SIZE, "Bytes of each file.")
            .required()
            .only(TRANSFER),
        key("pipelining", COUNT, "Files asked for at once on each connection: with 1, a round trip passes between two files.")
            .default("1")
            .only(TRANSFER),
        key("block", ANY_SIZE, "Bytes of an answer.")
            .default("64 KiB")
            .only(REQUEST),
        key("request_size", ANY_SIZE, "Bytes of a request.")
            .default("100 B")
            .only(REQUEST),
        key("outstanding", COUNT, "Requests on each connection that wait for their answer at most.")
            .default("1")
            .only(REQUEST),
        key("think_time", TIME, "From an answer to the request that follows it.")
            .default("0 s")
            .only(REQUEST),
        key("requests", COUNT, "Requests on each connection.")
            .default("as many as `duration` allows")
            .only(REQUEST),
        key("rate", Kind::Rate, "Rate of UDP payload, required without `replay`; of whole cells (cells).").only(PACED)
            .instead_of("replay"),
        key(
            "arrivals",
            Choice(&["constant", "poisson"]),
            "Equal or exponential gaps between datagrams.",
        )
        .default("constant")
        .only(UDP),
        key("on_off", Table(&ON_OFF), "Bursts at `rate` and pauses between them.").only(UDP),
        key("replay", Text, "A CSV file of `time_s,bytes` or `time_s,rate_bps`, beside the scenario, that says what is sent.")
            .only(UDP)
            .instead_of("rate"),
        key("envelope", Table(&ENVELOPE), "Day and night: how the rate, or the arrivals of flows, rise and fall.")
            .only(&["udp", "flows"]),
        key("flows", Int { min: 1, max: 10_000 }, "Connections in all, one after the other or overlapping.")
            .required()
            .only(FLOWS),
        key("spacing", POSITIVE_TIME, "Mean time from one connection's start to the next; exponential.")
            .required()
            .only(FLOWS),
        key("sizes", Table(&SIZES), "How much each connection transfers.")
            .required()
            .only(FLOWS),
        key("burst", COUNT, "Cells that come together, at `peak`; on average they come at `rate`.").only(CELLS),
        key("peak", Kind::Rate, "Rate of the cells of a burst.").only(CELLS),
        key("contract", Table(&atm::METER), "What the receiver holds the cells against: `conforming_ratio`.").only(CELLS),
        key(
            "tool",
            Choice(&["farpath", "iperf3"]),
            "The program that runs it between real hosts; predictions and simulations know none.",
        )
        .default("farpath")
        .only(&["tcp", "udp"]),
        key("group", Name, "Tests of one group are compared: `group_jain_index`.").only(TIMED),
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
