//! `[[search]]`: what it reads, and what it answers.

use farpath_scenario::{Dimension, Find, Scenario, Source, parse};

/// Two hosts, a link with an event, and tests of two kinds.
const TEXT: &str = r#"[scenario]
name = "x"

[[host]]
name = "a"

[[host]]
name = "b"

[[link]]
name = "ab"
ends = ["a", "b"]
rate = "10 Mbit/s"

[[event]]
name = "cut"
at = "2 s"
for = "1 s"
link = "ab"
up = false

[[test]]
name = "bulk"
kind = "tcp"
from = "a"
to = "b"

[[test]]
name = "load"
kind = "udp"
from = "a"
to = "b"
rate = "1 Mbit/s"

[[search]]
name = "s"
"#;

fn read(keys: &str) -> Result<Scenario, String> {
    let source = Source {
        name: "x.toml".to_owned(),
        text: format!("{TEXT}{keys}\n"),
    };
    parse(&source, &[]).map_err(|e| e.to_string())
}

/// A search with these keys for what is tried.
fn tried(key: &str, low: &str, high: &str, more: &str) -> Result<Scenario, String> {
    read(&format!(
        "keys = [\"{key}\"]\nlow = {low}\nhigh = {high}\nmetrics = [\"load.loss_ratio\"]\n{more}"
    ))
}

#[test]
fn rates_sizes_times_and_packets_are_searched() {
    for (key, low, high, of, found) in [
        (
            "test.load.rate",
            "1 Mbit/s",
            "9 Mbit/s",
            Dimension::Rate,
            "highest_bps",
        ),
        (
            "test.bulk.window",
            "10 kB",
            "1 MiB",
            Dimension::Size,
            "highest_bytes",
        ),
        (
            "test.load.size",
            "100 B",
            "1472 B",
            Dimension::Size,
            "highest_bytes",
        ),
        (
            "host.a.rmem_max",
            "10 kB",
            "1 MiB",
            Dimension::Size,
            "highest_bytes",
        ),
        (
            "event.cut.for",
            "100 ms",
            "10 s",
            Dimension::Time,
            "highest_s",
        ),
        ("link.ab.delay", "1 ms", "1 s", Dimension::Time, "highest_s"),
        ("link.ab.queue", "1 ms", "1 s", Dimension::Time, "highest_s"),
        (
            "link.ab.queue",
            "10 kB",
            "1 MB",
            Dimension::Size,
            "highest_bytes",
        ),
        (
            "link.ab.queue",
            "1 packets",
            "1000 packets",
            Dimension::Packets,
            "highest_packets",
        ),
    ] {
        let quoted = |text: &str| format!("\"{text}\"");
        let scenario =
            tried(key, &quoted(low), &quoted(high), "").unwrap_or_else(|e| panic!("{e}"));
        let search = &scenario.searches[0];
        assert_eq!((search.low.of, search.high.of), (of, of), "{key}");
        assert_eq!(search.metrics_found()[0], found, "{key}");
        assert_eq!(search.find, Find::Highest);
        assert_eq!((search.at_least, search.at_most), (None, Some(0.0)));
    }
    // A ratio is a number, or per cent; a queue may be in bdp.
    for (key, low, high, of, found) in [
        (
            "link.ab.loss",
            "1e-6",
            "\"1 %\"",
            Dimension::Ratio,
            "highest_ratio",
        ),
        (
            "link.ab.queue",
            "\"0.1bdp\"",
            "\"4bdp\"",
            Dimension::Bdp,
            "highest_bdp",
        ),
    ] {
        let more = format!("[[expect]]\nmetric = \"search.s.{found}\"\nmin = 0");
        let scenario = tried(key, low, high, &more).unwrap_or_else(|e| panic!("{e}"));
        let search = &scenario.searches[0];
        assert_eq!((search.low.of, search.high.of), (of, of), "{key}");
        assert_eq!(search.metrics_found()[0], found, "{key}");
    }
    let lowest = tried(
        "link.ab.queue",
        "\"1 packet\"",
        "\"90 packets\"",
        "find = \"lowest\"\nat_least = \"90 %\"",
    );
    let lowest = &lowest.unwrap_or_else(|e| panic!("{e}")).searches[0];
    assert_eq!(
        lowest.metrics_found(),
        ["lowest_packets", "highest_failing_packets"]
    );
    assert_eq!((lowest.at_least, lowest.at_most), (Some(0.9), None));
}

/// Keys, ends and more; the fault and the remedy.
#[test]
fn what_cannot_be_searched_is_said_with_a_remedy() {
    for ((key, low, high, more), said, remedy) in [
        (
            ("event.cut.for", "\"1 s\"", "\"1 MB\"", ""),
            "`low` is a time, and `high` a size",
            "write both as a time",
        ),
        (
            ("event.cut.for", "\"1 MB\"", "\"2 MB\"", ""),
            "`for` takes a time, and `low` is a size",
            "write `low` and `high` as `for` has them, such as \"58 ms\"",
        ),
        (
            ("test.bulk.window", "\"1 MB\"", "\"2 GB\"", ""),
            "beyond TCP's window scaling",
            "just under 1 GiB",
        ),
        (
            ("event.cut.for", "\"0 s\"", "\"1 s\"", ""),
            "`for` of zero",
            "give it some length",
        ),
        (
            ("test.bulk.parallel", "\"1 packet\"", "\"9 packets\"", ""),
            "`parallel` takes no rate, size, time or ratio",
            "a [sweep] tries values of other kinds, one by one",
        ),
        (
            ("event.cut.for", "\"2 s\"", "\"1 s\"", ""),
            "`low` is not below `high`",
            "`low` is a value that holds, `high` one that fails",
        ),
        (
            ("event.cut.for", "\"2 s\"", "\"1 s\"", "find = \"lowest\""),
            "`low` is not below `high`",
            "`low` is a value that fails, `high` one that holds",
        ),
        (
            ("event.cut.for", "1", "\"2 s\"", ""),
            "missing unit: `low` is a bare number, 1",
            "\"300 ms\"",
        ),
        (
            ("link.ab.queue", "\"1 %\"", "\"2 %\"", ""),
            "`queue` takes a size, and `low` is a ratio",
            "such as \"",
        ),
        (
            ("link.ab.loss", "\"1 packet\"", "\"2 packets\"", ""),
            "`loss` takes a ratio, and `low` is a number of packets",
            "such as ",
        ),
        (
            ("link.ab.loss", "0.1", "1.5", ""),
            "missing unit: `high` is a bare number, 1.5",
            "\"0.1 %\"",
        ),
        (
            (
                "event.cut.for",
                "\"1 s\"",
                "\"2 s\"",
                "at_least = 0.5\nat_most = 0.1",
            ),
            "`at_least` is above `at_most`",
            "keep one of them",
        ),
        (
            ("event.cot.for", "\"1 s\"", "\"2 s\"", ""),
            "unknown search key `event.cot.for`",
            "did you mean `cut`?",
        ),
    ] {
        let text = tried(key, low, high, more).expect_err(said);
        assert!(
            text.contains(said) && text.contains(remedy),
            "{said}:\n{text}"
        );
    }
}

#[test]
fn a_search_expects_only_what_it_finds() {
    let expect = |metric: &str| {
        let more = format!("[[expect]]\nmetric = \"search.s.{metric}\"\nmin = 0");
        tried("event.cut.for", "\"1 s\"", "\"2 s\"", &more)
    };
    let said = expect("highest_bps").expect_err("it finds no rate");
    assert!(
        said.contains("search `s` has no metric `highest_bps`"),
        "{said}"
    );
    assert!(said.contains("did you mean `highest_s`?"), "{said}");
    expect("highest_s").expect("it finds this");
    expect("lowest_failing_s").expect("and this");
}
