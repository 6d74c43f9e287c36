//! Every kind of bad input, with the exact words it is answered with.

use farpath_scenario::{Set, Source, parse};

/// A scenario that is right.
const BASE: &str = r#"[scenario]
name = "x"

[[host]]
name = "a"

[[host]]
name = "b"

[[router]]
name = "r"

[[link]]
name = "ar"
ends = ["a", "r"]
framing = "gbe"

[[link]]
name = "rb"
ends = ["r", "b"]
framing = "gbe"
delay = "58 ms"

[[test]]
name = "bulk"
kind = "tcp"
from = "a"
to = "b"
"#;

/// `BASE` with a second router, two LSPs and two stitches that close a circle.
const RING: &str = r#"
[[router]]
name = "s"

[[link]]
name = "rs"
ends = ["r", "s"]
framing = "stm64"

[[lsp]]
name = "out"
path = ["r", "s"]

[[lsp]]
name = "home"
path = ["s", "r"]

[[ccc]]
name = "at_s"
kind = "lsp-switch"
router = "s"
receive_lsp = "out"
transmit_lsp = "home"

[[ccc]]
name = "at_r"
kind = "lsp-switch"
router = "r"
receive_lsp = "home"
transmit_lsp = "out"
"#;

fn rendered(text: String) -> String {
    let source = Source {
        name: "x.toml".to_owned(),
        text,
    };
    match parse(&source, &[]) {
        Ok(_) => panic!("this must be refused:\n{}", source.text),
        Err(e) => e.to_string(),
    }
}

fn replaced(from: &str, to: &str) -> String {
    assert!(BASE.contains(from), "{from} is not in the base text");
    rendered(BASE.replacen(from, to, 1))
}

#[test]
fn the_base_is_right() {
    let source = Source {
        name: "x.toml".to_owned(),
        text: BASE.to_owned(),
    };
    assert!(parse(&source, &[]).is_ok());
}

#[test]
fn an_unknown_key() {
    let said = replaced(r#"delay = "58 ms""#, r#"dealy = "58 ms""#);
    let expected = r#"error: unknown key `dealy` in link `rb`
  --> x.toml:22:1
   |
22 | dealy = "58 ms"
   | ^^^^^
   |
   = help: did you mean `delay`?

1 error in x.toml
"#;
    assert_eq!(said, expected, "\n{said}");
}

#[test]
fn an_unknown_section() {
    let said = replaced(r"[[router]]", r"[[ruoter]]");
    let expected = r"error: unknown section `ruoter`
  --> x.toml:10:3
   |
10 | [[ruoter]]
   |   ^^^^^^
   |
   = help: did you mean `router`?

1 error in x.toml
";
    assert_eq!(said, expected, "\n{said}");
}

#[test]
fn a_missing_unit() {
    let said = replaced(r#"delay = "58 ms""#, r#"delay = "58""#);
    let expected = r#"error: missing unit in delay "58"
  --> x.toml:22:9
   |
22 | delay = "58"
   |         ^^^^
   |
   = help: write the unit, such as "58 ms"; units: ps ns us ms s min h d

1 error in x.toml
"#;
    assert_eq!(said, expected, "\n{said}");
}

#[test]
fn a_bare_number() {
    let said = replaced(r#"delay = "58 ms""#, r"delay = 58");
    let expected = r#"error: missing unit: `delay` is a bare number
  --> x.toml:22:9
   |
22 | delay = 58
   |         ^^ of what?
   |
   = help: write the unit, as text: delay = "58 ms"

1 error in x.toml
"#;
    assert_eq!(said, expected, "\n{said}");
}

#[test]
fn bare_numbers_of_a_delay_are_given_their_unit_wherever_they_stand() {
    for (written, remedy) in [
        (
            "delay = [10, 20]",
            "\"SECTION.NAME.delay\" = [\"10 ms\", \"20 ms\"]",
        ),
        ("delay = [\"10 ms\", 20]", "\"SECTION.NAME.delay\" = [...]"),
        (
            "delay = \"1 ms\"\njitter = 5",
            "write jitter = { max = \"5 ms\" }",
        ),
        (
            "delay = \"1 ms\"\njitter = \"5\"",
            "write jitter = { max = \"5 ms\" }",
        ),
        (
            "delay = \"1 ms\"\njitter = 0",
            "write jitter = { max = \"0 ms\" }",
        ),
        (
            "delay = \"1 ms\"\njitter = -5",
            "write jitter = { max = \"58 ms\" }",
        ),
        ("delay = \"1 ms\"\njitter = { max = 5 }", "max = \"5 ms\""),
        (
            "delay = \"1 ms\"\nreordering = { share = 0.1, by = 5 }",
            "by = \"5 ms\"",
        ),
        (
            "delay = \"1 ms\"\nduplication = { share = 0.1, after = 5 }",
            "after = \"5 ms\"",
        ),
        ("delay = \"1 ms\"\nforward.delay = 5", "delay = \"5 ms\""),
    ] {
        let said = replaced(r#"delay = "58 ms""#, written);
        assert!(said.contains(remedy), "{written}: {said}");
    }
}

/// As a word processor writes them; all on one line are made straight.
#[test]
fn curly_quotes() {
    let said = replaced(r#"framing = "gbe""#, "framing = “gbe”");
    let expected = r#"error: not TOML: curly quotes
  --> x.toml:16:11
   |
16 | framing = “gbe”
   |           ^^^^^
   |
   = help: write straight quotes: framing = "gbe"

1 error in x.toml
"#;
    assert_eq!(said, expected, "\n{said}");
    for (quoted, straight) in [("\"a”", "\"a\""), ("‘a’", "\"a\""), ("„a“", "\"a\"")] {
        let said = replaced("name = \"a\"", &format!("name = {quoted}"));
        let help = format!("write straight quotes: name = {straight}");
        assert!(said.contains(&help), "{said}");
    }
}

#[test]
fn a_key_that_stands_twice() {
    let said = replaced(
        r#"delay = "58 ms""#,
        "mtu = 1500\ndelay = \"58 ms\"\nmtu = 9000",
    );
    let expected = r#"error: `mtu` stands twice
  --> x.toml:24:1
   |
22 | mtu = 1500
   | --- the first
23 | delay = "58 ms"
24 | mtu = 9000
   | ^^^ the second
   |
   = help: a key stands once in a section: take one of the two out

1 error in x.toml
"#;
    assert_eq!(said, expected, "\n{said}");
    for (more, parts) in [
        (
            "[scenario]\nseed = 1\n",
            ["`scenario` stands twice", "without this line"],
        ),
        (
            "[host]\nname = \"c\"\n",
            ["`host` stands twice", "of [[host]], in double brackets"],
        ),
        (
            "class = 0\nclass = 8\n",
            ["`class` stands twice", "- the first"],
        ),
    ] {
        let said = rendered(format!("{BASE}{more}"));
        assert!(parts.iter().all(|p| said.contains(p)), "{said}");
    }
}

/// As a kernel has it.
#[test]
fn a_switch_of_a_sysctl() {
    let said = replaced(
        "name = \"a\"",
        "name = \"a\"\ntcp_window_scaling = 0\ntso = 0",
    );
    for part in [
        "unknown key `tcp_window_scaling` in host `a`",
        "help: did you mean `window_scaling`?",
        "help: write tso = false",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
}

#[test]
fn a_unit_of_another_kind() {
    let said = replaced(r#"delay = "58 ms""#, r#"delay = "58 Mbit/s""#);
    let expected = r#"error: `58 Mbit/s` is not a valid delay
  --> x.toml:22:9
   |
22 | delay = "58 Mbit/s"
   |         ^^^^^^^^^^^
   |
   = help: `58 Mbit/s`: `Mbit/s` is not a unit of a time: use ps ns us ms s min h d

1 error in x.toml
"#;
    assert_eq!(said, expected, "\n{said}");
}

#[test]
fn a_link_to_a_host_that_does_not_exist() {
    let said = replaced(r#"ends = ["r", "b"]"#, r#"ends = ["r", "c"]"#);
    let expected = r#"error: there is no host or router `c`
  --> x.toml:20:14
   |
20 | ends = ["r", "c"]
   |              ^^^
   |
   = help: known here: a, b, r

1 error in x.toml
"#;
    assert_eq!(said, expected, "\n{said}");
}

#[test]
fn two_hosts_of_one_name() {
    let said = replaced(
        r#"name = "b"

[[router]]"#,
        r#"name = "a"

[[router]]"#,
    );
    let expected = r#"error: two hosts or routers of the name `a`
 --> x.toml:8:8
  |
5 | name = "a"
  |        --- the first one
...
8 | name = "a"
  |        ^^^ again
  |
  = help: give one of them another name

error: there is no host or router `b`
  --> x.toml:20:14
   |
20 | ends = ["r", "b"]
   |              ^^^
   |
   = help: known here: a, a, r

error: there is no host or router `b`
  --> x.toml:28:6
   |
28 | to = "b"
   |      ^^^
   |
   = help: known here: a, a, r

3 errors in x.toml
"#;
    assert_eq!(said, expected, "\n{said}");
}

#[test]
fn two_links_of_one_name() {
    let said = replaced(r#"name = "rb""#, r#"name = "ar""#);
    let expected = r#"error: two links of the name `ar`
  --> x.toml:19:8
   |
14 | name = "ar"
   |        ---- the first one
...
19 | name = "ar"
   |        ^^^^ again
   |
   = help: give one of them another name

1 error in x.toml
"#;
    assert_eq!(said, expected, "\n{said}");
}

#[test]
fn a_negative_delay() {
    let said = replaced(r#"delay = "58 ms""#, r#"delay = "-58 ms""#);
    let expected = r#"error: negative delay: -58 ms
  --> x.toml:22:9
   |
22 | delay = "-58 ms"
   |         ^^^^^^^^
   |
   = help: write it without the sign

1 error in x.toml
"#;
    assert_eq!(said, expected, "\n{said}");
}

#[test]
fn a_delay_of_zero() {
    let said = replaced(r#"delay = "58 ms""#, r#"delay = "0 ms""#);
    let expected = r#"error: a delay of zero
  --> x.toml:22:9
   |
22 | delay = "0 ms"
   |         ^^^^^^
   |
   = help: every wire has some length, 5 ns for a metre of fibre: write "5 ns" or more

1 error in x.toml
"#;
    assert_eq!(said, expected, "\n{said}");
}

#[test]
fn a_rate_of_zero() {
    let said = replaced(r#"delay = "58 ms""#, r#"rate = "0 Gbit/s""#);
    let expected = r#"error: a rate of zero
  --> x.toml:22:8
   |
22 | rate = "0 Gbit/s"
   |        ^^^^^^^^^^
   |
   = help: nothing would ever pass; an [[event]] with `up = false` takes a link down

1 error in x.toml
"#;
    assert_eq!(said, expected, "\n{said}");
}

#[test]
fn a_queue_of_zero() {
    let said = replaced(r#"delay = "58 ms""#, r#"queue = "0 packets""#);
    let expected = r#"error: a queue of zero
  --> x.toml:22:9
   |
22 | queue = "0 packets"
   |         ^^^^^^^^^^^
   |
   = help: nothing could wait and most frames would be lost; "1 packet" is the least

1 error in x.toml
"#;
    assert_eq!(said, expected, "\n{said}");
}

#[test]
fn a_window_beyond_scaling() {
    let said = replaced(
        r#"to = "b""#,
        r#"to = "b"
window = "1 GiB""#,
    );
    let expected = r#"error: window of 1073741824 bytes is beyond TCP's window scaling
  --> x.toml:29:10
   |
29 | window = "1 GiB"
   |          ^^^^^^^
   |
   = help: the largest window is 65535 << 14 = 1073725440 bytes, just under 1 GiB (RFC 7323 §2.3)

1 error in x.toml
"#;
    assert_eq!(said, expected, "\n{said}");
}

#[test]
fn a_window_and_a_socket_buffer() {
    let said = replaced(
        r#"to = "b""#,
        r#"to = "b"
window = "1 MiB"
socket_buffer = "1 MiB""#,
    );
    let expected = r#"error: `socket_buffer` and `window` in test `bulk`
  --> x.toml:30:1
   |
29 | window = "1 MiB"
   | ------ and the same in another way
30 | socket_buffer = "1 MiB"
   | ^^^^^^^^^^^^^
   |
   = help: keep one of them

1 error in x.toml
"#;
    assert_eq!(said, expected, "\n{said}");
}

#[test]
fn a_test_between_unconnected_nodes() {
    let said = replaced(r#"ends = ["r", "b"]"#, r#"ends = ["r", "a"]"#);
    let expected = r#"error: test `bulk` has no path from `a` to `b`
  --> x.toml:28:6
   |
28 | to = "b"
   |      ^^^
   |
   = help: join them with [[link]] tables; only routers pass traffic on

1 error in x.toml
"#;
    assert_eq!(said, expected, "\n{said}");
}

#[test]
fn an_mtu_too_small() {
    let said = replaced(r#"delay = "58 ms""#, r"mtu = 60");
    let expected = r"error: MTU too small: IPv4 needs 68 bytes (RFC 791 §3.2)
  --> x.toml:22:7
   |
22 | mtu = 60
   |       ^^
   |
   = help: 1500 is usual, 9000 for jumbo frames

1 error in x.toml
";
    assert_eq!(said, expected, "\n{said}");
}

#[test]
fn a_ping_larger_than_the_mtu() {
    let said = replaced(
        r#"kind = "tcp""#,
        r#"kind = "ping"
size = 9000"#,
    );
    let expected = r"error: MTU too small: test `bulk` sends requests of 9000 bytes, `a` at most 1500
  --> x.toml:27:8
   |
27 | size = 9000
   |        ^^^^
   |
   = help: write size = 1500 or less, or raise the MTU

1 error in x.toml
";
    assert_eq!(said, expected, "\n{said}");
}

#[test]
fn an_ipv6_test_over_a_small_mtu() {
    let text = BASE.replacen(
        "framing = \"gbe\"\n\n",
        "framing = \"gbe\"\nmtu = 1000\n\n",
        1,
    );
    let text = text.replace("to = \"b\"", "to = \"b\"\nip = 6");
    let said = rendered(text);
    let expected = r"error: MTU too small: IPv6 needs 1280 bytes (RFC 8200 §5), `a` has 1000
  --> x.toml:30:6
   |
30 | ip = 6
   |      ^
   |
   = help: raise the MTU, or write ip = 4

1 error in x.toml
";
    assert_eq!(said, expected, "\n{said}");
}

#[test]
fn a_name_with_a_space() {
    let said = replaced(r#"name = "r""#, r#"name = "the router""#);
    let expected = r#"error: `the router` is not a valid name
  --> x.toml:11:8
   |
11 | name = "the router"
   |        ^^^^^^^^^^^^ in `name`
   |
   = help: names are made of A-Z, a-z, 0-9, `_` and `-`, at most 64 of them

1 error in x.toml
"#;
    assert_eq!(said, expected, "\n{said}");
}

#[test]
fn an_expectation_of_an_unknown_test() {
    let said = rendered(format!(
        "{BASE}{}",
        r#"
[[expect]]
metric = "blk.goodput_bps"
min = 1
"#
    ));
    let expected = r#"error: there is no test `blk`
  --> x.toml:31:10
   |
31 | metric = "blk.goodput_bps"
   |          ^^^^^^^^^^^^^^^^^
   |
   = help: did you mean `bulk`?

1 error in x.toml
"#;
    assert_eq!(said, expected, "\n{said}");
}

#[test]
fn an_expectation_of_an_unknown_metric() {
    let said = rendered(format!(
        "{BASE}{}",
        r#"
[[expect]]
metric = "bulk.godput_bps"
min = 1
"#
    ));
    let expected = r#"error: a tcp test has no metric `godput_bps`
  --> x.toml:31:10
   |
31 | metric = "bulk.godput_bps"
   |          ^^^^^^^^^^^^^^^^^
   |
   = help: did you mean `goodput_bps`?

1 error in x.toml
"#;
    assert_eq!(said, expected, "\n{said}");
}

/// Other words for what a test took and carried.
#[test]
fn an_expectation_of_another_word_for_a_metric() {
    for (word, name) in [("duration", "completion_ns"), ("throughput", "goodput_bps")] {
        let said = rendered(format!(
            "{BASE}\n[[expect]]\nmetric = \"bulk.{word}\"\nmin = 1\n"
        ));
        let help = format!("= help: did you mean `{name}`?");
        assert!(said.contains(&help), "{said}");
    }
}

#[test]
fn an_expectation_of_an_unknown_link() {
    let said = rendered(format!(
        "{BASE}{}",
        r#"
[[expect]]
metric = "link.br.r>b.bytes"
min = 1
"#
    ));
    let expected = r#"error: there is no link `br`
  --> x.toml:31:10
   |
31 | metric = "link.br.r>b.bytes"
   |          ^^^^^^^^^^^^^^^^^^^
   |
   = help: known here: ar, rb

1 error in x.toml
"#;
    assert_eq!(said, expected, "\n{said}");
}

#[test]
fn an_expectation_of_an_unknown_direction() {
    let said = rendered(format!(
        "{BASE}{}",
        r#"
[[expect]]
metric = "link.rb.r-b.bytes"
min = 1
"#
    ));
    let expected = r#"error: `r-b` is not a direction of link `rb`
  --> x.toml:31:10
   |
31 | metric = "link.rb.r-b.bytes"
   |          ^^^^^^^^^^^^^^^^^^^
   |
   = help: did you mean `r>b`?

1 error in x.toml
"#;
    assert_eq!(said, expected, "\n{said}");
}

#[test]
fn a_bound_in_another_unit() {
    let said = rendered(format!(
        "{BASE}{}",
        r#"
[[expect]]
metric = "bulk.goodput_bps"
min = "990 ms"
"#
    ));
    let expected = r#"error: `990 ms` is not a valid bound for this metric
  --> x.toml:32:7
   |
32 | min = "990 ms"
   |       ^^^^^^^^
   |
   = help: `990 ms`: `ms` is not a unit of a rate: use bit/s kbit/s Mbit/s Gbit/s Tbit/s

1 error in x.toml
"#;
    assert_eq!(said, expected, "\n{said}");
}

#[test]
fn a_stated_figure_outside_the_band() {
    let said = rendered(format!(
        "{BASE}{}",
        r#"
[[expect]]
metric = "bulk.goodput_bps"
max = "900 Mbit/s"
stated = "stable at 990Mbps"
"#
    ));
    let expected = r#"error: what the source states lies outside the band
  --> x.toml:33:10
   |
33 | stated = "stable at 990Mbps"
   |          ^^^^^^^^^^^^^^^^^^^
   |
   = help: add a `note` that says why

1 error in x.toml
"#;
    assert_eq!(said, expected, "\n{said}");
}

#[test]
fn an_event_on_an_unknown_link() {
    let said = rendered(format!(
        "{BASE}{}",
        r#"
[[event]]
at = "1 s"
link = "bb"
up = false
"#
    ));
    let expected = r#"error: there is no link `bb`
  --> x.toml:32:8
   |
32 | link = "bb"
   |        ^^^^
   |
   = help: known here: ar, rb

1 error in x.toml
"#;
    assert_eq!(said, expected, "\n{said}");
}

#[test]
fn an_event_without_a_change() {
    let said = rendered(format!(
        "{BASE}{}",
        r#"
[[event]]
at = "1 s"
link = "rb"
"#
    ));
    let expected = r"error: an event that changes nothing
  --> x.toml:30:1
   |
30 | [[event]]
   | ^^^^^^^^^ it has only: at, link
   |
   = help: add what changes: rate, delay, queue, up, loss, lose, lose_every, gilbert_elliott or bit_error_rate

1 error in x.toml
";
    assert_eq!(said, expected, "\n{said}");
}

#[test]
fn a_sweep_of_an_unknown_key() {
    let said = rendered(format!(
        "{BASE}{}",
        r#"
[sweep]
"test.bulk.windw" = ["1 MiB"]
"#
    ));
    let expected = r#"error: unknown sweep key `test.bulk.windw`
  --> x.toml:31:1
   |
31 | "test.bulk.windw" = ["1 MiB"]
   | ^^^^^^^^^^^^^^^^^ unknown key `windw` in test
   |
   = help: did you mean `window`?

1 error in x.toml
"#;
    assert_eq!(said, expected, "\n{said}");
}

/// A value of a point stands in the scenario: a fault of it is shown there, whatever else was set.
#[test]
fn a_wrong_value_of_a_sweep_is_shown_where_it_stands() {
    for table in ["sweep", "[sweep.together]"] {
        let swept = "\"test.bulk.window\" = [\"1 MiB\", \"2 MiB\"]\n\"link.rb.delay\" = [\"1 ms\", \"2 mss\"]";
        let source = Source {
            name: "x.toml".to_owned(),
            text: format!("{BASE}\n[{table}]\n{swept}\n"),
        };
        let set = Set::new("link.rb.framing", "fe");
        let scenario =
            parse(&source, core::slice::from_ref(&set)).expect("it is right as it stands");
        let points = scenario.points();
        let last = points.last().expect("a point");
        let said = parse(&source, &[&[set], last.sets.as_slice()].concat())
            .expect_err("`mss` is not a unit");
        let expected = r#"error: `2 mss` is not a valid delay
  --> x.toml:32:28
   |
32 | "link.rb.delay" = ["1 ms", "2 mss"]
   |                            ^^^^^^^
   |
   = help: `2 mss`: `mss` is not a unit of a time: use ps ns us ms s min h d

1 error in x.toml
"#;
        assert_eq!(said.to_string(), expected, "\n{said}");
    }
}

/// Every point has the run's seed: one of a list of seeds would be the same run again.
#[test]
fn a_sweep_of_the_seed() {
    let said = rendered(format!(
        "{BASE}{}",
        r#"
[sweep]
"scenario.seed" = [1, 2, 3]
"#
    ));
    let expected = r#"error: `scenario.seed` cannot be swept
  --> x.toml:31:1
   |
31 | "scenario.seed" = [1, 2, 3]
   | ^^^^^^^^^^^^^^^ every point has the run's own seed
   |
   = help: take it out and run with `--repeat 3`: each repeat of a point has a seed of its own, and the spread of its figures is said

1 error in x.toml
"#;
    assert_eq!(said, expected, "\n{said}");
    let group = "[[sweep.together]]\n\"scenario.seed\" = [1, 2]\n\"link.rb.delay\" = [\"1 ms\", \"2 ms\"]\n";
    let said = rendered(format!("{BASE}\n{group}"));
    assert!(said.contains("run with `--repeat 2`"), "\n{said}");
}

#[test]
fn a_sweep_of_an_unknown_test() {
    let said = rendered(format!(
        "{BASE}{}",
        r#"
[sweep]
"test.bluk.window" = ["1 MiB"]
"#
    ));
    let expected = r#"error: unknown sweep key `test.bluk.window`
  --> x.toml:31:1
   |
31 | "test.bluk.window" = ["1 MiB"]
   | ^^^^^^^^^^^^^^^^^^ there is no test `bluk`
   |
   = help: did you mean `bulk`?

1 error in x.toml
"#;
    assert_eq!(said, expected, "\n{said}");
}

/// Keys that advance together have as many values; a step that stands twice is a point that stands twice.
#[test]
fn keys_that_do_not_advance_together() {
    let said = |keys: &str| rendered(format!("{BASE}\n[[sweep.together]]\n{keys}\n"));
    let first = "\"link.rb.delay\" = [\"1 ms\", \"2 ms\"]";
    for (second, words) in [
        (
            "\"test.bulk.window\" = [\"1 MiB\"]",
            "error: sweep key `test.bulk.window` has 1 values, and `link.rb.delay` has 2\n  --> x.toml:32:1",
        ),
        ("", "error: one key alone advances together with none"),
        (
            "\"test.bulk.windw\" = [\"1 MiB\", \"2 MiB\"]",
            "error: unknown sweep key `test.bulk.windw`",
        ),
        (
            "[[sweep.together]]\n\"link.rb.delay\" = [\"1 ms\", \"3 ms\"]\n\"test.bulk.window\" = [\"1 MiB\", \"2 MiB\"]",
            "error: sweep key `link.rb.delay` stands twice",
        ),
    ] {
        let said = said(&format!("{first}\n{second}"));
        assert!(said.contains(words), "{said}");
    }
    let twice = said(
        "\"link.rb.delay\" = [\"1 ms\", \"1 ms\"]\n\"test.bulk.window\" = [\"1 MiB\", \"1 MiB\"]",
    );
    assert!(
        twice.contains("error: the step 1 ms, 1 MiB stands twice"),
        "{twice}"
    );
    let alike = said(
        "\"link.rb.delay\" = [\"1 ms\", \"1000us\"]\n\"test.bulk.window\" = [\"1 MiB\", \"1024KiB\"]",
    );
    assert!(
        alike.contains("error: the step 1000us, 1024KiB stands twice"),
        "{alike}"
    );
    let alike = rendered(format!(
        "{BASE}\n[sweep]\n\"test.bulk.window\" = [\"2 MiB\", \"4 MiB\", \"2048KiB\"]\n"
    ));
    let words = "sweep key `test.bulk.window` has `2 MiB` and `2048KiB`, which are one value";
    assert!(alike.contains(words), "{alike}");
    // An expectation at a point that is none failed as if it had no result.
    let keys =
        "\"link.rb.delay\" = [\"1 ms\", \"2 ms\"]\n\"test.bulk.window\" = [\"1 MiB\", \"2 MiB\"]";
    let at = "{ \"link.rb.delay\" = \"1 ms\", \"test.bulk.window\" = \"2048KiB\" }";
    let expect =
        format!("[[expect]]\nmetric = \"bulk.goodput_bps\"\nat = {at}\nmin = \"1 Mbit/s\"");
    let apart = said(&format!("{keys}\n{expect}"));
    let words =
        "no point of the sweep has `link.rb.delay` = `1 ms` with `test.bulk.window` = `2 MiB`";
    assert!(apart.contains(words), "{apart}");
    let list = rendered(format!("{BASE}\n[sweep]\ntogether = [\"link.rb.delay\"]\n"));
    assert!(
        list.contains("`sweep.together` must be an array of tables"),
        "{list}"
    );
}

#[test]
fn an_lsp_between_strangers() {
    let said = rendered(format!(
        "{BASE}{}",
        r#"
[[router]]
name = "s"

[[lsp]]
name = "out"
path = ["r", "s"]
"#
    ));
    let expected = r#"error: no link joins `r` and `s`
  --> x.toml:35:14
   |
35 | path = ["r", "s"]
   |              ^^^ not a neighbour, in LSP `out`
   |
   = help: add the routers between them to `path`, or a [[link]]

1 error in x.toml
"#;
    assert_eq!(said, expected, "\n{said}");
}

#[test]
fn an_lsp_that_visits_its_own_hop() {
    let start = RING.find("[[lsp]]").expect("it is there");
    let tail = r#"[[lsp]]
name = "fold"
path = ["r", "s", "r"]
"#;
    let said = rendered(format!("{BASE}{}{tail}", &RING[..start]));
    let expected = r#"error: route loop: LSP `fold` passes `r` twice
  --> x.toml:40:19
   |
40 | path = ["r", "s", "r"]
   |         ---       ^^^ again
   |         |
   |         the first time
   |
   = help: to fold a path over a link, make one LSP a pass and stitch them with [[ccc]] kind = "lsp-switch"

1 error in x.toml
"#;
    assert_eq!(said, expected, "\n{said}");
}

#[test]
fn stitched_lsps_in_a_circle() {
    let said = rendered(format!("{BASE}{RING}"));
    let expected = r#"error: route loop: stitched LSPs run in a circle
  --> x.toml:51:16
   |
51 | transmit_lsp = "home"
   |                ^^^^^^ home > out > home
   |
   = help: let the chain begin and end at a cross-connect with kind = "remote-interface-switch"

1 error in x.toml
"#;
    assert_eq!(said, expected, "\n{said}");
}

#[test]
fn an_lsp_to_nowhere() {
    let start = RING.find("[[ccc]]").expect("it is there");
    let tail = r#"[[ccc]]
name = "in"
kind = "remote-interface-switch"
router = "r"
interface = "ar"
transmit_lsp = "out"
receive_lsp = "home"
"#;
    let said = rendered(format!("{BASE}{}{tail}", &RING[..start]));
    let expected = r#"error: LSP `out` leads nowhere
  --> x.toml:51:16
   |
51 | transmit_lsp = "out"
   |                ^^^^^ frames leave on it and are dropped at `s`
   |
   = help: add a [[ccc]] on router `s` with receive_lsp = "out"

1 error in x.toml
"#;
    assert_eq!(said, expected, "\n{said}");
}

#[test]
fn a_transmit_lsp_of_another_router() {
    let said = rendered(format!(
        "{BASE}{}",
        RING.replace("router = \"s\"", "router = \"r\"")
    ));
    let expected = r#"error: `out` does not end at `r`
  --> x.toml:50:15
   |
50 | receive_lsp = "out"
   |               ^^^^^
   |
   = help: it ends at `s`: receive from an LSP that ends at this router

error: `home` does not start at `r`
  --> x.toml:51:16
   |
51 | transmit_lsp = "home"
   |                ^^^^^^
   |
   = help: it starts at `s`: transmit on an LSP of this router, or move the cross-connect there

2 errors in x.toml
"#;
    assert_eq!(said, expected, "\n{said}");
}

#[test]
fn a_key_of_another_kind() {
    let said = replaced(
        r#"kind = "tcp""#,
        r#"kind = "ping"
window = "1 MiB""#,
    );
    let expected = r#"error: `window` has no meaning in test `bulk`
  --> x.toml:27:1
   |
27 | window = "1 MiB"
   | ^^^^^^ only for kind = "tcp" or "transfer" or "request" or "flows"
   |
   = help: remove it, or change the kind from "ping"

1 error in x.toml
"#;
    assert_eq!(said, expected, "\n{said}");
}

/// Its remedy was to remove it, and a ping of so many seconds had no key.
#[test]
fn a_ping_has_a_count_and_no_duration() {
    let said = replaced(r#"kind = "tcp""#, "kind = \"ping\"\nduration = \"10 s\"");
    let remedy = "= help: write `count` instead, one each `interval`\n";
    assert!(said.contains(remedy), "{said}");
}

#[test]
fn a_missing_key() {
    let said = replaced(
        r#"from = "a"
"#,
        r"",
    );
    let expected = r"error: test `bulk` has no `from`
  --> x.toml:24:1
   |
24 | [[test]]
   | ^^^^^^^^
   |
   = help: add `from`: the node that starts

1 error in x.toml
";
    assert_eq!(said, expected, "\n{said}");
}

#[test]
fn text_that_is_not_toml() {
    let said = replaced(r#"delay = "58 ms""#, r"delay = 58 ms");
    let expected = r#"error: not TOML: string values must be quoted, expected literal string
  --> x.toml:22:9
   |
22 | delay = 58 ms
   |         ^^^^^
   |
   = help: put text in quotes: delay = "58 ms"

1 error in x.toml
"#;
    assert_eq!(said, expected, "\n{said}");
}

#[test]
fn no_scenario_at_all() {
    let said = replaced(
        r#"[scenario]
name = "x"

"#,
        r"",
    );
    let expected = r#"error: there is no [scenario]
 --> x.toml:1:1
  |
1 | [[host]]
  | ^
  |
  = help: begin with a line `[scenario]` and a line `name = "my-path"`

1 error in x.toml
"#;
    assert_eq!(said, expected, "\n{said}");
}

#[test]
fn several_faults_at_once() {
    let text = BASE
        .replacen(
            r#"delay = "58 ms""#,
            r#"dealy = "58 ms"
queue = "10"
ends = ["r", "bb"]"#,
            1,
        )
        .replace("ends = [\"r\", \"b\"]\n", "");
    let said = rendered(text);
    let expected = r#"error: unknown key `dealy` in link `rb`
  --> x.toml:21:1
   |
21 | dealy = "58 ms"
   | ^^^^^
   |
   = help: did you mean `delay`?

error: missing unit in queue "10"
  --> x.toml:22:9
   |
22 | queue = "10"
   |         ^^^^
   |
   = help: write "10 packets", "10 KiB" or "10 ms"

error: there is no host or router `bb`
  --> x.toml:23:14
   |
23 | ends = ["r", "bb"]
   |              ^^^^
   |
   = help: known here: a, b, r

3 errors in x.toml
"#;
    assert_eq!(said, expected, "\n{said}");
}

#[test]
fn a_loss_above_one() {
    let said = replaced(
        r#"delay = "58 ms""#,
        r#"loss = "200 %"
bit_error_rate = 1.5"#,
    );
    let expected = r#"error: `200 %` is not a valid loss
  --> x.toml:22:8
   |
22 | loss = "200 %"
   |        ^^^^^^^
   |
   = help: `200 %` is outside 0 to 1: a ratio is at most 1, or 100 %

error: `bit_error_rate` must be at least 0 and below 1
  --> x.toml:23:18
   |
23 | bit_error_rate = 1.5
   |                  ^^^
   |
   = help: a good fibre has about 1e-12

2 errors in x.toml
"#;
    assert_eq!(said, expected, "\n{said}");
}

#[test]
fn a_scripted_loss_of_an_unknown_flow() {
    let said = replaced(
        r#"delay = "58 ms""#,
        r#"lose = { flow = "bulky", segment = 7 }"#,
    );
    let expected = r#"error: there is no test `bulky`
  --> x.toml:22:17
   |
22 | lose = { flow = "bulky", segment = 7 }
   |                 ^^^^^^^
   |
   = help: did you mean `bulk`?

1 error in x.toml
"#;
    assert_eq!(said, expected, "\n{said}");
}

#[test]
fn what_a_transfer_does_not_have_cannot_be_lost() {
    let text = |lose: &str| {
        format!(
            r#"[scenario]
name = "x"
[[host]]
name = "a"
[[host]]
name = "b"
[[link]]
name = "wire"
ends = ["a", "b"]
framing = "gbe"
lose = {lose}
[[test]]
name = "t"
kind = "tcp"
from = "a"
to = "b"
bytes = "14480 B"
"#
        )
    };
    let said = |lose: &str| {
        let source = Source {
            name: "x.toml".to_owned(),
            text: text(lose),
        };
        parse(&source, &[]).map_err(|e| e.to_string())
    };
    assert!(said("{ flow = \"t\", segment = 10 }").is_ok());
    let beyond = said("{ flow = \"t\", segment = 11 }").expect_err("ten segments");
    assert!(
        beyond.contains("segment 11 of test `t` is lost, which sends 10")
            && beyond.contains("x.toml:11:")
            && beyond.contains("raise its `bytes`"),
        "{beyond}"
    );
    let stream = said("{ flow = \"t\", segment = 1, stream = 2 }").expect_err("one stream");
    assert!(stream.contains("its streams are 0 to 0"), "{stream}");
}

#[test]
fn shapes_of_traffic_are_checked() {
    let said = |rest: &str| {
        let text = format!(
            r#"[scenario]
name = "x"
[[host]]
name = "a"
[[host]]
name = "b"
[[link]]
name = "wire"
ends = ["a", "b"]
framing = "gbe"
[[test]]
name = "t"
from = "a"
to = "b"
{rest}
"#
        );
        let source = Source {
            name: "x.toml".to_owned(),
            text,
        };
        parse(&source, &[]).expect_err(rest).to_string()
    };
    let sizes = |s: &str| format!("kind = \"flows\"\nflows = 2\nspacing = \"1 s\"\nsizes = {s}");
    for (rest, words) in [
        ("kind = \"udp\"".to_owned(), "has no `rate`"),
        ("kind = \"udp\"\nreplay = \"none.csv\"".to_owned(), "there is no file"),
        (
            "kind = \"udp\"\nrate = \"1 Mbit/s\"\nreplay = \"none.csv\"".to_owned(),
            "keep one of them",
        ),
        (
            "kind = \"udp\"\nrate = \"1 Mbit/s\"\non_off = { on = \"1 s\", off = \"1 s\", alpha = 1 }".to_owned(),
            "above 1 and at most 100",
        ),
        (
            "kind = \"udp\"\nrate = \"1 Mbit/s\"\non_off = { on = \"1 s\", off = \"1 s\" }\nenvelope = { period = \"1 d\", low = 0.1 }".to_owned(),
            "write two tests",
        ),
        (
            sizes("{ kind = \"pareto\", least = \"2 kB\", most = \"1 kB\" }"),
            "larger than `least`",
        ),
        (sizes("{ kind = \"fixed\", median = \"2 kB\" }"), "has no meaning"),
        ("kind = \"flows\"\nspacing = \"1 s\"".to_owned(), "has no `flows`"),
        ("kind = \"transfer\"".to_owned(), "has no `file_size`"),
        ("kind = \"request\"\nblock = \"0 B\"".to_owned(), "block"),
    ] {
        let said = said(&rest);
        assert!(said.contains(words), "{rest}\n{said}");
    }
}

#[test]
fn a_congestion_control_nobody_knows() {
    let said = replaced(r#"to = "b""#, "to = \"b\"\ncc = \"bbbr\"");
    assert!(said.contains("bbbr") && said.contains("bbr"), "{said}");
    assert!(said.contains("x.toml:29"), "{said}");
    assert!(said.contains("help:"), "{said}");
}

/// What goes in, and what the error must name: the key and the remedy.
#[test]
fn congestion_control_keys_that_contradict_each_other() {
    for (keys, title, help) in [
        (
            "cc = \"bbr\"\nsack = false",
            "bbr measures its rate by selective acknowledgements",
            "write sack = true, or another cc: reno and cubic do without",
        ),
        (
            "cc = \"bbr\"\npacing = false",
            "bbr sends at a rate of its own and cannot do without pacing",
            "leave `pacing` out, or write another cc",
        ),
        (
            "cc = \"cubic\"\ngso = \"64 KiB\"",
            "`gso` without pacing",
            "add pacing = true, or qdisc = \"fq\" to the host: without it the window alone decides how much leaves at once",
        ),
        (
            "pacing = false\npacing_rate = \"200 Mbit/s\"",
            "`pacing_rate` without pacing",
            "leave one of pacing = false and pacing_rate out",
        ),
        (
            "max_ssthresh = 50",
            "`max_ssthresh` without limited slow start",
            "add slow_start = \"limited\", or leave max_ssthresh out",
        ),
        (
            "hystart = true\nslow_start = \"standard\"",
            "`hystart` and `slow_start` in test `bulk`",
            "",
        ),
        (
            "initial_window = 4\nremembered_window = 100",
            "`initial_window` and `remembered_window` in test `bulk`",
            "",
        ),
        (
            "window = \"1000 B\"",
            "`window` of test `bulk` is smaller than a segment: 1000 of 1448 bytes",
            "write window = \"1448 B\" or more: less is never full, and most stacks would not send",
        ),
    ] {
        let said = replaced(r#"to = "b""#, &format!("to = \"b\"\n{keys}"));
        assert!(said.contains(title), "{keys}\n{said}");
        assert!(said.contains(help), "{keys}\n{said}");
        assert!(said.contains("1 error in x.toml"), "{keys}\n{said}");
    }
}

#[test]
fn recovery_that_needs_an_option_that_is_off() {
    let said = replaced(
        "to = \"b\"\n",
        "to = \"b\"\nsack = false\ntimestamps = false\nrack = true\neifel = true\n",
    );
    let expected = r#"error: `rack` without `sack`
  --> x.toml:31:8
   |
31 | rack = true
   |        ^^^^
   |
   = help: write sack = true, or rack = false

error: `eifel` without `timestamps`
  --> x.toml:32:9
   |
32 | eifel = true
   |         ^^^^
   |
   = help: write timestamps = true, or eifel = false

2 errors in x.toml
"#;
    assert_eq!(said, expected, "\n{said}");
}

#[test]
fn impairments_that_mean_nothing() {
    for (keys, title, help) in [
        // One time is the longest delay.
        (
            "jitter = \"5ms\"",
            "`jitter` cannot be",
            "write jitter = { max = \"5ms\" }",
        ),
        (
            "jitter = 0",
            "`jitter` cannot be",
            "write jitter = { max = \"0 ms\" }",
        ),
        ("jitter = { max = \"-1 ms\" }", "-1 ms", ""),
        (
            "jitter = { distribution = \"normal\", mean = \"1 ms\" }",
            "jitter of distribution `normal` has no `std`",
            "add `std`: a time such as \"2 ms\"",
        ),
        (
            "jitter = { max = \"1 ms\", mean = \"1 ms\" }",
            "jitter of distribution `uniform` has no use for `mean`",
            "it takes max",
        ),
        (
            "jitter = { max = \"1 ms\", correlation = 1 }",
            "`correlation` of 1: every frame would be delayed alike",
            "write a value below 1",
        ),
        (
            "jitter = { max = \"1 ms\" }\nreordering = { share = 0.1, by = \"1 ms\" }",
            "both set: say whether jitter may reorder",
            "write reorder = false",
        ),
        (
            "reordering = { by = \"1 ms\" }",
            "no `share` and no `every`: which frames?",
            "add share = \"1 %\", or `every`",
        ),
        (
            "flap = { up = \"1 s\", down = \"1 ns\" }",
            "`down` of a flap below 1 us",
            "write 1 us or more",
        ),
        (
            "duplication = { share = 1.5 }",
            "`share` must lie between 0 and 1",
            "a ratio: 1e-4",
        ),
        (
            "corruption = { share = 0.1, undetected = 0.1 }",
            "`undetected` where the interface finds the damage",
            "write found_by = \"checksum\"",
        ),
        (
            "forward.rate_trace = { file = \"none.csv\" }",
            "there is no file `none.csv`",
            "the path is relative to the scenario's file",
        ),
        (
            "reverse.rate_trace = { file = \"none.csv\" }",
            "`rate_trace` on a direction that host `b` sends on",
            "put a router behind the host",
        ),
        (
            "forward = { rate = \"1 Gbit/s\", rate_trace = { file = \"none.csv\" } }",
            "`rate` beside `rate_trace`",
            "the file says what the rate is",
        ),
    ] {
        let said = replaced(
            "delay = \"58 ms\"\n",
            &format!("delay = \"58 ms\"\n{keys}\n"),
        );
        assert!(said.contains(title), "{keys}\n{said}");
        assert!(said.contains(help), "{keys}\n{said}");
    }
    let flapping = "delay = \"58 ms\"\nflap = { up = \"1 s\", down = \"1 s\" }\n\n[[event]]\nat = \"1 s\"\nlink = \"rb\"\nup = false\n";
    let said = replaced("delay = \"58 ms\"\n", flapping);
    assert!(
        said.contains("an event sets `up` of link `rb`, which flaps"),
        "{said}"
    );
}

#[test]
fn a_host_has_one_queue_in_front_of_an_interface() {
    let text = |queue: &str| {
        format!(
            "[scenario]\nname = \"t\"\n[[host]]\nname = \"a\"\ntxqueuelen = 100\n[[router]]\nname = \"r\"\n\
             [[link]]\nname = \"l\"\nends = [\"a\", \"r\"]\nframing = \"gbe\"\n{queue}\n"
        )
    };
    let said = rendered(text("queue = \"1 MB\""));
    assert!(said.contains("`queue` where host `a` sends, and a `txqueuelen` that differs"));
    assert!(said.contains("leave one out"), "{said}");
    for fine in ["queue = \"100 packets\"", "reverse.queue = \"1 MB\""] {
        let source = Source {
            name: "x.toml".to_owned(),
            text: text(fine),
        };
        assert!(parse(&source, &[]).is_ok(), "{fine}");
    }
}

/// A name without its unit, as everybody says it; of a metric that nobody knows no bound is judged.
#[test]
fn a_metric_without_its_unit() {
    let expect = "[[expect]]\nmetric = \"bulk.goodput\"\nmin = \"2.4 Gbit/s\"\n";
    let said = rendered(format!("{BASE}{expect}"));
    assert!(said.contains("help: did you mean `goodput_bps`?"), "{said}");
    assert!(said.ends_with("1 error in x.toml\n"), "{said}");
    let letter = expect.replace("goodput", "goodputt");
    let said = rendered(format!("{BASE}{letter}"));
    assert!(said.contains("help: did you mean `goodput_bps`?"), "{said}");
    let several = expect.replace("goodput", "rtt");
    let said = rendered(format!("{BASE}{several}"));
    let words = "did you mean `rtt_min_ns`, `rtt_avg_ns` or `rtt_max_ns`?";
    assert!(said.contains(words), "{said}");
}

#[test]
fn a_list_of_what_is_known_fits_a_terminal() {
    let expect = "[[expect]]\nmetric = \"bulk.throughput_bps\"\nmin = \"2.4 Gbit/s\"\n";
    let said = rendered(format!("{BASE}{expect}"));
    assert!(said.contains("known here: goodput_bps, "), "{said}");
    let longest = said.lines().map(|l| l.chars().count()).max();
    assert!(longest <= Some(100), "{said}");
}

#[test]
fn a_bound_as_text_without_a_unit() {
    let said = rendered(format!(
        "{BASE}[[expect]]\nmetric = \"bulk.goodput_bps\"\nmin = \"2.4\"\n"
    ));
    assert!(said.contains("`2.4` is not a valid bound"), "{said}");
    assert!(said.contains("such as \"2.4 Mbit/s\""), "{said}");
}

/// What is suggested can be obeyed: a window of this many MiB is refused.
#[test]
fn a_large_bare_number_is_in_the_base_unit() {
    for (key, right) in [
        ("window = 52600000", "window = \"52600000 B\""),
        ("window = 64", "window = \"64 MiB\""),
        ("duration = 60", "duration = \"60 s\""),
    ] {
        let said = rendered(format!("{BASE}{key}\n"));
        assert!(said.contains(right), "{said}");
        rendered_none(&format!("{BASE}{right}\n"));
    }
    for (rate, right) in [("100", "100 Mbit/s"), ("1e9", "1000000000 bit/s")] {
        let said = rendered(BASE.replace("delay =", &format!("rate = {rate}\ndelay =")));
        assert!(said.contains(&format!("rate = \"{right}\"")), "{said}");
    }
    let delay = BASE.replace("\"58 ms\"", "85");
    assert!(rendered(delay).contains("delay = \"85 ms\""));
    let delay = BASE.replace("\"58 ms\"", "85000");
    assert!(rendered(delay).contains("delay = \"85000 us\""));
}

fn rendered_none(text: &str) {
    let (name, text) = ("x.toml".to_owned(), text.to_owned());
    let read = parse(&Source { name, text }, &[]);
    read.unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn text_without_quotes() {
    let bare = BASE.replace("from = \"a\"", "from = trieste # home");
    assert!(rendered(bare).contains("put text in quotes: from = \"trieste\""));
    let rate = BASE.replace("\"58 ms\"", "58 ms");
    assert!(rendered(rate).contains("put text in quotes: delay = \"58 ms\""));
    let other = BASE.replace("[scenario]", "[scenario");
    assert!(rendered(other).contains("the format is TOML 1.1"));
    let switch = |word: &str| {
        let kind = "kind = \"tcp\"\n";
        rendered(BASE.replace(kind, &format!("{kind}timestamps = {word}\n")))
    };
    let lower = "help: write timestamps = false; TOML has it in lower case";
    assert!(switch("False").contains(lower), "{}", switch("False"));
    let off = "help: write timestamps = false; or, where it is text, timestamps = \"off\"";
    assert!(switch("off").contains(off), "{}", switch("off"));
}

/// What is written in the place of a whole number is meant: four in quotes, two and a half.
#[test]
fn a_remedy_keeps_the_number_that_was_meant() {
    let said = |value: &str| {
        let kind = "kind = \"tcp\"\n";
        rendered(BASE.replace(kind, &format!("{kind}parallel = {value}\n")))
    };
    let text = said("\"4\"");
    assert!(
        text.contains("`parallel` cannot be text") && text.contains("help: write parallel = 4"),
        "{text}"
    );
    let broken = said("2.5");
    assert!(
        broken.contains("`parallel` must be a whole number, not 2.5"),
        "{broken}"
    );
    assert!(broken.contains("help: write parallel = 2"), "{broken}");
    assert!(said("2.0").contains("not 2.0"), "{}", said("2.0"));
    for none in ["\"0\"", "\"four\"", "0.5", "inf"] {
        assert!(
            said(none).contains("help: write parallel = 1"),
            "{}",
            said(none)
        );
    }
}

/// What is wrong with the values of a sweep is said beside what is wrong with the rest of the text.
#[test]
fn values_of_a_sweep_are_refused_beside_other_faults() {
    let sweep = "[sweep]\n\"link.rb.delay\" = [\"1 ms\", \"oops\"]\n\"link.rb.queue\" = [\"ten\", \"10 packets\"]\n";
    let said = rendered(format!("{BASE}cc = \"cubik\"\n{sweep}"));
    for wrong in ["`cubik`", "`oops` is not a valid delay", "`ten`"] {
        assert!(said.contains(wrong), "{wrong}: {said}");
    }
    assert!(said.ends_with("3 errors in x.toml\n"), "{said}");
    let right = sweep.replace("oops", "2 ms").replace("ten", "20 packets");
    let said = rendered(format!("{BASE}cc = \"cubik\"\n{right}"));
    assert!(said.ends_with("1 error in x.toml\n"), "{said}");
}

/// Every key of a group that has another number of values than the first is named.
#[test]
fn every_key_with_another_number_of_values_is_named() {
    let group = "[[sweep.together]]\n\"link.rb.delay\" = [\"1 ms\", \"2 ms\"]\n\"link.rb.mtu\" = [1500]\n\"link.ar.mtu\" = [1500]\n";
    let said = rendered(format!("{BASE}{group}"));
    for key in ["link.rb.mtu", "link.ar.mtu"] {
        assert!(said.contains(&format!("`{key}` has 1 values")), "{said}");
    }
}

/// Who writes that there is to be none is answered how that is written, and not with the least number.
#[test]
fn a_whole_number_that_is_denied_is_left_out() {
    let said = |value: &str| {
        let delay = "delay = \"58 ms\"\n";
        rendered(BASE.replace(delay, &format!("{delay}adjust_mss_ipv6 = {value}\n")))
    };
    for none in ["\"none\"", "\"off\"", "false"] {
        let text = said(none);
        assert!(text.contains("leave `adjust_mss_ipv6` out"), "{text}");
        assert!(text.contains("a whole number from 88 to 65495"), "{text}");
        assert!(!text.contains("write adjust_mss_ipv6 = 88"), "{text}");
    }
    let bytes = said("\"1340 B\"");
    assert!(bytes.contains("write adjust_mss_ipv6 = 1340"), "{bytes}");
}

#[test]
fn a_test_without_a_kind_is_told_the_kinds() {
    let said = rendered(BASE.replace("kind = \"tcp\"\n", ""));
    assert!(said.contains("add `kind`: one of ping, tcp, "), "{said}");
}

#[test]
fn an_expectation_without_any_test() {
    let none = BASE.split("[[test]]").next().unwrap_or_default();
    let said = rendered(format!(
        "{none}[[expect]]\nmetric = \"bulk.goodput_bps\"\nmin = \"1 Mbit/s\"\n"
    ));
    let title = "there is no test `bulk`: the scenario has no tests";
    assert!(said.contains(title), "{said}");
    assert!(said.contains("add a [[test]]"), "{said}");
    assert!(!said.contains("known here"), "{said}");
}

/// What stands in a section that is refused is not called missing as well.
#[test]
fn a_section_in_single_brackets_is_one_fault() {
    let one = BASE.replace("[[test]]", "[test]");
    let said = rendered(format!(
        "{one}[[expect]]\nmetric = \"bulk.goodput_bps\"\nmin = \"1 Mbit/s\"\n"
    ));
    assert!(said.contains("[[test]]"), "{said}");
    assert!(said.ends_with("1 error in x.toml\n"), "{said}");
}

/// A congestion control of some kernel that farpath has no model of is named as what it is: nobody meant another.
#[test]
fn a_control_without_a_model_is_no_slip_of_the_pen() {
    let said = |cc: &str| {
        let source = Source {
            name: "x".to_owned(),
            text: format!("{BASE}cc = \"{cc}\"\n"),
        };
        parse(&source, &[]).expect_err("refused").render(false)
    };
    for cc in ["bbr2", "lp", "illinois"] {
        let words = said(cc);
        assert!(
            words.contains(&format!("`{cc}` has neither closed forms nor a model")),
            "{words}"
        );
        assert!(!words.contains("did you mean"), "{words}");
    }
    assert!(said("cubik").contains("did you mean `cubic`?"));
}
