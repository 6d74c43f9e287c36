//! What losses leave, and how many fill the path.

use crate::answer::{Answer, Value, answer};
use crate::cc::Cc;
use crate::cubic_linux;
use crate::law::{self, LOSS_MAX};
use crate::path::PathInput;
use crate::recovery::{self, Losses};

use super::{Figures, OUTSIDE, loss_limit_bps, segments_of};

/// How often a window that waits for repairs is corrected for them.
const STEPS: u32 = 100;
/// Of a window or a loss ratio: what Linux's may differ by without a word.
const WORTH: f64 = 0.02;
const STANDS: &str = "Under random losses Linux's window stands on a path this short, for 31.25 ms or 100 round trips at a time";

impl Figures<'_> {
    /// The loss at which the mean window is the pipe.
    pub(super) fn loss_to_fill(&self) -> Answer {
        let grounds = law::grounds(self.input.cc);
        let fill = law::loss_for(self.input.cc, self.share_of_pipe(), self.conditions());
        let Some(fill) = fill else {
            return answer("loss_ratio_to_fill", Value::Null, "")
                .by(grounds.loss, grounds.source)
                .note(law::no_law(self.input.cc))
                .holds(grounds.range);
        };
        // Above 1 the ratio means nothing: a segment or two fill the pipe.
        let possible = (fill <= 1.0).then_some(fill);
        let note = match possible {
            None => "The pipe holds too little for the formula.".to_owned(),
            Some(fill) => format!(
                "{}At more than one segment lost in {:.3e} the mean window is below the pipe's \
                    {:.1} segments{}.",
                if fill > LOSS_MAX { OUTSIDE } else { "" },
                1.0 / fill,
                self.share_of_pipe(),
                match self.input.streams {
                    1 => "",
                    _ => " for each connection",
                }
            ),
        };
        answer("loss_ratio_to_fill", possible, "")
            .by(grounds.loss, grounds.source)
            .note(note)
            .note(self.loss_of_linux(self.share_of_pipe()))
            .holds("mean window equal to the pipe, empty queues; queues allow more loss")
    }

    /// Whose growth a law of Reno with delayed ACKs is, and what the law leaves a sender that counts bytes.
    fn counting_bytes(&self, loss: f64) -> String {
        let counting = PathInput {
            segments_per_ack: 1,
            ..self.input.clone()
        };
        let rate = loss_limit_bps(&counting, self.mss, loss, self.line_bps);
        let rate = rate.map_or_else(String::new, |bps| format!(", {:.3} Mbit/s", bps / 1e6));
        format!(
            "Growth by ACKs, one for b segments. Linux and `farpath run` count bytes and get √b times as much{rate}: --segments-per-ack 1."
        )
    }

    /// What Linux's CUBIC has of a path so short that its window stands; empty elsewhere.
    fn rate_of_linux(&self, loss: f64) -> String {
        let of_linux = cubic_linux::window(loss, self.rtt_s, Losses::Random);
        if of_linux > (1.0 - WORTH) * recovery::cubic_window(loss, self.rtt_s) {
            return String::new();
        }
        format!(
            "{STANDS}: it has {:.3} Mbit/s, less what its hosts wait for segments and bursts.",
            recovery::segments_bps(of_linux, self.mss, self.input.rtt) / 1e6
        )
    }

    /// The loss at which the mean window of Linux's CUBIC is so many segments, where that is another than the RFC's; empty elsewhere.
    pub(super) fn loss_of_linux(&self, segments: f64) -> String {
        let by_rfc = recovery::cubic_loss_for(segments, self.rtt_s);
        if self.input.cc != Cc::Cubic || by_rfc > 1.0 {
            return String::new();
        }
        let of_linux = cubic_linux::loss_for(segments, self.rtt_s, Losses::Random);
        if of_linux > (1.0 - WORTH) * by_rfc {
            return String::new();
        }
        format!(
            "By the law of RFC 9438. {STANDS}: one segment lost in {:.3e}.",
            1.0 / of_linux
        )
    }

    /// Segments that must be in flight for `segments` to arrive in each round trip. BBR's window does not shrink: it stands still for
    /// repairs, for longer the larger it is.
    pub(super) fn in_flight(&self, segments: f64) -> f64 {
        if !self.input.stands_still() {
            return segments;
        }
        (0..STEPS).fold(segments, |held, _| {
            segments * law::rounds_to_arrive(held, self.loss())
        })
    }

    /// That a window stands still for repairs, and for how long; nothing where it does not.
    pub(super) fn standing(&self) -> String {
        if !self.input.stands_still() {
            return String::new();
        }
        let held = segments_of(self.window, self.mss).floor();
        format!(
            "BBR does not shrink a window for losses: it stands still until each lost segment has arrived, so that {held:.0} segments take \
             {:.2} round trips.",
            law::rounds_to_arrive(held, self.loss())
        )
    }

    /// What losses make of a line that their law fills.
    pub(super) fn beside_the_line(&self) -> String {
        let over = self
            .loss_bps
            .map(|each| each * f64::from(self.input.streams) / self.line_bps);
        let words = over.and_then(|over| law::beside_the_line(self.input.cc, self.loss(), over));
        words.map_or_else(String::new, |words| format!("As the line fills: {words}."))
    }

    /// What bounds the law of the loss named.
    pub(super) fn loss_note(&self) -> String {
        let Some(loss) = self.input.loss else {
            return "No loss was named.".to_owned();
        };
        let p = loss.get();
        if p == 0.0 {
            return "Without loss there is no such limit.".to_owned();
        }
        if self.lawless || self.input.cc.is_bbr() {
            return law::no_law(self.input.cc).to_owned();
        }
        let mut note = String::new();
        if p > LOSS_MAX {
            note.push_str(
                "Outside the formula's range: above 2 % timeouts govern, and the true \
                rate is lower. ",
            );
        }
        let reach = self.loss_bps.unwrap_or(0.0) * self.rtt_s / 8.0 / self.mss.as_bytes() as f64;
        if reach < 4.0 {
            note.push_str(
                "The window is below 4 segments, where losses are found by timeout: \
                the true rate is lower. ",
            );
        }
        if self.input.cc == Cc::Reno && self.input.segments_per_ack > 1 {
            note.push_str(&self.counting_bytes(p));
        } else if self.input.cc == Cc::Cubic
            && recovery::cubic_own_window(p, self.rtt_s, recovery::CUBIC_C)
                < recovery::cubic_window(p, self.rtt_s)
        {
            note.push_str(
                "The Reno-friendly region governs here (RFC 9438 §4.3), which counts bytes: beside it stands Reno with \
                 --segments-per-ack 1. ",
            );
            note.push_str(&self.rate_of_linux(p));
        } else if self.input.cc == Cc::Cubic {
            note.push_str(
                "The law is of periodic losses: random ones of the same mean give up to a quarter more, and more while the start counts.",
            );
        } else if self.input.cc == Cc::Htcp && self.input.beta.is_none() {
            note.push_str(
                "β is ½; H-TCP keeps its least over its largest RTT, ½ to 4/5: where the queue stays empty four fifths, and gets more: \
                 --beta 0.8. Linux keeps ½ of a least RTT of 10 ms and below. ",
            );
        } else if self.input.cc == Cc::HighSpeed && p < 1e-7 {
            note.push_str("Outside the formula's range: the RFC fixes its line at p = 1e-7.");
        }
        note.push_str(&self.htcp_of_linux(p));
        note.trim_end().to_owned()
    }
}
