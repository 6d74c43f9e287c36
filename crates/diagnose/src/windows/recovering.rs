//! A large window that few losses cut, once: how long it takes to grow back is the algorithm's, and holds the rate meanwhile. Over a long
//! path that is minutes or hours.

use crate::cause::Cause;
use crate::ceiling::{bps, bytes};
use crate::evidence::Evidence;
use crate::items::{Item, LOSSES, of};
use crate::lines::bloat::ms;
use crate::losses::overshoot::{CUBE, KEPT};
use crate::seen::{Row, Side};

/// What it is worth where no log shows it, decibans: it is not a cause then.
pub(crate) const UNSEEN: f64 = -100.0;

/// What it is worth where one does, and it cost this part of the test's bytes or more; a smaller part is said beside the verdict.
const SEEN: f64 = 160.0;
const PART_LEAST: f64 = 0.2;

/// So many intervals without losses follow at least, or fewer that last so long together, seconds: a log of long intervals has few.
const QUIET_LEAST: usize = 4;
const LONG_LEAST: usize = 3;
const LONG_S: f64 = 10.0;

/// A window of fewer segments grows back within seconds.
const SEGMENTS_LEAST: f64 = 500.0;

/// More than this part of a window's segments are many: slow start overran a queue, or a line went down.
const FEW: f64 = 0.02;

/// Window and rate fell to this part of what they were at most.
const FELL: f64 = 0.9;

/// A window that is less than this part of the one before was cut again.
const GROWS: f64 = 0.98;

/// The rate is the window's where the bytes of a round trip are between these parts of it.
const FULL: [f64; 2] = [0.75, 1.15];

/// Where no text has a round trip, the window was cut to a part of what it was between these, as one loss does; windows over rates then differ
/// by no more than this part of their mean.
const ONE_CUT: [f64; 2] = [0.4, 0.8];
const TOGETHER: f64 = 0.05;

/// From this part of what it was on the rate is back.
const BACK: f64 = 0.99;

/// A cut of the congestion window by few losses, all in one interval or in two that follow each other.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cut {
    /// Segments sent again.
    again: f64,
    /// From when to when that was, seconds since the start of the test.
    span: [f64; 2],
    /// For how long none followed, seconds.
    quiet_s: f64,
    /// The congestion window before it and the least since, bytes.
    window: [f64; 2],
    /// The rate before it and the least since, bit/s.
    rate: [f64; 2],
    /// How long after the cut the rate was back at the latest, seconds; none where it was not by the end.
    back_s: Option<f64>,
    /// The part of what the rate before it gives in the whole test that was not sent for it, 0 to 1.
    cost: f64,
    /// Round-trip time, seconds.
    rtt_s: f64,
    /// No text has the round trip: it is what window and rate make.
    made: bool,
    /// Payload of a segment, bytes, of each connection side by side.
    segment: f64,
}

/// The largest of some numbers, 0 of none.
fn most(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}

fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

/// The intervals with losses, first and last, where these are one or two that follow each other.
fn lossy(rows: &[&Row]) -> Option<(usize, usize)> {
    let is = |r: &&Row| r.retransmits.is_some_and(|n| n > 0.0);
    let (first, last) = (rows.iter().position(is)?, rows.iter().rposition(is)?);
    let quiet = rows.len() - last - 1;
    let lasted = rows[rows.len() - 1].until - rows[last].until;
    let lasting = quiet >= QUIET_LEAST || quiet >= LONG_LEAST && lasted >= LONG_S;
    (first > 0 && last <= first + 1 && lasting).then_some((first, last))
}

/// The round trip that window and rate make where the window grows, seconds: Linux lets none grow that is not in use. None where they do
/// not go together, or where the window fell by more or less than by one cut.
fn made_of(quiet: &[&Row], [before, since]: [f64; 2]) -> Option<f64> {
    let (begin, end) = (quiet.first()?.cwnd?, quiet.last()?.cwnd?);
    let each = quiet.iter().map(|r| Some(r.cwnd? * 8.0 / r.bps));
    let each: Vec<f64> = each.collect::<Option<_>>()?;
    let mean = each.iter().sum::<f64>() / each.len() as f64;
    let together = most(&each) - least(&each) <= TOGETHER * mean;
    let part = since / before;
    let once = part > ONE_CUT[0] && part < ONE_CUT[1];
    (mean.is_finite() && mean > 0.0 && together && once && end > begin).then_some(mean)
}

impl Evidence {
    /// The one cut that few losses made of a large window, where the window is what held the rate since.
    pub(crate) fn cut_once(&self) -> Option<Cut> {
        let of_sender = self.counted.iter().filter(|r| r.side == Side::Sender);
        let rows: Vec<&Row> = of_sender.collect();
        let (first, last) = lossy(&rows)?;
        let windows: Option<Vec<f64>> = rows.iter().map(|r| r.cwnd).collect();
        let windows = windows?;
        // Who accounts for all of a sender's time knows it better.
        let seen = self.stop.is_some() || self.account.is_some();
        if self.udp || self.is_bbr() || seen {
            return None;
        }
        let rates: Vec<f64> = rows.iter().map(|r| r.bps).collect();
        let again: f64 = rows.iter().filter_map(|r| r.retransmits).sum();
        let rate = [most(&rates[..first]), least(&rates[first..])];
        let window = [most(&windows[..first]), least(&windows[first..])];
        let quiet = &rows[last + 1..];
        let measured = self.rtt.as_ref().map(|rtt| rtt.value);
        let rtt_s = measured.or_else(|| made_of(quiet, window))?;
        let segment = self.mss * self.streams;
        let segments = window[0] / segment;
        let small = segments < SEGMENTS_LEAST || again > FEW * segments;
        let fell = |[before, since]: [f64; 2]| since < FELL * before;
        let grows = windows[last + 1..].windows(2).all(|w| w[1] >= GROWS * w[0]);
        let full = |r: &&Row| r.bps * rtt_s / 8.0 / r.cwnd.unwrap_or(f64::INFINITY);
        let used = quiet.iter().map(full).sum::<f64>() / quiet.len() as f64;
        let is_full = used > FULL[0] && used < FULL[1];
        if small || !fell(rate) || !fell(window) || !grows || !is_full {
            return None;
        }
        let all: f64 = rows.iter().map(|r| r.until - r.from).sum();
        let short = |r: &&Row| (rate[0] - r.bps).max(0.0) * (r.until - r.from);
        let unsent: f64 = rows[first..].iter().map(short).sum();
        let back = quiet.iter().find(|r| r.bps >= BACK * rate[0]);
        Some(Cut {
            again,
            span: [rows[first].from, rows[last].until],
            quiet_s: rows[rows.len() - 1].until - rows[last].until,
            window,
            rate,
            back_s: back.map(|r| r.until - rows[first].from),
            cost: unsent / (rate[0] * all).max(f64::MIN_POSITIVE),
            rtt_s,
            made: measured.is_none(),
            segment,
        })
    }
}

impl Cut {
    /// How long Reno takes to the window before the cut, seconds: a segment a round trip (RFC 5681 §3.1).
    fn by_reno_s(&self) -> f64 {
        (self.window[0] - self.window[1]) / self.segment * self.rtt_s
    }

    /// The same of CUBIC, from a cut of its own (RFC 9438 §4.2).
    pub(crate) fn by_cubic_s(&self) -> f64 {
        libm::cbrt(self.window[0] / self.segment * (1.0 - KEPT) / CUBE)
    }

    /// When the window is back, or was.
    fn back(&self, cc: Option<&str>) -> String {
        let rtt = match self.made {
            true => format!("{} (the window over the rate)", ms(self.rtt_s)),
            false => ms(self.rtt_s),
        };
        match (self.back_s, cc) {
            (Some(s), _) => format!("the rate was back within {}", lasting(s)),
            (None, Some(cc)) if cc.contains("reno") => format!(
                "{cc} adds a segment a round trip of {rtt}, and takes {} to bring it back",
                lasting(self.by_reno_s())
            ),
            (None, Some("cubic")) => format!(
                "cubic takes {} to bring it back",
                lasting(self.by_cubic_s())
            ),
            (None, Some(cc)) => format!("{cc} had not brought it back by the end"),
            (None, None) => format!(
                "over {rtt} Reno takes {} to bring it back, and CUBIC {}; nothing says which it is",
                lasting(self.by_reno_s()),
                lasting(self.by_cubic_s())
            ),
        }
    }

    fn sentence(&self, cc: Option<&str>) -> String {
        let [from, until] = self.span;
        let (again, them) = match self.again {
            n if n > 1.0 => (format!("{n:.0} segments were"), "them"),
            _ => ("1 segment was".to_owned(), "it"),
        };
        format!(
            "{again} sent again between {from:.0} and {until:.0} s, and none in the {:.0} s since: the congestion window fell from {} to {}, and the rate from {} to {}; {}. It cost {:.0} % of what the test would have sent; what lost {them} nobody saw",
            self.quiet_s,
            bytes(self.window[0]),
            bytes(self.window[1]),
            bps(self.rate[0]),
            bps(self.rate[1]),
            self.back(cc),
            100.0 * self.cost
        )
    }
}

/// A time for people: `41 s`, `12 min`, `2.0 h`.
pub(crate) fn lasting(seconds: f64) -> String {
    match seconds {
        s if s >= 5400.0 => format!("{:.1} h", s / 3600.0),
        s if s >= 120.0 => format!("{:.0} min", s / 60.0),
        s => format!("{s:.0} s"),
    }
}

/// A window that grows back is what holds the rate, and no policer or queue, which would cut it again.
pub(crate) fn by_cut(e: &Evidence, items: &mut Vec<Item>) {
    let Some(cut) = e.cut_once() else { return };
    let mut weights = of(&LOSSES, -24.0);
    if cut.cost >= PART_LEAST {
        weights.push((Cause::Recovery, SEEN));
    }
    items.push(Item {
        holds: 1.0,
        weights,
        sentence: String::new(),
    });
    items.push(Item {
        holds: 1.0,
        // Whatever the verdict is, it is said.
        weights: of(&LOSSES, -SAID),
        sentence: cut.sentence(e.cc.as_deref()),
    });
}

/// What puts it among the first that are said, decibans.
const SAID: f64 = 20.0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::{Figure, Place};

    /// Intervals of 5 s over 150 ms: Gbit/s, what was sent again, and the window in MiB.
    fn of(rows: &[(f64, f64, f64)], cc: Option<&str>) -> Evidence {
        let row =
            |(gbit, again, mib): &(f64, f64, f64)| (gbit * 1e9, *again, Some(mib * 1_048_576.0));
        Evidence {
            rtt: Some(Figure::exact(0.15, Place::You)),
            counted: Row::intervals(5.0, rows.iter().map(row)),
            cc: cc.map(str::to_owned),
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        }
    }

    /// A window of 131 MiB is 94 900 segments: Reno takes 47 400 round trips, CUBIC cbrt(94 900 · 0.3 / 0.4) s.
    #[test]
    fn a_window_that_a_loss_halved_takes_hours_of_reno() {
        let mut rows = vec![(5.1, 0.0, 131.0), (7.33, 0.0, 131.0), (4.4, 3.0, 65.6)];
        rows.extend([(3.67, 0.0, 65.7); 9]);
        let cut = of(&rows, Some("reno")).cut_once().expect("it was cut");
        assert!((cut.by_reno_s() / 3600.0 - 1.97).abs() < 0.03, "{cut:?}");
        assert!((cut.by_cubic_s() - 41.4).abs() < 0.5, "{cut:?}");
        assert!((0.38..0.46).contains(&cut.cost), "{cut:?}");
        assert_eq!(cut.back_s, None);
        assert!(cut.sentence(Some("reno")).contains("takes 2.0 h"));
    }

    /// Six intervals in all, as of `-i 10`, of which three are quiet: 65.9 MiB at 3.68 Gbit/s are 150 ms, with or without a ping.
    #[test]
    fn three_long_intervals_show_a_cut_without_a_round_trip() {
        let mut rows = vec![(5.1, 0.0, 131.0), (7.33, 0.0, 131.0), (4.4, 1.0, 65.6)];
        rows.extend([(3.67, 0.0, 65.7), (3.675, 0.0, 65.8), (3.68, 0.0, 65.9)]);
        let pinged = of(&rows, Some("reno")).cut_once().expect("it was cut");
        assert!(!pinged.made);
        let mut bare = of(&rows, Some("reno"));
        bare.rtt = None;
        let cut = bare.cut_once().expect("window and rate go together");
        assert!(cut.made && (cut.rtt_s - 0.15).abs() < 0.001, "{cut:?}");
        let said = cut.sentence(Some("reno"));
        assert!(said.contains("(the window over the rate)"), "{said}");
        // A window that stands may have room, and one whose rate changes without it has.
        let mut stands = bare.clone();
        for row in &mut stands.counted[3..] {
            row.cwnd = Some(68e6);
        }
        assert_eq!(stands.cut_once(), None);
        let mut apart = bare.clone();
        apart.counted[4].bps = 2e9;
        assert_eq!(apart.cut_once(), None);
        // Three seconds are too few.
        let mut brief = bare;
        for (row, n) in brief.counted.iter_mut().zip(0..) {
            (row.from, row.until) = (f64::from(n), f64::from(n + 1));
        }
        assert_eq!(brief.cut_once(), None);
    }

    #[test]
    fn what_is_cut_again_or_not_full_is_none() {
        let mut rows = vec![(5.1, 0.0, 131.0), (7.33, 0.0, 131.0), (4.4, 3.0, 65.6)];
        rows.extend([(3.67, 0.0, 65.7); 9]);
        let mut again = rows.clone();
        again[7].1 = 2.0;
        assert_eq!(of(&again, None).cut_once(), None);
        // A window with room is not what holds it.
        let mut roomy = rows.clone();
        roomy[3..].fill((1.2, 0.0, 65.7));
        assert_eq!(of(&roomy, None).cut_once(), None);
        // Nor is one cut at the start, or by a tenth of its segments.
        let mut many = rows.clone();
        many[2].1 = 9000.0;
        assert_eq!(of(&many, None).cut_once(), None);
        assert_eq!(of(&rows[2..], None).cut_once(), None);
    }
}
