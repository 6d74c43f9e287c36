//! What a queue is to a flow that loses whenever it is full.

use crate::aimd::{Aimd, cubic_utilisation};
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
            Cc::Cubic if recovery::cubic_s(pipe, self.input.rtt) >= recovery::cubic_k_s(pipe) => {
                (Some(cubic_utilisation(0.0)), "1 − (1−β)/4")
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

    /// Share of the line that one flow fills with the queue named.
    pub(super) fn with_queue(&self) -> Answer {
        let queue = self.input.queue.map(|q| {
            let pipe = self.pipe() * self.wire.as_bytes() as f64;
            q.as_bytes() as f64 / pipe
        });
        let long =
            recovery::cubic_s(self.pipe(), self.input.rtt) >= recovery::cubic_k_s(self.pipe());
        let share = queue.and_then(|queue| match self.input.cc {
            Cc::Reno => Some(Aimd::reno(1.0).utilisation(queue)),
            Cc::Cubic if long => Some(cubic_utilisation(queue)),
            Cc::Cubic => Some(recovery::CUBIC_FRIENDLY.utilisation(queue)),
            _ => None,
        });
        let note = match (queue, share) {
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

    /// Payload that one connection delivers with the queue named; none where several fill the line for each other.
    pub(super) fn queued_bps(&self) -> Option<f64> {
        let share = self.with_queue().value.number();
        share
            .filter(|_| self.input.streams == 1)
            .map(|share| share * self.line_bps)
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
