//! Connections that hang: which way they went, what it may be, and what is asked for.

use farpath_diagnose::{Diagnosis, FlowReport, Known};

use crate::of_files;

/// The kernel of a web server whose answer of some kB is sent again and again; `more` is what it counts as acknowledged.
fn hung(more: &str) -> String {
    format!(
        "State Recv-Q Send-Q Local Address:Port  Peer Address:Port Process\nESTAB 0      14480  10.9.0.20:80 192.0.2.55:50912\n\t skmem:(r0,rb131072,t0,tb87040,f1907,w24000,o0,bl0,d0) ts sack cubic wscale:7,7 rto:14080 backoff:6 rtt:28.6/10.4 ato:40 mss:1448 pmtu:1500 rcvmss:536 advmss:1448 cwnd:1 ssthresh:7 bytes_sent:21720 bytes_retrans:8688 {more}bytes_received:91 segs_out:17 segs_in:3 data_segs_out:15 data_segs_in:1 lastsnd:6100 busy:21000ms unacked:9 retrans:1/6 lost:9 minrtt:28.6 snd_wnd:64256\n"
    )
}

fn pings(large: bool) -> String {
    let small = "PING 10.9.0.20 (10.9.0.20) 56(84) bytes of data.\n\n--- 10.9.0.20 ping statistics ---\n10 packets transmitted, 10 received, 0% packet loss, time 9014ms\nrtt min/avg/max/mdev = 28.5/28.6/28.9/0.1 ms\n";
    let lost = "PING 10.9.0.20 (10.9.0.20) 1472(1500) bytes of data.\n\n--- 10.9.0.20 ping statistics ---\n4 packets transmitted, 0 received, 100% packet loss, time 3070ms\n";
    format!("{small}{}", if large { lost } else { "" })
}

const CURL: &str = "$ curl -v -o a.html --max-time 45 http://wiki.example.org/
*   Trying 10.9.0.20:80...
* Connected to wiki.example.org (10.9.0.20) port 80 (#0)
> GET / HTTP/1.1
> Host: wiki.example.org
>
{ [0 bytes data]
  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current
                                 Dload  Upload   Total   Spent    Left  Speed
  0     0    0     0    0     0      0      0 --:--:--  0:00:45 --:--:--     0
* Operation timed out after 45002 milliseconds with 0 bytes received
* Closing connection 0
curl: (28) Operation timed out after 45002 milliseconds with 0 bytes received
";

fn first(files: &[(&str, &str)]) -> (Diagnosis, FlowReport) {
    let d = of_files(files, &Known::default());
    assert_eq!(d.flows.len(), 1, "{:#?}", d.flows);
    let flow = d.flows[0].clone();
    (d, flow)
}

fn asks(flow: &FlowReport) -> Vec<&str> {
    flow.missing.iter().map(|m| m.command.as_str()).collect()
}

#[test]
fn a_socket_that_hangs_sends_what_waits_in_it() {
    for more in ["", "bytes_acked:1 ", "bytes_acked:7240 "] {
        for name in ["ss.txt", "sender.txt"] {
            let (_, flow) = first(&[(name, &hung(more))]);
            assert_eq!(flow.name, "10.9.0.20 > 192.0.2.55", "{more}{name}");
        }
    }
    // Both ends print it: the client sent its question, and has heard nothing.
    let client = "ESTAB 0      0      192.0.2.55:50912 10.9.0.20:80\n\t cubic wscale:7,7 rto:230 rtt:28.7/14 mss:1448 cwnd:10 bytes_sent:91 bytes_acked:92 segs_out:4 segs_in:2 busy:29ms minrtt:28.7\n";
    for files in [
        [("client.txt", client), ("server.txt", &hung(""))],
        [("server.txt", &hung("")), ("client.txt", client)],
    ] {
        let (_, flow) = first(&files);
        assert_eq!(flow.name, "10.9.0.20 > 192.0.2.55");
    }
}

/// Without a ping it may be a path that is down: that is asked for. Beside small pings it is what is large that is lost.
#[test]
fn repetitions_that_nobody_hears_are_a_hole_beside_pings_that_pass() {
    let ss = hung("");
    let (_, alone) = first(&[("ss.txt", &ss)]);
    assert!(alone.verdict.confidence <= 0.6, "{:#?}", alone.verdict);
    let because = alone.verdict.because.join("\n");
    assert!(because.contains("doubled 6 times"), "{because}");
    let asked = asks(&alone);
    assert_eq!(
        asked,
        ["ping -c 5 192.0.2.55; ping -M do -c 5 -s 1472 192.0.2.55"]
    );
    let small = pings(false);
    let (_, beside) = first(&[("ss.txt", &ss), ("ping.txt", &small)]);
    assert_eq!(
        beside.verdict.cause, "mtu_black_hole",
        "{:#?}",
        beside.verdict
    );
    assert!(beside.verdict.confidence > 0.8, "{:#?}", beside.verdict);
    assert!(
        beside
            .verdict
            .because
            .join("\n")
            .contains("small pings pass")
    );
    let change = &beside.changes[0];
    assert_eq!(change.host, "10.9.0.20", "large segments come from there");
    let commands = change.commands.join("\n");
    assert!(commands.contains("tcp_mtu_probing=1"), "{commands}");
}

/// What a router reports to the host of the pings is the path's MTU, and a sender that hangs with larger packets has not heard of it.
#[test]
fn packets_above_a_reported_mtu_are_what_hangs() {
    let reported = "PING 10.9.0.20 (10.9.0.20) 1472(1500) bytes of data.\nFrom 10.9.9.1 icmp_seq=1 Frag needed and DF set (mtu = 1400)\n\n--- 10.9.0.20 ping statistics ---\n1 packets transmitted, 0 received, +1 errors, 100% packet loss, time 0ms\n";
    let (ss, both) = (hung(""), pings(false) + reported);
    let (_, flow) = first(&[("ss.txt", &ss), ("ping.txt", &both)]);
    assert_eq!(flow.verdict.cause, "mtu_black_hole", "{:#?}", flow.verdict);
    let because = flow.verdict.because.join("\n");
    let says = "a router on the way carries no packets of more than 1400 bytes";
    assert!(because.contains(says), "{because}");
    assert!(!because.contains("are all lost"), "{because}");
    let mut asked = flow.missing.iter();
    assert!(
        asked.all(|m| m.fact != "ping_large_lost_bytes"),
        "{:#?}",
        flow.missing
    );
}

#[test]
fn the_interface_of_a_tunnel_says_the_size() {
    let tunnels = [
        "9: wg2: <POINTOPOINT,NOARP,UP,LOWER_UP> mtu 1412 qdisc noqueue state UNKNOWN mode DEFAULT group default qlen 1000\n    link/none \n",
        "utun4: flags=8051<UP,POINTOPOINT,RUNNING,MULTICAST> mtu 1412\n",
    ];
    for tunnel in tunnels {
        let (ss, both) = (hung(""), pings(true));
        let (_, flow) = first(&[("ss.txt", &ss), ("ping.txt", &both), ("gw.txt", tunnel)]);
        assert_eq!(flow.verdict.cause, "mtu_black_hole", "{:#?}", flow.verdict);
        assert!(
            flow.missing.iter().all(|m| m.fact != "mtu_bytes"),
            "{:#?}",
            flow.missing
        );
        let change = &flow.changes[0];
        assert!(change.risk.contains("1412 bytes"), "{change:#?}");
        let rule =
            "iptables -t mangle -A FORWARD -p tcp --tcp-flags SYN,RST SYN -j TCPMSS --set-mss 1372";
        assert!(
            change.commands.iter().any(|c| c.ends_with(rule)),
            "{change:#?}"
        );
    }
}

/// What `ip addr` prints of an interface with this MTU, and an address if there is one.
fn interface(mtu: u32, address: &str) -> String {
    let head = format!(
        "2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu {mtu} qdisc mq state UP group default qlen 1000\n    link/ether 02:00:5e:00:53:01 brd ff:ff:ff:ff:ff:ff\n"
    );
    match address {
        "" => head,
        address => head + &format!("    inet {address} brd 10.9.0.255 scope global eth0\n"),
    }
}

/// Hosts of one subnet with unlike MTUs are named, each with its own.
#[test]
fn unlike_mtus_of_both_ends_are_named() {
    let (ss, both) = (hung("").replace("192.0.2.55", "10.9.0.55"), pings(true));
    let of = |sender: &str, receiver: &str| {
        let files = [
            ("ss.txt", ss.as_str()),
            ("ping.txt", &both),
            ("sender.txt", sender),
            ("receiver.txt", receiver),
        ];
        let (_, flow) = first(&files);
        assert_eq!(flow.verdict.cause, "mtu_black_hole", "{:#?}", flow.verdict);
        flow.verdict.because.join("\n")
    };
    let unlike = of(
        &interface(9000, "10.9.0.20/24"),
        &interface(1500, "10.9.0.55/24"),
    );
    assert!(
        unlike.contains("eth0 of 10.9.0.20 has an MTU of 9000 bytes, and eth0 of 10.9.0.55 one of 1500, in the same subnet"),
        "{unlike}"
    );
    let other_way = of(
        &interface(1500, "10.9.0.20/24"),
        &interface(9000, "10.9.0.55/24"),
    );
    assert!(
        other_way.contains("eth0 of 10.9.0.55 has an MTU of 9000 bytes"),
        "{other_way}"
    );
    // Without addresses nobody knows whether it is one subnet.
    let bare = of(&interface(9000, ""), &interface(1500, ""));
    assert!(
        bare.contains("within one subnet both need the same"),
        "{bare}"
    );
    let alike = of(
        &interface(1500, "10.9.0.20/24"),
        &interface(1500, "10.9.0.55/24"),
    );
    assert!(!alike.contains("has an MTU of"), "{alike}");
    // Routers are between them, and report what is too large, or do not.
    let routed = of(
        &interface(9000, "10.9.0.20/27"),
        &interface(1500, "10.9.0.55/27"),
    );
    assert!(!routed.contains("has an MTU of"), "{routed}");
}

/// A socket that sends `queued` bytes again for the fifth time: the handshake passed, and nothing that carries data.
fn dropped(queued: u32, port: u16) -> String {
    format!(
        "$ ss -tino dst 203.0.113.80\nESTAB 0 {queued} 10.1.1.5:48212 203.0.113.80:{port} timer:(on,1.2sec,5)\n\t cubic wscale:7,7 rto:6720 backoff:5 rtt:31.2/15.6 mss:1448 pmtu:1500 rcvmss:536 advmss:1448 cwnd:1 ssthresh:5 bytes_sent:{} bytes_retrans:{} segs_out:8 segs_in:2 data_segs_out:6 send 371kbps lastsnd:5400 lastrcv:12200 lastack:12200 pacing_rate 4.4Mbps delivered:1 busy:12200ms unacked:1 retrans:0/5 lost:1 rcv_space:14480 rcv_ssthresh:64088 notsent:0 minrtt:31.1\n",
        6 * queued,
        5 * queued
    )
}

fn large(answered: bool) -> String {
    let (received, lost, times) = match answered {
        true => (
            5,
            0,
            "rtt min/avg/max/mdev = 31.101/31.302/31.501/0.120 ms\n",
        ),
        false => (0, 100, ""),
    };
    format!(
        "$ ping -c 5 -M do -s 1472 203.0.113.80\nPING 203.0.113.80 (203.0.113.80) 1472(1500) bytes of data.\n--- 203.0.113.80 ping statistics ---\n5 packets transmitted, {received} received, {lost}% packet loss, time 4085ms\n{times}"
    )
}

/// A ClientHello of 517 bytes and 36 bytes of SSH fit every MTU: it was a black hole, with 100 %.
#[test]
fn small_segments_that_vanish_are_taken_by_a_device() {
    for (queued, port) in [(517, 443), (36, 22)] {
        let text = large(true) + &dropped(queued, port);
        let (_, flow) = first(&[("t.txt", &text)]);
        assert_eq!(flow.verdict.cause, "middlebox", "{:#?}", flow.verdict);
        assert!(flow.verdict.confidence > 0.8, "{:#?}", flow.verdict);
        let because = flow.verdict.because.join("\n");
        let says = format!("they carry {queued} bytes at most, which no MTU stops, and pings pass");
        assert!(because.contains(&says), "{because}");
        let change = &flow.changes[0];
        assert!(change.host.contains("firewalls"), "{change:#?}");
        let commands = change.commands.join("\n");
        assert!(!commands.contains("mtu"), "{commands}");
        // The ping that was given is not asked for.
        let asked = asks(&flow).join("\n");
        assert!(asked.contains("tcpdump"), "{asked}");
        assert!(!asked.contains("ping"), "{asked}");
    }
    // Without a ping the path may be down: that is asked for.
    let (_, alone) = first(&[("t.txt", &dropped(517, 443))]);
    assert_eq!(alone.verdict.cause, "middlebox", "{:#?}", alone.verdict);
    assert!(alone.verdict.confidence <= 0.6, "{:#?}", alone.verdict);
    let because = alone.verdict.because.join("\n");
    assert!(
        because.contains("the path is down, or a firewall"),
        "{because}"
    );
    assert!(asks(&alone).contains(&"ping -c 5 203.0.113.80"));
}

/// Full segments vanish where pings as large pass whole: their size is not it. Where such pings are lost, it is.
#[test]
fn a_size_that_passes_is_no_hole() {
    let full = dropped(1448, 443);
    let (_, flow) = first(&[("t.txt", &(large(true) + &full))]);
    assert_eq!(flow.verdict.cause, "middlebox", "{:#?}", flow.verdict);
    let because = flow.verdict.because.join("\n");
    assert!(
        because.contains("pings of 1500 bytes pass that may not be cut"),
        "{because}"
    );
    let small = pings(false).replace("10.9.0.20", "203.0.113.80");
    let (_, flow) = first(&[("t.txt", &(small + &large(false) + &full))]);
    assert_eq!(flow.verdict.cause, "mtu_black_hole", "{:#?}", flow.verdict);
}

#[test]
fn a_download_that_connected_and_got_nothing_is_read() {
    let (d, flow) = first(&[("curl.txt", CURL)]);
    assert_eq!(flow.name, "10.9.0.20 > receiver");
    assert_eq!(flow.observed.goodput_bps, Some(0.0));
    assert_eq!(
        asks(&flow),
        ["ping -c 5 10.9.0.20; ping -M do -c 5 -s 1472 10.9.0.20"]
    );
    assert!(d.read.iter().any(|p| p.tool == "curl" && p.facts > 0));
    let both = pings(true);
    let (_, flow) = first(&[("curl.txt", CURL), ("ping.txt", &both)]);
    assert_eq!(flow.verdict.cause, "mtu_black_hole", "{:#?}", flow.verdict);
    assert_eq!(flow.changes[0].host, "10.9.0.20");
    let ss = hung("");
    let (_, flow) = first(&[("curl.txt", CURL), ("ss.txt", &ss), ("ping.txt", &both)]);
    assert_eq!(flow.name, "10.9.0.20 > 192.0.2.55");
    assert!(flow.verdict.confidence > 0.95, "{:#?}", flow.verdict);
}

/// It says its end twice, and it was one.
#[test]
fn a_download_that_hung_is_counted_once() {
    for text in [
        CURL.to_owned(),
        CURL.lines().skip(7).collect::<Vec<_>>().join("\n") + "\n",
    ] {
        let (_, flow) = first(&[("curl.txt", &text)]);
        assert_eq!(flow.observed.goodput_bps, Some(0.0), "{text}");
    }
}

/// A kernel on the way whose table of connections is full, and a test that could not connect: each without the other says less.
#[test]
fn a_full_table_of_connections_is_why_none_opens() {
    let log = "fw$ dmesg | tail -1\n[ 8123.441002] nf_conntrack: nf_conntrack: table full, dropping packet\n";
    let failed = "c$ iperf3 -c 203.0.113.9\niperf3: error - unable to connect to server: Connection timed out\n";
    let late = "time_namelookup: 0.004000s\ntime_connect: 3.071000s\ntime_starttransfer: 3.142000s\ntime_total: 3.142000s\n";
    let short = "c$ curl -s -w 'dns %{time_namelookup} conn %{time_connect} total %{time_total}\\n' http://198.51.100.3/\ndns 0.000021 conn 7.121311 total 7.140121\n";
    let late_ones = [late, short].map(|text| (text, "sent again"));
    for (text, how) in [(failed, "timed out before")].into_iter().chain(late_ones) {
        let (_, flow) = first(&[("ticket.txt", &format!("{text}{log}"))]);
        assert_eq!(flow.verdict.cause, "full_table", "{:#?}", flow.verdict);
        assert!(flow.verdict.confidence >= 0.6, "{:#?}", flow.verdict);
        let because = flow.verdict.because.join("\n");
        assert!(because.contains(how), "{because}");
        let change = &flow.changes[0];
        let commands = change.commands.join("\n");
        assert!(commands.contains("nf_conntrack_max=N"), "{commands}");
        assert!(change.undo[0].contains("nf_conntrack_max"), "{change:?}");
        let (_, alone) = first(&[("ticket.txt", text)]);
        assert_ne!(alone.verdict.cause, "full_table", "{:#?}", alone.verdict);
    }
    let (_, logged) = first(&[("ticket.txt", log)]);
    assert_ne!(logged.verdict.cause, "full_table", "{:#?}", logged.verdict);
    // A table that is still full says as much as a connection that failed, however its files are printed.
    let sysctl = "fw$ sysctl net.netfilter.nf_conntrack_count net.netfilter.nf_conntrack_max\nnet.netfilter.nf_conntrack_count = 262144\nnet.netfilter.nf_conntrack_max = 262144\n";
    let cat = "fw$ cat /proc/sys/net/netfilter/nf_conntrack_count /proc/sys/net/netfilter/nf_conntrack_max\n262144\n262144\n";
    let counted = "fw$ conntrack -C; sysctl net.netfilter.nf_conntrack_max\n262144\nnet.netfilter.nf_conntrack_max = 262144\n";
    let grep = "fw$ grep . /proc/sys/net/netfilter/nf_conntrack_*\n/proc/sys/net/netfilter/nf_conntrack_count:262144\n/proc/sys/net/netfilter/nf_conntrack_max:262144\n";
    for full in [sysctl, cat, counted, grep] {
        for (beside, least) in [(log, 0.9), (failed, 0.6)] {
            let (_, flow) = first(&[("ticket.txt", &format!("{beside}{full}"))]);
            let verdict = &flow.verdict;
            assert_eq!(verdict.cause, "full_table", "{full}: {verdict:#?}");
            assert!(verdict.confidence >= least, "{full}: {verdict:#?}");
            let because = verdict.because.join("\n");
            assert!(because.contains("keeps 262144 connections"), "{because}");
            let commands = flow.changes[0].commands.join("\n");
            assert!(commands.contains("nf_conntrack_max=524288"), "{commands}");
            let undo = &flow.changes[0].undo[0];
            assert_eq!(undo, "sysctl -w net.netfilter.nf_conntrack_max=262144");
            assert!(flow.missing.is_empty(), "{full}: {:#?}", flow.missing);
        }
        let (_, alone) = first(&[("ticket.txt", full)]);
        assert_ne!(alone.verdict.cause, "full_table", "{full}");
        let room = full.replacen("262144", "120000", 1);
        let (_, roomy) = first(&[("ticket.txt", &format!("{log}{room}"))]);
        assert_ne!(roomy.verdict.cause, "full_table", "{room}");
    }
}

/// Lines of a host that no connection is known to go through, of a date that no text has, were the cause with 88 %.
#[test]
fn a_table_that_was_full_at_another_time_is_not_why_none_opens() {
    let failed = "c$ iperf3 -c 203.0.113.9\niperf3: error - unable to connect to server: Connection timed out\n";
    let line =
        |time: &str| format!("[{time}] nf_conntrack: nf_conntrack: table full, dropping packet\n");
    let old = "Tue Mar  3 04:11:02 2026";
    let log = format!(
        "backup7# dmesg -T | tail -2\n{}{}",
        line("Tue Mar  3 04:01:02 2026"),
        line(old)
    );
    let judged = |text: String| first(&[("ticket.txt", &text)]).1.verdict;
    let verdict = judged(format!("{failed}{log}"));
    assert_ne!(verdict.cause, "full_table", "{verdict:#?}");
    // The host's own date is that of its last line, and its table is full now: either says that it is of this time.
    let date = "backup7# date\nTue Mar  3 04:12:10 UTC 2026\n";
    let verdict = judged(format!("{failed}{log}{date}"));
    assert_eq!(verdict.cause, "full_table", "{verdict:#?}");
    assert!(verdict.confidence <= 0.6, "{verdict:#?}");
    let why = verdict.because.join("\n");
    assert!(
        why.contains("go through backup7") && why.contains("is assumed"),
        "{why}"
    );
    let full = "backup7# sysctl net.netfilter.nf_conntrack_count net.netfilter.nf_conntrack_max\nnet.netfilter.nf_conntrack_count = 262144\nnet.netfilter.nf_conntrack_max = 262144\n";
    let verdict = judged(format!("{failed}{log}{full}"));
    assert_eq!(verdict.cause, "full_table", "{verdict:#?}");
    assert!(verdict.confidence > 0.8, "{verdict:#?}");
}

/// The host knows that 1450 bytes pass, and lets a program behind its bridge announce 1500.
#[test]
fn an_answer_to_a_container_may_be_too_large_for_the_path_of_its_host() {
    let mtus = "root@ci:~# cat /sys/class/net/ens3/mtu /sys/class/net/docker0/mtu\n1450\n1500\n";
    let pings = "root@ci:~# ping -M do -s 1472 -c 2 10.9.0.20
PING 10.9.0.20 (10.9.0.20) 1472(1500) bytes of data.
ping: local error: message too long, mtu=1450
ping: local error: message too long, mtu=1450

--- 10.9.0.20 ping statistics ---
2 packets transmitted, 0 received, +2 errors, 100% packet loss, time 1010ms

root@ci:~# ping -M do -s 1422 -c 2 10.9.0.20
PING 10.9.0.20 (10.9.0.20) 1422(1450) bytes of data.
1430 bytes from 10.9.0.20: icmp_seq=1 ttl=58 time=5.11 ms
1430 bytes from 10.9.0.20: icmp_seq=2 ttl=58 time=5.02 ms

--- 10.9.0.20 ping statistics ---
2 packets transmitted, 2 received, 0% packet loss, time 1001ms
rtt min/avg/max/mdev = 5.020/5.065/5.110/0.045 ms
";
    let (_, flow) = first(&[("ticket.txt", &format!("{mtus}{CURL}{pings}"))]);
    let verdict = &flow.verdict;
    assert_eq!(verdict.cause, "mtu_black_hole", "{verdict:#?}");
    assert!(verdict.confidence >= 0.6, "{verdict:#?}");
    let because = verdict.because.join("\n");
    assert!(
        because.contains("docker0 of ci has an MTU of 1500 bytes"),
        "{because}"
    );
    let change = &flow.changes[0];
    assert_eq!(change.host, "ci");
    assert!(
        change.commands[0].contains("--clamp-mss-to-pmtu"),
        "{change:#?}"
    );
    assert!(
        asks(&flow).iter().all(|asked| !asked.contains("-s 1472")),
        "{:?}",
        asks(&flow)
    );
    // Without the bridge nothing says which it is, and a program without an answer is not to ask for larger pieces.
    let (_, flow) = first(&[("ticket.txt", &format!("{CURL}{pings}"))]);
    let all = flow.changes.iter().flat_map(|c| c.commands.clone());
    let all: Vec<String> = all.collect();
    assert!(!all.join("\n").contains("larger pieces"), "{all:?}");
}

/// The kernel's line is of March, and the table has room: the note advised to raise it, and had no date.
#[test]
fn a_table_that_has_room_now_was_full_at_another_time() {
    let text = "ps1# dmesg -T | grep conntrack
[Tue Mar  3 02:11:09 2026] nf_conntrack: nf_conntrack: table full, dropping packet
ps1# sysctl net.netfilter.nf_conntrack_count net.netfilter.nf_conntrack_max
net.netfilter.nf_conntrack_count = 1021
net.netfilter.nf_conntrack_max = 262144
";
    let notes = |text: &str| crate::of(text, &Known::default()).notes.join("\n");
    let said = notes(text);
    for says in [
        "the kernel says (Tue Mar  3 02:11:09 2026): nf_conntrack",
        "the table of connections has 1021 of 262144 in use",
    ] {
        assert!(said.contains(says), "{says}: {said}");
    }
    let full = notes(&text.replace("= 1021", "= 262140"));
    assert!(!full.contains("of another time"), "{full}");
}
