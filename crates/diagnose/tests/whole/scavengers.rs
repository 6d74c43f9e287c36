//! Tests whose packets are marked for a class that gets what others leave.

use farpath_diagnose::Known;

use crate::{asked, because, first_flow, of};

#[test]
fn a_test_of_a_lower_class_is_to_be_made_again_without_its_mark() {
    let rows = [(6.2, 3), (5.1, 2), (7.4, 0), (4.8, 4), (6.6, 1), (5.5, 2)];
    let log = crate::alike::log(40000, &rows, 90.0);
    let of = |options: &str| {
        let typed = format!("$ iperf3 -c 198.51.100.2 -t 6 {options}\n");
        first_flow(of(&(typed + &log), &Known::default()))
    };
    for (options, class) in [
        ("-S 32", "DSCP 8 (CS1)"),
        ("--tos=0x20", "DSCP 8 (CS1)"),
        ("--dscp cs1", "DSCP 8 (CS1)"),
        ("--dscp le", "DSCP 1 (LE)"),
    ] {
        let flow = of(options);
        let why = because(&flow);
        assert!(why.contains(class), "{options}: {why}");
        assert!(asked(&flow).contains(&"unmarked_rate"), "{options}");
    }
    for options in ["", "-S 0xb8"] {
        let flow = of(options);
        assert!(!because(&flow).contains("DSCP"), "{}", because(&flow));
        assert!(!asked(&flow).contains(&"unmarked_rate"), "{options}");
    }
}

/// The same hosts, first with the mark and then without: it was a short queue, 60 %, and the second test was asked for.
#[test]
fn a_test_without_the_mark_shows_what_the_class_leaves() {
    let test = |options: &str, port: u32, rows: [(f64, u32); 4]| {
        let mut text = format!(
            "[ops@dtn2 ~]$ iperf3 -c 192.0.2.200 -t 8 -i 2{options}\n[  5] local 198.51.100.22 port {port} connected to 192.0.2.200 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n"
        );
        for (n, (mbit, again)) in (0_u32..).zip(rows) {
            let mbytes = mbit * 2.0 / 8.388_608;
            text += &format!(
                "[  5]   {}.00-{}.00   sec  {mbytes:.1} MBytes  {mbit:.1} Mbits/sec  {again}   90.0 KBytes\n",
                2 * n,
                2 * n + 2
            );
        }
        let mean = rows.iter().map(|r| r.0).sum::<f64>() / 4.0;
        let again: u32 = rows.iter().map(|r| r.1).sum();
        let all = mean * 8.0 / 8.388_608;
        text + &format!(
            "[  5]   0.00-8.00  sec  {all:.1} MBytes  {mean:.1} Mbits/sec  {again}             sender\n[  5]   0.00-8.02  sec  {all:.1} MBytes  {mean:.1} Mbits/sec                  receiver\n"
        )
    };
    let marked = [(67.5, 81), (52.0, 49), (50.3, 44), (52.8, 51)];
    let fast = [(2840.0, 2), (2850.0, 0), (2830.0, 3), (2840.0, 1)];
    let ping = "[ops@dtn2 ~]$ ping -q -c 10 192.0.2.200\nPING 192.0.2.200 (192.0.2.200) 56(84) bytes of data.\n--- 192.0.2.200 ping statistics ---\n10 packets transmitted, 10 received, 0% packet loss, time 9013ms\nrtt min/avg/max/mdev = 12.010/12.230/12.911/0.210 ms\n";
    let text = test(" --dscp cs1", 50990, marked) + &test("", 51002, fast) + ping;
    let flow = first_flow(of(&text, &Known::default()));
    assert_eq!(flow.verdict.cause, "cross_traffic", "{:#?}", flow.verdict);
    let why = because(&flow);
    assert!(
        why.contains("without that mark the same hosts got"),
        "{why}"
    );
    assert!(!asked(&flow).contains(&"unmarked_rate"));
    let all = crate::commands(&flow);
    assert!(all.contains("transmit-rate of its scheduler"), "{all}");
    assert!(!all.contains("root fq"), "{all}");
    // Both with the mark say nothing of the path without it.
    let text = test(" --dscp cs1", 50990, marked) + &test(" --dscp cs1", 51002, fast) + ping;
    let flow = first_flow(of(&text, &Known::default()));
    assert!(asked(&flow).contains(&"unmarked_rate"));
}
