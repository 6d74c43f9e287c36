//! The round trip as a receiver sees it: from an acknowledgement it sent to data that its sender sent knowing of it.

use std::collections::VecDeque;

use farpath_units::{Duration, Time};

/// Samples weigh an eighth.
const SHIFT: u64 = 3;

/// The acknowledgements of one millisecond, which is as fine as timestamps are.
#[derive(Clone, Copy, Debug)]
struct Sent {
    ms: u64,
    /// The highest number acknowledged in it.
    ack: u64,
    /// The same number was acknowledged in a later one as well: an answer to it has no time.
    again: bool,
}

/// A smoothed round trip, and what is under way to measure the next.
#[derive(Clone, Debug, Default)]
pub(super) struct RoundTrip {
    /// In eighths of a microsecond; 0 before the first sample.
    eighths: u64,
    sent: VecDeque<Sent>,
    /// The millisecond whose acknowledgements were last answered.
    answered: Option<u64>,
    /// A whole window, and since when it has been offered.
    window: Option<(u64, Time)>,
}

fn ms(at: Time) -> u64 {
    at.as_ns() / 1_000_000
}

impl RoundTrip {
    /// The round trip; zero before the first sample.
    pub(super) fn smoothed(&self) -> Duration {
        Duration::from_us(self.eighths >> SHIFT)
    }

    /// Everything below `ack` was acknowledged at `now`.
    pub(super) fn note_sent(&mut self, now: Time, ack: u64) {
        let ms = ms(now);
        match self.sent.back_mut() {
            Some(last) if last.ms == ms => last.ack = ack,
            Some(last) if last.ack == ack => last.again = true,
            _ => self.sent.push_back(Sent {
                ms,
                ack,
                again: false,
            }),
        }
    }

    /// A full segment came whose sender had heard that everything below `una` is here. With timestamps it would carry that
    /// acknowledgement's (RFC 7323 §4.3); as in Linux each is measured once, to a millisecond, and 0 of them say nothing.
    pub(super) fn on_answer(&mut self, now: Time, una: u64, is_read: bool) {
        while self.sent.len() > 1 && self.sent.front().is_some_and(|s| s.ack < una) {
            self.sent.pop_front();
        }
        let Some(sent) = self.sent.front().copied().filter(|s| s.ack >= una) else {
            return;
        };
        if self.answered == Some(sent.ms) {
            return;
        }
        self.answered = Some(sent.ms);
        let took = ms(now).saturating_sub(sent.ms) * 1000;
        if took > 0 && !sent.again {
            self.sample(took, is_read);
        }
    }

    /// Everything below `next` is here, and `window` bytes are offered: the time that a whole window takes is a round trip at least.
    pub(super) fn on_window(&mut self, now: Time, next: u64, window: u64) {
        if let Some((end, since)) = self.window {
            if next < end {
                return;
            }
            let took = (now.since(since).as_ns() / 1000).max(1);
            if self.eighths == 0 || took << SHIFT < self.eighths {
                self.eighths = took << SHIFT;
            }
        }
        self.window = Some((next + window, now));
    }

    /// The least is taken at once, and a longer one by an eighth. While something waits for the application it says
    /// nothing.
    fn sample(&mut self, us: u64, is_read: bool) {
        if self.eighths == 0 || us << SHIFT < self.eighths {
            self.eighths = us << SHIFT;
        } else if is_read {
            self.eighths = self.eighths - (self.eighths >> SHIFT) + us;
        }
    }

    /// The first number whose answer measures something new; none before the first answer.
    pub(super) fn next_answer(&self) -> u64 {
        match (self.sent.front(), self.answered) {
            (Some(sent), Some(ms)) if sent.ms == ms => sent.ack + 1,
            _ => 0,
        }
    }

    /// The first byte that ends a whole window.
    pub(super) fn next_window(&self) -> u64 {
        self.window.map_or(0, |w| w.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(us: u64) -> Time {
        Time::ZERO + Duration::from_us(us)
    }

    #[test]
    fn each_millisecond_of_acknowledgements_is_measured_once() {
        let mut trip = RoundTrip::default();
        trip.note_sent(at(0), 0);
        trip.note_sent(at(400), 1000);
        trip.note_sent(at(900), 2000);
        trip.note_sent(at(1100), 3000);
        trip.on_answer(at(100_300), 500, true);
        assert_eq!(trip.smoothed(), Duration::from_ms(100));
        trip.on_answer(at(150_000), 2000, true);
        assert_eq!(trip.smoothed(), Duration::from_ms(100), "the same one");
        assert_eq!(trip.next_answer(), 2001);
        trip.on_answer(at(109_900), 2001, true);
        assert_eq!(trip.smoothed(), Duration::from_ms(101), "an eighth of 8");
    }

    #[test]
    fn a_shorter_one_is_taken_at_once_and_a_repeated_number_not_at_all() {
        let mut trip = RoundTrip::default();
        trip.note_sent(at(0), 0);
        trip.on_answer(at(80_000), 0, true);
        trip.note_sent(at(90_000), 1000);
        trip.on_answer(at(130_000), 1000, false);
        assert_eq!(trip.smoothed(), Duration::from_ms(40));
        trip.note_sent(at(200_000), 2000);
        trip.note_sent(at(209_000), 2000);
        trip.on_answer(at(210_000), 2000, true);
        assert_eq!(trip.smoothed(), Duration::from_ms(40));
        trip.note_sent(at(211_000), 3000);
        trip.on_answer(at(300_000), 3000, false);
        assert_eq!(trip.smoothed(), Duration::from_ms(40), "unread");
    }

    #[test]
    fn where_it_is_shorter_than_a_millisecond_whole_windows_tell() {
        let mut trip = RoundTrip::default();
        trip.note_sent(at(100), 0);
        trip.on_answer(at(300), 0, true);
        assert_eq!(trip.smoothed(), Duration::ZERO);
        trip.on_window(at(300), 1000, 60_000);
        trip.on_window(at(900), 60_999, 60_000);
        trip.on_window(at(1000), 61_000, 60_000);
        assert_eq!(trip.smoothed(), Duration::from_us(700));
        trip.on_window(at(9000), 121_000, 60_000);
        assert_eq!(trip.smoothed(), Duration::from_us(700), "only less");
    }
}
