//! `tc -s class show`: classes of a host's queue that hold a flow to a rate.

use super::{Facts, Line, Tool};
use crate::fact::{Figure, Of, Place};
use crate::words::{after, rate, whole};

/// A class of `htb`.
struct Class {
    /// How commands name it, with the rate that it has for itself: `parent 1:1 classid 1:10 htb rate 100Mbit`.
    named: String,
    /// Its `ceil`, bit/s.
    ceil: f64,
    /// What it sent, and dropped.
    sent: u64,
    dropped: u64,
    at: Place,
}

/// The state of reading.
#[derive(Default)]
pub(super) struct Classes {
    port: String,
    host: Option<Of>,
    all: Vec<Class>,
}

/// Most classes that are kept.
const CLASSES_MAX: usize = 4096;

/// A class that sent this part of what the largest did may be the flow's: one below another has the same bytes.
const LARGE: f64 = 0.5;

/// How the other lines of a class begin.
const LINES: [&str; 5] = ["rate ", "backlog ", "lended:", "tokens:", "period "];

impl Tool for Classes {
    fn name(&self) -> &'static str {
        "tc class"
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if let Some(port) =
            after(text, "tc -s class show dev ").or_else(|| after(text, "tc class show dev "))
        {
            self.close(facts);
            port.clone_into(&mut self.port);
            self.host = Some(facts.host());
            return true;
        }
        if let Some(class) = class(text, line.at) {
            if self.host.is_none() {
                self.host = Some(facts.host());
            }
            if self.all.len() < CLASSES_MAX {
                self.all.push(class);
            }
            return true;
        }
        let Some(last) = self.all.last_mut().filter(|_| going) else {
            return false;
        };
        if let Some(sent) = after(text, "Sent ")
            .and_then(whole)
            .filter(|_| text.starts_with("Sent "))
        {
            last.sent = sent;
            let dropped = after(text, "(dropped ").map(|d| d.trim_end_matches(','));
            last.dropped = dropped.and_then(whole).unwrap_or(0);
            return true;
        }
        LINES.iter().any(|begin| text.starts_with(begin))
    }

    fn finish(&mut self, facts: &mut Facts) {
        self.close(facts);
    }
}

impl Classes {
    /// Of the classes that sent most the one with the lowest `ceil` is what holds a flow. Without counts nobody knows which it is in.
    fn close(&mut self, facts: &mut Facts) {
        let all = core::mem::take(&mut self.all);
        let Some(host) = self.host.take() else { return };
        let most = all.iter().map(|c| c.sent).max().unwrap_or(0) as f64;
        let one = all.len() == 1;
        let large = |c: &&Class| one || most > 0.0 && c.sent as f64 >= LARGE * most;
        let own = all.iter().filter(large);
        let Some(own) = own.min_by(|a, b| a.ceil.total_cmp(&b.ceil)) else {
            return;
        };
        facts.word(host, "shaper_kind", "htb", own.at);
        facts.word(host, "shaper_port", &crate::redact(&self.port), own.at);
        facts.word(host, "shaper_class", &own.named, own.at);
        if own.sent > 0 {
            facts.exact(host, "qdisc_drops", own.dropped as f64, own.at);
        }
        facts.number(host, "shaper_bps", Figure::exact(own.ceil, own.at));
    }
}

/// `class htb 1:10 parent 1:1 leaf 10: prio 0 rate 100Mbit ceil 200Mbit burst 1600b cburst 1600b`.
fn class(text: &str, at: Place) -> Option<Class> {
    let rest = text.strip_prefix("class htb ")?;
    let id = rest.split_whitespace().next()?;
    let ceil = after(text, " ceil ").and_then(rate)?;
    let least = after(text, " rate ")?;
    let parent = match after(text, " parent ") {
        Some(parent) => parent.to_owned(),
        None => format!("{}:", id.split(':').next()?),
    };
    Some(Class {
        named: format!("parent {parent} classid {id} htb rate {least}"),
        ceil,
        sent: 0,
        dropped: 0,
        at,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_has_a_parent_and_a_ceil() {
        let text = "class htb 1:10 parent 1:1 leaf 10: prio 0 rate 100Mbit ceil 200Mbit burst 1600b cburst 1600b";
        let own = class(text, Place::You).expect("a class");
        assert_eq!(
            (own.named.as_str(), own.ceil),
            ("parent 1:1 classid 1:10 htb rate 100Mbit", 2e8)
        );
        let root = class("class htb 1:1 root rate 1Gbit ceil 1Gbit", Place::You).expect("a class");
        assert_eq!(root.named, "parent 1: classid 1:1 htb rate 1Gbit");
        assert!(class("class fq_codel 10:2a parent 10:", Place::You).is_none());
    }
}
