//! Which metrics exist, and what their names say about their unit.

use farpath_units::{Duration, Rate, Ratio, Size};

use crate::decode::{At, shorten};
use crate::diagnostic::Diagnostic;
use crate::names::Names;

const PING: &[&str] = &[
    "rtt_min_ns",
    "rtt_avg_ns",
    "rtt_max_ns",
    "rtt_p50_ns",
    "rtt_p99_ns",
    "sent",
    "received",
    "loss_ratio",
];
const TCP: &[&str] = &[
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
];
const UDP: &[&str] = &[
    "sent_bps",
    "goodput_bps",
    "loss_ratio",
    "jitter_ns",
    "reordered",
];
const LINK: &[&str] = &[
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
];
const SEARCH: &[&str] = &["highest_bps", "lowest_failing_bps"];

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

/// Whether a metric path names something that will exist; a fault with a suggestion if not.
pub(crate) fn check(path: &At<String>, names: &Names, faults: &mut Vec<Diagnostic>) -> bool {
    let text = path.get_ref().as_str();
    let fault = |title: String, wrong: &str, known: Vec<&str>, faults: &mut Vec<Diagnostic>| {
        faults.push(Diagnostic::new(path.span(), title).suggest(wrong, known));
        false
    };
    let (first, rest) = text.split_once('.').unwrap_or((text, ""));
    let missing = |what: &str| format!("no metric after {what} in `{}`", shorten(text));
    match first {
        "link" => {
            let (name, rest) = rest.split_once('.').unwrap_or((rest, ""));
            let Some(link) = names.find_link(name) else {
                let known = names.links().collect();
                return fault(
                    format!("there is no link `{}`", shorten(name)),
                    name,
                    known,
                    faults,
                );
            };
            let (way, metric) = rest.split_once('.').unwrap_or((rest, ""));
            let [a, b] = &names.link_ends[link];
            let ways = [format!("{a}>{b}"), format!("{b}>{a}")];
            if !ways.iter().any(|w| w == way) {
                let known = ways.iter().map(String::as_str).collect();
                return fault(
                    format!("`{}` is no direction of link `{name}`", shorten(way)),
                    way,
                    known,
                    faults,
                );
            }
            LINK.contains(&metric)
                || fault(
                    unknown(metric, "a link", &missing),
                    metric,
                    LINK.to_vec(),
                    faults,
                )
        }
        "search" => {
            let (name, metric) = rest.split_once('.').unwrap_or((rest, ""));
            if !names.has_search(name) {
                let known = names.searches().collect();
                return fault(
                    format!("there is no search `{}`", shorten(name)),
                    name,
                    known,
                    faults,
                );
            }
            SEARCH.contains(&metric)
                || fault(
                    unknown(metric, "a search", &missing),
                    metric,
                    SEARCH.to_vec(),
                    faults,
                )
        }
        _ => {
            let Some(test) = names.find_test(first) else {
                let known = names.tests().chain(["link", "search"]).collect();
                return fault(
                    format!("there is no test `{}`", shorten(first)),
                    first,
                    known,
                    faults,
                );
            };
            let (kind, known) = match names.test_kinds[test].as_str() {
                "ping" => ("a ping", PING),
                "udp" => ("a udp test", UDP),
                _ => ("a tcp test", TCP),
            };
            known.contains(&rest)
                || fault(unknown(rest, kind, &missing), rest, known.to_vec(), faults)
        }
    }
}

fn unknown(metric: &str, of: &str, missing: &dyn Fn(&str) -> String) -> String {
    if metric.is_empty() {
        missing(of)
    } else {
        format!("{of} has no metric `{}`", shorten(metric))
    }
}
