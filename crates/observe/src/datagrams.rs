//! A stream of datagrams, or of single cells.

use farpath_record::quantity::quantity;
use farpath_record::{Record, Series};

use crate::path::Path;
use crate::span::Span;
use crate::stretch::Limit;

/// What both ends of a stream counted of what was sent within the measurement; an unknown count is none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Datagrams {
    /// Datagrams sent.
    pub sent: Option<u64>,
    /// Payload bytes sent a second, where the tool says it; else it is worked out of `sent` and `payload`.
    pub sent_bps: Option<f64>,
    /// Payload bytes of one.
    pub payload: u32,
    /// Datagrams received; copies do not count.
    pub received: Option<u64>,
    /// Payload bytes received.
    pub bytes: u64,
    /// Payload bits received a second, where the tool says it.
    pub goodput_bps: Option<f64>,
    /// Payload bytes received in all.
    pub total_bytes: u64,
    /// Datagrams that arrived after one with a higher number.
    pub reordered: Option<u64>,
    /// Copies of datagrams.
    pub duplicates: u64,
    /// Interarrival jitter (RFC 3550 §6.4.1), nanoseconds.
    pub jitter_ns: Option<f64>,
    /// Numbers of datagrams that did not come.
    pub missing: Option<Series>,
    /// Cells and not datagrams.
    pub cells: Option<Cells>,
    /// What took those that were lost, where that is known.
    pub taken_by: Option<Limit>,
    /// Where that is, of a link or a policer: the link and its direction.
    pub taken_at: Option<String>,
    /// The sender was held up by its own host.
    pub was_held: bool,
}

/// What a tester of cells saw beyond what is seen of datagrams.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cells {
    /// Share of the cells received that kept the test's contract; none without one.
    pub conforming_ratio: Option<f64>,
    /// Longest time under way less the shortest, nanoseconds.
    pub variation_ns: Option<f64>,
}

/// Of what was sent and not lost: what comes within the measurement and is worth no word.
const WITHIN: f64 = 0.98;

impl Datagrams {
    /// What took those that were lost, and where, by what the links of its path counted.
    pub fn lost_on(&mut self, path: &Path<'_>) {
        self.taken_by = Some(path.of_lost_datagrams());
        self.taken_at = path.place_of_lost_datagrams().map(str::to_owned);
    }

    pub(crate) fn fill(&self, span: &Span, record: &mut Record) {
        match &self.cells {
            Some(cells) => self.fill_cells(cells, record),
            None => self.fill_datagrams(span, record),
        }
        let missing = self.missing.clone();
        record
            .series
            .extend(missing.map(|s| ("missing".to_owned(), s)));
        let limit = match (self.sent, self.received) {
            (Some(sent), Some(received)) if received < sent => self.taken_by,
            (Some(_), Some(_)) if self.was_held => Some(Limit::HostCpu),
            (Some(_), Some(_)) => Some(Limit::Application),
            _ => None,
        };
        record.limited_by = limit.map(|l| l.name().to_owned());
        let at_a_link = matches!(limit, Some(Limit::Link | Limit::Policer));
        record.limited_at = self.taken_at.clone().filter(|_| at_a_link);
    }

    /// The jitter; of less than two datagrams there is none.
    fn jitter_ns(&self) -> Option<f64> {
        let jitter = self
            .jitter_ns
            .filter(|_| self.received.is_none_or(|n| n > 1));
        jitter.map(f64::round)
    }

    /// The share that did not arrive; none of nothing.
    fn loss_ratio(&self) -> Option<f64> {
        let (sent, received) = (self.sent? as f64, self.received? as f64);
        (sent > 0.0).then(|| (sent - received).max(0.0) / sent)
    }

    fn fill_datagrams(&self, span: &Span, record: &mut Record) {
        let seconds = span.duration.map(|d| d.as_secs_f64());
        let per_second = |bytes: f64| seconds.filter(|s| *s > 0.0).map(|s| bytes * 8.0 / s);
        let sent = self.sent.map(|n| n as f64);
        let worked_out = || per_second(sent? * f64::from(self.payload));
        set(record, "sent", sent);
        set(record, "received", self.received.map(|n| n as f64));
        set(record, "sent_bps", self.sent_bps.or_else(worked_out));
        let goodput = self.goodput_bps.or_else(|| per_second(self.bytes as f64));
        set(record, "goodput_bps", goodput);
        set(record, "loss_ratio", self.loss_ratio());
        record.notes.extend(self.late(span, record));
        set(record, "jitter_ns", self.jitter_ns());
        set(record, "reordered", self.reordered.map(|n| n as f64));
        if self.duplicates > 0 {
            record.set("duplicates", self.duplicates as f64);
        }
        record.set("bytes", self.total_bytes as f64);
    }

    /// Where what was under way at the end is worth a word: goodput counts what came within the measurement.
    fn late(&self, span: &Span, record: &Record) -> Option<String> {
        let [sent, goodput, loss] =
            ["sent_bps", "goodput_bps", "loss_ratio"].map(|m| record.metrics.get(m));
        let (sent, arrives) = (*sent?, sent? * (1.0 - loss?));
        let seconds = span.duration?.as_secs_f64();
        let more = (arrives - goodput?) * seconds;
        (self.goodput_bps.is_none() && *goodput? < WITHIN * arrives).then(|| {
            format!(
                "goodput_bps counts what came within the measurement: at its end {} more than at its start, {} of sending, stood in queues \
                 or were under way, and are not lost; an `omit` takes out a delay that stays, not a queue that grows",
                quantity("bytes", more / 8.0),
                quantity("queued_s", more / sent.max(f64::MIN_POSITIVE)),
            )
        })
    }

    fn fill_cells(&self, cells: &Cells, record: &mut Record) {
        set(record, "cells_sent", self.sent.map(|n| n as f64));
        set(record, "cells_received", self.received.map(|n| n as f64));
        set(record, "loss_ratio", self.loss_ratio());
        set(record, "conforming_ratio", cells.conforming_ratio);
        set(record, "jitter_ns", self.jitter_ns());
        set(record, "cdv_ns", cells.variation_ns);
    }
}

fn set(record: &mut Record, metric: &str, value: Option<f64>) {
    if let Some(value) = value {
        record.set(metric, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use farpath_record::Origin;
    use farpath_units::{Duration, Time};

    /// 10 Mbit/s of payload on 10 Mbit/s of Ethernet for 10 s: 8929 datagrams of 1400 bytes, of which 8514 came within them. The rest
    /// stood in a queue of 1000 packets, 0.46 s of sending; 10 ms of propagation are a fiftieth of that.
    #[test]
    fn what_stands_in_queues_at_the_end_is_said_to_in_bytes_and_time() {
        let span = Span {
            start: Time::ZERO,
            omit: Duration::ZERO,
            duration: Some(Duration::from_secs(10)),
        };
        let notes = |came: u64| {
            let seen = Datagrams {
                sent: Some(8929),
                received: Some(8929),
                payload: 1400,
                bytes: 1400 * came,
                ..Datagrams::default()
            };
            let mut record = Record::new(Origin::Simulated, "u", "udp", "a", "b");
            seen.fill(&span, &mut record);
            record.notes
        };
        let said = notes(8514).join("\n");
        assert!(
            said.contains(
                "at its end 581 kB more than at its start, 464.78 ms of sending, stood in queues"
            ),
            "{said}"
        );
        // Propagation alone is worth no word.
        assert_eq!(notes(8920), Vec::<String>::new());
    }
}
