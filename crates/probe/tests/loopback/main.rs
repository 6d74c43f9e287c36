//! Every kind of test between two processes of this machine, over its loopback interface. No speed
//! is asserted: what is exact is, whatever the machine is busy with.

mod clocks;
mod jobs;
mod run;

use farpath_probe::Conductor;
use run::{Run, metric, scenario};

#[test]
fn a_connection_delivers_exactly_its_bytes() {
    let run = Run::of(1, "kind = \"tcp\"\nbytes = \"3 MB\"\nparallel = 2\n");
    let record = run.record();
    assert!(record.valid, "{:?}", record.notes);
    assert_eq!(metric(record, "bytes"), 6e6);
    assert_eq!(record.streams.len(), 2);
    for stream in &record.streams {
        assert_eq!(stream.metrics["bytes"], 3e6);
        let sum: f64 = stream.limited_by.values().sum();
        assert!((sum - 1.0).abs() < 1e-9, "{:?}", stream.limited_by);
    }
    // Everything there is was delivered within the measurement.
    for stream in &record.streams {
        let seconds = stream.metrics["completion_ns"] * 1e-9;
        let goodput = stream.metrics["goodput_bps"];
        assert!((goodput * seconds / 24e6 - 1.0).abs() < 1e-6);
    }
    for name in [
        "completion_ns",
        "cwnd_max_bytes",
        "rtt_min_ns",
        "jain_index",
        "rtos",
    ] {
        assert!(
            record.metrics.contains_key(name),
            "{name}: {:?}",
            record.metrics
        );
    }
    for name in ["goodput_bps", "cwnd_bytes", "in_flight_bytes", "srtt_ns"] {
        let series = &record.series[name];
        assert_eq!(series.t_ns.len(), series.v.len());
        assert!(series.t_ns.is_sorted(), "{name}");
    }
}

#[test]
fn data_flows_back_where_the_test_says_so() {
    let run = Run::of(2, "kind = \"tcp\"\nbytes = \"1 MB\"\nreverse = true\n");
    assert!(run.record().valid, "{:?}", run.record().notes);
    assert_eq!(metric(run.record(), "bytes"), 1e6);
    // The end that listens is the one that writes: it took the connection after it was begun.
    assert_eq!(run.listening_source(), Some(true));
}

#[test]
fn a_test_of_some_time_ends_with_it() {
    let run = Run::of(3, "kind = \"tcp\"\nduration = \"1 s\"\nomit = \"500 ms\"\n");
    let record = run.record();
    assert!(record.valid, "{:?}", record.notes);
    assert_eq!(record.duration_ns, 1_000_000_000);
    let (goodput, bytes) = (metric(record, "goodput_bps"), metric(record, "bytes"));
    assert!(goodput > 0.0);
    // What was delivered in the first 500 ms, and after the end, does not count as goodput.
    assert!(goodput / 8.0 <= bytes);
    let series = &record.series["goodput_bps"];
    assert!(series.t_ns.iter().all(|t| *t <= 1_500_000_000));
}

#[test]
fn a_stream_of_datagrams_is_counted() {
    let run = Run::of(
        4,
        "kind = \"udp\"\nrate = \"8 Mbit/s\"\nsize = 1000\nduration = \"1 s\"\nclass = \"ef\"\n",
    );
    let record = run.record();
    assert!(record.valid, "{:?}", record.notes);
    // 1000 bytes a millisecond: 1000, less what a late program had no time for.
    let (sent, received) = (metric(record, "sent"), metric(record, "received"));
    assert!(sent > 0.0 && sent <= 1000.0, "{sent}");
    assert_eq!(sent, received, "{:?}", record.notes);
    assert_eq!(metric(record, "loss_ratio"), 0.0);
    assert_eq!(metric(record, "sent_bps"), sent * 8000.0);
    assert_eq!(metric(record, "bytes"), received * 1000.0);
    assert_eq!(record.limited_by.as_deref(), Some("application"));
}

#[test]
fn datagrams_leave_together_where_they_are_close() {
    let run = Run::of(
        5,
        "kind = \"udp\"\nrate = \"400 Mbit/s\"\nsize = 500\nduration = \"1 s\"\n",
    );
    let record = run.record();
    assert!(record.valid, "{:?}", record.notes);
    assert!(record.notes.iter().any(|n| n.contains("UDP_SEGMENT")));
    let (sent, received) = (metric(record, "sent"), metric(record, "received"));
    assert!(sent > 0.0 && received > 0.0 && received <= sent);
    let loss = 1.0 - received / sent;
    assert!((metric(record, "loss_ratio") - loss).abs() < 1e-12);
}

#[test]
fn datagrams_at_times_of_their_own_are_those_of_the_simulator() {
    let text = "kind = \"udp\"\nrate = \"1 Mbit/s\"\nsize = 500\nduration = \"1 s\"\narrivals = \"poisson\"\n";
    let run = Run::of(6, text);
    let record = run.record();
    assert!(record.valid, "{:?}", record.notes);
    let expected = run.expected_datagrams();
    assert!(expected > 150, "{expected}");
    assert!(metric(record, "sent") <= expected as f64);
    assert_eq!(metric(record, "sent"), metric(record, "received"));
}

#[test]
fn pings_are_answered() {
    let run = Run::of(7, "kind = \"ping\"\ncount = 4\ninterval = \"20 ms\"\n");
    let record = run.record();
    assert!(record.valid, "{:?}", record.notes);
    assert_eq!(metric(record, "sent"), 4.0);
    assert_eq!(metric(record, "received"), 4.0);
    assert_eq!(metric(record, "loss_ratio"), 0.0);
    let (least, most) = (metric(record, "rtt_min_ns"), metric(record, "rtt_max_ns"));
    assert!(0.0 < least && least <= metric(record, "rtt_p50_ns") && least <= most);
    assert_eq!(record.series["rtt_ns"].v.len(), 4);
    // The kernel says when replies arrived.
    assert_eq!(record.notes, Vec::<String>::new());
}

#[test]
fn pings_over_ipv6_are_answered() {
    let run = Run::of(
        8,
        "kind = \"ping\"\nip = 6\ncount = 2\ninterval = \"10 ms\"\nsize = 1280\n",
    );
    let record = run.record();
    assert!(record.valid, "{:?}", record.notes);
    assert_eq!(metric(record, "received"), 2.0);
}

#[test]
fn requests_are_answered() {
    let run = Run::of(
        9,
        "kind = \"request\"\nblock = \"10 kB\"\nrequests = 20\noutstanding = 3\nparallel = 2\n",
    );
    let record = run.record();
    assert!(record.valid, "{:?}", record.notes);
    assert_eq!(metric(record, "requests"), 40.0);
    assert_eq!(metric(record, "bytes"), 400_000.0);
    assert!(metric(record, "response_min_ns") <= metric(record, "response_avg_ns"));
    assert!(metric(record, "request_rate") > 0.0);
}

#[test]
fn files_are_shared_out_over_connections() {
    let run = Run::of(
        10,
        "kind = \"transfer\"\nfiles = 5\nfile_size = \"100 kB\"\nparallel = 2\npipelining = 2\n",
    );
    let record = run.record();
    assert!(record.valid, "{:?}", record.notes);
    assert_eq!(metric(record, "requests"), 5.0);
    assert_eq!(metric(record, "bytes"), 500_000.0);
    assert_eq!(record.streams[0].metrics["bytes"], 300_000.0);
    assert!(record.notes.iter().any(|n| n.contains("disks")));
}

#[test]
fn flows_come_and_go() {
    let run = Run::of(
        11,
        "kind = \"flows\"\nflows = 12\nspacing = \"5 ms\"\nsizes = { kind = \"fixed\", size = \"20 kB\" }\n",
    );
    let record = run.record();
    assert!(record.valid, "{:?}", record.notes);
    assert_eq!(metric(record, "flows"), 12.0);
    assert_eq!(metric(record, "bytes"), 240_000.0);
    assert_eq!(metric(record, "size_mean_bytes"), 20_000.0);
    assert!(metric(record, "flow_time_p50_ns") <= metric(record, "flow_time_p99_ns"));
}

#[test]
fn a_small_receive_window_is_named() {
    let run = Run::of(
        12,
        "kind = \"tcp\"\nduration = \"500 ms\"\nwindow = \"4 kB\"\n",
    );
    let record = run.record();
    assert!(record.valid, "{:?}", record.notes);
    let shares = &record.streams[0].limited_by;
    // How much of the time the machine had other things to do, it knows best.
    assert!(shares.contains_key("receive_window"), "{shares:?}");
}

#[test]
fn an_algorithm_the_kernel_lacks_is_an_error_that_names_what_it_has() {
    let run = Run::of(13, "kind = \"tcp\"\nbytes = \"1 kB\"\ncc = \"scalable\"\n");
    let record = run.record();
    assert!(!record.valid);
    assert!(record.metrics.is_empty());
    let note = record.notes.join("\n");
    assert!(
        note.contains("scalable") && note.contains("the kernel offers: "),
        "{note}"
    );
}

#[test]
fn nobody_waits_for_an_end_that_failed() {
    // The port of the end that listens is taken: its task fails, and the other end is ordered to stop.
    let taken = std::net::TcpListener::bind("127.31.14.2:5001").expect("a free port");
    let run = Run::of(14, "kind = \"tcp\"\n");
    drop(taken);
    assert!(!run.record().valid);
    let note = run.record().notes.join("\n");
    assert!(note.contains("`b`: bind to 127.31.14.2:5001"), "{note}");
}

#[test]
fn iperf3_runs_a_test() {
    let run = Run::of(
        15,
        "kind = \"tcp\"\nbytes = \"2 MB\"\nparallel = 2\nreverse = true\ntool = \"iperf3\"\n",
    );
    let record = run.record();
    assert!(record.valid, "{:?}", record.notes);
    // It writes whole blocks of 128 KiB.
    let more = metric(record, "bytes") - 4e6;
    assert!((0.0..=2.0 * 131_072.0).contains(&more), "{more}");
    assert!(metric(record, "goodput_bps") > 0.0);
    assert_eq!(record.streams.len(), 2);
    let tool = record.taken.as_ref().and_then(|taken| taken.tool.clone());
    let tool = tool.expect("it says its version");
    assert!(tool.starts_with("iperf 3."), "{tool}");
    assert!(
        record
            .notes
            .iter()
            .any(|n| n.contains(&format!("run by {tool};")))
    );
}

#[test]
fn an_application_that_pauses_is_named() {
    let run = Run::of(
        17,
        "kind = \"request\"\nblock = \"1 kB\"\nthink_time = \"20 ms\"\nduration = \"400 ms\"\n",
    );
    let record = run.record();
    assert!(record.valid, "{:?}", record.notes);
    let shares = &record.streams[0].limited_by;
    assert!(shares.contains_key("application"), "{shares:?}");
}

#[test]
fn a_run_that_is_stopped_ends_and_says_so() {
    let scenario = scenario("", "kind = \"tcp\"\nduration = \"1 h\"\nparallel = 3\n");
    let run = Run::with(18, &scenario, Conductor::stop);
    assert!(!run.record().valid);
    let note = run.record().notes.join("\n");
    assert!(note.contains("stopped before its end"), "{note}");
}

#[test]
fn many_streams_have_descriptors_enough() {
    let run = Run::of(19, "kind = \"tcp\"\nbytes = \"10 kB\"\nparallel = 300\n");
    let record = run.record();
    assert!(record.valid, "{:?}", record.notes);
    assert_eq!(metric(record, "bytes"), 3e6);
    assert_eq!(record.streams.len(), 300);
}
