//! A shaper of the sender's own: bytes wait in its socket, and nothing is lost on the way.

use farpath_diagnose::{FlowReport, Known};

use crate::own_drops::TEST;
use crate::{because, commands, first_flow, of, of_files, on};

/// Between real kernels, 34 ms, a tbf of 25 Mbit/s on the sender's interface, and a tunnel of 1400 bytes.
const PING: &str = "\
backup1:~$ ping -c 5 -i 0.2 10.9.3.2
PING 10.9.3.2 (10.9.3.2) 56(84) bytes of data.
64 bytes from 10.9.3.2: icmp_seq=1 ttl=62 time=34.3 ms
64 bytes from 10.9.3.2: icmp_seq=2 ttl=62 time=34.4 ms
64 bytes from 10.9.3.2: icmp_seq=3 ttl=62 time=34.4 ms
64 bytes from 10.9.3.2: icmp_seq=4 ttl=62 time=35.8 ms
64 bytes from 10.9.3.2: icmp_seq=5 ttl=62 time=34.3 ms

--- 10.9.3.2 ping statistics ---
5 packets transmitted, 5 received, 0% packet loss, time 807ms
rtt min/avg/max/mdev = 34.323/34.650/35.831/0.590 ms
";
const LOG: &str = "\
backup1:~$ iperf3 -c 10.9.3.2 -t 7
Connecting to host 10.9.3.2, port 5201
[  5] local 10.9.1.1 port 42172 connected to 10.9.3.2 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-1.00   sec  3.69 MBytes  30.9 Mbits/sec   15    237 KBytes
[  5]   1.00-2.00   sec  3.09 MBytes  25.9 Mbits/sec    0    234 KBytes
[  5]   2.00-3.00   sec  3.09 MBytes  25.9 Mbits/sec    0    232 KBytes
[  5]   3.00-4.03   sec  2.47 MBytes  20.2 Mbits/sec    0    226 KBytes
[  5]   4.03-5.00   sec  3.09 MBytes  26.6 Mbits/sec    0    229 KBytes
[  5]   5.00-6.00   sec  3.09 MBytes  25.9 Mbits/sec    0    292 KBytes
[  5]   6.00-7.00   sec  2.47 MBytes  20.7 Mbits/sec    0    308 KBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-7.00   sec  21.0 MBytes  25.1 Mbits/sec   15             sender
[  5]   0.00-7.04   sec  19.7 MBytes  23.5 Mbits/sec                  receiver

iperf Done.
";
const SOCKET: &str = "\
backup1:~$ ss -tinm dst 10.9.3.2\nESTAB 0      1640020       10.9.1.1:42172     10.9.3.2:5201
\t skmem:(r0,rb131072,t7056,tb1866240,f2476,w1693268,o0,bl0,d0) bbr wscale:7,10 rto:240 rtt:36.393/0.507 mss:1348 pmtu:1400 rcvmss:536 advmss:1448 cwnd:182 ssthresh:108 bytes_sent:12701545 bytes_retrans:14480 bytes_acked:12579226 segs_out:9429 segs_in:4350 data_segs_out:9427 bbr:(bw:24267376bps,mrtt:34,pacing_gain:1.25,cwnd_gain:2) send 53930371bps lastrcv:4368 pacing_rate 30030880bps delivery_rate 23616752bps delivered:9338 busy:4364ms unacked:80 retrans:0/15 rcv_space:14480 rcv_ssthresh:64088 notsent:1532180 minrtt:34 snd_wnd:485888
";
const LINK: &str = "\
backup1:~$ ip -s link show v1
2: v1@if2: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc tbf state UP mode DEFAULT group default qlen 1000
    link/ether 8e:33:de:0c:40:47 brd ff:ff:ff:ff:ff:ff link-netns u6-r
    RX:  bytes packets errors dropped  missed   mcast
      11429882  150268      0       0       0       0
    TX:  bytes packets errors dropped carrier collsns
     952661033   97223      0       0       0       0
";

fn flow(parts: &[&str]) -> FlowReport {
    first_flow(of(&parts.concat(), &on("1Gbit/s")))
}

/// The first of what is asked for.
fn first_asked(flow: &FlowReport) -> (&str, &str) {
    let first = &flow.missing[0];
    (first.fact, &first.command)
}

#[test]
fn what_path_mtu_discovery_sends_again_is_no_policer() {
    let flow = flow(&[PING, LOG, SOCKET]);
    let verdict = &flow.verdict;
    assert_ne!(verdict.cause, "policer", "{verdict:#?}");
    assert!(
        verdict.second.as_ref().is_none_or(|n| n.cause != "policer"),
        "{verdict:#?}"
    );
    let commands = commands(&flow);
    assert!(!commands.contains("policer"), "{commands}");
    let because = because(&flow);
    assert!(
        because.contains("path MTU discovery found 1400 bytes"),
        "{because}"
    );
    let (fact, command) = first_asked(&flow);
    assert_eq!(fact, "shaper_bps", "{:#?}", flow.missing);
    assert!(command.contains("tc -s qdisc show"), "{command}");
}

#[test]
fn the_name_of_the_senders_queue_is_said_and_its_rate_asked_for() {
    let flow = flow(&[PING, LOG, SOCKET, LINK]);
    assert_eq!(flow.verdict.cause, "shaper", "{:#?}", flow.verdict);
    assert!(because(&flow).contains("has tbf"), "{:#?}", flow.verdict);
    assert_eq!(first_asked(&flow).0, "shaper_bps", "{:#?}", flow.missing);
}

/// Where losses go on, it is not the sender's queue that is asked for.
#[test]
fn losses_that_go_on_are_still_a_policers() {
    let mut log = LOG
        .replace("3.00-4.03", "3.00-4.00")
        .replace("4.03-5.00", "4.00-5.00");
    for second in 1..7 {
        let from = format!("   {second}.00-");
        let at = log.find(&from).expect("a row");
        let zero = at + log[at..].find("    0   ").expect("a count");
        log.replace_range(zero..zero + 8, &format!("   {second}9   "));
    }
    let log = log.replace("sec   15  ", "sec  249  ");
    let socket = SOCKET
        .replace("bytes_retrans:14480", "bytes_retrans:335652")
        .replace("retrans:0/15", "retrans:0/249");
    let flow = flow(&[PING, &log, &socket]);
    assert!(
        flow.missing.iter().all(|m| m.fact != "shaper_bps"),
        "{:#?}",
        flow.missing
    );
}

/// At a prompt that names no host.
fn test() -> String {
    TEST.replace("[user@dtn ~]# ", "$ ")
}

/// What an interface counts as errors arrived damaged; where it counts what had no room among them, that is taken off.
#[test]
fn errors_of_an_interface_are_damaged_frames() {
    let of = |columns: &str, rows: [&str; 2]| {
        let reading = |row: &str| {
            format!(
                "[root@recv ~]# ip -s link show eth1\n3: eth1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 9000 qdisc mq state UP mode DEFAULT group default qlen 1000\n    link/ether 02:00:00:01:02:03 brd ff:ff:ff:ff:ff:ff\n    RX: bytes  packets  errors  dropped {columns}  mcast\n    {row}\n    TX: bytes  packets  errors  dropped carrier collsns\n    410000000 5400000 0 0 0 0\n"
            )
        };
        let receiver = rows.map(reading).concat();
        let known = Known {
            line: "10 Gbit/s".parse().ok(),
            ..Known::default()
        };
        first_flow(of_files(
            &[("s.txt", &test()), ("r.txt", &receiver)],
            &known,
        ))
    };
    let damaged = of(
        "missed",
        [
            "91000000000 11000000 320 0 0 120",
            "91750000000 11083000 402 0 0 120",
        ],
    );
    assert_eq!(
        damaged.verdict.cause, "random_loss",
        "{:#?}",
        damaged.verdict
    );
    assert!(
        because(&damaged).contains("402 frames arrived damaged, 82 of them"),
        "{}",
        because(&damaged)
    );
    let roomless = of(
        "overrun",
        [
            "91000000000 11000000 320 0 320 120",
            "91750000000 11083000 402 0 402 120",
        ],
    );
    assert_eq!(roomless.verdict.cause, "nic", "{:#?}", roomless.verdict);
    // `ip -s -s link` has them in a row of their own.
    let roomless = of(
        "missed",
        [
            "91000000000 11000000 320 0 0 120\n    RX errors: length crc frame fifo overrun\n    0 0 0 0 320",
            "91750000000 11083000 402 0 0 120\n    RX errors: length crc frame fifo overrun\n    0 0 0 0 402",
        ],
    );
    assert_eq!(roomless.verdict.cause, "nic", "{:#?}", roomless.verdict);
}

/// A shaper at the root is there for a reason: pacing goes below it.
#[test]
fn what_shapes_at_the_root_stays() {
    let known = Known {
        line: "10 Gbit/s".parse().ok(),
        ..Known::default()
    };
    let with = |qdisc: &str| {
        let test = test().replace("$ ", "[root@dtn ~]# ");
        let text = format!("{test}[root@dtn ~]# tc -s qdisc show dev eth0\n{qdisc}\n");
        commands(&first_flow(of_files(&[("s.txt", &text)], &known)))
    };
    let kept = with("qdisc tbf 8001: root refcnt 2 rate 2Gbit burst 1250000b lat 50ms");
    assert!(kept.contains("keep the tbf"), "{kept}");
    assert!(!kept.contains("root fq"), "{kept}");
    let other = with("qdisc pfifo_fast 0: root refcnt 2 bands 3");
    assert!(other.contains("root fq"), "{other}");
}

/// Whose shaper it is nobody says: what would delete it says so first.
#[test]
fn a_shaper_of_nobody_known_is_named_before_its_root_is_replaced() {
    let known = Known {
        line: "10 Gbit/s".parse().ok(),
        ..Known::default()
    };
    let text = format!(
        "{}[root@dtn ~]# tc -s qdisc show dev eth0\nqdisc tbf 8001: root refcnt 2 rate 2Gbit burst 1250000b lat 50ms\n",
        test()
    );
    let flow = first_flow(of_files(&[("s.txt", &text)], &known));
    let commands = commands(&flow);
    let said = commands.find("whether the tbf of dtn (s.txt:17) stands there");
    let replaces = commands.find("tc qdisc replace dev INTERFACE root fq");
    assert!(said.is_some() && said < replaces, "{commands}");
}

/// Data arrives damaged at the receiver: what stands at the root there is not what a command for the sender replaces.
#[test]
fn a_root_of_the_receivers_is_not_the_senders() {
    let receiver = "[root@recv ~]# ip -s link show eth1
3: eth1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 9000 qdisc mq state UP mode DEFAULT group default qlen 1000
    link/ether 3c:fd:fe:01:02:03 brd ff:ff:ff:ff:ff:ff
    RX:  bytes packets errors dropped  missed   mcast
    91000000000 11000000 320 0 0 120
    TX:  bytes packets errors dropped carrier collsns
    410000000 5400000 0 0 0 0
";
    let test = test();
    let files = [("s.txt", test.as_str()), ("v.txt", receiver)];
    let flow = first_flow(of_files(&files, &Known::default()));
    assert_eq!(flow.verdict.cause, "random_loss", "{:#?}", flow.verdict);
    let commands = commands(&flow);
    assert!(!commands.contains("root mq"), "{commands}");
    assert!(
        commands.contains("tc qdisc replace dev INTERFACE root fq"),
        "{commands}"
    );
    // One reading may be of any time.
    let again = crate::asked_with(&flow, "nic_damaged").expect("it is asked for again");
    assert!(again.contains("ethtool -S eth1"), "{again}");
}

/// A host that shapes is taken for a device on the way; what its interface counts is evidence all the same.
#[test]
fn counters_of_a_host_that_shapes_are_read() {
    let reading = |row: &str| {
        format!(
            "[root@recv ~]# ip -s link show eth1\n3: eth1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 9000 qdisc tbf state UP mode DEFAULT group default qlen 1000\n    link/ether 02:00:00:01:02:03 brd ff:ff:ff:ff:ff:ff\n    RX: bytes  packets  errors  dropped missed  mcast\n    {row}\n"
        )
    };
    let text = [
        reading("91000000000 11000000 320 0 0 120"),
        reading("91750000000 11083000 402 0 0 120"),
        "[root@recv ~]# tc -s qdisc show dev eth1\nqdisc tbf 8001: root refcnt 2 rate 2Gbit burst 1250000b lat 50ms\n".to_owned(),
    ]
    .concat();
    let test = test();
    let files = [("s.txt", test.as_str()), ("v.txt", text.as_str())];
    let flow = first_flow(of_files(&files, &Known::default()));
    assert_eq!(flow.verdict.cause, "random_loss", "{:#?}", flow.verdict);
    let because = because(&flow);
    assert!(
        because.contains("402 frames arrived damaged, 82 of them"),
        "{because}"
    );
}

/// iperf3's JSON of a tbf of 85 Mbit/s at the sender: 510 kB are in flight, of windows of 1.2 and 4.5 MB.
fn smooth() -> String {
    let interval = |n: u32| {
        let bps = 80e6 + 0.2e6 * f64::from(n % 3);
        let sum = format!(
            r#""start":{n},"end":{},"seconds":1,"bytes":{:.0},"bits_per_second":{bps},"retransmits":0,"omitted":false,"sender":true"#,
            n + 1,
            bps / 8.0
        );
        format!(
            r#"{{"streams":[{{"socket":5,{sum},"snd_cwnd":1255416,"snd_wnd":4507648,"rtt":51000}}],"sum":{{{sum}}}}}"#
        )
    };
    let intervals: Vec<String> = (0..12).map(interval).collect();
    let sum = r#"{"start":0,"end":12,"seconds":12,"bytes":120000000,"bits_per_second":80000000,"retransmits":0,"sender":true}"#;
    format!(
        r#"{{"start":{{"connected":[{{"socket":5,"local_host":"192.0.2.1","local_port":40000,"remote_host":"198.51.100.2","remote_port":5201}}],"version":"iperf 3.16","system_info":"Linux a 6.1.0 x86_64","tcp_mss_default":1448,"test_start":{{"protocol":"TCP","num_streams":1,"reverse":0}}}},"intervals":[{}],"end":{{"streams":[{{"sender":{{"socket":5,"mean_rtt":51000,"min_rtt":50500}}}}],"sum_sent":{sum},"sum_received":{sum},"sender_tcp_congestion":"cubic"}}}}"#,
        intervals.join(",")
    )
}

#[test]
fn a_report_alone_tells_no_send_buffer_from_a_shaper() {
    let report = smooth();
    let settings = "net.ipv4.tcp_wmem = 4096\t16384\t600000\n";
    let of = |settings: &str| {
        let files = [("client.json", report.as_str()), ("sender.txt", settings)];
        let count = if settings.is_empty() { 1 } else { 2 };
        first_flow(of_files(&files[..count], &on("300 Mbit/s")))
    };
    let flow = of("");
    assert_eq!(flow.verdict.cause, "unknown", "{:#?}", flow.verdict);
    let why = because(&flow);
    assert!(
        why.contains("the send buffer") && why.contains("a shaper"),
        "{why}"
    );
    let asked: Vec<&str> = flow.missing.iter().map(|m| m.fact).collect();
    assert!(asked.contains(&"shaper_bps"), "{asked:?}");
    assert!(asked.contains(&"send_buffer_bytes"), "{asked:?}");
    assert_eq!(commands(&flow), "");
    // Settings that leave as much decide.
    let flow = of(settings);
    assert_eq!(flow.verdict.cause, "send_buffer", "{:#?}", flow.verdict);
}
