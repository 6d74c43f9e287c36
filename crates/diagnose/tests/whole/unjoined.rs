//! A path within a site on which rate and round trip imply a small window, and a congestion window that is far above it; what holds the flow
//! is the receiver's processor, which handles each segment by itself.

use farpath_diagnose::FlowReport;

use crate::{alike, asked_with, because, commands, first_flow, of, on};

const PING: &str = "[noc@ps1 ~]$ ping -c 5 -q dtn2
PING dtn2 (198.51.100.2) 56(84) bytes of data.

--- dtn2 ping statistics ---
5 packets transmitted, 5 received, 0% packet loss, time 4005ms
rtt min/avg/max/mdev = 0.200/0.202/0.210/0.004 ms

";

/// 3.1 Gbit/s over 0.2 ms are 78 kB: so many KBytes of congestion window, and what the receiver prints.
fn flow(cwnd: f64, receiver: &str) -> FlowReport {
    let rows: Vec<(f64, u32)> = (0..10)
        .map(|n| (3095.0 + 5.0 * f64::from(n % 3), 0))
        .collect();
    let log = alike::log(45_678, &rows, cwnd)
        .replace("Connecting to host 198.51.100.2", "Connecting to host dtn2");
    let text = format!("[noc@ps1 ~]$ iperf3 -c dtn2 -t 10\n{log}\n{PING}{receiver}");
    first_flow(of(&text, &on("10 Gbit/s")))
}

const ROOMS: [&str; 2] = ["receive_window", "send_buffer"];

#[test]
fn a_window_that_grew_far_beyond_leaves_no_small_one() {
    let large = flow(3072.0, "");
    assert!(!ROOMS.contains(&large.verdict.cause), "{large:#?}");
    let second = large.verdict.second.as_ref().map_or("", |s| s.cause);
    assert!(!ROOMS.contains(&second), "{:#?}", large.verdict);
    let why = because(&large);
    assert!(why.contains("only a window grow that is used up"), "{why}");
    let asked = asked_with(&large, "cpu_ratio").expect("processors");
    assert!(asked.contains("mpstat"), "{asked}");
    // One of the size that they imply may be held by a window as well.
    let why = because(&flow(76.0, ""));
    assert!(!why.contains("is used up"), "{why}");
}

/// 87.8 % on average, in soft interrupts, while three others are idle.
#[test]
fn a_processor_that_handles_each_segment_by_itself_is_full_before_it_shows() {
    let receiver = |gro: &str| {
        format!(
            "[root@dtn2 ~]# ethtool -k eth2 | egrep 'segmentation|receive-offload'
tcp-segmentation-offload: on
generic-segmentation-offload: on
generic-receive-offload: {gro}
large-receive-offload: off [fixed]
[root@dtn2 ~]# mpstat -P ALL 5 1 | tail -6
Average:     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle
Average:     all    0.40    0.00    9.30    0.00    0.00   21.90    0.00    0.00    0.00   68.40
Average:       0    0.00    0.00    0.20    0.00    0.00   87.60    0.00    0.00    0.00   12.20
Average:       1    1.50    0.00   36.80    0.00    0.00    0.00    0.00    0.00    0.00   61.70
Average:       2    0.00    0.00    0.10    0.00    0.00    0.00    0.00    0.00    0.00   99.90
Average:       3    0.10    0.00    0.10    0.00    0.00    0.00    0.00    0.00    0.00   99.80
"
        )
    };
    let off = flow(3072.0, &receiver("off"));
    assert_eq!(off.verdict.cause, "host_cpu", "{:#?}", off.verdict);
    let why = because(&off);
    assert!(why.contains("receive offload (GRO) is off"), "{why}");
    let said = commands(&off);
    assert!(said.contains("ethtool -K eth2 gro on"), "{said}");
    let why = because(&flow(3072.0, &receiver("on")));
    assert!(!why.contains("GRO"), "{why}");
}
