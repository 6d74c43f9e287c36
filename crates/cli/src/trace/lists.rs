//! What captures say as lists: CSV for spreadsheets and scripts.

use farpath_record::trace::{TraceConnection, TraceDirection, TraceDocument};
use farpath_trace::Analysis;

/// The columns of [`connections`].
const COLUMNS: [&str; 39] = [
    "id",
    "direction",
    "from",
    "to",
    "start_ns",
    "duration_ns",
    "vantage",
    "packets",
    "bytes",
    "unique_bytes",
    "segments",
    "retransmitted_segments",
    "retransmitted_bytes",
    "fast",
    "rto",
    "tlp",
    "lost_retransmission",
    "unneeded",
    "upstream",
    "unknown",
    "reordered_segments",
    "network_duplicates",
    "duplicate_acks",
    "zero_windows",
    "mss",
    "window_scale",
    "window_max_bytes",
    "flight_max_bytes",
    "rtt_min_ns",
    "rtt_avg_ns",
    "rtt_max_ns",
    "rtt_samples",
    "goodput_bps",
    "limited_by",
    "glitches",
    "glitch_cost_bytes",
    "marked",
    "ecn_echoes",
    "ecn_reductions",
];

/// One line for each direction of each connection.
pub(super) fn connections(document: &TraceDocument) -> String {
    let mut text = COLUMNS.join(",") + "\n";
    for c in &document.connections {
        for (name, ends, d) in [("a2b", [&c.a, &c.b], &c.a2b), ("b2a", [&c.b, &c.a], &c.b2a)] {
            line(&mut text, c, name, ends, d);
        }
    }
    text
}

fn line(
    text: &mut String,
    c: &TraceConnection,
    name: &str,
    ends: [&String; 2],
    d: &TraceDirection,
) {
    let r = &d.retransmissions;
    let maybe = |value: Option<u64>| value.map_or_else(String::new, |v| v.to_string());
    let cost: u64 = d.glitches.iter().map(|g| g.cost_bytes).sum();
    let fields = [
        c.id.to_string(),
        name.to_owned(),
        ends[0].clone(),
        ends[1].clone(),
        c.start_ns.to_string(),
        c.duration_ns.to_string(),
        c.vantage.clone(),
        d.packets.to_string(),
        d.bytes.to_string(),
        d.unique_bytes.to_string(),
        d.segments.to_string(),
        d.retransmitted_segments.to_string(),
        d.retransmitted_bytes.to_string(),
        r.fast.to_string(),
        r.rto.to_string(),
        r.tlp.to_string(),
        r.lost_retransmission.to_string(),
        r.unneeded.to_string(),
        r.upstream.to_string(),
        r.unknown.to_string(),
        d.reordered_segments.to_string(),
        d.network_duplicates.to_string(),
        d.duplicate_acks.to_string(),
        d.zero_windows.to_string(),
        maybe(d.mss.map(u64::from)),
        maybe(d.window_scale.map(u64::from)),
        d.window_max_bytes.to_string(),
        d.flight_max_bytes.to_string(),
        maybe(d.rtt_min_ns),
        maybe(d.rtt_avg_ns),
        maybe(d.rtt_max_ns),
        d.rtt_samples.to_string(),
        d.goodput_bps.to_string(),
        d.limited_by.clone().unwrap_or_default(),
        d.glitches.len().to_string(),
        cost.to_string(),
        d.marked.to_string(),
        d.ecn_echoes.to_string(),
        d.ecn_reductions.to_string(),
    ];
    text.push_str(&fields.join(","));
    text.push('\n');
}

/// One line for each segment that is not simply the next one.
pub(super) fn segments(analysis: &Analysis) -> String {
    let mut text = String::from("id,direction,t_ns,offset,length,class,why\n");
    for (c, both) in analysis.document.connections.iter().zip(&analysis.found) {
        for (name, direction) in ["a2b", "b2a"].iter().zip(both) {
            for s in &direction.segments {
                let since = s.at_ns - c.start_ns;
                text += &format!(
                    "{},{name},{since},{},{},{},{}\n",
                    c.id, s.offset, s.length, s.class, s.why
                );
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Marks of the direction stand in its own line, under the names that the JSON has.
    #[test]
    fn each_column_has_its_value_and_marks_are_among_them() {
        let mut connection = TraceConnection {
            id: 7,
            ..TraceConnection::default()
        };
        connection.a2b.marked = 11;
        connection.a2b.ecn_echoes = 12;
        connection.a2b.ecn_reductions = 13;
        connection.b2a.marked = 2;
        let document = TraceDocument {
            connections: vec![connection],
            ..TraceDocument::default()
        };
        let text = connections(&document);
        let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
        assert_eq!(rows.len(), 3);
        for row in &rows {
            assert_eq!(row.len(), COLUMNS.len(), "{row:?}");
        }
        let of = |row: usize, column: &str| {
            let place = rows[0].iter().position(|name| *name == column);
            rows[row][place.expect("a column of this name")]
        };
        for (column, values) in [
            ("id", ["7", "7"]),
            ("marked", ["11", "2"]),
            ("ecn_echoes", ["12", "0"]),
            ("ecn_reductions", ["13", "0"]),
        ] {
            assert_eq!([of(1, column), of(2, column)], values, "{column}");
        }
    }
}
