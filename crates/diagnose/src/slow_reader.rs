//! A receiver whose processor is full: its program reads slowly, so that its window is small and its Recv-Q stays. All of that is one cause.

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::items::{Item, step};
use crate::machine::FULL;
use crate::seen::Side;

/// A window that is known otherwise than by what was announced may hold as well where it leaves so many times the rate at most.
const MET: f64 = 1.3;

impl Evidence {
    /// How surely a processor of the receiver is full, 0 to 1; 0 of datagrams, whose receiver announces no window.
    pub(crate) fn reads_slowly(&self) -> f64 {
        let of = |(side, _): &(Option<Side>, String)| *side == Some(Side::Receiver) && !self.udp;
        match (&self.cpu, self.cpu_of.as_ref().is_some_and(of)) {
            (Some(cpu), true) => step(cpu.value, FULL[0], FULL[1]),
            _ => 0.0,
        }
    }
}

/// What speaks for a program that does not read speaks for the processor that it fills. The program and its window are its symptoms.
pub(crate) fn by_slow_reader(e: &Evidence, items: &mut Vec<Item>) {
    let holds = e.reads_slowly();
    if holds <= 0.0 {
        return;
    }
    let mut shown = false;
    for item in items.iter_mut() {
        let client = item.weights.iter().find(|(c, _)| *c == Cause::Client);
        if let Some(weight) = client.map(|(_, w)| *w).filter(|w| *w > 0.0) {
            shown |= item.holds > 0.0;
            item.weights.push((Cause::HostCpu, weight * holds));
        }
    }
    let held = e.is_met_by_settings(MET);
    items.push(Item {
        holds,
        weights: vec![
            (Cause::Client, -20.0),
            (Cause::ReceiveWindow, if held { 0.0 } else { -30.0 }),
        ],
        sentence: String::new(),
    });
    items.push(Item {
        holds: if shown { holds } else { 0.0 },
        weights: vec![(Cause::HostCpu, 0.1)],
        sentence: "the receiver's processor is full, so that its program reads slowly: its window and its Recv-Q show that, and not a second cause".to_owned(),
    });
}
