//! Paths that come from the configuration of routers.

#![allow(
    clippy::disallowed_methods,
    reason = "the files that a scenario names have to be written first"
)]

use farpath_scenario::plan::Plan;
use farpath_scenario::{
    ClassLimit, Match, PoliceAction, QueueLimit, Scenario, Sharing, load, parse,
};
use farpath_units::Size;
use farpath_wire::FlowDir;

/// Reads `scenario` with these files beside it.
fn with(files: &[(&str, &str)], scenario: &str) -> Result<Scenario, String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    let path = folder.path().join("scenario.toml");
    std::fs::write(&path, scenario).expect("written");
    let source = load(path.to_str().expect("UTF-8")).expect("it is there");
    parse(&source, &[]).map_err(|faults| faults.render(false))
}

fn shipped(name: &str) -> (String, String) {
    let text = load("cern-snaky/from-config").expect("shipped").text;
    let conf = std::fs::read_to_string(format!(
        "{}/../../scenarios/cern-snaky/{name}.conf",
        env!("CARGO_MANIFEST_DIR")
    ));
    (text, conf.expect("beside it"))
}

#[test]
fn the_tunnel_comes_from_its_routers() {
    let source = load("cern-snaky/from-config").expect("shipped");
    let scenario = parse(&source, &[]).expect("it is right");
    assert_eq!((scenario.lsps.len(), scenario.cccs.len()), (10, 10));
    let plan = Plan::new(&scenario).expect("it leads somewhere");
    let there = plan.walk(&scenario, FlowDir::forward(0));
    let crossings = there.iter().filter(|h| plan.ports[h.port].link.0 == 0);
    assert_eq!(crossings.count(), 5);
    // `family mpls mtu`, and 9018 bytes without the header and the tag.
    let mtus = |link: usize| scenario.links[link].directions.clone().map(|d| d.mtu);
    assert_eq!((mtus(0), mtus(1)), ([9022, 9022], [9000, 9000]));
}

#[test]
fn an_mtu_is_its_senders() {
    let (text, a) = shipped("cernh5");
    let (_, b) = shipped("ar5-chicago");
    let narrow = a
        .replace("                mtu 9022;\n", "")
        .replace("        mtu 9026;\n", "");
    assert!(narrow.len() < a.len());
    let files = [("cernh5.conf", narrow.as_str()), ("ar5-chicago.conf", &b)];
    let scenario = with(&files, &text).expect("it runs all the same");
    // 4474 of an SDH port, less 4 of header, less 12 kept for labels of which one is there.
    let mtus = scenario.links[0].directions.clone().map(|d| d.mtu);
    assert_eq!(mtus, [4462, 9022]);
    let found = &scenario
        .configuration
        .expect("it brings some")
        .report
        .findings;
    assert!(
        found
            .iter()
            .any(|f| f.rule.id == "CCC013" && f.message.contains("so-1/0/0"))
    );
}

#[test]
fn what_cannot_be_built_is_refused_with_file_line_and_remedy() {
    let (text, a) = shipped("cernh5");
    let (_, b) = shipped("ar5-chicago");
    let cases = [
        // A stitch into an LSP nobody defines.
        (
            b.replacen("transmit-lsp S2-ar5", "transmit-lsp S9-ar5", 1),
            text.clone(),
            ["ar5-chicago.conf, line ", "S9-ar5-chicago-cernh5", "CCC001"],
        ),
        // A brace too few.
        (
            b.trim_end().trim_end_matches('}').to_owned(),
            text.clone(),
            ["ar5-chicago.conf, line ", "column ", "help"],
        ),
        // A wire that is missing, and one at an interface there is not.
        (
            b.clone(),
            text.replacen("interfaces = [\"so-1/0/0\", \"so-1/0/0\"]\n", "", 1),
            ["no [[link]] ends at `so-1/0/0.0`", "interfaces = [", "help"],
        ),
        (
            b.clone(),
            text.replacen("\"ge-1/1/0\", \"eth1\"", "\"ge-1/1/7\", \"eth1\"", 1),
            [
                "`ar5-chicago` has no interface `ge-1/1/7`",
                "ge-1/1/0.591",
                "help",
            ],
        ),
    ];
    for (b, text, wanted) in cases {
        let files = [
            ("cernh5.conf", a.as_str()),
            ("ar5-chicago.conf", b.as_str()),
        ];
        let said = with(&files, &text).expect_err("it cannot be built");
        for words in wanted {
            assert!(said.contains(words), "{words}:\n{said}");
        }
    }
    let gone = with(&[("cernh5.conf", &a)], &text).expect_err("a file is missing");
    assert!(
        gone.contains("there is no file") && gone.contains("ar5-chicago.conf"),
        "{gone}"
    );
}

const SWITCH: &str = r#"
[scenario]
name = "switch"
[[host]]
name = "a"
[[host]]
name = "b"
[[router]]
name = "sw"
config = "sw.cfg"
[[link]]
name = "in"
ends = ["a", "sw"]
interfaces = ["eth0", "GigabitEthernet1/1"]
framing = "gbe"
[[link]]
name = "out"
ends = ["sw", "b"]
interfaces = ["GigabitEthernet3/1", "eth0"]
framing = "gbe"
memory = "512 kB"
[[test]]
name = "p"
kind = "ping"
from = "a"
to = "b"
"#;

const CATALYST: &str = "hostname sw
mls qos
!
class-map match-all scavenger
 match ip dscp 8
policy-map edge
 class scavenger
  police 100000000 50000 50000 conform-action transmit exceed-action drop
!
interface GigabitEthernet1/1
 mls qos trust dscp
!
interface GigabitEthernet3/1
 wrr-queue bandwidth 99 1
 wrr-queue queue-limit 80 20
 wrr-queue cos-map 1 1 0
 wrr-queue cos-map 2 1 1
 wrr-queue cos-map 1 2 2 3 4 5 6 7
 mls qos trust dscp
 service-policy output edge
!
end
";

#[test]
fn a_switchs_port_has_its_queues_marks_and_policers() {
    let scenario = with(&[("sw.cfg", CATALYST)], SWITCH).expect("it is right");
    let out = &scenario.links[1].directions[0];
    let queueing = out.queueing.as_ref().expect("two queues");
    assert_eq!(queueing.memory, Some(Size::from_bytes(512_000)));
    let shares: Vec<_> = queueing.classes.iter().map(|c| c.sharing).collect();
    assert_eq!(shares, [Sharing::Weight(99), Sharing::Weight(1)]);
    let limits: Vec<_> = queueing.classes.iter().map(|c| c.limit).collect();
    let bytes = |n| ClassLimit::Own(QueueLimit::Bytes(Size::from_bytes(n)));
    assert_eq!(limits, [bytes(409_600), bytes(102_400)]);
    let [best, low] = &queueing.classes[..] else {
        panic!("two")
    };
    assert!(low.matches.contains(&Match::Dscp(8)) && !low.matches.contains(&Match::Dscp(16)));
    assert!(best.matches.contains(&Match::Dscp(0)) && best.matches.contains(&Match::Dscp(48)));
    let [policer] = &out.conditioning.policers[..] else {
        panic!("one")
    };
    assert_eq!(
        (policer.rate.as_bps(), policer.burst.as_bytes()),
        (100_000_000, 50_000)
    );
    assert_eq!(policer.actions[1], PoliceAction::Drop);
    assert_eq!(policer.matches, [Match::Dscp(8)]);
    assert!(out.conditioning.marks.is_empty());
    // The other way nothing is configured: a host sends there.
    assert!(scenario.links[1].directions[1].queueing.is_none());
}

#[test]
fn a_port_that_believes_nothing_marks_all_and_needs_its_memory_told() {
    let distrusting = CATALYST.replacen(" mls qos trust dscp\n", "", 1);
    let scenario = with(&[("sw.cfg", &distrusting)], SWITCH).expect("it is right");
    let marks = &scenario.links[1].directions[0].conditioning.marks;
    assert_eq!(marks.len(), 1);
    assert!(marks[0].matches.is_empty() && marks[0].dscp == 0);

    let untold = SWITCH.replacen("memory = \"512 kB\"\n", "", 1);
    let said = with(&[("sw.cfg", CATALYST)], &untold).expect_err("how much is not known");
    assert!(
        said.contains("has no `memory`") && said.contains("512 kB"),
        "{said}"
    );
}
