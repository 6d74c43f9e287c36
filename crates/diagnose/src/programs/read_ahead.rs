//! Reads of a file of NFS that Linux asks for ahead of its program: so much is in flight, whatever windows and buffers are.

use crate::cause::Cause;
use crate::ceiling::bytes;
use crate::evidence::Evidence;
use crate::fact::Fact;
use crate::items::{Item, step};
use crate::programs::requests::DIRECT;
use crate::read::{AHEAD, Facts};
use crate::seen::Test;

/// What Linux asks for ahead since 5.4 where nobody set it, bytes (`VM_READAHEAD_PAGES`, which NFS takes since then).
const BY_ITSELF: f64 = 131_072.0;

/// The rate is what is asked for ahead in each round trip within the first of these parts of it, and surely not from the second on. A choice.
const NEAR: [f64; 2] = [0.05, 0.1];

/// What it speaks for the program that asks for too little, decibans: where a text says how much, and where none does. Buffers of the same
/// size leave as much, which some hosts come with. Choices.
const SAID: f64 = 40.0;
const SUPPOSED: f64 = 18.0;

/// How much is asked for ahead.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ReadAhead {
    bytes: f64,
    /// Whether a text says it.
    said: bool,
}

impl ReadAhead {
    /// Of what `dd` reads from a mount of NFS through the kernel's cache.
    pub(crate) fn of(facts: &Facts, test: &Test) -> Option<ReadAhead> {
        let direct = test.numbers.contains_key(DIRECT);
        if test.tool != "dd" || !test.name.starts_with("NFS reads") || direct {
            return None;
        }
        let said = facts.facts.iter().rfind(|f| f.name == AHEAD);
        let said = said.and_then(Fact::number).map(|f| f.value);
        Some(ReadAhead {
            bytes: said.unwrap_or(BY_ITSELF),
            said: said.is_some(),
        })
    }
}

/// Weighs it against the rate.
pub(crate) fn by_read_ahead(e: &Evidence, items: &mut Vec<Item>) {
    let path = e.rtt_idle.as_ref().or(e.rtt_floor.as_ref());
    let (Some(ahead), Some(rate), Some(path)) = (e.read_ahead, &e.rate, path) else {
        return;
    };
    let carried = rate.value * path.value / 8.0;
    let apart = (carried / ahead.bytes - 1.0).abs();
    let (own, windows) = match ahead.said {
        true => (SAID, -10.0),
        false => (SUPPOSED, -4.0),
    };
    let kib = ahead.bytes / 1024.0;
    items.push(Item {
        holds: 1.0 - step(apart, NEAR[0], NEAR[1]),
        weights: vec![
            (Cause::Application, own),
            (Cause::ReceiveWindow, windows),
            (Cause::SendBuffer, windows),
        ],
        sentence: format!(
            "{} are in flight in each round trip, as much as {} (read_ahead_kb {kib:.0}): no window or buffer needs to hold them",
            bytes(carried),
            match ahead.said {
                true => "the client asks for ahead of its program",
                false => "Linux asks for ahead of a program by itself since 5.4",
            }
        ),
    });
}
