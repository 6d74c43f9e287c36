use super::*;
use farpath_record::page::*;
use farpath_record::{RunDocument, SequenceBurst};

fn data() -> ReportData {
    ReportData {
        schema: SCHEMA.into(),
        document: RunDocument {
            schema: "farpath.run/1".into(),
            scenario: "x".into(),
            commit: None,
            version: "0.1.0".into(),
            seed: 1,
            scenario_sha256: "00".into(),
            sweep: Vec::new(),
            link_names: Vec::new(),
            records: Vec::new(),
            links: Vec::new(),
            expectations: vec![Expectation {
                metric: "ping.rtt_avg_ns".into(),
                origin: Origin::Simulated,
                point: Point::new(),
                min: Some(580e6),
                max: None,
                actual: Some(580_061_300.0),
                absent: None,
                unstated: None,
                stated: Some("580/581/584 ms".into()),
                source: None,
                note: None,
                file: None,
                pass: false,
            }],
            repeats: None,
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
        comparison: None,
        runs: Vec::new(),
    }
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
    assert!(
        page.contains("580.061 ms") && page.contains("FAIL") && page.contains("580/581/584 ms")
    );
    assert_eq!(SCRIPT.is_empty(), page.contains("make build"));
}

#[test]
fn quantities_carry_the_unit_of_their_key() {
    assert_eq!(quantity("a.rtt_avg_ns", 580_061_300.0), "580.061 ms");
    assert_eq!(quantity("goodput_bps", 990.04e6), "990.040 Mbit/s");
    assert_eq!(
        quantity("link.a.x>y.bytes over link.a.y>x.bytes", 1.494),
        "1.4940"
    );
    assert_eq!(quantity("rtt_avg_ns minus rtt_min_ns", 500.0), "500.000 ns");
    assert_eq!(quantity("sent", 5.0), "5");
}

#[test]
fn an_omitted_part_reads_back_as_absent() {
    let text = serde_json::to_string(&data()).expect("plain data serialise");
    assert!(!text.contains("topology") && !text.contains("sequence"));
    let burst: SequenceBurst = serde_json::from_str(r#"{"kind":"ack","t_ns":5,"seq":8948}"#)
        .expect("the rest is optional");
    assert_eq!((burst.n, burst.m, burst.len), (1, 1, 0));
}
