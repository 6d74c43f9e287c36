//! Damaged frames of a host that is not at an end of a flow: no plug of an end is changed for them.

use farpath_diagnose::FlowReport;

use crate::{because, commands, first};

/// A test that loses by chance, and below it what `www3` printed and counted.
fn flow(addresses: &str) -> FlowReport {
    let rows = [
        (96.2, 8),
        (71.1, 9),
        (88.3, 7),
        (64.2, 10),
        (92.0, 8),
        (79.8, 9),
        (70.3, 9),
        (85.5, 7),
        (90.1, 8),
        (76.4, 9),
    ];
    let row = |(n, (mbit, again)): (usize, (f64, u32))| {
        let size = mbit / 8.388_608;
        format!(
            "[  5]   {n}.00-{}.00  sec  {size:.1} MBytes  {mbit} Mbits/sec    {again}   121 KBytes\n",
            n + 1
        )
    };
    let rows: String = rows.into_iter().enumerate().map(row).collect();
    first(&format!(
        "oper@ps-pop2:~$ iperf3 -c ps-pop7 -t 10
Connecting to host 10.7.0.9, port 5201
[  5] local 10.2.0.9 port 43112 connected to 10.7.0.9 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
{rows}- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00 sec  97.0 MBytes  81.4 Mbits/sec  84             sender
[  5]   0.00-10.04 sec  96.8 MBytes  81.2 Mbits/sec                  receiver

iperf Done.

oper@ps-pop2:~$ ping -qc 100 -i 0.1 ps-pop7
100 packets transmitted, 100 received, 0% packet loss, time 9950ms
rtt min/avg/max/mdev = 9.811/9.902/10.110/0.041 ms

{addresses}[root@www3 ~]# ethtool -S eth0 | egrep 'rx_missed|rx_crc'
     rx_missed_errors: 812331
     rx_crc_errors: 4410
"
    ))
}

fn addresses(own: &str) -> String {
    format!(
        "[root@www3 ~]# ip addr show eth0
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP group default qlen 1000
    link/ether 52:54:00:11:22:33 brd ff:ff:ff:ff:ff:ff
    inet {own}/24 brd 10.255.255.255 scope global eth0
"
    )
}

/// The first change was to the plugs of the receiver, for frames that a web server counted.
#[test]
fn damaged_frames_of_a_host_with_other_addresses_are_left_out() {
    let flow = flow(&addresses("172.16.9.4"));
    assert!(!because(&flow).contains("4410"), "{}", because(&flow));
    assert!(!commands(&flow).contains("which counts damaged frames"));
}

/// Of a host that only may be the receiver that is to be made sure of first.
#[test]
fn damaged_frames_of_a_host_that_may_be_the_receiver_are_said_with_doubt() {
    let flow = flow("");
    assert!(flow.verdict.confidence <= 0.6, "{:#?}", flow.verdict);
    let first = &flow.changes[0].commands[0];
    assert!(first.starts_with("first make sure that www3 is"), "{first}");
}

#[test]
fn damaged_frames_of_a_host_with_the_receivers_address_are_its_own() {
    let flow = flow(&addresses("10.7.0.9"));
    assert_eq!(flow.verdict.cause, "random_loss", "{:#?}", flow.verdict);
    assert!(flow.verdict.confidence > 0.8, "{:#?}", flow.verdict);
    let first = &flow.changes[0].commands[0];
    assert!(first.contains("which counts damaged frames"), "{first}");
}
