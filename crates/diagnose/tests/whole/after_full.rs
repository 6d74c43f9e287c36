//! Connections that carry full segments for seconds and then hang: a device between, or an outage, and not the size of their packets.

use crate::{asked, because, first};

/// Four seconds at hundreds of Mbit/s, and then nothing to the end.
fn log() -> String {
    let mut text = "$ iperf3 -c 198.51.100.40 -t 10
Connecting to host 198.51.100.40, port 5201
[  5] local 10.20.1.15 port 41876 connected to 198.51.100.40 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
"
    .to_owned();
    for (n, mbit) in [412, 688, 701, 724].into_iter().enumerate() {
        let mbytes = f64::from(mbit) / 8.388_608;
        text += &format!(
            "[  5]   {n}.00-{}.00   sec  {mbytes:.1} MBytes   {mbit} Mbits/sec    0   1.86 MBytes\n",
            n + 1
        );
    }
    for (n, again) in [3, 1, 0, 1, 0, 1].into_iter().enumerate() {
        text += &format!(
            "[  5]   {}.00-{}.00   sec  0.00 Bytes  0.00 bits/sec    {again}   1.41 KBytes\n",
            n + 4,
            n + 5
        );
    }
    text + "- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00  sec   301 MBytes   252 Mbits/sec    6             sender
[  5]   0.00-10.02  sec   300 MBytes   251 Mbits/sec                  receiver

iperf Done.

"
}

/// Pings with so many bytes of data, all of them answered.
fn ping(data: u32) -> String {
    format!(
        "$ ping -M do -s {data} -c 5 198.51.100.40
PING 198.51.100.40 (198.51.100.40) {data}({}) bytes of data.

--- 198.51.100.40 ping statistics ---
5 packets transmitted, 5 received, 0% packet loss, time 4006ms
rtt min/avg/max/mdev = 20.100/20.300/20.500/0.141 ms

",
        data + 28
    )
}

/// Its socket: 215 thousand segments of 1448 bytes were acknowledged before it hung.
const SOCKET: &str = "$ ss -tin dst 198.51.100.40
State Recv-Q Send-Q Local Address:Port  Peer Address:Port
ESTAB 0      3145728 10.20.1.15:41876 198.51.100.40:5201
\t cubic wscale:7,7 rto:14720 backoff:6 rtt:20.2/0.3 mss:1448 pmtu:1500 rcvmss:536 advmss:1448 cwnd:1 ssthresh:940 bytes_sent:314550456 bytes_retrans:10136 bytes_acked:312600000 segs_out:217229 segs_in:98000 data_segs_out:217227 send 573Kbps lastsnd:410 lastrcv:14900 lastack:14900 pacing_rate 688Kbps delivery_rate 690Mbps delivered:215880 busy:18900ms unacked:1340 retrans:1/7 lost:1340 rcv_space:14480 rcv_ssthresh:64088 notsent:1205408 minrtt:20.0 snd_wnd:3145728
";

#[test]
fn what_carried_full_segments_does_not_hang_for_their_size() {
    for (text, asks) in [
        (log() + &ping(56) + SOCKET, true),
        (log() + &ping(56), true),
        (log() + &ping(1472), false),
        (log(), true),
    ] {
        let flow = first(&text);
        assert_eq!(flow.verdict.cause, "unknown", "{:#?}", flow.verdict);
        let because = because(&flow);
        let both = "undecided between a firewall or another device that drops data (39 %), an outage (39 %)";
        assert!(because.contains(both), "{because}");
        assert!(!because.contains("black hole"), "{because}");
        assert!(because.contains("its size is not why"), "{because}");
        let asked = asked(&flow);
        assert_eq!(asked.contains(&"ping_large_lost_bytes"), asks, "{asked:?}");
        assert!(asked.contains(&"segment_arrives"), "{asked:?}");
    }
}
