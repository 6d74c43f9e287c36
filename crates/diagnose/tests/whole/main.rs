//! Texts in, verdicts out.

mod accept_queues;
mod after_full;
mod alike;
mod already;
mod asked;
mod asked_buffers;
mod bbr;
mod below_lines;
mod beside;
mod between;
mod blackouts;
mod bloat;
mod both_ends;
mod both_ways;
mod brief;
mod bypassed;
mod bystanders;
mod cables;
mod card_slots;
mod carried_beside;
mod changes;
mod channels;
mod climbs;
mod clustered;
mod cores;
mod counted_hops;
mod counters;
mod damaged_elsewhere;
mod damaged_pings;
mod datagram_sockets;
mod documented;
mod everyday;
mod failed_tests;
mod fell;
mod fetched;
mod fetches;
mod filled_shapers;
mod flaps;
mod from_files;
mod full_ports;
mod grid_copies;
mod groups;
mod guesses;
mod hangs;
mod held_rates;
mod histories;
mod holes;
mod host_faults;
mod hostile;
mod idle_sessions;
mod ip_versions;
mod ipsec;
mod kernel_counters;
mod later;
mod lost_datagrams;
mod macs;
mod marks;
mod members;
mod names;
mod negotiated;
mod network_devices;
mod nexus;
mod nfs;
mod one_by_one;
mod one_way;
mod oom;
mod options;
mod outages;
mod outgrown;
mod overruns;
mod overtaken;
mod own_buffers;
mod own_drops;
mod own_queues;
mod pasted;
mod pauses;
mod pings;
mod pings_alone;
mod platforms;
mod pods;
mod policers;
mod port_channels;
mod port_queues;
mod ports;
mod powershell;
mod printed;
mod procurve;
mod prompts;
mod proven;
mod queues;
mod quiet_ports;
mod radios;
mod receiving;
mod recounted;
mod recovering;
mod request_times;
mod rerouted;
mod restart;
mod rooms;
mod route_metrics;
mod run_here;
mod scavengers;
mod seeds;
mod segments;
mod served_classes;
mod server_waits;
mod services;
mod shut_windows;
mod slac;
mod slow_readers;
mod slower_lines;
mod small_writes;
mod smb;
mod spread;
mod standing;
mod start;
mod starved;
mod still;
mod stood;
mod stops;
mod strangers;
mod surroundings;
mod systems;
mod targets;
mod tcp_memory;
mod threads;
mod throttled;
mod tickets;
mod tongues;
mod traces;
mod turns;
mod twice_printed;
mod two;
mod unjoined;
mod unlike_controls;
mod unrated;
mod unread;
mod unrested;
mod unsaid;
mod unscaled;
mod vantages;
mod views;
mod watched;
mod way_back;
mod wording;

use farpath_diagnose::{Diagnosis, FlowReport, Known, Source, diagnose, read};
use farpath_observe::RoundTrips;
use farpath_record::trace::{TraceConnection, TraceDocument};
use farpath_trace::{Analysis, DirectionFound};

/// The diagnosis of one text.
fn of(text: &str, known: &Known) -> Diagnosis {
    of_files(&[("ticket.txt", text)], known)
}

/// What is said of the only flow of a text.
fn first(text: &str) -> FlowReport {
    let d = of(text, &Known::default());
    assert_eq!(d.flows.len(), 1, "{:#?}", d.flows);
    first_flow(d)
}

/// What is said of the first flow of a diagnosis.
fn first_flow(d: Diagnosis) -> FlowReport {
    d.flows.into_iter().next().expect("there is one")
}

/// What speaks for the verdict, a line each.
fn because(flow: &FlowReport) -> String {
    flow.verdict.because.join("\n")
}

/// The facts that are asked for.
fn asked(flow: &FlowReport) -> Vec<&'static str> {
    flow.missing.iter().map(|m| m.fact).collect()
}

/// The command that gets a fact, where it is asked for.
fn asked_with<'f>(flow: &'f FlowReport, fact: &str) -> Option<&'f str> {
    let mut all = flow.missing.iter();
    all.find(|m| m.fact == fact).map(|m| m.command.as_str())
}

/// The commands of all changes, a line each.
fn commands(flow: &FlowReport) -> String {
    let all = flow.changes.iter().flat_map(|c| c.commands.clone());
    all.collect::<Vec<_>>().join("\n")
}

/// The diagnosis of several files, by name and text.
fn of_files(files: &[(&str, &str)], known: &Known) -> Diagnosis {
    let source = |(name, text): &(&str, &str)| Source {
        name: (*name).to_owned(),
        bytes: text.as_bytes().to_vec(),
    };
    let mut facts = read(&files.iter().map(source).collect::<Vec<_>>());
    known.tell(&mut facts);
    diagnose(&facts, "0")
}

/// What a capture of one connection shows: bytes that its first end delivered, and the least, mean and greatest of its round trips, ms.
fn analysis(
    connection: TraceConnection,
    delivered: u64,
    [least, mean, most]: [f64; 3],
) -> Analysis {
    let mut found = DirectionFound::default();
    let observed = found.observed.get_or_insert_default();
    observed.delivered = delivered;
    observed.rtt = Some(RoundTrips {
        min_ns: least * 1e6,
        avg_ns: mean * 1e6,
        max_ns: most * 1e6,
        smoothed: false,
    });
    Analysis {
        document: TraceDocument {
            connections: vec![connection],
            ..TraceDocument::new()
        },
        found: vec![[found, DirectionFound::default()]],
        paired: Vec::new(),
    }
}

/// The diagnosis of such a capture alone.
fn of_capture(
    connection: TraceConnection,
    delivered: u64,
    rtt_ms: [f64; 3],
    known: &Known,
) -> Diagnosis {
    let mut facts = read(&[]);
    facts.capture("client.pcapng", &analysis(connection, delivered, rtt_ms));
    known.tell(&mut facts);
    diagnose(&facts, "0")
}

/// The line is known to the user.
fn on(line: &str) -> Known {
    Known {
        line: Some(line.parse().expect("a rate")),
        ..Known::default()
    }
}
