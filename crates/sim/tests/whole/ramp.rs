//! When a connection runs at its rate: to a part of a round trip, however long the intervals of its series are.

use crate::world::{assert_near, run_text};

/// A connection over 1 Gbit/s.
fn ramp(delay: &str, link: &str, test: &str) -> f64 {
    let world = run_text(&format!(
        r#"
[scenario]
name = "ramp"
[[host]]
name = "a"
txqueuelen = 200000
tcp_rmem = "4096 131072 67108864"
tcp_wmem = "4096 131072 67108864"
[[host]]
name = "b"
tcp_rmem = "4096 131072 67108864"
[[link]]
name = "ocean"
ends = ["a", "b"]
framing = "gbe"
delay = "{delay}"
{link}
[[test]]
name = "bulk"
kind = "tcp"
from = "a"
to = "b"
{test}
"#
    ));
    world.metric("bulk", "ramp_s")
}

/// Ten segments are 1280 after seven round trips of 80 ms, more than a window of 1 MiB, and 10240 after ten, more than
/// the line takes. Two and a half precede the first: the handshake, and the way to the receiver. The series of these tests have
/// intervals of a hundred milliseconds and a second.
#[test]
fn a_ramp_is_that_of_its_round_trips() {
    for seconds in [20, 140] {
        let duration = format!("duration = \"{seconds} s\"");
        let small = ramp("40 ms", "", &format!("window = \"1 MiB\"\n{duration}"));
        assert_near("a small window", small, 0.680, 0.01);
        let fill = format!("window = \"9.5 MB\"\nslow_start = \"standard\"\n{duration}");
        assert_near("a full line", ramp("40 ms", "", &fill), 0.920, 0.01);
    }
}

/// The window is full after 1.15 s. A segment that is lost behind that halves it, and it is not back within the test.
#[test]
fn a_later_loss_does_not_move_a_ramp() {
    let test =
        "cc = \"reno\"\nslow_start = \"standard\"\nwindow = \"11.8 MB\"\nduration = \"60 s\"";
    for segment in [120_000, 200_000, 2_000_000] {
        let lose = format!("lose = {{ flow = \"bulk\", segment = {segment} }}");
        assert_near("the ramp", ramp("50 ms", &lose, test), 1.15, 0.01);
    }
}

/// A test of 1, 2 and 3 s over a satellite's 580 ms is slow start alone, which a forecast follows by its rounds.
#[test]
fn a_test_shorter_than_its_ramp_is_forecast_as_simulated() {
    for (test, share) in [
        ("duration = \"1 s\"", 0.01),
        ("duration = \"2 s\"", 0.01),
        ("duration = \"3 s\"", 0.01),
        ("duration = \"1 s\"\nomit = \"1 s\"", 0.01),
        ("duration = \"2 s\"\nparallel = 4", 0.01),
    ] {
        let world = run_text(&format!(
            r#"
[scenario]
name = "brief"
[[host]]
name = "a"
[[host]]
name = "b"
[[link]]
name = "satellite"
ends = ["a", "b"]
rate = "100 Mbit/s"
delay = "290 ms"
[[test]]
name = "bulk"
kind = "tcp"
from = "a"
to = "b"
{test}
"#
        ));
        let plan = farpath_scenario::plan::Plan::new(&world.scenario).expect("a plan");
        let point = std::collections::BTreeMap::new();
        let foreseen = farpath_scenario::forecast(&world.scenario, &plan, &point);
        let goodput = foreseen[0].metrics["goodput_bps"];
        assert_near(test, world.metric("bulk", "goodput_bps"), goodput, share);
    }
}
