//! Sizes in bytes.

use core::fmt;
use core::str::FromStr;

use crate::text::{Grammar, ParseError, decimal, in_largest_unit, padded, shorten};

/// A number of bytes. `kB MB GB` are decimal, `KiB MiB GiB` binary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Size(u64);

impl Size {
    /// A size from bytes.
    #[inline]
    pub const fn from_bytes(bytes: u64) -> Size {
        Size(bytes)
    }

    /// Bytes.
    #[inline]
    pub const fn as_bytes(self) -> u64 {
        self.0
    }
}

const DECIMAL: &[(&str, u64)] = &[
    ("B", 1),
    ("kB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
];

const BINARY: &[(&str, u64)] = &[
    ("B", 1),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
];

const GRAMMAR: Grammar = Grammar {
    noun: "size",
    units: &[
        ("B", 1),
        ("kB", 1_000),
        ("MB", 1_000_000),
        ("GB", 1_000_000_000),
        ("TB", 1_000_000_000_000),
        ("KiB", 1 << 10),
        ("MiB", 1 << 20),
        ("GiB", 1 << 30),
        ("TiB", 1 << 40),
    ],
    listed: "B kB MB GB TB, or KiB MiB GiB TiB",
    plain: |_| "B",
    example: "64 MiB",
    finest: "a byte",
    largest: "18446744.073709551615 TB",
    lesson: size_lesson,
};

fn size_lesson(number: &str, unit: &str) -> Option<String> {
    let n = shorten(number);
    match unit {
        "k" | "K" => Some(format!(
            "is that {n} kB (1000 B each) or {n} KiB (1024 B each)? write one of them"
        )),
        "M" | "G" | "T" => Some(format!(
            "is that {n} {unit}B (decimal) or {n} {unit}iB (binary, {} % more)? write one of them",
            match unit {
                "M" => "4.9",
                "G" => "7.4",
                _ => "10",
            }
        )),
        "KB" => Some(format!(
            "write `{n} kB` for 1000 B each or `{n} KiB` for 1024 B each"
        )),
        "kiB" => Some(format!("write `{n} KiB`")),
        "b" | "kb" | "Kb" | "Mb" | "Gb" | "Tb" | "bit" | "kbit" | "Mbit" | "Gbit" | "Tbit" => {
            Some(format!(
                "`{unit}` is bits; a size is in bytes, an eighth as many: write B kB MB GB, or KiB MiB GiB"
            ))
        }
        _ if unit.ends_with("/s") || unit.ends_with("ps") => Some(
            "that is a rate; a size is in bytes, without `per second`, such as `64 MiB`".to_owned(),
        ),
        _ => None,
    }
}

impl FromStr for Size {
    type Err = ParseError;

    /// Reads `9000 B`, `145 MB` (decimal) or `64MiB` (binary).
    fn from_str(text: &str) -> Result<Size, ParseError> {
        GRAMMAR.read(text).map(Size)
    }
}

impl fmt::Display for Size {
    /// Below 10 000 bytes in `B`; otherwise decimal or binary, whichever is shorter.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 < 10_000 {
            return padded(f, &format!("{} B", self.0));
        }
        let tens = in_largest_unit(self.0, DECIMAL, f.precision());
        let short = |(name, worth): &(&str, u64)| {
            // Three decimals or fewer: 1.5 MiB, but not 1.00006103515625 MiB.
            let few = (u128::from(self.0) * 1000).is_multiple_of(u128::from(*worth));
            (self.0 >= *worth && few).then(|| format!("{} {name}", decimal(self.0, *worth, None)))
        };
        let full = in_largest_unit(self.0, DECIMAL, None);
        let twos = BINARY.iter().skip(1).rev().find_map(short);
        match twos {
            Some(twos) if twos.len() < full.len() => padded(f, &twos),
            _ => padded(f, &tens),
        }
    }
}
