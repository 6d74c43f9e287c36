//! A download of which nobody pasted a test: a Windows host, its settings, and a tool that opens connections to the server's port.

use farpath_diagnose::{Diagnosis, Known, System};

use crate::of;

fn ticket(level: &str, mbits: &str, receiver: Option<System>) -> Diagnosis {
    let text = format!(
        "\
C:\\Users\\jbecker>netsh int tcp show global
Querying active state...

TCP Global Parameters
----------------------------------------------
Receive-Side Scaling State          : enabled
Receive Window Auto-Tuning Level    : {level}
Add-On Congestion Control Provider  : default

C:\\Users\\jbecker>tcping -n 4 data.example.edu 443

Ping statistics for 203.0.113.40:443
     4 probes sent.
     4 successful, 0 failed.  (0.00% fail)
Approximate trip times in milli-seconds:
     Minimum = 210.118ms, Maximum = 211.402ms, Average = 210.537ms
"
    );
    let known = Known {
        measured: Some(mbits.parse().expect("a rate")),
        receiver,
        ..Known::default()
    };
    of(&text, &known)
}

#[test]
fn the_host_whose_setting_limits_is_told_the_words_of_its_system() {
    for receiver in [None, Some(System::Windows)] {
        let d = ticket("disabled", "2.4 Mbit/s", receiver);
        let flow = &d.flows[0];
        assert_eq!(flow.verdict.cause, "receive_window");
        let change = &flow.changes[0];
        assert_eq!(change.os, "windows");
        assert_eq!(
            change.commands,
            ["netsh interface tcp set global autotuninglevel=normal"]
        );
        assert_eq!(
            change.undo,
            ["netsh interface tcp set global autotuninglevel=disabled"]
        );
        // The level says that windows are not scaled.
        assert!(flow.missing.iter().all(|m| m.fact != "window_scaling"));
    }
}

#[test]
fn the_port_that_was_opened_picks_sockets_and_is_no_part_of_a_host() {
    let commands = |receiver| {
        let d = ticket("normal", "4 Mbit/s", receiver);
        let missing = d.flows[0].missing.iter();
        missing
            .map(|m| m.command.clone())
            .collect::<Vec<_>>()
            .join("\n")
    };
    // Nobody says which end sends.
    let open = commands(None);
    assert!(
        open.contains("ss -tinm '( sport = :443 or dport = :443 )'"),
        "{open}"
    );
    assert!(open.contains("iperf3 -c 203.0.113.40 -t"), "{open}");
    assert!(
        open.contains("-R if the data came from 203.0.113.40"),
        "{open}"
    );
    // The host that opens connections receives: the other is the server, and sends.
    let fetched = commands(Some(System::Windows));
    assert!(fetched.contains("ss -tinm sport = :443"), "{fetched}");
    assert!(
        fetched.contains("iperf3 -c 203.0.113.40 -R -t"),
        "{fetched}"
    );
    assert!(!open.contains("203.0.113.40:") && !fetched.contains("203.0.113.40:"));
}

const FAR: &str = "$ ping -c 5 -q 203.0.113.33\n--- 203.0.113.33 ping statistics ---\n5 packets transmitted, 5 received, 0% packet loss, time 4004ms\nrtt min/avg/max/mdev = 90.0/90.1/90.2/0.1 ms\n";

/// 4096 bytes were read from a socket at 11.2 MB/s, which says nothing of a path of 90 ms.
#[test]
fn a_file_that_leaves_at_once_says_nothing_of_the_path() {
    let text = format!(
        "$ wget http://203.0.113.33/f1\n2026-11-29 03:10:01 (11.2 MB/s) - 'f1' saved [4096/4096]\n{FAR}"
    );
    let d = of(&text, &Known::default());
    let flow = &d.flows[0];
    assert_eq!(flow.verdict.cause, "set_up", "{:#?}", flow.verdict);
    let because = crate::because(flow);
    assert!(because.contains("says nothing of the path"), "{because}");
    // So it contradicts nothing that the path would allow.
    let above = d
        .contradictions
        .iter()
        .find(|c| c.text.contains("would allow"));
    assert!(above.is_none(), "{above:#?}");
    // A file that many windows carry is of the path.
    let large = text.replace("4096/4096", "409600000/409600000");
    let d = of(&large, &Known::default());
    assert_ne!(d.flows[0].verdict.cause, "set_up");
}

/// 20000 files in 3620 s are 181 ms each, two round trips: by the clock on the wall, and not by the time of their bytes.
#[test]
fn many_small_files_take_two_round_trips_each() {
    let text = format!(
        "$ wget -i list.txt 2>&1 | tail -7\n2026-11-29 03:10:02 (10.9 MB/s) - 'f19999' saved [4096/4096]\n2026-11-29 03:10:02 (11.0 MB/s) - 'f20000' saved [4096/4096]\n\nFINISHED --2026-11-29 03:10:02--\nTotal wall clock time: 1h 0m 20s\nDownloaded: 20000 files, 78M in 6.9s (11.3 MB/s)\n{FAR}"
    );
    let d = of(&text, &Known::default());
    assert_eq!(d.flows.len(), 1, "{:#?}", d.flows);
    let flow = &d.flows[0];
    let bps = flow.observed.goodput_bps.expect("a rate");
    assert!((bps / 180_747.0 - 1.0).abs() < 0.01, "{bps}");
    assert_eq!(flow.verdict.cause, "set_up", "{:#?}", flow.verdict);
    let because = crate::because(flow);
    let says = "20000 files of 4.1 kB each took 181 ms a file, 2.0 round trips of 90.1 ms";
    assert!(because.contains(says), "{because}");
    let commands = crate::commands(flow);
    assert!(commands.contains("several at a time"), "{commands}");
    let ignored = d.read.iter().flat_map(|p| &p.ignored_lines).count();
    assert_eq!(ignored, 0, "{:#?}", d.read);
}
