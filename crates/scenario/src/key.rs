//! What a key is: the one description that decoding, `--set`, the JSON Schema and the reference
//! page all read, so that they cannot disagree.

/// A table of the format, such as `[[link]]`.
pub(crate) struct Section {
    /// Its name in the text.
    pub(crate) name: &'static str,
    /// One sentence for the reference and the editor.
    pub(crate) doc: &'static str,
    /// Its keys, in the order the reference prints them.
    pub(crate) keys: &'static [Key],
}

/// One key of a section.
#[derive(Clone, Copy)]
pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) doc: &'static str,
    pub(crate) required: bool,
    /// What an absent key means, in words or as a value; empty when absence means nothing.
    pub(crate) default: &'static str,
    /// The values of `kind = …` this key belongs to; empty: all.
    pub(crate) only: &'static [&'static str],
    /// A key that says the same in another way: both at once is an error, and `--set` of one
    /// removes the other.
    pub(crate) instead_of: &'static str,
}

/// What a key's value may be.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// Free text.
    Text,
    /// A name: `[A-Za-z0-9_-]+`.
    Name,
    /// `true` or `false`.
    Bool,
    /// A whole number.
    Int { min: i64, max: i64 },
    /// A whole number of bytes, bare or with a unit: MTUs and packet sizes.
    Octets { min: i64, max: i64 },
    /// A length of time.
    Span { zero: bool },
    /// A rate.
    Rate,
    /// A size with a unit.
    Size { max: u64 },
    /// A number of bytes as `/proc` prints it, or with a unit.
    Sysctl,
    /// Three of them in one string.
    SysctlTriple,
    /// A ratio in [0, 1].
    Ratio,
    /// A plain number above `above` and at most `max`.
    Number { above: f64, max: f64 },
    /// A bit error rate in [0, 1).
    BitErrorRate,
    /// What may wait.
    Queue,
    /// A DSCP name or the TOS byte.
    Class,
    /// One code point of at most `max` or a list of them; `names`: of DSCPs, too.
    Codes { max: u8, names: bool },
    /// A framing, or a signal that brings one and a rate.
    Framing,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// One of these congestion controls, or `bpf:` and the name of an object file.
    Control(&'static [&'static str]),
    /// Several of these words.
    Choices(&'static [&'static str]),
    /// The name of a thing elsewhere in the file.
    Ref(&'static str),
    /// Several such names; `min` and `max` say how many.
    Refs {
        of: &'static str,
        min: usize,
        max: usize,
    },
    /// Several texts.
    Texts,
    /// A bound of an expectation: a number or a quantity.
    Bound,
    /// A table inside.
    Table(&'static Section),
    /// A table inside, or an array of them.
    Tables(&'static Section),
    /// A table whose keys are `--set` paths and whose values are literals.
    Point,
}

impl Kind {
    /// Whether a list is a value of this kind.
    pub(crate) fn takes_lists(&self) -> bool {
        matches!(
            self,
            Kind::Codes { .. }
                | Kind::Choices(_)
                | Kind::Refs { .. }
                | Kind::Texts
                | Kind::Tables(_)
        )
    }
}

/// An MTU, bytes.
pub(crate) const MTU: Kind = Kind::Octets {
    min: 68,
    max: 65_535,
};

/// A time, zero among them, and one above.
pub(crate) const TIME: Kind = Kind::Span { zero: true };
pub(crate) const POSITIVE_TIME: Kind = Kind::Span { zero: false };

/// A size without a bound.
pub(crate) const ANY_SIZE: Kind = Kind::Size { max: u64::MAX };

/// Largest TCP window: 65 535 shifted by 14 (RFC 7323 §2.3).
const LARGEST_WINDOW: u64 = 65_535 << 14;

/// A TCP window.
pub(crate) const WINDOW: Kind = Kind::Size {
    max: LARGEST_WINDOW,
};

/// How many, one at least.
pub(crate) const COUNT: Kind = Kind::Int {
    min: 1,
    max: 1_000_000_000,
};

/// A key of that name and kind; everything else at its default.
pub(crate) const fn key(name: &'static str, kind: Kind, doc: &'static str) -> Key {
    Key {
        name,
        kind,
        doc,
        required: false,
        default: "",
        only: &[],
        instead_of: "",
    }
}

/// Lists of keys, one after the other: `N` in all.
pub(crate) const fn joined<const N: usize>(lists: &[&[Key]]) -> [Key; N] {
    let mut all = [lists[0][0]; N];
    let (mut list, mut at) = (0, 0);
    while list < lists.len() {
        let mut n = 0;
        while n < lists[list].len() {
            all[at] = lists[list][n];
            (n, at) = (n + 1, at + 1);
        }
        list += 1;
    }
    assert!(at == N, "N is not how many there are");
    all
}

impl Key {
    pub(crate) const fn required(mut self) -> Key {
        self.required = true;
        self
    }

    pub(crate) const fn default(mut self, default: &'static str) -> Key {
        self.default = default;
        self
    }

    pub(crate) const fn only(mut self, only: &'static [&'static str]) -> Key {
        self.only = only;
        self
    }

    pub(crate) const fn instead_of(mut self, other: &'static str) -> Key {
        self.instead_of = other;
        self
    }

    /// What to do about it in a table of a `kind` that it is not of.
    pub(crate) fn elsewhere(&self, kind: &str) -> String {
        match (self.name, kind) {
            // What no clock ends may end by its number.
            ("duration", "ping" | "oneway") => {
                "write `count` instead, one each `interval`".to_owned()
            }
            _ => format!("remove it, or change the kind from \"{kind}\""),
        }
    }
}

impl Section {
    /// The key of that name.
    pub(crate) fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|k| k.name == name)
    }

    /// Every value `kind` may take, or nothing when the section has no such key.
    pub(crate) fn variants(&self) -> &'static [&'static str] {
        match self.key("kind").map(|k| &k.kind) {
            Some(Kind::Choice(words)) => words,
            _ => &[],
        }
    }
}
