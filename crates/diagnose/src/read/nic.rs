//! What hosts say of their interfaces: `ethtool`, `ip -s link`, `tc -s qdisc`, `/proc/net/softnet_stat`.

use super::{Facts, Line, Tool};
use crate::fact::{Figure, Of, Place};
use crate::words::{after, decimal, keyed, rate, whole};

/// The state of reading.
#[derive(Default)]
pub(super) struct Nic {
    kind: &'static str,
    host: Option<Of>,
    /// The columns of `ip -s link` that the next line fills.
    columns: Option<Vec<String>>,
    loopback: bool,
}

impl Tool for Nic {
    fn name(&self) -> &'static str {
        if self.kind.is_empty() {
            "ethtool"
        } else {
            self.kind
        }
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if let Some(kind) = begins(text) {
            if !going || self.kind != kind {
                self.host = None;
            }
            self.kind = kind;
            self.columns = None;
            if self.host.is_none() {
                self.host = Some(facts.host());
            }
            let host = self.host.unwrap_or(Of::Path);
            match kind {
                "ip" => self.loopback = text.contains("LOOPBACK"),
                "tc" => qdisc(host, text, line.at, facts),
                _ => {}
            }
            return true;
        }
        let Some(host) = self.host.filter(|_| going) else {
            return false;
        };
        match self.kind {
            "ip" => self.ip(host, text, line.at, facts),
            "tc" => tc(host, text, line.at, facts),
            _ => ethtool(host, text, line.at, facts),
        }
    }
}

/// What begins with this line.
fn begins(text: &str) -> Option<&'static str> {
    let is_link = text.split_once(": ").is_some_and(|(n, rest)| {
        whole(n).is_some() && rest.contains(": <") && rest.contains("mtu ")
    });
    if is_link {
        return Some("ip");
    }
    if text.starts_with("qdisc ") && text.contains(" dev ") {
        return Some("tc");
    }
    let is_ethtool = [
        "Settings for ",
        "Features for ",
        "Ring parameters for ",
        "Coalesce parameters for ",
        "Pause parameters for ",
    ]
    .iter()
    .any(|b| text.starts_with(b) && text.ends_with(':'))
        || text == "NIC statistics:";
    is_ethtool.then_some("ethtool")
}

/// `Speed: 10000Mb/s`, `Duplex: Half`, `rx_missed_errors: 12`.
fn ethtool(host: Of, text: &str, at: Place, facts: &mut Facts) -> bool {
    let Some((key, value)) = text.split_once(':') else {
        // Lists of modes go on over lines.
        return text.contains("base") && text.contains('/');
    };
    let (key, value) = (key.trim(), value.trim());
    let is_key = key.len() < 60
        && key
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b" _-.[]()#".contains(&b));
    if !is_key {
        return false;
    }
    match key {
        "Speed" => {
            if let Some(mbit) = value
                .strip_suffix("Mb/s")
                .and_then(decimal)
                .filter(|m| *m > 0.0)
            {
                facts.exact(host, "nic_bps", mbit * 1e6, at);
            }
        }
        "Duplex" if value == "Half" => facts.word(host, "half_duplex", "half", at),
        _ => {
            let lower = key.to_ascii_lowercase();
            let drop = [
                "rx_missed_errors",
                "rx_no_buffer_count",
                "rx_fifo_errors",
                "rx_out_of_buffer",
                "rx_no_dma_resources",
                "rx_dropped",
                "rx_discards_phy",
            ];
            if let Some(n) = whole(value).filter(|n| *n > 0 && drop.contains(&lower.as_str())) {
                facts.exact(host, "nic_drops", n as f64, at);
            }
        }
    }
    true
}

impl Nic {
    /// `RX:  bytes packets errors dropped …`, and the numbers below.
    fn ip(&mut self, host: Of, text: &str, at: Place, facts: &mut Facts) -> bool {
        if text.starts_with("link/") || text.starts_with("altname ") {
            return true;
        }
        if let Some(rest) = text
            .strip_prefix("RX:")
            .or_else(|| text.strip_prefix("TX:"))
        {
            let way = &text[..2];
            self.columns = Some(
                rest.split_whitespace()
                    .map(|c| format!("{way}.{c}"))
                    .collect(),
            );
            return true;
        }
        let numbers: Option<Vec<u64>> = text.split_whitespace().map(whole).collect();
        let (Some(columns), Some(numbers)) = (self.columns.take(), numbers) else {
            return false;
        };
        for (column, n) in columns.iter().zip(numbers) {
            let counts = matches!(
                column.as_str(),
                "RX.errors" | "RX.missed" | "RX.overrun" | "TX.errors"
            );
            if counts && n > 0 && !self.loopback {
                facts.exact(host, "nic_drops", n as f64, at);
            }
        }
        true
    }
}

/// `qdisc tbf 8001: dev eth0 root refcnt 2 rate 100Mbit burst 64Kb lat 50ms`.
fn qdisc(host: Of, text: &str, at: Place, facts: &mut Facts) {
    let kind = text.split_whitespace().nth(1).and_then(crate::known::qdisc);
    let Some(kind) = kind else { return };
    facts.word(host, "qdisc", kind, at);
    let limit = match kind {
        "fq" => after(text, " maxrate ")
            .and_then(rate)
            .map(|r| ("pacing_rate_bps", r)),
        "tbf" | "netem" => after(text, " rate ")
            .and_then(rate)
            .map(|r| ("shaper_bps", r)),
        "cake" => after(text, " bandwidth ")
            .and_then(rate)
            .map(|r| ("shaper_bps", r)),
        _ => None,
    };
    if let Some((name, bps)) = limit {
        facts.number(host, name, Figure::exact(bps, at));
    }
}

/// ` Sent 0 bytes 0 pkt (dropped 0, overlimits 0 requeues 0)`.
fn tc(host: Of, text: &str, at: Place, facts: &mut Facts) -> bool {
    if text.starts_with("Sent ") && text.contains(" bytes ") {
        if let Some(dropped) = after(text, "(dropped ").and_then(|d| whole(d.trim_end_matches(',')))
        {
            facts.exact(host, "qdisc_drops", dropped as f64, at);
        }
        return true;
    }
    text.starts_with("backlog ")
        || keyed(text, "maxpacket").is_some()
        || [
            "flows ",
            "new_flows",
            "gc ",
            "throttled",
            "rate ",
            "requeues",
            "memory",
            "capacity",
            "count ",
        ]
        .iter()
        .any(|b| text.starts_with(b))
}
