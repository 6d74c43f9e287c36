//! Hosts that IPv4 reaches and IPv6 does not.

use farpath_diagnose::Known;

use crate::{asked, because, commands, first, of};

/// A program that tries both, and its addresses.
const CURL: &str = "$ curl -v -o /dev/null https://repo.example.org/f
* Host repo.example.org:443 was resolved.
* IPv6: 2001:db8:5::10
* IPv4: 192.0.2.44
*   Trying [2001:db8:5::10]:443...
*   Trying 192.0.2.44:443...
* Connected to repo.example.org (192.0.2.44) port 443
";

const PINGS: &str = "$ ping -6 -c 3 2001:db8:5::10
PING 2001:db8:5::10(2001:db8:5::10) 56 data bytes
--- 2001:db8:5::10 ping statistics ---
3 packets transmitted, 0 received, 100% packet loss, time 2051ms
$ ping -4 -c 3 192.0.2.44
3 packets transmitted, 3 received, 0% packet loss, time 2003ms
rtt min/avg/max/mdev = 11.180/11.200/11.220/0.010 ms
";

/// The same request by each version.
const EACH: &str = "$ curl -6 -m 10 -o /dev/null https://repo.example.org/f
curl: (28) Failed to connect to repo.example.org port 443 after 10001 ms: Timeout was reached
$ curl -4 -so /dev/null -w 'conn %{time_connect} total %{time_total}\\n' https://repo.example.org/f
conn 0.013110 total 0.081200
";

const TIMES: &str = "$ curl -6 -m 20 -so /dev/null -w 'conn %{time_connect} total %{time_total}\\n' https://repo.example.org/f
conn 0.000000 total 20.001200
curl: (28) Connection timed out after 20001 milliseconds
$ curl -4 -so /dev/null -w 'conn %{time_connect} total %{time_total}\\n' https://repo.example.org/f
conn 0.013110 total 0.081200
";

const WGET: &str = "$ wget -O /dev/null https://repo.example.org/f
Connecting to repo.example.org (repo.example.org)|2001:db8:5::10|:443... failed: Connection timed out.
Connecting to repo.example.org (repo.example.org)|192.0.2.44|:443... connected.
";

#[test]
fn connections_that_open_by_ipv4_alone_show_that_ipv6_is_down() {
    for text in [
        format!("{CURL}{PINGS}{EACH}"),
        EACH.to_owned(),
        TIMES.to_owned(),
        WGET.to_owned(),
    ] {
        let flow = first(&text);
        assert_eq!(flow.verdict.cause, "outage", "{:#?}", flow.verdict);
        assert!(flow.verdict.confidence >= 0.9, "{:#?}", flow.verdict);
        let says = "IPv6 does not reach repo.example.org, and IPv4 does";
        assert!(because(&flow).contains(says), "{}", because(&flow));
        assert!(flow.missing.is_empty(), "{:#?}", flow.missing);
        let commands = commands(&flow);
        for says in ["traceroute6 -n ADDRESS", "/etc/gai.conf", "AAAA"] {
            assert!(commands.contains(says), "{says}: {commands}");
        }
    }
}

/// Pings by IPv6 may be dropped where connections pass: that is asked, and more is said where a program did not wait for IPv6.
#[test]
fn pings_alone_say_less_of_ipv6() {
    let named = "$ ping -6 -c 5 -q fra2\nPING fra2(2001:db8:2::20) 56 data bytes\n\n--- fra2 ping statistics ---\n5 packets transmitted, 0 received, 100% packet loss, time 4005ms\n$ ping -4 -c 5 -q fra2\nPING fra2 (198.51.100.20) 56(84) bytes of data.\n\n--- fra2 ping statistics ---\n5 packets transmitted, 5 received, 0% packet loss, time 4005ms\nrtt min/avg/max/mdev = 11.010/11.060/11.100/0.030 ms\n";
    let [alone, beside] = [named.to_owned(), format!("{CURL}{PINGS}")].map(|text| {
        let flow = first(&text);
        assert_eq!(flow.verdict.cause, "outage", "{:#?}", flow.verdict);
        assert_eq!(asked(&flow), ["ip_versions"]);
        flow.verdict.confidence
    });
    assert!(alone < beside && alone < 0.8, "{alone} {beside}");
}

/// Where IPv6 answers, IPv4 fails as well, a program alone did not wait, or no ping is answered, nothing says that IPv6 is down.
#[test]
fn what_ipv6_answers_or_ipv4_does_not_is_not_blamed_on_ipv6() {
    let answers = PINGS.replace(
        "3 packets transmitted, 0 received, 100%",
        "3 packets transmitted, 3 received, 0%",
    );
    let fails = EACH.replace(
        "conn 0.013110 total 0.081200",
        "curl: (28) Connection timed out after 20001 milliseconds",
    );
    let deaf = PINGS.replace("3 received, 0%", "0 received, 100%");
    let deaf = deaf.replace("rtt min/avg/max/mdev = 11.180/11.200/11.220/0.010 ms\n", "");
    for text in [
        format!("{EACH}{CURL}{answers}"),
        fails,
        CURL.to_owned(),
        format!("{CURL}{deaf}"),
    ] {
        let flow = first(&text);
        assert_ne!(flow.verdict.cause, "outage", "{text}");
        assert!(!because(&flow).contains("IPv6 does not reach"), "{text}");
    }
}

/// A transfer by IPv4 has its own verdict.
#[test]
fn a_transfer_by_ipv4_is_not_down_with_ipv6() {
    let test = "$ iperf3 -c 192.0.2.44 -t 10\n[  5] local 192.0.2.7 port 50000 connected to 192.0.2.44 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr\n[  5]   0.00-10.00  sec  1.09 GBytes   940 Mbits/sec    0             sender\n[  5]   0.00-10.00  sec  1.09 GBytes   938 Mbits/sec                  receiver\n";
    let d = of(&format!("{PINGS}{EACH}{test}"), &Known::default());
    let verdict = &d.flows[0].verdict;
    assert_ne!(verdict.cause, "outage", "{verdict:#?}");
}

/// A copy by IPv4 does not share the loss of pings by IPv6, nor that of pings which nobody answers: IPv6 comes first.
#[test]
fn pings_that_no_one_answers_say_nothing_of_a_copy_that_arrived() {
    let saved = "2026-11-30 02:22:22 (107 MB/s) - 'f' saved [1073741824/1073741824]\n\n";
    let lost = |ping: &str, to: &str| {
        format!(
            "$ {ping} -c 3 {to}\nPING {to}({to}) 56 data bytes\n\n--- {to} ping statistics ---\n3 packets transmitted, 0 received, 100% packet loss, time 2003ms\n"
        )
    };
    let six = lost("ping6", "2001:db8:5::10");
    let four = lost("ping", "192.0.2.44");
    for pings in [&six, &four] {
        let d = of(&format!("{WGET}{saved}{pings}"), &Known::default());
        let copy = d.flows.iter().find(|f| !f.unrated).expect("a copy");
        assert_ne!(copy.verdict.cause, "random_loss", "{:#?}", copy.verdict);
        let says = "nothing that ping or a trace sent was answered";
        assert!(!because(copy).contains(says), "{}", because(copy));
    }
    let d = of(&format!("{WGET}{saved}{six}"), &Known::default());
    let leads = d.ticket.starts_with("connections by IPv6");
    assert!(leads, "{}", d.ticket);
}
