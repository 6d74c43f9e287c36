//! Radio links that are too weak: what they lose is lost in the air, and neither plugs nor optics help them.

use farpath_diagnose::{FlowReport, Known};

use crate::{asked, because, commands, first, first_flow, of};

/// What a gateway with `wlan0` prints: its station, pings to the other end, and a test with a rate and segments sent again for each second.
fn ticket(station: &str, lost: u32, seconds: &[(f64, u32)]) -> String {
    let mut text = format!(
        "root@gw9:~# iw dev wlan0 station dump\nStation 02:00:00:00:00:01 (on wlan0)\n\tinactive time:\t12 ms\n\trx bytes:\t91822332\n\trx packets:\t88121\n\ttx bytes:\t118223320\n{station}root@gw9:~# ping -c 50 -q 10.30.0.10\n50 packets transmitted, {} received, {}% packet loss, time 49190ms\nrtt min/avg/max/mdev = 2.301/61.020/412.400/88.100 ms\nroot@gw9:~# iperf3 -c 10.30.0.10\n[  5] local 10.30.33.9 port 49822 connected to 10.30.0.10 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n",
        50 - lost,
        2 * lost
    );
    let kilo = |mbit: f64| mbit * 1e6 / 8.0 / 1024.0;
    for (n, (mbit, again)) in seconds.iter().enumerate() {
        text += &format!(
            "[  5]   {n}.00-{}.00   sec  {:.0} KBytes  {mbit:.2} Mbits/sec  {again}   22.6 KBytes\n",
            n + 1,
            kilo(*mbit)
        );
    }
    let count = seconds.len() as f64;
    let mean = seconds.iter().map(|s| s.0).sum::<f64>() / count;
    let again: u32 = seconds.iter().map(|s| s.1).sum();
    text + &format!(
        "- - - - -\n[  5]   0.00-{count:.2}   sec  {0:.0} KBytes  {mean:.2} Mbits/sec  {again}             sender\n[  5]   0.00-{count:.2}   sec  {0:.0} KBytes  {mean:.2} Mbits/sec                  receiver\n",
        kilo(mean * count)
    )
}

fn diagnosed(text: &str) -> FlowReport {
    first_flow(of(text, &Known::default()))
}

const WEAK: &str = "\ttx packets:\t88121\n\ttx retries:\t70110\n\ttx failed:\t1902\n\tsignal:  \t-82 dBm\n\ttx bitrate:\t13.0 MBit/s MCS 1\n\trx bitrate:\t19.5 MBit/s MCS 2\n";

const SLOW: [(f64, u32); 8] = [
    (5.24, 9),
    (3.15, 6),
    (2.10, 8),
    (4.19, 4),
    (1.05, 9),
    (4.19, 5),
    (3.15, 7),
    (2.10, 8),
];

/// Three megabits of thirteen, with a peak of seven: a queue was too short there, and the remedy was of optics.
#[test]
fn what_a_weak_radio_link_loses_is_mended_in_the_air() {
    let flow = diagnosed(&ticket(WEAK, 4, &SLOW));
    assert_eq!(flow.verdict.cause, "random_loss", "{:#?}", flow.verdict);
    assert!(because(&flow).contains("-82 dBm"), "{}", because(&flow));
    let all = commands(&flow);
    assert!(all.starts_with("nearer to the access point"), "{all}");
    for words in ["5 or 6 GHz", "channels of 20 MHz", "or a cable"] {
        assert!(all.contains(words), "{words}: {all}");
    }
    assert!(
        !all.contains("optics") && !all.contains("ethtool -m"),
        "{all}"
    );
    let last = all.lines().next_back().expect("there are some");
    assert!(
        last.starts_with("last, on the sender") && last.ends_with("tcp_congestion_control=bbr"),
        "{last}"
    );
    // What it repeats and gives up says so without its signal.
    let counts = WEAK.replace("\tsignal:  \t-82 dBm\n", "");
    let flow = diagnosed(&ticket(&counts, 4, &SLOW));
    assert_eq!(flow.verdict.cause, "random_loss", "{:#?}", flow.verdict);
    assert!(commands(&flow).starts_with("nearer to"), "{flow:#?}");
}

/// A strong signal, hardly a repeat: what is lost is to be found elsewhere.
#[test]
fn a_sound_radio_link_is_not_blamed() {
    let sound = WEAK
        .replace("70110", "7011")
        .replace("1902", "19")
        .replace("-82", "-51");
    let flow = diagnosed(&ticket(&sound, 4, &[(3.0, 7); 8]));
    assert!(!commands(&flow).contains("nearer to"), "{flow:#?}");
}

/// A test that was bound to another interface, whose route leaves by one, or the default route of its host: a note says that the radio is not
/// weighed. Of two default routes the one with the smaller metric counts.
#[test]
fn a_radio_link_that_did_not_carry_the_flow_is_not_blamed() {
    let text = ticket(WEAK, 4, &SLOW);
    let bound = text.replace(
        "iperf3 -c 10.30.0.10",
        "iperf3 -c 10.30.0.10 --bind-dev eth0",
    );
    let routed = format!(
        "root@gw9:~# ip route get 10.30.0.10\n10.30.0.10 via 10.30.33.1 dev eth0 src 10.30.33.9 uid 0\n    cache\n{text}"
    );
    let default = |wired: u32, radio: u32| {
        format!(
            "root@gw9:~# ip route\ndefault via 10.30.33.1 dev eth0 proto dhcp metric {wired}\ndefault via 10.31.0.1 dev wlan0 proto dhcp metric {radio}\n{text}"
        )
    };
    for text in [bound, routed, default(100, 600)] {
        let d = of(&text, &Known::default());
        let says =
            |note: &String| note.contains("wlan0 of ") && note.contains("eth0: its radio link");
        assert!(d.notes.iter().any(says), "{:#?}", d.notes);
        let flow = first_flow(d);
        assert!(!because(&flow).contains("dBm"), "{}", because(&flow));
        assert!(!commands(&flow).contains("nearer to"), "{flow:#?}");
    }
    // Its cable passed 8 MB meanwhile, and the test has 3.
    let link = |sent: u32| {
        format!(
            "root@gw9:~# ip -s link show dev eth0\n2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP mode DEFAULT group default qlen 1000\n    link/ether 02:00:00:00:00:09 brd ff:ff:ff:ff:ff:ff\n    RX:  bytes packets errors dropped  missed   mcast\n    9000000 9000 0 0 0 0\n    TX:  bytes packets errors dropped carrier collsns\n    {sent} 9000 0 0 0 0\n"
        )
    };
    let d = of(
        &format!("{}{text}{}", link(1_000_000), link(9_000_000)),
        &Known::default(),
    );
    let says = "as eth0 passed as many bytes between its readings";
    assert!(d.notes.iter().any(|n| n.contains(says)), "{:#?}", d.notes);
    let flow = first_flow(d);
    assert!(!because(&flow).contains("dBm"), "{}", because(&flow));
    let flow = diagnosed(&default(600, 100));
    let says = "the radio signal of wlan0 is weak, -82 dBm";
    assert!(because(&flow).contains(says), "{}", because(&flow));
}

/// What `iw` prints of a link of this signal, and twenty pings to a host, of which three are lost.
fn untested(signal: &str, to: &str) -> String {
    format!(
        "lap$ ping -c 20 -q {to}\nPING {to} ({to}) 56(84) bytes of data.\n\n--- {to} ping statistics ---\n20 packets transmitted, 17 received, 15% packet loss, time 19014ms\nrtt min/avg/max/mdev = 3.100/61.375/240.000/75.771 ms\n\nlap$ iw dev wlp2s0 link\nConnected to 02:00:00:00:00:01 (on wlp2s0)\n\tSSID: corp\n\tfreq: 2437\n\tRX: 8211002 bytes (11211 packets)\n\tTX: 9120331 bytes (10811 packets)\n\tsignal: {signal} dBm\n\trx bitrate: 19.5 MBit/s MCS 2\n\ttx bitrate: 13.0 MBit/s MCS 1\n"
    )
}

/// Lost and late pings to the first hop over a signal of -83 dBm need no test: they are of the air.
#[test]
fn a_weak_radio_link_shows_in_pings_to_the_first_hop() {
    let flow = first(&untested("-83", "10.8.0.1"));
    assert_eq!(flow.verdict.cause, "random_loss", "{:#?}", flow.verdict);
    assert!(because(&flow).contains("-83 dBm"), "{}", because(&flow));
    let all = commands(&flow);
    assert!(all.starts_with("nearer to the access point"), "{all}");
    assert_eq!(asked(&flow), ["idle_loss_ratio"]);
    let windows = "C:\\> netsh wlan show interfaces\n\nThere is 1 interface on the system:\n\n    Name                   : Wi-Fi\n    State                  : connected\n    SSID                   : corp\n    Radio type             : 802.11n\n    Receive rate (Mbps)    : 13\n    Transmit rate (Mbps)   : 6.5\n    Signal                 : 31%\n    Profile                : corp\n\nC:\\> ping -n 10 10.8.0.1\n\nPinging 10.8.0.1 with 32 bytes of data:\n\nPing statistics for 10.8.0.1:\n    Packets: Sent = 10, Received = 8, Lost = 2 (20% loss),\nApproximate round trip times in milli-seconds:\n    Minimum = 8ms, Maximum = 340ms, Average = 93ms\n";
    let flow = first(windows);
    assert_eq!(flow.verdict.cause, "random_loss", "{:#?}", flow.verdict);
    let all = commands(&flow);
    assert!(all.starts_with("nearer to the access point"), "{all}");
}

/// A sound signal, or pings to a host far away, leave open where they are lost.
#[test]
fn pings_that_the_air_need_not_lose_leave_the_cause_open() {
    for (signal, to) in [("-52", "10.8.0.1"), ("-83", "203.0.113.9")] {
        let flow = first(&untested(signal, to));
        assert_eq!(flow.verdict.cause, "unknown", "{signal} {to}");
    }
}

/// Between 8 and 33 Mbit/s from second to second, a window that always fills the path, and twelve segments sent again: no loss makes that rate.
#[test]
fn a_rate_that_goes_up_and_down_is_a_links_own() {
    let rates = [
        31.2, 24.5, 12.8, 8.1, 15.9, 28.3, 33.0, 19.7, 9.2, 14.1, 22.8, 27.4,
    ];
    let again = [0, 0, 2, 0, 0, 0, 0, 9, 0, 0, 0, 1];
    let rows: Vec<(f64, u32)> = rates.into_iter().zip(again).collect();
    let ping = |times: &str| {
        format!(
            "$ ping -c 20 198.51.100.2\nPING 198.51.100.2 (198.51.100.2) 56(84) bytes of data.\n\n--- 198.51.100.2 ping statistics ---\n20 packets transmitted, 20 received, 0% packet loss, time 19019ms\nrtt min/avg/max/mdev = {times} ms\n\n"
        )
    };
    let text = format!(
        "{}\nidle:\n{}while iperf3 was running:\n{}",
        crate::alike::log(40_000, &rows, 600.0),
        ping("38.000/51.400/90.000/12.975"),
        ping("170.000/264.500/420.000/66.519")
    );
    let flow = crate::first(&text);
    assert!(
        !flow.verdict.cause.ends_with("_loss"),
        "{:#?}",
        flow.verdict
    );
    let why = crate::because(&flow);
    let said = "the rate went up and down between 8.10 Mbit/s and 33.0 Mbit/s";
    assert!(why.contains(said), "{why}");
    let asked = crate::asked(&flow);
    assert!(asked.contains(&"radio_signal"), "{asked:?}");
}

/// What a radio link receives by holds what comes in, and what it sends by what goes out, though nothing names the host.
#[test]
fn a_radio_links_rate_is_that_of_the_tests_way() {
    let of_way = |option: &str, rate: &str| {
        let text = format!(
            "$ iw dev wlan0 link\nConnected to 02:00:00:00:00:01 (on wlan0)\n\tsignal: -79 dBm\n\trx bitrate: 13.0 MBit/s MCS 1\n\ttx bitrate: 6.5 MBit/s MCS 0\n$ iperf3 -c 10.12.0.10 {option}-t 5\n[ ID] Interval           Transfer     Bitrate         Retr\n[  5]   0.00-5.00   sec  4.01 MBytes  {rate} Mbits/sec   61             sender\n[  5]   0.00-5.00   sec  3.68 MBytes  {rate} Mbits/sec                  receiver\n"
        );
        let d = of(&text, &Known::default());
        assert!(d.contradictions.is_empty(), "{:?}", d.contradictions);
        let flow = first_flow(d);
        let link = flow.ceilings.iter().find(|c| c.cause == "link");
        link.expect("a link").limit_bps
    };
    // Seven tenths of 13.0 and of 6.5 Mbit/s, 0.941 to 0.95 of it payload.
    let (down, up) = (of_way("-R ", "6.17"), of_way("", "3.17"));
    assert!((down / 8.6e6 - 1.0).abs() < 0.02, "{down}");
    assert!((up / 4.3e6 - 1.0).abs() < 0.02, "{up}");
}
