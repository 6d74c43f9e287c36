//! CUBIC as Linux computes it: the curve aimed one smallest round trip ahead, growth by a counter of
//! whole segments, recomputed 32 times a second.

use farpath_units::{Duration, Time};

use super::whole::Whole;
use super::{Ack, Loss};

/// β, 717/1024.
const BETA: f64 = 717.0 / 1024.0;
/// C in segments per second cubed, 410/1024.
const C: f64 = 410.0 / 1024.0;
/// Time is counted in 1024ths of a second.
const TICKS: f64 = 1024.0;
/// The counter is recomputed after so long, or when cwnd has changed.
const RECOMPUTE: Duration = Duration::from_us(31_250);
/// Acknowledged segments, in eighths of the window, for one segment of the Reno-friendly estimate:
/// 8(1024+717)/3/(1024−717) in whole numbers, as the kernel computes it.
const FRIENDLY: f64 = 15.0;
/// Acknowledged segments for each one added: at least 2 (cwnd grows by half a round trip), at most
/// this before the first loss, and this many windows on the plateau.
const LEAST_EACH: f64 = 2.0;
const BEFORE_LOSS: f64 = 20.0;
const PLATEAU: f64 = 100.0;

/// The kernel's state. Windows are whole segments.
#[derive(Clone, Debug, Default)]
pub(crate) struct KernelCubic {
    each: f64,
    /// The plateau aimed at next; 0 before the first loss and after a timeout.
    last_max: f64,
    last_cwnd: f64,
    last_time: Time,
    epoch: Option<Time>,
    origin: f64,
    /// From the epoch's begin to the plateau in seconds.
    k: f64,
    acked: f64,
    reno: f64,
    whole: Whole,
}

impl KernelCubic {
    /// Bytes to add for this ACK.
    pub(crate) fn increase(&mut self, ack: &Ack) -> f64 {
        let acked = ack.acked * ack.per_byte;
        self.update(ack, (ack.cwnd * ack.per_byte).floor(), acked);
        self.whole.add(acked, self.each) * ack.segment
    }

    fn update(&mut self, ack: &Ack, w: f64, acked: f64) {
        self.acked += acked;
        let recent = ack.now.since(self.last_time) <= RECOMPUTE;
        if self.epoch.is_some() && w == self.last_cwnd && recent {
            return;
        }
        (self.last_cwnd, self.last_time) = (w, ack.now);
        let epoch = *self.epoch.get_or_insert_with(|| {
            (self.acked, self.reno) = (acked, w);
            (self.k, self.origin) = if w < self.last_max {
                (libm::cbrt((self.last_max - w) / C), self.last_max)
            } else {
                (0.0, w)
            };
            ack.now
        });
        // The first epoch of a connection has no smallest round trip yet: then nothing is ahead.
        let ahead = match ack.rtt_min {
            Duration::MAX => 0.0,
            rtt => rtt.as_secs_f64(),
        };
        let t = ack.now.since(epoch).as_secs_f64() + ahead;
        let from_plateau = (t * TICKS).floor() / TICKS - self.k;
        let delta = C * from_plateau * from_plateau * from_plateau;
        // Below the plateau the kernel takes the whole part of the distance away, so both sides round
        // towards it.
        let target = self.origin + delta.trunc();
        let mut each = if target > w {
            (w / (target - w)).floor()
        } else {
            PLATEAU * w
        };
        if self.last_max == 0.0 {
            each = each.min(BEFORE_LOSS);
        }
        let for_one = (w * FRIENDLY / 8.0).floor().max(1.0);
        if self.acked > for_one {
            // As the kernel counts: one more while more than so many wait.
            let more = (self.acked / for_one).ceil() - 1.0;
            self.acked -= more * for_one;
            self.reno += more;
        }
        if self.reno > w {
            each = each.min((w / (self.reno - w)).floor());
        }
        self.each = each.max(LEAST_EACH);
    }

    /// The new ssthresh in bytes.
    pub(crate) fn reduce(&mut self, loss: &Loss) -> f64 {
        let w = (loss.window / loss.segment).floor();
        self.last_max = if w < self.last_max {
            (w * (1.0 + BETA) / 2.0).floor()
        } else {
            w
        };
        self.epoch = None;
        self.whole.clear();
        (w * BETA).floor() * loss.segment
    }

    /// With nothing in flight the epoch moves by the time since data was last sent, but not past now.
    /// Deviation from RFC 9438 §5.8: while anything is in flight the clock goes on, whatever the limit.
    pub(crate) fn resume(&mut self, now: Time, sent: Time) {
        if let Some(epoch) = &mut self.epoch {
            *epoch = now.min(*epoch + now.since(sent));
        }
    }

    /// After a timeout everything is forgotten.
    pub(crate) fn restart(&mut self) {
        *self = KernelCubic::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::tests::{ack_at, loss};

    fn at(s: f64) -> Time {
        Time::ZERO + Duration::from_secs_f64(s)
    }

    /// Whole numbers: the plateau counts as reached when the curve is within a segment of it, cbrt(1/C)
    /// before K, and the curve runs a smallest round trip ahead: own calculation.
    #[test]
    fn the_plateau_comes_a_little_before_k() {
        for w in [10_274.0_f64, 1674.0] {
            let left = (w * 717.0 / 1024.0).floor();
            let expected = libm::cbrt((w - left) / C) - libm::cbrt(1.0 / C) - 0.1;
            let mut cubic = KernelCubic::default();
            let mut cwnd = cubic.reduce(&loss(w));
            assert_eq!(cwnd, left);
            let mut now = 0.0;
            while cwnd < w {
                cwnd += cubic.increase(&ack_at(at(now), cwnd, 1.0));
                now += 0.1 / cwnd;
            }
            assert!((now - expected).abs() < 0.15, "{w}: {now} s for {expected}");
        }
    }

    #[test]
    fn growth_is_a_twentieth_a_round_trip_before_the_first_loss_and_half_at_most() {
        let mut cubic = KernelCubic::default();
        cubic.increase(&ack_at(at(0.0), 1000.0, 1.0));
        assert_eq!(cubic.each, 20.0);
        cubic.increase(&ack_at(at(60.0), 1000.0, 1.0));
        assert_eq!(cubic.each, 2.0);
    }

    #[test]
    fn fast_convergence_and_forgetting() {
        let mut cubic = KernelCubic::default();
        cubic.reduce(&loss(1000.0));
        assert_eq!(cubic.last_max, 1000.0);
        cubic.reduce(&loss(800.0));
        assert_eq!(cubic.last_max, (800.0_f64 * 1741.0 / 2048.0).floor());
        cubic.restart();
        assert_eq!(cubic.last_max, 0.0);
    }
}
