//! What is wrong with a value from the command line, answered as the command line takes it.

use super::Set;

impl Set {
    /// A remedy that has the key as a file has it, `delay = "5 ms"`, as this option takes it: `--set link.ab.delay=5ms`. Any
    /// other stays as it is.
    pub(crate) fn remedy(&self, text: &str) -> String {
        let names = [self.path.rsplit('.').next(), self.short()];
        let mut names = names.into_iter().flatten();
        let found = names.find_map(|name| self.with_key(name, text));
        found.unwrap_or_else(|| text.to_owned())
    }

    /// The key of a table of which the option has the value alone: `max` of `--jitter 5ms`.
    fn short(&self) -> Option<&str> {
        let (_, text) = self.option.as_ref()?;
        let is_whole = text.trim_start().starts_with('{') || text.contains(',');
        let inside = self.value.strip_prefix("{ ").filter(|_| !is_whole)?;
        inside.split_once(" = ").map(|(name, _)| name)
    }

    fn with_key(&self, name: &str, text: &str) -> Option<String> {
        let (before, rest) = text.split_once(&format!("{name} = "))?;
        if !before.is_empty() && !before.ends_with([' ', '`']) {
            return None;
        }
        let (value, behind) = first_value(rest);
        let (option, written) = self.written();
        let own = &written[..self.value_at()];
        let word = quoted(&format!("{own}{}", bare(value)));
        let before = before.replace(", as text:", ":");
        Some(format!("{before}{option} {word}{behind}"))
    }
}

/// The value at the start of a text, as a file has it, and what follows.
fn first_value(text: &str) -> (&str, &str) {
    let end = match text.chars().next() {
        Some('"') => text[1..].find('"').map(|at| at + 2),
        Some('{') => text.rfind('}').map(|at| at + 1),
        Some('[') => text.rfind(']').map(|at| at + 1),
        _ => text.find([',', ';', ' ', '`', ')']),
    };
    text.split_at(end.unwrap_or(text.len()))
}

/// A value without the quotes of a file, and without the blank before a unit.
fn bare(value: &str) -> String {
    let inner = value.strip_prefix('"').and_then(|v| v.strip_suffix('"'));
    let inner = inner.unwrap_or(value);
    match inner.split_once(' ') {
        Some((number, unit)) if number.parse::<f64>().is_ok() && !unit.contains(' ') => {
            format!("{number}{unit}")
        }
        _ => inner.to_owned(),
    }
}

/// A word, in single quotes where a shell would not take it as it is.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:=,+@%^".contains(c);
    match word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{word}'"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remedy_is_what_the_option_takes() {
        let set = Set::new("link.ab.delay", "5");
        let text = "write the unit, as text: delay = \"5 ms\"";
        assert_eq!(set.remedy(text), "write the unit: --set link.ab.delay=5ms");
        let queue = Set::new("link.path.queue", "5").of_option("--queue", "5");
        let text = "write queue = \"5 packets\", or less";
        assert_eq!(queue.remedy(text), "write --queue 5packets, or less");
        let there = Set::new("link.path.forward.delay", "5").of_option("--there", "delay=5");
        assert_eq!(
            there.remedy("write delay = \"5 ms\""),
            "write --there delay=5ms"
        );
        let jitter = Set::new("link.path.jitter", "{ max = 5 }").of_option("--jitter", "5");
        assert_eq!(jitter.remedy("write max = \"5 ms\""), "write --jitter 5ms");
        let table = Set::new("link.ab.jitter", "often");
        assert_eq!(
            table.remedy("write jitter = { max = \"58 ms\" }"),
            "write --set 'link.ab.jitter={ max = \"58 ms\" }'"
        );
    }

    /// The end of another key's name is none.
    #[test]
    fn other_remedies_stay_as_they_are() {
        let set = Set::new("test.t.window", "5");
        for text in [
            "write initial_window = 5",
            "write sack = true",
            "keep one of them",
        ] {
            assert_eq!(set.remedy(text), text);
        }
    }
}
