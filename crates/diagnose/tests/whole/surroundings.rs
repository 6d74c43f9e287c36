//! What stands around a flow: disks, radio links, interfaces of routers, datagrams beyond a line, and figures that cannot be.

use farpath_diagnose::{FlowReport, Known};

use crate::{first_flow, of_files, on};

fn first(files: &[(&str, &str)], line: &str) -> FlowReport {
    first_flow(of_files(files, &on(line)))
}

/// The intervals of a log of iperf3: rates in Mbit/s, segments sent again, windows in KiB.
fn log(rows: &[(f64, u32, f64)]) -> String {
    let mut text = "Connecting to host 203.0.113.7, port 5201\n[  5] local 192.0.2.4 port 40222 connected to 203.0.113.7 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n".to_owned();
    let mb = |mbit: f64| mbit * 1e6 / 8.0 / 1_048_576.0;
    for (n, (mbit, again, kib)) in rows.iter().enumerate() {
        text.push_str(&format!(
            "[  5] {n:>3}.00-{}.00  sec  {:.1} MBytes  {mbit:.0} Mbits/sec  {again}  {kib:.0} KBytes\n",
            n + 1,
            mb(*mbit)
        ));
    }
    let (n, all) = (rows.len(), rows.iter().map(|r| r.0).sum::<f64>());
    let again: u32 = rows.iter().map(|r| r.1).sum();
    text.push_str(&format!(
        "- - - - - - - - - - - - - - - - - - - - - - - - -\n[  5]   0.00-{n}.00  sec  {:.0} MBytes  {:.1} Mbits/sec  {again}  sender\n[  5]   0.00-{n}.10  sec  {:.0} MBytes  {:.1} Mbits/sec  receiver\n",
        mb(all),
        all / n as f64,
        mb(all) * 0.995,
        all / n as f64 * 0.995
    ));
    text
}

const SETTINGS: &str = "net.ipv4.tcp_rmem = 4096 131072 268435456\nnet.ipv4.tcp_wmem = 4096 16384 268435456\nnet.core.rmem_max = 268435456\nnet.core.wmem_max = 268435456\nnet.ipv4.tcp_congestion_control = cubic\n";

fn ping(min: f64, avg: f64, max: f64) -> String {
    format!(
        "20 packets transmitted, 20 received, 0% packet loss, time 19030ms\nrtt min/avg/max/mdev = {min:.3}/{avg:.3}/{max:.3}/{:.3} ms\n",
        (max - min) / 4.0
    )
}

/// A file is sent, and its disk gives 24.1 MB/s.
#[test]
fn a_disk_is_named_by_dd_and_iostat() {
    let rows: Vec<(f64, u32, f64)> = [196.0, 188.0, 201.0, 192.0, 185.0, 199.0, 190.0, 195.0]
        .iter()
        .map(|r| (*r, 0, 6400.0))
        .collect();
    let dd = "$ dd if=/srv/run7.root of=/dev/null bs=4M iflag=direct\n512+0 records in\n512+0 records out\n2147483648 bytes (2.1 GB, 2.0 GiB) copied, 89.1 s, 24.1 MB/s\n";
    let iostat = "$ iostat -x 1 2\navg-cpu:  %user   %nice %system %iowait  %steal   %idle\n           0.41    0.00    0.80    4.12    0.00   94.67\n\nDevice            r/s     rkB/s   w/s     wkB/s  aqu-sz  %util\nsda              1.00      4.00  0.00      0.00    0.00   0.20\nsdc            188.00  24064.00  0.00      0.00    0.98  98.80\n";
    let log = log(&rows);
    let ping = ping(98.1, 98.2, 98.4);
    let texts = [
        ("log.txt", log.as_str()),
        ("ping.txt", ping.as_str()),
        ("settings.txt", SETTINGS),
    ];
    let sender = format!("{dd}\n{iostat}");
    let mut all = texts.to_vec();
    all.push(("sender.txt", &sender));
    let diagnosis = of_files(&all, &on("10 Gbit/s"));
    let flow = &diagnosis.flows[0];
    assert_eq!(flow.verdict.cause, "disk", "{:#?}", flow.verdict);
    assert!(flow.verdict.confidence > 0.7, "{:#?}", flow.verdict);
    let because = flow.verdict.because.join("\n");
    assert!(because.contains("99 % of the time"), "{because}");
    let tools: Vec<&str> = diagnosis.read.iter().map(|p| p.tool.as_str()).collect();
    assert!(
        tools.contains(&"dd") && tools.contains(&"iostat"),
        "{tools:?}"
    );
    // Nobody misses the two commands.
    let ignored = diagnosis.read.iter().flat_map(|p| &p.ignored_lines);
    assert_eq!(ignored.count(), 0, "{:#?}", diagnosis.read);
    // A disk that is ten times faster is not what limits.
    let fast = dd.replace("89.1 s, 24.1 MB/s", "8.9 s, 241 MB/s");
    let mut all = texts.to_vec();
    all.push(("sender.txt", &fast));
    assert_ne!(first(&all, "10 Gbit/s").verdict.cause, "disk");
    // What BSD prints is read alike.
    let bsd = "512+0 records in\n512+0 records out\n2147483648 bytes transferred in 89.1 secs (24101949 bytes/sec)\n";
    let mut all = texts.to_vec();
    all.push(("sender.txt", bsd));
    assert_eq!(first(&all, "10 Gbit/s").verdict.cause, "disk");
}

/// A laptop sends at seven tenths of what its radio says, and its pings vary.
#[test]
fn a_radio_link_is_named_by_iw() {
    let rates = [118.0, 131.0, 124.0, 109.0, 127.0, 133.0, 115.0, 121.0];
    let rows: Vec<(f64, u32, f64)> = rates.iter().map(|r| (*r, 2, 900.0)).collect();
    let log = log(&rows);
    let ping = ping(31.2, 41.0, 88.0);
    let iw = "$ iw dev wlan0 link\nConnected to 02:00:00:00:00:01 (on wlan0)\n\tSSID: seminar\n\tfreq: 5500\n\tRX: 12345 bytes (99 packets)\n\tTX: 9876543 bytes (7999 packets)\n\tsignal: -64 dBm\n\trx bitrate: 120.0 MBit/s VHT-MCS 3\n\ttx bitrate: 180.0 MBit/s VHT-MCS 4 40MHz VHT-NSS 2\n\n\tbss flags:\tshort-slot-time\n\tdtim period:\t1\n\tbeacon int:\t100\n";
    let texts = [
        ("log.txt", log.as_str()),
        ("ping.txt", ping.as_str()),
        ("settings.txt", SETTINGS),
        ("sender.txt", iw),
    ];
    let flow = first(&texts, "1 Gbit/s");
    assert_eq!(flow.verdict.cause, "link", "{:#?}", flow.verdict);
    let because = flow.verdict.because.join("\n");
    assert!(because.contains("radio link"), "{because}");
    // The same radio holds nothing back that needs a twentieth of it.
    let slow: Vec<(f64, u32, f64)> = rates.iter().map(|r| (r / 20.0, 0, 24.0)).collect();
    let slow = self::log(&slow);
    let mut all = texts.to_vec();
    all[0].1 = &slow;
    assert_ne!(first(&all, "1 Gbit/s").verdict.cause, "link");
}

/// Others fill a router's interface, and its queue shows in the round trip.
#[test]
fn a_line_that_others_fill_is_named_by_show_interfaces() {
    let rates = [
        61.0, 240.0, 255.0, 231.0, 262.0, 247.0, 238.0, 259.0, 244.0, 251.0,
    ];
    let again = [0, 0, 9, 0, 31, 0, 12, 0, 9, 22];
    let rows: Vec<(f64, u32, f64)> = rates
        .iter()
        .zip(again)
        .map(|(r, a)| (*r, a, 5200.0))
        .collect();
    let log = log(&rows);
    let ping = ping(110.2, 161.0, 198.0);
    let junos = "xe-1/2/0 Physical link is Up\n  Input rate     : 1804113456 bps (251201 pps)\n  Output rate    : 9961204432 bps (941022 pps)\n";
    let whole = "Physical interface: xe-1/2/0, Enabled, Physical link is Up\n  Link-level type: Ethernet, MTU: 9192, Speed: 10Gbps, Loopback: Disabled\n  Input rate     : 1804113456 bps (251201 pps)\n  Output rate    : 9961204432 bps (941022 pps)\n";
    let ios = "TenGigabitEthernet1/2 is up, line protocol is up\n  MTU 9216 bytes, BW 10000000 Kbit, DLY 10 usec,\n  5 minute input rate 1804113000 bits/sec, 251201 packets/sec\n  5 minute output rate 9961204000 bits/sec, 941022 packets/sec\n";
    for router in [junos, whole, ios] {
        let texts = [
            ("log.txt", log.as_str()),
            ("ping.txt", ping.as_str()),
            ("settings.txt", SETTINGS),
            ("router.txt", router),
        ];
        let diagnosis = of_files(&texts, &on("10 Gbit/s"));
        let verdict = &diagnosis.flows[0].verdict;
        assert_eq!(verdict.cause, "cross_traffic", "{router}{verdict:#?}");
        let because = verdict.because.join("\n");
        assert!(because.contains("9.96 Gbit/s"), "{because}");
        // An interface that has room says nothing of the kind.
        let idle = router.replace("9961204", "2961204");
        let mut all = texts.to_vec();
        all[3].1 = &idle;
        let verdict = first(&all, "10 Gbit/s").verdict;
        assert_ne!(verdict.cause, "cross_traffic", "{verdict:#?}");
    }
}

/// Far more was sent than arrives: datagrams, and no windows.
#[test]
fn datagrams_beyond_a_line_or_a_policer_are_treated_as_datagrams() {
    let text = "$ iperf3 -c 203.0.113.7 -u -b 5G -t 10\nConnecting to host 203.0.113.7, port 5201\n[  5] local 192.0.2.4 port 40222 connected to 203.0.113.7 port 5201\n[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams\n[  5]   0.00-10.00  sec  5.82 GBytes  5.00 Gbits/sec  0.000 ms  0/4316298 (0%)  sender\n[  5]   0.00-10.04  sec   334 MBytes   279 Mbits/sec  0.021 ms  4074600/4316298 (94%)  receiver\n";
    let asked = |flow: &FlowReport| -> Vec<&'static str> {
        let tcp = [
            "tcp_info",
            "receive_window_bytes",
            "send_buffer_bytes",
            "rtt",
        ];
        let facts = flow.missing.iter().map(|m| m.fact);
        facts.filter(|f| tcp.contains(f)).collect()
    };
    // The line carries a twentieth of what was sent: it is full.
    let flow = first(&[("log.txt", text)], "300 Mbit/s");
    assert_eq!(flow.verdict.cause, "link", "{:#?}", flow.verdict);
    assert!(asked(&flow).is_empty(), "{:?}", flow.missing);
    // It carries all of it: something on the way lets less through, or the receiver does.
    let flow = first(&[("log.txt", text)], "10 Gbit/s");
    let causes = [
        "policer",
        "client",
        "nic",
        "shaper",
        "unknown",
        "cross_traffic",
    ];
    assert!(causes.contains(&flow.verdict.cause), "{:#?}", flow.verdict);
    assert!(asked(&flow).is_empty(), "{:?}", flow.missing);
    let facts: Vec<&str> = flow.missing.iter().map(|m| m.fact).collect();
    assert!(facts.contains(&"receiver_drops"), "{facts:?}");
    // Nothing is known of the line: it is asked for.
    let flow = of_files(&[("log.txt", text)], &Known::default())
        .flows
        .remove(0);
    assert!(asked(&flow).is_empty(), "{:?}", flow.missing);
    let facts: Vec<&str> = flow.missing.iter().map(|m| m.fact).collect();
    assert!(facts.contains(&"line_bps"), "{facts:?}");
}

/// The sender's intervals are faster than the line: they went into its socket, and do not show that the line was full.
#[test]
fn intervals_above_a_line_do_not_fill_it() {
    let rates = [9.7, 33.0, 53.0, 27.0, 24.0, 51.0, 53.0, 38.0, 55.0, 52.0];
    let again = [1, 12, 495, 578, 333, 6, 7, 4, 0, 0];
    let rows: Vec<(f64, u32, f64)> = rates
        .iter()
        .zip(again)
        .map(|(r, a)| (*r, a, 1800.0))
        .collect();
    let log = log(&rows);
    let sender = log
        .lines()
        .filter(|l| !l.ends_with("receiver"))
        .collect::<Vec<_>>()
        .join("\n");
    let flow = first(&[("log.txt", &sender)], "50 Mbit/s");
    let because = flow.verdict.because.join("\n");
    assert!(
        !because.contains("of what the line leaves"),
        "{:#?}",
        flow.verdict
    );
    assert!(
        flow.verdict.cause != "link" || flow.verdict.confidence < 0.9,
        "{:#?}",
        flow.verdict
    );
}

#[test]
fn a_round_trip_that_no_path_has_is_questioned() {
    let log = log(&[(200.0, 0, 900.0); 6]);
    let known = |rtt: &str| Known {
        rtt: rtt.parse().ok(),
        ..on("1 Gbit/s")
    };
    let notes = of_files(&[("log.txt", &log)], &known("150 s")).notes;
    let question =
        "you: a round trip of 150 s is longer than any path on Earth has: was 150 ms meant?";
    assert!(notes.iter().any(|n| n == question), "{notes:?}");
    assert!(
        of_files(&[("log.txt", &log)], &known("2 s"))
            .notes
            .is_empty()
    );
}
