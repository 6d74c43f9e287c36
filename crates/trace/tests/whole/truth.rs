//! Every decision about a segment beside what the sender is known to have sent.

use std::collections::{BTreeMap, BTreeSet};

use crate::runs::{Frame, TAPS, data, read, run, three_routers, with_fixed_windows};

/// What each data segment at a tap was: an original or a repetition, and whether others had overtaken it.
struct Truth {
    /// By instant and offset.
    again: BTreeSet<(i64, u64)>,
    reordered: BTreeSet<(i64, u64)>,
    decisions: usize,
}

/// The sender's own link shows every transmission in order; another link shows which of them came there.
fn truth(sender: &[Frame], tap: &[Frame]) -> Truth {
    let mut sent: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
    for frame in sender {
        sent.entry(frame.offset).or_default().push(frame.stamp);
    }
    let mut truth = Truth {
        again: BTreeSet::new(),
        reordered: BTreeSet::new(),
        decisions: 0,
    };
    let mut met: BTreeMap<u64, usize> = BTreeMap::new();
    let mut highest = 0;
    for frame in tap {
        let stamps = &sent[&frame.offset];
        // Which transmission it is: by its timestamp, and among equals the next one.
        let after = met.get(&frame.offset).copied().unwrap_or(0);
        let is = |n: &usize| stamps[*n] == frame.stamp;
        let number = (after..stamps.len())
            .find(is)
            .or((0..stamps.len()).find(is));
        let number = number.expect("what came was sent");
        met.insert(frame.offset, number + 1);
        let key = (frame.at_ns, frame.offset);
        if number > 0 {
            truth.again.insert(key);
        } else if frame.offset < highest {
            truth.reordered.insert(key);
        }
        truth.decisions += usize::from(number > 0 || frame.offset < highest);
        highest = highest.max(frame.offset + u64::from(frame.length));
    }
    truth
}

/// What was found at a tap beside the truth: right decisions of how many, of repetitions and of reorderings.
fn judge(bytes: &[u8], truth: &Truth) -> [(usize, usize); 2] {
    let analysis = read(bytes);
    let mut again = BTreeSet::new();
    let mut reordered = BTreeSet::new();
    for [a, _] in &analysis.found {
        for segment in &a.segments {
            let key = (segment.at_ns, segment.offset);
            match segment.class {
                "reordered" => reordered.insert(key),
                "network_duplicate" => false,
                _ => again.insert(key),
            };
        }
    }
    let right = |found: &BTreeSet<_>, known: &BTreeSet<_>| {
        let both = found.intersection(known).count();
        (both, found.union(known).count())
    };
    [
        right(&again, &truth.again),
        right(&reordered, &truth.reordered),
    ]
}

/// Runs with losses of several kinds.
fn lossy() -> Vec<(&'static str, String)> {
    let minute = "duration = \"60 s\"";
    let policer = "police = { name = \"p\", rate = \"20 Mbit/s\", burst = \"60 kB\" }";
    let rfc = "duration = \"60 s\"\nflavour = \"rfc\"\nsack = false";
    vec![
        (
            "random",
            three_routers("12 ms", "loss = 0.001", "loss = 0.002", minute),
        ),
        ("queue", three_routers("5 ms", "", "", minute)),
        (
            "heavy",
            three_routers("7 ms", "loss = 0.02", "loss = 0.02", minute),
        ),
        (
            "policed",
            three_routers("12 ms", "", policer, "duration = \"20 s\""),
        ),
        ("long", three_routers("75 ms", "", "loss = 0.0005", minute)),
        (
            "short",
            three_routers(
                "500 us",
                "loss = 0.003",
                "loss = 0.003",
                "duration = \"10 s\"",
            ),
        ),
        ("no SACK", three_routers("10 ms", "loss = 0.02", "", rfc)),
    ]
}

#[test]
fn retransmissions_are_known_at_the_sender_between_and_at_the_receiver() {
    let mut all = [(0, 0); 3];
    for (name, text) in lossy() {
        let run = run(&text);
        let sender = data(&run.captures["access"]);
        for (n, tap) in TAPS.iter().enumerate() {
            let bytes = &run.captures[*tap];
            let truth = truth(&sender, &data(bytes));
            let [(right, of), _] = judge(bytes, &truth);
            let retransmissions = &read(bytes).document.connections[0].a2b.retransmissions;
            println!(
                "{name} at {tap}: {right} of {of} repetitions ({} decisions), {retransmissions:?}, {:?}",
                truth.decisions,
                run.document.records[0].metrics.get("rtos")
            );
            timeouts(&run, retransmissions, name);
            all[n].0 += right;
            all[n].1 += of;
        }
    }
    for (n, (right, of)) in all.into_iter().enumerate() {
        println!("{}: {right} of {of}", TAPS[n]);
        assert!(of > 1000, "{of} decisions");
        assert!(
            right as f64 >= 0.99 * of as f64,
            "{}: {right} of {of}",
            TAPS[n]
        );
    }
}

#[test]
fn reorderings_are_known_with_timestamps_and_mostly_without() {
    let held = "reordering = { share = 0.005, by = \"3 ms\" }\nloss = 0.0005";
    let minute = "duration = \"60 s\"";
    for (stamps, least) in [("", 0.98), ("\ntimestamps = false", 0.95)] {
        let text = three_routers("12 ms", held, "", &format!("{minute}{stamps}"));
        // Without timestamps some repetitions of bursts cannot be distinguished from the reordered.
        let run = match stamps {
            "" => run(&text),
            _ => run(&with_fixed_windows(&text)),
        };
        let sender = data(&run.captures["access"]);
        for tap in ["wan", "far"] {
            let bytes = &run.captures[tap];
            let truth = match stamps {
                "" => truth(&sender, &data(bytes)),
                // Without timestamps the sender's second copies are known by their time: a round trip later.
                _ => truth_by_time(&sender, &data(bytes)),
            };
            let [again, (right, of)] = judge(bytes, &truth);
            println!("reordering{stamps:?} at {tap}: {right} of {of}, repetitions {again:?}");
            assert!(of > 100, "{of} decisions");
            assert!(right as f64 >= least * of as f64, "{right} of {of}");
            assert!(again.1 - again.0 <= 1 + again.1 / 100, "{again:?}");
        }
    }
}

/// Nine tenths of a round trip late, and beyond it: no repetition has the TSval of the segment behind the original.
#[test]
fn what_comes_late_by_most_of_a_round_trip_is_reordered() {
    for by in ["30 ms", "35 ms", "45 ms"] {
        let held = format!("forward = {{ reordering = {{ every = 200, by = \"{by}\" }} }}");
        let bulk = "window = \"200 kB\"\nduration = \"10 s\"";
        let run = run(&three_routers("10 ms", &held, "", bulk));
        let sender = data(&run.captures["access"]);
        for tap in ["wan", "far"] {
            let bytes = &run.captures[tap];
            let [again, (right, of)] = judge(bytes, &truth(&sender, &data(bytes)));
            println!("{by} at {tap}: {right} of {of}, repetitions {again:?}");
            assert!(of > 20, "{by} at {tap}: {of} decisions");
            assert!(right * 100 >= of * 98, "{by} at {tap}: {right} of {of}");
            let wrong = again.1 - again.0;
            assert!(wrong <= 1 + again.1 / 50, "{by} at {tap}: {again:?}");
        }
    }
}

/// As [`truth`], of segments without timestamps: what comes before the sender's second copy is the first.
fn truth_by_time(sender: &[Frame], tap: &[Frame]) -> Truth {
    let mut sent: BTreeMap<u64, Vec<i64>> = BTreeMap::new();
    for frame in sender {
        sent.entry(frame.offset).or_default().push(frame.at_ns);
    }
    let number = |at: i64, offset: u64| -> u32 {
        let before = sent[&offset].iter().filter(|t| **t <= at).count();
        before as u32
    };
    let stamped = |frames: &[Frame]| -> Vec<Frame> {
        let stamp = |f: &Frame| Frame {
            stamp: number(f.at_ns, f.offset),
            ..*f
        };
        frames.iter().map(stamp).collect()
    };
    truth(&stamped(sender), &stamped(tap))
}

/// Episodes after timeouts are as many as the sender counted, within a tenth: of repetitions that were seen leaving.
fn timeouts(run: &crate::runs::Run, found: &farpath_record::trace::Retransmissions, name: &str) {
    let counted = run.document.records[0]
        .metrics
        .get("rtos")
        .copied()
        .unwrap_or(0.0);
    if counted == 0.0 {
        assert!(
            found.rto <= found.total() / 100,
            "{name}: no timeout, and {found:?}"
        );
    }
}

#[test]
fn a_glitch_costs_what_a_run_without_it_delivers_more() {
    for (delay, window) in [("12 ms", "250 kB"), ("40 ms", "800 kB")] {
        let test = format!("window = \"{window}\"\nduration = \"40 s\"");
        let clean = three_routers(delay, "", "", &test);
        let broken = format!(
            "{clean}\n[[event]]\nat = \"10 s\"\nlink = \"wan\"\nup = false\n\
             [[event]]\nat = \"11 s\"\nlink = \"wan\"\nup = true\n"
        );
        let bytes = |run: &crate::runs::Run| run.document.records[0].metrics["bytes"];
        let (clean, broken) = (run(&clean), run(&broken));
        let truth = bytes(&clean) - bytes(&broken);
        assert!(truth > 1e6, "{truth}");
        let found = read(&broken.captures["access"]).document.connections[0]
            .a2b
            .clone();
        let cost: u64 = found.glitches.iter().map(|g| g.cost_bytes).sum();
        println!("{delay}: {cost} of {truth}: {:?}", found.glitches);
        assert!(
            (cost as f64 - truth).abs() <= 0.1 * truth,
            "{cost} of {truth}"
        );
        assert_eq!(found.glitches[0].cause, "loss");
        assert!((9_900_000_000..11_000_000_000).contains(&found.glitches[0].start_ns));
        let before = read(&clean.captures["access"]).document.connections[0]
            .a2b
            .clone();
        assert!(before.glitches.is_empty(), "{:?}", before.glitches);
    }
}
