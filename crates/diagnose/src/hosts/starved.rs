//! An interface that drops what arrives as the processor that empties its ring is full: more room in the ring only delays that.

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::flows::flow::Flow;
use crate::hosts::core::Core;
use crate::hosts::machine::FULL;
use crate::items::{Item, step};
use crate::seen::Side;

/// How much such drops say for the processor and against the interface, decibans. Choices.
const WEIGHTS: [(Cause, f64); 2] = [(Cause::HostCpu, 16.0), (Cause::Nic, -16.0)];

impl Evidence {
    /// Whether the receiver's interface dropped what arrived, and the busiest processor is the receiver's, and busy with soft interrupts.
    pub(crate) fn of_starved(&mut self, flow: &Flow) {
        let receives = |host: u32| flow.end_of(host) == Some(Side::Receiver);
        let drops = self.nic_drops.as_ref().is_some_and(|d| receives(d.host));
        let side = self.cpu_of.as_ref().and_then(|(side, _)| *side);
        let soft = self.core.as_ref().is_some_and(Core::is_soft);
        self.around.starved = drops && soft && side == Some(Side::Receiver);
    }
}

/// Weighs drops that account for what was sent again, beside that processor.
pub(crate) fn by_starved(e: &Evidence, items: &mut Vec<Item>) {
    let (true, Some(drops), Some(cpu)) = (e.around.starved, &e.nic_drops, &e.cpu) else {
        return;
    };
    items.push(Item {
        holds: step(cpu.value, FULL[0], FULL[1]) * drops.surely_accounts(e),
        weights: WEIGHTS.to_vec(),
        sentence: "the receiver's interface drops what its full processor does not take from the ring in time: a longer ring only delays that".to_owned(),
    });
}
