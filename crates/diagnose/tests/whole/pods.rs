//! Shapers of hosts whose rate is to be changed: of pods by their annotation, of others by `tc`.

use farpath_diagnose::{FlowReport, Known};

use crate::{first_flow, of};

/// Ten seconds at what a shaper of 100 Mbit/s leaves for payload.
fn log() -> String {
    let mut all = "ubuntu@node1:~$ iperf3 -c 10.244.1.17 -t 10\nConnecting to host 10.244.1.17, port 5201\n[  5] local 10.244.0.9 port 40116 connected to 10.244.1.17 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n".to_owned();
    for n in 0..10 {
        all += &format!(
            "[  5]   {n}.00-{}.00   sec  11.4 MBytes  95.{} Mbits/sec    0    240 KBytes\n",
            n + 1,
            3 + n % 3
        );
    }
    all + "- - - - -\n[ ID] Interval           Transfer     Bitrate         Retr\n[  5]   0.00-10.00  sec   114 MBytes  95.4 Mbits/sec    0             sender\n[  5]   0.00-10.03  sec   114 MBytes  95.3 Mbits/sec                  receiver\n\niperf Done.\n\n"
}

fn shaped(port: &str, known: &Known) -> FlowReport {
    let text = format!(
        "{}root@node1:~# tc -s qdisc show dev {port}\nqdisc tbf 1: root refcnt 2 rate 100Mbit burst 256Mb lat 25ms\n Sent 178257920 bytes 117739 pkt (dropped 0, overlimits 2213341 requeues 0)\n backlog 0b 0p requeues 0\n",
        log()
    );
    first_flow(of(&text, known))
}

#[test]
fn a_pods_bandwidth_is_that_of_its_annotation() {
    for port in [
        "veth8c1f2a3b",
        "cali1234567890a",
        "lxc0f",
        "eni4f2a",
        "bwpd1",
    ] {
        let flow = shaped(port, &Known::default());
        assert_eq!(flow.verdict.cause, "shaper", "{:#?}", flow.verdict);
        let change = &flow.changes[0];
        assert_eq!(change.host, "node1");
        let commands = change.commands.join("\n");
        for words in [
            "kubernetes.io/ingress-bandwidth",
            "kubernetes.io/egress-bandwidth",
            &format!("tc qdisc change dev {port} root tbf rate RATE"),
        ] {
            assert!(commands.contains(words), "{words}: {commands}");
        }
        assert_eq!(change.predicted_bps, None);
        assert!(
            change.undo.join("\n").contains("rate 100000kbit"),
            "{:?}",
            change.undo
        );
    }
}

#[test]
fn another_shapers_rate_is_changed_by_tc() {
    let flow = shaped("ens4", &Known::default());
    let change = &flow.changes[0];
    let commands = change.commands.join("\n");
    assert!(
        commands.starts_with("tc qdisc change dev ens4 root tbf rate RATE"),
        "{commands}"
    );
    assert!(!commands.contains("kubernetes"), "{commands}");
    // What is wanted, with headers.
    let known = Known {
        target: Some("400 Mbit/s".parse().expect("a rate")),
        ..Known::default()
    };
    let commands = shaped("ens4", &known).changes[0].commands.join("\n");
    assert!(commands.contains("tbf rate 42"), "{commands}");
}
