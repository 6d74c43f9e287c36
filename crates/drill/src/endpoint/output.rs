//! What a connection sends.

use farpath_tcp::{Out, SackBlock, Segment};
use farpath_units::Time;
use farpath_wire::tcp::{Control, Options, SackBlocks};

use super::{Connection, Packet, State};

/// Our timestamp clock at the start of the run; ticks are milliseconds (RFC 7323 §5.4).
const CLOCK_START: u64 = 1_000_000;
/// Most segments sent at one instant: far above any window.
const BATCH: usize = 1 << 20;

impl Connection {
    /// The timestamp clock.
    pub(super) fn clock(&self, now: Time) -> u32 {
        (CLOCK_START + now.as_ns() / 1_000_000) as u32
    }

    /// Offsets of the stream as sequence numbers.
    pub(super) fn sequence(&self, offset: u64) -> u32 {
        self.iss.wrapping_add(1).wrapping_add(offset as u32)
    }

    /// The next sequence number we expect.
    pub(super) fn expected(&self) -> u32 {
        self.irs
            .wrapping_add(1)
            .wrapping_add(self.receiver.delivered() as u32)
    }

    /// A RST that the other side accepts.
    pub(super) fn reset(&self, now: Time) -> Packet {
        let mut packet = Packet::bare(
            Control::RST.with(Control::ACK),
            self.sequence(self.sender.nxt()),
            self.expected(),
        );
        if self.agreed.timestamps {
            packet.options.timestamps = Some((self.clock(now), self.ts_recent));
        }
        packet
    }

    /// Everything that is to go at `now` goes to `out`.
    pub(super) fn flush(&mut self, now: Time, out: &mut Vec<Packet>) {
        out.append(&mut self.extra);
        if self.state == State::Closed {
            return;
        }
        self.release(now);
        self.note_busy(now);
        let mut ack_due = core::mem::take(&mut self.ack_now);
        for _ in 0..BATCH {
            match self.sender.poll(now) {
                Some(Out::Syn) => {
                    let syn = self.syn(now);
                    out.push(syn);
                }
                Some(Out::HandshakeAck) => ack_due |= self.answers,
                Some(Out::WindowProbe) => {
                    // An old byte's number and no data: whoever gets it answers (RFC 9293 §3.8.6.1).
                    let old = self.sequence(self.sender.una()).wrapping_sub(1);
                    let packet = self.segment_packet(now, Control::ACK, old, &[]);
                    out.push(packet);
                }
                Some(Out::Data(segment)) => {
                    let packet = self.data(now, segment);
                    out.push(packet);
                    // What is out of order has to be reported in an ACK of its own.
                    if self.receiver.waiting() == 0 {
                        self.receiver.carried(now);
                        ack_due = false;
                    }
                }
                None => break,
            }
        }
        self.acknowledge(now, ack_due, out);
    }

    fn data(&mut self, now: Time, segment: Segment) -> Packet {
        let end = segment.seq + u64::from(segment.len);
        let fin = self.fin_at.is_some_and(|fin| end > fin);
        let len = segment.len - u32::from(fin);
        let payload_end = end - u64::from(fin);
        if u64::from(len) < self.segment() && len > 0 {
            self.short_to = self.short_to.max(payload_end);
        }
        let una = self.sender.una();
        self.pushes.retain(|push| *push > una);
        self.cuts.extend([segment.seq, end]);
        self.cuts = self.cuts.split_off(&una);
        let mut control = Control::ACK;
        if len > 0 && self.pushes.contains(&payload_end) {
            control = control.with(Control::PSH);
        }
        if fin {
            control = control.with(Control::FIN);
        }
        let mut packet = self.segment_packet(now, control, self.sequence(segment.seq), &[]);
        packet.len = len;
        if self.agreed.ecn && len > 0 && !segment.retransmit {
            // RFC 3168 §6.1.2, §6.1.5: new data carries ECT(0), and CWR after a reduction.
            packet.ecn = 2;
            if self.sender.take_cwr() {
                packet.control = packet.control.with(Control::CWR);
            }
        }
        if segment.retransmit && self.resent_ts.is_none() {
            self.resent_ts = Some(self.clock(now));
        }
        packet
    }

    /// ACKs without data.
    fn acknowledge(&mut self, now: Time, mut due: bool, out: &mut Vec<Packet>) {
        if matches!(self.state, State::SynSent | State::Closed) {
            return;
        }
        while let Some(ack) = self.receiver.poll(now) {
            due = false;
            self.ece = ack.ecn_echo;
            let blocks: Vec<SackBlock> = ack.sack.to_vec();
            out.push(self.ack(now, &blocks));
        }
        if due {
            self.receiver.carried(now);
            out.push(self.ack(now, &[]));
        }
    }

    /// An ACK without data.
    fn ack(&mut self, now: Time, blocks: &[SackBlock]) -> Packet {
        let sequence = self.sequence(self.sender.nxt());
        self.segment_packet(now, Control::ACK, sequence, blocks)
    }

    /// A segment with acknowledgement, window and the options every segment carries.
    fn segment_packet(
        &mut self,
        now: Time,
        control: Control,
        sequence: u32,
        sack: &[SackBlock],
    ) -> Packet {
        let base = self.irs.wrapping_add(1);
        let blocks: Vec<(u32, u32)> = sack
            .iter()
            .map(|b| {
                (
                    base.wrapping_add(b.start as u32),
                    base.wrapping_add(b.end as u32),
                )
            })
            .collect();
        let window = (self.window() >> self.agreed.scale_out).min(65_535);
        let timestamps = self
            .agreed
            .timestamps
            .then(|| (self.clock(now), self.ts_recent));
        let mut control = control;
        if self.ece {
            control = control.with(Control::ECE);
        }
        self.last_ack_sent = self.expected();
        Packet {
            window: window as u16,
            options: Options {
                timestamps,
                sack: SackBlocks::new(&blocks),
                ..Options::default()
            },
            ..Packet::bare(control, sequence, self.last_ack_sent)
        }
    }
}
