//! Bounds that are right and may not be what was meant: numbers in the metric's own unit, and values without a band.

use farpath_scenario::{Document, Source, load, parse, shipped};

/// A scenario with one TCP test, `t`, and these lines.
fn with(lines: &str) -> Source {
    let text = format!(
        "[scenario]\nname = \"x\"\n[[host]]\nname = \"a\"\n[[host]]\nname = \"b\"\n\
         [[link]]\nname = \"l\"\nends = [\"a\", \"b\"]\nrate = \"1 Gbit/s\"\n\
         [[test]]\nname = \"t\"\nkind = \"tcp\"\nfrom = \"a\"\nto = \"b\"\n{lines}\n"
    );
    let name = "x.toml".to_owned();
    Source { name, text }
}

/// What is doubted of an expectation on a metric with these keys, from the line on.
fn of(metric: &str, keys: &str) -> Vec<String> {
    let source = with(&format!("[[expect]]\nmetric = \"{metric}\"\n{keys}"));
    parse(&source, &[]).unwrap_or_else(|e| panic!("{e}"));
    let document = Document::open(&source, &[]).expect("it reads");
    document.doubts().lines()
}

/// Beside `over` a percentage is a share of that metric, of a count alone it is not one of anything.
#[test]
fn a_percentage_is_of_the_metric_that_divides() {
    let ratio = "[[expect]]\nmetric = \"t.goodput_bps\"\nover = \"t.goodput_bps\"\n";
    let read = |keys: &str| parse(&with(&format!("{ratio}{keys}")), &[]);
    let expects = |keys: &str| read(keys).unwrap_or_else(|e| panic!("{e}")).expects;
    let band = expects("min = \"50 %\"\nmax = \"150 %\"").remove(0);
    assert_eq!((band.min, band.max), (Some(0.5), Some(1.5)));
    let unit = read("max = \"1 Mbit/s\"").expect_err("a ratio has no unit");
    assert!(
        unit.to_string().contains("a share of that metric"),
        "{unit}"
    );
    let count = "[[expect]]\nmetric = \"t.retransmits\"\nmax = \"0.1 %\"";
    let count = parse(&with(count), &[]).expect_err("a count is not a share");
    assert!(count.to_string().contains("name in `over`"), "{count}");
}

#[test]
fn a_number_in_the_base_unit_is_never_silent() {
    let rate = of("t.goodput_bps", "min = 2400");
    let words =
        "x.toml:18: `min = 2400` is read as 2.4 kbit/s: write the unit, as `min = \"2400 Mbit/s\"`";
    assert_eq!(rate, [words]);
    let both = of("t.rtt_avg_ns", "min = 170\nmax = 171e6");
    let words = "x.toml:18: `min = 170` is read as 170 ns, `max = 171000000` as 171 ms: \
                 write the unit, as `min = \"170 ms\"`, `max = \"171000000 ns\"`";
    assert_eq!(both, [words], "once for each expectation");
    let seconds = of("t.ramp_s", "value = 800\ntolerance = 0.05").concat();
    let either =
        "write the unit, as `value = \"800 ms\"` or `value = \"800 s\"`, `tolerance = \"5 %\"`";
    assert!(
        seconds.contains(either),
        "which one was meant is not known: {seconds}"
    );
    assert_eq!(of("t.bytes", "max = 64").len(), 1);
}

#[test]
fn counts_ratios_zeros_and_quantities_are_no_doubt() {
    for (metric, keys) in [
        ("t.retransmits", "max = 5"),
        ("t.retransmits", "value = 5"),
        ("t.jain_index", "min = 0.9"),
        ("t.goodput_bps", "over = \"t.goodput_bps\"\nmin = 0.9"),
        ("t.goodput_bps", "min = 0\nmax = \"1 Gbit/s\""),
        ("t.goodput_bps", "value = \"1 Gbit/s\"\ntolerance = \"5 %\""),
        ("t.recovery_s", "value = \"0 s\""),
        ("t.goodput_bps", "min = \"0\""),
        ("t.goodput_bps", "max = \"0 bit/s\""),
        ("t.rtt_max_ns", "minus = \"t.rtt_min_ns\"\nmin = -5"),
    ] {
        assert_eq!(of(metric, keys), [""; 0], "{metric}: {keys}");
    }
}

#[test]
fn a_value_without_a_band_is_worth_a_word() {
    let bare = of("t.goodput_bps", "value = \"2.4 Gbit/s\"\ntolerance = 0.05");
    let words = "x.toml:19: `tolerance = 0.05` is read as 0.05 bit/s: write the unit, as `tolerance = \"5 %\"`";
    assert_eq!(bare, [words]);
    // Two per cent, sooner than two in the metric's unit.
    let two = of("t.goodput_bps", "value = \"2.4 Gbit/s\"\ntolerance = 2");
    let words = "x.toml:19: `tolerance = 2` is read as 2 bit/s: write the unit, as `tolerance = \"2 %\"` or `tolerance = \"2 Mbit/s\"`";
    assert_eq!(two, [words]);
    let none = of("t.goodput_bps", "value = \"2.4 Gbit/s\"");
    let words = "x.toml:18: `value = \"2.4 Gbit/s\"` without `tolerance`: no other number will do: \
                 add `tolerance = \"5 %\"`";
    assert_eq!(none, [words]);
    let wide = of(
        "t.goodput_bps",
        "value = \"2.4 Gbit/s\"\ntolerance = \"150 %\"",
    );
    let words = "x.toml:19: `tolerance = \"150 %\"`: all from nothing to several times `2.4 Gbit/s` passes: \
                 a tolerance below 100 %; for a bound alone, `max`";
    assert_eq!(wide, [words]);
}

#[test]
fn a_band_that_was_not_meant_comes_before_a_reason_for_it() {
    let expect = "[[expect]]\nmetric = \"t.goodput_bps\"\nvalue = \"2.4 Gbit/s\"\ntolerance = 0.05\nstated = \"2.5 Gbit/s\"";
    let faults = parse(&with(expect), &[]).expect_err("it lies outside");
    let remedies = &faults.faults[0].remedies;
    assert!(remedies[0].contains("0.05 bit/s"), "{remedies:?}");
    assert_eq!(remedies[1], "add a `note` that says why");
}

#[test]
fn the_bound_of_a_search_is_doubted_too() {
    let search = "[[search]]\nname = \"s\"\nkeys = [\"link.l.rate\"]\nlow = \"1 Mbit/s\"\nhigh = \"1 Gbit/s\"\n\
                  metrics = [\"t.rtt_avg_ns\"]\nat_most = 5";
    let document = Document::open(&with(search), &[]).expect("it reads");
    let words = "x.toml:22: `at_most = 5` is read as 5 ns: write the unit, as `at_most = \"5 ms\"`";
    assert_eq!(document.doubts().lines(), [words]);
}

#[test]
fn shipped_scenarios_leave_no_doubt() {
    let mut all = Vec::new();
    for shipped in shipped() {
        let source = load(&shipped.name).expect("it is shipped");
        let document = Document::open(&source, &[]).expect("it reads");
        all.extend(document.doubts().lines());
    }
    assert!(all.is_empty(), "{all:#?}");
}
