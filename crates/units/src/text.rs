//! Reading and printing quantities: a decimal number, a unit, and a lesson when either is wrong.
//!
//! Reading is exact: the digits are never passed through a float, and a value that is not a whole
//! number of the type's base unit (a picosecond, a bit per second, a byte, a metre) is refused
//! rather than rounded. Printing picks the unit and prints every digit, so that what was printed
//! reads back as the same value; a precision (`{:.3}`) rounds for people and no longer reads back.

use core::fmt;

/// Why a quantity was refused; the message says what to write instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseError {
    /// The text does not begin with a decimal number.
    #[error("`{text}` is not a {noun}: write a number and a unit, such as `{example}`")]
    NotANumber {
        /// What was being read, such as "rate".
        noun: &'static str,
        /// The text, shortened if it was long.
        text: String,
        /// A well-formed quantity of this kind.
        example: &'static str,
    },
    /// The number uses a comma.
    #[error(
        "`{text}`: write the decimal sign as a point and leave out separators, such as `{example}`"
    )]
    Comma {
        /// The text, shortened if it was long.
        text: String,
        /// A well-formed quantity of this kind.
        example: &'static str,
    },
    /// The number is below zero.
    #[error("`{text}`: a {noun} cannot be negative")]
    Negative {
        /// What was being read.
        noun: &'static str,
        /// The text, shortened if it was long.
        text: String,
    },
    /// The number stands alone.
    #[error("`{text}` has no unit: a {noun} needs one ({units}), such as `{example}`")]
    NoUnit {
        /// What was being read.
        noun: &'static str,
        /// The text, shortened if it was long.
        text: String,
        /// The units this kind takes.
        units: &'static str,
        /// A well-formed quantity of this kind.
        example: String,
    },
    /// The unit is not one of this kind.
    #[error("`{text}`: {lesson}")]
    Unit {
        /// The text, shortened if it was long.
        text: String,
        /// What the unit means, if anything, and what to write instead.
        lesson: String,
    },
    /// The value is not a whole number of the base unit.
    #[error("`{text}` is finer than {finest}, the smallest step of a {noun}")]
    TooFine {
        /// What was being read.
        noun: &'static str,
        /// The text, shortened if it was long.
        text: String,
        /// The base unit.
        finest: &'static str,
    },
    /// The value does not fit.
    #[error("`{text}` is too large: the largest {noun} is {largest}")]
    TooLarge {
        /// What was being read.
        noun: &'static str,
        /// The text, shortened if it was long.
        text: String,
        /// The greatest value of this kind.
        largest: &'static str,
    },
    /// A rate of zero.
    #[error(
        "`{text}`: a rate is never zero; a link that carries nothing is down, which is a state"
    )]
    ZeroRate {
        /// The text, shortened if it was long.
        text: String,
    },
    /// A ratio outside 0 to 1.
    #[error("`{text}` is outside 0 to 1: a ratio is at most 1, or 100 %")]
    RatioRange {
        /// The text, shortened if it was long.
        text: String,
    },
}

/// What one kind of quantity looks like in text.
pub(crate) struct Grammar {
    pub(crate) noun: &'static str,
    /// The unit names read, each with its worth in base units.
    pub(crate) units: &'static [(&'static str, u64)],
    /// The unit names as a lesson lists them.
    pub(crate) listed: &'static str,
    /// The unit that such a bare number most likely meant, for the lesson.
    pub(crate) plain: fn(number: &str) -> &'static str,
    pub(crate) example: &'static str,
    pub(crate) finest: &'static str,
    pub(crate) largest: &'static str,
    /// What to say about a unit that is not in `units`, given the number before it.
    pub(crate) lesson: fn(number: &str, unit: &str) -> Option<String>,
}

impl Grammar {
    /// Reads `text` as a whole number of base units.
    pub(crate) fn read(&self, text: &str) -> Result<u64, ParseError> {
        let trimmed = text.trim();
        let (number, unit) = self.split(trimmed)?;
        if unit.is_empty() {
            return Err(ParseError::NoUnit {
                noun: self.noun,
                text: shorten(trimmed),
                units: self.listed,
                example: format!("{} {}", shorten(number), (self.plain)(number)),
            });
        }
        let Some(&(_, worth)) = self.units.iter().find(|(name, _)| *name == unit) else {
            return Err(ParseError::Unit {
                text: shorten(trimmed),
                lesson: self.teach(number, unit),
            });
        };
        match whole_units(number, worth) {
            Ok(value) => Ok(value),
            Err(Misfit::TooFine) => Err(ParseError::TooFine {
                noun: self.noun,
                text: shorten(trimmed),
                finest: self.finest,
            }),
            Err(Misfit::TooLarge) => Err(ParseError::TooLarge {
                noun: self.noun,
                text: shorten(trimmed),
                largest: self.largest,
            }),
        }
    }

    /// Parts `10 Gbit/s` into `10` and `Gbit/s`.
    fn split<'t>(&self, text: &'t str) -> Result<(&'t str, &'t str), ParseError> {
        if let Some(rest) = text.strip_prefix(['-', '\u{2212}'])
            && rest
                .trim_start()
                .starts_with(|c: char| c.is_ascii_digit() || c == '.')
        {
            return Err(ParseError::Negative {
                noun: self.noun,
                text: shorten(text),
            });
        }
        let end = text
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(text.len());
        let (number, rest) = text.split_at(end);
        if !is_decimal(number) {
            return Err(ParseError::NotANumber {
                noun: self.noun,
                text: shorten(text),
                example: self.example,
            });
        }
        let grouped = rest.strip_prefix([',', '_', '\'']);
        if grouped.is_some_and(|r| r.starts_with(|c: char| c.is_ascii_digit())) {
            return Err(ParseError::Comma {
                text: shorten(text),
                example: self.example,
            });
        }
        Ok((number, rest.trim_start()))
    }

    fn teach(&self, number: &str, unit: &str) -> String {
        if let Some(lesson) = (self.lesson)(number, unit) {
            return lesson;
        }
        let near = self
            .units
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(unit));
        match near {
            Some((name, _)) => format!(
                "units are case-sensitive: write `{} {name}`",
                shorten(number)
            ),
            None => format!(
                "`{}` is not a unit of a {}: use {}",
                shorten(unit),
                self.noun,
                self.listed
            ),
        }
    }
}

/// Whether `number` is digits with at most one point and at least one digit.
pub(crate) fn is_decimal(number: &str) -> bool {
    let points = number.bytes().filter(|b| *b == b'.').count();
    points <= 1
        && number.bytes().any(|b| b.is_ascii_digit())
        && number.bytes().all(|b| b.is_ascii_digit() || b == b'.')
}

enum Misfit {
    TooFine,
    TooLarge,
}

/// `number × worth` as a whole number; `number` is a decimal as `is_decimal` accepts. Decimals of a binary prefix, as in 15.7 MiB, are hardly
/// ever whole bytes, and go to the nearest.
fn whole_units(number: &str, worth: u64) -> Result<u64, Misfit> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let whole = digits(whole.trim_start_matches('0')).ok_or(Misfit::TooLarge)?;
    let fraction = fraction.trim_end_matches('0');
    // 20 decimals of the greatest worth (a day, 8.64e16 ps) stay below 2^128.
    if fraction.len() > 20 {
        return Err(Misfit::TooFine);
    }
    let scale = 10_u128.pow(fraction.len() as u32);
    let part = digits(fraction).ok_or(Misfit::TooFine)? * u128::from(worth);
    let is_binary = worth > 1 && worth.is_power_of_two();
    let nearest = (part + scale / 2) / scale;
    // What is less than a half is not nothing.
    let vanishes = whole == 0 && nearest == 0;
    if !part.is_multiple_of(scale) && (!is_binary || vanishes) {
        return Err(Misfit::TooFine);
    }
    let total = whole
        .checked_mul(u128::from(worth))
        .and_then(|w| w.checked_add(nearest));
    total
        .and_then(|t| u64::try_from(t).ok())
        .ok_or(Misfit::TooLarge)
}

/// The value of a string of digits; `None` when it is beyond u128. The empty string is 0.
fn digits(text: &str) -> Option<u128> {
    text.bytes().try_fold(0_u128, |n, b| {
        n.checked_mul(10)?.checked_add(u128::from(b - b'0'))
    })
}

/// Enough of `text` to recognise it in a message, however long it was.
pub(crate) fn shorten(text: &str) -> String {
    const LIMIT: usize = 40;
    if text.chars().count() <= LIMIT {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(LIMIT).collect();
    short.push('…');
    short
}

/// `value` in the largest of `units` (ascending) that leaves it at least 1.
pub(crate) fn in_largest_unit(
    value: u64,
    units: &[(&str, u64)],
    precision: Option<usize>,
) -> String {
    let (name, worth) = units
        .iter()
        .rev()
        .find(|(_, worth)| value >= *worth)
        .unwrap_or(&units[0]);
    format!("{} {name}", decimal(value, *worth, precision))
}

/// `value / worth` in decimal: every digit, or rounded half up to `precision` digits.
/// Every digit is possible only when `worth` is a power of ten or `value` a short binary fraction.
pub(crate) fn decimal(value: u64, worth: u64, precision: Option<usize>) -> String {
    let (value, worth) = (u128::from(value), u128::from(worth));
    if let Some(places) = precision {
        // A u64 in units up to 10^12 has no more than 12 decimals to show; zeros follow.
        let scale = 10_u128.pow(places.min(12) as u32);
        let rounded = (value * scale + worth / 2) / worth;
        let whole = rounded / scale;
        if places == 0 {
            return whole.to_string();
        }
        let part = format!("{:0width$}", rounded % scale, width = places.min(12));
        return format!("{whole}.{part:0<places$}");
    }
    let mut text = (value / worth).to_string();
    let mut rest = value % worth;
    if rest > 0 {
        text.push('.');
    }
    while rest > 0 {
        rest *= 10;
        text.push(char::from(b'0' + (rest / worth) as u8));
        rest %= worth;
    }
    text
}

/// Writes `text` with the formatter's width, fill and alignment; the precision is already spent.
pub(crate) fn padded(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    let missing = f.width().unwrap_or(0).saturating_sub(text.chars().count());
    let before = match f.align() {
        Some(fmt::Alignment::Right) => missing,
        Some(fmt::Alignment::Center) => missing / 2,
        _ => 0,
    };
    let fill = f.fill();
    (0..before).try_for_each(|_| fmt::Write::write_char(f, fill))?;
    f.write_str(text)?;
    (before..missing).try_for_each(|_| fmt::Write::write_char(f, fill))
}
