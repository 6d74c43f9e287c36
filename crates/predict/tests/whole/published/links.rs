//! Links, framings and folded paths.

use super::*;

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
        // 126 and 130 bytes at 1 Gbit/s each way, without the gap, and 131 bytes at 9.58464 Gbit/s each crossing.
        let wire = 2 * (126 + 130) * 8000 + 2 * passes as u64 * 109_342;
        assert_eq!(over, Duration::from_ps(wire), "{passes} passes: {rtt}");
        assert!(over < Duration::from_us(200));
        let answer = ping_answer(&way, &way, 100);
        assert_eq!(answer.value.number(), Some(rtt.as_ps() as f64 / 1e3));
        assert!(answer.note.contains("Propagation"), "{}", answer.note);
    }
    // 116 ms leaves room for some 11 900 km of fibre.
    assert!((fibre_m_within(ms(116.0)) / 1e3 - 11_850.0).abs() < 50.0);
}
