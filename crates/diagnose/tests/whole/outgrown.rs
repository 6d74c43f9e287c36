//! Slow access lines that are full of a flow whose congestion window goes on growing: neither a window nor a buffer holds it.

use crate::{asked_with, because, first};

/// Seconds of `iperf3` at this rate after a first one that is faster, Mbit/s, with the congestion window of each in KBytes.
fn log(first: f64, mbit: f64, windows: &[u32; 10]) -> String {
    let mut all = "$ iperf3 -c 203.0.113.9 -t 10\nConnecting to host 203.0.113.9, port 5201\n[  5] local 192.168.178.22 port 47312 connected to 203.0.113.9 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n".to_owned();
    let size = |mbit: f64| mbit / 8.388_608;
    for (n, window) in windows.iter().enumerate() {
        let mbit = if n == 0 { first } else { mbit };
        all += &format!(
            "[  5]  {n:>2}.00-{}.00  sec  {:.2} MBytes  {mbit:.2} Mbits/sec    0   {window} KBytes\n",
            n + 1,
            size(mbit)
        );
    }
    let mean = (first + 9.0 * mbit) / 10.0;
    let bytes = size(10.0 * mean);
    all + &format!(
        "- - - - -\n[ ID] Interval           Transfer     Bitrate         Retr\n[  5]   0.00-10.00 sec  {bytes:.1} MBytes  {mean:.2} Mbits/sec    0             sender\n[  5]   0.00-10.04 sec  {bytes:.1} MBytes  {mean:.2} Mbits/sec                  receiver\n\niperf Done.\n"
    )
}

fn ping(ms: f64) -> String {
    format!(
        "$ ping -c 4 203.0.113.9\nPING 203.0.113.9 (203.0.113.9) 56(84) bytes of data.\n\n--- 203.0.113.9 ping statistics ---\n4 packets transmitted, 4 received, 0% packet loss, time 3004ms\nrtt min/avg/max/mdev = {:.3}/{ms:.3}/{:.3}/0.071 ms\n\n",
        ms - 0.1,
        ms + 0.1
    )
}

/// 9.54 Mbit/s over 18 ms need 22 kB, which a window or buffer of an old host would leave; 246 kB are in flight.
#[test]
fn a_window_that_still_grows_is_not_held_by_a_small_one_of_a_host() {
    let slow = [90, 140, 171, 190, 205, 214, 222, 230, 236, 240];
    let faster = [220, 480, 620, 710, 790, 860, 910, 960, 1004, 1044];
    for (start, mbit, windows, ms) in [(10.9, 9.54, &slow, 18.1), (23.3, 19.0, &faster, 12.3)] {
        let flow = first(&(ping(ms) + &log(start, mbit, windows)));
        let full = ["link", "shaper"].contains(&flow.verdict.cause);
        assert!(full, "{:#?}", flow.verdict);
        let why = because(&flow);
        assert!(why.contains("stands in a queue of up to"), "{why}");
        let second = flow.verdict.second.as_ref().map_or("", |s| s.cause);
        assert!(!["receive_window", "send_buffer"].contains(&second));
        let asked = asked_with(&flow, "rtt_loaded_ns").expect("a ping under load");
        assert!(asked.starts_with("ping "), "{asked}");
    }
}

/// Slow start left it far above what a window of 64 kB lets be in flight, and there it stands: nothing fills a queue.
#[test]
fn a_window_that_stands_says_nothing_of_a_queue() {
    let flow = first(&(ping(45.0) + &log(9.0, 11.6, &[610; 10])));
    let why = because(&flow);
    assert!(!why.contains("stands in a queue"), "{why}");
    assert!(asked_with(&flow, "rtt_loaded_ns").is_none(), "{flow:#?}");
}

/// 4770 bytes in a round trip: hosts come with ten times as much, so that no window is named unseen.
#[test]
fn a_window_smaller_than_hosts_have_is_no_verdict() {
    let flow = first(&(ping(8.0) + &log(4.77, 4.77, &[120; 10])));
    let cause = flow.verdict.cause;
    let rooms = ["receive_window", "send_buffer"];
    assert!(!rooms.contains(&cause), "{:#?}", flow.verdict);
}

/// 50 Mbit/s whose queue holds what slow start overran, and then what a window grows to between two losses: 118 kB are on their way.
#[test]
fn a_full_line_whose_queue_drops_some_is_no_policer() {
    let rows = [
        (51.4, 61, 231),
        (47.2, 0, 180),
        (47.0, 0, 201),
        (47.1, 0, 219),
        (47.0, 2, 164),
        (47.1, 0, 187),
        (47.0, 0, 208),
        (47.2, 0, 225),
        (47.0, 2, 170),
        (47.1, 0, 190),
    ];
    let mut text = ping(20.0)
        + "$ iperf3 -c 203.0.113.9 -t 10\nConnecting to host 203.0.113.9, port 5201\n[  5] local 192.168.178.22 port 47312 connected to 203.0.113.9 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n";
    for (n, (mbit, again, window)) in rows.iter().enumerate() {
        text += &format!(
            "[  5]  {n:>2}.00-{}.00  sec  {:.2} MBytes  {mbit:.1} Mbits/sec  {again:>3}   {window} KBytes\n",
            n + 1,
            mbit / 8.388_608
        );
    }
    text += "- - - - -\n[ ID] Interval           Transfer     Bitrate         Retr\n[  5]   0.00-10.00 sec  56.6 MBytes  47.5 Mbits/sec   65             sender\n[  5]   0.00-10.02 sec  56.6 MBytes  47.1 Mbits/sec                  receiver\n\niperf Done.\n";
    let flow = first(&text);
    let full = ["link", "shaper"].contains(&flow.verdict.cause);
    assert!(full, "{:#?}", flow.verdict);
    let why = because(&flow);
    assert!(why.contains("the queue of a full line or shaper"), "{why}");
    let second = flow.verdict.second.as_ref().map_or("", |s| s.cause);
    assert!(!["policer", "shallow_buffer"].contains(&second));
    assert!(asked_with(&flow, "rtt_loaded_ns").is_some(), "{flow:#?}");
}
