//! What a test's streams come to together, and the tests of a group: the same sums for every origin.

use std::collections::{BTreeMap, BTreeSet};

use farpath_record::{FEW_LOSSES, Record};
use farpath_units::Duration;

use crate::convergence::convergence_s;
use crate::fairness::{jain_index, least_share};
use crate::metric::{METRICS, Merge};
use crate::phase;
pub use crate::place::Place;
use crate::place::{SETTLED, overlap, windows_apart};
use crate::shared_time::Goodputs;
use crate::span::Span;

/// A test's metrics from those of its streams, written over what it had: as the registry says they are taken
/// together ([`Merge`]), and the Jain index of the goodputs. A sum that a stream cannot be added to is absent.
pub fn merge_streams(record: &mut Record) {
    let mut m = BTreeMap::new();
    for metric in METRICS {
        let of = record
            .streams
            .iter()
            .map(|s| s.metrics.get(metric.name).copied());
        let known: Vec<f64> = of.flatten().collect();
        let all_known = known.len() == record.streams.len();
        let merged = match metric.merge {
            _ if known.is_empty() => None,
            Merge::Sum => all_known.then(|| known.iter().sum()),
            Merge::Largest => known.iter().copied().reduce(f64::max),
            Merge::Smallest => known.iter().copied().reduce(f64::min),
            Merge::Mean => Some((known.iter().sum::<f64>() / known.len() as f64).round()),
            Merge::Never => None,
        };
        m.extend(merged.map(|value| (metric.name.to_owned(), value)));
    }
    let goodputs = record
        .streams
        .iter()
        .filter_map(|s| s.metrics.get("goodput_bps").copied());
    let index = jain_index(&goodputs.collect::<Vec<f64>>());
    m.extend(index.map(|index| ("jain_index".to_owned(), index)));
    record.metrics = m;
}

/// How measurements come to be of one time, or nearly.
const ONE_TIME: &str = "a longer `duration` makes that matter less; equal `duration`s, and `start` and `omit` that add up to one \
                        instant without a `start_spread`, make it none";

/// Lays the records of tests beside each other, `places` in the same order: groups, and tests that share a link.
pub fn compare_tests(places: &[Place<'_>], records: &mut [Record]) {
    compare_groups(places, records);
    let phases = phase::notes(places, records);
    for (number, (place, phase)) in places.iter().zip(phases).enumerate() {
        // Shares that hang on a phase do not settle, however many losses there are.
        let few = match phase {
            None => few_losses(place, number, places, records),
            Some(_) => None,
        };
        let notes = [
            other_time(place, number, places, records),
            few,
            records.get(number).and_then(|r| lockstep(place, r)),
            records.get(number).and_then(|r| slow_ramp(place, r)),
            records.get(number).and_then(|r| held_before(place, r)),
            phase,
        ];
        if let Some(record) = records.get_mut(number) {
            record.notes.extend(notes.into_iter().flatten());
        }
    }
}

/// Says whose goodput at the same link is of another time: the two need not add up to what the link carries.
fn other_time(
    place: &Place<'_>,
    number: usize,
    places: &[Place<'_>],
    records: &[Record],
) -> Option<String> {
    let has = |record: &Record| record.metrics.contains_key("goodput_bps");
    if !records.get(number).is_some_and(has) {
        return None;
    }
    let others = places.iter().zip(records).enumerate();
    // Of a group its index says it.
    let grouped = |other: &Place<'_>| place.group.is_some() && other.group == place.group;
    let others =
        others.filter(|(n, (other, record))| *n != number && has(record) && !grouped(other));
    let apart = others.filter_map(|(_, (other, _))| {
        let link = place
            .narrowest
            .iter()
            .find(|l| other.narrowest.contains(l))?;
        // One that lasts longer is there for another purpose.
        let spans = [&place.span, &other.span];
        let alike = overlap(spans) && spans[0].duration == spans[1].duration;
        let seconds = windows_apart(spans.into_iter()).filter(|_| alike)?;
        Some((seconds, link))
    });
    let (seconds, link) = apart.max_by(|a, b| a.0.total_cmp(&b.0))?;
    // No names of tests: what is said of several is one note, and the note names them.
    Some(format!(
        "goodput_bps of tests that cross {link} are of different times, {seconds:.1} s apart: they need not add up to what \
         it carries; {ONE_TIME}"
    ))
}

/// Of fewer, windows were cut once or twice, or are those that the start left.
const STARTED: f64 = 3.0;

/// Jain's index of two shares of which one is three times the other: (1 + 3)² / (2 (1 + 9)).
const UNEQUAL: f64 = 0.8;

/// Whether losses hold a test's rate, those of a full link among them.
fn is_held_by_losses(record: &Record) -> bool {
    let by_losses = ["link", "cwnd_recovery", "loss"];
    let limit = record.limited_by.as_deref();
    limit.is_some_and(|l| by_losses.contains(&l))
}

/// Says where the measured time holds so few loss events of connections that share a link that they may not have settled, or
/// so few of a lone one that luck decides.
fn few_losses(
    place: &Place<'_>,
    number: usize,
    places: &[Place<'_>],
    records: &[Record],
) -> Option<String> {
    let record = records.get(number)?;
    let held = is_held_by_losses(record);
    let shares = |other: &Place<'_>, record: &Record| {
        // The share of one is set by its own policer, and so is the rest.
        let policed = record.limited_by.as_deref() == Some("policer");
        let one_queue = place.queue == other.queue && !policed;
        let meet = other.narrowest.iter().any(|l| place.narrowest.contains(l));
        one_queue && meet && overlap([&place.span, &other.span])
    };
    let beside = places.iter().zip(records).enumerate();
    let beside = beside.filter(|(n, (other, record))| *n == number || shares(other, record));
    // Losses do not cut windows by a model, and yet they share.
    let (by_model, beside): (Vec<_>, Vec<_>) =
        beside.partition(|(n, (other, _))| *n != number && other.by_model);
    let beside = beside.into_iter();
    let streams: Vec<_> = beside.flat_map(|(_, (_, r))| &r.streams).collect();
    let all = |name: &str| -> Option<Vec<f64>> {
        streams
            .iter()
            .map(|s| s.metrics.get(name).copied())
            .collect()
    };
    let most = all("loss_events")?.into_iter().fold(0.0, f64::max);
    let lost = all("retransmits")?.iter().any(|n| *n > 0.0);
    // Without one, windows that still grow are on their way, and those that do not are bounded otherwise.
    let moves = most > 0.0 || grows(record, &place.span);
    let alone = streams.len() < 2 && by_model.is_empty();
    let few = match alone {
        // Alone on a full link it has that link, however it came to it.
        true if place.named_losses || record.limited_by.as_deref() == Some("link") => 0.0,
        true => STARTED,
        false => SETTLED,
    };
    // Equals that nothing cut have the shares that they came with, however long: losses settle them, and where none is, delays alone.
    let unequal = !lost && most == 0.0 && is_unequal(record);
    if place.by_model || !held || !(lost && moves || unequal) || most >= few {
        return None;
    }
    let metrics = ["group_jain_index", "jain_index", "goodput_bps"];
    // One stream is as fair as can be to itself.
    let of_several = |m: &&str| *m != "jain_index" || record.streams.len() > 1;
    let metric = metrics
        .into_iter()
        .filter(of_several)
        .find(|m| record.metrics.contains_key(*m))?;
    let seconds = place.span.duration?.as_secs_f64();
    Some(format!(
        "{metric} is {} in the measured {seconds:.0} s, {}; a longer `omit` and `duration` tell",
        of_events(most, seconds, alone, !by_model.is_empty()),
        if alone {
            FEW_LOSSES
        } else {
            "and ten or more settle shares"
        }
    ))
}

/// Whether the connections of a test have shares as those of two of three to one, or less equal ones.
fn is_unequal(record: &Record) -> bool {
    let index = record.metrics.get("jain_index");
    index.is_some_and(|index| *index < UNEQUAL)
}

/// What a result is whose connections have so many loss events at most. Without any it is of the windows that the start left; one or two are
/// chance.
fn of_events(most: f64, seconds: f64, alone: bool, beside_model: bool) -> String {
    let plural = if most == 1.0 { "" } else { "s" };
    if alone {
        return match most > 0.0 {
            true => format!("of few losses: the connection has {most:.0} loss event{plural}"),
            false => "what the start left: the connection has no loss event".to_owned(),
        };
    }
    let events = match most > 0.0 {
        true => format!("more than {most:.0} loss event{plural}"),
        false => "a loss event".to_owned(),
    };
    let nobody = match beside_model {
        true => "no connection on its link that losses cut",
        false => "no connection on its link",
    };
    match most {
        0.0 => format!("of shares that the start left: {nobody} has {events}"),
        _ if most < STARTED => format!("of shares after few losses: {nobody} has {events}"),
        _ => format!(
            "of shares that may not have settled: {nobody} has {events}, one in about {:.1} s,",
            seconds / most
        ),
    }
}

/// So many connections and more share a queue as a crowd does, if they do not lose together.
const CROWD: usize = 4;

/// Loss events of connections differ by this part at most where they lose together; those of chance differ by their root.
const ALIKE: f64 = 0.05;

/// Says where connections of one test lose together, so that a crowd of them has what one has: only a queue takes of all at once, and random
/// losses give equals alike. Of those with a queue each none does: they do alike.
fn lockstep(place: &Place<'_>, record: &Record) -> Option<String> {
    let events = record.streams.iter();
    let events: Option<Vec<f64>> = events
        .map(|s| s.metrics.get("loss_events").copied())
        .collect();
    let events = events.filter(|e| e.len() >= CROWD)?;
    let most = events.iter().copied().fold(0.0, f64::max);
    let least = events.iter().copied().fold(f64::INFINITY, f64::min);
    let together = least >= SETTLED && most - least <= ALIKE * most;
    let room = goodput(&record.metrics)? < 0.97 * place.line_bps?;
    let marked = resent(record) == Some(0.0);
    let by_queue = marked || place.queues_took;
    (together && room && by_queue && !place.named_losses && !place.by_flow).then(|| {
        let each = match least == most {
            true => format!("{most:.0}"),
            false => format!("{least:.0} to {most:.0}"),
        };
        let (what, they) = match marked {
            true => ("answers to marks", "are marked"),
            false => ("loss events", "lose"),
        };
        let remedy = match place.jittered {
            true => "paths of different delays, or more `jitter` than there is, break that",
            false => "paths of different delays, or `jitter` on the first link, break that",
        };
        format!(
            "its {} connections have one round trip and {each} {what} each: they {they} together, and share the queue as one would; {remedy}",
            events.len()
        )
    })
}

/// Segments that all streams of a test sent again in the measurement; of all of the test where no more is known.
fn resent(record: &Record) -> Option<f64> {
    let of = |s: &farpath_record::StreamRecord| {
        let metric = |name: &str| s.metrics.get(name).copied();
        metric("measured_retransmits").or_else(|| metric("retransmits"))
    };
    record.streams.iter().map(of).sum()
}

/// A rate of less than this part of what the path carries is not the full one.
const FULL_RATE: f64 = 0.8;

/// Says where `ramp_s` is to a rate far below the path's, because losses hold the test there.
fn slow_ramp(place: &Place<'_>, record: &Record) -> Option<String> {
    let held = is_held_by_losses(record);
    let (own, line) = (goodput(&record.metrics)?, place.line_bps?);
    let ramps = record.metrics.contains_key("ramp_s");
    (ramps && held && own < FULL_RATE * line).then(|| {
        format!(
            "ramp_s is to the test's own rate, {:.4} Mbit/s of the {:.4} that its path carries",
            own / 1e6,
            line / 1e6
        )
    })
}

/// A goodput this far above what its path carries is more than the figures of a path are off by.
const ABOVE: f64 = 1.001;

/// Says where more was delivered in the measured time than its path carries in it: what waited behind a hole when `omit` ended.
fn held_before(place: &Place<'_>, record: &Record) -> Option<String> {
    let (line_bps, seconds) = (place.line_bps?, place.span.duration?.as_secs_f64());
    let above = goodput(&record.metrics)? - line_bps;
    let has_lost = record.metrics.get("retransmits").is_some_and(|n| *n > 0.0);
    if place.span.omit == Duration::ZERO || !has_lost || above <= (ABOVE - 1.0) * line_bps {
        return None;
    }
    Some(format!(
        "goodput_bps is above the {:.4} Mbit/s of payload that its path carries: about {:.2} MB had come before the measured {seconds:.0} s \
         and waited behind a hole; a longer `duration` makes that matter less",
        line_bps / 1e6,
        above * seconds / 8e6
    ))
}

/// Whether the congestion windows of a test are larger at the end of its measurement than at the start.
fn grows(record: &Record, span: &Span) -> bool {
    let Some(cwnd) = record.series.get("cwnd_bytes") else {
        return false;
    };
    let from = span.from().as_ns();
    let until = from + span.duration.unwrap_or_default().as_ns();
    let inside = cwnd.t_ns.iter().zip(&cwnd.v);
    let mut inside = inside
        .filter(|(t, _)| (from..=until).contains(*t))
        .map(|(_, v)| v);
    inside
        .next()
        .zip(inside.next_back())
        .is_some_and(|(first, last)| last > first)
}

fn goodput(metrics: &BTreeMap<String, f64>) -> Option<f64> {
    metrics.get("goodput_bps").copied()
}

/// Jain's index over the goodputs of all connections of these tests; none where each has one, or the connections of one are unknown.
fn fairness_of_streams(members: &[&Record]) -> Option<f64> {
    let of_one = |record: &&Record| -> Option<Vec<f64>> {
        match record.streams.as_slice() {
            [] if record.kind == "flows" => None,
            [] => Some(vec![goodput(&record.metrics)?]),
            streams => streams.iter().map(|s| goodput(&s.metrics)).collect(),
        }
    };
    let several = members.iter().any(|r| r.streams.len() > 1);
    let all: Vec<Vec<f64>> = members.iter().map(of_one).collect::<Option<_>>()?;
    jain_index(&all.concat()).filter(|_| several)
}

/// Compares the tests of each group.
fn compare_groups(places: &[Place<'_>], records: &mut [Record]) {
    let groups: BTreeSet<&str> = places.iter().filter_map(|p| p.group).collect();
    for name in groups {
        compare_group(name, places, records);
    }
}

/// Jain's index over the goodputs of the tests of a group, into `group_jain_index`, the least of them over the greatest, the index over
/// those of their connections, and how long their shares took to become equal. Where the tests are measured at different times, the
/// goodputs are those of the time in which all are; a note says so, or why they are not known.
fn compare_group(name: &str, places: &[Place<'_>], records: &mut [Record]) {
    let ours = |place: &Place<'_>| place.group == Some(name);
    let spans = || places.iter().filter(|p| ours(p)).map(|p| &p.span);
    let members = places.iter().zip(records.iter_mut());
    let mut members: Vec<&mut Record> = members.filter(|(p, _)| ours(p)).map(|(_, r)| r).collect();
    for record in &mut members {
        record.group = Some(name.to_owned());
    }
    let shown: Vec<&Record> = members.iter().map(|r| &**r).collect();
    let own: Vec<f64> = shown.iter().filter_map(|r| goodput(&r.metrics)).collect();
    if own.len() < 2 || own.iter().all(|bps| *bps <= 0.0) {
        // One is as fair as can be to itself.
        return;
    }
    let tests = spans().copied().zip(shown.iter().copied());
    let tests: Vec<(Span, &Record)> = tests
        .filter(|(_, r)| goodput(&r.metrics).is_some())
        .collect();
    let found = Goodputs::of(&tests);
    let by_streams = fairness_of_streams(&shown);
    let (goodputs, streams) = match &found {
        Goodputs::Own => (own, by_streams),
        Goodputs::Shared { bps, .. } => (bps.clone(), None),
        Goodputs::Unknown(_) => (Vec::new(), None),
    };
    let series = shown.iter().map(|r| r.series.get("goodput_bps"));
    let each = spans().zip(series).map(|(span, s)| Some((*span, s?)));
    let each: Option<Vec<_>> = each.collect();
    let metrics = [
        ("group_jain_index", jain_index(&goodputs)),
        ("group_goodput_ratio", least_share(&goodputs)),
        ("group_streams_jain_index", streams),
        (
            "group_convergence_s",
            each.and_then(|tests| convergence_s(&tests)),
        ),
    ];
    let note = of_time(name, &found, by_streams.is_some());
    for record in members {
        let known = metrics
            .iter()
            .filter_map(|(metric, v)| Some(((*metric).to_owned(), (*v)?)));
        record.metrics.extend(known);
        record.notes.extend(note.clone());
        if let Goodputs::Unknown(why) = &found {
            for metric in ["group_jain_index", "group_goodput_ratio"] {
                record.unset(metric, why.clone());
            }
        }
    }
}

/// Of what time the goodputs of group `name` are, where its tests are measured at different ones; `several`: one has several connections.
fn of_time(name: &str, found: &Goodputs, several: bool) -> Option<String> {
    let streams = match several {
        true => "; group_streams_jain_index is not known, as series are of whole tests",
        false => "",
    };
    match found {
        Goodputs::Own => None,
        Goodputs::Shared {
            seconds, apart_s, ..
        } => Some(format!(
            "group_jain_index is of the {seconds:.1} s in which all tests of group {name} are measured, by their series, and so is \
             group_goodput_ratio{streams}. One is measured {apart_s:.1} s before or after another, and goodput_bps is of each test's own time; {ONE_TIME}"
        )),
        Goodputs::Unknown(why) => Some(format!(
            "group_jain_index is not known of group {name}, nor is group_goodput_ratio: {why}; equal `duration`s, and `start` and `omit` that \
             add up to one instant, make them known"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use farpath_record::{Origin, Series, StreamRecord};
    use farpath_units::Time;

    /// Measured for 60 s from that second on.
    fn place(group: Option<&str>, start: u64) -> Place<'_> {
        Place {
            group,
            span: Span {
                start: Time::ZERO + Duration::from_secs(start),
                omit: Duration::ZERO,
                duration: Some(Duration::from_secs(60)),
            },
            queues_took: true,
            ..Place::default()
        }
    }

    /// A stream of these metrics.
    fn stream(metrics: &[(&str, f64)]) -> StreamRecord {
        StreamRecord {
            metrics: metrics.iter().map(|(n, v)| ((*n).to_owned(), *v)).collect(),
            ..StreamRecord::default()
        }
    }

    /// Two on one link, from the first second on and from that one on.
    #[test]
    fn goodputs_of_one_link_are_said_to_be_of_different_times() {
        let notes = |group, start: u64, links: [&str; 2]| {
            let mut records = ["x", "y"].map(|test| {
                let mut record = Record::new(Origin::Simulated, test, "tcp", "a", "b");
                record.set("goodput_bps", 1e6);
                record
            });
            let places = [(1, links[0]), (start, links[1])].map(|(start, link)| Place {
                narrowest: vec![link.to_owned()],
                ..place(group, start)
            });
            compare_tests(&places, &mut records);
            records.map(|r| r.notes.concat())
        };
        let [x, _] = notes(Some("pair"), 4, ["neck"; 2]);
        assert!(
            x.contains("not known of group pair") && x.contains("no series"),
            "{x}"
        );
        assert!(!x.contains("cross neck"), "{x}");
        let notes = |start, links| notes(None, start, links);
        let [x, y] = notes(4, ["neck"; 2]);
        assert!(
            x.contains("cross neck are of different times, 3.0 s apart"),
            "{x}"
        );
        assert_eq!(x, y);
        for (start, links) in [(1, ["neck"; 2]), (4, ["neck", "other"]), (61, ["neck"; 2])] {
            assert_eq!(notes(start, links), ["", ""], "{start} {links:?}");
        }
    }

    /// Two connections on one link with these loss events, in 60 s.
    #[test]
    fn shares_that_few_losses_settle_are_said_to_be() {
        let of = |events: [f64; 2], limited_by: &str, last: f64, by_model: bool| {
            let mut records = events.map(|events| {
                let mut record = Record::new(Origin::Simulated, "t", "tcp", "a", "b");
                record.set("goodput_bps", 1e6);
                record.limited_by = Some(limited_by.to_owned());
                let cwnd = Series {
                    t_ns: vec![0, 30_000_000_000, 60_000_000_000],
                    v: vec![1e6, 1e6, last],
                };
                record.series.insert("cwnd_bytes".to_owned(), cwnd);
                let metrics = [("loss_events", events), ("retransmits", 7.0)];
                record.streams = vec![stream(&metrics)];
                record
            });
            let places = [0, 0].map(|start| Place {
                narrowest: vec!["neck".to_owned()],
                by_model,
                ..place(None, start)
            });
            let mut apart = (places.clone(), records.clone());
            apart.0[1].queue = "lower".to_owned();
            compare_tests(&apart.0, &mut apart.1);
            let of_shares = |r: &Record| r.notes.concat().contains("shares");
            assert!(!apart.1.iter().any(of_shares), "each has its own queue");
            compare_tests(&places, &mut records);
            records.map(|r| r.notes.concat())
        };
        let grown = |events, limited_by, last| of(events, limited_by, last, false);
        let notes = |events, limited_by| grown(events, limited_by, 2e6);
        let [x, y] = notes([1.0, 3.0], "link");
        assert!(x == y && x.contains("may not have settled"), "{x}");
        assert!(
            x.contains("more than 3 loss events, one in about 20.0 s"),
            "{x}"
        );
        let start = "goodput_bps is of shares that the start left: no connection on its link has a loss event in";
        assert!(notes([0.0, 0.0], "cwnd_recovery")[0].starts_with(start));
        let few = "goodput_bps is of shares after few losses: no connection on its link has more than 2 loss events in the measured 60 s";
        assert!(notes([0.0, 2.0], "link")[0].starts_with(few));
        assert_eq!(of([0.0, 2.0], "link", 2e6, true), ["", ""], "BBR");
        assert_eq!(notes([1.0, 10.0], "link"), ["", ""]);
        assert_eq!(
            grown([0.0, 0.0], "link", 1e6),
            ["", ""],
            "bounded otherwise"
        );
        assert_eq!(notes([1.0, 3.0], "receive_window"), ["", ""]);
    }

    /// Five of Vegas on a link without a loss: 34.8, 1.6, 1.2, 1.4 and 57.2 Mbit/s for 50 s. Nothing was said of them.
    #[test]
    fn unequal_shares_without_a_loss_are_said_to_be_of_the_start() {
        let note = |limited_by: &str, goodputs: [f64; 5]| {
            let mut record = Record::new(Origin::Simulated, "t", "tcp", "a", "b");
            record.set("goodput_bps", goodputs.iter().sum::<f64>());
            record.set("jain_index", jain_index(&goodputs).expect("an index"));
            record.limited_by = Some(limited_by.to_owned());
            let one = |bps| {
                stream(&[
                    ("goodput_bps", bps),
                    ("loss_events", 0.0),
                    ("retransmits", 0.0),
                ])
            };
            record.streams = goodputs.map(one).into();
            let place = Place {
                narrowest: vec!["neck".to_owned()],
                ..place(None, 0)
            };
            compare_tests(&[place], core::slice::from_mut(&mut record));
            record.notes.concat()
        };
        let vegas = [34.8e6, 1.6e6, 1.2e6, 1.4e6, 57.2e6];
        let said = note("link", vegas);
        let start = "jain_index is of shares that the start left: no connection on its link has a loss event in the measured";
        assert!(said.starts_with(start), "{said}");
        assert_eq!(note("link", [20e6, 19e6, 18e6, 22e6, 21e6]), "");
        assert_eq!(note("receive_window", vegas), "");
    }

    /// Of two on one link BBR is not cut, and yet the other has not settled on its share beside it.
    #[test]
    fn few_losses_beside_a_model_are_said_too() {
        let mut records = [0.0, 5.0].map(|events| {
            let mut record = Record::new(Origin::Simulated, "t", "tcp", "a", "b");
            record.set("goodput_bps", 1e6);
            record.limited_by = Some("link".to_owned());
            let metrics = [("loss_events", events), ("retransmits", 7.0)];
            record.streams = vec![stream(&metrics)];
            record
        });
        let places = [true, false].map(|by_model| Place {
            narrowest: vec!["neck".to_owned()],
            by_model,
            ..place(None, 0)
        });
        compare_tests(&places, &mut records);
        let [bbr, cubic] = records.map(|r| r.notes.concat());
        assert_eq!(bbr, "");
        let said = "may not have settled: no connection on its link that losses cut has more than 5 loss events, one in about 12.0 s";
        assert!(cubic.contains(said), "{cubic}");
    }

    #[test]
    fn more_than_the_line_carries_was_held_before() {
        let note = |omit, goodput: f64, line_bps| {
            let mut record = Record::new(Origin::Simulated, "t", "tcp", "a", "b");
            record.set("goodput_bps", goodput);
            record.set("retransmits", 3.0);
            let mut place = Place {
                line_bps,
                ..place(None, 0)
            };
            place.span.omit = Duration::from_secs(omit);
            compare_tests(&[place], core::slice::from_mut(&mut record));
            record.notes.concat()
        };
        let said = note(20, 20e6, Some(18e6));
        assert!(
            said.contains("above the 18.0000 Mbit/s") && said.contains("about 15.00 MB"),
            "{said}"
        );
        assert_eq!(
            [
                note(20, 18.01e6, Some(18e6)),
                note(0, 20e6, Some(18e6)),
                note(20, 20e6, None)
            ],
            [""; 3]
        );
    }

    /// One against four of a twentieth: by tests it is 0.7, by connections 0.3.
    #[test]
    fn the_fairness_of_a_group_is_known_by_connections_too() {
        let of = |kind: &str, goodputs: &[f64]| {
            let mut record = Record::new(Origin::Simulated, "t", kind, "a", "b");
            record.set("goodput_bps", goodputs.iter().sum());
            let one = |g: &f64| stream(&[("goodput_bps", *g)]);
            record.streams = goodputs.iter().map(one).collect();
            record
        };
        let index = |mut records: [Record; 2]| {
            compare_tests(&[0, 0].map(|start| place(Some("g"), start)), &mut records);
            let of = |r: &Record| {
                ["group_jain_index", "group_streams_jain_index"].map(|m| r.metrics.get(m).copied())
            };
            assert_eq!(of(&records[0]), of(&records[1]));
            let goodputs: Vec<f64> = records.iter().filter_map(|r| goodput(&r.metrics)).collect();
            let ratio = goodputs[1].min(goodputs[0]) / goodputs[0].max(goodputs[1]);
            assert_eq!(records[1].metrics["group_goodput_ratio"], ratio);
            of(&records[0])
        };
        let bbr = || of("tcp", &[80.0]);
        let [tests, streams] = index([bbr(), of("tcp", &[4.0; 4])]);
        assert_eq!(tests, jain_index(&[80.0, 16.0]));
        assert_eq!(streams, jain_index(&[80.0, 4.0, 4.0, 4.0, 4.0]));
        assert_eq!(
            index([bbr(), of("tcp", &[4.0])])[1],
            None,
            "the same as by tests"
        );
        let [mut udp, mut flows] = ["udp", "flows"].map(|kind| of(kind, &[10.0]));
        (udp.streams, flows.streams) = (Vec::new(), Vec::new());
        assert_eq!(
            index([udp, of("tcp", &[4.0; 2])])[1],
            jain_index(&[10.0, 4.0, 4.0])
        );
        assert_eq!(index([flows, of("tcp", &[4.0; 2])])[1], None);
    }

    /// One connection that losses hold, a queue's or random ones, with so many of them.
    #[test]
    fn a_mean_of_few_losses_is_said_to_be() {
        let notes = |events: f64, limited_by: &str, named_losses: bool| {
            let mut record = Record::new(Origin::Simulated, "t", "tcp", "a", "b");
            record.set("goodput_bps", 1e6);
            record.set("jain_index", 1.0);
            record.limited_by = Some(limited_by.to_owned());
            let metrics = [("loss_events", events), ("retransmits", 7.0)];
            record.streams = vec![stream(&metrics)];
            let place = Place {
                named_losses,
                ..place(None, 0)
            };
            compare_tests(&[place], core::slice::from_mut(&mut record));
            record.notes.concat()
        };
        let one = notes(1.0, "cwnd_recovery", false);
        let said =
            "goodput_bps is of few losses: the connection has 1 loss event in the measured 60 s";
        assert!(one.starts_with(said), "{one}");
        assert!(one.contains(FEW_LOSSES), "{one}");
        assert_eq!(notes(3.0, "cwnd_recovery", false), "");
        assert_eq!(notes(1.0, "link", false), "", "it has its link");
        assert_eq!(notes(1.0, "cwnd_recovery", true), "", "a loss named");
    }

    /// Of four connections with these events each, and so many segments sent again in each.
    #[test]
    fn what_connections_do_together_is_named_as_it_is() {
        let notes = |events: f64, resent: f64, place: Place<'_>| {
            let mut record = Record::new(Origin::Simulated, "t", "tcp", "a", "b");
            record.set("goodput_bps", 81e6);
            let metrics = [("loss_events", events), ("measured_retransmits", resent)];
            record.streams = vec![stream(&metrics); 4];
            let place = Place {
                line_bps: Some(94e6),
                ..place
            };
            compare_tests(&[place], core::slice::from_mut(&mut record));
            record.notes.concat()
        };
        let marked = notes(54.0, 0.0, place(None, 0));
        let said = "one round trip and 54 answers to marks each: they are marked together";
        assert!(marked.contains(said), "{marked}");
        let jittered = Place {
            jittered: true,
            ..place(None, 0)
        };
        let lost = notes(54.0, 60.0, jittered);
        assert!(
            lost.contains("54 loss events each: they lose together"),
            "{lost}"
        );
        assert!(!lost.contains("on the first link"), "it is there: {lost}");
        let by_flow = Place {
            by_flow: true,
            ..place(None, 0)
        };
        assert_eq!(notes(54.0, 0.0, by_flow), "", "each has its own queue");
    }

    /// Of 64 connections with 178 to 183 loss events each; of chance they would differ by 13 and more.
    #[test]
    fn connections_that_lose_together_are_said_to() {
        let notes = |events: [f64; 4], goodput: f64| {
            let mut record = Record::new(Origin::Simulated, "t", "tcp", "a", "b");
            record.set("goodput_bps", goodput);
            record.set("ramp_s", 1.0);
            record.limited_by = Some("cwnd_recovery".to_owned());
            let one = |n: &f64| stream(&[("loss_events", *n), ("retransmits", *n)]);
            record.streams = events.iter().map(one).collect();
            let place = Place {
                line_bps: Some(94e6),
                ..place(None, 0)
            };
            compare_tests(&[place], core::slice::from_mut(&mut record));
            record.notes.join("; ")
        };
        let said = notes([178.0, 183.0, 180.0, 181.0], 81e6);
        assert!(
            said.contains("its 4 connections have one round trip and 178 to 183"),
            "{said}"
        );
        assert!(!said.contains("ramp_s"), "{said}");
        assert_eq!(notes([160.0, 183.0, 180.0, 181.0], 81e6), "");
        assert_eq!(notes([178.0, 183.0, 180.0, 181.0], 93e6), "");
        let slow = notes([160.0, 183.0, 180.0, 181.0], 40e6);
        assert_eq!(
            slow,
            "ramp_s is to the test's own rate, 40.0000 Mbit/s of the 94.0000 that its path carries"
        );
    }

    /// Four connections whose losses are random have 400 to 410 events each, and no queue dropped.
    #[test]
    fn alike_losses_of_chance_are_not_said_to_be_of_one_time() {
        let notes = |queues_took| {
            let mut record = Record::new(Origin::Simulated, "t", "tcp", "a", "b");
            record.set("goodput_bps", 60e6);
            let one = |events: f64| stream(&[("loss_events", events), ("retransmits", events)]);
            record.streams = [400.0, 404.0, 410.0, 402.0].map(one).into();
            let place = Place {
                line_bps: Some(94e6),
                queues_took,
                ..place(None, 0)
            };
            compare_tests(&[place], core::slice::from_mut(&mut record));
            record.notes.concat()
        };
        assert!(notes(true).contains("they lose together"));
        assert_eq!(notes(false), "");
    }

    /// Two of 60 s with 1 Mbit/s a second each while both run, and 9 Mbit/s alone.
    #[test]
    fn goodputs_of_different_times_are_compared_in_the_time_of_both() {
        let compared = |starts: [u64; 2]| {
            let mut records = starts.map(|start| {
                let mut record = Record::new(Origin::Simulated, "t", "tcp", "a", "b");
                let both = starts.into_iter().max().unwrap_or(0);
                let rate = |s: u64| if s > both { 1e6 } else { 9e6 };
                let series = Series {
                    t_ns: (1..=60).map(|s| (start + s) * 1_000_000_000).collect(),
                    v: (1..=60).map(|s| rate(start + s)).collect(),
                };
                record.set("goodput_bps", series.v.iter().sum::<f64>() / 60.0);
                record.series.insert("goodput_bps".to_owned(), series);
                record
            });
            compare_tests(&starts.map(|s| place(Some("g"), s)), &mut records);
            records.map(|r| (r.metrics.get("group_jain_index").copied(), r.notes.concat()))
        };
        assert_eq!(
            compared([5, 5]),
            [(Some(1.0), String::new()), (Some(1.0), String::new())]
        );
        let [x, y] = compared([5, 7]);
        assert!(
            x == y && x.0.is_some_and(|i| (i - 1.0).abs() < 1e-9),
            "{x:?}"
        );
        let said = "is of the 58.0 s in which all tests of group g are measured";
        assert!(x.1.contains(said), "{x:?}");
        assert!(x.1.contains("One is measured 2.0 s before or after another"));
        let [apart, _] = compared([5, 70]);
        assert_eq!(apart.0, None);
        assert!(
            apart.1.contains("ends 5.0 s before another begins"),
            "{apart:?}"
        );
    }

    #[test]
    fn a_group_of_one_has_no_fairness() {
        let record = |test: &str| {
            let mut record = Record::new(Origin::Simulated, test, "tcp", "a", "b");
            record.set("goodput_bps", 1e6);
            record
        };
        let mut records = [record("x"), record("y"), record("alone")];
        let places = ["g", "g", "h"].map(|group| place(Some(group), 0));
        compare_tests(&places, &mut records);
        let index = |r: &Record| r.metrics.get("group_jain_index").copied();
        assert_eq!([index(&records[0]), index(&records[2])], [Some(1.0), None]);
        assert_eq!(records[2].group.as_deref(), Some("h"));
    }

    #[test]
    fn what_one_stream_does_not_know_is_no_sum() {
        let mut record = Record::new(Origin::Emulated, "t", "tcp", "a", "b");
        record.streams = vec![
            stream(&[
                ("bytes", 1.0),
                ("retransmits", 2.0),
                ("rtos", 1.0),
                ("rtt_min_ns", 7.0),
            ]),
            stream(&[("bytes", 3.0), ("retransmits", 4.0), ("recovery_s", 5.0)]),
        ];
        merge_streams(&mut record);
        let found: Vec<(&str, f64)> = record
            .metrics
            .iter()
            .map(|(n, v)| (n.as_str(), *v))
            .collect();
        assert_eq!(
            found,
            [
                ("bytes", 4.0),
                ("recovery_s", 5.0),
                ("retransmits", 6.0),
                ("rtt_min_ns", 7.0)
            ]
        );
    }
}
