//! The same test with CUBIC and with BBR: each has its own control, and what both lost and had in flight says what holds the slow one.

use farpath_diagnose::{Diagnosis, FlowReport};

use crate::{asked, because, of, on};

/// Ten seconds of iperf3 at these rates, Mbit/s, with what was sent again.
fn test(control: &str, port: u16, seconds: [(f64, u32); 10]) -> String {
    let mut text = format!(
        "$ iperf3 -c ps9.example -t 10 -C {control}\nConnecting to host ps9.example, port 5201\n[  5] local 192.0.2.10 port {port} connected to 198.51.100.20 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n"
    );
    let mut sum = (0.0, 0);
    for (n, (mbit, again)) in seconds.into_iter().enumerate() {
        sum = (sum.0 + mbit, sum.1 + again);
        let bytes = mbit / 8.388_608;
        text += &format!(
            "[  5]   {n}.00-{}.00   sec  {bytes:.2} MBytes  {mbit:.2} Mbits/sec   {again}   {:.1} KBytes\n",
            n + 1,
            mbit * 11.0
        );
    }
    let (mbit, again) = (sum.0 / 10.0, sum.1);
    let bytes = sum.0 / 8.388_608;
    text + &format!(
        "- - - - -\n[ ID] Interval           Transfer     Bitrate         Retr\n[  5]   0.00-10.00  sec  {bytes:.1} MBytes  {mbit:.2} Mbits/sec   {again}             sender\n[  5]   0.00-10.04  sec  {bytes:.1} MBytes  {mbit:.2} Mbits/sec                  receiver\n\niperf Done.\n\n"
    )
}

const PING: &str = "$ ping -c 5 -q ps9.example
PING ps9.example (198.51.100.20) 56(84) bytes of data.

--- ps9.example ping statistics ---
5 packets transmitted, 5 received, 0% packet loss, time 4005ms
rtt min/avg/max/mdev = 90.100/90.120/90.200/0.040 ms
";

/// CUBIC gets 8.5 Mbit/s over 90 ms with 8 segments sent again.
fn cubic() -> String {
    let seconds = [
        (24.0, 2),
        (8.1, 1),
        (6.2, 0),
        (7.3, 1),
        (5.9, 1),
        (6.6, 0),
        (7.4, 1),
        (5.7, 1),
        (6.8, 0),
        (7.1, 1),
    ];
    test("cubic", 45_678, seconds)
}

/// BBR gets 871 Mbit/s, with as large a share.
fn bbr() -> String {
    let mut seconds = [(909.0, 78); 10];
    seconds[0] = (610.0, 61);
    test("bbr", 45_690, seconds)
}

/// The slow flow of a diagnosis.
fn slow(d: &Diagnosis) -> &FlowReport {
    let is_it = |f: &&FlowReport| f.observed.goodput_bps.is_some_and(|bps| bps < 20e6);
    d.flows.iter().find(is_it).expect("CUBIC's")
}

#[test]
fn a_faster_test_with_bbr_does_not_hide_chance() {
    let alone = of(&format!("{}{PING}", cubic()), &on("1 Gbit/s"));
    assert_eq!(slow(&alone).verdict.cause, "random_loss");
    for text in [
        format!("{}{}{PING}", cubic(), bbr()),
        format!("{}{}{PING}", bbr(), cubic()),
    ] {
        let d = of(&text, &on("1 Gbit/s"));
        let flow = slow(&d);
        assert_eq!(flow.verdict.cause, "random_loss", "{:#?}", flow.verdict);
        let why = because(flow);
        assert!(
            why.contains("with BBR a test between the same hosts got"),
            "{why}"
        );
        // The law is of its own control.
        let law = flow.ceilings.iter().find(|c| c.cause == "random_loss");
        assert!(law.is_some_and(|c| c.formula.starts_with("cubic at a loss")));
        let asks = asked(flow);
        for room in ["receive_window_bytes", "send_buffer_bytes"] {
            assert!(!asks.contains(&room), "{asks:?}");
        }
    }
}

/// What one test had in flight that asked for no buffer, windows and buffers of the same hosts let through.
#[test]
fn nobody_is_asked_for_buffers_that_another_test_shows_to_be_large() {
    let level = |mbit: f64, port: u16| test("cubic", port, [(mbit, 0); 10]);
    let slow_one = level(19.0, 45_678);
    let d = of(&format!("{slow_one}{PING}"), &on("1 Gbit/s"));
    assert!(asked(slow(&d)).contains(&"receive_window_bytes"));
    let d = of(
        &format!("{slow_one}{}{PING}", level(700.0, 45_690)),
        &on("1 Gbit/s"),
    );
    let asks = asked(slow(&d));
    assert!(!asks.contains(&"receive_window_bytes"), "{asks:?}");
    assert!(!asks.contains(&"send_buffer_bytes"), "{asks:?}");
}

/// Two hosts whose controls `sysctl -n` prints bare: what chance takes of both is neither a policer's nor a full line's.
#[test]
fn a_faster_host_with_bbr_shows_chance_too() {
    let rates = [15.7, 9.44, 8.39, 8.39, 9.44, 7.34, 8.39, 9.44, 7.34, 8.39];
    let again = [4, 0, 2, 1, 0, 2, 1, 0, 2, 1];
    let mut text = "hosta$ sysctl -n net.ipv4.tcp_congestion_control\nbbr\nhosta$ iperf3 -c jnb1 -t 10 | grep -E 'sender|receiver'\n[  5]   0.00-10.00  sec   580 MBytes   487 Mbits/sec  411             sender\n[  5]   0.00-10.17  sec   571 MBytes   471 Mbits/sec                  receiver\nhostb$ sysctl -n net.ipv4.tcp_congestion_control\ncubic\nhostb$ iperf3 -c jnb1 -t 10\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n".to_owned();
    for (n, (mbit, again)) in rates.into_iter().zip(again).enumerate() {
        text += &format!(
            "[  5]   {n}.00-{}.00   sec  1.00 MBytes  {mbit:.2} Mbits/sec    {again}    180 KBytes\n",
            n + 1
        );
    }
    text += "[ ID] Interval           Transfer     Bitrate         Retr\n[  5]   0.00-10.00  sec  11.0 MBytes  9.23 Mbits/sec   13             sender\n[  5]   0.00-10.17  sec  10.6 MBytes  8.74 Mbits/sec                  receiver\nhostb$ ping -c 100 -i 0.2 -q jnb1\nPING jnb1 (192.0.2.1) 56(84) bytes of data.\n--- jnb1 ping statistics ---\n100 packets transmitted, 100 received, 0% packet loss, time 19911ms\nrtt min/avg/max/mdev = 169.811/170.012/170.400/0.101 ms\n";
    let d = of(&text, &farpath_diagnose::Known::default());
    let flow = slow(&d);
    assert_eq!(flow.verdict.cause, "random_loss", "{:#?}", flow.verdict);
    let why = because(flow);
    assert!(
        why.contains("with BBR a test of another host to the same one"),
        "{why}"
    );
    // Where the other host has the same control it shows nothing of the kind.
    let same = of(
        &text.replace("\nbbr\n", "\ncubic\n"),
        &farpath_diagnose::Known::default(),
    );
    assert!(
        !because(slow(&same)).contains("with BBR"),
        "{}",
        because(slow(&same))
    );
}
