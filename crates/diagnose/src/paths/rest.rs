//! The path at rest: its round trips and its losses without load.

use crate::asking::Asking;
use crate::cause::Cause;
use crate::document::MissingFact;
use crate::evidence::Evidence;
use crate::fact::{Figure, Place};
use crate::flows::flow::Flow;
use crate::items::{Item, LOSSES, of, step};
use crate::lines::bloat::ms;
use crate::losses::located::is_of_target_alone;
use crate::losses::one_way::OneWayLoss;
use crate::part::part;
use crate::paths::around::RADIO;
use crate::read::Facts;

/// From so many times the least round trip that the kernel saw, and so much above it, seconds, pings were sent under load.
const LONGER: f64 = 1.25;
const LONGER_S: f64 = 0.004;

/// A congestion window that fills a queue is at least twice what the path at rest holds: up to so many times the pings' it is not a round trip at rest.
const SAME: f64 = 1.5;

/// Most that is said of what goes by a round trip at rest that no text has. A choice: as of what rests on an assumption.
const UNRESTED: f64 = 0.6;

/// Lost pings are of a queue that comes and goes as surely as the others vary, 0 to 1: not at all up to the first, fully from the second. A choice.
const VARIES: [f64; 2] = [0.3, 0.7];

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

    /// How surely pings that were lost met a full queue of others, 0 to 1: those that came back waited, now more and now less. Damaged
    /// frames and radio links of the hosts lose by themselves.
    pub(crate) fn loses_beside_others(&self) -> f64 {
        let lost = self.idle_loss.as_ref().filter(|lost| lost.low > 0.0);
        let counted = lost.is_some_and(|lost| !lost.from.contains(&Place::You));
        let around = &self.around;
        let radio = around.signal.is_some() || around.weak_radio.is_some();
        let radio = radio || matches!(self.line, Some((_, RADIO)));
        let other = self.udp || self.rate.is_none() || radio || around.is_damaged();
        match counted && !other && self.never_rested().is_none() {
            true => step(self.unsteady(), VARIES[0], VARIES[1]),
            false => 0.0,
        }
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
        // A radio link that no text has loses and delays as others do.
        let others = cause == Cause::CrossTraffic
            && self.loses_beside_others() > 0.0
            && !self.is_full_of_others();
        match others || goes && self.never_rested().is_some() {
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
        let Some(why) = self.never_rested() else {
            return self.asks_quiet_hour(asking, likely);
        };
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

    /// The same pings at a quiet hour, where pings were lost and the others varied: others' traffic goes then, and chance stays.
    fn asks_quiet_hour(&self, asking: &Asking, likely: &[Cause]) -> Option<MissingFact> {
        let either = |c: &Cause| c.is_loss() || *c == Cause::CrossTraffic;
        let asks = self.loses_beside_others() > 0.0 && likely.iter().any(either);
        asks.then(|| MissingFact {
            fact: "idle_loss_ratio",
            would_decide: "whether a link that others fill loses them: then hardly a ping is lost at a quiet hour, and none waits. What stays is chance, or a radio link".to_owned(),
            command: format!(
                "at a quiet hour, such as early in the morning, while nothing else is sent: {}",
                asking.ping(200)
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
        // Where a transfer arrives, pings of which none is answered are dropped, or go another way.
        let arrives = self.rate.as_ref().is_some_and(|r| r.value > 0.0);
        let pings = lost_pings(facts, flow);
        self.around.silent_pings = arrives && pings.as_ref().is_some_and(|p| p.value >= 1.0);
        let pings = pings.filter(|_| !self.around.silent_pings);
        // What was counted of the data's own way says more than pings, which go both.
        self.around.one_way = OneWayLoss::of(facts, flow);
        let one_way = self.around.one_way.as_ref().map(OneWayLoss::share);
        let counted = one_way.or(pings);
        // What a target leaves unanswered and no hop before it does may be its own limit: without a flow nobody knows.
        let own = self.rate.is_none() && is_of_target_alone(facts);
        let counted = counted.filter(|_| !own);
        self.idle_loss = known.or(told).or(counted).or(self.idle_loss.take());
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
    Some(share_lost(sent.with(&received), sent.value, lost))
}

/// The share that so many lost have of so many sent, and between what it may lie; read where `of` was.
pub(crate) fn share_lost(of: Figure, sent: f64, lost: f64) -> Figure {
    let mut share = of;
    share.value = lost / sent;
    // 97.5 % of a Poisson law's lower limit (Wilson and Hilferty); one or two may be chance.
    let root = 1.0 - 1.0 / (9.0 * lost) - 1.96 / (3.0 * lost.sqrt());
    let least = if lost < 3.0 {
        0.0
    } else {
        lost * root * root * root
    };
    share.low = least / sent;
    // None of n lost says that fewer than 3/n are, 19 times of 20.
    share.high = (lost + 2.0 * lost.sqrt() + 3.0) / sent;
    share
}

/// What the path loses whatever is sent.
pub(crate) fn at_rest(e: &Evidence, items: &mut Vec<Item>) {
    if e.around.silent_pings {
        items.push(Item {
            holds: 1.0,
            weights: Vec::new(),
            sentence: "nothing that ping sent was answered, though the transfer arrived: pings are dropped, or go another way, and say nothing of its loss".to_owned(),
        });
    }
    if let Some(idle) = e.idle_loss.as_ref().filter(|_| !e.udp) {
        let (seen, sure) = (idle.low > 0.0, idle.high < 0.02);
        let holds = match seen {
            true => 1.0,
            false => two_lost(idle),
        };
        let others = e.loses_beside_others();
        items.push(Item {
            holds: others,
            weights: vec![(Cause::CrossTraffic, 4.0), (Cause::RandomLoss, -4.0)],
            sentence: "pings are lost, and those that come back wait now more and now less: a queue that others fill, or a radio link, does both. Chance alone delays nothing".to_owned(),
        });
        items.push(Item {
            holds,
            weights: vec![
                (Cause::RandomLoss, 10.0 * (1.0 - others)),
                (Cause::CrossTraffic, 2.0 + 8.0 * others),
            ],
            sentence: lost_in_words(e, idle),
        });
        if let Some(again) = e.again.as_ref().filter(|a| a.value > 0.0) {
            let off = libm::fabs(libm::log(idle.value / again.value));
            items.push(Item {
                holds: holds * (1.0 - step(off, 0.5, 1.2)),
                weights: [
                    of(&LOSSES, -8.0),
                    vec![
                        (Cause::RandomLoss, 14.0 * (1.0 - others)),
                        (Cause::CrossTraffic, 6.0 * others),
                    ],
                ]
                .concat(),
                sentence: match idle.from.contains(&Place::You) {
                    true => "as large a share is lost without load as under it",
                    false if e.lost_one_way(idle).is_some() => {
                        "as large a share of them is lost as of the flow's segments"
                    }
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

/// What two lost pings of many say, 0 to 1: one may have waited for its neighbour's address, and three are not chance.
const TWO: f64 = 0.75;

/// A share above this is of so few pings that two lost say nothing.
const FEW: f64 = 0.1;

/// How surely two pings of many were lost by the path, 0 to 1: by the upper bound of their share, which has their number.
fn two_lost(share: &Figure) -> f64 {
    let two = share.high < 4.5 * share.value && share.value <= FEW;
    if two { TWO } else { 0.0 }
}

/// What says that the path loses packets whatever is sent.
fn lost_in_words(e: &Evidence, idle: &Figure) -> String {
    if idle.from.contains(&Place::You) {
        return format!(
            "the path loses {} of packets whatever is sent",
            part(idle.value)
        );
    }
    if let Some(one_way) = e.lost_one_way(idle) {
        return one_way;
    }
    match idle.value >= 1.0 {
        true if e.around.barred => {
            "nothing that ping or a trace sent reached its target: what came back are errors"
                .to_owned()
        }
        true => "nothing that ping or a trace sent was answered".to_owned(),
        false => format!(
            "{} of the packets that ping or a trace sent were lost; no text says whether the path was idle meanwhile",
            part(idle.value)
        ),
    }
}

/// Round trips of the idle path that vary: queues and radio do that, a policer does not.
pub(crate) fn by_unsteady(e: &Evidence, items: &mut Vec<Item>) {
    let Some(idle) = &e.rtt_idle else { return };
    let added = idle.value - idle.low;
    items.push(Item {
        holds: e.unsteady(),
        weights: vec![(Cause::Policer, -12.0), (Cause::CrossTraffic, 5.0)],
        sentence: match e.rate {
            Some(_) => format!(
                "the round trip varies without load, by {:.1} ms on average: other traffic or a radio link",
                added * 1e3
            ),
            // Pings alone may stand beside anything.
            None => format!(
                "the round trip varies by {:.1} ms on average, and no text says whether the path was idle meanwhile: if it was, it is other traffic or a radio link",
                added * 1e3
            ),
        },
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2.5 % of 200 pings lost, and the others between 12 and 109 ms with this mean.
    fn evening(mean_s: f64) -> Evidence {
        let at = Place::Line(0, 1);
        Evidence {
            rate: Some(Figure::exact(2.5e6, at)),
            idle_loss: Some(Figure::between(0.025, 0.008, 0.06, at)),
            again: Some(Figure::exact(0.03, at)),
            rtt_idle: Some(Figure::between(mean_s, 0.012, 0.109, at)),
            rtt_floor: Some(Figure::exact(0.012, at)),
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        }
    }

    /// What the losses at rest give a cause, decibans.
    fn worth(e: &Evidence, cause: Cause) -> f64 {
        let mut items = Vec::new();
        at_rest(e, &mut items);
        let each = items.into_iter().flat_map(|i| {
            let own = i.weights.into_iter().filter(move |(c, _)| *c == cause);
            own.map(move |(_, weight)| i.holds * weight)
        });
        each.sum()
    }

    /// 2 of 100 pings lost beside 2.3 % of a flow's segments: they counted for nothing, and a policer was named.
    #[test]
    fn two_lost_pings_of_many_speak_a_little() {
        let of = |sent: f64, lost: f64| {
            let e = Evidence {
                idle_loss: Some(share_lost(Figure::exact(0.0, Place::You), sent, lost)),
                again: Some(Figure::exact(0.023, Place::You)),
                ..evening(0.012_1)
            };
            worth(&e, Cause::RandomLoss)
        };
        let [none, one, two, three] = [0.0, 1.0, 2.0, 3.0].map(|lost| of(100.0, lost));
        assert!(none <= 0.0 && one <= 0.0, "{none} {one}");
        assert!(two > 5.0 && three > two, "{two} {three}");
        // Both of two are a host that is not there.
        assert!(of(2.0, 2.0) <= 0.0);
    }

    #[test]
    fn lost_pings_whose_fellows_waited_speak_for_others_and_not_for_chance() {
        let varies = evening(0.047);
        assert_eq!(varies.loses_beside_others(), 1.0);
        let of = |cause| worth(&varies, cause);
        assert!(of(Cause::CrossTraffic) > of(Cause::RandomLoss) + 20.0);
        assert!(varies.at_most_unrested(Cause::CrossTraffic) < 0.7);
        // What waits for nothing was lost by chance.
        let still = evening(0.012_1);
        assert_eq!(still.loses_beside_others(), 0.0);
        let of = |cause| worth(&still, cause);
        assert!(of(Cause::RandomLoss) > of(Cause::CrossTraffic) + 10.0);
    }

    #[test]
    fn a_radio_link_loses_and_delays_by_itself() {
        let radio = Evidence {
            line: Some((Figure::exact(60e6, Place::You), RADIO)),
            ..evening(0.047)
        };
        assert_eq!(radio.loses_beside_others(), 0.0);
    }
}
