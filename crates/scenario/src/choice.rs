//! Words of a closed set.

use farpath_predict::Cc;

use crate::diagnostic::{nearest, shorten, wrapped};
use crate::quantity::{self, Refused};

/// What a congestion control begins with that is an object file.
pub(crate) const OBJECT: &str = "bpf:";

/// One of `words`.
pub(crate) fn one_of(name: &str, text: &str, words: &[&str]) -> Result<String, Refused> {
    match words.iter().find(|w| **w == text) {
        Some(word) => Ok((*word).to_owned()),
        None => Err(none(name, text, words)),
    }
}

/// That a text is none of `words`.
pub(crate) fn none(name: &str, text: &str, words: &[&str]) -> Refused {
    let remedy = match nearest(text, words) {
        Some(near) => format!("did you mean `{near}`?"),
        None => wrapped(&format!("one of: {}", words.join(", "))),
    };
    (
        format!("unknown {} `{}`", quantity::noun(name), shorten(text)),
        remedy,
    )
}

/// Reads a congestion control: one of `words`, or an object file.
pub(crate) fn control(name: &str, text: &str, words: &[&str]) -> Result<String, Refused> {
    match text.strip_prefix(OBJECT) {
        Some("") => Err((
            format!("`{text}` names no file"),
            "write the object file after it: bpf:my.o".to_owned(),
        )),
        Some(_) => Ok(text.to_owned()),
        None if words.contains(&text) => Ok(text.to_owned()),
        // The closed forms know other names of some, and some that have no model.
        None => match text.parse::<Cc>() {
            Ok(cc) if words.contains(&cc.name()) => Ok(cc.name().to_owned()),
            Ok(cc) => Err((
                format!("`{text}` has closed forms, and no model: it cannot be simulated"),
                format!(
                    "ask the closed forms, farpath predict path --cc {cc}, or choose one of: {}",
                    words.join(", ")
                ),
            )),
            // The name of another system's is not a slip of the pen.
            Err(_) if farpath_config::CONTROLS.contains(&text) => Err((
                format!("`{text}` has neither closed forms nor a model"),
                format!(
                    "`bpf:FILE.o` runs an object file of it between real kernels; or choose one of: {}",
                    words.join(", ")
                ),
            )),
            Err(_) => one_of(name, text, words),
        },
    }
}
