//! What was expected beside what is possible, and what is said of a promise, of an example and of a growth.

use farpath_diagnose::{Diagnosis, FlowReport, Known};

use crate::{asked_with, of, of_files, on};

/// Ten seconds over so many ms that get so many Mbit/s.
fn log(ms: f64, mbit: f64) -> String {
    let mbytes = mbit * 10.0 / 8.0 / 1.048_576;
    format!(
        "iperf3 -c 198.51.100.4\nConnecting to host 198.51.100.4, port 5201\n[  5] local 192.0.2.3 port 44000 connected to 198.51.100.4 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr\n[  5]   0.00-10.00  sec  {mbytes:.1} MBytes  {mbit:.1} Mbits/sec    0             sender\n[  5]   0.00-10.00  sec  {mbytes:.1} MBytes  {mbit:.1} Mbits/sec                  receiver\nPING 198.51.100.4 (198.51.100.4) 56(84) bytes of data.\n\n--- 198.51.100.4 ping statistics ---\n5 packets transmitted, 5 received, 0% packet loss\nrtt min/avg/max/mdev = {:.1}/{ms:.1}/{:.1}/0.1 ms\n",
        ms - 0.1,
        ms + 0.1
    )
}

const SMALL: &str = "net.ipv4.tcp_rmem = 4096 87380 212992\n";

fn expecting(text: &str, target: &str) -> Diagnosis {
    let known = Known {
        target: Some(target.parse().expect("a rate")),
        ..on("1Gbit/s")
    };
    of(text, &known)
}

fn target(d: &Diagnosis) -> &str {
    d.flows[0].target.as_deref().expect("it was expected")
}

#[test]
fn a_target_is_reached_or_possible_or_given_by_the_change() {
    let full = log(10.0, 936.0);
    assert_eq!(
        target(&expecting(&full, "930Mbit/s")),
        "930 Mbit/s is reached"
    );
    let beyond = expecting(&full, "5Gbit/s");
    let said = "5.00 Gbit/s is not possible on this line, which leaves 941 Mbit/s for payload";
    assert_eq!(target(&beyond), said);
    assert!(
        beyond.ticket.contains("Expected: 5.00 Gbit/s"),
        "{}",
        beyond.ticket
    );
    // 212 992 bytes of which two thirds are window, over 100 ms.
    let known = Known {
        target: Some("500Mbit/s".parse().expect("a rate")),
        ..on("1Gbit/s")
    };
    let files = [("sender.txt", &*log(100.0, 11.2)), ("receiver.txt", SMALL)];
    let held = of_files(&files, &known);
    let words = "500 Mbit/s is not reached now, and may be after the change: up to ";
    assert!(target(&held).starts_with(words), "{}", target(&held));
    assert_eq!(of(&full, &on("1Gbit/s")).flows[0].target, None);
}

#[test]
fn a_promise_of_a_long_path_says_how_long_slow_start_takes() {
    let slow = log(600.0, 1.85) + "net.ipv4.tcp_rmem = 4096 87380 212992\n";
    let d = of(&slow, &on("50Mbit/s"));
    let ticket = d.ticket.split_whitespace().collect::<Vec<_>>().join(" ");
    let change = &d.flows[0].changes[0];
    let seconds = change.start_ns.expect("it is long") / 1e9;
    // 3.5 MB are 250 times the first window: eight round trips and one.
    assert!((4.8..6.6).contains(&seconds), "{seconds}");
    assert!(ticket.contains("once slow start is over"), "{ticket}");
    let short = log(30.0, 37.0) + SMALL;
    let d = of(&short, &on("1Gbit/s"));
    let starts = d.flows[0].changes.iter().map(|c| c.start_ns);
    assert!(
        starts.flatten().all(|ns| ns < 1e9),
        "{:#?}",
        d.flows[0].changes
    );
}

#[test]
fn the_example_of_a_line_carries_what_was_measured() {
    for (mbit, example) in [
        (25.0, "1Gbit/s"),
        (2900.0, "10Gbit/s"),
        (29_100.0, "40Gbit/s"),
    ] {
        let sender = log(30.0, mbit) + "net.ipv4.tcp_wmem = 4096 16384 1073741824\n";
        let receiver = "net.ipv4.tcp_rmem = 4096 131072 2147483647\n";
        let files = [("sender.txt", &*sender), ("receiver.txt", receiver)];
        let d = of_files(&files, &Known::default());
        let command = asked_with(&d.flows[0], "line_bps").expect("it is missing");
        assert!(command.contains(&format!("--line {example} ")), "{command}");
    }
}

#[test]
fn a_mean_and_the_rate_after_the_start_are_both_named() {
    let rows: String = (0..12)
        .map(|n| {
            let mbit = if n == 0 { 6.0 } else { 11.2 };
            format!(
                "[  5]  {n:>2}.00-{}.00  sec  {:.2} MBytes  {mbit:.1} Mbits/sec    0\n",
                n + 1,
                mbit / 8.0 / 1.048_576
            )
        })
        .collect();
    let text = format!(
        "Connecting to host 198.51.100.4, port 5201\n[  5] local 192.0.2.3 port 44000 connected to 198.51.100.4 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr\n{rows}[  5]   0.00-12.00  sec  15.4 MBytes  10.8 Mbits/sec    0             sender\n[  5]   0.00-12.00  sec  15.4 MBytes  10.8 Mbits/sec                  receiver\nrtt min/avg/max/mdev = 99.9/100.0/100.1/0.1 ms\n"
    );
    let files = [("sender.txt", &*text), ("receiver.txt", SMALL)];
    let d = of_files(&files, &on("1Gbit/s"));
    let because = d.flows[0].verdict.because.join("\n");
    let words = "measured 11.2 Mbit/s after its start, 10.8 Mbit/s with it";
    assert!(because.contains(words), "{because}");
}

/// Eight windows are eight times the largest that TCP can say over 80 ms, however large the setting.
#[test]
fn no_window_is_larger_than_the_largest_that_tcp_can_say() {
    let text = log(80.0, 900.0)
        + "net.ipv4.tcp_rmem = 4096 87380 2147483647\nnet.ipv4.tcp_wmem = 4096 16384 2147483647\n";
    let d = of(&text, &on("1Gbit/s"));
    // A ping prints a tenth of a millisecond.
    let largest = 65_535.0 * 16_384.0 * 8.0 / 0.07985;
    for cause in ["receive_window", "send_buffer"] {
        let mut all = d.flows[0].ceilings.iter().filter(|c| c.cause == cause);
        assert!(all.all(|c| c.high_bps < largest + 1.0), "{cause}");
    }
}

fn grown(mean: f64, most: f64) -> String {
    let ping = |least: f64, mean: f64, most: f64| {
        format!(
            "PING 198.51.100.4 (198.51.100.4) 56(84) bytes of data.\n\n--- 198.51.100.4 ping statistics ---\n20 packets transmitted, 20 received, 0% packet loss\nrtt min/avg/max/mdev = {least:.1}/{mean:.1}/{most:.1}/9.1 ms\n"
        )
    };
    let text = log(15.0, 27.8) + &ping(14.0, mean, most);
    of(&text, &Known::default()).flows[0]
        .verdict
        .because
        .join("\n")
}

#[test]
fn a_round_trip_that_grew_many_times_is_said_as_a_multiple() {
    let far = grown(270.0, 345.0);
    let words = "grew by 255 ms on average and 330 ms at most, to 18 times what it is at rest";
    assert!(far.contains(words), "{far}");
    let near = grown(40.0, 41.0);
    assert!(near.contains("grew by 25.0 ms, 168 %"), "{near}");
}

/// The last socket of a copy over SSH, with so many bytes in flight, beside a test that got much more.
fn copies(flight: u32) -> FlowReport {
    let segments = flight / 1448;
    let text = log(40.0, 9000.0)
        + &format!(
            "ESTAB 0 {flight} 192.0.2.3:50800 198.51.100.4:22\n\t cubic wscale:7,7 rto:244 rtt:40.1/0.1 mss:1448 cwnd:2900 bytes_sent:922150187 bytes_acked:922050187 bytes_received:19051 delivery_rate 380000000bps app_limited busy:29000ms unacked:{segments} minrtt:40.0\n"
        );
    let d = of(&text, &Known::default());
    let copy = d.flows.iter().find(|f| f.observed.goodput_bps < Some(1e9));
    copy.expect("the copy").clone()
}

#[test]
fn what_the_bytes_in_flight_speak_for_is_advised_first() {
    let advice = |flight| copies(flight).changes[0].commands[0].clone();
    assert!(advice(96_000).starts_with("iostat"), "{}", advice(96_000));
    assert!(advice(1_900_000).starts_with("OpenSSH lets 2 MiB"));
}

/// Pings of 75 ms are of no path of 10 ms, and one that a queue made longer may be.
#[test]
fn a_round_trip_that_no_ping_comes_near_is_contradicted() {
    let report = "[  5] local 192.0.2.1 port 40000 connected to 198.51.100.2 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr\n[  5]   0.00-10.00  sec   395 MBytes   331 Mbits/sec    0             sender\n[  5]   0.00-10.04  sec   394 MBytes   330 Mbits/sec                  receiver\n";
    let ping = |times: &str| {
        format!(
            "PING 198.51.100.2 (198.51.100.2) 56(84) bytes of data.\n\n--- 198.51.100.2 ping statistics ---\n5 packets transmitted, 5 received, 0% packet loss, time 4005ms\nrtt min/avg/max/mdev = {times} ms\n"
        )
    };
    for (rtt, times, said) in [
        ("10 ms", "75.000/75.030/75.100/0.040", true),
        ("75 ms", "75.000/75.030/75.100/0.040", false),
        ("10 ms", "75.000/160.030/312.100/60.040", false),
    ] {
        let known = Known {
            rtt: rtt.parse().ok(),
            ..Known::default()
        };
        let d = of(&format!("{report}{}", ping(times)), &known);
        let texts: Vec<&str> = d.contradictions.iter().map(|c| c.text.as_str()).collect();
        let named = texts
            .iter()
            .any(|t| t.contains("no ping is faster than its path"));
        assert_eq!(named, said, "{rtt} {times}: {texts:?}");
    }
}
