//! Interfaces that were read twice and show nothing wrong, where nobody complains.

use crate::{asked, because, first};

/// Two readings, between which three million frames came and so many were dropped.
fn text(dropped: u32) -> String {
    let reading = |packets: u64, dropped: u32| {
        format!(
            "6: bond0: <BROADCAST,MULTICAST,MASTER,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP mode DEFAULT group default qlen 1000
    link/ether b4:96:91:00:11:22 brd ff:ff:ff:ff:ff:ff
    RX:  bytes packets errors dropped  missed   mcast
    91203344112203 {packets}      0  {dropped}       0 9120331
    TX:  bytes packets errors dropped carrier collsns
    81203344112203 61203311220      0       0       0       0
"
        )
    };
    format!(
        "db4$ ip -s link show bond0\n{}db4$ sleep 300; ip -s link show bond0\n{}",
        reading(71_203_311_220, 412_033),
        reading(71_206_311_220, 412_033 + dropped)
    )
}

#[test]
fn counters_that_hardly_grow_show_nothing_wrong() {
    let flow = first(&text(18));
    let because = because(&flow);
    let says = "these counters show nothing wrong: from the first reading to the last bond0 received 3000000 frames";
    assert!(because.starts_with(says), "{because}");
    assert!(because.contains("by 18 in all"), "{because}");
    assert_eq!(asked(&flow), ["complaint"]);
}

#[test]
fn counters_that_grow_are_not_called_well() {
    let flow = first(&text(3000));
    let because = because(&flow);
    assert!(!because.contains("show nothing wrong"), "{because}");
}

/// Drops that were read once are mentioned, with what they are of, and a second reading is asked for.
#[test]
fn drops_that_were_read_once_ask_for_a_second_reading() {
    let text = "root@s1:~# ip -s link show eth0
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP mode DEFAULT group default qlen 1000
    link/ether 3c:ec:ef:01:02:03 brd ff:ff:ff:ff:ff:ff
    RX:  bytes packets errors dropped  missed   mcast
    7712231122331 6612233112      0   81221       0 1212211
    TX:  bytes packets errors dropped carrier collsns
    8812231122331 7712233112      0       0       0       0
root@s1:~# netstat -s | egrep -i 'retrans|prune|collaps'
    412231 segments retransmitted
    1222 packets pruned from receive queue because of socket buffer overrun
";
    let flow = first(text);
    let because = because(&flow);
    for says in [
        "were read once",
        "eth0 dropped 81221 frames",
        "1222 times a socket was full",
    ] {
        assert!(because.contains(says), "{says}: {because}");
    }
    assert_eq!(asked(&flow), ["second_reading"], "{:#?}", flow.missing);
    let clean = first(
        &text
            .replace("81221", "0")
            .replace("1222 packets", "0 packets"),
    );
    assert_ne!(asked(&clean), ["second_reading"]);
}
