//! Streams of datagrams with exponential gaps: what their peaks lose in front of a link that is fast enough for their mean.

use farpath_predict::queue;

use super::Path;
use crate::model::{Arrivals, Test, Udp};

/// Part of a rate by which a link must be slower for anything to wait in front of it.
pub(super) const LESS: f64 = 1e-9;

/// Gaps behind a link are taken for exponential in front of one so many times slower. Behind one ten times as fast up to 1.3 % fewer
/// datagrams are lost, simulated at loads of 0.5 and 0.9.
pub(super) const FASTER: f64 = 10.0;

/// Share of the datagrams from which on a loss is said.
pub(super) const WORTH: f64 = 1e-6;

/// Load from which on datagrams may wait in a queue of which no law is known.
pub(super) const LOADED: f64 = 0.05;

/// What the peaks of a stream lose.
#[derive(Default)]
pub(super) struct Peaks {
    /// At each crossing of the way out, of what a steady stream would have there.
    lost: Vec<f64>,
    pub(super) notes: Vec<String>,
}

impl Peaks {
    /// The share lost at a crossing, from 0 on.
    pub(super) fn lost_at(&self, crossing: usize) -> f64 {
        self.lost.get(crossing).copied().unwrap_or(0.0)
    }

    /// The share that all crossings pass.
    pub(super) fn passed(&self) -> f64 {
        self.lost.iter().map(|lost| 1.0 - lost).product()
    }
}

impl Path<'_> {
    /// What the peaks of a stream lose that offers so much, payload in bit/s, alone on its way. Behind exponential gaps that no other place
    /// has changed, a queue that drops at its end loses as M/D/1/K does. Elsewhere nothing is counted, and a note says so. A stream that
    /// comes and goes has a note of its own.
    pub(super) fn peaks(&self, test: &Test, udp: &Udp, offered_bps: f64) -> Peaks {
        let mut peaks = Peaks::default();
        let varies = udp.on_off.is_some() || udp.envelope.is_some() || udp.replay.is_some();
        if udp.arrivals == Arrivals::Constant || varies || udp.cells.is_some() {
            return peaks;
        }
        let size = (udp.size + self.header(), udp.size);
        let undisturbed = self.keeps_gaps(test, size);
        let (mut comes_bps, mut slowest_bps) = (offered_bps, f64::INFINITY);
        for (at, hop) in self.there.iter().enumerate() {
            let place = self.place(hop.port, size, comes_bps);
            let mut lost = 0.0;
            // Behind a link as slow or slower they come one by one.
            if place.rate_bps < slowest_bps * (1.0 - LESS) {
                let load = comes_bps / place.rate_bps;
                let is_line = place.rate_bps >= place.line_bps;
                let room = self.lasting_room(hop.port, size.0).filter(|_| is_line);
                let share = room.map(|room| queue::md1k_drop_ratio(load, room));
                // Of what a steady stream has: no more than the line.
                let more = share.map(|share| 1.0 - (1.0 - share) * load.max(1.0));
                let exponential = slowest_bps >= FASTER * place.rate_bps * (1.0 - LESS);
                let name = self.port_name(hop.port);
                match (room, more) {
                    (Some(room), Some(more)) if more >= WORTH => {
                        if undisturbed && exponential {
                            lost = more;
                            peaks.notes.push(overflows(&name, room, more, load));
                        } else {
                            peaks.notes.push(unforeseen(&name));
                        }
                    }
                    (None, _) if load > LOADED => peaks.notes.push(unforeseen(&name)),
                    _ => {}
                }
            }
            slowest_bps = slowest_bps.min(place.rate_bps);
            let passes_bps = comes_bps.min(place.rate_bps) * (1.0 - lost);
            comes_bps = passes_bps * (1.0 - self.loss_ratio(size.0, &self.there[at..=at]));
            peaks.lost.push(lost);
        }
        peaks
    }

    /// Whether nothing but lines and random losses lies between the source of a stream and its receiver.
    pub(super) fn keeps_gaps(&self, test: &Test, (len, payload): (u32, u32)) -> bool {
        let changes = self.there.iter().any(|hop| {
            let line = &self.direction(hop.port).impairments;
            line.jitter.is_some() || line.reordering.is_some() || line.duplication.is_some()
        });
        let limited = self.hosts_bps(len, payload, 0.0, 0).is_finite();
        let others = limited || self.crosses_twice() || self.parted().is_some();
        !changes && !others && self.policers(test, len, payload).is_empty()
    }
}

/// That a queue of so much room drops peaks.
fn overflows(name: &str, room: u64, more: f64, load: f64) -> String {
    let beside = match load > 1.0 {
        true => " beside what the line does not carry",
        false => "",
    };
    format!(
        "peaks of the exponential gaps overflow the queue of {name}, which holds {room}: in the mean of a long time {:.2} % are lost there{beside} \
         (M/D/1/K)",
        more * 100.0
    )
}

fn unforeseen(name: &str) -> String {
    format!(
        "as if datagrams came at equal gaps: what a peak of exponential ones loses in front of {name} is not foreseen: simulate"
    )
}
