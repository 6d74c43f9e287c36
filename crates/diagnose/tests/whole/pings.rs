//! Pings of several hosts: which of them are of a flow's path; and what pings alone show.

use farpath_diagnose::{FlowReport, Known};

use crate::{first_flow, of, on};

/// A ping of ten packets to a host, by its name as printed.
fn ping(host: &str, ms: f64, lost: u32) -> String {
    format!(
        "$ ping -c 10 -q {host}\nPING {host} 56(84) bytes of data.\n\n--- {} ping statistics ---\n10 packets transmitted, {} received, {}% packet loss, time 9072ms\nrtt min/avg/max/mdev = {ms}/{}/{}/0.1 ms\n",
        host.split(' ').next().unwrap_or(host),
        10 - lost,
        lost * 10,
        ms + 0.1,
        ms + 0.3
    )
}

const LOG: &str = "Connecting to host 10.65.4.20, port 5201\n[  5] local 10.20.1.11 port 44170 connected to 10.65.4.20 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr\n[  5]   0.00-30.00  sec  1.08 GBytes   310 Mbits/sec  0             sender\n[  5]   0.00-30.17  sec  1.08 GBytes   308 Mbits/sec                  receiver\n";

fn flow(text: &str) -> FlowReport {
    first_flow(of(text, &on("10Gbit/s")))
}

#[test]
fn only_pings_of_the_peer_are_of_the_path() {
    let gateway = ping("10.20.1.1 (10.20.1.1)", 0.2, 3);
    for peer in ["10.65.4.20 (10.65.4.20)", "far.example (10.65.4.20)"] {
        let peer = ping(peer, 165.0, 0);
        for text in [
            format!("{gateway}{peer}{LOG}"),
            format!("{peer}{LOG}{gateway}"),
        ] {
            let flow = flow(&text);
            let rtt = flow.observed.rtt_ns.expect("it was pinged");
            assert!((165e6..166e6).contains(&rtt), "{rtt}");
            let because = flow.verdict.because.join("\n");
            assert!(!because.contains("whatever is sent"), "{because}");
            assert!(!because.contains("varies without load"), "{because}");
        }
    }
    let d = of(
        &format!(
            "{gateway}{}{LOG}",
            ping("10.65.4.20 (10.65.4.20)", 165.0, 0)
        ),
        &on("1Gbit/s"),
    );
    // It is in the network of the host that was tested from: of its first hop.
    assert!(
        !d.notes.iter().any(|n| n.contains("10.20.1.1")),
        "{:?}",
        d.notes
    );
    let text = format!("{gateway}{LOG}").replace("10.20.1.1", "203.0.113.1");
    let d = of(&text, &on("1Gbit/s"));
    let note = "pings to 203.0.113.1 are of no flow's path, and are left out";
    assert!(d.notes.iter().any(|n| n == note), "{:?}", d.notes);
}

#[test]
fn a_gateways_ping_is_not_the_round_trip_of_a_flow() {
    let flow = flow(&(ping("10.20.1.1 (10.20.1.1)", 0.2, 0) + LOG));
    assert_eq!(flow.observed.rtt_ns, None);
    let asked = flow
        .missing
        .iter()
        .find(|m| m.fact == "rtt")
        .expect("it is asked for");
    assert!(asked.would_decide.contains("10.20.1.1"), "{asked:?}");
    assert_eq!(asked.command, "ping -c 20 10.65.4.20");
}

/// A name may be that of any address: one target is taken, of two it is asked which.
#[test]
fn the_only_ping_may_be_the_peers_by_another_name() {
    let named = LOG.replace("10.65.4.20", "store2");
    let one = flow(&(ping("far.example (203.0.113.9)", 165.0, 0) + &named));
    assert!(one.observed.rtt_ns.is_some());
    let two =
        ping("far.example (203.0.113.9)", 165.0, 0) + &ping("near.example (203.0.113.1)", 1.0, 0);
    let two = flow(&(two + &named));
    assert_eq!(two.observed.rtt_ns, None);
    let asked = two
        .missing
        .iter()
        .find(|m| m.fact == "rtt")
        .expect("it is asked for");
    assert!(
        asked.would_decide.contains("far.example, near.example"),
        "{asked:?}"
    );
    // Without a head nobody knows whom it went to.
    let bare = "10 packets transmitted, 10 received, 0% packet loss, time 9072ms\nrtt min/avg/max/mdev = 165.0/165.1/165.3/0.1 ms\n";
    assert!(flow(&format!("{bare}{LOG}")).observed.rtt_ns.is_some());
}

/// The closing lines of Windows and of fping name their target, too.
#[test]
fn other_pings_name_their_target() {
    let windows = "Pinging 10.20.1.1 with 32 bytes of data:\nReply from 10.20.1.1: bytes=32 time=2ms TTL=64\n\nPing statistics for 10.20.1.1:\n    Packets: Sent = 4, Received = 4, Lost = 0 (0% loss),\nApproximate round trip times in milli-seconds:\n    Minimum = 2ms, Maximum = 3ms, Average = 2ms\n";
    let fping = "10.20.1.1 : xmt/rcv/%loss = 10/10/0%, min/avg/max = 0.20/0.30/0.40\n";
    let closing = "--- 10.20.1.1 ping statistics ---\n10 packets transmitted, 10 received, 0% packet loss, time 9072ms\nrtt min/avg/max/mdev = 0.2/0.3/0.4/0.1 ms\n";
    for text in [windows, fping, closing] {
        assert_eq!(
            flow(&format!("{text}{LOG}")).observed.rtt_ns,
            None,
            "{text}"
        );
        let both = format!("{text}{}{LOG}", ping("10.65.4.20 (10.65.4.20)", 165.0, 0));
        assert!(
            flow(&both).observed.rtt_ns.is_some_and(|rtt| rtt > 160e6),
            "{text}"
        );
    }
}

const LARGE: &str = "$ ping -c 4 -M do -s 1472 10.65.4.20\nPING 10.65.4.20 (10.65.4.20) 1472(1500) bytes of data.\n\n--- 10.65.4.20 ping statistics ---\n4 packets transmitted, 0 received, 100% packet loss, time 3052ms\n\n";
const SMALLER: &str = "$ ping -c 4 -M do -s 1348 10.65.4.20\nPING 10.65.4.20 (10.65.4.20) 1348(1376) bytes of data.\n\n--- 10.65.4.20 ping statistics ---\n4 packets transmitted, 4 received, 0% packet loss, time 3005ms\nrtt min/avg/max/mdev = 164.912/165.044/165.201/0.103 ms\n";

/// Between 1376 and 1500 the middle is 1438, which is a ping of 1410 bytes.
#[test]
fn pings_alone_show_a_hole_for_large_packets() {
    let d = of(&format!("{LARGE}{SMALLER}"), &Known::default());
    let flow = &d.flows[0];
    assert_eq!(flow.verdict.cause, "mtu_black_hole", "{:#?}", flow.verdict);
    let asked: Vec<&str> = flow.missing.iter().map(|m| m.fact).collect();
    assert_eq!(asked, ["mtu_bytes"]);
    assert!(
        flow.missing[0]
            .command
            .starts_with("ping -M do -c 3 -s 1410 10.65.4.20"),
        "{:?}",
        flow.missing
    );
    let risk = &flow.changes[0].risk;
    assert!(
        risk.contains("1376 bytes, the largest ping that was answered: that much is known to pass"),
        "{risk}"
    );
}

#[test]
fn a_size_that_nothing_showed_to_pass_is_a_guess() {
    let log = "Connecting to host 10.65.4.20, port 5201\n[  5] local 10.20.1.11 port 38122 connected to 10.65.4.20 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n[  5]   0.00-1.00   sec  86.3 KBytes   707 Kbits/sec    2   1.41 KBytes\n[  5]   1.00-2.00   sec  0.00 Bytes  0.00 bits/sec    1   1.41 KBytes\n[  5]   2.00-3.00   sec  0.00 Bytes  0.00 bits/sec    1   1.41 KBytes\n[  5]   0.00-3.00   sec  86.3 KBytes   236 Kbits/sec    4             sender\n[  5]   0.00-3.17   sec  0.00 Bytes  0.00 bits/sec                  receiver\n";
    let flow = flow(log);
    assert_eq!(flow.verdict.cause, "mtu_black_hole", "{:#?}", flow.verdict);
    let risk = &flow.changes[0].risk;
    assert!(
        risk.contains("1280 bytes, a guess: every link of IPv6 must carry that"),
        "{risk}"
    );
    assert!(!risk.contains("is known to pass"), "{risk}");
}

/// Of several sizes that were lost the smallest counts, and of those that were answered the largest: what is known is not asked for.
#[test]
fn the_smallest_that_is_lost_bounds_the_largest_that_passes() {
    let sized = |data: u32, answered: u32| {
        let rtt = match answered {
            0 => "",
            _ => "rtt min/avg/max/mdev = 31.204/31.260/31.333/0.052 ms\n",
        };
        format!(
            "PING 10.65.4.20 (10.65.4.20) {data}({}) bytes of data.\n\n--- 10.65.4.20 ping statistics ---\n4 packets transmitted, {answered} received, {}% packet loss, time 3052ms\n{rtt}\n",
            data + 28,
            100 - answered * 25
        )
    };
    let text = sized(1472, 0) + &sized(1372, 4) + &sized(1391, 0) + &sized(1390, 4);
    let flow = of(&text, &Known::default())
        .flows
        .into_iter()
        .next()
        .expect("a hole");
    assert_eq!(flow.verdict.cause, "mtu_black_hole", "{:#?}", flow.verdict);
    let because = flow.verdict.because.join("\n");
    assert!(
        because.contains("pings of 1419 bytes are all lost"),
        "{because}"
    );
    assert!(
        !flow.missing.iter().any(|m| m.fact == "mtu_bytes"),
        "{:#?}",
        flow.missing
    );
    assert!(
        flow.changes[0].risk.contains("the MTU is 1418 bytes"),
        "{:#?}",
        flow.changes
    );
    let text = sized(1472, 0) + &sized(1441, 0) + &sized(1372, 4);
    let flow = of(&text, &Known::default())
        .flows
        .into_iter()
        .next()
        .expect("a hole");
    let asked = flow
        .missing
        .iter()
        .find(|m| m.fact == "mtu_bytes")
        .expect("a size");
    assert!(
        asked.would_decide.contains(
            "at least 1400 bytes, which were answered, and less than 1469, which were not"
        ),
        "{asked:?}"
    );
}

/// A second run without its closing lines, and without its first line, too: its answers are of a size that passes.
#[test]
fn answers_of_a_run_that_was_cut_show_what_passes() {
    let prompt = "$ ping -M do -s 1372 10.65.4.20\n";
    let head = "PING 10.65.4.20 (10.65.4.20) 1372(1400) bytes of data.\n";
    let answers = "1380 bytes from 10.65.4.20: icmp_seq=1 ttl=58 time=164 ms\n1380 bytes from 10.65.4.20: icmp_seq=2 ttl=58 time=165 ms\n";
    for cut in [
        format!("{prompt}{head}{answers}"),
        format!("{prompt}{answers}"),
        format!("{head}{answers}"),
        answers.to_owned(),
    ] {
        for text in [format!("{LARGE}{cut}"), format!("{prompt}{answers}{LARGE}")] {
            let d = of(&text, &Known::default());
            let flow = &d.flows[0];
            assert_eq!(flow.verdict.cause, "mtu_black_hole", "{:#?}", flow.verdict);
            let risk = &flow.changes[0].risk;
            assert!(risk.contains("the MTU is 1400 bytes"), "{risk}");
            let rtt = flow.observed.rtt_ns.expect("it was pinged");
            assert!((164e6..165e6).contains(&rtt), "{rtt}");
            assert!(d.notes.is_empty(), "{:?}", d.notes);
        }
    }
}

/// Of each run the command and the closing lines alone: the command says how large the packets were.
#[test]
fn the_size_in_a_command_counts_where_no_first_line_was_pasted() {
    let socket = "$ ss -tino dst 203.0.113.80\nESTAB 0 0 10.1.1.5:48212 203.0.113.80:443\n\t cubic wscale:7,7 rto:224 rtt:21.2/10.6 mss:1448 pmtu:1500 rcvmss:536 advmss:1448 cwnd:10 bytes_sent:517 bytes_acked:518 segs_out:4 segs_in:3 data_segs_out:1 send 5.4Mbps lastsnd:15020 lastrcv:15041 lastack:14998 pacing_rate 10.9Mbps delivered:2 rcv_space:14480 rcv_ssthresh:64088 notsent:0 minrtt:21.1\n";
    let run = |options: &str, received: u32| {
        let lost = 100 - 100 * received / 3;
        let times = "rtt min/avg/max/mdev = 21.101/21.302/21.501/0.120 ms\n";
        format!(
            "$ ping -c 3 {options} 203.0.113.80\n3 packets transmitted, {received} received, {lost}% packet loss, time 2041ms\n{}",
            if received > 0 { times } else { "" }
        )
    };
    for (large, small) in [("-M do -s 1472", "-M do -s 1400"), ("-f -l 1472", "")] {
        let text = format!("{}{}{socket}", run(large, 0), run(small, 3));
        let d = of(&text, &Known::default());
        let verdict = &d.flows[0].verdict;
        assert_eq!(verdict.cause, "mtu_black_hole", "{verdict:#?}");
        let because = verdict.because.join("\n");
        assert!(
            because.contains("pings of 1500 bytes are all lost, and smaller ones are answered"),
            "{because}"
        );
    }
}

/// Under a prompt of its own a run begins, whether or not the one before it was closed.
#[test]
fn answers_under_a_prompt_are_of_the_host_that_answers() {
    let other = "$ ping 203.0.113.1\n64 bytes from 203.0.113.1: icmp_seq=1 ttl=63 time=1.1 ms\n64 bytes from 203.0.113.1: icmp_seq=2 ttl=63 time=1.2 ms\n";
    let peer = "$ ping 10.65.4.20\n64 bytes from far.example (10.65.4.20): icmp_seq=1 ttl=58 time=165.0 ms\n64 bytes from far.example (10.65.4.20): icmp_seq=2 ttl=58 time=165.2 ms\n";
    for text in [format!("{other}{peer}{LOG}"), format!("{peer}{other}{LOG}")] {
        let d = of(&text, &on("10Gbit/s"));
        let rtt = d.flows[0].observed.rtt_ns.expect("it was pinged");
        assert!((165e6..166e6).contains(&rtt), "{rtt}");
        let note = "pings to 203.0.113.1 are of no flow's path, and are left out";
        assert!(d.notes.iter().any(|n| n == note), "{:?}", d.notes);
    }
}

/// One run stands still, and the other was sent while something was: it has the same least, and varies.
#[test]
fn pings_that_vary_beside_some_that_do_not_are_not_of_the_path_at_rest() {
    let run = |mean: f64, most: f64| {
        format!(
            "PING 10.65.4.20 (10.65.4.20) 56(84) bytes of data.\n\n--- 10.65.4.20 ping statistics ---\n20 packets transmitted, 20 received, 0% packet loss, time 5714ms\nrtt min/avg/max/mdev = 22.010/{mean}/{most}/3.1 ms\n\n"
        )
    };
    let still = run(22.031, 22.07);
    for text in [still.clone() + &run(28.4, 41.9), run(28.4, 41.9) + &still] {
        let flow = flow(&(text + LOG));
        let rtt = flow.observed.rtt_ns.expect("it was pinged");
        assert!((22e6..22.1e6).contains(&rtt), "{rtt}");
        let because = flow.verdict.because.join("\n");
        assert!(!because.contains("varies without load"), "{because}");
        assert!(
            because.contains("28.4 ms on average in another"),
            "{because}"
        );
    }
    // Two that stand still are one path, a little slower now and then.
    let flow = flow(&(still + &run(22.052, 22.12) + LOG));
    let because = flow.verdict.because.join("\n");
    assert!(!because.contains("in another"), "{because}");
}

/// Single answers are facts, where no closing line was pasted.
#[test]
fn single_answers_are_counted_as_what_they_say() {
    let d = of(
        &format!(
            "64 bytes from 10.65.4.20: icmp_seq=1 ttl=58 time=22.1 ms\n64 bytes from 10.65.4.20: icmp_seq=2 ttl=58 time=22.3 ms\n{LOG}"
        ),
        &Default::default(),
    );
    let ping = d
        .read
        .iter()
        .find(|p| p.tool == "ping")
        .expect("it is read");
    // Least, mean, most and the size that passes.
    assert_eq!(ping.facts, 4);
    assert!(d.flows[0].observed.rtt_ns.is_some());
}

/// A mean outside least and greatest belongs to no ping: nothing is made of such a line.
#[test]
fn a_mean_beyond_the_greatest_is_not_read() {
    for times in ["0/300.0/0.0", "40.0/39.0/41.0", "40.0/42.0/41.0"] {
        let text = format!(
            "20 packets transmitted, 20 received, 0% packet loss, time 19228ms\nrtt min/avg/max/mdev = {times}/0.1 ms\n"
        );
        let d = of(&text, &farpath_diagnose::Known::default());
        let rtt = d.flows.first().and_then(|f| f.observed.rtt_ns);
        assert_eq!(rtt, None, "{times}");
    }
}

/// A run of a hundred pings with these times, ms, of which some were lost.
fn hundred(host: &str, [least, mean, most]: [f64; 3], lost: u32) -> String {
    format!(
        "PING {host} ({host}) 56(84) bytes of data.\n\n--- {host} ping statistics ---\n100 packets transmitted, {} received, {lost}% packet loss, time 99134ms\nrtt min/avg/max/mdev = {least}/{mean}/{most}/0.1 ms\n",
        100 - lost
    )
}

/// What a ping to the gateway loses, or waits for, is lost on the local link; what it does not is lost behind it.
#[test]
fn pings_to_the_first_hop_say_where_loss_begins() {
    let even = [0.4, 0.5, 0.9];
    let far = [165.0, 165.2, 166.0];
    for (gateway, end, says) in [
        (
            (even, 9),
            (far, 11),
            Some("pings to 10.20.1.1, the first hop, lose 9.0 % already, of 11.0 % to the end"),
        ),
        (
            (even, 0),
            (far, 11),
            Some(
                "none of 100 pings to 10.20.1.1, the first hop, was lost: the loss begins behind it",
            ),
        ),
        (
            (even, 30),
            (far, 0),
            Some("10.20.1.1, the first hop, leaves 30.0 % of the pings to itself unanswered"),
        ),
        (
            ([1.9, 21.4, 180.0], 0),
            ([165.0, 187.0, 350.0], 0),
            Some("round trips to 10.20.1.1, the first hop, vary by 19.5 ms on average already"),
        ),
        (
            (even, 0),
            ([165.0, 187.0, 350.0], 0),
            Some("what delays them lies behind it"),
        ),
        ((even, 0), (far, 0), None),
    ] {
        let text =
            hundred("10.20.1.1", gateway.0, gateway.1) + &hundred("10.65.4.20", end.0, end.1) + LOG;
        let flow = flow(&text);
        let because = flow.verdict.because.join("\n");
        match says {
            Some(says) => assert!(because.contains(says), "{says}: {because}"),
            None => assert!(!because.contains("first hop"), "{because}"),
        }
    }
    // Another host far away is none, and neither is one of another network.
    let server = hundred("10.20.1.77", [40.0, 40.1, 41.0], 20);
    let other = hundred("10.99.1.1", even, 20);
    for text in [server, other] {
        let flow = flow(&(text + &hundred("10.65.4.20", far, 11) + LOG));
        let because = flow.verdict.because.join("\n");
        assert!(!because.contains("first hop"), "{because}");
    }
}

/// The gateway that the route of the host names is its first hop, also where networks are larger than 256 addresses.
#[test]
fn the_gateway_of_a_route_is_a_first_hop() {
    let because = |route: &str| {
        let near = hundred("10.99.1.1", [1.9, 21.4, 180.0], 0);
        let text = format!(
            "{route}{near}{}",
            hundred("10.65.4.20", [165.0, 187.0, 350.0], 0)
        );
        flow(&(text + LOG)).verdict.because.join("\n")
    };
    let route = "default via 10.99.1.1 dev eno1 proto dhcp metric 600\n";
    let says = "round trips to 10.99.1.1, the first hop, vary by 19.5 ms on average already";
    let own = because(route);
    assert!(own.contains(says), "{own}");
    // That of another host, or to another gateway, says nothing of this one.
    let prompt = format!("root@gw7:~# ip route show\n{route}\n");
    for other in [prompt, route.replace("10.99.1.1", "10.99.1.2")] {
        let other = because(&other);
        assert!(!other.contains("first hop"), "{other}");
    }
}

/// `ping -4 HOST` whose address has no name prints an empty one, in its first line and in its last.
#[test]
fn a_ping_with_an_empty_name_is_of_its_address() {
    let text = "Connecting to host 198.18.0.2, port 5201
[  5] local 198.18.0.1 port 41822 connected to 198.18.0.2 port 5201
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00  sec  23.0 MBytes  19.3 Mbits/sec    0             sender
[  5]   0.00-10.05  sec  22.9 MBytes  19.1 Mbits/sec                  receiver
PING  (198.18.0.2) 56(84) bytes of data.
64 bytes from 198.18.0.2: icmp_seq=1 ttl=64 time=12.3 ms

---  ping statistics ---
1 packets transmitted, 1 received, 0% packet loss, time 0ms
rtt min/avg/max/mdev = 12.301/12.301/12.301/0.000 ms
";
    let d = of(text, &Known::default());
    assert!(d.notes.is_empty(), "{:?}", d.notes);
    let rtt = d.flows[0].observed.rtt_ns.expect("it is known");
    assert!((rtt - 12.301e6).abs() < 1e3, "{rtt}");
    // Pasted from its end on it is of no host in particular, and says so of no empty name.
    let (head, rest) = text.split_once("PING ").expect("it is there");
    let (_, end) = rest.split_once("---  ping").expect("it is there");
    let d = of(&format!("{head}---  ping{end}"), &Known::default());
    assert!(
        !d.notes.iter().any(|n| n.contains("pings to ")),
        "{:?}",
        d.notes
    );
}

/// A router says the size of its packets with their headers: all of 1500 bytes lost, and all of 1400 answered, are a hole.
#[test]
fn a_routers_large_pings_that_vanish_are_a_hole() {
    let sent = |size: u32, marks: &str, end: &str| {
        format!(
            "r1#ping 192.0.2.9 size {size} df-bit\nType escape sequence to abort.\nSending 5, {size}-byte ICMP Echos to 192.0.2.9, timeout is 2 seconds:\nPacket sent with the DF bit set\n{marks}\nSuccess rate is {end}\n"
        )
    };
    let lost = sent(1500, ".....", "0 percent (0/5)");
    let passed = sent(
        1400,
        "!!!!!",
        "100 percent (5/5), round-trip min/avg/max = 32/33/40 ms",
    );
    let d = crate::of(&format!("{lost}{passed}"), &Known::default());
    let flow = &d.flows[0];
    assert_eq!(flow.verdict.cause, "mtu_black_hole", "{:?}", flow.verdict);
    assert!(crate::because(flow).contains("1500"), "{:?}", flow.verdict);
    // Small ones that are lost are a path that does not answer, and none of its packets is too large.
    let small = sent(100, ".....", "0 percent (0/5)");
    let d = crate::of(&format!("{small}{passed}"), &Known::default());
    assert!(d.flows.iter().all(|f| f.verdict.cause != "mtu_black_hole"));
}

/// What a flow's round trip is, ms, and that no queue is made of its pings.
fn unloaded(flow: &FlowReport) -> f64 {
    let because = flow.verdict.because.join("\n");
    assert!(
        !because.contains("under load the round trip grew"),
        "{because}"
    );
    flow.observed.rtt_ns.expect("it was pinged") / 1e6
}

/// The two versions of IP take paths of their own: the ping of one is neither at rest nor under load for the other.
#[test]
fn pings_by_the_other_version_of_ip_are_of_another_path() {
    let log = LOG.replace("to host 10.65.4.20", "to host fra2");
    let log6 = log.replace("10.20.1.11 port 44170", "2001:db8:1::10 port 44180");
    let log6 = log6.replace("10.65.4.20", "2001:db8:2::20");
    let four = "a$ ping -4 -c 5 -q fra2\nPING fra2 (10.65.4.20) 56(84) bytes of data.\n\n--- fra2 ping statistics ---\n5 packets transmitted, 5 received, 0% packet loss, time 4005ms\nrtt min/avg/max/mdev = 11.010/11.060/11.100/0.030 ms\n";
    let six = "a$ ping -6 -c 5 -q fra2\nPING fra2(2001:db8:2::20) 56 data bytes\n\n--- fra2 ping statistics ---\n5 packets transmitted, 5 received, 0% packet loss, time 4005ms\nrtt min/avg/max/mdev = 148.010/148.060/148.100/0.030 ms\n";
    let headless = |text: &str| {
        let lines = text.lines().filter(|l| !l.starts_with("PING "));
        lines.map(|l| format!("{l}\n")).collect::<String>()
    };
    // Closing lines alone are of the command above them.
    let bare = |text: &str| {
        let lines = text
            .lines()
            .filter(|l| !l.starts_with(['P', '-']) && !l.is_empty());
        lines.map(|l| format!("{l}\n")).collect::<String>()
    };
    for pings in [
        format!("{four}{six}"),
        format!("{six}{four}"),
        headless(four) + &headless(six),
        bare(four) + &bare(six),
    ] {
        let d = of(&format!("{log}{log6}{pings}"), &on("1Gbit/s"));
        assert_eq!(d.flows.len(), 2, "{:#?}", d.flows);
        let rtts: Vec<f64> = d.flows.iter().map(unloaded).collect();
        assert!((rtts[0] - 11.06).abs() < 0.1, "{rtts:?}");
        assert!((rtts[1] - 148.06).abs() < 0.1, "{rtts:?}");
        // Beside one flow the other's ping is named.
        let d = of(&format!("{log}{pings}"), &on("1Gbit/s"));
        let rtt = unloaded(&d.flows[0]);
        assert!((rtt - 11.06).abs() < 0.1, "{rtt}");
        let note = "this ping went by another version of IP than the flow";
        assert!(d.notes.iter().any(|n| n.contains(note)), "{:?}", d.notes);
    }
}

/// A trace by IPv6 is of no flow by IPv4, either.
#[test]
fn a_trace_by_the_other_version_of_ip_is_of_another_path() {
    let log = LOG.replace("to host 10.65.4.20", "to host fra2");
    let log6 = log.replace("10.20.1.11 port 44170", "2001:db8:1::10 port 44180");
    let log6 = log6.replace("10.65.4.20", "2001:db8:2::20");
    let four = "a$ ping -4 -c 5 fra2\n5 packets transmitted, 5 received, 0% packet loss, time 4005ms\nrtt min/avg/max/mdev = 11.010/11.060/11.100/0.030 ms\n";
    let six = "a$ traceroute -6 -n fra2\ntraceroute to fra2 (2001:db8:2::20), 30 hops max, 80 byte packets\n 1  2001:db8:1::1  0.401 ms  0.380 ms  0.370 ms\n 2  2001:db8:2::20  148.501 ms  148.612 ms  148.710 ms\n";
    let d = of(&format!("{log}{log6}{four}{six}"), &on("1Gbit/s"));
    assert_eq!(d.flows.len(), 2, "{:#?}", d.flows);
    let rtts: Vec<f64> = d.flows.iter().map(unloaded).collect();
    assert!((rtts[0] - 11.06).abs() < 0.5, "{rtts:?}");
    assert!((rtts[1] - 148.6).abs() < 0.5, "{rtts:?}");
}

/// A ping under a date of the evening is not of a test under one of the morning; where it is the only one it is better than none.
#[test]
fn pings_of_another_time_of_day_are_not_of_the_test() {
    let (morning, evening) = (
        "$ date\nSun Nov 29 04:00:00 UTC 2026\n",
        "$ date\nSun Nov 29 20:30:00 UTC 2026\n",
    );
    let near = ping("10.65.4.20 (10.65.4.20)", 18.0, 0);
    let late = ping("10.65.4.20 (10.65.4.20)", 63.0, 1);
    let d = of(
        &format!("{morning}{LOG}{near}{evening}{late}"),
        &on("10Gbit/s"),
    );
    let rtt = unloaded(&d.flows[0]);
    assert!((rtt - 18.1).abs() < 0.5, "{rtt}");
    let note = "is of another time than the test";
    assert!(d.notes.iter().any(|n| n.contains(note)), "{:?}", d.notes);
    let because = d.flows[0].verdict.because.join("\n");
    let moved =
        "pings of another time took 63.1 ms, and those of the test's time 18.1 ms, by another";
    assert!(because.contains(moved), "{because}");
    let d = of(&format!("{morning}{LOG}{evening}{late}"), &on("10Gbit/s"));
    let rtt = unloaded(&d.flows[0]);
    assert!((rtt - 63.1).abs() < 0.5, "{rtt}");
    assert!(!d.notes.iter().any(|n| n.contains(note)), "{:?}", d.notes);
}

/// A ping under a comment that names an upload is not of the download before it.
#[test]
fn pings_beside_other_traffic_are_not_of_the_test() {
    let download = LOG.replace(
        "port 5201\n[  5]",
        "port 5201\nReverse mode, remote host 10.65.4.20 is sending\n[  5]",
    );
    let rest = ping("10.65.4.20 (10.65.4.20)", 28.0, 0);
    let busy = ping("10.65.4.20 (10.65.4.20)", 1310.0, 0);
    let text = format!("{download}{rest}pc$ # now with the CCTV upload running\npc{busy}");
    let d = of(&text, &Known::default());
    let rtt = unloaded(&d.flows[0]);
    assert!((rtt - 28.1).abs() < 0.5, "{rtt}");
    let note = "ran beside other traffic than the test";
    assert!(d.notes.iter().any(|n| n.contains(note)), "{:?}", d.notes);
    // Of two tests between the same ends it is said once.
    let text = format!(
        "{download}{}{rest}pc$ # now with the CCTV upload running\npc{busy}",
        download.replace("44170", "44180")
    );
    let d = of(&text, &Known::default());
    let mut notes = d.notes.clone();
    notes.sort();
    notes.dedup();
    assert_eq!(notes.len(), d.notes.len(), "{:?}", d.notes);
}

/// The comments of a test and of a ping say that the same traffic ran beside both; another test's say that it had stopped.
#[test]
fn pings_beside_the_traffic_of_the_test_are_of_the_test() {
    let test = |comment: &str| format!("pc$ iperf3 -c 10.65.4.20 -t 30   # {comment}\n{LOG}");
    let rest = ping("10.65.4.20 (10.65.4.20)", 28.0, 0);
    let busy = ping("10.65.4.20 (10.65.4.20)", 1310.0, 0);
    let pings = format!("\nbackup running:\npc{busy}\nbackup stopped:\npc{rest}");
    let note = "ran beside other traffic than the test";
    let d = of(
        &format!("{}{pings}", test("while backup runs")),
        &Known::default(),
    );
    assert!(!d.notes.iter().any(|n| n.contains(note)), "{:?}", d.notes);
    let d = of(
        &format!("{}{pings}", test("backup stopped")),
        &Known::default(),
    );
    assert!(d.notes.iter().any(|n| n.contains(note)), "{:?}", d.notes);
    let rtt = unloaded(&d.flows[0]);
    assert!((rtt - 28.1).abs() < 0.5, "{rtt}");
}

/// A kernel answers pings: where as many of them are lost as datagrams, the path takes both, and not the receiving program.
#[test]
fn pings_that_are_lost_as_datagrams_are_clear_the_receiving_program() {
    let text = |received: u32, lost: &str| {
        format!(
            "$ iperf3 -u -c 10.0.9.5 -b 1M -t 10
[  5] local 10.0.0.5 port 50311 connected to 10.0.9.5 port 5201
[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams
[  5]   0.00-10.00  sec  1.19 MBytes  1.00 Mbits/sec  0.000 ms  0/864 (0%)  sender
[  5]   0.00-10.03  sec  1.13 MBytes   948 Kbits/sec  0.221 ms  44/864 (5.1%)  receiver
$ ping -c 1000 -i 0.05 -q 10.0.9.5
PING 10.0.9.5 (10.0.9.5) 56(84) bytes of data.

--- 10.0.9.5 ping statistics ---
1000 packets transmitted, {received} received, {lost}% packet loss, time 50190ms
rtt min/avg/max/mdev = 8.301/9.020/14.400/1.100 ms
"
        )
    };
    let said = "its kernel answers pings, so that no program lost those";
    let both = first_flow(of(&text(949, "5.1"), &Known::default()));
    assert_eq!(both.verdict.cause, "random_loss", "{:?}", both.verdict);
    assert!(both.verdict.because.join("\n").contains(said));
    // Chance takes its share at any rate: to send more slowly does not help.
    let mut commands = both.changes.iter().flat_map(|c| &c.commands);
    assert!(commands.all(|c| !c.contains("no more than what arrived")));
    let none = first_flow(of(&text(1000, "0"), &Known::default()));
    assert_ne!(none.verdict.cause, "random_loss", "{:?}", none.verdict);
    assert!(!none.verdict.because.join("\n").contains(said));
}

/// Times of day stand above a test and three pings: each ping is of the test that is nearest to it.
#[test]
fn pings_under_another_time_of_day_are_not_under_the_tests_load() {
    let early = ping("10.65.4.20 (10.65.4.20)", 11.0, 0);
    let late = ping("10.65.4.20 (10.65.4.20)", 35.0, 0);
    let text = format!("13:00\n\n{LOG}\n14:00 ping\n{early}\n20:31 ping\n{late}");
    let d = of(&text, &on("10Gbit/s"));
    let flow = &d.flows[0];
    let rtt = unloaded(flow);
    assert!((rtt - 11.1).abs() < 0.5, "{rtt}");
    let because = flow.verdict.because.join("\n");
    assert!(!because.contains("under load"), "{because}");
    let note = "is of another time than the test";
    assert!(d.notes.iter().any(|n| n.contains(note)), "{:?}", d.notes);
}

/// The TTL of the answers is another than yesterday: so is the route.
#[test]
fn another_ttl_than_yesterday_is_another_route() {
    let run = |ms: f64, ttl: u32| {
        format!(
            "$ ping -c 10 10.65.4.20\nPING 10.65.4.20 (10.65.4.20) 56(84) bytes of data.\n64 bytes from 10.65.4.20: icmp_seq=1 ttl={ttl} time={ms} ms\n\n--- 10.65.4.20 ping statistics ---\n10 packets transmitted, 10 received, 0% packet loss, time 9012ms\nrtt min/avg/max/mdev = {ms}/{ms}/{ms}/0.0 ms\n"
        )
    };
    let of = |ttl: u32| {
        let text = format!(
            "yesterday:\n{}today:\n{}{LOG}",
            run(24.1, 56),
            run(98.2, ttl)
        );
        flow(&text).verdict.because.join("\n")
    };
    let turned = of(51);
    let said = "The route has changed, as the TTL of the answers did, from 56 to 51";
    assert!(turned.contains(said), "{turned}");
    let same = of(56);
    let said = "by another route or a queue of others";
    assert!(same.contains(said), "{same}");
}

/// Pings of which none was answered, with what was said instead of an answer.
fn unanswered(prompt: &str, to: &str, said: &str) -> String {
    format!(
        "{prompt}ping -c 3 {to}\nPING {to} ({to}) 56(84) bytes of data.\n{said}\n--- {to} ping statistics ---\n3 packets transmitted, 0 received, 100% packet loss, time 2050ms\n\n"
    )
}

fn unrated(text: &str) -> FlowReport {
    first_flow(of(text, &Known::default()))
}

/// Two routers that answer in turn: that was "a firewall that drops pings gives the same picture".
#[test]
fn a_loop_of_routers_is_named() {
    let to = "203.0.113.129";
    let expired = "From 192.0.2.33 icmp_seq=1 Time to live exceeded\n";
    let pings = unanswered("noc@lg:~$ ", to, expired);
    let trace = |second: &str| {
        let hop = |n: u32| {
            let router = if n.is_multiple_of(2) {
                "192.0.2.33"
            } else {
                second
            };
            format!("{n:2}  {router}  {n}.1 ms  {n}.1 ms  {n}.0 ms\n")
        };
        let hops: String = (2..11).map(hop).collect();
        format!(
            "noc@lg:~$ traceroute -n -m 10 {to}\ntraceroute to {to} ({to}), 10 hops max, 60 byte packets\n 1  198.51.100.1  0.3 ms  0.2 ms  0.2 ms\n{hops}"
        )
    };
    let looped = unrated(&format!("{pings}{}", trace("192.0.2.34")));
    let why = looped.verdict.because.join("\n");
    let says = "192.0.2.33 and 192.0.2.34 send what goes to 203.0.113.129 round, from hop 2 on";
    assert!(why.contains(says), "{why}");
    let asks = &looped.missing[0].command;
    assert!(asks.contains("show ip route 203.0.113.129"), "{asks}");
    // Without a trace the answers alone say as much as they can, and one router that answers for all makes no loop.
    for text in [pings.clone(), format!("{pings}{}", trace("192.0.2.33"))] {
        let flow = unrated(&text);
        let why = flow.verdict.because.join("\n");
        assert!(!why.contains("is a loop of routers"), "{why}");
        let asks = &flow.missing[0].would_decide;
        assert!(asks.contains("time to live"), "{asks}");
        assert!(!asks.contains("firewall that drops"), "{asks}");
    }
    let silent = unrated(&unanswered("noc@lg:~$ ", to, ""));
    let asks = &silent.missing[0].would_decide;
    assert!(asks.contains("a firewall that drops pings"), "{asks}");
}

/// The host itself says that nothing answers ARP for its gateway: `ip neigh` was asked for, which stands in the text.
#[test]
fn a_neighbour_without_a_hardware_address_is_named() {
    let prompt = "root@srv44:~# ";
    let own = format!("{prompt}ip -br a\neno1             UP             10.90.4.44/24\n");
    let by = |address: &str| format!("From {address} icmp_seq=1 Destination Host Unreachable\n");
    let rows = format!("{prompt}ip neigh\n10.90.4.1 dev eno1 FAILED\n");
    let near = unanswered(prompt, "10.90.4.1", &by("10.90.4.44"));
    let flow = unrated(&format!("{own}{near}{rows}"));
    let asks = &flow.missing[0];
    let found = "found no hardware address of 10.90.4.1";
    assert!(asks.would_decide.contains(found), "{asks:#?}");
    let command = "arping -c 3 -I eno1 10.90.4.1";
    assert!(asks.command.contains(command), "{asks:#?}");
    // What a router far away says is of its own network.
    let far = unanswered(prompt, "203.0.113.9", &by("192.0.2.77"));
    let flow = unrated(&format!("{own}{far}{rows}"));
    let asks = &flow.missing[0];
    let found = "192.0.2.77 says that the host is unreachable";
    assert!(asks.would_decide.contains(found), "{asks:#?}");
}

/// A filter that says so was "a firewall that drops pings gives the same picture", and the trace was asked for that stands in the text.
#[test]
fn a_filter_that_says_so_is_named() {
    let to = "198.51.100.77";
    let filtered = "From 192.0.2.33 icmp_seq=1 Packet filtered\n";
    let flow = unrated(&unanswered("noc@lg:~$ ", to, filtered));
    let asks = &flow.missing[0];
    assert!(
        asks.would_decide
            .contains("192.0.2.33 answers that a filter"),
        "{asks:#?}"
    );
    assert!(asks.command.starts_with("on 192.0.2.33"), "{asks:#?}");
    let denied = "ping: sendmsg: Operation not permitted\n";
    let flow = unrated(&unanswered("noc@lg:~$ ", to, denied));
    let why = flow.verdict.because.join("\n");
    assert!(why.contains("rule of its own firewall"), "{why}");
    assert!(flow.missing[0].command.contains("iptables -nvL OUTPUT"));
    // A ping that may not open its socket says nothing of a firewall.
    let socket = "ping: socket: Operation not permitted\n";
    let flow = unrated(&unanswered("noc@lg:~$ ", to, socket));
    let why = flow.verdict.because.join("\n");
    assert!(!why.contains("own firewall"), "{why}");
}

/// The row below a command that names its interface has none itself.
#[test]
fn a_neighbour_of_a_named_interface_is_known() {
    let near = unanswered(
        "root@srv44:~# ",
        "10.90.4.1",
        "From 10.90.4.44 icmp_seq=1 Destination Host Unreachable\n",
    );
    let rows = "root@srv44:~# ip neigh show dev eno1\n10.90.4.1 FAILED\n";
    let flow = unrated(&format!("{near}{rows}"));
    let command = "arping -c 3 -I eno1 10.90.4.1";
    assert!(
        flow.missing[0].command.contains(command),
        "{:#?}",
        flow.missing
    );
}

/// What is slow was asked, as of a clean path.
#[test]
fn a_disk_without_room_is_named() {
    let copy = "rsync: [receiver] write failed on \"/srv/a.img\": No space left on device (28)\n";
    let pings = "b1:~$ ping -qc 5 192.0.2.7\n5 packets transmitted, 5 received, 0% packet loss, time 4005ms\nrtt min/avg/max/mdev = 31.011/31.101/31.202/0.070 ms\n";
    let flow = unrated(&format!("{copy}{pings}"));
    let why = flow.verdict.because.join("\n");
    assert!(why.contains("the file system there is full"), "{why}");
    let flow = unrated(pings);
    let why = flow.verdict.because.join("\n");
    assert!(!why.contains("file system"), "{why}");
}

/// Nothing of it was read: "says nothing of a path".
#[test]
fn a_sender_that_does_not_heed_a_router_is_a_hole() {
    let segment = "03:40:01.100 IP 10.1.1.5.993 > 10.8.0.7.50112: Flags [.], seq 1:1449, ack 80, win 501, length 1448\n";
    let report = "03:40:01.101 IP 10.1.1.1 > 10.1.1.5: ICMP 10.8.0.7 unreachable - need to frag (mtu 1420), length 556\n";
    let flow = unrated(&format!("{segment}{report}").repeat(4));
    assert_eq!(flow.verdict.cause, "mtu_black_hole", "{:#?}", flow.verdict);
    // Smaller segments behind the report heed it.
    let heeds = segment.replace("1:1449", "1:1369").replace("1448", "1368");
    let flow = unrated(&format!("{segment}{report}{heeds}"));
    assert_eq!(flow.verdict.cause, "unknown", "{:#?}", flow.verdict);
}
