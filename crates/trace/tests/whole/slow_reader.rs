//! A receiver whose program reads slowly: its acknowledgements come as late as it reads, and no link is full.

use std::collections::VecDeque;

use farpath_observe::Surroundings;
use farpath_observe::limit::shares;
use farpath_units::Time;

use crate::runs::read;
use crate::shapes::{Tcp, ethernet, pcap, v4};

/// Payload of a segment, the receiver's buffer, and what its program reads at a time, bytes.
const MSS: u64 = 1000;
const BUFFER: u64 = 80_000;
const READ: u64 = 20_000;
/// From one reading to the next, and one way of the path, ms.
const EVERY: u64 = 50;
const WAY: u64 = 30;
/// Segments that a link of 50 Mbit/s carries in a millisecond.
const CARRIED: u64 = 6;
/// The shift of windows.
const SHIFT: u64 = 2;

fn segment(from_a: bool, seq: u64, ack: u64, window: u64, payload: u64) -> Tcp {
    Tcp {
        from_a,
        seq: seq as u32,
        ack: ack as u32,
        control: 0x10,
        window: (window >> SHIFT) as u16,
        options: Vec::new(),
        payload: vec![7; payload as usize],
    }
}

fn opening(from_a: bool, control: u8) -> Tcp {
    Tcp {
        control,
        window: 65_535,
        options: vec![2, 4, 3, 232, 3, 3, SHIFT as u8, 1],
        ..segment(from_a, 0, u64::from(!from_a), 0, 0)
    }
}

/// What is captured at the sender in eight seconds: nanoseconds and segments.
fn captured() -> Vec<(u64, Tcp)> {
    const MS: u64 = 1_000_000;
    let mut all = vec![
        (0, opening(true, 0x02)),
        (2 * WAY * MS, opening(false, 0x12)),
        (2 * WAY * MS + 1000, segment(true, 1, 1, 65_532, 0)),
    ];
    let (mut arriving, mut acks) = (VecDeque::new(), VecDeque::new());
    // The sender's: sent, acknowledged, the window's end, the congestion window. The receiver's: received, read.
    let (mut sent, mut una, mut edge, mut cwnd) = (0, 0, 65_000, 10 * MSS);
    let (mut received, mut taken) = (0, 0_u64);
    for t in 2 * WAY + 1..8000 {
        while arriving.front().is_some_and(|(due, _)| *due <= t) {
            let (_, end): (u64, u64) = arriving.pop_front().expect("one is there");
            received = end;
            // At the start each second segment is answered at once.
            if received <= BUFFER / 2 && received.is_multiple_of(2 * MSS) {
                acks.push_back((t + WAY, received, taken + BUFFER));
            }
        }
        if t.is_multiple_of(EVERY) {
            taken = received.min(taken + READ);
            acks.push_back((t + WAY, received, taken + BUFFER));
        }
        while acks.front().is_some_and(|(due, ..)| *due <= t) {
            let (_, ack, end): (u64, u64, u64) = acks.pop_front().expect("one is there");
            all.push((t * MS, segment(false, 1, 1 + ack, end - ack, 0)));
            (cwnd, una, edge) = (cwnd + ack - una, ack, end);
        }
        for n in 0..CARRIED {
            if sent + MSS > edge.min(una + cwnd) {
                break;
            }
            all.push((
                t * MS + 1000 + n * MS / CARRIED,
                segment(true, 1 + sent, 1, 65_532, MSS),
            ));
            sent += MSS;
            arriving.push_back((t + WAY, sent));
        }
    }
    all
}

#[test]
fn a_slow_reader_is_no_full_link() {
    let frame = |(at, tcp): &(u64, Tcp)| (1_000_000_000_000 + at, ethernet(&v4(tcp)), 0);
    let frames: Vec<(u64, Vec<u8>, u32)> = captured().iter().map(frame).collect();
    let analysis = read(&pcap(1, &frames, false, true));
    let found = analysis.found[0][0].observed.as_ref().expect("data");
    let seen = shares(found, Time::ZERO, &Surroundings::default());
    let of = |name: &str| seen.get(name).copied().unwrap_or(0.0);
    let rtt = found.rtt.expect("it is measured");
    assert!(
        rtt.avg_ns > 1.1 * rtt.min_ns,
        "acknowledgements are late: {rtt:?}"
    );
    assert!(of("link") < 0.02, "{seen:?}");
    assert!(of("receive_window") > 0.8, "{seen:?}");
    // The window is what is left of a buffer that is full of what was not read.
    let back = found.taken_back().expect("it is taken back");
    assert!(back.share > 0.5, "{back:?}");
    assert!(back.bytes < 0.75 * BUFFER as f64, "{back:?}");
    let notes = analysis.document.connections[0].notes.join("\n");
    let said = "its program does not read what has come";
    assert!(notes.contains(said), "{notes}");
}
