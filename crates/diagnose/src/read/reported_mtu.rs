//! Packets that are too large, in tcpdump's text: what a router reports of them (RFC 1191), and whether their sender heeds it.

use farpath_predict::IpVersion;

use super::ping::MTU_LEAST;
use super::{Facts, Line};
use crate::fact::{Of, Place};
use crate::words::{between, whole};

/// How often a segment was sent again, as large as before, though a router had reported that it does not pass.
pub(crate) const UNHEEDED: &str = "mtu_unheeded_count";

/// The state of reading.
#[derive(Default)]
pub(super) struct ReportedMtu {
    /// Where what was too large was to go, whose path that is, and the bytes that pass.
    known: Option<(String, Of, u64)>,
    /// The last segment with data: its ends and its sequence numbers.
    last: String,
    /// How often it was sent again since the report.
    again: u32,
}

impl ReportedMtu {
    /// Takes `IP 10.1.1.1 > 10.1.1.5: ICMP 10.8.0.7 unreachable - need to frag (mtu 1420), length 556`.
    pub(super) fn report(&mut self, line: Line<'_>, facts: &mut Facts) -> bool {
        let Some((to, mtu)) = reported(line.bare) else {
            return false;
        };
        let same = |known: &(String, Of, u64)| known.0 == to && known.2 == mtu;
        if self.known.as_ref().is_some_and(same) {
            return true;
        }
        let to = crate::redact(to);
        let of = facts.ping(vec![to.clone()]);
        facts.exact(of, "mtu_reported_bytes", mtu as f64, line.at);
        facts.exact(of, "mtu_router_bytes", mtu as f64, line.at);
        self.known = Some((to, of, mtu));
        self.again = 0;
        true
    }

    /// Notes a segment of so many bytes of data, which goes to a host.
    pub(super) fn segment(
        &mut self,
        (to, segment): (&str, String),
        bytes: u64,
        at: Place,
        facts: &mut Facts,
    ) {
        let repeated = segment == self.last;
        self.last = segment;
        let Some((host, of, mtu)) = &self.known else {
            return;
        };
        let headers = u64::from(IpVersion::V4.fixed_headers());
        if repeated && host == to && bytes.saturating_add(headers) > *mtu {
            self.again += 1;
            facts.exact(*of, UNHEEDED, f64::from(self.again), at);
        }
    }
}

/// The host that is not reached, and the bytes that pass.
fn reported(text: &str) -> Option<(&str, u64)> {
    let (_, said) = text.split_once(": ICMP ")?;
    let (to, rest) = said.split_once(" unreachable - need to frag (mtu ")?;
    let mtu = whole(between(rest, "", ")")?).filter(|mtu| *mtu >= MTU_LEAST)?;
    (!to.contains(' ')).then_some((to, mtu))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flows::flow;
    use crate::read::taken::taken;
    use crate::read::tcpdump::Tcpdump;

    const REPORT: &str = "03:40:01.101 IP 10.1.1.1 > 10.1.1.5: ICMP 10.8.0.7 unreachable - need to frag (mtu 1420), length 556\n";

    fn segment(sequence: &str, length: u32) -> String {
        format!(
            "03:40:01.100 IP 10.1.1.5.993 > 10.8.0.7.50112: Flags [.], seq {sequence}, ack 80, win 501, length {length}\n"
        )
    }

    fn value(facts: &Facts, name: &'static str) -> Option<f64> {
        flow::number(facts, Of::Ping(0), name).map(|figure| figure.value)
    }

    /// Nothing of it was read.
    #[test]
    fn a_sender_that_does_not_heed_a_router_is_seen() {
        let large = segment("1:1449", 1448);
        let text = format!("{large}{REPORT}{large}{REPORT}{large}{REPORT}");
        let facts = taken(Tcpdump::default(), &text);
        assert_eq!(value(&facts, "mtu_router_bytes"), Some(1420.0));
        assert_eq!(value(&facts, UNHEEDED), Some(2.0));
        assert_eq!(facts.pings, [["10.8.0.7"]]);
    }

    #[test]
    fn smaller_segments_heed_it() {
        let text = format!(
            "{}{REPORT}{}{}",
            segment("1:1449", 1448),
            segment("1:1369", 1368),
            segment("1369:1449", 80)
        );
        let facts = taken(Tcpdump::default(), &text);
        assert_eq!(value(&facts, "mtu_router_bytes"), Some(1420.0));
        assert_eq!(value(&facts, UNHEEDED), None);
        let other = REPORT.replace("need to frag (mtu 1420)", "admin prohibited");
        assert_eq!(reported(&other), None);
    }
}
