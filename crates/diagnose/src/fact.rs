//! Facts: what a line of a text said, of whom.

/// A number and between what it may lie: what was printed was rounded.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// The value.
    pub value: f64,
    /// The least it may be.
    pub low: f64,
    /// The most it may be.
    pub high: f64,
    /// Where it was read, at most [`PLACES`] of them.
    pub from: Vec<Place>,
}

/// Most places that a figure names.
pub(crate) const PLACES: usize = 8;

/// Where a fact was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// An option of the command line.
    You,
    /// A line, from 1, of the source of this number.
    Line(u32, u32),
    /// The connection of this number, from 1, in the capture that is the source of this number.
    Connection(u32, u64),
}

impl Place {
    /// The number of its text or capture.
    pub(crate) fn source(self) -> Option<u32> {
        match self {
            Place::Line(source, _) | Place::Connection(source, _) => Some(source),
            Place::You => None,
        }
    }

    /// How many lines of one text it stands below another; none above it, or elsewhere.
    pub(crate) fn lines_below(self, above: Place) -> Option<u32> {
        match (above, self) {
            (Place::Line(source, first), Place::Line(same, line)) if source == same => {
                line.checked_sub(first)
            }
            _ => None,
        }
    }
}

/// Whom a fact is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Of {
    /// The path between the ends.
    Path,
    /// The path to the host that was pinged, by the number of the ping.
    Ping(u32),
    /// The host whose text was pasted in the piece of this number.
    Host(u32),
    /// The host that sends.
    Sender,
    /// The host that receives.
    Receiver,
    /// The socket of this number, as the kernel of its host sees it.
    Socket(u32),
}

/// A value as it was printed.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number; its unit ends the name of the fact.
    Number(Figure),
    /// A word of a known set: the name of a congestion control, of a system.
    Word(String),
}

/// What a line of a text said.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// Name with its unit last, such as `rtt_min_ns`.
    pub name: &'static str,
    /// The value.
    pub value: Value,
    /// Whom it is about.
    pub of: Of,
    /// Where it was read.
    pub at: Place,
}

impl Fact {
    /// Its number, if it is one.
    pub(crate) fn number(&self) -> Option<&Figure> {
        match &self.value {
            Value::Number(figure) => Some(figure),
            Value::Word(_) => None,
        }
    }

    /// Its word, if it is one.
    pub(crate) fn word(&self) -> Option<&str> {
        match &self.value {
            Value::Word(word) => Some(word),
            Value::Number(_) => None,
        }
    }
}

impl Figure {
    /// A number that is exact.
    pub fn exact(value: f64, at: Place) -> Figure {
        Figure::between(value, value, value, at)
    }

    /// A number between two others.
    pub fn between(value: f64, low: f64, high: f64, at: Place) -> Figure {
        Figure {
            value,
            low: low.min(value),
            high: high.max(value),
            from: vec![at],
        }
    }

    /// The same, in another unit.
    pub fn times(&self, factor: f64) -> Figure {
        Figure {
            value: self.value * factor,
            low: self.low * factor,
            high: self.high * factor,
            from: self.from.clone(),
        }
    }

    /// Both: the mean of the values, and bounds that hold both.
    pub fn with(&self, other: &Figure) -> Figure {
        let mut from = self.from.clone();
        for place in &other.from {
            if from.len() < PLACES && !from.contains(place) {
                from.push(*place);
            }
        }
        Figure {
            value: f64::midpoint(self.value, other.value),
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            from,
        }
    }

    /// The sum of two.
    pub(crate) fn plus(&self, other: &Figure) -> Figure {
        Figure {
            value: self.value + other.value,
            low: self.low + other.low,
            high: self.high + other.high,
            ..self.with(other)
        }
    }

    /// This over another that is above zero, bounds at their worst.
    pub fn over(&self, other: &Figure) -> Figure {
        let mut both = self.with(other);
        both.value = self.value / other.value;
        both.low = self.low / other.high;
        both.high = self.high / other.low;
        both
    }
}
