//! `oneway`: datagrams at an interval, and how long each is under way.

use farpath_element::Io;
use farpath_observe::{Observation, Packets, too_late};
use farpath_record::Seen;
use farpath_scenario::{Periodic, Test};
use farpath_units::{Duration, Time};
use farpath_wire::{Flags, FlowDir, Frame, Kind};

use crate::host::Host;
use crate::prober::{NodeName, Prober};

/// The two ends of a test; the source sends over its station's `output`.
pub(super) fn ends(
    test: &Test,
    all: &Periodic,
    flow: FlowDir,
    output: usize,
) -> (Box<dyn Prober>, Box<dyn Prober>) {
    let mut datagram = Frame::new(Kind::Udp, flow, 0, all.size as u16);
    datagram.class = test.class;
    datagram.set_flags(Flags::DONT_FRAGMENT);
    let due = Due {
        start: test.start,
        all: all.clone(),
    };
    let source = Source {
        due: due.clone(),
        output,
        datagram,
        sent: 0,
    };
    let sink = Sink {
        due,
        arrived: Vec::new(),
        duplicates: 0,
        late: 0,
        seen: Seen::new(),
    };
    (Box::new(source), Box::new(sink))
}

/// When datagrams leave.
#[derive(Clone, Debug)]
struct Due {
    start: Time,
    all: Periodic,
}

impl Due {
    fn count(&self) -> u64 {
        self.all.count.into()
    }

    fn at(&self, ordinal: u64) -> Time {
        self.start + self.all.interval.times(ordinal)
    }
}

#[derive(Debug)]
struct Source {
    due: Due,
    output: usize,
    datagram: Frame,
    sent: u64,
}

impl Prober for Source {
    fn deadline(&self) -> Time {
        if self.sent < self.due.count() {
            self.due.at(self.sent)
        } else {
            Time::MAX
        }
    }

    fn on_deadline(&mut self, now: Time, host: &mut Host, io: &mut Io<'_>) {
        while self.deadline() <= now {
            let mut datagram = self.datagram;
            datagram.at = host.departs(now, self.output, &datagram);
            datagram.seq = self.sent;
            self.sent += 1;
            io.output(self.output).push(datagram);
        }
    }

    /// Errors that came back: what they are about does not arrive, and that is all that counts.
    fn on_frame(&mut self, _: Time, _: &Frame) {}

    fn is_done(&self, _: Time) -> bool {
        self.sent == self.due.count()
    }

    fn seen(&self, _: &NodeName<'_>, _: &mut Vec<String>) -> Option<Observation> {
        None
    }
}

#[derive(Debug)]
struct Sink {
    due: Due,
    arrived: Vec<(Time, Duration)>,
    duplicates: u64,
    /// First copies that came after the timeout.
    late: u64,
    seen: Seen,
}

impl Prober for Sink {
    fn on_frame(&mut self, now: Time, frame: &Frame) {
        let sent = self.due.at(frame.seq);
        let delay = now.since(sent);
        if !self.seen.is_new(frame.seq) {
            self.duplicates += 1;
        } else if delay <= self.due.all.timeout {
            self.arrived.push((sent, delay));
        } else {
            self.late += 1;
        }
    }

    fn is_done(&self, now: Time) -> bool {
        let last = self.due.at(self.due.count().saturating_sub(1));
        self.arrived.len() as u64 == self.due.count() || now >= last + self.due.all.timeout
    }

    fn seen(&self, _: &NodeName<'_>, notes: &mut Vec<String>) -> Option<Observation> {
        let (count, timeout) = (self.due.count(), self.due.all.timeout);
        notes.extend(too_late("datagrams", self.late, count, timeout));
        let mut arrived = self.arrived.clone();
        arrived.sort_unstable();
        Some(Observation::Packets(Packets {
            timed: "delay",
            sent: self.due.count(),
            arrived,
            duplicates: self.duplicates,
            exceeded: Vec::new(),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_and_what_comes_too_late_do_not_count() {
        let ms = |n: u64| Time::ZERO + Duration::from_ms(n);
        let all = Periodic {
            count: 3,
            interval: Duration::from_ms(10),
            size: 84,
            ttl: 64,
            timeout: Duration::from_ms(100),
        };
        let mut sink = Sink {
            due: Due { start: ms(5), all },
            arrived: Vec::new(),
            duplicates: 0,
            late: 0,
            seen: Seen::new(),
        };
        // They leave at 5, 15 and 25 ms; the second overtakes the first and comes twice, the third takes 101 ms.
        for (ordinal, now) in [(1, 20), (0, 30), (1, 31), (2, 126)] {
            let frame = Frame::new(Kind::Udp, FlowDir::forward(0), ordinal, 84);
            sink.on_frame(ms(now), &frame);
        }
        assert!(!sink.is_done(ms(124)) && sink.is_done(ms(125)));
        let mut notes = Vec::new();
        let seen = sink.seen(&|_| "", &mut notes);
        let note = "at least 1 of 3 datagrams came after the timeout of 100 ms and count as lost: a longer `timeout` counts them";
        assert_eq!(notes, [note]);
        let wanted = Packets {
            timed: "delay",
            sent: 3,
            arrived: vec![
                (ms(5), Duration::from_ms(25)),
                (ms(15), Duration::from_ms(5)),
            ],
            duplicates: 1,
            exceeded: Vec::new(),
        };
        assert_eq!(seen, Some(Observation::Packets(wanted)));
    }
}
