//! What forecasts say of the peaks of streams with exponential gaps.

use std::collections::BTreeMap;

use farpath_record::Record;
use farpath_scenario::plan::Plan;
use farpath_scenario::{Source, forecast, parse};

/// Datagrams of 1500 bytes from `a` by a fast link with these keys, and over 10 Mbit/s with those.
fn over(near: &str, far: &str, test: &str) -> Record {
    let text = format!(
        "[scenario]\nname = \"p\"\n[[host]]\nname = \"a\"\n[[router]]\nname = \"r\"\n[[host]]\nname = \"b\"\n\
         [[link]]\nname = \"ar\"\nends = [\"a\", \"r\"]\nframing = \"none\"\n{near}\n\
         [[link]]\nname = \"rb\"\nends = [\"r\", \"b\"]\nframing = \"none\"\nrate = \"10 Mbit/s\"\n{far}\n\
         [[test]]\nname = \"t\"\nkind = \"udp\"\nfrom = \"a\"\nto = \"b\"\nsize = 1472\nduration = \"200 s\"\n{test}\n"
    );
    let source = Source {
        name: "test.toml".to_owned(),
        text,
    };
    let scenario = parse(&source, &[]).unwrap_or_else(|e| panic!("{e}"));
    let plan = Plan::new(&scenario).expect("a plan");
    let mut records = forecast(&scenario, &plan, &BTreeMap::new());
    records.pop().expect("a record")
}

const FAST: &str = "rate = \"100 Gbit/s\"";
const POISSON: &str = "rate = \"9 Mbit/s\"\narrivals = \"poisson\"";

fn loss(record: &Record) -> f64 {
    record.metrics["loss_ratio"]
}

fn says(record: &Record, words: &str) -> bool {
    record.notes.iter().any(|note| note.contains(words))
}

const FORESEEN: &str = "overflow the queue of rb r>b, which holds 3";
const UNFORESEEN: &str = "what a peak of exponential ones loses in front of rb r>b is not foreseen";

/// A load of 0.9 × 1500/1472 in front of four places, one of them in service: 9.764 % by the embedded chain, 9.70 % simulated.
#[test]
fn a_short_queue_drops_the_peaks_of_exponential_gaps() {
    for queue in ["3 packets", "4500 B"] {
        let queue = format!("queue = \"{queue}\"");
        let random = over(FAST, &queue, POISSON);
        assert!((loss(&random) - 0.097_643).abs() < 1e-5, "{random:?}");
        let sent = random.metrics["sent_bps"];
        let share = random.metrics["goodput_bps"] / sent;
        assert!((share - 0.902_357).abs() < 1e-4, "{share}");
        assert!(says(&random, FORESEEN), "{:?}", random.notes);
        let even = over(FAST, &queue, "rate = \"9 Mbit/s\"");
        assert_eq!(loss(&even), 0.0);
        assert!(!says(&even, "peak"), "{:?}", even.notes);
    }
    let long = over(FAST, "queue = \"1000 packets\"", POISSON);
    assert!(loss(&long) < 1e-9, "{long:?}");
    assert!(!says(&long, "peak"), "{:?}", long.notes);
}

/// 11 Mbit/s are a load of 1.1209: equal gaps lose 10.79 %, exponential ones 18.30 %.
#[test]
fn a_line_that_is_too_slow_loses_peaks_besides() {
    let more = POISSON.replace("9 Mbit/s", "11 Mbit/s");
    let random = over(FAST, "queue = \"3 packets\"", &more);
    assert!((loss(&random) - 0.183_025).abs() < 1e-3, "{random:?}");
    assert!(
        says(&random, "beside what the line does not carry"),
        "{:?}",
        random.notes
    );
}

/// Behind a link of twice its rate, behind a line that delays each by another time, and where RED manages the queue.
#[test]
fn peaks_are_not_foreseen_where_something_changes_the_gaps() {
    let short = "queue = \"3 packets\"";
    let jitter = format!("{FAST}\nforward.jitter = {{ max = \"5 ms\" }}");
    let red = "[link.forward]\nred = { min = \"15 kB\", max = \"45 kB\" }";
    for (near, far) in [
        ("rate = \"20 Mbit/s\"", short),
        (jitter.as_str(), short),
        (FAST, red),
    ] {
        let record = over(near, far, POISSON);
        assert!(
            says(&record, UNFORESEEN),
            "{near} {far}: {:?}",
            record.notes
        );
        assert!(loss(&record) < 1e-9, "{record:?}");
    }
    // Behind a link of the same rate nothing waits.
    let alike = over("rate = \"10 Mbit/s\"", short, POISSON);
    assert!(!says(&alike, "peak"), "{:?}", alike.notes);
}
