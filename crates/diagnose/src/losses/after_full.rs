//! A connection whose segments pass by their size, and that hangs to its end all the same: a device between, or a path that went down.

use crate::asking::{Asking, captured};
use crate::cause::Cause;
use crate::document::MissingFact;
use crate::evidence::Evidence;
use crate::items::{Item, LOSSES, of};
use crate::losses::segments::HEADERS;
use crate::reach::stuck::Stuck;
use crate::seen::Row;
use crate::{reach::stuck, series::outage};

/// So many full segments that arrived show that their size passes. A choice.
pub(crate) const FULL_LEAST: f64 = 100.0;

/// So many intervals with data before the first without any: what fills a socket takes one.
const PASSED_LEAST: usize = 2;

/// A window of one segment is printed in kilobytes, and rounded.
const ROUNDED: f64 = 1.02;

/// What a device between, or an outage, is worth then, decibans, and how much the former has ahead: nothing tells them apart. Choices.
const SEEN: f64 = 40.0;
const AHEAD: f64 = 0.5;

/// What keeps their size from being why, decibans. A choice.
const NOT_SIZE: f64 = -60.0;

/// The most that is said of either: it is not a verdict.
const OPEN: f64 = 0.39;

/// Pings of a whole packet have this beside their data, bytes: headers of IPv4 and ICMP.
const PING: f64 = 28.0;

/// The first interval from which on nothing passed to the end of a log, though data was sent again.
fn still_from(rows: &[Row]) -> Option<usize> {
    let is_still = |r: &Row| r.bps <= 0.0;
    let first = rows.iter().position(is_still)?;
    let rest = &rows[first..];
    let again = |r: &Row| r.retransmits.is_some_and(|n| n > 0.0);
    let hangs = rest.len() >= 2 && rest.iter().any(again) && rest.iter().all(is_still);
    (first > 0 && hangs).then_some(first)
}

impl Evidence {
    /// Whether intervals before the first without data carried many full segments.
    fn log_carried_full(&self) -> bool {
        let moved = self.rate.as_ref().is_some_and(|r| r.value > 0.0);
        let first = still_from(&self.counted).filter(|n| moved && *n >= PASSED_LEAST);
        let Some(first) = first else { return false };
        let before = &self.counted[..first];
        let bits: f64 = before.iter().map(|r| r.bps * (r.until - r.from)).sum();
        bits / 8.0 >= FULL_LEAST * self.mss * self.streams
    }

    /// Whether pings pass whole that are as large as the packets which are sent again: a window of one segment says how large that is.
    fn whole_pings_pass(&self) -> bool {
        let still = self.counted.iter().filter(|r| r.bps <= 0.0);
        let least = still.filter_map(|r| r.cwnd).reduce(libm::fmin);
        let segment = libm::fmax(self.mss, least.unwrap_or(0.0));
        ROUNDED * self.passes_whole >= segment + HEADERS
    }

    /// The segment that is sent again and again, bytes, by the window of one of a log that hangs to its end; 0 of any other.
    pub(crate) fn hanging_segment(&self) -> f64 {
        let first = still_from(&self.counted).filter(|_| !self.udp && !self.is_bbr());
        let still = first.map_or(&self.counted[..0], |n| &self.counted[n..]);
        let windows = still.iter().filter_map(|r| r.cwnd);
        ROUNDED * windows.reduce(libm::fmin).unwrap_or(0.0)
    }

    /// Whether many full segments are known to have passed.
    fn carried_full(&self) -> bool {
        self.stuck.as_ref().is_some_and(Stuck::carried_full) || self.log_carried_full()
    }

    /// Whether a connection hangs to its end, and not for the size of its packets.
    pub(crate) fn hangs_after_full(&self) -> bool {
        let hangs = self.stuck.is_some() || still_from(&self.counted).is_some();
        let lost = self.large_lost.as_ref();
        let lost = lost.is_some_and(|lost| self.is_as_large(lost));
        let passes = self.carried_full() || self.whole_pings_pass();
        !self.udp && hangs && passes && !lost && !self.drops_data()
    }

    /// The most that is said of what may be it then; none of other causes, and where something else is known.
    pub(crate) fn at_most_after_full(&self, cause: Cause) -> Option<f64> {
        let may_be = matches!(cause, Cause::Middlebox | Cause::Outage);
        (may_be && self.hangs_after_full()).then_some(OPEN)
    }

    /// What tells a device between from an outage.
    pub(crate) fn asks_after_full(&self, asking: &Asking) -> Vec<MissingFact> {
        let pings = MissingFact {
            fact: "ping_large_lost_bytes",
            would_decide: "while it hangs: whether pings pass, and such as are as large as its packets. Where both do, a device between drops this connection alone; where none does, the path is down".to_owned(),
            command: format!(
                "{}; {}",
                asking.ping(5),
                asking.whole(5, self.mss + HEADERS - PING)
            ),
        };
        let arrives = MissingFact {
            fact: "segment_arrives",
            would_decide: "whether what is sent again comes to the other end: it is dropped between, or not answered there".to_owned(),
            command: format!(
                "while it hangs, {}; and the tables of connections and logs of drops of each firewall between",
                captured(
                    self.systems,
                    "tcpdump -ni any tcp and host ADDRESS, with that of the other host"
                )
            ),
        };
        let open = (!self.whole_pings_pass()).then_some(pings);
        open.into_iter().chain([arrives]).collect()
    }
}

/// Weighs a connection that hangs to its end, and not for the size of its packets.
pub(crate) fn by_after_full(e: &Evidence, items: &mut Vec<Item>) {
    if !e.hangs_after_full() {
        return;
    }
    let why = match e.carried_full() {
        true => "many full segments passed before",
        false => "pings as large as its packets pass",
    };
    items.push(Item {
        holds: 1.0,
        weights: [
            of(&LOSSES, -24.0),
            vec![
                (Cause::Middlebox, SEEN + AHEAD - stuck::UNSEEN),
                (Cause::Outage, SEEN - outage::UNSEEN),
                (Cause::MtuBlackHole, NOT_SIZE),
            ],
        ]
        .concat(),
        sentence: format!(
            "nothing more passed to its end, though data was sent again, and {why}: its size is not why. A firewall or another device that has lost the state of this connection, and a path that went down, look alike"
        ),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::{Figure, Place};

    /// Seconds of these rates, Mbit/s, and what was sent again in each; the window is of one segment.
    fn evidence(rows: &[(f64, f64)]) -> Evidence {
        let row = |(mbit, again): &(f64, f64)| (mbit * 1e6, *again, Some(1448.0));
        Evidence {
            rate: Some(Figure::exact(1e6, Place::You)),
            counted: Row::intervals(1.0, rows.iter().map(row)),
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        }
    }

    /// A log that was broken off has no report of its receiver: its window of one segment, 8.74 kB, is as large as the pings that are lost.
    #[test]
    fn a_window_of_one_large_segment_is_as_large_as_the_pings_that_are_lost() {
        let rows = [(0.7, 2.0), (0.0, 1.0), (0.0, 0.0), (0.0, 1.0)];
        let with = |rows: &[(f64, f64)], cwnd: f64| {
            let mut e = evidence(rows);
            e.counted.iter_mut().for_each(|r| r.cwnd = Some(cwnd));
            e.is_as_large(&Figure::exact(9000.0, Place::You))
        };
        assert!(with(&rows, 8950.0));
        assert!(!with(&rows, 1448.0));
        // What goes on has a window of any size.
        let on = [(0.7, 2.0), (0.0, 1.0), (0.0, 0.0), (300.0, 0.0)];
        assert!(!with(&on, 8950.0));
    }

    #[test]
    fn what_carried_full_segments_does_not_hang_for_their_size() {
        let full = [(400.0, 0.0), (700.0, 0.0), (0.0, 3.0), (0.0, 1.0)];
        assert!(evidence(&full).hangs_after_full());
        // One interval fills a socket, and one that went on after a time without any was not at its end.
        let one = [(0.7, 2.0), (0.0, 1.0), (0.0, 1.0)];
        assert!(!evidence(&one).hangs_after_full());
        let on = [(400.0, 0.0), (700.0, 0.0), (0.0, 3.0), (300.0, 0.0)];
        assert!(!evidence(&on).hangs_after_full());
        // Whole pings of that size passed.
        let passed = Evidence {
            passes_whole: 1500.0,
            ..evidence(&one)
        };
        assert!(passed.hangs_after_full());
        let lost = Evidence {
            large_lost: Some(Figure::exact(1500.0, Place::You)),
            ..evidence(&full)
        };
        assert!(!lost.hangs_after_full());
    }
}
