//! A host whose TCP sockets have used up their memory, beside segments that were sent again.

use crate::{because, commands, first};

const LOG: &str = "snd$ iperf3 -c px1 -t 5
Connecting to host px1, port 5201
[  5] local 10.3.3.1 port 53210 connected to 10.3.3.3 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-1.00   sec  1.12 MBytes  9.44 Mbits/sec   42    14 KBytes
[  5]   1.00-2.00   sec   896 KBytes  7.34 Mbits/sec   31    11 KBytes
[  5]   2.00-3.00   sec  1.00 MBytes  8.39 Mbits/sec   35    11 KBytes
[  5]   3.00-4.00   sec   896 KBytes  7.34 Mbits/sec   29    14 KBytes
[  5]   4.00-5.00   sec  1.00 MBytes  8.39 Mbits/sec   33    11 KBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-5.00   sec  4.88 MBytes  8.18 Mbits/sec  170             sender
[  5]   0.00-5.01   sec  4.75 MBytes  7.95 Mbits/sec                  receiver
snd$ ping -c 5 px1
PING px1 (10.3.3.3) 56(84) bytes of data.
5 packets transmitted, 5 received, 0% packet loss, time 4004ms
rtt min/avg/max/mdev = 1.010/1.090/1.210/0.080 ms
";

const KERNEL: &str = "px1# dmesg -T | tail -2
[Mon Nov 30 02:51:11 2026] TCP: out of memory -- consider tuning tcp_mem
[Mon Nov 30 02:51:21 2026] TCP: out of memory -- consider tuning tcp_mem
";

const LIMITS: &str = "px1# sysctl net.ipv4.tcp_mem\nnet.ipv4.tcp_mem = 95250\t127000\t190500\n";

fn sockets(pages: u32) -> String {
    format!(
        "px1# cat /proc/net/sockstat\nTCP: inuse 20112 orphan 4100 tw 9120 alloc 25110 mem {pages}\n"
    )
}

fn nstat(drops: u32) -> String {
    format!(
        "px1# nstat -az TcpExtTCPRcvQDrop TcpExtPruneCalled\nTcpExtPruneCalled               88123              0.0\nTcpExtTCPRcvQDrop               {drops}              0.0\n"
    )
}

/// The receiver drops what has crossed the path: its counters say it surely, and its log beside what its sockets have likely.
#[test]
fn a_receiver_without_memory_drops_what_is_sent_again() {
    let full = format!("{LOG}{KERNEL}{}{LIMITS}", sockets(190_512));
    for (text, least, most) in [(full.clone() + &nstat(41_203), 0.85, 1.0), (full, 0.4, 0.8)] {
        let flow = first(&text);
        let verdict = &flow.verdict;
        assert_eq!(verdict.cause, "receive_window", "{verdict:#?}");
        let confidence = verdict.confidence;
        assert!(confidence >= least && confidence <= most, "{verdict:#?}");
        let why = because(&flow);
        for says in [
            "the sockets of the receiver have 190512 pages of memory in all, and TCP gets no more than 190500",
            "170 segments were sent again",
        ] {
            assert!(why.contains(says), "{says}: {why}");
        }
        let commands = commands(&flow);
        for says in [
            "sysctl -w net.ipv4.tcp_mem=\"381000 508000 762000\"",
            "4100 sockets are orphans",
        ] {
            assert!(commands.contains(says), "{says}: {commands}");
        }
        let undo = flow.changes[0].undo.join("\n");
        assert!(undo.contains("\"95250 127000 190500\""), "{undo}");
    }
}

/// Drops that counters have of the test are the memory's where all sockets have the most, and the receiving program's otherwise.
#[test]
fn drops_at_a_full_socket_are_the_memorys_where_it_is_used_up() {
    for (pages, cause) in [(190_512, "receive_window"), (812, "client")] {
        let flow = first(&format!(
            "{}{LOG}{}{}{LIMITS}",
            nstat(41_033),
            nstat(41_203),
            sockets(pages)
        ));
        assert_eq!(flow.verdict.cause, cause, "{:#?}", flow.verdict);
    }
}

/// Without a test, or where the host may be either end, it is said whose memory it is, and what tells more.
#[test]
fn memory_that_is_used_up_is_said_without_a_test() {
    let flow = first(&format!("{KERNEL}{}{LIMITS}", sockets(190_512)));
    assert_eq!(flow.verdict.cause, "unknown", "{:#?}", flow.verdict);
    let said = &flow.verdict.because[0];
    assert!(
        said.starts_with("the memory of all TCP sockets of px1 is used up: they have 190512 pages")
            && said.contains("a test that is typed at its prompt"),
        "{said}"
    );
    let flow = first(&format!("{}{LIMITS}", sockets(812)));
    let why = because(&flow);
    assert!(!why.contains("is used up"), "{why}");
}
