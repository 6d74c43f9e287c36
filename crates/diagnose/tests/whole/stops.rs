//! Times in which nothing arrived are named beside the cause.

use crate::{of, on};

/// A log of iperf3 with these rates of its seconds, Mbit/s.
fn log(rates: &[f64]) -> String {
    let mut all = "Connecting to host 198.18.0.2, port 5201\n[  6] local 198.18.0.1 port 50844 connected to 198.18.0.2 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n".to_owned();
    for (n, mbit) in rates.iter().enumerate() {
        let size = mbit / 8.388_608;
        all += &format!(
            "[  6]   {n}.00-{}.00   sec  {size:.2} MBytes  {mbit:.1} Mbits/sec    0    443 KBytes\n",
            n + 1
        );
    }
    let n = rates.len();
    let mean = rates.iter().sum::<f64>() / n as f64;
    let size = mean * n as f64 / 8.388_608;
    all + &format!(
        "[  6]   0.00-{n}.00  sec  {size:.1} MBytes  {mean:.1} Mbits/sec    3             sender\n[  6]   0.00-{n}.00  sec  {size:.1} MBytes  {mean:.1} Mbits/sec                  receiver\n"
    )
}

#[test]
fn an_outage_is_named_whatever_the_cause_is() {
    let rates = [
        17.0, 18.8, 18.7, 18.8, 18.8, 18.8, 0.0, 0.0, 18.8, 18.8, 18.7, 18.8, 18.8, 18.8,
    ];
    let d = of(&log(&rates), &on("20Mbit/s"));
    let because = d.flows[0].verdict.because.join("\n");
    assert!(
        because.contains("besides, for 2.0 s from 6.0 s on nothing arrived"),
        "{because}"
    );
    // An outage is not what begins late or ends early.
    let mut ends = rates;
    (ends[6], ends[7], ends[0], ends[13]) = (18.8, 18.8, 0.0, 0.0);
    let d = of(&log(&ends), &on("20Mbit/s"));
    let because = d.flows[0].verdict.because.join("\n");
    assert!(!because.contains("nothing arrived"), "{because}");
}
