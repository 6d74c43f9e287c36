//! SYN, SYN-ACK, ACK; and what is lost of them.

use farpath_tcp::{Config, Out, Profile, Sender};
use farpath_units::{Duration, Time};

use crate::harness::{Dialogue, Event, Path, RTT, config, ms};

fn sent(d: &Dialogue) -> Vec<(Time, Out)> {
    let sent = d.trace.iter().filter_map(|(at, e)| match e {
        Event::Sent(out) => Some((*at, *out)),
        Event::Acked { .. } => None,
    });
    sent.collect()
}

#[test]
fn data_follows_the_handshakes_own_ack_after_one_round_trip() {
    let mut d = Dialogue::new(
        &Config {
            amount: Some(2000),
            ..config()
        },
        Path::new(RTT),
    );
    d.run_to_end();
    let sent = sent(&d);
    assert_eq!(sent[0], (ms(0), Out::Syn));
    assert_eq!(sent[1], (ms(100), Out::HandshakeAck));
    assert!(matches!(sent[2], (at, Out::Data(s)) if at == ms(100) && s.seq == 0 && s.len == 1000));
    assert_eq!(sent.len(), 4);
    assert_eq!(d.now, ms(200));
    assert_eq!(d.receiver.delivered(), 2000);
    assert_eq!(d.sender.srtt(), Some(RTT));
}

#[test]
fn rfc6298_2_the_syn_gives_the_first_round_trip_sample() {
    let mut d = Dialogue::new(&config(), Path::new(RTT));
    d.run_until(ms(100));
    assert_eq!(d.sender.srtt(), Some(RTT));
    assert_eq!(d.sender.rto(), Duration::from_ms(300));
}

#[test]
fn lost_syns_are_repeated_after_one_two_and_four_seconds() {
    let path = Path {
        lose_syns: 3,
        ..Path::new(RTT)
    };
    let mut d = Dialogue::new(
        &Config {
            amount: Some(5000),
            retries: Profile::Linux5.retries(),
            ..config()
        },
        path,
    );
    d.run_to_end();
    let syns: Vec<Time> = sent(&d)
        .into_iter()
        .filter(|s| s.1 == Out::Syn)
        .map(|s| s.0)
        .collect();
    assert_eq!(syns, [ms(0), ms(1000), ms(3000), ms(7000)]);
    assert_eq!(d.sender.stats().syn_retransmits, 3);
    // More than one lost: the window starts from one segment.
    let data = d.data();
    assert_eq!(data.iter().filter(|s| s.0 == 7100.0).count(), 1);
    assert_eq!(d.receiver.delivered(), 5000);
}

#[test]
fn rfc6298_5_7_after_a_lost_syn_the_first_timeout_for_data_is_three_seconds() {
    let path = Path {
        lose_syn_acks: 1,
        ..Path::new(RTT)
    };
    let config = Config {
        timestamps: false,
        ..config()
    };
    let mut d = Dialogue::new(&config, path);
    d.run_until(ms(1100));
    assert_eq!(d.sender.srtt(), None);
    assert_eq!(d.sender.rto(), Duration::from_secs(3));
    assert_eq!(d.data().len(), 10);
}

#[test]
fn rfc6298_3_timestamps_show_which_syn_was_answered() {
    let path = |lose_syns, lose_syn_acks| Path {
        lose_syns,
        lose_syn_acks,
        ..Path::new(RTT)
    };
    // The second; the first, whose answer was lost; any of three but the first.
    for (path, end, srtt) in [
        (path(1, 0), 1100, Some(RTT)),
        (path(0, 1), 1100, Some(Duration::from_ms(1100))),
        (path(2, 0), 2100, None),
    ] {
        let mut d = Dialogue::new(&config(), path);
        d.run_until(ms(end));
        assert_eq!(d.sender.srtt(), srtt);
    }
}

/// RFC 8985 §7.2, Linux's `tcp_schedule_loss_probe`: a second where nothing was measured.
#[test]
fn without_a_round_trip_the_first_probe_waits_for_a_second() {
    for (timestamps, after_ms) in [(false, 1000), (true, 202)] {
        let config = Config {
            timestamps,
            recovery: Profile::Linux6.recovery(),
            amount: Some(5000),
            ..config()
        };
        let mut s = Sender::new(&config);
        s.open(ms(0));
        assert_eq!(s.poll(ms(0)), Some(Out::Syn));
        s.on_deadline(ms(1000));
        assert_eq!(s.poll(ms(1000)), Some(Out::Syn));
        s.on_syn_ack(ms(1100));
        while s.poll(ms(1100)).is_some() {}
        let mut now = ms(1100);
        while s.stats().tail_probes == 0 {
            now = s.deadline();
            s.on_deadline(now);
            while s.poll(now).is_some() {}
        }
        assert_eq!(now.since(ms(1100)), Duration::from_ms(after_ms));
        assert_eq!((s.stats().retransmits, s.stats().rtos), (1, 0));
    }
}

#[test]
fn a_syn_ack_that_comes_twice_is_acknowledged_twice_and_nothing_else() {
    for timestamps in [true, false] {
        let mut s = Sender::new(&Config {
            timestamps,
            recovery: Profile::Linux6.recovery(),
            ..config()
        });
        s.open(ms(0));
        assert_eq!(s.poll(ms(0)), Some(Out::Syn));
        s.on_syn_ack(ms(100));
        while s.poll(ms(100)).is_some() {}
        let before = (s.srtt(), s.rto(), s.deadline(), s.cwnd_bytes(), s.nxt());
        s.first_syn_answered();
        s.on_syn_ack(ms(150));
        assert_eq!(s.poll(ms(150)), Some(Out::HandshakeAck));
        assert_eq!(s.poll(ms(150)), None);
        let after = (s.srtt(), s.rto(), s.deadline(), s.cwnd_bytes(), s.nxt());
        assert_eq!(before, after);
    }
}

#[test]
fn rfc7323_2_2_the_window_of_a_syn_ack_is_not_scaled() {
    let config = Config {
        mss: 8948,
        initial_window: 10,
        ..config()
    };
    let mut d = Dialogue::new(&config, Path::new(RTT));
    d.run_until(ms(150));
    assert_eq!(d.data().len(), 7); // 62 636 of 65 535 bytes
}

#[test]
fn a_round_trip_longer_than_the_first_timeout_costs_a_second_syn_and_nothing_else() {
    let config = Config {
        amount: Some(100_000),
        ..config()
    };
    let mut d = Dialogue::new(&config, Path::new(Duration::from_ms(1160)));
    d.run_to_end();
    let stats = d.sender.stats();
    assert_eq!(
        (stats.syn_retransmits, stats.rtos, stats.retransmits),
        (1, 0, 0)
    );
    assert_eq!(d.data()[0].0, 1160.0);
    assert_eq!(d.receiver.delivered(), 100_000);
}

/// Instants of all SYNs, and of giving up, where nobody answers.
fn unanswered(profile: Profile) -> (Vec<Time>, Option<Time>) {
    let path = Path {
        lose_syns: u32::MAX,
        ..Path::new(RTT)
    };
    let config = Config {
        retries: profile.retries(),
        rto: profile.rto(),
        ..config()
    };
    let mut d = Dialogue::new(&config, path);
    d.run_until(ms(400_000));
    let syns = sent(&d).into_iter().filter(|s| s.1 == Out::Syn);
    (syns.map(|s| s.0).collect(), d.sender.gave_up())
}

/// ip-sysctl of Linux 6.18: "67 seconds till the last retransmission … the final timeout … will happen after 131 seconds". A live
/// kernel gave up after 134.4 s: its timers are coarse at such lengths.
#[test]
fn a_syn_that_nobody_answers_is_given_up_after_131_seconds() {
    let (syns, gave_up) = unanswered(Profile::Linux6);
    let seconds = [0, 1, 2, 3, 4, 5, 7, 11, 19, 35, 67];
    assert_eq!(syns, seconds.map(|s| ms(s * 1000)));
    assert_eq!(gave_up, Some(ms(131_000)));
}

/// ip-sysctl of Linux 5.15: "the final timeout … will happen after 127 seconds".
#[test]
fn before_linux_6_5_the_timeout_of_a_syn_doubled_from_the_first() {
    let (syns, gave_up) = unanswered(Profile::Linux5);
    assert_eq!(syns, [0, 1, 3, 7, 15, 31, 63].map(|s| ms(s * 1000)));
    assert_eq!(gave_up, Some(ms(127_000)));
}

/// Linux's `tcp_try_undo_spurious_syn`: the SYNs sent again were not needed, and the window is as if they had not been.
#[test]
fn an_answer_to_the_first_syn_that_comes_late_keeps_the_initial_window() {
    for (timestamps, window) in [(true, 10_000), (false, 1000)] {
        let mut s = Sender::new(&Config {
            timestamps,
            ..config()
        });
        let mut now = ms(0);
        s.open(now);
        for n in 0..3 {
            if n > 0 {
                now = s.deadline();
                s.on_deadline(now);
            }
            assert_eq!(s.poll(now), Some(Out::Syn));
            assert_eq!(s.poll(now), None);
        }
        now += Duration::from_ms(100);
        s.first_syn_answered();
        s.on_syn_ack(now);
        assert_eq!(s.cwnd_bytes(), window, "timestamps: {timestamps}");
        let measured = timestamps.then(|| now.since(ms(0)));
        assert_eq!(s.srtt(), measured);
    }
}
