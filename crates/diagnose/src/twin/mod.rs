//! A flow's twin: the scenario that its evidence comes to, and what a run of it says of the verdict.

mod change;
mod grounds;
mod host;
mod judge;
mod model;
mod text;
mod work;

use std::fmt;

use crate::cause::Cause;
use crate::document::Change;
use crate::fact::Figure;
use crate::flows::flow::flows;
use crate::read::Facts;
use crate::verdict::Judged;
use grounds::Grounds;
use model::Model;

pub use judge::Run;

/// Runs of a twin with random losses: their spread is that of the rate.
const REPEATS: u32 = 5;

/// A flow as scenarios: as it was measured, and after the first change.
#[derive(Clone, Debug)]
pub struct Twin {
    /// The scenario, each value with where it is from in a comment.
    pub scenario: String,
    /// The same after the first change; none where nothing is to be changed, or no scenario can say it.
    pub after: Option<String>,
    /// How often both are to be run, each with a seed of its own: more than once where losses are random.
    pub repeats: u32,
    /// What was measured, bit/s.
    pub measured_bps: Option<f64>,
    /// What the first change is predicted to give, bit/s.
    pub predicted_bps: Option<f64>,
    /// The mean round trip under load that was measured, seconds.
    pub rtt_s: Option<f64>,
    /// What a reader of the comparison must know, a sentence each.
    pub notes: Vec<String>,
    cause: Cause,
    /// Something was fitted to the measured rate.
    fitted: bool,
    /// The line's rate is assumed.
    line_assumed: bool,
    /// What the evidence leaves a flow of this cause, bit/s, least and most, where that is a buffer or a window.
    bounds_bps: Option<[f64; 2]>,
}

/// Why there is no twin of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoTwin {
    /// There are only so many flows.
    NoFlow {
        /// How many.
        count: usize,
    },
    /// Nothing says how long the path is.
    NoRoundTrip,
}

impl fmt::Display for NoTwin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoTwin::NoFlow { count: 1 } => write!(f, "there is one flow only"),
            NoTwin::NoFlow { count } => write!(f, "there are {count} flows"),
            NoTwin::NoRoundTrip => write!(f, "the round trip of the path is not known"),
        }
    }
}

impl std::error::Error for NoTwin {}

/// The twin of the flow of this number, from 0.
///
/// # Errors
/// There is no such flow, or the length of its path is not known.
pub fn twin(facts: &Facts, number: usize) -> Result<Twin, NoTwin> {
    let all = flows(facts);
    let flow = all.get(number).ok_or(NoTwin::NoFlow { count: all.len() })?;
    let judged = Judged::of(facts, flow);
    let grounds = Grounds {
        facts,
        flow,
        e: &judged.e,
        cause: judged.cause(),
    };
    let model = Model::of(&grounds).ok_or(NoTwin::NoRoundTrip)?;
    let change = judged.changes.first();
    let after = change.and_then(|_| change::changed(&model, &judged, &flow.shared));
    // What loses is looked for first, of which nothing is predicted: the twin has the change behind it.
    let mut foretold = judged.changes.iter();
    let unsaid = judged.cause() == Cause::RandomLoss || judged.e.detour.is_some();
    let foretold = foretold.find(|c| !unsaid || c.predicted_bps.is_some());
    let rate = |f: &Figure| f.value;
    let random = |m: &Model| m.loss.is_some();
    let lucky = random(&model) || after.as_ref().is_some_and(random);
    let limit = judged.limits.iter().find(|l| l.cause == judged.cause());
    let limit = limit.filter(|l| matches!(l.cause, Cause::SendBuffer | Cause::ReceiveWindow));
    Ok(Twin {
        scenario: text::text(&model, flow, &judged, false),
        notes: notes(&model, &judged, after.as_ref()),
        after: after.map(|m| text::text(&m, flow, &judged, true)),
        repeats: if lucky { REPEATS } else { 1 },
        measured_bps: judged.e.rate.as_ref().map(rate),
        rtt_s: judged.e.rtt_loaded.as_ref().map(rate),
        predicted_bps: foretold.and_then(|c: &Change| c.predicted_bps),
        cause: judged.cause(),
        fitted: !model.fitted.is_empty(),
        line_assumed: model.rate_assumed,
        bounds_bps: limit.map(|l| [l.rate.low, l.rate.high]),
    })
}

/// What the twin cannot say.
fn notes(model: &Model, judged: &Judged, changed: Option<&Model>) -> Vec<String> {
    let mut all = Vec::new();
    if !model.fitted.is_empty() {
        all.push(format!(
            "no text says {}: the twin assumes it, so that the rates are not compared",
            model.fitted.join(" and ")
        ));
    }
    if model.rate_assumed && changed.is_some() {
        all.push(
            "the rate of the line is assumed, and is all that the change can give: --line says what it is"
                .to_owned(),
        );
    }
    if model.work.is_shortened() {
        all.push(format!(
            "the test is shortened to {:.0} million packets",
            work::PACKETS_MAX / 1e6
        ));
    }
    let whole = model.work.omitted().is_none();
    if let Some(omit) = changed
        .and_then(|after| after.work.omitted())
        .filter(|_| whole)
    {
        all.push(format!(
            "the rate after the change leaves out the first {omit}, as the prediction knows nothing of slow start; those of the measurement and of its twin have it: a test from its start on gives less"
        ));
    }
    if judge::limits_of(judged.cause()).is_none() {
        let words = match judged.cause() {
            Cause::Unknown => "an unknown cause".to_owned(),
            cause => cause.words().to_owned(),
        };
        all.push(format!(
            "the twin cannot confirm {words}: it has nothing of it"
        ));
    }
    all
}
