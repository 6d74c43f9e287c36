//! Flows that are not TCP, and errors that ICMP reported, as text.

use farpath_record::count_of;
use farpath_record::quantity::quantity;
use farpath_record::trace::{FlowDirection, IcmpError, TraceDocument, TraceFlow};

use crate::grid::{Column, lay_out, wrap};

/// Errors that are printed; JSON has all.
const ERRORS_MAX: usize = 10;
/// Queries of DNS that are printed of one flow, the slowest first.
const QUERIES_MAX: usize = 3;

/// The flows and the errors; empty without any. At most `most` flows are listed, in lines of `width` characters.
pub(super) fn render(document: &TraceDocument, most: usize, width: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut flows: Vec<&TraceFlow> = document.flows.iter().collect();
    flows.sort_by_key(|f| (std::cmp::Reverse(f.a2b.bytes + f.b2a.bytes), f.id));
    flows.truncate(most);
    if !flows.is_empty() {
        lines.push(String::new());
        let (columns, headings) = table(&flows);
        lines.extend(lay_out(&columns, &headings, width));
    }
    let mut say = |text: &str| lines.extend(wrap(text, width, width));
    let left = document.flows.len() - flows.len();
    if left > 0 {
        say(&format!(
            "{}: --top {} shows all, --json has all.",
            count_of(left as u64, "more flow", "more flows"),
            document.flows.len()
        ));
    }
    for flow in &flows {
        for note in &flow.notes {
            say(&format!("note: flow {}: {note}", flow.id));
        }
    }
    if !document.icmp_errors.is_empty() {
        say("");
    }
    for error in document.icmp_errors.iter().take(ERRORS_MAX) {
        say(&error_text(error));
    }
    let left = document.icmp_errors.len().saturating_sub(ERRORS_MAX);
    if left > 0 {
        let more = count_of(left as u64, "more ICMP error", "more ICMP errors");
        say(&format!("{more}: --json has all."));
    }
    let mut out = lines.join("\n");
    if !out.is_empty() {
        out.push('\n');
    }
    out
}

/// One direction of a flow in the table.
struct Row<'a> {
    name: &'static str,
    flow: &'a TraceFlow,
    direction: &'a FlowDirection,
    is_forth: bool,
}

fn table(flows: &[&TraceFlow]) -> (Vec<Column>, Vec<(usize, String)>) {
    let (mut rows, mut headings) = (Vec::new(), Vec::new());
    for flow in flows {
        headings.push((rows.len(), heading(flow)));
        let both = [
            ("  a to b", &flow.a2b, true),
            ("  b to a", &flow.b2a, false),
        ];
        for (name, direction, is_forth) in both.into_iter().filter(|d| d.1.packets > 0) {
            rows.push(Row {
                name,
                flow,
                direction,
                is_forth,
            });
        }
    }
    let number = |head: &str, cell: &dyn Fn(&Row<'_>) -> String| Column {
        head: head.to_owned(),
        cells: rows.iter().map(cell).collect(),
        number: true,
    };
    let columns = vec![
        Column::text("Flow", rows.iter().map(|r| r.name.to_owned()).collect()),
        number("Packets", &|r| r.direction.packets.to_string()),
        number("Bytes", &|r| quantity("bytes", r.direction.bytes as f64)),
        number("Rate", &|r| match r.direction.rate_bps {
            0 => "-".to_owned(),
            rate => quantity("rate_bps", rate as f64),
        }),
        number("Lost", &lost),
        number("Jitter", &|r| {
            let jitter = r.direction.streams.first().and_then(|s| s.jitter_ns);
            maybe("jitter_ns", jitter)
        }),
    ];
    (columns, headings)
}

fn maybe(name: &str, value: Option<u64>) -> String {
    value.map_or_else(|| "-".to_owned(), |v| quantity(name, v as f64))
}

fn lost(row: &Row<'_>) -> String {
    let streams = &row.direction.streams;
    if !streams.is_empty() {
        return streams.iter().map(|s| s.lost).sum::<u64>().to_string();
    }
    match (&row.flow.echo, &row.flow.dns) {
        (Some(echo), _) if row.is_forth => echo.lost.to_string(),
        (_, Some(dns)) if row.is_forth => dns.unanswered.to_string(),
        _ => "-".to_owned(),
    }
}

/// Number, kind, ends and name of a flow, and what is its own.
fn heading(flow: &TraceFlow) -> String {
    let mut text = format!("{} {}", flow.id, flow.protocol);
    if let Some(application) = &flow.application {
        text += &format!(" {application}");
    }
    text += &format!(": {} > {}", flow.a, flow.b);
    if let Some(name) = &flow.name {
        text += &format!(" ({name})");
    }
    for part in [echo(flow), dns(flow), quic(flow), numbered(flow)]
        .into_iter()
        .flatten()
    {
        text += &format!("; {part}");
    }
    text
}

fn times(what: &str, least: Option<u64>, mean: Option<u64>, most: Option<u64>) -> Option<String> {
    let ns = |v: u64| quantity("rtt_ns", v as f64);
    Some(format!(
        "{what} min {}, mean {}, max {}",
        ns(least?),
        ns(mean?),
        ns(most?)
    ))
}

fn echo(flow: &TraceFlow) -> Option<String> {
    let echo = flow.echo.as_ref()?;
    let sent = count_of(echo.requests, "request", "requests");
    let mut text = format!("{sent}, {} lost", echo.lost);
    if echo.duplicates > 0 {
        let duplicates = count_of(echo.duplicates, "duplicate", "duplicates");
        text += &format!(", {duplicates}");
    }
    if let Some(rtt) = times("RTT", echo.rtt_min_ns, echo.rtt_avg_ns, echo.rtt_max_ns) {
        text += &format!(", {rtt}");
    }
    Some(text)
}

fn dns(flow: &TraceFlow) -> Option<String> {
    let dns = flow.dns.as_ref()?;
    let mut text = count_of(dns.queries, "query", "queries");
    if dns.repeated > 0 {
        text += &format!(", {} sent again", dns.repeated);
    }
    if dns.unanswered > 0 {
        text += &format!(", {} unanswered", dns.unanswered);
    }
    for (code, count) in dns.rcodes.iter().filter(|c| c.0 != "NOERROR") {
        text += &format!(", {count} {code}");
    }
    let (least, mean, most) = (dns.answer_min_ns, dns.answer_avg_ns, dns.answer_max_ns);
    if let Some(answers) = times("answers", least, mean, most) {
        text += &format!(", {answers}");
    }
    for query in dns.slowest.iter().take(QUERIES_MAX) {
        let took = match query.answer_ns {
            Some(ns) => format!("after {}", quantity("answer_ns", ns as f64)),
            None => "not answered".to_owned(),
        };
        text += &format!("; {} {} {took}", query.name, query.record);
    }
    Some(text)
}

fn quic(flow: &TraceFlow) -> Option<String> {
    let quic = flow.quic.as_ref()?;
    let mut text = quic.version.clone();
    if let Some(ns) = quic.handshake_ns {
        text += &format!(", handshake {}", quantity("handshake_ns", ns as f64));
    }
    match times("RTT", quic.rtt_min_ns, quic.rtt_avg_ns, quic.rtt_max_ns) {
        Some(rtt) => text += &format!(", spin bit {rtt}"),
        None => text += &format!(", spin bit {}", quic.spin),
    }
    Some(text)
}

/// What numbers say beside losses and jitter, where there is anything.
fn numbered(flow: &TraceFlow) -> Option<String> {
    let mut parts = Vec::new();
    for (name, direction) in [("a to b", &flow.a2b), ("b to a", &flow.b2a)] {
        for stream in &direction.streams {
            let mut text = name.to_owned();
            if let Some(ssrc) = stream.ssrc {
                text += &format!(" SSRC {ssrc:08x}");
            }
            if let Some(ratio) = stream.loss_ratio.filter(|r| *r > 0.0) {
                text += &format!(" lost {}", quantity("loss_ratio", ratio));
            }
            if stream.reordered > 0 {
                text += &format!(", {} out of order", stream.reordered);
            }
            if stream.duplicates > 0 {
                let duplicates = count_of(stream.duplicates, "duplicate", "duplicates");
                text += &format!(", {duplicates}");
            }
            if text != name {
                parts.push(text);
            }
        }
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

fn error_text(error: &IcmpError) -> String {
    let mtu = error
        .mtu
        .map_or_else(String::new, |mtu| format!(", MTU {mtu} B"));
    let labels = error.labels.iter().map(u32::to_string);
    let labels = labels.collect::<Vec<_>>().join(" ");
    let labels = if labels.is_empty() {
        labels
    } else {
        format!(", labels {labels}")
    };
    format!(
        "ICMP {} from {} to {}{mtu}{labels}, {}, of {} {} > {}",
        error.kind.replace('_', " "),
        error.from,
        error.to,
        count_of(error.count, "time", "times"),
        error.protocol,
        error.flow_from,
        error.flow_to
    )
}
