//! Shapers on the way: a router's prompt in the text of a sender, and what its queue makes others wait.

use farpath_diagnose::{FlowReport, Known, Source, read, twin};

use crate::{first_flow, of, on};

/// Pings of a path of 30 ms, at rest and while a queue stands.
fn ping(ms: [f64; 3]) -> String {
    let [least, mean, most] = ms;
    format!(
        "admin@oslo:~$ ping -q -c 20 lima\nPING lima (198.51.100.61) 56(84) bytes of data.\n\n--- lima ping statistics ---\n20 packets transmitted, 20 received, 0% packet loss, time 19031ms\nrtt min/avg/max/mdev = {least}/{mean}/{most}/0.2 ms\n\n"
    )
}

/// 114 Mbit/s, hardly any interval of which differs.
fn log() -> String {
    let mut all = "admin@oslo:~$ iperf3 -c lima -t 12\nConnecting to host lima, port 5201\n[  5] local 192.0.2.16 port 40116 connected to 198.51.100.61 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n".to_owned();
    for n in 0..12 {
        let mbit = if n == 0 {
            108.1
        } else {
            114.0 + f64::from(n % 3) * 0.2
        };
        let size = mbit / 8.388_608;
        all += &format!(
            "[  5]   {n}.00-{}.00   sec  {size:.1} MBytes  {mbit:.1} Mbits/sec    0   910 KBytes\n",
            n + 1
        );
    }
    all + "- - - - -\n[ ID] Interval           Transfer     Bitrate         Retr\n[  5]   0.00-12.00  sec   163 MBytes   114 Mbits/sec    0             sender\n[  5]   0.00-12.04  sec   163 MBytes   113 Mbits/sec                  receiver\n\niperf Done.\n\n"
}

/// Buffers that hold nothing down.
const SETTINGS: &str =
    "net.ipv4.tcp_rmem = 4096 131072 67108864\nnet.ipv4.tcp_wmem = 4096 16384 67108864\n\n";

const QDISC: &str = "qdisc tbf 8003: root refcnt 2 rate 120Mbit burst 32Kb lat 300ms \n Sent 178257920 bytes 117739 pkt (dropped 0, overlimits 2213341 requeues 0) \n backlog 406Kb 268p requeues 0\n";

fn text(prompt: &str) -> String {
    ping([30.1, 30.2, 30.4]) + &log() + &ping([56.4, 57.2, 58.1]) + prompt + QDISC
}

fn flow(text: &str, known: &Known) -> FlowReport {
    first_flow(of(text, known))
}

const ROUTER: &str = "root@gw7:~# tc -s qdisc show dev ens4\n";

#[test]
fn a_router_that_is_named_shapes_as_one_that_is_not() {
    let unnamed = flow(&text("our router says:\n"), &Known::default());
    for known in [Known::default(), on("1 Gbit/s")] {
        let flow = flow(&text(ROUTER), &known);
        let verdict = &flow.verdict;
        assert_eq!(verdict.cause, "shaper", "{verdict:#?}");
        assert!(verdict.confidence >= unnamed.verdict.confidence - 0.01);
        let shaper = flow.ceilings.iter().find(|c| c.cause == "shaper");
        assert_eq!(shaper.expect("it is stated").limit_bps, 120e6);
        // Nineteen twentieths of what it is set to, on the interface that the command names.
        let change = &flow.changes[0];
        assert_eq!(change.host, "gw7");
        let sets = |c: &String| c.ends_with("dev ens4 root cake bandwidth 114000kbit");
        assert!(change.commands.iter().any(sets), "{:?}", change.commands);
        // What it replaces is printed before, as the undo takes it.
        assert!(
            change.commands[0].starts_with("tc qdisc show dev ens4"),
            "{:?}",
            change.commands
        );
    }
}

/// No queue was seen: nothing but the rate says that the flow goes through that host.
#[test]
fn a_shaper_of_a_host_that_no_text_ties_to_the_path_is_only_assumed() {
    let rest = ping([30.1, 30.2, 30.4]);
    let assumed = |text: &str| {
        let flow = flow(text, &Known::default());
        assert_eq!(flow.verdict.cause, "shaper", "{:#?}", flow.verdict);
        let said = crate::because(&flow).contains("that this flow goes through gw7 is assumed");
        let asked = crate::asked(&flow).contains(&"host_name");
        (said, asked, flow.verdict.confidence <= 0.6)
    };
    let unseen = format!("{rest}{}{ROUTER}{QDISC}", log());
    assert_eq!(assumed(&unseen), (true, true, true));
    assert_eq!(assumed(&text(ROUTER)), (false, false, false));
}

/// What the receiver itself sends is not this flow's data.
#[test]
fn a_shaper_of_the_receiver_is_not_on_the_way() {
    let flow = flow(
        &text("root@lima:~# tc -s qdisc show dev ens4\n"),
        &Known::default(),
    );
    let shaper = flow.ceilings.iter().find(|c| c.cause == "shaper");
    assert_eq!(shaper, None);
}

#[test]
fn what_others_wait_is_what_was_seen() {
    let risk = |text: &str| flow(text, &Known::default()).changes[0].risk.clone();
    let seen = risk(&text(ROUTER));
    assert!(
        seen.contains("no longer waits 27.0 ms, as was seen under load, and 300 ms at most"),
        "{seen}"
    );
    // Without pings under load only the settings say it.
    let rest = ping([30.1, 30.2, 30.4]);
    let text = format!("{SETTINGS}{rest}{}{ROUTER}{QDISC}", log());
    let unseen = flow(&text, &on("1 Gbit/s")).changes[0].risk.clone();
    assert!(unseen.contains("up to 300 ms"), "{unseen}");
}

/// 27.1 ms at the shaper's 120 Mbit/s are 406 kB, whatever the line behind it carries: what the backlog says, too.
#[test]
fn a_twins_queue_is_as_long_at_the_rate_that_drains_it() {
    for line in [None, Some("1 Gbit/s")] {
        let source = Source {
            name: "ticket.txt".to_owned(),
            bytes: text(ROUTER).into_bytes(),
        };
        let mut facts = read(&[source]);
        line.map_or_else(Known::default, on).tell(&mut facts);
        let twin = twin(&facts, 0).expect("its length is known");
        assert!(
            twin.scenario.contains("forward.queue = \"406."),
            "{}",
            twin.scenario
        );
        assert_eq!(twin.rtt_s.map(|s| (s * 1e4).round()), Some(572.0));
    }
}
