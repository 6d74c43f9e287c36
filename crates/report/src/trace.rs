//! What captures say, as text.

mod exchange;
mod flows;
mod pairs;

use farpath_record::count_of;
use farpath_record::quantity::quantity;
use farpath_record::trace::{
    Glitch, HeldSmall, PolicerFound, SackBenefit, TraceConnection, TraceDirection, TraceDocument,
};

use crate::grid::{Column, lay_out, whole_width, wrap};
use crate::layout::Layout;
use crate::limit::limit_words;

/// Connections whose details are printed below the table.
const DETAILS_MAX: usize = 1;
/// Glitches of one direction that are printed.
const GLITCHES_MAX: usize = 10;

/// Renders the files, a table of connections and their notes; ends with a new line. At most `most` connections are
/// in the table.
pub fn render(document: &TraceDocument, most: usize, layout: Layout) -> String {
    let mut out = String::new();
    let mut say = |text: &str| {
        for line in wrap(text, layout.width, layout.width) {
            out += &(line + "\n");
        }
    };
    for file in &document.files {
        say(&file_text(file));
        for note in &file.notes {
            say(&format!("note: {}: {note}", file.name));
        }
    }
    let shown: Vec<&TraceConnection> = document.connections.iter().take(most).collect();
    if !shown.is_empty() {
        say("");
    }
    let rows: Vec<Row<'_>> = shown.iter().flat_map(|c| rows(c)).collect();
    let whole = columns(&rows, true);
    let (columns, headings) = match whole_width(&whole) <= layout.width {
        true => (whole, Vec::new()),
        false => (columns(&rows, false), headings(&rows)),
    };
    if !shown.is_empty() {
        for line in lay_out(&columns, &headings, layout.width) {
            out += &(line + "\n");
        }
    }
    let mut say = |text: &str| {
        for line in wrap(text, layout.width, layout.width) {
            out += &(line + "\n");
        }
    };
    let left = document.connections.len() - shown.len();
    if left > 0 {
        say(&format!(
            "\n{}: --top {} shows all, --json has all.",
            count_of(left as u64, "more connection", "more connections"),
            document.connections.len()
        ));
    }
    if shown.len() <= DETAILS_MAX {
        for connection in &shown {
            for line in details(connection) {
                say(&line);
            }
        }
    }
    for connection in &shown {
        for note in &connection.notes {
            say(&format!("note: connection {}: {note}", connection.id));
        }
    }
    out += &pairs::render(document, most, layout.width);
    out += &flows::render(document, most, layout.width);
    let mut say = |text: &str| {
        for line in wrap(text, layout.width, layout.width) {
            out += &(line + "\n");
        }
    };
    for note in &document.notes {
        say(&format!("note: {note}"));
    }
    if let Some(others) = others(document) {
        say(&others);
    }
    out
}

/// A policer's rate, or what it lies between where the sender leaves that open.
fn policed(policer: &PolicerFound) -> String {
    let rate = |bps: u64| quantity("rate_bps", bps as f64);
    let (least, most) = (policer.rate_least_bps, policer.rate_most_bps);
    match most > least + least / 2 {
        true => format!("{} to {}", rate(least), rate(most)),
        false => rate(policer.rate_bps),
    }
}

/// Packets that are not listed, by what they are.
fn others(document: &TraceDocument) -> Option<String> {
    // What is listed above is not said again.
    let listed = |name: &str| match name {
        "udp" => !document.flows.is_empty(),
        "icmp" => !document.flows.is_empty() || !document.icmp_errors.is_empty(),
        _ => false,
    };
    let others: Vec<_> = document
        .others
        .iter()
        .filter(|o| !listed(o.0))
        .map(|(n, c)| format!("{c} {}", n.replace('_', " ")))
        .collect();
    (!others.is_empty()).then(|| format!("Other packets: {}.", others.join(", ")))
}

fn file_text(file: &farpath_record::trace::TraceFile) -> String {
    let seconds = (file.last_ns - file.first_ns) as f64;
    let mut text = format!(
        "{}: {}, {}, {}",
        file.name,
        count_of(file.packets, "packet", "packets"),
        quantity("bytes", file.bytes as f64),
        quantity("duration_ns", seconds)
    );
    if !file.link_types.is_empty() {
        text += &format!(" ({})", file.link_types.join(", "));
    }
    if file.dropped_by_capture > 0 {
        let lost = count_of(file.dropped_by_capture, "packet", "packets");
        text += &format!("; the capture lost {lost}");
    }
    text
}

/// One direction in the table.
struct Row<'a> {
    connection: &'a TraceConnection,
    direction: &'a TraceDirection,
    ends: [&'a str; 2],
}

/// The directions with data; the first one where neither has.
fn rows(connection: &TraceConnection) -> Vec<Row<'_>> {
    let of = |direction, ends| Row {
        connection,
        direction,
        ends,
    };
    let (a, b) = (connection.a.as_str(), connection.b.as_str());
    let both = [of(&connection.a2b, [a, b]), of(&connection.b2a, [b, a])];
    let [there, back] = both;
    match (there.direction.unique_bytes, back.direction.unique_bytes) {
        (0, 0) | (1.., 0) => vec![there],
        (0, _) => vec![back],
        _ => vec![there, back],
    }
}

/// A line above the rows of each connection, for a table that is too narrow for its ends.
fn headings(rows: &[Row<'_>]) -> Vec<(usize, String)> {
    let is_first = |n: usize| n == 0 || rows[n - 1].connection.id != rows[n].connection.id;
    let heading = |n: usize| {
        let c = rows[n].connection;
        (n, format!("{}: {} > {}", c.id, c.a, c.b))
    };
    (0..rows.len())
        .filter(|n| is_first(*n))
        .map(heading)
        .collect()
}

/// The columns; `with_ends` where the ends of each connection are among them, and not above.
fn columns(rows: &[Row<'_>], with_ends: bool) -> Vec<Column> {
    let number = |head: &str, cell: &dyn Fn(&Row<'_>) -> String| Column {
        head: head.to_owned(),
        cells: rows.iter().map(cell).collect(),
        number: true,
    };
    let text = |head: &str, cell: &dyn Fn(&Row<'_>) -> String| {
        Column::text(head, rows.iter().map(cell).collect())
    };
    let maybe = |name: &'static str, value: Option<u64>| {
        value.map_or_else(|| "-".to_owned(), |v| quantity(name, v as f64))
    };
    let way = |r: &Row<'_>| {
        let way = match r.ends[0] == r.connection.a {
            true => "  a to b",
            false => "  b to a",
        };
        way.to_owned()
    };
    let mut columns = match with_ends {
        true => vec![
            number("ID", &|r| r.connection.id.to_string()),
            text("From > to", &|r| format!("{} > {}", r.ends[0], r.ends[1])),
        ],
        false => vec![text("Connection", &way)],
    };
    columns.extend([
        number("Bytes", &|r| {
            quantity("bytes", r.direction.unique_bytes as f64)
        }),
        number("Goodput", &|r| {
            // No rate is said of one segment.
            match r.direction.goodput_bps {
                0 => "-".to_owned(),
                bps => quantity("goodput_bps", bps as f64),
            }
        }),
        number("RTT min", &|r| maybe("rtt_min_ns", r.direction.rtt_min_ns)),
        number("Resent", &|r| {
            r.direction.retransmitted_segments.to_string()
        }),
        text("Limited by", &|r| limited(r.connection, r.direction)),
    ]);
    columns
}

fn limited(connection: &TraceConnection, direction: &TraceDirection) -> String {
    let Some(limit) = &direction.limited_by else {
        let asked = connection.opening.as_ref().is_some_and(|o| !o.answered);
        let word = match (asked, &connection.reset) {
            (true, Some(_)) => "refused",
            (true, None) => "no answer",
            _ => "-",
        };
        return word.to_owned();
    };
    let share = direction.limit_shares.get(limit).copied().unwrap_or(0.0);
    let words = seen_words(limit);
    format!("{words} {:.0} %", share * 100.0)
}

/// A program whose small writes wait for acknowledgements.
const HELD: &str = "small writes that waited (Nagle's algorithm)";

/// A word of `limited_by` in what a capture alone shows: a program that writes nothing and one whose send buffer is full
/// look the same on the wire.
fn seen_words(limit: &str) -> String {
    match limit {
        "application" => "the application or its send buffer".to_owned(),
        "send_buffer" => "the send buffer, or a window of the program".to_owned(),
        "pacing" => {
            "a pace of the sender (SO_MAX_PACING_RATE, fq, BBR) or of its program".to_owned()
        }
        HeldSmall::LIMIT => HELD.to_owned(),
        other => limit_words(other),
    }
}

/// Everything of one connection.
fn details(connection: &TraceConnection) -> Vec<String> {
    let mut lines = vec![
        String::new(),
        format!(
            "Connection {}: {} to {}, {}{}",
            connection.id,
            connection.a,
            connection.b,
            quantity("duration_ns", connection.duration_ns as f64),
            if connection.complete {
                ", complete"
            } else {
                ""
            }
        ),
        format!("captured: {}", vantage(connection)),
    ];
    lines.extend(exchange::opening(connection));
    lines.extend(exchange::requests(connection));
    let both = [("a to b", &connection.a2b), ("b to a", &connection.b2a)];
    for (name, direction) in both {
        if direction.unique_bytes > 0 {
            lines.extend(direction_lines(name, direction));
        }
    }
    lines.push(String::new());
    lines
}

fn vantage(connection: &TraceConnection) -> String {
    match connection.vantage.as_str() {
        "sender_of_a" => format!("at {}", connection.a),
        "sender_of_b" => format!("at {}", connection.b),
        "middle" => "between the ends".to_owned(),
        _ => "where is unknown".to_owned(),
    }
}

fn direction_lines(name: &str, d: &TraceDirection) -> Vec<String> {
    let bytes = |b: u64| quantity("bytes", b as f64);
    let inferred = if d.window_scale_inferred {
        ", inferred"
    } else {
        ""
    };
    let window = match d.window_scale {
        Some(scale) => format!(
            "window up to {} (scale {scale}{inferred}), flight up to {}{}",
            bytes(d.window_max_bytes),
            bytes(d.flight_max_bytes),
            match d.duplicate_acks {
                0 => "",
                _ => ", with what was lost or SACKed",
            }
        ),
        None => "window and flight unknown".to_owned(),
    };
    let mut lines = vec![format!(
        "{name}: {}, {}, MSS {}, {window}",
        count_of(d.segments, "segment", "segments"),
        count_of(d.unique_bytes, "new byte", "new bytes"),
        d.mss
            .map_or_else(|| "unknown".to_owned(), |m| m.to_string()),
    )];
    lines.extend(anomalies(d));
    if let (Some(min), Some(avg), Some(max)) = (d.rtt_min_ns, d.rtt_avg_ns, d.rtt_max_ns) {
        let ns = |v: u64| quantity("rtt_ns", v as f64);
        lines.push(format!(
            "  RTT min {}, mean {}, max {} ({} of segments sent once)",
            ns(min),
            ns(avg),
            ns(max),
            count_of(d.rtt_samples, "acknowledgement", "acknowledgements")
        ));
    }
    if !d.limit_shares.is_empty() {
        // What rounds to 0 % is left to the JSON.
        let shown = d.limit_shares.iter().filter(|(_, share)| **share >= 0.005);
        let mut shares: Vec<(&String, &f64)> = shown.collect();
        shares.sort_by(|a, b| b.1.total_cmp(a.1));
        let shares = shares
            .iter()
            .map(|(n, s)| format!("{} {:.0} %", seen_words(n), *s * 100.0));
        lines.push(format!(
            "  limited by: {}",
            shares.collect::<Vec<_>>().join(", ")
        ));
    }
    lines.extend(glitches(d));
    lines
}

/// What was sent again, and what else went otherwise.
fn anomalies(d: &TraceDirection) -> Vec<String> {
    let mut lines = Vec::new();
    let r = &d.retransmissions;
    let classes = [
        ("fast", r.fast),
        ("after timeouts", r.rto),
        ("as tail loss probes", r.tlp),
        ("of lost retransmissions", r.lost_retransmission),
        ("unneeded", r.unneeded),
        ("lost before the capture", r.upstream),
        ("unknown", r.unknown),
    ];
    let some = classes
        .iter()
        .filter(|c| c.1 > 0)
        .map(|c| format!("{} {}", c.1, c.0));
    let some = some.collect::<Vec<_>>().join(", ");
    if !some.is_empty() {
        lines.push(format!("  sent again: {some}"));
    }
    let others = [
        ("reordered", d.reordered_segments),
        ("doubled by the network", d.network_duplicates),
    ];
    let acks = count_of(d.duplicate_acks, "duplicate ACK", "duplicate ACKs");
    let windows = count_of(d.zero_windows, "zero window", "zero windows");
    let others = others.map(|(what, count)| (format!("{count} {what}"), count));
    let others = others
        .into_iter()
        .chain([(acks, d.duplicate_acks), (windows, d.zero_windows)])
        .filter(|c| c.1 > 0)
        .map(|c| c.0);
    let others = others.collect::<Vec<_>>().join(", ");
    if !others.is_empty() {
        lines.push(format!("  {others}"));
    }
    lines.extend(marks(d));
    lines
}

/// What routers marked instead of dropping it, as far as the capture shows it.
fn marks(d: &TraceDirection) -> Option<String> {
    let all = [
        (d.marked, "packet marked here", "packets marked here"),
        (
            d.ecn_echoes,
            "ACK that echoes marks",
            "ACKs that echo marks",
        ),
        (
            d.ecn_reductions,
            "reduction of the window for them",
            "reductions of the window for them",
        ),
    ];
    let some = all.into_iter().filter(|m| m.0 > 0);
    let some: Vec<String> = some
        .map(|(count, one, many)| count_of(count, one, many))
        .collect();
    (!some.is_empty()).then(|| format!("  ECN: {}", some.join(", ")))
}

/// Glitches, their pattern, what SACK saved, and a policer.
fn glitches(d: &TraceDirection) -> Vec<String> {
    let bytes = |b: u64| quantity("bytes", b as f64);
    let mut lines = Vec::new();
    for glitch in d.glitches.iter().take(GLITCHES_MAX) {
        let cause = match glitch.cause.as_str() {
            Glitch::PROBE_RTT => "BBR's ProbeRTT".to_owned(),
            Glitch::MARKS => "ECN marks".to_owned(),
            other => other.replace('_', " "),
        };
        lines.push(format!(
            "  {} at {} for {}: {} not sent, by {}",
            glitch.kind.replace('_', " "),
            quantity("start_ns", glitch.start_ns as f64),
            quantity("duration_ns", glitch.duration_ns as f64),
            bytes(glitch.cost_bytes),
            cause
        ));
    }
    if d.glitches.len() > GLITCHES_MAX {
        lines.push(format!(
            "  and {}: --json has all",
            count_of(
                (d.glitches.len() - GLITCHES_MAX) as u64,
                "more glitch",
                "more glitches"
            )
        ));
    }
    if let Some(pattern) = &d.loss_pattern {
        let more = match pattern.as_str() {
            "mixed" => {
                ": most stand alone, and a few bursts hold a quarter of the segments or more"
            }
            _ => "",
        };
        lines.push(format!("  losses are {pattern}{more}"));
    }
    if let Some(scales) = &d.loss_scales {
        lines.push(match scales.as_str() {
            "per_byte" => {
                "  large segments are lost more often, byte by byte: errors of bits or cells"
                    .to_owned()
            }
            _ => "  segments of all sizes are lost alike: queues, not errors of bits".to_owned(),
        });
    }
    if let Some(sack) = &d.sack_benefit {
        lines.push(saved(sack));
    }
    if let Some(policer) = &d.policer {
        lines.push(format!(
            "  a policer: {}, burst {}",
            policed(policer),
            bytes(policer.burst_bytes)
        ));
    }
    lines
}

/// What SACK saved. Segments are counted and not gaps: two that were lost side by side are two round trips without it.
fn saved(sack: &SackBenefit) -> String {
    format!(
        "  SACK: {} of {} took {}; {} at one segment a round trip, without it",
        count_of(sack.recoveries, "recovery", "recoveries"),
        count_of(sack.holes, "lost segment", "lost segments"),
        quantity("took_ns", sack.took_ns as f64),
        quantity("without_ns", sack.without_ns as f64)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_said_in_their_own_words() {
        let none = TraceDirection::default();
        assert_eq!(marks(&none), None);
        let some = TraceDirection {
            ecn_echoes: 294,
            ecn_reductions: 1,
            ..TraceDirection::default()
        };
        let said = marks(&some).expect("there are marks");
        assert_eq!(
            said,
            "  ECN: 294 ACKs that echo marks, 1 reduction of the window for them"
        );
        let cut = TraceDirection {
            glitches: vec![Glitch {
                kind: "reduction".to_owned(),
                cause: Glitch::MARKS.to_owned(),
                cost_bytes: 1000,
                ..Glitch::default()
            }],
            ..TraceDirection::default()
        };
        let said = glitches(&cut).join("\n");
        assert!(said.contains("reduction at"), "{said}");
        assert!(said.contains("not sent, by ECN marks"), "{said}");
    }

    /// Segments 8000, 8010 and 8011 are two gaps, and three round trips without SACK.
    #[test]
    fn what_sack_saved_is_said_in_segments() {
        let sack = SackBenefit {
            recoveries: 1,
            holes: 3,
            took_ns: 140_000_000,
            without_ns: 420_000_000,
        };
        let said = saved(&sack);
        assert!(
            said.contains("1 recovery of 3 lost segments took"),
            "{said}"
        );
        assert!(!said.contains("hole"), "{said}");
    }
}
