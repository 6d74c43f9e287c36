//! What a search asks for: the names of its results, before names join what it says.

use farpath_units::Ratio;

use crate::decode::{At, Fields};
use crate::key::Kind;
use crate::model::{Amount, Find};
use crate::set::target;

/// The names of a search's results, where it can be read.
pub(crate) fn results(f: &Fields) -> Option<[String; 2]> {
    let low = share(f, "low").or_else(|| f.get::<String>("low")?.parse().ok())?;
    Some(find(f).metrics(low.of))
}

/// An end that is a bare number, of a key that takes a ratio.
pub(crate) fn share(f: &Fields, end: &str) -> Option<Amount> {
    let keys: Vec<At<String>> = f.get("keys")?;
    let target = target(keys.first()?.get_ref()).ok()?;
    let takes = matches!(target.key()?.kind, Kind::Ratio);
    let n = f.get::<f64>(end).filter(|_| takes)?;
    Ratio::new(n).map(Amount::ratio)
}

/// Which of the values that hold is asked for.
pub(crate) fn find(f: &Fields) -> Find {
    match f.get::<String>("find").as_deref() {
        Some("lowest") => Find::Lowest,
        _ => Find::Highest,
    }
}
