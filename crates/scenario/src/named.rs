//! Names of the classes and policers of one direction of a link, as its tables have them.

use crate::aqm;
use crate::decode::Fields;

/// The class of a direction that has no others.
pub(crate) const ONLY: &str = "all";

/// The names of a table's classes.
pub(crate) fn class_names(f: &Fields) -> Option<Vec<String>> {
    if let Some(classes) = f.get::<Vec<Fields>>("class").filter(|c| !c.is_empty()) {
        return Some(classes.iter().filter_map(|c| c.get("name")).collect());
    }
    let scheduler = f.get::<String>("scheduler");
    let one = f.has("shape") || aqm::kinds(f).next().is_some();
    match scheduler.as_deref() {
        _ if f.has("aqm") => {
            let plain = f.get::<String>("aqm").as_deref() == Some("fifo") && !f.has("shape");
            Some(if plain {
                Vec::new()
            } else {
                vec![ONLY.to_owned()]
            })
        }
        Some("fq-codel") => Some(vec![ONLY.to_owned()]),
        _ if one => Some(vec![ONLY.to_owned()]),
        Some("fifo") => Some(Vec::new()),
        _ => None,
    }
}

/// The names of a table's policers.
pub(crate) fn policer_names(f: &Fields) -> Option<Vec<String>> {
    let all: Vec<Fields> = f.get("police")?;
    Some(all.iter().map(policer_name).collect())
}

/// The name of a policer: the only one of a direction needs none of its own.
pub(crate) fn policer_name(f: &Fields) -> String {
    f.get("name").unwrap_or_else(|| "police".to_owned())
}
