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
    let stamped = text.lines().take(STAMPED_WITHIN).any(|l| prefix(l) > 0);
    if !stamped && !text.contains(['>', '|', '&', '\u{1b}', '\u{a0}', '`']) {
        return text;
    }
    let text = match ENTITIES.iter().any(|(name, _)| text.contains(name)) {
        true => Cow::Owned(
            ENTITIES
                .iter()
                .fold(text.into_owned(), |t, (a, b)| t.replace(a, b)),
        ),
        false => text,
    };
    let mut all = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        bare(line, &mut all);
    }
    Cow::Owned(all)
}

/// Signs that web pages and mail write by name; the ampersand last.
const ENTITIES: [(&str, &str); 5] = [
    ("&gt;", ">"),
    ("&lt;", "<"),
    ("&nbsp;", " "),
    ("&quot;", "\""),
    ("&amp;", "&"),
];

/// A text whose lines have the time before them has it in one of so many first lines.
const STAMPED_WITHIN: usize = 50;

/// Months, as `date` and logs print them.
pub(super) const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// Days of the week, as they print them.
pub(super) const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/// Bytes of what a log has before a line: a time, and behind it a host and a program, where they stand there.
fn prefix(line: &str) -> usize {
    if is_of_router(line) || is_read_with_time(line) {
        return 0;
    }
    let time = match stamp(line) {
        0 => day(line),
        bytes => bytes,
    };
    match time {
        0 => 0,
        time => time + logger(&line[time..]),
    }
}

/// Whether a line is read with the time before it: a segment of tcpdump without SYN, whose window is shut for some time, and a step that
/// `ssh -v` prints.
fn is_read_with_time(line: &str) -> bool {
    let segment = line.split_once(": Flags [").is_some_and(|(_, rest)| {
        let flags = rest.split(']').next().unwrap_or("");
        !flags.contains('S') && rest.contains(" win ")
    });
    segment || line.contains(" debug1: ")
}

/// Bytes of a day and a time before a line, of syslog and `ts`, `Nov 30 03:12:01`, and of iperf3's `--timestamps`,
/// `Mon Nov 30 03:12:01 2026`. What `date` prints has nothing behind it.
fn day(line: &str) -> usize {
    let mut words = line.split_whitespace().peekable();
    let named = words.next_if(|w| DAYS.contains(w)).is_some();
    let (Some(month), Some(day), Some(time)) = (words.next(), words.next(), words.next()) else {
        return 0;
    };
    let is_number = |w: &str, len: usize| w.len() <= len && w.bytes().all(|b| b.is_ascii_digit());
    if !MONTHS.contains(&month) || !is_number(day, 2) || !is_time(time) {
        return 0;
    }
    let last = match named {
        true => words.next().filter(|w| w.len() == 4 && is_number(w, 4)),
        false => Some(time),
    };
    let Some(last) = last.filter(|_| !named || words.peek().is_some()) else {
        return 0;
    };
    let end = line.find(time).unwrap_or(0);
    line[end..].find(last).map_or(0, |at| end + at + last.len())
}

/// Bytes of the host and the program that a log names behind its time: ` dtn1 iperf3[4711]:`. Lines of the kernel keep theirs.
fn logger(text: &str) -> usize {
    let parts = text.trim_start().split_once(' ');
    let Some((host, (tag, message))) =
        parts.and_then(|(host, rest)| Some((host, rest.split_once(':')?)))
    else {
        return 0;
    };
    let (name, number) = tag
        .strip_suffix(']')
        .and_then(|t| t.split_once('['))
        .unwrap_or(("", ""));
    let is_word = |w: &str| {
        let is_of = |b: u8| b.is_ascii_alphanumeric() || b"._-".contains(&b);
        w.starts_with(|c: char| c.is_ascii_alphanumeric()) && w.bytes().all(is_of)
    };
    let numbered = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    let ends = message.is_empty() || message.starts_with([' ', '\t', '\r', '\n']);
    match is_word(host) && is_word(name) && numbered && ends {
        true => text.len() - message.len(),
        false => 0,
    }
}

/// Whether a word is a time of day: `10:15:01`, `10:15:01.25Z`, `03:12:01-05:00`.
fn is_time(text: &str) -> bool {
    let text = text.trim_end_matches('Z');
    let text = text.split(['+', '-', ',']).next().unwrap_or(text);
    let parts: Vec<&str> = text.split(':').collect();
    let is_pair = |p: &&str| p.len() == 2 && p.bytes().all(|b| b.is_ascii_digit());
    parts.len() == 3
        && parts.iter().take(2).all(is_pair)
        && parts[2].len() >= 2
        && parts[2].bytes().all(|b| b.is_ascii_digit() || b == b'.')
}

/// Bytes of a time before a line: `10:15:01 `, `2026-11-24T10:15:01.25Z `, in brackets or not; 0 without one.
fn stamp(line: &str) -> usize {
    let text = line.trim_start();
    let bare = text.strip_prefix('[').unwrap_or(text);
    let end = bare.find([']', '[', ' ']).unwrap_or(bare.len());
    let mut first = &bare[..end];
    let is_date = |d: &str| {
        d.len() == 10
            && d.bytes().enumerate().all(|(n, b)| match n {
                4 | 7 => b == b'-' || b == b'/',
                _ => b.is_ascii_digit(),
            })
    };
    let mut used = end;
    if is_date(first) && bare[end..].starts_with(' ') {
        let rest = &bare[end + 1..];
        let more = rest.find([']', ' ']).unwrap_or(rest.len());
        first = &rest[..more];
        used = end + 1 + more;
    } else if let Some((date, time)) = first.split_once('T')
        && is_date(date)
    {
        first = time;
    }
    let tail = &bare[used..];
    let tail = tail.strip_prefix(']').unwrap_or(tail);
    if !is_time(first) || !(tail.is_empty() || tail.starts_with([' ', '\t', '\r', '\n'])) {
        return 0;
    }
    line.len() - tail.len()
}

/// Whether a line is what `date` prints, `Thu Nov 26 02:58:10 UTC 2026` or `Thu 26 Nov 02:58:10 CET 2026`, or `show clock` of a router, whose
/// star says that its clock is not set by another: `*02:58:10.123 UTC Thu Nov 26 2026`.
pub(super) fn is_date(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let begins = words.first().is_some_and(|w| DAYS.contains(w)) || is_of_router(line);
    begins && (5..=7).contains(&words.len()) && words.iter().any(|w| is_clock(w))
}

/// Whether a word is a time of day as `date` and routers print it.
fn is_clock(word: &str) -> bool {
    let word = word.trim_start_matches(['*', '.']);
    // IOS XR adds thousandths, `02:51:12.112`.
    (word.len() == 8 || word.len() == 12)
        && word.bytes().enumerate().all(|(n, b)| match n {
            2 | 5 => b == b':',
            8 => b == b'.',
            _ => b.is_ascii_digit(),
        })
}

/// Whether a line is what a router prints on `show clock`: it begins with the time of day and ends with the year.
fn is_of_router(line: &str) -> bool {
    let mut words = line.split_whitespace();
    if !words.next().is_some_and(is_clock) {
        return false;
    }
    let rest: Vec<&str> = words.collect();
    let is_year = |w: &&str| w.len() == 4 && w.bytes().all(|b| b.is_ascii_digit());
    rest.last().is_some_and(is_year) && rest.iter().any(|w| DAYS.contains(w))
}

/// Whether bytes are UTF-16 with its mark: what PowerShell's `>` writes.
pub(super) fn is_wide(bytes: &[u8]) -> bool {
    matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..])
}

/// Bytes of a capture, an archive or a program: a zero, or much that no text has.
pub(super) fn is_binary(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(4096)];
    if is_wide(start) {
        // Of text in UTF-16 hardly a character is zero.
        return start.windows(2).filter(|pair| *pair == [0, 0]).count() > 4;
    }
    let odd = |b: &&u8| **b < 9 || (14..27).contains(*b) || (28..32).contains(*b) || **b == 127;
    start.contains(&0) || start.iter().filter(odd).count() * 20 > start.len()
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
    while let Some(inner) = quoted(rest) {
        rest = inner;
    }
    rest = &rest[prefix(rest)..];
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

/// What stands behind a sign of quotation. A table's rows end with a bar, too.
fn quoted(line: &str) -> Option<&str> {
    let text = line.trim_start();
    let bar = |rest: &&str| {
        let end = rest.trim_end();
        (rest.starts_with([' ', '\t', '|', '>']) || end.is_empty()) && !end.ends_with('|')
    };
    text.strip_prefix('>')
        .or_else(|| text.strip_prefix('|').filter(bar))
}

/// Longest control sequence that is taken for one, bytes.
const SEQUENCE_MAX: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    /// How long a window was shut, and which step of a login waited, say their times.
    #[test]
    fn lines_that_are_read_with_their_time_keep_it() {
        let kept = "14:02:11.101900 IP 192.0.2.9.5432 > 192.0.2.5.40112: Flags [.], ack 1, win 0, length 0\nNov 24 13:00:10 debug1: Authentication succeeded (publickey).\n";
        assert_eq!(plain(kept.as_bytes()), kept);
        let other = "14:02:11 iperf Done.\n";
        assert_eq!(plain(other.as_bytes()).trim(), "iperf Done.");
    }

    #[test]
    fn what_pasting_did_is_undone_and_lines_stay() {
        let same = |from: &str, to: &str| assert_eq!(plain(from.as_bytes()), to, "{from:?}");
        same("> > [  4] local\n>\n", " [  4] local\n\n");
        same("```console\n$ ping\n```\n", "\n$ ping\n\n");
        same("\u{1b}[1;32mrtt:\u{1b}[0m 5\u{a0}ms\n", "rtt: 5 ms\n");
        same("| [  4] local\n|\n| > x\n", " [  4] local\n\n x\n");
        same("| a | b |\n", "| a | b |\n");
        same("a &gt; b &amp;gt;\n", "a > b &gt;\n");
        same(
            "10:15:01 PING x\n[2026-11-24 10:15:02.5] y\n",
            " PING x\n y\n",
        );
        same("2026-11-24T10:15:01Z rtt\n", " rtt\n");
        same(
            "2026-11-30T03:12:01-05:00 dtn1 iperf3[4711]: rtt\n",
            " rtt\n",
        );
        same(
            "Nov 30 03:12:01 dtn1 iperf3[4711]: [  5] a\nNov  3 03:12:01 [  5] b\n",
            " [  5] a\n [  5] b\n",
        );
        same("Mon Nov 30 03:12:01 2026 [  5] a\n", " [  5] a\n");
        for date in [
            "Mon Nov 30 03:12:01 2026\n",
            "Mon Nov 30 03:12:01 UTC 2026\n",
            "03:12:01.112 UTC Mon Nov 30 2026\n",
        ] {
            same(date, date);
        }
        let kernel = "Nov 20 10:00:00 fw kernel: TCP: out of memory\n";
        same(kernel, " fw kernel: TCP: out of memory\n");
        same("fe80::1:2:3 x\n10:15 y\n", "fe80::1:2:3 x\n10:15 y\n");
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

    #[test]
    fn what_date_prints_is_known() {
        assert!(is_date("Thu Nov 26 02:58:10 UTC 2026"));
        assert!(is_date("Thu 26 Nov 02:58:10 AM CET 2026"));
        assert!(is_date("*02:58:10.123 UTC Thu Nov 26 2026"));
        assert!(!is_date("02:58:10 it was slow on Thu"));
        assert!(!is_date("Thu we saw it at 02:58 for the first time"));
        assert!(!is_date("rx_packets: 918223411"));
    }
}
