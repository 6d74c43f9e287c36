//! Reductions that were a mistake, and how they are recognised: F-RTO (RFC 5682), D-SACK (RFC 2883,
//! RFC 3708), Eifel (RFC 3522).

use farpath_tcp::{Config, DelayedAck, Flavour, Out, Profile, Recovery, SackBlock, Sender};
use farpath_units::{Duration, Time};

use crate::harness::{Dialogue, Path, RTT, classic, config, ms};

fn with(recovery: Recovery, timestamps: bool) -> Config {
    Config {
        recovery,
        timestamps,
        delayed_ack: DelayedAck {
            every: 1,
            timeout: Duration::from_ms(40),
        },
        initial_window: 40,
        initial_ssthresh: Some(40),
        amount: Some(2_000_000),
        ..config()
    }
}

/// The path stalls for 700 ms: everything comes through, late and at once.
fn stalled(config: &Config) -> Dialogue {
    let path = Path {
        service: Duration::from_us(500),
        stall: Some((ms(1020), ms(1720))),
        ..Path::new(RTT)
    };
    let mut d = Dialogue::new(config, path);
    d.run_until(ms(1000));
    let before = (d.sender.cwnd_bytes(), d.sender.ssthresh_bytes());
    d.run_to_end();
    assert!(
        d.sender.stats().rtos >= 1,
        "the stall is longer than the timer"
    );
    assert_eq!(before.1, 40_000);
    d
}

#[test]
fn without_any_test_a_delay_spike_costs_a_window_of_retransmissions() {
    let d = stalled(&with(classic(), false));
    let stats = d.sender.stats();
    assert!(stats.retransmits > 30, "{}", stats.retransmits);
    assert_eq!(stats.undone, 0);
    assert!(d.sender.ssthresh_bytes() < 40_000);
}

#[test]
fn rfc5682_a_delay_spike_is_told_from_a_loss_by_two_new_segments() {
    for sack in [true, false] {
        let frto = Recovery {
            frto: true,
            ..classic()
        };
        let d = stalled(&Config {
            sack,
            ..with(frto, false)
        });
        let stats = d.sender.stats();
        // One repeated segment for each timeout within the stall.
        assert_eq!(stats.retransmits, stats.rtos, "sack: {sack}");
        assert_eq!(stats.undone, 1, "sack: {sack}");
        assert_eq!(d.sender.ssthresh_bytes(), 40_000);
    }
}

#[test]
fn rfc3522_the_echoed_timestamp_tells_at_the_first_ack() {
    let eifel = Recovery {
        eifel: true,
        ..classic()
    };
    let d = stalled(&with(eifel, true));
    let stats = d.sender.stats();
    assert_eq!((stats.retransmits, stats.undone), (stats.rtos, 1));
    assert_eq!(d.sender.ssthresh_bytes(), 40_000);
}

/// A real loss of everything passes none of the tests.
#[test]
fn a_timeout_for_a_real_loss_stands() {
    for (recovery, timestamps) in [
        (
            Recovery {
                frto: true,
                ..classic()
            },
            false,
        ),
        (
            Recovery {
                eifel: true,
                dsack: true,
                ..classic()
            },
            true,
        ),
    ] {
        let mut d = Dialogue::new(
            &Config {
                receive_window: 40_000,
                ..with(recovery, timestamps)
            },
            Path::new(RTT).losing(200..240),
        );
        d.run_to_end();
        let stats = d.sender.stats();
        assert_eq!((stats.rtos, stats.undone), (1, 0));
        assert!(d.sender.ssthresh_bytes() < 40_000);
        assert_eq!(d.receiver.delivered(), 2_000_000);
    }
}

/// RFC 3708 §2: three SACKs made a loss of what was only overtaken. The repair arrives as a
/// duplicate, is reported, and explains the whole recovery.
#[test]
fn rfc3708_a_recovery_whose_repairs_were_all_duplicates_is_taken_back() {
    let run = |dsack: bool| {
        let recovery = Recovery { dsack, ..classic() };
        let mut path = Path {
            service: Duration::from_ms(2),
            ..Path::new(RTT)
        };
        path.detour.insert(300, Duration::from_ms(20));
        let mut d = Dialogue::new(&with(recovery, false), path);
        d.run_to_end();
        let stats = d.sender.stats();
        assert_eq!((stats.fast_recoveries, stats.retransmits), (1, 1));
        (
            stats.undone,
            stats.duplicates_reported,
            d.sender.ssthresh_bytes(),
        )
    };
    let (undone, reported, ssthresh) = run(true);
    assert_eq!((undone, reported, ssthresh), (1, 1, 40_000));
    let (undone, reported, ssthresh) = run(false);
    assert_eq!((undone, reported), (0, 0));
    assert!(ssthresh < 40_000);
}

/// As in Linux 6.18: where more arrived twice than was sent again, the network makes copies, and D-SACKs explain nothing.
#[test]
fn copies_that_the_network_makes_take_no_reduction_back() {
    let undone = |copies: u64| {
        let recovery = Recovery {
            dsack: true,
            ..classic()
        };
        let mut s = Sender::new(&with(recovery, false));
        s.open(ms(0));
        assert_eq!(s.poll(ms(0)), Some(Out::Syn));
        s.on_syn_ack(ms(100));
        let hear = |s: &mut Sender, at: u64, ack: u64, blocks: &[(u64, u64)]| {
            let sack: Vec<SackBlock> = blocks
                .iter()
                .map(|&(start, end)| SackBlock { start, end })
                .collect();
            s.on_ack(ms(at), ack, 1 << 30, false, &sack);
            while s.poll(ms(at)).is_some() {}
        };
        while s.poll(ms(100)).is_some() {}
        hear(&mut s, 200, 10_000, &[]);
        for n in 0..copies {
            hear(&mut s, 200, 10_000, &[(n * 1000, n * 1000 + 1000)]);
        }
        for end in [12_000, 13_000, 14_000, 15_000] {
            hear(&mut s, 210, 10_000, &[(11_000, end)]);
        }
        assert_eq!(s.stats().retransmits, 1);
        // The original came after all, and then the repair.
        hear(&mut s, 300, 15_000, &[]);
        hear(&mut s, 301, 15_000, &[(10_000, 11_000)]);
        s.stats().undone
    };
    assert_eq!((undone(0), undone(1)), (1, 0));
}

/// Ten segments, of which the last four are SACKed and four of the others are sent again; then the first original is acknowledged,
/// and at `then_ms` three more, which echo a repair or not. Retransmissions and reductions taken back after each of the two.
fn with_repairs_out(flavour: Flavour, then_ms: u64, echo: bool) -> [(u64, u64); 2] {
    let mut s = Sender::new(&Config {
        flavour,
        recovery: Profile::Linux6.recovery(),
        timestamps: true,
        initial_window: 10,
        amount: Some(10_000),
        ..config()
    });
    s.open(ms(0));
    assert_eq!(s.poll(ms(0)), Some(Out::Syn));
    s.on_syn_ack(ms(100));
    while s.poll(ms(100)).is_some() {}
    let hear = |s: &mut Sender, at: u64, ack: u64, echo: bool| {
        let sack = SackBlock {
            start: 6000,
            end: 10_000,
        };
        s.on_ack(ms(at), ack, 1 << 30, echo, &[sack]);
        while s.poll(ms(at)).is_some() {}
        (s.stats().retransmits, s.stats().undone)
    };
    assert_eq!(hear(&mut s, 200, 0, false), (4, 0));
    let first = hear(&mut s, 201, 1000, false);
    [first, hear(&mut s, then_ms, 4000, echo)]
}

/// As in Linux 6.18 (`crates/drill/scripts/kernel-6.18/undo-with-repairs-out.pkt`): with three repairs in flight nothing is taken
/// back, and of the two segments that are still lost none is sent again. The next ACK decides.
#[test]
fn while_repairs_are_in_flight_a_recovery_is_not_taken_back() {
    let originals = with_repairs_out(Flavour::Linux, 206, false);
    assert_eq!(originals, [(4, 0), (4, 1)]);
    let repaired = with_repairs_out(Flavour::Linux, 300, true);
    assert_eq!(repaired, [(4, 0), (6, 0)]);
    let [first, _] = with_repairs_out(Flavour::Rfc, 206, false);
    assert_eq!(first, (4, 1));
}

/// A sender of `config` whose window is on its way, unheard for `timeouts` timeouts; and when the last one came.
fn unheard(config: &Config, timeouts: u64) -> (Sender, Time) {
    let mut s = Sender::new(config);
    s.open(ms(0));
    assert_eq!(s.poll(ms(0)), Some(Out::Syn));
    s.on_syn_ack(ms(100));
    let mut now = ms(100);
    while s.poll(now).is_some() {}
    while s.stats().rtos < timeouts {
        now = s.deadline();
        s.on_deadline(now);
        while s.poll(now).is_some() {}
    }
    (s, now)
}

/// Ten segments and then, if all goes well, ten more; F-RTO alone, with RACK-TLP or without.
fn tested(flavour: Flavour, rack: bool, amount: u64) -> Config {
    let recovery = Recovery {
        frto: true,
        rack,
        ..classic()
    };
    Config {
        flavour,
        initial_window: 10,
        amount: Some(amount),
        ..with(recovery, false)
    }
}

/// As in Linux 6.18 (`crates/drill/scripts/kernel-6.18/frto-original-covered.pkt`): the first ACK after one timeout or several covers
/// what was never sent again, because acknowledgements were lost. What is lost after all is of the same loss.
#[test]
fn an_ack_of_what_was_never_repeated_takes_timeouts_back() {
    for (flavour, timeouts, undone) in [
        (Flavour::Linux, 1, 1),
        (Flavour::Linux, 3, 1),
        (Flavour::Rfc, 1, 0),
        (Flavour::Rfc, 3, 0),
    ] {
        let (mut s, last) = unheard(&tested(flavour, false, 20_000), timeouts);
        let first = s.last_loss().expect("a timeout");
        assert_eq!(first.at, ms(400));
        let now = last + Duration::from_ms(50);
        s.on_ack(now, 6000, 1 << 30, false, &[]);
        while s.poll(now).is_some() {}
        assert_eq!(s.stats().undone, undone, "{flavour:?}, {timeouts}");
        if undone == 0 {
            continue;
        }
        assert!(s.cwnd_bytes() >= 10_000, "{}", s.cwnd_bytes());
        assert_eq!((s.ssthresh_bytes(), s.lost_bytes()), (40_000, 0));
        assert_eq!(s.last_loss().and_then(|loss| loss.regained), Some(now));
        // Ten more left, and the last four of before did not arrive.
        assert_eq!(s.nxt(), 20_000);
        let sack = SackBlock {
            start: 10_000,
            end: 14_000,
        };
        s.on_ack(now + RTT, 6000, 1 << 30, false, &[sack]);
        assert_eq!(s.stats().fast_recoveries, 1);
        let again = s.last_loss().expect("a loss");
        assert_eq!((again.at, again.cuts, again.regained), (ms(400), 2, None));
    }
}

/// Several segments of each window come late, and each cut for one is taken back before the next: nothing was lost, and each is an
/// event by itself. They were one that lasted from the first to the last.
#[test]
fn cuts_that_are_all_taken_back_are_apart() {
    let eifel = Recovery {
        eifel: true,
        ..classic()
    };
    let mut path = Path {
        service: Duration::from_ms(2),
        ..Path::new(RTT)
    };
    for late in (300..700).step_by(23) {
        path.detour.insert(late, Duration::from_ms(20));
    }
    let mut d = Dialogue::new(&with(eifel, true), path);
    d.run_to_end();
    let stats = d.sender.stats();
    assert_eq!(stats.rtos, 0);
    assert!(stats.undone > 3, "{}", stats.undone);
    let last = d.sender.last_loss().expect("a cut");
    let regained = last.regained.expect("it was taken back");
    assert!(regained.since(last.at) < RTT, "{last:?}");
    assert_eq!(last.cuts, 1);
}

/// What a tail loss probe repeated was sent again too: an ACK of it and of what the timer repeated says nothing.
#[test]
fn an_ack_of_what_a_probe_and_the_timer_repeated_takes_nothing_back() {
    for (rack, undone) in [(true, 0), (false, 1)] {
        let (mut s, last) = unheard(&tested(Flavour::Linux, rack, 2000), 2);
        assert_eq!(s.stats().tail_probes, u64::from(rack));
        s.on_ack(last + Duration::from_ms(50), 2000, 1 << 30, false, &[]);
        assert_eq!(s.stats().undone, undone, "rack: {rack}");
    }
}
