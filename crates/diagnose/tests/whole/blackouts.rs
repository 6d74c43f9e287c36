//! Captures of a path that was down for a time: the outage is named, and what it took is laid on nothing else.

use farpath_arranged::witness::witness;
use farpath_diagnose::{FlowReport, diagnose, read};

use crate::{because, on};

/// What captures of 20 Mbit/s over 140 ms show, whose line was down from 3 to 6 of 10 s, at the sender and at the receiver.
fn captured(loss: &str, events: &str) -> [FlowReport; 2] {
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
    let seen = seen.expect("a connection");
    ["l", "f"].map(|end| {
        let source = farpath_trace::Source {
            name: format!("{end}.pcapng"),
            bytes: Box::new(&seen.captures[end][..]),
        };
        let analysis = farpath_trace::analyse([source], &mut ()).expect("a capture of ours");
        let mut facts = read(&[]);
        facts.capture(&format!("{end}.pcapng"), &analysis);
        on("20 Mbit/s").tell(&mut facts);
        diagnose(&facts, "0").flows.remove(0)
    })
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
