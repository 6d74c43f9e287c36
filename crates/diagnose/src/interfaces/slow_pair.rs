//! A port of a switch that can run at 1 Gbit/s and has agreed on 100 Mbit/s: two pairs of a cable carry that, and 1 Gbit/s needs all four.

use crate::advice::Remedy;
use crate::cause::Cause;
use crate::document::Change;
use crate::evidence::Evidence;
use crate::fact::{Figure, Of};
use crate::flows::flow::word;
use crate::infer::usual_line;
use crate::items::Item;
use crate::read::Facts;

/// The words of a pair that a test of a cable found at fault, and of a port that agreed on less than it can.
pub(crate) const PAIR_FAULT: &str = "cable_pair_fault";
pub(crate) const AGREED_ON_LESS: &str = "port_agreed_on_less";

/// How what is said of a port ends whose partner offers no more.
pub(crate) const NO_MORE: &str = "what is plugged in there does not";

/// What such a port carries, bit/s, and what a full one leaves for payload at least, of that (IEEE 802.3 clause 25; 94.9 % with full frames).
const SPEED: f64 = 100e6;
const FULL: f64 = 0.9;

/// What each says of a rate that fills such a port, decibans. Choices: nothing says that the flow crosses the port.
const BY_TEST: f64 = 6.0;
const BY_SPEED: f64 = 3.0;

/// Such a port.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SlowPair {
    /// The port, and what is said of it.
    said: String,
    /// Where a text says so, for people.
    at: String,
    /// Whether a test of its cable found a fault.
    tested: bool,
}

impl SlowPair {
    /// What texts have of such a port: what a test of its cable says comes first.
    pub(crate) fn of(facts: &Facts) -> Option<SlowPair> {
        let tested = word(facts, Of::Path, PAIR_FAULT);
        let (said, at) = tested.or_else(|| word(facts, Of::Path, AGREED_ON_LESS))?;
        Some(SlowPair {
            said: said.to_owned(),
            at: facts.place(at),
            tested: tested.is_some(),
        })
    }
}

/// What the line is called then.
const CALLED: &str = "a port that agreed on 100 Mbit/s";

impl Evidence {
    /// Takes such a port for the line, where nobody said that and the rate is what it leaves for payload.
    pub(crate) fn of_slow_pair(&mut self, facts: &Facts) {
        let fills = usual_line(self) == Some(SPEED) && self.line.is_none();
        let at = word(facts, Of::Path, AGREED_ON_LESS).map(|(_, at)| at);
        if let Some(at) = at.filter(|_| fills) {
            self.line = Some((Figure::exact(SPEED, at), CALLED));
        }
    }

    /// Such a port, where the rate is what it leaves for payload.
    fn slow_pair(&self) -> Option<&SlowPair> {
        let rate = self.rate.as_ref()?.value;
        let fills = (FULL * SPEED..=SPEED).contains(&rate);
        self.around.slow_pair.as_ref().filter(|_| fills)
    }

    /// What to do about its cable.
    pub(crate) fn mend_pair(&self) -> Option<Change> {
        let pair = self.slow_pair()?;
        let port = pair.said.split([':', ' ']).next().unwrap_or("");
        if pair.said.ends_with(NO_MORE) {
            let remedy = Remedy {
                commands: vec![format!(
                    "what {port} is plugged into offers 100 Mbit/s at most: find which device and port that is, and set it to auto and 1 Gbit/s, or take another port or device that has it; then {}",
                    shown(port)
                )],
                risk: format!("the link of {port} is down meanwhile"),
                ..Remedy::default()
            };
            return Some(remedy.change(
                &format!("the other end of the cable of {port}"),
                None,
                None,
            ));
        }
        let remedy = Remedy {
            commands: vec![
                format!(
                    "change the cable between {port} and what is plugged in there, with each patch and socket between: 1 Gbit/s needs all four pairs of it, and 100 Mbit/s two"
                ),
                format!(
                    "{}. Where it stays at 100 Mbit/s, what is plugged in offers no more: its card, or a phone or an adapter between",
                    shown(port)
                ),
            ],
            undo: vec!["the cable that it had before".to_owned()],
            risk: format!("the link of {port} is down meanwhile"),
            ..Remedy::default()
        };
        Some(remedy.change(&format!("the cable of {port}"), None, None))
    }
}

/// What shows the speed of a port then: RouterOS calls its ports after what they are.
fn shown(port: &str) -> String {
    let kinds = ["ether", "sfp", "combo", "qsfp"];
    match kinds.iter().any(|kind| port.starts_with(kind)) {
        true => format!("/interface ethernet monitor {port} once: rate: 1Gbps then"),
        false => format!("show interfaces {port} status: a-1000 then"),
    }
}

/// Weighs it.
pub(crate) fn by_slow_pair(e: &Evidence, items: &mut Vec<Item>) {
    items.extend(e.slow_pair().map(|pair| Item {
        holds: 1.0,
        weights: vec![(Cause::Link, if pair.tested { BY_TEST } else { BY_SPEED })],
        sentence: format!(
            "{} ({}); this rate is what a port of 100 Mbit/s leaves for payload",
            pair.said, pair.at
        ),
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::Place;

    /// No change was named for a port that had agreed on 100 Mbit/s.
    #[test]
    fn a_rate_that_fills_such_a_port_has_its_cable_changed() {
        let mut e = Evidence::default();
        e.around.slow_pair = Some(SlowPair {
            said: "Gi1/0/22: pair C of its cable is open".to_owned(),
            at: "t.txt:1".to_owned(),
            tested: true,
        });
        let rate = |bps| Some(Figure::exact(bps, Place::You));
        e.rate = rate(94.1e6);
        let change = e.mend_pair().expect("it fills the port");
        assert_eq!(change.host, "the cable of Gi1/0/22");
        let mut items = Vec::new();
        by_slow_pair(&e, &mut items);
        assert_eq!(items.len(), 1);
        // A slower flow has another limit, and a faster one another way.
        for bps in [40e6, 940e6] {
            e.rate = rate(bps);
            assert!(e.mend_pair().is_none(), "{bps}");
        }
    }
}
