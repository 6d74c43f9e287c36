//! What a queue is to a flow that loses whenever it is full.

use farpath_units::Size;

use crate::aimd::{Aimd, cubic_converging_utilisation};
use crate::answer::{Answer, answer};
use crate::cc::Cc;
use crate::overflow::Overflow;
use crate::paced::Paced;
use crate::path::PathInput;
use crate::slow_start::SlowStart;
use crate::window::seconds;
use crate::{law, recovery};

use super::{Figures, segments_per_growth};

/// Slow start of each connection, up to a window of `full` segments.
pub(super) fn slow_start(input: &PathInput, full: f64) -> SlowStart {
    SlowStart {
        full,
        initial: f64::from(input.initial_window),
        segments_per_ack: f64::from(segments_per_growth(input)),
        max_ssthresh: None,
        rounds_each: if input.cc == Cc::Vegas { 2 } else { 1 },
        quick: 0.0,
    }
}

/// The window of all connections together, in segments, at which `slow_start` overflows the queue named, in a round that begins with less
/// than fills the path of `pipe` segments. `None` where a window of `most` segments never gets there.
pub(super) fn overflowing(
    input: &PathInput,
    slow_start: SlowStart,
    queued: Size,
    pipe: f64,
    most: f64,
) -> Option<f64> {
    let queue = input.queue?.as_bytes() as f64 / queued.as_bytes() as f64;
    // All connections together.
    let together = SlowStart {
        initial: slow_start.initial * f64::from(input.streams),
        ..slow_start
    };
    let (began, window) = together.overflowing(queue);
    (began < pipe && window < most && !input.cc.doubles()).then_some(window)
}

/// Segments that the queue named holds, and more that it must hold for BBR, of which each connection has `full` segments in flight, and all of
/// them `pipe` where they fill the path. `None` where the queue is long enough, and of all others. `sizes` are of a frame on the line and
/// in the queue.
pub(super) fn cut_bursts(
    input: &PathInput,
    sizes: [Size; 2],
    pipe: f64,
    full: f64,
) -> Option<[f64; 2]> {
    let queue = input.queue.filter(|_| input.cc.is_bbr())?;
    let [frame, queued] = sizes.map(|s| s.as_bytes() as f64);
    let held = libm::floor(queue.as_bytes() as f64 / queued);
    let paced = Paced {
        bytes_per_s: full * frame / seconds(input.rtt),
        segment_bytes: frame,
        rtt_s: seconds(input.rtt),
        passes: 0.0,
        streams: f64::from(input.streams),
        pipe,
    };
    let waits = paced.waits();
    (held < waits).then_some([held, waits])
}

impl Figures<'_> {
    /// Where slow start ends by losses, long before the window is full.
    pub(super) fn overflow(&self) -> Answer {
        let bytes = self.overflowing.map(|w| w * self.mss.as_bytes() as f64);
        answer("slow_start_overflow_bytes", bytes, "B")
            .by("w₀ + Q, w₀ the first IW·gᵏ that grows by Q, g = 1 + 1/b", "RFC 5681 §3.1")
            .note(match (self.input.queue, bytes) {
                (None, _) => "No queue was named.".to_owned(),
                (Some(queue), None) if self.outgrown() && !self.input.cc.doubles() => format!(
                    "Slow start fills the path, and goes on until the queue is full: at a window of {}, when the queue adds \
                     {:.1} ms. Up to as much again is lost then; where retransmissions are as well, the window is cut again.",
                    Size::from_bytes(
                        (self.pipe() * self.mss.as_bytes() as f64) as u64 + self.payload_of(queue)
                    ),
                    queue.as_bytes() as f64 * 8e3 / self.input.rate.as_bps() as f64
                ),
                (_, None) => "Slow start fills the window without overflowing the queue.".to_owned(),
                _ => format!(
                    "What a round of slow start grows by beyond the queue is lost: {}.",
                    self.words_of_first_loss().unwrap_or_default()
                ),
            })
            .holds("segments one behind the other, not paced; no early exit (HyStart)")
    }

    /// What follows the overflow of the queue, of all connections together; `None` where slow start fills the window before. No window of
    /// the ends bounds the congestion window meanwhile: Linux lets it grow to twice what is in flight.
    fn words_of_first_loss(&self) -> Option<String> {
        let streams = f64::from(self.input.streams);
        let each = self.overflowing? / streams;
        let slow_start = slow_start(self.input, self.full);
        let overflow = Overflow::of(slow_start, each, f64::INFINITY, self.climb(each));
        let words = overflow.words(self.full, self.mss.as_bytes() as f64 * streams);
        Some(words + &self.first_climb_of_linux(overflow))
    }

    /// The window that slow start leaves before a queue that it overflows, and how long it takes to fill the path from there; empty where it
    /// fills the window before.
    pub(super) fn first_climb(&self) -> String {
        let words = self.words_of_first_loss();
        let (Some(overflowing), Some(words)) = (self.overflowing, words) else {
            return String::new();
        };
        format!(
            "Before that slow start overflows the queue at a window of {:.1}: {words}.",
            Size::from_bytes((overflowing * self.mss.as_bytes() as f64) as u64)
        )
    }

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

    /// Payload of the segments that a queue holds.
    fn payload_of(&self, queue: Size) -> u64 {
        queue.as_bytes() * self.mss.as_bytes() / self.queued.as_bytes().max(1)
    }

    /// The queue named, in pipes: it counts frames without what the line adds, as a scenario's does.
    pub(super) fn queue(&self) -> Option<f64> {
        let pipe = self.pipe() * self.queued.as_bytes() as f64;
        Some(self.input.queue?.as_bytes() as f64 / pipe)
    }

    /// Share of the line that one flow fills with the queue named; none without one, or without a closed form.
    fn share(&self) -> Option<f64> {
        law::utilisation(self.input.cc, self.pipe(), self.input.rtt, self.queue()?)
    }

    /// What the queue named leaves one flow of the line: less than all of it where the window outgrows pipe and queue.
    pub(super) fn filled(&self) -> f64 {
        match self.input.streams {
            1 if self.outgrown() => self.share().unwrap_or(1.0),
            _ => 1.0,
        }
    }

    /// Whether the windows of all streams outgrow pipe and queue.
    fn outgrown(&self) -> bool {
        let all = self.most * f64::from(self.input.streams);
        self.queue()
            .is_some_and(|queue| all > self.pipe() * (1.0 + queue))
    }

    /// What is not known of several streams in front of a queue that would leave one of them less than the line, and of one whose algorithm
    /// has no closed form for it.
    pub(super) fn unforeseen(&self) -> String {
        let by_losses = self.loss_bps.is_some() || self.policed.is_some();
        let unknown = self.share().is_none() && !self.input.cc.doubles() && !by_losses;
        match (self.input.queue, self.input.streams) {
            (Some(queue), 1) if self.outgrown() && unknown => format!(
                "At most: a queue of {queue} may leave less, and {} has no closed form for that; {}.",
                self.input.cc,
                self.input.cc.without_form()
            ),
            (Some(queue), 2..) if self.outgrown() && self.share().is_some_and(|s| s < 0.999) => {
                format!(
                    "A queue of {queue} before {} flows: how much of the line they fill is not foreseen; {}.",
                    self.input.streams,
                    self.input.cc.without_form()
                )
            }
            _ => String::new(),
        }
    }

    /// That the queue named holds less than what BBR sends at once; empty where it holds that.
    pub(super) fn of_cut_bursts(&self) -> String {
        let cut = cut_bursts(self.input, [self.wire, self.queued], self.pipe(), self.full);
        match (self.input.queue, cut) {
            (Some(queue), Some([held, waits])) => format!(
                "A queue of {queue} holds {held:.0} frames, and {waits:.0} of what BBR sends at once wait there: what it loses is in no law; {}.",
                self.input.cc.without_form()
            ),
            _ => String::new(),
        }
    }

    /// Share of the line that one flow fills with the queue named.
    pub(super) fn with_queue(&self) -> Answer {
        let share = self.share();
        let cut = self.of_cut_bursts();
        let note = match (self.queue(), share) {
            (None, _) => "No queue was named.",
            (Some(_), None) if !cut.is_empty() => &cut,
            (Some(_), None) => &format!(
                "No closed form for this algorithm; {}.",
                self.input.cc.without_form()
            ),
            _ => &self.unforeseen(),
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
            "Villamizar and Song 1994; Appenzeller et al. 2004",
        )
        .holds("one flow; the queue that is there after a cut keeps the line busy until it regrows")
    }
}
