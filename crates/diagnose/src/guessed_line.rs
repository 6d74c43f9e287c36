//! A line that is guessed by the rate, and a window or buffer that hosts come with: where the round trip is such that both leave the same
//! rate, it does not tell them apart.

use crate::cause::Cause;
use crate::ceiling::bps;
use crate::document::MissingFact;
use crate::evidence::Evidence;
use crate::infer::{Ranking, fills_exactly, is_beside_line, usual_line};
use crate::known::System;
use crate::missing::line_command;
use crate::verdict::NARROW;

/// Windows and buffers that programs and hosts have again and again, bytes: the most without window scaling (RFC 7323 §2), one byte less than
/// what Windows has; 131072 of macOS; 212992, `net.core.rmem_default` and `wmem_default` of Linux; 262144 of AIX.
const USUAL: [f64; 4] = [65_535.0, 131_072.0, 212_992.0, 262_144.0];

/// A window shows as so much less in flight than it has, by segments that are not whole, or so much more, by rounding.
const LESS: f64 = 1.06;
const MORE: f64 = 1.02;

/// A line is full whose queue adds more than this part of the least round trip.
const QUEUED: f64 = 0.1;

/// In slow start a window grows up to twice what is in flight, and later to what is (Linux, `tcp_is_cwnd_limited`); a part of the former is
/// left for rounding.
const USED: f64 = 0.4;

/// The most that is said of a line that is guessed, where such a window fits as well: it is not a verdict.
const GUESSED: f64 = 0.39;

impl Evidence {
    /// The usual line that the rate fills, bit/s, and the usual window or buffer that fits it as well, bytes; none where something speaks for
    /// one of the two alone.
    fn fits_both(&self) -> Option<(f64, f64)> {
        let line = usual_line(self)?;
        let lossless = self.retransmits.as_ref().is_none_or(|r| r.value <= 1.0);
        let added = self.queueing().zip(self.rtt_floor.as_ref());
        let queued = added.is_some_and(|(added, floor)| added > QUEUED * floor.value);
        let queued = queued || self.outgrown().is_some();
        let open = lossless && !queued && !self.udp;
        let flight = self.settled_flight().filter(|_| open)?;
        let narrow = flight.high < NARROW * flight.low;
        // A rate that is the line's to a hundredth leaves no room for a window that is not as near.
        let exact = fills_exactly(self);
        let once = self.once_in_flight();
        let near = |bytes: f64| !exact || is_beside_line(flight.value, bytes) && bytes >= once;
        let fits =
            |bytes: &f64| flight.low < MORE * bytes && *bytes < LESS * flight.high && near(*bytes);
        let usual = USUAL.into_iter().filter(|_| narrow).find(fits)?;
        (!self.open_rooms().is_empty()).then_some((line, usual))
    }

    /// Bytes that were in flight at some time at least, by the largest congestion window of a kernel that lets only such a window grow as is
    /// used up: no window or buffer of the hosts is smaller. 0 where nothing says it.
    pub(crate) fn once_in_flight(&self) -> f64 {
        let linux = self.systems[0].is_none_or(|system| system == System::Linux);
        if !linux || self.is_bbr() || self.streams > 1.0 {
            return 0.0;
        }
        let each = self.counted.iter().filter_map(|r| r.cwnd);
        let all = each.chain(self.cwnd.iter().map(|c| c.value));
        USED * all.fold(0.0, libm::fmax)
    }

    /// What holds a flow by a window or a buffer of which no text says how large it is.
    pub(crate) fn open_rooms(&self) -> Vec<Cause> {
        let window = self.windows.is_empty() && self.rwnd_share.is_none();
        let buffer = self.buffers.is_empty() && self.sndbuf_share.is_none();
        let rooms = [(Cause::ReceiveWindow, window), (Cause::SendBuffer, buffer)];
        let open = rooms.into_iter().filter(|(_, open)| *open);
        open.map(|(cause, _)| cause).collect()
    }

    /// How fast the line is, where it is guessed, and a window fits as well.
    pub(crate) fn asks_guessed_line(&self, likely: &[Cause]) -> Option<MissingFact> {
        let (line, bytes) = self.fits_both().filter(|_| likely.contains(&Cause::Link))?;
        Some(MissingFact {
            fact: "line_bps",
            would_decide: format!(
                "whether a line of {} is full, or a window or buffer of {bytes:.0} bytes: both leave this rate",
                bps(line)
            ),
            command: line_command(self),
        })
    }

    /// The most that is said of a line: little where it is guessed, and a window fits as well.
    pub(crate) fn at_most_of_guess(&self) -> f64 {
        match self.fits_both() {
            Some(_) => GUESSED,
            None => 1.0,
        }
    }
}

/// Shares the lead of a line that is guessed with the window and the buffer that nobody knows, where one as large as hosts come with leaves
/// the same rate. Says so where it does.
pub(crate) fn even_out(e: &Evidence, ranking: &mut [Ranking]) -> Option<(Vec<Cause>, String)> {
    let leads = ranking.first().is_some_and(|r| r.cause == Cause::Link);
    let (line, bytes) = e.fits_both().filter(|_| leads)?;
    let mut alike = vec![Cause::Link];
    alike.extend(e.open_rooms());
    let is_alike = |r: &&Ranking| alike.contains(&r.cause);
    let all: f64 = ranking.iter().filter(is_alike).map(|r| r.confidence).sum();
    let each = all / alike.len() as f64;
    let others = ranking.iter().filter(|r| !is_alike(r));
    if others.map(|r| r.confidence).fold(0.0, f64::max) > each {
        return None;
    }
    for r in ranking.iter_mut().filter(|r| alike.contains(&r.cause)) {
        r.confidence = each;
    }
    ranking.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    let flight = e.settled_flight().map_or(bytes, |f| f.value);
    let text = format!(
        "the rate is what a line of {} leaves, and it puts {flight:.0} bytes in flight in a round trip, as a window or buffer of {bytes:.0} bytes does, which hosts come with: how fast the line is (--line), and how large both are, tell them apart",
        bps(line)
    );
    Some((alike, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::{Figure, Place};

    /// So many bit/s over so many seconds, and nothing besides.
    fn evidence(rate: f64, rtt: f64) -> Evidence {
        Evidence {
            rate: Some(Figure::exact(rate, Place::You)),
            rtt: Some(Figure::exact(rtt, Place::You)),
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        }
    }

    #[test]
    fn a_usual_window_beside_a_usual_line_is_named() {
        // 209 818 and 131 090 bytes in flight.
        assert_eq!(evidence(9.43e6, 0.178).fits_both(), Some((10e6, 212_992.0)));
        assert_eq!(
            evidence(94.14e6, 0.01114).fits_both(),
            Some((100e6, 131_072.0))
        );
        // 160 000 and 94 300 bytes fit none; 10.5 Mbit/s fill no usual line.
        assert_eq!(evidence(9.43e6, 0.1357).fits_both(), None);
        assert_eq!(evidence(9.43e6, 0.08).fits_both(), None);
        assert_eq!(evidence(10.5e6, 0.16).fits_both(), None);
        let lossy = Evidence {
            retransmits: Some(Figure::exact(40.0, Place::You)),
            ..evidence(9.43e6, 0.178)
        };
        assert_eq!(lossy.fits_both(), None);
    }

    /// 941 Mbit/s over 0.552 ms are 64.9 kB, near a window of 64 kB: a congestion window of 1.19 MB was never filled through one.
    #[test]
    fn a_window_that_once_grew_beyond_a_usual_one_leaves_the_line() {
        let with = |cwnd: Option<f64>| Evidence {
            cwnd: cwnd.map(|bytes| Figure::exact(bytes, Place::You)),
            ..evidence(941e6, 0.552e-3)
        };
        assert_eq!(with(None).fits_both(), Some((1e9, 65_535.0)));
        assert_eq!(with(Some(120e3)).fits_both(), Some((1e9, 65_535.0)));
        assert_eq!(with(Some(1.25e6)).fits_both(), None);
    }

    #[test]
    fn the_three_that_fit_have_one_share() {
        let ranking = |confidences: [f64; 4]| {
            let causes = [
                Cause::Link,
                Cause::ReceiveWindow,
                Cause::SendBuffer,
                Cause::Shaper,
            ];
            let both = causes.into_iter().zip(confidences);
            let all = both.map(|(cause, confidence)| Ranking { cause, confidence });
            all.collect::<Vec<_>>()
        };
        let e = evidence(9.43e6, 0.178);
        let mut open = ranking([0.5, 0.25, 0.125, 0.125]);
        let (causes, text) = even_out(&e, &mut open).expect("they are shared");
        assert_eq!(causes.len(), 3);
        assert!(text.contains("212992 bytes"), "{text}");
        for r in &open[..3] {
            assert!((r.confidence - 0.875 / 3.0).abs() < 1e-9, "{r:?}");
        }
        // Another cause would be ahead of each of them.
        let mut other = ranking([0.45, 0.05, 0.05, 0.4]);
        assert!(even_out(&e, &mut other).is_none());
    }
}
