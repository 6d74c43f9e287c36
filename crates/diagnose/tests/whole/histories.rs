//! Several tests of one flow, each in a file of its own.

use farpath_diagnose::{Diagnosis, Known};

use crate::of_files;

/// iperf3's report of `mbps`, written down on day `day`, or without a time.
fn report(day: Option<u32>, port: u32, mbps: u32) -> String {
    let bytes = mbps * 1_250_000;
    let sum = format!(
        r#"{{"start":0,"end":10,"seconds":10,"bytes":{bytes},"bits_per_second":{},"retransmits":0,"sender":true}}"#,
        u64::from(mbps) * 1_000_000
    );
    let time = day.map_or_else(String::new, |day| {
        format!(
            r#""timestamp":{{"timesecs":{}}},"#,
            1_780_000_000 + day * 86_400
        )
    });
    format!(
        r#"{{"start":{{{time}"connected":[{{"socket":6,"local_host":"198.51.100.1","local_port":{port},"remote_host":"198.51.100.2","remote_port":5201}}],"version":"iperf 3.12","test_start":{{"protocol":"TCP","num_streams":1,"duration":10,"reverse":0}}}},"intervals":[],"end":{{"sum_sent":{sum},"sum_received":{sum}}}}}"#
    )
}

/// Tests of one a day, the last eight slower; `order` is that of the files.
fn months(order: impl Iterator<Item = u32>, timed: bool) -> Diagnosis {
    let text = |day: u32| {
        let mbps = (if day < 12 { 600 } else { 250 }) + day * 7 % 5;
        report(timed.then_some(day), 40_000 + day, mbps)
    };
    let files: Vec<(String, String)> = order
        .map(|day| (format!("day{day:02}.json"), text(day)))
        .collect();
    let named: Vec<(&str, &str)> = files.iter().map(|(n, t)| (&**n, &**t)).collect();
    of_files(&named, &Known::default())
}

/// Whatever the order of the files, they are in that of their times, and the day from which on the rate is another is named.
#[test]
fn tests_of_many_days_say_since_when_the_rate_is_another() {
    for found in [months((0..20).rev(), true), months(0..20, false)] {
        let [history] = &found.histories[..] else {
            panic!("one flow: {:#?}", found.histories);
        };
        assert_eq!(history.tests.len(), 20);
        let change = history.change.as_ref().expect("a change");
        let seen = &found.flows[change.first].observed;
        let source = seen.source.as_deref().unwrap_or_default();
        assert!(source.starts_with("day12.json"), "{source}");
        assert!((change.before_bps - 602e6).abs() < 2e6, "{change:?}");
        assert!((change.after_bps - 252e6).abs() < 2e6, "{change:?}");
        let words = history.words(&found.flows);
        assert!(words.contains("until day12.json"), "{words}");
        assert!(found.ticket.contains("20 tests"), "{}", found.ticket);
        assert_eq!(
            found.ticket.matches("198.51.100.1 > 198.51.100.2").count(),
            2
        );
    }
}

/// Two slow days behind six fast ones may be chance, and nobody reads that they are as fast.
#[test]
fn the_last_few_that_are_apart_are_too_few_to_tell() {
    let of = |day: u32| {
        let mbps = (if day < 6 { 600 } else { 250 }) + day;
        let text = report(Some(day), 40_000 + day, mbps);
        (format!("day{day:02}.json"), text)
    };
    let files: Vec<(String, String)> = (0..8).map(of).collect();
    let named: Vec<(&str, &str)> = files.iter().map(|(n, t)| (&**n, &**t)).collect();
    let found = of_files(&named, &Known::default());
    let [history] = &found.histories[..] else {
        panic!("one flow: {:#?}", found.histories);
    };
    assert_eq!(history.change, None);
    let words = history.words(&found.flows);
    assert!(words.contains("the last 2 had about 25"), "{words}");
    assert!(words.contains("too few to tell"), "{words}");
}

/// A few tests are shown one by one.
#[test]
fn a_few_tests_are_no_history() {
    let found = months(0..4, true);
    assert_eq!(found.flows.len(), 4);
    assert!(found.histories.is_empty());
    let first = found.flows[0].observed.at_utc_ns;
    assert_eq!(first, Some(1_780_000_000_000_000_000));
}

/// Rows of tests that name no host: the line that each begins on tells them apart, but for a history, which is of one flow.
#[test]
fn tests_without_names_of_their_ends_are_named_by_their_lines() {
    let log = |mbps: u32| {
        format!(
            "[ ID] Interval           Transfer     Bitrate         Retr\n[  5]   0.00-10.00  sec   {mbps} MBytes  {mbps} Mbits/sec    0             sender\n[  5]   0.00-10.00  sec   {mbps} MBytes  {mbps} Mbits/sec                  receiver\n"
        )
    };
    let names = |rates: &[u32]| -> Vec<String> {
        let files: Vec<(String, String)> = rates
            .iter()
            .map(|mbps| (format!("log{mbps}.txt"), log(*mbps)))
            .collect();
        let named: Vec<(&str, &str)> = files.iter().map(|(n, t)| (&**n, &**t)).collect();
        let found = of_files(&named, &Known::default());
        found.flows.into_iter().map(|f| f.name).collect()
    };
    let alone = "sender > receiver";
    assert_eq!(names(&[90]), [alone]);
    assert_eq!(
        names(&[90, 40]),
        [
            "sender > receiver (test at log90.txt:2)",
            "sender > receiver (test at log40.txt:2)"
        ]
    );
    assert_eq!(names(&[90, 80, 70, 60, 50]), [alone; 5]);
}

/// What `grep receiver` leaves of a log by the hour: each line is a test, and as much at another time is one more.
#[test]
fn each_bare_closing_row_is_a_test_of_its_own() {
    let rates = [93.9, 94.0, 94.0, 93.8, 92.0, 91.5, 20.2, 11.8, 16.7];
    let row = |mbps: f64| {
        format!(
            "[  5]   0.00-10.02  sec  {:.1} MBytes  {mbps:.1} Mbits/sec                  receiver\n",
            mbps * 1.194
        )
    };
    let each = rates.iter().enumerate();
    let dated = each.map(|(n, mbps)| {
        let hour = 2 * n;
        format!("Mon Nov 23 {hour:02}:00:01 CET 2026\n{}", row(*mbps))
    });
    let text: String = dated.collect();
    let found = of_files(&[("log.txt", &text)], &Known::default());
    assert_eq!(found.flows.len(), rates.len());
    let [history] = &found.histories[..] else {
        panic!("one flow: {:#?}", found.histories);
    };
    let [least, _, most] = history.goodput_bps;
    assert_eq!([least, most], [11.8e6, 94e6]);
    let two = row(94.0) + &row(11.8);
    let found = of_files(&[("log.txt", &two)], &Known::default());
    let rates = found.flows.iter().map(|f| f.observed.goodput_bps);
    assert_eq!(rates.collect::<Vec<_>>(), [Some(94e6), Some(11.8e6)]);
    // Mail has a row twice.
    let twice = of_files(&[("log.txt", &row(94.0).repeat(2))], &Known::default());
    assert_eq!(twice.flows.len(), 1);
}
