//! Connections that were captured at two points, as text.

use farpath_record::count_of;
use farpath_record::quantity::{quantity, share};
use farpath_record::trace::{PairDirection, TraceDocument, TracePair};

use crate::grid::wrap;

/// Lost segments that are printed of one direction; JSON has more.
const LOST_MAX: usize = 3;

/// What became of packets between two points; empty without any pair. At most `most` are printed.
pub(super) fn render(document: &TraceDocument, most: usize, width: usize) -> String {
    let mut lines = Vec::new();
    for pair in document.pairs.iter().take(most) {
        lines.push(String::new());
        for text in pair_lines(pair) {
            let indent = text.len() - text.trim_start().len();
            let blanks = " ".repeat(indent);
            let wrapped = wrap(&text, width - indent, width - indent);
            lines.extend(wrapped.iter().map(|l| format!("{blanks}{l}")));
        }
    }
    let left = document.pairs.len().saturating_sub(most);
    if left > 0 {
        lines.push(format!(
            "{} captured at two points: --json has all.",
            count_of(left as u64, "more connection", "more connections")
        ));
    }
    lines.iter().map(|l| format!("{l}\n")).collect()
}

fn pair_lines(pair: &TracePair) -> Vec<String> {
    let [near, far] = pair.connections;
    let mut lines = vec![format!(
        "Connection {near} in {} is connection {far} in {}: {} > {}{}",
        pair.files[0],
        pair.files[1],
        pair.a,
        pair.b,
        if pair.translated {
            ", addresses or ports translated between"
        } else {
            ""
        }
    )];
    let mut clock = format!(
        "  round trip between them at least {}",
        quantity("rtt_ns", pair.round_trip_min_ns as f64)
    );
    if !pair.same_clock {
        clock += &format!(
            "; second clock ahead by {}, within {}",
            quantity("offset_ns", pair.clock_offset_ns as f64),
            quantity("offset_ns", pair.clock_uncertainty_ns as f64)
        );
    }
    if let Some(drift) = pair.clock_drift_ppm {
        clock += &format!(", drift {drift:.2} ppm");
    }
    lines.push(clock);
    lines.extend(direction_lines("a to b", &pair.a2b));
    lines.extend(direction_lines("b to a", &pair.b2a));
    lines.extend(pair.notes.iter().map(|n| format!("  note: {n}")));
    lines
}

fn direction_lines(name: &str, d: &PairDirection) -> Vec<String> {
    let packets = count_of(d.packets, "packet", "packets");
    let mut text = format!("  {name}: {packets}, {} lost", d.lost);
    if d.lost > 0 {
        let all = d.loss_ratio.map_or(0.0, |ratio| d.lost as f64 / ratio);
        let of_bytes = if d.recut > 0 { " of the bytes" } else { "" };
        text += &format!(" ({}{of_bytes}", share(d.lost, all.round() as u64));
        if d.lost_bytes > 0 {
            text += &format!(", {} B", d.lost_bytes);
        }
        text += ")";
    }
    for (what, count) in [("reordered", d.reordered), ("doubled", d.duplicated)] {
        if count > 0 {
            text += &format!(", {count} {what}");
        }
    }
    if d.appeared > 0 {
        text += &format!(", {} only at the far point", d.appeared);
        if d.appeared_bytes > 0 {
            text += &format!(" ({} B)", d.appeared_bytes);
        }
    }
    if let Some(hops) = d.hops {
        let one = if hops.abs() == 1 { "" } else { "s" };
        text += &format!(", {hops} hop{one}");
    }
    let mut lines = vec![text];
    lines.extend(recut(d));
    if let (Some(least), Some(mean), Some(p99), Some(most)) = (
        d.delay_min_ns,
        d.delay_avg_ns,
        d.delay_p99_ns,
        d.delay_max_ns,
    ) {
        let ns = |v: i64| quantity("delay_ns", v as f64);
        // Of fewer it is the largest.
        let p99 = match d.packets.saturating_sub(d.lost) {
            0..100 => String::new(),
            _ => format!(", p99 {}", ns(p99)),
        };
        lines.push(format!(
            "    one way: min {}, mean {}{p99}, max {}",
            ns(least),
            ns(mean),
            ns(most)
        ));
    }
    for lost in d.lost_segments.iter().take(LOST_MAX) {
        lines.push(format!(
            "    lost at {}: {} B from byte {}",
            quantity("at_ns", lost.at_ns as f64),
            lost.length,
            lost.offset
        ));
    }
    lines.extend(changed(d).map(|c| format!("    {c}")));
    lines
}

/// Segments whose bytes came in other pieces.
fn recut(d: &PairDirection) -> Option<String> {
    let what = match d.recut <= d.recut_into {
        true => "split",
        false => "joined",
    };
    let segments = match d.recut {
        0 => return None,
        1 => "segment was",
        _ => "segments were",
    };
    Some(format!(
        "    {} {segments} {what} on the way, into {} (offload)",
        d.recut, d.recut_into
    ))
}

/// What was changed in the SYN.
fn changed(d: &PairDirection) -> Option<String> {
    let mut parts = Vec::new();
    if let Some([x, y]) = d.mss_rewritten {
        parts.push(format!("MSS {x} becomes {y}"));
    }
    if let Some([x, y]) = d.window_scale_rewritten {
        parts.push(format!("window scale {x} becomes {y}"));
    }
    for (what, options) in [
        ("taken out", &d.options_removed),
        ("put in", &d.options_added),
    ] {
        if !options.is_empty() {
            parts.push(format!("{what}: {}", options.join(", ").replace('_', " ")));
        }
    }
    (!parts.is_empty()).then(|| format!("SYN changed on the way: {}", parts.join("; ")))
}
