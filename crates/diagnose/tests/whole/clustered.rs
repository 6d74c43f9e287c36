//! Losses that lie together: none in whole seconds of many segments, and all in the others.

use farpath_diagnose::FlowReport;

use crate::{because, first};

/// Ten seconds on a line of 1 Gbit/s over 0.43 ms: Mbit/s, segments sent again, KBytes of the window.
fn seconds(rows: [(f64, u32, f64); 10]) -> FlowReport {
    let mut text = "p1$ ping -c 5 -q 10.44.0.2\n--- 10.44.0.2 ping statistics ---\n5 packets transmitted, 5 received, 0% packet loss, time 4004ms\nrtt min/avg/max/mdev = 0.400/0.430/0.480/0.020 ms\np1$ iperf3 -c 10.44.0.2\nConnecting to host 10.44.0.2, port 5201\n[  5] local 10.44.0.1 port 48122 connected to 10.44.0.2 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n".to_owned();
    for (n, (mbit, again, window)) in rows.iter().enumerate() {
        text += &format!(
            "[  5]  {n:>2}.00-{}.00  sec  {:.1} MBytes  {mbit:.0} Mbits/sec  {again:>4}   {window:.2} KBytes\n",
            n + 1,
            mbit / 8.388_608
        );
    }
    let mbit = rows.iter().map(|r| r.0).sum::<f64>() / 10.0;
    let again: u32 = rows.iter().map(|r| r.1).sum();
    for end in [
        format!("{again}             sender"),
        "              receiver".to_owned(),
    ] {
        text += &format!(
            "[  5]   0.00-10.00  sec  {:.0} MBytes  {mbit:.0} Mbits/sec  {end}\n",
            mbit / 0.838_860_8
        );
    }
    first(&format!(
        "{text}\niperf Done.\np1$ ethtool eth0 | grep Speed\n\tSpeed: 1000Mb/s\n"
    ))
}

const BURSTS: [(f64, u32, f64); 10] = [
    (610.0, 0, 900.0),
    (310.0, 402, 1.41),
    (120.0, 180, 30.0),
    (720.0, 0, 700.0),
    (210.0, 511, 1.41),
    (590.0, 0, 600.0),
    (80.0, 340, 1.41),
    (660.0, 0, 800.0),
    (270.0, 402, 8.0),
    (600.0, 0, 700.0),
];

/// It was "random loss", 58 %, with BBR as the remedy.
#[test]
fn losses_in_every_other_second_are_no_chance() {
    let flow = seconds(BURSTS);
    let kinds = [
        "random_loss",
        "shallow_buffer",
        "policer",
        "congestion_loss",
    ];
    assert!(!kinds.contains(&flow.verdict.cause), "{:#?}", flow.verdict);
    let why = because(&flow);
    assert!(why.contains("They come in bursts"), "{why}");
}

/// A share of each second's segments is what chance takes, and little in all says nothing.
#[test]
fn losses_in_each_second_may_be_of_chance() {
    let each = BURSTS.map(|(mbit, ..)| (mbit, (mbit / 10.0) as u32, 300.0));
    let few = BURSTS.map(|(mbit, again, window)| (mbit, again.div_ceil(200), window));
    for rows in [each, few] {
        let why = because(&seconds(rows));
        assert!(!why.contains("They come in bursts"), "{why}");
    }
}
