//! The class of a host's queue (htb) that holds a flow, by name, and what is said where no text says which class the flow is in.

use crate::ceiling::bps;
use crate::evidence::Evidence;
use crate::fact::{Figure, Of, Place};
use crate::flows::flow::{number, word};
use crate::items::Item;
use crate::read::Facts;
use crate::read::classes::{LEAVES, NEXT, OR};
use crate::words::after;

/// A class that carries this part of what it lets through may be full.
const FULL: f64 = 0.85;

/// The classes that hold a flow.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Held {
    /// From the root down to the leaf, as commands name them.
    pub(crate) classes: String,
    /// What they let through, bit/s.
    most: f64,
    /// The interface, empty where no text names it.
    port: String,
    /// The leaves that the flow may be in, for people; empty where it is known.
    open: Vec<String>,
}

/// What a class lets through, bit/s, as commands name it: its `ceil`, and of a root, which has nobody to borrow from, its `rate`.
pub(crate) fn most(class: &str) -> Option<f64> {
    let is_root = is_root(class);
    let key = if is_root { " rate " } else { " ceil " };
    after(class, key).and_then(crate::words::rate)
}

/// Whether nobody is above a class.
pub(crate) fn is_root(class: &str) -> bool {
    after(class, "parent ").is_some_and(|p| p.ends_with(':'))
}

/// The number of a class, `1:10`.
fn id(class: &str) -> &str {
    after(class, " classid ").unwrap_or("")
}

/// The class that lets through the least of a leaf and those above it, and how much, bit/s.
fn narrowest(classes: &str) -> Option<(&str, f64)> {
    let each = classes.split(NEXT);
    let each = each.filter_map(|class| Some((class, most(class)?)));
    each.min_by(|a, b| a.1.total_cmp(&b.1))
}

/// What holds a flow of this rate at a host, bit/s: its shaper, and of a queue with classes which ones. Where no text says which class the
/// flow is in, it is the lowest that lets through what was measured; none where none of them is full of it.
pub(crate) fn shaping(
    facts: &Facts,
    host: Of,
    rate: Option<f64>,
) -> Option<(Figure, Option<Held>)> {
    let htb = word(facts, host, "shaper_kind").filter(|(kind, _)| *kind == "htb");
    let port = word(facts, host, "shaper_port").map_or("", |(port, _)| port);
    let known = word(facts, host, "shaper_classes");
    let leaves = word(facts, host, LEAVES).filter(|_| htb.is_some());
    let later = |at: Place| known.is_none_or(|(_, before)| before < at);
    let Some((leaves, at)) = leaves.filter(|(_, at)| later(*at)) else {
        let stated = number(facts, host, "shaper_bps")?;
        let known = known.filter(|_| htb.is_some());
        let held = known.map(|(classes, _)| Held {
            classes: classes.to_owned(),
            most: stated.value,
            port: port.to_owned(),
            open: Vec::new(),
        });
        return Some((stated.clone(), held));
    };
    let each = leaves.split(OR);
    let each: Vec<(&str, f64)> = each
        .filter_map(|way| Some((way, narrowest(way)?.1)))
        .collect();
    let is_full = |most: f64| rate.is_some_and(|rate| rate > FULL * most && rate < most);
    let full = each.iter().filter(|(_, most)| is_full(*most));
    let (classes, most) = full.copied().min_by(|a, b| a.1.total_cmp(&b.1))?;
    let named = |(way, most): &(&str, f64)| {
        let leaf = way.rsplit(NEXT).next().unwrap_or("");
        format!("{} ({})", id(leaf), bps(*most))
    };
    let held = Held {
        classes: classes.to_owned(),
        most,
        port: port.to_owned(),
        open: each.iter().map(named).collect(),
    };
    Some((Figure::exact(most, at), Some(held)))
}

impl Held {
    /// The number of the leaf.
    pub(crate) fn leaf(&self) -> &str {
        id(self.classes.rsplit(NEXT).next().unwrap_or(""))
    }

    /// The interface, for people.
    fn port(&self) -> &str {
        match self.port.as_str() {
            "" => "an interface",
            port => port,
        }
    }
}

impl Evidence {
    /// What holds the flow at its rate, for people: the class, where the shaper is one of several classes.
    pub(crate) fn shaper_called(&self) -> String {
        let rate = self.shaper.as_ref().map(|s| s.value);
        let held = self.around.held.as_ref().filter(|h| Some(h.most) == rate);
        let Some(held) = held else {
            return "the shaper's rate".to_owned();
        };
        let class = narrowest(&held.classes).map_or("", |(class, _)| id(class));
        let known = match held.open.is_empty() {
            true => "which most of the bytes passed",
            false => "if the flow is in it",
        };
        format!(
            "the rate of class {class} of {} (htb), {known}",
            held.port()
        )
    }
}

/// That no text says which class the flow is in, where one is full of it.
pub(crate) fn by_leaves(e: &Evidence, items: &mut Vec<Item>) {
    let held = e.around.held.as_ref().filter(|_| e.is_shaped());
    items.extend(held.filter(|h| !h.open.is_empty()).map(|held| Item {
        holds: 1.0,
        weights: Vec::new(),
        sentence: format!(
            "no text says which class of {port} the flow is in: of {} it is taken to be in {}, the lowest that lets through what was measured; tc -s class show dev {port}, before and after a test, says it",
            held.open.join(" and "),
            held.leaf(),
            port = held.port()
        ),
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_narrowest_of_the_classes_above_each_other_counts() {
        let root = "parent 1: classid 1:1 htb rate 200Mbit ceil 1Gbit";
        let leaf = "parent 1:1 classid 1:10 htb rate 100Mbit ceil 300Mbit";
        let way = [root, leaf].join(NEXT);
        assert_eq!(narrowest(&way), Some((root, 2e8)));
        assert_eq!(narrowest(leaf), Some((leaf, 3e8)));
        assert_eq!([id(root), id(leaf), id("")], ["1:1", "1:10", ""]);
        assert_eq!(narrowest(""), None);
    }
}
