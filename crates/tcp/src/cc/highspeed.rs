//! HighSpeed TCP (RFC 3649): steps and cuts that depend on the window.

use super::{Ack, Control, Loss, Setup};
use crate::flavour::Flavour;

/// Low_Window in segments: up to here it is Reno (RFC 3649 §5).
const LOW_WINDOW: f64 = 38.0;
/// What a loss takes at High_Window (RFC 3649 §5); at Low_Window it is a half.
const HIGH_DECREASE: f64 = 0.1;
/// p(w) = 0.078 / w^1.2 (RFC 3649 §5). The RFC's own tables follow from these rounded figures; its
/// a(83 000) = 72 from the unrounded line through its two points, which is 2.5 % higher there.
const P_FACTOR: f64 = 0.078;
const P_POWER: f64 = 1.2;
/// ln High_Window − ln Low_Window; High_Window is 83 000 segments (RFC 3649 §5).
const LOG_RANGE: f64 = 7.689_010_6;
/// ln Low_Window.
const LOG_LOW: f64 = 3.637_586_2;

/// b(w): the part of the window a loss takes (RFC 3649 §5), beyond High_Window as much as there.
fn cut(w: f64) -> f64 {
    if w <= LOW_WINDOW {
        return 0.5;
    }
    line(w).max(HIGH_DECREASE)
}

/// The line that b(w) follows between Low_Window and High_Window. It is 0 at 567 000 segments, where a loss would take nothing.
fn line(w: f64) -> f64 {
    0.5 + (HIGH_DECREASE - 0.5) * (libm::log(w) - LOG_LOW) / LOG_RANGE
}

/// a(w): segments added in a round trip (RFC 3649 §5, equation 3).
fn step(w: f64) -> f64 {
    if w <= LOW_WINDOW {
        return 1.0;
    }
    let b = cut(w);
    let p = P_FACTOR / libm::pow(w, P_POWER);
    (w * w * p * 2.0 * b / (2.0 - b)).max(1.0)
}

/// RFC 3649's table 12 as far as Linux has it: the row is the step in segments, the entry the largest
/// window in segments that takes it, and what a loss takes of it in 256ths. The 73rd row of the RFC
/// (94 717) is missing there, so that nothing grows beyond the 72nd.
const TABLE: [(u32, u16); 72] = [
    (38, 128),
    (118, 112),
    (221, 104),
    (347, 98),
    (495, 93),
    (663, 89),
    (851, 86),
    (1058, 83),
    (1284, 81),
    (1529, 78),
    (1793, 76),
    (2076, 74),
    (2378, 72),
    (2699, 71),
    (3039, 69),
    (3399, 68),
    (3778, 66),
    (4177, 65),
    (4596, 64),
    (5036, 62),
    (5497, 61),
    (5979, 60),
    (6483, 59),
    (7009, 58),
    (7558, 57),
    (8130, 56),
    (8726, 55),
    (9346, 54),
    (9991, 53),
    (10661, 52),
    (11358, 52),
    (12082, 51),
    (12834, 50),
    (13614, 49),
    (14424, 48),
    (15265, 48),
    (16137, 47),
    (17042, 46),
    (17981, 45),
    (18955, 45),
    (19965, 44),
    (21013, 43),
    (22101, 43),
    (23230, 42),
    (24402, 41),
    (25618, 41),
    (26881, 40),
    (28193, 39),
    (29557, 39),
    (30975, 38),
    (32450, 38),
    (33986, 37),
    (35586, 36),
    (37253, 36),
    (38992, 35),
    (40808, 35),
    (42707, 34),
    (44694, 33),
    (46776, 33),
    (48961, 32),
    (51258, 32),
    (53677, 31),
    (56230, 30),
    (58932, 30),
    (61799, 29),
    (64851, 28),
    (68113, 28),
    (71617, 27),
    (75401, 26),
    (79517, 26),
    (84035, 25),
    (89053, 24),
];

/// The row of [`TABLE`] for a window of so many segments.
fn row(w: f64) -> usize {
    TABLE
        .partition_point(|(edge, _)| f64::from(*edge) < w)
        .min(TABLE.len() - 1)
}

/// HighSpeed TCP in avoidance.
#[derive(Clone, Debug)]
pub(crate) struct HighSpeed {
    flavour: Flavour,
    /// The window in segments that `step` or `row` is for.
    window: f64,
    /// By the document: segments in a round trip.
    step: f64,
    /// By the kernel's rules: the row of [`TABLE`] that acknowledgements in avoidance moved to; the first
    /// one until then, so that a loss in slow start takes a half (`ca->ai`).
    row: usize,
    /// By the kernel's rules: the steps counted towards the next segment (`snd_cwnd_cnt`).
    count: f64,
}

impl HighSpeed {
    /// Linux counts a step for each acknowledgement, whatever it acknowledges, and adds a segment once the count
    /// is a window (`hstcp_cong_avoid`).
    fn count_ack(&mut self, ack: &Ack) -> f64 {
        let w = (ack.cwnd / ack.segment).floor();
        if w != self.window {
            self.window = w;
            self.row = row(w);
        }
        self.count += (self.row + 1) as f64;
        if self.count < w {
            return 0.0;
        }
        self.count -= w;
        ack.segment
    }
}

impl Control for HighSpeed {
    fn new(setup: &Setup) -> HighSpeed {
        HighSpeed {
            flavour: setup.flavour,
            window: 0.0,
            step: 1.0,
            row: 0,
            count: 0.0,
        }
    }

    fn increase(&mut self, ack: &Ack) -> f64 {
        if self.flavour == Flavour::Linux {
            return self.count_ack(ack);
        }
        let w = ack.cwnd * ack.per_byte;
        // The step changes by far less than itself within a segment.
        if (w - self.window).abs() >= 1.0 {
            self.window = w;
            self.step = step(w);
        }
        self.step * ack.acked / ack.cwnd * ack.segment
    }

    fn reduce(&mut self, loss: &Loss) -> f64 {
        let w = loss.window / loss.segment;
        self.count = 0.0;
        match self.flavour {
            Flavour::Rfc => loss.window * (1.0 - cut(w)),
            Flavour::Linux => {
                let w = w.floor();
                let taken = (w * f64::from(TABLE[self.row].1) / 256.0).floor();
                (w - taken) * loss.segment
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::tests::{ack, loss, setup};

    /// RFC 3649 appendix B, its program: the first window at which a(w) has grown by more than one
    /// since the row before. It writes 0.078 as 1/12.8.
    fn rfc_table() -> Vec<(u32, f64, f64)> {
        // Its last rows go on along the line.
        let b = |w: f64| if w <= LOW_WINDOW { 0.5 } else { line(w) };
        let a = |w: f64| w * w * 2.0 * b(w) / ((2.0 - b(w)) * libm::pow(w, 1.2) * 12.8);
        let mut rows = vec![(38, 1.0, 0.5)];
        let mut last = 1.0;
        for w in 38..100_000 {
            let step = a(f64::from(w));
            if step > last + 1.0 {
                last = step;
                rows.push((w, step.floor(), b(f64::from(w))));
            }
        }
        rows
    }

    /// RFC 3649 table 12, two rows of three: w, a(w), b(w).
    const PRINTED: [(u32, f64, f64); 49] = [
        (38, 1.0, 0.50),
        (118, 2.0, 0.44),
        (347, 4.0, 0.38),
        (495, 5.0, 0.37),
        (851, 7.0, 0.34),
        (1058, 8.0, 0.33),
        (1529, 10.0, 0.31),
        (1793, 11.0, 0.30),
        (2378, 13.0, 0.28),
        (2699, 14.0, 0.28),
        (3399, 16.0, 0.27),
        (3778, 17.0, 0.26),
        (4596, 19.0, 0.25),
        (5036, 20.0, 0.25),
        (5979, 22.0, 0.24),
        (6483, 23.0, 0.23),
        (7558, 25.0, 0.22),
        (8130, 26.0, 0.22),
        (9346, 28.0, 0.21),
        (9991, 29.0, 0.21),
        (11358, 31.0, 0.20),
        (12082, 32.0, 0.20),
        (13614, 34.0, 0.19),
        (14424, 35.0, 0.19),
        (16137, 37.0, 0.19),
        (17042, 38.0, 0.18),
        (18955, 40.0, 0.18),
        (19965, 41.0, 0.17),
        (22101, 43.0, 0.17),
        (23230, 44.0, 0.17),
        (25618, 46.0, 0.16),
        (26881, 47.0, 0.16),
        (29557, 49.0, 0.15),
        (30975, 50.0, 0.15),
        (33986, 52.0, 0.15),
        (35586, 53.0, 0.14),
        (38992, 55.0, 0.14),
        (40808, 56.0, 0.14),
        (44694, 58.0, 0.13),
        (46776, 59.0, 0.13),
        (51258, 61.0, 0.13),
        (53677, 62.0, 0.12),
        (58932, 64.0, 0.12),
        (61799, 65.0, 0.12),
        (68113, 67.0, 0.11),
        (71617, 68.0, 0.11),
        (79517, 70.0, 0.10),
        (84035, 71.0, 0.10),
        (94717, 73.0, 0.09),
    ];

    #[test]
    fn rfc3649_table_12_follows_from_the_formulae() {
        let table = rfc_table();
        assert_eq!(table.len(), 73);
        for (w, a, b) in PRINTED {
            let row = table.iter().find(|r| r.0 == w);
            let &(_, step, part) = row.unwrap_or_else(|| panic!("no row {w}"));
            assert_eq!(step, a, "a({w})");
            assert_eq!((part * 100.0).round(), (b * 100.0).round(), "b({w})");
        }
    }

    #[test]
    fn the_kernels_table_is_the_rfcs_in_256ths_less_its_last_row() {
        for (i, (row, (edge, part))) in rfc_table().iter().zip(TABLE).enumerate() {
            assert_eq!((row.0, row.1), (edge, (i + 1) as f64));
            assert_eq!((row.2 * 256.0).floor(), f64::from(part), "b({edge})");
        }
        assert_eq!((row(1.0), row(38.0), row(39.0)), (0, 0, 1));
        assert_eq!((row(89_053.0), row(1e6)), (71, 71));
    }

    /// Computed from the unrounded line through RFC 3649 §5's two points: w, a, b. The rounded p(w) is
    /// within 2.6 % in the step; the cut is exact.
    #[test]
    fn rfc3649_5_check_points() {
        for (w, a, b) in [
            (38.0, 1.0, 0.500),
            (118.0, 2.0, 0.441),
            (1058.0, 8.1, 0.327),
            (10_661.0, 30.6, 0.207),
            (83_000.0, 72.5, 0.100),
        ] {
            assert!((step(w) / a - 1.0).abs() < 0.026, "a({w}) = {}", step(w));
            assert!((cut(w) - b).abs() < 0.0006, "b({w}) = {}", cut(w));
        }
    }

    /// RFC 3649 table 6: the window after so many round trips without a loss, from one segment on.
    #[test]
    fn rfc3649_table_6_growth_without_loss() {
        let mut highspeed = HighSpeed::new(&setup(Flavour::Rfc));
        let mut w = 1.0;
        let mut at = std::collections::BTreeMap::new();
        for rtt in 1..=2000 {
            at.insert(rtt, w);
            w += highspeed.increase(&ack(w, w));
        }
        for (rtt, window) in [
            (200, 475.0),
            (400, 2160.0),
            (600, 5477.0),
            (800, 10_567.0),
            (1000, 17_409.0),
            (1200, 25_893.0),
            (1400, 35_856.0),
            (1600, 47_115.0),
            (1800, 59_477.0),
            (2000, 72_754.0),
        ] {
            let off = at[&rtt] / window - 1.0;
            assert!(off.abs() < 0.01, "{rtt}: {} for {window}", at[&rtt]);
        }
    }

    #[test]
    fn the_kernels_steps_and_cuts_are_the_tables() {
        let mut highspeed = HighSpeed::new(&setup(Flavour::Linux));
        // A window of 1000 is in the row that ends at 1058: eight segments a round trip.
        let added: f64 = (0..1000)
            .map(|_| highspeed.increase(&ack(1000.0, 1.0)))
            .sum();
        assert_eq!(added, 8.0);
        // 1000 - (1000 * 83 >> 8): the part that is taken is rounded down, not the rest.
        assert_eq!(highspeed.reduce(&loss(1000.0)), 676.0);
        let flat: f64 = (0..1000).map(|_| highspeed.increase(&ack(1e3, 1.0))).sum();
        assert_eq!(flat, 8.0);
        assert_eq!(highspeed.reduce(&loss(1000.5)), 676.0);
        // Beyond the table's end the last row goes on.
        let flat: f64 = (0..200_000)
            .map(|_| highspeed.increase(&ack(2e5, 1.0)))
            .sum();
        assert_eq!(flat, 72.0);
    }

    /// The window after 98 round trips from 1000 segments, with one acknowledgement for every `each` of them.
    fn after_98_rounds(each: f64) -> f64 {
        let mut highspeed = HighSpeed::new(&setup(Flavour::Linux));
        let (mut w, mut rest) = (1000.0, 0.0);
        for _ in 0..98 {
            let due: f64 = w + rest;
            let acks = (due / each).floor();
            rest = due - acks * each;
            for _ in 0..acks as u64 {
                w += highspeed.increase(&ack(w, each));
            }
        }
        w
    }

    /// `hstcp_cong_avoid` followed by itself, in whole numbers. Counted by segments, all three were about 1990.
    #[test]
    fn linux_counts_acknowledgements_and_not_what_they_acknowledge() {
        assert_eq!(
            [1.0, 2.0, 37.0].map(after_98_rounds),
            [1994.0, 1449.0, 1021.0]
        );
    }

    /// Until avoidance has moved the row it is the first: a half, of which the kernel takes the floor.
    #[test]
    fn in_linux_the_loss_behind_slow_start_takes_a_half() {
        for (w, left) in [(1010.0, 505.0), (60.0, 30.0), (45.0, 23.0), (40.0, 20.0)] {
            let mut highspeed = HighSpeed::new(&setup(Flavour::Linux));
            assert_eq!(highspeed.reduce(&loss(w)), left);
            // The document goes by the window.
            let by_document = HighSpeed::new(&setup(Flavour::Rfc)).reduce(&loss(w));
            assert!(by_document > w / 2.0, "{by_document}");
        }
    }

    /// 100 Gbit/s over 120 ms hold a million: along the line a loss added 5 %, and a round trip one segment.
    #[test]
    fn beyond_the_high_window_a_loss_takes_a_tenth() {
        let mut highspeed = HighSpeed::new(&setup(Flavour::Rfc));
        assert_eq!(highspeed.reduce(&loss(1e6)), 9e5);
        assert!(step(1e6) > step(83_000.0));
        assert_eq!((cut(1e6), cut(84_000.0)), (0.1, 0.1));
        assert!(line(566_000.0) > 0.0 && line(568_000.0) < 0.0);
    }

    #[test]
    fn below_the_low_window_it_is_reno() {
        let mut highspeed = HighSpeed::new(&setup(Flavour::Rfc));
        assert_eq!(highspeed.increase(&ack(30.0, 30.0)), 1.0);
        assert_eq!(highspeed.reduce(&loss(30.0)), 15.0);
    }
}
