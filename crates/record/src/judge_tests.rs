use std::collections::BTreeMap;

use super::*;
use crate::results::median;
use crate::{LinkRecord, Record};

fn record(origin: Origin, test: &str, metric: &str, value: f64) -> Record {
    let mut r = Record::new(origin, test, "tcp", "a", "b");
    r.set(metric, value);
    r
}

fn at(mut r: Record, window: &str) -> Record {
    r.point
        .insert("test.bulk.window".to_owned(), window.to_owned());
    r
}

fn link() -> LinkRecord {
    LinkRecord {
        bytes: 300,
        payload_bytes: 250,
        offered: Some(5),
        frames: 3,
        drops: BTreeMap::from([("tail".to_owned(), 2), ("error".to_owned(), 1)]),
        t_ns: vec![100, 300],
        rate_bps: vec![6.0, 3.0],
        queue_bytes: vec![10.0, 7.0],
        ..LinkRecord::new(Origin::Simulated, "stm64", "a>b")
    }
}

fn expect(metric: &str, min: f64, max: f64) -> Expect {
    Expect {
        metric: metric.to_owned(),
        min: Some(min),
        max: Some(max),
        ..Expect::default()
    }
}

const BOTH: [Origin; 2] = [Origin::Predicted, Origin::Simulated];

fn passes(judged: &[Expectation]) -> Vec<(Origin, Option<f64>, bool)> {
    judged
        .iter()
        .map(|e| (e.origin, e.actual, e.pass))
        .collect()
}

fn run(
    expect: Expect,
    records: &[Record],
    links: &[LinkRecord],
    ran: &[Origin],
) -> Vec<Expectation> {
    judge(&[expect], Results { records, links }, ran)
}

#[test]
fn every_origin_that_ran_is_judged_and_bounds_are_inclusive() {
    let records = [
        record(Origin::Predicted, "t", "goodput_bps", 10.0),
        record(Origin::Simulated, "t", "goodput_bps", 9.0),
    ];
    let judged = run(expect("t.goodput_bps", 10.0, 11.0), &records, &[], &BOTH);
    assert_eq!(
        passes(&judged),
        [
            (Origin::Predicted, Some(10.0), true),
            (Origin::Simulated, Some(9.0), false)
        ]
    );
}

#[test]
fn links_are_judged_where_they_exist_only() {
    let cases = [
        ("bytes", 300.0),
        ("payload_bytes", 250.0),
        ("offered", 5.0),
        ("frames", 3.0),
        ("drops", 3.0),
        ("drops.tail", 2.0),
        ("drops.mtu", 0.0),
        ("rate_max_bps", 6.0),
        ("rate_mean_bps", 4.0),
        ("queue_max_bytes", 10.0),
    ];
    for (metric, value) in cases {
        let judged = run(
            expect(&format!("link.stm64.a>b.{metric}"), value, value),
            &[],
            &[link()],
            &BOTH,
        );
        assert_eq!(
            passes(&judged),
            [(Origin::Simulated, Some(value), true)],
            "{metric}"
        );
    }
    let judged = run(
        expect("link.stm64.a>b.drops.luck", 0.0, 0.0),
        &[],
        &[link()],
        &BOTH,
    );
    assert_eq!(passes(&judged), [(Origin::Simulated, None, false)]);
}

#[test]
fn a_metric_the_simulator_lacks_fails_and_one_the_predictor_lacks_does_not() {
    let records = [
        record(Origin::Predicted, "t", "completion_ns", 5.0),
        record(Origin::Simulated, "t", "rtos", 3.0),
    ];
    let judged = run(expect("t.completion_ns", 0.0, 9.0), &records, &[], &BOTH);
    assert_eq!(
        passes(&judged),
        [
            (Origin::Predicted, Some(5.0), true),
            (Origin::Simulated, None, false)
        ]
    );
    let judged = run(expect("t.rtos", 0.0, 9.0), &records, &[], &BOTH);
    assert_eq!(passes(&judged), [(Origin::Simulated, Some(3.0), true)]);
}

#[test]
fn a_subject_that_does_not_exist_fails_once() {
    let records = [record(Origin::Predicted, "t", "rtos", 3.0)];
    for metric in [
        "u.rtos",
        "link.x.a>b.bytes",
        "search.s.highest_rate_bps",
        "nonsense",
        "link.x",
        "",
    ] {
        let judged = run(expect(metric, 0.0, 9.0), &records, &[], &BOTH);
        assert_eq!(
            passes(&judged),
            [(Origin::Simulated, None, false)],
            "{metric}"
        );
    }
}

#[test]
fn named_origins_are_judged_if_they_ran_and_must_have_the_metric() {
    let records = [record(Origin::Simulated, "t", "rtos", 3.0)];
    let named = |origins: &[Origin]| Expect {
        origins: origins.to_vec(),
        ..expect("t.rtos", 0.0, 9.0)
    };
    assert_eq!(run(named(&[Origin::Emulated]), &records, &[], &BOTH), []);
    let judged = run(named(&[Origin::Predicted]), &records, &[], &BOTH);
    assert_eq!(passes(&judged), [(Origin::Predicted, None, false)]);
}

/// A file's expectation on what did not run was in no list of what was judged.
#[test]
fn a_file_on_what_did_not_run_fails_as_not_measured() {
    let records = [record(Origin::Simulated, "t", "rtos", 3.0)];
    let mut marks = expect("t.rtos", 0.0, 9.0);
    marks.origins = vec![Origin::Emulated];
    marks.file = Some("marks.toml".to_owned());
    let judged = run(marks, &records, &[], &BOTH);
    assert_eq!(passes(&judged), [(Origin::Emulated, None, false)]);
    let why = judged[0].absent.as_deref().unwrap_or_default();
    assert!(
        why.contains("not measured") && why.contains("add --emulate"),
        "{why}"
    );
}

/// A statement without `at` was right where it held at the one point that was asked for.
#[test]
fn a_statement_of_more_points_than_asked_holds_at_each() {
    let mut marks = expect("bulk.goodput_bps", 98.0, 102.0);
    marks.file = Some("marks.toml".to_owned());
    marks.stated_within = Some(0.05);
    marks
        .point
        .insert("test.bulk.window".to_owned(), "1 MiB".to_owned());
    let asked = |own: Expect, elsewhere: f64| {
        let one = |window: &str, goodput: f64| {
            at(
                record(Origin::Simulated, "bulk", "goodput_bps", goodput),
                window,
            )
        };
        let records = [one("1 MiB", 100.0), one("8 MiB", elsewhere)];
        let results = Results {
            records: &records,
            links: &[],
        };
        let all = judge(&[own, marks.clone()], results, &[Origin::Simulated]);
        let mut of_file = all.into_iter().filter(|e| e.file.is_some());
        let one = of_file.next().expect("it is judged");
        (one.pass, one.unstated.unwrap_or_default())
    };
    let own = expect("bulk.goodput_bps", 98.0, 102.0);
    let (pass, why) = asked(own.clone(), 800.0);
    assert!(
        !pass && why.contains("lacks `test.bulk.window`") && why.contains("at 8 MiB"),
        "{why}"
    );
    // It is right of both, or says of which it is.
    assert_eq!(asked(own.clone(), 101.0), (true, String::new()));
    let mut here = own;
    here.point = marks.point.clone();
    assert_eq!(asked(here, 800.0), (true, String::new()));
}

#[test]
fn ratios_and_differences() {
    let records = [
        record(Origin::Simulated, "a", "rtt_avg_ns", 581.0),
        record(Origin::Simulated, "b", "rtt_avg_ns", 116.2),
        record(Origin::Simulated, "c", "rtt_avg_ns", 0.0),
    ];
    let over = |other: &str| Expect {
        over: Some(other.to_owned()),
        ..expect("a.rtt_avg_ns", 4.9, 5.1)
    };
    let judged = run(over("b.rtt_avg_ns"), &records, &[], &BOTH);
    assert_eq!(
        (judged[0].metric.as_str(), judged[0].pass),
        ("a.rtt_avg_ns over b.rtt_avg_ns", true)
    );
    assert_eq!(
        passes(&run(over("c.rtt_avg_ns"), &records, &[], &BOTH)),
        [(Origin::Simulated, None, false)]
    );
    let minus = Expect {
        minus: Some("b.rtt_avg_ns".to_owned()),
        ..expect("a.rtt_avg_ns", 464.0, 465.0)
    };
    assert!(run(minus, &records, &[], &BOTH)[0].pass);
}

#[test]
fn sweep_points_are_judged_one_by_one_and_filtered_as_written() {
    let records = [
        at(record(Origin::Simulated, "t", "goodput_bps", 1.0), "1 MiB"),
        at(record(Origin::Simulated, "t", "goodput_bps", 2.0), "2 MiB"),
        record(Origin::Simulated, "base", "goodput_bps", 4.0),
    ];
    let judged = run(expect("t.goodput_bps", 0.0, 9.0), &records, &[], &BOTH);
    assert_eq!(judged.len(), 2);
    let filter = |w: &str| Expect {
        point: Point::from([("test.bulk.window".to_owned(), w.to_owned())]),
        over: Some("base.goodput_bps".to_owned()),
        ..expect("t.goodput_bps", 0.5, 0.5)
    };
    assert_eq!(
        passes(&run(filter("2 MiB"), &records, &[], &BOTH)),
        [(Origin::Simulated, Some(0.5), true)]
    );
    assert_eq!(
        passes(&run(filter("3 MiB"), &records, &[], &BOTH)),
        [(Origin::Simulated, None, false)]
    );
}

#[test]
fn repeats_count_by_their_median_and_searches_by_their_name() {
    let mut records: Vec<Record> = [5.0, 1.0, 2.0]
        .map(|v| record(Origin::Emulated, "t", "rtos", v))
        .into();
    let judged = run(
        expect("t.rtos", 2.0, 2.0),
        &records,
        &[],
        &[Origin::Emulated],
    );
    assert_eq!(passes(&judged), [(Origin::Emulated, Some(2.0), true)]);
    let mut search = record(Origin::Simulated, "cap", "highest_rate_bps", 7.0);
    search.kind = "search".to_owned();
    records.push(search);
    let judged = run(
        expect("search.cap.highest_rate_bps", 7.0, 7.0),
        &records,
        &[],
        &[Origin::Simulated],
    );
    assert_eq!(passes(&judged), [(Origin::Simulated, Some(7.0), true)]);
    assert_eq!(median(vec![1.0, 3.0]), Some(2.0));
    assert_eq!(median(vec![]), None);
}

#[test]
fn invalid_repeats_count_only_where_none_is_valid() {
    let mut records: Vec<Record> = [5.0, 1.0, 2.0]
        .map(|v| record(Origin::Emulated, "t", "rtos", v))
        .into();
    let value = |records: &[Record]| {
        let results = Results {
            records,
            links: &[],
        };
        results.value("t.rtos", Origin::Emulated, &Point::new())
    };
    records[1].valid = false;
    records[2].valid = false;
    assert_eq!(value(&records), Some(5.0));
    records[0].valid = false;
    assert_eq!(value(&records), Some(2.0));
}

#[test]
fn what_never_came_about_fails_in_every_origin_and_says_why() {
    const ALL: [Origin; 2] = [Origin::Simulated, Origin::Emulated];
    let done = record(Origin::Emulated, "t", "completion_ns", 5.0);
    let mut given_up = record(Origin::Emulated, "t", "bytes", 5.0);
    given_up.repeat = 1;
    given_up.unset("completion_ns", "1 of 2 bytes were delivered".to_owned());
    let judged = run(
        expect("t.completion_ns", 0.0, 9.0),
        &[done, given_up.clone()],
        &[],
        &ALL,
    );
    // The median of those that completed is not that of all.
    assert_eq!(passes(&judged), [(Origin::Emulated, None, false)]);
    let why = judged[0].absent.as_deref();
    assert_eq!(why, Some("repeat 1: 1 of 2 bytes were delivered"));
    let alone = run(expect("t.completion_ns", 0.0, 9.0), &[given_up], &[], &ALL);
    let why = alone[0].absent.as_deref();
    assert_eq!(why, Some("1 of 2 bytes were delivered"));
}

/// A cut between two samples is not seen, and finer samples are what helps.
#[test]
fn a_cut_that_no_series_shows_names_the_samples() {
    let done = record(Origin::Simulated, "t", "goodput_bps", 5.0);
    let of = |metric: &str| {
        run(
            expect(metric, 0.0, 9.0),
            std::slice::from_ref(&done),
            &[],
            &[Origin::Simulated],
        )
    };
    let judged = of("t.cut_s");
    assert!(!judged[0].pass);
    let why = judged[0].absent.as_deref().unwrap_or_default();
    assert!(why.contains("--intervals"), "{why}");
    // Each result has reasons of its own for not being there, where its name says any.
    let why = |metric: &str| of(metric)[0].absent.clone().unwrap_or_default();
    assert!(why("t.ramp_s").starts_with("nothing was delivered"));
    assert!(why("t.recovery_s").starts_with("no loss cut the window"));
    assert_eq!(why("t.rtt_p99_ns"), "nothing came back, or nothing arrived");
    assert_eq!(why("t.bytes"), "");
}

/// A test that no real host ran was one of which nothing had arrived.
#[test]
fn a_test_that_an_origin_did_not_run_says_why() {
    let simulated = record(Origin::Simulated, "t", "delay_p50_ns", 5.0);
    let mut emulated = Record::new(Origin::Emulated, "t", "oneway", "a", "b");
    emulated.not_run = Some("too small".to_owned());
    let records = [simulated, emulated];
    let ran = [Origin::Simulated, Origin::Emulated];
    let mut asked = expect("t.delay_p50_ns", 0.0, 9.0);
    // Without origins it is judged where there is a result.
    let judged = run(asked.clone(), &records, &[], &ran);
    assert_eq!(passes(&judged), [(Origin::Simulated, Some(5.0), true)]);
    asked.origins = vec![Origin::Emulated];
    let judged = run(asked, &records, &[], &ran);
    assert_eq!(passes(&judged), [(Origin::Emulated, None, false)]);
    let why = judged[0].absent.as_deref();
    assert_eq!(why, Some("not run: too small"));
}

#[test]
fn of_nothing_there_is_no_ratio_and_no_delay() {
    let mut empty = link();
    empty.queues.push(crate::QueueRecord {
        class: "be".to_owned(),
        offered: 0,
        frames: 0,
        bytes: 0,
        drops: BTreeMap::new(),
        marked: 0,
        waiting: 0,
        queue_max_bytes: 0,
        delay_max_ns: 0.0,
        delay_mean_ns: 0.0,
    });
    empty.policers.push(crate::PolicerRecord {
        name: "p".to_owned(),
        frames: [0; 3],
        bytes: [0; 3],
    });
    for metric in [
        "queue.be.loss_ratio",
        "queue.be.delay_mean_ns",
        "queue.be.delay_max_ns",
        "police.p.conforming_ratio",
    ] {
        let metric = format!("link.stm64.a>b.{metric}");
        let judged = run(expect(&metric, 0.0, 1.0), &[], &[empty.clone()], &BOTH);
        assert_eq!(passes(&judged), [(Origin::Simulated, None, false)]);
    }
}

/// What marks want of a result that is missing was printed beside it.
#[test]
fn marks_of_a_missing_result_keep_what_they_want() {
    let mut marks = expect("t.goodput_bps", 50.0, 52.0);
    marks.file = Some("marks.toml".to_owned());
    marks.note = Some("half of the line".to_owned());
    let own = expect("t.goodput_bps", 50.5, 51.5);
    let results = Results {
        records: &[],
        links: &[],
    };
    let judged = |marks: &Expect| {
        let all = judge(&[own.clone(), marks.clone()], results, &BOTH);
        let mut of_file = all.into_iter().filter(|e| e.file.is_some());
        of_file.next().expect("it is judged")
    };
    let shown = judged(&marks);
    assert_eq!((shown.min, shown.pass), (Some(50.0), false));
    marks.stated_within = Some(0.05);
    let kept = judged(&marks);
    assert_eq!((kept.min, kept.max, kept.pass), (None, None, false));
    assert_eq!((kept.note, kept.unstated), (None, None));
}
