use farpath_record::compare::{Named, origins, sets};
use farpath_record::{Origin, Record, RunDocument};

use super::*;

fn named(name: &str, seed: u64, goodputs: &[f64]) -> Named {
    let mut document = RunDocument::new("s", seed, "00".to_owned());
    for (repeat, goodput) in goodputs.iter().enumerate() {
        let mut record = Record::new(Origin::Simulated, "bulk", "tcp", "a", "b");
        record.repeat = repeat as u32;
        record.set("goodput_bps", *goodput);
        record.set("retransmits", 3.0);
        document.records.push(record);
    }
    Named {
        name: name.to_owned(),
        keys: BTreeMap::new(),
        document,
    }
}

#[test]
fn two_sets_side_by_side() {
    let a = [named("before.json", 1, &[100e6, 102e6, 98e6, 101e6, 99e6])];
    let b = [named("after.json", 2, &[110e6, 112e6, 108e6, 111e6, 109e6])];
    let found = sets(&a, &b, Some(0.05)).expect("comparable");
    let text = render(&found, Layout::default());
    let expected = "\
A: before.json
B: after.json

test, metric         A    B     B \u{2212} A  \u{b1} 95 %     d
-----------------  ---  ---  --------  ------  ----  --------------
bulk: simulated, A \u{d7} 5, B \u{d7} 5
  goodput, Mbit/s  100  110  +10.00 %  2.31 %  6.32  differs BEYOND
  retransmits        3    3    0.00 %  0.00 %  0.00  same

differs: the 95 % confidence interval of B \u{2212} A (Welch) does not hold zero. same:
A and B are equal. d: Cohen's d, B \u{2212} A over the standard deviation of one run
(the root of both variances' mean).

2 metrics: 1 differ, 1 the same, 0 inconclusive, 0 of single runs; 1 beyond the
tolerance of 5.00 %

largest: of those that differ bulk goodput, +10.00 %
";
    assert_eq!(text, expected, "\n{text}");
}

#[test]
fn a_metric_that_some_runs_lack_says_of_how_many_it_is() {
    let mut a = [named("a.json", 1, &[1e6, 2e6, 3e6])];
    a[0].document.records[1].set("recovery_s", 2.0);
    let mut b = [named("b.json", 2, &[1e6, 2e6, 3e6])];
    b[0].document.records[0].set("recovery_s", 3.0);
    let text = render(&sets(&a, &b, None).expect("comparable"), Layout::default());
    assert_eq!(text.matches("bulk: simulated").count(), 1, "{text}");
    assert!(text.contains("  recovery, s (1, 1)"), "{text}");
}

#[test]
fn a_recovery_beside_a_predicted_one_ends_at_another_moment() {
    let text = |of_a: Origin| {
        let mut one = named("a.json", 1, &[1e6, 2e6]);
        one.document.records[0].origin = of_a;
        one.document
            .records
            .iter_mut()
            .for_each(|r| r.set("recovery_s", 2.0));
        let found = origins(&[one], None).expect("two");
        render(&found, Layout::default()).replace('\n', " ")
    };
    assert!(text(Origin::Predicted).contains("full again"));
    assert!(!text(Origin::Emulated).contains("full again"));
}

#[test]
fn every_line_fits_and_single_runs_are_said_to_be() {
    let mut one = named(
        "a-rather-long-name/of-a-folder/records.json",
        1,
        &[123.456_789e6],
    );
    let mut predicted = Record::new(Origin::Predicted, "bulk", "tcp", "a", "b");
    predicted.set("goodput_bps", 0.0);
    predicted.set("retransmits", 2.0);
    one.document.records.push(predicted);
    let text = render(
        &origins(&[one], None).expect("comparable"),
        Layout::default(),
    );
    assert!(text.lines().all(|l| l.chars().count() <= 80), "{text}");
    assert!(
        text.contains("A predicted, B simulated") && text.contains("one run"),
        "{text}"
    );
    assert!(text.contains("+50.00 %"), "{text}");
}

#[test]
fn runs_of_the_same_seeds_are_said_to_be_pairs() {
    let seeded = |name: &str, goodputs: &[f64]| {
        let mut one = named(name, 1, goodputs);
        one.document.repeats = Some(farpath_record::Repeats {
            count: 2,
            seeds: vec![1, 9],
            metrics: Vec::new(),
        });
        one
    };
    let found = sets(
        &[seeded("a", &[1e6, 2e6])],
        &[seeded("b", &[2e6, 4e6])],
        None,
    );
    let text = render(&found.expect("comparable"), Layout::default());
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("(of pairs, Student)"), "{text}");
    assert!(text.contains("both sides have the same seeds"), "{text}");
}

#[test]
fn a_ramp_below_its_step_is_said_to_be() {
    let ramp = |name: &str, seed: u64, seconds: f64| {
        let mut one = named(name, seed, &[1e6]);
        one.document.records[0].duration_ns = 60_000_000_000;
        one.document.records[0].set("ramp_s", seconds);
        one.document.records[0].set("rtt_avg_ns", 600e6);
        one
    };
    let text = |b: f64| {
        let found = sets(&[ramp("a", 1, 0.6)], &[ramp("b", 2, b)], None);
        render(&found.expect("comparable"), Layout::default())
    };
    assert!(
        text(1.1).contains("a ramp is known to a round trip"),
        "{}",
        text(1.1)
    );
    assert!(!text(1.8).contains("below a step"), "{}", text(1.8));
}

/// It was called "same", with a difference of 7.5 %, and what rounding leaves was printed as -1e-14 %.
#[test]
fn what_chance_may_have_made_is_not_called_the_same_and_rounding_is_no_difference() {
    let text = |b: &[f64]| {
        let a = [named("a", 1, &[100e6, 120e6, 80e6])];
        let found = sets(&a, &[named("b", 2, b)], None).expect("comparable");
        render(&found, Layout::default())
    };
    let apart = text(&[92e6, 110e6, 75e6]);
    assert!(apart.contains("inconclusive"), "{apart}");
    let rounded = text(&[100e6 + 1e-6, 120e6, 80e6]);
    let row = rounded.lines().find(|line| line.contains("goodput"));
    let row = row.expect("a row");
    assert!(
        row.contains(" 0.00 %") && row.ends_with("same"),
        "{rounded}"
    );
}

#[test]
fn a_long_comparison_has_no_rows_of_what_is_equal() {
    let many = |name: &str, seed: u64, goodput: f64| {
        let mut one = named(name, seed, &[]);
        for loss in 0..30 {
            let mut at = named(name, seed, &[goodput]);
            let record = at.document.records.remove(0);
            one.document.records.push(Record {
                point: [("link.l.loss".to_owned(), loss.to_string())].into(),
                ..record
            });
        }
        if seed == 1 {
            one.document
                .records
                .iter_mut()
                .for_each(|r| r.set("recovery_s", 1.0));
        }
        one
    };
    let found = sets(&[many("a", 1, 1e6)], &[many("b", 2, 2e6)], None).expect("comparable");
    let text = render(&found, Layout::default());
    assert!(
        text.contains("left out, one value on both sides: retransmits 30\n"),
        "{text}"
    );
    assert_eq!(text.matches("  goodput, Mbit/s").count(), 30, "{text}");
    assert!(
        text.contains("only A has: bulk.recovery_s, simulated at 30 points\n"),
        "{text}"
    );
    assert!(
        text.contains("60 metrics: 0 differ, 30 the same, 0 inconclusive, 30 of single runs"),
        "{text}"
    );
}

/// What was changed stood behind 188 metrics, and of many points of a group only "group" was said.
#[test]
fn what_was_changed_comes_first_and_a_groups_metric_has_its_name() {
    let side = |name: &str, cc: &str, converges: bool| {
        let mut one = named(name, 1, &[]);
        one.keys.insert("test.bulk.cc".to_owned(), cc.to_owned());
        for loss in 0..8 {
            let mut record = Record::new(Origin::Simulated, "bulk", "tcp", "a", "b");
            record.point = [("link.l.loss".to_owned(), loss.to_string())].into();
            record.group = Some("g".to_owned());
            record.set("goodput_bps", 1e6);
            if converges {
                record.set("group_convergence_s", 3.0);
            }
            one.document.records.push(record);
        }
        one
    };
    let (a, b) = (side("a", "cubic", true), side("b", "reno", false));
    let text = render(
        &sets(&[a], &[b], None).expect("comparable"),
        Layout::default(),
    );
    let note = "note: the scenarios differ: test.bulk.cc is cubic in A and reno in B\n\n";
    let (before, after) = text.split_once(note).expect("one such note");
    assert_eq!(before, "A: a\nB: b\n\n");
    assert!(after.starts_with("test, metric"), "{text}");
    assert!(!after.contains("scenarios differ"), "{text}");
    assert!(
        text.contains("only A has: group g.group_convergence_s, simulated at 8 points\n"),
        "{text}"
    );
}

#[test]
fn a_side_that_had_nothing_to_recover_from_does_not_lack_the_metric() {
    let recovered = |name: &str, seed: u64, seconds: f64| {
        let mut one = named(name, seed, &[1e6]);
        one.document.records[0].set("recovery_s", seconds);
        one
    };
    let found = sets(&[recovered("a", 1, 2.0)], &[recovered("b", 2, 0.0)], None);
    let text = render(&found.expect("comparable"), Layout::default()).replace('\n', " ");
    assert!(
        text.contains(
            "0 in every run of B, where nothing was to be measured, and not compared: bulk.recovery_s, simulated"
        ),
        "{text}"
    );
    assert!(!text.contains("only A"), "{text}");
}

/// "inconclusive; 6318 more" in row after row did not help; which difference is the largest was for the reader to find.
#[test]
fn what_no_few_runs_tell_has_no_number_and_the_largest_is_named() {
    let side = |name: &str, seed: u64, by: f64| {
        let mut one = named(name, seed, &[100e6, 120e6, 80e6]);
        for record in &mut one.document.records {
            let goodput = record.metrics["goodput_bps"];
            record.set("goodput_bps", goodput + by);
            record.set("rtt_avg_ns", goodput + 2.0 * by);
            record.set("bytes", goodput - 30.0 * by);
        }
        one
    };
    let found = sets(&[side("a", 1, 0.0)], &[side("b", 2, 1e6)], None).expect("comparable");
    let text = render(&found, Layout::default());
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(text.matches("inconclusive; ").count(), 1, "{text}");
    assert!(
        text.contains("4 metrics: 0 differ, 1 the same, 3 inconclusive, 0 of single runs"),
        "{text}"
    );
    assert!(
        text.contains(
            "largest: of the inconclusive bulk bytes, -30.00 % (2 of them take more than 100 runs"
        ),
        "{text}"
    );
    assert!(
        text.contains("without a number it takes more than 100"),
        "{text}"
    );
}

/// Eight runs near 90 and two near 5 had a mean of 73, below the 80 of ten runs that eight of them exceed.
#[test]
fn runs_of_two_kinds_are_compared_by_ranks_and_said_to_be() {
    let mixed = [90e6, 91e6, 5e6, 89e6, 90e6, 92e6, 90e6, 4e6, 91e6, 90e6];
    let plain: Vec<f64> = (0..10).map(|n| 79e6 + 0.2e6 * f64::from(n)).collect();
    let found = sets(&[named("a", 1, &mixed)], &[named("b", 2, &plain)], None);
    let text = render(&found.expect("comparable"), Layout::default());
    let row = text.lines().find(|l| l.contains("goodput, Mbit/s"));
    assert!(row.expect("a row").ends_with("differs, by ranks"), "{text}");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        text.contains(
            "a mean is like neither: bulk goodput: A 2 near 4.5000 Mbit/s, 8 near 90.375 Mbit/s, median 90 Mbit/s; \
             B median 79.900 Mbit/s"
        ),
        "{text}"
    );
    assert!(
        text.contains("by ranks: runs of a side are of two kinds"),
        "{text}"
    );
}
