//! What a snapshot of the sender's sockets shows, without clocks: windows that are full, and bytes that wait.

use crate::cause::Cause;
use crate::evidence::{Evidence, NS};
use crate::fact::{Fact, Figure, Of};
use crate::flows::flow::Flow;
use crate::items::{Item, LOSSES, of, step};
use crate::read::Facts;
use crate::seen::Test;
use crate::windows::room::Room;

/// A window is full where so much of it is in flight: less than a segment or two is left.
const FULL: f64 = 0.95;

/// A window that was announced, and what was in flight of it, bytes.
type Used = (Figure, Figure);

fn is_full((window, flight): &Used) -> bool {
    flight.value > FULL * window.value
}

/// The largest window that a socket was printed with, where it was full then, and where the last that it was printed with is full, too.
fn largest(facts: &Facts, of: Of) -> Option<Used> {
    let mut flight: Option<&Fact> = None;
    let mut all: Vec<Used> = Vec::new();
    for fact in facts.facts.iter().filter(|f| f.of == of) {
        match fact.name {
            "flight_bytes" => flight = Some(fact),
            "window_announced_bytes" => {
                let same = flight.filter(|f| f.at == fact.at);
                let flight = same.and_then(Fact::number);
                all.extend(fact.number().cloned().zip(flight.cloned()));
            }
            _ => {}
        }
    }
    let last_is_full = all.last().is_some_and(is_full);
    let largest = all
        .into_iter()
        .max_by(|a, b| a.0.value.total_cmp(&b.0.value));
    largest.filter(|used| last_is_full && is_full(used))
}

impl Evidence {
    /// The windows of a flow's sockets where they were largest, together, and what was in flight then: at the end of a test receivers
    /// announce less. None where some window was not full, or shrank as its program does not read.
    pub(crate) fn at_largest(&self, facts: &Facts, flow: &Flow) -> Option<(Figure, Figure)> {
        let each = flow.sockets.iter().map(|s| largest(facts, Of::Socket(*s)));
        let each: Option<Vec<Used>> = each.collect();
        let both = |a: Used, b: Used| (a.0.plus(&b.0), a.1.plus(&b.1));
        let all = each?.into_iter().reduce(both);
        all.filter(|_| self.shrunk.is_none())
    }

    /// The window that sockets show, together: a ceiling where it is full, and the congestion window is not.
    pub(crate) fn window_at_once(&mut self, announced: Option<(Figure, Figure)>, sockets: usize) {
        let segment = self.mss * sockets.max(1) as f64;
        let full = |(window, flight): &(Figure, Figure)| {
            let shut = window.value - flight.value < segment && flight.value <= window.value;
            flight.value > FULL * window.value && (self.has_room(flight) || shut)
        };
        let Some((window, _)) = announced.filter(full) else {
            return;
        };
        // What shrank is what its program left of it, and no ceiling.
        if self.unscaled.is_none() && self.shrunk.is_none() {
            self.announced = true;
            let each = window.times(1.0 / sockets.max(1) as f64);
            self.windows.push(Room::announced(each));
        }
        self.full_window = Some(window);
    }

    /// Whether the congestion window has room beside what is in flight.
    pub(crate) fn has_room(&self, flight: &Figure) -> bool {
        let cwnd = self.cwnd.as_ref().map_or(0.0, |c| c.value);
        cwnd > 1.05 * flight.value
    }

    /// What the time says in which a socket was busy, beside its bytes and the time they took.
    pub(crate) fn busy(
        &mut self,
        test: Option<&Test>,
        acked: Option<Figure>,
        busy: Option<Figure>,
    ) {
        let Some((bytes, busy)) = acked.zip(busy).filter(|(_, busy)| busy.value > 0.0) else {
            return;
        };
        self.worked = Some((bytes.value, busy.value * NS));
        let Some(rate) = self.rate.as_ref().filter(|_| bytes.value > 20.0 * self.mss) else {
            return;
        };
        let Some(seconds) = test.and_then(|t| age(t, bytes.value)) else {
            return;
        };
        // The rest of the time it had nothing to send.
        let share = busy.value * NS / seconds;
        // Where it is far above one, the log and the socket are not of the same time.
        if self.busy_share.is_none() && share < SAME_TIME {
            let mut figure = rate.with(&busy);
            figure.value = share.min(1.0);
            (figure.low, figure.high) = (figure.value, figure.value);
            self.busy_share = Some(figure);
        }
    }

    /// How surely the congestion window has room that is not used, 0 to 1: much less is in flight, and a window a round trip is far above the
    /// rate. BBR's window is twice what it puts in flight.
    pub(crate) fn roomy(&self) -> f64 {
        let (Some(cwnd), Some(flight), Some(rtt), Some(rate)) =
            (&self.cwnd, &self.flight, &self.rtt, &self.rate)
        else {
            return 0.0;
        };
        if self.is_bbr() || flight.value <= 0.0 || rate.value <= 0.0 {
            return 0.0;
        }
        let allowed = cwnd.value * 8.0 / rtt.value;
        let room = |ratio: f64| step(ratio, ROOM[0], ROOM[1]);
        room(cwnd.value / flight.value).min(room(allowed / rate.value))
    }

    /// Bytes handed over that are all in flight, so that none wait to be sent; none where some wait or nothing says so.
    fn all_sent(&self) -> Option<&Figure> {
        let (queued, flight) = (self.queued.as_ref()?, self.flight.as_ref()?);
        let waits = self
            .unsent
            .as_ref()
            .is_some_and(|u| u.value > 2.0 * self.mss);
        let same =
            queued.value > 0.5 * flight.value && queued.value < flight.value + 2.0 * self.mss;
        (same && !waits).then_some(queued)
    }
}

/// How long a test took for so many bytes, seconds: by its intervals, as no rate stays what it was; without any by its report, where that is
/// of as many bytes.
fn age(test: &Test, bytes: f64) -> Option<f64> {
    let side = test.rows.first().map(|r| r.side);
    let mut sum = 0.0;
    let mut until = 0.0;
    for row in test.rows.iter().filter(|r| Some(r.side) == side) {
        if row.from > until + 0.5 * (row.until - row.from) {
            // What was before it was not printed.
            return None;
        }
        let more = row.bps * (row.until - row.from) / 8.0;
        if more > 0.0 && sum + more >= bytes {
            return Some(row.from + (row.until - row.from) * (bytes - sum) / more);
        }
        (sum, until) = (sum + more, row.until);
    }
    let report = test.sent.as_ref().or(test.received.as_ref());
    let report = report.and_then(|r| Some((r.bytes.as_ref()?.value, r.seconds)));
    let (all, seconds) = match until > 0.0 {
        true => (sum, until),
        false => report?,
    };
    (seconds > 0.0 && bytes > all / SAME_BYTES[0] && bytes < all * SAME_BYTES[1])
        .then(|| seconds * bytes / all)
}

/// A socket's bytes are all of a test's where they are so many times fewer, or so many times more: intervals leave out what a program
/// handed over at their ends.
const SAME_BYTES: [f64; 2] = [1.1, 1.25];

/// The time of a log and a socket's busy time are of the same time up to this ratio.
const SAME_TIME: f64 = 1.5;

/// From so many times what is in flight, or of the rate, on a congestion window has room.
const ROOM: [f64; 2] = [1.5, 2.2];

/// A congestion window with room: neither losses, which cut it, nor slow start hold the sender. Where nothing waits to be sent either,
/// it is the program that gives too little, or its buffer.
fn by_room(e: &Evidence, items: &mut Vec<Item>) {
    let (Some(cwnd), Some(flight), Some(rtt)) = (&e.cwnd, &e.flight, &e.rtt) else {
        return;
    };
    let roomy = e.roomy();
    items.push(Item {
        holds: roomy,
        weights: [of(&LOSSES, -22.0), vec![(Cause::Ramp, -14.0)]].concat(),
        sentence: format!(
            "the congestion window of {:.0} bytes, {} a round trip, was not full: {:.0} were in flight. Losses are not what holds it",
            cwnd.value,
            crate::ceiling::bps(cwnd.value * 8.0 / rtt.value),
            flight.value
        ),
    });
    if let Some(queued) = e.all_sent() {
        items.push(Item {
            holds: if e.full_window.is_some() { 0.0 } else { roomy },
            weights: vec![
                (Cause::Application, 18.0),
                (Cause::SendBuffer, 6.0),
                (Cause::HostCpu, 4.0),
                (Cause::Disk, 4.0),
            ],
            sentence: format!(
                "all that the program had handed over was in flight (Send-Q {:.0}): nothing waited to be sent",
                queued.value
            ),
        });
    }
}

/// A connection that was at work for many times as long as slow start takes is not in it, unless pauses begin it anew.
fn long_open(e: &Evidence, items: &mut Vec<Item>) {
    let Some(times) = crate::ceiling::opened(e).filter(|_| e.restart.is_none()) else {
        return;
    };
    items.push(Item {
        holds: step(times, 10.0, 30.0),
        weights: vec![(Cause::Ramp, -30.0)],
        sentence: String::new(),
    });
}

/// What a snapshot of the socket shows: a window that is full, and bytes that its program has handed over and that wait.
pub(crate) fn by_snapshot(e: &Evidence, items: &mut Vec<Item>) {
    by_room(e, items);
    long_open(e, items);
    if let Some(window) = &e.full_window {
        items.push(Item {
            holds: 1.0,
            weights: match e.unscaled {
                Some(_) => vec![(Cause::NoWindowScaling, 14.0)],
                None => vec![(Cause::ReceiveWindow, 14.0), (Cause::Client, 8.0)],
            },
            sentence: format!(
                "the receiver's window of {:.0} bytes was full, and the congestion window {}",
                window.value,
                match e.flight.as_ref().is_some_and(|f| e.has_room(f)) {
                    true => "was not",
                    false => "no larger: no whole segment more fits into the receiver's",
                }
            ),
        });
    }
    if let Some(unsent) = e.unsent.as_ref().filter(|_| e.app_limited.is_none()) {
        items.push(Item {
            holds: step(unsent.value / e.mss, 2.0, 20.0),
            weights: vec![(Cause::Application, -24.0)],
            sentence: format!(
                "{:.0} bytes that the program had handed over waited in the sender's socket",
                unsent.value
            ),
        });
    }
}
