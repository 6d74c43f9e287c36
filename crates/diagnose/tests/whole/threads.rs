//! Processors that are full: whose threads fill them, and what the other end has left.

use farpath_diagnose::Known;

use crate::{of, of_files};

fn log(release: &str) -> String {
    format!(
        "dtn1:~$ iperf3 -v
iperf 3.{release} (cJSON 1.7.13)
dtn1:~$ iperf3 -c 10.10.0.2 -P 2 -t 10
Connecting to host 10.10.0.2, port 5201
[  5] local 10.10.0.1 port 51000 connected to 10.10.0.2 port 5201
[  7] local 10.10.0.1 port 51002 connected to 10.10.0.2 port 5201
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00  sec  20.0 GBytes  17.2 Gbits/sec    0             sender
[  5]   0.00-10.00  sec  20.0 GBytes  17.2 Gbits/sec                  receiver
[  7]   0.00-10.00  sec  20.0 GBytes  17.2 Gbits/sec    0             sender
[  7]   0.00-10.00  sec  20.0 GBytes  17.2 Gbits/sec                  receiver
[SUM]   0.00-10.00  sec  40.0 GBytes  34.4 Gbits/sec    0             sender
[SUM]   0.00-10.00  sec  40.0 GBytes  34.4 Gbits/sec                  receiver

rtt min/avg/max/mdev = 0.142/0.171/0.203/0.021 ms
	Speed: 100000Mb/s
"
    )
}

fn mpstat(host: &str, idle: f64) -> String {
    format!(
        "{host}:~$ mpstat -P ALL 5 1
Linux 5.15.0-122-generic ({host})   11/25/2026   _x86_64_   (16 CPU)

02:31:11 PM     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle
02:31:16 PM     all    0.25    0.00    6.39    0.00    0.00    3.94    0.00    0.00    0.00   89.43
02:31:16 PM       0    0.10    0.00    0.30    0.00    0.00    0.00    0.00    0.00    0.00   99.60
02:31:16 PM       6    2.60    0.00   97.40    0.00    0.00    0.00    0.00    0.00    0.00   {idle:.2}
"
    )
}

/// Releases before 3.16 have one thread, however many connections; the receiver's processor has a fifth left.
#[test]
fn one_thread_of_iperf3_is_named_and_the_other_end_limits_next() {
    let sender = log("9") + &mpstat("dtn1", 0.0);
    let receiver = mpstat("dtn2", 20.0);
    let files = [
        ("sender.txt", sender.as_str()),
        ("receiver.txt", receiver.as_str()),
    ];
    let d = of_files(&files, &Known::default());
    let flow = &d.flows[0];
    assert_eq!(flow.verdict.cause, "host_cpu", "{:?}", flow.verdict);
    let change = &flow.changes[0];
    let told = change.commands.join("\n");
    assert!(
        told.contains("iperf 3.9 has one thread for all its connections"),
        "{told}"
    );
    // 34.4 Gbit/s of four fifths of a processor.
    let then = change.then.as_ref().map(|t| (t.cause, t.limit_bps.round()));
    assert_eq!(then, Some(("host_cpu", 43e9)), "{change:?}");
    let because = flow.verdict.because.join("\n");
    assert!(
        because.contains("it carries no more than 43.0 Gbit/s"),
        "{because}"
    );
    let threaded = log("16") + &mpstat("dtn1", 0.0);
    let d = of(&threaded, &Known::default());
    let told = format!("{:?}", d.flows[0].changes);
    assert!(!told.contains("one thread"), "{told}");
}

/// What an interface counts says how large frames are; where nothing does, that is said.
#[test]
fn frames_of_an_interface_say_how_large_segments_are() {
    let line = |text: &str| {
        let d = of(text, &Known::default());
        let all = d.flows[0].ceilings.clone();
        let link = all.into_iter().find(|c| c.cause == "link").expect("a line");
        (link.limit_bps / 100e9, link.formula)
    };
    let counted = |mean: u64| {
        let bytes = mean * 5_120_338_821;
        log("9")
            + &format!(
                "dtn1:~$ ethtool -S ens1\nNIC statistics:\n     rx_packets: 81220331\n     rx_bytes: 5822113442\n     tx_packets: 5120338821\n     tx_bytes: {bytes}\n"
            )
    };
    let (share, formula) = line(&counted(8986));
    assert!((share - 0.990).abs() < 0.001, "{share} {formula}");
    assert!(!formula.contains("assumed"), "{formula}");
    // Frames that a host has not cut yet, and usual ones, say nothing.
    for mean in [40_000, 1500] {
        let (share, formula) = line(&counted(mean));
        assert!((share - 0.941).abs() < 0.001, "{share} {formula}");
        assert!(
            formula.contains("an MTU of 1500, which is assumed"),
            "{formula}"
        );
    }
}

/// A full line is said with its own figures, and where the rest of it is; a host has its address without its interface.
#[test]
fn what_is_left_of_a_full_line_is_said() {
    let text = "[  1] local 192.0.2.77%eno1 port 53344 connected with 203.0.113.200 port 5001
[ ID] Interval            Transfer    Bandwidth
[  1] 0.0000-10.0000 sec  1.09 GBytes   931 Mbits/sec
rtt min/avg/max/mdev = 35.102/35.178/35.301/0.081 ms
	Speed: 1000Mb/s
";
    let d = of(text, &Known::default());
    assert_eq!(d.flows[0].name, "192.0.2.77 > 203.0.113.200");
    let said =
        "the rate is 99 % of what the line leaves for payload, 941 Mbit/s of its 1.00 Gbit/s";
    assert!(d.ticket.replace("\n  ", " ").contains(said), "{}", d.ticket);
}
