//! A line of an iperf report, of either generation.

use crate::fact::{Figure, Place};
use crate::words::{decimal, quantity};

/// `[  3]  0.0- 5.0 sec  12.0 MBytes  20.1 Mbits/sec …`.
pub(super) struct IperfRow<'a> {
    /// What stands in the first brackets: a number or `SUM`.
    pub(super) id: &'a str,
    /// What stands in brackets behind them: `TX-C`.
    pub(super) role: &'a str,
    /// Start and end, seconds.
    pub(super) span: (f64, f64),
    /// Payload, bytes.
    pub(super) bytes: Figure,
    /// Rate, bit/s.
    pub(super) rate: Figure,
    /// Decimals of the times: one and four in iperf2, two in iperf3.
    pub(super) decimals: usize,
    /// What follows.
    pub(super) rest: &'a str,
}

/// Reads the brackets a line begins with, also behind a shell's prompt; what follows them.
pub(super) fn bracketed(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    // A background job prints behind the prompt, and a prompt may have brackets of its own.
    for _ in 0..4 {
        let open = from + text[from..].find('[')?;
        let close = open + text[open..].find(']')?;
        let id = text[open + 1..close].trim();
        let is_id = !id.is_empty()
            && id.len() <= 12
            && (id.bytes().all(|b| b.is_ascii_digit())
                || matches!(id, "SUM" | "ID" | "CT" | "*")
                || id
                    .strip_prefix('*')
                    .is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()))
                || id.starts_with("SUM"));
        if is_id {
            let rest = text[close + 1..].trim_start();
            if let Some(inner) = rest.strip_prefix('[')
                && let Some(end) = inner.find(']')
            {
                return Some((id, inner[..end].trim(), inner[end + 1..].trim_start()));
            }
            return Some((id, "", rest));
        }
        from = open + 1;
    }
    None
}

/// Reads a row.
pub(super) fn row(text: &str, at: Place) -> Option<IperfRow<'_>> {
    if !text.contains("sec") {
        return None;
    }
    let (id, role, rest) = bracketed(text)?;
    let (span, rest) = rest.split_once("sec")?;
    let (from, until) = span.split_once('-')?;
    let (from, until) = (from.trim(), until.trim());
    let decimals = until.split_once('.').map_or(0, |(_, d)| d.len());
    let span = (decimal(from)?, decimal(until)?);
    if span.1 < span.0 {
        return None;
    }
    let mut words = Words(rest);
    let (size, unit) = (words.next()?, words.next()?);
    let bytes = quantity(size, unit, at)?;
    let (rate, unit) = (words.next()?, words.next()?);
    let mut figure = quantity(rate, unit, at)?;
    if unit.contains("Byte") {
        figure = figure.times(8.0);
    }
    Some(IperfRow {
        id,
        role,
        span,
        bytes,
        rate: figure,
        decimals,
        rest: words.0.trim(),
    })
}

/// Words one by one, and what is left.
struct Words<'a>(&'a str);

impl<'a> Words<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let text = self.0.trim_start();
        let end = text.find(char::is_whitespace).unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        self.0 = rest;
        (!word.is_empty()).then_some(word)
    }
}

/// `local 10.0.0.1 port 33052 connected with 10.0.0.2 port 5011`: both ends, and what follows.
pub(super) fn connected<'a>(rest: &'a str, word: &str) -> Option<([(&'a str, u16); 2], &'a str)> {
    let rest = rest.strip_prefix("local ")?;
    let (local, rest) = rest.split_once(" port ")?;
    let (port, rest) = rest.trim_start().split_once(' ')?;
    let rest = rest.trim_start().strip_prefix(word)?.trim_start();
    let (remote, rest) = rest.split_once(" port ")?;
    let rest = rest.trim_start();
    let end = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    let ends = [
        (local.trim(), port.trim().parse().ok()?),
        (remote.trim(), rest[..end].parse().ok()?),
    ];
    let is_host = |h: &str| !h.is_empty() && h.len() < 256 && !h.contains(char::is_whitespace);
    ends.iter()
        .all(|(host, _)| is_host(host))
        .then_some((ends, rest[end..].trim()))
}
