//! What SACK saved, beside runs of the same path without it.

use farpath_record::trace::{SackBenefit, TraceConnection};

use crate::oracles::tshark;
use crate::runs::{read, run, two_routers};
use crate::shapes::{Tcp, pcap, v4};

/// A path on which segments of one window are lost by order. It holds 500 kB and the window is 450 kB: no queue stands, and
/// nothing else is lost.
fn bursts(lost: &str, more: &str) -> String {
    let wan = "rate = \"100 Mbit/s\"\ndelay = \"20 ms\"\nqueue = \"1bdp\"";
    two_routers(
        "",
        &format!("{wan}\n[link.forward]\nlose = [{lost}]"),
        &format!("cc = \"reno\"\nbytes = \"8 MB\"\nwindow = \"450 kB\"\n{more}"),
    )
}

#[test]
fn what_sack_saved_is_what_a_run_without_it_takes_longer() {
    for (holes, step) in [(2, 40), (6, 12), (12, 6)] {
        let lost: Vec<String> = (0..holes)
            .map(|n| format!("{{ flow = \"bulk\", segment = {} }}", 800 + n * step))
            .collect();
        let lost = lost.join(", ");
        let with = run(&bursts(&lost, "sack = true"));
        let found = read(&with.captures["access"]).document;
        let benefit = found.connections[0].a2b.sack_benefit;
        let benefit = benefit.expect("several holes were repaired at once");
        assert_eq!((benefit.recoveries, benefit.holes), (1, holes));
        let without = run(&bursts(&lost, "sack = false"));
        let found = read(&without.captures["access"]);
        let direction = &found.document.connections[0].a2b;
        assert_eq!(direction.sack_benefit, None);
        let observed = found.found[0][0].observed.as_ref().expect("data");
        let flights = &observed.flights;
        let repair: u64 = flights.iter().map(|f| f.recovery.as_ns()).sum();
        let SackBenefit {
            took_ns,
            without_ns,
            ..
        } = benefit;
        println!("{holes} holes: {took_ns} ns, modelled {without_ns} without, {repair} measured");
        assert!(took_ns < without_ns);
        assert!((without_ns as f64 / repair as f64 - 1.0).abs() < 0.1);
    }
}

/// Acknowledgements of `b` that repeat 1101: with these SACK blocks, in a window of so many bytes.
fn repeats(blocks: &[(u32, u32)], window: u16) -> Tcp {
    let mut options = Vec::new();
    if !blocks.is_empty() {
        options.extend([1, 1, 5, 2 + 8 * blocks.len() as u8]);
    }
    for (start, end) in blocks {
        options.extend(start.to_be_bytes());
        options.extend(end.to_be_bytes());
    }
    Tcp {
        from_a: false,
        seq: 501,
        ack: 1101,
        control: 0x10,
        window,
        options,
        payload: Vec::new(),
    }
}

/// `docs/models/trace.md` has the same table.
#[test]
fn duplicate_acks_are_counted_by_their_rfcs_and_wireshark_has_others() {
    let sent = |seq: u32, control: u8, bytes: usize| Tcp {
        from_a: true,
        seq,
        ack: 501,
        control,
        window: 1000,
        options: Vec::new(),
        payload: vec![0; bytes],
    };
    let mut syn = [sent(100, 2, 0), repeats(&[], 1000)];
    (syn[0].ack, syn[1].ack, syn[1].seq, syn[1].control) = (0, 101, 500, 0x12);
    for end in &mut syn {
        end.options = vec![1, 1, 4, 2];
    }
    let data = [1101, 2101, 3101].map(|seq| sent(seq, 0x10, 1000));
    let first = [
        sent(101, 0x10, 0),
        sent(101, 0x18, 1000),
        repeats(&[], 1000),
    ];
    let idle = [repeats(&[], 1000)];
    let others = [
        repeats(&[], 1000),
        repeats(&[(2101, 3101)], 1000),
        repeats(&[(2101, 4101)], 900),
        repeats(&[(2101, 4101)], 900),
        repeats(&[(101, 1101), (2101, 4101)], 900),
        repeats(&[], 800),
    ];
    let all = syn.iter().chain(&first).chain(&idle).chain(&data);
    let all = all.chain(&others).zip(0..);
    let packets: Vec<_> = all
        .map(|(tcp, n)| {
            let bytes = v4(tcp);
            let length = bytes.len() as u32;
            (n * 10_000_000, bytes, length)
        })
        .collect();
    let file = pcap(101, &packets, false, true);
    let found = read(&file).document;
    // The same window without a block, and new blocks in either window: frames 10, 11 and 12.
    assert_eq!(found.connections[0].a2b.duplicate_acks, 3);
    let theirs = tshark(&file, "tcp.analysis.duplicate_ack", "frame.number");
    assert_eq!(theirs, ["6", "10", "11", "13", "14"]);
}

/// A last segment of 1000 bytes, sent again after so long at a round trip of 100 ms, where these are the options of both SYNs.
fn last_again(options: &[u8], after_us: u64) -> TraceConnection {
    let of = |from_a, seq, ack, control, bytes| Tcp {
        from_a,
        seq,
        ack,
        control,
        window: 60_000,
        options: Vec::new(),
        payload: vec![0; bytes],
    };
    let mut syns = [of(true, 100, 0, 2, 0), of(false, 500, 101, 0x12, 0)];
    for syn in &mut syns {
        syn.options = options.to_vec();
    }
    let [syn, answer] = syns;
    // Microseconds, captured at the sender.
    let all = [
        (0, syn),
        (100_000, answer),
        (100_050, of(true, 101, 501, 0x10, 0)),
        (100_100, of(true, 101, 501, 0x18, 1000)),
        (200_100, of(false, 501, 1101, 0x10, 0)),
        (200_150, of(true, 1101, 501, 0x18, 1000)),
        (200_150 + after_us, of(true, 1101, 501, 0x18, 1000)),
        (300_150 + after_us, of(false, 501, 2101, 0x10, 0)),
    ];
    let packets = all.map(|(at, tcp)| {
        let bytes = v4(&tcp);
        let length = bytes.len() as u32;
        (at * 1000, bytes, length)
    });
    let file = pcap(101, &packets, false, true);
    read(&file).document.connections[0].clone()
}

/// A sender without SACK never probes: its timer ran out.
#[test]
fn a_last_segment_that_comes_again_is_a_probe_only_where_sack_was_agreed() {
    let agreed = last_again(&[2, 4, 5, 180, 1, 1, 4, 2], 220_000)
        .a2b
        .retransmissions;
    assert_eq!((agreed.tlp, agreed.rto), (1, 0), "{agreed:?}");
    let without = last_again(&[2, 4, 5, 180], 220_000).a2b.retransmissions;
    assert_eq!((without.tlp, without.rto), (0, 1), "{without:?}");
}

/// The timeout is one round trip and four mean deviations of half of one: 300 ms. The probe of a segment alone is due by then.
#[test]
fn a_probe_that_is_due_with_the_timer_is_left_open() {
    let is_open = |options: &[u8], after_us: u64| {
        let found = last_again(options, after_us);
        let sent = found.a2b.retransmissions;
        assert_eq!((sent.tlp, sent.rto), (0, 1), "{after_us}: {sent:?}");
        found.notes.iter().any(|n| n.contains("tail loss probe"))
    };
    let mss: [u8; 4] = [2, 4, 5, 180];
    let with_sack = [&mss[..], &[1, 1, 4, 2][..]].concat();
    assert!(is_open(&with_sack, 300_000));
    // No probe without SACK, nor one that is later than the timer.
    assert!(!is_open(&mss, 300_000));
    assert!(!is_open(&with_sack, 1_000_000));
}
