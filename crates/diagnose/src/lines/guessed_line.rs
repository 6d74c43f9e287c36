//! A line that is guessed by the rate, and a window or buffer that hosts come with: where the round trip is such that both leave the same
//! rate, it does not tell them apart.

use crate::cause::Cause;
use crate::ceiling::bps;
use crate::document::MissingFact;
use crate::evidence::Evidence;
use crate::infer::{Ranking, fills_exactly, is_beside_line, usual_line};
use crate::known::System;
use crate::losses::lookalike::{even_part, give_each, most_of_others};
use crate::missing::line_command;
use crate::verdict::NARROW;

/// Windows and buffers that programs and hosts have again and again, bytes: the most without window scaling (RFC 7323 §2), one byte less than
/// what Windows has; 131072 of macOS; 212992, `net.core.rmem_default` and `wmem_default` of Linux; 262144 of AIX.
const USUAL: [f64; 4] = [65_535.0, 131_072.0, 212_992.0, 262_144.0];

/// Windows that Linux grows to, bytes: half (`net.ipv4.tcp_adv_win_scale` of 1) of 6 MiB, the most of `net.ipv4.tcp_rmem` by default, and of
/// what is set again and again (Documentation/networking/ip-sysctl.rst).
const GROWN: [f64; 6] = [
    3.0 * MIB,
    4.0 * MIB,
    8.0 * MIB,
    16.0 * MIB,
    32.0 * MIB,
    64.0 * MIB,
];

const MIB: f64 = 1_048_576.0;

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

/// The most that is said of a line by its rate alone, which nobody named, and of one that is slower than what the hosts have. Choices.
const BY_RATE: f64 = 0.7;
const BELOW_PORTS: f64 = 0.6;

impl Evidence {
    /// The usual line that the rate fills, bit/s, where nobody named one, or one that is faster.
    fn guessed_line(&self) -> Option<f64> {
        let alone = self.around.group.is_none();
        usual_line(self).or_else(|| self.lower_port().filter(|_| alone))
    }

    /// Whether nothing but the rate speaks for a full line: no losses, and no queue.
    fn shows_no_queue(&self) -> bool {
        let lossless = self.retransmits.as_ref().is_none_or(|r| r.value <= 1.0);
        let added = self.queueing().zip(self.rtt_floor.as_ref());
        let queued = added.is_some_and(|(added, floor)| added > QUEUED * floor.value);
        lossless && !queued && self.outgrown().is_none() && !self.udp
    }

    /// The receiver's window, bytes, whose settings leave at their least what the rate puts in flight.
    fn known_window(&self, flight: f64) -> Option<f64> {
        let least = self.windows.iter().map(|room| room.bytes.low);
        let mut near = least.filter(|bytes| is_beside_line(flight, *bytes));
        near.next().filter(|_| self.rwnd_share.is_none())
    }

    /// What leaves the same rate as a line that is guessed.
    fn rooms_beside(&self) -> Vec<Cause> {
        let flight = self.settled_flight().map_or(0.0, |f| f.value);
        match self.known_window(flight) {
            Some(_) => vec![Cause::ReceiveWindow],
            None => self.open_rooms(),
        }
    }

    /// The usual line that the rate fills, bit/s, and the usual window or buffer that fits it as well, bytes; none where something speaks for
    /// one of the two alone.
    fn fits_both(&self) -> Option<(f64, f64)> {
        let line = self.guessed_line()?;
        let flight = self.settled_flight().filter(|_| self.shows_no_queue())?;
        let narrow = flight.high < NARROW * flight.low;
        // A rate that is the line's to a hundredth leaves no room for a window that is not as near.
        let exact = fills_exactly(self);
        let once = self.once_in_flight();
        let near = |bytes: f64| !exact || is_beside_line(flight.value, bytes) && bytes >= once;
        let fits =
            |bytes: &f64| flight.low < MORE * bytes && *bytes < LESS * flight.high && near(*bytes);
        let grown = |bytes: &f64| is_beside_line(flight.value, *bytes) && *bytes >= once;
        let usual = USUAL.into_iter().find(fits);
        let usual = usual.or_else(|| GROWN.into_iter().find(grown));
        let fits = self.known_window(flight.value).or(usual);
        let open = narrow && !self.rooms_beside().is_empty();
        Some((line, fits.filter(|_| open)?))
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

    /// How fast the line is, where it is guessed, and a window fits as well, or the hosts have faster ports.
    pub(crate) fn asks_guessed_line(&self, likely: &[Cause]) -> Option<MissingFact> {
        let line = self
            .guessed_line()
            .filter(|_| likely.contains(&Cause::Link))?;
        let below = self.line.is_some();
        let would_decide = match self.fits_both() {
            Some((_, bytes)) => format!(
                "whether a line of {} is full, or a window or buffer of {bytes:.0} bytes: both leave this rate",
                bps(line)
            ),
            None if below && self.shows_no_queue() => format!(
                "whether the path has a line of {}, which the rate alone shows, and which is then full",
                bps(line)
            ),
            None => return None,
        };
        let command = match below {
            true => "what the contract of each access allows, and the speed of each link on the way (ethtool INTERFACE, show interfaces); then farpath diagnose --line RATE ... with the slowest of them".to_owned(),
            false => line_command(self),
        };
        Some(MissingFact {
            fact: "line_bps",
            would_decide,
            command,
        })
    }

    /// The most that is said of a line: less where its rate alone shows it, and little where a window fits as well.
    pub(crate) fn at_most_of_guess(&self) -> f64 {
        let guessed = self.guessed_line().is_some() && self.shows_no_queue();
        match (self.fits_both(), guessed) {
            (Some(_), _) => GUESSED,
            (None, true) if self.line.is_some() => BELOW_PORTS,
            (None, true) => BY_RATE,
            (None, false) => self.at_most_of_service(),
        }
    }
}

/// Shares the lead of a line that is guessed with the window and the buffer that nobody knows, where one as large as hosts come with leaves
/// the same rate. Says so where it does.
pub(crate) fn even_out(e: &Evidence, ranking: &mut [Ranking]) -> Option<(Vec<Cause>, String)> {
    let leads = ranking.first().is_some_and(|r| r.cause == Cause::Link);
    let (line, bytes) = e.fits_both().filter(|_| leads)?;
    let mut alike = vec![Cause::Link];
    alike.extend(e.rooms_beside());
    let each = even_part(ranking, &alike);
    if most_of_others(ranking, &alike) > each {
        return None;
    }
    give_each(ranking, &alike, each);
    let flight = e.settled_flight().map_or(bytes, |f| f.value);
    let room = match e.known_window(flight) {
        Some(_) => "which the receiver's settings leave at least",
        None => "which hosts come with",
    };
    let text = format!(
        "the rate is what a line of {} leaves, and it puts {flight:.0} bytes in flight in a round trip, as a window or buffer of {bytes:.0} bytes does, {room}: how fast the line is (--line), and what the sender waits for (ss -ti), tell them apart",
        bps(line)
    );
    Some((alike, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::{Figure, Place};
    use crate::windows::room::Room;

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

    /// 8 MiB over 72.02 ms, and 3 MiB over 267.43 ms, on hosts with 10 Gbit/s: what lines of 1 Gbit/s and 100 Mbit/s leave, too.
    #[test]
    fn a_window_that_linux_grows_to_shares_with_a_line_below_the_ports() {
        let beside = |rate: f64, rtt: f64| Evidence {
            line: Some((Figure::exact(10e9, Place::You), "the interface")),
            steady: vec![rate; 8],
            peak: rate,
            interval_s: 1.0,
            ..evidence(rate, rtt)
        };
        let window = beside(932e6, 0.07202);
        assert_eq!(window.fits_both(), Some((1e9, 8.0 * MIB)));
        assert_eq!(window.at_most_of_guess(), GUESSED);
        let default = beside(94.1e6, 0.26743);
        assert_eq!(default.fits_both(), Some((100e6, 3.0 * MIB)));
        assert!(default.asks_guessed_line(&[Cause::Link]).is_some());
        // 5.9 MB are near none of them: a guess all the same, and asked for.
        let alone = beside(941e6, 0.05);
        assert_eq!(alone.fits_both(), None);
        assert_eq!(alone.at_most_of_guess(), BELOW_PORTS);
        assert!(alone.asks_guessed_line(&[Cause::Link]).is_some());
        assert_eq!(evidence(941e6, 0.05).at_most_of_guess(), BY_RATE);
        // Who named the line knows it.
        let named = Evidence {
            line: Some((Figure::exact(1e9, Place::You), "the line")),
            ..beside(932e6, 0.07202)
        };
        assert_eq!(named.at_most_of_guess(), 1.0);
    }

    /// The receiver's settings are known, and leave just this rate.
    #[test]
    fn a_known_window_of_the_same_rate_shares_with_the_line() {
        let bytes = Figure::between(4.2e6, 3.0 * MIB, 4.5 * MIB, Place::You);
        let known = Evidence {
            windows: vec![Room {
                bytes,
                memory: None,
                what: "net.ipv4.tcp_rmem".to_owned(),
                asked: false,
            }],
            ..evidence(941e6, 0.02674)
        };
        assert_eq!(known.fits_both(), Some((1e9, 3.0 * MIB)));
        assert_eq!(known.rooms_beside(), [Cause::ReceiveWindow]);
        // One that leaves far more does not.
        let mut larger = known;
        larger.windows[0].bytes = larger.windows[0].bytes.times(4.0);
        assert_eq!(larger.known_window(941e6 * 0.02674 / 8.0), None);
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
