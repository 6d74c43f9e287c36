//! Requests that a client timed: what their time went to, without a rate of anything.

use farpath_diagnose::Known;

use crate::{asked, because, commands, first, of};

const FORMAT: &str = "cli$ curl -s -o /dev/null -w 'dns:%{time_namelookup} connect:%{time_connect} tls:%{time_appconnect} ttfb:%{time_starttransfer} total:%{time_total}\\n' https://api.example.eu/q\n";

/// The times of one request.
fn timed(times: [&str; 5]) -> String {
    let [dns, connect, tls, ttfb, total] = times;
    format!("{FORMAT}dns:{dns} connect:{connect} tls:{tls} ttfb:{ttfb} total:{total}\n")
}

const FAR: [&str; 5] = ["0.001204", "0.281911", "0.846210", "1.135120", "1.135204"];

const PING: &str = "cli$ ping -c 3 -q api.example.eu
3 packets transmitted, 3 received, 0% packet loss, time 2003ms
rtt min/avg/max/mdev = 280.102/280.181/280.300/0.085 ms
";

#[test]
fn a_request_that_opens_its_own_connection_waits_for_round_trips() {
    for text in [timed(FAR), format!("{}{PING}", timed(FAR))] {
        let flow = first(&text);
        assert_eq!(flow.verdict.cause, "set_up", "{:#?}", flow.verdict);
        let why = because(&flow);
        for says in [
            "4 round trips of 281 ms",
            "3 of them passed before it was sent",
        ] {
            assert!(why.contains(says), "{says}: {why}");
        }
        let all = commands(&flow);
        assert!(
            all.contains("keep-alive") && all.contains("TLS 1.3"),
            "{all}"
        );
        assert!(flow.missing.is_empty(), "{:#?}", flow.missing);
    }
}

#[test]
fn a_short_request_is_said_to_be_one() {
    let text = timed(["0.003104", "0.014911", "0.040210", "0.061120", "0.074204"]);
    let flow = first(&text);
    assert_eq!(flow.verdict.cause, "unknown", "{:#?}", flow.verdict);
    let said = &flow.verdict.because[0];
    assert!(said.contains("a request took 74.2 ms in all"), "{said}");
    assert!(said.ends_with("Nothing in it waits for long"), "{said}");
    assert_eq!(asked(&flow), ["slow_request"]);
}

/// TLS that takes far longer than its round trips is an end's, or a loss: which of them openssl says, and no test of a rate.
#[test]
fn tls_that_waits_for_an_end_is_said_first() {
    let slow = timed(["0.003110", "0.022031", "3.241022", "3.284033", "3.285102"]);
    let flow = first(&slow);
    assert_eq!(flow.verdict.cause, "unknown", "{:#?}", flow.verdict);
    let said = &flow.verdict.because[0];
    assert!(said.contains("3219 ms TLS"), "{said}");
    assert!(said.contains("the rest is the time of an end"), "{said}");
    assert_eq!(asked(&flow), ["tls_time"]);
}

/// One that was late counts, whatever others beside it took.
#[test]
fn a_connection_whose_syn_was_sent_again_is_said_first() {
    let late = timed(["0.001910", "3.042551", "3.088120", "3.110230", "3.110410"]);
    let well = timed(["0.001833", "0.022910", "0.068220", "0.090112", "0.090330"]);
    let d = of(&format!("{well}{late}{well}"), &Known::default());
    let flow = &d.flows[0];
    let said = &flow.verdict.because[0];
    assert!(
        said.contains("3041 ms the opening of its connection"),
        "{said}"
    );
    assert!(said.contains("had been sent again"), "{said}");
    assert_eq!(asked(flow), ["accept_queue"]);
    let words: Vec<&str> = d.ticket.split_whitespace().collect();
    assert!(words.join(" ").contains("had been sent again"), "{words:?}");
}

/// The path answers in less than a millisecond, and the server waits for a name server that does not.
#[test]
fn a_login_that_takes_seconds_waits_for_what_its_server_asks() {
    let text = |names: &str| {
        format!(
            "$ time ssh jump1 true\n\nreal\t0m10.412s\nuser\t0m0.021s\nsys\t0m0.012s\n$ ping -c 3 jump1\n3 packets transmitted, 3 received, 0% packet loss, time 2002ms\nrtt min/avg/max/mdev = 0.700/0.767/0.800/0.047 ms\n{names}"
        )
    };
    let names = "jump1# grep -i usedns /etc/ssh/sshd_config\nUseDNS yes\njump1# dig -x 10.1.7.20 @10.0.0.53\n\n; <<>> DiG 9.16.23-RH <<>> -x 10.1.7.20 @10.0.0.53\n;; global options: +cmd\n;; connection timed out; no servers could be reached\n";
    for (names, says) in [
        (names, "the name server 10.0.0.53 did not answer"),
        ("", "a server may wait for other hosts"),
    ] {
        let flow = first(&text(names));
        assert_eq!(flow.verdict.cause, "unknown", "{:#?}", flow.verdict);
        let said = &flow.verdict.because[0];
        assert!(said.starts_with("a login by ssh took 10.4 s"), "{said}");
        assert!(said.contains(says), "{says}: {said}");
        assert_eq!(asked(&flow), ["login_steps"], "{:#?}", flow.missing);
    }
    // Its steps with times before them, and a look-up that was timed on the server.
    let steps = "$ time ssh -v jump1 true 2>&1 | ts\nNov 24 13:00:00 debug1: SSH2_MSG_SERVICE_ACCEPT received\nNov 24 13:00:10 debug1: Authentications that can continue: publickey\nNov 24 13:00:10 debug1: Authentication succeeded (publickey).\n";
    let lookup = "$ ssh jump1 'grep -i usedns /etc/ssh/sshd_config; time getent hosts 10.9.9.9'\nUseDNS yes\n\nreal\t0m10.012s\nuser\t0m0.001s\nsys\t0m0.002s\n";
    let text = text(lookup).replace("$ time ssh jump1 true\n", steps);
    let flow = first(&text);
    let said = &flow.verdict.because[0];
    assert!(said.starts_with("a login by ssh took 10.4 s"), "{said}");
    assert!(
        said.contains("10.0 s of it behind \"SSH2_MSG_SERVICE_ACCEPT received\""),
        "{said}"
    );
    assert!(
        said.contains("A look-up of an address took 10.0 s"),
        "{said}"
    );
}
