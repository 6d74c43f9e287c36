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
            Losses::Random => at_random(cc, self.config.flavour),
            Losses::Periodic => {
                "Reno's and CUBIC's of 9 to 24 get 10 to 25 % less of regular losses, and on paths of a millisecond and below up to 45 %"
            }
        };
        let short = match self.losses {
            Losses::Random if self.rtt_s() < SHORT_S => on_short_paths(cc),
            _ => "",
        };
        format!(
            "outside the formula's range: a window of {segments:.0} segments is few for it: simulated, {few}{short}"
        )
    }
}

/// Under random losses, on paths of some milliseconds and more.
fn at_random(cc: Cc, flavour: Flavour) -> &'static str {
    match cc {
        Cc::Cubic => {
            "windows of 21, 11 and 8 get up to 7, 13 and 18 % less up to 10 ms; of 22, 12 and 9 11 % more, 2 and 10 % less at 150 ms"
        }
        Cc::Htcp => {
            "windows of 22, 12 and 9 get as much, 5 and 8 % less at 10 ms; of 31, 13 and 9 43, 36 and 19 % more at 150 ms"
        }
        Cc::Bic => {
            "windows of 22, 12 and 9 got about 20, 19 and 11 % more without the segments for each ACK in its growth, and with them that was not \
             measured"
        }
        Cc::HighSpeed => "windows of 24, 13 and 9 get 1 to 3, 9 to 11 and 12 to 15 % less",
        Cc::Scalable if flavour == Flavour::Linux => "windows of 28 and 20 get 5 and 8 % less",
        Cc::Reno => "windows of 24, 13 and 9 get 7 to 10, 12 to 17 and 16 to 22 % less in the mean",
        _ => "Reno's of 24, 13 and 9 get 7 to 10, 12 to 17 and 16 to 22 % less in the mean",
    }
}

/// The same where timeouts cost most.
fn on_short_paths(cc: Cc) -> &'static str {
    match cc {
        Cc::Cubic => {
            "; a timeout is hundreds of round trips here, and windows of 12 and 6 get 9 and 38 % less at 0.5 ms, of 20, 10 and 4 \
             7, 27 and 58 % less at 0.2 ms"
        }
        _ => {
            "; a timeout is hundreds of round trips here, and Reno's of 24 and 13 get 13 and 28 % less at 0.5 ms, 25 and 45 % less at 0.2 ms"
        }
    }
}
