//! Which end a text is of, and what that makes of the advice: reverse tests, both ends' logs, quoted mail, pings that try an MTU.

use farpath_diagnose::{Diagnosis, Known};

use crate::{of, of_files, on};

/// The diagnosis of several files.
fn files(all: &[(&str, &str)]) -> Diagnosis {
    of_files(all, &on("10 Gbit/s"))
}

/// A log of iperf3 of 20 s at a rate in Mbit/s, with this head, its columns and its closing rows.
fn log(head: &str, columns: &str, mbit: f64, behind: &str, closing: &str) -> String {
    let mut all = format!("{head}[ ID] Interval           Transfer     Bitrate{columns}\n");
    for n in 0..20 {
        let wobble = mbit * (1.0 + 0.004 * f64::from(n % 3 - 1));
        all += &format!(
            "[  5]  {n:>2}.00-{}.00  sec  {:.1} MBytes  {wobble:.1} Mbits/sec{behind}\n",
            n + 1,
            wobble / 8.388_608
        );
    }
    all + "- - - - - - - - - - - - - - - - - - - - - - - - -\n" + closing
}

const ENDS: &str = "[  5] local 192.0.2.10 port 43210 connected to 198.51.100.20 port 5201\n";

const CLOSING: &str = "\
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-20.15  sec   708 MBytes   295 Mbits/sec    0             sender
[  5]   0.00-20.00  sec   703 MBytes   295 Mbits/sec                  receiver
";

const PING: &str = "\
20 packets transmitted, 20 received, 0% packet loss, time 19013ms
rtt min/avg/max/mdev = 150.111/150.179/150.247/0.040 ms
";

fn settings(rmem: u64, wmem: u64) -> String {
    format!(
        "kernel.osrelease = 6.8.0-45-generic\nnet.ipv4.tcp_rmem = 4096\t131072\t{rmem}\n\
         net.ipv4.tcp_wmem = 4096\t16384\t{wmem}\nnet.ipv4.tcp_window_scaling = 1\n"
    )
}

#[test]
fn a_client_that_fetches_is_the_receiver() {
    let head = format!(
        "Connecting to host far.example, port 5201\nReverse mode, remote host far.example is sending\n{ENDS}"
    );
    let whole = log(&head, "", 295.0, "", CLOSING);
    let headless = log(ENDS, "", 295.0, "", CLOSING);
    for log in [whole, headless] {
        let d = files(&[
            ("client.txt", &settings(8_388_608, 6_291_456)),
            ("log.txt", &log),
            ("server.txt", &settings(268_435_456, 268_435_456)),
            ("ping.txt", PING),
        ]);
        let flow = &d.flows[0];
        assert_eq!(flow.name, "198.51.100.20 > 192.0.2.10");
        assert_eq!(flow.verdict.cause, "receive_window", "{:?}", flow.verdict);
        assert!(flow.verdict.confidence > 0.8, "{:?}", flow.verdict);
        assert_eq!(flow.changes[0].host, "192.0.2.10");
        let from = |cause| {
            let limit = flow.ceilings.iter().find(|c| c.cause == cause);
            limit.expect("it is known").from.join(" ")
        };
        assert!(from("receive_window").contains("client.txt"));
        assert!(from("send_buffer").contains("server.txt"));
    }
}

#[test]
fn a_clients_file_is_the_senders_where_it_sends() {
    let log = log(
        ENDS,
        "         Retr  Cwnd",
        295.0,
        "    0   5.93 MBytes",
        CLOSING,
    );
    let d = files(&[
        ("client.txt", &settings(8_388_608, 6_291_456)),
        ("log.txt", &log),
        ("server.txt", &settings(268_435_456, 268_435_456)),
        ("ping.txt", PING),
    ]);
    assert_eq!(d.flows[0].verdict.cause, "send_buffer");
    assert_eq!(d.flows[0].changes[0].host, "192.0.2.10");
}

#[test]
fn a_server_that_counts_what_it_sent_again_is_the_sender() {
    let head = "Accepted connection from 198.18.0.1, port 34846\n[  5] local 198.18.0.2 port 5201 connected to 198.18.0.1 port 34850\n";
    let closing = "[ ID] Interval           Transfer     Bitrate         Retr\n[  5]   0.00-20.00  sec  91.1 MBytes  38.2 Mbits/sec  1436             sender\n";
    let linux = log(
        head,
        "         Retr  Cwnd",
        38.2,
        "   72   1.50 MBytes",
        closing,
    );
    // Of a system that does not count them only the closing row says it.
    let plain = log(
        head,
        "",
        38.2,
        "",
        "[  5]   0.00-20.00  sec  91.1 MBytes  38.2 Mbits/sec                  sender\n",
    );
    for (log, counted) in [(linux, true), (plain, false)] {
        let d = files(&[("server.log", &log), ("ping.txt", PING)]);
        let flow = &d.flows[0];
        assert_eq!(flow.name, "198.18.0.2 > 198.18.0.1");
        let because = flow.verdict.because.join("\n");
        assert!(!because.contains("hardly a segment"), "{because}");
        let losses = flow.ceilings.iter().any(|c| c.cause == "random_loss");
        assert_eq!(losses, counted);
    }
}

#[test]
fn logs_of_both_ends_are_one_flow() {
    let client = log(
        ENDS,
        "         Retr  Cwnd",
        295.0,
        "    0   5.93 MBytes",
        CLOSING,
    );
    let head = "Accepted connection from 192.0.2.10, port 43208\n[  5] local 198.51.100.20 port 5201 connected to 192.0.2.10 port 43210\n";
    let closing =
        "[  5]   0.00-20.00  sec   703 MBytes   295 Mbits/sec                  receiver\n";
    let server = log(head, "", 295.0, "", closing);
    for pair in [[&client, &server], [&server, &client]] {
        let d = files(&[("a.txt", pair[0]), ("b.txt", pair[1]), ("ping.txt", PING)]);
        assert_eq!(
            d.flows.len(),
            1,
            "{:?}",
            d.flows.iter().map(|f| &f.name).collect::<Vec<_>>()
        );
        assert_eq!(d.flows[0].observed.goodput_bps, Some(295e6));
    }
    // Another test of the same ports brought something else.
    let other = server.replace("703 MBytes   295", "303 MBytes   127");
    let d = files(&[("a.txt", &client), ("b.txt", &other)]);
    assert_eq!(d.flows.len(), 2);
}

#[test]
fn no_advice_makes_a_buffer_smaller() {
    let log = log(
        ENDS,
        "         Retr  Cwnd",
        8870.0,
        "    0    160 MBytes",
        &CLOSING
            .replace(" 295 M", "8870 M")
            .replace("708 MB", "21.1 GB")
            .replace("703 MB", "21.0 GB"),
    );
    let all = format!("{log}{PING}{}", settings(268_435_456, 268_435_456));
    let d = of(&all, &Known::default());
    for change in &d.flows[0].changes {
        let text = change.commands.join("\n");
        for word in text.split([' ', '=', '"']) {
            let bytes: u64 = word.parse().unwrap_or(u64::MAX);
            assert!(bytes > 268_435_456 || bytes <= 131_072, "{text}");
        }
    }
}

#[test]
fn the_release_beside_the_settings_decides() {
    let log = log(
        ENDS,
        "         Retr  Cwnd",
        295.0,
        "    0   5.93 MBytes",
        CLOSING,
    );
    let bare =
        settings(8_388_608, 268_435_456).replace("kernel.osrelease = 6.8.0-45-generic\n", "");
    let uname = "Linux dtn 6.8.0-45-generic #45-Ubuntu SMP x86_64 GNU/Linux\n";
    let window = |text: &str| {
        let d = files(&[
            ("log.txt", &log),
            ("receiver.txt", text),
            ("ping.txt", PING),
        ]);
        let limit = d.flows[0]
            .ceilings
            .iter()
            .find(|c| c.cause == "receive_window")
            .cloned();
        limit.expect("it is known").limit_bps
    };
    // 169/256 of the memory, as `farpath host` says of this release.
    let wanted = 8_388_608.0 * 169.0 / 256.0 * 8.0 / 0.150_179;
    for text in [
        format!("{uname}{bare}"),
        format!("{bare}{uname}"),
        settings(8_388_608, 268_435_456),
    ] {
        assert!(
            (window(&text) / wanted - 1.0).abs() < 0.001,
            "{text}: {}",
            window(&text)
        );
    }
    assert!(window(&bare) < 0.9 * wanted);
}

#[test]
fn scaling_that_both_hosts_offer_is_taken_out_between() {
    let closing = CLOSING
        .replace(" 295 M", "3.45 M")
        .replace("708 MB", "8.29 MB")
        .replace("703 MB", "8.23 MB");
    let log = log(
        ENDS,
        "         Retr  Cwnd",
        3.45,
        "    0   64.0 KBytes",
        &closing,
    );
    let roomy = settings(268_435_456, 268_435_456);
    let socket = "ESTAB 0 64240 192.0.2.10:43210 198.51.100.20:5201\n\t ts sack cubic rto:351 rtt:150.2/0.08 mss:1448 cwnd:120 bytes_sent:8622000 bytes_acked:8557000 busy:20000ms rwnd_limited:19000ms(95%) minrtt:150.1\n";
    for ss in ["", socket] {
        let d = files(&[
            ("log.txt", &log),
            ("sender.txt", &roomy),
            ("receiver.txt", &roomy),
            ("ping.txt", PING),
            ("ss.txt", ss),
        ]);
        let flow = &d.flows[0];
        assert_eq!(
            flow.verdict.cause, "no_window_scaling",
            "{:?}",
            flow.verdict
        );
        let change = &flow.changes[0];
        assert!(
            change.host.contains("between") && change.os.is_empty(),
            "{change:?}"
        );
        assert!(
            !change.commands.iter().any(|c| c.contains("sysctl")),
            "{change:?}"
        );
    }
    // Where the sender's is off, it is the sender's that changes.
    let off = roomy.replace("window_scaling = 1", "window_scaling = 0");
    let d = files(&[
        ("log.txt", &log),
        ("sender.txt", &off),
        ("receiver.txt", &roomy),
        ("ping.txt", PING),
    ]);
    assert_eq!(d.flows[0].changes[0].host, "192.0.2.10");
    assert!(
        d.ticket.contains("window_scaling=1") && d.ticket.contains("Beware: "),
        "{}",
        d.ticket
    );
}

/// A connection that stalled after its handshake, with segments of 8948 bytes.
const STALLED: &str = "\
[  5] local 192.0.2.10 port 43210 connected to 198.51.100.20 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-1.00   sec   437 KBytes  3.58 Mbits/sec    2   8.74 KBytes
[  5]   1.00-2.00   sec  0.00 Bytes  0.00 bits/sec    1   8.74 KBytes
[  5]   2.00-3.00   sec  0.00 Bytes  0.00 bits/sec    0   8.74 KBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[  5]   0.00-10.00  sec   437 KBytes   358 Kbits/sec    6             sender
[  5]   0.00-10.15  sec  0.00 Bytes  0.00 bits/sec                  receiver
";

#[test]
fn large_pings_that_vanish_are_a_hole_and_no_share_of_losses() {
    let large = "PING far.example (198.51.100.20) 8972(9000) bytes of data.\n\n5 packets transmitted, 0 received, 100% packet loss, time 4013ms\n";
    let d = files(&[
        ("log.txt", STALLED),
        ("ping.txt", PING),
        ("large.txt", large),
    ]);
    let flow = &d.flows[0];
    assert_eq!(flow.verdict.cause, "mtu_black_hole", "{:?}", flow.verdict);
    assert!(
        flow.verdict.because.join("\n").contains("9000 bytes"),
        "{:?}",
        flow.verdict
    );
    let commands = flow.changes[0].commands.join("\n");
    assert!(commands.contains("tcp_mtu_probing=1"), "{commands}");
    assert!(
        !flow
            .ceilings
            .iter()
            .any(|c| c.formula.contains("path loses")),
        "{:?}",
        flow.ceilings
    );
    // A path of 1500 bytes on which all is well answers no larger pings either.
    let well = log(
        ENDS,
        "         Retr  Cwnd",
        295.0,
        "    0   5.93 MBytes",
        CLOSING,
    );
    let d = files(&[("log.txt", &well), ("ping.txt", PING), ("large.txt", large)]);
    assert_ne!(d.flows[0].verdict.cause, "mtu_black_hole");
    assert!(!d.flows[0].ceilings.iter().any(|c| c.cause == "random_loss"));
}

#[test]
fn a_policer_does_not_make_the_round_trip_vary() {
    let lossy = CLOSING.replace(" 295 Mbits/sec    0 ", " 295 Mbits/sec  119 ");
    let log = log(
        ENDS,
        "         Retr  Cwnd",
        295.0,
        "    6   5.93 MBytes",
        &lossy,
    );
    let radio = PING.replace(
        "150.111/150.179/150.247/0.040",
        "152.163/168.569/224.357/19.173",
    );
    let sure = |ping: &str| {
        let d = files(&[("log.txt", &log), ("ping.txt", ping)]);
        let verdict = &d.flows[0].verdict;
        if verdict.cause == "policer" {
            verdict.confidence
        } else {
            0.0
        }
    };
    assert!(sure(&radio) < 0.5, "{}", sure(&radio));
}

#[test]
fn however_a_ticket_was_quoted_it_is_the_same_ticket() {
    let log = log(
        ENDS,
        "         Retr  Cwnd",
        295.0,
        "    0   5.93 MBytes",
        CLOSING,
    );
    let whole = format!("{log}\n{PING}\n{}", settings(8_388_608, 268_435_456));
    let plain = of(&whole, &Known::default());
    let each = |f: &dyn Fn(&str) -> String| -> String { whole.lines().map(f).collect() };
    for (how, text) in [
        ("mail", each(&|l| format!("> {l}\r\n"))),
        ("twice", each(&|l| format!("> > {l}\n"))),
        ("close", each(&|l| format!(">> {l}\n"))),
        ("bars", each(&|l| format!("| {l}\n"))),
        ("indented", each(&|l| format!("    {l}\n"))),
        ("tabs", each(&|l| format!("\t{l}\n"))),
        ("entities", each(&|l| format!("&gt; {l}\n"))),
        ("times", each(&|l| format!("10:15:01 {l}\n"))),
        ("dates", each(&|l| format!("[2026-11-24 10:15:01] {l}\n"))),
    ] {
        let d = of(&text, &Known::default());
        let same = |d: &Diagnosis| {
            let flow = &d.flows[0];
            (
                flow.verdict.cause,
                flow.observed.goodput_bps,
                flow.ceilings.len(),
                flow.name.clone(),
            )
        };
        assert_eq!(same(&d), same(&plain), "{how}");
    }
}

#[test]
fn closing_rows_that_mail_has_twice_count_once() {
    let log = log(
        ENDS,
        "         Retr  Cwnd",
        295.0,
        "    0   5.93 MBytes",
        CLOSING,
    );
    let wrapped = CLOSING
        .replace("            sender", "\nsender")
        .replace("                  receiver", "\nreceiver");
    for again in [CLOSING, &wrapped] {
        let d = of(&format!("{log}{again}"), &Known::default());
        assert_eq!(d.flows[0].observed.goodput_bps, Some(295e6));
    }
}

#[test]
fn a_whole_sysctl_is_of_one_host() {
    let log = log(
        ENDS,
        "         Retr  Cwnd",
        295.0,
        "    0   5.93 MBytes",
        CLOSING,
    );
    let net = settings(8_388_608, 268_435_456).replace("kernel.osrelease = 6.8.0-45-generic\n", "");
    let all = format!(
        "fs.file-max = 9223372036854775807\nkernel.osrelease = 6.8.0-45-generic\nkernel.ostype = Linux\nkernel.hostname = dtn\n{net}vm.swappiness = 60\n"
    );
    let d = files(&[
        ("log.txt", &log),
        ("receiver.txt", &all),
        ("ping.txt", PING),
    ]);
    let limit = d.flows[0]
        .ceilings
        .iter()
        .find(|c| c.cause == "receive_window")
        .expect("it is known");
    assert!(
        (limit.limit_bps / 295.02e6 - 1.0).abs() < 0.001,
        "{limit:?}"
    );
    assert!(
        d.read.iter().all(|p| p.ignored_lines.is_empty()),
        "{:?}",
        d.read
    );
}

/// A document of iperf3 with these figures of a stream and of its start.
fn json(stream: &str, start: &str) -> String {
    let each: Vec<String> = (0..8)
        .map(|n| {
            format!(
                r#"{{"streams":[{{"socket":5,"rtt":150200{stream}}}],"sum":{{"start":{n},"end":{},"seconds":1,"bytes":36875000,"bits_per_second":295000000,"retransmits":0,"omitted":false,"sender":true}}}}"#,
                n + 1
            )
        })
        .collect();
    format!(
        r#"{{"start":{{"connected":[{{"socket":5,"local_host":"192.0.2.10","local_port":43210,"remote_host":"198.51.100.20","remote_port":5201}}],"test_start":{{"protocol":"TCP","reverse":0{start}}}}},
"intervals":[{}],
"end":{{"sum_sent":{{"seconds":8,"bytes":295000000,"bits_per_second":295000000,"retransmits":0}},"sum_received":{{"seconds":8,"bytes":295000000,"bits_per_second":295000000}}}}}}"#,
        each.join(",\n")
    )
}

#[test]
fn json_says_which_window_and_which_pace_bound_it() {
    let window = of(
        &json(r#","snd_cwnd":11800000,"snd_wnd":5537792"#, ""),
        &Known::default(),
    );
    assert_eq!(
        window.flows[0].verdict.cause, "receive_window",
        "{:?}",
        window.flows[0].verdict
    );
    let paced = of(&json("", r#","fqrate":300000000"#), &Known::default());
    assert_eq!(
        paced.flows[0].verdict.cause, "pacing",
        "{:?}",
        paced.flows[0].verdict
    );
}

#[test]
fn json_that_was_cut_off_is_said_to_be() {
    let whole = json("", "");
    let d = of(&whole[..whole.len() / 2], &Known::default());
    assert!(
        d.notes.iter().any(|n| n.contains("has no end")),
        "{:?}",
        d.notes
    );
    assert!(of(&whole, &Known::default()).notes.is_empty());
}

#[test]
fn no_rate_is_promised_where_a_host_cannot_remove_the_cause() {
    let d = files(&[("log.txt", STALLED), ("ping.txt", PING)]);
    assert_eq!(d.flows[0].verdict.cause, "mtu_black_hole");
    assert!(d.flows[0].changes.iter().all(|c| c.predicted_bps.is_none()));
}

#[test]
fn a_ceiling_lies_within_its_bounds() {
    let log = log(
        &format!("{ENDS}TCP MSS: 8948\n"),
        "         Retr  Cwnd",
        295.0,
        "    0   5.93 MBytes",
        CLOSING,
    );
    let socket = "ESTAB 0 0 192.0.2.10:43210 198.51.100.20:5201\n\t ts sack cubic wscale:7,7 rto:351 rtt:150.2/0.08 mss:8948 cwnd:620\n";
    let d = files(&[
        ("log.txt", &log),
        ("ss.txt", socket),
        ("r.txt", &settings(8_388_608, 6_291_456)),
        ("ping.txt", PING),
    ]);
    for c in &d.flows[0].ceilings {
        assert!(
            c.low_bps <= c.limit_bps && c.limit_bps <= c.high_bps,
            "{c:?}"
        );
    }
}
