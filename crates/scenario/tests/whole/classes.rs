//! Classes and schedulers: what is read, and what is answered to text that makes no sense.

use std::collections::BTreeMap;

use farpath_scenario::plan::Plan;
use farpath_scenario::{
    ClassLimit, Match, Queueing, Scheduler, Set, Sharing, Source, Way, forecast, parse,
    round_shares,
};
use farpath_units::Size;

const BASE: &str = r#"[scenario]
name = "x"

[[host]]
name = "a"

[[host]]
name = "b"

[[router]]
name = "r"

[[router]]
name = "s"

[[link]]
name = "ar"
ends = ["a", "r"]
framing = "gbe"

[[link]]
name = "rs"
ends = ["r", "s"]
framing = "gbe"
KEYS
[[link]]
name = "sb"
ends = ["s", "b"]
framing = "gbe"

[[test]]
name = "bulk"
kind = "tcp"
from = "a"
to = "b"
"#;

fn source(keys: &str) -> Source {
    Source {
        name: "x.toml".to_owned(),
        text: BASE.replace("KEYS", keys),
    }
}

fn read(keys: &str) -> [Option<Queueing>; 2] {
    let scenario = parse(&source(keys), &[]).unwrap_or_else(|e| panic!("{e}"));
    let link = &scenario.links[1];
    [Way::Forward, Way::Reverse].map(|w| link.directions[w as usize].queueing.clone())
}

fn refused(keys: &str) -> String {
    match parse(&source(keys), &[] as &[Set]) {
        Ok(_) => panic!("nothing was wrong with\n{keys}"),
        Err(said) => said.to_string(),
    }
}

const LBE: &str = r#"
scheduler = "wrr"
memory = "512 kB"
wrr = { carry = true }
[[link.class]]
name = "be"
weight = 99
queue = "409 kB"
[[link.class]]
name = "lbe"
dscp = ["cs1", 1]
cos = 3
exp = [1]
weight = 1
memory_share = "10 %"
"#;

#[test]
fn both_directions_of_a_link_between_routers_have_its_classes() {
    let [forward, reverse] = read(LBE);
    assert_eq!(forward, reverse);
    let queueing = forward.expect("it has classes");
    let carry = true;
    assert_eq!(queueing.scheduler, Scheduler::Wrr { unit: 256, carry });
    assert_eq!(queueing.memory, Some(Size::from_bytes(512_000)));
    let [be, lbe] = &queueing.classes[..] else {
        panic!("two classes")
    };
    assert_eq!(
        (be.sharing, &be.matches[..]),
        (Sharing::Weight(99), &[][..])
    );
    assert!(matches!(lbe.limit, ClassLimit::MemoryShare(s) if s.get() == 0.1));
    let dscp = |d: &u8| lbe.matches.contains(&Match::Dscp(*d));
    let dscps: Vec<u8> = (0..64).filter(dscp).collect();
    assert_eq!(dscps, [1, 8, 24, 25, 26, 27, 28, 29, 30, 31]);
    assert!([1, 3].iter().all(|e| lbe.matches.contains(&Match::Exp(*e))));
}

#[test]
fn a_direction_of_its_own_wins() {
    let own = "scheduler = \"strict\"\n[[link.class]]\nname = \"first\"\ndscp = \"ef\"\n\
               [[link.class]]\nname = \"rest\"\n[link.reverse]\nscheduler = \"fifo\"\nclass = []\n";
    let [forward, reverse] = read(own);
    let forward = forward.expect("it has classes");
    assert_eq!(reverse, None);
    let sharing: Vec<Sharing> = forward.classes.iter().map(|c| c.sharing).collect();
    assert_eq!(sharing, [Sharing::Priority; 2]);
}

#[test]
fn a_queues_management_is_chosen_by_name() {
    let same = |named: &str, written: &str| assert_eq!(read(named), read(written), "{named}");
    same("aqm = \"fifo\"", "");
    same("aqm = \"codel\"", "codel = {}");
    same("aqm = \"pie\"", "pie = {}");
    same("aqm = \"fq-codel\"", "scheduler = \"fq-codel\"");
    // A quarter of the queue, and a third of that (`tc red` of iproute2).
    let red = "red = { min = \"100 kB\", max = \"300 kB\" }";
    same(
        "aqm = \"red\"\nqueue = \"1.2 MB\"",
        &format!("{red}\nqueue = \"1.2 MB\""),
    );
    // Its table says what differs, wherever it stands; the others' say nothing.
    let tables = format!("{red}\ncodel = {{ target = \"7 ms\" }}\nfq_codel = {{ flows = 8 }}");
    same(&format!("aqm = \"red\"\n{tables}"), red);
    same(
        &format!("aqm = \"codel\"\n{tables}"),
        "codel = { target = \"7 ms\" }",
    );
    same(
        &format!("aqm = \"fq-codel\"\n{tables}"),
        "scheduler = \"fq-codel\"\nfq_codel = { flows = 8 }",
    );
    same(&format!("aqm = \"fifo\"\n{tables}"), "");
    let [forward, reverse] = read("codel = {}\n[link.forward]\naqm = \"fifo\"\n");
    assert!(forward.is_none() && reverse.is_some());
    // Tables beside each other, of which one is meant or a sweep chooses: one line more, which the answer names.
    let tables = "[link.forward]\ncodel = {}\npie = {}\n";
    let sweep = "[sweep]\n\"link.rs.forward.aqm\" = [\"codel\", \"pie\"]\n";
    for sweep in ["", sweep] {
        let said = refused(&format!("{tables}{sweep}"));
        let remedy =
            "= help: name the one that is meant, `aqm = \"codel\"` or `aqm = \"pie\"`: the other's";
        assert!(said.contains(remedy), "{said}");
        assert_eq!(said.matches("= help").count(), 1, "{said}");
        assert!(
            said.contains("A sweep of `aqm` wants one of them"),
            "{said}"
        );
        for word in ["codel", "pie"] {
            read(&format!("{tables}aqm = \"{word}\"\n{sweep}"));
        }
    }
    let said = refused("aqm = \"codel\"\nscheduler = \"drr\"\nclass = [{ name = \"q\" }]");
    assert!(said.contains("`aqm` beside scheduler = \"drr\""), "{said}");
}

/// Keys of link `rs`, the fault and the remedy.
#[test]
fn what_makes_no_sense_is_said_with_a_remedy() {
    let class =
        |keys: &str| format!("scheduler = \"wrr\"\n[[link.class]]\nname = \"be\"\n{keys}\n");
    let two = |keys: &str| class(&format!("[[link.class]]\nname = \"le\"\n{keys}"));
    let eight: String = (0..8)
        .map(|n| format!("[[link.class]]\nname = \"c{n}\"\ndscp = {n}\n"))
        .collect();
    for (keys, title, help) in [
        (two("dscp = \"le\"\nweight = 0"), "class `le` has a weight of 0 and would never send", "scheduler = \"strict\""),
        (two("dscp = 64"), "`64` is not a valid dscp", "as a TOS byte, 64 has the DSCP 16"),
        (two("dscp = [\"cs1\", \"cs8\"]"), "`cs8` is not a valid dscp", "a number from 0 to 63"),
        (two("cos = 8"), "`8` is not a valid cos", "write a number from 0 to 7"),
        (two("exp = -1"), "`-1` is not a valid exp", "write a number from 0 to 7"),
        (two("dscp = []"), "`dscp` is an empty list", "name some"),
        (two(""), "nothing is in class `le`", "add a match such as dscp = \"le\", or remove the class"),
        (two("precedence = [0, 1, 2, 3, 4, 5, 6, 7]"), "nothing is in class `be`: the others match every DSCP", "remove the class"),
        (class("dscp = 0"), "frames of DSCP 1 are in no class", "leave the match out of one class"),
        (class("[[link.class]]\nname = \"be\"\ndscp = 1"), "two classes of the name `be` on one link", "another name"),
        (
            two("dscp = 1\n[[link.class]]\nname = \"third\"\nprecedence = 0"),
            "DSCP 1 is in class `le` already",
            "keep one of them",
        ),
        (two("test = [\"bulks\"]"), "there is no test `bulks`", "did you mean `bulk`?"),
        (two("dscp = 1\nmemory_share = \"10 %\""), "class `le` has a share of a memory whose size is not known", "memory = \"512 kB\""),
        (
            two("dscp = 1\nmemory_share = 0.7\n[[link.class]]\nname = \"c\"\ndscp = 2\nmemory_share = 0.4").replace("scheduler", "memory = \"1 MB\"\nscheduler").as_str().to_owned(),
            "the classes' shares of the memory add up to 110.0000 %",
            "lower them to 100 % or less",
        ),
        (two("dscp = 1\npriority = true\nweight = 2"), "class `le` has a weight and is served by priority", "remove it otherwise"),
        (two("dscp = 1").replace("wrr", "strict").replace("dscp", "priority = false\ndscp"), "class `le` without priority", "in the order they are written"),
        (format!("scheduler = \"drr\"\n[[link.class]]\nname = \"rest\"\n{eight}"), "9 classes on one link: at most 8", "let one class match several DSCPs"),
        ("scheduler = \"drr\"\n".to_owned(), "scheduler = \"drr\" without classes", "[[link.class]]"),
        (two("dscp = 1").replace("scheduler = \"wrr\"", ""), "classes without a scheduler that serves them", "\"strict\""),
        ("memory = \"1 MB\"\n".to_owned(), "`memory` without classes that share it", "as `queue`"),
        (two("dscp = 1").replace("\"wrr\"", "\"drr\"\nwrr = { carry = true }"), "`wrr` beside scheduler = \"drr\"", "scheduler = \"wrr\""),
        (two("dscp = 1\n[[event]]\nat = \"1 s\"\nlink = \"rs\"\nqueue = \"10 packets\""), "`queue` of a link with classes", "keeps its limit"),
        (
            two("dscp = 1\n[[expect]]\nmetric = \"link.rs.r>s.queue.lee.drops\"\nvalue = 0"),
            "r>s of link `rs` has no class `lee`",
            "did you mean `le`?",
        ),
    ] {
        let said = refused(&keys);
        assert!(said.contains(title), "{keys}\n{said}");
        assert!(said.contains(help), "{keys}\n{said}");
        assert!(said.contains("1 error in x.toml"), "{keys}\n{said}");
    }
}

#[test]
fn a_host_sends_in_no_class() {
    let said = {
        let text = BASE.replace("KEYS", "").replace(
            "ends = [\"a\", \"r\"]\nframing = \"gbe\"\n",
            "ends = [\"a\", \"r\"]\nframing = \"gbe\"\n[link.forward]\nscheduler = \"strict\"\n",
        );
        let name = "x.toml".to_owned();
        parse(&Source { name, text }, &[])
            .expect_err("a host sends")
            .to_string()
    };
    assert!(said.contains("`scheduler` where host `a` sends"), "{said}");
    assert!(said.contains("put a [[router]] in between"), "{said}");
}

/// Keys of link `rs` beside no classes, the fault and the remedy.
#[test]
fn queue_management_policers_and_marks_that_make_no_sense() {
    let police = |keys: &str| {
        format!("police = {{ name = \"p\", rate = \"1 Mbit/s\", burst = \"3 kB\"{keys} }}\n")
    };
    let class =
        |keys: &str| format!("scheduler = \"strict\"\n[[link.class]]\nname = \"all\"\n{keys}\n");
    let red = "red = { min = \"5 kB\", max = \"15 kB\" }\n";
    for (keys, title, help) in [
        (
            "red = { min = \"15 kB\", max = \"5 kB\" }\n".to_owned(),
            "`max` of `red` is not above `min`",
            "3 times min",
        ),
        (
            "red = { min = \"5 kB\", max = \"15 ms\" }\n".to_owned(),
            "in different units",
            "write both in bytes",
        ),
        (
            "red = { min = \"5 kB\", max = \"15 kB\", weight = 0 }\n".to_owned(),
            "`weight` of `red` is 0",
            "0.002 is usual",
        ),
        (
            "codel = {}\nscheduler = \"fq-codel\"\n".to_owned(),
            "`codel` beside scheduler = \"fq-codel\"",
            "set it in `fq_codel`",
        ),
        (
            format!("{red}codel = {{}}\n"),
            "`red` and `codel` of one queue",
            "name the one that is meant",
        ),
        (
            "fq_codel = { flows = 8 }\n".to_owned(),
            "`fq_codel` beside scheduler = \"fifo\"",
            "scheduler = \"fq-codel\"",
        ),
        (
            format!("{red}{}", class("")),
            "`red` of a link with classes",
            "[[link.class]]",
        ),
        (
            class("drop = { above = \"60 %\" }"),
            "a `drop` rule without a match",
            "add dscp",
        ),
        (
            class("drop = { cos = 1 }"),
            "a `drop` rule that drops nothing",
            "above = \"60 %\"",
        ),
        (
            class("drop = { cos = 1, min = \"10 %\" }"),
            "with one of `min` and `max`",
            "write both",
        ),
        (
            class(&format!("{red}drop = {{ cos = 1, min = 0.5, max = 0.4 }}")),
            "`max` of a `drop` rule is not above `min`",
            "parts of the queue's limit",
        ),
        (
            class("drop = { cos = 1, min = 0.4, max = 0.5 }"),
            "a curve in a class without `red`",
            "to the class",
        ),
        (
            class("drop = { cos = 1, above = \"160 %\" }"),
            "`160 %` is not a valid above",
            "a ratio is at most 1",
        ),
        (
            police(", violate = \"pass\""),
            "`violate` without `excess_burst` or `peak_rate`",
            "remove it, or add",
        ),
        (
            police(", peak_burst = \"3 kB\""),
            "`peak_burst` without `peak_rate`",
            "remove it, or add",
        ),
        (
            police(", peak_rate = \"1 kbit/s\""),
            "`peak_rate` is below `rate`",
            "the higher of the two rates",
        ),
        (
            police(", exceed = \"maybe\""),
            "unknown policer action `maybe`",
            "\"pass\", \"drop\", or the DSCP",
        ),
        (
            police("").replace("police = ", "police = [").replace(
                " }\n",
                " }, { name = \"p\", rate = \"2 Mbit/s\", burst = \"3 kB\" }]\n",
            ),
            "two policers of the name `p`",
            "another name",
        ),
        (
            "police = [{ rate = \"1 Mbit/s\", burst = \"3 kB\" }, { rate = \"2 Mbit/s\", burst = \"3 kB\" }]\n"
                .to_owned(),
            "two policers of the name `police`",
            "another name",
        ),
        (
            "police = { rate = \"1 Mbit/s\", burst = \"3 kB\" }\n\
             [[expect]]\nmetric = \"link.rs.r>s.police.q.green\"\nvalue = 0\n"
                .to_owned(),
            "r>s of link `rs` has no policer `q`",
            "police",
        ),
        (
            "mark = { set = [\"be\", \"le\"] }\n".to_owned(),
            "`set` has two DSCPs and can set one",
            "a `mark` table for each",
        ),
        (
            format!(
                "{}[[expect]]\nmetric = \"link.rs.r>s.police.q.green\"\nvalue = 0\n",
                police("")
            ),
            "r>s of link `rs` has no policer `q`",
            "",
        ),
    ] {
        let said = refused(&keys);
        assert!(said.contains(title), "{keys}\n{said}");
        assert!(said.contains(help), "{keys}\n{said}");
        assert!(said.contains("1 error in x.toml"), "{keys}\n{said}");
    }
}

/// A stream of 1200 bytes at a weight of 1 beside full segments at 2: a round of 1514 bytes a weight sends two frames of each.
#[test]
fn shares_of_unlike_frames_that_weights_do_not_say_are_said() {
    let of = |rounds: &str, size: u32| {
        let keys = format!(
            "{rounds}\n[[link.class]]\nname = \"video\"\ndscp = \"af41\"\nweight = 1\nqueue = \"100 kB\"\n\
             [[link.class]]\nname = \"rest\"\nweight = 2\nqueue = \"100 kB\"\n"
        );
        let mut text = source(&keys);
        text.text += &format!(
            "\n[[test]]\nname = \"video\"\nkind = \"udp\"\nfrom = \"a\"\nto = \"b\"\nclass = \"af41\"\nrate = \"600 Mbit/s\"\n\
             size = {size}\nduration = \"1 s\"\n"
        );
        let scenario = parse(&text, &[]).unwrap_or_else(|e| panic!("{e}"));
        let plan = Plan::new(&scenario).expect("a plan");
        let records = forecast(&scenario, &plan, &BTreeMap::new());
        let noted = records
            .iter()
            .filter(|r| r.notes.iter().any(|n| n.contains("round robin")));
        (round_shares(&scenario, &plan), noted.count())
    };
    let (said, noted) = of("scheduler = \"wrr\"", 1200);
    assert!(
        said[0].contains("have 45.1 : 54.9 %") && said[0].contains("not 33.3 : 66.7 %"),
        "{said:?}"
    );
    // On the way there; nothing of the way back is shared.
    assert_eq!((said.len(), noted), (1, 2));
    let none = (Vec::new(), 0);
    assert_eq!(
        of("scheduler = \"wrr\"\nwrr = { carry = true }", 1200),
        none
    );
    assert_eq!(of("scheduler = \"drr\"", 1200), none);
    assert_eq!(of("scheduler = \"wrr\"", 1472), none, "alike");
}
