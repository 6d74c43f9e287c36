//! What `farpath host` prints for people.

use farpath_diagnose::{HostCeiling, HostReport, How, RateAt};
use farpath_record::survey::{Interface, Survey};
use farpath_record::{Finding, Location};
use farpath_report::{markdown_cell, quantity};

use crate::left::{entry, span};

/// The whole page.
pub(super) fn page(report: &HostReport) -> String {
    let mut out = format!("{}\n\n", report.verdict.text);
    about(&report.survey, &mut out);
    ways(report, &mut out);
    out.push('\n');
    match &report.path {
        Some(_) => ceilings(report, &mut out),
        None => rates(report, &mut out),
    }
    congestion(report, &mut out);
    for finding in &report.findings {
        self::finding(finding, &mut out);
    }
    for change in &report.changes {
        crate::left::change(change, &mut out);
    }
    for note in &report.notes {
        entry("note", note, &mut out);
    }
    for unknown in &report.unknown {
        entry("unknown", unknown, &mut out);
    }
    if report.path.is_none() {
        out.push_str("\nFor a path of yours: --path 10Gbit/s,150ms. For programs: --json.\n");
    }
    out
}

/// What the host is, in a few lines.
fn about(survey: &Survey, out: &mut String) {
    let mut words = Vec::new();
    words.push(survey.name.clone().unwrap_or_default());
    words.push(format!(
        "Linux {}",
        survey.kernel.as_deref().unwrap_or("unknown")
    ));
    if let Some(cpus) = survey.cpus {
        let governor = survey.governor.as_ref();
        let governor = governor.map_or(String::new(), |g| format!(" ({g})"));
        words.push(format!("{cpus} processors{governor}"));
    }
    if let Some(memory) = survey.memory_bytes {
        words.push(format!("{:.1} GiB", memory as f64 / (1_u64 << 30) as f64));
    }
    if survey.place.virtual_machine.is_some() {
        words.push("virtual machine".to_owned());
    }
    if survey.place.container.is_some() {
        words.push("container".to_owned());
    } else if survey.place.network_namespace {
        words.push("network namespace".to_owned());
    }
    words.retain(|w| !w.is_empty());
    entry("host", &words.join(", "), out);
    tcp(survey, out);
    let mut word = "interface";
    for interface in &survey.interfaces {
        entry(word, &self::interface(interface), out);
        word = "";
    }
}

fn tcp(survey: &Survey, out: &mut String) {
    let get = |key: &str| survey.setting(&format!("net.ipv4.tcp_{key}"));
    let cc = get("congestion_control").unwrap_or("unknown");
    let available = get("available_congestion_control")
        .map_or(String::new(), |all| format!(" (there are {all})"));
    let mut words = vec![format!("{cc}{available}")];
    for (key, name) in [
        ("window_scaling", "window scaling"),
        ("sack", "SACK"),
        ("timestamps", "timestamps"),
    ] {
        words.push(match get(key) {
            Some("0") => format!("{name} off"),
            Some(_) => format!("{name} on"),
            None => format!("{name} unknown"),
        });
    }
    entry("tcp", &words.join(", "), out);
    let sizes = ["rmem", "wmem"].map(|key| format!("tcp_{key} {}", get(key).unwrap_or("unknown")));
    entry("", &sizes.join(", "), out);
}

fn interface(i: &Interface) -> String {
    let mut words = vec![format!("{} {}", i.name, i.driver.as_deref().unwrap_or(""))];
    words.push(match i.speed_bps {
        Some(speed) => format!(
            "{} {}",
            bps(speed as f64),
            i.duplex.as_deref().unwrap_or("")
        ),
        None => "speed unknown".to_owned(),
    });
    words.push(
        i.mtu_bytes
            .map_or("MTU unknown".to_owned(), |m| format!("MTU {m}")),
    );
    words.push(format!("qdisc {}", i.qdisc.as_deref().unwrap_or("unknown")));
    if let Some(queue) = i.queue_packets {
        words.push(format!("queue {queue} packets"));
    }
    if let Some([now, most]) = i.receive_ring {
        words.push(format!("ring {now} of {most}"));
    }
    let off: Vec<&str> = i
        .offloads
        .iter()
        .filter(|(_, on)| !**on)
        .map(|(n, _)| n.as_str())
        .collect();
    if !off.is_empty() {
        words.push(format!("{} off", off.join(", ")));
    } else if !i.offloads.is_empty() {
        words.push("offloads on".to_owned());
    }
    let words: Vec<&str> = words.iter().map(|w| w.trim()).collect();
    words.join(", ")
}

/// The answer for each way.
fn ways(report: &HostReport, out: &mut String) {
    let verdict = &report.verdict;
    for (word, rate) in [
        ("sending", verdict.send_bps),
        ("receiving", verdict.receive_bps),
    ] {
        let of = match (rate, verdict.wanted_bps) {
            (Some(rate), Some(wanted)) => format!(
                "{} of {} that the path leaves for payload",
                bps(rate),
                bps(wanted)
            ),
            (Some(rate), None) => bps(rate),
            (None, _) => "unknown".to_owned(),
        };
        entry(word, &of, out);
    }
}

/// Columns for what a ceiling comes from.
const BY: usize = 17;

fn ceilings(report: &HostReport, out: &mut String) {
    let mut line = |by: &str, way: &str, rate: &str, between: &str| {
        let text = format!("{by:<BY$}  {way:<16} {rate:>13} {between}");
        out.push_str(text.trim_end());
        out.push('\n');
    };
    line("ceiling", "way", "rate", "between");
    line(
        &"-".repeat(BY),
        &"-".repeat(16),
        &"-".repeat(13),
        &"-".repeat(30),
    );
    for c in &report.ceilings {
        let between = span(c.ceiling.low_bps, c.ceiling.high_bps);
        // What is longer than its column is named without where it stands.
        let short = c.by.trim_start_matches("net.ipv4.tcp_");
        let by = if c.by.len() > BY { short } else { &c.by };
        line(by, &way(c), &bps(c.ceiling.limit_bps), &between);
    }
    out.push('\n');
    if report.ceilings.iter().any(|c| c.how == How::Requested) {
        entry("asked", ASKED, out);
    }
}

/// What "asked" means.
const ASKED: &str = "by a program that asks for the largest buffer it may have (setsockopt); for others the kernel tunes it";

/// `receiving, asked`.
fn way(ceiling: &HostCeiling) -> String {
    let how = if ceiling.how == How::Requested {
        ", asked"
    } else {
        ""
    };
    format!("{}{how}", ceiling.way.name())
}

/// The heads of the table of round trips.
const HEADS: [&str; 5] = [
    "round trip",
    "sends",
    "receives",
    "sends, asked",
    "receives, asked",
];

fn cells(at: &RateAt) -> [String; 5] {
    let rate = |rate: Option<f64>| rate.map_or("unknown".to_owned(), bps);
    [
        format!("{} ms", at.rtt_ns / 1_000_000),
        rate(at.send_bps),
        rate(at.receive_bps),
        rate(at.send_requested_bps),
        rate(at.receive_requested_bps),
    ]
}

fn rates(report: &HostReport, out: &mut String) {
    let mut line = |cells: [String; 5]| {
        let [rtt, a, b, c, d] = cells;
        let text = format!("{rtt:>10}  {a:>14}  {b:>14}  {c:>14}  {d:>15}");
        out.push_str(text.trim_end());
        out.push('\n');
    };
    line(HEADS.map(str::to_owned));
    line([10, 14, 14, 14, 15].map(|n| "-".repeat(n)));
    for at in &report.rates {
        line(cells(at));
    }
    out.push('\n');
    entry("asked", ASKED, out);
}

fn congestion(report: &HostReport, out: &mut String) {
    let Some(c) = &report.congestion else { return };
    let recovery = match c.recovery_s {
        Some(s) => format!("{} after one loss until the path is full again", seconds(s)),
        None => "the time after a loss has no closed form".to_owned(),
    };
    let loss = match c.loss_ratio_to_fill {
        Some(loss) => format!("; it stays full up to a loss of {loss:.1e}"),
        None => String::new(),
    };
    let text = format!(
        "{}: {recovery}{loss}; {:.1} MB in flight fill it",
        c.algorithm,
        c.window_bytes / 1e6
    );
    entry("losses", &text, out);
}

fn seconds(s: f64) -> String {
    match s {
        s if s >= 600.0 => format!("{:.0} min", s / 60.0),
        s if s >= 10.0 => format!("{s:.0} s"),
        s => format!("{s:.1} s"),
    }
}

fn finding(finding: &Finding, out: &mut String) {
    let place = finding.evidence.first().map(|e| match &e.place {
        Location::Text { source, .. } => source.clone(),
        Location::Record { test, .. } => test.clone(),
    });
    let place = place.filter(|p| !p.is_empty() && !finding.text.contains(p.as_str()));
    let place = place.map_or(String::new(), |p| format!(" ({p})"));
    let text = format!("{} {}{place}", finding.rule, finding.text);
    entry(finding.severity.name(), &text, out);
    for remedy in &finding.remedies {
        entry("", &format!("  {remedy}"), out);
    }
}

fn bps(value: f64) -> String {
    quantity("goodput_bps", value)
}

/// The same for a ticket: the answer, the tables, findings and changes.
pub(super) fn markdown(report: &HostReport) -> String {
    let mut out = format!("**{}**\n\n", report.verdict.text);
    let row = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|c| markdown_cell(c)).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    if report.path.is_some() {
        out.push_str("| ceiling | way | rate | between |\n|---|---|---:|---|\n");
        for c in &report.ceilings {
            out.push_str(&row(&[
                c.by.clone(),
                way(c),
                bps(c.ceiling.limit_bps),
                span(c.ceiling.low_bps, c.ceiling.high_bps),
            ]));
        }
    } else {
        out.push_str(&format!(
            "| {} |\n|---:|---:|---:|---:|---:|\n",
            HEADS.join(" | ")
        ));
        for at in &report.rates {
            out.push_str(&row(&cells(at)));
        }
    }
    out.push('\n');
    for f in &report.findings {
        out.push_str(&format!("- {} {}: {}\n", f.severity.name(), f.rule, f.text));
        for remedy in &f.remedies {
            out.push_str(&format!("  - {remedy}\n"));
        }
    }
    for change in &report.changes {
        let block = |title: &str, lines: &[String]| {
            format!("\n{title}\n\n```text\n{}\n```\n", lines.join("\n"))
        };
        out.push_str(&block("To change:", &change.commands));
        out.push_str(&block("To undo:", &change.undo));
        out.push_str(&block("To keep:", &change.persist));
        out.push_str(&format!("\nRisk: {}.\n", change.risk));
    }
    for note in report.notes.iter().chain(&report.unknown) {
        out.push_str(&format!("\n{note}\n"));
    }
    out
}
