//! `[[test]]`, and what it says about the shape of its traffic.

use farpath_observe::metric::Subject;

use crate::atm;
use crate::congestion;
use crate::key::Kind::{Bool, Choice, Class, Int, Name, Number, Octets, Ratio, Ref, Table, Text};
use crate::key::{ANY_SIZE, COUNT, Kind, POSITIVE_TIME, Section, TIME, WINDOW, key};
use crate::kind::words::{
    BULK, CELLS, FLOWS, PACED, PERIODIC, PING, REQUEST, STREAMS, TCP, TIMED, TRANSFER, UDP,
};
use crate::recovery;

/// The words after `kind`: all but the last are kinds a scenario may have.
const NAMES: [&str; Subject::TESTS.len() - 1] = {
    let mut names = [""; Subject::TESTS.len() - 1];
    let mut n = 0;
    while n < names.len() {
        names[n] = Subject::TESTS[n].1;
        n += 1;
    }
    names
};

#[rustfmt::skip]
pub(crate) const TEST: Section = Section {
    name: "test",
    doc: "Traffic, and what is measured of it.",
    keys: &[
        key("name", Name, "Name, unique among tests.").required(),
        key("kind", Choice(&NAMES), "What it does: below.").required(),
        key("from", Ref("node"), "The node that starts.").required(),
        key("to", Ref("node"), "The node that answers.").required(),
        key("via", Ref("link"), "The sender's link, when it has several."),
        key("start", TIME, "When it starts.").default("0 s"),
        key("start_spread", TIME, "It starts later by a time drawn from the seed, from 0 to this: with `--repeat`, each repeat draws again. Connections of `parallel` draw one each, and the test starts with the first; those of iperf3 all start with that.").default("0 s"),
        key("duration", POSITIVE_TIME, "How long it is measured, after `omit`.").default("10 s; none for a transfer or flows, or when `bytes` or `requests` is given").only(TIMED),
        key("omit", TIME, "How long after the start the measurement begins.").default("0 s").only(TIMED),
        key("class", Class, "DSCP name (`ef`, `af11`, `cs1`, `le`) or the whole TOS byte.").default("0"),
        key("ip", Int { min: 4, max: 6 }, "4 or 6.").default("4"),
        key("count", COUNT, "Requests or datagrams sent.").default("5").only(PERIODIC),
        key("interval", POSITIVE_TIME, "From one to the next.").default("1 s").only(PERIODIC),
        key("timeout", POSITIVE_TIME, "How long an answer, or a datagram, is waited for: what comes later counts as lost, and a note says so.").default("5 s").only(PERIODIC),
        key("ttl", Int { min: 1, max: 255 }, "TTL of the requests.").default("64").only(PING),
        key("size", Octets { min: 1, max: 65_535 }, "Bytes of the IP datagram (ping, oneway) or of its UDP payload (udp).").default("84 (ping, oneway), 1472 (udp)").only(&["ping", "udp", "oneway"]),
        key("window", WINDOW, "Most payload bytes in flight: exact, no kernel rules.").only(TCP).instead_of("socket_buffer"),
        key("socket_buffer", WINDOW, "What is passed to setsockopt; the profile and its sysctls make a window of it.").only(TCP).instead_of("window"),
        congestion::CC,
        congestion::FLAVOUR,
        congestion::SLOW_START,
        congestion::HYSTART,
        congestion::MAX_SSTHRESH,
        congestion::REMEMBERED_WINDOW,
        congestion::IDLE_RESTART,
        congestion::PACING,
        congestion::PACING_RATE,
        congestion::GSO,
        key("parallel", Int { min: 1, max: 10_000 }, "Connections at once.").default("1").only(STREAMS),
        key("bytes", ANY_SIZE, "Payload each connection transfers.").default("as much as `duration` allows").only(BULK),
        recovery::SACK,
        recovery::RACK,
        recovery::REDUCTION,
        recovery::FRTO,
        recovery::NEWRENO,
        recovery::LIMITED_TRANSMIT,
        recovery::DSACK,
        recovery::EIFEL,
        recovery::ECN,
        key("timestamps", Bool, "Timestamps (RFC 7323): 12 bytes a segment.").default("true").only(TCP),
        key("initial_window", Int { min: 1, max: 1_000_000 }, "Initial window in segments.").default("1 (sender is bsd-1999), 2 (linux-2004), 10 (linux-5, linux-6)").only(TCP).instead_of("remembered_window"),
        key("initial_ssthresh", Int { min: 2, max: 1_000_000_000 }, "Initial slow-start threshold in segments.").default("unlimited").only(TCP),
        key("delayed_ack", Int { min: 1, max: 255 }, "One ACK per this many full segments. While an autotuned window opens, each segment, or what is gathered of several, is acknowledged at once, as by a kernel. The sender's `profile` decides what an ACK is worth to the window, and not `flavour`: one segment (bsd-1999, linux-2004), so that fewer ACKs slow its growth, or all that it acknowledges (linux-5, linux-6).").default("2").only(TCP),
        recovery::DELAYED_ACK_TIMEOUT,
        recovery::QUICK_ACKS,
        recovery::RTO_MIN,
        recovery::RTO_FLOOR,
        recovery::RTO_GRANULARITY,
        recovery::RTO_INITIAL,
        recovery::RTO_MAX,
        key("reverse", Bool, "Data flows from `to` to `from`, which opens the connection.").default("false").only(&["tcp", "transfer", "flows"]),
        key("files", COUNT, "Files, shared out over the connections.").default("1").only(TRANSFER),
        key("file_size", ANY_SIZE, "Bytes of each file.").required().only(TRANSFER),
        key("pipelining", COUNT, "Files asked for at once on each connection: with 1, a round trip passes between two files.").default("1").only(TRANSFER),
        key("block", ANY_SIZE, "Bytes of an answer.").default("64 KiB").only(REQUEST),
        key("request_size", ANY_SIZE, "Bytes of a request.").default("100 B").only(REQUEST),
        key("outstanding", COUNT, "Requests on each connection that wait for their answer at most.").default("1").only(REQUEST),
        key("think_time", TIME, "From an answer to the request that follows it.").default("0 s").only(REQUEST),
        key("requests", COUNT, "Requests on each connection.").default("as many as `duration` allows").only(REQUEST),
        key("rate", Kind::Rate, "Rate of UDP payload, required without `replay`; of whole cells (cells).").only(PACED).instead_of("replay"),
        key("arrivals", Choice(&["constant", "poisson"]), "Equal or exponential gaps between datagrams.").default("constant").only(UDP),
        key("on_off", Table(&ON_OFF), "Bursts at `rate` and pauses between them.").only(UDP),
        key("replay", Text, "A CSV file of `time_s,bytes` or `time_s,rate_bps`, beside the scenario, that says what is sent.").only(UDP).instead_of("rate"),
        key("envelope", Table(&ENVELOPE), "Day and night: how the rate, or the arrivals of flows, rise and fall.").only(&["udp", "flows"]),
        key("flows", Int { min: 1, max: 10_000 }, "Connections in all, one after the other or overlapping.").required().only(FLOWS),
        key("spacing", POSITIVE_TIME, "Mean time from one connection's start to the next; exponential.").required().only(FLOWS),
        key("sizes", Table(&SIZES), "How much each connection transfers.").required().only(FLOWS),
        key("burst", COUNT, "Cells that come together, at `peak`; on average they come at `rate`.").only(CELLS),
        key("peak", Kind::Rate, "Rate of the cells of a burst.").only(CELLS),
        key("contract", Table(&atm::METER), "What the receiver holds the cells against: `conforming_ratio`.").only(CELLS),
        key("tool", Choice(&["farpath", "iperf3"]), "The program that runs it between real hosts; predictions and simulations know none.").default("farpath").only(&["tcp", "udp"]),
        key("group", Name, "Tests of one group are compared: `group_jain_index`, `group_goodput_ratio` (least to greatest), and `group_streams_jain_index` by connections.").only(TIMED),
    ],
};

pub(crate) const ON_OFF: Section = Section {
    name: "on_off",
    doc: "Bursts and pauses of Pareto lengths: many such sources together are self-similar.",
    keys: &[
        key("on", POSITIVE_TIME, "Mean length of a burst.").required(),
        key("off", POSITIVE_TIME, "Mean length of a pause.").required(),
        key(
            "alpha",
            Number {
                above: 1.0,
                max: 100.0,
            },
            "Pareto exponent of both; below 2 their variance has no bound.",
        )
        .default("1.5"),
    ],
};

pub(crate) const ENVELOPE: Section = Section {
    name: "envelope",
    doc: "A share of the rate that changes with time; it begins at its lowest.",
    keys: &[
        key("period", POSITIVE_TIME, "One day.").required(),
        key("low", Ratio, "The least share of the rate.").required(),
        key(
            "shape",
            Choice(&["sinusoid", "steps"]),
            "Rising and falling, or half a period low and half a period high.",
        )
        .default("sinusoid"),
    ],
};

const PARETO: &[&str] = &["pareto"];
const LOGNORMAL: &[&str] = &["lognormal"];

pub(crate) const SIZES: Section = Section {
    name: "sizes",
    doc: "How large the transfers of a test of kind `flows` are.",
    keys: &[
        key(
            "kind",
            Choice(&["fixed", "pareto", "lognormal"]),
            "All alike; bounded Pareto; lognormal.",
        )
        .required(),
        key("size", ANY_SIZE, "Bytes of each.")
            .required()
            .only(&["fixed"]),
        key("least", ANY_SIZE, "The smallest.")
            .required()
            .only(PARETO),
        key("most", ANY_SIZE, "The largest.")
            .required()
            .only(PARETO),
        key(
            "alpha",
            Number {
                above: 0.0,
                max: 100.0,
            },
            "Pareto exponent.",
        )
        .default("1.2")
        .only(PARETO),
        key("median", ANY_SIZE, "Half of the sizes are smaller.")
            .required()
            .only(LOGNORMAL),
        key(
            "sigma",
            Number {
                above: 0.0,
                max: 5.0,
            },
            "Standard deviation of the natural logarithm.",
        )
        .default("1.5")
        .only(LOGNORMAL),
    ],
};
