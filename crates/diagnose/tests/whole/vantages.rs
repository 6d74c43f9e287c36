//! Pings of one host from two prompts: of two paths, unless a text says that one was sent under load.

use farpath_diagnose::FlowReport;

use crate::{asked_with, because, first_flow, of, on};

const SHORT: [f64; 3] = [3.0, 3.1, 3.3];
const LONG: [f64; 3] = [60.0, 60.2, 60.4];

fn ping(prompt: &str, [least, mean, most]: [f64; 3]) -> String {
    format!(
        "{prompt}$ ping -c 5 -q 10.65.4.20\nPING 10.65.4.20 (10.65.4.20) 56(84) bytes of data.\n\n--- 10.65.4.20 ping statistics ---\n5 packets transmitted, 5 received, 0% packet loss, time 4005ms\nrtt min/avg/max/mdev = {least}/{mean}/{most}/0.1 ms\n\n"
    )
}

const LOG: &str = "Connecting to host 10.65.4.20, port 5201\n[  5] local 10.20.1.11 port 44170 connected to 10.65.4.20 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr\n[  5]   0.00-30.00  sec  1.08 GBytes   310 Mbits/sec  0             sender\n[  5]   0.00-30.17  sec  1.08 GBytes   308 Mbits/sec                  receiver\n";

fn flow(text: &str) -> FlowReport {
    first_flow(of(text, &on("10Gbit/s")))
}

fn rtt_ms(flow: &FlowReport) -> f64 {
    flow.observed.rtt_ns.expect("it was pinged") / 1e6
}

/// Which of the two hosts' round trips the flow has, as it is asked.
fn which(flow: &FlowReport) -> bool {
    let mut all = flow.missing.iter();
    all.any(|m| m.would_decide.contains("3.1 ms, as pings on"))
}

#[test]
fn two_hosts_whose_pings_lie_far_apart_may_have_two_paths() {
    for (a, b) in [("alpha", "beta"), ("beta", "alpha")] {
        let flow = flow(&(ping(a, SHORT) + &ping(b, LONG) + LOG));
        let because = because(&flow);
        assert!(!because.contains("grew by"), "{because}");
        assert!(which(&flow), "{:#?}", flow.missing);
        assert!(
            asked_with(&flow, "rtt_idle_ns").is_some_and(|c| c.contains("again during a test"))
        );
        assert!((60.0..60.5).contains(&rtt_ms(&flow)), "{}", rtt_ms(&flow));
    }
}

/// The host at whose prompt the test was printed is an end: what it pings is the flow's path.
#[test]
fn what_an_end_of_the_flow_pings_is_its_path() {
    let test = format!("alpha$ iperf3 -c 10.65.4.20 -t 30\n{LOG}");
    for (own, other, least) in [(SHORT, LONG, 3.0), (LONG, SHORT, 60.0)] {
        let flow = flow(&(ping("alpha", own) + &ping("beta", other) + &test));
        let rtt = rtt_ms(&flow);
        assert!((least..least + 0.5).contains(&rtt), "{rtt}");
        assert!(!which(&flow), "{:#?}", flow.missing);
        let because = because(&flow);
        assert!(!because.contains("grew by"), "{because}");
    }
}

/// A test at a prompt without a name has the round trip of what was pinged there, and not that of a host with a name.
#[test]
fn what_a_third_host_pings_is_not_the_path_of_a_test_without_a_name() {
    let test = format!("$ iperf3 -c 10.65.4.20 -t 30\n{LOG}");
    for text in [
        test.clone() + &ping("", LONG) + &ping("laptop", SHORT),
        ping("", LONG) + &test + &ping("laptop", SHORT),
    ] {
        let d = of(&text, &on("10Gbit/s"));
        let notes = d.notes.join("\n");
        assert!(
            notes.contains("typed on another host than the test"),
            "{notes}"
        );
        let flow = first_flow(d);
        let because = because(&flow);
        assert!(!because.contains("grew by"), "{because}");
        assert!((60.0..60.5).contains(&rtt_ms(&flow)), "{}", rtt_ms(&flow));
    }
    // What varies at the prompt of the test may have met a queue.
    let loaded = ping("", [61.0, 180.0, 402.0]);
    let flow = flow(&(test + &loaded + &ping("laptop", SHORT)));
    let because = because(&flow);
    assert!(because.contains("grew by"), "{because}");
}

/// One prompt, a word of the load, or a test in the background: it is asked of no two hosts.
#[test]
fn pings_that_a_text_calls_loaded_are_of_one_path() {
    let rest = ping("alpha", SHORT);
    for (loaded, words) in [
        ("alpha", ""),
        ("beta", "During the test:\n"),
        ("beta", "beta$ iperf3 -c 10.65.4.20 -t 60 &\n"),
    ] {
        let text = format!("{rest}{words}{}{LOG}", ping(loaded, LONG));
        let flow = flow(&text);
        assert!(!which(&flow), "{words}: {:#?}", flow.missing);
        let because = because(&flow);
        assert!(!because.contains("on beta"), "{because}");
    }
}
