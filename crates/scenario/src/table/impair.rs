//! The keys of impairments: what a link does to frames besides losing them.

use crate::key::Kind::{BitErrorRate, Bool, Choice, Int, Number, Ratio, Table, Text};
use crate::key::{Key, Kind, Section, key};

const TIME: Kind = Kind::Span { zero: true };
const POSITIVE_TIME: Kind = Kind::Span { zero: false };
const EVERY: Kind = Int {
    min: 1,
    max: 1_000_000_000,
};

pub(crate) const DISTRIBUTIONS: &[&str] =
    &["uniform", "normal", "pareto", "pareto-normal", "table"];

pub(super) const JITTER_KEY: Key = key(
    "jitter",
    Table(&JITTER),
    "A delay added to each frame's propagation; frames keep their order unless `reorder` is true.",
);
pub(super) const REORDERING_KEY: Key = key(
    "reordering",
    Table(&REORDERING),
    "Frames that are held back while others go on.",
);
pub(super) const DUPLICATION_KEY: Key = key(
    "duplication",
    Table(&DUPLICATION),
    "Frames that arrive twice.",
);
pub(super) const CORRUPTION_KEY: Key = key(
    "corruption",
    Table(&CORRUPTION),
    "Frames that are damaged, and where that is found.",
);

pub(super) const FLAP_KEY: Key = key("flap", Table(&FLAP), "The link goes down and up by itself.");
pub(super) const RATE_TRACE_KEY: Key = key(
    "rate_trace",
    Table(&RATE_TRACE),
    "The rate follows a file; not on a direction that a host sends on.",
);

const FLAP: Section = Section {
    name: "flap",
    doc: "Times up and down, beginning up; each direction is drawn for itself.",
    keys: &[
        key("up", POSITIVE_TIME, "How long it is up at a time.").required(),
        key("down", POSITIVE_TIME, "How long it is down at a time.").required(),
        key("random", Bool, "Both are means of exponential times.").default("false"),
        key(
            "while_down",
            Choice(&["drop", "hold"]),
            "`drop` loses what is offered, what waits and what is on the line when it goes down; `hold` lets the line deliver, and all else wait.",
        )
        .default("drop"),
    ],
};

const RATE_TRACE: Section = Section {
    name: "rate_trace",
    doc: "A file of rates.",
    keys: &[
        key(
            "file",
            Text,
            "Beside the scenario: a CSV file with the header `time_s,rate` (`12 Mbit/s`) or `time_s,rate_bps`, or a mahimahi trace (`.trace`, `.up`, `.down`, `.pps`): one time in ms for each 1500 bytes, repeated.",
        )
        .required(),
        key(
            "between",
            Choice(&["step", "linear"]),
            "Between two times, the rate of the first holds, or it goes straight to that of the second.",
        )
        .default("step"),
        key(
            "repeat",
            Bool,
            "All over again from the last line's time on; else its rate holds.",
        )
        .default("false"),
    ],
};

const JITTER: Section = Section {
    name: "jitter",
    doc: "Added delay, drawn for each frame; it is never negative, so the mean rises with it.",
    keys: &[
        key(
            "distribution",
            Choice(DISTRIBUTIONS),
            "`uniform` from 0 to `max`; `normal`, cut off at 0; `pareto` from 0 up; a quarter `normal` and three quarters `pareto`; or measured delays.",
        )
        .default("uniform"),
        key("mean", TIME, "Mean of `normal` and `pareto` before they are cut off."),
        key("std", TIME, "Standard deviation of `normal` before it is cut off."),
        key(
            "shape",
            Number {
                above: 1.0,
                max: 100.0,
            },
            "Exponent of `pareto`'s tail.",
        )
        .default("3"),
        key(
            "max",
            TIME,
            "Longest delay of `uniform` and `pareto`; 0: none.",
        )
        .default("1000 means for `pareto`"),
        key(
            "file",
            Text,
            "For `table`: a CSV file beside the scenario with the header `delay_us`, one delay a line, each as likely.",
        ),
        key(
            "correlation",
            Ratio,
            "Of the normal scores of successive frames of a flow, below 1; the distribution stays the same.",
        )
        .default("0"),
    ],
};

const REORDERING: Section = Section {
    name: "reordering",
    doc: "Frames held back.",
    keys: &[
        key(
            "share",
            Ratio,
            "Probability with which a frame is held back.",
        )
        .instead_of("every"),
        key(
            "every",
            EVERY,
            "Every n-th frame of each flow is held back.",
        )
        .instead_of("share"),
        key("by", POSITIVE_TIME, "How long.").required(),
    ],
};

const DUPLICATION: Section = Section {
    name: "duplication",
    doc: "Frames handed on twice; a copy takes no time on the link.",
    keys: &[
        key("share", Ratio, "Probability with which a frame is doubled.").instead_of("every"),
        key("every", EVERY, "Every n-th frame of each flow is doubled.").instead_of("share"),
        key("after", TIME, "From the frame's arrival to its copy's.").default("0 s"),
    ],
};

const CORRUPTION: Section = Section {
    name: "corruption",
    doc: "Damaged frames.",
    keys: &[
        key("share", Ratio, "Probability with which a frame is damaged.").instead_of("bit_error_rate"),
        key(
            "bit_error_rate",
            BitErrorRate,
            "Probability with which each bit of a frame is wrong; Ethernet's preamble and FCS count, its gap between frames does not.",
        )
        .instead_of("share"),
        key(
            "found_by",
            Choice(&["crc", "checksum"]),
            "The far end's interface, which drops the frame, or the end host's transport checksum: damage that happens inside a router.",
        )
        .default("crc"),
        key(
            "undetected",
            Ratio,
            "With `checksum`: share of damaged frames that are not found at all; 1/65536 = 1.53e-5 if all sums are alike.",
        )
        .default("0"),
    ],
};
