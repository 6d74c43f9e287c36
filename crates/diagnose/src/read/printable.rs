//! Mail in quoted-printable (RFC 2045 §6.7), saved as it was sent: `=3D` for `=`, and `=` at the end of a line that goes on. Lines keep
//! their places.

use std::borrow::Cow;

/// What a sign of equality is in it, which next to no other text has.
const EQUALS: &str = "=3D";

/// A line that goes on is broken near its 76th character; signs of quotation may stand before it.
const BROKEN: core::ops::RangeInclusive<usize> = 60..=90;

/// A text as it was written.
pub(super) fn written(text: Cow<'_, str>) -> Cow<'_, str> {
    if !text.contains(EQUALS) {
        return text;
    }
    // Where every sign of equality is one of the encoding, all of it is encoded; else only what surely is.
    let encoded = text.split('=').skip(1).all(|rest| {
        let end = rest.trim_start_matches('\r');
        end.is_empty() || end.starts_with('\n') || byte(rest).is_some()
    });
    let mut all = String::with_capacity(text.len());
    let mut open = String::new();
    let mut empty = 0;
    for line in text.lines() {
        let whole = open + line;
        let bare = whole.trim_end_matches('\r');
        let broken = bare.strip_suffix('=').filter(|head| {
            let long = BROKEN.contains(&line.trim_end().len());
            (encoded || long) && !head.ends_with('=')
        });
        if let Some(head) = broken.filter(|_| empty < JOINED_MAX) {
            open = head.to_owned();
            empty += 1;
            continue;
        }
        all.push_str(&decoded(bare, encoded));
        all.push('\n');
        all.extend(core::iter::repeat_n('\n', empty));
        (open, empty) = (String::new(), 0);
    }
    all.push_str(&decoded(&open, encoded));
    Cow::Owned(all)
}

/// Most lines that are put together to one.
const JOINED_MAX: usize = 50;

/// A line with what is encoded in it written out: all of it, or signs of equality and blanks at its end.
fn decoded(line: &str, all: bool) -> String {
    if !all {
        return line.trim_end_matches("=20").replace(EQUALS, "=");
    }
    let mut bytes = Vec::with_capacity(line.len());
    let mut parts = line.split('=');
    bytes.extend_from_slice(parts.next().unwrap_or("").as_bytes());
    for part in parts {
        match byte(part) {
            Some(byte) => {
                bytes.push(byte);
                bytes.extend_from_slice(&part.as_bytes()[2..]);
            }
            None => {
                bytes.push(b'=');
                bytes.extend_from_slice(part.as_bytes());
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The byte that two digits at the beginning of a text are.
fn byte(text: &str) -> Option<u8> {
    let digits = text.as_bytes().get(..2)?;
    let is_digit = |b: &u8| b.is_ascii_digit() || (b'A'..=b'F').contains(b);
    let digits = digits.iter().all(is_digit).then_some(&text[..2])?;
    u8::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is(from: &str, to: &str) {
        assert_eq!(written(Cow::Borrowed(from)), to, "{from:?}");
    }

    #[test]
    fn mail_in_quoted_printable_is_written_out_and_lines_stay() {
        is(
            "a time=3D5 ms =E2=80=93 gr=C3=BC=C3=9Fe=20\nnext line is b=\nroken\nrest\n",
            "a time=5 ms – grüße \nnext line is broken\n\nrest\n",
        );
        // Of a text with other signs of equality only what surely is encoded.
        let long = "x".repeat(70);
        is(
            &format!("seq=1 ttl=60\nnet.x =3D 4096=20\n{long}=\nyy\nmdev =\n1 ms\n"),
            &format!("seq=1 ttl=60\nnet.x = 4096\n{long}yy\n\nmdev =\n1 ms\n"),
        );
    }

    #[test]
    fn other_texts_stay() {
        let same = |text: &str| is(text, text);
        same("time=5 ms\nbase64 end=\n");
        same("");
        is("=3D\n", "=\n");
        is("=3D=\n", "=");
    }
}
