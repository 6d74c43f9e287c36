//! What policers and queues of IOS XR dropped, of `show policy-map interface`. IOS prints other words, which [`super::policed`] reads.

use self::queued::Queued;
use super::{Facts, Line, Tool};
use crate::interfaces::port::{Kind, Port, PortReading};
use crate::words::{decimal, whole};

mod queued;

/// The state of reading: the policer's router, and its interface and policy.
#[derive(Default)]
pub(super) struct PolicyMap {
    port: Port,
    /// The class that is read.
    class: String,
    /// What comes to it now, kbit/s.
    matched: Option<f64>,
    /// The packets of it that were dropped, whoever did, and what is dropped now, kbit/s.
    dropped: Option<(u64, f64)>,
    /// Its queue.
    queue: Queued,
}

/// How lines of a class begin.
const LINES: [&str; 19] = [
    "Classification statistics ",
    "Matched ",
    "Transmitted ",
    "Total Dropped ",
    "Policing statistics ",
    "Policed(",
    "Policed and dropped",
    "Marking statistics ",
    "Queueing statistics",
    "Queue ID ",
    "Queue(",
    "High watermark ",
    "Inst-queue-len ",
    "Avg-queue-len ",
    "Taildropped(",
    "Tail Dropped",
    "RED random drops",
    "RED forced drops",
    "RED ecn marked",
];

impl Tool for PolicyMap {
    fn name(&self) -> &'static str {
        "show policy-map"
    }

    fn is_indented(&self) -> bool {
        true
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if let Some((prompt, _)) = text.split_once("#show policy-map interface ") {
            let router = prompt.rsplit(['@', ':']).next().unwrap_or("");
            self.port.router = crate::redact(router);
            return true;
        }
        if let Some((name, way, policy)) = head(text) {
            self.port.name = crate::redact(name);
            self.class.clear();
            (self.matched, self.dropped) = (None, None);
            self.queue = Queued::of(way, policy);
            return true;
        }
        if !going || self.port.name.is_empty() {
            return false;
        }
        if let Some((policy, class)) = class(text) {
            class.clone_into(&mut self.class);
            (self.matched, self.dropped) = (None, None);
            self.queue.begins(policy, class);
            return true;
        }
        if let Some(rest) = text.strip_prefix("Matched ") {
            self.matched = counted(rest).and_then(|(_, kbps)| kbps);
        }
        if let Some(rest) = text.strip_prefix("Total Dropped ") {
            self.dropped = counted(rest).and_then(|(packets, kbps)| Some((packets, kbps?)));
        }
        self.queue.line(line, (&self.port, self.dropped), facts);
        let policed = text.strip_prefix("Policed and dropped");
        if let Some((packets, _)) = policed.and_then(counted) {
            let mut port = self.port.clone();
            if !self.class.is_empty() {
                port.name = format!("the policer of class {} at {}", self.class, port.name);
            }
            let dropped = (Kind::Policed, Some(packets as f64));
            for (kind, value) in [dropped, (Kind::Policing, self.now(packets))] {
                facts.ports.extend(value.map(|value| PortReading {
                    port: port.clone(),
                    kind,
                    value,
                    packets: None,
                    sent: None,
                    at: line.at,
                }));
            }
        }
        LINES.iter().any(|begin| text.starts_with(begin))
    }
}

impl PolicyMap {
    /// What part of what comes the policer drops now, 0 to 1, where it dropped all that was ever dropped, so many packets.
    fn now(&self, packets: u64) -> Option<f64> {
        let (_, kbps) = self.dropped.filter(|(all, _)| *all == packets)?;
        let matched = self.matched.filter(|matched| *matched > 0.0)?;
        Some(kbps / matched)
    }
}

/// The packets in `             :    2900751/4061051400    418910`, and the rate behind them, kbit/s.
fn counted(text: &str) -> Option<(u64, Option<f64>)> {
    let (packets, rest) = text.split_once(':')?.1.split_once('/')?;
    let rate = rest.split_whitespace().nth(1);
    Some((whole(packets.trim())?, rate.and_then(decimal)))
}

/// The class of `Class class-default`, and the policy map within another in `Policy CHILD Class VOICE`.
fn class(text: &str) -> Option<(Option<&str>, &str)> {
    if let Some(class) = text.strip_prefix("Class ") {
        return Some((None, class.trim()));
    }
    let (policy, class) = text.strip_prefix("Policy ")?.split_once(" Class ")?;
    Some((Some(policy.trim()), class.trim()))
}

/// The interface, the way and the policy map in `TenGigE0/1/0/5 input: CUST-IN`.
fn head(text: &str) -> Option<(&str, &str, &str)> {
    let (before, policy) = text.split_once(": ")?;
    let (name, way) = before.split_once(' ')?;
    let is_way = matches!(way, "input" | "output");
    let one_word = !policy.is_empty() && !policy.contains(' ');
    let is_name = name.starts_with(|c: char| c.is_ascii_uppercase()) && name.contains('/');
    (is_way && one_word && is_name).then_some((name, way, policy))
}
