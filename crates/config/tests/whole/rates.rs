//! Rates, bursts and storm control that cannot be meant, on configurations that have them and on others.

use farpath_config::qos::Options;
use farpath_config::{Dialect, Severity, check_with};
use farpath_units::Rate;

use crate::{at_lines, checked, source};

/// Findings of a rule in an IOS-XE text: their line, severity and text.
fn found(text: &str, rule: &str) -> Vec<(usize, Severity, String)> {
    at_lines(&checked(text, Dialect::Ios), text, rule)
}

const HEAD: &str = "version 17.6\nplatform qfp utilization monitor load 80\nclass-map match-any voice\n match dscp ef\nclass-map match-any video\n match dscp af41\n";

/// 20 Mbit/s carry a priority of 10 and a bandwidth of 10, and no more.
#[test]
fn qos026_classes_within_their_shaper() {
    let with = |first: &str, second: &str, shape: &str| {
        let text = format!(
            "{HEAD}policy-map child\n class voice\n  {first}\n class video\n  {second}\npolicy-map parent\n class class-default\n  {shape}\n  service-policy child\ninterface GigabitEthernet0/0/0\n service-policy output parent\n"
        );
        found(&text, "QOS026")
    };
    let shape = "shape average 20000000";
    let said = with("priority 10000", "bandwidth 40000", shape);
    assert_eq!(
        said,
        [(
            11,
            Severity::Error,
            "policy map child: with the 40 Mbit/s of class video its classes keep 50 Mbit/s, and class class-default of parent is shaped to 20 Mbit/s".to_owned()
        )]
    );
    for (first, second, shape) in [
        ("priority 10000", "bandwidth 10000", shape),
        // Percentages are of the shaper's rate, and QOS024's where they exceed it.
        ("priority percent 60", "bandwidth percent 60", shape),
        ("priority", "bandwidth remaining percent 90", shape),
        (
            "priority 10000",
            "bandwidth 40000",
            "shape average percent 10",
        ),
    ] {
        assert_eq!(with(first, second, shape), [], "{first} {second} {shape}");
    }
    for (first, second, shape) in [
        ("priority 30000", "bandwidth percent 10", shape),
        ("priority percent 60", "bandwidth 10000", shape),
        (
            "priority 10000",
            "bandwidth 40000",
            "shape average percent 2",
        ),
    ] {
        let said = with(first, second, shape);
        assert_eq!(said.len(), 1, "{first} {second} {shape}: {said:?}");
    }
}

/// `bandwidth` is in kbit/s and `shape` in bit/s: one that is far below the other is probably in the other's unit.
#[test]
fn qos026_a_class_within_its_own_shaper() {
    let policy = |keeps: &str, shape: &str| {
        let text = format!("{HEAD}policy-map flat\n class voice\n  {keeps}\n  {shape}\n");
        let report = checked(&text, Dialect::Ios);
        let found = report.findings.iter().filter(|f| f.rule == "QOS026");
        found
            .map(|f| (f.text.clone(), f.remedies.clone()))
            .collect::<Vec<_>>()
    };
    let slipped = policy("bandwidth 10000", "shape average 500000");
    let (text, remedies) = &slipped[0];
    assert!(
        text.contains("keeps 10 Mbit/s, and it is shaped to 500 kbit/s"),
        "{text}"
    );
    assert!(
        remedies[0].contains("`shape average 500000000`"),
        "{remedies:?}"
    );
    let slow = policy("bandwidth 10000", "shape average 9000000");
    assert!(
        slow.len() == 1 && slow[0].1.len() == 1,
        "of one unit: {slow:?}"
    );
    let percent = policy("bandwidth percent 60", "shape average percent 50");
    assert!(percent[0].0.contains("keeps 60 %"), "{percent:?}");
    for (keeps, shape) in [
        ("bandwidth 10000", "shape average 10000000"),
        ("bandwidth percent 50", "shape average percent 50"),
        ("bandwidth remaining percent 50", "shape average 500000"),
    ] {
        assert_eq!(policy(keeps, shape), [], "{keeps} {shape}");
    }
    // The same of a policy inside a class that is shaped.
    let text = format!(
        "{HEAD}policy-map child\n class voice\n  bandwidth 400000\npolicy-map parent\n class class-default\n  shape average 500000\n  service-policy child\n"
    );
    let report = checked(&text, Dialect::Ios);
    let said = report.findings.iter().find(|f| f.rule == "QOS026");
    let said = said.expect("400 Mbit/s are more than 500 kbit/s");
    assert!(
        said.remedies[1].contains("`shape average 500000000`"),
        "{said:?}"
    );
}

/// A port carries what its classes keep; of several ports with one policy map the slowest counts.
#[test]
fn qos026_classes_within_their_port() {
    let with = |ports: &str| {
        let text = format!(
            "{HEAD}policy-map flat\n class voice\n  priority 60000\n class video\n  bandwidth 60000\n{ports}"
        );
        found(&text, "QOS026")
    };
    let port =
        |name: &str, more: &str| format!("interface {name}\n{more} service-policy output flat\n");
    let [slow, fast] = [port("FastEthernet0/1", ""), port("GigabitEthernet0/1", "")];
    assert_eq!(with(&fast), []);
    let said = with(&format!("{fast}{slow}"));
    assert!(
        said.len() == 1
            && said[0]
                .2
                .ends_with("and FastEthernet0/1 carries 100 Mbit/s"),
        "{said:?}"
    );
    assert_eq!(with(&port("GigabitEthernet0/1", " speed 100\n")).len(), 1);
    assert_eq!(with(&port("FastEthernet0/1", " shutdown\n")), []);
    assert_eq!(with(&port("Serial0/1", "")), []);
}

#[test]
fn qos012_shapers_and_policers_that_the_line_never_fills() {
    let with = |line: &str| {
        let text = format!(
            "{HEAD}policy-map flat\n class voice\n  {line}\ninterface FastEthernet0/1\n service-policy output flat\n"
        );
        found(&text, "QOS012")
            .into_iter()
            .map(|f| f.2)
            .filter(|t| t.contains("does nothing"))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        with("shape average 200000000"),
        [
            "class voice: `shape` at 200 Mbit/s does nothing, since FastEthernet0/1 carries 100 Mbit/s"
        ]
    );
    let police =
        |rate: u64| format!("police {rate} 3000000 conform-action transmit exceed-action drop");
    assert_eq!(with(&police(200_000_000)).len(), 1);
    for fits in ["shape average 100000000".to_owned(), police(50_000_000)] {
        assert_eq!(with(&fits), Vec::<String>::new(), "{fits}");
    }
}

/// Bytes in `police`, bits in `shape` (Cisco, command reference).
#[test]
fn qos027_bursts_in_proportion() {
    let with = |line: &str| {
        let text = format!(
            "{HEAD}policy-map flat\n class voice\n  {line}\ninterface GigabitEthernet0/1\n mtu 9000\n service-policy input flat\n"
        );
        found(&text, "QOS027")
    };
    let police =
        |burst: u64| format!("police 8000000 {burst} conform-action transmit exceed-action drop");
    let said = with(&police(100_000_000));
    assert_eq!(
        said,
        [(
            9,
            Severity::Warning,
            "class voice: a burst of 100 MB lets 100 s of 8 Mbit/s pass at the line's speed before anything is limited".to_owned()
        )]
    );
    let said = with(&police(9_000));
    assert!(
        said.len() == 1 && said[0].1 == Severity::Error && said[0].2.contains("9000 B"),
        "{said:?}"
    );
    let said = with("shape average 10000000 1000");
    assert!(
        said.len() == 1 && said[0].2.contains("1000 bit is 125 B and lasts 0.100 ms"),
        "{said:?}"
    );
    let said = with("shape average 10000000 80000000");
    assert!(
        said.len() == 1 && said[0].2.contains("lasts 8000.000 ms"),
        "{said:?}"
    );
    for line in [
        police(1_500_000),
        police(9_014),
        "shape average 10000000".to_owned(),
        "shape average 10000000 80000".to_owned(),
        // 10 ms of a slow line, as for voice.
        "shape average 64000 640".to_owned(),
    ] {
        assert_eq!(with(&line), [], "{line}");
    }
}

/// A bucket whose excess is marked, and goes on, cuts no connection.
#[test]
fn qos011_is_of_policers_that_drop() {
    let with = |actions: &str| {
        let text =
            format!("{HEAD}policy-map flat\n class voice\n  police 100000000 5000 {actions}\n");
        found(&text, "QOS011").len()
    };
    assert_eq!(with("conform-action transmit exceed-action drop"), 1);
    assert_eq!(
        with("conform-action transmit exceed-action set-dscp-transmit af12"),
        0
    );
    // Both buckets together hold what is not dropped.
    let two = |second: u64| {
        format!(
            "{second} conform-action transmit exceed-action set-dscp-transmit af12 violate-action drop"
        )
    };
    assert_eq!(with(&two(5_000)), 1);
    assert_eq!(with(&two(2_000_000)), 0);
}

/// The policer of IOS before policy maps: bit/s, and two bursts in bytes (Cisco, command reference, `rate-limit`).
#[test]
fn rate_limits_are_policers() {
    let with = |line: &str| {
        let text = format!("version 12.2\nhostname r\ninterface FastEthernet0/1\n {line}\n");
        let report = checked(&text, Dialect::Ios);
        assert_eq!(report.files[0].unrecognised, [], "{line}");
        let own = report.findings.iter().map(|f| f.rule.to_string());
        own.collect::<Vec<_>>()
    };
    let none = Vec::<String>::new();
    let actions = "conform-action transmit exceed-action";
    for of in [
        "",
        "access-group 101 ",
        "dscp 8 ",
        "access-group rate-limit 5 ",
    ] {
        let line = |bursts: &str| format!("rate-limit input {of}8000000 {bursts} {actions} drop");
        assert_eq!(with(&line("1500000 3000000")), none, "{of}");
        assert_eq!(with(&line("2000 2000")), ["QOS011"], "{of}");
        assert_eq!(with(&line("1500000 30000000")), ["QOS027"], "{of}");
    }
    let marked = format!("rate-limit output 8000000 2000 2000 {actions} set-prec-transmit 0");
    assert_eq!(with(&marked), none);
}

#[test]
fn qos029_storm_control_is_read_and_said() {
    let with = |line: &str| {
        let text = format!(
            "version 12.2\nmls qos\ninterface GigabitEthernet1/1\n switchport mode access\n {line}\n"
        );
        let report = checked(&text, Dialect::Ios);
        assert_eq!(report.files[0].unrecognised, [], "{line}");
        found(&text, "QOS029")
    };
    let said = with("storm-control unicast level 5.00");
    assert_eq!(
        said,
        [(
            5,
            Severity::Warning,
            "GigabitEthernet1/1 drops unicast frames above 5 % of the port, 50 Mbit/s, until a second has less".to_owned()
        )]
    );
    for (line, severity) in [
        ("storm-control broadcast level 1.00 0.50", Severity::Info),
        ("storm-control multicast level pps 2k 1k", Severity::Info),
        ("storm-control unicast level bps 100m", Severity::Warning),
        ("storm-control unicast level 0.00", Severity::Error),
        ("storm-control broadcast level 0.00", Severity::Error),
        ("storm-control multicast level pps 0", Severity::Warning),
    ] {
        let said = with(line);
        assert!(said.len() == 1 && said[0].1 == severity, "{line}: {said:?}");
    }
    for line in [
        "storm-control unicast level 100.00",
        "storm-control unicast level bps 1g",
        "storm-control action shutdown",
        "no storm-control unicast level",
    ] {
        assert_eq!(with(line), [], "{line}");
    }
}

/// A planned rate above the level is a policer's finding as well.
#[test]
fn qos023_of_storm_control() {
    let text =
        "version 12.2\nmls qos\ninterface GigabitEthernet1/1\n storm-control unicast level 50.00\n";
    let source = source("r.conf", text);
    let options = Options {
        rate: farpath_units::Rate::from_bps(800_000_000),
        ..Options::default()
    };
    let report = check_with(&[source], &[Some(Dialect::Ios)], &options);
    let found = report.findings.iter().find(|f| f.rule == "QOS023");
    let said = &found.expect("a finding").text;
    assert!(said.contains("a policer of 500.0 Mbit/s"), "{said}");
}

/// Junos: what schedulers have in rates, and buffers, of one port; policers in percent; bursts in bytes.
#[test]
fn rates_buffers_and_bursts_of_junos() {
    let with = |schedulers: &str, policer: &str| {
        let text = format!(
            "interfaces {{ ge-0/0/0 {{ mtu 9014; unit 0 {{ family inet {{ policer {{ input p; }} address 192.0.2.1/30; }} }} }} }}
class-of-service {{ schedulers {{ {schedulers} }} scheduler-maps {{ m {{ forwarding-class best-effort scheduler a; forwarding-class expedited-forwarding scheduler b; }} }} interfaces {{ ge-0/0/0 {{ scheduler-map m; }} }} }}
firewall {{ policer p {{ if-exceeding {{ {policer} }} then discard; }} }}"
        );
        let report = checked(&text, Dialect::Junos);
        let own = report
            .findings
            .iter()
            .filter(|f| ["JUN002", "JUN003", "QOS027"].contains(&&*f.rule));
        own.map(|f| format!("{} {}", f.rule, f.text))
            .collect::<Vec<_>>()
    };
    let fits = "a { transmit-rate 400m; } b { transmit-rate percent 60; buffer-size percent 100; }";
    let bucket = "bandwidth-limit 10m; burst-size-limit 125k;";
    assert_eq!(with(fits, bucket), Vec::<String>::new());
    for (schedulers, said) in [
        (
            "a { transmit-rate 700m; } b { transmit-rate 500m; }",
            "JUN003 the rates of scheduler-map `m` add up to 1.2 Gbit/s, and `ge-0/0/0` has 1 Gbit/s",
        ),
        (
            "a { transmit-rate 500m; } b { transmit-rate percent 60; }",
            "JUN003 the rates of scheduler-map `m` add up to 1.1 Gbit/s, and `ge-0/0/0` has 1 Gbit/s",
        ),
        (
            "a { transmit-rate percent 50; buffer-size percent 60; } b { transmit-rate percent 50; buffer-size percent 50; }",
            "JUN003 the buffers of scheduler-map `m` add up to 110 %",
        ),
    ] {
        assert_eq!(with(schedulers, bucket), [said]);
    }
    for (policer, said) in [
        (
            "bandwidth-percent 150; burst-size-limit 125k;",
            "JUN002 policer p takes 150 % of the interface's rate: it limits nothing, and Junos refuses more than 100",
        ),
        (
            "bandwidth-limit 1m; burst-size-limit 10m;",
            "QOS027 policer p: a burst of 10 MB lets 80 s of 1 Mbit/s pass at the line's speed before anything is limited",
        ),
        (
            "bandwidth-limit 10m; burst-size-limit 5k;",
            "QOS027 policer p: a burst of 5000 B holds no frame of the port's largest packets, 9000 B: each of them exceeds it",
        ),
    ] {
        assert_eq!(with(fits, policer), [said]);
    }
}

/// `bandwidth` sets no rate: percentages of a policy are of it, whatever the line carries.
#[test]
fn qos026_a_bandwidth_that_is_not_the_lines() {
    let with = |bandwidth: &str, class: &str| {
        let text = format!(
            "{HEAD}policy-map flat\n class voice\n  {class}\ninterface GigabitEthernet0/0/0\n{bandwidth} service-policy output flat\n"
        );
        found(&text, "QOS026")
    };
    let percent = "priority percent 30";
    assert_eq!(with("", percent), []);
    assert_eq!(with(" bandwidth 1000000\n", percent), []);
    let above = with(" bandwidth 10000000\n", percent);
    assert_eq!(above.len(), 1, "{above:?}");
    assert_eq!((above[0].0, above[0].1), (11, Severity::Error));
    assert!(
        above[0].2.contains("are 3 Gbit/s, not 300 Mbit/s"),
        "{above:?}"
    );
    let below = with(" bandwidth 100000\n", "shape average percent 30");
    assert_eq!(below[0].1, Severity::Warning, "{below:?}");
    // Where nothing is a percentage it is routing's.
    let routing = with(" bandwidth 100000\n", "priority 30000");
    assert_eq!(routing[0].1, Severity::Info, "{routing:?}");
    assert_eq!(
        with(" bandwidth 1000000\n bandwidth receive 5000\n", percent),
        []
    );
    // 60 % of 100 Mbit/s and 40 Mbit/s fit a line of 1 Gbit/s.
    let text = format!(
        "{HEAD}policy-map flat\n class voice\n  priority percent 60\n class video\n  bandwidth 600000\ninterface GigabitEthernet0/0/0\n bandwidth 100000\n service-policy output flat\n"
    );
    let said = found(&text, "QOS026");
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].2.contains("`bandwidth`"), "{said:?}");
}

/// A class that goes first and is policed keeps the policer's rate; a `bandwidth` that a shaper keeps to gives none.
#[test]
fn qos026_of_a_policed_priority_and_a_shaped_bandwidth() {
    let with = |voice: &str| {
        let text = format!(
            "{HEAD}policy-map child\n class voice\n  priority level 1\n  {voice}\n class video\n  bandwidth 500000\npolicy-map parent\n class class-default\n  shape average 1000000000\n  service-policy child\ninterface TenGigabitEthernet0/0/0\n bandwidth 1000000\n service-policy output parent\n"
        );
        found(&text, "QOS026")
    };
    let said = with("police cir 700000000");
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].2.contains("classes keep 1.2 Gbit/s"), "{said:?}");
    assert_eq!(with("police cir 400000000"), []);
    assert_eq!(
        with("police cir 700000000 conform-action transmit exceed-action transmit"),
        []
    );
}

/// What an engineer's two routers had, and nothing said of: addresses, next hops, ICMP, a shaper and a fixed speed.
#[test]
fn what_two_routers_lack_for_a_planned_rate() {
    let junos = "interfaces {
    xe-0/0/0 { unit 0 { family inet { address 88.200.7.1/30; } } }
    xe-0/0/1 { speed 100m; unit 0 { family inet { filter { input F; } address 193.2.18.1/24; } } }
}
firewall { family inet { filter F {
    term t2 { from { protocol icmp; } then { discard; } }
    term rest { then accept; }
} } }
routing-options { static { route 0.0.0.0/0 next-hop 88.200.7.6; } }
";
    let ios = "hostname pe
policy-map SHAPE
 class class-default
  shape average 100000000
interface TenGigabitEthernet0/0/1
 ip address 88.200.7.3 255.255.255.252
interface GigabitEthernet0/0/2
 duplex full
 speed 100
 ip address 193.136.4.1 255.255.255.0
 service-policy output SHAPE
ip route 193.2.18.0 255.255.255.0 88.200.7.5
end
";
    let options = Options {
        rate: Rate::from_bps(1_000_000_000),
        ..Options::default()
    };
    let found = |junos: &str, ios: &str| {
        let sources = [source("mx.conf", junos), source("pe.conf", ios)];
        let report = check_with(&sources, &[], &options);
        let all = report.findings.into_iter();
        let wanted = ["NET001", "NET002", "JUN008", "QOS032"];
        all.filter(|f| wanted.contains(&&*f.rule))
            .map(|f| format!("{} {}", f.rule, f.text))
            .collect::<Vec<_>>()
    };
    let all = found(junos, ios);
    for words in [
        "QOS032 the speed of xe-0/0/1 is 100.0 Mbit/s, of the 1.0 Gbit/s that are planned",
        "JUN008 term `t2` of filter `F` discards all ICMP, `fragmentation needed` too",
        "NET002 next hop 88.200.7.6 is in the subnet of no interface",
        "QOS032 the shaper of class class-default is 100.0 Mbit/s",
        "NET001 88.200.7.3/30 of TenGigabitEthernet0/0/1 is the broadcast address",
        "QOS032 the speed of GigabitEthernet0/0/2 is 100.0 Mbit/s",
        "NET002 next hop 88.200.7.5 is in the subnet of no interface",
    ] {
        assert!(
            all.iter().any(|f| f.starts_with(words)),
            "{words}: {all:#?}"
        );
    }
    assert_eq!(all.len(), 7, "{all:#?}");
    let junos = junos
        .replace("speed 100m; ", "")
        .replace("88.200.7.6", "88.200.7.2")
        .replace(
            "term t2",
            "term t1 { from { protocol icmp; icmp-type unreachable; } then accept; } term t2",
        );
    let ios = ios
        .replace(" speed 100\n", "")
        .replace("100000000", "1000000000")
        .replace("88.200.7.3", "88.200.7.2")
        .replace("88.200.7.5", "88.200.7.1");
    assert_eq!(found(&junos, &ios), Vec::<String>::new());
}
