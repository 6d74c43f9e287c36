//! What was said: numbers and words, of whom and where.

use super::Facts;
use crate::fact::{Fact, Figure, Of, Place, Value};

impl Facts {
    /// Adds a number.
    pub(crate) fn number(&mut self, of: Of, name: &'static str, figure: Figure) {
        let at = figure.from.first().copied().unwrap_or(Place::You);
        if figure.value.is_finite() {
            self.latest.insert((of, name), self.facts.len());
            self.facts.push(Fact {
                name,
                value: Value::Number(figure),
                of,
                at,
            });
        }
    }

    /// Adds an exact number.
    pub(crate) fn exact(&mut self, of: Of, name: &'static str, value: f64, at: Place) {
        self.number(of, name, Figure::exact(value, at));
    }

    /// Adds a word.
    pub(crate) fn word(&mut self, of: Of, name: &'static str, word: &str, at: Place) {
        self.latest.insert((of, name), self.facts.len());
        self.facts.push(Fact {
            name,
            value: Value::Word(crate::redact(word)),
            of,
            at,
        });
    }

    /// Adds a word, unless one of this name was said of the path.
    pub(crate) fn word_once(&mut self, name: &'static str, word: &str, at: Place) {
        if self.latest(Of::Path, name).is_none() {
            self.word(Of::Path, name, word, at);
        }
    }

    /// The last fact of this name said of someone.
    pub(crate) fn latest(&self, of: Of, name: &'static str) -> Option<&Fact> {
        self.latest
            .get(&(of, name))
            .and_then(|n| self.facts.get(*n))
    }

    /// The last word of this name said of someone, and where.
    pub(crate) fn latest_word(&self, of: Of, name: &'static str) -> Option<(&str, Place)> {
        let fact = self.latest(of, name)?;
        Some((fact.word()?, fact.at))
    }

    /// The words of this name, each with its fact, in the order of the texts.
    pub(crate) fn all_words(&self, name: &str) -> impl Iterator<Item = (&Fact, &str)> {
        let named = self.facts.iter().filter(move |f| f.name == name);
        named.filter_map(|fact| Some((fact, fact.word()?)))
    }
}
