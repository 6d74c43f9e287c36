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

/// A copy over SSH with 12 MB in flight by its rate, whatever a snapshot in a pause shows: the channel of a stock OpenSSH did not hold it,
/// and is not what limits after its disk.
#[test]
fn a_ceiling_below_what_was_measured_is_not_promised() {
    let text = "$ ping -c 20 203.0.113.20
PING 203.0.113.20 (203.0.113.20) 56(84) bytes of data.
--- 203.0.113.20 ping statistics ---
20 packets transmitted, 20 received, 0% packet loss, time 19026ms
rtt min/avg/max/mdev = 88.011/88.064/88.213/0.048 ms
$ rsync -av run0412.h5 203.0.113.20:/data/
sending incremental file list
run0412.h5
sent 53,700,198,514 bytes  received 35 bytes  137,165,258.11 bytes/sec
total size is 53,687,091,200  speedup is 1.00
$ ss -tim dst 203.0.113.20
ESTAB 0      4344 198.51.100.10:41822 203.0.113.20:22
\t cubic wscale:14,14 rto:289 rtt:88.1/0.4 mss:1448 pmtu:1500 cwnd:10000 bytes_sent:53600000000 bytes_acked:53599995657 segs_out:37000000 data_segs_out:37000000 send 1.31Gbps busy:380000ms unacked:3 app_limited minrtt:88.01 snd_wnd:33554432
$ iostat -xm 5 2 sdb
Device            r/s     rMB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wMB/s   wrqm/s  %wrqm w_await wareq-sz     d/s     dMB/s   drqm/s  %drqm d_await dareq-sz     f/s f_await  aqu-sz  %util
sdb            268.40    134.20     0.00   0.00    7.42   512.00    0.00      0.00     0.00   0.00    0.00     0.00    0.00      0.00     0.00   0.00    0.00     0.00    0.00    0.00    1.99  99.80
";
    let d = crate::of(text, &crate::on("10 Gbit/s"));
    let flow = &d.flows[0];
    assert_eq!(flow.verdict.cause, "disk", "{:#?}", flow.verdict);
    let measured = flow.observed.goodput_bps.expect("it is known");
    for change in &flow.changes {
        let then = change
            .predicted_bps
            .is_none_or(|bps| bps >= 0.98 * measured);
        assert!(then, "{measured} {change:#?}");
        assert!(!change.risk.contains("2 MiB of a channel"), "{change:#?}");
    }
}
