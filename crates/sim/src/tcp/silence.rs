//! When nothing arrived at a sender until one of its timers ran out: known exactly, where intervals would round it.

use farpath_units::Time;

/// So many waits are kept: what comes later is not known.
const WAITS: usize = 1 << 12;

/// A sender's waits for an answer that ended behind a timer.
#[derive(Clone, Debug)]
pub(crate) struct Silence {
    /// When something arrived last, or the connection was to begin.
    heard: Time,
    /// Whether a timer ran out since, or nothing has arrived yet.
    waits: bool,
    /// How often one had run out by the last time that was asked.
    runs: u64,
    all: Vec<(Time, Time)>,
    timeouts: Vec<(Time, Time)>,
}

impl Silence {
    /// Nothing has arrived of a connection that begins at `start`.
    pub(crate) fn new(start: Time) -> Silence {
        Silence {
            heard: start,
            waits: true,
            runs: 0,
            all: Vec::new(),
            timeouts: Vec::new(),
        }
    }

    /// Timers have run out `runs` times by now.
    pub(crate) fn ran_out(&mut self, runs: u64) {
        self.waits |= runs > self.runs;
        self.runs = runs;
    }

    /// The retransmission timer runs out at `now`; what its sender sent last had left at `sent`.
    #[cold]
    pub(crate) fn timed_out(&mut self, sent: Time, now: Time) {
        let from = self.heard.max(sent);
        if self.timeouts.len() < WAITS && now > from {
            self.timeouts.push((from, now));
        }
    }

    /// From when on nothing was sent or heard until the retransmission timer ran out, each time, in order.
    pub(crate) fn timeouts(&self) -> Vec<(Time, Time)> {
        self.timeouts.clone()
    }

    /// Something arrives.
    #[inline]
    pub(crate) fn heard(&mut self, now: Time) {
        if self.waits {
            self.end(now);
        }
        self.heard = now;
    }

    #[cold]
    fn end(&mut self, now: Time) {
        self.waits = false;
        if self.all.len() < WAITS && now > self.heard {
            self.all.push((self.heard, now));
        }
    }

    /// All of them in order; the last one has no end.
    pub(crate) fn all(&self) -> Vec<(Time, Time)> {
        let mut all = self.all.clone();
        all.push((self.heard, Time::MAX));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use farpath_units::Duration;

    #[test]
    fn only_what_a_timer_ended_is_a_silence() {
        let at = |ms: u64| Time::ZERO + Duration::from_ms(ms);
        let mut silence = Silence::new(at(1000));
        silence.heard(at(1100));
        silence.heard(at(1900));
        silence.ran_out(1);
        silence.ran_out(1);
        silence.ran_out(2);
        silence.heard(at(4000));
        silence.heard(at(4050));
        let expected = [
            (at(1000), at(1100)),
            (at(1900), at(4000)),
            (at(4050), Time::MAX),
        ];
        assert_eq!(silence.all(), expected);
    }

    /// A request leaves long after the last ACK: its sender was idle until then, and waited for its timer from then on.
    #[test]
    fn a_wait_for_the_timer_begins_with_what_was_sent_or_heard_last() {
        let at = |ms: u64| Time::ZERO + Duration::from_ms(ms);
        let mut silence = Silence::new(at(1000));
        silence.heard(at(1100));
        silence.timed_out(at(1000), at(1300));
        silence.timed_out(at(1300), at(1700));
        silence.heard(at(1800));
        silence.timed_out(at(5000), at(5200));
        let expected = [
            (at(1100), at(1300)),
            (at(1300), at(1700)),
            (at(5000), at(5200)),
        ];
        assert_eq!(silence.timeouts(), expected);
    }
}
