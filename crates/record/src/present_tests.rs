use super::*;
use crate::{Expectation, Record, judge};

/// A repeat for each value, without one where it is `None`.
fn repeats(metric: &str, values: &[Option<f64>]) -> Vec<Record> {
    let one = |(repeat, value): (u32, &Option<f64>)| {
        let mut one = Record::new(Origin::Simulated, "t", "tcp", "a", "b");
        one.repeat = repeat;
        if let Some(value) = value {
            one.set(metric, *value);
        }
        one
    };
    (0..).zip(values).map(one).collect()
}

fn judged(records: &[Record], metric: &str, min: Option<f64>, max: Option<f64>) -> Expectation {
    let expect = Expect {
        metric: format!("t.{metric}"),
        min,
        max,
        ..Expect::default()
    };
    let results = Results {
        records,
        links: &[],
    };
    let mut all = judge(&[expect], results, &[Origin::Simulated]);
    all.pop().expect("it is judged")
}

/// One of four that converged, after 67 s, held what three that never did hold alone to be missed.
#[test]
fn what_most_repeats_lack_fails_as_it_does_alone() {
    let metric = "group_convergence_s";
    let few = repeats(metric, &[None, None, None, Some(67.0)]);
    let one = judged(&few, metric, None, Some(70.0));
    assert_eq!((one.actual, one.pass), (None, false));
    assert_eq!(one.repeats, Some(Partly { have: 1, of: 4 }));
    let why = one.absent.unwrap_or_default();
    assert!(why.starts_with("repeat 0: the tests of the group"), "{why}");
    // One of two is not most.
    let half = repeats("recovery_s", &[Some(1.0), None]);
    let one = judged(&half, "recovery_s", None, Some(5.0));
    assert_eq!((one.actual, one.pass), (None, false));
    let why = one.absent.unwrap_or_default();
    assert!(why.starts_with("repeat 1: no loss"), "{why}");
}

#[test]
fn a_repeat_without_a_value_is_worse_than_either_bound() {
    let records = repeats("recovery_s", &[Some(1.0), Some(2.0), Some(3.0), None]);
    let of = |min, max| {
        let one = judged(&records, "recovery_s", min, max);
        assert_eq!(one.repeats, Some(Partly { have: 3, of: 4 }));
        assert_eq!(one.absent, None);
        (one.actual, one.pass)
    };
    // 1, 2, 3 and more than any; less than any, 1, 2 and 3.
    assert_eq!(of(None, Some(2.5)), (Some(2.5), true));
    assert_eq!(of(None, Some(2.4)), (Some(2.5), false));
    assert_eq!(of(Some(1.5), None), (Some(1.5), true));
    assert_eq!(of(Some(1.6), Some(9.0)), (Some(1.5), false));
    assert_eq!(of(Some(1.5), Some(2.4)), (Some(2.5), false));
    assert_eq!(Partly { have: 3, of: 4 }.words(), "3 of 4 repeats have it");
    assert_eq!(Partly { have: 1, of: 4 }.words(), "1 of 4 repeats has it");
}

#[test]
fn what_every_repeat_has_says_nothing_of_repeats() {
    let records = repeats("completion_ns", &[Some(1.0), Some(2.0)]);
    let mut one = judged(&records, "completion_ns", Some(1.5), Some(1.5));
    assert_eq!((one.repeats, one.pass), (None, true));
    // One rule for what a record says is absent.
    let mut records = repeats("completion_ns", &[Some(1.0), Some(2.0), None]);
    records[2].unset("completion_ns", "1 of 2 bytes were delivered".to_owned());
    one = judged(&records, "completion_ns", None, Some(2.0));
    assert_eq!((one.actual, one.pass), (Some(2.0), true));
    assert_eq!(one.repeats, Some(Partly { have: 2, of: 3 }));
}

/// Two tests of five repeats, `t` and `u`, each without a value where it is `None`.
fn pairs(of: &[Option<f64>], base: &[Option<f64>]) -> Vec<Record> {
    let mut records = repeats("goodput_bps", of);
    let mut others = repeats("goodput_bps", base);
    for other in &mut others {
        other.test = "u".to_owned();
    }
    records.append(&mut others);
    records
}

fn ratio(records: &[Record]) -> Expectation {
    let expect = Expect {
        metric: "t.goodput_bps".to_owned(),
        over: Some("u.goodput_bps".to_owned()),
        max: Some(100.0),
        ..Expect::default()
    };
    let results = Results {
        records,
        links: &[],
    };
    let mut all = judge(&[expect], results, &[Origin::Simulated]);
    all.pop().expect("it is judged")
}

/// It was the ratio of medians, 4 over 4, which no repeat is near.
#[test]
fn a_ratio_is_the_median_of_that_of_each_repeat() {
    let of = [1.0, 2.0, 4.0, 8.0, 16.0].map(Some);
    let base = [4.0, 4.0, 1.0, 2.0, 8.0].map(Some);
    // 0.25, 0.5, 4, 4 and 2.
    let one = ratio(&pairs(&of, &base));
    assert_eq!((one.actual, one.repeats), (Some(2.0), None));
    let mut minus = Expect {
        metric: "t.goodput_bps".to_owned(),
        minus: Some("u.goodput_bps".to_owned()),
        ..Expect::default()
    };
    minus.min = Some(3.0);
    let records = pairs(&of, &base);
    let results = Results {
        records: &records,
        links: &[],
    };
    // -3, -2, 3, 6 and 8.
    let judged = judge(&[minus], results, &[Origin::Simulated]);
    assert_eq!((judged[0].actual, judged[0].pass), (Some(3.0), true));
    // What is invalid for one of the two does not count: 0.25, 0.5, 4 and 4.
    let mut records = pairs(&of, &base);
    records[9].valid = false;
    assert_eq!(ratio(&records).actual, Some(2.25));
}

#[test]
fn a_repeat_lacks_a_ratio_that_lacks_one_of_its_metrics() {
    let of = [Some(2.0), Some(4.0), Some(6.0), Some(8.0), None];
    let base = [None, Some(2.0), Some(2.0), Some(2.0), Some(2.0)];
    // 2, 3, 4, and two that are more than any.
    let one = ratio(&pairs(&of, &base));
    assert_eq!(one.repeats, Some(Partly { have: 3, of: 5 }));
    assert_eq!((one.actual, one.pass), (Some(4.0), true));
    // Each has most of its values, and two repeats have both.
    let base = [None, None, Some(2.0), Some(2.0), Some(2.0)];
    let one = ratio(&pairs(&of, &base));
    assert_eq!(one.repeats, Some(Partly { have: 2, of: 5 }));
    assert_eq!((one.actual, one.pass), (None, false));
    assert!(one.absent.is_some_and(|why| why.starts_with("repeat 4: ")));
}
