//! The sending side of one TCP connection on a station.

use farpath_element::Io;
use farpath_tcp::{Out, SackBlock, Sender};
use farpath_units::{Duration, Time};
use farpath_wire::{Flags, FlowDir, Frame, Kind};

use super::{sack_bytes, syn_bytes};
use crate::sequence::Sequence;

/// What a source needs to know.
#[derive(Clone, Debug)]
pub struct TcpSourceConfig {
    /// The flow, forward.
    pub flow: FlowDir,
    /// The station's output it leaves on.
    pub output: usize,
    /// The SYN leaves at this instant.
    pub start: Time,
    /// The application stops writing at this instant.
    pub stop: Time,
    /// IP header bytes.
    pub ip_header: u16,
    /// IP and TCP header bytes of a data segment.
    pub header: u16,
    /// TOS byte.
    pub class: u8,
    /// Bursts kept for the time–sequence plot; 0 keeps none.
    pub sequence: usize,
    /// Both ends' parameters.
    pub tcp: farpath_tcp::Config,
}

/// One sample of a sender, at the end of an interval.
#[derive(Clone, Debug, Default)]
pub struct TcpSample {
    /// Congestion window in bytes.
    pub cwnd: u64,
    /// Unacknowledged payload bytes.
    pub in_flight: u64,
    /// Smoothed round-trip time.
    pub srtt: Option<Duration>,
    /// Time spent under each limit so far.
    pub limited: farpath_tcp::Shares,
}

/// A TCP sender and the application that feeds it.
#[derive(Debug)]
pub struct TcpSource {
    config: TcpSourceConfig,
    sender: Sender,
    opened: bool,
    stopped: bool,
    /// A full segment, a retransmitted full segment, and anything else; sent by likeness.
    full: Frame,
    retransmit: Frame,
    template: Frame,
    usual_window: u64,
    /// One sample per interval since the start of the run.
    pub samples: Vec<TcpSample>,
    /// The time–sequence record, if kept.
    pub sequence: Option<Sequence>,
    /// Most bytes of congestion window.
    pub cwnd_max: u64,
    /// Round-trip times as acknowledgements showed them.
    pub rtt: RttSummary,
    /// The account of limits when the application stopped or everything was acknowledged: what
    /// comes after limits nobody.
    pub ended: Option<farpath_tcp::Shares>,
}

/// Smallest, largest and mean of the round-trip times a connection saw.
#[derive(Clone, Copy, Debug, Default)]
pub struct RttSummary {
    /// Samples.
    pub count: u64,
    /// The smallest.
    pub min: Duration,
    /// The largest.
    pub max: Duration,
    sum_ps: u128,
}

impl RttSummary {
    #[inline]
    fn note(&mut self, rtt: Duration) {
        self.min = if self.count == 0 {
            rtt
        } else {
            self.min.min(rtt)
        };
        self.max = self.max.max(rtt);
        self.sum_ps += u128::from(rtt.as_ps());
        self.count += 1;
    }

    /// The mean in seconds; 0 without samples.
    pub fn mean_s(&self) -> f64 {
        self.sum_ps as f64 / self.count.max(1) as f64 * 1e-12
    }
}

impl TcpSource {
    /// A connection before its SYN.
    pub fn new(config: TcpSourceConfig) -> TcpSource {
        let mut template = Frame::new(Kind::Data, config.flow, 0, 0);
        template.class = config.class;
        template.set_flags(Flags::DONT_FRAGMENT);
        let mut full = template;
        full.len = config.tcp.mss as u16 + config.header;
        let mut retransmit = full;
        retransmit.set_flags(Flags::RETRANSMIT);
        TcpSource {
            sender: Sender::new(&config.tcp),
            opened: false,
            stopped: false,
            full,
            retransmit,
            template,
            usual_window: config.tcp.receive_window,
            samples: Vec::new(),
            sequence: (config.sequence > 0).then(|| Sequence::new(config.sequence)),
            cwnd_max: 0,
            rtt: RttSummary::default(),
            ended: None,
            config,
        }
    }

    /// The protocol machine.
    pub fn sender(&self) -> &Sender {
        &self.sender
    }

    /// What it was made of.
    pub fn config(&self) -> &TcpSourceConfig {
        &self.config
    }

    /// Everything written has been acknowledged and nothing more will be written.
    pub fn complete(&self) -> bool {
        self.opened && self.sender.done()
    }

    #[inline]
    pub(crate) fn deadline(&self) -> Time {
        if !self.opened {
            return self.config.start;
        }
        let timer = self.sender.deadline();
        if self.stopped {
            timer
        } else {
            timer.min(self.config.stop)
        }
    }

    pub(crate) fn on_deadline(&mut self, now: Time, io: &mut Io<'_>) {
        if !self.opened && self.config.start <= now {
            self.opened = true;
            self.sender.open(now);
        }
        if !self.stopped && self.config.stop <= now {
            self.stopped = true;
            self.end_account(now);
            self.sender.stop(now);
        }
        if self.sender.deadline() <= now {
            self.sender.on_deadline(now);
        }
        self.send(now, io);
    }

    /// See `Program::on_frames`.
    pub(crate) fn on_frames(&mut self, frames: &[Frame], until: Time, io: &mut Io<'_>) -> usize {
        let flow = self.config.flow.turned();
        let mut taken = 0;
        for frame in frames {
            let now = frame.at;
            if taken > 0 && (now >= until || now >= self.deadline() || frame.flow != flow) {
                break;
            }
            taken += 1;
            match frame.kind {
                Kind::Ack => self.on_ack(now, frame, io),
                Kind::SynAck => self.sender.on_syn_ack(now),
                _ => continue,
            }
            self.send(now, io);
        }
        taken
    }

    fn end_account(&mut self, now: Time) {
        if self.opened && self.ended.is_none() {
            self.ended = Some(self.sender.limited(now));
        }
    }

    #[inline]
    fn on_ack(&mut self, now: Time, frame: &Frame, io: &mut Io<'_>) {
        let echo = frame.flags().contains(Flags::ECHO_RETRANSMIT);
        if frame.side == 0 {
            self.sender
                .on_ack(now, frame.seq, self.usual_window, echo, &[]);
        } else if let Some(extras) = io.side(frame.flow).get(frame.side) {
            let mut blocks = [SackBlock::default(); 4];
            let count = usize::from(extras.count);
            for (block, &(start, end)) in blocks.iter_mut().zip(&extras.blocks[..count]) {
                *block = SackBlock { start, end };
                if let Some(sequence) = &mut self.sequence {
                    sequence.note_sack(now, start, end);
                }
            }
            self.sender
                .on_ack(now, frame.seq, extras.window, echo, &blocks[..count]);
        }
        if self.sender.done() {
            self.end_account(now);
        }
        self.cwnd_max = self.cwnd_max.max(self.sender.cwnd_bytes());
        if let Some(rtt) = self.sender.rtt_latest() {
            self.rtt.note(rtt);
        }
        if let Some(sequence) = &mut self.sequence {
            sequence.note(frame, now, frame.seq);
        }
    }

    #[inline]
    fn send(&mut self, now: Time, io: &mut Io<'_>) {
        let output = self.config.output;
        while let Some(seq) = self.sender.poll_full(now) {
            if let Some(sequence) = &mut self.sequence {
                sequence.note(&self.full, now, seq);
            }
            io.output(output).push_like(&self.full, now, seq, 0);
        }
        if let Some(out) = self.sender.poll(now) {
            self.send_rest(out, now, io);
        }
    }

    /// Whatever else there is to send: retransmissions, ends of the stream, the handshake.
    #[inline(never)]
    fn send_rest(&mut self, first: Out, now: Time, io: &mut Io<'_>) {
        let output = self.config.output;
        let mut next = Some(first);
        while let Some(out) = next {
            let (like, seq) = match &out {
                Out::Data(segment) if segment.len == self.config.tcp.mss => (
                    if segment.retransmit {
                        &self.retransmit
                    } else {
                        &self.full
                    },
                    segment.seq,
                ),
                other => {
                    let frame = self.unusual(other);
                    self.template = frame;
                    (&self.template, frame.seq)
                }
            };
            if let Some(sequence) = &mut self.sequence
                && like.kind == Kind::Data
            {
                sequence.note(like, now, seq);
            }
            io.output(output).push_like(like, now, seq, 0);
            next = self.sender.poll(now);
        }
    }

    /// A frame that is no full segment.
    #[cold]
    fn unusual(&self, out: &Out) -> Frame {
        let mut frame = self.full;
        match out {
            Out::Data(segment) => {
                if segment.retransmit {
                    frame = self.retransmit;
                }
                frame.seq = segment.seq;
                frame.len = segment.len as u16 + self.config.header;
            }
            Out::Syn => {
                frame.kind = Kind::Syn;
                frame.len = syn_bytes(self.config.ip_header, self.config.tcp.timestamps);
            }
            Out::HandshakeAck => {
                frame.kind = Kind::Ack;
                frame.len = self.config.header + sack_bytes(0);
            }
        }
        frame
    }

    pub(crate) fn sample(&mut self, now: Time) {
        let sample = TcpSample {
            cwnd: if self.opened {
                self.sender.cwnd_bytes()
            } else {
                0
            },
            in_flight: self.sender.in_flight(),
            srtt: self.sender.srtt(),
            limited: self.sender.limited(now),
        };
        self.samples.push(sample);
    }
}
