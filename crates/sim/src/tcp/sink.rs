//! The receiving side of one TCP connection on a station.

use farpath_element::{AckExtras, Io};
use farpath_tcp::Receiver;
use farpath_units::Time;
use farpath_wire::{Flags, FlowDir, Frame, Kind};

use super::{sack_bytes, syn_bytes};

/// What a sink needs to know.
#[derive(Clone, Debug)]
pub struct TcpSinkConfig {
    /// The flow, forward: the direction data arrives from.
    pub flow: FlowDir,
    /// The station's output acknowledgements leave on.
    pub output: usize,
    /// Start of the measurement.
    pub measured_from: Time,
    /// Its end.
    pub measured_until: Time,
    /// IP header bytes.
    pub ip_header: u16,
    /// IP and TCP header bytes of a data segment.
    pub header: u16,
    /// TOS byte.
    pub class: u8,
    /// Both ends' parameters.
    pub tcp: farpath_tcp::Config,
}

/// A TCP receiver and the application that reads at once.
#[derive(Debug)]
pub struct TcpSink {
    config: TcpSinkConfig,
    receiver: Receiver,
    template: Frame,
    /// The measurement begins, or ends, with what arrives at this instant.
    mark: Time,
    /// Bytes delivered before the measurement began, once it has.
    before: Option<u64>,
    /// Bytes delivered before it ended, once it has.
    until: Option<u64>,
    /// Bytes delivered at the end of each interval.
    pub samples: Vec<u64>,
    /// The instant the last byte so far was delivered.
    pub last: Time,
}

impl TcpSink {
    /// A sink before the SYN.
    pub fn new(config: TcpSinkConfig) -> TcpSink {
        let mut template = Frame::new(Kind::Ack, config.flow.turned(), 0, config.header);
        template.class = config.class;
        template.set_flags(Flags::DONT_FRAGMENT);
        TcpSink {
            receiver: Receiver::new(&config.tcp),
            template,
            mark: config.measured_from,
            before: None,
            until: None,
            samples: Vec::new(),
            last: Time::ZERO,
            config,
        }
    }

    /// The protocol machine.
    pub fn receiver(&self) -> &Receiver {
        &self.receiver
    }

    /// What it was made of.
    pub fn config(&self) -> &TcpSinkConfig {
        &self.config
    }

    /// Bytes delivered within the measurement so far.
    pub fn measured_bytes(&self) -> u64 {
        let delivered = self.receiver.delivered();
        let before = self.before.unwrap_or(delivered);
        self.until.unwrap_or(delivered) - before
    }

    #[inline]
    pub(crate) fn deadline(&self) -> Time {
        self.receiver.deadline()
    }

    pub(crate) fn on_deadline(&mut self, now: Time, io: &mut Io<'_>) {
        self.receiver.on_deadline(now);
        self.send(now, io);
    }

    /// See `Program::on_frames`.
    pub(crate) fn on_frames(&mut self, frames: &[Frame], until: Time, io: &mut Io<'_>) -> usize {
        let mut taken = 0;
        for frame in frames {
            let now = frame.at;
            if taken > 0
                && (now >= until || now >= self.deadline() || frame.flow != self.config.flow)
            {
                break;
            }
            taken += 1;
            match frame.kind {
                Kind::Data => self.on_data(now, frame, io),
                Kind::Syn => {
                    self.receiver.on_syn(now);
                    self.send(now, io);
                }
                _ => {}
            }
        }
        taken
    }

    #[inline]
    fn on_data(&mut self, now: Time, frame: &Frame, io: &mut Io<'_>) {
        let delivered = self.receiver.delivered();
        if now >= self.mark {
            self.measure(now, delivered);
        }
        let len = u32::from(frame.len.saturating_sub(self.config.header));
        let retransmit = frame.flags().contains(Flags::RETRANSMIT);
        let due = self.receiver.on_data(now, frame.seq, len, retransmit);
        if self.receiver.delivered() != delivered {
            self.last = now;
        }
        if due {
            self.send(now, io);
        }
    }

    #[cold]
    fn measure(&mut self, now: Time, delivered: u64) {
        self.before.get_or_insert(delivered);
        self.mark = self.config.measured_until;
        if now >= self.mark {
            self.until = Some(delivered);
            self.mark = Time::MAX;
        }
    }

    #[inline]
    fn send(&mut self, now: Time, io: &mut Io<'_>) {
        let window = self.config.tcp.receive_window;
        if let Some(ack) = self.receiver.poll_usual(window) {
            let output = io.output(self.config.output);
            output.push_like(&self.template, now, ack, 0);
        } else {
            self.send_unusual(now, io);
        }
    }

    /// Acknowledgements with more in them than a number.
    #[inline(never)]
    fn send_unusual(&mut self, now: Time, io: &mut Io<'_>) {
        while let Some(ack) = self.receiver.poll(now) {
            let mut frame = self.template;
            frame.at = now;
            frame.seq = ack.ack;
            if ack.syn_ack {
                frame.kind = Kind::SynAck;
                frame.len = syn_bytes(self.config.ip_header, self.config.tcp.timestamps);
            }
            if ack.echo_retransmit {
                frame.set_flags(Flags::ECHO_RETRANSMIT);
            }
            let blocks = ack.sack;
            if !blocks.is_empty() || ack.window != self.config.tcp.receive_window {
                let mut extras = AckExtras {
                    window: ack.window,
                    count: blocks.len() as u8,
                    ..AckExtras::default()
                };
                for (slot, block) in extras.blocks.iter_mut().zip(blocks) {
                    *slot = (block.start, block.end);
                }
                frame.len += sack_bytes(blocks.len());
                frame.side = io.side(frame.flow).push(extras);
            }
            io.output(self.config.output).push(frame);
        }
    }

    pub(crate) fn sample(&mut self) {
        self.samples.push(self.receiver.delivered());
    }
}
