//! What tapped links carry, as bytes and in order of time.
//!
//! A port knows when a frame will have been sent as soon as it comes, and its bytes may be gone by then: their head is kept
//! until that instant has come.

use farpath_scenario::plan::Plan;
use farpath_units::Time;

use super::heading::Macs;
use super::packet::OFFLOAD;
use crate::capture::{SNAP, Watch};

/// One frame that has been put on a link, or will be.
struct Carried {
    at: Time,
    tap: usize,
    head: Vec<u8>,
    length: u32,
}

/// A tapped direction of a link.
struct Tap {
    port: usize,
    macs: Macs,
    watch: Watch,
}

/// Every tapped direction.
#[derive(Default)]
pub(super) struct Taps {
    all: Vec<Tap>,
    pending: Vec<Carried>,
}

impl Taps {
    /// Another one; its frames have the addresses of the nodes at the ends of the link.
    pub(super) fn add(&mut self, plan: &Plan, port: usize, watch: Watch) {
        let address = |node: usize| [2, 0, 0, 0, (node >> 8) as u8, node as u8];
        let macs = Macs {
            destination: address(plan.ports[port].to.0),
            source: address(plan.ports[port].from.0),
        };
        self.all.push(Tap { port, macs, watch });
    }

    /// The taps and the ports that they are of.
    pub(super) fn ports(&self) -> Vec<(usize, usize)> {
        self.all.iter().map(|tap| tap.port).enumerate().collect()
    }

    /// The hardware addresses of a tap's frames.
    pub(super) fn macs(&self, tap: usize) -> Macs {
        self.all[tap].macs
    }

    /// Keeps the head of a frame until `at`: `out` with its offload header, and the rest behind it.
    pub(super) fn keep(&mut self, tap: usize, at: Time, out: &[u8], rest: &[u8]) {
        let bytes = out[OFFLOAD..].iter().chain(rest);
        self.pending.push(Carried {
            at,
            tap,
            head: bytes.take(SNAP).copied().collect(),
            length: (out.len() - OFFLOAD + rest.len()) as u32,
        });
    }

    /// Hands on what was on a link before `until`.
    pub(super) fn hand_on(&mut self, until: Time) {
        if self.pending.is_empty() {
            return;
        }
        self.pending
            .sort_by_key(|carried| (carried.at, carried.tap));
        let ready = self.pending.partition_point(|carried| carried.at < until);
        for carried in self.pending.drain(..ready) {
            let watch = &self.all[carried.tap].watch;
            watch.saw(carried.at.as_ns(), carried.head, carried.length);
        }
    }
}
