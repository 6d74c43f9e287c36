//! Segments that crossed the path, and that the receiving host dropped at a full socket.

use farpath_diagnose::{FlowReport, Known};

use crate::of_files;

/// What each second sent again: 1010 in all.
const AGAIN: [u32; 10] = [0, 120, 90, 140, 100, 110, 130, 95, 120, 105];
const MBIT: [u32; 10] = [700, 310, 420, 280, 390, 350, 300, 410, 330, 370];

fn sender() -> String {
    let mut all = String::from(
        "[  5] local 192.0.2.1 port 43210 connected to 198.51.100.2 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n",
    );
    for (n, (mbit, again)) in MBIT.iter().zip(AGAIN).enumerate() {
        let mbyte = f64::from(*mbit) / 8.388_608;
        all += &format!(
            "[  5]  {n:>2}.00-{}.00  sec  {mbyte:.1} MBytes  {mbit} Mbits/sec  {again}   900 KBytes\n",
            n + 1
        );
    }
    all + "[  5]   0.00-10.00  sec  460 MBytes  386 Mbits/sec  1010             sender
[  5]   0.00-10.04  sec  459 MBytes  384 Mbits/sec                  receiver
10 packets transmitted, 10 received, 0% packet loss, time 9009ms
rtt min/avg/max/mdev = 22.0/22.1/22.2/0.1 ms
"
}

fn nstat(drops: u32, pruned: u32) -> String {
    format!(
        "TcpRetransSegs                  4211               0.0\nTcpExtPruneCalled               {pruned}            0.0\nTcpExtTCPRcvQDrop               {drops}               0.0\nTcpExtTCPBacklogDrop            0               0.0\n"
    )
}

fn netstat(drops: u32, pruned: u32) -> String {
    format!(
        "TcpExt:\n    {pruned} packets pruned from receive queue because of socket buffer overrun\n    9000 packets collapsed in receive queue due to low socket buffer\n    TCPRcvQDrop: {drops}\n"
    )
}

fn flow(before: &str, after: &str) -> FlowReport {
    let receiver = format!("$ nstat -az\n{before}$ nstat -az\n{after}");
    let files = [("sender.txt", &*sender()), ("receiver.txt", &receiver)];
    of_files(&files, &Known::default()).flows.remove(0)
}

#[test]
fn as_many_drops_at_the_receivers_socket_as_segments_sent_again_are_those() {
    let grep = |drops: u32| {
        let all = netstat(drops, 4 * drops);
        all.split_once('\n').expect("a title").1.to_owned()
    };
    let pairs = [
        (nstat(5, 100), nstat(1012, 4100)),
        (netstat(5, 100), netstat(1012, 4100)),
        (grep(5), grep(1012)),
        (
            "TCPRcvQDrop: 5\n".to_owned(),
            "TCPRcvQDrop: 1012\n".to_owned(),
        ),
    ];
    for (before, after) in pairs {
        let flow = flow(&before, &after);
        let verdict = &flow.verdict;
        assert_eq!(verdict.cause, "client", "{after} {verdict:#?}");
        assert!(verdict.confidence > 0.8, "{after} {verdict:#?}");
        let because = verdict.because.join("\n");
        let says = "dropped 1007 segments at a full socket from one reading to the next, and 1010";
        assert!(because.contains(says), "{because}");
        let change = &flow.changes[0];
        assert_eq!(change.host, "198.51.100.2");
        let commands = change.commands.join("\n");
        assert!(
            commands.contains("tcp_mem") && commands.contains("tcp_rmem"),
            "{commands}"
        );
    }
}

/// What stood there before, and a few of many, lost nothing of this test.
#[test]
fn drops_that_did_not_grow_or_are_few_leave_the_path_the_losses() {
    for (before, after) in [
        (nstat(5000, 9000), nstat(5000, 9000)),
        (nstat(5, 100), nstat(25, 130)),
    ] {
        let flow = flow(&before, &after);
        assert_ne!(flow.verdict.cause, "client", "{after} {:#?}", flow.verdict);
    }
}

/// Read once they may be of any time: no number decides it.
#[test]
fn drops_that_were_read_once_are_no_more_than_likely() {
    let receiver = format!("$ nstat -az\n{}", nstat(1007, 4100));
    let files = [("sender.txt", &*sender()), ("receiver.txt", &receiver)];
    let flow = of_files(&files, &Known::default()).flows.remove(0);
    let verdict = &flow.verdict;
    assert_eq!(verdict.cause, "client", "{verdict:#?}");
    assert!(verdict.confidence <= 0.7, "{verdict:#?}");
    let because = verdict.because.join("\n");
    let says = "dropped 1007 segments at a full socket since it was started";
    assert!(because.contains(says), "{because}");
}
