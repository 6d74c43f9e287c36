//! `ip tcp_metrics show` of Linux: what its kernel keeps of paths from connections before.

use super::{Facts, Line, Tool};
use crate::cached_path::CachedPath;
use crate::words::{after, decimal, whole};

/// The reader: nothing goes on from line to line.
pub(super) struct TcpMetrics;

impl Tool for TcpMetrics {
    fn name(&self) -> &'static str {
        "ip tcp_metrics"
    }

    /// `203.0.113.77 age 41.120sec ssthresh 14 cwnd 14 rtt 281250us rttvar 300us source 192.0.2.10`.
    fn line(&mut self, line: Line<'_>, _going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        let peer = text.split_whitespace().next().and_then(|p| p.parse().ok());
        let aged = after(text, " age ").is_some_and(|age| age.ends_with("sec"));
        let Some(peer) = peer.filter(|_| aged) else {
            return false;
        };
        let segments = |key: &str| after(text, key).and_then(whole).map(|n| n as f64);
        let (_, prompt) = facts.prompt();
        facts.keeps_path(CachedPath {
            prompt,
            peer,
            ssthresh: segments(" ssthresh "),
            cwnd: segments(" cwnd "),
            rtt_s: after(text, " rtt ").and_then(seconds),
            at: line.at,
        });
        true
    }
}

/// Seconds of `281250us`, `281.25ms`, `0.3s`.
fn seconds(word: &str) -> Option<f64> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &word[digits.len()..] {
        "us" => 1e-6,
        "ms" => 1e-3,
        "s" | "sec" => 1.0,
        _ => return None,
    };
    Some(unit * decimal(digits)?)
}

#[cfg(test)]
mod tests {
    use super::{TcpMetrics, seconds};
    use crate::read::taken::taken;

    #[test]
    fn what_a_kernel_keeps_of_a_path_is_read() {
        let text = "203.0.113.77 age 41.120sec ssthresh 14 cwnd 14 rtt 281250us rttvar 300us source 192.0.2.10\n2001:db8::9 age 812.4sec cwnd 10 rtt 12.5ms rttvar 3ms source 2001:db8::1\n";
        let facts = taken(TcpMetrics, text);
        let [first, second] = &facts.cached_paths[..] else {
            panic!("{:?}", facts.cached_paths);
        };
        assert_eq!((first.ssthresh, first.cwnd), (Some(14.0), Some(14.0)));
        assert_eq!(first.rtt_s, Some(0.28125));
        assert_eq!((second.ssthresh, second.cwnd), (None, Some(10.0)));
        assert_eq!(seconds("12.5ms"), Some(0.0125));
        assert_eq!(seconds("12"), None);
    }
}
