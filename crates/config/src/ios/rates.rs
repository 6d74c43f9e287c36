//! Rates, as shapers and policers state them.

use farpath_units::Rate;

use crate::commands::{Number, Reader, Statement, Word};
use crate::platform::Platform;
use crate::rules::faults;

/// What a rate of IOS XR and NX-OS counts, in bit/s.
pub(super) const UNITS: [(&str, u64); 4] = [
    ("bps", 1),
    ("kbps", 1_000),
    ("mbps", 1_000_000),
    ("gbps", 1_000_000_000),
];

/// A rate in bit/s, as it stands, with `k`, `m` or `g` behind it (IOS-XE), or with a unit as its next word.
pub(super) fn rate<T>(s: &mut Statement<'_, '_, T>, number: Number) -> Option<Rate> {
    let Number(_, least, most) = number;
    let first = s.words.peek();
    let scaled = s.words.peek().and_then(|word| {
        let end = word.text.len().checked_sub(1)?;
        let scale = match word.text.get(end..)? {
            "k" => 1e3,
            "m" => 1e6,
            "g" => 1e9,
            _ => return None,
        };
        let digits = word.text.get(..end).filter(|_| word.is_numeral())?;
        let bps = digits.parse::<f64>().ok()? * scale;
        let fits = (least as f64..=most as f64).contains(&bps);
        fits.then_some(bps.round() as u64)
    });
    let bps = match scaled {
        Some(bps) => {
            s.words.next();
            bps
        }
        None => s.number(number)?,
    };
    let unit = s.choice(&UNITS).unwrap_or(1);
    let bps = bps.saturating_mul(unit);
    let packets = s
        .words
        .peek()
        .is_some_and(|w| ["pps", "cps"].contains(&w.text));
    let bits = !matches!(s.reader.device.platform, Platform::IosXr | Platform::NxOs);
    if let Some(word) = first.filter(|_| bits && !packets && bps < LEAST) {
        too_slow(s.reader, word, bps);
        return None;
    }
    Rate::from_bps(bps)
}

/// The least rate of a shaper or a policer of IOS, bit/s (Cisco, command reference, `shape`, `police`).
pub(super) const LEAST: u64 = 8_000;

/// IOS003, of a rate below [`LEAST`]: one in kbit/s or Mbit/s is probably meant.
pub(super) fn too_slow(reader: &mut Reader, word: Word<'_>, bps: u64) {
    let message = format!("a rate of {bps} bit/s is out of range: {LEAST} is the least");
    let remedy = format!("write bit/s: {bps} kbit/s are {bps}000, {bps} Mbit/s are {bps}000000");
    reader.fault(&faults::RANGE, word.span(), message, &remedy);
}
