//! Runs whose limit is known, with real kernels. A run whose certificate is invalid is said on stderr, and judged only where
//! a late machine cannot move the limit. `FARPATH_ARRANGED=all` runs every round-trip time, not the middle one alone.

use farpath_arranged::{Arranged, Case, ROUND_TRIPS_MS, cases};
use serde_json::Value;

use crate::place::Place;

/// What limits these is not a matter of time.
const ALWAYS: [Arranged; 4] = [
    Arranged::Application,
    Arranged::ReceiveWindow,
    Arranged::Policer,
    Arranged::Mtu,
];

#[test]
fn a_real_kernels_limit_is_the_one_that_was_arranged() {
    let all = std::env::var_os("FARPATH_ARRANGED").is_some_and(|v| v == "all");
    let wanted = |case: &Case| all || case.rtt_ms == ROUND_TRIPS_MS[1];
    let place = Place::alone();
    let mut wrong = Vec::new();
    for case in cases().filter(wanted) {
        place.write("arranged.toml", &case.text);
        let run = ["run", "arranged.toml", "--simulate", "--emulate", "--json"];
        let ran = place.farpath(&run);
        assert!(matches!(ran.code, Some(0 | 4)), "{}: {ran:?}", case.name);
        let document: Value = serde_json::from_str(&ran.out).expect("a document");
        for record in document["records"].as_array().expect("a list") {
            let named = record["limited_by"].as_str().unwrap_or_default();
            let limits = case.arranged.limits();
            // A kernel keeps more in flight out of 64 KiB than a path of 10 ms holds: then its link is full.
            let outgrown = case.arranged == Arranged::SendBuffer
                && case.rtt_ms == ROUND_TRIPS_MS[0]
                && record["origin"] == "emulated"
                && named == "link";
            let is_right = outgrown || limits.iter().any(|l| l.name() == named);
            let is_judged = record["valid"] == true || ALWAYS.contains(&case.arranged);
            let what = format!(
                "{}, {}: {named}, {}",
                case.name, record["origin"], record["streams"][0]["limited_by"]
            );
            match (is_right, is_judged) {
                (true, _) => eprintln!("right: {what}"),
                (false, true) => wrong.push(what),
                (false, false) => {
                    eprintln!("not judged, for its certificate is invalid: {what}");
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
