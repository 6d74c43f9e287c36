//! Which member of a bundle flows and circuits take, and what is refused as a bundle.

use std::collections::{BTreeMap, BTreeSet};

use farpath_scenario::plan::Plan;
use farpath_scenario::{Scenario, Source, forecast, parse};
use farpath_wire::FlowDir;

/// Hosts `a` and `b` with a router between them; four links on each side, all alike.
const NODES: &str = r#"[scenario]
name = "x"

[[host]]
name = "a"

[[host]]
name = "b"

[[router]]
name = "r"
"#;

fn link(name: &str, ends: [&str; 2]) -> String {
    let [a, b] = ends;
    format!(
        "\n[[link]]\nname = \"{name}\"\nends = [\"{a}\", \"{b}\"]\nrate = \"100 Mbit/s\"\ndelay = \"5 ms\"\n"
    )
}

fn links(prefix: &str, count: usize, ends: [&str; 2]) -> String {
    (1..=count)
        .map(|n| link(&format!("{prefix}{n}"), ends))
        .collect()
}

fn bundle(name: &str, prefix: &str, count: usize) -> String {
    let members: Vec<String> = (1..=count).map(|n| format!("\"{prefix}{n}\"")).collect();
    format!(
        "\n[[bundle]]\nname = \"{name}\"\nlinks = [{}]\n",
        members.join(", ")
    )
}

fn ping(name: &str) -> String {
    format!("\n[[test]]\nname = \"{name}\"\nkind = \"ping\"\nfrom = \"a\"\nto = \"b\"\n")
}

/// Two bundles in a row.
fn chain(rest: &str) -> String {
    let (left, right) = (links("l", 4, ["a", "r"]), links("m", 4, ["b", "r"]));
    let (one, other) = (bundle("left", "l", 4), bundle("right", "m", 4));
    format!("{NODES}{left}{right}{one}{other}{rest}")
}

fn read(text: &str) -> (Scenario, Plan) {
    let source = Source {
        name: "x.toml".to_owned(),
        text: text.to_owned(),
    };
    let scenario = parse(&source, &[]).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let plan = Plan::new(&scenario).expect("a plan");
    (scenario, plan)
}

fn refused(text: &str) -> String {
    let source = Source {
        name: "x.toml".to_owned(),
        text: text.to_owned(),
    };
    match parse(&source, &[]) {
        Ok(_) => panic!("this must be refused:\n{text}"),
        Err(e) => e.to_string(),
    }
}

/// The names of the links one direction of a flow crosses.
fn way(scenario: &Scenario, plan: &Plan, dir: FlowDir) -> Vec<String> {
    let walk = plan.walk(scenario, dir);
    let name = |hop: &farpath_scenario::plan::Hop| {
        scenario.links[plan.ports[hop.port].link.0].name.clone()
    };
    walk.iter().map(name).collect()
}

/// Test, stream and direction of every flow, and its way.
fn ways(text: &str) -> BTreeMap<(String, u32, bool), Vec<String>> {
    let (scenario, plan) = read(text);
    let mut found = BTreeMap::new();
    for (number, flow) in plan.flows.iter().enumerate() {
        let dir = FlowDir::forward(number as u16);
        for dir in [dir, dir.turned()] {
            let test = scenario.tests[flow.test].name.clone();
            let key = (test, flow.stream, dir.is_reverse());
            found.insert(key, way(&scenario, &plan, dir));
        }
    }
    found
}

/// A thousand flows there and back over two bundles of four: a member has 250 of each thousand, a pair of
/// members 62.5, with standard deviations of 13.7 and 7.7; and back is drawn apart from there.
#[test]
fn a_thousand_flows_are_shared_out_evenly_and_independently() {
    let stream =
        "\n[[test]]\nname = \"bulk\"\nkind = \"tcp\"\nfrom = \"a\"\nto = \"b\"\nparallel = 1000\n";
    let found = ways(&chain(stream));
    assert_eq!(found.len(), 2000);
    let mut members: BTreeMap<(bool, &str), u32> = BTreeMap::new();
    let mut pairs: BTreeMap<(bool, &[String]), u32> = BTreeMap::new();
    let mut same = 0_u32;
    for ((test, stream, back), way) in &found {
        assert_eq!(way.len(), 2);
        for link in way {
            *members.entry((*back, link)).or_default() += 1;
        }
        *pairs.entry((*back, way)).or_default() += 1;
        let turned = &found[&(test.clone(), *stream, !back)];
        same += u32::from(*back && turned.contains(&way[0]));
    }
    assert_eq!((members.len(), pairs.len()), (16, 32));
    for (member, flows) in members {
        assert!(flows.abs_diff(250) <= 55, "{member:?} has {flows}");
    }
    for (pair, flows) in pairs {
        assert!((32..=93).contains(&flows), "{pair:?} have {flows}");
    }
    assert!(same.abs_diff(250) <= 55, "{same} come back as they went");
}

/// Flows that are added, in front and behind, move none of the others.
#[test]
fn a_flow_stays_where_it_is_when_others_come() {
    let old: String = (0..100).map(|n| ping(&format!("old{n}"))).collect();
    let new: String = (0..100).map(|n| ping(&format!("new{n}"))).collect();
    let before = ways(&chain(&old));
    let after = ways(&chain(
        &format!("{new}{old}{new}").replacen("new", "first", 100),
    ));
    assert_eq!((before.len(), after.len()), (200, 600));
    for (flow, way) in before {
        assert_eq!(after[&flow], way, "{flow:?}");
    }
}

/// Another name or another seed of the bundle is another draw; the run's seed is not.
#[test]
fn seed_and_name_of_the_bundle_place_flows_anew() {
    let old: String = (0..100).map(|n| ping(&format!("t{n}"))).collect();
    let text = chain(&old);
    let before = ways(&text);
    let moved = |text: &str| {
        let after = ways(text);
        before
            .iter()
            .filter(|(flow, way)| after[*flow] != **way)
            .count()
    };
    let run = text.replace("name = \"x\"", "name = \"x\"\nseed = 9");
    assert_eq!(moved(&run), 0);
    // Three in four of 200, ± 6.
    let seed = text.replace("name = \"left\"", "name = \"left\"\nseed = 1");
    let name = text.replace("name = \"left\"", "name = \"other\"");
    for changed in [seed, name] {
        assert!(moved(&changed).abs_diff(150) <= 31, "{}", moved(&changed));
    }
}

/// Requests and the ACKs of their answers have the same addresses and ports.
#[test]
fn both_flows_of_a_connection_go_the_same_way() {
    let asks =
        "\n[[test]]\nname = \"web\"\nkind = \"request\"\nfrom = \"a\"\nto = \"b\"\nparallel = 50\n";
    let (scenario, plan) = read(&chain(asks));
    let mut seen = BTreeSet::new();
    for (number, flow) in plan.flows.iter().enumerate().filter(|(_, f)| f.asks) {
        let other = plan.flows.iter();
        let answers = other
            .clone()
            .position(|f| f.stream == flow.stream && !f.asks);
        let asks = FlowDir::forward(number as u16);
        let answers = FlowDir::forward(answers.expect("answers") as u16);
        let there = way(&scenario, &plan, asks);
        assert_eq!(there, way(&scenario, &plan, answers.turned()));
        assert_eq!(
            way(&scenario, &plan, asks.turned()),
            way(&scenario, &plan, answers)
        );
        seen.insert(there);
    }
    assert!(seen.len() > 8, "{seen:?}");
}

/// A test that says by which link it leaves does; the router's choice is the router's.
#[test]
fn a_named_link_is_taken() {
    let tests: String = (0..40)
        .map(|n| ping(&format!("t{n}")) + "via = \"l3\"\n")
        .collect();
    let found = ways(&chain(&tests));
    let there = found.iter().filter(|((_, _, back), _)| !back);
    let seconds: BTreeSet<&String> = there
        .map(|(_, way)| {
            assert_eq!(way[0], "l3");
            &way[1]
        })
        .collect();
    assert_eq!(seconds.len(), 4);
}

/// Hosts behind circuits over a bundle of three: one LSP each way.
fn circuit(lsps: &str, names: [&str; 2]) -> String {
    let core = links("c", 3, ["r", "s"]).replace("delay", "mtu = 4470\ndelay");
    let (left, right) = (link("left", ["a", "r"]), link("right", ["s", "b"]));
    let [out, home] = names;
    let ccc = |at: &str, link: &str, transmit: &str, receive: &str| {
        format!(
            "\n[[ccc]]\nname = \"x-{at}\"\nkind = \"remote-interface-switch\"\nrouter = \"{at}\"\ninterface = \"{link}\"\ntransmit_lsp = \"{transmit}\"\nreceive_lsp = \"{receive}\"\n"
        )
    };
    let lsp =
        |name: &str, path: &str| format!("\n[[lsp]]\nname = \"{name}\"\npath = {path}\n{lsps}");
    format!(
        "{NODES}\n[[router]]\nname = \"s\"\n{core}{left}{right}{}{}{}{}{}{}",
        bundle("core", "c", 3),
        lsp(out, "[\"r\", \"s\"]"),
        lsp(home, "[\"s\", \"r\"]"),
        ccc("r", "left", out, home),
        ccc("s", "right", home, out),
        "\n[[test]]\nname = \"bulk\"\nkind = \"tcp\"\nfrom = \"a\"\nto = \"b\"\nparallel = 200\n",
    )
}

/// All that a circuit carries is on the member of its LSP, whoever sent it; LSPs are shared out.
#[test]
fn a_circuit_is_on_one_member() {
    let mut taken = BTreeSet::new();
    for n in 0..20 {
        let (out, home) = (format!("out{n}"), format!("home{n}"));
        let found = ways(&circuit("", [&out, &home]));
        let there: BTreeSet<&Vec<String>> = found
            .iter()
            .filter(|((_, _, back), _)| !back)
            .map(|(_, way)| way)
            .collect();
        assert_eq!((found.len(), there.len()), (400, 1));
        taken.insert(there.first().expect("a way")[1].clone());
    }
    assert_eq!(taken.len(), 3);
    let pinned = ways(&circuit("links = [\"c2\"]\n", ["out", "home"]));
    assert!(pinned.values().all(|way| way[1] == "c2"));
}

/// One flow has a member's rate; many have what the members they are on have together.
#[test]
fn the_forecast_knows_the_members() {
    let goodput = |parallel: u32| {
        let test = format!(
            "\n[[test]]\nname = \"bulk\"\nkind = \"tcp\"\nfrom = \"a\"\nto = \"b\"\nomit = \"10 s\"\nduration = \"10 s\"\nwindow = \"1 MiB\"\nparallel = {parallel}\n"
        );
        let wide = link("wide", ["r", "b"]).replace("100 Mbit/s", "1 Gbit/s");
        let text = format!(
            "{NODES}{wide}{}{}{test}",
            links("l", 4, ["a", "r"]),
            bundle("left", "l", 4)
        );
        let (scenario, plan) = read(&text);
        let record = forecast(&scenario, &plan, &BTreeMap::new()).remove(0);
        let on = |n: &String| n.contains("bundle `left` has");
        assert_eq!(
            record.notes.iter().any(on),
            parallel > 1,
            "{:?}",
            record.notes
        );
        let taken: BTreeSet<String> = ways(&text)
            .into_iter()
            .filter(|((_, _, back), _)| !back)
            .map(|(_, way)| way[0].clone())
            .collect();
        (record.metrics["goodput_bps"], taken.len())
    };
    let (member, one) = goodput(1);
    assert_eq!(one, 1);
    assert!((member / 94.148e6 - 1.0).abs() < 0.001, "{member}");
    let mut counts = BTreeSet::new();
    for parallel in [2, 3, 4, 8, 40] {
        let (all, taken) = goodput(parallel);
        let expected = member * taken as f64;
        assert!(
            (all / expected - 1.0).abs() < 0.001,
            "{all} on {taken} members"
        );
        counts.insert(taken);
    }
    assert!(counts.contains(&4) && counts.len() > 1, "{counts:?}");
}

/// What is forecast of a test from `a` to `b` whose middle is a bundle of two links with these keys each.
fn over_two(members: [&str; 2], spread: &str, test: &str) -> farpath_record::Record {
    let [one, two] = members;
    let wide = |name: &str, ends: [&str; 2]| link(name, ends).replace("100 Mbit/s", "1 Gbit/s");
    let text = format!(
        "{NODES}\n[[router]]\nname = \"s\"\n{}{}{}{one}{}{two}{}{spread}\n[[test]]\nname = \"t\"\nfrom = \"a\"\nto = \"b\"\n{test}\n",
        wide("in", ["a", "r"]),
        wide("out", ["s", "b"]),
        link("m1", ["r", "s"]),
        link("m2", ["r", "s"]),
        bundle("mid", "m", 2)
    );
    let (scenario, plan) = read(&text);
    forecast(&scenario, &plan, &BTreeMap::new()).remove(0)
}

const SHAPED: &str = "forward.shape = { rate = \"20 Mbit/s\" }\n";
const STREAMS: &str =
    "kind = \"tcp\"\nomit = \"10 s\"\nduration = \"10 s\"\nwindow = \"1 MiB\"\nparallel = 40";
const DATAGRAMS: &str =
    "kind = \"udp\"\nsize = 1472\nrate = \"60 Mbit/s\"\nomit = \"1 s\"\nduration = \"9 s\"";

/// 1448 of the 1514 bytes that a shaper counts are payload.
#[test]
fn streams_have_what_their_members_shapers_leave() {
    let goodput = |members: [&str; 2]| {
        let record = over_two(members, "", STREAMS);
        assert_eq!(record.limited_by.as_deref(), Some("link"), "{record:?}");
        record.metrics["goodput_bps"]
    };
    let shaped = 20e6 * 1448.0 / 1514.0;
    let both = goodput([SHAPED, SHAPED]);
    assert!((both / (2.0 * shaped) - 1.0).abs() < 0.005, "{both}");
    // The other member has its line.
    let one = goodput(["", SHAPED]);
    let expected = shaped + 100e6 * 1448.0 / 1538.0;
    assert!((one / expected - 1.0).abs() < 0.005, "{one}");
}

/// Where frames take turns each member's shaper has its part of them, and the slowest sets the pace. Datagrams keep
/// going on the others, and a note says so.
#[test]
fn frames_in_turn_have_the_rate_of_all_shapers() {
    let alone = STREAMS.replace("parallel = 40", "parallel = 1");
    for members in [[SHAPED, SHAPED], ["", SHAPED]] {
        for (test, payload) in [(DATAGRAMS, 1472.0), (alone.as_str(), 1448.0)] {
            let record = over_two(members, "spread = \"packet\"\n", test);
            let share = record.metrics["goodput_bps"] / (40e6 * payload / 1514.0);
            assert!((share - 1.0).abs() < 0.005, "{share}");
            let unequal = members[0].is_empty() && test == DATAGRAMS;
            let said = |n: &String| n.contains("as if the slowest member");
            assert_eq!(record.notes.iter().any(said), unequal, "{record:?}");
        }
    }
}

/// No law says what a policer makes of some of the streams, or of every second frame: it is named, whichever member it is on.
#[test]
fn a_policer_of_one_member_is_named() {
    let police = "forward.police = { name = \"p\", rate = \"5 Mbit/s\", burst = \"20 kB\" }\n";
    for (spread, test) in [("", STREAMS), ("spread = \"packet\"\n", DATAGRAMS)] {
        for (members, place) in [([police, ""], "m1"), (["", police], "m2")] {
            let record = over_two(members, spread, test);
            let said = format!("as if nothing were dropped by `p` on {place} r>s");
            assert!(
                record.notes.iter().any(|n| n.contains(&said)),
                "{place}: {:?}",
                record.notes
            );
            assert_ne!(record.limited_by.as_deref(), Some("policer"), "{place}");
        }
    }
    // One stream on one member meets what is there.
    let alone = STREAMS.replace("parallel = 40", "parallel = 1");
    let record = over_two([police, police], "", &alone);
    assert_eq!(record.limited_by.as_deref(), Some("policer"));
    let said = |n: &String| n.contains("as if nothing were dropped");
    assert!(!record.notes.iter().any(said), "{:?}", record.notes);
}

#[test]
fn what_is_no_bundle_is_refused() {
    let base = chain(&ping("t"));
    for (from, to, title, help) in [
        (
            "links = [\"l1\", \"l2\", \"l3\", \"l4\"]",
            "links = [\"l1\"]",
            "`links` has 1 entries and needs 2 to 16",
            "",
        ),
        (
            "links = [\"l1\", \"l2\", \"l3\", \"l4\"]",
            "links = [\"l1\", \"l2\", \"l1\"]",
            "bundle `left` names link `l1` twice",
            "name each member once",
        ),
        (
            "links = [\"l1\", \"l2\", \"l3\", \"l4\"]",
            "links = [\"l1\", \"m2\"]",
            "links `l1` and `m2` do not join the same two nodes: `a` and `r` here, `b` and `r` there",
            "a bundle has parallel links only",
        ),
        (
            "links = [\"l1\", \"l2\", \"l3\", \"l4\"]",
            "links = [\"l1\", \"k2\"]",
            "there is no link `k2`",
            "known here: l1, l2",
        ),
        (
            "\n[[test]]",
            "\n[[bundle]]\nname = \"more\"\nlinks = [\"l3\", \"l4\"]\n\n[[test]]",
            "link `l3` is in bundles `left` and `more`",
            "a link is a member of one bundle",
        ),
        (
            "name = \"right\"",
            "name = \"left\"",
            "two bundles of the name `left`",
            "give one of them another name",
        ),
        (
            "name = \"l3\"\n",
            "name = \"l3\"\nmtu = 9000\n",
            "links `l1` and `l3` have different MTUs: 1500 and 9000",
            "give both `mtu = 1500`",
        ),
        (
            "name = \"left\"\n",
            "name = \"left\"\nspread = \"packet\"\n",
            "`a` is a host, which keeps each flow on one link",
            "put a router in front of the members",
        ),
    ] {
        assert!(base.contains(from), "{from}");
        let said = refused(&base.replacen(from, to, 1));
        assert!(said.contains(title), "{to}\n{said}");
        assert!(said.contains(help), "{to}\n{said}");
        assert!(said.contains("x.toml:"), "{said}");
    }
    let circuit = circuit("", ["out", "home"]);
    let twin = link("twin", ["a", "r"]);
    let said = refused(&format!(
        "{circuit}{twin}\n[[bundle]]\nname = \"customer\"\nlinks = [\"left\", \"twin\"]\n"
    ));
    let title = "link `left` of bundle `customer` belongs to ccc `x-r`";
    assert!(said.contains(title), "{said}");
}
