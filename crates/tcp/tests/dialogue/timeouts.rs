//! Retransmission timeouts: when fast recovery has nothing to go by.

use farpath_tcp::{Algorithm, Config, DelayedAck, Flavour, Out, Phase, SackBlock, Sender};
use farpath_units::{Duration, Time};

use crate::harness::{Dialogue, Path, RTT, config, ms};

fn ack_each() -> Config {
    Config {
        delayed_ack: DelayedAck {
            every: 1,
            timeout: Duration::from_ms(40),
        },
        ..config()
    }
}

#[test]
fn a_lost_tail_waits_for_the_timer() {
    let config = Config {
        amount: Some(30_000),
        ..ack_each()
    };
    let mut d = Dialogue::new(&config, Path::new(RTT).losing([29]));
    d.run_to_end();
    let stats = d.sender.stats();
    assert_eq!(
        (stats.rtos, stats.fast_recoveries, stats.retransmits),
        (1, 0, 1)
    );
    // Sent at 200 ms with the second round, the last ACK at 300 ms, then SRTT + 200 ms.
    let repair = d
        .data()
        .into_iter()
        .find(|s| s.2)
        .expect("one retransmission");
    assert_eq!((repair.0, repair.1), (600.0, 29));
}

#[test]
fn a_lost_retransmission_waits_for_the_timer_and_reduces_once() {
    let config = Config {
        initial_window: 60,
        initial_ssthresh: Some(60),
        amount: Some(400_000),
        ..ack_each()
    };
    // Transmission 130 is segment 130; its repair is found by a run without the second loss.
    let mut probe = Dialogue::new(&config, Path::new(RTT).losing([130]));
    probe.run_to_end();
    let repair = probe
        .data()
        .iter()
        .position(|s| s.2)
        .expect("one retransmission") as u64;
    let mut d = Dialogue::new(&config, Path::new(RTT).losing([130, repair]));
    d.run_to_end();
    let stats = d.sender.stats();
    assert_eq!((stats.fast_recoveries, stats.rtos), (1, 1));
    assert_eq!(d.retransmitted()[..2], [130, 130]);
    // RFC 6675 §5.1: what is in flight at the timeout counts as lost and is repeated too; that is
    // half a window, because recovery kept sending.
    assert!(
        (2..=33).contains(&stats.retransmits),
        "{}",
        stats.retransmits
    );
    assert_eq!(d.receiver.delivered(), 400_000);
    assert_eq!(d.sender.ssthresh_bytes(), probe.sender.ssthresh_bytes());
}

#[test]
fn a_lost_window_is_resent_by_slow_start() {
    let config = Config {
        initial_window: 16,
        initial_ssthresh: Some(1000),
        amount: Some(16_000),
        ..ack_each()
    };
    let mut d = Dialogue::new(&config, Path::new(RTT).losing(0..16));
    d.run_until(ms(401));
    assert_eq!(d.sender.phase(), Phase::Loss);
    assert_eq!(d.sender.cwnd_bytes(), 1000);
    assert_eq!(d.sender.ssthresh_bytes(), 8000);
    d.run_to_end();
    let resent: Vec<f64> = d.data().iter().filter(|s| s.2).map(|s| s.0).collect();
    let at = |t: f64| resent.iter().filter(|r| **r == t).count();
    // One, two, four, then on to ssthresh; the first timeout is the SYN sample's SRTT + 4·RTTVAR.
    assert_eq!((at(400.0), at(500.0), at(600.0), at(700.0)), (1, 2, 4, 8));
    assert_eq!(d.receiver.delivered(), 16_000);
    assert_eq!(d.sender.stats().retransmits, 16);
}

#[test]
fn rfc6298_5_5_the_timer_doubles_and_ssthresh_falls_once() {
    // The first segment and its first three repairs are lost, and nothing else is sent.
    let config = Config {
        initial_window: 8,
        amount: Some(1000),
        ..ack_each()
    };
    let mut d = Dialogue::new(&config, Path::new(RTT).losing(0..4));
    d.run_to_end();
    let times: Vec<f64> = d.data().iter().map(|s| s.0).collect();
    assert_eq!(times, [100.0, 400.0, 1000.0, 2200.0, 4600.0]);
    assert_eq!(d.sender.stats().rtos, 4);
    // Karn: the repaired segment gives no sample without its timestamp; with it, it does.
    assert_eq!(d.sender.rto(), Duration::from_ms(300));
    let mut d = Dialogue::new(
        &Config {
            timestamps: false,
            ..config
        },
        Path::new(RTT).losing(0..4),
    );
    d.run_to_end();
    assert_eq!(d.sender.rto(), Duration::from_ms(300 * 16));
}

#[test]
fn cubic_grows_again_after_a_timeout() {
    let config = Config {
        algorithm: Algorithm::Cubic,
        initial_window: 60,
        initial_ssthresh: Some(60),
        ..ack_each()
    };
    let mut d = Dialogue::new(&config, Path::new(RTT).losing(60..120));
    d.run_until(ms(10_000));
    assert!(d.sender.stats().rtos >= 1);
    assert_eq!(d.sender.phase(), Phase::Avoidance);
    assert!(d.sender.cwnd_bytes() > d.sender.ssthresh_bytes());
}

#[test]
fn stopping_ends_the_stream_at_what_was_sent() {
    let mut d = Dialogue::new(&ack_each(), Path::new(RTT).losing([25]));
    d.run_until(ms(250));
    d.sender.stop(d.now);
    let sent = d.sender.nxt();
    assert!(!d.sender.done());
    d.run_to_end();
    assert_eq!(d.sender.nxt(), sent);
    assert_eq!(d.receiver.delivered(), sent);
    assert_eq!(d.sender.deadline(), farpath_units::Time::MAX);
}

/// Polls until there is no more to send: how many data segments left, and bytes of the last.
fn sends(s: &mut Sender, at: Time) -> (usize, u32) {
    let mut sent = (0, 0);
    while let Some(out) = s.poll(at) {
        if let Out::Data(d) = out {
            sent = (sent.0 + 1, d.len);
        }
    }
    sent
}

fn established(config: &Config) -> Sender {
    let mut s = Sender::new(config);
    s.open(Time::ZERO);
    assert_eq!(s.poll(Time::ZERO), Some(Out::Syn));
    s.on_syn_ack(ms(100));
    s
}

/// RFC 5681 §3.1 and Linux 6.18 (`tcp_may_raise_cwnd`, `crates/drill/scripts/kernel-6.18/timeout-sacks.pkt`): the window grows by
/// what is acknowledged. While a repair is missing that left after the timeout, SACKs let one segment go for each that arrived.
#[test]
fn after_a_timeout_sacks_alone_open_no_window() {
    for flavour in [Flavour::Rfc, Flavour::Linux] {
        let mut s = established(&Config {
            flavour,
            initial_window: 10,
            ..ack_each()
        });
        assert_eq!(sends(&mut s, ms(100)), (10, 1000));
        let due = s.deadline();
        s.on_deadline(due);
        assert_eq!(sends(&mut s, due), (1, 1000));
        let at = |n: u64| due + Duration::from_ms(n);
        s.on_ack(at(100), 1000, 1 << 30, true, &[]);
        assert_eq!((s.phase(), s.cwnd_bytes()), (Phase::Loss, 2000));
        assert_eq!(sends(&mut s, at(100)), (2, 1000));
        // The second repair and those behind it arrive, the first does not.
        for n in 2..6 {
            let sack = SackBlock {
                start: 2000,
                end: (n + 1) * 1000,
            };
            s.on_ack(at(n * 100), 1000, 1 << 30, true, &[sack]);
            assert_eq!((s.phase(), s.cwnd_bytes()), (Phase::Loss, 2000));
            assert_eq!(sends(&mut s, at(n * 100)), (1, 1000));
        }
        // It does after all.
        s.on_ack(at(600), 6000, 1 << 30, true, &[]);
        assert_eq!((s.phase(), s.cwnd_bytes()), (Phase::Loss, 3000));
    }
}

/// RFC 2018 §8: an ACK that ends where SACKed bytes begin shows that the receiver took SACKs back. Linux sends all again half of a round
/// trip later (`tcp_check_sack_reneging`), the RFCs at the timeout; where a hole follows both wait for the timeout.
#[test]
fn what_a_receiver_takes_back_is_sent_again() {
    for flavour in [Flavour::Linux, Flavour::Rfc] {
        for (sacked_from, taken_back) in [(1000, true), (2000, false)] {
            let mut s = established(&Config {
                flavour,
                amount: Some(8000),
                ..ack_each()
            });
            assert_eq!(sends(&mut s, ms(100)), (8, 1000));
            let sacked = SackBlock {
                start: sacked_from,
                end: 8000,
            };
            s.on_ack(ms(200), 0, 1 << 30, false, &[sacked]);
            sends(&mut s, ms(200));
            s.on_ack(ms(300), 1000, 1 << 30, true, &[]);
            let wait = match flavour == Flavour::Linux && taken_back {
                true => Duration::from_ms(50),
                false => s.rto(),
            };
            let due = s.deadline();
            assert_eq!(due, ms(300) + wait, "{flavour:?}, from {sacked_from}");
            if taken_back {
                s.on_deadline(due);
                assert_eq!((sends(&mut s, due), s.stats().rtos), ((1, 1000), 1));
            }
        }
    }
}

/// A closed window opens by less than a segment, which is as much as the last one needs: it leaves
/// with a retransmission timer of its own, not with the persist timer's.
#[test]
fn a_short_last_segment_after_a_closed_window_is_repaired() {
    let mut s = established(&Config {
        receive_window: 1000,
        amount: Some(1700),
        ..ack_each()
    });
    assert_eq!(sends(&mut s, ms(100)), (1, 1000));
    s.on_ack(ms(200), 1000, 0, false, &[]);
    assert_eq!(sends(&mut s, ms(200)), (0, 0));
    assert!(s.deadline() < Time::MAX, "the closed window is asked about");
    s.on_ack(ms(250), 1000, 800, false, &[]);
    assert_eq!(sends(&mut s, ms(250)), (1, 700));
    assert_eq!(s.deadline(), ms(250) + s.rto());
    let due = s.deadline();
    s.on_deadline(due);
    assert_eq!((sends(&mut s, due), s.stats().rtos), ((1, 700), 1));
}

/// The answer to the first of two retransmissions comes after the second left. Its echo tells it
/// from the original's, not from the second's: no round trip of 30 ms on a path of 100.
#[test]
fn an_answer_sooner_than_any_round_trip_measures_nothing() {
    let mut s = established(&Config {
        amount: Some(2000),
        initial_window: 1,
        ..ack_each()
    });
    assert_eq!(sends(&mut s, ms(100)), (1, 1000));
    for _ in 0..2 {
        let due = s.deadline();
        s.on_deadline(due);
        assert_eq!(sends(&mut s, due), (1, 1000));
    }
    // Sent again at 400 and at 1000 ms.
    s.on_ack(ms(1030), 1000, 1 << 30, true, &[]);
    assert_eq!(s.rtt_min(), Some(RTT));
    assert_eq!(s.rtt_latest(), Some(RTT));
    // Karn: the back-off stays until something is measured.
    assert_eq!(s.rto(), Duration::from_ms(1200));
    assert_eq!(sends(&mut s, ms(1030)).0, 1);
    s.on_ack(ms(1130), 2000, 1 << 30, false, &[]);
    assert_eq!(s.rtt_latest(), Some(RTT));
    assert!(s.rto() < Duration::from_ms(400));
}

/// Linux gives up at the first timeout that comes 924.6 s or later after the first retransmission (`tcp_retries2` = 15).
#[test]
fn a_path_that_falls_silent_is_given_up_after_fifteen_minutes() {
    let mut d = Dialogue::new(&ack_each(), Path::new(RTT).losing(100..100_000));
    d.run_until(ms(3_000_000));
    let gave_up = d.sender.gave_up().expect("nobody answers");
    let again: Vec<f64> = d.data().iter().filter(|s| s.2).map(|s| s.0).collect();
    let silent = gave_up.as_secs_f64() - again[0] / 1e3;
    assert!((924.6..924.6 + 120.0).contains(&silent), "{silent}");
    // The last retransmission had its two minutes, and the one before was too early to give up.
    let last = again[again.len() - 1] / 1e3;
    assert!((gave_up.as_secs_f64() - last - 120.0).abs() < 1e-6);
    assert!(last - again[0] / 1e3 < 924.6);
    assert_eq!(d.sender.deadline(), Time::MAX);
    assert!(d.sender.was_open());
    // What comes too late is ignored, and nothing is sent any more.
    let acks = d.sender.stats().ignored_acks;
    d.sender.on_ack(d.now, 50_000, 1 << 20, false, &[]);
    d.sender.write(d.now, 1000);
    assert_eq!(d.sender.poll(d.now), None);
    assert_eq!(d.sender.stats().ignored_acks, acks + 1);
}
