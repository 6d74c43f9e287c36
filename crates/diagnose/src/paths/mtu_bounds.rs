//! Between which sizes a path MTU lies, as pings show it that no router may cut: what was answered passes, and what was lost or refused does
//! not.

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::items::Item;
use crate::losses::segments::HEADERS;

/// What it is worth against a black hole that pings as large as the connection's packets pass, decibans. A choice.
const PASSES: f64 = -14.0;

impl Evidence {
    /// Between which sizes the path MTU lies, for people, where pings show both.
    pub(crate) fn mtu_bounds_in_words(&self) -> Option<String> {
        let too_large = self.large_lost.iter().chain(&self.refused).map(|f| f.low);
        let most = too_large.reduce(libm::fmin)? - 1.0;
        let least = self.answered_whole;
        (least > 0.0 && least <= most).then(|| {
            format!(
                "pings of {least:.0} bytes that no router may cut are answered: the path MTU is {least:.0} to {most:.0} bytes"
            )
        })
    }

    /// Whether pings as large as the connection's packets pass whole to its receiver. What hangs is judged beside them elsewhere.
    fn passes_as_large(&self) -> bool {
        // Without a word on its segments they may be as large as the pings that are lost.
        let known = self.mss_said || self.large_lost.is_none();
        known && self.stuck.is_none() && self.passes_whole >= self.mss + HEADERS
    }
}

/// What passes as large as the connection's packets speaks against a black hole in its way.
pub(crate) fn by_bounds(e: &Evidence, items: &mut Vec<Item>) {
    if !e.passes_as_large() {
        return;
    }
    let still = e.rate.as_ref().is_some_and(|r| r.value <= 0.0);
    items.push(Item {
        holds: 1.0,
        weights: vec![(Cause::MtuBlackHole, PASSES)],
        sentence: match still || e.unanswered {
            true => format!(
                "pings of {:.0} bytes that no router may cut are answered: packets as large as this connection's pass that way",
                e.passes_whole
            ),
            false => String::new(),
        },
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::{Figure, Place};

    fn of(answered: f64, lost: Option<f64>, refused: Option<f64>) -> Evidence {
        let size = |bytes: Option<f64>| bytes.map(|bytes| Figure::exact(bytes, Place::You));
        Evidence {
            answered_whole: answered,
            passes_whole: answered,
            large_lost: size(lost),
            refused: size(refused),
            mss: 1448.0,
            ..Evidence::default()
        }
    }

    #[test]
    fn what_is_answered_and_what_is_not_bound_a_path_mtu() {
        for (answered, lost, refused, said) in [
            (1500.0, Some(9000.0), None, Some("is 1500 to 8999 bytes")),
            (1400.0, None, Some(1500.0), Some("is 1400 to 1499 bytes")),
            (
                1400.0,
                Some(1500.0),
                Some(1480.0),
                Some("is 1400 to 1479 bytes"),
            ),
            // No bound from one side, and none where the two disagree.
            (0.0, Some(1500.0), None, None),
            (1500.0, None, None, None),
            (1500.0, Some(1500.0), None, None),
        ] {
            let words = of(answered, lost, refused).mtu_bounds_in_words();
            assert_eq!(words.is_some(), said.is_some(), "{words:?}");
            assert!(words.unwrap_or_default().contains(said.unwrap_or("")));
        }
    }

    #[test]
    fn pings_as_large_as_its_packets_speak_against_a_hole() {
        let speaks = |e: &Evidence| {
            let mut items = Vec::new();
            by_bounds(e, &mut items);
            !items.is_empty()
        };
        assert!(speaks(&of(1500.0, None, None)));
        assert!(!speaks(&of(1400.0, None, None)));
        // Its segments may be as large as the pings that are lost.
        assert!(!speaks(&of(1500.0, Some(9000.0), None)));
        let said = Evidence {
            mss_said: true,
            ..of(1500.0, Some(9000.0), None)
        };
        assert!(speaks(&said));
    }
}
