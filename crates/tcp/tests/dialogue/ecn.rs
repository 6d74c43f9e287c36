//! ECN (RFC 3168 §6.1): marks, echoes, one reduction per window of data.

use farpath_tcp::{Algorithm, Config, DelayedAck, Flavour, Profile, Receiver, Recovery, Sender};
use farpath_units::Duration;

use crate::harness::{Dialogue, Path, RTT, config, ms};

fn ecn(on: bool) -> Config {
    Config {
        recovery: Recovery {
            ecn: on,
            ..Profile::Linux6.recovery()
        },
        delayed_ack: DelayedAck {
            every: 1,
            timeout: Duration::from_ms(40),
        },
        initial_window: 40,
        initial_ssthresh: Some(40),
        amount: Some(1_000_000),
        ..config()
    }
}

#[test]
fn rfc3168_6_1_2_a_window_with_marks_is_reduced_once_and_nothing_is_sent_again() {
    // A mark, three in the same window, then one three round trips later.
    let path = Path {
        mark: [200, 201, 210, 220, 400].into(),
        service: Duration::from_us(500),
        ..Path::new(RTT)
    };
    let mut d = Dialogue::new(&ecn(true), path.clone());
    d.run_to_end();
    let stats = d.sender.stats();
    assert_eq!((stats.ecn_reductions, stats.retransmits), (2, 0));
    assert_eq!((stats.fast_recoveries, stats.rtos), (0, 0));
    assert_eq!(d.receiver.delivered(), 1_000_000);

    let mut off = Dialogue::new(&ecn(false), path);
    off.run_to_end();
    assert_eq!(off.sender.stats().ecn_reductions, 0);
}

#[test]
fn rfc3168_6_1_2_the_window_comes_down_to_ssthresh() {
    let path = Path {
        mark: [200].into(),
        service: Duration::from_us(500),
        ..Path::new(RTT)
    };
    let mut d = Dialogue::new(&ecn(true), path);
    while d.sender.stats().ecn_reductions == 0 {
        assert!(d.step());
    }
    let flight = d.sender.nxt() - d.sender.una();
    assert!((d.sender.ssthresh_bytes() as i64 - flight as i64 / 2).abs() <= 1000);
    let at = d.now;
    d.run_until(at + Duration::from_ms(130));
    let over = d.sender.cwnd_bytes() as i64 - d.sender.ssthresh_bytes() as i64;
    assert!((0..=2000).contains(&over), "{over}");
}

/// The ACK that carries the echo grows nothing, and the window before it is halved: ten in flight, six of them acknowledged.
#[test]
fn rfc3168_6_1_2_the_echo_comes_before_growth() {
    for flavour in [Flavour::Rfc, Flavour::Linux] {
        let mut s = Sender::new(&Config {
            flavour,
            initial_window: 10,
            initial_ssthresh: None,
            ..ecn(true)
        });
        s.open(ms(0));
        while s.poll(ms(0)).is_some() {}
        s.on_syn_ack(ms(100));
        while s.poll(ms(100)).is_some() {}
        assert_eq!(s.nxt(), 10_000);
        s.on_ecn_echo();
        s.on_ack(ms(200), 6_000, 1 << 20, false, &[]);
        let windows = (s.cwnd_bytes(), s.ssthresh_bytes());
        assert_eq!(windows, (5_000, 5_000), "{flavour:?}");
    }
}

/// Without SACK an ACK within the answer shows no hole: nothing is lost, and nothing goes again.
#[test]
fn without_sack_the_answer_sends_nothing_again() {
    let path = Path {
        mark: [200].into(),
        service: Duration::from_us(500),
        ..Path::new(RTT)
    };
    let config = Config {
        sack: false,
        ..ecn(true)
    };
    let mut d = Dialogue::new(&config, path);
    d.run_to_end();
    let stats = d.sender.stats();
    assert_eq!((stats.ecn_reductions, stats.retransmits), (1, 0));
    assert_eq!(d.receiver.delivered(), 1_000_000);
}

#[test]
fn rfc3168_6_1_3_the_echo_lasts_until_the_sender_says_it_reduced() {
    let mut r = Receiver::new(&ecn(true));
    r.on_syn(ms(0));
    assert!(r.poll(ms(0)).is_some_and(|a| !a.ecn_echo));
    let echoes: Vec<bool> = [
        (false, false),
        (true, false),
        (false, false),
        (false, true),
        (false, false),
        (true, true),
        (false, false),
    ]
    .iter()
    .enumerate()
    .map(|(n, (ce, cwr))| {
        r.on_ecn(*ce, *cwr);
        r.on_data(ms(1), 1000 * n as u64, 1000, false);
        r.poll(ms(1)).expect("one by one").ecn_echo
    })
    .collect();
    assert_eq!(echoes, [false, true, true, false, false, true, true]);
}

/// Every second segment is acknowledged, and each acknowledgement is for segments alike: what is held back leaves before one that is marked
/// otherwise comes in. The sender's CWR ends nothing.
#[test]
fn rfc8257_3_2_an_acknowledgement_is_for_segments_that_are_marked_alike() {
    let config = ecn(true);
    let mut r = Receiver::new(&Config {
        algorithm: Algorithm::Dctcp,
        delayed_ack: DelayedAck {
            every: 2,
            ..config.delayed_ack
        },
        ..config
    });
    r.on_syn(ms(0));
    r.poll(ms(0)).expect("a SYN-ACK");
    let mut said = Vec::new();
    let marks = [false, true, true, true, false, false, false, true];
    for (n, ce) in marks.into_iter().enumerate() {
        if r.parts_marks(ce) {
            said.extend(r.poll(ms(1)).map(|a| (a.ack, a.ecn_echo)));
        }
        r.on_ecn(ce, n == 2);
        r.on_data(ms(1), 1000 * n as u64, 1000, false);
        said.extend(r.poll(ms(1)).map(|a| (a.ack, a.ecn_echo)));
    }
    let wanted = [
        (1000, false),
        (3000, true),
        (4000, true),
        (6000, false),
        (7000, false),
    ];
    assert_eq!(said, wanted);
}
