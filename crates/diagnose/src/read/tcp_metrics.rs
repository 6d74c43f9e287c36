//! `ip tcp_metrics` of Linux: what a kernel keeps of earlier connections, by the address of the other host.

use super::{Facts, Line, Tool, own_address};
use crate::fact::Of;
use crate::windows::remembered::Remembered;
use crate::words::{after, decimal, whole};

/// The threshold that is kept, segments.
const THRESHOLD: &str = "remembered_threshold_segments";

/// The state of reading.
#[derive(Default)]
pub(super) struct TcpMetrics {
    host: Option<Of>,
}

impl Tool for TcpMetrics {
    fn name(&self) -> &'static str {
        "ip tcp_metrics"
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let Some((to, threshold)) = kept(line.bare) else {
            return false;
        };
        if !going {
            self.host = None;
        }
        let host = facts.host_again(&mut self.host);
        if let (Some(segments), Of::Host(number)) = (threshold, host) {
            facts.exact(host, THRESHOLD, segments, line.at);
            facts.remembered.push(Remembered {
                host: number,
                to: to.to_owned(),
                segments,
            });
        }
        true
    }
}

/// `203.0.113.77 age 41.120sec ssthresh 14 cwnd 14 rtt 281250us rttvar 300us source 192.0.2.10`: the address, and the threshold where one is kept.
fn kept(text: &str) -> Option<(&str, Option<f64>)> {
    let (to, rest) = text.split_once(' ')?;
    own_address::address(to)?;
    let age = rest.trim_start().strip_prefix("age ")?;
    decimal(age.split_whitespace().next()?.strip_suffix("sec")?)?;
    let threshold = after(age, " ssthresh ").and_then(whole);
    Some((to, threshold.map(|segments| segments as f64)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::taken::taken;

    #[test]
    fn a_threshold_is_kept_by_address() {
        let text = "203.0.113.77 age 41.120sec ssthresh 14 cwnd 14 rtt 281250us rttvar 300us source 192.0.2.10\n2001:db8::7 age 3.004sec cwnd 10 rtt 900us rttvar 300us source 2001:db8::1\n";
        let facts = taken(TcpMetrics::default(), text);
        assert_eq!(
            facts.remembered,
            [Remembered {
                host: 0,
                to: "203.0.113.77".to_owned(),
                segments: 14.0,
            }]
        );
    }

    #[test]
    fn other_lines_are_left() {
        for other in [
            "203.0.113.77 dev eth0 lladdr 00:00:5e:00:53:01 REACHABLE",
            "syd1 age 41.120sec ssthresh 14",
            "203.0.113.77 age 41 ssthresh 14",
            "",
        ] {
            assert_eq!(kept(other), None, "{other}");
        }
    }
}
