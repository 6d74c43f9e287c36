//! Counters of routers that were read before and after a test, and stood still.

use farpath_diagnose::Known;

use crate::{because, first, first_flow, of_files};

const TEST: &str = "[src ~]$ iperf3 -c 203.0.113.33 -t 20 -i 10
Connecting to host 203.0.113.33, port 5201
[  5] local 192.0.2.18 port 49222 connected to 203.0.113.33 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-10.00  sec   248 MBytes   208 Mbits/sec   41   3.02 MBytes
[  5]  10.00-20.00  sec   250 MBytes   210 Mbits/sec   41   3.02 MBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-20.00  sec   498 MBytes   209 Mbits/sec   82             sender
[  5]   0.00-20.12  sec   496 MBytes   207 Mbits/sec                  receiver

iperf Done.
";

const PING: &str = "[src ~]$ ping -c 5 -q 203.0.113.33
PING 203.0.113.33 (203.0.113.33) 56(84) bytes of data.

--- 203.0.113.33 ping statistics ---
5 packets transmitted, 5 received, 0% packet loss, time 4009ms
rtt min/avg/max/mdev = 120.011/120.032/120.060/0.020 ms
";

fn junos(packets: u32) -> String {
    format!(
        "ops@gw1> show firewall filter PROTECT

Filter: PROTECT
Policers:
Name                                                Bytes              Packets
LIM-1G                                           81231231                {packets}
"
    )
}

const XR: &str = "RP/0/RSP0/CPU0:pe2#show policy-map interface TenGigE0/0/0/7 input

TenGigE0/0/0/7 input: POL

Class class-default
  Policing statistics                (packets/bytes)     (rate - kbps)
    Policed(exceed)     :               21112/31268110             0
    Policed and dropped :               21112/31268110
";

const IOS: &str = "sw1#show interfaces GigabitEthernet1/0/5 | include CRC|Gig
GigabitEthernet1/0/5 is up, line protocol is up (connected)
     81231 input errors, 81231 CRC, 0 frame, 0 overrun, 0 ignored
";

const EOS: &str = "edge1>show interfaces Ethernet12 counters errors
Port              FCS    Align   Symbol       Rx    Runts   Giants       Tx
Et12            81231        0        0    81231        0        0        0
";

/// What counters say that stood at this, and the beginning of their sentence.
fn texts() -> [(String, &'static str); 4] {
    [
        (
            junos(53_861),
            "the count of LIM-1G of gw1, 53861 dropped packets,",
        ),
        (
            XR.to_owned(),
            "the count of the policer of class class-default at TenGigE0/0/0/7 of pe2, 21112 dropped packets,",
        ),
        (
            IOS.to_owned(),
            "the count of GigabitEthernet1/0/5 of sw1, 81231 damaged frames,",
        ),
        (
            EOS.to_owned(),
            "the count of Et12 of edge1, 81231 damaged frames,",
        ),
    ]
}

#[test]
fn what_stood_still_during_the_test_is_not_blamed() {
    for (text, said) in texts() {
        let flow = first(&format!("{text}{TEST}{text}{PING}"));
        let why = because(&flow);
        assert!(
            !["policer", "random_loss"].contains(&flow.verdict.cause),
            "{:#?}",
            flow.verdict
        );
        assert!(
            why.contains(&format!("{said} did not grow during the test")),
            "{why}"
        );
        assert!(
            !why.contains("one reading does not say") && !why.contains("arrived damaged"),
            "{why}"
        );
    }
}

/// Both readings stand in a text of their own, behind the commands that printed them, or each in one.
#[test]
fn what_stood_still_elsewhere_is_not_blamed() {
    for (text, said) in texts() {
        let both = format!("{text}{text}");
        let test = format!("{TEST}{PING}");
        for files in [
            vec![("test.txt", test.as_str()), ("router.txt", both.as_str())],
            vec![
                ("test.txt", test.as_str()),
                ("first.txt", text.as_str()),
                ("last.txt", text.as_str()),
            ],
        ] {
            let flow = first_flow(of_files(&files, &Known::default()));
            let why = because(&flow);
            assert!(
                why.contains(&format!("{said} did not grow from one reading to the next")),
                "{why}"
            );
        }
    }
}

#[test]
fn what_grew_is_counted_by_its_growth() {
    let flow = first(&format!("{}{TEST}{}{PING}", junos(53_861), junos(53_943)));
    let why = because(&flow);
    assert_eq!(flow.verdict.cause, "policer", "{:#?}", flow.verdict);
    let said = "LIM-1G of gw1 dropped 82 packets from one reading to the next";
    assert!(why.contains(said), "{why}");
}
