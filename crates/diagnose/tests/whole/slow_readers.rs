//! A receiver whose processor is full reads slowly: every further sign of that speaks for the processor.

use farpath_diagnose::{FlowReport, Known};

use crate::{of_files, on};

const LOG: &str = "\
[  5] local 198.51.100.10 port 41822 connected to 203.0.113.20 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-5.00   sec  5.29 GBytes  9.08 Gbits/sec    0    152 MBytes
[  5]   5.00-10.00  sec  5.30 GBytes  9.10 Gbits/sec    0    152 MBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00  sec  10.6 GBytes  9.09 Gbits/sec    0             sender
[  5]   0.00-10.09  sec  10.5 GBytes  9.07 Gbits/sec                  receiver
";
const USED: &str =
    "CPU Utilization: local/sender 31.1% (0.4%u/30.7%s), remote/receiver 99.2% (1.2%u/98.0%s)\n";
const PING: &str = "\
PING 203.0.113.20 (203.0.113.20) 56(84) bytes of data.
--- 203.0.113.20 ping statistics ---
20 packets transmitted, 20 received, 0% packet loss, time 19026ms
rtt min/avg/max/mdev = 88.011/88.064/88.213/0.048 ms
";
const WAITS: &str = "\
ESTAB 0      151384576 198.51.100.10:41822 203.0.113.20:5201
\t skmem:(r0,rb131072,t0,tb353248000,f2048,w203310336,o0,bl0,d0) cubic wscale:14,14 rto:291 rtt:88.92/0.341 mss:8948 pmtu:9000 rcvmss:536 advmss:8948 cwnd:17880 bytes_sent:11582912000 bytes_acked:11480000000 segs_out:1293069 segs_in:210220 data_segs_out:1293067 send 14.4Gbps delivery_rate 9.08Gbps delivered:1281967 busy:10000ms rwnd_limited:9112ms(91.1%) unacked:11412 notsent:49270000 minrtt:88.02 snd_wnd:102116992
";
const UNREAD: &str = "\
ESTAB 98214912 0 203.0.113.20:5201 198.51.100.10:41822
\t skmem:(r196823936,rb268421772,t0,tb87040,f0,w0,o0,bl0,d0)
";
const ROWS: &str = "\
02:48:31 AM  CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle
02:48:36 AM  all    0.30    0.00    9.90    0.02    0.00    7.11    0.00    0.00    0.00   82.67
02:48:36 AM    0    0.20    0.00    0.60    0.00    0.00    0.00    0.00    0.00    0.00   99.20
02:48:36 AM    2    1.20    0.00   77.40    0.00    0.00   21.40    0.00    0.00    0.00    0.00
";
const LARGE: &str =
    "net.ipv4.tcp_rmem = 4096 131072 1073741824\nnet.ipv4.tcp_wmem = 4096 16384 1073741824\n";

fn mpstat() -> String {
    format!("Linux 6.8.0-45-generic (dtn7) \t11/28/2026 \t_x86_64_\t(8 CPU)\n\n{ROWS}")
}

fn flow(files: &[(&str, &str)], known: &Known) -> FlowReport {
    of_files(files, known).flows.remove(0)
}

/// The processor leads, at the receiver, and nothing is promised by a window that it made small.
fn is_processor(flow: &FlowReport, least: f64) {
    let verdict = &flow.verdict;
    assert_eq!(verdict.cause, "host_cpu", "{verdict:#?}");
    assert!(verdict.confidence >= least, "{verdict:#?}");
    assert_eq!(flow.changes[0].host, "203.0.113.20", "{:#?}", flow.changes);
    for change in &flow.changes {
        let commands = change.commands.join("\n");
        assert!(!commands.contains("iperf3 -s on one host"), "{commands}");
        assert!(!commands.contains("rmem"), "{commands}");
        // What its settings of 1 GiB leave is far above what was announced.
        let window = |t: &&farpath_diagnose::Then| t.cause == "receive_window";
        let then = change.then.as_ref().filter(window);
        assert!(then.is_none_or(|t| t.limit_bps > 40e9), "{change:#?}");
    }
}

#[test]
fn each_confirming_fact_keeps_the_processor_first() {
    let log = LOG.to_owned() + USED;
    let settings = mpstat() + "\n" + LARGE;
    let all = [
        ("iperf.txt", log.as_str()),
        ("ping.txt", PING),
        ("receiver-ss.txt", UNREAD),
        ("sender-ss.txt", WAITS),
        ("receiver.txt", &settings),
        ("sender.txt", LARGE),
    ];
    for line in [None, Some("40Gbit/s")] {
        let known = line.map_or_else(Known::default, on);
        for n in 2..=all.len() {
            is_processor(&flow(&all[..n], &known), 0.9);
        }
        // Without its own figure the receiver's text says it.
        let other = [("iperf.txt", LOG), all[1], all[2], all[3], all[4], all[5]];
        is_processor(&flow(&other, &known), 0.9);
    }
}

/// What a program leaves that has a processor of its own is still the program's.
#[test]
fn a_processor_with_room_leaves_the_program() {
    let log = LOG.to_owned() + &USED.replace("99.2%", "41.0%");
    let all = [
        ("iperf.txt", log.as_str()),
        ("ping.txt", PING),
        ("receiver-ss.txt", UNREAD),
        ("sender-ss.txt", WAITS),
        ("receiver.txt", LARGE),
    ];
    let flow = flow(&all, &on("40Gbit/s"));
    assert_eq!(flow.verdict.cause, "client", "{:#?}", flow.verdict);
    let commands = flow.changes[0].commands.join("\n");
    assert!(!commands.contains("iperf3 -s on one host"), "{commands}");
}

#[test]
fn a_window_of_json_that_a_slow_reader_made_promises_nothing() {
    let interval = |n: u32| {
        format!(
            r#"{{"streams":[{{"socket":5,"rtt":88420,"snd_cwnd":160000000,"snd_wnd":101000000}}],"sum":{{"start":{n},"end":{},"seconds":1,"bytes":1135000000,"bits_per_second":9080000000,"retransmits":0,"omitted":false,"sender":true}}}}"#,
            n + 1
        )
    };
    let each: Vec<String> = (0..10).map(interval).collect();
    let json = format!(
        r#"{{"start":{{"connected":[{{"socket":5,"local_host":"198.51.100.10","local_port":41822,"remote_host":"203.0.113.20","remote_port":5201}}],"version":"iperf 3.16","system_info":"Linux stor-new 6.8.0-45-generic #45-Ubuntu SMP x86_64","test_start":{{"protocol":"TCP","reverse":0}}}},"intervals":[{}],"end":{{"streams":[{{"sender":{{"max_snd_wnd":146864197}}}}],"sum_sent":{{"seconds":10,"bytes":11350000000,"bits_per_second":9080000000,"retransmits":0}},"sum_received":{{"seconds":10,"bytes":11350000000,"bits_per_second":9080000000}},"cpu_utilization_percent":{{"host_total":31.1,"remote_total":99.2}}}}}}"#,
        each.join(",")
    );
    let settings = mpstat() + "\n" + LARGE;
    let files = [
        ("iperf.json", json.as_str()),
        ("ping.txt", PING),
        ("receiver.txt", &settings),
    ];
    is_processor(&flow(&files, &on("40Gbit/s")), 0.8);
    // A table without a name or a role is of one of the hosts, and its own head says which.
    let files = [
        ("iperf.json", json.as_str()),
        ("ping.txt", PING),
        ("mpstat.txt", &mpstat()),
    ];
    is_processor(&flow(&files, &on("40Gbit/s")), 0.8);
}

#[test]
fn a_table_of_processors_is_of_the_host_that_it_names() {
    let log = "root@stor-new:~# iperf3 -c 203.0.113.20 -t 10\nConnecting to host 203.0.113.20, port 5201\n".to_owned() + LOG;
    let host = |table: &str| {
        let flow = flow(
            &[("iperf.txt", &log), ("ping.txt", PING), ("cpu.txt", table)],
            &on("40Gbit/s"),
        );
        assert_eq!(flow.verdict.cause, "host_cpu", "{:#?}", flow.verdict);
        flow.changes[0].host.clone()
    };
    assert_eq!(host(ROWS), "the host whose processor is full");
    assert_eq!(host(&mpstat()), "203.0.113.20");
    assert_eq!(host(&mpstat().replace("dtn7", "stor-new")), "198.51.100.10");
}
