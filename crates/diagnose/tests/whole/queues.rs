//! Queueing disciplines of interfaces with several queues: what paces there, how it is undone, and what one for all of them costs.

use farpath_diagnose::FlowReport;

use crate::{of_files, on};

/// A policed sender: what passes is flat, and more is lost; its interface has this queueing discipline.
fn policed(sender: &str) -> FlowReport {
    let mut rows = String::from(
        "Connecting to host 203.0.113.20, port 5201\n[  5] local 198.51.100.10 port 41822 connected to 203.0.113.20 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n",
    );
    for n in 0..10 {
        rows += &format!(
            "[  5]   {n}.00-{}.00   sec   124 MBytes  1.04 Gbits/sec  {}   2.6 MBytes\n",
            n + 1,
            700 + 13 * (n % 3)
        );
    }
    rows += "[  5]   0.00-10.00  sec  1.21 GBytes  1.04 Gbits/sec  7100             sender
[  5]   0.00-10.04  sec  1.20 GBytes  1.03 Gbits/sec                  receiver
PING 203.0.113.20 (203.0.113.20) 56(84) bytes of data.
--- 203.0.113.20 ping statistics ---
20 packets transmitted, 20 received, 0% packet loss, time 19026ms
rtt min/avg/max/mdev = 12.011/12.064/12.213/0.048 ms
$ iperf3 -c 203.0.113.20 -u -b 5G -l 8900 -t 10
Connecting to host 203.0.113.20, port 5201
[  5] local 198.51.100.10 port 42118 connected to 203.0.113.20 port 5201
[ ID] Interval           Transfer     Bitrate         Total Datagrams
[  5]   0.00-10.00  sec  5.82 GBytes  5.00 Gbits/sec  702247
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams
[  5]   0.00-10.00  sec  5.82 GBytes  5.00 Gbits/sec  0.000 ms  0/702247 (0%)  sender
[  5]   0.00-10.09  sec  1.41 GBytes  1.20 Gbits/sec  0.012 ms  532145/702247 (76%)  receiver
";
    let known = on("40 Gbit/s");
    let d = of_files(&[("ticket.txt", &rows), ("sender.txt", sender)], &known);
    d.flows.into_iter().next().expect("there is one")
}

#[test]
fn fq_at_the_root_is_undone_by_taking_it_away_where_it_was_mq() {
    let flow = policed(
        "4: ens1f0np0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 9000 qdisc mq state UP mode DEFAULT group default qlen 1000\n$ sysctl net.core.default_qdisc\nnet.core.default_qdisc = fq\n",
    );
    assert_eq!(flow.verdict.cause, "policer", "{:#?}", flow.verdict);
    let change = &flow.changes[0];
    assert!(
        change
            .commands
            .iter()
            .any(|c| c.contains(" root fq maxrate ")),
        "{change:#?}"
    );
    assert_eq!(
        change.undo,
        ["tc qdisc del dev ens1f0np0 root"],
        "{change:#?}"
    );
    assert!(
        change
            .risk
            .contains("one fq in front of an interface with several queues"),
        "{change:#?}"
    );
    // The same of what tc prints, children of the root behind it.
    let flow = policed(
        "$ tc qdisc show dev ens1f0np0\nqdisc mq 8001: root\nqdisc fq 0: parent 8001:2 limit 10000p\nqdisc fq 0: parent 8001:1 limit 10000p\n",
    );
    let change = &flow.changes[0];
    assert_eq!(
        change.undo,
        ["tc qdisc del dev ens1f0np0 root"],
        "{change:#?}"
    );
    // One fq that stands at the root comes back as it was.
    let flow =
        policed("$ tc qdisc show dev ens1f0np0\nqdisc fq 8001: root refcnt 2 limit 10000p\n");
    let change = &flow.changes[0];
    assert_eq!(
        change.undo,
        ["tc qdisc replace dev ens1f0np0 root fq"],
        "{change:#?}"
    );
    assert!(!change.risk.contains("several queues"), "{change:#?}");
}
