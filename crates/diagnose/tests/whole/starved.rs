//! Interfaces that drop beside a processor full of soft interrupts.

use crate::{because, first};

const LOG: &str = "snd$ iperf3 -c rx1 -t 4
Connecting to host rx1, port 5201
[  5] local 10.7.0.1 port 53210 connected to 10.7.0.2 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-1.00   sec   371 MBytes  3.11 Gbits/sec  911    313 KBytes
[  5]   1.00-2.00   sec   362 MBytes  3.04 Gbits/sec  877    288 KBytes
[  5]   2.00-3.00   sec   378 MBytes  3.17 Gbits/sec  901    330 KBytes
[  5]   3.00-4.00   sec   360 MBytes  3.02 Gbits/sec  931    301 KBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-4.00   sec  1.44 GBytes  3.09 Gbits/sec 3620             sender
[  5]   0.00-4.00   sec  1.44 GBytes  3.08 Gbits/sec                  receiver
rx1$ ethtool -S eth0 | grep -E 'rx_missed|rx_no_buffer'
     rx_missed_errors: 88120
     rx_no_buffer_count: 0
rx1$ ethtool -S eth0 | grep -E 'rx_missed|rx_no_buffer'
     rx_missed_errors: 91740
     rx_no_buffer_count: 0
";

fn mpstat(soft: f64, idle: f64) -> String {
    format!(
        "rx1$ mpstat -P ALL 2 1
12:01:10     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle
12:01:12       0    0.00    0.00    0.00    0.00    0.00   {soft:.2}    0.00    0.00    0.00   {idle:.2}
12:01:12       1    0.00    0.00   12.00    0.00    0.00    0.00    0.00    0.00    0.00   88.00
"
    )
}

fn offload(gro: &str) -> String {
    format!(
        "rx1$ ethtool -k eth0 | grep -E 'generic-receive|large-receive'\ngeneric-receive-offload: {gro}\nlarge-receive-offload: off\n"
    )
}

/// As many were dropped as were sent again, and one processor does nothing but receive: it is changed first, by what the text shows off.
#[test]
fn drops_beside_a_full_processor_are_that_processors() {
    for (gro, begins) in [("off", "ethtool -K eth0 gro on"), ("on", "grep eth0")] {
        let flow = first(&format!("{LOG}{}{}", mpstat(100.0, 0.0), offload(gro)));
        assert_eq!(flow.verdict.cause, "host_cpu", "{:#?}", flow.verdict);
        let why = because(&flow);
        assert!(why.contains("a longer ring only delays that"), "{why}");
        let change = &flow.changes[0];
        assert!(change.commands[0].starts_with(begins), "{change:#?}");
        let ring = |c: &String| c.contains("ethtool -G");
        assert!(!change.commands.iter().any(ring), "{change:#?}");
    }
    // A processor with time left has not dropped them.
    let flow = first(&format!("{LOG}{}", mpstat(40.0, 60.0)));
    assert_eq!(flow.verdict.cause, "nic", "{:#?}", flow.verdict);
}
