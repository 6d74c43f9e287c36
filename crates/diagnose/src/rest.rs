//! The path at rest: its round trips and its losses without load.

use crate::asking::Asking;
use crate::bloat::ms;
use crate::cause::Cause;
use crate::document::MissingFact;
use crate::evidence::Evidence;
use crate::fact::{Figure, Place};
use crate::flow::Flow;
use crate::items::{Item, LOSSES, of, step};
use crate::part::part;
use crate::read::Facts;

/// From so many times the least round trip that the kernel saw, and so much above it, seconds, pings were sent under load.
const LONGER: f64 = 1.25;
const LONGER_S: f64 = 0.004;

/// A congestion window that fills a queue is at least twice what the path at rest holds: up to so many times the pings' it is not a round trip at rest.
const SAME: f64 = 1.5;

/// Most that is said of what goes by a round trip at rest that no text has. A choice: as of what rests on an assumption.
const UNRESTED: f64 = 0.6;

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

    /// Why the pings are not of the path at rest, where a queue stood in each of them; none where nothing says so.
    fn never_rested(&self) -> Option<String> {
        let idle = self
            .rtt_idle
            .as_ref()
            .filter(|_| self.around.split.is_none())?;
        if idle.from.contains(&Place::You) || self.udp {
            return None;
        }
        if let Some([still, least]) = self.around.below {
            return Some(format!(
                "pings that hardly varied took {} at least, and others {}: a queue stood meanwhile, of others or of this flow",
                ms(still),
                ms(least)
            ));
        }
        let floor = self.rtt_floor.as_ref()?.value;
        if idle.low > LONGER * floor && idle.low > floor + LONGER_S {
            return Some(format!(
                "each ping took {} or more, and the kernel saw {}: they were sent under load",
                ms(idle.low),
                ms(floor)
            ));
        }
        // A window that outgrows its path fills a queue: over a round trip at rest it would be far more than the rate.
        let cwnd = self.counted.iter().rev().find_map(|r| r.cwnd)?;
        let rate = self.settled()?.value;
        let round = cwnd * 8.0 * self.streams / rate;
        (self.window_outgrows() > 0.5 && round < SAME * idle.value).then(|| {
            format!(
                "the congestion window filled a queue, and over the {} of the pings it is no more than the rate: they were sent under load",
                ms(idle.value)
            )
        })
    }

    /// The most that is said of a cause that goes by the round trip at rest, where no text has it.
    pub(crate) fn at_most_unrested(&self, cause: Cause) -> f64 {
        let goes = cause.is_loss() || matches!(cause, Cause::Shaper | Cause::CrossTraffic);
        match goes && self.never_rested().is_some() {
            true => UNRESTED,
            false => 1.0,
        }
    }

    /// A ping of the idle path, where those in the texts are of one under load: all that fills a queue goes by it.
    pub(crate) fn asks_rest(&self, asking: &Asking, likely: &[Cause]) -> Option<MissingFact> {
        let full = |c: &Cause| {
            c.is_loss() || matches!(c, Cause::Shaper | Cause::CrossTraffic | Cause::Link)
        };
        if let Some(which) = self.asks_vantage(asking) {
            return Some(which);
        }
        let why = self.never_rested()?;
        likely.iter().any(full).then(|| MissingFact {
            fact: "rtt_idle_ns",
            would_decide: format!(
                "how long a round trip is at rest, and so what a queue adds: {why}"
            ),
            command: format!(
                "while neither this nor anything else is sent: {}",
                asking.ping(20)
            ),
        })
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
            self.around.pings_lost = lost_pings(facts, flow);
            return;
        }
        self.idle_loss = known
            .or(told)
            .or_else(|| lost_pings(facts, flow))
            .or(self.idle_loss.take());
    }
}

/// The share of a flow's pings that was lost, and between what it may lie; none without any.
fn lost_pings(facts: &Facts, flow: &Flow) -> Option<Figure> {
    let count = |name: &str| {
        facts.along(flow, name).cloned().reduce(|a, b| {
            let mut both = a.with(&b);
            both.value = a.value + b.value;
            both
        })
    };
    let (sent, received) = count("ping_sent").zip(count("ping_received"))?;
    if sent.value <= 0.0 {
        return None;
    }
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
    Some(share)
}

/// What the path loses whatever is sent.
pub(crate) fn at_rest(e: &Evidence, items: &mut Vec<Item>) {
    if let Some(idle) = e.idle_loss.as_ref().filter(|_| !e.udp) {
        let (seen, sure) = (idle.low > 0.0, idle.high < 0.02);
        items.push(Item {
            holds: if seen { 1.0 } else { 0.0 },
            weights: vec![(Cause::RandomLoss, 10.0), (Cause::CrossTraffic, 2.0)],
            sentence: match idle.from.contains(&Place::You) {
                true => format!("the path loses {} of packets whatever is sent", part(idle.value)),
                false if idle.value >= 1.0 => "nothing that ping or a trace sent was answered".to_owned(),
                false => format!(
                    "{} of the packets that ping or a trace sent were lost; no text says whether the path was idle meanwhile",
                    part(idle.value)
                ),
            },
        });
        if let Some(again) = e.again.as_ref().filter(|a| seen && a.value > 0.0) {
            let off = libm::fabs(libm::log(idle.value / again.value));
            items.push(Item {
                holds: 1.0 - step(off, 0.5, 1.2),
                weights: [of(&LOSSES, -8.0), vec![(Cause::RandomLoss, 14.0)]].concat(),
                sentence: match idle.from.contains(&Place::You) {
                    true => "as large a share is lost without load as under it",
                    false => "as large a share of pings is lost as of the flow's segments",
                }
                .to_owned(),
            });
        }
        items.push(Item {
            holds: if !seen && sure { 0.5 } else { 0.0 },
            weights: vec![(Cause::RandomLoss, -4.0)],
            sentence: String::new(),
        });
    }
}
