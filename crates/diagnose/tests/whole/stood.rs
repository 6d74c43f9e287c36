//! Captures of paths that lose by chance, by a queue, and by both: the round trip before each loss tells them apart.

use farpath_arranged::witness::witness;
use farpath_diagnose::{FlowReport, diagnose, read};

/// The verdict on what a sender's capture shows of 20 Mbit/s with this round trip, ms, queue and loss.
fn captured(rtt_ms: u32, queue: &str, loss: &str) -> FlowReport {
    let text = format!(
        r#"[scenario]
name = "stood"
[[host]]
name = "a"
profile = "linux-6"
[[host]]
name = "b"
profile = "linux-6"
[[router]]
name = "r"
[[link]]
name = "l"
ends = ["a", "r"]
rate = "1 Gbit/s"
delay = "10 us"
[[link]]
name = "w"
ends = ["r", "b"]
rate = "20 Mbit/s"
delay = "{} us"
[link.forward]
loss = {loss}
queue = "{queue}"
[[test]]
name = "t"
kind = "tcp"
from = "a"
to = "b"
duration = "20 s"
"#,
        500 * rtt_ms
    );
    let seen = witness(&text, 1, &["l"]).expect("it runs");
    let seen = seen.expect("a connection");
    let source = farpath_trace::Source {
        name: "s.pcapng".to_owned(),
        bytes: Box::new(&seen.captures["l"][..]),
    };
    let analysis = farpath_trace::analyse([source], &mut ()).expect("a capture of ours");
    let mut facts = read(&[]);
    facts.capture("s.pcapng", &analysis);
    diagnose(&facts, "0").flows.remove(0)
}

#[test]
fn losses_whatever_stands_in_the_queue_are_of_chance() {
    for (rtt, queue, loss) in [(20, "1bdp", "5e-3"), (10, "1bdp", "1e-2")] {
        let verdict = captured(rtt, queue, loss).verdict;
        assert_eq!(verdict.cause, "random_loss", "{verdict:#?}");
        let why = verdict.because.join("\n");
        assert!(why.contains("came while a queue stood"), "{why}");
    }
}

#[test]
fn losses_of_a_full_queue_are_not_of_chance() {
    for (rtt, queue) in [(20, "0.3bdp"), (20, "1bdp"), (10, "0.3bdp")] {
        let verdict = captured(rtt, queue, "0").verdict;
        let second = verdict.second.as_ref().map(|s| s.cause);
        for cause in [Some(verdict.cause), second] {
            assert!(
                !matches!(cause, Some("random_loss" | "policer")),
                "{verdict:#?}"
            );
        }
    }
}

/// Chance takes three in a thousand, and the short queue the rest: neither is said for sure, and both are named.
#[test]
fn losses_of_either_kind_are_said_of_both() {
    let verdict = captured(10, "0.3bdp", "3e-3").verdict;
    assert!(verdict.confidence <= 0.55, "{verdict:#?}");
    let why = verdict.because.join("\n");
    assert!(why.contains("two causes"), "{why}");
}
