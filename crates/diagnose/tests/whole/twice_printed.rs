//! Counters of a port that a text has twice: as rows of a table before and after a test, and in the port's own printout.

use crate::counters::lossy;
use crate::ports::ios;
use crate::{because, of_files, on};

/// `show interfaces counters errors`, where the port counts so many damaged frames.
fn table(damaged: u64) -> String {
    format!(
        "cr2-ams#show interfaces counters errors
Port        Align-Err     FCS-Err    Xmit-Err     Rcv-Err  UnderSize  OutDiscards
Te0/1/0             0        {damaged}           0        {damaged}          0            0
"
    )
}

#[test]
fn a_ports_own_printout_hides_no_growth_that_a_table_shows() {
    let sender = lossy(190);
    let tables = table(9000) + &table(9190);
    let own = ios(118_277_366, 9190);
    for router in [
        tables.clone(),
        format!("{tables}{own}"),
        format!("{}{own}{}", table(9000), table(9190)),
        format!("{}{tables}", ios(118_277_366, 9000)),
    ] {
        let d = of_files(
            &[("sender.txt", &sender), ("router.txt", &router)],
            &on("25 Gbit/s"),
        );
        let flow = &d.flows[0];
        assert_eq!(flow.verdict.cause, "random_loss", "{:#?}", flow.verdict);
        let why = because(flow);
        let said = "190 frames arrived damaged from one reading to the next";
        assert!(why.contains(said), "{router}{why}");
    }
}

/// 87 segments sent again over 20 ms.
const TEST: &str = "[noc@ps1 ~]$ iperf3 -c far.example -t 10
Connecting to host far.example, port 5201
[  5] local 192.0.2.10 port 45678 connected to 198.51.100.20 port 5201
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00  sec  52.9 MBytes  44.4 Mbits/sec   87             sender
[  5]   0.00-10.04  sec  52.8 MBytes  44.2 Mbits/sec                  receiver

iperf Done.
";

/// The port by itself before the test, the table after it.
#[test]
fn two_forms_are_compared_where_a_test_stands_between_them() {
    let text = format!("{}{TEST}{}", ios(118_277_366, 9000), table(9087));
    let d = of_files(&[("all.txt", &text)], &on("1 Gbit/s"));
    let why = because(&d.flows[0]);
    let said = "87 frames arrived damaged from one reading to the next";
    assert!(why.contains(said), "{why}");
    let text = format!("{TEST}{}{}", ios(118_277_366, 9000), table(9087));
    let d = of_files(&[("all.txt", &text)], &on("1 Gbit/s"));
    let why = because(&d.flows[0]);
    assert!(!why.contains("from one reading to the next"), "{why}");
}
