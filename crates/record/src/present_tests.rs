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
