//! The kernel's own timers, and where they are silent the state of its congestion control.
//!
//! The kernel counts, in ticks of some milliseconds, how long a connection had data (`busy`), and of
//! that how long the receiver's window and the send buffer held it back. What is left of `busy` the
//! congestion window held back: in slow start, in recovery or after it, or repairing a loss. A
//! connection that was not busy waited for its application.
//!
//! The timer of the send buffer runs only while a writer sleeps in front of a full one. One that comes back late, or
//! asks first whether there is room, is seen in the samples: nothing unsent, room in the window, the buffer full. It may stay at 0
//! for a writer that sleeps all the time. So a full buffer does not count where the kernel would have made it larger for a writer.
//!
//! A sender with data and room in its window waits for its own pacing. Where the application has set that rate, it is the
//! limit. Where the algorithm has, as BBR does, it paces at what it takes for the path's rate: a link is full where as much is
//! delivered and the round trip is longer than the shortest. Slow start is what still grows: a window that is
//! held small stays as it is. BBR sets a threshold when its start is over, unless a probe of the round trip ended it, and
//! comes back from four segments later on. The rate that it takes for the path's may be the receiver's window in a round
//! trip: it is where a larger window than that was full in the last ones. The timer of that window does not run while the
//! sender waits for its pacing.

use farpath_units::{Duration, Time};

pub(crate) use crate::connection::Timers;
use crate::connection::{Connection, Sample};
use crate::stretch::{Limit, Stretch};

/// Times are taken together over this long: many of the kernel's ticks.
const WINDOW: Duration = Duration::from_ms(100);

/// A thread that ran this share of the time had hardly a pause.
const BUSY: f64 = 0.95;

/// `tcpi_ca_state` (`enum tcp_ca_state`).
const OPEN: u8 = 0;
const DISORDER: u8 = 1;
/// What comes from here on is a cut window (`TCP_CA_CWR`).
pub(crate) const CUT: u8 = 2;
const LOSS: u8 = 4;

/// A full segment of Ethernet, bytes: fewer may wait for an acknowledgement to be sent with more.
const SEGMENT: u64 = 1448;

/// Share of the rate that an application allows from which a sender is paced by it: BBR paces at its estimate of what it gets.
const PACED: f64 = 0.9;

/// Round trips over which what is in slow start grows, and by which factor at least. After an early end HyStart++ grows by
/// a quarter of a doubling a round trip (RFC 9406 §4.2): 1.9 in three.
const GROWS_OVER: u64 = 3;
const GROWS_BY: f64 = 1.1;
/// Share of that time in which it has to be busy; the kernel counts in ticks.
const WORKED: f64 = 0.9;

/// Share of its pacing that a flow delivers which paces at the rate of the path: in one round trip of eight it paces at 5/4.
const DELIVERED: f64 = 0.75;
/// By so much longer than the shortest is a round trip that waits in a queue.
const WAITS: f64 = 1.03;

/// The account of a connection's samples from the measurement's start to the end of writing.
///
/// Where something is `known` of the path's links, they say whether one is full, not the round trips.
pub(crate) fn stretches(connection: &Connection, from: Time, known_path: bool) -> Vec<Stretch> {
    let mut all = Vec::new();
    // The handshake: nothing may be sent yet.
    let begun = from.max(connection.opened);
    if connection.established > begun {
        let handshake = Stretch::whole(begun, connection.established, Limit::CwndSlowStart);
        all.push(handshake);
    }
    let mut before = Sample {
        t: connection.established,
        ..Sample::default()
    };
    let mut samples: Vec<Look<'_>> = Vec::new();
    // What a window's ticks were ahead of its time, seconds.
    let mut debt = 0.0;
    let known: Vec<&Sample> = connection
        .samples
        .iter()
        .filter(|s| s.timers.is_some())
        .collect();
    for (number, sample) in known.iter().copied().enumerate() {
        samples.push(Look {
            sample,
            grows: grows(&known, number),
            meets: meets_the_window(&known, number),
            held: is_held_by_the_window(&known, number),
        });
        let last = number + 1 == known.len();
        if sample.t.since(before.t.min(sample.t)) < WINDOW && !last && sample.t > from {
            continue;
        }
        if sample.t > from {
            let window = Window {
                before: &before,
                samples: &samples,
                known_path,
                by_model: connection.paces_by_model,
                idle: match connection.always_writes {
                    true => Limit::SendBuffer,
                    false => Limit::Application,
                },
            };
            let (stretch, ahead) = window.account(debt);
            debt = ahead;
            all.push(stretch);
        }
        before = *sample;
        samples.clear();
    }
    all
}

/// A sample, and what those before it say.
#[derive(Clone, Copy)]
struct Look<'a> {
    sample: &'a Sample,
    /// The connection has grown lately.
    grows: bool,
    /// The receiver's window was full lately.
    meets: bool,
    /// The congestion window is about the receiver's and has not grown lately.
    held: bool,
}

/// Consecutive samples of a connection, and the one before them.
struct Window<'a> {
    before: &'a Sample,
    samples: &'a [Look<'a>],
    known_path: bool,
    /// The algorithm paces by a model of the path.
    by_model: bool,
    /// What limits a sender that has nothing to send.
    idle: Limit,
}

impl Window<'_> {
    fn last(&self) -> &Sample {
        self.samples.last().map_or(self.before, |look| look.sample)
    }

    fn spent(&self, timer: fn(&Timers) -> Duration) -> f64 {
        let of = |s: &Sample| s.timers.as_ref().map_or(Duration::ZERO, timer);
        of(self.last())
            .saturating_sub(of(self.before))
            .as_secs_f64()
    }

    /// Shares the window out; also by how much the ticks are ahead of the clock.
    fn account(&self, debt: f64) -> (Stretch, f64) {
        let (from, until) = (self.before.t, self.last().t);
        let mut stretch = Stretch::new(from, until);
        let whole = until.since(from).as_secs_f64();
        let busy = self.spent(|t| t.busy);
        let window = self.spent(|t| t.receive_window);
        let buffer = self.spent(|t| t.send_buffer);
        let idle = whole - busy - debt;
        stretch.add(self.idle, idle);
        if self.idle == Limit::Application {
            stretch.set_idle(idle);
        }
        stretch.add(Limit::ReceiveWindow, window);
        stretch.add(Limit::SendBuffer, buffer);
        let rest = (busy - window - buffer).max(0.0);
        let mut since = from;
        for look in self.samples {
            let part = look.sample.t.since(since).as_secs_f64() / whole.max(1e-9);
            stretch.add(self.of_state(*look), rest * part);
            since = look.sample.t;
        }
        (stretch, (-idle).max(0.0))
    }

    /// Whether a sample's growth is slow start: of an algorithm with a model of the path only until it has found the path, and
    /// sets a threshold.
    fn begins(&self, sample: &Sample) -> bool {
        !self.by_model || sample.ssthresh.is_none()
    }

    /// What the congestion control of a sample means.
    fn of_state(&self, look: Look<'_>) -> Limit {
        let sample = look.sample;
        let below = || match (sample.cwnd, sample.ssthresh) {
            (Some(cwnd), Some(ssthresh)) => cwnd < ssthresh,
            _ => true,
        };
        let has_room = match (sample.cwnd, sample.in_flight) {
            (Some(cwnd), Some(in_flight)) => !is_filled(cwnd, in_flight),
            _ => false,
        };
        let timers = sample.timers.unwrap_or_default();
        let nothing_to_send = timers.app_limited || timers.unsent == Some(0);
        match timers.state {
            // All that the buffer holds is in flight.
            OPEN | DISORDER if has_room && nothing_to_send && timers.full => Limit::SendBuffer,
            OPEN | DISORDER if has_room && nothing_to_send => self.idle,
            // The rest of what was written waits for an acknowledgement (Nagle's algorithm, RFC 1122 §4.2.3.4).
            OPEN | DISORDER if has_room && timers.unsent.is_some_and(|n| n < SEGMENT) => self.idle,
            OPEN | DISORDER if has_room && timers.is_paced() => Limit::Pacing,
            OPEN | DISORDER if has_room && !self.known_path && timers.fills_a_link(sample.srtt) => {
                Limit::Link
            }
            OPEN | DISORDER if has_room && look.meets => Limit::ReceiveWindow,
            LOSS => Limit::Loss,
            OPEN | DISORDER if below() && look.grows && self.begins(sample) => Limit::CwndSlowStart,
            OPEN | DISORDER if !has_room && look.held => Limit::ReceiveWindow,
            // Full, never cut, and as it was: something holds it at this size, as a receiver's window would.
            OPEN | DISORDER if sample.ssthresh.is_none() && !has_room => Limit::ReceiveWindow,
            OPEN | DISORDER if sample.ssthresh.is_none() => Limit::Unknown,
            _ => Limit::CwndRecovery,
        }
    }
}

/// Nine tenths of a window are in flight: it is what holds the sender back.
fn is_filled(window: u64, in_flight: u64) -> bool {
    in_flight >= window / 10 * 9
}

/// Whether the receiver's window was full in one of the last round trips.
fn meets_the_window(known: &[&Sample], number: usize) -> bool {
    let now = known[number];
    let over = now.srtt.unwrap_or(Duration::ZERO).times(GROWS_OVER);
    let fills = |s: &Sample| {
        let window = s.timers.and_then(|t| t.window);
        let pair = window.zip(s.in_flight);
        pair.is_some_and(|(window, in_flight)| is_filled(window, in_flight))
    };
    let lately = known[..=number].iter().rev();
    let mut lately = lately.take_while(|s| now.t.since(s.t.min(now.t)) <= over);
    lately.any(|s| fills(s))
}

/// Whether the congestion window is nine tenths of the receiver's at least and stays as it was some round trips before: beyond the
/// receiver's it would be of no use, and a route may bound it there (`cwnd lock`).
fn is_held_by_the_window(known: &[&Sample], number: usize) -> bool {
    let now = known[number];
    let announced = now.timers.and_then(|t| t.window);
    let about = announced
        .zip(now.cwnd)
        .is_some_and(|(w, c)| is_filled(w, c));
    about && some_rounds_before(known, number).is_some_and(|then| then.cwnd == now.cwnd)
}

/// The sample some round trips before one; none where the connection is younger, or its round trip is not known.
fn some_rounds_before<'a>(known: &[&'a Sample], number: usize) -> Option<&'a Sample> {
    let now = known[number];
    let rtt = now.srtt.filter(|rtt| *rtt > Duration::ZERO)?;
    let (age, over) = (now.t.since(Time::ZERO), rtt.times(GROWS_OVER));
    if age < over {
        return None;
    }
    let since = age.saturating_sub(over);
    let earlier = known.partition_point(|s| s.t.since(Time::ZERO) <= since);
    earlier.checked_sub(1).map(|n| known[n])
}

/// Whether a sample's window or what it delivers is larger than some round trips before. A young connection grows, and one
/// that paused meanwhile may have begun again.
fn grows(known: &[&Sample], number: usize) -> bool {
    let now = known[number];
    let Some(then) = some_rounds_before(known, number) else {
        return true;
    };
    let busy = |s: &Sample| s.timers.unwrap_or_default().busy;
    let worked = busy(now).saturating_sub(busy(then)).as_secs_f64();
    if worked < WORKED * now.t.since(then.t.min(now.t)).as_secs_f64() {
        return true;
    }
    let more = |of: fn(&Sample) -> Option<u64>| {
        let pair = of(then).zip(of(now));
        pair.is_some_and(|(then, now)| now as f64 >= GROWS_BY * then as f64)
    };
    more(|s| s.cwnd) || more(|s| s.timers?.delivery_bps)
}

impl Timers {
    /// Whether it paces about as fast as its application lets it.
    fn is_paced(&self) -> bool {
        let rates = self.pacing_bps.zip(self.pacing_limit_bps);
        rates.is_some_and(|(own, most)| own as f64 >= PACED * most as f64)
    }

    /// Whether a flow is delivered at the rate at which it paces itself, and its round trip is longer than the shortest: a queue
    /// has formed in front of a full link.
    fn fills_a_link(&self, srtt: Option<Duration>) -> bool {
        let delivers = self.pacing_bps.zip(self.delivery_bps);
        let delivers = delivers.is_some_and(|(own, got)| got as f64 >= DELIVERED * own as f64);
        let rtts = srtt.zip(self.min_rtt);
        let waits =
            rtts.is_some_and(|(now, least)| now.as_secs_f64() >= WAITS * least.as_secs_f64());
        delivers && waits
    }
}

/// Whether the thread that writes, or the one that reads, had hardly a pause between two instants.
pub(crate) fn busy(connection: &Connection, from: Time, until: Time) -> Option<Limit> {
    let long = until.since(from) >= Duration::from_ps(WINDOW.as_ps() / 2);
    let is = long
        && (writer_was_busy(connection, from, until) || reader_was_busy(connection, from, until));
    is.then_some(Limit::HostCpu)
}

fn writer_was_busy(connection: &Connection, from: Time, until: Time) -> bool {
    let at = |t: Time| {
        let next = connection.samples.partition_point(|s| s.t <= t);
        let sample = connection.samples.get(next.checked_sub(1)?)?;
        // Before the first sample nothing is known of the thread's time.
        let cpu = sample.timers?.cpu;
        (cpu > Duration::ZERO).then_some((sample.t, cpu))
    };
    let (Some((a, before)), Some((b, after))) = (at(from), at(until)) else {
        return false;
    };
    after.saturating_sub(before).as_secs_f64() >= BUSY * b.since(a).as_secs_f64() && b > a
}

fn reader_was_busy(connection: &Connection, from: Time, until: Time) -> bool {
    let every = connection.every;
    // Whole intervals inside.
    let begins = |end: Time| Time::from_ps(end.as_ps().saturating_sub(every.as_ps()));
    let inside = connection.intervals.iter().zip(&connection.reader_cpu);
    let inside = inside.filter(|((end, _), _)| begins(*end) >= from && *end <= until);
    let (count, spent) = inside.fold((0, Duration::ZERO), |(n, sum), (_, cpu)| {
        (n + 1, sum + *cpu)
    });
    let whole = every.times(count);
    count > 0
        && whole >= Duration::from_ps(WINDOW.as_ps() / 2)
        && spent.as_secs_f64() >= BUSY * whole.as_secs_f64()
}

#[cfg(test)]
#[path = "timers_tests.rs"]
mod tests;
