//! Flights of a short transfer, and bursts of BBR, that the queue in front of the line does not hold.

use farpath_predict::Cc;
use farpath_predict::paced::Paced;

use super::reservations::REPAIR_WORTH;
use crate::forecast::flow::Flow;
use crate::model::Test;

impl Flow {
    /// Where a flight of slow start comes faster than the line takes it, and what waits of it is more than the queue holds; `transfer_s`
    /// is the transfer's time without that.
    ///
    /// The first flight comes at the rate of the slowest place before the line. Each later one is let go by the acknowledgements of the
    /// one before, which leave the line at its rate: what it has grown by waits.
    pub(super) fn doubt_of_burst(&self, test: &Test, transfer_s: f64) -> Option<String> {
        let bytes = self.config.amount.filter(|_| test.duration.is_none())?;
        let paces = self.cc.is_some_and(Cc::is_bbr) || self.config.pacing.is_some();
        let alone = self.streams <= 1.0 && self.narrowest.place == "link";
        let worth = self.repair_s() > REPAIR_WORTH * transfer_s;
        if !alone || paces || !worth || !self.room.is_finite() {
            return None;
        }
        let (all, pipe) = ((bytes as f64 / self.mss()).ceil(), self.pipe());
        let (mut sent, mut before) = (0.0, None);
        for window in self.slow_start(self.cap()).windows() {
            let window = window.min(self.cap());
            let flight = window.min(all - sent);
            let passes = flight * before.map_or(self.feeds, |before| before / window);
            if flight - passes > self.room {
                return Some(self.words_of_burst(flight, passes, before.is_none()));
            }
            sent += flight;
            before = Some(window);
            if sent >= all || window >= pipe.min(self.cap()) {
                break;
            }
        }
        None
    }

    /// Where the queue in front of the line holds less than what waits there of what BBR sends at once.
    pub(in crate::forecast) fn doubt_of_paced_bursts(&self) -> Option<String> {
        let each_bps = self.window_bps().min(self.narrowest.bps / self.streams);
        let paced = Paced {
            bytes_per_s: each_bps / 8.0,
            segment_bytes: self.mss(),
            rtt_s: self.burst_rtt_s(),
            passes: self.feeds,
            streams: self.streams,
            pipe: self.pipe() * self.streams,
        };
        let waits = paced.waits();
        let paces = self.cc.is_some_and(Cc::is_bbr) && self.narrowest.place == "link";
        (paces && self.room < waits).then(|| {
            format!(
                "outside the formula's range: the queue in front of the line holds {:.0} segments, and {waits:.0} of what BBR sends at once wait \
                 there: what it loses is in no law: simulate",
                self.room
            )
        })
    }

    /// The round trip in seconds that the bursts of a sender that paces follow: infinite without super-frames, where the rate alone
    /// counts.
    pub(in crate::forecast) fn burst_rtt_s(&self) -> f64 {
        match self.config.tso > 0 {
            true => self.base.as_secs_f64(),
            false => f64::INFINITY,
        }
    }

    fn words_of_burst(&self, flight: f64, passes: f64, is_first: bool) -> String {
        let which = match is_first {
            true => "the first burst",
            false => "a burst of slow start",
        };
        let (room, longer) = (self.room, self.longest_repair());
        format!(
            "{which} of {flight:.0} segments is more than the queue holds: {room:.0}, and {passes:.0} leave while it comes; the forecast has \
             not the time in which what is lost is sent again, up to {longer} where the end of a transfer waits for a timer"
        )
    }
}
