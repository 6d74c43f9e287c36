//! A dip in a log whose other intervals are even: when it was, what it cost, and what the log shows of it. It limits the rest no more than
//! an outage does.

use crate::cause::Cause;
use crate::ceiling::{bps, bytes};
use crate::evidence::Evidence;
use crate::items::Item;
use crate::part::part;
use crate::seen::{Row, Side, after_start};
use crate::series::middle::middle;

/// So many intervals at least show what is usual.
const ROWS_LEAST: usize = 8;

/// The other intervals have this part of what is usual at least, and a dip falls below the second part of it.
const EVEN: f64 = 0.93;
const DEEP: f64 = 0.8;

/// A dip that cost less than this part of the whole is not worth naming.
const COST_LEAST: f64 = 0.01;

/// A dip is this part of the intervals at most: what lasts longer is another rate.
const SHORT: f64 = 0.5;

/// A window of so many segments or fewer was begun anew by a timeout (RFC 5681 §3.1), one of less than this part of what it was was cut.
const ANEW: f64 = 10.0;
const CUT: f64 = 0.9;

/// Intervals in a row that are slower than all others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Dip {
    /// From when to when, seconds.
    span: [f64; 2],
    /// The slowest of them, and what is usual, bit/s.
    rate: [f64; 2],
    /// The part of what is usual in the whole log that it cost, 0 to 1.
    cost: f64,
    /// For how long nothing passed, seconds.
    still_s: f64,
    /// Segments sent again in it.
    again: f64,
    /// The congestion window before it and the least in it, bytes, where both were printed.
    window: Option<[f64; 2]>,
}

impl Evidence {
    /// The one dip of an even log, between intervals that are as fast as usual.
    pub(crate) fn dip(&self) -> Option<Dip> {
        let of_sender = self.counted.iter().filter(|r| r.side == Side::Sender);
        let all: Vec<&Row> = of_sender.collect();
        let (_, rows) = after_start(&all);
        // What an account, a capture or a single cut says of it is said there.
        let dark = self.recorded.is_some() || self.stop.is_some_and(|s| s.dark.is_some());
        let said = self.account.is_some() || dark || self.cut_once().is_some();
        if self.udp || said || rows.len() < ROWS_LEAST {
            return None;
        }
        let usual = middle(rows.iter().map(|r| r.bps)).unwrap_or(0.0);
        let low = |r: &&Row| r.bps < EVEN * usual;
        let (first, last) = (rows.iter().position(low)?, rows.iter().rposition(low)?);
        let dip = &rows[first..=last];
        let least = dip.iter().map(|r| r.bps).fold(f64::INFINITY, f64::min);
        let long = dip.len() as f64 > SHORT * rows.len() as f64;
        let within = first > 0 && last + 1 < rows.len() && dip.iter().all(low);
        if !within || long || least >= DEEP * usual {
            return None;
        }
        let lasts = |r: &&Row| r.until - r.from;
        let short = |r: &&Row| (usual - r.bps).max(0.0) * lasts(r);
        let unsent: f64 = dip.iter().map(short).sum();
        let whole: f64 = all.iter().map(lasts).sum();
        let windows: Option<Vec<f64>> = dip.iter().map(|r| r.cwnd).collect();
        let narrow = windows.map(|w| w.into_iter().fold(f64::INFINITY, f64::min));
        Some(Dip {
            span: [dip[0].from, dip[dip.len() - 1].until],
            rate: [least, usual],
            cost: unsent / (usual * whole).max(f64::MIN_POSITIVE),
            still_s: dip.iter().filter(|r| r.bps <= 0.0).map(lasts).sum(),
            again: dip.iter().filter_map(|r| r.retransmits).sum(),
            window: rows[first - 1].cwnd.zip(narrow).map(<[f64; 2]>::from),
        })
        .filter(|dip| dip.cost >= COST_LEAST && !self.probes_within(dip.span))
    }
}

impl Dip {
    /// What the log shows of it; `segment` is the payload of one, bytes, of all connections side by side.
    fn why(&self, segment: f64) -> String {
        let again = self.again;
        let still = self.still_s;
        let cut = self.window.filter(|[before, least]| *least < CUT * *before);
        match cut {
            _ if still > 0.0 && again > 0.0 => format!(
                "nothing passed for {still:.1} s of it, and {again:.0} segments were sent again: a path that was down, or timeouts one after the other"
            ),
            _ if still > 0.0 => format!(
                "nothing passed for {still:.1} s of it, and nothing is counted as sent again: a path that was down, or a program that stopped"
            ),
            Some([_, least]) if again > 0.0 && least <= ANEW * segment => format!(
                "{again:.0} segments were sent again, and a timeout began the congestion window anew from {}",
                bytes(least)
            ),
            Some([before, least]) if again > 0.0 => format!(
                "{again:.0} segments were sent again, and the congestion window was cut from {} to {}; what lost them nobody saw",
                bytes(before),
                bytes(least)
            ),
            _ if again > 0.0 => format!(
                "{again:.0} segments were sent again in it: other traffic in the same queue, or a path that lost them; nobody saw which"
            ),
            _ => "nothing was sent again in it: other traffic took its share without a loss, or one of the ends paused".to_owned(),
        }
    }

    fn sentence(&self, segment: f64) -> String {
        let ([from, until], [least, usual]) = (self.span, self.rate);
        format!(
            "from {from:.0} to {until:.0} s the rate fell to {}, {:.0} % of the {} that is usual here, which cost {} of the whole: {}",
            bps(least),
            100.0 * least / usual,
            bps(usual),
            part(self.cost),
            self.why(segment)
        )
    }
}

/// A dip between intervals that are as fast as usual: no start is that, whatever else the verdict is.
pub(crate) fn by_dip(e: &Evidence, items: &mut Vec<Item>) {
    crate::windows::probe_rtt::by_probe_rtt(e, items);
    let Some(dip) = e.dip() else { return };
    items.push(Item {
        holds: 1.0,
        weights: vec![(Cause::Ramp, -20.0)],
        sentence: dip.sentence(e.mss * e.streams),
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seconds: Mbit/s, what was sent again, and the window in kilobytes.
    fn of(rows: &[(f64, f64, f64)]) -> Evidence {
        let row = |(mbit, again, kilo): &(f64, f64, f64)| (mbit * 1e6, *again, Some(kilo * 1e3));
        Evidence {
            counted: Row::intervals(1.0, rows.iter().map(row)),
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        }
    }

    /// Twelve seconds at what a gigabit leaves, with these from the seventh on.
    fn with(dip: &[(f64, f64, f64)]) -> Evidence {
        let mut rows = vec![(941.0, 0.0, 6000.0); 12];
        rows[6..6 + dip.len()].copy_from_slice(dip);
        of(&rows)
    }

    #[test]
    fn a_dip_has_its_seconds_its_cost_and_what_was_seen_of_it() {
        let says = |dip: &[(f64, f64, f64)]| {
            let e = with(dip);
            e.dip().map(|dip| dip.sentence(e.mss)).unwrap_or_default()
        };
        let other = says(&[(400.0, 0.0, 6000.0), (500.0, 0.0, 6000.0)]);
        assert!(
            other.starts_with("from 6 to 8 s the rate fell to 400"),
            "{other}"
        );
        assert!(other.contains("other traffic took its share"), "{other}");
        let cut = says(&[(300.0, 7.0, 2000.0)]);
        assert!(cut.contains("was cut from 6.0 MB to 2.0 MB"), "{cut}");
        let timeout = says(&[(100.0, 7.0, 10.0)]);
        assert!(timeout.contains("a timeout began"), "{timeout}");
        let down = says(&[(0.0, 0.0, 6000.0), (0.0, 9.0, 6000.0)]);
        assert!(
            down.contains("nothing passed for 2.0 s of it, and 9 segments"),
            "{down}"
        );
        // One that is shallow, at the end, or one of two, is none.
        assert_eq!(says(&[(900.0, 0.0, 6000.0)]), "");
        assert_eq!(says(&[(400.0, 0.0, 6000.0); 6]), "");
        let apart = [
            (400.0, 0.0, 6000.0),
            (941.0, 0.0, 6000.0),
            (400.0, 0.0, 6000.0),
        ];
        assert_eq!(says(&apart), "");
    }

    #[test]
    fn the_cost_is_of_the_whole() {
        // 541 of twelve times 941.
        let dip = with(&[(400.0, 0.0, 6000.0)]).dip().expect("it is deep");
        assert!((dip.cost - 541.0 / 941.0 / 12.0).abs() < 1e-9, "{dip:?}");
    }
}
