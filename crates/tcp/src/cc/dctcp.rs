//! DCTCP (RFC 8257): a cut by how much of a window was marked, for queues that mark from a few segments on.

use super::reno::Reno;
use super::{Ack, Control, Loss, Seen, Setup, Steer, Watch};

/// What a window's share of marks counts for in the estimate, g (§4.2).
const GAIN: f64 = 1.0 / 16.0;

/// Reno with an estimate of the share of bytes that are marked.
///
/// Deviation: RFC 8257 §3.3 counts as real numbers, and so does this; Linux in 1024ths.
#[derive(Clone, Debug)]
pub(crate) struct Dctcp {
    reno: Reno,
    /// `DCTCP.Alpha`; 1 at first (§4.2).
    alpha: f64,
    /// Bytes that this window's acknowledgements were for, and of those that said that a mark came.
    acked: u64,
    marked: u64,
    /// `DCTCP.WindowEnd`: the window ends when more than this is acknowledged.
    end: u64,
}

impl Control for Dctcp {
    fn new(setup: &Setup) -> Dctcp {
        Dctcp {
            reno: Reno::new(setup),
            alpha: 1.0,
            acked: 0,
            marked: 0,
            end: 0,
        }
    }

    /// §3.3: as without marks.
    fn increase(&mut self, ack: &Ack) -> f64 {
        self.reno.increase(ack)
    }

    /// §3.3 (9): by half of the estimate for marks; §3.5: by half for a loss.
    fn reduce(&mut self, loss: &Loss) -> f64 {
        let half = self.reno.reduce(loss);
        match loss.marked {
            true => loss.window * (1.0 - self.alpha / 2.0),
            false => half,
        }
    }

    fn watches(&self) -> Watch {
        Watch::Acks
    }

    /// §3.3 (1) to (8).
    fn watch(&mut self, seen: &Seen) -> Steer {
        self.acked += seen.delivered;
        if seen.marked {
            self.marked += seen.delivered;
        }
        if seen.una > self.end {
            let share = self.marked as f64 / self.acked as f64;
            self.alpha += GAIN * (share - self.alpha);
            (self.acked, self.marked, self.end) = (0, 0, seen.nxt);
        }
        Steer::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::tests::{loss, seen, setup};
    use crate::flavour::Flavour;
    use farpath_units::{Duration, Time};

    fn dctcp() -> Dctcp {
        Dctcp::new(&setup(Flavour::Rfc))
    }

    /// `rounds` windows of ten segments, of which so many are marked each.
    fn after(rounds: u64, marks: u64) -> Dctcp {
        let mut dctcp = dctcp();
        for n in 0..10 * rounds {
            let mut ack = seen(Time::ZERO, Duration::from_ms(1), n + 1, 10.0, 1.0);
            ack.marked = n % 10 < marks;
            dctcp.watch(&ack);
        }
        dctcp
    }

    fn marked(window: f64) -> Loss {
        Loss {
            marked: true,
            ..loss(window)
        }
    }

    #[test]
    fn rfc8257_4_2_the_first_mark_halves() {
        assert_eq!(dctcp().reduce(&marked(100.0)), 50.0);
    }

    /// A share M in each window: the estimate goes to M as (15/16)ⁿ goes to 0.
    #[test]
    fn rfc8257_3_3_the_estimate_follows_the_share_of_marks() {
        for marks in [0, 3, 10] {
            let share = marks as f64 / 10.0;
            let alpha = after(200, marks).alpha;
            assert!((alpha - share).abs() < 0.01, "{marks}: {alpha}");
        }
        let few = after(17, 0).alpha;
        assert!(
            (few / libm::pow(15.0 / 16.0, 16.0) - 1.0).abs() < 0.08,
            "{few}"
        );
    }

    #[test]
    fn rfc8257_3_5_a_loss_halves_whatever_the_estimate_is() {
        let mut rare = after(200, 1);
        let left = rare.reduce(&marked(100.0));
        assert!((left - 95.0).abs() < 0.2, "{left}");
        assert_eq!(rare.reduce(&loss(100.0)), 50.0);
    }
}
