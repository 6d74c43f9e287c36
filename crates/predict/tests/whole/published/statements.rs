//! What documents state, beside what follows.

use super::*;

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
        max_ssthresh: None,
        rounds_each: 1,
        quick: 0.0,
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
