//! What an interface has to send besides connections' own segments: acknowledgements of what arrives, datagrams, answers.

use std::collections::VecDeque;

use farpath_units::{Duration, Time};

/// Such frames one behind the other.
#[derive(Clone, Copy, Debug)]
struct Span {
    /// From when to when the transmitter is busy with them.
    start: Time,
    end: Time,
    /// What they took of the queue's limit: packets or bytes.
    queued: u64,
}

impl Span {
    /// What has left the queue by `now` of a span that lasts longer, or less: a frame in service is still there.
    fn gone(&self, now: Time) -> u64 {
        let (over, whole) = (now.since(self.start), self.end.since(self.start));
        let gone = u128::from(self.queued) * u128::from(over.min(whole).as_ps());
        (gone / u128::from(whole.as_ps().max(1))) as u64
    }
}

/// When the transmitter is busy with them. TCP Small Queues count a socket's own bytes alone, so this is taken off what is queued.
#[derive(Debug, Default)]
pub(crate) struct Others {
    /// In order; neighbours are one.
    spans: VecDeque<Span>,
    /// The sums of their lengths and of what they took.
    all: Duration,
    queued: u64,
}

impl Others {
    /// One more, behind all that was there: the transmitter is busy with it from `start` to `end`, and it takes `queued`
    /// packets or bytes of the queue.
    pub(crate) fn add(&mut self, start: Time, end: Time, queued: u64) {
        self.all += end.since(start);
        self.queued += queued;
        if let Some(last) = self.spans.back_mut()
            && last.end == start
        {
            last.end = end;
            last.queued += queued;
            return;
        }
        self.spans.push_back(Span { start, end, queued });
    }

    /// What has been sent by `now` counts no more.
    #[inline]
    pub(crate) fn forget(&mut self, now: Time) {
        while let Some(&Span { start, end, queued }) = self.spans.front()
            && end <= now
        {
            self.all = self.all.saturating_sub(end.since(start));
            self.queued -= queued;
            self.spans.pop_front();
        }
    }

    /// How long the transmitter is still busy with them at `now`.
    #[inline]
    pub(crate) fn left(&self, now: Time) -> Duration {
        if self.spans.is_empty() {
            return Duration::ZERO;
        }
        let begun = self.spans.iter().take_while(|span| span.start < now);
        begun.fold(self.all, |left, span| {
            left.saturating_sub(span.end.min(now).since(span.start))
        })
    }

    /// What they take of the queue at `now`, packets or bytes; those in service count.
    pub(crate) fn queued(&self, now: Time) -> u64 {
        let begun = self.spans.iter().take_while(|span| span.start < now);
        self.queued - begun.map(|span| span.gone(now)).sum::<u64>()
    }

    /// When all but `rest` of the other frames has been sent, of a queue that lasts until `free`.
    pub(crate) fn drained(&self, free: Time, rest: Duration) -> Time {
        let (mut at, mut rest) = (free, rest);
        for &Span { start, end, .. } in self.spans.iter().rev() {
            let between = at.since(end);
            if between > rest {
                break;
            }
            rest = rest.saturating_sub(between);
            at = start;
        }
        at - rest
    }

    /// The link's rate changed at `now`: what was due at an instant is due at another.
    pub(crate) fn move_all(&mut self, now: Time, moved: impl Fn(Time) -> Time) {
        (self.all, self.queued) = (Duration::ZERO, 0);
        for span in &mut self.spans {
            let gone = span.gone(now);
            span.queued -= gone;
            self.queued += span.queued;
            (span.start, span.end) = (moved(span.start), moved(span.end));
            self.all += span.end.since(span.start);
        }
    }
}
