//! Keys that make no difference where they stand are findings, and others are not.

use farpath_scenario::{Document, Source, load, shipped};

fn found(text: &str) -> Vec<String> {
    found_in(&Source {
        name: "x".to_owned(),
        text: text.to_owned(),
    })
}

fn found_in(source: &Source) -> Vec<String> {
    let document = Document::open(source, &[]).expect("it reads");
    let scenario = document.scenario().unwrap_or_else(|e| panic!("{e}"));
    let all = document.without_effect(&scenario);
    let texts = all.render_warnings(false);
    assert_eq!(texts.is_empty(), all.faults.is_empty());
    assert!(all.faults.iter().all(|f| !f.remedies.is_empty()));
    all.faults.into_iter().map(|f| f.title).collect()
}

/// Two hosts, a router and a test, with these keys.
fn with(host: &str, link: &str, test: &str, more: &str) -> String {
    format!(
        "[scenario]\nname = \"x\"\n[[host]]\nname = \"a\"\n{host}\n[[host]]\nname = \"b\"\n[[router]]\nname = \"r\"\n\
         [[link]]\nname = \"in\"\nends = [\"a\", \"r\"]\nrate = \"1 Gbit/s\"\n\
         [[link]]\nname = \"out\"\nends = [\"r\", \"b\"]\nrate = \"1 Gbit/s\"\n{link}\n\
         [[test]]\nname = \"t\"\nkind = \"tcp\"\nfrom = \"a\"\nto = \"b\"\nduration = \"10 s\"\n{test}\n{more}\n"
    )
}

#[test]
fn what_is_in_use_is_not_found() {
    assert_eq!(found(&with("", "", "", "")), Vec::<String>::new());
    let used = with(
        "rmem_max = 1000000\nreceive_ring = 100\nreceive_per_packet = \"1 us\"",
        "jitter = { max = \"1 ms\" }\nreorder = true",
        "socket_buffer = \"1 MB\"\nslow_start = \"hystart\"\nsack = false\nnewreno = true",
        "[[event]]\nat = \"5 s\"\nlink = \"out\"\nloss = 0.1",
    );
    assert_eq!(found(&used), Vec::<String>::new());
}

#[test]
fn keys_without_effect_are_found_where_they_stand() {
    let host = |keys: &str| with(keys, "", "", "");
    let link = |keys: &str| with("", keys, "", "");
    let test = |keys: &str| with("", "", keys, "");
    let more = |keys: &str| with("", "", "", keys);
    for (text, said) in [
        (host("rmem_max = 1000000"), "`rmem_max` has no effect"),
        (
            host("disk_read = \"1 Gbit/s\""),
            "`disk_read` has no effect",
        ),
        (host("receive_ring = 100"), "`receive_ring` has no effect"),
        (
            with(
                "tcp_wmem = \"4096 65536 600000\"",
                "",
                "socket_buffer = \"1 MB\"",
                "",
            ),
            "`tcp_wmem` has no effect",
        ),
        (link("reorder = true"), "`reorder` has no effect"),
        (
            link("interfaces = [\"e0\", \"e1\"]"),
            "`interfaces` has no effect",
        ),
        (
            link("scheduler = \"drr\"\nclass = [{ name = \"c\", weight = 3 }]"),
            "`weight` has no effect",
        ),
        (
            test("cc = \"bbr\"\nhystart = true"),
            "`hystart` has no effect",
        ),
        (
            test("sack = true\nnewreno = true"),
            "`newreno` has no effect",
        ),
        (test("group = \"g\""), "`group` has no effect"),
        (test("via = \"in\""), "`via` has no effect"),
        (
            more("[[event]]\nat = \"20 s\"\nlink = \"out\"\nloss = 0.1"),
            "every test has ended at 10 s",
        ),
        (
            // The default: five packets, a second apart, each with five seconds for its answer.
            more("[[event]]\nat = \"20 s\"\nlink = \"out\"\nloss = 0.1")
                .replace("\"tcp\"", "\"ping\"")
                .replace("duration = \"10 s\"\n", ""),
            "every test has ended at 10 s",
        ),
        (
            more(
                "[[host]]\nname = \"c\"\n[[link]]\nname = \"spare\"\nends = [\"r\", \"c\"]\nrate = \"1 Gbit/s\"\n[[event]]\nat = \"1 s\"\nlink = \"spare\"\nloss = 0.1",
            ),
            "this event has no effect: no test crosses its link",
        ),
        (
            more(
                "[[host]]\nname = \"c\"\n[[link]]\nname = \"spare\"\nends = [\"r\", \"c\"]\nrate = \"1 Gbit/s\"",
            ),
            "host `c` takes part in no test",
        ),
    ] {
        let all = found(&text);
        assert!(
            all.iter().any(|t| t.contains(said)),
            "{said}: {all:?}\n{text}"
        );
    }
    let none = "[scenario]\nname = \"x\"\n[[host]]\nname = \"a\"\n";
    let title = "there is no [[test]], so `farpath run` has nothing to run";
    assert_eq!(found(none), [title]);
}

/// A loss that no frame escapes is said, unless an event ends it.
#[test]
fn a_loss_of_every_frame_is_found() {
    let lost = |link: &str, more: &str| {
        let all = found(&with("", link, "", more));
        all.into_iter()
            .filter(|t| t.contains("loses every frame"))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        lost("loss = 1.0", ""),
        ["`loss` loses every frame from r to b: nothing that a test sends there arrives"]
    );
    for link in [
        "loss = \"100 %\"",
        "lose_every = 1",
        "gilbert_elliott = { p = 0.1, r = 0.1, loss_good = 1.0, loss_bad = 1.0 }",
        "reverse = { loss = 1.0 }",
    ] {
        assert_eq!(lost(link, "").len(), 1, "{link}");
    }
    for link in [
        "loss = 0.999",
        "lose_every = 2",
        "gilbert_elliott = { p = 0.1, r = 0.1, loss_bad = 1.0 }",
    ] {
        assert_eq!(lost(link, ""), Vec::<String>::new(), "{link}");
    }
    let event = "[[event]]\nat = \"5 s\"\nlink = \"out\"\nloss = 0.1";
    assert_eq!(lost("loss = 1.0", event), Vec::<String>::new());
}

/// A window is exact in a model. A buffer that holds it is what an emulated host needs, and one that does not is in vain.
#[test]
fn buffers_below_an_exact_window_are_found() {
    let of = |keys: &str, test: &str| {
        let all = found(&with(keys, "", test, ""));
        all.into_iter()
            .filter(|t| t.contains("is exact"))
            .collect::<Vec<_>>()
    };
    let small = "tcp_wmem = \"4096 16384 65536\"";
    assert_eq!(
        of(small, "window = \"1 MB\""),
        ["`tcp_wmem` has no effect: `window` is exact, and its 1 MB are more than this allows"]
    );
    assert_eq!(of(small, "window = \"64 kB\""), Vec::<String>::new());
    assert_eq!(of(small, ""), Vec::<String>::new());
    let ample = "tcp_wmem = \"4096 16384 4000000\"";
    assert_eq!(of(ample, "window = \"1 MB\""), Vec::<String>::new());
}

/// A key that acts at any point of a sweep is in use. One that acts at no point is found once, where it stands.
#[test]
fn of_a_sweep_every_point_counts() {
    let keys = "rmem_max = 1000000\nreceive_ring = 100";
    let swept = "[sweep]\n\"test.t.socket_buffer\" = [\"1 MB\", \"2 MB\"]\n\"link.out.delay\" = [\"1 ms\", \"2 ms\"]";
    let all = found(&with(keys, "", "", swept));
    assert!(
        all.iter()
            .any(|t| t.contains("`receive_ring` has no effect")),
        "{all:?}"
    );
    assert!(!all.iter().any(|t| t.contains("rmem_max")), "{all:?}");
    assert_eq!(all.iter().filter(|t| t.contains("receive_ring")).count(), 1);
    let windows = "[sweep]\n\"test.t.window\" = [\"1 MB\", \"2 MB\"]";
    let all = found(&with(keys, "", "", windows));
    assert!(
        all.iter().any(|t| t.contains("`rmem_max` has no effect")),
        "{all:?}"
    );
}

/// A class of the test's DSCP, or of its protocol, has a drop rule for that DSCP, and neither is found.
#[test]
fn a_drop_rule_for_what_its_class_names_is_in_use() {
    for class in ["dscp = [0, 10]", "protocol = \"tcp\""] {
        let keys = format!(
            "[link.forward]\nscheduler = \"drr\"\nclass = [{{ name = \"one\", {class}, drop = {{ dscp = 0, above = \"50 %\" }} }}, {{ name = \"two\" }}]"
        );
        let all = found(&with("", &keys, "", ""));
        let of_rules = all
            .iter()
            .filter(|t| t.contains("rule") || t.contains("`one`"));
        assert_eq!(of_rules.count(), 0, "{class}: {all:?}");
    }
}

/// Every key that a link has of this kind, in both directions or one, with what is said of it; and a use of it of which nothing is.
#[test]
fn classes_marks_and_policers_that_take_no_frame_are_found() {
    let mut wrong = Vec::new();
    let two = |first: &str, second: &str| {
        with(
            "",
            &format!(
                "scheduler = \"drr\"\nqueue = \"1 MB\"\nclass = [{{ name = \"one\"{first} }}, {{ name = \"two\"{second} }}]"
            ),
            "",
            "",
        )
    };
    let link = |keys: &str| with("", keys, "", "");
    for (text, said) in [
        (
            two(", dscp = \"le\"", ""),
            "class `one` has no effect from r to b: no frame that a test sends here matches",
        ),
        (two(", protocol = \"udp\"", ""), "class `one` has no effect"),
        (two(", exp = 3", ""), "class `one` has no effect"),
        // The test's own class is that of every frame: the DSCP takes nothing.
        (
            two(
                ", test = [\"t\"]",
                ", dscp = [0, 1, 2, 3, 4, 5, 6, 7], precedence = [1, 2, 3, 4, 5, 6, 7]",
            ),
            "class `two` has no effect from r to b: what matches is taken by another rule first",
        ),
        (
            two(", dscp = 0, exp = 2", ""),
            "`exp` has no effect: no frame that comes here is taken by it",
        ),
        (
            two(
                ", dscp = 0, drop = [{ dscp = 0, above = \"50 %\" }, { dscp = 0, above = \"40 %\" }]",
                "",
            ),
            "drop rule has no effect from r to b: what matches is taken by another rule first",
        ),
        (
            link("mark = { dscp = \"ef\", set = 0 }"),
            "mark has no effect from r to b",
        ),
        // In tables of their own, too.
        (
            link(
                "[link.forward]\nscheduler = \"drr\"\n[[link.forward.class]]\nname = \"one\"\ndscp = \"le\"\n[[link.forward.class]]\nname = \"two\"",
            ),
            "class `one` has no effect from r to b: no frame that a test sends here matches",
        ),
        (
            link("mark = [{ set = 8 }, { dscp = 0, set = 16 }]"),
            "mark has no effect from r to b: what matches is taken by another rule first",
        ),
        (
            link("mark = [{ set = 0 }, { set = 8 }]"),
            "this mark has no effect: another without a match",
        ),
        (
            link(
                "police = { name = \"p\", protocol = \"icmp\", rate = \"1 Mbit/s\", burst = \"10 kB\" }",
            ),
            "policer `p` has no effect",
        ),
        (
            link("red = { min = \"100 kB\", max = \"300 kB\", ecn = true }"),
            "`ecn` has no effect",
        ),
        (
            link("shape = { rate = \"1 Gbit/s\" }"),
            "`shape` has no effect: the link itself sends no more than 1 Gbit/s",
        ),
        (
            two(", dscp = 0, queue = \"9 kB\"", ", queue = \"9 kB\"")
                .replace("scheduler", "[link.forward]\nscheduler"),
            "`queue` has no effect: every class",
        ),
        (
            two(", dscp = 0, queue = \"9 kB\"", ", queue = \"9 kB\"")
                .replace("queue = \"1 MB\"", "memory = \"18 kB\""),
            "`memory` has no effect: the classes' own limits add up to 18 kB",
        ),
        (
            link("[link.forward]\nscheduler = \"fq-codel\"\nqueue = \"1 MB\""),
            "`queue` has no effect: fq-codel counts",
        ),
    ] {
        let all = found(&text);
        if all.len() != 1 || !all[0].contains(said) {
            wrong.push(format!("{said}: {all:?}"));
        }
    }
    let used = [
        two(", dscp = 0", ""),
        two(", test = [\"t\"]", ""),
        // Marked further up.
        two(", dscp = \"ef\"", "").replace(
            "name = \"in\"\nends = [\"a\", \"r\"]",
            "name = \"first\"\nends = [\"a\", \"s\"]\nrate = \"1 Gbit/s\"\n[[router]]\nname = \"s\"\n\
             [[link]]\nname = \"in\"\nends = [\"s\", \"r\"]\nmark = { set = \"ef\" }",
        ),
        link("red = { min = \"100 kB\", max = \"300 kB\", ecn = true }").replace("kind = \"tcp\"", "kind = \"tcp\"\necn = true"),
        link("shape = { rate = \"900 Mbit/s\" }"),
        two(", dscp = 0, queue = \"9 kB\"", ""),
    ];
    for text in used {
        let all = found(&text);
        if !all.is_empty() {
            wrong.push(format!("{all:?} of {text}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn impairments_and_cells_without_effect_are_found() {
    let mut wrong = Vec::new();
    let link = |keys: &str| with("", keys, "", "");
    let atm = |keys: &str| {
        link(keys).replace(
            "name = \"out\"\nends = [\"r\", \"b\"]\nrate = \"1 Gbit/s\"",
            "name = \"out\"\nends = [\"r\", \"b\"]\nframing = \"oc12c-atm\"\nmtu = 1500",
        )
    };
    let udp =
        |keys: &str| link(keys).replace("kind = \"tcp\"", "kind = \"udp\"\nrate = \"1 Mbit/s\"");
    let lost = link("lose = { flow = \"t\", segment = 3 }");
    let contract = |keys: &str| atm(&format!("police_cells = {{ {keys} }}"));
    for (text, said) in [
        (
            link("jitter = { distribution = \"normal\", mean = \"0 s\", std = \"0 s\" }"),
            "`jitter` has no effect: every delay of it is 0",
        ),
        (
            link("jitter = { max = \"0 ms\" }"),
            "`jitter` has no effect: every delay of it is 0",
        ),
        (
            link("reordering = { share = 0.0, by = \"1 ms\" }"),
            "`reordering` has no effect: its share is 0",
        ),
        (
            link("duplication = { share = 0.0 }"),
            "`duplication` has no effect: its share is 0",
        ),
        (
            link("corruption = { share = 0.0 }"),
            "`corruption` has no effect: its share is 0",
        ),
        (
            link("flap = { up = \"20 s\", down = \"1 s\" }"),
            "`flap` has no effect: it is up for 20 s, and every test has ended at 10 s",
        ),
        (
            link("gilbert_elliott = { p = 0.0, r = 0.5 }"),
            "`gilbert_elliott` has no effect: it never leaves the good state",
        ),
        (
            link("[link.forward]\nreorder = true\n[link.reverse]\njitter = { max = \"1 ms\" }"),
            "`reorder` has no effect",
        ),
        (
            link("[link.reverse]\nlose = { flow = \"t\", segment = 3 }"),
            "no data of test `t` come this way",
        ),
        (
            udp("[link.reverse]\nloss = 0.01"),
            "`loss` has no effect: no test sends anything from b to r on link `out`",
        ),
        (
            link("loss = 0.01\n[link.forward]\nloss = 0.02\n[link.reverse]\nloss = 0.03"),
            "`loss` has no effect: each direction has its own",
        ),
        (
            atm("cell_glue = false"),
            "`cell_glue` has no effect: no cell of this link is lost",
        ),
        (
            contract("pcr = \"599.04 Mbit/s\""),
            "`police_cells` has no effect: the line sends no more than its `pcr`",
        ),
        (
            contract("pcr = \"500 Mbit/s\", scr = \"500 Mbit/s\", mbs = 100"),
            "`scr` has no effect: it is the peak rate",
        ),
        (
            contract("pcr = \"500 Mbit/s\", scr_ignored = true"),
            "`scr_ignored` has no effect: there is no `scr`",
        ),
        (
            atm("cell_queue = { limit = 1000 }\nqueue = \"1 MB\""),
            "`queue` has no effect: cells wait in `cell_queue`",
        ),
    ] {
        let all = found(&text);
        if all.len() != 1 || !all[0].contains(said) {
            wrong.push(format!("{said}: {all:?}"));
        }
    }
    for text in [
        link("jitter = { distribution = \"normal\", mean = \"0 s\", std = \"1 ms\" }"),
        link("flap = { up = \"2 s\", down = \"1 s\" }"),
        link("flap = { up = \"20 s\", down = \"1 s\", random = true }"),
        link("loss = 0.01\n[link.forward]\nloss = 0.02"),
        lost,
        udp("[link.forward]\nloss = 0.01"),
        // A policer loses cells, too.
        contract(
            "pcr = \"500 Mbit/s\" }\ncell_glue = false\nlose_every = 1000\njitter = { max = \"1 us\"",
        ),
        atm("cell_loss = 1e-6\ncell_glue = false"),
    ] {
        let all = found(&text);
        if !all.is_empty() {
            wrong.push(format!("{all:?} of {text}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What is found of shipped scenarios is true, and known: mostly settings of hosts that the source describes.
#[test]
fn of_shipped_scenarios_nothing_is_found_that_is_not_so() {
    let known = |scenario: &str, title: &str| match scenario {
        "infn-lbe/baseline" => {
            // Nothing is sent in the second of its classes.
            let idle = ["tx2", "tx3", "class `lbe`"];
            idle.iter().any(|name| title.contains(name))
        }
        "slac-binp/mystery" => title.starts_with("`wmem_max`"),
        "lbnl-oc12/policer" | "lbnl-oc12/policer-bug" => {
            title.contains("each is a frame of its own")
        }
        _ if scenario.starts_with("cern-snaky") => {
            title.contains("mem_max` has") || title.contains("mem` has")
        }
        "kernel/paced" => {
            title.starts_with("`slow_start` has no effect where `test.bulk.cc` is bbr")
        }
        _ if scenario.starts_with("kernel/bbr") => title.starts_with("`slow_start`"),
        _ => false,
    };
    let mut new = Vec::new();
    for shipped in shipped() {
        let all = found_in(&load(&shipped.name).expect("it is shipped"));
        let unknown = all.into_iter().filter(|t| !known(&shipped.name, t));
        new.extend(unknown.map(|t| format!("{}: {t}", shipped.name)));
    }
    assert!(new.is_empty(), "{new:#?}");
}

/// A queue that is swept beside what manages it, and one that is not.
#[test]
fn keys_without_effect_at_some_points_of_a_sweep_are_found() {
    let link = "[link.forward]\nqueue = \"1 MB\"\nred = { min = \"100 kB\", max = \"300 kB\" }";
    let sweep = |more: &str| {
        let aqm = "\"link.out.forward.aqm\" = [\"red\", \"fq-codel\"]";
        found(&with("", link, "", &format!("[sweep]\n{more}\n{aqm}")))
    };
    let both = sweep("\"link.out.forward.queue\" = [\"1 MB\", \"2 MB\", \"3 MB\"]");
    let said = "`link.out.forward.queue` has no effect where `link.out.forward.aqm` is fq-codel (3 of 6 points): fq-codel counts";
    // Nor is it news that RED is not there where another manages the queue.
    assert!(both.len() == 1 && both[0].starts_with(said), "{both:?}");
    let one = sweep("");
    let said = "`queue` has no effect where `link.out.forward.aqm` is fq-codel (1 of 2 points)";
    assert!(one.len() == 1 && one[0].starts_with(said), "{one:?}");
    // A first step that does nothing is why there is a sweep.
    let zero = "[sweep]\n\"link.out.reordering\" = [\"{ share = 0.0, by = \\\"1 ms\\\" }\", \"{ share = 0.1, by = \\\"1 ms\\\" }\"]";
    assert_eq!(found(&with("", "", "", zero)), Vec::<String>::new());
}

/// Keys of a host that are about what the other end does, of BBR, of acknowledgements, and a card faster than its link.
#[test]
fn keys_of_a_role_that_nobody_has_are_found() {
    let peer = |keys: &str| {
        with("", "", "", "").replace(
            "name = \"b\"\n[[router]]",
            &format!("name = \"b\"\n{keys}\n[[router]]"),
        )
    };
    for (text, said) in [
        (peer("mtu_probing = 1"), "`mtu_probing` has no effect: this host sends no data by TCP"),
        (peer("qdisc = \"fq\""), "`qdisc` has no effect: this host sends no data by TCP"),
        (peer("tcp_wmem = \"4096 65536 600000\""), "`tcp_wmem` has no effect: this host sends no data by TCP"),
        (with("gro = \"20 us\"", "", "", ""), "`gro` has no effect: this host receives no data by TCP"),
        (with("comp_sack_nr = 44", "", "", ""), "`comp_sack_nr` has no effect: this host receives no data by TCP"),
        (with("nic = \"10 Gbit/s\"", "", "", ""), "`nic` has no effect: no link of this host sends more than 1 Gbit/s"),
        (with("", "", "cc = \"bbr\"\ninitial_ssthresh = 100000", ""), "`initial_ssthresh` has no effect: bbr starts in a way of its own"),
        (with("", "", "cc = \"bbr\"\nidle_restart = false", ""), "`idle_restart` has no effect: bbr's window follows its model of the path"),
        (with("", "", "cc = \"bbr\"\nreduction = \"prr\"", ""), "`reduction` has no effect: bbr's window follows its model of the path"),
        (with("", "", "delayed_ack = 1\nquick_acks = 4", ""), "`quick_acks` has no effect: with `delayed_ack = 1` every segment is acknowledged at once"),
        (with("", "", "newreno = false", ""), "`newreno` has no effect: with `sack` the scoreboard shows the holes"),
        (with("", "", "", "").replace("ends = [\"a\", \"r\"]", "ends = [\"a\", \"r\"]\npolice = [{ name = \"p\", rate = \"5 Mbit/s\", burst = \"50 kB\" }]"),
         "`police` has no effect from a to r: a host sends there, and this is a router's work"),
    ] {
        assert_eq!(found(&text), [said], "{text}");
    }
    // Both hosts alike: one of them is who it is for.
    let both = peer("mtu_probing = 1").replacen("name = \"a\"", "name = \"a\"\nmtu_probing = 1", 1);
    assert_eq!(found(&both), Vec::<String>::new());
    let fetched = with("", "", "reverse = true", "");
    assert_eq!(
        found(&fetched.replacen("name = \"a\"", "name = \"a\"\ngro = \"20 us\"", 1)),
        Vec::<String>::new()
    );
}

/// An event asks for what holds already; others do not.
#[test]
fn events_that_change_nothing_are_found() {
    let event = |keys: &str| format!("[[event]]\nat = \"2 s\"\nlink = \"out\"\n{keys}\n");
    for (keys, said) in [
        ("up = true", "`up` has no effect: the link is up already"),
        (
            "rate = \"1 Gbit/s\"",
            "`rate` has no effect: the link has this rate already",
        ),
        (
            "loss = 0",
            "`loss` has no effect: nothing is lost there before it either",
        ),
    ] {
        assert_eq!(found(&with("", "", "", &event(keys))), [said]);
    }
    let later = event("up = true").replace("2 s", "3 s");
    for keys in [
        "up = false",
        "rate = \"100 Mbit/s\"",
        "loss = 0.1",
        "delay = \"1 ms\"",
    ] {
        let used = with("", "", "", &event(keys));
        assert_eq!(found(&used), Vec::<String>::new(), "{keys}");
    }
    assert_eq!(
        found(&with("", "", "", &(event("up = false") + &later))),
        Vec::<String>::new()
    );
}

/// Routes are found once: a link that goes down takes what goes over it, whatever other way there is. A bundle has its own.
#[test]
fn a_link_that_goes_down_beside_another_way_is_found() {
    let cut = "[[event]]\nat = \"2 s\"\nlink = \"out\"\nup = false\n";
    let beside = "[[router]]\nname = \"s\"\n\
        [[link]]\nname = \"up\"\nends = [\"r\", \"s\"]\nrate = \"1 Gbit/s\"\n\
        [[link]]\nname = \"across\"\nends = [\"s\", \"b\"]\nrate = \"1 Gbit/s\"\n";
    let words = "what test `t` sends over link `out` while it is down goes no other way";
    let said = |more: &str| {
        let all = found(&with("", "", "", more));
        all.iter().filter(|t| t.starts_with(words)).count()
    };
    assert_eq!(said(&format!("{beside}{cut}")), 1);
    let again = cut.replace("2 s", "6 s");
    let up = cut.replace("2 s", "4 s").replace("false", "true");
    assert_eq!(said(&format!("{beside}{cut}{up}{again}")), 1, "once a link");
    assert_eq!(said(cut), 0, "there is one way alone");
    let late = cut.replace("2 s", "30 s");
    assert_eq!(said(&format!("{beside}{late}")), 0);
}

/// Ends that come too late to matter, and those that others hide.
#[test]
fn ends_of_events_that_change_nothing_are_found() {
    let event =
        |at: &str, keys: &str| format!("[[event]]\nat = \"{at}\"\nlink = \"out\"\n{keys}\n");
    let said = |events: &[(&str, &str)]| {
        let events: String = events.iter().map(|(at, keys)| event(at, keys)).collect();
        found(&with("", "", "", &events))
    };
    let none = Vec::<String>::new();
    let cut = ("2 s", "for = \"3 s\"\nup = false");
    assert_eq!(said(&[cut]), none);
    // The only test ends at 10 s; a link that is down when it ends needs no `for`.
    assert_eq!(
        said(&[("2 s", "for = \"9 s\"\nup = false")]),
        ["`for` has no effect: every test has ended at 10 s"]
    );
    assert_eq!(said(&[("2 s", "up = false")]), none);
    // An event after the tests is one finding.
    assert_eq!(
        said(&[("12 s", "for = \"1 s\"\nup = false")]),
        ["this event has no effect: every test has ended at 10 s"]
    );
    let again = "for = \"3 s\"\nup = false";
    assert_eq!(
        said(&[cut, ("4 s", again)]),
        ["the end of this event changes nothing: another one that began since is not over"]
    );
    assert_eq!(
        said(&[cut, ("4 s", "up = true")]),
        ["`for` has no effect: another event changes the same before this one is over"]
    );
    // One that begins as another ends, one inside another, and one for good that this one is inside of.
    assert_eq!(said(&[cut, ("5 s", again)]), none);
    assert_eq!(
        said(&[
            ("2 s", "for = \"6 s\"\nup = false"),
            ("4 s", "for = \"1 s\"\nup = true")
        ]),
        none
    );
    assert_eq!(
        said(&[("1 s", "up = false"), cut]),
        ["`up` has no effect: the link is down already"]
    );
    assert_eq!(
        said(&[cut, ("7 s", "up = false")]),
        none,
        "it is up again by then"
    );
    assert_eq!(
        said(&[cut, ("7 s", "up = true")]),
        ["`up` has no effect: the link is up already"]
    );
}

/// Of a sweep, an end that comes too late at some points is what the sweep asks for.
#[test]
fn ends_of_a_swept_event_are_found_where_they_never_matter() {
    let text = |values: &str| {
        let event = "[[event]]\nname = \"cut\"\nat = \"2 s\"\nlink = \"out\"\nup = false\n";
        with(
            "",
            "",
            "",
            &format!("{event}[sweep]\n\"event.cut.for\" = [{values}]\n"),
        )
    };
    assert_eq!(found(&text("\"1 s\", \"3 s\"")), Vec::<String>::new());
    assert_eq!(found(&text("\"1 s\", \"30 s\"")), Vec::<String>::new());
    assert_eq!(
        found(&text("\"20 s\", \"30 s\"")),
        ["`event.cut.for` has no effect at any of 2 points: every test has ended at 10 s"]
    );
}

/// A search hides no finding but those that its values decide.
#[test]
fn what_is_without_effect_beside_a_search_is_found() {
    let search = "[[search]]\nname = \"s\"\nkeys = [\"link.out.rate\"]\nlow = \"1 Mbit/s\"\nhigh = \"1 Gbit/s\"\nmetrics = [\"t.retransmits\"]\n";
    let host = with("receive_ring = 100", "", "", search);
    assert_eq!(
        found(&host),
        ["`receive_ring` has no effect: the processor of this host takes no time"]
    );
    // The line is slower than the shaper at one end of the search, and faster at the other.
    let shaped = with(
        "",
        "shape = { rate = \"100 Mbit/s\", burst = \"20 kB\" }",
        "",
        search,
    );
    assert_eq!(found(&shaped), Vec::<String>::new());
}

/// A queue that holds no frame, and a test that is over before its first byte can arrive.
#[test]
fn what_can_carry_nothing_is_found() {
    assert_eq!(
        found(&with("", "queue = \"1 B\"", "", "")),
        [
            "`queue` holds no frame of 1500 bytes, which takes 1514: one that finds the line busy is lost"
        ]
    );
    assert_eq!(found(&with("", "queue = \"1513 B\"", "", "")).len(), 1);
    assert_eq!(found(&with("", "queue = \"1514 B\"", "", "")).len(), 0);
    assert_eq!(
        found(&with("", "queue = \"20 kB\"", "", "")),
        Vec::<String>::new()
    );
    let far = with("", "delay = \"100 ms\"", "", "");
    let short = |time: &str| found(&far.replace("\"10 s\"", &format!("\"{time}\"")));
    assert_eq!(
        short("150 ms"),
        ["nothing can arrive in this test: a handshake and the first data take 300.0015 ms"]
    );
    assert_eq!(short("400 ms"), Vec::<String>::new());
}

/// Keys of a sweep that do nothing at any of its values, though one of them says nothing of itself; what needs two keys to tell;
/// and points at which hardly anything arrives.
#[test]
fn swept_keys_that_do_nothing_are_found() {
    let sweep = |link: &str, test: &str, keys: &str| {
        found(&with("", link, test, &format!("[sweep]\n{keys}")))
    };
    let one = |link: &str, keys: &str, said: &str| {
        let all = sweep(link, "", keys);
        assert!(
            all.len() == 1 && all[0].starts_with(said),
            "{keys}: {all:#?}"
        );
    };
    let ecn = "\"test.t.ecn\" = [true, false]";
    one(
        "",
        ecn,
        "`test.t.ecn` has no effect at any of 2 points: no queue",
    );
    // CoDel drops unless `ecn` says otherwise.
    let managed = "\"link.out.forward.aqm\" = [\"codel\", \"fifo\"]";
    let both = format!("{ecn}\n{managed}");
    one(
        "",
        &both,
        "`test.t.ecn` has no effect at any of 4 points: no queue",
    );
    // Fair queueing marks by itself.
    let fair = "\"link.out.forward.aqm\" = [\"codel\", \"fq-codel\"]";
    let both = format!("{ecn}\n{fair}");
    one(
        "",
        &both,
        "`test.t.ecn` has no effect where `link.out.forward.aqm` is codel (2 of 4 points)",
    );
    assert_eq!(
        sweep("[link.forward]\nscheduler = \"fq-codel\"", "", ecn),
        Vec::<String>::new()
    );
    // The scenario is the same: nobody reads the key.
    let packets = "\"link.out.forward.red.min\" = [\"10 kB\", \"20 kB\"]";
    let link = "[link.forward]\naqm = \"fifo\"\nred = { min = \"100 kB\", max = \"300 kB\" }";
    let all = sweep(link, "", packets);
    assert!(all.iter().any(|t| t.contains("no effect")), "{all:#?}");
}

/// What waits where data goes is compared, whatever acknowledgements meet.
#[test]
fn a_swept_queue_without_effect_on_data_is_found() {
    let keys = "[sweep]\n\"link.out.queue\" = [\"100 kB\", \"1bdp\"]\n\"link.out.forward.aqm\" = [\"fifo\", \"fq-codel\"]";
    let all = found(&with("", "delay = \"10 ms\"", "", keys));
    let said = "`link.out.queue` has no effect where `link.out.forward.aqm` is fq-codel (2 of 4 points): fq-codel counts";
    assert!(all.len() == 1 && all[0].starts_with(said), "{all:#?}");
}

/// Points at which a queue holds no frame, however that is said, are named.
#[test]
fn queues_that_hold_no_frame_at_a_point_are_found() {
    let link = "delay = \"50 ms\"";
    let said = |keys: &str| found(&with("", link, "", &format!("[sweep]\n{keys}")));
    let all = said("\"link.out.queue\" = [\"1000 B\", \"1bdp\"]");
    let whole = "`queue` holds no frame of 1500 bytes, which takes 1514: one that finds the line busy is lost, where `link.out.queue` is 1000 B (1 of 2 points)";
    assert_eq!(all, [whole]);
    let all = said(
        "\"link.out.queue\" = [\"0.0001bdp\", \"1bdp\"]\n\"test.t.cc\" = [\"reno\", \"cubic\"]",
    );
    assert!(
        all.len() == 1 && all[0].ends_with("where `link.out.queue` is 0.0001bdp (2 of 4 points)"),
        "{all:#?}"
    );
    let all = said(
        "\"link.out.queue\" = [\"0.01bdp\", \"1bdp\"]\n\"link.out.delay\" = [\"500 us\", \"50 ms\"]",
    );
    let both = "where `link.out.delay` is 500 us and `link.out.queue` is 0.01bdp (1 of 4 points)";
    assert!(all.len() == 1 && all[0].ends_with(both), "{all:#?}");
    let all = found(&with(
        "",
        "queue = \"0.0001bdp\"\ndelay = \"50 ms\"",
        "",
        "",
    ));
    assert!(
        all.len() == 1 && all[0].contains("holds no frame"),
        "{all:#?}"
    );
}
