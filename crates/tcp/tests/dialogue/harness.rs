//! Two ends, a delay each way, perhaps a bottleneck, and a list of what gets lost.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use farpath_tcp::{Config, Out, Profile, Reading, Receiver, Recovery, SackBlock, Segment, Sender};
use farpath_units::{Duration, Time};

/// Most things that happen in one dialogue: more is a livelock.
const MOST_STEPS: u64 = 2_000_000;
/// Most that one end sends in one instant.
const MOST_AT_ONCE: u64 = 200_000;

/// What is on the way.
#[derive(Clone, Debug)]
enum Packet {
    Syn,
    SynAck,
    HandshakeAck,
    Data {
        segment: Segment,
        ce: bool,
        cwr: bool,
        /// What the sender had acknowledged when it left.
        una: u64,
    },
    WindowProbe,
    TooBig {
        seq: u64,
    },
    Ack {
        ack: u64,
        window: u64,
        echo: bool,
        sack: Vec<SackBlock>,
        ecn_echo: bool,
    },
}

/// One line of a trace: what one end did.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Event {
    /// The sender put this on the wire.
    Sent(Out),
    /// The receiver put this on the wire.
    Acked { ack: u64, sack: Vec<(u64, u64)> },
}

/// The path and what happens on it.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    /// One way.
    pub(crate) delay: Duration,
    /// Time a segment takes through the bottleneck; zero: none.
    pub(crate) service: Duration,
    /// Most segments that wait for it, drop-tail.
    pub(crate) queue: u64,
    /// Data transmissions that are lost, counted from 0, retransmissions included.
    pub(crate) lose: BTreeSet<u64>,
    /// ACKs that are lost, counted from 0.
    pub(crate) lose_acks: BTreeSet<u64>,
    /// SYNs that are lost.
    pub(crate) lose_syns: u32,
    /// SYN-ACKs that are lost.
    pub(crate) lose_syn_acks: u32,
    /// Extra delay for data transmissions by number: overtaking.
    pub(crate) detour: BTreeMap<u64, Duration>,
    /// Data transmissions that are marked CE.
    pub(crate) mark: BTreeSet<u64>,
    /// ACKs that arrive twice.
    pub(crate) repeat_acks: BTreeSet<u64>,
    /// Everything that would arrive within this span arrives at its end: a path that stalls.
    pub(crate) stall: Option<(Time, Time)>,
    /// Payload of the largest segment it carries.
    pub(crate) carries: u64,
    /// A larger one is reported to the sender after this long; without, never.
    pub(crate) reported: Option<Duration>,
    /// The application reads that much at that rhythm, where reading is by command.
    pub(crate) reads: Option<(Duration, u64)>,
}

impl Path {
    pub(crate) fn new(rtt: Duration) -> Path {
        Path {
            delay: Duration::from_ps(rtt.as_ps() / 2),
            service: Duration::ZERO,
            queue: u64::MAX,
            lose: BTreeSet::new(),
            lose_acks: BTreeSet::new(),
            lose_syns: 0,
            lose_syn_acks: 0,
            detour: BTreeMap::new(),
            mark: BTreeSet::new(),
            repeat_acks: BTreeSet::new(),
            stall: None,
            carries: u64::MAX,
            reported: None,
            reads: None,
        }
    }

    pub(crate) fn losing(mut self, data: impl IntoIterator<Item = u64>) -> Path {
        self.lose.extend(data);
        self
    }
}

/// The dialogue.
pub(crate) struct Dialogue {
    pub(crate) sender: Sender,
    pub(crate) receiver: Receiver,
    pub(crate) now: Time,
    /// Everything the two ends did, with times.
    pub(crate) trace: Vec<(Time, Event)>,
    pub(crate) keep_trace: bool,
    path: Path,
    mss: u64,
    window: u64,
    sacks: bool,
    ecn: bool,
    next_read: Time,
    queue: BTreeMap<(Time, u64), Packet>,
    ordinal: u64,
    data_sent: u64,
    acks_sent: u64,
    syns: u32,
    syn_acks: u32,
    busy_until: Time,
    /// Segments the full queue refused.
    pub(crate) dropped: u64,
    /// Bytes the receiver has seen, to check that each is delivered once.
    highest_delivered: u64,
    /// The first byte that the receiver did not offer.
    edge: u64,
    arrivals: VecDeque<u64>,
}

impl Dialogue {
    pub(crate) fn new(config: &Config, path: Path) -> Dialogue {
        let mut sender = Sender::new(config);
        sender.open(Time::ZERO);
        let next_read = match path.reads {
            Some((every, _)) if config.reading == Reading::Told => Time::ZERO + every,
            _ => Time::MAX,
        };
        let mut dialogue = Dialogue {
            sender,
            receiver: Receiver::new(config),
            now: Time::ZERO,
            trace: Vec::new(),
            keep_trace: true,
            path,
            mss: u64::from(config.mss),
            window: config.receive_window.min(config.send_buffer),
            sacks: config.sack,
            ecn: config.recovery.ecn,
            next_read,
            queue: BTreeMap::new(),
            ordinal: 0,
            data_sent: 0,
            acks_sent: 0,
            syns: 0,
            syn_acks: 0,
            busy_until: Time::ZERO,
            dropped: 0,
            highest_delivered: 0,
            edge: 0,
            arrivals: VecDeque::new(),
        };
        dialogue.pump();
        dialogue
    }

    fn post(&mut self, at: Time, packet: Packet) {
        self.ordinal += 1;
        let at = match self.path.stall {
            Some((from, to)) if at >= from && at < to => to,
            _ => at,
        };
        self.queue.insert((at, self.ordinal), packet);
    }

    fn record(&mut self, event: Event) {
        if self.keep_trace {
            self.trace.push((self.now, event));
        }
    }

    /// Lets both ends send what they want to send now.
    pub(crate) fn pump(&mut self) {
        let mut sent = 0u64;
        while let Some(out) = self.sender.poll(self.now) {
            sent += 1;
            assert!(
                sent < MOST_AT_ONCE,
                "no end to what it sends: {:?}",
                self.sender
            );
            self.record(Event::Sent(out));
            match out {
                Out::Syn => {
                    self.syns += 1;
                    if self.syns > self.path.lose_syns {
                        self.post(self.now + self.path.delay, Packet::Syn);
                    }
                }
                Out::HandshakeAck => self.post(self.now + self.path.delay, Packet::HandshakeAck),
                Out::Data(segment) => self.send_data(segment),
                Out::WindowProbe => self.post(self.now + self.path.delay, Packet::WindowProbe),
            }
            let flight = self.sender.nxt() - self.sender.una();
            assert!(
                flight <= self.window,
                "{flight} bytes in flight, window {}",
                self.window
            );
            assert!(
                self.sender.in_flight() <= 2 * flight,
                "pipe {}",
                self.sender.in_flight()
            );
        }
        let mut acks = 0u64;
        while let Some(out) = self.receiver.poll(self.now) {
            acks += 1;
            assert!(acks < MOST_AT_ONCE, "no end to its ACKs");
            let sack = out.sack.to_vec();
            assert!(self.sacks || sack.is_empty());
            let edge = out.ack + out.window;
            assert!(edge >= self.edge, "an offer is taken back");
            self.edge = edge;
            let packet = if out.syn_ack {
                Packet::SynAck
            } else {
                Packet::Ack {
                    ack: out.ack,
                    window: out.window,
                    echo: out.echo_retransmit,
                    sack: sack.clone(),
                    ecn_echo: out.ecn_echo,
                }
            };
            let (syn_ack, ack) = (out.syn_ack, out.ack);
            let mut twice = false;
            let lost = if syn_ack {
                self.syn_acks += 1;
                self.syn_acks <= self.path.lose_syn_acks
            } else {
                let n = self.acks_sent;
                self.acks_sent += 1;
                twice = self.path.repeat_acks.contains(&n);
                self.record(Event::Acked {
                    ack,
                    sack: sack.iter().map(|b| (b.start, b.end)).collect(),
                });
                self.path.lose_acks.contains(&n)
            };
            if twice && !lost {
                self.post(self.now + self.path.delay, packet.clone());
            }
            if !lost {
                self.post(self.now + self.path.delay, packet);
            }
        }
    }

    fn send_data(&mut self, segment: Segment) {
        let n = self.data_sent;
        self.data_sent += 1;
        let cwr = self.ecn && !segment.retransmit && self.sender.take_cwr();
        let ce = self.path.mark.contains(&n);
        self.arrivals.push_back(segment.seq);
        self.arrivals.truncate(8);
        if u64::from(segment.len) > self.path.carries {
            if let Some(after) = self.path.reported {
                self.post(self.now + after, Packet::TooBig { seq: segment.seq });
            }
            return;
        }
        let waiting = self.busy_until.since(self.now).as_ps() / self.path.service.as_ps().max(1);
        if waiting > self.path.queue {
            self.dropped += 1;
            return;
        }
        self.busy_until = self.busy_until.max(self.now) + self.path.service;
        if !self.path.lose.contains(&n) {
            let detour = self.path.detour.get(&n).copied().unwrap_or(Duration::ZERO);
            let una = self.sender.una();
            self.post(
                self.busy_until + self.path.delay + detour,
                Packet::Data {
                    segment,
                    ce,
                    cwr,
                    una,
                },
            );
        }
    }

    /// The next thing happens. `false` when nothing ever will.
    pub(crate) fn step(&mut self) -> bool {
        let least = self.path.delay.times(2);
        let measured = self.sender.rtt_min().unwrap_or(Duration::MAX);
        assert!(measured >= least, "{measured:?} measured of {least:?}");
        let timer = self.timer();
        let arrival = self
            .queue
            .first_key_value()
            .map_or(Time::MAX, |((at, _), _)| *at);
        let next = timer.min(arrival);
        // To read when there is nothing to read, and nothing will come, is not progress.
        let ends = self.sender.deadline().min(self.receiver.deadline());
        let silent = arrival == Time::MAX && ends == Time::MAX;
        if next == Time::MAX || (silent && self.receiver.unread() == 0) {
            return false;
        }
        assert!(next >= self.now, "a deadline in the past");
        self.now = next;
        if timer <= arrival {
            self.sender.on_deadline(next);
            self.receiver.on_deadline(next);
            self.read();
        } else {
            let (_, packet) = self.queue.pop_first().expect("an arrival was found");
            self.deliver(packet);
        }
        self.pump();
        let read = self.receiver.delivered();
        self.receiver.on_read_by_now(self.now, read);
        true
    }

    fn timer(&self) -> Time {
        let ends = self.sender.deadline().min(self.receiver.deadline());
        ends.min(self.next_read)
    }

    /// The application reads, if it is time; no more once everything was read.
    fn read(&mut self) {
        let Some((every, bytes)) = self.path.reads.filter(|_| self.now >= self.next_read) else {
            return;
        };
        self.receiver.on_read(self.now, bytes);
        let over = self.sender.done() && self.receiver.unread() == 0;
        self.next_read = if over { Time::MAX } else { self.now + every };
        // Nothing to read before something happens: the next read at this rhythm that may find anything.
        let arrival = self.queue.keys().next().map_or(Time::MAX, |(at, _)| *at);
        let ends = self.sender.deadline().min(self.receiver.deadline());
        let next = arrival.min(ends);
        if !over && self.receiver.unread() == 0 && next != Time::MAX && next > self.now {
            let reads = next.since(self.now).as_ps().div_ceil(every.as_ps());
            self.next_read = self.now + every.times(reads);
        }
    }

    fn deliver(&mut self, packet: Packet) {
        match packet {
            Packet::Syn => self.receiver.on_syn(self.now),
            Packet::SynAck => {
                // It echoes the SYN that arrived first.
                if self.path.lose_syns == 0 {
                    self.sender.first_syn_answered();
                }
                self.sender.on_syn_ack(self.now);
            }
            Packet::HandshakeAck => {
                let rtt = self.path.delay.times(2);
                self.receiver.on_round_trip(rtt);
            }
            Packet::WindowProbe => {
                let below = self.sender.una().saturating_sub(1);
                self.receiver.on_data(self.now, below, 0, false);
            }
            Packet::TooBig { seq } => self.sender.on_too_big(seq, self.path.carries),
            Packet::Data {
                segment: s,
                ce,
                cwr,
                una,
            } => {
                self.receiver.on_ecn(ce, cwr);
                if u64::from(s.len) != self.receiver.segment_bytes() {
                    self.receiver.note_length(s.seq, s.len.into());
                }
                let (now, read) = (self.now, self.receiver.delivered());
                self.receiver.on_answer(now, una as u32, s.len.into(), read);
                self.receiver.on_data(now, s.seq, s.len, s.retransmit);
                let read_now = self.receiver.delivered();
                if read_now > read {
                    self.receiver.on_received(now, read_now - read);
                }
                assert!(self.receiver.delivered() >= self.highest_delivered);
                assert!(self.receiver.delivered() <= self.sender.nxt());
                self.highest_delivered = self.receiver.delivered();
            }
            Packet::Ack {
                ack,
                window,
                echo,
                sack,
                ecn_echo,
            } => {
                if ecn_echo {
                    self.sender.on_ecn_echo();
                }
                self.sender.on_ack(self.now, ack, window, echo, &sack);
            }
        }
    }

    /// Runs up to and including everything that happens at `until`.
    pub(crate) fn run_until(&mut self, until: Time) {
        loop {
            let timer = self.timer();
            let arrival = self
                .queue
                .first_key_value()
                .map_or(Time::MAX, |((at, _), _)| *at);
            if timer.min(arrival) > until || !self.step() {
                break;
            }
        }
        self.now = self.now.max(until);
    }

    /// Runs until everything written is acknowledged; panics if that takes absurdly long.
    pub(crate) fn run_to_end(&mut self) {
        let mut steps = 0u64;
        while !self.sender.done() {
            steps += 1;
            assert!(steps < MOST_STEPS, "no end in sight: {:?}", self.sender);
            assert!(
                self.step(),
                "nothing under way, but not done: {:?}",
                self.sender
            );
        }
        while self.step() {
            steps += 1;
            assert!(steps < MOST_STEPS, "done, but no rest: {:?}", self.sender);
        }
    }

    /// Data the sender put on the wire: (milliseconds, segment number, retransmission).
    pub(crate) fn data(&self) -> Vec<(f64, u64, bool)> {
        let sent = self.trace.iter().filter_map(|(at, event)| match event {
            Event::Sent(Out::Data(s)) => Some((
                (at.as_ps() / 1_000_000) as f64 / 1000.0,
                s.seq / self.mss,
                s.retransmit,
            )),
            _ => None,
        });
        sent.collect()
    }

    /// Numbers of the segments retransmitted, in order.
    pub(crate) fn retransmitted(&self) -> Vec<u64> {
        self.data()
            .into_iter()
            .filter(|d| d.2)
            .map(|d| d.1)
            .collect()
    }

    /// Data segments sent in each of the first `rounds` round trips of `rtt` after the handshake.
    pub(crate) fn per_round(&self, rtt: Duration, rounds: usize) -> Vec<usize> {
        let mut counts = vec![0; rounds];
        for (at, event) in &self.trace {
            if let Event::Sent(Out::Data(_)) = event {
                let round = (at.as_ps() / rtt.as_ps()) as usize - 1;
                if round < rounds {
                    counts[round] += 1;
                }
            }
        }
        counts
    }
}

pub(crate) const RTT: Duration = Duration::from_ms(100);

/// Recovery without RACK-TLP, F-RTO and undo: SACK, PRR and limited transmit.
pub(crate) fn classic() -> Recovery {
    Recovery {
        rack: false,
        frto: false,
        dsack: false,
        eifel: false,
        ..Profile::Linux6.recovery()
    }
}

/// A plain connection: MSS 1000, no limits but congestion control, Reno; classic recovery, and the
/// delayed-ACK policy from the first segment.
pub(crate) fn config() -> Config {
    Config {
        recovery: classic(),
        quick_acks: 0,
        mss: 1000,
        algorithm: farpath_tcp::Algorithm::Reno,
        receive_window: 1 << 30,
        ..Config::default()
    }
}

pub(crate) fn ms(n: u64) -> Time {
    Time::ZERO + Duration::from_ms(n)
}
