//! Requests that wait for a name, and name servers that do not answer.

use crate::{asked, because, commands, first};

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
