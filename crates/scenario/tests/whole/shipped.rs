//! Every shipped scenario is right, and says what its name promises.

use farpath_scenario::{
    Ccc, Loss, QueueLimit, Scenario, Source, TestKind, Way, load, parse, shipped, template,
};
use farpath_units::{Duration, Rate, Size};

fn read(name: &str) -> Scenario {
    let source = load(name).expect("it is shipped");
    parse(&source, &[]).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn all_of_them_parse_and_state_their_sources() {
    let mut names = Vec::new();
    for s in shipped() {
        let scenario = read(&s.name);
        assert!(scenario.source.is_some(), "{} names no source", s.name);
        for e in &scenario.expects {
            assert!(
                e.stated.is_some() && e.source.is_some(),
                "{}: {} states nothing",
                s.name,
                e.metric
            );
        }
        names.push(s.name);
    }
    for wanted in [
        "capacity",
        "capacity-hundredth",
        "five-passes",
        "five-passes-one-loss",
        "one-pass",
        "three-passes",
        "two-passes",
        "window-sweep",
    ] {
        assert!(
            names.contains(&format!("cern-snaky/{wanted}")),
            "{wanted} is missing"
        );
    }
}

#[test]
fn the_template_parses() {
    let source = Source {
        name: "my-path.toml".to_owned(),
        text: template().to_owned(),
    };
    let scenario = parse(&source, &[]).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(
        (
            scenario.hosts.len(),
            scenario.links.len(),
            scenario.tests.len()
        ),
        (2, 2, 2)
    );
}

fn rate(text: &str) -> Rate {
    text.parse().expect("a rate")
}

#[test]
fn five_passes_is_the_tunnel_of_the_document() {
    let s = read("cern-snaky/five-passes");
    assert_eq!(s.name, "snaky-ccc");
    let hosts: Vec<&str> = s.hosts.iter().map(|h| h.name.as_str()).collect();
    assert_eq!(hosts, ["w05gva", "w05chi", "r04gva", "r04chi"]);
    assert_eq!(
        s.hosts[0].tcp_rmem.map(Size::as_bytes),
        [4096, 87_380, 128_388_607]
    );
    let trunk = &s.links[0];
    assert_eq!(
        (
            trunk.name.as_str(),
            trunk.directions[0].mtu,
            trunk.signal.as_deref()
        ),
        ("stm64", 9188, Some("stm64"))
    );
    assert_eq!(trunk.directions[0].rate, rate("9.58464 Gbit/s"));
    assert_eq!(trunk.directions[1].delay, Duration::from_ms(58));
    // The host's queue waits where the host sends, the router's where the router does.
    let access = &s.links[1];
    assert_eq!(access.directions[0].queue, QueueLimit::Packets(50_000));
    assert_eq!(access.directions[1].queue, QueueLimit::Packets(1000));
    let folded = s
        .tests
        .iter()
        .find(|t| t.name == "ping-folded")
        .expect("it is there");
    assert!(matches!(&folded.kind, TestKind::Ping(p) if p.size == 100 && p.count == 5));
}

/// The LSPs frames of a cross-connect travel, in order, found by following the stitches.
fn followed(s: &Scenario, router: &str, name: &str) -> Vec<String> {
    let mut order = Vec::new();
    let mut at = s.cccs.iter().find_map(|c| match c {
        Ccc::RemoteInterface {
            name: n,
            router: r,
            transmit,
            ..
        } if n == name && s.node_name(*r) == router => Some(*transmit),
        _ => None,
    });
    while let Some(lsp) = at {
        order.push(s.lsps[lsp].name.clone());
        at = s.cccs.iter().find_map(|c| match c {
            Ccc::LspSwitch {
                transmit, receive, ..
            } if *receive == lsp => Some(*transmit),
            _ => None,
        });
    }
    order
}

/// The order of the passes as the two router listings give it.
#[test]
fn the_stitches_follow_the_listings() {
    let s = read("cern-snaky/five-passes");
    assert_eq!((s.lsps.len(), s.cccs.len()), (10, 10));
    assert_eq!(
        followed(&s, "cernh5", "ccc_snaky_v591"),
        [
            "ch5_ar5_t1_v591",
            "ar5_ch5_t2_v591",
            "ch5_ar5_t3_v591",
            "ar5_ch5_t4_v591",
            "ch5_ar5_t5_v591"
        ]
    );
    assert_eq!(
        followed(&s, "ar5-chicago", "ccc_snaky_v591"),
        [
            "ar5_ch5_r1_v591",
            "ch5_ar5_r2_v591",
            "ar5_ch5_r3_v591",
            "ch5_ar5_r4_v591",
            "ar5_ch5_r5_v591"
        ]
    );
    let west = s
        .lsps
        .iter()
        .filter(|l| l.hops[0].1 == Way::Forward)
        .count();
    assert_eq!(west, 5);
    assert!(s.lsps.iter().all(|l| l.explicit_null));
}

#[test]
fn passes_are_as_many_as_the_names_say() {
    for (name, passes) in [
        ("one-pass", 1),
        ("three-passes", 3),
        ("five-passes", 5),
        ("capacity", 5),
    ] {
        let s = read(&format!("cern-snaky/{name}"));
        assert_eq!(
            followed(&s, "cernh5", "ccc_snaky_v591").len(),
            passes,
            "{name}"
        );
    }
}

#[test]
fn two_passes_cannot_reach_the_other_site() {
    let s = read("cern-snaky/two-passes");
    let lsps = followed(&s, "cernh5", "ccc_snaky_v591");
    assert_eq!(lsps, ["ch5_ar5_t1_v591", "ar5_ch5_t2_v591"]);
    // With a host in Chicago as the far end the reader refuses the test.
    let source = load("cern-snaky/two-passes").expect("it is shipped");
    let chicago = "\n[[host]]\nname = \"w05chi\"\n\n[[link]]\nname = \"ge-chi\"\nends = [\"ar5-chicago\", \"w05chi\"]\nframing = \"gbe\"\n";
    let text = source.text.replace("to = \"w06gva\"", "to = \"w05chi\"") + chicago;
    let e = parse(&Source { text, ..source }, &[])
        .expect_err("there is no such path")
        .to_string();
    assert!(
        e.contains("test `ping-folded` has no path from `w05gva` to `w05chi`"),
        "{e}"
    );
}

#[test]
fn the_lost_segment_is_scripted_on_the_way_there() {
    let s = read("cern-snaky/five-passes-one-loss");
    let lost = Loss::Scripted {
        test: "bulk".to_owned(),
        stream: 0,
        segment: 120_000,
    };
    let hit: Vec<&str> = s
        .links
        .iter()
        .filter(|l| l.directions[0].losses == [lost.clone()])
        .map(|l| l.name.as_str())
        .collect();
    assert_eq!(hit, ["ge-gva"]);
    assert!(s.links.iter().all(|l| l.directions[1].losses.is_empty()));
}

#[test]
fn the_capacity_bounds_are_a_third_and_a_fifth_of_the_circuit() {
    for (scenario, rate) in [
        ("cern-snaky/capacity", 9_584_640_000.0),
        ("cern-snaky/capacity-hundredth", 95_846_400.0),
    ] {
        let s = read(scenario);
        let payload = rate * 1472.0 / 1531.0;
        for (name, share) in [("one-way", 3.0), ("both-ways", 5.0)] {
            let e = s
                .expects
                .iter()
                .find(|e| e.metric == format!("search.{name}.highest_bps"))
                .expect("it is there");
            let (min, max) = (e.min.expect("a bound"), e.max.expect("a bound"));
            assert!(
                (max - payload / share).abs() < 2.0 && (min / max - 0.995).abs() < 1e-6,
                "{scenario}, {name}: {min} {max}"
            );
        }
        assert_eq!(
            s.searches[1].keys,
            ["test.both-west.rate", "test.both-east.rate"]
        );
    }
}

#[test]
fn every_window_of_the_sweep_has_its_expectation() {
    let s = read("cern-snaky/window-sweep");
    assert_eq!(s.sweep.len(), 1);
    let (path, values) = &s.sweep[0];
    assert_eq!(
        (path.as_str(), values.len(), s.expects.len()),
        ("test.bulk.window", 7, 7)
    );
    for (value, e) in values.iter().zip(&s.expects) {
        assert_eq!(e.point.get(path), Some(value));
        // Window over 581 ms, up to what 9038-byte frames leave of 1 Gbit/s for 8948 bytes.
        let window: Size = value.parse().expect("a size");
        let goodput = (window.as_bytes() as f64 * 8.0 / 0.581).min(8948.0 / 9038.0 * 1e9);
        let (min, max) = (e.min.expect("a bound"), e.max.expect("a bound"));
        assert!(
            min < goodput && goodput < max,
            "{value}: {goodput} is not within {min} and {max}"
        );
    }
}
