//! Requests that wait for the first byte of their answer, and not for the path.

use crate::{asked, because, commands, first};

const CURL: &str =
    "$ curl -s -o /dev/null -w '@curl-format.txt' https://api.shop.example/v1/orders?limit=50
     time_namelookup:  0.004112s
        time_connect:  0.021300s
     time_appconnect:  0.060911s
    time_pretransfer:  0.061010s
       time_redirect:  0.000000s
  time_starttransfer:  4.812003s
                     ----------
          time_total:  4.830551s
";

const PING: &str = "$ ping -c 10 api.shop.example
10 packets transmitted, 10 received, 0% packet loss, time 9013ms
rtt min/avg/max/mdev = 16.901/17.211/17.900/0.301 ms
";

/// The connection was open after 17.2 ms, and the first byte came 4751 ms after the request.
#[test]
fn a_wait_for_the_first_byte_is_the_servers() {
    for text in [CURL.to_owned(), format!("{CURL}{PING}")] {
        let flow = first(&text);
        assert_eq!(flow.verdict.cause, "application", "{:#?}", flow.verdict);
        assert!(flow.verdict.confidence >= 0.6, "{:#?}", flow.verdict);
        let because = because(&flow);
        for says in [
            "of 4831 ms that a request took 4734 ms passed before the first byte",
            "one round trip of 17.2 ms",
        ] {
            assert!(because.contains(says), "{says}: {because}");
        }
        assert_eq!(asked(&flow), ["server_time"], "{text}");
        assert_eq!(flow.changes[0].host, "the server");
        assert!(commands(&flow).contains("$upstream_response_time"));
    }
}

/// Without the look-up of the name the time until the connection was open bounds the round trip; typed at the server it shows that the path
/// does nothing to it.
#[test]
fn a_wait_is_known_without_the_look_up_of_the_name() {
    let text = |connect: &str| {
        format!(
            "sap$ curl -s -o /dev/null -w 'connect: %{{time_connect}}\\nstarttransfer: %{{time_starttransfer}}\\ntotal: %{{time_total}}\\n' http://sap.example:8000/ping\nconnect: {connect}\nstarttransfer: 6.811002\ntotal: 6.812114\n"
        )
    };
    for (connect, trip, asks) in [
        ("0.000411", "at most 0.4 ms", "top -H"),
        (
            "0.014000",
            "at most 14.0 ms",
            "on the server, several times",
        ),
    ] {
        let flow = first(&text(connect));
        assert_eq!(flow.verdict.cause, "application", "{:#?}", flow.verdict);
        let because = because(&flow);
        assert!(because.contains("one round trip of at most"), "{because}");
        assert!(because.contains(trip), "{trip}: {because}");
        assert!(
            flow.missing[0].command.contains(asks),
            "{:#?}",
            flow.missing
        );
    }
    assert_ne!(first(&text("1.014000")).verdict.cause, "application");
}

/// What was sent again makes an answer late, too; and a short wait, one for a name, and a long upload are not the server's.
#[test]
fn other_waits_are_not_the_servers() {
    let lossy = PING.replace("10 received, 0%", "4 received, 60%");
    let short = CURL.replace("4.812003", "0.512003");
    let short = short.replace("4.830551", "0.830551");
    let late = CURL.replace("time_connect:  0.021300", "time_connect:  1.021300");
    let upload = format!("{CURL}         size_upload:  500000\n");
    for text in [format!("{CURL}{lossy}"), short, late, upload] {
        let flow = first(&text);
        assert_ne!(flow.verdict.cause, "application", "{text}");
    }
}
