//! Random early detection, its curves for some frames, and thresholds.

use farpath_element::qdisc::RedConfig;
use farpath_units::{Duration, Ratio, Size};

use crate::decode::Fields;
use crate::diagnostic::Diagnostic;
use crate::key::Kind::{Bool, Queue, Ratio as Share, Table};
use crate::key::{Key, Section, key};
use crate::model::{DropRule, Match, QueueLimit, RedCurve};

pub(super) const KEY: Key = key(
    "red",
    Table(&TABLE),
    "Random early detection: drops by the average of what waits.",
);

const TABLE: Section = Section {
    name: "red",
    doc: "Random early detection (Floyd and Jacobson 1993). `aqm = \"red\"` without this table has a `min` of a twelfth of `queue`, a \
          `max` of a quarter of it, and the defaults below.",
    keys: &[
        key("min", Queue, "Mean queue below which nothing is dropped.").required(),
        key("max", Queue, "Mean queue at which `max_p` is reached.").required(),
        key("max_p", Share, "Probability of a drop just below `max`.").default("0.1"),
        key(
            "weight",
            Share,
            "Weight of each arriving frame's sample in the mean.",
        )
        .default("0.002"),
        key(
            "gentle",
            Bool,
            "Whether the probability rises to 1 between `max` and twice `max`, not at once.",
        )
        .default("true"),
        key(
            "ecn",
            Bool,
            "Whether ECN-capable datagrams are marked instead of dropped. Where the curve drops every frame they are dropped too \
             (RFC 3168 §7).",
        )
        .default("false"),
    ],
};

const USUAL_MAX_P: f64 = 0.1;
const USUAL_WEIGHT: f64 = 0.002;

pub(super) fn read(f: &Fields, faults: &mut Vec<Diagnostic>) -> RedConfig {
    let weight = ratio(f, "weight", USUAL_WEIGHT).get();
    if weight == 0.0 {
        let title = "`weight` of `red` is 0: the mean would never move";
        let help = "0.002 is usual; 1 is the queue itself";
        faults.push(Diagnostic::new(f.place("weight"), title).help(help));
    }
    RedConfig {
        weight,
        gentle: f.get("gentle").unwrap_or(true),
        ecn: f.get("ecn").unwrap_or(false),
    }
}

/// The curve of RED that is named and has no table: up to a quarter of the queue, from a third of that (`tc red` of iproute2).
pub(crate) fn usual_curve(queue: QueueLimit) -> RedCurve {
    let part = |n: u64| match queue {
        QueueLimit::Bytes(size) => QueueLimit::Bytes(Size::from_bytes(size.as_bytes() / n)),
        QueueLimit::Packets(packets) => QueueLimit::Packets(packets / n),
        QueueLimit::Time(time) => QueueLimit::Time(Duration::from_ps(time.as_ps() / n)),
        QueueLimit::Bdp(x) => QueueLimit::Bdp(x / n as f64),
    };
    RedCurve {
        min: part(12),
        max: part(4),
        max_p: Ratio::new(USUAL_MAX_P).unwrap_or_default(),
    }
}

/// The curve of a table that has `red`.
pub(crate) fn curve(f: &Fields, faults: &mut Vec<Diagnostic>) -> Option<RedCurve> {
    let f: Fields = f.get(KEY.name)?;
    let (min, max): (QueueLimit, QueueLimit) = (f.get("min")?, f.get("max")?);
    let ordered = match (min, max) {
        (QueueLimit::Bytes(a), QueueLimit::Bytes(b)) => a < b,
        (QueueLimit::Packets(a), QueueLimit::Packets(b)) => a < b,
        (QueueLimit::Time(a), QueueLimit::Time(b)) => a < b,
        (QueueLimit::Bdp(a), QueueLimit::Bdp(b)) => a < b,
        _ => {
            let title = "`min` and `max` of `red` in different units";
            let help = "write both in bytes, in packets, as times or in bdp";
            faults.push(Diagnostic::new(f.place("max"), title).help(help));
            true
        }
    };
    if !ordered {
        let title = "`max` of `red` is not above `min`";
        let help = "Floyd's rule of thumb: max = 3 times min, or 2 with `gentle`";
        faults.push(Diagnostic::new(f.place("max"), title).help(help));
    }
    let max_p = ratio(&f, "max_p", USUAL_MAX_P);
    Some(RedCurve { min, max, max_p })
}

fn ratio(f: &Fields, key: &str, usual: f64) -> Ratio {
    f.get(key).or(Ratio::new(usual)).unwrap_or_default()
}

/// One rule of a class; it may have a curve where `red` manages the queue.
pub(crate) fn drop_rule(
    f: &Fields,
    matches: Vec<Match>,
    red: Option<RedCurve>,
    faults: &mut Vec<Diagnostic>,
) -> DropRule {
    let (above, min, max) = (f.get("above"), f.get::<Ratio>("min"), f.get::<Ratio>("max"));
    let mut fault = |key: &str, title: &str, help: &str| {
        faults.push(Diagnostic::new(f.place(key), title).help(help));
    };
    if matches.is_empty() {
        fault(
            "name",
            "a `drop` rule without a match",
            "add dscp, precedence, cos or exp: the frames it is for",
        );
    }
    let curve = match (min, max) {
        (None, None) => None,
        (Some(min), Some(max)) if min.get() < max.get() => {
            let usual = red.map_or(USUAL_MAX_P, |r| r.max_p.get());
            Some((min, max, ratio(f, "max_p", usual)))
        }
        (Some(_), Some(_)) => {
            fault(
                "max",
                "`max` of a `drop` rule is not above `min`",
                "both are parts of the queue's limit: min = \"40 %\", max = \"80 %\"",
            );
            None
        }
        _ => {
            fault(
                "min",
                "a `drop` rule with one of `min` and `max`",
                "write both, or `above` for a plain threshold",
            );
            None
        }
    };
    if curve.is_some() && red.is_none() {
        fault(
            "min",
            "a `drop` rule with a curve in a class without `red`",
            "add red = { min = …, max = … } to the class: the frames of no rule follow it",
        );
    }
    if curve.is_none() && !f.has("above") && !f.has("min") && !f.has("max") {
        fault(
            "above",
            "a `drop` rule that drops nothing",
            "add above = \"60 %\", or `min` and `max`",
        );
    }
    DropRule {
        matches,
        above,
        curve,
    }
}
