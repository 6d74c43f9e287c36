//! The ways a window comes down, on the example of RFC 6937 (obsoleted by RFC 9937); limited transmit; NewReno; old timers.

use farpath_tcp::{
    Algorithm, Config, DelayedAck, Flavour, Out, Phase, Profile, Recovery, Reduction, SackBlock,
    Sender, SlowStart,
};
use farpath_units::{Duration, Time};

use crate::harness::{Dialogue, Path, RTT, classic, config, ms};

fn ack_each(recovery: Recovery) -> Config {
    Config {
        recovery,
        delayed_ack: DelayedAck {
            every: 1,
            timeout: Duration::from_ms(40),
        },
        ..config()
    }
}

/// Segment 400 is lost in slow start, at a window of some 400, of which the filters have some 40 yet. Linux's Westwood+ halves for the
/// repair and takes its estimate behind it, in whole segments. The document's takes it at once.
#[test]
fn linux_westwood_takes_its_estimate_behind_the_repair() {
    for (flavour, repairs_at_half) in [(Flavour::Linux, true), (Flavour::Rfc, false)] {
        let config = Config {
            algorithm: Algorithm::Westwood,
            flavour,
            slow_start: SlowStart::Standard,
            ..ack_each(classic())
        };
        let mut d = Dialogue::new(&config, Path::new(RTT).losing([400]));
        while d.sender.phase() != Phase::Recovery {
            assert!(d.step());
        }
        let during = d.sender.ssthresh_bytes();
        assert_eq!(during > 150_000, repairs_at_half, "{flavour:?}: {during}");
        while d.sender.phase() == Phase::Recovery {
            assert!(d.step());
        }
        let (cwnd, after) = (d.sender.cwnd_bytes(), d.sender.ssthresh_bytes());
        assert!((10_000..150_000).contains(&after), "{flavour:?}: {after}");
        assert!(
            (after..=after + 1000).contains(&cwnd),
            "{flavour:?}: {cwnd}"
        );
        if repairs_at_half {
            assert_eq!(after % 1000, 0, "{after}");
        } else {
            assert_eq!(after, during);
        }
    }
}

/// RFC 6937 §3.1 (obsoleted by RFC 9937): cwnd = FlightSize = 20, ssthresh 10, `lost` of the first
/// segments are lost, and one SACK a segment comes back. What leaves at each ACK.
fn leaves(recovery: Recovery, lost: u64) -> String {
    let mut s = Sender::new(&Config {
        initial_window: 20,
        ..ack_each(recovery)
    });
    s.open(Time::ZERO);
    s.poll(Time::ZERO);
    s.on_syn_ack(ms(100));
    while s.poll(ms(100)).is_some() {}
    assert_eq!(s.nxt(), 20_000);
    let mut line = String::new();
    for n in lost..20 {
        let now = ms(200) + Duration::from_us(n);
        let (start, end) = (lost * 1000, (n + 1) * 1000);
        s.on_ack(now, 0, 1 << 30, false, &[SackBlock { start, end }]);
        let mut sent = String::new();
        while let Some(Out::Data(d)) = s.poll(now) {
            sent.push(if d.retransmit { 'R' } else { 'N' });
        }
        line += if sent.is_empty() { "-" } else { &sent };
        line.push(' ');
    }
    assert_eq!(s.ssthresh_bytes(), 10_000);
    line.trim_end().to_string()
}

fn reducing(reduction: Reduction) -> Recovery {
    Recovery {
        reduction,
        ..classic()
    }
}

/// The rows of that section: `rfc6675` sends nothing until half the window is gone and then one for
/// one; rate halving and PRR one for every two. The printed `rfc6675` row sends its first new segment
/// at a pipe of 10, which is cwnd: RFC 6675's own rule (cwnd − pipe ≥ 1 SMSS) allows it at 9, an ACK
/// later, and is followed here.
#[test]
fn rfc6937_3_1_single_loss() {
    assert_eq!(
        leaves(reducing(Reduction::AtOnce), 1),
        "N N R - - - - - - - - - N N N N N N N"
    );
    assert_eq!(
        leaves(reducing(Reduction::RateHalving), 1),
        "N N R - N - N - N - N - N - N - N - N"
    );
    let proportional = "N N R - N - N - N - N - N - N - N - -";
    for how in [
        Reduction::Prr,
        Reduction::PrrConservative,
        Reduction::PrrSlowStart,
    ] {
        assert_eq!(leaves(reducing(how), 1), proportional);
    }
    // RACK finds the loss at the same ACK.
    let rack = Recovery {
        rack: true,
        ..reducing(Reduction::Prr)
    };
    assert_eq!(leaves(rack, 1), proportional);
}

/// Its second example: 15 of 20 are lost, so that pipe falls far below ssthresh at once.
/// RFC 6675 then sends ssthresh − pipe in one burst; the conservative bound one for one; the
/// slow-start bound one more than is delivered; RFC 9937 like the conservative one as long as una
/// does not move.
#[test]
fn rfc6937_3_1_burst_loss() {
    assert_eq!(leaves(reducing(Reduction::AtOnce), 15), "N N RRRRRR R R");
    assert_eq!(
        leaves(reducing(Reduction::PrrConservative), 15),
        "N N R R R"
    );
    assert_eq!(leaves(reducing(Reduction::Prr), 15), "N N R R R");
    assert_eq!(
        leaves(reducing(Reduction::PrrSlowStart), 15),
        "N N RR RR RR"
    );
}

#[test]
fn rfc3042_limited_transmit_sends_a_new_segment_for_each_of_the_first_two_duplicates() {
    let without = Recovery {
        newreno: true,
        limited_transmit: false,
        ..reducing(Reduction::Prr)
    };
    assert!(leaves(without, 1).starts_with("- - R"));
    assert!(leaves(reducing(Reduction::Prr), 1).starts_with("N N R"));
    // A window of four with the first lost: three duplicates come anyway. Of three, only with it.
    for (window, limited, rtos) in [(4, false, 0), (3, false, 1), (3, true, 0)] {
        let recovery = Recovery {
            limited_transmit: limited,
            ..reducing(Reduction::Prr)
        };
        let mut d = Dialogue::new(
            &Config {
                initial_window: window,
                initial_ssthresh: Some(2),
                amount: Some(20_000),
                ..ack_each(recovery)
            },
            Path::new(RTT).losing([0]),
        );
        d.run_to_end();
        assert_eq!(d.sender.stats().rtos, rtos, "{window} {limited}");
    }
}

/// RFC 6582 §3.2: each partial ACK releases the next hole, one a round trip, in one recovery.
#[test]
fn rfc6582_3_2_newreno_repairs_a_hole_a_round_trip_whatever_the_reduction() {
    for reduction in [Reduction::AtOnce, Reduction::RateHalving, Reduction::Prr] {
        let lost = [300, 303, 311, 320];
        let mut d = Dialogue::new(
            &Config {
                sack: false,
                initial_window: 60,
                initial_ssthresh: Some(60),
                receive_window: 60_000,
                amount: Some(600_000),
                ..ack_each(reducing(reduction))
            },
            Path {
                service: Duration::from_us(500),
                ..Path::new(RTT).losing(lost)
            },
        );
        d.run_to_end();
        assert_eq!(d.retransmitted(), lost, "{reduction:?}");
        let stats = d.sender.stats();
        assert_eq!((stats.fast_recoveries, stats.rtos), (1, 0));
        let at: Vec<f64> = d.data().iter().filter(|s| s.2).map(|s| s.0).collect();
        for pair in at.windows(2) {
            assert!((pair[1] - pair[0] - 100.0).abs() < 20.0, "{at:?}");
        }
    }
}

/// A host of 1999: the timer runs out at half-second ticks, not before a second, first after three.
#[test]
fn old_timers_are_coarse() {
    let bsd = Profile::Bsd1999;
    let old = Config {
        rto: bsd.rto(),
        rto_min: bsd.rto_min(),
        sack: bsd.sack(),
        timestamps: false,
        initial_window: bsd.initial_window(),
        amount: Some(3000),
        ..ack_each(bsd.recovery())
    };
    // SYN at 0, data at 100 ms; lost, the timer is SRTT + 4·RTTVAR = 300 ms, at least 1 s, in ticks.
    let mut d = Dialogue::new(&old, Path::new(RTT).losing([0, 1]));
    d.run_to_end();
    let times: Vec<f64> = d.data().iter().map(|s| s.0).collect();
    assert_eq!(times[..3], [100.0, 1500.0, 3500.0]);
    let mut d = Dialogue::new(
        &old,
        Path {
            lose_syns: 1,
            ..Path::new(RTT)
        },
    );
    d.run_to_end();
    assert_eq!(d.data()[0].0, 3100.0);
    assert_eq!(d.sender.stats().syn_retransmits, 1);
}

/// Quick ACKs double the first windows where growth counts ACKs; the delayed-ACK policy follows.
#[test]
fn quick_acks_acknowledge_the_first_sixteen_segments_one_by_one() {
    let run = |quick_acks: u8| {
        let mut d = Dialogue::new(
            &Config {
                quick_acks,
                byte_counting: farpath_tcp::ByteCounting::Off,
                initial_window: 2,
                ..config()
            },
            Path::new(RTT),
        );
        d.run_until(ms(690));
        d.per_round(RTT, 6)
    };
    assert_eq!(run(16), [2, 4, 8, 16, 25, 38]);
    // Half again a round trip, and one where an odd segment is left to the timer.
    for pair in run(0).windows(2) {
        assert!(2 * pair[1] <= 3 * pair[0] + 2, "{:?}", run(0));
    }
}
