//! The words `framing = …` understands: framings, and signals that bring a rate.

use farpath_predict::{Framing, Signal};
use farpath_units::Rate;

/// Every word: framings first, then signals, then their other names.
pub(crate) fn words() -> Vec<&'static str> {
    let signals = Signal::all()
        .iter()
        .map(|s| s.name)
        .filter(|n| Framing::NAMED.iter().all(|(b, _)| b != n));
    let aliases = Signal::aliases().iter().map(|(alias, _)| *alias);
    Framing::NAMED
        .iter()
        .map(|(word, _)| *word)
        .chain(signals)
        .chain(aliases)
        .collect()
}

/// What a word says: the framing, and the rate left for frames if it is a signal's name.
///
/// `ethernet` is the framing: who means the 10 Mbit/s of that name writes the rate.
pub(crate) fn framing(word: &str) -> Option<(Framing, Option<Rate>)> {
    if let Some((_, framing)) = Framing::NAMED.iter().find(|(bare, _)| *bare == word) {
        return Some((*framing, None));
    }
    Signal::named(word).map(|s| (s.framing, Some(s.payload)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_means_something_and_no_word_comes_twice() {
        let words = words();
        assert!(words.contains(&"stm64") && words.contains(&"oc12c") && words.contains(&"10gbe"));
        for (i, word) in words.iter().enumerate() {
            assert!(framing(word).is_some(), "{word}");
            assert!(!words[..i].contains(word), "{word} twice");
        }
        assert_eq!(framing("ethernet"), Some((Framing::Ethernet, None)));
        assert_eq!(framing("stm65"), None);
    }
}
