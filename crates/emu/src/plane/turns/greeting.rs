//! A server that speaks first, as those of SMTP, FTP, SSH and MySQL do: who opened the connection waits for its greeting.
//!
//! Its kernel may keep the connection from its program meanwhile: with TCP_DEFER_ACCEPT it drops an acknowledgement that comes without data, and
//! sends its SYN-ACK again when that time is over (Linux, `syn_ack_recalc`). So it does where its accept queue is full.

use farpath_units::{Duration, Time};

use super::Talk;

/// That the second end's kernel had the acknowledgement of its SYN-ACK, and sent that again, as if it had none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deferred {
    /// How long after its SYN-ACK it first sent that again.
    pub first: Duration,
    /// From when it had the acknowledgement until it last sent the SYN-ACK again.
    pub held: Duration,
}

/// How a connection was opened, by the end that was asked to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Opened {
    /// When it first sent its SYN-ACK.
    answered: Option<Time>,
    /// When it was first given a segment other than a SYN, after that had come to who asked.
    acked: Option<Time>,
}

impl Talk {
    /// The end that was asked to open the connection sends its SYN-ACK: for the first time, or again, though nothing that either end sent was lost,
    /// where it `is_needless`.
    pub(super) fn answers_opening(&mut self, is_needless: bool, now: Time) {
        let answered = *self.opened.answered.get_or_insert(now);
        let is_silent = is_needless && self.last.is_none();
        if let Some(acked) = self.opened.acked.filter(|_| is_silent) {
            let first = self.turns.deferred.map(|deferred| deferred.first);
            self.turns.deferred = Some(Deferred {
                first: first.unwrap_or_else(|| now.since(answered.min(now))),
                held: now.since(acked.min(now)),
            });
        }
    }

    /// A segment of an end, other than a SYN, has come to the other one.
    pub(super) fn acknowledges(&mut self, end: usize, at: Time) {
        if self.has_opened(end) && self.turns.set_up.is_some() {
            self.opened.acked.get_or_insert(at);
        }
    }

    /// An end is about to send new data `now`, perhaps the first of all. The end that opened the connection has asked for nothing since it had that
    /// open, and kept the other one waiting. That one has had its turn since it had the connection open: what opened it was on the way until then.
    pub(super) fn greets(&mut self, end: usize, now: Time) {
        let is_new = self.begun.is_none() && self.last.is_none();
        let asked = self.asked.filter(|(who, _)| *who == 0 && is_new);
        let Some(((_, first), set_up)) = asked.zip(self.turns.set_up) else {
            return;
        };
        let opened = (first + set_up).min(now);
        if end == 0 {
            self.turns.unasked = now.since(opened);
        } else if self.over[0].closed.is_none() {
            let acked = self.opened.acked.unwrap_or(self.heard[1]);
            let there = acked.max(opened).min(now);
            self.begun = Some(opened);
            self.turns.way += there.since(opened);
            self.turns.at[1] += now.since(there);
            self.turns.greeting = now.since(there);
            self.turn = Some(there);
        }
    }

    /// An end asks to open the connection, by a SYN with data (TCP Fast Open): what it asks is on the way while the connection is set up.
    pub(super) fn opens_fast(&mut self, end: usize, now: Time) {
        let (who, _) = *self.asked.get_or_insert((end, now));
        self.turns.is_fast |= who == end && end == 0;
    }
}

#[cfg(test)]
mod tests {
    use super::super::Turns;
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    /// 60 ms away. A server that greets three seconds after the client's acknowledgement has come, and answers a request at once; and one that
    /// is asked first.
    fn talk(greets: bool) -> Turns {
        let ends = ["198.18.0.1:4000", "198.18.0.2:25"].map(|end| end.parse().expect(end));
        let mut talk = Talk::new(ends);
        talk.opens(0, 1, at(0));
        talk.opens(1, 1, at(30));
        talk.answers(1, at(60));
        talk.heard[1] = at(90);
        let number = match greets {
            true => {
                talk.sent(1, (1, 8), at(3090));
                talk.arrived(1, (1, 8), at(3120));
                9
            }
            false => 1,
        };
        talk.sent(0, (1, 10), at(3120));
        talk.arrived(0, (1, 10), at(3150));
        talk.sent(1, (number, 8), at(3150));
        talk.arrived(1, (number, 8), at(3180));
        talk.turns()
    }

    #[test]
    fn a_server_has_its_turn_until_it_greets() {
        let greeted = talk(true);
        assert_eq!(greeted.at, [0, 3000].map(Duration::from_ms));
        assert_eq!(greeted.greeting, Duration::from_secs(3));
        assert_eq!(
            (greeted.begun, greeted.span),
            (Some(at(60)), Duration::from_ms(3120))
        );
        // The acknowledgement, the greeting and the request.
        assert_eq!(greeted.way, Duration::from_ms(90));
        assert_eq!(greeted.waited[0], Duration::from_ms(3120));
        let asked = talk(false);
        assert_eq!(
            (asked.at, asked.greeting),
            ([Duration::ZERO; 2], Duration::ZERO)
        );
        assert_eq!(
            (asked.begun, asked.way),
            (Some(at(3120)), Duration::from_ms(30))
        );
        // Until then the client had the open connection, and asked for nothing.
        assert_eq!(asked.unasked, Duration::from_ms(3060));
        assert_eq!(greeted.unasked, Duration::ZERO);
    }

    /// 40 ms each way: a SYN with a request, and the answer right behind the SYN-ACK. One round trip is all that it takes.
    #[test]
    fn a_syn_with_data_takes_no_round_trip_to_be_answered() {
        let found = |is_fast: bool| {
            let ends = ["198.18.0.1:4000", "198.18.0.2:80"].map(|end| end.parse().expect(end));
            let mut talk = Talk::new(ends);
            let asks = match is_fast {
                true => {
                    talk.opens_fast(0, at(0));
                    0
                }
                false => {
                    talk.opens(0, 1, at(0));
                    80
                }
            };
            if is_fast {
                talk.sent(0, (1, 10), at(0));
                talk.arrived(0, (1, 10), at(40));
            }
            talk.opens(1, 1, at(40));
            talk.answers(1, at(80));
            if !is_fast {
                talk.sent(0, (1, 10), at(80));
                talk.arrived(0, (1, 10), at(120));
            }
            talk.sent(1, (1, 8), at(asks + 41));
            talk.arrived(1, (1, 8), at(asks + 81));
            talk.turns()
        };
        let fast = found(true);
        assert!(fast.is_fast);
        assert_eq!(fast.set_up, Some(Duration::ZERO));
        assert_eq!(fast.span, Duration::from_ms(81));
        assert_eq!(fast.unasked, Duration::ZERO);
        let slow = found(false);
        assert!(!slow.is_fast);
        assert_eq!(slow.set_up, Some(Duration::from_ms(80)));
        assert_eq!(slow.span, Duration::from_ms(81));
    }

    /// 50 ms each way, and a server that listens with TCP_DEFER_ACCEPT: it has the acknowledgement at 150 ms, sends its SYN-ACK again at 7250 ms
    /// and greets when that is acknowledged. Where the acknowledgement was lost, or data has come before, the kernel waits for nothing.
    #[test]
    fn a_kernel_that_defers_its_program_has_its_turn_as_well() {
        let found = |acked: bool, asks: bool| {
            let ends = ["198.18.0.1:4000", "198.18.0.2:25"].map(|end| end.parse().expect(end));
            let mut talk = Talk::new(ends);
            talk.opens(0, 1, at(0));
            talk.opens(1, 1, at(50));
            talk.answers(1, at(100));
            if acked {
                talk.heard[1] = at(150);
                talk.acknowledges(0, at(150));
            }
            if asks {
                talk.sent(0, (1, 10), at(101));
            }
            talk.opens(1, 1, at(7250));
            talk.answers(1, at(7300));
            talk.heard[1] = at(7350);
            talk.acknowledges(0, at(7350));
            talk.sent(1, (1, 8), at(7350));
            talk.arrived(1, (1, 8), at(7400));
            talk.turns()
        };
        let deferred = found(true, false);
        let wanted = Deferred {
            first: Duration::from_ms(7200),
            held: Duration::from_ms(7100),
        };
        assert_eq!(deferred.deferred, Some(wanted));
        assert_eq!(deferred.greeting, Duration::from_ms(7200));
        assert_eq!(deferred.way, Duration::from_ms(50));
        let lost = found(false, false);
        assert_eq!((lost.deferred, lost.greeting), (None, Duration::ZERO));
        assert_eq!(found(true, true).deferred, None);
    }
}
