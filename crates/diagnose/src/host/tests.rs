//! Hosts written by hand: what they allow, what is found, what is to be changed.

use std::collections::BTreeMap;

use farpath_mutate::{Corpus, run};
use farpath_record::survey::{Interface, Place, Setting, Softnet, Survey};

use super::*;

/// Linux 6.18 as it comes: 32 MiB to receive, 4 MiB to send, CUBIC ([TCP](../../../docs/models/tcp.md)).
const AS_IT_COMES: &str = "net.core.netdev_max_backlog = 1000
net.core.rmem_max = 4194304
net.core.wmem_max = 4194304
net.core.default_qdisc = fq_codel
net.ipv4.tcp_adv_win_scale = 1
net.ipv4.tcp_congestion_control = cubic
net.ipv4.tcp_mem = 287898 383866 575796
net.ipv4.tcp_moderate_rcvbuf = 1
net.ipv4.tcp_mtu_probing = 0
net.ipv4.tcp_rmem = 4096 131072 33554432
net.ipv4.tcp_sack = 1
net.ipv4.tcp_slow_start_after_idle = 0
net.ipv4.tcp_timestamps = 1
net.ipv4.tcp_window_scaling = 1
net.ipv4.tcp_wmem = 4096 16384 4194304
";

/// What ESnet's page of 2024 has for 100 Gbit/s: everything at its largest, fq.
const TUNED: &str = "net.core.netdev_max_backlog = 250000
net.core.rmem_max = 2147483647
net.core.wmem_max = 2147483647
net.core.default_qdisc = fq
net.ipv4.tcp_congestion_control = cubic
net.ipv4.tcp_mem = 3000000 6000000 9000000
net.ipv4.tcp_mtu_probing = 1
net.ipv4.tcp_no_metrics_save = 1
net.ipv4.tcp_rmem = 4096 131072 2147483647
net.ipv4.tcp_slow_start_after_idle = 0
net.ipv4.tcp_wmem = 4096 65536 2147483647
";

/// A host of these settings, with a card of 10 Gbit/s and an MTU of 9000.
fn host(settings: &str, changes: &[(&str, &str)]) -> Survey {
    let mut survey = Survey {
        name: Some("dtn1".to_owned()),
        kernel: Some("6.18.44".to_owned()),
        cpus: Some(16),
        memory_bytes: Some(64 << 30),
        page_bytes: 4096,
        default_interface: "eth0".to_owned(),
        interfaces: vec![Interface {
            name: "eth0".to_owned(),
            speed_bps: Some(10_000_000_000),
            duplex: Some("full".to_owned()),
            mtu_bytes: Some(9000),
            driver: Some("mlx5_core".to_owned()),
            qdisc: Some("mq fq".to_owned()),
            offloads: BTreeMap::from([("tso".to_owned(), true)]),
            receive_ring: Some([8192, 8192]),
            ..Interface::default()
        }],
        place: Place {
            privileged: true,
            ..Place::default()
        },
        ..Survey::default()
    };
    let lines = settings.lines().filter_map(|l| l.split_once(" = "));
    for (key, value) in lines.chain(changes.iter().copied()) {
        let setting = Setting {
            value: value.to_owned(),
            file: format!("/proc/sys/{}", key.replace('.', "/")),
        };
        survey.settings.insert(key.to_owned(), setting);
    }
    survey
}

fn judged(survey: &Survey, rate: &str, rtt: &str) -> HostReport {
    let path = PathAsked {
        rate: rate.parse().expect("a rate"),
        rtt: rtt.parse().expect("a time"),
    };
    judge(survey, Some(path), None, "0")
}

fn rules(report: &HostReport) -> Vec<&str> {
    report.findings.iter().map(|f| f.rule.as_ref()).collect()
}

/// 4 194 304 · 8 / 0.15 s = 223.7 Mbit/s to send, and 33 554 432 · 169/256 · 8 / 0.15 s = 1181 Mbit/s to receive.
#[test]
fn a_host_as_it_comes_is_limited_by_its_send_buffer() {
    let report = judged(&host(AS_IT_COMES, &[]), "10Gbit/s", "150ms");
    let verdict = &report.verdict;
    assert_eq!(
        verdict.text,
        "This host allows 224 Mbit/s on 10 Gbit/s, 150 ms: tcp_wmem limits"
    );
    assert_eq!(
        (verdict.way, verdict.by.as_str()),
        (Some(Way::Send), "net.ipv4.tcp_wmem")
    );
    assert_eq!(
        (verdict.cause, verdict.enough),
        ("send_buffer", Some(false))
    );
    let near = |value: Option<f64>, wanted: f64| {
        let value = value.expect("it is known");
        assert!((value / wanted - 1.0).abs() < 0.001, "{value} {wanted}");
    };
    near(verdict.send_bps, 223.696e6);
    near(verdict.receive_bps, 1181.4e6);
    // 8948 of 9038 bytes of a frame are payload.
    near(verdict.wanted_bps, 9.9004e9);
    assert!(report.has_findings());
    let first = &report.changes[0];
    assert_eq!(first.commands[0], "sysctl -w net.core.wmem_max=536870912");
    assert_eq!(
        first.undo[1],
        "sysctl -w net.ipv4.tcp_wmem=\"4096 16384 4194304\""
    );
    assert!(first.risk.contains("68719476736 bytes"), "{}", first.risk);
    // What is left is the line, or the card, which is as fast.
    near(first.predicted_bps, 9.9004e9);
    assert_eq!(report.changes.len(), 2, "one each way");
    let from = &report.ceilings[0].ceiling.from;
    assert_eq!(from, &["/proc/sys/net/ipv4/tcp_wmem"]);
}

#[test]
fn a_tuned_host_allows_the_path() {
    let report = judged(&host(TUNED, &[]), "10Gbit/s", "150ms");
    assert_eq!(report.verdict.enough, Some(true), "{:?}", report.verdict);
    assert!(report.verdict.text.ends_with("the path itself limits") || report.verdict.by == "eth0");
    assert!(!report.has_findings(), "{:?}", report.findings);
    assert!(report.changes.is_empty(), "{:?}", report.changes);
    // RFC 9438 §4.2: K = ∛(20 954 segments · 0.3 / 0.4) = 25.0 s, of 187.5 MB in segments of 8948.
    let congestion = report.congestion.expect("a path was named");
    assert!((congestion.recovery_s.expect("CUBIC has one") - 25.05).abs() < 0.1);
    assert_eq!(congestion.window_bytes, 187.5e6);
}

/// Kernels before 6.6 offer half of a buffer: 6 291 456 / 2 · 8 / 0.1 s = 251.7 Mbit/s.
#[test]
fn the_kernels_release_decides_what_of_a_buffer_is_window() {
    let old = [
        ("net.ipv4.tcp_rmem", "4096 131072 6291456"),
        ("net.ipv4.tcp_wmem", "4096 16384 67108864"),
    ];
    let mut survey = host(AS_IT_COMES, &old);
    survey.kernel = Some("5.15.0-105-generic".to_owned());
    let report = judged(&survey, "1Gbit/s", "100ms");
    let received = report.verdict.receive_bps.expect("it is known");
    assert!((received / 251.66e6 - 1.0).abs() < 0.001, "{received}");
    assert_eq!(report.verdict.by, "net.ipv4.tcp_rmem");
    survey.kernel = Some("6.6.0".to_owned());
    let report = judged(&survey, "1Gbit/s", "100ms");
    let received = report.verdict.receive_bps.expect("it is known");
    assert!(
        (received / 332.26e6 - 1.0).abs() < 0.001,
        "169/256 of it: {received}"
    );
}

/// The receiver of the simulator has the same rules, measured on Linux 6.18.
#[test]
fn windows_are_those_of_the_model() {
    use farpath_tcp::Profile;
    for (most, kernel, profile) in [
        (6_291_456_u64, "6.18.1", Profile::Linux6),
        (33_554_432, "6.18.1", Profile::Linux6),
        (33_554_432, "5.15.1", Profile::Linux5),
        (2_147_483_647, "6.18.1", Profile::Linux6),
    ] {
        for core in [200_000_u64, 212_992, 4_194_304, 67_108_864] {
            let (triple, core_text) = (format!("4096 131072 {most}"), core.to_string());
            let mut survey = host(
                AS_IT_COMES,
                &[
                    ("net.ipv4.tcp_rmem", &triple),
                    ("net.core.rmem_max", &core_text),
                ],
            );
            survey.kernel = Some(kernel.to_owned());
            let report = judged(&survey, "1Gbit/s", "8s");
            let of = |by: &str| {
                let all = &report.ceilings;
                let mine = all.iter().find(|c| c.by == by).expect("it is there");
                mine.ceiling.limit_bps
            };
            let off = |got: f64, model: u64| (got - model as f64).abs();
            let grown = profile.grown_window(most);
            assert!(
                off(of("net.ipv4.tcp_rmem"), grown) <= 2.0,
                "{kernel} {most}: {grown}"
            );
            let asked = profile.receive_window(core, core);
            let got = of("net.core.rmem_max");
            // The model's older kernels know no scale that is too small.
            let bound = if profile == Profile::Linux6 {
                2.0
            } else {
                core as f64 * 0.1
            };
            assert!(off(got, asked) <= bound, "{kernel} {core}: {got} {asked}");
        }
    }
}

/// `config check` judges a file of settings, `host` a host that has them: 2 · 212 992 · 169/256 bytes are 281 215, and a scale of 2
/// says 262 140 of them, 23.3 Mbit/s at 90 ms.
#[test]
fn a_window_that_is_asked_for_is_what_config_check_says() {
    use farpath_config::{Dialect, Source, check_with, qos::Options};
    for (most, of) in [(212_992, "23.3 Mbit/s"), (400_000, "46.6 Mbit/s")] {
        for way in ["r", "w"] {
            let key = format!("net.core.{way}mem_max");
            let value = format!("{most}");
            let survey = host(AS_IT_COMES, &[(key.as_str(), value.as_str())]);
            let report = judged(&survey, "1Gbit/s", "90ms");
            let mine = report.ceilings.iter().find(|c| c.by == key);
            let host = mine.expect("it is a ceiling").ceiling.limit_bps;
            let source = Source {
                name: "99-net.conf".to_owned(),
                text: format!("{key} = {most}\n"),
            };
            let options = Options {
                rtt: Some(Duration::from_ms(90)),
                rate: Rate::from_bps(1_000_000_000),
                kernel: Some((6, 18)),
                ..Options::default()
            };
            let found = check_with(&[source], &[Some(Dialect::Hosts)], &options).findings;
            let said = found
                .iter()
                .find(|f| f.rule == "HOST003")
                .expect("it is low");
            assert!(
                said.text.contains(&format!("allows {}", bps(host))),
                "{} {host}",
                said.text
            );
            assert!(way == "w" || said.text.contains(of), "{}", said.text);
        }
    }
}

#[test]
fn settings_that_are_off_are_found_and_turned_on() {
    let off = [
        ("net.ipv4.tcp_window_scaling", "0"),
        ("net.ipv4.tcp_sack", "0"),
        ("net.ipv4.tcp_congestion_control", "reno"),
    ];
    let report = judged(&host(TUNED, &off), "10Gbit/s", "150ms");
    // 65 535 · 8 / 0.15 s.
    assert!(
        report.verdict.text.contains("3.50 Mbit/s"),
        "{}",
        report.verdict.text
    );
    for rule in ["HOST005", "HOST006", "HOST009"] {
        assert!(
            rules(&report).contains(&rule),
            "{rule}: {:?}",
            rules(&report)
        );
    }
    let commands: Vec<&String> = report.changes.iter().flat_map(|c| &c.commands).collect();
    for command in [
        "sysctl -w net.ipv4.tcp_window_scaling=1",
        "sysctl -w net.ipv4.tcp_sack=1",
        "sysctl -w net.ipv4.tcp_congestion_control=cubic",
    ] {
        assert!(commands.iter().any(|c| *c == command), "{commands:?}");
    }
    let undone: Vec<&String> = report.changes.iter().flat_map(|c| &c.undo).collect();
    assert!(
        undone
            .iter()
            .any(|c| *c == "sysctl -w net.ipv4.tcp_congestion_control=reno")
    );
    // Half of 20 954 segments, a round trip of 150 ms each (RFC 5681 §3.1): 26 minutes.
    let congestion = report.congestion.expect("a path was named");
    assert!((congestion.recovery_s.expect("Reno has one") / 1571.5 - 1.0).abs() < 0.01);
}

#[test]
fn an_interface_is_judged_by_the_path_it_carries() {
    let mut survey = host(TUNED, &[]);
    let card = &mut survey.interfaces[0];
    card.speed_bps = Some(1_000_000_000);
    card.duplex = Some("half".to_owned());
    card.mtu_bytes = Some(1500);
    card.qdisc = Some("pfifo_fast".to_owned());
    card.offloads = BTreeMap::from([("gro".to_owned(), false)]);
    card.receive_ring = Some([512, 8192]);
    card.statistics = BTreeMap::from([
        ("rx_missed_errors".to_owned(), 40),
        ("rx_packets".to_owned(), 1_000_000),
    ]);
    let report = judged(&survey, "10Gbit/s", "20ms");
    assert_eq!(report.verdict.cause, "nic");
    assert!(report.verdict.text.ends_with("the interface eth0 limits"));
    let found = rules(&report);
    for rule in [
        "HOST102", "HOST104", "HOST105", "HOST107", "HOST109", "HOST110", "HOST111",
    ] {
        assert!(found.contains(&rule), "{rule}: {found:?}");
    }
    let text = format!("{:?}", report.findings);
    for command in [
        "tc qdisc replace dev eth0 root fq",
        "to undo: tc qdisc replace dev eth0 root pfifo_fast",
        "ethtool -K eth0 gro on",
        "ethtool -G eth0 rx 8192",
        "to undo: ethtool -G eth0 rx 512",
    ] {
        assert!(text.contains(command), "{command}");
    }
    // BBR paces itself.
    let bbr = host(TUNED, &[("net.ipv4.tcp_congestion_control", "bbr")]);
    let mut survey = bbr;
    survey.interfaces[0].qdisc = Some("pfifo_fast".to_owned());
    assert!(!rules(&judged(&survey, "10Gbit/s", "20ms")).contains(&"HOST104"));
}

/// What shapes at the root stays, and another `mq` is taken away again: to replace one by one of its kind changes nothing.
#[test]
fn a_root_is_had_again_as_it_was() {
    let said = |qdisc: &str| {
        let mut survey = host(TUNED, &[]);
        survey.interfaces[0].qdisc = Some(qdisc.to_owned());
        format!("{:?}", judged(&survey, "10Gbit/s", "20ms").findings)
    };
    let kept = said("htb");
    assert!(kept.contains("keep the htb"), "{kept}");
    assert!(!kept.contains("root fq"), "{kept}");
    let each = said("mq fq_codel");
    for words in [
        "tc qdisc replace dev eth0 root handle 100: mq",
        "then tc qdisc del dev eth0 root",
    ] {
        assert!(each.contains(words), "{words}: {each}");
    }
}

/// 1000 pages of 4096 bytes for all connections: 4 096 000 · 8 / 0.15 s to send.
#[test]
fn the_memory_of_all_connections_is_a_ceiling() {
    let report = judged(
        &host(TUNED, &[("net.ipv4.tcp_mem", "500 1000 2000")]),
        "10Gbit/s",
        "150ms",
    );
    assert_eq!(report.verdict.by, "net.ipv4.tcp_mem");
    assert!(
        report.verdict.text.contains("144 Mbit/s"),
        "{}",
        report.verdict.text
    );
    assert!(rules(&report).contains(&"HOST103"));
    // Four windows of 187.5 MB are 183 105 pages.
    let commands = &report.changes[0].commands;
    assert_eq!(
        commands,
        &["sysctl -w net.ipv4.tcp_mem=\"137328 183105 274656\""]
    );
    assert_eq!(
        report.changes[0].undo,
        ["sysctl -w net.ipv4.tcp_mem=\"500 1000 2000\""]
    );
    assert_eq!(report.changes.len(), 1);
}

/// Without scaling no window is larger than 65 535 bytes, whatever buffers and memory there are: they limit nothing then.
#[test]
fn window_scaling_is_turned_on_before_any_window_is_raised() {
    let small = [
        ("net.ipv4.tcp_window_scaling", "0"),
        ("net.ipv4.tcp_rmem", "4096 131072 262144"),
    ];
    let report = judged(&host(AS_IT_COMES, &small), "1Gbit/s", "20ms");
    let verdict = &report.verdict;
    assert_eq!(
        (verdict.by.as_str(), verdict.cause),
        (SCALING, "no_window_scaling")
    );
    assert!(
        verdict.text.contains("26.2 Mbit/s") && verdict.text.ends_with("tcp_window_scaling limits")
    );
    let first = &report.changes[0];
    assert_eq!(first.commands, ["sysctl -w net.ipv4.tcp_window_scaling=1"]);
    // 262 144 · 169/256 · 8 / 20 ms, which is the receiver's; the lowest that is left once scaling is on.
    let after = first.predicted_bps.expect("windows are known");
    assert!((after / 69.2e6 - 1.0).abs() < 0.01, "{after}");
    // The window by itself gives nothing.
    let window = &report.changes[1];
    assert!(
        window
            .commands
            .iter()
            .any(|c| c.starts_with("sysctl -w net.ipv4.tcp_rmem"))
    );
    assert_eq!(window.predicted_bps, None);
    let commands = format!("{:?}", report.changes);
    assert!(
        !commands.contains("tcp_mem"),
        "there is room for far more: {commands}"
    );
    assert!(!rules(&report).contains(&"HOST103"), "{:?}", rules(&report));
}

#[test]
fn no_setting_is_made_smaller_and_none_without_a_gain() {
    // Half of 64 MiB is less than these 40 MB.
    let mut survey = host(TUNED, &[("net.ipv4.tcp_mem", "7500 10000 20000")]);
    survey.memory_bytes = Some(1 << 26);
    let report = judged(&survey, "10Gbit/s", "150ms");
    assert_eq!(report.verdict.by, "net.ipv4.tcp_mem");
    let commands = format!("{:?}", report.changes);
    assert!(!commands.contains("tcp_mem"), "{commands}");
    // Of three numbers those that are large enough stay.
    let report = judged(
        &host(TUNED, &[("net.ipv4.tcp_mem", "500 1000 9000000")]),
        "10Gbit/s",
        "150ms",
    );
    let first = &report.changes[0].commands;
    assert_eq!(
        first,
        &["sysctl -w net.ipv4.tcp_mem=\"137328 183105 9000000\""]
    );
    // The kernel's own tuning fills the path: only programs that ask for a buffer get less.
    let asked = [
        ("net.core.rmem_max", "212992"),
        ("net.ipv4.tcp_wmem", "4096 16384 33554432"),
    ];
    let report = judged(&host(AS_IT_COMES, &asked), "1Gbit/s", "100ms");
    assert_eq!(report.verdict.enough, Some(true), "{:?}", report.verdict);
    assert!(rules(&report).contains(&"HOST101"));
    assert!(report.changes.is_empty(), "{:?}", report.changes);
}

#[test]
fn a_way_that_could_not_be_read_is_unknown() {
    let settings = "net.ipv4.tcp_rmem = 4096 131072 262144\n";
    let report = judged(&host(settings, &[]), "1Gbit/s", "20ms");
    assert_eq!(
        report.verdict.text,
        "This host allows 69.2 Mbit/s receiving on 1 Gbit/s, 20 ms: tcp_rmem limits; \
         sending is unknown: tcp_wmem could not be read"
    );
    assert_eq!(
        (report.verdict.send_bps, report.verdict.enough),
        (None, Some(false))
    );
    // One way that is enough does not make the host enough.
    let report = judged(&host(settings, &[]), "10Mbit/s", "20ms");
    assert!(
        report
            .verdict
            .text
            .contains("the path itself limits; sending is unknown")
    );
    assert_eq!(report.verdict.enough, None);
    let nothing = judged(&host("net.ipv4.tcp_sack = 1\n", &[]), "1Gbit/s", "20ms");
    assert_eq!(
        (nothing.verdict.allows_bps, nothing.verdict.enough),
        (None, None)
    );
    assert!(
        nothing
            .verdict
            .text
            .ends_with("neither tcp_rmem nor tcp_wmem could be read")
    );
}

#[test]
fn counters_are_findings_by_their_share() {
    let mut survey = host(TUNED, &[("net.ipv4.tcp_no_metrics_save", "0")]);
    for name in [
        "TcpExtPruneCalled",
        "TcpExtListenDrops",
        "TcpExtTCPMemoryPressures",
    ] {
        survey.counters.insert(name.to_owned(), 3);
    }
    survey.softnet = Some(Softnet {
        processed: 1_000,
        dropped: 10,
        squeezed: 0,
    });
    let report = judged(&survey, "1Gbit/s", "10ms");
    let found = rules(&report);
    for rule in ["HOST103", "HOST105", "HOST106", "HOST112", "HOST113"] {
        assert!(found.contains(&rule), "{rule}: {found:?}");
    }
    assert!(report.has_findings());
    assert_eq!(report.verdict.enough, Some(true));
    // Ten of a thousand million are an accident.
    survey.counters.clear();
    survey.softnet = Some(Softnet {
        processed: 1_000_000_000,
        dropped: 10,
        squeezed: 0,
    });
    assert!(!judged(&survey, "1Gbit/s", "10ms").has_findings());
}

#[test]
fn what_a_container_does_not_show_is_unknown_and_no_error() {
    let mut survey = host("net.ipv4.tcp_rmem = 4096 131072 6291456\n", &[]);
    survey.place = Place {
        container: Some("Docker".to_owned()),
        network_namespace: true,
        read_only: true,
        ..Place::default()
    };
    survey.interfaces.clear();
    let report = judged(&survey, "1Gbit/s", "100ms");
    let notes = report.notes.join("\n");
    assert!(
        notes.contains("container") && notes.contains("read-only"),
        "{notes}"
    );
    let unknown = report.unknown.join("\n");
    assert!(unknown.contains("net.core.rmem_max"), "{unknown}");
    assert_eq!(report.verdict.by, "net.ipv4.tcp_rmem");
    let empty = judge(&Survey::default(), None, None, "0");
    assert_eq!(
        (empty.verdict.allows_bps, empty.verdict.cause),
        (None, "unknown")
    );
    assert!(empty.rates.iter().all(|r| r.send_bps.is_none()));
}

#[test]
fn without_a_path_rates_are_shown_at_several_round_trips() {
    let report = judge(&host(AS_IT_COMES, &[]), None, None, "0");
    assert_eq!(
        report.verdict.text,
        "This host allows a connection 336 Mbit/s at 100 ms: tcp_wmem limits"
    );
    assert_eq!((report.verdict.enough, report.rates.len()), (None, 5));
    // At 1 ms the card is the limit; at 200 ms 4 MiB are 167.8 Mbit/s, and twice as much for who asks.
    assert_eq!(report.rates[0].send_bps, report.rates[0].receive_bps);
    let far = report.rates[4];
    assert_eq!(far.send_bps, Some(167_772_160.0));
    assert_eq!(far.send_requested_bps, Some(335_544_320.0));
    assert!(report.changes.is_empty());
}

/// A window ends at 65 535 · 2¹⁴ bytes (RFC 7323 §2.3): 100 Gbit/s over 200 ms hold 2.5 GB.
#[test]
fn a_path_beyond_the_largest_window_needs_several_connections() {
    let report = judged(&host(AS_IT_COMES, &[]), "100Gbit/s", "200ms");
    let commands = report.changes[0].commands.join("\n");
    assert!(
        commands.contains("and 3 connections side by side"),
        "{commands}"
    );
    // Of 1.08 GB on the line 1.06 are payload, which one window holds.
    let one = judged(&host(AS_IT_COMES, &[]), "100Gbit/s", "86ms");
    assert!(!format!("{:?}", one.changes).contains("side by side"));
    let tuned = judged(&host(TUNED, &[]), "400Gbit/s", "1s");
    let of = |by: &str| {
        tuned
            .ceilings
            .iter()
            .find(|c| c.by == by)
            .map(|c| c.ceiling.limit_bps)
    };
    assert_eq!(
        of("net.ipv4.tcp_wmem"),
        Some((65_535_u64 << 14) as f64 * 8.0)
    );
    // No setting makes a larger one, and the memory of all connections is of several.
    let text = tuned.findings.iter().map(|f| f.text.as_str());
    let text: Vec<&str> = text.filter(|t| t.contains("no larger window")).collect();
    assert_eq!(
        text,
        ["TCP has no larger window: 8.59 Gbit/s a connection, of 396 Gbit/s wanted"]
    );
    let commands = tuned.changes.iter().flat_map(|c| &c.commands);
    assert!(
        !commands
            .clone()
            .any(|c| c.contains("mem=") && !c.contains("tcp_mem="))
    );
    assert_eq!(
        of("net.ipv4.tcp_mem"),
        Some(6_000_000.0 * 4096.0 * 0.66 * 8.0)
    );
}

#[test]
fn mutated_settings_give_a_document_of_numbers() {
    let odd = ["-1", "nan", "18446744073709551616", "0", "é", "=", "\n"];
    let corpus = Corpus::of([AS_IT_COMES, TUNED]).odd(&odd).by_lines(6);
    run(&corpus, |text, luck| {
        let mut survey = host(text, &[]);
        survey.page_bytes = if luck.odds(4) { u64::MAX } else { 4096 };
        let report = match luck.odds(2) {
            true => judged(&survey, "10Gbit/s", "150ms"),
            false => judge(&survey, None, None, "0"),
        };
        for c in &report.ceilings {
            for value in [c.ceiling.limit_bps, c.ceiling.low_bps, c.ceiling.high_bps] {
                assert!(value.is_finite() && value >= 0.0, "{c:?}");
            }
        }
        let json = serde_json::to_string(&report).expect("numbers are finite");
        assert!(!json.is_empty());
        "judged"
    });
}
