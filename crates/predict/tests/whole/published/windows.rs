//! Windows.

use farpath_predict::{bit_error, parallel};

use super::*;

#[test]
fn rfc6349_windows() {
    for row in carried!("rfc6349_table_3_3_1") {
        let bdp = window::bdp_bytes(mbps(row.number("link_mbps")), ms(row.number("rtt_ms")));
        row.prints("computed_bits", bdp * 8.0);
        row.prints("computed_kbytes", bdp / 1e3);
    }
}

#[test]
fn rfc6349_examples() {
    let limit = |rtt| window::window_limit_bps(bytes(16e3), ms(rtt)) / 1e6;
    let frames = |rate, wire: f64| rfc6349::frames_per_s(mbps(rate), bytes(wire));
    let payload =
        |rate, wire: f64| rfc6349::payload_bps(mbps(rate), bytes(wire), bytes(1460.0)) / 1e6;
    for row in carried!("rfc6349_examples") {
        let computed: Vec<f64> = match row.text("case") {
            "window-limited" => vec![limit(5.0)],
            "window-limited T3" => vec![limit(10.0)],
            "frame rate T3" => vec![frames(44.21, 1508.0), payload(44.21, 1508.0)],
            "frame rate 100M" => vec![frames(100.0, 1538.0), payload(100.0, 1538.0)],
            "frame rate GigE" => vec![frames(1000.0, 1538.0)],
            "frame rate 10GigE" => vec![frames(10_000.0, 1538.0)],
            "buffer delay" => vec![rfc6349::buffer_delay_ratio(ms(25.0), ms(32.0)) * 100.0],
            other => panic!("unknown case {other}"),
        };
        let printed: Vec<&str> = row.text("computed").split("; ").collect();
        assert_eq!(printed.len(), computed.len());
        for (text, value) in printed.iter().zip(computed) {
            let places = text.split_once('.').map_or(0, |(_, f)| f.len() as i32);
            let off = (value - text.parse::<f64>().expect("a number")).abs();
            // One row's last digit was cut, not rounded: 812743.8 for 812743.823.
            assert!(
                off <= 0.501 * libm::exp10(f64::from(-places)),
                "{}: {value} against {text}",
                row.text("case")
            );
        }
    }
}

#[test]
fn window_scaling_and_sequence_wrap() {
    for row in carried!("rfc7323_window_scale") {
        let shift = row.number("shift") as u8;
        let largest = window::largest_window(shift).expect("a shift");
        row.prints("max_window_bytes", largest.as_bytes() as f64);
        row.prints(
            "rate_limit_mbps_at_116ms",
            window::window_limit_bps(largest, ms(116.0)) / 1e6,
        );
        row.prints(
            "rate_limit_mbps_at_581ms",
            window::window_limit_bps(largest, ms(581.0)) / 1e6,
        );
        assert_eq!(window::shift_for(largest.as_bytes() as f64), Some(shift));
        assert_eq!(
            window::shift_for(largest.as_bytes() as f64 + 1.0),
            Some(shift + 1)
        );
    }
    assert_eq!(
        window::largest_window(14),
        Some(Size::from_bytes(1_073_725_440))
    );
    assert_eq!(window::largest_window(15), None);
    assert_eq!(window::shift_for(1_073_725_441.0), None);
    for row in carried!("rfc1323_twrap") {
        // Four digits are carried.
        let s =
            window::sequence_wrap_s(Rate::from_bps(row.number("bps") as u64).expect("not zero"));
        let carried = row.number("twrap_computed_s");
        assert!(
            (s - carried).abs() <= 5.1e-4 * carried,
            "{s} against {carried}"
        );
    }
}

#[test]
fn window_sweep_at_581_ms() {
    let expected = [
        (8, 115.5),
        (16, 231.0),
        (32, 462.0),
        (64, 924.0),
        (72, 990.0),
        (96, 990.0),
        (128, 990.0),
    ];
    for (mib, goodput) in expected {
        let mut input = PathInput::new(gbps(1.0), ms(581.0), bytes(9000.0));
        input.window = Some(Size::from_bytes(mib << 20));
        input.cc = Cc::Cubic;
        let answers = path(&input).expect("a path");
        let of = |name: &str| answers.iter().find(|a| a.name == name).expect("an answer");
        // As the source counts: the window, and not its whole segments.
        let number = |name| of(name).value.number().expect("a number") / 1e6;
        let got = number("window_limit_bps").min(number("line_goodput_bps"));
        assert!((got - goodput).abs() < 0.055, "{mib} MiB: {got}");
        let segment = 8948.0 * 8.0 / 0.581 / 1e6;
        let less = got - number("goodput_bps");
        assert!((0.0..segment).contains(&less), "{mib} MiB: {less}");
        let limit = if mib <= 64 { "receive_window" } else { "link" };
        assert_eq!(
            of("limit").value,
            farpath_predict::Value::Text(limit.to_owned())
        );
    }
}

#[test]
fn window_sweep_at_17_ms_with_and_without_a_host() {
    for row in carried!("atlas_window_sweep") {
        let mut input = PathInput::new(
            gbps(10.0),
            ms(row.number("rtt_ms")),
            bytes(row.number("mtu")),
        );
        input.timestamps = farpath_predict::Timestamps::Off;
        input.window = Some(Size::from_bytes((row.number("window_MiB") as u64) << 20));
        let goodput = |input: &PathInput| {
            let answers = path(input).expect("a path");
            let of = |name: &str| {
                let found = answers.iter().find(|a| a.name == name);
                found.and_then(|a| a.value.number()).expect("a number") / 1e6
            };
            // As the source counts: the window, and not its whole segments.
            let host = input
                .host
                .map_or(f64::INFINITY, |r| r.as_bps() as f64 / 1e6);
            let source = of("window_limit_bps").min(of("line_goodput_bps")).min(host);
            let segment = of("mss_bytes") * 8.0 / (row.number("rtt_ms") / 1e3);
            assert!((0.0..segment).contains(&(source - of("goodput_bps"))));
            source
        };
        row.prints("goodput_mbps_network", goodput(&input));
        input.host = Some(gbps(5.4));
        row.prints("goodput_mbps_with_5.4G_host", goodput(&input));
    }
}

/// Pages of the IEPM project: how many streams of which window filled a path.
#[test]
fn parallel_streams_of_slac() {
    let all = carried!("slac_parallel_streams");
    // One stream of 6 Mbit/s, nine of 54: linear.
    let (one, nine) = (&all[2], &all[3]);
    assert_eq!(
        nine.number("mbps_stated"),
        nine.number("streams") * one.number("mbps_stated")
    );
    for row in &all {
        let window = Size::from_bytes(row.number("window_kB") as u64 * 1024);
        if let Some(implied) = row.text("computed").strip_prefix("implied RTT ") {
            let ms = window.as_bytes() as f64 * 8.0 / row.number("mbps_stated") / 1e3;
            let printed: f64 = implied
                .split(' ')
                .next()
                .and_then(|n| n.parse().ok())
                .expect("an RTT");
            assert!((ms - printed).abs() < 0.501, "{ms} against {printed}");
        }
        if row.text("note") == "peak" {
            // The peak of 70 to 82 Mbit/s is what 155 Mbit/s with other traffic left: the windows allow
            // no less.
            let streams = row.number("streams") as u32;
            let bps = parallel::window_limited_bps(
                mbps(155.0),
                streams,
                window,
                ms(row.number("rtt_ms")),
            );
            assert!((70e6..105e6).contains(&bps), "{bps}");
        }
    }
    // Eighty streams of 16 KiB over 300 ms cannot pass 35 Mbit/s.
    let bps = parallel::window_limited_bps(mbps(80.0), 80, Size::from_bytes(16 << 10), ms(300.0));
    assert!((bps / 1e6 - 34.95).abs() < 0.005);
    assert_eq!(parallel::streams_to_fill(990e6, 115.5e6), Some(9));
    assert_eq!(parallel::streams_to_fill(990e6, f64::INFINITY), Some(1));
    assert_eq!(parallel::streams_to_fill(1e12, 1.0), None);
    let loss = Ratio::new(1e-4).expect("in range");
    let ten = parallel::loss_limited_bps(gbps(1.0), 10, bytes(1460.0), ms(100.0), loss, 0.93);
    assert!((ten / 1e6 - 108.62).abs() < 0.005, "{ten}");
}

/// A window of 222 000 bytes over 250 and 300 ms; 16384 bytes where 80 and 800 Mbit/s fit.
#[test]
fn windows_too_small_by_what_factor() {
    let limit = |rtt| window::window_limit_bps(bytes(222_000.0), ms(rtt)) / 1e6;
    assert!((limit(250.0) - 7.10).abs() < 0.005 && (limit(300.0) - 5.92).abs() < 0.005);
    for (rate, rtt, factor) in [
        (80.0, 250.0, 152.6),
        (80.0, 300.0, 183.1),
        (800.0, 250.0, 1525.9),
        (800.0, 300.0, 1831.1),
    ] {
        let bdp = window::bdp_bytes(mbps(rate), ms(rtt));
        assert!((bdp / 16_384.0 - factor).abs() < 0.05);
    }
}

/// 15 hours of 5.4 Gbit/s: what bit error ratios of 1e-12 and 1e-14 mean, and what 2 and 3 losses do.
#[test]
fn error_budget_of_a_clean_link() {
    let span = Duration::from_secs(15 * 3600);
    let errors = |ber| bit_error::expected_errors(gbps(5.4), span, ber);
    assert!((errors(1e-12) - 291.6).abs() < 0.05 && (errors(1e-14) - 2.92).abs() < 0.005);
    let implied = |n| bit_error::implied_ber(gbps(5.4), span, n);
    assert!(
        (implied(2.0) / 0.69e-14 - 1.0).abs() < 0.01
            && (implied(3.0) / 1.03e-14 - 1.0).abs() < 0.01
    );
    for (wire, loss) in [(1538.0, 1.23e-8), (9038.0, 7.23e-8)] {
        let got = bit_error::frame_loss(bytes(wire), 1e-12);
        assert!((got / loss - 1.0).abs() < 1e-3, "{got}");
        assert!((bit_error::ber_for(bytes(wire), got) / 1e-12 - 1.0).abs() < 1e-9);
    }
}
