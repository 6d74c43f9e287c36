//! Phases: packets that come in step with a queue which drops from its tail find it full each time, or never.

use std::collections::BTreeSet;

use farpath_record::{Origin, Record, StreamRecord};

use crate::place::{InStep, Place, SETTLED, Sends, TailQueue, overlap, windows_apart};

/// Goodputs of equals that have settled differ by less: the least is no smaller part of the greatest. So do the parts of their datagrams that
/// one queue lets through.
const UNEQUAL: f64 = 0.8;

/// A share of less than this part of the greatest is that of one locked out, however few its losses are: its timer backs off.
const LOCKED_OUT: f64 = 0.05;

/// Windows that meet a queue as all do lose less than so many times the part that it drops of all: bursts lose more than lone packets.
const TIMES: f64 = 3.0;

/// Payload bytes of a segment, nearly.
const SEGMENT: f64 = 1448.0;

/// A test among those that it shares queues with.
type Beside<'a> = (&'a Place<'a>, &'a Record, &'a InStep);

/// Says of each test, in their order, where the shares of a queue hang on the phase at which packets come to it, as with exact clocks alone
/// (Floyd and Jacobson, Traffic Phase Effects in Packet-Switched Gateways, 1991). Real hosts are never in step.
pub(crate) fn notes(places: &[Place<'_>], records: &[Record]) -> Vec<Option<String>> {
    let tests = places.iter().zip(records).map(|(p, r)| beside(p, r));
    let tests: Vec<Option<Beside<'_>>> = tests.collect();
    let all: Vec<Beside<'_>> = tests.iter().flatten().copied().collect();
    let departing = all
        .iter()
        .filter_map(|one| Some((one.2, departs(*one, &all)?)));
    let departing: Vec<(&InStep, String)> = departing.collect();
    let note = |own: Beside<'_>| {
        equals(own, &all).or_else(|| {
            let met = departing.iter().find(|(other, _)| meet(own.2, other))?;
            Some(met.1.clone())
        })
    };
    tests.into_iter().map(|own| own.and_then(note)).collect()
}

/// A simulated test whose packets are in step with queues that took most of what was dropped.
fn beside<'a>(place: &'a Place<'a>, record: &'a Record) -> Option<Beside<'a>> {
    let in_step = place.in_step.as_ref().filter(|_| place.queues_took)?;
    let has = record.origin == Origin::Simulated && record.metrics.contains_key("goodput_bps");
    has.then_some((place, record, in_step))
}

/// Whether two tests share a queue that drops from its tail.
fn meet(one: &InStep, other: &InStep) -> bool {
    let names = |queue: &TailQueue| other.queues.iter().any(|q| q.name == queue.name);
    one.queues.iter().any(names)
}

fn at_one_time(one: &Place<'_>, other: &Place<'_>) -> bool {
    let spans = [&one.span, &other.span];
    overlap(spans) && windows_apart(spans.into_iter()).is_none()
}

fn most(of: &[f64]) -> f64 {
    of.iter().copied().fold(0.0, f64::max)
}

/// Whether a share of `bps` has settled after so many loss events, or is that of one locked out beside the greatest.
fn is_decided(events: f64, bps: f64, greatest: f64) -> bool {
    events >= SETTLED || bps < LOCKED_OUT * greatest
}

/// Connections that are equal in everything, and have unequal shares.
fn equals(own: Beside<'_>, all: &[Beside<'_>]) -> Option<String> {
    let (place, _, in_step) = own;
    let Sends::Windows(_) = in_step.sends else {
        return None;
    };
    let is_equal = |(other, _, step): &&Beside<'_>| {
        let meets = other.narrowest.iter().any(|l| place.narrowest.contains(l));
        let alike = step.sends == in_step.sends && step.round == in_step.round;
        alike && other.queue == place.queue && meets && at_one_time(place, other)
    };
    let equals: Vec<Beside<'_>> = all.iter().filter(is_equal).copied().collect();
    let streams: Vec<&StreamRecord> = equals.iter().flat_map(|(_, r, _)| &r.streams).collect();
    let all = |name: &str| -> Option<Vec<f64>> {
        let of = streams.iter().map(|s| s.metrics.get(name).copied());
        of.collect()
    };
    let (goodputs, events) = (all("goodput_bps")?, all("loss_events")?);
    let greatest = most(&goodputs);
    let least = goodputs.iter().copied().fold(f64::INFINITY, f64::min);
    (least < UNEQUAL * greatest && is_decided(most(&events), least, greatest)).then(|| {
        format!(
            "goodput_bps hangs on the phase of packets: {} connections with one round trip have {:.4} to {:.4} Mbit/s each of one queue, \
             and nothing on the way is random. {}",
            goodputs.len(),
            least / 1e6,
            greatest / 1e6,
            remedy(&equals)
        )
    })
}

/// A test that lost another part of its packets than the queues on its way dropped of all that came to them.
fn departs(one: Beside<'_>, all: &[Beside<'_>]) -> Option<String> {
    let (place, record, in_step) = one;
    let met: Vec<Beside<'_>> = all
        .iter()
        .filter(|other| meet(in_step, other.2))
        .copied()
        .collect();
    let alike = |(other, _, step): &Beside<'_>| {
        let by_one = match (in_step.sends, step.sends) {
            (Sends::Windows(_), Sends::Windows(_)) => !place.by_model && !other.by_model,
            (Sends::Datagrams(own), Sends::Datagrams(size)) => own == size,
            _ => false,
        };
        by_one && step.takes_alike && at_one_time(place, other)
    };
    if met.len() < 2 || !met.iter().all(alike) {
        return None;
    }
    let passes = place.queue_lost.iter().map(|(_, lost)| 1.0 - lost);
    let passes: f64 = passes.product();
    let what = match in_step.sends {
        Sends::Windows(_) => {
            let lost = lost_segments(record, &met)?;
            (lost > TIMES * (1.0 - passes)).then(|| {
                format!(
                    "a test lost {:.2} % of its segments, where the queues on its way dropped {:.2} % of all that came",
                    100.0 * lost,
                    100.0 * (1.0 - passes)
                )
            })?
        }
        Sends::Datagrams(_) => {
            let came = 1.0 - record.metrics.get("loss_ratio")?;
            let fair = UNEQUAL * passes <= came && UNEQUAL * came <= passes;
            (!fair).then(|| {
                format!(
                    "{:.1} % of a test's datagrams came, where the queues on its way let {:.1} % of all through",
                    100.0 * came,
                    100.0 * passes
                )
            })?
        }
    };
    Some(format!(
        "goodput_bps hangs on the phase of packets: {what}, and nothing on the way is random. {}",
        remedy(&met)
    ))
}

/// The part of its segments that a test lost, where its losses are many or it is locked out.
fn lost_segments(record: &Record, met: &[Beside<'_>]) -> Option<f64> {
    let metric = |name: &str| record.metrics.get(name).copied();
    let goodputs = met
        .iter()
        .filter_map(|(_, r, _)| r.metrics.get("goodput_bps"));
    let greatest = most(&goodputs.copied().collect::<Vec<f64>>());
    let decided = is_decided(metric("loss_events")?, metric("goodput_bps")?, greatest);
    let (again, came) = (metric("retransmits")?, metric("bytes")? / SEGMENT);
    (decided && again > 0.0).then(|| again / (again + came))
}

/// Links that a note names one by one.
const NAMED: usize = 6;

/// What breaks the step of these tests: packets that come to the full queues at times of chance.
fn remedy(tests: &[Beside<'_>]) -> String {
    let dropping: BTreeSet<&str> = tests
        .iter()
        .flat_map(|(place, ..)| &place.queue_lost)
        .filter(|(_, lost)| *lost > 0.0)
        .map(|(name, _)| name.as_str())
        .collect();
    let queues = tests.iter().flat_map(|(.., step)| &step.queues);
    let queues: Vec<&TailQueue> = queues
        .filter(|queue| dropping.contains(queue.name.as_str()))
        .collect();
    let into: BTreeSet<&str> = queues.iter().filter_map(|q| q.before.as_deref()).collect();
    let packet = queues.iter().map(|q| q.packet).max().unwrap_or_default();
    let names: BTreeSet<&str> = queues.iter().map(|q| q.name.as_str()).collect();
    let listed = |of: &BTreeSet<&str>| of.iter().copied().collect::<Vec<_>>().join(", ");
    let at = match names.len() {
        0 => "at full queues".to_owned(),
        1..=NAMED => format!("at the full queue of {}", listed(&names)),
        n => format!("at {n} full queues"),
    };
    let jitter = match into.len() {
        0 => {
            return format!(
                "Exact clocks keep them in step {at}, and real hosts are not: --emulate has some"
            );
        }
        1..=NAMED => format!("on {}", listed(&into)),
        n => format!("on each of the {n} links into them"),
    };
    // As a scenario spells it.
    let packet = format!("{packet:.1}").replace('µ', "u");
    format!(
        "Exact clocks keep them in step {at}, and real hosts are not. `jitter = {{ max = \"{packet}\" }}`, a packet's time there, \
         {jitter} breaks that, and --emulate has real hosts"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Span;
    use crate::merge::compare_tests;
    use farpath_units::Duration;

    fn tail(name: &str, before: &str) -> TailQueue {
        TailQueue {
            name: name.to_owned(),
            before: Some(before.to_owned()),
            packet: Duration::from_us(1200),
        }
    }

    /// What is said of two tests with these goodputs in Mbit/s and round trips in ms, each of 40 loss events.
    fn notes(
        goodputs: [f64; 2],
        rounds: [u64; 2],
        change: fn(&mut Place<'_>, &mut Record),
    ) -> String {
        notes_after(40.0, goodputs, rounds, change)
    }

    /// The same after so many loss events.
    fn notes_after(
        events: f64,
        goodputs: [f64; 2],
        rounds: [u64; 2],
        change: fn(&mut Place<'_>, &mut Record),
    ) -> String {
        let mut records = goodputs.map(|mbps| {
            let mut record = Record::new(Origin::Simulated, "t", "tcp", "a", "b");
            record.set("goodput_bps", mbps * 1e6);
            let metrics = [("goodput_bps", mbps * 1e6), ("loss_events", events)];
            record.streams = vec![StreamRecord {
                metrics: metrics.map(|(n, v)| (n.to_owned(), v)).into(),
                ..StreamRecord::default()
            }];
            record
        });
        let mut places = rounds.map(|ms| Place {
            span: Span {
                duration: Some(Duration::from_secs(60)),
                ..Span::default()
            },
            narrowest: vec!["neck".to_owned()],
            queues_took: true,
            in_step: Some(InStep {
                sends: Sends::Windows(0),
                round: Duration::from_ms(ms),
                queues: vec![tail("r>b", "access")],
                takes_alike: true,
            }),
            queue_lost: vec![("r>b".to_owned(), 0.01)],
            ..Place::default()
        });
        change(&mut places[1], &mut records[1]);
        compare_tests(&places, &mut records);
        records[1].notes.concat()
    }

    #[test]
    fn equals_with_unequal_shares_of_one_queue_hang_on_their_phase() {
        let unequal = notes([8.0, 1.5], [100, 100], |_, _| {});
        let said = "goodput_bps hangs on the phase of packets: 2 connections with one round trip";
        assert!(unequal.starts_with(said), "{unequal}");
        assert!(unequal.contains("1.5000 to 8.0000 Mbit/s"), "{unequal}");
        let remedy = "at the full queue of r>b, and real hosts are not. `jitter = { max = \"1.2 ms\" }`, a packet's time there, on access breaks";
        assert!(unequal.contains(remedy), "{unequal}");
        let none = [
            notes([5.0, 4.5], [100, 100], |_, _| {}),
            notes([8.0, 1.5], [100, 110], |_, _| {}),
            // Something is random, or no queue dropped; another queue; real hosts.
            notes([8.0, 1.5], [100, 100], |place, _| place.in_step = None),
            notes([8.0, 1.5], [100, 100], |place, _| place.queues_took = false),
            notes([8.0, 1.5], [100, 100], |place, _| {
                "lower".clone_into(&mut place.queue)
            }),
            notes([8.0, 1.5], [100, 100], |_, record| {
                record.origin = Origin::Emulated
            }),
        ];
        assert_eq!(none, [""; 6]);
    }

    /// One that got nothing has few losses, as its timer backs off: it is locked out, however few. Shares of three to one may not have settled.
    #[test]
    fn a_share_of_nothing_hangs_on_the_phase_after_few_losses() {
        let few = |mbps: f64| notes_after(3.0, [18.8 - mbps, mbps], [2, 2], |_, _| {});
        let said = few(0.0);
        assert!(said.contains("0.0000 to 18.8000 Mbit/s"), "{said}");
        assert_eq!(few(4.7), "");
    }

    /// A test beside one that goes its own way, with what it lost and what the queue they share dropped of all that came.
    fn beside_another(sends: Sends, metrics: &[(&str, f64)], lost: f64) -> String {
        let mut records = [9.4, 0.25].map(|mbps| {
            let mut record = Record::new(Origin::Simulated, "t", "tcp", "a", "b");
            record.set("goodput_bps", mbps * 1e6);
            record
        });
        for (name, value) in metrics {
            records[1].set(name, *value);
        }
        let places = [("as1", 10), ("as0", 30)].map(|(first, ms)| Place {
            span: Span {
                duration: Some(Duration::from_secs(60)),
                ..Span::default()
            },
            queues_took: true,
            queue_lost: vec![("c1 r1>r2".to_owned(), lost)],
            in_step: Some(InStep {
                sends,
                round: Duration::from_ms(ms),
                queues: vec![tail("c1 r1>r2", first)],
                takes_alike: true,
            }),
            ..Place::default()
        });
        compare_tests(&places, &mut records);
        assert_eq!(records[0].notes, records[1].notes, "of both");
        records[1].notes.concat()
    }

    /// Of 94 segments in 1287 sent again where queues dropped one in a hundred, as a parking lot of unequal round trips has it.
    #[test]
    fn one_that_loses_far_more_than_its_queue_drops_hangs_on_the_phase() {
        let windows = |again: f64, lost: f64| {
            let metrics = [
                ("retransmits", again),
                ("bytes", 1_727_464.0),
                ("loss_events", 40.0),
            ];
            beside_another(Sends::Windows(0), &metrics, lost)
        };
        let said = windows(94.0, 0.01);
        assert!(said.contains("lost 7.30 % of its segments"), "{said}");
        assert!(said.contains("on as0, as1 breaks that"), "{said}");
        assert_eq!(windows(30.0, 0.01), "", "a burst loses more than others");
        assert_eq!(windows(94.0, 0.05), "", "what all lose");
    }

    /// Two streams of 6 Mbit/s into 10 lose a sixth each where nothing orders them; of exact clocks one loses a third.
    #[test]
    fn streams_that_one_queue_takes_unlike_parts_of_hang_on_the_phase() {
        let came =
            |loss: f64| beside_another(Sends::Datagrams(1472), &[("loss_ratio", loss)], 0.18);
        assert!(came(0.364).contains("63.6 % of a test's datagrams came"));
        assert_eq!([came(0.189), came(0.27)], [""; 2]);
    }
}
