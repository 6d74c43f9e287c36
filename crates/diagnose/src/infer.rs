//! From evidence to probabilities.
//!
//! Each cause has a score in decibans: what it is worth before anything was seen, how likely the measured rate is
//! where its ceiling lies, and what each item of the evidence speaks for or against it. Confidence is the share of
//! its odds among all.

use crate::cause::Cause;
use crate::ceiling::{Limit, UNSCALED, payload_share};
use crate::evidence::Evidence;
use crate::fact::Figure;
use crate::hosts::files_or_disk;
use crate::interfaces::on_the_wire;
use crate::items::{Item, items};
use crate::known::{DEFAULT_BUFFERS, DEFAULT_WINDOWS};
use crate::lines::guessed_line;
use crate::lines::own_queue;
use crate::lines::slower_line;
use crate::lines::sold_rate;
use crate::losses::accounted::{self, speaks_for_others};
use crate::losses::datagrams;
use crate::losses::lookalike;
use crate::losses::pattern;
use crate::ports::several;
use crate::windows::either_end;

/// A cause and its probability.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ranking {
    /// The cause.
    pub(crate) cause: Cause,
    /// 0 to 1.
    pub(crate) confidence: f64,
}

/// What was weighed and came out.
#[derive(Clone, Debug)]
pub(crate) struct Weighed {
    /// Every cause, the likeliest first.
    pub(crate) ranking: Vec<Ranking>,
    /// Sentences on what was weighed, the weightiest first.
    pub(crate) because: Vec<(Vec<Cause>, String)>,
    /// Causes of hosts that nothing which was read is of: they have odds, and are not named.
    pub(crate) unseen: Vec<Cause>,
}

impl Weighed {
    /// The causes that may be named, the likeliest first.
    pub(crate) fn seen(&self) -> impl Iterator<Item = &Ranking> {
        let ranking = self.ranking.iter();
        ranking.filter(|r| !self.unseen.contains(&r.cause))
    }
}

/// Causes that only a text of a host shows.
const OF_HOSTS: [Cause; 2] = [Cause::Disk, Cause::HostCpu];

/// What gives such a cause no more than this, decibans, is of a program that waits, for whatever it is.
const HINT: f64 = 6.0;

/// An item that holds more than this is said.
const SAID: f64 = 0.3;

/// The causes of hosts that no item, ceiling or share of time is of.
fn unseen(e: &Evidence, items: &[Item], ceilings: &[Limit]) -> Vec<Cause> {
    let is_seen = |cause: Cause| {
        let speaks = |i: &Item| i.weights.iter().any(|(c, w)| *c == cause && *w > HINT);
        items.iter().any(|i| i.holds > SAID && speaks(i))
            || ceilings.iter().any(|l| l.cause == cause)
            || e.share(cause).is_some_and(|share| share > 0.0)
    };
    OF_HOSTS.into_iter().filter(|c| !is_seen(*c)).collect()
}

/// Decades over which a rate may lie of which nothing is known: 100 kbit/s to 100 Gbit/s.
const DECADES: f64 = 6.0;

/// A rate lies this far under its ceiling, by warm-up and headers, or over it, by rounding.
pub(crate) const UNDER: f64 = 0.85;
pub(crate) const OVER: f64 = 1.06;

/// A rate lies this far under the least that a line leaves, where its later intervals do not show that the line was full.
const UNDER_LINE: f64 = 0.92;

/// How far under a line a mean rate lies: what slow start and its repair cost comes on top, where the rest was full.
fn under_line(e: &Evidence, line: &Figure) -> f64 {
    let full = |late: f64| late > 0.88 * line.value && late <= line.high;
    let full = e.late().is_some_and(full);
    if full || e.is_bbr() {
        return 0.8;
    }
    // Of a mean alone nobody knows what came after slow start.
    let below = |rate: &&Figure| rate.value < UNDER_LINE * line.low;
    let start = e.rate.as_ref().filter(below).and(e.start_part());
    UNDER_LINE * (1.0 - start.unwrap_or(0.0))
}

/// The share of odds that a ceiling's rate is elsewhere: what it was computed of was not in force.
const LEAK: f64 = 0.08;

/// Probability a decade of a rate that a port of a lower speed leaves: of seven speeds, half of which are as common as all other
/// lines, each leaves it within a percent or two, 0.009 decades.
const BY_PORT: f64 = 0.5 / 7.0 / 0.009;

/// What each cause is worth before anything was seen, decibans.
pub(crate) const PRIORS: &[(Cause, f64)] = &[
    (Cause::ReceiveWindow, 0.0),
    (Cause::SendBuffer, 0.0),
    (Cause::NoWindowScaling, -9.0),
    (Cause::RandomLoss, -2.0),
    (Cause::CongestionLoss, -4.0),
    (Cause::ShallowBuffer, -6.0),
    (Cause::Link, -4.0),
    (Cause::CrossTraffic, -9.0),
    (Cause::Application, -4.0),
    (Cause::Policer, -5.0),
    (Cause::Shaper, -9.0),
    (Cause::Ramp, -7.0),
    (Cause::Pacing, -11.0),
    (Cause::HostCpu, -10.0),
    (Cause::Nic, -12.0),
    (Cause::Disk, -14.0),
    (Cause::Reordering, -12.0),
    (Cause::MtuBlackHole, -16.0),
    (Cause::Middlebox, crate::reach::stuck::UNSEEN),
    (Cause::Duplex, -16.0),
    (Cause::Client, -10.0),
    (Cause::Outage, crate::series::outage::UNSEEN),
    (Cause::SmallWrites, -24.0),
    (Cause::SetUp, crate::programs::opened::UNSEEN),
    (Cause::WayBack, crate::losses::way_back::UNSEEN),
    (Cause::PauseFrames, crate::interfaces::pauses::UNSEEN),
    (Cause::Recovery, crate::windows::recovering::UNSEEN),
    (Cause::FullTable, crate::hosts::full_table::UNSEEN),
    (Cause::Marks, crate::losses::marked::UNSEEN),
    (Cause::AcceptQueue, crate::hosts::accept_queue::UNSEEN),
    (Cause::NameLookup, crate::names::UNSEEN),
    (Cause::Proxy, crate::programs::fetches::UNSEEN),
    (Cause::Reassembly, crate::hosts::reassembly::UNSEEN),
    (Cause::ReversePath, crate::hosts::reverse_path::UNSEEN),
    (Cause::None, -10.0),
];

/// The score of what was seen not to be so, decibans.
const EXCLUDED: f64 = -200.0;

/// A rate so many times what a cause leaves at most is not held by it, whatever its ceiling was computed of.
const BEYOND: f64 = 10.0;

/// Whether a rate, of the flow or of more connections beside it, is far beyond all that a cause would leave.
fn is_beyond(cause: Cause, e: &Evidence, ceilings: &[Limit]) -> bool {
    if cause == Cause::CrossTraffic && e.is_filled_by_more() {
        return true;
    }
    let own = ceilings.iter().filter(|c| c.cause == cause);
    let most = own.map(|c| c.rate.high.max(c.bursts.unwrap_or(0.0)));
    let most = match (cause, &e.rtt) {
        // Its window is known, whoever has it.
        (Cause::NoWindowScaling, Some(rtt)) => Some(UNSCALED * 8.0 * e.streams / rtt.low),
        _ => most.reduce(f64::max),
    };
    let at_disk = e.lasts_at_disk().filter(|_| cause == Cause::Disk);
    let rate = at_disk.or(e.rate.clone()).map_or(0.0, |r| r.low);
    most.is_some_and(|most| rate > BEYOND * most)
}

/// Weighs the evidence.
pub(crate) fn weigh(e: &Evidence, ceilings: &[Limit]) -> Weighed {
    let items = items(e, ceilings);
    let pattern = pattern::activations(e, ceilings);
    let mut scored = scores(e, ceilings, &items);
    for (cause, score) in &mut scored {
        *score = pattern::scale(e) * (*score + pattern::worth(*cause, &pattern));
        let unscaled = *cause == Cause::NoWindowScaling && e.excludes(*cause);
        let unseen = e.shows_no_sign(*cause, &items, ceilings);
        if unscaled || unseen || is_beyond(*cause, e, ceilings) {
            *score = EXCLUDED;
        }
    }
    scored.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut ranking = ranked(&scored);
    accounted::bind(e, &mut ranking);
    several::bind(e, &mut ranking);
    let refused = lookalike::even_out(e, &items, &mut ranking);
    let written = on_the_wire::even_out(e, &mut ranking);
    let own = own_queue::even_out(e, &mut ranking);
    let slower = slower_line::even_out(e, &mut ranking);
    let guessed = guessed_line::even_out(e, &mut ranking).into_iter();
    let guessed = guessed.chain(datagrams::even_out(e, &mut ranking));
    let either = either_end::even_out(e, &items, &mut ranking);
    let files = files_or_disk::even_out(e, &mut ranking);
    sold_rate::even_out(e, &items, ceilings, &mut ranking);
    let of_nothing = unseen(e, &items, ceilings);
    let mut because: Vec<(f64, Vec<Cause>, String)> = items
        .into_iter()
        .filter(|i| i.holds > SAID && !i.sentence.is_empty())
        .map(|i| {
            let weight = i.weights.iter().map(|(_, w)| w.abs()).fold(0.0, f64::max);
            let speaks = i.weights.iter().filter(|(_, w)| *w > 0.0).map(|(c, _)| *c);
            (weight * i.holds, speaks.collect(), i.sentence)
        })
        .collect();
    because.sort_by(|a, b| b.0.total_cmp(&a.0));
    let alike = [
        (lookalike::BOTH, refused),
        (on_the_wire::BOTH, written),
        (own_queue::BOTH, own),
        (slower_line::BOTH, slower),
        (either_end::BOTH, either),
        (files_or_disk::BOTH, files),
    ];
    for (both, text) in alike {
        because.splice(0..0, text.map(|text| (0.0, both.to_vec(), text)));
    }
    because.splice(0..0, guessed.map(|(causes, text)| (0.0, causes, text)));
    let policed = ranking.first().is_some_and(|r| r.cause == Cause::Policer);
    let (failed, marked) = (e.failed_test_in_words(), e.scavenger_in_words());
    let first = [
        e.foreign_reset_in_words(),
        failed,
        marked,
        e.varying_in_words(),
        e.full_router_in_words(),
        e.bare_log_in_words().filter(|_| policed),
    ];
    let first = first.into_iter().flatten();
    because.splice(0..0, first.map(|text| (0.0, Vec::new(), text)));
    because.extend(pattern::sentence(e, &pattern).map(|(causes, text)| (0.0, causes, text)));
    Weighed {
        ranking,
        because: because
            .into_iter()
            .map(|(_, causes, text)| (causes, text))
            .collect(),
        unseen: of_nothing,
    }
}

/// Each cause's share of the odds; the likeliest stands first.
fn ranked(scored: &[(Cause, f64)]) -> Vec<Ranking> {
    let best = scored.first().map_or(0.0, |s| s.1);
    let odds = |score: f64| libm::exp((score - best) * core::f64::consts::LN_10 / 10.0);
    let all: f64 = scored.iter().map(|s| odds(s.1)).sum();
    let share = |(cause, score): &(Cause, f64)| Ranking {
        cause: *cause,
        confidence: odds(*score) / all,
    };
    scored.iter().map(share).collect()
}

/// The score of each cause before the pattern of losses is weighed, decibans.
fn scores(e: &Evidence, ceilings: &[Limit], items: &[Item]) -> Vec<(Cause, f64)> {
    let settled = e.settled();
    let kinds = e.accounted_kinds();
    let score = |(cause, prior): &(Cause, f64)| {
        let known = kinds.contains(cause);
        // What speaks for another kind of loss says nothing against the one that is known.
        let worth = |item: &Item, weight: f64| match known && weight < 0.0 {
            true if speaks_for_others(item, &kinds) => 0.0,
            _ => item.holds * weight,
        };
        let seen: f64 = items
            .iter()
            .flat_map(|i| i.weights.iter().map(move |w| (i, w)))
            .filter(|(_, (c, _))| c == cause)
            .map(|(item, (_, weight))| worth(item, *weight))
            .sum();
        (
            *cause,
            prior + seen + match_of(*cause, e, settled.as_ref(), ceilings),
        )
    };
    PRIORS.iter().map(score).collect()
}

/// What the fit starts from: scores before the pattern is weighed, and the pattern.
pub(crate) fn unfitted(e: &Evidence, ceilings: &[Limit]) -> (Vec<(Cause, f64)>, Vec<f64>) {
    let items = items(e, ceilings);
    (
        scores(e, ceilings, &items),
        pattern::activations(e, ceilings),
    )
}

/// Decibans for how likely the measured rate is if this cause limits; `settled` is the rate after the start.
fn match_of(cause: Cause, e: &Evidence, settled: Option<&Figure>, ceilings: &[Limit]) -> f64 {
    let flat = 1.0 / DECADES;
    let rate = match cause.is_steady() {
        true => settled,
        false => e.rate.as_ref(),
    };
    let at_disk = e.lasts_at_disk().filter(|_| cause == Cause::Disk);
    let Some(rate) = at_disk.as_ref().or(rate) else {
        return 10.0 * libm::log10(flat);
    };
    if cause == Cause::Link && e.lower_port().is_some() {
        return 10.0 * libm::log10(BY_PORT);
    }
    let own: Vec<&Limit> = ceilings.iter().filter(|c| covers(c.cause, cause)).collect();
    let density = if own.is_empty() {
        unstated(cause, (e, ceilings), flat)
    } else {
        let each = own.iter().map(|c| match cause {
            // A line that is full leaves a tenth at most; which of its headers were counted is in its bounds.
            Cause::Link => density_under(rate, &c.rate, under_line(e, &c.rate)),
            _ => density_of(cause, rate, c),
        });
        let mean = each.sum::<f64>() / own.len() as f64;
        (1.0 - LEAK) * mean + LEAK * flat
    };
    10.0 * libm::log10(density.max(1e-6))
}

/// Whether a ceiling is this cause's: every kind of loss has the law's, a target's is nobody's.
fn covers(of: Cause, cause: Cause) -> bool {
    of == cause || of == Cause::RandomLoss && cause.is_loss()
}

/// The density of a rate under a ceiling. The law's ceiling is that of losses that come one by one; those of queues and
/// policers come in bursts, and leave more than the law says of their number.
fn density_of(cause: Cause, rate: &Figure, ceiling: &Limit) -> f64 {
    let own = density_in(rate, &ceiling.rate);
    let Some(most) = ceiling.bursts else {
        return own;
    };
    let mut wide = ceiling.rate.clone();
    wide.high = most.max(wide.high);
    let wide = density_in(rate, &wide);
    match cause {
        Cause::RandomLoss => 0.7 * own + 0.3 * wide,
        _ => 0.15 * own + 0.85 * wide,
    }
}

/// Probability a decade of a measured rate under a ceiling between two bounds.
fn density_in(rate: &Figure, ceiling: &Figure) -> f64 {
    density_under(rate, ceiling, UNDER)
}

/// The same, where a rate lies at most so far under its ceiling.
fn density_under(rate: &Figure, ceiling: &Figure, under: f64) -> f64 {
    let (low, high) = (ceiling.low * under, ceiling.high * OVER);
    if low <= 0.0 || rate.high < low || rate.low > high {
        return 0.0;
    }
    1.0 / libm::log10(high / low).max(0.05)
}

/// The density of a rate under a cause of which no ceiling is known. Beside a stated rate that the flow fills, a window that hosts come with
/// fits by chance.
fn unstated(cause: Cause, (e, ceilings): (&Evidence, &[Limit]), flat: f64) -> f64 {
    match cause {
        Cause::ReceiveWindow | Cause::SendBuffer if e.filled_shaper(ceilings).is_some() => flat,
        Cause::ReceiveWindow => by_default(e, flat, &DEFAULT_WINDOWS),
        Cause::SendBuffer => by_default(e, flat, &DEFAULT_BUFFERS),
        Cause::Link => {
            // A line shows in what came after the start.
            let Some(rate) = e.usual_rate() else {
                return flat;
            };
            let hits: f64 = filled(e, rate.value).map(|(_, w)| w).sum();
            let hits = hits * (1.0 - e.refutes_line());
            0.5 * flat + 0.5 * hits / LINES.len() as f64 / 0.021
        }
        _ => flat,
    }
}

/// The density of what a rate and its round trip put in flight, where hosts come with windows or buffers of these bytes.
fn by_default(e: &Evidence, flat: f64, defaults: &[f64]) -> f64 {
    let Some(flight) = e.settled_flight().filter(|_| e.is_even()) else {
        return flat;
    };
    let exact = fills_exactly(e);
    let hit = |bytes: &f64| {
        let window = Figure::exact(*bytes, crate::fact::Place::You);
        match exact {
            true => is_beside_line(flight.value, *bytes) && *bytes >= e.once_in_flight(),
            false => density_in(&flight, &window) > 0.0,
        }
    };
    let least = if exact { UNSCALED } else { 0.0 };
    let hits = defaults.iter().filter(|b| **b >= least && hit(b));
    let hits = hits.count() as f64;
    let width = libm::log10(flight.high / flight.low * OVER / UNDER).max(0.05);
    0.5 * flat + 0.5 * hits / defaults.len() as f64 / width
}

/// Hosts whose windows are smaller than the largest without scaling are of a time before lines of this rate, bit/s. A choice, and no
/// measurement.
const FAST: f64 = 100e6;

/// A rate that is a line's to this part is hardly that of a window by chance.
const EXACT: f64 = 0.01;

/// Beside a line that a rate fills to that part, a window explains the rate as well only where what is in flight is its size to this part.
const BESIDE: f64 = 0.03;

/// Whether bytes in flight are a window of this size, as closely as counts beside a line that the rate fills exactly.
pub(crate) fn is_beside_line(flight: f64, bytes: f64) -> bool {
    (flight / bytes - 1.0).abs() <= BESIDE
}

/// Whether a rate is, to a hundredth, what a fast and usual line leaves, with nothing sent again: no small window has to explain it.
pub(crate) fn fills_exactly(e: &Evidence) -> bool {
    let lossless = e.sent_again().is_none_or(|again| again <= 1.0);
    let Some(rate) = e.usual_rate().filter(|_| lossless) else {
        return false;
    };
    let is_exact = |line: f64| {
        let of = |mss: f64| is_full(rate.value, line, mss);
        line >= FAST && e.segments(line).any(of)
    };
    e.refutes_line() < 0.5 && filled(e, rate.value).any(|(line, _)| is_exact(line))
}

/// Whether a rate is, to a hundredth, what a line leaves for payload in segments of this size.
fn is_full(rate: f64, line: f64, mss: f64) -> bool {
    (rate / (line * payload_share(mss)) - 1.0).abs() < EXACT
}

/// So much of what is said of a line that usual frames fill is said of one that only jumbo frames would: they are a third as usual, and their
/// rates half as wide. A choice.
const OF_JUMBO: f64 = 0.7;

/// Usual lines that a rate fills, and how usual they are: in segments of the flow's size, or, where nobody said that, exactly in those that
/// a line of this rate may carry.
fn filled(e: &Evidence, rate: f64) -> impl Iterator<Item = (f64, f64)> {
    let by_chance = move |line: f64, mss: f64| {
        let chance = e.is_near_by_chance(line * payload_share(mss));
        chance || e.outruns(line) || e.carried_beyond(line)
    };
    let larger = move |(line, usual): (f64, f64)| {
        let of = |mss: f64| mss > e.mss && is_full(rate, line, mss) && !by_chance(line, mss);
        e.segments(line).any(of).then_some((line, OF_JUMBO * usual))
    };
    let large = LINES.into_iter().filter_map(larger);
    let own = lines_of(rate, e.mss).filter(move |(line, _)| !by_chance(*line, e.mss));
    own.chain(large)
}

/// In which frames a rate fills a usual line, for people, where these are not of the usual size.
pub(crate) fn in_large_frames(e: &Evidence) -> &'static str {
    let rate = e.usual_rate().map_or(0.0, |r| r.value);
    match lines_of(rate, e.mss).next() {
        None => " in frames of 9000 bytes",
        Some(_) => "",
    }
}

/// Usual lines that this rate of payload fills, and how usual they are.
fn lines_of(rate: f64, mss: f64) -> impl Iterator<Item = (f64, f64)> {
    let share = payload_share(mss);
    LINES.into_iter().filter(move |(line, _)| {
        let full = line * share;
        rate > full * 0.965 && rate < full * 1.012
    })
}

/// The headers of a tunnel that carries packets take more than this part of a line.
const OF_TUNNEL: f64 = 0.015;

/// Whether a rate of payload is what a line leaves without a tunnel's headers: the line of this rate, or a usual one where none is known.
pub(crate) fn is_bare(rate: f64, mss: f64, line: Option<f64>) -> bool {
    let full = payload_share(mss) * (1.0 - OF_TUNNEL);
    match line {
        Some(line) => rate > line * full,
        None => lines_of(rate, mss).any(|(line, _)| rate > line * full),
    }
}

/// The usual line that a rate fills, where nobody said how fast the line is, bit/s.
pub(crate) fn usual_line(e: &Evidence) -> Option<f64> {
    let rate = e
        .usual_rate()
        .filter(|_| e.line.is_none() && e.refutes_line() < 0.5)?;
    filled(e, rate.value).map(|(line, _)| line).next()
}

/// Rates that lines have, and how usual each is: those of the PDH and SDH are rare since Ethernet reaches as far.
const LINES: [(f64, f64); 13] = [
    (1.544e6, 0.2),
    (2.048e6, 0.2),
    (10e6, 1.0),
    (44.736e6, 0.2),
    (100e6, 1.0),
    (155.52e6, 0.2),
    (622.08e6, 0.2),
    (1e9, 1.0),
    (2.5e9, 1.0),
    (10e9, 1.0),
    (25e9, 1.0),
    (40e9, 1.0),
    (100e9, 1.0),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::Place;

    /// A disk of which no text has a word has odds, and is not named; one that a text has as busy is.
    #[test]
    fn a_disk_that_no_text_has_is_not_seen() {
        let mut e = Evidence {
            rate: Some(Figure::exact(10e6, Place::You)),
            bytes: Some(Figure::exact(1e7, Place::You)),
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        };
        assert_eq!(weigh(&e, &[]).unseen, OF_HOSTS);
        e.around.busy = Some(Figure::exact(0.97, Place::You));
        assert_eq!(weigh(&e, &[]).unseen, [Cause::HostCpu]);
    }

    /// A log of even seconds at so many Mbit/s, nothing sent again, over round trips of 0.45 to 0.55 ms.
    fn full(mbit: f64) -> Evidence {
        Evidence {
            rate: Some(Figure::exact(mbit * 1e6, Place::You)),
            rtt: Some(Figure::between(0.5e-3, 0.45e-3, 0.55e-3, Place::You)),
            bytes: Some(Figure::exact(mbit * 1.25e6, Place::You)),
            retransmits: Some(Figure::exact(0.0, Place::You)),
            steady: vec![mbit * 1e6; 8],
            peak: mbit * 1e6,
            interval_s: 1.0,
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        }
    }

    /// 941 Mbit/s over 0.5 ms are 58.8 kB: a window of 64 kB would leave a tenth more.
    #[test]
    fn a_rate_that_is_a_lines_is_the_line_where_no_window_is_as_near() {
        for (mbit, line) in [
            (941.0, 1e9),
            (949.0, 1e9),
            (94.1, 100e6),
            (9415.0, 10e9),
            (9900.0, 10e9),
        ] {
            let e = full(mbit);
            assert_eq!(usual_line(&e), Some(line), "{mbit}");
            let ranking = weigh(&e, &[]).ranking;
            assert_eq!(ranking[0].cause, Cause::Link, "{mbit}: {ranking:?}");
            assert!(ranking[0].confidence > 0.5, "{mbit}: {ranking:?}");
        }
        assert_eq!(in_large_frames(&full(941.0)), "");
        assert_eq!(in_large_frames(&full(9900.0)), " in frames of 9000 bytes");
        // Segments that were said to be small do not fill it, and no usual line leaves as much.
        let said = Evidence {
            mss_said: true,
            ..full(9900.0)
        };
        assert_eq!(usual_line(&said), None);
        assert_eq!(usual_line(&full(8500.0)), None);
    }

    /// 941 Mbit/s over 0.2 ms are 23.5 kB, near the 24576 of an old host: a line of 1 Gbit/s leaves that rate, and needs no such window.
    #[test]
    fn a_rate_that_is_a_lines_needs_no_small_window() {
        let flat = 1.0 / DECADES;
        let density = |rate: f64, rtt: f64, again: f64| {
            let e = Evidence {
                rate: Some(Figure::exact(rate, Place::You)),
                rtt: Some(Figure::exact(rtt, Place::You)),
                retransmits: Some(Figure::exact(again, Place::You)),
                streams: 1.0,
                mss: 1448.0,
                ..Evidence::default()
            };
            [&DEFAULT_WINDOWS, &DEFAULT_BUFFERS].map(|all| by_default(&e, flat, all))
        };
        assert_eq!(density(941e6, 0.2e-3, 0.0), [0.5 * flat; 2]);
        // Another rate, losses, a line that old hosts filled, or the largest window without scaling: such a size may hold it.
        let open = [
            (800e6, 0.235e-3, 0.0),
            (941e6, 0.2e-3, 40.0),
            (9.41e6, 20e-3, 0.0),
            (941e6, 0.55e-3, 0.0),
        ];
        for (rate, rtt, again) in open {
            let both = density(rate, rtt, again);
            assert!(both.iter().all(|d| *d > flat), "{rate} {rtt}: {both:?}");
        }
    }
}
