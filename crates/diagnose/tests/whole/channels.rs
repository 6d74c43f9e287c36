//! What the channel of OpenSSH leaves of a gain, and whose processor a test reports.

use farpath_diagnose::{FlowReport, Known};

use crate::{of, on};

/// A copy by scp over 240 ms, and the receiver's socket settings: 1 MiB.
fn copy(rmem: u32) -> FlowReport {
    let text = format!(
        "$ scp data.tar far:/data/\ndata.tar                                      100% 4096MB   2.2MB/s   31:02\n\
         $ ping -c 5 -q 192.0.2.10\nPING 192.0.2.10 (192.0.2.10) 56(84) bytes of data.\n\n--- 192.0.2.10 ping statistics ---\n\
         5 packets transmitted, 5 received, 0% packet loss, time 4005ms\nrtt min/avg/max/mdev = 240.1/240.2/240.3/0.1 ms\n\
         # on the receiver\n$ sysctl net.ipv4.tcp_rmem\nnet.ipv4.tcp_rmem = 4096 87380 {rmem}\n"
    );
    let known = Known {
        window: Some("512 KiB".parse().expect("a size")),
        ..on("10 Gbit/s")
    };
    of(&text, &known).flows.remove(0)
}

/// A larger window gives what the channel leaves, 2 MiB a round trip, and no more.
#[test]
fn a_larger_window_gives_no_more_than_the_channel_of_openssh() {
    let flow = copy(1_048_576);
    assert_eq!(flow.verdict.cause, "receive_window", "{:#?}", flow.verdict);
    let change = &flow.changes[0];
    let gives = change.predicted_bps.expect("a rate");
    let channel = 2_097_152.0 * 8.0 / 0.2402;
    assert!((gives / channel - 1.0).abs() < 0.01, "{gives}");
    assert!(change.risk.contains("OpenSSH"), "{}", change.risk);
}

/// The end whose processor is full is where something is changed.
#[test]
fn a_full_processor_is_of_the_end_that_the_test_names() {
    let text = |first: &str, second: &str| {
        format!(
            "Connecting to host 192.0.2.2, port 5201\n[  5] local 192.0.2.1 port 40000 connected to 192.0.2.2 port 5201\n\
             [ ID] Interval           Transfer     Bitrate         Retr\n[  5]   0.00-10.00  sec  3.52 GBytes  3.02 Gbits/sec    0             sender\n\
             [  5]   0.00-10.00  sec  3.52 GBytes  3.02 Gbits/sec                  receiver\n\
             CPU Utilization: local/sender {first}% (0.6%u/30.4%s), remote/receiver {second}% (1.9%u/97.3%s)\n"
        )
    };
    let host = |first: &str, second: &str| {
        let flow = of(&text(first, second), &on("10 Gbit/s")).flows.remove(0);
        assert_eq!(flow.verdict.cause, "host_cpu", "{:#?}", flow.verdict);
        flow.changes[0].host.clone()
    };
    assert_eq!(host("31.0", "99.2"), "192.0.2.2");
    assert_eq!(host("99.2", "31.0"), "192.0.2.1");
}

/// What is set is what the channel has use for: twice 2 MiB, whatever the line's product with the round trip is.
#[test]
fn a_copy_over_ssh_asks_for_no_more_than_its_channel_uses() {
    let flow = copy(1_048_576);
    let commands = flow.changes[0].commands.join("; ");
    assert!(commands.contains("87380 4194304\""), "{commands}");
    // What has that much already is left as it is.
    let flow = copy(4_194_304);
    let commands: Vec<&String> = flow.changes.iter().flat_map(|c| &c.commands).collect();
    assert!(
        commands.iter().all(|c| !c.contains("sysctl -w")),
        "{commands:?}"
    );
}
