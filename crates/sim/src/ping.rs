//! `ping`: echo requests at an interval, and the round-trip times of their replies.

use farpath_element::Io;
use farpath_record::Seen;
use farpath_units::{Duration, Time};
use farpath_wire::{Flags, FlowDir, Frame, Kind};

use crate::host::Host;

/// One ping test.
#[derive(Debug)]
pub struct Pinger {
    flow: FlowDir,
    output: usize,
    template: Frame,
    start: Time,
    interval: Duration,
    count: u64,
    timeout: Duration,
    after: Duration,
    sent: u64,
    /// Reply by ordinal of its request: send time and round-trip time.
    pub replies: Vec<(Time, Duration)>,
    /// Copies of replies that had arrived before.
    pub duplicates: u64,
    seen: Seen,
    /// Errors that came back, as (ordinal, node, kind).
    pub errors: Vec<(u64, u32, Kind)>,
}

/// What a ping test needs to know.
#[derive(Clone, Debug)]
pub struct PingerConfig {
    /// The flow, forward.
    pub flow: FlowDir,
    /// The station's output it leaves on.
    pub output: usize,
    /// First request.
    pub start: Time,
    /// Between requests.
    pub interval: Duration,
    /// How many.
    pub count: u64,
    /// IP datagram bytes.
    pub size: u16,
    /// IP TTL.
    pub ttl: u8,
    /// TOS byte.
    pub class: u8,
    /// Replies later than this count as lost.
    pub timeout: Duration,
    /// From a request's due time until it leaves: a router's control plane takes some time.
    pub after: Duration,
}

impl Pinger {
    /// A ping before its start.
    pub fn new(config: PingerConfig) -> Pinger {
        let mut template = Frame::new(Kind::EchoRequest, config.flow, 0, config.size);
        template.ttl = config.ttl;
        template.class = config.class;
        template.set_flags(Flags::DONT_FRAGMENT);
        Pinger {
            flow: config.flow,
            output: config.output,
            template,
            start: config.start,
            interval: config.interval,
            count: config.count,
            timeout: config.timeout,
            after: config.after,
            sent: 0,
            replies: Vec::new(),
            duplicates: 0,
            seen: Seen::new(),
            errors: Vec::new(),
        }
    }

    /// Requests sent so far.
    pub fn sent(&self) -> u64 {
        self.sent
    }

    fn sent_at(&self, ordinal: u64) -> Time {
        self.start + self.interval.times(ordinal)
    }

    /// When the next request is due.
    pub fn deadline(&self) -> Time {
        if self.sent < self.count {
            self.sent_at(self.sent)
        } else {
            Time::MAX
        }
    }

    /// When the last reply can still count.
    pub fn settled(&self) -> Time {
        self.sent_at(self.count.saturating_sub(1)) + self.timeout
    }

    /// Whether every request has been answered.
    pub fn complete(&self) -> bool {
        self.sent == self.count && (self.replies.len() + self.errors.len()) as u64 >= self.count
    }

    pub(crate) fn on_deadline(&mut self, now: Time, host: &mut Host, io: &mut Io<'_>) {
        while self.deadline() <= now {
            let mut request = self.template;
            request.at = host.departs(now, self.output, &request) + self.after;
            request.seq = self.sent;
            self.sent += 1;
            io.output(self.output).push(request);
        }
    }

    pub(crate) fn on_frame(&mut self, now: Time, frame: &Frame) {
        debug_assert_eq!(frame.flow.flow(), self.flow.flow());
        match frame.kind {
            Kind::EchoReply => {
                let sent = self.sent_at(frame.seq);
                let rtt = now.since(sent);
                if !self.seen.is_new(frame.seq) {
                    self.duplicates += 1;
                } else if rtt <= self.timeout {
                    self.replies.push((sent, rtt));
                }
            }
            Kind::TimeExceeded | Kind::FragmentationNeeded => {
                self.errors.push((frame.seq, frame.side, frame.kind));
            }
            _ => {}
        }
    }
}
