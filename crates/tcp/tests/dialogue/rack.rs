//! RACK-TLP (RFC 8985): losses by time, reordering, lost retransmissions, silent tails.

use farpath_tcp::{Config, DelayedAck, Flavour, Out, Profile, Sender};
use farpath_units::Duration;

use crate::harness::{Dialogue, Path, RTT, config, ms};

fn rack() -> Config {
    Config {
        recovery: Profile::Linux6.recovery(),
        delayed_ack: DelayedAck {
            every: 1,
            timeout: Duration::from_ms(40),
        },
        ..config()
    }
}

/// A window of 60 segments, sent evenly over the round trip once the bottleneck has spaced them.
fn spaced(config: &Config) -> (Config, Path) {
    let config = Config {
        initial_window: 60,
        initial_ssthresh: Some(60),
        amount: Some(600_000),
        ..config.clone()
    };
    let path = Path {
        service: Duration::from_us(1500),
        ..Path::new(RTT)
    };
    (config, path)
}

#[test]
fn a_single_loss_costs_one_retransmission_and_one_reduction() {
    let (config, path) = spaced(&rack());
    let mut d = Dialogue::new(&config, path.losing([200]));
    d.run_to_end();
    let stats = d.sender.stats();
    assert_eq!(d.retransmitted(), [200]);
    assert_eq!(
        (stats.fast_recoveries, stats.rtos, stats.tail_probes),
        (1, 0, 0)
    );
}

/// RFC 6675 has no rule for it and waits for the timer; here what was sent after the repair is
/// delivered a round trip later, and the repair was not.
#[test]
fn a_lost_retransmission_is_found_without_a_timeout() {
    let (config, path) = spaced(&rack());
    let mut probe = Dialogue::new(&config, path.clone().losing([200]));
    probe.run_to_end();
    let repair = probe.data().iter().position(|s| s.2).expect("a repair") as u64;
    let mut d = Dialogue::new(&config, path.clone().losing([200, repair]));
    d.run_to_end();
    let stats = d.sender.stats();
    assert_eq!(d.retransmitted(), [200, 200]);
    assert_eq!((stats.fast_recoveries, stats.rtos), (1, 0));
    let times: Vec<f64> = d.data().iter().filter(|s| s.2).map(|s| s.0).collect();
    let round_trips = (times[1] - times[0]) / 100.0;
    assert!((1.0..1.3).contains(&round_trips), "{round_trips}");
    // Again and again: each costs another round trip, and no timeout.
    let mut lost = vec![200, repair];
    for n in 2..6 {
        let mut d = Dialogue::new(&config, path.clone().losing(lost.clone()));
        d.run_to_end();
        assert_eq!(d.retransmitted(), vec![200; n], "{n}");
        assert_eq!(d.sender.stats().rtos, 0, "{n}");
        let data = d.data();
        let last = data.iter().rposition(|s| s.2).expect("a repair");
        lost.push(last as u64);
    }
}

#[test]
fn reordering_is_tolerated_once_it_has_been_seen() {
    // Segments are 1.5 ms apart; some are overtaken by a dozen others, which is less than a quarter
    // of the round trip. The first time three SACKs mean a loss, and the original's arrival shows
    // the mistake.
    let (config, mut path) = spaced(&rack());
    for n in [150, 250, 350, 450] {
        path.detour.insert(n, Duration::from_ms(18));
    }
    let mut d = Dialogue::new(&config, path.clone());
    d.run_to_end();
    let stats = d.sender.stats();
    assert_eq!((stats.fast_recoveries, stats.rtos), (1, 0));
    assert_eq!(d.retransmitted(), [150]);
    assert_eq!(stats.undone, 1);
    assert_eq!(d.sender.ssthresh_bytes(), 60_000);
    // By count each of them is a loss.
    let mut by_count = Dialogue::new(
        &Config {
            recovery: crate::harness::classic(),
            ..config
        },
        path,
    );
    by_count.run_to_end();
    assert_eq!(by_count.retransmitted().len(), 4);
    assert_eq!(by_count.sender.stats().fast_recoveries, 4);
}

#[test]
fn rfc8985_7_a_silent_tail_is_probed_after_two_round_trips() {
    // The last of 30 segments is lost; the probe repeats it and is the repair.
    let config = Config {
        amount: Some(30_000),
        ..rack()
    };
    let mut d = Dialogue::new(&config, Path::new(RTT).losing([29]));
    d.run_to_end();
    let stats = d.sender.stats();
    assert_eq!((stats.rtos, stats.tail_probes), (0, 1));
    assert_eq!(d.retransmitted(), [29]);
    // The last ACK of others comes at 300 ms; one segment is left, so the receiver's 200 ms count.
    let probe = d.data().into_iter().find(|s| s.2).expect("a probe");
    assert_eq!(probe.0, 600.0); // SRTT + 200 ms is earlier: then the probe comes in the timer's place
}

#[test]
fn rfc8985_7_a_lost_tail_of_several_is_repaired_by_fast_recovery() {
    let config = Config {
        amount: Some(30_000),
        ..rack()
    };
    let mut d = Dialogue::new(&config, Path::new(RTT).losing([26, 27, 28, 29]));
    d.run_to_end();
    let stats = d.sender.stats();
    assert_eq!(
        (stats.rtos, stats.tail_probes, stats.fast_recoveries),
        (0, 1, 1)
    );
    assert_eq!(d.retransmitted(), [29, 26, 27, 28]);
    let probe = d.data().into_iter().find(|s| s.2).expect("a probe");
    assert_eq!(probe.0, 502.0); // two round trips and 2 ms after 300 ms
    assert_eq!(d.sender.ssthresh_bytes(), 2000); // Four segments were in flight.
}

/// From the 1500th segment on nothing arrives. The timer that bounds the probe counts from the last ACK by RFC 6298, and in Linux from when
/// the first segment in flight was sent: a round trip of 580 ms sooner.
#[test]
fn rfc8985_7_2_the_timer_that_bounds_a_probe_counts_from_the_head_in_linux() {
    for flavour in [Flavour::Rfc, Flavour::Linux] {
        let (config, path) = spaced(&rack());
        let config = Config {
            flavour,
            amount: Some(2_000_000),
            ..config
        };
        let path = Path {
            delay: Duration::from_ms(290),
            ..path
        };
        let mut d = Dialogue::new(&config, path.losing(1500..1800));
        while d.sender.stats().tail_probes == 0 {
            assert!(d.step(), "a probe comes first");
        }
        let sent: Vec<f64> = d.data().iter().map(|s| s.0).collect();
        let [.., last, probe] = sent[..] else {
            panic!("{} segments", sent.len());
        };
        let from = match flavour {
            Flavour::Rfc => last,
            Flavour::Linux => sent[1500],
        };
        // A round trip with the bottleneck's 1.5 ms, and 200 ms.
        let wait = probe - from;
        assert!((wait - 781.5).abs() < 5.0, "{flavour:?}: {wait}");
    }
}

/// A probe that repairs the only loss is noticed by nobody else: it costs a reduction (RFC 8985 §7.4)
/// when later data is acknowledged without a D-SACK; one that was not needed costs nothing.
#[test]
fn rfc8985_7_4_a_probe_that_repaired_a_loss_reduces_the_window() {
    for (lost, reduced) in [(vec![29], 1), (vec![], 0)] {
        let mut path = Path::new(RTT).losing(lost);
        // Without a loss the ACKs of the tail are late instead.
        path.lose_acks = if reduced == 1 {
            [].into()
        } else {
            (29..30).collect()
        };
        let mut d = Dialogue::new(
            &Config {
                amount: Some(30_000),
                ..rack()
            },
            path,
        );
        d.run_until(ms(800));
        assert_eq!(d.sender.stats().tail_probes, 1);
        d.sender.write(d.now, 5_000);
        d.pump();
        d.run_to_end();
        let stats = d.sender.stats();
        assert_eq!((stats.probe_repairs, stats.rtos), (reduced, 0));
        assert_eq!(d.receiver.delivered(), 35_000);
    }
}

#[test]
fn a_lost_flight_is_repaired_by_a_probe_and_a_timeout_repeats_only_what_is_overdue() {
    let (config, path) = spaced(&rack());
    let config = Config {
        receive_window: 60_000,
        ..config
    };
    let lost = 200..260;
    let mut d = Dialogue::new(&config, path.clone().losing(lost.clone()));
    d.run_to_end();
    let stats = d.sender.stats();
    assert_eq!((stats.rtos, stats.tail_probes), (0, 1));
    assert_eq!(stats.retransmits, 60);
    // The probe is lost too: now the timer is needed. RFC 6675 would then repeat all in flight.
    let probe = d.data().iter().position(|s| s.2).expect("a probe") as u64;
    let mut d = Dialogue::new(&config, path.losing(lost.chain([probe])));
    d.run_to_end();
    let stats = d.sender.stats();
    assert_eq!((stats.rtos, stats.tail_probes), (1, 1));
    assert_eq!(stats.retransmits, 61);
    assert_eq!(d.receiver.delivered(), 600_000);
}

/// RFC 8985 §7.3: the segment that was sent last, as it was sent.
#[test]
fn a_probe_repeats_the_last_segment_with_its_own_bounds() {
    // Full segments and a short one behind them; a short one and a full one behind it; two short ones.
    for (writes, last) in [
        ([4000, 300], (4000, 300)),
        ([300, 1000], (300, 1000)),
        ([300, 200], (300, 200)),
    ] {
        let mut s = Sender::new(&Config {
            amount: Some(0),
            ..rack()
        });
        s.open(ms(0));
        assert_eq!(s.poll(ms(0)), Some(Out::Syn));
        s.on_syn_ack(ms(100));
        assert_eq!(s.poll(ms(100)), Some(Out::HandshakeAck));
        for bytes in writes {
            s.write(ms(100), bytes);
            while s.poll(ms(100)).is_some() {}
        }
        let mut probe = None;
        while s.stats().tail_probes == 0 {
            let now = s.deadline();
            s.on_deadline(now);
            probe = s.poll(now);
        }
        let Some(Out::Data(probe)) = probe else {
            panic!("{probe:?} where a probe was due");
        };
        assert_eq!((probe.seq, u64::from(probe.len)), last);
        assert!(probe.retransmit);
    }
}

/// RFC 8985 §6.2 step 2: after a timeout that was a mistake the original is acknowledged, later than the smallest round trip after
/// the retransmission. With an echoed timestamp by the RFC's rules nothing sent before that is lost.
#[test]
fn rfc8985_6_2_an_echo_of_the_original_says_nothing_of_the_retransmission() {
    for (echo, repeats) in [(false, false), (true, true)] {
        let mut s = Sender::new(&Config {
            flavour: Flavour::Rfc,
            timestamps: true,
            amount: Some(20_000),
            ..rack()
        });
        s.open(ms(0));
        assert_eq!(s.poll(ms(0)), Some(Out::Syn));
        s.on_syn_ack(ms(100));
        while s.poll(ms(100)).is_some() {}
        let mut now = ms(100);
        while s.stats().rtos == 0 {
            now = s.deadline();
            s.on_deadline(now);
            while s.poll(now).is_some() {}
        }
        assert_eq!(s.stats().retransmits, 1);
        now += RTT.times(2);
        s.on_ack(now, 1000, 1 << 30, echo, &[]);
        assert_eq!(s.lost_bytes() > 0, repeats);
        while s.poll(now).is_some() {}
        assert!(s.stats().retransmits == 1 || repeats);
    }
}
