//! Expectations as JUnit XML: one test case for each expectation, point and origin, and one for each certificate.

use std::io::Write;
use std::time::Duration;

use farpath_record::quantity::{exact, quantity};
use farpath_record::{Certificate, Expect, Expectation, Keys, Point, RunDocument};
use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};

use crate::band::{is_withheld, source_words};
use crate::certificate;
use crate::failures::out_of_range;
use crate::judges::{marks, short};
use crate::validity::Index;

/// Writes the run's expectations and certificates as JUnit XML, and `others` behind them: what was asked for and is not
/// in the document.
///
/// # Errors
/// Those of the sink.
pub fn write(run: &RunDocument, others: &[Case], out: impl Write) -> Result<(), SerializeError> {
    let mut suite = TestSuite::new(run.scenario.as_str());
    suite.add_property(("seed", run.seed.to_string().as_str()));
    suite.add_property(("version", run.built().as_str()));
    if let Some([held, asked]) = marks(run) {
        suite.add_property(("questions", asked.to_string().as_str()));
        suite.add_property(("questions_held", held.to_string().as_str()));
    }
    let keys = Keys::of(run);
    let index = Index::of(run);
    let cases = run.expectations.iter().map(|e| {
        let trusted = index.trusted(&e.metric, e.origin, &e.point);
        case(run, &keys, e, trusted)
    });
    suite.add_test_cases(cases);
    let name = |point: &Point, repeat: u32| {
        let point = at(point, &keys);
        let repeat = if repeat == 0 {
            String::new()
        } else {
            format!(" repeat {}", repeat + 1)
        };
        format!("certificate{point}{repeat} (emulated)")
    };
    let certificates = certificate::each(run).into_iter();
    let certificates = certificates.map(|(point, repeat, certificate)| Case {
        name: name(point, repeat),
        // The code runs on another machine, or again: nothing of what is tested has failed.
        outcome: match certificate.into() {
            Outcome::Fail(faults) => Outcome::Skip(format!("may not be trusted: {faults}")),
            other => other,
        },
    });
    let plain = certificates.chain(others.iter().cloned());
    suite.add_test_cases(plain.map(|case| case.xml(run.scenario.as_str())));
    let mut report = Report::new("farpath");
    report.add_test_suite(suite);
    report.serialize(out)
}

/// A skipped case for each expectation at each of the points that `run` did not come to, and why.
pub fn unjudged(run: &RunDocument, expects: &[Expect], missing: &[Point], why: &str) -> Vec<Case> {
    let keys = Keys::of(run);
    let case = |expect: &Expect, point: &Point| Case {
        name: format!("{}{}", expect.metric, at(point, &keys)),
        outcome: Outcome::Skip(why.to_owned()),
    };
    let at_points = expects.iter().flat_map(|e| {
        let meant = |p: &&Point| e.point.iter().all(|(key, v)| p.get(key) == Some(v));
        missing.iter().filter(meant).map(move |p| case(e, p))
    });
    at_points.collect()
}

/// The case of what was asked for and not run, since it was wrong.
pub fn not_run(why: &str) -> Case {
    // A diagnostic has lines drawn with blanks.
    let why: Vec<&str> = why.split_whitespace().collect();
    Case {
        name: "run".to_owned(),
        outcome: Outcome::Error(format!("not run: {}", why.join(" "))),
    }
}

/// The case of an emulation that was asked for and not run, and why.
pub fn without_emulation(why: &str) -> Case {
    Case {
        name: "certificate (emulated)".to_owned(),
        outcome: Outcome::Skip(why.to_owned()),
    }
}

/// How a case of [`write_cases`] ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// As it should.
    Pass,
    /// Otherwise: what was wrong.
    Fail(String),
    /// It could not be run, and should have been: why.
    Error(String),
    /// It was not run: why.
    Skip(String),
}

impl From<&Certificate> for Outcome {
    fn from(certificate: &Certificate) -> Outcome {
        match certificate.valid {
            true => Outcome::Pass,
            false => Outcome::Fail(certificate.faults.join("; ")),
        }
    }
}

/// One case of [`write_cases`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// Its name, unique in the suite.
    pub name: String,
    /// How it ended.
    pub outcome: Outcome,
}

impl Case {
    fn xml(&self, class: &str) -> TestCase {
        let mut status = match &self.outcome {
            Outcome::Pass => TestCaseStatus::success(),
            Outcome::Fail(_) => TestCaseStatus::non_success(NonSuccessKind::Failure),
            Outcome::Error(_) => TestCaseStatus::non_success(NonSuccessKind::Error),
            Outcome::Skip(_) => TestCaseStatus::skipped(),
        };
        if let Outcome::Fail(message) | Outcome::Error(message) | Outcome::Skip(message) =
            &self.outcome
        {
            status.set_message(message.as_str());
        }
        let mut case = TestCase::new(self.name.as_str(), status);
        case.set_classname(class);
        case
    }
}

/// A case with what else is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// The case.
    pub case: Case,
    /// How long it ran; none where that is not known.
    pub took: Option<Duration>,
    /// What was said of it, as its `system-out`; may be empty.
    pub said: String,
}

impl From<Case> for Told {
    fn from(case: Case) -> Told {
        Told {
            case,
            took: None,
            said: String::new(),
        }
    }
}

/// Writes cases other than a scenario's expectations as JUnit XML, one suite of that name.
///
/// # Errors
/// Those of the sink.
pub fn write_cases(name: &str, cases: &[Told], out: impl Write) -> Result<(), SerializeError> {
    let mut suite = TestSuite::new(name);
    suite.add_test_cases(cases.iter().map(|told| {
        let mut case = told.case.xml(name);
        if let Some(took) = told.took {
            case.set_time(took);
        }
        if !told.said.is_empty() {
            case.set_system_out(told.said.as_str());
        }
        case
    }));
    let mut report = Report::new("farpath");
    report.add_test_suite(suite);
    report.serialize(out)
}

/// The names of a report's first suite and of its first case, as the report has them written; none where it is none of farpath's.
pub fn titles(xml: &str) -> Option<[&str; 2]> {
    let behind = |from: &str| xml.find(from).map(|at| &xml[at + from.len()..]);
    behind("<testsuites name=\"farpath\"")?;
    let named = |tag: &str| {
        let rest = behind(tag)?;
        let (_, rest) = rest.split_once("name=\"")?;
        rest.split_once('"').map(|(name, _)| name)
    };
    Some([named("<testsuite ")?, named("<testcase ")?])
}

/// A sweep point behind a name; nothing without a sweep.
fn at(point: &Point, keys: &Keys) -> String {
    match keys.text(point) {
        text if text.is_empty() => text,
        text => format!(" [{text}]"),
    }
}

/// The case of an expectation; one that fails by a value that may not be `trusted` is skipped.
fn case(run: &RunDocument, keys: &Keys, e: &Expectation, trusted: bool) -> TestCase {
    let point = at(&e.point, keys);
    let name = format!("{}{point} ({})", e.metric, e.origin.name());
    let mut status = TestCaseStatus::success();
    if !e.pass {
        let shown = |v: f64| format!("{} ({})", quantity(&e.metric, v), exact(&e.metric, v));
        let print = |v: Option<f64>| v.map_or_else(|| "none".to_owned(), shown);
        status = match trusted {
            true => TestCaseStatus::non_success(NonSuccessKind::Failure),
            false => TestCaseStatus::skipped(),
        };
        // Who did not answer has one word, and who did not build what was asked for either a second one behind it.
        let outside = if e.is_inside() {
            ""
        } else {
            "outside the band: "
        };
        let unanswered = e.unstated.as_ref();
        let unanswered =
            unanswered.map_or(String::new(), |why| format!("not stated: {why}; {outside}"));
        // What a file's marks want of an answer is not given away with it.
        let withheld = e.unstated.is_some() || is_withheld(e);
        let bounds = match withheld {
            true => String::new(),
            false => format!(", min {}, max {}", print(e.min), print(e.max)),
        };
        let partly = e
            .repeats
            .map_or(String::new(), |partly| format!(", {}", partly.words()));
        status.set_message(format!(
            "{unanswered}actual {}{partly}{bounds}",
            print(e.actual)
        ));
        let forecast = out_of_range(run, e);
        // A note of a file is of whoever marks.
        let note = e.note.as_deref().filter(|_| e.file.is_none());
        let texts = [
            ("absent", e.absent.as_deref()),
            ("not stated", e.unstated.as_deref()),
            ("forecast", forecast.as_deref()),
            ("stated", source_words(e)),
            ("source", e.source.as_deref()),
            ("note", note),
        ];
        let lines = texts
            .iter()
            .filter_map(|(name, text)| text.map(|t| format!("{name}: {t}")));
        status.set_description(lines.collect::<Vec<_>>().join("\n"));
    }
    let mut case = TestCase::new(name, status);
    // Whose expectation it is: a file's may be of what the scenario expects, too.
    case.set_classname(match &e.file {
        Some(file) => format!("{}, {}", run.scenario, short(file)),
        None => run.scenario.clone(),
    });
    if let Some(partly) = e.repeats {
        case.add_property(("repeats", partly.words().as_str()));
    }
    if let Some(question) = e.question {
        case.add_property(("question", question.to_string().as_str()));
    }
    case
}

#[cfg(test)]
mod tests {
    use super::*;
    use farpath_record::{Origin, Partly, Record};

    #[test]
    fn what_could_not_be_run_is_an_error_and_no_failure() {
        let case = Case {
            name: "make".to_owned(),
            outcome: Outcome::Error("not run: no memory".to_owned()),
        };
        let mut xml = Vec::new();
        write_cases("lab", &[Told::from(case)], &mut xml).expect("a Vec takes everything");
        let xml = String::from_utf8(xml).expect("UTF-8");
        let counted = r#"errors="1" failures="0""#;
        assert!(xml.contains(counted), "{xml}");
        assert!(
            xml.contains("<error message=\"not run: no memory\""),
            "{xml}"
        );
    }

    #[test]
    fn a_report_says_of_whom_it_is() {
        let case = Case {
            name: "make \"all\"".to_owned(),
            outcome: Outcome::Pass,
        };
        let mut xml = Vec::new();
        write_cases("lab & path", &[Told::from(case)], &mut xml).expect("a Vec takes everything");
        let xml = String::from_utf8(xml).expect("UTF-8");
        let wanted = ["lab &amp; path", "make &quot;all&quot;"];
        assert_eq!(titles(&xml), Some(wanted), "{xml}");
        assert_eq!(titles("<testsuites name=\"pytest\">"), None);
    }

    /// One of eight that recovered passed for all of them.
    #[test]
    fn a_value_of_some_repeats_says_of_how_many_it_is() {
        let mut run = RunDocument::new("s", 1, String::new());
        run.expectations.push(Expectation {
            max: Some(5.0),
            repeats: Some(Partly { have: 1, of: 8 }),
            absent: Some("repeat 1: no loss".to_owned()),
            ..Expectation::new(Origin::Simulated, "t.recovery_s")
        });
        let mut xml = Vec::new();
        write(&run, &[], &mut xml).expect("a Vec takes everything");
        let xml = String::from_utf8(xml).expect("UTF-8");
        for words in [
            "actual none, 1 of 8 repeats has it, min none",
            r#"<property name="repeats" value="1 of 8 repeats has it"/>"#,
        ] {
            assert!(xml.contains(words), "{xml}");
        }
    }

    #[test]
    fn failures_carry_band_and_value_and_names_are_escaped() {
        let mut run = RunDocument::new("snaky", 1, String::new());
        for (origin, actual, pass) in [
            (Origin::Predicted, Some(580.0e6), true),
            (Origin::Simulated, None, false),
        ] {
            run.expectations.push(Expectation {
                point: [("t.w".to_owned(), "1 MiB".to_owned())].into(),
                min: Some(1e6),
                actual,
                stated: Some("\"one\" & <a half>".to_owned()),
                pass,
                ..Expectation::new(origin, "link.stm64.a>b.bytes")
            });
        }
        let mut xml = Vec::new();
        write(&run, &[], &mut xml).expect("a Vec takes everything");
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

    /// A report had cases alone, of which a question has as many as the sweep has points.
    #[test]
    fn a_report_counts_questions() {
        let held = Expectation {
            actual: Some(1.0),
            file: Some("marks.toml".to_owned()),
            question: Some(1),
            pass: true,
            ..Expectation::new(Origin::Simulated, "t.goodput_bps")
        };
        let mut missed = held.clone();
        (missed.question, missed.pass) = (Some(2), false);
        let mut run = RunDocument::new("s", 1, String::new());
        run.expectations = vec![held.clone(), held, missed];
        let mut xml = Vec::new();
        write(&run, &[], &mut xml).expect("a Vec takes everything");
        let xml = String::from_utf8(xml).expect("UTF-8");
        for property in [
            r#"<property name="questions" value="2"/>"#,
            r#"<property name="questions_held" value="1"/>"#,
            r#"<property name="question" value="2"/>"#,
        ] {
            assert!(xml.contains(property), "{xml}");
        }
    }

    /// The band of a missing result and the note of marks were written.
    #[test]
    fn what_marks_want_is_in_no_report() {
        let missing = Expectation {
            note: Some("half of the line".to_owned()),
            file: Some("marks.toml".to_owned()),
            ..Expectation::new(Origin::Simulated, "t.goodput_bps")
        };
        let mut unstated = missing.clone();
        unstated.unstated = Some("there is none".to_owned());
        (unstated.min, unstated.actual) = (Some(5e6), Some(4e6));
        unstated.stated = Some("half of the line".to_owned());
        let mut answered = unstated.clone();
        (answered.unstated, answered.asks) = (None, true);
        for one in [missing, unstated, answered] {
            let mut run = RunDocument::new("s", 1, String::new());
            run.expectations.push(one);
            let mut xml = Vec::new();
            write(&run, &[], &mut xml).expect("a Vec takes everything");
            let xml = String::from_utf8(xml).expect("UTF-8");
            assert!(xml.contains("actual "), "{xml}");
            assert!(
                !xml.contains("min ") && !xml.contains("half of the line"),
                "{xml}"
            );
        }
    }

    #[test]
    fn a_certificate_is_a_case_and_an_emulation_that_was_not_run_is_skipped() {
        let mut run = RunDocument::new("snaky", 1, String::new());
        for (repeat, valid) in [(0, true), (0, true), (1, false)] {
            let mut record = Record::new(Origin::Emulated, "bulk", "tcp", "a", "b");
            record.repeat = repeat;
            record.certificate = Some(Certificate {
                valid,
                faults: vec!["it starved".to_owned(); usize::from(!valid)],
                ..Certificate::default()
            });
            run.records.push(record);
        }
        let text = |others: &[Case]| {
            let mut xml = Vec::new();
            write(&run, others, &mut xml).expect("a Vec takes everything");
            String::from_utf8(xml).expect("UTF-8")
        };
        let xml = text(&[]);
        assert!(
            xml.contains(r#"tests="2" skipped="1" errors="0" failures="0">"#),
            "{xml}"
        );
        assert!(xml.contains("may not be trusted: it starved"), "{xml}");
        assert!(
            xml.contains(r#"name="certificate repeat 2 (emulated)""#),
            "{xml}"
        );
        assert!(xml.contains("it starved"), "{xml}");
        let xml = text(&[without_emulation("no user namespaces")]);
        assert!(
            xml.contains(r#"skipped="2""#) && xml.contains("no user namespaces"),
            "{xml}"
        );
    }
}
