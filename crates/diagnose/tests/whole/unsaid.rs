//! What no text says: how old a connection is, how large its segments are, what a copy alone waited for.

use farpath_diagnose::{Diagnosis, Known};

use crate::{asked, of_files, on};

/// A test of 60 s whose first half is twice as fast as the second, with so many segments sent again in each interval of 5 s.
fn log(again: u32) -> String {
    let mut text = String::from(
        "[  5] local 192.0.2.10 port 51514 connected to 198.51.100.20 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n",
    );
    for n in 0..12 {
        let mbits = if n < 6 { 400 } else { 200 } + 7 * (n * 5 % 3);
        text += &format!(
            "[  5]  {:.2}-{:.2}  sec  {:.1} MBytes  {mbits} Mbits/sec  {again}  4.00 MBytes\n",
            f64::from(n) * 5.0,
            f64::from(n + 1) * 5.0,
            f64::from(mbits) * 5.0 / 8.388_608
        );
    }
    let all = 12 * again;
    text += &format!(
        "[  5]   0.00-60.00  sec  2.14 GBytes   307 Mbits/sec  {all}             sender\n[  5]   0.00-60.17  sec  2.14 GBytes   305 Mbits/sec                  receiver\n"
    );
    text
}

/// Its socket 30 s after it began, at work all the time.
const SOCKET: &str = "\
ESTAB 0 4718592 192.0.2.10:51514 198.51.100.20:5201
\t cubic wscale:14,14 rto:371 rtt:170.2/0.06 mss:8948 cwnd:900 bytes_sent:1524000000 bytes_acked:1520000000 bytes_retrans:900000 busy:29800ms unacked:800 notsent:1700000 minrtt:170.1
";

const PING: &str = "rtt min/avg/max/mdev = 170.081/170.172/170.301/0.061 ms\n";

fn of(files: &[(&str, &str)]) -> Diagnosis {
    of_files(files, &on("10 Gbit/s"))
}

#[test]
fn a_connection_is_as_old_as_its_log_says_and_not_as_a_mean_rate_would_have_it() {
    let d = of(&[("log.txt", &log(2)), ("ss.txt", SOCKET)]);
    let flow = &d.flows[0];
    let second = flow.verdict.second.as_ref().map(|s| (s.cause, s.share));
    assert_ne!(second.map(|s| s.0), Some("application"), "{second:?}");
    let because = flow.verdict.because.join("\n");
    assert!(!because.contains("had something to send"), "{because}");
    // One that was idle for half of it did pause.
    let idle = SOCKET
        .replace("busy:29800ms", "busy:14000ms")
        .replace("4718592", "0")
        .replace("notsent:1700000", "notsent:0")
        .replace("bytes_retrans:900000 ", "");
    let d = of(&[("log.txt", &log(0)), ("ss.txt", &idle)]);
    let because = d.flows[0].verdict.because.join("\n");
    assert!(because.contains("for 47 % of the time only"), "{because}");
    // Of a copy that is half done, and whose intervals nobody printed, nothing says when it began.
    let copy = "sent 5,641,667,601 bytes  received 35 bytes  18,741,420.72 bytes/sec\n";
    let d = of(&[("copy.txt", copy), ("ss.txt", &idle)]);
    let because = d.flows[0].verdict.because.join("\n");
    assert!(!because.contains("of the time only"), "{because}");
}

#[test]
fn a_size_of_segments_that_nobody_said_is_called_so_and_asked_for() {
    // As many losses as random ones of jumbo frames leave this rate at.
    let log = log(2);
    let known = Known {
        mtu: Some("9000 B".parse().expect("a size")),
        ..on("10 Gbit/s")
    };
    let unsaid = of(&[("log.txt", &log), ("ping.txt", PING)]);
    let flow = &unsaid.flows[0];
    let because = flow.verdict.because.join("\n");
    assert!(!because.contains("most came in bursts"), "{because}");
    assert!(
        because.contains("1448 bytes, which nobody said"),
        "{because}"
    );
    assert!(asked(flow).contains(&"mtu_bytes"), "{:?}", flow.missing);
    let law = flow.ceilings.iter().find(|c| c.cause == "random_loss");
    assert!(law.is_some_and(|l| l.formula.contains("which is assumed")));
    let said = of_files(&[("log.txt", &log), ("ping.txt", PING)], &known);
    let flow = &said.flows[0];
    assert!(!flow.verdict.because.join("\n").contains("nobody said"));
    assert!(!asked(flow).contains(&"mtu_bytes"), "{:?}", flow.missing);
}

const COPY: &str = "sent 5,641,667,601 bytes  received 35 bytes  18,741,420.72 bytes/sec\ntotal size is 5,640,290,304  speedup is 1.00\n";

#[test]
fn of_a_copy_alone_a_test_without_it_and_its_disks_are_asked_for() {
    let d = of(&[("copy.txt", COPY), ("ping.txt", PING)]);
    assert!(
        asked(&d.flows[0]).contains(&"test_rate_bps"),
        "{:?}",
        d.flows[0].missing
    );
    assert!(
        asked(&d.flows[0]).contains(&"disk_busy_ratio"),
        "{:?}",
        d.flows[0].missing
    );
    // Tests both ways that lost nothing speak against losses, though the copy names neither host.
    let test = "[  5] local 192.0.2.10 port 51514 connected to 198.51.100.20 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr\n[  5]   0.00-30.00  sec  13.01 GBytes   3.72 Gbits/sec  0             sender\n[  5]   0.00-30.17  sec  12.91 GBytes   3.67 Gbits/sec                  receiver\n";
    let back = test
        .replace(
            "local 192.0.2.10 port 51514 connected to 198.51.100.20",
            "local 198.51.100.20 port 51520 connected to 192.0.2.10",
        )
        .replace("3.67", "3.95");
    let d = of(&[
        ("copy.txt", COPY),
        ("1.txt", test),
        ("2.txt", &back),
        ("ping.txt", PING),
    ]);
    let flow = &d.flows[0];
    let because = flow.verdict.because.join("\n");
    assert!(
        because.contains("iperf3 between the same hosts got 3.67 Gbit/s"),
        "{because}"
    );
    assert!(!because.contains("random loss"), "{because}");
    let facts = asked(flow);
    assert!(
        facts.contains(&"disk_busy_ratio") && !facts.contains(&"test_rate_bps"),
        "{facts:?}"
    );
}

#[test]
fn a_channel_of_openssh_is_not_blamed_where_more_is_in_flight() {
    let socket = SOCKET.replace(":51514 198.51.100.20:5201", ":51514 198.51.100.20:22");
    let idle = |flight: &str| {
        socket
            .replace("4718592", "0")
            .replace("notsent:1700000", "notsent:0 app_limited")
            .replace("unacked:800", flight)
            .replace("bytes_retrans:900000 ", "")
    };
    let copy = "run.h5      100% 5380MB  11.5MB/s   07:48\n";
    let commands = |flight| {
        let d = of(&[("copy.txt", copy), ("ss.txt", &idle(flight))]);
        let changes = d.flows[0].changes.clone();
        assert!(!changes.is_empty(), "{:#?}", d.flows[0].verdict);
        changes[0].commands.join("\n")
    };
    assert!(commands("unacked:230").contains("OpenSSH lets 2 MiB"));
    assert!(!commands("unacked:355").contains("OpenSSH lets 2 MiB"));
}

#[test]
fn the_release_alone_says_the_kernel() {
    let window = |head: &str| {
        let text = format!("{head}net.ipv4.tcp_rmem = 4096 131072 8388608\n");
        let d = of(&[
            ("log.txt", &log(0)),
            ("receiver.txt", &text),
            ("ping.txt", PING),
        ]);
        let limit = d.flows[0]
            .ceilings
            .iter()
            .find(|c| c.cause == "receive_window");
        limit.expect("it is known").limit_bps
    };
    let whole = window("Linux dtn 6.8.0-45-generic #45-Ubuntu SMP x86_64 GNU/Linux\n");
    assert!(window("") < 0.9 * whole);
    for head in [
        "6.8.0-45-generic\n",
        "[ops@dtn ~]$ uname -r\n6.8.0-45-generic\n",
        "$ uname -r\n6.8.12\n",
    ] {
        assert_eq!(window(head), whole, "{head}");
    }
    // Numbers with points are not releases by themselves.
    for other in ["192.0.2.1\n", "6.8.12\n", "1.2.840-1\n"] {
        assert!(window(other) < 0.9 * whole, "{other}");
    }
}

/// A buffer goes by the round trip: without one no size is named, whatever the line is and the host has now.
#[test]
fn no_buffer_has_a_size_without_a_round_trip() {
    let rows: String = (0..10)
        .map(|n| {
            format!(
                "[  5]   {n}.00-{}.00   sec   763 MBytes  6.40 Gbits/sec    0   2.01 MBytes\n",
                n + 1
            )
        })
        .collect();
    let text = format!(
        "Connecting to host 192.0.2.2, port 5201\n[  5] local 192.0.2.1 port 40000 connected to 192.0.2.2 port 5201\n\
         [ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n{rows}\
         [ ID] Interval           Transfer     Bitrate         Retr\n[  5]   0.00-10.00  sec  7.45 GBytes  6.40 Gbits/sec    0             sender\n\
         [  5]   0.00-10.00  sec  7.45 GBytes  6.40 Gbits/sec                  receiver\n\
         receiver$ sysctl net.ipv4.tcp_rmem\nnet.ipv4.tcp_rmem = 4096 131072 1073741824\n"
    );
    let flow = of_files(&[("ticket.txt", text.as_str())], &on("100 Gbit/s"))
        .flows
        .remove(0);
    let commands: Vec<&String> = flow.changes.iter().flat_map(|c| &c.commands).collect();
    assert!(!commands.is_empty(), "{:#?}", flow.verdict);
    let all = commands
        .iter()
        .map(|c| c.as_str())
        .collect::<Vec<_>>()
        .join("; ");
    assert!(all.contains("ping -c 20 192.0.2.2"), "{all}");
    // 100 Gbit/s over a millisecond are 12.5 MB, and the buffer is twice that.
    assert!(
        all.contains("25.0 MB of buffer for each millisecond"),
        "{all}"
    );
    assert!(!all.contains("sysctl -w"), "{all}");
    assert!(
        flow.missing.iter().any(|m| m.fact == "rtt"),
        "{:?}",
        flow.missing
    );
}
