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
