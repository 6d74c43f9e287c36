//! Texts that have nothing but pings and traces: what is asked for goes by what they show.

use crate::{asked, asked_with, first};

/// Twenty pings, so many of which were lost, and the others between 20 ms and this, ms.
fn pings(lost: u32, most: f64) -> String {
    format!(
        "admin@mon:~$ ping -c 20 10.77.0.1\nPING 10.77.0.1 (10.77.0.1) 56(84) bytes of data.\n\n--- 10.77.0.1 ping statistics ---\n20 packets transmitted, {} received, {}% packet loss, time 19014ms\nrtt min/avg/max/mdev = 20.000/{:.3}/{most:.3}/1.112 ms\n\n",
        20 - lost,
        5 * lost,
        20.0 + (most - 20.0) / 4.0
    )
}

const TRACE: &str = "traceroute to 10.77.0.1 (10.77.0.1), 30 hops max, 60 byte packets
 1  10.1.0.1  0.411 ms  0.398 ms  0.401 ms
 2  10.255.0.2  3.101 ms  3.099 ms  3.121 ms
 3  10.77.0.1  20.201 ms  20.112 ms  20.180 ms
";

/// Neither loss nor waiting: what is slow has to be said before anything is measured.
#[test]
fn pings_that_show_nothing_leave_open_what_is_slow() {
    for text in [pings(0, 20.4), pings(0, 20.4) + TRACE] {
        let flow = first(&text);
        assert_eq!(flow.verdict.cause, "unknown", "{:#?}", flow.verdict);
        assert_eq!(asked(&flow), ["complaint"], "{:#?}", flow.missing);
    }
}

/// Loss, or answers that take far longer now and then: where they begin is asked for, and no buffer.
#[test]
fn pings_that_are_lost_or_late_are_followed_from_hop_to_hop() {
    for text in [pings(3, 501.0), pings(3, 21.0), pings(0, 501.0)] {
        let flow = first(&text);
        assert_eq!(flow.verdict.cause, "unknown", "{:#?}", flow.verdict);
        let facts = ["first_hop_loss_ratio", "loss_hop", "idle_loss_ratio"];
        assert_eq!(asked(&flow), facts, "{:#?}", flow.missing);
        let hops = asked_with(&flow, "loss_hop");
        assert_eq!(hops, Some("mtr -bwc 100 10.77.0.1"));
        let gateway = asked_with(&flow, "first_hop_loss_ratio").unwrap_or("");
        assert!(gateway.contains("ping -c 200 GATEWAY"), "{gateway}");
    }
    let windows = "PS C:\\> ping -n 20 203.0.113.8\n\nPinging 203.0.113.8 with 32 bytes of data:\n\nPing statistics for 203.0.113.8:\n    Packets: Sent = 20, Received = 17, Lost = 3 (15% loss),\nApproximate round trip times in milli-seconds:\n    Minimum = 20ms, Maximum = 501ms, Average = 147ms\n";
    let flow = first(windows);
    let hops = asked_with(&flow, "loss_hop");
    assert_eq!(hops, Some("pathping -n 203.0.113.8"));
    // A trace that counts shows the place already.
    let mtr = "Start: 2026-11-30T02:14:11+0000
HOST: office                      Loss%   Snt   Last   Avg  Best  Wrst StDev
  1.|-- 192.168.0.1                0.0%   200    0.4   0.4   0.3   0.9   0.1
  2.|-- 100.64.0.1                 0.0%   200    4.1   4.2   3.8   6.1   0.3
  3.|-- ae5.core1.isp.net          3.5%   200    9.0   9.2   8.8  31.2   2.4
  4.|-- 10.80.0.1                  3.5%   200   12.0  12.1  11.8  13.9   0.3
";
    assert_eq!(asked(&first(mtr)), ["loss_hop_back", "idle_loss_ratio"]);
}

/// Settings beside them are of a host, and its round trip may be all that is missing.
#[test]
fn pings_beside_settings_ask_for_a_rate() {
    let settings =
        "admin@mon:~$ sysctl net.ipv4.tcp_rmem\nnet.ipv4.tcp_rmem = 4096\t131072\t6291456\n";
    let flow = first(&(pings(0, 20.4) + settings));
    assert!(asked(&flow).contains(&"rate"), "{:#?}", flow.missing);
}

/// Pings at rest and during an upload: those to the gateway stay, so that the queue lies behind it, and the complaint is answered.
#[test]
fn a_queue_that_fills_under_load_has_its_place_by_pings_to_the_gateway() {
    let ping = |host: &str, when: &str, [least, mean, most]: [f64; 3]| {
        format!(
            "$ ping -c 20 -q {host}      # {when}\nPING {host} ({host}) 56(84) bytes of data.\n\n--- {host} ping statistics ---\n20 packets transmitted, 20 received, 0% packet loss, time 19004ms\nrtt min/avg/max/mdev = {least:.3}/{mean:.3}/{most:.3}/0.400 ms\n"
        )
    };
    let far = ping("9.9.9.9", "idle", [13.2, 14.0, 14.8])
        + &ping("9.9.9.9", "during upload", [502.0, 612.0, 722.0]);
    let near = ping("192.168.1.1", "idle", [1.3, 2.1, 2.9])
        + &ping("192.168.1.1", "during upload", [1.5, 2.6, 3.7]);
    let flow = first(&(near + &far));
    let because = flow.verdict.because.join("\n");
    assert!(
        flow.verdict.because[0].starts_with("a queue fills under load"),
        "{because}"
    );
    assert!(
        because.contains("lies behind it, at its uplink"),
        "{because}"
    );
    assert_eq!(asked(&flow), ["line_bps"], "{:#?}", flow.missing);
    let flow = first(&far);
    assert_eq!(
        asked(&flow),
        ["first_hop_rtt_loaded_ns", "line_bps"],
        "{:#?}",
        flow.missing
    );
}
