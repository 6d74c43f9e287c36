//! Two transfers of one file from one server: what the faster carried, no slower line of their path did.

use farpath_diagnose::{Diagnosis, FlowReport, Known};

use crate::{because, of, of_files};

/// A download of aria2 with so many connections, MiB/s.
fn download(prompt: &str, connections: u32, mib: u32) -> String {
    format!(
        "{prompt}$ aria2c -x{connections} -s{connections} https://mirror.example.org/dvd.iso\nDownload Results:\ngid   |stat|avg speed  |path/URI\n======+====+===========+=======================================================\n2089{connections:02x}|OK  |    {mib}MiB/s|/tmp/dvd.iso\n\nStatus Legend:\n(OK):download completed.\n"
    )
}

fn both(rest: &str) -> Diagnosis {
    let text = download("", 1, 11) + &download("", 16, 108) + rest;
    of(&text, &Known::default())
}

/// The flow with the lowest rate.
fn slower(d: &Diagnosis) -> &FlowReport {
    let rate = |f: &&FlowReport| f.observed.goodput_bps.unwrap_or(f64::INFINITY);
    let slowest = d.flows.iter().min_by(|a, b| rate(a).total_cmp(&rate(b)));
    slowest.expect("there are two")
}

/// 92.3 Mbit/s were "this is the line" of 100 Mbit/s, 47 %, beside 906 Mbit/s of sixteen connections.
#[test]
fn one_connection_is_no_line_where_sixteen_carry_ten_times_as_much() {
    let d = both("");
    let flow = slower(&d);
    assert_ne!(flow.verdict.cause, "link", "{:#?}", flow.verdict);
    let why = because(flow);
    assert!(
        why.contains("16 times the connections carried 9.8"),
        "{why}"
    );
    assert!(why.contains("a rate that a server gives each"), "{why}");
    assert!(!why.contains("what a line of"), "{why}");
}

/// The port of another host, by its name, was the line, 98 %.
#[test]
fn nor_is_a_port_of_another_host_that_is_slower_than_sixteen() {
    let old =
        "root@sv-old:~# ethtool eth0 | egrep 'Speed|Duplex'\n\tSpeed: 100Mb/s\n\tDuplex: Half\n";
    let own = "$ ethtool eno1 | grep Speed\n\tSpeed: 10000Mb/s\n";
    let d = both(&format!("{own}{old}"));
    let flow = slower(&d);
    assert!(
        !["link", "duplex"].contains(&flow.verdict.cause),
        "{:#?}",
        flow.verdict
    );
}

/// The note of a host that is gone, in a file of its own: its port carried neither, and what it counts is of neither.
#[test]
fn what_a_slow_port_of_another_host_says_is_of_neither() {
    let old = "root@sv-old:~# ethtool eth0 | egrep 'Speed|Duplex'\n\tSpeed: 100Mb/s\n\tDuplex: Half\nroot@sv-old:~# ethtool -S eth0 | grep -i err\n     rx_crc_errors: 81231\n     rx_errors: 81231\n";
    let new = download("", 1, 11)
        + &download("", 16, 108)
        + "$ ethtool eno1 | grep Speed\n\tSpeed: 10000Mb/s\n";
    let d = of_files(&[("new.txt", &new), ("old.txt", old)], &Known::default());
    assert_eq!(d.flows.len(), 2, "{:#?}", d.flows);
    for flow in &d.flows {
        let cause = flow.verdict.cause;
        assert!(
            !["link", "duplex", "random_loss"].contains(&cause),
            "{:#?}",
            flow.verdict
        );
    }
}

/// Without the faster one, or with one that another host fetched, the rate is what a line leaves.
#[test]
fn alone_it_may_be_a_line() {
    let alone = of(&download("", 1, 11), &Known::default());
    let flow = slower(&alone);
    assert_eq!(flow.verdict.cause, "link", "{:#?}", flow.verdict);
    let text = download("here", 1, 11) + &download("there", 16, 108);
    let apart = of(&text, &Known::default());
    let why = because(slower(&apart));
    assert!(!why.contains("times the connections"), "{why}");
}
