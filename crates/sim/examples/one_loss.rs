//! One loss on a full pipe of 10 Gbit/s over 180 ms, 9000-byte packets: how long an algorithm takes to
//! be back, and what the simulation of it costs.
//! `time cargo run --release -p farpath-sim --example one_loss -- ALGORITHM SECONDS`

use farpath_scenario::{Source, parse};
use farpath_sim::{Options, records, run};

/// Segments of 8960 bytes in frames of 9038 that fill the path, by own arithmetic:
/// 10¹⁰ · 0.18 / (8 · 9038).
const PIPE: u64 = 24_894;

fn main() {
    let mut words = std::env::args().skip(1);
    let cc = words.next().unwrap_or_else(|| "cubic".to_owned());
    let seconds = words.next().unwrap_or_else(|| "60".to_owned());
    let text = format!(
        r#"
[scenario]
name = "one-loss"
[[host]]
name = "a"
txqueuelen = 50000
[[host]]
name = "b"
[[link]]
name = "pipe"
ends = ["a", "b"]
rate = "10 Gbit/s"
delay = "90 ms"
mtu = 9000
[link.forward]
lose = {{ flow = "bulk", segment = 51000 }}
[[test]]
name = "bulk"
kind = "tcp"
from = "a"
to = "b"
cc = "{cc}"
delayed_ack = 1
timestamps = false
window = "1 GB"
initial_ssthresh = {PIPE}
duration = "{seconds} s"
"#
    );
    let source = Source {
        name: "one-loss.toml".to_owned(),
        text,
    };
    let scenario = parse(&source, &[]).unwrap_or_else(|e| panic!("{e}"));
    let outcome = run(
        &scenario,
        Options {
            mode: farpath_element::Mode::Windowed(farpath_sim::WINDOW),
            seed: 1,
            intervals: 200,
            keep: farpath_sim::Keep::default(),
            progress: &mut |_| true,
            tap: &mut |_, _, _| {},
        },
    )
    .unwrap_or_else(|e| panic!("{e}"));
    for record in records(&scenario, &outcome, &Default::default()) {
        let of = |name: &str| record.metrics.get(name).copied();
        println!(
            "{cc}: recovery {:?} s, {:?} segments sent again, goodput {:?} bit/s",
            of("recovery_s"),
            of("retransmits"),
            of("goodput_bps")
        );
    }
}
