//! Datagrams and pings to the same host of which as large a share was lost: its kernel answers pings, so that no program of it lost them.

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::fact::Figure;
use crate::hosts::counted::UNCONNECTED;
use crate::items::{Item, step};
use crate::part::part;

/// Two shares are alike whose logarithms differ by no more than the first, and are not from the second on.
const ALIKE: [f64; 2] = [0.3, 0.8];

/// A share of pings counts fully whose lower bound is the second part of it or more, as of 12 lost, and not up to the first.
const SURE: [f64; 2] = [0.1, 0.5];

/// A test that sends less than this part of a line does not fill it.
const OPEN: f64 = 0.85;

/// What as large a share of pings as of datagrams speaks for, `lost` of the latter.
pub(crate) fn by_pings(e: &Evidence, lost: &Figure, items: &mut Vec<Item>) {
    let pings = e.around.pings_lost.as_ref();
    let Some(pings) = pings.filter(|p| p.low > 0.0 && lost.value > 0.0) else {
        return;
    };
    let off = libm::fabs(libm::log(pings.value / lost.value));
    // Pings beside a test that fills the path meet its queue or its policer as the datagrams do.
    let sent = e.rate.as_ref().map_or(0.0, |r| r.value) / (1.0 - lost.value).max(0.01);
    let fills = e.line.as_ref().is_some_and(|(l, _)| sent > OPEN * l.value);
    let sure = step(pings.low / pings.value, SURE[0], SURE[1]);
    let mut weights = vec![(Cause::Client, -30.0 * sure)];
    if !fills && e.rtt_loaded.is_none() {
        weights.extend([
            (Cause::RandomLoss, 22.0 * sure - UNCONNECTED),
            (Cause::Policer, -6.0 * sure),
        ]);
    }
    items.push(Item {
        holds: 1.0 - step(off, ALIKE[0], ALIKE[1]),
        weights,
        sentence: format!(
            "of pings to the same host {} were lost, and of the datagrams {}: its kernel answers pings, so that no program lost those",
            part(pings.value),
            part(lost.value)
        ),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::Place;
    use crate::infer::weigh;

    /// 1 Mbit/s of datagrams of which 5.1 % were lost, and this share of pings.
    fn first(pings: f64, loaded: bool) -> Cause {
        let figure = |value: f64| Figure::exact(value, Place::You);
        let mut e = Evidence {
            udp: true,
            rate: Some(figure(948e3)),
            idle_loss: Some(figure(0.051)),
            rtt_loaded: loaded.then(|| figure(9e-3)),
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        };
        e.around.pings_lost = Some(figure(pings));
        weigh(&e, &[]).ranking[0].cause
    }

    #[test]
    fn pings_that_are_lost_alike_clear_the_receiving_program() {
        assert_eq!(first(0.051, false), Cause::RandomLoss);
        // Pings beside the test meet what it fills, and few or many of them say nothing of the datagrams.
        for (pings, loaded) in [(0.051, true), (0.004, false), (0.6, false)] {
            assert_ne!(first(pings, loaded), Cause::RandomLoss, "{pings} {loaded}");
        }
        assert_ne!(first(0.051, true), Cause::Client);
    }
}
