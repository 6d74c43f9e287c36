//! Times in which nothing arrived are named beside the cause.

use farpath_diagnose::{FlowReport, Known};

use crate::{asked, because, first_flow, of, on};

/// A log of iperf3 with these rates of its seconds, Mbit/s.
fn log(rates: &[f64]) -> String {
    let rows: Vec<(f64, u32)> = rates.iter().map(|rate| (*rate, 0)).collect();
    counted(&rows, 3)
}

/// The same, with the segments sent again in each second, and in all.
fn counted(rows: &[(f64, u32)], all_again: u32) -> String {
    let mut all = "Connecting to host 198.18.0.2, port 5201\n[  6] local 198.18.0.1 port 50844 connected to 198.18.0.2 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n".to_owned();
    for (n, (mbit, again)) in rows.iter().enumerate() {
        let size = mbit / 8.388_608;
        all += &format!(
            "[  6]   {n}.00-{}.00   sec  {size:.2} MBytes  {mbit:.1} Mbits/sec    {again}    443 KBytes\n",
            n + 1
        );
    }
    let n = rows.len();
    let mean = rows.iter().map(|(mbit, _)| mbit).sum::<f64>() / n as f64;
    let size = mean * n as f64 / 8.388_608;
    all + &format!(
        "[  6]   0.00-{n}.00  sec  {size:.1} MBytes  {mean:.1} Mbits/sec    {all_again}             sender\n[  6]   0.00-{n}.00  sec  {size:.1} MBytes  {mean:.1} Mbits/sec                  receiver\n"
    )
}

#[test]
fn an_outage_is_named_whatever_the_cause_is() {
    let rates = [
        17.0, 18.8, 18.7, 18.8, 18.8, 18.8, 0.0, 0.0, 18.8, 18.8, 18.7, 18.8, 18.8, 18.8,
    ];
    let d = of(&log(&rates), &on("20Mbit/s"));
    let because = d.flows[0].verdict.because.join("\n");
    assert!(
        because.contains("besides, for 2.0 s from 6.0 s on nothing arrived"),
        "{because}"
    );
    // An outage is not what begins late or ends early.
    let mut ends = rates;
    (ends[6], ends[7], ends[0], ends[13]) = (18.8, 18.8, 0.0, 0.0);
    let d = of(&log(&ends), &on("20Mbit/s"));
    let because = d.flows[0].verdict.because.join("\n");
    assert!(!because.contains("nothing arrived"), "{because}");
}

/// A second of a full gigabit.
const FULL: (f64, u32) = (941.0, 0);

/// A gigabit whose link was down for three of twelve seconds.
const FLAP: [(f64, u32); 12] = [
    FULL,
    FULL,
    FULL,
    (260.0, 2),
    (0.0, 1),
    (0.0, 1),
    (0.0, 0),
    (537.0, 42),
    FULL,
    FULL,
    FULL,
    FULL,
];

fn is_outage(flow: &FlowReport) {
    assert_eq!(flow.verdict.cause, "outage", "{:#?}", flow.verdict);
    // No host mends it, and logs of its time say what was down.
    assert!(flow.changes.is_empty(), "{:#?}", flow.changes);
    assert_eq!(asked(flow), ["outage_events"], "{:#?}", flow.missing);
}

/// Full segments passed before and after: it was an MTU black hole, beside a ping nothing at all.
#[test]
fn a_link_that_flaps_in_a_log_is_an_outage() {
    let ping = "host$ ping -c 20 198.18.0.2\n20 packets transmitted, 20 received, 0% packet loss, time 19020ms\nrtt min/avg/max/mdev = 0.401/0.421/0.511/0.020 ms\n";
    for beside in ["", ping] {
        let flow = first_flow(of(&(counted(&FLAP, 46) + beside), &on("1Gbit/s")));
        is_outage(&flow);
        let why = because(&flow);
        assert!(
            why.contains("for 3.0 s from 4.0 s on nothing arrived (25 % of the time), though data was sent again 2 times"),
            "{why}"
        );
    }
    // Lossy before and after, on a line that nobody knows.
    let lossy = [
        (25.0, 22),
        (17.9, 3),
        (19.0, 6),
        (18.0, 3),
        (0.0, 2),
        (0.0, 1),
        (0.0, 0),
        (15.1, 22),
        (16.3, 3),
        (16.8, 5),
        (15.6, 3),
    ];
    is_outage(&first_flow(of(&counted(&lossy, 70), &Known::default())));
}

/// A second of a full line of 20 Mbit/s.
const SLOW: (f64, u32) = (18.5, 0);

/// Six seconds of twenty, as two stops and as three: they cost what one would.
#[test]
fn several_stops_of_a_log_are_one_outage() {
    let mut two = [SLOW; 20];
    for at in [5, 13] {
        two[at..at + 4].copy_from_slice(&[(0.0, 3), (0.0, 1), (0.0, 0), (9.0, 30)]);
    }
    let mut three = [SLOW; 20];
    for at in [3, 9, 15] {
        three[at..at + 3].copy_from_slice(&[(0.0, 2), (0.0, 1), (9.0, 30)]);
    }
    for (rows, all, times) in [(two, 68, 8), (three, 99, 9)] {
        let flow = first_flow(of(&counted(&rows, all), &on("20Mbit/s")));
        is_outage(&flow);
        let said = format!(
            "for 6.0 s in all nothing arrived (30 % of the time), though data was sent again {times} times"
        );
        assert!(because(&flow).contains(&said), "{}", because(&flow));
    }
}

/// Three flaps of two seconds leave one empty second each: what the seconds beside them lack is the outage's, too.
#[test]
fn an_outage_costs_what_the_intervals_beside_its_stops_lack() {
    let full = (9400.0, 0);
    let rows = [
        full,
        full,
        (2100.0, 822),
        (0.0, 1),
        (4400.0, 310),
        (9300.0, 0),
        (1200.0, 650),
        (0.0, 2),
        (5100.0, 208),
        full,
        full,
        (1000.0, 701),
        (0.0, 1),
        (4800.0, 255),
        full,
        full,
    ];
    let port = "Interface GigabitEthernet0/8, changed state to";
    let flaps = ["02", "06", "11"].map(|second| {
        let back: u32 = second.parse::<u32>().expect("a number") + 2;
        format!(
            "Nov 30 03:21:{second}.101: %LINEPROTO-5-UPDOWN: Line protocol on {port} down\nNov 30 03:21:{back:02}.201: %LINEPROTO-5-UPDOWN: Line protocol on {port} up\n"
        )
    });
    let ios = format!("sw1#show logging | include 0/8\n{}", flaps.concat());
    let text = counted(&rows, 2950) + &ios;
    let flow = first_flow(of(&text, &on("10Gbit/s")));
    assert_eq!(flow.verdict.cause, "outage", "{:#?}", flow.verdict);
    let why = because(&flow);
    let said = "for 3.0 s in all nothing arrived (19 % of the time)";
    assert!(why.contains(said), "{why}");
}

/// Nothing was said of a loop and of a neighbour that were logged in the seconds of the stops, nor what to do.
#[test]
fn what_switches_and_routers_log_in_the_seconds_of_a_stop_is_named() {
    let flap = "%SW_MATM-4-MACFLAP_NOTIF: Host 0000.5e00.5301 in vlan 80 is flapping between port Gi1/0/7 and port Te1/1/1";
    let ospf = |state: &str| {
        format!("%OSPF-5-ADJCHG: Process 1, Nbr 192.0.2.254 on TenGigE0/0/0/1 from {state}")
    };
    let down = ospf("FULL to DOWN, Neighbor Down: Dead timer expired");
    let up = ospf("LOADING to FULL, Loading Done");
    let begin = "host$ date; iperf3 -c 198.18.0.2 -t 12\nWed Nov 25 02:51:00 UTC 2026\n";
    let of_log = |hour: &str, events: [&str; 2]| {
        let [one, two] = events;
        let log = format!(
            "sw1#show logging | last 2\nNov 25 {hour}:51:04.611: {one}\nNov 25 {hour}:51:07.402: {two}\n"
        );
        first_flow(of(
            &(begin.to_owned() + &counted(&FLAP, 46) + &log),
            &on("1Gbit/s"),
        ))
    };
    for (events, said, command) in [
        (
            [flap, flap],
            "a host in vlan 80 flaps between the ports Gi1/0/7 and Te1/1/1, 2 times; that was in the seconds",
            "shut one of the two ports",
        ),
        (
            [down.as_str(), up.as_str()],
            "OSPF lost its neighbour 192.0.2.254 on TenGigE0/0/0/1 (Dead timer expired); that was in the seconds",
            "mend what took the hellos",
        ),
    ] {
        let flow = of_log("02", events);
        assert_eq!(flow.verdict.cause, "outage", "{:#?}", flow.verdict);
        let why = because(&flow);
        assert!(why.contains(said), "{why}");
        assert!(
            crate::commands(&flow).contains(command),
            "{:#?}",
            flow.changes
        );
        assert_eq!(asked(&flow), ["outage_events"], "{:#?}", flow.missing);
        // An hour before it was something else.
        let flow = of_log("01", events);
        assert!(!because(&flow).contains("by the log"), "{}", because(&flow));
        is_outage(&flow);
    }
}

/// Two stops at 940 Mbit/s, and the sender's card has 10 Gbit/s: it was unknown then, and the log of the flaps was not said.
#[test]
fn a_faster_card_leaves_an_outage_what_it_is() {
    let full = (940.0, 0);
    let mut rows = [full; 20];
    for at in [4, 12] {
        rows[at..at + 5].copy_from_slice(&[(377.0, 1), (0.0, 2), (0.0, 0), (0.0, 1), (661.0, 300)]);
    }
    let te = "TenGigabitEthernet1/1/3, changed state to";
    let flap = |down: [&str; 2], up: [&str; 2]| {
        format!(
            "Nov 25 02:41:{}: %LINEPROTO-5-UPDOWN: Line protocol on Interface {te} down\nNov 25 02:41:{}: %LINK-3-UPDOWN: Interface {te} down\nNov 25 02:41:{}: %LINK-3-UPDOWN: Interface {te} up\nNov 25 02:41:{}: %LINEPROTO-5-UPDOWN: Line protocol on Interface {te} up\n",
            down[0], down[1], up[0], up[1]
        )
    };
    let log = flap(["04.512", "05.514"], ["07.201", "08.205"])
        + &flap(["12.600", "13.603"], ["15.113", "16.115"]);
    let text = counted(&rows, 608) + "sw-acc7#show logging | i UPDOWN\n" + &log;
    for line in ["10Gbit/s", "1Gbit/s"] {
        let flow = first_flow(of(&text, &on(line)));
        assert_eq!(flow.verdict.cause, "outage", "{line}: {:#?}", flow.verdict);
        let why = because(&flow);
        let said = "the link of TenGigabitEthernet1/1/3 went down 2 times, and came up again";
        assert!(why.contains(said), "{why}");
    }
    // At another rate nobody knows why so little of the line is used meanwhile. The log is said all the same.
    let odd = rows.map(|(mbit, again)| (if mbit > 900.0 { 611.0 } else { mbit }, again));
    let text = counted(&odd, 608) + "sw-acc7#show logging | i UPDOWN\n" + &log;
    let flow = first_flow(of(&text, &on("10Gbit/s")));
    assert_ne!(flow.verdict.cause, "outage", "{:#?}", flow.verdict);
    assert!(
        because(&flow).contains("went down 2 times"),
        "{}",
        because(&flow)
    );
}

#[test]
fn logs_of_hosts_and_routers_say_which_link_it_was() {
    let igb = "igb 0000:02:00.0 eno1: igb: eno1 NIC Link is";
    let up = "Up 1000 Mbps Full Duplex, Flow Control: RX/TX";
    let kernel = |down: &str, back: &str| {
        format!("host$ dmesg | tail -2\n{down} {igb} Down\n{back} {igb} {up}\n")
    };
    let ios = "sw1#show logging | include 0/8\nNov 30 02:44:12.101: %LINEPROTO-5-UPDOWN: Line protocol on Interface GigabitEthernet0/8, changed state to down\nNov 30 02:44:15.201: %LINK-3-UPDOWN: Interface GigabitEthernet0/8, changed state to up\n";
    let routeros = "2026-11-30 02:44:12 interface,info ether1 link down\n2026-11-30 02:44:15 interface,info ether1 link up (speed 1G, full duplex)\n";
    for (log, port) in [
        (
            kernel("[Mon Nov 30 02:44:12 2026]", "[Mon Nov 30 02:44:15 2026]"),
            "eno1",
        ),
        (kernel("[812345.123456]", "[812348.123456]"), "eno1"),
        (
            kernel(
                "2026-11-30T02:44:12,101000+00:00",
                "2026-11-30T02:44:15,201000+00:00",
            ),
            "eno1",
        ),
        (
            kernel(
                "Nov 30 02:44:12 host kernel:",
                "Nov 30 02:44:15 host kernel:",
            ),
            "eno1",
        ),
        (ios.to_owned(), "GigabitEthernet0/8"),
        (routeros.to_owned(), "ether1"),
    ] {
        let d = of(&(counted(&FLAP, 46) + &log), &on("1Gbit/s"));
        let flow = first_flow(d);
        assert_eq!(flow.verdict.cause, "outage", "{:#?}", flow.verdict);
        // Its cable, optics and port are what is to be checked.
        assert_eq!(asked(&flow), ["link_errors"], "{:#?}", flow.missing);
        let host = flow.changes.first().map(|change| change.host.clone());
        assert_eq!(host, Some(format!("the device with {port}")));
        let why = because(&flow);
        let says = format!("by the log the link of {port} went down, and came up again");
        assert!(why.contains(&says), "{log}: {why}");
    }
    // Beside a log without a stop nobody knows when it was.
    let quiet = counted(&[FULL; 12], 0) + ios;
    let flow = first_flow(of(&quiet, &on("1Gbit/s")));
    assert_ne!(flow.verdict.cause, "outage", "{:#?}", flow.verdict);
}

/// Nothing is counted as sent again, and the kernel's log has the link down for as long. One that was down for longer was so at another time.
#[test]
fn a_stop_as_long_as_a_link_was_down_is_an_outage() {
    let mut rows = [FULL; 12];
    rows[4..7].fill((0.0, 0));
    let igb = "igb 0000:02:00.0 eno1: igb: eno1 NIC Link is";
    let kernel = |back: &str| {
        format!(
            "host$ dmesg -T | tail -2\n[Mon Nov 30 02:44:12 2026] {igb} Down\n[Mon Nov 30 {back} 2026] {igb} Up 1000 Mbps Full Duplex, Flow Control: RX/TX\n"
        )
    };
    let with = |back: &str| {
        let text = counted(&rows, 0) + &kernel(back);
        first_flow(of(&text, &Known::default()))
    };
    let flow = with("02:44:15");
    assert_eq!(flow.verdict.cause, "outage", "{:#?}", flow.verdict);
    assert_eq!(asked(&flow), ["link_errors"], "{:#?}", flow.missing);
    assert!(flow.verdict.confidence <= 0.8, "{:#?}", flow.verdict);
    let why = because(&flow);
    for says in [
        "for 3.0 s from 4.0 s on nothing arrived (25 % of the time), as a link was down",
        "by the log the link of eno1 went down, and came up again (3.0 s)",
    ] {
        assert!(why.contains(says), "{why}");
    }
    assert_ne!(with("02:50:12").verdict.cause, "outage");
}

/// On a slow line whole seconds pass between two writes of 128 kB, whatever is lost meanwhile: the path was not down.
#[test]
fn seconds_between_two_writes_are_no_outage() {
    let write = (1.049, 4);
    let rows = [
        write,
        write,
        (0.0, 5),
        (0.0, 4),
        write,
        (0.0, 4),
        (0.0, 5),
        write,
        (0.0, 4),
        write,
    ];
    let flow = first_flow(of(&counted(&rows, 43), &Known::default()));
    let cause = flow.verdict.cause;
    assert!(!["outage", "mtu_black_hole"].contains(&cause), "{cause}");
    let why = because(&flow);
    assert!(!why.contains("nothing arrived"), "{why}");
}

/// A tenth of the time is named beside the cause, and is not a black hole either.
#[test]
fn a_short_outage_of_a_log_is_named_besides() {
    let mut rows = [FULL; 30];
    rows[10..13].fill((0.0, 1));
    let flow = first_flow(of(&counted(&rows, 3), &on("1Gbit/s")));
    let cause = flow.verdict.cause;
    assert!(!["outage", "mtu_black_hole"].contains(&cause), "{cause}");
    let why = because(&flow);
    assert!(
        why.contains(
            "besides, for 3.0 s from 10.0 s on nothing arrived, though data was sent again 3 times"
        ),
        "{why}"
    );
}
