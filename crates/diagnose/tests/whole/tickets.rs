//! Tickets with one truth each: what is said, what is advised, what is promised.

use farpath_diagnose::{FlowReport, Known};

use crate::{asked, because, commands, first_flow, of, on};

const TO: &str = "203.0.113.9";

/// What iperf3 prints: a rate in Mbit/s and segments sent again for each second, and the options that were typed.
fn iperf(options: &str, seconds: &[(f64, u32)]) -> String {
    let mut text = format!(
        "a$ iperf3 -c {TO} {options}\nConnecting to host {TO}, port 5201\n[  5] local 192.0.2.10 port 40022 connected to {TO} port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n"
    );
    let bytes = |mbits: f64| mbits / 8.388_608;
    for (n, (mbits, again)) in seconds.iter().enumerate() {
        text += &format!(
            "[  5]  {n}.00-{}.00 sec  {:.1} MBytes  {mbits:.1} Mbits/sec  {again}   900 KBytes\n",
            n + 1,
            bytes(*mbits)
        );
    }
    let count = seconds.len() as f64;
    let mean = seconds.iter().map(|s| s.0).sum::<f64>() / count;
    let again: u32 = seconds.iter().map(|s| s.1).sum();
    text + &format!(
        "- - - - -\n[ ID] Interval           Transfer     Bitrate         Retr\n[  5]   0.00-{count:.2} sec  {0:.1} MBytes  {mean:.1} Mbits/sec  {again}             sender\n[  5]   0.00-{1:.2} sec  {0:.1} MBytes  {mean:.1} Mbits/sec                  receiver\n\niperf Done.\n",
        bytes(mean * count),
        count + 0.02
    )
}

/// Ten seconds at one rate, without a loss.
fn even(options: &str, mbits: f64) -> String {
    iperf(options, &[(mbits, 0); 10])
}

/// Ten pings that hardly vary, with the TTL of their answers where it was printed.
fn ping(ms: f64, ttl: Option<u32>) -> String {
    let answer = ttl.map_or(String::new(), |ttl| {
        format!("64 bytes from {TO}: icmp_seq=1 ttl={ttl} time={ms:.1} ms\n")
    });
    format!(
        "a$ ping -c 10 {TO}\nPING {TO} ({TO}) 56(84) bytes of data.\n{answer}\n--- {TO} ping statistics ---\n10 packets transmitted, 10 received, 0% packet loss, time 9013ms\nrtt min/avg/max/mdev = {:.3}/{:.3}/{:.3}/0.201 ms\n",
        ms - 0.1,
        ms,
        ms + 0.3
    )
}

fn flow(text: &str, known: &Known) -> FlowReport {
    first_flow(of(text, known))
}

/// A text without what the user knows.
fn alone(text: &str) -> FlowReport {
    flow(text, &Known::default())
}

#[test]
fn the_socket_of_a_client_that_receives_says_the_round_trip_and_no_window_of_the_sender() {
    let text = "client$ iperf3 -c 198.51.100.20 -R -t 30\nConnecting to host 198.51.100.20, port 5201\nReverse mode, remote host 198.51.100.20 is sending\n[  5] local 192.0.2.10 port 40022 connected to 198.51.100.20 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr\n[  5]   0.00-30.08  sec   758 MBytes   211 Mbits/sec    0             sender\n[  5]   0.00-30.00  sec   756 MBytes   211 Mbits/sec                  receiver\nclient$ ss -tin dst 198.51.100.20\nState  Recv-Q  Send-Q   Local Address:Port    Peer Address:Port\nESTAB  0       0        192.0.2.10:40022      198.51.100.20:5201\n\t ts sack cubic wscale:7,7 rto:312 rtt:111.2/0.9 ato:40 mss:1428 pmtu:1500 rcvmss:1428 advmss:1448 cwnd:10 bytes_sent:37 bytes_acked:38 bytes_received:604112384 segs_out:211034 segs_in:423120 send 1.03Mbps unacked:1 delivery_rate 1.03Mbps app_limited rcv_space:5941520 minrtt:110.6 snd_wnd:64256\nclient$ sysctl net.ipv4.tcp_rmem\nnet.ipv4.tcp_rmem = 4096 131072 6291456\n";
    let flow = alone(text);
    assert_eq!(flow.observed.rtt_ns, Some(110.6e6));
    assert!(!asked(&flow).contains(&"rtt"), "{:?}", asked(&flow));
    let because = because(&flow);
    // 1428 bytes in flight, a window of 64256 and `app_limited` are of the other way.
    assert!(!because.contains("were in flight"), "{because}");
    assert!(!because.contains("64256"), "{because}");
    assert!(!because.contains("limited by the application"), "{because}");
    // 3 to 4.5 MiB over 110.6 ms.
    let window = flow.ceilings.iter().find(|c| c.cause == "receive_window");
    let window = window.expect("its settings and the round trip are known");
    assert!(
        window.low_bps < 211e6 * 1.15 && window.high_bps > 211e6,
        "{window:?}"
    );
}

#[test]
fn a_socket_without_counts_of_bytes_is_of_the_end_that_its_ports_say() {
    let text = "client$ wget -O /dev/null http://198.51.100.20/big.iso\n/dev/null           100%[===================>] 757.00M  25.2MB/s    in 30s\n\n2026-11-20 10:00:30 (25.2 MB/s) - '/dev/null' saved [793771200/793771200]\nclient$ ss -tin dst 198.51.100.20\nState  Recv-Q  Send-Q   Local Address:Port    Peer Address:Port\nESTAB  0       0        192.0.2.10:40022      198.51.100.20:80\n\t ts sack cubic wscale:7,7 rto:312 rtt:111.2/0.9 ato:40 mss:1428 rcvmss:1428 advmss:1448 cwnd:10 segs_out:211034 segs_in:423120 send 1.03Mbps pacing_rate 2.05Mbps unacked:1 rcv_space:5941520 minrtt:110.6\n";
    let flow = alone(text);
    assert_eq!(flow.name, "198.51.100.20 > 192.0.2.10");
    assert_eq!(flow.observed.rtt_ns, Some(110.6e6));
}

#[test]
fn a_rate_above_the_line_contradicts_it_and_is_not_blamed_on_it() {
    let text = ping(20.0, None) + &even("", 1160.0);
    let d = of(&text, &on("1Gbit/s"));
    let said = &d.contradictions[0].text;
    for part in [
        "1.16 Gbit/s",
        "1.00 Gbit/s",
        "both cannot be true",
        "you gave is likely wrong",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let flow = first_flow(d);
    assert_ne!(flow.verdict.cause, "link");
    let because = because(&flow);
    assert!(!because.contains("headers"), "{because}");
    // An interface beside a line that was said: the flow left by another.
    let port = "a$ ethtool eth0\nSettings for eth0:\n\tSpeed: 1000Mb/s\n\tDuplex: Full\n";
    let d = of(&(text + port), &on("10Gbit/s"));
    let said = &d.contradictions[0].text;
    assert!(said.contains("another interface than eth0"), "{said}");
    let flow = first_flow(d);
    let line = flow.ceilings.iter().find(|c| c.cause == "link");
    let line = line.expect("the line that was said stands");
    assert!(line.limit_bps > 9e9, "{line:?}");
}

#[test]
fn a_rate_a_little_above_what_segments_leave_is_not_said_to_lose_headers() {
    let text = ping(20.0, None) + &even("", 960.0);
    let flow = flow(&text, &on("1Gbit/s"));
    assert_eq!(flow.verdict.cause, "link");
    let because = because(&flow);
    assert!(
        because.contains("102 %") && because.contains("larger"),
        "{because}"
    );
    assert!(!because.contains("headers and the gaps"), "{because}");
}

#[test]
fn two_still_pings_far_apart_are_both_said_and_the_longer_counts() {
    let test = even("", 355.0);
    for (ttl, why) in [
        ([Some(52), Some(50)], "TTL of the answers did, 52 and 50"),
        ([None, None], "or one was sent while a queue stood"),
    ] {
        let text = ping(88.0, ttl[0]) + &test + &ping(141.0, ttl[1]);
        let flow = flow(&text, &on("1Gbit/s"));
        let because = because(&flow);
        for part in ["88.0 ms", "141 ms", "goes by 141 ms", why] {
            assert!(because.contains(part), "{part}: {because}");
        }
        assert!(!because.contains("a queue filled"), "{because}");
        assert_ne!(flow.verdict.cause, "shaper");
        assert_eq!(flow.observed.rtt_ns, Some(141e6));
    }
    // Its own socket says which of them it had.
    let ss = "a$ ss -tin\nState Recv-Q Send-Q Local Address:Port Peer Address:Port\nESTAB 0 1000000 192.0.2.10:40022 203.0.113.9:5201\n\t cubic wscale:7,7 rto:300 rtt:88.3/0.1 mss:1448 pmtu:1500 cwnd:2700 bytes_sent:400000000 bytes_acked:396000000 delivery_rate 355Mbps busy:9000ms unacked:2690 minrtt:87.9\n";
    let text = ping(88.0, None) + &test + &ping(141.0, None) + ss;
    let said = because(&alone(&text));
    assert!(said.contains("88.0 ms counts"), "{said}");
}

/// A trace whose hops lose these per cent of 100 packets.
fn mtr(lost: [u32; 4]) -> String {
    let hops = ["192.0.2.1", "198.51.100.1", "198.51.100.77", TO];
    let mut text =
        "HOST: a.example                   Loss%   Snt   Last   Avg  Best  Wrst StDev\n".to_owned();
    for (n, (hop, lost)) in hops.iter().zip(lost).enumerate() {
        let ms = 20.0 * (n as f64 + 1.0);
        text += &format!(
            "  {}.|-- {hop}   {lost}.0%   100   {ms:.1}   {ms:.1}   {ms:.1}   {ms:.1}   0.1\n",
            n + 1
        );
    }
    text
}

#[test]
fn losses_of_a_trace_that_the_flow_does_not_share_are_not_its_own() {
    let test = even("", 355.0);
    let flow = flow(&(mtr([0, 0, 4, 4]) + &test), &on("1Gbit/s"));
    let said = because(&flow);
    assert!(said.contains("that loss is not the flow's"), "{said}");
    assert!(
        said.contains("4.0 %") && !said.contains("in bursts"),
        "{said}"
    );
    assert!(flow.ceilings.iter().all(|c| c.cause != "random_loss"));
    // At a hop on the way alone it is the router's own.
    let said = because(&alone(&(mtr([0, 0, 4, 0]) + &test)));
    assert!(said.contains("198.51.100.77 leaves 4 %"), "{said}");
    // A flow that sends as much again shares it.
    let lossy = iperf("", &[(9.0, 31); 10]);
    let said = because(&alone(&(mtr([0, 0, 4, 4]) + &lossy)));
    assert!(!said.contains("not the flow's"), "{said}");
    // What the user said is contradicted.
    let known = Known {
        loss: Some("1 %".parse().expect("a share")),
        ..on("1Gbit/s")
    };
    let d = of(&(ping(40.0, None) + &test), &known);
    let said = &d.contradictions[0].text;
    assert!(said.contains("said to be lost"), "{said}");
}

#[test]
fn what_lost_from_its_start_to_its_end_was_not_in_slow_start() {
    let text =
        ping(200.0, None) + &iperf("", &[(24.0, 6), (21.0, 4), (23.0, 5), (20.0, 7), (22.0, 3)]);
    let flow = flow(&text, &on("1Gbit/s"));
    let second = flow.verdict.second.map(|s| s.cause);
    assert_ne!(flow.verdict.cause, "ramp");
    assert_ne!(second, Some("ramp"));
    assert!(flow.ceilings.iter().all(|c| c.cause != "ramp"));
}

#[test]
fn a_line_that_carried_more_in_another_test_is_not_full_of_this_one() {
    let evening: Vec<(f64, u32)> = (0..10)
        .map(|n| (90.0 + 4.0 * f64::from(n % 5), 30))
        .collect();
    let second = iperf("", &evening).replace("40022", "40024");
    let d = of(
        &(ping(25.0, None) + &even("", 925.0) + &second),
        &Known::default(),
    );
    let slow = d
        .flows
        .iter()
        .find(|f| f.observed.goodput_bps.is_some_and(|r| r < 2e8));
    let slow = slow.expect("two tests");
    assert_ne!(slow.verdict.cause, "link", "{:?}", slow.verdict);
    let said = because(slow);
    assert!(said.contains("got 925 Mbit/s in another test"), "{said}");
}

#[test]
fn what_answers_in_the_peers_stead_has_the_window() {
    let ss = "a$ ss -tin\nState Recv-Q Send-Q Local Address:Port Peer Address:Port\nESTAB 0 2313472 192.0.2.10:40022 203.0.113.9:5201\n\t ts sack cubic wscale:7,7 rto:204 rtt:2.21/0.3 mss:1448 pmtu:1500 advmss:1448 cwnd:45 bytes_sent:12000000 bytes_acked:11940000 delivery_rate 9.4Mbps busy:10200ms rwnd_limited:9900ms(97.1%) unacked:45 notsent:2200000 minrtt:1.9 snd_wnd:65536\n";
    let flow = alone(&(ping(600.0, None) + &even("", 9.4) + ss));
    assert_eq!(flow.verdict.cause, "unknown");
    let said = because(&flow);
    assert!(said.contains("answers in the peer's stead"), "{said}");
    assert!(!commands(&flow).contains("tcp_rmem"), "{}", commands(&flow));
    // Nothing of the peer is to be changed, nor is anything promised of that.
    let of_peer = flow.changes.iter().find(|c| c.host == "203.0.113.9");
    assert!(of_peer.is_none(), "{of_peer:#?}");
}

#[test]
fn a_shaper_that_is_stated_needs_no_port_of_its_rate() {
    let tc = "a$ tc -s qdisc show dev eth0\nqdisc tbf 8001: root refcnt 2 rate 100Mbit burst 32Kb lat 400ms\n Sent 120000000 bytes 82000 pkt (dropped 0, overlimits 180232 requeues 0)\na$ ethtool eth0 | grep Speed\n\tSpeed: 10000Mb/s\n";
    let flow = alone(&(ping(12.0, None) + &even("", 94.5) + tc));
    assert_eq!(flow.verdict.cause, "shaper", "{:?}", flow.verdict);
}

#[test]
fn a_test_that_sent_what_it_was_asked_to_is_held_by_that() {
    let flow = alone(&(ping(40.0, None) + &even("-b 50M -t 10", 50.0)));
    assert_eq!(flow.verdict.cause, "application");
    assert!(flow.verdict.confidence > 0.9, "{:?}", flow.verdict);
    // One that did not get it is held by something else.
    let flow = alone(&(ping(40.0, None) + &even("-b 500M -t 10", 50.0)));
    assert_ne!(flow.verdict.cause, "application");
}

#[test]
fn drops_of_a_processors_queue_are_no_rings() {
    let softnet = "root@server:~# cat /proc/net/softnet_stat\n00a1b2c3 00000000 00000012 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000\n0f12ab34 000007a5 00001f40 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000\nroot@server:~# sysctl net.core.netdev_max_backlog\nnet.core.netdev_max_backlog = 1000\n";
    let flow = alone(&(ping(12.0, None) + &iperf("", &[(2955.0, 196); 10]) + softnet));
    assert_eq!(flow.verdict.cause, "nic", "{:?}", flow.verdict);
    let commands = commands(&flow);
    assert!(
        commands.contains("sysctl -w net.core.netdev_max_backlog=10000"),
        "{commands}"
    );
    assert!(!commands.contains("ethtool -G"), "{commands}");
    assert!(
        because(&flow).contains("netdev_max_backlog"),
        "{}",
        because(&flow)
    );
}

/// The budget of a round was lowered to 600, twice the default, where it was 1200.
#[test]
fn a_rounds_budget_is_never_lowered() {
    let softnet = "root@server:~# cat /proc/net/softnet_stat\n0f12ab34 000007a5 00001f40 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000\nroot@server:~# sysctl net.core.netdev_budget\nnet.core.netdev_budget = 1200\n";
    let flow = alone(&(ping(12.0, None) + &iperf("", &[(2955.0, 196); 10]) + softnet));
    let commands = commands(&flow);
    assert!(commands.contains("netdev_budget=2400"), "{commands}");
    let undo = flow.changes[0].undo.join("\n");
    assert!(undo.contains("netdev_budget=1200"), "{undo}");
}

/// What arrives at the sender is acknowledgements: its ring drops none of the segments that it sends again.
#[test]
fn drops_of_what_arrives_at_the_sender_lose_no_data() {
    let reading = |host: &str, n: u32| {
        format!("{host}$ ethtool -S ens1f0 | grep missed\n     rx_missed_errors: {n}\n")
    };
    let flow = |host: &str| {
        let test = iperf("", &[(2955.0, 196); 10]);
        let grown = reading(host, 48_211) + &test + &reading(host, 50_171);
        alone(&(ping(12.0, None) + &grown))
    };
    let sender = flow("a");
    assert_ne!(sender.verdict.cause, "nic", "{:?}", sender.verdict);
    let said = because(&sender);
    assert!(
        said.contains("an interface of the sender dropped 1960 packets that arrived"),
        "{said}"
    );
    let receiver = flow("root@server:~");
    assert_eq!(receiver.verdict.cause, "nic", "{:?}", receiver.verdict);
}

#[test]
fn a_processor_that_the_hypervisor_took_is_seen_in_the_mean_of_all() {
    let mpstat = "a$ mpstat 1 3\nLinux 5.15.0 (a)  \t11/20/2026 \t_x86_64_\t(1 CPU)\n\n10:00:01     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\n10:00:02     all    3.00    0.00   22.00    0.00    0.00   11.00   64.00    0.00    0.00    0.00\n";
    let top = "a$ top -b -n 1 | head -3\ntop - 10:00:01 up 3 days,  1:02,  1 user,  load average: 4.02, 3.10, 2.00\nTasks: 102 total,   2 running, 100 sleeping,   0 stopped,   0 zombie\n%Cpu(s):  3.0 us, 22.0 sy,  0.0 ni,  0.0 id,  0.0 wa,  0.0 hi, 11.0 si, 64.0 st\n";
    for table in [mpstat, top] {
        let flow = alone(&(ping(1.0, None) + &even("", 450.0) + table));
        assert_eq!(flow.verdict.cause, "host_cpu", "{:?}", flow.verdict);
        assert!(because(&flow).contains("64 %"), "{}", because(&flow));
        assert!(commands(&flow).contains("dedicated"), "{}", commands(&flow));
    }
}

#[test]
fn offloads_that_are_off_are_turned_on_first() {
    let settings = "a$ mpstat -P ALL 1 1\nLinux 5.15.0 (a)  \t11/20/2026 \t_x86_64_\t(2 CPU)\n\n10:00:01     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\n10:00:02       0    1.00    0.00   98.00    0.00    0.00    1.00    0.00    0.00    0.00    0.00\n10:00:02       1    0.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00  100.00\na$ ethtool -k eth0\nFeatures for eth0:\ntx-checksumming: on\nscatter-gather: on\ntcp-segmentation-offload: off\ngeneric-segmentation-offload: off\ngeneric-receive-offload: on\nlarge-receive-offload: off [fixed]\n";
    // What grep leaves lacks the head.
    let grepped = settings.replace(
        "eth0\nFeatures for eth0:\n",
        "eth0 | egrep 'segmentation|scatter|checksum|receive'\n",
    );
    for settings in [settings, &grepped] {
        let flow = alone(&(ping(0.3, None) + &even("", 4100.0) + settings));
        assert_eq!(flow.verdict.cause, "host_cpu", "{:?}", flow.verdict);
        let change = &flow.changes[0];
        assert!(
            change.commands[0].starts_with("ethtool -K eth0 tso on gso on"),
            "{:?}",
            change.commands
        );
        let mut undo = change.undo.iter();
        assert!(
            undo.any(|u| u == "ethtool -K eth0 tso off gso off"),
            "{:?}",
            change.undo
        );
    }
}

#[test]
fn a_buffer_that_a_test_asked_for_is_left_out_before_any_setting() {
    let flow = alone(&(ping(150.0, None) + &even("-w 256K -t 10", 13.4)));
    for change in &flow.changes {
        let own = change
            .commands
            .iter()
            .position(|c| c.starts_with("leave -w out"));
        let set = change
            .commands
            .iter()
            .position(|c| c.starts_with("sysctl -w"));
        assert!(own.is_some(), "{:?}", change.commands);
        assert!(
            set.is_none_or(|set| own < Some(set)),
            "{:?}",
            change.commands
        );
    }
}

#[test]
fn a_full_table_of_connections_is_a_note() {
    let log = "root@fw:~# dmesg | tail -2\n[12345.678901] nf_conntrack: table full, dropping packet\n[12346.678901] nf_conntrack: table full, dropping packet\n";
    let d = of(&(ping(5.0, None) + log), &Known::default());
    let notes: Vec<&String> = d
        .notes
        .iter()
        .filter(|n| n.contains("nf_conntrack_max"))
        .collect();
    assert_eq!(notes.len(), 1, "{:?}", d.notes);
}

/// A log that names a cause and what to do is not nothing, though no rate stands beside it; that lines are left out is.
#[test]
fn a_kernels_log_alone_is_read() {
    let is_empty = |text: &str| {
        let source = farpath_diagnose::Source {
            name: "t.txt".to_owned(),
            bytes: text.as_bytes().to_vec(),
        };
        farpath_diagnose::read(&[source]).is_empty()
    };
    let time = "[Mon Nov 30 02:44:12 2026]";
    let full = format!("{time} nf_conntrack: nf_conntrack: table full, dropping packet\n");
    assert!(!is_empty(&full));
    let less = format!("{time} net_ratelimit: 3812 callbacks suppressed\n");
    assert!(is_empty(&less));
    let d = of(&full, &Known::default());
    assert_eq!(d.flows.len(), 1, "{:#?}", d.flows);
    assert_eq!(d.flows[0].verdict.cause, "unknown");
    let remedy = "raise net.netfilter.nf_conntrack_max";
    assert!(d.notes.iter().any(|n| n.contains(remedy)), "{:?}", d.notes);
}

#[test]
fn a_rate_that_fq_holds_is_taken_away() {
    let tc = "a$ tc qdisc show dev eth0\nqdisc fq 8002: root refcnt 2 limit 10000p flow_limit 100p buckets 1024 maxrate 500Mbit\n";
    let flow = alone(&(ping(70.0, None) + &even("", 476.0) + tc));
    assert_eq!(flow.verdict.cause, "pacing");
    let change = &flow.changes[0];
    // To replace an fq by one without a rate leaves the old rate.
    assert_eq!(
        change.commands,
        ["tc qdisc change dev eth0 root fq maxrate 34gbit"]
    );
    assert_eq!(
        change.undo,
        ["tc qdisc change dev eth0 root fq maxrate 500000000bit"]
    );
}

#[test]
fn a_law_of_few_losses_promises_no_rate_that_no_line_is_known_to_carry() {
    let text = ping(0.35, None)
        + "a$ iperf3 -c 203.0.113.9 -P 8 -t 10\n[SUM]   0.00-10.00  sec  28.0 GBytes  24.1 Gbits/sec   12             sender\n[SUM]   0.00-10.00  sec  28.0 GBytes  24.1 Gbits/sec                  receiver\n";
    let flow = alone(&text);
    let promised = flow.changes.iter().filter_map(|c| c.predicted_bps);
    for bps in promised {
        assert!(bps < 1e11, "{bps}");
    }
}

#[test]
fn a_share_that_datagrams_lose_as_segments_do_is_chance() {
    let udp = |lost: u32| {
        let passed = 20.0 * (1.0 - f64::from(lost) / 17265.0);
        format!(
            "a$ iperf3 -u -c {TO} -b 20M -t 10\nConnecting to host {TO}, port 5201\n[  5] local 192.0.2.10 port 41000 connected to {TO} port 5201\n[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams\n[  5]   0.00-10.00  sec  23.8 MBytes  20.0 Mbits/sec  0.000 ms  0/17265 (0%)  sender\n[  5]   0.00-10.03  sec  23.6 MBytes  {passed:.1} Mbits/sec  0.812 ms  {lost}/17265 ({:.1}%)  receiver\n",
            f64::from(lost) / 172.65
        )
    };
    let rates = [7.1, 6.2, 8.0, 5.9, 6.6, 7.3, 6.1, 6.9, 7.0, 6.4];
    let tcp: Vec<(f64, u32)> = rates.iter().map(|r| (*r, 6)).collect();
    let of_tcp = |lost| {
        let d = of(
            &(ping(30.0, None) + &udp(lost) + &iperf("", &tcp)),
            &on("1Gbit/s"),
        );
        let own = d.flows.into_iter();
        own.min_by(|a, b| {
            a.observed
                .goodput_bps
                .partial_cmp(&b.observed.goodput_bps)
                .expect("rates")
        })
        .expect("two tests")
    };
    let flow = of_tcp(172);
    assert_eq!(flow.verdict.cause, "random_loss", "{:?}", flow.verdict);
    assert!(
        because(&flow).contains("as large a share"),
        "{}",
        because(&flow)
    );
    // Of 20 Mbit/s a policer of 10 takes 50 %.
    let flow = of_tcp(8632);
    assert_eq!(flow.verdict.cause, "policer", "{:?}", flow.verdict);
}

#[test]
fn the_class_of_htb_that_a_flow_is_in_is_its_shaper() {
    let tc = "root@router:~# tc -s class show dev wan0\nclass htb 1:1 root rate 1Gbit ceil 1Gbit burst 1600b cburst 1600b\n Sent 241000000 bytes 164300 pkt (dropped 0, overlimits 160232 requeues 0)\nclass htb 1:10 parent 1:1 prio 0 rate 100Mbit ceil 200Mbit burst 1600b cburst 1600b\n Sent 240000000 bytes 164000 pkt (dropped 12, overlimits 160232 requeues 0)\nclass htb 1:20 parent 1:1 prio 0 rate 10Mbit ceil 10Mbit burst 1600b cburst 1600b\n Sent 1000000 bytes 300 pkt (dropped 0, overlimits 0 requeues 0)\n";
    let flow = alone(&(ping(12.0, None) + &even("", 190.8) + tc));
    assert_eq!(flow.verdict.cause, "shaper", "{:?}", flow.verdict);
    let change = &flow.changes[0];
    assert_eq!(change.host, "router");
    assert_eq!(
        change.commands,
        ["tc class change dev wan0 parent 1:1 classid 1:10 htb rate 100Mbit ceil RATE"]
    );
    assert_eq!(
        change.undo,
        [
            "tc class change dev wan0 parent 1:1 classid 1:10 htb rate 100Mbit ceil 200Mbit burst 1600b cburst 1600b"
        ]
    );
}

/// Two leaves below a root of 1 Gbit/s, one of 240 and one of 200 Mbit/s, that have sent so many MB.
fn leaves(sent: [u32; 2]) -> String {
    let [one, other] = sent;
    let both = one + other;
    let class = |named: &str, rates: &str, sent: u32| {
        format!(
            "class htb {named} {rates} burst 1600b cburst 1600b\n Sent {sent}000000 bytes 164300 pkt (dropped 0, overlimits 160232 requeues 0)\n"
        )
    };
    [
        "root@router:~# tc -s class show dev wan0\n".to_owned(),
        class("1:1 root", "rate 1Gbit ceil 1Gbit", both),
        class("1:10 parent 1:1 prio 0", "rate 100Mbit ceil 240Mbit", one),
        class("1:20 parent 1:1 prio 0", "rate 100Mbit ceil 200Mbit", other),
    ]
    .concat()
}

/// Where both leaves have much, the one that is full of the flow is taken, and that is said; what grew says which one it is.
#[test]
fn the_leaf_of_htb_that_a_flow_fills_is_named() {
    let test = ping(12.0, None) + &even("", 190.8);
    let command = ["tc class change dev wan0 parent 1:1 classid 1:20 htb rate 100Mbit ceil RATE"];
    let flow = alone(&(test.clone() + &leaves([600, 400])));
    assert_eq!(flow.verdict.cause, "shaper", "{:?}", flow.verdict);
    assert_eq!(flow.changes[0].commands, command);
    let why = because(&flow);
    assert!(
        why.contains("the rate of class 1:20 of wan0 (htb), if the flow is in it"),
        "{why}"
    );
    assert!(
        why.contains("no text says which class of wan0 the flow is in: of 1:10 (")
            && why.contains("it is taken to be in 1:20, the lowest"),
        "{why}"
    );
    let flow = alone(&(leaves([600, 400]) + &test + &leaves([601, 640])));
    assert_eq!(flow.verdict.cause, "shaper", "{:?}", flow.verdict);
    assert_eq!(flow.changes[0].commands, command);
    let why = because(&flow);
    assert!(
        why.contains("the rate of class 1:20 of wan0 (htb), which most of the bytes passed"),
        "{why}"
    );
    assert!(!why.contains("no text says which class"), "{why}");
}

/// A class borrows up to its `ceil` from the one above it; a root borrows from nobody: both of its rates are raised, and the `ceil` below.
#[test]
fn a_root_class_of_htb_is_raised_with_what_is_below() {
    let tc = "root@router:~# tc -s class show dev wan0\nclass htb 1:1 root rate 200Mbit ceil 200Mbit burst 1600b cburst 1600b\n Sent 241000000 bytes 164300 pkt (dropped 0, overlimits 160232 requeues 0)\nclass htb 1:20 parent 1:1 prio 3 rate 150Mbit ceil 200Mbit burst 1593b cburst 1600b\n Sent 240000000 bytes 164000 pkt (dropped 12, overlimits 160232 requeues 0)\nclass htb 1:30 parent 1:1 prio 0 rate 10Mbit ceil 200Mbit burst 1600b cburst 1600b\n Sent 1000000 bytes 300 pkt (dropped 0, overlimits 0 requeues 0)\n";
    let text = ping(12.0, None) + &even("", 190.8) + tc;
    let flow = alone(&text);
    assert_eq!(flow.verdict.cause, "shaper", "{:?}", flow.verdict);
    let change = &flow.changes[0];
    assert_eq!(
        change.commands,
        [
            "tc class change dev wan0 parent 1: classid 1:1 htb rate RATE ceil RATE",
            "tc class change dev wan0 parent 1:1 classid 1:20 htb prio 3 rate 150Mbit ceil RATE"
        ]
    );
    assert_eq!(
        change.undo,
        [
            "tc class change dev wan0 parent 1: classid 1:1 htb rate 200Mbit ceil 200Mbit burst 1600b cburst 1600b",
            "tc class change dev wan0 parent 1:1 classid 1:20 htb prio 3 rate 150Mbit ceil 200Mbit burst 1593b cburst 1600b"
        ]
    );
}

#[test]
fn a_shaper_whose_queue_waits_is_shortened_and_raised() {
    let tc = "a$ tc -s qdisc show dev eth0\nqdisc tbf 8001: root refcnt 2 rate 100Mbit burst 32Kb lat 400ms\n Sent 120000000 bytes 82000 pkt (dropped 0, overlimits 180232 requeues 0)\n";
    let flow = alone(&(ping(12.0, None) + &even("", 94.5) + tc));
    let commands = commands(&flow);
    assert!(commands.contains("cake bandwidth"), "{commands}");
    assert!(
        commands.contains("tc qdisc change dev eth0 root tbf rate RATE"),
        "{commands}"
    );
    assert!(
        commands.contains("tc qdisc del dev eth0 root"),
        "{commands}"
    );
    // A shaper of the sender's own may be forgotten: its rate comes first, and how it is had again.
    let first = &flow.changes[0];
    assert!(
        first.commands[0].starts_with("tc qdisc change dev eth0 root tbf rate RATE"),
        "{first:?}"
    );
    assert!(
        first.undo[0].starts_with("tc qdisc replace dev eth0 root tbf rate 100000kbit"),
        "{first:?}"
    );
    let queue = &flow.changes[1].commands;
    assert!(queue[0].starts_with("only where the shaper"), "{queue:?}");
}

#[test]
fn one_connection_between_instances_has_the_clouds_own_limit() {
    let eight = "a$ iperf3 -c 203.0.113.9 -P 8 -t 10\n[SUM]   0.00-10.00  sec  28.0 GBytes  24.1 Gbits/sec   12             sender\n[SUM]   0.00-10.00  sec  28.0 GBytes  24.1 Gbits/sec                  receiver\n";
    let counters = "a$ ethtool -S ens5 | grep exceeded\n     bw_in_allowance_exceeded: 0\n     bw_out_allowance_exceeded: 0\n     pps_allowance_exceeded: 0\n     conntrack_allowance_exceeded: 0\n";
    let d = of(
        &(ping(0.35, None) + &even("", 4960.0) + eight + counters),
        &Known::default(),
    );
    let one = d
        .flows
        .iter()
        .find(|f| f.observed.goodput_bps.is_some_and(|r| r < 1e10));
    let one = one.expect("a test of one connection");
    assert_eq!(one.verdict.cause, "shaper", "{:?}", one.verdict);
    assert!(
        commands(one).contains("placement group"),
        "{}",
        commands(one)
    );
    // Elsewhere it is any rate.
    let d = of(
        &(ping(0.35, None) + &even("", 4960.0) + eight),
        &Known::default(),
    );
    assert!(d.flows.iter().all(|f| f.verdict.cause != "shaper"));
}

#[test]
fn a_copy_of_robocopy_is_a_test() {
    let copy = "C:\\> robocopy D:\\src \\\\srv\\dst big.bin /J\n\n-------------------------------------------------------------------------------\n   ROBOCOPY     ::     Robust File Copy for Windows\n-------------------------------------------------------------------------------\n               Total    Copied   Skipped  Mismatch    FAILED    Extras\n    Dirs :         1         0         1         0         0         0\n   Files :         1         1         0         0         0         0\n   Bytes :   1.000 g   1.000 g         0         0         0         0\n   Times :   0:00:28   0:00:28                       0:00:00   0:00:00\n   Speed :            38,220,800 Bytes/sec.\n   Speed :            2187.011 MegaBytes/min.\n   Ended : Friday, November 20, 2026 10:00:00\n";
    let flow = alone(&(ping(35.0, None) + copy));
    assert_eq!(flow.observed.goodput_bps, Some(38_220_800.0 * 8.0));
}
