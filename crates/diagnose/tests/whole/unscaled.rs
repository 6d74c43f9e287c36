//! Windows without scaling: known, likely, and to be asked for.

use farpath_diagnose::{Diagnosis, Known, Source, diagnose, read};
use farpath_record::trace::{Opening, TraceConnection, TraceDirection};

use crate::{analysis, of, of_files, on};

/// A test between two Linux kernels, 150 ms and 100 Mbit/s apart, whose receiver has `tcp_window_scaling` 0: a second has room for six
/// or seven windows of 45 segments.
const LOG: &str = "\
Connecting to host boulder, port 5201
[  6] local 2001:db8::1 port 33456 connected to 2001:db8::2 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  6]   0.00-1.00   sec   460 KBytes  3.77 Mbits/sec    0   62.8 KBytes
[  6]   1.00-2.00   sec   368 KBytes  3.02 Mbits/sec    0   62.8 KBytes
[  6]   2.00-3.00   sec   462 KBytes  3.78 Mbits/sec    0   62.8 KBytes
[  6]   3.00-4.00   sec   460 KBytes  3.77 Mbits/sec    0   62.8 KBytes
[  6]   4.00-5.00   sec   368 KBytes  3.02 Mbits/sec    0   62.8 KBytes
[  6]   5.00-6.00   sec   460 KBytes  3.77 Mbits/sec    0   62.8 KBytes
[  6]   6.00-7.00   sec   368 KBytes  3.02 Mbits/sec    0   62.8 KBytes
[  6]   7.00-8.00   sec   368 KBytes  3.02 Mbits/sec    0   62.8 KBytes
[  6]   8.00-9.00   sec   460 KBytes  3.77 Mbits/sec    0   62.8 KBytes
[  6]   9.00-10.00  sec   460 KBytes  3.77 Mbits/sec    0   62.8 KBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  6]   0.00-10.00  sec  4.14 MBytes  3.47 Mbits/sec    0             sender
[  6]   0.00-10.15  sec  4.14 MBytes  3.42 Mbits/sec                  receiver
";

/// Its socket: the congestion window grew up to the receiver's, so that the kernel counts no waiting for it.
const SOCKET: &str = "\
State Recv-Q Send-Q Local Address:Port   Peer Address:Port
ESTAB 0      134232 [2001:db8::1]:33456 [2001:db8::2]:5201
\t skmem:(r0,rb131072,t0,tb207360,f3880,w155864,o0,bl0,d0) cubic rto:352 rtt:150.825/0.724 mss:1428 pmtu:1500 rcvmss:536 advmss:1428 cwnd:45 bytes_sent:2603281 bytes_acked:2539022 segs_out:1826 segs_in:599 data_segs_out:1824 send 3408454bps lastsnd:28 lastrcv:6396 lastack:28 pacing_rate 6816872bps delivery_rate 3416584bps delivered:1780 busy:6392ms unacked:45 rcv_space:14280 rcv_ssthresh:64108 notsent:69972 minrtt:150.102 snd_wnd:65535
";

const RECEIVER: &str = "\
net.core.rmem_max = 4194304
net.ipv4.tcp_rmem = 4096\t131072\t67108864
net.ipv4.tcp_window_scaling = 0
";

#[test]
fn intervals_of_whole_windows_are_those_of_a_window() {
    let files = [
        ("cli.txt", LOG),
        ("ss.txt", SOCKET),
        ("receiver.txt", RECEIVER),
    ];
    let d = of_files(&files, &on("100 Mbit/s"));
    let flow = &d.flows[0];
    assert_eq!(
        flow.verdict.cause, "no_window_scaling",
        "{:#?}",
        flow.verdict
    );
    assert!(flow.verdict.confidence > 0.8, "{:#?}", flow.verdict);
    let because = flow.verdict.because.join("\n");
    assert!(!because.contains("within 0 %"), "{because}");
    assert!(
        !because.contains("the receiver's settings allow"),
        "{because}"
    );
    let commands = flow.changes[0].commands.join("\n");
    assert_eq!(commands, "sysctl -w net.ipv4.tcp_window_scaling=1");
    // The same without the settings, as the socket shows it.
    let d = of_files(&files[..2], &on("100 Mbit/s"));
    assert_eq!(d.flows[0].verdict.cause, "no_window_scaling");
}

#[test]
fn scaling_that_is_off_decides_without_sockets_and_without_a_round_trip() {
    for rtt in [None, Some("150 ms".parse().expect("a time"))] {
        let known = Known {
            rtt,
            ..on("100 Mbit/s")
        };
        let d = of_files(&[("cli.txt", LOG), ("receiver.txt", RECEIVER)], &known);
        let flow = &d.flows[0];
        assert_eq!(
            flow.verdict.cause, "no_window_scaling",
            "{:#?}",
            flow.verdict
        );
        let commands = flow.changes[0].commands.join("\n");
        assert!(commands.contains("tcp_window_scaling=1"), "{commands}");
        assert!(!commands.contains("mem"), "{commands}");
    }
}

#[test]
fn where_64_kib_are_in_flight_scaling_is_asked_for_first() {
    let known = Known {
        rtt: Some("150 ms".parse().expect("a time")),
        ..on("100 Mbit/s")
    };
    let d = of(LOG, &known);
    let asked = &d.flows[0].missing[0];
    assert_eq!(asked.fact, "window_scaling", "{:#?}", d.flows[0].missing);
    assert!(asked.command.contains("tcp_window_scaling"), "{asked:#?}");
    assert!(asked.command.contains("tcp-syn"), "{asked:#?}");
    assert!(d.flows[0].missing.len() > 1);
    // Twice as far the same rate is another window.
    let far = Known {
        rtt: Some("300 ms".parse().expect("a time")),
        ..on("100 Mbit/s")
    };
    let d = of(LOG, &far);
    assert!(
        d.flows[0]
            .missing
            .iter()
            .all(|m| m.fact != "window_scaling")
    );
}

/// Texts by the names of their files.
type Files<'a> = &'a [(&'a str, &'a str)];

/// Where a handshake was captured, and whether the SYN and its answer scale there.
type Places<'a> = &'a [(&'a str, [bool; 2])];

const OFF: &str = "net.ipv4.tcp_window_scaling = 0\n";
const ON: &str = "net.ipv4.tcp_window_scaling = 1\n";

/// The hosts that are to be changed.
fn changed(d: &Diagnosis) -> Vec<&str> {
    let flow = &d.flows[0];
    assert_eq!(
        flow.verdict.cause, "no_window_scaling",
        "{:#?}",
        flow.verdict
    );
    flow.changes.iter().map(|c| c.host.as_str()).collect()
}

fn asks(d: &Diagnosis) -> bool {
    let mut missing = d.flows[0].missing.iter();
    missing.any(|m| m.fact == "window_scaling")
}

/// Either end may leave the option out: the one that is known to is changed, and both where nothing is known.
#[test]
fn scaling_is_turned_on_where_it_is_off() {
    let log = format!("{LOG}{SOCKET}");
    let prompt = format!("root@pebble:~# sysctl net.ipv4.tcp_window_scaling\n{OFF}");
    let (sender, receiver) = ("2001:db8::1", "2001:db8::2");
    let cases: [(Files, &[&str], bool); 6] = [
        (&[("sender.txt", OFF)], &[sender], false),
        (&[("receiver.txt", OFF)], &[receiver], false),
        (&[("sender.txt", ON)], &[receiver], false),
        (&[("receiver.txt", ON)], &[sender], false),
        (
            &[("sender.txt", OFF), ("receiver.txt", OFF)],
            &[sender, receiver],
            false,
        ),
        (&[], &[receiver, sender], true),
    ];
    for (settings, hosts, asked) in cases {
        let files = [&[("log.txt", log.as_str())][..], settings].concat();
        let d = of_files(&files, &on("100 Mbit/s"));
        assert_eq!(changed(&d), hosts, "{settings:?}");
        assert_eq!(asks(&d), asked, "{settings:?}");
        let known = settings.iter().any(|(_, text)| *text == OFF);
        for change in &d.flows[0].changes {
            let checks = change
                .commands
                .iter()
                .any(|c| c.contains("where it prints 1"));
            assert_eq!(checks, !known, "{settings:?} {change:#?}");
        }
    }
    // At a prompt behind which the sender's log stands; behind an empty line it is that host, whichever end it is.
    let known = on("100 Mbit/s");
    assert_eq!(changed(&of(&format!("{prompt}{log}"), &known)), [sender]);
    assert_eq!(
        changed(&of(&format!("{prompt}\n{log}"), &known)),
        ["pebble"]
    );
    // Of a text that may be of either host it is that host that is changed, whichever it is.
    let d = of_files(&[("log.txt", &log), ("one-host.txt", OFF)], &known);
    assert_eq!(changed(&d), ["the host of one-host.txt:1"]);
    assert_eq!(
        d.flows[0].changes[0].undo,
        ["sysctl -w net.ipv4.tcp_window_scaling=0"]
    );
}

/// Captures of a connection whose SYN and answer had such options, each at a place, beside the settings of hosts.
fn captured(places: Places, settings: Files) -> Diagnosis {
    let sources = settings.iter().map(|(name, text)| Source {
        name: (*name).to_owned(),
        bytes: text.as_bytes().to_vec(),
    });
    let mut facts = read(&sources.collect::<Vec<_>>());
    for (vantage, scales) in places {
        let options = |scales: bool| -> Vec<String> {
            let scale = scales.then(|| "window_scale 7".to_owned());
            ["mss 1460".to_owned()].into_iter().chain(scale).collect()
        };
        let connection = TraceConnection {
            id: 1,
            a: "192.0.2.1:36012".to_owned(),
            b: "192.0.2.2:5201".to_owned(),
            duration_ns: 20_000_000_000,
            vantage: (*vantage).to_owned(),
            opening: Some(Opening {
                syns: 1,
                answered: true,
                syn_ack_ns: Some(90_000_000),
                offered: options(scales[0]),
                answered_with: options(scales[1]),
                ..Opening::default()
            }),
            a2b: TraceDirection {
                segments: 9_000,
                bytes: 13_000_000,
                unique_bytes: 13_000_000,
                mss: Some(1460),
                window_scale: Some(0),
                window_max_bytes: 65_535,
                flight_max_bytes: 64_240,
                goodput_bps: 5_200_000,
                limit_shares: [("receive_window".to_owned(), 0.95)].into(),
                ..TraceDirection::default()
            },
            ..TraceConnection::default()
        };
        let analysis = analysis(connection, 13_000_000, [90.0, 91.0, 95.0]);
        facts.capture(&format!("{vantage}.pcapng"), &analysis);
    }
    diagnose(&facts, "0")
}

/// A SYN without the option is that of who opens, and an answer without it that of who answers, or what lies between took it out.
#[test]
fn a_capture_shows_who_left_scaling_out() {
    let (opener, answerer) = ("192.0.2.1", "192.0.2.2");
    let between = "the firewall or router between";
    let none = [false, false];
    let half = [true, false];
    let cases: [(Places, Files, &str); 9] = [
        (&[("sender_of_a", none)], &[], opener),
        (&[("sender_of_b", none)], &[], opener),
        (&[("sender_of_a", half)], &[], answerer),
        (&[("sender_of_b", half)], &[], answerer),
        (
            &[("sender_of_a", half), ("sender_of_b", none)],
            &[],
            between,
        ),
        (&[("sender_of_a", none), ("sender_of_b", none)], &[], opener),
        (&[("middle", none)], &[("sender.txt", ON)], between),
        (&[("sender_of_a", half)], &[("receiver.txt", ON)], between),
        (&[("sender_of_a", half)], &[("one-host.txt", OFF)], answerer),
    ];
    for (places, settings, host) in cases {
        let d = captured(places, settings);
        assert_eq!(changed(&d), [host], "{places:?} {settings:?}");
        assert!(!asks(&d), "{places:?}");
        let because = d.flows[0].verdict.because.join("\n");
        assert!(because.contains("option for it"), "{because}");
    }
    // In a capture beside the host that leaves the option out, no firewall can have removed it.
    let risk = |places: Places| captured(places, &[]).flows[0].changes[0].risk.clone();
    let takes = "a firewall on the way takes the option out";
    let beside = risk(&[("sender_of_a", none)]);
    assert!(
        beside.starts_with("connections to other hosts offer it"),
        "{beside}"
    );
    assert!(!beside.contains(takes), "{beside}");
    assert!(risk(&[("sender_of_b", none)]).contains(takes));
}

/// The receiver's settings allow 16 MiB and more, and its SYN arrived with a scale of 0: it asked for a small buffer, or a firewall
/// zeroed the scale. The SYNs at both ends tell the two apart.
#[test]
fn a_scale_that_arrives_as_0_may_be_a_firewalls() {
    let socket = SOCKET
        .replace("cubic rto", "cubic wscale:0,10 rto")
        .replace("busy:6392ms", "busy:6392ms rwnd_limited:6290ms(98.4%)");
    let receiver = RECEIVER.replace("scaling = 0", "scaling = 1");
    let of = |socket: &str| {
        let files = [
            ("cli.txt", LOG),
            ("ss.txt", socket),
            ("receiver.txt", receiver.as_str()),
        ];
        let d = of_files(&files, &on("100Mbit/s"));
        assert_eq!(
            d.flows[0].verdict.cause, "receive_window",
            "{:#?}",
            d.flows[0]
        );
        d.flows[0].changes[0].commands.join("\n")
    };
    let zero = of(&socket);
    for words in [
        "Recv-Q",
        "SO_RCVBUF",
        "tcp-syn != 0",
        "a firewall set the receiver's window scale to 0",
    ] {
        assert!(zero.contains(words), "{words}: {zero}");
    }
    let scaled = of(&socket.replace("wscale:0,10", "wscale:9,10"));
    assert!(!scaled.contains("tcp-syn"), "{scaled}");
}

/// What `tcpdump -vni` prints of the handshake of [`LOG`], with these options of the SYN and of its answer.
fn printed(offered: &str, answered: &str) -> String {
    format!(
        "tcpdump: listening on eth0, link-type EN10MB (Ethernet), snapshot length 262144 bytes
14:03:21.123456 IP6 (flowlabel 0x1, hlim 64, next-header TCP (6) payload length: 40) 2001:db8::1.33456 > 2001:db8::2.5201: Flags [S], cksum 0xe1a9 (correct), seq 30217, win 64240, options [{offered}], length 0
14:03:21.273501 IP6 (flowlabel 0x2, hlim 55, next-header TCP (6) payload length: 40) 2001:db8::2.5201 > 2001:db8::1.33456: Flags [S.], cksum 0x77aa (correct), seq 771, ack 30218, win 65535, options [{answered}], length 0
2 packets captured
2 packets received by filter
0 packets dropped by kernel
"
    )
}

const WITH: &str = "mss 1440,sackOK,TS val 913 ecr 0,nop,wscale 7";
const WITHOUT: &str = "mss 1440,nop,nop,TS val 913 ecr 0";

/// Handshakes that stand in a ticket as text say what a capture of them says.
#[test]
fn syns_as_text_say_who_leaves_scaling_out() {
    for (offered, answered, host) in [
        (WITHOUT, WITHOUT, "2001:db8::1"),
        (WITH, WITHOUT, "2001:db8::2"),
    ] {
        let text = format!("{}{LOG}", printed(offered, answered));
        let known = Known {
            rtt: "150 ms".parse().ok(),
            ..on("100 Mbit/s")
        };
        let d = of(&text, &known);
        let flow = &d.flows[0];
        assert_eq!(flow.verdict.cause, "no_window_scaling", "{flow:#?}");
        assert!(flow.verdict.confidence > 0.8, "{:#?}", flow.verdict);
        assert_eq!(flow.changes[0].host, host, "{:?}", flow.changes);
        assert!(
            !flow.missing.iter().any(|m| m.fact == "window_scaling"),
            "{:?}",
            flow.missing
        );
        // The size of segments is that of both, without timestamps.
        assert!(
            !flow.missing.iter().any(|m| m.fact == "mtu_bytes"),
            "{:?}",
            flow.missing
        );
        let read = d
            .read
            .iter()
            .find(|p| p.tool == "tcpdump")
            .expect("it is read");
        assert_eq!(
            (read.facts, read.ignored_lines.len()),
            (2, 0),
            "{:?}",
            d.read
        );
        assert!(!d.read.iter().any(|p| p.tool == "unknown"), "{:?}", d.read);
    }
}

/// A SYN that has the option where it leaves and not where it arrives met a firewall.
#[test]
fn syns_of_two_hosts_show_what_lies_between() {
    let (client, server) = (printed(WITH, WITHOUT), printed(WITHOUT, WITHOUT));
    let files = [
        ("client.txt", client.as_str()),
        ("server.txt", server.as_str()),
        ("log.txt", LOG),
    ];
    let d = of_files(&files, &on("100 Mbit/s"));
    let flow = &d.flows[0];
    assert_eq!(flow.verdict.cause, "no_window_scaling", "{flow:#?}");
    assert_eq!(
        flow.changes[0].host, "the firewall or router between",
        "{:?}",
        flow.changes
    );
}

/// A download names neither host. The SYN of its connection is seen at both ends, by two addresses of the client, whose firewall translates them.
#[test]
fn syns_of_a_download_are_of_it_behind_an_address_translation() {
    let syn = |client: &str, option: &str| {
        format!(
            "    {client}.40110 > 203.0.113.8.443: Flags [S], cksum 0x1a2b (correct), seq 12, win 64240, options [mss 1460,sackOK,TS val 81 ecr 0{option}], length 0
    203.0.113.8.443 > {client}.40110: Flags [S.], cksum 0x8d1f (correct), seq 99, ack 13, win 65160, options [mss 1380,sackOK,TS val 55 ecr 81], length 0
"
        )
    };
    let dump = "tcpdump -vni eth0 'tcp[tcpflags] & tcp-syn != 0' | grep Flags";
    let text = |server: &str| {
        format!(
            "client# {dump}\n{}\nserver# {dump}\n{}\nclient$ ping -c 4 203.0.113.8\n4 packets transmitted, 4 received, 0% packet loss, time 3003ms\nrtt min/avg/max/mdev = 70.000/70.100/70.200/0.071 ms\n\nclient$ curl -o /dev/null https://{server}/file.iso\n  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current\n                                 Dload  Upload   Total   Spent    Left  Speed\n100  512M  100  512M    0     0   893k      0  0:09:46  0:09:46 --:--:--  896k\n",
            syn("10.1.1.5", ",nop,wscale 7"),
            syn("198.51.100.2", "")
        )
    };
    let unused = |d: &Diagnosis| d.notes.iter().any(|note| note.contains("are of no flow"));
    let d = of(&text("203.0.113.8"), &Known::default());
    assert!(!unused(&d), "{:?}", d.notes);
    let flow = &d.flows[0];
    let mut ceilings = flow.ceilings.iter();
    assert!(
        ceilings.any(|c| c.cause == "no_window_scaling"),
        "{:#?}",
        flow.ceilings
    );
    assert!(
        !flow.missing.iter().any(|m| m.fact == "window_scaling"),
        "{:#?}",
        flow.missing
    );
    // A download of another server is of another connection.
    let other = of(&text("203.0.113.99"), &Known::default());
    assert!(unused(&other), "{:?}", other.notes);
}

/// Two captures in one text are of two hosts where their prompts have two names, and of one where they have one.
#[test]
fn prompts_keep_the_captures_of_a_text_apart() {
    let dump = "tcpdump -vni eth0 'tcp[tcpflags] & tcp-syn != 0'";
    let host = |prompts: [&str; 2], without: &str| {
        let [client, server] = prompts.map(|prompt| format!("{prompt} {dump}\n"));
        let text = format!(
            "{client}{}{server}{}\n{LOG}",
            printed(WITH, WITHOUT),
            printed(without, WITHOUT)
        );
        let d = of(&text, &on("100 Mbit/s"));
        let flow = &d.flows[0];
        assert_eq!(flow.verdict.cause, "no_window_scaling", "{flow:#?}");
        assert!(!d.read.iter().any(|p| p.tool == "unknown"), "{:?}", d.read);
        flow.changes[0].host.clone()
    };
    let between = "the firewall or router between";
    assert_eq!(host(["A#", "B#"], WITHOUT), between);
    assert_eq!(host(["root@siteA:~#", "[root@siteB ~]#"], WITHOUT), between);
    // Sent again a second later, by its timestamp.
    let again = WITHOUT.replace("913", "1913");
    assert_ne!(host(["root@siteA:~#", "root@siteA:~#"], &again), between);
}

/// Two captures in one text that only words keep apart: one packet with the option and without it was seen on both sides of what takes it out.
#[test]
fn one_packet_with_the_option_and_without_shows_what_lies_between() {
    let host = |id: u32, stamp: u32| {
        let syn = |ttl: u32, id: u32, options: &str| {
            format!(
                "03:20:11.1 IP (tos 0x0, ttl {ttl}, id {id}, offset 0, flags [DF], proto TCP (6), length 60)\n    192.0.2.1.33456 > 192.0.2.2.5201: Flags [S], cksum 0x5b1c (correct), seq 1882211022, win 64240, options [{options}], length 0\n"
            )
        };
        let answer = "03:20:11.2 IP (tos 0x0, ttl 58, id 0, offset 0, flags [DF], proto TCP (6), length 56)\n    192.0.2.2.5201 > 192.0.2.1.33456: Flags [S.], cksum 0x8f21 (correct), seq 902211834, ack 1882211023, win 65160, options [mss 1380,sackOK,TS val 99213 ecr 112233], length 0\n";
        let sent = syn(64, 4112, "mss 1460,sackOK,TS val 112233 ecr 0,nop,wscale 7");
        let came = format!("mss 1380,sackOK,TS val {stamp} ecr 0,nop,nop,nop,nop");
        let log = LOG.replace("2001:db8::", "192.0.2.");
        let text = format!(
            "{log}\non the sender:\n{sent}{answer}on the receiver:\n{}{answer}",
            syn(58, id, &came)
        );
        let known = Known {
            rtt: "150 ms".parse().ok(),
            ..on("100 Mbit/s")
        };
        let d = of(&text, &known);
        let flow = &d.flows[0];
        assert_eq!(flow.verdict.cause, "no_window_scaling", "{flow:#?}");
        flow.changes[0].host.clone()
    };
    let between = "the firewall or router between";
    assert_eq!(host(4112, 112_233), between);
    // A SYN that is sent again is another packet.
    assert_ne!(host(4113, 113_260), between);
}

/// With the option in both, 65535 bytes in flight are not its lack; and SYNs of other hosts say nothing.
#[test]
fn syns_with_scaling_rule_it_out() {
    let with = printed(WITH, WITH);
    let d = of(&format!("{with}{LOG}"), &on("100 Mbit/s"));
    assert!(
        d.flows[0].verdict.cause != "no_window_scaling",
        "{:#?}",
        d.flows[0].verdict
    );
    let others = printed(WITHOUT, WITHOUT).replace("2001:db8::", "2001:db8:9::");
    let others = others.replace("33456", "41000");
    let d = of(&format!("{others}{LOG}"), &on("100 Mbit/s"));
    let note = "SYNs between [2001:db8:9::1]:41000 and [2001:db8:9::2]:5201 are of no flow";
    assert!(d.notes.iter().any(|n| n.contains(note)), "{:?}", d.notes);
}

/// Options that mail broke, a SYN without SACK, and lines of data.
#[test]
fn syns_are_read_as_people_paste_them() {
    let broken = printed(WITHOUT, WITHOUT).replace("nop,nop,", "nop,nop,\n    ");
    let data = "14:03:22.1 IP6 2001:db8::1.33456 > 2001:db8::2.5201: Flags [P.], seq 1:38, ack 1, win 502, options [nop,nop,TS val 9 ecr 8], length 37\n";
    let d = of(&format!("{broken}{data}{LOG}"), &on("100 Mbit/s"));
    let flow = &d.flows[0];
    assert!(
        flow.ceilings.iter().any(|c| c.cause == "no_window_scaling")
            || flow.observed.rtt_ns.is_none()
    );
    assert!(d.read.iter().all(|p| p.tool != "unknown"), "{:?}", d.read);
    assert!(
        d.notes.iter().any(|n| n.contains("tcpdump -w FILE")),
        "{:?}",
        d.notes
    );
}

/// A processor that is full is said whatever leads.
#[test]
fn a_full_processor_is_seen_besides() {
    let table = "root@boulder:~# mpstat -P ALL 5 1\nLinux 6.1.0-20-amd64 (boulder) \t11/27/2026 \t_x86_64_\t(2 CPU)\n\n10:00:00 AM  CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\n10:00:05 AM  all   48.50    0.00    1.50    0.00    0.00    0.00    0.00    0.00    0.00   50.00\n10:00:05 AM    0   97.00    0.00    3.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00\n10:00:05 AM    1    0.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00  100.00\n";
    let files = [
        ("cli.txt", LOG),
        ("ss.txt", SOCKET),
        ("receiver.txt", RECEIVER),
        ("cpu.txt", table),
    ];
    let d = of_files(&files, &on("100 Mbit/s"));
    let verdict = &d.flows[0].verdict;
    assert_eq!(verdict.cause, "no_window_scaling", "{verdict:#?}");
    let because = verdict.because.join("\n");
    assert!(
        because.contains("seen besides: a processor was 100 % busy"),
        "{because}"
    );
}
