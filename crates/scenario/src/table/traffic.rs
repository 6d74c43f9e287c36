//! What a `[[test]]` says about the shape of its traffic.

use crate::key::Kind::{Choice, Number, Ratio};
use crate::key::{ANY_SIZE, POSITIVE_TIME, Section, key};

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
