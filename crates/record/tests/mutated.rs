//! Mutated documents: the reader may refuse them, must not panic, and says where and why.

use std::collections::BTreeMap;

use farpath_mutate::{Corpus, run};
use farpath_record::compare::{Named, origins};
use farpath_record::read;

const SMALL: &str = r#"{"schema": "farpath.run/1", "scenario": "s", "version": "0.1.0", "seed": 1, "scenario_sha256": "00",
"records": [
{"schema": "farpath.record/1", "origin": "simulated", "test": "bulk", "kind": "tcp", "from": "a", "to": "b", "point": {"w": "1"}, "repeat": 0, "started_ns": 0, "duration_ns": 5, "metrics": {"goodput_bps": 1e6, "rtos": 0}, "limited_by": null, "streams": [], "series": {"v": {"t_ns": [0, 1], "v": [1, null]}}, "valid": true, "notes": []},
{"schema": "farpath.record/1", "origin": "predicted", "test": "bulk", "kind": "tcp", "from": "a", "to": "b", "point": {"w": "1"}, "repeat": 0, "started_ns": 0, "duration_ns": 5, "metrics": {"goodput_bps": 990000}, "limited_by": "loss", "streams": [], "series": {}, "valid": true, "notes": []}],
"links": [], "expectations": []}"#;

const ODD: [&str; 24] = [
    "null",
    "true",
    "-1",
    "1e308",
    "1e309",
    "-0.0",
    "18446744073709551616",
    "\"\"",
    "[]",
    "{}",
    "[[[[",
    "{\"a\":",
    "simulated",
    "predicted",
    "captured",
    "farpath.record/1",
    "bulk",
    "\\u0000",
    "\\ud800",
    "\u{fffd}",
    "metrics",
    "series",
    "t_ns",
    "9007199254740993",
];

#[test]
fn documents_are_read_or_refused_with_place_and_cause() {
    let outcomes = run(&Corpus::of([SMALL]).odd(&ODD), |text, _| {
        let document = match read("x.json", text) {
            Ok(document) => document,
            Err(e) => {
                let said = e.to_string();
                assert!(
                    said.starts_with("read x.json") && !e.remedy.is_empty(),
                    "{said}"
                );
                assert!(said.lines().count() == 1, "{said}");
                return "refused";
            }
        };
        let name = "x.json".to_owned();
        let keys = BTreeMap::new();
        let named = Named {
            name,
            keys,
            document,
        };
        if let Ok(found) = origins(&[named], Some(0.01)) {
            assert!(found.rows.iter().all(|r| r.a.mean.is_finite()));
        }
        "read"
    });
    outcomes.at_least("read", 0.04).at_least("refused", 0.04);
}

#[test]
fn a_fault_is_named_with_its_place_and_remedy() {
    let refuse = |text: &str, place: &str, cause: &str, remedy: &str| {
        let e = read("x.json", text).expect_err(cause);
        assert!(e.place.starts_with(place), "{e}");
        assert!(e.cause.contains(cause), "{e}");
        assert!(e.remedy.contains(remedy), "{}", e.remedy);
    };
    assert!(read("x.json", SMALL).is_ok());
    let with = |from: &str, to: &str| SMALL.replacen(from, to, 1);
    refuse(&SMALL[..400], "x.json:3:", "EOF", "ends too early");
    refuse("", "x.json:1:0", "EOF", "ends too early");
    refuse("hello", "x.json:1:1", "expected value", "farpath run");
    refuse(
        &with("\"simulated\"", "\"guessed\""),
        "x.json:3:",
        "unknown variant `guessed`",
        "farpath run",
    );
    refuse(
        &with("\"repeat\": 0, ", ""),
        "x.json:3:",
        "missing field `repeat`",
        "farpath run",
    );
    refuse(
        &with("farpath.run/1", "farpath.run/9"),
        "x.json",
        "schema is `farpath.run/9`",
        "records.json",
    );
    refuse(
        r#"{"schema": "farpath.predict/1", "results": []}"#,
        "x.json",
        "`farpath.predict/1`",
        "records.json",
    );
    refuse(
        &with("farpath.record/1", "farpath.record/2"),
        "x.json, record 0 (bulk)",
        "`farpath.record/2`",
        "farpath run",
    );
    refuse(
        &with("\"test\": \"bulk\"", "\"test\": \"\""),
        "x.json, record 0",
        "names no test",
        "farpath run",
    );
    refuse(
        &with("[0, 1]", "[0]"),
        "x.json, record 0 (bulk)",
        "1 instants and 2 values",
        "farpath run",
    );
    refuse(
        &with("\"rtos\"", "\"\""),
        "x.json, record 0 (bulk)",
        "metric without a name",
        "farpath run",
    );
}
