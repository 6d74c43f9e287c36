//! A path that swallows full segments without a word, and a sender that finds out (RFC 4821, as Linux has it).
//!
//! A rounds model, one RTT each. Full segments leave after the handshake; a tail loss probe and timeouts follow, each twice
//! as long as the last. When they have gone on for three seconds the sender falls to a small segment, repeats
//! what was lost, and searches upwards, one probe a round trip, by bisection.

use crate::bic;
use crate::cc::{Cc, Rules};
use crate::climb::Climb;
use crate::recovery::{CUBIC_ALPHA, CUBIC_BETA, CUBIC_C};

/// Linux's `tcp_base_mss`, in bytes.
const BASE: u64 = 1024;
/// Linux's `tcp_probe_threshold`, in bytes.
const THRESHOLD: u64 = 8;
/// How long retransmissions are not answered: 15 times the smallest timeout of 200 ms (`tcp_retries1` = 3).
const SILENCE_S: f64 = 3.0;
/// Handshake, a round trip of the first flight, and the quarter of one in which segments may come out of order.
const REPORTED: f64 = 2.25;
/// Segments a window must have before a probe is sent.
const LEAST_WINDOW: f64 = 11.0;
/// CUBIC's growth a round trip where it knows of no earlier window (Linux).
const BLIND: f64 = 1.05;
/// Rounds after which nothing is followed.
const ROUNDS_MAX: u32 = 1_000_000;

/// A connection over such a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlackHole {
    /// Round-trip time in seconds; above 0.
    pub rtt_s: f64,
    /// Floor of the timeout's variation term in seconds (Linux: 0.2).
    pub rto_min_s: f64,
    /// Payload of a full segment as the hosts agreed, in bytes.
    pub segment: u64,
    /// The largest payload that the path carries, in bytes.
    pub fits: u64,
    /// Bytes of payload in the first flight.
    pub first: f64,
    /// Initial window in segments.
    pub initial: f64,
    /// Bytes that the line takes in one RTT, or the window if that is less.
    pub pipe: f64,
    /// The algorithm.
    pub cc: Cc,
    /// As [`Climb::segments_per_ack`].
    pub segments_per_ack: f64,
    /// The search begins with the connection (`tcp_mtu_probing` = 2), without a silence first.
    pub always: bool,
    /// A SACK of one segment behind others shows that those are lost (RACK, RFC 8985).
    pub rack: bool,
}

/// How such a connection gets across.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// The first segment that fits arrives, in seconds after the SYN.
    pub first_s: f64,
    /// The largest segment found, in bytes of payload.
    pub segment: u64,
    /// The window fills the line, in seconds after the SYN.
    pub full_s: f64,
    /// Bytes delivered until then.
    pub bytes: f64,
}

impl BlackHole {
    /// Whether what is left of the first flight behind full segments is a segment that passes.
    fn has_a_rest(&self) -> bool {
        let rest = libm::fmod(self.first, self.segment as f64);
        rest >= 1.0 && rest <= self.fits as f64
    }

    /// Seconds from the SYN until the path is taken for a black hole: handshake, probe after two round trips,
    /// then timeouts until the first that comes three seconds or more after the first retransmission. That is the first timeout's; or
    /// what a segment that passes behind those that vanish brings about, a round trip and a quarter after they left (RFC 8985 §6.2).
    pub fn silence_s(&self) -> f64 {
        // One sample: RTTVAR is half of it (RFC 6298 §2.2).
        let timeout = self.rtt_s + libm::fmax(2.0 * self.rtt_s, self.rto_min_s);
        let probe = libm::fmin(2.0 * self.rtt_s, timeout);
        let (first, mut wait) = match self.rack && self.has_a_rest() {
            true => (REPORTED * self.rtt_s, timeout),
            false => (self.rtt_s + probe + timeout, 2.0 * timeout),
        };
        let mut silent = wait;
        while silent < SILENCE_S {
            wait *= 2.0;
            silent += wait;
        }
        first + silent
    }

    /// The sizes that a search probes, and whether each fits.
    fn probes(&self) -> Vec<(u64, bool)> {
        let (mut low, mut high) = (BASE.min(self.segment), self.segment);
        let mut probes = Vec::new();
        while high.saturating_sub(low) >= THRESHOLD {
            let size = u64::midpoint(low, high);
            let fits = size <= self.fits;
            probes.push((size, fits));
            if fits {
                low = size;
            } else {
                high = size - 1;
            }
        }
        probes
    }

    /// How the connection gets across; `None` where even the small segment does not fit, or the algorithm's growth is
    /// not known.
    pub fn cross(&self) -> Option<Crossing> {
        self.follow(f64::INFINITY).map(|(crossing, _)| crossing)
    }

    /// When so many bytes, above 0, have arrived, in seconds after the SYN; `None` where [`Self::cross`] is, and where the window fills
    /// the line before.
    pub fn arrived_s(&self, bytes: f64) -> Option<f64> {
        self.follow(bytes).and_then(|(_, arrived_s)| arrived_s)
    }

    /// How it gets across, and when `enough` bytes have arrived, if that is before the window fills the line.
    fn follow(&self, enough: f64) -> Option<(Crossing, Option<f64>)> {
        let base = BASE.min(self.segment);
        Climb {
            cc: self.cc,
            top: self.initial,
            rtt_s: self.rtt_s,
            segments_per_ack: self.segments_per_ack,
            htcp: crate::htcp::Growth::PAPER,
            rules: Rules::Document,
        }
        .start()
        .filter(|_| base <= self.fits)?;
        let mut probes = self.probes().into_iter().peekable();
        let (window, ssthresh) = match self.always {
            true => (self.initial, f64::INFINITY),
            false => (1.0, libm::fmax((self.initial * CUBIC_BETA).floor(), 2.0)),
        };
        let mut state = State {
            size: base as f64,
            window,
            ssthresh,
            began: 0.0,
            round: 0,
        };
        let begins = match self.always {
            true => self.rtt_s,
            false => self.silence_s(),
        };
        let mut delivery = Delivery {
            now: begins,
            bytes: 0.0,
            enough,
            arrived_s: None,
        };
        for _ in 0..ROUNDS_MAX {
            if probes.peek().is_none() && state.window * state.size >= self.pipe {
                break;
            }
            delivery.round(self, state.window * state.size);
            let repaired = self.always || delivery.bytes >= self.first;
            let may_probe = repaired && state.window >= LEAST_WINDOW;
            match probes.next_if(|_| may_probe) {
                Some((size, true)) => state.enlarge(size),
                // A round trip more, in which the probe is repeated.
                Some((_, false)) => {
                    delivery.round(self, state.window * state.size);
                    state.begin();
                }
                None => state.grow(self),
            }
        }
        let crossing = Crossing {
            first_s: begins + self.rtt_s / 2.0,
            segment: state.size as u64,
            full_s: delivery.now,
            bytes: delivery.bytes,
        };
        Some((crossing, delivery.arrived_s))
    }
}

/// What has been acknowledged, round by round.
struct Delivery {
    /// Seconds after the SYN.
    now: f64,
    bytes: f64,
    /// Bytes whose arrival is asked for, and when they have arrived.
    enough: f64,
    arrived_s: Option<f64>,
}

impl Delivery {
    /// A round at whose start a window of so many bytes leaves, as far as the line takes it. What is asked for arrives half a round trip and
    /// the time of what is in front of it later, before the round ends.
    fn round(&mut self, of: &BlackHole, window: f64) {
        let sent = libm::fmin(window, of.pipe);
        if self.arrived_s.is_none() && self.enough <= self.bytes + sent {
            let way_s = of.rtt_s * (0.5 + (self.enough - self.bytes) / of.pipe);
            self.arrived_s = Some(self.now + libm::fmin(way_s, of.rtt_s));
        }
        self.now += of.rtt_s;
        self.bytes += sent;
    }
}

struct State {
    /// Bytes of payload of a segment.
    size: f64,
    /// In segments.
    window: f64,
    ssthresh: f64,
    /// The window when its growth began, and rounds since.
    began: f64,
    round: u32,
}

impl State {
    /// The window keeps its bytes, in whole segments.
    fn enlarge(&mut self, size: u64) {
        let size = size as f64;
        self.window = libm::fmax((self.window * self.size / size).floor(), 1.0);
        self.size = size;
        self.grow_by_one();
    }

    fn grow_by_one(&mut self) {
        if self.window < self.ssthresh {
            self.window = libm::fmin(2.0 * self.window, self.ssthresh);
        }
    }

    /// Growth begins anew, and remembers no earlier window.
    fn begin(&mut self) {
        (self.began, self.round) = (self.window, 0);
    }

    fn grow(&mut self, of: &BlackHole) {
        if self.window < self.ssthresh {
            self.grow_by_one();
            self.begin();
            return;
        }
        self.round += 1;
        let since = f64::from(self.round) * of.rtt_s;
        let climb = Climb {
            cc: of.cc,
            top: self.began,
            rtt_s: of.rtt_s,
            segments_per_ack: of.segments_per_ack,
            htcp: crate::htcp::Growth::PAPER,
            rules: Rules::Document,
        };
        self.window = match of.cc {
            Cc::Cubic => {
                let own = self.began + CUBIC_C * since * since * since;
                let friendly = self.began + CUBIC_ALPHA * since / of.rtt_s;
                libm::fmax(own, libm::fmax(friendly, BLIND * self.window))
            }
            Cc::Bic => self.window + bic::blind(self.window, of.segments_per_ack),
            _ => climb.next(self.window, self.round - 1),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hosts of 9000, a trunk of 4470, 50 Mbit/s and 100 ms.
    const HOLE: BlackHole = BlackHole {
        rtt_s: 0.1014,
        rto_min_s: 0.2,
        segment: 8948,
        fits: 4418,
        first: 62_636.0,
        initial: 10.0,
        pipe: 617_500.0,
        cc: Cc::Cubic,
        segments_per_ack: 1.0,
        always: false,
        rack: true,
    };

    /// Linux 6.18: timeouts at 0.63, 1.28, 2.52 and 5.11 s. Its timer wheel runs out up to an eighth late, never early.
    #[test]
    fn rfc4821_the_hole_is_found_with_the_fourth_timeout() {
        assert!((4.8..5.11).contains(&HOLE.silence_s()));
        let short = BlackHole {
            rtt_s: 0.01,
            ..HOLE
        };
        // 210 ms: 2 + 4 + 8 of them are 2.94 s, and one more is needed.
        assert!((short.silence_s() - 31.0 * 0.21).abs() < 0.05);
        // The simulated sender fills the first window of 65 535 bytes. Its last 2899 pass, and the first retransmission comes
        // before a timeout: 1 + 2 + 4 + 8 of them are enough.
        let rest = BlackHole {
            first: 65_535.0,
            ..short
        };
        assert!((rest.silence_s() - 15.0 * 0.21).abs() < 0.05);
        let alone = BlackHole {
            rack: false,
            ..rest
        };
        assert_eq!(alone.silence_s(), short.silence_s());
    }

    /// The sizes found by Linux 6.18, and 50.8 MB in the 19 s after the SYN.
    #[test]
    fn the_search_ends_below_what_fits() {
        let crossing = HOLE.cross().expect("it gets across");
        assert_eq!(crossing.segment, 4417);
        let rate = HOLE.pipe / HOLE.rtt_s;
        let begins = crossing.full_s - crossing.bytes / rate;
        assert!((begins - 10.8).abs() < 1.0, "{crossing:?}");
        let always = BlackHole {
            always: true,
            ..HOLE
        };
        let at_once = always.cross().expect("it gets across");
        assert!(at_once.first_s < 0.2 && at_once.full_s < 3.0, "{at_once:?}");
        let small = BlackHole { fits: 1000, ..HOLE };
        assert_eq!(small.cross(), None);
    }

    /// Windows of 1, 2, 4 and 7 segments of 1024 bytes follow the silence: the fourth round has the last of 10 000 bytes.
    #[test]
    fn what_is_small_arrives_before_the_window_fills_the_line() {
        let arrived_s = |bytes| HOLE.arrived_s(bytes);
        let small = arrived_s(10_000.0).expect("it gets across") - HOLE.silence_s();
        let rounds = small / HOLE.rtt_s;
        assert!((3.5..4.0).contains(&rounds), "{rounds}");
        let crossing = HOLE.cross().expect("it gets across");
        let all = arrived_s(crossing.bytes).expect("that is all");
        assert!(all > small && all <= crossing.full_s, "{all} {crossing:?}");
        assert_eq!(arrived_s(crossing.bytes * 1.01), None);
    }

    /// BIC crept by a segment in five round trips from the window at which its growth began, as if that were an old one.
    #[test]
    fn bic_that_knows_of_no_loss_fills_the_line_soon() {
        let of = |cc, segments_per_ack| {
            let hole = BlackHole {
                cc,
                segments_per_ack,
                ..HOLE
            };
            hole.cross().expect("it gets across").full_s
        };
        let [once, twice] = [1.0, 2.0].map(|each| of(Cc::Bic, each));
        assert!(twice <= once, "{twice} {once}");
        assert!(once < of(Cc::Reno, 1.0), "{once}");
    }
}
