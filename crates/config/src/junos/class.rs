//! `class-of-service`, read.

use farpath_units::{Duration, Rate};

use super::model::Stated;
use super::read::Reader;
use super::tree::Id;
use super::values::{number, rate, scaled, text};

/// `class-of-service`: names and figures, as written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassOfService {
    /// Forwarding classes and their queues.
    pub classes: Vec<(Stated<String>, u8)>,
    /// Schedulers.
    pub schedulers: Vec<Scheduler>,
    /// Scheduler maps.
    pub maps: Vec<SchedulerMap>,
    /// Classifiers of arriving frames.
    pub classifiers: Vec<Classifier>,
    /// What is applied to interfaces, and to their units.
    pub interfaces: Vec<CosInterface>,
}

/// `class-of-service scheduler-maps`: one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchedulerMap {
    /// Its name.
    pub name: Stated<String>,
    /// Classes and their schedulers.
    pub schedulers: Vec<(String, Stated<String>)>,
}

/// `class-of-service schedulers`: one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scheduler {
    /// Its name.
    pub name: Stated<String>,
    /// `transmit-rate`.
    pub transmit: Option<Transmit>,
    /// What makes that the most its class gets, too: `exact` or `rate-limit`.
    pub exact: Option<Stated<String>>,
    /// `shaping-rate` as a rate.
    pub shaping: Option<Stated<Rate>>,
    /// `buffer-size percent`.
    pub buffer_percent: Option<Stated<u64>>,
    /// `buffer-size temporal`.
    pub buffer_time: Option<Stated<Duration>>,
    /// `priority`.
    pub priority: Option<Stated<String>>,
}

/// A scheduler's part of the rate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transmit {
    /// In percent.
    Percent(Stated<u64>),
    /// As a rate.
    Rate(Stated<Rate>),
    /// What others leave.
    Remainder,
}

/// Marks that a classifier goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marks {
    /// The DS field.
    Dscp,
    /// The upper three bits of it.
    Precedence,
    /// A label's experimental bits.
    Exp,
    /// 802.1p.
    Cos,
}

/// `class-of-service classifiers`: one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classifier {
    /// What it goes by.
    pub marks: Marks,
    /// Its name.
    pub name: Stated<String>,
    /// The classifier it begins with.
    pub import: Option<Stated<String>>,
    /// Classes and their code points.
    pub entries: Vec<(String, Vec<Stated<u8>>)>,
}

/// `class-of-service interfaces`: a port, or a unit of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CosInterface {
    /// `so-1/0/0`, `ge-*`.
    pub port: String,
    /// Its unit, `0` or `*`; none for the port.
    pub unit: Option<String>,
    /// `scheduler-map`.
    pub map: Option<Stated<String>>,
    /// `shaping-rate`.
    pub shaping: Option<Stated<Rate>>,
    /// `forwarding-class` of all that arrives.
    pub class: Option<Stated<String>>,
    /// `classifiers`, by what they go by.
    pub classifiers: Vec<(Marks, Stated<String>)>,
}

/// Names of the classes of queues 0 to 3, unless they are renamed (Junos, "Default forwarding classes").
pub(super) const CLASSES: [&str; 4] = [
    "best-effort",
    "expedited-forwarding",
    "assured-forwarding",
    "network-control",
];

impl ClassOfService {
    /// The queue of a forwarding class, by its name.
    pub fn queue(&self, class: &str) -> Option<u8> {
        let mut renamed = self.classes.iter();
        let own = renamed.find(|(name, _)| name.value == class).map(|c| c.1);
        let usual = || CLASSES.iter().position(|c| *c == class);
        own.or_else(|| u8::try_from(usual()?).ok())
    }
}

const MARKS: [(&str, Marks); 4] = [
    ("dscp", Marks::Dscp),
    ("inet-precedence", Marks::Precedence),
    ("exp", Marks::Exp),
    ("ieee-802.1", Marks::Cos),
];

/// Code points by name (RFC 2474, 2597, 3246; Junos, "Default aliases for CoS value bit patterns").
const ALIASES: [(&str, u8); 8] = [
    ("be", 0),
    ("ef", 46),
    ("nc1", 48),
    ("nc2", 56),
    ("le", 1),
    ("cs6", 48),
    ("cs7", 56),
    ("cs0", 0),
];

/// Experimental bits by name, from the same table.
const LABEL_ALIASES: [(&str, u8); 10] = [
    ("be", 0),
    ("be1", 1),
    ("ef", 2),
    ("ef1", 3),
    ("af11", 4),
    ("af12", 5),
    ("nc1", 6),
    ("cs6", 6),
    ("nc2", 7),
    ("cs7", 7),
];

/// A code point of `bits` bits: a name, that many binary digits, or a number.
pub(super) fn code_points(word: &str, bits: usize) -> Option<u8> {
    if word.len() == bits && word.bytes().all(|b| matches!(b, b'0' | b'1')) {
        return u8::from_str_radix(word, 2).ok();
    }
    let most = (1_u8 << bits) - 1;
    let number = match word.strip_prefix("0x") {
        Some(hex) => u8::from_str_radix(hex, 16).ok(),
        None => word.parse().ok(),
    };
    let aliases = if bits == 3 {
        &LABEL_ALIASES[..]
    } else {
        &ALIASES[..]
    };
    let alias = aliases.iter().find(|(name, _)| *name == word);
    let assured = word.strip_prefix("af").filter(|_| bits == 6);
    let selector = word.strip_prefix("cs").filter(|_| bits == 6);
    let named = alias.map(|(_, point)| *point);
    let named = named.or_else(|| assured.and_then(assured_forwarding));
    let named = named.or_else(|| Some(8 * selector?.parse::<u8>().ok().filter(|n| *n < 8)?));
    number.or(named).filter(|point| *point <= most)
}

/// `11` to `43`: class and drop precedence (RFC 2597 §6).
fn assured_forwarding(digits: &str) -> Option<u8> {
    let [class @ b'1'..=b'4', drop @ b'1'..=b'3'] = digits.as_bytes() else {
        return None;
    };
    Some((class - b'0') * 8 + (drop - b'0') * 2)
}

/// An IP precedence by name or number (RFC 791 §3.1).
pub(super) fn precedence(word: &str) -> Option<u8> {
    let names = [
        "routine",
        "priority",
        "immediate",
        "flash",
        "flash-override",
        "critical-ecp",
        "internet-control",
        "net-control",
    ];
    let named = names.iter().position(|n| *n == word);
    let number = word.parse::<u8>().ok().filter(|n| *n < 8);
    number.or_else(|| u8::try_from(named?).ok())
}

impl Reader<'_, '_> {
    pub(super) fn class_of_service(&mut self, id: Id) -> ClassOfService {
        let Some(top) = self.child(id, "class-of-service") else {
            return ClassOfService::default();
        };
        let mut read = ClassOfService {
            classes: self.forwarding_classes(top),
            classifiers: self.classifiers(top),
            ..ClassOfService::default()
        };
        for scheduler in self.active(top, &["schedulers"]) {
            read.schedulers.extend(self.scheduler(scheduler));
        }
        for map in self.active(top, &["scheduler-maps"]) {
            let mut pairs = Vec::new();
            for class in self.active(map, &["forwarding-class"]) {
                let scheduler = self.value(class, "scheduler", text, "a scheduler's name");
                pairs.extend(scheduler.map(|s| (self.tree.node(class).word.to_owned(), s)));
            }
            let name = self.stated(map, "scheduler-maps", text, "a name");
            read.maps.extend(name.map(|name| SchedulerMap {
                name,
                schedulers: pairs,
            }));
        }
        for port in self.active(top, &["interfaces"]) {
            let name = self.tree.node(port).word;
            read.interfaces.push(self.cos_interface(port, name, None));
            for unit in self.active(port, &["unit"]) {
                let number = self.tree.node(unit).word.to_owned();
                let unit = self.cos_interface(unit, name, Some(number));
                read.interfaces.push(unit);
            }
        }
        read
    }

    fn forwarding_classes(&mut self, top: Id) -> Vec<(Stated<String>, u8)> {
        let mut all = Vec::new();
        for class in self.active(top, &["forwarding-classes", "class"]) {
            let queue = self.value(class, "queue-num", queue, "a queue from 0 to 7");
            let name = self.stated(class, "class", text, "a name");
            all.extend(name.zip(queue.map(|q| q.value)));
        }
        for number in self.active(top, &["forwarding-classes", "queue"]) {
            let queue = self.stated(number, "queue", queue, "a queue from 0 to 7");
            for class in self.active(number, &[]) {
                let name = self.stated(class, "queue", text, "a name");
                all.extend(name.zip(queue.as_ref().map(|q| q.value)));
            }
        }
        all
    }

    fn cos_interface(&mut self, id: Id, port: &str, unit: Option<String>) -> CosInterface {
        let mut classifiers = Vec::new();
        for (word, marks) in MARKS {
            let Some(at) = self.child(id, "classifiers") else {
                continue;
            };
            let name = self.value(at, word, text, "a classifier's name");
            classifiers.extend(name.map(|n| (marks, n)));
        }
        let class = "a forwarding class";
        CosInterface {
            port: port.to_owned(),
            unit,
            map: self.value(id, "scheduler-map", text, "a scheduler map's name"),
            shaping: self.value(id, "shaping-rate", rate, "a rate, `50m`"),
            class: self.value(id, "forwarding-class", text, class),
            classifiers,
        }
    }

    fn classifiers(&mut self, top: Id) -> Vec<Classifier> {
        let mut all = Vec::new();
        for (word, marks) in MARKS {
            let bits = if marks == Marks::Dscp { 6 } else { 3 };
            for classifier in self.active(top, &["classifiers", word]) {
                let Some(name) = self.stated(classifier, word, text, "a name") else {
                    continue;
                };
                let mut entries = Vec::new();
                for class in self.active(classifier, &["forwarding-class"]) {
                    let mut points = Vec::new();
                    for level in self.active(class, &["loss-priority"]) {
                        for list in ["code-points", "code-point"] {
                            for point in self.active(level, &[list]) {
                                let wanted = "code points by name or in binary";
                                let read = |w: &str| code_points(w, bits);
                                let point = self.stated(point, list, read, wanted);
                                points.extend(point);
                            }
                        }
                    }
                    entries.push((self.tree.node(class).word.to_owned(), points));
                }
                all.push(Classifier {
                    marks,
                    name,
                    import: self.value(classifier, "import", text, "a classifier's name"),
                    entries,
                });
            }
        }
        all
    }

    fn scheduler(&mut self, id: Id) -> Option<Scheduler> {
        let buffer = self.child(id, "buffer-size");
        let time = "a time in microseconds";
        Some(Scheduler {
            name: self.stated(id, "schedulers", text, "a name")?,
            transmit: self.transmit(id),
            exact: self.exact(id),
            shaping: self.shaping(id),
            buffer_percent: buffer.and_then(|b| self.value(b, "percent", number, PERCENT)),
            buffer_time: buffer.and_then(|b| self.value(b, "temporal", microseconds, time)),
            priority: self.value(id, "priority", text, "a priority"),
        })
    }

    /// `exact` or `rate-limit`, which stands beside the rate or behind it.
    fn exact(&mut self, id: Id) -> Option<Stated<String>> {
        let at = self.child(id, "transmit-rate")?;
        let mut places = vec![at];
        places.extend(self.active(at, &[]));
        places.extend(self.active(at, &["percent"]));
        let mut found = None;
        for place in places {
            for word in ["exact", "rate-limit"] {
                found = found.or(self.child(place, word));
            }
        }
        self.stated(found?, "transmit-rate", text, "exact")
    }

    /// A rate, and no share of the port's.
    fn shaping(&mut self, id: Id) -> Option<Stated<Rate>> {
        let mut all = self.active(id, &["shaping-rate"]);
        all.retain(|i| rate(self.tree.node(*i).word).is_some());
        self.stated(*all.last()?, "shaping-rate", rate, "a rate, `50m`")
    }

    fn transmit(&mut self, id: Id) -> Option<Transmit> {
        let at = self.child(id, "transmit-rate")?;
        if let Some(percent) = self.value(at, "percent", number, PERCENT) {
            return Some(Transmit::Percent(percent));
        }
        let keyword = |i: &&Id| {
            matches!(
                self.tree.node(**i).word,
                "percent" | "remainder" | "exact" | "rate-limit"
            )
        };
        let all = self.active(at, &[]);
        if let Some(plain) = all.iter().find(|i| !keyword(i)).copied() {
            let rate = self.stated(plain, "transmit-rate", rate, "a rate, `50m`");
            return rate.map(Transmit::Rate);
        }
        self.child(at, "remainder").map(|_| Transmit::Remainder)
    }
}

const PERCENT: &str = "a share in percent";

fn queue(text: &str) -> Option<u8> {
    text.parse().ok().filter(|q| *q < 8)
}

/// `5000`, or `5k`.
fn microseconds(text: &str) -> Option<Duration> {
    let us = scaled(text)?;
    (us <= 1_000_000_000).then(|| Duration::from_us(us))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_points_and_times_are_read_as_junos_writes_them() {
        let six = ["ef", "101110", "46", "0x2e"].map(|w| code_points(w, 6));
        assert_eq!(six, [Some(46); 4]);
        let times = ["5k", "5000", "1m", "5x", "k", "2g"].map(microseconds);
        let [five, second] = [5, 1000].map(|ms| Some(Duration::from_ms(ms)));
        assert_eq!(times, [five, five, second, None, None, None]);
        let others = ["af11", "af43", "cs1", "af14", "64", "cs8", ""].map(|w| code_points(w, 6));
        assert_eq!(
            others,
            [Some(10), Some(38), Some(8), None, None, None, None]
        );
        assert_eq!(code_points("010", 3), Some(2));
        assert_eq!(code_points("nc1", 3), Some(6));
        assert_eq!(precedence("net-control"), Some(7));
    }
}
