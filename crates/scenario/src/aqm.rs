//! Active queue management, flow queueing and shaping, as a link's keys describe them.

use farpath_units::{Duration, Rate, Ratio, Size};

use crate::decode::Fields;
use crate::diagnostic::Diagnostic;
use crate::model::QueueLimit;
use crate::queueing::Match;

/// Random early detection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Red {
    /// Mean queue below which nothing is dropped.
    pub min: QueueLimit,
    /// Mean queue at which `max_p` is reached.
    pub max: QueueLimit,
    /// Probability of a drop just below `max`.
    pub max_p: Ratio,
    /// Weight of each sample in the mean.
    pub weight: Ratio,
    /// The probability rises to 1 at twice `max`.
    pub gentle: bool,
    /// ECN-capable datagrams are marked.
    pub ecn: bool,
}

/// Controlled delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Codel {
    /// Acceptable standing delay.
    pub target: Duration,
    /// Time in which ends react.
    pub interval: Duration,
    /// ECN-capable datagrams are marked.
    pub ecn: bool,
}

/// Flow queueing with controlled delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FqCodel {
    /// Queues that flows are hashed to.
    pub flows: u16,
    /// Bytes of a turn; a full frame if absent.
    pub quantum: Option<u32>,
    /// Frames that may wait.
    pub packets: u64,
    /// Bytes that may wait.
    pub memory: Size,
    /// The controller of each queue.
    pub codel: Codel,
}

/// A shaper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Rate at which its bucket fills.
    pub rate: Rate,
    /// Bytes the bucket holds; a full frame if absent.
    pub burst: Option<Size>,
}

/// A drop rule of some of a class's frames; parts of the queue's limit.
#[derive(Clone, Debug, PartialEq)]
pub struct DropRule {
    /// The frames.
    pub matches: Vec<Match>,
    /// They do not fill the queue further than this.
    pub above: Option<Ratio>,
    /// Their own `min`, `max` and `max_p` of the class's RED.
    pub curve: Option<(Ratio, Ratio, Ratio)>,
}

const USUAL_MAX_P: f64 = 0.1;
const USUAL_WEIGHT: f64 = 0.002;

pub(crate) fn red(f: &Fields, faults: &mut Vec<Diagnostic>) -> Option<Red> {
    let f: Fields = f.get("red")?;
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
    let weight = ratio(&f, "weight", USUAL_WEIGHT);
    if weight.get() == 0.0 {
        let title = "`weight` of `red` is 0: the mean would never move";
        let help = "0.002 is usual; 1 is the queue itself";
        faults.push(Diagnostic::new(f.place("weight"), title).help(help));
    }
    Some(Red {
        min,
        max,
        max_p: ratio(&f, "max_p", USUAL_MAX_P),
        weight,
        gentle: f.get("gentle").unwrap_or(true),
        ecn: f.get("ecn").unwrap_or(false),
    })
}

fn ratio(f: &Fields, key: &str, usual: f64) -> Ratio {
    f.get(key).or(Ratio::new(usual)).unwrap_or_default()
}

/// The controller a table describes; `ecn` if it does not say.
fn controller(f: &Fields, ecn: bool) -> Codel {
    Codel {
        target: f.get("target").unwrap_or(Duration::from_ms(5)),
        interval: f.get("interval").unwrap_or(Duration::from_ms(100)),
        ecn: f.get("ecn").unwrap_or(ecn),
    }
}

pub(crate) fn codel(f: &Fields) -> Option<Codel> {
    f.get::<Fields>("codel").map(|f| controller(&f, false))
}

/// Flow queueing, with or without a table of details.
pub(crate) fn fq_codel(f: Option<&Fields>) -> FqCodel {
    let empty = Fields::empty();
    let f = f.unwrap_or(&empty);
    let count = |key: &str| f.get::<i64>(key).map(i64::unsigned_abs);
    FqCodel {
        flows: count("flows")
            .and_then(|n| u16::try_from(n).ok())
            .unwrap_or(1024),
        quantum: count("quantum").and_then(|n| u32::try_from(n).ok()),
        packets: count("packets").unwrap_or(10_240),
        memory: f.get("memory").unwrap_or(Size::from_bytes(32_000_000)),
        codel: controller(f, true),
    }
}

pub(crate) fn shape(f: &Fields) -> Option<Shape> {
    Some(Shape {
        rate: f.get("rate")?,
        burst: f.get("burst"),
    })
}

/// One rule of a class, whose `red` may have a say.
pub(crate) fn drop_rule(
    f: &Fields,
    matches: Vec<Match>,
    red: Option<&Red>,
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
