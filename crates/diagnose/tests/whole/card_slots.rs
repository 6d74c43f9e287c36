//! Slots of interface cards that carry less than their ports.

use crate::{because, commands, first};

const LOG: &str = "h$ iperf3 -c 203.0.113.1 -P 8 -t 10 -i 10
Connecting to host 203.0.113.1, port 5201
[SUM]   0.00-10.00  sec  29.8 GBytes  25.6 Gbits/sec    0
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[SUM]   0.00-10.00  sec  29.8 GBytes  25.6 Gbits/sec    0             sender
[SUM]   0.00-10.00  sec  29.8 GBytes  25.6 Gbits/sec                  receiver
h$ ethtool ens1 | grep Speed
\tSpeed: 100000Mb/s
";

const PING: &str = "h$ ping -c 5 -q 203.0.113.1
--- 203.0.113.1 ping statistics ---
5 packets transmitted, 5 received, 0% packet loss, time 4005ms
rtt min/avg/max/mdev = 0.1/0.1/0.1/0.0 ms
";

/// Four lanes of 8 GT/s carry 31.5 Gbit/s, and leave 22 to 30 of them: neither a window nor the port of 100 Gbit/s holds 25.6.
#[test]
fn a_slot_of_few_lanes_holds_the_rate() {
    let lspci = "h$ lspci -vv -s 81:00.0 | egrep 'LnkCap|LnkSta:'
\t\tLnkCap:\tPort #0, Speed 16GT/s, Width x16, ASPM not supported
\t\tLnkSta:\tSpeed 8GT/s (downgraded), Width x4 (downgraded)
";
    let kernel = "h$ dmesg | grep -i pci
[   12.345678] mlx5_core 0000:81:00.0: 31.504 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x4 link at 0000:80:01.0 (capable of 252.048 Gb/s with 16.0 GT/s PCIe x16 link)
";
    for slot in [
        lspci.to_owned(),
        kernel.to_owned(),
        format!("{lspci}{kernel}"),
    ] {
        let flow = first(&format!("{LOG}{slot}{PING}"));
        assert_eq!(flow.verdict.cause, "nic", "{:#?}", flow.verdict);
        let why = because(&flow);
        assert!(
            why.contains("31.5 Gbit/s, of 252 Gbit/s that the card could use"),
            "{why}"
        );
        let commands = commands(&flow);
        assert!(commands.contains("as many lanes"), "{commands}");
        assert!(!commands.contains("sysctl"), "{commands}");
        // What lies behind the slot is open: the port's rate is not promised.
        let change = &flow.changes[0];
        assert_eq!(change.predicted_bps, None, "{change:#?}");
        assert!(change.risk.contains("the slot's limit"), "{change:#?}");
    }
    // A slot of all lanes is far from full, and is not named.
    let wide = lspci.replace(
        "Speed 8GT/s (downgraded), Width x4 (downgraded)",
        "Speed 16GT/s, Width x16",
    );
    let flow = first(&format!("{LOG}{wide}{PING}"));
    assert_ne!(flow.verdict.cause, "nic", "{:#?}", flow.verdict);
}

/// 480 Mbit/s of USB 2.0 leave 192 to 426 of them: the port of 1 Gbit/s behind it holds nothing.
#[test]
fn an_adapter_at_usb_2_holds_the_rate() {
    let text = |speed: &str| {
        format!(
            "pc$ lsusb -t
/:  Bus 02.Port 1: Dev 1, Class=root_hub, Driver=xhci_hcd/4p, {speed}
    |__ Port 2: Dev 3, If 0, Class=Vendor Specific Class, Driver=r8152, {speed}
pc$ ethtool enx00e04c | grep Speed
\tSpeed: 1000Mb/s
pc$ iperf3 -c srv -t 10 -i 5
[  5] local 192.0.2.5 port 50001 connected to 192.0.2.9 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-5.00   sec   191 MBytes   320 Mbits/sec    0   425 KBytes
[  5]   5.00-10.00  sec   190 MBytes   319 Mbits/sec    0   425 KBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00  sec   381 MBytes   320 Mbits/sec    0             sender
[  5]   0.00-10.02  sec   381 MBytes   319 Mbits/sec                  receiver
"
        )
    };
    let flow = first(&text("480M"));
    assert_eq!(flow.verdict.cause, "nic", "{:#?}", flow.verdict);
    assert!(
        because(&flow).contains("USB port of 480 Mbit/s"),
        "{}",
        because(&flow)
    );
    let all = commands(&flow);
    assert!(all.contains("into a port of USB 3"), "{all}");
    assert_ne!(first(&text("5000M")).verdict.cause, "nic");
}
