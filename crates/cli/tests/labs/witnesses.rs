//! One lost segment, seen by formula, model and this machine's kernel. As root, or where user
//! namespaces are allowed. Nothing asserts how late anything is. With exit code 4 the machine was too busy, and the
//! emulated figures are not compared.

use crate::place::{Place, Ran};
use farpath_record::{Origin, Record, RunDocument};

/// A pipe of 169 segments of 1448 bytes, full when one is lost at 3 s, and back 8.5 s later. A round trip takes 100 ms
/// and has fourteen samples of the window: even a busy machine leaves the two that a curve needs.
const SCENARIO: &str = r#"[scenario]
name = "witnesses"
intervals = 2000

[[host]]
name = "left"

[[host]]
name = "right"

[[router]]
name = "middle"

[[link]]
name = "near"
ends = ["left", "middle"]
rate = "1 Gbit/s"

[[link]]
name = "far"
ends = ["middle", "right"]
rate = "20 Mbit/s"
delay = "50 ms"
queue = "1bdp"
forward = { lose = { flow = "bulk", segment = 4500 } }

[[test]]
name = "bulk"
kind = "tcp"
from = "left"
to = "right"
window = "244712 B"
cc = "reno"
duration = "14 s"
"#;

#[test]
fn formula_model_and_kernel_see_one_loss_of_one_segment() {
    let place = Place::alone();
    place.write("one.toml", SCENARIO);
    let Ran { code, out, err } = place.farpath(&["run", "one.toml", "--emulate", "--json"]);
    assert!(matches!(code, Some(0 | 4)), "{code:?}: {err}");
    let run = RunDocument::from_json(&out).expect("a document");
    let of = |origin: Origin| -> &Record {
        let mut records = run.records.iter();
        records
            .find(|r| r.origin == origin)
            .expect("every origin ran")
    };
    // The order is one segment, in the model and in the lab.
    let ordered: Vec<u64> = run
        .links
        .iter()
        .filter_map(|l| l.drops.get("scripted").copied())
        .collect();
    assert_eq!(ordered, [1, 1]);
    let [predicted, simulated] = [Origin::Predicted, Origin::Simulated].map(of);
    assert_eq!(simulated.metrics["retransmits"], 1.0);
    assert!(simulated.metrics["cwnd_nrmse_predicted_ratio"] < 0.05);
    assert_eq!(predicted.metrics["cwnd_before_bytes"], 169.0 * 1448.0);
    if code == Some(0) {
        let emulated = of(Origin::Emulated);
        assert_eq!(emulated.metrics["retransmits"], 1.0);
        for record in [simulated, emulated] {
            let apart =
                record.metrics["cwnd_before_bytes"] / predicted.metrics["cwnd_before_bytes"];
            assert!((apart - 1.0).abs() < 0.02, "{apart}");
        }
        for metric in ["cwnd_nrmse_predicted_ratio", "cwnd_nrmse_simulated_ratio"] {
            assert!(emulated.metrics.contains_key(metric), "{metric}");
        }
    }
}
