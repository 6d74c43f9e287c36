//! Marks by name and by number, as statements write them.

use super::{COS, DSCP, EXPERIMENTAL, Number, PRECEDENCE, Reader, Statement, Word, Words};
use crate::qos::{Stated, Trust};
use crate::rules::faults;

/// DSCP names of the standards (class selectors of RFC 2474, assured
/// forwarding, RFC 3246, RFC 8622).
const DSCP_NAMES: &str = "default=0 le=1 cs1=8 af11=10 af12=12 af13=14 cs2=16 af21=18 af22=20 af23=22 cs3=24 af31=26 af32=28 af33=30 cs4=32 af41=34 af42=36 af43=38 cs5=40 va=44 ef=46 cs6=48 cs7=56";

const PRECEDENCE_NAMES: &str =
    "routine=0 priority=1 immediate=2 flash=3 flash-override=4 critical=5 internet=6 network=7";

/// A kind of mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Marks {
    Dscp,
    Precedence,
    Cos,
    Experimental,
}

impl Marks {
    const fn number(self) -> Number {
        match self {
            Marks::Dscp => DSCP,
            Marks::Precedence => PRECEDENCE,
            Marks::Cos => COS,
            Marks::Experimental => EXPERIMENTAL,
        }
    }

    /// The mark of this name; only a DSCP's may be written in any case.
    fn named(self, name: &str) -> Option<u8> {
        let (names, any_case) = match self {
            Marks::Dscp => (DSCP_NAMES, true),
            Marks::Precedence => (PRECEDENCE_NAMES, false),
            Marks::Cos | Marks::Experimental => return None,
        };
        let is = |n: &str| n == name || any_case && n.eq_ignore_ascii_case(name);
        let mut pairs = names.split(' ').filter_map(|pair| pair.split_once('='));
        pairs.find(|(n, _)| is(n))?.1.parse().ok()
    }
}

impl<T> Statement<'_, '_, T> {
    /// The marks that follow, by name or number; `None` without any, and after a fault.
    pub(crate) fn marks(&mut self, kind: Marks) -> Option<Vec<u8>> {
        self.reader.marks(&mut self.words, kind)
    }

    /// The first of the marks that follow.
    pub(crate) fn mark(&mut self, kind: Marks) -> Option<u8> {
        self.marks(kind)?.first().copied()
    }
}

impl<T> Statement<'_, '_, T> {
    /// The values of the map of this name.
    pub(crate) fn map(&mut self, name: &str) -> Option<&mut [u8]> {
        self.reader.device.maps.named(name).map(|(_, table)| table)
    }

    /// Says that the statement has set the map of this name.
    pub(crate) fn mapped(&mut self, name: &str) -> Option<()> {
        let place = self.place();
        let maps = &mut self.reader.device.maps;
        let (value, _) = maps.named(name)?;
        maps.stated.push(Stated { value, place });
        Some(())
    }
}

impl Reader {
    pub(crate) fn marks(&mut self, words: &mut Words<'_>, kind: Marks) -> Option<Vec<u8>> {
        let mut list = Vec::new();
        while let Some(word) = words.peek() {
            match kind.named(word.text) {
                Some(mark) => {
                    words.next();
                    list.push(mark);
                }
                None if word.is_numeral() && word.text.contains([',', '-']) => {
                    list.extend(self.numbers::<u8>(words, kind.number())?);
                }
                None if word.is_numeral() => list.push(self.number(words, kind.number())?),
                None if list.is_empty() => {
                    return self.number(words, kind.number()).map(|_: u8| Vec::new());
                }
                None => break,
            }
        }
        (!list.is_empty()).then_some(list)
    }
}

/// What a word after `trust` believes.
pub(crate) fn trust(word: &str) -> Option<Trust> {
    Some(match word {
        "cos" | "trust-cos" => Trust::Cos,
        "dscp" | "trust-dscp" => Trust::Dscp,
        "ip-precedence" | "trust-ipprec" => Trust::Precedence,
        "untrusted" => Trust::Nothing,
        _ => return None,
    })
}

/// Reads the eight DSCP values of the map that the command `of` sets; a fault says `message`, and
/// `remedy`.
pub(crate) fn eight<T>(
    s: &mut Statement<'_, '_, T>,
    map: &str,
    of: Word<'_>,
    message: String,
    remedy: &str,
) -> Option<()> {
    let list: Vec<u8> = s.numbers(DSCP)?;
    if list.len() != 8 {
        s.reader.fault(&faults::MISSING, of.span(), message, remedy);
        return None;
    }
    s.map(map)?.copy_from_slice(&list);
    Some(())
}
