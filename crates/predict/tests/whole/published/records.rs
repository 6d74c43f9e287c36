//! Land-speed records.

use super::*;

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
