//! Paths that come from the configuration of routers.

#![allow(
    clippy::disallowed_methods,
    reason = "the files that a scenario names have to be written first"
)]

use farpath_scenario::plan::Plan;
use farpath_scenario::{
    ClassLimit, Match, PoliceAction, QueueLimit, Rule, Scenario, Sharing, load, parse,
};
use farpath_units::Size;
use farpath_wire::FlowDir;

/// Reads `scenario` with these files beside it.
pub(crate) fn with(files: &[(&str, &str)], scenario: &str) -> Result<Scenario, String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    let path = folder.path().join("scenario.toml");
    std::fs::write(&path, scenario).expect("written");
    let source = load(path.to_str().expect("UTF-8")).expect("it is there");
    parse(&source, &[]).map_err(|faults| faults.render(false))
}

pub(crate) fn shipped(name: &str) -> (String, String) {
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
            .any(|f| f.rule == "CCC013" && f.text.contains("so-1/0/0"))
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
    assert!(scenario.links[0].directions[0].arrivals.is_empty());
    // The other way nothing is configured: a host sends there.
    assert!(scenario.links[1].directions[1].queueing.is_none());
}

#[test]
fn a_port_that_believes_nothing_marks_all_and_needs_its_memory_told() {
    let distrusting = CATALYST.replacen(" mls qos trust dscp\n", "", 1);
    let scenario = with(&[("sw.cfg", &distrusting)], SWITCH).expect("it is right");
    // Where frames arrive, and not where they leave.
    assert_eq!(marks(&scenario, 0), [(64, 0)]);
    let out = &scenario.links[1].directions;
    assert!(out[0].conditioning.marks.is_empty() && out[1].arrivals.is_empty());

    let untold = SWITCH.replacen("memory = \"512 kB\"\n", "", 1);
    let said = with(&[("sw.cfg", CATALYST)], &untold).expect_err("how much is not known");
    assert!(
        said.contains("has no `memory`") && said.contains("512 kB"),
        "{said}"
    );
}

/// How many DSCPs the port at the end of a link marks, and with what.
fn marks(scenario: &Scenario, link: usize) -> Vec<(usize, u8)> {
    let rules = &scenario.links[link].directions[0].arrivals;
    let of = |rule: &Rule| match rule {
        Rule::Mark(m) if m.matches.is_empty() => Some((64, m.dscp)),
        Rule::Mark(m) => Some((m.matches.len(), m.dscp)),
        Rule::Police(_) => None,
    };
    rules.iter().filter_map(of).collect()
}

/// `SWITCH` with two more hosts, and these lines under their ports.
fn with_ports(second: &str, third: &str) -> Result<Scenario, String> {
    let link = |host: &str, port: u8| {
        format!(
            "[[host]]\nname = \"{host}\"\n[[link]]\nname = \"{host}-in\"\nends = [\"{host}\", \"sw\"]\ninterfaces = [\"eth0\", \"GigabitEthernet1/{port}\"]\nframing = \"gbe\"\n"
        )
    };
    let scenario = format!("{SWITCH}{}{}", link("c", 2), link("d", 3));
    let ports = format!(
        "interface GigabitEthernet1/2\n{second}!\ninterface GigabitEthernet1/3\n{third}!\nend\n"
    );
    with(&[("sw.cfg", &CATALYST.replace("end\n", &ports))], &scenario)
}

#[test]
fn ports_of_one_switch_believe_what_each_is_told_to() {
    let third = " mls qos trust ip-precedence\n";
    let scenario = with_ports(" mls qos cos 5\n", third).expect("it is right");
    assert_eq!(marks(&scenario, 0), []);
    assert_eq!(marks(&scenario, 2), [(64, 40)]);
    // Precedence p becomes DSCP 8 p: seven of eight change.
    let by_precedence: Vec<(usize, u8)> = (0..8).map(|p| (8, 8 * p)).collect();
    assert_eq!(marks(&scenario, 3), by_precedence);
}

#[test]
fn what_arrives_meets_its_class_of_the_input_policy() {
    let policy = "policy-map in
 class scavenger
  police 50000000 20000 conform-action transmit exceed-action policed-dscp-transmit
 class class-default
  set dscp 0
mls qos map policed-dscp 8 to 1
";
    let port = " mls qos trust dscp\n service-policy input in\n";
    let with_policy = |policy: &str| {
        let second = format!("{port}!\n{policy}");
        with_ports(&second, " mls qos trust dscp\n")
    };
    let scenario = with_policy(policy).expect("it is right");
    let [Rule::Police(low), Rule::Mark(rest)] = &scenario.links[2].directions[0].arrivals[..]
    else {
        panic!("{:?}", scenario.links[2].directions[0].arrivals)
    };
    assert_eq!(
        (low.name.as_str(), low.rate.as_bps()),
        ("in-scavenger", 50_000_000)
    );
    assert_eq!(low.matches, [Match::Dscp(8)]);
    assert_eq!(low.actions[0], PoliceAction::Pass);
    assert_eq!(low.actions[2], PoliceAction::Mark(1));
    assert_eq!(rest.dscp, 0);
    assert!(rest.matches.contains(&Match::Dscp(46)) && !rest.matches.contains(&Match::Dscp(8)));
    // What leaves over that port is not met by it.
    assert!(scenario.links[2].directions[1].arrivals.is_empty());

    let listed = policy.replacen("policy-map in\n", "class-map match-all x\n match access-group 7\npolicy-map in\n class x\n  police 1000000 20000\n", 1);
    let said = with_policy(&listed).expect_err("who is in it is not known");
    assert!(
        said.contains("class `x`") && said.contains("access list"),
        "{said}"
    );
}

/// IOS shapes all that leaves by its default class; a shaper of one class among others is refused.
#[test]
fn a_service_policy_that_shapes_is_the_links_shaper() {
    let config = |policy: &str| {
        format!(
            "version 17.6\nhostname sw\n!\npolicy-map OUT\n{policy}!\ninterface GigabitEthernet1/1\n ip address 192.0.2.1 255.255.255.0\n!\n\
             interface GigabitEthernet3/1\n ip address 198.51.100.1 255.255.255.0\n service-policy output OUT\n!\nend\n"
        )
    };
    let all = config(" class class-default\n  shape average 800000000\n");
    let scenario = with(&[("sw.cfg", &all)], SWITCH).expect("it is right");
    let out = &scenario.links[1].directions[0];
    let shape = out
        .queueing
        .as_ref()
        .and_then(|q| q.shape)
        .expect("a shaper");
    assert_eq!(shape.rate.as_bps(), 800_000_000);
    let back = &scenario.links[1].directions[1];
    assert!(back.queueing.as_ref().is_none_or(|q| q.shape.is_none()));
    let own = SWITCH.replace(
        "memory = \"512 kB\"\n",
        "memory = \"512 kB\"\nshape = { rate = \"5 Mbit/s\" }\n",
    );
    let scenario = with(&[("sw.cfg", &all)], &own).expect("it is right");
    let shape = scenario.links[1].directions[0]
        .queueing
        .as_ref()
        .and_then(|q| q.shape);
    assert_eq!(
        shape.map(|s| s.rate.as_bps()),
        Some(5_000_000),
        "the link's own"
    );
    let part = format!(
        "class-map match-any C\n match ip dscp 8\n{}",
        config(" class C\n  shape average 800000000\n class class-default\n")
    );
    let said = with(&[("sw.cfg", &part)], SWITCH).expect_err("it is a part");
    assert!(said.contains("shapes a part of what leaves"), "{said}");
}

#[test]
fn ports_of_catos_have_the_queues_of_their_type() {
    let catos = "set qos enable
set port qos 1/1 trust trust-dscp
set port qos 3/1 trust trust-dscp
set qos wrr 1p2q2t 96 1
set qos txq-ratio 1p2q2t 80 10 10
set qos map 1p2q2t tx 1 1 cos 0,2,3,4,6,7
set qos map 1p2q2t tx 2 1 cos 1
set qos map 1p2q2t tx 3 cos 5
";
    let scenario = SWITCH
        .replace("GigabitEthernet", "")
        .replace("sw.cfg\"", "sw.cfg\"\ndialect = \"catos\"");
    // Every port of the type has queues, and each its memory.
    let scenario = scenario.replacen(
        "framing = \"gbe\"\n",
        "framing = \"gbe\"\nmemory = \"512 kB\"\n",
        1,
    );
    let scenario = with(&[("sw.cfg", catos)], &scenario).expect("it is right");
    let queueing = scenario.links[1].directions[0]
        .queueing
        .as_ref()
        .expect("three queues");
    let shares: Vec<_> = queueing.classes.iter().map(|c| c.sharing).collect();
    assert_eq!(
        shares,
        [Sharing::Weight(96), Sharing::Weight(1), Sharing::Priority]
    );
    assert!(queueing.classes[1].matches.contains(&Match::Dscp(8)));
    assert!(scenario.links[0].directions[0].arrivals.is_empty());
}

const ATM: &str = "hostname r
interface ATM1/0
!
interface ATM1/0.1 point-to-point
 pvc 0/100
  vbr-nrt 300000 100000 200
  encapsulation aal5mux ip
!
end
";

#[test]
fn a_circuits_contract_shapes_its_link() {
    let scenario = r#"
[scenario]
name = "atm"
[[host]]
name = "a"
[[host]]
name = "b"
[[router]]
name = "r"
config = "r.cfg"
[[link]]
name = "in"
ends = ["a", "r"]
framing = "gbe"
[[link]]
name = "wan"
ends = ["r", "b"]
interfaces = ["ATM1/0.1", "atm0"]
framing = "oc12c-atm"
[[test]]
name = "p"
kind = "ping"
from = "a"
to = "b"
"#;
    let read = with(&[("r.cfg", ATM)], scenario).expect("it is right");
    let [there, back] = read.links[1]
        .directions
        .clone()
        .map(|d| d.cells.expect("it has").shape);
    let shape = there.expect("a contract");
    assert_eq!(shape.pcr.as_bps(), 300_000_000);
    assert_eq!(
        shape.sustained.map(|(scr, mbs)| (scr.as_bps(), mbs)),
        Some((100_000_000, 200))
    );
    assert_eq!(back, None);
    let vc = farpath_predict::Framing::Atm(farpath_predict::atm::Aal5::Vc);
    assert_eq!(read.links[1].framing, vc);
    // The scenario's own word wins.
    let own = scenario.replace(
        "\"oc12c-atm\"",
        "\"oc12c-atm\"\nshape_cells = { pcr = \"10 Mbit/s\" }",
    );
    let read = with(&[("r.cfg", ATM)], &own).expect("it is right");
    let shape = read.links[1].directions[0]
        .cells
        .clone()
        .and_then(|c| c.shape);
    assert_eq!(shape.map(|s| s.pcr.as_bps()), Some(10_000_000));
    for (config, scenario, said) in [
        (ATM.replace(" 200\n", "\n"), scenario.to_owned(), "no burst"),
        (
            ATM.replace("300000", "700000"),
            scenario.to_owned(),
            "700 Mbit/s on a line",
        ),
        (
            ATM.to_owned(),
            scenario.replace("oc12c-atm", "gbe"),
            "has no cells",
        ),
        (
            ATM.replace("!\nend", " pvc 0/101\n  ubr\nend"),
            scenario.to_owned(),
            "has 2 circuits",
        ),
    ] {
        let faults = with(&[("r.cfg", &config)], &scenario).expect_err("it cannot be built");
        assert!(
            faults.contains(said) && faults.contains("help"),
            "{said}:\n{faults}"
        );
    }
}

/// A switch port with shaped round robin between two hosts.
fn srr(port: &str, more: &str) -> Result<Scenario, String> {
    let switch = format!(
        "hostname sw\nswitch 1 provision ws-c3750g-24ts\nmls qos\ninterface GigabitEthernet1/0/1\n mls qos trust dscp\ninterface GigabitEthernet1/0/2\n{port}"
    );
    let scenario = format!(
        "[scenario]\nname = \"x\"\n[[host]]\nname = \"a\"\n[[host]]\nname = \"b\"\n[[router]]\nname = \"sw\"\nconfig = \"sw.cfg\"\ndialect = \"ios\"\n\
         [[link]]\nname = \"in\"\nends = [\"a\", \"sw\"]\ninterfaces = [\"eth0\", \"GigabitEthernet1/0/1\"]\nrate = \"1 Gbit/s\"\n\
         [[link]]\nname = \"out\"\nends = [\"sw\", \"b\"]\ninterfaces = [\"GigabitEthernet1/0/2\", \"eth0\"]\nrate = \"1 Gbit/s\"\n{more}\
         [[test]]\nname = \"t\"\nkind = \"tcp\"\nfrom = \"a\"\nto = \"b\"\nduration = \"10 s\"\n"
    );
    with(&[("sw.cfg", &switch)], &scenario)
}

#[test]
fn shaped_round_robin_becomes_queues_and_a_shaper_or_is_refused() {
    let memory = "forward.memory = \"1 MB\"\n";
    let limited = srr(" srr-queue bandwidth limit 40\n", "").expect("a shaper");
    let queueing = limited.links[1].directions[0].queueing.as_ref();
    let shape = queueing.and_then(|q| q.shape).expect("one");
    assert_eq!(shape.rate.as_bps(), 400_000_000);
    let shares = " srr-queue bandwidth share 1 30 35 5\n priority-queue out\n";
    let shared = srr(shares, memory).expect("queues");
    let queueing = shared.links[1].directions[0].queueing.as_ref();
    let classes = &queueing.expect("queues").classes;
    let sharing: Vec<Sharing> = classes.iter().map(|c| c.sharing).collect();
    let [a, b, c] = [30, 35, 5].map(Sharing::Weight);
    assert_eq!(sharing, [Sharing::Priority, a, b, c]);
    assert!(
        classes[0].matches.contains(&Match::Dscp(46))
            && classes[1].matches.contains(&Match::Dscp(0))
    );
    let why = srr(shares, "").expect_err("no memory");
    assert!(why.contains("no `memory`"), "{why}");
    let why =
        srr(" srr-queue bandwidth shape 0 10 0 0\n", memory).expect_err("one queue is shaped");
    for part in [
        "queue 2 of `GigabitEthernet1/0/2`",
        "shaped to 1/10",
        "not simulated",
    ] {
        assert!(why.contains(part), "{part}: {why}");
    }
}

/// What a router makes of the segment sizes in SYNs is the size of the connection's segments, in both directions.
#[test]
fn a_router_lowers_the_segments_of_a_connection() {
    let mss = |dialect: &str, config: &str, port: &str, ip: u8| {
        let scenario = format!(
            "[scenario]\nname = \"x\"\n[[host]]\nname = \"a\"\n[[host]]\nname = \"b\"\n[[router]]\nname = \"r\"\nconfig = \"r.conf\"\ndialect = \"{dialect}\"\n\
             [[link]]\nname = \"in\"\nends = [\"a\", \"r\"]\nrate = \"1 Gbit/s\"\n\
             [[link]]\nname = \"out\"\nends = [\"r\", \"b\"]\ninterfaces = [\"{port}\", \"eth0\"]\nrate = \"1 Gbit/s\"\n\
             [[test]]\nname = \"t\"\nkind = \"tcp\"\nip = {ip}\nfrom = \"a\"\nto = \"b\"\nduration = \"10 s\"\n"
        );
        let scenario = with(&[("r.conf", config)], &scenario).expect("it is right");
        Plan::new(&scenario)
            .expect("it leads somewhere")
            .mss(&scenario, 0)
    };
    let ios = |mss: &str| {
        format!(
            "hostname r\ninterface GigabitEthernet0/1\n{mss} ip address 192.0.2.1 255.255.255.0\n"
        )
    };
    // Of 1360 bytes 12 are timestamps.
    for (clamp, ip, segment) in [
        ("", 4, 1448),
        (" ip tcp adjust-mss 1360\n", 4, 1348),
        (" ip tcp adjust-mss 1360\n", 6, 1428),
        (" ipv6 tcp adjust-mss 1340\n", 4, 1448),
        (" ipv6 tcp adjust-mss 1340\n", 6, 1328),
    ] {
        assert_eq!(
            mss("ios", &ios(clamp), "GigabitEthernet0/1", ip),
            segment,
            "{clamp} {ip}"
        );
    }
    let junos =
        "set system host-name r\nset interfaces ge-0/0/1 unit 0 family inet address 192.0.2.1/24\n";
    let (inet, inet6) = (
        "set interfaces ge-0/0/1 unit 0 family inet tcp-mss 1300\n",
        "set interfaces ge-0/0/1 unit 0 family inet6 tcp-mss 1300\n",
    );
    for (clamp, ip, segment) in [
        ("set security flow tcp-mss all-tcp mss 1350\n", 4, 1338),
        (inet, 4, 1288),
        (inet, 6, 1428),
        (inet6, 4, 1448),
        (inet6, 6, 1288),
        ("set security flow tcp-mss ipsec-vpn mss 1300\n", 4, 1448),
    ] {
        let config = format!("{junos}{clamp}");
        let found = mss("junos-set", &config, "ge-0/0/1", ip);
        assert_eq!(found, segment, "{clamp} {ip}");
    }
}

/// The one path that router files make.
fn path(files: &[(&str, &str)]) -> Result<farpath_scenario::Wired, String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let sources = files.iter().map(|(name, text)| {
        let name = folder.path().join(name).to_string_lossy().into_owned();
        std::fs::write(&name, text).expect("written");
        farpath_config::Source {
            name,
            text: (*text).to_owned(),
        }
    });
    let sources: Vec<_> = sources.collect();
    let report = farpath_config::check(&sources, &vec![None; sources.len()]);
    let stated = farpath_scenario::Stated {
        rtt: farpath_units::Duration::from_ms(20),
        rate: None,
        memory: None,
    };
    let folder = folder.path().to_string_lossy().into_owned();
    farpath_scenario::wired(&report, &sources, &folder, stated)
}

/// A bundle carries of one connection what a member does; a port of management ends no path; a unit's shaper is the
/// port's where it has no other.
#[test]
fn bundles_management_and_shaped_units_of_a_path() {
    let junos = |shaping: &str| {
        format!(
            "set system host-name mx\nset system services ssh\nset interfaces xe-0/0/0 gigether-options 802.3ad ae0\nset interfaces xe-0/0/1 gigether-options 802.3ad ae0\nset interfaces ae0 mtu 9014\nset interfaces ae0 unit 0 family inet address 192.0.2.1/30\nset interfaces ge-0/1/0 unit 0 family inet address 198.51.100.1/24\n{shaping}"
        )
    };
    let xr = "!! IOS XR Configuration 7.5.2\nhostname pe\ninterface MgmtEth0/RP0/CPU0/0\n ipv4 address 203.0.113.9 255.255.255.0\n!\ninterface Bundle-Ether1\n mtu 9014\n ipv4 address 192.0.2.2 255.255.255.252\n!\ninterface TenGigE0/0/0/0\n bundle id 1\n!\ninterface TenGigE0/0/0/1\n ipv4 address 203.0.113.1/24\n!\ninterface GigabitEthernet0/0/0/9\n vrf MGMT\n ipv4 address 10.0.0.9/24\n!\nend\n";
    let plain = path(&[("mx.conf", &junos("")), ("pe.cfg", xr)]).expect("a path");
    let link = &plain.scenario.links[0];
    let ways = link.directions.clone().map(|d| (d.rate.as_bps(), d.mtu));
    assert_eq!(ways, [(10_000_000_000, 9000); 2]);
    let shape = |w: &farpath_scenario::Wired| {
        let client = w
            .scenario
            .links
            .iter()
            .find(|l| l.name == "client")
            .expect("one");
        client.directions[1].queueing.as_ref().and_then(|q| q.shape)
    };
    assert_eq!(shape(&plain), None);
    let shaped = junos("set class-of-service interfaces ge-0/1/0 unit 0 shaping-rate 50m\n");
    let shaped = path(&[("mx.conf", &shaped), ("pe.cfg", xr)]).expect("a path");
    assert_eq!(shape(&shaped).expect("a shaper").rate.as_bps(), 50_000_000);
}

/// A scheduler map that nothing defines divides no buffer: that is said, and no size of one is asked for.
#[test]
fn an_undefined_scheduler_map_is_said_before_a_buffer_is_asked_for() {
    let junos = "set system host-name mx\nset interfaces ge-0/0/0 unit 0 family inet address 192.0.2.1/30\nset interfaces ge-0/0/1 unit 0 family inet address 198.51.100.1/24\nset class-of-service interfaces ge-0/0/1 scheduler-map NOPE\n";
    let ios = "hostname pe\ninterface GigabitEthernet0/0\n ip address 192.0.2.2 255.255.255.252\ninterface GigabitEthernet0/1\n ip address 203.0.113.1 255.255.255.0\nend\n";
    let why = path(&[("mx.conf", junos), ("pe.ios", ios)]).expect_err("the map is missing");
    assert!(why.contains("scheduler-map `NOPE` is not defined"), "{why}");
    assert!(!why.contains("memory"), "{why}");
}

/// A router with a policer on the port to `a`, and one on a port that no link ends at.
const POLICED: &str = "system { host-name r; }
interfaces {
    ge-0/0/1 { unit 0 { family inet { policer { input P; } address 192.0.2.1/30; } } }
    ge-0/0/2 { unit 0 { family inet { policer { input Q; } address 192.0.2.9/30; } } }
    xe-0/0/0 { unit 0 { family inet { address 192.0.2.5/30; } } }
    xe-0/0/1 { unit 0 { family inet { address 192.0.2.13/30; } } }
}
firewall {
    policer P { if-exceeding { bandwidth-limit 25m; burst-size-limit 30k; } then discard; }
    policer Q { if-exceeding { bandwidth-limit 25m; burst-size-limit 30k; } then discard; }
}
";

/// What QOS011 says of both policers where `more` is in the scenario.
fn judged(more: &str) -> Vec<String> {
    let scenario = format!(
        "[scenario]\nname = \"s\"\n[[host]]\nname = \"a\"\n[[host]]\nname = \"b\"\n[[host]]\nname = \"c\"\n[[router]]\nname = \"r\"\nconfig = \"r.conf\"\n\
         [[link]]\nname = \"to-a\"\nends = [\"a\", \"r\"]\ninterfaces = [\"eth0\", \"ge-0/0/1\"]\nframing = \"gbe\"\ndelay = \"5 ms\"\n\
         [[link]]\nname = \"to-b\"\nends = [\"r\", \"b\"]\ninterfaces = [\"xe-0/0/0\", \"eth0\"]\nframing = \"10gbe\"\ndelay = \"12 ms\"\n\
         [[link]]\nname = \"to-c\"\nends = [\"r\", \"c\"]\ninterfaces = [\"xe-0/0/1\", \"eth0\"]\nframing = \"10gbe\"\ndelay = \"30 ms\"\n\
         [[test]]\nname = \"bulk\"\nkind = \"tcp\"\nfrom = \"a\"\nto = \"b\"\nduration = \"8 s\"\n{more}"
    );
    let scenario = with(&[("r.conf", POLICED)], &scenario).expect("it is right");
    let plan = Plan::new(&scenario).expect("it leads somewhere");
    let files = scenario.configuration.as_ref().expect("it brings one");
    let report = files.judged(&scenario, &plan);
    let found = report.findings.iter().filter(|f| f.rule == "QOS011");
    found
        .map(|f| format!("{}; {}", f.text, f.remedies.join("; ")))
        .collect()
}

/// In a scenario the round trip and the line of a policer are those of the tests through its port.
#[test]
fn a_policer_is_judged_for_the_tests_through_its_port() {
    let found = judged("");
    let [p, q] = &found[..] else {
        panic!("{found:?}")
    };
    assert!(
        p.contains("round trip of 34 ms (that of the tests through it)") && p.contains("106250 B"),
        "{p}"
    );
    assert!(
        q.contains("round trip of 100 ms (taken: no test of the scenario passes it)"),
        "{q}"
    );
    let farther = "[[test]]\nname = \"far\"\nkind = \"ping\"\nfrom = \"c\"\nto = \"a\"\n";
    let found = judged(farther);
    assert!(found[0].contains("round trip of 70 ms"), "{found:?}");
}

/// The end of a circuit on `ge-0/0/1` of a router; `port` and `unit` say which frames it carries.
fn circuit_end(own: usize, port: &str, unit: (&str, &str)) -> String {
    let other = 3 - own;
    let (number, said) = unit;
    format!(
        "system {{ host-name mx{own}; }}\ninterfaces {{\n ge-0/0/1 {{ {port} unit {number} {{ {said} family ccc; }} }}\n xe-0/1/0 {{ unit 0 {{ family inet {{ address 10.0.0.{own}/30; }} family mpls; }} }}\n lo0 {{ unit 0 {{ family inet {{ address 192.0.2.{own}/32; }} }} }}\n}}\n\
         protocols {{\n rsvp {{ interface xe-0/1/0.0; }}\n mpls {{ label-switched-path mx{own}-mx{other} {{ to 192.0.2.{other}; no-cspf; }} interface xe-0/1/0.0; }}\n connections {{ remote-interface-switch cust {{ interface ge-0/0/1.{number}; transmit-lsp mx{own}-mx{other}; receive-lsp mx{other}-mx{own}; }} }}\n}}\n"
    )
}

/// Frames keep their tag through a circuit of one VLAN, and a switch in front of it carries that VLAN.
#[test]
fn a_circuit_of_a_vlan_is_behind_a_trunk() {
    let switch = "version 12.2\nhostname c6k-a\nvlan 100\ninterface GigabitEthernet1/1\n switchport\n switchport mode access\n switchport access vlan 100\ninterface GigabitEthernet1/2\n description to mx1 ge-0/0/1\n switchport\n switchport trunk encapsulation dot1q\n switchport mode trunk\n switchport trunk allowed vlan 100\nend\n";
    let with = |port: &str, unit: (&str, &str)| {
        let [one, other] = [1, 2].map(|n| circuit_end(n, port, unit));
        path(&[("c2.ios", switch), ("mx1.conf", &one), ("mx2.conf", &other)])
    };
    let vlan = "vlan-tagging; encapsulation vlan-ccc;";
    let built = with(vlan, ("100", "encapsulation vlan-ccc; vlan-id 100;")).expect("a path");
    let scenario = &built.scenario;
    let hops = built.plan.walk(scenario, FlowDir::forward(0));
    let nodes = hops
        .iter()
        .map(|h| scenario.node_name(built.plan.ports[h.port].to));
    assert_eq!(nodes.collect::<Vec<_>>(), ["c6k-a", "mx1", "mx2", "server"]);
    // From the switch on to the server, but in the circuit, where the tag is inside.
    assert_eq!(
        built.text.matches("vlan = 100").count(),
        2,
        "{}",
        built.text
    );
    assert!(built.text.contains("\"ge-0/0/1.100\""), "{}", built.text);
    let other = with(vlan, ("200", "encapsulation vlan-ccc; vlan-id 200;"));
    let why = other.expect_err("the trunk does not carry it");
    assert!(why.contains("which takes no frames with tag 200"), "{why}");
    let whole = with("encapsulation ethernet-ccc;", ("0", ""));
    let why = whole.expect_err("it is not built");
    assert!(
        why.contains("a circuit that carries a whole port with tags") && !why.contains("no tag"),
        "{why}"
    );
}
