//! What an acknowledgement costs: nanoseconds per ACK with the two segments it releases, by window,
//! clean and with holes. `cargo run --release -p farpath-tcp --example ack_cost`

#![allow(
    clippy::disallowed_methods,
    reason = "a measuring program reads a clock"
)]

use std::collections::VecDeque;
use std::hint::black_box;
use std::time::Instant;

use farpath_tcp::{
    Algorithm, Config, DelayedAck, Out, Receiver, Recovery, SackBlock, Segment, Sender,
};
use farpath_units::{Duration, Time};

const MSS: u64 = 1448;

/// Runs `n` steps in short batches and returns the ns a step of the batch at the 10th percentile:
/// what it costs when nobody else has the processor.
fn measure(n: u64, mut step: impl FnMut()) -> f64 {
    const BATCH: u64 = 1000;
    let mut batches: Vec<f64> = (0..n.div_ceil(BATCH))
        .map(|_| {
            let start = Instant::now();
            for _ in 0..BATCH {
                step();
            }
            start.elapsed().as_nanos() as f64 / BATCH as f64
        })
        .collect();
    batches.sort_by(f64::total_cmp);
    batches[batches.len() / 10]
}

/// A window of segments on a wire of constant delay, one instant per pair.
struct Loop {
    sender: Sender,
    receiver: Receiver,
    wire: VecDeque<Segment>,
    acks: VecDeque<(u64, u64, bool, [SackBlock; 4], usize)>,
    now: Time,
    gap: Duration,
    sent: u64,
}

impl Loop {
    fn new(window: u64, algorithm: Algorithm) -> Loop {
        let config = Config {
            mss: MSS as u32,
            algorithm,
            initial_window: window as u32,
            initial_ssthresh: Some(window as u32),
            receive_window: u64::MAX / 4,
            delayed_ack: DelayedAck {
                every: 2,
                timeout: Duration::from_secs(1),
            },
            ..Config::default()
        };
        let mut l = Loop {
            sender: Sender::new(&config),
            receiver: Receiver::new(&config),
            wire: VecDeque::new(),
            acks: VecDeque::new(),
            now: Time::ZERO,
            // A round trip of 100 ms whatever the window.
            gap: Duration::from_ps(200_000_000_000 / window),
            sent: 0,
        };
        l.sender.open(l.now);
        l.sender.poll(l.now);
        l.receiver.on_syn(l.now);
        l.receiver.poll(l.now);
        l.now += Duration::from_ms(100);
        l.sender.on_syn_ack(l.now);
        l.fill();
        l
    }

    /// Everything the sender may send, onto the wire.
    fn fill(&mut self) {
        while let Some(out) = self.sender.poll(self.now) {
            if let Out::Data(segment) = out {
                self.wire.push_back(segment);
            }
        }
    }

    /// Two segments arrive (every `loss`-th is lost), and the sender hears of it.
    fn pair(&mut self, loss: u64) {
        self.now += self.gap;
        for _ in 0..2 {
            let Some(s) = self.wire.pop_front() else {
                break;
            };
            self.sent += 1;
            if self.sent.is_multiple_of(loss) && !s.retransmit {
                continue;
            }
            self.receiver.on_data(self.now, s.seq, s.len, s.retransmit);
            if let Some(a) = self.receiver.poll(self.now) {
                let mut sack = [SackBlock::default(); 4];
                sack[..a.sack.len()].copy_from_slice(a.sack);
                self.acks
                    .push_back((a.ack, a.window, a.echo_retransmit, sack, a.sack.len()));
            }
        }
        while let Some((ack, window, echo, sack, blocks)) = self.acks.pop_front() {
            self.sender
                .on_ack(self.now, ack, window, echo, &sack[..blocks]);
            self.fill();
        }
        if self.wire.is_empty() {
            self.now = self.now.max(self.sender.deadline());
            self.sender.on_deadline(self.now);
            self.fill();
        }
    }
}

/// ns per ACK of sender alone: the pair's ACK, two segments, and "nothing more".
fn sender_alone(window: u64, algorithm: Algorithm) -> f64 {
    let config = Config {
        mss: MSS as u32,
        algorithm,
        initial_window: window as u32,
        initial_ssthresh: Some(window as u32),
        receive_window: u64::MAX / 4,
        ..Config::default()
    };
    let mut s = Sender::new(&config);
    let mut now = Time::ZERO;
    s.open(now);
    s.poll(now);
    now += Duration::from_ms(100);
    s.on_syn_ack(now);
    while s.poll(now).is_some() {}
    let gap = Duration::from_ps(200_000_000_000 / window);
    let mut ack = 0;
    let n = 4_000_000u64.max(2 * window);
    let mut sum = 0;
    let cost = measure(n, || {
        now += gap;
        ack = (ack + 2 * MSS).min(s.nxt());
        s.on_ack(now, ack, u64::MAX / 4, false, &[]);
        while let Some(out) = s.poll(now) {
            if let Out::Data(d) = out {
                sum += d.seq;
            }
        }
        black_box(s.deadline());
    });
    black_box(sum);
    cost
}

/// ns per ACK of the sender alone in fast recovery: a full window in flight of which every
/// `window / holes`-th segment is lost, one ACK with three SACK blocks for each of the others.
///
/// With `late` the first two segments swap places and RACK waits for a quarter of a round trip, so
/// that every hole is found by time.
fn sender_recovering(window: u64, holes: u64, recovery: Recovery, late: bool) -> f64 {
    let config = Config {
        mss: MSS as u32,
        initial_window: window as u32,
        initial_ssthresh: Some(window as u32),
        recovery,
        ..Config::default()
    };
    let spacing = window / holes;
    let mut costs: Vec<f64> = Vec::new();
    for _ in 0..(1_000_000 / window).max(1) {
        let mut s = Sender::new(&config);
        s.open(Time::ZERO);
        s.poll(Time::ZERO);
        let mut now = Time::ZERO + Duration::from_ms(100);
        s.on_syn_ack(now);
        s.on_ack(now, 0, u64::MAX / 4, false, &[]);
        while s.poll(now).is_some() {
            now += Duration::from_ns(50);
        }
        if late {
            // What arrives late is reordering, and 2 ms are waited for from now on.
            now += Duration::from_ms(8);
            let (start, end) = (MSS, 2 * MSS);
            s.on_ack(now, 0, u64::MAX / 4, false, &[SackBlock { start, end }]);
            s.on_ack(now, 2 * MSS, u64::MAX / 4, false, &[]);
            while s.poll(now).is_some() {}
        }
        let mut i = 2;
        costs.push(measure(window - 10_000.min(window / 10), || {
            i += 1;
            if i % spacing == 0 {
                return;
            }
            now += Duration::from_ns(100);
            let range = i / spacing;
            let block = |back: u64| {
                let first = range.saturating_sub(back) * spacing + 1;
                SackBlock {
                    start: first * MSS,
                    end: (i + 1).min(first + spacing - 1) * MSS,
                }
            };
            let una = s.una();
            s.on_ack(
                now,
                una,
                u64::MAX / 4,
                false,
                &[block(0), block(1), block(2)],
            );
            if s.deadline() <= now {
                s.on_deadline(now);
            }
            while s.poll(now).is_some() {}
        }));
    }
    costs.sort_by(f64::total_cmp);
    costs[costs.len() / 2]
}

/// ns per in-order segment of the receiver alone.
fn receiver_alone() -> f64 {
    let config = Config {
        mss: MSS as u32,
        ..Config::default()
    };
    let mut r = Receiver::new(&config);
    let mut now = Time::ZERO;
    r.on_syn(now);
    r.poll(now);
    let n = 20_000_000u64;
    let mut sum = 0;
    let mut i = 0;
    let cost = measure(n, || {
        now += Duration::from_ns(1200);
        if r.on_data(now, i * MSS, MSS as u32, false)
            && let Some(a) = r.poll(now)
        {
            sum += a.ack;
        }
        i += 1;
        black_box(r.deadline());
    });
    black_box(sum);
    cost
}

fn main() {
    println!("receiver, in order: {:.1} ns a segment", receiver_alone());
    for algorithm in [Algorithm::Reno, Algorithm::Cubic] {
        for window in [100, 10_000, 1_000_000] {
            println!(
                "sender, {algorithm:?}, window {window}: {:.1} ns an ACK",
                sender_alone(window, algorithm)
            );
        }
    }
    let rack = Config::default().recovery;
    let counting = Recovery {
        rack: false,
        ..rack
    };
    for window in [10_000, 1_000_000] {
        for holes in [1, 1000] {
            for (name, recovery, late) in [
                ("by count", counting, false),
                ("by time", rack, false),
                ("by time, reordering seen", rack, true),
            ] {
                let cost = sender_recovering(window, holes, recovery, late);
                println!(
                    "sender in recovery {name}, window {window}, {holes} holes: {cost:.1} ns an ACK"
                );
            }
        }
    }
    for window in [100, 10_000, 1_000_000u64] {
        for (name, loss) in [
            ("clean", u64::MAX),
            ("1 loss in 10 000", 10_000),
            ("1 in 100", 100),
        ] {
            let mut l = Loop::new(window, Algorithm::Cubic);
            let pairs = 2_000_000.max(2 * window);
            let each = measure(pairs, || l.pair(loss));
            let stats = l.sender.stats();
            println!(
                "both ends, window {window}, {name}: {each:.1} ns a pair; {} retransmissions, {} timeouts, {:.2} steps a pair",
                stats.retransmits,
                stats.rtos,
                stats.scoreboard_steps as f64 / pairs as f64
            );
        }
    }
}
