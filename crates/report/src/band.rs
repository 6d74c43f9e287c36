//! What an expectation allows, in words, and what its source says.

use farpath_record::Expectation;
use farpath_record::quantity::{decimal, is_decimal, quantity};

/// The values that an expectation allows, in words.
pub(crate) fn band(e: &Expectation, print: impl Fn(f64) -> String) -> String {
    match (e.min, e.max) {
        (Some(min), Some(max)) if print(min) == print(max) => {
            let half = (max - min) / 2.0;
            let around = format!("{} ± {}", print(min + half), quantity(&e.metric, half));
            if half > 0.0 { around } else { print(min) }
        }
        (Some(min), Some(max)) => format!("{} to {}", print(min), print(max)),
        (Some(min), None) => format!("at least {}", print(min)),
        (None, Some(max)) => format!("at most {}", print(max)),
        (None, None) => "any value".to_owned(),
    }
}

/// A value of an expectation's metric in the kind of unit that its bounds were written in.
pub(crate) fn print(e: &Expectation, value: f64) -> String {
    // `256 kB` with its tolerance has ends that may be whole numbers of KiB.
    let middle = e.min.zip(e.max).map(|(min, max)| (min + max) / 2.0);
    let decimally = [e.min, e.max, middle].into_iter().flatten().any(is_decimal);
    match decimally {
        true => decimal(&e.metric, value),
        false => quantity(&e.metric, value),
    }
}

/// Whether a file's marks keep for themselves what they want: they ask for it, or no bounds are there.
pub(crate) fn is_withheld(e: &Expectation) -> bool {
    e.file.is_some() && (e.asks || (e.min, e.max) == (None, None))
}

/// The source's own words, which give an answer away that a file's marks ask for.
pub(crate) fn source_words(e: &Expectation) -> Option<&str> {
    let asked = e.file.is_some() && (e.asks || e.unstated.is_some());
    e.stated.as_deref().filter(|_| !asked)
}
