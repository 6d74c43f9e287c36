//! A stream of datagrams: its source and its sink.

use farpath_element::Io;
use farpath_element::atm::Gcra;
use farpath_record::{Missing, Seen};
use farpath_scenario::Pace;
use farpath_units::{Duration, Time};
use farpath_wire::{Flags, FlowDir, Frame, Kind};

use crate::host::Host;

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
            // The sink needs the send time for jitter: nanoseconds, modulo 2³².
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
    /// Datagrams received that were sent at or after the start of the measurement; copies do not count.
    pub received: u64,
    /// Payload bytes that arrived within the measurement.
    pub bytes: u64,
    /// Datagrams that arrived after one with a higher ordinal; copies do not count.
    pub reordered: u64,
    /// Copies of datagrams that had arrived before.
    pub duplicates: u64,
    seen: Seen,
    pub(crate) missing: Missing,
    /// Payload bytes received in all.
    pub total_bytes: u64,
    highest: Option<u64>,
    /// Of the datagram that arrived last; the path's propagation before the first.
    transit_ns: i64,
    /// Interarrival jitter in nanoseconds (RFC 3550 §6.4.1).
    pub jitter_ns: f64,
    /// Least and most time under way, in nanoseconds; the first is above the second before any.
    pub transit_range_ns: (i64, i64),
    /// The contract received cells are held against, and how many were outside it.
    pub(crate) meter: Option<(Gcra, u64)>,
    /// Last arrival.
    pub last: Time,
}

impl UdpSink {
    /// A sink for datagrams of `payload` bytes on a path of `base` propagation.
    pub fn new(payload: u32, measured_from: Time, measured_until: Time, base: Duration) -> UdpSink {
        UdpSink {
            payload,
            measured_from,
            measured_until,
            received: 0,
            bytes: 0,
            reordered: 0,
            duplicates: 0,
            seen: Seen::new(),
            missing: Missing::default(),
            total_bytes: 0,
            highest: None,
            transit_ns: base.as_ns() as i64,
            jitter_ns: 0.0,
            transit_range_ns: (i64::MAX, i64::MIN),
            meter: None,
            last: Time::ZERO,
        }
    }

    /// Datagrams received in all.
    pub(crate) fn seen(&self) -> u64 {
        self.total_bytes / u64::from(self.payload.max(1))
    }

    /// How long a datagram was under way, in nanoseconds. It carries the time it was sent modulo
    /// 2³², and of those instants it is the one that makes its transit most like the last one's: no
    /// two datagrams in succession may differ by more than 2.1 s.
    fn transit_ns(&self, now: Time, frame: &Frame) -> i64 {
        let short = (now.as_ns() as u32).wrapping_sub(frame.side);
        let off = short.wrapping_sub(self.transit_ns as u32).cast_signed();
        self.transit_ns + i64::from(off)
    }

    pub(crate) fn on_frame(&mut self, now: Time, frame: &Frame) {
        if !self.seen.is_new(frame.seq) {
            self.duplicates += 1;
            return;
        }
        self.missing.came(frame.seq, now.as_ns());
        let transit_ns = self.transit_ns(now, frame);
        let sent_ns = now.as_ns() as i64 - transit_ns;
        self.received += u64::from(sent_ns >= self.measured_from.as_ns() as i64);
        self.total_bytes += u64::from(self.payload);
        if now >= self.measured_from && now < self.measured_until {
            self.bytes += u64::from(self.payload);
        }
        if self.highest.is_some() {
            self.jitter_ns += ((transit_ns - self.transit_ns).abs() as f64 - self.jitter_ns) / 16.0;
        }
        match self.highest {
            Some(highest) if frame.seq < highest => self.reordered += 1,
            _ => self.highest = Some(frame.seq),
        }
        let (least, most) = self.transit_range_ns;
        self.transit_range_ns = (least.min(transit_ns), most.max(transit_ns));
        if let Some((contract, outside)) = &mut self.meter {
            *outside += u64::from(contract.police(now, 1).failed);
        }
        self.transit_ns = transit_ns;
        self.last = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Transit times of more than 2³² ns, and a change of them by 2 s.
    #[test]
    fn transit_times_beyond_the_carried_clock_are_known() {
        let start = Time::ZERO + Duration::from_secs(3);
        let stop = Time::ZERO + Duration::from_secs(60);
        let mut sink = UdpSink::new(1000, start, stop, Duration::from_secs(5));
        // One datagram each 10 s: the gaps are longer than the clock goes, too. The second is lost.
        for (ordinal, delay_s) in [(0, 6), (2, 6), (3, 4), (4, 4)] {
            let sent = start + Duration::from_secs(10 * ordinal);
            let mut frame = Frame::new(Kind::Udp, FlowDir::forward(0), ordinal, 1028);
            frame.side = sent.as_ns() as u32;
            sink.on_frame(sent + Duration::from_secs(delay_s), &frame);
            assert_eq!(sink.transit_ns, delay_s as i64 * 1_000_000_000);
        }
        // RFC 3550 §6.4.1: a sixteenth of one change by 2 s, and a sixteenth of that is forgotten.
        let jitter_ns = 2e9 / 16.0 * (1.0 - 1.0 / 16.0);
        assert!((sink.jitter_ns - jitter_ns).abs() < 1.0);
        assert_eq!(sink.received, 4);
    }
}
