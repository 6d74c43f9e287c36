//! `tc -s class show`: classes of a host's queue that hold a flow to a rate.

use std::collections::{BTreeMap, BTreeSet};

use super::{Facts, Line, Tool};
use crate::fact::{Figure, Of, Place};
use crate::words::{after, rate, whole};

/// The fact of the leaves that a flow may be in: each with the classes above it.
pub(crate) const LEAVES: &str = "shaper_leaves";

/// What stands between two classes of a fact, one above the other, and between two leaves.
pub(crate) const NEXT: &str = " | ";
pub(crate) const OR: &str = " || ";

/// A class of `htb`.
struct Class {
    id: String,
    /// The class above it; of a root the queue discipline, `1:`.
    parent: String,
    /// How commands name it, with what it has: `parent 1:1 classid 1:10 htb rate 100Mbit ceil 200Mbit burst 1600b cburst 1600b`.
    named: String,
    /// What it sends at most, bit/s: its `ceil`, and of a root, which has nobody to borrow from, its `rate`.
    most: f64,
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
    /// What each class sent and dropped when it was read before: by its host, interface and number.
    before: BTreeMap<(String, String, String), [u64; 2]>,
    /// The host of each name where its classes were read first: a later block of the same host is of it.
    first: BTreeMap<String, Of>,
}

/// Most classes that are kept.
const CLASSES_MAX: usize = 4096;

/// A leaf that sent this part of what the largest one did may be the flow's as well.
const BESIDE: f64 = 0.25;

/// Most leaves that are kept of which one is the flow's.
const LEAVES_MAX: usize = 16;

/// Most classes above each other (Linux, `TC_HTB_MAXDEPTH`).
const DEPTH: usize = 8;

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
    /// The leaf that alone sent much is the flow's, and of it and those above it the one that sends the least holds the flow. Of several
    /// nobody knows which it is in.
    fn close(&mut self, facts: &mut Facts) {
        let all = core::mem::take(&mut self.all);
        let Some(host) = self.host.take() else { return };
        let name = name(host, facts);
        let host = *self.first.entry(name.clone()).or_insert(host);
        let all = self.grown(&name, all);
        let above: BTreeSet<&str> = all.iter().map(|c| c.parent.as_str()).collect();
        let leaves = || all.iter().filter(|c| !above.contains(c.id.as_str()));
        let most = leaves().map(|c| c.sent).max().unwrap_or(0) as f64;
        let open = leaves().filter(|c| c.sent as f64 >= BESIDE * most);
        let known: BTreeMap<&str, &Class> = all.iter().map(|c| (c.id.as_str(), c)).collect();
        let open: Vec<Vec<&Class>> = open.map(|c| upwards(&known, c)).collect();
        let Some(way) = open.first() else { return };
        let leaf = way[0];
        if open.len() > 1 {
            let ways: Vec<String> = open.iter().take(LEAVES_MAX).map(|w| named(w)).collect();
            facts.word(host, "shaper_kind", "htb", leaf.at);
            facts.word(host, "shaper_port", &crate::redact(&self.port), leaf.at);
            facts.word(host, LEAVES, &ways.join(OR), leaf.at);
            return;
        }
        let least = way.iter().min_by(|a, b| a.most.total_cmp(&b.most));
        let own = least.copied().unwrap_or(leaf);
        facts.word(host, "shaper_kind", "htb", own.at);
        facts.word(host, "shaper_port", &crate::redact(&self.port), own.at);
        facts.word(host, "shaper_classes", &named(way), own.at);
        if leaf.sent > 0 {
            facts.exact(host, "qdisc_drops", leaf.dropped as f64, leaf.at);
        }
        facts.number(host, "shaper_bps", Figure::exact(own.most, own.at));
    }

    /// Classes of the host of this name with what they sent and dropped since they were read before, where anything was sent meanwhile.
    fn grown(&mut self, name: &str, mut all: Vec<Class>) -> Vec<Class> {
        let mut since: Vec<Option<[u64; 2]>> = Vec::with_capacity(all.len());
        for class in &all {
            let key = (name.to_owned(), self.port.clone(), class.id.clone());
            let now = [class.sent, class.dropped];
            let room = self.before.len() < CLASSES_MAX || self.before.contains_key(&key);
            let before = room.then(|| self.before.insert(key, now)).flatten();
            let before = before.filter(|b| b[0] <= now[0] && b[1] <= now[1]);
            since.push(before.map(|b| [now[0] - b[0], now[1] - b[1]]));
        }
        if since.iter().flatten().any(|[sent, _]| *sent > 0) {
            for (class, grew) in all.iter_mut().zip(since) {
                [class.sent, class.dropped] = grew.unwrap_or([class.sent, class.dropped]);
            }
        }
        all
    }
}

/// What a host is called, or its number.
fn name(host: Of, facts: &Facts) -> String {
    let Of::Host(n) = host else {
        return format!("{host:?}");
    };
    let names = facts.hosts.get(n as usize);
    let name = names.and_then(|names| names.first());
    name.cloned().unwrap_or_else(|| n.to_string())
}

/// The classes of a leaf's way up as a fact has them: from the root down.
fn named(way: &[&Class]) -> String {
    let each: Vec<&str> = way.iter().rev().map(|c| c.named.as_str()).collect();
    each.join(NEXT)
}

/// A class and those above it, up to its root.
fn upwards<'a>(known: &BTreeMap<&str, &'a Class>, class: &'a Class) -> Vec<&'a Class> {
    let way = core::iter::successors(Some(class), |c| known.get(c.parent.as_str()).copied());
    way.take(DEPTH).collect()
}

/// `class htb 1:10 parent 1:1 leaf 10: prio 0 rate 100Mbit ceil 200Mbit burst 1600b cburst 1600b`.
fn class(text: &str, at: Place) -> Option<Class> {
    let rest = text.strip_prefix("class htb ")?;
    let id = rest.split_whitespace().next()?;
    let ceil = after(text, " ceil ")?;
    let least = after(text, " rate ")?;
    let above = after(text, " parent ");
    let most = rate(ceil)?;
    let most = match above {
        Some(_) => most,
        None => rate(least).unwrap_or(most),
    };
    let parent = match above {
        Some(parent) => parent.to_owned(),
        None => format!("{}:", id.split(':').next()?),
    };
    // What a change does not name the kernel sets anew: a priority to 0, and bursts to the least for the rate.
    let prio = after(text, " prio ").filter(|prio| *prio != "0");
    let prio = prio.map_or_else(String::new, |prio| format!(" prio {prio}"));
    let mut named = format!("parent {parent} classid {id} htb{prio} rate {least} ceil {ceil}");
    for key in ["burst", "cburst"] {
        if let Some(bytes) = after(text, &format!(" {key} ")) {
            let bytes = bytes.split('/').next().unwrap_or(bytes);
            named.push_str(&format!(" {key} {bytes}"));
        }
    }
    Some(Class {
        id: id.to_owned(),
        parent,
        named,
        most,
        sent: 0,
        dropped: 0,
        at,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_has_a_parent_and_a_ceiling() {
        let text = "class htb 1:10 parent 1:1 leaf 10: prio 0 rate 100Mbit ceil 200Mbit burst 1600b cburst 1600b";
        let own = class(text, Place::You).expect("a class");
        assert_eq!(
            (own.named.as_str(), own.most),
            (
                "parent 1:1 classid 1:10 htb rate 100Mbit ceil 200Mbit burst 1600b cburst 1600b",
                2e8
            )
        );
        let first = class(&text.replace("prio 0", "prio 3"), Place::You).expect("a class");
        assert!(first.named.contains("htb prio 3 rate"), "{}", first.named);
        // Nobody is above a root to borrow from.
        let root = class("class htb 1:1 root rate 1Gbit ceil 2Gbit", Place::You).expect("a class");
        assert_eq!(
            (root.named.as_str(), root.most),
            ("parent 1: classid 1:1 htb rate 1Gbit ceil 2Gbit", 1e9)
        );
        assert!(class("class fq_codel 10:2a parent 10:", Place::You).is_none());
    }

    /// Texts may have classes that are above themselves.
    #[test]
    fn the_way_up_ends() {
        let text = [
            "class htb 1:1 parent 1:2 rate 1Gbit ceil 1Gbit",
            "class htb 1:2 parent 1:1 rate 1Gbit ceil 1Gbit",
        ];
        let all: Vec<Class> = text.iter().filter_map(|t| class(t, Place::You)).collect();
        let known: BTreeMap<&str, &Class> = all.iter().map(|c| (c.id.as_str(), c)).collect();
        assert_eq!(upwards(&known, &all[0]).len(), DEPTH);
    }
}
