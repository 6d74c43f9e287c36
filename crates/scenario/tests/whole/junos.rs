//! Filters, policers and classes of service of Junos routers, built into links.

use farpath_scenario::{
    ClassLimit, Match, PoliceAction, QueueLimit, Rule, Scenario, Scheduler, Sharing,
};
use farpath_units::Size;

use crate::configured::{shipped, with};

/// The tunnel of two routers, with these statements added to the second.
fn tunnel(second: &str, scenario: &dyn Fn(String) -> String) -> Result<Scenario, String> {
    let (text, a) = shipped("cernh5");
    let (_, b) = shipped("ar5-chicago");
    let b = format!("{b}{second}");
    let files = [("cernh5.conf", a.as_str()), ("ar5-chicago.conf", &b)];
    with(&files, &scenario(text))
}

fn same(text: String) -> String {
    text
}

/// The policer of a customer, and a filter that puts everything through it.
const CUSTOMER: &str = "firewall {
    policer CUST-1G { if-exceeding { bandwidth-limit 1g; burst-size-limit 62500; } then discard; }
    family ccc { filter CUST-IN { term all { then { policer CUST-1G; count in; accept; } } } }
}
";

fn on_unit(family: &str, what: &str) -> String {
    format!("interfaces {{ ge-1/1/0 {{ unit 591 {{ family {family} {{ {what} }} }} }} }}\n")
}

#[test]
fn a_filter_of_a_circuit_polices_what_arrives_and_what_leaves() {
    let contract = |rule: &farpath_scenario::PoliceRule| {
        let figures = (rule.rate.as_bps(), rule.burst.as_bytes(), rule.overhead);
        assert_eq!(figures, (1_000_000_000, 62_500, 0));
        assert!(rule.matches.is_empty());
        assert_eq!(rule.actions[2], PoliceAction::Drop);
        rule.name.clone()
    };
    // The link runs from the router to the host.
    let input = CUSTOMER.to_owned() + &on_unit("ccc", "filter { input CUST-IN; }");
    let read = tunnel(&input, &same).expect("it is right");
    let [to_host, from_host] = &read.links[2].directions;
    let [Rule::Police(rule)] = &from_host.arrivals[..] else {
        panic!("{:?}", from_host.arrivals)
    };
    assert_eq!(contract(rule), "CUST-IN-all");
    assert!(to_host.conditioning.policers.is_empty());

    let output = CUSTOMER.to_owned() + &on_unit("ccc", "filter { output CUST-IN; }");
    let read = tunnel(&output, &same).expect("it is right");
    let [to_host, from_host] = &read.links[2].directions;
    let [rule] = &to_host.conditioning.policers[..] else {
        panic!("{:?}", to_host.conditioning)
    };
    assert_eq!(contract(rule), "CUST-IN-all");
    assert!(from_host.arrivals.is_empty());

    let policer = CUSTOMER.to_owned() + &on_unit("ccc", "policer { output CUST-1G; }");
    let read = tunnel(&policer, &same).expect("it is right");
    let [rule] = &read.links[2].directions[0].conditioning.policers[..] else {
        panic!("one")
    };
    assert_eq!(contract(rule), "CUST-1G");
    // The scenario's own word wins.
    let own = |text: String| {
        text.replace(
            "\"ge-1/1/0\", \"eth1\"]",
            "\"ge-1/1/0\", \"eth1\"]\npolice = { name = \"p\", rate = \"2 Gbit/s\", burst = \"1 MB\" }",
        )
    };
    let read = tunnel(&output, &own).expect("it is right");
    let policers = &read.links[2].directions[0].conditioning.policers;
    assert_eq!((policers.len(), policers[0].name.as_str()), (1, "p"));
}

/// Two hosts at a router whose interfaces are routed.
const ROUTED: &str = r#"
[scenario]
name = "routed"
[[host]]
name = "a"
[[host]]
name = "b"
[[router]]
name = "r"
config = "r.conf"
[[link]]
name = "in"
ends = ["a", "r"]
interfaces = ["eth0", "ge-0/0/0"]
framing = "gbe"
[[link]]
name = "out"
ends = ["r", "b"]
interfaces = ["xe-0/0/1", "eth0"]
framing = "10gbe"
memory = "1 MB"
[[test]]
name = "p"
kind = "ping"
from = "a"
to = "b"
"#;

const ROUTER: &str = "system { host-name r; }
interfaces {
    ge-0/0/0 { unit 0 { family inet { address 192.0.2.1/30; } } }
    xe-0/0/1 { unit 0 { family inet { address 192.0.2.5/30; } } }
}
";

fn routed(more: &str) -> Result<Scenario, String> {
    with(&[("r.conf", &format!("{ROUTER}{more}"))], ROUTED)
}

#[test]
fn terms_take_frames_in_order_and_the_rest_is_discarded() {
    let firewall = "firewall {
    policer low { if-exceeding { bandwidth-limit 10m; burst-size-limit 15k; } then discard; }
    family inet {
        filter edge {
            term scavenger { from { dscp [ cs1 le ]; } then { policer low; } }
            term voice { from { dscp ef; precedence 5; } then accept; }
            term none { from { precedence network-control; } then accept; }
        }
    }
}
interfaces { ge-0/0/0 { unit 0 { family inet { filter { input edge; } } } } }
";
    let said = routed(firewall).expect_err("`network-control` is a precedence of nobody");
    assert!(
        said.contains("`precedence` cannot be `network-control`"),
        "{said}"
    );
    let read = routed(&firewall.replace("network-control", "net-control")).expect("it is right");
    let rules: Vec<_> = read.links[0].directions[0]
        .arrivals
        .iter()
        .map(|rule| match rule {
            Rule::Police(rule) => rule,
            Rule::Mark(_) => panic!("nothing is marked"),
        })
        .collect();
    let names: Vec<&str> = rules.iter().map(|r| r.name.as_str()).collect();
    assert_eq!(
        names,
        ["edge-scavenger", "edge-voice", "edge-none", "edge-discard"]
    );
    assert_eq!(rules[0].matches, [Match::Dscp(1), Match::Dscp(8)]);
    // A filter of datagrams counts datagrams: 14 bytes of Ethernet less.
    assert_eq!(
        (rules[0].rate.as_bps(), rules[0].overhead),
        (10_000_000, -14)
    );
    assert_eq!(rules[1].matches, [Match::Dscp(46)]);
    assert_eq!(rules[1].actions, [PoliceAction::Pass; 3]);
    assert_eq!(rules[2].matches.len(), 8);
    assert_eq!(rules[3].matches.len(), 64 - 2 - 1 - 8);
    assert_eq!(rules[3].actions, [PoliceAction::Drop; 3]);
}

/// A forecast gives nothing where the filters of the way, there or back, discard what a test sends, as a run does.
#[test]
fn what_a_filter_discards_is_not_promised() {
    let filter = |side: &str, port: &str| {
        format!(
            "firewall {{ family inet {{ filter f {{ term t {{ from {{ dscp 8; }} then accept; }} }} }} }}
interfaces {{ {port} {{ unit 0 {{ family inet {{ filter {{ {side} f; }} }} }} }} }}
"
        )
    };
    type Said = (Option<f64>, Option<f64>, Option<String>, String);
    let goodputs = |more: &str| -> Vec<Said> {
        let test = |name: &str, kind: &str| {
            format!(
                "[[test]]\nname = \"{name}\"\nkind = \"{kind}\"\nfrom = \"a\"\nto = \"b\"\nduration = \"10 s\"\n"
            )
        };
        let scavenger = test("s", "tcp") + "class = \"cs1\"\n";
        let udp = test("u", "udp") + "rate = \"1 Mbit/s\"\n";
        let text = ROUTED.to_owned() + &test("t", "tcp") + &scavenger + &udp;
        let read = with(&[("r.conf", &format!("{ROUTER}{more}"))], &text).expect("it is right");
        let plan = farpath_scenario::plan::Plan::new(&read).expect("a plan");
        let records = farpath_scenario::forecast(&read, &plan, &std::collections::BTreeMap::new());
        let figures = records.iter().map(|r| {
            let figure = |name: &str| r.metrics.get(name).copied();
            let notes = r.notes.join("; ");
            (
                figure("goodput_bps"),
                figure("loss_ratio"),
                r.limited_by.clone(),
                notes,
            )
        });
        figures.collect()
    };
    for (side, port, way) in [
        ("output", "xe-0/0/1", "out r>b drops all that it sends"),
        ("input", "ge-0/0/0", "in a>r drops all that it sends"),
        ("output", "ge-0/0/0", "in r>a drops all that comes back"),
    ] {
        let [ping, tcp, scavenger, udp] = &goodputs(&filter(side, port))[..] else {
            panic!("four tests")
        };
        let why = format!("`f-discard` on {way}");
        assert_eq!((ping.1, &ping.3), (Some(1.0), &why), "{side} {port}");
        assert_eq!((tcp.0, &tcp.3), (Some(0.0), &why), "{side} {port}");
        assert_eq!(tcp.2.as_deref(), Some("policer"));
        assert!(scavenger.0.is_some_and(|bps| bps > 1e8), "{scavenger:?}");
        // Nothing of a stream of datagrams comes back.
        let passes = way.contains("comes back");
        assert_eq!(udp.0.is_some_and(|bps| bps > 0.0), passes, "{udp:?}");
    }
}

#[test]
fn filters_that_cannot_be_built_are_refused_with_file_line_and_remedy() {
    let filter = |term: &str| {
        format!(
            "firewall {{ family inet {{ filter f {{ term t {{ {term} }} }} }} }}\ninterfaces {{ ge-0/0/0 {{ unit 0 {{ family inet {{ filter {{ input f; }} }} }} }} }}\n"
        )
    };
    let twice = "firewall { policer p { if-exceeding { bandwidth-limit 1m; burst-size-limit 15k; } then discard; } family inet { filter f { term t { then policer p; } } } }\ninterfaces { ge-0/0/0 { unit 0 { family inet { filter { input f; } policer { input p; } } } } }\n";
    for (config, said) in [
        (
            filter("from { source-address 192.0.2.0/24; } then discard;"),
            "asks for `source-address`",
        ),
        (filter("then policer q;"), "policer `q` is not defined"),
        (
            filter("then accept;").replace("input f;", "input g;"),
            "filter `g` of family inet is not defined",
        ),
        (twice.to_owned(), "has a filter and a policer one way"),
        (
            filter("then policer p;") + "firewall { policer p { then discard; } }\n",
            "policer `p` has no contract",
        ),
    ] {
        let faults = routed(&config).expect_err("it cannot be built");
        assert!(
            faults.contains(said) && faults.contains("r.conf, line ") && faults.contains("help"),
            "{said}:\n{faults}"
        );
    }
    // What lets everything pass is nothing; `routed` has a ping, which a term of ICMP may meet.
    let icmp = filter("from { protocol icmp; } then discard; } term rest { then accept;");
    let faults = routed(&icmp).expect_err("a ping may meet it");
    assert!(faults.contains("asks for `protocol`"), "{faults}");
    let read = routed(&filter("then { count all; accept; }")).expect("it is right");
    assert!(read.links[0].directions[0].arrivals.is_empty());
}

/// Three classes with schedulers on `xe-0/0/1`, by DSCP.
const CLASSES: &str = "class-of-service {
    classifiers { dscp edge { forwarding-class low { loss-priority high code-points [ cs1 000001 ]; } forwarding-class voice { loss-priority low code-points ef; } } }
    forwarding-classes { queue 0 best-effort; queue 1 low; queue 2 voice; }
    schedulers {
        be { transmit-rate remainder; buffer-size percent 70; priority low; }
        low { transmit-rate percent 5; buffer-size percent 5; priority low; }
        voice { transmit-rate 100m; buffer-size temporal 200; priority strict-high; }
    }
    scheduler-maps { m {
        forwarding-class best-effort scheduler be;
        forwarding-class low scheduler low;
        forwarding-class voice scheduler voice;
    } }
    interfaces {
        ge-0/0/0 { unit * { classifiers { dscp edge; } } }
        xe-0/0/1 { scheduler-map m; shaping-rate 5g; }
    }
}
";

#[test]
fn a_scheduler_map_becomes_classes_of_what_the_port_sends() {
    let read = routed(CLASSES).expect("it is right");
    let out = read.links[1].directions[0].queueing.as_ref();
    let out = out.expect("three queues");
    assert_eq!(out.scheduler, Scheduler::Drr);
    assert_eq!(out.memory, Some(Size::from_bytes(1_000_000)));
    assert_eq!(out.shape.map(|s| s.rate.as_bps()), Some(5_000_000_000));
    let names: Vec<&str> = out.classes.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["best-effort", "low", "voice"]);
    let [best, low, voice] = &out.classes[..] else {
        panic!("three")
    };
    // 94 % are left by 5 % and 100 of 10 000 Mbit/s.
    assert_eq!(best.sharing, Sharing::Weight(94));
    assert_eq!(low.sharing, Sharing::Weight(5));
    assert_eq!(voice.sharing, Sharing::Priority);
    assert!(best.matches.is_empty());
    assert_eq!(low.matches[..2], [Match::Dscp(1), Match::Dscp(8)]);
    assert!(voice.matches.contains(&Match::Dscp(46)));
    let bytes = |n| ClassLimit::Own(QueueLimit::Bytes(Size::from_bytes(n)));
    assert_eq!((best.limit, low.limit), (bytes(700_000), bytes(50_000)));
    // 200 µs of 10 Gbit/s.
    assert_eq!(voice.limit, bytes(250_000));
    assert!(read.links[1].directions[1].queueing.is_none());
}

#[test]
fn classes_that_cannot_be_built_are_refused_with_what_to_write() {
    let other = "ge-0/0/0 { unit * { classifiers { dscp edge; } } }";
    let cases = [
        (
            CLASSES.replace("scheduler-map m;", "scheduler-map n;"),
            "scheduler-map `n` is not defined",
        ),
        (
            CLASSES.replace("scheduler low;", "scheduler lo;"),
            "scheduler `lo` is not defined",
        ),
        (
            CLASSES.replace("percent 5; priority low", "percent 5; priority high"),
            "only `strict-high`",
        ),
        (
            CLASSES.replace("        forwarding-class low scheduler low;\n", ""),
            "no scheduler for queue 1",
        ),
    ];
    for (config, said) in cases {
        let faults = routed(&config).expect_err("it cannot be built");
        assert!(
            faults.contains(said) && faults.contains("r.conf, line ") && faults.contains("help"),
            "{said}:\n{faults}"
        );
    }
    assert!(CLASSES.contains(other));
    let untold = ROUTED.replacen("memory = \"1 MB\"\n", "", 1);
    let file = format!("{ROUTER}{CLASSES}");
    let said = with(&[("r.conf", &file)], &untold).expect_err("how much is not known");
    assert!(
        said.contains("has no `memory`") && said.contains("512 kB"),
        "{said}"
    );
    let fifo = untold.replace(
        "framing = \"10gbe\"",
        "framing = \"10gbe\"\nscheduler = \"fifo\"",
    );
    with(&[("r.conf", &file)], &fifo).expect("the link says what its queue is");
}
