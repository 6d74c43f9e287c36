//! How long one loss is felt: from the cut back to the window that it cut.

use crate::answer::{Answer, Value, answer};
use crate::cc::Cc;
use crate::{law, recovery};

use super::Figures;

impl Figures<'_> {
    /// The time from a loss to the window that the path has then.
    pub(super) fn recovery(&self) -> Answer {
        const RANGE: &str = "one loss at the window that fills the path, or that the window, host or policer named leaves of it, fast retransmit, \
            empty queue: --queue has one at a full queue";
        if let Some(loaded) = self.loaded_recovery() {
            return loaded;
        }
        let top = self.cut_at();
        if top <= 0.0 {
            return answer("recovery_s", Value::Null, "s")
                .by(
                    "RTT × rounds from the cut to W",
                    law::grounds(self.input.cc).source,
                )
                .note("Nothing passes the policer.")
                .holds(RANGE);
        }
        match self.input.cc {
            Cc::Reno => self.reno_recovery(top),
            Cc::Cubic => self.cubic_recovery(top),
            _ => self.stepped_recovery(top),
        }
        .holds(RANGE)
    }

    /// The window of each connection that a loss cuts where nothing queues, segments.
    fn cut_at(&self) -> f64 {
        self.full.min(self.policed_window())
    }

    /// The mean window that the policer named leaves each connection, segments; without bound where there is none.
    fn policed_window(&self) -> f64 {
        let Some(policed) = &self.policed else {
            return f64::INFINITY;
        };
        let each = policed.together(policed.likely_bps, self.input.streams)
            / f64::from(self.input.streams);
        each * self.rtt_s / 8.0 / self.mss.as_bytes() as f64
    }

    /// Whose window it is that a loss cuts, where the line or the window named would allow more.
    fn whose_window(&self) -> &'static str {
        if self.policed_window() < self.full {
            return "W is the mean window that the policer leaves.";
        }
        match self.most < super::segments_of(self.window, self.mss) {
            true => "W is what the host takes in a round trip.",
            false => "",
        }
    }

    /// How long one flow takes, in its share of the path, from a loss at the full queue back to the window it had then. None without a
    /// queue, and of a window too small to fill any of it.
    fn loaded_recovery(&self) -> Option<Answer> {
        let pipe = self.share_of_pipe();
        let top = pipe * (1.0 + self.queue()?);
        let top = top.min(self.most).min(self.policed_window());
        if top <= pipe {
            return None;
        }
        let climb = self.climb(top);
        let empty = self.climb(pipe).recovery_s().map_or_else(String::new, |s| {
            format!(" At the window that fills the path, with an empty queue: {s:.5} s.")
        });
        let (formula, source) = match self.input.cc {
            Cc::Cubic => (
                "min(∛(W (1−β)/C), Σ RTT × max(w/pipe, 1) of rounds that gain α), W = pipe + queue",
                "RFC 9438 §4.2, §4.3, §4.7, C = 0.4, β = 0.7, α = 3(1−β)/(1+β)",
            ),
            cc => (
                "Σ RTT × max(w/pipe, 1) over the rounds from the cut to W, W = pipe + queue",
                law::grounds(cc).source,
            ),
        };
        let recovery = climb.recovery_over(pipe);
        let longer = climb.converging_over(pipe).filter(|s| Some(*s) > recovery);
        let converging = longer.map_or_else(String::new, |s| {
            format!(
                "After a loss below the window of the one before CUBIC makes room (fast convergence): {s:.4} s. Alone on a long path \
                 that is every second climb. Either is flat where it ends, and meets the full queue some 1 to 3 s before."
            )
        });
        Some(
            answer("recovery_s", recovery, "s")
                .by(formula, source)
                .note(format!("W = {top:.1} segments.{empty}"))
                .note(converging)
                .note(self.of_linux(top))
                .note(self.of_westwood(top))
                .holds(
                    "one loss at the full queue, or at the window if that is less; fast retransmit",
                ),
        )
    }

    fn stepped_recovery(&self, top: f64) -> Answer {
        let climb = self.climb(top);
        let note = match climb.start() {
            None => "One loss does not cut its window by a rule that is known here.".to_owned(),
            Some(start) => {
                format!("W = {top:.1} segments, cut to {start:.1}; counted in whole round trips.")
            }
        };
        answer("recovery_s", climb.recovery_s(), "s")
            .by(
                "RTT × rounds of w ← w + a(w, t) from the cut to W",
                law::grounds(self.input.cc).source,
            )
            .note(note)
            .note(self.whose_window())
            .note(self.of_linux(top))
            .note(self.of_westwood(top))
    }

    fn reno_recovery(&self, top: f64) -> Answer {
        let b = f64::from(self.input.segments_per_ack);
        let counting = if b == 2.0 {
            "A sender that counts bytes (RFC 3465) takes half as long."
        } else {
            ""
        };
        let printed = if top < self.pipe() {
            String::new()
        } else {
            let s = recovery::reno_s(self.input.rate, self.input.rtt, self.mss, 1.0);
            format!(
                "C RTT²/(16 MSS) with the line rate for C and b = 1, as slides print it, is {s:.3} s: it takes framing for payload."
            )
        };
        answer("recovery_s", top / 2.0 * self.rtt_s * b, "s")
            .by(
                "b W/2 × RTT; of the line, W = C RTT / (8 × bytes of line per frame)",
                "RFC 5681 §3.1",
            )
            .note(format!("W = {top:.1} segments."))
            .note(self.whose_window())
            .note(printed)
            .note(counting)
    }

    fn cubic_recovery(&self, top: f64) -> Answer {
        let (time, k) = (
            recovery::cubic_s(top, self.input.rtt),
            recovery::cubic_k_s(top),
        );
        let friendly = if time < k {
            "The Reno-friendly region governs here."
        } else {
            ""
        };
        let whole = self.climb(top).whole_over(top);
        let linux = whole.map_or_else(String::new, |s| {
            format!("K − ∛(1/C) where whole segments are counted: Linux takes {s:.2} s.")
        });
        answer("recovery_s", time, "s")
            .by(
                "min(∛(W (1−β)/C), W (1−β) RTT / α), α = 3(1−β)/(1+β)",
                "RFC 9438 §4.2, §4.3, C = 0.4, β = 0.7",
            )
            .note(format!(
                "W = {top:.1} segments; K = {k:.3} s, 95 % of W after {:.3} s of it; mean over a cycle {:.1} %.",
                recovery::cubic_to_95pct_s(top),
                recovery::CUBIC_MEAN * 100.0
            ))
            .note(self.whose_window())
            .note(friendly)
            .note(linux)
    }
}
