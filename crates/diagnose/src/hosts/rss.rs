//! A receiver of Windows whose adapter has receive side scaling (RSS) off: one processor receives for all its connections.

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::fact::Of;
use crate::flows::flow::{Flow, word};
use crate::hosts::machine::FULL;
use crate::items::{Item, step};
use crate::read::{Facts, RSS_OFF};
use crate::seen::Side;

/// What it says for a processor that is full, decibans. A choice.
const BESIDE: f64 = 8.0;

impl Evidence {
    /// Takes what the texts of the receiver alone say.
    pub(crate) fn of_rss(&mut self, facts: &Facts, flow: &Flow) {
        let mut own = flow.receivers.iter();
        let off = own.find_map(|n| {
            let alone = !flow.senders.contains(n);
            word(facts, Of::Host(*n), RSS_OFF).filter(|_| alone)
        });
        self.around.rss_off = off.map(|(adapter, _)| adapter.to_owned());
    }
}

/// Weighs it: beside a processor of the receiver that is full it is the reason, and where no text says how busy that is it may be.
pub(crate) fn by_rss(e: &Evidence, items: &mut Vec<Item>) {
    let Some(adapter) = &e.around.rss_off else {
        return;
    };
    let off = format!(
        "receive side scaling (RSS) of {adapter} is off: one processor receives for all connections"
    );
    let receives = e
        .cpu_of
        .as_ref()
        .is_some_and(|(side, _)| *side == Some(Side::Receiver));
    items.extend(match &e.cpu {
        None => Some(Item {
            holds: 1.0,
            weights: Vec::new(),
            sentence: format!("{off}, and no text says how busy it is"),
        }),
        Some(cpu) if receives => Some(Item {
            holds: step(cpu.value, FULL[0], FULL[1]),
            weights: vec![(Cause::HostCpu, BESIDE)],
            sentence: off,
        }),
        Some(_) => None,
    });
}
