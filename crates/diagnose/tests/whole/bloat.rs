//! Queues that make others wait, from pings, sockets, windows and shapers.

use farpath_diagnose::{Diagnosis, FlowReport, Known};

use crate::{of, of_files, on};

const HEAD: &str = "Connecting to host 198.51.100.88, port 5201\n[  5] local 192.0.2.88 port 44018 connected to 198.51.100.88 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n";

/// An uplink of 20 Mbit/s that is full for 12 s: 18.8 Mbit/s of payload, the window in kilobytes and segments sent again.
fn log(windows: [u32; 12]) -> String {
    let mut all = HEAD.to_owned();
    for (n, window) in windows.iter().enumerate() {
        let rate = [12.9, 18.7, 18.9, 18.8][n.min(3)];
        let again = if n == 9 { 23 } else { 0 };
        all += &format!(
            "[  5]   {n}.00-{}.00   sec  2.24 MBytes  {rate:.1} Mbits/sec  {again:3}   {window} KBytes\n",
            n + 1
        );
    }
    all + "- - - - -\n[  5]   0.00-12.00  sec  26.1 MBytes  18.3 Mbits/sec   23             sender\n[  5]   0.00-12.31  sec  26.0 MBytes  17.7 Mbits/sec                  receiver\n\niperf Done.\n"
}

/// The window hardly changes.
const STILL: [u32; 12] = [610, 640, 660, 670, 680, 690, 700, 700, 710, 690, 690, 700];

fn ping(ms: [f64; 3]) -> String {
    let [min, avg, max] = ms;
    format!(
        "PING 198.51.100.88 (198.51.100.88) 56(84) bytes of data.\n\n--- 198.51.100.88 ping statistics ---\n20 packets transmitted, 20 received, 0% packet loss, time 19021ms\nrtt min/avg/max/mdev = {min}/{avg}/{max}/1.2 ms\n\n"
    )
}

const REST: [f64; 3] = [17.2, 17.5, 18.1];
const LOADED: [f64; 3] = [17.6, 287.5, 331.0];

const SOCKET: &str = "ESTAB 0 702112 192.0.2.88:44018 198.51.100.88:5201\n\t ts sack cubic wscale:7,7 rto:640 rtt:307.5/4.1 mss:1448 pmtu:1500 cwnd:486 ssthresh:490 bytes_sent:26921000 bytes_retrans:33304 bytes_acked:26400000 delivery_rate 18.8Mbps busy:12010ms unacked:486 retrans:0/23 minrtt:17.2 snd_wnd:3143680\n";

fn text(flow: &FlowReport) -> String {
    let changes = flow.changes.iter();
    let changes = changes.flat_map(|c| c.commands.iter().chain([&c.risk, &c.host]).cloned());
    let all = flow.verdict.because.iter().cloned().chain(changes);
    all.collect::<Vec<_>>().join("\n")
}

fn link(d: &Diagnosis) -> String {
    let flow = &d.flows[0];
    assert_eq!(flow.verdict.cause, "link", "{:#?}", flow.verdict);
    text(flow)
}

/// One run of pings alone: its first was answered before the upload filled the queue, as the congestion window and the rate show.
#[test]
fn pings_that_rise_with_the_window_are_a_queue() {
    let all = link(&of(&(log(STILL) + &ping(LOADED)), &Default::default()));
    for words in ["grew by 270 ms", "adds 270 ms", "no longer waits 270 ms"] {
        assert!(all.contains(words), "{words}: {all}");
    }
    // A window of a quarter of that is not what they waited for.
    let small = of(
        &(log(STILL.map(|w| w / 4)) + &ping(LOADED)),
        &Default::default(),
    );
    assert!(!text(&small.flows[0]).contains("whatever shares the line"));
}

#[test]
fn pings_at_rest_and_under_load_are_a_queue_that_others_wait_for() {
    // Whichever was pasted first.
    for pings in [ping(REST) + &ping(LOADED), ping(LOADED) + &ping(REST)] {
        let all = link(&of(&(log(STILL) + &pings), &Default::default()));
        for words in [
            "grew by 270 ms",
            "adds 270 ms",
            "whatever shares the line waits as long",
            "no longer waits 270 ms",
            "fq_codel",
        ] {
            assert!(all.contains(words), "{words}: {all}");
        }
        // 18.8 Mbit/s of payload are 19.66 in frames as cake counts them, of which a twentieth is left.
        assert!(all.contains("cake bandwidth 18674kbit"), "{all}");
    }
    let with_line = link(&of(
        &(log(STILL) + &ping(REST) + &ping(LOADED)),
        &on("20Mbit/s"),
    ));
    assert!(
        with_line.contains("cake bandwidth 19000kbit"),
        "{with_line}"
    );
}

#[test]
fn a_sockets_round_trips_and_pings_give_one_figure() {
    for pings in [ping(REST), ping(LOADED), ping(REST) + &ping(LOADED)] {
        let d = of(&(log(STILL) + &pings + SOCKET), &Default::default());
        let all = link(&d);
        // 307.5 ms less the 17.2 of the floor, or the 17.5 of pings.
        assert_eq!(all.matches("290 ms").count(), 3, "{all}");
    }
}

/// What windows leave goes by the idle path: the queue is there because they leave more than the line.
#[test]
fn ceilings_go_by_the_path_without_the_queue() {
    let settings = "net.ipv4.tcp_rmem = 4096 131072 6291456\n";
    let log = log(STILL) + &ping(REST) + &ping(LOADED);
    let d = of_files(
        &[("log.txt", &log), ("receiver.txt", settings)],
        &on("20Mbit/s"),
    );
    let window = d.flows[0]
        .ceilings
        .iter()
        .find(|c| c.cause == "receive_window");
    let window = window.expect("its settings are known");
    assert!(window.limit_bps > 1e9, "{window:?}");
    assert!(
        window.formula.contains("RTT (17.15 to 18.15 ms)"),
        "{window:?}"
    );
}

/// The stated line is faster than what is full: pacing at the sender does not help.
#[test]
fn a_queue_far_below_the_line_is_a_shapers() {
    let d = of(&(log(STILL) + &ping(REST) + &ping(LOADED)), &on("1Gbit/s"));
    let flow = &d.flows[0];
    assert_eq!(flow.verdict.cause, "shaper", "{:#?}", flow.verdict);
    let all = text(flow);
    assert!(
        all.contains("far below 1.00 Gbit/s") && all.contains("root cake"),
        "{all}"
    );
    assert!(!all.contains("root fq\n"), "{all}");
}

/// What is full is not the sender's own shaper, which would let through fifty times as much.
#[test]
fn a_shaper_far_above_the_rate_is_left_alone() {
    let tc = "a$ tc -s qdisc show dev eth0\nqdisc tbf 8001: root refcnt 2 rate 984Mbit burst 1250Kb lat 5ms\n Sent 28310442 bytes 18911 pkt (dropped 0, overlimits 0 requeues 0)\n";
    let d = of(
        &(log(STILL) + &ping(REST) + &ping(LOADED) + tc),
        &on("1Gbit/s"),
    );
    let flow = &d.flows[0];
    assert_eq!(flow.verdict.cause, "shaper", "{:#?}", flow.verdict);
    let all = text(flow);
    assert!(
        !all.contains("tbf rate") && !all.contains("dev eth0"),
        "{all}"
    );
}

/// A router's shaper is changed in the router's own words.
#[test]
fn a_shaper_of_ios_gets_commands_of_ios() {
    let ios = "R1#show policy-map interface Gi0/1\n GigabitEthernet0/1\n\n  Service-policy output: WAN\n\n    Class-map: class-default (match-any)\n      18911 packets, 28310442 bytes\n      Match: any\n      shape (average) cir 20000000, bc 80000, be 80000\n      target shape rate 20000000\n\n";
    let d = of(
        &(log(STILL) + &ping(REST) + &ping(LOADED) + ios),
        &on("1Gbit/s"),
    );
    let flow = &d.flows[0];
    assert_eq!(flow.verdict.cause, "shaper", "{:#?}", flow.verdict);
    let all = text(flow);
    for words in [
        "policy-map WAN\n class class-default\n  fair-queue",
        "policy-map WAN\n class class-default\n  shape average ",
        "in place of fair-queue, which some platforms lack: queue-limit ",
        "no longer waits 270 ms",
    ] {
        assert!(all.contains(words), "{words}: {all}");
    }
    assert!(!all.contains("tc qdisc"), "{all}");
    assert!(flow.changes.iter().all(|c| c.host == "R1"), "{all}");
}

#[test]
fn a_shaper_that_lets_packets_wait_gets_a_change() {
    let tc = "qdisc tbf 8002: dev eth3 root refcnt 2 rate 20Mbit burst 16Kb lat 310ms\n Sent 28310442 bytes 18911 pkt (dropped 23, overlimits 40211 requeues 0)\n backlog 700112b 462p requeues 0\n";
    for rest in [String::new(), ping(REST) + SOCKET] {
        let log = log(STILL) + &rest;
        let d = of_files(
            &[("log.txt", &log), ("gateway.txt", tc)],
            &Default::default(),
        );
        let flow = &d.flows[0];
        assert_eq!(flow.verdict.cause, "shaper", "{:#?}", flow.verdict);
        let all = text(flow);
        assert!(all.contains("cake bandwidth 19000kbit"), "{all}");
        assert!(all.contains("no longer waits"), "{all}");
        assert!(all.contains("dropped 23 packets, and 23 segments"), "{all}");
    }
}

/// Without any ping: what a window grew by while the rate stayed waits somewhere.
#[test]
fn a_window_that_outgrows_the_rate_fills_a_queue() {
    let growing = [90, 180, 310, 430, 520, 590, 650, 690, 720, 510, 520, 540];
    let d = of(&log(growing), &Default::default());
    let flow = &d.flows[0];
    assert_ne!(flow.verdict.cause, "policer", "{:#?}", flow.verdict);
    assert!(
        text(flow).contains("what was added waits in a queue"),
        "{flow:#?}"
    );
    let still = of(&log(STILL), &Default::default());
    assert!(
        !text(&still.flows[0]).contains("what was added"),
        "{still:#?}"
    );
}

/// Two runs at rest that differ a little show nothing of a queue.
#[test]
fn pings_that_differ_little_are_of_one_path() {
    let d = of(
        &(log(STILL) + &ping(REST) + &ping([18.0, 20.1, 26.0])),
        &Default::default(),
    );
    assert!(
        !text(&d.flows[0]).contains("whatever shares the line"),
        "{d:#?}"
    );
    let rtt = d.flows[0].observed.rtt_ns.expect("it was pinged");
    assert!((17e6..21e6).contains(&rtt), "{rtt}");
}

/// An upload of two intervals: 25 MB over an idle round trip of 12 ms are over slow start in 0.15 s, however long the queue is that it fills.
#[test]
fn a_queue_is_no_round_trip_of_slow_start() {
    let log = format!(
        "{HEAD}[  5]   0.00-5.00   sec  12.6 MBytes  21.1 Mbits/sec    0   2.12 MBytes\n[  5]   5.00-10.00  sec  11.2 MBytes  18.9 Mbits/sec    0   2.40 MBytes\n- - - - -\n[  5]   0.00-10.00  sec  23.8 MBytes  20.0 Mbits/sec    0             sender\n[  5]   0.00-10.75  sec  23.8 MBytes  18.6 Mbits/sec                  receiver\n"
    );
    let text = [ping([12.0, 12.1, 12.3]), log, ping([701.0, 940.1, 1002.3])].concat();
    let flow = of(&text, &Known::default()).flows.remove(0);
    assert_ne!(flow.verdict.cause, "ramp", "{:#?}", flow.verdict);
    let ramp = flow.ceilings.iter().any(|c| c.cause == "ramp");
    assert!(!ramp, "{:#?}", flow.ceilings);
}

/// A ping that stands behind an upload and before a download is of the upload's queue.
#[test]
fn a_loaded_ping_is_of_the_test_before_it() {
    let download = "Connecting to host 198.51.100.88, port 5201\nReverse mode, remote host 198.51.100.88 is sending\n[  5] local 192.0.2.88 port 44020 connected to 198.51.100.88 port 5201\n[ ID] Interval           Transfer     Bitrate\n[  5]   0.00-5.00   sec  56.0 MBytes  94.0 Mbits/sec\n[  5]   5.00-10.00  sec  56.1 MBytes  94.1 Mbits/sec\n- - - - -\n[  5]   0.00-10.02  sec   112 MBytes  93.9 Mbits/sec    0             sender\n[  5]   0.00-10.00  sec   112 MBytes  94.1 Mbits/sec                  receiver\n";
    let text = [ping(REST), log(STILL), ping(LOADED), download.to_owned()].concat();
    let d = of(&text, &Known::default());
    let grew = |fast: bool| {
        let mut flows = d.flows.iter();
        let is = |f: &&FlowReport| {
            f.observed
                .goodput_bps
                .is_some_and(|bps| (bps > 5e7) == fast)
        };
        let flow = flows.find(is).expect("both ways were tested");
        flow.verdict
            .because
            .join("\n")
            .contains("under load the round trip grew")
    };
    assert!(grew(false));
    assert!(!grew(true));
}

/// Pings to a host that is not an end of the flow share its access link: the queue that they met is the one that its window fills.
#[test]
fn pings_to_another_host_show_the_queue_that_a_window_fills() {
    let ping = |ms: [f64; 3]| {
        let [min, avg, max] = ms;
        format!(
            "$ ping -c 10 -q 1.1.1.1\nPING 1.1.1.1 (1.1.1.1) 56(84) bytes of data.\n\n--- 1.1.1.1 ping statistics ---\n10 packets transmitted, 10 received, 0% packet loss, time 9012ms\nrtt min/avg/max/mdev = {min}/{avg}/{max}/0.4 ms\n\n"
        )
    };
    let pings = [
        "idle:\n".to_owned(),
        ping([13.911, 14.402, 15.2]),
        "while uploading:\n".to_owned(),
        ping([688.11, 941.202, 1102.3]),
    ]
    .concat();
    let log = |windows: [u32; 10]| {
        let mut all = format!("$ iperf3 -c 198.51.100.88 -t 10\n{HEAD}");
        for (n, window) in windows.into_iter().enumerate() {
            let (rate, again) = match n {
                0 => (15.7, 0),
                4 => (9.44, 12),
                _ => (9.44, 0),
            };
            all += &format!(
                "[  5]   {n}.00-{}.00   sec  1.12 MBytes  {rate} Mbits/sec  {again:3}   {window} KBytes\n",
                n + 1
            );
        }
        all + "- - - - -\n[  5]   0.00-10.00  sec  12.0 MBytes  10.1 Mbits/sec   12             sender\n[  5]   0.00-10.90  sec  11.6 MBytes  8.95 Mbits/sec                  receiver\n"
    };
    let full = log([211, 438, 663, 891, 812, 840, 880, 910, 941, 980]);
    let d = of(&(pings.clone() + &full), &Default::default());
    let all = link(&d);
    for words in [
        "pings to 1.1.1.1 share the first links",
        "adds 927 ms",
        "no longer waits 927 ms",
        "cake bandwidth",
    ] {
        assert!(all.contains(words), "{words}: {all}");
    }
    // Those to the first hop meet it as well, and nothing more is asked for then.
    let near = pings.replace("(1.1.1.1)", "(203.0.113.1)");
    let near = near.replace("1.1.1.1", "gw.isp.example");
    let d = of(&(near + &full), &Default::default());
    let all = link(&d);
    for words in [
        "pings to gw.isp.example share the first links",
        "cake bandwidth",
    ] {
        assert!(all.contains(words), "{words}: {all}");
    }
    let asked: Vec<&str> = d.flows[0].missing.iter().map(|m| m.fact).collect();
    assert!(!asked.contains(&"rtt_loaded_ns"), "{asked:?}");
    // What is in flight with a small window is not what others wait for.
    let small = log([30; 10]);
    let d = of(&(pings + &small), &Default::default());
    assert!(!text(&d.flows[0]).contains("share the first links"));
}

/// A round trip while both ways are loaded that is many times the one at rest is of the queue of the far slower way.
#[test]
fn a_test_of_both_ways_has_the_queue_of_the_slower_one() {
    let summary = "$ networkQuality -v\n==== SUMMARY ====\nUplink capacity: 18.122 Mbps\nDownlink capacity: 412.221 Mbps\nResponsiveness: Low (41 RPM)\nIdle Latency: 14.500 milliseconds\nInterface: en0\nUplink Flow count: 12\nDownlink Flow count: 16\n";
    let d = of(summary, &Default::default());
    let all = link(&d);
    for words in ["adds 1449 ms", "23 times as fast", "cake bandwidth"] {
        assert!(all.contains(words), "{words}: {all}");
    }
    assert!(!text(&d.flows[1]).contains("cake bandwidth"));
}

/// A test of the other way, or of other hosts, that stands above pings during the upload takes nothing from it.
#[test]
fn pings_during_an_upload_are_its_own_whatever_stands_above_them() {
    let test = |reverse: bool, own: &str, far: &str| {
        let (option, says) = match reverse {
            true => (
                "-R ",
                format!("Reverse mode, remote host {far} is sending\n"),
            ),
            false => ("", String::new()),
        };
        format!(
            "$ iperf3 -c {far} {option}-t 10\nConnecting to host {far}, port 5201\n{says}[  5] local {own} port 50001 connected to {far} port 5201\n[ ID] Interval           Transfer     Bitrate         Retr\n[  5]   0.00-10.00  sec  112 MBytes  93.6 Mbits/sec  0             sender\n[  5]   0.00-10.04  sec  112 MBytes  93.6 Mbits/sec                  receiver\n\niperf Done.\n\n"
        )
    };
    let upload = format!(
        "idle:\n$ ping -c 20 198.51.100.88\n{}during the upload:\n$ ping -c 20 198.51.100.88\n{}$ iperf3 -c 198.51.100.88 -t 12\n{}",
        ping(REST),
        ping(LOADED),
        log(STILL)
    );
    let download = test(true, "192.0.2.88", "198.51.100.88");
    let others = test(false, "203.0.113.9", "203.0.113.250");
    for all in [
        upload.clone() + &download,
        download + &upload,
        others + &upload,
    ] {
        let d = of(&all, &Known::default());
        assert_eq!(d.flows.len(), 2, "{all}");
        for flow in &d.flows {
            let because = flow.verdict.because.join("\n");
            let grew = because.contains("the round trip grew by 270 ms");
            let own = flow.name == "192.0.2.88 > 198.51.100.88";
            assert_eq!(grew, own, "{}: {because}", flow.name);
        }
    }
}
