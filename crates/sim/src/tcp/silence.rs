//! When nothing arrived at a sender until one of its timers ran out: known exactly, where intervals would round it.

use farpath_tcp::Sender;
use farpath_units::Time;

/// So many waits are kept: what comes later is not known.
const WAITS: usize = 1 << 12;

/// What a sender knows of its losses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Known {
    /// Repairs begun.
    repairs: u64,
    /// D-SACKs received: of segments that had arrived.
    copies: u64,
    /// Bytes acknowledged.
    una: u64,
}

impl Known {
    #[cold]
    fn of(sender: &Sender) -> Known {
        let stats = sender.stats();
        Known {
            repairs: stats.fast_recoveries + stats.probe_repairs,
            copies: stats.duplicates_reported,
            una: sender.una(),
        }
    }
}

/// A tail loss probe of which nobody knows yet whether it found a loss (RFC 8985 §7).
#[derive(Clone, Copy, Debug)]
struct Probed {
    /// Since when its sender had sent and heard nothing.
    from: Time,
    /// What was sent by then, bytes.
    end: u64,
    before: Known,
}

impl Probed {
    /// Whether it found a loss: a repair began, or what it sent again was what the receiver had missed. Its timestamp comes back then,
    /// and no D-SACK with it.
    fn found(&self, now: Known, echo: bool) -> bool {
        let came = now.una >= self.end && echo && now.copies == self.before.copies;
        came || now.repairs > self.before.repairs
    }
}

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
    probe: Option<Probed>,
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
            probe: None,
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
        if let Some(probe) = self.probe.take() {
            // Nobody answered it: something was lost before it, too.
            self.waited(probe.from, from);
        }
        self.waited(from, now);
    }

    fn waited(&mut self, from: Time, until: Time) {
        if self.timeouts.len() < WAITS && until > from {
            self.timeouts.push((from, until));
        }
    }

    /// A tail loss probe has left; what its sender sent before it had left at `sent`.
    #[cold]
    pub(crate) fn probed(&mut self, sent: Time, sender: &Sender) {
        self.probe = Some(Probed {
            from: self.heard.max(sent),
            end: sender.nxt(),
            before: Known::of(sender),
        });
    }

    /// An ACK has come at `now`, one that echoes a retransmission's timestamp (`echo`), or a timer has run out.
    #[inline]
    pub(crate) fn hear_of_probe(&mut self, now: Time, sender: &Sender, echo: bool) {
        if self.probe.is_some() {
            self.answer(now, Known::of(sender), echo);
        }
    }

    #[cold]
    fn answer(&mut self, now: Time, known: Known, echo: bool) {
        let Some(probe) = self.probe else {
            return;
        };
        let found = probe.found(known, echo);
        if found {
            self.waited(probe.from, now);
        }
        if found || known.una >= probe.end {
            self.probe = None;
        }
    }

    /// From when on nothing was sent or heard until the retransmission timer ran out, or until a tail loss probe had found a loss, each
    /// time, in order.
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

    /// The last segment of a transfer is lost, and a probe of it is answered. It was late and not lost where a D-SACK comes, or the
    /// ACK echoes the first one's timestamp: then the time is not the loss's.
    #[test]
    fn a_wait_for_a_probe_counts_where_it_found_a_loss() {
        let at = |ms: u64| Time::ZERO + Duration::from_ms(ms);
        let waits = |known: Known, echo: bool| {
            let mut silence = Silence::new(at(0));
            silence.heard(at(40));
            silence.probe = Some(Probed {
                from: at(40),
                end: 1448,
                before: Known::default(),
            });
            silence.heard(at(300));
            silence.answer(at(300), known, echo);
            (silence.timeouts(), silence.probe.is_some())
        };
        let acked = Known {
            una: 1448,
            ..Known::default()
        };
        let copied = Known { copies: 1, ..acked };
        let repaired = Known {
            repairs: 1,
            ..Known::default()
        };
        let lost = (vec![(at(40), at(300))], false);
        assert_eq!(waits(acked, true), lost);
        assert_eq!(waits(repaired, false), lost);
        assert_eq!(waits(acked, false), (Vec::new(), false));
        assert_eq!(waits(copied, true), (Vec::new(), false));
        assert_eq!(waits(Known::default(), true), (Vec::new(), true));
    }

    #[test]
    fn a_timeout_behind_a_probe_says_that_it_found_a_loss() {
        let at = |ms: u64| Time::ZERO + Duration::from_ms(ms);
        let mut silence = Silence::new(at(0));
        silence.probe = Some(Probed {
            from: at(10),
            end: 1448,
            before: Known::default(),
        });
        silence.timed_out(at(250), at(600));
        let expected = [(at(10), at(250)), (at(250), at(600))];
        assert_eq!(silence.timeouts(), expected);
    }
}
