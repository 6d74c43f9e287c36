//! What is to be changed: the setting that holds, one value for a host, no more than gains, and the system's own commands.

use farpath_diagnose::{Change, Known};

use crate::{of, of_files, on};

/// A path of 10 Gbit/s and 165 ms, on which this was measured.
fn far(measured: Option<&str>) -> Known {
    Known {
        rtt: Some("165ms".parse().expect("a time")),
        measured: measured.map(|rate| rate.parse().expect("a rate")),
        ..on("10Gbit/s")
    }
}

fn commands(changes: &[Change]) -> Vec<&str> {
    let all = changes.iter().flat_map(|c| &c.commands);
    all.map(String::as_str).collect()
}

/// Without tuning the third number is of no use, however large: tuning comes on, and 512 MiB are enough then.
#[test]
fn tuning_that_is_off_comes_on_before_anything_else() {
    let receiver = |most: &str| {
        format!(
            "net.ipv4.tcp_rmem = 4096 131072 {most}\nnet.ipv4.tcp_moderate_rcvbuf = 0\nnet.core.rmem_max = 536870912\n"
        )
    };
    let d = of_files(
        &[("receiver.txt", &receiver("536870912"))],
        &far(Some("3.1Mbit/s")),
    );
    let flow = &d.flows[0];
    assert_eq!(flow.verdict.cause, "receive_window", "{:#?}", flow.verdict);
    assert_eq!(
        commands(&flow.changes),
        ["sysctl -w net.ipv4.tcp_moderate_rcvbuf=1"]
    );
    assert_eq!(
        flow.changes[0].undo,
        ["sysctl -w net.ipv4.tcp_moderate_rcvbuf=0"]
    );
    assert_eq!(
        flow.changes[0].persist[1],
        "net.ipv4.tcp_moderate_rcvbuf = 1"
    );
    // A third number that is too small is raised, too.
    let d = of_files(
        &[("receiver.txt", &receiver("6291456"))],
        &far(Some("3.1Mbit/s")),
    );
    let all = commands(&d.flows[0].changes);
    assert_eq!(all[0], "sysctl -w net.ipv4.tcp_moderate_rcvbuf=1");
    assert!(
        all.iter()
            .any(|c| c.contains("tcp_rmem=\"4096 131072 536870912\"")),
        "{all:?}"
    );
}

/// A log of one stream or eight, whose rate is that of a window of 6553600 bytes over 165 ms each.
fn log(streams: u32, port: u16) -> String {
    let mut all = "Connecting to host 10.65.4.20, port 5201\n".to_owned();
    let id = |n: u32| 5 + 2 * n;
    for n in 0..streams {
        all += &format!(
            "[{:3}] local 10.20.1.11 port {} connected to 10.65.4.20 port 5201\n",
            id(n),
            u32::from(port) + 2 * n
        );
    }
    all += "[ ID] Interval           Transfer     Bitrate         Retr\n";
    for n in 0..streams {
        for end in ["0             sender", "                receiver"] {
            all += &format!(
                "[{:3}]   0.00-30.00  sec  1.08 GBytes   310 Mbits/sec  {end}\n",
                id(n)
            );
        }
    }
    if streams > 1 {
        let (bytes, rate) = (1.08 * f64::from(streams), 0.310 * f64::from(streams));
        for end in ["0             sender", "                receiver"] {
            all += &format!(
                "[SUM]   0.00-30.00  sec  {bytes:.2} GBytes  {rate:.2} Gbits/sec  {end}\n"
            );
        }
    }
    all + "\niperf Done.\n"
}

#[test]
fn flows_of_one_host_ask_for_one_value() {
    let receiver = "net.ipv4.tcp_rmem = 4096 131072 13107200\nnet.core.rmem_max = 13107200\n";
    let files = [
        ("one.txt", log(1, 44_170)),
        ("eight.txt", log(8, 44_200)),
        ("receiver.txt", receiver.to_owned()),
    ];
    let files = files.each_ref().map(|(name, text)| (*name, text.as_str()));
    let d = of_files(&files, &far(None));
    assert_eq!(d.flows.len(), 2);
    for flow in &d.flows {
        assert_eq!(flow.verdict.cause, "receive_window", "{:#?}", flow.verdict);
        let all = commands(&flow.changes);
        assert!(
            all.contains(&"sysctl -w net.ipv4.tcp_rmem=\"4096 131072 536870912\""),
            "{all:?}"
        );
        // Nobody asked for a buffer.
        assert!(
            !all.iter().any(|c| c.contains("-w out of the test")),
            "{all:?}"
        );
    }
    let asked = of_files(
        &[
            (
                "t.txt",
                &format!("$ iperf3 -c 10.65.4.20 -w 4M\n{}", log(1, 44_170)),
            ),
            ("receiver.txt", "net.core.rmem_max = 4194304\n"),
        ],
        &far(None),
    );
    let all = commands(&asked.flows[0].changes);
    let window = asked.flows[0].verdict.cause == "receive_window";
    assert_eq!(
        all.iter().any(|c| c.contains("-w out of the test")),
        window,
        "{all:?}"
    );
}

#[test]
fn no_change_gives_what_is_measured_already() {
    let both = "net.ipv4.tcp_rmem = 4096 131072 13107200\nnet.ipv4.tcp_wmem = 4096 16384 6553600\nnet.core.rmem_max = 13107200\nnet.core.wmem_max = 6553600\n";
    let text = log(1, 44_170);
    let d = of_files(
        &[
            ("log.txt", &text),
            ("sender.txt", both),
            ("receiver.txt", both),
        ],
        &far(None),
    );
    let flow = &d.flows[0];
    let rate = flow.observed.goodput_bps.expect("measured");
    let promised = flow.changes.iter().filter_map(|c| c.predicted_bps);
    assert!(
        promised.clone().all(|bps| bps > 1.02 * rate),
        "{:#?}",
        flow.changes
    );
    // Where both ends hold it alike, both are changed.
    assert_eq!(flow.changes.len(), 2, "{:#?}", flow.changes);
}

/// A policer's rate is shared by the connections of the largest test: what each is paced to is the same in all advice.
#[test]
fn pacing_below_a_policer_is_shared_by_the_streams() {
    let text = include_str!("../data/policed.txt");
    let d = of(text, &far(None));
    let flows = d.flows.iter().filter(|f| f.verdict.cause == "policer");
    let paced: Vec<&str> = flows
        .flat_map(|f| commands(&f.changes))
        .filter(|c| c.contains("maxrate"))
        .collect();
    assert!(
        paced.len() >= 2,
        "{:#?}",
        d.flows.iter().map(|f| &f.verdict).collect::<Vec<_>>()
    );
    assert!(paced.iter().all(|c| *c == paced[0]), "{paced:?}");
}

const UNSCALED: &str = "ESTAB  0      1124352 10.20.1.11:50122 10.65.4.77:5001\n\t cubic rto:368 rtt:165.02/0.31 mss:1460 pmtu:1500 rcvmss:536 advmss:1460 cwnd:44 bytes_sent:9012440 bytes_acked:8948201 send 3114303bps delivery_rate 3114288bps busy:24004ms rwnd_limited:23512ms(97.9%) unacked:44 notsent:1060112 minrtt:164.8 snd_wnd:64240\n";

#[test]
fn the_commands_are_those_of_the_system() {
    let d = of(UNSCALED, &far(None));
    let change = &d.flows[0].changes[0];
    assert_eq!(
        change.commands[1],
        "on Linux: sysctl -w net.ipv4.tcp_window_scaling=1"
    );
    // Nobody said that it is off: undone it is as it was.
    assert_eq!(
        change.undo[0],
        "on Linux: sysctl -w net.ipv4.tcp_window_scaling=VALUE, with the value that `sysctl net.ipv4.tcp_window_scaling` printed before"
    );
    let registry = "C:\\>reg query HKLM\\SYSTEM\\CurrentControlSet\\Services\\Tcpip\\Parameters\n\n    TcpWindowSize    REG_DWORD    0xfaf0\n    Tcp1323Opts    REG_DWORD    0x0\n";
    for (version, command) in [
        ("5.2.3790", "/v Tcp1323Opts /t REG_DWORD /d 3 /f"),
        (
            "10.0.17763",
            "netsh interface tcp set global autotuninglevel=normal",
        ),
    ] {
        let host = format!("C:\\>ver\n\nMicrosoft Windows [Version {version}]\n\n{registry}");
        let d = of_files(&[("ss.txt", UNSCALED), ("host.txt", &host)], &far(None));
        let flow = &d.flows[0];
        assert_eq!(
            flow.verdict.cause, "no_window_scaling",
            "{:#?}",
            flow.verdict
        );
        let change = &flow.changes[0];
        assert_eq!((change.host.as_str(), change.os), ("10.65.4.77", "windows"));
        assert!(
            change.commands.iter().any(|c| c.ends_with(command)),
            "{change:#?}"
        );
        assert!(!change.undo.is_empty());
        let read = d
            .read
            .iter()
            .find(|p| p.tool == "registry")
            .expect("it was read");
        assert!(read.facts > 0);
    }
}
