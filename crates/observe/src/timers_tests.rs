//! Tests of the kernel's timers.

use super::*;
use crate::limit::{Surroundings, shares};
use proptest::prelude::*;
use std::collections::BTreeMap;

const MS: u64 = 1_000_000;

fn at(ns: u64) -> Time {
    Time::ZERO + Duration::from_ns(ns)
}

/// A sample every 10 ms from 0 on.
fn connection(count: u64, sample: impl Fn(u64) -> Sample) -> Connection {
    let samples = (0..=count).map(|n| Sample {
        t: at(n * 10 * MS),
        ..sample(n)
    });
    Connection {
        samples: samples.collect(),
        ..Connection::default()
    }
}

fn window(cwnd: u64, ssthresh: Option<u64>, timers: Timers) -> Sample {
    Sample {
        cwnd: Some(cwnd),
        ssthresh,
        timers: Some(timers),
        ..Sample::default()
    }
}

fn shares_of(connection: &Connection, from_ms: u64) -> BTreeMap<String, f64> {
    shares(connection, at(from_ms * MS), &Surroundings::default())
}

fn assert_share(shares: &BTreeMap<String, f64>, name: &str, wanted: f64) {
    let found = shares.get(name).copied().unwrap_or(0.0);
    assert!((found - wanted).abs() < 1e-9, "{name}: {shares:?}");
}

#[test]
fn timers_of_the_kernel_are_shares_of_the_time() {
    // Of each 10 ms: 8 busy, of these 4 at the receiver's window and 1 at the send buffer.
    let seen = connection(100, |n| {
        let timers = Timers {
            busy: Duration::from_ms(n * 8),
            receive_window: Duration::from_ms(n * 4),
            send_buffer: Duration::from_ms(n),
            ..Timers::default()
        };
        window(10, Some(10), timers)
    });
    let shares = shares_of(&seen, 0);
    assert_share(&shares, "application", 0.2);
    assert_share(&shares, "receive_window", 0.4);
    assert_share(&shares, "send_buffer", 0.1);
    assert_share(&shares, "cwnd_recovery", 0.3);
    assert!((shares.values().sum::<f64>() - 1.0).abs() < 1e-9);
}

#[test]
fn who_always_writes_is_never_idle() {
    let mut seen = connection(100, |n| {
        let timers = Timers {
            app_limited: true,
            busy: Duration::from_ms(n * 8),
            ..Timers::default()
        };
        Sample {
            in_flight: Some(50),
            ..window(100, None, timers)
        }
    });
    assert_share(&shares_of(&seen, 0), "application", 1.0);
    seen.always_writes = true;
    assert_share(&shares_of(&seen, 0), "send_buffer", 1.0);
}

/// Room in the window and nothing unsent: the buffer where it is full, else the program, whatever else the kernel says.
#[test]
fn a_full_send_buffer_with_all_of_it_in_flight_is_the_limit() {
    let share_of = |unsent, full, app_limited, limit: &str| {
        let seen = connection(100, |n| Sample {
            in_flight: Some(50),
            ..window(
                100,
                None,
                Timers {
                    app_limited,
                    unsent,
                    full,
                    busy: Duration::from_ms(n * 10),
                    ..Timers::default()
                },
            )
        });
        assert_share(&shares_of(&seen, 0), limit, 1.0);
    };
    share_of(Some(0), true, false, "send_buffer");
    share_of(Some(0), true, true, "send_buffer");
    // The flag outlives its cause by a round trip.
    share_of(Some(9), true, true, "send_buffer");
    share_of(None, true, true, "send_buffer");
    share_of(Some(0), false, false, "application");
    share_of(None, false, true, "application");
    // Something holds back what was written: a pace.
    share_of(Some(9), true, false, "cwnd_slow_start");
    share_of(None, false, false, "cwnd_slow_start");
}

/// A kernel that paces as fast as it is let, with room in its window: the pace is the limit. With none it is the window.
#[test]
fn a_pace_that_the_program_asked_for_is_the_limit() {
    let share_of = |in_flight, app_limited, limit: &str| {
        let seen = connection(100, |n| Sample {
            in_flight: Some(in_flight),
            ..window(
                100,
                None,
                Timers {
                    paced: true,
                    app_limited,
                    unsent: Some(9),
                    busy: Duration::from_ms(n * 10),
                    ..Timers::default()
                },
            )
        });
        assert_share(&shares_of(&seen, 0), limit, 1.0);
    };
    share_of(50, false, "pacing");
    share_of(95, false, "cwnd_slow_start");
    share_of(50, true, "application");
}

#[test]
fn ticks_of_the_kernel_are_no_idle_time() {
    // Always busy, but the timer moves by 40 ms at a time.
    let seen = connection(100, |n| {
        let busy = Duration::from_ms((n * 10).div_ceil(40) * 40);
        window(
            1,
            None,
            Timers {
                busy,
                ..Timers::default()
            },
        )
    });
    assert_share(&shares_of(&seen, 0), "cwnd_slow_start", 1.0);
}

#[test]
fn states_share_out_what_the_window_held_back() {
    let seen = connection(100, |n| {
        let state = match n {
            0..=50 => OPEN,
            51..=75 => 3,
            _ => LOSS,
        };
        let timers = Timers {
            busy: Duration::from_ms(n * 10),
            state,
            ..Timers::default()
        };
        window(5, (n > 50).then_some(5), timers)
    });
    let shares = shares_of(&seen, 0);
    assert_share(&shares, "cwnd_slow_start", 0.5);
    assert_share(&shares, "cwnd_recovery", 0.25);
    assert_share(&shares, "loss", 0.25);
    // The account begins with the measurement.
    let later = shares_of(&seen, 500);
    assert_share(&later, "cwnd_slow_start", 0.0);
    assert_share(&later, "loss", 0.5);
}

#[test]
fn handshakes_and_busy_threads_are_seen() {
    let mut seen = connection(100, |n| {
        let timers = Timers {
            busy: Duration::from_ms(n * 10),
            cpu: Duration::from_ns(1 + n * 10 * MS),
            ..Timers::default()
        };
        window(1, None, timers)
    });
    assert_share(&shares_of(&seen, 0), "host_cpu", 1.0);
    seen.samples.clear();
    // Nothing but a handshake.
    seen.established = at(10);
    let only = stretches(&seen, Time::ZERO);
    assert_eq!(
        only,
        [Stretch::whole(Time::ZERO, at(10), Limit::CwndSlowStart)]
    );
}

#[test]
fn a_reader_without_a_pause_is_seen() {
    let mut seen = connection(100, |n| {
        let busy = Duration::from_ms(n * 10);
        window(
            1,
            None,
            Timers {
                busy,
                ..Timers::default()
            },
        )
    });
    seen.every = Duration::from_ms(10);
    seen.intervals = (1..=100).map(|n| (at(n * 10 * MS), 1)).collect();
    seen.reader_cpu = (1..=100)
        .map(|n| Duration::from_ms(if n <= 50 { 10 } else { 5 }))
        .collect();
    assert_share(&shares_of(&seen, 0), "host_cpu", 0.5);
}

fn any_sample() -> impl Strategy<Value = Sample> {
    let (small, state) = (0..1_000_000_u64, 0..6_u8);
    let timers = (
        small.clone(),
        small.clone(),
        small.clone(),
        0..1_000_000_000_u64,
    );
    (0..3_000 * MS, small, any::<Option<u32>>(), state, timers).prop_map(
        |(t, cwnd, ssthresh, state, (busy, rwnd, sndbuf, cpu))| Sample {
            t: at(t),
            ..window(
                cwnd,
                ssthresh.map(u64::from),
                Timers {
                    state,
                    app_limited: state == DISORDER,
                    unsent: (state == OPEN).then_some(cwnd % 2),
                    full: cwnd % 3 == 0,
                    paced: cwnd % 5 == 0,
                    busy: Duration::from_us(busy),
                    receive_window: Duration::from_us(rwnd),
                    send_buffer: Duration::from_us(sndbuf),
                    cpu: Duration::from_ns(cpu),
                },
            )
        },
    )
}

proptest! {
    #[test]
    fn shares_are_positive_and_sum_to_one(
        mut samples in proptest::collection::vec(any_sample(), 0..60),
        from_ms in 0..2_000_u64,
        full in 0..3_000 * MS,
    ) {
        samples.sort_by_key(|s| s.t);
        let seen = Connection { samples, ..Connection::default() };
        let hosts = move |from: Time, until: Time| (from..until).contains(&at(full)).then_some(Limit::Disk);
        let around = Surroundings { path: None, hosts: Some(Box::new(hosts)) };
        let shares = shares(&seen, at(from_ms * MS), &around);
        prop_assert!(shares.values().all(|share| *share > 0.0), "{shares:?}");
        let sum: f64 = shares.values().sum();
        prop_assert!(shares.is_empty() || (sum - 1.0).abs() < 1e-9, "{shares:?}");
    }
}
