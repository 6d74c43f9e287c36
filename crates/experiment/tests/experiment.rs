//! The engine without a command line: what a request gives, whatever runs beside what.

#![allow(
    clippy::disallowed_methods,
    reason = "the scenario of these tests is a file"
)]

use std::net::Ipv4Addr;
use std::num::NonZeroUsize;
use std::path::Path;

use farpath_experiment::{
    Class, Experiment, Fault, Hosts, Outcome, Part, Progress, Request, Silent, plan_jobs,
};
use farpath_probe::work::Work;
use farpath_record::{Origin, Point, RunDocument, Unfinished};
use farpath_scenario::plan::Plan;
use farpath_scenario::{NodeId, Set, Source, parse};

/// Two points, two searches, luck on the way.
const SMALL: &str = r#"
[scenario]
name = "small"

[[host]]
name = "a"

[[host]]
name = "b"

[[link]]
name = "ab"
ends = ["a", "b"]
rate = "20 Mbit/s"
delay = "5 ms"
queue = "50 packets"

[link.forward]
loss = 0.001

[[test]]
name = "bulk"
kind = "tcp"
from = "a"
to = "b"
duration = "2 s"

[[test]]
name = "load"
kind = "udp"
from = "a"
to = "b"
rate = "1 Mbit/s"
size = 1000
duration = "1 s"

[sweep]
"link.ab.delay" = ["5 ms", "20 ms", "80 ms"]

[[search]]
name = "much"
keys = ["test.load.rate"]
low = "1 Mbit/s"
high = "50 Mbit/s"
resolution = 0.05
only = ["load"]
metrics = ["load.loss_ratio"]
at_most = 0.05

[[search]]
name = "most"
keys = ["test.load.rate"]
low = "1 Mbit/s"
high = "50 Mbit/s"
resolution = 0.05
only = ["load"]
metrics = ["load.loss_ratio"]
at_most = 0.1

[[expect]]
metric = "bulk.goodput_bps"
min = 0
"#;

fn request(folder: &Path) -> Request {
    let file = folder.join("small.toml");
    std::fs::write(&file, SMALL).expect("a temporary folder can be written");
    Request::new(file.display().to_string())
}

fn run(request: Request, jobs: usize, progress: &mut dyn Progress) -> Result<Outcome, Fault> {
    let jobs = NonZeroUsize::new(jobs);
    Experiment::new(Request { jobs, ..request })?.run(None, progress)
}

/// Adds up the progress reported to it.
#[derive(Default)]
struct Sum {
    parts: u64,
    thousandths: u64,
    labels: Vec<String>,
    ends: bool,
}

impl Progress for Sum {
    fn expect(&mut self, parts: u64) {
        self.parts += parts;
    }

    fn say(&mut self, label: &str) {
        self.labels.push(label.to_owned());
    }

    fn advance(&mut self, thousandths: u64) {
        self.thousandths += thousandths;
    }

    fn note(&mut self, text: &str) {
        panic!("nothing is worth a note: {text}");
    }

    fn interrupted(&self) -> bool {
        self.ends
    }
}

#[test]
fn what_runs_beside_what_changes_no_bit_and_no_order() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let request = Request {
        repeats: 3,
        sequences: true,
        ..request(folder.path())
    };
    let one = run(request.clone(), 1, &mut Silent).expect("it runs");
    let several = run(request, 5, &mut Silent).expect("it runs");
    assert_eq!(several.document.to_json(), one.document.to_json());
    assert_eq!(several.sequences, one.sequences);
    let document = &one.document;
    let at = |origin, test: &str, delay: &str, repeat| {
        let found = document.records.iter().position(|r| {
            r.origin == origin
                && r.test == test
                && r.repeat == repeat
                && r.point.values().all(|v| v == delay)
        });
        found.unwrap_or_else(|| panic!("{origin:?} {test} {delay} {repeat}"))
    };
    let order = [
        at(Origin::Predicted, "bulk", "5 ms", 0),
        at(Origin::Simulated, "bulk", "5 ms", 0),
        at(Origin::Simulated, "bulk", "5 ms", 2),
        at(Origin::Predicted, "bulk", "20 ms", 0),
        at(Origin::Simulated, "load", "80 ms", 2),
        at(Origin::Simulated, "much", "", 0),
        at(Origin::Simulated, "most", "", 0),
    ];
    assert!(order.is_sorted(), "{order:?}");
    // Both tests at three points: predicted once, simulated three times; and the two searches, three times.
    assert_eq!(document.records.len(), 2 * 3 * (1 + 3) + 2 * 3);
    assert_eq!(document.expectations.len(), 3 * 2);
    // Links are those of every repeat, traces of the first.
    assert_eq!((document.links.len(), one.sequences.len()), (3 * 2 * 3, 3));
}

#[test]
fn progress_is_that_of_everything_together() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut sum = Sum::default();
    run(request(folder.path()), 2, &mut sum).expect("it runs");
    assert_eq!((sum.parts, sum.thousandths), (3 + 2, 5000));
    for label in ["5 ms", "20 ms", "80 ms", "search much", "search most"] {
        assert!(sum.labels.iter().any(|l| l == label), "{:?}", sum.labels);
    }
}

#[test]
fn whoever_watches_can_end_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut ends = Sum {
        ends: true,
        ..Sum::default()
    };
    let fault = run(request(folder.path()), 2, &mut ends).expect_err("it is ended");
    assert_eq!(fault.class(), Class::Interrupted);
    assert!(fault.to_string().contains("interrupted"), "{fault}");
}

/// Interrupts when the run with this label begins.
struct EndsAt(&'static str, bool);

impl Progress for EndsAt {
    fn expect(&mut self, _parts: u64) {}
    fn say(&mut self, label: &str) {
        self.1 |= label == self.0;
    }
    fn advance(&mut self, _thousandths: u64) {}
    fn note(&mut self, _text: &str) {}
    fn interrupted(&self) -> bool {
        self.1
    }
}

/// Of a sweep of hours the points that had ended were thrown away.
#[test]
fn what_had_ended_when_it_was_interrupted_is_kept_and_counted() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let stopped_at = |label: &'static str, repeats: u32| {
        let request = Request {
            repeats,
            jobs: NonZeroUsize::new(1),
            ..request(folder.path())
        };
        let experiment = Experiment::new(request).expect("it can be run");
        let part = experiment.run_part(None, &mut EndsAt(label, false));
        let fault = part.fault.as_ref().expect("it was interrupted");
        assert_eq!(fault.class(), Class::Interrupted);
        part
    };
    let points = |part: &Part| part.missing.iter().map(Point::len).collect::<Vec<_>>();
    let part = stopped_at("80 ms", 1);
    let document = &part.outcome.document;
    let stopped = document.stopped.as_ref().expect("it says so");
    assert_eq!(stopped.why, "interrupted");
    assert_eq!(stopped.words(), "2 of 3 points, 0 of 2 searches");
    // The third point, and the searches, which have no keys.
    assert_eq!(points(&part), [1, 0]);
    let whole = run(request(folder.path()), 1, &mut Silent).expect("it runs");
    let there = |r: &&farpath_record::Record| r.point.values().any(|v| v != "80 ms");
    let expected: Vec<_> = whole.document.records.iter().filter(there).collect();
    assert_eq!(document.records.iter().collect::<Vec<_>>(), expected);
    assert_eq!(document.expectations.len(), 2 * 2);
    assert!(whole.document.stopped.is_none());

    let part = stopped_at("20 ms 2/3", 3);
    let document = &part.outcome.document;
    let words = document.stopped.as_ref().map(|s| s.words());
    assert_eq!(
        words.as_deref(),
        Some("1 of 3 points, 4 of 9 runs, 0 of 2 searches")
    );
    // The repeat that had ended is there, and nothing is judged by it.
    let simulated = document
        .records
        .iter()
        .filter(|r| r.origin == Origin::Simulated);
    assert_eq!(simulated.count(), 2 * 4);
    assert_eq!(document.expectations.len(), 2);
    assert_eq!(document.repeats.as_ref().map(|r| r.count), Some(3));

    let part = stopped_at("5 ms 1/3", 3);
    let document = &part.outcome.document;
    let nothing = document.stopped.as_ref().expect("it says so");
    assert!(!nothing.is_something() && document.records.is_empty());
    assert!(document.repeats.is_none() && document.expectations.is_empty());
}

/// A sweep of hours began anew.
#[test]
fn a_run_that_goes_on_gives_the_bits_of_one_that_was_not_stopped() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let request = Request {
        repeats: 2,
        sequences: true,
        jobs: NonZeroUsize::new(1),
        ..request(folder.path())
    };
    let whole = run(request.clone(), 1, &mut Silent).expect("it runs");
    let first = Experiment::new(request.clone()).expect("it can be run");
    let part = first.run_part(None, &mut EndsAt("80 ms 2/2", false));
    assert!(part.fault.is_some());
    let written = first.unfinished(None, part.ended).to_json();
    let kept = || Unfinished::from_json(&written).expect("it was written");
    let mut second = Experiment::new(request.clone()).expect("it can be run");
    assert_eq!(second.resume(kept(), None), Ok(5));
    // Stopped again in front of what had ended, that is there.
    let mut holed = kept();
    let is_first = |at: &Point| at.values().any(|v| v == "5 ms");
    holed
        .runs
        .retain(|run| run.of.origin == Origin::Predicted || !is_first(&run.of.point));
    let mut third = Experiment::new(request.clone()).expect("it can be run");
    assert_eq!(third.resume(holed, None), Ok(3));
    let again = third.run_part(None, &mut EndsAt("5 ms 1/2", false));
    let stopped = again.outcome.document.stopped.expect("it says so");
    assert_eq!((stopped.points.there, stopped.runs.there), (1, 3));
    let mut sum = Sum::default();
    let resumed = second.run(None, &mut sum).expect("it runs");
    assert_eq!(resumed.document.to_json(), whole.document.to_json());
    assert_eq!(resumed.sequences, whole.sequences);
    assert_eq!((sum.parts, sum.thousandths), (6 + 4, 10_000));
    let other = Request {
        seed: Some(9),
        ..request.clone()
    };
    let fewer = Request {
        repeats: 1,
        ..request.clone()
    };
    let forecast = Request {
        origins: [Origin::Predicted].into(),
        ..request
    };
    // What was written stays: who asks for less would have lost the rest.
    for (other, is_of) in [
        (other, "seed 1"),
        (fewer, "more repeats than 1"),
        (forecast, "a run with simulated results"),
    ] {
        let mut other = Experiment::new(other).expect("it can be run");
        assert_eq!(other.resume(kept(), None), Err(is_of.to_owned()));
    }
}

#[test]
fn predictions_alone_are_asked_once() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let request = Request {
        origins: [Origin::Predicted].into(),
        repeats: 7,
        ..request(folder.path())
    };
    let found = run(request, 1, &mut Silent).expect("it runs").document;
    assert_eq!(found.records.len(), 2 * 3);
    assert!(found.repeats.is_none() && found.links.is_empty());
}

/// Each is forecast as if it were alone on the link.
#[test]
fn forecasts_of_neighbours_are_not_compared() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let judged = |more: &str| {
        let request = Request {
            origins: [Origin::Predicted].into(),
            ..request(folder.path())
        };
        let expect = "metric = \"bulk.goodput_bps\"\nover = \"load.goodput_bps\"\nmin = 0";
        let text = format!("{SMALL}[[expect]]\n{expect}\n{more}");
        std::fs::write(folder.path().join("small.toml"), text).expect("it is there");
        let document = run(request, 1, &mut Silent).expect("it runs").document;
        let all = document.expectations.into_iter();
        all.filter(|e| e.metric.contains(" over "))
            .collect::<Vec<_>>()
    };
    assert_eq!(judged(""), []);
    let named = judged("origins = [\"predicted\"]\n");
    assert_eq!(named.len(), 3, "one for each point");
    let says = |e: &farpath_record::Expectation| {
        e.absent
            .as_ref()
            .is_some_and(|why| why.contains("as if alone"))
    };
    assert!(named.iter().all(|e| !e.pass && says(e)), "{named:?}");
}

#[test]
fn faults_say_whose_they_are_and_what_to_do() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let small = request(folder.path());
    let refused = |change: &dyn Fn(&mut Request)| {
        let mut request = small.clone();
        change(&mut request);
        let fault = Experiment::new(request).err().expect("it is refused");
        (fault.class(), fault.to_string(), fault.remedy())
    };
    let nothing = refused(&|r| r.scenario = "cern-snaky/five-pases".to_owned());
    assert_eq!(nothing.0, Class::Usage);
    let unknown = refused(&|r| r.only = vec!["bulkk".to_owned()]);
    let remedy = Some("the scenario has: bulk, load".to_owned());
    assert_eq!((unknown.0, unknown.2), (Class::Usage, remedy));
    let object = refused(&|r| r.cc = Some("bpf:my.o".to_owned()));
    assert_eq!(
        (object.0, object.2.as_deref()),
        (Class::Usage, Some("add --emulate"))
    );
    let text = refused(&|r| r.sets = vec![Set::new("link.ab.dealy", "1 ms")]);
    assert!(text.1.contains("did you mean `delay`?"), "{}", text.1);
    let fast = ["link.ab.rate", "test.load.rate"].map(|key| Set::new(key, "9000 Tbit/s"));
    let memory = refused(&|r| r.sets = fast.to_vec());
    assert_eq!(memory.0, Class::Environment, "{}", memory.1);
}

#[test]
fn the_drawing_of_a_sweep_has_what_a_link_is_over_all_of_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let drawn = |sweep: &str, sets: &[Set]| {
        let mut request = request(folder.path());
        let swept = "\"link.ab.delay\" = [\"5 ms\", \"20 ms\", \"80 ms\"]";
        let text = SMALL.replace(swept, sweep).replace(
            "[[link]]",
            "[[host]]\nname = \"c\"\n\n[[link]]\nname = \"bc\"\nends = [\"b\", \"c\"]\nframing = \"gbe\"\n\n[[link]]",
        );
        std::fs::write(&request.scenario, text).expect("a temporary folder can be written");
        request.sets = sets.to_vec();
        let experiment = Experiment::new(request).expect(sweep);
        let document = RunDocument::new("small", 1, String::new());
        let page = experiment.page(&document, Vec::new(), String::new());
        let link = page.topology.and_then(|t| t.links.into_iter().nth(1));
        let bulk = page.paths.iter().filter(|way| way.test == "bulk");
        (link.expect("it is drawn").label, bulk.count())
    };
    let one = |sweep: &str| drawn(sweep, &[]);
    let delays = one(r#""link.ab.delay" = ["80 ms", "5 ms", "20 ms"]"#);
    assert_eq!(delays, ("20 Mbit/s · 5 ms, 20 ms, 80 ms".to_owned(), 1));
    let many = one(r#""link.ab.delay" = ["10 ms", "20 ms", "50 ms", "200 ms"]"#);
    assert_eq!(many.0, "20 Mbit/s · 10 ms to 200 ms");
    let there = one(r#""link.ab.forward.rate" = ["10 Mbit/s", "2 Mbit/s"]"#);
    assert_eq!(there.0, "2 Mbit/s, 10 Mbit/s / 20 Mbit/s · 5 ms");
    let others = one(r#""test.bulk.cc" = ["reno", "cubic"]"#);
    assert_eq!(others.0, "20 Mbit/s · 5 ms");
    let narrowed = [Set::new("link.ab.delay", "20 ms")];
    let narrowed = drawn(r#""link.ab.delay" = ["10 ms", "20 ms"]"#, &narrowed);
    assert_eq!(narrowed.0, "20 Mbit/s · 20 ms");
    let labelled = "[[sweep.together]]\nlabel.path = [\"near\", \"far\"]\n\"link.ab.delay\" = [\"1 ms\", \"90 ms\"]\n\"test.bulk.window\" = [\"64 KiB\", \"1 MiB\"]";
    assert_eq!(one(labelled).0, "20 Mbit/s · 1 ms, 90 ms");
    // A test that begins elsewhere has two ways.
    assert_eq!(one(r#""test.bulk.from" = ["a", "c"]"#).1, 2);
}

/// As the simulated ones do; intervals of all begin with the test, so that they can be added up.
#[test]
fn real_connections_start_when_the_seed_says() {
    let spread = "kind = \"tcp\"\nparallel = 3\nstart = \"1 s\"\nstart_spread = \"500 ms\"";
    let text = SMALL.replacen("kind = \"tcp\"", spread, 1);
    let name = "small.toml".to_owned();
    let mut scenario = parse(&Source { name, text }, &[]).expect("a scenario");
    scenario.draw_starts(7);
    let plan = Plan::new(&scenario).expect("a plan");
    let address = |node: NodeId, _| Ipv4Addr::new(127, 0, 0, 1 + node.0 as u8).into();
    let planned = plan_jobs(&scenario, &plan, 7, &Hosts::at(&address));
    let bulk = &scenario.tests[0];
    let drawn: Vec<u64> = (0..3).map(|n| bulk.start_of(n).as_ns()).collect();
    assert!(drawn[0] < drawn[2], "{drawn:?}");
    for (host, job) in planned.jobs.hosts() {
        let spans = job.tasks().iter().filter_map(|task| match &task.work {
            Work::TcpSend(work) | Work::TcpReceive(work) => Some(work.span),
            _ => None,
        });
        let spans: Vec<_> = spans.collect();
        let starts: Vec<u64> = spans.iter().map(|s| s.start).collect();
        assert_eq!(starts, drawn, "{host}");
        assert!(spans.iter().all(|s| s.counted == bulk.start.as_ns()));
        assert!(spans.iter().all(|s| s.from == spans[0].from));
    }
    assert!(planned.notes.is_empty(), "{:?}", planned.notes);
}

/// The text of a run, run again without a word, is the same run: the same digest, the same document.
#[test]
fn the_resolved_text_is_the_run() {
    let of = |text: &str, request: Request| {
        let source = Some(Source {
            name: "again.toml".to_owned(),
            text: text.to_owned(),
        });
        let experiment = Experiment::new(Request { source, ..request });
        let experiment = experiment.unwrap_or_else(|fault| panic!("{fault}\n{text}"));
        let ran = experiment.run(None, &mut Silent);
        let resolved = experiment.loaded.document.resolved_text().to_owned();
        (resolved, ran.expect("it runs").document)
    };
    let together = "[[sweep.together]]\nlabel.path = [\"near\", \"far\"]\n\"link.ab.delay\" = [\"1 ms\", \"9 ms\"]\n\"test.bulk.window\" = [\"64 KiB\", \"1 MiB\"]\n";
    let labelled = SMALL.replace(
        "[sweep]\n\"link.ab.delay\" = [\"5 ms\", \"20 ms\", \"80 ms\"]\n",
        together,
    );
    assert_ne!(labelled, SMALL);
    let bare = SMALL.replace(
        "[scenario]\nname = \"small\"",
        "scenario = { name = \"small\" }",
    );
    assert_ne!(bare, SMALL);
    /// A scenario, settings, a seed and intervals.
    type Asked<'a> = (&'a str, &'a [&'a str], Option<u64>, Option<u32>);
    let cases: [Asked; 9] = [
        (SMALL, &[], None, None),
        (SMALL, &[], Some(99), Some(50)),
        (
            SMALL,
            &["link.ab.delay=20 ms", "test.bulk.cc=reno"],
            Some(7),
            None,
        ),
        (
            SMALL,
            &["link.ab.delay=3 ms", "link.ab.forward.loss=1e-2"],
            None,
            None,
        ),
        (
            SMALL,
            &["link.ab.delay=[\"1 ms\", \"2 ms\"]"],
            None,
            Some(20),
        ),
        (&labelled, &["link.ab.delay=9 ms"], Some(3), None),
        (&labelled, &["test.bulk.window=100 kB"], None, None),
        (
            &labelled,
            &["link.ab.delay=[\"1 ms\", \"2 ms\"]"],
            Some(5),
            None,
        ),
        (&bare, &["scenario.seed=4"], Some(6), None),
    ];
    for (text, sets, seed, intervals) in cases {
        let request = Request {
            sets: sets.iter().map(|s| s.parse().expect("a set")).collect(),
            seed,
            intervals,
            ..Request::new("")
        };
        let (resolved, first) = of(text, request);
        let (_, again) = of(&resolved, Request::new(""));
        assert_eq!(first, again, "{sets:?} {seed:?} {intervals:?}\n{resolved}");
        assert!(seed.is_none_or(|seed| first.seed == seed));
    }
}

/// Datagrams of 1000 bytes over a narrow link: 125 of them in a second, or 500 in a tenth of one; and a connection.
const SEARCHED: &str = r#"
[scenario]
name = "searched"

[[host]]
name = "a"

[[host]]
name = "b"

[[router]]
name = "r"

[[link]]
name = "ar"
ends = ["a", "r"]
framing = "none"
rate = "1 Gbit/s"

[[link]]
name = "rb"
ends = ["r", "b"]
framing = "none"
rate = "20 Mbit/s"
delay = "5 ms"
queue = "50 packets"

[[event]]
name = "cut"
at = "204 ms"
for = "1 ms"
link = "rb"
up = false

[[test]]
name = "even"
kind = "udp"
from = "a"
to = "b"
rate = "972 kbit/s"
size = 972
duration = "1 s"

[[test]]
name = "burst"
kind = "udp"
from = "a"
to = "b"
rate = "38.88 Mbit/s"
size = 972
duration = "100 ms"
"#;

/// The record of a search with these keys.
fn searched(keys: &str) -> Result<farpath_record::Record, Fault> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("searched.toml");
    let text = format!("{SEARCHED}[[search]]\nname = \"s\"\n{keys}\n");
    std::fs::write(&file, text).expect("a temporary folder can be written");
    let found = run(Request::new(file.display().to_string()), 2, &mut Silent)?;
    let mut records = found.document.records.into_iter();
    Ok(records.find(|r| r.kind == "search").expect("a search"))
}

/// A search was made with the first seed alone, and a note said that nothing was random.
#[test]
fn a_search_is_repeated_with_the_seeds_of_the_repeats() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("searched.toml");
    let keys = "keys = [\"link.rb.loss\"]\nlow = 1e-3\nhigh = 0.9\nresolution = \"1 %\"\nonly = [\"even\"]\nmetrics = [\"even.loss_ratio\"]\nat_most = \"20 %\"";
    let text = format!("{SEARCHED}[[search]]\nname = \"s\"\n{keys}\n");
    std::fs::write(&file, text).expect("a temporary folder can be written");
    let of = |repeats, seed| {
        let request = Request {
            repeats,
            seed,
            ..Request::new(file.display().to_string())
        };
        run(request, 2, &mut Silent).expect("it runs").document
    };
    let all = of(3, None);
    let searches = |of: &RunDocument| -> Vec<farpath_record::Record> {
        let all = of.records.iter().filter(|r| r.kind == "search");
        all.cloned().collect()
    };
    let (found, repeats) = (searches(&all), all.repeats.as_ref().expect("three"));
    let numbers: Vec<u32> = found.iter().map(|r| r.repeat).collect();
    assert_eq!(numbers, [0, 1, 2]);
    // Each is what its seed finds alone.
    for (one, seed) in found.iter().zip(&repeats.seeds) {
        let alone = searches(&of(1, Some(*seed)));
        assert_eq!(alone[0].metrics, one.metrics, "seed {seed}");
    }
    assert_ne!(found[0].metrics, found[1].metrics);
    let is_mine =
        |m: &&farpath_record::MetricSummary| m.test == "search.s" && m.metric == "highest_ratio";
    let summary = repeats
        .metrics
        .iter()
        .find(is_mine)
        .expect("it is summed up");
    assert_eq!(summary.summary.n, 3);
    assert!(summary.summary.sd > Some(0.0), "{summary:?}");
    assert!(found.iter().all(|r| r.notes.is_empty()), "{found:?}");
}

fn found(keys: &str, metric: &str) -> f64 {
    let record = searched(keys).unwrap_or_else(|e| panic!("{e}"));
    let value = record.metrics.get(metric).copied();
    value.unwrap_or_else(|| panic!("no {metric}: {:?}", record.metrics))
}

/// Ratios and queues in bdp are searched as sizes are: what is found lies between what holds and what fails.
#[test]
fn the_loss_that_is_borne_is_found_and_a_queue_in_bdp() {
    let keys = "keys = [\"link.rb.loss\"]\nlow = 1e-3\nhigh = 0.9\nresolution = \"5 %\"\nonly = [\"even\"]\nmetrics = [\"even.loss_ratio\"]\nat_most = \"20 %\"";
    let record = searched(keys).unwrap_or_else(|e| panic!("{e}"));
    let of = |metric: &str| record.metrics[metric];
    let (holds, fails) = (of("highest_ratio"), of("lowest_failing_ratio"));
    // 125 datagrams: a share of 20 % is met by losses around it.
    assert!(
        0.1 < holds && holds < fails && fails < 0.35,
        "{holds} {fails}"
    );
    assert!(
        fails - holds <= 0.05 * fails * (1.0 + 1e-9),
        "{holds} {fails}"
    );
    // A burst of 500 in front of a line of half its rate: in packets and in bdp the least queue that holds it.
    let least = |low: &str, high: &str, metric: &str| {
        let keys = format!(
            "find = \"lowest\"\nkeys = [\"link.rb.queue\"]\nlow = \"{low}\"\nhigh = \"{high}\"\nonly = [\"burst\"]\nmetrics = [\"burst.loss_ratio\"]"
        );
        found(&keys, metric)
    };
    let (bdp, bytes) = (
        least("1bdp", "100bdp", "lowest_bdp"),
        least("10 kB", "1 MB", "lowest_bytes"),
    );
    // 20 Mbit/s by 10 ms are 25 kB, and frames take their time; either is found within a step.
    assert!((24.8e3..28e3).contains(&(bytes / bdp)), "{bytes} {bdp}");
}

/// One datagram each 8 ms, from 0 on: a tenth of them is 12, and those at 208 to 296 ms are.
#[test]
fn the_longest_outage_is_found() {
    let keys = "keys = [\"event.cut.for\"]\nlow = \"10 ms\"\nhigh = \"10 s\"\nonly = [\"even\"]\n";
    let most = found(
        &format!("{keys}metrics = [\"even.loss_ratio\"]\nat_most = \"10 %\""),
        "highest_s",
    );
    assert!((0.0919..0.1001).contains(&most), "{most}");
    let least = found(
        &format!("{keys}metrics = [\"even.received\"]\nat_least = 113"),
        "highest_s",
    );
    assert_eq!(least, most, "the same bound in other words");
}

/// Twice what the link sends, for 0.1 s: of 500 datagrams half wait at the end.
#[test]
fn the_smallest_queue_is_found() {
    let keys = "keys = [\"link.rb.queue\"]\nfind = \"lowest\"\nonly = [\"burst\"]\n";
    let packets = format!("{keys}low = \"1 packets\"\nhigh = \"1000 packets\"\n");
    let none = format!("{packets}metrics = [\"burst.loss_ratio\"]");
    let record = searched(&none).unwrap_or_else(|e| panic!("{e}"));
    let (least, failing) = (
        record.metrics["lowest_packets"],
        record.metrics["highest_failing_packets"],
    );
    assert!((247.0..=250.0).contains(&least), "{least}");
    assert_eq!(failing, least - 1.0);
    // 95 % of them: 25 fewer need to wait.
    let most = found(
        &format!("{packets}metrics = [\"burst.received\"]\nat_least = 475"),
        "lowest_packets",
    );
    assert_eq!(most, least - 25.0);
    let bytes = format!(
        "{keys}low = \"1 kB\"\nhigh = \"1 MB\"\nresolution = 1e-5\nmetrics = [\"burst.loss_ratio\"]"
    );
    assert_eq!((found(&bytes, "lowest_bytes") / 1000.0).round(), least);
    let time = format!("{keys}low = \"1 ms\"\nhigh = \"1 s\"\nmetrics = [\"burst.loss_ratio\"]");
    let time = found(&time, "lowest_s");
    assert!((time / (least * 0.4e-3) - 1.0).abs() < 2e-3, "{time}");
}

#[test]
fn a_search_whose_ends_are_alike_says_so() {
    let queue = |low: u32, high: u32| {
        searched(&format!(
            "keys = [\"link.rb.queue\"]\nfind = \"lowest\"\nonly = [\"burst\"]\nlow = \"{low} packets\"\nhigh = \"{high} packets\"\n\
             metrics = [\"burst.loss_ratio\"]"
        ))
    };
    let holds = queue(300, 400).expect("it holds");
    assert_eq!(holds.metrics["lowest_packets"], 300.0);
    assert!(holds.absent.contains_key("highest_failing_packets"));
    assert_eq!(
        holds.notes,
        ["even the low end, 300 packets, holds: the answer is below it"]
    );
    let fails = queue(10, 20).expect_err("it fails");
    assert_eq!(fails.class(), Class::Usage);
    let said = fails.to_string();
    assert!(
        said.contains("search `s`: already the high end, 20 packets, is out of bounds"),
        "{said}"
    );
    let remedy = fails.remedy().expect("a remedy");
    assert!(remedy.starts_with("raise `high`"), "{remedy}");
}
