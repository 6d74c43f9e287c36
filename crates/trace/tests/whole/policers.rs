//! Policers are found where there is one, and nowhere else.

use farpath_arranged::{Arranged, cases};

use crate::runs::{TAPS, read, run, without_bursts};

const PATH: &str = r#"
[scenario]
name = "line"
seed = {seed}
[[host]]
name = "s"
[[host]]
name = "d"
[[router]]
name = "r1"
[[router]]
name = "r2"
[[link]]
name = "access"
ends = ["s", "r1"]
rate = "1 Gbit/s"
delay = "100 ns"
[[link]]
name = "wan"
ends = ["r1", "r2"]
rate = "{rate}"
delay = "{delay} ms"
queue = "{queue}"
loss = {loss}
[[link]]
name = "far"
ends = ["r2", "d"]
rate = "1 Gbit/s"
delay = "100 ns"
[[test]]
name = "bulk"
kind = "tcp"
from = "s"
to = "d"
cc = "{cc}"
duration = "20 s"
"#;

#[test]
fn a_policer_is_found_at_every_tap() {
    for case in cases().filter(|c| c.arranged == Arranged::Policer) {
        let run = run(&without_bursts(&case.text));
        for tap in TAPS {
            let found = read(&run.captures[tap]).document.connections[0].a2b.policer;
            println!("{} at {tap}: {found:?}", case.name);
            let found = found.expect("a policer");
            // 30 kB: a step of the sizes that are tried away, at most.
            assert!(
                (20_000..46_000).contains(&found.burst_bytes),
                "{} at {tap}",
                case.name
            );
        }
    }
}

#[test]
fn neither_a_full_line_nor_random_losses_are_a_policer() {
    let mut wrong = Vec::new();
    for (rate, delay, queue, loss, cc) in [
        ("20 Mbit/s", 10, "1bdp", "0", "reno"),
        ("20 Mbit/s", 10, "1bdp", "0", "cubic"),
        ("20 Mbit/s", 40, "30 kB", "0", "reno"),
        ("20 Mbit/s", 40, "30 kB", "0", "cubic"),
        ("50 Mbit/s", 5, "20 kB", "0", "cubic"),
        ("100 Mbit/s", 40, "100 kB", "0", "cubic"),
        ("100 Mbit/s", 10, "20 kB", "0", "reno"),
        ("1 Gbit/s", 5, "1bdp", "0.001", "reno"),
        ("1 Gbit/s", 20, "1bdp", "0.001", "reno"),
        ("1 Gbit/s", 50, "1bdp", "0.0003", "reno"),
        ("1 Gbit/s", 20, "1bdp", "0.01", "reno"),
        ("1 Gbit/s", 20, "1bdp", "0.003", "cubic"),
        ("20 Mbit/s", 20, "1bdp", "0.001", "reno"),
    ] {
        for seed in [1, 2, 3] {
            let text = PATH
                .replace("{rate}", rate)
                .replace("{delay}", &delay.to_string())
                .replace("{queue}", queue)
                .replace("{loss}", loss)
                .replace("{cc}", cc)
                .replace("{seed}", &seed.to_string());
            let run = run(&text);
            for tap in TAPS {
                let analysis = read(&run.captures[tap]);
                let connection = &analysis.document.connections[0];
                if let Some(p) = &connection.a2b.policer {
                    wrong.push(format!(
                        "{rate} {delay} ms {queue} {loss} {cc} seed {seed} at {tap}: {p:?}, {}",
                        connection.a2b.goodput_bps
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
