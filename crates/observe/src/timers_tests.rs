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

/// BBR with data and room in its window, as Linux 6.18 showed it on 2026-11-25 where a receiver with `SO_RCVBUF` of 20 kB
/// announced 17 segments of 1428 bytes on 20 Mbit/s x 200 ms: it paces at that window in a round trip, and fills it in some.
#[test]
fn a_pace_that_comes_of_the_receivers_window_is_that_windows() {
    let share_of = |window: Option<u64>, most: u64| {
        let mut seen = connection(100, |n| Sample {
            in_flight: Some(if n % 50 == 0 { most } else { 11 } * 1428),
            srtt: Some(Duration::from_ms(200)),
            ..window_of_44(n, window)
        });
        seen.delivered = 1;
        let around = Surroundings {
            path: Some(crate::path::Path {
                every: Duration::from_ms(100),
                hops: Vec::new(),
                back: Vec::new(),
                down: Vec::new(),
                notes: Vec::new(),
            }),
            hosts: None,
        };
        shares(&seen, at(0), &around)
    };
    let known = share_of(Some(24_276), 17);
    assert!(known["receive_window"] > 0.99, "{known:?}");
    for (window, most) in [(None, 17), (Some(24_276), 12), (Some(100_000), 17)] {
        let other = share_of(window, most);
        assert!(
            !other.contains_key("receive_window"),
            "{window:?} {most}: {other:?}"
        );
    }
}

/// A window of 44 segments, after a cut, always busy.
fn window_of_44(n: u64, announced: Option<u64>) -> Sample {
    let timers = Timers {
        busy: Duration::from_ms(n * 10),
        unsent: Some(300_000),
        window: announced,
        ..Timers::default()
    };
    window(44 * 1428, Some(24 * 1428), timers)
}

/// BBR with a window of 100 segments and the last 1172 bytes of an answer unsent, as Nagle's algorithm holds them; more than a
/// segment unsent waits for something else.
#[test]
fn the_rest_of_a_segment_waits_for_an_acknowledgement() {
    let share_of = |unsent: u64| {
        let seen = connection(100, |n| Sample {
            in_flight: Some(1628),
            ..window(
                100 * 1428,
                Some(50 * 1428),
                Timers {
                    unsent: Some(unsent),
                    busy: Duration::from_ms(n * 10),
                    ..Timers::default()
                },
            )
        });
        shares_of(&seen, 0)
    };
    assert_share(&share_of(1172), "application", 1.0);
    assert_share(&share_of(3000), "cwnd_recovery", 1.0);
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
    share_of(Some(9000), true, true, "send_buffer");
    share_of(None, true, true, "send_buffer");
    share_of(Some(0), false, false, "application");
    share_of(None, false, true, "application");
    // Something holds back what was written: a pace.
    share_of(Some(9000), true, false, "cwnd_slow_start");
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
                    pacing_bps: Some(9_000_000),
                    pacing_limit_bps: Some(9_000_000),
                    app_limited,
                    unsent: Some(9000),
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
    let only = stretches(&seen, Time::ZERO, false);
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
            in_flight: Some(sndbuf),
            srtt: Some(Duration::from_us(sndbuf % 100_000)),
            ..window(
                cwnd,
                ssthresh.map(u64::from),
                Timers {
                    state,
                    app_limited: state == DISORDER,
                    unsent: (state == OPEN).then_some(cwnd % 2),
                    full: cwnd % 3 == 0,
                    pacing_bps: (cwnd % 7 > 0).then_some(cwnd),
                    pacing_limit_bps: (cwnd % 5 == 0).then_some(cwnd),
                    delivery_bps: Some(busy),
                    window: (cwnd % 11 > 0).then_some(rwnd),
                    min_rtt: Some(Duration::from_us(rwnd)),
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

/// What `ss -ti` said of a sender on Linux 6.18: busy ms; cwnd, ssthresh (0: none) and unacked in segments of 1428 bytes; pacing
/// rate, the most that the program allows (0: no bound) and delivery rate in bit/s; bytes unsent; rtt and minrtt in ms.
/// Recorded on 2026-11-24 with iperf3 -t 10 on a lab's path of 20 Mbit/s x 100 ms.
type Row = [u64; 10];

/// `-C bbr`: the link is full.
const BBR: [Row; 16] = [
    [212, 22, 0, 6, 3312048, 0, 1159544, 101388, 103, 100],
    [752, 365, 0, 365, 50609048, 0, 17709320, 1129548, 113, 100],
    [
        1596, 390, 178, 348, 18661504, 0, 10325976, 2784600, 106, 100,
    ],
    [
        2544, 366, 178, 183, 18661504, 0, 18569400, 3015936, 111, 100,
    ],
    [
        3272, 384, 178, 174, 18572520, 0, 18488976, 2577680, 108, 100,
    ],
    [
        4124, 390, 178, 185, 18537464, 0, 18537200, 3088840, 116, 100,
    ],
    [
        4900, 388, 178, 222, 18478816, 0, 18517936, 2611704, 117, 100,
    ],
    [
        5496, 388, 178, 199, 18478816, 0, 18301416, 2540120, 130, 100,
    ],
    [
        6052, 394, 178, 178, 18408704, 0, 18142088, 2490432, 107, 100,
    ],
    [
        6684, 398, 178, 201, 18863064, 0, 18555016, 2231964, 115, 100,
    ],
    [
        7276, 400, 178, 194, 18863064, 0, 15955648, 3355800, 126, 100,
    ],
    [
        7848, 394, 178, 234, 23460016, 0, 18567984, 3162720, 125, 100,
    ],
    [
        8592, 432, 178, 230, 18818568, 0, 18887296, 2698920, 152, 100,
    ],
    [
        9200, 448, 178, 262, 18818568, 0, 18572080, 2517200, 155, 100,
    ],
    [
        9716, 446, 178, 270, 18714752, 0, 18599960, 2551836, 175, 100,
    ],
    [10256, 4, 178, 8, 18714752, 0, 18563424, 2884560, 165, 100],
];

/// `-C bbr --fq-rate 5M`: the program's own pace.
const BBR_PACED: [Row; 19] = [
    [232, 22, 0, 12, 3321784, 5000000, 1162920, 92820, 103, 100],
    [768, 134, 0, 44, 5000000, 5000000, 5000080, 731136, 102, 100],
    [
        1300, 98, 50, 44, 4951368, 5000000, 4950432, 723996, 102, 100,
    ],
    [
        1836, 100, 50, 46, 5000000, 5000000, 4999608, 708288, 102, 100,
    ],
    [
        2372, 100, 50, 44, 5000000, 5000000, 4999936, 698292, 102, 100,
    ],
    [
        2904, 100, 50, 44, 5000000, 5000000, 4999608, 685440, 102, 100,
    ],
    [
        3436, 100, 50, 46, 5000000, 5000000, 4999752, 672588, 102, 100,
    ],
    [
        3976, 100, 50, 44, 5000000, 5000000, 5000320, 659736, 102, 100,
    ],
    [
        4504, 100, 50, 44, 5000000, 5000000, 5000128, 649740, 102, 100,
    ],
    [
        5036, 100, 50, 44, 5000000, 5000000, 4998088, 636888, 102, 100,
    ],
    [
        5568, 100, 50, 46, 5000000, 5000000, 5000080, 626892, 102, 100,
    ],
    [
        6108, 104, 50, 46, 5000000, 5000000, 4997752, 611184, 102, 100,
    ],
    [
        6648, 102, 50, 44, 5000000, 5000000, 4999320, 595476, 102, 100,
    ],
    [
        7184, 100, 50, 44, 5000000, 5000000, 4999272, 582624, 102, 100,
    ],
    [
        7720, 100, 50, 44, 5000000, 5000000, 4949360, 569772, 102, 100,
    ],
    [
        8256, 100, 50, 44, 5000000, 5000000, 4999416, 554064, 102, 100,
    ],
    [
        8788, 102, 50, 44, 5000000, 5000000, 4999656, 544068, 102, 100,
    ],
    [
        9344, 102, 50, 44, 5000000, 5000000, 4999888, 838236, 102, 100,
    ],
    [
        9892, 102, 50, 44, 5000000, 5000000, 4997656, 816816, 102, 100,
    ],
];

/// `-C cubic --fq-rate 5M`: the same, and never a loss.
const CUBIC_PACED: [Row; 22] = [
    [268, 20, 0, 20, 4416288, 5000000, 1069760, 34272, 103, 100],
    [728, 92, 0, 44, 5000000, 5000000, 4998944, 249900, 102, 100],
    [1288, 92, 0, 44, 5000000, 5000000, 4998984, 284172, 102, 100],
    [1740, 96, 0, 44, 5000000, 5000000, 5000032, 386988, 102, 100],
    [2220, 96, 0, 44, 5000000, 5000000, 5000128, 279888, 102, 100],
    [2680, 96, 0, 44, 5000000, 5000000, 5000176, 376992, 102, 100],
    [3132, 96, 0, 44, 5000000, 5000000, 4999800, 287028, 102, 100],
    [3588, 96, 0, 44, 5000000, 5000000, 4999320, 389844, 102, 100],
    [4064, 96, 0, 44, 5000000, 5000000, 4999464, 282744, 102, 100],
    [4520, 96, 0, 44, 5000000, 5000000, 4992432, 385560, 102, 100],
    [4972, 96, 0, 44, 5000000, 5000000, 5000464, 295596, 102, 100],
    [5428, 96, 0, 44, 5000000, 5000000, 4999752, 395556, 102, 100],
    [5892, 96, 0, 44, 5000000, 5000000, 4999656, 297024, 102, 100],
    [6360, 96, 0, 44, 5000000, 5000000, 4999128, 391272, 102, 100],
    [
        6832, 102, 0, 44, 5000000, 5000000, 5000512, 289884, 102, 100,
    ],
    [
        7284, 102, 0, 44, 5000000, 5000000, 4965776, 392700, 102, 100,
    ],
    [
        7736, 102, 0, 44, 5000000, 5000000, 4999936, 302736, 102, 100,
    ],
    [
        8212, 102, 0, 44, 5000000, 5000000, 4964040, 391272, 102, 100,
    ],
    [
        8676, 102, 0, 44, 5000000, 5000000, 4999800, 292740, 102, 100,
    ],
    [
        9184, 114, 0, 44, 5000000, 5000000, 4997088, 361284, 102, 100,
    ],
    [
        9640, 114, 0, 44, 5000000, 5000000, 5000320, 268464, 102, 100,
    ],
    [
        10108, 114, 0, 44, 5000000, 5000000, 5000080, 362712, 102, 100,
    ],
];

fn recorded(rows: &[Row]) -> Connection {
    let none_of_zero = |n: u64| (n > 0).then_some(n);
    let sample = |row: &Row| {
        let [
            busy,
            cwnd,
            ssthresh,
            unacked,
            pacing,
            most,
            delivery,
            unsent,
            rtt,
            least,
        ] = *row;
        Sample {
            t: at(busy * MS),
            cwnd: Some(cwnd * 1428),
            ssthresh: none_of_zero(ssthresh * 1428),
            in_flight: Some(unacked * 1428),
            srtt: Some(Duration::from_ms(rtt)),
            timers: Some(Timers {
                unsent: Some(unsent),
                pacing_bps: Some(pacing),
                pacing_limit_bps: none_of_zero(most),
                delivery_bps: Some(delivery),
                min_rtt: Some(Duration::from_ms(least)),
                busy: Duration::from_ms(busy),
                ..Timers::default()
            }),
            ..Sample::default()
        }
    };
    Connection {
        samples: rows.iter().map(sample).collect(),
        ..Connection::default()
    }
}

/// A pace is the program's where it set one, and the kernel keeps about as much.
#[test]
fn a_pace_is_the_programs_where_it_is_at_its_bound() {
    let paced = |own: u64, most: Option<u64>| {
        let timers = Timers {
            pacing_bps: Some(own),
            pacing_limit_bps: most,
            ..Timers::default()
        };
        timers.is_paced()
    };
    assert!(!paced(40_000, None));
    assert!(!paced(35_992, Some(40_000)));
    assert!(paced(40_000, Some(40_000)));
}

#[test]
fn of_real_senders_pacing_is_told_from_a_full_link_and_from_slow_start() {
    for (rows, word) in [
        (&BBR[..], "link"),
        (&BBR_PACED[..], "pacing"),
        (&CUBIC_PACED[..], "pacing"),
    ] {
        let shares = shares_of(&recorded(rows), 0);
        assert!(
            shares.get(word).is_some_and(|s| *s > 0.75),
            "{word}: {shares:?}"
        );
        // The first quarter of a second.
        let start = shares.get("cwnd_slow_start").copied().unwrap_or(0.0);
        assert!((0.01..0.1).contains(&start), "{shares:?}");
    }
    // Where the links of the path are known, they say it, not the round trips.
    let known = stretches(&recorded(&BBR), Time::ZERO, true);
    assert!(known.iter().all(|s| s.spent(Limit::Link) == 0.0));
}

/// A probe of the round trip every second: four segments for 200 ms, and then the old window again, which grows to it.
#[test]
fn a_probe_of_the_round_trip_is_no_slow_start_and_no_loss() {
    let mut seen = connection(400, |n| {
        let cwnd = if n % 100 < 20 { 4 } else { 90 + n % 7 };
        let timers = Timers {
            busy: Duration::from_ms(n * 10),
            unsent: Some(100_000),
            ..Timers::default()
        };
        Sample {
            in_flight: Some(cwnd),
            srtt: Some(Duration::from_ms(20)),
            ..window(cwnd, Some(50), timers)
        }
    });
    let by_losses = shares_of(&seen, 0);
    assert!(by_losses["cwnd_slow_start"] > 0.0 && by_losses["cwnd_recovery"] > 0.5);
    seen.paces_by_model = true;
    assert_share(&shares_of(&seen, 0), "pacing", 1.0);
}

/// A window that grows no more and was never cut, with all of it in flight: slow start is not what holds it.
#[test]
fn a_small_window_that_stays_as_it_is_is_no_slow_start() {
    let held = |cwnd: &dyn Fn(u64) -> u64| {
        let mut seen = connection(100, |n| {
            let timers = Timers {
                busy: Duration::from_ms(n * 10),
                unsent: Some(100_000),
                ..Timers::default()
            };
            Sample {
                in_flight: Some(cwnd(n)),
                srtt: Some(Duration::from_ms(20)),
                ..window(cwnd(n), None, timers)
            }
        });
        seen.delivered = 1;
        shares_of(&seen, 0)
    };
    let flat = held(&|n| (14_480 << (n / 2).min(3)).min(100_000));
    assert!(flat["receive_window"] > 0.85, "{flat:?}");
    // Half as much again every three round trips, HyStart++'s careful growth and more.
    let grows = held(&|n| (0..n).fold(14_480.0, |cwnd, _| cwnd * 1.07) as u64);
    assert_share(&grows, "cwnd_slow_start", 1.0);
}

/// CUBIC whose HyStart ended at the 45 segments that a route bounds it at, as a receiver of 64 KiB announces them (Linux 6.18,
/// 100 Mbit/s × 10 ms): the kernel counts no time of the receiver's window. One that still grows towards it is its own limit.
#[test]
fn a_congestion_window_that_stands_at_the_receivers_is_held_by_it() {
    let held = |cwnd: &dyn Fn(u64) -> u64, announced: u64| {
        let seen = connection(100, |n| {
            let timers = Timers {
                busy: Duration::from_ms(n * 10),
                unsent: Some(300_000),
                window: Some(announced),
                ..Timers::default()
            };
            Sample {
                in_flight: Some(cwnd(n) - 1448 * (n % 4)),
                srtt: Some(Duration::from_us(10_500)),
                ..window(cwnd(n), Some(65_160), timers)
            }
        });
        shares_of(&seen, 100)
    };
    let stands = held(&|_| 65_160, 65_536);
    assert_share(&stands, "receive_window", 1.0);
    assert_share(&held(&|_| 65_160, 100_000), "cwnd_recovery", 1.0);
    let grows = held(&|n| 65_160 + 1448 * (n / 2), 131_072);
    assert!(grows["cwnd_recovery"] > 0.99, "{grows:?}");
}
