use super::*;
use farpath_record::page::*;
use farpath_record::{Expectation, RunDocument, SequenceBurst};

fn data() -> ReportData {
    ReportData {
        schema: SCHEMA.into(),
        document: RunDocument {
            version: "0.1.0".into(),
            expectations: vec![Expectation {
                min: Some(580e6),
                actual: Some(580_061_300.0),
                stated: Some("580/581/584 ms".into()),
                ..Expectation::new(Origin::Simulated, "ping.rtt_avg_ns")
            }],
            ..RunDocument::new("x", 1, "00".into())
        },
        scenario: ScenarioText {
            name: "x".into(),
            text: Some("{{data}}".into()),
            ..ScenarioText::default()
        },
        command: None,
        topology: None,
        paths: Vec::new(),
        keys: Vec::new(),
        said: vec!["ping, simulated: note".into()],
        sequence: Vec::new(),
        captures: Vec::new(),
        notes: Vec::new(),
        laws: Vec::new(),
        comparison: None,
        runs: Vec::new(),
    }
}

/// The file's answer that the scenario does not state was a plain FAIL, by nobody.
#[test]
fn the_plain_part_says_who_judges_and_what_is_not_stated() {
    let mut data = data();
    let e = &mut data.document.expectations[0];
    e.file = Some("course/marks.toml".to_owned());
    e.unstated = Some("the scenario has no expectation of its own of this".to_owned());
    assert!(render(&data).contains("<td>marks.toml not stated</td>"));
    data.document.expectations[0].actual = Some(1.0);
    assert!(render(&data).contains("<td>marks.toml FAIL and not stated</td>"));
}

fn carried(page: &str) -> &str {
    let start = page
        .find("id=\"farpath-data\">")
        .expect("the page carries the data")
        + "id=\"farpath-data\">".len();
    &page[start
        ..start
            + page[start..]
                .find("</script>")
                .expect("the element is closed")]
}

#[test]
fn the_page_carries_the_data_unharmed_by_hostile_text() {
    let mut hostile = data();
    hostile.scenario.summary = Some("</script><!--<script>alert(1)</script> & \"'".into());
    hostile.notes = vec!["<img src=x onerror=alert(1)>".into(), "{{script}}".into()];
    let page = render(&hostile);
    assert!(!carried(&page).contains('<'));
    let back: ReportData = serde_json::from_str(carried(&page)).expect("the data read back");
    assert_eq!(back, hostile);
    assert!(!page.contains("<img") && !page.contains("<script>alert"));
}

#[test]
fn the_page_asks_nothing_of_the_network() {
    let page = render(&data());
    let before_script = &page[..page
        .find("id=\"farpath-data\"")
        .expect("the page carries the data")];
    assert!(page.contains("default-src 'none'"));
    assert!(!before_script.contains("src=") && !before_script.contains("@import"));
}

#[test]
fn the_plain_part_shows_numbers_and_failures_without_a_script() {
    let page = render(&data());
    assert!(page.contains("580.06 ms") && page.contains("FAIL") && page.contains("580/581/584 ms"));
    assert_eq!(SCRIPT.is_empty(), page.contains("make build"));
}

/// As in every other table: a share in percent, and a sign before what an invalid certificate is about.
#[test]
fn the_plain_part_marks_what_may_not_be_trusted() {
    let mut run = data();
    let document = &mut run.document;
    let mut expect = document.expectations[0].clone();
    (expect.metric, expect.min, expect.max) = ("media.loss_ratio".into(), None, Some(0.001));
    (expect.actual, expect.pass) = (Some(0.007_603_041_216_486_595), true);
    let emulated = Expectation {
        origin: Origin::Emulated,
        ..expect.clone()
    };
    document.expectations = vec![expect, emulated];
    let record = |origin, valid| Record {
        valid,
        ..Record::new(origin, "media", "udp", "a", "b")
    };
    document.records = vec![
        record(Origin::Simulated, true),
        record(Origin::Emulated, true),
    ];
    let share = "<td>0.76 %</td><td>at most 0.1 %</td><td>pass</td>";
    let page = render(&run);
    assert_eq!(page.matches(share).count(), 2, "{page}");
    assert!(!page.contains(&format!("<p>{UNTRUSTED}</p>")));
    assert!(!crate::fails(&run.document));
    run.document.records[1].valid = false;
    let page = render(&run);
    assert_eq!(page.matches(share).count(), 1, "{page}");
    let marked = "<td>emulated</td><td>! 0.76 %</td><td>at most 0.1 %</td><td>! pass</td>";
    assert!(page.contains(marked), "{page}");
    assert!(page.contains(&format!("<p>{UNTRUSTED}</p>")));
}

/// A failure that an invalid certificate is about is none; one of a simulation is, whatever that says.
#[test]
fn a_failure_counts_where_its_value_may_be_trusted() {
    let mut run = data().document;
    let record = |origin, valid| Record {
        valid,
        ..Record::new(origin, "ping", "ping", "a", "b")
    };
    run.records = vec![
        record(Origin::Simulated, true),
        record(Origin::Emulated, false),
    ];
    assert!(crate::fails(&run));
    run.expectations[0].origin = Origin::Emulated;
    assert!(!crate::fails(&run));
    run.records.push(record(Origin::Emulated, true));
    assert!(crate::fails(&run), "another repeat is valid");
}

#[test]
fn an_omitted_part_reads_back_as_absent() {
    let text = serde_json::to_string(&data()).expect("plain data serialise");
    assert!(!text.contains("topology") && !text.contains("sequence"));
    let burst: SequenceBurst = serde_json::from_str(r#"{"kind":"ack","t_ns":5,"seq":8948}"#)
        .expect("the rest is optional");
    assert_eq!((burst.n, burst.m, burst.len), (1, 1, 0));
}
