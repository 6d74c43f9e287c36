//! What single parts cost: a frame through a ring, and an acknowledgement with the two segments
//! that it answers and the two that it releases.

use std::collections::VecDeque;
use std::hint::black_box;

use farpath_element::Channel;
use farpath_tcp::{Algorithm, Config, Receiver, Sender};
use farpath_units::{Duration, Time};
use farpath_wire::{FlowDir, Frame, Kind};

/// Puts `count` frames on a channel with a thousand in flight and takes them off.
pub(crate) fn ring(count: u64) {
    let mut channel = Channel::new(Duration::ZERO);
    let like = Frame::new(Kind::Data, FlowDir::forward(0), 0, 1500);
    for seq in 0..count {
        channel.push_like(&like, Time::from_ps(seq), seq, 0);
        if channel.in_flight() > 1000 {
            black_box(channel.pop_before(Time::MAX));
        }
    }
}

/// Both ends of a CUBIC connection with a thousand segments in flight, for `count` acknowledgements.
pub(crate) fn acknowledgements(count: u64) {
    let config = Config {
        algorithm: Algorithm::Cubic,
        initial_window: 1000,
        initial_ssthresh: Some(1000),
        receive_window: u64::MAX / 4,
        ..Config::default()
    };
    let (mut sender, mut receiver) = (Sender::new(&config), Receiver::new(&config));
    let mut now = Time::ZERO;
    sender.open(now);
    sender.poll(now);
    receiver.on_syn(now);
    receiver.poll(now);
    now += Duration::from_ms(100);
    sender.on_syn_ack(now);
    sender.poll(now);
    let mut wire = VecDeque::new();
    let mut done = 0;
    while done < count {
        while let Some(seq) = sender.poll_full(now) {
            wire.push_back(seq);
        }
        black_box(sender.poll(now));
        now += Duration::from_us(200);
        for _ in 0..2 {
            let Some(seq) = wire.pop_front() else {
                return;
            };
            receiver.on_data(now, seq, config.mss, false);
        }
        let window = config.receive_window;
        let usual = receiver.poll_usual(now, window);
        // The first ones are quick ACKs, which the short way leaves to the long one.
        if let Some(ack) = usual.or_else(|| receiver.poll(now).map(|out| out.ack)) {
            sender.on_ack(now, ack, window, false, &[]);
            done += 1;
        }
    }
}
