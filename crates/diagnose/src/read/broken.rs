//! Lines that mail broke: where a line of a known form ends before it is complete, the next is its rest. An empty line stays in its place, so
//! that places stay.

use std::borrow::Cow;

/// Longest line that is a part of another, bytes.
const PART_MAX: usize = 200;

/// A text with its broken lines put together.
pub(super) fn mended(text: Cow<'_, str>) -> Cow<'_, str> {
    let mut lines = text.lines().peekable();
    let mut any = false;
    while let Some(line) = lines.next() {
        any |= lines.peek().is_some_and(|next| goes_on(line, next));
    }
    if !any {
        return text;
    }
    let mut all = String::with_capacity(text.len());
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let mut whole = Cow::Borrowed(line);
        let mut empty = 0;
        while let Some(next) = lines.next_if(|next| goes_on(&whole, next)) {
            whole = Cow::Owned(format!("{} {}", whole.trim_end(), next.trim()));
            empty += 1;
        }
        all.push_str(&whole);
        all.push('\n');
        all.extend(core::iter::repeat_n('\n', empty));
    }
    Cow::Owned(all)
}

/// Whether the second line is the rest of the first.
fn goes_on(line: &str, next: &str) -> bool {
    let (line, next) = (line.trim(), next.trim());
    if line.is_empty() || next.is_empty() || line.len() > PART_MAX || next.len() > PART_MAX {
        return false;
    }
    row(line, next) || ends(line, next) || ping(line, next)
}

/// A row of iperf, `[  5]   0.00-1.00   sec  6.31 MBytes  52.9 Mbits/sec`, and what comes behind it.
fn row(line: &str, next: &str) -> bool {
    let Some((_, rest)) = line.split_once("sec") else {
        return false;
    };
    if !line.starts_with('[') || next.starts_with('[') {
        return false;
    }
    let is_rate = |t: &str| t.contains("its/sec") || t.contains("ytes/sec");
    if !is_rate(rest) {
        return is_rate(next);
    }
    let words: Vec<&str> = next.split_whitespace().collect();
    let last = words.last().copied().unwrap_or("");
    let is_count = |w: &&str| w.bytes().all(|b| b.is_ascii_digit());
    match words.len() {
        1 if ["sender", "receiver"].contains(&last) => true,
        1 => ["Bytes", "KBytes", "MBytes", "GBytes"].contains(&last),
        2 => is_count(&words[0]) && ["sender", "receiver"].contains(&last),
        _ => false,
    }
}

/// `[  5] local 10.1.2.3 port 51234 connected to 10.9.8.7 port 5201`.
fn ends(line: &str, next: &str) -> bool {
    let open = [
        "local",
        "port",
        "connected",
        "connected to",
        "connected with",
    ];
    line.starts_with('[')
        && line.contains("] local")
        && !next.starts_with('[')
        && (open.iter().any(|w| line.ends_with(w))
            || next.starts_with("connected ")
            || next.starts_with("port ") && line.matches(" port ").count() < 2)
}

/// The closing lines of ping, and single answers.
fn ping(line: &str, next: &str) -> bool {
    let digit = |t: &str| t.starts_with(|c: char| c.is_ascii_digit());
    if line.contains("min/avg/max") {
        return match line.split_once('=') {
            None => next.starts_with('='),
            Some((_, "")) => digit(next),
            Some((_, times)) => !times.ends_with("ms") && digit(times.trim()) && next == "ms",
        };
    }
    if line.contains("packets transmitted") {
        return !line.contains("loss") && next.contains("loss");
    }
    line.contains(" bytes from ") && !line.contains("time=") && next.starts_with("time=")
        || line.contains("ttl=") && line.ends_with("time=") && digit(next)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is(from: &str, to: &str) {
        assert_eq!(mended(Cow::Borrowed(from)), to, "{from:?}");
    }

    #[test]
    fn rows_that_mail_broke_are_whole_again() {
        is(
            "[  5]   0.00-1.00   sec  6.31 MBytes  52.9\nMbits/sec\n[  5]   0.00-5.08   sec  33.3 MBytes  55.0 Mbits/sec    0\nsender\n",
            "[  5]   0.00-1.00   sec  6.31 MBytes  52.9 Mbits/sec\n\n[  5]   0.00-5.08   sec  33.3 MBytes  55.0 Mbits/sec    0 sender\n\n",
        );
        is(
            "[  5]   0.00-1.00   sec\n6.31 MBytes  52.9 Mbits/sec    0    388\nKBytes\n",
            "[  5]   0.00-1.00   sec 6.31 MBytes  52.9 Mbits/sec    0    388 KBytes\n\n\n",
        );
        is(
            "[  5] local 10.1.2.3 port 51234 connected to 10.9.8.7 port\n5201\n",
            "[  5] local 10.1.2.3 port 51234 connected to 10.9.8.7 port 5201\n\n",
        );
        is(
            "4 packets transmitted, 4 received, 0% packet\nloss, time 3004ms\nrtt min/avg/max/mdev =\n1.0/2.0/3.0/0.5 ms\n",
            "4 packets transmitted, 4 received, 0% packet loss, time 3004ms\n\nrtt min/avg/max/mdev = 1.0/2.0/3.0/0.5 ms\n\n",
        );
    }

    #[test]
    fn whole_lines_and_prose_stay() {
        let same = |text: &str| is(text, text);
        same(
            "[  5]   0.00-1.00   sec  6.31 MBytes  52.9 Mbits/sec\n[  5]   1.00-2.00   sec  6.31 MBytes  52.9 Mbits/sec\n",
        );
        same("[ ID] Interval           Transfer     Bitrate\nsender\n");
        same("it takes 5 sec\nMbits/sec were 3\n");
        same("a\n\nb");
    }
}
