//! What pasting and saving did to a text is undone, line by line, so that places stay: UTF-16, colours of terminals, hard spaces,
//! signs of quoted mail.

use std::borrow::Cow;

/// The text of some bytes; what is neither UTF-8 nor UTF-16 is replaced.
pub(super) fn plain(bytes: &[u8]) -> Cow<'_, str> {
    let text = match bytes {
        [0xff, 0xfe, rest @ ..] => Cow::Owned(wide(rest, u16::from_le_bytes)),
        [0xfe, 0xff, rest @ ..] => Cow::Owned(wide(rest, u16::from_be_bytes)),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest),
        _ => String::from_utf8_lossy(bytes),
    };
    if !text.contains(['>', '\u{1b}', '\u{a0}', '`']) {
        return text;
    }
    let mut all = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        bare(line, &mut all);
    }
    Cow::Owned(all)
}

/// Whether bytes are UTF-16 with its mark: what PowerShell's `>` writes.
pub(super) fn is_wide(bytes: &[u8]) -> bool {
    matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..])
}

fn wide(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    let each = char::decode_utf16(units);
    each.map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

/// Adds a line without signs of quotation before it and fences of Markdown, hard spaces soft, colours gone.
fn bare(line: &str, all: &mut String) {
    let mut rest = line;
    while let Some(inner) = rest.trim_start().strip_prefix('>') {
        rest = inner;
    }
    if rest.trim_start().starts_with("```") {
        // The word behind a fence is a language's.
        all.push('\n');
        return;
    }
    let mut chars = rest.chars();
    while let Some(c) = chars.next() {
        match c {
            '\u{a0}' => all.push(' '),
            '\u{1b}' => {
                // `ESC [ … m`: a control sequence ends with its first letter.
                let mut ahead = chars.clone();
                if ahead.next() == Some('[') {
                    let len = ahead.as_str().find(|c: char| c.is_ascii_alphabetic());
                    let len = len.filter(|n| *n <= SEQUENCE_MAX).map_or(0, |n| n + 1);
                    chars = ahead.as_str()[len..].chars();
                }
            }
            c => all.push(c),
        }
    }
}

/// Longest control sequence that is taken for one, bytes.
const SEQUENCE_MAX: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_pasting_did_is_undone_and_lines_stay() {
        let same = |from: &str, to: &str| assert_eq!(plain(from.as_bytes()), to, "{from:?}");
        same("> > [  4] local\n>\n", " [  4] local\n\n");
        same("```console\n$ ping\n```\n", "\n$ ping\n\n");
        same("\u{1b}[1;32mrtt:\u{1b}[0m 5\u{a0}ms\n", "rtt: 5 ms\n");
        same("a > b\n", "a > b\n");
        same("\u{1b}[", "");
        let wide: Vec<u8> = "\u{feff}ms\r\n"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert!(is_wide(&wide));
        assert_eq!(plain(&wide), "ms\r\n");
        assert_eq!(plain(b"\xef\xbb\xbf{}"), "{}");
    }
}
