//! One text of two hosts: prompts, systems and addresses say which lines are of which, in both directions.

use farpath_diagnose::{Diagnosis, FlowReport, Known, System};

use crate::{of, on};

const PC: &str = "192.168.7.9";
const SERVER: &str = "203.0.113.77";

/// A test of Windows over 500 ms that gets so many kbit/s; the server sends where it is `fetched`.
fn test(prompt: &str, fetched: bool, kbit: u32) -> String {
    let (option, head, again, retr) = match fetched {
        true => (
            " -R",
            format!("Reverse mode, remote host {SERVER} is sending\n"),
            "    0",
            "  Retr",
        ),
        false => ("", String::new(), "", ""),
    };
    let kbytes = f64::from(kbit) * 20.0 / 8.192;
    let port = if fetched { 50_300 } else { 50_310 };
    format!(
        "{prompt}iperf3.exe -c {SERVER}{option} -t 20\nConnecting to host {SERVER}, port 5201\n{head}[  4] local {PC} port {port} connected to {SERVER} port 5201\n[ ID] Interval           Transfer     Bandwidth{retr}\n[  4]   0.00-20.00  sec  {kbytes:.0} KBytes  {kbit} Kbits/sec{again}             sender\n[  4]   0.00-20.00  sec  {kbytes:.0} KBytes  {kbit} Kbits/sec                  receiver\n\niperf Done.\n\n"
    )
}

const PING: &str = "Pinging 203.0.113.77 with 32 bytes of data:\nReply from 203.0.113.77: bytes=32 time=500ms TTL=50\n\nPing statistics for 203.0.113.77:\n    Packets: Sent = 4, Received = 4, Lost = 0 (0% loss),\nApproximate round trip times in milli-seconds:\n    Minimum = 499ms, Maximum = 502ms, Average = 500ms\n\n";

fn netsh(prompt: &str) -> String {
    let command = match prompt {
        "" => String::new(),
        prompt => format!("{prompt}netsh int tcp show global\nQuerying active state...\n\n"),
    };
    format!(
        "{command}TCP Global Parameters\n----------------------------------------------\nReceive Window Auto-Tuning Level    : disabled\nECN Capability                      : disabled\n\n"
    )
}

const SYSCTL: &str =
    "net.ipv4.tcp_rmem = 4096\t131072\t6291456\nnet.ipv4.tcp_wmem = 4096\t16384\t4194304\n";

fn both_ways(prompt: &str) -> String {
    PING.to_owned() + &test(prompt, true, 1020) + &test(prompt, false, 3100)
}

fn limit(flow: &FlowReport, cause: &str) -> Vec<f64> {
    let all = flow.ceilings.iter().filter(|c| c.cause == cause);
    all.map(|c| c.limit_bps / 1e6).collect()
}

/// 65535 bytes over 500 ms are 1.05 Mbit/s, of what Windows receives; six MiB and four are the server's.
fn told_apart(d: &Diagnosis) {
    assert!(d.contradictions.is_empty(), "{:#?}", d.contradictions);
    let [down, up] = &d.flows[..] else {
        panic!("{:#?}", d.flows);
    };
    let near = |all: Vec<f64>, one: f64| all.len() == 1 && (all[0] - one).abs() < 0.02 * one;
    assert!(near(limit(down, "receive_window"), 1.05), "{down:#?}");
    assert_eq!(down.verdict.cause, "receive_window", "{:#?}", down.verdict);
    assert_eq!(limit(up, "send_buffer"), Vec::<f64>::new(), "{up:#?}");
    let windows = limit(up, "receive_window");
    assert!(windows.iter().all(|w| *w > 40.0), "{windows:?}");
}

#[test]
fn a_change_of_prompt_is_a_change_of_host() {
    for windows in ["C:\\iperf3>", "PS C:\\Users\\eva> "] {
        for linux in ["root@srv7:~# sysctl -a\n", "[ops@srv7 ~]$ sysctl -a\n"] {
            let own = netsh(windows);
            let far = linux.to_owned() + SYSCTL + "\n";
            let tests = both_ways(windows);
            for text in [
                format!("{tests}{own}{far}"),
                format!("{far}{tests}{own}"),
                format!("{own}{far}{tests}"),
            ] {
                told_apart(&of(&text, &on("50Mbit/s")));
            }
        }
    }
}

/// Without prompts: what iperf3 counts as sent again is of no Windows, which then is the other end, in both directions.
#[test]
fn a_sender_that_counts_what_it_sends_again_is_no_windows() {
    told_apart(&of(&(both_ways("") + &netsh("")), &on("50Mbit/s")));
}

#[test]
fn of_two_linux_hosts_the_one_that_did_not_print_the_test_is_the_other_end() {
    let own = SYSCTL.replace("4194304", "16777216");
    let text = both_ways("eva@ham:~$ ").replace("iperf3.exe", "iperf3")
        + "eva@ham:~$ sysctl -a\n"
        + &own
        + "root@srv7:~# sysctl -a\n"
        + SYSCTL;
    let d = of(&text, &on("50Mbit/s"));
    for (flow, buffer) in d.flows.iter().zip([4_194_304.0, 16_777_216.0]) {
        let all = limit(flow, "send_buffer");
        let [own] = all[..] else { panic!("{all:?}") };
        let of_buffer = buffer * 8.0 / 0.5 / 1e6;
        assert!(
            own > 0.65 * of_buffer && own <= of_buffer,
            "{own} {of_buffer}"
        );
    }
}

fn systems(flow: &FlowReport) -> Vec<(&str, &str)> {
    flow.changes
        .iter()
        .map(|c| (c.host.as_str(), c.os))
        .collect()
}

#[test]
fn only_the_host_of_the_prompt_is_windows() {
    let d = of(&both_ways("C:\\>"), &Known::default());
    for flow in &d.flows {
        for (host, os) in systems(flow) {
            assert_eq!(os == "windows", host == PC, "{:#?}", flow.changes);
        }
    }
}

#[test]
fn a_system_that_you_say_stays_with_its_host_in_the_other_direction() {
    let known = Known {
        sender: Some(System::Linux),
        receiver: Some(System::Windows),
        ..on("50Mbit/s")
    };
    let d = of(&(netsh("C:\\>") + &both_ways("")), &known);
    let mut seen = 0;
    for (host, os) in d.flows.iter().flat_map(systems) {
        let of_host = if host == PC { "windows" } else { "linux" };
        assert_eq!(os, of_host, "{host}");
        seen += 1;
    }
    assert!(seen > 0, "{:#?}", d.flows);
    let note = d
        .notes
        .iter()
        .any(|n| n.contains("--line 50.0 Mbit/s is taken both ways"));
    assert!(note, "{:?}", d.notes);
}

/// A server of Windows pings these, and a branch sends to it; `command` is what was typed there, `again` what iperf3 counted as sent again.
fn from_branch(pinged: &[&str], command: &str, again: &str) -> Diagnosis {
    let ping = |address: &&str| {
        format!(
            "C:\\>ping {address}\n\nPinging {address} with 32 bytes of data:\nReply from {address}: bytes=32 time=38ms TTL=122\n\nPing statistics for {address}:\n    Packets: Sent = 4, Received = 4, Lost = 0 (0% loss),\nApproximate round trip times in milli-seconds:\n    Minimum = 38ms, Maximum = 38ms, Average = 38ms\n\n"
        )
    };
    let pings: String = pinged.iter().map(ping).collect();
    let text = format!(
        "{}{pings}{command}[  5] local 10.20.1.15 port 50612 connected to 10.30.2.9 port 5201\n[ ID] Interval           Transfer     Bitrate\n[  5]   0.00-10.00  sec  16.2 MBytes  13.6 Mbits/sec{again}             sender\n[  5]   0.00-10.04  sec  16.1 MBytes  13.5 Mbits/sec                  receiver\n",
        netsh("C:\\>")
    );
    let known = Known {
        rtt: Some("38 ms".parse().expect("a time")),
        ..Known::default()
    };
    of(&text, &known)
}

/// Whether the level of Windows is a ceiling: it is that of who receives.
fn by_level(flow: &FlowReport) -> bool {
    let mut all = flow.ceilings.iter();
    all.any(|c| c.formula.contains("auto-tuning level disabled of Windows"))
}

/// A host does not ping itself, the prompt before a test is of the end that printed it, and Windows counts nothing as sent again.
#[test]
fn the_host_of_windows_is_the_end_that_it_may_be() {
    let headed = "On the branch server (Linux):\n$ iperf3 -c 10.30.2.9 -t 10\n";
    let typed = "$ iperf3 -c 10.30.2.9 -t 10\n";
    let branch: &[&str] = &["10.20.1.15"];
    for (pinged, command, again) in [
        (branch, headed, "    0"),
        (branch, typed, "     "),
        (branch, "", "     "),
        (&[][..], typed, "     "),
        (&[][..], "", "    0"),
    ] {
        let d = from_branch(pinged, command, again);
        assert_eq!(d.flows.len(), 1, "{:#?}", d.flows);
        let flow = &d.flows[0];
        let what = format!("{pinged:?} {command:?} {again:?}");
        assert!(by_level(flow), "{what}: {:#?}", flow.ceilings);
        for (host, os) in systems(flow) {
            let is = os != "windows" || host == "10.30.2.9";
            assert!(is, "{what}: {:#?}", flow.changes);
        }
    }
}

/// Windows asked both ends for an answer: it is a third host, and its settings are of neither.
#[test]
fn a_host_of_windows_that_pings_both_ends_is_neither() {
    let typed = "$ iperf3 -c 10.30.2.9 -t 10\n";
    let d = from_branch(&["10.20.1.15", "10.30.2.9"], typed, "     ");
    let flow = &d.flows[0];
    assert!(!by_level(flow), "{:#?}", flow.ceilings);
    let is_windows = |(_, os): &(&str, &str)| *os == "windows";
    assert!(!systems(flow).iter().any(is_windows), "{:#?}", flow.changes);
    let left = |n: &String| n.contains("what the texts say of the host of Windows (ticket.txt:1)");
    assert!(d.notes.iter().any(left), "{:?}", d.notes);
}

/// A host that is called a server, and runs the client of a test, is the test's client: what is printed there is the sender's.
#[test]
fn a_server_that_runs_a_client_sends() {
    let text = "On the branch server:
$ iperf3 -c 10.30.2.9 -t 10
[  5] local 10.20.1.15 port 50612 connected to 10.30.2.9 port 5201
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00  sec  16.2 MBytes  13.6 Mbits/sec    0             sender
[  5]   0.00-10.04  sec  16.1 MBytes  13.5 Mbits/sec                  receiver
$ sysctl net.ipv4.tcp_wmem
net.ipv4.tcp_wmem = 4096 16384 4194304
";
    let known = Known {
        rtt: Some("38 ms".parse().expect("a time")),
        ..Known::default()
    };
    let d = of(text, &known);
    let buffers = limit(&d.flows[0], "send_buffer");
    assert!(!buffers.is_empty(), "{:#?}", d.flows[0].ceilings);
}
