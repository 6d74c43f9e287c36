//! Datagrams that a host drops at full sockets, without a test beside them.

use crate::{asked, because, commands, first};

const SOCKET: &str = "col$ ss -uanm sport = :2055
State  Recv-Q Send-Q Local Address:Port Peer Address:Port
UNCONN 213248 0      0.0.0.0:2055       0.0.0.0:*
\t skmem:(r213248,rb212992,t0,tb212992,f3392,w0,o0,bl0,d20111009)
";

/// Two readings of datagrams that were handed on, and of those that were dropped.
fn counts([first, last]: [[u32; 2]; 2]) -> String {
    let call = "nstat -az UdpInDatagrams UdpRcvbufErrors";
    let rows = |[received, dropped]: [u32; 2]| {
        format!(
            "#kernel\nUdpInDatagrams                  {received}           0.0\nUdpRcvbufErrors                 {dropped}           0.0\n"
        )
    };
    format!(
        "col$ {call}; sleep 60; {call}\n{}{}",
        rows(first),
        rows(last)
    )
}

/// Of 1.5 million that arrived in a minute 300 000 were dropped.
#[test]
fn datagrams_that_full_sockets_drop_are_the_programs() {
    let count = counts([[91_233_122, 20_112_231], [92_433_122, 20_412_231]]);
    for (text, lacks) in [
        (format!("{count}{SOCKET}"), vec!["reader_cpu_ratio"]),
        (count.clone(), vec!["datagram_socket", "reader_cpu_ratio"]),
        (
            SOCKET.to_owned(),
            vec!["host_datagrams_dropped", "reader_cpu_ratio"],
        ),
    ] {
        let flow = first(&text);
        assert_eq!(flow.verdict.cause, "client", "{:#?}", flow.verdict);
        assert!(flow.verdict.confidence >= 0.6, "{:#?}", flow.verdict);
        assert_eq!(asked(&flow), lacks, "{text}");
        assert_eq!(flow.changes[0].host, "col", "{text}");
        let commands = commands(&flow);
        assert!(commands.contains("net.core.rmem_max=16777216"));
        assert!(commands.contains("SO_REUSEPORT"), "{commands}");
    }
    let because = because(&first(&format!("{count}{SOCKET}")));
    for says in [
        "col dropped 300000 datagrams at full sockets, 20.0 % of those that arrived, from one reading to the next",
        "213248 bytes wait in the socket 0.0.0.0:2055, whose buffer takes 212992",
    ] {
        assert!(because.contains(says), "{says}: {because}");
    }
}

/// A count that is as large from one reading to the next is of another time, and so is a small share since the start.
#[test]
fn few_drops_and_a_socket_that_is_read_say_nothing() {
    let read = SOCKET.replace("213248", "0").replace("d20111009", "d0");
    let few = counts([[91_233_122, 402], [92_433_122, 402]]);
    let some = counts([[91_233_122, 402], [92_433_122, 1_402]]);
    for text in [few, some, read] {
        let flow = first(&text);
        assert_ne!(flow.verdict.cause, "client", "{text}");
    }
}

/// Without `-m` nothing says what a socket's buffer takes: as much as waits in a usual one is a sign beside a count, and a note without.
#[test]
fn a_socket_without_its_memory_is_a_sign_beside_a_count() {
    let row = "col$ ss -uln\nNetid State  Recv-Q Send-Q Local Address:Port Peer Address:Port\nudp   UNCONN 213000 0      0.0.0.0:514        0.0.0.0:*\n";
    let count = counts([[91_233_122, 20_112_231], [92_433_122, 20_412_231]]);
    let flow = first(&format!("{count}{row}"));
    assert_eq!(flow.verdict.cause, "client", "{:#?}", flow.verdict);
    let said = because(&flow);
    let says = "213000 bytes wait in the socket 0.0.0.0:514, as many as a buffer takes where nobody set another, 212992";
    assert!(said.contains(says), "{said}");
    assert_eq!(asked(&flow), ["datagram_socket", "reader_cpu_ratio"]);
    assert_eq!(first(row).verdict.cause, "unknown");
    // A larger buffer is set, so that this one is not full.
    let set = "col$ sysctl net.core.rmem_default\nnet.core.rmem_default = 26214400\n";
    let said = because(&first(&format!("{count}{row}{set}")));
    assert!(!said.contains("213000 bytes wait"), "{said}");
}
