//! Where a full link limited a test: which of the links on the way of its data it was.

use std::collections::BTreeMap;

use farpath_record::Record;

use crate::connection::Connection;
use crate::span::Span;
use crate::stretch::{Limit, largest};
use crate::surroundings::Surroundings;

/// Connections that are asked: those of one test take one way, or the members of one bundle.
const ASKED: usize = 16;

/// The link that was full for most of the time, and its direction, of a test that links limited; none of others, and where no path is known.
pub(crate) fn of<'a>(
    all: &[Connection],
    span: &Span,
    around: &dyn Fn(usize) -> Surroundings<'a>,
    record: &Record,
) -> Option<String> {
    let word = Limit::Link.name();
    if record.limited_by.as_deref() != Some(word) {
        return None;
    }
    let limited = all.iter().zip(&record.streams).enumerate();
    let limited =
        limited.filter(|(_, (_, stream))| largest(&stream.limited_by).as_deref() == Some(word));
    let mut links: BTreeMap<String, f64> = BTreeMap::new();
    for (number, (connection, _)) in limited.take(ASKED) {
        let Some(path) = around(number).path else {
            continue;
        };
        let from = span.from();
        let until = span.duration.map_or(connection.end(), |d| from + d);
        for (name, share) in path.full_links((from, until), connection.round(), Limit::Link) {
            *links.entry(name.to_owned()).or_default() += share;
        }
    }
    largest(&links)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::{Dropped, Hop, Interval, Path};
    use farpath_record::{Origin, StreamRecord};
    use farpath_units::{Duration, Rate, Time};

    /// Of two links of 80 kbit/s, the first has a pause in each interval, and the second has none.
    #[test]
    fn the_link_that_was_full_is_named() {
        let interval = |bytes| Interval {
            bytes,
            queue_bytes: 500,
        };
        let (half, full) = ([interval(500); 10], [interval(1000); 10]);
        let at = |limited_by: &str| {
            let mut record = Record::new(Origin::Simulated, "t", "tcp", "a", "b");
            record.limited_by = Some(limited_by.to_owned());
            record.streams.push(StreamRecord {
                limited_by: [(limited_by.to_owned(), 1.0)].into(),
                ..StreamRecord::default()
            });
            let hop = |name, intervals| Hop {
                name,
                own: false,
                waits_unseen: false,
                rates: vec![(Time::ZERO, Rate::from_bps(80_000).expect("a rate"))],
                intervals,
                dropped: Dropped::default(),
                frame_bytes: 100,
            };
            let around = |_: usize| Surroundings {
                path: Some(Path {
                    every: Duration::from_ms(100),
                    hops: vec![hop("l1 a>r", &half[..]), hop("l2 r>b", &full[..])],
                    back: Vec::new(),
                    down: Vec::new(),
                    notes: Vec::new(),
                }),
                hosts: None,
            };
            let span = Span {
                duration: Some(Duration::from_secs(1)),
                ..Span::default()
            };
            of(&[Connection::default()], &span, &around, &record)
        };
        assert_eq!(at("link").as_deref(), Some("l2 r>b"));
        assert_eq!(at("receive_window"), None);
    }
}
