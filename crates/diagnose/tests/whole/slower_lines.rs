//! A line that is said to be faster than what is full: a shaper, or a link of the path that is slower.

use farpath_diagnose::{FlowReport, Known};

use crate::{asked, because, first_flow, of_files, on};

/// A bottleneck of 300 Mbit/s that is full for 12 s, and pings beside it, at rest and under load.
fn text() -> String {
    let mut all = "admin@oslo:~$ iperf3 -c 198.51.100.61 -t 12\nConnecting to host 198.51.100.61, port 5201\n[  5] local 192.0.2.16 port 40116 connected to 198.51.100.61 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n".to_owned();
    for n in 0..12 {
        let mbit = match n {
            0 => 251.0,
            n => 282.0 + f64::from(n % 3) * 0.3,
        };
        let size = mbit / 8.388_608;
        all += &format!(
            "[  5]   {n}.00-{}.00   sec  {size:.1} MBytes   {mbit:.0} Mbits/sec    0   5.30 MBytes\n",
            n + 1
        );
    }
    all += "- - - - -\n[ ID] Interval           Transfer     Bitrate         Retr\n[  5]   0.00-12.00  sec   400 MBytes   280 Mbits/sec    0             sender\n[  5]   0.00-12.15  sec   398 MBytes   275 Mbits/sec                  receiver\n\niperf Done.\n\n";
    for [least, mean, most] in [[20.1, 20.2, 20.6], [20.4, 151.0, 166.0]] {
        all += &format!(
            "admin@oslo:~$ ping -q -c 20 198.51.100.61\nPING 198.51.100.61 (198.51.100.61) 56(84) bytes of data.\n\n--- 198.51.100.61 ping statistics ---\n20 packets transmitted, 20 received, 0% packet loss, time 19031ms\nrtt min/avg/max/mdev = {least}/{mean}/{most}/0.2 ms\n\n"
        );
    }
    all
}

/// Neither is said with more than 60 %, and each stands beside the other.
fn undecided(flow: &FlowReport) {
    let verdict = &flow.verdict;
    let second = verdict.second.as_ref().expect("the other one");
    let mut both = [verdict.cause, second.cause];
    both.sort_unstable();
    assert_eq!(both, ["link", "shaper"], "{verdict:#?}");
    for confidence in [verdict.confidence, second.confidence] {
        assert!((0.3..=0.6).contains(&confidence), "{verdict:#?}");
    }
    assert!(asked(flow).contains(&"line_bps"), "{:#?}", flow.missing);
}

#[test]
fn a_line_that_was_said_and_not_measured_may_be_slower() {
    let text = text();
    let flow = first_flow(of_files(&[("log.txt", &text)], &on("1 Gbit/s")));
    undecided(&flow);
    let why = because(&flow);
    assert!(
        why.contains("slower than the 1.00 Gbit/s that you gave, which was said and not measured"),
        "{why}"
    );
    let service = "a service that is sold at this rate, or a link of the path";
    assert!(why.contains(service), "{why}");
}

/// The interface of a host says nothing of the links behind it.
#[test]
fn a_link_behind_a_faster_interface_may_be_slower() {
    let text = text();
    let port = "Settings for eno1:\n\tSpeed: 1000Mb/s\n\tDuplex: Full\n";
    let files = [("log.txt", text.as_str()), ("sender.txt", port)];
    let flow = first_flow(of_files(&files, &Known::default()));
    undecided(&flow);
    assert!(because(&flow).contains("eno1"), "{}", because(&flow));
}

/// With the line as it is there is nothing to explain.
#[test]
fn the_line_as_it_is_is_full() {
    let text = text();
    let flow = first_flow(of_files(&[("log.txt", &text)], &on("300 Mbit/s")));
    assert_eq!(flow.verdict.cause, "link", "{:#?}", flow.verdict);
    assert!(flow.verdict.confidence >= 0.8, "{:#?}", flow.verdict);
}

/// A shaper that a text has, and that is full of the flow, needs no slower link.
#[test]
fn a_shaper_that_is_known_is_named_alone() {
    let tc = "root@gw7:~# tc -s qdisc show dev ens4\nqdisc tbf 8003: root refcnt 2 rate 300Mbit burst 64Kb lat 300ms\n Sent 400000000 bytes 270000 pkt (dropped 0, overlimits 2213341 requeues 0)\n backlog 406Kb 268p requeues 0\n";
    let text = text() + tc;
    let flow = first_flow(of_files(&[("log.txt", &text)], &on("1 Gbit/s")));
    assert_eq!(flow.verdict.cause, "shaper", "{:#?}", flow.verdict);
    assert!(flow.verdict.confidence > 0.6, "{:#?}", flow.verdict);
}
