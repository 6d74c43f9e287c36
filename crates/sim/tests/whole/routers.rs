//! Routers answer, or do not; labels and circuits are seen only by whom they concern.

use std::collections::BTreeMap;

use farpath_element::Drop;
use farpath_element::ROUTER_ANSWER;
use farpath_scenario::plan::Plan;
use farpath_wire::Kind;

use crate::world::{World, assert_within, run_scenario, run_text, scenario};

/// a - r - s - t - b; 1 ms a link, 1 Gbit/s, no framing.
fn chain(routers: &str, lsps: &str, tests: &str) -> World {
    let router = |name: &str| {
        let own = if routers.contains(name) {
            "answers = false\n"
        } else {
            ""
        };
        format!("[[router]]\nname = \"{name}\"\n{own}")
    };
    let link = |name: &str, a: &str, b: &str, more: &str| {
        format!(
            "[[link]]\nname = \"{name}\"\nends = [\"{a}\", \"{b}\"]\nframing = \"none\"\nrate = \"1 Gbit/s\"\ndelay = \"1 ms\"\ntap = true\n{more}\n"
        )
    };
    let text = [
        "[scenario]\nname = \"chain\"\n[[host]]\nname = \"a\"\n[[host]]\nname = \"b\"\n".to_owned(),
        ["r", "s", "t"].map(router).concat(),
        link("ar", "a", "r", "mtu = 3000"),
        link("rs", "r", "s", "mtu = 3004"),
        link("st", "s", "t", "mtu = 1504"),
        link("tb", "t", "b", "mtu = 3000"),
        lsps.to_owned(),
        tests.to_owned(),
    ];
    run_text(&text.concat())
}

fn ping(name: &str, to: &str, more: &str) -> String {
    format!(
        "[[test]]\nname = \"{name}\"\nkind = \"ping\"\nfrom = \"a\"\nto = \"{to}\"\ninterval = \"10 ms\"\ntimeout = \"100 ms\"\ncount = 3\n{more}\n"
    )
}

/// Microseconds.
fn rtt_us(world: &World, test: &str) -> f64 {
    assert_eq!(world.metric(test, "received"), 3.0, "{test}");
    assert_eq!(
        world.metric(test, "rtt_min_ns"),
        world.metric(test, "rtt_max_ns")
    );
    world.metric(test, "rtt_min_ns") / 1e3
}

/// A request of a router's own leaves after the time its control plane takes.
#[test]
fn a_router_pings_a_host() {
    let test = ping("out", "b", "size = 1000").replace("from = \"a\"", "from = \"s\"");
    let world = chain("", "", &test);
    assert_eq!(
        rtt_us(&world, "out"),
        4000.0 + 4.0 * 8.0 + ROUTER_ANSWER.as_ps() as f64 / 1e6
    );
    assert_eq!(foreseen_us(&world), rtt_us(&world, "out"));
}

/// What is forecast of the only test, in microseconds.
fn foreseen_us(world: &World) -> f64 {
    let plan = Plan::new(&world.scenario).expect("a plan");
    let all = farpath_scenario::forecast(&world.scenario, &plan, &BTreeMap::new());
    all[0].metrics["rtt_min_ns"] / 1e3
}

/// The way to b takes 8 ms there and back: what is waited for 5 ms counts as lost, with the reason, simulated and forecast.
#[test]
fn answers_after_the_timeout_are_lost_and_said() {
    for (timeout, received) in [("9 ms", 3.0), ("5 ms", 0.0)] {
        let test = ping("out", "b", "").replace("100 ms", timeout);
        let test = test.replace("interval = \"10 ms\"", "interval = \"2 ms\"");
        let world = chain("", "", &test);
        let plan = Plan::new(&world.scenario).expect("a plan");
        let all = farpath_scenario::forecast(&world.scenario, &plan, &BTreeMap::new());
        let notes = [&world.record("out").notes, &all[0].notes];
        let said = notes.map(|notes| notes.iter().any(|n| n.contains("timeout")));
        assert_eq!(world.metric("out", "received"), received, "{timeout}");
        assert_eq!(said, [received == 0.0; 2], "{notes:?}");
        let lost = all[0]
            .metrics
            .get("loss_ratio")
            .is_some_and(|lost| *lost == 1.0);
        assert_eq!(lost, received == 0.0, "{all:?}");
    }
}

/// 192 cells behind a shaper of bursts of 100: 65 us later than on the bare line, simulated and forecast.
#[test]
fn a_shaper_of_cells_holds_up_a_long_ping() {
    let atm = "framing = \"oc12c-atm\"\nmtu = 9180\n";
    let of = |shape: &str| {
        let world = run_text(&format!(
            r#"
[scenario]
name = "s"
[[host]]
name = "a"
mtu = 9180
[[host]]
name = "b"
mtu = 9180
[[link]]
name = "l"
ends = ["a", "b"]
delay = "1 ms"
{atm}
{shape}
{}"#,
            ping("out", "b", "size = 9180")
        ));
        assert!((foreseen_us(&world) - rtt_us(&world, "out")).abs() < 0.002);
        rtt_us(&world, "out")
    };
    let shape = "shape_cells = { pcr = \"599.04 Mbit/s\", scr = \"300 Mbit/s\", mbs = 100 }";
    let held = of(&format!("[link.forward]\n{shape}")) - of("");
    assert!((held - 64.908).abs() < 0.002, "{held}");
}

#[test]
fn a_router_answers_its_own_pings() {
    let tests = [
        ping("one", "r", "size = 1000"),
        ping("three", "t", "size = 1000"),
        ping("end", "b", "size = 1000"),
    ]
    .concat();
    let world = chain("", "", &tests);
    // 1000 bytes at 1 Gbit/s are 8 us a link.
    let answer = ROUTER_ANSWER.as_ps() as f64 / 1e6;
    assert_eq!(rtt_us(&world, "one"), 2.0 * 1008.0 + answer);
    // The last ping's requests follow the others out of one interface.
    assert_within(
        "three",
        rtt_us(&world, "three"),
        6048.0 + answer,
        6072.0 + answer,
    );
    assert_within("end", rtt_us(&world, "end"), 8064.0, 8090.0);
}

#[test]
fn a_router_that_does_not_answer_is_silent_and_still_forwards() {
    let tests = [
        ping("to-it", "s", ""),
        ping("through-it", "b", ""),
        ping("expires-there", "b", "ttl = 2"),
    ]
    .concat();
    let world = chain("s", "", &tests);
    for test in ["to-it", "expires-there"] {
        assert_eq!(world.metric(test, "received"), 0.0, "{test}");
        assert_eq!(world.metric(test, "loss_ratio"), 1.0, "{test}");
        assert!(world.record(test).notes.is_empty(), "{test}");
    }
    assert_eq!(world.metric("through-it", "received"), 3.0);
    // What ended there without an answer is counted where it came in.
    assert_eq!(world.drops("rs", "r>s", Drop::Host), 3);
    assert_eq!(world.drops("rs", "r>s", Drop::Ttl), 3);
}

#[test]
fn an_expired_ttl_is_reported_by_the_router_where_it_ended() {
    for (ttl, node) in [(1, "r"), (2, "s"), (3, "t")] {
        let world = chain("", "", &ping("probe", "b", &format!("ttl = {ttl}")));
        let record = world.record("probe");
        assert_eq!(record.metrics["received"], 0.0, "{ttl}");
        let wanted = format!(
            "requests 1 to 3 were answered by {node}: its TTL ended there (ICMP time exceeded)"
        );
        assert_eq!(record.notes, [wanted]);
        // The time until the answer came is that of the hop, 84 bytes there and 56 back, as forecast; no echo has one.
        let plan = Plan::new(&world.scenario).expect("a plan");
        let foreseen = farpath_scenario::forecast(&world.scenario, &plan, &BTreeMap::new());
        let hop = record.metrics["hop_rtt_avg_ns"];
        let answer = ROUTER_ANSWER.as_ps() as f64 / 1e3;
        assert_eq!(hop, ttl as f64 * (2_000_672.0 + 448.0) + answer, "{ttl}");
        assert_eq!(foreseen[0].metrics["hop_rtt_avg_ns"], hop, "{ttl}");
        assert_eq!(foreseen[0].metrics["loss_ratio"], 1.0, "{ttl}");
        assert!(!foreseen[0].metrics.contains_key("rtt_avg_ns"), "{ttl}");
        // They are lost where they came in, reported or not.
        let links = [("ar", "a>r"), ("rs", "r>s"), ("st", "s>t")];
        let lost = links.map(|(link, way)| world.drops(link, way, Drop::Ttl));
        let wanted: [u64; 3] = [1, 2, 3].map(|hop| if hop == ttl { 3 } else { 0 });
        assert_eq!(lost, wanted, "{ttl}");
    }
    let world = chain("", "", &ping("probe", "b", "ttl = 4"));
    assert_eq!(world.metric("probe", "received"), 3.0);
    assert!(world.record("probe").notes.is_empty());
    assert_eq!(foreseen_us(&world), rtt_us(&world, "probe"));
    let metrics = &world.record("probe").metrics;
    assert!(!metrics.contains_key("hop_rtt_avg_ns"));
}

#[test]
fn what_does_not_fit_is_reported_by_the_router_before_the_narrow_link() {
    let world = chain("", "", &ping("large", "b", "size = 1505"));
    let record = world.record("large");
    assert_eq!(record.metrics["received"], 0.0);
    assert_eq!(
        record.notes,
        [
            "requests 1 to 3 were answered by s: it is too large for the next link (ICMP fragmentation needed)"
        ]
    );
    let world = chain("", "", &ping("fits", "b", "size = 1504"));
    assert_eq!(world.metric("fits", "received"), 3.0);
    let silent = chain("s", "", &ping("large", "b", "size = 1505"));
    assert!(silent.record("large").notes.is_empty());
    assert_eq!(silent.drops("rs", "r>s", Drop::Mtu), 3);
}

/// A datagram in an LSP: labels seen on the wire, round-trip time, and TTL.
#[test]
fn ip_in_an_lsp_keeps_its_ttl_and_pops_where_it_was_told() {
    for (explicit_null, labels) in [(true, [Some(16), Some(0)]), (false, [Some(16), None])] {
        let lsp = format!(
            "[[lsp]]\nname = \"ip\"\npath = [\"r\", \"s\", \"t\"]\nexplicit_null = {explicit_null}\n"
        );
        let world = chain("", &lsp, &ping("probe", "b", "size = 100"));
        assert_eq!(world.metric("probe", "received"), 3.0);
        // 100 bytes are 0.8 us on each of eight links, a label 32 ns more on each that has one.
        let carried = labels.iter().flatten().count() as f64;
        assert_eq!(
            world.metric("probe", "rtt_min_ns"),
            8e6 + 8.0 * 800.0 + carried * 32.0
        );

        let seen: Vec<(Option<u32>, u8)> = [0, 2, 4, 6]
            .iter()
            .map(|port| {
                let on = |(p, f): &&(usize, farpath_wire::Frame)| {
                    p == port && f.kind == Kind::EchoRequest
                };
                let frame = world.tapped.iter().find(on).expect("it passed").1;
                let label = frame.label.is_some().then(|| frame.label.label());
                (label, frame.ttl)
            })
            .collect();
        assert_eq!(
            seen.iter().map(|s| s.0).collect::<Vec<_>>(),
            [None, labels[0], labels[1], None]
        );
        // Uniform model (RFC 3443 §3.1): three routers, three hops, label or not.
        assert_eq!(
            (seen[0].1, seen[3].1),
            (64, 61),
            "explicit null {explicit_null}"
        );
    }
}

#[test]
fn a_ttl_that_ends_inside_a_routed_lsp_is_reported_from_there() {
    for (ttl, node) in [(1, "r"), (2, "s"), (3, "t")] {
        for explicit_null in [true, false] {
            let lsp = format!(
                "[[lsp]]\nname = \"ip\"\npath = [\"r\", \"s\", \"t\"]\nexplicit_null = {explicit_null}\n"
            );
            let world = chain("", &lsp, &ping("probe", "b", &format!("ttl = {ttl}")));
            let last = format!(
                "requests 1 to 3 were answered by {node}: its TTL ended there (ICMP time exceeded)"
            );
            let notes = &world.record("probe").notes;
            assert_eq!(
                (notes.len(), notes.last()),
                (1, Some(&last)),
                "explicit null {explicit_null}"
            );
        }
    }
}

#[test]
fn a_label_takes_four_bytes_of_the_links_mtu() {
    // s-t carries 1504 bytes, and with the label of an explicit null 1500 of datagram.
    let lsp = "[[lsp]]\nname = \"ip\"\npath = [\"s\", \"t\"]\nexplicit_null = true\n";
    let world = chain("", lsp, &ping("fits", "b", "size = 1500"));
    assert_eq!(world.metric("fits", "received"), 3.0);
    let world = chain("", lsp, &ping("large", "b", "size = 1501"));
    let notes = &world.record("large").notes;
    assert_eq!(notes.len(), 1, "{notes:?}");
    let said = "requests 1 to 3 were answered by s: it is too large for the next link";
    assert!(notes[0].starts_with(said), "{notes:?}");
}

/// x - r = s - y, joined by a circuit of one pass each way over a trunk with this MTU, which the
/// check of the text would refuse when it is too small.
fn circuit(trunk_mtu: u32, tests: &str) -> World {
    let mut scenario = scenario(&format!(
        r#"
[scenario]
name = "circuit"
[[host]]
name = "x"
mtu = 1500
[[host]]
name = "y"
mtu = 1500
[[router]]
name = "r"
[[router]]
name = "s"
[[link]]
name = "x"
ends = ["x", "r"]
framing = "none"
rate = "1 Gbit/s"
[[link]]
name = "trunk"
ends = ["r", "s"]
framing = "none"
rate = "1 Gbit/s"
delay = "1 ms"
mtu = 9000
tap = true
[[link]]
name = "y"
ends = ["s", "y"]
framing = "none"
rate = "1 Gbit/s"
[[lsp]]
name = "out"
path = ["r", "s"]
[[lsp]]
name = "back"
path = ["s", "r"]
[[ccc]]
name = "c"
kind = "remote-interface-switch"
router = "r"
interface = "x"
vlan = 7
transmit_lsp = "out"
receive_lsp = "back"
[[ccc]]
name = "c"
kind = "remote-interface-switch"
router = "s"
interface = "y"
vlan = 7
transmit_lsp = "back"
receive_lsp = "out"
{tests}
"#
    ));
    for direction in &mut scenario.links[1].directions {
        direction.mtu = trunk_mtu;
    }
    run_scenario(scenario)
}

#[test]
fn a_circuit_is_no_hop_for_the_customers_ttl() {
    let tests = "[[test]]\nname = \"probe\"\nkind = \"ping\"\nfrom = \"x\"\nto = \"y\"\ncount = 1\nttl = 1\n";
    let world = circuit(9000, tests);
    assert_eq!(world.metric("probe", "received"), 1.0);
    let (_, frame) = world.tapped[0];
    // Ethernet header with tag 18, label 4.
    assert_eq!(frame.link_payload(), u32::from(frame.len) + 22);
    assert_eq!((frame.ttl, frame.label.ttl()), (1, 255));
}

#[test]
fn a_circuit_drops_what_does_not_fit_without_a_word_and_counts_it() {
    let ping = |size| {
        format!(
            "[[test]]\nname = \"probe\"\nkind = \"ping\"\nfrom = \"x\"\nto = \"y\"\ncount = 4\ninterval = \"1 ms\"\nsize = {size}\ntimeout = \"100 ms\"\n"
        )
    };
    let world = circuit(1500, &ping(1478));
    assert_eq!(world.metric("probe", "received"), 4.0);
    let world = circuit(1500, &ping(1479));
    assert_eq!(world.metric("probe", "received"), 0.0);
    assert!(world.record("probe").notes.is_empty());
    assert_eq!(world.drops("trunk", "r>s", Drop::Mtu), 4);
    assert_eq!(world.link("trunk", "s>r").frames, 0);
}

/// The label of a circuit starts with TTL 255 and loses one at each router: after 254 passes of a
/// folded tunnel a frame dies inside, and no message says so.
#[test]
fn a_ttl_that_ends_inside_a_circuit_is_silent() {
    let folded = |passes: usize| {
        let mut text = String::from(
            "[scenario]\nname = \"deep\"\n[[host]]\nname = \"x\"\n[[host]]\nname = \"y\"\n[[router]]\nname = \"r0\"\n[[router]]\nname = \"r1\"\n\
             [[link]]\nname = \"x\"\nends = [\"x\", \"r0\"]\nrate = \"1 Gbit/s\"\n[[link]]\nname = \"y\"\nends = [\"y\", \"r1\"]\nrate = \"1 Gbit/s\"\n\
             [[link]]\nname = \"trunk\"\nends = [\"r0\", \"r1\"]\nrate = \"10 Gbit/s\"\nmtu = 1600\n",
        );
        for (way, first) in [("o", 0), ("b", 1)] {
            for pass in 0..passes {
                let from = (first + pass) % 2;
                text += &format!(
                    "[[lsp]]\nname = \"{way}{pass}\"\npath = [\"r{from}\", \"r{}\"]\n",
                    1 - from
                );
                if pass > 0 {
                    text += &format!(
                        "[[ccc]]\nname = \"s{way}{pass}\"\nkind = \"lsp-switch\"\nrouter = \"r{from}\"\nreceive_lsp = \"{way}{}\"\ntransmit_lsp = \"{way}{pass}\"\n",
                        pass - 1
                    );
                }
            }
        }
        let end = passes - 1;
        for (host, router, out, back) in [
            ("x", 0, "o0", format!("b{end}")),
            ("y", 1, "b0", format!("o{end}")),
        ] {
            text += &format!(
                "[[ccc]]\nname = \"c{host}\"\nkind = \"remote-interface-switch\"\nrouter = \"r{router}\"\ninterface = \"{host}\"\ntransmit_lsp = \"{out}\"\nreceive_lsp = \"{back}\"\n"
            );
        }
        text + "[[test]]\nname = \"probe\"\nkind = \"ping\"\nfrom = \"x\"\nto = \"y\"\ncount = 1\ntimeout = \"1 s\"\n"
    };
    let world = run_text(&folded(253));
    assert_eq!(world.metric("probe", "received"), 1.0);
    let world = run_text(&folded(255));
    assert_eq!(world.metric("probe", "received"), 0.0);
    assert!(world.record("probe").notes.is_empty());
    let died = world.drops("trunk", "r0>r1", Drop::Ttl) + world.drops("trunk", "r1>r0", Drop::Ttl);
    assert_eq!(died, 1);
}

/// A request with its last TTL, under explicit null, at the router it is for: the answer leaves
/// without the label the request came with.
#[test]
fn a_router_at_the_end_of_an_lsp_answers_a_request_that_just_reaches_it() {
    let lsp = "[[lsp]]\nname = \"ip\"\npath = [\"r\", \"s\", \"t\"]\nexplicit_null = true\n";
    for ttl in [3, 64] {
        let world = chain("", lsp, &ping("probe", "t", &format!("ttl = {ttl}")));
        assert_eq!(world.metric("probe", "received"), 3.0, "{ttl}");
        assert!(world.record("probe").notes.is_empty(), "{ttl}");
    }
}

/// 8 bytes of preamble, 14 of header, 84 and 4 of FCS at 10 Mbit/s are 88 us a way. The gap of 12 bytes behind them delays the next frame alone.
#[test]
fn a_frame_of_ethernet_arrives_with_its_last_bit() {
    let world = run_text(
        r#"
[scenario]
name = "one-hop"
[[host]]
name = "a"
[[host]]
name = "b"
[[link]]
name = "l"
ends = ["a", "b"]
rate = "10 Mbit/s"
delay = "1 us"
[[test]]
name = "p"
kind = "ping"
from = "a"
to = "b"
count = 3
size = 84
"#,
    );
    assert_eq!(rtt_us(&world, "p"), 2.0 * (1.0 + 88.0));
    assert_eq!(foreseen_us(&world), rtt_us(&world, "p"));
}
