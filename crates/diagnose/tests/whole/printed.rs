//! What routers, interfaces and tools print in other forms than the usual: rates, duplex, policers, MTUs, refusals.

use farpath_diagnose::{FlowReport, Known};

use crate::{asked, asked_with, because, commands, first, first_flow, of, of_files, on};

/// A test that loses in every interval, over 12.8 to 41.9 ms.
const LOSSY: &str = "$ iperf3 -c 198.51.100.20 -t 10 -i 2
[  5] local 192.0.2.10 port 41022 connected to 198.51.100.20 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-2.00   sec  60.1 MBytes   252 Mbits/sec   42   1.10 MBytes
[  5]   2.00-4.00   sec  48.2 MBytes   202 Mbits/sec   31   1.01 MBytes
[  5]   4.00-6.00   sec  52.0 MBytes   218 Mbits/sec   28   1.22 MBytes
[  5]   6.00-8.00   sec  45.2 MBytes   190 Mbits/sec   39   1.05 MBytes
[  5]   8.00-10.00  sec  50.0 MBytes   210 Mbits/sec   25   1.11 MBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00  sec   256 MBytes   214 Mbits/sec  165             sender
[  5]   0.00-10.05  sec   253 MBytes   211 Mbits/sec                  receiver
$ ping -c 20 -q 198.51.100.20
PING 198.51.100.20 (198.51.100.20) 56(84) bytes of data.

--- 198.51.100.20 ping statistics ---
20 packets transmitted, 20 received, 0% packet loss, time 19013ms
rtt min/avg/max/mdev = 12.801/38.830/41.911/5.030 ms
";

/// `show interfaces extensive` of Junos has its rates behind the bytes.
fn extensive(bps: u64) -> String {
    format!(
        "noc@mx1> show interfaces et-0/0/3 extensive
Physical interface: et-0/0/3, Enabled, Physical link is Up
  Link-level type: Ethernet, MTU: 9192, Speed: 10Gbps, Loopback: Disabled, Source filtering: Disabled, Flow control: Enabled
  Traffic statistics:
   Input  bytes  :         812341002              12112032 bps
   Output bytes  :      141702031002            {bps} bps
   Input  packets:          51212002                 42011 pps
   Output packets:          97912002                811002 pps
"
    )
}

fn beside(router: &str) -> FlowReport {
    let files = [("sender.txt", LOSSY), ("router.txt", router)];
    first_flow(of_files(&files, &on("10 Gbit/s")))
}

#[test]
fn a_full_interface_of_junos_is_other_traffic() {
    let flow = beside(&extensive(9_882_000_000));
    assert_eq!(flow.verdict.cause, "cross_traffic", "{:#?}", flow.verdict);
    assert!(
        because(&flow).contains("an interface on the path sent 9.88 Gbit/s"),
        "{}",
        because(&flow)
    );
    // Who they are is asked for, and how they give way is said.
    let who = asked_with(&flow, "other_traffic").expect("it is asked for");
    assert!(who.contains("show flow monitor"), "{who}");
    let all = commands(&flow);
    for words in ["share of its own", "DSCP LE", "at night", "more bandwidth"] {
        assert!(all.contains(words), "{words}: {all}");
    }
    let free = beside(&extensive(482_000_000));
    assert!(asked_with(&free, "other_traffic").is_none(), "{free:#?}");
    assert_ne!(free.verdict.cause, "cross_traffic", "{:#?}", free.verdict);
}

/// Commands are shortened, and their lines filtered; what one interface runs at is not the rate of the next.
#[test]
fn a_shortened_and_filtered_command_of_ios_is_read() {
    let speed = "  MTU 1500 bytes, BW 10000000 Kbit/sec, DLY 10 usec,\n";
    let rates = "  5 minute input rate 12112000 bits/sec, 42011 packets/sec\n  5 minute output rate 9882000000 bits/sec, 811002 packets/sec\n";
    for command in ["sh int te0/2 | i rate|BW", "sho inter te0/2 | inc rate|BW"] {
        let text = format!("sw1#{command}\n{speed}{rates}");
        let files = [("sender.txt", LOSSY), ("router.txt", text.as_str())];
        let d = of_files(&files, &on("10 Gbit/s"));
        let left: usize = d.read.iter().map(|r| r.ignored_lines.len()).sum();
        assert_eq!(left, 0, "{:?}", d.read);
        let flow = first_flow(d);
        assert_eq!(flow.verdict.cause, "cross_traffic", "{:#?}", flow.verdict);
        assert!(
            because(&flow).contains("an interface on the path sent 9.88 Gbit/s"),
            "{}",
            because(&flow)
        );
    }
    let other = format!("sw1#sh int te0/1 | i BW\n{speed}sw1#sh int te0/2 | i rate\n{rates}");
    let files = [("sender.txt", LOSSY), ("router.txt", other.as_str())];
    let flow = first_flow(of_files(&files, &on("100 Gbit/s")));
    assert_ne!(flow.verdict.cause, "cross_traffic", "{:#?}", flow.verdict);
}

const SLOW: &str = "$ iperf3 -c 203.0.113.77 -t 10
[  5] local 192.0.2.10 port 51022 connected to 203.0.113.77 port 5201
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00  sec  6.00 MBytes  5.03 Mbits/sec  353             sender
[  5]   0.00-10.01  sec  5.80 MBytes  4.86 Mbits/sec                  receiver

";

/// Late collisions that stand at a port which is at full duplex now are of another time.
#[test]
fn collisions_at_a_port_at_full_duplex_are_old() {
    let port = |mode: &str| {
        format!(
            "sw1#show interfaces GigabitEthernet0/12
GigabitEthernet0/12 is up, line protocol is up (connected)
  MTU 1500 bytes, BW 100000 Kbit, DLY 100 usec,
  {mode}-duplex, 100Mb/s, media type is 10/100/1000BaseTX
     0 output errors, 4120 collisions, 1 interface resets
     0 babbles, 912 late collision, 3011 deferred
"
        )
    };
    let why = |mode: &str| because(&first(&(SLOW.to_owned() + &port(mode))));
    assert!(
        why("Half").contains("912 late collisions"),
        "{}",
        why("Half")
    );
    assert!(
        !why("Full").contains("912 late collisions"),
        "{}",
        why("Full")
    );
}

/// The port is the one that counts late collisions, and its system's commands set it.
#[test]
fn a_port_of_a_switch_at_half_duplex_is_set_there() {
    let ios = "sw1#show interfaces FastEthernet0/12
FastEthernet0/12 is up, line protocol is up (connected)
  MTU 1500 bytes, BW 100000 Kbit, DLY 100 usec,
  Half-duplex, 100Mb/s, media type is 10/100BaseTX
     1810 output errors, 9124 collisions, 1 interface resets
     0 babbles, 1810 late collision, 3201 deferred
";
    let flow = first(&(SLOW.to_owned() + ios));
    assert_eq!(flow.verdict.cause, "duplex", "{:#?}", flow.verdict);
    assert_eq!(flow.changes[0].host, "sw1, FastEthernet0/12");
    let commands = crate::commands(&flow);
    let read = commands.find("show running-config interface FastEthernet0/12");
    let set = commands.find("\ninterface FastEthernet0/12\n duplex auto\n speed auto\n");
    assert!(read.is_some() && read < set, "{commands}");
    let junos = "noc@ex1> show interfaces fe-0/0/0\nPhysical interface: fe-0/0/0, Enabled, Physical link is Up\n  Link-level type: Ethernet, MTU: 1514, Link-mode: Half-duplex, Speed: 100mbps, Loopback: Disabled\n";
    let flow = first(&(SLOW.to_owned() + junos));
    assert_eq!(flow.verdict.cause, "duplex", "{:#?}", flow.verdict);
    assert_eq!(flow.changes[0].host, "ex1, fe-0/0/0");
    let commands = crate::commands(&flow);
    assert!(
        commands.contains("delete interfaces fe-0/0/0 link-mode"),
        "{commands}"
    );
}

/// Nothing collides at full duplex: the count is of a time when something else was plugged in.
#[test]
fn old_collisions_of_a_port_at_full_duplex_are_no_mismatch() {
    let ios = "sw1#show interfaces GigabitEthernet0/12
GigabitEthernet0/12 is up, line protocol is up (connected)
  MTU 1500 bytes, BW 1000000 Kbit, DLY 10 usec,
  Full-duplex, 1000Mb/s, media type is 10/100/1000BaseTX
  Last clearing of \"show interface\" counters never
     0 output errors, 4120 collisions, 1 interface resets
     0 babbles, 912 late collision, 3011 deferred
";
    let flow = first(&(SLOW.to_owned() + ios));
    let second = flow.verdict.second.as_ref().map_or("", |s| s.cause);
    assert!(
        flow.verdict.cause != "duplex" && second != "duplex",
        "{:#?}",
        flow.verdict
    );
    let why = crate::because(&flow);
    assert!(!why.contains("912 late collisions"), "{why}");
}

/// Counters of IOS XR: the policer dropped 2 900 751 packets.
#[test]
fn a_policer_of_ios_xr_is_read() {
    let xr = "RP/0/RSP0/CPU0:pe2#show policy-map interface TenGigE0/1/0/5 input
TenGigE0/1/0/5 input: CUST-IN

Class class-default
  Classification statistics          (packets/bytes)     (rate - kbps)
    Matched             :            91021771/127430479400       1421020
    Transmitted         :            88121020/123369428000       1002110
    Total Dropped       :             2900751/4061051400         418910
  Policing statistics                (packets/bytes)     (rate - kbps)
    Policed(conform)    :            88121020/123369428000       1002110
    Policed(exceed)     :             2900751/4061051400         418910
    Policed(violate)    :                   0/0                    0
    Policed and dropped :             2900751/4061051400

";
    let d = of(&(xr.to_owned() + LOSSY), &Known::default());
    let of_router = d.read.iter().find(|p| p.tool == "show policy-map");
    assert!(of_router.is_some(), "{:#?}", d.read);
    let unread = d.read.iter().find(|p| p.tool == "unknown");
    assert!(
        unread.is_none_or(|p| !p.ignored_lines.contains(&14)),
        "{:#?}",
        d.read
    );
    let because = because(&d.flows[0]);
    let said =
        "the policer of class class-default at TenGigE0/1/0/5 of pe2 dropped 2900751 packets";
    assert!(because.contains(said), "{because}");
}

/// A test at so many Gbit/s from a host whose interface has an MTU.
fn jumbo(gbits: f64, mtu: u32) -> String {
    let gbytes = gbits / 8.0 * 20.0 / 1.073_741_824;
    format!(
        "$ iperf3 -c 198.51.100.20 -t 20
[  5] local 192.0.2.10 port 41022 connected to 198.51.100.20 port 5201
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-20.00  sec  {gbytes:.1} GBytes  {gbits:.2} Gbits/sec    0             sender
[  5]   0.00-20.02  sec  {gbytes:.1} GBytes  {gbits:.2} Gbits/sec                  receiver

iperf Done.
$ ip link show eno1
3: eno1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu {mtu} qdisc fq state UP mode DEFAULT group default qlen 1000
    link/ether 02:00:00:00:11:22 brd ff:ff:ff:ff:ff:ff
$ ethtool eno1 | grep Speed
\tSpeed: 10000Mb/s
"
    )
}

/// 9.75 Gbit/s are more than the 9.41 that packets of 1500 bytes leave of 10 Gbit/s, and less than the 9.90 of 9000. At 9.3 Gbit/s one
/// end's MTU says nothing of the path's.
#[test]
fn a_rate_that_only_large_packets_leave_shows_them() {
    let formula = |gbits: f64, mtu: u32| {
        let flow = first(&jumbo(gbits, mtu));
        let link = flow.ceilings.iter().find(|c| c.cause == "link");
        link.map(|c| (c.limit_bps / 1e9, c.formula.clone()))
            .expect("a line")
    };
    let (bps, said) = formula(9.75, 9000);
    assert!(
        (9.89..9.91).contains(&bps) && !said.contains("assumed"),
        "{bps} {said}"
    );
    for (gbits, mtu) in [(9.3, 9000), (9.75, 1500)] {
        let (_, said) = formula(gbits, mtu);
        assert!(said.contains("assumed"), "{gbits} {mtu}: {said}");
    }
}

/// The start is slow, and 9.88 Gbit/s come after it: more than 9.41, whatever the mean of 9.10 is.
#[test]
fn intervals_that_only_large_packets_leave_show_them() {
    let head = "[ ID] Interval           Transfer     Bitrate         Retr\n";
    let mut rows = format!("{head}[  5]   0.00-4.00   sec  2.79 GBytes  6.00 Gbits/sec    0\n");
    for from in [4, 8, 12, 16] {
        rows += &format!(
            "[  5]   {from}.00-{}.00  sec  4.60 GBytes  9.88 Gbits/sec    0\n",
            from + 4
        );
    }
    let flow = first(&jumbo(9.10, 9000).replace(head, &(rows + head)));
    let link = flow.ceilings.iter().find(|c| c.cause == "link");
    let link = link.expect("a line");
    assert!(
        (9.89e9..9.91e9).contains(&link.limit_bps) && !link.formula.contains("assumed"),
        "{link:#?}"
    );
}

/// Nothing answers, and a router says so: a test of thirty seconds gets no further.
#[test]
fn what_nobody_answers_is_looked_for_and_not_tested() {
    let text = "$ iperf3 -c 198.51.100.20
iperf3: error - unable to connect to server - server may have stopped running or use a different port, firewall issue, etc.: Connection refused
$ ping -c 3 198.51.100.20
PING 198.51.100.20 (198.51.100.20) 56(84) bytes of data.
From 192.0.2.1 icmp_seq=1 Destination Host Unreachable
From 192.0.2.1 icmp_seq=2 Destination Host Unreachable

--- 198.51.100.20 ping statistics ---
3 packets transmitted, 0 received, +2 errors, 100% packet loss, time 2040ms
";
    let flow = first(text);
    assert_eq!(
        asked(&flow),
        ["reachable", "listening"],
        "{:#?}",
        flow.missing
    );
    assert!(
        flow.missing[0].would_decide.contains("192.0.2.1 says"),
        "{:#?}",
        flow.missing
    );
    let because = because(&flow);
    assert!(
        because.contains("nothing that ping or a trace sent was answered"),
        "{because}"
    );
}

/// What curl could not begin is an answer, and a question of its own: of the name, the port, the way to it, or TLS.
#[test]
fn what_curl_could_not_begin_is_said_by_its_code() {
    for (line, says, fact) in [
        (
            "curl: (6) Could not resolve host: repo.example.org",
            "the name repo.example.org was not resolved",
            "name_answer",
        ),
        (
            "curl: (7) Failed to connect to repo.example.org port 8443 after 2 ms: Connection refused",
            "the connection to repo.example.org port 8443 was refused",
            "listening",
        ),
        (
            "* connect to 192.0.2.44 port 8443 from 192.0.2.7 port 50000 failed: Connection refused\ncurl: (7) Failed to connect to repo.example.org port 8443 after 2 ms: Couldn't connect to server",
            "the connection to repo.example.org port 8443 was refused",
            "listening",
        ),
        (
            "curl: (7) Failed to connect to repo.example.org port 8443 after 2 ms: Couldn't connect to server",
            "was not opened, and this line does not say",
            "refused",
        ),
        (
            "curl: (28) Connection timed out after 10001 milliseconds",
            "the connection to repo.example.org port 8443 was not open in time",
            "reachable",
        ),
        (
            "curl: (35) Recv failure: Connection reset by peer",
            "the handshake of TLS with repo.example.org port 8443 failed",
            "tls_handshake",
        ),
        (
            "curl: (60) SSL certificate problem: certificate has expired",
            "repo.example.org port 8443 answered, and its certificate is not trusted",
            "certificate",
        ),
    ] {
        let flow = first(&format!(
            "$ curl -o /dev/null https://repo.example.org:8443/f\n{line}\n"
        ));
        assert_eq!(flow.verdict.cause, "unknown", "{line}");
        assert_eq!(flow.observed.goodput_bps, None, "{line}");
        let because = because(&flow);
        assert!(
            because.starts_with("a transfer did not begin: "),
            "{because}"
        );
        assert!(because.contains(says), "{because}");
        assert_eq!(asked(&flow), [fact], "{line}");
    }
}

/// What the address of the command and the server's own texts say is not asked for: its port, an empty capture there, the end of a certificate.
#[test]
fn a_transfer_that_did_not_begin_is_asked_of_its_own_port() {
    let flow = |url: &str, said: &str, besides: &str| {
        first(&format!(
            "probe$ curl -o /dev/null {url}\n{said}\n{besides}"
        ))
    };
    let command = |flow: &FlowReport| flow.missing.first().map(|m| m.command.clone());
    let late = "curl: (28) Connection timed out after 15002 milliseconds";
    for (url, port) in [
        ("https://api.lab.example:8443/health", 8443),
        ("https://api.lab.example/health", 443),
        ("http://api.lab.example/health", 80),
    ] {
        let asks = command(&flow(url, late, "")).unwrap_or_default();
        let own = format!("traceroute -n -T -p {port} api.lab.example");
        assert!(asks.contains(&own), "{asks}");
    }
    let capture = |port: u16| {
        format!(
            "[root@api ~]# timeout 20 tcpdump -ni eth0 'tcp port {port}'\nlistening on eth0, link-type EN10MB (Ethernet), snapshot length 262144 bytes\n\n0 packets captured\n"
        )
    };
    let url = "https://api.lab.example:8443/health";
    let unseen = because(&flow(url, late, &capture(8443)));
    assert!(unseen.contains("at the server saw no packet"), "{unseen}");
    let other = because(&flow(url, late, &capture(443)));
    assert!(!other.contains("saw no packet"), "{other}");

    let expired = "curl: (60) SSL certificate problem: certificate has expired";
    let unknown = "curl: (60) SSL certificate problem: unable to get local issuer certificate";
    let dates = "notBefore=Nov 24 00:00:00 2025 GMT\nnotAfter=Nov 24 23:59:59 2026 GMT\n";
    let settled = flow(url, expired, dates);
    assert!(because(&settled).contains("valid until Nov 24 23:59:59 2026 GMT"));
    assert!(asked(&settled).is_empty(), "{:#?}", settled.missing);
    assert_eq!(asked(&flow(url, unknown, dates)), ["certificate"]);
    assert_eq!(asked(&flow(url, expired, "")), ["certificate"]);
}

/// 4.81 Gbit/s bring 30.1 MB in 50 ms: twice that is the next power of two, 64 MiB.
#[test]
fn a_socket_of_datagrams_has_a_size_by_the_rate() {
    let sender = "$ iperf3 -u -c 198.51.100.20 -b 5G -l 8900 -t 10
[  5] local 192.0.2.10 port 50312 connected to 198.51.100.20 port 5201
[ ID] Interval           Transfer     Bitrate         Total Datagrams
[  5]   0.00-10.00  sec  5.82 GBytes  5.00 Gbits/sec  702247
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams
[  5]   0.00-10.00  sec  5.82 GBytes  5.00 Gbits/sec  0.000 ms  0/702247 (0%)  sender
[  5]   0.00-10.00  sec  5.60 GBytes  4.81 Gbits/sec  0.004 ms  26510/702247 (3.8%)  receiver
";
    let receiver = "UdpInDatagrams                  1203301            0.0
UdpInErrors                     402                0.0
UdpRcvbufErrors                 402                0.0
UdpInDatagrams                  1879038            0.0
UdpInErrors                     26912              0.0
UdpRcvbufErrors                 26912              0.0
$ sysctl net.core.rmem_max net.core.rmem_default
net.core.rmem_max = 212992
net.core.rmem_default = 212992
";
    let files = [("sender.txt", sender), ("receiver.txt", receiver)];
    let flow = first_flow(of_files(&files, &Known::default()));
    assert_eq!(flow.verdict.cause, "client", "{:#?}", flow.verdict);
    let commands = commands(&flow);
    assert!(
        commands.contains("sysctl -w net.core.rmem_max=67108864"),
        "{commands}"
    );
    assert!(commands.contains("brings 30.1 MB"), "{commands}");
    assert!(
        !commands.contains("net.core.rmem_max: sysctl"),
        "{commands}"
    );
    assert_eq!(flow.changes[0].undo, ["sysctl -w net.core.rmem_max=212992"]);
}
