//! A sender that nobody answers gives its connection up, as Linux does (`tcp_write_timeout` and `tcp_probe_timer`).
//!
//! Deviation from RFC 9293 §3.8.3: nothing is said to the application before (R1), and a SYN is given up after less than three
//! minutes, because no Linux waits that long.

use farpath_units::Time;

use super::{Sender, State};
use crate::Retries;

/// How often a sender has tried, and what came of it.
#[derive(Debug)]
pub(super) struct Patience {
    retries: Retries,
    /// Probes of a closed window since anything was heard (`icsk_probes_out`).
    window_probes: u32,
    /// When it gave up, and whether the connection was open.
    gave_up: Option<(Time, bool)>,
}

impl Patience {
    pub(super) fn new(retries: Retries) -> Patience {
        Patience {
            retries,
            window_probes: 0,
            gave_up: None,
        }
    }

    /// Something was acknowledged, a closed window too.
    pub(super) fn heard(&mut self) {
        self.window_probes = 0;
    }
}

impl Sender {
    /// When the sender gave the connection up because nobody answered; `None` while it has not.
    pub fn gave_up(&self) -> Option<Time> {
        self.repair.patience.gave_up.map(|(at, _)| at)
    }

    /// Whether the connection is open, or was when it was given up: not while its SYN is unanswered.
    pub fn was_open(&self) -> bool {
        match self.state {
            State::Closed | State::SynDue | State::SynSent => false,
            State::GivenUp => self.repair.patience.gave_up.is_some_and(|(_, open)| open),
            State::Open | State::Recovery | State::Loss => true,
        }
    }

    /// A SYN's timer ran out: another one is due, or none.
    pub(super) fn syn_unanswered(&mut self, now: Time) {
        self.deadline = Time::MAX;
        let retries = self.repair.patience.retries;
        if self.handshake.syns > retries.syn + retries.syn_linear {
            return self.give_up(now, false);
        }
        self.state = State::SynDue;
        if self.handshake.syns > retries.syn_linear {
            self.rtt.back_off();
        }
        self.stats.syn_retransmits += 1;
    }

    /// The retransmission timer ran out: whether that was once too often. What was sent again has had no answer since.
    pub(super) fn unanswered_for_long(&mut self, now: Time) -> bool {
        let silence = self.repair.patience.retries.silence(self.rtt.largest());
        let again = self.timed_out_at == self.una;
        let since = self.path.resent_at().filter(|_| again);
        if since.is_none_or(|at| now.since(at) < silence) {
            return false;
        }
        self.give_up(now, true);
        true
    }

    /// A closed window's timer ran out: whether its probes went unanswered once too often.
    pub(super) fn probes_unanswered(&mut self, now: Time) -> bool {
        let patience = &mut self.repair.patience;
        if patience.window_probes < patience.retries.data {
            patience.window_probes += 1;
            return false;
        }
        self.give_up(now, true);
        true
    }

    fn give_up(&mut self, now: Time, open: bool) {
        self.state = State::GivenUp;
        self.repair.patience.gave_up = Some((now, open));
        self.deadline = Time::MAX;
        self.release = Time::MAX;
        self.repair.probe_due = false;
        self.repair.window_probe_due = false;
        self.handshake.ack_due = false;
        self.refresh();
    }
}
