//! What a text itself sets aside: a line such as `(other ticket, ignore)` above what a host printed.

use std::collections::BTreeSet;

use super::moments;

/// What is set aside.
#[derive(Clone, Debug, Default)]
pub(crate) struct Aside {
    /// A line said so, and what it set aside is not over.
    open: bool,
    /// The name at the first prompt below that line, once there was one.
    first: Option<String>,
    /// The hosts whose texts stand below such lines.
    hosts: BTreeSet<u32>,
    /// Those of what several hosts printed below one prompt.
    mixed: BTreeSet<u32>,
}

/// Words that make of what they stand before another matter, and what that is called.
const OTHER: [&str; 4] = ["other", "another", "different", "separate"];
const MATTERS: [&str; 4] = ["ticket", "tickets", "incident", "case"];

/// Words that say the opposite of a line.
const NOT: [&str; 4] = ["not", "no", "never", "same"];

/// Longest line that is weighed, words.
const WORDS_MAX: usize = 20;

impl Aside {
    /// A line that no tool printed and nobody typed.
    pub(super) fn line(&mut self, text: &str) {
        if sets_aside(text) {
            self.open = true;
            self.first = None;
        }
    }

    /// Something was typed at a prompt of this name, which may be empty: what was set aside is over at the second name.
    pub(super) fn prompt(&mut self, name: &str) {
        if self.open {
            let first = self.first.get_or_insert_with(|| name.to_owned());
            self.open = first.as_str() == name;
        }
    }

    /// Another text begins.
    pub(super) fn ends(&mut self) {
        self.open = false;
    }

    /// Whether what is read now is set aside.
    pub(super) fn is_open(&self) -> bool {
        self.open
    }

    /// The text of a host of this number begins.
    pub(super) fn host(&mut self, host: u32) {
        if self.open {
            self.hosts.insert(host);
        }
    }

    /// What several hosts printed goes by this number.
    pub(super) fn mixes(&mut self, host: u32) {
        self.mixed.insert(host);
    }

    /// Whether what goes by this number may be of several hosts.
    pub(crate) fn is_mixed(&self, host: u32) -> bool {
        self.mixed.contains(&host)
    }

    /// Whether the text of a host stands below such a line.
    pub(crate) fn has(&self, host: u32) -> bool {
        self.hosts.contains(&host)
    }
}

/// Words between `not` and what something is not of, and what that is.
const OF: [&str; 7] = ["on", "of", "part", "in", "for", "this", "the"];
const HERE: [&str; 5] = ["path", "ticket", "incident", "case", "flow"];

/// Whether a line says that what follows belongs to another matter.
fn sets_aside(text: &str) -> bool {
    let words = moments::words(text);
    let is = |list: &[&str], word: &String| list.contains(&word.as_str());
    let pairs = |two: &[String]| is(&OTHER, &two[0]) && is(&MATTERS, &two[1]);
    let unrelated = words.iter().any(|w| w == "unrelated");
    // That something is not of this ticket, or not on this path, denies nothing.
    let elsewhere = |at: usize| words[at] == "not" && is_not_of_here(&words[at + 1..]);
    let mut denials = (0..words.len()).filter(|at| is(&NOT, &words[*at]));
    let denied = denials.any(|at| !elsewhere(at));
    let heads = text.trim_end().ends_with(':') && (0..words.len()).any(elsewhere);
    let other = unrelated || heads || words.windows(2).any(pairs);
    words.len() <= WORDS_MAX && !denied && other
}

/// Whether words behind a `not` go on with what is here: `on this path`, `this ticket`.
fn is_not_of_here(words: &[String]) -> bool {
    let between = words.iter().take_while(|w| OF.contains(&w.as_str()));
    let between = between.count();
    let here = words.get(between);
    between > 0 && here.is_some_and(|w| HERE.contains(&w.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_sets_aside_what_the_host_below_it_prints() {
        for text in [
            "(other ticket, my web server here is at full load, ignore)",
            "### from another ticket:",
            "unrelated, of web77:",
            "FYI, other ticket, web server www3, not on this path:",
            "not this ticket - the mail server:",
        ] {
            assert!(sets_aside(text), "{text}");
        }
        for text in [
            "this is not another ticket",
            "the drops are not on this path",
            "not this ticket? it may be another ticket, or not:",
            "not the receiver:",
            "the other end, same ticket",
            "on the other host",
            "hi, is this ok? it should be 10G",
        ] {
            assert!(!sets_aside(text), "{text}");
        }
        let mut aside = Aside::default();
        aside.host(0);
        aside.line("(other ticket)");
        aside.prompt("web77");
        aside.host(1);
        aside.prompt("web77");
        aside.host(2);
        aside.prompt("pc1");
        aside.host(3);
        let all = [0, 1, 2, 3].map(|host| aside.has(host));
        assert_eq!(all, [false, true, true, false]);
    }
}
