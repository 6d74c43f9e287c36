//! Tests that stand a tenth below what their line leaves, without a loss: a full line leaves all of it.

use farpath_diagnose::FlowReport;

use crate::{alike, because, first_flow, of, on};

/// Ten seconds at so many Mbit/s over 90 ms on a line of 1 Gbit/s, which leaves 941; `then` is printed by the sender.
fn flow(mbit: f64, then: &str) -> FlowReport {
    let rows: Vec<(f64, u32)> = (0..10).map(|n| (mbit + f64::from(n % 2), 0)).collect();
    let log = alike::log(45_678, &rows, 18_432.0);
    let text = format!(
        "[noc@ps1 ~]$ iperf3 -c 198.51.100.2 -t 10\n{log}\n[noc@ps1 ~]$ ping -c 5 -q 198.51.100.2\n--- 198.51.100.2 ping statistics ---\n5 packets transmitted, 5 received, 0% packet loss, time 4005ms\nrtt min/avg/max/mdev = 90.100/90.120/90.200/0.040 ms\n\n{then}"
    );
    first_flow(of(&text, &on("1 Gbit/s")))
}

#[test]
fn what_stands_below_its_line_is_not_surely_the_line() {
    let sure = |mbit: f64| {
        let verdict = flow(mbit, "").verdict;
        match verdict.cause == "link" {
            true => verdict.confidence,
            false => 0.0,
        }
    };
    assert!(sure(940.0) > 0.9);
    assert!(sure(858.0) < 0.6);
    assert!(sure(830.0) < 0.01);
    let flow = flow(858.0, "");
    let why = because(&flow);
    assert!(why.contains("a full line leaves all of it"), "{why}");
    assert!(!why.contains("take the rest"), "{why}");
    assert!(!flow.missing.is_empty());
}

/// One processor has no time left beside another that is idle.
#[test]
fn a_full_processor_counts_beside_a_line_that_is_not_full() {
    let table = "[noc@ps1 ~]$ mpstat -P ALL 5 1 | tail -4
Average:     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle
Average:     all    2.40    0.00   20.30    0.00    0.00    2.30    0.00    0.00    0.00   75.00
Average:       0    8.00    0.00   91.90    0.00    0.00    0.10    0.00    0.00    0.00    0.00
Average:       1    0.10    0.00    0.20    0.00    0.00    9.00    0.00    0.00    0.00   90.70
";
    let flow = flow(858.0, table);
    assert_eq!(flow.verdict.cause, "host_cpu", "{:#?}", flow.verdict);
}
