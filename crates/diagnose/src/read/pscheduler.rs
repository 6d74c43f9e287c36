//! The tables that pScheduler prints of a throughput test: one of intervals for each connection, and a summary.

use super::{Facts, Line, Tool};
use crate::fact::{Figure, Place};
use crate::seen::{Report, Row, Side, Test};
use crate::words::{decimal, quantity, rate};

/// The state of reading.
#[derive(Default)]
pub(super) struct PScheduler {
    test: Option<Test>,
    streams: u32,
    /// The rows that follow are of the summary.
    summary: bool,
    /// They count datagrams.
    datagrams: bool,
}

impl Tool for PScheduler {
    fn name(&self) -> &'static str {
        "pscheduler"
    }

    /// `0.0 - 1.0      9.61 Gbps      0              1.54 MBytes`.
    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let (text, at) = (line.bare, line.at);
        if text.starts_with("* Stream ID ") {
            if self.summary {
                self.close(facts);
            }
            self.streams += 1;
            self.test.get_or_insert_with(|| Test::new("pscheduler", at));
            return true;
        }
        if text.starts_with("Interval") && text.contains(" Throughput ") {
            self.test.get_or_insert_with(|| Test::new("pscheduler", at));
            self.summary |= text.contains("Receiver Throughput");
            self.datagrams = text.contains("Lost");
            return true;
        }
        if text == "Summary" {
            self.summary = self.test.is_some();
            return self.summary;
        }
        let Some(test) = self.test.as_mut().filter(|_| going) else {
            return false;
        };
        let words: Vec<&str> = text.split_whitespace().collect();
        let [from, "-", until, value, unit, rest @ ..] = &words[..] else {
            return false;
        };
        let (Some(from), Some(until), Some(bps)) =
            (decimal(from), decimal(until), printed(value, unit, at))
        else {
            return false;
        };
        let counted = rest.first().and_then(|w| decimal(w));
        if !self.summary {
            interval(test, (from, until), bps.value, (counted, rest), at);
            return true;
        }
        let report = |goodput: Figure| Report {
            bytes: Some(goodput.times((until - from) / 8.0)),
            goodput,
            seconds: until - from,
        };
        test.sent = Some(report(bps));
        match rest {
            [lost, "/", sent, ..] if self.datagrams => {
                if let (Some(lost), Some(sent)) = (decimal(lost), decimal(sent)) {
                    test.udp = true;
                    test.set("datagrams_lost", Figure::exact(lost, at));
                    test.set("datagrams", Figure::exact(sent, at));
                }
            }
            [_, value, unit, ..] => test.received = printed(value, unit, at).map(report),
            _ => {}
        }
        if let Some(again) = counted.filter(|_| !test.udp) {
            test.set("retransmits", Figure::exact(again, at));
        }
        true
    }

    fn held(&self) -> usize {
        self.test.as_ref().map_or(0, Test::facts)
    }

    fn finish(&mut self, facts: &mut Facts) {
        self.close(facts);
    }
}

/// `9.61 Gbps`.
fn printed(value: &str, unit: &str, at: Place) -> Option<Figure> {
    let factor = rate(&format!("1{unit}"))?;
    Some(crate::words::number(value, at)?.times(factor))
}

/// An interval of one connection joins those of the others.
fn interval(
    test: &mut Test,
    (from, until): (f64, f64),
    bps: f64,
    (again, rest): (Option<f64>, &[&str]),
    at: Place,
) {
    let cwnd = match rest {
        [_, value, unit, ..] => quantity(value, unit, at).map(|w| w.value),
        _ => None,
    };
    let add = |a: Option<f64>, b: Option<f64>| a.zip(b).map(|(a, b)| a + b);
    let same = test
        .rows
        .iter_mut()
        .find(|r| r.from == from && r.until == until);
    match same {
        Some(row) => {
            row.bps += bps;
            row.retransmits = add(row.retransmits, again);
            row.cwnd = add(row.cwnd, cwnd);
        }
        None => test.rows.push(Row {
            from,
            until,
            bps,
            retransmits: again,
            cwnd,
            side: Side::Sender,
            at,
        }),
    }
}

impl PScheduler {
    fn close(&mut self, facts: &mut Facts) {
        if let Some(mut test) = self.test.take().filter(Test::is_measured) {
            test.streams = self.streams.max(1);
            facts.tests.push(test);
        }
        *self = PScheduler::default();
    }
}
