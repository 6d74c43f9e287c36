//! `/queue simple print`, `print stats` and `export` of MikroTik's RouterOS: what shapes what a target sends and receives.

use core::net::{IpAddr, Ipv4Addr};

use super::routeros::typed;
use super::{Facts, Line, Tool};
use crate::fact::Place;
use crate::interfaces::port::{Kind, Port, PortReading};
use crate::words::{option_rate, shortens, whole};

/// A simple queue, as a router's text has it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SimpleQueue {
    pub(crate) router: String,
    pub(crate) name: String,
    /// The queue that it is within; empty of one that stands by itself.
    pub(crate) parent: String,
    /// Addresses with or without the bits of their network, or interfaces.
    pub(crate) targets: Vec<String>,
    /// What the target sends, and what it receives, at most, bit/s; none where that is not limited.
    pub(crate) most: [Option<f64>; 2],
    /// Whether a text says how it is limited, or that it is not.
    pub(crate) stated: bool,
    /// Whether it is in use.
    pub(crate) acts: bool,
    /// Whether it takes a part of its target's traffic only: some marks, destinations or times.
    pub(crate) narrowed: bool,
    /// Where its limits were read, or it began.
    pub(crate) at: Place,
}

/// The state of reading.
#[derive(Default)]
pub(super) struct SimpleQueues {
    router: String,
    /// Lines of a list may follow.
    on: bool,
    /// Lines of a queue may follow.
    open: bool,
    /// The line before was broken, and goes on.
    broken: bool,
    /// The key that was read last.
    last: String,
    /// How many queues of the text were read.
    read: usize,
}

/// What `max-limit` and counters are of, in their order: the target's upload and download (RouterOS, Queues, Simple Queue).
const WAYS: [&str; 2] = ["upload", "download"];

/// Most queues and targets that are kept.
const QUEUES_MAX: usize = 10_000;
const TARGETS_MAX: usize = 64;

/// The section of an export, and how other lines of its head begin.
const SECTION: &str = "/queue simple";
const HEADS: [&str; 5] = [
    "Flags:",
    "Columns:",
    "# software id",
    "# model",
    "# serial number",
];

impl Tool for SimpleQueues {
    fn name(&self) -> &'static str {
        "simple queues"
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let (text, at) = (line.bare, line.at);
        if let Some(router) = asks(text) {
            self.router = crate::redact(router);
            (self.on, self.open) = (true, false);
            return true;
        }
        if text == SECTION {
            if !going {
                self.router.clear();
            }
            (self.on, self.open) = (true, false);
            return true;
        }
        if !going || !self.on {
            return false;
        }
        let dated = text.starts_with("# ") && text.contains(" by RouterOS ");
        if dated || HEADS.iter().any(|head| text.starts_with(head)) {
            return true;
        }
        let unbroken = text.strip_suffix('\\').map(str::trim_end);
        let follows = core::mem::replace(&mut self.broken, unbroken.is_some());
        let text = unbroken.unwrap_or(text);
        if let Some((acts, rest)) = begins(text) {
            // An export leaves out what is not limited; statistics say nothing of limits.
            let exported = text.starts_with("add ");
            self.begins([acts, exported], at, facts);
            self.says(rest, at, facts);
            return true;
        }
        let goes_on = self.open && (follows || is_pair(text) || self.is_target(text));
        if goes_on {
            self.says(text, at, facts);
        }
        goes_on
    }

    /// The text is over: each way has the rate that it is held to.
    fn finish(&mut self, facts: &mut Facts) {
        let first = facts.simple_queues.len().saturating_sub(self.read);
        let mut shaped = Vec::new();
        for queue in facts.simple_queues[first..].iter().filter(|q| q.acts) {
            for (way, bps) in WAYS.into_iter().zip(queue.most) {
                let reading = bps.map(|bps| of_queue(queue, way, (Kind::Shaped, bps), queue.at));
                shaped.extend(reading);
            }
        }
        facts.ports.append(&mut shaped);
        self.read = 0;
    }
}

impl SimpleQueues {
    /// A queue begins: whether it is in use, and whether it is said how it is limited.
    fn begins(&mut self, [acts, stated]: [bool; 2], at: Place, facts: &mut Facts) {
        self.open = facts.simple_queues.len() < QUEUES_MAX;
        self.last.clear();
        if self.open {
            self.read += 1;
            facts.simple_queues.push(SimpleQueue {
                router: self.router.clone(),
                name: String::new(),
                parent: String::new(),
                targets: Vec::new(),
                most: [None; 2],
                stated,
                acts,
                narrowed: false,
                at,
            });
        }
    }

    /// Whether a line goes on with targets that did not fit into the one before.
    fn is_target(&self, text: &str) -> bool {
        let known = |t: &str| contains(t, Ipv4Addr::UNSPECIFIED.into()).is_some();
        self.last == "target" && text.split([',', ' ']).next().is_some_and(known)
    }

    /// Takes what a line says of the queue that is read.
    fn says(&mut self, text: &str, at: Place, facts: &mut Facts) {
        let Some(queue) = facts.simple_queues.last_mut().filter(|_| self.open) else {
            return;
        };
        let first = text.split_whitespace().next().unwrap_or("");
        if self.last == "target" && !is_pair(text) {
            targets(first, queue);
        }
        for (key, value) in pairs(text) {
            key.clone_into(&mut self.last);
            match key {
                "name" => queue.name = crate::redact(value),
                "target" => targets(value, queue),
                "parent" if value != "none" => queue.parent = crate::redact(value),
                "max-limit" => {
                    if let Some(most) = limits(value) {
                        (queue.most, queue.stated, queue.at) = (most, true, at);
                    }
                }
                "packet-marks" | "dst" | "time" => queue.narrowed |= !value.is_empty(),
                "disabled" => queue.acts &= value != "yes",
                "dropped" => {
                    let counts = both(value, whole).filter(|_| !queue.name.is_empty());
                    let counts = WAYS.into_iter().zip(counts.into_iter().flatten());
                    for (way, n) in counts {
                        let dropped = (Kind::Dropped, n as f64);
                        facts.ports.push(of_queue(queue, way, dropped, at));
                    }
                }
                _ => {}
            }
        }
    }
}

/// A reading of one way of a queue.
fn of_queue(queue: &SimpleQueue, way: &str, (kind, value): (Kind, f64), at: Place) -> PortReading {
    PortReading {
        port: Port {
            router: queue.router.clone(),
            name: format!("{} ({way})", queue.name),
        },
        kind,
        value,
        packets: None,
        sent: None,
        at,
    }
}

/// The router whose queues a command prints: `[admin@gw1] > /queue simple print stats`, `[admin@gw1] /queue/simple> export`.
fn asks(text: &str) -> Option<&str> {
    let (router, command) = typed(text)?;
    let words = command.split([' ', '/', '>']).filter(|w| !w.is_empty());
    let words: Vec<&str> = words.collect();
    let of_queues = |pair: &[&str]| pair[0] == "queue" && pair[1] == "simple";
    let at = words.windows(2).position(of_queues)?;
    let prints = words[at + 2..]
        .iter()
        .any(|w| shortens(w, "print", 2) || shortens(w, "export", 2));
    (prints && command.contains('>')).then_some(router)
}

/// Whether the queue that begins in a line is in use, and what the line says of it: `0 X  name="a" target=…`, `add max-limit=…`.
fn begins(text: &str) -> Option<(bool, &str)> {
    if let Some(rest) = text.strip_prefix("add ") {
        return is_pair(rest).then_some((true, rest));
    }
    let (index, rest) = text.split_once(' ')?;
    whole(index)?;
    let mut rest = rest.trim_start();
    let mut acts = true;
    while let Some((word, behind)) = rest.split_once(' ') {
        if word.is_empty() || !word.bytes().all(|b| b"XID".contains(&b)) {
            break;
        }
        acts &= !word.contains(['X', 'I']);
        rest = behind.trim_start();
    }
    (is_pair(rest) || rest.starts_with(";;;")).then_some((acts, rest))
}

/// Whether a line begins with a key and a value.
fn is_pair(text: &str) -> bool {
    text.split_once('=').is_some_and(|(key, _)| is_key(key))
}

/// Keys are of small letters, digits and hyphens.
fn is_key(key: &str) -> bool {
    let is_of = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    key.starts_with(|c: char| c.is_ascii_lowercase()) && key.bytes().all(is_of)
}

/// Keys and values of `name="a b" target=192.0.2.10/32 parent=none`. A comment has none.
fn pairs(text: &str) -> Vec<(&str, &str)> {
    let mut all = Vec::new();
    let mut rest = if text.starts_with(";;;") { "" } else { text };
    while let Some((before, behind)) = rest.split_once('=') {
        let key = before.split_whitespace().next_back().unwrap_or("");
        let (value, next) = match behind.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => behind.split_once(' ').unwrap_or((behind, "")),
        };
        if is_key(key) {
            all.push((key, value));
        }
        rest = next;
    }
    all
}

/// Adds targets: `192.0.2.10/32,ether2`.
fn targets(value: &str, queue: &mut SimpleQueue) {
    for target in value.split(',').filter(|t| !t.is_empty()) {
        if queue.targets.len() < TARGETS_MAX {
            queue.targets.push(crate::redact(target));
        }
    }
}

/// Both halves of `10M/50M`, read alike.
fn both<T>(value: &str, read: impl Fn(&str) -> Option<T>) -> Option<[T; 2]> {
    let (upload, download) = value.split_once('/')?;
    Some([read(upload)?, read(download)?])
}

/// Rates of `max-limit`, bit/s; 0 and `unlimited` do not limit.
fn limits(value: &str) -> Option<[Option<f64>; 2]> {
    let bps = |text: &str| match text {
        "unlimited" => Some(0.0),
        rate => option_rate(rate),
    };
    let rates = both(value, bps)?;
    Some(rates.map(|bps| Some(bps).filter(|b| *b > 0.0)))
}

/// Whether an address is in a network such as `192.0.2.0/24`, or is the one that stands alone; none of what is neither.
pub(crate) fn contains(network: &str, address: IpAddr) -> Option<bool> {
    let (base, bits) = match network.split_once('/') {
        Some((base, bits)) => (base, Some(bits.parse::<u8>().ok()?)),
        None => (network, None),
    };
    let (one, other, width): (u128, u128, u8) = match (base.parse::<IpAddr>().ok()?, address) {
        (IpAddr::V4(a), IpAddr::V4(b)) => (u128::from(u32::from(a)), u128::from(u32::from(b)), 32),
        (IpAddr::V6(a), IpAddr::V6(b)) => (u128::from(a), u128::from(b), 128),
        _ => return Some(false),
    };
    let rest = u32::from(width.checked_sub(bits.unwrap_or(width))?);
    let prefix = |of: u128| of.checked_shr(rest).unwrap_or(0);
    Some(prefix(one) == prefix(other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::taken::taken;

    #[test]
    fn an_address_is_in_a_network() {
        let of = |network: &str, address: &str| contains(network, address.parse().expect("one"));
        assert_eq!(of("192.0.2.0/24", "192.0.2.10"), Some(true));
        assert_eq!(of("192.0.2.10", "192.0.2.10"), Some(true));
        assert_eq!(of("192.0.2.10/32", "192.0.2.11"), Some(false));
        assert_eq!(of("0.0.0.0/0", "192.0.2.10"), Some(true));
        assert_eq!(of("::/0", "2001:db8::1"), Some(true));
        assert_eq!(of("2001:db8::/64", "2001:db8:0:1::1"), Some(false));
        assert_eq!(of("192.0.2.0/24", "2001:db8::1"), Some(false));
        assert_eq!(of("bridge1", "192.0.2.10"), None);
        assert_eq!(of("192.0.2.0/33", "192.0.2.10"), None);
    }

    /// What is read of a text, every line of which is taken.
    fn of(text: &str) -> Facts {
        taken(SimpleQueues::default(), text)
    }

    #[test]
    fn queues_are_read_as_printed_and_as_exported() {
        let printed = "[admin@gw1] > /queue simple print
Flags: X - disabled, I - invalid, D - dynamic
 0    name=\"cust 1\" target=192.0.2.10/32,192.0.2.12/32 parent=none packet-marks=\"\"
      priority=8/8 queue=default-small/default-small limit-at=0/0
      max-limit=10M/2500k burst-limit=0/0 burst-threshold=0/0 burst-time=0s/0s
 1 X  ;;; gone
      name=\"old\" target=192.0.2.11/32 parent=none packet-marks=\"\" max-limit=1M/1M
";
        let facts = of(printed);
        let [first, second] = &facts.simple_queues[..] else {
            panic!("{:#?}", facts.simple_queues);
        };
        assert_eq!((&*first.router, &*first.name), ("gw1", "cust 1"));
        assert_eq!(first.targets, ["192.0.2.10/32", "192.0.2.12/32"]);
        assert_eq!(first.most, [Some(10e6), Some(2.5e6)]);
        assert!(first.acts && first.stated && !first.narrowed);
        assert_eq!(first.at, Place::Line(0, 5));
        assert_eq!((&*second.name, second.acts), ("old", false));
        // Both ways of the one in use are shaped.
        let shaped = facts.ports.iter().filter(|r| r.kind == Kind::Shaped);
        let shaped: Vec<(String, f64)> = shaped.map(|r| (r.port.named(""), r.value)).collect();
        let both = [
            ("cust 1 (upload) of gw1", 10e6),
            ("cust 1 (download) of gw1", 2.5e6),
        ];
        assert_eq!(shaped, both.map(|(name, bps)| (name.to_owned(), bps)));

        let exported = "[admin@gw1] /queue/simple> export
# 2026-11-30 03:00:00 by RouterOS 7.15.3
# software id = ABCD-EF01
/queue simple
add comment=\"the upper \\
    floor\" max-limit=0/80M name=lan packet-marks=voice target=\\
    192.0.2.0/24,ether2
";
        let facts = of(exported);
        let queue = &facts.simple_queues[0];
        assert_eq!(queue.most, [None, Some(80e6)]);
        assert_eq!(queue.targets, ["192.0.2.0/24", "ether2"]);
        assert!(queue.narrowed && queue.acts);
    }

    #[test]
    fn what_a_queue_dropped_is_counted_each_way() {
        let facts = of("[admin@gw1] > queue simple print stats
Flags: X - disabled, I - invalid, D - dynamic
 0    name=\"cust1\" target=192.0.2.10/32 rate=9.8Mbps/120kbps dropped=190/0
");
        let each: Vec<(String, f64)> = facts
            .ports
            .iter()
            .map(|r| (r.port.named(""), r.value))
            .collect();
        assert_eq!(
            each,
            [
                ("cust1 (upload) of gw1".to_owned(), 190.0),
                ("cust1 (download) of gw1".to_owned(), 0.0)
            ]
        );
        assert!(!facts.simple_queues[0].stated);
    }

    #[test]
    fn other_commands_are_not_taken() {
        for text in [
            "[admin@gw1] > /queue tree print",
            "[admin@gw1] > /queue simple remove 0",
            "[  5] local 192.0.2.1 port 32774",
            "/queue simple set 0 max-limit=1M/1M",
        ] {
            assert_eq!(asks(text), None, "{text}");
        }
    }
}
