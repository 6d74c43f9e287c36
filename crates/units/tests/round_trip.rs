//! What is printed reads back as the same value; what is wrong is refused with a lesson.

use farpath_mutate::{Corpus, run};
use farpath_units::{Distance, Duration, ParseError, Rate, Ratio, Size, Time};
use proptest::prelude::*;

fn reads_back<
    T: std::fmt::Display + std::str::FromStr<Err = ParseError> + PartialEq + std::fmt::Debug,
>(
    value: T,
) {
    let text = value.to_string();
    assert_eq!(text.parse::<T>().as_ref(), Ok(&value), "{text}");
    let tight: String = text.split(' ').collect();
    assert_eq!(tight.parse::<T>(), Ok(value), "{tight}");
}

/// Values of every magnitude: a uniform u64 is nearly always huge.
fn any_magnitude() -> impl Strategy<Value = u64> {
    prop_oneof![
        (any::<u64>(), 0_u32..64).prop_map(|(n, shift)| n >> shift),
        (0_u64..5000, 0_u32..16).prop_map(|(n, tens)| n.saturating_mul(10_u64.pow(tens))),
        (0_u64..5000, 0_u32..50).prop_map(|(n, twos)| n.saturating_mul(1 << twos)),
    ]
}

proptest! {
    #[test]
    fn quantities_read_back(n in any_magnitude()) {
        reads_back(Duration::from_ps(n));
        reads_back(Time::from_ps(n));
        reads_back(Size::from_bytes(n));
        reads_back(Distance::from_m(n));
        if let Some(rate) = Rate::from_bps(n) {
            reads_back(rate);
        }
    }

    #[test]
    fn ratios_read_back(mantissa in 0.0..=1.0_f64, exponent in 0_i32..320) {
        reads_back(Ratio::new(mantissa).expect("in range"));
        reads_back(Ratio::new(mantissa * libm::exp10(f64::from(-exponent))).expect("in range"));
    }

    #[test]
    fn a_precision_rounds_to_the_nearest(n in any_magnitude(), places in 0_usize..15) {
        let exact = Duration::from_ps(n).to_string();
        let rounded = format!("{:.places$}", Duration::from_ps(n));
        let number = |text: &str| text.split(' ').next().expect("a number").parse::<f64>().expect("a number");
        let slack = 0.5 * libm::exp10(-(places as f64)) + number(&exact) * 1e-15;
        prop_assert!((number(&exact) - number(&rounded)).abs() <= slack * 1.000_001, "{exact} {rounded}");
    }
}

#[test]
fn extremes_read_back() {
    for n in [
        0,
        1,
        9,
        999,
        1000,
        1023,
        1024,
        9_999,
        10_000,
        999_999_999_999,
        u64::MAX - 1,
        u64::MAX,
    ] {
        reads_back(Duration::from_ps(n));
        reads_back(Time::from_ps(n));
        reads_back(Size::from_bytes(n));
        reads_back(Distance::from_m(n));
    }
    reads_back(Rate::from_bps(1).expect("not zero"));
    reads_back(Rate::from_bps(u64::MAX).expect("not zero"));
    for x in [
        0.0,
        -0.0,
        1.0,
        f64::MIN_POSITIVE,
        5e-324,
        0.1,
        1e-3,
        9.999e-4,
        1.0 - f64::EPSILON / 2.0,
    ] {
        reads_back(Ratio::new(x).expect("in range"));
    }
}

#[test]
fn prints_what_a_person_would_write() {
    let rate = |bps| Rate::from_bps(bps).expect("not zero").to_string();
    assert_eq!(rate(9_584_640_000), "9.58464 Gbit/s");
    assert_eq!(rate(990_040_000), "990.04 Mbit/s");
    assert_eq!(rate(56_000), "56 kbit/s");
    assert_eq!(Duration::from_ms(581).to_string(), "581 ms");
    assert_eq!(Duration::from_ms(1500).to_string(), "1.5 s");
    assert_eq!(Duration::from_ps(72_304).to_string(), "72.304 ns");
    assert_eq!(Duration::ZERO.to_string(), "0 ps");
    assert_eq!(Size::from_bytes(9000).to_string(), "9000 B");
    assert_eq!(Size::from_bytes(145_000_000).to_string(), "145 MB");
    assert_eq!(Size::from_bytes(64 << 20).to_string(), "64 MiB");
    assert_eq!(Size::from_bytes(3 << 19).to_string(), "1.5 MiB");
    assert_eq!(Size::from_bytes(568_750).to_string(), "568.75 kB");
    assert_eq!(Distance::from_m(7_000_000).to_string(), "7000 km");
    assert_eq!(Ratio::new(1e-6).expect("in range").to_string(), "1e-6");
    assert_eq!(Ratio::new(0.01).expect("in range").to_string(), "0.01");
    assert_eq!(format!("{:.1}", Duration::from_us(580_061)), "580.1 ms");
    assert_eq!(
        format!(
            "{:>9}|{:<8}|{:^8}",
            Duration::from_ms(35),
            Size::from_bytes(1),
            Distance::from_m(5)
        ),
        "    35 ms|1 B     |  5 m   "
    );
}

#[test]
fn reads_exactly() {
    assert_eq!("0.1 ms".parse(), Ok(Duration::from_us(100)));
    assert_eq!("0.000000000001 s".parse(), Ok(Duration::from_ps(1)));
    assert_eq!(" 35ms ".parse(), Ok(Duration::from_ms(35)));
    assert_eq!("35 \u{b5}s".parse(), Ok(Duration::from_us(35)));
    assert_eq!("35\u{3bc}s".parse(), Ok(Duration::from_us(35)));
    assert_eq!("15 h".parse(), Ok(Duration::from_secs(54_000)));
    assert_eq!("213 d".parse(), Ok(Duration::from_secs(213 * 86_400)));
    assert_eq!("1.000 s".parse(), Ok(Duration::from_secs(1)));
    let gig = Rate::from_bps(10_000_000_000).expect("not zero");
    for text in [
        "10 Gbit/s",
        "10Gbit/s",
        "10Gbps",
        "10 Gb/s",
        "10000 Mb/s",
        "0.01 Tbit/s",
        "10000000000 bit/s",
    ] {
        assert_eq!(text.parse(), Ok(gig), "{text}");
    }
    assert_eq!("64 MiB".parse(), Ok(Size::from_bytes(67_108_864)));
    assert_eq!("64MB".parse(), Ok(Size::from_bytes(64_000_000)));
    assert_eq!("0.5 KiB".parse(), Ok(Size::from_bytes(512)));
    // 16 462 643.2 bytes, and 102.4: decimals of a binary prefix go to the nearest byte.
    assert_eq!("15.7 MiB".parse(), Ok(Size::from_bytes(16_462_643)));
    assert_eq!("0.1 KiB".parse(), Ok(Size::from_bytes(102)));
    assert_eq!("7000 km".parse(), Ok(Distance::from_m(7_000_000)));
    for text in ["0.001", "0.1 %", "1e-3", ".1%", "10e-2%", "1E-3"] {
        assert_eq!(
            text.parse(),
            Ratio::new(0.001).ok_or(()).map_err(|()| unreachable!()),
            "{text}"
        );
    }
}

#[test]
fn refuses_with_a_lesson() {
    let cases: &[(Option<ParseError>, &[&str])] = &[
        (err::<Rate>("10"), &["no unit", "10 Mbit/s", "Gbit/s"]),
        (err::<Rate>("64 MB/s"), &["bytes per second", "Mbit/s"]),
        (err::<Rate>("64 MBps"), &["bytes per second"]),
        (err::<Rate>("1 GiB/s"), &["decimal"]),
        (err::<Rate>("1 Mibit/s"), &["decimal"]),
        (err::<Rate>("10 G"), &["write `10 Gbit/s`"]),
        (err::<Rate>("10 gbit/s"), &["case-sensitive", "`10 Gbit/s`"]),
        (err::<Rate>("5mbit"), &["write `5 Mbit/s`"]),
        (err::<Rate>("64 Kbit"), &["write `64 kbit/s`"]),
        (err::<Rate>("10 Gbit"), &["per second", "`10 Gbit/s`"]),
        (err::<Rate>("0 bit/s"), &["never zero"]),
        (err::<Rate>("0.5 bit/s"), &["finer than one bit per second"]),
        (err::<Rate>("99999999 Tbit/s"), &["too large"]),
        (err::<Rate>("-1 Gbit/s"), &["cannot be negative"]),
        (
            err::<Rate>("fast"),
            &["`fast` is not a rate", "`10 Gbit/s`"],
        ),
        (err::<Size>("64M"), &["64 MB", "64 MiB"]),
        (err::<Size>("64 Mb"), &["bits", "eighth"]),
        (err::<Size>("64 KB"), &["64 kB", "64 KiB"]),
        (err::<Size>("64 MB/s"), &["that is a rate"]),
        (err::<Size>("9000"), &["no unit", "`9000 B`"]),
        (err::<Size>("1.5 B"), &["finer than a byte"]),
        (err::<Size>("1.2345 kB"), &["finer than a byte"]),
        (err::<Size>("0.0001 KiB"), &["finer than a byte"]),
        (err::<Size>("64 mib"), &["case-sensitive", "64 MiB"]),
        (err::<Size>("1e6 B"), &["not a unit of a size"]),
        (err::<Duration>("35"), &["no unit", "`35 ms`"]),
        (err::<Duration>("35 m"), &["35 min", "35 ms"]),
        (err::<Duration>("1,5 s"), &["point"]),
        (err::<Duration>("10_000 s"), &["separators"]),
        (err::<Duration>("0.1 ps"), &["finer than a picosecond"]),
        (
            err::<Duration>("0.0000000000000000000000000000000000001 s"),
            &["finer than a picosecond"],
        ),
        (err::<Duration>("300 d"), &["too large", "213 days"]),
        (
            err::<Duration>("999999999999999999999999999999999999999999999 s"),
            &["too large", "…"],
        ),
        (err::<Duration>("1.2.3 s"), &["not a time"]),
        (err::<Duration>("."), &["not a time"]),
        (err::<Duration>(""), &["not a time"]),
        (err::<Duration>("ms"), &["not a time"]),
        (err::<Duration>("\u{2212}1 s"), &["negative"]),
        (err::<Distance>("100 mi"), &["kilometres"]),
        (err::<Distance>("100"), &["`100 km`"]),
        (err::<Ratio>("1.5"), &["outside 0 to 1"]),
        (err::<Ratio>("101 %"), &["outside 0 to 1"]),
        (err::<Ratio>("-0.1"), &["negative"]),
        (err::<Ratio>("nan"), &["not a ratio"]),
        (err::<Ratio>("inf"), &["not a ratio"]),
        (err::<Ratio>("0,1"), &["point"]),
        (err::<Ratio>("1e"), &["not a ratio"]),
    ];
    for (row, (error, phrases)) in cases.iter().enumerate() {
        let message = error
            .as_ref()
            .unwrap_or_else(|| panic!("row {row} was accepted"))
            .to_string();
        for phrase in *phrases {
            assert!(
                message.contains(phrase),
                "row {row}: {message:?} lacks {phrase:?}"
            );
        }
    }
}

fn err<T: std::str::FromStr<Err = ParseError>>(text: &str) -> Option<ParseError> {
    text.parse::<T>().err()
}

#[test]
fn no_text_panics_or_means_two_things() {
    const STARTS: [&str; 12] = [
        "10 Gbit/s",
        "9.58464Gbps",
        "35 ms",
        "1.5s",
        "64 MiB",
        "145000000 B",
        "7000 km",
        "1e-6",
        "0.1 %",
        "18446744073709551615 B",
        "0.000000000001 s",
        "18446744.073709551615 Tbit/s",
    ];
    const ODD: [&str; 24] = [
        "0",
        "9",
        "99999999999999999999",
        ".",
        ",",
        "-",
        "+",
        "e",
        "E",
        " ",
        "%",
        "µs",
        "\u{3bc}",
        "é",
        "\0",
        "bit/s",
        "B",
        "i",
        "K",
        "M",
        "/s",
        "\u{2212}",
        "_",
        "m",
    ];
    let outcomes = run(&Corpus::of(STARTS).odd(&ODD), |text, _| {
        let all = [
            text.parse::<Rate>().is_ok(),
            text.parse::<Duration>().is_ok(),
            text.parse::<Size>().is_ok(),
            text.parse::<Distance>().is_ok(),
            text.parse::<Ratio>().is_ok(),
        ];
        // No two kinds share a unit.
        match all.iter().filter(|ok| **ok).count() {
            0 => "refused",
            1 => "read",
            _ => panic!("{text:?} has several meanings"),
        }
    });
    outcomes.at_least("read", 0.02).at_least("refused", 0.1);
}
