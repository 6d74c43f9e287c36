//! A link that others filled while a connection waited for the path.

use farpath_observe::{Interval, Path};
use farpath_units::Time;

use super::Watched;
use super::evidence::ROUND;
use crate::lab::sender::SENDERS;

/// A link that was full for this share of a connection's time is named.
const NAMED: f64 = 0.1;

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
        let full = |who: usize| {
            let path = ways[who]?;
            let share: f64 = path.full(from, until, ROUND).values().sum();
            let is_others = carried(path, from, until) >= PARTS * own[who];
            (share >= NAMED && is_others).then_some((share, who))
        };
        let found = [0, 1].into_iter().filter_map(full);
        let most = found.max_by(|a, b| a.0.total_cmp(&b.0));
        most.map_or(String::new(), |(share, who)| {
            let sender = [self.host, 1 - self.host][who];
            format!(
                "; a link from {} to {} was full {:.0} % of the time, and others sent most of what it carried",
                SENDERS[sender],
                SENDERS[1 - sender],
                100.0 * share
            )
        })
    }
}

/// Bytes that each link of a way carried between two instants, framing included: the least of them.
fn carried(path: &Path<'_>, from: Time, until: Time) -> u64 {
    let every = path.every.as_ps().max(1);
    let number = |t: Time| (t.as_ps() / every) as usize;
    let of = |intervals: &[Interval]| {
        let taken = intervals.iter().take(number(until) + 1).skip(number(from));
        taken.map(|interval| interval.bytes).sum::<u64>()
    };
    let links = path.hops.iter().map(|hop| of(hop.intervals));
    links.min().unwrap_or(0)
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
