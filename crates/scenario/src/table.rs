//! The keys of every section: the format itself, as data.

mod bundle;
mod host;
mod impair;
mod link;
mod mpls;
mod queueing;
mod traffic;

use crate::key::Kind::{
    Bool, Bound, Choice, Choices, Int, Name, Point, Queue, Ratio, Ref, Refs, Text, Texts,
};
use crate::key::{Kind, POSITIVE_TIME, Section, TIME, key};
pub(crate) use bundle::BUNDLE;
pub(crate) use host::HOST;
use link::{BIT_ERRORS, GILBERT, LOSE, LOSE_EVERY, LOSS};
pub(crate) use link::{DIRECTION, LINK};
pub(crate) use mpls::{CCC, LSP};
pub(crate) use traffic::TEST;

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
            "Most intervals of the series, about: each lasts 1, 2 or 5 times a power of ten, so there may be two fifths of \
             them. More make a finer and larger record; `--intervals` overrides it.",
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

pub(crate) const EVENT: Section = Section {
    name: "event",
    doc: "A change of a link at one instant, for good or for some time; every key but the first five is a change.",
    keys: &[
        key(
            "name",
            Name,
            "What `--set` and a sweep know it by: `event.NAME.at`, `event.NAME.for`, `event.NAME.rate`.",
        ),
        key("at", TIME, "When.").required(),
        key(
            "for",
            POSITIVE_TIME,
            "How long: then what held before holds again. Of events that overlap the one that began last holds, and when that is \
             over the one before it.",
        )
        .default("for good"),
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
    doc: "A band in which a metric must lie. More of them can stand in a file of their own: `farpath run --expect FILE`.",
    keys: &[
        key(
            "metric",
            Text,
            "`TEST.METRIC`, `link.NAME.A>B.METRIC` or `search.NAME.highest_bps`.",
        )
        .required(),
        key(
            "over",
            Text,
            "Divide by this metric. Bounds are then shares of it: `0.1 %`, or a number such as 0.001.",
        ),
        key("minus", Text, "Subtract this metric."),
        key(
            "min",
            Bound,
            "Lower bound, with its unit; a bare number is in the metric's, and a run says so.",
        ),
        key("max", Bound, "Upper bound."),
        key(
            "value",
            Bound,
            "Both bounds at once, with `tolerance` around them.",
        ),
        key(
            "tolerance",
            Bound,
            "Half the width of the band around `value`: a share such as `0.5 %`, or as `min`.",
        )
        .default("0"),
        key(
            "stated_within",
            Bound,
            "In a file of `--expect` alone: the scenario itself must expect the same, once. From end to end its band must be at most this share of its own middle, \
             such as `5 %`. Of the two bands one must hold the middle of the other.",
        ),
        key("at", Point, "Points of the sweep it applies to.").default("all"),
        key("origins", Choices(ORIGINS), "Results it applies to.").default("those that ran"),
        key(
            "stated",
            Text,
            "The source's own words; printed, never compared.",
        ),
        key("source", Text, "The source."),
        key(
            "note",
            Text,
            "Why the stated figure lies outside the band, where it does, or what else is to be said of it; printed. In a file of `--expect` it is for whoever marks: on the page and in \
             JSON alone.",
        ),
    ],
};

pub(crate) const SEARCH: Section = Section {
    name: "search",
    doc: "The highest rate, size, time, ratio, or limit of a queue at which metrics stay within a bound, or the lowest, by bisection. Between the ends they \
          must cross the bound once: what holds at one value holds on the whole side of it.",
    keys: &[
        key(
            "name",
            Name,
            "Name; its result is a metric: `search.NAME.highest_bps` of rates, `…_bytes` of sizes, `…_s` of times, `…_packets` of \
             packets, `…_bdp` of queues in bdp, `…_ratio` of ratios, and `lowest_…` with `find`.",
        )
        .required(),
        key("keys", Texts, "`--set` paths that all take the value tried.").required(),
        key(
            "find",
            Choice(&["highest", "lowest"]),
            "Which of the values that hold.",
        )
        .default("highest"),
        key(
            "low",
            Bound,
            "The lower end, a quantity as the keys take it; it is known to hold, with `find = \"lowest\"` to fail.",
        )
        .required(),
        key(
            "high",
            Bound,
            "The upper end; it is known to fail, with `find = \"lowest\"` to hold.",
        )
        .required(),
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
            "Metrics that must stay within the bounds.",
        )
        .required(),
        key(
            "at_least",
            Bound,
            "What they must stay at or above, in the metrics' unit or with one.",
        ),
        key("at_most", Bound, "What they must stay at or below.")
            .default("0; with `at_least` none"),
    ],
};
