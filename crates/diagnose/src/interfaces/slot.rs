//! The slot of an interface card: what its lanes carry, whatever the speed of the port is.

use crate::cause::Cause;
use crate::ceiling::{Limit, bps, limit};
use crate::evidence::Evidence;
use crate::fact::{Figure, Of};
use crate::flows::flow::{Flow, number};
use crate::items::{Item, step};
use crate::read::Facts;
use crate::read::kernel_log::{CARRIES, COULD};

/// What of a slot's rate frames get, at least, usually and at most: packets of 128 to 512 bytes have 20 to 28 of headers, and descriptors and
/// acknowledgements pass, too. A rule of thumb, held against no measurement.
const SHARE: [f64; 3] = [0.7, 0.85, 0.95];

/// Two figures of one slot differ by less than this part: one is rounded.
const SAME: f64 = 0.01;

/// A rate of this part of a slot's meets it, and surely from the second on; it does not from the third on, and surely from the last.
const MET: [f64; 4] = [0.6, 0.7, 0.97, 1.05];

/// The slot that carries least.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    /// The number of its host.
    pub(crate) host: u32,
    /// What it carries, bit/s.
    carries: Figure,
    /// What the card could use of another, bit/s.
    most: Option<f64>,
}

impl Slot {
    /// Of a host; none where its texts are of several cards.
    fn of(facts: &Facts, host: u32) -> Option<Slot> {
        let of = Of::Host(host);
        let said = facts
            .facts
            .iter()
            .filter(|f| f.of == of && f.name == CARRIES);
        let mut all: Vec<&Figure> = said.filter_map(|f| f.number()).collect();
        all.sort_by(|a, b| a.value.total_cmp(&b.value));
        let (least, last) = (all.first()?, all.last()?);
        (last.value <= (1.0 + SAME) * least.value).then(|| Slot {
            host,
            carries: (*least).clone(),
            most: number(facts, of, COULD).map(|f| f.value),
        })
    }

    /// `31.5 Gbit/s, of 252 Gbit/s that the card could use`.
    pub(crate) fn shown(&self) -> String {
        let own = self.carries.value;
        let more = self.most.filter(|most| *most > (1.0 + SAME) * own);
        let more = more.map_or_else(String::new, |most| {
            format!(", of {} that the card could use", bps(most))
        });
        format!("{}{more}", bps(own))
    }
}

impl Evidence {
    /// The slots of the cards of both ends.
    pub(crate) fn of_slots(&mut self, facts: &Facts, flow: &Flow) {
        let hosts = flow.senders.iter().chain(&flow.receivers);
        let all = hosts.filter_map(|host| Slot::of(facts, *host));
        self.around.slot = all.min_by(|a, b| a.carries.value.total_cmp(&b.carries.value));
    }

    /// How surely the rate is what a slot leaves, 0 to 1.
    fn meets_slot(&self) -> f64 {
        let (Some(slot), Some(rate)) = (&self.around.slot, &self.rate) else {
            return 0.0;
        };
        let met = rate.value / slot.carries.value;
        step(met, MET[0], MET[1]) * (1.0 - step(met, MET[2], MET[3]))
    }

    /// The slot that the rate meets.
    pub(crate) fn full_slot(&self) -> Option<&Slot> {
        self.around
            .slot
            .as_ref()
            .filter(|_| self.meets_slot() > 0.5)
    }
}

/// What a slot leaves at most.
pub(crate) fn ceiling(e: &Evidence) -> Option<Limit> {
    let slot = e.around.slot.as_ref()?;
    let mut rate = slot.carries.times(SHARE[1]);
    rate.low = slot.carries.low * SHARE[0];
    rate.high = slot.carries.high * SHARE[2];
    let formula = format!(
        "the slot of an interface card: {} · {} to {}",
        slot.shown(),
        SHARE[0],
        SHARE[2]
    );
    Some(limit(Cause::Nic, rate, formula))
}

/// A rate that is what a slot leaves.
pub(crate) fn by_slot(e: &Evidence, items: &mut Vec<Item>) {
    let Some(slot) = &e.around.slot else { return };
    items.push(Item {
        holds: e.meets_slot(),
        weights: vec![(Cause::Nic, 22.0)],
        sentence: format!(
            "the slot of an interface card carries {}: of that packets and their headers leave {:.0} to {:.0} %, whatever the port's speed is",
            slot.shown(),
            100.0 * SHARE[0],
            100.0 * SHARE[2]
        ),
    });
}
