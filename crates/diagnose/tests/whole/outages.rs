//! Records of runs in which a link went down: the outage is named, and a ping's loss is the ping's.

use farpath_diagnose::{Diagnosis, FlowReport, Known};

use crate::of;

/// A run of 30 s whose link was down from 10 to 20 s: TCP, datagrams and a ping at a time. `note` is of TCP, and `between` the ping's hosts.
pub(crate) fn run(note: &str, between: [&str; 2]) -> String {
    let t: Vec<u64> = (1..=30).map(|s| s * 1_000_000_000).collect();
    let v: Vec<u64> = (1..=30)
        .map(|s| {
            if (11..=28).contains(&s) {
                0
            } else {
                94_000_000
            }
        })
        .collect();
    let goodput = format!("{{\"t_ns\": {t:?}, \"v\": {v:?}}}");
    // Datagrams 500 to 999 of 1500, seen to be missing when the next one came.
    let missing = format!(
        "{{\"t_ns\": {:?}, \"v\": {:?}}}",
        [20_020_000_000_u64; 500],
        (500..1000).collect::<Vec<u32>>()
    );
    let [from, to] = between;
    format!(
        r#"{{"schema": "farpath.run/1", "scenario": "outage", "records": [
{{"origin": "simulated", "test": "bulk", "kind": "tcp", "from": "a", "to": "b", "point": {{}}, "repeat": 0, "started_ns": 0, "duration_ns": 30000000000,
"metrics": {{"goodput_bps": 37.6e6, "bytes": 141000000, "rtt_min_ns": 40e6, "rtt_avg_ns": 97e6, "retransmits": 225}}, "limited_by": "link",
"streams": [{{"stream": 0, "limited_by": {{"link": 0.96, "cwnd_slow_start": 0.04}}}}], "series": {{"goodput_bps": {goodput}}}, "valid": true, "notes": [{note}]}},
{{"origin": "simulated", "test": "voice", "kind": "udp", "from": "a", "to": "b", "point": {{}}, "repeat": 0, "started_ns": 0, "duration_ns": 30000000000,
"metrics": {{"goodput_bps": 53e3, "bytes": 200000, "sent": 1500, "received": 1000, "sent_bps": 80e3, "loss_ratio": 0.333}}, "limited_by": "loss", "streams": [],
"series": {{"missing": {missing}}}, "valid": true, "notes": []}},
{{"origin": "simulated", "test": "echo", "kind": "ping", "from": "{from}", "to": "{to}", "point": {{}}, "repeat": 0, "started_ns": 0, "duration_ns": 30000000000,
"metrics": {{"rtt_min_ns": 40e6, "rtt_avg_ns": 66e6, "rtt_max_ns": 145e6, "sent": 30, "received": 21}}, "streams": [], "valid": true, "notes": []}}],
"links": [{{"origin": "simulated", "link": "wan", "direction": "a>b", "point": {{}}, "drops": {{"down": 6426, "tail": 74}}}}]}}"#
    )
}

pub(crate) const NOTE: &str = "\"the path was down for 10.0 s, and nothing new was delivered for 18.0 s (60 % of the time without an answer): the sender waited for its timer\"";

fn flow<'d>(d: &'d Diagnosis, test: &str) -> &'d FlowReport {
    let found = d.flows.iter().find(|f| f.name.contains(test));
    found.unwrap_or_else(|| panic!("{test}: {:?}", d.flows))
}

#[test]
fn an_outage_that_took_most_of_the_time_is_the_cause() {
    let d = of(&run(NOTE, ["a", "b"]), &Known::default());
    for (test, says) in [
        (
            "bulk",
            "for 18.0 s from 10.0 s on nothing arrived (60 % of the time), as a link was down; of the rest a link held it for 96 %",
        ),
        (
            "voice",
            "a link that was down dropped most of the 33.3 % of the datagrams that were lost; for 10.0 s from 10.0 s on none arrived",
        ),
    ] {
        let flow = flow(&d, test);
        let because = flow.verdict.because.join("\n");
        assert_eq!(flow.verdict.cause, "outage", "{test}: {because}");
        assert!(because.contains(says), "{test}: {because}");
        // What a host would change, or a test would say, mends no link.
        assert!(
            flow.changes.is_empty() && flow.missing.is_empty(),
            "{flow:?}"
        );
        // No law is computed of what the outage took.
        assert!(
            !flow.ceilings.iter().any(|c| c.cause == "random_loss"),
            "{flow:?}"
        );
    }
    assert!(d.contradictions.is_empty(), "{:?}", d.contradictions);
    let note = "echo: 9 of 30 pings were lost, and a link was down meanwhile";
    assert!(d.notes.iter().any(|n| n.contains(note)), "{:?}", d.notes);
}

/// Without series the note says how long it was.
#[test]
fn a_record_without_series_has_the_note_of_its_outage() {
    let text = run(NOTE, ["a", "b"]).replace("\"series\"", "\"left\"");
    let d = of(&text, &Known::default());
    let flow = flow(&d, "bulk");
    assert_eq!(flow.verdict.cause, "outage", "{:?}", flow.verdict);
    assert_eq!(flow.verdict.share, Some(0.6));
}

/// A program that pauses makes none, and neither does a link of another path.
#[test]
fn silence_without_a_link_that_was_down_is_none() {
    let d = of(&run("", ["a", "b"]), &Known::default());
    let flow = flow(&d, "bulk");
    let because = flow.verdict.because.join("\n");
    assert!(flow.verdict.cause != "outage", "{because}");
    assert!(!because.contains("outage"), "{because}");
}

/// What a ping loses between other hosts is of no flow, and none of a ping's loss is of datagrams.
#[test]
fn a_pings_loss_is_the_pings() {
    let quiet = run("", ["c", "d"]).replace("\"down\": 6426, ", "").replace(
        "\"limited_by\": \"loss\"",
        "\"limited_by\": \"application\"",
    );
    let none_lost = quiet.replace("\"received\": 1000", "\"received\": 1500");
    let d = of(&none_lost, &Known::default());
    let because = flow(&d, "voice").verdict.because.join("\n");
    assert!(
        because.contains("next to none of the datagrams were lost"),
        "{because}"
    );
    assert!(
        d.notes
            .iter()
            .any(|n| n.contains("pings to d are of no flow's path")),
        "{:?}",
        d.notes
    );
    let bulk = flow(&d, "bulk").verdict.because.join("\n");
    assert!(!bulk.contains("ping or a trace"), "{bulk}");
}

/// What took datagrams is what the record says: no guess at the receiver's interface.
#[test]
fn datagrams_are_taken_by_what_the_record_says() {
    for (word, drops, cause) in [
        ("policer", "\"policed\": 500", "policer"),
        ("link", "\"tail\": 500", "congestion_loss"),
        ("loss", "\"error\": 500", "random_loss"),
        ("host_cpu", "\"host\": 500", "host_cpu"),
    ] {
        let text = run("", ["a", "b"])
            .replace(
                "\"limited_by\": \"loss\"",
                &format!("\"limited_by\": \"{word}\""),
            )
            .replace("\"down\": 6426, \"tail\": 74", drops);
        let d = of(&text, &Known::default());
        let verdict = &flow(&d, "voice").verdict;
        assert_eq!(verdict.cause, cause, "{word}: {verdict:?}");
    }
}

/// What a kernel logged of an interface that did not send stands first where no cause is known.
#[test]
fn an_interface_that_did_not_send_is_said_first() {
    let text = "srv9# dmesg -T | tail -1
[Mon Nov 30 02:41:11 2026] NETDEV WATCHDOG: eno1 (e1000e): transmit queue 0 timed out
mon$ ping -c 10 srv9
PING srv9 (192.0.2.9) 56(84) bytes of data.
10 packets transmitted, 10 received, 0% packet loss, time 9012ms
rtt min/avg/max/mdev = 0.210/0.230/0.260/0.010 ms
";
    let d = of(text, &Known::default());
    let verdict = &d.flows[0].verdict;
    assert_eq!(verdict.cause, "unknown", "{verdict:#?}");
    let first = &verdict.because[0];
    assert!(
        first.starts_with("an interface did not send for seconds")
            && first.contains("eno1 (e1000e): transmit queue 0 timed out (ticket.txt:2)"),
        "{verdict:#?}"
    );
}
