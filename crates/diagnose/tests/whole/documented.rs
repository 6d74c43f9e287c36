//! What the tools' documentation says they print, where they cannot be run here: written anew after their manuals.

use farpath_diagnose::{Facts, Source, Value, read};

fn facts(text: &str) -> Facts {
    read(&[Source {
        name: "t".to_owned(),
        bytes: text.as_bytes().to_vec(),
    }])
}

#[track_caller]
fn gives(text: &str, tool: &str, wanted: &[(&str, f64)]) {
    let f = facts(text);
    assert!(
        f.pieces.iter().any(|p| p.tool == tool),
        "{tool}: {:?}",
        f.pieces
    );
    for (name, value) in wanted {
        let mut all: Vec<f64> = Vec::new();
        for fact in f.facts.iter().filter(|x| x.name == *name) {
            if let Value::Number(v) = &fact.value {
                all.push(v.value);
            }
        }
        for test in &f.tests {
            all.extend(test.numbers.get(name).map(|v| v.value));
            if *name == "goodput_bps" {
                all.extend(
                    test.received
                        .as_ref()
                        .or(test.sent.as_ref())
                        .map(|r| r.goodput.value),
                );
            }
        }
        let near = |v: &f64| (v - value).abs() <= 1e-6 * value.abs();
        assert!(
            all.iter().any(near),
            "{tool}: {name} is not {value} but {all:?}"
        );
    }
}

#[test]
fn pings_of_other_systems() {
    let ms = 1e6;
    gives(
        "PING b.example (192.0.2.9): 56 data bytes\n64 bytes from 192.0.2.9: icmp_seq=0 ttl=52 time=250.301 ms\n\n--- b.example ping statistics ---\n\
         5 packets transmitted, 4 packets received, 20.0% packet loss\nround-trip min/avg/max/stddev = 250.301/251.0/252.5/0.7 ms\n",
        "ping",
        &[
            ("rtt_min_ns", 250.301 * ms),
            ("rtt_max_ns", 252.5 * ms),
            ("ping_sent", 5.0),
            ("ping_received", 4.0),
        ],
    );
    gives(
        "Pinging 192.0.2.9 with 32 bytes of data:\nReply from 192.0.2.9: bytes=32 time=12ms TTL=54\n\nPing statistics for 192.0.2.9:\n    \
         Packets: Sent = 4, Received = 4, Lost = 0 (0% loss),\nApproximate round trip times in milli-seconds:\n    Minimum = 11ms, Maximum = 13ms, Average = 12ms\n",
        "ping",
        &[
            ("rtt_min_ns", 11.0 * ms),
            ("rtt_avg_ns", 12.0 * ms),
            ("rtt_max_ns", 13.0 * ms),
            ("ping_received", 4.0),
        ],
    );
    // Of a router, after CERN's page of 2004.
    gives(
        "Sending 5, 100-byte ICMP Echos to 192.0.2.61, timeout is 2 seconds:\n!!!!!\nSuccess rate is 100 percent (5/5), round-trip min/avg/max = 580/581/584 ms\n",
        "ping",
        &[("rtt_avg_ns", 581.0 * ms), ("ping_sent", 5.0)],
    );
}

#[test]
fn routes_of_other_systems() {
    gives(
        "Tracing route to b.example [192.0.2.9]\nover a maximum of 30 hops:\n\n  1    <1 ms    <1 ms    <1 ms  192.0.2.1\n  2     *        *        *     Request timed out.\n  \
         3    12 ms    11 ms    13 ms  192.0.2.9\n\nTrace complete.\n",
        "traceroute",
        &[("rtt_min_ns", 11e6), ("rtt_max_ns", 13e6), ("hops", 3.0)],
    );
    gives(
        "traceroute to b.example (192.0.2.9), 64 hops max, 40 byte packets\n 1  r1 (192.0.2.1)  0.512 ms  0.401 ms  0.399 ms\n     MPLS Label=24005 CoS=0 TTL=1 S=1\n 2  * * *\n 3  b (192.0.2.9)  20.1 ms  20.2 ms  20.9 ms\n",
        "traceroute",
        &[("rtt_min_ns", 20.1e6)],
    );
}

#[test]
fn settings_of_other_systems() {
    gives(
        "net.inet.tcp.recvspace: 65536\nnet.inet.tcp.recvbuf_max: 2097152\nkern.ipc.maxsockbuf: 2097152\nnet.inet.tcp.cc.algorithm: cubic\n",
        "sysctl",
        &[
            ("recvspace_bytes", 65_536.0),
            ("recvbuf_max_bytes", 2_097_152.0),
        ],
    );
    gives(
        "net.inet.tcp.doautorcvbuf: 1\nnet.inet.tcp.autorcvbufmax: 4194304\n",
        "sysctl",
        &[("recvbuf_max_bytes", 4_194_304.0)],
    );
    gives(
        "echo \"4096 87380 128388607\" > /proc/sys/net/ipv4/tcp_rmem\necho 128388607 > /proc/sys/net/core/rmem_max\n",
        "sysctl",
        &[
            ("rmem_max_bytes", 128_388_607.0),
            ("core_rmem_max_bytes", 128_388_607.0),
        ],
    );
    // As `grep . FILE ...` prints them, and with slashes.
    gives(
        "/proc/sys/net/ipv4/tcp_wmem:4096\t65536\t600000\n/proc/sys/net/ipv4/tcp_rmem:4096\t131072\t6291456\n",
        "sysctl",
        &[
            ("wmem_max_bytes", 600_000.0),
            ("rmem_max_bytes", 6_291_456.0),
        ],
    );
    gives(
        "net/ipv4/tcp_wmem = 4096 65536 600000\n",
        "sysctl",
        &[("wmem_max_bytes", 600_000.0)],
    );
    gives(
        "Querying active state...\n\nTCP Global Parameters\n----------------------------------------------\nReceive-Side Scaling State          : enabled\n\
         Receive Window Auto-Tuning Level    : disabled\nAdd-On Congestion Control Provider  : cubic\n",
        "netsh",
        &[("recvspace_bytes", 65_535.0)],
    );
}

#[test]
fn other_tests_of_throughput() {
    gives(
        "MIGRATED TCP STREAM TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to b.example () port 0 AF_INET\nRecv   Send    Send\nSocket Socket  Message  Elapsed\n\
         Size   Size    Size     Time     Throughput\nbytes  bytes   bytes    secs.    10^6bits/sec\n\n131072  16384  16384    10.03     941.37\n",
        "netperf",
        &[
            ("goodput_bps", 941.37e6),
            ("receive_buffer_start_bytes", 131_072.0),
        ],
    );
    gives(
        "# local window = 4194304B; remote window = 227328B\n# block size = 8192B\n# MTU: 1500B; MSS: 1448B; Topology guess: Ethernet/PPP\n\
         #(ID) begin, s   end, s   Mb/s  RTT, ms: min         avg         max\n(0)    0.000    1.000      6.912    251.2     252.0    260.1\n(0)    1.000    2.000      7.050    250.9     252.2    260.0\n\
         #(**)   0.000    2.000      6.981    251.2     252.0    260.1\n",
        "thrulay",
        &[
            ("goodput_bps", 6.981e6),
            ("receive_buffer_bytes", 227_328.0),
            ("rtt_loaded_ns", 251.2e6),
        ],
    );
    gives(
        "20050603010203,192.0.2.1,33052,192.0.2.2,5011,3,0.0-5.0,12582912,20132659\n20050603010208,192.0.2.1,33052,192.0.2.2,5011,3,0.0-10.0,25165824,20132660\n",
        "iperf2",
        &[("goodput_bps", 20_132_660.0)],
    );
}

/// 155 MiB/s; of a job that reads and writes the disk moves both.
#[test]
fn disks_that_fio_measures() {
    let read = "   READ: bw=155MiB/s (162MB/s), 155MiB/s-155MiB/s (162MB/s-162MB/s), io=4096MiB (4295MB), run=26400-26400msec\n";
    let write = "  WRITE: bw=51.0MiB/s (53.5MB/s), 51.0MiB/s-51.0MiB/s (53.5MB/s-53.5MB/s), io=1347MiB (1412MB), run=26400-26400msec\n";
    gives(read, "fio", &[("disk_bps", 155.0 * 1_048_576.0 * 8.0)]);
    let both = format!("{read}{write}");
    gives(&both, "fio", &[("disk_bps", 206.0 * 1_048_576.0 * 8.0)]);
}

/// Both ways of a test to the nearest server, and the round trip that it prints.
#[test]
fn tests_to_the_nearest_server() {
    gives(
        "$ speedtest-cli\nRetrieving speedtest.net configuration...\nTesting from Example Telecom (192.0.2.7)...\nRetrieving speedtest.net server list...\n\
         Selecting best server based on ping...\nHosted by Example Net (Berlin) [3.21 km]: 12.345 ms\nTesting download speed....\nDownload: 93.11 Mbit/s\n\
         Testing upload speed....\nUpload: 18.22 Mbit/s\n",
        "speedtest",
        &[
            ("goodput_bps", 93.11e6),
            ("goodput_bps", 18.22e6),
            ("handshake_rtt_ns", 12.345e6),
        ],
    );
    gives(
        "   Speedtest by Ookla\n\n      Server: Example Net - Berlin (id: 1234)\n         ISP: Example Telecom\n\
         Idle Latency:     5.10 ms   (jitter: 0.12ms, low: 4.92ms, high: 5.60ms)\n    Download:   937.21 Mbps (data used: 423.4 MB)\n\
         \x20                12.30 ms   (jitter: 1.20ms, low: 5.10ms, high: 40.00ms)\n      Upload:   513.20 Mbps (data used: 300.0 MB)\n Packet Loss:     0.0%\n",
        "speedtest",
        &[
            ("goodput_bps", 937.21e6),
            ("goodput_bps", 513.2e6),
            ("handshake_rtt_ns", 5.1e6),
            ("rtt_loaded_ns", 12.3e6),
        ],
    );
    // A sentence is not a test.
    assert!(facts("Download: 50 Mbit/s\n").tests.is_empty());
}

#[test]
fn results_in_json() {
    gives(
        "{\"event\":\"start\",\"data\":{\"connected\":[{\"local_host\":\"a\",\"local_port\":40000,\"remote_host\":\"b\",\"remote_port\":5201}],\"test_start\":{\"protocol\":\"TCP\",\"reverse\":0}}}\n\
         {\"event\":\"interval\",\"data\":{\"streams\":[{\"rtt\":20100}],\"sum\":{\"start\":0,\"end\":1,\"bits_per_second\":5e8,\"retransmits\":2}}}\n\
         {\"event\":\"end\",\"data\":{\"sum_sent\":{\"bits_per_second\":5.2e8,\"retransmits\":2,\"seconds\":10},\"sum_received\":{\"bits_per_second\":5.1e8,\"bytes\":6.4e8,\"seconds\":10}}}\n",
        "iperf3",
        &[
            ("goodput_bps", 5.1e8),
            ("retransmits", 2.0),
            ("rtt_loaded_ns", 20.1e6),
        ],
    );
    gives(
        "{\"type\":\"result\",\"timestamp\":\"2026-11-30T10:00:00Z\",\"ping\":{\"jitter\":0.12,\"latency\":5.1,\"low\":4.92,\"high\":5.6},\"download\":{\"bandwidth\":117151250,\"bytes\":423400000,\"elapsed\":3605,\"latency\":{\"iqm\":12.3,\"low\":5.1,\"high\":40.0,\"jitter\":1.2}},\"upload\":{\"bandwidth\":64150000,\"bytes\":300000000,\"elapsed\":5000,\"latency\":{\"iqm\":20.5,\"low\":5.1,\"high\":41.0,\"jitter\":1.3}},\"packetLoss\":1.5,\"isp\":\"Example Telecom\",\"interface\":{\"internalIp\":\"192.0.2.7\",\"name\":\"eth0\"},\"server\":{\"id\":1234,\"host\":\"speed.example\",\"port\":8080,\"name\":\"Example Net\",\"location\":\"Berlin\"}}",
        "speedtest",
        &[
            ("goodput_bps", 937.21e6),
            ("goodput_bps", 513.2e6),
            ("handshake_rtt_ns", 5.1e6),
            ("rtt_loaded_ns", 12.3e6),
            ("rtt_loaded_ns", 20.5e6),
            ("lost_beside_ratio", 0.015),
        ],
    );
    gives(
        "{\"ServerFQDN\":\"mlab1.example\",\"Download\":{\"UUID\":\"x\",\"Throughput\":{\"Value\":93.5,\"Unit\":\"Mbit/s\"},\"Latency\":{\"Value\":11.5,\"Unit\":\"ms\"}}}",
        "ndt7",
        &[("goodput_bps", 93.5e6), ("handshake_rtt_ns", 11.5e6)],
    );
    gives(
        "{\"TCPInfo\":{\"RTT\":20000,\"MinRTT\":19000,\"SndMSS\":1448,\"BytesAcked\":1000000,\"BusyTime\":1000000,\"RWndLimited\":900000,\"ElapsedTime\":1000000}}",
        "ndt7",
        &[("rwnd_limited_ratio", 0.9), ("busy_ratio", 1.0)],
    );
    gives(
        "{\"succeeded\":true,\"intervals\":[],\"summary\":{\"streams\":[{}],\"summary\":{\"start\":0,\"end\":30.0,\"throughput-bits\":9.4e9,\"throughput-bytes\":3.5e10,\"retransmits\":0}}}",
        "pscheduler",
        &[("goodput_bps", 9.4e9), ("retransmits", 0.0)],
    );
    gives(
        "{\"succeeded\":true,\"roundtrips\":[],\"min\":\"PT0.0201S\",\"mean\":\"PT0.0203S\",\"max\":\"PT0.03S\",\"sent\":10,\"received\":9}",
        "pscheduler",
        &[("rtt_min_ns", 20.1e6), ("ping_received", 9.0)],
    );
    gives(
        "{\"metadata\":{\"STEP_SIZE\":0.5},\"x_values\":[0,0.5],\"results\":{\"TCP download\":[10.0,20.0],\"Ping (ms) ICMP\":[30.5,40.0]}}",
        "flent",
        &[("goodput_bps", 15e6), ("rtt_min_ns", 30.5e6)],
    );
    gives(
        "{\"schema\":\"farpath.run/1\",\"records\":[{\"kind\":\"tcp\",\"from\":\"a\",\"to\":\"b\",\"duration_ns\":1e10,\"metrics\":{\"goodput_bps\":4.7e5,\"retransmits\":3}}]}",
        "farpath",
        &[("goodput_bps", 4.7e5), ("retransmits", 3.0)],
    );
}

#[test]
fn routers() {
    gives(
        "GigabitEthernet0/1 is up, line protocol is up\n  Hardware is iGbE, address is 0000.5e00.5301\n  MTU 1500 bytes, BW 100000 Kbit/sec, DLY 100 usec,\n  Half-duplex, 100Mb/s\n     \
         12 input errors, 3 CRC, 0 frame, 0 overrun\n  Input queue: 0/75/0/0; Total output drops: 831\n",
        "show interfaces",
        &[("interface_bps", 1e8), ("interface_errors", 12.0)],
    );
    gives(
        "Physical interface: xe-0/0/0, Enabled, Physical link is Up\n  Link-level type: Ethernet, MTU: 9192, LAN-PHY mode, Speed: 10Gbps, BPDU Error: None\n",
        "show interfaces",
        &[("interface_bps", 1e10)],
    );
    gives(
        "interface GigabitEthernet3/1\n no ip address\n wrr-queue bandwidth 99 1\n wrr-queue cos-map 1 1 0\n wrr-queue cos-map 2 1 1 2 3 4 5 6 7\n switchport\n",
        "ios",
        &[],
    );
}

#[test]
fn several_things_in_one_text_are_told_apart() {
    let text = format!(
        "Hello, our transfer is slow, see below.\n\n{}\nand the ping:\n{}\nThanks!\n[1] 3] nonsense - sec\n",
        include_str!("../data/run/iperf3-client.txt"),
        include_str!("../data/run/ping-linux.txt")
    );
    let f = facts(&text);
    let tools: Vec<&str> = f.pieces.iter().map(|p| p.tool).collect();
    assert_eq!(tools, ["iperf3", "ping"]);
    assert_eq!(f.ignored[0].len(), 4, "{:?}", f.ignored);
}

/// Logs have a time before each line, and those of a system a host and a program, too: what stands behind them is read as it is without.
#[test]
fn what_stands_behind_a_time_is_read() {
    let bare = include_str!("../data/run/iperf3-client.txt");
    let said = |text: &str| {
        let f = facts(text);
        let [test] = &f.tests[..] else {
            panic!("{text}: {:?}", f.pieces)
        };
        let report = test.received.as_ref().map(|r| r.goodput.value);
        (report, test.numbers.len(), f.ignored_count)
    };
    let plain = said(bare);
    assert!(plain.0.is_some());
    for before in [
        "Nov 30 03:12:01 dtn1 iperf3[4711]: ",
        "Nov  3 03:12:01 ",
        "Mon Nov 30 03:12:01 2026 ",
        "2026-11-30T03:12:01+01:00 dtn1 iperf3[4711]: ",
        "[03:12:01] ",
    ] {
        let stamped: String = bare.lines().map(|l| format!("{before}{l}\n")).collect();
        assert_eq!(said(&stamped), plain, "{before}");
    }
}
