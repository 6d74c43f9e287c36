//! What `pscheduler task rtt` prints: a row for each packet that was answered, and a summary.

use super::{Facts, Line, Tool};
use crate::fact::{Figure, Of, Place};
use crate::words::{between, decimal, number, whole};

/// What stands behind the share that was lost, in the summary.
const LOST: &str = "% Packet Loss";

/// Nanoseconds of a millisecond.
const NS: f64 = 1e6;

/// The state of reading: names of who answers, and how many packets were answered.
#[derive(Default)]
pub(super) struct RoundTrips {
    names: Vec<String>,
    answered: u32,
}

impl Tool for RoundTrips {
    fn name(&self) -> &'static str {
        "pscheduler"
    }

    fn line(&mut self, line: Line<'_>, _going: bool, facts: &mut Facts) -> bool {
        if let Some(names) = answer(line.bare) {
            if self.names.is_empty() {
                self.names = names;
            }
            self.answered = self.answered.saturating_add(1);
            return true;
        }
        let Some((lost, rest)) = line.bare.split_once(LOST) else {
            return false;
        };
        let Some(lost) = decimal(lost).filter(|percent| *percent <= 100.0) else {
            return false;
        };
        let run = core::mem::take(self);
        if let Some(times) = times(rest, line.at) {
            run.close(lost / 100.0, &times, line.at, facts);
        }
        true
    }
}

impl RoundTrips {
    /// Hands over a run of which this part was lost.
    fn close(self, lost: f64, times: &[Figure; 3], at: Place, facts: &mut Facts) {
        let of = match self.names.is_empty() {
            true => Of::Path,
            false => facts.ping(self.names),
        };
        let [least, mean, most] = times;
        facts.number(of, "rtt_min_ns", least.times(NS));
        facts.number(of, "rtt_avg_ns", mean.times(NS));
        facts.number(of, "rtt_max_ns", most.times(NS));
        let received = f64::from(self.answered);
        if received > 0.0 && lost < 1.0 {
            facts.exact(of, "ping_sent", (received / (1.0 - lost)).round(), at);
            facts.exact(of, "ping_received", received, at);
        }
    }
}

/// Name and address of who answered: `1 far.example (192.0.2.9)  64 Bytes  TTL 54  RTT 95.1000 ms`, or the address alone.
fn answer(text: &str) -> Option<Vec<String>> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [n, names @ .., size, "Bytes", "TTL", ttl, "RTT", time, "ms"] = &words[..] else {
        return None;
    };
    let numbers = whole(n).and(whole(size)).and(whole(ttl));
    numbers.and(decimal(time))?;
    let bare = |name: &&str| crate::redact(name.trim_matches(['(', ')']));
    let own = (1..=2).contains(&names.len());
    own.then(|| names.iter().map(bare).collect())
}

/// Least, mean and greatest of `RTT Min/Mean/Max/StdDev = 95.051000/95.106000/95.201000/0.052000 ms`, milliseconds.
fn times(text: &str, at: Place) -> Option<[Figure; 3]> {
    let values = between(text, "RTT Min/Mean/Max/StdDev = ", " ms")?;
    let mut each = values.split('/').map(|value| number(value, at));
    let [least, mean, most] = [each.next()??, each.next()??, each.next()??];
    let ordered = least.value <= mean.value && mean.value <= most.value;
    ordered.then_some([least, mean, most])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flows::flow;
    use crate::read::taken::taken;

    fn value(facts: &Facts, name: &'static str) -> Option<f64> {
        flow::number(facts, Of::Ping(0), name).map(|figure| figure.value)
    }

    #[test]
    fn rows_and_the_summary_are_a_run_of_pings() {
        let text = "1\tfar.example.org (192.0.2.130)  64 Bytes  TTL 54  RTT  95.1000 ms
2\tfar.example.org (192.0.2.130)  64 Bytes  TTL 54  RTT  95.2000 ms
3\tfar.example.org (192.0.2.130)  64 Bytes  TTL 54  RTT  95.1000 ms
25% Packet Loss  RTT Min/Mean/Max/StdDev = 95.051000/95.106000/95.201000/0.052000 ms
";
        let facts = taken(RoundTrips::default(), text);
        assert_eq!(facts.pings, [["far.example.org", "192.0.2.130"]]);
        let least = value(&facts, "rtt_min_ns").expect("it is printed");
        assert!((least - 95.051e6).abs() < 1.0, "{least}");
        assert_eq!(value(&facts, "ping_sent"), Some(4.0));
        assert_eq!(value(&facts, "ping_received"), Some(3.0));
    }

    #[test]
    fn an_address_without_a_name_is_read_and_prose_is_not() {
        let names = answer("1 192.0.2.9  64 Bytes  TTL 63  RTT 14.0000 ms");
        assert_eq!(names, Some(vec!["192.0.2.9".to_owned()]));
        for other in [
            "1  192.0.2.9 (192.0.2.9)  14.000 ms  14.100 ms  14.200 ms",
            "64 bytes from 192.0.2.9: icmp_seq=1 ttl=54 time=95.1 ms",
            "of 64 Bytes TTL 63 RTT 14 ms",
        ] {
            assert_eq!(answer(other), None, "{other}");
        }
        // All were lost: nothing says how many.
        let facts = taken(RoundTrips::default(), "100% Packet Loss\n");
        assert!(facts.is_empty());
    }
}
