//! Policers and shapers that stand in a ticket: statements of Junos, IOS, IOS XR, NX-OS, CatOS and VRP, what `show policy-map interface`
//! prints, and `police` of Linux's `tc`.
//!
//! Nothing says there which traffic meets them. Of a list of many none is taken. What IOS counts beyond a rate, and drops, is the policer's
//! of that interface.

mod car;
pub(super) mod classes;
mod now;
mod protected;
mod typed;

use super::conditioned::{FEW, POLICER, SHAPER, words_of};
use super::{Facts, Line, Tool};
use crate::fact::{Of, Place};
use crate::interfaces::port::{Kind, OF_TC, Port, PortReading};
use crate::words::{after, decimal, decimal_prefix, option_rate, rate, size, whole};
use typed::{command, filters};

/// A contract as it was stated.
#[derive(Clone, PartialEq)]
struct Stated {
    name: &'static str,
    bps: f64,
    burst_bytes: Option<f64>,
    /// Whether it is of a class that takes marked traffic, or what a list says.
    marked: bool,
    /// Of IOS the router, its policy map and its class, each empty where nothing says it.
    of_policy: Option<[String; 3]>,
    /// The code points that its class takes, as numbers with a blank between.
    takes: String,
    at: Place,
}

/// A policer that is read now.
#[derive(Default)]
struct Open {
    bps: Option<f64>,
    /// The second rate of two (RFC 2698), bit/s.
    peak_bps: Option<f64>,
    burst_bytes: Option<f64>,
    at: Option<Place>,
    /// Whether what exceeds the first rate is dropped, and the second: as IOS has it unless it is said.
    drops: [Option<bool>; 2],
    /// Of IOS the router, its policy map and its class, each empty where nothing says it.
    of_policy: Option<[String; 3]>,
    /// Packets that exceeded each of them, as IOS counts, and where.
    exceeded: [Option<(u64, Place)>; 2],
    /// What conforms now, and exceeds each of them, bit/s.
    now: Option<[f64; 3]>,
}

/// The state of reading statements.
#[derive(Default)]
pub(super) struct Policed {
    open: Option<Open>,
    /// Name of the policer that statements of `display set` are about.
    named: String,
    /// Whether the class that is read takes only what is marked, or what a list says.
    marked: bool,
    /// Which of the three actions follows, where it stands on a line of its own.
    action: Option<usize>,
    found: Vec<Stated>,
    /// The router and interface of `show policy-map interface`, and the policy map and the class that are read.
    port: Port,
    policy: String,
    class: String,
    /// Packets that the queue of that class may hold, and the code points that it takes.
    limit: Option<u64>,
    takes: String,
    /// What policers dropped.
    counted: Vec<PortReading>,
    /// The host whose filters `tc` prints, and the interface they are at; and whether lines of one are read.
    filters: Port,
    of_tc: bool,
    /// Whether what is read is of a router's control plane, and what was dropped there: for people, and where.
    protects: bool,
    protected: Option<(String, Place)>,
}

impl Tool for Policed {
    fn name(&self) -> &'static str {
        "policers"
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        self.beside(line, facts);
        self.turns(text);
        if let Some(packets) = super::ports::of_class(text) {
            self.close();
            self.queue(Kind::Dropped, packets as f64, line.at);
            if let (Some(limit), Some(depth)) = (self.limit, classes::depth(text)) {
                self.queue(Kind::Filled, depth as f64 / limit as f64, line.at);
            }
            facts.ports.append(&mut self.counted);
            return true;
        }
        if going && self.of_tc && self.below(text, line.at) {
            facts.ports.append(&mut self.counted);
            return true;
        }
        let taken = self.of_junos(text, line.at, going)
            || self.of_set(text, line.at)
            || self.of_linux(text, line.at)
            || self.of_vrp(text, line.at)
            || self.of_ios(text, line.at, going);
        if !taken {
            self.close();
            self.of_tc = false;
        }
        if let Some(interface) = filters(text).filter(|_| !taken) {
            self.filters = Port {
                router: facts.label.name.clone(),
                name: crate::redact(interface),
            };
        }
        facts.ports.append(&mut self.counted);
        taken || self.shown(text)
    }

    fn held(&self) -> usize {
        self.found.len()
    }

    fn finish(&mut self, facts: &mut Facts) {
        self.close();
        facts.ports.append(&mut self.counted);
        self.notes_protection(facts);
        let [different, of_classes] = classes::parted(core::mem::take(&mut self.found));
        if different.len() > FEW {
            facts.notes.push(format!(
                "{} policers and shapers are stated, and nothing says which of them this traffic meets: none is taken",
                different.len()
            ));
            return;
        }
        for one in different {
            one.note(one.name, facts);
        }
        for one in of_classes {
            one.note(classes::of_class(one.name), facts);
        }
    }
}

impl Stated {
    /// Notes it under this name, with what stands beside it.
    fn note(&self, name: &'static str, facts: &mut Facts) {
        facts.exact(Of::Path, name, self.bps, self.at);
        if let Some(burst) = self.burst_bytes {
            facts.exact(Of::Path, "policer_burst_bytes", burst, self.at);
        }
        let names = words_of(self.name);
        for (name, word) in names.into_iter().zip(self.of_policy.iter().flatten()) {
            facts.word(Of::Path, name, word, self.at);
        }
        if !self.takes.is_empty() {
            facts.word(Of::Path, classes::CLASS_MARKS, &self.takes, self.at);
        }
    }
}

impl Policed {
    /// What stands beside a class, and rules of hosts that set a mark: none of these lines is taken.
    fn beside(&mut self, line: Line<'_>, facts: &mut Facts) {
        let text = line.bare;
        self.limit = classes::limit(text).or(self.limit);
        let takes = classes::taken(text);
        if !takes.is_empty() {
            self.takes = takes;
        }
        if let Some(dscp) = classes::sets(text) {
            facts.word(Of::Path, classes::SET_MARK, &dscp.to_string(), line.at);
        }
    }

    /// Keeps a policer that drops.
    fn close(&mut self) {
        self.action = None;
        let Some(open) = self.open.take() else { return };
        if self.is_protection() {
            self.protect(&open);
            return;
        }
        self.count(&open);
        let bps = match open.drops {
            [Some(false), Some(true)] => open.peak_bps.or(open.bps),
            [Some(false), _] => None,
            _ => open.bps,
        };
        if let (Some(bps), Some(at)) = (bps.filter(|b| *b > 0.0), open.at) {
            self.found.push(Stated {
                name: POLICER,
                bps,
                burst_bytes: open.burst_bytes,
                marked: self.marked,
                of_policy: open.of_policy,
                takes: self.takes.clone(),
                at,
            });
        }
    }

    /// Keeps what a policer of IOS dropped: what exceeds a rate, unless it is marked.
    fn count(&mut self, open: &Open) {
        let drops = |n: usize| open.drops[n].or(open.drops[0]).unwrap_or(true);
        let counts = open.exceeded.iter().enumerate();
        let dropped = counts.filter(|(n, _)| drops(*n)).filter_map(|(_, c)| *c);
        let all: Vec<(u64, Place)> = dropped.collect();
        let Some((_, at)) = all.last() else { return };
        let name = match (self.class.as_str(), self.port.name.as_str()) {
            ("", name) => name.to_owned(),
            (class, "") => format!("the policer of class {class}"),
            (class, name) => format!("the policer of class {class} at {name}"),
        };
        let port = Port {
            router: self.port.router.clone(),
            name,
        };
        let dropped: f64 = all.iter().map(|(n, _)| *n as f64).sum();
        let part = open
            .now
            .and_then(|bps| now::dropped(bps, [0, 1].map(drops)));
        for (kind, value) in [(Kind::Policed, Some(dropped)), (Kind::Policing, part)] {
            self.counted.extend(value.map(|value| PortReading {
                port: port.clone(),
                kind,
                value,
                packets: None,
                sent: None,
                at: *at,
            }));
        }
    }

    /// What the queue of the class that is read has, of a kind.
    fn queue(&mut self, kind: Kind, value: f64, at: Place) {
        if self.port.name.is_empty() || self.class.is_empty() {
            return;
        }
        let policy = match self.policy.as_str() {
            "" => String::new(),
            policy => format!(" of {policy}"),
        };
        self.counted.push(PortReading {
            port: Port {
                router: self.port.router.clone(),
                name: format!("class {}{policy} at {}", self.class, self.port.name),
            },
            kind,
            value,
            packets: None,
            sent: None,
            at,
        });
    }

    /// `R1#show policy-map interface Gi0/1`, which another reader takes, and the interface in full on a line below it.
    fn shown(&mut self, text: &str) -> bool {
        if let Some((router, name)) = command(text) {
            self.port = Port {
                router: crate::redact(router),
                name: crate::redact(name),
            };
            self.class.clear();
            return false;
        }
        let is_name = text.starts_with(|c: char| c.is_ascii_uppercase())
            && text.ends_with(|c: char| c.is_ascii_digit())
            && text.contains('/')
            && !text.contains(char::is_whitespace);
        let awaited = is_name && !self.port.router.is_empty() && self.class.is_empty();
        if awaited {
            self.port.name = crate::redact(text);
        }
        awaited
    }

    /// `policer NAME {`, `bandwidth-limit 80m;`, `burst-size-limit 625k;`, `then discard;`.
    fn of_junos(&mut self, text: &str, at: Place, going: bool) -> bool {
        // `show configuration firewall policer NAME` begins inside it.
        let inside = text == "if-exceeding {" && self.open.is_none();
        if inside || text.starts_with("policer ") && text.ends_with('{') {
            self.close();
            self.open = Some(Open {
                drops: [Some(false), None],
                ..Open::default()
            });
            return true;
        }
        if text == "firewall {" {
            return true;
        }
        if !going {
            return false;
        }
        if let Some(open) = &mut self.open {
            return open.junos(text, at);
        }
        text == "}"
    }

    /// `set firewall policer NAME if-exceeding bandwidth-limit 80m`; CatOS `set qos policer aggregate NAME rate KBPS drop burst KBIT`.
    fn of_set(&mut self, text: &str, at: Place) -> bool {
        if let Some(rest) = text.strip_prefix("set qos policer ") {
            let words: Vec<&str> = rest.split_whitespace().collect();
            let kbit = |key| Some(1e3 * decimal(follows(&words, key)?)?);
            self.close();
            self.open = Some(Open {
                bps: kbit("rate"),
                burst_bytes: kbit("burst").map(|bits| bits / 8.0),
                at: Some(at),
                drops: [Some(words.contains(&"drop")), None],
                ..Open::default()
            });
            self.close();
            return true;
        }
        let Some(rest) = text.strip_prefix("set firewall policer ") else {
            return text.starts_with("set firewall ") || text.starts_with("set interfaces ");
        };
        let Some((name, statement)) = rest.split_once(' ') else {
            return false;
        };
        if self.open.is_none() || self.named != name {
            self.close();
            name.clone_into(&mut self.named);
            self.open = Some(Open {
                drops: [Some(false), None],
                ..Open::default()
            });
        }
        let statement = statement.trim_start_matches("if-exceeding ");
        self.open.as_mut().is_some_and(|o| o.junos(statement, at))
    }

    /// `action order 1:  police 0x1 rate 80Mbit burst 62500b mtu 2Kb action drop`, and the command that makes it.
    fn of_linux(&mut self, text: &str, at: Place) -> bool {
        let words: Vec<&str> = text.split_whitespace().collect();
        let Some(from) = words.iter().position(|w| *w == "police") else {
            let is_head = text.starts_with("filter ") && text.contains(" pref ");
            self.of_tc |= is_head;
            return is_head;
        };
        let words = &words[from..];
        // `bps` of `tc` is bytes a second.
        let bits = |r: &&str| r.to_ascii_lowercase().ends_with("bit");
        let bps = follows(words, "rate").filter(bits);
        let bps = bps.and_then(|r| rate(&r.to_ascii_lowercase()));
        let (Some(bps), Some(burst)) = (bps, follows(words, "burst")) else {
            return false;
        };
        self.close();
        self.open = Some(Open {
            bps: Some(bps),
            burst_bytes: size(burst.trim_end_matches('b')),
            at: Some(at),
            drops: [Some(words.iter().any(|w| w.starts_with("drop"))), None],
            ..Open::default()
        });
        self.close();
        self.of_tc = true;
        true
    }

    /// What stands below a filter of `tc -s`: `ref 1 bind 1 installed 9 sec used 0 sec`, `Sent 9 bytes 1 pkts (dropped 104, overlimits 104)`.
    fn below(&mut self, text: &str, at: Place) -> bool {
        let dropped = after(text, "(dropped ").and_then(|n| whole(n.trim_end_matches(',')));
        let Some(dropped) = dropped.filter(|_| text.starts_with("Sent ")) else {
            let begins = ["ref ", "index ", "backlog ", "Action statistics:"];
            return begins.iter().any(|begin| text.starts_with(begin))
                || ["in_hw", "not_in_hw"].contains(&text);
        };
        let name = match self.filters.name.as_str() {
            "" => OF_TC.to_owned(),
            interface => format!("{OF_TC} at {interface}"),
        };
        self.counted.push(PortReading {
            port: Port {
                router: self.filters.router.clone(),
                name,
            },
            kind: Kind::Policed,
            value: dropped as f64,
            packets: None,
            sent: None,
            at,
        });
        true
    }

    /// `qos car inbound cir 10000 cbs 1880000`.
    fn of_vrp(&mut self, text: &str, at: Place) -> bool {
        let Some(car) = car::car(text) else {
            return false;
        };
        self.close();
        let marked = core::mem::replace(&mut self.marked, car.of_class);
        self.open = Some(Open {
            bps: Some(car.bps),
            burst_bytes: car.burst_bytes,
            at: Some(at),
            drops: [Some(car.drops), None],
            ..Open::default()
        });
        self.close();
        self.marked = marked;
        true
    }

    /// `class class-default`, `police cir 80000000 bc 62500`, `exceed-action drop`, `shape average 80000000`.
    fn of_ios(&mut self, text: &str, at: Place, going: bool) -> bool {
        let words: Vec<&str> = text
            .split([' ', ',', '\t'])
            .filter(|w| !w.is_empty())
            .collect();
        match words[..] {
            ["service-policy", ..] => {
                self.close();
                self.marked = false;
            }
            // `policy-map OUT`; `Service-policy output: OUT`, and of a policy inside `Service-policy : IN`.
            ["policy-map", .., name] | ["Service-policy", _, name, ..] => {
                self.close();
                self.marked = false;
                self.policy = crate::redact(name);
                self.class.clear();
            }
            ["policy-map" | "Service-policy", ..] => {
                self.close();
                self.marked = false;
            }
            ["class", name] | ["Class-map:", name, ..] => {
                self.close();
                self.class = crate::redact(name);
                self.limit = None;
                self.takes.clear();
                self.marked = !["class-default", "default"].contains(&name);
            }
            ["police:"] => self.begin(),
            ["police", ref contract @ ..] => {
                self.begin();
                return self.contract(contract, at);
            }
            ["cir" | "rate", ..] if self.open.is_some() => return self.contract(&words, at),
            ["shape", "average", ref shape @ ..] | ["target", "shape", "rate", ref shape @ ..] => {
                self.close();
                let (bps, _) = amount(shape).unwrap_or_default();
                if bps > 0.0 {
                    self.queue(Kind::Shaped, bps, at);
                    self.found.push(Stated {
                        name: SHAPER,
                        bps,
                        burst_bytes: None,
                        marked: self.marked,
                        of_policy: Some(self.of_policy()),
                        takes: self.takes.clone(),
                        at,
                    });
                }
            }
            [first, ..] if going && self.open.is_some() => return self.action(first, &words, at),
            _ => return false,
        }
        true
    }

    fn begin(&mut self) {
        self.close();
        self.open = Some(Open {
            of_policy: Some(self.of_policy()),
            ..Open::default()
        });
    }

    /// The router, the policy map and the class that are read.
    fn of_policy(&self) -> [String; 3] {
        [&self.port.router, &self.policy, &self.class].map(String::clone)
    }

    /// The words of a contract behind `police`; whether they state a rate.
    fn contract(&mut self, words: &[&str], at: Place) -> bool {
        let Some(open) = &mut self.open else {
            return false;
        };
        let behind = |keys: [&str; 2]| {
            let key = words.iter().position(|w| keys.contains(w))?;
            amount(&words[key + 1..])
        };
        let bare = amount(words);
        let said = behind(["cir", "rate"]);
        open.bps = said.or(bare).map(|(bps, _)| bps);
        open.peak_bps = behind(["pir", "peak-rate"]).map(|(bps, _)| bps);
        let second = bare.and_then(|(_, used)| words.get(used).copied().and_then(decimal));
        let burst = behind(["bc", "burst"]).map(|(bytes, _)| bytes);
        open.burst_bytes = burst.or(second);
        open.at = Some(at);
        for (n, key) in ["exceed", "violate"].into_iter().enumerate() {
            let action = words
                .iter()
                .position(|w| w.trim_end_matches("-action") == key);
            let action = action.and_then(|at| words.get(at + 1));
            open.drops[n] = action.map(|a| *a == "drop").or(open.drops[n]);
        }
        open.bps.is_some()
    }

    /// `exceed-action drop`; `exceeded 30 packets, 45000 bytes; actions:` and then `drop`.
    fn action(&mut self, first: &str, words: &[&str], at: Place) -> bool {
        let Some(open) = &mut self.open else {
            return false;
        };
        if let Some(bps) = now::rates(words) {
            open.now = Some(bps);
            return true;
        }
        if let Some(kind) = now::KINDS.iter().position(|k| first.starts_with(k)) {
            if let (1 | 2, Some(packets)) = (kind, packets(words)) {
                open.exceeded[kind - 1] = Some((packets, at));
                let action = words.iter().position(|w| w.starts_with("action"));
                let action = action.and_then(|n| words.get(n + 1));
                open.drops[kind - 1] = action.map(|a| *a == "drop").or(open.drops[kind - 1]);
            }
            let said = words.get(1).filter(|_| first.ends_with("-action"));
            match (said, kind) {
                (Some(said), 1 | 2) => open.drops[kind - 1] = Some(*said == "drop"),
                (Some(_), _) => {}
                (None, kind) => self.action = Some(kind),
            }
            return true;
        }
        let Some(kind) = self.action else {
            return false;
        };
        let known = first == "drop" || first == "transmit" || first.starts_with("set-");
        if known && kind > 0 {
            open.drops[kind - 1] = Some(first == "drop");
        }
        known
    }
}

impl Open {
    /// A statement inside a policer of Junos.
    fn junos(&mut self, text: &str, at: Place) -> bool {
        let text = text.trim_end_matches(';');
        let (key, value) = text.rsplit_once(' ').unwrap_or(("", text));
        match (key, value) {
            ("bandwidth-limit", bps) => {
                self.bps = decimal(bps).or_else(|| option_rate(bps));
                self.at = Some(at);
            }
            // Junos counts by thousands here as well.
            ("burst-size-limit", bytes) => {
                self.burst_bytes = decimal(bytes).or_else(|| option_rate(bytes));
            }
            ("" | "then", "discard") => self.drops = [Some(true), None],
            _ => {
                let others = ["if-exceeding", "then", "loss-priority", "forwarding-class"];
                return text == "}" || others.iter().any(|o| text.starts_with(o));
            }
        }
        true
    }
}

/// The packets in `exceeded 30 packets, 45000 bytes; actions:`.
fn packets(words: &[&str]) -> Option<u64> {
    match words {
        [_, count, "packets", ..] => whole(count),
        _ => None,
    }
}

/// The word behind a key.
fn follows<'w>(words: &[&'w str], key: &str) -> Option<&'w str> {
    let at = words.iter().position(|w| *w == key)?;
    words.get(at + 1).copied()
}

/// The number that words begin with, in its unit, and how many words that takes: `80000000 bps`, `80 mbps`, `62500 bytes`.
fn amount(words: &[&str]) -> Option<(f64, usize)> {
    let (first, unit) = (words.first()?, words.get(1).copied().unwrap_or(""));
    let value = decimal(first).or_else(|| rate(first))?;
    let prefix = |of: &str| {
        let mut chars = unit.strip_suffix(of)?.chars();
        let factor = decimal_prefix(chars.next())?;
        chars.next().is_none().then_some(factor)
    };
    if ["percent", "ms", "us"].contains(&unit) {
        return None;
    }
    Some(match prefix("bps").or_else(|| prefix("bytes")) {
        Some(factor) => (value * factor, 2),
        None => (value, 1),
    })
}
