//! Scenarios whose routers bring what `farpath config` writes: what was promised of it comes out.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::farpath::farpath_in;

fn run(folder: &Path) -> Value {
    let ran = farpath_in(folder, &["run", "s.toml", "--simulate", "--json"]).exits(0);
    serde_json::from_str(&ran.out).expect("JSON")
}

/// A metric of a simulated test.
fn metric(document: &Value, test: &str, name: &str) -> f64 {
    let records = document["records"].as_array().expect("there are some");
    let of = records.iter().find(|r| r["test"] == test);
    of.and_then(|r| r["metrics"][name].as_f64())
        .expect("a number")
}

/// Two senders and a receiver at one switch, whose configuration is `sw.cfg`: UDP of best effort and of
/// DSCP 8, in datagrams of 9000 bytes.
fn switch(rate: &str, links: [&str; 3]) -> String {
    let [first, second, out] = links;
    let host =
        |name: &str| format!("[[host]]\nname = \"{name}\"\nmtu = 9000\ntxqueuelen = 10000\n");
    let hosts: String = ["a", "b", "c"].map(host).concat();
    let link = |name: &str, from: &str, to: &str, more: &str| {
        format!(
            "[[link]]\nname = \"{name}\"\nends = [\"{from}\", \"{to}\"]\nframing = \"gbe\"\nmtu = 9000\n{more}\n"
        )
    };
    let test = |from: &str, class: &str| {
        format!(
            "[[test]]\nname = \"{from}\"\nkind = \"udp\"\nfrom = \"{from}\"\nto = \"c\"\nrate = \"{rate}\"\nsize = 8972\nclass = \"{class}\"\nomit = \"1 s\"\nduration = \"10 s\"\n"
        )
    };
    format!(
        "[scenario]\nname = \"lbe\"\n{hosts}[[router]]\nname = \"sw\"\nconfig = \"sw.cfg\"\n{}{}{}{}{}",
        link("a", "a", "sw", first),
        link("b", "b", "sw", second),
        link("out", "sw", "c", out),
        test("a", "be"),
        test("b", "cs1"),
    )
}

#[test]
fn the_share_of_a_written_lower_effort_class_comes_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = ["config", "lbe", "--share", "1%", "--mtu", "9000"];
    let text = farpath_in(folder.path(), &write).exits(0).out;
    fs::write(folder.path().join("sw.cfg"), text).expect("writable");
    let check = ["config", "check", "sw.cfg", "--fail-on", "warning"];
    farpath_in(folder.path(), &check).exits(0);
    let out = "interfaces = [\"GigabitEthernet3/1\", \"eth0\"]\nmemory = \"4 MB\"";
    let scenario = switch("985 Mbit/s", ["", "", out]);
    fs::write(folder.path().join("s.toml"), scenario).expect("writable");
    let document = run(folder.path());
    let [best, low] = ["a", "b"].map(|t| metric(&document, t, "goodput_bps"));
    // Credits of 96 and 1 times 9216 bytes, overshoot forgotten, in frames of 9014: 99 and 2 a round.
    let share = low / (best + low);
    assert!((share - 2.0 / 101.0).abs() < 2e-4, "{share}");
}

#[test]
fn a_policer_at_the_port_of_arrival_holds_its_rate() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = "hostname sw
mls qos
class-map match-all scavenger
 match ip dscp 8
policy-map in
 class scavenger
  police 90140000 90140 conform-action transmit exceed-action drop
interface GigabitEthernet1/1
 mls qos trust dscp
interface GigabitEthernet1/2
 mls qos trust dscp
 service-policy input in
end
";
    fs::write(folder.path().join("sw.cfg"), config).expect("writable");
    let port = |n: u8| format!("interfaces = [\"eth0\", \"GigabitEthernet1/{n}\"]");
    let scenario = switch("200 Mbit/s", [&port(1), &port(2), ""]);
    fs::write(folder.path().join("s.toml"), scenario).expect("writable");
    let document = run(folder.path());
    let [best, low] = ["a", "b"].map(|t| metric(&document, t, "goodput_bps"));
    assert!((best / 2e8 - 1.0).abs() < 1e-3, "{best}");
    // 1250 frames of 9014 bytes a second, 8972 of them payload.
    assert!((low / 89.72e6 - 1.0).abs() < 2e-3, "{low}");
    let links = document["links"].as_array().expect("there are some");
    let arriving = links
        .iter()
        .find(|l| l["direction"] == "b>sw")
        .expect("it is there");
    assert!(arriving["drops"]["policed"].as_f64().expect("a number") > 0.0);
    assert_eq!(arriving["policers"][0]["name"], "in-scavenger");
}

#[test]
fn a_written_tunnel_of_seven_passes_takes_seven_round_trips() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = [
        "config",
        "snaky",
        "--passes",
        "7",
        "--routers",
        "cernh5,ar5-chicago",
        "--vlan",
        "591",
        "--mtu",
        "9000",
        "--out",
        ".",
    ];
    let said = farpath_in(folder.path(), &write).exits(0).out;
    assert!(said.contains("7 times the link's"), "{said}");
    let files = [
        "config",
        "check",
        "cernh5.conf",
        "ar5-chicago.conf",
        "--fail-on",
        "warning",
    ];
    farpath_in(folder.path(), &files).exits(0);
    let shipped = include_str!("../../../../scenarios/cern-snaky/from-config.toml");
    let (scenario, _) = shipped.split_once("[[expect]]").expect("it has some");
    fs::write(folder.path().join("s.toml"), scenario).expect("writable");
    let only = ["run", "s.toml", "--only", "ping", "--simulate", "--json"];
    let ran = farpath_in(folder.path(), &only).exits(0);
    let document = serde_json::from_str(&ran.out).expect("JSON");
    let rtt = metric(&document, "ping", "rtt_avg_ns");
    assert!(
        (812e6..812.3e6).contains(&rtt),
        "14 crossings of 58 ms: {rtt}"
    );
}

#[test]
fn a_test_that_asks_for_more_than_a_circuit_carries_is_a_warning() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = [
        "config",
        "snaky",
        "--passes",
        "5",
        "--routers",
        "a,b",
        "--core",
        "xe-1/0/0,xe-1/0/0",
        "--out",
        ".",
    ];
    farpath_in(folder.path(), &write).exits(0);
    let check = [
        "config",
        "check",
        "a.conf",
        "b.conf",
        "--fail-on",
        "warning",
        "--rate",
    ];
    let with = |rate| farpath_in(folder.path(), &[&check[..], &[rate]].concat());
    // A third of 10 Gbit/s one way.
    with("3.3 Gbit/s").exits(0);
    let ran = with("3.4 Gbit/s").exits(1);
    assert!(
        ran.out.contains("warning[CCC016]") && ran.out.contains("3.4 Gbit/s"),
        "{}",
        ran.out
    );
    with("fast").exits(2).says(&["--rate fast"]);
}

/// Two hosts on two routers of one circuit, with these keys of the core and of the link to the second host.
fn circuit(core: &str, last: &str) -> String {
    let shipped = include_str!("../../../../scenarios/cern-snaky/from-config.toml");
    let (network, _) = shipped.split_once("[[test]]").expect("it has some");
    let network = network
        .replace("delay = \"58 ms\"", &format!("delay = \"5 ms\"\n{core}"))
        .replace("framing = \"gbe\"", "framing = \"10gbe\"")
        .replace(
            "\"ge-1/1/0\", \"eth1\"]",
            &format!("\"ge-1/1/0\", \"eth1\"]\n{last}"),
        );
    format!(
        "{network}[[test]]\nname = \"t\"\nkind = \"tcp\"\nfrom = \"w05gva\"\nto = \"w05chi\"\nduration = \"10 s\"\nsocket_buffer = \"64 MiB\"\n"
    )
}

/// The metrics of a scenario's simulated test with these statements added to the first router's file, and
/// to the second's.
fn policed(scenario: &str, more: [&str; 2]) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    let names = ["cernh5", "ar5-chicago"];
    let write = [
        "config",
        "snaky",
        "--passes",
        "1",
        "--style",
        "brace",
        "--routers",
        "cernh5,ar5-chicago",
        "--vlan",
        "591",
        "--mtu",
        "9000",
        "--out",
        ".",
    ];
    farpath_in(folder.path(), &write).exits(0);
    for (name, more) in names.into_iter().zip(more) {
        let file = folder.path().join(format!("{name}.conf"));
        let text = fs::read_to_string(&file).expect("it was written");
        fs::write(file, text + more).expect("writable");
    }
    fs::write(folder.path().join("s.toml"), scenario).expect("writable");
    let document = run(folder.path());
    let metrics = document["records"][0]["metrics"].clone();
    assert!(metrics["goodput_bps"].as_f64().expect("a number") > 0.0);
    metrics
}

/// The policer of 1 Gbit/s that a provider writes for a customer, on what comes in or goes out.
fn customer(way: &str) -> String {
    format!(
        "firewall {{
    policer CUST-1G {{ if-exceeding {{ bandwidth-limit 1g; burst-size-limit 62500; }} then discard; }}
    family ccc {{ filter CUST {{ term all {{ then {{ policer CUST-1G; accept; }} }} }} }}
}}
interfaces {{ ge-1/1/0 {{ unit 591 {{ family ccc {{ filter {{ {way} CUST; }} }} }} }} }}
"
    )
}

#[test]
fn a_circuits_filter_gives_the_run_of_the_scenarios_own_policer() {
    let police = |more: &str| {
        format!("police = {{ name = \"p\", rate = \"1Gbit/s\", burst = \"62500 B\"{more} }}")
    };
    let free = policed(&circuit("", ""), ["", ""]);
    // Where frames leave for the customer, the two are one.
    let leaving = policed(&circuit("", ""), ["", &customer("output")]);
    let own = policed(&circuit("", &police("")), ["", ""]);
    assert_eq!(leaving, own);
    assert_ne!(leaving, free);
    // Where they come in, the policer counts the customer's frame; on the core it has a label and the
    // core's own header, too: 8 bytes more.
    let entering = policed(&circuit("", ""), [&customer("input"), ""]);
    let forward = format!("forward = {{ {} }}", police(", overhead = -8"));
    let own = policed(&circuit(&forward, ""), ["", ""]);
    assert_eq!(entering, own);
    assert_ne!(entering, free);
}
