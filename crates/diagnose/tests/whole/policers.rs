//! Policers: a bucket of tokens that was full at the start, and what a cloud's interface counts.

use farpath_diagnose::{Diagnosis, FlowReport, Known};

use crate::{asked, because, commands, first_flow, of, of_files, on};

/// A ping of the idle path, and the head of a test over it of so many intervals.
const HEAD: &str = "$ ping -c 5 -q 198.51.100.7\nPING 198.51.100.7 (198.51.100.7) 56(84) bytes of data.\n\n--- 198.51.100.7 ping statistics ---\n5 packets transmitted, 5 received, 0% packet loss, time 4005ms\nrtt min/avg/max/mdev = 9.811/9.853/9.910/0.031 ms\n\nConnecting to host 198.51.100.7, port 5201\n[  5] local 203.0.113.40 port 40912 connected to 198.51.100.7 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n";

/// A test of such intervals: Mbit/s, and what was sent again in each.
fn log(rows: &[(f64, u32)]) -> String {
    let mut text = HEAD.to_owned();
    for (second, (mbits, again)) in rows.iter().enumerate() {
        let (from, until) = (second as f64, second as f64 + 1.0);
        text.push_str(&format!(
            "[  5]  {from:.2}-{until:.2}  sec  {:.1} MBytes  {mbits:.0} Mbits/sec  {again}   {:.0} KBytes\n",
            mbits / 8.388_608,
            mbits * 1.25
        ));
    }
    let seconds = rows.len() as f64;
    let mean = rows.iter().map(|r| r.0).sum::<f64>() / seconds;
    let again: u32 = rows.iter().map(|r| r.1).sum();
    let mbytes = mean * seconds / 8.388_608;
    text.push_str(&format!(
        "- - - - - - - - - - - - -\n[ ID] Interval           Transfer     Bitrate         Retr\n[  5]   0.00-{seconds:.2}  sec  {mbytes:.0} MBytes  {mean:.0} Mbits/sec  {again}             sender\n[  5]   0.00-{:.2}  sec  {mbytes:.0} MBytes  {mean:.0} Mbits/sec                  receiver\n\niperf Done.\n",
        seconds + 0.01
    ));
    text
}

/// Ten intervals that a policer of 74 Mbit/s or so leaves.
fn policed() -> Vec<(f64, u32)> {
    let of = |n| if n == 0 { (52.0, 45) } else { (70.0, 5) };
    (0..10).map(of).collect()
}

/// The same by two connections side by side, of which neither speaks for the path alone.
fn side_by_side(rows: &[(f64, u32)]) -> String {
    let mut text = HEAD.replace(
        "[ ID]",
        "[  7] local 203.0.113.40 port 40914 connected to 198.51.100.7 port 5201\n[ ID]",
    );
    let line = |of: &str, span: [f64; 2], mbits: f64, again: &str, end: &str| {
        let mbytes = mbits * (span[1] - span[0]) / 8.388_608;
        format!(
            "[{of}]  {:.2}-{:.2}  sec  {mbytes:.1} MBytes  {mbits:.0} Mbits/sec  {again}   {end}\n",
            span[0], span[1]
        )
    };
    for (second, (mbits, again)) in rows.iter().enumerate() {
        let span = [second as f64, second as f64 + 1.0];
        let (half, lost) = (mbits / 2.0, (again / 2).to_string());
        text.push_str(&line("  5", span, half, &lost, "310 KBytes"));
        text.push_str(&line("  7", span, half, &lost, "310 KBytes"));
        text.push_str(&line("SUM", span, *mbits, &again.to_string(), ""));
    }
    let seconds = rows.len() as f64;
    let mean = rows.iter().map(|r| r.0).sum::<f64>() / seconds;
    let again = rows.iter().map(|r| r.1).sum::<u32>();
    text.push_str(
        "- - - - - - - - - - - - -\n[ ID] Interval           Transfer     Bitrate         Retr\n",
    );
    for (of, part) in [("  5", 2), ("  7", 2), ("SUM", 1)] {
        let (mbits, again) = (mean / f64::from(part), (again / part).to_string());
        text.push_str(&line(of, [0.0, seconds], mbits, &again, "sender"));
        text.push_str(&line(of, [0.0, seconds + 0.01], mbits, "", "receiver"));
    }
    text + "\niperf Done.\n"
}

/// Intervals of 412 Mbit/s or so, with losses in each.
fn held(count: usize) -> Vec<(f64, u32)> {
    let row = |n: usize| (408.0 + (n * 7 % 9) as f64, 130 + (n * 31 % 60) as u32);
    (0..count).map(row).collect()
}

fn flow(text: &str) -> FlowReport {
    first_flow(of(text, &on("1Gbit/s")))
}

const TOKENS: &str = "a bucket of tokens that was full";
const STREWN: &str = "% of the line, and others were not";

/// A bucket of tokens lets a burst through and then its rate: the fast start does not speak for a queue that is too short.
#[test]
fn a_fast_start_and_a_flat_rest_is_a_bucket_of_tokens() {
    for start in [
        vec![(938.0, 0), (934.0, 0), (610.0, 240)],
        vec![(560.0, 0), (936.0, 0)],
        vec![(931.0, 12)],
    ] {
        let text = log(&[start.clone(), held(21)].concat());
        let flow = flow(&text);
        assert_eq!(
            flow.verdict.cause, "policer",
            "{start:?} {:#?}",
            flow.verdict
        );
        let because = flow.verdict.because.join("\n");
        assert!(because.contains(TOKENS), "{because}");
        assert!(!because.contains(STREWN), "{because}");
        // What is to be asked for is what lasted, and not the mean with the burst.
        let risk = &flow.changes[0].risk;
        assert!(
            risk.contains("rate (412 Mbit/s passed after the start)"),
            "{risk}"
        );
    }
    let start = [(938.0, 0), (934.0, 0), (610.0, 240)];
    let two = flow(&side_by_side(&[&start[..], &held(21)].concat()));
    assert_eq!(two.verdict.cause, "policer", "{:#?}", two.verdict);
    assert!(
        asked(&two).contains(&"datagram_loss_ratio"),
        "{:#?}",
        two.missing
    );
    // Fast intervals that are strewn in are of a path that carries as much at other times.
    let mut rows = held(24);
    for n in [0, 9, 17] {
        rows[n].0 = 930.0;
    }
    let because = flow(&log(&rows)).verdict.because.join("\n");
    assert!(!because.contains(TOKENS), "{because}");
    // Without losses in most of the later intervals it is a start, and no bucket.
    let calm: Vec<(f64, u32)> = held(21)
        .into_iter()
        .enumerate()
        .map(|(n, (rate, _))| (rate, u32::from(n % 5 == 0) * 300))
        .collect();
    let because = flow(&log(&[vec![(931.0, 12)], calm].concat()))
        .verdict
        .because
        .join("\n");
    assert!(!because.contains(TOKENS), "{because}");
}

/// Datagrams above the rate that lasts show a policer, though the mean with its burst is higher.
#[test]
fn datagrams_are_held_against_the_rate_that_lasts() {
    let burst = vec![(938.0, 0), (934.0, 0), (936.0, 9)];
    let text = log(&[burst, held(15)].concat());
    let datagrams = "\nConnecting to host 198.51.100.7, port 5201\n[  5] local 203.0.113.40 port 51220 connected to 198.51.100.7 port 5201\n[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams\n[  5]   0.00-10.00  sec   566 MBytes   475 Mbits/sec  0.000 ms  0/410000 (0%)  sender\n[  5]   0.00-10.01  sec   496 MBytes   416 Mbits/sec  0.021 ms  50840/410000 (12%)  receiver\n\niperf Done.\n";
    let d = of(&(text + datagrams), &on("1Gbit/s"));
    let tcp = d
        .flows
        .iter()
        .find(|f| f.verdict.because.join("\n").contains(TOKENS));
    let because = tcp.expect("the connection").verdict.because.join("\n");
    assert!(
        because.contains("of datagrams at 475 Mbit/s 12.4 % were lost"),
        "{because}"
    );
}

/// A reading of the limits of an instance: what was beyond what it may send, receive, and in packets a second.
fn allowance([out, inward, packets]: [u32; 3]) -> String {
    format!(
        "[admin@ip-203-0-113-40 ~]$ ethtool -S eth0 | grep allowance\n     bw_in_allowance_exceeded: {inward}\n     bw_out_allowance_exceeded: {out}\n     pps_allowance_exceeded: {packets}\n     conntrack_allowance_exceeded: 0\n     linklocal_allowance_exceeded: 0\n     conntrack_allowance_available: 136812\n"
    )
}

fn with(name: &str, counters: &str) -> Diagnosis {
    let log = side_by_side(&held(24));
    of_files(&[("sender.txt", &log), (name, counters)], &on("1Gbit/s"))
}

#[test]
fn a_cloud_that_counts_what_was_beyond_its_limits_is_a_policer() {
    for (name, grown, of) in [
        (
            "sender-counters.txt",
            [9124, 0, 0],
            "the bandwidth that the instance may send",
        ),
        (
            "receiver-counters.txt",
            [0, 9124, 0],
            "the bandwidth that the instance may receive",
        ),
        (
            "sender-counters.txt",
            [0, 0, 9124],
            "the packets a second of the instance",
        ),
    ] {
        let before = allowance([311, 311, 311]);
        let after = allowance(grown.map(|n| 311 + n));
        let d = with(name, &(before + "\n" + &after));
        let flow = &d.flows[0];
        assert_eq!(flow.verdict.cause, "policer", "{name} {:#?}", flow.verdict);
        assert!(flow.verdict.confidence > 0.9, "{name} {:#?}", flow.verdict);
        let because = flow.verdict.because.join("\n");
        let sentence = format!("9124 packets were beyond {of} from one reading to the next");
        assert!(because.contains(&sentence), "{because}");
        // What the cloud has to give comes first, under the changes.
        let first = &flow.changes[0].commands[0];
        assert!(first.contains("an instance of a larger type"), "{first}");
        assert!(
            !asked(flow).contains(&"allowance_exceeded"),
            "{:#?}",
            flow.missing
        );
        // What `grep` left is of ethtool, whatever its name.
        let ignored = d.read.iter().flat_map(|p| &p.ignored_lines).count();
        assert_eq!(ignored, 0, "{:#?}", d.read);
    }
    // What the sender may receive holds nothing that it sends.
    let d = with(
        "sender-counters.txt",
        &(allowance([5, 311, 0]) + "\n" + &allowance([5, 9435, 0])),
    );
    let because = d.flows[0].verdict.because.join("\n");
    assert!(!because.contains("beyond"), "{because}");
}

/// Counters of a host that nobody ties to either end are not left out without a word.
#[test]
fn a_cloud_that_counts_at_a_host_without_an_end_is_noted() {
    let test = "[noc@ps1 ~]$ iperf3 -c 203.0.113.77 -t 10
Connecting to host 203.0.113.77, port 5201
[  5] local 192.0.2.10 port 51022 connected to 203.0.113.77 port 5201
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00  sec  7.32 GBytes  6.29 Gbits/sec  2603             sender
[  5]   0.00-10.04  sec  7.29 GBytes  6.25 Gbits/sec                  receiver

iperf Done.

";
    let of = |last: u32| {
        let counters = allowance([12, 0, 0]) + "\n" + &allowance([last, 0, 0]);
        of_files(
            &[("t.txt", &format!("{test}{counters}"))],
            &Known::default(),
        )
        .notes
    };
    let said =
        "81209 packets were beyond the bandwidth that the instance may send at ip-203-0-113-40";
    let notes = of(81_221);
    assert!(notes.iter().any(|n| n.contains(said)), "{notes:?}");
    let stood = of(12);
    assert!(
        !stood.iter().any(|n| n.contains("were beyond")),
        "{stood:?}"
    );
}

/// 4.96 Gbit/s is what one connection gets in that cloud; the counter that grew is of the instance, which more connections share.
#[test]
fn a_counter_of_the_instance_is_no_limit_of_one_connection() {
    let rows: Vec<(f64, u32)> = [901, 870, 882, 893, 888, 879, 895, 884]
        .into_iter()
        .map(|again| (4960.0, again))
        .collect();
    let before = allowance([120_311, 0, 0]);
    let of_grown = |grown: u32| {
        let after = allowance([120_311 + grown, 0, 0]);
        let counters = format!("{before}\n{after}");
        let files = [
            ("sender.txt", log(&rows)),
            ("sender-counters.txt", counters),
        ];
        let files = files.each_ref().map(|(name, text)| (*name, text.as_str()));
        of_files(&files, &Known::default()).flows.remove(0)
    };
    let instance = of_grown(7_000);
    let texts = because(&instance);
    assert!(!commands(&instance).contains("placement group"), "{texts}");
    assert_ne!(instance.verdict.cause, "shaper", "{:#?}", instance.verdict);
    assert!(
        texts.contains("5.00 Gbit/s is also what Amazon's cloud gives one connection"),
        "{texts}"
    );
    assert!(
        texts.contains("several side by side get no more"),
        "{texts}"
    );
    // A counter that stood still is of nothing that this flow met.
    let alone = of_grown(0);
    let texts = because(&alone);
    assert!(!texts.contains("get no more"), "{texts}");
}

/// 19.8 Gbit/s of four connections are four times what the cloud gives one, and so is each where one alone had it.
#[test]
fn what_a_cloud_gives_one_connection_holds_each_of_several() {
    const PROMPT: &str = "[ec2-user@ip-10-0-1-10 ~]$ ";
    let end = |id: &str, gbit: f64, again: u32| {
        let gbytes = gbit * 10.0 / 8.589_934_592;
        format!(
            "[{id}]   0.00-10.00  sec  {gbytes:.2} GBytes  {gbit:.2} Gbits/sec   {again}             sender\n[{id}]   0.00-10.00  sec  {gbytes:.2} GBytes  {gbit:.2} Gbits/sec                  receiver\n"
        )
    };
    let local = |id: &str, port: u32| {
        format!("[{id}] local 10.0.1.10 port {port} connected to 10.0.2.20 port 5201\n")
    };
    let head = "[ ID] Interval           Transfer     Bitrate         Retr\n";
    let one = local("  5", 50_110) + head + &end("  5", 4.96, 12);
    let ids = ["  5", "  7", "  9", " 11"];
    let ports = (50_200_u32..).step_by(2);
    let locals: String = ids
        .iter()
        .zip(ports)
        .map(|(id, port)| local(id, port))
        .collect();
    let ends: String = ids.iter().map(|id| end(id, 4.95, 26)).collect();
    let four = locals + head + &ends + &end("SUM", 19.8, 104);
    let host = "ethtool -i ens5 | head -2\ndriver: ena\nversion: 6.1.79\n";
    let ping = "ping -c 4 -q 10.0.2.20\n4 packets transmitted, 4 received, 0% packet loss, time 3050ms\nrtt min/avg/max/mdev = 0.610/0.640/0.671/0.021 ms\n";
    let iperf3 = "iperf3 -c 10.0.2.20 -t 10 -i 0";
    let text =
        format!("{PROMPT}{iperf3}\n{one}{PROMPT}{iperf3} -P 4\n{four}{PROMPT}{host}{PROMPT}{ping}");
    let flows = of(&text, &Known::default()).flows;
    assert_eq!(flows.len(), 2, "{flows:#?}");
    for flow in &flows {
        assert_eq!(flow.verdict.cause, "shaper", "{:#?}", flow.verdict);
        assert!(!commands(flow).contains("bbr"), "{:#?}", flow.changes);
    }
    let says = "each of these 4 side by side has that";
    assert!(because(&flows[1]).contains(says), "{}", because(&flows[1]));
    let more = "more than these 4 connections";
    assert!(
        commands(&flows[1]).contains(more),
        "{}",
        commands(&flows[1])
    );
}

/// An instance's burst and its baseline, as `grep SUM` leaves the intervals, with a heading or without.
#[test]
fn a_burst_of_an_instance_and_what_lasts_are_two_rates() {
    let rates = [4810, 4800, 4810, 1850, 511, 511, 511, 511, 511, 511];
    let again = [11, 4, 7, 9122, 8120, 8011, 8219, 8102, 8077, 8131];
    let mut rows = String::new();
    for (n, (mbit, again)) in rates.into_iter().zip(again).enumerate() {
        rows += &format!(
            "[SUM] {}.00-{}.00 sec  {:.2} GBytes  {mbit} Mbits/sec  {again}\n",
            60 * n,
            60 * (n + 1),
            f64::from(mbit) * 6e7 / 8.0 / 1_073_741_824.0
        );
    }
    rows += "[SUM]   0.00-600.00 sec   135 GBytes  1.93 Gbits/sec  57804             sender\n[SUM]   0.00-600.00 sec   135 GBytes  1.93 Gbits/sec                  receiver\n";
    let prompt = "[admin@ip-203-0-113-40 ~]$ iperf3 -c 10.200.1.9 -t 600 -i 60 -P 4 | grep SUM\n";
    for head in [
        "",
        "[ ID] Interval           Transfer     Bitrate         Retr\n",
    ] {
        let text = format!("{prompt}{head}{rows}{}", allowance([1_923_881, 0, 0]));
        let d = of(&text, &Known::default());
        let flow = &d.flows[0];
        assert_eq!(flow.verdict.cause, "policer", "{:#?}", flow.verdict);
        let texts = because(flow);
        assert!(
            texts.contains("as fast as 4.81 Gbit/s, and all after them 511 Mbit/s"),
            "{texts}"
        );
        assert!(
            commands(flow).contains("an instance of a larger type"),
            "{}",
            commands(flow)
        );
        let ignored = d.read.iter().flat_map(|p| &p.ignored_lines).count();
        assert_eq!(ignored, 0, "{:#?}", d.read);
    }
}

#[test]
fn the_limits_of_an_instance_are_asked_for() {
    let once = allowance([9124, 0, 0]);
    let driver = "$ ethtool -i eth0\ndriver: ena\nversion: 6.1.109-118.189.amzn2023.x86_64\nfirmware-version:\n";
    let kernel = "Linux ip-203-0-113-40 6.8.0-1021-aws #23-Ubuntu SMP x86_64 GNU/Linux\n";
    for counters in [once.as_str(), driver, kernel] {
        let d = with("sender-host.txt", counters);
        let flow = &d.flows[0];
        assert!(
            asked(flow).contains(&"allowance_exceeded"),
            "{:#?}",
            flow.missing
        );
    }
    let other = "Linux dtn1 6.8.0-40-generic #40-Ubuntu SMP x86_64 GNU/Linux\n";
    let d = with("sender-host.txt", other);
    assert!(!asked(&d.flows[0]).contains(&"allowance_exceeded"));
}

/// Where segments are lost all through and nobody read an interface, it is asked for; Google's and Microsoft's count each in its way.
#[test]
fn interfaces_are_asked_for_where_losses_never_stop() {
    let flow = flow(&side_by_side(&held(24)));
    assert!(asked(&flow).contains(&"nic_drops"), "{:#?}", flow.missing);
    let again: u32 = held(24).iter().map(|r| r.1).sum();
    for counter in ["rx_queue_drop_cnt[2]", "hc_rx_discards_no_wqe"] {
        let read = |count: u32| {
            format!("$ ethtool -S ens4 | grep -E 'drop|discard'\n     {counter}: {count}\n")
        };
        let counters = read(7) + "\n" + &read(7 + again);
        let files = [
            ("sender.txt", &*log(&held(24))),
            ("receiver-counters.txt", &counters),
        ];
        let d = of_files(&files, &on("1Gbit/s"));
        let flow = &d.flows[0];
        assert_eq!(flow.verdict.cause, "nic", "{counter} {:#?}", flow.verdict);
        let commands = flow.changes[0].commands.join("\n");
        assert!(commands.contains("ethtool -g ens4;"), "{commands}");
    }
}

/// A router's configuration beside a test: what it polices or shapes unmarked traffic to is a ceiling, with its file and line. What
/// lasted faster did not come that way.
#[test]
fn a_configured_rate_is_a_ceiling() {
    let test = log(&policed());
    let found = |router: String| {
        let d = of_files(
            &[("test.txt", &test), ("edge1.cfg", &router)],
            &farpath_diagnose::Known::default(),
        );
        let ceilings = d.flows[0].ceilings.iter();
        let of = |c: &&farpath_diagnose::Ceiling| c.from.iter().any(|f| f.contains("edge1.cfg"));
        ceilings
            .filter(of)
            .map(|c| (c.cause, c.limit_bps, c.from.join(" ")))
            .collect::<Vec<_>>()
    };
    let ios = |statement: &str| {
        found(format!(
            "hostname edge1\n!\npolicy-map LIMIT\n class class-default\n  {statement}\n!\n\
             interface GigabitEthernet0/1\n ip address 192.0.2.254 255.255.255.0\n service-policy output LIMIT\n!\n"
        ))
    };
    let police = |rate: u32| {
        ios(&format!(
            "police {rate} 1500000 3000000 conform-action transmit exceed-action drop"
        ))
    };
    let policed = police(74_000_000);
    assert_eq!(policed.len(), 1, "{policed:?}");
    assert_eq!((policed[0].0, policed[0].1), ("policer", 74e6));
    assert!(policed[0].2.contains("edge1.cfg:5"), "{policed:?}");
    assert!(police(40_000_000).is_empty());
    let shaped = ios("shape average 74000000");
    assert_eq!((shaped[0].0, shaped[0].1), ("shaper", 74e6));
    let junos = found(
        "firewall {\n    policer limit {\n        if-exceeding {\n            bandwidth-limit 74m;\n            burst-size-limit 1500000;\n        }\n        \
         then discard;\n    }\n}\ninterfaces {\n    ge-0/0/1 {\n        unit 0 {\n            family inet {\n                policer {\n                    \
         output limit;\n                }\n                address 192.0.2.254/24;\n            }\n        }\n    }\n}\n"
            .to_owned(),
    );
    assert_eq!((junos[0].0, junos[0].1), ("policer", 74e6), "{junos:?}");
}

/// What IOS prints of a policer at the interface, and what is done with that many packets that exceed its rate.
fn ios(exceeded: u32, action: &str) -> String {
    format!(
        "\nR1#show policy-map interface Gi0/1\n GigabitEthernet0/1\n\n  Service-policy input: IN\n\n    Class-map: class-default (match-any)\n      59021 packets, 85000000 bytes\n      Match: any\n      police:\n          cir 74000000 bps, bc 62500 bytes\n        conformed 58900 packets, 85000000 bytes; actions:\n          transmit\n        exceeded {exceeded} packets, 133000 bytes; actions:\n          {action}\n        conformed 0000 bps, exceeded 0000 bps\n\n"
    )
}

#[test]
fn what_ios_counts_beyond_a_rate_is_that_policers() {
    let test = log(&policed());
    let flow = |before: &str, after: &str| {
        let text = format!("{before}{test}{after}");
        first_flow(of(&text, &farpath_diagnose::Known::default()))
    };
    let named = "the policer of class class-default at GigabitEthernet0/1 of R1 dropped";
    let once = flow("", &ios(88, "drop"));
    assert_eq!(once.verdict.cause, "policer", "{:#?}", once.verdict);
    let why = crate::because(&once);
    assert!(
        why.contains(&format!(
            "{named} 88 packets, about as many as this flow sent segments again, 90"
        )),
        "{why}"
    );
    // The rate is raised where it stands, with the bucket that goes with it, and put back there.
    let change = &once.changes[0];
    let raised = "on R1, where the contract allows more: policy-map IN, class class-default, police cir RATE bc BURST in place of 74.0 Mbit/s";
    assert!(
        change.commands.iter().any(|c| c.starts_with(raised)),
        "{change:#?}"
    );
    assert!(
        change
            .undo
            .iter()
            .any(|u| u.contains("74.0 Mbit/s and 62.5 kB")),
        "{change:#?}"
    );
    let twice = flow(&ios(1000, "drop"), &ios(1088, "drop"));
    assert_eq!(twice.verdict.cause, "policer", "{:#?}", twice.verdict);
    let why = crate::because(&twice);
    assert!(
        why.contains(&format!("{named} 88 packets from one reading to the next")),
        "{why}"
    );
    // Of far more nobody knows when they were dropped.
    let why = crate::because(&flow("", &ios(2_900_000, "drop")));
    assert!(
        why.contains(named) && why.contains("one reading does not say how many"),
        "{why}"
    );
    // What is marked is not dropped.
    let why = crate::because(&flow("", &ios(88, "set-dscp-transmit 0")));
    assert!(!why.contains("at GigabitEthernet0/1"), "{why}");
}

/// Statements that stand in the ticket itself: in each system's words, and as routers print what acts.
#[test]
fn a_policer_pasted_into_the_ticket_is_a_ceiling() {
    let test = log(&policed());
    let stated = |statement: &str| {
        let d = of(
            &format!("{test}\n{statement}\n"),
            &farpath_diagnose::Known::default(),
        );
        let ceilings = d.flows[0].ceilings.iter();
        let of = |c: &&farpath_diagnose::Ceiling| ["policer", "shaper"].contains(&c.cause);
        ceilings
            .filter(of)
            .map(|c| (c.cause, c.limit_bps))
            .collect::<Vec<_>>()
    };
    let policer = vec![("policer", 74e6)];
    for text in [
        "ops@mx1> show configuration firewall\npolicer CUST {\n    if-exceeding {\n        bandwidth-limit 74m;\n        burst-size-limit 62500;\n    }\n    then discard;\n}",
        "noc@pe1> show configuration firewall policer CUST\nif-exceeding {\n    bandwidth-limit 74m;\n    burst-size-limit 62500;\n}\nthen discard;",
        "set firewall policer CUST if-exceeding bandwidth-limit 74m\nset firewall policer CUST if-exceeding burst-size-limit 625k\nset firewall policer CUST then discard\nset interfaces xe-0/0/1 unit 0 family inet policer input CUST",
        "policy-map IN\n class class-default\n  police cir 74000000 bc 62500\n   conform-action transmit\n   exceed-action drop",
        "policy-map IN\n class CUSTOMER\n  police 74000000 62500 62500 conform-action transmit exceed-action drop",
        "policy-map IN\n class class-default\n  police rate 74 mbps burst 62500 bytes",
        "policy-map IN\n class VOICE\n  police 8000000 62500\n class class-default\n  police cir 50 mbps bc 62500 bytes pir 74 mbps be 62500 bytes\n   conform-action transmit\n   exceed-action set-dscp-transmit 0\n   violate-action drop",
        " Service-policy input: IN\n    Class-map: class-default (match-any)\n      police:\n          cir 74000000 bps, bc 62500 bytes\n        conformed 900 packets, 1350000 bytes; actions:\n          transmit\n        exceeded 30 packets, 45000 bytes; actions:\n          drop",
        "set qos policer aggregate CUST rate 74000 drop burst 500",
        "interface GigabitEthernet0/0/1\n qos car inbound cir 74000 cbs 13912000 pbs 23162000 green pass yellow pass red discard",
        "filter protocol all pref 49152 matchall chain 0 handle 0x1\n        action order 1:  police 0x1 rate 74Mbit burst 62500b mtu 2Kb action drop overhead 0b",
        "tc filter add dev eth1 ingress matchall action police rate 74mbit burst 100k drop",
    ] {
        assert_eq!(stated(text), policer, "{text}");
    }
    assert_eq!(
        stated("policy-map OUT\n class class-default\n  shape average 74000000"),
        [("shaper", 74e6)]
    );
    for text in [
        // It marks, and drops nothing.
        "policer CUST {\n    if-exceeding {\n        bandwidth-limit 74m;\n        burst-size-limit 62500;\n    }\n    then {\n        loss-priority high;\n    }\n}",
        "policy-map IN\n class class-default\n  police 74000000 62500\n   exceed-action set-dscp-transmit 0",
        // A list of many: nobody says which.
        "set firewall policer A if-exceeding bandwidth-limit 74m\nset firewall policer A then discard\nset firewall policer B if-exceeding bandwidth-limit 75m\nset firewall policer B then discard\nset firewall policer C if-exceeding bandwidth-limit 76m\nset firewall policer C then discard\nset firewall policer D if-exceeding bandwidth-limit 77m\nset firewall policer D then discard",
    ] {
        assert_eq!(stated(text), [], "{text}");
    }
}

/// A simple queue of RouterOS is a shaper of what its target sends and of what it receives: the flow meets one of both, of the first queue
/// that has an end of it.
#[test]
fn a_simple_queue_of_routeros_is_a_ceiling_one_way() {
    let test = log(&policed());
    let stated = |queues: &str| {
        let d = of(
            &format!("{test}\n{queues}\n"),
            &farpath_diagnose::Known::default(),
        );
        let ceilings = d.flows[0].ceilings.iter();
        let of = |c: &&farpath_diagnose::Ceiling| c.cause == "shaper";
        ceilings.filter(of).map(|c| c.limit_bps).collect::<Vec<_>>()
    };
    let printed = |flags: &str, target: &str, most: &str| {
        format!(
            "[admin@gw1] > /queue simple print\nFlags: X - disabled, I - invalid, D - dynamic\n 0 {flags}  name=\"cust1\" target={target} parent=none packet-marks=\"\"\n      priority=8/8 queue=default-small/default-small limit-at=0/0\n      max-limit={most} burst-limit=0/0 burst-threshold=0/0 burst-time=0s/0s\n"
        )
    };
    let exported = "[admin@gw1] > /queue simple export\n# nov/30/2026 03:00:00 by RouterOS 6.49.10\n# software id = ABCD-EF01\n#\n/queue simple\nadd max-limit=74M/300M name=cust1 target=\\\n    203.0.113.40/32\n";
    for text in [
        printed("", "203.0.113.40/32", "74M/300M"),
        printed("", "198.51.100.0/24", "300M/74M"),
        printed("", "ether2", "74M/74M"),
        exported.to_owned(),
    ] {
        assert_eq!(stated(&text), [74e6], "{text}");
    }
    let first = printed("", "203.0.113.0/24", "300M/300M");
    let next = "\n 1    name=\"cust2\" target=203.0.113.40/32 parent=none max-limit=74M/74M\n";
    for text in [
        printed("", "203.0.113.40/32", "300M/74M"),
        printed("X", "203.0.113.40/32", "74M/300M"),
        // Neither end is of these.
        printed("", "192.0.2.0/24", "74M/74M"),
        format!("{first}{next}"),
    ] {
        assert!(!stated(&text).contains(&74e6), "{text}");
    }
}

/// What a policer of `tc` dropped stands below its filter: 104 packets beside 99 segments that were sent again.
#[test]
fn what_a_policer_of_tc_dropped_is_weighed() {
    let test = "guest$ iperf3 -c 10.0.0.50 -t 10
[  5] local 10.0.0.77 port 40123 connected to 10.0.0.50 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-5.00   sec   238 MBytes   400 Mbits/sec   51    402 KBytes
[  5]   5.00-10.00  sec   238 MBytes   399 Mbits/sec   48    400 KBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[  5]   0.00-10.00  sec   476 MBytes   399 Mbits/sec   99             sender
[  5]   0.00-10.00  sec   475 MBytes   398 Mbits/sec                  receiver
guest$ ping -c 10 10.0.0.50
10 packets transmitted, 10 received, 0% packet loss, time 9120ms
rtt min/avg/max/mdev = 0.480/0.501/0.540/0.012 ms
";
    let old = "hypervisor# tc -s filter show dev vnet7 ingress
filter parent ffff: protocol all pref 49152 u32 chain 0 fh 800::800 order 2048 key ht 800 bkt 0 flowid :1 not_in_hw
 police 0x1 rate 420Mbit burst 512Kb mtu 64Kb action drop overhead 0b linklayer ethernet
\tref 1 bind 1 installed 812331 sec used 0 sec
 Sent 5012331123 bytes 3300121 pkts (dropped 104, overlimits 104)
";
    let new = "hypervisor# tc -s filter show dev vnet7 ingress
filter protocol all pref 49152 matchall chain 0 handle 0x1
  not_in_hw
\taction order 1:  police 0x1 rate 420Mbit burst 512Kb mtu 64Kb action drop overhead 0b
\tref 1 bind 1  installed 812331 sec used 0 sec
\tAction statistics:
\tSent 5012331123 bytes 3300121 pkt (dropped 104, overlimits 104 requeues 0)
\tbacklog 0b 0p requeues 0
";
    for filter in [old, new] {
        let d = of(&format!("{test}{filter}"), &Known::default());
        let flow = &d.flows[0];
        assert_eq!(flow.verdict.cause, "policer", "{:#?}", flow.verdict);
        let because = because(flow);
        assert!(
            because.contains("the policer of tc at vnet7 of hypervisor dropped 104 packets, about as many as this flow sent segments again, 99"),
            "{because}"
        );
        let ignored: Vec<&u32> = d.read.iter().flat_map(|p| &p.ignored_lines).collect();
        assert!(ignored.is_empty(), "{ignored:?}");
    }
}

/// 1.6 MB more than lasted passed in the first second: the start before the first losses, and nothing that a bucket of 10 kB held.
#[test]
fn a_bucket_that_is_stated_to_be_small_explains_no_fast_start() {
    let rows = [
        (43.0, 61),
        (30.4, 14),
        (29.4, 17),
        (31.5, 12),
        (30.4, 19),
        (31.5, 15),
        (30.4, 18),
        (29.4, 13),
        (31.5, 16),
        (30.4, 14),
    ];
    let with = |bucket: &str| {
        let policer = format!(
            "pe1#show policy-map interface GigabitEthernet0/0/3.210\n GigabitEthernet0/0/3.210\n  Service-policy input: CUST-50M\n    Class-map: class-default (match-any)\n      police:\n          cir 50000000 bps, bc {bucket} bytes\n        exceeded 208 packets, 314902 bytes; actions:\n          drop\n"
        );
        first_flow(of(&(log(&rows) + &policer), &Known::default()))
    };
    let flow = with("10000");
    assert_eq!(flow.verdict.cause, "policer", "{:#?}", flow.verdict);
    assert!(!because(&flow).contains(TOKENS), "{}", because(&flow));
}

/// What passed of datagrams does not bound TCP that had more.
#[test]
fn datagrams_that_had_less_than_tcp_show_nothing_of_its_limit() {
    let rows: Vec<(f64, u32)> = (0..10)
        .map(|n| if n == 0 { (101.0, 140) } else { (68.8, 12) })
        .collect();
    let datagrams = |passed: f64, lost: u32| {
        format!(
            "{}[  5] local 203.0.113.40 port 40930 connected to 198.51.100.7 port 5201\n[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams\n[  5]   0.00-5.00   sec   119 MBytes   200 Mbits/sec  0.000 ms  0/86325 (0%)  sender\n[  5]   0.00-5.04   sec  {:.1} MBytes  {passed} Mbits/sec  0.110 ms  {lost}/86250 ({:.0}%)  receiver\n",
            log(&rows),
            passed * 5.0 / 8.388_608,
            f64::from(lost) / 862.50
        )
    };
    let less = of(
        &datagrams(37.8, 69_800),
        &farpath_diagnose::Known::default(),
    );
    let tcp = &less.flows[0];
    let commands: String = tcp
        .changes
        .iter()
        .flat_map(|c| &c.commands)
        .map(String::as_str)
        .collect();
    assert!(!commands.contains("37800kbit"), "{commands}");
    let because = tcp.verdict.because.join("\n");
    assert!(because.contains("less than TCP"), "{because}");
    let same = of(
        &datagrams(78.0, 52_000),
        &farpath_diagnose::Known::default(),
    );
    let because = same.flows[0].verdict.because.join("\n");
    assert!(because.contains("78.0 Mbit/s passed"), "{because}");
}

/// The same as a file of its own, cut out of a configuration that says elsewhere where it acts.
#[test]
fn a_policer_in_a_file_of_its_own_has_its_rate_and_burst() {
    let router = "set firewall policer CUST if-exceeding bandwidth-limit 74m\nset firewall policer CUST if-exceeding burst-size-limit 62500\nset firewall policer CUST then discard\n";
    let d = of_files(
        &[("test.txt", &log(&policed())), ("pe1.conf", router)],
        &farpath_diagnose::Known::default(),
    );
    let policer = d.flows[0].ceilings.iter().find(|c| c.cause == "policer");
    assert_eq!(policer.map(|c| c.limit_bps), Some(74e6));
}

/// 500 Mbit/s fill 638 kB in a round trip of 10.2 ms: a bucket of 15 kB drops a part of each burst, and is the first to be changed.
#[test]
fn a_bucket_that_is_short_is_what_to_change() {
    let text = |burst: &str| {
        format!(
            "Customer on 500M, TCP only 90.
ops@pe2> show firewall filter CUST-IN

Filter: CUST-IN
Counters:
Name                                                Bytes              Packets
CUST-COUNT                                     812345678               541234
Policers:
Name                                                Bytes              Packets
POL-500M-CUST                                   3123456                 2081

ops@pe2> show configuration firewall policer POL-500M
if-exceeding {{
    bandwidth-limit 500m;
    burst-size-limit {burst};
}}
then discard;

c$ iperf3 -c 203.0.113.9 -t 10 -i 2
Connecting to host 203.0.113.9, port 5201
[  5] local 198.51.100.66 port 51234 connected to 203.0.113.9 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-2.00   sec  22.1 MBytes  92.7 Mbits/sec  521    142 KBytes
[  5]   2.00-4.00   sec  21.0 MBytes  88.1 Mbits/sec  380    110 KBytes
[  5]   4.00-6.00   sec  21.9 MBytes  91.9 Mbits/sec  401    151 KBytes
[  5]   6.00-8.00   sec  20.8 MBytes  87.2 Mbits/sec  377    117 KBytes
[  5]   8.00-10.00  sec  21.6 MBytes  90.6 Mbits/sec  399    132 KBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00  sec   107 MBytes  90.1 Mbits/sec  2078             sender
[  5]   0.00-10.02  sec   107 MBytes  89.6 Mbits/sec                  receiver
c$ ping -c 5 -q 203.0.113.9
--- 203.0.113.9 ping statistics ---
5 packets transmitted, 5 received, 0% packet loss, time 4012ms
rtt min/avg/max/mdev = 10.1/10.2/10.4/0.09 ms
"
        )
    };
    let flow = crate::first(&text("15k"));
    assert_eq!(flow.verdict.cause, "policer", "{:#?}", flow.verdict);
    let commands = crate::commands(&flow);
    assert!(
        commands.contains("for a burst of") && commands.contains("it holds 15.0 kB"),
        "{commands}"
    );
    let commands = crate::commands(&crate::first(&text("2m")));
    assert!(!commands.contains("for a burst of"), "{commands}");
}

/// The policer's rate is far above the flow's, and its bucket is small: 0.56 % of what comes is dropped while 0.79 % is sent again.
#[test]
fn a_policer_that_drops_as_large_a_share_now_needs_no_second_reading() {
    let test = "cust$ iperf3 -c 192.0.2.10 -t 30 -i 10
Connecting to host 192.0.2.10, port 5201
[  5] local 198.51.100.44 port 39022 connected to 192.0.2.10 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-10.00  sec   113 MBytes  95.1 Mbits/sec  644    331 KBytes
[  5]  10.00-20.00  sec   104 MBytes  87.3 Mbits/sec  602    402 KBytes
[  5]  20.00-30.00  sec   107 MBytes  90.0 Mbits/sec  615    297 KBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-30.00  sec   325 MBytes  90.8 Mbits/sec  1861             sender
[  5]   0.00-30.04  sec   323 MBytes  90.2 Mbits/sec                  receiver

cust$ ping -c 5 192.0.2.10 | tail -2
5 packets transmitted, 5 received, 0% packet loss, time 4005ms
rtt min/avg/max/mdev = 40.211/40.252/40.301/0.033 ms
";
    let ios = |now: &str| {
        format!(
            "pe7#show policy-map interface GigabitEthernet0/0/1\n GigabitEthernet0/0/1\n\n  Service-policy input: CUST-500M\n\n    Class-map: class-default (match-any)\n      98123441 packets, 143201928311 bytes\n      Match: any\n      police:\n          cir 500000000 bps, bc 62500 bytes\n        conformed 97981022 packets, 142999120021 bytes; actions:\n          transmit\n        exceeded 142419 packets, 202808290 bytes; actions:\n          drop\n        {now}\n\n"
        )
    };
    let xr = |now: u32| {
        format!(
            "RP/0/RSP0/CPU0:pe7#show policy-map interface TenGigE0/0/0/7 input\n\nTenGigE0/0/0/7 input: POL\n\nClass class-default\n  Classification statistics          (packets/bytes)     (rate - kbps)\n    Matched             :            98123441/143201928311        91022\n    Transmitted         :            97981022/142999120021        90510\n    Total Dropped       :              142419/202808290             {now}\n  Policing statistics                (packets/bytes)     (rate - kbps)\n    Policed(exceed)     :              142419/202808290             {now}\n    Policed and dropped :              142419/202808290\n\n"
        )
    };
    let of = |router: String| first_flow(of(&(router + test), &Known::default()));
    let said = "by its rates it drops now 0.56 % of what comes";
    for router in [ios("conformed 90510000 bps, exceeded 512000 bps"), xr(512)] {
        let flow = of(router);
        assert_eq!(flow.verdict.cause, "policer", "{:#?}", flow.verdict);
        assert!(because(&flow).contains(said), "{}", because(&flow));
        assert!(!crate::asked(&flow).contains(&"policer_drops"));
    }
    // What it drops now is far less than what is sent again, or nothing.
    for router in [ios("conformed 90510000 bps, exceeded 900 bps"), xr(0)] {
        let flow = of(router);
        let why = because(&flow);
        assert!(why.contains("one reading does not say how many"), "{why}");
    }
}

/// Datagrams came through 58 times as fast as TCP: no queue was full of what others send.
#[test]
fn datagrams_that_pass_far_above_tcp_show_a_queue_too_short_for_its_bursts() {
    let text = "$ iperf3 -u -c 192.0.2.99 -b 2G -l 8948 -t 10 -i 0
Connecting to host 192.0.2.99, port 5201
[  5] local 192.0.2.1 port 42211 connected to 192.0.2.99 port 5201
[ ID] Interval           Transfer     Bitrate         Total Datagrams
[  5]   0.00-10.00  sec  2.33 GBytes  2.00 Gbits/sec  279390
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams
[  5]   0.00-10.00  sec  2.33 GBytes  2.00 Gbits/sec  0.000 ms  0/279390 (0%)  sender
[  5]   0.00-10.04  sec  2.33 GBytes  1.99 Gbits/sec  0.003 ms  0/279390 (0%)  receiver

iperf Done.
$ iperf3 -c 192.0.2.99 -t 10 -i 5
Connecting to host 192.0.2.99, port 5201
[  5] local 192.0.2.1 port 42213 connected to 192.0.2.99 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-5.00   sec  21.3 MBytes  35.8 Mbits/sec   22    201 KBytes
[  5]   5.00-10.00  sec  19.9 MBytes  33.3 Mbits/sec   19    187 KBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00  sec  41.2 MBytes  34.5 Mbits/sec   41             sender
[  5]   0.00-10.04  sec  41.0 MBytes  34.2 Mbits/sec                  receiver

iperf Done.
$ ping -c 4 -q 192.0.2.99 | tail -1
rtt min/avg/max/mdev = 44.001/44.010/44.030/0.010 ms
";
    let d = of(text, &Known::default());
    let slow = |f: &&FlowReport| f.observed.goodput_bps.is_some_and(|bps| bps < 1e8);
    let verdict = &d.flows.iter().find(slow).expect("TCP").verdict;
    let first = match verdict.cause {
        "unknown" => verdict.second.as_ref().map(|s| s.cause),
        cause => Some(cause),
    };
    assert_eq!(first, Some("shallow_buffer"), "{verdict:#?}");
}

/// A rate that falls all along, as others fill a queue more and more, is not what a policer leaves: that is a burst, and then one rate.
#[test]
fn a_rate_that_falls_on_is_not_a_policers() {
    let test = |rates: [f64; 6]| {
        let rows: String = (0..)
            .zip(rates)
            .map(|(n, rate)| {
                format!(
                    "{}.0 - {}.0      {rate:.2} Gbps      {}            11.20 MBytes\n",
                    5 * n,
                    5 * n + 5,
                    142_000 + 3000 * (n % 3)
                )
            })
            .collect();
        let mean = rates.iter().sum::<f64>() / 6.0;
        format!(
            "$ ping -c 20 b.example\nPING b.example (198.51.100.2) 56(84) bytes of data.\n\n--- b.example ping statistics ---\n20 packets transmitted, 20 received, 0% packet loss, time 19000ms\nrtt min/avg/max/mdev = 20.0/20.1/20.4/0.1 ms\n$ pscheduler task throughput --dest b.example --duration 30\n* Stream ID 5\nInterval       Throughput     Retransmits    Current Window\n{rows}\nSummary\nInterval       Throughput     Retransmits    Receiver Throughput\n0.0 - 30.0     {mean:.2} Gbps      870000           {mean:.2} Gbps\n"
        )
    };
    let flow = crate::first(&test([9.0, 7.6, 6.2, 4.8, 3.4, 2.0]));
    assert_ne!(flow.verdict.cause, "policer", "{:#?}", flow.verdict);
    let second = flow.verdict.second.as_ref().map_or("", |s| s.cause);
    assert_ne!(second, "policer", "{:#?}", flow.verdict);
    let why = crate::because(&flow);
    assert!(why.contains("the rate fell from 8.30 Gbit/s"), "{why}");
    // A burst and then one rate says nothing against it.
    let flow = crate::first(&test([9.0, 2.1, 2.0, 2.0, 2.1, 2.0]));
    let why = crate::because(&flow);
    assert!(!why.contains("the rate fell from"), "{why}");
}

/// What a router lets through to its own processor was a ceiling of the path, 64 kbit/s.
#[test]
fn a_policer_of_the_control_plane_is_not_of_the_path() {
    let text = "\
br1#show policy-map control-plane
    Class-map: CM-ICMP (match-all)
      188210 packets, 15810000 bytes
      police:
          cir 64000 bps, bc 8000 bytes
        conformed 110210 packets, 9257640 bytes; actions:
          transmit
        exceeded 78000 packets, 6552000 bytes; actions:
          drop
br1#ping 192.0.2.7
Sending 5, 100-byte ICMP Echos to 192.0.2.7, timeout is 2 seconds:
!!!!!
Success rate is 100 percent (5/5), round-trip min/avg/max = 1/1/4 ms
";
    let read = |text: &str| {
        farpath_diagnose::read(&[farpath_diagnose::Source {
            name: "t.txt".to_owned(),
            bytes: text.as_bytes().to_vec(),
        }])
    };
    let rates = |text: &str| {
        let facts = read(text);
        let rates = facts.facts.iter().filter(|f| f.name.ends_with("_bps"));
        rates.count()
    };
    assert_eq!(rates(text), 0);
    assert!(read(text).notes.iter().any(|n| n.contains("control plane")));
    let port = text.replace("control-plane", "interface Gi0/1");
    assert_eq!(rates(&port), 1);
}
