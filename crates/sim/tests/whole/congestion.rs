//! Congestion control through the whole simulator: recovery after one loss, utilisation, response to
//! random loss, against published figures and closed forms.

use crate::world::{World, assert_near, assert_within, run_text};

/// A sender on a link of 120 ms whose own interface is the bottleneck. Slow start ends at `pipe`
/// segments, and `segment` is lost soon after, so that nothing has queued. One ACK per segment, no
/// timestamps.
fn one_loss(cc: &str, rate: &str, mtu: u32, pipe: u64, segment: u64, seconds: u32) -> World {
    run_text(&format!(
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
rate = "{rate}"
delay = "60 ms"
mtu = {mtu}
[link.forward]
lose = {{ flow = "bulk", segment = {segment} }}
[[test]]
name = "bulk"
kind = "tcp"
from = "a"
to = "b"
cc = "{cc}"
delayed_ack = 1
timestamps = false
window = "1 GB"
initial_ssthresh = {pipe}
duration = "{seconds} s"
"#
    ))
}

/// Source: E09a, own calculation from each algorithm's rules: one loss on a full pipe of 1 Gbit/s
/// over 120 ms, MSS 1460, one ACK per segment. In frames of 1538 bytes the pipe is 9753 segments and
/// not 10 274, from which Reno's 585 s (±2 %); the bands of the others hold either.
/// algorithm, seconds from the window cut to the old window: least, most
const RECOVERY: [(&str, f64, f64); 5] = [
    ("reno", 573.5, 596.9),
    ("highspeed", 9.1, 9.8),
    ("scalable", 1.5, 1.8),
    ("htcp", 10.5, 12.5),
    ("cubic", 19.3, 20.5),
];

#[test]
fn recovery_from_one_loss_at_a_gigabit_takes_what_each_algorithm_says() {
    for (cc, least, most) in RECOVERY {
        let seconds = 15 + most as u32;
        let world = one_loss(cc, "1 Gbit/s", 1500, 9753, 21_000, seconds);
        assert_eq!(world.metric("bulk", "retransmits"), 1.0, "{cc}");
        assert_eq!(world.metric("bulk", "rtos"), 0.0, "{cc}");
        let recovery = world.metric("bulk", "recovery_s");
        println!("{cc}: {recovery:.2} s");
        assert_within(cc, recovery, least, most);
    }
}
