//! Connections written by hand as their kernel would have sampled them.

use farpath_diagnose::{Known, diagnose};
use farpath_probe::live::Details;
use farpath_probe::report::Sample;

use super::*;

/// Every 100 ms for 8 s: 1.25 MB/s, 10 Mbit/s, over 40 ms; what the timers count of each second.
struct Made {
    busy: f64,
    window: f64,
    buffer: f64,
    sends: bool,
}

fn made(of: &Made, port: u16) -> Seen {
    let end = |a: u8, port| SocketAddr::from(([192, 0, 2, a], port));
    let details = Details {
        mss: 1448,
        rtt_min_ns: Some(40_000_000),
        receiver_rtt_ns: Some(41_000_000),
        scaled: true,
        has_timers: true,
        ..Details::default()
    };
    let snapshot = |n: u64| {
        // A watch begins in the middle of a connection's life.
        let us = |share: f64| (share * 100_000.0) as u64 * n + 77_000;
        let bytes = 125_000 * n + 5_000_000;
        let (acked, received) = if of.sends { (bytes, 0) } else { (0, bytes) };
        Snapshot {
            sample: Sample {
                t_ns: n * 100_000_000,
                cwnd: 200_000,
                ssthresh: Some(100_000),
                // Nothing is, while nothing is to be sent.
                in_flight: (49_000.0 * of.busy) as u64,
                srtt_ns: 40_000_000,
                busy_us: us(of.busy),
                rwnd_us: us(of.window),
                sndbuf_us: us(of.buffer),
                unsent: Some(90_000),
                window: Some(50_000),
                ..Sample::default()
            },
            acked,
            received,
            sent: Some(bytes),
            resent: Some(0),
            send_buffer: Some(425_984),
            receive_buffer: Some(131_072),
            ..Snapshot::default()
        }
    };
    Seen::new(
        [end(1, port), end(2, 5201)],
        details,
        (0..=80).map(snapshot).collect(),
    )
}

fn watched(connections: Vec<Seen>) -> Watched {
    Watched {
        lasted_ns: 8_000_000_000,
        connections,
        ..Watched::default()
    }
}

const BY_WINDOW: Made = Made {
    busy: 1.0,
    window: 0.95,
    buffer: 0.0,
    sends: true,
};

fn causes(watched: &Watched) -> Vec<&'static str> {
    let (flows, _) = judged(watched);
    let mut facts = facts(&flows, &Survey::default(), &BTreeMap::new());
    Known::default().tell(&mut facts);
    let diagnosis = diagnose(&facts, "0");
    diagnosis.flows.iter().map(|f| f.verdict.cause).collect()
}

/// 50 000 bytes a round trip of 40 ms are 10 Mbit/s, which is what it carried.
#[test]
fn the_kernels_timers_name_what_a_sender_waits_for() {
    let by_window = watched(vec![made(&BY_WINDOW, 40_000)]);
    let (flows, left) = judged(&by_window);
    assert_eq!((flows.len(), left), (1, 0));
    let flow = &flows[0];
    assert!(flow.sends && flow.is_old);
    assert_eq!((flow.bytes, flow.seconds, flow.rows.len()), (1e7, 8.0, 8));
    // What was counted before the watch is left out.
    assert!(flow.shares["receive_window"] >= 0.94, "{:?}", flow.shares);
    assert_eq!(causes(&by_window), ["receive_window"]);
    let buffer = Made {
        window: 0.0,
        buffer: 0.9,
        ..BY_WINDOW
    };
    assert_eq!(causes(&watched(vec![made(&buffer, 1)])), ["send_buffer"]);
    let idle = Made {
        busy: 0.1,
        window: 0.0,
        ..BY_WINDOW
    };
    assert_eq!(causes(&watched(vec![made(&idle, 1)])), ["application"]);
}

#[test]
fn connections_of_one_service_are_judged_each_by_itself() {
    let idle = Made {
        busy: 0.1,
        window: 0.0,
        ..BY_WINDOW
    };
    let both = watched(vec![made(&BY_WINDOW, 40_000), made(&idle, 40_001)]);
    let mut found = causes(&both);
    found.sort_unstable();
    assert_eq!(found, ["application", "receive_window"]);
}

#[test]
fn what_carries_little_beside_the_busiest_is_left_out() {
    let mut control = made(&BY_WINDOW, 40_001);
    for snapshot in &mut control.snapshots {
        snapshot.acked = snapshot.acked.min(5_000_300);
    }
    let many: Vec<Seen> = (0..12).map(|n| made(&BY_WINDOW, 41_000 + n)).collect();
    let all = [vec![control.clone()], many].concat();
    let (flows, left) = judged(&watched(all));
    assert_eq!((flows.len(), left), (JUDGED_MAX, 5));
    let (alone, left) = judged(&watched(vec![control]));
    assert_eq!((alone.len(), left), (1, 0), "alone it is the busiest");
    let mut silent = made(&BY_WINDOW, 1);
    silent.snapshots.iter_mut().for_each(|s| s.acked = 7);
    assert_eq!(judged(&watched(vec![silent])), (Vec::new(), 1));
}

#[test]
fn a_receiver_is_a_flow_towards_this_host() {
    let receiver = Made {
        sends: false,
        ..BY_WINDOW
    };
    let seen = watched(vec![made(&receiver, 40_000)]);
    let (flows, _) = judged(&seen);
    assert!(!flows[0].sends && flows[0].shares.is_empty());
    assert_eq!(flows[0].rtt_ns, Some([41_000_000.0; 3]));
    let facts = facts(&flows, &Survey::default(), &BTreeMap::new());
    let diagnosis = diagnose(&facts, "0");
    assert_eq!(diagnosis.flows[0].name, "192.0.2.2 > 192.0.2.1");
    assert_eq!(diagnosis.flows[0].observed.side, Some("receiver"));
    assert_eq!(now(&seen)[0].limit, None);
}

#[test]
fn the_table_is_of_the_last_second() {
    let mut seen = made(&BY_WINDOW, 40_000);
    // Nothing in the last two seconds.
    let still = seen.snapshots[60].acked;
    for snapshot in &mut seen.snapshots[61..] {
        snapshot.acked = still;
    }
    let busy = made(&BY_WINDOW, 40_001);
    let rows = now(&watched(vec![seen, busy]));
    assert_eq!(
        (rows[0].local.port(), rows[1].local.port()),
        (40_001, 40_000)
    );
    assert!((rows[0].bps / 1e7 - 1.0).abs() < 1e-6, "{}", rows[0].bps);
    assert_eq!(rows[0].limit.as_deref(), Some("receive_window"));
    assert_eq!((rows[1].bps, rows[1].limit.as_deref()), (0.0, None));
    assert_eq!(rows[0].rtt_ns, Some(40_000_000));
}

#[test]
fn counters_are_what_they_grew_by() {
    let of = |all: &[(&str, u64)]| -> BTreeMap<String, u64> {
        all.iter().map(|(n, v)| ((*n).to_owned(), *v)).collect()
    };
    let before = of(&[
        ("TcpRetransSegs", 7),
        ("TcpInErrs", 2),
        ("eth0.rx_crc_errors", 9),
    ]);
    let after = of(&[
        ("TcpRetransSegs", 12),
        ("TcpInErrs", 2),
        ("eth0.rx_crc_errors", 3),
        ("new", 1),
    ]);
    let grew = grown(&before, &after);
    // A counter that begins anew grew by nothing that is known.
    assert_eq!(grew, of(&[("TcpRetransSegs", 5), ("new", 1)]));
}

/// A kernel before 4.10 keeps no timers: the verdict has what its ceilings say.
#[test]
fn without_timers_nothing_is_said_of_the_senders_time() {
    let mut seen = made(&BY_WINDOW, 1);
    seen.details.has_timers = false;
    let all = watched(vec![seen]);
    assert!(judged(&all).0[0].shares.is_empty());
    assert_eq!(causes(&all), ["receive_window"]);
}
