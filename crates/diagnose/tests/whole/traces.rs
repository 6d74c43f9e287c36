//! Traces: what reached its target says how long the path is, and what did not says nothing of it.

use farpath_diagnose::{Diagnosis, Known, Source, Value, read, twin};

use crate::{asked_with, of, on};

const LOG: &str = "Connecting to host 203.0.113.66, port 5201
[  5] local 192.0.2.31 port 45716 connected to 203.0.113.66 port 5201
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00  sec  1.06 GBytes   912 Mbits/sec    0             sender
[  5]   0.00-10.02  sec  1.06 GBytes   909 Mbits/sec                  receiver
";

const PING: &str = "PING 203.0.113.66 (203.0.113.66) 56(84) bytes of data.

--- 203.0.113.66 ping statistics ---
10 packets transmitted, 10 received, 0% packet loss, time 9012ms
rtt min/avg/max/mdev = 23.700/23.800/24.000/0.090 ms
";

/// A tracepath whose hops of 0.7 ms end as given.
fn tracepath(end: &str) -> String {
    format!(
        " 1?: [LOCALHOST]                      pmtu 1500\n 1:  192.0.2.1                                             0.701ms \n 1:  192.0.2.1                                             0.702ms \n{end}"
    )
}

fn unreached() -> [String; 4] {
    [
        tracepath(" 2:  no reply\n 3:  no reply\n     Too many hops: pmtu 1500\n     Resume: pmtu 1500 \n"),
        "traceroute to 203.0.113.66 (203.0.113.66), 30 hops max, 60 byte packets\n 1  192.0.2.1  0.705 ms  0.701 ms  0.702 ms\n 2  198.51.100.9  2.711 ms  2.704 ms  2.700 ms\n 3  * * *\n 4  * * *\n".to_owned(),
        // Cut off at a router, by whoever waited no longer.
        "Tracing route to files.example [203.0.113.66]\nover a maximum of 30 hops:\n\n  1    <1 ms    <1 ms    <1 ms  192.0.2.1\n  2     3 ms     2 ms     2 ms  198.51.100.9\n".to_owned(),
        "HOST: cli                         Loss%   Snt   Last   Avg  Best  Wrst StDev\n  1.|-- 192.0.2.1                  0.0%    10    0.7   0.7   0.7   0.8   0.1\n  2.|-- 198.51.100.9              20.0%    10    2.7   2.7   2.6   2.9   0.1\n  3.|-- ???                       100.0    10    0.0   0.0   0.0   0.0   0.0\n".to_owned(),
    ]
}

fn asked<'d>(d: &'d Diagnosis, fact: &str) -> Option<&'d str> {
    asked_with(&d.flows[0], fact)
}

#[test]
fn a_trace_that_did_not_arrive_is_no_round_trip() {
    for trace in unreached() {
        let d = of(&format!("{trace}{LOG}"), &Known::default());
        assert_eq!(d.flows[0].observed.rtt_ns, None, "{trace}");
        assert_eq!(asked(&d, "rtt"), Some("ping -c 20 203.0.113.66"), "{trace}");
        let notes = d.notes.join("\n");
        assert!(notes.contains("did not reach its target"), "{notes}");
        assert!(!d.ticket.contains("window scaling"), "{}", d.ticket);
        let because = d.flows[0].verdict.because.join("\n");
        assert!(!because.contains("whatever is sent"), "{because}");
    }
}

#[test]
fn beside_a_ping_it_changes_nothing() {
    let settings = "net.ipv4.tcp_rmem = 4096 131072 5242880\n";
    let alone = of(&format!("{LOG}{PING}{settings}"), &on("1Gbit/s"));
    for trace in unreached() {
        let text = format!("{LOG}{PING}{settings}{trace}");
        let d = of(&text, &on("1Gbit/s"));
        let ceilings = |d: &Diagnosis| format!("{:?}", d.flows[0].ceilings);
        assert_eq!(ceilings(&d), ceilings(&alone), "{trace}");
        let source = Source {
            name: "ticket.txt".to_owned(),
            bytes: text.into_bytes(),
        };
        let twin = twin(&read(&[source]), 0).expect("there is one");
        assert!(twin.scenario.contains("23.8 ms"), "{}", twin.scenario);
    }
}

#[test]
fn a_trace_that_arrived_is_one() {
    let arrived = [
        tracepath(" 2:  203.0.113.66                                         23.801ms reached\n     Resume: pmtu 1500 hops 2 back 2 \n"),
        "traceroute to files.example (203.0.113.66), 30 hops max\n 1  192.0.2.1  0.7 ms  0.7 ms  0.7 ms\n 2  files.example (203.0.113.66)  23.7 ms  23.8 ms  23.9 ms\n".to_owned(),
    ];
    for trace in arrived {
        let d = of(&format!("{trace}{LOG}"), &Known::default());
        let rtt = d.flows[0].observed.rtt_ns.expect("it arrived");
        assert!((23.6e6..24e6).contains(&rtt), "{rtt}");
        assert_eq!(asked(&d, "rtt"), None);
    }
}

/// mtr, traceroute, tracepath and tracert that end 1.3 ms away, at a router or at another host.
fn of_other_paths() -> [String; 7] {
    let mtr = |last: &str| {
        let rows = [("192.0.2.1", 0.4, 0.3, 0.6), (last, 1.3, 1.2, 1.6)];
        let mut all =
            "HOST: cli                         Loss%   Snt   Last   Avg  Best  Wrst StDev\n"
                .to_owned();
        for (n, (host, mean, best, worst)) in (1..).zip(rows) {
            all += &format!(
                "  {n}.|-- {host:<26} 0.0%    20    {mean}   {mean}   {best}   {worst}   0.1\n"
            );
        }
        all
    };
    [
        format!("$ mtr -rwn -c 20 198.51.100.66\n{}", mtr("198.51.100.9")),
        // The end of the table was not pasted.
        format!("$ mtr -rwn -c 20 203.0.113.66\n{}", mtr("198.51.100.9")),
        mtr("198.51.100.66"),
        format!("$ mtr -rw -c 20 mail.example\n{}", mtr("mail.example")),
        "$ traceroute -n 198.51.100.66\ntraceroute to 198.51.100.66 (198.51.100.66), 30 hops max, 60 byte packets\n 1  192.0.2.1  0.4 ms  0.4 ms  0.4 ms\n 2  198.51.100.66  1.3 ms  1.3 ms  1.2 ms\n".to_owned(),
        format!(
            "$ tracepath -n 198.51.100.66\n{}",
            tracepath(" 2:  198.51.100.66                                         1.301ms reached\n     Resume: pmtu 1500 hops 2 back 2\n")
        ),
        "Tracing route to 198.51.100.66 over a maximum of 30 hops\n\n  1    <1 ms    <1 ms    <1 ms  192.0.2.1\n  2     1 ms     1 ms     1 ms  198.51.100.66\n\nTrace complete.\n".to_owned(),
    ]
}

/// A trace to another host, or one that ended before its target, is not a round trip of the flow at rest.
#[test]
fn a_trace_to_another_host_is_of_another_path() {
    for trace in of_other_paths() {
        let d = of(
            &format!("{LOG}$ ping -c 10 203.0.113.66\n{PING}{trace}"),
            &Known::default(),
        );
        let because = d.flows[0].verdict.because.join("\n");
        assert!(
            !because.contains("the round trip grew"),
            "{trace}: {because}"
        );
        let rtt = d.flows[0].observed.rtt_ns.expect("it was pinged");
        assert!((23.6e6..24e6).contains(&rtt), "{trace}: {rtt}");
        let notes = d.notes.join("\n");
        let said = ["did not reach its target", "are of another path"];
        assert!(said.iter().any(|words| notes.contains(words)), "{notes}");
    }
    // Without a ping a name may be the peer's, and an address is not.
    for (n, trace) in of_other_paths().iter().enumerate() {
        let d = of(&format!("{LOG}{trace}"), &Known::default());
        let named = n == 3;
        assert_eq!(d.flows[0].observed.rtt_ns.is_some(), named, "{trace}");
    }
}

/// A trace to a name that may be the peer's is the path at rest beside pings that a queue delays.
#[test]
fn a_trace_to_a_name_counts_beside_pings_that_vary() {
    let loaded = PING.replace(
        "23.700/23.800/24.000/0.090",
        "402.000/612.000/741.000/88.000",
    );
    let trace = &of_other_paths()[3];
    let d = of(&format!("{LOG}{loaded}{trace}"), &Known::default());
    let because = d.flows[0].verdict.because.join("\n");
    assert!(because.contains("the round trip grew"), "{because}");
}

/// What a third host traces is not the way from the one that the test ran on, where that one's pings say another round trip.
#[test]
fn a_trace_from_another_host_is_of_another_path() {
    let trace = second_hop(HEAD, 1.3);
    for (prompt, own) in [("laptop", false), ("cli", true)] {
        let text = format!(
            "cli$ iperf3 -c 203.0.113.66\n{LOG}cli$ ping -c 10 203.0.113.66\n{PING}{prompt}$ traceroute -n 203.0.113.66\n{trace}"
        );
        let d = of(&text, &Known::default());
        let because = d.flows[0].verdict.because.join("\n");
        let grew = because.contains("the round trip grew");
        assert_eq!(grew, own, "{prompt}: {because}");
    }
}

/// What a router reported before the trace ended is known not to pass; the interface's own MTU is nothing.
#[test]
fn the_packet_size_of_a_trace_that_did_not_arrive_is_that_of_no_path() {
    let size = |text: &str| {
        let source = Source {
            name: "trace.txt".to_owned(),
            bytes: text.as_bytes().to_vec(),
        };
        let facts = read(&[source]).facts;
        let names = ["mtu_bytes", "mtu_reported_bytes"];
        let found = facts.iter().find(|f| names.contains(&f.name));
        found.map(|f| f.name)
    };
    assert_eq!(size(&unreached()[0]), None);
    let end = " 2:  198.51.100.9                                          2.704ms pmtu 1412\n 3:  no reply\n     Too many hops: pmtu 1412\n     Resume: pmtu 1412 \n";
    assert_eq!(size(&tracepath(end)), Some("mtu_reported_bytes"));
}

/// A slow log, and what mtr counted of 2000 packets at each hop.
fn lossy(prompt: &str, shares: [f64; 4]) -> String {
    let hops = [
        "192.0.2.1",
        "203.0.113.1",
        "be2.core.example",
        "203.0.113.66",
    ];
    let mut all = format!(
        "{prompt}iperf3 -c 203.0.113.66\n{}HOST: shop                        Loss%   Snt   Last   Avg  Best  Wrst StDev\n",
        LOG.replace(
            "1.06 GBytes   912 Mbits/sec    0",
            "29.8 MBytes  25.0 Mbits/sec   61"
        )
        .replace("1.06 GBytes   909", "29.7 MBytes  24.9")
    );
    for (n, (hop, share)) in hops.iter().zip(shares).enumerate() {
        all += &format!(
            "  {}.|-- {hop:<28} {share:4.1}%  2000   11.7  11.7  11.6  14.2   0.3\n",
            n + 1
        );
    }
    all
}

#[test]
fn a_trace_says_from_where_on_packets_are_lost() {
    let of = |shares| {
        let d = of(&lossy("$ ", shares), &on("1Gbit/s"));
        let flow = &d.flows[0];
        assert_eq!(flow.verdict.cause, "random_loss", "{:#?}", flow.verdict);
        let finds = flow.changes.iter().flat_map(|c| &c.commands);
        let finds = finds.filter(|c| c.starts_with("find what loses"));
        let commands: Vec<&str> = finds.map(String::as_str).collect();
        (flow.verdict.because.join("\n"), commands.join("\n"))
    };
    for (shares, place) in [
        ([0.3, 0.2, 0.3, 0.3], "from the first hop on, 192.0.2.1"),
        (
            [0.0, 0.0, 41.0, 0.3],
            "between 203.0.113.1 and 203.0.113.66",
        ),
        ([0.0, 0.2, 41.0, 0.3], "between 192.0.2.1 and 203.0.113.1"),
    ] {
        let (because, commands) = of(shares);
        assert!(because.contains(&format!("lost {place}")), "{because}");
        assert!(
            commands.contains(&format!("what loses {place}:")),
            "{commands}"
        );
        let own = because.contains("be2.core.example leaves 41 % of what is sent to itself");
        assert_eq!(own, shares[2] > 1.0, "{because}");
        // Nobody says whether the path was idle.
        assert!(!because.contains("whatever is sent"), "{because}");
        assert!(
            because.contains("no text says whether the path was idle"),
            "{because}"
        );
    }
}

/// Whatever the sender is, what loses has to be found.
#[test]
fn a_windows_sender_is_told_to_find_what_loses() {
    // iperf3 counts there nothing that is sent again.
    let text = lossy("C:\\tools>", [0.3, 0.2, 0.3, 0.3]);
    let text = text.replace("         Retr", "").replace("   61 ", " ");
    let d = of(&text, &on("1Gbit/s"));
    let flow = &d.flows[0];
    assert_eq!(flow.verdict.cause, "random_loss", "{:#?}", flow.verdict);
    let commands = flow.changes[0].commands.join("\n");
    assert!(
        commands.contains("find what loses from the first hop on"),
        "{commands}"
    );
    assert!(!commands.contains("sysctl"), "{commands}");
}

/// A trace whose target answers at the second hop after so many milliseconds.
fn second_hop(head: &str, ms: f64) -> String {
    format!(
        "{head}, 30 hops max, 60 byte packets\n 1  192.0.2.1  0.405 ms  0.401 ms  0.402 ms\n 2  203.0.113.66 [open]  {ms} ms  {ms} ms  {ms} ms\n"
    )
}

const HEAD: &str = "traceroute to 203.0.113.66 (203.0.113.66)";
const STEAD: &str = "something on the way answers in its stead";

/// What answers a trace by TCP far sooner than the host answers pings is not that host: no queue is made of it.
#[test]
fn a_trace_by_tcp_that_is_far_shorter_than_pings_is_answered_by_something_else() {
    let far = PING.replace("23.700/23.800/24.000", "139.000/139.200/139.900");
    let bare = "Tracing the path to 203.0.113.66 on TCP port 80 (http)";
    for trace in [
        format!(
            "$ traceroute -T -p 80 203.0.113.66\n{}",
            second_hop(HEAD, 0.9)
        ),
        format!(
            "root@cli:~# sudo traceroute -nT 203.0.113.66\n{}",
            second_hop(HEAD, 0.9)
        ),
        format!("$ tcptraceroute 203.0.113.66 80\n{}", second_hop(bare, 0.9)),
        second_hop(bare, 0.9),
    ] {
        for text in [format!("{trace}{far}{LOG}"), format!("{far}{trace}{LOG}")] {
            let d = of(&text, &Known::default());
            let flow = &d.flows[0];
            let rtt = flow.observed.rtt_ns.expect("it was pinged");
            assert!((139e6..140e6).contains(&rtt), "{rtt}");
            let because = flow.verdict.because.join("\n");
            let said = "a trace by TCP to port 80 is answered after 0.9 ms at hop 2, and pings to the same address take 139 ms at least";
            assert!(
                because.contains(said) && because.contains(STEAD),
                "{because}"
            );
            assert!(
                !because.contains("this connection goes to that port"),
                "{because}"
            );
            assert!(!because.contains("grew by"), "{because}");
        }
    }
    // The connection itself is to that port.
    let own = format!(
        "$ traceroute -T -p 5201 203.0.113.66\n{}",
        second_hop(HEAD, 0.9)
    );
    let d = of(&format!("{own}{far}{LOG}"), &Known::default());
    let because = d.flows[0].verdict.because.join("\n");
    assert!(
        because.contains("this connection goes to that port"),
        "{because}"
    );
}

/// One as long as pings, or without any to compare, is of the path.
#[test]
fn a_trace_by_tcp_to_the_end_is_a_round_trip() {
    let trace = format!(
        "$ traceroute -T -p 80 203.0.113.66\n{}",
        second_hop(HEAD, 23.8)
    );
    for pings in [PING, ""] {
        let d = of(&format!("{trace}{pings}{LOG}"), &Known::default());
        let flow = &d.flows[0];
        let rtt = flow.observed.rtt_ns.expect("it was traced");
        assert!((23.7e6..24.0e6).contains(&rtt), "{rtt}");
        let because = flow.verdict.because.join("\n");
        assert!(!because.contains(STEAD), "{because}");
    }
}

/// A trace without its command may be by TCP: where a header says that a proxy answers, and no ping tells, it is not the path's.
#[test]
fn a_trace_without_its_command_is_doubted_beside_a_proxy() {
    let via = "< Via: 1.1 cache7.example (squid/5.7)\n";
    let doubted = "may be answered by the proxy or cache";
    let by_tcp = second_hop(
        "Tracing the path to 203.0.113.66 on TCP port 80 (http)",
        0.9,
    );
    for trace in [second_hop(HEAD, 0.9), by_tcp] {
        let d = of(&format!("{via}{trace}{LOG}"), &Known::default());
        let rtt = d.flows[0].observed.rtt_ns;
        assert!(rtt.is_none_or(|rtt| rtt > 2e6), "{rtt:?}");
        let said = d.notes.join("\n");
        assert!(said.contains(doubted), "{said}");
        // Nothing says that a proxy is there.
        let d = of(&format!("{trace}{LOG}"), &Known::default());
        let rtt = d.flows[0].observed.rtt_ns.expect("it was traced");
        assert!((0.8e6..1e6).contains(&rtt), "{rtt}");
        assert!(!d.notes.join("\n").contains(doubted));
    }
    // The command says that it is by UDP, and pings that the host itself is as near.
    let udp = format!("$ traceroute 203.0.113.66\n{}", second_hop(HEAD, 23.8));
    let near = second_hop(HEAD, 23.8) + PING;
    for trace in [udp, near] {
        let d = of(&format!("{via}{trace}{LOG}"), &Known::default());
        assert!(!d.notes.join("\n").contains(doubted), "{trace}");
    }
}

/// A header says that a proxy answered; a test of another program beside it is not of that connection.
#[test]
fn a_header_of_a_proxy_is_said_of_what_was_fetched() {
    let rows = "  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current\n                                 Dload  Upload   Total   Spent    Left  Speed\n100 1024M  100 1024M    0     0  35.7M      0  0:00:28  0:00:28 --:--:-- 36.1M\n";
    let via = "Via: 1.1 cache7.example (squid/5.7)";
    let connected = "* Connected to files.example (203.0.113.66) port 80 (#0)\n< HTTP/1.1 200 OK\n";
    for text in [
        format!("{connected}< {via}\n< X-Cache: MISS from cache7.example\n{rows}"),
        format!("$ curl -sI http://files.example/\n{via}\n{rows}"),
    ] {
        let d = of(&text, &Known::default());
        let because = d.flows[0].verdict.because.join("\n");
        let said = format!("an HTTP answer has the header {via}: a proxy or a cache passed it on");
        assert!(because.contains(&said), "{because}");
    }
    let d = of(&format!("< {via}\n{LOG}"), &Known::default());
    let because = d.flows[0].verdict.because.join("\n");
    assert!(!because.contains("passed it on"), "{because}");
}

/// What mtr counted at each hop: its name, the share that was lost, per cent, and mean, best and worst round trip, ms.
fn alone(sent: u32, hops: &[(&str, f64, [f64; 3])]) -> Diagnosis {
    let mut text =
        "Start: 2026-11-30T02:11:40+0000\nHOST: cust-pc                       Loss%   Snt   Last   Avg  Best  Wrst StDev\n"
            .to_owned();
    for (n, (hop, lost, [mean, best, worst])) in hops.iter().enumerate() {
        text += &format!(
            "  {}.|-- {hop:<26} {lost:4.1}%   {sent}   {mean:.1}  {mean:.1}   {best:.1}  {worst:.1}   0.3\n",
            n + 1
        );
    }
    of(&text, &Known::default())
}

/// A router that answers 19 % of what is sent to itself, and an end that answers all of it.
#[test]
fn a_trace_alone_that_loses_nothing_at_its_end_shows_nothing_wrong() {
    let hops = [
        ("192.168.1.1", 0.0, [1.0, 0.6, 3.1]),
        ("be1.core4.example.net", 81.0, [10.1, 9.2, 14.3]),
        ("game.example.com", 0.0, [14.4, 13.6, 17.0]),
    ];
    let d = alone(100, &hops);
    let because = &d.flows[0].verdict.because;
    assert_eq!(d.flows[0].verdict.cause, "unknown", "{because:?}");
    let first = "nothing is wrong in this trace: all 100 packets to game.example.com came back, after 13.6 ms to 17.0 ms";
    assert!(because[0].starts_with(first), "{because:?}");
    let own = "; be1.core4.example.net leaves 81 % of what is sent to itself unanswered";
    assert!(because[0].contains(own), "{because:?}");
    let says = "no rate. Nothing is wrong in this trace:";
    assert!(d.ticket.contains(says), "{}", d.ticket);
    // Few packets, long round trips between short ones, and a test beside it: it does not say that nothing is wrong.
    let [first, core, (end, lost, _)] = hops;
    let slow = alone(100, &[first, core, (end, lost, [60.0, 13.6, 417.0])]);
    for d in [alone(10, &hops), slow] {
        let because = d.flows[0].verdict.because.join("\n");
        assert!(!because.contains("nothing is wrong"), "{because}");
    }
    let d = of(&lossy("$ ", [0.0, 0.1, 0.0, 0.0]), &on("1Gbit/s"));
    assert!(!d.ticket.contains("othing is wrong"), "{}", d.ticket);
}

/// What another host's interface counts took the word from a trace that acquits a router.
#[test]
fn a_trace_acquits_a_router_beside_texts_of_other_hosts() {
    let trace = "Start: 2026-11-30T02:11:40+0000\nHOST: cust-pc                       Loss%   Snt   Last   Avg  Best  Wrst StDev\n  1.|-- 192.168.1.1                 0.0%   100    1.0   1.0   0.6   3.1   0.3\n  2.|-- be1.core4.example.net      62.0%   100   10.1  10.1   9.2  14.3   0.3\n  3.|-- game.example.com            0.0%   100   14.4  14.4  13.6  17.0   0.3\n";
    let errors = "root@sv-old:~# ethtool -S eth0 | grep -i err\n     rx_crc_errors: 81231\n     rx_errors: 81231\n";
    let said = |text: &str| {
        let d = of(text, &Known::default());
        d.flows[0].verdict.because.join("\n")
    };
    let own = "be1.core4.example.net leaves 62 % of what is sent to itself unanswered";
    let because = said(&format!("{trace}{errors}"));
    assert!(because.contains(own), "{because}");
    // It is said once where the trace stands alone.
    assert_eq!(said(trace).matches(own).count(), 1);
}

/// The own router answers at once, and all behind it late: the queue is that of the line between.
#[test]
fn a_trace_alone_whose_answers_wait_names_the_place() {
    let d = alone(
        100,
        &[
            ("192.168.1.1", 0.0, [0.5, 0.3, 1.9]),
            ("100.64.0.1", 0.0, [198.4, 8.1, 402.2]),
            ("198.51.100.9", 0.0, [201.3, 10.0, 405.2]),
            ("203.0.113.7", 0.0, [203.1, 12.4, 407.9]),
        ],
    );
    let verdict = &d.flows[0].verdict;
    assert_eq!(verdict.cause, "unknown", "{verdict:?}");
    let first = &verdict.because[0];
    assert!(first.starts_with("this trace shows waiting:"), "{first}");
    let place = "begins between 192.168.1.1 and 100.64.0.1";
    assert!(first.contains(place), "{first}");
    let ping = asked(&d, "rtt_loaded_ns").unwrap_or("");
    assert!(ping.contains("during an upload"), "{ping}");
    assert_eq!(d.flows[0].missing.len(), 1, "{:?}", d.flows[0].missing);
}

/// Of 200 packets 24 do not come back from the end, and about as many from two routers before it.
#[test]
fn a_trace_alone_that_loses_names_the_place() {
    let d = alone(
        200,
        &[
            ("10.0.0.1", 0.0, [0.5, 0.3, 1.1]),
            ("xe-0-1-0.edge1.ispx.net", 0.0, [4.9, 4.1, 8.9]),
            ("ae3.core2.ispx.net", 12.5, [19.3, 17.2, 44.3]),
            ("ae1.agg7.ispx.net", 11.0, [19.9, 17.9, 47.7]),
            ("203.0.113.77", 12.0, [20.8, 18.6, 49.0]),
        ],
    );
    let verdict = &d.flows[0].verdict;
    assert_eq!(verdict.cause, "unknown", "{verdict:?}");
    let first = "this trace shows loss: 24 of 200 packets (12.0 %) to 203.0.113.77 are lost between xe-0-1-0.edge1.ispx.net and ae3.core2.ispx.net";
    assert!(verdict.because[0].starts_with(first), "{verdict:?}");
    let says = "no rate. This trace shows loss:";
    assert!(d.ticket.contains(says), "{}", d.ticket);
}

/// Routers that do not answer have others behind them: what they leave out was not lost.
#[test]
fn silent_hops_with_answers_behind_them_are_not_loss() {
    let trace = "traceroute to 203.0.113.66 (203.0.113.66), 30 hops max, 60 byte packets\n 1  192.0.2.1  0.512 ms  0.488 ms  0.470 ms\n 2  * * *\n 3  * * *\n 4  203.0.113.66  23.7 ms  23.8 ms  23.9 ms\n";
    for beside in ["", PING] {
        let d = of(&format!("{trace}{beside}"), &Known::default());
        let because = d.flows[0].verdict.because.join("\n");
        let said = because.matches("never answer").count();
        assert_eq!(said, 1, "{beside}: {because}");
        assert!(because.contains("(2 to 3, "), "{because}");
    }
    // Nothing behind them says that what they were sent went on.
    let d = of(&unreached()[1], &Known::default());
    assert!(
        !d.flows[0]
            .verdict
            .because
            .join("\n")
            .contains("never answer")
    );
    let notes = d.notes.join("\n");
    assert!(notes.contains("from hop 3 on nothing answered"), "{notes}");
}

/// tracepath without an answer to the end: what its size is worth, and what decides.
#[test]
fn a_tracepath_that_nobody_answers_says_what_is_open() {
    let silent = " 1?: [LOCALHOST]                      pmtu 1500\n 1:  no reply\n 2:  no reply\n     Too many hops: pmtu 1500\n     Resume: pmtu 1500 \n";
    for (trace, hop) in [(silent, 1), (unreached()[0].as_str(), 2)] {
        let d = of(&format!("{trace}{LOG}"), &Known::default());
        let notes = d.notes.join("\n");
        let says = format!("from hop {hop} on nothing answered");
        assert!(notes.contains(&says), "{notes}");
        assert!(notes.contains("ping -M do -s 1472"), "{notes}");
    }
}

/// The report in JSON gives what the text gives: where a loss begins, what a router's own is, which hops are silent.
#[test]
fn hops_of_mtr_in_json_are_those_of_its_text() {
    let hops = [
        ("192.0.2.1", 0.0, [0.7, 0.6, 0.9]),
        ("???", 100.0, [0.0, 0.0, 0.0]),
        ("198.51.100.9", 20.0, [9.1, 8.9, 10.2]),
        ("203.0.113.66", 19.0, [23.8, 23.6, 24.1]),
    ];
    let mut text =
        "HOST: cli                         Loss%   Snt   Last   Avg  Best  Wrst StDev\n".to_owned();
    let mut hubs = Vec::new();
    for (n, (host, loss, [mean, best, worst])) in hops.into_iter().enumerate() {
        let n = n + 1;
        text += &format!(
            "  {n}.|-- {host:<28} {loss:.1}%   100   {mean}   {mean}   {best}   {worst}   0.1\n"
        );
        hubs.push(format!(
            "{{\"count\": {n}, \"host\": \"{host}\", \"Loss%\": {loss:.1}, \"Snt\": 100, \"Last\": {mean}, \"Avg\": {mean}, \"Best\": {best}, \"Wrst\": {worst}, \"StDev\": 0.1}}"
        ));
    }
    let json = format!(
        "{{\"report\": {{\"mtr\": {{\"src\": \"cli\", \"dst\": \"203.0.113.66\", \"tests\": 100}}, \"hubs\": [{}]}}}}\n",
        hubs.join(", ")
    );
    let said = |report: &str| {
        let source = Source {
            name: "trace.txt".to_owned(),
            bytes: report.as_bytes().to_vec(),
        };
        let all = read(&[source]).facts;
        let each = all.iter().map(|fact| match &fact.value {
            Value::Word(word) => format!("{} {word}", fact.name),
            Value::Number(number) => format!("{} {}", fact.name, number.value),
        });
        let mut each: Vec<String> = each.collect();
        each.sort();
        each
    };
    let of_text = said(&text);
    for fact in [
        "loss_after_hop 192.0.2.1",
        "loss_hop 198.51.100.9",
        "hops 4",
    ] {
        assert!(of_text.iter().any(|own| own == fact), "{of_text:?}");
    }
    assert_eq!(said(&json), of_text);
    let because = of(&json, &Known::default()).flows[0]
        .verdict
        .because
        .join("\n");
    assert!(because.contains("never answer"), "{because}");
}

/// A traceroute alone whose round trip grows by 97.3 ms behind London, at each hop from there on.
#[test]
fn a_step_that_lasts_to_the_end_of_a_traceroute_is_the_way() {
    let trace = |end: &str| {
        format!(
            "User: hop 3 adds 100 ms, your Chicago router is overloaded.\n\ntraceroute to 203.0.113.4 (203.0.113.4), 30 hops max, 60 byte packets\n 1  10.3.0.1 (10.3.0.1)  0.312 ms  0.290 ms  0.281 ms\n 2  lon-r1.ex.net (192.0.2.9)  15.212 ms  15.190 ms  15.201 ms\n 3  chi-r3.ex.net (192.0.2.13)  112.512 ms  112.490 ms  112.501 ms\n 4  * * *\n 5  203.0.113.4 (203.0.113.4)  {end}\n"
        )
    };
    let first = |text: &str| {
        let d = of(text, &Known::default());
        d.flows[0]
            .verdict
            .because
            .first()
            .cloned()
            .unwrap_or_default()
    };
    let said = first(&trace("113.012 ms  112.990 ms  113.001 ms"));
    let from = "from lon-r1.ex.net to chi-r3.ex.net the round trip grows by 97.3 ms";
    assert!(said.contains(from), "{said}");
    // Answers of the end that differ may wait.
    let varies = first(&trace("113.012 ms  152.990 ms  131.001 ms"));
    assert!(!varies.contains(from), "{varies}");
}

/// mtr's screen, as people copy it, is read as its report: with the target above its hops (0.94 and later), and without.
#[test]
fn the_screen_of_mtr_is_read_as_its_report() {
    let hops = "Keys:  Help   Display mode   Restart statistics   Order of fields   quit
                                       Packets               Pings
 Host                                Loss%   Snt   Last   Avg  Best  Wrst StDev
 1. 192.0.2.1                         0.0%   200    0.5   0.5   0.3   1.1   0.1
 2. (waiting for reply)
 3. 198.51.100.1                      7.0%   200    0.9   0.9   0.7   1.9   0.2
    198.51.100.5
 4. 203.0.113.66                      6.5%   200    1.2   1.2   1.0   2.2   0.2
";
    for second in [
        "pc3 (192.0.2.33) -> 203.0.113.66 (203.0.113.66)          2026-11-24T10:00:01+0100",
        "pc3 (192.0.2.33)                                         2026-11-24T10:00:01+0100",
    ] {
        let text = format!("                 My traceroute  [v0.95]\n{second}\n{hops}");
        let d = of(&text, &Known::default());
        let because = d.flows[0].verdict.because.join("\n");
        let says = "13 of 200 packets (6.50 %) to 203.0.113.66 are lost between 192.0.2.1 and 198.51.100.1";
        assert!(because.contains(says), "{because}");
        let ignored = d.read.iter().map(|piece| piece.ignored_lines.len());
        assert_eq!(ignored.sum::<usize>(), 0, "{:#?}", d.read);
    }
}

/// Loss at the target alone is most often its own limit of ICMP answers: that is named, with what decides, and no ceiling is made of it.
#[test]
fn loss_at_the_target_alone_may_be_its_own_limit() {
    let near = ("192.0.2.1", 0.0, [0.4, 0.3, 0.8]);
    let d = alone(
        50,
        &[
            near,
            ("198.51.100.1", 0.0, [1.3, 1.1, 2.2]),
            ("app.example.net", 24.0, [8.6, 8.3, 9.7]),
        ],
    );
    let flow = &d.flows[0];
    let because = flow.verdict.because.join("\n");
    assert!(
        because.contains("shows loss at its target alone"),
        "{because}"
    );
    assert!(flow.ceilings.is_empty(), "{:#?}", flow.ceilings);
    let facts = ["segments_lost", "loss_hop_back"];
    assert_eq!(super::asked(flow), facts, "{:#?}", flow.missing);
}
