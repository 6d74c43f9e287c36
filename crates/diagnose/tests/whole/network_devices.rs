//! What switches, routers and firewalls print and log of themselves beside a complaint.

use crate::{asked, because, commands, first};

const HOLE: &str = "\
lab-pc14:~$ curl -v -m 20 https://moodle.uni.example/
* Host moodle.uni.example:443 was resolved.
* IPv4: 192.0.2.44
*   Trying 192.0.2.44:443...
* Connected to moodle.uni.example (192.0.2.44) port 443
* ALPN: curl offers h2,http/1.1
* TLSv1.3 (OUT), TLS handshake, Client hello (1):
* Operation timed out after 20001 milliseconds with 0 bytes received
* Closing connection
curl: (28) Operation timed out after 20001 milliseconds with 0 bytes received
lab-pc14:~$ ping -c 1 -M do -s 1372 moodle.uni.example
PING moodle.uni.example (192.0.2.44) 1372(1400) bytes of data.
1380 bytes from moodle.uni.example (192.0.2.44): icmp_seq=1 ttl=60 time=6.91 ms

--- moodle.uni.example ping statistics ---
1 packets transmitted, 1 received, 0% packet loss, time 0ms
rtt min/avg/max/mdev = 6.910/6.910/6.910/0.000 ms
lab-pc14:~$ ping -c 3 -M do -s 1472 moodle.uni.example
PING moodle.uni.example (192.0.2.44) 1472(1500) bytes of data.

--- moodle.uni.example ping statistics ---
3 packets transmitted, 0 received, 100% packet loss, time 2041ms
";

const TUNNEL: &str = "
br-rtr1#show interfaces Tunnel10 | i MTU|Tunnel
Tunnel10 is up, line protocol is up
  Hardware is Tunnel
  MTU 17916 bytes, BW 100 Kbit/sec, DLY 50000 usec,
  Tunnel source 198.51.100.9, destination 198.51.100.77
  Tunnel protocol/transport GRE/IP
  Tunnel transport MTU 1476 bytes
br-rtr1#show ip interface Tunnel10 | i unreach|MTU
  MTU is 1476 bytes
  ICMP unreachables are never sent
";

/// Segments of 1360 bytes were advised, by the largest ping, for a tunnel that takes 1436.
#[test]
fn segments_fit_the_tunnel_that_a_router_prints() {
    let flow = first(&format!("{HOLE}{TUNNEL}"));
    assert_eq!(flow.verdict.cause, "mtu_black_hole", "{:#?}", flow.verdict);
    let all = commands(&flow);
    assert!(all.contains("adjust-mss 1436"), "{all}");
    assert!(
        all.contains("on br-rtr1, at Tunnel10: ip unreachables"),
        "{all}"
    );
    // A tunnel that takes less than what was answered is another one.
    let other = TUNNEL.replace("1476", "1300").replace("never", "always");
    for text in [HOLE.to_owned(), format!("{HOLE}{other}")] {
        let all = commands(&first(&text));
        assert!(all.contains("adjust-mss 1360"), "{all}");
        assert!(!all.contains("ip unreachables"), "{all}");
    }
}

const SILENT: &str = "\
leaf3#ping 192.0.2.253
PING 192.0.2.253 (192.0.2.253) 72(100) bytes of data.

--- 192.0.2.253 ping statistics ---
5 packets transmitted, 0 received, 100% packet loss, time 44ms
";

/// A firewall that drops pings was the first that was named.
#[test]
fn a_port_without_a_link_stands_before_a_firewall() {
    let port = "\
leaf3#show interfaces et49/1 status
Port       Name            Status       Vlan     Duplex Speed  Type            Flags Encapsulation
Et49/1     GVA-ZRH-0042    notconnect   routed   full   100G   100GBASE-LR4
";
    let flow = first(&format!("{port}{SILENT}"));
    assert_eq!(asked(&flow), ["port_down", "reachable"]);
    assert!(
        because(&flow).contains("Et49/1 of leaf3"),
        "{}",
        because(&flow)
    );
    assert_eq!(asked(&first(SILENT)), ["reachable"]);
}

/// What is slow was asked.
#[test]
fn a_firewall_that_closes_what_goes_on_has_too_short_a_timeout() {
    let ping = "\
app1$ ping -c 5 -q db1
PING db1.uni.example (203.0.113.200) 56(84) bytes of data.
--- db1.uni.example ping statistics ---
5 packets transmitted, 5 received, 0% packet loss, time 4100ms
rtt min/avg/max/mdev = 0.901/0.930/0.990/0.030 ms
";
    let log = "\
Nov 25 02:00:15 asa %ASA-6-302014: Teardown TCP connection 88123123 for inside:198.51.100.40/50122 to dmz:203.0.113.200/22 duration 1:00:03 bytes 8123 Connection timeout
Nov 25 02:00:40 asa %ASA-6-106015: Deny TCP (no connection) from 198.51.100.40/50122 to 203.0.113.200/22 flags PSH ACK  on interface inside
";
    let flow = first(&format!("{ping}{log}"));
    assert_eq!(flow.verdict.cause, "middlebox", "{:#?}", flow.verdict);
    assert!(commands(&flow).contains("tcp_keepalive_time"));
    assert_eq!(asked(&flow), ["keepalive_seconds"]);
    // Connections of other hosts are not these.
    let other = log.replace("203.0.113.200", "203.0.113.9");
    let flow = first(&format!("{ping}{other}"));
    assert_ne!(flow.verdict.cause, "middlebox", "{:#?}", flow.verdict);
}

/// The line was named, and no change.
#[test]
fn the_cable_is_changed_of_a_port_that_agreed_on_less() {
    let test = "\
[  5] local 10.80.4.7 port 51002 connected to 10.1.1.2 port 5201
[ ID] Interval           Transfer     Bitrate
[  5]   0.00-1.00   sec  11.4 MBytes  95.6 Mbits/sec
[  5]   1.00-2.00   sec  11.2 MBytes  94.4 Mbits/sec
[  5]   2.00-3.00   sec  11.2 MBytes  94.4 Mbits/sec
[  5]   3.00-4.00   sec  11.2 MBytes  94.4 Mbits/sec
[  5]   4.00-5.00   sec  11.2 MBytes  94.4 Mbits/sec
- - - - - - - - - - - - - - - - - - - - - - - - -
[  5]   0.00-5.00   sec  56.4 MBytes  94.6 Mbits/sec                  sender
[  5]   0.00-5.01   sec  56.2 MBytes  94.1 Mbits/sec                  receiver
";
    let port = "\
acc-c4#show interfaces Gi1/0/22 status
Port      Name               Status       Vlan       Duplex  Speed Type
Gi1/0/22  desk 4.07          connected    80         a-full  a-100 10/100/1000BaseTX
";
    let flow = first(&format!("{test}{port}"));
    assert_eq!(flow.verdict.cause, "link", "{:#?}", flow.verdict);
    assert!(
        commands(&flow).contains("all four pairs"),
        "{}",
        commands(&flow)
    );
    // A port that can run no faster has the cable that it needs.
    let slow = port.replace("10/100/1000BaseTX", "10/100BaseTX");
    let flow = first(&format!("{test}{slow}"));
    assert!(
        !commands(&flow).contains("all four pairs"),
        "{}",
        commands(&flow)
    );
}

/// RouterOS lists what both ends of a link offer: a port that agreed on 100 Mbit/s is the line that is full, and its other end is named.
#[test]
fn a_port_of_routeros_that_agreed_on_less_is_the_line() {
    let port = |partner: &str| {
        format!(
            "[admin@cpe] > /interface ethernet monitor ether1 once
                      name: ether1
                    status: link-ok
          auto-negotiation: done
                      rate: 100Mbps
               full-duplex: yes
               advertising: 10M-baseT-half,100M-baseT-full,1G-baseT-full
  link-partner-advertising: {partner}
"
        )
    };
    let test = "C:\\Users\\c>iperf3 -c speed.example -R -t 5
[  4] local 192.168.88.10 port 50120 connected to 203.0.113.9 port 5201
[ ID] Interval           Transfer     Bandwidth
[  4]   0.00-1.00   sec  11.2 MBytes  94.1 Mbits/sec
[  4]   1.00-2.00   sec  11.2 MBytes  94.1 Mbits/sec
[  4]   2.00-3.00   sec  11.2 MBytes  94.1 Mbits/sec
[  4]   3.00-4.00   sec  11.2 MBytes  94.1 Mbits/sec
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bandwidth       Retr
[  4]   0.00-4.00   sec  45.1 MBytes  94.6 Mbits/sec    3             sender
[  4]   0.00-4.00   sec  44.9 MBytes  94.1 Mbits/sec                  receiver
";
    let flow = first(&(port("10M-baseT-half,100M-baseT-full") + test));
    assert_eq!(flow.verdict.cause, "link", "{:#?}", flow.verdict);
    let why = because(&flow);
    assert!(why.contains("what is plugged in there does not"), "{why}");
    assert!(!why.contains("nobody said how fast"), "{why}");
    let all = commands(&flow);
    assert!(
        all.contains("is plugged into offers 100 Mbit/s at most"),
        "{all}"
    );
    let both = first(&(port("100M-baseT-full,1G-baseT-full") + test));
    assert!(
        commands(&both).contains("all four pairs"),
        "{}",
        commands(&both)
    );
}
