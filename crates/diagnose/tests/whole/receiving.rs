//! A receiver whose program does not read: its window, its queue and its disk, and whose the rows of its socket are.

use farpath_diagnose::FlowReport;

use crate::{asked, of_files, on};

/// A copy to a daemon, which names no address.
const COPY: &str = "\
[ops@here ~]$ rsync -av --inplace /data/run.h5 rsync://far/data/
sent 5,641,667,601 bytes  received 35 bytes  18,741,420.72 bytes/sec
total size is 5,640,290,304  speedup is 1.00
";

/// Its socket at the sender, which waits for a window of 3.2 MB.
const WAITS: &str = "\
State Recv-Q Send-Q Local Address:Port Peer Address:Port
ESTAB 0      0  192.0.2.10:46022  198.51.100.20:873
\t skmem:(r0,rb131072,t0,tb134217728,f1920,w3271680,o0,bl0,d0) cubic wscale:14,14 rto:371 rtt:170.214/0.061 mss:8948 pmtu:9000 cwnd:1204 bytes_sent:2812000000 bytes_acked:2808823460 segs_out:314260 segs_in:157130 send 506387403bps delivery_rate 149312000bps busy:121220ms rwnd_limited:112000ms(92.4%) unacked:355 notsent:0 minrtt:170.091 snd_wnd:3178496
";

/// A snapshot of the same connection at the receiver.
fn far(unread: u64) -> String {
    format!(
        "State Recv-Q Send-Q Local Address:Port Peer Address:Port\nESTAB {unread} 0 198.51.100.20:873 192.0.2.10:46022\n\t skmem:(r6823936,rb13421772,t0,tb87040,f0,w0,o0,bl0,d0)\n"
    )
}

const IOSTAT: &str = "\
avg-cpu:  %user   %nice %system %iowait  %steal   %idle
           0.41    0.00    0.60    3.02    0.00   95.97

Device            r/s     rMB/s     w/s     wMB/s  aqu-sz  %util
md0              0.40      0.05  150.40     18.80    7.84  99.60
";

/// What the receiver's kernel lets a buffer grow to: 256 MiB.
const LARGE: &str = "net.ipv4.tcp_rmem = 4096 131072 268435456\nnet.core.rmem_max = 268435456\n";

/// A test from memory between the same hosts.
const TEST: &str = "\
[  5] local 192.0.2.10 port 51514 connected to 198.51.100.20 port 5201
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-30.00  sec  13.01 GBytes   3.72 Gbits/sec  0             sender
[  5]   0.00-30.17  sec  12.91 GBytes   3.67 Gbits/sec                  receiver
";

fn flows(more: &[(&str, &str)]) -> Vec<FlowReport> {
    let base = [
        ("copy.txt", COPY),
        ("ss.txt", WAITS),
        ("receiver.txt", LARGE),
    ];
    let all: Vec<(&str, &str)> = base.iter().chain(more).copied().collect();
    of_files(&all, &on("10 Gbit/s")).flows
}

fn window_bps(flow: &FlowReport) -> f64 {
    let limit = flow.ceilings.iter().find(|c| c.cause == "receive_window");
    limit.expect("it was announced").limit_bps
}

#[test]
fn a_window_far_below_its_settings_is_not_their_fault() {
    let flow = &flows(&[])[0];
    assert_eq!(flow.verdict.cause, "client", "{:#?}", flow.verdict);
    assert!(flow.verdict.confidence < 0.95, "{:#?}", flow.verdict);
    assert!(
        asked(flow).contains(&"receive_queue_bytes"),
        "{:?}",
        flow.missing
    );
    assert!(
        asked(flow).contains(&"disk_busy_ratio"),
        "{:?}",
        flow.missing
    );
    let commands = |flow: &FlowReport| {
        let all = flow.changes.iter().flat_map(|c| c.commands.clone());
        all.collect::<Vec<String>>().join("\n")
    };
    assert!(!commands(flow).contains("tcp_rmem"), "{}", commands(flow));
    // What is read at once leaves the program's own buffer, which no setting widens.
    let read = far(0);
    let flow = &flows(&[("far.txt", &read)])[0];
    assert_eq!(flow.verdict.cause, "receive_window", "{:#?}", flow.verdict);
    assert!(commands(flow).contains("SO_RCVBUF"), "{}", commands(flow));
    assert!(!commands(flow).contains("sysctl"), "{}", commands(flow));
}

#[test]
fn a_queue_that_stays_is_the_program_and_a_full_disk_the_disk() {
    let (one, two) = (far(3_411_968), far(3_411_968) + &far(3_287_040));
    for queue in [one.as_str(), &two] {
        let flow = &flows(&[("far.txt", queue)])[0];
        assert_eq!(flow.verdict.cause, "client", "{:#?}", flow.verdict);
        assert!(flow.verdict.confidence > 0.95, "{:#?}", flow.verdict);
        assert_eq!(flow.changes[0].host, "198.51.100.20");
        for texts in [
            &[("receiver-disk.txt", IOSTAT)][..],
            &[("receiver-disk.txt", IOSTAT), ("far.txt", queue)],
        ] {
            let flow = &flows(texts)[0];
            assert_eq!(flow.verdict.cause, "disk", "{:#?}", flow.verdict);
            assert_eq!(flow.changes[0].host, "198.51.100.20");
            assert_eq!(flow.changes.len(), 1, "{:#?}", flow.changes);
        }
    }
}

#[test]
fn rows_of_one_connection_are_of_one_connection() {
    let alone = window_bps(&flows(&[])[0]);
    assert!((alone / 149.39e6 - 1.0).abs() < 0.001, "{alone}");
    let again = WAITS.replace("bytes_acked:2808823460", "bytes_acked:2828823460");
    let queue = far(3_411_968);
    let twice = format!("{queue}{queue}");
    for more in [
        ("far.txt", queue.as_str()),
        ("far.txt", &twice),
        ("later.txt", &again),
    ] {
        let all = flows(&[more]);
        assert_eq!(window_bps(&all[0]), alone, "{}", more.0);
        assert_eq!(all.len(), 1);
    }
    // Whichever end was read first, and without the bytes of either.
    let base = [
        ("far.txt", queue.as_str()),
        ("copy.txt", COPY),
        ("ss.txt", WAITS),
    ];
    let d = of_files(&base, &on("10 Gbit/s"));
    assert_eq!(window_bps(&d.flows[0]), alone);
    assert_eq!(d.flows[0].name, "192.0.2.10 > 198.51.100.20");
}

#[test]
fn a_test_from_memory_waits_for_no_disk() {
    let all = flows(&[("receiver-disk.txt", IOSTAT), ("test.txt", TEST)]);
    let test = all.iter().find(|f| f.observed.goodput_bps == Some(3.67e9));
    let test = test.expect("it was read");
    assert_ne!(test.verdict.cause, "disk", "{:#?}", test.verdict);
    assert!(!test.verdict.because.join("\n").contains("disk"));
    // With a file it may.
    let file = format!("$ iperf3 -c 198.51.100.20 -F run.h5\n{TEST}")
        .replace("3.72 Gbits", "154 Mbits")
        .replace("3.67 Gbits", "152 Mbits");
    let all = of_files(
        &[("receiver-disk.txt", IOSTAT), ("test.txt", &file)],
        &on("10 Gbit/s"),
    );
    assert_eq!(
        all.flows[0].verdict.cause, "disk",
        "{:#?}",
        all.flows[0].verdict
    );
}

fn sets_memory(flow: &FlowReport) -> bool {
    let all = flow.changes.iter().flat_map(|c| &c.commands);
    all.into_iter().any(|c| c.contains("sysctl -w"))
}

/// What real kernels printed of a reader with SO_RCVBUF at 200 000 bytes: a window of 262 140, which was full, and settings for 16 MiB.
#[test]
fn a_buffer_that_the_program_set_is_no_setting_of_the_kernel() {
    let socket = "State Recv-Q Send-Q  Local Address:Port   Peer Address:PortProcess\nESTAB 0      1637580    198.18.0.1:40232   198.18.0.2:5301\n\t skmem:(r0,rb131072,t0,tb1681920,f756,w1694988,o0,bl0,d0) cubic wscale:2,10 rto:296 rtt:91.48/19.273 mss:1448 pmtu:1500 rcvmss:536 advmss:1448 cwnd:365 ssthresh:365 bytes_sent:6278020 bytes_acked:6016981 segs_out:4356 segs_in:247 data_segs_out:4354 send 46219502bps lastsnd:4 lastrcv:6268 lastack:4 pacing_rate 55462864bps delivery_rate 15736896bps delivered:4174 busy:4796ms rwnd_limited:3908ms(81.5%) unacked:181 rcv_space:14480 rcv_ssthresh:64088 notsent:1376540 minrtt:60.271 snd_wnd:262140\n";
    let settings = "net.ipv4.tcp_rmem = 4096\t131072\t33554432\nnet.core.rmem_max = 4194304\n";
    for line in ["100 Mbit/s", "1 Gbit/s"] {
        let files = [("ss.txt", socket), ("receiver.txt", settings)];
        let flow = of_files(&files, &on(line)).flows.remove(0);
        let cause = flow.verdict.cause;
        assert!(
            ["client", "receive_window"].contains(&cause),
            "{:#?}",
            flow.verdict
        );
        assert!(!sets_memory(&flow), "{:#?}", flow.changes);
        let read = flow.changes.iter().any(|c| {
            c.commands
                .iter()
                .any(|c| c.contains("SO_RCVBUF") || c.contains("waits for"))
        });
        assert!(read, "{:#?}", flow.changes);
    }
}

/// A report of iperf3 says what the receiver announced, as a socket does.
#[test]
fn a_window_of_json_far_below_its_settings_is_not_their_fault() {
    let interval = |n: u32| {
        format!(
            r#"{{"streams":[{{"socket":5,"rtt":88420,"snd_cwnd":52100000,"snd_wnd":11000000}}],"sum":{{"start":{n},"end":{},"seconds":1,"bytes":124000000,"bits_per_second":992000000,"retransmits":0,"omitted":false,"sender":true}}}}"#,
            n + 1
        )
    };
    let each: Vec<String> = (0..10).map(interval).collect();
    let json = format!(
        r#"{{"start":{{"connected":[{{"socket":5,"local_host":"198.51.100.10","local_port":41822,"remote_host":"203.0.113.20","remote_port":5201}}],"version":"iperf 3.16","test_start":{{"protocol":"TCP","reverse":0}}}},"intervals":[{}],"end":{{"sum_sent":{{"seconds":10,"bytes":1240000000,"bits_per_second":992000000,"retransmits":0}},"sum_received":{{"seconds":10,"bytes":1240000000,"bits_per_second":992000000}}}}}}"#,
        each.join(",")
    );
    let settings = |most: u64| {
        let text = format!("net.ipv4.tcp_rmem = 4096 131072 {most}\nnet.core.rmem_max = 212992\n");
        let files = [
            ("iperf.json", json.as_str()),
            ("receiver.txt", text.as_str()),
        ];
        of_files(&files, &on("40 Gbit/s")).flows.remove(0)
    };
    let flow = settings(134_217_728);
    assert_eq!(flow.verdict.cause, "receive_window", "{:#?}", flow.verdict);
    assert!(!sets_memory(&flow), "{:#?}", flow.changes);
    let change = &flow.changes[0];
    assert_eq!(change.predicted_bps, None, "{change:#?}");
    let commands = change.commands.join("\n");
    assert!(
        commands.contains("SO_RCVBUF") && commands.contains("now 212992"),
        "{commands}"
    );
    // Settings that allow no more are what holds it.
    let flow = settings(16_777_216);
    assert_eq!(flow.verdict.cause, "receive_window", "{:#?}", flow.verdict);
    assert!(sets_memory(&flow), "{:#?}", flow.changes);
}

/// 45 kB in flight, and a receiver whose kernel has no memory left for TCP: its window does not grow, whatever `tcp_rmem` allows.
#[test]
fn a_receiver_that_is_out_of_memory_is_not_the_senders_buffer() {
    let text = "col1$ sysctl net.ipv4.tcp_mem net.ipv4.tcp_rmem
net.ipv4.tcp_mem = 4096\t8192\t16384
net.ipv4.tcp_rmem = 4096\t131072\t67108864
col1$ dmesg -T | tail -2
[Sun Nov 29 03:02:11 2026] TCP: out of memory -- consider tuning tcp_mem
[Sun Nov 29 03:02:16 2026] TCP: out of memory -- consider tuning tcp_mem
snd5$ iperf3 -c 10.55.0.1 -t 10 -i 5
Connecting to host 10.55.0.1, port 5201
[  5] local 10.56.0.5 port 40880 connected to 10.55.0.1 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-5.00   sec  5.50 MBytes  9.23 Mbits/sec    0   92.0 KBytes
[  5]   5.00-10.00  sec  5.38 MBytes  9.02 Mbits/sec    0   92.0 KBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00  sec  10.9 MBytes  9.12 Mbits/sec    0             sender
[  5]   0.00-10.04  sec  10.8 MBytes  9.02 Mbits/sec                  receiver
snd5$ ping -c 5 -q 10.55.0.1
--- 10.55.0.1 ping statistics ---
5 packets transmitted, 5 received, 0% packet loss, time 4005ms
rtt min/avg/max/mdev = 40.010/40.060/40.100/0.030 ms
snd5$ ethtool eth0 | grep Speed
\tSpeed: 25000Mb/s
";
    let flow = crate::first(text);
    let verdict = &flow.verdict;
    assert_eq!(verdict.cause, "receive_window", "{verdict:#?}");
    // The log need not be of the time of the test.
    assert!(verdict.confidence <= 0.6, "{verdict:#?}");
    let why = crate::because(&flow);
    assert!(why.contains("TCP is out of memory"), "{why}");
    let commands = crate::commands(&flow);
    assert!(commands.contains("net.ipv4.tcp_mem="), "{commands}");
    assert!(!commands.contains("tcp_wmem"), "{commands}");
    // What its sockets have of it says the same, and nothing below the second value.
    let (before, _) = text.split_once("col1$ dmesg").expect("the log");
    let (_, after) = text.split_once("snd5$ iperf3").expect("the test");
    let counted = |pages: u32| {
        let stat = format!(
            "col1$ cat /proc/net/sockstat\nsockets: used 412\nTCP: inuse 27 orphan 0 tw 2 alloc 41 mem {pages}\nUDP: inuse 4 mem 2\nUDPLITE: inuse 0\nRAW: inuse 0\nFRAG: inuse 0 memory 0\n"
        );
        crate::first(&format!("{before}{stat}snd5$ iperf3{after}"))
    };
    let flow = counted(9120);
    assert_eq!(flow.verdict.cause, "receive_window", "{:#?}", flow.verdict);
    let why = crate::because(&flow);
    let said = "the sockets of the receiver have 9120 pages of memory in all, and from 8192 on";
    assert!(why.contains(said), "{why}");
    let why = crate::because(&counted(112));
    assert!(!why.contains("pages of memory"), "{why}");
}

/// 1400 of 1.4 million segments had no room at the receiver's interface while the test ran: both ends' buffers led, 35 % each.
#[test]
fn drops_of_the_receivers_interface_during_a_test_keep_a_window_from_standing() {
    let counted = |missed: u32| {
        format!("[root@rx ~]# ethtool -S ens3 | grep missed\n     rx_missed_errors: {missed}\n")
    };
    let test = "[root@rx ~]# iperf3 -s -1
Accepted connection from 192.0.2.1, port 40110
[  5] local 192.0.2.2 port 5201 connected to 192.0.2.1 port 40112
[ ID] Interval           Transfer     Bitrate
[  5]   0.00-1.00   sec   412 MBytes  3.46 Gbits/sec
[  5]   1.00-2.00   sec   388 MBytes  3.25 Gbits/sec
[  5]   2.00-3.00   sec   401 MBytes  3.36 Gbits/sec
[  5]   3.00-4.00   sec   379 MBytes  3.18 Gbits/sec
[  5]   4.00-5.00   sec   395 MBytes  3.31 Gbits/sec
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate
[  5]   0.00-5.00   sec  1.93 GBytes  3.31 Gbits/sec                  receiver
";
    let flow = crate::first(&(counted(12_011) + test + &counted(13_411)));
    assert_eq!(flow.verdict.cause, "nic", "{:#?}", flow.verdict);
    let why = flow.verdict.because.join("\n");
    assert!(why.contains("cuts the window"), "{why}");
}
