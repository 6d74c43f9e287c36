//! What runs over a bundle: shares of its members as planned, no flow out of order.

use std::collections::BTreeMap;

use farpath_element::Mode;
use farpath_wire::FlowDir;

use crate::law::{WINDOWS, assert_conserved, assert_same};
use crate::world::{World, run_in, run_text, scenario};

/// Two hosts behind routers, which four links join.
fn path(tests: &str) -> String {
    let link = |name: &str, ends: &str, keys: &str| {
        format!("\n[[link]]\nname = \"{name}\"\nends = {ends}\n{keys}\n")
    };
    let mut text = String::from(
        "[scenario]\nname = \"bundled\"\n\n[[host]]\nname = \"a\"\n\n[[host]]\nname = \"b\"\n\n[[router]]\nname = \"west\"\n\n[[router]]\nname = \"east\"\n",
    );
    text += &link("in", "[\"a\", \"west\"]", "framing = \"gbe\"");
    for n in 1..=4 {
        // Different delays: what went over two members would come out of order.
        let keys = format!("rate = \"100 Mbit/s\"\ndelay = \"{n} ms\"");
        text += &link(&format!("m{n}"), "[\"west\", \"east\"]", &keys);
    }
    text += &link("out", "[\"east\", \"b\"]", "framing = \"gbe\"");
    text += "\n[[bundle]]\nname = \"lag\"\nlinks = [\"m1\", \"m2\", \"m3\", \"m4\"]\n";
    text + tests
}

const STREAMS: &str = r#"
[[test]]
name = "bulk"
kind = "tcp"
from = "a"
to = "b"
parallel = 64
bytes = "100 kB"
window = "16 KiB"
"#;

/// Flows the plan puts on each member from west to east.
fn planned(world: &World) -> BTreeMap<String, u64> {
    let plan = &world.outcome.built.wan.plan;
    let mut on = BTreeMap::new();
    for flow in 0..plan.flows.len() {
        let walk = plan.walk(&world.scenario, FlowDir::forward(flow as u16));
        let member = plan.ports[walk[1].port].link;
        let name = &world.scenario.links[member.0].name;
        *on.entry(name.clone()).or_default() += 1;
    }
    on
}

/// What each member carried is what its flows sent, to the frame.
#[test]
fn members_carry_their_flows() {
    let pings: String = (0..64)
        .map(|n| {
            format!(
                "\n[[test]]\nname = \"p{n}\"\nkind = \"ping\"\nfrom = \"a\"\nto = \"b\"\ncount = 5\ninterval = \"10 ms\"\n"
            )
        })
        .collect();
    let world = run_text(&path(&pings));
    assert_conserved("bundle", &world);
    let on = planned(&world);
    assert_eq!((on.len(), on.values().sum::<u64>()), (4, 64));
    for (member, flows) in on {
        assert_eq!(
            world.link(&member, "west>east").frames,
            5 * flows,
            "{member}"
        );
        // 64 draws of one in four: 16 ± 3.5.
        assert!((2..=30).contains(&flows), "{member} has {flows}");
    }
}

/// Members of different delay: every flow is in order, in every mode.
#[test]
fn flows_keep_their_order_and_modes_agree() {
    let streams: String = (0..12)
        .map(|n| {
            format!(
                "\n[[test]]\nname = \"u{n}\"\nkind = \"udp\"\nfrom = \"a\"\nto = \"b\"\nrate = \"5 Mbit/s\"\nduration = \"200 ms\"\n"
            )
        })
        .collect();
    let text = path(&format!("{STREAMS}{streams}"));
    let world = run_in(scenario(&text), Mode::EventByEvent, 1);
    for n in 0..12 {
        assert_eq!(world.metric(&format!("u{n}"), "reordered"), 0.0);
        assert_eq!(world.metric(&format!("u{n}"), "loss_ratio"), 0.0);
    }
    for window in WINDOWS {
        let other = run_in(scenario(&text), Mode::Windowed(window), 1);
        assert_same("bundle", &world, &other);
    }
}
