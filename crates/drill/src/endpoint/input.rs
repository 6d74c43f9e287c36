//! What a connection does with a segment that arrives (RFC 9293 §3.10.7).

use farpath_tcp::SackBlock;
use farpath_units::Time;
use farpath_wire::tcp::Control;

use super::connection::TIME_WAIT;
use super::{Connection, Packet, State};
use crate::settings::Manners;

/// How far `a` is beyond `b` in sequence space.
fn beyond(a: u32, b: u32) -> i64 {
    i64::from(a.wrapping_sub(b) as i32)
}

impl Connection {
    /// A segment of this connection arrived.
    pub(super) fn on_packet(&mut self, now: Time, p: &Packet) {
        match self.state {
            State::SynSent => self.in_syn_sent(now, p),
            State::Closed => {}
            State::TimeWait if self.settings.manners == Manners::FreeBsd => {
                self.in_time_wait(now, p);
            }
            _ => self.in_order_of_checks(now, p),
        }
    }

    /// FreeBSD's TIME-WAIT: a RST is nothing to it (RFC 1337), nor is what acknowledges nothing. Whatever is more than
    /// the next ACK is answered.
    fn in_time_wait(&mut self, now: Time, p: &Packet) {
        if p.has(Control::RST) || !p.has(Control::ACK) {
            return;
        }
        if p.has(Control::FIN) {
            self.time_wait = now + TIME_WAIT;
        }
        self.ack_now = p.control != Control::ACK || p.len > 0 || p.sequence != self.expected();
    }

    /// RFC 9293 §3.10.7.3.
    fn in_syn_sent(&mut self, now: Time, p: &Packet) {
        let ours = self.iss.wrapping_add(1);
        let acknowledges = p.has(Control::ACK);
        if acknowledges && p.acknowledgement != ours {
            if !p.has(Control::RST) {
                self.extra
                    .push(Packet::bare(Control::RST, p.acknowledgement, 0));
            }
            return;
        }
        if p.has(Control::RST) {
            if acknowledges {
                self.fail("ECONNREFUSED");
            }
            return;
        }
        let is_odd = p.has(Control::FIN) && self.settings.drop_syn_fin;
        if !p.has(Control::SYN) || (is_odd && self.settings.manners == Manners::FreeBsd) {
            return;
        }
        self.agree(p, acknowledges);
        self.renew(now);
        self.learn_peer(now, p);
        self.round_space();
        if acknowledges {
            self.answers = true;
            self.establish(now, p);
            self.peer_window = u64::from(p.window);
            if p.len > 0 || p.has(Control::FIN) {
                let mut rest = *p;
                rest.control = Control(p.control.0 & !Control::SYN.0);
                rest.sequence = p.sequence.wrapping_add(1);
                self.text(now, &rest);
            }
        } else {
            // A simultaneous open (RFC 9293 §3.5): our SYN again, now with an ACK.
            self.state = State::SynReceived;
            let syn = self.syn(now);
            self.extra.push(syn);
        }
    }

    /// RFC 9293 §3.10.7.4 with RFC 5961 and RFC 7323 §5.
    fn in_order_of_checks(&mut self, now: Time, p: &Packet) {
        let repeated_syn = self.state == State::SynReceived
            && p.has(Control::SYN)
            && !p.has(Control::ACK)
            && p.sequence == self.irs;
        if repeated_syn {
            let syn = self.syn(now);
            self.extra.push(syn);
            self.sender.syn_ack_repeated(now);
            return;
        }
        if !p.has(Control::RST) && self.is_old_timestamp(p) {
            self.ack_now = true;
            return;
        }
        if p.has(Control::SYN) && self.state != State::SynReceived {
            self.on_stray_syn(now, p);
            return;
        }
        if !self.is_acceptable(p) {
            self.on_unacceptable(now, p);
            return;
        }
        if p.has(Control::RST) {
            self.on_reset(p);
            return;
        }
        if p.has(Control::SYN) && !(p.has(Control::ACK) && self.state == State::SynReceived) {
            self.on_stray_syn(now, p);
            return;
        }
        if p.has(Control::ACK) && self.on_acknowledgement(now, p) {
            self.note_timestamp(p);
            self.text(now, p);
        }
    }

    /// RFC 7323 §5.3, R1. Linux takes one tick less for its clock's (`TCP_PAWS_WINDOW`).
    fn is_old_timestamp(&self, p: &Packet) -> bool {
        let least = match self.settings.manners {
            Manners::Linux => -1,
            Manners::FreeBsd => 0,
        };
        self.agreed.timestamps
            && p.options
                .timestamps
                .is_some_and(|(value, _)| beyond(value, self.ts_recent) < least)
    }

    /// RFC 7323 §4.3 (2).
    fn note_timestamp(&mut self, p: &Packet) {
        if let Some((value, _)) = p.options.timestamps
            && self.agreed.timestamps
            && beyond(p.sequence, self.last_ack_sent) <= 0
            && beyond(value, self.ts_recent) >= 0
        {
            self.ts_recent = value;
        }
    }

    /// RFC 5961 §4.
    fn on_stray_syn(&mut self, now: Time, p: &Packet) {
        let kept = self.state == State::TimeWait;
        if self.settings.insecure_syn && !kept && self.is_acceptable(p) {
            let reset = self.reset(now);
            self.extra.push(reset);
            self.fail("ECONNRESET");
        } else {
            self.ack_now = true;
        }
    }

    /// The four cases of RFC 9293 §3.10.7.4, "First, check sequence number".
    fn is_acceptable(&self, p: &Packet) -> bool {
        let window = self.offered.saturating_sub(self.receiver.delivered()) as i64;
        let first = beyond(p.sequence, self.expected());
        let within = |at: i64| at >= 0 && at < window;
        match (p.space(), window) {
            (0, 0) => first == 0,
            (0, _) => within(first),
            // A FIN takes no room; a host that goes on sending it is not to be asked for ever.
            (1, 0) => first == 0 && p.has(Control::FIN) && self.settings.manners == Manners::Linux,
            (_, 0) => false,
            (space, _) => within(first) || within(first + i64::from(space) - 1),
        }
    }

    fn on_unacceptable(&mut self, now: Time, p: &Packet) {
        if p.has(Control::RST) {
            return;
        }
        let end = p.sequence.wrapping_add(p.space());
        if self.settings.manners == Manners::Linux && beyond(end, self.last_ack_sent) == 0 {
            // Deviation from RFC 7323 §5.3 R3: Linux refuses only what ends before the last ACK sent (`tcp_sequence`).
            self.note_timestamp(p);
        }
        if p.len > 0 && self.is_synchronised() {
            // The receiver decides what to say of a repetition.
            let first = self.receiver.delivered() as i64 + beyond(p.sequence, self.expected());
            if first >= 0 && first + i64::from(p.len) <= self.receiver.delivered() as i64 {
                self.receiver.on_data(now, first as u64, p.len, false);
            }
        }
        self.ack_now = true;
    }

    /// RFC 5961 §3.
    fn on_reset(&mut self, p: &Packet) {
        if p.sequence != self.expected() && !self.settings.insecure_reset {
            self.ack_now = true;
            return;
        }
        match self.state {
            State::SynReceived if self.passive => {
                self.state = State::Closed;
                self.orphan = true;
            }
            State::SynReceived => self.fail("ECONNREFUSED"),
            // RFC 1337: FreeBSD does not let TIME-WAIT be assassinated.
            State::TimeWait if self.settings.manners == Manners::FreeBsd => {}
            State::LastAck if self.settings.manners == Manners::FreeBsd => self.fail("ECONNRESET"),
            State::Closing | State::LastAck | State::TimeWait => self.state = State::Closed,
            State::CloseWait if self.settings.manners == Manners::Linux => self.fail("EPIPE"),
            _ => self.fail("ECONNRESET"),
        }
    }

    /// Whether the rest of the segment is to be read.
    fn on_acknowledgement(&mut self, now: Time, p: &Packet) -> bool {
        let una = self.sender.una();
        let ahead = beyond(p.acknowledgement, self.sequence(una));
        let offset = una as i64 + ahead;
        if self.state == State::SynReceived {
            if offset < 0 || offset > self.sender.nxt() as i64 {
                self.extra
                    .push(Packet::bare(Control::RST, p.acknowledgement, 0));
                return false;
            }
            self.establish(now, p);
        }
        // RFC 5961 §5.2: what was never sent, or was acknowledged more than a window ago.
        let oldest = una as i64 - self.largest_window.min(una) as i64;
        let stale = offset < oldest && self.settings.manners == Manners::Linux;
        if offset > self.sender.nxt() as i64 || stale {
            self.ack_now = true;
            return false;
        }
        self.acknowledged(now, p, offset.max(0) as u64);
        // MSG_MORE holds back what its own call wrote. What is sent for an ACK knows only of a cork.
        self.more &= self.settings.manners == Manners::FreeBsd;
        if self.fin_acknowledged() {
            self.state = match self.state {
                State::FinWait1 => State::FinWait2,
                State::Closing => {
                    self.time_wait = now + TIME_WAIT;
                    State::TimeWait
                }
                State::LastAck => State::Closed,
                other => other,
            };
        }
        self.state != State::Closed
    }

    fn acknowledged(&mut self, now: Time, p: &Packet, offset: u64) {
        let una = self.sender.una();
        let window = u64::from(p.window) << self.agreed.scale_in;
        let base = self.sequence(una);
        let mut blocks = [SackBlock::default(); farpath_tcp::MAX_SACK_BLOCKS];
        let mut count = 0;
        for (from, to) in p.options.sack.blocks() {
            let start = una as i64 + beyond(*from, base);
            let end = una as i64 + beyond(*to, base);
            if start < 0 || end <= start || count == blocks.len() {
                continue;
            }
            let (start, end) = (start as u64, end as u64);
            if !self.is_part_of_a_segment(start, end) {
                blocks[count] = SackBlock { start, end };
                count += 1;
            }
        }
        // Data with an old ACK is not a duplicate ACK (RFC 5681 §2).
        let says_nothing =
            p.space() > 0 && offset <= una && count == 0 && window == self.peer_window;
        self.peer_window = window;
        self.largest_window = self.largest_window.max(window);
        if says_nothing {
            return;
        }
        let echo_retransmit = match (p.options.timestamps, self.resent_ts) {
            (Some((_, echo)), Some(resent)) if self.agreed.timestamps => beyond(echo, resent) >= 0,
            _ => false,
        };
        if self.agreed.ecn && p.has(Control::ECE) {
            self.sender.on_ecn_echo();
        }
        self.sender
            .on_ack(now, offset, window, echo_retransmit, &blocks[..count]);
        if self.sender.una() == self.sender.nxt() {
            self.resent_ts = None;
        }
    }

    /// Whether a SACKed range lies within one segment in flight, whose rest is missing: Linux counts segments, and takes no
    /// notice. A range below what is acknowledged is a D-SACK.
    fn is_part_of_a_segment(&self, start: u64, end: u64) -> bool {
        let whole = self.cuts.contains(&start) && self.cuts.contains(&end);
        start >= self.sender.una()
            && self.settings.manners == Manners::Linux
            && !whole
            && self.cuts.range(start + 1..end).next().is_none()
    }

    /// Payload and FIN.
    fn text(&mut self, now: Time, p: &Packet) {
        let fin = p.has(Control::FIN);
        if p.len == 0 && !fin {
            return;
        }
        if self.peer_fin_seen {
            // RFC 9293 §3.10.7.4: nothing can come after their FIN.
            self.ack_now = true;
            if self.state == State::TimeWait {
                self.time_wait = now + TIME_WAIT;
            }
            return;
        }
        if self.orphan && p.len > 0 && self.is_new(p) && !self.peer_done() {
            // Nobody can read it any more (RFC 2525 §2.17).
            self.extra
                .push(Packet::bare(Control::RST, p.acknowledgement, 0));
            self.state = State::Closed;
            return;
        }
        let delivered = self.receiver.delivered();
        let first = delivered as i64 + beyond(p.sequence, self.expected());
        let edge = self.offered.max(delivered) as i64;
        // Cut to the window on both sides.
        let start = first.max(0);
        let last = first + i64::from(p.len);
        let mut end = last.min(edge);
        if end < last && self.settings.manners == Manners::Linux {
            // Not cut: all of it, or nothing while something waits to be read.
            if self.unread() > 0 {
                self.ack_now = true;
                return;
            }
            end = last;
        }
        let whole = end == last;
        if fin && whole && self.peer_fin.is_none() {
            self.peer_fin = Some(end.max(0) as u64);
        }
        let len = (end - start).max(0) + i64::from(fin && whole);
        if len > 0 {
            let fin = fin && whole && start <= delivered as i64;
            let (start, len) = self.before_fin(fin, (start as u64, len as u64));
            self.receiver.on_ecn(p.ecn == 3, p.has(Control::CWR));
            if len != self.receiver.segment_bytes() {
                self.receiver.note_length(start, len);
            }
            self.receiver.on_data(now, start, len as u32, false);
            self.last_data = Some(now);
        } else {
            self.ack_now = true;
        }
        if self.peer_done() {
            self.on_fin(now);
        }
    }

    /// What the receiver learns of a segment. Linux says nothing of repetitions before their FIN, if it is in order, and
    /// takes the connection for one of questions and answers from there on: the FIN waits for an answer to
    /// carry its ACK, or for the delayed-ACK timer, which has not begun where no data came before.
    fn before_fin(&mut self, fin: bool, (start, len): (u64, u64)) -> (u64, u64) {
        if !fin || self.settings.manners != Manners::Linux {
            return (start, len);
        }
        let delivered = self.receiver.delivered();
        if self.state == State::Established && start + len > 1 {
            self.receiver.set_quick(false);
        }
        (delivered, start + len - delivered)
    }

    /// Whether a sequence number is beyond everything received.
    pub(super) fn is_beyond(&self, sequence: u32) -> bool {
        beyond(sequence, self.expected()) > 0
    }

    fn is_new(&self, p: &Packet) -> bool {
        beyond(p.sequence.wrapping_add(p.len), self.expected()) > 0
    }

    /// Their FIN is in order: acknowledged at once, unless `before_fin` has it wait.
    fn on_fin(&mut self, now: Time) {
        self.peer_fin_seen = true;
        let waits = self.settings.manners == Manners::Linux
            && self.received() > 0
            && self.offered > self.receiver.delivered();
        self.ack_now |= !(waits && self.state == State::Established);
        self.state = match self.state {
            State::Established | State::SynReceived => State::CloseWait,
            State::FinWait1 if self.fin_acknowledged() => State::TimeWait,
            State::FinWait1 => State::Closing,
            State::FinWait2 => State::TimeWait,
            other => other,
        };
        if self.state == State::TimeWait {
            self.time_wait = now + TIME_WAIT;
        }
    }
}
