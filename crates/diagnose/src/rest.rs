//! The path at rest: its round trips and its losses without load.

use crate::evidence::Evidence;
use crate::fact::Figure;
use crate::flow::Flow;
use crate::items::step;
use crate::read::Facts;

impl Evidence {
    /// Round trips without load, seconds: their mean, and how long they usually are at most. Neither is below the floor.
    ///
    /// One ping that was late moves the longest far, and the mean little: as far above the mean as the shortest is below it is
    /// what is usual.
    pub(crate) fn rtt_at_rest(&self) -> Option<[f64; 2]> {
        let floor = self.rtt_floor.as_ref()?.value;
        Some(match &self.rtt_idle {
            Some(idle) => {
                [idle.value, 2.0 * idle.value - idle.low].map(|rtt| libm::fmax(rtt, floor))
            }
            None => [floor, floor],
        })
    }

    /// How surely round trips vary without load, 0 to 1.
    pub(crate) fn unsteady(&self) -> f64 {
        let Some(idle) = &self.rtt_idle else {
            return 0.0;
        };
        let added = idle.value - idle.low;
        step(added / libm::fmax(idle.low, 1e-9), 0.04, 0.1).min(step(added, 0.001, 0.004))
    }

    /// The share of packets that the path loses whatever is sent: what the user knows, what a tool said, or what pings counted.
    pub(crate) fn loss_of_path(
        &mut self,
        (facts, flow): (&Facts, &Flow),
        known: Option<Figure>,
        told: Option<Figure>,
    ) {
        if self.udp && self.idle_loss.is_some() {
            // The test counted its own datagrams: a ping beside it had another load, and fewer packets.
            return;
        }
        if let Some(known) = known.or(told) {
            self.idle_loss = Some(known);
            return;
        }
        let count = |name: &str| {
            facts.along(flow, name).cloned().reduce(|a, b| {
                let mut both = a.with(&b);
                both.value = a.value + b.value;
                both
            })
        };
        if let Some((sent, received)) = count("ping_sent").zip(count("ping_received"))
            && sent.value > 0.0
        {
            let lost = (sent.value - received.value).max(0.0);
            let mut share = sent.with(&received);
            share.value = lost / sent.value;
            // 97.5 % of a Poisson law's lower limit (Wilson and Hilferty); one or two may be chance.
            let root = 1.0 - 1.0 / (9.0 * lost) - 1.96 / (3.0 * lost.sqrt());
            let least = if lost < 3.0 {
                0.0
            } else {
                lost * root * root * root
            };
            share.low = least / sent.value;
            // None of n lost says that fewer than 3/n are, 19 times of 20.
            share.high = (lost + 2.0 * lost.sqrt() + 3.0) / sent.value;
            self.idle_loss = Some(share);
        }
    }
}
