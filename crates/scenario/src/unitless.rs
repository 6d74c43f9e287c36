//! Bounds of expectations and searches that are numbers without a unit: what is said of them.

use crate::bare::{likely, printed};
use crate::decode::Fields;
use crate::diagnostic::Diagnostic;
use crate::metric::{Unit, read};

/// A tolerance is at most so many per cent.
const MOST_PERCENT: f64 = 100.0;

/// The word on bounds of an expectation or a search that are numbers in the base unit of a metric, or on a value of which
/// only the very number would do. `None` where every bound has a unit, or needs none.
pub(crate) fn doubt(f: &Fields, unit: Unit) -> Option<Diagnostic> {
    if unit == Unit::Ratio {
        return whole(f);
    }
    let bare = |key: &'static str| f.at::<f64>(key).map(|n| (key, n));
    let found: Vec<_> = ["min", "max", "value", "tolerance", "at_least", "at_most"]
        .into_iter()
        .filter_map(bare)
        // Nothing is nothing in every unit, and a quantity below it cannot be written with one.
        .filter(|(_, n)| *n.get_ref() > 0.0)
        .collect();
    let Some((_, first)) = found.first() else {
        return without_tolerance(f, unit);
    };
    let (mut read, mut write) = (Vec::new(), Vec::new());
    for (key, n) in &found {
        let n = *n.get_ref();
        let verb = if read.is_empty() { "is read " } else { "" };
        read.push(format!("`{key} = {n}` {verb}as {}", printed(unit, n)?));
        let meant = match *key {
            "tolerance" if n.abs() < 1.0 => format!("{} %", percent(n)),
            _ => likely(unit, n)?,
        };
        // Nobody can tell which of the two times was meant.
        let mut other = match (unit, *key) {
            (Unit::S, "tolerance") if n.abs() < 1.0 => String::new(),
            (Unit::S, _) => format!("`{key} = \"{n} ms\"` or "),
            _ => String::new(),
        };
        // Most tolerances are shares, and this may be per cent.
        if *key == "tolerance" && (1.0..=MOST_PERCENT).contains(&n) {
            other = format!("`{key} = \"{n} %\"` or {other}");
        }
        write.push(format!("{other}`{key} = \"{meant}\"`"));
    }
    let d = Diagnostic::new(first.span(), read.join(", "));
    Some(d.help(format!("write the unit, as {}", write.join(", "))))
}

/// The word on a share of 1 or more without %: it is read as 100 %, and a bound of that much passes always.
fn whole(f: &Fields) -> Option<Diagnostic> {
    let bare = |key: &'static str| f.at::<f64>(key).map(|n| (key, n));
    let mut found = ["max", "min", "value", "at_least", "at_most"]
        .into_iter()
        .filter_map(bare);
    let (key, n) = found.find(|(_, n)| *n.get_ref() >= 1.0)?;
    let (place, n) = (n.span(), n.into_inner());
    let passes = match key == "max" && !f.has("min") {
        true => ", and always passes",
        false => "",
    };
    let title = format!("`{key} = {n}` is read as {} %{passes}", percent(n));
    Some(Diagnostic::new(place, title).help(format!("for {n} % write `{key} = \"{n} %\"`")))
}

/// The word on a `value` whose band is the one number.
fn without_tolerance(f: &Fields, unit: Unit) -> Option<Diagnostic> {
    if !f.has("value") || f.has("tolerance") {
        return None;
    }
    let text = f.get::<String>("value")?;
    let value = read(unit, &text).ok()?;
    printed(unit, value).filter(|_| value != 0.0)?;
    let title = format!("`value = \"{text}\"` without `tolerance`: no other number will do");
    Some(Diagnostic::new(f.place("value"), title).help("add `tolerance = \"5 %\"`"))
}

/// Without what binary fractions add: 7 for 0.07.
fn percent(ratio: f64) -> f64 {
    (ratio * 1e8).round() / 1e6
}
