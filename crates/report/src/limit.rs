//! What limited a test, for people.

use farpath_observe::limit::WORDS;

/// A word of `limited_by` as pages write it: `the receive window` for `receive_window`. A word that is unknown here, of a
/// later version, has blanks for its underscores.
pub fn limit_words(limit: &str) -> String {
    let known = WORDS.iter().find(|(_, name, _)| *name == limit);
    known.map_or_else(
        || limit.replace('_', " "),
        |(.., words)| (*words).to_owned(),
    )
}
