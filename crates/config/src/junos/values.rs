//! What a word of Junos stands for.

use farpath_units::{Rate, Size};

/// `10g`, `500m`, `64k` or a plain number.
pub(super) fn scaled(text: &str) -> Option<u64> {
    let (digits, scale) = match text.as_bytes().last()? {
        b'k' | b'K' => (&text[..text.len() - 1], 1_000),
        b'm' | b'M' => (&text[..text.len() - 1], 1_000_000),
        b'g' | b'G' => (&text[..text.len() - 1], 1_000_000_000),
        _ => (text, 1),
    };
    digits.parse::<u64>().ok()?.checked_mul(scale)
}

pub(super) fn rate(text: &str) -> Option<Rate> {
    Rate::from_bps(scaled(text)?)
}

pub(super) fn bytes(text: &str) -> Option<Size> {
    scaled(text).map(Size::from_bytes)
}

pub(super) fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

pub(super) fn number(text: &str) -> Option<u64> {
    text.trim_end_matches('%').parse().ok()
}
