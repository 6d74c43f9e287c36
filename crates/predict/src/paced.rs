//! What a sender that paces sends at once, and what of it a queue must hold.

/// Segments that BBR lets be in flight at least (`BBRMinPipeCwnd`, draft-cardwell-iccrg-bbr-congestion-control-00).
const LEAST_WINDOW: f64 = 4.0;

/// Bytes of the largest super-segment.
const LARGEST: f64 = 65_536.0;
/// A short path's bursts are longer by the largest one, halved for each of these of its round trip, in seconds (`tcp_tso_rtt_log`).
const HALVED_EACH_S: f64 = 512e-6;
/// So often halved it is nothing.
const NOTHING_LEFT: f64 = 16.0;

/// Bytes of a burst of a sender that paces at `bytes_per_s` over a round trip of `rtt_s`: what it sends in a millisecond (2⁻¹⁰ s), more
/// on a short path, two segments of `segment_bytes` at least and a super-segment of 64 KiB at most (Linux from 5.18 on,
/// `tcp_tso_autosize`). With an infinite `rtt_s` it follows from the rate alone.
pub fn burst_bytes(bytes_per_s: f64, segment_bytes: f64, rtt_s: f64) -> f64 {
    let halvings = libm::floor(rtt_s / HALVED_EACH_S);
    let more = match halvings <= NOTHING_LEFT {
        true => libm::ldexp(LARGEST, -(halvings as i32)),
        false => 0.0,
    };
    let burst = libm::fmin(bytes_per_s / 1024.0 + more, LARGEST);
    libm::fmax(burst, 2.0 * segment_bytes)
}

/// Connections of BBR before a queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paced {
    /// What each sends, bytes a second.
    pub bytes_per_s: f64,
    /// A segment in bytes of the same kind; above 0.
    pub segment_bytes: f64,
    /// The round trip in seconds, as of [`burst_bytes`].
    pub rtt_s: f64,
    /// The share of a burst that leaves while it comes, 0 to 1; 0 where that is not known.
    pub passes: f64,
    /// How many there are.
    pub streams: f64,
    /// Segments of all of them that fill the path.
    pub pipe: f64,
}

impl Paced {
    /// Segments that the queue must hold: what waits of a burst of one, or of the least windows of all beside what fills the path.
    pub fn waits(&self) -> f64 {
        let burst = burst_bytes(self.bytes_per_s, self.segment_bytes, self.rtt_s);
        let burst = burst / self.segment_bytes;
        let least = self.streams * LEAST_WINDOW - self.pipe;
        libm::fmax(burst * (1.0 - self.passes), least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 200 Mbit/s in frames of 1538 bytes: 24 414 bytes in a millisecond. A fifth of the arriving rate, a fifth leaves.
    #[test]
    fn a_queue_must_hold_a_burst_or_the_least_windows() {
        let paced = Paced {
            bytes_per_s: 25e6,
            segment_bytes: 1538.0,
            rtt_s: f64::INFINITY,
            passes: 0.0,
            streams: 1.0,
            pipe: 32.5,
        };
        assert!((paced.waits() - 15.87).abs() < 0.01);
        let passing = Paced {
            passes: 0.2,
            ..paced
        };
        assert!((passing.waits() - 12.70).abs() < 0.01);
        let many = Paced {
            streams: 20.0,
            bytes_per_s: 1.25e6,
            ..paced
        };
        assert!((many.waits() - 47.5).abs() < 1e-9);
        assert_eq!(burst_bytes(1e9, 1538.0, 0.1), 65_536.0);
    }

    /// 100 Mbit/s, segments of 1448 bytes: 19 at 1.04 ms and 8 at 40 ms, as Linux 6.18.44 sends them.
    #[test]
    fn bursts_are_longer_on_short_paths() {
        let segments = |rtt_s| libm::floor(burst_bytes(12.5e6, 1448.0, rtt_s) / 1448.0);
        assert_eq!(
            [1.04e-3, 40e-3, f64::INFINITY].map(segments),
            [19.0, 8.0, 8.0]
        );
    }
}
