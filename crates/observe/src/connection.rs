//! A TCP connection as its two ends saw it.

use farpath_units::{Duration, Rate, Time};

use crate::flight::Flight;
use crate::span::Span;
use crate::stretch::{Limit, Stretch};

/// A connection. What its evidence does not have is none or empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Connection {
    /// Its SYN.
    pub opened: Time,
    /// When data could first be sent.
    pub established: Time,
    /// When the first byte was delivered, where somebody saw that; else `intervals` say it.
    pub begun: Option<Time>,
    /// When the last byte so far was delivered, or was on the disk.
    pub finished: Time,
    /// Bytes the application wrote.
    pub written: Option<u64>,
    /// Bytes that are to be delivered in all, or were sent until the test's time was over; none where nobody knows.
    pub whole: Option<u64>,
    /// Bytes delivered.
    pub delivered: u64,
    /// Of those, within the measurement.
    pub measured: u64,
    /// Bytes by which more had arrived and waited for what was missing when the measurement began than when it ended; 0 where nobody saw
    /// that.
    pub carried_in: u64,
    /// Goodput in the measurement where a tool says it, bit/s; else it is worked out of `measured`.
    pub goodput_bps: Option<f64>,
    /// From the SYN to the last byte so far, or until that was on the disk; none where it is unknown.
    pub lasted: Option<Duration>,
    /// Its sender writes until the time of its test is over: what it has sent by then is all of it, and it has no last byte before.
    pub until_clock: bool,
    /// What was delivered was not all on the disk at the end.
    pub still_stores: bool,
    /// Segments sent again.
    pub retransmits: Option<u64>,
    /// Of those, in the measurement where a tool says it; else it is worked out of `samples`.
    pub measured_retransmits: Option<u64>,
    /// Retransmission timeouts.
    pub rtos: Option<u64>,
    /// Largest congestion window, bytes.
    pub cwnd_max: Option<u64>,
    /// Round-trip times.
    pub rtt: Option<RoundTrips>,
    /// From the last cut of the window until it was as large again.
    pub recovery: Option<Duration>,
    /// The last cut, from which `recovery` counts, where somebody saw it to the instant.
    pub cut: Option<Time>,
    /// The last cut, where the window was not as large again at the end.
    pub unregained: Option<Time>,
    /// The first cut.
    pub first_cut: Option<Time>,
    /// Bytes of the window in use before that cut, where it was the only one and its sender says so.
    pub cut_from: Option<u64>,
    /// Its congestion control paces by a model of the path and not by losses, as BBR does: what neither its start nor a repair
    /// keeps back, its own pace does.
    pub paces_by_model: bool,
    /// The most payload that its application lets it pace at; none where it set no bound, or nobody knows.
    pub pace: Option<Rate>,
    /// The application wrote whenever it could: where a kernel takes it for idle, its send buffer was full.
    pub always_writes: bool,
    /// The sender now and then.
    pub samples: Vec<Sample>,
    /// Length of an interval; zero where there are none.
    pub every: Duration,
    /// Bytes delivered in each interval, by its end.
    pub intervals: Vec<(Time, u64)>,
    /// When nothing arrived at its sender, in order, where somebody saw each frame: known exactly, at least where a timer ended it.
    /// Else `intervals` say it.
    pub pauses: Option<Vec<(Time, Time)>>,
    /// From when on nothing was sent or heard until the retransmission timer ran out, or a tail loss probe had found a loss,
    /// each time, in order, where somebody saw the timer; empty else.
    pub timeouts: Vec<(Time, Time)>,
    /// What arrived in steps that divide a round trip, from the start of its test on: their ends, lengths and bytes. Where there
    /// are none, `intervals` stand for them.
    pub steps: Vec<(Time, Duration, u64)>,
    /// The sender's own account of what held it back, where it has one.
    pub account: Vec<Stretch>,
    /// What a capture shows, interval by interval.
    pub flights: Vec<Flight>,
    /// Who took what was lost, where the losses themselves show it: a policer, an MTU.
    pub taker: Option<Limit>,
    /// The rate of the policer that took it, of packets with their headers; none where the losses show no policer, or not its rate.
    pub policed: Option<Rate>,
    /// Processor time of the reading thread in each of `intervals`, where it is known.
    pub reader_cpu: Vec<Duration>,
}

/// Round-trip times of a connection, nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoundTrips {
    /// The smallest.
    pub min_ns: f64,
    /// The mean.
    pub avg_ns: f64,
    /// The largest.
    pub max_ns: f64,
    /// They are smoothed ones (RFC 6298 §2): a single one may have been longer than `max_ns`.
    pub smoothed: bool,
}

/// A sender at one instant.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// The instant.
    pub t: Time,
    /// Congestion window, bytes.
    pub cwnd: Option<u64>,
    /// Slow-start threshold, bytes; none before the first loss.
    pub ssthresh: Option<u64>,
    /// Bytes in the network.
    pub in_flight: Option<u64>,
    /// Smoothed round-trip time.
    pub srtt: Option<Duration>,
    /// Segments sent again so far.
    pub resent: Option<u64>,
    /// Loss events so far (RFC 5348 §5.2): repairs begun, by a probe alone too, timeouts, answers to ECN echoes.
    pub loss_events: Option<u64>,
    /// What the kernel counts.
    pub timers: Option<Timers>,
}

/// What the kernel counts of a sender since its start (`struct tcp_info`), and the processor time of who writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timers {
    /// `tcpi_ca_state`: 0 open, 1 disorder, 2 CWR, 3 recovery, 4 loss.
    pub state: u8,
    /// The application had nothing more to send lately (`tcpi_delivery_rate_app_limited`).
    pub app_limited: bool,
    /// Bytes written and not sent yet (`tcpi_notsent_bytes`); none where the kernel does not say.
    pub unsent: Option<u64>,
    /// So much is in the send buffer that a writer waits: over two thirds of it (`sk_stream_is_writeable`), and the kernel has not
    /// left it as small as it was at first.
    pub full: bool,
    /// Rate at which it paces, or would, bit/s (`tcpi_pacing_rate`); none where it is unknown.
    pub pacing_bps: Option<u64>,
    /// The most that the application lets it pace at, bit/s (`tcpi_max_pacing_rate`); none where it set no bound.
    pub pacing_limit_bps: Option<u64>,
    /// Rate at which data were delivered lately, bit/s (`tcpi_delivery_rate`); none where it is unknown.
    pub delivery_bps: Option<u64>,
    /// The window that the receiver announced last, bytes (`tcpi_snd_wnd`); none where it is unknown.
    pub window: Option<u64>,
    /// Shortest round trip so far (`tcpi_min_rtt`); none where it is unknown.
    pub min_rtt: Option<Duration>,
    /// Time with data to send or to be acknowledged.
    pub busy: Duration,
    /// Of that, limited by the receiver's window.
    pub receive_window: Duration,
    /// Of that, limited by the send buffer.
    pub send_buffer: Duration,
    /// Processor time of the thread that writes; 0 where it is unknown.
    pub cpu: Duration,
}

impl RoundTrips {
    /// Of the smoothed round-trip times in samples; `least` is the smallest one, where it is known.
    pub fn of_samples(samples: &[Sample], least: Option<Duration>) -> Option<RoundTrips> {
        let ns = |rtt: Duration| rtt.as_ns() as f64;
        let rtts = || samples.iter().filter_map(|s| s.srtt).map(ns);
        let smallest = rtts().reduce(f64::min)?;
        Some(RoundTrips {
            min_ns: least.map_or(smallest, |rtt| ns(rtt).min(smallest)),
            avg_ns: rtts().sum::<f64>() / rtts().count() as f64,
            max_ns: rtts().fold(0.0, f64::max),
            smoothed: true,
        })
    }
}

impl Connection {
    /// Whether everything came that was to come; of a connection without an end of its own, anything.
    pub(crate) fn is_complete(&self) -> bool {
        let least = self.whole.unwrap_or(1).max(1);
        self.delivered >= least && !self.still_stores
    }

    /// Whether nothing of it arrived behind the time of its test, until which its sender writes.
    pub(crate) fn waits_at_clock(&self, span: &Span) -> bool {
        let clock = span.duration.map(|duration| span.from() + duration);
        self.until_clock && clock.is_some_and(|clock| self.end() <= clock)
    }

    /// When its last byte so far was delivered, or was on the disk.
    pub(crate) fn end(&self) -> Time {
        self.lasted.map_or(self.finished, |c| self.opened + c)
    }

    /// Its shortest round trip; zero where it is unknown.
    pub(crate) fn round(&self) -> Duration {
        self.rtt
            .map_or(Duration::ZERO, |rtt| Duration::from_ns(rtt.min_ns as u64))
    }

    /// Whether it is known that nothing was delivered in the intervals that two instants touch.
    pub(crate) fn was_silent(&self, from: Time, until: Time) -> bool {
        if self.delivered == 0 {
            return true;
        }
        let of = self.between(from, until + self.every);
        !of.is_empty() && of.iter().all(|(_, bytes)| *bytes == 0)
    }

    /// Bytes that a capture shows to have arrived between two instants; of an interval in part its part.
    pub fn arrived(&self, from: Time, until: Time) -> u64 {
        let part = |flight: &Flight| {
            let inside = flight.until.min(until).since(flight.from.max(from));
            let whole = flight.until.since(flight.from).as_secs_f64();
            flight.delivered as f64 * inside.as_secs_f64() / whole.max(f64::MIN_POSITIVE)
        };
        let bytes: f64 = self.flights.iter().map(part).sum();
        bytes.round() as u64
    }

    /// The intervals that end after `from` and before `until`.
    pub(crate) fn between(&self, from: Time, until: Time) -> &[(Time, u64)] {
        let ended = |at: Time| self.intervals.partition_point(|(t, _)| *t < at);
        let (first, last) = (ended(from.next()), ended(until));
        self.intervals.get(first..last).unwrap_or_default()
    }

    /// For which share of the time between two instants a path was `down`, or its sender still waited to try again.
    pub(crate) fn down(&self, down: &[(Time, Time)], from: Time, until: Time) -> f64 {
        if until <= from || down.is_empty() {
            return 0.0;
        }
        let mut covered = 0.0;
        let mut behind = from;
        // The one before may last until here as well, by what its sender still waited.
        let first = down.partition_point(|(_, end)| *end <= from);
        for (start, end) in down[first.saturating_sub(1)..].iter() {
            if *start >= until {
                break;
            }
            let (start, heard) = self.unheard(*start, *end);
            let (start, end) = (start.max(behind), heard.max(*end).min(until));
            if end > start {
                covered += end.since(start).as_secs_f64();
                behind = end;
            }
        }
        covered / until.since(from).as_secs_f64()
    }

    /// From when on an outage kept everything from its sender, and until when. What was under way when the link went down still
    /// arrives, for a round trip or, through a queue, for two.
    fn unheard(&self, start: Time, end: Time) -> (Time, Time) {
        let round = self.round();
        let latest = end.max(start + round.times(2));
        let Some(pauses) = &self.pauses else {
            return self.undelivered((start, end), latest);
        };
        let n = pauses.partition_point(|(_, until)| *until <= end);
        let mut near = pauses[n..].iter().take_while(|(from, _)| *from <= latest);
        // A window leaves pauses that are shorter than a round trip. The last pause has no end, and may be none.
        let is_own = |(from, until): &&(Time, Time)| {
            *from <= end || *until < Time::MAX && until.since(*from) >= round
        };
        let last = self.intervals.last().map_or(end, |(t, _)| *t);
        near.find(is_own).map_or((start, end), |(from, until)| {
            (start.max(*from), (*until).min(last.max(end)))
        })
    }

    /// The same by what was delivered: until the end of the first interval behind it with anything in it. An outage that leaves no
    /// interval silent, before it ends or behind what arrives until the `latest` instant, is over when it ends.
    fn undelivered(&self, (start, end): (Time, Time), latest: Time) -> (Time, Time) {
        let ended = |at: Time| self.intervals.partition_point(|(t, _)| *t <= at);
        let (before, later) = (ended(start), ended(end));
        let silent = |n: &usize| self.intervals[*n].1 == 0;
        let heard = |from: usize| (from..self.intervals.len()).find(|n| !silent(n));
        let Some(first) = heard(later) else {
            return (start, self.intervals.last().map_or(end, |(t, _)| *t));
        };
        // The first of these began before the outage, or with it.
        if (before + 1..first).any(|n| silent(&n)) {
            return (start, self.intervals[first].0);
        }
        // One begins where the interval before it ends.
        let far = (ended(latest) + 1).min(self.intervals.len());
        let lull = |behind: usize| {
            let n = (behind + 1..far).find(silent)?;
            Some((n - 1, heard(n)?))
        };
        let lulls = core::iter::successors(lull(first), |(_, heard)| lull(*heard));
        let mut times =
            lulls.map(|(last, heard)| (self.intervals[last].0, self.intervals[heard].0));
        let is_own = |(from, until): &(Time, Time)| until.since(*from) >= self.round();
        times.find(is_own).unwrap_or((start, end))
    }
}
