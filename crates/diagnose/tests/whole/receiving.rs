//! A receiver whose program does not read: its window, its queue and its disk, and whose the rows of its socket are.

use farpath_diagnose::FlowReport;

use crate::{asked, of_files, on};

/// A copy to a daemon, which names no address.
const COPY: &str = "\
[ops@here ~]$ rsync -av --inplace /data/run.h5 rsync://far/data/
sent 5,641,667,601 bytes  received 35 bytes  18,741,420.72 bytes/sec
total size is 5,640,290,304  speedup is 1.00
";

/// Its socket at the sender, which waits for a window of 3.2 MB.
const WAITS: &str = "\
State Recv-Q Send-Q Local Address:Port Peer Address:Port
ESTAB 0      0  192.0.2.10:46022  198.51.100.20:873
\t skmem:(r0,rb131072,t0,tb134217728,f1920,w3271680,o0,bl0,d0) cubic wscale:14,14 rto:371 rtt:170.214/0.061 mss:8948 pmtu:9000 cwnd:1204 bytes_sent:2812000000 bytes_acked:2808823460 segs_out:314260 segs_in:157130 send 506387403bps delivery_rate 149312000bps busy:121220ms rwnd_limited:112000ms(92.4%) unacked:355 notsent:0 minrtt:170.091 snd_wnd:3178496
";

/// A snapshot of the same connection at the receiver.
fn far(unread: u64) -> String {
    format!(
        "State Recv-Q Send-Q Local Address:Port Peer Address:Port\nESTAB {unread} 0 198.51.100.20:873 192.0.2.10:46022\n\t skmem:(r6823936,rb13421772,t0,tb87040,f0,w0,o0,bl0,d0)\n"
    )
}

const IOSTAT: &str = "\
avg-cpu:  %user   %nice %system %iowait  %steal   %idle
           0.41    0.00    0.60    3.02    0.00   95.97

Device            r/s     rMB/s     w/s     wMB/s  aqu-sz  %util
md0              0.40      0.05  150.40     18.80    7.84  99.60
";

/// What the receiver's kernel lets a buffer grow to: 256 MiB.
const LARGE: &str = "net.ipv4.tcp_rmem = 4096 131072 268435456\nnet.core.rmem_max = 268435456\n";

/// A test from memory between the same hosts.
const TEST: &str = "\
[  5] local 192.0.2.10 port 51514 connected to 198.51.100.20 port 5201
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-30.00  sec  13.01 GBytes   3.72 Gbits/sec  0             sender
[  5]   0.00-30.17  sec  12.91 GBytes   3.67 Gbits/sec                  receiver
";

fn flows(more: &[(&str, &str)]) -> Vec<FlowReport> {
    let base = [
        ("copy.txt", COPY),
        ("ss.txt", WAITS),
        ("receiver.txt", LARGE),
    ];
    let all: Vec<(&str, &str)> = base.iter().chain(more).copied().collect();
    of_files(&all, &on("10 Gbit/s")).flows
}

fn window_bps(flow: &FlowReport) -> f64 {
    let limit = flow.ceilings.iter().find(|c| c.cause == "receive_window");
    limit.expect("it was announced").limit_bps
}

#[test]
fn a_window_far_below_its_settings_is_not_their_fault() {
    let flow = &flows(&[])[0];
    assert_eq!(flow.verdict.cause, "client", "{:#?}", flow.verdict);
    assert!(flow.verdict.confidence < 0.95, "{:#?}", flow.verdict);
    assert!(
        asked(flow).contains(&"receive_queue_bytes"),
        "{:?}",
        flow.missing
    );
    assert!(
        asked(flow).contains(&"disk_busy_ratio"),
        "{:?}",
        flow.missing
    );
    let commands = |flow: &FlowReport| {
        let all = flow.changes.iter().flat_map(|c| c.commands.clone());
        all.collect::<Vec<String>>().join("\n")
    };
    assert!(!commands(flow).contains("tcp_rmem"), "{}", commands(flow));
    // What is read at once leaves the program's own buffer, which no setting widens.
    let read = far(0);
    let flow = &flows(&[("far.txt", &read)])[0];
    assert_eq!(flow.verdict.cause, "receive_window", "{:#?}", flow.verdict);
    assert!(commands(flow).contains("SO_RCVBUF"), "{}", commands(flow));
    assert!(!commands(flow).contains("sysctl"), "{}", commands(flow));
}

#[test]
fn a_queue_that_stays_is_the_program_and_a_full_disk_the_disk() {
    let (one, two) = (far(3_411_968), far(3_411_968) + &far(3_287_040));
    for queue in [one.as_str(), &two] {
        let flow = &flows(&[("far.txt", queue)])[0];
        assert_eq!(flow.verdict.cause, "client", "{:#?}", flow.verdict);
        assert!(flow.verdict.confidence > 0.95, "{:#?}", flow.verdict);
        assert_eq!(flow.changes[0].host, "198.51.100.20");
        for texts in [
            &[("receiver-disk.txt", IOSTAT)][..],
            &[("receiver-disk.txt", IOSTAT), ("far.txt", queue)],
        ] {
            let flow = &flows(texts)[0];
            assert_eq!(flow.verdict.cause, "disk", "{:#?}", flow.verdict);
            assert_eq!(flow.changes[0].host, "198.51.100.20");
            assert_eq!(flow.changes.len(), 1, "{:#?}", flow.changes);
        }
    }
}

#[test]
fn rows_of_one_connection_are_of_one_connection() {
    let alone = window_bps(&flows(&[])[0]);
    assert!((alone / 149.39e6 - 1.0).abs() < 0.001, "{alone}");
    let again = WAITS.replace("bytes_acked:2808823460", "bytes_acked:2828823460");
    let queue = far(3_411_968);
    let twice = format!("{queue}{queue}");
    for more in [
        ("far.txt", queue.as_str()),
        ("far.txt", &twice),
        ("later.txt", &again),
    ] {
        let all = flows(&[more]);
        assert_eq!(window_bps(&all[0]), alone, "{}", more.0);
        assert_eq!(all.len(), 1);
    }
    // Whichever end was read first, and without the bytes of either.
    let base = [
        ("far.txt", queue.as_str()),
        ("copy.txt", COPY),
        ("ss.txt", WAITS),
    ];
    let d = of_files(&base, &on("10 Gbit/s"));
    assert_eq!(window_bps(&d.flows[0]), alone);
    assert_eq!(d.flows[0].name, "192.0.2.10 > 198.51.100.20");
}

#[test]
fn a_test_from_memory_waits_for_no_disk() {
    let all = flows(&[("receiver-disk.txt", IOSTAT), ("test.txt", TEST)]);
    let test = all.iter().find(|f| f.observed.goodput_bps == Some(3.67e9));
    let test = test.expect("it was read");
    assert_ne!(test.verdict.cause, "disk", "{:#?}", test.verdict);
    assert!(!test.verdict.because.join("\n").contains("disk"));
    // With a file it may.
    let file = format!("$ iperf3 -c 198.51.100.20 -F run.h5\n{TEST}")
        .replace("3.72 Gbits", "154 Mbits")
        .replace("3.67 Gbits", "152 Mbits");
    let all = of_files(
        &[("receiver-disk.txt", IOSTAT), ("test.txt", &file)],
        &on("10 Gbit/s"),
    );
    assert_eq!(
        all.flows[0].verdict.cause, "disk",
        "{:#?}",
        all.flows[0].verdict
    );
}
