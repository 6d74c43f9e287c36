//! Files that the receiver's memory takes at first, and its disk from then on.

use farpath_diagnose::FlowReport;

use crate::{asked, because, first};

/// What `iostat` of the receiver has: kB written a second, and how busy its array is.
fn iostat(written: f64, busy: f64) -> String {
    format!(
        "x2$ iostat -x 5 2\nLinux 6.12.0 (x2) \t11/30/26 \t_x86_64_\t(16 CPU)\n\nDevice            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz     d/s     dkB/s   drqm/s  %drqm d_await dareq-sz     f/s f_await  aqu-sz  %util\nmd0              0.00      0.00     0.00   0.00    0.00     0.00  282.00 {written:.2}     0.00   0.00  310.20   512.00    0.00      0.00     0.00   0.00    0.00     0.00    0.00    0.00   87.40  {busy:.2}\n"
    )
}

/// Thirty seconds to a file of the receiver: so many of 9.41 Gbit/s, and then 1.16 Gbit/s, beside what `iostat` has.
fn copied(fast: usize, iostat: &str) -> FlowReport {
    let mut text = "x1$ ping -c 5 -q 10.33.0.2\n--- 10.33.0.2 ping statistics ---\n5 packets transmitted, 5 received, 0% packet loss, time 4004ms\nrtt min/avg/max/mdev = 1.200/1.230/1.280/0.020 ms\nx2$ iperf3 -s -F /pool/test.bin\nx1$ iperf3 -c 10.33.0.2 -t 30\nConnecting to host 10.33.0.2, port 5201\n[  5] local 10.33.0.1 port 48122 connected to 10.33.0.2 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n".to_owned();
    let gbit = |n: usize| match n < fast {
        true => 9.41,
        false => [1.12, 1.16, 1.20][n % 3],
    };
    for n in 0..30 {
        text += &format!(
            "[  5]  {n:>2}.00-{}.00  sec  {:.0} MBytes  {:.2} Gbits/sec    0   3.90 MBytes\n",
            n + 1,
            gbit(n) * 119.209,
            gbit(n)
        );
    }
    let mean = (0..30).map(gbit).sum::<f64>() / 30.0;
    for end in ["0             sender", "              receiver"] {
        text += &format!(
            "[  5]   0.00-30.00  sec  {:.2} GBytes  {mean:.2} Gbits/sec  {end}\n",
            mean * 3.4925
        );
    }
    first(&format!(
        "{text}\niperf Done.\nx1$ ethtool eth0 | grep Speed\n\tSpeed: 10000Mb/s\n{iostat}"
    ))
}

/// It was "other traffic", 54 %, and the disk was not named: its rate was held against the mean, 3.6 Gbit/s.
#[test]
fn what_lasts_behind_the_page_cache_is_the_disks() {
    for fast in [9, 2, 0] {
        let flow = copied(fast, &iostat(144_384.0, 99.9));
        assert_eq!(flow.verdict.cause, "disk", "{fast} {:#?}", flow.verdict);
        let why = because(&flow);
        assert!(why.contains("disk was busy for 100 %"), "{fast} {why}");
        assert_eq!(why.contains("the rate stepped from"), fast > 0, "{why}");
    }
}

#[test]
fn a_disk_that_rests_or_that_nobody_saw_is_not_named() {
    let flow = copied(9, &iostat(144_384.0, 31.0));
    assert_ne!(flow.verdict.cause, "disk", "{:#?}", flow.verdict);
    let flow = copied(9, "");
    assert_eq!(flow.verdict.cause, "unknown", "{:#?}", flow.verdict);
    assert!(asked(&flow).contains(&"disk_busy_ratio"), "{flow:#?}");
}
