//! What segments say of each other: parts of one packet, originals that came late, and repetitions of what came late.

use std::collections::{BTreeMap, BTreeSet};

use super::{Class, Judge, TOO_SOON};
use crate::event::{Event, Place, Sending};
use crate::work;

/// Repetitions that one late original may have been repeated by: as many small ones as a large segment covers.
const REPEATED_BY: usize = 128;

/// A packet that fills a hole and has other bytes that were seen is one sending: what it was for the hole it is for all.
pub(super) fn join(events: &[Event], classes: &mut [Class]) {
    work::count(events.len());
    let mut first = 0;
    for end in 1..=events.len() {
        if events.get(end).is_some_and(|e| e.joined) {
            continue;
        }
        if end - first > 1 {
            join_one(&events[first..end], &mut classes[first..end]);
        }
        first = end;
    }
}

fn join_one(events: &[Event], classes: &mut [Class]) {
    let Some(hole) = events.iter().position(|e| e.place == Place::Hole) else {
        return;
    };
    let of_hole = classes[hole];
    for (event, class) in events.iter().zip(classes) {
        *class = match (event.place, of_hole, *class) {
            (Place::Seen, Class::Reordered, _) => Class::Reordered,
            (Place::Seen, Class::Upstream(why), Class::Reordered | Class::NetworkDuplicate) => {
                match event.is_unneeded() {
                    true => Class::Unneeded(why),
                    false => Class::Again(why),
                }
            }
            (_, _, own) => own,
        };
    }
}

/// Sendings that have come behind the repetitions which filled their holes. Where all bytes of a repetition came late, it was not needed, and
/// nothing was lost.
pub(super) fn spare(events: &[Event], classes: &mut [Class]) {
    work::count(events.len());
    // By where they begin: their places, and how many of their bytes have not come late.
    let mut repeated: BTreeMap<u64, (usize, u64)> = BTreeMap::new();
    for n in 0..events.len() {
        let late = &events[n];
        match (classes[n], late.place) {
            (Class::Upstream(_), _) => {
                repeated.insert(late.seq, (n, u64::from(late.length)));
            }
            (Class::Reordered, Place::Seen) => {
                let before = repeated.range_mut(..late.end()).rev();
                let before = before.take_while(|x| events[x.1.0].end() > late.seq);
                for (_, (place, left)) in before.take(REPEATED_BY) {
                    work::count(1);
                    let by = &events[*place];
                    let both = late.end().min(by.end()) - late.seq.max(by.seq);
                    *left = left.saturating_sub(both);
                    if let (0, Class::Upstream(why)) = (*left, classes[*place]) {
                        classes[*place] = Class::Unneeded(why);
                    }
                }
            }
            _ => {}
        }
    }
}

/// The places of events that filled a hole and were originals, by what came behind them. The same bytes came again, and the receiver had them.
/// That was so soon that nobody can have heard that the first ones were lost: it repeats what was late.
pub(super) fn late_originals(events: &[Event], judge: &Judge) -> BTreeSet<usize> {
    work::count(events.len());
    let (mut filled, mut late) = (BTreeMap::new(), BTreeSet::new());
    for (n, event) in events.iter().enumerate() {
        if event.place == Place::Hole {
            filled.insert(event.seq, n);
            continue;
        }
        let is_repetition = event.length > 0 && event.sending == Sending::Later;
        if filled.is_empty() || !is_repetition || !event.is_unneeded() || judge.is_copy(event) {
            continue;
        }
        work::count(1);
        let before = filled.range(..event.end()).next_back();
        let Some(place) = before.map(|x| *x.1) else {
            continue;
        };
        let first: &Event = &events[place];
        let is_soon = event.at - first.at < judge.share_of_round_trip(TOO_SOON);
        if first.end() > event.seq && is_soon && judge.may_be_original(first) {
            late.insert(place);
        }
    }
    late
}
