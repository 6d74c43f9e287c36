//! Senders that losses hardly slow down, and rates of which only some digits are known.

use farpath_diagnose::{Diagnosis, Known, diagnose, read};
use farpath_observe::RoundTrips;
use farpath_record::trace::{TraceConnection, TraceDirection, TraceDocument};
use farpath_trace::{Analysis, DirectionFound};

use crate::{of, on};

/// A capture at the sender of 8 MB in 12 s over 600 ms with 32 repetitions, and requests of 200 bytes the other way.
fn download(known: &Known) -> Diagnosis {
    let shares = [("cwnd_recovery", 0.47), ("slow_start", 0.26)];
    let data = TraceDirection {
        segments: 5_600,
        bytes: 8_046_000,
        unique_bytes: 8_000_000,
        retransmitted_segments: 32,
        mss: Some(1428),
        window_scale: Some(10),
        window_max_bytes: 7_500_000,
        flight_max_bytes: 700_000,
        goodput_bps: 5_260_000,
        limit_shares: shares.map(|(word, share)| (word.to_owned(), share)).into(),
        ..TraceDirection::default()
    };
    let asked = TraceDirection {
        segments: 3,
        bytes: 200,
        unique_bytes: 200,
        goodput_bps: 130,
        ..TraceDirection::default()
    };
    let connection = TraceConnection {
        id: 1,
        a: "192.0.2.1:36012".to_owned(),
        b: "192.0.2.2:8080".to_owned(),
        duration_ns: 12_170_000_000,
        vantage: "sender_of_b".to_owned(),
        a2b: asked,
        b2a: data,
        ..TraceConnection::default()
    };
    let seen = |delivered: u64| {
        let mut found = DirectionFound::default();
        let observed = found.observed.get_or_insert_default();
        observed.delivered = delivered;
        observed.rtt = Some(RoundTrips {
            min_ns: 600e6,
            avg_ns: 650e6,
            max_ns: 720e6,
            smoothed: false,
        });
        found
    };
    let analysis = Analysis {
        document: TraceDocument {
            connections: vec![connection],
            ..TraceDocument::new()
        },
        found: vec![[seen(200), seen(8_000_000)]],
        paired: Vec::new(),
    };
    let mut facts = read(&[]);
    facts.capture("server.pcapng", &analysis);
    known.tell(&mut facts);
    diagnose(&facts, "0")
}

fn bbr() -> Known {
    Known {
        cc: Some("bbr".to_owned()),
        ..Known::default()
    }
}

#[test]
fn the_other_direction_of_a_connection_is_no_smaller_one() {
    let d = download(&Known::default());
    assert_eq!(d.flows.len(), 1);
    assert_eq!(d.notes, Vec::<String>::new());
}

/// The law of Reno and CUBIC is said to be theirs where the sender may be another, and is none of BBR.
#[test]
fn a_law_of_losses_says_whose_it_is() {
    let law = |known: &Known| {
        let d = download(known);
        let mut all = d.flows[0].ceilings.iter();
        let found = all.find(|c| c.cause == "random_loss");
        found.map(|c| c.formula.clone())
    };
    let unsaid = law(&Known::default()).expect("a ceiling");
    assert!(unsaid.contains("BBR is not held by"), "{unsaid}");
    assert!(unsaid.contains("far faster"), "{unsaid}");
    assert_eq!(law(&bbr()), None);
    let reno = Known {
        cc: Some("reno".to_owned()),
        ..Known::default()
    };
    assert!(law(&reno).is_some_and(|f| f.starts_with("reno at a loss")));
}

/// What repaired losses took of the time does not say that a policer took them.
#[test]
fn a_kind_of_loss_that_is_a_guess_has_no_change() {
    for known in [Known::default(), bbr()] {
        let d = download(&known);
        let flow = &d.flows[0];
        let said = format!("{:#?}", flow.changes);
        assert!(!said.contains("policer"), "{:?}\n{said}", flow.verdict);
        let empty = flow.changes.iter().any(|c| c.commands.is_empty());
        assert!(!empty, "{said}");
    }
}

const TCP: &str = r#"$ iperf3 -c 203.0.113.9 -t 10 -C bbr
Connecting to host 203.0.113.9, port 5201
[  5] local 192.0.2.140 port 47112 connected to 203.0.113.9 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-5.00   sec  1.10 GBytes  1.89 Gbits/sec  12000   28.1 MBytes
[  5]   5.00-10.00  sec  1.11 GBytes  1.91 Gbits/sec  9000   28.1 MBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00  sec  2.21 GBytes  1.90 Gbits/sec  21000             sender
[  5]   0.00-10.06  sec  2.20 GBytes  1.88 Gbits/sec                  receiver
"#;

const UDP: &str = r#"$ iperf3 -c 203.0.113.9 -u -b 3.1G -l 8948 -t 10
Connecting to host 203.0.113.9, port 5201
[  5] local 192.0.2.140 port 39211 connected to 203.0.113.9 port 5201
[ ID] Interval           Transfer     Bitrate         Total Datagrams
[  5]   0.00-10.00  sec  3.61 GBytes  3.10 Gbits/sec  433057
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams
[  5]   0.00-10.00  sec  3.61 GBytes  3.10 Gbits/sec  0.000 ms  0/433057 (0%)  sender
[  5]   0.00-10.06  sec  2.31 GBytes  1.97 Gbits/sec  0.004 ms  155760/433057 (36%)  receiver
"#;

const PING: &str = "--- 203.0.113.9 ping statistics ---
5 packets transmitted, 5 received, 0% packet loss, time 4006ms
rtt min/avg/max/mdev = 60.044/60.102/60.188/0.051 ms
";

/// Of one test one rate passed, of one line as much is left for large datagrams as for large segments, and a rate that is known to three
/// digits is advised with three.
#[test]
fn datagrams_have_one_rate_and_their_own_size() {
    let d = of(&format!("{TCP}\n{PING}\n{UDP}"), &on("10 Gbit/s"));
    let tcp = &d.flows[0];
    let because = tcp.verdict.because.join("\n");
    assert!(because.contains(": 1.97 Gbit/s passed"), "{because}");
    let commands: Vec<&String> = tcp.changes.iter().flat_map(|c| &c.commands).collect();
    let maxrate = "tc qdisc replace dev INTERFACE root fq maxrate 1970000kbit";
    assert!(commands.iter().any(|c| *c == maxrate), "{commands:?}");
    let line = |n: usize| {
        let mut all = d.flows[n].ceilings.iter();
        all.find(|c| c.cause == "link").map_or(0.0, |c| c.limit_bps)
    };
    // 8948 of 9014: Ethernet's 38 bytes, and 28 of IPv4 and UDP.
    assert!((line(1) / 9.927e9 - 1.0).abs() < 0.002, "{}", line(1));
    // Cut into packets of 1500 bytes as many headers come with them as with segments.
    let cut = UDP.replace("433057", "529000").replace("-l 8948 ", "");
    let d = of(&cut, &on("10 Gbit/s"));
    let mut all = d.flows[0].ceilings.iter();
    let line = all.find(|c| c.cause == "link").map_or(0.0, |c| c.limit_bps);
    assert!((9.4e9..9.7e9).contains(&line), "{line}");
}

/// A sender that paces and still loses to a policer is advised to stay below it, as one whose rate datagrams showed.
#[test]
fn a_sender_that_paces_is_told_one_thing_about_a_policer() {
    let alone = "random loss or policer\n".to_owned() + TCP + PING;
    let d = of(&alone, &on("10 Gbit/s"));
    for change in &d.flows[0].changes {
        let said = change.commands.join("\n");
        if said.contains("policer") {
            assert!(said.contains("fq maxrate RATE"), "{said}");
            assert!(!change.undo.is_empty(), "{change:?}");
        }
    }
}
