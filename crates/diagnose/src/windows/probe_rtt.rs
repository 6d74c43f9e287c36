//! BBR by its log: its congestion window falls to four segments for a moment, to see the least round trip, and is back at once
//! (draft-cardwell-iccrg-bbr-congestion-control, `ProbeRTT`).

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::items::{Item, JUMBO, of, step};
use crate::seen::{Row, Side, after_start};
use crate::windows::outgrown::{OF_SENDER, ROOMS};

/// Segments of the window then, and how far a printed one may be off: by how large segments are, and by rounding.
const SEGMENTS: f64 = 4.0;
const NEAR: f64 = 0.04;

/// The windows before and soon after are so many times as large.
const LARGER: f64 = 5.0;

/// The interval that ends so carried this part of what is usual at least, which a timeout would not leave it, and no more than this part
/// of the window was sent again in it, which is all of it behind one.
const USUAL: f64 = 0.8;
const AGAIN: f64 = 0.25;

/// A longer interval has room for a timeout, seconds.
const LONG_S: f64 = 2.5;

/// Its first intervals lost so many segments at least, and so many times the share of the later ones, where its start overran a queue.
const OVERRAN: f64 = 20.0;
const EARLIER: [f64; 2] = [1.5, 2.0];

/// What a sender hands over and does not send yet is so many of its windows at most (Linux, `bbr_sndbuf_expand`).
const HELD: f64 = 3.0;

/// The share of segments that rows sent again.
fn share(rows: &[Row], segment: f64) -> (f64, f64) {
    let again: f64 = rows.iter().filter_map(|r| r.retransmits).sum();
    let bits: f64 = rows.iter().map(|r| r.bps * (r.until - r.from)).sum();
    (again, again * 8.0 * segment / bits.max(1.0))
}

impl Evidence {
    /// When its congestion window was down to four segments while the rate stayed, seconds since the start of its log.
    pub(crate) fn probes_rtt(&self) -> Option<f64> {
        if self.udp || self.streams > 1.0 {
            return None;
        }
        let of_sender = self.counted.iter().filter(|r| r.side == Side::Sender);
        let rows: Vec<&Row> = of_sender.collect();
        let mut rates: Vec<f64> = rows.iter().map(|r| r.bps).collect();
        rates.sort_by(f64::total_cmp);
        let usual = rates.get(rates.len() / 2).copied()?;
        let sizes = [self.mss, if self.mss_said { self.mss } else { JUMBO }];
        let is_four = |cwnd: f64| {
            let off = |size: &f64| (cwnd / (SEGMENTS * size) - 1.0).abs();
            sizes.iter().any(|size| off(size) < NEAR)
        };
        let is_larger = |row: &Row, cwnd: f64| row.cwnd.is_some_and(|w| w > LARGER * cwnd);
        (1..rows.len()).find_map(|n| {
            let (before, row) = (rows[n - 1], rows[n]);
            let cwnd = row.cwnd.filter(|cwnd| is_four(*cwnd))?;
            let mut soon = rows[n + 1..].iter().take(2);
            let back = is_larger(before, cwnd) && soon.any(|r| is_larger(r, cwnd));
            let most = AGAIN * before.cwnd.unwrap_or(0.0) / (cwnd / SEGMENTS);
            let few = row.retransmits.is_some_and(|again| again < most);
            let brief = row.until - row.from < LONG_S;
            (back && few && brief && row.bps > USUAL * usual).then_some(row.until)
        })
    }

    /// Takes the sender's congestion control for BBR where its log shows that, and no text says which it is.
    pub(crate) fn of_probe_rtt(&mut self) {
        if self.cc.is_none() && self.probes_rtt().is_some() {
            self.cc = Some("bbr".to_owned());
        }
    }

    /// Whether a probe for the least round trip lies between two instants of a log, seconds.
    pub(crate) fn probes_within(&self, [from, until]: [f64; 2]) -> bool {
        let probed = self.probes_rtt().filter(|_| self.is_bbr());
        probed.is_some_and(|at| (from..=until).contains(&at))
    }

    /// Whether so many bytes, handed over beyond what passed, may have waited in the socket of a sender of BBR.
    pub(crate) fn bbr_may_hold(&self, bytes: f64) -> bool {
        let windows = self.counted.iter().filter_map(|r| r.cwnd);
        let most = windows.fold(0.0, f64::max);
        self.is_bbr() && bytes < HELD * most
    }
}

/// Weighs a log of BBR whose start overran a queue: no window or buffer of the hosts holds what once was more than the path takes.
pub(crate) fn by_probe_rtt(e: &Evidence, items: &mut Vec<Item>) {
    let Some(at) = e.probes_rtt().filter(|_| e.is_bbr() && e.never_pauses()) else {
        return;
    };
    let (first, later) = after_start(&e.counted);
    let ((lost, early), (_, then)) = (share(first, e.mss), share(later, e.mss));
    let overran = match lost >= OVERRAN {
        true => step(early / then.max(1e-9), EARLIER[0], EARLIER[1]),
        false => 0.0,
    };
    let says = match overran > 0.5 {
        true => {
            "; its start overran a queue, which no window or buffer of a host lets it, and a sender of BBR then sends what the path passes"
        }
        false => "",
    };
    items.push(Item {
        holds: 1.0,
        weights: Vec::new(),
        sentence: format!(
            "at {at:.0} s the congestion window was down to four segments, and back at once, as that of BBR is to see the least round trip, and less passed meanwhile{says}"
        ),
    });
    items.push(Item {
        holds: overran,
        weights: [
            of(&ROOMS, -12.0),
            of(&OF_SENDER, -10.0),
            vec![
                (Cause::Link, 12.0),
                (Cause::Shaper, 8.0),
                (Cause::ShallowBuffer, -6.0),
                (Cause::Policer, -4.0),
            ],
        ]
        .concat(),
        sentence: String::new(),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::{Figure, Place};

    /// Seconds of BBR on a full line of 20 Mbit/s, as a real kernel had them: Mbit/s, what was sent again, and the window, kB.
    const ROWS: [(f64, f64, f64); 16] = [
        (23.6, 134.0, 204.0),
        (18.4, 0.0, 257.0),
        (18.9, 0.0, 215.0),
        (18.9, 0.0, 209.0),
        (18.9, 0.0, 209.0),
        (18.9, 0.0, 269.0),
        (18.6, 0.0, 269.0),
        (19.1, 23.0, 280.0),
        (18.6, 55.0, 226.0),
        (18.9, 10.0, 5.796),
        (13.9, 0.0, 300.0),
        (18.9, 39.0, 288.0),
        (19.4, 62.0, 297.0),
        (18.9, 36.0, 294.0),
        (18.6, 0.0, 283.0),
        (18.9, 0.0, 266.0),
    ];

    fn evidence(rows: &[(f64, f64, f64)]) -> Evidence {
        let row = |(mbit, again, kilo): &(f64, f64, f64)| (mbit * 1e6, *again, Some(1e3 * kilo));
        Evidence {
            rate: Some(Figure::exact(18.2e6, Place::You)),
            counted: Row::intervals(1.0, rows.iter().map(row)),
            tester: true,
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        }
    }

    #[test]
    fn a_window_of_four_segments_for_a_moment_shows_bbr() {
        let mut e = evidence(&ROWS);
        e.of_probe_rtt();
        assert!(e.is_bbr() && e.probes_within([10.0, 11.0]));
        assert!(!e.probes_within([2.0, 3.0]) && e.dip().is_none());
        // What its first second had beyond the rest waited in its socket.
        assert!(e.bbr_may_hold(600e3) && !e.bbr_may_hold(2e6));
        let mut items = Vec::new();
        by_probe_rtt(&e, &mut items);
        assert!(items.iter().any(|i| i.sentence.contains("overran a queue")));
        let ranking = crate::infer::weigh(&e, &[]).ranking;
        assert_eq!(ranking[0].cause, Cause::Link, "{ranking:?}");
    }

    #[test]
    fn a_window_that_a_timeout_began_anew_does_not() {
        // All that was in flight is sent again, or hardly anything passed.
        let mut again = ROWS;
        again[9].1 = 150.0;
        assert_eq!(evidence(&again).probes_rtt(), None);
        let mut slow = ROWS;
        slow[9].0 = 9.0;
        assert_eq!(evidence(&slow).probes_rtt(), None);
        // A window that stays small is of another kind.
        let mut small = ROWS;
        small[10].2 = 12.0;
        small[11].2 = 20.0;
        assert_eq!(evidence(&small).probes_rtt(), None);
        let mut said = evidence(&ROWS);
        said.cc = Some("cubic".to_owned());
        said.of_probe_rtt();
        assert!(!said.is_bbr());
    }
}
