use super::*;
use crate::ONE_RUN;

/// A document of one test, `goodput_bps` by repeat, under a seed.
fn simulated(name: &str, seed: u64, goodputs: &[f64]) -> Named {
    let mut document = RunDocument::new("s", seed, "00".to_owned());
    for (repeat, goodput) in goodputs.iter().enumerate() {
        let mut record = Record::new(Origin::Simulated, "bulk", "tcp", "a", "b");
        record.repeat = repeat as u32;
        record.set("goodput_bps", *goodput);
        record.set("retransmits", 0.0);
        document.records.push(record);
    }
    Named {
        name: name.to_owned(),
        keys: BTreeMap::new(),
        document,
    }
}

fn with_prediction(mut named: Named, goodput: f64) -> Named {
    let mut record = Record::new(Origin::Predicted, "bulk", "tcp", "a", "b");
    record.set("goodput_bps", goodput);
    named.document.records.insert(0, record);
    named
}

fn goodput(comparison: &Comparison) -> &Row {
    let row = comparison.rows.iter().find(|r| r.metric == "goodput_bps");
    row.expect("a row")
}

#[test]
fn two_sets_that_differ_and_two_that_may_not() {
    let a = [simulated("a", 1, &[100.0, 102.0, 98.0, 101.0, 99.0])];
    let b = [simulated("b", 2, &[110.0, 112.0, 108.0, 111.0, 109.0])];
    let found = sets(&a, &b, Some(0.05)).expect("comparable");
    let row = goodput(&found);
    assert_eq!(
        (row.a.mean, row.b.mean, row.difference),
        (100.0, 110.0, 10.0)
    );
    // Variance 2.5 on both sides: t(0.975, 8) = 2.306 times 1, ten over √2.5.
    assert!((row.difference_ci95.expect("known") - 2.306).abs() < 5e-4);
    assert!((row.effect.expect("known") - 6.3246).abs() < 1e-4);
    assert!((row.df.expect("known") - 8.0).abs() < 1e-9);
    assert_eq!(
        (row.verdict, row.more_runs, row.relative),
        (Verdict::Differs, Some(0), Some(0.1))
    );
    assert!(row.beyond_tolerance && found.finding());
    // A metric that never varies is the same.
    let still = &found
        .rows
        .iter()
        .find(|r| r.metric == "retransmits")
        .expect("a row");
    assert_eq!(
        (still.verdict, still.relative, still.effect),
        (Verdict::Same, None, Some(0.0))
    );

    let near = [simulated("b", 2, &[101.0, 103.0, 99.0, 100.0, 102.0])];
    let found = sets(&a, &near, Some(0.001)).expect("comparable");
    let row = goodput(&found);
    // One per cent, 0.63 standard deviations: 40 runs a side tell it, five are there.
    assert_eq!(
        (row.verdict, row.more_runs),
        (Verdict::Inconclusive, Some(36))
    );
    assert!(
        !row.beyond_tolerance && !found.finding(),
        "luck explains it"
    );
}

#[test]
fn single_runs_say_nothing_of_luck() {
    let a = [simulated("a", 1, &[100.0])];
    let b = [simulated("b", 2, &[110.0])];
    let found = sets(&a, &b, None).expect("comparable");
    let row = goodput(&found);
    assert_eq!(
        (row.verdict, row.difference_ci95, row.effect),
        (Verdict::Unknown, None, None)
    );
    assert_eq!(row.more_runs, None);
    assert!(!found.finding(), "no tolerance was given");
    assert!(sets(&a, &b, Some(0.05)).expect("comparable").finding());
    assert!(!sets(&a, &b, Some(0.1)).expect("comparable").finding());
    let same = sets(&a, &[simulated("b", 2, &[100.0])], Some(0.0)).expect("comparable");
    assert_eq!(goodput(&same).verdict, Verdict::Same);
}

/// Runs of 10 and 90 and runs of 40 and 60 have one mean, and nothing says that they are the same. The same values are.
#[test]
fn equal_means_of_other_values_are_inconclusive() {
    let says = |b: &[f64]| {
        let (a, b) = (simulated("a", 1, &[10.0, 90.0]), simulated("b", 2, b));
        let found = sets(&[a], &[b], Some(0.0)).expect("comparable");
        let row = goodput(&found);
        (row.verdict, row.difference, row.beyond_tolerance)
    };
    assert_eq!(says(&[40.0, 60.0]), (Verdict::Inconclusive, 0.0, false));
    assert_eq!(says(&[90.0, 10.0]), (Verdict::Same, 0.0, false));
    let word = serde_json::to_value(Verdict::Inconclusive).expect("a word");
    assert_eq!(word, "inconclusive");
}

/// A loss of 1e-9 on a path changes what a closed form says of a rate by a millionth: no table shows it.
#[test]
fn forecasts_of_a_rate_that_differ_by_a_millionth_are_the_same() {
    let says = |b: f64| {
        let of = |name: &str, seed: u64, goodput: f64| {
            with_prediction(simulated(name, seed, &[1.0, 1.0]), goodput)
        };
        let found = sets(&[of("a", 1, 5e6)], &[of("b", 2, b)], None).expect("comparable");
        let row = found
            .rows
            .iter()
            .find(|r| r.origin_a == Origin::Predicted && r.metric == "goodput_bps");
        row.expect("a row").verdict
    };
    assert_eq!(says(5e6 + 5.0), Verdict::Same);
    assert_eq!(says(5e6 + 5000.0), Verdict::Differs);
}

#[test]
fn origins_of_one_set() {
    let one = [with_prediction(
        simulated("a", 1, &[100.0, 102.0, 98.0, 101.0, 99.0]),
        105.0,
    )];
    let found = origins(&one, Some(0.01)).expect("comparable");
    assert_eq!(found.rows.len(), 1, "what the prediction lacks has no row");
    let row = goodput(&found);
    assert_eq!(
        (row.origin_a, row.origin_b),
        (Origin::Predicted, Origin::Simulated)
    );
    // A closed form is exact: t(0.975, 4) = 2.776 times √(2.5/5).
    assert!((row.difference_ci95.expect("known") - 1.963).abs() < 5e-4);
    assert_eq!(row.verdict, Verdict::Differs);
    assert!(found.finding());
    assert!(matches!(
        origins(&[simulated("a", 1, &[1.0])], None),
        Err(CompareError::Nothing(_))
    ));
    assert!(matches!(origins(&[], None), Err(CompareError::Nothing(_))));
}

/// A prediction does not hide what a simulation and a kernel have in common; the metrics of two origins stand together.
#[test]
fn every_origin_is_compared_with_those_after_it() {
    let mut one = with_prediction(simulated("a", 1, &[100.0, 102.0]), 105.0);
    for repeat in 0..2 {
        let mut record = Record::new(Origin::Emulated, "bulk", "tcp", "a", "b");
        record.repeat = repeat;
        record.set("goodput_bps", 101.0);
        record.set("retransmits", 1.0);
        one.document.records.push(record);
    }
    let found = origins(&[one], None).expect("comparable");
    use Origin::{Emulated, Predicted, Simulated};
    let pairs: Vec<_> = found
        .rows
        .iter()
        .map(|r| (r.origin_a, r.origin_b, r.metric.as_str()))
        .collect();
    let all = [
        (Predicted, Simulated, "goodput_bps"),
        (Predicted, Emulated, "goodput_bps"),
        (Simulated, Emulated, "goodput_bps"),
        (Simulated, Emulated, "retransmits"),
    ];
    assert_eq!(pairs, all);
}

#[test]
fn a_set_may_be_of_several_files_but_not_of_one_twice() {
    let a = [simulated("a1", 1, &[1.0, 2.0]), simulated("a2", 2, &[3.0])];
    let b = [simulated("b", 3, &[1.0, 2.0, 4.0])];
    assert_eq!(goodput(&sets(&a, &b, None).expect("comparable")).a.n, 3);
    let twice = [simulated("a1", 1, &[1.0]), simulated("a2", 1, &[1.0])];
    let error = sets(&twice, &b, None)
        .expect_err("the same run")
        .to_string();
    assert!(
        error.contains("a1 and a2 hold the same run") && error.contains("--seed"),
        "{error}"
    );
    // A prediction stands in every file and counts once.
    let both = [
        with_prediction(simulated("a1", 1, &[1.0]), 5.0),
        with_prediction(simulated("a2", 2, &[2.0]), 5.0),
    ];
    let found = sets(&both, &both[..1], None).expect("comparable");
    assert_eq!(
        (found.rows[0].origin_a, found.rows[0].a.n),
        (Origin::Predicted, 1)
    );
}

#[test]
fn what_one_side_lacks_is_named() {
    let a = [with_prediction(simulated("a", 1, &[1.0]), 5.0)];
    let mut b = [simulated("b", 1, &[1.0])];
    b[0].document.records[0].set("rtos", 2.0);
    b[0].document.scenario = "other".to_owned();
    let found = sets(&a, &b, Some(0.5)).expect("comparable");
    assert_eq!(found.only_a, ["bulk.goodput_bps, predicted"]);
    assert_eq!(found.only_b, ["bulk.rtos, simulated"]);
    assert!(found.finding(), "the prediction is missing");
    // A metric alone is not a finding: where nothing was lost there is no recovery.
    let mut c = [simulated("c", 2, &[1.0])];
    c[0].document.records[0].set("recovery_s", 2.0);
    let alone = sets(&c, &[simulated("d", 3, &[1.0])], Some(0.5)).expect("comparable");
    assert!(alone.only_a == ["bulk.recovery_s, simulated"] && !alone.finding());
    // A window that was never cut recovered from nothing, and not in no time.
    let mut uncut = [simulated("e", 4, &[1.0])];
    uncut[0].document.records[0].set("recovery_s", 0.0);
    let found_uncut = sets(&c, &uncut, None).expect("comparable");
    assert!(found_uncut.only_a.is_empty() && found_uncut.nothing_a.is_empty());
    assert_eq!(found_uncut.nothing_b, alone.only_a);
    // It counts for nothing on either side, and is nothing that a side has alone.
    let neither = sets(&uncut, &[simulated("f", 5, &[1.0])], None).expect("comparable");
    assert!(neither.only_a.is_empty() && neither.nothing_a.is_empty());
    assert!(
        found.notes[0].contains("scenarios differ"),
        "{:?}",
        found.notes
    );
    b[0].document.records[0].test = "another".to_owned();
    let error = sets(&a, &b, None).expect_err("nothing").to_string();
    assert!(error.starts_with("nothing to compare"), "{error}");
    // An invalid record counts for nothing, and is counted.
    let mut c = [simulated("c", 3, &[1.0, 2.0])];
    c[0].document.records[0].valid = false;
    let found = sets(&c, &[simulated("d", 4, &[2.0])], None).expect("comparable");
    assert_eq!(goodput(&found).a.n, 1);
    assert!(
        found
            .notes
            .iter()
            .any(|n| n.contains("1 simulated record of A")),
        "{:?}",
        found.notes
    );
}

#[test]
fn repeats_are_summed_up_and_come_back() {
    let mut document = with_prediction(simulated("a", 1, &[1.0, 2.0, 6.0]), 5.0).document;
    document.repeats = Some(crate::Repeats::of(
        vec![1, 7, 8],
        crate::Results {
            records: &document.records,
            links: &document.links,
        },
        &[],
    ));
    let repeats = document.repeats.as_ref().expect("set");
    // The prediction stands once and is not a repeat.
    let names: Vec<&str> = repeats.metrics.iter().map(|m| m.metric.as_str()).collect();
    assert_eq!(names, ["goodput_bps", "retransmits"]);
    let s = repeats.metrics[0].summary;
    assert_eq!((s.n, s.min, s.max, s.mean), (3, 1.0, 6.0, 3.0));
    assert_eq!(
        RunDocument::from_json(&document.to_json()).expect("reads"),
        document
    );
    assert!(document.to_json().contains("\"seeds\": [1, 7, 8]"));
}

/// A document of one ping that lost `lost` of 1000, `varied` by repeat.
fn pings(seed: u64, lost: f64, varied: bool) -> Named {
    let mut named = simulated("p", seed, &[1.0, 1.0, 1.0]);
    for (repeat, record) in named.document.records.iter_mut().enumerate() {
        let more = [("sent", 1000.0), ("loss_ratio", lost / 1000.0)];
        more.iter()
            .for_each(|(name, value)| record.set(name, *value));
        record.set("rtt_avg_ns", if varied { repeat as f64 } else { 0.0 });
    }
    named
}

/// Three repeats that happen to lose alike have no spread, and yet no more than 3000 packets behind them.
#[test]
fn equal_losses_in_a_few_repeats_are_no_proof() {
    let says = |a: Named, b: Named| {
        let found = sets(&[a], &[b], None).expect("comparable");
        let row = found.rows.iter().find(|r| r.metric == "loss_ratio");
        row.expect("a row").verdict
    };
    assert_eq!(
        says(pings(1, 1.0, true), pings(2, 2.0, true)),
        Verdict::Inconclusive
    );
    assert_eq!(
        says(pings(1, 1.0, true), pings(2, 20.0, true)),
        Verdict::Differs
    );
    // Where nothing is random, every difference is one.
    assert_eq!(
        says(pings(1, 1.0, false), pings(2, 2.0, false)),
        Verdict::Differs
    );
}

/// The summary of a side was Student's alone: 0 of 3000 were lost for certain, and records said otherwise.
#[test]
fn a_loss_ratio_of_a_side_has_the_interval_that_records_have() {
    let (a, b) = (pings(1, 0.0, true), pings(2, 2.0, true));
    let results = crate::Results {
        records: &a.document.records,
        links: &[],
    };
    let all = crate::Repeats::of(vec![1, 2, 3], results, &[]).metrics;
    let own = all.iter().find(|m| m.metric == "loss_ratio");
    let own = own.expect("several repeats").summary;
    // None of 3000: up to 0.128 % (Wilson).
    assert!((own.ci95.expect("of three") - 0.001_279).abs() < 1e-6);
    let found = sets(&[a], &[b], None).expect("comparable");
    let row = found.rows.iter().find(|r| r.metric == "loss_ratio");
    assert_eq!(row.expect("a row").a, own);
}

/// A ping that lost nothing five times beside a flow that lost at random: its loss is not known to be 0.
#[test]
fn no_loss_of_a_few_packets_is_no_proof_where_chance_has_a_part() {
    let says = |goodputs: &[f64]| {
        let mut run = simulated("p", 1, goodputs);
        for repeat in 0..goodputs.len() {
            let mut ping = Record::new(Origin::Simulated, "ping", "ping", "a", "b");
            ping.repeat = repeat as u32;
            ping.set("sent", 5.0);
            ping.set("loss_ratio", 0.0);
            run.document.records.push(ping);
        }
        let mut forecast = Record::new(Origin::Predicted, "ping", "ping", "a", "b");
        forecast.set("loss_ratio", 0.0002);
        run.document.records.push(forecast);
        let found = origins(&[run], None).expect("comparable");
        let row = found.rows.iter().find(|r| r.metric == "loss_ratio");
        row.map(|row| (row.verdict, row.difference_ci95))
            .expect("a row")
    };
    let (verdict, half) = says(&[90.0, 95.0, 99.0, 91.0, 97.0]);
    assert_eq!(verdict, Verdict::Inconclusive);
    // None of 25: up to 13.3 % (Wilson).
    assert!((half.expect("known") - 0.133).abs() < 0.001, "{half:?}");
    assert_eq!(says(&[90.0; 5]).0, Verdict::Differs);
}

/// The named run with the seeds of its repeats.
fn seeded(mut named: Named, seeds: &[u64]) -> Named {
    let count = u32::try_from(seeds.len()).expect("few");
    named.document.repeats = Some(crate::Repeats {
        count,
        seeds: seeds.to_vec(),
        metrics: Vec::new(),
    });
    named
}

/// Losses that both sides share are in no difference: a spread of 20 % hides nothing then.
#[test]
fn runs_of_the_same_seeds_are_compared_in_pairs() {
    let goodputs = [80.0, 100.0, 120.0, 90.0];
    let faster = goodputs.map(|g| g + 2.0 + g / 1000.0);
    let compared = |seeds: &[u64]| {
        let a = seeded(simulated("a", 1, &goodputs), &[1, 7, 8, 9]);
        let b = seeded(simulated("b", 1, &faster), seeds);
        goodput(&sets(&[a], &[b], None).expect("comparable")).clone()
    };
    let paired = compared(&[1, 7, 8, 9]);
    assert_eq!((paired.paired, paired.verdict), (true, Verdict::Differs));
    // Differences of 2.08 to 2.12: t(0.975, 3) = 3.182 times their deviation over two.
    let of: Vec<f64> = goodputs.iter().map(|g| 2.0 + g / 1000.0).collect();
    let half = Summary::of(&of).and_then(|s| s.ci95).expect("several");
    assert!((paired.difference_ci95.expect("known") - half).abs() < 1e-9);
    let strangers = compared(&[2, 3, 4, 5]);
    assert_eq!(
        (strangers.paired, strangers.verdict),
        (false, Verdict::Inconclusive)
    );
    assert!(strangers.difference_ci95.expect("known") > 20.0);
    // Seeds count, not the order of the repeats.
    let other = seeded(
        simulated("b", 7, &[faster[1], faster[0], faster[2], faster[3]]),
        &[7, 1, 8, 9],
    );
    let a = seeded(simulated("a", 1, &goodputs), &[1, 7, 8, 9]);
    assert_eq!(
        goodput(&sets(&[a], &[other], None).expect("comparable")).difference_ci95,
        paired.difference_ci95
    );
}

/// Five seeds in common of five and eight: a note says why they do not make pairs.
#[test]
fn seeds_that_are_in_common_and_not_the_same_are_said_to_make_no_pairs() {
    let goodputs = [80.0, 100.0, 120.0, 90.0, 95.0];
    let notes = |seeds: &[u64]| {
        let more: Vec<f64> = (0..).zip(seeds).map(|(n, _)| 81.0 + f64::from(n)).collect();
        let a = seeded(simulated("a", 1, &goodputs), &[1, 7, 8, 9, 10]);
        let b = seeded(simulated("b", 1, &more), seeds);
        let found = sets(&[a], &[b], None).expect("comparable");
        let said = found.notes.iter().find(|n| n.contains("seed by seed"));
        said.cloned()
    };
    let said = notes(&[1, 7, 8, 9, 10, 11, 12, 13]).expect("it is said");
    let of = "A has runs of 5 seeds and B of 8, 5 of them in common";
    assert!(said.starts_with(of), "{said}");
    assert_eq!(notes(&[1, 7, 8, 9, 10]), None, "pairs");
    assert_eq!(notes(&[2, 3, 4, 5, 6, 11]), None, "nothing in common");
}

/// A run without an outage was left out, so that the mean of the others was compared.
#[test]
fn a_run_without_an_outage_has_none_of_it() {
    let with = |mut named: Named, shares: &[f64]| {
        for (record, share) in named.document.records.iter_mut().zip(shares) {
            record.streams = vec![crate::StreamRecord {
                limited_by: [("link".to_owned(), 1.0)].into(),
                ..Default::default()
            }];
            if *share > 0.0 {
                record.set("outage_ratio", *share);
            }
        }
        named
    };
    let a = [with(simulated("a", 1, &[1.0, 2.0]), &[0.0, 0.0])];
    let four = simulated("b", 2, &[1.0, 2.0, 3.0, 4.0]);
    let b = [with(four, &[0.0, 0.5, 0.5, 0.0])];
    let found = sets(&a, &b, None).expect("comparable");
    let row = found.rows.iter().find(|r| r.metric == "outage_ratio");
    let row = row.expect("a row");
    let means = [row.a.mean, row.b.mean];
    assert_eq!((row.a.n, row.b.n, means), (2, 4, [0.0, 0.25]));
    assert!(found.only_b.is_empty(), "{:?}", found.only_b);
    // Where no run has any there is nothing to compare.
    let b = [with(simulated("b", 2, &[5.0]), &[0.0])];
    let rows = sets(&a, &b, None).expect("comparable").rows;
    assert!(rows.iter().all(|r| r.metric != "outage_ratio"));
}

/// A simulated ramp ends with a round trip, of 0.6 s here, whatever its test lasts: what is less apart is not apart.
#[test]
fn a_ramp_is_known_in_steps() {
    let ramp = |name: &str, seed: u64, seconds: f64| {
        let mut named = simulated(name, seed, &[1.0, 1.0]);
        for record in &mut named.document.records {
            record.duration_ns = 600_000_000_000;
            record.set("ramp_s", seconds);
            record.set("rtt_avg_ns", 600e6);
        }
        named
    };
    let says = |b: f64| {
        let found = sets(&[ramp("a", 1, 0.6)], &[ramp("b", 2, b)], Some(0.1)).expect("comparable");
        let row = found
            .rows
            .iter()
            .find(|r| r.metric == "ramp_s")
            .expect("a row")
            .clone();
        (row.verdict, row.step, row.more_runs, found.finding())
    };
    assert_eq!(says(1.1), (Verdict::Same, Some(0.6), None, false));
    assert_eq!(says(1.8), (Verdict::Differs, Some(0.6), Some(0), true));
}

#[test]
fn metrics_are_chosen_by_name() {
    let mut b = simulated("b", 2, &[1.0]);
    b.document.records[0].set("recovery_s", 1.0);
    let mut found = sets(&[simulated("a", 1, &[1.0])], &[b], None).expect("comparable");
    assert_eq!((found.rows.len(), found.only_b.len()), (2, 1));
    assert_eq!(found.clone().keep(|m| m == "goodput_bps"), Ok(()));
    found.keep(|m| m == "goodput_bps").expect("there is one");
    assert_eq!((found.rows.len(), found.only_b.len()), (1, 0));
    let known = found.keep(|m| m == "other").expect_err("there is none");
    assert_eq!(known.into_iter().collect::<Vec<_>>(), ["goodput_bps"]);
}

/// Each of a group's tests has its fairness; it is one number a run, and one row.
#[test]
fn what_a_group_has_is_one_row() {
    let grouped = |name: &str, seed: u64, index: f64| {
        let mut one = simulated(name, seed, &[1.0, 2.0]);
        let mut second = simulated(name, seed, &[3.0, 4.0]).document.records;
        second.iter_mut().for_each(|r| r.test = "other".to_owned());
        one.document.records.extend(second);
        for record in &mut one.document.records {
            record.group = Some("all".to_owned());
            record.set("group_jain_index", index + f64::from(record.repeat));
        }
        one
    };
    let found = sets(&[grouped("a", 1, 0.5)], &[grouped("b", 2, 0.75)], None).expect("comparable");
    let subjects: Vec<(&str, &str)> = found
        .rows
        .iter()
        .map(|r| (r.test.as_str(), r.metric.as_str()))
        .collect();
    assert_eq!(
        subjects,
        [
            ("bulk", "goodput_bps"),
            ("bulk", "retransmits"),
            ("other", "goodput_bps"),
            ("other", "retransmits"),
            ("group all", "group_jain_index")
        ]
    );
    let last = found.rows.last().expect("rows");
    assert_eq!((last.a.n, last.a.mean, last.b.mean), (2, 1.0, 1.25));
}

/// `farpath run SWEPT --set test.bulk.cc=reno` and the same with CUBIC: each has one point of the sweep.
#[test]
fn sets_of_one_point_each_are_compared_wherever_it_is() {
    let at = |cc: &str, goodputs: &[f64]| {
        let mut named = simulated(cc, 1, goodputs);
        for record in &mut named.document.records {
            record
                .point
                .insert("test.bulk.cc".to_owned(), cc.to_owned());
        }
        named
    };
    let (reno, cubic) = ([at("reno", &[1.0, 2.0])], [at("cubic", &[3.0, 4.0])]);
    let found = sets(&reno, &cubic, Some(0.01)).expect("comparable");
    let row = goodput(&found);
    assert_eq!((row.a.mean, row.b.mean), (1.5, 3.5));
    assert!(row.point.is_empty() && found.tests_missing == 0);
    assert_eq!(found.notes, ["A is at cc reno, B at cc cubic"]);
    let plain = sets(&reno, &[simulated("c", 1, &[5.0, 6.0])], None).expect("comparable");
    assert_eq!(plain.notes, ["A is at cc reno, B without a sweep"]);
    // At one point there is nothing to say, and of several each has its like.
    let again = sets(&reno, &[at("reno", &[1.0, 2.0])], None).expect("comparable");
    assert!(again.notes.is_empty() && !goodput(&again).point.is_empty());
    let mut both = [at("reno", &[1.0])];
    let other = at("cubic", &[9.0]).document.records;
    both[0].document.records.extend(other);
    let found = sets(&both, &cubic, None).expect("comparable");
    assert_eq!((goodput(&found).a.mean, found.tests_missing), (9.0, 1));
}

/// A seed is a part of the text: runs of one scenario with seeds of their own have texts of their own.
#[test]
fn runs_with_seeds_of_their_own_are_not_called_other_scenarios() {
    let of = |seed: u64, text: &str| {
        let mut one = simulated(&format!("{seed}{text}"), seed, &[1.0]);
        one.document.scenario_sha256 = text.to_owned();
        one
    };
    let notes = |a: &[Named], b: &[Named]| sets(a, b, None).expect("comparable").notes.join("; ");
    let seeds = [of(1, "aa"), of(2, "bb")];
    assert_eq!(notes(&seeds, &seeds), "");
    let unknown = notes(&[of(1, "aa")], &[of(2, "bb")]);
    assert!(
        unknown.contains("differ, or their seeds alone: A "),
        "{unknown}"
    );
    let other = notes(&seeds, &[of(1, "cc")]);
    assert!(other.contains("the scenarios differ: A "), "{other}");
    let several = notes(&[of(1, "aa"), of(1, "bb")], &seeds);
    assert!(several.contains("A is of several scenarios"), "{several}");
}

/// Repeats with nothing random in them are one run: an interval of 0 around a difference shows no luck.
#[test]
fn a_difference_between_repeats_that_are_one_run_says_so() {
    let note = |a: &[Named], b: &[Named]| -> Vec<String> {
        let found = match b {
            [] => origins(a, None),
            b => sets(a, b, None),
        };
        let notes = found.expect("comparable").notes;
        notes.into_iter().filter(|n| n.contains(ONE_RUN)).collect()
    };
    let still = [simulated("a", 1, &[100.0, 100.0, 100.0])];
    let other = [simulated("b", 2, &[110.0, 110.0, 110.0])];
    let both = note(&still, &other);
    assert!(
        both[0].contains("simulated runs of A and B is random"),
        "{both:?}"
    );
    // Nothing differs, one run on a side, and luck.
    assert!(note(&still, &[simulated("b", 2, &[100.0, 100.0])]).is_empty());
    assert!(
        note(
            &[simulated("a", 1, &[100.0])],
            &[simulated("b", 2, &[110.0])]
        )
        .is_empty()
    );
    let lucky = [simulated("b", 2, &[110.0, 111.0, 109.0])];
    assert!(note(&lucky, &[simulated("c", 3, &[150.0, 151.0, 149.0])]).is_empty());
    let one = note(&still, &lucky);
    assert!(one[0].contains("runs of A is random"), "{one:?}");
    // Its records say that only the start of the test was drawn.
    let mut shifted = lucky;
    for record in &mut shifted[0].document.records {
        record.notes.push(format!("3 {ONE_RUN}, shifted in time"));
    }
    let moved = note(&still, &shifted);
    assert!(moved[0].contains("of A and B"), "{moved:?}");
    // Of origins, and of real hosts: equal figures there do not show it.
    let origins = note(
        &[with_prediction(simulated("a", 1, &[100.0, 100.0]), 105.0)],
        &[],
    );
    assert!(
        origins[0].contains("the simulated runs is random"),
        "{origins:?}"
    );
    let mut real = still;
    for record in &mut real[0].document.records {
        record.origin = Origin::Measured;
    }
    let mut apart = other;
    for record in &mut apart[0].document.records {
        record.origin = Origin::Measured;
    }
    assert!(note(&real, &apart).is_empty());
}

/// Two digests said that two scenarios differ, and not in what.
#[test]
fn scenarios_that_differ_are_told_apart_by_their_keys() {
    let with = |seed: u64, keys: &[(&str, &str)]| {
        let mut named = simulated("a", seed, &[1.0]);
        named.document.scenario_sha256 = format!("{seed}");
        let keys = keys.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
        named.keys = keys.collect();
        named
    };
    let note = |a: Named, b: Named| sets(&[a], &[b], None).expect("comparable").notes;
    let (rate, seed) = (("link.l.rate", "1 Gbit/s"), ("scenario.seed", "7"));
    assert_eq!(
        note(
            with(1, &[rate, seed]),
            with(2, &[("test.t.cc", "reno"), rate])
        ),
        [
            "the scenarios differ: test.t.cc is not set in A and reno in B; scenario.seed is 1 in A and 2 in B"
        ]
    );
    // A seed that differs alone had two digests, and beside another key it was left out.
    let seeds = note(with(1, &[rate, seed]), with(2, &[rate]));
    assert_eq!(
        seeds,
        ["the seeds alone differ: scenario.seed is 1 in A and 2 in B"]
    );
    let unknown = note(with(1, &[rate]), with(2, &[]));
    assert!(unknown[0].contains("A s (1), B s (2)"), "{unknown:?}");
}

/// Emulated records of a folder were "records of A", where A is what was simulated.
#[test]
fn records_left_out_are_named_by_their_origin() {
    let mut one = with_prediction(simulated("a", 1, &[100.0, 100.0]), 105.0);
    for repeat in 0..2 {
        let mut bad = Record::new(Origin::Emulated, "bulk", "tcp", "a", "b");
        bad.repeat = repeat;
        bad.valid = false;
        one.document.records.push(bad);
    }
    let words = "2 emulated records are marked invalid and left out";
    let found = origins(&[one.clone()], None).expect("two origins");
    assert!(found.notes.iter().any(|n| n == words), "{:?}", found.notes);
    let of_a = "2 emulated records of A are marked invalid and left out";
    let found = sets(&[one], &[simulated("b", 2, &[1.0])], None).expect("comparable");
    assert!(found.notes.iter().any(|n| n == of_a), "{:?}", found.notes);
}

/// Another run is their remedy, not files of other tests.
#[test]
fn invalid_records_are_not_taken_for_other_tests() {
    let mut bad = simulated("a", 1, &[1.0]);
    for record in &mut bad.document.records {
        record.valid = false;
    }
    let good = simulated("b", 2, &[1.0]);
    let found = sets(&[bad.clone()], &[good], None);
    assert!(matches!(found, Err(CompareError::NoneValid(_))));
    let found = origins(&[bad], None);
    assert!(matches!(found, Err(CompareError::NoneValid(_))));
}

/// Two sweeps of one test were said to have no metric in common.
#[test]
fn sets_at_other_points_say_what_they_share_and_what_each_sweeps() {
    let swept = |key: &str| {
        let mut one = simulated("a", 1, &[1.0]);
        for n in 1..3 {
            let mut record = one.document.records[0].clone();
            record.point.insert(key.to_owned(), n.to_string());
            one.document.records.push(record);
        }
        one.document.records.remove(0);
        [one]
    };
    let said = |a: &[Named], b: &[Named]| sets(a, b, None).expect_err("no point").to_string();
    let other = said(&swept("link.l.queue"), &swept("link.l.police.bucket"));
    let test = swept("x")[0].document.records[0].test.clone();
    assert_eq!(
        other,
        format!(
            "nothing to compare: A and B have no point of their sweeps in common. Both have {test}.goodput_bps, simulated; A sweeps \
             link.l.queue, and B sweeps link.l.police.bucket"
        )
    );
    let alone = said(&swept("link.l.queue"), &[simulated("b", 2, &[1.0])]);
    assert!(
        alone.ends_with("A sweeps link.l.queue, and B sweeps nothing"),
        "{alone}"
    );
}

/// Of two kinds of run the mean is like neither, and its interval holds anything: ranks tell what it hides.
#[test]
fn a_mixture_is_compared_by_ranks() {
    let mixed = [90.0, 91.0, 5.0, 89.0, 90.0, 92.0, 90.0, 4.0, 91.0, 90.0];
    let plain: Vec<f64> = (0..10).map(|n| 79.0 + 0.2 * f64::from(n)).collect();
    let row = |a: &[f64], b: &[f64]| {
        let found = sets(&[simulated("a", 1, a)], &[simulated("b", 2, b)], None);
        goodput(&found.expect("comparable")).clone()
    };
    let found = row(&mixed, &plain);
    assert!(found.difference > 0.0, "the mean of A is the smaller one");
    assert!(found.a.median > found.b.median);
    assert!(found.difference.abs() < found.difference_ci95.expect("known"));
    // 80 of the 100 pairs of an A and a B have the larger A: 0.02 to 0.03.
    assert!((0.02..0.03).contains(&found.rank_p.expect("by ranks")));
    assert_eq!(
        (found.verdict, found.more_runs),
        (Verdict::Differs, Some(0))
    );
    // Without a mixture the means count; of one run nothing is known.
    assert_eq!(row(&plain, &plain).rank_p, None);
    assert_eq!(row(&mixed, &[80.0]).rank_p, None);
    let near: Vec<f64> = mixed.iter().map(|v| v + 0.5).collect();
    let near = row(&mixed, &near);
    assert_eq!(
        (near.verdict, near.more_runs),
        (Verdict::Inconclusive, None)
    );
}

/// One run of ten that failed makes the interval of the means wide; nine are above all of the other side.
#[test]
fn what_an_outlier_hides_is_said_by_ranks() {
    let plain: Vec<f64> = (0..10).map(|n| 100.0 + 0.1 * f64::from(n)).collect();
    let mut higher: Vec<f64> = plain.iter().map(|v| v + 10.0).collect();
    higher[4] = 20.0;
    let (a, b) = ([simulated("a", 1, &plain)], [simulated("b", 2, &higher)]);
    let mut found = sets(&a, &b, None).expect("comparable");
    assert_eq!(goodput(&found).verdict, Verdict::Inconclusive);
    assert_eq!(goodput(&found).rank_p, None);
    // 90 of the 100 pairs of an A and a B have the larger B: 139 of the 92378 orders of ten have as few, on either side.
    let said = "bulk.goodput_bps, simulated: a run lies far from the others and makes the interval of the means wide: by ranks A and B \
        differ (p = 0.002, two-sided)";
    assert!(found.notes.iter().any(|n| n == said), "{:?}", found.notes);
    found
        .keep(|metric| metric == "retransmits")
        .expect("one is left");
    assert!(!found.notes.iter().any(|n| n == said), "{:?}", found.notes);
    // Without the outlier the means say it.
    let clear: Vec<f64> = plain.iter().map(|v| v + 10.0).collect();
    let found = sets(&a, &[simulated("b", 2, &clear)], None).expect("comparable");
    assert_eq!(goodput(&found).verdict, Verdict::Differs);
    assert!(!found.notes.iter().any(|n| n.contains("by ranks")));
}

/// 10.02 s of a test of ten seconds were compared with the time that a transfer took.
#[test]
fn what_a_clock_ended_has_no_completion() {
    let of = |name: &str, seed: u64, duration_ns: u64, took: f64| {
        let mut named = simulated(name, seed, &[100.0]);
        let record = &mut named.document.records[0];
        record.duration_ns = duration_ns;
        record.set("completion_ns", took);
        named
    };
    let (clock, bytes) = ([of("a", 1, 10, 11.0)], [of("b", 2, 10, 9.0)]);
    let said = "completion of A (bulk) is left out: a clock ended the test, and not its last byte";
    let mut found = sets(&clock, &bytes, None).expect("comparable");
    let has = |c: &Comparison| c.rows.iter().any(|r| r.metric == "completion_ns");
    assert!(!has(&found));
    assert_eq!(found.only_b, ["bulk.completion_ns, simulated"]);
    assert!(found.notes.iter().any(|n| n == said), "{:?}", found.notes);
    found.keep(|metric| metric == "goodput_bps").expect("a row");
    assert!(found.notes.iter().all(|n| n != said), "{:?}", found.notes);
    // Bytes that arrived within the time are a completion, and so are those of a test without an end.
    let whole = sets(&bytes, &[of("c", 3, 0, 11.0)], None).expect("comparable");
    assert!(has(&whole), "{:?}", whole.rows);
    assert!(whole.notes.iter().all(|n| !n.contains("a clock ended")));
}

/// A window of 2 MiB and one of 2048KiB were points of their own.
#[test]
fn a_point_written_in_two_ways_is_one() {
    let of = |name: &str, seed: u64, windows: [&str; 2]| {
        let mut named = simulated(name, seed, &[100.0, 200.0]);
        for (record, window) in named.document.records.iter_mut().zip(windows) {
            record.repeat = 0;
            record.point = [("test.bulk.window".to_owned(), window.to_owned())].into();
        }
        named
    };
    let (a, b) = (
        [of("a", 1, ["2 MiB", "4 MiB"])],
        [of("b", 2, ["2048KiB", "8 MiB"])],
    );
    let found = sets(&a, &b, None).expect("comparable");
    let goodputs = found.rows.iter().filter(|r| r.metric == "goodput_bps");
    let windows: Vec<&String> = goodputs.flat_map(|r| r.point.values()).collect();
    assert_eq!(windows, ["2 MiB"]);
    assert_eq!(found.tests_missing, 2);
}

/// Forecasts of which a note says that they do not hold are shown, and fail no gate; what was simulated beside them does.
#[test]
fn a_forecast_outside_its_range_is_never_beyond_a_tolerance() {
    let forecast = |name: &str, goodput: f64, note: Option<&str>| {
        let mut named = simulated(name, 1, &[goodput]);
        for record in &mut named.document.records {
            record.origin = Origin::Predicted;
            record.notes.extend(note.map(str::to_owned));
        }
        named
    };
    let note = Some("outside the formula's range: it is the mean of many losses");
    for (note, fails) in [(None, true), (note, false)] {
        let a = [forecast("a", 100.0, None)];
        let b = [forecast("b", 50.0, note)];
        let found = sets(&a, &b, Some(0.05)).expect("comparable");
        let row = goodput(&found);
        assert_eq!((row.beyond_tolerance, row.out_of_range), (fails, !fails));
        assert_eq!((row.verdict, found.finding()), (Verdict::Differs, fails));
    }
}
