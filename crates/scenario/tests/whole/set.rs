//! `--set`: what it changes, what it keeps, and what it answers.

use farpath_scenario::{Change, Document, QueueLimit, Scenario, Set, Source, TestKind, parse};
use farpath_units::{Duration, Rate, Size, Time};

const TEXT: &str = r#"[scenario] # the head
name = "x"

[[host]]
name = "a"

[[host]]
name = "b"

[[link]] # the only one
name = "ab"
ends = ["a", "b"]
framing = "gbe"
delay = "1 ms" # short
forward = { queue = "10 packets" }

[link.reverse]
delay = "2 ms"

[[test]]
name = "bulk"
kind = "tcp"
from = "a"
to = "b"
socket_buffer = "1 MiB" # what iperf asks for
"#;

/// A link between routers, last in its text.
const ROUTERS: &str = r#"[scenario]
name = "x"

[[host]]
name = "h"

[[router]]
name = "a"

[[router]]
name = "b"

[[test]]
name = "ping"
kind = "ping"
from = "h"
to = "b"

[[link]]
name = "ha"
ends = ["h", "a"]
framing = "gbe"

[[link]]
name = "ab"
ends = ["a", "b"]
framing = "gbe"
"#;

fn source() -> Source {
    Source {
        name: "x.toml".to_owned(),
        text: TEXT.to_owned(),
    }
}

fn sets(list: &[&str]) -> Vec<Set> {
    list.iter()
        .map(|s| s.parse().expect("a path and a value"))
        .collect()
}

fn with(list: &[&str]) -> Scenario {
    parse(&source(), &sets(list)).unwrap_or_else(|e| panic!("{e}"))
}

fn text_with(list: &[&str]) -> String {
    let document = Document::open(&source(), &sets(list)).unwrap_or_else(|e| panic!("{e}"));
    document.resolved_text().to_owned()
}

fn refused(list: &[&str]) -> String {
    parse(&source(), &sets(list))
        .expect_err("this must be refused")
        .to_string()
}

/// A word in place of a table is answered with one that is taken as it stands.
#[test]
fn what_the_help_says_to_write_is_taken() {
    for key in ["jitter", "reordering", "duplication", "corruption", "flap"] {
        let said = refused(&[&format!("link.ab.{key}=often")]);
        let before = format!("write --set 'link.ab.{key}=");
        let (_, written) = said.split_once(&before).expect(&said);
        let value = written.lines().next().unwrap_or_default().trim();
        let value = value.strip_suffix('\'').expect(&said);
        with(&[&format!("link.ab.{key}={value}")]);
    }
}

/// Delays that are all 0 are none.
#[test]
fn jitter_of_nothing_is_none() {
    let none = "link.ab.jitter={ distribution = \"normal\", mean = \"0 ms\", std = \"0 ms\" }";
    let s = with(&["link.ab.jitter={ max = \"5 ms\" }", none]);
    assert!(s.links[0].directions[0].impairments.jitter.is_none());
}

#[test]
fn values_are_replaced_where_they_stand() {
    assert_eq!(
        text_with(&["link.ab.delay=10ms"]),
        TEXT.replace("\"1 ms\"", "\"10ms\"")
    );
    let s = with(&["link.ab.delay=10ms", "link.ab.reverse.delay=20ms"]);
    assert_eq!(s.links[0].directions[0].delay, Duration::from_ms(10));
    assert_eq!(s.links[0].directions[1].delay, Duration::from_ms(20));
}

#[test]
fn new_keys_go_below_the_header_or_into_the_inline_table() {
    let text = text_with(&[
        "scenario.seed=7",
        "link.ab.forward.delay=3ms",
        "link.ab.reverse.loss=1e-4",
        "host.b.mtu=9000",
    ]);
    assert!(text.contains("[scenario]\nseed = 7 # the head\n"), "{text}");
    assert!(
        text.contains("forward = { delay = \"3ms\", queue = \"10 packets\" }"),
        "{text}"
    );
    assert!(
        text.contains("[link.reverse]\nloss = 1e-4\ndelay"),
        "{text}"
    );
    let s = with(&[
        "scenario.seed=7",
        "link.ab.forward.delay=3ms",
        "link.ab.reverse.loss=1e-4",
        "host.b.mtu=9000",
    ]);
    assert_eq!(
        (s.seed, s.hosts[1].mtu, s.hosts[0].mtu),
        (7, Some(9000), None)
    );
    assert_eq!(s.links[0].directions[0].delay, Duration::from_ms(3));
    assert_eq!(s.links[0].directions[0].queue, QueueLimit::Packets(10));
    assert_eq!(s.links[0].directions[1].losses.len(), 1);
}

#[test]
fn a_table_that_is_not_there_is_written_as_a_dotted_key() {
    let text = TEXT.replace("\n[link.reverse]\ndelay = \"2 ms\"\n", "");
    let source = Source {
        name: "x.toml".to_owned(),
        text,
    };
    let s = parse(
        &source,
        &sets(&[
            "link.ab.reverse.queue=1bdp",
            "link.ab.reverse.rate=10Mbit/s",
            "link.ab.reverse.queue=2bdp",
        ]),
    );
    let s = s.unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(s.links[0].directions[1].queue, QueueLimit::Bdp(2.0));
    assert_eq!(
        s.links[0].directions[1].rate,
        "10 Mbit/s".parse::<Rate>().expect("a rate")
    );
}

#[test]
fn a_window_takes_the_place_of_a_socket_buffer() {
    let text = text_with(&["test.bulk.window=8MiB"]);
    assert!(
        text.contains("window = \"8MiB\" # what iperf asks for\n")
            && !text.contains("socket_buffer"),
        "{text}"
    );
    let s = with(&["test.bulk.window=8MiB"]);
    let TestKind::Tcp(tcp) = &s.tests[0].kind else {
        panic!("it is a tcp test")
    };
    assert_eq!(
        (tcp.window, tcp.socket_buffer),
        (Some(Size::from_bytes(8 << 20)), None)
    );
}

#[test]
fn the_last_of_several_wins_and_tables_can_be_set_whole() {
    let s = with(&[
        "link.ab.delay=5ms",
        "link.ab.delay=6ms",
        r#"link.ab.lose={ flow = "bulk", segment = 3 }"#,
    ]);
    assert_eq!(s.links[0].directions[0].delay, Duration::from_ms(6));
    assert_eq!(s.links[0].directions[0].losses.len(), 1);
}

/// The link's `queue` and a table `codel` of its forward direction, as sections, as dotted keys and as inline tables; behind
/// them a table that shares the direction, or the link's class.
const WRITTEN: [&str; 6] = [
    "[link.forward.codel]\ntarget = \"5 ms\" # short\ninterval = \"90 ms\"\n",
    "[link.forward]\nqueue = \"1 MB\"\n[link.forward.codel]\ntarget = \"5 ms\"\n",
    "[link.forward]\ncodel.target = \"5 ms\"\nqueue = \"1 MB\"\ncodel.interval = \"90 ms\"\n",
    "forward = { codel.target = \"5 ms\", queue = \"1 MB\", codel.interval = \"90 ms\" }\n",
    "forward.codel.target = \"5 ms\"\n[link.forward.shape]\nrate = \"1 Mbit/s\"\n",
    "[link.forward.shape]\nrate = \"1 Mbit/s\"\n[link.forward.codel]\ntarget = \"5 ms\"\n",
];

const ROUTED: &str = r#"[scenario]
name = "x"
[[router]]
name = "r"
[[link]]
name = "ra"
ends = ["r", "a"]
framing = "gbe"
delay = "1 ms"
HERE[[host]]
name = "a"
[[host]]
name = "b"
[[link]]
name = "br"
ends = ["b", "r"]
framing = "gbe"
[[test]]
name = "t"
kind = "tcp"
from = "b"
to = "a"
"#;

fn routed(here: &str, list: &[&str]) -> Scenario {
    let source = Source {
        name: "x.toml".to_owned(),
        text: ROUTED.replace("HERE", here),
    };
    parse(&source, &sets(list)).unwrap_or_else(|e| panic!("{here}{list:?}\n{e}"))
}

#[test]
fn a_table_is_replaced_however_it_is_written() {
    let aqm = |s: &Scenario| {
        let queueing = s.links[0].directions[0].queueing.as_ref();
        queueing.expect("a managed queue").classes[0].aqm
    };
    let written = |target: &str| routed(&format!("forward = {{ codel = {target} }}\n"), &[]);
    let whole = aqm(&written("{ target = \"7 ms\" }"));
    for here in WRITTEN {
        let set = routed(here, &["link.ra.forward.codel={ target = \"7 ms\" }"]);
        assert_eq!(aqm(&set), whole, "{here}");
        // One key of it, and then all of it.
        let path = "link.ra.forward.codel.target=9 ms";
        let before = routed(here, &[]);
        assert_ne!(aqm(&routed(here, &[path])), aqm(&before), "{here}");
        let twice = routed(here, &[path, "link.ra.forward.codel={ target = \"7 ms\" }"]);
        assert_eq!(aqm(&twice), whole, "{here}");
        // What stands beside it is left as it is.
        let (a, b) = (&set.links[0].directions[0], &before.links[0].directions[0]);
        assert_eq!(a.queue, b.queue, "{here}");
        let shape = |d: &farpath_scenario::Direction| d.queueing.as_ref().and_then(|q| q.shape);
        assert_eq!(shape(a), shape(b), "{here}");
    }
}

/// `none` takes a table away, however it is written, and leaves what stands beside it; a sweep goes from one table to another so.
#[test]
fn a_table_is_taken_away_by_none() {
    let queueing = |s: &Scenario| s.links[0].directions[0].queueing.clone();
    let inline = "forward = { codel = { target = \"5 ms\" }, queue = \"1 MB\" }\n";
    for here in WRITTEN.iter().chain([&inline]) {
        let (before, set) = (
            routed(here, &[]),
            routed(here, &["link.ra.forward.codel=none"]),
        );
        assert!(
            queueing(&before).is_some_and(|q| q.classes[0].aqm.is_some()),
            "{here}"
        );
        assert!(
            queueing(&set).is_none_or(|q| q.classes[0].aqm.is_none()),
            "{here}"
        );
        let (a, b) = (&set.links[0].directions[0], &before.links[0].directions[0]);
        assert_eq!(a.queue, b.queue, "{here}");
        let shape = |d: &farpath_scenario::Direction| d.queueing.as_ref().and_then(|q| q.shape);
        assert_eq!(shape(a), shape(b), "{here}");
    }
    let policed = "police = { rate = \"1 Mbit/s\", burst = \"9 kB\" }\n";
    let free = &routed("", &[]).links[0].directions[0].conditioning;
    let conditioning = |here: &str, list: &[&str]| {
        routed(here, list).links[0].directions[0]
            .conditioning
            .clone()
    };
    assert_ne!(conditioning(policed, &[]), *free);
    assert_eq!(conditioning(policed, &["link.ra.police=none"]), *free);
    assert_eq!(conditioning("", &["link.ra.police=none"]), *free);
}

/// A table that stands in a direction is not the link's own: its path is named, and nothing is set in silence.
#[test]
fn a_table_of_a_direction_is_not_taken_away_by_the_links_path() {
    let shape = "shape = { rate = \"10 Mbit/s\" }";
    let forward = format!("forward = {{ {shape} }}\n");
    let both = format!("{forward}reverse = {{ {shape} }}\n");
    for (here, places) in [
        (&forward, "link.ra.forward"),
        (&both, "link.ra.forward and link.ra.reverse"),
    ] {
        let source = Source {
            name: "x.toml".to_owned(),
            text: ROUTED.replace("HERE", here),
        };
        let set: Set = "link.ra.shape=none".parse().expect("a set");
        let said = parse(&source, &[set]).expect_err("elsewhere").to_string();
        assert!(said.contains(&format!("`shape` is in {places}")), "{said}");
        assert!(said.contains("link.ra.forward.shape=none"), "{said}");
    }
    let shaped = |list: &[&str]| {
        let scenario = routed(&forward, list);
        let queueing = scenario.links[0].directions[0].queueing.clone();
        queueing.is_some_and(|q| q.shape.is_some())
    };
    assert!(shaped(&[]) && !shaped(&["link.ra.forward.shape=none"]));
    // What is nowhere is nowhere still.
    assert!(shaped(&["link.ra.police=none"]));
}

/// A whole number that need not be there goes the same way.
#[test]
fn a_whole_number_is_taken_away_by_none() {
    let clamped = "adjust_mss_ipv6 = 1340\n";
    let none = "link.ra.adjust_mss_ipv6=none";
    let segments = |here: &str, list: &[&str]| routed(here, list).links[0].segments;
    assert_eq!(segments(clamped, &[]), [None, Some(1340)]);
    assert_eq!(segments(clamped, &[none]), [None, None]);
    assert_eq!(segments("", &[none]), [None, None]);
    let sweep = "[sweep]\n\"link.ra.adjust_mss_ipv6\" = [\"none\", 1340]\n";
    let source = Source {
        name: "x.toml".to_owned(),
        text: ROUTED.replace("HERE", "") + sweep,
    };
    let swept = parse(&source, &[]).unwrap_or_else(|e| panic!("{e}"));
    let found: Vec<Option<u32>> = swept
        .points()
        .iter()
        .map(|point| {
            let scenario = parse(&source, &point.sets).unwrap_or_else(|e| panic!("{e}"));
            scenario.links[0].segments[1]
        })
        .collect();
    assert_eq!(found, [None, Some(1340)]);
}

#[test]
fn a_sweep_goes_from_one_table_to_another() {
    let policer = "{ rate = \"1 Mbit/s\", burst = \"9 kB\" }";
    let sweep = format!(
        "[[sweep.together]]\n\"link.ra.police\" = [{policer}, \"none\"]\n\"link.ra.shape\" = [\"none\", {policer}]\n"
    );
    let source = Source {
        name: "x.toml".to_owned(),
        text: ROUTED.replace("HERE", "") + &sweep,
    };
    let swept = parse(&source, &[]).unwrap_or_else(|e| panic!("{e}"));
    let free = routed("", &[]).links[0].directions[0].conditioning.clone();
    let found: Vec<(bool, bool)> = swept
        .points()
        .iter()
        .map(|point| {
            let scenario = parse(&source, &point.sets).unwrap_or_else(|e| panic!("{e}"));
            let direction = &scenario.links[0].directions[0];
            let shape = direction.queueing.as_ref().and_then(|q| q.shape.as_ref());
            (direction.conditioning != free, shape.is_some())
        })
        .collect();
    assert_eq!(found, [(true, false), (false, true)]);
}

#[test]
fn tables_in_double_brackets_are_replaced_together() {
    let here = "[link.forward]\nscheduler = \"drr\"\n[[link.forward.class]]\nname = \"p\"\ndscp = \"ef\"\n\
                [link.forward.class.codel]\ntarget = \"5 ms\"\n[[link.forward.class]]\nname = \"q\"\n";
    let set = routed(here, &["link.ra.forward.class=[{ name = \"z\" }]"]);
    let queueing = set.links[0].directions[0].queueing.as_ref();
    let classes = &queueing.expect("a class").classes;
    let names: Vec<&str> = classes.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["z"]);
    assert!(classes[0].aqm.is_none());
}

#[test]
fn what_a_sweep_would_undo_is_refused() {
    let swept =
        format!("{ROUTED}[sweep]\n\"link.ra.forward.codel.target\" = [\"5 ms\", \"10 ms\"]\n");
    let source = Source {
        name: "x.toml".to_owned(),
        text: swept.replace("HERE", WRITTEN[0]),
    };
    let set = |text: &str| parse(&source, &sets(&[text]));
    let said = set("link.ra.forward.codel={ target = \"7 ms\" }").expect_err("undone");
    let said = said.to_string();
    assert!(
        said.contains("the sweep sets `link.ra.forward.codel.target` after this")
            && said.contains("--set:1:1"),
        "{said}"
    );
    set("link.ra.forward.codel.target=7 ms").expect("the key itself");
    set("link.ra.forward.codel.interval=70 ms").expect("a key beside it");
}

/// As one value of a swept key leaves the others out, so does a list, with what is expected at them.
#[test]
fn a_list_replaces_the_values_of_a_swept_key() {
    let text = format!(
        "{TEXT}[sweep]\n\"link.ab.delay\" = [\"1 ms\", \"2 ms\"] # both\n\"test.bulk.sack\" = [true, false]\n\
         [[expect]]\nmetric = \"bulk.rtt_min_ns\"\nat = {{ \"link.ab.delay\" = \"1 ms\" }}\nmin = \"2 ms\"\n\
         [[expect]]\nmetric = \"bulk.rtt_min_ns\"\nat = {{ \"link.ab.delay\" = \"2 ms\" }}\nmin = \"4 ms\"\n"
    );
    let name = "x.toml".to_owned();
    let set = |list: &[&str]| {
        let text = text.clone();
        let name = name.clone();
        let document = Document::open(&Source { name, text }, &sets(list)).expect("paths");
        document.scenario().map(|s| (document, s))
    };
    let values = |list: &[&str]| -> Vec<String> {
        let found = set(list).unwrap_or_else(|e| panic!("{e}")).1.sweep;
        let delay = found.into_iter().find(|(key, _)| key == "link.ab.delay");
        delay.expect("it is swept").1
    };
    let list = "link.ab.delay=[\"2 ms\", \"5 ms\", \"9 ms\"]";
    assert_eq!(values(&[list]), ["2 ms", "5 ms", "9 ms"]);
    assert_eq!(values(&[list, "link.ab.delay=[\"7 ms\"]"]), ["7 ms"]);
    let (document, scenario) = set(&[list]).expect("it is right");
    assert_eq!((document.left_out(), scenario.expects.len()), (1, 1));
    assert_eq!(scenario.points().len(), 6);
    let resolved = document.resolved_text();
    assert!(
        resolved.contains("= [\"2 ms\", \"5 ms\", \"9 ms\"] # both\n"),
        "{resolved}"
    );
    assert_eq!(resolved.matches("[[expect]]").count(), 1, "{resolved}");
    // A quantity written in another way is the same point: what is expected there holds.
    for list in [
        "link.ab.delay=2000us",
        "link.ab.delay=[\"2000us\", \"5 ms\"]",
    ] {
        let (document, scenario) = set(&[list]).unwrap_or_else(|e| panic!("{list}: {e}"));
        assert_eq!(
            (document.left_out(), scenario.expects.len()),
            (1, 1),
            "{list}"
        );
        let at: Vec<&str> = scenario.expects[0]
            .point
            .values()
            .map(String::as_str)
            .collect();
        assert_eq!(at, ["2000us"], "the sweep's own words");
    }
    // A key that is not swept has one value; the error says where several go.
    let said = set(&["link.ab.rate=[\"1 Gbit/s\"]"]).expect_err("not swept");
    let said = said.to_string();
    assert!(said.contains("below [sweep]"), "{said}");
}

/// What a text with a sweep gives with these sets: the text as it is run, and its points in words.
fn swept(sweep: &str, list: &[&str]) -> (String, Vec<String>) {
    let source = Source {
        name: "x.toml".to_owned(),
        text: format!("{TEXT}{sweep}"),
    };
    let document = Document::open(&source, &sets(list)).unwrap_or_else(|e| panic!("{e}"));
    let scenario = document.scenario();
    let resolved = document.resolved_text().to_owned();
    let scenario = scenario.unwrap_or_else(|e| panic!("{e}\n{resolved}"));
    let words = |point: &std::collections::BTreeMap<String, String>| {
        let pairs = point.iter().map(|(key, value)| format!("{key}={value}"));
        pairs.collect::<Vec<_>>().join(" ")
    };
    let points = scenario.points();
    (resolved, points.iter().map(|p| words(&p.at)).collect())
}

const LABELLED: &str = r#"[sweep]
"link.ab.delay" = ["1 ms", "2 ms"]

[[sweep.together]]
label.sender = ["BBR", "CUBIC"] # as the figure names them
"test.bulk.cc" = ["bbr", "cubic"]
"test.bulk.duration" = ["1 s", "2 s"]

[[sweep.together]]
label.site = ["near", "far"]
"link.ab.rate" = ["1 Gbit/s", "2 Gbit/s"]

[[expect]]
metric = "bulk.rtt_min_ns"
at = { sender = "BBR" }
min = "2 ms"
"#;

/// CUBIC's values were shown under the name "BBR".
#[test]
fn names_of_steps_are_not_kept_for_other_values() {
    let rest = ["link.ab.delay=1 ms", "link.ab.rate=2 Gbit/s"];
    let points = |list: &[&str]| swept(LABELLED, &[&rest, list].concat());
    let ccs = "test.bulk.cc=[\"htcp\", \"bbr\", \"cubic\"]";
    let spans = "test.bulk.duration=[\"1 s\", \"2 s\", \"3 s\"]";
    let (text, found) = points(&[ccs, spans]);
    let of = |cc: &str, s: u32| {
        format!("link.ab.delay=1 ms site=far test.bulk.cc={cc} test.bulk.duration={s} s")
    };
    assert_eq!(found, [of("htcp", 1), of("bbr", 2), of("cubic", 3)]);
    assert!(
        !text.contains("BBR") && !text.contains("[[expect]]"),
        "{text}"
    );
    // The same values keep their names; one value that no step has is without.
    let same = points(&["test.bulk.cc=[\"bbr\", \"cubic\"]"]).1;
    assert_eq!(same.len(), 2);
    assert!(same[1].contains("sender=CUBIC"), "{same:?}");
    assert_eq!(
        points(&["test.bulk.cc=htcp"]).1,
        [of("htcp", 1), of("htcp", 2)]
    );
    // A key that was alone beside its label is crossed with the others.
    for value in ["3 Gbit/s", "[\"3 Gbit/s\"]"] {
        let (text, found) = swept(LABELLED, &[&format!("link.ab.rate={value}")]);
        assert_eq!(found.len(), 4, "{text}");
        assert!(
            found.iter().all(|p| p.contains("link.ab.rate=3 Gbit/s")),
            "{found:?}"
        );
    }
    let alone = LABELLED
        .split("[[sweep.together]]\n")
        .nth(2)
        .expect("the second");
    let (text, found) = swept(
        &format!(
            "[[sweep.together]]\n{}",
            alone.split("[[expect]]").next().expect("text")
        ),
        &["link.ab.rate=3 Gbit/s"],
    );
    assert_eq!(found, ["link.ab.rate=3 Gbit/s"], "{text}");
}

/// The text said 25 points of a run that had one.
#[test]
fn the_text_of_a_run_has_the_points_of_the_run() {
    let list = [
        "link.ab.delay=2 ms",
        "test.bulk.cc=cubic",
        "link.ab.rate=1 Gbit/s",
        "scenario.seed=9",
    ];
    let (text, found) = swept(LABELLED, &list);
    assert_eq!(found, ["link.ab.delay=2 ms sender=CUBIC site=near"]);
    let source = Source {
        name: "again.toml".to_owned(),
        text: text.clone(),
    };
    let again = Document::open(&source, &[]).expect("it is TOML");
    let scenario = again.scenario().unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!((scenario.points().len(), scenario.seed), (1, 9));
    // Where nothing of the sweep is run, as in a search, the value counts, too.
    assert_eq!(scenario.links[0].directions[0].delay, Duration::from_ms(2));
    assert!(!text.contains("[[expect]]"), "BBR is not run:\n{text}");
}

#[test]
fn an_unknown_path_is_answered_with_a_suggestion() {
    assert_eq!(
        refused(&["link.ab.dealy=10ms"]),
        "error: unknown key `dealy` in link\n --> --set:1:9\n  |\n1 | link.ab.dealy=10ms\n  |         ^^^^^\n  |\n  \
         = help: did you mean `delay`?\n\n1 error in --set\n"
    );
    assert!(refused(&["link.ba.delay=1ms"]).contains("there is no link `ba`"));
    assert!(refused(&["lnk.ab.delay=1ms"]).contains("did you mean `link`?"));
    assert!(refused(&["expect.x.at=1s"]).contains("`expect` cannot be set"));
    assert!(refused(&["link.ab=1ms"]).contains("write link.NAME.KEY=VALUE"));
    assert!(refused(&["link.delay=1ms"]).contains("write link.NAME.delay=VALUE"));
    assert!(refused(&["link.ab.delay.x=1ms"]).contains("`delay` has no keys of its own"));
    let burst = refused(&["link.ab.forward.police.burst=15kB"]);
    for said in [
        "`police` may be several tables, and is set as a whole",
        "{ rate = …, burst = … }",
        "label.burst = [\"A\", \"B\"]",
    ] {
        assert!(burst.contains(said), "{burst}");
    }
}

/// Sweeps of tables: one error, one remedy, and it is enough.
#[test]
fn a_sweep_inside_a_table_that_is_not_there_says_what_is_missing() {
    let text = |link: &str, sweep: &str| {
        let source = Source {
            name: "x.toml".to_owned(),
            text: format!("{ROUTERS}{link}\n[sweep]\n{sweep}\n"),
        };
        let scenario = parse(&source, &[]).map_err(|e| e.to_string())?;
        for point in scenario.points() {
            parse(&source, &point.sets).map_err(|e| e.to_string())?;
        }
        Ok::<(), String>(())
    };
    let said = |sweep: &str| {
        let said = text("", sweep).expect_err(sweep);
        assert_eq!(said.matches("error: ").count(), 1, "{said}");
        assert_eq!(said.matches("= help").count(), 1, "{said}");
        said
    };
    let min = "\"link.ab.red.min\" = [\"5 packets\", \"10 packets\"]";
    let alone = said(min);
    assert!(
        alone.contains("`red` is not there, and needs `max`, too"),
        "{alone}"
    );
    assert!(
        alone.contains("write `red.min` and `red.max` below [[link]] `ab`"),
        "{alone}"
    );
    let both = "red.min = \"3 packets\"\nred.max = \"30 packets\"";
    assert_eq!(text(both, min), Ok(()));
    let max = "\"link.ab.red.max\" = [\"30 packets\"]";
    assert_eq!(
        text("", &format!("{min}\n{max}")),
        Ok(()),
        "swept beside it"
    );
    let whole = "{ min = \"1000 packets\", max = \"3000 packets\" }";
    for sweep in [
        "\"link.ab.codel.target\" = [\"5 ms\", \"10 ms\"]",
        "\"link.ab.codel\" = [{}, { target = \"10 ms\" }]",
        &format!("\"link.ab.red\" = [{whole}]"),
    ] {
        assert_eq!(text("", sweep), Ok(()), "{sweep}");
    }
    let reverse = said("\"link.ab.reverse.red.weight\" = [0.1, 0.2]");
    let needed = "write `reverse.red.min` and `reverse.red.max` below [[link]] `ab`";
    assert!(reverse.contains(needed), "{reverse}");
    // What the remedy shows is what a table takes.
    let word = said("\"link.ab.codel\" = [\"5 ms\"]");
    let codel = "write codel = { target = \"5 ms\", interval = \"100 ms\" }";
    assert!(word.contains(codel), "{word}");
    let word = said("\"link.ab.red\" = [\"5 ms\"]");
    assert!(word.contains(&format!("write red = {whole}")), "{word}");
}

/// The name of what manages a queue has no keys: its table has.
#[test]
fn keys_behind_a_name_are_those_of_its_table() {
    let router = Source {
        name: "x.toml".to_owned(),
        text: ROUTERS.to_owned(),
    };
    let said = |path: &str| {
        let set = sets(&[path]);
        let refused = parse(&router, &set).expect_err(path).to_string();
        assert_eq!(refused.matches("= help").count(), 1, "{refused}");
        refused
    };
    let max = said("link.ab.aqm.max=5packets");
    assert!(max.contains("= help: write link.ab.red.max\n"), "{max}");
    let target = said("link.ab.aqm.target=5ms");
    for table in ["codel", "pie", "fq_codel"] {
        assert!(
            target.contains(&format!("link.ab.{table}.target")),
            "{target}"
        );
        let followed = parse(&router, &sets(&[&format!("link.ab.{table}.target=5ms")]));
        // It is a scheduler as well, which the answer says.
        let refused = followed.err().map_or(String::new(), |e| e.to_string());
        let scheduler = refused.contains("write scheduler = \"fq-codel\"");
        assert!(
            refused.is_empty() != (table == "fq_codel" && scheduler),
            "{refused}"
        );
    }
    let class = said("link.ab.class.rate=5Mbit/s");
    assert!(class.contains("unknown key `rate` in class"), "{class}");
}

/// A list where one value belongs is a sweep that is in the wrong place: one remedy.
#[test]
fn a_list_of_values_is_answered_with_where_a_sweep_stands() {
    let said = refused(&["link.ab.delay=[\"1 ms\", \"2 ms\"]"]);
    let where_it_stands = "below [sweep] write \"SECTION.NAME.delay\" = [...]";
    assert!(said.contains(where_it_stands), "{said}");
    assert_eq!(said.matches("= help").count(), 1, "{said}");
    let source = Source {
        name: "x.toml".to_owned(),
        text: format!("{TEXT}[sweep]\n\"link.ab.delay\" = [\"1 ms\", \"2 ms\"]\n"),
    };
    parse(&source, &[]).unwrap_or_else(|e| panic!("{e}"));
}

/// A text with these events on its link.
fn with_events(events: &str) -> Source {
    Source {
        name: "x.toml".to_owned(),
        text: format!("{TEXT}{events}"),
    }
}

/// Times in milliseconds, whether that is a change of delay, and the directions that change.
fn times(scenario: &Scenario) -> Vec<(u64, bool, usize)> {
    let ms = |at: Time| at.as_ps() / Duration::from_ms(1).as_ps();
    let events = scenario.events.iter();
    events
        .map(|e| (ms(e.at), matches!(e.change, Change::Delay(_)), e.ways.len()))
        .collect()
}

#[test]
fn a_named_event_is_set_and_swept() {
    let cut = "[[event]]\nname = \"cut\"\nat = \"2 s\"\nfor = \"1 s\"\nlink = \"ab\"\nup = false\n\
               [[event]]\nname = \"slow\"\nat = \"4 s\"\nlink = \"ab\"\ndelay = \"9 ms\"\n";
    let with = |list: &[&str]| {
        let scenario = parse(&with_events(cut), &sets(list)).unwrap_or_else(|e| panic!("{e}"));
        times(&scenario)
    };
    let cut_at = |from: u64, until: u64| [(from, false, 2), (until, false, 2)];
    let slow = (4000, true, 2);
    assert_eq!(with(&[]), [&cut_at(2000, 3000)[..], &[slow]].concat());
    // In the order of time, whatever is set.
    let late = with(&["event.cut.at=5s", "event.cut.for=500ms"]);
    assert_eq!(late, [&[slow], &cut_at(5000, 5500)[..]].concat());
    let around = with(&["event.cut.for=5s"]);
    assert_eq!(around, [(2000, false, 2), slow, (7000, false, 2)]);
    // A key that the event has not yet; its value; another link's directions come back one by one.
    let ended = with(&["event.slow.for=1s", "event.slow.delay=8ms"]);
    let back = [slow, (5000, true, 1), (5000, true, 1)];
    assert_eq!(ended, [&cut_at(2000, 3000)[..], &back].concat());
    let sweep = "[sweep]\n\"event.cut.for\" = [\"1 s\", \"3 s\"]\n\
                 [[expect]]\nmetric = \"bulk.rtos\"\nmin = 1\nat = { \"event.cut.for\" = \"3000 ms\" }\n";
    let swept =
        parse(&with_events(&format!("{cut}{sweep}")), &[]).unwrap_or_else(|e| panic!("{e}"));
    let points = swept.points();
    let at = |n: usize| {
        let sets = &points[n].sets;
        times(&parse(&with_events(cut), sets).unwrap_or_else(|e| panic!("{e}")))
    };
    assert_eq!(points.len(), 2);
    assert_eq!(at(0)[1].0, 3000);
    assert_eq!(at(1)[2].0, 5000);
}

/// The error, and what following it gives.
#[test]
fn an_event_without_a_name_is_answered_with_what_to_write() {
    let event = |name: &str| format!("[[event]]\n{name}at = \"2 s\"\nlink = \"ab\"\nup = false\n");
    let said = |text: &str, list: &[&str]| {
        let found = parse(&with_events(text), &sets(list));
        found.err().map(|e| e.to_string()).unwrap_or_default()
    };
    let wants = "there is no event `cut`";
    let remedy = "name = \"cut\"";
    let unnamed = said(&event(""), &["event.cut.for=5s"]);
    assert!(unnamed.contains(wants), "{unnamed}");
    assert!(
        unnamed.contains(&format!("write {remedy} below the [[event]] that is meant")),
        "{unnamed}"
    );
    assert_eq!(
        said(&event(&format!("{remedy}\n")), &["event.cut.for=5s"]),
        ""
    );
    let none = said("", &["event.cut.for=5s"]);
    assert!(
        none.contains(&format!("add an [[event]] with {remedy}")),
        "{none}"
    );
    let sweep = format!("{}[sweep]\n\"event.cut.for\" = [\"5 s\"]\n", event(""));
    let swept = said(&sweep, &[]);
    assert!(
        swept.contains("unknown sweep key `event.cut.for`"),
        "{swept}"
    );
    assert!(swept.contains(wants) && swept.contains(remedy), "{swept}");
    assert_eq!(
        said(
            &sweep.replacen("[[event]]\n", &format!("[[event]]\n{remedy}\n"), 1),
            &[]
        ),
        ""
    );
    // Others.
    let named = event("name = \"cut\"\n");
    assert!(said(&named, &["event.cit.for=5s"]).contains("did you mean `cut`?"));
    assert!(said(&named, &["event.for=5s"]).contains("write event.NAME.for=VALUE"));
    assert!(said(&named, &["cut.for=5s"]).contains("`cut` is an event: write event.cut.for"));
    assert!(said(&named, &["event.cut.for=0s"]).contains("give it some length"));
    let twice = said(&format!("{named}{named}"), &[]);
    assert!(twice.contains("two events of the name `cut`"), "{twice}");
}

#[test]
fn a_wrong_value_is_shown_in_the_argument_not_in_the_file() {
    assert_eq!(
        refused(&["scenario.seed=7", "link.ab.delay=-1ms"]),
        "error: negative delay: -1ms\n --> --set:1:15\n  |\n1 | link.ab.delay=-1ms\n  |               ^^^^\n  |\n  \
         = help: write it without the sign\n\n1 error in --set\n"
    );
}

#[test]
fn faults_of_the_file_keep_their_lines_when_lines_were_added() {
    let text = TEXT.replace("\"2 ms\"", "\"2\"");
    let source = Source {
        name: "x.toml".to_owned(),
        text,
    };
    let e =
        parse(&source, &sets(&["scenario.seed=7", "host.a.mtu=9000"])).expect_err("it has no unit");
    assert!(
        e.to_string()
            .contains("--> x.toml:18:9\n   |\n18 | delay = \"2\"\n"),
        "{e}"
    );
}

#[test]
fn an_argument_without_a_value_is_refused() {
    let e = "link.ab.delay".parse::<Set>().expect_err("it sets nothing");
    assert_eq!(
        e.to_string(),
        "`link.ab.delay` sets nothing: write SECTION.NAME.KEY=VALUE, such as link.stm64.delay=10ms"
    );
}
