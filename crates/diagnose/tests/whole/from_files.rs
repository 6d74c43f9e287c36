//! Tests that send a file: what holds them is where the file comes from, and what a test from memory shows beside them.

use farpath_diagnose::{Diagnosis, FlowReport};

use crate::{of_files, on};

/// A test whose client has this port and these Gbit/s; the command and closing line of one with a file.
fn log(port: u16, gbits: f64, file: Option<&str>) -> String {
    let gbytes = gbits * 10.0 / 8.0 / 1.073_741_824;
    let (option, closing) = match file {
        Some(path) => (
            format!(" -F {path}"),
            format!("        Sent {gbytes:.2} GByte / 40.0 GByte (9%) of {path}\n"),
        ),
        None => (String::new(), String::new()),
    };
    let rows: String = (0..10)
        .map(|n| {
            let uneven = if file.is_some() {
                [0.5, 1.4, 1.1][n % 3]
            } else {
                1.0
            };
            let gbits = gbits * uneven;
            format!(
                "[  5]  {n:.2}-{:.2}  sec  {:.0} MBytes  {:.0} Mbits/sec    0   {:.1} MBytes\n",
                n as f64 + 1.0,
                gbits * 1e9 / 8.0 / 1_048_576.0,
                gbits * 1e3,
                40.0 + n as f64
            )
        })
        .collect();
    format!(
        "$ iperf3 -c 203.0.113.20{option}\nConnecting to host 203.0.113.20, port 5201\n[  5] local 192.0.2.20 port {port} connected to 203.0.113.20 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n{rows}- - - - - - - - - - - - -\n[ ID] Interval           Transfer     Bitrate         Retr\n[  5]   0.00-10.00  sec  {gbytes:.2} GBytes  {gbits:.2} Gbits/sec    0             sender\n[  5]   0.00-10.05  sec  {gbytes:.2} GBytes  {:.2} Gbits/sec                  receiver\n{closing}\niperf Done.\n",
        gbits * 0.995
    )
}

const PING: &str = "PING 203.0.113.20 (203.0.113.20) 56(84) bytes of data.\n\n--- 203.0.113.20 ping statistics ---\n10 packets transmitted, 10 received, 0% packet loss, time 9010ms\nrtt min/avg/max/mdev = 61.0/61.1/61.3/0.1 ms\n";

const FILE: &str = "/srv/runs/r77.dat";

/// What the kernel says of the connection with the file: its program gives it too little.
const SS: &str = "ESTAB 0      0      192.0.2.20:41400 203.0.113.20:5201\n\t cubic wscale:14,14 rto:292 rtt:61.1/0.1 mss:1448 pmtu:1500 cwnd:28000 bytes_sent:1700000000 bytes_acked:1700000000 delivery_rate 2100000000bps app_limited busy:5200ms minrtt:61.0 snd_wnd:142606336\n";

fn of(files: &[(&str, &str)]) -> Diagnosis {
    of_files(files, &on("10Gbit/s"))
}

fn slow(d: &Diagnosis) -> &FlowReport {
    let is = |f: &&FlowReport| f.observed.goodput_bps.is_some_and(|bps| bps < 3e9);
    d.flows.iter().find(is).expect("it was slow")
}

#[test]
fn the_files_source_is_suspected_and_memory_is_not_asked_for() {
    let file = log(41400, 2.02, Some(FILE));
    let memory = log(41500, 9.21, None);
    for files in [
        vec![("file.txt", file.clone()), ("memory.txt", memory.clone())],
        vec![("all.txt", format!("{memory}\n{file}"))],
        vec![("all.txt", format!("{file}\n{memory}"))],
    ] {
        let mut files: Vec<(&str, &str)> = files.iter().map(|(n, t)| (*n, t.as_str())).collect();
        files.extend([("ping.txt", PING), ("ss.txt", SS)]);
        let d = of(&files);
        let flow = slow(&d);
        assert_eq!(flow.verdict.cause, "application", "{:#?}", flow.verdict);
        let because = flow.verdict.because.join("\n");
        assert!(because.contains("4.6 times as much"), "{because}");
        assert!(because.contains(FILE), "{because}");
        let commands = flow.changes[0].commands.join("\n");
        assert!(
            commands.contains("carried 9.16 Gbit/s from memory"),
            "{commands}"
        );
        assert!(commands.contains(&format!("dd if={FILE}")), "{commands}");
        assert!(!commands.contains("test from memory"), "{commands}");
        assert!(flow.missing.iter().any(|m| m.fact == "disk_busy_ratio"));
        // The other sent no file.
        let other = d
            .flows
            .iter()
            .find(|f| f.name != flow.name || f.observed != flow.observed);
        let other = format!("{:?}", other.expect("there are two").changes);
        assert!(!other.contains(FILE), "{other}");
    }
    let alone = of(&[("file.txt", &file), ("ping.txt", PING), ("ss.txt", SS)]);
    let commands = slow(&alone).changes[0].commands.join("\n");
    assert!(
        commands.contains("test from memory, without -F"),
        "{commands}"
    );
}

/// A copy that names no host: the test with a file says nothing of the path, and the faster one, which lost nothing, does.
#[test]
fn a_clean_test_from_memory_speaks_for_a_copy() {
    let copy = "sent 18,000,000,000 bytes  received 91 bytes  251,000,000.00 bytes/sec\ntotal size is 17,999,000,000  speedup is 1.00\n";
    let file = log(41400, 2.02, Some(FILE));
    let memory = log(41500, 9.21, None);
    let files = [
        ("rsync.txt", copy),
        ("file.txt", &file),
        ("memory.txt", &memory),
        ("ping.txt", PING),
    ];
    let d = of(&files);
    let is = |f: &&FlowReport| f.name.contains("sender > receiver");
    let flow = d.flows.iter().find(is).expect("the copy");
    let because = flow.verdict.because.join("\n");
    assert!(because.contains("4.6 times as much"), "{because}");
    let second = flow.verdict.second.as_ref().map_or("", |s| s.cause);
    for cause in [flow.verdict.cause, second] {
        assert!(
            !cause.ends_with("loss") && cause != "policer",
            "{:#?}",
            flow.verdict
        );
    }
    let asked: Vec<&str> = flow.missing.iter().map(|m| m.fact).collect();
    assert!(!asked.contains(&"test_rate_bps"), "{asked:?}");
    assert!(!asked.contains(&"retransmits"), "{asked:?}");
}
