//! Requests that wait for a name, and name servers that do not answer, or late.

use crate::{asked, asked_with, because, commands, first};

const CURL: &str = "$ curl -s -o /dev/null -w 'namelookup: %{time_namelookup}\\nconnect: %{time_connect}\\nstarttransfer: %{time_starttransfer}\\ntotal: %{time_total}\\nsize: %{size_download}\\nspeed: %{speed_download}\\n' https://www.example.org/
namelookup: 5.012211
connect: 5.024101
starttransfer: 5.074411
total: 5.081012
size: 51231
speed: 10082
";

const SERVERS: &str = "$ cat /etc/resolv.conf
nameserver 10.9.9.9
nameserver 10.9.9.10
$ dig +short @10.9.9.9 www.example.org
;; communications error to 10.9.9.9#53: timed out
;; no servers could be reached
$ dig @10.9.9.10 www.example.org | grep time
;; Query time: 1 msec
";

#[test]
fn a_first_name_server_that_does_not_answer_is_the_cause() {
    let flow = first(&format!("{CURL}{SERVERS}"));
    assert_eq!(flow.verdict.cause, "name_lookup", "{:#?}", flow.verdict);
    assert!(flow.verdict.confidence >= 0.9, "{:#?}", flow.verdict);
    let because = because(&flow);
    for says in [
        "of 5081 ms that a request took 5012 ms were the look-up of its name",
        "10.9.9.9, the first name server of /etc/resolv.conf, did not answer",
        "10.9.9.10 answered after 1 ms",
    ] {
        assert!(because.contains(says), "{says}: {because}");
    }
    assert!(flow.missing.is_empty(), "{:#?}", flow.missing);
    let commands = commands(&flow);
    for says in ["take `nameserver 10.9.9.9` out", "options timeout:1"] {
        assert!(commands.contains(says), "{says}: {commands}");
    }
}

/// Times of a request say that it waited, and not for which server; servers alone, that look-ups wait.
#[test]
fn what_is_left_open_of_a_look_up_is_asked() {
    for (text, lacks) in [(CURL, "name_servers"), (SERVERS, "time_namelookup")] {
        let flow = first(text);
        assert_eq!(flow.verdict.cause, "name_lookup", "{:#?}", flow.verdict);
        assert!(flow.verdict.confidence >= 0.6, "{:#?}", flow.verdict);
        assert_eq!(asked(&flow), [lacks], "{text}");
    }
}

const WINDOWS: &str = "C:\\>nslookup intranet.example
DNS request timed out.
    timeout was 2 seconds.
Server:  UnKnown
Address:  10.0.0.53

DNS request timed out.
    timeout was 2 seconds.
*** Request to UnKnown timed-out

C:\\>nslookup intranet.example 10.0.1.53
Server:  dns2.example
Address:  10.0.1.53

Name:    intranet.example
Address:  10.0.4.4
";

/// nslookup without a server asks the host's own; what to change and what to ask is in the words of Windows.
#[test]
fn a_name_server_of_windows_that_keeps_silent_is_the_cause() {
    let flow = first(WINDOWS);
    assert_eq!(flow.verdict.cause, "name_lookup", "{:#?}", flow.verdict);
    assert!(flow.verdict.confidence >= 0.6, "{:#?}", flow.verdict);
    let because = because(&flow);
    for says in [
        "10.0.0.53, the first name server of this host of Windows, did not answer",
        "and 10.0.1.53 answered (",
    ] {
        assert!(because.contains(says), "{says}: {because}");
    }
    let commands = commands(&flow);
    let sets = "Set-DnsClientServerAddress -InterfaceAlias NAME -ServerAddresses 10.0.1.53";
    assert!(commands.contains(sets), "{commands}");
    assert!(!commands.contains("resolv.conf"), "{commands}");
    let asks = asked_with(&flow, "time_namelookup").expect("it is asked");
    assert!(asks.contains("-o NUL"), "{asks}");
}

/// A refused query costs next to nothing, nor does a silent server that is not the first, and a look-up of 12 ms is none that anybody waits for.
#[test]
fn look_ups_that_cost_nothing_are_not_the_cause() {
    let fast = CURL.replace("namelookup: 5.012211", "namelookup: 0.012211");
    let refused = SERVERS.replace("timed out", "connection refused");
    let second = SERVERS.replace("10.9.9.9", "10.9.9.8");
    let second = second.replace("nameserver 10.9.9.8\n", "nameserver 10.9.9.7\n");
    for text in [fast, refused, second] {
        let flow = first(&text);
        assert_ne!(flow.verdict.cause, "name_lookup", "{text}");
    }
}

/// What the server holds it answers within 1 ms.
const LATE: &str = "$ dig www.example.net
;; ANSWER SECTION:
www.example.net.\t300\tIN\tA\t192.0.2.9
;; Query time: 2481 msec
;; SERVER: 192.168.1.1#53(192.168.1.1)
$ dig www.example.net
;; Query time: 1 msec
;; SERVER: 192.168.1.1#53(192.168.1.1)
";

const OTHER: &str = "$ dig @9.9.9.9 www.example.com
;; Query time: 14 msec
;; SERVER: 9.9.9.9#53(9.9.9.9)
";

#[test]
fn a_name_server_that_is_slow_at_what_it_does_not_hold_is_the_cause() {
    let near = "$ ping -c 5 192.168.1.1\n5 packets transmitted, 5 received, 0% packet loss, time 4004ms\nrtt min/avg/max/mdev = 0.810/0.990/1.210/0.080 ms\n";
    let flow = first(&format!("{LATE}{OTHER}{near}"));
    assert_eq!(flow.verdict.cause, "name_lookup", "{:#?}", flow.verdict);
    assert!(flow.verdict.confidence >= 0.6, "{:#?}", flow.verdict);
    let because = because(&flow);
    for says in [
        "192.168.1.1 answered dig after 2481 ms",
        "after 1 ms another time",
        "Another name server, 9.9.9.9, answered after 14 ms",
    ] {
        assert!(because.contains(says), "{says}: {because}");
    }
    // dig waits 5 s for a server that does not answer.
    assert!(!because.contains("given up after 5 s"), "{because}");
    assert_eq!(asked(&flow), ["time_namelookup"]);
    let commands = commands(&flow);
    for says in ["its forwarders", "9.9.9.9 ahead of 192.168.1.1"] {
        assert!(commands.contains(says), "{says}: {commands}");
    }
}

/// With the wait of a request nothing is left to ask; without another server's answer that is asked, and less is said.
#[test]
fn what_is_said_of_a_late_answer_goes_by_what_stands_beside_it() {
    let waited = CURL.replace("5.0", "2.5");
    let flow = first(&format!("{waited}{LATE}{OTHER}"));
    assert_eq!(flow.verdict.cause, "name_lookup", "{:#?}", flow.verdict);
    assert!(flow.verdict.confidence >= 0.9, "{:#?}", flow.verdict);
    assert!(flow.missing.is_empty(), "{:#?}", flow.missing);
    let surer = first(&format!("{LATE}{OTHER}")).verdict.confidence;
    let flow = first(LATE);
    assert!(flow.verdict.confidence < surer, "{:#?}", flow.verdict);
    assert_eq!(asked(&flow), ["name_servers"]);
    // One slow answer may be of a name that is slow everywhere.
    let (once, _) = LATE.split_at(LATE.rfind("$ dig").expect("it is there twice"));
    let flow = first(once);
    assert_eq!(flow.verdict.cause, "unknown", "{:#?}", flow.verdict);
    assert_eq!(asked(&flow), ["name_servers"]);
}

/// Four names that do not exist are asked for before the one that does: 412 of 471 ms.
#[test]
fn names_that_are_completed_first_are_asked_for_one_by_one() {
    let text = "pod$ cat /etc/resolv.conf
search shop.svc.cluster.local svc.cluster.local cluster.local
nameserver 10.96.0.10
options ndots:5
pod$ curl -s -o /dev/null -w 'namelookup %{time_namelookup} connect %{time_connect} starttransfer %{time_starttransfer} total %{time_total}\\n' https://api.example.com/v1
namelookup 0.412330 connect 0.424120 starttransfer 0.471220 total 0.471300
pod$ tcpdump -ni eth0 port 53
03:11:09.100102 IP 10.244.1.9.41120 > 10.96.0.10.53: 51233+ A? api.example.com.shop.svc.cluster.local. (60)
03:11:09.180911 IP 10.96.0.10.53 > 10.244.1.9.41120: 51233 NXDomain*- 0/1/0 (153)
";
    let flow = first(text);
    assert_eq!(flow.verdict.cause, "name_lookup", "{:#?}", flow.verdict);
    let because = because(&flow);
    for says in [
        "of 471 ms that a request took 412 ms were the look-up of its name",
        "a name with fewer than 5 dots is completed by 3 suffixes",
        "an answer says that such a name does not exist",
    ] {
        assert!(because.contains(says), "{says}: {because}");
    }
    assert!(!because.contains("given up"), "{because}");
    assert!(commands(&flow).contains("ndots"), "{:#?}", flow.changes);
    assert!(flow.missing.is_empty(), "{:#?}", flow.missing);
}
