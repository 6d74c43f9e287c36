//! A rate near what a slower port leaves, beside a processor that is full: which of the two it is of.

use crate::evidence::Evidence;
use crate::hosts::machine::FULL;

/// Each interval of a full port is what it leaves for payload, to this part.
const EACH: f64 = 0.01;

impl Evidence {
    /// Whether a rate is by chance near what a port or line leaves for payload, bit/s: a processor is full, and some interval after the start
    /// is not what is left. A full port leaves the same in each, and a full processor does not.
    pub(crate) fn is_near_by_chance(&self, leaves: f64) -> bool {
        let full = self.cpu.as_ref().is_some_and(|cpu| cpu.value >= FULL[1]);
        // Whole writes end in one interval or in the next.
        let off = |bps: f64| (bps - leaves).abs() > EACH * leaves + self.peak_grain;
        let mean = self.rate.as_ref().filter(|_| self.steady.is_empty());
        full && (self.steady.iter().any(|bps| off(*bps)) || mean.is_some_and(|r| off(r.value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::{Figure, Place};
    use crate::infer::usual_line;
    use crate::paths::around::PORT;

    /// Seconds of these rates, Gbit/s, over ports of 25 Gbit/s by a text, and the busiest processor of the hosts.
    fn evidence(gbit: [f64; 4], cpu: f64) -> Evidence {
        let figure = |value: f64| Figure::exact(value, Place::You);
        Evidence {
            rate: Some(figure(gbit.iter().sum::<f64>() / 4.0 * 1e9)),
            steady: gbit.iter().map(|gbit| gbit * 1e9).collect(),
            peak: 9.45e9,
            interval_s: 1.0,
            line: Some((Figure::exact(25e9, Place::Line(0, 1)), PORT)),
            cpu: Some(figure(cpu)),
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        }
    }

    /// What Ethernet at 10 Gbit/s leaves are 9.41 Gbit/s: in a second of 9.11 no such port was full.
    #[test]
    fn a_full_processor_is_not_a_slower_port_that_the_rate_nearly_fills() {
        let near = [9.28, 9.11, 9.19, 9.28];
        assert_eq!(evidence(near, 0.4).lower_port(), Some(10e9));
        assert_eq!(evidence(near, 0.988).lower_port(), None);
        assert_eq!(evidence([9.41; 4], 0.988).lower_port(), Some(10e9));
        let unnamed = |cpu: f64| Evidence {
            line: None,
            ..evidence(near, cpu)
        };
        assert_eq!(usual_line(&unnamed(0.4)), Some(10e9));
        assert_eq!(usual_line(&unnamed(0.988)), None);
    }
}
