//! Datagrams one way: sent like those of a stream, timed one by one where they arrive.

use farpath_record::Seen;
use farpath_units::{Duration, Time};

use crate::job::jobs::ends;
use crate::job::{Due, End, JobError, Jobs, MOST_GAPS, Timing, UdpReceiveWork, UdpSendWork, Work};
use crate::report::OneWayReport;
use crate::socket::SocketError;
use crate::udp;
use crate::watch::Watch;

/// Datagrams at equal intervals, each timed where it arrives.
#[derive(Clone, Debug, PartialEq)]
pub struct OneWay {
    /// Where they come from.
    pub source: End,
    /// Where they go to.
    pub sink: End,
    /// The IP TOS byte or traffic class.
    pub class: u8,
    /// Payload bytes of each.
    pub size: u32,
    /// The first leaves.
    pub start: Time,
    /// From one to the next.
    pub interval: Duration,
    /// How many.
    pub count: u32,
    /// How long after it was sent one still counts.
    pub timeout: Duration,
}

impl Jobs {
    /// Adds datagrams that are timed.
    ///
    /// # Errors
    /// As [`Jobs::bulk`].
    pub fn one_way(&mut self, flow: usize, test: &OneWay) -> Result<(), JobError> {
        if test.count as usize > MOST_GAPS {
            return Err(JobError::Gaps);
        }
        let [source, sink] = ends(&test.source, &test.sink, test.class);
        let mut timing = Timing::new(test.start, Some(test.interval.times(test.count.into())));
        timing.settle = test.timeout;
        let (span, size) = (timing.span(), test.size);
        let mut gaps = vec![test.interval.as_ns(); test.count as usize];
        if let Some(first) = gaps.first_mut() {
            *first = 0;
        }
        let due = Due::Gaps(gaps);
        let mut sending = span;
        // As many as were asked for leave, also where the last is late.
        sending.until = span.until.map(|end| end.saturating_add(span.settle));
        let send = UdpSendWork {
            ends: source,
            span: sending,
            size,
            due,
        };
        let expected = test.count.into();
        let receive = UdpReceiveWork {
            ends: sink,
            span,
            size,
            expected,
        };
        let works = [
            (&test.source.host, Work::UdpSend(send)),
            (&test.sink.host, Work::OneWay(receive)),
        ];
        self.add(flow, works)
    }
}

/// Times datagrams until all are there, or the last can come no more.
pub(super) fn receive(
    prepared: udp::Prepared,
    work: &UdpReceiveWork,
    watch: &Watch,
) -> Result<OneWayReport, SocketError> {
    let mut report = OneWayReport::default();
    let mut seen = Seen::new();
    report.notes = udp::hear(prepared, work, watch, |number, sent_ns, now| {
        let new = seen.is_new(number);
        let delay = now.saturating_sub(sent_ns);
        if !new {
            report.duplicates += 1;
        } else if delay <= work.span.settle {
            report.arrived.push((sent_ns, delay));
        } else {
            report.late += 1;
        }
        new
    })?;
    report.arrived.sort_unstable();
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(count: u32) -> OneWay {
        let end = |host: &str, address: &str| End::new(host, address.parse().expect("an address"));
        OneWay {
            source: end("a", "192.0.2.1:49152"),
            sink: end("b", "192.0.2.2:5001"),
            class: 0,
            size: 56,
            start: Time::ZERO + Duration::from_ms(3),
            interval: Duration::from_ms(10),
            count,
            timeout: Duration::from_ms(100),
        }
    }

    #[test]
    fn datagrams_leave_at_the_interval_and_are_waited_for() {
        let mut jobs = Jobs::new();
        jobs.one_way(7, &test(3)).expect("a test that can be done");
        let work = |host: &str| jobs.hosts()[host].tasks()[0].work.clone();
        let (Work::UdpSend(send), Work::OneWay(receive)) = (work("a"), work("b")) else {
            panic!("one sends and the other times: {jobs:?}");
        };
        assert_eq!(send.due, Due::Gaps(vec![0, 10_000_000, 10_000_000]));
        assert_eq!(
            (send.span.start, send.span.until),
            (3_000_000, Some(133_000_000))
        );
        assert_eq!(receive.span.until, Some(33_000_000));
        assert_eq!((receive.expected, receive.span.settle), (3, 100_000_000));
    }

    #[test]
    fn more_than_a_job_holds_are_refused() {
        let mut jobs = Jobs::new();
        let refused = jobs.one_way(7, &test(MOST_GAPS as u32 + 1));
        assert_eq!(refused, Err(JobError::Gaps));
        assert!(jobs.hosts().is_empty());
    }
}
