//! Properties of the laws: inverses, order, agreement of one form with another.

use farpath_predict::aimd::{Aimd, cubic_converging_utilisation, cubic_utilisation};
use farpath_predict::climb::Climb;
use farpath_predict::law::{self, Conditions};
use farpath_predict::pftk::Pftk;
use farpath_predict::recovery::Losses;
use farpath_predict::reduction::Fall;
use farpath_predict::rounds::{Connection, Round};
use farpath_predict::{Cc, Rules, bic, htcp, queue, recovery, scalable};
use farpath_units::Duration;
use proptest::prelude::*;

fn with_law() -> impl Strategy<Value = Cc> {
    let all: Vec<Cc> = Cc::ALL
        .into_iter()
        .filter(|cc| law::window(*cc, 1e-4, Conditions::of_rtt(0.1)).is_some())
        .collect();
    prop::sample::select(all)
}

proptest! {
    /// The loss for a window gives the window back, and more loss means less window.
    #[test]
    fn laws_can_be_inverted(cc in with_law(), e in -11.0..-2.0_f64, rtt_ms in 1_u32..1000) {
        let on = Conditions::of_rtt(f64::from(rtt_ms) / 1e3);
        let loss = libm::exp10(e);
        let window = law::window(cc, loss, on).expect("a law");
        let back = law::loss_for(cc, window, on).expect("a law");
        prop_assert!((back / loss - 1.0).abs() < 1e-6, "{cc}: {loss} came back as {back}");
        let more = law::window(cc, loss * 1.1, on).expect("a law");
        prop_assert!(more < window, "{cc}: {more} {window}");
    }

    /// No algorithm of the fast ones is below Reno.
    #[test]
    fn the_fast_are_never_slower_than_reno(cc in with_law(), e in -11.0..-2.0_f64, rtt_ms in 1_u32..1000) {
        let on = Conditions::of_rtt(f64::from(rtt_ms) / 1e3);
        let reno = law::window(Cc::Reno, libm::exp10(e), on).expect("a law");
        let own = law::window(cc, libm::exp10(e), on).expect("a law");
        prop_assert!(own >= reno * (1.0 - 1e-9), "{cc} {own} {reno}");
    }

    /// Whatever the window: a climb begins below it, rises, and ends.
    #[test]
    fn climbs_end(n in 0..Cc::ALL.len(), e in 0.7..6.0_f64, rtt_ms in 1_u32..1000) {
        let climb = Climb { cc: Cc::ALL[n], top: libm::exp10(e), rtt_s: f64::from(rtt_ms) / 1e3, segments_per_ack: 1.0, htcp: htcp::Growth::PAPER, rules: Rules::Document };
        let Some(start) = climb.start() else { return Ok(()) };
        prop_assert!(start <= climb.top);
        let rounds = climb.rounds();
        let exact = climb.recovery_s().expect("a time");
        if let Some(rounds) = rounds {
            // What is written down and what is stepped differ by rounding up to a round trip.
            let stepped = f64::from(rounds) * climb.rtt_s;
            prop_assert!(stepped >= exact - 1e-6 * exact && stepped < exact + 1.001 * climb.rtt_s, "{stepped} {exact}");
        }
        let mut window = start;
        for round in 0..=rounds.unwrap_or(100).max(100) {
            if rounds == Some(round) {
                prop_assert!(window >= climb.top * (1.0 - 1e-9), "{} {window}", climb.cc);
            }
            let next = climb.next(window, round);
            prop_assert!(next >= window, "{} {window} {next}", climb.cc);
            window = next;
        }
    }

    /// A sawtooth counted step by step gives the utilisation written down.
    #[test]
    fn utilisation_is_that_of_the_sawtooth(buffer in 0.0..1.5_f64, decrease in 0.1..0.6_f64) {
        let aimd = Aimd { increase: 1.0, decrease };
        let pipe = 20_000.0;
        let top = (1.0 + buffer) * pipe;
        let (mut window, mut sent, mut time) = ((1.0 - decrease) * top, 0.0, 0.0);
        while window < top {
            sent += window;
            time += libm::fmax(window, pipe);
            window += 1.0;
        }
        let stepped = sent / time;
        prop_assert!((stepped - aimd.utilisation(buffer)).abs() < 1e-3, "{stepped}");
        // CUBIC in time.
        let (w_max, mut sum) = (1.0 + buffer, 0.0);
        for n in 0..10_000 {
            let left = 1.0 - (f64::from(n) + 0.5) / 1e4;
            sum += libm::fmin(1.0, w_max * (1.0 - 0.3 * left * left * left));
        }
        prop_assert!((sum / 1e4 - cubic_utilisation(buffer)).abs() < 1e-4);
        // With fast convergence every other epoch is flat at 0.85: from 0.7 to it and as long beyond it, ∛(0.15/0.3) = ∛½ each.
        let (k, mut low) = (libm::cbrt(0.5), 0.0);
        for n in 0..10_000 {
            let past = ((f64::from(n) + 0.5) / 5e3 - 1.0) * k;
            low += libm::fmin(1.0, w_max * (0.85 + 0.3 * past * past * past));
        }
        let turns = (sum / 1e4 + 2.0 * k * low / 1e4) / (1.0 + 2.0 * k);
        prop_assert!((turns - cubic_converging_utilisation(buffer)).abs() < 1e-4);
    }
}

/// RFC 3649 §5: at losses above 1e-3 HighSpeed is Reno, whose law is another one of random losses.
#[test]
fn rfc3649_5_where_highspeed_is_reno_its_law_is_renos() {
    for losses in [Losses::Periodic, Losses::Random] {
        let on = Conditions {
            losses,
            ..Conditions::of_rtt(0.1)
        };
        for p in [1.1e-3, 3e-3, 1e-2] {
            let of = |cc| law::window(cc, p, on).expect("a law");
            assert_eq!(of(Cc::HighSpeed), of(Cc::Reno), "{losses:?}, {p}");
            let back = law::loss_for(Cc::HighSpeed, of(Cc::HighSpeed), on).expect("a law");
            assert!((back / p - 1.0).abs() < 1e-9, "{losses:?}, {p}: {back}");
            assert!(law::highspeed_as_reno(p, losses).is_some());
        }
        assert_eq!(law::highspeed_as_reno(5e-4, losses), None);
    }
    assert_eq!(law::highspeed_as_reno(2e-3, Losses::Random), Some(1.31));
}

/// RFC 3649 §5: up to 38 segments HighSpeed is Reno. 25 fill the path and half as many the queue: 37.5.
#[test]
fn rfc3649_5_a_queue_of_few_segments_leaves_highspeed_what_it_leaves_reno() {
    let of = |cc: Cc, pipe: f64| law::utilisation(cc, pipe, Duration::from_ms(20), 0.5);
    assert_eq!(of(Cc::HighSpeed, 25.0), of(Cc::Reno, 25.0));
    assert!(of(Cc::HighSpeed, 25.0).is_some());
    assert_eq!(of(Cc::HighSpeed, 26.0), None);
}

#[test]
fn aimd_of_cubic_is_its_friendly_region() {
    // RFC 9438 §4.3: AIMD(α, β) has Reno's response.
    for p in [1e-2, 1e-4, 1e-6] {
        let friendly = recovery::CUBIC_FRIENDLY.window(p);
        assert!((friendly / Aimd::reno(1.0).window(p) - 1.0).abs() < 1e-12);
        assert!((recovery::CUBIC_FRIENDLY.loss_for(friendly) / p - 1.0).abs() < 1e-12);
    }
    // Half the growth with delayed ACKs: √½ of the window, twice the time.
    let ratio = Aimd::reno(2.0).window(1e-4) / Aimd::reno(1.0).window(1e-4);
    assert!((ratio - libm::sqrt(0.5)).abs() < 1e-12);
    assert_eq!(Aimd::reno(2.0).recovery_rounds(100.0), 100.0);
}

#[test]
fn htcp_is_reno_within_a_second_and_far_faster_after() {
    let on = Conditions::of_rtt(0.01);
    let reno = law::window(Cc::Reno, 1e-3, on).expect("a law");
    assert!((htcp::Growth::PAPER.window(1e-3, 0.01) / reno - 1.0).abs() < 1e-9);
    assert!(htcp::Growth::PAPER.window(1e-8, 0.1) > 10.0 * recovery::reno_window(1e-8));
    // The continuous time is within two rounds of the stepped one.
    let stepped = Climb {
        cc: Cc::Htcp,
        top: 10_274.0,
        rtt_s: 0.12,
        segments_per_ack: 1.0,
        htcp: htcp::Growth::PAPER,
        rules: Rules::Document,
    };
    let off =
        stepped.recovery_s().expect("a climb") - htcp::Growth::PAPER.recovery_s(10_274.0, 0.12);
    assert!((0.0..0.24).contains(&off), "{off}");
}

/// Where next to nothing is gained in an epoch's first second, AIMD's law with α = 2(1 − β) and d = 1 − β: √((1 + β)/p).
#[test]
fn htcp_s_beta_is_the_share_it_keeps() {
    for beta in [htcp::BETA, 0.65, htcp::BETA_MOST] {
        let aimd = Aimd {
            increase: 2.0 * (1.0 - beta),
            decrease: 1.0 - beta,
        };
        let p = 1e-3;
        assert!(
            (htcp::Growth::keeping(beta).window(p, 0.001) / aimd.window(p) - 1.0).abs() < 1e-9,
            "{beta}"
        );
        let window = htcp::Growth::keeping(beta).window(1e-7, 0.1);
        assert!(
            (htcp::Growth::keeping(beta).loss_for(window, 0.1) / 1e-7 - 1.0).abs() < 1e-9,
            "{beta}"
        );
    }
    assert!(
        htcp::Growth::keeping(0.8).window(1e-7, 0.1) > 1.05 * htcp::Growth::PAPER.window(1e-7, 0.1)
    );
}

#[test]
fn bic_is_linear_far_from_the_old_window() {
    // A long linear phase: AIMD(16, 0.2), w = 8.5/√p; the search near the top
    // spends segments that the climb then lacks.
    for p in [1e-8, 1e-9, 1e-10] {
        let ratio = bic::LINUX.own_window(p) / (8.49 / libm::sqrt(p));
        assert!((0.98..1.0).contains(&ratio), "{p}: {ratio}");
    }
    let (linux, paper) = (bic::LINUX.epoch(1e4), bic::PAPER.epoch(1e4));
    // (2001 − 64)/16 + 4 ln 16 + 20 rounds, and (1250 − 128)/32 + 4 ln 32 + 20.
    assert!((linux.rounds - 152.2).abs() < 0.2, "{linux:?}");
    assert!((paper.rounds - 68.9).abs() < 0.2, "{paper:?}");
}

/// Twice the growth is that of losses half as frequent, and of half the round trips to the old window.
#[test]
fn bic_of_linux_grows_by_the_segments_for_each_ack() {
    let on = |segments_per_ack| Conditions {
        segments_per_ack,
        ..Conditions::of_rtt(0.1)
    };
    let ratio = bic::ack_ratio(2);
    assert_eq!(Conditions::of_linux(Cc::Bic, 0.1), on(ratio));
    assert_eq!(Conditions::of_linux(Cc::Reno, 0.1), on(1.0));
    let twice = law::window(Cc::Bic, 1e-4, on(ratio));
    assert_eq!(law::window(Cc::Bic, 1e-4 / 2.0, on(1.0)), twice);
    for loss in [1e-2, 1e-4] {
        let twice = law::window(Cc::Bic, loss, on(ratio)).expect("a law");
        let back = law::loss_for(Cc::Bic, twice, on(ratio)).expect("a law");
        assert!((back / loss - 1.0).abs() < 1e-6, "{back}");
    }
    let rounds = |top, segments_per_ack| {
        let climb = Climb {
            cc: Cc::Bic,
            top,
            rtt_s: 0.1,
            segments_per_ack,
            htcp: htcp::Growth::PAPER,
            rules: Rules::Document,
        };
        climb.rounds().expect("it gets there")
    };
    for top in [100.0, 10_000.0] {
        assert_eq!(rounds(top, ratio), rounds(top, 1.0).div_ceil(2), "{top}");
    }
    // Up to 14 segments it is Reno: √(3/2p) is 12.2, and half of 14 takes 7 round trips.
    let small = law::window(Cc::Bic, 1e-2, on(ratio)).expect("a law");
    assert!((12.2..14.0).contains(&small), "{small}");
    assert_eq!([1.0, ratio].map(|b| rounds(14.0, b)), [7, 7]);
}

#[test]
fn padhye_s_forms_agree_where_losses_are_rare() {
    for p in [1e-6, 1e-5, 1e-4] {
        let path = Pftk::of_rtt(0.1);
        assert!((path.approximate(p) / path.tfrc(p) - 1.0).abs() < 1e-12);
        let mathis = law::window(Cc::Reno, p, Conditions::of_rtt(0.1)).expect("a law") / 0.1;
        assert!(
            (path.full(p) / mathis - 1.0).abs() < 0.08,
            "{p}: {}",
            path.full(p) / mathis
        );
    }
    // A window of 20 segments holds either form.
    let narrow = Pftk {
        window: 20.0,
        ..Pftk::of_rtt(0.1)
    };
    assert_eq!(narrow.approximate(1e-6), 200.0);
    assert!((narrow.full(1e-6) - 200.0).abs() < 0.1);
    // Where a timeout is certain the full model's rate is that of the timeouts.
    assert!(Pftk::of_rtt(0.1).full(0.9) < 0.5);
}

#[test]
fn what_no_law_is_known_for_has_none() {
    for cc in [Cc::Westwood, Cc::Vegas, Cc::Fast, Cc::Bbr, Cc::Bbr3] {
        assert_eq!(law::window(cc, 1e-4, Conditions::of_rtt(0.1)), None);
        assert_eq!(law::loss_for(cc, 100.0, Conditions::of_rtt(0.1)), None);
    }
    // BBR bears 14 and 2 %.
    let near = |share: Option<f64>, wanted: f64| {
        let share = share.expect("a share");
        assert!((share - wanted).abs() < 1e-12, "{share} {wanted}");
    };
    near(law::borne(Cc::Bbr, 0.1, 1), 0.81);
    near(law::borne(Cc::Bbr, 0.1, 2), 0.9);
    assert_eq!(law::borne(Cc::Bbr, 0.15, 1), None);
    near(law::borne(Cc::Bbr3, 0.01, 1), 0.99);
    assert_eq!(law::borne(Cc::Bbr3, 0.021, 1), None);
    assert_eq!(law::borne(Cc::Cubic, 0.0, 1), None);
    near(law::borne(Cc::Bbr, 0.0, 1), 1.0);
    // Of 10 s and 0.1 + 0.2 s, those 0.3 s; of 5 s and 0.05 + 0.2 s, half of those 0.25 s.
    near(Some(law::probing(Cc::Bbr, 0.1)), 0.3 / 10.3);
    near(Some(law::probing(Cc::Bbr3, 0.1)), 0.125 / 5.25);
    // A second of 11: the flight comes down in one round trip and is held down for another.
    assert!((law::probing(Cc::Bbr, 0.5) - 1.0 / 11.0).abs() < 1e-12);
    assert_eq!(law::probing(Cc::Reno, 0.5), 0.0);
    // Westwood+ with half its RTT in queues is Reno within √(1 − p).
    let westwood = law::westwood_window(1e-4, 0.5);
    assert!((westwood - libm::sqrt(2.0 * 0.9999 / 1e-4)).abs() < 1e-9);
}

/// Where the window is more than the pipe its queue makes round trips longer: Reno's from one pipe to two last 1.5 in the
/// mean, stepped or summed up, and CUBIC's K is a time.
#[test]
fn a_standing_queue_stretches_a_climb_by_rounds_and_none_by_time() {
    let climb = |cc, top, rtt_s| Climb {
        cc,
        top,
        rtt_s,
        segments_per_ack: 1.0,
        htcp: htcp::Growth::PAPER,
        rules: Rules::Document,
    };
    let reno = climb(Cc::Reno, 2000.0, 0.06);
    assert_eq!(reno.recovery_over(2000.0), reno.recovery_s());
    let over = reno.recovery_over(1000.0).expect("a time");
    assert!((over - 1.5 * 1000.0 * 0.06).abs() < 1e-9, "{over}");
    // From half a pipe to one and a half of that: as far as the pipe nothing waits.
    let over = climb(Cc::Reno, 1500.0, 0.06)
        .recovery_over(1000.0)
        .expect("a time");
    assert!(
        (over - (250.0 + 500.0 * 1.25) * 0.06).abs() < 1e-9,
        "{over}"
    );
    let cubic = climb(Cc::Cubic, 10_000.0, 0.06);
    assert_eq!(cubic.recovery_over(5000.0), cubic.recovery_s());
    // 0.875 of two pipes at 1 % a round trip: 13.4 of them, of 1.75 to 2 idle ones, in whole round trips.
    let scalable = climb(Cc::Scalable, 2000.0, 0.06);
    let over = scalable.recovery_over(1000.0).expect("a time");
    let least = libm::log(1.0 / 0.875) / libm::log(1.01) * 1.87 * 0.06;
    assert!((least..least + 0.13).contains(&over), "{over} {least}");
}

/// Round trips back to the old window: Linux's gains a segment in each up to 100 segments, and gives up an eighth of any window.
#[test]
fn scalable_of_linux_climbs_by_segments_in_small_windows() {
    let rounds = |top, rules| {
        let climb = Climb {
            cc: Cc::Scalable,
            top,
            rtt_s: 0.1,
            segments_per_ack: 1.0,
            htcp: htcp::Growth::PAPER,
            rules,
        };
        climb.rounds().expect("a climb")
    };
    // 6 to 12, and 10.5; 70 to 80, by hundredths in ln(8/7)/ln(1.01) = 13.4.
    for (top, paper, linux) in [(12.0, 6, 2), (80.0, 14, 10), (1000.0, 14, 14)] {
        assert_eq!(rounds(top, Rules::Document), paper, "{top}");
        assert_eq!(rounds(top, Rules::Linux), linux, "{top}");
    }
}

/// Simulated at 50 ms and 10 Gbit/s with every n-th frame lost, Mbit/s of 1448 bytes a segment; Kelly's 0.08/p is 15 to 20 % above.
#[test]
fn scalable_at_even_losses_has_the_mean_of_its_cycle() {
    for (every, mbps) in [(1e3, 15.396), (1e4, 159.5), (1e5, 1605.0)] {
        let law = scalable::paper_window(1.0 / every, Losses::Periodic);
        let simulated = mbps * 1e6 * 0.05 / 8.0 / 1448.0;
        assert!(
            (0.99..1.05).contains(&(law / simulated)),
            "{law} {simulated}"
        );
    }
    // A cut to 6.5 segments: Reno's law is more.
    let small = scalable::paper_window(1e-2, Losses::Periodic);
    assert!((small - libm::sqrt(150.0)).abs() < 1e-9, "{small}");
}

/// Linux's Scalable simulated under random losses (docs/models/predict.md), segments; Kelly's law has 12, 27, 57, 80 and 800.
#[test]
fn scalable_of_linux_has_its_windows_under_random_losses() {
    for (loss, simulated) in [
        (1e-2, 26.4),
        (3e-3, 49.3),
        (1.4e-3, 74.1),
        (1e-3, 89.2),
        (1e-4, 764.0),
    ] {
        let law = scalable::linux_window(loss, Losses::Random);
        let off = simulated / law;
        assert!((0.94..1.03).contains(&off), "{loss}: {law} {off}");
    }
}

/// Reno's constant of random losses is Mathis's 1.31, 7 % above that of periodic ones; an eighth taken for a half leaves 2.78/√p.
#[test]
fn additive_increase_has_a_law_of_random_losses() {
    let reno = Aimd::reno(1.0);
    assert!((reno.random_window(1e-4) - 130.98).abs() < 0.01);
    assert!((reno.random_window(1e-4) / reno.window(1e-4) - 1.069).abs() < 1e-3);
    let eighth = Aimd {
        increase: 1.0,
        decrease: 0.125,
    };
    assert!((eighth.random_window(1e-4) - 278.26).abs() < 0.01);
}

/// Simulated with Linux's CUBIC from 24 894 segments over 180 ms: 25.37 s with the round trip of the repair, where RFC 9438 has 26.71.
#[test]
fn cubic_of_linux_is_back_before_its_curve_ends() {
    let back = |cc, top, rtt_s| {
        let climb = Climb {
            cc,
            top,
            rtt_s,
            segments_per_ack: 1.0,
            htcp: htcp::Growth::PAPER,
            rules: Rules::Document,
        };
        climb.whole_over(top)
    };
    let long = back(Cc::Cubic, 24_894.0, 0.18).expect("a curve of its own");
    assert!((long + 0.18 - 25.37).abs() < 0.05, "{long}");
    // Reno-friendly, and another's.
    assert_eq!(back(Cc::Cubic, 65.0, 0.02), None);
    assert_eq!(back(Cc::Reno, 24_894.0, 0.18), None);
}

/// 690 segments over 100 ms: the curve ends 8.03 s after the cut, and is less than one below from 6.67 s on.
#[test]
fn cubic_of_linux_climbs_the_last_segment_at_once() {
    let after = |rules, round| {
        let climb = Climb {
            cc: Cc::Cubic,
            top: 690.0,
            rtt_s: 0.1,
            segments_per_ack: 1.0,
            htcp: htcp::Growth::PAPER,
            rules,
        };
        climb.next(600.0, round)
    };
    assert!((after(Rules::Linux, 66) - 690.0).abs() < 1e-9);
    assert!((after(Rules::Document, 66) - 689.06).abs() < 0.02);
    for round in [60, 90] {
        let off = after(Rules::Linux, round) - after(Rules::Document, round);
        assert!(off.abs() < 1e-9, "{round}: {off}");
    }
}

#[test]
fn hybla_is_blind_to_the_rtt() {
    let rate = |rtt| law::window(Cc::Hybla, 1e-5, Conditions::of_rtt(rtt)).expect("a law") / rtt;
    assert!((rate(0.6) / rate(0.05) - 1.0).abs() < 1e-12);
}

#[test]
fn random_losses_and_delayed_acks_change_reno() {
    let at = |losses, b| {
        let on = Conditions {
            losses,
            segments_per_ack: b,
            ..Conditions::of_rtt(0.1)
        };
        law::window(Cc::Reno, 1e-4, on).expect("a law")
    };
    assert!((at(Losses::Random, 1.0) - 131.0).abs() < 1e-9);
    assert!((at(Losses::Random, 2.0) - 93.0).abs() < 1e-9);
    assert!((at(Losses::Periodic, 2.0) - 86.6).abs() < 0.01);
}

#[test]
fn queues_of_equal_datagrams() {
    assert_eq!(queue::md1_wait(0.5), Some(0.5));
    assert_eq!(queue::md1_wait(0.9), Some(0.9 / (2.0 * (1.0 - 0.9))));
    assert_eq!(queue::md1_wait(1.0), None);
    assert_eq!(queue::dd1_drop_ratio(0.9), 0.0);
    // One place: ρ/(1 + ρ), whatever a service takes (Erlang). Two: π₀ = e^−ρ. Four at a load of 0.9 and 0.917: by a program of its own.
    for (load, waiting, lost) in [
        (0.9, 0, 0.9 / 1.9),
        (0.5, 1, 1.0 - 1.0 / (0.5 + 0.606_530_659_712_633_4)),
        (0.9, 3, 0.091_356_175_7),
        (0.9 * 1500.0 / 1472.0, 3, 0.097_643_385_1),
        (0.9, 1000, 0.0),
        (2.0, 10_000, 0.5),
        (20.0, 3, 0.95),
        (80.0, 3, 1.0 - 1.0 / 80.0),
        (0.0, 3, 0.0),
    ] {
        let found = queue::md1k_drop_ratio(load, waiting);
        assert!((found - lost).abs() < 1e-9, "{load} {waiting}: {found}");
    }
    // 956 Mbit/s offered where 292.6 pass: 69.39 % are dropped.
    assert!((queue::dd1_drop_ratio(956.0 / 292.6) - 0.6939).abs() < 5e-5);
}

fn connection(cc: Cc, lost: &[u64]) -> Connection<'_> {
    Connection {
        cc,
        rtt_s: 0.1,
        pipe: 1000.0,
        cap: 1000.0,
        ceiling: 1000.0,
        initial: 10.0,
        segments_per_growth: 1.0,
        max_ssthresh: None,
        quick: 0.0,
        segments_per_ack: 1.0,
        rules: Rules::Document,
        lost,
    }
}

/// Linux 6.18: a receiver's window of 1000 segments lets cwnd grow to 2000 in slow start, and a loss cuts that
/// (docs/models/congestion.md, the two flavours).
#[test]
fn a_cut_of_a_window_that_was_never_used_costs_its_repair_alone() {
    let kernel = Connection {
        ceiling: 2000.0,
        ..connection(Cc::Cubic, &[20_000])
    };
    let (fall, windows) = after_the_cut(&kernel);
    assert_eq!((fall.before, fall.after, fall.held), (2000.0, 1400.0, true));
    assert_eq!(windows, [1400.0; 5]);
    let clean = connection(Cc::Cubic, &[]).sent(0.0, 100.0).expect("rounds");
    let missing = clean - kernel.sent(0.0, 100.0).expect("rounds");
    assert!((missing - 1000.0).abs() < 1e-6, "{missing}");
    // The second loss finds 1400, of which 980 are left.
    let twice = Connection {
        lost: &[20_000, 30_000],
        ..kernel
    };
    let cuts: Vec<Fall> = twice
        .rounds()
        .expect("a law")
        .take(60)
        .filter_map(|r| r.fall)
        .collect();
    assert_eq!((cuts.len(), cuts[1].after.round()), (2, 980.0));
}

#[test]
fn one_loss_costs_reno_an_eighth_of_w_squared() {
    let clean = connection(Cc::Reno, &[]);
    let lossy = connection(Cc::Reno, &[20_000]);
    // W²/8 in the climb, a window in the round of the repair, in which nothing new may leave, and
    // half a window in the one after it, in which nothing is acknowledged.
    let missing = clean.sent(0.0, 100.0).expect("rounds") - lossy.sent(0.0, 100.0).expect("rounds");
    assert!((missing - (125_000.0 + 1500.0)).abs() < 300.0, "{missing}");
    let cubic = connection(Cc::Cubic, &[20_000]);
    let cheaper = clean.sent(0.0, 100.0).expect("rounds") - cubic.sent(0.0, 100.0).expect("rounds");
    assert!(cheaper < missing / 4.0, "{cheaper}");
    // Two losses in one round are one cut.
    let pair = connection(Cc::Reno, &[20_000, 20_001]);
    assert_eq!(pair.sent(0.0, 100.0), lossy.sent(0.0, 100.0));
    // The slow start of a clean one: 10 × (2^7 − 1) segments in 7 rounds, then the pipe.
    assert_eq!(clean.sent(0.0, 0.7), Some(1270.0));
    let pipe = clean.sent(0.7, 0.8).expect("rounds");
    assert!((pipe - 1000.0).abs() < 1e-9, "{pipe}");
    assert_eq!(clean.time_s(1270.0 + 500.0), Some(0.75));
    assert_eq!(connection(Cc::Bbr, &[5]).sent(0.0, 1.0), None);
}

#[test]
fn a_loss_in_slow_start_ends_it() {
    let early = connection(Cc::Reno, &[100]);
    let rounds: Vec<f64> = early
        .rounds()
        .expect("a law")
        .take(8)
        .map(|r| r.segments)
        .collect();
    // 10, 20, 40; segment 100 is in the round of 80; known when 160 are out; then 80 and one more each round.
    assert_eq!(rounds, [10.0, 20.0, 40.0, 80.0, 80.0, 80.0, 81.0, 82.0]);
}

/// The paper's Vegas measures in every other round trip of slow start, and does not grow in it.
#[test]
fn vegas_grows_every_other_round_trip_and_linux_s_in_each() {
    let windows = |rules| {
        let vegas = Connection {
            rules,
            ..connection(Cc::Vegas, &[])
        };
        let rounds = vegas.rounds().expect("a law").take(5);
        rounds.map(|r| r.window).collect::<Vec<f64>>()
    };
    assert_eq!(windows(Rules::Document), [10.0, 10.0, 20.0, 20.0, 40.0]);
    assert_eq!(windows(Rules::Linux), [10.0, 20.0, 40.0, 80.0, 160.0]);
}

/// The first cut of a connection: how it falls, and the window in the five rounds from there.
fn after_the_cut(of: &Connection<'_>) -> (Fall, Vec<f64>) {
    let rounds: Vec<Round> = of.rounds().expect("a law").take(400).collect();
    let cut = rounds.iter().position(|r| r.fall.is_some()).expect("a cut");
    let windows = rounds[cut..cut + 5].iter().map(|r| r.window).collect();
    (rounds[cut].fall.expect("it falls"), windows)
}

#[test]
fn a_full_window_lies_still_for_a_round_trip_after_its_repair() {
    let full = connection(Cc::Reno, &[20_000]);
    let (fall, windows) = after_the_cut(&full);
    assert_eq!((fall.before, fall.after, fall.held), (1000.0, 500.0, true));
    assert_eq!(windows, [500.0, 500.0, 500.0, 501.0, 502.0]);
    // Where cwnd was the limit, new segments leave while the lost one is repaired.
    let free = Connection {
        cap: 1e6,
        ceiling: 1e6,
        ..connection(Cc::Reno, &[300])
    };
    let (fall, windows) = after_the_cut(&free);
    assert!(!fall.held);
    // Segment 300 is in the round of 160; known when 320 are out.
    assert_eq!(windows, [160.0, 160.0, 161.0, 162.0, 163.0]);
}

#[test]
fn h_tcp_s_clock_runs_from_the_congestion() {
    // Two round trips of 0.1 s without growth: the window grows in the third, at Reno's pace until
    // the first second is over, then by 1 + 10 (Δ − 1) + ((Δ − 1) / 2)².
    let rounds: Vec<f64> = connection(Cc::Htcp, &[20_000])
        .rounds()
        .expect("a law")
        .skip_while(|r| r.fall.is_none())
        .map(|r| r.window)
        .take(13)
        .collect();
    assert_eq!(
        rounds[2..11],
        [
            500.0, 501.0, 502.0, 503.0, 504.0, 505.0, 506.0, 507.0, 508.0
        ]
    );
    assert!(
        (rounds[12] - rounds[11] - (1.0 + 1.0 + 0.0025)).abs() < 1e-9,
        "{rounds:?}"
    );
}

/// Over 200 ms twice as fast, from the repair on: of six round trips five are within a second of it.
#[test]
fn h_tcp_of_linux_climbs_by_the_round_trip_from_the_repair() {
    let linux = Connection {
        rtt_s: 0.2,
        rules: Rules::Linux,
        ..connection(Cc::Htcp, &[20_000])
    };
    let rounds: Vec<f64> = linux
        .rounds()
        .expect("a law")
        .skip_while(|r| r.fall.is_none())
        .map(|r| r.window)
        .take(9)
        .collect();
    assert_eq!(rounds[2..8], [500.0, 502.0, 504.0, 506.0, 508.0, 510.0]);
    assert!((rounds[8] - rounds[7] - 6.02).abs() < 1e-9, "{rounds:?}");
}

#[test]
fn a_window_above_the_pipe_waits_in_the_queue() {
    let full = Connection {
        cap: 2000.0,
        ceiling: 2000.0,
        ..connection(Cc::Reno, &[])
    };
    // A round of 2000 segments takes two RTTs: the line is never left waiting.
    let long = full.sent(10.0, 20.0).expect("rounds");
    assert!((long - 100_000.0).abs() < 1.0, "{long}");
}

/// One segment: 1/(1 − p) round trips. Of 410 at 1 %, one is nearly always lost, and seldom again.
#[test]
fn a_window_stands_still_until_all_of_it_has_arrived() {
    assert!((law::rounds_to_arrive(1.0, 0.1) - 1.0 / 0.9).abs() < 1e-6);
    assert_eq!(law::rounds_to_arrive(400.0, 0.0), 1.0);
    assert!((law::rounds_to_arrive(410.0, 0.01) - 2.02).abs() < 0.01);
}

/// `hstcp_cong_avoid` takes a step for each ACK; by the document each segment counts.
#[test]
fn highspeed_of_linux_takes_a_step_for_each_ack() {
    let seconds = |rules, segments_per_ack| {
        let climb = Climb {
            cc: Cc::HighSpeed,
            top: 10_000.0,
            rtt_s: 0.12,
            segments_per_ack,
            htcp: htcp::Growth::PAPER,
            rules,
        };
        climb.recovery_s().expect("a climb")
    };
    let once = seconds(Rules::Document, 1.0);
    assert_eq!(seconds(Rules::Document, 5.0), once);
    assert_eq!(seconds(Rules::Linux, 1.0), once);
    let ratio = seconds(Rules::Linux, 5.0) / once;
    assert!((4.9..5.1).contains(&ratio), "{ratio}");
}

/// Linux multiplies H-TCP's growth by the round trip over 100 ms: twice from 200 ms on, and nothing below 1.
#[test]
fn htcp_of_linux_grows_by_the_round_trip() {
    use htcp::Growth;
    assert_eq!(Growth::linux(0.1), Growth::PAPER);
    assert_eq!(Growth::linux(0.6).scale, 2.0);
    let near = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-9, "{a} {b}");
    near(
        Growth::linux(0.3).alpha(3.0),
        2.0 * Growth::PAPER.alpha(3.0),
    );
    // A tenth: f of 10 is needed for the first segment more.
    near(Growth::linux(0.01).alpha(1.8), 1.0);
    near(Growth::linux(0.01).alpha(3.0), 2.2);
    for rtt in [0.01, 0.05, 0.3] {
        let linux = Growth::linux(rtt);
        near(linux.loss_for(linux.window(1e-6, rtt), rtt), 1e-6);
        // The steps of a fine climb are its integral.
        let epoch = linux.recovery_s(1e4, rtt);
        let steps = (0..100_000).map(|n| linux.alpha(epoch * (f64::from(n) + 0.5) / 1e5));
        let gained = steps.sum::<f64>() * epoch / 1e5 / rtt;
        assert!((gained / 5e3 - 1.0).abs() < 1e-3, "{rtt}: {gained}");
    }
}
