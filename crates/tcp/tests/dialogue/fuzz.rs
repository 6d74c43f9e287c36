//! Random losses, overtaking, and acknowledgements that cannot be true.

use farpath_tcp::{
    Algorithm, Autotuning, ByteCounting, Config, DelayedAck, Flavour, MtuProbing, Out, Pacing,
    Profile, Reading, Recovery, Reduction, Retries, SackBlock, Sender, SlowStart,
};
use farpath_units::{Duration, Key, Rate, Time};
use proptest::prelude::*;

use crate::harness::{Dialogue, Path, config, ms};

const SLOW_STARTS: [SlowStart; 4] = [
    SlowStart::Standard,
    SlowStart::Limited { max_ssthresh: 8 },
    SlowStart::HyStart,
    SlowStart::HyStartPlusPlus,
];

fn any_recovery() -> impl Strategy<Value = Recovery> {
    let reductions = [
        Reduction::Prr,
        Reduction::PrrConservative,
        Reduction::PrrSlowStart,
        Reduction::RateHalving,
        Reduction::AtOnce,
    ];
    (any::<[bool; 7]>(), 0usize..5).prop_map(move |(on, n)| Recovery {
        rack: on[0],
        reduction: reductions[n],
        frto: on[1],
        newreno: on[6],
        limited_transmit: on[2],
        dsack: on[3],
        eifel: on[4],
        ecn: on[5],
    })
}

fn any_config() -> impl Strategy<Value = Config> {
    let switches = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    let sizes = (
        1u64..400,
        0u64..1000,
        1u32..20,
        1u8..4,
        prop_oneof![Just(u64::MAX), 900u64..40_000],
    );
    (
        switches,
        sizes,
        prop_oneof![Just(1_000u64), 1_000u64..200_000],
        (any_recovery(), 0u8..20, any::<bool>()),
    )
        .prop_map(|(on, size, window, (recovery, quick_acks, told))| Config {
            recovery,
            quick_acks,
            reading: if told { Reading::Told } else { Reading::AtOnce },
            rto: [
                Profile::Linux6.rto(),
                Profile::Linux2004.rto(),
                Profile::Bsd1999.rto(),
            ][size.3 as usize % 3],
            sack: on.0,
            timestamps: on.1,
            slow_start: SLOW_STARTS[usize::from(size.2 as u8 % 4)],
            algorithm: Algorithm::ALL[size.1 as usize % Algorithm::ALL.len()],
            flavour: if on.2 { Flavour::Linux } else { Flavour::Rfc },
            idle_restart: on.3,
            pacing: (size.0 % 3 == 0).then_some(Pacing {
                burst: 1 + size.1 * 100,
                most: Rate::from_bps(size.1 * 1_000_000),
            }),
            remembered_window: (size.0 % 5 == 0).then_some(20),
            // Whatever is lost: it does not give up.
            retries: Retries {
                data: u32::MAX,
                ..Retries::default()
            },
            amount: Some(size.0 * 1000 + size.1),
            initial_window: size.2,
            delayed_ack: DelayedAck {
                every: size.3,
                timeout: Duration::from_ms(40),
            },
            tso: if size.0 % 2 == 0 { 65_536 } else { 0 },
            compressed_sacks: quick_acks.into(),
            autotuning: (!told && size.1 % 3 == 0).then_some(Autotuning {
                profile: if on.2 {
                    Profile::Linux6
                } else {
                    Profile::Linux5
                },
                first: window / 8 + 1,
                start: window / 6 + 1,
            }),
            gro: Duration::from_ms(if size.1 % 4 == 0 { 3 } else { 0 }),
            send_buffer: size.4,
            receive_window: window,
            byte_counting: [
                ByteCounting::Full,
                ByteCounting::Off,
                ByteCounting::Limit(2),
            ][size.2 as usize % 3],
            ..config()
        })
}

fn any_path() -> impl Strategy<Value = Path> {
    let lost = proptest::collection::btree_set(0u64..500, 0..60);
    let lost_acks = proptest::collection::btree_set(0u64..300, 0..60);
    let detours =
        proptest::collection::btree_map(0u64..500, (1u64..30).prop_map(Duration::from_ms), 0..20);
    let marks = proptest::collection::btree_set(0u64..500, 0..20);
    let repeats = proptest::collection::btree_set(0u64..300, 0..20);
    let sizes = (0u64..200, 1u64..200, 0u32..2);
    let rarer = (marks, repeats, 1u64..60, 300u64..20_000);
    (lost, lost_acks, detours, sizes, rarer).prop_map(
        |(lose, lose_acks, detour, (service, rtt, syns), (mark, repeat_acks, every, bytes))| Path {
            mark,
            repeat_acks,
            reads: Some((Duration::from_ms(every), bytes)),
            service: Duration::from_us(service),
            lose,
            lose_acks,
            detour,
            lose_syns: syns,
            ..Path::new(Duration::from_ms(rtt))
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500 * ProptestConfig::default().cases / 256))]

    /// The harness asserts on the way: no more than the window in flight, nothing delivered that
    /// was not sent, no deadline in the past, no round trip shorter than the path, no livelock. Arithmetic that would go below zero panics here.
    #[test]
    fn every_byte_arrives_once_in_order_whatever_is_lost(config in any_config(), path in any_path()) {
        let mut d = Dialogue::new(&config, path.clone());
        d.run_to_end();
        prop_assert_eq!(Some(d.receiver.delivered()), config.amount);
        prop_assert_eq!(d.receiver.waiting(), 0);
        prop_assert_eq!(d.sender.in_flight(), 0);
        prop_assert_eq!(d.sender.deadline(), Time::MAX);
        let shares = d.sender.limited(d.now);
        prop_assert_eq!(shares.total(), d.now.since(Time::ZERO));
        let stats = d.sender.stats();
        prop_assert!(stats.bytes - stats.retransmitted_bytes == config.amount.unwrap_or(0));

        let mut again = Dialogue::new(&config, path);
        again.run_to_end();
        prop_assert!(again.trace == d.trace, "two runs differ");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500 * ProptestConfig::default().cases / 256))]

    /// The same where the path carries less than the ends believe: routers say so, or the sender probes.
    #[test]
    fn every_byte_arrives_over_a_path_that_carries_less(
        config in any_config(),
        path in any_path(),
        (carries, after, probing) in (600u64..6_000, 1u64..50, 0usize..3),
    ) {
        let rules = [MtuProbing::Off, MtuProbing::BlackHole, MtuProbing::Always];
        let config = Config {
            mss: 6_000,
            mtu_probing: rules[probing],
            ..config
        };
        let reports = probing == 0 || carries % 2 == 0;
        let path = Path {
            carries,
            reported: reports.then_some(Duration::from_ms(after)),
            ..path
        };
        let mut d = Dialogue::new(&config, path.clone());
        d.run_to_end();
        prop_assert_eq!(Some(d.receiver.delivered()), config.amount);
        prop_assert_eq!(d.sender.in_flight(), 0);
        prop_assert_eq!(d.sender.deadline(), Time::MAX);
        let mut again = Dialogue::new(&config, path);
        again.run_to_end();
        prop_assert!(again.trace == d.trace, "two runs differ");
    }
}

/// A million mutated acknowledgements: nothing panics, and the sender still works afterwards.
#[test]
fn acknowledgements_that_cannot_be_true_do_no_harm() {
    for seed in 0..20 {
        let luck = Key::new(seed).stream();
        let sack = seed % 4 != 3;
        let config = Config {
            sack,
            slow_start: SLOW_STARTS[seed as usize % 4],
            algorithm: Algorithm::ALL[seed as usize % Algorithm::ALL.len()],
            flavour: if seed < 10 {
                Flavour::Linux
            } else {
                Flavour::Rfc
            },
            recovery: if seed % 5 < 3 {
                Profile::Linux6.recovery()
            } else {
                config().recovery
            },
            amount: Some(50_000_000),
            ..config()
        };
        let mut s = Sender::new(&config);
        s.open(Time::ZERO);
        assert_eq!(s.poll(Time::ZERO), Some(Out::Syn));
        let mut now = ms(100);
        s.on_syn_ack(now);
        let mut draw = 0;
        let mut next = || {
            draw += 1;
            luck.bits(draw)
        };
        for _ in 0..50_000 {
            now += Duration::from_us(next() % 3000);
            while s.deadline() <= now {
                s.on_deadline(now);
                while s.poll(now).is_some() {}
            }
            let edge = |bits: u64, s: &Sender| match bits % 8 {
                0 => bits >> 3,
                1 => s.nxt().saturating_add(bits >> 56),
                2 => s.una().saturating_sub(bits >> 50),
                3 => s.una(),
                _ => s.una() + (bits >> 8) % (s.nxt() - s.una() + 1),
            };
            let blocks: Vec<SackBlock> = (0..next() % 6)
                .map(|_| SackBlock {
                    start: edge(next(), &s),
                    end: edge(next(), &s),
                })
                .collect();
            let ack = if next() % 4 == 0 {
                edge(next(), &s)
            } else {
                s.una()
            };
            let window = if next() % 16 == 0 {
                next() >> (next() % 64)
            } else {
                1 << 20
            };
            if next() % 64 == 0 {
                s.on_ecn_echo();
            }
            s.on_ack(now, ack, window, next() % 2 == 0, &blocks);
            let mut burst = 0;
            while let Some(out) = s.poll(now) {
                burst += 1;
                assert!(burst < 100_000, "no end to what it sends");
                if let Out::Data(d) = out {
                    assert!(d.len > 0 && d.seq + u64::from(d.len) <= s.nxt());
                }
            }
            assert!(s.una() <= s.nxt() && s.in_flight() <= 2 * (s.nxt() - s.una()));
        }
        s.on_ack(now, s.nxt(), 1 << 20, false, &[]);
        assert_eq!((s.in_flight(), s.una()), (0, s.nxt()));
    }
}

/// The ACK that closes the window carries an ECN-Echo, and the one that opens it again is lost: the
/// sender asks, although it is answering the echo.
#[test]
fn a_window_that_closes_on_an_ecn_echo_is_asked_about() {
    let config = Config {
        sack: false,
        timestamps: false,
        receive_window: 1000,
        initial_window: 1,
        amount: Some(32_001),
        recovery: Recovery {
            ecn: true,
            ..config().recovery
        },
        rto: Profile::Bsd1999.rto(),
        quick_acks: 1,
        reading: Reading::Told,
        delayed_ack: DelayedAck {
            every: 2,
            timeout: Duration::from_ms(40),
        },
        ..config()
    };
    let path = Path {
        mark: [8, 37].into(),
        reads: Some((Duration::from_ms(1), 1000)),
        lose: [0, 1, 18].into(),
        lose_acks: [2, 3, 5, 37].into(),
        ..Path::new(Duration::from_ms(1))
    };
    let mut d = Dialogue::new(&config, path);
    d.run_to_end();
    assert_eq!(d.receiver.delivered(), 32_001);
}
