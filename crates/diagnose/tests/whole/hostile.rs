//! Mutated, empty, binary and hostile texts: named, and nothing is guessed at.

use farpath_diagnose::{Known, Source, diagnose, read, twin};
use farpath_mutate::{Corpus, run};

macro_rules! printed {
    ($($name:literal)*) => { [$(include_str!(concat!("../data/", $name))),*] };
}

const TEXTS: [&str; 24] = printed!("slac.txt" "run/iperf3-client.txt" "run/iperf3-reverse.txt" "run/iperf3-bidir.txt" "run/iperf3-udp.txt" "run/iperf2-client.txt"
    "run/iperf2-e.txt" "run/iperf2-server.txt" "run/iperf2-udp.txt" "run/ss-sender.txt" "run/ss-receiver.txt" "run/ping-linux.txt" "run/mtr.txt" "run/traceroute.txt"
    "run/tracepath.txt" "run/fping.txt" "run/ethtool.txt" "run/ip-s-link.txt" "run/tc-s-qdisc.txt" "run/netstat-s.txt" "run/nstat.txt" "run/nuttcp.txt" "run/sysctl.txt"
    "run/snmp.txt");

const ODD: [&str; 16] = [
    "\u{0}",
    "é",
    "-1",
    "1e999",
    "nan",
    "inf",
    "18446744073709551616",
    "0",
    "[",
    "]",
    "/",
    ":",
    "%",
    "\u{a0}",
    "{\"start\":{",
    "\n",
];

fn sources(text: &str) -> [Source; 1] {
    [Source {
        name: "x".to_owned(),
        bytes: text.as_bytes().to_vec(),
    }]
}

/// Whatever was read: if a scenario can be made of it, it is one.
fn a_twin_is_a_scenario(facts: &farpath_diagnose::Facts) {
    let Ok(twin) = twin(facts, 0) else { return };
    for text in [Some(&twin.scenario), twin.after.as_ref()]
        .into_iter()
        .flatten()
    {
        let source = farpath_scenario::Source {
            name: "twin.toml".to_owned(),
            text: text.clone(),
        };
        let read = farpath_scenario::parse(&source, &[]);
        assert!(
            read.is_ok(),
            "{}\n{text}",
            read.err().map_or(String::new(), |e| e.to_string())
        );
    }
}

#[test]
fn mutated_texts_give_a_document_of_numbers() {
    let corpus = Corpus::of(TEXTS).odd(&ODD).by_lines(40);
    let outcomes = run(&corpus, |text, luck| {
        let mut facts = read(&sources(text));
        let empty = facts.is_empty();
        Known {
            line: luck.odds(2).then(|| "1 Gbit/s".parse().ok()).flatten(),
            ..Known::default()
        }
        .tell(&mut facts);
        let d = diagnose(&facts, "0");
        a_twin_is_a_scenario(&facts);
        for flow in &d.flows {
            let v = &flow.verdict;
            assert!((0.0..=1.0).contains(&v.confidence), "{v:?}");
            let all = flow
                .ceilings
                .iter()
                .flat_map(|c| [c.limit_bps, c.low_bps, c.high_bps]);
            assert!(
                all.chain(flow.observed.goodput_bps)
                    .all(|n| n.is_finite() && n >= 0.0),
                "{flow:?}"
            );
        }
        if empty { "nothing" } else { "something" }
    });
    outcomes
        .at_least("something", 0.5)
        .at_least("nothing", 0.001);
}

#[test]
fn mutated_json_is_read_or_left() {
    let corpus = Corpus::of([
        include_str!("../data/run/iperf3.json"),
        include_str!("../data/run/mtr.json"),
    ])
    .odd(&ODD);
    let outcomes = run(&corpus, |text, _| {
        let facts = read(&sources(text));
        drop(diagnose(&facts, "0"));
        if facts.is_empty() { "left" } else { "read" }
    });
    outcomes.at_least("read", 0.05).at_least("left", 0.05);
}

/// Records with numbers, words and lists that no record has.
#[test]
fn mutated_records_give_a_document_of_numbers() {
    let record = r#"{"schema": "farpath.run/1", "records": [{"origin": "captured", "test": "bulk", "kind": "tcp", "from": "a", "to": "b", "point": {"k": "v"}, "repeat": 1,
"started_ns": 5, "duration_ns": 30000000000, "metrics": {"goodput_bps": 40e6, "bytes": 150000000, "rtt_min_ns": 50e6, "rtt_avg_ns": 51e6, "retransmits": 3},
"streams": [{"stream": 0, "limited_by": {"application": 0.5, "unknown": 0.25, "loss": 0.25}}], "valid": false, "notes": ["n"], "evidence_quality": {"vantage": "sender"},
"series": {"goodput_bps": {"t_ns": [1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000, 10000, 11000, 12000], "v": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]},
"cwnd_bytes": {"t_ns": [1000, 12000], "v": [1448, 2896]}},
"taken": {"hosts": [{"name": "a", "os": "linux"}]}}, {"origin": "predicted", "test": "bulk", "kind": "ping", "metrics": {"rtt_min_ns": 5e7, "sent": 5, "received": 4}}]}"#;
    let outage = crate::outages::run(crate::outages::NOTE, ["a", "b"]);
    let corpus = Corpus::of([record, &outage]).odd(&ODD);
    let outcomes = run(&corpus, |text, _| {
        let facts = read(&sources(text));
        for flow in diagnose(&facts, "0").flows {
            let v = &flow.verdict;
            assert!((0.0..=1.0).contains(&v.confidence), "{v:?}");
            let shares = [v.share, v.second.as_ref().and_then(|s| s.share)];
            let known = shares.into_iter().flatten();
            assert!(known.clone().all(|s| (0.0..=1.0).contains(&s)), "{v:?}");
            let then = flow.changes.iter().filter_map(|c| c.then.as_ref());
            assert!(then.map(|t| t.limit_bps).all(|n| n.is_finite() && n >= 0.0));
        }
        if facts.is_empty() { "left" } else { "read" }
    });
    outcomes.at_least("read", 0.05).at_least("left", 0.05);
}

#[test]
fn empty_binary_and_foreign_texts_give_nothing() {
    for text in [
        "",
        "\n\n",
        "Dear all, the network is slow. It takes 3 sec for 12 MBytes - why?",
        "{}",
        "[[[[[[[[[",
        "a: b\nc = d\n[1] 2\n",
    ] {
        let facts = read(&sources(text));
        assert!(
            facts.is_empty() && facts.pieces.is_empty(),
            "{text}: {:?}",
            facts.pieces
        );
    }
    let capture = [
        0x0a, 0x0d, 0x0d, 0x0a, 0x1c, 0, 0, 0, 0x4d, 0x3c, 0x2b, 0x1a,
    ];
    let facts = read(&[Source {
        name: "a.pcapng".to_owned(),
        bytes: capture.to_vec(),
    }]);
    assert!(
        facts.is_empty() && facts.notes[0].contains("not text"),
        "{:?}",
        facts.notes
    );
}

/// Text that begins JSON again and again, and one line without an end, are read once and not once for each beginning.
#[test]
fn hostile_texts_are_read_in_bounded_work() {
    let many = "{\"a\":[{\n".repeat(200_000);
    let long = format!("[  3] {}", "0.0- 5.0 sec ".repeat(100_000));
    for text in [many, long] {
        let facts = read(&sources(&text));
        assert!(facts.is_empty());
        assert!(facts.ignored[0].len() <= 200 && facts.ignored_count[0] > 0);
    }
}

#[test]
fn secrets_are_printed_nowhere() {
    let text = format!(
        "anna@gateway:~$ iperf -c anna@b.example -w 64K\nsnmp-server community s3same RO\nConnecting to host anna@b.example, port 5201\n{}",
        include_str!("../data/run/iperf3-client.txt")
            .split_once('\n')
            .map_or("", |(_, rest)| rest)
    );
    let json = serde_json::to_string(&diagnose(&read(&sources(&text)), "0")).expect("plain values");
    for secret in ["anna", "s3same"] {
        assert!(!json.contains(secret), "{json}");
    }
}
