//! The metrics of a test of several connections.

use std::collections::BTreeMap;

use farpath_record::{CLOCK_ENDS, Record, StreamRecord, Uncertainty};
use farpath_units::{Duration, Time};

use crate::connection::{Connection, Sample};
use crate::limit::{Outage, account, outage};
use crate::long_repair;
use crate::merge::merge_streams;
use crate::span::Span;
use crate::stretch::{Limit, Stretch, largest, sum};
use crate::surroundings::Surroundings;
use crate::{back, ramp, series, stall, timeouts, together};

/// A congestion window so much larger than what was in flight was not the limit.
const UNUSED: f64 = 1.25;

/// Metrics, streams, series and shares of connections side by side.
pub(crate) fn fill<'a>(
    all: &[Connection],
    span: &Span,
    around: &dyn Fn(usize) -> Surroundings<'a>,
    record: &mut Record,
) {
    let is_one_transfer = are_one_transfer(all, span);
    let mut accounts = Vec::new();
    let (mut lost, mut out) = (Outage::default(), 0.0);
    let mut waited: f64 = 0.0;
    for (stream, connection) in all.iter().enumerate() {
        let mut of_stream = StreamRecord {
            stream: stream as u32,
            ..StreamRecord::default()
        };
        connection.metrics(span, &mut of_stream.metrics);
        let surroundings = around(stream);
        let account = account(connection, span.from(), &surroundings);
        of_stream.limited_by = sum(&account);
        accounts.extend(is_one_transfer.then_some(account));
        let outage = outage(connection, span.from(), &surroundings);
        if outage.share > 0.0 {
            let metrics = &mut of_stream.metrics;
            metrics.insert("outage_ratio".to_owned(), outage.share);
        }
        out += outage.share / all.len() as f64;
        if outage.share > lost.share {
            lost = outage;
        }
        waited = waited.max(back::full(connection, span.from(), &surroundings));
        record.streams.push(of_stream);
    }
    merge_streams(record);
    if out > 0.0 {
        record.set("outage_ratio", out);
    }
    keep_completions(record);
    take_together(all, span, record);
    say_unregained(all, record);
    record.notes.extend(timeouts::note(all));
    record.notes.extend(ended_early(all, span));
    if let Some(why) = without_completion(all, span) {
        span.not_ended(record, why);
    }
    record.limited_by = largest(&limits_of_all(all, &accounts, record));
    let fills = record.limited_by.as_deref() == Some(Limit::Link.name());
    record.notes.extend(carried_in(all).filter(|_| fills));
    record.notes.extend(resent_before(record, span));
    let repair = all.iter().find_map(|c| long_repair::note(c, span));
    record.notes.extend(repair.into_iter().chain(lost.words()));
    record.notes.extend(back::words(waited));
    if let [
        Connection {
            cut_from: Some(before),
            ..
        },
    ] = all
    {
        record.set("cwnd_before_bytes", *before as f64);
    }
    record.notes.extend(all.iter().find_map(Connection::unused));
    if all.iter().any(|c| c.rtt.is_some_and(|rtt| rtt.smoothed)) {
        say_smoothed(record);
    }
    record.series.extend(series::of(all, span));
    start_up(all, span, record);
}

/// Whether several connections end of themselves, and no tool says what they come to: they are one transfer, from the first SYN to the
/// last byte.
fn are_one_transfer(all: &[Connection], span: &Span) -> bool {
    let toolless = all.iter().all(|c| c.goodput_bps.is_none());
    let ended = all.iter().all(Connection::is_complete);
    all.len() > 1 && span.duration.is_none() && toolless && ended
}

/// Shares of what limited a test's connections: of one transfer, whose `accounts` there are, of the time in which any was at work; else each
/// connection counts alike.
fn limits_of_all(
    all: &[Connection],
    accounts: &[Vec<Stretch>],
    record: &Record,
) -> BTreeMap<String, f64> {
    let ends: Vec<Time> = all.iter().map(Connection::end).collect();
    let together = together::shares(accounts, &ends);
    if !together.is_empty() {
        return together;
    }
    let mut means: BTreeMap<String, f64> = BTreeMap::new();
    for (name, share) in record.streams.iter().flat_map(|s| &s.limited_by) {
        *means.entry(name.clone()).or_default() += share / all.len() as f64;
    }
    means
}

/// Several connections that end of themselves are one transfer, from the first SYN to the last byte: one that ended early has sent
/// nothing since.
fn take_together(all: &[Connection], span: &Span, record: &mut Record) {
    if !are_one_transfer(all, span) {
        return;
    }
    let opened = all.iter().map(|c| c.opened).min().unwrap_or_default();
    let end = all.iter().map(Connection::end).max().unwrap_or_default();
    let seconds = end.since(opened.max(span.from())).as_secs_f64();
    let measured: u64 = all.iter().map(|c| c.measured).sum();
    if record.metrics.contains_key("completion_ns") {
        record.set("completion_ns", end.since(opened).as_ns() as f64);
    }
    if record.metrics.contains_key("goodput_bps") && seconds > 0.0 {
        record.set("goodput_bps", measured as f64 * 8.0 / seconds);
    }
}

/// Says why a test has no recovery whose connections ended on their way back to where their windows had been.
fn say_unregained(all: &[Connection], record: &mut Record) {
    let since = |c: &Connection| c.unregained.map(|cut| c.end().max(cut).since(cut));
    let longest = all.iter().filter_map(since).max();
    if let Some(since) = longest.filter(|_| !record.metrics.contains_key("recovery_s")) {
        let seconds = since.as_secs_f64();
        let why = format!(
            "the test ended {seconds:.1} s after the last cut of its window, which was not back where it had been: a longer `duration` shows when it is"
        );
        record.unset("recovery_s", why);
    }
}

/// Connections that have delivered all in this part of the time to the end of the measurement had nothing to do in the rest.
const EARLY: f64 = 0.95;

/// Says where all was delivered long before the measurement was over.
fn ended_early(all: &[Connection], span: &Span) -> Option<String> {
    let duration = span.duration?;
    let end = all.iter().map(Connection::end).max()?;
    let (took, whole) = (
        end.since(span.start).as_secs_f64(),
        (span.omit + duration).as_secs_f64(),
    );
    let ended = |c: &Connection| c.is_complete() && !c.until_clock;
    (all.iter().all(ended) && took < EARLY * whole).then(|| {
        format!(
            "all was delivered after {took:.4} s, and the goodput is over the {:.4} s of `duration`: see the completion, or leave `duration` out",
            duration.as_secs_f64()
        )
    })
}

/// Of the goodput, a part that had arrived before the measurement is said from this on.
const CARRIED_IN: f64 = 0.0005;

/// Says where what waited for repairs when the measurement began, and was delivered in it, raises the goodput.
fn carried_in(all: &[Connection]) -> Option<String> {
    let sum = |of: fn(&Connection) -> u64| all.iter().map(of).sum::<u64>() as f64;
    let (early, measured) = (sum(|c| c.carried_in), sum(|c| c.measured));
    (early > CARRIED_IN * measured && measured > 0.0).then(|| {
        format!(
            "{:.2} % of the goodput had arrived before the measurement and waited for what was missing: it may lie above what the line carries",
            100.0 * early / measured
        )
    })
}

/// How long each of several connections took, of those that ended.
fn keep_completions(record: &mut Record) {
    let all = record.streams.iter();
    let mut times: Vec<f64> = all
        .filter_map(|s| s.metrics.get("completion_ns").copied())
        .collect();
    if record.streams.len() > 1 {
        times.sort_by(f64::total_cmp);
        record.set_times("completion_ns", &times);
    }
}

/// From the start of a test until anything is delivered, and until its connections together run at their rate.
fn start_up(all: &[Connection], span: &Span, record: &mut Record) {
    let last = all.iter().map(|c| c.finished).max().unwrap_or_default();
    let whole = span.duration.unwrap_or_else(|| last.since(span.start));
    let intervals = ramp::intervals(&series::goodputs(all), series::longest(all));
    let begun = all.iter().filter_map(|c| c.begun).min();
    let begun = begun.or_else(|| ramp::begins(&intervals));
    if let Some(silent) = begun.and_then(|begun| ramp::silence(begun, span.start)) {
        record.set("silent_s", silent.as_secs_f64());
    }
    let (steps, round) = match ramp::together(all) {
        Some(steps) => steps,
        None => {
            let round = all.iter().map(Connection::round).max();
            (intervals, round.unwrap_or_default())
        }
    };
    let cut = all.iter().filter_map(|c| c.first_cut).min();
    let hundredth = Duration::from_ps(whole.as_ps() / 100);
    if let Some(ramp) = ramp::ramp(&steps, span.start, (round, hundredth), cut) {
        record.set("ramp_s", ramp.as_secs_f64());
    }
}

/// Says how many segments were sent again in what `omit` leaves out.
fn resent_before(record: &Record, span: &Span) -> Option<String> {
    let of = |name: &str| record.metrics.get(name).copied();
    let (all, measured) = (of("retransmits")?, of("measured_retransmits")?);
    let others = all - measured;
    (span.omit > Duration::ZERO && others > 0.0).then(|| {
        format!("retransmits counts the whole test: {others:.0} of {all:.0} lie outside the measured time")
    })
}

/// Why a test of these connections has no completion. Where senders write until a clock ends the test, all that was sent may have come
/// long before: they wait for ACKs, and have more to send.
fn without_completion(all: &[Connection], span: &Span) -> Option<String> {
    let why = unfinished(all);
    if span.duration.is_none() || !all.iter().any(|c| c.until_clock) {
        return why;
    }
    let early = all.iter().any(|c| c.waits_at_clock(span));
    (why.is_some() || early).then(|| CLOCK_ENDS.to_owned())
}

/// Why a test of these connections has not come to its end, if one of them has not.
pub(crate) fn unfinished(all: &[Connection]) -> Option<String> {
    let stream = all.iter().position(|c| !c.is_complete())?;
    let of_stream = match all.len() {
        1 => String::new(),
        _ => format!("stream {stream}: "),
    };
    let Connection {
        delivered, whole, ..
    } = &all[stream];
    Some(match whole {
        _ if *delivered == 0 => format!("{of_stream}nothing was delivered"),
        Some(whole) if delivered < whole => {
            format!("{of_stream}{delivered} of {whole} bytes were delivered")
        }
        _ => format!("{of_stream}not everything was on the disk at the end"),
    })
}

/// A largest smoothed round-trip time is a lower bound of the largest one.
fn say_smoothed(record: &mut Record) {
    if let Some(low) = record.metrics.get("rtt_max_ns").copied() {
        let above = Uncertainty {
            low: Some(low),
            high: None,
            level: None,
        };
        record.uncertainty.insert("rtt_max_ns".to_owned(), above);
    }
}

impl Connection {
    /// Says that the congestion window grew beyond what was ever in flight, and was cut: it was not the limit, and what was in
    /// flight is what a cut is of.
    fn unused(&self) -> Option<String> {
        let in_flight = self.samples.iter().filter_map(|s| s.in_flight).max()?;
        let beyond = self.cwnd_max? as f64 > UNUSED * in_flight as f64;
        (beyond && in_flight > 0 && self.first_cut.is_some()).then(|| {
            let mb = |bytes: u64| bytes as f64 / 1e6;
            format!(
                "cwnd_max_bytes is not the window in use: at {:.4} MB the congestion window did not limit, at most {:.4} MB were seen in \
                 flight, and a loss cuts from these",
                mb(self.cwnd_max.unwrap_or_default()),
                mb(in_flight)
            )
        })
    }

    /// How much a counter of samples grew in the measurement: from the last sample before it to the first one after it,
    /// or to what it is in `all`.
    fn grown(&self, span: &Span, of: fn(&Sample) -> Option<u64>, all: Option<u64>) -> Option<u64> {
        let seen = || self.samples.iter().filter_map(|s| Some((s.t, of(s)?)));
        let until = span.duration.map(|duration| span.from() + duration);
        let (_, last) = seen().next_back()?;
        let before = seen().take_while(|(t, _)| *t <= span.from()).last();
        let after = seen().find(|(t, _)| until.is_some_and(|until| *t >= until));
        let end = after.map_or(all.unwrap_or(last), |(_, n)| n);
        Some(end.saturating_sub(before.map_or(0, |(_, n)| n)))
    }

    /// Segments sent again in the measurement.
    fn measured_retransmits(&self, span: &Span) -> Option<u64> {
        let all = self.retransmits?;
        let whole = span.omit == Duration::ZERO && span.duration.is_none();
        let grown = || self.grown(span, |s| s.resent, Some(all));
        let measured = self.measured_retransmits.or_else(grown);
        measured.or(whole.then_some(all))
    }

    fn metrics(&self, span: &Span, m: &mut BTreeMap<String, f64>) {
        let mut put = |name: &str, value: Option<f64>| {
            if let Some(value) = value.filter(|v| v.is_finite()) {
                m.insert(name.to_owned(), value);
            }
        };
        put("bytes", Some(self.delivered as f64));
        let whole = || self.end().since(self.opened.max(span.from()));
        let seconds = span.duration.unwrap_or_else(whole).as_secs_f64();
        let ended = span.duration.is_some() || self.is_complete();
        let worked_out = (ended && seconds > 0.0).then(|| self.measured as f64 * 8.0 / seconds);
        put("goodput_bps", self.goodput_bps.or(worked_out));
        let ended = self.is_complete() && !self.waits_at_clock(span);
        let completion = self.lasted.filter(|_| ended);
        put("completion_ns", completion.map(|c| c.as_ns() as f64));
        put("retransmits", self.retransmits.map(|n| n as f64));
        put(
            "measured_retransmits",
            self.measured_retransmits(span).map(|n| n as f64),
        );
        let events = self.grown(span, |s| s.loss_events, None);
        put("loss_events", events.map(|n| n as f64));
        put("rtos", self.rtos.map(|n| n as f64));
        put("cwnd_max_bytes", self.cwnd_max.map(|n| n as f64));
        if let Some(rtt) = &self.rtt {
            put("rtt_min_ns", Some(rtt.min_ns));
            put("rtt_avg_ns", Some(rtt.avg_ns.round()));
            put("rtt_max_ns", Some(rtt.max_ns));
        }
        put("recovery_s", self.recovery.map(Duration::as_secs_f64));
        let stall = stall::longest(self, span);
        put("stall_s", stall.map(Duration::as_secs_f64));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flight::Flight;
    use farpath_record::Origin;

    /// Hundred connections had 188.48 Mbit/s of a line that carries 188.30.
    #[test]
    fn what_arrived_before_the_measurement_and_was_delivered_in_it_is_said() {
        let said = |early: u64| {
            let connection = Connection {
                measured: 10_000_000,
                carried_in: early,
                ..Connection::default()
            };
            carried_in(&[connection.clone(), connection])
        };
        let note = said(10_000).expect("a thousandth");
        let words = "0.10 % of the goodput had arrived before";
        assert!(note.starts_with(words), "{note}");
        assert_eq!(said(4000), None);
        assert_eq!(carried_in(&[]), None);
    }

    /// 5 s wide intervals, of which the first has something: a byte came after 75 ms, or after 3 s, or nobody saw when.
    #[test]
    fn an_interval_with_a_delivery_is_not_a_silence() {
        let at = |ms: u64| Time::ZERO + Duration::from_ms(ms);
        let silent = |begun: Option<u64>| {
            let seen = Connection {
                begun: begun.map(at),
                every: Duration::from_secs(5),
                intervals: vec![(at(5000), 1000), (at(10_000), 1000)],
                finished: at(10_000),
                ..Connection::default()
            };
            let mut record = Record::new(Origin::Simulated, "t", "tcp", "a", "b");
            start_up(&[seen], &Span::default(), &mut record);
            record.metrics.remove("silent_s")
        };
        assert_eq!(silent(Some(75)), None);
        assert_eq!(silent(Some(3000)), Some(3.0));
        assert_eq!(silent(None), None);
    }

    /// One connection's completion is a metric alone.
    #[test]
    fn completions_of_several_connections_are_kept() {
        let kept = |ms: &[u64]| {
            let connection = |ms: &u64| Connection {
                whole: Some(1),
                delivered: 1,
                lasted: Some(Duration::from_ms(*ms)),
                ..Connection::default()
            };
            let all: Vec<Connection> = ms.iter().map(connection).collect();
            let mut record = Record::new(Origin::Simulated, "t", "transfer", "a", "b");
            let around = |_| Surroundings::default();
            fill(&all, &Span::default(), &around, &mut record);
            record.times.remove("completion_ns").map(|t| t.v)
        };
        assert_eq!(kept(&[3, 1, 2]), Some(vec![1e6, 2e6, 3e6]));
        assert_eq!(kept(&[3]), None);
    }

    /// Two megabytes in two connections, the second of them a second later: 2 MB in two seconds, and not twice a megabyte in one.
    #[test]
    fn connections_that_end_are_one_transfer() {
        let at = |ms: u64| Time::ZERO + Duration::from_ms(ms);
        let connection = |from: u64, until: u64| Connection {
            opened: at(from),
            finished: at(until),
            lasted: Some(Duration::from_ms(until - from)),
            whole: Some(1_000_000),
            delivered: 1_000_000,
            measured: 1_000_000,
            ..Connection::default()
        };
        let metrics = |all: &[Connection], span: &Span| {
            let mut record = Record::new(Origin::Simulated, "t", "tcp", "a", "b");
            fill(all, span, &|_| Surroundings::default(), &mut record);
            let streams = record.streams.iter().map(|s| s.metrics["completion_ns"]);
            let streams: Vec<f64> = streams.collect();
            (record.metrics, streams, record.notes)
        };
        let both = [connection(0, 1000), connection(1000, 2000)];
        let (together, streams, notes) = metrics(&both, &Span::default());
        assert_eq!(together["goodput_bps"], 8e6);
        assert_eq!(together["completion_ns"], 2e9);
        assert_eq!(together["jain_index"], 1.0, "each had 8 Mbit/s");
        assert_eq!((streams, notes), (vec![1e9, 1e9], Vec::new()));
        // Over a time of its own goodput is what that says.
        let span = Span {
            duration: Some(Duration::from_secs(4)),
            ..Span::default()
        };
        let (timed, _, notes) = metrics(&both, &span);
        assert_eq!(timed["goodput_bps"], 4e6);
        assert!(notes[0].contains("delivered after 2.0000 s"), "{notes:?}");
    }

    /// Cut 4 s before its end, and not back; another one was.
    #[test]
    fn a_recovery_that_the_end_cut_off_is_said_to_be() {
        let at = |s: u64| Time::ZERO + Duration::from_secs(s);
        let why = |cuts: &[(Option<u64>, Option<u64>)]| {
            let connection = |(open, back): &(Option<u64>, Option<u64>)| Connection {
                delivered: 1,
                finished: at(60),
                unregained: open.map(at),
                recovery: back.map(Duration::from_secs),
                ..Connection::default()
            };
            let all: Vec<Connection> = cuts.iter().map(connection).collect();
            let mut record = Record::new(Origin::Simulated, "t", "tcp", "a", "b");
            fill(
                &all,
                &Span::default(),
                &|_| Surroundings::default(),
                &mut record,
            );
            record.absent.remove("recovery_s")
        };
        let cut_off = why(&[(Some(56), None)]).expect("a reason");
        assert!(
            cut_off.starts_with("the test ended 4.0 s after the last cut"),
            "{cut_off}"
        );
        assert_eq!(why(&[(None, Some(3))]), None);
        assert_eq!(why(&[(Some(56), None), (None, Some(3))]), None);
        assert_eq!(why(&[(None, None)]), None, "no cut");
    }

    /// ACKs were lost from 2 s on: all that was sent until then came, and the sender had more.
    #[test]
    fn what_a_clock_ends_is_not_complete_before() {
        let at = |ms: u64| Time::ZERO + Duration::from_ms(ms);
        let span = Span {
            duration: Some(Duration::from_secs(20)),
            ..Span::default()
        };
        let record = |last: u64, until_clock: bool| {
            let one = Connection {
                finished: at(last),
                lasted: Some(Duration::from_ms(last)),
                whole: Some(1_000_000),
                delivered: 1_000_000,
                measured: 1_000_000,
                until_clock,
                ..Connection::default()
            };
            let mut record = Record::new(Origin::Simulated, "t", "tcp", "a", "b");
            record.duration_ns = 20_000_000_000;
            fill(&[one], &span, &|_| Surroundings::default(), &mut record);
            record
        };
        for last in [2169, 19_990] {
            let waits = record(last, true);
            assert!(!waits.metrics.contains_key("completion_ns"));
            assert!(!waits.streams[0].metrics.contains_key("completion_ns"));
            assert_eq!(waits.metrics["goodput_bps"], 4e5);
            assert!(waits.notes.is_empty(), "{:?}", waits.notes);
            assert!(waits.is_ended_by_clock());
        }
        // What was under way came behind the clock; and so many bytes are complete when they are there.
        let under_way = record(20_040, true);
        assert!(under_way.metrics.contains_key("completion_ns") && under_way.is_ended_by_clock());
        let bytes = record(2169, false);
        assert!(bytes.metrics.contains_key("completion_ns") && !bytes.is_ended_by_clock());
        assert!(bytes.notes[0].contains("delivered after 2.1690 s"));
    }

    /// Sent again by the ends of seconds 1 to 5: 7, 7, 8, 8, 10, and 11 in all.
    #[test]
    fn what_was_sent_again_is_counted_for_the_measurement_too() {
        let s = |n: u64| Time::ZERO + Duration::from_secs(n);
        let sample = |(n, resent): (u64, u64)| Sample {
            t: s(n),
            resent: Some(resent),
            ..Sample::default()
        };
        let mut seen = Connection {
            retransmits: Some(11),
            samples: (1..).zip([7, 7, 8, 8, 10]).map(sample).collect(),
            ..Connection::default()
        };
        let measured = |seen: &Connection, omit, duration: Option<u64>| {
            seen.measured_retransmits(&Span {
                start: Time::ZERO,
                omit: Duration::from_ms(omit),
                duration: duration.map(Duration::from_ms),
            })
        };
        assert_eq!(measured(&seen, 0, Some(2000)), Some(7));
        assert_eq!(measured(&seen, 1000, Some(2000)), Some(1));
        assert_eq!(
            measured(&seen, 2500, Some(2000)),
            Some(3),
            "whole intervals"
        );
        assert_eq!(measured(&seen, 3000, Some(9000)), Some(3));
        assert_eq!(measured(&seen, 3000, None), Some(3));
        seen.samples.clear();
        assert_eq!(measured(&seen, 3000, None), None);
        assert_eq!(measured(&seen, 0, None), Some(11));
    }

    #[test]
    fn what_arrived_in_a_part_of_a_capture_is_counted() {
        let at = |ms| Time::ZERO + Duration::from_ms(ms);
        let flight = |from, until, delivered| Flight {
            from: at(from),
            until: at(until),
            delivered,
            ..Flight::default()
        };
        let seen = Connection {
            flights: vec![
                flight(0, 100, 1000),
                flight(100, 300, 4000),
                flight(300, 300, 0),
            ],
            ..Connection::default()
        };
        assert_eq!(seen.arrived(at(0), at(300)), 5000);
        assert_eq!(seen.arrived(at(50), at(200)), 500 + 2000);
        assert_eq!(seen.arrived(at(400), at(900)), 0);
    }

    #[test]
    fn a_window_that_was_never_in_use_is_said_to_be() {
        let sample = |in_flight: u64| Sample {
            in_flight: Some(in_flight),
            ..Sample::default()
        };
        let mut seen = Connection {
            cwnd_max: Some(23_730_000),
            first_cut: Some(Time::ZERO),
            samples: [0, 11_866_000, 5_933_000].map(sample).into(),
            ..Connection::default()
        };
        let note = seen.unused().expect("a note");
        assert!(
            note.contains("at 23.7300 MB") && note.contains("11.8660 MB were"),
            "{note}"
        );
        seen.cwnd_max = Some(12_000_000);
        assert_eq!(seen.unused(), None, "in use");
        (seen.cwnd_max, seen.first_cut) = (Some(23_730_000), None);
        assert_eq!(seen.unused(), None, "never cut");
    }

    #[test]
    fn what_was_sent_again_before_the_measurement_is_said_to_be() {
        let said = |omit, measured| {
            let mut record = Record::new(farpath_record::Origin::Simulated, "t", "tcp", "a", "b");
            record.set("retransmits", 3951.0);
            record.set("measured_retransmits", measured);
            let span = Span {
                omit: Duration::from_secs(omit),
                ..Span::default()
            };
            resent_before(&record, &span)
        };
        let note = said(5, 0.0).expect("a note");
        assert!(note.contains("3951 of 3951"), "{note}");
        assert_eq!([said(0, 3950.0), said(5, 3951.0)], [None, None]);
    }
}
