//! Windows of few segments, of which the laws are not: what simulated flows get of them (`docs/models/predict.md`, "Limits").

use farpath_predict::Cc;
use farpath_predict::recovery::Losses;
use farpath_tcp::Flavour;

use crate::forecast::flow::Flow;

/// Seconds of a round trip below which a timeout of a fifth of a second takes hundreds of them.
const SHORT_S: f64 = 0.001;

impl Flow {
    /// That a window is of few segments, and what simulated ones have.
    pub(super) fn doubt_of_few_segments(&self, cc: Cc, segments: f64) -> String {
        let few = match self.losses {
            Losses::Random if !self.finds_lost_repairs() => self.without_rack(cc),
            Losses::Random => at_random(cc, self.config.flavour).to_owned(),
            Losses::Periodic => evenly(cc, self.config.flavour).to_owned(),
        };
        let measured = self.losses == Losses::Random && self.finds_lost_repairs();
        let short = match measured && self.rtt_s() < SHORT_S {
            true => on_short_paths(cc),
            false => "",
        };
        format!(
            "outside the formula's range: a window of {segments:.0} segments is few for it: simulated, {few}{short}"
        )
    }

    /// Under random losses, where a sender does not find by RACK that a repair is lost: figures of senders with it are not its.
    fn without_rack(&self, cc: Cc) -> String {
        let (sack, newreno) = (self.config.sack, self.config.recovery.newreno);
        let lacks = match (sack, newreno) {
            (true, _) => "RACK",
            (false, true) => "SACK",
            (false, false) => "SACK and NewReno",
        };
        let found = match (cc, sack, newreno) {
            (Cc::Reno, true, _) => {
                "0.80 to 1.01 of it at losses of 0.3 to 2 %, and 0.80 to 1.19 at 5 to 20 %"
            }
            (Cc::Reno, false, true) => {
                "0.76 to 1.01 of it at losses of 0.3 to 2 %, and 0.71 to 1.12 at 5 to 20 %"
            }
            (Cc::Reno, false, false) => {
                "0.80 to 0.95 of it at losses of 0.3 %, and from 1 to 20 % 0.14 to 0.82 by timeouts of a second"
            }
            _ => "less than with it, and how much was not measured",
        };
        let why = match sack {
            true => "a repair that is lost as well waits for a timer",
            false => "each hole of a window takes a round trip of its own, or a timer",
        };
        format!(
            "{} without {lacks} gets {found}: {why}, here of {:.2} s, for which its law does not allow enough: simulate",
            self.called(),
            self.timeout_s()
        )
    }
}

/// Of losses at even distances.
fn evenly(cc: Cc, flavour: Flavour) -> &'static str {
    match cc {
        Cc::Cubic if flavour == Flavour::Linux => {
            "windows of 9 to 24 get 0.70 to 1 of it up to 50 ms, 0.93 to 1.4 times as much from 100 ms on, and of paths of a millisecond and below \
             down to 0.38"
        }
        Cc::Cubic => "windows of 9 to 24 get 0.81 to 1.04 of it",
        _ => {
            "Reno's of 9 to 24 get 0.86 to 1 of it, and on paths of a millisecond and below 0.82 to 1.06"
        }
    }
}

/// Under random losses, of senders with SACK and RACK, on paths of some milliseconds and more.
fn at_random(cc: Cc, flavour: Flavour) -> &'static str {
    match cc {
        Cc::Cubic if flavour == Flavour::Rfc => {
            "windows of 26, 14 and 10 get 1 to 12, 2 to 9 and 1 to 5 % more; at losses of 5 to 20 % 0.87 to 1.09 times as much"
        }
        Cc::Cubic => {
            "windows of 23, 13 and 9 get up to 4, 9 and 13 % less up to 50 ms, and 17, 7 and 1 % more at 150 ms; at losses of 5 to 20 % 0.66 to \
             0.93 of it"
        }
        Cc::Htcp => {
            "windows of 22, 12 and 9 get as much, 5 and 8 % less at 10 ms; of 31, 13 and 9 43, 36 and 19 % more at 150 ms"
        }
        Cc::Bic => {
            "windows of 22, 12 and 9 got about 20, 19 and 11 % more without the segments for each ACK in its growth, and with them that was not \
             measured"
        }
        Cc::HighSpeed if flavour == Flavour::Linux => {
            "windows of 24, 13 and 9 got 0.97 to 1.04 of it by a growth that counted segments, and by one that counts ACKs that was not measured"
        }
        Cc::HighSpeed => "windows of 24, 13 and 9 get 0.97 to 1.04 of it",
        Cc::Scalable if flavour == Flavour::Linux => "windows of 28 and 20 get 5 and 8 % less",
        Cc::Reno => {
            "windows of 24, 13 and 9 get 0.95 to 1.06 of it; at losses of 5 to 20 % 0.97 to 1.11"
        }
        _ => "Reno's of 24, 13 and 9 get 7 to 10, 12 to 17 and 16 to 22 % less in the mean",
    }
}

/// The same where timeouts cost most.
fn on_short_paths(cc: Cc) -> &'static str {
    match cc {
        Cc::Cubic => {
            "; a timeout is hundreds of round trips here, and windows of 12 and 6 get 10 and 38 % less at 0.5 ms, of 20, 10 and 4 \
             9, 28 and 58 % less at 0.2 ms"
        }
        _ => {
            "; a timeout is hundreds of round trips here, and Reno's of 24 and 13 get 8 and 21 % less at 0.5 ms, 21 and 39 % less at 0.2 ms"
        }
    }
}
