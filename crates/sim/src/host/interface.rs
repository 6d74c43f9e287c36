//! The queue in front of an interface as the host's own stack sees it.

use std::collections::VecDeque;

use farpath_element::Transmitter;
use farpath_element::qdisc::Limit;
use farpath_scenario::QueueRule;
use farpath_units::{Duration, Rate, Size, Time};
use farpath_wire::Frame;

use super::others::Others;

/// Why a connection has to wait before it may send another segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// As much as its stack allows is queued in front of the interface.
    Queued,
    /// The interface's queue is full, and this stack takes that for congestion.
    Full,
    /// The processor or the bus is busy.
    Busy,
}

/// What a stack lets its connections queue in front of an interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Backlog {
    /// The stack's rule.
    pub(crate) rule: QueueRule,
    /// Bytes of the largest IP datagram.
    pub(crate) datagram: u32,
    /// What fits into the interface's queue.
    pub(crate) limit: Limit,
}

/// Largest super-frame that is handed to an interface at once (64 KiB: an IP datagram's length).
const LARGEST_BURST: u64 = 65_536;
/// Most that a current stack queues below its sockets (`tcp_limit_output_bytes` of Linux 5 and 6,
/// kernel documentation, ip-sysctl).
const LARGEST_BACKLOG: u64 = 1 << 20;
/// A queue is meant to hold this much time (Linux: `sk_pacing_shift` 10).
const SHORT: Duration = Duration::from_ms(1);

/// Segments that are sent at one instant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    /// When the transmitter falls idle.
    free: Time,
    /// The latest such instant at which one more may follow.
    edge: Time,
    /// What each takes.
    time: Duration,
}

impl Run {
    /// Whether one more may follow.
    #[inline]
    pub(crate) fn has_room(&self) -> bool {
        self.free <= self.edge
    }

    /// One more has been sent.
    #[inline]
    pub(crate) fn sent(&mut self) {
        self.free += self.time;
    }
}

/// One interface. It follows its link's transmitter frame by frame: a host's port is fed by nobody
/// else, so both fall idle at the same instants, unless the port drops what a sender sent.
#[derive(Debug)]
pub(crate) struct Interface {
    transmitter: Transmitter,
    /// When it falls idle.
    free: Time,
    /// What it has besides connections' own segments, of a stack that holds connections by these alone.
    others: Others,
    backlog: Backlog,
    /// The longest time on the link that may be queued before connections have to wait.
    most: Duration,
    /// They go on when this much is left.
    resume: Duration,
    /// Length and time of the last frame: most are alike.
    usual: (u16, Duration),
    /// Programs that wait, in the order in which they go on.
    held: VecDeque<u32>,
    /// When its rate or limit changed last: nobody goes on before that by what they are now.
    changed: Time,
}

impl Interface {
    pub(crate) fn new(transmitter: Transmitter, backlog: Backlog) -> Interface {
        let mut interface = Interface {
            transmitter,
            free: Time::ZERO,
            others: Others::default(),
            backlog,
            most: Duration::ZERO,
            resume: Duration::ZERO,
            usual: (0, Duration::ZERO),
            held: VecDeque::new(),
            changed: Time::ZERO,
        };
        interface.work_out();
        interface
    }

    /// The queue in front of it has another limit from `now` on.
    pub(crate) fn set_limit(&mut self, now: Time, limit: Limit) {
        self.backlog.limit = limit;
        self.changed = now;
        self.work_out();
    }

    /// The limits at the current rate.
    fn work_out(&mut self) {
        let rate = self.transmitter.rate();
        let full = self.transmitter.cost_of(self.backlog.datagram);
        (self.most, self.resume) = match self.backlog.rule {
            QueueRule::Hold => {
                let short = rate.bytes_in(SHORT).as_bytes();
                let least = 2 * u64::from(self.backlog.datagram);
                let burst = short.clamp(least, LARGEST_BURST.max(least));
                let most = short.max(2 * burst).min(LARGEST_BACKLOG.max(least));
                (
                    rate.time_for(Size::from_bytes(most)),
                    rate.time_for(Size::from_bytes(most / 2)),
                )
            }
            // One more is admitted while fewer wait than fit; one is in service.
            QueueRule::Signal => {
                let packets = match self.backlog.limit {
                    Limit::Packets(n) => n,
                    Limit::Bytes(bytes) => bytes / u64::from(full.queue_bytes.max(1)),
                };
                let most = full.time.times(packets);
                (most, most.saturating_sub(full.time))
            }
        };
        self.usual = (0, Duration::ZERO);
    }

    /// Whether another segment may be queued at `now`.
    #[inline]
    pub(crate) fn has_room(&self, now: Time) -> bool {
        self.free <= self.edge(now)
    }

    /// The latest instant at which the transmitter may fall idle, of what is queued at `now`, if another segment may follow.
    #[inline]
    fn edge(&self, now: Time) -> Time {
        now + self.most + self.others.left(now)
    }

    /// What a full queue means here.
    pub(crate) fn refusal(&self) -> Refusal {
        match self.backlog.rule {
            QueueRule::Hold => Refusal::Queued,
            QueueRule::Signal => Refusal::Full,
        }
    }

    /// Whether programs wait.
    #[inline]
    pub(crate) fn is_awaited(&self) -> bool {
        !self.held.is_empty()
    }

    pub(crate) fn hold(&mut self, program: u32) {
        self.held.push_back(program);
    }

    pub(crate) fn next_held(&mut self) -> Option<u32> {
        self.held.pop_front()
    }

    /// When the first of those that wait may go on; `Time::MAX` if nobody waits.
    pub(crate) fn resumes(&self) -> Time {
        if self.held.is_empty() {
            return Time::MAX;
        }
        let drained = self.others.drained(self.free, self.resume);
        drained.max(self.changed)
    }

    /// Like segments may follow one another at `now`.
    #[inline]
    pub(crate) fn run(&mut self, now: Time, frame: &Frame) -> Run {
        self.others.forget(now);
        Run {
            free: self.free.max(now),
            edge: self.edge(now),
            time: self.time_for(frame),
        }
    }

    #[inline]
    pub(crate) fn end_run(&mut self, run: &Run) {
        self.free = run.free;
    }

    #[inline]
    fn time_for(&mut self, frame: &Frame) -> Duration {
        if self.usual.0 != frame.len {
            self.usual = (frame.len, self.transmitter.time_for(frame));
        }
        self.usual.1
    }

    /// A connection's own segment gets to the queue at `at`.
    #[inline]
    pub(crate) fn send(&mut self, at: Time, frame: &Frame) {
        self.free = self.free.max(at) + self.time_for(frame);
    }

    /// Any other frame, handed over at `now`, gets to the queue at `at`.
    pub(crate) fn send_other(&mut self, now: Time, at: Time, frame: &Frame) {
        if self.backlog.rule == QueueRule::Signal {
            return self.send(at, frame);
        }
        self.others.forget(now);
        // The port drops it.
        if self.is_full(now) {
            return;
        }
        let cost = self.transmitter.cost_of(frame.len.into());
        let queued = match self.backlog.limit {
            Limit::Packets(_) => 1,
            Limit::Bytes(_) => u64::from(cost.queue_bytes),
        };
        let start = self.free.max(now);
        self.send(at, frame);
        self.others.add(start, self.free, queued);
    }

    /// Whether the queue holds what fits and a frame is in service, as far as a host can count: connections' segments as full ones.
    fn is_full(&mut self, now: Time) -> bool {
        let full = self.transmitter.cost_of(self.backlog.datagram);
        let own = self.free.since(now).saturating_sub(self.others.left(now));
        let segments = own.as_ps() / full.time.as_ps().max(1);
        let (most, each) = match self.backlog.limit {
            Limit::Packets(packets) => (packets, 1),
            Limit::Bytes(bytes) => (bytes, u64::from(full.queue_bytes)),
        };
        let all = self.others.queued(now);
        all.saturating_add(segments.saturating_mul(each)) > most
    }

    /// The link's rate is another from `now` on; what is queued takes that much longer or shorter.
    pub(crate) fn set_rate(&mut self, now: Time, rate: Rate) {
        let before = u128::from(self.transmitter.rate().as_bps());
        let moved = |at: Time| {
            let queued = u128::from(at.since(now).as_ps());
            let queued = (queued * before / u128::from(rate.as_bps())).min(u64::MAX.into());
            now + Duration::from_ps(queued as u64)
        };
        self.others.move_all(now, moved);
        self.free = moved(self.free);
        self.transmitter.set_rate(rate);
        self.changed = now;
        self.work_out();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use farpath_predict::Framing;
    use farpath_wire::{FlowDir, Kind};

    fn interface(rate: &str, rule: QueueRule) -> Interface {
        let rate = rate.parse().expect("a rate");
        let backlog = Backlog {
            rule,
            datagram: 1500,
            limit: Limit::Packets(100),
        };
        Interface::new(Transmitter::new(rate, Framing::Ethernet), backlog)
    }

    /// Full frames of 1538 bytes that are admitted at one instant.
    fn admitted(interface: &mut Interface) -> usize {
        let frame = Frame::new(Kind::Data, FlowDir(0), 0, 1500);
        let mut count = 0;
        while interface.has_room(Time::ZERO) {
            interface.send(Time::ZERO, &frame);
            count += 1;
        }
        count
    }

    #[test]
    fn a_current_stack_queues_a_millisecond_or_two_bursts_or_a_mebibyte() {
        for (rate, bytes) in [
            ("1 Mbit/s", 6_000),
            ("100 Mbit/s", 25_000),
            ("1 Gbit/s", 131_072),
            ("4 Gbit/s", 500_000),
            ("100 Gbit/s", 1_048_576),
        ] {
            let mut interface = interface(rate, QueueRule::Hold);
            assert_eq!(admitted(&mut interface), bytes / 1538 + 1, "{rate}");
            interface.hold(7);
            let left = interface.resumes().as_secs_f64()
                * interface.transmitter.rate().as_bps() as f64
                / 8.0;
            let all = (bytes / 1538 + 1) as f64 * 1538.0;
            assert!(
                (left - (all - bytes as f64 / 2.0)).abs() < 2.0,
                "{rate}: {left}"
            );
        }
    }

    fn ack() -> Frame {
        Frame::new(Kind::Ack, FlowDir(1), 0, 52)
    }

    /// Acknowledgements of another connection blocked a sender for as long as they came.
    #[test]
    fn other_frames_take_no_room_from_a_connection() {
        let mut interface = interface("1 Mbit/s", QueueRule::Hold);
        for _ in 0..50 {
            interface.send_other(Time::ZERO, Time::ZERO, &ack());
        }
        let reached = interface.free;
        // As many as in front of an idle interface: four make 6152 bytes, and 6000 are allowed.
        assert_eq!(admitted(&mut interface), 4);
        assert!(!interface.has_room(reached));
        assert!(interface.has_room(reached + Duration::from_us(12_304)));
        interface.hold(7);
        let resumes = interface.free - interface.resume;
        assert_eq!(interface.resumes(), resumes);
        // Nor do they put off the instant at which it goes on.
        let before = interface.free;
        for _ in 0..40 {
            interface.send_other(Time::ZERO, Time::ZERO, &ack());
        }
        assert!(interface.free > before);
        assert_eq!(interface.resumes(), resumes);
    }

    /// A hundred fit and one is in service: the port drops the others.
    #[test]
    fn frames_that_find_the_queue_full_are_not_waited_for() {
        let mut interface = interface("1 Mbit/s", QueueRule::Hold);
        interface.send_other(Time::ZERO, Time::ZERO, &ack());
        let one = interface.free.since(Time::ZERO);
        for _ in 0..1000 {
            interface.send_other(Time::ZERO, Time::ZERO, &ack());
        }
        assert_eq!(interface.free, Time::ZERO + one.times(101));
        let later = Time::ZERO + one.times(10);
        for _ in 0..1000 {
            interface.send_other(later, later, &ack());
        }
        assert_eq!(interface.free, Time::ZERO + one.times(111));
    }

    /// Three segments, fifty acknowledgements, a segment: half of 6000 bytes are left when 1462 of the third remain.
    #[test]
    fn a_connection_goes_on_when_half_of_its_own_is_left() {
        let segment = Frame::new(Kind::Data, FlowDir(0), 0, 1500);
        let mut interface = interface("1 Mbit/s", QueueRule::Hold);
        for _ in 0..3 {
            interface.send(Time::ZERO, &segment);
        }
        for _ in 0..50 {
            interface.send_other(Time::ZERO, Time::ZERO, &ack());
        }
        interface.send(Time::ZERO, &segment);
        interface.hold(7);
        assert_eq!(interface.resumes(), Time::ZERO + Duration::from_us(25_216));
        // All of it goes at another rate.
        interface.set_rate(Time::ZERO, "4 Mbit/s".parse().expect("a rate"));
        assert_eq!(interface.resumes(), Time::ZERO + Duration::from_us(6_304));
    }

    /// Such a stack takes a full queue for congestion, whatever it is full of.
    #[test]
    fn an_old_stack_counts_every_frame() {
        let mut interface = interface("1 Gbit/s", QueueRule::Signal);
        let segment = Frame::new(Kind::Udp, FlowDir(1), 0, 1500);
        for _ in 0..60 {
            interface.send_other(Time::ZERO, Time::ZERO, &segment);
        }
        assert_eq!(admitted(&mut interface), 101 - 60);
    }

    #[test]
    fn an_old_stack_fills_the_queue_to_the_last_packet() {
        let mut interface = interface("1 Gbit/s", QueueRule::Signal);
        // One in service and a hundred waiting.
        assert_eq!(admitted(&mut interface), 101);
        assert_eq!(interface.refusal(), Refusal::Full);
        // One frame's time later there is room for one.
        let later = Time::ZERO + Duration::from_ps(12_304_000);
        assert!(interface.has_room(later) && !interface.has_room(Time::from_ps(12_303_999)));
    }

    #[test]
    fn a_limit_in_bytes_holds_the_packets_that_fit_into_it() {
        let mut interface = interface("1 Gbit/s", QueueRule::Signal);
        // A full frame is 1514 bytes in a queue: ten of them, and one in service.
        interface.set_limit(Time::ZERO, Limit::Bytes(15_141));
        assert_eq!(admitted(&mut interface), 11);
    }

    #[test]
    fn what_is_queued_goes_at_the_new_rate() {
        let mut interface = interface("1 Gbit/s", QueueRule::Hold);
        admitted(&mut interface);
        let before = interface.free;
        let now = Time::from_ps(before.as_ps() / 2);
        interface.set_rate(now, "250 Mbit/s".parse().expect("a rate"));
        assert_eq!(interface.free.since(now), before.since(now).times(4));
    }

    /// Four times the rate, or more room, is what a program that waits goes on by from then on, and not before.
    #[test]
    fn nobody_goes_on_before_the_rate_or_the_limit_is_raised() {
        let mut faster = interface("100 Mbit/s", QueueRule::Hold);
        admitted(&mut faster);
        faster.hold(7);
        let now = faster.resumes() - Duration::from_ps(1_000);
        faster.set_rate(now, "400 Mbit/s".parse().expect("a rate"));
        assert_eq!(faster.resumes(), now);
        let mut roomier = interface("100 Mbit/s", QueueRule::Signal);
        admitted(&mut roomier);
        roomier.hold(7);
        let now = Time::from_ps(1_000);
        roomier.set_limit(now, Limit::Packets(1000));
        assert_eq!(roomier.resumes(), now);
    }
}
