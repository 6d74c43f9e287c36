//! Queue disciplines of a host's interfaces: `tc -s qdisc`, and the first line of `ip link`.

use super::Facts;
use crate::fact::{Figure, Of, Place};
use crate::interfaces::counter::{Link, Unit, Way};
use crate::lines::filled_shaper::SHAPER_HELD;
use crate::words::{after, decimal, keyed, rate, whole};

/// The queue at the root of an interface of a host, as `tc` and `ip link` print it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Queue {
    /// The host.
    pub(crate) host: u32,
    /// The interface, empty where it was not printed.
    pub(crate) interface: String,
    /// Its queue discipline.
    pub(crate) kind: &'static str,
    /// What it has room for, as `tc` prints it, `20p` or `30000b`; empty where nothing says it.
    pub(crate) limit: String,
    /// Whether it is the root itself, and not one of several below it.
    pub(crate) single: bool,
    /// Of a netem what it does, as `tc` prints it: `limit 1000 delay 40ms loss 0.5%`; empty of others.
    pub(crate) options: String,
}

/// `qdisc tbf 8001: dev eth0 root refcnt 2 rate 100Mbit burst 64Kb lat 50ms`. Whether it stands at the root of an interface that is not
/// the loopback.
pub(super) fn head((host, port): (Of, &str), text: &str, at: Place, facts: &mut Facts) -> bool {
    let kind = text.split_whitespace().nth(1).and_then(crate::known::qdisc);
    let Some(kind) = kind else { return false };
    facts.word(host, "qdisc", kind, at);
    let is_root = text.split_whitespace().any(|word| word == "root");
    if is_root {
        facts.word(host, "root_qdisc", kind, at);
    }
    let loops = after(text, " dev ") == Some("lo");
    if !loops {
        let said = (kind, limit(kind, text), options(kind, text));
        queue((host, port), is_root, said, facts);
    }
    rates((host, port), kind, (text, at), facts);
    is_root && !loops
}

/// What a queue has room for, as `tc` prints it: `20p`, `30000b`; of `fq` what it keeps of one flow. Empty where it does not say.
fn limit<'t>(kind: &str, text: &'t str) -> &'t str {
    let of_flow = after(text, " flow_limit ").filter(|_| kind == "fq");
    of_flow.or_else(|| after(text, " limit ")).unwrap_or("")
}

/// What a netem does, as `tc` prints it, from its limit on; of others nothing.
fn options<'t>(kind: &str, text: &'t str) -> &'t str {
    let from = text.find(" limit ").filter(|_| kind == "netem");
    from.map_or("", |from| text[from..].trim())
}

/// Keeps what stands at the root of an interface. A root of several queues drops in its children: the first of them is kept in its place.
fn queue(
    (host, port): (Of, &str),
    is_root: bool,
    (kind, limit, options): (&'static str, &str, &str),
    facts: &mut Facts,
) {
    let Of::Host(host) = host else { return };
    let last = facts.queues.last_mut().filter(|_| !is_root);
    let parent = last.filter(|q| q.host == host && q.interface == port && q.kind == "mq");
    if let Some(parent) = parent {
        parent.kind = kind;
        limit.clone_into(&mut parent.limit);
        options.clone_into(&mut parent.options);
        parent.single = false;
    } else if is_root {
        facts.queues.push(Queue {
            host,
            interface: port.to_owned(),
            kind,
            limit: limit.to_owned(),
            single: true,
            options: options.to_owned(),
        });
    }
}

/// The rate that a queue discipline holds what it sends to, and how long its queue is at most.
fn rates((host, port): (Of, &str), kind: &str, (text, at): (&str, Place), facts: &mut Facts) {
    let limit = match kind {
        "fq" => Some((" maxrate ", "pacing_rate_bps")),
        "tbf" | "netem" => Some((" rate ", "shaper_bps")),
        "cake" => Some((" bandwidth ", "shaper_bps")),
        _ => None,
    };
    let limit = limit.and_then(|(word, name)| Some((name, after(text, word).and_then(rate)?)));
    if let Some(queue) = after(text, " lat ")
        .and_then(span_s)
        .filter(|_| kind == "tbf")
    {
        facts.exact(host, "shaper_queue_ns", queue * 1e9, at);
    }
    if let Some((name, bps)) = limit {
        if name == "shaper_bps" {
            facts.word(host, "shaper_kind", kind, at);
            facts.word(host, "shaper_port", port, at);
        }
        facts.number(host, name, Figure::exact(bps, at));
    }
}

/// The queueing discipline at the root, in the first line of `ip link`, the state of the link, and the MTU of an interface that is not
/// down.
pub(super) fn ip((host, port): (Of, &str), text: &str, at: Place, facts: &mut Facts) {
    if text.contains(" master ") {
        facts.links(host, port, Link::Member);
    }
    match after(text, " state ") {
        Some("UP") => facts.links(host, port, Link::Up),
        Some("DOWN") => facts.links(host, port, Link::Down),
        _ => {}
    }
    let mtu = after(text, " mtu ").and_then(decimal);
    if let Some(mtu) = mtu.filter(|m| *m >= 576.0 && !text.contains("state DOWN")) {
        facts.exact(host, "interface_mtu_bytes", mtu, at);
        facts.interface(host, port, mtu);
    }
    if let Some(kind) = after(text, " qdisc ").and_then(crate::known::qdisc) {
        facts.word(host, "root_qdisc", kind, at);
        // Its length is that of the interface (pfifo_fast); others have one of their own, which `tc` alone prints.
        let length = after(text, " qlen ").filter(|_| kind == "pfifo_fast");
        let length = length.map_or_else(String::new, |n| format!("{n}p"));
        queue((host, port), true, (kind, &length, ""), facts);
    }
}

/// A span as `tc` prints it, `456ms`, `1.2s`, `50us`, in seconds.
fn span_s(text: &str) -> Option<f64> {
    let units = [("ms", 1e-3), ("us", 1e-6), ("s", 1.0)];
    let (number, worth) = units
        .into_iter()
        .find_map(|(unit, worth)| text.strip_suffix(unit).map(|number| (number, worth)))?;
    Some(decimal(number)? * worth)
}

/// How other lines of `tc -s qdisc` begin.
const TC: &[&str] = &[
    "flows ",
    "new_flows",
    "gc ",
    "throttled",
    "rate ",
    "requeues",
    "memory",
    "capacity",
    "count ",
];

/// What stands below a head, ` Sent 0 bytes 0 pkt (dropped 0, overlimits 0 requeues 0)`: what is dropped at a root is counted as its
/// interface's.
pub(super) fn below(
    (host, port, is_root): (Of, &str, bool),
    text: &str,
    at: Place,
    facts: &mut Facts,
) -> bool {
    if text.starts_with("Sent ") && text.contains(" bytes ") {
        let dropped = after(text, "(dropped ").and_then(|d| whole(d.trim_end_matches(',')));
        if let Some(dropped) = dropped {
            facts.exact(host, "qdisc_drops", dropped as f64, at);
        }
        let shapes = facts
            .latest_word(host, "qdisc")
            .is_some_and(|(kind, _)| kind == "tbf");
        let held = after(text, " overlimits ").and_then(whole);
        let packets = after(text, " bytes ").and_then(whole);
        if let Some((held, packets)) = held.zip(packets).filter(|_| is_root && shapes) {
            facts.exact(host, SHAPER_HELD[0], held as f64, at);
            facts.exact(host, SHAPER_HELD[1], packets as f64, at);
        }
        if let Some(dropped) = dropped.filter(|_| is_root) {
            facts.counted(host, port, ("queue_drops", "qdisc"), dropped, at);
        }
        for (before, unit) in [("Sent ", Unit::Bytes), (" bytes ", Unit::Packets)] {
            let sent = after(text, before).and_then(whole);
            if let Some(sent) = sent.filter(|_| is_root) {
                facts.passes(host, port, ("tc", Way::Sent, unit), sent, at);
            }
        }
        return true;
    }
    text.starts_with("backlog ")
        || keyed(text, "maxpacket").is_some()
        || TC.iter().any(|b| text.starts_with(b))
}
