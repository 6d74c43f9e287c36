//! A device under construction: what every statement may ask of it, and say to it.

use core::ops::Range;
use std::collections::BTreeMap;

use super::{Number, Tree, Word, Words, fit};
use crate::dialect::Dialect;
use crate::finding::{Finding, Rule};
use crate::platform::Platform;
use crate::qos::{Device, Interface, Ipsec, Maps, SrrMaps, Stated};
use crate::rules::faults;
use crate::secrets::masked;
use crate::source::Place;

/// What became of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// It is understood.
    Understood,
    /// It has nothing to do with queues, classes or circuits.
    PassedOver,
    /// Nobody knows it.
    Unknown,
}

/// What the checks read, and a run knows nothing of.
const IDLE: [&str; 7] = [
    "rcv-queue|duplex|full-duplex|half-duplex|flowcontrol|channel-group|shutdown",
    "tunnel|storm-control|rate-limit",
    "switchport nonegotiate|host|priority|voice|block|protected|port-security|backup",
    "switchport trunk pruning",
    "no shutdown",
    "bandwidth|priority",
    "set port duplex|flowcontrol|channel|disable|enable",
];

/// A device under construction.
pub(crate) struct Reader {
    pub(crate) device: Device,
    by_name: BTreeMap<String, usize>,
}

impl Reader {
    pub(crate) fn new(file: usize, dialect: Dialect) -> Reader {
        Reader {
            device: Device {
                file,
                dialect,
                platform: Platform::Catalyst6500,
                name: None,
                qos: None,
                maps: Maps::default(),
                srr: SrrMaps::default(),
                class_maps: Vec::new(),
                given_classes: Vec::new(),
                policy_maps: Vec::new(),
                of_system: Vec::new(),
                ipsec: Ipsec::default(),
                interfaces: Vec::new(),
                faults: Vec::new(),
                unknown: Vec::new(),
                unknown_qos: Vec::new(),
                channel_hash: None,
                without_effect: Vec::new(),
                understood: 0,
                passed_over: 0,
            },
            by_name: BTreeMap::new(),
        }
    }

    pub(crate) fn place(&self, span: Range<usize>) -> Place {
        Place {
            file: self.device.file,
            span,
        }
    }

    pub(crate) fn stated<T>(&self, value: T, span: Range<usize>) -> Stated<T> {
        Stated {
            value,
            place: self.place(span),
        }
    }

    /// Number of the interface of this name; it is begun if there is none.
    pub(crate) fn interface(&mut self, name: &str, span: Range<usize>) -> usize {
        if let Some(known) = self.by_name.get(name) {
            return *known;
        }
        let number = self.device.interfaces.len();
        let place = Some(self.place(span));
        let kind = name.trim_end_matches(|c: char| !c.is_ascii_alphabetic());
        let ethernet = ["Ethernet", "GigE", "Bundle-Ether", "MgmtEth"];
        let framed = ethernet.iter().any(|k| kind.contains(k));
        self.device.interfaces.push(Interface {
            name: name.to_owned(),
            place,
            header_in_mtu: match framed {
                true => self.device.platform.header_in_mtu(),
                false => 0,
            },
            any_speed: self.device.platform == Platform::NxOs && kind == "Ethernet",
            ..Interface::default()
        });
        self.by_name.insert(name.to_owned(), number);
        number
    }

    pub(crate) fn fault(
        &mut self,
        rule: &'static Rule,
        span: Range<usize>,
        message: String,
        remedy: &str,
    ) {
        let remedies = vec![remedy.to_owned()];
        let finding = Finding::new(rule, message, self.place(span), remedies);
        self.device.faults.push(finding);
    }

    /// Counts line `line` of a text; `true` if nobody knows it.
    pub(crate) fn count(&mut self, taken: Taken, tree: &Tree<'_>, line: usize) -> bool {
        let words = Words::new(tree.content(line), 0);
        let is = |patterns: &[&str]| patterns.iter().any(|p| fit(p, words).is_some());
        let idle = match taken {
            Taken::Understood => is(&IDLE),
            Taken::PassedOver => !is(&["description|hostname|version", "set port name"]),
            Taken::Unknown => return true,
        };
        match taken {
            Taken::PassedOver => self.device.passed_over += 1,
            _ => self.device.understood += 1,
        }
        if idle {
            let place = self.place(tree.lines()[line].span.clone());
            self.device.without_effect.push(place);
        }
        false
    }

    /// Counts a line that a terminal shows around a configuration.
    pub(crate) fn listing(&mut self) {
        self.device.passed_over += 1;
    }

    /// The next word as a number. A fault says what it may be; `None` then, and if there is no word.
    pub(crate) fn number<V: TryFrom<u64>>(
        &mut self,
        words: &mut Words<'_>,
        number: Number,
    ) -> Option<V> {
        let Number(what, least, most) = number;
        let Some(word) = words.next() else {
            self.missing(words, what, format!("write {what}, {least} to {most}"));
            return None;
        };
        V::try_from(self.within(word, number)?).ok()
    }

    /// Says that `what` is missing where the words end.
    pub(crate) fn missing(&mut self, words: &Words<'_>, what: &str, remedy: String) {
        let end = words.rest().at;
        let message = format!("{what} is missing");
        self.fault(&faults::MISSING, end..end, message, &remedy);
    }

    fn within(&mut self, word: Word<'_>, Number(what, least, most): Number) -> Option<u64> {
        let value: Option<u64> = word.text.parse().ok();
        if let Some(v) = value.filter(|v| (least..=most).contains(v)) {
            return Some(v);
        }
        let why = match value {
            Some(_) => format!("{what} {} is out of range", word.text),
            None => format!("`{}` is not a number; {what} is one", shortened(word.text)),
        };
        let remedy = format!("{what} is a whole number from {least} to {most}");
        self.fault(&faults::RANGE, word.span(), why, &remedy);
        None
    }

    /// All numbers that follow, `0-3` and `0,1` allowed, up to the first word that is none. `None`
    /// after a fault.
    pub(crate) fn numbers<V: TryFrom<u64>>(
        &mut self,
        words: &mut Words<'_>,
        number: Number,
    ) -> Option<Vec<V>> {
        let mut list = Vec::new();
        let mut good = true;
        while let Some(word) = words.peek().filter(|w| is_numeric(w.text)) {
            words.next();
            let mut at = word.at;
            for part in word.text.split(',').filter(|p| !p.is_empty()) {
                let mut piece = |text| self.within(Word { text, at }, number);
                let ends = match part.split_once('-') {
                    None => piece(part).map(|v| (v, v)),
                    Some((a, b)) => piece(a).zip(piece(b)),
                };
                at += part.len() + 1;
                match ends {
                    Some((a, b)) => list.extend((a..=b).map_while(|v| V::try_from(v).ok())),
                    None => good = false,
                }
                if list.len() > MOST_NUMBERS {
                    return None;
                }
            }
        }
        if list.is_empty() && good {
            let Number(what, least, most) = number;
            let remedy = format!("write one or more, each {least} to {most}");
            self.missing(words, what, remedy);
            return None;
        }
        good.then_some(list)
    }

    /// Says so if words are left over.
    pub(crate) fn finish(&mut self, words: Words<'_>) {
        let rest = words.rest();
        if rest.text.is_empty() {
            return;
        }
        let note = ["//", "!", "#", "--", "/*", "("]
            .iter()
            .any(|m| rest.text.starts_with(m));
        let why = match note {
            true => "no comment may follow a command",
            false => "is not part of this command",
        };
        let colon = if note { ":" } else { "" };
        let message = format!(
            "`{}`{colon} {why}; the switch refuses the whole line",
            shortened(rest.text)
        );
        self.fault(
            &faults::LEFT_OVER,
            rest.span(),
            message,
            "put the note on a line of its own that begins with `!`; read here as if it were one",
        );
    }

    /// Reports text that is not a command at all; `true` if it is.
    pub(crate) fn is_prose(&mut self, content: &str, at: usize) -> bool {
        let first = content.split_whitespace().next().unwrap_or_default();
        let note =
            content.starts_with("//") || content.starts_with('#') || content.starts_with("/*");
        let number = first.starts_with(|c: char| c.is_ascii_digit())
            && content.split_whitespace().count() > 2;
        if note || number {
            self.fault(
                &faults::PROSE,
                at..at + content.len(),
                format!("`{}` is not a command", shortened(content)),
                "if it is a note, begin the line with `!`; it was passed over",
            );
        }
        note || number
    }
}

/// More numbers than any command has; what is beyond is a fault of the text.
const MOST_NUMBERS: usize = 4096;

fn is_numeric(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
        && word
            .chars()
            .all(|c| c.is_ascii_digit() || c == '-' || c == ',')
}

/// At most 60 characters of its first line, without secrets.
pub(crate) fn shortened(text: &str) -> String {
    let text = masked(text.lines().next().unwrap_or_default());
    let end = text.char_indices().nth(60).map(|(end, _)| end);
    match end {
        Some(end) => format!("{}…", &text[..end]),
        None => text,
    }
}
