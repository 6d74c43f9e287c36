//! Losses of the start alone: slow start overshoots a queue, and something else holds the connection afterwards, or its window grows back.

use farpath_diagnose::{FlowReport, Known};

use crate::{of, on};

/// A log of iperf3 over an idle round trip of 40 ms, an interval a second: rates in Mbit/s, segments sent again, and the congestion window
/// in MiB.
fn ticket(rows: &[(f64, u32, f64)]) -> String {
    let mut all = String::from(
        "[  5] local 192.0.2.1 port 40000 connected to 198.51.100.2 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n",
    );
    let line = |(from, until): (usize, usize), mbit: f64, end: &str| {
        let size = mbit * (until - from) as f64 / 8.388_608;
        format!(
            "[  5]  {from:>2}.00-{until:.2}  sec  {size:.1} MBytes  {mbit:.0} Mbits/sec  {end}\n",
            until = until as f64
        )
    };
    for (n, (mbit, again, cwnd)) in rows.iter().enumerate() {
        all += &line((n, n + 1), *mbit, &format!("{again}   {cwnd:.2} MBytes"));
    }
    let mean = rows.iter().map(|r| r.0).sum::<f64>() / rows.len() as f64;
    let again: u32 = rows.iter().map(|r| r.1).sum();
    all += &line(
        (0, rows.len()),
        mean,
        &format!("{again}             sender"),
    );
    all += &line((0, rows.len()), mean, "                receiver");
    all + "20 packets transmitted, 20 received, 0% packet loss, time 19030ms\nrtt min/avg/max/mdev = 39.9/40.0/40.3/0.1 ms\n"
}

/// Seconds of so many Mbit/s, all but alike, behind a first one in which slow start lost segments.
fn overshot(mbit: f64, cwnd: f64, seconds: usize) -> Vec<(f64, u32, f64)> {
    let mut rows = vec![(0.7 * mbit, 812, 1.1 * cwnd)];
    rows.extend((1..seconds).map(|n| (mbit + [1.0, -1.0, 0.0][n % 3], 0, cwnd)));
    rows
}

fn flow(rows: &[(f64, u32, f64)], known: &Known) -> FlowReport {
    of(&ticket(rows), known).flows.remove(0)
}

const LOSSES: [&str; 4] = [
    "random_loss",
    "congestion_loss",
    "shallow_buffer",
    "policer",
];

/// 600 Mbit/s over 40 ms are 2070 segments. A window of CUBIC that a cut left with seven tenths would have grown by a fifth in eight
/// seconds (RFC 9438 §4.2: K is 11 s).
#[test]
fn losses_of_the_start_alone_do_not_hold_a_rate_that_stands_still() {
    for seconds in [10, 30, 60] {
        for known in [on("1 Gbit/s"), Known::default()] {
            let flow = flow(&overshot(600.0, 3.0, seconds), &known);
            let verdict = &flow.verdict;
            assert!(!LOSSES.contains(&verdict.cause), "{verdict:#?}");
            let second = verdict.second.as_ref().map(|s| s.cause);
            assert!(second.is_none_or(|c| !LOSSES.contains(&c)), "{verdict:#?}");
            let because = verdict.because.join("\n");
            assert!(because.contains("slow start overshot a queue"), "{because}");
            let asked: Vec<&str> = flow.missing.iter().map(|m| m.fact).collect();
            assert!(asked.contains(&"tcp_info"), "{asked:?}");
            let ceilings: Vec<&str> = flow.ceilings.iter().map(|c| c.cause).collect();
            assert!(!ceilings.contains(&"random_loss"), "{ceilings:?}");
        }
    }
}

/// Where the path's MTU is less than the sender's own, the first window is sent again in smaller segments (RFC 1191 §3), which no queue lost.
#[test]
fn a_first_window_that_is_too_large_is_no_queue() {
    let trace = " 1?: [LOCALHOST]                      pmtu 9000\n 1:  192.0.2.254                                           0.300ms \n 2:  198.51.100.1                                          0.900ms pmtu 1500\n 2:  198.51.100.2                                         40.1ms reached\n     Resume: pmtu 1500 hops 2 back 2 \n";
    for (again, discovery) in [(10, true), (60, true), (812, false)] {
        let mut rows = overshot(600.0, 3.0, 10);
        rows[0].1 = again;
        let text = format!("{}$ tracepath -n 198.51.100.2\n{trace}", ticket(&rows));
        let flow = of(&text, &on("1 Gbit/s")).flows.remove(0);
        let because = flow.verdict.because.join("\n");
        assert_eq!(
            because.contains("path MTU discovery found 1500 bytes"),
            discovery,
            "{because}"
        );
        assert_eq!(because.contains("overshot"), !discovery, "{because}");
    }
}

/// A line that is full after its start is the line; a port of 100 Mbit/s is.
#[test]
fn nor_does_a_start_put_a_full_line_in_doubt() {
    for (mbit, cwnd) in [(941.0, 5.0), (94.0, 0.7)] {
        let flow = flow(&overshot(mbit, cwnd, 10), &on("1 Gbit/s"));
        assert_eq!(flow.verdict.cause, "link", "{:#?}", flow.verdict);
        assert!(flow.verdict.confidence >= 0.9, "{:#?}", flow.verdict);
    }
}

/// The same losses, and then a window that grows back in each second: that is what they cost.
#[test]
fn a_window_that_grows_back_is_held_by_what_cut_it() {
    let mut rows = vec![(420.0, 812, 2.1)];
    rows.extend((0..9).map(|n| (200.0 + 25.0 * f64::from(n), 0, 1.0 + 0.125 * f64::from(n))));
    let flow = flow(&rows, &on("1 Gbit/s"));
    assert!(LOSSES.contains(&flow.verdict.cause), "{:#?}", flow.verdict);
}

/// Losses that come again later are not the start's.
#[test]
fn losses_that_come_again_are_not_of_the_start() {
    let mut rows = overshot(600.0, 3.0, 20);
    for n in [9, 13, 17] {
        rows[n].1 = 40;
        rows[n].0 = 420.0;
    }
    let flow = flow(&rows, &on("1 Gbit/s"));
    let because = flow.verdict.because.join("\n");
    assert!(!because.contains("overshot"), "{because}");
}

/// Where intervals are even, none is a peak beside which others stand back.
#[test]
fn even_intervals_have_no_peak() {
    let flow = flow(&overshot(600.0, 3.0, 10), &on("1 Gbit/s"));
    let because = flow.verdict.because.join("\n");
    assert!(!because.contains("and others were not"), "{because}");
}

/// Twelve seconds in which slow start loses much, and hardly anything is lost later while the rate climbs back, far below the best second.
const OVERRUN: [(f64, u32, f64); 12] = [
    (362.0, 2242, 1.71),
    (341.0, 244, 1.32),
    (228.0, 171, 1.07),
    (114.0, 44, 1.04),
    (143.0, 0, 0.93),
    (116.0, 0, 0.98),
    (182.0, 0, 1.0),
    (171.0, 0, 1.08),
    (178.0, 0, 1.18),
    (208.0, 0, 1.26),
    (231.0, 0, 1.35),
    (238.0, 0, 1.56),
];

/// A short queue that slow start overran and a policer whose bucket it emptied look alike then: neither is sure.
#[test]
fn losses_of_the_start_tell_no_policer_from_a_short_queue() {
    for known in [on("1 Gbit/s"), Known::default()] {
        let flow = flow(&OVERRUN, &known);
        let verdict = &flow.verdict;
        let second = verdict.second.as_ref().expect("the other");
        let mut both = [verdict.cause, second.cause];
        both.sort_unstable();
        assert_eq!(both, ["policer", "shallow_buffer"], "{verdict:#?}");
        assert!(verdict.confidence < 0.55, "{verdict:#?}");
        assert!(second.confidence > 0.35, "{verdict:#?}");
        let because = verdict.because.join("\n");
        assert!(because.contains("lost at the start"), "{because}");
        assert!(!because.contains("above its rate"), "{because}");
        let asked = flow.missing.iter().any(|m| m.fact == "datagram_loss_ratio");
        assert!(asked, "{:#?}", flow.missing);
        // What helps against either is said once.
        assert_eq!(flow.changes.len(), 1, "{:#?}", flow.changes);
        assert_eq!(flow.changes[0].predicted_bps, None);
        let risk = &flow.changes[0].risk;
        assert!(risk.contains("it may as well be"), "{risk}");
    }
}

/// A policer delays nothing: round trips that grow under load are a queue's, whether or not the line is known.
#[test]
fn a_round_trip_that_grows_is_no_policers() {
    let rates = [
        605.0, 507.0, 513.0, 559.0, 616.0, 682.0, 532.0, 543.0, 636.0, 718.0,
    ];
    let again = [290, 0, 0, 15, 0, 0, 0, 38, 0, 0];
    let rows: Vec<(f64, u32, f64)> = rates
        .iter()
        .zip(again)
        .map(|(mbit, n)| (*mbit, n, mbit / 150.0))
        .collect();
    let socket = "ESTAB 0 12700000 192.0.2.1:40000 198.51.100.2:5201\n\t skmem:(r0,rb131072,t0,tb21012480,f1160,w13735544,o0,bl0,d0) cubic wscale:10,10 rto:260 rtt:55.9/2.7 mss:1448 pmtu:1500 cwnd:2480 ssthresh:2340 bytes_sent:257000000 bytes_retrans:441640 bytes_acked:254000000 segs_out:177000 data_segs_out:177000 send 514000000bps delivery_rate 553000000bps busy:3800ms unacked:2480 retrans:0/305 notsent:9100000 minrtt:39.9 snd_wnd:67108864\n";
    for known in [Known::default(), on("1 Gbit/s"), on("800 Mbit/s")] {
        let d = of(&(ticket(&rows) + socket), &known);
        let verdict = &d.flows[0].verdict;
        let second = verdict.second.as_ref().map(|s| s.cause);
        assert_ne!(verdict.cause, "policer", "{verdict:#?}");
        assert_ne!(second, Some("policer"), "{verdict:#?}");
    }
}

/// A log of seconds at these rates, Mbit/s, none of which lost a segment, and pings before and during it, ms.
fn lossless(rates: &[f64], cwnd: impl Fn(usize) -> f64, pings: &[f64]) -> String {
    let mut log = String::from(
        "[  5] local 192.0.2.1 port 40000 connected to 198.51.100.2 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n",
    );
    let line = |(from, until): (usize, usize), mbit: f64, end: &str| {
        let size = mbit * (until - from) as f64 / 8.388_608;
        format!(
            "[  5]  {from:>2}.00-{until}.00  sec  {size:.2} MBytes  {mbit:.2} Mbits/sec  {end}\n"
        )
    };
    for (n, mbit) in rates.iter().enumerate() {
        log += &line((n, n + 1), *mbit, &format!("0   {:.2} MBytes", cwnd(n)));
    }
    let mean = rates.iter().sum::<f64>() / rates.len() as f64;
    log += &line((0, rates.len()), mean, "0             sender");
    log += &line((0, rates.len()), mean, "                receiver");
    let ping = |ms: &f64| {
        format!(
            "10 packets transmitted, 10 received, 0% packet loss, time 9009ms\nrtt min/avg/max/mdev = {:.1}/{ms:.1}/{:.1}/1.0 ms\n",
            ms * 0.995,
            ms * 1.005
        )
    };
    log + &pings.iter().map(ping).collect::<String>()
}

/// Twelve round trips of some 950 ms are few, but the first second was as fast as the last: slow start did not hold it. The queue did.
#[test]
fn a_rate_that_is_flat_from_the_first_second_is_not_slow_start() {
    let mut rates = vec![47.6; 11];
    for first in [47.6, 61.0] {
        rates[0] = first;
        for pings in [vec![945.0], vec![24.0, 945.0]] {
            let text = lossless(&rates, |n| 0.4 + 0.55 * n as f64, &pings);
            let flow = of(&text, &Known::default()).flows.remove(0);
            let verdict = &flow.verdict;
            // The one ping under load does not say what the path is at rest.
            let held = if pings.len() > 1 { "link" } else { "unknown" };
            assert_eq!(verdict.cause, held, "{pings:?} {verdict:#?}");
            assert!(flow.ceilings.iter().all(|c| c.cause != "ramp"));
            let next = verdict.second.as_ref();
            assert!(next.is_none_or(|r| r.cause != "ramp"), "{verdict:#?}");
        }
    }
}

#[test]
fn a_satellites_flat_rate_is_not_slow_start() {
    let mut rates = vec![9.42; 10];
    rates[0] = 10.4;
    let text = lossless(&rates, |_| 1.1, &[614.0]);
    let flow = of(&text, &Known::default()).flows.remove(0);
    assert_ne!(flow.verdict.cause, "ramp", "{:#?}", flow.verdict);
}

/// A rate that doubles until the end is slow start's.
#[test]
fn a_rate_that_grows_to_the_end_is_slow_start() {
    let rates: Vec<f64> = (0..10).map(|n| 0.5 * f64::from(1_u32 << n)).collect();
    let text = lossless(&rates, |n| 0.02 * f64::from(1_u32 << n), &[900.0]);
    let flow = of(&text, &Known::default()).flows.remove(0);
    assert_eq!(flow.verdict.cause, "ramp", "{:#?}", flow.verdict);
}

/// Intervals shorter than a round trip hold a burst or none: that the last ones had little says nothing of a rate that was flat.
#[test]
fn intervals_shorter_than_a_round_trip_show_no_flat_rate() {
    let rates = [0.5, 0.0, 1.0, 0.0, 0.0, 2.0, 0.0, 4.0, 8.0, 0.0, 0.0, 1.0];
    let has_ramp = |pings: &[f64]| {
        let text = lossless(&rates, |_| 0.1, pings);
        let flow = of(&text, &Known::default()).flows.remove(0);
        flow.ceilings.iter().any(|c| c.cause == "ramp")
    };
    assert!(has_ramp(&[2500.0]));
    assert!(!has_ramp(&[900.0]));
}

/// Over 600 ms slow start takes three seconds of ten, and the others are level at what a buffer of 655360 bytes leaves: that is the limit.
#[test]
fn a_start_of_seconds_does_not_hide_what_holds_the_rate_behind_it() {
    let rates = [0.3, 1.2, 4.1, 8.2, 8.4, 8.3, 8.4, 8.3, 8.4, 8.4];
    let log = lossless(&rates, |n| [0.05, 0.2, 0.4, 0.62][n.min(3)], &[600.0]);
    let settings = "$ sysctl net.ipv4.tcp_wmem\nnet.ipv4.tcp_wmem = 4096\t16384\t655360\n";
    let flow = of(&format!("{log}\nsender:\n{settings}"), &Known::default())
        .flows
        .remove(0);
    let verdict = &flow.verdict;
    assert_ne!(verdict.cause, "ramp", "{verdict:#?}");
    assert!(flow.ceilings.iter().all(|c| c.cause != "ramp"));
    let because = verdict.because.join("\n");
    assert!(!because.contains("slow start took most"), "{because}");
    assert_eq!(verdict.cause, "send_buffer", "{verdict:#?}");
}
