//! What is said of short paths, where times of the hosts are a good part of a round trip.

use farpath_predict::recovery::{Losses, segments_bps};
use farpath_predict::{Rules, cubic_linux, recovery};
use farpath_units::Size;

use crate::forecast::flow::Flow;

/// Of a rate: a part that is worth a word.
const WORTH: f64 = 0.02;

impl Flow {
    /// Where the window that losses leave stands for longer than a round trip, or its round trips are longer than an idle one.
    pub(super) fn notes_of_short_path(&self, loss_bps: f64) -> Vec<String> {
        let limits = self.loss > 0.0 && loss_bps * self.streams < self.steady(f64::INFINITY);
        let held = self.cc.filter(|_| limits && self.chain.is_none());
        let Some(held) = held.and_then(|cc| self.under_loss(cc)) else {
            return Vec::new();
        };
        let mss = Size::from_bytes(self.config.mss.into());
        let mbps =
            |segments, round_trip| segments_bps(segments, mss, round_trip) * self.streams / 1e6;
        let mut notes = Vec::new();
        let round_trip_s = held.round_trip.as_secs_f64();
        let by_rfc = match self.losses {
            Losses::Periodic => recovery::cubic_window(self.loss, round_trip_s),
            Losses::Random => recovery::cubic_random_window(self.loss, round_trip_s, Rules::Linux),
        };
        if self.is_linux_cubic() && held.segments < (1.0 - WORTH) * by_rfc {
            notes.push(format!(
                "a Linux sender works CUBIC's growth out anew after {:.2} ms or 100 round trips, and its window stands meanwhile: one that did \
                 not stand would give {:.3} Mbit/s, without repairs and timeouts",
                cubic_linux::STANDS_S * 1e3,
                mbps(by_rfc, held.round_trip)
            ));
        }
        let longer = held.round_trip.saturating_sub(self.base).as_secs_f64();
        if longer > WORTH * self.rtt_s() {
            let waits = self.waits_under_s(Some(held.segments * self.mss())) > 0.0;
            let why = match (self.gathers_s(held.segments) > 0.0, waits) {
                (true, true) => {
                    "the receiver gathers segments (GRO), and the sender waits until its bursts are whole (TSO)"
                }
                (true, false) => "the receiver gathers segments (GRO)",
                _ => "the sender waits until its bursts are whole (TSO)",
            };
            notes.push(format!(
                "round trips of this window take {:.3} ms, idle ones {:.3} ms: {why}",
                held.round_trip.as_secs_f64() * 1e3,
                self.rtt_s() * 1e3
            ));
        }
        notes
    }
}
