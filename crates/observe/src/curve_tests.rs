use super::*;
use proptest::prelude::*;

const RTT_NS: u64 = 100_000_000;

/// Level at `old` until the cut at `cut_s`, `after` one round trip later, then up by `slope` a second to
/// `old`; a sample every `every_ms`, until `end_s`.
fn window(old: f64, after: f64, slope: f64, (cut_s, end_s): (f64, f64), every_ms: u64) -> Series {
    let mut series = Series::default();
    let end = (end_s * 1000.0) as u64;
    for t_ms in (0..=end).step_by(every_ms as usize) {
        let since = t_ms as f64 / 1000.0 - cut_s;
        let v = if since <= 0.0 {
            old
        } else if since < 0.1 {
            old - (old - after) * since / 0.1
        } else {
            old.min(after + slope * (since - 0.1))
        };
        series.t_ns.push(t_ms * 1_000_000);
        series.v.push(v);
    }
    series
}

fn record(origin: Origin, windows: Series) -> Record {
    let mut record = Record::new(origin, "bulk", "tcp", "a", "b");
    record.set("rtt_min_ns", RTT_NS as f64);
    record.series.insert(WINDOW.to_owned(), windows);
    record
}

fn curve(windows: Series) -> Curve {
    Curve::of(&record(Origin::Simulated, windows)).expect("one cut")
}

#[test]
fn a_curve_runs_from_the_cut_to_the_old_window() {
    let found = curve(window(1000.0, 500.0, 100.0, (2.0, 10.0), 10));
    assert_eq!((found.old, found.cut_ns), (1000.0, 2_000_000_000));
    // 500 at 100 a second, after the round trip of the repair; 99.9 % of it is 10 ms earlier.
    let regained = found.regained.expect("it comes back");
    assert!((regained - 5.09).abs() < 0.011, "{regained}");
    assert_eq!(found.at(0.0), 1000.0);
    assert!((found.at(0.05) - 750.0).abs() < 1e-9);
    assert!(
        (found.at(1.105) - 600.5).abs() < 1e-9,
        "{}",
        found.at(1.105)
    );
    assert_eq!(found.at(1e9), 1000.0);
}

#[test]
fn what_was_never_in_flight_is_no_window() {
    let mut of = record(
        Origin::Simulated,
        window(2000.0, 500.0, 100.0, (2.0, 20.0), 10),
    );
    let flight = window(1000.0, 500.0, 100.0, (2.0, 20.0), 10);
    of.series.insert(FLIGHT.to_owned(), flight);
    let found = Curve::of(&of).expect("one cut");
    assert_eq!(found.old, 1000.0);
    assert!(found.v.iter().all(|v| *v <= 1000.0));
    assert!((found.regained.expect("back") - 5.09).abs() < 0.011);
}

#[test]
fn no_cut_and_two_cuts_are_no_curve() {
    let none = Curve::of(&record(
        Origin::Simulated,
        window(1000.0, 500.0, 1.0, (20.0, 10.0), 10),
    ));
    assert_eq!(none, None);
    let mut twice = window(1000.0, 500.0, 100.0, (2.0, 10.0), 10);
    let second = window(1000.0, 600.0, 100.0, (1.0, 10.0), 10);
    twice
        .t_ns
        .extend(second.t_ns.iter().map(|t| t + 10_010_000_000));
    twice.v.extend(second.v);
    assert_eq!(Curve::of(&record(Origin::Simulated, twice)), None);
    let mut timeless = record(
        Origin::Simulated,
        window(1000.0, 500.0, 100.0, (2.0, 10.0), 10),
    );
    timeless.metrics.clear();
    assert_eq!(Curve::of(&timeless), None);
    // A dip within two round trips belongs to the cut, a wiggle of less than 5 % to nothing.
    let mut dip = window(1000.0, 500.0, 100.0, (2.0, 10.0), 10);
    dip.v[211] = 20.0;
    dip.v[400] *= 0.96;
    assert!(Curve::of(&record(Origin::Simulated, dip)).is_some());
}

#[test]
fn a_fall_lasts_as_long_as_the_round_trip_with_its_queue() {
    // The window falls for 300 ms, as long as a round trip through the queue: three of the shortest.
    let mut windows = window(1000.0, 1000.0, 0.0, (2.0, 10.0), 10);
    for (t, v) in windows.t_ns.iter().zip(&mut windows.v) {
        let since = (*t as f64 / 1e9 - 2.0).max(0.0);
        *v = (1000.0 - 400.0 * since / 0.3).max(600.0);
    }
    let mut of = record(Origin::Simulated, windows.clone());
    assert_eq!(Curve::of(&of), None);
    let mut smoothed = windows;
    smoothed.v.fill(3.0 * RTT_NS as f64);
    of.series.insert(ROUND_TRIP.to_owned(), smoothed);
    assert!(Curve::of(&of).is_some());
}

#[test]
fn two_looks_a_round_trip_are_a_curve_and_one_is_none() {
    let seen_every = |origin, ms| {
        let windows = window(1000.0, 500.0, 100.0, (2.0, 10.0), ms);
        Curve::of(&record(origin, windows)).is_some()
    };
    assert!(seen_every(Origin::Simulated, 50));
    assert!(!seen_every(Origin::Simulated, 80));
    assert!(!seen_every(Origin::Emulated, 100));
    assert!(seen_every(Origin::Predicted, 100));
}

#[test]
fn a_run_that_ends_earlier_ends_the_comparison() {
    let whole = curve(window(1000.0, 500.0, 100.0, (2.0, 10.0), 10));
    let short = curve(window(1000.0, 500.0, 100.0, (2.0, 4.0), 10));
    assert_eq!(short.regained, None);
    assert_eq!((whole.span(&short), short.span(&whole)), (2.0, 2.0));
    assert!(whole.span(&whole) > 5.0);
    assert_eq!(whole.nrmse(&short), Some(0.0));
}

#[test]
fn a_constant_error_is_itself_by_hand() {
    // 500 for 5 s beside 550 for 5 s, from windows of 1000: 50 of 1000.
    let flat = |after: f64| {
        let mut flat = window(1000.0, after, 0.0, (2.0, 7.0), 10);
        for v in &mut flat.v[201..] {
            *v = after;
        }
        curve(flat)
    };
    let (one, two) = (flat(500.0), flat(550.0));
    let found = one.nrmse(&two).expect("there is time");
    // The fall takes one sample of 500; in it the curves part.
    assert!((found - 0.05).abs() < 1e-4, "{found}");
}

#[test]
fn records_get_a_metric_for_each_origin_before_them() {
    let at = |origin, after| record(origin, window(1000.0, after, 100.0, (2.0, 10.0), 10));
    let mut records = vec![
        at(Origin::Emulated, 510.0),
        at(Origin::Predicted, 500.0),
        at(Origin::Simulated, 505.0),
    ];
    let mut other = at(Origin::Simulated, 505.0);
    other
        .point
        .insert("test.bulk.cc".to_owned(), "reno".to_owned());
    records.push(other);
    compare_windows(&mut records);
    let of = |n: usize| -> Vec<&str> {
        let all = records[n].metrics.keys().map(String::as_str);
        all.filter(|m| m.starts_with("cwnd_nrmse")).collect()
    };
    assert_eq!(
        of(0),
        ["cwnd_nrmse_predicted_ratio", "cwnd_nrmse_simulated_ratio"]
    );
    assert!(of(1).is_empty() && of(3).is_empty());
    assert_eq!(of(2), ["cwnd_nrmse_predicted_ratio"]);
    for record in &records {
        let own = ["cut_s", "cwnd_before_bytes"].map(|m| record.metrics[m]);
        assert_eq!(own, [2.0, 1000.0]);
    }
    let far = records[0].metrics["cwnd_nrmse_predicted_ratio"];
    assert!(far > records[0].metrics["cwnd_nrmse_simulated_ratio"] && far < 0.011);
}

proptest! {
    #[test]
    fn equal_curves_differ_by_nothing_whenever_they_are_cut(
        after in 100.0..900.0_f64, slope in 20.0..500.0_f64, later in 1..300_u64,
    ) {
        let one = curve(window(1000.0, after, slope, (2.0, 60.0), 10));
        prop_assert_eq!(one.nrmse(&one), Some(0.0));
        let shifted = curve(window(1000.0, after, slope, (2.0 + later as f64 / 100.0, 70.0), 10));
        let found = one.nrmse(&shifted).expect("there is time");
        prop_assert!(found < 1e-6, "{}", found);
    }

    #[test]
    fn the_unit_of_the_windows_does_not_matter(
        after in 100.0..900.0_f64, other in 100.0..900.0_f64, scale in 1.0..1e6_f64,
    ) {
        let of = |scale: f64, after: f64| curve(window(1000.0 * scale, after * scale, 100.0 * scale, (2.0, 20.0), 10));
        let small = of(1.0, after).nrmse(&of(1.0, other)).expect("there is time");
        let large = of(scale, after).nrmse(&of(scale, other)).expect("there is time");
        prop_assert!((small - large).abs() < 1e-9);
        let turned = of(1.0, other).nrmse(&of(1.0, after)).expect("there is time");
        prop_assert!((small - turned).abs() < 1e-12, "the old windows are equal");
        prop_assert!((0.0..=1.0).contains(&small));
    }

    #[test]
    fn how_often_a_window_is_looked_at_matters_little(every in 1..50_u64) {
        let fine = curve(window(1000.0, 500.0, 100.0, (2.0, 20.0), 1));
        let coarse = curve(window(1000.0, 500.0, 100.0, (2.0, 20.0), every));
        // The cut is found up to one sample early: half the window, for that long of five seconds.
        let bound = 0.5 * (every as f64 / 1000.0 / 5.0).sqrt() + 1e-3;
        let found = fine.nrmse(&coarse).expect("there is time");
        prop_assert!(found <= bound, "{} {}", found, bound);
    }
}
