//! Interfaces of ends that are slower than the line was said to be: whose they are, and which side of the cable is to be changed.

use farpath_diagnose::{Diagnosis, Known};

use crate::of_files;

/// The engineer's figures: 940 Mbit/s measured over 88 ms of a line of 40 Gbit/s.
fn known() -> Known {
    Known {
        measured: "940 Mbit/s".parse().ok(),
        rtt: "88 ms".parse().ok(),
        line: "40 Gbit/s".parse().ok(),
        ..Known::default()
    }
}

/// What ethtool prints of `eno1`.
fn ethtool(supported: &str, partner: &str, mbit: u32) -> String {
    let partner = match partner {
        "" => String::new(),
        modes => format!("\tLink partner advertised link modes:  {modes}\n"),
    };
    format!(
        "Settings for eno1:\n\tSupported link modes:   1000baseT/Full\n\t                        {supported}\n\tAdvertised link modes:  1000baseT/Full\n\t                        {supported}\n{partner}\tSpeed: {mbit}Mb/s\n\tDuplex: Full\n\tAuto-negotiation: on\n"
    )
}

fn of(file: &str, text: &str, known: &Known) -> Diagnosis {
    of_files(&[(file, text)], known)
}

/// Verdict, reasons, changes and contradictions in one text.
fn all(d: &Diagnosis) -> String {
    let flow = &d.flows[0];
    let changes = flow.changes.iter().map(|c| {
        format!(
            "change {}: {}; undo {}",
            c.host,
            c.commands.join("; "),
            c.undo.join("; ")
        )
    });
    let but = d
        .contradictions
        .iter()
        .map(|c| format!("but {} [{}]", c.text, c.from.join(", ")));
    let lines = [flow.verdict.cause.to_owned()]
        .into_iter()
        .chain(flow.verdict.because.iter().cloned())
        .chain(changes)
        .chain(but);
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn the_partner_that_offers_less_is_named_with_the_host_and_the_stated_line_is_contradicted() {
    // As it was pasted: without what is advertised, and without negotiation.
    let text = "Settings for eno1:\n\tSupported link modes:   1000baseT/Full\n\t                        10000baseT/Full\n\tLink partner advertised link modes:  1000baseT/Full\n\tSpeed: 1000Mb/s\n";
    let d = of("receiver.txt", text, &known());
    let said = all(&d);
    assert_eq!(d.flows[0].verdict.cause, "link", "{said}");
    for part in [
        "the interface eno1 of the receiver, 1.00 Gbit/s · 0.941",
        "eno1 of the receiver runs at 1.00 Gbit/s, and the line was said to carry 40.0 Gbit/s (receiver.txt:5): it can do 10.0 Gbit/s, and the port at the other end of its cable offers 1.00 Gbit/s: that port is the slower one",
        "change the switch or host that eno1 of the receiver is plugged into: a port of more than 1.00 Gbit/s",
        "undo the port that it had before",
        "but sender > receiver: eno1 of the receiver runs at 1.00 Gbit/s, and the line is said to carry 40.0 Gbit/s: no more than the former passes [receiver.txt:5, you]",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
    assert!(
        !said.contains("pairs") && !said.contains("change the cable"),
        "{said}"
    );
    // It can do 10 Gbit/s, of which 9.41 are payload, and no 40.
    let gives = d.flows[0].changes[0].predicted_bps.expect("it is known");
    assert!((gives / 9.415e9 - 1.0).abs() < 0.001, "{gives}");
    assert!(
        d.ticket.contains("This is the line (100 %).\n"),
        "{}",
        d.ticket
    );
    // Of a sender's text it is the sender's.
    let d = of("sender.txt", text, &known());
    assert!(
        all(&d).contains("eno1 of the sender runs at 1.00 Gbit/s"),
        "{}",
        all(&d)
    );
}

#[test]
fn each_side_of_a_cable_has_its_own_advice() {
    let said = |supported: &str, partner: &str, mbit: u32, measured: &str| {
        let known = Known {
            measured: measured.parse().ok(),
            ..known()
        };
        all(&of(
            "receiver.txt",
            &ethtool(supported, partner, mbit),
            &known,
        ))
    };
    let both = said(
        "10000baseT/Full",
        "1000baseT/Full 10000baseT/Full",
        1000,
        "940 Mbit/s",
    );
    assert!(
        both.contains("both sides offer 10.0 Gbit/s, and 1.00 Gbit/s was taken: the cable")
            && both.contains("change the cable for one of a higher category: all four pairs work"),
        "{both}"
    );
    let hundred = said(
        "1000baseT/Full",
        "100baseT/Full 1000baseT/Full",
        100,
        "93.9 Mbit/s",
    );
    assert!(
        hundred.contains("both sides offer 1.00 Gbit/s, and 100 Mbit/s was taken")
            && hundred.contains("change the cable: 1 Gbit/s and more need all four pairs"),
        "{hundred}"
    );
    let own = said(
        "1000baseT/Full",
        "1000baseT/Full 10000baseT/Full",
        1000,
        "940 Mbit/s",
    );
    assert!(
        own.contains("it can do no more")
            && own.contains("another interface or card")
            && !own.contains("change the cable"),
        "{own}"
    );
    let unsaid = said("10000baseT/Full", "", 1000, "940 Mbit/s");
    assert!(
        unsaid.contains("nothing says what it can do, and what its partner offers")
            && unsaid.contains("ethtool eno1: what it advertises, and what its partner does")
            && !unsaid.contains("pairs"),
        "{unsaid}"
    );
    let fixed = ethtool("10000baseT/Full", "", 1000).replace("negotiation: on", "negotiation: off");
    let fixed = all(&of("receiver.txt", &fixed, &known()));
    assert!(
        fixed.contains("its speed is set without negotiation")
            && fixed.contains("ethtool -s eno1 autoneg on"),
        "{fixed}"
    );
}

/// What both sides offer is more than was taken, whoever expected it; a port as fast as it can be and as the line is said is nothing.
#[test]
fn without_a_stated_line_only_what_both_sides_offer_is_advised() {
    let known = Known {
        measured: "940 Mbit/s".parse().ok(),
        rtt: "88 ms".parse().ok(),
        ..Known::default()
    };
    let d = of(
        "receiver.txt",
        &ethtool("10000baseT/Full", "10000baseT/Full", 1000),
        &known,
    );
    assert_eq!(d.flows[0].changes.len(), 1, "{}", all(&d));
    assert!(d.contradictions.is_empty(), "{}", all(&d));
    let d = of(
        "receiver.txt",
        &ethtool("1000baseT/Full", "1000baseT/Full", 1000),
        &known,
    );
    assert!(d.flows[0].changes.is_empty(), "{}", all(&d));
    // The partner alone is slower: it is said, and nothing is to be changed that nobody expects.
    let d = of(
        "receiver.txt",
        &ethtool("10000baseT/Full", "1000baseT/Full", 1000),
        &known,
    );
    assert!(
        all(&d).contains("that port is the slower one"),
        "{}",
        all(&d)
    );
    assert!(d.flows[0].changes.is_empty(), "{}", all(&d));
}

#[test]
fn both_ends_with_a_slow_interface_are_named_and_only_the_last_change_promises_a_rate() {
    let text = ethtool("10000baseT/Full", "1000baseT/Full", 1000);
    let d = of_files(&[("sender.txt", &text), ("receiver.txt", &text)], &known());
    let said = all(&d);
    assert!(
        said.contains("eno1 of the sender runs at")
            && said.contains("eno1 of the receiver runs at"),
        "{said}"
    );
    let gives: Vec<bool> = d.flows[0]
        .changes
        .iter()
        .map(|c| c.predicted_bps.is_some())
        .collect();
    assert_eq!(gives, [false, true], "{said}");
}

/// A window that allows less than the faster port is what limits then.
#[test]
fn a_faster_port_gives_no_more_than_a_window_that_is_known() {
    let known = Known {
        window: "22 MB".parse().ok(),
        ..known()
    };
    let d = of(
        "receiver.txt",
        &ethtool("10000baseT/Full", "1000baseT/Full", 1000),
        &known,
    );
    let change = &d.flows[0].changes[0];
    let gives = change.predicted_bps.expect("it is known");
    assert!((gives / 2.0e9 - 1.0).abs() < 0.05, "{gives} {}", all(&d));
    assert_eq!(
        change.then.as_ref().map(|t| t.cause),
        Some("receive_window")
    );
}

/// Nothing said what the interface can do, though `grep` had left the lists of modes.
#[test]
fn lists_of_modes_are_read_without_their_head() {
    let whole = ethtool("10000baseT/Full", "1000baseT/Full", 1000);
    let command = "$ sudo ethtool eno1 | egrep -i 'speed|duplex|auto|link'";
    let cut = whole.replace("Settings for eno1:", command);
    let said = all(&of("receiver.txt", &cut, &known()));
    assert!(!said.contains("nothing says what it can do"), "{said}");
    let bare = format!("{command}\n\tSpeed: 1000Mb/s\n\tDuplex: Full\n");
    let said = all(&of("receiver.txt", &bare, &known()));
    assert!(said.contains("nothing says what it can do"), "{said}");
}
