//! `ping`: echo requests at an interval, and the round-trip times of their replies.

use farpath_element::Io;
use farpath_observe::{Observation, Packets, Refusal, answers, too_late};
use farpath_record::Seen;
use farpath_scenario::{Periodic, Test};
use farpath_units::{Duration, Time};
use farpath_wire::{Flags, FlowDir, Frame, Kind};

use crate::host::Host;
use crate::prober::{NodeName, Prober};

/// Asks; every node answers by itself.
#[derive(Debug)]
pub(super) struct Pinger {
    output: usize,
    template: Frame,
    start: Time,
    ping: Periodic,
    /// From a request's due time until it leaves: a router's control plane takes some time.
    after: Duration,
    sent: u64,
    /// When each request that was answered was sent, and its round-trip time.
    replies: Vec<(Time, Duration)>,
    /// Copies of replies that had arrived before.
    duplicates: u64,
    /// First answers that came after the timeout.
    late: u64,
    seen: Seen,
    /// Errors that came back, as (ordinal, node, kind).
    errors: Vec<(u64, u32, Kind)>,
    /// How long each took that says that a TTL ran out, within the timeout.
    exceeded: Vec<Duration>,
}

impl Pinger {
    /// A ping before its start, over the station's `output`.
    pub(super) fn new(
        test: &Test,
        ping: &Periodic,
        flow: FlowDir,
        output: usize,
        after: Duration,
    ) -> Pinger {
        let mut template = Frame::new(Kind::EchoRequest, flow, 0, ping.size as u16);
        template.ttl = ping.ttl;
        template.class = test.class;
        template.set_flags(Flags::DONT_FRAGMENT);
        Pinger {
            output,
            template,
            start: test.start,
            ping: ping.clone(),
            after,
            sent: 0,
            replies: Vec::new(),
            duplicates: 0,
            late: 0,
            seen: Seen::new(),
            errors: Vec::new(),
            exceeded: Vec::new(),
        }
    }

    fn count(&self) -> u64 {
        self.ping.count.into()
    }

    fn sent_at(&self, ordinal: u64) -> Time {
        self.start + self.ping.interval.times(ordinal)
    }
}

impl Prober for Pinger {
    fn deadline(&self) -> Time {
        if self.sent < self.count() {
            self.sent_at(self.sent)
        } else {
            Time::MAX
        }
    }

    fn on_deadline(&mut self, now: Time, host: &mut Host, io: &mut Io<'_>) {
        while self.deadline() <= now {
            let mut request = self.template;
            request.at = host.departs(now, self.output, &request) + self.after;
            request.seq = self.sent;
            self.sent += 1;
            io.output(self.output).push(request);
        }
    }

    fn on_frame(&mut self, now: Time, frame: &Frame) {
        debug_assert_eq!(frame.flow.flow(), self.template.flow.flow());
        match frame.kind {
            Kind::EchoReply => {
                let sent = self.sent_at(frame.seq);
                let rtt = now.since(sent);
                if !self.seen.is_new(frame.seq) {
                    self.duplicates += 1;
                } else if rtt <= self.ping.timeout {
                    self.replies.push((sent, rtt));
                } else {
                    self.late += 1;
                }
            }
            Kind::TimeExceeded | Kind::FragmentationNeeded => {
                self.errors.push((frame.seq, frame.side, frame.kind));
                let took = now.since(self.sent_at(frame.seq));
                if frame.kind == Kind::TimeExceeded && took <= self.ping.timeout {
                    self.exceeded.push(took);
                }
            }
            _ => {}
        }
    }

    fn is_done(&self, now: Time) -> bool {
        let answered = (self.replies.len() + self.errors.len()) as u64;
        let complete = self.sent == self.count() && answered >= self.count();
        complete || now >= self.sent_at(self.count().saturating_sub(1)) + self.ping.timeout
    }

    fn seen(&self, name: &NodeName<'_>, notes: &mut Vec<String>) -> Option<Observation> {
        let errors: Vec<_> = self
            .errors
            .iter()
            .map(|(ordinal, node, kind)| {
                let why = match kind {
                    Kind::TimeExceeded => Refusal::TimeExceeded,
                    _ => Refusal::FragmentationNeeded,
                };
                (ordinal + 1, name(*node), why)
            })
            .collect();
        notes.extend(answers(&errors));
        notes.extend(too_late("answers", self.late, self.sent, self.ping.timeout));
        Some(Observation::Packets(Packets {
            timed: "rtt",
            sent: self.sent,
            arrived: self.replies.clone(),
            duplicates: self.duplicates,
            exceeded: self.exceeded.clone(),
        }))
    }
}
