//! What is generated from the registry of metrics and the words of limits: tables of `docs/reference/record.md`, and the
//! page's labels.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use farpath_observe::limit::{Limit, WORDS};
use farpath_observe::metric::{HEADLINES, LINK_METRICS, METRICS, Metric, Subject};

/// `docs/reference/record.md`, written by hand but for the parts between two marks.
pub(crate) fn record_page(root: &Path) -> Result<String, String> {
    let path = root.join("docs/reference/record.md");
    let text = fs::read_to_string(&path).map_err(|e| format!("read {}: {e}", path.display()))?;
    let text = between(&text, "<!-- metrics:", &metrics())?;
    between(&text, "<!-- limits:", &limits())
}

/// A text with what stands between the line that begins with `mark` and the next end mark replaced.
fn between(text: &str, mark: &str, new: &str) -> Result<String, String> {
    const END: &str = "<!-- end -->";
    let missing = || format!("docs/reference/record.md has no `{mark}` followed by `{END}`");
    let start = text.find(mark).ok_or_else(missing)?;
    let line = text[start..].find('\n').ok_or_else(missing)? + start + 1;
    let end = text[line..].find(END).ok_or_else(missing)? + line;
    Ok(format!("{}{new}{}", &text[..line], &text[end..]))
}

fn metrics() -> String {
    let mut text = "| metric | kinds | definition |\n|---|---|---|\n".to_owned();
    for metric in METRICS {
        text.push_str(&format!(
            "| `{}` | {} | {} |\n",
            metric.name,
            kinds(metric),
            metric.is
        ));
    }
    text
}

fn kinds(metric: &Metric) -> String {
    let names: Vec<&str> = metric.of.iter().map(|of| of.name()).collect();
    names.join(", ")
}

fn limits() -> String {
    let mut text = "| `limited_by` | on pages and in tables | what kept the connection from being faster |\n|---|---|---|\n".to_owned();
    for (limit, name, words) in WORDS {
        text.push_str(&format!("| `{name}` | {words} | {} |\n", meaning(limit)));
    }
    text
}

/// What a limit says of a connection.
fn meaning(limit: Limit) -> &'static str {
    match limit {
        Limit::Application => "the application had nothing more to send",
        Limit::SendBuffer => "the send buffer was full of data that was not acknowledged",
        Limit::ReceiveWindow => "the receiver's window was full",
        Limit::CwndSlowStart => "the congestion window, in slow start; the handshake counts here",
        Limit::CwndRecovery => {
            "the congestion window, after a cut: in fast recovery or congestion avoidance"
        }
        Limit::Loss => "a retransmission timeout was being repaired; of datagrams, losses",
        Limit::Nic => "the sending host's own interface, and the line behind it",
        Limit::HostCpu => "a processor or bus of one of the hosts",
        Limit::Disk => "a disk of one of the hosts",
        Limit::Link => "a link of the path, which was full",
        Limit::Policer => "a policer, which dropped what exceeded its rate",
        Limit::Mtu => "packets larger than a link carries",
        Limit::Pacing => "the sender's own pacing",
        Limit::Unknown => "the evidence does not say",
    }
}

/// `web/src/registry.ts`.
pub(crate) fn labels(_root: &Path) -> Result<String, String> {
    let mut text = "// Written by `cargo xtask gen` from crates/observe; do not edit.\n".to_owned();
    let mut map = |comment: &str, name: &str, rows: &mut dyn Iterator<Item = (&str, &str)>| {
        writeln!(
            text,
            "\n/** {comment} */\nexport const {name}: ReadonlyMap<string, string> = new Map(["
        )?;
        for (key, label) in rows {
            writeln!(text, "  [{key:?}, {label:?}],")?;
        }
        writeln!(text, "]);")
    };
    let label = |m: &'static Metric| (m.name, m.label);
    map(
        "Metrics of tests in words, in the order in which a page shows them.",
        "METRICS",
        &mut METRICS.iter().map(label),
    )
    .and_then(|()| {
        map(
            "Metrics of links, their queues and policers.",
            "LINK_METRICS",
            &mut LINK_METRICS.iter().map(label),
        )
    })
    .and_then(|()| {
        map(
            "What limits a test, in words.",
            "LIMITS",
            &mut WORDS.iter().map(|(_, name, words)| (*name, *words)),
        )
    })
    .map_err(|e| e.to_string())?;
    Ok(text + &headlines())
}

/// What is shown of each kind of test, by its name.
fn headlines() -> String {
    let row =
        |(kind, metrics): &(Subject, &[&str])| format!("  [{:?}, {metrics:?}],\n", kind.name());
    let rows: String = HEADLINES.iter().map(row).collect();
    format!(
        "\n/** Metrics of each kind of test that are shown without being asked for. */\n\
         export const HEADLINES: ReadonlyMap<string, readonly string[]> = new Map([\n{rows}]);\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_between_marks_is_replaced() {
        let text = "a\n<!-- metrics: x -->\nold\n<!-- end -->\nb\n";
        let new = between(text, "<!-- metrics:", "new\n");
        assert_eq!(
            new.as_deref(),
            Ok("a\n<!-- metrics: x -->\nnew\n<!-- end -->\nb\n")
        );
        assert!(between("a", "<!-- metrics:", "").is_err());
    }
}
