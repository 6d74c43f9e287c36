//! Data that nobody acknowledges any more: its sender waits until the capture ends, and that time counts.

use farpath_trace::Analysis;

use crate::bare::analysis;
use crate::shapes::{Tcp, connection};

const MS: u64 = 1_000_000;

/// Twenty segments, of which the last is sent again so many milliseconds after its first and never acknowledged.
fn dies(again_ms: &[u64]) -> Vec<(u64, Tcp)> {
    let mut packets = connection(20);
    // SYN, SYN-ACK, ACK, then each segment and its acknowledgement.
    packets.truncate(3 + 2 * 19 + 1);
    let (at, last) = packets.last().cloned().expect("a segment");
    packets.extend(again_ms.iter().map(|ms| (at + ms * MS, last.clone())));
    packets
}

fn notes(found: &Analysis) -> String {
    found.document.connections[0].notes.join("\n")
}

#[test]
fn the_time_without_an_answer_counts_until_the_last_sending() {
    let found = analysis(&dies(&[300, 900, 2100, 4500]));
    let a = &found.document.connections[0].a2b;
    assert_eq!(a.limited_by.as_deref(), Some("loss"), "{a:?}");
    assert!(a.limit_shares["loss"] > 0.9, "{a:?}");
    assert!(a.goodput_bps < 40_000, "{a:?}");
    let [of_a, of_b] = &found.found[0];
    let silent = of_a.unanswered.expect("no answer");
    assert_eq!((silent.again, silent.timeouts), (4, 4));
    assert!(!silent.heard);
    assert_eq!(silent.until_ns - silent.since_ns, 4_500_000_000);
    assert!(of_b.unanswered.is_none());
    let says = "sent data again 4 times and nothing more of it was acknowledged in the last 4.5 s";
    assert!(notes(&found).contains(says), "{}", notes(&found));
}

/// The other end repeats what it acknowledged last: the way back is open.
#[test]
fn an_end_that_is_heard_of_is_not_gone() {
    let mut packets = dies(&[300, 900, 2100]);
    let repeated = packets[packets.len() - 5].1.clone();
    assert!(!repeated.from_a);
    let at = packets[packets.len() - 3].0 + 10 * MS;
    packets.push((at, repeated));
    packets.sort_by_key(|p| p.0);
    let found = analysis(&packets);
    let silent = found.found[0][0].unanswered.expect("no answer");
    assert!(silent.heard);
    let says = "the other end is heard of, and takes no more of it";
    assert!(notes(&found).contains(says), "{}", notes(&found));
}

/// A capture that ends while a loss is repaired shows no path that is down.
#[test]
fn one_timeout_at_the_end_is_a_loss() {
    let found = analysis(&dies(&[300]));
    assert!(found.found[0][0].unanswered.is_none());
    let a = &found.document.connections[0].a2b;
    assert!(a.goodput_bps > 500_000, "{a:?}");
    assert!(!notes(&found).contains("sent data again"));
}
