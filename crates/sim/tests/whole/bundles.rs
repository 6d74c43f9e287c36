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

/// Frames in turn: every member has as many as every other, all modes agree, and what a member of another
/// delay carries is out of order.
#[test]
fn frames_take_turns_in_every_mode() {
    let test = "\n[[test]]\nname = \"u\"\nkind = \"udp\"\nfrom = \"a\"\nto = \"b\"\nrate = \"200 Mbit/s\"\nduration = \"200 ms\"\n";
    let text = path(&format!("{STREAMS}{test}"));
    let text = text.replace("name = \"lag\"", "name = \"lag\"\nspread = \"packet\"");
    let alone = run_text(&text.replace(STREAMS, ""));
    let frames = [1, 2, 3, 4].map(|n| alone.link(&format!("m{n}"), "west>east").frames);
    let sent = frames.iter().sum::<u64>();
    assert!(
        frames.iter().all(|n| (sent / 4..=sent / 4 + 1).contains(n)),
        "{frames:?}"
    );
    assert!(alone.metric("u", "reordered") > 100.0);
    assert_eq!(alone.metric("u", "loss_ratio"), 0.0);
    let world = run_in(scenario(&text), Mode::EventByEvent, 1);
    assert_conserved("in turn", &world);
    for window in WINDOWS {
        let other = run_in(scenario(&text), Mode::Windowed(window), 1);
        assert_same("in turn", &world, &other);
    }
}

/// A member that goes down by an event and one that flaps: flows leave them and come back, in every mode.
#[test]
fn flows_leave_members_that_are_down_in_every_mode() {
    let streams: String = (0..12)
        .map(|n| {
            format!(
                "\n[[test]]\nname = \"u{n}\"\nkind = \"udp\"\nfrom = \"a\"\nto = \"b\"\nrate = \"5 Mbit/s\"\nduration = \"200 ms\"\n"
            )
        })
        .collect();
    let event =
        |at: u32, up: bool| format!("\n[[event]]\nat = \"{at} ms\"\nlink = \"m2\"\nup = {up}\n");
    let tests = format!("{STREAMS}{streams}{}{}", event(50, false), event(120, true));
    let flap = "delay = \"3 ms\"\nflap = { up = \"30 ms\", down = \"20 ms\" }";
    let text = path(&tests).replace("delay = \"3 ms\"", flap);
    for unit in ["flow", "packet"] {
        let text = text.replace(
            "name = \"lag\"",
            &format!("name = \"lag\"\nspread = \"{unit}\""),
        );
        let world = run_in(scenario(&text), Mode::EventByEvent, 1);
        assert_conserved(unit, &world);
        // Routers notice at once, so nothing is offered to m2 while it is down.
        assert_eq!(
            world
                .link("m2", "west>east")
                .drops
                .get("down")
                .copied()
                .unwrap_or(0),
            0
        );
        for window in WINDOWS {
            let other = run_in(scenario(&text), Mode::Windowed(window), 1);
            assert_same(unit, &world, &other);
        }
        let carried = [1, 2, 3, 4].map(|n| world.link(&format!("m{n}"), "west>east").frames);
        assert!(carried.iter().all(|n| *n > 50), "{carried:?}");
    }
}

/// Nothing is lost on members of different delay: what is sent again had arrived, and a note says so. A flow on one member has none.
#[test]
fn what_overtakes_on_a_bundle_is_said_not_to_be_lost() {
    let bulk = "\n[[test]]\nname = \"bulk\"\nkind = \"tcp\"\nfrom = \"a\"\nto = \"b\"\nbytes = \"2 MB\"\nrack = false\n";
    let text = path(bulk);
    let notes = |text: &str| run_text(text).record("bulk").notes.join("; ");
    let turns = text.replace("name = \"lag\"", "name = \"lag\"\nspread = \"packet\"");
    let said = "late and not lost: frames overtook others on the links of a bundle";
    let found = notes(&turns);
    assert!(found.contains(said), "{found}");
    let found = notes(&text);
    assert!(!found.contains("late and not lost"), "{found}");
}
