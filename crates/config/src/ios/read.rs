//! From lines to what they say.

use core::ops::Range;
use std::collections::BTreeMap;

use crate::dialect::Dialect;
use crate::finding::{Finding, Rule};
use crate::qos::{Device, Interface, Maps, Stated};
use crate::source::Place;

use super::tree::{Kind, Tree};
use super::words::{Word, Words};
use super::{global, interface};
use crate::qos::faults;

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

/// Reads file number `file`.
pub fn read(text: &str, file: usize) -> Device {
    let tree = Tree::parse(text);
    let mut reader = Reader::new(file, Dialect::Ios);
    if let Some(line) = tree.unfinished() {
        let span = tree.lines()[line].span.clone();
        reader.fault(
            &faults::UNFINISHED,
            span,
            "this banner, certificate or macro never ends; everything after it was taken for its text".to_owned(),
            "end it: the banner's mark, `quit` or `@` on a line of its own",
        );
    }
    for line in tree.inside(None) {
        global::line(&mut reader, &tree, line);
    }
    reader.device
}

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
                name: None,
                qos: None,
                maps: Maps::default(),
                class_maps: Vec::new(),
                policy_maps: Vec::new(),
                interfaces: Vec::new(),
                faults: Vec::new(),
                unknown: Vec::new(),
                unknown_qos: Vec::new(),
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
        self.device.interfaces.push(Interface {
            name: name.to_owned(),
            place,
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
        let place = self.place(span);
        self.device.faults.push(Finding {
            rule,
            severity: rule.severity,
            message,
            place,
            related: Vec::new(),
            remedies: vec![remedy.to_owned()],
            uncertain: Vec::new(),
        });
    }

    /// Counts a statement; `true` if nobody knows it.
    pub(crate) fn count(&mut self, taken: Taken) -> bool {
        match taken {
            Taken::Understood => self.device.understood += 1,
            Taken::PassedOver => self.device.passed_over += 1,
            Taken::Unknown => return true,
        }
        false
    }

    /// The next word as a number in `range`. A fault says what `what` may be; `None` then, and if
    /// there is no word.
    pub(crate) fn number(
        &mut self,
        words: &mut Words<'_>,
        what: &str,
        range: core::ops::RangeInclusive<u64>,
    ) -> Option<u64> {
        let Some(word) = words.next() else {
            let end = words.rest().at;
            self.fault(
                &faults::MISSING,
                end..end,
                format!("{what} is missing"),
                &format!("write {what}, {} to {}", range.start(), range.end()),
            );
            return None;
        };
        self.within(word, what, range)
    }

    fn within(
        &mut self,
        word: Word<'_>,
        what: &str,
        range: core::ops::RangeInclusive<u64>,
    ) -> Option<u64> {
        let value: Option<u64> = word.text.parse().ok();
        if let Some(v) = value.filter(|v| range.contains(v)) {
            return Some(v);
        }
        let why = match value {
            Some(_) => format!("{what} {} is out of range", word.text),
            None => format!("`{}` is no number; {what} is one", shortened(word.text)),
        };
        self.fault(
            &faults::RANGE,
            word.span(),
            why,
            &format!(
                "{what} is a whole number from {} to {}",
                range.start(),
                range.end()
            ),
        );
        None
    }

    /// All numbers that follow, `0-3` and `0,1` allowed, up to the first word that is none. `None`
    /// after a fault.
    pub(crate) fn numbers(
        &mut self,
        words: &mut Words<'_>,
        what: &str,
        range: core::ops::RangeInclusive<u64>,
    ) -> Option<Vec<u64>> {
        let mut list = Vec::new();
        let mut good = true;
        while let Some(word) = words.peek().filter(|w| is_numeric(w.text)) {
            words.next();
            let mut at = word.at;
            for part in word.text.split(',').filter(|p| !p.is_empty()) {
                let piece = |text| Word { text, at };
                let ends =
                    match part.split_once('-') {
                        None => self
                            .within(piece(part), what, range.clone())
                            .map(|v| (v, v)),
                        Some((a, b)) => self
                            .within(piece(a), what, range.clone())
                            .zip(self.within(piece(b), what, range.clone())),
                    };
                at += part.len() + 1;
                match ends {
                    Some((a, b)) => list.extend(a..=b),
                    None => good = false,
                }
                if list.len() > MOST_NUMBERS {
                    return None;
                }
            }
        }
        if list.is_empty() && good {
            let end = words.rest().at;
            self.fault(
                &faults::MISSING,
                end..end,
                format!("{what} is missing"),
                &format!(
                    "write one or more, each {} to {}",
                    range.start(),
                    range.end()
                ),
            );
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
        let message = match note {
            true => format!(
                "`{}`: no comment may follow a command; the switch refuses the whole line",
                shortened(rest.text)
            ),
            false => format!(
                "`{}` is no part of this command; the switch refuses the whole line",
                shortened(rest.text)
            ),
        };
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
                format!("`{}` is no command", shortened(content)),
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

/// At most 60 characters of its first line.
pub(crate) fn shortened(text: &str) -> String {
    let text = text.lines().next().unwrap_or_default();
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Reads what stands inside an interface.
pub(crate) fn section(reader: &mut Reader, tree: &Tree<'_>, header: usize, targets: &[usize]) {
    for line in tree.inside(Some(header)) {
        let entry = &tree.lines()[line];
        let (content, at) = (tree.content(line), entry.span.start);
        match entry.kind {
            Kind::Comment => interface::note(reader, content, at, targets),
            Kind::Statement => {
                let taken = interface::statement(reader, tree, line, targets);
                if reader.count(taken) && !reader.is_prose(content, at) {
                    let place = reader.place(entry.span.clone());
                    for target in targets {
                        reader.device.interfaces[*target]
                            .unknown
                            .push(place.clone());
                    }
                }
            }
            Kind::Blank | Kind::Leave | Kind::Blob => {}
        }
    }
}
