//! The links that a flow's data cross, and what they saw: evidence from outside the connection.

use farpath_units::{Duration, Time};

use crate::limit::Limit;

/// A link is full while it carries this share of its rate and frames wait for it. The sender's own interface needs
/// none waiting: its host is asked to hold them back.
const FULL: f64 = 0.95;

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
    /// The queue was full.
    pub tail: u64,
    /// A policer found them out of contract.
    pub policed: u64,
    /// Larger than the link, or the next one, carries.
    pub mtu: u64,
    /// The host behind the link could not take them.
    pub host: u64,
    /// For any other reason: lost or damaged on the way, early by a queue, no route.
    pub other: u64,
}

impl Dropped {
    fn plus(self, more: Dropped) -> Dropped {
        Dropped {
            tail: self.tail + more.tail,
            policed: self.policed + more.policed,
            mtu: self.mtu + more.mtu,
            host: self.host + more.host,
            other: self.other + more.other,
        }
    }
}

/// One direction of a link.
#[derive(Clone, Copy, Debug)]
pub struct Hop<'a> {
    /// It leads out of a host, not out of a router.
    pub own: bool,
    /// Bytes it carries in an interval at its rate.
    pub capacity_bytes: f64,
    /// The intervals from the start of the run on.
    pub intervals: &'a [Interval],
    /// Over the whole run.
    pub dropped: Dropped,
}

impl Hop<'_> {
    fn limit(&self) -> Limit {
        if self.own { Limit::Nic } else { Limit::Link }
    }
}

/// All links on a flow's way, in order.
#[derive(Clone, Debug)]
pub struct Path<'a> {
    /// Length of an interval.
    pub every: Duration,
    /// The links.
    pub hops: Vec<Hop<'a>>,
}

impl Path<'_> {
    /// The first link that was full between two instants: over all intervals that they touch.
    pub fn full(&self, from: Time, until: Time) -> Option<Limit> {
        if self.every == Duration::ZERO || until <= from {
            return None;
        }
        let interval = |t: Time| (t.as_ps() / self.every.as_ps()) as usize;
        let (first, last) = (interval(from), interval(Time::from_ps(until.as_ps() - 1)));
        let is_full = |hop: &&Hop<'_>| {
            let end = (last + 1).min(hop.intervals.len());
            let Some(between) = hop.intervals.get(first..end).filter(|b| !b.is_empty()) else {
                return false;
            };
            let carried: u64 = between.iter().map(|i| i.bytes).sum();
            let waits = between.iter().any(|i| i.queue_bytes > 0);
            carried as f64 >= FULL * hop.capacity_bytes * between.len() as f64 && (waits || hop.own)
        };
        self.hops.iter().find(is_full).map(Hop::limit)
    }

    /// What took more than half of all that was dropped on the way, where it has a word of its own: a policer, an MTU.
    pub fn taker(&self) -> Option<Limit> {
        let all = self.dropped();
        let sum = all.tail + all.policed + all.mtu + all.host + all.other;
        match () {
            () if 2 * all.policed > sum => Some(Limit::Policer),
            () if 2 * all.mtu > sum => Some(Limit::Mtu),
            () => None,
        }
    }

    /// What took datagrams out of a stream: the reason that dropped most on its path. The counters are those of the
    /// links, whoever else used them.
    pub fn of_lost_datagrams(&self) -> Limit {
        let all = self.dropped();
        let (mut most, mut limit) = (0, Limit::Link);
        let queues = self.hops.iter().map(|hop| (hop.dropped.tail, hop.limit()));
        let in_host = self.hops.last().map_or(0, |hop| hop.dropped.host);
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

    fn dropped(&self) -> Dropped {
        let each = self.hops.iter().map(|hop| hop.dropped);
        each.fold(Dropped::default(), Dropped::plus)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_ms(1);

    fn path(own: bool, intervals: &[Interval]) -> Path<'_> {
        let hop = Hop {
            own,
            capacity_bytes: 100.0,
            intervals,
            dropped: Dropped::default(),
        };
        Path {
            every: MS,
            hops: vec![hop],
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
            assert_eq!(path(own, &intervals).full(at(0), at(4)), wanted);
            assert_eq!(path(own, &intervals).full(at(1), at(2)), wanted);
            assert_eq!(
                path(own, &intervals).full(at(4), at(9)),
                None,
                "nothing seen"
            );
            assert_eq!(path(own, &intervals).full(at(2), at(2)), None, "no time");
        }
    }

    #[test]
    fn an_interval_counts_where_it_is_touched() {
        let full = Interval {
            bytes: 100,
            queue_bytes: 1,
        };
        let intervals = [full, Interval::default()];
        let path = path(false, &intervals);
        assert_eq!(path.full(at(0), at(1)), Some(Limit::Link));
        assert_eq!(path.full(at(0), at(1) + Duration::from_ps(1)), None);
    }

    #[test]
    fn a_lost_datagram_is_of_what_dropped_most() {
        let mut path = path(true, &[]);
        assert_eq!(path.of_lost_datagrams(), Limit::Link);
        path.hops.push(Hop {
            own: false,
            ..path.hops[0]
        });
        for (hop, dropped, wanted) in [
            (
                0,
                Dropped {
                    tail: 2,
                    ..Dropped::default()
                },
                Limit::Nic,
            ),
            (
                1,
                Dropped {
                    tail: 3,
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
