//! Tickets that strangers posted in public, and whose cause their thread found. Each is written anew, with numbers of its own of the
//! same kind: no line is copied. `docs/models/diagnosis.md` names the threads.

use farpath_diagnose::{FlowReport, Known};

use crate::of;

/// A ticket, what is known besides, and how it ends.
struct Ticket {
    name: &'static str,
    text: &'static str,
    line: &'static str,
    /// The place of the flow that the ticket is about.
    flow: usize,
    ends: Ends,
}

enum Ends {
    /// The cause, with a confidence of at least so much.
    In(&'static str, f64),
    /// Not decided between these two, and this is asked for.
    Between([&'static str; 2], &'static str),
}

use Ends::{Between, In};

macro_rules! ticket {
    ($name:literal, $line:literal, $flow:literal, $ends:expr) => {
        Ticket {
            name: $name,
            text: include_str!(concat!("../data/strangers/", $name, ".txt")),
            line: $line,
            flow: $flow,
            ends: $ends,
        }
    };
}

const WINDOWS: [&str; 2] = ["receive_window", "send_buffer"];

const TICKETS: [Ticket; 19] = [
    ticket!(
        "openvpn",
        "100 Mbit/s",
        1,
        Between(WINDOWS, "receive_window_bytes")
    ),
    ticket!("bwctl-w", "10 Gbit/s", 0, In("receive_window", 0.5)),
    ticket!(
        "windows-tunnel",
        "1 Gbit/s",
        0,
        Between(WINDOWS, "receive_window_bytes")
    ),
    ticket!(
        "coast",
        "1 Gbit/s",
        0,
        Between(WINDOWS, "receive_window_bytes")
    ),
    ticket!("policed-sla", "", 0, In("policer", 0.4)),
    ticket!("ocean", "1 Gbit/s", 0, In("policer", 0.9)),
    ticket!("blackhole", "10 Gbit/s", 0, In("mtu_black_hole", 0.9)),
    ticket!(
        "wireguard-burst",
        "433 Mbit/s",
        0,
        In("shallow_buffer", 0.8)
    ),
    ticket!("xdsl", "512 kbit/s", 0, In("link", 0.9)),
    ticket!("duplex", "", 0, In("duplex", 0.9)),
    ticket!(
        "udp",
        "1 Gbit/s",
        0,
        Between(["client", "nic"], "receiver_drops")
    ),
    ticket!("cpu", "100 Gbit/s", 0, In("host_cpu", 0.85)),
    ticket!("satellite", "16 Mbit/s", 0, In("send_buffer", 0.9)),
    ticket!("sndwnd", "10 Gbit/s", 0, In("receive_window", 0.95)),
    ticket!("hundred", "1 Gbit/s", 0, In("link", 0.6)),
    ticket!("jumbo", "10 Gbit/s", 0, In("mtu_black_hole", 0.9)),
    ticket!("onecore", "10 Gbit/s", 0, In("host_cpu", 0.9)),
    ticket!(
        "winserver",
        "1 Gbit/s",
        1,
        Between(WINDOWS, "send_buffer_bytes")
    ),
    ticket!("ring", "10 Gbit/s", 0, In("nic", 0.5)),
];

fn judged(ticket: &Ticket, text: &str) -> FlowReport {
    let known = Known {
        line: ticket.line.parse().ok(),
        ..Known::default()
    };
    let d = of(text, &known);
    assert!(
        d.contradictions.is_empty(),
        "{}: {:?}",
        ticket.name,
        d.contradictions
    );
    let flows = d.flows.into_iter();
    flows
        .clone()
        .nth(ticket.flow)
        .unwrap_or_else(|| panic!("{}: {} flows", ticket.name, flows.len()))
}

/// Whether a ticket ended as its thread did.
fn check(ticket: &Ticket, flow: &FlowReport, variant: &str) {
    let name = format!("{} {variant}", ticket.name);
    let verdict = &flow.verdict;
    match &ticket.ends {
        In(cause, least) => {
            assert_eq!(verdict.cause, *cause, "{name}: {verdict:#?}");
            assert!(verdict.confidence >= *least, "{name}: {verdict:#?}");
        }
        Between(two, asked) => {
            let second = verdict.second.as_ref().map_or("", |s| s.cause);
            let first = match verdict.cause {
                "unknown" => second,
                cause => cause,
            };
            assert!(two.contains(&first), "{name}: {verdict:#?}");
            assert!(verdict.confidence < 0.7, "{name}: {verdict:#?}");
            let missing: Vec<&str> = flow.missing.iter().map(|m| m.fact).collect();
            assert!(missing.contains(asked), "{name}: {missing:?}");
        }
    }
}

#[test]
fn tickets_of_strangers_end_where_their_threads_did() {
    for ticket in &TICKETS {
        check(ticket, &judged(ticket, ticket.text), "as posted");
    }
}

/// Lines as mail breaks them: at the last space before so many columns.
fn wrapped(text: &str, columns: usize) -> String {
    let mut all = String::new();
    for line in text.lines() {
        let mut rest = line;
        while rest.len() > columns && rest.is_ascii() {
            let Some(at) = rest[..columns].rfind(' ').filter(|at| *at > 20) else {
                break;
            };
            all.push_str(&rest[..at]);
            all.push('\n');
            rest = &rest[at + 1..];
        }
        all.push_str(rest);
        all.push('\n');
    }
    all
}

fn each_line(text: &str, f: impl Fn(&str) -> String) -> String {
    text.lines().map(f).collect()
}

#[test]
fn a_ticket_says_the_same_however_it_was_pasted() {
    for ticket in &TICKETS {
        let plain = judged(ticket, ticket.text);
        let text = ticket.text;
        let variants = [
            ("quoted", each_line(text, |l| format!("> {l}\n"))),
            ("quoted twice", each_line(text, |l| format!("> > {l}\n"))),
            (
                "fenced",
                format!("Hello,\n\n```console\n{text}```\n\nthanks\n"),
            ),
            ("with CR", each_line(text, |l| format!("{l}\r\n"))),
            ("indented by a tab", each_line(text, |l| format!("\t{l}\n"))),
            ("with hard spaces", text.replace("  ", "\u{a0} ")),
            (
                "coloured",
                each_line(text, |l| format!("\u{1b}[32m{l}\u{1b}[0m\n")),
            ),
            ("with a mark", format!("\u{feff}{text}")),
            (
                "with spaces behind",
                each_line(text, |l| format!("{l}   \n")),
            ),
        ];
        for (variant, text) in variants {
            let flow = judged(ticket, &text);
            assert_eq!(
                (flow.verdict.cause, flow.verdict.confidence),
                (plain.verdict.cause, plain.verdict.confidence),
                "{} {variant}: {:#?}",
                ticket.name,
                flow.verdict
            );
        }
        // What a line lost to the next may be missing, and nothing wrong is made of it.
        check(ticket, &judged(ticket, &wrapped(text, 76)), "wrapped");
    }
}

#[test]
fn a_ticket_saved_by_powershell_is_read() {
    let text: Vec<u8> = format!("\u{feff}{}", TICKETS[13].text)
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let facts = farpath_diagnose::read(&[farpath_diagnose::Source {
        name: "ticket.txt".to_owned(),
        bytes: text,
    }]);
    let d = farpath_diagnose::diagnose(&facts, "0");
    assert_eq!(d.flows[0].verdict.cause, "receive_window", "{d:#?}");
}

#[test]
fn another_test_behind_a_prompt_is_another_flow() {
    let both = of(TICKETS[3].text, &Known::default());
    let rates: Vec<_> = both.flows.iter().map(|f| f.observed.goodput_bps).collect();
    assert_eq!(rates, [Some(340e6), Some(794e6)]);
}

/// What Ethernet at a tenth of the line leaves for payload is a port that chose that speed; a little more or less is not.
#[test]
fn the_rate_of_a_slower_port_is_told_from_rates_beside_it() {
    let text = include_str!("../data/strangers/hundred.txt");
    let cause = |text: &str, line: &str| {
        let known = Known {
            line: line.parse().ok(),
            ..Known::default()
        };
        of(text, &known).flows.swap_remove(0).verdict.cause
    };
    for line in ["1 Gbit/s", "2.5 Gbit/s", "10 Gbit/s"] {
        assert_eq!(cause(text, line), "link", "{line}");
    }
    for rate in ["85", "98"] {
        let beside: String = text
            .lines()
            .map(|l| match l.find(" Mbits/sec") {
                Some(at) => format!("{}{rate}.1{}\n", &l[..at - 4], &l[at..]),
                None => format!("{l}\n"),
            })
            .collect();
        assert_ne!(cause(&beside, "1 Gbit/s"), "link", "{rate}");
    }
}
