//! Losses that hit only some of the connections side by side: one member of a group of links (LAG, LACP, a bond), or one of several routes
//! of equal cost (ECMP), is damaged or full. A policer, or a queue, that all of them pass takes from all.

use crate::cause::Cause;
use crate::ceiling::bps;
use crate::evidence::Evidence;
use crate::flows::flow::Flow;
use crate::items::{Item, of, step};
use crate::seen::StreamCount;

/// Which of the connections side by side lost.
#[derive(Clone, Debug)]
pub(crate) struct Struck {
    /// How many lost, and of how many.
    hit: usize,
    all: usize,
    /// Segments that those sent again, and that all did.
    segments: [f64; 2],
    /// Ports of those that lost, where they were printed.
    ports: Vec<u16>,
    /// Mean rates of those that lost and of the others, bit/s.
    rates: [f64; 2],
    /// How unlikely it is that losses common to all hit so few, decibans.
    apart: f64,
    /// Part of the bytes that connections carried which sent nothing again, 0 to 1.
    spared: f64,
}

/// So many segments of a connection say that it lost none, and no fewer.
const ENOUGH: f64 = 1000.0;

/// Segments sent again that may be one event, where no intervals say when they were: as in the law's ceiling.
const EVENT: f64 = 40.0;

/// Fewer intervals than this are so long that one of them holds many events.
const INTERVALS_LEAST: u32 = 4;

/// Most events that are counted of one connection.
const EVENTS_MAX: f64 = 100.0;

/// Decibans from which on losses are of some connections alone, and from which on surely.
const APART: [f64; 2] = [8.0, 16.0];

impl StreamCount {
    /// Times that it lost, as far as that is known: intervals with losses, or so many segments sent again where no intervals, or only a
    /// few long ones, say when they were.
    fn events(&self) -> f64 {
        let lossy = f64::from(self.lossy);
        let by_segments = 1.0 + (self.again / EVENT).floor();
        let events = match self.again > 0.0 {
            true if self.intervals < INTERVALS_LEAST => by_segments.max(lossy),
            true => lossy,
            false => 0.0,
        };
        events.min(EVENTS_MAX)
    }
}

/// What each of a flow's connections side by side sent again; empty where not all say it.
fn counts(flow: &Flow) -> Vec<StreamCount> {
    let test = flow.test.as_ref().filter(|t| !t.udp);
    let all = test.filter(|t| t.counts.len() == t.streams as usize);
    all.map_or(Vec::new(), |t| t.counts.clone())
}

impl Struck {
    /// Which connections lost, where not all did alike; none where nothing tells them apart.
    pub(crate) fn of(flow: &Flow, e: &Evidence) -> Option<Struck> {
        let mut each = counts(flow);
        each.retain(|c| c.bytes > 0.0);
        each.sort_by(|a, b| {
            (b.events(), b.again)
                .partial_cmp(&(a.events(), a.again))
                .unwrap_or(core::cmp::Ordering::Equal)
        });
        let bytes = |part: &[StreamCount]| part.iter().map(|c| c.bytes).sum::<f64>();
        let again = |part: &[StreamCount]| part.iter().map(|c| c.again).sum::<f64>();
        if each.len() < 2 || again(&each) <= 0.0 {
            return None;
        }
        let apart = |hit: &usize| unlikely(&each, *hit);
        let few = 1..=each.len() / 2;
        let hit = few.max_by(|a, b| apart(a).total_cmp(&apart(b)))?;
        let (lost, others) = each.split_at(hit);
        let clean = |c: &&StreamCount| c.again <= 0.0 && c.bytes > ENOUGH * e.mss;
        let spared = each.iter().filter(clean).map(|c| c.bytes).sum::<f64>() / bytes(&each);
        let seconds = e.seconds.filter(|s| *s > 0.0).unwrap_or(1.0);
        let mean = |part: &[StreamCount]| bytes(part) * 8.0 / part.len() as f64 / seconds;
        Some(Struck {
            hit,
            all: each.len(),
            segments: [again(lost), again(&each)],
            ports: lost.iter().filter_map(|c| c.port).collect(),
            rates: [mean(lost), mean(others)],
            apart: apart(&hit),
            spared,
        })
    }

    /// How surely losses hit only some of the connections, 0 to 1. What drops of those that are fastest may be a queue with a place for each.
    fn some(&self) -> f64 {
        let faster = self.rates[0] / self.rates[1].max(1.0);
        step(self.apart, APART[0], APART[1]) * (1.0 - step(faster, 1.1, 1.6))
    }

    /// Whether that is sure enough to be acted on.
    pub(crate) fn is_sure(&self) -> bool {
        self.some() > 0.5
    }

    /// How surely what was lost does not hold all of them, 0 to 1: most bytes are of connections that lost nothing.
    fn unheld(&self) -> f64 {
        step(self.spared, 0.3, 0.6)
    }

    /// By which part of what they would have, all as fast as those without, the losses bring the connections down, 0 to 1.
    fn costs(&self) -> f64 {
        let [lost, others] = self.rates;
        let part = self.hit as f64 / self.all as f64;
        (part * (1.0 - lost / others.max(1.0))).max(0.0)
    }

    /// A port of a connection that lost, to test from again; the word to put it for where none was printed.
    pub(crate) fn port_to_ask(&self) -> String {
        let port = self.ports.first();
        port.map_or("PORT".to_owned(), u16::to_string)
    }

    /// `482 of 482 segments sent again are of 1 of 8 connections side by side (port 41004)`.
    fn shown(&self) -> String {
        let [some, all] = self.segments;
        let ports: Vec<String> = self
            .ports
            .iter()
            .take(PORTS_MAX)
            .map(u16::to_string)
            .collect();
        let ports = match (&ports[..], self.ports.len() > PORTS_MAX) {
            ([], _) => String::new(),
            ([one], false) => format!(" (port {one})"),
            (some, false) => format!(" (ports {})", some.join(", ")),
            (some, true) => format!(" (ports {} and others)", some.join(", ")),
        };
        format!(
            "{some:.0} of {all:.0} segments sent again are of {} of {} connections side by side{ports}",
            self.hit, self.all
        )
    }
}

/// Most ports that are named.
const PORTS_MAX: usize = 4;

/// How unlikely it is that losses which meet every connection alike, by its bytes, hit the others than the first few so seldom, decibans.
/// Any few of them could have been the ones.
fn unlikely(each: &[StreamCount], hit: usize) -> f64 {
    let (lost, others) = each.split_at(hit);
    let sum = |part: &[StreamCount], of: fn(&StreamCount) -> f64| part.iter().map(of).sum::<f64>();
    let share = sum(lost, |c| c.bytes) / sum(each, |c| c.bytes);
    let share = share.max(hit as f64 / each.len() as f64).min(0.999);
    let (all, seldom) = (
        sum(each, StreamCount::events),
        sum(others, StreamCount::events),
    );
    let choose =
        |n: f64, k: f64| libm::lgamma(n + 1.0) - libm::lgamma(k + 1.0) - libm::lgamma(n - k + 1.0);
    let term = |k: f64| {
        let log = choose(all, k) + k * libm::log(1.0 - share) + (all - k) * libm::log(share);
        libm::exp(log)
    };
    let chance: f64 = (0..=seldom as u32).map(|k| term(f64::from(k))).sum();
    let chance = libm::log(chance.max(1e-300)) + choose(each.len() as f64, hit as f64);
    (-10.0 * chance / core::f64::consts::LN_10).max(0.0)
}

/// What losses of some of the connections say.
pub(crate) fn by_connections(e: &Evidence, items: &mut Vec<Item>) {
    let Some(struck) = &e.around.struck else {
        return;
    };
    let some = struck.some();
    let [lost, others] = struck.rates.map(bps);
    let slower = match struck.costs() {
        c if c > 0.01 => format!(", which got {lost} each where the others got {others}"),
        _ => String::new(),
    };
    items.push(Item {
        holds: some,
        weights: vec![
            (Cause::Policer, -24.0),
            (Cause::ShallowBuffer, -20.0),
            (Cause::CongestionLoss, -6.0),
        ],
        sentence: format!(
            "{}{slower}: losses hit only some flows, as where one member of a group of links (LAG) or one path of several (ECMP) is damaged, or full. A policer or a queue common to all would hit all",
            struck.shown()
        ),
    });
    // The law's ceiling is of losses that all connections share: where these cost a good part, it says nothing against them.
    let shares = 14.0 * step(struck.costs(), 0.03, 0.15) + 12.0 * step(struck.costs(), 0.15, 0.4);
    items.push(Item {
        holds: some,
        weights: vec![(Cause::RandomLoss, 6.0 + shares)],
        sentence: String::new(),
    });
    items.push(Item {
        holds: some * (1.0 - step(struck.costs(), 0.01, 0.03)),
        weights: vec![(Cause::RandomLoss, -10.0)],
        sentence: String::new(),
    });
    let unheld = struck.unheld();
    let common = [Cause::ShallowBuffer, Cause::CongestionLoss];
    let against = [
        (Cause::Policer, -24.0),
        (Cause::RandomLoss, -10.0 * (1.0 - some)),
    ];
    items.push(Item {
        holds: unheld,
        weights: against.into_iter().chain(of(&common, -14.0)).collect(),
        sentence: match some > 0.3 {
            true => String::new(),
            false => format!(
                "{:.0} % of the bytes are of connections that sent nothing again: no policer or queue common to all holds them",
                100.0 * struck.spared
            ),
        },
    });
}

impl Evidence {
    /// How surely losses are not common to all of the connections side by side, 0 to 1: how they lie in time is of one path then, and no
    /// mark of what all meet.
    pub(crate) fn uncommon(&self) -> f64 {
        let struck = self.around.struck.as_ref();
        struck.map_or(0.0, |s| s.some().max(s.unheld()))
    }

    /// Which connections lost, where that is sure enough to be acted on.
    pub(crate) fn struck(&self) -> Option<&Struck> {
        self.around.struck.as_ref().filter(|s| s.is_sure())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(bytes: f64, lossy: u32) -> StreamCount {
        StreamCount {
            bytes,
            again: f64::from(lossy),
            intervals: 10,
            lossy,
            ..StreamCount::default()
        }
    }

    /// One interval of ten seconds holds many events; ten of a second each hold one.
    #[test]
    fn a_long_interval_holds_many_events() {
        let of = |intervals: u32, lossy: u32, again: f64| {
            StreamCount {
                again,
                intervals,
                lossy,
                ..StreamCount::default()
            }
            .events()
        };
        assert_eq!(of(1, 1, 212.0), 6.0);
        assert_eq!(of(0, 0, 212.0), 6.0);
        assert_eq!(of(1, 1, 3.0), 1.0);
        assert_eq!(of(10, 7, 212.0), 7.0);
        assert_eq!(of(1, 0, 0.0), 0.0);
    }

    #[test]
    fn chance_is_that_of_a_binomial_times_the_choices() {
        // One of eight alike, three events, all of them its own: 8 · (1/8)³.
        let mut each = vec![stream(1.0, 3)];
        each.extend(vec![stream(1.0, 0); 7]);
        let expected = -10.0 * libm::log10(8.0 / 512.0);
        assert!((unlikely(&each, 1) - expected).abs() < 1e-9);
        // Two alike, one event: nothing that chance does not do.
        assert_eq!(unlikely(&[stream(1.0, 1), stream(1.0, 0)], 1), 0.0);
    }
}
