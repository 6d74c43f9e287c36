//! Two tests of one way, one of them faster: of two senders to one receiver which of their settings differ, and of two copies of the same
//! bytes that something changed between them.

use crate::ceiling::bps;
use crate::fact::{Of, Value};
use crate::flows::flow::{Flow, alike};
use crate::read::{COPIES, Facts};
use crate::seen::Test;

/// Settings of a sender that bear on its rate, and what they are called.
const SETTINGS: [(&str, &str); 18] = [
    ("wmem_max_bytes", "net.ipv4.tcp_wmem, its largest"),
    ("wmem_default_bytes", "net.ipv4.tcp_wmem, its default"),
    ("core_wmem_max_bytes", "net.core.wmem_max"),
    ("cc", "the congestion control"),
    ("qdisc", "the queueing discipline"),
    ("window_scaling", "net.ipv4.tcp_window_scaling"),
    ("sack", "net.ipv4.tcp_sack"),
    ("timestamps", "net.ipv4.tcp_timestamps"),
    (
        "slow_start_after_idle",
        "net.ipv4.tcp_slow_start_after_idle",
    ),
    ("no_metrics_save", "net.ipv4.tcp_no_metrics_save"),
    ("mtu_probing", "net.ipv4.tcp_mtu_probing"),
    ("limit_output_bytes", "net.ipv4.tcp_limit_output_bytes"),
    ("notsent_lowat_bytes", "net.ipv4.tcp_notsent_lowat"),
    ("sendspace_bytes", "net.inet.tcp.sendspace"),
    ("sendbuf_max_bytes", "net.inet.tcp.sendbuf_max"),
    ("nic_bps", "the interface's speed in bit/s"),
    ("shaper_bps", "the shaper's rate in bit/s"),
    ("kernel", "the kernel"),
];

/// One sender is faster than another from this ratio on.
const FASTER: f64 = 1.25;

/// Most pairs that are compared.
const PAIRS_MAX: usize = 4;

/// What is said of tests of one way of which one is faster.
pub(crate) fn notes(facts: &Facts, flows: &[Flow]) -> Vec<String> {
    [senders(facts, flows), copies(facts, flows)].concat()
}

/// What differs between senders to one receiver of which one is faster.
fn senders(facts: &Facts, flows: &[Flow]) -> Vec<String> {
    let rate = |f: &Flow| {
        let test = f.test.as_ref().filter(|t| !t.udp)?;
        Some(test.goodput()?.0.value)
    };
    let mut all = Vec::new();
    for (n, one) in flows.iter().enumerate() {
        for other in &flows[n + 1..] {
            let is = |a: &str, b: &str| !a.is_empty() && !b.is_empty() && alike(a, b);
            let same = is(&one.to.host, &other.to.host);
            let named = !one.from.host.is_empty() && !other.from.host.is_empty();
            if !same || !named || is(&one.from.host, &other.from.host) {
                continue;
            }
            let Some((a, b)) = rate(one).zip(rate(other)) else {
                continue;
            };
            let (slow, fast) = if a < b { (one, other) } else { (other, one) };
            if a.max(b) > FASTER * a.min(b) && all.len() < PAIRS_MAX {
                let rates = [a.min(b), a.max(b)];
                all.extend(between(facts, [slow, fast], rates));
            }
        }
    }
    all
}

/// A copy is slower than another of the same bytes from so many times on: caches and others on the path make less. A choice.
const SLOWER: f64 = 2.0;

/// Copies of the same bytes between the same ends, one of which was far slower.
fn copies(facts: &Facts, flows: &[Flow]) -> Vec<String> {
    let tests = flows.iter().filter_map(|flow| flow.test.as_ref());
    let copies: Vec<&Test> = tests.filter(|t| COPIES.contains(&t.tool)).collect();
    let pairs = copies.iter().enumerate().flat_map(|(n, one)| {
        let later = copies[n + 1..].iter();
        later.filter_map(move |other| slower(facts, [*one, *other]))
    });
    pairs.take(PAIRS_MAX).collect()
}

/// That one of two copies was far slower than the other, where both are of the same bytes and ends.
fn slower(facts: &Facts, both: [&Test; 2]) -> Option<String> {
    let [one, other] = both;
    let same_ends = one.from == other.from
        && one.to == other.to
        && facts.copied_by(one) == facts.copied_by(other)
        && facts.copied_unnamed(one) == facts.copied_unnamed(other);
    let carried = |test: &Test| {
        let report = test.sent.as_ref().or(test.received.as_ref())?;
        Some((report.bytes.as_ref()?.value, report.goodput.value))
    };
    let (a, b) = carried(one).zip(carried(other))?;
    let same = one.tool == other.tool && same_ends && a.0 == b.0;
    let [(slow, low), (fast, high)] = match a.1 < b.1 {
        true => [(one, a.1), (other, b.1)],
        false => [(other, b.1), (one, a.1)],
    };
    let apart = low > 0.0 && high > SLOWER * low;
    (same && apart).then(|| {
        format!(
            "{} copied the same bytes at {} ({}) and at {} ({}), {:.0} times as much: what held the slower copy was different during the faster one, as others' load on the path or the disks, a route, or a file that memory had already. It shows while a copy is slow",
            one.tool,
            bps(low),
            facts.place(slow.at),
            bps(high),
            facts.place(fast.at),
            high / low
        )
    })
}

/// What the texts say of the slower and the faster of two senders.
fn between(facts: &Facts, flows: [&Flow; 2], rates: [f64; 2]) -> Option<String> {
    let said = |flow: &Flow, name: &'static str| {
        let own = flow.senders.iter().filter(|n| !flow.receivers.contains(n));
        let mut own = own.filter(|n| !flow.assumed.contains(n));
        own.find_map(|n| {
            facts
                .latest(Of::Host(*n), name)
                .map(|fact| match &fact.value {
                    Value::Number(figure) => format!("{:.0}", figure.value),
                    Value::Word(word) => word.clone(),
                })
        })
    };
    let [slow, fast] = flows;
    let both = SETTINGS.iter().filter_map(|(name, called)| {
        let (a, b) = said(slow, name).zip(said(fast, name))?;
        Some((*called, a, b))
    });
    let both: Vec<(&str, String, String)> = both.collect();
    let differ: Vec<String> = both
        .iter()
        .filter(|(_, a, b)| a != b)
        .map(|(called, a, b)| format!("{called} ({a} and {b})"))
        .collect();
    let settings = match (both.is_empty(), differ.is_empty()) {
        (true, _) => "print the settings of both senders, and compare them: sysctl net.ipv4.tcp_wmem net.core.wmem_max net.ipv4.tcp_congestion_control".to_owned(),
        (false, true) => "all settings that the texts have of both senders are the same".to_owned(),
        (false, false) => format!("of their settings, in that order, these differ: {}", differ.join(", ")),
    };
    Some(format!(
        "{} sends {} to {}, and {} {}: {settings}",
        slow.from.host,
        bps(rates[0]),
        slow.to.host,
        fast.from.host,
        bps(rates[1]),
    ))
}
