//! The closed forms against published and carried tables, to the digits printed there.

mod table;

use farpath_predict::folded::{Capacity, Crossing, Folded, LinkUse, capacity};
use farpath_predict::record::{
    Announcement, Contradiction, implied_bps, implied_m, product_tbm_per_s,
};
use farpath_predict::recovery::{self, Losses};
use farpath_predict::rtt::{Hop, fibre_floor_s, fibre_m_within, ping_answer, ping_rtt};
use farpath_predict::slow_start::SlowStart;
use farpath_predict::{
    Cc, Framing, PathInput, Signal, overhead::Stack, path, rfc6349, sonet, window,
};
use farpath_units::{Distance, Duration, Rate, Ratio, Size};
use table::rows;

macro_rules! carried {
    ($name:literal) => {
        rows(include_str!(concat!("data/", $name, ".csv")))
    };
}

fn mbps(x: f64) -> Rate {
    Rate::from_bps((x * 1e6).round() as u64).expect("not zero")
}

fn gbps(x: f64) -> Rate {
    mbps(x * 1e3)
}

fn ms(x: f64) -> Duration {
    Duration::from_secs_f64(x / 1e3)
}

fn bytes(n: f64) -> Size {
    Size::from_bytes(n as u64)
}

fn signal(name: &str) -> Signal {
    *Signal::named(name).expect("a signal")
}

#[test]
fn folded_paths_scale_as_the_table_says() {
    let stm64 = signal("stm64").payload;
    for row in carried!("snaky_scaling") {
        let n = row.number("passes") as u32;
        let tunnel = |rate| Folded::of_passes(rate, ms(116.0), n);
        let limits = |rate| capacity(&[tunnel(rate).link]).expect("a crossing");
        let (ten, sdh) = (limits(gbps(10.0)), limits(stm64));
        row.prints(
            "crossings_same_dir",
            f64::from(tunnel(stm64).link.out.a_to_b),
        );
        row.prints(
            "crossings_opposite",
            f64::from(tunnel(stm64).link.out.b_to_a),
        );
        row.prints("rtt_ms", tunnel(stm64).rtt_s() * 1e3);
        row.prints("full_duplex_gbps_10G", ten.each_way_bps / 1e9);
        row.prints("half_duplex_gbps_10G", ten.out_bps / 1e9);
        row.prints("full_duplex_gbps_stm64_payload", sdh.each_way_bps / 1e9);
        row.prints("half_duplex_gbps_stm64_payload", sdh.out_bps / 1e9);
        let out = tunnel(stm64).link.out;
        assert_eq!(
            row.text("load_ratio"),
            format!("{}:{}", out.a_to_b, out.b_to_a)
        );
        assert!(!tunnel(stm64).returns_to_start());
    }
    assert!(Folded::of_passes(stm64, ms(116.0), 2).returns_to_start());
}

#[test]
fn the_listed_lsps_cross_three_times_and_twice() {
    let all = carried!("snaky_lsp_paths");
    let lsps = |tunnel: &str| -> Vec<Crossing> {
        let of = all.iter().filter(|row| row.text("tunnel") == tunnel);
        of.map(|row| {
            if row.text("direction") == "ch5->ar5" {
                Crossing::AToB
            } else {
                Crossing::BToA
            }
        })
        .collect()
    };
    let (west, east) = (lsps("geneva_to_chicago"), lsps("chicago_to_geneva"));
    let folded =
        Folded::of_lsps(signal("stm64").payload, ms(116.0), &west, &east).expect("stitched");
    assert_eq!(
        folded,
        Folded::of_passes(signal("stm64").payload, ms(116.0), 5)
    );
    assert_eq!(folded.load_ratio(), Some(1.5));
    assert!((folded.rtt_s() - 0.58).abs() < 1e-12);
    let broken = [west[0], west[0]];
    let error = Folded::of_lsps(gbps(1.0), ms(1.0), &broken, &east).expect_err("a gap");
    assert!(error.to_string().contains("hop 1 and hop 2"), "{error}");
    assert!(Folded::of_lsps(gbps(1.0), ms(1.0), &west, &west).is_err());
    assert!(Folded::of_lsps(gbps(1.0), ms(1.0), &[], &east).is_err());
}

#[test]
fn the_tightest_link_of_several_governs() {
    let folded = Folded::of_passes(gbps(9.58464), ms(116.0), 5).link;
    let access = LinkUse {
        rate: gbps(1.0),
        ..Folded::of_passes(gbps(1.0), ms(0.1), 1).link
    };
    let limits = capacity(&[folded, access]).expect("a crossing");
    assert_eq!(
        limits,
        Capacity {
            out_bps: 1e9,
            back_bps: 1e9,
            each_way_bps: 1e9
        }
    );
    assert_eq!(capacity(&[]), None);
}

#[test]
fn ethernet_overhead() {
    for row in carried!("link_overhead") {
        let mtu = bytes(row.number("ip_packet"));
        let stack: Stack = "gbe/ip".parse().expect("a stack");
        row.prints(
            "computed_mbps",
            stack.ladder(mtu).expect("an mtu").top_bps() / 1e6,
        );
        assert!(
            (stack.ladder(mtu).expect("an mtu").top_bps() / 1e6 - row.number("stated_mbps")).abs()
                < 0.5
        );
    }
}

#[test]
fn sonet_and_atm_ladders() {
    for row in carried!("sonet_atm_ladder") {
        let name = row.text("signal").to_lowercase().replace('-', "");
        let n: u64 = name
            .trim_matches(|c: char| !c.is_ascii_digit())
            .parse()
            .expect("a level");
        row.prints("line_mbps", sonet::line_bps(n) as f64 / 1e6);
        row.prints("payload_columns", sonet::payload_columns(n) as f64);
        row.prints("total_columns", sonet::total_columns(n) as f64);
        row.prints(
            "payload_if_fixed_stuff_forgotten_mbps",
            sonet::payload_bps_with_stuff(n) as f64 / 1e6,
        );
        let ladder = |top: &str| {
            let stack: Stack = format!("{name}/atm/aal5-llc/ip/{top}")
                .parse()
                .expect("a stack");
            stack.ladder(bytes(9180.0)).expect("an mtu")
        };
        let plain = ladder("tcp");
        let rate = |rung: &str| plain.rung(rung).expect("a rung").rate_bps / 1e6;
        row.prints("spe_payload_mbps", rate("payload"));
        row.prints("spe_payload_mbps", rate("atm"));
        row.prints("aal5_mbps", rate("aal5"));
        row.prints("ip_mbps_mtu9180_llcsnap", rate("ip"));
        row.prints("tcp_mbps", rate("application"));
        row.prints("tcp_timestamps_mbps", ladder("tcp+ts").top_bps() / 1e6);
    }
}

#[test]
fn slow_start_rounds_and_waste() {
    for row in carried!("slow_start_waste") {
        // The table rounds W to one decimal; the exact pipes reproduce every other digit.
        let full = match row.text("path") {
            "LBNL-ANL 450 Mb/s" => recovery::pipe_segments(mbps(450.0), ms(45.0), bytes(9140.0)),
            _ => recovery::pipe_segments(mbps(990.04), ms(581.0), bytes(8948.0)),
        };
        row.prints("W_segments", full);
        let start = SlowStart {
            full,
            initial: row.number("iw"),
            segments_per_ack: row.number("segments_per_ack"),
        };
        let cost = start.cost();
        row.prints("rounds_to_full", f64::from(cost.rounds));
        row.prints("wasted_rtts", cost.wasted_rtts);
        row.prints("wasted_s", cost.wasted_rtts * row.number("rtt_ms") / 1e3);
    }
}

#[test]
fn transfers_pay_the_waste_once() {
    let full = recovery::pipe_segments(mbps(450.0), ms(45.0), bytes(9140.0));
    let time = |b: f64, size: f64| {
        let start = SlowStart {
            full,
            initial: 1.0,
            segments_per_ack: b,
        };
        start.transfer_s(bytes(size), bytes(9140.0), mbps(450.0), ms(45.0))
    };
    for (b, size, expected) in [
        (2.0, 10e9, 178.31),
        (2.0, 1e9, 18.31),
        (1.0, 10e9, 178.10),
        (1.0, 1e9, 18.10),
    ] {
        assert!(
            (time(b, size) - expected).abs() < 0.005,
            "{b} {size}: {}",
            time(b, size)
        );
    }
    // The slide's share of the time: 0.30 % of 10 GB, 23 % of 100 MB.
    let start = SlowStart {
        full,
        initial: 1.0,
        segments_per_ack: 2.0,
    };
    let note = start
        .transfer_answer(bytes(100e6), bytes(9140.0), mbps(450.0), ms(45.0))
        .note;
    assert!(note.starts_with("23."), "{note}");
    // What fits in the first round takes only its own time on the line.
    assert!((time(2.0, 9140.0) - 9140.0 * 8.0 / 450e6).abs() < 1e-12);
}

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
fn land_speed_records() {
    let mut flagged = Vec::new();
    for row in carried!("land_speed_records") {
        let rate = gbps(row.number("gbps"));
        let Some(km) = row.maybe("km") else { continue };
        let route = Distance::from_m((km * 1e3) as u64);
        row.prints("product_km_gbps", product_tbm_per_s(route, rate));
        row.prints("rtt_floor_ms", fibre_floor_s(route) * 1e3);
        let mark = row.maybe("mark_Tbm_per_s");
        if let Some(mark) = mark {
            row.prints("km_implied", implied_m(mark, rate) / 1e3);
        }
        let (volume, time) = match (row.text("bytes"), row.text("time")) {
            ("2.98 TB", "45 min") => (Some("2.98 TB"), Some("45 min")),
            ("20.42 TB", "300 min") => (Some("20.42 TB"), Some("300 min")),
            _ => (None, None),
        };
        let announcement = Announcement {
            route,
            rate,
            mark_tbm_per_s: mark,
            volume: volume.map(|v| v.parse().expect("a size")),
            time: time.map(|t| t.parse().expect("a time")),
        };
        let answers = announcement.answers();
        assert_eq!(
            answers[0].note.is_empty(),
            announcement.contradictions().is_empty()
        );
        for contradiction in announcement.contradictions() {
            assert!(
                matches!(contradiction, Contradiction::Mark { .. }),
                "{contradiction:?}"
            );
            flagged.push(row.text("date").to_owned());
        }
    }
    assert_eq!(flagged, ["2003-10-16", "2004-04-20", "2006-04-26"]);
    // The mark of April 2006 fits 8.8049 Gbit/s over its 30 000 km.
    assert!((implied_bps(264_147.0, Distance::from_m(30_000_000)) / 1e9 - 8.8049).abs() < 5e-5);
    // The outlook of the slides: 15 766 km at 6.57 Gbit/s.
    let route = Distance::from_m(15_766_000);
    assert!((product_tbm_per_s(route, gbps(6.57)) - 103_582.6).abs() < 0.05);
    assert!((fibre_floor_s(route) * 1e3 - 154.4).abs() < 0.05);
    assert!((window::bdp_bytes(gbps(6.57), ms(180.0)) / 1e6 - 147.8).abs() < 0.05);
    let at_floor = fibre_floor_s(route) * 6.57e9 / 8.0;
    assert!((at_floor / 1e6 - 126.8).abs() < 0.05);
}

#[test]
fn a_volume_that_does_not_fit_its_time_is_flagged() {
    let announcement = Announcement {
        route: Distance::from_m(10_000_000),
        rate: gbps(5.0),
        mark_tbm_per_s: Some(50_000.0),
        volume: Some(bytes(1e12)),
        time: Some(Duration::from_secs(1000)),
    };
    assert!(
        matches!(announcement.contradictions()[..], [Contradiction::Volume { implied_bps }] if implied_bps == 8e9)
    );
}

#[test]
fn responsiveness_of_reno() {
    for row in carried!("datatag_responsiveness") {
        let mss = bytes(row.number("mtu") - 40.0);
        let s = recovery::reno_s(gbps(row.number("gbps")), ms(row.number("rtt_ms")), mss, 1.0);
        row.prints("computed_s", s);
    }
    for row in carried!("recovery_reno_cubic") {
        let (rate, rtt, mss) = (
            gbps(row.number("gbps")),
            ms(row.number("rtt_ms")),
            bytes(row.number("mss")),
        );
        row.prints("W_segments", recovery::pipe_segments(rate, rtt, mss));
        row.prints("reno_s", recovery::reno_s(rate, rtt, mss, 1.0));
        row.prints("reno_delayed_ack_s", recovery::reno_s(rate, rtt, mss, 2.0));
        row.prints(
            "cubic_K_s",
            recovery::cubic_k_s(recovery::pipe_segments(rate, rtt, mss)),
        );
    }
    // Counted in 1538-byte frames, as packets fill the pipe.
    let frames = recovery::pipe_segments(gbps(1.0), ms(120.0), bytes(1538.0));
    assert!((frames / 2.0 * 0.12 - 585.2).abs() < 0.05);
    assert!((recovery::cubic_k_s(frames) - 19.4).abs() < 0.05);
}

#[test]
fn cubic_epochs() {
    for row in carried!("cubic_epoch") {
        let (rate, rtt, mss) = (
            gbps(row.number("gbps")),
            ms(row.number("rtt_ms")),
            bytes(row.number("mss")),
        );
        let w = recovery::pipe_segments(rate, rtt, mss);
        row.prints("Wmax_segments", w);
        row.prints("K_s", recovery::cubic_k_s(w));
        row.prints("t_to_95pct_s", recovery::cubic_to_95pct_s(w));
        row.prints(
            "mean_window_over_cycle_pct_of_Wmax",
            recovery::CUBIC_MEAN * 100.0,
        );
        assert!(recovery::cubic_s(w, rtt) <= recovery::cubic_k_s(w));
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
fn response_functions() {
    for row in carried!("rfc9438_table1") {
        let p = libm::exp10(row.number("log10_p"));
        let rtt = row.number("rtt_s");
        row.prints("reno", recovery::reno_window(p));
        row.prints("hstcp", recovery::highspeed_window(p));
        for (column, c) in [
            ("cubic_C0.04", 0.04),
            ("cubic_C0.4", 0.4),
            ("cubic_C4", 4.0),
        ] {
            row.prints(
                column,
                recovery::cubic_own_window(p, rtt, c).max(recovery::reno_window(p)),
            );
        }
    }
    for row in carried!("rfc9438_table3") {
        row.prints(
            "reno_p",
            recovery::reno_loss_for(row.number("mbps") * 1e5 / 12_000.0, 1.0),
        );
        let own = recovery::cubic_loss_for(row.number("mbps") * 1e5 / 12_000.0, 0.1);
        row.prints("cubic_p", own);
    }
    for row in carried!("rfc3649_table1") {
        let w = row.number("throughput_mbps") * 1e6 * 0.1 / 12_000.0;
        let carried = row.number("computed_P");
        assert!((recovery::reno_loss_for(w, 1.0) - carried).abs() <= 1e-3 * carried);
        // The Reno mean window is 3/4 of its peak, which is cut to half: 2/3 of the mean in RTTs.
        assert!((w / 1.5 - row.number("computed_rtts")).abs() <= 1e-4 * w);
    }
    for row in carried!("mathis_constants") {
        let losses = if row.text("model").starts_with("periodic") {
            Losses::Periodic
        } else {
            Losses::Random
        };
        let b = if row.text("model").contains("delayed") {
            2.0
        } else {
            1.0
        };
        let constant = recovery::mathis_constant(losses, b);
        row.prints("C", constant);
        let loss = Ratio::new(1e-4).expect("in range");
        row.prints(
            "mbps_rtt100ms_mss1460_p1e-4",
            recovery::mathis_bps(bytes(1460.0), ms(100.0), loss, constant) / 1e6,
        );
    }
    for w in [5.0, 100.0, 8333.3, 1e6] {
        let p = recovery::cubic_loss_for(w, 0.1);
        assert!(
            (recovery::cubic_window(p, 0.1) / w - 1.0).abs() < 1e-9,
            "the two are inverse"
        );
    }
}

#[test]
fn a_ping_through_the_folded_tunnel() {
    let access = Hop {
        rate: gbps(1.0),
        framing: Framing::Ethernet,
        carried: 0,
        delay: Duration::ZERO,
    };
    // Ethernet in MPLS over POS: label 4, customer's header 14 and tag 4.
    let trunk = Hop {
        rate: signal("stm64").payload,
        framing: Framing::Pos,
        carried: 22,
        delay: ms(58.0),
    };
    for passes in [1, 3, 5] {
        let mut way = vec![access];
        way.extend(std::iter::repeat_n(trunk, passes));
        way.push(Hop {
            framing: Framing::EthernetTagged,
            ..access
        });
        let rtt = ping_rtt(&way, &way, 100);
        let floor = ms(116.0).times(passes as u64);
        let over = rtt.saturating_sub(floor);
        // 138 and 142 bytes at 1 Gbit/s each way, and 131 bytes at 9.58464 Gbit/s each crossing.
        let wire = 2 * (138 + 142) * 8000 + 2 * passes as u64 * 109_342;
        assert_eq!(over, Duration::from_ps(wire), "{passes} passes: {rtt}");
        assert!(over < Duration::from_us(200));
        let answer = ping_answer(&way, &way, 100);
        assert_eq!(answer.value.number(), Some(rtt.as_ps() as f64 / 1e3));
        assert!(answer.note.contains("Propagation"), "{}", answer.note);
    }
    // 116 ms leaves room for some 11 900 km of fibre.
    assert!((fibre_m_within(ms(116.0)) / 1e3 - 11_850.0).abs() < 50.0);
}

#[test]
fn statements_of_the_documents() {
    let snaky = |rate| capacity(&[Folded::of_passes(rate, ms(116.0), 5).link]).expect("a crossing");
    let gbe = path(&PathInput::new(gbps(1.0), ms(581.0), bytes(9000.0))).expect("a path");
    let of = |name: &str| {
        gbe.iter()
            .find(|a| a.name == name)
            .and_then(|a| a.value.number())
            .expect("a number")
    };
    let full = recovery::pipe_segments(mbps(450.0), ms(45.0), bytes(9140.0));
    let lbnl = SlowStart {
        full,
        initial: 1.0,
        segments_per_ack: 2.0,
    };
    let transfer = |size| lbnl.transfer_s(bytes(size), bytes(9140.0), mbps(450.0), ms(45.0));
    let stm64 = signal("stm64").payload;
    let oc12: Stack = "oc12c/atm/aal5-llc/ip/tcp".parse().expect("a stack");
    let oc12 = oc12.ladder(bytes(9180.0)).expect("an mtu");
    for row in carried!("statements") {
        let value = match row.text("id") {
            "folded-rtt" => Folded::of_passes(stm64, ms(116.0), 5).rtt_s() * 1e3,
            "each-way" => snaky(gbps(10.0)).each_way_bps / 1e9,
            "one-way" => snaky(gbps(10.0)).out_bps / 1e9,
            "each-way-payload" => snaky(stm64).each_way_bps / 1e9,
            "one-way-payload" => snaky(stm64).out_bps / 1e9,
            "goodput" => of("line_goodput_bps") / 1e6,
            "window-limit" => window::window_limit_bps(Size::from_bytes(64 << 20), ms(581.0)) / 1e6,
            "window-needed" => of("window_needed_bytes") / f64::from(1 << 20),
            "mss" => of("mss_bytes"),
            "load-ratio" => Folded::of_passes(stm64, ms(116.0), 5)
                .load_ratio()
                .expect("two directions"),
            "bdp-100" => window::bdp_bytes(gbps(10.0), ms(100.0)) / 1e6,
            "bdp-17" => window::bdp_bytes(gbps(10.0), ms(17.0)) / 1e6,
            "responsiveness" => recovery::reno_s(gbps(1.0), ms(120.0), bytes(1460.0), 1.0),
            "record" => product_tbm_per_s(Distance::from_m(15_766_000), gbps(6.57)),
            "record-floor" => fibre_floor_s(Distance::from_m(15_766_000)) * 1e3,
            "record-window" => window::bdp_bytes(gbps(6.57), ms(180.0)) / 1e6,
            "oc12-payload" => oc12.rung("payload").expect("a rung").rate_bps / 1e6,
            "oc12-tcp" => oc12.top_bps() / 1e6,
            "slow-start" => lbnl.cost().wasted_rtts * 0.045,
            "transfer-10GB" => transfer(10e9),
            "transfer-1GB" => transfer(1e9),
            "transfer-100MB" => transfer(100e6),
            other => panic!("unknown statement {other}"),
        };
        row.prints("farpath", value);
        let Some(stated) = row.maybe("stated") else {
            assert_eq!(row.text("agrees"), "not stated");
            continue;
        };
        let off = (value / stated - 1.0).abs();
        match row.text("agrees") {
            "yes" => assert!(off < 1e-9, "{}", row.text("id")),
            "rounded" => assert!(off < 0.07, "{}: {off}", row.text("id")),
            _ => assert!(off > 2e-3, "{}: {off}", row.text("id")),
        }
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
        let got = of("goodput_bps").value.number().expect("a number") / 1e6;
        assert!((got - goodput).abs() < 0.055, "{mib} MiB: {got}");
        let limit = if mib <= 64 { "receive_window" } else { "link" };
        assert_eq!(
            of("limit").value,
            farpath_predict::Value::Text(limit.to_owned())
        );
    }
}
