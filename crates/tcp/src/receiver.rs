//! The receiving end: reassembly, and when to acknowledge what (RFC 9293 §3.8.6, RFC 2018, RFC 5681 §4.2).

use farpath_units::{Duration, Time};

use crate::Config;
use crate::ranges::{Range, Ranges};
use crate::sack::{MAX_SACK_BLOCKS, SackBlock};

/// An acknowledgement to put on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckOut<'a> {
    /// A SYN-ACK: the answer to a SYN. Its other fields are those of an acknowledgement of nothing.
    pub syn_ack: bool,
    /// The next byte expected.
    pub ack: u64,
    /// Bytes beyond `ack` that the sender may have in flight.
    pub window: u64,
    /// The segment whose timestamp is echoed was a retransmission (RFC 7323 §4.3 decides which).
    pub echo_retransmit: bool,
    /// What arrived out of order, the most recent first (RFC 2018 §4).
    pub sack: &'a [SackBlock],
}

/// What a receiver counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceiverStats {
    /// Data segments that arrived.
    pub segments: u64,
    /// Segments that arrived above a gap.
    pub out_of_order: u64,
    /// Segments that brought nothing new.
    pub duplicates: u64,
    /// Segments ignored: before a SYN, or beyond the window.
    pub refused: u64,
    /// Acknowledgements sent, without SYN-ACKs.
    pub acks: u64,
}

/// The receiving end of one connection. The application reads at once.
#[derive(Clone, Debug)]
pub struct Receiver {
    /// The next byte expected; `u64::MAX` before a SYN.
    next: u64,
    /// The acknowledgement last sent (RFC 7323's Last.ACK.sent).
    acked: u64,
    /// Unacknowledged bytes that make an ACK due.
    threshold: u64,
    /// The delayed-ACK timer.
    deadline: Time,
    due: bool,
    echo_retransmit: bool,
    in_order: bool,
    syn_ack_due: bool,
    sack_limit: u8,
    recent_count: u8,
    window: u64,
    timeout: Duration,
    above: Ranges,
    /// The ranges that last changed, the most recent first.
    recent: [SackBlock; MAX_SACK_BLOCKS],
    stats: ReceiverStats,
}

impl Receiver {
    /// The receiving end of a connection, waiting for a SYN.
    pub fn new(config: &Config) -> Receiver {
        let every = u64::from(config.delayed_ack.every.max(1));
        Receiver {
            next: u64::MAX,
            acked: 0,
            // Two full segments' worth of bytes, so that a short last segment waits for the timer.
            threshold: if every == 1 {
                1
            } else {
                every * config.segment()
            },
            deadline: Time::MAX,
            due: false,
            echo_retransmit: false,
            in_order: false,
            syn_ack_due: false,
            sack_limit: match (config.sack, config.timestamps) {
                (false, _) => 0,
                (true, true) => 3,
                (true, false) => 4,
            },
            recent_count: 0,
            window: config.receive_window,
            timeout: config.delayed_ack.timeout,
            above: Ranges::default(),
            recent: [SackBlock::default(); MAX_SACK_BLOCKS],
            stats: ReceiverStats::default(),
        }
    }

    /// A SYN arrived. A repeated one is answered again.
    pub fn on_syn(&mut self, _now: Time) {
        if self.next == u64::MAX {
            self.next = 0;
            self.in_order = true;
        }
        self.syn_ack_due = true;
    }

    /// Data arrived: `len` bytes at `seq`, a retransmission or not. Returns whether `poll` has
    /// something to send now.
    #[inline]
    pub fn on_data(&mut self, now: Time, seq: u64, len: u32, retransmit: bool) -> bool {
        self.stats.segments += 1;
        if seq != self.next || !self.in_order {
            return self.on_data_out_of_order(now, seq, len, retransmit);
        }
        // RFC 7323 §4.3 (2): the segment at or before the last ACK sent sets the timestamp echoed.
        if seq <= self.acked {
            self.echo_retransmit = retransmit;
        }
        self.next = seq + u64::from(len);
        self.acknowledge_later(now)
    }

    #[inline]
    fn acknowledge_later(&mut self, now: Time) -> bool {
        if self.next - self.acked >= self.threshold {
            self.due = true;
        } else if self.deadline == Time::MAX {
            self.deadline = now + self.timeout;
        }
        self.due
    }

    #[cold]
    fn on_data_out_of_order(&mut self, now: Time, seq: u64, len: u32, retransmit: bool) -> bool {
        let end = seq.saturating_add(u64::from(len));
        if self.next == u64::MAX {
            self.stats.refused += 1;
            return false;
        }
        if seq <= self.acked {
            self.echo_retransmit = retransmit;
        }
        // RFC 5681 §4.2: out of order, filling a gap, or unacceptable (RFC 9293 §3.10.7.4): at once.
        let quiet = self.above.is_empty() && seq <= self.next && end > self.next;
        if end > self.next.saturating_add(self.window) {
            self.stats.refused += 1;
        } else if end <= self.next || seq == end {
            self.stats.duplicates += 1;
        } else if seq <= self.next {
            self.deliver(end);
        } else {
            self.keep(Range::new(seq, end));
        }
        if quiet {
            return self.acknowledge_later(now);
        }
        self.due = true;
        true
    }

    /// In order up to `end`, and on through what waited above.
    fn deliver(&mut self, end: u64) {
        self.next = end;
        while let Some(end) = self.above.take_reached(self.next) {
            self.next = self.next.max(end);
        }
        self.in_order = self.above.is_empty();
        let next = self.next;
        self.retain_recent(|block| block.start > next);
    }

    fn keep(&mut self, range: Range) {
        self.stats.out_of_order += 1;
        let before = self.above.bytes();
        let whole = self.above.insert(range, |_| {});
        if self.above.bytes() == before {
            self.stats.duplicates += 1;
        }
        self.in_order = false;
        self.retain_recent(|block| block.end < whole.start || block.start > whole.end);
        let kept = usize::from(self.recent_count).min(MAX_SACK_BLOCKS - 1);
        self.recent.copy_within(0..kept, 1);
        self.recent[0] = SackBlock {
            start: whole.start,
            end: whole.end,
        };
        self.recent_count = kept as u8 + 1;
    }

    fn retain_recent(&mut self, keep: impl Fn(&SackBlock) -> bool) {
        let mut kept = 0;
        for i in 0..usize::from(self.recent_count) {
            if keep(&self.recent[i]) {
                self.recent[kept] = self.recent[i];
                kept += 1;
            }
        }
        self.recent_count = kept as u8;
    }

    /// The next acknowledgement to send at `now`, if one is due. Call until `None`.
    #[inline]
    pub fn poll(&mut self, _now: Time) -> Option<AckOut<'_>> {
        if !self.due && !self.syn_ack_due {
            return None;
        }
        let syn_ack = self.syn_ack_due;
        let mut blocks = 0;
        if syn_ack {
            self.syn_ack_due = false;
        } else {
            self.due = false;
            self.deadline = Time::MAX;
            self.acked = self.next;
            self.stats.acks += 1;
            blocks = usize::from(self.recent_count.min(self.sack_limit));
        }
        Some(AckOut {
            syn_ack,
            ack: self.next,
            window: self.window,
            echo_retransmit: self.echo_retransmit,
            sack: &self.recent[..blocks],
        })
    }

    /// The number of the acknowledgement due, if one is and nothing about it is unusual: it offers
    /// `window`, echoes a first transmission and reports nothing out of order. Else [`Receiver::poll`]
    /// has the answer.
    #[inline]
    pub fn poll_usual(&mut self, window: u64) -> Option<u64> {
        let unusual = self.echo_retransmit || self.syn_ack_due || self.recent_count > 0;
        if !self.due || unusual || self.window != window {
            return None;
        }
        self.due = false;
        self.deadline = Time::MAX;
        self.acked = self.next;
        self.stats.acks += 1;
        Some(self.next)
    }

    /// When the delayed-ACK timer runs out; [`Time::MAX`] when it is not running.
    #[inline]
    pub fn deadline(&self) -> Time {
        self.deadline
    }

    /// The delayed-ACK timer, if it has run out by `now`, makes an ACK due.
    pub fn on_deadline(&mut self, now: Time) {
        if now >= self.deadline {
            self.deadline = Time::MAX;
            self.due = true;
        }
    }

    /// In-order bytes handed to the application.
    #[inline]
    pub fn delivered(&self) -> u64 {
        if self.next == u64::MAX { 0 } else { self.next }
    }

    /// Bytes that wait above a gap.
    pub fn waiting(&self) -> u64 {
        self.above.bytes()
    }

    /// The counters.
    pub fn stats(&self) -> &ReceiverStats {
        &self.stats
    }
}
