//! What is wrong with a text, where, why, and what to write instead.

use core::fmt;
use core::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::other_word;

/// A place in one of the texts of a [`Diagnostics`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Which text: 0 is the scenario, the others are `--set` arguments.
    pub text: usize,
    /// Bytes in that text.
    pub span: Range<usize>,
    /// What is to be said about this place; may be empty.
    pub label: String,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The fault in one line.
    pub title: String,
    /// The place of the fault, then other places that have to do with it.
    pub places: Vec<Place>,
    /// What to do about it, one line each.
    pub remedies: Vec<String>,
}

impl Place {
    /// A place in the first text, of which nothing is said.
    pub(crate) fn of(span: Range<usize>) -> Place {
        Place {
            text: 0,
            span,
            label: String::new(),
        }
    }
}

impl Diagnostic {
    /// A fault at a place in the scenario's text.
    pub(crate) fn new(span: Range<usize>, title: impl Into<String>) -> Diagnostic {
        Diagnostic {
            title: title.into(),
            places: vec![Place::of(span)],
            remedies: Vec::new(),
        }
    }

    /// Says something about the place of the fault.
    pub(crate) fn label(mut self, label: impl Into<String>) -> Diagnostic {
        if let Some(first) = self.places.first_mut() {
            first.label = label.into();
        }
        self
    }

    /// Points at a second place.
    pub(crate) fn see(mut self, span: Range<usize>, label: impl Into<String>) -> Diagnostic {
        self.places.push(Place {
            text: 0,
            span,
            label: label.into(),
        });
        self
    }

    /// Says what to do.
    pub(crate) fn help(mut self, remedy: impl Into<String>) -> Diagnostic {
        self.remedies.push(remedy.into());
        self
    }

    /// Fault and remedies in one line, without the place.
    pub(crate) fn in_a_line(&self) -> String {
        let remedies = self.remedies.iter().map(|r| format!(": {r}"));
        self.title.clone() + &remedies.collect::<String>()
    }

    /// Suggests those of `known` that only go on after `wrong`, as a metric does with its unit, the one that other tools call so, or the
    /// nearest; lists them all when none is near.
    pub(crate) fn suggest<'a>(
        self,
        wrong: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Diagnostic {
        let known: Vec<&str> = known.into_iter().collect();
        let longer = |k: &&str| {
            let rest = k.strip_prefix(wrong);
            !wrong.is_empty() && rest.is_some_and(|rest| rest.starts_with('_'))
        };
        let longer: Vec<String> = known
            .iter()
            .copied()
            .filter(longer)
            .map(|k| format!("`{k}`"))
            .collect();
        if let [most @ .., last] = &longer[..] {
            let or = if most.is_empty() { "" } else { " or " };
            return self.help(format!("did you mean {}{or}{last}?", most.join(", ")));
        }
        if let Some(remedy) = other_word::remedy(wrong, &known) {
            return self.help(remedy);
        }
        let near = nearest(wrong, &known).or_else(|| nearest_stem(wrong, &known));
        if let Some(near) = near {
            return self.help(format!("did you mean `{near}`?"));
        }
        let (listed, more) = match known.len() {
            0 => return self,
            // One more takes no more room than its count. The keys of a link or a test fit.
            n @ 1..=61 => (n, String::new()),
            n => (60, format!(" and {} more", n - 60)),
        };
        let list = format!("known here: {}{more}", known[..listed].join(", "));
        self.help(wrapped(&list))
    }
}

/// Text of unknown length, as far as it helps in a message.
pub(crate) fn shorten(text: &str) -> String {
    let clean: String = text
        .chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .take(61)
        .collect();
    if clean.chars().count() > 60 {
        clean.chars().take(57).chain("...".chars()).collect()
    } else {
        clean
    }
}

/// A list broken at blanks, to lines of at most 72 characters where its words allow.
pub(crate) fn wrapped(list: &str) -> String {
    let mut lines = vec![String::new()];
    for word in list.split(' ') {
        let line = lines.last_mut().expect("the first");
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > 72 {
            lines.push(word.to_owned());
        } else {
            let blank = if line.is_empty() { "" } else { " " };
            line.push_str(&format!("{blank}{word}"));
        }
    }
    lines.join("\n")
}

/// The name of `known` that `wrong` was probably meant to be: two letters in three are right.
pub fn nearest<'a>(wrong: &str, known: &[&'a str]) -> Option<&'a str> {
    // A long mutated string is nobody's typing error, and edit distance is quadratic.
    if wrong.len() > 80 {
        return None;
    }
    let wrong = wrong.to_lowercase();
    known
        .iter()
        .map(|k| (strsim::damerau_levenshtein(&wrong, &k.to_lowercase()), *k))
        .filter(|(edits, k)| edits * 3 <= k.len().max(wrong.len()))
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, k)| k)
}

/// The name of `known` that `wrong` is without its unit, but for a letter: `goodputt` of `goodput_bps`. A short one may be anything.
fn nearest_stem<'a>(wrong: &str, known: &[&'a str]) -> Option<&'a str> {
    const LEAST: usize = 5;
    let is_near = |name: &&&str| {
        let stem = name.rsplit_once('_').map_or("", |(stem, _)| stem);
        let is_long = stem.len() >= LEAST && wrong.len() <= 2 * stem.len();
        is_long && strsim::damerau_levenshtein(wrong, stem) == 1
    };
    known.iter().find(is_near).copied()
}

/// Everything that is wrong with a scenario, ready to print.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostics {
    /// Name and text of the scenario, then of each `--set` argument.
    pub texts: Vec<(String, String)>,
    /// The faults, by place; at most [`Diagnostics::MOST`] are kept.
    pub faults: Vec<Diagnostic>,
    /// How many there were in all.
    pub total: usize,
}

impl Diagnostics {
    /// How many faults are kept: more than that help nobody.
    pub const MOST: usize = 30;

    /// Orders `faults` by place and keeps the first ones.
    pub(crate) fn new(texts: Vec<(String, String)>, mut faults: Vec<Diagnostic>) -> Diagnostics {
        faults.sort_by_key(|f| f.places.first().map(|p| (p.text, p.span.start)));
        faults.dedup();
        let total = faults.len();
        faults.truncate(Diagnostics::MOST);
        Diagnostics {
            texts,
            faults,
            total,
        }
    }

    /// Adds what is wrong with the same scenario under other settings; a fault of both is kept once.
    pub fn add(&mut self, other: Diagnostics) {
        let mut numbers = Vec::new();
        for text in other.texts {
            let known = self.texts.iter().position(|t| *t == text);
            numbers.push(known.unwrap_or_else(|| {
                self.texts.push(text);
                self.texts.len() - 1
            }));
        }
        let hidden = other.total - other.faults.len();
        let before = self.faults.len();
        for mut fault in other.faults {
            for place in &mut fault.places {
                place.text = numbers.get(place.text).copied().unwrap_or_default();
            }
            if !self.faults.contains(&fault) {
                self.faults.push(fault);
            }
        }
        self.total += self.faults.len() - before + hidden;
        self.faults.truncate(Diagnostics::MOST);
    }

    /// Line and column of a place, both from 1; the column counts characters.
    pub fn line_column(&self, place: &Place) -> (usize, usize) {
        let text = self.texts.get(place.text).map_or("", |t| t.1.as_str());
        let before = &text[..boundary(text, place.span.start)];
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        (
            before.matches('\n').count() + 1,
            before[line_start..].chars().count() + 1,
        )
    }

    /// All faults as text, with the lines they are about; `colour` adds terminal escapes.
    pub fn render(&self, colour: bool) -> String {
        let renderer = if colour {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        let mut out = self.drawn(&renderer, &Level::ERROR);
        let hidden = self.total - self.faults.len();
        let more = if hidden > 0 {
            format!(" ({hidden} not shown)")
        } else {
            String::new()
        };
        let plural = if self.total == 1 { "" } else { "s" };
        let names = self.faulty().join(", ");
        out.push_str(&format!("{} error{plural} in {names}{more}\n", self.total));
        out
    }

    /// The names of the texts that have a fault, each once; the scenario's where no fault has a place.
    fn faulty(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        let firsts = self.faults.iter().filter_map(|f| f.places.first());
        for place in firsts {
            let name = self.texts.get(place.text).map(|t| t.0.as_str());
            names.extend(name.filter(|name| !names.contains(name)));
        }
        if names.is_empty() {
            names.extend(self.texts.first().map(|t| t.0.as_str()));
        }
        names
    }

    /// All of them as warnings: what is right, and does nothing.
    pub fn render_warnings(&self, colour: bool) -> String {
        let renderer = match colour {
            true => Renderer::styled(),
            false => Renderer::plain(),
        };
        self.drawn(&renderer, &Level::WARNING)
    }

    /// Each in one line: file, line, what it is, what to do.
    pub fn lines(&self) -> Vec<String> {
        let one = |fault: &Diagnostic| {
            let place = fault.places.first().map(|p| {
                let name = self.texts.get(p.text).map_or("", |t| t.0.as_str());
                format!("{name}:{}: ", self.line_column(p).0)
            });
            place.unwrap_or_default() + &fault.in_a_line()
        };
        self.faults.iter().map(one).collect()
    }

    fn drawn(&self, renderer: &Renderer, level: &'static Level<'static>) -> String {
        let one = |fault| renderer.render(&[self.group(fault, level)]) + "\n\n";
        self.faults.iter().map(one).collect()
    }

    fn group<'a>(&'a self, fault: &'a Diagnostic, level: &'static Level<'static>) -> Group<'a> {
        let mut group = Group::with_title(level.clone().primary_title(fault.title.as_str()));
        let mut done: Vec<usize> = Vec::new();
        for place in &fault.places {
            if done.contains(&place.text) {
                continue;
            }
            done.push(place.text);
            let Some((name, text)) = self.texts.get(place.text) else {
                continue;
            };
            let mut snippet = Snippet::source(text.as_str()).path(name.as_str());
            for (i, p) in fault
                .places
                .iter()
                .enumerate()
                .filter(|(_, p)| p.text == place.text)
            {
                let kind = if i == 0 {
                    AnnotationKind::Primary
                } else {
                    AnnotationKind::Context
                };
                let span =
                    boundary(text, p.span.start)..boundary(text, p.span.end.max(p.span.start));
                let label = (!p.label.is_empty()).then_some(p.label.as_str());
                snippet = snippet.annotation(kind.span(span).label(label));
            }
            group = group.element(snippet);
        }
        for remedy in &fault.remedies {
            group = group.element(Level::HELP.message(remedy.as_str()));
        }
        group
    }
}

/// The nearest character boundary at or before `at`.
fn boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for Diagnostics {}
