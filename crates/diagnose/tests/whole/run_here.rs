//! What tools printed on this machine is read as it was meant. Versions: iperf3 3.12, iperf 2.1.8, iproute2 6.1, iputils
//! 20221126, mtr 0.95, traceroute 2.1.2, fping 5.1, nuttcp 6.1.2, ethtool 6.1, net-tools 2.10, procps 4.0.2, on Linux 6.18.

use farpath_diagnose::{Facts, Of, Source, Value, read};

macro_rules! printed {
    ($name:literal) => {
        include_bytes!(concat!("../data/run/", $name))
    };
}

fn facts(bytes: &[u8]) -> Facts {
    read(&[Source {
        name: "t".to_owned(),
        bytes: bytes.to_vec(),
    }])
}

/// The last number of this name.
#[track_caller]
fn number(facts: &Facts, name: &str) -> f64 {
    let found = facts.facts.iter().rev().find_map(|f| match &f.value {
        Value::Number(figure) if f.name == name => Some(figure.value),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("no {name} in {:?}", facts.facts))
}

#[track_caller]
fn close(actual: f64, wanted: f64) {
    assert!(
        (actual / wanted - 1.0).abs() < 1e-3,
        "{actual} is not {wanted}"
    );
}

/// Everything in it is one tool's, and no line is left.
#[track_caller]
fn all_of(facts: &Facts, tool: &str) {
    let others: Vec<_> = facts.pieces.iter().filter(|p| p.tool != tool).collect();
    assert!(others.is_empty() && !facts.pieces.is_empty(), "{others:?}");
    assert_eq!(facts.ignored, [Vec::<u32>::new()], "{tool}");
}

#[test]
fn iperf3_of_both_ends() {
    let f = facts(printed!("iperf3-client.txt"));
    all_of(&f, "iperf3");
    let [test] = &f.tests[..] else {
        panic!("{:?}", f.tests)
    };
    assert_eq!(
        (test.from.host.as_str(), test.to.host.as_str()),
        ("192.0.2.1", "192.0.2.2")
    );
    close(test.sent.as_ref().expect("sent").goodput.value, 1.44e9);
    close(
        test.received.as_ref().expect("received").goodput.value,
        1.42e9,
    );
    close(test.numbers["retransmits"].value, 653.0);
    assert_eq!(test.rows.len(), 4);
    assert_eq!(test.rows[0].retransmits, Some(648.0));
    let f = facts(printed!("iperf3-server.txt"));
    all_of(&f, "iperf3");
    assert_eq!(f.tests[0].from.port, Some(32774));
    close(
        f.tests[0]
            .received
            .as_ref()
            .expect("received")
            .goodput
            .value,
        1.42e9,
    );
    assert!(f.tests[0].sent.is_none());
}

#[test]
fn iperf3_backwards_in_parallel_and_both_ways() {
    let f = facts(printed!("iperf3-reverse.txt"));
    let [test] = &f.tests[..] else {
        panic!("{:?}", f.tests)
    };
    assert_eq!((test.from.host.as_str(), test.streams), ("192.0.2.2", 2));
    close(
        test.received.as_ref().expect("received").goodput.value,
        2.59e9,
    );
    close(test.numbers["retransmits"].value, 5.0);
    close(test.rows[0].bps, 4.69e9);
    assert_eq!(test.words["cc"], "bbr");
    let f = facts(printed!("iperf3-bidir.txt"));
    all_of(&f, "iperf3");
    let [there, back] = &f.tests[..] else {
        panic!("{:?}", f.tests)
    };
    assert_eq!(
        (there.to.host.as_str(), back.to.host.as_str()),
        ("192.0.2.2", "192.0.2.1")
    );
    close(
        there.received.as_ref().expect("received").goodput.value,
        462e6,
    );
    close(
        back.received.as_ref().expect("received").goodput.value,
        475e6,
    );
    let f = facts(printed!("iperf3-udp.txt"));
    assert!(f.tests[0].udp);
    close(f.tests[0].numbers["datagrams"].value, 3433.0);
}

#[test]
fn iperf3_json() {
    let f = facts(printed!("iperf3.json"));
    all_of(&f, "iperf3");
    let test = &f.tests[0];
    assert_eq!(test.to.port, Some(5201));
    assert_eq!(test.rows.len(), 2);
    close(test.rows[0].bps, 927_823_338.9);
    assert!(test.received.is_some() && test.numbers.contains_key("rtt_loaded_ns"));
}

#[test]
fn iperf2_of_both_ends() {
    let f = facts(printed!("iperf2-client.txt"));
    all_of(&f, "iperf2");
    let [test] = &f.tests[..] else {
        panic!("{:?}", f.tests)
    };
    close(test.sent.as_ref().expect("sent").goodput.value, 467e6);
    close(
        test.numbers["send_buffer_requested_bytes"].value,
        256.0 * 1024.0,
    );
    close(test.numbers["handshake_rtt_ns"].value, 70e3);
    assert_eq!(test.rows.len(), 3);
    let f = facts(printed!("iperf2-e.txt"));
    let [test] = &f.tests[..] else {
        panic!("{:?}", f.tests)
    };
    assert_eq!(test.streams, 2);
    close(test.sent.as_ref().expect("sent").goodput.value, 1.47e9);
    close(test.numbers["retransmits"].value, 151.0);
    let f = facts(printed!("iperf2-server.txt"));
    all_of(&f, "iperf2");
    let rates: Vec<f64> = f
        .tests
        .iter()
        .map(|t| t.received.as_ref().expect("received").goodput.value)
        .collect();
    assert_eq!(rates, [472e6, 1.47e9, 430e6]);
    close(
        f.tests[0].numbers["receive_buffer_bytes"].value,
        256.0 * 1024.0,
    );
    for bytes in [
        &printed!("iperf2-udp.txt")[..],
        printed!("iperf2-udp-server.txt"),
    ] {
        let f = facts(bytes);
        assert!(f.tests[0].udp);
        close(f.tests[0].numbers["datagrams"].value, 1787.0);
        assert!(f.tests[0].received.is_some());
    }
}

#[test]
fn ss_of_both_ends() {
    let f = facts(printed!("ss-sender.txt"));
    all_of(&f, "ss");
    assert_eq!(f.sockets.len(), 2);
    assert_eq!(
        (f.sockets[1][0].port, f.sockets[1][1].host.as_str()),
        (Some(32774), "192.0.2.2")
    );
    let said = |name: &str| {
        f.facts.iter().find_map(|x| match &x.value {
            Value::Number(v) if x.of == Of::Socket(1) && x.name == name => Some(v.value),
            _ => None,
        })
    };
    assert_eq!(said("rtt_loaded_ns"), Some(1.597e6));
    assert_eq!(said("rtt_min_ns"), Some(3000.0));
    assert_eq!(said("cwnd_bytes"), Some(1726.0 * 1448.0));
    assert_eq!(said("bytes_retransmitted"), Some(936_840.0));
    assert_eq!(said("rwnd_limited_ratio"), Some(8.0 / 812.0));
    assert_eq!(said("delivery_bps"), Some(10_638_367_344.0));
    let f = facts(printed!("ss-receiver.txt"));
    all_of(&f, "ss");
    assert_eq!(f.sockets[1][1].host, "192.0.2.1");
}

#[test]
fn pings_and_traces() {
    for (bytes, tool, least_ms) in [
        (&printed!("ping-linux.txt")[..], "ping", 0.049),
        (printed!("fping.txt"), "ping", 0.047),
        (printed!("mtr.txt"), "mtr", 0.1),
        (printed!("mtr.json"), "mtr", 0.071),
    ] {
        let f = facts(bytes);
        close(number(&f, "rtt_min_ns"), least_ms * 1e6);
        close(number(&f, "ping_received"), 3.0);
        assert!(f.pieces.iter().all(|p| p.tool == tool), "{:?}", f.pieces);
    }
    let f = facts(printed!("traceroute.txt"));
    assert!(number(&f, "rtt_min_ns") > 1000.0 && f.pieces[0].tool == "traceroute");
    let f = facts(printed!("tracepath.txt"));
    all_of(&f, "tracepath");
    close(number(&f, "mtu_bytes"), 1500.0);
}

#[test]
fn hosts() {
    let f = facts(printed!("ethtool.txt"));
    all_of(&f, "ethtool");
    close(number(&f, "nic_bps"), 1e10);
    all_of(&facts(printed!("ip-s-link.txt")), "ip");
    let f = facts(printed!("tc-s-qdisc.txt"));
    all_of(&f, "tc");
    close(number(&f, "shaper_bps"), 1e8);
    let f = facts(printed!("netstat-s.txt"));
    close(number(&f, "host_retransmits"), 946.0);
    let f = facts(printed!("nstat.txt"));
    all_of(&f, "nstat");
    close(number(&f, "host_retransmits"), 946.0);
    all_of(
        &facts(printed!("softnet_stat.txt")),
        "/proc/net/softnet_stat",
    );
    let f = facts(printed!("snmp.txt"));
    all_of(&f, "/proc/net/snmp");
    assert!(number(&f, "host_segments") > 1e6);
    let f = facts(printed!("sysctl.txt"));
    all_of(&f, "sysctl");
    assert!(number(&f, "rmem_max_bytes") > 1e6);
}

#[test]
fn nuttcp_with_intervals_and_without() {
    let f = facts(printed!("nuttcp.txt"));
    all_of(&f, "nuttcp");
    let [first, second] = &f.tests[..] else {
        panic!("{:?}", f.tests)
    };
    close(
        first.received.as_ref().expect("a rate").goodput.value,
        635.2166e6,
    );
    assert_eq!((first.rows.len(), second.rows.len()), (2, 0));
    close(first.numbers["handshake_rtt_ns"].value, 0.24e6);
}
