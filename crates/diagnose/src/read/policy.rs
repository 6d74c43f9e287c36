//! What policers of IOS XR dropped, of `show policy-map interface`. IOS prints other words, which [`super::policed`] reads.

use super::{Facts, Line, Tool};
use crate::port::{Kind, Port, PortReading};
use crate::words::whole;

/// The state of reading: the policer's router, and its interface and policy.
#[derive(Default)]
pub(super) struct PolicyMap {
    port: Port,
    /// The class that is read.
    class: String,
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
        if let Some(name) = head(text) {
            self.port.name = crate::redact(name);
            self.class.clear();
            return true;
        }
        if !going || self.port.name.is_empty() {
            return false;
        }
        if let Some(class) = text.strip_prefix("Class ") {
            class.trim().clone_into(&mut self.class);
            return true;
        }
        let dropped = text.strip_prefix("Policed and dropped");
        let packets = dropped.and_then(|rest| {
            let (packets, _) = rest.split_once(':')?.1.split_once('/')?;
            whole(packets.trim())
        });
        if let Some(packets) = packets {
            let mut port = self.port.clone();
            if !self.class.is_empty() {
                port.name = format!("the policer of class {} at {}", self.class, port.name);
            }
            facts.ports.push(PortReading {
                port,
                kind: Kind::Policed,
                value: packets as f64,
                packets: None,
                sent: None,
                at: line.at,
            });
        }
        LINES.iter().any(|begin| text.starts_with(begin))
    }
}

/// The interface in `TenGigE0/1/0/5 input: CUST-IN`.
fn head(text: &str) -> Option<&str> {
    let (before, policy) = text.split_once(": ")?;
    let (name, way) = before.split_once(' ')?;
    let is_way = matches!(way, "input" | "output");
    let one_word = !policy.is_empty() && !policy.contains(' ');
    let is_name = name.starts_with(|c: char| c.is_ascii_uppercase()) && name.contains('/');
    (is_way && one_word && is_name).then_some(name)
}
