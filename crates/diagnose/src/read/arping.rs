//! `arping`: which card answers for an address.

use std::collections::BTreeMap;

use super::{Facts, Line, Tool};
use crate::reach::answered_twice::TWO_CARDS;

/// Most addresses whose cards are kept.
const ADDRESSES_MAX: usize = 64;

/// The state of reading.
#[derive(Default)]
pub(super) struct Arping {
    /// The first card that answered for each address.
    cards: BTreeMap<String, String>,
}

impl Tool for Arping {
    fn name(&self) -> &'static str {
        "arping"
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if text.starts_with("ARPING ") {
            self.cards.clear();
            return true;
        }
        let Some((address, card)) = reply(text) else {
            let ends = ["Sent ", "Received "].iter().any(|b| text.starts_with(b));
            return going && ends;
        };
        let card = card.to_ascii_lowercase();
        match self.cards.get(address) {
            Some(first) if *first != card => {
                let said = format!("{address} is answered for by {first} and by {card}");
                facts.word_once(TWO_CARDS, &said, line.at);
            }
            None if self.cards.len() < ADDRESSES_MAX => {
                self.cards.insert(address.to_owned(), card);
            }
            _ => {}
        }
        true
    }
}

/// `Unicast reply from 192.0.2.20 [00:1E:67:AA:01:02]  0.712ms`, `60 bytes from 00:1e:67:aa:01:02 (192.0.2.20): index=0 time=1.2 msec`: the
/// address, and the card that answered for it.
fn reply(text: &str) -> Option<(&str, &str)> {
    let linux = || {
        let (_, rest) = text.split_once(" reply from ")?;
        let (address, rest) = rest.split_once(" [")?;
        Some((address, rest.split_once(']')?.0))
    };
    let other = || {
        let (_, rest) = text.split_once(" bytes from ")?;
        let (card, rest) = rest.split_once(" (")?;
        Some((rest.split_once("): index=")?.0, card))
    };
    let is_card = |card: &str| card.len() == 17 && card.matches(':').count() == 5;
    linux().or_else(other).filter(|(_, card)| is_card(card))
}

#[cfg(test)]
mod tests {
    use super::reply;

    #[test]
    fn replies_name_an_address_and_a_card() {
        let both = Some(("192.0.2.20", "00:1e:67:aa:01:02"));
        for text in [
            "Unicast reply from 192.0.2.20 [00:1e:67:aa:01:02]  0.712ms",
            "60 bytes from 00:1e:67:aa:01:02 (192.0.2.20): index=0 time=1.2 msec",
        ] {
            assert_eq!(reply(text), both, "{text}");
        }
        for other in [
            "64 bytes from 192.0.2.20: icmp_seq=1 ttl=64 time=0.412 ms",
            "64 bytes from h.example (192.0.2.20): icmp_seq=1 ttl=64 time=0.4 ms",
        ] {
            assert_eq!(reply(other), None, "{other}");
        }
    }
}
