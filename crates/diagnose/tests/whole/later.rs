//! What intervals show once slow start is over: limits that stay, rates that follow their window, episodes of losses; and what is
//! said where two causes are as likely or settings are unknown.

use farpath_diagnose::{FlowReport, Known};

use crate::{of, of_files, on};

/// A log of iperf3 of so many connections, an interval a second: rates of all in Mbit/s, segments sent again, and the congestion window
/// of one in MiB, which sums do not have.
fn log(streams: u32, rows: &[(f64, u32, f64)]) -> String {
    let mut all = String::from("Connecting to host 198.51.100.2, port 5201\n");
    let each = |n: u32| 5 + 2 * n;
    for n in 0..streams {
        all += &format!(
            "[{:>3}] local 192.0.2.1 port {} connected to 198.51.100.2 port 5201\n",
            each(n),
            40_000 + n
        );
    }
    all += "[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n";
    let seconds = rows.len() as f64;
    let row = |name: &str, (from, until): (f64, f64), mbit: f64, end: &str| {
        let size = mbit * (until - from) / 8.388_608;
        format!(
            "[{name}]   {from:.2}-{until:.2}   sec  {size:.2} MBytes  {mbit:.1} Mbits/sec  {end}\n"
        )
    };
    let mut span = |span, mbit: f64, end: &str, sum: &str| {
        for n in 0..streams {
            let name = format!("{:>3}", each(n));
            all += &row(&name, span, mbit / f64::from(streams), end);
        }
        if streams > 1 {
            all += &row("SUM", span, mbit, sum);
        }
    };
    for (n, (mbit, again, cwnd)) in rows.iter().enumerate() {
        let from = n as f64;
        let end = format!("{again}   {cwnd:.2} MBytes");
        span((from, from + 1.0), *mbit, &end, &again.to_string());
    }
    let mean = rows.iter().map(|r| r.0).sum::<f64>() / seconds;
    let again: u32 = rows.iter().map(|r| r.1).sum();
    let sent = format!("{again}             sender");
    span((0.0, seconds), mean, &sent, &sent);
    span((0.0, seconds), mean, "                receiver", "receiver");
    all + "\n"
}

const PING: &str = "\
20 packets transmitted, 20 received, 0% packet loss, time 19030ms
rtt min/avg/max/mdev = 199.8/200.0/200.3/0.1 ms
";

fn sysctl(rmem: u64, wmem: u64) -> [(&'static str, String); 2] {
    ["sender.txt", "receiver.txt"].map(|name| {
        let text = format!(
            "net.ipv4.tcp_rmem = 4096\t131072\t{rmem}\nnet.ipv4.tcp_wmem = 4096\t16384\t{wmem}\nnet.ipv4.tcp_adv_win_scale = 1\n"
        );
        (name, text)
    })
}

fn flows(files: &[(&str, String)], line: &str) -> Vec<FlowReport> {
    let files: Vec<(&str, &str)> = files.iter().map(|(n, t)| (*n, t.as_str())).collect();
    of_files(&files, &on(line)).flows
}

/// Ten seconds over 200 ms, of which slow start takes three; from then on so many Mbit/s.
fn settled(mbit: f64) -> Vec<(f64, u32, f64)> {
    let mut rows = vec![(3.0, 0, 0.5), (50.0, 0, 4.0), (0.9 * mbit, 0, 12.0)];
    rows.extend([(mbit, 0, 18.0); 7]);
    rows
}

/// Half of 16 MiB is window (`tcp_adv_win_scale` 1): 8 388 608 bytes over 200 ms are 335.5 Mbit/s, as the intervals from the third
/// second on have them. The mean of all ten is 262 Mbit/s.
#[test]
fn a_window_is_compared_with_the_rate_after_the_start() {
    let mut files = vec![("ticket.txt", log(1, &settled(335.0)) + PING)];
    files.extend(sysctl(1 << 24, 1 << 28));
    let flow = &flows(&files, "10 Gbit/s")[0];
    assert_eq!(flow.verdict.cause, "receive_window", "{:#?}", flow.verdict);
    assert!(flow.verdict.confidence >= 0.9, "{:#?}", flow.verdict);
    let because = flow.verdict.because.join("\n");
    assert!(because.contains("335 Mbit/s after its start"), "{because}");
}

/// Six seconds over 240 ms, of which slow start takes two: the other four have 105 Mbit/s each, half of 6 291 456 bytes in each round trip.
#[test]
fn a_rate_that_stands_still_is_the_windows_and_not_slow_start() {
    let row = |n: usize, mbit: f64| {
        format!(
            "[  5]   {n}.00-{}.00   sec  {:.1} MBytes  {mbit} Mbits/sec    0   3.01 MBytes\n",
            n + 1,
            mbit / 8.388_608
        )
    };
    let rates = [10.5, 94.4, 105.0, 105.0, 105.0, 105.0].into_iter();
    let rows: String = rates.enumerate().map(|(n, mbit)| row(n, mbit)).collect();
    let text = format!(
        "[root@jb ~]# iperf3 -c tyo -t 6
[  5] local 10.0.0.1 port 40000 connected to 10.9.9.9 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
{rows}- - - - - - - - - - - - - - - - - - - - - - - - -
[  5]   0.00-6.00   sec  62.5 MBytes  87.4 Mbits/sec    0             sender
[  5]   0.00-6.24   sec  62.0 MBytes  83.3 Mbits/sec                  receiver
[root@jb ~]# ping -c 5 -q tyo
5 packets transmitted, 5 received, 0% packet loss, time 4008ms
rtt min/avg/max/mdev = 240.001/240.122/240.400/0.110 ms
[root@tyo ~]# sysctl net.ipv4.tcp_rmem
net.ipv4.tcp_rmem = 4096\t131072\t6291456
[root@jb ~]# sysctl net.ipv4.tcp_wmem
net.ipv4.tcp_wmem = 4096\t16384\t67108864
"
    );
    let flow = of(&text, &Known::default()).flows.remove(0);
    assert_eq!(flow.verdict.cause, "receive_window", "{:#?}", flow.verdict);
    assert!(flow.ceilings.iter().all(|c| c.cause != "ramp"));
}

/// The same of eight connections, and of the sender's buffer.
#[test]
fn so_is_a_buffer_and_so_are_connections_side_by_side() {
    let mut files = vec![("ticket.txt", log(8, &settled(8.0 * 335.0)) + PING)];
    files.extend(sysctl(1 << 24, 1 << 28));
    let flow = &flows(&files, "10 Gbit/s")[0];
    assert_eq!(flow.verdict.cause, "receive_window", "{:#?}", flow.verdict);
    let mut files = vec![("ticket.txt", log(1, &settled(335.0)) + PING)];
    files.extend(sysctl(1 << 28, 10_000_000));
    let flow = &flows(&files, "10 Gbit/s")[0];
    assert_eq!(flow.verdict.cause, "send_buffer", "{:#?}", flow.verdict);
}

/// A window of 16 MiB that losses cut to seven tenths (RFC 9438 §4.6) and that grows again, over 200 ms.
fn sawtooth() -> Vec<(f64, u32, f64)> {
    let mut window = 16.0;
    let mut rows = vec![(5.0, 0, 1.0), (120.0, 0, 8.0)];
    for n in 0..28 {
        let again = u32::from(n % 7 == 3);
        let before = window;
        window *= if again > 0 { 0.7 } else { 1.06 };
        let mean: f64 = f64::midpoint(before, window);
        rows.push((mean * 8.388_608 / 0.2, again, window));
    }
    rows
}

#[test]
fn a_rate_that_follows_its_window_through_cuts_is_not_held_by_the_program() {
    let d = of(&log(1, &sawtooth()), &on("10 Gbit/s"));
    let verdict = &d.flows[0].verdict;
    let losses = [
        "random_loss",
        "congestion_loss",
        "shallow_buffer",
        "policer",
        "unknown",
    ];
    assert!(losses.contains(&verdict.cause), "{verdict:#?}");
    let asked: Vec<&str> = d.flows[0].missing.iter().map(|m| m.fact).collect();
    assert_eq!(asked.first(), Some(&"rtt"), "{asked:?}");
    let because = verdict.because.join("\n");
    assert!(
        because.contains("goes up and down with the congestion window"),
        "{because}"
    );
}

#[test]
fn a_window_that_is_not_used_is_not_followed() {
    let rows: Vec<(f64, u32, f64)> = (0..20)
        .map(|n| {
            (
                if n % 3 == 0 { 20.0 } else { 90.0 },
                u32::from(n == 9),
                12.0,
            )
        })
        .collect();
    let d = of(&log(1, &rows), &on("10 Gbit/s"));
    let because = d.flows[0].verdict.because.join("\n");
    assert!(!because.contains("goes up and down"), "{because}");
}

/// A test sends all it can unless it was asked not to, or its sender's kernel says that there was nothing to send.
#[test]
fn a_test_is_not_held_by_its_program_unless_something_says_so() {
    let rows: Vec<(f64, u32, f64)> = (0..20)
        .map(|n| (if n % 3 == 0 { 20.0 } else { 90.0 }, 0, 12.0))
        .collect();
    let text = log(1, &rows);
    let cause = |text: &str| {
        let d = of(text, &on("10 Gbit/s"));
        (d.flows[0].verdict.cause, d.flows[0].changes.clone())
    };
    assert_eq!(cause(&text), ("unknown", Vec::new()));
    let idle = "ESTAB 0 0 192.0.2.1:40000 198.51.100.2:5201\n\t cubic wscale:7,10 rto:404 rtt:200.3/0.5 mss:1448 cwnd:9000 bytes_sent:167000000 bytes_acked:167000000 app_limited busy:2000ms minrtt:200.1\n";
    let (named, changes) = cause(&format!("{text}{idle}"));
    assert_eq!(named, "application");
    let commands = changes[0].commands.join("\n");
    assert!(commands.contains("without a rate"), "{commands}");
}

/// Two losses of a whole minute tell no kinds apart, and neither do hundreds that come at one time.
#[test]
fn few_episodes_of_losses_leave_their_kind_open() {
    let sizes = (0..60).map(|n| 40.0 + f64::from(n % 20));
    let few: Vec<(f64, u32, f64)> = sizes
        .clone()
        .enumerate()
        .map(|(n, mbit)| (mbit, u32::from(n % 20 == 19), mbit / 40.0))
        .collect();
    let once: Vec<(f64, u32, f64)> = sizes
        .enumerate()
        .map(|(n, mbit)| (mbit, if n == 3 { 1400 } else { 0 }, mbit / 40.0))
        .collect();
    for rows in [few, once] {
        let d = of(&(log(1, &rows) + PING), &on("1 Gbit/s"));
        let flow = &d.flows[0];
        assert!(flow.verdict.confidence < 0.9, "{:#?}", flow.verdict);
        let asked: Vec<&str> = flow.missing.iter().map(|m| m.fact).collect();
        assert!(asked.contains(&"datagram_loss_ratio"), "{asked:?}");
    }
}

/// What passes stays at 50 Mbit/s while segments are lost in every interval.
#[test]
fn a_policer_is_said_to_be_one_with_a_reason() {
    let rows: Vec<(f64, u32, f64)> = (0..24)
        .map(|n| (50.0 - f64::from(n % 3), 300 + 13 * (n % 5), 1.3))
        .collect();
    let d = of(&(log(1, &rows) + PING), &on("1 Gbit/s"));
    let verdict = &d.flows[0].verdict;
    assert_eq!(verdict.cause, "policer", "{verdict:#?}");
    let because = verdict.because.join("\n");
    assert!(
        because.contains("a policer takes whatever comes"),
        "{because}"
    );
    assert!(
        because.contains("in 20 of 20 intervals after the start"),
        "{because}"
    );
}

/// One connection of 310 Mbit/s beside eight that carry 2.1 Gbit/s: each has a limit of its own.
#[test]
fn what_you_measured_is_a_connection_beside_that_of_a_log() {
    let known = Known {
        measured: Some("310 Mbit/s".parse().expect("a rate")),
        ..on("10 Gbit/s")
    };
    let text = log(8, &settled(2600.0)) + PING;
    let d = of(&text, &known);
    let rates: Vec<Option<f64>> = d.flows.iter().map(|f| f.observed.goodput_bps).collect();
    assert_eq!(rates.len(), 2, "{rates:?}");
    assert!(rates[0].is_some_and(|r| r > 2e9), "{rates:?}");
    assert_eq!(rates[1], Some(310e6));
    assert!(d.flows[1].name.ends_with("(as you measured)"));
    let because = d.flows[1].verdict.because.join("\n");
    assert!(because.contains("8 times the connections"), "{because}");
    // As likely as another or not: against what is unknown nothing is changed.
    assert_eq!(
        d.flows[1].verdict.cause, "unknown",
        "{:#?}",
        d.flows[1].verdict
    );
    assert_eq!(d.flows[1].changes, []);
    // The same rate once more is the same test.
    let known = Known {
        measured: Some("2.05 Gbit/s".parse().expect("a rate")),
        ..on("10 Gbit/s")
    };
    assert_eq!(of(&text, &known).flows.len(), 1);
}

/// Without settings a window and a buffer are as likely: both are to be changed, and one alone promises nothing.
#[test]
fn of_an_even_draw_both_changes_are_named() {
    let single = log(1, &[(335.0, 0, 18.0); 12]);
    let wide = log(8, &settled(2680.0)).replace("port 400", "port 410");
    let d = of(&(wide + &single + PING), &on("10 Gbit/s"));
    let flow = &d.flows[1];
    let second = flow.verdict.second.as_ref().map(|s| s.cause);
    assert_eq!(flow.verdict.cause, "receive_window", "{:#?}", flow.verdict);
    assert_eq!(second, Some("send_buffer"), "{:#?}", flow.verdict);
    assert_eq!(flow.changes.len(), 2, "{:#?}", flow.changes);
    assert_eq!(flow.changes[0].predicted_bps, None);
    assert!(flow.changes[0].commands[0].contains("or make both"));
    assert!(flow.changes[1].predicted_bps.is_some_and(|bps| bps > 9e9));
}

/// What is to be raised is asked for, however sure it is that it limits: no setting is made smaller than it is.
#[test]
fn a_setting_that_is_to_be_changed_is_asked_for() {
    let socket = "ESTAB 0 24576000 192.0.2.1:40000 198.51.100.2:5201\n\t ts sack cubic wscale:10,10 rto:404 rtt:200.2/0.1 mss:1448 cwnd:13034 bytes_sent:1260000000 bytes_acked:1250000000 busy:29990ms rwnd_limited:27710ms(92.4%) unacked:5793 notsent:15138816 minrtt:200.1 snd_wnd:8388608\n";
    let d = of(socket, &Known::default());
    let flow = &d.flows[0];
    assert_eq!(flow.verdict.cause, "receive_window", "{:#?}", flow.verdict);
    assert!(flow.verdict.confidence >= 0.9, "{:#?}", flow.verdict);
    let asked: Vec<&str> = flow.missing.iter().map(|m| m.fact).collect();
    assert!(asked.contains(&"receive_window_bytes"), "{asked:?}");
    let first = &flow.changes[0].commands[0];
    assert!(
        first.starts_with("print them first, with sysctl "),
        "{first}"
    );
    // Nobody says which rate is wanted: 25.0 MB are in flight of 1 Gbit/s over 200.2 ms.
    let last = flow.changes[0].commands.last().expect("there are some");
    assert!(
        last.contains("is to be 67108864 for 1.00 Gbit/s, 536870912 for 10.0 Gbit/s"),
        "{last}"
    );
}

/// A test over so many milliseconds of which the mean alone is known, and a send buffer of so many bytes at the sender.
fn mean(ms: f64, rows: [&str; 2], wmem: u32) -> String {
    let [sent, received] = rows;
    format!(
        "a$ ping -c 20 b
20 packets transmitted, 20 received, 0% packet loss, time 19028ms
rtt min/avg/max/mdev = {:.3}/{:.3}/{:.3}/0.171 ms
a$ iperf3 -c b
[  5] local 192.0.2.4 port 40004 connected to 198.51.100.4 port 5201
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   {sent}    0             sender
[  5]   {received}                  receiver
a$ sysctl net.ipv4.tcp_wmem
net.ipv4.tcp_wmem = 4096 16384 {wmem}
b$ sysctl net.ipv4.tcp_rmem
net.ipv4.tcp_rmem = 4096 131072 67108864
",
        ms + 0.101,
        ms + 0.32,
        ms + 0.804
    )
}

/// A buffer that leaves more at its least than was measured does not decide: a line of 1 Gbit/s leaves this mean, as slow start takes a tenth.
#[test]
fn a_buffer_that_leaves_more_than_was_measured_is_not_the_cause() {
    let tokyo = mean(
        241.0,
        [
            "0.00-30.00  sec  3.01 GBytes   862 Mbits/sec",
            "0.00-30.24  sec  2.99 GBytes   849 Mbits/sec",
        ],
        67_108_864,
    );
    let other = mean(
        200.0,
        [
            "0.00-20.00  sec  1.93 GBytes   829 Mbits/sec",
            "0.00-20.20  sec  1.92 GBytes   816 Mbits/sec",
        ],
        50_331_648,
    );
    for (text, measured) in [
        (&tokyo, "999 Mbit/s at least by its settings, and 849"),
        (&other, "902 Mbit/s at least by its settings, and 816"),
    ] {
        for known in [Known::default(), on("10 Gbit/s")] {
            let flow = crate::first_flow(of(text, &known));
            assert_eq!(flow.verdict.cause, "unknown", "{:#?}", flow.verdict);
            let why = crate::because(&flow);
            assert!(why.contains(measured), "{why}");
        }
        let flow = crate::first_flow(of(text, &on("1 Gbit/s")));
        assert_eq!(flow.verdict.cause, "link", "{:#?}", flow.verdict);
        let why = crate::because(&flow);
        assert!(why.contains("of the test's time on this path"), "{why}");
    }
}
