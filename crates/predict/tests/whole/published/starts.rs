//! Slow start.

use farpath_predict::initial_window;

use super::*;

#[test]
fn slow_start_rounds_and_waste() {
    for row in carried!("slow_start_waste") {
        // The table rounds W to one decimal; the exact pipes reproduce every other digit.
        let full = match row.text("path") {
            "LBNL-ANL 450 Mb/s" => recovery::pipe_segments(mbps(450.0), ms(45.0), bytes(9140.0)),
            _ => recovery::pipe_segments(mbps(990.04), ms(581.0), bytes(8948.0)),
        };
        row.prints("W_segments", full);
        let start = SlowStart {
            full,
            initial: row.number("iw"),
            segments_per_ack: row.number("segments_per_ack"),
            max_ssthresh: None,
            rounds_each: 1,
            quick: 0.0,
        };
        let cost = start.cost();
        row.prints("rounds_to_full", f64::from(cost.rounds));
        row.prints("wasted_rtts", cost.wasted_rtts);
        row.prints("wasted_s", cost.wasted_rtts * row.number("rtt_ms") / 1e3);
    }
}

#[test]
fn transfers_pay_the_waste_once() {
    let full = recovery::pipe_segments(mbps(450.0), ms(45.0), bytes(9140.0));
    let time = |b: f64, size: f64| {
        let start = SlowStart {
            full,
            initial: 1.0,
            segments_per_ack: b,
            max_ssthresh: None,
            rounds_each: 1,
            quick: 0.0,
        };
        start.transfer_s(bytes(size), bytes(9140.0), mbps(450.0), ms(45.0))
    };
    for (b, size, expected) in [
        (2.0, 10e9, 178.31),
        (2.0, 1e9, 18.31),
        (1.0, 10e9, 178.10),
        (1.0, 1e9, 18.10),
    ] {
        assert!(
            (time(b, size) - expected).abs() < 0.005,
            "{b} {size}: {}",
            time(b, size)
        );
    }
    // The slide's share of the time: 0.30 % of 10 GB, 23 % of 100 MB.
    let start = SlowStart {
        full,
        initial: 1.0,
        segments_per_ack: 2.0,
        max_ssthresh: None,
        rounds_each: 1,
        quick: 0.0,
    };
    let note = start
        .transfer_answer(bytes(100e6), bytes(9140.0), mbps(450.0), ms(45.0))
        .note;
    assert!(note.starts_with("23."), "{note}");
    // What fits in the first round takes only its own time on the line.
    assert!((time(2.0, 9140.0) - 9140.0 * 8.0 / 450e6).abs() < 1e-12);
}

#[test]
fn initial_windows() {
    for row in carried!("initial_windows") {
        let mss = bytes(row.number("mss"));
        row.prints(
            "iw_rfc3390_bytes",
            initial_window::rfc3390(mss).as_bytes() as f64,
        );
        row.prints(
            "iw_rfc6928_bytes",
            initial_window::rfc6928(mss).as_bytes() as f64,
        );
    }
}

#[test]
fn round_trips_of_short_transfers() {
    for row in carried!("rfc6928_rounds") {
        let segments = row.number("segments") as u64;
        for (column, initial) in [("iw3", 3), ("iw10", 10)] {
            let rounds = initial_window::rounds(segments, initial).expect("it grows");
            row.prints(column, rounds.into());
        }
    }
    assert_eq!(initial_window::rounds(2, 1), None);
    assert_eq!(initial_window::rounds(0, 1), Some(0));
    assert_eq!(
        initial_window::rounds(u64::MAX, 10).map(|n| n < 120),
        Some(true)
    );
}
