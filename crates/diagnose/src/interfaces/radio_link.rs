//! The radio link of a host of a flow: its interface, and what it says where the flow may have gone over it.

use crate::fact::{Figure, Of};
use crate::flows::flow::{Flow, number, word};
use crate::read::radio::INTERFACE;
use crate::read::{Facts, SIGNAL};
use crate::seen::Side;

/// How far the signal of a radio link is below a milliwatt, decibels.
#[derive(Clone, Debug)]
pub(crate) struct Signal {
    pub(crate) below: Figure,
    /// Its interface behind a space, for people; empty where no text names it.
    pub(crate) interface: String,
}

impl Signal {
    /// Of a host of a flow.
    pub(crate) fn of(facts: &Facts, flow: &Flow, host: u32) -> Option<Signal> {
        let below = flow.radio(facts, host, SIGNAL).filter(|f| f.value > 0.0)?;
        Some(Signal {
            below: below.clone(),
            interface: named(facts, host),
        })
    }
}

impl Flow {
    /// What the radio link of a host says, by the fact's name; none where another interface of that host is known to have carried the flow.
    pub(crate) fn radio<'f>(
        &self,
        facts: &'f Facts,
        host: u32,
        name: &'static str,
    ) -> Option<&'f Figure> {
        let interface = word(facts, Of::Host(host), INTERFACE);
        let left = |(of, _)| self.bypassed.leaves_count(host, of, INTERFACE);
        number(facts, Of::Host(host), name).filter(|_| !interface.is_some_and(left))
    }

    /// Whether what a radio link says of one way is that of this end: a host whose text may be of either is the one at which the test of the
    /// same text was typed.
    pub(crate) fn radio_is_of(&self, side: Side, host: u32, said: &Figure) -> bool {
        let source = said.from.first().and_then(|at| at.source());
        let test = self.test.as_ref().filter(|t| t.at.source() == source);
        let end = self.end_of(host).or(test.map(|t| t.client));
        end.is_none_or(|end| end == side)
    }
}

/// The interface of a host's radio link behind a space, for people; empty where no text names it.
pub(crate) fn named(facts: &Facts, host: u32) -> String {
    let name = word(facts, Of::Host(host), INTERFACE);
    name.map_or_else(String::new, |(name, _)| format!(" {name}"))
}
