use super::*;
use farpath_record::Results;

fn record(origin: Origin, test: &str, kind: &str, metrics: &[(&str, f64)]) -> Record {
    let mut r = Record::new(origin, test, kind, "a", "b");
    for (name, value) in metrics {
        r.set(name, *value);
    }
    r
}

fn expectation(
    metric: &str,
    origin: Origin,
    band: (f64, f64),
    actual: Option<f64>,
    stated: &str,
) -> Expectation {
    Expectation {
        min: Some(band.0),
        max: Some(band.1),
        actual,
        stated: (!stated.is_empty()).then(|| stated.to_owned()),
        pass: actual.is_some_and(|v| v >= band.0 && v <= band.1),
        ..Expectation::new(origin, metric)
    }
}

fn snaky() -> RunDocument {
    let mut run = RunDocument::new("cern-snaky/five-passes", 1, String::new());
    for (origin, rtt, goodput) in [
        (Origin::Predicted, 580_000_000.0, 989_970_000.0),
        (Origin::Simulated, 580_061_234.0, 989_968_123.0),
    ] {
        run.records.push(record(
            origin,
            "ping-folded",
            "ping",
            &[("rtt_avg_ns", rtt), ("sent", 5.0)],
        ));
        let mut tcp = record(
            origin,
            "bulk",
            "tcp",
            &[("goodput_bps", goodput), ("recovery_s", 54_321.0)],
        );
        tcp.limited_by = Some("receive_window".to_owned());
        tcp.notes.push("the receive window of 64 MiB is the one the source used; a larger one would not be faster on this path".to_owned());
        run.records.push(tcp);
    }
    run.expectations = vec![
        expectation(
            "ping-folded.rtt_avg_ns",
            Origin::Predicted,
            (579e6, 581e6),
            Some(580e6),
            "580/581/584 ms",
        ),
        expectation(
            "ping-folded.rtt_avg_ns",
            Origin::Simulated,
            (579e6, 580_061_000.0),
            Some(580_061_234.0),
            "580/581/584 ms",
        ),
        expectation(
            "link.stm64.a>b.payload_bytes over link.stm64.b>a.payload_bytes",
            Origin::Simulated,
            (1.45, 1.55),
            Some(1.5),
            "3:2",
        ),
        expectation(
            "bulk.completion_ns",
            Origin::Simulated,
            (0.0, 9e9),
            None,
            "",
        ),
    ];
    run.expectations[3].absent = Some("3 of 9 bytes were delivered".to_owned());
    run.expectations[2].note = Some("five crossings one way, two the other".to_owned());
    run
}

#[test]
fn the_table_fits_eighty_columns_and_says_everything() {
    let expected = r"cern-snaky/five-passes, seed 1

test, metric  stated              predicted      simulated  allowed
------------  --------------  -------------  -------------  --------------  ----
ping-folded
  rtt_avg     580/581/584 ms         580 ms      580.06 ms  predicted 579   FAIL
                                                            to 581 ms;
                                                            simulated 579
                                                            to 580.06 ms
bulk, limited by the receive window
  goodput                     989.97 Mbit/s  989.97 Mbit/s
  recovery                         15.089 h       15.089 h
  completion                                                0 to 9 s        FAIL
link stm64: a>b over b>a
  payload     3:2                                      1.5  1.45 to 1.55    ok

FAIL  ping-folded.rtt_avg_ns, simulated: 580061234 ns, 4e-5 % above expected
      579000000 ns to 580061000 ns (stated: 580/581/584 ms)
FAIL  bulk.completion_ns, simulated: no such result (3 of 9 bytes were
      delivered), expected 0 s to 9 s

Notes
- recovery: predicted, of one cut of a full window, until it is full again; of
  other origins from the last cut until the window is as large as it was before,
  or the sending host has been the limit for a whole window of data
- bulk, predicted and simulated: the receive window of 64 MiB is the one the
  source used; a larger one would not be faster on this path
- link stm64: a>b over b>a payload: five crossings one way, two the other

4 figures judged: 2 ok, 2 failed
";
    let text = render(&snaky(), Layout::default());
    assert!(text.lines().all(|l| l.chars().count() <= 80), "{text}");
    assert_eq!(text, expected, "\n{text}");
}

#[test]
fn a_recovery_of_one_kind_of_origin_needs_no_word() {
    let mut run = snaky();
    let others = |r: &Record| r.origin != Origin::Predicted;
    run.records.retain(others);
    run.expectations.retain(|e| e.origin != Origin::Predicted);
    let text = render(&run, Layout::default());
    assert!(
        text.contains("  recovery") && !text.contains("- recovery"),
        "{text}"
    );
}

#[test]
fn sweep_points_are_rows() {
    let mut run = RunDocument::new("cern-snaky/window-sweep", 7, String::new());
    for (window, goodput) in [("1 MiB", 14.46e6), ("8 MiB", 115.7e6), ("64 MiB", 925.4e6)] {
        for origin in [Origin::Predicted, Origin::Simulated, Origin::Emulated] {
            let mut tcp = record(origin, "bulk", "tcp", &[("goodput_bps", goodput)]);
            tcp.point
                .insert("test.bulk.window".to_owned(), window.to_owned());
            tcp.limited_by = Some("receive_window".to_owned());
            tcp.valid = origin != Origin::Emulated;
            run.records.push(tcp);
        }
    }
    let expected = r"cern-snaky/window-sweep, seed 7

window        predicted      simulated         emulated
--------  -------------  -------------  ---------------
bulk goodput, limited by the receive window
  1 MiB   14.460 Mbit/s  14.460 Mbit/s  ! 14.460 Mbit/s
  8 MiB   115.70 Mbit/s  115.70 Mbit/s  ! 115.70 Mbit/s
  64 MiB  925.40 Mbit/s  925.40 Mbit/s  ! 925.40 Mbit/s

! INVALID: the certificate failed, and the number may not be trusted

Notes
- bulk, emulated: INVALID, its numbers may not be trusted
";
    let text = render(&run, Layout::default());
    assert_eq!(text, expected, "\n{text}");
}

#[test]
fn colour_adds_sequences_and_takes_nothing_away() {
    let (plain, coloured) = (
        render(&snaky(), Layout::default()),
        render(
            &snaky(),
            Layout {
                colour: true,
                ..Layout::default()
            },
        ),
    );
    assert!(coloured.contains("\u{1b}[1;31mFAIL\u{1b}[0m"));
    let stripped = coloured
        .replace("\u{1b}[1;31m", "")
        .replace("\u{1b}[32m", "")
        .replace("\u{1b}[0m", "");
    assert_eq!(stripped, plain);
}

#[test]
fn any_width_and_an_empty_run_are_fine() {
    for width in [0, 1, 10, 40, 79, 200] {
        assert!(
            render(
                &snaky(),
                Layout {
                    width,
                    ..Layout::default()
                }
            )
            .contains("FAIL")
        );
    }
    let empty = RunDocument::new("x", 1, String::new());
    assert_eq!(render(&empty, Layout::default()), "x, seed 1\n\n");
}

#[test]
fn emulated_runs_have_their_certificates_under_the_table() {
    let mut run = snaky();
    assert!(!render(&run, Layout::default()).contains("certificate"));
    for cc in ["cubic", "reno"] {
        let mut one = record(Origin::Emulated, "bulk", "tcp", &[("goodput_bps", 9e8)]);
        one.point.insert("test.bulk.cc".to_owned(), cc.to_owned());
        one.certificate = Some(farpath_record::Certificate {
            valid: cc == "cubic",
            frames: 1000,
            ..Default::default()
        });
        // The tests of one run share its certificate.
        run.records.push(one.clone());
        one.test = "bulk-iperf".to_owned();
        run.records.push(one);
    }
    let text = render(&run, Layout::default());
    let at = |part: &str| text.find(part).expect(part);
    assert!(at("- bulk.cc cubic, certificate valid") < at("- bulk.cc reno, certificate INVALID"));
    assert!(at("goodput") < at("certificate valid"), "{text}");
    assert_eq!(text.matches("certificate").count(), 2, "{text}");
}

#[test]
fn keys_with_one_last_name_have_columns_and_a_group_has_one_line() {
    let mut run = RunDocument::new("pair", 1, String::new());
    for (one, other) in [("cubic", "bbr"), ("bbr", "cubic")] {
        for (test, cc, goodput) in [("f1", one, 60e6), ("f2", other, 30e6)] {
            let recovery = if cc == "bbr" { 0.0 } else { 0.5 };
            let metrics = [
                ("goodput_bps", goodput),
                ("recovery_s", recovery),
                ("group_jain_index", 0.9),
            ];
            let mut tcp = record(Origin::Simulated, test, "tcp", &metrics);
            tcp.point.insert("test.f1.cc".to_owned(), one.to_owned());
            tcp.point.insert("test.f2.cc".to_owned(), other.to_owned());
            tcp.group = Some("pair".to_owned());
            run.records.push(tcp);
        }
    }
    let expected = r"pair, seed 1

test, metric       f1.cc  f2.cc  simulated
-----------------  -----  -----  ---------
f1
  goodput          cubic  bbr    60 Mbit/s
                   bbr    cubic  60 Mbit/s
  recovery         cubic  bbr       500 ms
f2
  goodput          cubic  bbr    30 Mbit/s
                   bbr    cubic  30 Mbit/s
  recovery         bbr    cubic     500 ms
group pair
  fairness (Jain)  cubic  bbr       0.9000
                   bbr    cubic     0.9000

Notes
- f1 recovery, at f1.cc bbr, f2.cc cubic: none (no loss cut the window)
- f2 recovery, at f1.cc cubic, f2.cc bbr: none (no loss cut the window)
";
    let text = render(&run, Layout::default());
    assert_eq!(text, expected, "\n{text}");
}

/// A run of `repeats` repeats, each a record that `change` finishes.
fn repeated(origin: Origin, repeats: u32, change: impl Fn(u32, &mut Record)) -> RunDocument {
    let mut run = RunDocument::new("s", 1, String::new());
    for repeat in 0..repeats {
        let goodput = 90e6 + f64::from(repeat) * 1e6;
        let mut one = record(origin, "bulk", "tcp", &[("goodput_bps", goodput)]);
        one.repeat = repeat;
        change(repeat, &mut one);
        run.records.push(one);
    }
    let results = Results {
        records: &run.records,
        links: &[],
    };
    let seeds = (1..=u64::from(repeats)).collect();
    run.repeats = Some(farpath_record::Repeats::of(seeds, results, &[]));
    run
}

#[test]
fn numbers_without_a_valid_certificate_are_marked_and_said_to_be_left_out() {
    let text = |invalid: &[u32]| {
        let run = repeated(Origin::Emulated, 3, |repeat, one| {
            one.valid = !invalid.contains(&repeat);
        });
        let text = render(&run, Layout::default());
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let none = text(&[]);
    assert!(
        none.contains("goodput 91 Mbit/s") && !none.contains("INVALID"),
        "{none}"
    );
    // The others' median stands in for the one that is out.
    let one = text(&[0]);
    assert!(
        one.contains("goodput 91.500 Mbit/s") && !one.contains("! 9"),
        "{one}"
    );
    assert!(one.contains("INVALID: 1 of 3 emulated records"), "{one}");
    let all = text(&[0, 1, 2]);
    assert!(
        all.contains("goodput ! 91 Mbit/s") && all.contains("! INVALID: the certificate failed"),
        "{all}"
    );
    assert!(all.contains("INVALID: 3 of 3 emulated records"), "{all}");
}

#[test]
fn what_few_repeats_have_is_in_no_table_and_counted() {
    let text = |having: u32| {
        let run = repeated(Origin::Simulated, 10, |repeat, one| {
            if repeat < having {
                one.set("recovery_s", 4.25);
            }
        });
        let text = render(&run, Layout::default());
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let few = text(2);
    assert!(!few.contains("4.25"), "{few}");
    assert!(
        few.contains("recovery, s 2 Where n stands alone, fewer than half of the repeats have it"),
        "{few}"
    );
    let half = text(5);
    assert!(
        half.contains("recovery 4.2500 s (5 of 10)") && half.contains("recovery, s 5 4.2500"),
        "{half}"
    );
    assert!(!half.contains("fewer than half"), "{half}");
}

/// Most repeats had a recovery, and the record of another said why it had none: the table left the median out, with the words that fewer than
/// half had one.
#[test]
fn a_repeat_that_says_why_it_lacks_a_metric_leaves_the_others_their_median() {
    let text = |having: u32| {
        let run = repeated(Origin::Simulated, 5, |repeat, one| {
            if repeat < having {
                one.set("recovery_s", 7.5);
            } else {
                one.unset("recovery_s", "the test ended before".to_owned());
            }
        });
        let text = render(&run, Layout::default());
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let most = text(3);
    assert!(most.contains("recovery 7.5000 s (3 of 5)"), "{most}");
    assert!(!most.contains("fewer than half"), "{most}");
    let few = text(2);
    assert!(
        !few.contains("7.5") && few.contains("fewer than half"),
        "{few}"
    );
}

/// One unit and one heading for each metric: a reader goes down a column from point to point.
#[test]
fn repeats_of_a_sweep_have_a_row_for_each_point_below_each_metric() {
    let mut run = RunDocument::new("s", 1, String::new());
    run.sweep = vec![vec!["link.l.queue".to_owned()]];
    for (queue, recovery) in [("2bdp", 0.5), ("1bdp", 2.0)] {
        for origin in [Origin::Predicted, Origin::Simulated] {
            for repeat in 0..4 {
                let goodput = 90e6 + f64::from(repeat) * 1e6;
                let mut one = record(origin, "bulk", "tcp", &[("goodput_bps", goodput)]);
                one.repeat = repeat;
                one.point = Point::from([("link.l.queue".to_owned(), queue.to_owned())]);
                if origin == Origin::Simulated {
                    one.group = Some("all".to_owned());
                    one.set("group_jain_index", 0.75);
                    // A metric that the first repeat lacks comes last in a document.
                    if repeat > 0 {
                        one.set("recovery_s", recovery);
                    }
                    run.records.push(one);
                } else if repeat == 0 {
                    run.records.push(one);
                }
            }
        }
    }
    let results = Results {
        records: &run.records,
        links: &[],
    };
    let repeats = farpath_record::Repeats::of(vec![1, 2, 3, 4], results, &[]);
    run.repeats = Some(repeats);
    let text = render(&run, Layout::default());
    let expected = "
queue   n     min     max    mean     std  \u{b1} 95 %
------  -  ------  ------  ------  ------  ------
bulk goodput, Mbit/s, simulated
  2bdp  4      90      93  91.500  1.2910  2.0543
  1bdp  4      90      93  91.500  1.2910  2.0543
bulk recovery, s, simulated
  2bdp  3  0.5000  0.5000  0.5000       0       0
  1bdp  3       2       2       2       0       0
group all fairness (Jain), simulated
  2bdp  4  0.7500  0.7500  0.7500       0       0
  1bdp  4  0.7500  0.7500  0.7500       0       0
";
    assert!(text.contains(expected), "{text}");
}

/// One connection against one, and against four: by tests and by connections. Of one stream alone there is nothing to compare.
#[test]
fn fairness_by_connections_stands_beside_that_of_tests_and_one_stream_has_none() {
    let run = repeated(Origin::Simulated, 4, |repeat, one| {
        let streams = if repeat % 2 == 0 { 1 } else { 4 };
        one.repeat = repeat / 2;
        one.group = Some("pair".to_owned());
        one.point = [("test.bulk.parallel".to_owned(), streams.to_string())].into();
        one.streams = vec![Default::default(); streams];
        one.set("jain_index", if streams == 1 { 1.0 } else { 0.8 });
        one.set("group_jain_index", 0.7);
        if streams > 1 {
            one.set("group_streams_jain_index", 0.29);
        }
    });
    let text = render(&run, Layout::default());
    assert!(text.contains("group pair fairness (Jain)"), "{text}");
    assert!(text.contains("fairness of connections (Jain)"), "{text}");
    let lines = text
        .lines()
        .map(|l| l.split_whitespace().collect::<Vec<_>>().join(" "));
    let lines: Vec<String> = lines.collect();
    let has = |wanted: &str| lines.iter().any(|l| l == wanted);
    assert!(has("4 2 0.2900 0.2900 0.2900 0 0"), "{text}");
    assert!(has("4 2 0.8000 0.8000 0.8000 0 0"), "{text}");
    assert!(
        !has("1 2 1.0000 1.0000 1.0000 0 0") && !has("1 2 1 1 1 0 0"),
        "{text}"
    );
}

#[test]
fn fairness_of_streams_and_of_groups_has_its_mean_and_interval() {
    let mut run = repeated(Origin::Simulated, 3, |repeat, one| {
        one.group = Some("pair".to_owned());
        one.streams = vec![Default::default(); 2];
        one.set("jain_index", 0.9 + f64::from(repeat) / 100.0);
        one.set("group_jain_index", 0.7 + f64::from(repeat) / 100.0);
        one.set("group_convergence_s", 12.0 + f64::from(repeat));
    });
    let text = render(&run, Layout::default());
    let lines: Vec<String> = text
        .lines()
        .map(|l| l.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    let has = |wanted: &str| lines.iter().any(|l| l == wanted);
    assert!(
        has("fairness (Jain) 0.9100") && has("fairness (Jain) 0.7100"),
        "{text}"
    );
    assert!(
        has("fairness (Jain) 3 0.9000 0.9200 0.9100 0.0100 0.0248"),
        "{text}"
    );
    assert!(has("group pair, simulated"), "{text}");
    assert!(
        has("fairness (Jain) 3 0.7000 0.7200 0.7100 0.0100 0.0248"),
        "{text}"
    );
    assert!(has("convergence 13 s"), "{text}");
    // One stream is as fair as can be to itself.
    run.records.iter_mut().for_each(|r| r.streams.truncate(1));
    let alone = render(&run, Layout::default());
    assert!(!alone.contains("0.9100"), "{alone}");
}

#[test]
fn points_that_share_their_seeds_say_so() {
    let mut run = repeated(Origin::Simulated, 2, |_, _| {});
    assert!(!render(&run, Layout::default()).contains("same seeds"));
    let mut metrics = Vec::new();
    for loss in ["0", "1e-4"] {
        let at = Point::from([("link.l.loss".to_owned(), loss.to_owned())]);
        for record in &mut run.records {
            record.point.clone_from(&at);
        }
        let results = Results {
            records: &run.records,
            links: &[],
        };
        metrics.extend(farpath_record::Repeats::of(vec![1, 2], results, &[]).metrics);
    }
    run.repeats.as_mut().expect("repeated").metrics = metrics;
    assert!(render(&run, Layout::default()).contains("Every point has the same seeds"));
}

/// A sweep fails in many points: they come in its order, and beyond four the rest is counted.
#[test]
fn failures_of_a_sweep_are_told_in_its_order_and_counted() {
    let delays = ["5 ms", "25 ms", "50 ms", "100 ms"];
    let mut run = RunDocument::new("x", 1, String::new());
    for delay in delays {
        for origin in [Origin::Predicted, Origin::Simulated] {
            let mut ping = record(origin, "ping", "ping", &[("rtt_avg_ns", 1e6)]);
            ping.point
                .insert("link.l.delay".to_owned(), delay.to_owned());
            run.records.push(ping);
        }
    }
    // Judged by names of points: "100 ms" is the first.
    let mut judged = delays;
    judged.sort_unstable();
    for (metric, origins) in [
        (
            "ping.rtt_avg_ns",
            &[Origin::Predicted, Origin::Simulated][..],
        ),
        ("ping.received", &[Origin::Simulated]),
    ] {
        for delay in judged {
            for origin in origins {
                let mut one = expectation(metric, *origin, (3.0, 4.0), Some(1e6), "");
                one.point
                    .insert("link.l.delay".to_owned(), delay.to_owned());
                run.expectations.push(one);
            }
        }
    }
    let text = render(&run, Layout::default());
    let failed: Vec<&str> = text.lines().filter(|l| l.starts_with("FAIL")).collect();
    let about = |l: &str| l.split(':').next().unwrap_or_default().to_owned();
    let told: Vec<String> = failed.iter().map(|l| about(l)).collect();
    let expected = [
        "FAIL  ping.rtt_avg_ns, predicted at delay 5 ms",
        "FAIL  ping.rtt_avg_ns, simulated at delay 5 ms",
        "FAIL  ping.rtt_avg_ns, predicted at delay 25 ms",
        "FAIL  ping.rtt_avg_ns, simulated at delay 25 ms",
        "FAIL  ping.rtt_avg_ns",
        "FAIL  ping.received, simulated at delay 5 ms",
        "FAIL  ping.received, simulated at delay 25 ms",
        "FAIL  ping.received, simulated at delay 50 ms",
        "FAIL  ping.received, simulated at delay 100 ms",
    ];
    assert_eq!(told, expected, "{text}");
    assert!(
        text.contains("ping.rtt_avg_ns: 4 more, marked in the table"),
        "{text}"
    );
    assert!(
        text.contains("12 figures judged: 0 ok, 12 failed"),
        "{text}"
    );
}

#[test]
fn repeats_have_no_recovery_where_no_window_was_cut() {
    let mut run = RunDocument::new("x", 1, String::new());
    for (repeat, goodput) in [(0, 5e6), (1, 6e6)] {
        let metrics = [("goodput_bps", goodput), ("recovery_s", 0.0)];
        let mut tcp = record(Origin::Simulated, "bulk", "tcp", &metrics);
        tcp.repeat = repeat;
        run.records.push(tcp);
    }
    let results = Results {
        records: &run.records,
        links: &[],
    };
    run.repeats = Some(farpath_record::Repeats::of(vec![1, 2], results, &[]));
    let text = render(&run, Layout::default());
    assert!(
        text.contains("goodput, Mbit/s") && !text.contains("recovery"),
        "{text}"
    );
}

/// `tolerance = 0.05` of a rate is 0.05 bit/s: without its width the band would look like the value that failed.
#[test]
fn a_band_that_looks_like_one_number_says_how_wide_it_is() {
    let run = |band: (f64, f64)| {
        let mut run = snaky();
        run.expectations = vec![expectation(
            "bulk.goodput_bps",
            Origin::Simulated,
            band,
            Some(989_968_123.0),
            "",
        )];
        render(&run, Layout::default())
    };
    let narrow = run((2.4e9 - 0.05, 2.4e9 + 0.05));
    let words = "989.97 Mbit/s, 59 % below expected 2.4000 Gbit/s ± 0.0500 bit/s";
    let folded = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(folded(&narrow).contains(words), "{narrow}");
    let none = run((2.4e9, 2.4e9));
    assert!(
        folded(&none).contains("expected 2.4000 Gbit/s Notes"),
        "{none}"
    );
}

/// 256 kB ± 2 % is 245 to 255 KiB to the byte, and nobody wrote that.
#[test]
fn a_band_of_bytes_has_the_units_it_was_written_in() {
    let run = |band: (f64, f64)| {
        let mut run = snaky();
        run.expectations = vec![expectation(
            "bulk.cwnd_max_bytes",
            Origin::Simulated,
            band,
            Some(1_024_000.0),
            "",
        )];
        let text = render(&run, Layout::default());
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let decimal = run((250_880.0, 261_120.0));
    let words = "1.0240 MB, 292 % above expected 250.88 kB to 261.12 kB";
    assert!(decimal.contains(words), "{decimal}");
    let binary = run((65_536.0, 131_072.0));
    let words = "1000 KiB, 681 % above expected 64 KiB to 128 KiB";
    assert!(binary.contains(words), "{binary}");
}

#[test]
fn a_note_on_a_metric_is_printed_where_the_metric_is() {
    let mut run = snaky();
    run.records[1].set("ramp_s", 2.0);
    let note = "ramp_s is of a slow start that doubles up to the path";
    run.records[1].notes.push(note.to_owned());
    let said =
        |run: &RunDocument| render(run, Layout::default()).contains("ramp is of a slow start");
    assert!(!said(&run));
    let ramp = ("bulk.ramp_s", Origin::Predicted);
    let expected = expectation(ramp.0, ramp.1, (1.0, 3.0), Some(2.0), "");
    run.expectations.push(expected);
    assert!(said(&run));
}

#[test]
fn a_ping_has_its_loss_where_it_lost_anything() {
    let text = |loss: f64| {
        let mut run = RunDocument::new("s", 1, String::new());
        let metrics = [("rtt_avg_ns", 6e8), ("loss_ratio", loss)];
        run.records
            .push(record(Origin::Simulated, "p", "ping", &metrics));
        render(&run, Layout::default())
    };
    assert!(
        text(0.058).contains("loss") && text(0.058).contains("5.8"),
        "{}",
        text(0.058)
    );
    assert!(!text(0.0).contains("loss"), "{}", text(0.0));
}

/// Its row is the group's, and not one of its tests.
#[test]
fn a_note_on_the_fairness_of_a_group_is_shown() {
    let mut run = repeated(Origin::Simulated, 1, |_, one| {
        one.group = Some("pair".to_owned());
        one.set("group_jain_index", 0.7);
        let note = "group_jain_index is of shares that the start left";
        one.notes.push(note.to_owned());
    });
    run.repeats = None;
    let text = render(&run, Layout::default());
    assert!(
        text.contains("- bulk, simulated: fairness in the group is of shares"),
        "{text}"
    );
}

/// 23.73 MB of one origin, and a whole number of KiB of the other.
#[test]
fn a_row_has_one_kind_of_unit() {
    let mut run = snaky();
    let expect = |origin| expectation("bulk.cwnd_max_bytes", origin, (0.0, 1e9), None, "");
    run.expectations = vec![expect(Origin::Predicted)];
    for record in run.records.iter_mut().filter(|r| r.test == "bulk") {
        let bytes = if record.origin == Origin::Predicted {
            23_730_123.0
        } else {
            2_048_000.0
        };
        record.set("cwnd_max_bytes", bytes);
    }
    let text = render(&run, Layout::default());
    assert!(
        text.contains("23.73") && text.contains("2.048") && !text.contains("2000 KiB"),
        "{text}"
    );
}

/// What a student expects and what a lecturer does are two verdicts.
#[test]
fn each_who_judges_has_a_verdict() {
    let mut run = snaky();
    let (metric, origin) = ("bulk.goodput_bps", Origin::Simulated);
    let mut own = expectation(metric, origin, (9e8, 1e9), Some(989_968_123.0), "");
    run.expectations = vec![own.clone()];
    let text = render(&run, Layout::default());
    assert!(
        text.ends_with("1 figure judged: 1 ok, 0 failed\n"),
        "{text}"
    );
    own.file = Some("course/marks.toml".to_owned());
    own.unstated = Some("the scenario's own band is wide".to_owned());
    own.pass = false;
    run.expectations.push(own);
    let text = render(
        &run,
        Layout {
            width: 100,
            ..Layout::default()
        },
    );
    assert!(text.contains("  ok, marks.toml not stated\n"), "{text}");
    let end = "2 figures judged: 1 ok, 1 failed\n- the scenario's own: 1 ok, 0 failed\n- course/marks.toml: 0 ok, 1 failed\n";
    assert!(text.ends_with(end), "{text}");
    let words: Vec<&str> = text.split_whitespace().collect();
    let why = "as expected by course/marks.toml; the answer fails: the scenario's own band is wide";
    assert!(words.join(" ").contains(why), "{text}");
}

/// Words were broken at 80 columns, of what is allowed, of what limits and of the verdicts.
#[test]
fn rows_of_a_sweep_with_two_judges_stand_in_two_lines() {
    let mut run = RunDocument::new("s", 1, String::new());
    for (cc, limit) in [("cubic", "receive_window"), ("reno", "link")] {
        let at: Point = [("test.bulk.cc", cc), ("link.l.queue", "1bdp")]
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .into();
        for origin in [Origin::Predicted, Origin::Simulated, Origin::Emulated] {
            let mut one = record(origin, "bulk", "tcp", &[("goodput_bps", 989_968_123.0)]);
            one.point.clone_from(&at);
            one.limited_by = Some(limit.to_owned());
            run.records.push(one);
        }
        for file in [None, Some("marks.toml".to_owned())] {
            let band = if file.is_some() {
                (1e9, 2e9)
            } else {
                (9e8, 1e9)
            };
            let metric = "bulk.goodput_bps";
            let mut own = expectation(metric, Origin::Simulated, band, Some(989_968_123.0), "");
            (own.point, own.file) = (at.clone(), file);
            run.expectations.push(own);
        }
    }
    let text = render(&run, Layout::default());
    assert!(text.lines().all(|l| l.chars().count() <= 80), "{text}");
    let above = ["  queue 1bdp, cc cubic", "  queue 1bdp, cc reno"];
    for line in above {
        assert!(text.lines().any(|l| l == line), "{text}");
    }
    // A terminal with room has one line for each.
    let layout = Layout {
        width: 120,
        ..Layout::default()
    };
    let wide = render(&run, layout);
    assert!(wide.lines().all(|l| !above.contains(&l)), "{wide}");
}

#[test]
fn a_ratio_has_its_repeats() {
    let mut run = repeated(Origin::Simulated, 3, |repeat, one| {
        one.set("rtt_avg_ns", f64::from(repeat + 1) * 1e6);
    });
    let mut other = run.records.clone();
    for record in &mut other {
        record.test = "other".to_owned();
        record.set("rtt_avg_ns", 2e6);
    }
    run.records.append(&mut other);
    let expect = farpath_record::Expect {
        metric: "bulk.rtt_avg_ns".to_owned(),
        over: Some("other.rtt_avg_ns".to_owned()),
        min: Some(0.0),
        ..Default::default()
    };
    let results = Results {
        records: &run.records,
        links: &[],
    };
    let expects = [expect];
    let repeats = farpath_record::Repeats::of(vec![1, 2, 3], results, &expects);
    run.expectations = farpath_record::judge(&expects, results, &[Origin::Simulated]);
    run.repeats = Some(repeats);
    let text = render(&run, Layout::default());
    let lines = text
        .lines()
        .map(|l| l.split_whitespace().collect::<Vec<_>>().join(" "));
    // 1 ± 1.2421 would begin below 0.
    let row = "rtt_avg over other 3 0.5000 1.5000 1 0.5000 1.2421 0";
    assert!(lines.into_iter().any(|l| l == row), "{text}");
    assert!(text.contains("\u{b1} 95 %  cut at\n"), "{text}");
    assert!(
        text.contains("cut at: the interval of the mean ends there"),
        "{text}"
    );
}

/// Of ten runs three had 20 Mbit/s and seven 90, and the table had a mean of 69.
#[test]
fn repeats_of_two_kinds_are_said_to_be() {
    let text = |low: f64| {
        let run = repeated(Origin::Simulated, 10, |repeat, one| {
            let goodput = if repeat < 3 { low } else { 90e6 };
            one.set("goodput_bps", goodput + f64::from(repeat % 3) * 1e6);
        });
        let text = render(&run, Layout::default());
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let mixed = text(20e6);
    assert!(
        mixed.contains(
            "so that a mean is like neither: bulk goodput, simulated: 3 near 21 Mbit/s, 7 near 90.857 Mbit/s"
        ),
        "{mixed}"
    );
    assert!(!text(89e6).contains("kinds"));
}

#[test]
fn a_note_of_an_expectation_says_at_which_points_it_holds() {
    let mut run = RunDocument::new("s", 1, String::new());
    for cc in ["reno", "cubic", "bic"] {
        let at = Point::from([("test.bulk.cc".to_owned(), cc.to_owned())]);
        let mut one = record(Origin::Simulated, "bulk", "tcp", &[("recovery_s", 2.0)]);
        one.point = at.clone();
        run.records.push(one);
        for origin in [Origin::Predicted, Origin::Simulated] {
            for note in [Some("of all"), (cc == "bic").then_some("53 round trips")] {
                let mut judged = expectation("bulk.recovery_s", origin, (1.0, 3.0), Some(2.0), "");
                judged.point = at.clone();
                judged.note = note.map(str::to_owned);
                run.expectations.push(judged);
            }
        }
    }
    let all = [
        "bulk recovery: of all",
        "bulk recovery, at cc bic: 53 round trips",
    ];
    assert_eq!(notes(&run), all);
}

/// Who was marked read why the answer is what it is.
#[test]
fn a_note_of_marks_is_not_printed() {
    let mut run = snaky();
    let (origin, why) = (Origin::Simulated, "half of the line, since it is folded");
    let mut judged = expectation("bulk.goodput_bps", origin, (1.0, 3.0), Some(2.0), "");
    (judged.note, judged.file) = (Some(why.to_owned()), Some("marks.toml".to_owned()));
    judged.stated = Some("half of the line".to_owned());
    judged.unstated = Some("there is none".to_owned());
    judged.pass = false;
    run.expectations.push(judged);
    let text = render(&run, Layout::default());
    assert!(
        text.contains("marks.toml") && text.contains("there is none"),
        "{text}"
    );
    assert!(!text.contains("half of"), "{text}");
}

#[test]
fn a_prediction_far_off_is_marked_and_the_mark_explained_once() {
    let mut run = snaky();
    let text = render(&run, Layout::default());
    assert!(!text.contains("? "), "{text}");
    let predicted = run.records.iter_mut();
    let mut bulk = predicted.filter(|r| r.origin == Origin::Predicted && r.test == "bulk");
    bulk.next().expect("it is there").set("goodput_bps", 700e6);
    let text = render(&run, Layout::default());
    assert!(text.contains("? 700 Mbit/s  989.97 Mbit/s"), "{text}");
    assert_eq!(
        text.matches("? predicted, and more than 20 %").count(),
        1,
        "{text}"
    );
    assert!(text.lines().all(|l| l.chars().count() <= 80), "{text}");
}

#[test]
fn a_quotation_of_several_points_is_printed_once() {
    let mut run = RunDocument::new("s", 1, String::new());
    for (window, goodput) in [("72 MiB", 990e6), ("96 MiB", 991e6), ("128 MiB", 992e6)] {
        let mut one = record(
            Origin::Simulated,
            "bulk",
            "tcp",
            &[("goodput_bps", goodput)],
        );
        one.point = [("test.bulk.window".to_owned(), window.to_owned())].into();
        let mut stated = expectation(
            "bulk.goodput_bps",
            Origin::Simulated,
            (9e8, 1e9),
            Some(990e6),
            "stable at 990Mbps",
        );
        stated.point = one.point.clone();
        run.records.push(one);
        run.expectations.push(stated);
    }
    let text = render(&run, Layout::default());
    assert_eq!(text.matches("stable at 990Mbps").count(), 1, "{text}");
    assert_eq!(text.matches("900 Mbit/s to 1 Gbit/s").count(), 1, "{text}");
    assert_eq!(text.matches(" \" ").count(), 4, "{text}");
}

/// `ok` stood beside "around 0.4 msec" and 59 µs, and only the page said what is allowed.
#[test]
fn the_allowed_band_stands_beside_what_is_stated() {
    let mut run = RunDocument::new("s", 1, String::new());
    let metrics = [("rtt_avg_ns", 59e3)];
    run.records
        .push(record(Origin::Simulated, "ping", "ping", &metrics));
    let mut own = expectation(
        "ping.rtt_avg_ns",
        Origin::Simulated,
        (0.0, 0.4e6),
        Some(59e3),
        "around 0.4 msec",
    );
    own.min = None;
    run.expectations = vec![own];
    let text = render(&run, Layout::default());
    let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = "rtt_avg around 0.4 msec 59 µs at most 400 µs ok";
    assert!(squeezed(&text).contains(line), "{text}");
    // Where lines have no room for the column, its words follow the source's.
    let layout = Layout {
        width: 36,
        ..Layout::default()
    };
    let text = squeezed(&render(&run, layout));
    assert!(!text.contains("simulated allowed"), "{text}");
    assert!(text.contains("allowed") && text.contains("400"), "{text}");
}

/// Bounds of a forecast were in JSON only, and a note spoke of them.
#[test]
fn bounds_of_a_forecast_have_rows() {
    let mut run = RunDocument::new("s", 1, String::new());
    let mut forecast = record(Origin::Predicted, "bulk", "tcp", &[("goodput_bps", 40e6)]);
    let bounds = farpath_record::Uncertainty {
        low: Some(33e6),
        high: Some(48e6),
        level: Some(0.95),
    };
    forecast
        .uncertainty
        .insert("goodput_bps".to_owned(), bounds);
    run.records.push(forecast);
    run.records.push(record(
        Origin::Simulated,
        "bulk",
        "tcp",
        &[("goodput_bps", 41e6)],
    ));
    let expected = r"s, seed 1

test, metric            predicted  simulated
--------------------  -----------  ---------
bulk
  goodput               40 Mbit/s  41 Mbit/s
  goodput, lower bound  33 Mbit/s
  goodput, upper bound  48 Mbit/s
";
    let text = render(
        &run,
        Layout {
            width: 100,
            ..Layout::default()
        },
    );
    let squeezed = |text: &str| {
        text.lines()
            .map(|l| l.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect::<Vec<_>>()
    };
    let rules = |lines: Vec<String>| {
        lines
            .into_iter()
            .filter(|l| !l.starts_with("--"))
            .collect::<Vec<_>>()
    };
    assert_eq!(rules(squeezed(&text)), rules(squeezed(expected)), "{text}");
}

/// A second test was printed at each of sixteen points of the first one's window and MTU.
#[test]
fn a_test_that_a_key_does_not_touch_is_shown_once() {
    let mut run = RunDocument::new("s", 1, String::new());
    let run_of = |other: f64, at: Option<f64>| {
        let mut run = run.clone();
        for mtu in ["1500", "9000"] {
            for (window, goodput) in [("1 MiB", 1e8), ("2 MiB", 2e8)] {
                for (test, goodput) in [("bulk", goodput), ("other", other)] {
                    let goodput = at.filter(|_| window == "2 MiB").unwrap_or(goodput);
                    let mut one =
                        record(Origin::Simulated, test, "tcp", &[("goodput_bps", goodput)]);
                    one.point
                        .insert("test.bulk.window".to_owned(), window.to_owned());
                    one.point.insert("link.l.mtu".to_owned(), mtu.to_owned());
                    run.records.push(one);
                }
            }
        }
        render(&run, Layout::default())
    };
    let text = run_of(5e8, None);
    let expected = r"s, seed 1

mtu    bulk.window   simulated
-----  -----------  ----------
bulk goodput
  any  1 MiB        100 Mbit/s
  any  2 MiB        200 Mbit/s
other goodput
  any  any          500 Mbit/s

any: every figure of the test is the same at each value of the key
";
    assert_eq!(text, expected, "{text}");
    assert!(run_of(5e8, Some(4e8)).matches("any").count() > 2);
    run.sweep.clear();
}

/// A simulated test of 20 s delivers its last byte after 24 s, and a real one has 3 of 9 bytes under way when the clock ends it. Where
/// nothing but bytes ends a test, what is missing has its row.
#[test]
fn a_test_that_a_clock_ended_has_no_completion() {
    let row = |took_s: f64| {
        let mut run = RunDocument::new("x", 1, String::new());
        let mut one = record(
            Origin::Simulated,
            "bulk",
            "tcp",
            &[("goodput_bps", 9e6), ("completion_ns", took_s * 1e9)],
        );
        one.duration_ns = 20_000_000_000;
        let mut real = record(Origin::Emulated, "bulk", "tcp", &[("goodput_bps", 9e6)]);
        real.duration_ns = one.duration_ns;
        real.unset("completion_ns", "3 of 9 bytes were delivered".to_owned());
        run.records = vec![one, real];
        paths(&run).contains(&"bulk.completion_ns".to_owned())
    };
    assert!(!row(24.0));
    assert!(row(12.0));
}
