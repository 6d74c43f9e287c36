//! The receiving side of one TCP connection on a station.

use farpath_element::{AckExtras, Io};
use farpath_tcp::{Receiver, Stamp};
use farpath_units::{Duration, Time};
use farpath_wire::{Flags, FlowDir, Frame, Kind};

use super::dial::{Answers, Dial};
use super::intake::Intake;
use super::steps::Steps;
use super::{sack_bytes, stamped, syn_bytes};
use crate::host::Host;

/// The ECN field of the TOS byte when a router marked the datagram (RFC 3168 §5).
const CE: u8 = 3;

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
    /// When its test starts, and the shortest round trip of its path; none of one of very many, of which no steps are kept.
    pub steps: Option<(Time, Duration)>,
    /// IP header bytes.
    pub ip_header: u16,
    /// IP and TCP header bytes of a data segment.
    pub header: u16,
    /// TOS byte.
    pub class: u8,
    /// What arrives is written to the host's disk.
    pub writes: bool,
    /// When this end sends the SYN, where it does and not the sender.
    pub dials: Option<Time>,
    /// Both ends' parameters.
    pub tcp: farpath_tcp::Config,
}

/// A TCP receiver and the application that reads at once.
#[derive(Debug)]
pub struct TcpSink {
    config: TcpSinkConfig,
    receiver: Receiver,
    dial: Option<Box<Dial>>,
    template: Frame,
    intake: Option<Box<Intake>>,
    /// The measurement begins, or ends, or a step does, with what arrives at this instant.
    mark: Time,
    /// What arrived in steps of a part of a round trip.
    pub(crate) steps: Option<Steps>,
    /// Bytes delivered before the measurement began, once it has, and those that waited above a gap.
    before: Option<(u64, u64)>,
    /// The same when it ended, once it has.
    until: Option<(u64, u64)>,
    /// Bytes delivered at the end of each interval.
    pub samples: Vec<u64>,
    /// The instant the first byte was delivered.
    pub first: Option<Time>,
    /// The instant the last byte so far was delivered.
    pub last: Time,
    /// Its SYN-ACKs.
    answers: Answers,
    /// The SYN that opened it had been sent again: the one before was lost.
    syn_again: bool,
}

impl TcpSink {
    /// A sink before the SYN.
    pub fn new(config: TcpSinkConfig) -> TcpSink {
        let mut template = Frame::new(Kind::Ack, config.flow.turned(), 0, config.header);
        template.class = config.class;
        template.set_flags(Flags::DONT_FRAGMENT);
        TcpSink {
            receiver: Receiver::new(&config.tcp),
            dial: config
                .dials
                .map(|start| Box::new(Dial::new(&config.tcp, start, config.ip_header))),
            template,
            intake: config.writes.then(|| {
                let mss = config.tcp.mss.into();
                Box::new(Intake::new(config.tcp.first_offer(), mss))
            }),
            // The first segment finds out what comes next.
            mark: Time::ZERO,
            steps: config.steps.map(|(start, round)| Steps::new(start, round)),
            before: None,
            until: None,
            samples: Vec::new(),
            first: None,
            last: Time::ZERO,
            answers: Answers::default(),
            syn_again: false,
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
        let [before, until] = self.bounds();
        until.0 - before.0
    }

    /// By how many bytes more waited above a gap when the measurement began than when it ended: they had arrived before, and count as
    /// delivered in it.
    pub fn carried_in(&self) -> u64 {
        let [before, until] = self.bounds();
        before.1.saturating_sub(until.1)
    }

    /// What was delivered and what waited when the measurement began and ended, as far as it has.
    fn bounds(&self) -> [(u64, u64); 2] {
        let now = (self.receiver.delivered(), self.receiver.waiting());
        [self.before.unwrap_or(now), self.until.unwrap_or(now)]
    }

    /// When this end's SYNs went unanswered once too often.
    pub fn gave_up(&self) -> Option<Time> {
        self.dial.as_ref().and_then(|dial| dial.gave_up())
    }

    /// Whether it waits for an answer to its SYN.
    pub(crate) fn is_dialling(&self, now: Time) -> bool {
        let waits = |dial: &Dial| !dial.is_open() && dial.gave_up().is_none();
        now < self.config.measured_until && self.dial.as_deref().is_some_and(waits)
    }

    /// Whether it has heard from the other end.
    pub(crate) fn is_open(&self) -> bool {
        self.receiver.is_open()
    }

    /// Bytes on the disk, or delivered where there is none.
    pub fn stored(&self) -> u64 {
        let delivered = self.receiver.delivered();
        self.intake.as_ref().map_or(delivered, |i| i.written)
    }

    /// When the last byte so far was delivered, or was on the disk.
    pub fn finished(&self) -> Time {
        self.intake.as_ref().map_or(self.last, |i| i.last)
    }

    /// Whether everything that is to come is on the disk, if there is one.
    pub(crate) fn is_stored(&self) -> bool {
        self.intake.as_ref().is_none_or(|i| i.complete())
    }

    /// `bytes` are to come in all.
    pub(crate) fn expect(&mut self, bytes: u64) {
        if let Some(intake) = &mut self.intake {
            intake.expected = bytes;
        }
    }

    #[inline]
    pub(crate) fn deadline(&self) -> Time {
        let mut timer = self.receiver.deadline();
        if let Some(dial) = &self.dial {
            timer = timer.min(dial.deadline());
        }
        match &self.intake {
            None => timer,
            Some(intake) => timer.min(intake.deadline()),
        }
    }

    pub(crate) fn on_deadline(&mut self, now: Time, host: &mut Host, io: &mut Io<'_>) {
        if self.receiver.deadline() <= now {
            self.receiver.on_deadline(now);
        }
        if let Some(dial) = &mut self.dial
            && dial.deadline() <= now
        {
            dial.on_deadline(now);
            self.dial(now, host, io);
        }
        self.send(now, host, io);
        self.go_on(now, host, io);
    }

    /// The application reads what it can; a window update goes out where the sender may wait for one.
    fn go_on(&mut self, now: Time, host: &mut Host, io: &mut Io<'_>) {
        let delivered = self.receiver.delivered();
        let Some(intake) = &mut self.intake else {
            return;
        };
        if intake.go_on(now, delivered, host) {
            let extras = AckExtras {
                window: intake.offer(delivered),
                ..AckExtras::default()
            };
            let mut frame = self.template;
            frame.seq = delivered;
            frame.side = io.side(frame.flow).push(extras);
            let output = self.config.output;
            frame.at = host.departs(now, output, &frame);
            io.output(output).push(frame);
        }
    }

    /// See `Program::on_frames`.
    pub(crate) fn on_frames(
        &mut self,
        frames: &[Frame],
        until: Time,
        host: &mut Host,
        io: &mut Io<'_>,
    ) -> usize {
        let mut taken = if self.receiver.is_tuned() {
            self.on_run::<true>(frames, until, host, io)
        } else {
            self.on_run::<false>(frames, until, host, io)
        };
        for frame in &frames[taken..] {
            let now = frame.at;
            if taken > 0
                && (now >= until
                    || now >= self.deadline().min(host.wake)
                    || frame.flow != self.config.flow)
            {
                break;
            }
            taken += 1;
            match frame.kind {
                Kind::Data => self.on_data(now, frame, host, io),
                Kind::Syn => {
                    if !self.receiver.is_open() {
                        self.syn_again = frame.flags().contains(Flags::RETRANSMIT);
                    }
                    self.receiver.on_syn(now);
                    self.answers.answer(now);
                    self.send(now, host, io);
                }
                Kind::SynAck => self.on_syn_ack(now, frame, host, io),
                Kind::Ack => {
                    let again = frame.flags().contains(Flags::ECHO_RETRANSMIT);
                    let timestamps = self.config.tcp.timestamps;
                    if let Some(rtt) = self.answers.acknowledged(now, timestamps, again) {
                        self.receiver.on_round_trip(rtt);
                    }
                }
                _ => {}
            }
        }
        taken
    }

    /// The other end answered this one's SYN.
    #[cold]
    fn on_syn_ack(&mut self, now: Time, frame: &Frame, host: &mut Host, io: &mut Io<'_>) {
        let Some(dial) = &mut self.dial else {
            return;
        };
        let rtt = dial.on_syn_ack(now, frame.flags().contains(Flags::RETRANSMIT));
        if !dial.is_open() {
            return;
        }
        self.receiver.open(now);
        if let Some(rtt) = rtt {
            self.receiver.on_round_trip(rtt);
        }
        self.dial(now, host, io);
    }

    /// What is due of the handshake leaves.
    fn dial(&mut self, now: Time, host: &mut Host, io: &mut Io<'_>) {
        let config = &self.config;
        if let Some(dial) = &mut self.dial {
            let mut ack = self.template;
            if dial.is_open() {
                ack.seq = self.receiver.delivered();
            }
            dial.send(now, ack, config.output, host, io);
        }
    }

    /// Takes the first of `frames` as far as they are the usual case: like segments in order, of which
    /// nothing is to be said but acknowledgements. Returns how many they were.
    #[inline]
    fn on_run<const TUNED: bool>(
        &mut self,
        frames: &[Frame],
        until: Time,
        host: &mut Host,
        io: &mut Io<'_>,
    ) -> usize {
        let Some(first) = frames.first() else {
            return 0;
        };
        let retransmit = first.flags().contains(Flags::RETRANSMIT);
        let plain = self.intake.is_none() && !self.config.tcp.recovery.ecn;
        if first.kind != Kind::Data || retransmit || !plain {
            return 0;
        }
        let window = self.receiver.window();
        let Some(mut run) = self.receiver.begin_run(first.at, window) else {
            return 0;
        };
        let likeness = first.likeness();
        let len = u64::from(first.len.saturating_sub(self.config.header));
        if len != self.receiver.segment_bytes() {
            return 0;
        }
        let until = until.min(host.wake);
        let output = self.config.output;
        let (mut taken, mut counted) = (0, 0);
        for frame in frames {
            let now = frame.at;
            if now >= until || frame.likeness() != likeness || !run.expects(now, frame.seq) {
                break;
            }
            if TUNED && !run.stays_quiet(now, frame.side, len) {
                break;
            }
            if now >= self.mark {
                self.arrived(len * (taken - counted) as u64);
                counted = taken;
                self.measure(now, frame.seq);
            }
            taken += 1;
            if let Some(ack) = run.take(now, len) {
                let at = host.departs(now, output, &self.template);
                io.output(output).push_like(&self.template, at, ack, 0);
            }
        }
        if taken > 0 && len > 0 {
            self.first.get_or_insert(first.at);
            self.last = frames[taken - 1].at;
        }
        self.arrived(len * (taken - counted) as u64);
        self.receiver.end_run(&run);
        taken
    }

    #[inline]
    fn on_data(&mut self, now: Time, frame: &Frame, host: &mut Host, io: &mut Io<'_>) {
        let delivered = self.receiver.delivered();
        if now >= self.mark {
            self.measure(now, delivered);
        }
        let len = u32::from(frame.len.saturating_sub(self.config.header));
        self.arrived(len.into());
        let retransmit = frame.flags().contains(Flags::RETRANSMIT);
        if self.config.tcp.recovery.ecn {
            let ce = frame.class & CE == CE;
            if self.receiver.parts_marks(ce) {
                self.send(now, host, io);
            }
            self.receiver.on_ecn(ce, frame.flags().contains(Flags::ECN));
        }
        if u64::from(len) != self.receiver.segment_bytes() {
            self.receiver.note_length(frame.seq, len.into());
        }
        let tuned = self.receiver.is_tuned();
        let (stamp, answers) = self.said(frame, io);
        if tuned && let Some(answers) = answers {
            let read = self.read();
            self.receiver.on_answer(now, answers, len.into(), read);
        }
        let mut due = match stamp {
            Some(stamp) => self.receiver.on_stamped(now, frame.seq, len, stamp),
            None => self.receiver.on_data(now, frame.seq, len, retransmit),
        };
        if self.receiver.delivered() != delivered {
            self.first.get_or_insert(now);
            self.last = now;
            if tuned {
                due = self
                    .receiver
                    .on_received(now, self.receiver.delivered() - delivered);
            }
        }
        if due {
            self.send(now, host, io);
        }
        if self.intake.is_some() {
            self.take(now, host, io);
        }
        if tuned {
            let read = self.read();
            self.receiver.on_read_by_now(now, read);
        }
    }

    /// What the timestamp of a retransmission says, and what was acknowledged to the sender of this segment, its low 32 bits, as
    /// far as either is known.
    #[inline]
    fn said(&self, frame: &Frame, io: &mut Io<'_>) -> (Option<Stamp>, Option<u32>) {
        let again = frame.flags().contains(Flags::RETRANSMIT);
        if !again || !self.config.tcp.timestamps {
            return (None, Some(frame.side));
        }
        let said = io.side(frame.flow).get(frame.side);
        said.map(|extras| stamped::read(&extras)).unzip()
    }

    /// Bytes that the application has read from the socket.
    fn read(&self) -> u64 {
        let delivered = self.receiver.delivered();
        self.intake.as_ref().map_or(delivered, |i| i.taken)
    }

    /// Data arrived for an application that reads as its disk allows.
    #[cold]
    fn take(&mut self, now: Time, host: &mut Host, io: &mut Io<'_>) {
        if let Some(intake) = &mut self.intake {
            intake.arrived();
            intake.window = self.receiver.window();
        }
        self.go_on(now, host, io);
    }

    /// One frame.
    pub(crate) fn on_frame(&mut self, frame: &Frame, host: &mut Host, io: &mut Io<'_>) {
        self.on_frames(std::slice::from_ref(frame), frame.at, host, io);
    }

    #[inline]
    fn arrived(&mut self, bytes: u64) {
        if let Some(steps) = &mut self.steps {
            steps.add(bytes);
        }
    }

    /// Something ends before what arrives `now`: a step, what comes before the measurement, or the measurement.
    #[cold]
    fn measure(&mut self, now: Time, delivered: u64) {
        let (from, until) = (self.config.measured_from, self.config.measured_until);
        self.mark = match (now >= from, now >= until) {
            (false, _) => from,
            (true, false) => until,
            (true, true) => Time::MAX,
        };
        let reached = (delivered, self.receiver.waiting());
        if now >= from {
            self.before.get_or_insert(reached);
        }
        if now >= until {
            self.until.get_or_insert(reached);
        }
        if let Some(steps) = &mut self.steps {
            steps.go_on(now);
            self.mark = self.mark.min(steps.end());
        }
    }

    #[inline]
    fn send(&mut self, now: Time, host: &mut Host, io: &mut Io<'_>) {
        let window = self.receiver.window();
        if self.intake.is_none()
            && let Some(ack) = self.receiver.poll_usual(now, window)
        {
            let output = self.config.output;
            let at = host.departs(now, output, &self.template);
            io.output(output).push_like(&self.template, at, ack, 0);
        } else {
            self.send_unusual(now, host, io);
        }
    }

    /// Acknowledgements with more in them than a number.
    #[inline(never)]
    fn send_unusual(&mut self, now: Time, host: &mut Host, io: &mut Io<'_>) {
        let output = self.config.output;
        // A window that both its growth and the disk move is always said.
        let moves = self.intake.is_some() && self.config.tcp.autotuning.is_some();
        while let Some(ack) = self.receiver.poll(now) {
            // What goes without saying; nothing where the sender may not know.
            let known = ack.window_known && !moves;
            let usual = if known { ack.window } else { u64::MAX };
            let window = match &mut self.intake {
                None => ack.window,
                Some(intake) => intake.offer(ack.ack),
            };
            let mut frame = self.template;
            frame.seq = ack.ack;
            if ack.syn_ack {
                frame.kind = Kind::SynAck;
                if self.answers.are_repeated() {
                    frame.set_flags(Flags::RETRANSMIT);
                }
                if self.config.tcp.recovery.ecn {
                    frame.set_flags(Flags::ECN);
                }
                frame.len = syn_bytes(self.config.ip_header, &self.config.tcp, true);
            }
            if ack.echo_retransmit || (ack.syn_ack && self.syn_again) {
                frame.set_flags(Flags::ECHO_RETRANSMIT);
            }
            if ack.ecn_echo {
                frame.set_flags(Flags::ECN);
            }
            let blocks = ack.sack;
            if !blocks.is_empty() || window != usual {
                let mut extras = AckExtras {
                    window,
                    count: blocks.len() as u8,
                    ..AckExtras::default()
                };
                for (slot, block) in extras.blocks.iter_mut().zip(blocks) {
                    *slot = (block.start, block.end);
                }
                frame.len += sack_bytes(blocks.len());
                frame.side = io.side(frame.flow).push(extras);
            }
            frame.at = host.departs(now, output, &frame);
            io.output(output).push(frame);
        }
    }

    pub(crate) fn sample(&mut self) {
        self.samples.push(self.receiver.delivered());
    }
}
