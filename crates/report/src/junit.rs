//! Expectations as JUnit XML: one test case for each expectation, point and origin.

use std::io::Write;

use farpath_record::{Expectation, RunDocument};
use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};

use crate::quantity::{exact, quantity};

/// Writes the run's expectations as JUnit XML.
///
/// # Errors
/// Those of the sink.
pub fn write(run: &RunDocument, out: impl Write) -> Result<(), SerializeError> {
    let mut suite = TestSuite::new(run.scenario.as_str());
    suite.add_property(("seed", run.seed.to_string().as_str()));
    suite.add_property(("version", run.version.as_str()));
    suite.add_test_cases(run.expectations.iter().map(|e| case(run, e)));
    let mut report = Report::new("farpath");
    report.add_test_suite(suite);
    report.serialize(out)
}

/// How a case of [`write_cases`] ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// As it should.
    Pass,
    /// Otherwise: what was wrong.
    Fail(String),
    /// It was not run: why.
    Skip(String),
}

/// One case of [`write_cases`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// Its name, unique in the suite.
    pub name: String,
    /// How it ended.
    pub outcome: Outcome,
}

/// Writes cases that are no scenario's expectations as JUnit XML, one suite of that name.
///
/// # Errors
/// Those of the sink.
pub fn write_cases(name: &str, cases: &[Case], out: impl Write) -> Result<(), SerializeError> {
    let mut suite = TestSuite::new(name);
    suite.add_test_cases(cases.iter().map(|case| {
        let mut status = match &case.outcome {
            Outcome::Pass => TestCaseStatus::success(),
            Outcome::Fail(_) => TestCaseStatus::non_success(NonSuccessKind::Failure),
            Outcome::Skip(_) => TestCaseStatus::skipped(),
        };
        if let Outcome::Fail(message) | Outcome::Skip(message) = &case.outcome {
            status.set_message(message.as_str());
        }
        let mut case = TestCase::new(case.name.as_str(), status);
        case.set_classname(name);
        case
    }));
    let mut report = Report::new("farpath");
    report.add_test_suite(suite);
    report.serialize(out)
}

fn case(run: &RunDocument, e: &Expectation) -> TestCase {
    let point = if e.point.is_empty() {
        String::new()
    } else {
        format!(" [{}]", e.point_text())
    };
    let name = format!("{}{point} ({})", e.metric, e.origin.name());
    let mut status = TestCaseStatus::success();
    if !e.pass {
        let shown = |v: f64| format!("{} ({})", quantity(&e.metric, v), exact(&e.metric, v));
        let print = |v: Option<f64>| v.map_or_else(|| "none".to_owned(), shown);
        status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        status.set_message(format!(
            "actual {}, min {}, max {}",
            print(e.actual),
            print(e.min),
            print(e.max)
        ));
        let texts = [
            ("stated", &e.stated),
            ("source", &e.source),
            ("note", &e.note),
        ];
        let lines = texts
            .iter()
            .filter_map(|(name, text)| text.as_ref().map(|t| format!("{name}: {t}")));
        status.set_description(lines.collect::<Vec<_>>().join("\n"));
    }
    let mut case = TestCase::new(name, status);
    case.set_classname(run.scenario.as_str());
    case
}

#[cfg(test)]
mod tests {
    use super::*;
    use farpath_record::Origin;

    #[test]
    fn failures_carry_band_and_value_and_names_are_escaped() {
        let mut run = RunDocument::new("snaky", 1, String::new());
        for (origin, actual, pass) in [
            (Origin::Predicted, Some(580.0e6), true),
            (Origin::Simulated, None, false),
        ] {
            run.expectations.push(Expectation {
                metric: "link.stm64.a>b.bytes".to_owned(),
                origin,
                point: [("t.w".to_owned(), "1 MiB".to_owned())].into(),
                min: Some(1e6),
                max: None,
                actual,
                stated: Some("\"one\" & <a half>".to_owned()),
                source: None,
                note: None,
                pass,
            });
        }
        let mut xml = Vec::new();
        write(&run, &mut xml).expect("a Vec takes everything");
        let xml = String::from_utf8(xml).expect("UTF-8");
        assert!(
            xml.contains(
                r#"<testsuite name="snaky" tests="2" skipped="0" errors="0" failures="1">"#
            ),
            "{xml}"
        );
        assert!(
            xml.contains(r#"name="link.stm64.a&gt;b.bytes [t.w=1 MiB] (predicted)""#),
            "{xml}"
        );
        assert!(
            xml.contains("actual none, min 1 MB (1000000 B), max none"),
            "{xml}"
        );
        assert!(xml.contains("&lt;a half&gt;"), "{xml}");
    }
}
