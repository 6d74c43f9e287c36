//! The diagnosis: flows, their ceilings and verdicts, in one document.

use std::collections::BTreeSet;

use crate::advice::changes;
use crate::besides::{besides, is_of_its_kind};
use crate::captured;
use crate::cause::Cause;
use crate::ceiling::{Limit, bps, ceilings, ranged};
use crate::contradicted::contradict;
use crate::document::{
    Ceiling, Change, Contradiction, Diagnosis, FlowReport, Observed, Piece, Ranked, SCHEMA,
    VerdictReport,
};
use crate::evidence::Evidence;
use crate::fact::{Fact, Figure, Of};
use crate::flows::bystander;
use crate::flows::compared;
use crate::flows::flow::{self, Flow, flows};
use crate::flows::roles;
use crate::flows::sockets;
use crate::history;
use crate::hosts::{machine::unsaid, sent_again, swap};
use crate::infer::{self, Ranking, Weighed, weigh};
use crate::interfaces::bypassed;
use crate::known::DEFAULT_WINDOWS;
use crate::losses::pattern;
use crate::missing::missing;
use crate::paths::pinged;
use crate::ports;
use crate::programs::unrated;
use crate::read::Facts;
use crate::seen::{STARTED, Side};
use crate::target::target;
use crate::ticket;

/// Below this confidence the verdict is `unknown`.
const PROBABLE: f64 = 0.4;

/// Most sentences that say why.
const BECAUSE_MAX: usize = 6;

/// Makes a diagnosis of what was read. `version` is that of the program.
pub fn diagnose(facts: &Facts, version: &str) -> Diagnosis {
    let mut contradictions = Vec::new();
    let flows = flows(facts);
    let taken: Vec<usize> = flows.iter().flat_map(|f| f.captured.clone()).collect();
    let mut notes = facts.notes.clone();
    notes.extend(flow::left_out(facts));
    notes.extend(captured::left_out(facts, &taken));
    notes.extend(sockets::left_out(facts, &flows));
    notes.extend(pinged::left_out(facts, &flows));
    notes.extend(crate::reach::handshake::left_out(facts, &flows));
    notes.extend(roles::line_of_both_ways(facts, &flows));
    notes.extend(bystander::left_out(facts, &flows));
    notes.extend(bypassed::left_out(facts, &flows));
    notes.extend(crate::interfaces::bundle::notes(facts, &flows));
    notes.extend(compared::notes(facts, &flows));
    notes.extend(crate::hosts::mounted::left_out(facts));
    notes.extend(crate::hosts::full_table::emptied(facts));
    notes.extend(crate::hosts::cloud_elsewhere::notes(facts, &flows));
    notes.extend([swap::notes(facts), sent_again::notes(facts)].concat());
    notes.extend(crate::reach::answered_twice::notes(facts));
    notes.extend(crate::windows::route_metrics::notes(facts, &flows));
    notes.extend(crate::reach::foreign_reset::notes(facts));
    notes.extend(crate::paths::outer_mtu::notes(facts));
    let mut reports: Vec<FlowReport> = flows
        .iter()
        .map(|f| report(facts, f, &mut contradictions))
        .collect();
    let histories = history::of(&reports);
    let lineless = |r: &FlowReport| !r.ceilings.iter().any(|c| c.cause == Cause::Link.name());
    if reports.iter().all(lineless) {
        let all = reports.iter().flat_map(|r| &r.ceilings);
        let shapers = all.filter(|c| c.cause == Cause::Shaper.name());
        let shaper = shapers.map(|c| c.limit_bps).reduce(f64::min);
        notes.extend(ports::line_offered(facts, shaper));
    }
    // What is said of two flows that are called alike is said once.
    let mut said = BTreeSet::new();
    notes.retain(|note| said.insert(note.clone()));
    // It stands last: histories and twins have flows by their positions.
    let unrated = unrated::report(facts, &flows, &reports);
    reports.extend(unrated);
    Diagnosis {
        schema: SCHEMA,
        version: version.to_owned(),
        read: pieces(facts, &taken),
        notes,
        ticket: ticket::text(&reports, &histories, &contradictions),
        contradictions,
        histories,
        flows: reports,
    }
}

/// What the weights are fitted from, of one flow.
#[derive(Clone, Debug)]
pub struct Unfitted {
    /// Each cause and its score before the pattern of losses is weighed, decibans.
    pub scores: Vec<(&'static str, f64)>,
    /// How much of each knot of the pattern's features is in force, 0 to 1.
    pub activations: Vec<f64>,
    /// Causes that have a column of weights, in order.
    pub columns: Vec<&'static str>,
}

/// What the weights are fitted from, of the first flow; none without one.
pub fn unfitted(facts: &Facts) -> Option<Unfitted> {
    let all = flows(facts);
    let e = Evidence::of(facts, all.first()?);
    let (scores, activations) = infer::unfitted(&e, &ceilings(&e));
    Some(Unfitted {
        scores: scores.iter().map(|(c, s)| (c.name(), *s)).collect(),
        activations,
        columns: pattern::FITTED.iter().map(|c| c.name()).collect(),
    })
}

/// A flow, its evidence and what comes of it.
pub(crate) struct Judged<'a> {
    pub(crate) facts: &'a Facts,
    pub(crate) e: Evidence,
    pub(crate) limits: Vec<Limit>,
    pub(crate) changes: Vec<Change>,
    pub(crate) weighed: Weighed,
    pub(crate) verdict: VerdictReport,
}

impl<'a> Judged<'a> {
    /// Weighs the evidence on a flow.
    pub(crate) fn of(facts: &'a Facts, flow: &Flow) -> Judged<'a> {
        let e = Evidence::of(facts, flow);
        let limits = ceilings(&e);
        let weighed = weigh(&e, &limits);
        let verdict = verdict(&e, &limits, &weighed);
        let cause = Cause::named(verdict.cause).unwrap_or(Cause::Unknown);
        let second = besides(&e, &weighed).map(|s| s.cause);
        // A buffer beside something else may as well be the program.
        let second = second.filter(|s| *s != Cause::SendBuffer || !e.only_on_the_wire());
        let second = second.filter(|s| is_of_its_kind(*s, &weighed, cause == Cause::Unknown));
        let either = drawn(&weighed).filter(|_| second.is_none() && cause != Cause::Unknown);
        let changes = changes((cause, second, either), &e, (facts, flow), &limits);
        Judged {
            facts,
            e,
            limits,
            changes,
            weighed,
            verdict,
        }
    }

    /// The verdict's cause.
    pub(crate) fn cause(&self) -> Cause {
        Cause::named(self.verdict.cause).unwrap_or(Cause::Unknown)
    }

    /// The end whose setting holds the flow, and the host in whose text it stands; none where no setting does.
    pub(crate) fn held_by(&self) -> Option<(Side, u32)> {
        let cause = self.cause();
        let side = match cause {
            Cause::ReceiveWindow => Side::Receiver,
            Cause::SendBuffer => Side::Sender,
            _ => return None,
        };
        let setting = met(cause, &self.limits, &self.e.settled()?)?;
        let read_there = |f: &&Fact| setting.rate.from.contains(&f.at);
        let mut read = self.facts.facts.iter().filter(read_there);
        let host = read.find_map(|f| match f.of {
            Of::Host(n) => Some(n),
            _ => None,
        });
        Some((side, host?))
    }
}

fn report(facts: &Facts, flow: &Flow, contradictions: &mut Vec<Contradiction>) -> FlowReport {
    let judged = Judged::of(facts, flow);
    let (e, limits) = (&judged.e, &judged.limits);
    contradict(facts, flow, e, limits, contradictions);
    let cause = judged.cause();
    let bound = limits.iter().filter(|l| !e.is_of_reading(cause, l));
    FlowReport {
        name: flow.name(),
        unrated: false,
        observed: observed(facts, flow, e),
        streams: sockets::streams(facts, flow),
        ceilings: Ceiling::each_once(bound.map(|l| shown(facts, l))),
        missing: missing(e, (facts, flow), limits, &judged.weighed.ranking),
        target: target(e, limits, &judged.changes),
        changes: judged.changes,
        verdict: judged.verdict,
        verify: None,
    }
}

/// Most that is said of a cause which only speaks for itself because others are excluded.
const UNFOUNDED: f64 = 0.6;

/// Most that is said of a kind of loss where round trips vary without load, and no datagrams tell the kinds apart: of 438 such verdicts of the
/// corpus's odd paths that were surer, so many were right (`docs/models/diagnosis.md`).
const UNSTEADY_LOSS: f64 = 0.7;

/// Most that is said of a test's program where nothing says that it was asked, or seen, to send less than it could: it is not a verdict.
const NEVER_ASKED: f64 = 0.35;

/// Fewer losses, or episodes of losses, than this tell no kinds of loss apart.
const EPISODES_LEAST: f64 = 5.0;

/// Most that is said of a kind of loss where losses came in few episodes: of 318 such verdicts of the corpus so many were right
/// (`docs/models/diagnosis.md`).
const FEW_EPISODES: f64 = 0.8;

/// Most that is said of a kind of loss of connections side by side: the weights are of one, whose cuts are not spread over others.
const SIDE_BY_SIDE: f64 = 0.6;

/// A log of fewer intervals than this is unlike those of the corpus, which have twelve.
const INTERVALS_LEAST: usize = 8;

/// Whether losses were counted in so few intervals that they show no pattern in time.
fn short(e: &Evidence) -> bool {
    !e.counted.is_empty() && e.counted.len() < INTERVALS_LEAST
}

/// The most that is said of a cause, whatever its odds: marks of odd paths, and of few losses, in the evidence, on which verdicts of its kind are
/// less often right.
pub(crate) fn at_most(e: &Evidence, cause: Cause) -> f64 {
    let late = if cause.is_loss() {
        e.at_most_of_late()
    } else {
        1.0
    };
    let own = e.at_most_of_own_drops(cause).min(e.at_most_of_flap(cause));
    let said = most_said(e, cause).min(e.at_most_unrested(cause));
    let room = e.at_most_of_memory(cause).min(e.at_most_of_room(cause));
    let room = room.min(e.at_most_of_tiny_room(cause));
    let said = said.min(room);
    let said = said.min(e.at_most_of_throttled(cause));
    let said = said.min(e.at_most_of_killed(cause));
    let said = said.min(e.at_most_of_full_table(cause));
    let said = said.min(e.at_most_of_router(cause));
    let said = said.min(e.at_most_of_varying(cause));
    let said = said.min(e.at_most_of_shut(cause));
    let said = said.min(e.at_most_of_bare_log(cause));
    let said = said.min(e.at_most_of_failed_test(cause));
    let said = said.min(e.at_most_of_once(cause));
    let said = said.min(e.at_most_of_scavenger(cause));
    let said = said.min(e.at_most_of_host_once(cause));
    let said = said.min(e.at_most_of_clusters(cause));
    let said = said.min(e.at_most_of_fall(cause));
    let said = said.min(e.at_most_of_version(cause));
    let said = said.min(e.at_most_of_reset(cause));
    let said = said.min(e.at_most_of_stream(cause));
    said.min(late).min(own).min(e.at_most_of_slower_line(cause))
}

fn most_said(e: &Evidence, cause: Cause) -> f64 {
    if e.is_split() {
        return e.split_at_most(cause);
    }
    if cause == Cause::Application && e.never_pauses() {
        return NEVER_ASKED;
    }
    if e.assumed_for(cause).is_some() {
        return UNFOUNDED;
    }
    if let Some(most) = e.at_most_after_full(cause) {
        return most;
    }
    if matches!(cause, Cause::MtuBlackHole | Cause::Middlebox) {
        return e.hole_at_most();
    }
    if cause == Cause::WayBack {
        return e.way_back_at_most();
    }
    if cause == Cause::Link {
        let guessed = e.at_most_of_guess().min(e.at_most_of_outgrown());
        let guessed = guessed.min(e.at_most_of_line_above());
        return e.member_at_most().min(guessed);
    }
    // Who counts what was dropped tells the kinds apart, as datagrams do.
    let counted = cause == Cause::Policer && e.around.cloud.surely(e).is_some()
        || cause == Cause::RandomLoss && e.settled_by_damage()
        || cause == Cause::Policer && e.around.ports.surely_police(e)
        || e.settled_by_own_drops(cause)
        || e.shares_loss()
        || e.is_lost_by_router();
    if !cause.is_loss() || !e.counted_else.lacks_datagrams() || counted {
        return 1.0;
    }
    let few = |n: Option<f64>| n.is_some_and(|n| n < EPISODES_LEAST);
    let alone = if e.streams > 1.0 { SIDE_BY_SIDE } else { 1.0 };
    let counted = match e.retransmits.as_ref().map(|r| r.value) {
        n if few(n) || e.is_too_even() => UNFOUNDED,
        _ if few(e.loss_episodes()) || short(e) => FEW_EPISODES,
        _ => 1.0,
    };
    libm::fmin(
        counted.min(alone).min(e.at_most_of_two()),
        1.0 - (1.0 - UNSTEADY_LOSS) * e.unsteady(),
    )
}

fn verdict(e: &Evidence, limits: &[Limit], weighed: &Weighed) -> VerdictReport {
    let top = weighed.ranking[0];
    let confidence = top.confidence.min(at_most(e, top.cause));
    // A hole shows in pings alone, or in a socket that hangs, without any rate.
    let shows = e.large_lost.is_some() || e.stuck.is_some();
    let hole = matches!(top.cause, Cause::MtuBlackHole | Cause::Middlebox) && shows;
    let shown = hole || e.shows_without_rate(top.cause);
    let unseen = weighed.unseen.contains(&top.cause);
    if e.rate.is_none() && !shown || confidence < PROBABLE || unseen {
        return unknown(e, weighed);
    }
    let ranked = |r: &Ranking| ranked(e, r);
    // What is merely the next likeliest held for no time that was seen.
    let next = weighed.seen().nth(1).map(|r| Ranked {
        share: None,
        ..ranked(r)
    });
    let second = besides(e, weighed).as_ref().map(ranked).or(next);
    let mut because = because(top.cause, e, limits, weighed);
    let confidence = match because.is_empty() {
        true => confidence.min(UNFOUNDED),
        false => confidence,
    };
    if !matches!(top.cause, Cause::MtuBlackHole | Cause::Outage) {
        because.extend(e.stop_sentence());
    }
    because.extend(held_down(e, &top));
    because.extend(crate::besides::in_words(e, weighed));
    let assumed = e.assumed_for(top.cause);
    because.extend(assumed.map(|assumed| assumed.sentence(top.cause)));
    VerdictReport {
        cause: top.cause.name(),
        confidence: rounded(confidence),
        share: e.share(top.cause).map(rounded),
        second,
        because,
    }
}

/// That a kind of loss is said less surely than its odds have it, as connections run side by side.
fn held_down(e: &Evidence, top: &Ranking) -> Option<String> {
    let most = at_most(e, top.cause);
    let alone = top.cause.is_loss() && e.streams > 1.0 && most == SIDE_BY_SIDE;
    (alone && top.confidence > most).then(|| {
        format!(
            "of connections side by side no kind of loss is said with more than {:.0} %: a test with one connection{} says more",
            100.0 * most,
            match e.struck() {
                Some(_) => " from a port of those that lost (--cport)",
                None => "",
            }
        )
    })
}

/// A cause as the document has it.
fn ranked(e: &Evidence, r: &Ranking) -> Ranked {
    Ranked {
        cause: r.cause.name(),
        confidence: rounded(r.confidence),
        share: e.share(r.cause).map(rounded),
    }
}

/// The verdict where no cause is likely enough: those that may be it, and what was seen.
fn unknown(e: &Evidence, weighed: &Weighed) -> VerdictReport {
    let mut verdict = VerdictReport {
        cause: Cause::Unknown.name(),
        confidence: 0.0,
        share: None,
        second: None,
        because: vec![e.said_first()],
    };
    if e.rate.is_none() {
        // What hosts and interfaces say stands by itself.
        let seen = weighed.because.iter().map(|(_, text)| text.clone());
        verdict.because.extend(seen.take(BECAUSE_MAX - 1));
        return verdict;
    }
    let capped = |r: &Ranking| Ranking {
        confidence: r.confidence.min(at_most(e, r.cause)),
        ..*r
    };
    let mut likely: Vec<Ranking> = weighed.seen().take(LIKELY).map(capped).collect();
    likely.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    verdict.second = likely.first().map(|r| ranked(e, r));
    verdict.confidence = verdict.second.as_ref().map_or(0.0, |s| s.confidence);
    // What was seen and speaks for one of them, or for no cause by itself, is said all the same.
    let is_likely = |c: &Cause| likely.iter().any(|r| r.cause == *c);
    let because = weighed.because.iter();
    let seen = because.filter(|(causes, _)| causes.is_empty() || causes.iter().any(is_likely));
    let seen = seen.map(|(_, text)| text.clone());
    let service = e.sold_in_words().into_iter();
    let all = service.chain([undecided(&likely)]).chain(seen);
    verdict.because = all.take(BECAUSE_MAX).collect();
    let unsaid = unsaid(e, &verdict.because);
    verdict.because.extend(unsaid);
    verdict.because.extend(e.stop_sentence());
    verdict.because.extend(e.service_besides());
    verdict
}

/// What may as well be the cause as the likeliest.
fn drawn(weighed: &Weighed) -> Option<Cause> {
    let [first, next, ..] = &weighed.ranking[..] else {
        return None;
    };
    let drawn = next.confidence > DRAW * first.confidence;
    (drawn && !weighed.unseen.contains(&next.cause)).then_some(next.cause)
}

/// From this part of the likeliest's confidence on, the next is as likely.
const DRAW: f64 = 0.8;

/// A share or confidence as the document has it: to a thousandth.
pub(crate) fn rounded(p: f64) -> f64 {
    (p * 1000.0).round() / 1000.0
}

/// So many causes are named where none is likely enough.
const LIKELY: usize = 3;

/// The causes that may be it, without those that round to 0 %.
fn undecided(likely: &[Ranking]) -> String {
    let with_odds = |r: &&Ranking| rounded(r.confidence) > ticket::NOTHING;
    let likely: Vec<String> = likely
        .iter()
        .filter(with_odds)
        .map(|r| {
            format!(
                "{} ({:.0} %)",
                r.cause.words(),
                rounded(r.confidence) * 100.0
            )
        })
        .collect();
    match &likely[..] {
        [] => "nothing speaks for any cause".to_owned(),
        [one] => format!("the likeliest is {one}, which is too little for a verdict"),
        several => format!("undecided between {}", several.join(", ")),
    }
}

fn because(cause: Cause, e: &Evidence, limits: &[Limit], weighed: &Weighed) -> Vec<String> {
    let mut all = Vec::new();
    let settled = e.settled().filter(|_| cause.is_steady());
    let later = settled.as_ref().zip(e.rate.as_ref());
    let later = later.filter(|(late, mean)| late.value > 1.005 * mean.value);
    let whole = later.map_or_else(String::new, |(_, mean)| {
        format!(" after its start, {} with it", bps(mean.value))
    });
    if let Some(rate) = settled.or(e.rate.clone()) {
        if let Some(l) = met(cause, limits, &rate) {
            all.push(format!(
                "{}: {}; measured {}{whole}",
                l.formula,
                ranged(&l.rate),
                bps(rate.value)
            ));
        } else if cause == Cause::ReceiveWindow
            && let Some(flight) = e.settled_flight().filter(|_| !e.steps())
        {
            let near = DEFAULT_WINDOWS
                .iter()
                .find(|w| flight.high < NARROW * flight.low && within(&flight, **w));
            let near = near.map_or(String::new(), |w| {
                format!(": {w:.0} is a window that systems have by default")
            });
            all.push(format!(
                "the rate and the round trip imply {} bytes in flight{near}",
                match flight.high - flight.low < 0.01 * flight.value {
                    true => format!("{:.0}", flight.value),
                    false => format!("{:.0} to {:.0}", flight.low, flight.high),
                }
            ));
        }
    }
    if let Some(line) = infer::usual_line(e).filter(|_| cause == Cause::Link) {
        let later = e.usual_rate().zip(e.rate.as_ref());
        let apart = later.map_or(0.0, |(late, mean)| (late.value / mean.value - 1.0).abs());
        all.push(format!(
            "{}the rate is what a line of {} leaves for payload; {}",
            if apart > 0.005 {
                "after its start "
            } else {
                ""
            },
            bps(line) + infer::in_large_frames(e),
            e.above_line("nobody said how fast the line is")
        ));
    }
    let others = weighed
        .because
        .iter()
        .filter(|(causes, _)| causes.is_empty() || causes.contains(&cause));
    all.extend(others.map(|(_, text)| text.clone()));
    all.truncate(BECAUSE_MAX);
    all.extend(unsaid(e, &all));
    all
}

/// The ceiling of a cause that a rate meets, the narrowest of several.
fn met<'l>(cause: Cause, limits: &'l [Limit], rate: &Figure) -> Option<&'l Limit> {
    let own = limits.iter().filter(|l| {
        l.cause == cause && l.rate.low * 0.8 <= rate.value && rate.value <= l.rate.high * 1.1
    });
    own.min_by(|a, b| spread(&a.rate).total_cmp(&spread(&b.rate)))
}

/// Bytes in flight of which more is unknown are near no window in particular.
pub(crate) const NARROW: f64 = 1.3;

/// Whether a window would show as these bytes in flight: a ninth less at most, by segments that are not whole and
/// ACKs that wait.
pub(crate) fn within(flight: &Figure, window: f64) -> bool {
    flight.low <= window * 1.02 && window <= flight.high * 1.12
}

fn spread(figure: &Figure) -> f64 {
    figure.high / figure.low.max(1.0)
}

/// What was measured of a flow, as the document has it.
pub(crate) fn observed(facts: &Facts, flow: &Flow, e: &Evidence) -> Observed {
    Observed {
        goodput_bps: e.rate.as_ref().map(|r| r.value),
        low_bps: e.rate.as_ref().map(|r| r.low),
        high_bps: e.rate.as_ref().map(|r| r.high),
        side: e.side.map(Side::name),
        source: e
            .rate
            .as_ref()
            .and_then(|r| r.from.first())
            .map(|at| facts.place(*at)),
        stalled_ns: e.stalled_s().map(|s| (s * 1e9).round()),
        at_utc_ns: captured::started_ns(facts, flow).or_else(|| {
            let at = flow.test.as_ref()?.numbers.get(STARTED)?;
            Some((at.value * 1e9) as i64)
        }),
        rtt_ns: e.rtt_by_itself().map(|r| (r.value * 1e9).round()),
        implied_flight_bytes: e.implied_flight().map(|f| f.value.round()),
    }
}

/// A ceiling as the document has it.
pub(crate) fn shown(facts: &Facts, limit: &Limit) -> Ceiling {
    Ceiling {
        cause: limit.cause.name(),
        limit_bps: limit.rate.value.round(),
        low_bps: limit.rate.low.round(),
        high_bps: limit.rate.high.round(),
        formula: limit.formula.clone(),
        from: limit.rate.from.iter().map(|at| facts.place(*at)).collect(),
    }
}

/// What was read of each source, and which of its lines nobody knew.
fn pieces(facts: &Facts, taken: &[usize]) -> Vec<Piece> {
    let mut all: Vec<Piece> = facts
        .pieces
        .iter()
        .map(|p| Piece {
            source: match (facts.sources.get(p.source as usize), p.first == p.last) {
                (Some(name), _) if p.last == 0 => name.clone(),
                (Some(name), true) => format!("{name}:{}", p.first),
                (Some(name), false) => format!("{name}:{}-{}", p.first, p.last),
                (None, _) => "you".to_owned(),
            },
            tool: p.tool.to_owned(),
            facts: p.facts,
            ignored_lines: Vec::new(),
            ignored_more: 0,
        })
        .collect();
    let captured = taken.iter().map(|n| &facts.captured[*n]);
    all.extend(captured.map(|c| Piece {
        source: facts.place(c.test.at),
        tool: c.vantage.by().trim_start_matches("the ").to_owned(),
        facts: c.test.facts(),
        ignored_lines: Vec::new(),
        ignored_more: 0,
    }));
    let ignored = facts.ignored.iter().zip(&facts.ignored_count);
    for (name, (lines, count)) in facts.sources.iter().zip(ignored) {
        if !lines.is_empty() {
            all.push(Piece {
                source: name.clone(),
                tool: "unknown".to_owned(),
                facts: 0,
                ignored_lines: lines.clone(),
                ignored_more: count - lines.len(),
            });
        }
    }
    all
}
