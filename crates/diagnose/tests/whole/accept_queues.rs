//! A server whose program does not accept connections as fast as they come.

use crate::{asked, because, commands, first};

const COUNT: &str = "api$ nstat -az | grep -E 'Listen|SynRetr'
TcpExtListenOverflows           18231              0.0
TcpExtListenDrops               18231              0.0
TcpExtTCPSynRetrans             12                 0.0
";

const QUEUE: &str = "api$ ss -ltn sport = :8080
State  Recv-Q Send-Q Local Address:Port Peer Address:Port
LISTEN 129    128    0.0.0.0:8080       0.0.0.0:*
";

const LATE: &str = "client$ curl -s -o /dev/null -w 'time_namelookup:  %{time_namelookup}\\ntime_connect:  %{time_connect}\\n' http://10.3.0.4:8080/
time_namelookup:  0.000031
time_connect:  3.081231
time_starttransfer:  3.101221
time_total:  3.101311
";

const PING: &str = "client$ ping -c 10 10.3.0.4
10 packets transmitted, 10 received, 0% packet loss, time 9020ms
rtt min/avg/max/mdev = 1.401/1.421/1.511/0.030 ms
";

#[test]
fn a_full_accept_queue_is_the_cause_where_all_signs_agree() {
    let flow = first(&format!("{COUNT}{QUEUE}{LATE}{PING}"));
    assert_eq!(flow.verdict.cause, "accept_queue", "{:#?}", flow.verdict);
    assert!(flow.verdict.confidence >= 0.9, "{:#?}", flow.verdict);
    let because = because(&flow);
    for says in [
        "129 connections wait in the accept queue of 0.0.0.0:8080, with a backlog of 128",
        "18231 connections that found such a queue full",
        "opened so late",
    ] {
        assert!(because.contains(says), "{says}: {because}");
    }
    assert!(flow.missing.is_empty(), "{:#?}", flow.missing);
    let change = &flow.changes[0];
    assert_eq!(change.host, "api");
    assert!(commands(&flow).contains("net.core.somaxconn=4096"));
    assert!(change.undo[0].contains("net.core.somaxconn"), "{change:?}");
}

/// Two of three are enough, and the third is asked for; one is not.
#[test]
fn two_signs_of_a_full_accept_queue_are_enough() {
    for (text, lacks) in [
        (format!("{COUNT}{LATE}{PING}"), "accept_queue"),
        (format!("{QUEUE}{LATE}{PING}"), "host_listen_overflows"),
        (format!("{QUEUE}{LATE}"), "host_listen_overflows"),
        (format!("{COUNT}{QUEUE}{PING}"), "time_connect"),
    ] {
        let flow = first(&text);
        assert_eq!(flow.verdict.cause, "accept_queue", "{text}");
        assert!(flow.verdict.confidence >= 0.6, "{:#?}", flow.verdict);
        assert_eq!(asked(&flow), [lacks], "{text}");
    }
    for text in [COUNT, QUEUE, LATE] {
        let flow = first(&format!("{text}{PING}"));
        assert_ne!(flow.verdict.cause, "accept_queue", "{text}");
    }
    let none = COUNT.replace("18231", "0");
    let flow = first(&format!("{none}{LATE}{PING}"));
    assert_ne!(flow.verdict.cause, "accept_queue", "{:#?}", flow.verdict);
}

/// A host that lets a backlog be as large already has nothing to set.
#[test]
fn a_setting_that_is_as_large_already_is_left() {
    let most = "api$ sysctl net.core.somaxconn\nnet.core.somaxconn = 4096\n";
    for (value, set) in [("4096", false), ("128", true)] {
        let most = most.replace("4096", value);
        let flow = first(&format!("{COUNT}{QUEUE}{most}{LATE}{PING}"));
        assert_eq!(flow.verdict.cause, "accept_queue", "{:#?}", flow.verdict);
        let said = commands(&flow);
        assert_eq!(said.contains("sysctl -w"), set, "{said}");
        let undo = flow.changes[0].undo.join("\n");
        assert_eq!(undo.contains("net.core.somaxconn=128"), set, "{undo}");
        assert!(!undo.contains("VALUE"), "{undo}");
    }
}
