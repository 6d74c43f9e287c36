//! Lists of code points: DSCPs, precedences, priorities, traffic classes.

use core::ops::Range;

use toml::Spanned;
use toml::de::DeValue;

use crate::diagnostic::{Diagnostic, shorten};
use crate::quantity;

/// Reads one code point or a list of them, each of at most `max`, by name if there are `names`.
pub(crate) fn read(
    name: &str,
    (max, names): (u8, bool),
    found: &DeValue<'_>,
    at: Range<usize>,
    faults: &mut Vec<Diagnostic>,
) -> Option<Vec<Spanned<u8>>> {
    let DeValue::Array(list) = found else {
        return Some(vec![one(name, (max, names), found, at, faults)?]);
    };
    if list.is_empty() {
        let title = format!("`{name}` is an empty list");
        faults.push(Diagnostic::new(at, title).help(format!("name some, or remove `{name}`")));
        return None;
    }
    let codes = list
        .iter()
        .map(|item| one(name, (max, names), item.get_ref(), item.span(), faults));
    // Every wrong one is reported.
    let codes: Vec<Option<Spanned<u8>>> = codes.collect();
    codes.into_iter().collect()
}

fn one(
    name: &str,
    (max, names): (u8, bool),
    found: &DeValue<'_>,
    at: Range<usize>,
    faults: &mut Vec<Diagnostic>,
) -> Option<Spanned<u8>> {
    let text = match found {
        DeValue::Integer(i) => i.as_str().to_owned(),
        DeValue::String(s) => s.trim().to_owned(),
        _ => String::new(),
    };
    let code = match text.parse::<u64>() {
        Ok(n) => u8::try_from(n).ok().filter(|n| *n <= max),
        Err(_) if names => quantity::class(name, &text).ok().map(|tos| tos >> 2),
        Err(_) => None,
    };
    if let Some(code) = code {
        return Some(Spanned::new(at, code));
    }
    let title = format!("`{}` is not a valid {name}", shorten(&text));
    let words = if names {
        "be, le, cs0 to cs7, af11 to af43, va, ef, or "
    } else {
        ""
    };
    let mut d = Diagnostic::new(at, title).help(format!("write {words}a number from 0 to {max}"));
    if let Ok(tos @ 64..=255) = text.parse::<u8>()
        && max == 63
    {
        d = d.help(format!("as a TOS byte, {tos} has the DSCP {}", tos >> 2));
    }
    faults.push(d);
    None
}
