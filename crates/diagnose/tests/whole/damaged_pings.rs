//! Pings that are lost at an interface which counts damaged frames, without a test beside them.

use crate::{asked, because, commands, first};

const PING: &str = "$ ping -c 200 -i 0.2 192.168.30.1
200 packets transmitted, 171 received, 14.5% packet loss, time 40022ms
rtt min/avg/max/mdev = 0.402/0.922/9.300/1.101 ms
";

/// What an interface counts that received 9.9 million frames whole, and so many damaged.
fn link(damaged: u32) -> String {
    format!(
        "$ ip -s link show eth0
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc fq_codel state UP mode DEFAULT group default qlen 1000
    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff
    RX:  bytes packets errors dropped  missed   mcast
    9912231233 9912331 {damaged}      0       0   22123
    TX:  bytes packets errors dropped carrier collsns
    8812231222 8912331      0       0       0       0
"
    )
}

#[test]
fn damaged_frames_beside_lost_pings_are_the_cable() {
    let flow = first(&(PING.to_owned() + &link(812_233)));
    assert_eq!(flow.verdict.cause, "random_loss", "{:#?}", flow.verdict);
    assert!(flow.verdict.confidence >= 0.6, "{:#?}", flow.verdict);
    let because = because(&flow);
    let said =
        "7.57 % of the frames of that interface arrived damaged, and 14.5 % of pings were lost";
    assert!(because.contains(said), "{because}");
    let plugs = "clean or change the plugs, cable and transceiver of eth0";
    assert!(commands(&flow).contains(plugs), "{:#?}", flow.changes);
    assert_eq!(flow.changes.len(), 1, "{:#?}", flow.changes);
    assert_eq!(asked(&flow), ["nic_damaged"]);
}

/// Few damaged frames do not lose so many pings, and what damages some says nothing where no ping was lost.
#[test]
fn few_damaged_frames_are_not_why_pings_are_lost() {
    let whole = PING.replace("171 received, 14.5%", "200 received, 0%");
    for text in [PING.to_owned() + &link(12), whole + &link(812_233)] {
        let flow = first(&text);
        assert_eq!(flow.verdict.cause, "unknown", "{text}");
    }
}
