//! The words `framing = …` understands.

use farpath_predict::Framing;
use farpath_units::Rate;

/// Every word, framings first.
pub(crate) const FRAMINGS: &[&str] = &[
    "none", "ethernet", "pos", "fe", "gbe", "10gbe", "25gbe", "40gbe", "100gbe", "400gbe", "stm1",
    "stm4", "stm16", "stm64", "oc3c", "oc12c", "oc48c", "oc192c",
];

/// What a word says: the framing, and the rate left for frames if it is a signal's name.
///
/// SDH and SONET: columns of payload over columns in all, less fixed stuff, of the line rate
/// (ITU-T G.707 §6; ANSI T1.105), one path-overhead column: 260, 1040, 4160, 16 640 columns of 270, 1080, 4320, 17 280.
pub(crate) fn framing(word: &str) -> Option<(Framing, Option<Rate>)> {
    let (framing, bps) = match word {
        "none" => (Framing::None, 0),
        "ethernet" => (Framing::Ethernet, 0),
        "pos" => (Framing::Pos, 0),
        "fe" => (Framing::Ethernet, 100_000_000),
        "gbe" => (Framing::Ethernet, 1_000_000_000),
        "10gbe" => (Framing::Ethernet, 10_000_000_000),
        "25gbe" => (Framing::Ethernet, 25_000_000_000),
        "40gbe" => (Framing::Ethernet, 40_000_000_000),
        "100gbe" => (Framing::Ethernet, 100_000_000_000),
        "400gbe" => (Framing::Ethernet, 400_000_000_000),
        "stm1" | "oc3c" => (Framing::Pos, 149_760_000),
        "stm4" | "oc12c" => (Framing::Pos, 599_040_000),
        "stm16" | "oc48c" => (Framing::Pos, 2_396_160_000),
        "stm64" | "oc192c" => (Framing::Pos, 9_584_640_000),
        _ => return None,
    };
    Some((framing, Rate::from_bps(bps)))
}
