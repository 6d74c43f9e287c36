//! What a policer drops now, by its own rates, beside the share that a flow sent again.

use super::{Counted, Kind, Ports, counts};
use crate::evidence::Evidence;
use crate::hosts::machine::DROPS_LEAST;
use crate::interfaces::port::OF_NFT;
use crate::items::step;
use crate::part::part;
use crate::read::Facts;

impl Counted {
    /// What part of the bits that come to the policer it drops now, 0 to 1, where its text says that.
    pub(super) fn drops_now(&self, facts: &Facts) -> Option<f64> {
        let mut all = counts(facts, Kind::Policing).into_iter();
        let own = all.find(|c| c.port == self.port)?;
        Some(own.count.value)
    }
}

impl Ports {
    /// The host and the rule of nftables whose count is that of the policer; the former is empty where nothing names it.
    pub(crate) fn nft_rule(&self) -> Option<[String; 2]> {
        let port = &self.policed.as_ref()?.port;
        let rule = port.name.strip_prefix(OF_NFT)?;
        Some([port.router.clone(), rule.trim().to_owned()])
    }

    /// What the policer drops now of all that comes, and what this flow sent again of all its segments, each 0 to 1.
    fn shares(&self, e: &Evidence) -> Option<[f64; 2]> {
        let counted = e.retransmits.as_ref().filter(|r| r.value >= DROPS_LEAST);
        let again = e.again.as_ref().filter(|again| !e.udp && again.value > 0.0);
        let share = self.policing.filter(|share| *share > 0.0)?;
        counted.and(again).map(|again| [share, again.value])
    }

    /// How surely the policer drops now as large a share as this flow sent again, 0 to 1: that it drops now needs no second reading.
    pub(super) fn drops_as_large(&self, e: &Evidence) -> f64 {
        self.shares(e).map_or(0.0, |[share, again]| {
            1.0 - step(libm::fabs(libm::log(share / again)), 0.5, 1.0)
        })
    }

    /// The two shares, behind what the policer counts, for people.
    pub(super) fn drops_beside(&self, e: &Evidence) -> String {
        self.shares(e).map_or_else(String::new, |[share, again]| {
            format!(
                "; by its rates it drops now {} of what comes, and this flow sent {} of its segments again",
                part(share),
                part(again)
            )
        })
    }
}
