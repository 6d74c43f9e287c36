//! The opening of a connection by the end that only receives: it sends the SYN, and the other end's data comes after its
//! ACK (RFC 9293 §3.5). Who fetches opens, as `iperf3 -R` does.

use farpath_element::Io;
use farpath_tcp::{Config, Out, Sender};
use farpath_units::{Duration, Time};
use farpath_wire::{Flags, Frame, Kind};

use super::syn_bytes;
use crate::host::Host;

/// The first wait for the ACK of a SYN-ACK (RFC 6298 §2.1); it doubles with each.
const FIRST_WAIT: Duration = Duration::from_secs(1);
/// SYN-ACKs sent again, as Linux's `tcp_synack_retries`.
const MOST_AGAIN: u32 = 5;

/// A receiving end's SYN and its patience: those of a sender that has nothing to send.
#[derive(Debug)]
pub(super) struct Dial {
    opens: Sender,
    start: Time,
    begun: bool,
    /// When the last SYN left, and how many there were.
    syn: (Time, u32),
    /// Length of its IP datagram.
    syn_len: u16,
    /// What it says of ECN.
    flags: Flags,
    /// The SYN-ACK that is answered was sent again.
    again: bool,
}

impl Dial {
    /// The SYN leaves at `start`, behind an IP header of so many bytes. It has this end's options.
    pub(super) fn new(config: &Config, start: Time, ip_header: u16) -> Dial {
        let [sends, receives] = config.window_scaling;
        let own = Config {
            amount: Some(0),
            window_scaling: [receives, sends],
            ..config.clone()
        };
        Dial {
            opens: Sender::new(&own),
            start,
            begun: false,
            syn: (start, 0),
            syn_len: syn_bytes(ip_header, &own, false),
            flags: match own.recovery.ecn {
                true => Flags::ECN,
                false => Flags::NONE,
            },
            again: false,
        }
    }

    pub(super) fn deadline(&self) -> Time {
        match self.begun {
            true => self.opens.deadline(),
            false => self.start,
        }
    }

    pub(super) fn on_deadline(&mut self, now: Time) {
        if !self.begun && self.start <= now {
            self.begun = true;
            self.opens.open(now);
        }
        if self.opens.deadline() <= now {
            self.opens.on_deadline(now);
        }
    }

    /// A SYN-ACK arrived, one that was sent `again` or not. Returns the round trip of the handshake, the first time and where
    /// one SYN was sent.
    pub(super) fn on_syn_ack(&mut self, now: Time, again: bool) -> Option<Duration> {
        let first = !self.opens.was_open();
        self.again = again;
        self.opens.on_syn_ack(now);
        (first && self.syn.1 == 1).then(|| now.since(self.syn.0))
    }

    /// Whether the SYN was answered.
    pub(super) fn is_open(&self) -> bool {
        self.opens.was_open()
    }

    /// When it gave up, because nobody answered.
    pub(super) fn gave_up(&self) -> Option<Time> {
        self.opens.gave_up()
    }

    /// Sends what is due: a SYN, or the ACK of a SYN-ACK. `ack` is an acknowledgement of what has arrived.
    pub(super) fn send(
        &mut self,
        now: Time,
        ack: Frame,
        output: usize,
        host: &mut Host,
        io: &mut Io<'_>,
    ) {
        while let Some(out) = self.opens.poll(now) {
            let mut frame = ack;
            if out == Out::Syn {
                self.syn = (now, self.syn.1 + 1);
                (frame.kind, frame.seq, frame.len) = (Kind::Syn, 0, self.syn_len);
                frame.set_flags(self.flags);
            } else if self.again {
                frame.set_flags(Flags::ECHO_RETRANSMIT);
            }
            frame.at = host.departs(now, output, &frame);
            io.output(output).push(frame);
        }
    }
}

/// The SYN-ACKs of an end whose SYN-ACK has no timer: one for each SYN that arrives.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Answers {
    /// When the first left, and the last, before the handshake was complete.
    first: Time,
    last: Time,
    count: u32,
    /// One of them was acknowledged.
    complete: bool,
}

impl Answers {
    /// A SYN arrived, and a SYN-ACK leaves.
    pub(super) fn answer(&mut self, now: Time) {
        if self.count == 0 {
            self.first = now;
        }
        if !self.complete {
            self.last = now;
        }
        self.count += 1;
    }

    /// Whether the last of them had been sent before.
    pub(super) fn are_repeated(&self) -> bool {
        self.count > 1
    }

    /// An ACK of one of them arrived, of one that was sent `again` where timestamps show it. Returns the round trip, the first
    /// time and as far as it is known which one is acknowledged (RFC 6298 §3).
    pub(super) fn acknowledged(
        &mut self,
        now: Time,
        timestamps: bool,
        again: bool,
    ) -> Option<Duration> {
        if self.count == 0 || core::mem::replace(&mut self.complete, true) {
            return None;
        }
        match (self.count, timestamps) {
            (1, _) => Some(now.since(self.first)),
            (_, true) if !again => Some(now.since(self.first)),
            (2, true) => Some(now.since(self.last)),
            _ => None,
        }
    }
}

/// A sending end that waits to be called, and its SYN-ACKs.
#[derive(Debug)]
pub(super) struct Called {
    /// When the first SYN-ACK left.
    pub(super) first: Time,
    /// When the last one did, and how many there were.
    pub(super) answered: (Time, u32),
    /// When the next is due; [`Time::MAX`] before a SYN, and once it is accepted or given up.
    pub(super) due: Time,
}

impl Called {
    pub(super) fn new() -> Called {
        Called {
            first: Time::ZERO,
            answered: (Time::ZERO, 0),
            due: Time::MAX,
        }
    }

    /// A SYN-ACK leaves.
    pub(super) fn answer(&mut self, now: Time) {
        let times = self.answered.1;
        if times == 0 {
            self.first = now;
        }
        self.answered = (now, times + 1);
        self.due = match times > MOST_AGAIN {
            true => Time::MAX,
            false => now + FIRST_WAIT.times(1 << times),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    /// SYNs come at these instants, and the ACK of one of the SYN-ACKs at 1200 ms. The round trip.
    fn measured(syns: &[u64], timestamps: bool, again: bool) -> Option<Duration> {
        let mut answers = Answers::default();
        for &syn in syns {
            answers.answer(at(syn));
        }
        answers.acknowledged(at(1200), timestamps, again)
    }

    #[test]
    fn a_syn_ack_sent_twice_is_measured_where_timestamps_show_which() {
        let ms = |ms| Some(Duration::from_ms(ms));
        assert_eq!(measured(&[0], false, false), ms(1200));
        assert_eq!(measured(&[0, 1000], true, false), ms(1200));
        assert_eq!(measured(&[0, 1000], true, true), ms(200));
        assert_eq!(measured(&[0, 1000], false, false), None);
        assert_eq!(measured(&[0, 500, 1000], true, true), None);
        assert_eq!(measured(&[], true, false), None);
    }

    #[test]
    fn what_comes_behind_the_handshake_measures_nothing() {
        let mut answers = Answers::default();
        answers.answer(at(0));
        let rtt = answers.acknowledged(at(100), true, false);
        assert_eq!(rtt, Some(Duration::from_ms(100)));
        answers.answer(at(1000));
        assert!(answers.are_repeated());
        assert_eq!(answers.acknowledged(at(1010), true, true), None);
    }
}
