//! A program that asks again and again over a path, and waits for each answer.

use crate::{asked, because, commands, first};

/// The socket of a program at port 51122 that asks a database: so many segments each way, and what its kernel counts besides.
fn socket(sent: u32, received: u32, rest: &str) -> String {
    format!(
        "app$ ss -tin dst 198.51.100.9\nESTAB 0      0      192.0.2.4:51122 198.51.100.9:5432\n\t cubic wscale:7,7 rto:222 rtt:22.1/0.1 mss:1448 pmtu:1500 rcvmss:1448 advmss:1448 cwnd:10 bytes_sent:412334 bytes_acked:412334 bytes_received:1823311 segs_out:2061 segs_in:2055 data_segs_out:{sent} data_segs_in:{received} send 5.24Mbps lastsnd:12 lastrcv:12 lastack:12 pacing_rate 10.5Mbps delivery_rate 525kbps delivered:2032 {rest} rcv_space:14480 rcv_ssthresh:64088 minrtt:21.9 snd_wnd:64128\n"
    )
}

const LOG: &str = "app$ tail -1 /var/log/report.log\nreport done: 2031 queries in 45.2 s\n";

/// 2031 times 22.1 ms are 44.9 s: no bandwidth shortens that.
#[test]
fn as_many_round_trips_as_requests_are_the_programs_wait() {
    let text = socket(2031, 2029, "app_limited busy:44800ms") + LOG;
    let flow = first(&text);
    assert_eq!(flow.verdict.cause, "application", "{:#?}", flow.verdict);
    let why = because(&flow);
    let product = "2031 requests · 22.1 ms = 44.9 s of the 45.2 s that they took";
    assert!(why.contains(product), "{why}");
    let said = commands(&flow);
    for says in ["a JOIN or IN", "pipelining", "near to what it asks"] {
        assert!(said.contains(says), "{says}: {said}");
    }
    for not in ["tcp_rmem", "tcp_wmem", "iperf3"] {
        assert!(!said.contains(not), "{said}");
    }
    assert_eq!(flow.changes[0].host, "192.0.2.4");
}

#[test]
fn a_socket_alone_shows_them_too() {
    let flow = first(&socket(2031, 2029, "app_limited busy:44800ms"));
    assert_eq!(flow.verdict.cause, "application", "{:#?}", flow.verdict);
    let why = because(&flow);
    assert!(why.contains("203 bytes out and 899 back"), "{why}");
    assert!(why.contains("for 44.8 s its kernel"), "{why}");
    // A log of another time is not of these.
    let other = socket(2031, 2029, "app_limited busy:44800ms") + &LOG.replace("45.2", "3.1");
    let why = because(&first(&other));
    assert!(!why.contains("that they took"), "{why}");
}

/// Answers of many segments, and a socket that is not limited by its program, do not go one for one.
#[test]
fn other_sockets_do_not_go_one_for_one() {
    for text in [
        socket(203, 2029, "app_limited busy:4480ms"),
        socket(2031, 2029, "busy:44800ms"),
        socket(2031, 2029, "app_limited busy:4480ms"),
    ] {
        let flow = first(&text);
        assert!(!because(&flow).contains("one for one"), "{text}");
    }
}

/// 66668 round trips of 42.1 ms are 2807 of 2841 s, and fewer rows at a time make more of them.
#[test]
fn round_trips_of_sqlplus_are_those_of_its_fetches() {
    let text = "SQL> select * from orders_v;
Elapsed: 00:47:21.33
      66668  SQL*Net roundtrips to/from client
app$ ping -c 4 -q 198.51.100.9
4 packets transmitted, 4 received, 0% packet loss, time 3004ms
rtt min/avg/max/mdev = 42.002/42.104/42.310/0.101 ms
";
    let flow = first(text);
    assert_eq!(flow.verdict.cause, "application", "{:#?}", flow.verdict);
    let why = because(&flow);
    assert!(why.contains("of the 2841.3 s that they took"), "{why}");
    let said = commands(&flow);
    assert!(said.contains("set arraysize 1000"), "{said}");
    assert!(!said.contains("iperf3"), "{said}");
}

/// 1000 requests of 40.4 ms each over a path of 0.3 ms, with a delayed acknowledgement for each, or without a word of those.
#[test]
fn requests_that_take_far_longer_than_the_path_name_what_else_it_is() {
    let text = |seconds: &str, rest: &str| {
        format!(
            "$ ./bench -n 1000\n1000 requests in {seconds} s\n$ ping -c 3 192.0.2.9\n3 packets transmitted, 3 received, 0% packet loss, time 2003ms\nrtt min/avg/max/mdev = 0.298/0.305/0.312/0.005 ms\n{rest}"
        )
    };
    let nstat =
        "$ nstat | grep -i delayed\nTcpExtDelayedACKs               998                0.0\n";
    for (seconds, rest, says, asks) in [
        (
            "40.4",
            nstat,
            "delayed 998 acknowledgements",
            "delayed_acks",
        ),
        (
            "40.4",
            "",
            "delays an acknowledgement by 40 ms",
            "delayed_acks",
        ),
        ("12.1", nstat, "the time of the server", "server_time"),
    ] {
        let flow = first(&text(seconds, rest));
        assert_eq!(flow.verdict.cause, "unknown", "{:#?}", flow.verdict);
        let said = &flow.verdict.because[0];
        assert!(said.contains(says), "{says}: {said}");
        assert_eq!(asked(&flow), [asks], "{:#?}", flow.missing);
    }
    // A path that takes most of it is what they wait for.
    let flow = first(&text("0.31", ""));
    assert_eq!(flow.verdict.cause, "application", "{:#?}", flow.verdict);
}

/// 242 queries of 82.7 ms over a path of 82.4 ms: of each transaction of a built-in script it is known how many statements it has.
#[test]
fn pgbench_waits_for_a_round_trip_for_each_query() {
    let text = |script: &str| {
        format!(
            "app$ pgbench -h db.example -c 1 -T 20 -S bench
pgbench (15.6)
starting vacuum...end.
transaction type: {script}
scaling factor: 10
query mode: simple
number of clients: 1
number of threads: 1
duration: 20 s
number of transactions actually processed: 242
latency average = 82.731 ms
tps = 12.087401 (without initial connection time)
app$ ping -c 5 -q 198.51.100.9
5 packets transmitted, 5 received, 0% packet loss, time 4006ms
rtt min/avg/max/mdev = 82.301/82.352/82.420/0.041 ms
"
        )
    };
    let flow = first(&text("<builtin: select only>"));
    assert_eq!(flow.verdict.cause, "application", "{:#?}", flow.verdict);
    let why = because(&flow);
    assert!(why.contains("242 requests"), "{why}");
    assert!(why.contains("of the 20.0 s that they took"), "{why}");
    assert!(!commands(&flow).contains("iperf3"), "{}", commands(&flow));
    // How many statements a script of one's own has nobody says.
    let flow = first(&text("own.sql"));
    assert_eq!(flow.verdict.cause, "unknown", "{:#?}", flow.verdict);
}
