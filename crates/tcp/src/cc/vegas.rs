//! Vegas (Brakmo and Peterson, "TCP Vegas: end to end congestion avoidance on a global Internet",
//! JSAC 13(8), 1995): keep a few segments of one's own in the queue, seen by the round trip.

use farpath_units::Duration;

use super::whole::Whole;
use super::{Ack, Control, Loss, Seen, Setup, Steer, Watch};
use crate::flavour::Flavour;

/// Fewer segments of its own than this in the queue: grow (§3.2).
const ALPHA: f64 = 2.0;
/// More than this: shrink.
const BETA: f64 = 4.0;
/// More than this in slow start: leave it (§3.3).
const GAMMA: f64 = 1.0;
/// A round with fewer samples says nothing about the queue, so it is Reno's.
const LEAST_SAMPLES: u32 = 3;

/// Vegas: everything happens once a round trip.
#[derive(Clone, Debug)]
pub(crate) struct Vegas {
    flavour: Flavour,
    /// The smallest round trip ever: the empty path's.
    base: Duration,
    /// The smallest of this round.
    round_min: Duration,
    samples: u32,
    /// The round ends when this byte is acknowledged.
    round_end: u64,
    /// Whether this round's slow start grows.
    grows: bool,
    watching: bool,
    /// Reno's count in Linux, of rounds with few samples.
    whole: Whole,
}

impl Vegas {
    fn begin(&mut self, seen: &Seen) {
        self.round_end = seen.nxt;
        self.round_min = Duration::MAX;
        self.samples = 0;
        self.grows = self.flavour == Flavour::Linux || !self.grows;
    }

    /// Segments of its own in the queue, and the window without them, in segments: by the document W(RTT − base)/RTT, by
    /// `tcp_vegas_cong_avoid` W(RTT − base)/base in whole numbers, which is more by as much as the round trip is longer.
    fn queued(&self, w: f64) -> (f64, f64) {
        if self.flavour == Flavour::Linux {
            // The kernel adds a microsecond to each sample, so that none is 0.
            let micros = |d: Duration| (d.as_ps() / 1_000_000 + 1) as f64;
            let (rtt, base) = (micros(self.round_min), micros(self.base));
            let w = w.floor();
            return ((w * (rtt - base) / base).floor(), (w * base / rtt).floor());
        }
        let rtt = self.round_min.as_secs_f64().max(1e-12);
        let queued = w * (rtt - self.base.as_secs_f64()) / rtt;
        (queued, (w - queued).floor())
    }

    /// Reno's growth in a round with few samples: a segment by the document. Linux hands the one acknowledgement that ends
    /// the round, of `acked` segments, to `tcp_reno_cong_avoid`.
    fn as_reno(&mut self, w: f64, acked: f64) -> f64 {
        match self.flavour {
            Flavour::Rfc => 1.0,
            Flavour::Linux => self.whole.add(acked, w.floor()),
        }
    }

    /// The end of a round, in units of segments: what it says about cwnd and ssthresh. The acknowledgement that ends it is
    /// of `acked`.
    fn judge(&mut self, w: f64, ssthresh: f64, acked: f64) -> (Option<f64>, Option<f64>) {
        let slow_start = w < ssthresh;
        if self.samples < LEAST_SAMPLES {
            let more = if slow_start {
                0.0
            } else {
                self.as_reno(w, acked)
            };
            return ((more > 0.0).then_some(w + more), None);
        }
        let (queued, path) = self.queued(w);
        if slow_start {
            if queued <= GAMMA {
                return (None, None);
            }
            let w = w.min(path + 1.0).max(2.0);
            return (Some(w), Some(ssthresh.min(w - 1.0)));
        }
        if queued > BETA {
            let w = (w - 1.0).max(2.0);
            (Some(w), Some(ssthresh.min(w - 1.0)))
        } else if queued < ALPHA {
            (Some(w + 1.0), None)
        } else {
            (None, None)
        }
    }
}

impl Control for Vegas {
    fn new(setup: &Setup) -> Vegas {
        Vegas {
            flavour: setup.flavour,
            base: Duration::MAX,
            round_min: Duration::MAX,
            samples: 0,
            round_end: 0,
            grows: true,
            watching: false,
            whole: Whole::default(),
        }
    }

    /// Nothing: see `watch`.
    fn increase(&mut self, _ack: &Ack) -> f64 {
        0.0
    }

    /// A loss is Reno's.
    fn reduce(&mut self, loss: &Loss) -> f64 {
        self.whole.clear();
        loss.window * 0.5
    }

    fn watches(&self) -> Watch {
        Watch::Acks
    }

    fn watch(&mut self, seen: &Seen) -> Steer {
        if !seen.open {
            self.watching = false;
            return Steer::default();
        }
        if let Some(rtt) = seen.rtt {
            self.base = self.base.min(rtt);
            self.round_min = self.round_min.min(rtt);
            self.samples += 1;
        }
        if !self.watching {
            self.watching = true;
            self.begin(seen);
            return Steer::default();
        }
        if seen.una < self.round_end {
            return Steer::default();
        }
        let w = seen.cwnd / seen.segment;
        let acked = seen.delivered as f64 / seen.segment;
        let (cwnd, ssthresh) = self.judge(w, seen.ssthresh / seen.segment, acked);
        self.begin(seen);
        Steer {
            cwnd: cwnd
                .filter(|c| *c < w || seen.cwnd_limited)
                .map(|c| c * seen.segment),
            ssthresh: ssthresh.map(|s| s.max(2.0) * seen.segment),
            ..Steer::default()
        }
    }

    /// The paper's slow start grows every other round trip, so that it can measure in between
    /// (§3.3); Linux's grows in every one.
    fn may_double(&self) -> bool {
        self.grows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::tests::{seen, setup};
    use farpath_units::Time;

    /// Ten samples of a round at `w` whose shortest round trip is `rtt_us`, on a path of 100 ms.
    fn round(flavour: Flavour, w: f64, ssthresh: f64, rtt_us: u64) -> Steer {
        round_of(flavour, (w, ssthresh), (100_000, rtt_us))
    }

    /// The same of a window and a threshold, and of a path's round trip and the shortest in microseconds.
    fn round_of(
        flavour: Flavour,
        (w, ssthresh): (f64, f64),
        (path_us, rtt_us): (u64, u64),
    ) -> Steer {
        let mut vegas = Vegas::new(&setup(flavour));
        let path = Duration::from_us(path_us);
        vegas.watch(&seen(Time::ZERO, path, 0, w, ssthresh));
        let end = vegas.round_end;
        let mut steer = Steer::default();
        for n in 0..10 {
            let una = if n == 9 { end } else { n.min(end - 1) };
            let rtt = Duration::from_us(rtt_us);
            steer = vegas.watch(&seen(Time::ZERO, rtt, una, w, ssthresh));
        }
        steer
    }

    /// queued = w(RTT − base)/RTT: with w = 100 and 100 ms, 1 segment at 101.0101 ms, 2 at 102.04,
    /// 3 at 103.09, 4 at 104.17, 5 at 105.26.
    #[test]
    fn it_keeps_two_to_four_segments_in_the_queue() {
        for (rtt_us, cwnd) in [
            (100_000, Some(101.0)),
            (101_500, Some(101.0)),
            (103_100, None),
            (104_000, None),
            (105_300, Some(99.0)),
            (200_000, Some(99.0)),
        ] {
            let steer = round(Flavour::Rfc, 100.0, 50.0, rtt_us);
            assert_eq!(steer.cwnd, cwnd, "{rtt_us} µs");
        }
    }

    /// Linux's diff is W(RTT − base)/base, whole: with w = 7 and 4.96 ms it is 5 at 8.61 ms, where the document has 3.
    #[test]
    fn linux_measures_the_queue_against_the_empty_path() {
        for (flavour, cwnd) in [(Flavour::Linux, Some(6.0)), (Flavour::Rfc, None)] {
            let steer = round_of(flavour, (7.0, 4.0), (4960, 8610));
            assert_eq!(steer.cwnd, cwnd, "{flavour:?}");
        }
        // A queue that is short beside the path is the same to both.
        for (rtt_us, cwnd) in [
            (101_500, Some(101.0)),
            (103_500, None),
            (106_000, Some(99.0)),
        ] {
            for flavour in [Flavour::Linux, Flavour::Rfc] {
                let steer = round(flavour, 100.0, 50.0, rtt_us);
                assert_eq!(steer.cwnd, cwnd, "{flavour:?} {rtt_us} µs");
            }
        }
        // Whole numbers: 4.9 segments are four, and stay.
        assert_eq!(round(Flavour::Linux, 100.0, 50.0, 104_900).cwnd, None);
        assert_eq!(round(Flavour::Linux, 100.0, 50.0, 105_100).cwnd, Some(99.0));
    }

    /// Ten acknowledgements of one segment each; the tenth segment makes one more of ten.
    #[test]
    fn rounds_with_few_samples_count_one_acknowledgement_each_in_linux() {
        let mut vegas = Vegas::new(&setup(Flavour::Linux));
        let grown: Vec<Option<f64>> = (0..10).map(|_| vegas.judge(10.0, 5.0, 1.0).0).collect();
        assert!(grown[..9].iter().all(Option::is_none), "{grown:?}");
        assert_eq!(grown[9], Some(11.0));
        let mut vegas = Vegas::new(&setup(Flavour::Rfc));
        assert_eq!(vegas.judge(10.0, 5.0, 1.0).0, Some(11.0));
    }

    #[test]
    fn slow_start_ends_when_more_than_one_segment_waits() {
        assert_eq!(round(Flavour::Linux, 100.0, 1e9, 101_000), Steer::default());
        let steer = round(Flavour::Linux, 100.0, 1e9, 125_000); // 20 wait: 80 is the pipe
        assert_eq!((steer.cwnd, steer.ssthresh), (Some(81.0), Some(80.0)));
    }

    #[test]
    fn the_papers_slow_start_grows_every_other_round_trip() {
        for (flavour, pattern) in [
            (Flavour::Rfc, [false, true, false, true]),
            (Flavour::Linux, [true; 4]),
        ] {
            let mut vegas = Vegas::new(&setup(flavour));
            let grows = [0, 10, 20, 30].map(|una| {
                vegas.watch(&seen(Time::ZERO, Duration::from_ms(100), una, 10.0, 1e9));
                vegas.may_double()
            });
            assert_eq!(grows, pattern, "{flavour:?}");
        }
    }
}
