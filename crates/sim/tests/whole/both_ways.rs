//! Data both ways on one line: acknowledgements of what a host receives wait in one queue with what it sends.

use farpath_element::{Drop, Mode};
use farpath_sim::WINDOW;

use crate::law::assert_same;
use crate::world::{assert_within, run_in, run_text, scenario};

/// A line of 50 Mbit/s there and 1 Mbit/s back, 20 ms there and back. `down` has `window`; `up` has so many connections.
fn line(window: &str, connections: u32) -> String {
    format!(
        r#"
[scenario]
name = "line"
[[host]]
name = "srv"
[[host]]
name = "home"
[[link]]
name = "dsl"
ends = ["srv", "home"]
framing = "ethernet"
rate = "50 Mbit/s"
delay = "10 ms"
[link.reverse]
rate = "1 Mbit/s"
[[test]]
name = "down"
kind = "tcp"
from = "srv"
to = "home"
window = "{window}"
omit = "7 s"
duration = "15 s"
[[test]]
name = "up"
kind = "tcp"
from = "home"
to = "srv"
start = "2 s"
parallel = {connections}
omit = "5 s"
duration = "15 s"
"#
    )
}

/// TCP Small Queues keep two to four segments in the queue, and two are added when two are left. So two pass in their own
/// 24.6 ms and 0.72 ms for each acknowledgement that is queued then. A window of 128 KiB has 45, and half of these 45 wait in the queue; one
/// of 512 KiB has 181, all but the 27 of a round trip: 41 and 136 ms. These let the upload send nothing, for ever.
#[test]
fn acknowledgements_in_the_queue_leave_an_upload_its_share() {
    for (window, kbps, mbps) in [
        ("128 KiB", (450.0, 750.0), (6.0, 20.0)),
        ("512 KiB", (120.0, 450.0), (12.0, 35.0)),
    ] {
        let world = run_text(&line(window, 1));
        let goodput = |test: &str| world.metric(test, "goodput_bps");
        assert_within("up, kbit/s", goodput("up") / 1e3, kbps.0, kbps.1);
        assert_within("down, Mbit/s", goodput("down") / 1e6, mbps.0, mbps.1);
        assert_eq!(world.drops("dsl", "home>srv", Drop::Tail), 0, "{window}");
    }
}

#[test]
fn two_uploads_beside_a_download_go_on_in_turn() {
    let world = run_text(&line("128 KiB", 2));
    let goodput = world.metric("up", "goodput_bps") / 1e3;
    assert_within("up, kbit/s", goodput, 450.0, 750.0);
    assert_within("fairness", world.metric("up", "jain_index"), 0.98, 1.0);
}

#[test]
fn data_both_ways_is_the_same_in_every_mode() {
    for connections in [1, 2] {
        let text = line("512 KiB", connections);
        let world = |mode| {
            let scenario = scenario(&text);
            let seed = scenario.seed;
            run_in(scenario, mode, seed)
        };
        let oracle = world(Mode::EventByEvent);
        let windowed = world(Mode::Windowed(WINDOW));
        assert_same(&text, &oracle, &windowed);
    }
}
