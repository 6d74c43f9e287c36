//! Values that a run could not hold are refused with the scenario, not found out by a run.

use farpath_scenario::{Document, Source, load};

const PATH: &str = r#"
[scenario]
name = "x"

[[host]]
name = "a"

[[host]]
name = "b"

[[link]]
name = "ab"
ends = ["a", "b"]
framing = "gbe"
delay = "DELAY"

[[test]]
name = "t"
from = "a"
to = "b"
TEST
"#;

/// What is said about a path of `delay` and a test with these lines.
fn said(delay: &str, test: &str) -> String {
    let source = Source {
        name: "x.toml".to_owned(),
        text: PATH.replace("DELAY", delay).replace("TEST", test),
    };
    let scenario = Document::open(&source, &[]).and_then(|d| d.scenario());
    match scenario {
        Ok(_) => String::new(),
        Err(faults) => faults.render(false),
    }
}

#[test]
fn times_beyond_the_clock() {
    let tcp = "kind = \"tcp\"\nduration = \"1 d\"";
    assert_eq!(said("22 h", tcp), ""); // to Voyager
    assert!(said("25 h", tcp).contains("error: `25 h` is too long for `delay`"));
    let long = said("58 ms", "kind = \"tcp\"\nduration = \"200 d\"");
    assert!(
        long.contains("= help: at most 100 d: the clock of a run ends after 213 days"),
        "{long}"
    );
    // Each by itself would do.
    let late = said(
        "58 ms",
        "kind = \"tcp\"\nstart = \"60 d\"\nduration = \"60 d\"",
    );
    assert!(
        late.contains("error: test `t` takes more than 100 days"),
        "{late}"
    );
    let pings = said(
        "58 ms",
        "kind = \"ping\"\ncount = 1000000000\ninterval = \"1 s\"",
    );
    assert!(
        pings.contains("error: test `t` takes more than 100 days"),
        "{pings}"
    );
    let transfer = said("58 ms", "kind = \"tcp\"\nbytes = \"1000000 TB\"");
    assert!(
        transfer.contains("error: test `t` takes more than 100 days"),
        "{transfer}"
    );
}

#[test]
fn words_for_values_that_are_none() {
    let ping = "kind = \"ping\"\ninterval = \"0 s\"";
    assert!(said("1 ms", ping).starts_with("error: an interval of zero"));
    let days = said("1 ms", "kind = \"tcp\"\nduration = \"2 days\"");
    assert!(days.contains("= help: `2 days`: write `2 d`"), "{days}");
}

#[test]
fn a_file_that_does_not_end() {
    let error = load("/dev/zero").expect_err("no text").to_string();
    assert!(error.starts_with("`/dev/zero`: it does not end"), "{error}");
}
