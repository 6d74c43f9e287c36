//! What the receiver reports to have had twice (RFC 2883), and which of the segments that were sent again it is of.

use std::collections::BTreeSet;

use super::Stream;
use crate::event::{Event, Place};
use crate::room::{Room, make_room};
use crate::work;

/// Events that are compared with one report, from its end on: as many small segments as a large one covers.
const COMPARED: usize = 256;

/// An event that no report was of yet: where it begins, its place, and which part of it this is; 0: what the event itself has left.
type Open = (u64, usize, usize);

/// The events that reports may be of, all of them, and the parts that reports have made of some.
#[derive(Clone, Debug, Default)]
pub(super) struct Reports {
    open: BTreeSet<Open>,
    /// Bytes of the longest.
    longest: u64,
    /// With the place of the event that each is of.
    parts: Vec<(usize, Event)>,
}

impl Reports {
    fn of(events: &[Event]) -> Reports {
        let mut reports = Reports::default();
        for (place, event) in events.iter().enumerate() {
            reports.add(event, place);
        }
        reports
    }

    /// A report may be of this event.
    fn add(&mut self, event: &Event, place: usize) {
        if event.length > 0 {
            work::count(1);
            self.longest = self.longest.max(u64::from(event.length));
            self.open.insert((event.seq, place, 0));
        }
    }

    fn get<'a>(&'a self, events: &'a [Event], open: Open) -> &'a Event {
        match open.2 {
            0 => &events[open.1],
            part => &self.parts[part - 1].1,
        }
    }

    /// The first event that a report of these bytes may be of. What filled a hole came first as a rule, and the report is of what came behind it.
    fn first(&self, events: &[Event], from: u64, until: u64) -> Option<Open> {
        let lowest = from.saturating_sub(self.longest);
        let near = self.open.range((lowest, 0, 0)..(until, 0, 0)).rev();
        let near = near.take(COMPARED).inspect(|_| work::count(1));
        let of = near.filter(|open| is_of(self.get(events, **open), from, until));
        let first = of.min_by_key(|open| {
            let is_first = self.get(events, **open).place == Place::Hole;
            (is_first, open.1, open.0)
        });
        first.copied()
    }

    fn add_part(&mut self, place: usize, part: Event) {
        make_room(&mut self.parts);
        self.parts.push((place, part));
        self.open.insert((part.seq, place, self.parts.len()));
    }
}

/// Whether a report is of an event: of all of one segment, or of some of several that were sent as one. A segment of which the receiver had
/// a part was needed for the rest.
fn is_of(event: &Event, from: u64, until: u64) -> bool {
    match event.pieces {
        0 | 1 => from <= event.seq && event.end() <= until,
        _ => from < event.end() && event.seq < until,
    }
}

impl Stream {
    /// From the first report on, reports may be of the event that was noted last.
    pub(super) fn note_report(&mut self) {
        if let Some(reports) = self.reports.as_deref_mut()
            && let Some(event) = self.events.last()
        {
            reports.add(event, self.events.len() - 1);
        }
    }

    /// The receiver tells that it had these bytes twice: of each, the first segment that was not reported yet.
    pub(super) fn told(&mut self, from: u64, until: u64, room: &mut Room) {
        self.told_twice += 1;
        if self.reports.is_none() {
            self.reports = Some(Box::new(Reports::of(&self.events)));
        }
        let mut open = Vec::new();
        if from < until {
            open.push((from, until));
        }
        while let Some(span) = open.pop() {
            let Some((start, end)) = self.report(span, room) else {
                continue;
            };
            let rest = [(span.0, start), (end, span.1)];
            open.extend(rest.into_iter().filter(|part| part.0 < part.1));
        }
    }

    /// A report of bytes: takes the event that it is of, and says which bytes that has. Of several segments that were sent as one, whole ones
    /// that are reported become an event of their own.
    fn report(&mut self, (from, until): (u64, u64), room: &mut Room) -> Option<(u64, u64)> {
        let full = u64::from(self.mss().max(1));
        let reports = self.reports.as_deref_mut()?;
        let open = reports.first(&self.events, from, until)?;
        reports.open.remove(&open);
        let event = match open.2 {
            0 => &mut self.events[open.1],
            part => &mut reports.parts[part - 1].1,
        };
        if std::mem::take(&mut event.reneged) {
            self.reneges = self.reneges.saturating_sub(1);
        }
        event.told = true;
        let whole = *event;
        let (start, stop) = (from.max(whole.seq), until.min(whole.end()));
        let part = |from: u64, until: u64, told: bool| Event {
            seq: from,
            length: (until - from) as u32,
            pieces: (until - from).div_ceil(full) as u32,
            told,
            ..whole
        };
        let reported = part(start, stop, true);
        let others = [
            part(stop, whole.end(), false),
            part(whole.seq, start, false),
        ];
        let pieces = reported.pieces + others[0].pieces + others[1].pieces;
        if whole.pieces < 2 || pieces != whole.pieces || room.events < others.len() {
            return Some((whole.seq, whole.end()));
        }
        *event = reported;
        for other in others.into_iter().filter(|other| other.length > 0) {
            work::count(1);
            room.events -= 1;
            reports.add_part(open.1, other);
        }
        Some((reported.seq, reported.end()))
    }

    /// Puts the parts that reports have made of events beside those, in order of their numbers. Nothing more comes.
    pub(crate) fn settle(&mut self) {
        let Some(reports) = self.reports.take().filter(|r| !r.parts.is_empty()) else {
            return;
        };
        let mut parts = reports.parts;
        parts.sort_by_key(|part| part.0);
        let mut parts = parts.into_iter().peekable();
        let events = std::mem::take(&mut self.events);
        work::count(events.len() + parts.len());
        self.events.reserve_exact(events.len() + parts.len());
        for (place, event) in events.into_iter().enumerate() {
            let first = self.events.len();
            self.events.push(event);
            while let Some((_, part)) = parts.next_if(|part| part.0 == place) {
                self.events.push(Event {
                    repaired_at: event.repaired_at,
                    ..part
                });
            }
            self.events[first..].sort_by_key(|e| e.seq);
        }
        self.open_events = self.events.len();
    }
}
