//! The sending side of one TCP connection on a station.

use farpath_element::Io;
use farpath_tcp::{Limit, Out, Phase, SackBlock, Sender};
use farpath_units::{Duration, Time};
use farpath_wire::{Flags, FlowDir, Frame, Kind};

use super::dial::Called;
use super::silence::Silence;
use super::{sack_bytes, stamped, syn_bytes};
use crate::host::{Host, Refusal};
use crate::sequence::Sequence;

/// The ECN field of the TOS byte, and its code for "ECN-capable" (RFC 3168 §5).
const ECN_BITS: u8 = 3;
const ECT_0: u8 = 2;

/// What a source needs to know.
#[derive(Clone, Debug)]
pub struct TcpSourceConfig {
    /// The flow, forward.
    pub flow: FlowDir,
    /// The station's output it leaves on.
    pub output: usize,
    /// The SYN leaves at this instant.
    pub start: Time,
    /// The other end sends the SYN, and this one waits for it.
    pub called: bool,
    /// The application stops writing at this instant.
    pub stop: Time,
    /// No samples are kept: it is one of very many.
    pub quiet: bool,
    /// The application writes more later on: having sent everything is not the end.
    pub goes_on: bool,
    /// IP header bytes.
    pub ip_header: u16,
    /// IP and TCP header bytes of a data segment.
    pub header: u16,
    /// TOS byte.
    pub class: u8,
    /// What the routers on the way say of frames that are too large: node, and the largest datagram it sends on.
    pub too_big: Vec<(u32, u16)>,
    /// The node at the other end.
    pub peer: u32,
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
    /// Slow-start threshold in bytes; none before the first loss.
    pub ssthresh: Option<u64>,
    /// Where congestion control is.
    pub phase: Option<Phase>,
    /// Unacknowledged payload bytes.
    pub in_flight: u64,
    /// Smoothed round-trip time.
    pub srtt: Option<Duration>,
    /// Segments sent again so far.
    pub retransmits: u64,
    /// Repairs begun, those by a tail loss probe alone among them, timeouts and answers to ECN echoes so far.
    pub loss_events: u64,
    /// Time spent under each limit so far.
    pub limited: farpath_tcp::Shares,
}

/// A TCP sender and the application that feeds it.
#[derive(Debug)]
pub struct TcpSource {
    config: TcpSourceConfig,
    sender: Sender,
    /// The wait for the other end's SYN.
    called: Option<Box<Called>>,
    /// The SYN was due, or the other end's was accepted.
    opened: bool,
    stopped: bool,
    /// Waits for its turn in the host.
    held: bool,
    /// The SYN-ACK that its ACK answers had been sent before.
    answers_again: bool,
    /// Bytes the application wrote, of a source whose amount is limited.
    written: u64,
    /// Its number among the station's programs.
    pub(crate) number: u32,
    /// A full segment and a retransmitted one; sent by likeness.
    full: Frame,
    retransmit: Frame,
    /// What an acknowledgement offers that does not say it.
    usual_window: u64,
    /// One sample per interval since the start of the run.
    pub samples: Vec<TcpSample>,
    /// The time–sequence record, if kept.
    pub sequence: Option<Sequence>,
    /// Most bytes of congestion window.
    pub cwnd_max: u64,
    /// Round-trip times as acknowledgements showed them.
    pub rtt: RttSummary,
    /// When nothing arrived.
    pub(crate) silence: Silence,
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
        if config.tcp.recovery.ecn {
            template.class = (template.class & !ECN_BITS) | ECT_0;
        }
        let mut full = template;
        full.len = config.tcp.mss as u16 + config.header;
        let mut retransmit = full;
        retransmit.set_flags(Flags::RETRANSMIT);
        // Only new data may be marked (RFC 3168 §6.1.1, §6.1.5, §6.1.6).
        retransmit.class = config.class;
        TcpSource {
            sender: Sender::new(&config.tcp),
            called: config.called.then(|| Box::new(Called::new())),
            opened: false,
            stopped: false,
            held: false,
            answers_again: false,
            written: config.tcp.amount.unwrap_or(0),
            number: 0,
            full,
            retransmit,
            usual_window: config.tcp.first_offer(),
            samples: Vec::new(),
            sequence: (config.sequence > 0).then(|| Sequence::new(config.sequence)),
            cwnd_max: 0,
            rtt: RttSummary::default(),
            silence: Silence::new(config.start),
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
        let timer = match (&self.called, self.opened) {
            (_, true) => self.sender.deadline(),
            (None, false) => return self.config.start,
            (Some(called), false) => called.due,
        };
        if self.stopped {
            timer
        } else {
            timer.min(self.config.stop)
        }
    }

    pub(crate) fn on_deadline(&mut self, now: Time, host: &mut Host, io: &mut Io<'_>) {
        if self.called.is_some() && !self.opened {
            self.answer_again(now, host, io);
        } else if !self.opened && self.config.start <= now {
            self.remember_path(now, host);
            self.opened = true;
            self.sender.open(now);
        }
        if !self.stopped && self.config.stop <= now {
            self.stopped = true;
            self.end_account(now);
            self.sender.stop(now);
        }
        let (probes, last_sent) = (self.sender.probes_sent(), self.sender.last_sent());
        if self.sender.deadline() <= now {
            let timeouts = self.sender.timeouts();
            self.sender.on_deadline(now);
            if self.sender.timeouts() > timeouts {
                self.silence.timed_out(last_sent, now);
            }
            if self.sender.gave_up().is_some() {
                self.end_account(now);
            }
        }
        self.send(now, host, io);
        self.silence.ran_out(self.sender.timers_ran_out());
        self.silence.hear_of_probe(now, &self.sender, false);
        if self.sender.probes_sent() > probes {
            self.silence.probed(last_sent, &self.sender);
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
        let flow = self.config.flow.turned();
        let mut taken = 0;
        for frame in frames {
            let now = frame.at;
            let due = || self.deadline().min(host.wake);
            if taken > 0 && (now >= until || now >= due() || frame.flow != flow) {
                break;
            }
            taken += 1;
            self.silence.heard(now);
            match frame.kind {
                Kind::Ack => {
                    self.accept(now, frame, host);
                    self.on_ack(now, frame, io);
                }
                Kind::Syn => self.answer(now, host, io),
                Kind::SynAck => {
                    if !frame.flags().contains(Flags::ECHO_RETRANSMIT) {
                        self.sender.first_syn_answered();
                    }
                    self.answers_again = frame.flags().contains(Flags::RETRANSMIT);
                    self.sender.on_syn_ack(now);
                }
                Kind::FragmentationNeeded => self.on_too_big(now, frame, host),
                _ => continue,
            }
            self.send(now, host, io);
        }
        taken
    }

    /// One frame.
    pub(crate) fn on_frame(&mut self, frame: &Frame, host: &mut Host, io: &mut Io<'_>) {
        self.on_frames(std::slice::from_ref(frame), frame.at, host, io);
    }

    /// The application writes `bytes` more; meant for a source whose amount is limited.
    pub(crate) fn write(&mut self, now: Time, bytes: u64, host: &mut Host, io: &mut Io<'_>) {
        self.sender.write(now, bytes);
        self.written += bytes;
        if self.opened {
            self.send(now, host, io);
        }
    }

    /// The application reads from a disk what it will write next.
    pub(crate) fn waits_for_disk(&mut self, now: Time) {
        if self.opened && !self.held && self.sender.nxt() >= self.written {
            self.sender.held(now, Limit::Disk);
        }
    }

    /// A router could not send on what was too large (RFC 1191, RFC 8201).
    #[cold]
    fn on_too_big(&mut self, now: Time, error: &Frame, host: &mut Host) {
        let told = self.config.too_big.iter().find(|t| t.0 == error.side);
        if let Some(&(_, mtu)) = told {
            host.learn_path_mtu(now, self.destination(), mtu);
            self.sender.on_too_big(error.seq, self.payload(mtu));
        }
    }

    /// The path MTU that an earlier connection found holds for this one.
    fn remember_path(&mut self, now: Time, host: &mut Host) {
        if let Some(mtu) = host.path_mtu(now, self.destination()) {
            self.sender.remember_path(self.payload(mtu));
        }
    }

    /// A SYN-ACK leaves, where this end is called and has not accepted: a SYN arrived, or the last one was not answered.
    #[cold]
    fn answer(&mut self, now: Time, host: &mut Host, io: &mut Io<'_>) {
        let Some(called) = self.called.as_mut().filter(|_| !self.opened) else {
            return;
        };
        called.answer(now);
        let mut frame = match called.answered.1 {
            1 => self.full,
            _ => self.retransmit,
        };
        frame.kind = Kind::SynAck;
        self.set_up(&mut frame);
        frame.len = syn_bytes(self.config.ip_header, &self.config.tcp, true);
        let output = self.config.output;
        frame.at = host.sends(now, output, &frame);
        io.output(output).push(frame);
    }

    /// A segment of the opening asks for ECN, or agrees to it, and is not to be marked itself (RFC 3168 §6.1.1).
    fn set_up(&self, frame: &mut Frame) {
        frame.class = self.config.class;
        if self.config.tcp.recovery.ecn {
            frame.set_flags(Flags::ECN);
        }
    }

    #[cold]
    fn answer_again(&mut self, now: Time, host: &mut Host, io: &mut Io<'_>) {
        if self.called.as_ref().is_some_and(|called| called.due <= now) {
            self.answer(now, host, io);
        }
    }

    /// The first ACK of a SYN-ACK opens the connection. Timestamps show whether it is of the first.
    #[inline]
    fn accept(&mut self, now: Time, ack: &Frame, host: &mut Host) {
        if self.opened {
            return;
        }
        if let Some(called) = &self.called {
            let is_late = !ack.flags().contains(Flags::ECHO_RETRANSMIT);
            let (sent, times) = match self.config.tcp.timestamps && is_late {
                true => (called.first, 1),
                false => called.answered,
            };
            self.remember_path(now, host);
            self.opened = true;
            self.sender.accept(now, times, sent);
        }
    }

    /// What the host keeps path MTUs by: node and version of IP.
    fn destination(&self) -> (u32, u16) {
        (self.config.peer, self.config.ip_header)
    }

    /// Payload bytes of a datagram.
    fn payload(&self, mtu: u16) -> u64 {
        mtu.saturating_sub(self.config.header).into()
    }

    /// Its turn in the host has come.
    pub(crate) fn on_turn(&mut self, now: Time, host: &mut Host, io: &mut Io<'_>) {
        self.held = false;
        self.send(now, host, io);
    }

    fn end_account(&mut self, now: Time) {
        if self.opened && self.ended.is_none() {
            self.ended = Some(self.sender.limited(now));
        }
    }

    #[inline]
    fn on_ack(&mut self, now: Time, frame: &Frame, io: &mut Io<'_>) {
        let echo = frame.flags().contains(Flags::ECHO_RETRANSMIT);
        if frame.flags().contains(Flags::ECN) {
            self.sender.on_ecn_echo();
        }
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
            // A window that grows is said until it is known, and counts from then on.
            if self.config.tcp.autotuning.is_some() && frame.seq >= self.sender.una() {
                self.usual_window = extras.window;
            }
            self.sender
                .on_ack(now, frame.seq, extras.window, echo, &blocks[..count]);
        }
        self.silence.hear_of_probe(now, &self.sender, echo);
        if self.sender.done() && !self.config.goes_on {
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
    fn send(&mut self, now: Time, host: &mut Host, io: &mut Io<'_>) {
        if self.held {
            return;
        }
        self.fit();
        self.sender.prepare(now);
        let output = self.config.output;
        let Some(mut run) = host.run(now, output, &self.full) else {
            return self.send_one_by_one(now, host, io);
        };
        let answers = self.answers();
        while run.has_room() {
            let Some(seq) = self.sender.poll_full(now) else {
                break;
            };
            run.sent();
            if let Some(sequence) = &mut self.sequence {
                sequence.note(&self.full, now, seq);
            }
            io.output(output).push_like(&self.full, now, seq, answers);
        }
        host.end_run(output, &run);
        self.send_one_by_one(now, host, io);
    }

    /// What was acknowledged last, its low 32 bits: where a window follows what arrives, data says so as a timestamp would.
    #[inline]
    fn answers(&self) -> u32 {
        match self.config.tcp.autotuning {
            Some(_) => self.sender.una() as u32,
            None => 0,
        }
    }

    /// Full segments are as long as the sender has them now.
    #[inline]
    fn fit(&mut self) {
        self.full.len = self.sender.segment_bytes() as u16 + self.config.header;
    }

    /// Whatever else there is to send, the host asked before each segment.
    #[inline(never)]
    fn send_one_by_one(&mut self, now: Time, host: &mut Host, io: &mut Io<'_>) {
        loop {
            if let Some(refusal) = host.refuses(now, self.config.output) {
                return self.wait(now, refusal, host);
            }
            let Some(out) = self.sender.poll(now) else {
                return;
            };
            self.put(now, &out, host, io);
        }
    }

    /// Sends one segment of any kind.
    #[inline(never)]
    fn put(&mut self, now: Time, out: &Out, host: &mut Host, io: &mut Io<'_>) {
        let mut frame = self.unusual(out);
        // A new segment tells the receiver that cwnd was reduced (RFC 3168 §6.1.2).
        if let Out::Data(segment) = out
            && self.config.tcp.recovery.ecn
            && !segment.retransmit
            && self.sender.take_cwr()
        {
            frame.set_flags(Flags::ECN);
        }
        if let Out::Data(segment) = out
            && self.config.tcp.timestamps
            && segment.retransmit
        {
            let says = stamped::carried(self.sender.stamp(now), frame.side);
            frame.side = io.side(frame.flow).push(says);
        }
        if let Some(sequence) = &mut self.sequence
            && frame.kind == Kind::Data
        {
            sequence.note(&frame, now, frame.seq);
        }
        let output = self.config.output;
        frame.at = host.sends(now, output, &frame);
        io.output(output).push(frame);
    }

    /// The host lets nothing more through for now.
    #[cold]
    fn wait(&mut self, now: Time, refusal: Refusal, host: &mut Host) {
        match refusal {
            Refusal::Queued => self.sender.held(now, Limit::Nic),
            Refusal::Busy => self.sender.held(now, Limit::HostCpu),
            Refusal::Full => self.sender.congested(now),
        }
        self.held = true;
        host.hold(self.config.output, self.number);
    }

    /// A frame that is not a full segment.
    #[cold]
    fn unusual(&self, out: &Out) -> Frame {
        let mut frame = self.full;
        match out {
            Out::Data(segment) => {
                if segment.retransmit {
                    frame = self.retransmit;
                }
                frame.seq = segment.seq;
                frame.side = self.answers();
                frame.len = segment.len as u16 + self.config.header;
            }
            Out::Syn => {
                if self.sender.stats().syn_retransmits > 0 {
                    frame.set_flags(Flags::RETRANSMIT);
                }
                frame.kind = Kind::Syn;
                self.set_up(&mut frame);
                frame.len = syn_bytes(self.config.ip_header, &self.config.tcp, false);
            }
            Out::WindowProbe => {
                frame.class = self.config.class;
                frame.seq = self.sender.una().saturating_sub(1);
                frame.len = self.config.header;
            }
            Out::HandshakeAck => {
                frame.class = self.config.class;
                frame.kind = Kind::Ack;
                frame.len = self.config.header + sack_bytes(0);
                if self.answers_again {
                    frame.set_flags(Flags::ECHO_RETRANSMIT);
                }
            }
        }
        frame
    }

    pub(crate) fn sample(&mut self, now: Time) {
        if self.config.quiet {
            return;
        }
        let stats = self.sender.stats();
        let sample = TcpSample {
            cwnd: if self.opened {
                self.sender.cwnd_bytes()
            } else {
                0
            },
            ssthresh: Some(self.sender.ssthresh_bytes()).filter(|s| *s < u64::MAX),
            phase: self.opened.then(|| self.sender.phase()),
            in_flight: self.sender.in_flight(),
            srtt: self.sender.srtt(),
            retransmits: stats.retransmits,
            loss_events: stats.fast_recoveries
                + stats.probe_repairs
                + stats.rtos
                + stats.ecn_reductions,
            limited: self.sender.limited(now),
        };
        self.samples.push(sample);
    }
}
