//! A link that others filled while a connection waited for the path, or for its window.

use farpath_observe::{Interval, Path};
use farpath_units::{Duration, Time};

use super::Watched;
use super::evidence::ROUND;
use crate::lab::sender::SENDERS;

/// A link that was full for this share of a connection's time is named.
const NAMED: f64 = 0.1;

/// So is one that carried this part of what it can, while frames waited for it for this share of the time: many that come in bursts fill it in
/// sum. Of shorter times intervals say too little.
const TAKEN: f64 = 0.8;
const WAITED: f64 = 0.25;
const LONG: Duration = Duration::from_secs(1);

/// Others sent most of what a link carried where the connection's part is one in so many at most.
const PARTS: u64 = 2;

/// Bytes of a frame beside its data, and of data in a segment of a longer message: with these its own part is rather too large.
const HEADERS: u64 = 100;
const SEGMENT_LEAST: u64 = 500;

impl Watched {
    /// That a link of what its host sends, or of what the other one does, was full of what others sent, in words; empty where none was, or the
    /// connection may have filled it itself.
    pub(super) fn others(&self, ways: [Option<&Path<'_>>; 2]) -> String {
        let (from, until) = (self.begun(), self.last.sample.t);
        let end = &self.last.end;
        let frames = self.last.segments + end.received / SEGMENT_LEAST;
        let sent = end.sent.unwrap_or(end.acked);
        let own = [sent, end.received].map(|bytes| bytes + HEADERS * frames);
        let of_others = |who: usize| {
            let path = ways[who]?;
            (carried(path, from, until) >= PARTS * own[who]).then_some(path)
        };
        let full = |who: usize| {
            let share: f64 = of_others(who)?.full(from, until, ROUND).values().sum();
            (share >= NAMED).then_some((share, who))
        };
        let link = |who: usize| {
            let sender = [self.host, 1 - self.host][who];
            format!("a link from {} to {}", SENDERS[sender], SENDERS[1 - sender])
        };
        let found = [0, 1].into_iter().filter_map(full);
        if let Some((share, who)) = found.max_by(|a, b| a.0.total_cmp(&b.0)) {
            return format!(
                "; {} was full {:.0} % of the time, and others sent most of what it carried",
                link(who),
                100.0 * share
            );
        }
        let sum = |who: usize| Some((Sum::of(of_others(who)?, from, until)?, who));
        let found = [0, 1].into_iter().filter_map(sum);
        let most = found.max_by(|a, b| a.0.taken.total_cmp(&b.0.taken));
        most.map_or(String::new(), |(sum, who)| {
            format!(
                "; what all sent together took {:.0} % of {}, and frames waited for it {:.0} % of the time",
                100.0 * sum.taken,
                link(who),
                100.0 * sum.waited
            )
        })
    }
}

/// A link that many fill in sum.
struct Sum {
    /// The part of what it can carry that it carried.
    taken: f64,
    /// The share of the time in which frames waited for it.
    waited: f64,
}

impl Sum {
    /// Between two instants; none where no link of a way is so.
    fn of(path: &Path<'_>, from: Time, until: Time) -> Option<Sum> {
        let taken = carried(path, from, until) as f64 / path.capacity(from, until).max(1.0);
        let waited = path.hops.iter().map(|hop| {
            let within = intervals(path, hop.intervals, from, until);
            let (all, waiting) = within.fold((0_u32, 0_u32), |(all, waiting), interval| {
                (all + 1, waiting + u32::from(interval.queue_bytes > 0))
            });
            f64::from(waiting) / f64::from(all.max(1))
        });
        let waited = waited.fold(0.0, f64::max);
        let is_long = until.since(from.min(until)) >= LONG;
        (is_long && taken >= TAKEN && waited >= WAITED).then_some(Sum {
            taken: taken.min(1.0),
            waited,
        })
    }
}

/// Bytes that each link of a way carried between two instants, framing included: the least of them.
fn carried(path: &Path<'_>, from: Time, until: Time) -> u64 {
    let links = path.hops.iter().map(|hop| {
        let within = intervals(path, hop.intervals, from, until);
        within.map(|interval| interval.bytes).sum::<u64>()
    });
    links.min().unwrap_or(0)
}

/// Those of a link's intervals that have a part between two instants.
fn intervals<'a>(
    path: &Path<'_>,
    all: &'a [Interval],
    from: Time,
    until: Time,
) -> impl Iterator<Item = &'a Interval> + use<'a> {
    let every = path.every.as_ps().max(1);
    let number = |t: Time| (t.as_ps() / every) as usize;
    all.iter().take(number(until) + 1).skip(number(from))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::connections::Connections;
    use crate::lab::seen::{End, Seen};
    use farpath_emu::plane::Turns;
    use farpath_observe::{Dropped, Hop, Sample};
    use farpath_probe::live::{Ended, Snapshot};
    use farpath_units::{Duration, Rate};

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    fn interval(queue_bytes: u64) -> Interval {
        Interval {
            bytes: 800,
            queue_bytes,
        }
    }

    /// A link of 64 kbit/s, by intervals of 100 ms.
    fn path(intervals: &[Interval]) -> Path<'_> {
        let rate = Rate::from_bps(64_000).expect("a rate");
        let hop = Hop {
            name: "l a>b",
            own: false,
            waits_unseen: false,
            rates: vec![(Time::ZERO, rate)],
            intervals,
            dropped: Dropped::default(),
            frame_bytes: 0,
        };
        Path {
            every: Duration::from_ms(100),
            hops: vec![hop],
            back: Vec::new(),
            down: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Thirty requests and answers of so many bytes each in 4.9 s, across a link of 64 kbit/s that is full in both halves of each 200 ms.
    #[test]
    fn a_link_that_others_fill_is_named_beside_a_wait_for_the_path() {
        let said = |bytes: u64, queue_bytes: u64| {
            let sample = |ms| Sample {
                t: at(ms),
                ..Sample::default()
            };
            let watched = Watched {
                last: Seen {
                    segments: 30,
                    end: End {
                        sent: Some(30 * bytes),
                        received: 30 * bytes,
                        ..End::default()
                    },
                    sample: sample(5000),
                    ..Seen::default()
                },
                samples: vec![sample(100)],
                ..Watched::default()
            };
            let intervals = [interval(queue_bytes); 100];
            let path = path(&intervals);
            assert_eq!(watched.others([None, None]), "");
            watched.others([None, Some(&path)])
        };
        let words = "; a link from the server to your command was full 100 % of the time, and others sent most of what it carried";
        assert_eq!(said(100, 300), words);
        // No frame waits, or the connection's own answers may have filled it.
        assert_eq!(said(100, 0), "");
        assert_eq!(said(1000, 300), "");
    }

    /// Several side by side whose answers come in bursts: the link carries nine tenths of what it can, and frames wait for it at the end of each
    /// second interval.
    #[test]
    fn a_link_that_many_fill_in_sum_is_named() {
        let said = |low: u64, waits: bool| {
            let sample = |ms| Sample {
                t: at(ms),
                ..Sample::default()
            };
            let watched = Watched {
                host: 1,
                last: Seen {
                    end: End {
                        sent: Some(5000),
                        ..End::default()
                    },
                    sample: sample(5000),
                    ..Seen::default()
                },
                samples: vec![sample(100)],
                ..Watched::default()
            };
            let mut all = [interval(0); 100];
            for (n, one) in all.iter_mut().enumerate() {
                one.bytes = low;
                one.queue_bytes = u64::from(waits && n % 2 == 0) * 300;
            }
            let path = path(&all);
            watched.others([Some(&path), None])
        };
        // Fifty intervals of 720 B, and 4.9 s hold 39.2 kB.
        let words = "; what all sent together took 92 % of a link from the server to your command, and frames waited for it 50 % of the time";
        assert_eq!(said(720, true), words);
        assert_eq!(said(720, false), "");
        assert_eq!(said(400, true), "");
    }

    /// The same requests, of which no sample was taken: frames say that they were on the way, and when the link was full.
    #[test]
    fn a_link_that_others_fill_is_named_without_samples() {
        let said = |queue_bytes: u64| {
            let ends = ["198.18.0.1:40000", "198.18.0.2:7000"];
            let [local, peer] = ends.map(|end| end.parse().expect(end));
            let mut connections = Connections::across([250_000; 2]);
            let mut last = Snapshot {
                acked: 3000,
                sent: Some(3000),
                received: 3001,
                segments: 30,
                ..Snapshot::default()
            };
            last.sample.busy_us = 4_900_000;
            connections.close(at(5000), 0, &Ended { local, peer, last });
            connections.take_turns(&Turns {
                begun: Some(at(100)),
                span: Duration::from_ms(4900),
                way: Duration::from_ms(4900),
                ..Turns::between([local, peer])
            });
            let intervals = [interval(queue_bytes); 100];
            let told = connections.told([None, Some(path(&intervals))]);
            told.expect("there is one").line
        };
        let words = "a request or an answer was on the way for 100 % of the time; a link from the server to your command was full 100 % of \
                     the time, and others sent most of what it carried";
        assert!(said(300).contains(words), "{}", said(300));
        let alone = said(0);
        assert!(alone.contains("was on the way for 100 %"), "{alone}");
        assert!(!alone.contains("others"), "{alone}");
    }
}
