//! The path predictor: what it answers, what it says when an input is missing, what it refuses.

use farpath_mutate::{Corpus, run};
use farpath_predict::{
    Answer, Cc, Framing, IpVersion, PathInput, Timestamps, Value, mtu_from_text, path,
};
use farpath_units::{Duration, Rate, Ratio, Size};
use proptest::prelude::*;

const CONTRACT: [&str; 13] = [
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

fn input(rate: &str, rtt: &str, mtu: &str) -> PathInput {
    PathInput::new(
        rate.parse().expect(rate),
        rtt.parse().expect(rtt),
        mtu_from_text(mtu).expect(mtu),
    )
}

fn value(answers: &[Answer], name: &str) -> Value {
    answers
        .iter()
        .find(|a| a.name == name)
        .unwrap_or_else(|| panic!("no {name}"))
        .value
        .clone()
}

fn number(answers: &[Answer], name: &str) -> f64 {
    value(answers, name)
        .number()
        .unwrap_or_else(|| panic!("{name} is not a number"))
}

fn note(answers: &[Answer], name: &str) -> String {
    answers
        .iter()
        .find(|a| a.name == name)
        .unwrap_or_else(|| panic!("no {name}"))
        .note
        .clone()
}

#[test]
fn beta_is_htcps_between_a_half_and_four_fifths() {
    let mut on = input("10Gbit/s", "116ms", "9000");
    on.beta = Some(0.8);
    assert!(path(&on).is_err(), "CUBIC's is its own");
    on.cc = Cc::Htcp;
    on.loss = Ratio::new(1e-6);
    let kept = number(&path(&on).expect("a path"), "loss_limit_bps");
    on.beta = None;
    assert!(kept > 1.05 * number(&path(&on).expect("a path"), "loss_limit_bps"));
    for beta in [0.49, 0.81, f64::NAN] {
        on.beta = Some(beta);
        assert!(path(&on).is_err(), "{beta}");
    }
}

#[test]
fn a_path_that_loses_everything_is_refused() {
    let mut on = input("10Gbit/s", "116ms", "9000");
    on.loss = Ratio::new(1.0);
    let refused = path(&on).expect_err("nothing arrives").to_string();
    assert!(refused.contains("write 1% or 0.01"), "{refused}");
}

#[test]
fn answers_everything_the_contract_names_with_its_grounds() {
    let mut full = input("10Gbit/s", "116ms", "9000");
    full.loss = Ratio::new(1e-6);
    full.window = Some("64MiB".parse().expect("a size"));
    let answers = path(&full).expect("a path");
    for name in CONTRACT {
        let answer = answers
            .iter()
            .find(|a| a.name == name)
            .unwrap_or_else(|| panic!("no {name}"));
        assert_ne!(answer.value, Value::Null, "{name}");
        assert!(
            !answer.formula.is_empty() && !answer.source.is_empty() && !answer.range.is_empty(),
            "{name}"
        );
    }
    let mut names: Vec<_> = answers.iter().map(|a| a.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), answers.len(), "names are unique");
    assert_eq!(number(&answers, "bdp_bytes"), 145_000_000.0);
    assert_eq!(number(&answers, "mss_bytes"), 8948.0);
    assert_eq!(value(&answers, "limit"), Value::Text("loss".to_owned()));
}

/// The 45th segment waits for its acknowledgement, and no figure said so.
#[test]
fn a_window_of_an_odd_number_of_segments_has_a_note() {
    let mut odd = input("1Gbit/s", "60ms", "1500");
    odd.window = Some("64KiB".parse().expect("a size"));
    let answers = path(&odd).expect("a path");
    let words = "leaves 1 of 45 over";
    assert!(note(&answers, "window_limit_bps").contains(words));
    // The figure stays what whole segments give.
    let whole = 45.0 * 1448.0 * 8.0 / 0.06;
    assert!((number(&answers, "goodput_bps") / whole - 1.0).abs() < 1e-9);
    odd.window = Some("63712 B".parse().expect("a size"));
    assert!(!note(&path(&odd).expect("a path"), "window_limit_bps").contains("over: the ACK"));
    // One segment has a note of its own.
    odd.window = Some("1448 B".parse().expect("a size"));
    let single = path(&odd).expect("a path");
    assert!(note(&single, "window_limit_bps").contains("Not between kernels of Linux"));
    // A window that fills the line leaves no pause.
    let mut full = input("1Mbit/s", "60ms", "1500");
    full.window = Some("64KiB".parse().expect("a size"));
    assert!(!note(&path(&full).expect("a path"), "window_limit_bps").contains(words));
}

#[test]
fn missing_inputs_give_null() {
    let answers = path(&input("10Gbit/s", "116ms", "9000")).expect("a path");
    assert_eq!(value(&answers, "window_limit_bps"), Value::Null);
    assert_eq!(value(&answers, "loss_limit_bps"), Value::Null);
    assert_eq!(value(&answers, "limit"), Value::Text("link".to_owned()));
    assert_eq!(
        number(&answers, "goodput_bps"),
        number(&answers, "line_goodput_bps")
    );
}

/// RFC 7323 §2.3: 40 Gbit/s over 262 ms are 1.297 GB, and no window is above 65 535 · 2¹⁴ bytes.
#[test]
fn a_path_beyond_the_largest_window_is_limited_by_it() {
    let mut path_of = input("40Gbit/s", "262ms", "9000");
    let largest = 1_073_725_440.0 * 8.0 / 0.262;
    for cc in [Cc::Cubic, Cc::Bbr] {
        path_of.cc = cc;
        let answers = path(&path_of).expect("a path");
        assert_eq!(number(&answers, "window_limit_bps"), largest);
        assert!(number(&answers, "goodput_bps") <= largest);
        assert_eq!(
            value(&answers, "limit"),
            Value::Text("receive_window".to_owned())
        );
    }
    path_of.cc = Cc::Cubic;
    let answers = path(&path_of).expect("a path");
    assert_eq!(number(&answers, "streams_to_fill"), 2.0);
    path_of.streams = 2;
    let two = path(&path_of).expect("a path");
    assert_eq!(value(&two, "limit"), Value::Text("link".to_owned()));
    path_of.rtt = Duration::from_ms(100);
    path_of.streams = 1;
    let near = path(&path_of).expect("a path");
    assert_eq!(value(&near, "window_limit_bps"), Value::Null);
}

#[test]
fn serialises_as_the_schema_prints() {
    let answers = path(&input("10Gbit/s", "116ms", "9000 B")).expect("a path");
    let json = serde_json::to_value(&answers).expect("answers serialise");
    assert_eq!(json[0]["name"], "bdp_bytes");
    assert_eq!(json[0]["unit"], "B");
    // Whole numbers without a fraction, and null for what is unknown.
    assert_eq!(
        serde_json::to_string(&json[0]["value"]).expect("a number"),
        "145000000"
    );
    let of = |name: &str| {
        json.as_array()
            .expect("a list")
            .iter()
            .find(|a| a["name"] == name)
            .expect("an answer")
    };
    assert!(of("loss_limit_bps")["value"].is_null());
    assert_eq!(of("limit")["value"], "link");
    for entry in json.as_array().expect("a list") {
        for key in [
            "name", "value", "unit", "formula", "source", "note", "range",
        ] {
            assert!(entry.get(key).is_some(), "{key}");
        }
    }
}

#[test]
fn the_snaky_path_by_hand() {
    let mut snaky = input("1 Gbit/s", "581 ms", "9000");
    snaky.window = Some(Size::from_bytes(64 << 20));
    let answers = path(&snaky).expect("a path");
    // 8948/9038 of 1 Gbit/s; 8 × 2^26 / 0.581 s; 2^31 / (10^9/8).
    assert!((number(&answers, "line_goodput_bps") - 990_042_044.7).abs() < 0.1);
    assert!((number(&answers, "window_limit_bps") - 924_046_320.1).abs() < 0.1);
    assert!((number(&answers, "sequence_wrap_s") - 17.179_869_184).abs() < 1e-9);
    assert!((number(&answers, "window_needed_bytes") / f64::from(1 << 20) - 68.57).abs() < 0.005);
    assert_eq!(number(&answers, "window_scale"), 11.0);
    assert_eq!(
        value(&answers, "limit"),
        Value::Text("receive_window".to_owned())
    );
    assert!(note(&answers, "window_limit_bps").contains("socket buffer"));
    assert!(note(&answers, "sequence_wrap_s").contains("34.359738 s"));
    // 10 × 1.5^17 = 9853 is the first at or above 7499.9 segments: 1.5^16 gives 6568.
    assert!((number(&answers, "slow_start_s") - 17.0 * 0.581).abs() < 1e-9);
}

#[test]
fn framing_and_options_change_the_payload() {
    let mut p = input("1 Gbit/s", "10 ms", "9000");
    let line = |p: &PathInput| number(&path(p).expect("a path"), "line_goodput_bps") / 1e6;
    assert!((line(&p) - 990.04).abs() < 0.005);
    p.framing = Framing::EthernetTagged;
    assert!((line(&p) - 989.60).abs() < 0.005);
    p.framing = Framing::Ethernet;
    p.timestamps = Timestamps::Off;
    assert!((line(&p) - 991.37).abs() < 0.005);
    p.ip = IpVersion::V6;
    assert!((line(&p) - 1000.0 * 8940.0 / 9038.0).abs() < 0.005);
    p.framing = Framing::None;
    assert!((line(&p) - 1000.0 * 8940.0 / 9000.0).abs() < 0.005);
    // E13: 949.28 without timestamps, 941.48 with them.
    let mut lbe = input("1 Gbit/s", "4.55 ms", "1500");
    assert!((line(&lbe) - 941.48).abs() < 0.005);
    lbe.timestamps = Timestamps::Off;
    assert!((line(&lbe) - 949.28).abs() < 0.005);
}

#[test]
fn recovery_counts_frames_and_says_what_slides_count() {
    let mut p = input("1 Gbit/s", "120 ms", "1500");
    p.timestamps = Timestamps::Off;
    p.segments_per_ack = 1;
    p.cc = Cc::Reno;
    let answers = path(&p).expect("a path");
    assert!((number(&answers, "recovery_s") - 585.18).abs() < 0.01);
    assert!(
        note(&answers, "recovery_s").contains("616.438 s"),
        "{}",
        note(&answers, "recovery_s")
    );
    p.segments_per_ack = 2;
    assert!((number(&path(&p).expect("a path"), "recovery_s") - 1170.35).abs() < 0.02);
    p.cc = Cc::Cubic;
    let cubic = path(&p).expect("a path");
    assert!((number(&cubic, "recovery_s") - 19.41).abs() < 0.01);
    // Whole segments: 1.357 s less.
    assert!(note(&cubic, "recovery_s").contains("Linux takes 18.05 s"));
    // On a short path the Reno-friendly region is the faster.
    let near = path(&input("100 Mbit/s", "1 ms", "1500")).expect("a path");
    assert!(number(&near, "recovery_s") < 0.01);
    assert!(note(&near, "recovery_s").contains("Reno-friendly"));
    assert!(!note(&near, "recovery_s").contains("Linux"));
}

#[test]
fn loss_out_of_range_is_flagged() {
    let mut p = input("1 Gbit/s", "100 ms", "1500");
    p.loss = Ratio::new(0.1);
    assert!(
        note(&path(&p).expect("a path"), "loss_limit_bps").contains("Outside the formula's range")
    );
    p.loss = Ratio::new(0.0);
    let answers = path(&p).expect("a path");
    assert_eq!(value(&answers, "loss_limit_bps"), Value::Null);
    assert!(note(&answers, "loss_limit_bps").contains("Without loss"));
}

/// The law of delayed ACKs is of nobody's sender of today: its note has the rate of one that counts bytes, as Linux does.
#[test]
fn a_law_of_delayed_acks_names_the_rate_of_linux() {
    let mut p = input("1 Gbit/s", "120 ms", "1500");
    (p.cc, p.loss) = (Cc::Reno, Ratio::new(1e-4));
    let delayed = path(&p).expect("a path");
    p.segments_per_ack = 1;
    let counting = path(&p).expect("a path");
    let linux = number(&counting, "loss_limit_bps");
    let words = format!("{:.3} Mbit/s", linux / 1e6);
    let said = note(&delayed, "loss_limit_bps");
    assert!(said.contains(&words), "{words}: {said}");
    let times = linux / number(&delayed, "loss_limit_bps");
    assert!((times - libm::sqrt(2.0)).abs() < 0.01, "{times}");
    assert!(!note(&counting, "loss_limit_bps").contains("Growth by ACKs"));
}

#[test]
fn every_algorithm_has_its_law_or_says_why_not() {
    let mut p = input("10 Gbit/s", "120 ms", "1500");
    p.loss = Ratio::new(1e-4);
    let mut rates = Vec::new();
    for cc in Cc::ALL {
        p.cc = cc;
        let answers = path(&p).expect("a path");
        for answer in &answers {
            assert!(
                !answer.formula.is_empty() && !answer.range.is_empty(),
                "{cc} {}",
                answer.name
            );
            assert!(!answer.source.is_empty(), "{cc} {}", answer.name);
        }
        let loss = value(&answers, "loss_limit_bps").number();
        let lawless = matches!(cc, Cc::Westwood | Cc::Vegas | Cc::Fast);
        assert_eq!(loss.is_none(), lawless, "{cc}");
        assert_eq!(value(&answers, "goodput_bps"), Value::from(loss), "{cc}");
        if lawless {
            assert_eq!(value(&answers, "limit"), Value::Null);
            assert!(!note(&answers, "loss_limit_bps").is_empty(), "{cc}");
        }
        rates.extend(loss);
        assert_eq!(cc.name().parse::<Cc>(), Ok(cc));
    }
    // Reno with one ACK for two segments is the slowest. BBR's ceilings are the highest, and at 120 ms that of version 3, which
    // halves its flight every 5 s, is above that of version 1.
    let least = rates.iter().copied().fold(f64::INFINITY, f64::min);
    assert_eq!(least, rates[0]);
    let [others @ .., bbr, bbr3] = &rates[..] else {
        panic!("{rates:?}")
    };
    assert!(others.iter().all(|r| r <= bbr) && bbr <= bbr3, "{rates:?}");
    // Beyond what BBR bears there is no answer.
    (p.cc, p.loss) = (Cc::Bbr3, Ratio::new(0.05));
    assert_eq!(
        value(&path(&p).expect("a path"), "goodput_bps"),
        Value::Null
    );
}

#[test]
fn a_path_says_what_buffers_streams_and_hosts_do() {
    let mut p = input("1 Gbit/s", "100 ms", "1500");
    p.segments_per_ack = 1;
    p.window = Some(Size::from_bytes(1 << 20));
    p.host = Some(Rate::from_bps(50_000_000).expect("not zero"));
    p.cc = Cc::Reno;
    let answers = path(&p).expect("a path");
    assert_eq!(value(&answers, "limit"), Value::Text("host_cpu".to_owned()));
    assert_eq!(number(&answers, "goodput_bps"), 5e7);
    // 941.48 Mbit/s in windows of 83.89.
    assert_eq!(number(&answers, "streams_to_fill"), 12.0);
    assert_eq!(number(&answers, "utilisation_no_buffer"), 0.75);
    // One pipe of frames for Reno, 3/7 of it for CUBIC.
    assert!((number(&answers, "buffer_to_fill_bytes") - 12.5e6).abs() < 2.0);
    p.cc = Cc::Cubic;
    let answers = path(&p).expect("a path");
    assert!((number(&answers, "buffer_to_fill_bytes") - 12.5e6 * 3.0 / 7.0).abs() < 2.0);
    // Cycles of 92.5 % and, ∛4 times as long, of 85 %, in turns: fast convergence.
    let turns = (0.925 + 0.85 * libm::cbrt(4.0)) / (1.0 + libm::cbrt(4.0));
    assert!((number(&answers, "utilisation_no_buffer") - turns).abs() < 1e-12);
    assert_eq!(value(&answers, "pftk_bps"), Value::Null);
    p.loss = Ratio::new(0.01);
    assert!(note(&path(&p).expect("a path"), "pftk_bps").contains("Reno's"));
    p.cc = Cc::Bbr;
    assert_eq!(value(&path(&p).expect("a path"), "recovery_s"), Value::Null);
}

/// It was of the line's window, 11 704 s, however little of it a host or a policer leaves.
#[test]
fn recovery_is_to_what_a_host_or_a_policer_leaves() {
    let mut p = input("10 Gbit/s", "120 ms", "1500");
    p.cc = Cc::Reno;
    p.host = Some("1 Gbit/s".parse().expect("a rate"));
    let answers = path(&p).expect("a path");
    // 1 Gbit/s × 120 ms are 15 MB, 10 359 segments: so many round trips of half a segment each until one of two is back.
    let window = 15e6 / 1448.0;
    assert!((number(&answers, "recovery_s") - window * 0.12).abs() < 1e-6);
    assert!(note(&answers, "recovery_s").contains("host"));
    assert!(!note(&answers, "recovery_s").contains("slides"));
    assert!(note(&answers, "slow_start_s").contains("10359.1 segments"));
    p.host = None;
    p.policer = Some((
        "1 Gbit/s".parse().expect("a rate"),
        Size::from_bytes(125_000),
    ));
    let answers = path(&p).expect("a path");
    let window = number(&answers, "policer_limit_bps") * 0.12 / 8.0 / 1448.0;
    assert!((number(&answers, "recovery_s") - window * 0.12).abs() < 1e-6);
    assert!(note(&answers, "recovery_s").contains("policer"));
    // A queue that neither fills makes no other.
    p.queue = Some(Size::from_bytes(10_000_000));
    let queued = path(&p).expect("a path");
    assert_eq!(
        number(&queued, "recovery_s"),
        number(&answers, "recovery_s")
    );
    p.policer = Some(("1 Gbit/s".parse().expect("a rate"), Size::from_bytes(100)));
    let none = path(&p).expect("a path");
    assert_eq!(value(&none, "recovery_s"), Value::Null);
}

/// The figure was of a limited window, and the formula beside it that of an unlimited one.
#[test]
fn a_window_that_losses_do_not_reach_has_the_other_branch_of_the_model() {
    let mut p = input("1 Gbit/s", "100 ms", "1500");
    p.cc = Cc::Reno;
    p.loss = Ratio::new(1e-3);
    let formula = |p: &PathInput| {
        let answers = path(p).expect("a path");
        let found = answers.iter().find(|a| a.name == "pftk_bps");
        let found = found.expect("it is there");
        (
            found.formula,
            found.note.clone(),
            number(&answers, "pftk_bps"),
        )
    };
    let (free, note, _) = formula(&p);
    assert!(free.contains("bW/2 + 1") && note.is_empty(), "{note}");
    // Losses of one in a thousand leave 37 segments of 1448 bytes or more; 20 kB are 13 whole ones.
    p.window = Some(Size::from_bytes(20_000));
    let (limited, note, bps) = formula(&p);
    assert!(limited.contains("b Wm/8"), "{limited}");
    assert!(note.contains("Wm = 13 segments"), "{note}");
    p.window = Some(Size::from_bytes(13 * 1448));
    assert_eq!(formula(&p).2, bps);
}

#[test]
fn a_pipe_of_a_segment_has_no_loss_to_fill() {
    let mut p = input("1 Mbit/s", "1 ms", "1500");
    let answers = path(&p).expect("a path");
    assert_eq!(value(&answers, "loss_ratio_to_fill"), Value::Null);
    assert!(note(&answers, "slow_start_s").contains("at once"));
    assert_eq!(number(&answers, "slow_start_s"), 0.0);
    p.rtt = Duration::from_ms(50);
    assert!(note(&path(&p).expect("a path"), "loss_ratio_to_fill").contains("Outside"));
}

#[test]
fn rounds_of_months_do_not_saturate() {
    let answers = path(&input("10 Gbit/s", "200 d", "1500")).expect("a path");
    // Up to the largest window.
    let rounds = number(&answers, "slow_start_s") / (200.0 * 86_400.0);
    assert!(
        rounds > 25.0 && (rounds - rounds.round()).abs() < 1e-9,
        "{rounds}"
    );
    let snaky = path(&input("1 Gbit/s", "581 ms", "9000")).expect("a path");
    assert_eq!(number(&snaky, "slow_start_s"), 9.877);
}

#[test]
fn nonsense_is_refused_with_a_reason() {
    let refuse = |change: &dyn Fn(&mut PathInput), phrase: &str| {
        let mut p = input("1 Gbit/s", "100 ms", "1500");
        change(&mut p);
        let message = path(&p).expect_err(phrase).to_string();
        assert!(message.contains(phrase), "{message:?} lacks {phrase:?}");
    };
    refuse(&|p| p.mtu = Size::from_bytes(52), "no payload");
    refuse(&|p| p.mtu = Size::from_bytes(65_536), "above 65535 B");
    refuse(&|p| p.mtu = Size::from_bytes(u64::MAX), "above 65535 B");
    refuse(
        &|p| {
            p.ip = IpVersion::V6;
            p.mtu = Size::from_bytes(72);
        },
        "no payload",
    );
    refuse(&|p| p.rtt = Duration::ZERO, "zero");
    refuse(&|p| p.timeout = Some(Duration::ZERO), "timeout is zero");
    refuse(
        &|p| p.window = Some(Size::from_bytes(1447)),
        "below one segment of 1448 B",
    );
    refuse(
        &|p| p.window = Some(Size::from_bytes(1_073_725_441)),
        "window scaling",
    );
    refuse(&|p| p.initial_window = 0, "initial window is 0");
    refuse(&|p| p.segments_per_ack = 0, "between 1 and 64");
    assert!(
        "renault"
            .parse::<Cc>()
            .expect_err("no such algorithm")
            .to_string()
            .contains("use reno, cubic")
    );
}

#[test]
fn an_mtu_is_a_count_or_a_size() {
    for text in ["9000", "9000 B", "9 kB", " 9000B "] {
        assert_eq!(mtu_from_text(text), Ok(Size::from_bytes(9000)), "{text}");
    }
    for text in [
        "",
        "9k",
        "-1",
        "9000 b",
        "99999999999999999999999",
        "9000.5",
    ] {
        let message = mtu_from_text(text).expect_err(text).to_string();
        assert!(message.contains("`9000` or `9000 B`"), "{message}");
    }
}

#[test]
fn no_text_of_an_mtu_panics() {
    let good = ["9000", "9000 B", "9 kB", "1.5kB", "4 KiB", " 1500B "];
    let odd = [
        "0",
        "99999999999999999999",
        ".",
        ",",
        "-",
        "+",
        "e",
        "\u{b5}",
        "M",
        "/",
        "i",
    ];
    let outcomes = run(&Corpus::of(good).odd(&odd), |text, _| {
        assert!(text.parse::<Cc>().is_err());
        match mtu_from_text(text) {
            Ok(_) => "read",
            Err(_) => "refused",
        }
    });
    outcomes.at_least("read", 0.02).at_least("refused", 0.1);
}

fn any_path() -> impl Strategy<Value = PathInput> {
    let loss = prop_oneof![
        Just(None),
        (0.0..=1.0_f64).prop_map(Ratio::new),
        (-12.0..0.0_f64).prop_map(|e| Ratio::new(libm::exp10(e)))
    ];
    let window = proptest::option::of(9000_u64..=1_073_725_440);
    (
        (any::<u64>(), 0_u32..64),
        (1..=u64::MAX, 0_u32..50),
        1280_u64..=9000,
        loss,
        window,
        any::<[bool; 4]>(),
        1_u32..100,
        1_u32..=64,
    )
        .prop_map(
            |((rate, a), (rtt, b), mtu, loss, window, flags, iw, per_ack)| {
                let rate = Rate::from_bps((rate >> a).max(1)).expect("not zero");
                let mut p = PathInput::new(
                    rate,
                    Duration::from_ps((rtt >> b).max(1)),
                    Size::from_bytes(mtu),
                );
                p.loss = loss;
                p.window = window.map(Size::from_bytes);
                p.cc = Cc::ALL[(iw as usize + usize::from(flags[0])) % Cc::ALL.len()];
                p.ip = if flags[1] {
                    IpVersion::V6
                } else {
                    IpVersion::V4
                };
                p.timestamps = if flags[2] {
                    Timestamps::On
                } else {
                    Timestamps::Off
                };
                p.framing = if flags[3] {
                    Framing::Ethernet
                } else {
                    Framing::Pos
                };
                (p.initial_window, p.segments_per_ack) = (iw, per_ack);
                p
            },
        )
}

proptest! {
    /// Whatever the path: no panic, finite figures, and goodput at or below every limit.
    #[test]
    fn goodput_is_the_least_of_the_limits(p in any_path()) {
        let answers = path(&p).expect("a path");
        let goodput = value(&answers, "goodput_bps").number().unwrap_or(0.0);
        for limit in ["line_goodput_bps", "window_limit_bps", "loss_limit_bps"] {
            if let Some(bps) = value(&answers, limit).number() {
                prop_assert!(goodput <= bps, "{limit} {bps} under {goodput}");
            }
        }
        for answer in &answers {
            if let Value::Number(x) = answer.value {
                prop_assert!(x.is_finite() && x >= 0.0, "{} is {x}", answer.name);
            }
        }
        prop_assert!(number(&answers, "slow_start_waste_s") <= number(&answers, "slow_start_s") * (1.0 + 1e-12));
    }

    /// Loss at the ratio that fills the path lets the line through, a hundredth more does not.
    #[test]
    fn the_loss_that_fills_fills(rtt_ms in 1_u64..1000, mbps in 10_u64..100_000, reno in any::<bool>()) {
        let rate = Rate::from_bps(mbps * 1_000_000).expect("not zero");
        let mut p = PathInput::new(rate, Duration::from_ms(rtt_ms), Size::from_bytes(1500));
        p.cc = if reno { Cc::Reno } else { Cc::Cubic };
        let fill = value(&path(&p).expect("a path"), "loss_ratio_to_fill").number().unwrap_or(1.0);
        prop_assume!(fill < 0.9);
        p.loss = Ratio::new(fill);
        let answers = path(&p).expect("a path");
        // Beyond the largest window no loss is what limits.
        prop_assume!(value(&answers, "window_limit_bps") == Value::Null);
        let (loss, line) = (number(&answers, "loss_limit_bps"), number(&answers, "line_goodput_bps"));
        prop_assert!((loss / line - 1.0).abs() < 1e-9, "{loss} {line}");
        p.loss = Ratio::new(fill * 1.01);
        prop_assert_eq!(value(&path(&p).expect("a path"), "limit"), Value::Text("loss".to_owned()));
    }
}

proptest! {
    /// A path with the window, or the loss, or the streams that a wanted goodput asks for, gives it; with a segment or a stream less it
    /// does not.
    #[test]
    fn what_a_wanted_goodput_needs_gives_it(
        rtt_ms in 1_u64..400,
        mbps in 10_u64..10_000,
        share in 0.05_f64..0.99,
        cc in 0_usize..12,
        streams in 1_u32..5,
    ) {
        let rate = Rate::from_bps(mbps * 1_000_000).expect("not zero");
        let mut p = PathInput::new(rate, Duration::from_ms(rtt_ms), Size::from_bytes(1500));
        (p.cc, p.streams) = (Cc::ALL[cc], streams);
        let line = number(&path(&p).expect("a path"), "goodput_bps");
        let wanted = (line * share).round();
        p.goodput = Rate::from_bps(wanted as u64);
        let answers = path(&p).expect("a path");
        let gives = |p: &PathInput| number(&path(p).expect("a path"), "goodput_bps") / wanted;
        if let Some(loss) = value(&answers, "loss_ratio_for_goodput").number().filter(|p| *p > 0.0) {
            let lossy = PathInput { loss: Ratio::new(loss), ..p.clone() };
            prop_assert!(gives(&lossy) > 1.0 - 1e-9, "{loss}");
            let more = PathInput { loss: Ratio::new((loss * 1.01).min(0.999)), ..p.clone() };
            let less = value(&path(&more).expect("a path"), "goodput_bps").number();
            prop_assert!(less.is_none_or(|bps| bps < wanted), "{less:?}");
        }
        if let Some(window) = value(&answers, "window_for_goodput_bytes").number() {
            let mut held = PathInput { window: Some(Size::from_bytes(window as u64)), ..p.clone() };
            prop_assert!(gives(&held) > 1.0 - 1e-9, "{window}");
            if window > 2.0 * 1448.0 {
                held.window = Some(Size::from_bytes(window as u64 - 1));
                prop_assert!(gives(&held) < 1.0, "{window}");
                let n = value(&path(&held).expect("a path"), "streams_for_goodput").number();
                held.streams = n.expect("a number") as u32;
                prop_assert!(gives(&held) > 1.0 - 1e-9 && held.streams > streams, "{n:?}");
            }
        }
    }
}

/// ProbeRTT costs as much without a loss as with one, and neither makes loss the limit.
#[test]
fn bbr_probes_with_and_without_loss_and_the_line_limits_it() {
    let mut p = input("100 Mbit/s", "20 ms", "1500");
    p.cc = Cc::Bbr;
    let clean = path(&p).expect("a path");
    let line = number(&clean, "line_goodput_bps");
    // 0.2 s and a round trip of 20 ms, 10 s after the one before.
    let kept = 1.0 - 0.22 / 10.22;
    assert!((number(&clean, "goodput_bps") / line - kept).abs() < 1e-12);
    assert!(note(&clean, "goodput_bps").contains("ProbeRTT"));
    for (loss, arrives) in [(0.0, 1.0), (1e-9, 1.0 - 2e-9), (0.01, 0.9801)] {
        p.loss = Ratio::new(loss);
        let lossy = path(&p).expect("a path");
        assert!((number(&lossy, "goodput_bps") / line - kept * arrives).abs() < 1e-12);
        assert_eq!(value(&lossy, "limit"), Value::Text("link".to_owned()));
    }
    // Beyond a fifth of what it delivers Linux takes losses for a policer's.
    p.loss = Ratio::new(0.18);
    assert_eq!(
        value(&path(&p).expect("a path"), "goodput_bps"),
        Value::Null
    );
    // So does a window.
    p.loss = None;
    p.window = Some(Size::from_bytes(100_000));
    let held = path(&p).expect("a path");
    // 69 whole segments of 1448 bytes.
    assert!((number(&held, "goodput_bps") / (kept * 99_912.0 * 8.0 / 0.02) - 1.0).abs() < 1e-9);
    assert_eq!(
        value(&held, "limit"),
        Value::Text("receive_window".to_owned())
    );
    // One of 69 segments is lost in every second round trip of such windows, and they stand still for one more.
    p.loss = Ratio::new(0.01);
    let lossy = path(&p).expect("a path");
    let share = number(&lossy, "goodput_bps") / number(&held, "goodput_bps");
    assert!((share - 1.0 / 1.507).abs() < 1e-3, "{share}");
    // What is advised gives what the line leaves, and a segment less does not.
    p.window = None;
    let full = number(&path(&p).expect("a path"), "goodput_bps");
    let needed = number(&path(&p).expect("a path"), "window_needed_bytes");
    for (bytes, all) in [(needed + 1448.0, true), (needed - 1448.0, false)] {
        p.window = Some(Size::from_bytes(bytes as u64));
        let given = number(&path(&p).expect("a path"), "goodput_bps");
        assert_eq!(
            given >= full * (1.0 - 1e-9),
            all,
            "{bytes}: {given} of {full}"
        );
        assert!(given > full * 0.98, "{bytes}: {given} of {full}");
    }
    p.loss = None;
    // Version 3 gives up half of its pipe, in every five seconds.
    (p.cc, p.window) = (Cc::Bbr3, None);
    let newer = path(&p).expect("a path");
    assert!((number(&newer, "goodput_bps") / line - (1.0 - 0.105 / 5.21)).abs() < 1e-12);
}

/// 1 Gbit/s x 238 ms is some 19 600 segments: from ten, 11 rounds of doubling, 19 of x 1.5. BBR's Startup doubles whatever
/// an ACK is for (gain 2/ln 2: Cardwell et al., ACM Queue 14(5), 2016).
#[test]
fn bbr_doubles_each_round_trip_at_its_start() {
    let input = |cc, segments_per_ack| PathInput {
        cc,
        segments_per_ack,
        ..PathInput::new(
            Rate::from_bps(1_000_000_000).expect("a rate"),
            Duration::from_ms(238),
            Size::from_bytes(1500),
        )
    };
    let takes = |cc, b| number(&path(&input(cc, b)).expect("a path"), "slow_start_s");
    for cc in [Cc::Bbr, Cc::Bbr3] {
        assert_eq!(takes(cc, 2), 11.0 * 0.238);
        assert_eq!(takes(cc, 2), takes(cc, 1));
    }
    for cc in [Cc::Reno, Cc::Cubic] {
        assert_eq!(takes(cc, 2), 19.0 * 0.238);
        assert_eq!(takes(cc, 1), 11.0 * 0.238);
    }
}

/// Reno at 1 Gbit/s x 200 ms, 1538 bytes a frame and 1514 in a queue: half of twice the pipe is regained at one segment for each round
/// trip, and those beyond the pipe wait: 1.5 pipes on average, 4876 s by hand. With an empty queue it is a third.
#[test]
fn a_full_queue_makes_the_climb_longer() {
    let mut p = input("1 Gbit/s", "200 ms", "1500");
    (p.cc, p.segments_per_ack) = (Cc::Reno, 1);
    let empty = number(&path(&p).expect("a path"), "recovery_s");
    let pipe = 1e9 * 0.2 / 8.0;
    let loaded = |p: &mut PathInput, queue: f64| {
        p.queue = Some(Size::from_bytes((pipe * queue * 1514.0 / 1538.0) as u64));
        number(&path(p).expect("a path"), "recovery_s")
    };
    let near = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-6, "{a} {b}");
    near(loaded(&mut p, 1.0), 3.0 * empty);
    // From 0.55 of the pipe to 1.1: the last tenth lasts 1.05 round trips a segment.
    near(loaded(&mut p, 0.1), empty * (0.45 + 0.1 * 1.05) / 0.5);
    // A window that the path holds leaves the queue empty.
    p.window = Some(Size::from_bytes(20_000_000));
    let held = number(&path(&p).expect("a path"), "recovery_s");
    p.queue = None;
    near(held, number(&path(&p).expect("a path"), "recovery_s"));
}

/// Linux's H-TCP over 200 ms grows twice as fast as the paper's.
#[test]
fn htcp_of_linux_stands_beside_the_papers() {
    let mut p = input("1 Gbit/s", "200 ms", "1500");
    p.cc = Cc::Htcp;
    let answers = path(&p).expect("a path");
    let text = note(&answers, "recovery_s");
    let linux = text.split("0.1 to 2: ").nth(1).expect("Linux's");
    let linux: f64 = linux
        .split(' ')
        .next()
        .and_then(|s| s.parse().ok())
        .expect("a number");
    let share = linux / number(&answers, "recovery_s");
    assert!((0.65..0.8).contains(&share), "{share}");
}

/// What follows slow start's overflow, and what losses leave, have it too; over 100 ms both are one.
#[test]
fn htcp_of_linux_stands_beside_every_climb_of_the_papers() {
    const LINUX: &str = "RTT/100 ms, 0.1 to 2: ";
    let of = |rtt: &str| {
        let mut p = input("1 Gbit/s", rtt, "1500");
        (p.cc, p.segments_per_ack) = (Cc::Htcp, 1);
        p.queue = Some(Size::from_bytes(1_250_000));
        p.loss = Some("1e-6".parse().expect("a ratio"));
        path(&p).expect("a path")
    };
    let after = |text: &str, words: &str| -> f64 {
        let rest = text.split(words).nth(1).unwrap_or_else(|| panic!("{text}"));
        let number = rest.split(' ').next().and_then(|s| s.parse().ok());
        number.unwrap_or_else(|| panic!("{text}"))
    };
    let long = of("200 ms");
    let climbs = note(&long, "slow_start_overflow_bytes");
    let share = after(&climbs, LINUX) / after(&climbs, "takes some ");
    assert!((0.65..0.85).contains(&share), "{climbs}");
    let losses = note(&long, "loss_limit_bps");
    let more = after(&losses, LINUX) * 1e6 / number(&long, "loss_limit_bps");
    assert!((1.05..2.0).contains(&more), "{losses}");
    let same = of("100 ms");
    for name in ["slow_start_overflow_bytes", "loss_limit_bps", "recovery_s"] {
        assert!(!note(&same, name).contains(LINUX), "{name}");
    }
}

/// 8127 segments over 100 ms: ten doublings of 10, twenty round trips of Vegas, and three of Hybla, each of which takes 2⁴ times the window.
#[test]
fn vegas_and_hybla_start_in_their_own_ways() {
    let of = |cc| {
        let mut p = input("1 Gbit/s", "100 ms", "1500");
        (p.cc, p.segments_per_ack) = (cc, 1);
        path(&p).expect("a path")
    };
    assert_eq!(number(&of(Cc::Reno), "slow_start_s"), 1.0);
    let vegas = of(Cc::Vegas);
    assert_eq!(number(&vegas, "slow_start_s"), 2.0);
    assert!(note(&vegas, "slow_start_s").contains("half as long"));
    let hybla = note(&of(Cc::Hybla), "slow_start_s");
    assert!(hybla.contains("ρ = RTT/25 ms = 4.0"), "{hybla}");
    assert!(hybla.contains("after 3 rounds, 0.300 s"), "{hybla}");
    assert!(hybla.contains("slow_start_waste_s is of Reno's"), "{hybla}");
}

/// Linux's gains a segment a round trip up to 100 segments: 42 to 48.8 in 7, of 14 by hundredths.
#[test]
fn scalable_of_linux_stands_beside_the_papers_in_small_windows() {
    let mut p = input("100 Mbit/s", "6 ms", "1500");
    p.cc = Cc::Scalable;
    let answers = path(&p).expect("a path");
    let said = note(&answers, "recovery_s");
    assert!(
        said.contains("an eighth of any window: 0.0420 s."),
        "{said}"
    );
    assert!((number(&answers, "recovery_s") / 0.084 - 1.0).abs() < 1e-9);
    p.rtt = "60 ms".parse().expect("a time");
    let large = path(&p).expect("a path");
    assert!(!note(&large, "recovery_s").contains("Linux"));
}

/// A window of the RFC's 38.7 segments over 1 ms; Linux's is 29.4, and simulated ones have 29.8.
#[test]
fn cubic_of_linux_stands_beside_the_rfcs_on_a_short_path() {
    let mut on = input("10Gbit/s", "1ms", "1500");
    on.loss = Some("0.001".parse().expect("a ratio"));
    on.goodput = Some("400Mbit/s".parse().expect("a rate"));
    let answers = path(&on).expect("a path");
    assert!((number(&answers, "loss_limit_bps") / 448.6e6 - 1.0).abs() < 1e-3);
    for name in [
        "loss_limit_bps",
        "loss_ratio_to_fill",
        "loss_ratio_for_goodput",
    ] {
        let said = note(&answers, name);
        assert!(said.contains("Linux's window stands"), "{name}: {said}");
    }
    assert!(note(&answers, "loss_limit_bps").contains("it has 340."));
    on.rtt = "40ms".parse().expect("a time");
    let long = path(&on).expect("a path");
    for name in ["loss_limit_bps", "loss_ratio_to_fill"] {
        assert!(!note(&long, name).contains("Linux's window"), "{name}");
    }
}

/// 64 KiB are 45 whole segments of 1448 bytes and 376 bytes that wait (RFC 9293 §3.8.6.2.1). Simulated over 600 ms and 1 Gbit/s
/// they give 868.1 kbit/s, and no line of any rate gave the 873.8 of the whole window.
#[test]
fn a_window_is_sent_in_whole_segments() {
    let mut p = input("1 Gbit/s", "600 ms", "1500");
    p.window = Some(Size::from_bytes(64 << 10));
    let answers = path(&p).expect("a path");
    assert_eq!(number(&answers, "window_limit_bps"), 65_536.0 * 8.0 / 0.6);
    assert_eq!(number(&answers, "goodput_bps"), 45.0 * 1448.0 * 8.0 / 0.6);
    assert!(!note(&answers, "window_limit_bps").contains("small packets"));
    // A segment takes 1.2304 ms of 10 Mbit/s, in each round trip.
    p.rate = Rate::from_bps(10_000_000).expect("not zero");
    let slow = path(&p).expect("a path");
    let text = note(&slow, "window_limit_bps");
    let kbits = 45.0 * 1448.0 * 8.0 / 0.601_230_4 / 1e3;
    assert!(
        text.contains(&format!("leaves {:.6} Mbit/s", kbits / 1e3)),
        "{text}"
    );
    // By itself a segment waits for the receiver's timer.
    p.window = Some(Size::from_bytes(2000));
    assert!(note(&path(&p).expect("a path"), "window_limit_bps").contains("timer expires"));
}

/// 500 Mbit/s over 80 ms are 5 MB, 3454 segments of 1448 bytes.
#[test]
fn a_wanted_goodput_says_what_it_needs() {
    let mut p = input("1 Gbit/s", "80 ms", "1500");
    assert!(note(&path(&p).expect("a path"), "window_for_goodput_bytes").contains("No goodput"));
    p.goodput = Rate::from_bps(500_000_000);
    p.window = Some(Size::from_bytes(1 << 20));
    let answers = path(&p).expect("a path");
    assert_eq!(
        number(&answers, "window_for_goodput_bytes"),
        3454.0 * 1448.0
    );
    // 724 segments in 80 ms: 104.8 Mbit/s each.
    assert_eq!(number(&answers, "streams_for_goodput"), 5.0);
    p.goodput = Rate::from_bps(950_000_000);
    let beyond = path(&p).expect("a path");
    for name in [
        "window_for_goodput_bytes",
        "loss_ratio_for_goodput",
        "streams_for_goodput",
    ] {
        assert_eq!(value(&beyond, name), Value::Null);
        assert!(
            note(&beyond, name).contains("the line leaves 941.4824 Mbit/s of the 950"),
            "{name}"
        );
    }
}

/// A frame of 1500 bytes takes 1514 of a queue on Ethernet, 1504 on POS.
#[test]
fn a_queue_below_a_frame_is_refused() {
    let with = |queue: u64, framing: Framing| {
        let mut p = input("100 Mbit/s", "100 ms", "1500");
        p.queue = Some(Size::from_bytes(queue));
        p.framing = framing;
        path(&p).map(|_| ()).map_err(|e| e.to_string())
    };
    let refused = with(1, Framing::Ethernet).expect_err("too small");
    let words = "queue 1 B holds no frame of 1500 bytes, which takes 1514 B: write";
    assert!(refused.starts_with(words), "{refused}");
    assert!(with(1513, Framing::Ethernet).is_err());
    assert_eq!(with(1514, Framing::Ethernet), Ok(()));
    assert_eq!(with(1504, Framing::Pos), Ok(()));
}

/// 5 kB hold three frames of a burst of sixteen: simulated 53.8 Mbit/s, where the line less its probes was predicted, 184.57.
#[test]
fn a_queue_that_holds_no_burst_of_bbr_has_no_law() {
    let of = |cc: Cc, queue: u64| {
        let mut p = input("200 Mbit/s", "2 ms", "1500");
        (p.cc, p.queue) = (cc, Some(Size::from_bytes(queue)));
        path(&p).expect("a path")
    };
    for cc in [Cc::Bbr, Cc::Bbr3] {
        let short = of(cc, 5_000);
        assert_eq!(value(&short, "goodput_bps"), Value::Null);
        for figure in ["goodput_bps", "utilisation"] {
            let words = "holds 3 frames, and 21 of what BBR sends at once";
            assert!(note(&short, figure).contains(words), "{figure}");
        }
    }
    let long = of(Cc::Bbr, 50_000);
    assert!((number(&long, "goodput_bps") / 184.57e6 - 1.0).abs() < 1e-3);
    assert!(!note(&long, "goodput_bps").contains("at once"));
    assert_ne!(value(&of(Cc::Cubic, 5_000), "goodput_bps"), Value::Null);
    // Others have the line's, at most.
    for (cc, said) in [(Cc::Htcp, true), (Cc::Cubic, false)] {
        let note = note(&of(cc, 5_000), "goodput_bps");
        assert_eq!(note.contains("At most: a queue of 5000 B"), said, "{note}");
    }
    // Four segments are in flight at least: the path holds 0.8, and the queue 3 or 6.
    let mut slow = input("1 Mbit/s", "10 ms", "1500");
    slow.cc = Cc::Bbr;
    for (bytes, known) in [(4_614, false), (9_228, true)] {
        slow.queue = Some(Size::from_bytes(bytes));
        let goodput = value(&path(&slow).expect("a path"), "goodput_bps");
        assert_eq!(goodput.number().is_some(), known, "{bytes}");
    }
}

/// CUBIC, 1638 segments of pipe and queue: K = ∛(1638.4 × 0.3/0.4) by hand, and ∛4 times that behind a loss that made room. Simulated
/// on 100 Mbit/s x 100 ms, climbs take 8 and 17.5 s in turns.
#[test]
fn cubic_climbs_from_a_full_queue_in_two_lengths() {
    let mut p = input("100 Mbit/s", "100 ms", "1500");
    p.queue = Some(Size::from_bytes(1_250_000));
    let answers = path(&p).expect("a path");
    let k = libm::cbrt((1.25e6 / 1538.0 + 1.25e6 / 1514.0) * 0.3 / 0.4);
    assert!((number(&answers, "recovery_s") - k).abs() < 1e-9);
    let longer = libm::cbrt(4.0) * k;
    assert!(note(&answers, "recovery_s").contains(&format!("{longer:.4} s")));
    let of = answers.iter().find(|a| a.name == "recovery_s").expect("it");
    assert!(of.source.contains("§4.2"), "{}", of.source);
    // Reno-friendly: one climb for all losses, longer by what waits. 19.7 segments at 0.529 a round trip of 20 ms x 1.71.
    let mut near = input("20 Mbit/s", "20 ms", "1500");
    near.queue = Some(Size::from_bytes(50_000));
    let friendly = path(&near).expect("a path");
    let full = 50_000.0 / 1538.0 + 50_000.0 / 1514.0;
    let longer = 0.85 * full / (50_000.0 / 1538.0);
    let by_hand = 0.3 * full / (0.9 / 1.7) * 0.02 * longer;
    assert!((number(&friendly, "recovery_s") / by_hand - 1.0).abs() < 1e-9);
    assert!(!note(&friendly, "recovery_s").contains("makes room"));
}

/// Westwood+ loses nothing where it knows the line's bandwidth; with half of that it climbs as Reno: 60 ms for each of half of 4876
/// segments.
#[test]
fn westwood_says_what_its_recovery_is_of() {
    let mut p = input("1 Gbit/s", "60 ms", "1500");
    p.cc = Cc::Westwood;
    let answers = path(&p).expect("a path");
    assert_eq!(number(&answers, "recovery_s"), 0.0);
    let by_hand = 1e9 * 0.06 / 8.0 / 1538.0 / 2.0 * 0.06;
    let said = note(&answers, "recovery_s");
    let words = format!("half of that, it takes as long as Reno, {by_hand:.4} s");
    assert!(said.contains(&words), "{said}");
    p.cc = Cc::Scalable;
    let other = path(&p).expect("a path");
    assert!(!note(&other, "recovery_s").contains("as long as Reno"));
}

/// A queue counts frames as a scenario's does: 1 250 000 bytes are 825.6 of 1514. Slow start overflows it in the round that begins with
/// 1280 segments, 2 · 640: at 1280 + 825.6.
#[test]
fn a_queue_counts_what_a_scenarios_counts() {
    let mut p = input("1 Gbit/s", "100 ms", "1500");
    (p.cc, p.segments_per_ack) = (Cc::Reno, 1);
    p.queue = Some(Size::from_bytes(1_250_000));
    let answers = path(&p).expect("a path");
    let by_hand = (1280.0 + 1_250_000.0 / 1514.0) * 1448.0;
    let overflows = number(&answers, "slow_start_overflow_bytes");
    assert!((overflows / by_hand - 1.0).abs() < 1e-9, "{overflows}");
}

/// The loss is heard when the window has doubled, and half of that is the window at the full queue: 4211 of 8127 segments behind a fifth
/// of the pipe, and more than all of them behind a half.
#[test]
fn the_cut_of_slow_start_may_leave_nothing_to_climb() {
    let mut p = input("1 Gbit/s", "100 ms", "1500");
    (p.cc, p.segments_per_ack) = (Cc::Reno, 1);
    for (queue, words) in [
        (
            2_500_000,
            "the climb to what fills the path takes some 392 s.",
        ),
        (6_250_000, "so that nothing is left to climb."),
    ] {
        p.queue = Some(Size::from_bytes(queue));
        let answers = path(&p).expect("a path");
        for name in ["slow_start_overflow_bytes", "goodput_bps"] {
            let said = note(&answers, name);
            assert!(said.contains(words), "{name}: {said}");
        }
    }
}

/// Eight connections have an eighth of the path each: as much less in flight, and they bear more loss by CUBIC's law, W ∝ p^-3/4; its
/// climb goes by the cube root.
#[test]
fn what_each_of_several_needs_is_its_share() {
    let mut of = input("10 Gbit/s", "240 ms", "9000");
    let one = path(&of).expect("a path");
    of.streams = 8;
    let eight = path(&of).expect("a path");
    let ratio = |name: &str| number(&eight, name) / number(&one, name);
    assert!(
        (ratio("window_needed_bytes") - 1.0).abs() < 1e-12,
        "all together"
    );
    assert_eq!(
        number(&one, "window_scale") - number(&eight, "window_scale"),
        3.0
    );
    assert!((ratio("loss_ratio_to_fill") / 16.0 - 1.0).abs() < 1e-6);
    assert!((ratio("recovery_s") - 0.5).abs() < 1e-6);
    assert!(number(&eight, "slow_start_s") < number(&one, "slow_start_s"));
    of.loss = Some("1e-6".parse().expect("a ratio"));
    let lossy = path(&of).expect("a path");
    let fills = number(&lossy, "loss_ratio_to_fill") > 1e-6;
    let arrives = (1.0 - 1e-6) * number(&lossy, "line_goodput_bps");
    let full = (number(&lossy, "goodput_bps") / arrives - 1.0).abs() < 1e-12;
    assert_eq!(
        (fills, full),
        (true, true),
        "they do not contradict each other"
    );
}

/// Frames that are lost have taken their time on the line, and what fills it by a law that knows no timeouts may not fill it.
#[test]
fn a_line_that_loses_frames_gives_less_than_it_carries() {
    for (rate, rtt, loss, says) in [
        (
            "1 Mbit/s",
            "5 ms",
            "30 %",
            "30.000 % of the segments are lost",
        ),
        ("10 Mbit/s", "5 ms", "5 %", "above 2 % timeouts govern"),
        ("10 Mbit/s", "10 ms", "1.9 %", "at times one that does not"),
        ("10 Mbit/s", "5 ms", "1 %", ""),
    ] {
        let mut on = input(rate, rtt, "1500");
        let loss: Ratio = loss.parse().expect(loss);
        on.loss = Some(loss);
        let all = path(&on).expect(rate);
        assert_eq!(
            value(&all, "limit"),
            Value::Text("link".to_owned()),
            "{rate}"
        );
        let arrives = number(&all, "line_goodput_bps") * (1.0 - loss.get());
        assert!((number(&all, "goodput_bps") / arrives - 1.0).abs() < 1e-9);
        let said = note(&all, "goodput_bps");
        assert!(said.contains(says), "{said}");
        assert_eq!(
            said.contains("As the line fills"),
            !says.is_empty(),
            "{said}"
        );
    }
    // BBR bears them: what it leaves of the line is its own law.
    let mut on = input("10 Mbit/s", "5 ms", "1500");
    (on.cc, on.loss) = (Cc::Bbr, Some("5 %".parse().expect("a ratio")));
    let all = path(&on).expect("BBR");
    assert!(!note(&all, "goodput_bps").contains("timeouts govern"));
}
