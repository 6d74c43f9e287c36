//! The links that a flow's data cross, and what they saw: evidence from outside the connection.

use std::collections::BTreeMap;
use std::ops::Range;

use farpath_units::{Duration, Rate, Time};

use crate::stretch::Limit;

/// A link is full while it carries this share of its rate and frames wait for it.
const FULL: f64 = 0.95;

/// Below this share a window or buffer that is full leaves it some time: with a larger one more would go through.
pub(crate) const TO_THE_BRIM: f64 = 0.99;

/// Part of what comes to a queue or policer: one that drops as much lets no more through, and is more than a burst of others.
const KEEPS_BACK: f64 = 0.01;

/// What a link carried in one interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Interval {
    /// Bytes on the wire, framing included.
    pub bytes: u64,
    /// Bytes waiting at its end.
    pub queue_bytes: u64,
}

/// Frames dropped on one direction of a link and by the node behind it, whoever's they were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    /// A queue was full, or its management dropped early.
    pub queue: u64,
    /// A policer found them out of contract.
    pub policed: u64,
    /// Larger than the link, or the next one, carries.
    pub mtu: u64,
    /// The host behind the link could not take them.
    pub host: u64,
    /// For any other reason: lost or damaged on the way, no route.
    pub other: u64,
}

impl Dropped {
    fn plus(self, more: Dropped) -> Dropped {
        Dropped {
            queue: self.queue + more.queue,
            policed: self.policed + more.policed,
            mtu: self.mtu + more.mtu,
            host: self.host + more.host,
            other: self.other + more.other,
        }
    }

    fn total(self) -> u64 {
        let Dropped {
            queue,
            policed,
            mtu,
            host,
            other,
        } = self;
        queue + policed + mtu + host + other
    }
}

/// What was dropped of one connection's frames on the way, as far as counters of links say it: of each link its share.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Own {
    policed: f64,
    mtu: f64,
    other: f64,
    all: f64,
}

/// One direction of a link.
#[derive(Clone, Debug)]
pub struct Hop<'a> {
    /// The link's name and the direction: `access a>r`.
    pub name: &'a str,
    /// It leads out of a host, not out of a router.
    pub own: bool,
    /// Frames for it wait where nobody sees them: in a real host, which is asked to hold them back.
    pub waits_unseen: bool,
    /// Its rate from an instant on, in order of time, the first from the start of the run.
    pub rates: Vec<(Time, Rate)>,
    /// The intervals from the start of the run on.
    pub intervals: &'a [Interval],
    /// Over the whole run.
    pub dropped: Dropped,
    /// Bytes of a frame on the wire, framing included: the mean of all that it carried; 0 where it carried none.
    pub frame_bytes: u64,
}

impl Hop<'_> {
    /// Bytes it carries between two instants.
    fn capacity(&self, from: Time, until: Time) -> f64 {
        let ends = self.rates.iter().skip(1).map(|(at, _)| *at);
        let pieces = self.rates.iter().zip(ends.chain([Time::MAX]));
        let bytes = pieces.map(|((begins, rate), ends)| {
            let inside = until.min(ends).since(from.max(*begins));
            rate.as_bps() as f64 / 8.0 * inside.as_secs_f64()
        });
        bytes.sum()
    }

    /// Which share of its rate it carried in these intervals taken together, each of which takes `every`, if that is its rate.
    fn busy(&self, of: Range<usize>, every: Duration) -> Option<f64> {
        let seen = self.intervals.len();
        let of = of.start.min(seen)..of.end.min(seen);
        let bytes: u64 = self.intervals[of.clone()].iter().map(|i| i.bytes).sum();
        let at = |n: usize| Time::ZERO + every.times(n as u64);
        let capacity = self.capacity(at(of.start), at(of.end));
        let share_of = |bytes: u64| bytes as f64 / capacity.max(f64::MIN_POSITIVE);
        let mut share = share_of(bytes);
        if share < FULL && self.waits_throughout(&of) {
            // Of a link without a pause up to one frame is counted before, in the interval in which it started.
            share = share_of(bytes + self.frame_bytes).min(1.0);
        }
        (!of.is_empty() && share >= FULL).then_some(share)
    }

    /// Whether frames waited for it at the start of these intervals and at the end of each.
    fn waits_throughout(&self, of: &Range<usize>) -> bool {
        let Some(before) = of.start.checked_sub(1) else {
            return false;
        };
        let ends = &self.intervals[before..of.end];
        ends.iter().all(|interval| interval.queue_bytes > 0)
    }

    /// Whether one that carried this share of its rate was full in an interval.
    fn full(&self, n: usize, carried: f64) -> Option<Full> {
        let waits = self.intervals.get(n)?.queue_bytes > 0;
        (waits || self.waits_unseen).then(|| Full {
            limit: self.limit(),
            waits,
            to_the_brim: carried >= TO_THE_BRIM,
        })
    }

    /// Frames that it carried in its intervals.
    fn carried(&self) -> u64 {
        let bytes: u64 = self.intervals.iter().map(|i| i.bytes).sum();
        bytes / self.frame_bytes.max(1)
    }

    /// Its own word or the policer's, where its queue or policer drops a part of what comes to it; none where nobody counted that.
    fn keeps_back(&self) -> Option<Limit> {
        let Dropped { queue, policed, .. } = self.dropped;
        let queued = self.carried() + queue;
        let part =
            |dropped: u64, came: u64| dropped > 0 && dropped as f64 >= KEEPS_BACK * came as f64;
        match () {
            () if self.intervals.is_empty() => None,
            () if part(queue, queued) => Some(self.limit()),
            () if part(policed, queued + policed) => Some(Limit::Policer),
            () => None,
        }
    }

    fn limit(&self) -> Limit {
        if self.own { Limit::Nic } else { Limit::Link }
    }
}

/// A link that carried what it can.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Full {
    /// Its word.
    pub limit: Limit,
    /// Frames were seen to wait for it. Else a sender may have sent at its rate by itself, and only what no other
    /// limit accounts for is the link's.
    pub waits: bool,
    /// It had next to no pause, so that a larger window would not have filled it any more.
    pub to_the_brim: bool,
}

/// What took more than half of what was dropped on a connection's way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Taken {
    /// What has a word of its own: a policer, an MTU.
    By(Limit),
    /// Chance: not a queue, policer, MTU or host.
    ByChance,
    /// A queue or a host, none of them, or nothing was dropped.
    #[default]
    Otherwise,
}

/// All links on a flow's way, in order.
#[derive(Clone, Debug)]
pub struct Path<'a> {
    /// Length of an interval.
    pub every: Duration,
    /// The links.
    pub hops: Vec<Hop<'a>>,
    /// Those of the way back.
    pub back: Vec<Hop<'a>>,
    /// When one of them, or of those on the way back, was down: in order and without overlap.
    pub down: Vec<(Time, Time)>,
    /// What a reader must know of them.
    pub notes: Vec<String>,
}

impl<'a> Path<'a> {
    /// For which shares of the time between two instants a link was full, interval by interval: the narrowest that was, of
    /// which a flow has the largest part, and the first of several of one rate. What a link carried is taken over no less
    /// than `round`, a round trip: a window sent in one burst fills one for less than that, however small it is.
    pub fn full(&self, from: Time, until: Time, round: Duration) -> BTreeMap<Full, f64> {
        self.full_of(&self.hops, (from, until), round, |_, full| full)
    }

    /// For which shares of the time between two instants each link was the narrowest on the way there that was full, by its name, among
    /// those that have this word.
    pub(crate) fn full_links(
        &self,
        (from, until): (Time, Time),
        round: Duration,
        word: Limit,
    ) -> BTreeMap<&'a str, f64> {
        let by_name = |hop: &Hop<'a>, full: Full| (hop.name, full.limit);
        let all = self.full_of(&self.hops, (from, until), round, by_name);
        let ours = all.into_iter().filter(|((_, limit), _)| *limit == word);
        ours.map(|((name, _), share)| (name, share)).collect()
    }

    /// Bytes that the narrowest of the links that were full between two instants carries between them; none where none was full.
    pub(crate) fn full_capacity(&self, from: Time, until: Time, round: Duration) -> Option<f64> {
        let full = self.full_of(&self.hops, (from, until), round, |hop, _| hop.name);
        let ours = self.hops.iter().filter(|hop| full.contains_key(hop.name));
        ours.map(|hop| hop.capacity(from, until)).reduce(f64::min)
    }

    /// For which share of the time between two instants a link of the way back was full and frames were seen to wait for it; what it
    /// carried is taken over no less than `round`.
    pub(crate) fn back_full(&self, from: Time, until: Time, round: Duration) -> f64 {
        let shares = self
            .full_of(&self.back, (from, until), round, |_, full| full)
            .into_iter();
        let waited = shares.filter(|(full, _)| full.waits);
        waited.map(|(_, share)| share).sum()
    }

    fn full_of<K: Ord>(
        &self,
        hops: &[Hop<'a>],
        (from, until): (Time, Time),
        round: Duration,
        key: impl Fn(&Hop<'a>, Full) -> K,
    ) -> BTreeMap<K, f64> {
        let mut shares = BTreeMap::new();
        if self.every == Duration::ZERO || until <= from {
            return shares;
        }
        let number = |t: Time| (t.as_ps() / self.every.as_ps()) as usize;
        let start = |n: usize| Time::ZERO + self.every.times(n as u64);
        let whole = until.since(from).as_secs_f64();
        let first = number(from);
        let count = number(Time::from_ps(until.as_ps() - 1)) + 1 - first;
        let together = round.as_ps().div_ceil(self.every.as_ps()).max(1) as usize;
        let pieces = (count / together).max(1);
        let begin = |piece: usize| first + piece * count / pieces;
        for piece in 0..pieces {
            let of = begin(piece)..begin(piece + 1);
            let busy = hops
                .iter()
                .filter_map(|hop| Some((hop, hop.busy(of.clone(), self.every)?)));
            let mut busy: Vec<(&Hop<'a>, f64)> = busy.collect();
            if busy.len() > 1 {
                let (begins, ends) = (start(of.start), start(of.end));
                busy.sort_by_cached_key(|(hop, _)| hop.capacity(begins, ends) as u64);
            }
            for n in of {
                let inside = until.min(start(n + 1)).since(from.max(start(n)));
                let full = |(hop, carried): &(&Hop<'a>, f64)| {
                    let full = hop.full(n, *carried)?;
                    Some(key(hop, full))
                };
                if let Some(first) = busy.iter().find_map(full) {
                    *shares.entry(first).or_default() += inside.as_secs_f64() / whole;
                }
            }
        }
        shares
    }

    /// What took more than half of what was dropped on the way of a connection that delivered `delivered` bytes. Every interval is
    /// read for it: it is asked once a connection.
    pub fn taken(&self, delivered: u64) -> Taken {
        let own = self.own(delivered);
        match () {
            () if 2.0 * own.policed > own.all => Taken::By(Limit::Policer),
            () if 2.0 * own.mtu > own.all => Taken::By(Limit::Mtu),
            () if 2.0 * own.other > own.all => Taken::ByChance,
            () => Taken::Otherwise,
        }
    }

    /// What took all that was sent, where something was dropped. A queue that drops everything is a loss: nobody waits in it.
    pub fn took_everything(&self) -> Option<Limit> {
        let took = |hops: &[Hop<'_>]| (sum(hops) != Dropped::default()).then(|| taker_of(hops));
        let taker = took(&self.hops).or_else(|| took(&self.back))?;
        Some(match taker {
            Limit::Link | Limit::Nic => Limit::Loss,
            other => other,
        })
    }

    /// Bytes the narrowest link carries between two instants.
    pub fn capacity(&self, from: Time, until: Time) -> f64 {
        let each = self.hops.iter().map(|hop| hop.capacity(from, until));
        each.fold(f64::INFINITY, f64::min)
    }

    /// What limits a stream that loses datagrams: the reason that dropped most on its path. Of several queues and policers it is the
    /// last that drops a part of what comes to it: each lets less through than the one before. The counters are those of the links,
    /// whoever else used them.
    pub(crate) fn of_lost_datagrams(&self) -> Limit {
        let most = taker_of(&self.hops);
        let last = || self.hops.iter().rev().find_map(Hop::keeps_back);
        match most {
            Limit::Link | Limit::Nic | Limit::Policer => last().unwrap_or(most),
            other => other,
        }
    }

    /// Where that took them, by the link's name, if it was a queue of a router or a policer.
    pub(crate) fn place_of_lost_datagrams(&self) -> Option<&'a str> {
        let word = self.of_lost_datagrams();
        let count = |hop: &&Hop<'_>| match word {
            Limit::Link if !hop.own => hop.dropped.queue,
            Limit::Policer => hop.dropped.policed,
            _ => 0,
        };
        let is_last = |hop: &&Hop<'_>| hop.keeps_back() == Some(word) && count(hop) > 0;
        let last = self.hops.iter().rev().find(is_last);
        let most = || {
            self.hops
                .iter()
                .max_by_key(count)
                .filter(|hop| count(hop) > 0)
        };
        last.or_else(most).map(|hop| hop.name)
    }

    /// Whether queues took more than half of what was dropped on the way there, whoever's it was.
    pub fn queues_took(&self) -> bool {
        let all = sum(&self.hops);
        2 * all.queue > all.total()
    }

    /// Of each link on the way there, in order: its name, and which part of what came to its queue that dropped in the whole run,
    /// whoever's it was; 0 to 1.
    pub fn queue_lost(&self) -> Vec<(String, f64)> {
        let of = |hop: &Hop<'_>| {
            let dropped = hop.dropped.queue as f64;
            let came = dropped + hop.carried() as f64;
            (hop.name.to_owned(), dropped / came.max(1.0))
        };
        self.hops.iter().map(of).collect()
    }

    /// Whether queues or policers took more than half of what was dropped on the way there and back, whoever's it was, in a word for them.
    pub(crate) fn took_there_and_back(&self) -> Option<&'static str> {
        let all = sum(&self.hops).plus(sum(&self.back));
        let is_most = |of: u64| 2 * of > all.total();
        match () {
            () if is_most(all.queue) => Some("queues"),
            () if is_most(all.policed) => Some("policers"),
            () => None,
        }
    }

    /// Counters of a link are of all that use it: what it dropped counts by the connection's share of what it carried.
    fn own(&self, delivered: u64) -> Own {
        let mut own = Own::default();
        for hop in &self.hops {
            let carried: u64 = hop.intervals.iter().map(|i| i.bytes).sum();
            let share = match carried > delivered {
                true => delivered as f64 / carried as f64,
                false => 1.0,
            };
            own.policed += share * hop.dropped.policed as f64;
            own.mtu += share * hop.dropped.mtu as f64;
            own.other += share * hop.dropped.other as f64;
            own.all += share * hop.dropped.total() as f64;
        }
        own
    }
}

fn sum(hops: &[Hop<'_>]) -> Dropped {
    let each = hops.iter().map(|hop| hop.dropped);
    each.fold(Dropped::default(), Dropped::plus)
}

/// The reason that dropped most on a way.
fn taker_of(hops: &[Hop<'_>]) -> Limit {
    let all = sum(hops);
    let (mut most, mut limit) = (0, Limit::Link);
    let queues = hops.iter().map(|hop| (hop.dropped.queue, hop.limit()));
    let in_host = hops.last().map_or(0, |hop| hop.dropped.host);
    let others = [
        (in_host, Limit::HostCpu),
        (all.policed, Limit::Policer),
        (all.mtu, Limit::Mtu),
        (all.other + all.host - in_host, Limit::Loss),
    ];
    for (count, of) in queues.chain(others) {
        if count > most {
            (most, limit) = (count, of);
        }
    }
    limit
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_ms(1);

    /// A byte in an interval of 1 ms is 8 kbit/s.
    fn kbps(rate: u64) -> Rate {
        Rate::from_bps(1000 * rate).expect("a rate")
    }

    fn path(own: bool, intervals: &[Interval]) -> Path<'_> {
        let hop = Hop {
            name: "l a>b",
            own,
            waits_unseen: own,
            rates: vec![(Time::ZERO, kbps(800))],
            intervals,
            dropped: Dropped::default(),
            frame_bytes: 0,
        };
        Path {
            down: Vec::new(),
            notes: Vec::new(),
            every: MS,
            hops: vec![hop],
            back: Vec::new(),
        }
    }

    fn at(ms: u64) -> Time {
        Time::ZERO + MS.times(ms)
    }

    #[test]
    fn a_full_link_carries_its_rate_and_has_frames_waiting() {
        let carries = |bytes, queue_bytes| [Interval { bytes, queue_bytes }; 4];
        for (bytes, queue, own, wanted) in [
            (95, 1, false, Some(Limit::Link)),
            (94, 1, false, None),
            (100, 0, false, None),
            (95, 0, true, Some(Limit::Nic)),
        ] {
            let intervals = carries(bytes, queue);
            let full = |a, b| path(own, &intervals).full(at(a), at(b), MS);
            let wanted: BTreeMap<Full, f64> = wanted
                .map(|limit| Full {
                    limit,
                    waits: queue > 0,
                    to_the_brim: bytes == 100,
                })
                .map(|full| (full, 1.0))
                .into_iter()
                .collect();
            assert_eq!(full(0, 4), wanted);
            assert_eq!(full(1, 2), wanted);
            assert!(full(4, 9).is_empty(), "nothing seen");
            assert!(full(2, 2).is_empty(), "no time");
        }
    }

    #[test]
    fn an_interval_counts_for_as_much_of_it_as_lies_inside() {
        let full = Interval {
            bytes: 100,
            queue_bytes: 1,
        };
        let intervals = [full, Interval::default(), full];
        let path = path(false, &intervals);
        let share = |from, until| path.full(from, until, MS).values().sum::<f64>();
        assert_eq!(share(at(0), at(1)), 1.0);
        assert_eq!(share(at(0), at(2)), 0.5);
        let half = Duration::from_us(500);
        assert_eq!(share(at(0) + half, at(2)), 1.0 / 3.0);
        assert_eq!(share(at(1), at(2)), 0.0);
    }

    #[test]
    fn queues_took_what_they_dropped_most_of() {
        let took = |queue, other| {
            let mut path = path(false, &[]);
            path.hops[0].dropped = Dropped {
                queue,
                other,
                ..Dropped::default()
            };
            path.queues_took()
        };
        assert!(took(11, 10));
        assert!(!took(10, 10) && !took(0, 0));
    }

    /// A link of 100 bytes an interval, of 10 from the middle of the third on, and of 50 at last.
    #[test]
    fn a_link_is_full_of_what_it_carries_by_then() {
        let interval = |bytes| Interval {
            bytes,
            queue_bytes: 1,
        };
        let intervals = [100, 60, 55, 10, 9, 10, 10, 49].map(interval);
        let mut path = path(false, &intervals);
        let half = Duration::from_us(500);
        path.hops[0]
            .rates
            .extend([(at(2) + half, kbps(80)), (at(7), kbps(400))]);
        let full = (0..8).map(|n| {
            let share: f64 = path.full(at(n), at(n + 1), MS).values().sum();
            share == 1.0
        });
        assert_eq!(
            full.collect::<Vec<bool>>(),
            [true, false, true, true, false, true, true, true]
        );
        let carries = path.capacity(at(1), at(4));
        assert!((carries - 165.0).abs() < 1e-9, "{carries}");
    }

    /// A core of 100 bytes an interval that others fill, and a line of 10 behind it that the flow fills alone. The core is named where
    /// the line has a pause, and the first of two links of one rate.
    #[test]
    fn the_narrowest_of_full_links_is_the_limit() {
        let carries = |bytes| {
            [Interval {
                bytes,
                queue_bytes: 1,
            }; 4]
        };
        let (core, line, paused) = (carries(100), carries(10), carries(8));
        let named = |rate: u64, behind: &[Interval]| {
            let mut path = path(false, &core);
            let mut line = path.hops[0].clone();
            (line.name, line.intervals) = ("l b>c", behind);
            line.rates = vec![(Time::ZERO, kbps(rate))];
            path.hops.push(line);
            let links = path.full_links((at(0), at(4)), MS, Limit::Link);
            let names: Vec<String> = links.into_keys().map(str::to_owned).collect();
            (names, path.full_capacity(at(0), at(4), MS))
        };
        let only = |name: &str, bytes: f64| (vec![name.to_owned()], Some(bytes));
        assert_eq!(named(80, &line), only("l b>c", 40.0));
        assert_eq!(named(80, &paused), only("l a>b", 400.0));
        assert_eq!(named(800, &core), only("l a>b", 400.0));
    }

    /// Frames of 31 bytes on a link of 100 bytes an interval: three of them start in most, four in every fourth.
    /// It has no pause. Where nothing waits at an end, or two start where three would, it may have one.
    #[test]
    fn a_frame_across_the_edge_of_an_interval_is_no_pause() {
        let interval = |(frames, queue_bytes): (u64, u64)| Interval {
            bytes: 31 * frames,
            queue_bytes,
        };
        let busy = [(4, 9), (3, 9), (3, 9), (3, 9), (4, 9)].map(interval);
        let drained = [(4, 9), (3, 9), (3, 0), (3, 9), (2, 9)].map(interval);
        let full = |intervals: &[Interval], frame_bytes: u64| -> Vec<bool> {
            let mut path = path(false, intervals);
            path.hops[0].frame_bytes = frame_bytes;
            let share = |n: u64| -> f64 { path.full(at(n), at(n + 1), MS).values().sum() };
            (0..5).map(|n| share(n) == 1.0).collect()
        };
        assert_eq!(full(&busy, 31), [true; 5]);
        assert_eq!(full(&busy, 0), [true, false, false, false, true]);
        assert_eq!(full(&drained, 31), [true, true, false, false, false]);
        // Shorter than a frame: one that is on the wire throughout starts in none of them.
        let long = [310, 0, 0, 310, 0].map(|bytes| Interval {
            bytes,
            queue_bytes: 9,
        });
        assert_eq!(full(&long, 310), [true; 5]);
    }

    /// A window of two thirds of the pipe, in one burst every three intervals: it fills the link while it passes.
    #[test]
    fn a_burst_shorter_than_a_round_trip_fills_no_link() {
        let interval = |bytes| Interval {
            bytes,
            queue_bytes: u64::from(bytes > 0),
        };
        let intervals = [[100, 100, 0].map(interval); 4].concat();
        let path = path(false, &intervals);
        let full =
            |until, round| -> f64 { path.full(at(0), at(until), MS.times(round)).values().sum() };
        assert!((full(12, 1) - 2.0 / 3.0).abs() < 1e-9);
        assert_eq!([full(12, 3), full(3, 3), full(11, 3)], [0.0; 3]);
        // Less time than a round trip is judged by itself.
        assert_eq!(full(2, 3), 1.0);
    }

    /// A host's link drops half of what is sent, and the next place all but a tenth of the rest: that one is what the rest is.
    #[test]
    fn the_last_place_that_keeps_a_stream_back_limits_it() {
        let carried = [Interval {
            bytes: 100 * 1000,
            queue_bytes: 1,
        }];
        let mut path = path(true, &carried);
        path.hops[0].frame_bytes = 100;
        path.hops[0].dropped.queue = 1000;
        let mut limit = |behind: Dropped| {
            path.hops.truncate(1);
            path.hops.push(Hop {
                name: "l b>c",
                own: false,
                dropped: behind,
                ..path.hops[0].clone()
            });
            (path.of_lost_datagrams(), path.place_of_lost_datagrams())
        };
        let queue = |queue| Dropped {
            queue,
            ..Dropped::default()
        };
        let policed = Dropped {
            policed: 900,
            ..Dropped::default()
        };
        assert_eq!(limit(queue(900)), (Limit::Link, Some("l b>c")));
        assert_eq!(limit(policed), (Limit::Policer, Some("l b>c")));
        // A burst of others is not it.
        assert_eq!(limit(queue(5)), (Limit::Nic, None));
        assert_eq!(limit(Dropped::default()), (Limit::Nic, None));
    }

    #[test]
    fn a_lost_datagram_is_of_what_dropped_most() {
        let mut path = path(true, &[]);
        assert_eq!(path.of_lost_datagrams(), Limit::Link);
        path.hops.push(Hop {
            own: false,
            ..path.hops[0].clone()
        });
        for (hop, dropped, wanted) in [
            (
                0,
                Dropped {
                    queue: 2,
                    ..Dropped::default()
                },
                Limit::Nic,
            ),
            (
                1,
                Dropped {
                    queue: 3,
                    ..Dropped::default()
                },
                Limit::Link,
            ),
            (
                1,
                Dropped {
                    policed: 4,
                    ..Dropped::default()
                },
                Limit::Policer,
            ),
            (
                0,
                Dropped {
                    other: 5,
                    ..Dropped::default()
                },
                Limit::Loss,
            ),
            (
                1,
                Dropped {
                    host: 6,
                    ..Dropped::default()
                },
                Limit::HostCpu,
            ),
            (
                0,
                Dropped {
                    mtu: 7,
                    ..Dropped::default()
                },
                Limit::Mtu,
            ),
        ] {
            path.hops[hop].dropped = dropped;
            assert_eq!(path.of_lost_datagrams(), wanted);
            path.hops[hop].dropped = Dropped::default();
        }
    }
}
