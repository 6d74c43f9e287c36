//! Captures of a path that was down for a time: the outage is named, and what it took is laid on nothing else.

use farpath_arranged::witness::{Witness, witness};
use farpath_diagnose::{FlowReport, diagnose, read};

use crate::{because, on};

/// A transfer of 10 s at 20 Mbit/s over 140 ms, with captures at the sender and at the receiver.
fn run(loss: &str, events: &str) -> Witness {
    let text = format!(
        r#"[scenario]
name = "down"
[[host]]
name = "a"
profile = "linux-6"
[[host]]
name = "b"
profile = "linux-6"
[[router]]
name = "r"
[[router]]
name = "s"
[[link]]
name = "l"
ends = ["a", "r"]
rate = "1 Gbit/s"
delay = "10 us"
[[link]]
name = "w"
ends = ["r", "s"]
rate = "20 Mbit/s"
delay = "70 ms"
[link.forward]
loss = {loss}
queue = "1bdp"
[[link]]
name = "f"
ends = ["s", "b"]
rate = "1 Gbit/s"
delay = "10 us"
{events}
[[test]]
name = "t"
kind = "tcp"
from = "a"
to = "b"
duration = "10 s"
"#
    );
    let seen = witness(&text, 1, &["l", "f"]).expect("it runs");
    seen.expect("a connection")
}

/// What a capture shows of it.
fn shown(capture: &[u8]) -> FlowReport {
    let name = "end.pcapng".to_owned();
    let source = farpath_trace::Source {
        name: name.clone(),
        bytes: Box::new(capture),
    };
    let analysis = farpath_trace::analyse([source], &mut ()).expect("a capture of ours");
    let mut facts = read(&[]);
    facts.capture(&name, &analysis);
    on("20 Mbit/s").tell(&mut facts);
    diagnose(&facts, "0").flows.remove(0)
}

/// What captures at the sender and at the receiver show of it.
fn captured(loss: &str, events: &str) -> [FlowReport; 2] {
    let seen = run(loss, events);
    ["l", "f"].map(|end| shown(&seen.captures[end]))
}

/// The blocks of a pcapng file as far as its packets are no later than so long after the first, nanoseconds.
fn cut(capture: &[u8], after_ns: u64) -> &[u8] {
    let word = |at: usize| {
        let four: [u8; 4] = capture[at..at + 4].try_into().expect("four bytes");
        u32::from_le_bytes(four)
    };
    let (mut at, mut first) = (0, None);
    while at < capture.len() {
        if word(at) == 6 {
            let ns = u64::from(word(at + 12)) << 32 | u64::from(word(at + 16));
            if ns > *first.get_or_insert(ns) + after_ns {
                break;
            }
        }
        at += word(at + 4) as usize;
    }
    &capture[..at]
}

const DOWN: &str = "[[event]]\nat = \"3 s\"\nlink = \"w\"\nup = false\n[[event]]\nat = \"6 s\"\nlink = \"w\"\nup = true\n";

/// It was other traffic, the line, or losses of a full queue, from one run to the next.
#[test]
fn an_outage_that_cost_most_leads_at_the_sender() {
    let [flow, _] = captured("0", DOWN);
    let why = because(&flow);
    assert_eq!(flow.verdict.cause, "outage", "{:#?}", flow.verdict);
    assert!(why.contains("nothing arrived ("), "{why}");
    assert!(!why.contains("other traffic"), "{why}");
    // No host mends it.
    assert!(flow.changes.is_empty(), "{flow:#?}");
}

#[test]
fn losses_by_chance_are_no_outage() {
    for flow in captured("2e-2", "") {
        assert_ne!(flow.verdict.cause, "outage", "{:#?}", flow.verdict);
    }
}

/// It was slow start, and over in a few round trips: the time after the last acknowledgement did not count.
#[test]
fn a_transfer_that_dies_waits_for_its_path() {
    let down = DOWN.replace("6 s", "9 s");
    let seen = run("0", &down);
    let flow = shown(cut(&seen.captures["l"], 8_900_000_000));
    let why = because(&flow);
    assert_eq!(flow.verdict.cause, "outage", "{:#?}", flow.verdict);
    assert!(
        why.contains("nothing answered until the capture's end"),
        "{why}"
    );
    assert!(flow.verdict.confidence <= 0.9, "{:#?}", flow.verdict);
}
