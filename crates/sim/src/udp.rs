//! A stream of datagrams: its source and its sink.

use farpath_element::Io;
use farpath_units::Time;
use farpath_wire::{Flags, FlowDir, Frame, Kind};

use crate::host::Host;
use crate::pace::Pace;

/// Sends datagrams from `start` up to, not including, `stop`.
#[derive(Debug)]
pub struct UdpSource {
    output: usize,
    template: Frame,
    payload: u32,
    measured_from: Time,
    stop: Time,
    pace: Pace,
    next: Time,
    sent: u64,
    /// Waits for its turn in the host.
    held: bool,
    /// The host kept it back at some time.
    pub(crate) was_held: bool,
    /// Its number among the station's programs.
    pub(crate) number: u32,
    /// Datagrams sent at or after the start of the measurement.
    pub measured: u64,
}

/// What a source needs to know.
#[derive(Debug)]
pub(crate) struct UdpConfig {
    /// The flow, forward.
    pub flow: FlowDir,
    /// The station's output it leaves on.
    pub output: usize,
    /// Start of the measurement.
    pub measured_from: Time,
    /// No datagram at or after this.
    pub stop: Time,
    /// When datagrams are due.
    pub(crate) pace: Pace,
    /// UDP payload bytes of one datagram.
    pub payload: u32,
    /// IP and UDP header bytes.
    pub header: u16,
    /// TOS byte.
    pub class: u8,
}

impl UdpSource {
    /// A source before its start.
    pub(crate) fn new(mut config: UdpConfig) -> UdpSource {
        let len = config.payload as u16 + config.header;
        let mut template = Frame::new(Kind::Udp, config.flow, 0, len);
        template.class = config.class;
        template.set_flags(Flags::DONT_FRAGMENT);
        UdpSource {
            output: config.output,
            template,
            payload: config.payload,
            measured_from: config.measured_from,
            stop: config.stop,
            next: config.pace.due(0),
            pace: config.pace,
            sent: 0,
            held: false,
            was_held: false,
            number: 0,
            measured: 0,
        }
    }

    /// Datagrams sent.
    pub fn sent(&self) -> u64 {
        self.sent
    }

    /// UDP payload bytes of one datagram.
    pub fn payload(&self) -> u32 {
        self.payload
    }

    /// When the next datagram is due.
    #[inline]
    pub fn deadline(&self) -> Time {
        if self.next < self.stop && !self.held {
            self.next
        } else {
            Time::MAX
        }
    }

    /// Whether it has nothing more to send.
    pub fn done(&self) -> bool {
        self.next >= self.stop
    }

    /// Its turn in the host has come.
    pub(crate) fn on_turn(&mut self, now: Time, host: &mut Host, io: &mut Io<'_>) {
        self.held = false;
        self.on_deadline(now, host, io);
    }

    pub(crate) fn on_deadline(&mut self, now: Time, host: &mut Host, io: &mut Io<'_>) {
        // A program that sends late sends no more than there was time for.
        while self.deadline() <= now && now < self.stop {
            if host.is_limited() && host.refuses(now, self.output).is_some() {
                (self.held, self.was_held) = (true, true);
                return host.hold(self.output, self.number);
            }
            let mut datagram = self.template;
            datagram.at = host.departs(now, self.output, &datagram);
            datagram.seq = self.sent;
            // The sink needs the send time for jitter: nanoseconds, modulo 2³², as a real tool
            // writes it into the payload.
            datagram.side = now.as_ns() as u32;
            io.output(self.output).push(datagram);
            self.measured += u64::from(now >= self.measured_from);
            self.next = self.pace.due(self.sent + 1);
            self.sent += 1;
        }
        if now >= self.stop {
            self.next = self.stop;
        }
    }
}

/// Counts what arrives.
#[derive(Debug)]
pub struct UdpSink {
    payload: u32,
    measured_from: Time,
    measured_until: Time,
    /// Datagrams received that were sent at or after the start of the measurement.
    pub received: u64,
    /// Payload bytes that arrived within the measurement.
    pub bytes: u64,
    /// Datagrams that arrived after one with a higher ordinal.
    pub reordered: u64,
    /// Payload bytes received in all.
    pub total_bytes: u64,
    highest: Option<u64>,
    transit_ns: Option<i64>,
    /// Interarrival jitter in nanoseconds (RFC 3550 §6.4.1).
    pub jitter_ns: f64,
    /// Last arrival.
    pub last: Time,
}

impl UdpSink {
    /// A sink of datagrams with `payload` bytes.
    pub fn new(payload: u32, measured_from: Time, measured_until: Time) -> UdpSink {
        UdpSink {
            payload,
            measured_from,
            measured_until,
            received: 0,
            bytes: 0,
            reordered: 0,
            total_bytes: 0,
            highest: None,
            transit_ns: None,
            jitter_ns: 0.0,
            last: Time::ZERO,
        }
    }

    pub(crate) fn on_frame(&mut self, now: Time, frame: &Frame) {
        let transit_ns = i64::from((now.as_ns() as u32).wrapping_sub(frame.side));
        let sent_ns = now.as_ns().saturating_sub(transit_ns as u64);
        self.received += u64::from(sent_ns >= self.measured_from.as_ns());
        self.total_bytes += u64::from(self.payload);
        if now >= self.measured_from && now < self.measured_until {
            self.bytes += u64::from(self.payload);
        }
        match self.highest {
            Some(highest) if frame.seq < highest => self.reordered += 1,
            _ => self.highest = Some(frame.seq),
        }
        if let Some(before) = self.transit_ns {
            self.jitter_ns += ((transit_ns - before).abs() as f64 - self.jitter_ns) / 16.0;
        }
        self.transit_ns = Some(transit_ns);
        self.last = now;
    }
}
