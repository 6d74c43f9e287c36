//! The trail of one direction: what a time–sequence plot draws, read in a second pass, thinned to what a page holds.
//!
//! New data, the acknowledgements and windows of the other end, and its SACK blocks. What was sent again is known
//! from the first pass, with its classes.

use crate::clock::Clock;
use crate::ranges::{Ranges, unwrapped};
use crate::room::join_pairs;
use crate::segment::{End, Segment, control};

/// Marks of one kind that are kept; then each two become one stroke, and so on.
const MARKS_MAX: usize = 24_000;
/// Numbers start here, so that what comes before the first one seen has a number too.
const START: u64 = 1 << 32;

/// One mark of the plot: a segment, an acknowledgement, a SACK block, or a stroke that stands for several of them.
/// Times are nanoseconds since the connection's first packet, numbers bytes since its first payload byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// When the first was captured.
    pub from_ns: u64,
    /// When the last was.
    pub until_ns: u64,
    /// Where the first starts.
    pub seq: u64,
    /// Where the last starts.
    pub last_seq: u64,
    /// Bytes that the last covers; 0 of acknowledgements and windows.
    pub length: u32,
    /// How many it stands for.
    pub count: u64,
}

/// Marks in order, thinned as they come.
#[derive(Clone, Debug)]
pub struct Marks {
    all: Vec<Mark>,
    /// Marks taken in for each one kept.
    each: u64,
    most: usize,
}

impl Marks {
    /// No marks yet; at most `most` are ever kept, 2 at least.
    pub fn new(most: usize) -> Marks {
        Marks {
            all: Vec::new(),
            each: 1,
            most: most.max(2),
        }
    }

    /// The marks, in the order of time.
    pub fn all(&self) -> &[Mark] {
        &self.all
    }

    /// Takes in the next mark.
    pub fn add(&mut self, mark: Mark) {
        if let Some(last) = self.all.last_mut().filter(|m| m.count < self.each) {
            last.join(&mark);
            return;
        }
        if self.all.len() >= self.most {
            join_pairs(&mut self.all, Mark::join);
            self.each *= 2;
        }
        self.all.push(mark);
    }
}

impl Mark {
    fn join(&mut self, later: &Mark) {
        self.until_ns = later.until_ns;
        self.last_seq = later.last_seq;
        self.length = later.length;
        self.count += later.count;
    }
}

/// Which connection's trail is wanted, of whose data, and of which time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The sender of the data, and the receiver, as the document writes them: `192.0.2.1:80`, `[2001:db8::1]:80`.
    pub ends: [String; 2],
    /// Time of the connection's first packet, nanoseconds since 1970-01-01 00:00 UTC.
    pub start_ns: i64,
    /// Its length, nanoseconds.
    pub duration_ns: u64,
    /// The shift of the receiver's windows, bits.
    pub shift: u8,
    /// The span that is drawn, nanoseconds since the first packet.
    pub span_ns: [u64; 2],
}

/// What one direction's plot draws.
#[derive(Clone, Debug)]
pub struct Trail {
    /// Segments of new data.
    pub data: Marks,
    /// Cumulative acknowledgements that rose.
    pub acks: Marks,
    /// The first byte that the receiver's window has no room for, where that changed.
    pub edges: Marks,
    /// SACK blocks that reported something new.
    pub sacks: Marks,
    /// The receiver's window, bytes: `seq` of each mark.
    pub windows: Marks,
}

/// Follows one direction.
pub(crate) struct Follower {
    wanted: Wanted,
    clock: Clock,
    ends: [End; 2],
    /// The first packet was met.
    met: bool,
    pub(crate) trail: Trail,
    begun: bool,
    base: u64,
    max: u64,
    una: u64,
    edge: u64,
    sacked: Ranges,
}

impl Follower {
    /// None where an end is not one.
    pub(crate) fn new(wanted: Wanted) -> Option<Follower> {
        let [a, b] = [0, 1].map(|n| end(&wanted.ends[n]));
        let marks = || Marks::new(MARKS_MAX);
        Some(Follower {
            clock: Clock::new(wanted.start_ns),
            wanted,
            ends: [a?, b?],
            met: false,
            trail: Trail {
                data: marks(),
                acks: marks(),
                edges: marks(),
                sacks: marks(),
                windows: marks(),
            },
            begun: false,
            base: 0,
            max: 0,
            una: 0,
            edge: 0,
            sacked: Ranges::default(),
        })
    }

    pub(crate) fn take(&mut self, s: &Segment) {
        let [a, b] = self.ends;
        let sent = (s.from, s.to) == (a, b);
        if !sent && (s.to, s.from) != (a, b) {
            return;
        }
        self.met |= s.at == self.wanted.start_ns;
        if !self.met {
            return;
        }
        let since = self.clock.time(s.at) - self.wanted.start_ns;
        if since as u64 > self.wanted.duration_ns || s.is(control::RST) {
            return;
        }
        if sent {
            self.data(s, since as u64);
        } else if s.is(control::ACK) {
            self.answer(s, since as u64);
        }
    }

    fn begin(&mut self, number: u32) {
        if !self.begun {
            self.begun = true;
            let number = unwrapped(START, number);
            (self.base, self.max, self.una, self.edge) = (number, number, number, number);
        }
    }

    fn is_drawn(&self, at: u64) -> bool {
        (self.wanted.span_ns[0]..self.wanted.span_ns[1]).contains(&at)
    }

    fn data(&mut self, s: &Segment, at: u64) {
        let seq = if s.is(control::SYN) {
            s.seq.wrapping_add(1)
        } else {
            s.seq
        };
        if s.is(control::SYN) || s.length > 0 {
            self.begin(seq);
        }
        let from = unwrapped(self.max, seq);
        let until = from + u64::from(s.length);
        if s.length == 0 || until <= self.max {
            return;
        }
        let from = from.max(self.max);
        self.max = until;
        if self.is_drawn(at) {
            self.trail
                .data
                .add(mark(at, from - self.base, (until - from) as u32));
        }
    }

    fn answer(&mut self, s: &Segment, at: u64) {
        self.begin(s.ack);
        let ack = unwrapped(self.una, s.ack);
        let drawn = self.is_drawn(at);
        for block in &s.sack.blocks[..usize::from(s.sack.count)] {
            let (from, until) = (unwrapped(ack, block.0), unwrapped(ack, block.1));
            let is_news = from < until && until <= self.max && from >= ack;
            let new = if is_news {
                self.sacked.add(from, until)
            } else {
                0
            };
            if new > 0 && drawn {
                // What is new stands at the end of the block that grew.
                let start = until - new.min(until - from);
                let length = (until - start).min(u64::from(u32::MAX)) as u32;
                self.trail
                    .sacks
                    .add(mark(at, start.saturating_sub(self.base), length));
            }
        }
        if ack > self.una {
            self.una = ack;
            self.sacked.forget_below(ack);
            if drawn {
                self.trail.acks.add(mark(at, ack - self.base, 0));
            }
        }
        let shift = if s.is(control::SYN) {
            0
        } else {
            self.wanted.shift.min(14)
        };
        let window = u64::from(s.window) << shift;
        if drawn {
            self.trail.windows.add(mark(at, window, 0));
        }
        if ack >= self.una && ack + window > self.edge {
            self.edge = ack + window;
            if drawn {
                self.trail.edges.add(mark(at, self.edge - self.base, 0));
            }
        }
    }
}

fn mark(at: u64, seq: u64, length: u32) -> Mark {
    Mark {
        from_ns: at,
        until_ns: at,
        seq,
        last_seq: seq,
        length,
        count: 1,
    }
}

/// An end as the document writes it.
fn end(text: &str) -> Option<End> {
    let address: std::net::SocketAddr = text.parse().ok()?;
    let wide = match address.ip() {
        std::net::IpAddr::V4(v4) => v4.to_ipv6_mapped(),
        std::net::IpAddr::V6(v6) => v6,
    };
    Some(End {
        address: wide.into(),
        port: address.port(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinned_marks_keep_both_ends_and_every_one_is_counted() {
        let mut marks = Marks::new(100);
        for n in 0..10_000 {
            marks.add(mark(n * 10, n * 1000, 1000));
        }
        let all = marks.all();
        assert!(all.len() <= 100 && all.len() > 50, "{}", all.len());
        assert_eq!(all.iter().map(|m| m.count).sum::<u64>(), 10_000);
        let last = all[all.len() - 1];
        assert_eq!((all[0].from_ns, all[0].seq), (0, 0));
        assert_eq!((last.until_ns, last.last_seq), (99_990, 9_999_000));
        assert!(all.windows(2).all(|w| w[0].until_ns < w[1].from_ns));
    }

    #[test]
    fn ends_are_read_as_they_are_written() {
        let v4 = end("192.0.2.1:80").map(|e| crate::describe::end_text(&e));
        assert_eq!(v4.as_deref(), Some("192.0.2.1:80"));
        let v6 = end("[2001:db8::1]:443").map(|e| crate::describe::end_text(&e));
        assert_eq!(v6.as_deref(), Some("[2001:db8::1]:443"));
        assert_eq!(end("nobody"), None);
    }
}
