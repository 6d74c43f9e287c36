//! Links that went down and came up.

use crate::counters::lossy;
use crate::{because, of_files, on};

/// What is said of a flow beside a receiver's text, all of whose lines are read.
fn of(receiver: &str) -> (String, String) {
    let sender = lossy(190);
    let files = [("sender.txt", sender.as_str()), ("receiver.txt", receiver)];
    let d = of_files(&files, &on("25 Gbit/s"));
    let unread: usize = d.read.iter().map(|r| r.ignored_lines.len()).sum();
    assert_eq!(unread, 0, "{:#?}", d.read);
    (because(&d.flows[0]), d.notes.join("\n"))
}

fn link(changes: u32) -> String {
    format!(
        "[ams ~]$ ip -s -s link show ens1f0np0
3: ens1f0np0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP mode DEFAULT group default qlen 1000
    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff
    RX:  bytes packets errors dropped  missed   mcast
    741713980576 512233412 0 0 0 120
    RX errors:  length    crc   frame    fifo overrun
                     0      0       0       0       0
    TX:  bytes packets errors dropped carrier collsns
    410000000 5400000 0 0 0 0
    TX errors: aborted   fifo  window heartbt transns
                     0      0       0       0       {changes}
"
    )
}

fn file(changes: u32) -> String {
    format!("[ams ~]$ cat /sys/class/net/ens1f0np0/carrier_changes\n{changes}\n")
}

#[test]
fn a_link_that_changed_between_readings_is_said() {
    let said = "the link of ens1f0np0 went down or came up 2 times from one reading to the next";
    for reading in [link, file] {
        let (why, _) = of(&(reading(3) + &reading(5)));
        assert!(why.contains(said), "{why}");
        // Every link came up once: a single reading says nothing.
        let (why, _) = of(&reading(5));
        assert!(!why.contains("went down or came up"), "{why}");
    }
}

#[test]
fn a_kernel_and_a_router_say_that_a_link_went() {
    let log = "[ams ~]$ dmesg | tail -2
[8123411.120034] ixgbe 0000:01:00.0 ens1f0np0: NIC Link is Down
";
    let (_, notes) = of(log);
    assert!(notes.contains("NIC Link is Down: what was sent"), "{notes}");
    let router = "n9k1# show interface ethernet1/48
Ethernet1/48 is up
admin state is up, Dedicated Interface
  MTU 1500 bytes, BW 10000000 Kbit, DLY 10 usec
  full-duplex, 10 Gb/s, media type is 10G
  Last link flapped 00:03:12
";
    let (_, notes) = of(router);
    let said = "the link of Ethernet1/48 of n9k1 went down or came up 00:03:12 before";
    assert!(notes.contains(said), "{notes}");
}
