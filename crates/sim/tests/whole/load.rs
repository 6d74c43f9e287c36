//! The shape of traffic: bursts, days and nights, what was written down, flows that come and go;
//! and what neighbours lose to it.

use farpath_scenario::{Set, Source, parse};

use crate::world::{World, assert_near, assert_within, run_scenario, run_text, scenario};

/// Two hosts 20 ms apart there and back, 100 Mbit/s behind a router.
fn text(tests: &str) -> String {
    format!(
        r#"
[scenario]
name = "load"
[[host]]
name = "a"
[[host]]
name = "b"
[[router]]
name = "r"
[[link]]
name = "near"
ends = ["a", "r"]
framing = "gbe"
[[link]]
name = "far"
ends = ["r", "b"]
framing = "fe"
delay = "10 ms"
queue = "300 packets"
{tests}
"#
    )
}

fn test(name: &str, kind: &str, more: &str) -> String {
    format!("[[test]]\nname = \"{name}\"\nkind = \"{kind}\"\nfrom = \"a\"\nto = \"b\"\n{more}\n")
}

fn run(tests: &str) -> World {
    run_text(&text(tests))
}

#[test]
fn bursts_and_pauses_have_their_duty_and_the_rate_within() {
    // Pareto with exponent 3: 4000 cycles of 100 ms, their mean within 1 %.
    let bursts = "rate = \"4 Mbit/s\"\nsize = 500\non_off = { on = \"20 ms\", off = \"80 ms\", alpha = 3 }\nduration = \"400 s\"";
    let world = run(&test("t", "udp", bursts));
    assert_near("mean", world.metric("t", "sent_bps"), 0.8e6, 0.03);
    // The longest interval within a burst goes at the full rate.
    let rates = &world.link("far", "r>b").rate_bps;
    let highest = rates.iter().fold(0.0_f64, |a, b| a.max(*b));
    assert!(highest < 4e6 * 1.15, "{highest}");
    assert_eq!(run(&test("t", "udp", bursts)).json(), world.json());
}

#[test]
fn a_day_has_its_night() {
    let day = |arrivals: &str, shape: &str| {
        run(&test(
            "t",
            "udp",
            &format!(
                "rate = \"8 Mbit/s\"\nsize = 1000\narrivals = \"{arrivals}\"\nenvelope = {{ period = \"10 s\", low = 0.25, shape = \"{shape}\" }}\nduration = \"20 s\""
            ),
        ))
    };
    for (arrivals, shape, tolerance) in [
        ("constant", "sinusoid", 1e-3),
        ("constant", "steps", 1e-3),
        ("poisson", "sinusoid", 0.03),
    ] {
        let world = day(arrivals, shape);
        assert_near(shape, world.metric("t", "sent_bps"), 8e6 * 0.625, tolerance);
        let rates = &world.link("far", "r>b").rate_bps;
        let wire = 1066.0 / 1000.0;
        let (night, noon) = (rates[1], rates[rates.len() / 4]);
        if arrivals == "constant" {
            assert_near("night", night, 2e6 * wire, 0.1);
            assert_near("noon", noon, 8e6 * wire, 0.1);
        }
    }
}

#[test]
fn what_was_written_down_is_sent_again() {
    let folder = std::env::temp_dir().join(format!("farpath-replay-{}", std::process::id()));
    #[allow(
        clippy::disallowed_methods,
        reason = "the file that is replayed has to be written first"
    )]
    let write = |name: &str, text: &str| {
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join(name), text).expect("written");
    };
    write("bytes.csv", "time_s,bytes\n0,1500\n0.5,10000\n1.25,500\n");
    write(
        "rates.csv",
        "time_s,rate_bps\n0,1000000\n1,0\n2,4000000\n3,0\n",
    );
    let run = |file: &str| {
        let source = Source {
            name: folder.join("x.toml").to_string_lossy().into_owned(),
            text: text(&test(
                "t",
                "udp",
                &format!("replay = \"{file}\"\nsize = 1000"),
            )),
        };
        let none: [Set; 0] = [];
        parse(&source, &none).map(run_scenario)
    };
    // 12 000 bytes: one, ten and one datagram.
    let world = run("bytes.csv").expect("read");
    assert_eq!(world.metric("t", "sent"), 12.0);
    assert_eq!(world.metric("t", "received"), 12.0);
    let world = run("rates.csv").expect("read");
    assert_eq!(world.metric("t", "sent"), 625.0);
    assert_near("mean", world.metric("t", "sent_bps"), 5e6 / 3.0, 1e-3);
    write("wrong.csv", "time_s,bytes\n0,1500\n0,100\n");
    let said = run("wrong.csv").err().expect("refused").to_string();
    assert!(
        said.contains("`wrong.csv`, line 3") && said.contains("sort the lines"),
        "{said}"
    );
    assert!(said.contains("replay = \"wrong.csv\""), "{said}");
    for (file, remedy) in [
        ("none.csv", "relative to the scenario"),
        ("../x.csv", "below the scenario's folder"),
        ("/etc/passwd", "ends in .csv"),
    ] {
        let said = run(file).err().expect("refused").to_string();
        assert!(said.contains(remedy), "{said}");
    }
    #[allow(
        clippy::disallowed_methods,
        reason = "what the test wrote it takes away"
    )]
    std::fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn flows_come_and_go_and_bring_the_load_they_should() {
    let flows = "flows = 400\nspacing = \"50 ms\"\nsizes = { kind = \"pareto\", least = \"5 kB\", most = \"2 MB\", alpha = 1.3 }";
    let world = run(&test("t", "flows", flows));
    assert_eq!(world.metric("t", "flows"), 400.0);
    // Bounded Pareto: 5 kB · 1.3 / 0.3 · (1 − 400^−0.3) / (1 − 400^−1.3) = 18.1 kB; 400 of them are
    // far from their mean (standard error 15 %).
    assert_near(
        "mean size",
        world.metric("t", "size_mean_bytes"),
        18.1e3,
        0.45,
    );
    let bytes = world.metric("t", "bytes");
    assert_near(
        "bytes",
        bytes,
        world.metric("t", "size_mean_bytes") * 400.0,
        1e-3,
    );
    // 400 exponential gaps: 20 s within 5 % each σ.
    let offered = world.metric("t", "offered_bps");
    assert_near("arrivals", bytes * 8.0 / offered, 20.0, 0.15);
    // The least takes a handshake, half a round trip, and its bytes.
    let least = world.metric("t", "flow_time_p50_ns") / 1e6;
    assert_within("median", least, 30.0, 90.0);
    assert!(world.metric("t", "flow_time_p99_ns") > world.metric("t", "flow_time_avg_ns"));
    assert!(world.record("t").streams.is_empty());
    let alike = "flows = 50\nspacing = \"1 s\"\nsizes = { kind = \"fixed\", size = \"1448 B\" }";
    let world = run(&test("t", "flows", alike));
    // One segment each on an idle path: all take the same time.
    let times = ["p50", "p99", "avg"].map(|q| world.metric("t", &format!("flow_time_{q}_ns")));
    assert!(
        times.iter().all(|t| (t - times[0]).abs() < 2.0),
        "{times:?}"
    );
}

/// M/D/1: the mean wait is ρ/(2(1 − ρ)) services (Pollaczek and Khinchine).
#[test]
fn datagrams_at_random_wait_as_queueing_theory_says() {
    // 1250 bytes are 1316 on the wire with headers: 105.28 µs at 100 Mbit/s. ρ = 0.8.
    let rate = 0.8 * 1250.0 * 8.0 / 105.28e-6;
    let one = |name: &str, bps: f64| {
        let bps = bps as u64;
        test(
            name,
            "udp",
            &format!(
                "rate = \"{bps} bit/s\"\nsize = 1250\narrivals = \"poisson\"\nduration = \"40 s\""
            ),
        )
    };
    let world = run(&one("t", rate));
    assert_eq!(world.metric("t", "loss_ratio"), 0.0);
    // What an interval's end finds waiting, averaged over 400 ends: ρ²/(2(1 − ρ)) frames of 1292
    // bytes without preamble and gap, Little's law; 1.6 of them, with a standard error of 8 %.
    let queue = &world.link("far", "r>b").queue_bytes;
    let frames = queue.iter().sum::<f64>() / queue.len() as f64 / 1292.0;
    assert_near("waiting", frames, 0.64 / 0.4, 0.3);
}

/// M/D/1/K: 1500 bytes on a line without framing, a load of 0.917 and three places beside the one in service: 9.76 % by the embedded chain.
#[test]
fn datagrams_at_random_are_lost_as_queueing_theory_says() {
    let short = "framing = \"none\"\nrate = \"10 Mbit/s\"\ndelay = \"1 ms\"\nqueue = \"3 packets\"";
    let far = "framing = \"fe\"\ndelay = \"10 ms\"\nqueue = \"300 packets\"";
    let stream = "rate = \"9 Mbit/s\"\nsize = 1472\narrivals = \"poisson\"\nduration = \"200 s\"";
    let world = run_text(&text(&test("t", "udp", stream)).replace(far, short));
    // 150 000 datagrams; losses come in bunches: a standard error of some 1.5 %.
    assert_near("lost", world.metric("t", "loss_ratio"), 0.097_643, 0.06);
}

#[test]
fn a_neighbour_is_told_what_eighty_streams_cost_it() {
    let neighbour = |name: &str, start: u32| {
        test(
            name,
            "tcp",
            &format!(
                "start = \"{start} s\"\nwindow = \"1 MiB\"\nomit = \"2 s\"\nduration = \"8 s\""
            ),
        )
    };
    let tests = [
        neighbour("alone", 0),
        neighbour("beside", 20),
        test(
            "crowd",
            "tcp",
            "start = \"20 s\"\nparallel = 80\nwindow = \"1 MiB\"\nomit = \"2 s\"\nduration = \"8 s\"\ngroup = \"x\"",
        ),
        "[[expect]]\nmetric = \"beside.goodput_bps\"\nover = \"alone.goodput_bps\"\nmax = 0.2\n"
            .to_owned(),
    ];
    let world = run(&tests.concat());
    let harm = 1.0 - world.metric("beside", "goodput_bps") / world.metric("alone", "goodput_bps");
    // A fair share of 81 connections would leave 1.2 %.
    assert_within("harm", harm, 0.8, 1.0);
    assert_eq!(world.record("crowd").streams.len(), 80);
    assert_within("crowd", world.metric("crowd", "jain_index"), 0.3, 1.0);
    // Alone in its group it is compared with nobody.
    assert!(
        !world
            .record("crowd")
            .metrics
            .contains_key("group_jain_index")
    );
}

#[test]
fn tests_of_a_group_are_compared() {
    let one = |name: &str, rate: u32| {
        test(
            name,
            "udp",
            &format!("rate = \"{rate} Mbit/s\"\nduration = \"2 s\"\ngroup = \"g\""),
        )
    };
    let world = run(&[one("x", 10), one("y", 30)].concat());
    let (x, y) = (
        world.metric("x", "goodput_bps"),
        world.metric("y", "goodput_bps"),
    );
    let index = (x + y) * (x + y) / (2.0 * (x * x + y * y));
    assert_near("index", world.metric("y", "group_jain_index"), index, 1e-12);
    assert_near("about", index, 0.8, 0.01);
    assert!(scenario(&text(&one("z", 1))).tests[0].group.is_some());
}

/// 100 connections of 100 kB take 100 times as long as one, and their series are as coarse: at 100 Mbit/s the 10 MB alone take 0.8 s.
#[test]
fn a_run_is_as_long_as_all_its_connections_take() {
    let end = |parallel: u32| {
        let more = format!("bytes = \"100 kB\"\nparallel = {parallel}");
        let scenario = scenario(&text(&test("t", "tcp", &more)));
        let plan = farpath_scenario::plan::Plan::new(&scenario).expect("a plan");
        farpath_sim::nominal_end(&scenario, &plan).as_secs_f64()
    };
    assert_within(
        "all but one",
        end(100) - end(1),
        99.0 * 0.8e6 / 100e6,
        99.0 * 0.9e6 / 100e6,
    );
}

/// There was one interval more where a test ends with one.
#[test]
fn series_end_with_the_measured_time() {
    let world = run(&test("t", "tcp", "duration = \"2 s\""));
    let series = &world.record("t").series;
    for name in ["goodput_bps", "cwnd_bytes"] {
        assert_eq!(series[name].t_ns.last(), Some(&2_000_000_000), "{name}");
    }
}
