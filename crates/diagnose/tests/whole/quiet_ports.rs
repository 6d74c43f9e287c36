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
