//! Repairs that last many round trips. Without SACK a hole is filled each round trip (RFC 6582 §3.2), and until the last one is, what
//! came behind them fills the receiver's window and the send buffer. What holds the sender back then is the repair.

use farpath_units::Time;

use crate::connection::{Connection, Sample};
use crate::span::Span;
use crate::stretch::Stretch;

/// A kernel's state in which it repairs what duplicate ACKs or SACKs show (`TCP_CA_Recovery`).
const RECOVERY: u8 = 3;

/// A repair of SACKed losses is over in one round trip or two: one of more than so many is long.
const ROUNDS: u64 = 4;

/// Of the measured time: what long repairs take more of is said.
const MOST: f64 = 0.5;

/// A long repair of one loss event, from the first sample in it to the last.
struct Repair {
    from: Time,
    until: Time,
    /// Segments sent again in it, where they are known.
    resent: Option<u64>,
    /// How many round trips it lasted.
    rounds: f64,
}

impl Repair {
    /// Of samples of one repair; none where it is short, or its round trips are unknown.
    fn of(run: &[Sample]) -> Option<Repair> {
        let (first, last) = (run.first()?, run.last()?);
        let round = run.iter().filter_map(|s| s.srtt).max()?;
        let long = last.t.since(first.t) > round.times(ROUNDS);
        (is_in_repair(first) && long).then(|| Repair {
            from: first.t,
            until: last.t,
            resent: last
                .resent
                .zip(first.resent)
                .map(|(l, f)| l.saturating_sub(f)),
            rounds: run.windows(2).filter_map(rounds).sum(),
        })
    }
}

/// How many smoothed round trips lie between two samples.
fn rounds(both: &[Sample]) -> Option<f64> {
    let [before, now] = both else { return None };
    let round = before.srtt.or(now.srtt)?.as_secs_f64();
    (round > 0.0).then(|| now.t.since(before.t).as_secs_f64() / round)
}

fn is_in_repair(sample: &Sample) -> bool {
    let state = sample.timers.map(|timers| timers.state);
    state == Some(RECOVERY) && sample.loss_events.is_some()
}

/// The long repairs of a connection, in order. A window that follows a model of the path is not cut, and has none.
fn repairs(connection: &Connection) -> Vec<Repair> {
    if connection.paces_by_model {
        return Vec::new();
    }
    let same = |a: &Sample, b: &Sample| {
        is_in_repair(a) && is_in_repair(b) && a.loss_events == b.loss_events
    };
    let runs = connection.samples.chunk_by(same);
    runs.filter_map(Repair::of).collect()
}

/// Stretches with what filled the windows in a long repair as the repair's.
pub(crate) fn settled(mut stretches: Vec<Stretch>, connection: &Connection) -> Vec<Stretch> {
    let repairs = repairs(connection);
    for stretch in &mut stretches {
        let inside = |r: &Repair| r.from <= stretch.from && stretch.until <= r.until;
        if repairs.iter().any(inside) {
            *stretch = stretch.of_repair();
        }
    }
    stretches
}

/// Says where long repairs take most of the measured time of a connection.
pub(crate) fn note(connection: &Connection, span: &Span) -> Option<String> {
    let from = span.from();
    let until = span.duration.map_or(connection.finished, |d| from + d);
    let measured = until.since(from.min(until)).as_secs_f64();
    let (mut seconds, mut rounds, mut resent) = (0.0, 0.0, Some(0.0));
    for repair in repairs(connection) {
        let (start, end) = (repair.from.max(from), repair.until.min(until));
        if start >= end {
            continue;
        }
        seconds += end.since(start).as_secs_f64();
        // The rate of sending again is of the whole repair, some of which may lie outside.
        rounds += repair.rounds;
        resent = resent
            .zip(repair.resent)
            .map(|(all, n): (f64, u64)| all + n as f64);
    }
    if seconds <= MOST * measured || rounds <= 0.0 {
        return None;
    }
    let pace = resent.map_or_else(String::new, |n| {
        format!(
            ", and sent about {:.1} segments again a round trip",
            n / rounds
        )
    });
    Some(format!(
        "for {seconds:.1} s of the measured {measured:.1} s the sender was in recovery, in repairs of more than {ROUNDS} round \
         trips{pace}: until the holes are filled, what came behind them fills the windows"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limit::{Limit, Surroundings, shares};
    use crate::timers::Timers;
    use farpath_units::Duration;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    /// A sample each 100 ms, in this state and after so many loss events, of a connection with a full receiver's window. A segment is
    /// sent again in each round trip of 50 ms.
    fn connection(samples: &[(u8, u64)]) -> Connection {
        let sample = |(n, (state, events)): (usize, &(u8, u64))| Sample {
            t: at(100 * (n as u64 + 1)),
            srtt: Some(Duration::from_ms(50)),
            resent: Some(2 * n as u64),
            loss_events: Some(*events),
            timers: Some(Timers {
                state: *state,
                ..Timers::default()
            }),
            ..Sample::default()
        };
        let stretch = |n: u64| Stretch::whole(at(100 * n), at(100 * n + 100), Limit::ReceiveWindow);
        Connection {
            account: (0..samples.len() as u64).map(stretch).collect(),
            samples: samples.iter().enumerate().map(sample).collect(),
            delivered: 1,
            ..Connection::default()
        }
    }

    fn span(omit: u64, duration: u64) -> Span {
        Span {
            start: Time::ZERO,
            omit: Duration::from_ms(omit),
            duration: Some(Duration::from_ms(duration)),
        }
    }

    #[test]
    fn a_window_that_is_full_behind_a_hole_is_the_repairs() {
        let seen = connection(&[(3, 1); 10]);
        let found = shares(&seen, at(100), &Surroundings::default());
        assert_eq!(found["cwnd_recovery"], 1.0, "{found:?}");
        let said = note(&seen, &span(100, 900)).expect("it is all of the time");
        let wanted = "for 0.9 s of the measured 0.9 s the sender was in recovery, in repairs of more than 4 round trips, and sent about 1.0 \
                      segments again a round trip";
        assert!(said.starts_with(wanted), "{said}");
    }

    #[test]
    fn a_short_repair_and_one_after_another_leave_the_window_what_it_is() {
        // 200 ms: four round trips.
        let short = [(0, 0), (3, 1), (3, 1), (3, 1), (0, 1), (0, 1)];
        let several = [(3, 1), (3, 2), (3, 3), (3, 4), (3, 5), (3, 6)];
        let timeout = [(4, 1); 6];
        for samples in [short, several, timeout] {
            let seen = connection(&samples);
            let found = shares(&seen, at(0), &Surroundings::default());
            assert_eq!(found["receive_window"], 1.0, "{samples:?}");
            assert_eq!(note(&seen, &span(0, 600)), None, "{samples:?}");
        }
    }

    #[test]
    fn a_window_by_a_model_and_unknown_round_trips_have_no_long_repair() {
        let mut by_model = connection(&[(3, 1); 10]);
        by_model.paces_by_model = true;
        let mut unknown = connection(&[(3, 1); 10]);
        unknown.samples.iter_mut().for_each(|s| s.srtt = None);
        for seen in [by_model, unknown] {
            let found = shares(&seen, at(100), &Surroundings::default());
            assert_eq!(found["receive_window"], 1.0);
            assert_eq!(note(&seen, &span(100, 900)), None);
        }
    }
}
