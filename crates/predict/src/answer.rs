//! One predicted figure with everything needed to doubt it.

use serde::{Serialize, Serializer};

/// A predicted figure: what it is, how it was reached, and how far it may be trusted.
/// Serialises to an entry of `results` in `farpath.predict/1`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answer {
    /// The figure's name, its unit last: `bdp_bytes`.
    pub name: &'static str,
    /// The figure.
    pub value: Value,
    /// The unit in words a person reads: `B`, `bit/s`, `s`; empty for text and pure numbers.
    pub unit: &'static str,
    /// The formula, in the symbols its source uses.
    pub formula: &'static str,
    /// The document the formula comes from, with its section.
    pub source: &'static str,
    /// What the reader should know about this value; empty when there is nothing to say.
    pub note: String,
    /// Where the formula holds.
    pub range: &'static str,
}

/// The value of an [`Answer`].
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A finite number.
    Number(f64),
    /// A word, such as what limits a path.
    Text(String),
    /// Nothing: an input is missing, or the formula has no value here.
    Null,
}

impl Value {
    /// The number, if it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Number(x) => Some(*x),
            _ => None,
        }
    }

    /// The word, if it is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl From<f64> for Value {
    /// A number; what is not finite becomes [`Value::Null`], because JSON has no word for it.
    fn from(x: f64) -> Value {
        if x.is_finite() {
            Value::Number(x)
        } else {
            Value::Null
        }
    }
}

impl From<Option<f64>> for Value {
    fn from(x: Option<f64>) -> Value {
        x.map_or(Value::Null, Value::from)
    }
}

impl Serialize for Value {
    /// Whole numbers without a fraction (`145000000`), as a reader of JSON expects of bytes.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Above 2^53 not every whole number is a double; those keep the float form.
        const EXACT: f64 = 9_007_199_254_740_992.0;
        match self {
            Value::Number(x) if x.abs() <= EXACT && libm::trunc(*x) == *x => {
                serializer.serialize_i64(*x as i64)
            }
            Value::Number(x) => serializer.serialize_f64(*x),
            Value::Text(text) => serializer.serialize_str(text),
            Value::Null => serializer.serialize_none(),
        }
    }
}

/// An answer in the making: name, value and unit are given, the rest follows.
pub(crate) fn answer(name: &'static str, value: impl Into<Value>, unit: &'static str) -> Answer {
    Answer {
        name,
        value: value.into(),
        unit,
        formula: "",
        source: "",
        note: String::new(),
        range: "",
    }
}

impl Answer {
    pub(crate) fn by(mut self, formula: &'static str, source: &'static str) -> Answer {
        self.formula = formula;
        self.source = source;
        self
    }

    pub(crate) fn holds(mut self, range: &'static str) -> Answer {
        self.range = range;
        self
    }

    /// Adds a sentence to the note.
    pub(crate) fn note(mut self, sentence: impl AsRef<str>) -> Answer {
        let sentence = sentence.as_ref();
        if !sentence.is_empty() {
            if !self.note.is_empty() {
                self.note.push(' ');
            }
            self.note.push_str(sentence);
        }
        self
    }
}
