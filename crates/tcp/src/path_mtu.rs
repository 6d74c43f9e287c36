//! What a sender knows of the largest segment its path carries: what routers said (RFC 1191, RFC 8201), and what
//! probing found where they say nothing (RFC 4821). All sizes are payload bytes of a segment.

use farpath_units::{Duration, Time};

use crate::config::{Config, MtuProbing};
use crate::ranges::Range;

/// Linux's `tcp_base_mss`: where a search begins.
const BASE: u64 = 1024;
/// Linux's `tcp_mtu_probe_floor`: no search begins lower.
const FLOOR: u64 = 48;
/// Linux's `tcp_probe_threshold`: closer bounds are not searched between.
const THRESHOLD: u64 = 8;
/// Linux's `tcp_probe_interval`: a search that is over is taken up again after this long.
const INTERVAL: Duration = Duration::from_secs(600);
/// How long retransmissions go unanswered before the path is taken for a black hole: what `tcp_retries1` = 3
/// retransmissions take at the smallest timeout of 200 ms, (2⁴ − 1) · 200 ms (`tcp_model_timeout` in tcp_timer.c).
const SILENCE: Duration = Duration::from_secs(3);

/// What is known of the path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PathMtu {
    /// Something comes before new data: a probe, or the ACK that ends the handshake.
    pub(crate) aside: bool,
    rule: MtuProbing,
    /// The search is on (`icsk_mtup.enabled`).
    on: bool,
    /// What the two ends agreed on.
    largest: u64,
    /// What routers said at last.
    reported: u64,
    /// The search's bounds: this fits, more than that does not.
    low: u64,
    high: u64,
    /// A probe that nobody has answered for yet.
    probe: Option<Range>,
    /// When the search began.
    begun: Time,
    /// When the first segment of this episode was sent again.
    resent_at: Option<Time>,
}

impl PathMtu {
    /// Before anything is known, and the segment to begin with.
    pub(crate) fn new(config: &Config) -> (PathMtu, u64) {
        let largest = config.segment();
        let path = PathMtu {
            aside: false,
            rule: config.mtu_probing,
            on: config.mtu_probing == MtuProbing::Always,
            largest,
            reported: largest,
            low: BASE.min(largest),
            high: largest,
            probe: None,
            begun: Time::ZERO,
            resent_at: None,
        };
        (path, path.segment())
    }

    /// The largest segment to be sent.
    pub(crate) fn segment(&self) -> u64 {
        if self.on {
            self.reported.min(self.low)
        } else {
            self.reported
        }
    }

    /// A router carries segments of `size` bytes. Whether that is news.
    pub(crate) fn tell(&mut self, size: u64) -> bool {
        let size = size.max(FLOOR);
        if size >= self.reported {
            return false;
        }
        self.reported = size;
        self.high = self.high.min(size);
        true
    }

    /// A segment was sent again.
    pub(crate) fn note_resent(&mut self, now: Time) {
        self.resent_at.get_or_insert(now);
        // What becomes of a probe says nothing any more.
        self.probe = None;
    }

    /// When the first segment of this episode was sent again.
    pub(crate) fn resent_at(&self) -> Option<Time> {
        self.resent_at
    }

    /// Everything sent again has been acknowledged.
    pub(crate) fn settle(&mut self) {
        self.resent_at = None;
    }

    /// A timeout, the second at least without progress, at `now`: whether the path is taken for a black hole,
    /// which makes the segment smaller (`tcp_mtu_probing` in tcp_timer.c).
    pub(crate) fn suspect(&mut self, now: Time) -> bool {
        let silent = self.resent_at.is_some_and(|at| now.since(at) >= SILENCE);
        if self.rule == MtuProbing::Off || !silent {
            return false;
        }
        if self.on {
            self.low = (self.low / 2).clamp(FLOOR, BASE);
        } else {
            self.on = true;
            self.begun = now;
        }
        true
    }

    /// Whether the next segment may be a probe: asked before each.
    pub(crate) fn searches(&self) -> bool {
        self.on && self.probe.is_none() && self.high.saturating_sub(self.low) >= THRESHOLD
    }

    /// Whether a probe is under way.
    #[inline]
    pub(crate) fn is_probing(&self) -> bool {
        self.probe.is_some()
    }

    /// The next probe's size (RFC 4821 §7.3, bisection).
    pub(crate) fn next_probe(&self) -> u64 {
        u64::midpoint(self.high, self.low)
    }

    /// A probe was sent.
    pub(crate) fn note_probe(&mut self, probe: Range) {
        self.probe = Some(probe);
    }

    /// Everything below `una` is acknowledged: the size of a probe that arrived, which fits.
    pub(crate) fn arrived(&mut self, una: u64) -> Option<u64> {
        let probe = self.probe.filter(|probe| probe.end <= una)?;
        self.probe = None;
        self.low = probe.len();
        Some(probe.len())
    }

    /// What is first in flight, from `una` on, was lost: the size of the probe, if it was one, which is too large
    /// then.
    pub(crate) fn lost(&mut self, una: u64) -> Option<u64> {
        let probe = self.probe.filter(|probe| probe.start == una)?;
        self.probe = None;
        self.high = probe.len() - 1;
        Some(probe.len())
    }

    /// A search that is over begins again after ten minutes, from what fits now (`tcp_mtu_check_reprobe` in
    /// tcp_output.c).
    pub(crate) fn renew(&mut self, now: Time) {
        if self.on && !self.is_probing() && !self.searches() && now.since(self.begun) >= INTERVAL {
            self.low = self.segment();
            self.high = self.largest;
            self.begun = now;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(rule: MtuProbing) -> PathMtu {
        PathMtu::new(&Config {
            mss: 8948,
            mtu_probing: rule,
            ..Config::default()
        })
        .0
    }

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    #[test]
    fn rfc1191_a_router_is_believed_downwards_only() {
        let mut path = on(MtuProbing::Off);
        assert!(path.tell(4418));
        assert_eq!(path.segment(), 4418);
        assert!(!path.tell(4418) && !path.tell(8948));
        assert!(path.tell(1));
        assert_eq!(path.segment(), 48, "tcp_min_snd_mss");
    }

    #[test]
    fn a_black_hole_is_what_answers_nothing_for_three_seconds() {
        let mut path = on(MtuProbing::BlackHole);
        assert!(!path.suspect(at(9000)), "nothing was sent again");
        path.note_resent(at(600));
        assert!(!path.suspect(at(3599)));
        assert!(path.suspect(at(3600)));
        assert_eq!(path.segment(), 1024);
        assert!(path.suspect(at(9000)));
        assert_eq!(path.segment(), 512);
        let mut off = on(MtuProbing::Off);
        off.note_resent(at(0));
        assert!(!off.suspect(at(100_000)));
    }

    /// The sizes that Linux 6.18 sent over a trunk of MTU 4470 between hosts of 9000.
    #[test]
    fn rfc4821_7_3_the_search_halves_until_it_is_closer_than_eight() {
        let mut path = on(MtuProbing::Always);
        let mut fitted = Vec::new();
        for start in 0..100 {
            if !path.searches() {
                break;
            }
            let size = path.next_probe();
            path.note_probe(Range::new(start, start + size));
            if size > 4418 {
                assert_eq!(path.lost(start), Some(size));
            } else {
                assert_eq!(path.arrived(start + size), Some(size));
                fitted.push(size);
            }
        }
        assert_eq!(fitted, [3004, 3994, 4241, 4364, 4394, 4409, 4417]);
        assert_eq!(path.segment(), 4417);
        path.renew(at(599_999));
        assert!(!path.searches());
        path.renew(at(600_000));
        assert!(path.searches());
    }
}
