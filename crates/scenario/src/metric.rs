//! Which metrics exist, and what their names say about their unit.

use farpath_units::{Duration, Rate, Ratio, Size};

use crate::decode::{At, shorten};
use crate::diagnostic::Diagnostic;
use crate::names::Names;

pub(crate) const PING: &[&str] = &[
    "rtt_min_ns",
    "rtt_avg_ns",
    "rtt_max_ns",
    "rtt_p50_ns",
    "rtt_p99_ns",
    "sent",
    "received",
    "duplicates",
    "loss_ratio",
];
pub(crate) const TCP: &[&str] = &[
    "goodput_bps",
    "bytes",
    "completion_ns",
    "retransmits",
    "rtos",
    "cwnd_max_bytes",
    "rtt_min_ns",
    "rtt_avg_ns",
    "rtt_max_ns",
    "recovery_s",
    "ramp_s",
    "jain_index",
    "cut_s",
    "cwnd_before_bytes",
    "cwnd_nrmse_predicted_ratio",
    "cwnd_nrmse_simulated_ratio",
    "cwnd_nrmse_emulated_ratio",
];
/// Beyond those of a tcp test.
pub(crate) const EXCHANGE: &[&str] = &[
    "requests",
    "request_rate",
    "response_min_ns",
    "response_avg_ns",
    "response_max_ns",
];
/// Of a test of flows that come and go.
pub(crate) const FLOWS: &[&str] = &[
    "goodput_bps",
    "bytes",
    "completion_ns",
    "retransmits",
    "rtos",
    "flows",
    "offered_bps",
    "size_mean_bytes",
    "flow_time_avg_ns",
    "flow_time_p50_ns",
    "flow_time_p99_ns",
];
/// Of every test in a group.
const GROUP: &[&str] = &["group_jain_index"];
pub(crate) const UDP: &[&str] = &[
    "sent_bps",
    "goodput_bps",
    "loss_ratio",
    "jitter_ns",
    "reordered",
    "duplicates",
];
/// Of a tester's stream of cells.
pub(crate) const CELLS: &[&str] = &[
    "cells_sent",
    "cells_received",
    "conforming_ratio",
    "loss_ratio",
    "jitter_ns",
    "cdv_ns",
];
pub(crate) const LINK: &[&str] = &[
    "bytes",
    "payload_bytes",
    "frames",
    "drops",
    "rate_max_bps",
    "rate_mean_bps",
    "queue_max_bytes",
    "drops.tail",
    "drops.red",
    "drops.policed",
    "drops.error",
    "drops.mtu",
    "drops.ttl",
    "drops.no_route",
    "drops.down",
    "drops.host",
    "drops.scripted",
    "drops.checksum",
    "drops.cell",
    "cells",
    "cells_lost",
    "cells_tagged",
    "cell_loss_ratio",
    "jitter_mean_ns",
    "jitter_std_ns",
    "jitter_min_ns",
    "jitter_max_ns",
    "reordered",
    "reordered_ratio",
    "reorder_extent_max",
    "reorder_extent_mean",
    "duplicated",
    "crc_errors",
    "damaged",
    "undetected",
    "cut",
    "outages",
    "down_ratio",
    "trace_mean_bps",
];
/// Of one class's queue, after `queue.CLASS.`.
pub(crate) const QUEUE: &[&str] = &[
    "offered",
    "frames",
    "bytes",
    "rate_mean_bps",
    "drops",
    "drops.tail",
    "drops.red",
    "marked",
    "loss_ratio",
    "queue_max_bytes",
    "delay_max_ns",
    "delay_mean_ns",
];
/// Of one policer, after `police.NAME.`: frames, and the bytes it counted, by colour.
pub(crate) const POLICE: &[&str] = &[
    "green",
    "yellow",
    "red",
    "green_bytes",
    "yellow_bytes",
    "red_bytes",
    "conforming_ratio",
];
pub(crate) const SEARCH: &[&str] = &["highest_bps", "lowest_failing_bps"];

/// The unit a metric's name ends in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Bps,
    Ns,
    S,
    Bytes,
    Ratio,
    Count,
}

impl Unit {
    /// The unit of a metric path.
    pub(crate) fn of(path: &str) -> Unit {
        let last = path.rsplit('.').next().unwrap_or(path);
        match last {
            "bytes" => Unit::Bytes,
            _ if last.ends_with("_bps") => Unit::Bps,
            _ if last.ends_with("_ns") => Unit::Ns,
            _ if last.ends_with("_s") => Unit::S,
            _ if last.ends_with("_bytes") => Unit::Bytes,
            _ if last.ends_with("_ratio") => Unit::Ratio,
            _ => Unit::Count,
        }
    }

    /// A number with or without a unit, in this one.
    pub(crate) fn read(self, text: &str) -> Result<f64, String> {
        let text = text.trim();
        if let Ok(plain) = text.parse::<f64>() {
            return if plain.is_finite() {
                Ok(plain)
            } else {
                Err("a finite number".to_owned())
            };
        }
        match self {
            Unit::Bps => text
                .parse::<Rate>()
                .map(|r| r.as_bps() as f64)
                .map_err(|e| e.to_string()),
            Unit::Ns => text
                .parse::<Duration>()
                .map(|d| d.as_ps() as f64 / 1e3)
                .map_err(|e| e.to_string()),
            Unit::S => text
                .parse::<Duration>()
                .map(|d| d.as_ps() as f64 / 1e12)
                .map_err(|e| e.to_string()),
            Unit::Bytes => text
                .parse::<Size>()
                .map(|s| s.as_bytes() as f64)
                .map_err(|e| e.to_string()),
            Unit::Ratio => text
                .parse::<Ratio>()
                .map(Ratio::get)
                .map_err(|e| e.to_string()),
            Unit::Count => Err("this metric is a count: write a plain number".to_owned()),
        }
    }
}

/// Checks that a metric path names something that will exist; a fault with a suggestion if not.
pub(crate) fn check(path: &At<String>, names: &Names, faults: &mut Vec<Diagnostic>) {
    let text = path.get_ref().as_str();
    let (first, rest) = text.split_once('.').unwrap_or((text, ""));
    let unknown = match first {
        "link" => in_link(text, rest, names),
        "search" => in_search(text, rest, names),
        test => in_test(text, test, rest, names),
    };
    if let Some(u) = unknown {
        let known = u.known.iter().map(String::as_str);
        faults.push(Diagnostic::new(path.span(), u.title).suggest(u.part, known));
    }
}

/// The part of a path that names nothing, and what it could have named.
struct Unknown<'a> {
    part: &'a str,
    title: String,
    known: Vec<String>,
}

impl<'a> Unknown<'a> {
    fn new<T: ToString>(
        part: &'a str,
        title: String,
        known: impl IntoIterator<Item = T>,
    ) -> Option<Unknown<'a>> {
        let known = known.into_iter().map(|k| k.to_string()).collect();
        Some(Unknown { part, title, known })
    }
}

/// `link.NAME.A>B.METRIC`, of which `rest` follows the first dot.
fn in_link<'a>(text: &str, rest: &'a str, names: &Names) -> Option<Unknown<'a>> {
    let (name, rest) = rest.split_once('.').unwrap_or((rest, ""));
    let Some(link) = names.find_link(name) else {
        let title = format!("there is no link `{}`", shorten(name));
        return Unknown::new(name, title, names.links());
    };
    let (way, metric) = rest.split_once('.').unwrap_or((rest, ""));
    let [a, b] = &names.link_ends[link];
    let ways = [format!("{a}>{b}"), format!("{b}>{a}")];
    let Some(side) = ways.iter().position(|w| w == way) else {
        let title = format!("`{}` is no direction of link `{name}`", shorten(way));
        return Unknown::new(way, title, ways);
    };
    if let Some(rest) = metric.strip_prefix("queue.") {
        let (class, metric) = rest.split_once('.').unwrap_or((rest, ""));
        let classes = &names.link_classes[link][side];
        if !classes.iter().any(|c| c == class) {
            let title = format!("{way} of link `{name}` has no class `{}`", shorten(class));
            return Unknown::new(class, title, classes);
        }
        return in_list(text, metric, "a queue", QUEUE);
    }
    if let Some(rest) = metric.strip_prefix("police.") {
        let (policer, metric) = rest.split_once('.').unwrap_or((rest, ""));
        let known = &names.link_policers[link][side];
        if !known.iter().any(|p| p == policer) {
            let title = format!(
                "{way} of link `{name}` has no policer `{}`",
                shorten(policer)
            );
            return Unknown::new(policer, title, known);
        }
        return in_list(text, metric, "a policer", POLICE);
    }
    in_list(text, metric, "a link", LINK)
}

/// `search.NAME.METRIC`, of which `rest` follows the first dot.
fn in_search<'a>(text: &str, rest: &'a str, names: &Names) -> Option<Unknown<'a>> {
    let (name, metric) = rest.split_once('.').unwrap_or((rest, ""));
    if !names.has_search(name) {
        let title = format!("there is no search `{}`", shorten(name));
        return Unknown::new(name, title, names.searches());
    }
    in_list(text, metric, "a search", SEARCH)
}

/// `TEST.METRIC`.
fn in_test<'a>(text: &str, test: &'a str, metric: &'a str, names: &Names) -> Option<Unknown<'a>> {
    let Some(number) = names.find_test(test) else {
        let title = format!("there is no test `{}`", shorten(test));
        return Unknown::new(test, title, names.tests().chain(["link", "search"]));
    };
    match names.test_kinds[number].as_str() {
        "ping" => in_list(text, metric, "a ping", PING),
        "udp" => in_list(text, metric, "a udp test", &[UDP, GROUP].concat()),
        "cells" => in_list(text, metric, "a cells test", CELLS),
        "flows" => in_list(text, metric, "a flows test", &[FLOWS, GROUP].concat()),
        kind @ ("transfer" | "request") => in_list(
            text,
            metric,
            &format!("a {kind} test"),
            &[TCP, EXCHANGE].concat(),
        ),
        _ => in_list(text, metric, "a tcp test", &[TCP, GROUP].concat()),
    }
}

fn in_list<'a>(text: &str, metric: &'a str, of: &str, known: &[&str]) -> Option<Unknown<'a>> {
    if known.contains(&metric) {
        return None;
    }
    let title = if metric.is_empty() {
        format!("no metric after {of} in `{}`", shorten(text))
    } else {
        format!("{of} has no metric `{}`", shorten(metric))
    };
    Unknown::new(metric, title, known)
}
