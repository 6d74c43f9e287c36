//! Classes, schedulers, active queue management, policers and marks through the whole simulator.

use farpath_element::Mode;
use farpath_predict::aimd::Aimd;
use farpath_record::link_metric;
use farpath_wire::{Flags, Frame, Kind};

use crate::world::{World, assert_near, assert_within, run_in, run_text, scenario};

/// Hosts a, c and e on router r, b and d on router s; `neck` are the keys of the link between, of
/// `rate`.
pub(crate) fn neck(rate: &str, delay: &str, neck: &str, tests: &str) -> String {
    let mut text = format!(
        "[scenario]\nname = \"neck\"\n[[router]]\nname = \"r\"\n[[router]]\nname = \"s\"\n\
         [[link]]\nname = \"neck\"\nends = [\"r\", \"s\"]\nrate = \"{rate}\"\ndelay = \"{delay}\"\n{neck}\n"
    );
    for (host, router) in [("a", "r"), ("c", "r"), ("e", "r"), ("b", "s"), ("d", "s")] {
        text += &format!(
            "[[host]]\nname = \"{host}\"\n[[link]]\nname = \"{host}{router}\"\n\
             ends = [\"{host}\", \"{router}\"]\nframing = \"gbe\"\n"
        );
    }
    text + tests
}

pub(crate) fn test(name: &str, kind: &str, from: &str, to: &str, more: &str) -> String {
    format!(
        "[[test]]\nname = \"{name}\"\nkind = \"{kind}\"\nfrom = \"{from}\"\nto = \"{to}\"\n{more}\n"
    )
}

pub(crate) fn metric(world: &World, name: &str) -> f64 {
    link_metric(world.link("neck", "r>s"), name).unwrap_or_else(|| panic!("no {name}"))
}

/// WRR 99:1 for best effort and less-than-best-effort traffic, in a shared memory.
const LBE: &str = "[link.forward]\nscheduler = \"wrr\"\nmemory = \"512 kB\"\n\
    class = [{ name = \"be\", weight = 99 }, { name = \"lbe\", weight = 1, dscp = \"cs1\", queue = \"100 kB\" }]\n";

/// Source: E16a, `1 − (C − BE)/L`, at a tenth of the rates: what the best effort leaves is what the
/// rest gets, whatever it offers, and the best effort loses nothing.
#[test]
fn lbe_loses_what_be_does_not_leave() {
    for load in [40, 50, 60, 70] {
        let tcp = "window = \"18768 B\"\nduration = \"5 s\"\ntimestamps = false";
        let udp =
            format!("rate = \"{load} Mbit/s\"\nsize = 1470\nclass = \"cs1\"\nduration = \"5 s\"");
        let tests = test("be1", "tcp", "a", "b", tcp)
            + &test("be2", "tcp", "e", "b", tcp)
            + &test("lbe", "udp", "c", "d", &udp);
        let world = run_text(&neck("100 Mbit/s", "2.27 ms", LBE, &tests));
        assert_eq!(metric(&world, "queue.be.drops"), 0.0);
        let be = metric(&world, "queue.be.bytes") * 8.0 / 5.0;
        let left = (1e8 - be) * 1470.0 / (1470.0 + 28.0 + 38.0);
        let expected = (1.0 - left / (f64::from(load) * 1e6)).max(0.0);
        let lost = world.metric("lbe", "loss_ratio");
        assert!(
            (lost - expected).abs() < 0.01,
            "{load}: {lost} for {expected}"
        );
    }
}

/// Source: E18, the longest wait of best effort: limit × 8 / (0.99 × 1 Gbit/s) and one frame.
#[test]
fn a_full_queue_of_weight_99_waits_3_3_ms() {
    let keys = LBE.replace("weight = 99", "weight = 99, queue = \"409 kB\"");
    let flood =
        |class: &str| format!("rate = \"900 Mbit/s\"\nclass = \"{class}\"\nduration = \"300 ms\"");
    let tests = test("be", "udp", "a", "b", &flood("be"))
        + &test("more", "udp", "e", "b", &flood("be"))
        + &test("lbe", "udp", "c", "d", &flood("cs1"));
    let world = run_text(&neck("1 Gbit/s", "1 ms", &keys, &tests));
    assert_within(
        "ns",
        metric(&world, "queue.be.delay_max_ns"),
        3.30e6,
        3.40e6,
    );
    assert_within("LBE", metric(&world, "queue.lbe.delay_max_ns"), 10e6, 90e6);
    let share = metric(&world, "queue.lbe.bytes") / metric(&world, "bytes");
    assert_within("share of LBE", share, 0.009, 0.016);
}

/// No discipline leaves the link idle while frames wait.
#[test]
fn a_flooded_link_is_never_idle() {
    let classes = "class = [{ name = \"x\" }, { name = \"y\", dscp = 10 }]\n";
    for keys in [
        format!("scheduler = \"wrr\"\n{classes}"),
        format!("scheduler = \"drr\"\n{classes}"),
        format!("scheduler = \"strict\"\n{classes}"),
        "scheduler = \"fq-codel\"\n".to_owned(),
        "codel = {}\n".to_owned(),
        "pie = {}\n".to_owned(),
        "red = { min = \"20 packets\", max = \"60 packets\" }\n".to_owned(),
    ] {
        let udp = |class: u8, size: u32| {
            format!("rate = \"80 Mbit/s\"\nclass = {class}\nsize = {size}\nduration = \"1 s\"")
        };
        let tests = test("one", "udp", "a", "b", &udp(0, 1472))
            + &test("two", "udp", "c", "d", &udp(40, 333));
        let world = run_text(&neck(
            "100 Mbit/s",
            "1 ms",
            &format!("[link.forward]\n{keys}"),
            &tests,
        ));
        let link = world.link("neck", "r>s");
        let busy = link.rate_bps.iter().zip(&link.queue_bytes);
        let full = busy.filter(|(_, q)| **q > 3000.0).map(|(rate, _)| *rate);
        let least = full.skip(1).fold(f64::MAX, f64::min);
        // An interval of some 5 ms counts whole frames.
        assert_near(&keys, least, 1e8, 0.03);
    }
}

/// Source: heistp/l4s-tests, two CUBIC flows at 10 Mbit/s: Jain's index 0.999 to 1.0 with pfifo(200)
/// and 1.0 with fq_codel, whose queueing delay is milliseconds and not 240 ms.
#[test]
fn two_cubic_flows_are_fair_and_fq_codel_keeps_the_queue_short() {
    for (keys, most_ms) in [
        ("queue = \"200 packets\"", 300.0),
        ("scheduler = \"fq-codel\"", 40.0),
    ] {
        let tcp = "cc = \"cubic\"\ngroup = \"g\"\nomit = \"10 s\"\nduration = \"40 s\"";
        let tests = test("one", "tcp", "a", "b", tcp)
            + &test("two", "tcp", "c", "d", &format!("{tcp}\nstart = \"10 ms\""));
        let keys = format!("[link.forward]\n{keys}\n");
        let world = run_text(&neck("10 Mbit/s", "10 ms", &keys, &tests));
        assert_within(&keys, world.metric("one", "group_jain_index"), 0.95, 1.0);
        let rtt = world.metric("one", "rtt_avg_ns") / 1e6;
        assert_within("mean RTT in ms", rtt, 20.0, most_ms);
        let sum = world.metric("one", "goodput_bps") + world.metric("two", "goodput_bps");
        assert_near("sum", sum, 10e6 * 1448.0 / 1538.0, 0.01);
    }
}

/// Bulk and the rest in classes of their own; `normal` and `bulk` are more of their keys.
fn in_classes(scheduler: &str, normal: &str, bulk: &str) -> String {
    format!(
        "scheduler = \"{scheduler}\"\nclass = [{{ name = \"n\"{normal} }}, {{ name = \"b\", dscp = \"le\"{bulk} }}]\n"
    )
}

fn nine_to_one_with_red() -> String {
    let red = ", red = { min = \"10 packets\", max = \"30 packets\" }";
    in_classes(
        "drr",
        &format!(", weight = 9{red}"),
        &format!(", weight = 1{red}"),
    )
}

/// One queue that drops bulk earlier.
const WRED: &str = "scheduler = \"strict\"\nclass = [{ name = \"all\", queue = \"60 packets\", \
    red = { min = \"20 packets\", max = \"40 packets\" }, \
    drop = [{ dscp = \"le\", min = \"5 %\", max = \"15 %\", max_p = 0.5 }] }]\n";

/// Throughput of the normal flows and of the bulk, by how a 1.2-Mbit/s link serves them.
fn lower_effort(keys: &str, bulk: bool) -> (f64, f64) {
    let tcp = "parallel = 10\nomit = \"20 s\"\nduration = \"100 s\"\ninitial_window = 2\n";
    let mut tests = test("normal", "tcp", "a", "b", tcp);
    if bulk {
        tests += &test("bulk", "tcp", "c", "d", &format!("{tcp}class = \"le\"\n"));
    }
    let keys = format!("mtu = 576\n[link.forward]\nqueue = \"60 packets\"\n{keys}");
    let text =
        neck("1.2 Mbit/s", "20 ms", &keys, &tests).replace("[[host]]\n", "[[host]]\nmtu = 576\n");
    let world = run_text(&text);
    let of = |name: &str| world.metric(name, "goodput_bps") / 1e3;
    (of("normal"), if bulk { of("bulk") } else { 0.0 })
}

/// Source: RFC 3662 (obsoleted by RFC 8622) appendix A, situation I: who keeps and who loses. Bulk as best effort takes about
/// its share of flows; priority leaves it next to nothing, 9:1 a tenth, WRED and both together little.
#[test]
fn bulk_yields_as_in_rfc_3662() {
    let (alone, _) = lower_effort("", false);
    let (mixed, as_best_effort) = lower_effort("", true);
    let (first, starved) = lower_effort(&in_classes("strict", "", ""), true);
    let (nine, one) = lower_effort(&in_classes("drr", ", weight = 9", ", weight = 1"), true);
    let (kept, early) = lower_effort(WRED, true);
    let (with_red, last) = lower_effort(&nine_to_one_with_red(), true);
    println!(
        "{alone} {mixed}/{as_best_effort} {first}/{starved} {nine}/{one} {kept}/{early} {with_red}/{last}"
    );
    assert!(mixed < 0.7 * alone, "{mixed} of {alone}");
    assert!(
        first > 0.97 * alone && starved < 0.02 * alone,
        "{first} {starved}"
    );
    for (normal, bulk) in [(nine, one), (with_red, last)] {
        assert_within("share of bulk", bulk / (normal + bulk), 0.07, 0.13);
    }
    assert!(
        kept > 0.8 * alone && early < as_best_effort / 2.0,
        "{kept} {early}"
    );
}

/// Goodput of the normal flows and of the bulk in kbit/s, and what the normal ones send again, when
/// they come over a link of 1080 kbit/s and so offer less than the 1200 there are.
fn lower_effort_with_room(keys: &str, bulk: bool) -> (f64, f64, f64) {
    let tcp = "parallel = 10\nomit = \"20 s\"\nduration = \"60 s\"\ninitial_window = 2\n";
    let window = format!("{tcp}window = \"2680 B\"\n");
    let mut tests = test("normal", "tcp", "a", "b", &window);
    if bulk {
        tests += &test("bulk", "tcp", "c", "d", &format!("{tcp}class = \"le\"\n"));
    }
    let keys = format!("mtu = 576\n[link.forward]\nqueue = \"60 packets\"\n{keys}");
    let slow = "ends = [\"a\", \"r\"]\nmtu = 576\nrate = \"1080 kbit/s\"";
    let text = neck("1.2 Mbit/s", "20 ms", &keys, &tests)
        .replace("[[host]]\n", "[[host]]\nmtu = 576\n")
        .replace("ends = [\"a\", \"r\"]\nframing = \"gbe\"", slow);
    let world = run_text(&text);
    let of = |name: &str| world.metric(name, "goodput_bps") / 1e3;
    let bulk = if bulk { of("bulk") } else { 0.0 };
    (of("normal"), bulk, world.metric("normal", "retransmits"))
}

/// Source: RFC 3662 (obsoleted by RFC 8622) appendix A, situation II, 1080 of 1200 kbit/s offered: bulk as best effort costs
/// the normal flows throughput and loss (14.9 %); with priority, 9:1, and 9:1 with RED they lose nothing
/// and keep all, and bulk gets what is left; with WRED they lose little (1.9 %).
#[test]
fn bulk_takes_what_is_left_as_in_rfc_3662() {
    let (alone, _, lost) = lower_effort_with_room("", false);
    assert_eq!(lost, 0.0);
    let (mixed, taken, lost_mixed) = lower_effort_with_room("", true);
    println!("A {alone:.1}, B {mixed:.1}/{taken:.1}, {lost_mixed} again");
    assert!(
        mixed < 0.75 * alone && lost_mixed > 50.0,
        "{mixed} of {alone}, {lost_mixed}"
    );
    for (name, keys) in [
        ("C1", in_classes("strict", "", "")),
        ("C2", in_classes("drr", ", weight = 9", ", weight = 1")),
        ("C4", nine_to_one_with_red()),
    ] {
        let (normal, bulk, lost) = lower_effort_with_room(&keys, true);
        println!("{name} {normal:.1}/{bulk:.1}, {lost} again");
        assert_eq!(lost, 0.0, "{name}");
        assert_near(name, normal, alone, 0.005);
        // A frame of 576 bytes carries 524; the link has 1200 kbit/s.
        assert_near(name, normal + bulk, 1200.0 * 524.0 / 590.0, 0.05);
    }
    let (normal, bulk, lost_early) = lower_effort_with_room(WRED, true);
    println!("C3 {normal:.1}/{bulk:.1}, {lost_early} again");
    assert_near("C3", normal, alone, 0.03);
    assert!(lost_early < lost_mixed / 10.0, "{lost_early}");
}

/// Marks reach a sender that uses ECN: the queue stays short and nothing is lost.
#[test]
fn what_manages_a_queue_marks_what_can_be_marked() {
    for keys in [
        "red = { min = \"15 kB\", max = \"45 kB\", ecn = true }",
        "codel = { ecn = true }",
        "pie = { ecn = true }",
        "scheduler = \"fq-codel\"",
    ] {
        let tests = test(
            "t",
            "tcp",
            "a",
            "b",
            "ecn = true\ncc = \"reno\"\nduration = \"20 s\"\ninitial_ssthresh = 40",
        );
        let keys = format!("[link.forward]\n{keys}\n");
        let world = run_text(&neck("20 Mbit/s", "10 ms", &keys, &tests));
        assert!(metric(&world, "queue.all.marked") > 5.0, "{keys}");
        assert_eq!(metric(&world, "queue.all.drops"), 0.0, "{keys}");
        assert_eq!(world.metric("t", "retransmits"), 0.0, "{keys}");
        assert!(
            world.metric("t", "goodput_bps") > 0.85 * 20e6 * 1448.0 / 1538.0,
            "{keys}"
        );
    }
}

/// Only new data may be marked, whoever opens; the opening asks for ECN, and marks are echoed and answered (RFC 3168 §6.1).
#[test]
fn ecn_is_asked_for_and_marks_new_data_alone() {
    for way in ["", "reverse = true\n"] {
        let keys = format!("{way}ecn = true\ncc = \"reno\"\nduration = \"5 s\"");
        let lose = "tap = true\ncodel = { ecn = true }\nlose = { flow = \"t\", segment = 900 }\n";
        let world = run_text(&neck(
            "20 Mbit/s",
            "10 ms",
            lose,
            &test("t", "tcp", "a", "b", &keys),
        ));
        let of = |kind: Kind| {
            world
                .tapped
                .iter()
                .map(|(_, f)| f)
                .filter(move |f| f.kind == kind)
        };
        let asks = |f: &Frame| f.flags().contains(Flags::ECN);
        for kind in [Kind::Syn, Kind::SynAck] {
            assert!(
                of(kind).next().is_some() && of(kind).all(asks),
                "{way}{kind:?}"
            );
        }
        for f in of(Kind::Syn).chain(of(Kind::SynAck)).chain(of(Kind::Ack)) {
            assert_eq!(f.class & 3, 0, "{way}{:?}", f.kind);
        }
        let again = |f: &Frame| f.flags().contains(Flags::RETRANSMIT);
        assert!(of(Kind::Data).any(again), "{way}");
        assert!(
            of(Kind::Data).all(|f| again(f) == (f.class & 3 == 0)),
            "{way}"
        );
        assert!(of(Kind::Data).any(|f| f.class & 3 == 3), "{way}");
        assert!(of(Kind::Ack).any(asks) && of(Kind::Data).any(asks), "{way}");
    }
}

/// An integral comes to rest only where its error is nothing: at the target. There the flows' windows are
/// what fills the path and the queue, and so many frames are dropped as hold Reno at such a window. That law
/// wants windows of tens of segments.
#[test]
fn pie_keeps_its_target_and_drops_what_reno_needs() {
    for (flows, delay_ms) in [(10, 20), (50, 50)] {
        let rtt = 2e-3 * f64::from(delay_ms) + 0.015;
        let window = 100e6 * rtt / 8.0 / 1538.0 / f64::from(flows);
        let tcp = format!(
            "cc = \"reno\"\nparallel = {flows}\nduration = \"100 s\"\ninitial_ssthresh = {}",
            window as u32
        );
        let tests = test("t", "tcp", "a", "b", &tcp);
        let keys = "[link.forward]\nqueue = \"2000 packets\"\npie = {}\n";
        let world = run_text(&neck("100 Mbit/s", &format!("{delay_ms} ms"), keys, &tests));
        let of = |name: &str| metric(&world, &format!("queue.all.{name}"));
        assert_near("mean delay in ns", of("delay_mean_ns"), 15e6, 0.03);
        let needed = Aimd::reno(1.0).loss_for(window);
        let dropped = of("drops") / of("offered");
        println!("{flows} flows: {dropped} for {needed}");
        assert_near("drops", dropped, needed, 0.15);
        let goodput = world.metric("t", "goodput_bps");
        assert_near("goodput", goodput, 1e8 * 1448.0 / 1538.0, 0.01);
    }
}

/// A policer passes its rate and burst to the frame, remarks the rest, and the next router sees it; a
/// router that zeroes DSCPs leaves it nothing to see.
#[test]
fn policers_and_marks_are_seen_downstream() {
    let tests = test(
        "t",
        "udp",
        "a",
        "b",
        "rate = \"40 Mbit/s\"\nsize = 1472\nclass = \"af11\"\nduration = \"2 s\"",
    );
    let police = "[link.forward]\npolice = { name = \"p\", dscp = \"af11\", rate = \"20 Mbit/s\", burst = \"15.14 kB\", exceed = \"le\" }\n";
    let mut text = neck("1 Gbit/s", "1 ms", police, &tests);
    let classes = "ends = [\"b\", \"s\"]\nframing = \"gbe\"\n[link.reverse]\nscheduler = \"strict\"\n\
        class = [{ name = \"rest\" }, { name = \"le\", dscp = \"le\" }]\n";
    text = text.replace("ends = [\"b\", \"s\"]\nframing = \"gbe\"\n", classes);
    let world = run_text(&text);
    let last = world.link("bs", "s>b");
    let seen = |name: &str| link_metric(last, name).expect("there are queues");
    let [green, red] = ["green", "red"].map(|c| metric(&world, &format!("police.p.{c}")));
    assert_eq!(
        (green, red),
        (seen("queue.rest.frames"), seen("queue.le.frames"))
    );
    // 15 140 bytes of burst are ten frames of 1514; then 20 Mbit/s until the last frame comes.
    let offered = green + red;
    let gap = 1472.0 * 8.0 / 40e6;
    let whole = ((15_140.0 * 8.0 + 20e6 * gap * (offered - 1.0)) / (1514.0 * 8.0)).floor();
    assert_eq!(green, whole);
    let zeroed = text.replace("police = {", "mark = { set = \"be\" }\npolice = {");
    let world = run_text(&zeroed);
    let last = world.link("bs", "s>b");
    assert_eq!(link_metric(last, "queue.le.offered"), Some(0.0));
    assert_eq!(metric(&world, "police.p.green"), 0.0);
}

/// Of marks and policers the first that matches counts, whether it names a DSCP, a test or nothing.
#[test]
fn the_first_mark_and_policer_that_matches_counts() {
    let classes = "scheduler = \"drr\"\nclass = [{ name = \"one\", dscp = \"af11\" }, { name = \"two\", dscp = \"af21\" }, { name = \"rest\" }]\n";
    let sent = "rate = \"8 Mbit/s\"\nclass = \"af11\"\nduration = \"1 s\"";
    let run = |key: &str, rules: [&str; 2]| {
        let keys = format!("[link.forward]\n{key} = [{}]\n{classes}", rules.join(", "));
        run_text(&neck(
            "100 Mbit/s",
            "1 ms",
            &keys,
            &test("x", "udp", "a", "b", sent),
        ))
    };
    let marks = [
        "{ dscp = \"af11\", set = \"af21\" }",
        "{ test = [\"x\"], set = \"af11\" }",
    ];
    let offered = |rules: [&str; 2]| {
        let world = run("mark", rules);
        ["one", "two"].map(|class| metric(&world, &format!("queue.{class}.offered")) > 0.0)
    };
    assert_eq!(offered(marks), [false, true]);
    assert_eq!(offered([marks[1], marks[0]]), [true, false]);
    let policers = [
        "{ name = \"all\", rate = \"1 Mbit/s\", burst = \"15 kB\" }",
        "{ name = \"af\", dscp = \"af11\", rate = \"2 Mbit/s\", burst = \"15 kB\" }",
    ];
    let met = |rules: [&str; 2]| {
        let world = run("police", rules);
        ["all", "af"].map(|name| metric(&world, &format!("police.{name}.green")) > 0.0)
    };
    assert_eq!(met(policers), [true, false]);
    assert_eq!(met([policers[1], policers[0]]), [false, true]);
}

/// A class of AF11 to AF13 (RFC 2597), or of UDP, drops AF13 above half of its queue, and then no AF11.
#[test]
fn a_drop_rule_takes_what_its_class_names_too() {
    let sent = |name: &str, from: &str, class: &str, rate: u32| {
        let keys = format!("rate = \"{rate} Mbit/s\"\nclass = \"{class}\"\nduration = \"5 s\"");
        test(name, "udp", from, "b", &keys)
    };
    let tests = sent("in", "a", "af11", 4) + &sent("out", "c", "af13", 8);
    let lost = |class: &str, drop: &str| {
        let keys = format!(
            "queue = \"60 packets\"\n[link.forward]\nscheduler = \"drr\"\nclass = [{{ name = \"af\", {class}{drop} }}, {{ name = \"rest\" }}]\n"
        );
        let world = run_text(&neck("10 Mbit/s", "1 ms", &keys, &tests));
        ["in", "out"].map(|name| world.metric(name, "loss_ratio"))
    };
    let all = "dscp = [\"af11\", \"af12\", \"af13\"]";
    let rule = ", drop = { dscp = \"af13\", above = \"50 %\" }";
    for class in [all, "protocol = \"udp\""] {
        let [inside, outside] = lost(class, rule);
        assert_eq!(inside, 0.0, "{class}");
        assert_within("outside", outside, 0.2, 0.35);
    }
    let [inside, outside] = lost(all, "");
    assert!(inside + outside > 0.1, "{inside}, {outside}");
}

/// A shaper holds a direction to its rate, to the bit.
#[test]
fn a_shaper_delays_what_is_beyond_its_rate() {
    let keys = "[link.forward]\nqueue = \"1 MB\"\nshape = { rate = \"30.28 Mbit/s\", burst = \"15.14 kB\" }\n";
    let tests = test(
        "t",
        "udp",
        "a",
        "b",
        "rate = \"60 Mbit/s\"\nsize = 1472\nduration = \"100 ms\"",
    );
    let world = run_text(&neck("1 Gbit/s", "1 ms", keys, &tests));
    assert_eq!(metric(&world, "drops"), 0.0);
    // Ten frames at once, then one each 400 µs.
    let frames = metric(&world, "frames");
    assert_eq!(frames, (0.1 * 60e6 / (1472.0 * 8.0_f64)).ceil());
    let last = (frames - 10.0) * 400_000.0 - (frames - 1.0) * 1472.0 * 8.0 / 60e6 * 1e9;
    assert_near(
        "longest wait",
        metric(&world, "queue.all.delay_max_ns"),
        last,
        0.02,
    );
}

/// Both modes agree on every departure with all of it at once.
#[test]
fn both_modes_agree() {
    let keys = "[link.forward]\nscheduler = \"drr\"\nshape = { rate = \"50 Mbit/s\" }\n\
        mark = { protocol = \"udp\", set = \"af12\" }\n\
        police = { name = \"p\", protocol = \"udp\", rate = \"10 Mbit/s\", burst = \"20 kB\", excess_burst = \"20 kB\", exceed = \"le\", violate = \"drop\" }\n\
        class = [{ name = \"be\", weight = 3, codel = { ecn = true } }, { name = \"le\", dscp = \"le\", red = { min = \"5 kB\", max = \"20 kB\" } }, { name = \"af\", dscp = \"af12\", priority = true }]\n";
    let tests = test("one", "tcp", "a", "b", "ecn = true\nduration = \"2 s\"")
        + &test("two", "tcp", "c", "d", "class = \"le\"\nduration = \"2 s\"")
        + &test(
            "three",
            "udp",
            "e",
            "d",
            "rate = \"30 Mbit/s\"\nduration = \"1 s\"",
        );
    let text = neck("100 Mbit/s", "5 ms", keys, &tests);
    let windowed = run_text(&text);
    let by_event = run_in(scenario(&text), Mode::EventByEvent, 1);
    assert_eq!(windowed.digests(), by_event.digests());
    assert_eq!(windowed.json(), by_event.json());
    for queue in ["be", "le", "af"] {
        assert!(metric(&windowed, &format!("queue.{queue}.frames")) > 100.0);
    }
}

/// The queue of a host's own direction is the link's, in bytes too: 30 000 bytes at 10 Mbit/s take 24 ms,
/// 1000 packets would take 1.2 s.
#[test]
fn a_written_queue_counts_where_a_host_sends() {
    for profile in ["linux-6", "linux-2004"] {
        let udp = "rate = \"20 Mbit/s\"\nsize = 1472\nduration = \"2 s\"";
        let oneway = "interval = \"10 ms\"\ncount = 200";
        let tests = test("flood", "udp", "a", "b", udp) + &test("way", "oneway", "a", "b", oneway);
        let text = neck("1 Gbit/s", "1 ms", "", &tests)
            .replace(
                "name = \"a\"",
                &format!("name = \"a\"\nprofile = \"{profile}\""),
            )
            .replace(
                "ends = [\"a\", \"r\"]\nframing = \"gbe\"",
                "ends = [\"a\", \"r\"]\nrate = \"10 Mbit/s\"\nqueue = \"30 kB\"",
            );
        let world = run_text(&text);
        let queued = link_metric(world.link("ar", "a>r"), "queue_max_bytes");
        assert_within(profile, queued.expect("a queue"), 28_000.0, 30_000.0);
        let way = world.metric("way", "delay_p99_ns");
        assert_within(profile, way, 23e6, 27e6);
    }
}

/// A stack that takes a full queue for congestion sees the link's queue, and what an event makes of it.
#[test]
fn an_old_stack_feels_the_links_queue() {
    let most = |queue: &str, event: &str| {
        let tcp = test(
            "bulk",
            "tcp",
            "a",
            "b",
            "window = \"1 MB\"\nduration = \"3 s\"",
        );
        let text = neck("1 Gbit/s", "1 ms", "", &(tcp + event))
            .replace("name = \"a\"", "name = \"a\"\nprofile = \"linux-2004\"")
            .replace(
                "ends = [\"a\", \"r\"]\nframing = \"gbe\"",
                &format!("ends = [\"a\", \"r\"]\nrate = \"10 Mbit/s\"\nqueue = \"{queue}\""),
            );
        let world = run_text(&text);
        assert_eq!(world.drops("ar", "a>r", farpath_element::Drop::Tail), 0);
        link_metric(world.link("ar", "a>r"), "queue_max_bytes").expect("a queue")
    };
    assert_within(
        "packets",
        most("20 packets", ""),
        19.0 * 1514.0,
        20.0 * 1514.0,
    );
    assert_within("bytes", most("30 kB", ""), 18.0 * 1514.0, 30_000.0);
    let event = "[[event]]\nat = \"10 ms\"\nlink = \"ar\"\nqueue = \"60 kB\"\n";
    assert_within("more", most("20 packets", event), 38.0 * 1514.0, 60_000.0);
}
