//! `farpath.diagnosis/1`: what `farpath diagnose --json` prints.

use serde::Serialize;

use crate::history::History;

/// The name of the document's form.
pub(crate) const SCHEMA: &str = "farpath.diagnosis/1";

/// A diagnosis.
#[derive(Clone, Debug, Serialize)]
pub struct Diagnosis {
    /// `farpath.diagnosis/1`.
    pub schema: &'static str,
    /// Version of farpath.
    pub version: String,
    /// What was read.
    pub read: Vec<Piece>,
    /// What was not read, and why.
    pub notes: Vec<String>,
    /// What cannot both be true.
    pub contradictions: Vec<Contradiction>,
    /// Every flow.
    pub flows: Vec<FlowReport>,
    /// Flows of which there are several tests, and how their rates went.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub histories: Vec<History>,
    /// Text for the ticket.
    pub ticket: String,
}

/// A stretch of lines that one tool printed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Piece {
    /// `ticket.txt:3-19`.
    pub source: String,
    /// The tool; `unknown` for the lines of a source that nobody knew.
    #[serde(rename = "as")]
    pub tool: String,
    /// How many facts it gave.
    pub facts: usize,
    /// Lines that nobody knew, the first of them.
    pub ignored_lines: Vec<u32>,
    /// How many more there are.
    #[serde(skip_serializing_if = "is_none")]
    pub ignored_more: usize,
}

/// Whether there are none.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_none(n: &usize) -> bool {
    *n == 0
}

/// Two facts that cannot both be true, or a figure above what should limit it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Contradiction {
    /// What contradicts what.
    pub text: String,
    /// Where.
    pub from: Vec<String>,
}

/// One flow.
#[derive(Clone, Debug, Serialize)]
pub struct FlowReport {
    /// `A > B`; what is slow where it is not a transfer.
    pub name: String,
    /// Whether it is what is slow and not a transfer, beside flows that have rates: it has no rate, and stands behind them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unrated: bool,
    /// The rate that is to be explained.
    pub observed: Observed,
    /// Connections side by side that it is the sum of, where sockets alone speak of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub streams: Vec<Stream>,
    /// Every ceiling that could be computed, lowest first.
    pub ceilings: Vec<Ceiling>,
    /// The verdict.
    pub verdict: VerdictReport,
    /// Facts that would decide, the most useful first.
    pub missing: Vec<MissingFact>,
    /// What to change.
    pub changes: Vec<Change>,
    /// Whether the rate that was expected is reached, or can be; none where nobody expected one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// What a simulation of the flow says of the verdict, where one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verify: Option<Verify>,
}

/// A flow's twin beside what was measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Verify {
    /// The scenario; none where the evidence does not make one.
    pub scenario: Option<String>,
    /// What was measured, bit/s.
    pub measured_bps: Option<f64>,
    /// The twin's goodput, bit/s: of several runs, their median.
    pub before_bps: Option<f64>,
    /// The least of its runs.
    pub before_low_bps: Option<f64>,
    /// The most of its runs.
    pub before_high_bps: Option<f64>,
    /// What limited it, as `limited_by` of a record.
    pub before_limited_by: Option<String>,
    /// The mean round trip under load that was measured, nanoseconds, where the twin has one to compare.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured_rtt_ns: Option<f64>,
    /// The twin's mean round trip, nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before_rtt_ns: Option<f64>,
    /// Its goodput after the first change, bit/s; none without a change.
    pub after_bps: Option<f64>,
    /// What limits it then.
    pub after_limited_by: Option<String>,
    /// What the change was predicted to give, bit/s.
    pub predicted_bps: Option<f64>,
    /// How many runs there were, each with a seed of its own.
    pub runs: usize,
    /// Whether rate and limit of the twin are those of the measurement; none where it has nothing of the cause.
    pub agrees: Option<bool>,
    /// The same between real kernels, where that was asked for and possible.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub emulated: Option<Box<Verify>>,
    /// What a reader must know, a sentence each.
    pub notes: Vec<String>,
}

/// A measured rate.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Observed {
    /// Payload delivered, bit/s; none if no test was in the texts.
    pub goodput_bps: Option<f64>,
    /// The least it may be, by rounding.
    pub low_bps: Option<f64>,
    /// The most it may be.
    pub high_bps: Option<f64>,
    /// `receiver` or `sender`: whose report it is.
    pub side: Option<&'static str>,
    /// Where it was read.
    pub source: Option<String>,
    /// How long nothing was acknowledged to a socket that repeats what it sent, or nothing new was sent by one whose receiver keeps its
    /// window shut, nanoseconds: it is stalled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stalled_ns: Option<f64>,
    /// Time of its first packet where it was captured, or else the one that iperf3 wrote down: nanoseconds since 1970-01-01 00:00 UTC by
    /// that host's clock.
    pub at_utc_ns: Option<i64>,
    /// Round-trip time that the figures are for, nanoseconds.
    pub rtt_ns: Option<f64>,
    /// Bytes in flight that the rate and the round-trip time imply: a figure of its own, no ceiling uses it.
    pub implied_flight_bytes: Option<f64>,
}

/// A connection of several side by side.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stream {
    /// `A:PORT > B:PORT`.
    pub name: String,
    /// Payload delivered, bit/s.
    pub goodput_bps: Option<f64>,
    /// Where it was read.
    pub source: Option<String>,
}

/// What would limit the flow by itself.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ceiling {
    /// The cause.
    pub cause: &'static str,
    /// The rate, bit/s.
    pub limit_bps: f64,
    /// The least it may be.
    pub low_bps: f64,
    /// The most it may be.
    pub high_bps: f64,
    /// How it was computed.
    pub formula: String,
    /// Where its facts were read.
    pub from: Vec<String>,
}

impl Ceiling {
    /// Those that say the same are one, which was read at all their places.
    pub(crate) fn each_once(all: impl Iterator<Item = Ceiling>) -> Vec<Ceiling> {
        let mut once: Vec<Ceiling> = Vec::new();
        for one in all {
            match once.iter_mut().find(|c| c.says(&one)) {
                Some(first) => {
                    let new = one.from.into_iter().filter(|at| !first.from.contains(at));
                    let new: Vec<String> = new.collect();
                    first.from.extend(new);
                }
                None => once.push(one),
            }
        }
        once
    }

    /// Whether another one says the same.
    fn says(&self, other: &Ceiling) -> bool {
        let figures = |c: &Ceiling| [c.limit_bps, c.low_bps, c.high_bps];
        let alike = self.cause == other.cause && self.formula == other.formula;
        alike && figures(self) == figures(other)
    }
}

/// The cause and how sure it is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VerdictReport {
    /// The cause; `unknown` if none reaches 0.4.
    pub cause: &'static str,
    /// Its probability, 0 to 1; of `unknown`, that of the likeliest.
    pub confidence: f64,
    /// Share of the time that it held, 0 to 1, where the sender's side shows that.
    pub share: Option<f64>,
    /// What held besides for a part of the time that was seen; else the next likeliest.
    pub second: Option<Ranked>,
    /// Why, a sentence each.
    pub because: Vec<String>,
}

/// A cause with its probability.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ranked {
    /// The cause.
    pub cause: &'static str,
    /// Its probability.
    pub confidence: f64,
    /// Share of the time that it held, 0 to 1, where the sender's side shows that.
    pub share: Option<f64>,
}

/// What limits next.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Then {
    /// The cause.
    pub cause: &'static str,
    /// The rate that it leaves, bit/s.
    pub limit_bps: f64,
}

/// A fact that would decide.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MissingFact {
    /// Its name.
    pub fact: &'static str,
    /// What it would decide.
    pub would_decide: String,
    /// The command that gets it.
    pub command: String,
}

/// What to change on a host; of two, the second is to be changed after the first.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Change {
    /// The host.
    pub host: String,
    /// Its system, if known.
    pub os: &'static str,
    /// Commands.
    pub commands: Vec<String>,
    /// Commands that undo them.
    pub undo: Vec<String>,
    /// What keeps the change after the next start.
    pub persist: Vec<String>,
    /// What may go wrong.
    pub risk: String,
    /// Rate to expect then, bit/s; none where no fact bounds it.
    pub predicted_bps: Option<f64>,
    /// The least to expect.
    pub low_bps: Option<f64>,
    /// The most to expect.
    pub high_bps: Option<f64>,
    /// What limits then, and at which rate; none where no fact says it.
    pub then: Option<Then>,
    /// How long slow start takes until then, nanoseconds, where that is a second or more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_ns: Option<f64>,
}

impl Verify {
    /// The evidence makes no scenario.
    pub fn impossible(why: impl std::fmt::Display) -> Verify {
        Verify {
            notes: vec![format!(
                "no scenario can be made: {why}; give --rtt, or what ping printed"
            )],
            ..Verify::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Ceiling;

    #[test]
    fn what_two_sockets_say_alike_is_one_ceiling() {
        let of = |bps: f64, from: &str| Ceiling {
            cause: "receive_window",
            limit_bps: bps,
            low_bps: bps,
            high_bps: bps,
            formula: "65536 B · 8 / RTT (20 ms): the window".to_owned(),
            from: vec!["you".to_owned(), from.to_owned()],
        };
        let all = [of(26e6, "a:1"), of(26e6, "a:2"), of(27e6, "a:3")];
        let once = Ceiling::each_once(all.into_iter());
        assert_eq!(once.len(), 2, "{once:?}");
        assert_eq!(once[0].from, ["you", "a:1", "a:2"]);
    }
}
