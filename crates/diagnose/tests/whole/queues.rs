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

/// One `fq` at the root would make all queues wait for one lock: each queue gets its own, and the kernel's `mq` comes back.
#[test]
fn what_each_queue_has_is_replaced_queue_by_queue() {
    for sender in [
        "4: ens1f0np0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 9000 qdisc mq state UP mode DEFAULT group default qlen 1000\n$ sysctl net.core.default_qdisc\nnet.core.default_qdisc = fq\n",
        // The same of what tc prints, children of the root behind it.
        "$ tc qdisc show dev ens1f0np0\nqdisc mq 8001: root\nqdisc fq 0: parent 8001:2 limit 10000p\nqdisc fq 0: parent 8001:1 limit 10000p\n",
    ] {
        let flow = policed(sender);
        assert_eq!(flow.verdict.cause, "policer", "{:#?}", flow.verdict);
        let change = &flow.changes[0];
        let commands = change.commands.join("\n");
        for words in [
            "tc qdisc show dev ens1f0np0",
            "tc qdisc replace dev ens1f0np0 root handle 100: mq",
            "tc qdisc replace dev ens1f0np0 parent 100:1 fq maxrate ",
        ] {
            assert!(commands.contains(words), "{words}: {commands}");
        }
        assert!(!commands.contains(" root fq"), "{commands}");
        assert!(
            change.undo[0].starts_with("tc qdisc del dev ens1f0np0 root, "),
            "{change:#?}"
        );
        assert!(
            change.risk.contains("what stands below the mq is deleted"),
            "{change:#?}"
        );
        assert!(!change.risk.contains("several queues"), "{change:#?}");
    }
}

/// To replace an `fq` with a rate by one without leaves the rate: it is taken away first.
#[test]
fn one_fq_at_the_root_comes_back_without_the_rate() {
    let flow =
        policed("$ tc qdisc show dev ens1f0np0\nqdisc fq 8001: root refcnt 2 limit 10000p\n");
    let change = &flow.changes[0];
    assert_eq!(
        change.undo[0], "tc qdisc del dev ens1f0np0 root",
        "{change:#?}"
    );
    assert!(
        change.undo[1].starts_with("tc qdisc add dev ens1f0np0 root fq, "),
        "{change:#?}"
    );
    assert!(!change.risk.contains("several queues"), "{change:#?}");
}

/// What stands at the root is in no text, and the line is fast: what is deleted there, and what one `fq` for all queues costs, is said.
#[test]
fn what_an_unknown_root_loses_is_said() {
    let flow = policed("net.ipv4.tcp_congestion_control = cubic\n");
    let change = &flow.changes[0];
    let commands = change.commands.join("\n");
    let shown = commands.find("tc qdisc show dev INTERFACE, and keep what it prints: ");
    let replaced = commands.find("tc qdisc replace dev INTERFACE root fq maxrate ");
    assert!(shown.is_some() && shown < replaced, "{commands}");
    for words in [
        "an htb with its classes or an mq with its queues",
        "one fq in front of an interface with several queues",
    ] {
        assert!(change.risk.contains(words), "{words}: {change:#?}");
    }
}
