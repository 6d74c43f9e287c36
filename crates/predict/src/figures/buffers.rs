//! What a queue is to a flow that loses whenever it is full.

use crate::aimd::{Aimd, cubic_converging_utilisation};
use crate::answer::{Answer, answer};
use crate::cc::Cc;
use crate::{law, recovery};

use super::Figures;

impl Figures<'_> {
    /// Share of the line one flow fills by itself when the queue holds nothing.
    pub(super) fn utilisation(&self) -> Answer {
        let pipe = self.pipe();
        let climb = self.climb(pipe);
        let (share, formula) = match self.input.cc {
            Cc::Reno | Cc::Hybla | Cc::Vegas => {
                (Some(Aimd::reno(1.0).utilisation(0.0)), "1 − d/2, d = ½")
            }
            Cc::Cubic if law::is_own_cubic(pipe, self.input.rtt) => {
                let share = cubic_converging_utilisation(0.0);
                (
                    Some(share),
                    "cycles of mean 1 − (1−β)/4 and (1+β)/2 in turns, the second ∛4 times as long",
                )
            }
            Cc::Cubic => (
                Some(recovery::CUBIC_FRIENDLY.utilisation(0.0)),
                "1 − (1−β)/2",
            ),
            _ => (climb.mean_share(), "mean window from the cut to W, over W"),
        };
        let grounds = law::grounds(self.input.cc);
        answer("utilisation_no_buffer", share, "")
            .by(formula, grounds.source)
            .holds("one flow that loses a segment each time its window is the pipe, no queue")
    }

    /// The queue named, in pipes.
    fn queue(&self) -> Option<f64> {
        let pipe = self.pipe() * self.wire.as_bytes() as f64;
        Some(self.input.queue?.as_bytes() as f64 / pipe)
    }

    /// Share of the line that one flow fills with the queue named; none without one, or without a closed form.
    fn share(&self) -> Option<f64> {
        law::utilisation(self.input.cc, self.pipe(), self.input.rtt, self.queue()?)
    }

    /// What the queue named leaves one flow of the line: less than all of it where the window outgrows pipe and queue.
    pub(super) fn filled(&self) -> f64 {
        let window = self.window.map_or(f64::INFINITY, |w| w.as_bytes() as f64);
        let pipe = self.pipe() * self.mss.as_bytes() as f64;
        let fits = self
            .queue()
            .is_none_or(|queue| window <= pipe * (1.0 + queue));
        match self.input.streams {
            1 if !fits => self.share().unwrap_or(1.0),
            _ => 1.0,
        }
    }

    /// Share of the line that one flow fills with the queue named.
    pub(super) fn with_queue(&self) -> Answer {
        let share = self.share();
        let note = match (self.queue(), share) {
            (None, _) => "No queue was named.",
            (Some(_), None) => "No closed form for this algorithm: simulate it.",
            _ => "",
        };
        answer("utilisation", share, "")
            .by(
                "mean of the lesser of window and pipe over a cycle",
                law::grounds(self.input.cc).source,
            )
            .note(note)
            .holds("one flow that loses a segment each time the queue is full")
    }

    pub(super) fn full_buffer(&self) -> Answer {
        let start = self.climb(self.pipe()).start();
        let buffer =
            start.map(|w| (self.pipe() / w - 1.0) * self.wire.as_bytes() as f64 * self.pipe());
        answer(
            "buffer_to_fill_bytes",
            buffer.map(|b| libm::ceil(b.max(0.0))),
            "B",
        )
        .by(
            "BDP × d/(1−d), d the share cut at a loss",
            law::grounds(self.input.cc).source,
        )
        .holds("one flow; the queue that is there after a cut keeps the line busy until it regrows")
    }
}
