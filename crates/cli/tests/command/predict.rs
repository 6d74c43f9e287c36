//! `farpath predict`: the documents of the contract and the numbers in them.

use serde_json::Value;

use crate::farpath::farpath;
use crate::shape::{Is, assert_shape};

const NAMES: [&str; 13] = [
    "bdp_bytes",
    "window_needed_bytes",
    "window_limit_bps",
    "line_goodput_bps",
    "loss_limit_bps",
    "goodput_bps",
    "limit",
    "slow_start_s",
    "slow_start_waste_s",
    "recovery_s",
    "loss_ratio_to_fill",
    "sequence_wrap_s",
    "handshake_s",
];

fn path(args: &[&str]) -> Value {
    predict("path", args)
}

fn predict(what: &str, args: &[&str]) -> Value {
    let mut all = vec!["predict", what, "--json"];
    all.extend(args);
    let document: Value = serde_json::from_str(&farpath(&all).exits(0).out).expect("JSON");
    assert_shape(
        "document",
        &document,
        &[("schema", Is::Text), ("results", Is::Array)],
    );
    assert_eq!(document["schema"], "farpath.predict/1");
    for result in document["results"].as_array().expect("checked") {
        let object = result.as_object().expect("an object");
        for key in ["name", "unit", "formula", "source", "note"] {
            assert!(
                object.get(key).is_some_and(Value::is_string),
                "{key} of {result}"
            );
        }
        let value = &object["value"];
        assert!(
            value.is_number() || value.is_null() || result["name"] == "limit",
            "{result}"
        );
    }
    document
}

fn value<'a>(document: &'a Value, name: &str) -> &'a Value {
    let results = document["results"].as_array().expect("checked");
    let found = results.iter().find(|r| r["name"] == name);
    &found.unwrap_or_else(|| panic!("no {name}"))["value"]
}

fn number(document: &Value, name: &str) -> f64 {
    value(document, name)
        .as_f64()
        .unwrap_or_else(|| panic!("{name} is not a number"))
}

#[track_caller]
fn assert_near(actual: f64, expected: f64, share: f64) {
    assert!(
        (actual / expected - 1.0).abs() <= share,
        "{actual} instead of {expected}"
    );
}

#[test]
fn a_path_has_every_result_and_null_where_an_input_is_missing() {
    let plain = path(&["--rate", "10Gbit/s", "--rtt", "116ms", "--mtu", "9000"]);
    for name in NAMES {
        value(&plain, name);
    }
    // 10 Gbit/s times 116 ms.
    assert_eq!(*value(&plain, "bdp_bytes"), Value::from(145_000_000));
    assert_eq!(*value(&plain, "window_limit_bps"), Value::Null);
    assert_eq!(*value(&plain, "loss_limit_bps"), Value::Null);
    assert_eq!(*value(&plain, "limit"), Value::from("link"));
    // 8948 of 9038 bytes.
    assert_near(
        number(&plain, "line_goodput_bps"),
        1e10 * 8948.0 / 9038.0,
        1e-12,
    );
    // RFC 7323 §1.2 (and its table): 2^31 bytes at the rate.
    assert_near(
        number(&plain, "sequence_wrap_s"),
        2147483648.0 * 8.0 / 1e10,
        0.02,
    );
}

#[test]
fn inputs_that_are_there_make_numbers() {
    let args = [
        "--rate", "10Gbit/s", "--rtt", "116ms", "--mtu", "9000", "--window", "64MiB", "--loss",
        "1e-6",
    ];
    let full = path(&args);
    for name in NAMES.iter().filter(|n| **n != "limit") {
        number(&full, name);
    }
    assert_near(
        number(&full, "window_limit_bps"),
        64.0 * 1048576.0 * 8.0 / 0.116,
        1e-9,
    );
    assert_eq!(*value(&full, "limit"), Value::from("loss"));
    assert_eq!(
        number(&full, "goodput_bps"),
        number(&full, "loss_limit_bps")
    );
    let small = path(&["--rate", "10Gbit/s", "--rtt", "116ms", "--window", "1MiB"]);
    assert_eq!(*value(&small, "limit"), Value::from("receive_window"));
}

/// "Wide Area Networking" (2003): 10 Gbit/s over 100 and 17 ms need 125 000 000 and 21 250 000 bytes.
#[test]
fn published_products_come_out_exactly() {
    for (rtt, bytes) in [("100ms", 125_000_000), ("17ms", 21_250_000)] {
        let answer = path(&["--rate", "10Gbit/s", "--rtt", rtt]);
        assert_eq!(*value(&answer, "bdp_bytes"), Value::from(bytes));
    }
}

#[test]
fn the_text_says_the_same_and_prints_units() {
    let line = ["predict", "path", "--rate", "10Gbit/s", "--rtt", "116ms"];
    let text = farpath(&[&line[..], &["--all"]].concat()).exits(0).out;
    assert!(text.lines().all(|l| l.chars().count() <= 80), "{text}");
    for name in NAMES {
        assert!(text.contains(name), "{name} is not in\n{text}");
    }
    assert!(
        text.contains("145.00 MB") || text.contains("145 MB"),
        "{text}"
    );
}

/// LBNL's ladder for OC-12 ATM, from the payload the signal really has: 599.040 Mbit/s.
#[test]
fn overhead_is_a_ladder_from_the_line_to_the_application() {
    let args = [
        "predict",
        "overhead",
        "--stack",
        "oc12c/atm/aal5-llc/ip/tcp",
        "--mtu",
        "9180",
        "--json",
    ];
    let document: Value = serde_json::from_str(&farpath(&args).exits(0).out).expect("JSON");
    let layers = document["layers"].as_array().expect("layers");
    let rate = |name: &str| {
        let layer = layers.iter().find(|l| l["name"] == name);
        layer
            .and_then(|l| l["rate_bps"].as_f64())
            .unwrap_or_else(|| panic!("no {name}"))
    };
    assert_eq!(
        (layers[0]["name"].as_str(), rate("line")),
        (Some("line"), 622_080_000.0)
    );
    assert_eq!(
        layers.last().and_then(|l| l["name"].as_str()),
        Some("application")
    );
    for (name, mbps) in [
        ("atm", 599.040),
        ("aal5", 542.527),
        ("ip", 540.408),
        ("application", 538.053),
    ] {
        assert!(
            (rate(name) / 1e6 - mbps).abs() < 0.001,
            "{name}: {}",
            rate(name)
        );
    }
    let rates: Vec<f64> = layers
        .iter()
        .filter_map(|l| l["rate_bps"].as_f64())
        .collect();
    assert_eq!(rates.len(), layers.len());
    assert!(rates.windows(2).all(|w| w[1] <= w[0]), "{rates:?}");
}

#[test]
fn what_cannot_be_read_is_refused_with_a_remedy() {
    for (args, words) in [
        (
            &["--rate", "10", "--rtt", "116ms"][..],
            &["--rate 10", "Gbit/s"][..],
        ),
        (
            &["--rate", "10Gbit/s", "--rtt", "116"],
            &["--rtt 116", "ms"],
        ),
        (
            &["--rate", "10Gbit/s", "--rtt", "116ms", "--window", "64M"],
            &["--window 64M", "MiB"],
        ),
        (
            &["--rate", "10Gbit/s", "--rtt", "116ms", "--loss", "2"],
            &["--loss 2"],
        ),
        (
            &["--rate", "10Gbit/s", "--rtt", "116ms", "--cc", "renault"],
            &["--cc renault", "cubic"],
        ),
        (
            &["--rate", "10Gbit/s", "--rtt", "116ms", "--mtu", "10"],
            &["10"],
        ),
        (
            &["--rate", "0 bit/s", "--rtt", "116ms"],
            &["--rate 0 bit/s"],
        ),
        (&["--rate", "10Gbit/s", "--rtt", "0 ms"], &["0"]),
    ] {
        let mut all = vec!["predict", "path"];
        all.extend(args);
        farpath(&all).exits(2).says(words);
    }
    let stack = |text| farpath(&["predict", "overhead", "--stack", text]).exits(2);
    stack("oc12c/atmm/ip/tcp").says(&["--stack", "atmm"]);
    stack("").says(&["--stack"]);
}

#[test]
fn the_frames_and_the_timeout_of_a_path_can_be_said() {
    let of = |args: &[&str]| {
        let mut all = vec!["--rate", "599.04Mbit/s", "--rtt", "20ms", "--mtu", "9180"];
        all.extend(args);
        path(&all)
    };
    // 9180 bytes behind 8 of LLC and 8 of trailer are 192 cells; timestamps are 12 bytes of 9140.
    let atm = of(&["--framing", "atm", "--no-timestamps"]);
    assert_near(
        number(&atm, "line_goodput_bps"),
        599.04e6 * 9140.0 / (192.0 * 53.0),
        1e-9,
    );
    assert_eq!(number(&of(&["--ipv6"]), "mss_bytes"), 9180.0 - 72.0);
    // 54-byte datagrams carry the 14 bytes of RFC 4828.
    let small = [
        "--rate",
        "1Gbit/s",
        "--rtt",
        "100ms",
        "--mtu",
        "54",
        "--no-timestamps",
    ];
    let small = |more: &[&str]| path(&[&small[..], more].concat());
    assert_eq!(number(&small(&[]), "mss_bytes"), 14.0);
    let pftk = |t0: &str| {
        number(
            &small(&["--loss", "0.1", "--cc", "reno", "--t0", t0]),
            "pftk_bps",
        )
    };
    assert!(pftk("1s") < pftk("400ms"));
    let usual = small(&["--loss", "0.1", "--cc", "reno"]);
    assert_eq!(pftk("400ms"), number(&usual, "pftk_bps"));
    for (args, word) in [
        (["--framing", "sonnet"], "none, ethernet, pos, atm"),
        (["--t0", "0s"], "retransmission timeout is zero"),
    ] {
        let all = [
            &["predict", "path", "--rate", "1Gbit/s", "--rtt", "1ms"],
            &args[..],
        ]
        .concat();
        assert!(farpath(&all).exits(2).err.contains(word), "{args:?}");
    }
}

#[test]
fn a_route_has_a_length_a_floor_and_a_product() {
    // CERN to StarLight; The announcement: 10949 km at 5.44 Gbit/s.
    let ends = predict(
        "route",
        &[
            "--from",
            "46.23,6.05",
            "--to",
            "41.90,-87.62",
            "--rtt",
            "116ms",
        ],
    );
    assert_near(number(&ends, "distance_km"), 7040.0, 0.002);
    assert_near(
        number(&ends, "rtt_floor_s"),
        2.0 * 1.468 * number(&ends, "distance_km") * 1e3 / 299_792_458.0,
        1e-9,
    );
    assert_near(
        number(&ends, "detour_ratio"),
        0.116 / number(&ends, "rtt_floor_s"),
        1e-9,
    );
    let named = predict("route", &["--distance", "10949km", "--rate", "5.44Gbit/s"]);
    assert_near(number(&named, "product_tbm_per_s"), 10_949.0 * 5.44, 1e-9);
    assert!(value(&named, "fibre_within_km").is_null());
    let wrong = farpath(&["predict", "route", "--distance", "0m"])
        .exits(2)
        .err;
    assert!(wrong.contains("the distance is zero"), "{wrong}");
    let wrong = farpath(&["predict", "route", "--from", "46;6", "--to", "0,0"]);
    assert!(wrong.exits(2).err.contains("latitude and longitude"));
}

#[test]
fn a_measured_transfer_has_the_ratios_of_rfc_6349() {
    // The example of RFC 6349 §4.3: 25 ms, and 32 ms under load, are 28 %.
    let measured = predict(
        "rfc6349",
        &[
            "--rate",
            "1Gbit/s",
            "--bytes",
            "1GB",
            "--time",
            "10s",
            "--retransmitted",
            "5MB",
            "--rtt",
            "25ms",
            "--loaded-rtt",
            "32ms",
        ],
    );
    assert_near(number(&measured, "buffer_delay_ratio"), 0.28, 1e-9);
    assert_near(number(&measured, "goodput_bps"), 8e8, 1e-9);
    let ideal = 8e9 / (1e9 * 1448.0 / 1538.0);
    assert_near(number(&measured, "ideal_transfer_s"), ideal, 1e-9);
    assert_near(number(&measured, "transfer_time_ratio"), 10.0 / ideal, 1e-9);
    assert_near(
        number(&measured, "tcp_efficiency_ratio"),
        1.0 - 5.0 / 1005.0,
        1e-9,
    );
}

#[test]
fn runs_and_predictions_know_the_same_congestion_controls() {
    let run = |cc: &str| farpath(&["run", "cern-snaky/one-pass", "--predict", "--cc", cc]);
    for (cc, code) in [
        ("reno", 0),
        ("newreno", 0),
        ("new-reno", 0),
        ("bbr1", 1),
        ("h-tcp", 0),
    ] {
        // Probes of the round trip cost BBR more than the scenario expects.
        run(cc).exits(code);
        path(&["--rate", "1Gbit/s", "--rtt", "1ms", "--cc", cc]);
    }
    for cc in ["fast", "bbr3"] {
        let refused = run(cc).exits(2).err;
        assert!(refused.contains("closed forms, and no model"), "{refused}");
        assert!(refused.contains("predict path --cc"), "{refused}");
        assert!(!refused.contains("did you mean"), "{refused}");
    }
}

#[test]
fn a_path_is_answered_first_and_listed_on_demand() {
    let line = ["predict", "path", "--rate", "10Gbit/s", "--rtt", "120ms"];
    let page = |more: &[&str]| farpath(&[&line, more].concat()).exits(0).out;
    for (more, says) in [
        (
            &[][..],
            &["gives       9.4148 Gbit/s", "limited by  the line"][..],
        ),
        (
            &["--window", "4MiB"],
            &[
                "279.56 Mbit/s of the 9.4148",
                "4 MiB, 2896 whole segments, in flight",
                "to change   let 141.22 MB",
                "34 streams",
            ],
        ),
        // 29 segments: the last one of a flight waits.
        (
            &["--window", "42kB"],
            &[
                "42 kB, 29 whole segments, in flight in a round trip of 120 ms. One ACK for 2 segments",
                "That takes up to 3.4 % of the rate",
            ],
        ),
        // A socket's buffer holds what is in flight of it alone: 141.22 MB / 16.
        (
            &["--window", "4MiB", "--streams", "16"],
            &["to change   let 8.8264 MB be in flight of each of 16 connections"],
        ),
        (
            &["--loss", "1e-6"],
            &[
                "limited by  loss",
                "of the segments: 9.4148 Gbit/s; or BBR, at most 9.1229 Gbit/s",
            ],
        ),
        // A β is H-TCP's, and was handed to BBR as well.
        (
            &["--loss", "1e-6", "--cc", "htcp", "--beta", "0.8"],
            &["limited by  loss", "; or BBR, at most 9.1229 Gbit/s"],
        ),
        (
            &["--window", "1448B"],
            &["1448 B, 1 whole segment, in flight"],
        ),
        // The loss with which the window's rate is reached was that of the line, and the rate was not said.
        (
            &["--loss", "1e-4", "--window", "4MiB"],
            &[
                "limited by  loss",
                "of the segments: 279.56 Mbit/s, limited by the receive window",
            ],
        ),
        (
            &["--policer", "1Gbit/s,62500B"],
            &[
                // One simulated path has a third of another: two digits are known of it.
                "gives some 6.7 Mbit/s of the 9.4148 Gbit/s",
                "the policer",
                "a burst of",
                "% of what the policer's rate leaves; or shape to the policer's rate before it, or use BBR: 926.75 Mbit/s",
            ],
        ),
        // The burst is the fault here too, though no law says what BBR has of it.
        (
            &["--policer", "1Gbit/s,3kB"],
            &[
                "to change a burst of",
                "leaves; or shape to the policer's rate before it\nto fill it",
            ],
        ),
        (
            &["--policer", "1Gbit/s,62500B", "--cc", "bbr"],
            &["926.75 Mbit/s", "a higher rate"],
        ),
        // A burst of BBR is 64 KiB here.
        (
            &["--cc", "bbr", "--queue", "60kB"],
            &[
                "gives unknown; the line leaves 9.4148 Gbit/s",
                "limited by unknown. A queue of 60 kB holds 39 frames, and 43 of what BBR sends at once",
            ],
        ),
        (
            &["--cc", "htcp", "--queue", "60kB"],
            &[
                "gives at most 9.4148 Gbit/s",
                "A queue of 60 kB may leave less of it",
            ],
        ),
        (
            &["--cc", "vegas", "--loss", "1e-3"],
            &["gives       unknown", "no law of p"],
        ),
        (
            &["--goodput", "1Gbit/s", "--window", "4MiB"],
            &[
                "wanted 1 Gbit/s: 15.001 MB in flight of each connection",
                "or 4 connections like this",
            ],
        ),
        (
            &["--goodput", "1Gbit/s"],
            &[
                "1 Gbit/s, which it gives: 15.001 MB",
                "one connection like this",
            ],
        ),
        (
            &["--goodput", "10Gbit/s"],
            &["wanted 10 Gbit/s. Out of reach: the line leaves 9414.8"],
        ),
        (
            &["--cc", "reno", "--queue", "150MB"],
            &["fills 100.0 %", "adds 120 ms to the round trip"],
        ),
        (
            &["--cc", "reno", "--queue", "1.5MB"],
            &[
                "limited by the line's queue of 1.5 MB",
                "a queue of a bandwidth-delay product, 150 MB",
            ],
        ),
    ] {
        let text = page(more);
        let unfolded = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for words in says {
            let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(unfolded.contains(&words), "{more:?}: no {words} in\n{text}");
        }
        assert!(text.starts_with("gives "), "{text}");
        assert!(text.lines().all(|l| l.chars().count() <= 80), "{text}");
        assert!(!text.contains("_bps"), "{text}");
    }
    assert!(page(&["--all"]).starts_with("bdp_bytes "));
}

/// Appenzeller, Keslassy and McKeown 2004: Reno fills three quarters of a line without a queue. A window that fits into pipe and
/// queue never loses, and fills it.
#[test]
fn a_short_queue_leaves_less_than_the_line() {
    let args = ["--rate", "1Gbit/s", "--rtt", "100ms", "--cc", "reno"];
    let of = |more: &[&str]| {
        let all = path(&[&args[..], more].concat());
        number(&all, "goodput_bps") / number(&all, "line_goodput_bps")
    };
    assert_eq!(of(&[]), 1.0);
    assert_near(of(&["--queue", "1514B"]), 0.75, 2e-4);
    assert_eq!(
        of(&["--queue", "1514B", "--window", "11MB"]),
        7596.0 * 1448.0 * 8.0 / 0.1 / (1e9 * 1448.0 / 1538.0)
    );
    assert_eq!(of(&["--queue", "125kB", "--window", "11.8MB"]), 1.0);
    assert_eq!(of(&["--queue", "1514B", "--streams", "10"]), 1.0);
    assert_eq!(of(&["--queue", "12.5MB"]), 1.0);
    // As a scenario writes it: 1 Gbit/s x 100 ms are 12.5 MB, 1.25 MB 10 ms or a tenth of that.
    let tenth = of(&["--queue", "1.25MB"]);
    assert!(tenth < 1.0);
    for same in ["0.1bdp", "10 ms", "1250kB"] {
        assert_eq!(of(&["--queue", same]), tenth, "{same}");
    }
    assert_eq!(of(&["--queue", "100 packets"]), of(&["--queue", "150kB"]));
    // What several fill is not foreseen, and said once.
    let page = |more: &[&str]| farpath(&[&["predict", "path"], &args[..], more].concat()).out;
    let short = page(&["--queue", "1514B", "--streams", "10"]);
    let said = short.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        said.contains("how much of the line they fill is not foreseen; simulate")
            && !said.contains("fills 75.0 %"),
        "{short}"
    );
    // BBR bears losses: nothing is said of a form that it has not, beside the figure of the one that it has.
    let path_of = ["predict", "path", "--rate", "1Gbit/s", "--rtt", "100ms"];
    let keys = ["--cc", "bbr", "--streams", "4", "--queue", "1bdp"];
    let bears = farpath(&[&path_of[..], &keys, &["--loss", "1%"]].concat()).out;
    let said = bears.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("limited by the line."), "{bears}");
    assert!(!said.contains("form for this algorithm"), "{bears}");
    // A mean of whole climbs is not what a transfer has, whose slow start overflows the queue.
    let one = page(&["--queue", "60kB"]);
    assert!(one.starts_with("gives       at most "), "{one}");
    let long = page(&["--queue", "12.5MB", "--streams", "10"]);
    assert!(!long.contains("is not foreseen"), "{long}");
}

/// Reno's window has doubled when the loss is heard: the half of it fills the path behind a queue of half a BDP, and not behind a fifth.
#[test]
fn what_slow_start_leaves_is_said() {
    let takes = |queue: &str| {
        let args = [
            "predict", "path", "--rate", "1Gbit/s", "--rtt", "100ms", "--cc", "reno",
        ];
        let more = ["--segments-per-ack", "1", "--queue", queue];
        let text = farpath(&[&args[..], &more].concat()).exits(0).out;
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    for (queue, words) in [
        (
            "0.2bdp",
            "the climb to what fills the path takes some 392 s; ",
        ),
        ("0.5bdp", "so that nothing is left to climb; "),
    ] {
        let said = takes(queue);
        let heard = "; the loss is heard a round trip later, at a window of some ";
        assert!(said.contains(words) && said.contains(heard), "{said}");
    }
}

#[test]
fn streams_policers_and_queues_count() {
    let args = ["--rate", "10Gbit/s", "--rtt", "120ms", "--window", "4MiB"];
    let one = number(&path(&args), "goodput_bps");
    let four = path(&[&args[..], &["--streams", "4"]].concat());
    assert_near(number(&four, "goodput_bps"), 4.0 * one, 1e-9);
    // Together they get no more than the line, or than the policer lets through: 1448 of 1514 bytes.
    let many = path(&[&args[..], &["--streams", "1000"]].concat());
    assert_eq!(
        number(&many, "goodput_bps"),
        number(&many, "line_goodput_bps")
    );
    let policer = ["--policer", "1Gbit/s,62500B"];
    let policed = path(&[&args[..], &["--streams", "1000"], &policer].concat());
    assert_eq!(*value(&policed, "limit"), Value::from("policer"));
    let all = 1e9 * 1448.0 / 1514.0;
    let share = number(&policed, "goodput_bps") / all;
    assert!((0.6..1.0).contains(&share), "{share}");
    for wrong in [
        &["--policer", "1Gbit/s"][..],
        &["--policer", "0bit/s,1kB"],
        &["--policer", "1Gbit/s,fast"],
        &["--streams", "0"],
        &["--queue", "deep"],
    ] {
        let all = [&["predict", "path"], &args[..], wrong].concat();
        farpath(&all)
            .exits(2)
            .says(&[wrong[0].trim_start_matches('-').trim_end_matches('s')]);
    }
}

/// The README's first screen.
#[test]
fn the_readme_shows_what_is_printed() {
    let readme = include_str!("../../../../README.md");
    let (_, shown) = readme.split_once("```text\n$ farpath ").expect("a command");
    let (command, shown) = shown.split_once('\n').expect("and what it prints");
    let printed = farpath(&command.split_whitespace().collect::<Vec<_>>())
        .exits(0)
        .out;
    assert!(
        shown.starts_with(&printed),
        "paste into README.md:\n{printed}"
    );
}

/// The first lines say what losses make of a short path that its law fills.
#[test]
fn a_short_path_with_losses_is_not_said_to_fill_its_line() {
    let answer = |rtt: &str, loss: &str| {
        let path = [
            "predict", "path", "--rate", "10Mbit/s", "--rtt", rtt, "--loss", loss,
        ];
        let text = farpath(&path).exits(0).out;
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let many = answer("5ms", "5%");
    for says in [
        "gives 8.9441 Mbit/s of the 9.4148 Mbit/s that the line leaves",
        "But 5.000 % of the segments are lost, and above 2 % timeouts govern",
        "Reno with them has",
        "a loss ratio below 0.02, where timeouts begin to govern",
    ] {
        assert!(many.contains(says), "{says}\n{many}");
    }
    let few = answer("10ms", "1.9%");
    assert!(few.contains("at times one that does not"), "{few}");
    let none = answer("5ms", "1e-5");
    assert!(none.contains("gives 9.4147 Mbit/s"), "{none}");
    assert!(!none.contains(" But "), "{none}");
}

/// What governs at 5 % is said first: eq. 32 of Padhye et al. with b = 2 and T0 = 0.4 s, 0.3095 Mbit/s.
#[test]
fn what_timeouts_leave_is_in_the_first_line() {
    let answer = |loss: &str| {
        let path = [
            "predict", "path", "--rate", "1Gbit/s", "--rtt", "100ms", "--cc", "reno", "--loss",
            loss,
        ];
        let text = farpath(&path).exits(0).out;
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let many = answer("5%");
    let says = "leaves for payload, by a law without timeouts; with them Reno has 309.46 kbit/s";
    assert!(many.contains(says), "{many}");
    assert!(!answer("1e-3").contains("without timeouts"));
}

/// A frame's size in place of a packet's, and seconds in place of milliseconds, are remarked upon; sound values are not.
#[test]
fn an_mtu_of_a_frame_and_a_round_trip_of_seconds_are_remarked_upon() {
    let said = |rtt: &str, mtu: &str| {
        let all = [
            "predict", "path", "--rate", "1Gbit/s", "--rtt", rtt, "--mtu", mtu,
        ];
        let ran = farpath(&all);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        ran.err
    };
    let both = said("36s", "9018");
    for words in [
        "an RTT of 36 s: are ms meant?",
        "9018 is a frame of 9000 bytes",
    ] {
        assert!(both.contains(words), "{words}: {both}");
    }
    assert!(said("36ms", "1518").contains("1518 is a frame of 1500 bytes"));
    for mtu in ["1500", "9000", "4470", "1400"] {
        assert_eq!(said("600ms", mtu), "");
    }
}
