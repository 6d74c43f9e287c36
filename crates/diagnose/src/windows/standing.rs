//! A window that fills a queue: over the round trip that this queue makes it leaves the rate, whatever the rate is, and says nothing.

use crate::cause::Cause;
use crate::ceiling::{UNSCALED, bps, bytes};
use crate::evidence::Evidence;
use crate::items::{Item, spread};
use crate::lines::bloat::ms;

/// From so many times the round trip at rest on, and so much above its longest, seconds, a queue stands under load.
const LONGER: f64 = 1.5;
const LEAST_S: f64 = 0.004;

/// With fewer segments in flight acknowledgements that wait make a round trip long (RFC 9293 §3.8.6.3), and no queue.
const SEGMENTS: f64 = 8.0;

/// A window that leaves so many times the rate over the round trip at rest is not what holds it.
const LEAVES: f64 = 1.3;

/// A window, over the longer round trip, explains the rate between these parts of what it leaves.
const EXPLAINS: [f64; 2] = [0.8, 1.1];

/// Below this part of what the line leaves something slower is full.
const SLOWER: f64 = 0.8;

/// Intervals differ by less than this part of their mean where one flow has all that the queue lets through.
const STAYS: f64 = 0.05;

/// What a window or buffer that fills a queue shows.
#[derive(Clone, Debug)]
pub(crate) struct Standing {
    /// Whose rooms fill it.
    causes: Vec<Cause>,
    /// Round trip at rest and under load, seconds.
    rest_s: f64,
    loaded_s: f64,
    /// Rate, bit/s, and what the least of the rooms leaves over the round trip at rest.
    rate: f64,
    leaves: f64,
}

impl Standing {
    /// Whether a cause is of a room that only fills the queue.
    fn shows(&self, cause: Cause) -> bool {
        let window = self.causes.contains(&Cause::ReceiveWindow);
        self.causes.contains(&cause) || cause == Cause::Client && window
    }
}

impl Evidence {
    /// The round trips at rest and under load, where a queue stands between them; seconds.
    fn stands(&self) -> Option<[f64; 2]> {
        let [rest, most] = self.rtt_at_rest()?;
        let loaded = self.rtt_loaded.as_ref()?.value;
        let rate = self.rate.as_ref().filter(|_| !self.udp)?;
        let flight = rate.value * loaded / 8.0 / self.streams;
        let longer = loaded > LONGER * rest && loaded > most + LEAST_S;
        (longer && flight > SEGMENTS * self.mss).then_some([rest, loaded])
    }

    /// A window or buffer that explains the rate over the round trip under load alone: what it lets be in flight stands in a queue.
    pub(crate) fn fills_queue(&self) -> Option<Standing> {
        let [rest_s, loaded_s] = self.stands()?;
        let rate = self.rate.as_ref()?.value;
        let left = |bytes: f64, rtt: f64| bytes * 8.0 * self.streams / rtt;
        let mut causes = Vec::new();
        let mut leaves = f64::INFINITY;
        let windows = self
            .windows
            .iter()
            .map(|r| (Cause::ReceiveWindow, [r.bytes.low, r.bytes.high]));
        let buffers = self
            .buffers
            .iter()
            .map(|r| (Cause::SendBuffer, [r.bytes.low, r.bytes.high]));
        let unscaled = self
            .unscaled
            .map(|_| (Cause::NoWindowScaling, [UNSCALED; 2]));
        for (cause, [low, high]) in windows.chain(buffers).chain(unscaled) {
            let explains = EXPLAINS[0] * left(low, loaded_s) <= rate
                && rate <= EXPLAINS[1] * left(high, loaded_s);
            // Of a room that is not known to the byte as much is used as is in flight.
            let used = rate * loaded_s / 8.0 / self.streams;
            let used = libm::fmin(libm::fmax(used, low), high);
            if explains && left(used, rest_s) > LEAVES * rate {
                causes.push(cause);
                leaves = libm::fmin(leaves, left(used, rest_s));
            }
        }
        (!causes.is_empty()).then_some(Standing {
            causes,
            rest_s,
            loaded_s,
            rate,
            leaves,
        })
    }

    /// Whether a cause is a window or buffer that only fills a queue, or a program that leaves such a window.
    pub(crate) fn only_fills(&self, cause: Cause) -> bool {
        self.fills_queue().is_some_and(|s| s.shows(cause))
    }
}

/// A queue that stands is none of a policer's, which lets nothing wait. Where the rate stays as well, what the queue drops costs nothing.
fn against_policer(e: &Evidence, items: &mut Vec<Item>) {
    // One that shows itself may lie behind a queue of something else.
    let shown = e.policer.is_some() || e.found_policer.is_some() || e.account.is_some();
    if e.stands().is_none() || shown || e.around.ports.police() {
        return;
    }
    let stays = spread(&e.steady).is_some_and(|s| s < STAYS);
    let losses = [(Cause::CongestionLoss, -8.0), (Cause::ShallowBuffer, -8.0)];
    let losses = losses.into_iter().filter(|_| stays);
    items.push(Item {
        holds: 1.0,
        weights: losses.chain([(Cause::Policer, -24.0)]).collect(),
        sentence: String::new(),
    });
}

/// What stands in a queue is more than the path holds: its narrowest link is full, of this flow or of others beside it.
pub(crate) fn by_standing(e: &Evidence, items: &mut Vec<Item>) {
    against_policer(e, items);
    let Some(standing) = e.fills_queue() else {
        return;
    };
    let line = e
        .line
        .as_ref()
        .map(|(line, _)| line.value * e.payload_share());
    let slower = line.filter(|line| standing.rate < SLOWER * line);
    let full = match slower {
        Some(_) if e.lower_port().is_none() => Cause::Shaper,
        _ => Cause::Link,
    };
    let against = |cause: &Cause| match cause {
        Cause::NoWindowScaling => (*cause, -50.0),
        _ => (*cause, -36.0),
    };
    let mut weights: Vec<(Cause, f64)> = standing.causes.iter().map(against).collect();
    weights.push((
        Cause::Client,
        if standing.shows(Cause::Client) {
            -30.0
        } else {
            0.0
        },
    ));
    weights.push((full, 14.0));
    let queue = standing.rate * (standing.loaded_s - standing.rest_s) / 8.0;
    items.push(Item {
        holds: 1.0,
        weights,
        sentence: format!(
            "the round trip is {} under load and {} at rest: {} stand in a queue, so a link is full at {}{}. At rest the window or buffer would leave {}",
            ms(standing.loaded_s),
            ms(standing.rest_s),
            bytes(queue),
            bps(standing.rate),
            match slower {
                Some(_) => ", and it is slower than stated, or a shaper, or full of other traffic too",
                None => "",
            },
            bps(standing.leaves)
        ),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::{Figure, Place};

    /// 95 Mbit/s over 15 ms at rest, and so many under load.
    fn ranked(loaded_s: f64) -> Vec<crate::infer::Ranking> {
        let exact = |value: f64| Figure::exact(value, Place::You);
        let e = Evidence {
            rate: Some(exact(95e6)),
            rtt: Some(exact(loaded_s)),
            rtt_floor: Some(exact(0.015)),
            rtt_loaded: Some(exact(loaded_s)),
            again: Some(exact(3e-4)),
            retransmits: Some(exact(26.0)),
            steady: vec![95e6; 8],
            peak: 95e6,
            interval_s: 1.0,
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        };
        crate::infer::weigh(&e, &[]).ranking
    }

    #[test]
    fn a_queue_that_stands_is_not_before_a_policer() {
        let of = |ranking: &[crate::infer::Ranking], cause: Cause| {
            let found = ranking.iter().find(|r| r.cause == cause);
            found.map_or(0.0, |r| r.confidence)
        };
        let stands = ranked(0.052);
        assert!(of(&stands, Cause::Policer) < 0.01, "{stands:?}");
        assert!(of(&stands, Cause::Policer) < of(&ranked(0.0152), Cause::Policer));
    }
}
