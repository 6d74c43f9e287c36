//! Phases: packets that come in step with a queue which drops from its tail find it full each time, or never.

use farpath_record::{Origin, Record, StreamRecord};
use farpath_units::Duration;

use crate::merge::{Place, SETTLED, overlap, windows_apart};

/// What puts the packets of two senders in step: both are equal, and nothing on their way is random.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InStep {
    /// The first test of the scenario that has the same congestion control, by its number.
    pub sender: usize,
    /// Propagation there and back.
    pub round: Duration,
}

/// Goodputs of equals that have settled differ by less: the least is no smaller part of the greatest.
const UNEQUAL: f64 = 0.8;

/// Says where connections that are equal in everything have unequal shares of one queue, so that the phase at which packets come decides
/// (Floyd and Jacobson, Traffic Phase Effects in Packet-Switched Gateways, 1991). Real hosts are never in step.
pub(crate) fn note(number: usize, places: &[Place<'_>], records: &[Record]) -> Option<String> {
    let (place, record) = (places.get(number)?, records.get(number)?);
    let own = place.in_step.filter(|_| place.queues_took)?;
    if record.origin != Origin::Simulated || !record.metrics.contains_key("goodput_bps") {
        return None;
    }
    let is_equal = |other: &Place<'_>| {
        let spans = [&place.span, &other.span];
        let meets = other.narrowest.iter().any(|l| place.narrowest.contains(l));
        let one_time = overlap(spans) && windows_apart(spans.into_iter()).is_none();
        other.in_step == Some(own) && other.queue == place.queue && meets && one_time
    };
    let equals = places.iter().zip(records).filter(|(p, _)| is_equal(p));
    let streams: Vec<&StreamRecord> = equals.flat_map(|(_, r)| &r.streams).collect();
    let all = |name: &str| -> Option<Vec<f64>> {
        let of = streams.iter().map(|s| s.metrics.get(name).copied());
        of.collect()
    };
    let most = |of: &[f64]| of.iter().copied().fold(0.0, f64::max);
    let (goodputs, events) = (all("goodput_bps")?, all("loss_events")?);
    let greatest = most(&goodputs);
    let least = goodputs.iter().copied().fold(f64::INFINITY, f64::min);
    (least < UNEQUAL * greatest && most(&events) >= SETTLED).then(|| {
        format!(
            "goodput_bps hangs on the phase of packets: {} connections with one round trip and one congestion control have {:.4} to {:.4} \
             Mbit/s each of a queue that drops from its tail, and nothing on the way is random; `jitter` on the first link breaks that, and \
             --repeat with a `start_spread` shows other phases",
            goodputs.len(),
            least / 1e6,
            greatest / 1e6
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Span;
    use crate::merge::compare_tests;

    /// What is said of two tests with these goodputs in Mbit/s and round trips in ms, each of 40 loss events.
    fn notes(
        goodputs: [f64; 2],
        rounds: [u64; 2],
        change: fn(&mut Place<'_>, &mut Record),
    ) -> String {
        let mut records = goodputs.map(|mbps| {
            let mut record = Record::new(Origin::Simulated, "t", "tcp", "a", "b");
            record.set("goodput_bps", mbps * 1e6);
            let metrics = [("goodput_bps", mbps * 1e6), ("loss_events", 40.0)];
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
                sender: 0,
                round: Duration::from_ms(ms),
            }),
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
}
