//! Tests both ways between two hosts: "sender" and "receiver" are hosts, each at its other end in the test the other way.

use farpath_diagnose::{Diagnosis, FlowReport};

use crate::{of_files, on};

/// One way: slow.
const SLOW: &str = "\
[ops@ham ~]$ iperf3 -c 198.51.100.20 -t 30
Connecting to host 198.51.100.20, port 5201
[  5] local 192.0.2.10 port 51514 connected to 198.51.100.20 port 5201
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-30.00  sec   685 MBytes   192 Mbits/sec    0             sender
[  5]   0.00-30.17  sec   680 MBytes   189 Mbits/sec                  receiver
";

/// The other way: fine.
const FINE: &str = "\
[ops@ham ~]$ iperf3 -c 198.51.100.20 -t 30 -R
Connecting to host 198.51.100.20, port 5201
Reverse mode, remote host 198.51.100.20 is sending
[  5] local 192.0.2.10 port 51520 connected to 198.51.100.20 port 5201
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-30.00  sec  13.01 GBytes   3.72 Gbits/sec  0             sender
[  5]   0.00-30.17  sec  12.91 GBytes   3.67 Gbits/sec                  receiver
";

const PING: &str = "rtt min/avg/max/mdev = 170.081/170.172/170.301/0.061 ms\n";

fn settings(rmem: u64, wmem: u64) -> String {
    format!("net.ipv4.tcp_rmem = 4096 131072 {rmem}\nnet.ipv4.tcp_wmem = 4096 16384 {wmem}\n")
}

fn from(flow: &FlowReport, cause: &str) -> String {
    let limit = flow.ceilings.iter().find(|c| c.cause == cause);
    limit.expect("it is known").from.join(" ")
}

/// The buffer is of that text, and the window of the other.
fn sends_from(flow: &FlowReport, sends: &str, receives: &str) {
    assert!(from(flow, "send_buffer").contains(sends), "{}", flow.name);
    assert!(
        from(flow, "receive_window").contains(receives),
        "{}",
        flow.name
    );
}

fn held_to(d: &Diagnosis, near: &str, far: &str) {
    assert!(d.contradictions.is_empty(), "{:?}", d.contradictions);
    for flow in &d.flows {
        let (sends, receives) = match flow.name.starts_with("192.0.2.10") {
            true => (near, far),
            false => (far, near),
        };
        sends_from(flow, sends, receives);
    }
}

#[test]
fn a_role_is_of_one_flow_and_its_host_of_all() {
    let near = settings(167_772_160, 4_194_304);
    let far = settings(268_435_456, 268_435_456);
    // The slow one is spoken of, whichever was pasted first.
    for tests in [
        [("1.txt", SLOW), ("2.txt", FINE)],
        [("1.txt", FINE), ("2.txt", SLOW)],
    ] {
        for [a, b] in [["sender.txt", "receiver.txt"], ["client.txt", "server.txt"]] {
            let texts = [(a, near.as_str()), (b, &far), ("ping.txt", PING)];
            let all: Vec<(&str, &str)> = tests.iter().chain(&texts).copied().collect();
            held_to(&of_files(&all, &on("10 Gbit/s")), a, b);
        }
    }
}

#[test]
fn of_two_hosts_with_names_the_one_that_does_not_send_receives() {
    let prompt = |name: &str, text: String| format!("[ops@{name} ~]$ sysctl -a\n{text}");
    let near = prompt("ham", settings(167_772_160, 67_108_864));
    let far = prompt("pac", settings(268_435_456, 268_435_456));
    for (test, sends, receives) in [(SLOW, "ham.txt", "pac.txt"), (FINE, "pac.txt", "ham.txt")] {
        let texts = [("test.txt", test), ("ham.txt", &near), ("pac.txt", &far)];
        let all: Vec<(&str, &str)> = texts.into_iter().chain([("ping.txt", PING)]).collect();
        let flow = &of_files(&all, &on("10 Gbit/s")).flows[0];
        let rows = |cause| flow.ceilings.iter().filter(|c| c.cause == cause).count();
        assert_eq!(
            [rows("send_buffer"), rows("receive_window")],
            [1, 1],
            "{}",
            flow.name
        );
        sends_from(flow, sends, receives);
    }
}

#[test]
fn what_prompts_say_of_a_host_decides_which_flow_a_role_is_of() {
    // Both ways are alike, and the first test is not the one that roles are of.
    let slow = SLOW.replace(" 192 M", "3.72 G").replace(" 189 M", "3.67 G");
    let prompt = |name: &str, text: String| format!("[ops@{name} ~]$ sysctl -a\n{text}");
    let near = prompt("ham", settings(167_772_160, 67_108_864));
    let far = prompt("pac", settings(268_435_456, 268_435_456));
    let d = of_files(
        &[
            ("1.txt", &slow),
            ("2.txt", FINE),
            ("receiver.txt", &near),
            ("sender.txt", &far),
            ("ping.txt", PING),
        ],
        &on("10 Gbit/s"),
    );
    for flow in &d.flows {
        let sends = match flow.name.starts_with("192.0.2.10") {
            true => "receiver.txt",
            false => "sender.txt",
        };
        assert!(from(flow, "send_buffer").contains(sends), "{}", flow.name);
    }
}
