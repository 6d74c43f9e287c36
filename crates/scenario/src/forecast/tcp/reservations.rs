//! What is to be said of the law that a loss-limited flow is predicted by.

use farpath_predict::Cc;
use farpath_predict::recovery::{Losses, mathis_constant};
use farpath_tcp::Flavour;

use super::{Flow, Ramp};
use crate::model::Test;

/// Segments up to which RFC 3649 §5 draws its line.
const HIGHSPEED_MOST: f64 = 83_000.0;

/// Segments in a window below which random losses leave less of Reno's law than 0.95 (`docs/models/predict.md`, "Limits").
const WINDOW_FEW: f64 = 30.0;

impl Flow {
    /// With which of its constants Reno's law was taken: `predict path` takes another unless --segments-per-ack says otherwise.
    pub(super) fn law_of_reno(&self) -> String {
        let counted = match self.segments_per_step() {
            1.0 => "counts bytes",
            _ => "counts ACKs",
        };
        let lost = match self.losses {
            Losses::Random => "at random",
            Losses::Periodic => "periodically",
        };
        format!(
            "Reno's law is {:.2} / √p segments here: it {counted}, and they are lost {lost}; `predict path` has 0.87 \
             (ACKs, periodic), and 1.22 with --segments-per-ack 1",
            mathis_constant(self.losses, self.segments_per_step())
        )
    }

    /// Where a transfer is short and its algorithm paces it from its start on, as no forecast does. Simulated over 8 to 300 ms with 3 to 30
    /// segments at first, those of 10 kB to 30 MB took up to 31 % longer, and those behind their start 11 %.
    pub(super) fn doubt_of_paced_start(&self, test: &Test, ramp: &Ramp) -> Option<String> {
        let bytes = self.config.amount.filter(|_| test.duration.is_none())?;
        let begun = self.initial() * self.mss();
        let most = match ramp.ends_in(test, Some(bytes)) {
            true => 11,
            false => 31,
        };
        let paces = self.cc.is_some_and(Cc::is_bbr);
        (paces && bytes as f64 > begun).then(|| {
            format!(
                "as if its start were not paced: simulated, transfers of BBR take up to {most} % longer"
            )
        })
    }

    /// Where slow start overflows the queue before the window fills the path, and what it leaves is measured: no forecast has that.
    pub(super) fn doubt_of_overflow(&self, test: &Test) -> Option<String> {
        let cc = self.cc?;
        let alone = self.streams <= 1.0 && self.loss <= 0.0 && self.narrowest.place == "link";
        if !alone || cc.is_bbr() || self.config.pacing.is_some() || !self.room.is_finite() {
            return None;
        }
        let pipe = self.pipe();
        let (began, window) = self.slow_start(pipe).overflowing(self.room);
        let regained_s = self.cycle_s(0.0).unwrap_or(f64::INFINITY);
        if began >= pipe || window >= self.cap() || test.omit.as_secs_f64() > regained_s {
            return None;
        }
        let sent = self
            .config
            .amount
            .map_or(f64::INFINITY, |b| b as f64 / self.mss());
        let by_then = self.slow_start(window).cost().sent;
        (sent > by_then).then(|| {
            format!(
                "slow start overflows the queue at a window of some {:.3} MB, if nothing ends it before, and the climb begins at half of that or so: \
                 the forecast has neither",
                window * self.mss() / 1e6
            )
        })
    }

    /// Where the law that a loss-limited flow is predicted by is not that of its algorithm.
    pub(super) fn doubt_of_law(&self, loss_bps: f64) -> Option<String> {
        let over = loss_bps * self.streams / self.narrowest.bps;
        let fills = self.window_bps() * self.streams > self.narrowest.bps;
        if self.losses == Losses::Random && fills && (1.0..2.0).contains(&over) {
            return Some(format!(
                "the losses leave a mean window of {over:.2} times what fills the line, and at times one that does not: simulated, \
                 a flow has 10 to 24 % less than the line at 1.00, 5 to 17 % at 1.25, 1 to 12 % at 1.5 and up to 7 % at 2, \
                 most where nothing waits in the network, as before the sender's own link"
            ));
        }
        if loss_bps >= self.steady(f64::INFINITY) {
            return None;
        }
        let segments = loss_bps / self.streams * self.rtt_s() / 8.0 / self.mss();
        let random = self.losses == Losses::Random && self.chain.is_none();
        if random && segments < WINDOW_FEW {
            let few = of_few_segments(self.cc?);
            return Some(format!(
                "outside the formula's range: a window of {segments:.0} segments is few for it: simulated, {few}"
            ));
        }
        let doubt = match self.cc? {
            Cc::Cubic if random => {
                "CUBIC's law is one of periodic losses: random ones of the same mean give up to a sixth more, and more while the start counts: do not rank it beside others by forecasts"
            }
            Cc::Htcp if random => {
                "H-TCP's law is one of periodic losses and of a window cut to half: under random ones a simulated flow has up to a third more at 100 ms and above, and up to 7 % at 10 ms"
            }
            Cc::Htcp => {
                "H-TCP's law is of a window cut to half; where its queue stays empty it is cut to four fifths, and the flow gets more"
            }
            Cc::HighSpeed if segments > HIGHSPEED_MOST => {
                "outside the formula's range: HighSpeed's law goes on above 83000 segments, its table does not"
            }
            Cc::HighSpeed if random && self.config.flavour == Flavour::Linux => {
                "HighSpeed's law is the line of RFC 3649: Linux's table and random losses give 1.1 to 1.5 times as much, most at windows of 40 to 120 segments"
            }
            _ => return None,
        };
        Some(doubt.to_owned())
    }
}

/// What windows of few segments get of the law that they are predicted by, under random losses (`docs/models/predict.md`, "Limits").
fn of_few_segments(cc: Cc) -> &'static str {
    match cc {
        Cc::Cubic => {
            "windows of 22, 12 and 9 get 11, 20 and 26 % less at 10 ms, and 11 % more, 2 and 10 % less at 150 ms"
        }
        Cc::Htcp => {
            "windows of 22, 12 and 9 get as much, 5 and 8 % less at 10 ms; of 31, 13 and 9 43, 36 and 19 % more at 150 ms"
        }
        Cc::Bic => "windows of 22, 12 and 9 get 20, 19 and 11 % more",
        Cc::HighSpeed => "windows of 22, 12 and 9 get 4 % more, 5 and 9 % less",
        Cc::Scalable => "windows of 27, 12 and 9 get twice as much",
        Cc::Reno => "windows of 24, 13 and 9 get 7, 13 and 18 % less",
        _ => "Reno's of 24, 13 and 9 get 7, 13 and 18 % less",
    }
}
