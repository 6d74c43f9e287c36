//! A rate that a port of a lower speed leaves: over a network of one site it is such a port, and farther away a service may be sold at it.

use crate::advice::NO_RISK;
use crate::ceiling::bps;
use crate::document::Change;
use crate::evidence::Evidence;
use crate::lines::group::MEMBERS;

/// Below this round trip at rest, seconds, both hosts are at one site: most access lines take longer. A choice.
const ONE_SITE_S: f64 = 1e-3;

impl Evidence {
    /// Whether a service may lie on the way that is sold at a rate; not where a round trip at rest shows that both hosts are at one site.
    pub(crate) fn may_cross_service(&self) -> bool {
        let floor = self.rtt_floor.as_ref();
        floor.is_none_or(|rtt| rtt.value >= ONE_SITE_S)
    }

    /// What leaves just what a port of this speed does, where the line has more, bit/s; for people.
    pub(crate) fn lower_port_in_words(&self, speed: f64, line: f64) -> String {
        let member = speed >= MEMBERS;
        let speed = bps(speed);
        match (self.may_cross_service(), member) {
            (true, false) => format!("a service, a shaper or a port of {speed} on the way"),
            (true, true) => format!(
                "a service, a shaper or a port of {speed} on the way, or one member of a group of links"
            ),
            (false, false) => format!("a port on the way runs at that, and not at {}", bps(line)),
            (false, true) => format!(
                "a port on the way runs at that, and not at {}, or is one member of a group of links",
                bps(line)
            ),
        }
    }
}

/// What tells a service of this rate, bit/s, from a port that runs at it. A service gives no more, so that nothing is promised.
pub(crate) fn change(speed: f64) -> Change {
    let speed = bps(speed);
    Change {
        host: "the contract, then the ports on the way".to_owned(),
        commands: vec![
            format!(
                "first the contract of the access of each end, and its router: a service or a shaper of {speed} leaves just this rate, and nothing is wrong then"
            ),
            format!(
                "then the ports of the networks at both ends: ethtool INTERFACE of each host, show interfaces of each switch and router. One that runs at {speed} is the limit"
            ),
            "the cable last: only of a port whose two sides both offer more than it runs at"
                .to_owned(),
        ],
        risk: NO_RISK.to_owned(),
        ..Change::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::{Figure, Place};

    fn evidence(rtt_s: Option<f64>) -> Evidence {
        Evidence {
            rtt_floor: rtt_s.map(|s| Figure::exact(s, Place::You)),
            ..Evidence::default()
        }
    }

    #[test]
    fn a_service_lies_between_hosts_of_several_sites_alone() {
        for (rtt, is) in [(Some(0.000_3), false), (Some(0.014), true), (None, true)] {
            let e = evidence(rtt);
            assert_eq!(e.may_cross_service(), is, "{rtt:?}");
            let words = e.lower_port_in_words(100e6, 1e9);
            assert_eq!(words.contains("a service, a shaper"), is, "{words}");
            let member = e.lower_port_in_words(10e9, 100e9);
            assert!(member.contains("member of a group of links"), "{member}");
        }
    }

    #[test]
    fn a_service_is_asked_for_first_and_nothing_is_promised() {
        let change = change(100e6);
        assert!(change.commands[0].contains("contract"));
        assert!(change.commands[2].contains("cable"));
        assert_eq!(change.predicted_bps, None);
    }
}
