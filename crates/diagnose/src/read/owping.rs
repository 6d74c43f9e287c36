//! owping of perfSONAR (OWAMP, RFC 4656): packets that go one way, counted for each way by itself.
//!
//! The delay of one way has the difference of both clocks in it. In the sum of both ways that cancels: it is the round trip.

use super::{Facts, Line, Tool};
use crate::fact::{Figure, Place};
use crate::losses::one_way::OneWay;
use crate::words::{after, between, decimal, number, whole};

/// How a session begins.
const HEAD: &str = "--- owping statistics from ";

/// How its other lines begin.
const LINES: [&str; 5] = ["SID:", "first:", "last:", "one-way jitter ", "hops "];

/// Nanoseconds of a millisecond.
const NS: f64 = 1e6;

/// Least, median and greatest delay of one way, milliseconds; of clocks that differ any may be below zero.
type Delays = [Figure; 3];

/// The state of reading: the session that is read, and the one before it.
#[derive(Default)]
pub(super) struct OwPing {
    open: Option<Session>,
    before: Option<Session>,
}

/// What is printed of one way.
struct Session {
    from: String,
    to: String,
    counted: Option<(u64, u64, Place)>,
    delays: Option<Delays>,
    /// Packets came twice, or out of order.
    disordered: bool,
}

impl Tool for OwPing {
    fn name(&self) -> &'static str {
        "owping"
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if let Some(ends) = text.strip_prefix(HEAD) {
            self.close(facts);
            self.open = session(ends);
            return self.open.is_some();
        }
        if text.starts_with("Approximately ") && text.ends_with(" until results available") {
            return true;
        }
        let Some(session) = self.open.as_mut().filter(|_| going) else {
            return false;
        };
        if let Some((sent, lost)) = counted(text) {
            session.counted = Some((sent, lost, line.at));
            session.disordered |= !text.ends_with(", 0 duplicates");
            return true;
        }
        if let Some(values) = between(text, "one-way delay min/median/max = ", " ms") {
            session.delays = delays(values, line.at);
            return true;
        }
        let ordered = text.contains("reordering");
        session.disordered |= ordered && text != "no reordering";
        ordered || LINES.iter().any(|begin| text.starts_with(begin))
    }

    fn held(&self) -> usize {
        let session = self.open.as_ref();
        session.map_or(0, |s| usize::from(s.counted.is_some()))
    }

    fn finish(&mut self, facts: &mut Facts) {
        self.close(facts);
        self.before = None;
    }
}

impl OwPing {
    /// Hands over a session, and the round trip where the one before it went the other way.
    fn close(&mut self, facts: &mut Facts) {
        let Some(own) = self.open.take() else { return };
        if let Some((sent, lost, at)) = own.counted {
            facts.one_way.push(OneWay {
                from: own.from.clone(),
                to: own.to.clone(),
                sent: sent as f64,
                lost: lost as f64,
                varied_ms: own.delays.as_ref().map(|d| d[2].value - d[0].value),
                least_ms: own.delays.as_ref().map(|d| d[0].value),
                disordered: own.disordered,
                at,
            });
        }
        let Some(first) = self.before.take() else {
            self.before = Some(own);
            return;
        };
        if first.from != own.to || first.to != own.from {
            self.before = Some(own);
            return;
        }
        let both = first.delays.zip(own.delays);
        let sums = both.map(|(out, back)| [0, 1, 2].map(|n| out[n].plus(&back[n]).times(NS)));
        let Some([least, median, most]) = sums.filter(|sums| sums[0].low > 0.0) else {
            return;
        };
        // The first session goes to the host that the command names.
        let of = facts.ping(vec![first.to]);
        facts.number(of, "rtt_min_ns", least);
        facts.number(of, "rtt_avg_ns", median);
        facts.number(of, "rtt_max_ns", most);
    }
}

/// The ends of `[a.example]:8810 to [192.0.2.9]:8788 ---`.
fn session(ends: &str) -> Option<Session> {
    let (from, to) = ends.strip_suffix(" ---")?.split_once(" to ")?;
    let host = |end: &str| {
        let host = between(end, "[", "]")?;
        (!host.is_empty() && !host.contains(' ')).then(|| crate::redact(host))
    };
    Some(Session {
        from: host(from)?,
        to: host(to)?,
        counted: None,
        delays: None,
        disordered: false,
    })
}

/// Sent and lost of `6000 sent, 14 lost (0.233%), 0 duplicates`.
fn counted(text: &str) -> Option<(u64, u64)> {
    let (sent, rest) = text.split_once(" sent, ")?;
    let (lost, _) = rest.split_once(" lost (")?;
    let (sent, lost) = (whole(sent)?, whole(lost)?);
    let duplicates = after(rest, "%), ").and_then(whole);
    (duplicates.is_some() && sent > 0 && lost <= sent).then_some((sent, lost))
}

/// `119/119.2/119.6`, each with a sign or without; nothing of other words, as where all were lost.
fn delays(values: &str, at: Place) -> Option<Delays> {
    let signed = |value: &str| match value.strip_prefix('-') {
        Some(bare) => {
            let value = -decimal(bare)?;
            let half = number(bare, at)?;
            let half = 0.5 * (half.high - half.low);
            Some(Figure::between(value, value - half, value + half, at))
        }
        None => number(value, at),
    };
    let mut each = values.split('/').map(signed);
    let all = [each.next()??, each.next()??, each.next()??];
    let ordered = all[0].value <= all[1].value && all[1].value <= all[2].value;
    (ordered && each.next().is_none()).then_some(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::Of;
    use crate::flows::flow;
    use crate::read::taken::taken;

    /// Both ways between a and b with these delays, the second with losses.
    fn run(out: &str, back: &str) -> String {
        let way = |ends: &str, lost: &str, delays: &str| {
            format!(
                "--- owping statistics from {ends} ---\nSID:\tcb00710aeb9e1f2a5c8d1f0e3a4b5c6d\nfirst:\t2026-11-29T02:10:11.102\nlast:\t2026-11-29T02:11:14.331\n6000 sent, {lost}, 0 duplicates\none-way delay min/median/max = {delays} ms, (err=0.4 ms)\none-way jitter = 0.1 ms (P95-P50)\nhops = 11 (consistently)\nno reordering\n"
            )
        };
        let there = way(
            "[192.0.2.1]:8810 to [192.0.2.9]:8788",
            "0 lost (0.000%)",
            out,
        );
        let here = way(
            "[192.0.2.9]:8912 to [192.0.2.1]:8795",
            "14 lost (0.233%)",
            back,
        );
        format!("Approximately 63.3 seconds until results available\n{there}{here}")
    }

    fn value(facts: &Facts, name: &'static str) -> Option<f64> {
        flow::number(facts, Of::Ping(0), name).map(|figure| figure.value)
    }

    #[test]
    fn each_way_is_counted_and_both_make_the_round_trip() {
        let facts = taken(
            OwPing::default(),
            &run("121/121.1/121.9", "119/119.2/119.6"),
        );
        let lost: Vec<f64> = facts.one_way.iter().map(|way| way.lost).collect();
        assert_eq!(lost, [0.0, 14.0]);
        assert_eq!(facts.one_way[1].from, "192.0.2.9");
        assert_eq!(facts.pings, [["192.0.2.9"]]);
        let median = value(&facts, "rtt_avg_ns").expect("both ways have one");
        assert!((median - 240.3e6).abs() < 1.0, "{median}");
    }

    #[test]
    fn clocks_that_differ_cancel() {
        let facts = taken(
            OwPing::default(),
            &run("-30/-29.9/-29.1", "270/270.2/270.6"),
        );
        assert_eq!(value(&facts, "rtt_min_ns"), Some(240e6));
        let none = taken(OwPing::default(), &run("nan/nan/nan", "119/119.2/119.6"));
        assert_eq!(value(&none, "rtt_min_ns"), None);
        assert_eq!(none.one_way.len(), 2);
    }

    #[test]
    fn other_counts_are_not_of_it() {
        for other in [
            "6000 sent, 14 lost (0.233%)",
            "20 packets transmitted, 20 received, 0% packet loss, time 19026ms",
            "14 sent, 20 lost (142.000%), 0 duplicates",
        ] {
            assert_eq!(counted(other), None, "{other}");
        }
    }
}
