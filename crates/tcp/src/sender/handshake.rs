//! How a sender's connection comes about: by its own SYN, or by the other end's (RFC 9293 §3.5).

use farpath_units::Time;

use super::{Out, Sender, State};

/// What a sender knows of it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Handshake {
    /// A SYN-ACK has to be acknowledged.
    pub(super) ack_due: bool,
    /// SYNs of its own, or SYN-ACKs, and when the last of them left.
    pub(super) syns: u32,
    pub(super) syn_at: Time,
}

impl Sender {
    /// Opens the connection: a SYN is due. Does nothing the second time.
    pub fn open(&mut self, now: Time) {
        if self.state == State::Closed {
            self.state = State::SynDue;
            self.account.open(now);
        }
    }

    /// A SYN-ACK arrived. A repeated one is acknowledged again.
    pub fn on_syn_ack(&mut self, now: Time) {
        match self.state {
            State::Closed | State::SynDue | State::GivenUp => {}
            State::SynSent => {
                self.handshake.ack_due = true;
                self.establish(now);
            }
            State::Open | State::Recovery | State::Loss => self.handshake.ack_due = true,
        }
        if self.handshake.ack_due {
            self.path.aside = true;
            self.limit = 0;
        }
    }

    /// The SYN-ACK that is about to be handed to [`Sender::on_syn_ack`] answers the first SYN: it was late, and no SYN was lost, as
    /// timestamps show (Linux's `tcp_try_undo_spurious_syn`). Without them nothing does.
    pub fn first_syn_answered(&mut self) {
        if self.timestamps && self.state == State::SynSent {
            (self.handshake.syns, self.handshake.syn_at) = (1, self.repair.first_syn_at);
            self.repair.asked_again = 0;
        }
    }

    /// The other end sent its SYN again and was answered at once, at `now`: one more SYN-ACK, which no timer made due.
    pub fn syn_ack_repeated(&mut self, now: Time) {
        if self.state == State::SynSent {
            self.repair.asked_again += 1;
            self.handshake.syn_at = now;
        }
    }

    /// The other end opened the connection, and has acknowledged a SYN-ACK: the last of `syn_acks`, which left at `sent`.
    /// Does nothing the second time.
    pub fn accept(&mut self, now: Time, syn_acks: u32, sent: Time) {
        if self.state == State::Closed {
            (self.handshake.syns, self.handshake.syn_at) = (syn_acks, sent);
            self.account.open(now);
            self.establish(now);
        }
    }

    fn establish(&mut self, now: Time) {
        self.state = State::Open;
        self.deadline = Time::MAX;
        self.repair.sent_at = now;
        // RFC 6298 §3: of a SYN that was sent again only an echoed timestamp yields a sample. Of two it answers the second here, of
        // more it might be any but the first.
        let syns = self.handshake.syns + self.repair.asked_again;
        if syns == 1 || (syns == 2 && self.timestamps) {
            self.rtt.sample(now.since(self.handshake.syn_at), 0, 0);
        } else {
            self.rtt.syn_was_lost();
        }
        if syns > 2 {
            // More than one SYN, or SYN-ACK, was lost: start from one segment (RFC 5681 §3.1; one that was lost is
            // forgiven, as Linux does).
            self.cwnd = self.segment as f64;
        }
        self.refresh();
    }

    pub(super) fn send_syn(&mut self, now: Time) -> Out {
        self.state = State::SynSent;
        self.handshake.syns += 1;
        self.handshake.syn_at = now;
        if self.handshake.syns == 1 {
            self.repair.first_syn_at = now;
        }
        self.arm(now);
        Out::Syn
    }
}
