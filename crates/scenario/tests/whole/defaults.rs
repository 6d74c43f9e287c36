//! What a host has of which nothing is said.

use farpath_scenario::plan::Plan;
use farpath_scenario::{Source, parse};
use farpath_tcp::{Algorithm, Autotuning, Config, Flavour, Pacing, Profile, Retries, SlowStart};
use farpath_units::{Duration, Rate};

/// The connection of two hosts on a wire, with these keys of each host and of the test.
fn connection(host: &str, test: &str) -> Config {
    let text = format!(
        r#"
[scenario]
name = "two-hosts"
source = "test"
summary = "a path"
[[host]]
name = "a"
{host}
[[host]]
name = "b"
{host}
[[link]]
name = "wan"
ends = ["a", "b"]
rate = "1 Gbit/s"
[[test]]
name = "t"
kind = "tcp"
from = "a"
to = "b"
{test}
"#
    );
    let name = "test.toml".to_owned();
    let scenario = parse(&Source { name, text }, &[]).unwrap_or_else(|e| panic!("{e}"));
    let plan = Plan::new(&scenario).expect("a path");
    let tcp = scenario.tests[0].kind.tcp().expect("it is tcp");
    plan.tcp_config(&scenario, 0, tcp)
}

/// `farpath conformance` plays `Profile::Linux6.config` too.
#[test]
fn a_host_of_which_nothing_is_said_is_the_linux_that_conformance_plays() {
    let played = Profile::Linux6.config(Algorithm::Cubic);
    assert_eq!(played.flavour, Flavour::Linux);
    assert_eq!(played.slow_start, SlowStart::HyStart);
    let wanted = Config {
        // 32 MiB · 169/256.
        receive_window: 22_151_168,
        send_buffer: 4 << 20,
        // The card's, which a script's segments do not pass.
        gro: Duration::from_us(50),
        tso: 65_536,
        // A script's receiver is given its own.
        compressed_sacks: 44,
        // Half of 128 KiB, and 169/256 of it.
        autotuning: Some(Autotuning {
            profile: Profile::Linux6,
            first: 65_536,
            start: 86_528,
        }),
        ..played
    };
    assert_eq!(connection("", ""), wanted);
    assert_eq!(connection("profile = \"linux-6\"", ""), wanted);
}

/// Docs, profile and scenario have one initial window for each kind of host; of 2004 that of a first connection.
#[test]
fn an_initial_window_is_its_profiles() {
    for (name, profile, window) in [
        ("bsd-1999", Profile::Bsd1999, 1),
        ("linux-2004", Profile::Linux2004, 2),
        ("linux-5", Profile::Linux5, 10),
        ("linux-6", Profile::Linux6, 10),
    ] {
        let of = |test: &str| connection(&format!("profile = \"{name}\""), test).initial_window;
        assert_eq!(
            (of(""), profile.initial_window()),
            (window, window),
            "{name}"
        );
        assert_eq!(of("initial_window = 3"), 3, "{name}");
    }
}

/// What is written goes before; so does a test that counts segments for an ACK, or asks for the RFC's way.
#[test]
fn gro_is_of_linux_6_where_nothing_else_is_said() {
    let gro = |host: &str, test: &str| connection(host, test).gro;
    assert_eq!(gro("", ""), Duration::from_us(50));
    assert_eq!(gro("profile = \"linux-2004\"", ""), Duration::ZERO);
    assert_eq!(gro("", "delayed_ack = 2"), Duration::ZERO);
    assert_eq!(gro("", "flavour = \"rfc\""), Duration::ZERO);
    let written = gro("gro = \"1 ms\"", "delayed_ack = 2\nflavour = \"rfc\"");
    assert_eq!(written, Duration::from_ms(1));
    assert_eq!(gro("gro = \"0 s\"", ""), Duration::ZERO);
}

/// Nor where buffers are asked for, or an exact window; the RFC's way has all of it at once, and no bursts.
#[test]
fn a_window_grows_where_nothing_is_said_of_buffers() {
    assert!(connection("", "cc = \"bbr\"").autotuning.is_some());
    assert!(
        connection("tcp_rmem = \"4096 65536 16777216\"", "")
            .autotuning
            .is_some()
    );
    for keys in [
        "window = \"1 MiB\"",
        "socket_buffer = \"1 MiB\"",
        "flavour = \"rfc\"",
    ] {
        let found = connection("", keys);
        assert_eq!(found.autotuning, None, "{keys}");
        assert_eq!(found.tso > 0, !keys.contains("rfc"), "{keys}");
    }
    assert_eq!(connection("profile = \"linux-2004\"", "").autotuning, None);
    assert_eq!(connection("tso = false\ncomp_sack_nr = 0", "").tso, 0);
    assert_eq!(connection("tso = true", "flavour = \"rfc\"").tso, 65_536);
    for (host, test, most) in [
        ("", "", 44),
        ("", "flavour = \"rfc\"", 0),
        ("", "delayed_ack = 1", 0),
        ("profile = \"linux-5\"", "", 0),
        ("comp_sack_nr = 0", "", 0),
        ("comp_sack_nr = 9", "", 9),
        ("comp_sack_nr = 9", "flavour = \"rfc\"", 9),
    ] {
        let found = connection(host, test).compressed_sacks;
        assert_eq!(found, most, "{host} {test}");
    }
}

/// RFC 7323 §2: 16 bits, whatever the buffers are. A host that has it off has it off for what it sends and what it receives.
#[test]
fn a_window_ends_at_16_bits_where_an_end_does_not_scale() {
    let off = "window_scaling = false";
    for (host, test, most, scaling) in [
        ("", "", 22_151_168, [true; 2]),
        ("window_scaling = true", "", 22_151_168, [true; 2]),
        (off, "", 65_535, [false; 2]),
        (off, "window = \"1 MiB\"", 65_535, [false; 2]),
        (off, "window = \"32 KiB\"", 22 * 1448, [false; 2]),
        (off, "socket_buffer = \"1 MiB\"", 65_535, [false; 2]),
    ] {
        let found = connection(host, test);
        assert_eq!(found.receive_window, most, "{host} {test}");
        assert_eq!(found.window_scaling, scaling, "{host} {test}");
        assert!(found.first_offer() <= most);
    }
}

/// Half of 6 MiB, as before Linux 6.6, and each second segment acknowledged; a SYN's timeout doubles from the first. The congestion
/// control is the kernel's as well.
#[test]
fn linux_5_differs_in_its_buffers_gro_and_syns() {
    let wanted = Config {
        receive_window: 3 << 20,
        gro: Duration::ZERO,
        tso: 0,
        compressed_sacks: 0,
        autotuning: Some(Autotuning {
            profile: Profile::Linux5,
            first: 65_536,
            start: 65_536,
        }),
        retries: Retries {
            syn_linear: 0,
            ..Retries::default()
        },
        ..connection("", "")
    };
    assert_eq!(connection("profile = \"linux-5\"", ""), wanted);
}

#[test]
fn hystart_is_of_linuxs_cubic_alone() {
    for (keys, slow_start) in [
        ("", SlowStart::HyStart),
        ("cc = \"cubic\"", SlowStart::HyStart),
        ("cc = \"reno\"", SlowStart::Standard),
        ("cc = \"htcp\"", SlowStart::Standard),
        ("flavour = \"rfc\"", SlowStart::Standard),
        ("hystart = false", SlowStart::Standard),
        ("hystart = true", SlowStart::HyStart),
        ("cc = \"reno\"\nhystart = true", SlowStart::HyStartPlusPlus),
        (
            "flavour = \"rfc\"\nhystart = true",
            SlowStart::HyStartPlusPlus,
        ),
        ("slow_start = \"standard\"", SlowStart::Standard),
        (
            "flavour = \"rfc\"\nslow_start = \"hystart\"",
            SlowStart::HyStart,
        ),
    ] {
        assert_eq!(connection("", keys).slow_start, slow_start, "{keys}");
    }
    let old = connection("profile = \"linux-2004\"", "cc = \"cubic\"");
    assert_eq!(
        (old.flavour, old.slow_start),
        (Flavour::Rfc, SlowStart::Standard)
    );
}

/// Linux's fq has a sender pace: docs/models/host.md.
#[test]
fn fq_paces_unless_a_test_says_otherwise() {
    let fq = "qdisc = \"fq\"";
    assert_eq!(connection("", "").pacing, None);
    assert_eq!(connection("qdisc = \"pfifo_fast\"", "").pacing, None);
    assert_eq!(connection(fq, "").pacing, Some(Pacing::default()));
    assert_eq!(connection(fq, "pacing = false").pacing, None);
    let burst = connection(fq, "gso = \"16 KiB\"").pacing;
    assert_eq!(
        burst,
        Some(Pacing {
            burst: 16_384,
            most: None
        })
    );
}

/// A rate that is asked for paces without fq, and bounds BBR's own.
#[test]
fn a_pacing_rate_paces_by_itself() {
    let rate = "pacing_rate = \"200 Mbit/s\"";
    let asked = Pacing {
        most: Rate::from_bps(200_000_000),
        ..Pacing::default()
    };
    for host in ["", "qdisc = \"fq\""] {
        assert_eq!(connection(host, rate).pacing, Some(asked));
        let bbr = format!("cc = \"bbr\"\n{rate}");
        assert_eq!(connection(host, &bbr).pacing, Some(asked));
    }
}

/// A start is a function of the seed and the test's name, and lies within its spread.
#[test]
fn starts_are_drawn_from_the_seed() {
    let text = r#"
[scenario]
name = "spread"
[[host]]
name = "a"
[[host]]
name = "b"
[[link]]
name = "wan"
ends = ["a", "b"]
rate = "1 Gbit/s"
[[test]]
name = "fixed"
kind = "ping"
from = "a"
to = "b"
start = "1 s"
[[test]]
name = "spread"
kind = "ping"
from = "a"
to = "b"
start = "1 s"
start_spread = "2 s"
"#;
    let (name, text) = ("spread.toml".to_owned(), text.to_owned());
    let scenario = parse(&Source { name, text }, &[]).unwrap_or_else(|e| panic!("{e}"));
    let start = |seed| {
        let mut drawn = scenario.clone();
        drawn.draw_starts(seed);
        drawn
            .tests
            .iter()
            .map(|t| t.start.as_ns())
            .collect::<Vec<_>>()
    };
    let all: Vec<Vec<u64>> = (0..200).map(start).collect();
    assert!(all.iter().all(|s| s[0] == 1_000_000_000));
    assert!(
        all.iter()
            .all(|s| (1_000_000_000..=3_000_000_000).contains(&s[1]))
    );
    // Of 200 uniform draws the mean lies within five of its standard errors, 41 ms, of the middle.
    let mean = all.iter().map(|s| s[1] as f64).sum::<f64>() / 200.0;
    assert!((mean - 2e9).abs() < 0.205e9, "{mean}");
    assert_eq!(start(7), start(7));
}

/// Each connection draws its own start, and the first of them is the test's.
#[test]
fn connections_of_one_test_start_apart() {
    let text = |keys: &str| {
        format!(
            "[scenario]\nname = \"x\"\n[[host]]\nname = \"a\"\n[[host]]\nname = \"b\"\n\
             [[link]]\nname = \"l\"\nends = [\"a\", \"b\"]\nrate = \"1 Gbit/s\"\n\
             [[test]]\nname = \"t\"\nkind = \"tcp\"\nfrom = \"a\"\nto = \"b\"\nstart = \"1 s\"\nduration = \"8 s\"\n{keys}\n"
        )
    };
    let read = |keys: &str| {
        let (name, text) = ("x.toml".to_owned(), text(keys));
        parse(&Source { name, text }, &[])
    };
    let drawn = |streams: u32, seed| {
        let keys = format!("parallel = {streams}\nstart_spread = \"2 s\"");
        let mut scenario = read(&keys).unwrap_or_else(|e| panic!("{e}"));
        scenario.draw_starts(seed);
        let test = &scenario.tests[0];
        (0..streams)
            .map(|n| test.start_of(n).as_ns())
            .collect::<Vec<_>>()
    };
    let all = drawn(100, 7);
    assert!(all.is_sorted() && all[0] >= 1_000_000_000 && all[99] <= 3_000_000_000);
    assert_eq!(all, drawn(100, 7));
    assert_ne!(all, drawn(100, 8));
    // Of 100 uniform draws the mean lies within five of its standard errors, 58 ms, of the middle.
    let mean = all.iter().map(|at| *at as f64).sum::<f64>() / 100.0;
    assert!((mean - 2e9).abs() < 0.29e9, "{mean}");
    assert!(
        all.contains(&drawn(1, 7)[0]),
        "one more changes nobody's luck"
    );
    let errors = read("parallel = 2\nstart_spread = \"8 s\"").expect_err("it is too long");
    let words = "x.toml:19: connections of test `t` would start after its end";
    assert!(errors.lines()[0].starts_with(words), "{errors}");
    read("parallel = 1\nstart_spread = \"8 s\"").expect("one moves its end");
}

/// What closed forms advise to simulate is what a scenario can run.
#[test]
fn what_has_closed_forms_alone_is_not_to_be_simulated() {
    for cc in farpath_predict::Cc::ALL {
        let is_modelled = Algorithm::ALL.iter().any(|a| a.name() == cc.name());
        assert_eq!(cc.is_simulated(), is_modelled, "{cc}");
        assert_eq!(cc.forms_alone().is_none(), is_modelled, "{cc}");
    }
}
