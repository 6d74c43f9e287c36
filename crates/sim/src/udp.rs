//! A stream of datagrams: its source (constant or Poisson spacing) and its sink.

use farpath_element::Io;
use farpath_units::{Duration, Rate, Stream, Time};
use farpath_wire::{Flags, FlowDir, Frame, Kind};

/// Sends datagrams from `start` up to, not including, `stop`.
#[derive(Debug)]
pub struct UdpSource {
    output: usize,
    template: Frame,
    payload: u32,
    start: Time,
    measured_from: Time,
    stop: Time,
    rate: Rate,
    /// Gaps drawn from here; equal gaps without.
    luck: Option<Stream>,
    next: Time,
    sent: u64,
    /// Datagrams sent at or after the start of the measurement.
    pub measured: u64,
}

/// What a source needs to know.
#[derive(Clone, Debug)]
pub struct UdpConfig {
    /// The flow, forward.
    pub flow: FlowDir,
    /// The station's output it leaves on.
    pub output: usize,
    /// First datagram.
    pub start: Time,
    /// Start of the measurement.
    pub measured_from: Time,
    /// No datagram at or after this.
    pub stop: Time,
    /// Rate of UDP payload.
    pub rate: Rate,
    /// UDP payload bytes of one datagram.
    pub payload: u32,
    /// IP and UDP header bytes.
    pub header: u16,
    /// TOS byte.
    pub class: u8,
    /// Draws of Poisson gaps; `None` for equal gaps.
    pub luck: Option<Stream>,
}

impl UdpSource {
    /// A source before its start.
    pub fn new(config: &UdpConfig) -> UdpSource {
        let len = config.payload as u16 + config.header;
        let mut template = Frame::new(Kind::Udp, config.flow, 0, len);
        template.class = config.class;
        template.set_flags(Flags::DONT_FRAGMENT);
        UdpSource {
            output: config.output,
            template,
            payload: config.payload,
            start: config.start,
            measured_from: config.measured_from,
            stop: config.stop,
            rate: config.rate,
            luck: config.luck,
            next: config.start,
            sent: 0,
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
        if self.next < self.stop {
            self.next
        } else {
            Time::MAX
        }
    }

    /// The instant of datagram `ordinal`, `gap`s apart on average: exact, so that rounding never
    /// adds up to another rate.
    fn due(&self, ordinal: u64) -> Time {
        let bits_ps = u128::from(ordinal) * u128::from(self.payload) * 8_000_000_000_000;
        let rate = u128::from(self.rate.as_bps());
        self.start + Duration::from_ps(((bits_ps + rate / 2) / rate) as u64)
    }

    pub(crate) fn on_deadline(&mut self, now: Time, io: &mut Io<'_>) {
        while self.deadline() <= now {
            let mut datagram = self.template;
            datagram.at = now;
            datagram.seq = self.sent;
            // The sink needs the send time for jitter: nanoseconds, modulo 2³².
            datagram.side = now.as_ns() as u32;
            io.output(self.output).push(datagram);
            self.measured += u64::from(now >= self.measured_from);
            self.next = match self.luck {
                None => self.due(self.sent + 1),
                Some(luck) => {
                    let mean = self.payload as f64 * 8e12 / self.rate.as_bps() as f64;
                    self.next + Duration::from_ps((luck.exponential(self.sent) * mean) as u64)
                }
            };
            self.sent += 1;
        }
    }
}

/// Counts what arrives.
#[derive(Debug)]
pub struct UdpSink {
    payload: u32,
    /// From one datagram to the next, on average, in picoseconds.
    gap_ps: u64,
    /// Ordinal and send time in nanoseconds of the datagram that arrived last.
    known: (u64, u64),
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
    /// The sink of what a source makes of `config`.
    pub fn new(config: &UdpConfig) -> UdpSink {
        let bits_ps = u128::from(config.payload) * 8_000_000_000_000;
        UdpSink {
            payload: config.payload,
            gap_ps: (bits_ps / u128::from(config.rate.as_bps())) as u64,
            known: (0, config.start.as_ns()),
            measured_from: config.measured_from,
            measured_until: config.stop,
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

    /// When a datagram was sent, in nanoseconds. It carries the time modulo 2³², and its ordinal says
    /// which of those instants it is: the one nearest to what follows from the datagram before.
    fn sent_ns(&self, frame: &Frame) -> u64 {
        let (ordinal, sent_ns) = self.known;
        let later = i128::from(frame.seq) - i128::from(ordinal);
        let expected = i128::from(sent_ns) + later * i128::from(self.gap_ps) / 1000;
        let off = frame.side.wrapping_sub(expected as u32).cast_signed();
        (expected + i128::from(off)).max(0) as u64
    }

    pub(crate) fn on_frame(&mut self, now: Time, frame: &Frame) {
        let sent_ns = self.sent_ns(frame);
        self.known = (frame.seq, sent_ns);
        let transit_ns = now.as_ns() as i64 - sent_ns as i64;
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A transit time of more than 2³² ns, and a change of it by more than that: what a delay of
    /// 6 s does that becomes 1 s.
    #[test]
    fn transit_times_beyond_the_carried_clock_are_known() {
        let config = UdpConfig {
            flow: FlowDir::forward(0),
            output: 0,
            start: Time::ZERO + Duration::from_secs(3),
            measured_from: Time::ZERO + Duration::from_secs(3),
            stop: Time::ZERO + Duration::from_secs(60),
            rate: Rate::from_bps(800).expect("not zero"),
            payload: 1000,
            header: 28,
            class: 0,
            luck: None,
        };
        let mut sink = UdpSink::new(&config);
        // One datagram each 10 s: the gaps are longer than the clock goes, too. The second is lost.
        for (ordinal, delay_s) in [(0, 6), (2, 6), (3, 1), (4, 1)] {
            let sent = config.start + Duration::from_secs(10 * ordinal);
            let mut frame = Frame::new(Kind::Udp, config.flow, ordinal, 1028);
            frame.side = sent.as_ns() as u32;
            sink.on_frame(sent + Duration::from_secs(delay_s), &frame);
            assert_eq!(sink.transit_ns, Some(delay_s as i64 * 1_000_000_000));
        }
        // RFC 3550 §6.4.1: a sixteenth of one change by 5 s, and a sixteenth of that is forgotten.
        let jitter_ns = 5e9 / 16.0 * (1.0 - 1.0 / 16.0);
        assert!((sink.jitter_ns - jitter_ns).abs() < 1.0);
        assert_eq!(sink.received, 4);
    }
}
